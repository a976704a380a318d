#include "isa/simple_v/flow.h"

#include <errno.h>
#include <stdlib.h>

#include "isa/simple_v/context.h"
#include "isa/simple_v/state.h"
#include "util/bits.h"

enum { ITEMS_MAX = 1 << 16, BLOCK_MAX = 32 /* LLVM takes the square of a block for its time */ };

struct find {
    const struct simple_v_program *program;
    uint32_t *number; /* by halfword: the item that begins there, plus 1; 0: none yet */
    uint32_t *todo;   /* halfwords; each once */
    uint8_t *marked;  /* was among them */
    uint32_t todo_count;
    struct simple_v_item *items;
    uint32_t count, room;
};

/* ---- what instructions do ---- */

static bool is_csr(const struct simple_v_insn *i)
{
    return i->op >= SIMPLE_V_CSRRW && i->op <= SIMPLE_V_CSRRCI;
}

bool simple_v_flow_is_open(const struct simple_v_insn *i)
{
    return i->op == SIMPLE_V_ECALL ||
           (is_csr(i) && (i->imm == SIMPLE_V_CSR_STATE || i->imm == SIMPLE_V_CSR_PCVBLK));
}

static bool is_jump(const struct simple_v_insn *i)
{
    const uint16_t as = simple_v_rows[i->op].as;
    return as == SIMPLE_V_JAL || as == SIMPLE_V_JALR;
}

static bool has_target(const struct simple_v_insn *i)
{
    return simple_v_rows[i->op].class == SIMPLE_V_BRANCH || simple_v_rows[i->op].as == SIMPLE_V_JAL;
}

static bool goes_on(const struct simple_v_insn *i)
{
    return !is_jump(i) && simple_v_rows[i->op].as != SIMPLE_V_EBREAK;
}

/* ---- items ---- */

/* Halfword at a distance of bytes from another; NOWHERE: outside of the program. */
static uint32_t place_at(const struct simple_v_program *p, uint32_t from, int64_t bytes)
{
    const int64_t at = (int64_t)from + bytes / 2;
    return bytes & 1 || at < 0 || at >= (int64_t)p->count ? SIMPLE_V_NOWHERE : (uint32_t)at;
}

static void visit_later(struct find *f, uint32_t at)
{
    if (at == SIMPLE_V_NOWHERE || f->marked[at])
        return;
    f->marked[at] = 1;
    f->todo[f->todo_count++] = at;
}

static struct simple_v_item *add(struct find *f, struct simple_v_item item)
{
    if (f->count == f->room) {
        const uint32_t room = f->room ? f->room * 2 : 64;
        struct simple_v_item *more = realloc(f->items, room * sizeof *more);
        if (!more)
            return NULL;
        f->items = more;
        f->room = room;
    }
    item.next = item.target = SIMPLE_V_NOWHERE;
    f->items[f->count] = item;
    return &f->items[f->count++];
}

static void visit_targets(struct find *f, const struct simple_v_insn *i, uint32_t place)
{
    if (has_target(i))
        visit_later(f, place_at(f->program, place, i->imm));
    if (is_jump(i) && i->rd)
        visit_later(f, place_at(f->program, place, 2 * i->length));
}

static bool add_block(struct find *f, uint32_t at)
{
    const struct simple_v_program *p = f->program;
    const struct simple_v_block *b = &p->blocks[p->block[at] - 1];
    f->number[at] = f->count + 1;
    if (!add(f, (struct simple_v_item){.kind = SIMPLE_V_ITEM_HEADER, .place = at, .block = b}))
        return false;
    for (uint32_t n = b->head; n < b->length;) {
        const struct simple_v_insn *i = &p->insns[at + n];
        const bool good = !simple_v_is_block(p->code[at + n]) && i->length && n + i->length <= b->length;
        if (!add(f, (struct simple_v_item){.kind = good ? SIMPLE_V_ITEM_INSN : SIMPLE_V_ITEM_STRANGE,
                                           .place = at,
                                           .opptr = (uint8_t)(n - b->head),
                                           .insn = good ? i : NULL,
                                           .block = b}))
            return false;
        if (!good)
            break;
        visit_targets(f, i, at);
        n += i->length;
    }
    return true;
}

/* From a halfword on, one after the other, to where it was before or nothing follows. */
static bool walk(struct find *f, uint32_t at)
{
    const struct simple_v_program *p = f->program;
    while (at < p->count && !f->number[at] && f->count < ITEMS_MAX) {
        const struct simple_v_insn *i = &p->insns[at];
        if (p->block[at]) {
            if (!add_block(f, at))
                return false;
            at += p->blocks[p->block[at] - 1].length;
            continue;
        }
        if (!i->length)
            return true;
        f->number[at] = f->count + 1;
        if (!add(f, (struct simple_v_item){.kind = SIMPLE_V_ITEM_INSN, .place = at, .insn = i}))
            return false;
        visit_targets(f, i, at);
        if (!goes_on(i))
            return true;
        at += i->length;
    }
    return true;
}

