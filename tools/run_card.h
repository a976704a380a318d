/* The card of a run, and the server of its clients, as the process has them that serves: of `vitrail run` one that is
 * forked for it, of `vitrail serve` one that stood ready. */
#ifndef VITRAIL_TOOLS_RUN_CARD_H
#define VITRAIL_TOOLS_RUN_CARD_H

#include "drm/server/server.h"
#include "gpu/capture.h"
#include "tools/run.h"

struct run_card { /* zeroed before it is opened, but for memory.fd, which is -1 */
    struct gpu_memory memory;
    struct util_pool *pool;
    struct jit_engine *engine;
    struct gpu_device gpu;
    struct capture_writer *capture;
    struct tool_frames frames;
    struct drm *drm;
    struct drm_input *input;
    struct drm_server *server;
};

/* Before the sandbox: descriptors, as many as a card may need, and what signals do. */
void run_card_prepare(void);
/* Everything but the server. What was opened stays for run_card_close when it fails: TOOL_OK, or an exit status after a
 * message. */
int run_card_open(struct run *run, struct run_card *card);
/* From now on clients come in by `listener`, which is borrowed, and the run's script is played. As above. */
int run_card_serve(struct run *run, struct run_card *card, int listener);
/* Until the run is over: `control`, a stream of words (enum run_word), is closed at its other end, or anything happens at
 * `other` (-1: there is none), which ends it at once. Whether the program came to its end. From now on the process ends in
 * RUN_FINISH_MS, whatever it is at. */
bool run_card_wait(const struct run *run, const struct run_card *card, int control, int other);
/* *use: what the programs have made of it. TOOL_OK, or the run's exit status after a message. */
int run_card_close(struct run *run, struct run_card *card, struct drm_use *use);

#endif
