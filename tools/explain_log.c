/* The first play: what tile jobs load and store, and a pixel's way back through it. */
#include <errno.h>
#include <stdlib.h>

#include "raster/targets.h"
#include "tools/explain_internal.h"
#include "util/bits.h"

void explain_log_op(struct explain_log *log, const struct gpu_observed_op *op)
{
    if (!UTIL_LIST_ADD(log->ops, *op))
        log->out_of_memory = true;
}

void explain_log_stopped(struct explain_log *log, uint32_t batch, const struct raster_rect *pixels)
{
    const struct explain_stopped it = {batch, *pixels};
    if (!UTIL_LIST_ADD(log->stopped, it))
        log->out_of_memory = true;
}

void explain_log_finish(struct explain_log *log)
{
    free(log->stopped.at);
    free(log->ops.at);
    free(log->marks.at);
    *log = (struct explain_log){0};
}

/* ---- pixels of images and of tiles ---- */

/* Where a colour stands: in an image's pixel, or in the dump of a whole tile. */
struct place {
    bool raw;
    bool depths;      /* those count, too */
    uint64_t address; /* of the pixel; raw: of the dump */
    uint32_t bytes;
    uint32_t x, y; /* raw: pixel of the tile */
};

/* The operation that says where the tile stood at operation `i`. */
static const struct gpu_observed_op *tile_at(const struct explain_log *log, uint32_t i)
{
    while (i && log->ops.at[i].kind != GPU_OBSERVED_TILE && log->ops.at[i].number)
        i--;
    return log->ops.at[i].kind == GPU_OBSERVED_TILE ? &log->ops.at[i] : NULL;
}

static uint64_t pixel_address(const struct gpu_observed_op *op, uint32_t x, uint32_t y)
{
    return op->image + raster_surface_offset(&op->surface, x, y);
}

/* No pixel of the image lies so far behind its first. */
static uint64_t image_bytes(const struct gpu_observed_op *op)
{
    uint64_t bytes;
    return raster_targets_image_size(&op->surface, &bytes) ? bytes : 0;
}

/* Whether the store writes the pixel at `place`; then which of the tile's pixels make it. */
static bool stores(const struct gpu_observed_op *op, const struct gpu_observed_op *tile,
                   const struct place *place, uint32_t *x, uint32_t *y)
{
    uint32_t side = 1u << op->resolve.shrink_x;
    uint32_t left = (uint32_t)tile->x / side, top = (uint32_t)tile->y / side, size = tile->size / side;

    if (op->pixel_bytes != place->bytes || place->address < op->image ||
        place->address - op->image >= image_bytes(op))
        return false;
    for (uint32_t v = 0; v < size && top + v < op->surface.height; v++)
        for (uint32_t u = 0; u < size && left + u < op->surface.width; u++)
            if (pixel_address(op, left + u, top + v) == place->address) {
                *x = u * side;
                *y = v * side;
                return true;
            }
    return false;
}

/* Whether a fault left operation `i`, a store, undone for the tile's pixel (x, y). */
static bool is_stopped(const struct explain_log *log, uint32_t i, uint32_t x, uint32_t y)
{
    const struct gpu_observed_op *tile = log->stopped.count ? tile_at(log, i) : NULL;
    for (uint32_t n = 0; tile && n < log->stopped.count; n++) {
        const struct raster_rect *r = &log->stopped.at[n].pixels;
        const int32_t wx = tile->x + (int32_t)x, wy = tile->y + (int32_t)y;
        if (log->stopped.at[n].batch == tile->batch && wx >= r->x0 && wx < r->x1 && wy >= r->y0 && wy < r->y1)
            return true;
    }
    return false;
}

/* The last store before operation `end` of the place, if only planned unless `done`; false when there is
 * none. */
