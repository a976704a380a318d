/* The mounts. The new root is entered first, with the host's below it for a while: so every path inside is followed as
 * a program there would follow it, and none of the folder's links leads out of it. */
#include "drm/launch/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HOST DRM_ROOT_HOST

/* The first step that failed is what is told. */
static void fail(struct util_error *f, const char *what, const char *path)
{
    if (!f->code)
        util_fail(f, -errno, "no root for the program: %s %s: %s", what, path, strerror(errno));
}

/* ---- folders, files, mounts ---- */

static void make_folder(struct util_error *f, const char *path, mode_t mode)
{
    char part[DRM_LAUNCH_PATH];
    size_t n = strlen(path);
    for (size_t i = 1; i <= n && n < sizeof part; i++) {
        if (path[i] && path[i] != '/')
            continue;
        memcpy(part, path, i);
        part[i] = 0;
        if (mkdir(part, path[i] ? 0755 : mode) && errno != EEXIST)
            return fail(f, "no folder", part);
    }
}

static void make_file(struct util_error *f, const char *path)
{
    char folder[DRM_LAUNCH_PATH];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    if (*folder)
        make_folder(f, folder, 0755);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0)
        return fail(f, "no file", path);
    close(fd);
}

static void mount_new(struct util_error *f, const char *type, const char *path, unsigned long flags,
                      const char *data)
{
    make_folder(f, path, 0755);
    if (mount(type, path, type, flags, data))
        fail(f, "no mount at", path);
}

/* What stands at `host` outside is seen at `path`, too. */
static void bind_host(struct util_error *f, const char *host, const char *path)
{
    char from[DRM_LAUNCH_PATH + sizeof HOST];
    struct stat st;
    snprintf(from, sizeof from, "%s%s", HOST, host);
    if (stat(from, &st))
        return fail(f, "no", host);
    if (S_ISDIR(st.st_mode))
        make_folder(f, path, 0755);
    else
        make_file(f, path);
    if (mount(from, path, NULL, MS_BIND | MS_REC, NULL))
        fail(f, "no mount at", path);
}

static void make_link(struct util_error *f, const char *target, const char *path)
{
    if (symlink(target, path) && errno != EEXIST)
        fail(f, "no link", path);
}

/* ---- files that a program expects ---- */

/* The text of a file up to `room` bytes; "" when there is none. */
static void read_text(int fd, char *text, size_t room)
{
    size_t n = 0;
    ssize_t got;
    while (fd >= 0 && n < room - 1 && (got = read(fd, text + n, room - 1 - n)) > 0)
        n += (size_t)got;
    text[n] = 0;
    if (fd >= 0)
        close(fd);
}

/* A file above the folder's: what that says, and a line more unless it holds `mark`. */
static void put_file(struct util_error *f, const char *layer, const char *path, int base, const char *mark,
                     const char *line)
{
    char text[65536], to[2 * DRM_LAUNCH_PATH];
    read_text(base, text, sizeof text);
    snprintf(to, sizeof to, "%s%s", layer, path);
    make_file(f, to);
    FILE *file = fopen(to, "we");
    if (!file || fputs(text, file) < 0 || (!(*mark && strstr(text, mark)) && fputs(line, file) < 0))
        fail(f, "not written:", path);
    if (file && fclose(file))
        fail(f, "not written:", path);
}

/* The layer between the folder, which may be somebody else's, and what is written: what mounts need, the user, and what
 * libraries look up. */
