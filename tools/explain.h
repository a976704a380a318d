/* Why a pixel has its colour: a capture is played twice. The first time the tiles' loads and stores are
 * logged; at the picture asked for, the pixel's bytes lead back through stores and loads to the tile jobs
 * that made them. The second time those jobs are looked at, the pixel's draws interpreted, and everything
 * that touched it is kept. Both plays give the same bytes.
 *
 * All that a struct explain_pixel points to is its own; explain_finish frees it. */
#ifndef VITRAIL_TOOLS_EXPLAIN_H
#define VITRAIL_TOOLS_EXPLAIN_H

#include <stdio.h>

#include "gpu/observe.h"
#include "gpu/picture.h"
#include "gpu/replay.h"

/* ---- what happened to the pixel ---- */

/* How a primitive's way to the pixel ended. */
enum explain_outcome {
    EXPLAIN_CULLED,         /* for its facing; it would have covered the pixel */
    EXPLAIN_WRITTEN,        /* a colour, to some sample */
    EXPLAIN_DISCARDED,      /* the program wrote nothing for the lane */
    EXPLAIN_STENCIL_FAILED, /* in every covered sample */
    EXPLAIN_DEPTH_FAILED,   /* likewise */
    EXPLAIN_ALPHA_FAILED,   /* */
    EXPLAIN_ALPHA_COVERED,  /* alpha to coverage left no covered sample */
    EXPLAIN_MASKED,         /* no covered sample is in the sample mask */
    EXPLAIN_NO_COLOR,       /* passed the tests, but wrote no colour */
    EXPLAIN_FAULTED,        /* the program stopped with a fault */
};

/* The texel that a lookup begins with was drawn before: where. */
struct explain_origin {
    uint32_t picture; /* during which, from 1; 0: it was not */
    uint32_t x, y;    /* pixel of the image */
    uint32_t width, height;
};

/* A primitive of a draw, at the pixel. */
struct explain_event {
    uint32_t draw;               /* index into explain_result.draws, or UINT32_MAX: not from a binning list */
    uint64_t primitive;          /* number in the draw, from 0 */
    uint32_t list, list_address; /* primitive list in the tile's job, from 1, and its record or state */
    const char *list_what;       /* what that is; NULL: culled before there was one */
    uint32_t code;               /* address of the primitive's coding, 0: none */
    uint32_t vertices, index[3];
    struct raster_vertex vertex[3];     /* its `vary` is NULL: */
    float vary[3][RASTER_MAX_VARYINGS]; /* vary_count of each, of those that the primitive has from */
    uint32_t vary_first, vary_count;    /* vary_first on */
    enum gpu_primitive kind;
    bool reverse;
    enum explain_outcome outcome;
    uint16_t coverage;       /* covered samples, a bit each */
    uint8_t samples;         /* of the tile */
    bool compiled;           /* replay runs its program as host code */
    bool early;              /* replay rejects the block by its depth alone, without the program */
    uint32_t program, blend; /* indices into explain_result.programs, or UINT32_MAX; blend: blend shader */
    struct gpu_color color_before[RASTER_TARGET_SAMPLES], color_after[RASTER_TARGET_SAMPLES];
    struct gpu_zs zs_before[RASTER_TARGET_SAMPLES], zs_after[RASTER_TARGET_SAMPLES];
    struct gpu_lane lane; /* what the program and the stages around it did */
    struct {
        struct explain_origin *at;
        uint32_t count, room;
    } origins; /* one a lookup */
};

/* One tile job on the pixel's way: from what the buffer held at first to the store. */
struct explain_stage {
    uint32_t picture;                 /* during which it was drawn, from 1 */
    uint32_t end;                     /* the operation at which it ends, in the order of the first play */
    uint32_t batch, job, first, last; /* operations watched: (first, last) exclusive of both */
    int32_t x, y;                     /* window pixel */
    uint32_t tile_x, tile_y, tile_size;
    uint32_t local_x, local_y; /* in the tile buffer */
    enum { EXPLAIN_CLEARED, EXPLAIN_LOADED, EXPLAIN_CONTINUED } start;
    uint8_t target;               /* the tile's, whose colours these are */
    struct gpu_color clear_color; /* CLEARED */
    uint64_t load_address; /* LOADED: of the image; `traced` says that its stores are the stage before */
    bool traced;
    bool stored;                  /* ends in a store to an image; else the next stage goes on */
    bool stopped;                 /* that store was never done: a fault ended the tile's drawing */
    struct gpu_observed_op store; /* then */
    uint32_t samples;
    struct gpu_color color_first[RASTER_TARGET_SAMPLES]; /* the samples as the stage found them */
    struct gpu_color color_last[RASTER_TARGET_SAMPLES];  /* and as it left them */
    bool seen;                                           /* the second play met it */
    struct {
        struct explain_event *at;
        uint32_t count, room;
    } events;
};

