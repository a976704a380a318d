/* Finding programs, what runs them, and the client for them. */
#include "drm/launch/launch.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drm/launch/mounts.h"
#include "drm/launch/session.h"

#define NO_CLIENT  "the client for %s is not built: install its compiler (tools/setup live) and build again"
#define NO_SESSION "vitrail-session is not beside the clients: build again"

static bool print_path(char out[DRM_LAUNCH_PATH], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool print_path(char out[DRM_LAUNCH_PATH], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(out, DRM_LAUNCH_PATH, format, args);
    va_end(args);
    return n >= 0 && n < DRM_LAUNCH_PATH;
}

static bool is_file(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* ---- the program ---- */

static bool default_sysroot(enum drm_arch arch, char out[DRM_LAUNCH_PATH])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const char *name = drm_arch_infos[arch].name;
    if (cache && *cache)
        return print_path(out, "%s/vitrail/sysroot-%s", cache, name);
    return print_path(out, "%s/.cache/vitrail/sysroot-%s", home ? home : "", name);
}

static bool find_in_folder(const char *folder, size_t length, const char *name, char out[DRM_LAUNCH_PATH])
{
    return print_path(out, "%.*s/%s", (int)length, folder, name) && is_file(out) && !access(out, X_OK);
}

static bool find_in_sysroot(const char *sysroot, const char *name, char out[DRM_LAUNCH_PATH])
{
    char folder[DRM_LAUNCH_PATH];
    return print_path(folder, "%s/usr/bin", sysroot) && find_in_folder(folder, strlen(folder), name, out);
}

static bool find_in_path(const char *name, char out[DRM_LAUNCH_PATH])
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
        size_t length = strcspn(at, ":");
        if (length && find_in_folder(at, length, name, out))
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

static bool find_program(const struct drm_launch_options *options, char out[DRM_LAUNCH_PATH])
{
    char sysroot[DRM_LAUNCH_PATH];
    if (strchr(options->program, '/'))
        return print_path(out, "%s", options->program) && is_file(out);
    if (options->sysroot && find_in_sysroot(options->sysroot, options->program, out))
        return true;
    for (int arch = DRM_ARCH_ARM64; !options->sysroot && arch < DRM_ARCH_COUNT; arch++)
        if (default_sysroot((enum drm_arch)arch, sysroot) && find_in_sysroot(sysroot, options->program, out))
            return true;
    return find_in_path(options->program, out);
}

/* The machine of an ELF file; of a script, that of its interpreter. -ENOEXEC when it is none that we know. */
static int read_arch(const struct drm_root *root, const char *path, unsigned depth, enum drm_arch *arch)
{
    union {
        Elf32_Ehdr elf32;
        Elf64_Ehdr elf64;
        char text[256];
    } head = {.text = ""};
    int fd = root ? drm_root_open(root, path) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return root ? fd : -errno;
    ssize_t n = read(fd, &head, sizeof head - 1);
    close(fd);
    if (n > 2 && !memcmp(head.text, "#!", 2) && depth < 4) {
        char *interpreter = head.text + 2 + strspn(head.text + 2, " \t");
        interpreter[strcspn(interpreter, " \t\n")] = 0;
        return read_arch(root, interpreter, depth + 1, arch);
    }
    if (n < (ssize_t)sizeof head.elf32 || memcmp(head.text, ELFMAG, SELFMAG) != 0 ||
        head.text[EI_DATA] != ELFDATA2LSB)
        return -ENOEXEC;
    switch (head.elf32.e_machine) { /* at the same place in both forms */
    case EM_X86_64: *arch = DRM_ARCH_AMD64; return 0;
    case EM_AARCH64: *arch = DRM_ARCH_ARM64; return 0;
    case EM_ARM: *arch = DRM_ARCH_ARMHF; return 0;
    default: return -ENOEXEC;
    }
}

/* ---- in a root of its own ---- */

static bool is_program_inside(const struct drm_root *root, const char *path)
{
    struct stat st;
    int fd = drm_root_open(root, path);
    bool good = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_mode & 0111;
    if (fd >= 0)
        close(fd);
    return good;
}

static bool find_inside(const struct drm_root *root, const char *program, char out[DRM_LAUNCH_PATH])
{
    if (program[0] == '/')
        return print_path(out, "%s", program) && is_program_inside(root, out);
    for (const char *at = DRM_ROOT_PATH; *at && !strchr(program, '/');) {
        size_t length = strcspn(at, ":");
        if (print_path(out, "%.*s/%s", (int)length, at, program) && is_program_inside(root, out))
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

/* ---- what it needs ---- */

bool drm_launch_usual_root(const char *program, char out[DRM_LAUNCH_PATH])
{
    char first[DRM_LAUNCH_PATH] = "", path[DRM_LAUNCH_PATH];
    for (int arch = DRM_ARCH_ARM64; arch < DRM_ARCH_COUNT; arch++) {
        struct stat st;
        if (!default_sysroot((enum drm_arch)arch, out) || stat(out, &st) || !S_ISDIR(st.st_mode))
            continue;
        if (!*first)
            print_path(first, "%s", out);
        if (find_inside(&(struct drm_root){.folder = out}, program, path))
            return true;
    }
    return print_path(out, "%s", first) && *first;
}

bool drm_launch_find_beside(const char *name, char out[DRM_LAUNCH_PATH])
{
    static const char *const places[] = {".", "../drm/client", "../lib/vitrail"};
    char self[PATH_MAX], plain[DRM_LAUNCH_PATH];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return false;
    self[n] = 0;
    *strrchr(self, '/') = 0;
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++)
        if (print_path(plain, "%s/%s/%s", self, places[i], name) && is_file(plain))
            return realpath(plain, out) != NULL;
    return false;
}

static bool find_client(enum drm_arch arch, char out[DRM_LAUNCH_PATH])
{
    char name[64];
    snprintf(name, sizeof name, "vitrail-client-%s.so", drm_arch_infos[arch].name);
    return drm_launch_find_beside(name, out);
}

static bool has_driver(const struct drm_launch *launch, const char *driver)
{
    char path[DRM_LAUNCH_PATH];
    if (!print_path(path, "/usr/lib/%s/dri/%s_dri.so", drm_arch_infos[launch->arch].triplet, driver))
        return false;
    int fd = drm_root_open_in(*launch->sysroot ? launch->sysroot : "/", path);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static int find_foreign(const struct drm_launch_options *options, struct drm_launch *out,
                        struct util_error *error)
{
    const struct drm_arch_info *info = &drm_arch_infos[out->arch];
    char fixed[64];
    snprintf(fixed, sizeof fixed, "%s-static", info->emulator);
    if (!find_in_path(info->emulator, out->emulator) && !find_in_path(fixed, out->emulator))
        return util_fail(error, -ENOENT, "%s programs need %s: apt-get install qemu-user", info->name,
                         info->emulator);
    bool named = options->sysroot ? print_path(out->sysroot, "%s", options->sysroot)
                                  : default_sysroot(out->arch, out->sysroot);
    if (!named)
        return util_fail(error, -E2BIG, "the path of the sysroot is too long");
    if (!has_driver(out, options->driver))
        return util_fail(
            error, -ENOENT,
            "%s has no %s libraries with a %s driver: tools/sysroot %s %s fetches them from Debian",
            out->sysroot, info->name, options->driver, out->sysroot, info->name);
    return 0;
}

/* What a compositor needs, and where it is. */
static int find_session(const struct drm_root *root, struct drm_launch *out, struct util_error *error)
{
    char path[DRM_LAUNCH_PATH];
    const char *missing = NULL;
    if (!find_inside(root, DRM_SESSION_COMPOSITOR, out->compositor))
        missing = DRM_SESSION_COMPOSITOR;
    else if (root->x11 && !find_inside(root, DRM_SESSION_X11, path))
        missing = DRM_SESSION_X11;
    if (missing)
        return util_fail(error, -ENOENT, "no %s in %s: tools/sysroot %s %s --add %s fetches it", missing,
                         root->folder, root->folder, drm_arch_infos[out->arch].name,
                         root->x11 ? "cage xwayland" : "cage");
    if (read_arch(root, out->compositor, 0, &out->compositor_arch))
        return util_fail(error, -ENOEXEC, "%s%s is no program for amd64, arm64 or armhf", root->folder,
                         out->compositor);
    return drm_launch_find_beside("vitrail-session", out->session) ? 0
                                                                   : util_fail(error, -ENOENT, NO_SESSION);
}

/* Of a program with a root of its own: the emulators of all architectures, as it may begin programs of any. */
static int find_root(const struct drm_launch_options *options, struct drm_launch *out,
                     struct util_error *error)
{
    *out = (struct drm_launch){0};
    struct stat st;
    if (stat(options->root->folder, &st) || !S_ISDIR(st.st_mode))
        return util_fail(error, -ENOENT, "%s: no folder that could be a root", options->root->folder);
    if (!find_inside(options->root, options->program, out->program))
        return util_fail(error, -ENOENT,
                         strchr(options->program, '/') && options->program[0] != '/'
                             ? "%s: in a root of its own a program has a name, or a path from the root on"
                             : "%s: no program in %s",
                         options->program, options->root->folder);
    int r = read_arch(options->root, out->program, 0, &out->arch);
    if (r)
        return util_fail(error, r, "%s%s is no program for amd64, arm64 or armhf", options->root->folder,
                         out->program);
    const struct drm_arch_info *info = &drm_arch_infos[out->arch];
    for (int arch = 0; arch < DRM_ARCH_COUNT; arch++) {
        char name[64];
        if (!find_client((enum drm_arch)arch, out->clients[arch]))
            out->clients[arch][0] = 0;
        snprintf(name, sizeof name, "%s-static", drm_arch_infos[arch].emulator);
        if (!drm_arch_infos[arch].emulator || !find_in_path(name, out->emulators[arch]))
            out->emulators[arch][0] = 0;
    }
    if (!out->clients[out->arch][0])
        return util_fail(error, -ENOENT, NO_CLIENT, info->name);
    if (info->emulator && !out->emulators[out->arch][0])
        return util_fail(error, -ENOENT,
                         "%s programs in a root of their own need %s-static: apt-get install "
                         "qemu-user-static",
                         info->name, info->emulator);
    print_path(out->client, "%s", out->clients[out->arch]);
    print_path(out->emulator, "%s", out->emulators[out->arch]);
    if (options->preload && !realpath(options->preload, out->other_preload))
        return util_fail(error, -errno, "%s: %s", options->preload, strerror(errno));
    if (!print_path(out->sysroot, "%s", options->root->folder))
        return util_fail(error, -E2BIG, "the path of the root is too long");
    out->no_driver = !has_driver(out, options->driver);
    return options->root->wayland || options->root->x11 ? find_session(options->root, out, error) : 0;
}

int drm_launch_find(const struct drm_launch_options *options, struct drm_launch *out,
                    struct util_error *error)
{
    if (options->root)
        return find_root(options, out, error);
    *out = (struct drm_launch){0};
    if (!find_program(options, out->program))
        return util_fail(error, -ENOENT,
                         strchr(options->program, '/')
                             ? "%s: no such file"
                             : "%s: not in the sysroot's usr/bin (tools/sysroot fetches one) nor in PATH",
                         options->program);
    if (access(out->program, X_OK))
        return util_fail(error, -EACCES, "%s: not executable", out->program);
    int r = read_arch(NULL, out->program, 0, &out->arch);
    if (r)
        return util_fail(error, r, "%s is no program for amd64, arm64 or armhf", out->program);
    const struct drm_arch_info *info = &drm_arch_infos[out->arch];
    if (!find_client(out->arch, out->client))
        return util_fail(error, -ENOENT, NO_CLIENT, info->name);
    if (info->emulator)
        r = find_foreign(options, out, error);
    else
        out->no_driver = !has_driver(out, options->driver);
    if (r)
        return r;
    const char *others[2] = {options->preload, info->emulator ? NULL : getenv("LD_PRELOAD")};
    size_t n = (size_t)snprintf(out->preload, sizeof out->preload, "%s", out->client);
    for (unsigned i = 0; i < 2; i++)
        if (others[i] && *others[i] && n < sizeof out->preload)
            n += (size_t)snprintf(out->preload + n, sizeof out->preload - n, ":%s", others[i]);
    if (n >= sizeof out->preload)
        return util_fail(error, -E2BIG, "the paths of the libraries to preload are too long");
    if (info->emulator && strchr(out->preload, ',')) /* qemu splits its -E there */
        return util_fail(error, -EINVAL, "%s: %s does not take a path with a comma", out->preload,
                         info->emulator);
    return 0;
}

char **drm_launch_arguments(const struct drm_launch *launch, char **argv)
{
    static const char set[] = "LD_PRELOAD=";
    size_t count = 0, n = 0;
    while (argv[count])
        count++;
    size_t text = sizeof set + strlen(launch->preload);
    char **out = malloc((count + 8) * sizeof *out + text);
    if (!out)
        return NULL;
    if (drm_arch_infos[launch->arch].emulator) {
        char *preload = (char *)(out + count + 8);
        snprintf(preload, text, "%s%s", set, launch->preload);
        out[n++] = (char *)launch->emulator;
        out[n++] = (char *)"-L";
        out[n++] = (char *)launch->sysroot;
        out[n++] = (char *)"-E";
        out[n++] = preload;
    }
    out[n++] = (char *)launch->program;
    for (size_t i = 1; i < count; i++)
        out[n++] = argv[i];
    out[n] = NULL;
    return out;
}
