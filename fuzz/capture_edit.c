/* Changes to a capture: made, made fewer, and carried out as it is read. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/capture_internal.h"
#include "util/bits.h"

/* ---- as bytes ---- */

void fuzz_changes_get(const struct fuzz_case *c, struct fuzz_changes *out)
{
    size_t at = sizeof out->head;
    memset(&out->head, 0, sizeof out->head);
    if (c->size < at)
        return;
    memcpy(&out->head, c->bytes, at);
    out->head.edits = UTIL_MIN(out->head.edits, (uint32_t)FUZZ_EDITS_MAX);
    out->head.edits = UTIL_MIN(out->head.edits, (uint32_t)((c->size - at) / sizeof *out->edit));
    memcpy(out->edit, c->bytes + at, out->head.edits * sizeof *out->edit);
    at += out->head.edits * sizeof *out->edit;
    out->head.drops = UTIL_MIN(out->head.drops, (uint32_t)FUZZ_DROPS_MAX);
    out->head.drops = UTIL_MIN(out->head.drops, (uint32_t)((c->size - at) / sizeof *out->drop));
    memcpy(out->drop, c->bytes + at, out->head.drops * sizeof *out->drop);
}

bool fuzz_changes_put(const struct fuzz_changes *changes, struct fuzz_case *out)
{
    const struct fuzz_capture_head *h = &changes->head;
    const size_t edits = h->edits * sizeof *changes->edit, drops = h->drops * sizeof *changes->drop;
    if (sizeof *h + edits + drops > FUZZ_CASE_BYTES)
        return false;
    memcpy(out->bytes, h, sizeof *h);
    memcpy(out->bytes + sizeof *h, changes->edit, edits);
    memcpy(out->bytes + sizeof *h + edits, changes->drop, drops);
    out->size = (uint32_t)(sizeof *h + edits + drops);
    return true;
}

/* ---- making ---- */

/* A word in place of another: what often stands at an end of what is allowed, or what another field has. */
static uint32_t other_word(const struct fuzz_units *u, struct isa_random *r, uint32_t word)
{
    static const uint32_t ends[] = {0,          1,          2,          3,          0xffffffff, 0x7fffffff,
                                    0x80000000, 0xffff,     0x10000,    0xff,       0x100,      0x3f800000,
                                    0x7f800000, 0x7fc00000, 0x00800000, 0xfffffff0, 0x00001000, 0xbf800000};
    switch (isa_random_below(r, 8)) {
    case 0: return ends[isa_random_below(r, UTIL_ARRAY_SIZE(ends))];
    case 1: return word + isa_random_below(r, 33) - 16;
    case 2: return word + (isa_random_below(r, 33) - 16) * 64;
    case 3: return word ^ (1u << isa_random_below(r, 32));
    case 4: return word << 1 | isa_random_below(r, 2);
    case 5: return (word & ~0xffu) | isa_random_below(r, 256);
    default: break;
    }
    /* Another of the capture's words: one that has the same high bits, an address where this is one, if that is soon found. */
    uint32_t found = word;
    for (unsigned n = 0; n < 16; n++) {
        const struct fuzz_line *line = &u->lines.at[isa_random_below(r, u->lines.count)];
        found = util_load32(u->at[line->unit].bytes + line->offset + 4 * isa_random_below(r, 4));
        if (found != word && found >> 24 == word >> 24)
            break;
    }
    return found;
}

static void edit_line(const struct fuzz_units *u, struct isa_random *r, struct fuzz_line line,
                      struct fuzz_edit *e)
{
    const uint8_t *from = u->at[line.unit].bytes + line.offset;
    *e = (struct fuzz_edit){.unit = line.unit, .offset = line.offset, .size = FUZZ_EDIT_BYTES};
    if (isa_random_one_in(r, 6)) { /* a record or a part of one from elsewhere */
        const struct fuzz_line *other = &u->lines.at[isa_random_below(r, u->lines.count)];
        memcpy(e->bytes, u->at[other->unit].bytes + other->offset, FUZZ_EDIT_BYTES);
        return;
    }
    const uint32_t at = isa_random_below(r, 4) * 4;
    e->offset = (uint16_t)(line.offset + at);
    e->size = 4;
    const uint32_t word = other_word(u, r, util_load32(from + at));
    util_store32(e->bytes, word);
}

