/* Draws: from indices to assembled primitives, as far as the lists have room. */
#include "tiler/bins_internal.h"

#include "util/bits.h"

void tiler_bins_draw_begin(struct tiler_bins *b, const struct tiler_draw *draw)
{
    const struct tiler_window *w = &draw->window;
    b->draw = *draw;
    b->record_at = 0;
    b->primitive = b->prim_number = 0;
    if (tiler_draw_culls(draw))
        b->cull = (struct tiler_cull){.vertex = b->room->vertices.at,
                                      .keep_positive = draw->keep_positive,
                                      .keep_negative = draw->keep_negative,
                                      .x = (int32_t)(w->centre_x * 16),
                                      .y = (int32_t)(w->centre_y * 16),
                                      .grid = draw->grid};
    tiler_bins_run_begin(b, draw->count);
}

void tiler_bins_run_begin(struct tiler_bins *b, uint32_t count)
{
    b->draw.count = count;
    b->ended = b->resumed = false;
    b->culls = tiler_draw_culls(&b->draw);
    b->next = b->origin = 0;
    b->chunk_at = b->chunks = b->kept_at = 0;
    b->prim_count = b->prim_at = b->part_count = b->part_at = b->lists_done = 0;
    tiler_assemble_begin(&b->assembler, b->draw.mode);
    b->assembler.first_provokes = b->draw.first_provokes;
}

/* ---- primitives one by one ---- */

/* `count` indices from number `next` on, as numbers of vertices. */
static enum tiler_end read_indices(struct tiler_bins *b, uint32_t count, uint32_t *index)
{
    const struct tiler_draw *d = &b->draw;
    uint32_t base = d->indexed ? d->base : 0;
    const uint8_t *at = d->indexed ? b->ports->indices(b->ctx, b->next, count) : NULL;
    if (d->indexed && !at)
        return TILER_REFUSED;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t value = b->next + n;
        if (at)
            value = d->index_log2 == 2   ? util_load32(at + n * 4)
                    : d->index_log2 == 1 ? util_load16(at + n * 2)
                                         : at[n];
        index[n] = value - base;
        b->bad_index = value;
        if (value < base || index[n] > TILER_INDEX_MAX)
            return TILER_BAD_INDEX;
    }
    return TILER_DONE;
}

/* Whether the vertices that a run of indices names may be read. */
static bool check_run(struct tiler_bins *b, const uint32_t *index, uint32_t count)
{
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t n = 0; n < count; n++) {
        least = UTIL_MIN(least, index[n]);
        most = UTIL_MAX(most, index[n]);
    }
    return b->ports->vertices(b->ctx, least, most, &b->arrays);
}

static enum tiler_end next_chunk(struct tiler_bins *b)
{
    uint32_t index[TILER_BINS_CHUNK], count = UTIL_MIN(TILER_BINS_CHUNK, b->draw.count - b->next);
    b->prim_at = b->prim_count = 0;
    if (!b->ports->pay(b->ctx, count))
        return TILER_REFUSED;
    enum tiler_end end = read_indices(b, count, index);
    if (end != TILER_DONE)
        return end;
    if (!check_run(b, index, count))
        return TILER_REFUSED;
    b->prim_count = tiler_assemble(&b->assembler, index, count, b->prim);
    b->next += count;
    return TILER_DONE;
}

/* The next primitive becomes parts. Once the lists have stood still, what was checked before may have gone.
 */
static bool next_primitive(struct tiler_bins *b)
{
    const uint32_t *index = b->prim[b->prim_at];
    unsigned vertices = tiler_mode_vertices(b->draw.mode);
    for (unsigned k = 0; b->resumed && k < vertices; k++)
        if (!b->ports->vertices(b->ctx, index[k], index[k], &b->arrays))
            return false;
    tiler_bins_make_parts(b, index);
    b->primitives_in++;
    b->prim_at++;
    return true;
}

static enum tiler_end put_primitives(struct tiler_bins *b)
{
    for (;;) {
        enum tiler_end end = tiler_bins_put_parts(b);
        if (end != TILER_DONE || b->prim_at == b->prim_count)
            return end;
        b->primitive = b->prim_number++;
        if (!next_primitive(b))
            return TILER_REFUSED;
    }
}

/* ---- the loop ---- */

/* More to bin. */
static enum tiler_end next(struct tiler_bins *b)
{
    if (b->next < b->draw.count)
        return b->culls ? tiler_bins_piece_take(b) : next_chunk(b);
    b->prim_at = 0;
    b->prim_count = tiler_assemble_end(&b->assembler, b->prim);
    b->ended = true;
    return TILER_DONE;
}

enum tiler_end tiler_bins_draw(struct tiler_bins *b)
{
    for (;;) {
        enum tiler_end end = b->culls ? tiler_bins_piece_put(b) : put_primitives(b);
        if (end == TILER_DONE && b->ended)
            return TILER_DONE;
        if (end == TILER_DONE)
            end = next(b);
        if (end != TILER_DONE)
            return end;
    }
}
