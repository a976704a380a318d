/* Tile lists as they are written: entries at the end of each list's block, new blocks and records from the
 * heap (bin.h). */
#include <string.h>

#include "gpu/utgard/plbu_internal.h"
#include "util/bits.h"

#define ENTRY         8u  /* bytes */
#define BLOCKS_A_UNIT 16u /* of the packet budget */

enum utgard_plbu_end plbu_bins_begin(struct utgard_plbu *p, uint32_t address, uint32_t count)
{
    p->block_bytes = 128u << p->reg.setup[UTGARD_SETUP_BLOCK_SIZE];
    if (count > PLBU_MAX_BLOCKS) {
        gpu_fault_set(&p->stop->fault, GPU_FAULT_PACKET, PLBU_UNIT, p->at, "%u blocks are more than %u",
                      count, PLBU_MAX_BLOCKS);
        return UTGARD_PLBU_POINTER_ARRAY;
    }
    const uint8_t *at =
        utgard_at(p->space, address, count * 4ull, GPU_RIGHT_READ, PLBU_UNIT, "array of blocks", p->stop);
    if (!at || !plbu_pay(p, count))
        return UTGARD_PLBU_FAULT;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t block = util_load32(at + n * 4) & ~(ENTRY - 1);
        p->block[n] = (struct plbu_block){.at = block, .end = block + p->block_bytes, .first = block};
    }
    p->block_count = count;
    return UTGARD_PLBU_DONE;
}

/* Room in the heap: its address, or 0 when there is none left. A heap never begins at 0. */
static uint32_t heap_take(struct utgard_plbu *p, uint32_t bytes)
{
    uint32_t at = p->heap_at;
    if (at >= p->heap_end || p->heap_end - at < bytes)
        return 0;
    p->heap_at += bytes;
    return at;
}

/* A record's copy in the heap; *address stays 0 when the heap is full. */
static enum utgard_plbu_end put_record(struct utgard_plbu *p, const void *record, uint32_t bytes,
                                       uint32_t *address)
{
    uint32_t at = heap_take(p, bytes);
    if (!at)
        return UTGARD_PLBU_OUT_OF_MEMORY;
    uint8_t *to = utgard_at(p->space, at, bytes, GPU_RIGHT_WRITE, PLBU_UNIT, "record", p->stop);
    if (!to)
        return UTGARD_PLBU_FAULT;
    memcpy(to, record, bytes);
    *address = at;
    return UTGARD_PLBU_DONE;
}

/* The block's pages may be written from `at` on. */
static bool check(struct utgard_plbu *p, struct plbu_block *block)
{
    if (!block->checked)
        block->checked = utgard_at(p->space, block->at, block->end - block->at, GPU_RIGHT_WRITE, PLBU_UNIT,
                                   "block of a tile list", p->stop) != NULL;
    return block->checked;
}

static void put(struct utgard_plbu *p, struct plbu_block *block, uint64_t entry)
{
    memcpy(p->space->window.base + block->at, &entry, ENTRY);
    block->at += ENTRY;
}

/* Of the blocks of the list's square, the next that only names the list: what is behind that entry; 0: none.
 */
static uint32_t spare_block(struct utgard_plbu *p, struct plbu_block *block)
{
    const struct plbu_draw *d = &p->draw;
    uint32_t first = (uint32_t)(block - p->block), stride = p->reg.stride, columns = 1u << d->join_x;
    while (++block->spares < columns << d->join_y) {
        uint32_t x = first % stride + block->spares % columns, y = first / stride + block->spares / columns;
        if (x < stride && y * stride + x < p->block_count)
            return p->block[y * stride + x].first + ENTRY;
    }
    return 0;
}

/* Room for `count` entries in the list, and one to go on. */
static enum utgard_plbu_end make_room(struct utgard_plbu *p, struct plbu_block *block, uint32_t count)
{
    if (!check(p, block))
        return UTGARD_PLBU_FAULT;
    if ((count + 1) * ENTRY <= block->end - block->at)
        return UTGARD_PLBU_DONE;
    uint32_t spare = spare_block(p, block), next = spare ? spare : heap_take(p, p->block_bytes);
    if (!next)
        return UTGARD_PLBU_OUT_OF_MEMORY;
    put(p, block, utgard_bin_address(UTGARD_BIN_NEXT, next));
    block->at = next;
    block->end = next + p->block_bytes - (spare ? ENTRY : 0);
    block->checked = false;
    p->counters->bytes_tile_lists += spare ? 0 : p->block_bytes;
    return check(p, block) ? UTGARD_PLBU_DONE : UTGARD_PLBU_FAULT;
}

