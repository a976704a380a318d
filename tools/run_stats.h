/* `run --stats`: a line a second on what a run does. The server's process puts what it knows of the card into a page that
 * both have; the tool, which no sandbox keeps from looking at processes, says it. */
#ifndef VITRAIL_TOOLS_RUN_STATS_H
#define VITRAIL_TOOLS_RUN_STATS_H

#include <stdint.h>
#include <sys/types.h>

#include "drm/drm.h"

#define RUN_STATS_MS 1000 /* from one line to the next */

struct run_stats; /* NULL: nobody asked for them, which all of these accept */

/* Before the server's process is forked. NULL: no memory. */
struct run_stats *run_stats_create(void);
/* The server's: as often as it likes. */
void run_stats_put(struct run_stats *stats, struct drm *drm);
/* The tool's, every RUN_STATS_MS: of the time since the last one. `server`: 0: has ended. */
void run_stats_tell(struct run_stats *stats, pid_t program, pid_t server);

/* Seconds of processors that a process has used, with all that it began and what these began, as far as they can be seen
 * in /proc; those that have ended count where somebody has waited for them. */
double run_stats_processors(pid_t process);

#endif
