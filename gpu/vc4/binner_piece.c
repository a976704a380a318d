/* Primitive lists, a piece at a time: indices fetched once, vertices shaded once, triangles assembled and
 * culled (tiler/piece.h); then binned in order. */
#include "gpu/vc4/binner_internal.h"
#include "util/bits.h"

#define INDEX_COST 16u  /* indices for one unit of the packet budget */
#define FEW        256u /* indices for which looking at each costs less than looking for those marked */

/* ---- vertices ---- */

static bool index_too_great(struct vc4_binner *b, const struct vc4_bin_source *s, uint64_t at)
{
    const uint16_t *index = b->piece->list.index;
    uint32_t i = 0;
    while (index[i] <= s->max_index)
        i++;
    return vc4_binner_fail(b, GPU_FAULT_PACKET, b->draw_address,
                           "index %u (number %llu) is greater than the maximum, %u", index[i],
                           (unsigned long long)at + i, s->max_index);
}

/* The piece's indices taken, and their vertices shaded. */
static bool take(struct vc4_binner *b, const struct vc4_bin_source *s, uint64_t at, uint32_t count)
{
    struct vc4_bin_piece *p = b->piece;
    struct tiler_piece *list = &p->list;
    struct tiler_range range =
        tiler_piece_fetch(list, &s->list, at, count, count > FEW, b->device->options.pool);
    if (!list->indexed)
        return vc4_binner_prepare_stage(b, range.greatest) && vc4_binner_shade(b, NULL, list->first, count);
    uint32_t fresh = count > FEW ? tiler_marks_take(&list->marks, range.least, range.greatest, p->fresh)
                                 : tiler_marks_take_few(&list->marks, list->index, count, p->fresh);
    if (range.greatest > s->max_index)
        return index_too_great(b, s, at);
    return vc4_binner_prepare_stage(b, range.greatest) && (!fresh || vc4_binner_shade(b, p->fresh, 0, fresh));
}

/* ---- primitives ---- */

/* Triangles that nobody watches: culled in any order, binned in theirs. */
static bool bin_triangles(struct vc4_binner *b)
{
    struct tiler_piece *p = &b->piece->list;
    tiler_piece_cull(p, &b->assembler, &b->cull, b->device->options.pool);
    for (uint32_t i = 0; i < tiler_piece_chunks(p); i++) {
        const struct tiler_chunk *chunk = &p->chunk[i];
        b->primitives_in += chunk->primitives;
        b->outside += chunk->culled.outside;
        b->reversed += chunk->culled.reversed;
        if (!vc4_binner_triangles(b, p->kept + i * TILER_CHUNK, chunk->kept))
            return false;
    }
    return true;
}

static bool bin_others(struct vc4_binner *b)
{
    const struct tiler_piece *p = &b->piece->list;
    uint32_t made[TILER_CHUNK][3];
    for (uint32_t i = 0; i < tiler_piece_chunks(p); i++) {
        uint32_t count = tiler_piece_assemble(p, &b->assembler, i, made);
        if (!vc4_binner_primitives(b, (const uint32_t(*)[3])made, count))
            return false;
    }
    return true;
}

/* ---- the list ---- */

static bool draw_piece(struct vc4_binner *b, const struct vc4_bin_source *s, uint64_t at)
{
    uint32_t count = (uint32_t)UTIL_MIN(s->list.length - at, (uint64_t)TILER_PIECE);
    if (!vc4_binner_spend(b, count / INDEX_COST, b->draw_address) || !take(b, s, at, count))
        return false;
    bool culls = b->primitive == VC4_TRIANGLES && !b->observer;
    if (!(culls ? bin_triangles(b) : bin_others(b)))
        return false;
    b->assembler = tiler_piece_assembler(&b->piece->list, &b->assembler, count);
    return true;
}

bool vc4_binner_draw_source(struct vc4_binner *b, const struct vc4_bin_source *s, enum tiler_mode mode)
{
    uint32_t last[1][3];
    tiler_assemble_begin(&b->assembler, mode);
    tiler_marks_begin(&b->piece->list.marks);
    for (uint64_t at = 0; at < s->list.length; at += TILER_PIECE)
        if (!draw_piece(b, s, at))
            return false;
    uint32_t n = tiler_assemble_end(&b->assembler, last);
    return vc4_binner_primitives(b, (const uint32_t(*)[3])last, n);
}