static uint64_t state_entry(uint32_t address, bool four_samples)
{
    return utgard_bin_address(UTGARD_BIN_STATE, address) | (four_samples ? UTGARD_BIN_FOUR_SAMPLES : 0);
}

static void put_state(struct utgard_plbu *p, struct plbu_block *block)
{
    const struct plbu_draw *d = &p->draw;
    if (block->at == block->first)
        block->first_state = d->state_at;
    put(p, block, state_entry(d->state_at, d->four_samples));
    block->state = d->state_at;
    block->four_samples |= d->four_samples;
}

static enum utgard_plbu_end put_entry(struct utgard_plbu *p, struct plbu_block *block, const uint64_t *word,
                                      uint32_t words)
{
    bool state = block->state != p->draw.state_at;
    if (state || !block->checked || (words + 1) * ENTRY > block->end - block->at) {
        enum utgard_plbu_end end = make_room(p, block, words + state);
        if (end != UTGARD_PLBU_DONE)
            return end;
    }
    if (state)
        put_state(p, block);
    if (p->observer)
        plbu_observe_entry(p, block->at);
    for (uint32_t i = 0; i < words; i++)
        put(p, block, word[i]);
    return UTGARD_PLBU_DONE;
}

/* ---- which lists ---- */

/* The tiles that a piece may touch, into p->spans; false: none. */
static bool cover(struct utgard_plbu *p, const struct plbu_piece *piece)
{
    static const uint8_t corners[] = {[UTGARD_BIN_TRIANGLE] = 3,
                                      [UTGARD_BIN_LINE] = 2,
                                      [UTGARD_BIN_POINT] = 1,
                                      [UTGARD_BIN_RECTANGLE] = 4,
                                      [UTGARD_BIN_CLIPPED_TRIANGLE] = 3,
                                      [UTGARD_BIN_CLIPPED_LINE] = 2};
    const struct tiler_grid *grid = &p->draw.grid;
    unsigned count = corners[piece->kind];
    int32_t x0 = piece->x[0], x1 = x0, y0 = piece->y[0], y1 = y0;
    struct tiler_box box;
    for (unsigned i = 1; i < count; i++) {
        x0 = UTIL_MIN(x0, piece->x[i]);
        x1 = UTIL_MAX(x1, piece->x[i]);
        y0 = UTIL_MIN(y0, piece->y[i]);
        y1 = UTIL_MAX(y1, piece->y[i]);
    }
    if (!tiler_bounds(grid, x0 - piece->reach, y0 - piece->reach, x1 + piece->reach, y1 + piece->reach, &box))
        return false;
    if (count == 3 && !tiler_box_is_strip(&box)) {
        tiler_cover_triangle(grid, &box, piece->x, piece->y, &p->spans);
    } else if (count == 2 && !tiler_box_is_strip(&box)) {
        tiler_cover_line(grid, &box, piece->x, piece->y, piece->reach, &p->spans);
    } else {
        p->spans.y = box.y0;
        p->spans.count = box.y1 - box.y0 + 1;
        for (int32_t r = 0; r < p->spans.count; r++) {
            p->spans.row[r].first = box.x0;
            p->spans.row[r].last = box.x1;
        }
    }
    return true;
}

/* Rows of the grid that share a row of blocks, as one run of blocks: rows *r.. of p->spans, of which *r
 * becomes the first of the next. False: nothing in them. */
static bool join_rows(const struct utgard_plbu *p, int32_t *r, int32_t *row, int32_t *first, int32_t *last)
{
    const struct plbu_draw *d = &p->draw;
    *row = (p->spans.y + *r) >> d->shift_y;
    *first = INT32_MAX;
    *last = -1;
    for (; *r < p->spans.count && (p->spans.y + *r) >> d->shift_y == *row; ++*r) {
        if (p->spans.row[*r].last < p->spans.row[*r].first)
            continue;
        *first = UTIL_MIN(*first, p->spans.row[*r].first >> d->shift_x);
        *last = UTIL_MAX(*last, p->spans.row[*r].last >> d->shift_x);
    }
    return *first <= *last;
}

