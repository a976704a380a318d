/* Looking on while a device works, of whatever family: what a debugger or a profiler is told of draws, tiles,
 * primitives and fragments. An observer is given with the device's options; without one nothing is paid but a
 * test of a pointer where a primitive begins. Observing changes neither pictures nor the order of anything.
 *
 * Threading: what is said of binning, of vertices and of the jobs of a batch comes from the thread that
 * writes the registers. What happens in a tile comes from the worker that draws it: callbacks that take a
 * `job` are called by one thread at a time for that job, but different jobs' at once. All pointers in what is
 * told live during the call only, unless it says otherwise. Functions may be NULL. */
#ifndef VITRAIL_GPU_OBSERVE_H
#define VITRAIL_GPU_OBSERVE_H

#include "gpu/watch.h"
#include "raster/surface.h"

/* A program. Its places ("pc") count words of its instruction set. */
struct gpu_observed_program {
    const struct isa_set *set;
    const uint8_t *words; /* the first; the others stand `stride` bytes apart */
    uint32_t stride, word_count;
    uint32_t insn_count; /* each of one word or more */
    uint64_t hash;       /* of its content */
    uint32_t address;    /* the GPU's */
    bool branches;       /* its instructions need not be executed once each */
};

/* Its words one behind the other, malloc'ed; NULL when memory is out. */
uint8_t *gpu_observed_words(const struct gpu_observed_program *program);

/* ---- binning ---- */

enum gpu_primitive { GPU_POINTS, GPU_LINES, GPU_TRIANGLES, GPU_RECTANGLES /* of three corners */ };

/* A draw of a binning list. */
struct gpu_observed_bin {
    uint32_t address; /* of its record or command */
    const char *mode; /* "triangle strip", ...; static */
    bool indexed;     /* */
    uint64_t length;  /* vertices in the list; 0: not told by the record */
    uint32_t state;   /* address of the state that it draws with; 0: none */
    uint32_t shading; /* number in the job of the vertices' shading, from 1; 0: they are shaded with it */
    uint32_t varying_shading; /* of their varyings', where a program of its own has these; 0: there is none */
};

/* Of the binner since the device was made. */
struct gpu_observed_binning {
    uint64_t vertices, primitives_in, primitives_binned, instructions;
};

/* Vertices shaded by themselves, before the draws that use them. */
struct gpu_observed_shading {
    uint32_t number; /* in the job, from 1 */
    const struct gpu_observed_program *program;
    uint64_t vertices, instructions;
};

/* ---- jobs ---- */

enum gpu_observed_kind {
    GPU_OBSERVED_JOB,       /* a job begins: its buffer holds the clear values, unless it `continues` */
    GPU_OBSERVED_TILE,      /* the buffer now stands at x, y */
    GPU_OBSERVED_CLEAR,     /* of the halves named */
    GPU_OBSERVED_LOAD,      /* of one half, from an image */
    GPU_OBSERVED_STORE,     /* of one half, to an image */
    GPU_OBSERVED_RAW_LOAD,  /* the same of all samples as they stand */
    GPU_OBSERVED_RAW_STORE, /* */
    GPU_OBSERVED_DRAW,      /* primitive lists */
};

/* One operation of a job, before the batch is drawn. A job is what one worker does on its tile buffer; it is
 * known by its batch and its number therein, the same at every number of threads. Images are where they stand
 * in the guest's memory, whatever the GPU's address. */
struct gpu_observed_op {
    uint32_t batch, job, number; /* operations count from 1; 0 is the job's beginning */
    enum gpu_observed_kind kind;
    const char *what; /* what orders it: "record", "write-back unit 0"; static */
    uint32_t address; /* of that, or 0 */
    bool color, zs;   /* the halves of the tile buffer concerned */
    bool continues;   /* JOB: the buffer is the last job's of the batch before */
    int32_t x, y;     /* TILE: window position, pixels */
    uint32_t size;
    bool part;              /* TILE: another part of the job's tile, of which the first was at the top left */
    uint32_t width, height; /* TILE: of the frame */
    uint64_t
        clear_color;   /* JOB, CLEAR: a word, or four halves of an RGBA16F tile; of others the tile tells */
    uint32_t clear_zs; /* likewise */
    uint8_t target;    /* STORE: the target, of tiles that have several */
    struct raster_surface surface; /* LOAD, STORE; its `base` means nothing */
    struct raster_resolve resolve; /* STORE */
    uint64_t image;                /* LOAD, STORE, RAW: guest address */
    uint32_t pixel_bytes;          /* LOAD, STORE; 0: no pixel's place in memory is known */
    bool averaged;                 /* STORE: of the samples there are, or of more pixels */
    bool red_low;                  /* STORE: red is the low byte of the tile's words, whatever the image's */
};

