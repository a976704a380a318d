/* How a program gets to see the card: which machine it is for, what has to run it, the files it expects under
 * /dev and /sys, and the environment that names them. */
#ifndef VITRAIL_DRM_LAUNCH_LAUNCH_H
#define VITRAIL_DRM_LAUNCH_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

#define DRM_LAUNCH_PATH 4096

enum drm_arch { DRM_ARCH_AMD64, DRM_ARCH_ARM64, DRM_ARCH_ARMHF, DRM_ARCH_COUNT };

/* How programs of an architecture run here. */
struct drm_arch_info {
    const char *name;     /* Debian's: "arm64" */
    const char *triplet;  /* of its library folders */
    const char *emulator; /* qemu-user program, or NULL where none is needed */
};
extern const struct drm_arch_info drm_arch_infos[DRM_ARCH_COUNT];

struct drm_launch_options {
    const char *program; /* a path, or a name to look for: in the sysroots, then in PATH */
    const char *sysroot; /* NULL: the one that tools/sysroot makes for the program's architecture */
    const char *preload; /* another library to preload, or NULL */
    const char *driver;  /* Mesa's driver for the GPU: "vc4", "lima", "panfrost" */
};

struct drm_launch {
    enum drm_arch arch;
    char program[DRM_LAUNCH_PATH], sysroot[DRM_LAUNCH_PATH]; /* sysroot: "" where none is needed */
    char emulator[DRM_LAUNCH_PATH], client[DRM_LAUNCH_PATH];
    char preload[2 * DRM_LAUNCH_PATH]; /* value of LD_PRELOAD for the program */
    bool no_driver;                    /* a native program, and this machine's own Mesa lacks the driver */
};

/* Finds everything. 0; -ENOENT, -ENOEXEC, -EACCES or -E2BIG with a sentence that says what is missing and how
 * to get it. */
int drm_launch_find(const struct drm_launch_options *options, struct drm_launch *out,
                    struct util_error *error);

/* The argument vector that runs the program with `argv` (argv[0] is replaced, argv ends with NULL): malloc'ed
 * in one piece, pointing into `launch` and argv; NULL without memory. */
char **drm_launch_arguments(const struct drm_launch *launch, char **argv);

/* Makes the files of a card with this GPU in the existing folder `root`. 0; -ENODEV: no such GPU; or -errno.
 */
int drm_tree_create(const char *root, const char *gpu);
/* Removes a folder with all that is in it; never leaves it by a link. */
void drm_tree_remove(const char *path);

#endif
