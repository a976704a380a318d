/* What the files of explain share.
 *
 *   explain_run.c    the two plays
 *   explain_log.c    the first: loads and stores, and the pixel's way back through them
 *   explain_watch.c  the second: draws, tile jobs; explain_events.c: primitives and fragments at the pixel
 *   explain_show.c   text, with explain_steps.c for programs, explain_color.c for colours; explain_json.c JSON; explain.c the command
 */
#ifndef VITRAIL_TOOLS_EXPLAIN_INTERNAL_H
#define VITRAIL_TOOLS_EXPLAIN_INTERNAL_H

#include <pthread.h>

#include "tools/codes.h"
#include "tools/explain.h"
#include "util/list.h"

/* ---- explain_steps.c ---- */

void explain_label(FILE *out, const char *text); /* what begins a line of an event */
void explain_print_value(FILE *out, uint32_t value);
void explain_print_trace(FILE *out, const struct explain_result *result, const struct explain_event *event);

/* ---- explain_show.c ---- */

const char *explain_func_name(uint8_t func); /* enum raster_func */

/* ---- explain_color.c ---- */

/* A colour; of four normalised bytes in the picture's order of channels. */
void explain_print_color(FILE *out, const struct explain_pixel *pixel, const struct gpu_color *color);
/* What became of the program's colour. */
void explain_print_output(FILE *out, const struct explain_pixel *pixel, const struct explain_event *event);

/* ---- explain_log.c ---- */

/* Pixels of the window whose stores a fault left undone. */
struct explain_stopped {
    uint32_t batch;
    struct raster_rect pixels;
};

struct explain_log {
    struct {
        struct gpu_observed_op *at;
        uint32_t count, room;
    } ops; /* in the order in which they were done, job by job */
    struct {
        uint32_t *at;
        uint32_t count, room;
    } marks; /* ops done when picture n + 1 was complete */
    struct {
        struct explain_stopped *at;
        uint32_t count, room;
    } stopped;
    uint32_t before; /* pictures that were not played */
    bool out_of_memory;
};

void explain_log_op(struct explain_log *log, const struct gpu_observed_op *op);
void explain_log_finish(struct explain_log *log);
void explain_log_stopped(struct explain_log *log, uint32_t batch, const struct raster_rect *pixels);
/* The image that the rendering of the pixel's address stored its colour target into, as a frame. 0; -ERANGE
 * with the message: none. */
int explain_find_target(const struct explain_log *log, const struct explain_pixel *pixel, uint32_t target,
                        struct capture_frame *out, struct util_error *error);
/* Follows the pixel's bytes back from the end of the log: fills `found`, `cut` and `stages`. False when
 * memory is out. */
bool explain_follow(const struct explain_log *log, struct explain_pixel *pixel);
/* What stored the pixel of `bytes` at a guest address before the stage's batch; out->picture is 0 when
 * nothing did. */
void explain_find_origin(const struct explain_log *log, const struct explain_stage *stage, uint64_t address,
                         uint32_t bytes, struct explain_origin *out);

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
    pthread_mutex_t lock; /* of result->programs while workers draw */
    struct explain_log log;
    struct gpu_observer observer;
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

/* A tile job on the way of some pixel; only its own worker uses it. */
struct explain_job {
    struct explain_player *player;
    struct explain_watch *watch; /* its part of the player's */
    uint32_t count, op;
    struct gpu_observed_list list;
    uint32_t program;                   /* the list's */
    uint32_t blend[RASTER_TARGETS_MAX]; /* its blend shaders */
    struct gpu_watch fragments;
    struct gpu_lane *lane; /* followed in the block in hand, of these watches' events: */
    struct explain_event **event;
    const struct explain_stage **stage;
    uint32_t lanes;
    unsigned samples;
    const struct raster_tile *tile; /* of the block in hand */
};

/* Makes the observer look at the stages of all pixels. */
bool explain_watch_begin(struct explain_player *player);
void explain_watch_finish(struct explain_player *player);

/* ---- explain_events.c ---- */

/* Samples of the stage's pixel, a bit each, that `prim`, set up without culling, covers. */
uint16_t explain_coverage(const struct raster_prim *prim, const struct explain_stage *stage,
                          uint32_t samples);
/* Appends a copy, and returns it, good until the next one; NULL: out of memory. */
struct explain_event *explain_add_event(struct explain_job *job, const struct explain_watch *watch,
                                        const struct explain_event *event);
/* As gpu/observe.h and gpu/watch.h have them, `data` a job. */
void explain_on_list(void *data, const struct gpu_observed_list *list);
const struct gpu_watch *explain_on_covered(void *data, const struct gpu_observed_primitive *primitive,
                                           const struct raster_tile *tile);
bool explain_begin_fragments(void *data, const struct gpu_watched_block *block, struct gpu_lanes *lanes);
void explain_end_fragments(void *data, uint64_t executed);

#endif
