/* What `vitrail run` and `vitrail record` are asked for. */
#ifndef VITRAIL_TOOLS_RUN_H
#define VITRAIL_TOOLS_RUN_H

#include "drm/drm.h"
#include "drm/launch.h"
#include "tools/tool.h"

struct run {
    const char *name; /* of the command */
    const char *frames, *log, *record;
    uint32_t width, height;
    uint64_t memory;
    bool no_sandbox, sync, any_driver;
    const char *gpu;
    struct drm_launch_options launch;
    struct tool_device_options device;
    char **argv; /* the program's */

    char folder[80]; /* of socket and files: of our user alone */
    int listener;
    bool no_driver; /* a native program, and this machine's Mesa lacks the driver */
    FILE *log_file;
    unsigned reports;
};

/* Fills what the words of the command say, over what `run` has; `record`: they are of `vitrail record`. -1:
 * go on; else the exit status, after a message or the help. */
int run_parse(struct run *run, int argc, char **argv, bool record);

/* Whether the run failed to use the GPU, which --any-driver makes no failure; then a sentence that says so
 * and what is known of the cause. */
bool run_unused(const struct run *run, const struct drm_use *use, char *text, size_t size);
/* The sentence's middle when the driver was there and only had nothing to draw; tests/e2e/piglit knows it. */
#define RUN_IDLE_DRIVER "its driver came up, and submitted nothing"

#endif
