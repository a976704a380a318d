/* Fragment jobs: a frame's tiles are cleared, drawn out of the lists that tiler jobs left, and written back
 * (gpu/frame.h). */
#include <stdlib.h>
#include <string.h>

#include "gpu/mali/device_internal.h"
#include "gpu/mali/frag.h"
#include "gpu/mali/frame_draws.h"
#include "gpu/mali/reload.h"
#include "gpu/mali/tile_lists.h"
#include "util/bits.h"

#define UNIT "fragment job"

struct rendering {
    struct gpu_frame of; /* first: the family's functions get it */
    struct mali_targets targets;
    struct mali_frag_shared shared;
    struct mali_frame_draws draws;
    uint32_t columns; /* of tiles in the frame */
    uint8_t *drawn;   /* a bit for each, row by row: something was drawn there, so that it is stored */
};

static struct rendering *own(const struct gpu_frame *of)
{
    return (struct rendering *)(uintptr_t)of;
}

/* ---- what gpu/frame.h asks ---- */

static bool begin(struct gpu_frame *of, struct gpu_fault *fault)
{
    struct rendering *r = own(of);
    uint32_t width, height;
    (void)fault;
    raster_targets_size(&r->targets.tile, &width, &height);
    of->width = r->targets.width;
    of->height = r->targets.height;
    of->samples = r->targets.tile.samples;
    of->part_width = (uint8_t)width;
    of->part_height = (uint8_t)height;
    r->shared.arena = of->arena;
    r->shared.maker = &of->maker;
    return true;
}

static bool prepare(struct gpu_frame *of, struct gpu_frame_draw *draw, struct gpu_fault *fault)
{
    struct mali_stop stop;
    mali_stop_clear(&stop);
    const bool done = mali_frag_prepare(&own(of)->shared, draw, &stop);
    if (!done)
        *fault = stop.fault;
    return done;
}

static void clear(const struct gpu_frame *of, struct raster_tile *tile)
{
    mali_targets_clear(&own(of)->targets, tile);
}

static bool fetch(const struct gpu_frame_draw *draw, const struct gpu_space *space, struct gpu_space_run *run,
                  const uint32_t index[], unsigned count, float (*out)[RASTER_MAX_VARYINGS],
                  struct gpu_fault *fault)
{
    return mali_frag_fetch(draw->fragments, space, run, index, count, out, fault);
}

static bool is_drawn(const struct rendering *r, uint32_t x, uint32_t y)
{
    const uint32_t n = y * r->columns + x;
    return r->drawn[n / 8] >> n % 8 & 1;
}

static void store(const struct gpu_frame *of, unsigned unit, const struct raster_tile *tile)
{
    const struct rendering *r = own(of);
    if (r->targets.store[unit].clean ||
        is_drawn(r, (uint32_t)tile->x / GPU_TILE, (uint32_t)tile->y / GPU_TILE))
        mali_targets_store(&r->targets, unit, tile);
}

static bool fill(const struct gpu_frame *of, const struct raster_rect *pixels)
{
    return mali_targets_fill(&own(of)->targets, pixels);
}

static bool image(const struct gpu_frame *of, struct gpu_frame_image *out)
{
    return mali_reload_image(&own(of)->targets, out);
}

static bool copies(const struct gpu_frame_draw *draw, struct gpu_frame_copied *out)
{
    return mali_reload_copies(draw->fragments, out);
}

static void load(const struct gpu_frame *of, struct raster_tile *tile)
{
    mali_reload_load(&own(of)->targets, tile);
}

static bool end(struct gpu_frame *of, struct gpu_fault *fault)
{
    struct mali_stop stop = {0};
    bool done = mali_frag_store_queries(&own(of)->shared, &stop);
    *fault = stop.fault;
    return done;
}

/* ---- what observers are told ---- */

static uint64_t physical_of(const struct gpu_space *space, const struct mali_store *store, bool *is)
{
    uint64_t bytes, at;
    *is = !store->is_afbc && raster_targets_image_size(&store->surface, &bytes) &&
          gpu_space_physical_span(space, store->address, bytes, &at);
    return *is ? at : 0;
}

