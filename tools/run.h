/* What `vitrail run` and `vitrail record` are asked for. */
#ifndef VITRAIL_TOOLS_RUN_H
#define VITRAIL_TOOLS_RUN_H

#include <sys/types.h>

#include "drm/drm.h"
#include "drm/launch/launch.h"
#include "tools/frames.h"
#include "tools/input.h"
#include "tools/run_stats.h"
#include "tools/tool.h"
#include "tools/window.h"

#define RUN_MEMORY (1ull << 30) /* of a guest, by default */
#define RUN_RATE                                                                                             \
    UINT64_MAX /* vblanks a second that nobody asked for: RUN_SHOWN_RATE in a window, else no clock */
#define RUN_SHOWN_RATE 60
#define RUN_FINISH_MS  60000 /* for a server whose run is over, to show what is to be shown */

/* What the server is told through `control` before that is closed: the program has ended, so that it can be
 * asked whether it used the GPU; nobody waits for what is still to be shown. */
enum run_word { RUN_ENDED = 'e', RUN_HURRY = 'h' };

struct run {
    const char *name; /* of the command */
    const char *log, *record;
    const char *input;  /* a script of keys and pointers, or NULL */
    const char *server; /* the socket of a `vitrail serve`, or NULL */
    struct tool_frames_options frames;
    uint32_t width, height;
    uint64_t memory, restarts, limit, rate;
    bool sync, any_driver, tells, shows;
    const char *gpu;
    struct drm_launch_options launch;
    struct drm_root root; /* folder: NULL, or the program gets a root of its own */
    char home[DRM_LAUNCH_PATH], sysroot[DRM_LAUNCH_PATH]; /* what `root` names */
    struct tool_device_options device;
    char **argv; /* the program's */

    char folder[80]; /* of socket and files: of our user alone */
    int lock;        /* its descriptor, which holds it as long as any process has it */
    int listener;
    int remote;                 /* of `server`: the connection to it */
    bool no_driver;             /* a native program, and this machine's Mesa lacks the driver */
    bool pipe_ignored;          /* SIGPIPE was when we were started, so it is for the program */
    struct tool_input *script;  /* of `input`, read */
    struct run_stats *stats;    /* if it `tells` of them */
    struct tool_window *window; /* if it `shows`; the card's process has it */
    pid_t window_process;       /* 0: there is none, or it has ended */
    FILE *log_file;
    unsigned reports, faults;
};

extern const struct tool_option run_card_rows[]; /* of struct run: what a card is */
/* Of the display's preferred mode. */
static inline uint32_t run_width(const struct run *run)
{
    return run->width ? run->width : DRM_USUAL_WIDTH;
}
static inline uint32_t run_height(const struct run *run)
{
    return run->height ? run->height : DRM_USUAL_HEIGHT;
}

/* Fills what the words of the command say, over what `run` has; `record`: they are of `vitrail record`. -1:
 * go on; else the exit status, after a message or the help. */
int run_parse(struct run *run, int argc, char **argv, bool record);

/* The program's words, as many as there is room for. */
void run_command_line(const struct run *run, char *out, size_t size);

/* A line on stderr, of which there are not too many, and in the log. */
void run_report(struct run *run, const char *text);
/* Of a run that came to its end: TOOL_OK, or TOOL_UNUSED, which --any-driver makes no failure, after a sentence that says
 * what is known of the cause. */
int run_judge(struct run *run, const struct drm_use *use);
/* The sentence's middle when the driver was there and only had nothing to draw; tests/e2e/piglit knows it. */
#define RUN_IDLE_DRIVER "its driver came up, and submitted nothing"
/* Makes folder, files and socket, says where they are in the environment, and removes what killed runs have
 * left. 0, -errno; what was made until then stays, for run_folder_remove. */
int run_folder_make(struct run *run);
void run_folder_remove(struct run *run);

/* A run whose card another's process has, `run->server`. open: finds it, whether it is the one, and its GPU. start: with the
 * folder made, begins. Both: -1, or an exit status after a message. end: what it says when `remote` is readable; false: it
 * is gone without a word. */
int run_remote_open(struct run *run);
int run_remote_start(struct run *run);
bool run_remote_end(const struct run *run, int *status, struct drm_use *use);

/* Runs the program and waits until it and the server have ended; `control` keeps the server alive, and is
 * closed; `server`: 0: another's (run->remote is `control`). The program's exit status, 128 and the number of a signal that ended it, or TOOL_HOST after a
 * message. */
int run_program(struct run *run, const struct drm_launch *launch, pid_t server, int control);
/* The sandbox of the server's process, which opens the recording, pictures and compiled code; at an orderly
 * end the broker removes the run's folder. Not entered yet. */
void run_sandbox(struct run *run, struct tool_sandbox *out);

#endif
