/* Watching fragments: what the reference path of any family tells of the blocks of 4x4 pixels that it shades
 * for who looks on (gpu/observe.h). Of a block, lanes may be followed: each fills a struct gpu_lane with what
 * its program did, instruction by instruction, and with what the stages around it did to its samples. */
#ifndef VITRAIL_GPU_WATCH_H
#define VITRAIL_GPU_WATCH_H

#include "isa/sets.h"
#include "raster/blend.h"
#include "raster/prim.h"
#include "raster/targets.h"
#include "raster/texture/sampler.h"
#include "raster/texture/texture.h"

/* A colour: in a tile, or on its way there. */
struct gpu_color {
    uint32_t format;  /* enum raster_format */
    uint32_t word[4]; /* a pixel of it, what is above it zero */
};
/* Depth, of 24 bits or as its kind has it, and stencil. */
struct gpu_zs {
    uint32_t depth;
    uint8_t stencil;
};
/* What a tile has of a sample of its pixel (x, y). Of tiles without targets (raster/targets.h) the one colour is
 * target 0, of R8G8B8A8_UNORM or of R16G16B16A16_FLOAT. */
struct gpu_color gpu_tile_color(const struct raster_tile *tile, uint32_t target, uint32_t x, uint32_t y,
                                uint32_t sample);
struct gpu_zs gpu_tile_zs(const struct raster_tile *tile, uint32_t x, uint32_t y, uint32_t sample);
/* enum raster_depth_kind. */
uint8_t gpu_tile_depth_kind(const struct raster_tile *tile);

/* What an instruction reads or writes: a word, or up to four components of a vector. */
struct gpu_value {
    char name[20]; /* as the disassembly has it: "ra3", "unif", "tlb_z"; "r2.xy", "uni" */
    uint32_t value[4];
    uint8_t count; /* of `value` */
    bool number;   /* floats, nothing else; several that are not may be anything */
    bool known;    /* false: only the interpreter saw it */
    bool withheld; /* a write whose condition does not hold in this lane */
};

#define GPU_VALUES 8

/* An instruction that was executed. */
struct gpu_step {
    uint32_t pc;  /* word of the program */
    uint8_t part; /* which instruction of the word, as the set's `part` has it; of a set without it 0 */
    bool enters;  /* the first of its word that is executed this time */
    bool blends;  /* of the blend shader */
    uint8_t reads, writes;
    bool flags; /* it set the flags below */
    bool n, z, c;
    struct gpu_value read[GPU_VALUES], write[GPU_VALUES];
};

/* A texture request. */
struct gpu_lookup {
    char unit[28]; /* "tmu0", "texture 0"; "texture 2:0": of a table */
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
    bool integers;     /* then: of integers */
    uint32_t color[4]; /* floats, or integers */
    uint32_t result;   /* else the word, 8888 or of the format's own */
};

/* What a texture request reads: the one pair or the other; NULL, NULL: raw. Lives while it is told. */
struct gpu_texels {
    const struct raster_texture_key *key;
    const struct raster_texture *texture;
    const struct raster_sampler_key *sampler_key;
    const struct raster_image *image;
};

/* One depth (and stencil) test, sample by sample. */
struct gpu_test {
    enum { GPU_TEST_IN_PROGRAM, GPU_TEST_BEFORE, GPU_TEST_AFTER } when;
    uint32_t pc;    /* IN_PROGRAM */
    uint8_t kind;   /* of all depths here: enum raster_depth_kind */
    uint32_t depth; /* the fragment's */
    struct raster_zs rule;
    uint16_t samples; /* those tested, a bit each */
    uint16_t passed;
    struct gpu_zs before[RASTER_TARGET_SAMPLES], after[RASTER_TARGET_SAMPLES];
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
    bool given; /* false: the program itself writes to the tile, or the lane did not come so far */
    struct gpu_color source;
    struct gpu_color second; /* the other colour that factors may name */
    struct gpu_color constant;
    bool shader; /* a blend shader blends, not `blend` */
    struct raster_blend blend;
    bool alpha_tested, alpha_passed;
    uint8_t alpha_func;
    float alpha_ref, alpha; /* the test's, 0 to 1 */
    bool alpha_to_coverage;
    uint16_t alpha_left; /* then: samples of the sample mask that alpha leaves */
};

/* One lane of a block, followed. The lists are the owner's: gpu_lane_finish. */
struct gpu_lane {
    uint8_t number; /* asked for: the lane in its block */
    uint8_t target; /* asked for: whose colours are told */
    uint32_t keep;  /* asked for: instructions to keep at most, 0: none */
    /* Asked for: each texture request as it is made, in the guest floating-point environment; may be NULL. */
    void (*looks)(void *data, const struct gpu_lookup *lookup, const struct gpu_texels *texels);
    void *data;         /* of `looks` */
    uint32_t w, z;      /* what it begins with: w (a float), depth */
    uint64_t executed;  /* instructions; more than trace.count where not all are kept */
    uint16_t written;   /* samples whose colour was written */
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
    /* An instruction of the draw's program is about to be executed, in some lanes. */
    void (*step)(void *data, uint32_t pc);
    /* The block is done: instructions executed, lanes filled. */
    void (*end)(void *data, uint64_t executed);
};

#endif