/* An image in pages that do not follow each other has no pixels that could be looked for. */
static uint32_t plan(const struct gpu_frame *of, unsigned unit, struct gpu_observed_op *out)
{
    static const char *const names[] = {"render target 0", "render target 1",  "render target 2",
                                        "render target 3", "render target 4",  "render target 5",
                                        "render target 6", "render target 7",  "depth",
                                        "stencil",         "depth and stencil"};
    const struct mali_store *s = &own(of)->targets.store[unit];
    const bool color = s->of < RASTER_TARGETS_MAX;
    bool is;
    *out = (struct gpu_observed_op){.number = GPU_FRAME_OP_STORE + unit,
                                    .kind = GPU_OBSERVED_STORE,
                                    .what = names[s->of],
                                    .color = color,
                                    .zs = !color,
                                    .target = (uint8_t)s->of,
                                    .surface = s->surface,
                                    .resolve = {.first = (uint8_t)s->first, .count = (uint8_t)s->count},
                                    .averaged = s->count > 1,
                                    .red_low = true};
    out->image = physical_of(of->space, s, &is);
    if (is)
        out->pixel_bytes = raster_format_bytes((enum raster_format)s->surface.format);
    return 1;
}

static void programs(const struct gpu_frame_draw *draw, struct gpu_frame_programs *out)
{
    mali_frag_programs(draw->fragments, out);
}

static uint32_t shade_watched(const struct gpu_frame_draw *draw, const struct gpu_watch *watch,
                              const struct raster_prim *prim, struct raster_tile *tile,
                              const struct raster_block *blocks, uint32_t count,
                              struct raster_shader_work *work)
{
    return mali_frag_shade_watched(draw->fragments, watch, prim, tile, blocks, count, work);
}

static const struct gpu_frame_family family = {.state = "tiler job",
                                               .begin = begin,
                                               .prepare = prepare,
                                               .clear = clear,
                                               .fetch = fetch,
                                               .end = end,
                                               .store = store,
                                               .fill = fill,
                                               .image = image,
                                               .copies = copies,
                                               .load = load,
                                               .plan = plan,
                                               .programs = programs,
                                               .shade_watched = shade_watched};

/* ---- tiles ---- */

/* The frame's tiles in the making. */
struct tiling {
    const struct rendering *r;
    const struct mali_list *table; /* in guest memory, of any alignment; NULL: there are no lists */
    uint32_t columns;              /* of lists */
    const uint8_t *enabled;        /* in guest memory: the map of enabled tiles; NULL: all are */
    uint64_t enabled_stride;       /* bytes a row */
    bool clean;                    /* tiles on which nothing was drawn are stored */
    uint32_t list; /* the last one that was looked at, from 1; where it begins, and whether it is one */
    uint32_t first;
    bool drawn;
    struct gpu_tile *tiles;
    uint32_t count;
};

/* List n; one without an entry is none. Since v6 drivers bring back what a tile had only where something is drawn on it; so
 * a tile without a list is not stored, unless the target asks for it. */
static void look(struct tiling *t, uint32_t n)
{
    const struct rendering *r = t->r;
    struct mali_list list = {.first = GPU_TILE_EMPTY};
    if (t->table)
        memcpy(&list, (const uint8_t *)t->table + n * sizeof list, sizeof list);
    t->list = n + 1;
    const bool has = t->table && list.at != list.first;
    t->first = has ? list.first : mali_frame_draws_alone(&r->draws);
    t->drawn = has || (t->table && r->shared.job->version < MALI_V6) || r->draws.dirties;
}

static void add_tile(struct tiling *t, uint32_t x, uint32_t y)
{
    const struct rendering *r = t->r;
    uint32_t n = y * GPU_TILE / MALI_LIST_PIXELS * t->columns + x * GPU_TILE / MALI_LIST_PIXELS;
    if (t->list != n + 1)
        look(t, n);
    if (!t->drawn && !t->clean)
        return;
    n = y * r->columns + x;
    if (t->drawn)
        r->drawn[n / 8] |= (uint8_t)(1u << n % 8);
    t->tiles[t->count++] = (struct gpu_tile){x, y, t->first, 0};
}

/* A map's bit stands for a square of the frame, counted from the lowest of each byte (Mesa's driver,
 * panfrost_resource_set_damage_region). */
#define MAP_PIXELS 32u

static bool is_enabled(const struct tiling *t, uint32_t x, uint32_t y)
{
    const uint32_t column = x * GPU_TILE / MAP_PIXELS, row = y * GPU_TILE / MAP_PIXELS;
    return !t->enabled || t->enabled[row * t->enabled_stride + column / 8] >> column % 8 & 1;
}