#define EXPLAIN_STAGES 64u /* followed back at most */

struct explain_pixel {
    uint32_t picture, x, y; /* asked for: picture from 1, pixel from the top left */
    bool has_target; /* asked for: of that colour target of the picture's rendering, not of the picture */
    uint32_t target;
    struct capture_frame frame; /* the picture, or the target's image */
    uint64_t address;           /* of the pixel in guest memory */
    uint32_t bytes;             /* 1 to 16 */
    bool found;                 /* some store wrote it, or would have: the last stage says so */
    bool cut;                   /* more than EXPLAIN_STAGES */
    bool lost;                  /* what the first stage begins with was not stored by any that was played */

    uint8_t rgba[4]; /* in the picture */
    uint8_t made[4]; /* what the last stage's samples give, unless it stopped */
    bool agrees;     /* these two */
    struct {
        struct explain_stage *at; /* oldest first */
        uint32_t count, room;
    } stages;
};

/* A draw that was binned. */
struct explain_draw {
    uint32_t picture, number; /* picture and draw, from 1 */
    struct gpu_observed_bin bin;
};

/* A fragment program that was met. */
struct explain_program {
    uint64_t hash;
    uint32_t address, insn_count, word_count;
    const struct isa_set *set;
    uint8_t *words; /* owned */
};

#define EXPLAIN_FAULTS 16u

struct explain_result {
    struct explain_pixel *pixels;
    uint32_t pixel_count;
    struct {
        struct explain_draw *at;
        uint32_t count, room;
    } draws;
    struct {
        struct explain_program *at;
        uint32_t count, room;
    } programs;
    uint32_t before;                         /* pictures that were not played */
    struct gpu_fault faults[EXPLAIN_FAULTS]; /* the guest's, the first ones */
    unsigned fault_count;
};

/* Fills result->pixels, of which picture, x and y are given, by playing `capture` from the last restart point from which
 * the pixels' ways can be followed; with `whole` from its beginning, as textures that were drawn may be older. With
 * `traces` the programs' instructions are kept, at most EXPLAIN_TRACE a primitive.
 * `progress` (may be NULL) hears of the bytes of the file played. 0; -ERANGE with the message when a picture,
 * a pixel or a target does not exist; another negative errno with a message. Call explain_finish in either case. */
#define EXPLAIN_TRACE 65536u
int explain_run(const char *capture, const struct gpu_options *options, bool all, bool whole, bool traces,
                struct explain_result *result, void (*progress)(void *data, uint64_t position, uint64_t size),
                void *progress_data, struct util_error *error);
void explain_finish(struct explain_result *result);

/* ---- showing it ---- */

struct explain_show {
    int sample;    /* only this sample, or -1 */
    uint32_t draw; /* only this draw of the picture, or 0 */
    bool trace;
};
void explain_print(FILE *out, const struct explain_result *result, const struct explain_pixel *pixel,
                   const struct explain_show *show);
/* 0, or -ENOMEM: it is not whole. */
int explain_print_json(FILE *out, const char *capture, const struct explain_result *result,
                       const struct explain_pixel *pixel, const struct explain_show *show);
/* The event that gave the pixel its last colour; NULL: none did, and *cleared says whether a clear was the last. */
const struct explain_event *explain_last_write(const struct explain_pixel *pixel, bool *cleared);
/* "triangle" and the like. */
const char *explain_primitive_name(enum gpu_primitive kind);
/* A fault ended the drawing of its last stage: nothing was stored. */
bool explain_stopped(const struct explain_pixel *pixel);
const char *explain_outcome_name(enum explain_outcome outcome);
const char *explain_format_name(uint32_t format); /* enum raster_format */
/* What stands before the instructions of the step's word; false: nothing does, it is one instruction. */
bool explain_word_text(const struct explain_result *result, const struct explain_event *event,
                       const struct gpu_step *step, char text[ISA_LINE_MAX]);
/* The step's instruction, of the event's program or blend shader. */
void explain_insn_text(const struct explain_result *result, const struct explain_event *event,
                       const struct gpu_step *step, char text[ISA_LINE_MAX]);

#endif
