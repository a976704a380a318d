/* What the files of the renderer share. Not for others.
 *
 *   renderer.c          the rendering list, record by record
 *   renderer_batch.c    jobs built, batches of jobs onto the pool
 *   renderer_surface.c  where tiles are loaded from and stored to, and which jobs must not overlap
 *   renderer_state.c    state records
 *   renderer_draw.c     draws prepared once a batch and shared by the workers
 *   renderer_tile.c     one job: loads, lists, stores on a worker's tile buffer
 *   renderer_buffer.c   that buffer's clears, loads and stores, done when they must be
 *   renderer_prim.c     one primitive list: vertices, set-up, coverage, shading
 *   renderer_triangles.c  triangles of such a list, several at a time
 *   renderer_observe.c  what an observer is told of all that
 *
 * A job is what one worker does on its tile buffer without knowing what the buffer held before: it starts
 * with both halves of the buffer cleared. Jobs of one batch touch different memory, so they may run at once,
 * and a job's picture does not depend on who ran before it on that worker. State that a tile's sub-list
 * leaves behind does not reach the next tile: the Guide (section 8) makes each tile list responsible for its
 * state, and only records of the main list carry over. */
#ifndef VITRAIL_GPU_VC4_RENDERER_INTERNAL_H
#define VITRAIL_GPU_VC4_RENDERER_INTERNAL_H

#include <stdatomic.h>

#include "gpu/vc4/cl.h"
#include "gpu/vc4/device_internal.h"
#include "gpu/vc4/frag.h"
#include "gpu/vc4/observe.h"
#include "gpu/vc4/tile_list.h"
#include "gpu/vc4/vertex.h"
#include "gpu/vc4/vg_list.h"
#include "gpu/watched.h"
#include "raster/draw.h"
#include "raster/surface.h"

#define VC4_RENDERER_UNIT "renderer"
#define VC4_RECORD_BYTES  32u /* at least the longest record */

/* ---- state ---- */

/* The drawing state that records 56, 64 to 67 and 96 to 104 set. Zero-initialised plus vc4_draw_state_init.
 */
struct vc4_draw_state {
    uint32_t shader;   /* guest address of the record; of the code where the record stands in the list */
    uint32_t uniforms; /* VC4_SHADER_VG_INLINE */
    uint8_t attributes, shader_kind; /* enum vc4_shader_kind */
    bool extended, single_threaded, has_shader, has_format;
    uint8_t primitive; /* enum vc4_primitive, from record 56 */
    bool coordinates;  /* lists hold screen coordinates, not indices */
    uint8_t depth_func, oversample /* samples: 1, 4, 16 */, coverage_update;
    bool z_updates, forward, reverse, clockwise, depth_offset;
    bool coverage_pipe, coverage_leave, coverage_mask; /* update coverage; reading leaves it, gives a mask */
    uint32_t flat;
    float point_size, line_width, offset_factor, offset_units;
    float z_min, z_max;                                       /* of what is drawn */
    uint32_t clip_left, clip_bottom, clip_width, clip_height; /* pixels */
    int32_t viewport_x, viewport_y;                           /* 1/16 pixel */
};

/* The format of compressed lists, as tile_list.h has it. */
static inline uint8_t vc4_list_format(const struct vc4_draw_state *state)
{
    return (uint8_t)(state->primitive | (state->coordinates ? VC4_LIST_COORDINATES : 0));
}

void vc4_draw_state_init(struct vc4_draw_state *state);

/* Applies a state record. 1: done; 0: not a state record; -1: *fault (`address` is the record's). */
int vc4_draw_state_apply(struct vc4_draw_state *state, const struct vc4_cl_record *record, uint32_t address,
                         struct gpu_fault *fault);

/* Fetches and decodes the record at `address` and checks that a rendering list may hold it. */
bool vc4_record_fetch(const struct gpu_memory *memory, uint32_t address, struct vc4_cl_record *out,
                      struct gpu_fault *fault);

/* ---- jobs ---- */

enum vc4_op_type {
    VC4_OP_TILE,   /* tile coordinates: where the buffer stands from here */
    VC4_OP_CLEAR,  /* uniform contents */
    VC4_OP_LOAD,   /* colour or depth and stencil from an image */
    VC4_OP_STORE,  /* to an image */
    VC4_OP_RAW,    /* full-resolution load or store, 16 KiB as they stand */
    VC4_OP_LIST,   /* a sub-list */
    VC4_OP_RECORD, /* a primitive list that stands in the main list */
};

enum vc4_buffer { VC4_BUFFER_COLOR, VC4_BUFFER_ZS, VC4_BUFFER_Z, VC4_BUFFER_MASK };

