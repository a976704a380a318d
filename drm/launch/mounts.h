/* What is mounted where in a root of its own (struct drm_root). Not for users. */
#ifndef VITRAIL_DRM_LAUNCH_MOUNTS_H
#define VITRAIL_DRM_LAUNCH_MOUNTS_H

#include <sys/types.h>

#include "drm/launch/launch.h"

#define DRM_ROOT_USER    1000
#define DRM_ROOT_PATH    "/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games:/usr/sbin:/sbin"
#define DRM_ROOT_RUNTIME "/run/user/1000"
#define DRM_ROOT_HOST    "/.vitrail-host" /* where the host's root is while they are made */
#define DRM_ROOT_PLACE   "/run/vitrail"   /* what is ours; the emulators by their names */
#define DRM_ROOT_BINFMT  DRM_ROOT_PLACE "/binfmt"
#define DRM_ROOT_OTHER   DRM_ROOT_PLACE "/preload.so"
#define DRM_ROOT_SESSION DRM_ROOT_PLACE "/session"  /* drm/client/session/session.c */
#define DRM_ROOT_DISPLAY DRM_ROOT_PLACE "/displays" /* a fifo into which that writes */
/* ld.so(8): where the libraries of each architecture stand. */
#define DRM_ROOT_PRELOAD DRM_ROOT_PLACE "/$LIB/client.so"

/* The file behind an absolute path inside, before there is the root: what is bound there, or the folder's, links
 * followed inside of it alone. A descriptor, or -errno. */
int drm_root_open(const struct drm_root *root, const char *path);
/* The folder's. */
int drm_root_open_in(const char *folder, const char *path);
/* Into new namespaces of user, mounts, processes and the like, as user 0. 0, or -errno with a sentence. (spaces.c) */
int drm_root_enter(const struct drm_root *root, struct util_error *error);
/* In a new namespace of users there is one, who is `outer` outside. 0, or -errno. (spaces.c) */
int drm_root_map_user(uid_t inner, gid_t inner_group, uid_t outer, gid_t outer_group);
/* In new namespaces of user, mounts and processes: makes the folder the root of this process, with all but /proc.
 * `begins`: of which architectures the kernel begins programs. 0, or -errno with a sentence. */
int drm_mounts_make(const struct drm_root *root, const struct drm_launch *launch, bool begins[DRM_ARCH_COUNT],
                    struct util_error *error);
/* Fills `begins`; registers emulators where the kernel lets us. All is mounted but for /proc. (binfmt.c) */
void drm_binfmt_make(const struct drm_launch *launch, bool begins[DRM_ARCH_COUNT]);
/* Whether the kernel would, or begins them already; in new namespaces, where /tmp is a mount of our own. */
bool drm_binfmt_begins(enum drm_arch arch);
/* Calls `bind` with each path of the host's that a root which shares has. (shares.c) */
void drm_mounts_share(void (*bind)(const char *path));
/* In the first process of the new space: /proc, and the host's files are let go of. As above. */
int drm_mounts_finish(struct util_error *error);

#endif
