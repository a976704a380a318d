/* Triangles, a piece of a draw at a time: indices and positions taken once, culled sixteen vertices and many
 * triangles at a time, on all workers where that pays; what may be seen goes into the lists in order. */
#include "gpu/utgard/plbu_internal.h"
#include "util/bits.h"

#define FEW    256u /* indices for which looking at each costs less than looking for those marked */
#define SPARSE 4u   /* vertices an index, in a run of them, from which on only those named are taken */

/* ---- taking ---- */

/* Vertices that the piece names, or all in their range. */
static void take_vertices(struct utgard_plbu *p, uint32_t least, uint32_t greatest)
{
    struct tiler_piece *piece = p->list;
    uint32_t span = greatest - least + 1, count = piece->count;
    if (span / SPARSE <= count || !piece->indexed) {
        plbu_vertices_take(p, NULL, least, span);
        return;
    }
    tiler_marks_begin(&piece->marks);
    if (count > FEW)
        tiler_marks_name(&piece->marks, piece->index, count);
    uint32_t fresh = count > FEW ? tiler_marks_take(&piece->marks, least, greatest, p->fresh)
                                 : tiler_marks_take_few(&piece->marks, piece->index, count, p->fresh);
    plbu_vertices_take(p, p->fresh, 0, fresh);
}

static bool source_of(struct utgard_plbu *p, const struct plbu_draw *d, uint32_t count,
                      struct tiler_source *out)
{
    *out = (struct tiler_source){.length = d->count, .base = d->start};
    if (!d->indexed)
        return true;
    out->log2 = d->index_log2;
    out->bytes = plbu_indices(p, d->next, count);
    return out->bytes != NULL;
}

bool plbu_piece_take(struct utgard_plbu *p)
{
    struct plbu_draw *d = &p->draw;
    uint32_t count = UTIL_MIN(d->count - d->next, TILER_PIECE);
    struct tiler_source source;
    if (!source_of(p, d, count, &source))
        return false;
    /* Indices come from where this piece's begin; vertices of draws without are numbered from the draw's. */
    struct tiler_range range =
        tiler_piece_fetch(p->list, &source, d->indexed ? 0 : d->next, count, false, p->pool);
    uint32_t base = d->indexed ? d->start : 0;
    if (range.least < base)
        return plbu_bad_index(p, range.least);
    if (range.greatest - base >= TILER_MARKS) { /* culling knows them by 16 bits */
        d->culls = false;
        return true;
    }
    if (!plbu_pay(p, count) || !plbu_check_vertices(p, range.least - base, range.greatest - base))
        return false;
    take_vertices(p, range.least - base, range.greatest - base);
    tiler_piece_cull(p->list, &d->assembler, &d->cull, p->pool);
    d->assembler = tiler_piece_assembler(p->list, &d->assembler, count);
    d->next += count;
    d->chunk_at = d->kept_at = 0;
    d->chunks = tiler_piece_chunks(p->list);
    for (uint32_t n = 0; n < d->chunks; n++)
        p->counters->primitives_in += p->list->chunk[n].primitives;
    return true;
}

/* ---- binning ---- */

/* One that is to be clipped, or stands further out than culling can tell. */
static enum utgard_plbu_end bin_cut(struct utgard_plbu *p, const struct tiler_triangle *t)
{
    if (!p->draw.piece_count) {
        const uint32_t index[3] = {t->index[0], t->index[1], t->index[2]};
        plbu_make_pieces(p, index);
    }
    return plbu_bins_add_pieces(p);
}

enum utgard_plbu_end plbu_piece_bin(struct utgard_plbu *p)
{
    struct plbu_draw *d = &p->draw;
    for (; d->chunk_at < d->chunks; d->chunk_at++, d->kept_at = 0) {
        const struct tiler_triangle *kept = p->list->kept + d->chunk_at * TILER_CHUNK;
        uint32_t count = p->list->chunk[d->chunk_at].kept;
        for (; d->kept_at < count; d->kept_at++) {
            const struct tiler_triangle *t = &kept[d->kept_at];
            enum utgard_plbu_end end = t->code ? bin_cut(p, t) : plbu_bins_add_triangle(p, t);
            if (end != UTGARD_PLBU_DONE)
                return end;
        }
    }
    return UTGARD_PLBU_DONE;
}
