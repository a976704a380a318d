/* A worker's tile buffer between clears, loads and stores. Clears and loads are done when something needs the
 * words (struct vc4_due): a tile that nothing is drawn on is stored without having been cleared, and one that
 * was loaded from the image it goes to need be neither loaded nor stored. The scalar reference loads at once,
 * and before an observer looks everything is done. */
#include "gpu/vc4/renderer_internal.h"

enum { DUE_COLOR, DUE_ZS, DUE_COUNT }; /* vc4_due.load */

static const uint32_t due_halves[DUE_COUNT] = {[DUE_COLOR] = VC4_HALF_COLOR, [DUE_ZS] = VC4_HALF_ZS};

/* Whether the image has every pixel of the tile. */
static bool covers(const struct raster_surface *image, const struct raster_tile *tile)
{
    return tile->x >= 0 && tile->y >= 0 && (uint32_t)tile->x + tile->width <= image->width &&
           (uint32_t)tile->y + tile->height <= image->height;
}

static void load_now(const struct vc4_tile_run *run, const struct vc4_op *op)
{
    if (run->device->options.reference)
        raster_surface_load_ref(&op->surface, &run->worker->raster.tile);
    else
        raster_surface_load(&op->surface, &run->worker->raster.tile);
}

void vc4_buffer_flush(struct vc4_tile_run *run, uint32_t halves)
{
    struct raster_tile *tile = &run->worker->raster.tile;
    struct vc4_due *due = &run->due;
    for (unsigned i = 0; i < DUE_COUNT; i++) {
        const struct vc4_op *load = due->load[i];
        if (!(halves & due_halves[i]))
            continue;
        bool clears = due->cleared & due_halves[i] && !(load && covers(&load->surface, tile));
        if (clears && i == DUE_COLOR && run->rgba16f)
            raster_tile_clear_rgba16f(tile, due->color);
        else if (clears && i == DUE_COLOR)
            raster_tile_clear_color(tile, (uint32_t)due->color);
        else if (clears)
            raster_tile_clear_zs(tile, due->zs, UINT32_MAX);
        if (load)
            load_now(run, load);
        due->load[i] = NULL;
    }
    due->cleared &= ~halves;
}

/* The words of the buffer stay, wherever it stands from here. */
void vc4_buffer_place(struct vc4_tile_run *run, const struct vc4_op *op)
{
    const struct raster_tile *tile = &run->worker->raster.tile;
    if (tile->x != op->tile.x || tile->y != op->tile.y || run->rgba16f != op->tile.rgba16f)
        vc4_buffer_flush(run, VC4_HALF_ALL);
    raster_worker_place(&run->worker->raster, op->tile.x, op->tile.y, op->tile.size, op->tile.tall,
                        op->tile.samples);
    run->rgba16f = op->tile.rgba16f;
    run->worker->raster.tile.target = run->rgba16f ? RASTER_TARGET_RGBA16F : RASTER_TARGET_8888;
    run->has_mask = op->tile.has_mask;
    run->frame = (struct raster_rect){.x1 = (int32_t)op->tile.width, .y1 = (int32_t)op->tile.height};
}

void vc4_buffer_clear(struct vc4_tile_run *run, uint32_t halves, uint64_t color, uint32_t zs, uint8_t mask)
{
    struct vc4_due *due = &run->due;
    if (halves & VC4_HALF_COLOR)
        due->color = color;
    if (halves & VC4_HALF_ZS)
        due->zs = zs;
    if (halves & VC4_HALF_MASK && run->has_mask)
        raster_tile_clear_mask(&run->worker->raster.tile, mask);
    for (unsigned i = 0; i < DUE_COUNT; i++)
        due->load[i] = halves & due_halves[i] ? NULL : due->load[i];
    due->cleared |= halves & (VC4_HALF_COLOR | VC4_HALF_ZS);
}

/* Words outside the image stay. */
void vc4_buffer_load(struct vc4_tile_run *run, const struct vc4_op *op)
{
    uint32_t halves = vc4_op_halves(op);
    unsigned i = halves == VC4_HALF_ZS ? DUE_ZS : DUE_COLOR;
    bool later = halves == due_halves[i] && !run->device->options.reference;
    if (run->due.load[i] || !later)
        vc4_buffer_flush(run, halves);
    if (later)
        run->due.load[i] = op;
    else
        load_now(run, op);
}

/* Whether the store would give the image the words that the tile is still to be given from it. */
static bool returns(const struct vc4_op *op, const struct vc4_op *load)
{
    uint32_t format = op->surface.format;
    bool words = format == RASTER_R8G8B8A8_UNORM || format == RASTER_S8_UINT_Z24_UNORM;
    return load && words && vc4_same_image(&op->surface, &load->surface) && !op->resolve.shrink_x;
}

/* A tile that is still to be cleared: false when it is not stored as such. */
static bool store_cleared(const struct vc4_tile_run *run, const struct vc4_op *op, uint32_t halves)
{
    const struct raster_tile *tile = &run->worker->raster.tile;
    const struct raster_rect pixels = {tile->x, tile->y, tile->x + (int32_t)tile->width,
                                       tile->y + (int32_t)tile->height};
    return raster_surface_fill(&op->surface, (enum raster_target)tile->target,
                               halves == VC4_HALF_ZS ? run->due.zs : run->due.color, &pixels, op->resolve);
}

void vc4_buffer_store(struct vc4_tile_run *run, const struct vc4_op *op)
{
    struct raster_tile *tile = &run->worker->raster.tile;
    const struct vc4_due *due = &run->due;
    uint32_t halves = vc4_op_halves(op);
    const struct vc4_op *load = halves == VC4_HALF_MASK ? NULL : due->load[halves == VC4_HALF_ZS];
    bool reference = run->device->options.reference;
    if (returns(op, load) || (due->cleared & halves && !load && !reference && store_cleared(run, op, halves)))
        return;
    vc4_buffer_flush(run, halves);
    if (reference)
        raster_surface_store_ref(&op->surface, tile, op->resolve);
    else
        raster_surface_store(&op->surface, tile, op->resolve);
}