struct vc4_op {
    uint8_t type;
    uint8_t buffer; /* LOAD, STORE: enum vc4_buffer; CLEAR, RAW: parts of the buffer, VC4_HALF_* */
    bool store;
    uint8_t depth;                 /* LIST: sub-lists around the one that calls it */
    struct raster_resolve resolve; /* STORE */
    uint32_t address;              /* of the record, or of the sub-list */
    uint32_t state;                /* LIST, RECORD: index into vc4_batch.states */
    union {
        struct {
            int32_t x, y; /* pixels */
            uint32_t size /* its width */, tall, samples;
            uint32_t width, height; /* of the frame: nothing beyond is drawn */
            bool rgba16f, has_mask; /* 64-bit colours; the VG mask is enabled */
        } tile;
        struct {
            uint64_t color;
            uint32_t zs;
            uint8_t mask;
        } clear;
        struct raster_surface surface;
        struct {
            uint8_t *bytes;
            uint32_t size;
        } raw;
        uint32_t record; /* index into vc4_batch.records */
    };
};

struct vc4_job {
    uint32_t first, count;  /* ops */
    uint64_t color;         /* what the buffer starts with */
    uint32_t zs;            /* */
    uint8_t mask;           /* */
    bool continues, leaves; /* takes the tile buffer over from the batch before, hands it to the next */
    uint64_t budget, fuel;  /* what its lists and programs may take; result: what is left */
    uint32_t returns;       /* result: sub-lists returned from */
    bool faulted;           /* result */
    struct gpu_fault fault;
};

/* Memory that a job reads or writes through the tile buffer. */
struct vc4_extent {
    uint64_t start, end;           /* host-independent: guest addresses */
    struct raster_surface surface; /* base NULL for raw tiles */
    uint32_t job;
    bool write;
};

#define VC4_BATCH_OPS 16384u /* a batch is drawn when it holds that many */

struct vc4_batch {
    struct vc4_op *ops;
    struct vc4_job *jobs;
    struct vc4_draw_state *states;
    struct vc4_cl_record *records;
    struct vc4_extent *extents;
    uint32_t op_count, job_count, state_count, record_count, extent_count;
    uint32_t op_room, job_room, state_room, record_room, extent_room;
    uint32_t generation; /* stamps tile_owner */
};

/* Which job of the batch last used a tile position. */
struct vc4_tile_owner {
    uint32_t generation, job;
};

/* Room for one more element of an array in a batch; false when memory is out. */
bool vc4_array_grow(void **array, uint32_t *room, uint32_t count, size_t element);
#define VC4_GROW(array, room, count) vc4_array_grow((void **)&(array), &(room), (count), sizeof *(array))

/* ---- draws ---- */

struct vc4_draws;

/* A draw ready for the workers: immutable once handed out. */
struct vc4_draw {
    const struct vc4_shader_state *state;
    struct vc4_frag *frag;
    struct gpu_vertex_cache *vertices; /* NULL: they come shaded (state->nv), or as coordinates */
    uint32_t varying_row;              /* the first varying's place in a shaded vertex */
    uint32_t vertex_cost;              /* fuel for each vertex of a primitive */
    bool vertex_loops;                 /* what shading it took beyond that is charged too */
    bool counted;                      /* a performance counter follows the tile buffer's events */
};

int vc4_draws_create(struct vc4_device *device, struct vc4_draws **out);
void vc4_draws_destroy(struct vc4_draws *draws); /* NULL is accepted */
/* The draw of that state for `samples` and a primitive kind; prepared by the first to ask. NULL with *fault
 * when it cannot be. Thread-safe; lives until the next vc4_draws_forget. */
const struct vc4_draw *vc4_draws_get(struct vc4_draws *draws, const struct vc4_draw_state *state,
                                     uint32_t samples, uint8_t primitive, bool rgba16f, bool has_mask,
                                     struct gpu_fault *fault);
/* Ends a batch: counts its vertices and their instructions, and makes room for the next, in which memory may
 * hold other things. No worker may be at work. */
void vc4_draws_forget(struct vc4_draws *draws);

/* ---- workers ---- */

