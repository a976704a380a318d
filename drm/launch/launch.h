/* How a program gets to see the card: which machine it is for, what has to run it, the files it expects under
 * /dev and /sys, and the environment that names them. */
#ifndef VITRAIL_DRM_LAUNCH_LAUNCH_H
#define VITRAIL_DRM_LAUNCH_LAUNCH_H

#include <signal.h>
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

#define DRM_ROOT_SOCKET "/run/vitrail/server" /* where the server's socket is inside */
#define DRM_ROOT_HOME   "/home/guest"

#define DRM_ROOT_BINDS 16

/* A root of its own for a program: namespaces of user, mounts, processes and network, in which a folder with Debian's
 * files is /, the card's files and the client stand where a program looks for them, and programs of the folder's
 * architecture can begin others of it. What a program writes is gone with it, but for what was bound in.
 *
 * All of it is done in a forked child and works without privileges (user_namespaces(7)); the program is user 1000
 * there, which is whoever runs the tool. */
struct drm_root {
    const char *folder;               /* that is to be / */
    const char *card;                 /* the run's folder: `server`, and `root` with the card's files */
    const char *home;                 /* a folder of the host's to be the home; NULL: an empty one */
    const char *bind[DRM_ROOT_BINDS]; /* "PATH" or "PATH:INSIDE" of the host's, to be seen inside, too */
    unsigned binds;
    bool net; /* the host's network; else only its own loopback */
    /* Nobody asked for it: all of the host's folders that are not of the system are seen at their places, and user, home, current folder
     * and environment stay, so that paths, what is written and what runs beside it are those that a program without a root has. */
    bool shares;
    /* Displays for the program, of a compositor that runs beside it and has the card. */
    bool wayland, x11;
};

struct drm_launch_options {
    const char *program;         /* a path, or a name to look for: in the sysroots, then in PATH */
    const char *sysroot;         /* NULL: the one that tools/sysroot makes for the program's architecture */
    const struct drm_root *root; /* NULL, or a root of its own: the program is looked for there */
    const char *preload;         /* another library to preload, or NULL */
    const char *driver;          /* Mesa's driver for the GPU: "vc4", "lima", "panfrost" */
};

struct drm_launch {
    enum drm_arch arch;
    char program[DRM_LAUNCH_PATH], sysroot[DRM_LAUNCH_PATH]; /* sysroot: "" where none is needed */
    char emulator[DRM_LAUNCH_PATH], client[DRM_LAUNCH_PATH];
    char preload[2 * DRM_LAUNCH_PATH]; /* value of LD_PRELOAD for the program */
    /* For a root of its own, whose programs may be of any architecture; "": there is none. Emulators are static. */
    char clients[DRM_ARCH_COUNT][DRM_LAUNCH_PATH], emulators[DRM_ARCH_COUNT][DRM_LAUNCH_PATH];
    char other_preload[DRM_LAUNCH_PATH];
    char session[DRM_LAUNCH_PATH]; /* what a compositor begins; "": there is no compositor */
    char compositor[DRM_LAUNCH_PATH];
    enum drm_arch compositor_arch;
    bool no_driver; /* a native program, and this machine's own Mesa lacks the driver */
};

/* Finds everything. 0; -ENOENT, -ENOEXEC, -EACCES or -E2BIG with a sentence that says what is missing and how
 * to get it. */
int drm_launch_find(const struct drm_launch_options *options, struct drm_launch *out,
                    struct util_error *error);

/* The sysroot that tools/sysroot has fetched, as a root: the first that has the program, else the first that there is.
 * False: there is none. */
bool drm_launch_usual_root(const char *program, char out[DRM_LAUNCH_PATH]);

/* Whether the program with these words (behind its name, NULL at the end), found by `launch` in a root that shares, can have it: no file of
 * theirs is missing inside, and the kernel gives namespaces and begins programs of its architecture. */
bool drm_root_can_share(const struct drm_root *root, const struct drm_launch *launch, char *const *words);

/* A file of ours: beside the tool, with the clients in a build folder (drm/client/), or where it is installed
 * (lib/vitrail/). */
bool drm_launch_find_beside(const char *name, char out[DRM_LAUNCH_PATH]);

/* The argument vector that runs the program with `argv` (argv[0] is replaced, argv ends with NULL): malloc'ed
 * in one piece, pointing into `launch` and argv; NULL without memory. */
char **drm_launch_arguments(const struct drm_launch *launch, char **argv);

/* Ends as the program ends, which it runs with `launch` of that folder and argv (argv[0] is replaced). Returns only
 * when there was no program: an exit status of a shell's kind (126, 127), or 5, and a sentence. */
int drm_root_run(const struct drm_root *root, const struct drm_launch *launch, char **argv,
                 struct util_error *error);

/* The signals that a process passes on to one that it stands for, and SIGCHLD: to be blocked before that is forked, and
 * waited for. */
void drm_relay_signals(sigset_t *signals);

/* Makes the files of a card with this GPU in the existing folder `root`. 0; -ENODEV: no such GPU; or -errno.
 */
int drm_tree_create(const char *root, const char *gpu);
/* Removes a folder with all that is in it; never leaves it by a link. */
void drm_tree_remove(const char *path);

#endif
