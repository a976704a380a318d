/* What the files of explain share.
 *
 *   explain_run.c    the two plays
 *   explain_log.c    the first: loads and stores, and the pixel's way back through them
 *   explain_watch.c  the second: draws, tile jobs, primitives at the pixel
 *   explain_trace.c  a fragment program's instructions, for one lane
 *   explain_show.c   text; explain_json.c JSON; explain.c the command
 */
#ifndef VITRAIL_TOOLS_EXPLAIN_INTERNAL_H
#define VITRAIL_TOOLS_EXPLAIN_INTERNAL_H

#include "tools/codes.h"
#include "tools/explain.h"

/* ---- explain_log.c ---- */

struct explain_log {
    struct {
        struct vc4_observed_op *at;
        uint32_t count, room;
    } ops; /* in the order in which they were done, job by job */
    struct {
        uint32_t *at;
        uint32_t count, room;
    } marks; /* ops done when picture n + 1 was complete */
    bool out_of_memory;
};

void explain_log_op(struct explain_log *log, const struct vc4_observed_op *op);
void explain_log_finish(struct explain_log *log);
/* Follows the pixel's bytes back from the end of the log: fills `found`, `cut` and `stages`. False when
 * memory is out. */
bool explain_follow(const struct explain_log *log, struct explain_pixel *pixel);
/* Tile pixels a side that make one pixel of the image. */
uint32_t explain_side(enum raster_decimate decimate, uint32_t samples);

/* ---- explain_trace.c ---- */

/* Follows one lane of a block that is shaded. */
struct explain_tracer {
    struct explain_event *event;
    unsigned lane;
    bool keep; /* the instructions, not only what they led to */
    uint64_t executed;
    struct explain_insn now; /* the instruction under way */
    const struct vc4_qpu_insn *insn;
    uint8_t address[EXPLAIN_VALUES]; /* of now.write: a register number, 32 and above as in the Guide */
    bool file_b[EXPLAIN_VALUES];
    uint8_t written; /* samples whose colour was written */
    bool z_written;
    bool out_of_memory;
    /* Writes to T, R and B whose values show when S is written: places in the event's trace. */
    struct {
        uint32_t insn, write;
        bool waits;
    } coordinate[2][4];
};

void explain_trace_insn(struct explain_tracer *tracer, uint32_t pc, const struct vc4_qpu_insn *insn,
                        const struct vc4_qpu_state *state);
void explain_trace_port(struct explain_tracer *tracer, const struct vc4_watched_port *port, unsigned samples);
/* The program is over; fills the event's outcome. */
void explain_trace_end(struct explain_tracer *tracer, const struct vc4_qpu_state *state,
                       const struct vc4_qpu_report *report);

/* ---- explain_watch.c ---- */

/* One stage to be looked at. */
struct explain_watch {
    struct explain_stage *stage;
    struct explain_pixel *pixel;
    uint32_t slot; /* the event of the primitive in hand, or UINT32_MAX */
};

struct explain_culled {
    uint32_t draw;
    uint64_t primitive;
    int32_t x[3], y[3];
};

struct explain_player {
    struct explain_result *result;
    struct explain_log log;
    struct vc4_observer observer;
    uint32_t picture; /* being played, from 1 */
    bool traces, out_of_memory;
    /* Second play. */
    struct {
        struct explain_watch *at;
        uint32_t count, room;
    } watches; /* by batch and job */
    struct codes codes;
    uint32_t draws_in_picture;
    struct {
        struct explain_culled *at;
        uint32_t count, room;
    } culled;      /* since the last rendering */
    bool rendered; /* since the last binning */
};

/* Makes the observer look at the stages of all pixels. */
bool explain_watch_begin(struct explain_player *player);
void explain_watch_finish(struct explain_player *player);

#endif
