/* Tile lists as they are written: entries at the end of each list's block, new blocks and records from the
 * family (list.h). */
#include "tiler/bins_internal.h"

#include <string.h>

#include "util/bits.h"

#define ENTRY      TILER_ENTRY
#define LISTS_PAID 16u /* lists for one unit of cost */

void tiler_bin_begin(struct tiler_bin *bin, uint32_t place, uint32_t bytes)
{
    *bin = (struct tiler_bin){.at = place, .end = place + bytes, .first = place};
}

void tiler_bins_resume(struct tiler_bins *b, uint32_t count)
{
    b->resumed = true;
    for (uint32_t n = 0; n < count; n++)
        b->bin[n].checked = false;
}

/* A record's copy in the lists' memory; *place stays 0 when there is no room. */
static enum tiler_end put_record(struct tiler_bins *b, const void *record, uint32_t bytes, uint32_t *place)
{
    uint32_t at;
    enum tiler_end end = b->ports->record(b->ctx, bytes, &at);
    if (end != TILER_DONE)
        return end;
    memcpy(b->base + at, record, bytes);
    *place = at;
    return TILER_DONE;
}

/* The list's block may be written from `at` on. */
static bool check(struct tiler_bins *b, struct tiler_bin *bin)
{
    if (!bin->checked)
        bin->checked = b->ports->writable(b->ctx, bin, bin->at, bin->end - bin->at);
    return bin->checked;
}

static void put(struct tiler_bins *b, struct tiler_bin *bin, uint64_t entry)
{
    memcpy(b->base + bin->at, &entry, ENTRY);
    bin->at += ENTRY;
}

/* Room for `count` entries in the list, and one to go on. */
static enum tiler_end make_room(struct tiler_bins *b, struct tiler_bin *bin, uint32_t count)
{
    uint32_t next, bytes;
    if (!check(b, bin))
        return TILER_REFUSED;
    if ((count + 1) * ENTRY <= bin->end - bin->at)
        return TILER_DONE;
    enum tiler_end end = b->ports->block(b->ctx, bin, &next, &bytes);
    if (end != TILER_DONE)
        return end;
    put(b, bin, tiler_entry_place(TILER_ENTRY_NEXT, next));
    bin->at = next;
    bin->end = next + bytes;
    bin->checked = false;
    return check(b, bin) ? TILER_DONE : TILER_REFUSED;
}

static uint64_t state_entry(uint32_t record, bool four_samples)
{
    return tiler_entry_place(TILER_ENTRY_STATE, record) | (four_samples ? TILER_ENTRY_FOUR_SAMPLES : 0);
}

static void put_state(struct tiler_bins *b, struct tiler_bin *bin)
{
    if (bin->at == bin->first)
        bin->first_record = b->record_at;
    put(b, bin, state_entry(b->record_at, b->draw.four_samples));
    bin->record = b->record_at;
    bin->four_samples |= b->draw.four_samples;
}

static enum tiler_end put_entry(struct tiler_bins *b, struct tiler_bin *bin, const uint64_t *word,
                                uint32_t words)
{
    bool state = bin->record != b->record_at;
    if (state || !bin->checked || (words + 1) * ENTRY > bin->end - bin->at) {
        enum tiler_end end = make_room(b, bin, words + state);
        if (end != TILER_DONE)
            return end;
    }
    if (state)
        put_state(b, bin);
    if (b->draw.told)
        b->ports->binned(b->ctx, bin->at, b->primitive);
    for (uint32_t i = 0; i < words; i++)
        put(b, bin, word[i]);
    return TILER_DONE;
}

/* ---- which lists ---- */