/* The map, for tiles left of `right` and above `bottom`. */
static bool find_map(const struct mali_job *job, const struct mali_fragment *b, uint32_t right,
                     uint32_t bottom, struct tiling *t, struct mali_stop *stop)
{
    if (!b->has_tile_enable_map || b->bound_min_x >= right || b->bound_min_y >= bottom)
        return true;
    t->enabled_stride = b->tile_enable_map_row_stride;
    const uint64_t rows = (bottom - 1) * GPU_TILE / MAP_PIXELS, bits = (right - 1) * GPU_TILE / MAP_PIXELS;
    t->enabled = mali_at(job->space, b->tile_enable_map, rows * t->enabled_stride + bits / 8 + 1,
                         GPU_RIGHT_READ, UNIT, "map of enabled tiles", stop);
    return t->enabled;
}

/* Room for the tiles of a frame of so many rows and columns. */
static bool make_room(struct rendering *r, struct tiling *t, uint32_t columns, uint32_t rows)
{
    r->columns = columns;
    r->drawn = calloc((size_t)columns * rows / 8 + 1, 1);
    t->tiles = malloc((size_t)columns * rows * sizeof *t->tiles + 1);
    for (uint32_t n = 0; n < r->targets.store_count; n++)
        t->clean |= r->targets.store[n].clean;
    return r->drawn && t->tiles;
}

/* The frame's tiles within the job's bounds, each with its list. NULL and *stop: the lists cannot be read, or
 * no host memory. */
static struct gpu_tile *tiles_of(struct mali_job *job, const struct mali_fragment_job *p, struct rendering *r,
                                 uint32_t *count, struct mali_stop *stop)
{
    const struct mali_targets *targets = &r->targets;
    const struct mali_lists_place place = mali_lists_of_frame(job->version, &p->frame);
    struct tiling t = {.r = r};
    struct mali_lists_header header;
    if (!mali_lists_header_read(job->space, &place, UNIT, &header, stop))
        return NULL;
    r->shared.alone = header.alone || targets->shares;
    const uint64_t bytes = (uint64_t)header.columns * header.rows * sizeof(struct mali_list);
    if (header.mark)
        t.table = (const void *)mali_at(job->space, header.table, bytes, GPU_RIGHT_READ, UNIT,
                                        "table of tile lists", stop);
    if (header.mark && !t.table)
        return NULL;
    t.columns = header.columns;
    uint32_t columns = util_div_up(targets->width, GPU_TILE), rows = util_div_up(targets->height, GPU_TILE),
             right = UTIL_MIN(p->bounds.bound_max_x + 1, columns),
             bottom = UTIL_MIN(p->bounds.bound_max_y + 1, rows);
    if (!find_map(job, &p->bounds, right, bottom, &t, stop))
        return NULL;
    if (!make_room(r, &t, columns, rows)) {
        mali_stop_set(stop, MALI_OOM, GPU_FAULT_LIST, UNIT, job->address, "no host memory for tiles");
        free(t.tiles);
        return NULL;
    }
    for (uint32_t y = p->bounds.bound_min_y; y < bottom; y++)
        for (uint32_t x = p->bounds.bound_min_x; x < right; x++)
            if (is_enabled(&t, x, y))
                add_tile(&t, x, y);
    *count = t.count;
    return t.tiles;
}

/* ---- the job ---- */

static bool refuse(const struct mali_job *job, enum gpu_fault_kind kind, const char *what,
                   struct mali_stop *stop)
{
    return mali_stop_set(stop, MALI_DATA_INVALID_FAULT, kind, UNIT, job->address, "%s", what);
}

static bool check(const struct mali_job *job, const struct mali_fragment_job *p, const struct mali_targets *t,
                  struct mali_stop *stop)
{
    const struct mali_fragment *b = &p->bounds;
    if (b->bound_min_x > b->bound_max_x || b->bound_min_y > b->bound_max_y)
        return refuse(job, GPU_FAULT_PACKET, "the frame's bounds are empty", stop);
    if (t->width > MALI_LISTS_A_SIDE * MALI_LIST_PIXELS || t->height > MALI_LISTS_A_SIDE * MALI_LIST_PIXELS)
        return refuse(job, GPU_FAULT_UNSUPPORTED, "frames of more than 8192 pixels a side are not done",
                      stop);
    return true;
}

/* What was drawn, for who shows it: the first colours that were stored. */
static void note_frame(struct gpu_host *host, const struct gpu_space *space, const struct mali_targets *t)
{
    for (uint32_t n = 0; n < t->store_count; n++) {
        const struct raster_surface *s = &t->store[n].surface;
        if (t->store[n].of >= t->tile.count || t->store[n].is_afbc)
            continue;
        bool has;
        const struct capture_frame frame = {.width = s->width,
                                            .height = s->height,
                                            .layout = s->layout,
                                            .format = s->format,
                                            .stride = s->stride,
                                            .address = physical_of(space, &t->store[n], &has)};
        gpu_host_set_frame(host, has ? &frame : NULL);
        return;
    }
}