/* An entry of the draw, to be put into many lists. */
struct entry {
    uint64_t word[2];
    uint32_t words, looked; /* blocks passed so far */
};

/* The block that has the list of column x and row y of lists: the first of those that share it. */
static struct plbu_block *block_of(struct utgard_plbu *p, int32_t x, int32_t y)
{
    const struct plbu_draw *d = &p->draw;
    return &p->block[((uint32_t)y << d->join_y) * p->reg.stride + ((uint32_t)x << d->join_x)];
}

/* Into lists first..last of a row, but for those that have it. */
static enum utgard_plbu_end put_run(struct utgard_plbu *p, struct entry *e, int32_t row, int32_t first,
                                    int32_t last)
{
    for (int32_t x = first; x <= last; x++, e->looked++) {
        if (e->looked < p->draw.blocks_done)
            continue;
        enum utgard_plbu_end end = put_entry(p, block_of(p, x, row), e->word, e->words);
        if (end != UTGARD_PLBU_DONE)
            return end;
        p->draw.blocks_done++;
    }
    return UTGARD_PLBU_DONE;
}

static enum utgard_plbu_end put_spans(struct utgard_plbu *p, struct entry *e)
{
    for (int32_t r = 0; r < p->spans.count;) {
        int32_t row, first, last;
        if (!join_rows(p, &r, &row, &first, &last))
            continue;
        enum utgard_plbu_end end = put_run(p, e, row, first, last);
        if (end != UTGARD_PLBU_DONE)
            return end;
    }
    return UTGARD_PLBU_DONE;
}

static enum utgard_plbu_end put_box(struct utgard_plbu *p, struct entry *e, const struct tiler_box *box)
{
    const struct plbu_draw *d = &p->draw;
    for (int32_t row = box->y0 >> d->shift_y; row <= box->y1 >> d->shift_y; row++) {
        enum utgard_plbu_end end = put_run(p, e, row, box->x0 >> d->shift_x, box->x1 >> d->shift_x);
        if (end != UTGARD_PLBU_DONE)
            return end;
    }
    return UTGARD_PLBU_DONE;
}

static enum utgard_plbu_end need_state(struct utgard_plbu *p)
{
    struct plbu_draw *d = &p->draw;
    return d->state_at ? UTGARD_PLBU_DONE : put_record(p, &d->state, sizeof d->state, &d->state_at);
}

/* A piece or triangle is in its lists as far as `end` tells. */
static enum utgard_plbu_end account(struct utgard_plbu *p, enum utgard_plbu_end end, uint32_t before)
{
    if (end != UTGARD_PLBU_DONE)
        return end;
    if (!plbu_pay(p, (p->draw.blocks_done - before) / BLOCKS_A_UNIT))
        return UTGARD_PLBU_FAULT;
    p->counters->primitives_binned++;
    p->draw.blocks_done = 0;
    return end;
}

static enum utgard_plbu_end add_piece(struct utgard_plbu *p, struct plbu_piece *piece)
{
    bool clipped = piece->kind == UTGARD_BIN_CLIPPED_TRIANGLE || piece->kind == UTGARD_BIN_CLIPPED_LINE;
    struct entry e = {.words = 1};
    uint32_t before = p->draw.blocks_done;
    if (!cover(p, piece))
        return UTGARD_PLBU_DONE;
    enum utgard_plbu_end end = need_state(p);
    if (end == UTGARD_PLBU_DONE && clipped && !piece->record)
        end = put_record(p, &piece->clipped, sizeof piece->clipped, &piece->record);
    if (end != UTGARD_PLBU_DONE)
        return end;
    if (clipped)
        e.word[0] = utgard_bin_address(piece->kind, piece->record);
    else
        e.words = utgard_bin_encode(piece->kind, piece->index, e.word);
    return account(p, put_spans(p, &e), before);
}

enum utgard_plbu_end plbu_bins_add_pieces(struct utgard_plbu *p)
{
    struct plbu_draw *d = &p->draw;
    for (; d->piece_at < d->piece_count; d->piece_at++) {
        enum utgard_plbu_end end = add_piece(p, &p->piece[d->piece_at]);
        if (end != UTGARD_PLBU_DONE)
            return end;
    }
    d->piece_at = d->piece_count = 0;
    return UTGARD_PLBU_DONE;
}

