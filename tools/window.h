/* `run --window`: the display in a window of the host's, and keys and pointer from it. The window is a process of its own
 * (tools/window/window.c), which the tool begins and looks after; the card's process draws the pictures for it, and of
 * pictures that come faster than it takes them the last alone. */
#ifndef VITRAIL_TOOLS_WINDOW_H
#define VITRAIL_TOOLS_WINDOW_H

#include <stdint.h>
#include <sys/types.h>

#include "drm/drm.h"
#include "drm/input/input.h"

struct tool_window;

/* In the tool, while it has one thread and no other process: begins the window's. TOOL_OK, or an exit status after a
 * message: this build has none, or no memory. */
int tool_window_begin(const char *command, const char *title, uint32_t width, uint32_t height,
                      struct tool_window **out, pid_t *process);
/* In the tool, once the card's process has begun, which keeps it: freed here. NULL is accepted. */
void tool_window_leave(struct tool_window *window);

/* In the card's process, behind its sandbox; all accept NULL. Whom the card shows its pictures: */
struct drm_screen tool_window_screen(struct tool_window *window);
/* From now on pictures go to the window, and its keys and pointer to `input`. 0, -EAGAIN. */
int tool_window_open(struct tool_window *window, struct drm_input *input);
void tool_window_close(struct tool_window *window); /* frees it */

#endif