static enum mali_exception exception_of(enum gpu_fault_kind kind)
{
    return kind == GPU_FAULT_TIMEOUT  ? MALI_ACTIVE
           : kind == GPU_FAULT_MEMORY ? MALI_JOB_BUS_FAULT
           : kind == GPU_FAULT_SHADER ? MALI_INSTR_INVALID_ENC
                                      : MALI_DATA_INVALID_FAULT;
}

static bool render(struct mali_job *job, struct rendering *r, const struct gpu_tile *tiles, uint32_t count,
                   struct mali_stop *stop)
{
    struct mali_device *device = job->device;
    struct gpu_fault fault[1] = {{0}};
    uint64_t before = device->host.counters.instructions, entries = 0;
    r->shared.targets = &r->targets;
    r->shared.engine = device->options.reference ? NULL : device->options.engine;
    r->shared.in_order = device->options.in_order;
    atomic_init(&r->shared.packets, job->budget->packets);
    r->of = (struct gpu_frame){.family = &family,
                               .space = job->space,
                               .pool = r->shared.alone ? NULL : device->options.pool,
                               .workers = &device->frame_workers,
                               .reader = mali_frame_draws_any(&r->draws) ? mali_frame_draws_reader(&r->draws)
                                                                         : r->draws.lists,
                               .tiles = tiles,
                               .tile_count = count,
                               .list = (uint32_t)job->address,
                               .units = r->targets.store_count,
                               .fuel = job->budget->fuel,
                               .packets = job->budget->packets,
                               .entries = &entries,
                               .blocks = &device->host.counters.blocks_shaded,
                               .instructions = &device->host.counters.instructions,
                               .observer = device->options.observer,
                               .batch = device->batches++,
                               .host = &device->host,
                               .reference = device->options.reference};
    mali_programs_begin(&device->programs, device->options.engine);
    device->host.counters.tiles += count;
    bool done = gpu_frame_render(&r->of, fault);
    uint64_t spent = device->host.counters.instructions - before;
    job->budget->fuel -= UTIL_MIN(spent, job->budget->fuel);
    uint64_t packets = atomic_load(&r->shared.packets);
    job->budget->packets = packets - UTIL_MIN(packets, entries);
    if (done)
        return true;
    *stop = (struct mali_stop){
        .fault = *fault, .exception = exception_of(fault->kind), .address = fault->address};
    return false;
}

static enum mali_end run(struct mali_job *job, const struct mali_fragment_job *p, struct rendering *r,
                         struct mali_stop *stop)
{
    const struct gpu_tile_reader lists = gpu_tile_lists(job->space);
    uint32_t count = 0;
    r->shared.job = job;
    r->shared.payload = p;
    mali_frame_draws_init(&r->draws, job->version, p, job->number, &lists);
    if (!mali_targets_read(job->space, job->version, &p->frame, &r->targets, stop) ||
        !check(job, p, &r->targets, stop))
        return stop->page_fault ? MALI_END_WAITS : MALI_END_FAULT;
    if (!job->budget->fuel) { /* a tile has its least share whatever is left */
        mali_stop_set(stop, MALI_ACTIVE, GPU_FAULT_TIMEOUT, UNIT, job->address,
                      "the chain's programs execute too many instructions");
        return MALI_END_FAULT;
    }
    struct gpu_tile *tiles = tiles_of(job, p, r, &count, stop);
    if (!tiles)
        return stop->page_fault ? MALI_END_WAITS : MALI_END_FAULT;
    bool done = render(job, r, tiles, count, stop);
    free(tiles);
    if (done)
        note_frame(&job->device->host, job->space, &r->targets);
    return done ? MALI_END_DONE : MALI_END_FAULT;
}

enum mali_end mali_job_fragment(struct mali_job *job, const struct mali_fragment_job *payload,
                                struct mali_stop *stop)
{
    struct rendering *r = calloc(1, sizeof *r);
    if (!r) {
        mali_stop_set(stop, MALI_OOM, GPU_FAULT_LIST, UNIT, job->address, "no host memory for a frame");
        return MALI_END_FAULT;
    }
    enum mali_end end = run(job, payload, r, stop);
    free(r->drawn);
    free(r);
    return end;
}