/* ---- who goes where ---- */

static uint32_t item_at(const struct find *f, uint32_t at)
{
    return at == SIMPLE_V_NOWHERE || at >= f->program->count || !f->number[at] ? SIMPLE_V_NOWHERE
                                                                               : f->number[at] - 1;
}

static void begin(struct find *f, uint32_t item, bool entered)
{
    if (item == SIMPLE_V_NOWHERE)
        return;
    f->items[item].begins = true;
    f->items[item].entered |= entered;
}

static void link_item(struct find *f, uint32_t n)
{
    struct simple_v_item *item = &f->items[n];
    const struct simple_v_block *b = item->block;
    if (item->kind == SIMPLE_V_ITEM_STRANGE)
        return;
    const unsigned length = item->insn ? item->insn->length : 0;
    const uint32_t end = item->place + (b ? b->length : length);
    const uint32_t after = b ? b->head + item->opptr + length : length;
    const bool inside = b && after < b->length;
    if (!item->insn || goes_on(item->insn))
        item->next = inside ? n + 1 : item_at(f, end);
    if (item->next != n + 1)
        begin(f, item->next, false);
    if (!item->insn)
        return;
    if (has_target(item->insn)) {
        item->target = item_at(f, place_at(f->program, item->place, item->insn->imm));
        begin(f, item->target, false);
        begin(f, item->next, false);
    }
    if (is_jump(item->insn) && item->insn->rd && !b)
        begin(f, item_at(f, end), true);
    if (simple_v_flow_is_open(item->insn))
        begin(f, item->next, !inside);
}

static void split_blocks(struct find *f)
{
    for (uint32_t n = 0, length = 0; n < f->count; n++) {
        struct simple_v_item *item = &f->items[n];
        length = item->begins ? 1 : length + 1;
        if (length <= BLOCK_MAX || item->kind == SIMPLE_V_ITEM_STRANGE)
            continue;
        item->begins = item->split = true;
        length = 1;
    }
}

/* ---- lengths ---- */

static uint8_t lesser(uint8_t known, unsigned n)
{
    return known ? (uint8_t)UTIL_MIN(known, n) : 0;
}

static struct simple_v_lengths behind_header(const struct simple_v_block *b, struct simple_v_lengths l)
{
    const uint8_t n = (uint8_t)(b->vl.imm + 1);
    if (!b->vlset)
        return l;
    l.subvl = (uint8_t)(b->vl.subvl + 1);
    switch (b->vl.mode) {
    case SIMPLE_V_VL_MIN: l.vl = lesser(l.mvl, n); break;
    case SIMPLE_V_VL_SETVL: l.mvl = n, l.vl = 0; break;
    default: l.mvl = l.vl = n; break;
    }
    return l;
}

static struct simple_v_lengths behind_vltyp(const struct simple_v_vltyp *vl, struct simple_v_lengths l)
{
    const uint8_t n = (uint8_t)(vl->number + 1);
    if (!simple_v_has_vltyp(vl))
        return l;
    if (vl->high) {
        l.mvl = n;
        l.vl = vl->low ? lesser(l.vl, n) : n;
    } else {
        l.vl = vl->low ? 0 : lesser(l.mvl, n);
    }
    return l;
}

static struct simple_v_lengths behind_csr(const struct simple_v_insn *i, struct simple_v_lengths l)
{
    const bool writes = i->op == SIMPLE_V_CSRRW || i->op == SIMPLE_V_CSRRWI;
    const bool known = writes && (i->op == SIMPLE_V_CSRRWI || !i->rs1);
    const unsigned value = (unsigned)i->rs1;
    if (!i->rs1 && (!writes || (i->imm == SIMPLE_V_CSR_VL && i->op == SIMPLE_V_CSRRW)))
        return l;
    switch (i->imm) {
    case SIMPLE_V_CSR_MVL:
        l.mvl = known ? (uint8_t)(value + 1) : 0;
        l.vl = known && l.vl ? (uint8_t)UTIL_MIN(l.vl, l.mvl) : 0;
        break;
    case SIMPLE_V_CSR_VL: l.vl = known ? lesser(l.mvl, value + 1) : 0; break;
    case SIMPLE_V_CSR_SUBVL: l.subvl = known && value <= SIMPLE_V_SUBVL_MAX ? (uint8_t)value : 0; break;
    case SIMPLE_V_CSR_FRM: l.rounding = known ? (uint8_t)((value & 7) + 1) : 0; break;
    case SIMPLE_V_CSR_FCSR: l.rounding = known; break; /* 5 bits are flags */
    case SIMPLE_V_CSR_SVSAT: l.saturate = known && value < 3 ? (uint8_t)(value + 1) : 0; break;
    case SIMPLE_V_CSR_STATE: l.vl = l.mvl = l.subvl = 0; break;
    default: break;
    }
    return l;
}

