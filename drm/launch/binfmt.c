/* Who begins programs of other architectures: the kernel's binfmt_misc (admin-guide/binfmt-misc.rst), which has an
 * instance in each namespace of users since Linux 6.7, or what the machine has registered. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drm/launch/mounts.h"

/* ELF executables of a machine; of the type the lowest bit does not count (ET_EXEC, ET_DYN). */
#define MAGIC(class, machine)                                                                                \
    "\\x7fELF\\x0" class "\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\x" machine      \
                         "\\x00"
#define MASK                                                                                                 \
    "\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff"

static const char *const magics[DRM_ARCH_COUNT] = {
    [DRM_ARCH_ARM64] = MAGIC("2", "b7"),
    [DRM_ARCH_ARMHF] = MAGIC("1", "28"),
};

/* Kept as long as the instance is mounted. O: the program is handed over open; P: with its first word as it was; F: the emulator is opened now, as it has no
 * name inside. */
static bool register_one(enum drm_arch arch)
{
    char text[512];
    int n = snprintf(text, sizeof text, ":vitrail-%s:M::%s:%s:" DRM_ROOT_PLACE "/%s:OPF",
                     drm_arch_infos[arch].name, magics[arch], MASK, drm_arch_infos[arch].emulator);
    int fd = open(DRM_ROOT_BINFMT "/register", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool done = write(fd, text, (size_t)n) == n;
    close(fd);
    return done;
}

/* Whether the machine has one of its own that is open already. */
static bool is_registered(enum drm_arch arch, const char *host)
{
    char path[128], line[256];
    snprintf(path, sizeof path, "%s/proc/sys/fs/binfmt_misc/%s", host, drm_arch_infos[arch].emulator);
    FILE *file = fopen(path, "re");
    bool enabled = false, open = false;
    while (file && fgets(line, sizeof line, file)) {
        enabled |= !strcmp(line, "enabled\n");
        open |= !strncmp(line, "flags:", 6) && strchr(line, 'F');
    }
    if (file)
        fclose(file);
    return enabled && open;
}

void drm_binfmt_make(const struct drm_launch *launch, bool begins[DRM_ARCH_COUNT])
{
    bool own =
        !mkdir(DRM_ROOT_BINFMT, 0755) && !mount("binfmt_misc", DRM_ROOT_BINFMT, "binfmt_misc", 0, NULL);
    for (int i = 0; i < DRM_ARCH_COUNT; i++) {
        enum drm_arch arch = (enum drm_arch)i;
        begins[i] = !drm_arch_infos[i].emulator || (own ? launch->emulators[i][0] && register_one(arch)
                                                        : is_registered(arch, DRM_ROOT_HOST));
    }
}

bool drm_binfmt_begins(enum drm_arch arch)
{
    return !drm_arch_infos[arch].emulator || !mount("binfmt_misc", "/tmp", "binfmt_misc", 0, NULL) ||
           is_registered(arch, "");
}
