/* A process that stands for another: passes signals on to it, and ends as it does. */
#ifndef VITRAIL_DRM_LAUNCH_RELAY_H
#define VITRAIL_DRM_LAUNCH_RELAY_H

#include <signal.h>
#include <sys/types.h>

/* Until `child` has ended, for whom `signals` (drm_relay_signals) are blocked since before it was forked; other children are reaped, too. Its status, as waitpid(2) has it. Signals of the terminal
 * are not passed on: it sends them to all. */
int drm_relay(pid_t child, const sigset_t *signals);
/* Ends this process as `status` says. */
_Noreturn void drm_relay_end(int status);

#endif
