/* Batches of vertices on the pool; of faults the lowest vertex's is told. */
#include "gpu/vertex_run.h"

#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "util/bits.h"
#include "util/fpenv.h"

#define CHUNK        32u   /* batches that one worker takes at a time */
#define PARALLEL_MIN 2048u /* vertices worth waking the workers for */

/* ---- arrays ---- */

/* The last vertex again in the lanes that are left. */
static void fetch(const struct gpu_vertex_stage *stage, uint32_t first, uint32_t lanes, uint32_t (*in)[4][16])
{
    uint32_t index[16];
    for (uint32_t l = 0; l < 16; l++)
        index[l] = first + UTIL_MIN(l, lanes - 1);
    for (uint32_t n = 0; n < GPU_ARRAYS; n++)
        if (stage->layout.attribute[n].format)
            gpu_array_fetch(&stage->attribute[n], index, in[n]);
}

static void store(const struct gpu_vertex_stage *stage, uint32_t first, uint32_t lanes,
                  const uint32_t (*out)[4][16])
{
    for (uint32_t n = 0; n < GPU_ARRAYS; n++)
        if (stage->layout.varying[n].format)
            gpu_array_store(&stage->varying[n], first, lanes, out[n]);
}

/* Vertices that write where others of the draw read or write are shaded in order. */
static bool in_order(const struct gpu_vertex_stage *stage, uint32_t vertices)
{
    for (uint32_t v = 0; v < GPU_ARRAYS; v++) {
        const struct gpu_array *out = &stage->varying[v];
        if (!stage->layout.varying[v].format)
            continue;
        if (out->stride < out->bytes)
            return true;
        for (uint32_t n = 0; n < GPU_ARRAYS; n++)
            if ((stage->layout.attribute[n].format && gpu_array_meets(&stage->attribute[n], out, vertices)) ||
                (n < v && stage->layout.varying[n].format &&
                 gpu_array_meets(&stage->varying[n], out, vertices)))
                return true;
    }
    return false;
}

/* ---- batches ---- */

/* A draw in the hands of workers. */
struct work {
    struct gpu_vertex_draw *draw;
    uint8_t *own; /* draw->own_bytes a worker */
    pthread_mutex_t lock;
};

/* Whether all lanes ended well; otherwise the draw remembers its first vertex that did not. */
static bool ended_well(struct work *work, const uint32_t fault[16], uint32_t first, uint32_t lanes)
{
    uint32_t l = 0;
    while (l < lanes && !fault[l])
        l++;
    if (l == lanes)
        return true;
    pthread_mutex_lock(&work->lock);
    if (first + l < work->draw->faulted) {
        work->draw->faulted = first + l;
        work->draw->fault = fault[l];
    }
    pthread_mutex_unlock(&work->lock);
    return false;
}

static bool interpret(struct work *work, uint32_t first, uint32_t lanes)
{
    const struct gpu_vertex_stage *stage = work->draw->stage;
    alignas(64) uint32_t in[GPU_ARRAYS][4][16], out[GPU_ARRAYS][4][16];
    uint32_t fault[16] = {0};
    fetch(stage, first, lanes, in);
    memset(out, 0, sizeof out);
    work->draw->interpret(stage, (const uint32_t(*)[4][16])in, lanes, out, fault);
    if (!ended_well(work, fault, first, lanes))
        return false;
    store(stage, first, lanes, (const uint32_t(*)[4][16])out);
    return true;
}

/* Batches whose lanes are all vertices of the draw, or one batch of fewer. */
static bool run_code(struct work *work, uint32_t first, uint32_t batches, uint32_t lanes, unsigned worker)
{
    const struct gpu_vertex_draw *draw = work->draw;
    const struct gpu_vertex_stage *stage = draw->stage;
    alignas(64) uint32_t in[GPU_ARRAYS][4][16], out[GPU_ARRAYS][4][16];
    struct gpu_vertex_args args; /* faults are written where there are any */
    args.fetch = fetch;
    args.store = store;
    args.in = in;
    args.out = out;
    args.own = work->own ? work->own + worker * draw->own_bytes : NULL;
    args.fuel = stage->fuel;
    if (args.own)
        draw->fill(stage, args.own);
    gpu_vertex_fn code = (gpu_vertex_fn)jit_function_code(stage->function);
    uint32_t done = code(&args, stage, first, batches, lanes - 1);
    jit_function_ran(stage->function, (uint64_t)batches * stage->insn_count);
    return done == batches || ended_well(work, args.fault, first + done * 16, lanes);
}

/* Batches of one worker, until one faults. */
static void shade_chunk(void *data, uint32_t chunk, unsigned worker)
{
    struct work *work = data;
    const struct gpu_vertex_draw *draw = work->draw;
    bool coded = draw->stage->function != NULL;
    uint32_t at = chunk * CHUNK * 16, end = UTIL_MIN(at + CHUNK * 16, draw->vertices);
    unsigned saved = util_fpenv_enter();
    while (at < end && !gpu_host_cancelled(draw->host)) {
        uint32_t lanes = UTIL_MIN(16u, end - at);
        uint32_t batches = coded && !work->own && lanes == 16 ? (end - at) / 16 : 1;
        if (!(coded ? run_code(work, at, batches, lanes, worker) : interpret(work, at, lanes)))
            break;
        at += batches * 16;
    }
    util_fpenv_leave(saved);
}

int gpu_vertex_run(struct gpu_vertex_draw *draw)
{
    struct work work = {.draw = draw, .lock = PTHREAD_MUTEX_INITIALIZER};
    bool parallel = draw->pool && draw->vertices >= PARALLEL_MIN && !in_order(draw->stage, draw->vertices);
    if (draw->own_bytes && draw->stage->function) {
        work.own = aligned_alloc(64, util_pool_workers(draw->pool) * draw->own_bytes);
        if (!work.own)
            return -ENOMEM;
    }
    draw->faulted = UINT32_MAX;
    util_pool_run_spans(parallel ? draw->pool : NULL, util_div_up(draw->vertices, CHUNK * 16), shade_chunk,
                        &work);
    free(work.own);
    return draw->faulted == UINT32_MAX ? 0 : -EFAULT;
}
