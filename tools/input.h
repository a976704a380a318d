/* `run --input FILE`: keys and a pointer that a script plays. docs/INPUT.md has its language. */
#ifndef VITRAIL_TOOLS_INPUT_H
#define VITRAIL_TOOLS_INPUT_H

#include "drm/input/input.h"

/* A script that was read, and is played on a thread of its own. */
struct tool_input;

/* What a script is played on; borrowed while it is. */
struct tool_input_stage {
    struct drm_input *input;
    uint64_t (*shown)(void *data); /* pictures that were shown until now; from any thread */
    void *data;
};

/* Reads a script for a display of this size. TOOL_OK and *out; or TOOL_BAD_FILE after a message that names file and
 * line. */
int tool_input_read(const char *command, const char *path, uint32_t width, uint32_t height,
                    struct tool_input **out);
/* 0, -EAGAIN (no thread). NULL is accepted. */
int tool_input_play(struct tool_input *script, const struct tool_input_stage *stage);
/* Ends it where it is, and frees it. The line of the first event that was not sent, 0: all were; NULL, or never
 * played: 0. */
unsigned tool_input_stop(struct tool_input *script);

#endif