struct simple_v_lengths simple_v_flow_behind(const struct simple_v_item *item, struct simple_v_lengths l)
{
    const struct simple_v_insn *i = item->insn;
    struct simple_v_context x;
    if (item->kind == SIMPLE_V_ITEM_HEADER)
        return behind_header(item->block, l);
    if (item->kind == SIMPLE_V_ITEM_STRANGE)
        return l;
    if (is_csr(i))
        return behind_csr(i, l);
    if (i->op == SIMPLE_V_SETVL) {
        l.mvl = i->imm <= SIMPLE_V_VL_MAX ? (uint8_t)i->imm : 0;
        l.vl = i->rs1 ? 0 : l.mvl;
        return l;
    }
    l = behind_vltyp(&i->vl, l);
    simple_v_resolve(i, item->block, &x);
    if (x.mask[SIMPLE_V_DEST].ffirst || x.mask[SIMPLE_V_SOURCE].ffirst)
        l.vl = 0;
    return l;
}

/* What is known on both ways; whether that is less than it was. */
static bool meet(struct simple_v_item *item, struct simple_v_lengths l)
{
    struct simple_v_lengths *b = &item->before;
    const struct simple_v_lengths had = *b;
    if (!item->reached) {
        item->reached = true;
        *b = l;
        return true;
    }
    b->vl = had.vl == l.vl ? l.vl : 0;
    b->mvl = had.mvl == l.mvl ? l.mvl : 0;
    b->subvl = had.subvl == l.subvl ? l.subvl : 0;
    b->rounding = had.rounding == l.rounding ? l.rounding : 0;
    b->saturate = had.saturate == l.saturate ? l.saturate : 0;
    return b->vl != had.vl || b->mvl != had.mvl || b->subvl != had.subvl || b->rounding != had.rounding ||
           b->saturate != had.saturate;
}

static void go(struct find *f, uint32_t to, struct simple_v_lengths l)
{
    if (to != SIMPLE_V_NOWHERE && meet(&f->items[to], l))
        f->todo[f->todo_count++] = to;
}

/* A called function is taken to leave them as they are. */
static void follow(struct find *f, uint32_t n)
{
    for (;;) {
        struct simple_v_item *item = &f->items[n];
        const struct simple_v_lengths l = simple_v_flow_behind(item, item->before);
        go(f, item->target, l);
        if (item->insn && is_jump(item->insn) && item->insn->rd && !item->block)
            go(f, item_at(f, item->place + item->insn->length), l);
        if (item->next == SIMPLE_V_NOWHERE)
            return;
        if (f->items[item->next].begins) {
            go(f, item->next, l);
            return;
        }
        f->items[item->next].before = l;
        f->items[item->next].reached = true;
        n = item->next;
    }
}

static bool find_lengths(struct find *f, const struct simple_v_entry *entry)
{
    /* Each block changes as often as it has lengths, and once at first. */
    uint32_t *todo = malloc(((size_t)f->count * 6 + 1) * sizeof *todo);
    if (!todo)
        return false;
    free(f->todo);
    f->todo = todo;
    f->todo_count = 0;
    go(f, item_at(f, entry->place), entry->lengths);
    while (f->todo_count)
        follow(f, f->todo[--f->todo_count]);
    return true;
}

static bool find(struct find *f, const struct simple_v_entry *entry, uint64_t stop)
{
    const uint32_t room = f->program->count + 1;
    f->number = calloc(room, sizeof *f->number);
    f->todo = malloc(room * sizeof *f->todo);
    f->marked = calloc(room, 1);
    if (!f->number || !f->todo || !f->marked)
        return false;
    if (entry->place < f->program->count)
        visit_later(f, entry->place);
    while (f->todo_count)
        if (!walk(f, f->todo[--f->todo_count]))
            return false;
    for (uint32_t n = 0; n < f->count; n++)
        link_item(f, n);
    begin(f, item_at(f, entry->place), true);
    const uint64_t offset = stop - f->program->address;
    if (!(offset & 1) && offset / 2 < f->program->count)
        begin(f, item_at(f, (uint32_t)(offset / 2)), false);
    split_blocks(f);
    return find_lengths(f, entry);
}

int simple_v_flow_find(const struct simple_v_program *program, const struct simple_v_entry *entry,
                       uint64_t stop, struct simple_v_flow *out)
{
    struct find f = {.program = program};
    const bool ok = find(&f, entry, stop);
    free(f.number);
    free(f.todo);
    free(f.marked);
    *out = (struct simple_v_flow){f.items, f.count};
    if (ok)
        return 0;
    simple_v_flow_finish(out);
    return -ENOMEM;
}

void simple_v_flow_finish(struct simple_v_flow *flow)
{
    free(flow->items);
    *flow = (struct simple_v_flow){0};
}