/* ---- tiles ---- */

/* Primitives of one state follow, in a tile. */
struct gpu_observed_list {
    uint32_t number;         /* in the tile's job, from 1 */
    const char *what;        /* what stands at `address`: "tile list", "render state"; static */
    uint32_t address;        /* */
    uint8_t samples;         /* of the tile */
    bool centre_only;        /* coverage is taken at pixel centres, of all samples alike */
    bool compiled;           /* its fragment program runs as host code */
    struct raster_rect clip; /* pixels that may be drawn */
    const struct gpu_observed_program *program; /* NULL when there is none */
    /* Blend shaders, by target; NULL where a target has none, or all have. */
    const struct gpu_observed_program *const *blend;
    /* Where a GPU address stands in the guest's memory, while the job lasts; false: nowhere. NULL: there. */
    bool (*guest_address)(const void *space, uint32_t address, uint32_t *out);
    const void *space;
};

/* What a worker has done so far; only differences mean something. */
struct gpu_observed_work {
    uint64_t primitives, blocks, instructions; /* of fragment programs */
    uint64_t vertex_ns;                        /* time spent on shading vertices */
};

/* A primitive, set up. */
struct gpu_observed_primitive {
    enum gpu_primitive kind;
    uint32_t code;   /* address of its coding in a tile's list, as `binned` tells it; 0 when it has none */
    uint64_t number; /* in the list, from 0 */
    uint32_t vertices;
    const uint32_t *index;
    const struct raster_vertex *vertex; /* window coordinates; clipped ones where the clipper put them */
    uint32_t prepended; /* varyings of the primitive that are not the vertices': before them */
    float point_size;
    const struct raster_setup *setup;
    const struct raster_prim *prim;    /* NULL: culled, without area or out of range */
    const struct raster_block *blocks; /* what it covers of the tile; of raster_samples_block_at */
    uint32_t block_count;
};

struct gpu_observer {
    void *data;
    /* Vertices are shaded by themselves: begins, and is done (then the counts are known). */
    void (*shade)(void *data, const struct gpu_observed_shading *shading, bool done);
    /* Binning: a draw begins (`counts` as they are then), and is done. */
    void (*bin)(void *data, const struct gpu_observed_bin *draw, const struct gpu_observed_binning *counts);
    void (*bin_end)(void *data, const struct gpu_observed_program *coordinates /* NULL: none, or not read */,
                    const struct gpu_observed_binning *counts);
    /* Primitive number `primitive` of the draw goes into a tile list, coded at `code`. */
    void (*binned)(void *data, uint32_t code, uint64_t primitive);
    /* A triangle that the binner leaves out for its facing; window coordinates, 1/16 pixel. */
    void (*culled)(void *data, uint64_t primitive, const int32_t x[3], const int32_t y[3]);
    /* Each operation of each job of a batch. */
    void (*planned)(void *data, const struct gpu_observed_op *op);
    /* A job begins on a worker (its number in the pool). Returns what the callbacks below are given; NULL:
     * they are not called. */
    void *(*job)(void *data, unsigned worker, uint32_t batch, uint32_t job);
    void (*job_end)(void *job, const struct gpu_observed_work *work);
    /* Operation `number` begins, and is done. */
    void (*op)(void *job, uint32_t number, enum gpu_observed_kind kind, bool done,
               const struct raster_tile *tile, const struct gpu_observed_work *work);
    void (*list)(void *job, const struct gpu_observed_list *list);
    /* A primitive begins: its coding's address (0: none) and its number in the list. */
    void (*primitive)(void *job, uint32_t code, uint64_t number, const struct gpu_observed_work *work);
    /* Its vertices are shaded, it is set up. What is returned is told of its fragments, which are then
     * interpreted; NULL: nothing is. */
    const struct gpu_watch *(*covered)(void *job, const struct gpu_observed_primitive *primitive,
                                       const struct raster_tile *tile);
    /* A fault ended the drawing of these pixels of the window, whose stores were planned: none is done. Called
     * for one after the other. */
    void (*stopped)(void *data, uint32_t batch, const struct raster_rect *pixels);
    /* A batch is drawn: what its draws took of a vertex program. */
    void (*vertices)(void *data, const struct gpu_observed_program *program, uint64_t vertices,
                     uint64_t instructions);
    bool fragments; /* `covered` may return something */
};

#endif
