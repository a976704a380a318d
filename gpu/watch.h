/* Watching fragments: what the reference path of any family tells of the blocks of 4x4 pixels that it shades
 * for who looks on (gpu/observe.h). Of a block, lanes may be followed: each fills a struct gpu_lane with what
 * its program did, instruction by instruction, and with what the stages around it did to its samples. */
#ifndef VITRAIL_GPU_WATCH_H
#define VITRAIL_GPU_WATCH_H

#include "isa/sets.h"
#include "raster/blend.h"
#include "raster/prim.h"
#include "raster/texture/texture.h"
#include "raster/tile.h"
#include "raster/zs.h"

/* What an instruction reads or writes: a word, or up to four components of a vector. */
struct gpu_value {
    char name[20]; /* as the disassembly has it: "ra3", "unif", "tlb_z"; "r2.xy", "uni" */
    uint32_t value[4];
    uint8_t count; /* of `value` */
    bool number;   /* floats, nothing else */
    bool known;    /* false: only the interpreter saw it */
    bool withheld; /* a write whose condition does not hold in this lane */
};

#define GPU_VALUES 8

/* An instruction that was executed. */
struct gpu_step {
    uint32_t pc; /* word of the program */
    uint8_t reads, writes;
    bool flags; /* it set the flags below */
    bool n, z, c;
    struct gpu_value read[GPU_VALUES], write[GPU_VALUES];
};

/* A texture request. */
struct gpu_lookup {
    char unit[12]; /* "tmu0", "sampler 0" */
    uint32_t pc;
    bool raw;                               /* a word at `address`, nothing else */
    uint32_t address;                       /* of level 0 (cubes: of face 0) */
    uint32_t width, height, levels, format; /* enum raster_format */
    uint32_t depth;                         /* of images of three dimensions, 0: of two */
    bool cube, has_t, has_r, has_b;
    bool level_given; /* b is the level itself, not a bias */
    float s, t, r, b;
    struct raster_lookup where;
    bool numbers;      /* what the program gets no word holds: */
    uint32_t color[4]; /* floats */
    uint32_t result;   /* else the word, 8888 or of the format's own */
};

/* One depth (and stencil) test, sample by sample. */
struct gpu_test {
    enum { GPU_TEST_IN_PROGRAM, GPU_TEST_BEFORE, GPU_TEST_AFTER } when;
    uint32_t pc;    /* IN_PROGRAM */
    uint32_t depth; /* the fragment's, 24 bits */
    struct raster_zs rule;
    uint8_t samples; /* those tested, a bit each */
    uint8_t passed;
    uint32_t before[RASTER_MAX_SAMPLES], after[RASTER_MAX_SAMPLES]; /* depth << 8 | stencil */
};

/* A component of the varyings: vary * w + c is its value. */
struct gpu_varying {
    uint32_t n;
    uint32_t place;   /* among the primitive's varyings; UINT32_MAX: nowhere, it is 0 */
    char name[8];     /* as the disassembly has it */
    uint32_t vary, c; /* floats */
};

/* A colour that the program gave, on its way to the tile. */
struct gpu_output {
    bool given;      /* false: the program itself writes to the tile, or the lane did not come so far */
    uint64_t source; /* an 8888 word, as the two below; of an RGBA16F tile four halves, red lowest */
    uint32_t second; /* the other colour that factors may name */
    uint32_t constant;
    struct raster_blend blend;
    bool alpha_tested, alpha_passed;
    uint8_t alpha_func, alpha_ref, alpha; /* the test's, of 255 */
};

/* One lane of a block, followed. The lists are the owner's: gpu_lane_finish. */
struct gpu_lane {
    uint8_t number;     /* asked for: the lane in its block */
    uint32_t keep;      /* asked for: instructions to keep at most, 0: none */
    uint32_t w, z;      /* what it begins with: w (a float), depth of 24 bits */
    uint64_t executed;  /* instructions; more than trace.count where not all are kept */
    uint8_t written;    /* samples whose colour was written */
    bool discarded;     /* the program took it out, or wrote nothing */
    bool masked;        /* no covered sample is in the state's sample mask */
    uint32_t fault;     /* of the program, a number of the family's; 0: none */
    bool out_of_memory; /* something is missing in the lists */
    struct gpu_output output;
    struct {
        struct gpu_varying *at;
        uint32_t count, room;
    } varyings;
    struct {
        struct gpu_lookup *at;
        uint32_t count, room;
    } lookups;
    struct {
        struct gpu_test *at;
        uint32_t count, room;
    } tests;
    struct {
        struct gpu_step *at;
        uint32_t count, room;
    } trace;
};

void gpu_lane_finish(struct gpu_lane *lane);

/* A block about to be shaded. Arrays of 16 are by lane. */
struct gpu_watched_block {
    const struct raster_block *block;
    const struct raster_tile *tile;
    bool counts; /* false: compiled code rejects the block by an early depth test and does not run it */
};

/* Lanes to be followed, the same one more than once if need be. */
struct gpu_lanes {
    struct gpu_lane *at;
    uint32_t count;
};

struct gpu_watch {
    void *data;
    /* Returns whether to tell of the block, and which lanes to follow (none unless it says so); they belong
     * to it, and stay where they are until `end`. The others below are called only then, and may be NULL. */
    bool (*begin)(void *data, const struct gpu_watched_block *block, struct gpu_lanes *lanes);
    /* An instruction is about to be executed, in some lanes. */
    void (*step)(void *data, uint32_t pc);
    /* The block is done: instructions executed, lanes filled. */
    void (*end)(void *data, uint64_t executed);
};

#endif
