/* Triangles, a piece of a draw at a time: indices and positions taken once, culled many vertices and many
 * triangles at a time, on all workers where that pays; what may be seen goes into the lists in order. */
#include "tiler/bins_internal.h"

#include "util/bits.h"

#define FEW    256u /* indices for which looking at each costs less than looking for those marked */
#define SPARSE 4u   /* vertices an index, in a run of them, from which on only those named are taken */

/* ---- taking ---- */

/* Vertices that the piece names, or all in their range. */
static void take_vertices(struct tiler_bins *b, uint32_t least, uint32_t greatest)
{
    struct tiler_bins_room *room = b->room;
    struct tiler_piece *piece = &room->piece;
    const struct tiler_window *w = &b->draw.window;
    const uint8_t *positions = b->arrays.positions;
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

enum tiler_end tiler_bins_piece_take(struct tiler_bins *b)
{
    const struct tiler_draw *d = &b->draw;
    struct tiler_piece *piece = &b->room->piece;
    uint32_t count = UTIL_MIN(d->count - b->next, TILER_PIECE), base = d->indexed ? d->base : 0;
    struct tiler_source source;
    if (!source_of(b, count, &source))
        return TILER_REFUSED;
    /* Indices come from where this piece's begin; vertices of draws without are numbered from the draw's. */
    struct tiler_range range =
        tiler_piece_fetch(piece, &source, d->indexed ? 0 : b->next, count, false, b->pool);
    if (range.least < base) {
        b->bad_index = range.least;
        return TILER_BAD_INDEX;
    }
    if (range.greatest - base >= TILER_MARKS) { /* culling knows them by 16 bits */
        b->culls = false;
        return TILER_DONE;
    }
    if (!b->ports->pay(b->ctx, count) ||
        !b->ports->vertices(b->ctx, range.least - base, range.greatest - base, &b->arrays))
        return TILER_REFUSED;
    take_vertices(b, range.least - base, range.greatest - base);
    tiler_piece_cull(piece, &b->assembler, &b->cull, b->pool);
    b->assembler = tiler_piece_assembler(piece, &b->assembler, count);
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
        const uint32_t index[3] = {t->index[0], t->index[1], t->index[2]};
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