/* What a worker holds: its tile buffer and scratch space. Allocated with its alignment. */
struct vc4_worker {
    struct raster_worker raster;
    alignas(64) uint32_t alone[3][GPU_CACHE_ALONE];
    float vary[3][RASTER_MAX_VARYINGS]; /* of a clipped primitive */
    /* The draw last used, so that the pixel path takes no lock. */
    const struct vc4_draw *draw;
    struct vc4_draw_state draw_state;
    uint32_t draw_samples;
    uint8_t draw_primitive;
    uint64_t uniform_reads;
    uint64_t event[VC4_EVENT_TLB_STENCIL_FAIL]; /* the front end's, while a counter follows one of them */
    uint64_t reversed;                          /* likewise VC4_EVENT_PSE_REVERSED */
    struct vc4_frag_counts quads;               /* the tile buffer's, likewise */
    struct gpu_watched watched;                 /* of the job in hand */
};

/* Clears and loads of the tile buffer that are not done yet, for nothing has needed its words: the clear of a
 * part comes first. */
struct vc4_due {
    uint32_t cleared; /* VC4_HALF_COLOR, _ZS: all of it is what is below */
    uint64_t color;
    uint32_t zs;
    const struct vc4_op *load[2]; /* of colour, of depth and stencil, at the tile's place; or NULL */
};

/* What one tile's lists are run with. */
struct vc4_tile_run {
    struct vc4_device *device;
    struct vc4_draws *draws;
    struct vc4_worker *worker;
    struct vc4_draw_state state;
    struct raster_rect frame; /* pixels that may be drawn */
    bool rgba16f, has_mask;   /* 64-bit colours; the VG mask buffer is enabled */
    struct vc4_due due;       /* what the buffer is still to be given */
    struct vc4_vg_fan fan;    /* of the VG list before */
    uint64_t budget;          /* records and primitives left */
    struct util_walk walk;    /* through the list at hand */
    uint32_t draw;            /* primitive lists so far */
    uint32_t returns;
    struct gpu_fault *fault;
};

/* Whether its lists go no further. */
static inline bool vc4_tile_spent(const struct vc4_tile_run *run)
{
    return !run->budget || gpu_host_cancelled(&run->device->host);
}

/* renderer_buffer.c: operations on the tile buffer. Before anything else reads or writes its words, they are
 * flushed. */
void vc4_buffer_flush(struct vc4_tile_run *run, uint32_t halves);
void vc4_buffer_place(struct vc4_tile_run *run, const struct vc4_op *op);
void vc4_buffer_clear(struct vc4_tile_run *run, uint32_t halves, uint64_t color, uint32_t zs, uint8_t mask);
void vc4_buffer_load(struct vc4_tile_run *run, const struct vc4_op *op);
void vc4_buffer_store(struct vc4_tile_run *run, const struct vc4_op *op);

/* Draws the primitive list of a record (32, 33, 41, 42, 48, 49) whose own bytes end at `after`; *after
 * becomes the end of the list that follows inline. False with *run->fault. */
bool vc4_run_primitives(struct vc4_tile_run *run, const struct vc4_cl_record *record, uint32_t address,
                        uint32_t *after);
/* Runs a job on a worker's tile buffer. Faults are left in the job; stores are done all the same, so that the
 * picture is there as far as it was drawn. */
void vc4_run_job(struct vc4_device *device, struct vc4_draws *draws, struct vc4_worker *worker,
                 const struct vc4_batch *batch, struct vc4_job *job);

/* ---- looking on: renderer_observe.c ---- */

/* Tells of the operations of the batch. */
void vc4_observe_batch(const struct vc4_device *device);
/* The rest is for workers whose job is looked at. */
void vc4_observe_op(const struct vc4_worker *worker, uint32_t number, const struct vc4_op *op, bool done);
void vc4_observe_list(const struct vc4_tile_run *run, const struct vc4_draw *draw, uint32_t address,
                      const struct raster_rect *clip);
/* gpu_vertex_cache_shade, on the clock. */
const uint32_t *vc4_observe_vertex(const struct vc4_tile_run *run, struct gpu_vertex_cache *cache,
                                   uint32_t index, uint32_t alone[GPU_CACHE_ALONE]);

/* ---- the renderer ---- */

/* Record 113. */
struct vc4_render_config {
    bool set;
    uint32_t address, width, height, samples;
    uint8_t color_format, decimate, layout; /* as in the record */
    bool rgba16f, has_mask;                 /* 64-bit colours; the VG mask is enabled */
    bool flat;                              /* the tile buffer holds two tiles in turn, of half the height */
};

