/* Pictures that follow each other, as files of a folder and as a video: the options of `run`, `record` and
 * `replay`, and who writes them (util/frames.h). */
#ifndef VITRAIL_TOOLS_FRAMES_H
#define VITRAIL_TOOLS_FRAMES_H

#include "tools/tool.h"
#include "util/frames.h"

struct tool_frames_options {
    const char *folder, *video; /* NULL: none */
    uint64_t every;             /* 0: 1 */
    struct tool_range of;       /* zeroed: all */
    bool replace;
};
extern const struct tool_option tool_frames_rows[]; /* of them */

/* An encoder's process, which takes Y4M from a pipe (video.c). `stream` is -1 where there is none. */
struct tool_encoder {
    const char *name, *path;
    int stream, status; /* ours to write to; from which its exit status is read when it has ended */
};
/* Whether the file's format is written without an encoder. */
bool tool_video_is_plain(const char *path);
/* Before the sandbox, while there is one thread. TOOL_OK, or an exit status after a message: no encoder is
 * installed, or it makes nothing of such an ending, which is tried. */
int tool_encoder_start(const char *name, const char *path, struct tool_encoder *out);
/* Closes the stream and waits for the end: TOOL_OK, or TOOL_HOST after a message. The sandbox is left, for its broker
 * has the stream, too. */
int tool_encoder_finish(struct tool_encoder *encoder);

struct tool_frames {
    const char *name;
    const struct tool_frames_options *options;
    struct util_frames *frames; /* NULL: nothing is to be written */
    struct tool_encoder encoder;
    int file; /* the video's, when it is plain */
};

/* What can be known before anything is done, in this order. Each: TOOL_OK, or an exit status after a message.
 *  check: the folder is made, and has no pictures (they are removed with --replace); an encoder is there.
 *  grant: what the sandbox is told.
 *  start: the encoder's process, before the sandbox is entered.
 *  open: files and threads, behind it.
 *  close: waits until all is written; whatever of these was done before. `frames` is zeroed before start. */
int tool_frames_check(const char *name, const struct tool_frames_options *options);
void tool_frames_grant(const struct tool_frames_options *options, struct tool_sandbox *sandbox);
int tool_frames_start(const char *name, const struct tool_frames_options *options,
                      struct tool_frames *frames);
int tool_frames_open(struct tool_frames *frames);
int tool_frames_close(struct tool_frames *frames);
/* Behind the sandbox's end: the encoder's. */
int tool_frames_finish(struct tool_frames *frames);

#endif