/* ---- whole triangles ---- */

/* Numbers of 16 bits lie near enough to each other for one word (bin.h). */
static inline uint64_t triangle_word(const uint16_t index[3])
{
    const uint32_t wide[3] = {index[0], index[1], index[2]};
    uint64_t word[2];
    utgard_bin_encode(UTGARD_BIN_TRIANGLE, wide, word);
    return word[0];
}

static enum utgard_plbu_end add_triangle(struct utgard_plbu *p, const struct tiler_triangle *t)
{
    const struct tiler_box box = {t->box.x0, t->box.y0, t->box.x1, t->box.y1};
    const struct tiler_cull *cull = &p->draw.cull;
    struct entry e = {.word = {triangle_word(t->index)}, .words = 1};
    uint32_t before = p->draw.blocks_done;
    enum utgard_plbu_end end = need_state(p);
    if (end != UTGARD_PLBU_DONE)
        return end;
    if (tiler_box_is_strip(&box))
        return account(p, put_box(p, &e, &box), before);
    int32_t x[3], y[3];
    for (unsigned k = 0; k < 3; k++) {
        x[k] = tiler_vertex_x(&cull->vertex[t->index[k]]) + cull->x;
        y[k] = tiler_vertex_y(&cull->vertex[t->index[k]]) + cull->y;
    }
    tiler_cover_triangle(&p->draw.grid, &box, x, y, &p->spans);
    return account(p, put_spans(p, &e), before);
}

/* Most are in one list, which has room and the draw's state. */
enum utgard_plbu_end plbu_bins_add_triangle(struct utgard_plbu *p, const struct tiler_triangle *t)
{
    const struct plbu_draw *d = &p->draw;
    int32_t x = t->box.x0 >> d->shift_x, y = t->box.y0 >> d->shift_y;
    struct plbu_block *block = block_of(p, x, y);
    if (x != t->box.x1 >> d->shift_x || y != t->box.y1 >> d->shift_y || !d->state_at ||
        block->state != d->state_at || !block->checked || 2 * ENTRY > block->end - block->at)
        return add_triangle(p, t);
    put(p, block, triangle_word(t->index));
    p->counters->primitives_binned++;
    return UTGARD_PLBU_DONE;
}

/* ---- ends ---- */

/* The list's first entry speaks for all of it. */
static bool say_samples(struct utgard_plbu *p, const struct plbu_block *block)
{
    uint64_t entry = state_entry(block->first_state, true);
    uint8_t *to =
        utgard_at(p->space, block->first, ENTRY, GPU_RIGHT_WRITE, PLBU_UNIT, "block of a tile list", p->stop);
    if (to)
        memcpy(to, &entry, ENTRY);
    return to != NULL;
}

/* Blocks whose square is smaller than a list's go on in the list of the first of them. */
static uint64_t last_entry(const struct utgard_plbu *p, uint32_t n)
{
    const struct plbu_registers *r = &p->reg;
    uint32_t keep_x = UINT32_MAX, keep_y = UINT32_MAX, first;
    if (r->shift_x < PLBU_LIST_SHIFT)
        keep_x <<= PLBU_LIST_SHIFT - r->shift_x;
    if (r->shift_y < PLBU_LIST_SHIFT)
        keep_y <<= PLBU_LIST_SHIFT - r->shift_y;
    first = r->stride ? (n / r->stride & keep_y) * r->stride + (n % r->stride & keep_x) : n;
    return first == n ? utgard_bin_address(UTGARD_BIN_END, 0)
                      : utgard_bin_address(UTGARD_BIN_NEXT, p->block[first].first);
}

enum utgard_plbu_end plbu_bins_end(struct utgard_plbu *p)
{
    for (uint32_t n = 0; n < p->block_count; n++) {
        if (!check(p, &p->block[n]) || (p->block[n].four_samples && !say_samples(p, &p->block[n])))
            return UTGARD_PLBU_FAULT;
        put(p, &p->block[n], last_entry(p, n));
        p->block[n].at -= ENTRY; /* said twice it does no harm */
    }
    return UTGARD_PLBU_DONE;
}
