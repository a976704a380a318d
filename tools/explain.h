/* Why a pixel has its colour: a capture is played twice. The first time the tiles' loads and stores are
 * logged; at the picture asked for, the pixel's bytes lead back through stores and loads to the tile jobs
 * that made them. The second time those jobs are looked at, the pixel's draws interpreted, and everything
 * that touched it is kept. Both plays give the same bytes.
 *
 * All that a struct explain_pixel points to is its own; explain_pixels_finish frees it. */
#ifndef VITRAIL_TOOLS_EXPLAIN_H
#define VITRAIL_TOOLS_EXPLAIN_H

#include <stdio.h>

#include "gpu/picture.h"
#include "gpu/replay.h"
#include "gpu/vc4/observe.h"

/* An array that grows: room doubles; false when memory is out. */
bool explain_grow(void **array, uint32_t *room, uint32_t count, size_t element);
#define EXPLAIN_ADD(list, item)                                                                              \
    (explain_grow((void **)&(list).at, &(list).room, (list).count, sizeof *(list).at)                        \
         ? ((list).at[(list).count++] = (item), true)                                                        \
         : false)

/* ---- what happened to the pixel ---- */

/* A value that an instruction reads or writes, for the pixel's lane. */
struct explain_value {
    char name[20]; /* as the disassembly has it: "ra3", "r0", "unif", "tlb_z" */
    uint32_t value;
    bool known;    /* false: only the interpreter saw it */
    bool withheld; /* a write whose condition does not hold in this lane */
};

#define EXPLAIN_VALUES 8

struct explain_insn {
    uint32_t pc;
    uint64_t word;
    uint8_t reads, writes;
    bool flags; /* it set the flags below */
    bool n, z, c;
    struct explain_value read[EXPLAIN_VALUES], write[EXPLAIN_VALUES];
};

/* A texture request. */
struct explain_lookup {
    uint32_t pc;
    uint8_t unit;
    bool raw;                               /* a word at `address`, nothing else */
    uint32_t address;                       /* of level 0 (cubes: of face 0) */
    uint32_t width, height, levels, format; /* enum raster_format */
    bool cube, has_t, has_r, has_b;
    float s, t, r, b;
    struct raster_lookup where;
    uint32_t result;
};

/* One depth (and stencil) test, sample by sample. */
struct explain_test {
    uint32_t pc;
    uint32_t depth; /* the fragment's */
    struct raster_zs rule;
    uint8_t samples; /* those tested, a bit each */
    uint8_t passed;
    uint32_t before[RASTER_MAX_SAMPLES], after[RASTER_MAX_SAMPLES]; /* depth << 8 | stencil */
};

struct explain_varying {
    uint32_t n;
    uint32_t vary, c; /* floats: vary * w + c is the value */
};

/* How a primitive's way to the pixel ended. */
enum explain_outcome {
    EXPLAIN_CULLED,         /* for its facing; it would have covered the pixel */
    EXPLAIN_WRITTEN,        /* a colour, to some sample */
    EXPLAIN_DISCARDED,      /* the program wrote nothing for the lane */
    EXPLAIN_STENCIL_FAILED, /* in every covered sample */
    EXPLAIN_DEPTH_FAILED,   /* likewise */
    EXPLAIN_NO_COLOR,       /* passed the tests, but wrote no colour */
    EXPLAIN_FAULTED,        /* the program stopped with a fault */
};