/* An instruction: bits of it, another of the same set, or one of a random program. */
static void edit_program(const struct fuzz_units *u, struct isa_random *r, struct fuzz_edit *e)
{
    const struct fuzz_region *region = &u->regions.at[isa_random_below(r, u->regions.count)];
    const uint32_t unit = region->set->word_bytes;
    static _Alignas(16) uint8_t words[4096];
    if (region->bytes < unit) {
        edit_line(u, r, (struct fuzz_line){region->unit, (uint16_t)(region->offset & ~15u)}, e);
        return;
    }
    const uint32_t at = isa_random_below(r, region->bytes / unit) * unit;
    *e = (struct fuzz_edit){
        .unit = region->unit, .offset = (uint16_t)(region->offset + at), .size = (uint16_t)unit};
    memcpy(e->bytes, u->at[region->unit].bytes + e->offset, unit);
    const uint32_t kind = isa_random_below(r, 3);
    if (kind == 0 && region->set->random) {
        const uint32_t count = region->set->random(isa_random_next(r), 0, words, 32);
        memcpy(e->bytes, words + isa_random_below(r, UTIL_MAX(count, 1u)) * unit, unit);
    } else if (kind == 1) {
        const struct fuzz_region *other = &u->regions.at[isa_random_below(r, u->regions.count)];
        const uint32_t from = other->bytes >= unit ? isa_random_below(r, other->bytes / unit) * unit : 0;
        if (other->set == region->set && other->bytes >= unit)
            memcpy(e->bytes, u->at[other->unit].bytes + other->offset + from, unit);
    } else {
        for (uint32_t n = 1 + isa_random_below(r, 3); n; n--)
            e->bytes[isa_random_below(r, unit)] ^= (uint8_t)(1u << isa_random_below(r, 8));
    }
}

static void edit_register(const struct fuzz_units *u, struct isa_random *r, struct fuzz_edit *e)
{
    const uint32_t unit = u->registers.at[isa_random_below(r, u->registers.count)];
    *e = (struct fuzz_edit){.unit = unit, .size = 4};
    util_store32(e->bytes, other_word(u, r, u->at[unit].value));
}

/* Near a change of the corpus: such a place matters. False: there is none. */
static bool edit_near(const struct fuzz_units *u, struct isa_random *r, const struct fuzz_changes *from,
                      struct fuzz_edit *e)
{
    if (!from->head.edits)
        return false;
    const struct fuzz_edit *there = &from->edit[isa_random_below(r, from->head.edits)];
    if (there->unit >= u->count || !u->at[there->unit].bytes)
        return false;
    const uint32_t at = (there->offset + isa_random_below(r, 9) * 16 - 64) % GPU_PAGE;
    edit_line(u, r, (struct fuzz_line){there->unit, (uint16_t)(at & ~15u)}, e);
    return true;
}

static void add_edit(const struct fuzz_units *u, struct isa_random *r, struct fuzz_changes *out)
{
    struct fuzz_edit *e = &out->edit[out->head.edits];
    const uint32_t kind = isa_random_below(r, 16);
    if (kind < 6 && u->regions.count)
        edit_program(u, r, e);
    else if (kind < 7 || !u->lines.count)
        edit_register(u, r, e);
    else if (kind > 11 || !edit_near(u, r, out, e))
        edit_line(u, r, u->lines.at[isa_random_below(r, u->lines.count)], e);
    out->head.edits++;
}

void fuzz_changes_make(const struct fuzz_units *u, struct isa_random *r, const struct fuzz_corpus *corpus,
                       struct fuzz_changes *out)
{
    memset(&out->head, 0, sizeof out->head);
    if (corpus->count && !isa_random_one_in(r, 4))
        fuzz_changes_get(corpus->at[isa_random_below(r, corpus->count)], out);
    while (out->head.edits > 12) { /* what has grown so much is rarely good for more */
        const uint32_t last = --out->head.edits;
        out->edit[isa_random_below(r, last)] = out->edit[last];
    }
    out->head.units = u->count;
    out->head.ways = isa_random_one_in(r, 16)  ? FUZZ_WAY_INTERPRETED
                     : isa_random_one_in(r, 4) ? FUZZ_WAY_PLAIN
                                               : 0;
    for (uint32_t n = 1 + isa_random_below(r, 3); n; n--)
        add_edit(u, r, out);
    if (isa_random_one_in(r, 10) && out->head.drops < 8)
        out->drop[out->head.drops++] =
            (struct fuzz_drop){isa_random_below(r, u->count), 1 + isa_random_below(r, 2)};
}

/* ---- fewer ---- */

