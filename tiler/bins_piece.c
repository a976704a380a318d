/* Triangles, a piece of a draw at a time: indices and positions taken once, culled many vertices and many
 * triangles at a time, on all workers where that pays; what may be seen goes into the lists in order. */
#include "tiler/bins_internal.h"

#include "util/bits.h"

#define FEW    256u /* indices for which looking at each costs less than looking for those marked */
#define SPARSE 4u   /* vertices an index, in a run of them, from which on only those named are taken */

/* ---- taking ---- */

/* Vertices that the piece names, or all in their range, by their numbers in the piece. */
static void take_vertices(struct tiler_bins *b, uint32_t least, uint32_t greatest)
{
    struct tiler_bins_room *room = b->room;
    struct tiler_piece *piece = &room->piece;
    const struct tiler_window *w = &b->draw.window;
    const uint8_t *positions = b->arrays.positions + (uint64_t)b->origin * TILER_POSITION;
    uint32_t span = greatest - least + 1, count = piece->count, fresh;
    if (span / SPARSE <= count || !piece->indexed) {
        tiler_window_take(w, positions, NULL, least, span, &room->vertices, b->pool);
        return;
    }
    tiler_marks_begin(&piece->marks);
    if (count > FEW)
        tiler_marks_name(&piece->marks, piece->index, count);
    fresh = count > FEW ? tiler_marks_take(&piece->marks, least, greatest, room->fresh)
                        : tiler_marks_take_few(&piece->marks, piece->index, count, room->fresh);
    tiler_window_take(w, positions, room->fresh, 0, fresh, &room->vertices, b->pool);
}

/* The draw's next `count` indices; false: refused. */
static bool source_of(struct tiler_bins *b, uint32_t count, struct tiler_source *out)
{
    const struct tiler_draw *d = &b->draw;
    *out = (struct tiler_source){.length = d->count};
    if (!d->indexed)
        return true;
    out->base = d->base;
    out->log2 = d->index_log2;
    out->bytes = b->ports->indices(b->ctx, b->next, count);
    return out->bytes != NULL;
}

/* Vertices of pieces before that primitives of the next one have: of strips the last three, of fans the hub, too.
 * Pieces of lists have whole primitives. */
static uint32_t carried(const struct tiler_assembler *a, uint32_t out[4])
{
    const bool lists = a->mode == TILER_TRIANGLES || a->mode == TILER_QUADS;
    uint32_t n = 0;
    for (; !lists && n < 3 && n < a->taken; n++)
        out[n] = a->before[2 - n];
    if (a->taken && (a->mode == TILER_TRIANGLE_FAN || a->mode == TILER_POLYGON))
        out[n++] = a->first;
    return n;
}

static void widen_carried(const struct tiler_bins *b, struct tiler_range *range)
{
    uint32_t vertex[4], count = carried(&b->assembler, vertex);
    for (uint32_t n = 0; n < count; n++) {
        range->least = UTIL_MIN(range->least, vertex[n]);
        range->greatest = UTIL_MAX(range->greatest, vertex[n]);
    }
}

/* Where they stand in the piece before means nothing when that had another origin. */
static void take_carried(struct tiler_bins *b, const struct tiler_assembler *begin)
{
    uint32_t vertex[4], count = carried(begin, vertex);
    uint16_t index[4];
    for (uint32_t n = 0; n < count; n++)
        index[n] = (uint16_t)vertex[n];
    if (count)
        tiler_window_take(&b->draw.window, b->arrays.positions + (uint64_t)b->origin * TILER_POSITION, index,
                          0, count, &b->room->vertices, NULL);
}

static struct tiler_assembler moved(struct tiler_assembler a, uint32_t by)
{
    a.first += by;
    for (unsigned k = 0; k < 3; k++)
        a.before[k] += by;
    return a;
}

/* The next indices of the draw, as many as name vertices that 16 bits tell apart, from an origin on. *count 0: not
 * even a chunk does. */
static enum tiler_end fetch_piece(struct tiler_bins *b, uint32_t *count, struct tiler_range *range)
{
    const struct tiler_draw *d = &b->draw;
    struct tiler_piece *piece = &b->room->piece;
    const uint32_t base = d->indexed ? d->base : 0;
    struct tiler_source source;
    for (uint32_t most = d->indexed ? TILER_CHUNKS : TILER_MARKS / TILER_CHUNK; most; most /= 4) {
        *count = UTIL_MIN(d->count - b->next, most * TILER_CHUNK);
        if (!source_of(b, *count, &source))
            return TILER_REFUSED;
        /* Indices come from where this piece's begin; vertices of draws without are numbered from the draw's. */
        *range = tiler_piece_fetch(piece, &source, d->indexed ? 0 : b->next, *count, false, b->pool);
        if (range->least < base) {
            b->bad_index = range->least;
            return TILER_BAD_INDEX;
        }
        range->least -= base;
        range->greatest -= base;
        widen_carried(b, range);
        if (range->greatest - range->least < TILER_MARKS && range->greatest <= TILER_INDEX_MAX)
            return TILER_DONE;
    }
    *count = 0;
    return TILER_DONE;
}

enum tiler_end tiler_bins_piece_take(struct tiler_bins *b)
{
    struct tiler_piece *piece = &b->room->piece;
    struct tiler_range range;
    uint32_t count;
    enum tiler_end end = fetch_piece(b, &count, &range);
    if (end != TILER_DONE)
        return end;
    if (!count) { /* one by one */
        b->culls = false;
        return TILER_DONE;
    }
    b->origin = range.greatest < TILER_MARKS ? 0 : range.least;
    if (!b->ports->pay(b->ctx, count) || !b->ports->vertices(b->ctx, range.least, range.greatest, &b->arrays))
        return TILER_REFUSED;
    const struct tiler_assembler begin = moved(b->assembler, 0u - b->origin);
    tiler_piece_number_from(piece, b->origin);
    take_vertices(b, range.least - b->origin, range.greatest - b->origin);
    take_carried(b, &begin);
    tiler_piece_cull(piece, &begin, &b->cull, b->pool);
    b->assembler = moved(tiler_piece_assembler(piece, &begin, count), b->origin);
    b->next += count;
    b->chunk_at = b->kept_at = 0;
    b->chunks = tiler_piece_chunks(piece);
    for (uint32_t n = 0; n < b->chunks; n++)
        b->primitives_in += piece->chunk[n].primitives;
    return TILER_DONE;
}

/* ---- binning ---- */

/* One that is to be clipped, or stands further out than culling can tell. */
static enum tiler_end put_cut(struct tiler_bins *b, const struct tiler_triangle *t)
{
    if (!b->part_count) {
        const uint32_t index[3] = {b->origin + t->index[0], b->origin + t->index[1], b->origin + t->index[2]};
        tiler_bins_make_parts(b, index);
    }
    return tiler_bins_put_parts(b);
}

enum tiler_end tiler_bins_piece_put(struct tiler_bins *b)
{
    for (; b->chunk_at < b->chunks; b->chunk_at++, b->kept_at = 0) {
        const struct tiler_triangle *kept = b->room->piece.kept + b->chunk_at * TILER_CHUNK;
        uint32_t count = b->room->piece.chunk[b->chunk_at].kept;
        for (; b->kept_at < count; b->kept_at++) {
            const struct tiler_triangle *t = &kept[b->kept_at];
            enum tiler_end end = t->code ? put_cut(b, t) : tiler_bins_put_triangle(b, t);
            if (end != TILER_DONE)
                return end;
        }
    }
    return TILER_DONE;
}
