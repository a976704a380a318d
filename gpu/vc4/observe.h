/* Looking on while a device works: what a debugger or a profiler is told of draws, tiles, primitives and
 * fragments. An observer is given with the device's options; without one nothing is paid but a test of a
 * pointer where a primitive begins. Observing changes neither pictures nor the order of anything.
 *
 * Threading: what is said of binning and of the jobs of a batch comes from the thread that writes the
 * registers. What happens in a tile comes from the worker that draws it: callbacks that take a `job` are
 * called by one thread at a time for that job, but different jobs' at once. All pointers in what is told live
 * during the call only. Functions may be NULL. */
#ifndef VITRAIL_GPU_VC4_OBSERVE_H
#define VITRAIL_GPU_VC4_OBSERVE_H

#include "gpu/vc4/frag_watch.h"
#include "raster/surface.h"

struct vc4_shader_state;

/* ---- binning ---- */

/* A primitive list record (32, 33, 41 or 42) of a binning list. */
struct vc4_observed_bin {
    uint32_t address; /* of the record */
    uint8_t record;   /* its id */
    uint8_t mode;     /* primitive mode, OpenGL's numbers */
    uint64_t length;  /* vertices in the list; 41: primitives, 42: 0 */
    uint32_t shader;  /* address of the shader record */
};

/* Of the binner since the device was made. */
struct vc4_observed_binning {
    uint64_t vertices, primitives_in, primitives_binned, instructions;
};

/* ---- jobs ---- */

enum vc4_observed_kind {
    VC4_OBSERVED_JOB,       /* a job begins: its buffer holds the clear values, unless it `continues` */
    VC4_OBSERVED_TILE,      /* the buffer now stands at x, y */
    VC4_OBSERVED_CLEAR,     /* of the halves named */
    VC4_OBSERVED_LOAD,      /* of one half, from an image */
    VC4_OBSERVED_STORE,     /* of one half, to an image */
    VC4_OBSERVED_RAW_LOAD,  /* the same of all samples as they stand (records 26 and 27) */
    VC4_OBSERVED_RAW_STORE, /* */
    VC4_OBSERVED_DRAW,      /* a sub-list or a primitive list of the rendering list */
};

/* One operation of a job, before the batch is drawn. A job is what one worker does on its tile buffer; it is
 * known by its batch and its number therein, the same at every number of threads. */
struct vc4_observed_op {
    uint32_t batch, job, number; /* operations count from 1; 0 is the job's beginning */
    enum vc4_observed_kind kind;
    uint32_t address; /* of the record, or of the sub-list */
    bool color, zs;   /* the halves of the tile buffer concerned */
    bool continues;   /* JOB: the buffer is the last job's of the batch before */
    int32_t x, y;     /* TILE: window position, pixels */
    uint32_t size, samples;
    uint32_t width, height;         /* TILE: of the frame */
    uint32_t clear_color, clear_zs; /* JOB, CLEAR */
    struct raster_surface surface;  /* LOAD, STORE */
    uint32_t image;                 /* LOAD, STORE, RAW: guest address */
    enum raster_decimate decimate;  /* STORE */
};

/* ---- tiles ---- */

/* A primitive list begins in a tile. */
struct vc4_observed_list {
    uint32_t number;                      /* in the tile's job, from 1 */
    uint32_t address;                     /* of its record (32, 33, 48, 49, ...) */
    uint8_t primitive;                    /* 0 points, 1 lines, 2 triangles */
    uint8_t samples;                      /* of the tile */
    bool centre_only;                     /* coverage is taken at pixel centres, of all samples alike */
    bool compiled;                        /* its fragment program runs as host code */
    uint8_t depth_func;                   /* enum raster_func */
    bool depth_write;                     /* */
    struct raster_rect clip;              /* pixels that may be drawn */
    const struct vc4_shader_state *state; /* NULL when there is none */
};

/* What a worker has done so far; only differences mean something. */
struct vc4_observed_work {
    uint64_t primitives, blocks, instructions; /* of fragment programs */
    uint64_t vertex_ns;                        /* time spent on shading vertices */
};

/* A primitive, set up. */
struct vc4_observed_primitive {
    uint32_t code;   /* address of its coding in a tile's list, as `binned` tells it; 0 when it has none */
    uint64_t number; /* in the list, from 0 */
    uint32_t vertices;
    const uint32_t *index;
    const struct raster_vertex *vertex; /* window coordinates; clipped ones where the clipper put them */
    float point_size;
    const struct raster_setup *setup;
    const struct raster_prim *prim;    /* NULL: culled, without area or out of range */
    const struct raster_block *blocks; /* what it covers of the tile */
    uint32_t block_count;
};

struct vc4_observer {
    void *data;
    /* Binning: a draw begins (`counts` as they are then), and is done. */
    void (*bin)(void *data, const struct vc4_observed_bin *draw, const struct vc4_observed_binning *counts);
    void (*bin_end)(void *data, const struct vc4_shader_state *state /* NULL: not read, or no program */,
                    const struct vc4_observed_binning *counts);
    /* Primitive number `primitive` of the draw goes into the list of `tile` (counted row by row), coded at
     * `code`. */
    void (*binned)(void *data, uint32_t code, uint64_t primitive, uint32_t tile);
    /* A triangle that the binner leaves out for its facing; window coordinates, 1/16 pixel. */
    void (*culled)(void *data, uint64_t primitive, const int32_t x[3], const int32_t y[3]);
    /* Each operation of each job of a batch. */
    void (*planned)(void *data, const struct vc4_observed_op *op);
    /* A job begins on a worker (its number in the pool). Returns what the callbacks below are given; NULL:
     * they are not called. */
    void *(*job)(void *data, unsigned worker, uint32_t batch, uint32_t job);
    void (*job_end)(void *job, const struct vc4_observed_work *work);
    /* Operation `number` begins, and is done. */
    void (*op)(void *job, uint32_t number, enum vc4_observed_kind kind, bool done,
               const struct raster_tile *tile, const struct vc4_observed_work *work);
    void (*list)(void *job, const struct vc4_observed_list *list);
    /* A primitive begins: its coding's address (0: none) and its number in the list. */
    void (*primitive)(void *job, uint32_t code, uint64_t number, const struct vc4_observed_work *work);
    /* Its vertices are shaded, it is set up. What is returned is told of its fragments, which are then
     * interpreted; NULL: nothing is. */
    const struct vc4_frag_watch *(*covered)(void *job, const struct vc4_observed_primitive *primitive,
                                            const struct raster_tile *tile);
    /* A batch is drawn: what its draws with this shader record took of vertex programs. */
    void (*vertices)(void *data, const struct vc4_shader_state *state, uint64_t vertices,
                     uint64_t instructions);
    bool fragments; /* `covered` may return something */
};

#endif