static bool find_store(const struct explain_log *log, uint32_t end, const struct place *place, bool done,
                       uint32_t *at, uint32_t *x, uint32_t *y)
{
    for (uint32_t i = end; i-- > 0;) {
        const struct gpu_observed_op *op = &log->ops.at[i], *tile;
        if (!op->color && !place->depths)
            continue;
        *at = i;
        *x = place->x;
        *y = place->y;
        if (place->raw && op->kind == GPU_OBSERVED_RAW_STORE && op->image == place->address)
            return true;
        if (!place->raw && op->kind == GPU_OBSERVED_STORE && (tile = tile_at(log, i)) &&
            stores(op, tile, place, x, y) && !(done && is_stopped(log, i, *x, *y)))
            return true;
    }
    return false;
}

/* ---- stages ---- */

static uint32_t picture_of(const struct explain_log *log, uint32_t op)
{
    uint32_t n = 0;
    while (n < log->marks.count && log->marks.at[n] <= op)
        n++;
    return log->before + n + 1;
}

/* Whether a load gives the pixel its colour; then from where. */
static bool loads(const struct explain_log *log, uint32_t i, const struct explain_stage *stage,
                  struct place *from)
{
    const struct gpu_observed_op *op = &log->ops.at[i], *tile = tile_at(log, i);
    if (!tile || !op->color)
        return false;
    *from = (struct place){.raw = op->kind == GPU_OBSERVED_RAW_LOAD,
                           .address = op->image,
                           .x = stage->local_x,
                           .y = stage->local_y};
    if (from->raw)
        return true;
    uint32_t x = (uint32_t)tile->x + stage->local_x, y = (uint32_t)tile->y + stage->local_y;
    if (op->kind != GPU_OBSERVED_LOAD || x >= op->surface.width || y >= op->surface.height)
        return false;
    from->bytes = op->pixel_bytes;
    from->address = pixel_address(op, x, y);
    return true;
}

/* Walks back from operation `end` to where the tile buffer's colour came from; fills the stage. Returns the
 * operation at which it begins. */
static uint32_t begin_of(const struct explain_log *log, uint32_t end, struct explain_stage *stage,
                         struct place *from)
{
    for (uint32_t i = end; i-- > 0;) {
        const struct gpu_observed_op *op = &log->ops.at[i];
        stage->first = op->number;
        if (op->kind == GPU_OBSERVED_JOB || (op->kind == GPU_OBSERVED_CLEAR && op->color)) {
            stage->start = op->continues ? EXPLAIN_CONTINUED : EXPLAIN_CLEARED;
            stage->clear_color.word[0] = (uint32_t)op->clear_color;
            stage->clear_color.word[1] = (uint32_t)(op->clear_color >> 32);
            return i;
        }
        if (loads(log, i, stage, from)) {
            stage->start = EXPLAIN_LOADED;
            stage->load_address = from->address;
            return i;
        }
    }
    return 0;
}

static void place_stage(const struct explain_log *log, uint32_t at, struct explain_stage *stage)
{
    const struct gpu_observed_op *op = &log->ops.at[at], *tile = tile_at(log, at);
    stage->end = at;
    stage->batch = op->batch;
    stage->job = op->job;
    stage->picture = picture_of(log, at);
    if (!tile)
        return;
    stage->tile_size = tile->size;
    stage->tile_x = (uint32_t)tile->x / tile->size;
    stage->tile_y = (uint32_t)tile->y / tile->size;
    stage->x = tile->x + (int32_t)stage->local_x;
    stage->y = tile->y + (int32_t)stage->local_y;
}

/* The stage that ends in the store at `at`. */
static void end_stage(const struct explain_log *log, uint32_t at, struct explain_stage *stage)
{
    const struct gpu_observed_op *op = &log->ops.at[at];
    place_stage(log, at, stage);
    stage->last = op->number;
    stage->stored = true;
    stage->target = op->target;
    stage->store = *op;
    stage->stopped = is_stopped(log, at, stage->local_x, stage->local_y);
}