static void fill_layer(const struct drm_root *root, struct util_error *f, const char *layer)
{
    static const char *const folders[] = {DRM_ROOT_HOST, "/dev", "/proc",      "/sys",
                                          "/run",        "/tmp", DRM_ROOT_HOME};
    enum { SHARED_FOLDERS = 2 }; /* the last of them */
    static const struct {
        const char *path, *mark, *line;
    } files[] = {
        {"/etc/passwd",
         ":x:1000:", "root:x:0:0:root:/root:/bin/sh\nguest:x:1000:1000:guest:" DRM_ROOT_HOME ":/bin/sh\n"},
        {"/etc/group", ":x:1000:", "root:x:0:\nguest:x:1000:\n"},
        {"/etc/hosts", "127.0.0.1", "127.0.0.1 localhost\n"},
        {"/etc/machine-id", "\n", "76697472616900000000000000000000\n"},
    };
    const size_t made = sizeof folders / sizeof *folders - (root->shares ? SHARED_FOLDERS : 0);
    char path[2 * DRM_LAUNCH_PATH];
    for (size_t i = 0; i < made; i++) {
        snprintf(path, sizeof path, "%s%s", layer, folders[i]);
        make_folder(f, path, 0755);
    }
    for (size_t i = 0; !root->shares && i < sizeof files / sizeof *files; i++)
        put_file(f, layer, files[i].path, drm_root_open_in(root->folder, files[i].path), files[i].mark,
                 files[i].line);
    if (root->net)
        put_file(f, layer, "/etc/resolv.conf", open("/etc/resolv.conf", O_RDONLY | O_CLOEXEC), "", "");
}

/* ---- the folder, and layers above it ---- */

static int enter_folder(const struct drm_root *root, struct util_error *f)
{
    static const char *const parts[] = {"upper", "work", "both", "layer"};
    char base[DRM_LAUNCH_PATH], part[DRM_LAUNCH_PATH + 8], layers[256];
    int lower =
        open(root->folder, O_PATH | O_DIRECTORY | O_CLOEXEC); /* its name may hold a colon or a comma */
    if (lower < 0)
        fail(f, "no folder", root->folder);
    snprintf(base, sizeof base, "%s/layers", root->card); /* of no name that a card has */
    mount_new(f, "tmpfs", base, MS_NOSUID | MS_NODEV, "mode=755");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(part, sizeof part, "%s/%s", base, parts[i]);
        make_folder(f, part, 0755);
    }
    fill_layer(root, f, part);
    snprintf(layers, sizeof layers, "lowerdir=layer:/proc/self/fd/%d,upperdir=upper,workdir=work,userxattr",
             lower);
    if (!f->code && (chdir(base) || mount("overlay", "both", "overlay", MS_NOSUID, layers)))
        util_fail(f, -errno, "no root for the program: no layer over %s: %s%s", root->folder, strerror(errno),
                  errno == EINVAL ? " (if file systems are mounted in it: unmount them, and --bind them)"
                                  : "");
    if (lower >= 0)
        close(lower);
    if (!f->code && (chdir("both") || syscall(SYS_pivot_root, ".", &HOST[1]) || chdir("/")))
        fail(f, "not entered:", root->folder);
    return f->code;
}

/* ---- /dev, /sys, /run ---- */

static void make_dev(const struct drm_root *root, struct util_error *f)
{
    static const char *const nodes[] = {"null", "zero", "full", "random", "urandom", "tty"};
    static const char *const devices[] = {"/dev/dri", "/dev/input"};
    static const char *const links[][2] = {{"/proc/self/fd", "/dev/fd"},
                                           {"/proc/self/fd/0", "/dev/stdin"},
                                           {"/proc/self/fd/1", "/dev/stdout"},
                                           {"/proc/self/fd/2", "/dev/stderr"},
                                           {"pts/ptmx", "/dev/ptmx"}};
    char host[DRM_LAUNCH_PATH], path[64];
    mount_new(f, "tmpfs", "/dev", MS_NOSUID, "mode=755");
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        snprintf(path, sizeof path, "/dev/%s", nodes[i]);
        bind_host(f, path, path);
    }
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        make_link(f, links[i][0], links[i][1]);
    mount_new(f, "tmpfs", "/dev/shm", MS_NOSUID | MS_NODEV, "mode=1777");
    mount_new(f, "devpts", "/dev/pts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620");
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        snprintf(host, sizeof host, "%s/root%s", root->card, devices[i]);
        bind_host(f, host, devices[i]);
    }
}