static struct fuzz_changes scratch;

uint32_t fuzz_changes_steps(const struct fuzz_case *c)
{
    fuzz_changes_get(c, &scratch);
    return scratch.head.edits + scratch.head.units;
}

/* Of units that are left out; those in several drops count once. */
static bool is_dropped(const struct fuzz_changes *changes, uint32_t unit)
{
    for (uint32_t n = 0; n < changes->head.drops; n++)
        if (unit - changes->drop[n].first < changes->drop[n].count)
            return true;
    return false;
}

uint32_t fuzz_changes_parts(const struct fuzz_case *c)
{
    uint32_t left = 0;
    fuzz_changes_get(c, &scratch);
    for (uint32_t n = 0; n < scratch.head.units; n++)
        left += !is_dropped(&scratch, n);
    return left;
}

static bool drop(struct fuzz_changes *changes, uint32_t first, uint32_t count)
{
    bool any = false;
    for (uint32_t n = first; n < first + count && !any; n++)
        any = !is_dropped(changes, n);
    if (!any)
        return false;
    /* Those that it has in it, or that it touches, become one with it. */
    uint32_t kept = 0, end = first + count;
    for (uint32_t n = 0; n < changes->head.drops; n++) {
        const struct fuzz_drop d = changes->drop[n];
        if (d.first <= end && d.first + d.count >= first) {
            first = UTIL_MIN(first, d.first);
            end = UTIL_MAX(end, d.first + d.count);
        } else {
            changes->drop[kept++] = d;
        }
    }
    if (kept == FUZZ_DROPS_MAX)
        return false;
    changes->drop[kept++] = (struct fuzz_drop){first, end - first};
    changes->head.drops = kept;
    return true;
}

bool fuzz_changes_smaller(const struct fuzz_case *c, uint32_t first, uint32_t count, struct fuzz_case *out)
{
    fuzz_changes_get(c, &scratch);
    const uint32_t edits = scratch.head.edits;
    if (first < edits) {
        const uint32_t end = UTIL_MIN(first + count, edits);
        memmove(&scratch.edit[first], &scratch.edit[end], (edits - end) * sizeof *scratch.edit);
        scratch.head.edits -= end - first;
    } else if (!drop(&scratch, first - edits, count)) {
        return false;
    }
    return fuzz_changes_put(&scratch, out);
}

/* ---- carrying out ---- */

static const uint8_t *edited_page(struct fuzz_editor *editor, uint32_t unit, const uint8_t *bytes)
{
    const struct fuzz_changes *changes = editor->changes;
    uint8_t *copy = NULL;
    for (uint32_t n = 0; n < changes->head.edits; n++) {
        const struct fuzz_edit *e = &changes->edit[n];
        const uint32_t size = UTIL_MIN(e->size, (uint16_t)FUZZ_EDIT_BYTES);
        if (e->unit != unit || e->offset + size > GPU_PAGE)
            continue;
        if (!copy) {
            copy = editor->bytes[editor->used++];
            memcpy(copy, bytes, GPU_PAGE);
        }
        memcpy(copy + e->offset, e->bytes, size);
    }
    return copy ? copy : bytes;
}

static bool edit_pages(struct fuzz_editor *editor, uint32_t first, struct capture_event *event)
{
    uint32_t kept = 0;
    for (uint32_t n = 0; n < event->pages.count; n++) {
        if (is_dropped(editor->changes, first + n))
            continue;
        editor->pages[kept] = event->pages.pages[n];
        editor->pages[kept].bytes = edited_page(editor, first + n, event->pages.pages[n].bytes);
        kept++;
    }
    event->pages.pages = editor->pages;
    event->pages.count = kept;
    return kept;
}

bool fuzz_edit_event(void *data, uint64_t number, struct capture_event *event)
{
    struct fuzz_editor *editor = data;
    if (number >= editor->units->events)
        return true;
    const uint32_t first = editor->units->first[number];
    editor->used = 0;
    if (event->type == CAPTURE_EVENT_PAGES)
        return edit_pages(editor, first, event);
    if (is_dropped(editor->changes, first))
        return false;
    if (event->type == CAPTURE_EVENT_REGISTER || event->type == CAPTURE_EVENT_IRQ_REPLY)
        for (uint32_t n = 0; n < editor->changes->head.edits; n++)
            if (editor->changes->edit[n].unit == first)
                event->reg.value = util_load32(editor->changes->edit[n].bytes);
    return true;
}