/* The tiles that a part may touch, into b->spans; false: none. */
static bool cover(struct tiler_bins *b, const struct tiler_bins_part *part)
{
    static const uint8_t corners[] = {[TILER_ENTRY_TRIANGLE] = 3,
                                      [TILER_ENTRY_LINE] = 2,
                                      [TILER_ENTRY_POINT] = 1,
                                      [TILER_ENTRY_RECTANGLE] = 4,
                                      [TILER_ENTRY_CLIPPED_TRIANGLE] = 3,
                                      [TILER_ENTRY_CLIPPED_LINE] = 2};
    const struct tiler_grid *grid = &b->draw.grid;
    unsigned count = corners[part->kind];
    int32_t x0 = part->x[0], x1 = x0, y0 = part->y[0], y1 = y0;
    struct tiler_box box;
    for (unsigned i = 1; i < count; i++) {
        x0 = UTIL_MIN(x0, part->x[i]);
        x1 = UTIL_MAX(x1, part->x[i]);
        y0 = UTIL_MIN(y0, part->y[i]);
        y1 = UTIL_MAX(y1, part->y[i]);
    }
    if (!tiler_bounds(grid, x0 - part->reach, y0 - part->reach, x1 + part->reach, y1 + part->reach, &box))
        return false;
    if (count == 3 && !tiler_box_is_strip(&box)) {
        tiler_cover_triangle(grid, &box, part->x, part->y, &b->spans);
    } else if (count == 2 && !tiler_box_is_strip(&box)) {
        tiler_cover_line(grid, &box, part->x, part->y, part->reach, &b->spans);
    } else {
        b->spans.y = box.y0;
        b->spans.count = box.y1 - box.y0 + 1;
        for (int32_t r = 0; r < b->spans.count; r++) {
            b->spans.row[r].first = box.x0;
            b->spans.row[r].last = box.x1;
        }
    }
    return true;
}

/* Rows of the grid that share a row of lists, as one run of lists: rows *r.. of b->spans, of which *r
 * becomes the first of the next. False: nothing in them. */
static bool join_rows(const struct tiler_bins *b, int32_t *r, int32_t *row, int32_t *first, int32_t *last)
{
    const struct tiler_draw *d = &b->draw;
    *row = (b->spans.y + *r) >> d->shift_y;
    *first = INT32_MAX;
    *last = -1;
    for (; *r < b->spans.count && (b->spans.y + *r) >> d->shift_y == *row; ++*r) {
        if (b->spans.row[*r].last < b->spans.row[*r].first)
            continue;
        *first = UTIL_MIN(*first, b->spans.row[*r].first >> d->shift_x);
        *last = UTIL_MAX(*last, b->spans.row[*r].last >> d->shift_x);
    }
    return *first <= *last;
}

/* An entry of the draw, to be put into many lists. */
struct entry {
    uint64_t word[2];
    uint32_t words, looked; /* lists passed so far */
};

/* The list of column x and row y of lists. */
static struct tiler_bin *list_of(struct tiler_bins *b, int32_t x, int32_t y)
{
    const struct tiler_draw *d = &b->draw;
    return &b->bin[(uint32_t)y * d->row + (uint32_t)x * d->column];
}

/* Into lists first..last of a row, but for those that have it. */
static enum tiler_end put_run(struct tiler_bins *b, struct entry *e, int32_t row, int32_t first, int32_t last)
{
    for (int32_t x = first; x <= last; x++, e->looked++) {
        if (e->looked < b->lists_done)
            continue;
        enum tiler_end end = put_entry(b, list_of(b, x, row), e->word, e->words);
        if (end != TILER_DONE)
            return end;
        b->lists_done++;
    }
    return TILER_DONE;
}

static enum tiler_end put_spans(struct tiler_bins *b, struct entry *e)
{
    for (int32_t r = 0; r < b->spans.count;) {
        int32_t row, first, last;
        if (!join_rows(b, &r, &row, &first, &last))
            continue;
        enum tiler_end end = put_run(b, e, row, first, last);
        if (end != TILER_DONE)
            return end;
    }
    return TILER_DONE;
}

static enum tiler_end put_box(struct tiler_bins *b, struct entry *e, const struct tiler_box *box)
{
    const struct tiler_draw *d = &b->draw;
    for (int32_t row = box->y0 >> d->shift_y; row <= box->y1 >> d->shift_y; row++) {
        enum tiler_end end = put_run(b, e, row, box->x0 >> d->shift_x, box->x1 >> d->shift_x);
        if (end != TILER_DONE)
            return end;
    }
    return TILER_DONE;
}

static enum tiler_end need_record(struct tiler_bins *b)
{
    const struct tiler_draw *d = &b->draw;
    return b->record_at ? TILER_DONE : put_record(b, d->record, d->record_bytes, &b->record_at);
}

/* A part or triangle is in its lists as far as `end` tells. */
static enum tiler_end account(struct tiler_bins *b, enum tiler_end end, uint32_t before)
{
    if (end != TILER_DONE)
        return end;
    if (!b->ports->pay(b->ctx, (b->lists_done - before) / LISTS_PAID))
        return TILER_REFUSED;
    b->primitives_binned++;
    b->lists_done = 0;
    return end;
}

static inline void name(const struct tiler_bins *b, uint32_t index)
{
    const uint32_t n = index - b->named.first;
    if (n < b->named.count)
        b->named.of[n] = 1;
}