/* The card is the only device; of the host's there is what tells of processors. */
static void make_sys(const struct drm_root *root, struct util_error *f)
{
    static const char *const parts[] = {"bus", "class", "dev", "devices"};
    char host[DRM_LAUNCH_PATH], path[64];
    mount_new(f, "tmpfs", "/sys", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=755");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(host, sizeof host, HOST "%s/root/sys/%s", root->card, parts[i]);
        snprintf(path, sizeof path, "/sys/%s", parts[i]);
        make_folder(f, host, 0755);
        bind_host(f, host + strlen(HOST), path);
    }
    bind_host(f, "/sys/devices/system", "/sys/devices/system");
}

static void make_run(const struct drm_root *root, const struct drm_launch *launch, struct util_error *f)
{
    char host[DRM_LAUNCH_PATH], path[DRM_LAUNCH_PATH];
    mount_new(f, "tmpfs", "/run", MS_NOSUID | MS_NODEV, "mode=755");
    make_folder(f, DRM_ROOT_RUNTIME, 0700);
    snprintf(host, sizeof host, "%s/root/run/udev", root->card);
    bind_host(f, host, "/run/udev");
    snprintf(host, sizeof host, "%s/server", root->card);
    bind_host(f, host, DRM_ROOT_SOCKET);
    for (int arch = 0; arch < DRM_ARCH_COUNT; arch++) {
        snprintf(path, sizeof path, DRM_ROOT_PLACE "/lib/%s/client.so", drm_arch_infos[arch].triplet);
        if (launch->clients[arch][0])
            bind_host(f, launch->clients[arch], path);
        snprintf(path, sizeof path, DRM_ROOT_PLACE "/%s", drm_arch_infos[arch].emulator);
        if (launch->emulators[arch][0])
            bind_host(f, launch->emulators[arch], path);
    }
    bind_host(f, launch->client, DRM_ROOT_PLACE "/lib/client.so"); /* other systems than Debian */
    bind_host(f, launch->client, DRM_ROOT_PLACE "/lib64/client.so");
    if (launch->other_preload[0])
        bind_host(f, launch->other_preload, DRM_ROOT_OTHER);
    if (launch->session[0])
        bind_host(f, launch->session, DRM_ROOT_SESSION);
}

/* What there is, and can be bound. */
static void share(const char *path)
{
    struct util_error none = {0};
    bind_host(&none, path, path);
}

static void make_own(const struct drm_root *root, struct util_error *f)
{
    if (root->shares) {
        drm_mounts_share(share);
        return;
    }
    mount_new(f, "tmpfs", "/tmp", MS_NOSUID | MS_NODEV, "mode=1777");
    if (root->home)
        bind_host(f, root->home, DRM_ROOT_HOME);
    for (unsigned i = 0; i < root->binds; i++) {
        char host[DRM_LAUNCH_PATH];
        size_t n = strcspn(root->bind[i], ":");
        snprintf(host, sizeof host, "%.*s", (int)n, root->bind[i]);
        bind_host(f, host, root->bind[i][n] ? root->bind[i] + n + 1 : host);
    }
}

int drm_mounts_make(const struct drm_root *root, const struct drm_launch *launch, bool begins[DRM_ARCH_COUNT],
                    struct util_error *error)
{
    if (!enter_folder(root, error)) {
        make_dev(root, error);
        make_sys(root, error);
        make_run(root, launch, error);
        make_own(root, error);
    }
    if (!error->code)
        drm_binfmt_make(launch, begins);
    return error->code;
}

int drm_mounts_finish(struct util_error *error)
{
    make_folder(error, "/proc", 0755);
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
              NULL)) /* where parts of it are hidden */
        bind_host(error, "/proc", "/proc");
    if (umount2(HOST, MNT_DETACH) || rmdir(HOST))
        fail(error, "still there:", HOST);
    return error->code;
}
