/* A root that shares this machine's files (struct drm_root.shares): which of them, and whether a program can have it. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drm/launch/mounts.h"

/* Folders in / that are of the system (hier(7)), and so the root's own. */
static bool is_system(const char *name, size_t length)
{
    static const char *const names[] = {"bin",    "boot", "dev", "etc",  "lib", "lib32", "lib64",
                                        "libx32", "proc", "run", "sbin", "sys", "usr",   "var"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && !strncmp(names[i], name, length))
            return true;
    return false;
}

/* ---- what a program names ---- */

/* Whether an absolute path is seen inside as it is here: it begins with a folder that is no link. */
static bool is_shared(const char *path)
{
    char first[NAME_MAX + 2];
    struct stat st;
    size_t n = strcspn(path + 1, "/");
    if (!n)
        return true;
    if (is_system(path + 1, n) || n > NAME_MAX)
        return false;
    snprintf(first, sizeof first, "%.*s", (int)n + 1, path);
    return !lstat(first, &st) && S_ISDIR(st.st_mode);
}

/* Whether a word is the path of a file here that nothing inside has. */
static bool is_missed(const struct drm_root *root, const char *word)
{
    static const char *const made[] = {"/dev/", "/proc/", "/sys/"}; /* inside as well */
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (!strncmp(word, made[i], strlen(made[i])))
            return false;
    if (word[0] != '/' || is_shared(word) || access(word, F_OK))
        return false;
    int fd = drm_root_open_in(root->folder, word);
    if (fd >= 0)
        close(fd);
    return fd < 0;
}

/* ---- what the kernel gives ---- */

/* In a process of its own, which it leaves with all that it has mounted: a layer over the folder, and who begins programs. */
static bool is_possible(const struct drm_root *root, const struct drm_launch *launch)
{
    struct util_error error = {0};
    char layers[128];
    int lower = drm_root_enter(root, &error) ? -1 : open(root->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (lower < 0 || mount("tmpfs", "/tmp", "tmpfs", 0, NULL) || chdir("/tmp") || mkdir("upper", 0700) ||
        mkdir("work", 0700) || mkdir("both", 0700))
        return false;
    snprintf(layers, sizeof layers, "lowerdir=/proc/self/fd/%d,upperdir=upper,workdir=work,userxattr", lower);
    return !mount("overlay", "both", "overlay", MS_NOSUID, layers) && drm_binfmt_begins(launch->arch);
}

bool drm_root_can_share(const struct drm_root *root, const struct drm_launch *launch, char *const *words)
{
    const char *home = getenv("HOME");
    char here[DRM_LAUNCH_PATH];
    int status = 1;
    if (!getcwd(here, sizeof here) || !is_shared(here) || (home && home[0] == '/' && !is_shared(home)))
        return false;
    for (; *words; words++)
        if (is_missed(root, *words))
            return false;
    fflush(NULL);
    pid_t child = fork();
    if (!child)
        _exit(is_possible(root, launch) ? 0 : 1);
    return child > 0 && waitpid(child, &status, 0) == child && !status;
}

/* ---- mounts ---- */

static bool is_folder_here(const char *name)
{
    char path[DRM_LAUNCH_PATH];
    struct stat st;
    snprintf(path, sizeof path, DRM_ROOT_HOST "/%s", name);
    return !lstat(path, &st) && S_ISDIR(st.st_mode);
}

void drm_mounts_share(void (*bind)(const char *path))
{
    static const char *const files[] = {"/etc/passwd",     "/etc/group", "/etc/hosts",
                                        "/etc/machine-id", "/dev/shm",   "/dev/snd"};
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    char path[NAME_MAX + 2];
    DIR *all = opendir(DRM_ROOT_HOST);
    for (const struct dirent *entry; all && (entry = readdir(all));) {
        if (entry->d_name[0] == '.' || is_system(entry->d_name, strlen(entry->d_name)) ||
            !is_folder_here(entry->d_name))
            continue;
        snprintf(path, sizeof path, "/%s", entry->d_name);
        bind(path);
    }
    if (all)
        closedir(all);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        bind(files[i]);
    if (runtime && !strncmp(runtime, "/run/", 5))
        bind(runtime);
}