int explain_find_target(const struct explain_log *log, const struct explain_pixel *pixel, uint32_t target,
                        struct capture_frame *out, struct util_error *error)
{
    const struct place place = {.address = pixel->address, .bytes = pixel->bytes};
    uint32_t at = 0, x, y, targets = 0;
    if (!find_store(log, log->ops.count, &place, false, &at, &x, &y))
        return util_fail(error, -ERANGE, "no tile was stored at pixel (%u, %u) of picture %u, of any target",
                         pixel->x, pixel->y, pixel->picture);
    if (log->ops.at[at].target == target) { /* as the picture has it */
        *out = pixel->frame;
        return 0;
    }
    const uint32_t batch = log->ops.at[at].batch;
    for (uint32_t i = log->ops.count; i-- > 0;) {
        const struct gpu_observed_op *op = &log->ops.at[i];
        if (op->batch != batch || op->kind != GPU_OBSERVED_STORE || !op->color)
            continue;
        targets |= 1u << op->target;
        if (op->target == target && op->pixel_bytes) {
            *out = (struct capture_frame){.address = op->image,
                                          .width = op->surface.width,
                                          .height = op->surface.height,
                                          .layout = op->surface.layout,
                                          .format = op->surface.format,
                                          .stride = op->surface.stride};
            return 0;
        }
    }
    char list[RASTER_TARGETS_MAX * 2 + 1] = "";
    for (unsigned t = 0, n = 0; t < RASTER_TARGETS_MAX; t++)
        if (targets >> t & 1)
            n += (unsigned)snprintf(list + n, sizeof list - n, " %u", t);
    return util_fail(error, -ERANGE,
                     "picture %u has no colour target %u that can be shown; its rendering stored:%s",
                     pixel->picture, target, list);
}

static void reverse(struct explain_stage *stage, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        struct explain_stage kept = stage[i];
        stage[i] = stage[count - 1 - i];
        stage[count - 1 - i] = kept;
    }
}

bool explain_follow(const struct explain_log *log, struct explain_pixel *pixel)
{
    struct place place = {.address = pixel->address, .bytes = pixel->bytes};
    struct explain_stage stage = {0};
    uint32_t at = 0;
    bool more = find_store(log, log->ops.count, &place, false, &at, &stage.local_x, &stage.local_y);

    pixel->found = more;
    if (more)
        end_stage(log, at, &stage);
    while (more) {
        at = begin_of(log, at, &stage, &place);
        struct explain_stage before = {.local_x = stage.local_x, .local_y = stage.local_y};
        /* Several pixels made this one: each would have a way of its own. */
        bool whole = !stage.stored || !stage.store.resolve.shrink_x;
        if (stage.start == EXPLAIN_LOADED) {
            more = whole && find_store(log, at, &place, true, &at, &before.local_x, &before.local_y);
            stage.traced = more;
            pixel->lost = whole && !more;
            if (more)
                end_stage(log, at, &before);
        } else if (stage.start == EXPLAIN_CONTINUED && at) {
            before.last = log->ops.at[at - 1].number + 1;
            place_stage(log, at - 1, &before);
        } else {
            pixel->lost = stage.start == EXPLAIN_CONTINUED;
            more = false;
        }
        if (!UTIL_LIST_ADD(pixel->stages, stage))
            return false;
        if (more && pixel->stages.count == EXPLAIN_STAGES) {
            pixel->cut = true;
            more = false;
        }
        stage = before;
    }
    reverse(pixel->stages.at, pixel->stages.count);
    return true;
}

void explain_find_origin(const struct explain_log *log, const struct explain_stage *stage, uint64_t address,
                         uint32_t bytes, struct explain_origin *out)
{
    const struct place place = {.depths = true, .address = address, .bytes = bytes};
    uint32_t end = stage->end, at, x, y;
    *out = (struct explain_origin){0};
    while (end && log->ops.at[end - 1].batch == stage->batch)
        end--;
    if (!bytes || !find_store(log, end, &place, true, &at, &x, &y))
        return;
    const struct gpu_observed_op *op = &log->ops.at[at], *tile = tile_at(log, at);
    *out = (struct explain_origin){.picture = picture_of(log, at),
                                   .x = ((uint32_t)tile->x + x) >> op->resolve.shrink_x,
                                   .y = ((uint32_t)tile->y + y) >> op->resolve.shrink_x,
                                   .width = op->surface.width,
                                   .height = op->surface.height};
}