/* A primitive of a draw, at the pixel. */
struct explain_event {
    uint32_t draw;               /* index into explain_result.draws, or UINT32_MAX: not from a binning list */
    uint64_t primitive;          /* number in the draw, from 0 */
    uint32_t list, list_address; /* primitive list in the tile's job, from 1, and its record */
    uint32_t code;               /* address of the primitive's coding, 0: none */
    uint32_t vertices, index[3];
    struct raster_vertex vertex[3]; /* without varyings */
    uint8_t kind;                   /* enum vc4_primitive */
    bool reverse;
    enum explain_outcome outcome;
    uint8_t coverage, samples;    /* covered samples, a bit each; samples of the tile */
    bool compiled;                /* replay runs its program as host code */
    bool early;                   /* replay rejects the block by its depth alone, without the program */
    uint32_t program, insn_count; /* guest address of the fragment program */
    uint32_t w, z;                /* the payload */
    uint32_t color_before[RASTER_MAX_SAMPLES], color_after[RASTER_MAX_SAMPLES];
    uint32_t zs_before[RASTER_MAX_SAMPLES], zs_after[RASTER_MAX_SAMPLES];
    uint8_t written; /* samples whose colour was written */
    enum vc4_qpu_fault fault;
    struct {
        struct explain_varying *at;
        uint32_t count, room;
    } varyings;
    struct {
        struct explain_lookup *at;
        uint32_t count, room;
    } lookups;
    struct {
        struct explain_test *at;
        uint32_t count, room;
    } tests;
    struct {
        struct explain_insn *at;
        uint32_t count, room;
    } trace;
    uint64_t executed; /* instructions; more than trace.count when the trace was cut short */
};

/* One tile job on the pixel's way: from what the buffer held at first to the store. */
struct explain_stage {
    uint32_t picture;                 /* during which it was drawn, from 1 */
    uint32_t batch, job, first, last; /* operations watched: (first, last) exclusive of both */
    int32_t x, y;                     /* window pixel */
    uint32_t tile_x, tile_y, tile_size;
    uint32_t local_x, local_y; /* in the tile buffer */
    enum { EXPLAIN_CLEARED, EXPLAIN_LOADED, EXPLAIN_CONTINUED } start;
    uint32_t clear_color;  /* CLEARED */
    uint32_t load_address; /* LOADED: of the image; `traced` says that its stores are the stage before */
    bool traced;
    bool stored; /* ends in a store to an image; else the next stage goes on */
    uint32_t store_record, image, layout, format;
    enum raster_decimate decimate;
    uint32_t samples;
    uint32_t color_first[RASTER_MAX_SAMPLES]; /* the samples as the stage found them */
    uint32_t color_last[RASTER_MAX_SAMPLES];  /* and as it left them */
    bool seen;                                /* the second play met it */
    struct {
        struct explain_event *at;
        uint32_t count, room;
    } events;
};

#define EXPLAIN_STAGES 64u /* followed back at most */

struct explain_pixel {
    uint32_t picture, x, y; /* asked for: picture from 1, pixel from the top left */
    struct capture_frame frame;
    uint32_t address; /* of the pixel in guest memory */
    uint32_t bytes;   /* 2 or 4 */
    bool found;       /* some store wrote it */
    bool cut;         /* more than EXPLAIN_STAGES */

    uint8_t rgba[4]; /* in the picture */
    uint8_t made[4]; /* what the last stage's samples give */
    bool agrees;
    struct {
        struct explain_stage *at; /* oldest first */
        uint32_t count, room;
    } stages;
};

/* A record 32 or 33 that was executed. */
struct explain_draw {
    uint32_t picture, number; /* picture and draw, from 1 */
    struct vc4_observed_bin bin;
};

#define EXPLAIN_FAULTS 16u

struct explain_result {
    struct explain_pixel *pixels;
    uint32_t pixel_count;
    struct {
        struct explain_draw *at;
        uint32_t count, room;
    } draws;
    uint32_t pictures;                       /* met in the first play */
    struct gpu_fault faults[EXPLAIN_FAULTS]; /* the guest's, the first ones */
    unsigned fault_count;
};

/* Fills result->pixels, of which picture, x and y are given, by playing `capture` (all of it goes back to its
 * beginning first). With `traces` the programs' instructions are kept, at most EXPLAIN_TRACE a primitive.
 * `progress` (may be NULL) hears of the bytes of the file played. 0; -ERANGE with the message when a picture
 * or a pixel does not exist; another negative errno with a message. Call explain_finish in either case. */
#define EXPLAIN_TRACE 65536u
int explain_run(const char *capture, const struct vc4_options *options, bool all, bool traces,
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
void explain_print_json(FILE *out, const char *capture, const struct explain_result *result,
                        const struct explain_pixel *pixel, const struct explain_show *show);
const char *explain_outcome_name(enum explain_outcome outcome);
const char *explain_format_name(uint32_t format); /* enum raster_format */
const char *explain_mode_name(uint32_t mode);     /* primitive mode, OpenGL's number */

#endif