static enum tiler_end add_part(struct tiler_bins *b, struct tiler_bins_part *part)
{
    bool clipped = part->kind == TILER_ENTRY_CLIPPED_TRIANGLE || part->kind == TILER_ENTRY_CLIPPED_LINE;
    struct entry e = {.words = 1};
    uint32_t before = b->lists_done;
    if (!cover(b, part))
        return TILER_DONE;
    for (unsigned k = 0; k < 3; k++)
        name(b, part->index[k]);
    enum tiler_end end = need_record(b);
    if (end == TILER_DONE && clipped && !part->record)
        end = put_record(b, &part->clipped, sizeof part->clipped, &part->record);
    if (end != TILER_DONE)
        return end;
    if (clipped)
        e.word[0] = tiler_entry_place(part->kind, part->record);
    else
        e.words = tiler_entry_encode(part->kind, part->index, e.word);
    return account(b, put_spans(b, &e), before);
}

enum tiler_end tiler_bins_put_parts(struct tiler_bins *b)
{
    for (; b->part_at < b->part_count; b->part_at++) {
        enum tiler_end end = add_part(b, &b->part[b->part_at]);
        if (end != TILER_DONE)
            return end;
    }
    b->part_at = b->part_count = 0;
    return TILER_DONE;
}

/* ---- whole triangles ---- */

/* Numbers of 16 bits lie near enough to each other for one word. */
static inline uint64_t triangle_word(const uint16_t index[3], uint32_t origin)
{
    const uint32_t wide[3] = {origin + index[0], origin + index[1], origin + index[2]};
    uint64_t word[2];
    tiler_entry_encode(TILER_ENTRY_TRIANGLE, wide, word);
    return word[0];
}

static enum tiler_end add_triangle(struct tiler_bins *b, const struct tiler_triangle *t)
{
    const struct tiler_box box = {t->box.x0, t->box.y0, t->box.x1, t->box.y1};
    const struct tiler_cull *cull = &b->cull;
    struct entry e = {.word = {triangle_word(t->index, b->origin)}, .words = 1};
    uint32_t before = b->lists_done;
    enum tiler_end end = need_record(b);
    if (end != TILER_DONE)
        return end;
    if (tiler_box_is_strip(&box))
        return account(b, put_box(b, &e, &box), before);
    int32_t x[3], y[3];
    for (unsigned k = 0; k < 3; k++) {
        x[k] = tiler_vertex_x(&cull->vertex[t->index[k]]) + cull->x;
        y[k] = tiler_vertex_y(&cull->vertex[t->index[k]]) + cull->y;
    }
    tiler_cover_triangle(&b->draw.grid, &box, x, y, &b->spans);
    return account(b, put_spans(b, &e), before);
}

/* Most are in one list, which has room and the draw's record. */
enum tiler_end tiler_bins_put_triangle(struct tiler_bins *b, const struct tiler_triangle *t)
{
    const struct tiler_draw *d = &b->draw;
    int32_t x = t->box.x0 >> d->shift_x, y = t->box.y0 >> d->shift_y;
    struct tiler_bin *bin = list_of(b, x, y);
    for (unsigned k = 0; b->named.count && k < 3; k++)
        name(b, b->origin + t->index[k]);
    if (x != t->box.x1 >> d->shift_x || y != t->box.y1 >> d->shift_y || !b->record_at ||
        bin->record != b->record_at || !bin->checked || 2 * ENTRY > bin->end - bin->at)
        return add_triangle(b, t);
    put(b, bin, triangle_word(t->index, b->origin));
    b->primitives_binned++;
    return TILER_DONE;
}

/* ---- ends ---- */

/* The list's first entry speaks for all of it. */
static bool say_samples(struct tiler_bins *b, struct tiler_bin *bin)
{
    uint64_t entry = state_entry(bin->first_record, true);
    if (!b->ports->writable(b->ctx, bin, bin->first, ENTRY))
        return false;
    memcpy(b->base + bin->first, &entry, ENTRY);
    return true;
}

enum tiler_end tiler_bin_end(struct tiler_bins *b, struct tiler_bin *bin, const struct tiler_bin *link)
{
    if (!check(b, bin) || (bin->four_samples && !say_samples(b, bin)))
        return TILER_REFUSED;
    put(b, bin,
        link ? tiler_entry_place(TILER_ENTRY_NEXT, link->first) : tiler_entry_place(TILER_ENTRY_END, 0));
    bin->at -= ENTRY; /* said twice it does no harm */
    return TILER_DONE;
}
