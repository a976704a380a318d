/* A compositor beside the program of a root (struct drm_root): cage, which shows one program on the whole display, and
 * Xwayland, which it begins for those of X11. Not for users.
 *
 * The compositor ends when its first program does, so that is one of ours (drm/client/session), which says where the
 * displays are; the run's program is no child of the compositor, and its exit status its own. */
#ifndef VITRAIL_DRM_LAUNCH_SESSION_H
#define VITRAIL_DRM_LAUNCH_SESSION_H

#include <sys/types.h>

#include "drm/launch/launch.h"

#define DRM_SESSION_COMPOSITOR "cage"
#define DRM_SESSION_X11        "Xwayland"

struct drm_session {
    pid_t compositor;
    int displays; /* where it says which displays there are */
    int said;     /* a file in memory: what it says beyond that, which is told when it fails */
};

extern const char *const drm_session_words[]; /* of the compositor, from the second on; NULL ends them */

/* In the first process inside, before the compositor is begun. 0, or -errno with a sentence. */
int drm_session_prepare(struct drm_session *session, struct util_error *error);
/* In the compositor's process: its standard input and outputs. False: there was no descriptor for them. */
bool drm_session_enter(const struct drm_session *session);
/* In the program's process: waits until the displays are there, and puts those that `root` asks for into the
 * environment. False, after a message: the compositor has ended, or has not the display. */
bool drm_session_await(const struct drm_session *session, const struct drm_root *root);

#endif