struct vc4_renderer {
    struct vc4_batch batch;
    struct vc4_draws *draws;           /* of the batch being drawn */
    struct vc4_tile_owner *tile_owner; /* 256 x 256 tile positions */
    struct vc4_worker **workers;
    unsigned worker_count;
    /* The list in the making. */
    struct vc4_render_config config;
    uint64_t clear_color; /* record 114 */
    uint32_t clear_zs;
    uint8_t clear_mask;
    struct vc4_draw_state state; /* of the main list */
    struct vc4_vg_fan fan;       /* as far as finding the ends of inline lists needs it */
    uint32_t stack[2], depth;    /* sub-lists that are part of the rendering list itself */
    bool state_dirty;            /* differs from the last of batch.states */
    uint32_t tile_x, tile_y;     /* of the last record 115 */
    bool has_tile;
    struct vc4_cl_record load; /* a load waits for the next record 115 */
    uint32_t load_address;
    bool has_load;
    /* The tile buffer as the list left it: each part uniform, or not. `due`: the clear is still to be done in
     * the current job. VC4_HALF_*. A mask that is not enabled is uniform. */
    uint32_t uniform, due;
    uint64_t uniform_color;
    uint32_t uniform_zs;
    uint8_t uniform_mask;
    bool job_open;
    bool carried; /* `carry` holds the contents */
    /* The tile buffer between batches. Two, for the jobs of a batch run in any order: its first may still
     * have to take over what the batch before left when its last leaves what the next takes over. */
    struct raster_tile *carry, *leave;
    uint32_t frames;            /* ended in the batch */
    struct capture_frame frame; /* colour image stored last */
    bool has_frame;
    uint64_t budget, fuel; /* left of the job's */
};

/* ---- reading the list ---- */

/* Parts of the tile buffer. */
enum { VC4_HALF_COLOR = 1, VC4_HALF_ZS = 2, VC4_HALF_MASK = 4, VC4_HALF_ALL = 7 };

/* The parts that a LOAD, STORE or RAW moves. */
static inline uint32_t vc4_op_halves(const struct vc4_op *op)
{
    return op->type == VC4_OP_RAW           ? op->buffer
           : op->buffer == VC4_BUFFER_COLOR ? VC4_HALF_COLOR
           : op->buffer == VC4_BUFFER_MASK  ? VC4_HALF_MASK
                                            : VC4_HALF_ZS;
}

/* What a record of the main list led to. */
enum vc4_outcome { VC4_GO_ON, VC4_STOP_HALT, VC4_STOP_WAIT, VC4_STOP_FAULT };

struct vc4_reading {
    struct vc4_device *device;
    struct vc4_renderer *r;
    uint32_t here, next; /* addresses of the record and of what follows it */
    struct gpu_fault fault;
};

/* Draws all jobs read so far. A job whose tile buffer is not uniform hands it to the next batch. */
enum vc4_outcome vc4_batch_flush(struct vc4_reading *in);
/* Makes sure that there is a job to add to; a new one opens with the tile's coordinates. */
enum vc4_outcome vc4_batch_open_job(struct vc4_reading *in);
enum vc4_outcome vc4_batch_add_tile(struct vc4_reading *in);
/* Adds an operation that touches memory; what it might collide with is drawn first. */
enum vc4_outcome vc4_batch_add_memory(struct vc4_reading *in, const struct vc4_op *op);
/* Adds a list to be drawn: a sub-list, or a primitive record of the main list. */
enum vc4_outcome vc4_batch_add_list(struct vc4_reading *in, struct vc4_op *op);

/* renderer_surface.c: the image of a load or store (28, 29) or of the configuration (24, 25). False with
 * *fault when it does not lie in memory or is not done. */
bool vc4_general_surface(const struct vc4_device *device, const struct vc4_render_config *config,
                         const struct vc4_cl_record *record, uint32_t address, struct vc4_op *op,
                         struct gpu_fault *fault);
bool vc4_config_surface(const struct vc4_device *device, const struct vc4_render_config *config,
                        uint32_t address, struct vc4_op *op, struct gpu_fault *fault);
bool vc4_raw_tile(const struct vc4_device *device, const struct vc4_render_config *config,
                  const struct vc4_cl_record *record, uint32_t address, struct vc4_op *op,
                  struct gpu_fault *fault);
/* Whether two surfaces are one image. */
bool vc4_same_image(const struct raster_surface *a, const struct raster_surface *b);
/* Whether `op` of job number `job` touches memory that another job of the batch touches, one of them writing.
 */
bool vc4_batch_conflict(struct vc4_renderer *renderer, const struct gpu_memory *memory,
                        const struct vc4_op *op, uint32_t job);
/* Notes what `op` touches. False when memory is out. */
bool vc4_batch_note(struct vc4_renderer *renderer, const struct gpu_memory *memory, const struct vc4_op *op,
                    uint32_t job);
void vc4_raw_move(const struct vc4_op *op, struct raster_tile *tile);

#endif
