/* Clauses as instructions of isa/warp: programs, sources, and results, which reach their registers a tuple later. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "isa/bifrost/asm.h"
#include "isa/bifrost/lower_internal.h"
#include "util/bits.h"

/* ---- instructions ---- */

struct warp_insn *bifrost_emit(struct bifrost_lowering *l)
{
    if (l->count == l->room) {
        const uint32_t room = l->room ? l->room * 2 : 64;
        struct warp_insn *grown =
            room <= WARP_INSNS_MOST * 2 ? realloc(l->insns, room * sizeof *grown) : NULL;
        if (!grown) {
            l->short_of_memory = true;
            return &l->spare;
        }
        l->insns = grown;
        l->room = room;
    }
    struct warp_insn *out = &l->insns[l->count++];
    *out = (struct warp_insn){
        .kind = WARP_NOTHING, .at = l->clause->at, .part = l->part, .target = WARP_NO_BLOCK};
    return out;
}

void bifrost_unsupported(struct bifrost_lowering *l, const char *name)
{
    struct warp_insn *out = bifrost_emit(l);
    out->kind = WARP_UNSUPPORTED;
    out->name = name;
}

static unsigned result_at(unsigned tuple, unsigned unit)
{
    return TEMPORARY_RESULT + tuple % 2 * 2 + unit;
}

unsigned bifrost_result_of(const struct bifrost_lowering *l, unsigned unit)
{
    return result_at(l->tuple, unit);
}

struct warp_insn *bifrost_compute(struct bifrost_lowering *l, enum warp_op op, unsigned n,
                                  struct warp_source a, struct warp_source b, struct warp_source c)
{
    struct warp_insn *out = bifrost_emit(l);
    const struct warp_row *row = &warp_rows[op];
    out->kind = WARP_COMPUTE;
    out->op = (uint16_t)op;
    out->dest.to = WARP_TEMPORARY;
    out->dest.index = (uint8_t)n;
    out->dest.mask = 3;
    out->dest.pair = isa_shape_width(warp_types[row->type].shape) == 64;
    out->source[0] = a;
    out->source[1] = b;
    out->source[2] = c;
    return out;
}

struct warp_insn *bifrost_move(struct bifrost_lowering *l, unsigned n, struct warp_source from)
{
    return bifrost_compute(l, WARP_MOV_I32, n, from, bifrost_constant(0), bifrost_constant(0));
}

/* ---- sources ---- */

#define WHOLE .width = 32, .lane = {0, 1, 2, 3}

struct warp_source bifrost_constant(uint32_t value)
{
    return (struct warp_source){.from = WARP_CONSTANT, .value = value, WHOLE};
}

struct warp_source bifrost_temporary(unsigned n)
{
    return (struct warp_source){.from = WARP_TEMPORARY, .index = (uint16_t)n, WHOLE};
}

/* Counted from the clause: isa/warp counts from the instruction behind. */
static struct warp_source counter(const struct bifrost_lowering *l, int64_t bytes, bool upper)
{
    return (struct warp_source){.from = WARP_COUNTER,
                                .index = upper,
                                .value = (uint64_t)(bytes - (int64_t)BIFROST_WORD_BYTES),
                                WHOLE};
}

struct warp_source bifrost_word_of(struct bifrost_lowering *l, const struct bifrost_source *s)
{
    switch (s->from) {
    case BIFROST_FROM_REGISTER: return (struct warp_source){.from = WARP_REGISTER, .index = s->reg, WHOLE};
    case BIFROST_FROM_CONSTANT: return bifrost_constant(s->value);
    case BIFROST_FROM_RELATIVE: return counter(l, s->offset, s->upper);
    case BIFROST_FROM_UNIFORM: return (struct warp_source){.from = WARP_UNIFORM, .index = s->index, WHOLE};
    case BIFROST_FROM_SPECIAL:
        if (s->index == BIFROST_SPECIAL_LANE_ID)
            return (struct warp_source){.from = WARP_LANE, .index = s->upper, WHOLE};
        return (struct warp_source){
            .from = WARP_SPECIAL, .index = (uint16_t)(s->index * 2u + s->upper), WHOLE};
    case BIFROST_FROM_FMA: return bifrost_temporary(bifrost_result_of(l, BIFROST_FMA));
    case BIFROST_FROM_FMA_LAST: return bifrost_temporary(result_at(l->tuple + 1, BIFROST_FMA));
    case BIFROST_FROM_ADD_LAST: return bifrost_temporary(result_at(l->tuple + 1, BIFROST_ADD));
    default: return bifrost_constant(0);
    }
}

static bool writes(const struct warp_insn *i, const struct warp_source *s)
{
    const bool dest = i->dest.mask && i->dest.to == s->from &&
                      (i->dest.index == s->index || (i->dest.pair && i->dest.index + 1 == s->index));
    const bool run =
        s->from == WARP_REGISTER && s->index >= i->write.reg && s->index < i->write.reg + i->write.count;
    return dest || run;
}

/* What a register or temporary was set to by instruction `i`, if that is a move of a whole word. */
static bool moved(const struct warp_insn *i, struct warp_source *s)
{
    const bool is_move =
        i->kind == WARP_COMPUTE && i->op == WARP_MOV_I32 && i->dest.mask == 3 && !i->write.count;
    const struct warp_source *from = &i->source[0];
    *s = *from;
    return is_move && from->width == 32 && !from->negate && !from->absolute && !from->invert;
}

bool bifrost_is_known(const struct bifrost_lowering *l, struct warp_source word, uint32_t *value)
{
    for (uint32_t n = l->count;
         n > l->straight && (word.from == WARP_REGISTER || word.from == WARP_TEMPORARY); n--)
        if (writes(&l->insns[n - 1], &word) && !moved(&l->insns[n - 1], &word))
            return false;
    *value = (uint32_t)word.value;
    return word.from == WARP_CONSTANT;
}

/* The words are called by what they take: h10, b0123. What takes fewer elements than there are takes them again. */
void bifrost_select(uint8_t word, uint8_t type, struct warp_source *out)
{
    const enum isa_shape shape = (enum isa_shape)warp_types[type].shape;
    const char *text = bifrost_word(word);
    const unsigned count = (unsigned)strlen(text) - 1;
    const bool whole = word == BIFROST_NONE;
    out->width = (uint8_t)(whole ? isa_shape_width(shape) : text[0] == 'b' ? 8 : 16);
    for (unsigned e = 0; e < 4; e++)
        out->lane[e] = (uint8_t)(e >= isa_shape_elements(shape) ? 0
                                 : whole                        ? e
                                                                : (unsigned)(text[1 + e % count] - '0'));
}

/* Why a source has no value, or NULL. */
static const char *missing(const struct bifrost_lowering *l, const struct bifrost_source *s)
{
    const struct bifrost_tuple *t = &l->clause->tuple[l->tuple];
    const bool add = s->from == BIFROST_FROM_ADD_LAST;
    if (s->from == BIFROST_FROM_FMA)
        return bifrost_gives_value(&t->insn[BIFROST_FMA]) ? NULL : "t of an operation that gives none";
    if (s->from != BIFROST_FROM_FMA_LAST && !add)
        return NULL;
    if (!l->tuple)
        return "t0 or t1 in the first tuple of a clause";
    if (add && t[-1].insn[BIFROST_ADD].op == BIFROST_OP_ATEST)
        return "t1 of ATEST";
    return bifrost_gives_value(&t[-1].insn[add]) ? NULL : "t0 or t1 of an operation that gives none";
}

/* ---- tuples ---- */

static void lower_insn(struct bifrost_lowering *l, unsigned unit)
{
    const struct bifrost_insn *i = &l->clause->tuple[l->tuple].insn[unit];
    const char *none = NULL;
    l->part = bifrost_part(l->tuple, unit);
    for (unsigned n = 0; n < i->source_count && !none; n++)
        none = missing(l, &i->source[n]);
    if (none)
        bifrost_unsupported(l, none);
    else if (!bifrost_lower_flow(l, i, unit) && !bifrost_lower_paired(l, i, unit) &&
             !bifrost_lower_double(l, i, unit) && !bifrost_lower_compute(l, i, unit) &&
             !(unit == BIFROST_ADD && bifrost_lower_message(l, i)))
        bifrost_unsupported(l, bifrost_op_info(i->op)->text);
}

const char *bifrost_temporary_name(uint8_t part, unsigned temporary, bool written)
{
    const unsigned unit = (temporary - TEMPORARY_RESULT) % 2;
    if (!part || part > bifrost_part(BIFROST_TUPLES - 1, BIFROST_ADD) || temporary >= TEMPORARY_RESULT + 4)
        return NULL;
    const bool same = result_at((part - 1u) / 2, unit) == temporary, own = same && unit == (part - 1u) % 2;
    if (own && !written) /* on its way to a register */
        return NULL;
    return same && !own ? "t" : unit == BIFROST_FMA ? "t0" : "t1";
}

/* Port 3 of the last tuple is silent where the header says so. */
static bool is_elided(const struct bifrost_clause *c, unsigned tuple, unsigned unit)
{
    const bool elides = c->flow == BIFROST_FLOW_ELIDE || c->flow == BIFROST_FLOW_ELIDE_JOIN;
    const bool by_3 = unit == BIFROST_ADD || c->tuple[0].ports.fma_3;
    return elides && tuple + 1 == c->tuple_count && by_3;
}

/* What a tuple gave reaches its registers. */
static void write_results(struct bifrost_lowering *l, unsigned tuple)
{
    for (unsigned unit = 0; unit < 2; unit++) {
        const struct bifrost_insn *i = &l->clause->tuple[tuple].insn[unit];
        if (!i->result.halves || is_elided(l->clause, tuple, unit) || i->op == BIFROST_OP_ATEST)
            continue;
        if (!bifrost_gives_value(i)) {
            bifrost_unsupported(l, "a result of an operation that gives none");
            return;
        }
        l->part = bifrost_part(tuple, unit);
        struct warp_insn *move = bifrost_move(l, i->result.reg, bifrost_temporary(result_at(tuple, unit)));
        move->dest.to = WARP_REGISTER;
        move->dest.mask = i->result.halves;
    }
}

/* ---- clauses ---- */

/* Nobody is discarded between that clause and this, to which no other one goes. */
static bool has_terminated(const struct bifrost_program *p, const bool *is_target, uint32_t number)
{
    return number && !is_target[number] && p->clauses[number - 1].terminate &&
           !bifrost_leaves(&p->clauses[number - 1]);
}

static bool discards(const struct bifrost_clause *c)
{
    for (unsigned n = 0; n < c->tuple_count; n++)
        if (c->tuple[n].insn[BIFROST_ADD].op == BIFROST_OP_DISCARD_F32)
            return true;
    return false;
}

static const char *refused(const struct bifrost_clause *c)
{
    return c->suppress_inf   ? "inf_suppress"
           : c->suppress_nan ? "nan_suppress"
           : c->exceptions   ? "exceptions of floats"
                             : NULL;
}

static void lower_clause(struct bifrost_lowering *l, bool terminated)
{
    const struct bifrost_clause *c = l->clause;
    if (c->terminate && !terminated)
        bifrost_emit(l)->flow = WARP_END_HELPERS;
    if (refused(c))
        bifrost_unsupported(l, refused(c));
    for (l->tuple = 0; l->tuple < c->tuple_count; l->tuple++) {
        const bool sent = l->message.any;
        lower_insn(l, BIFROST_FMA);
        lower_insn(l, BIFROST_ADD);
        if (l->tuple)
            write_results(l, l->tuple - 1u);
        if (!sent && l->message.any) {
            l->part = l->message.part = bifrost_part(l->tuple, BIFROST_ADD);
            bifrost_take_staging(l);
        }
    }
    write_results(l, c->tuple_count - 1u);
    l->part = l->message.part;
    bifrost_send(l);
    bifrost_lower_end(l);
    l->part = 0;
}

/* ---- programs ---- */

/* Something goes to behind the last clause, where lanes end. A program whose last instruction ends all lanes has nothing
 * there: so where nothing branches lanes run each of its instructions once (warp_program's `straight`). */
static bool goes_behind(const struct bifrost_lowering *l, uint32_t clause_count)
{
    const struct warp_insn *last = l->count ? &l->insns[l->count - 1] : NULL;
    bool goes = !last || last->flow != WARP_END || warp_branches(last);
    for (uint32_t n = 0; n < l->count && !goes; n++)
        goes = warp_branches(&l->insns[n]) && l->insns[n].target == clause_count;
    return goes;
}

/* Instructions name clauses until it is known where these begin; behind the last one lanes end. */
static void settle_targets(struct bifrost_lowering *l, const uint32_t *starts)
{
    for (uint32_t n = 0; n < l->count; n++)
        if (warp_branches(&l->insns[n]))
            l->insns[n].target = starts[l->insns[n].target];
}

/* Where a clause begins that others than the one before may go to: branches, and blend shaders, which come back behind the
 * BLEND that they were called by. */
static bool is_entered(const struct bifrost_program *p, const bool *is_target, uint32_t number)
{
    const struct bifrost_clause *before = number ? &p->clauses[number - 1] : NULL;
    return !before || is_target[number] ||
           before->tuple[before->tuple_count - 1].insn[BIFROST_ADD].op == BIFROST_OP_BLEND;
}

static void lower_clauses(const struct bifrost_program *p, struct bifrost_lowering *l, uint32_t *starts,
                          bool *is_target)
{
    for (uint32_t n = 0; n < p->clause_count; n++)
        if (p->targets[n] != BIFROST_NO_CLAUSE)
            is_target[p->targets[n]] = true;
    for (uint32_t n = 0; n < p->clause_count && !l->short_of_memory; n++) {
        const bool terminated = has_terminated(p, is_target, n) && !discards(&p->clauses[n - 1]);
        *l = (struct bifrost_lowering){.insns = l->insns,
                                       .count = l->count,
                                       .room = l->room,
                                       .straight = is_entered(p, is_target, n) ? l->count : l->straight,
                                       .clause = &p->clauses[n],
                                       .number = n,
                                       .target = p->targets[n],
                                       .end = p->clause_count,
                                       .behind =
                                           n + 1 < p->clause_count ? p->clauses[n + 1].at : p->quad_count};
        starts[n] = l->count;
        lower_clause(l, terminated);
    }
    starts[p->clause_count] = l->count;
    if (goes_behind(l, p->clause_count))
        bifrost_emit(l)->flow = WARP_END;
    settle_targets(l, starts);
}

int bifrost_lower(const struct bifrost_program *p, struct warp_program **out, struct util_error *error)
{
    struct bifrost_lowering l = {0};
    uint32_t *starts = calloc((size_t)p->clause_count + 1, sizeof *starts);
    bool *is_target = calloc((size_t)p->clause_count + 1, sizeof *is_target);
    *out = NULL;
    l.short_of_memory = !starts || !is_target;
    if (!l.short_of_memory)
        lower_clauses(p, &l, starts, is_target);
    free(starts);
    free(is_target);
    if (l.short_of_memory) {
        free(l.insns);
        return l.room >= WARP_INSNS_MOST ? util_fail(error, -E2BIG, "a program of too many instructions")
                                         : util_fail(error, -ENOMEM, "out of memory");
    }
    int status = warp_program_create(l.insns, l.count, BIFROST_WORD_BYTES, out, error);
    if (!status) {
        (*out)->hash = p->hash;
        (*out)->parts = true;
    }
    return status;
}

int bifrost_executable_create(const void *words, uint32_t count, struct warp_program **out,
                              struct util_error *error)
{
    struct bifrost_program *program;
    *out = NULL;
    int status = bifrost_program_create(words, count, &program, error);
    if (status)
        return status;
    status = bifrost_lower(program, out, error);
    bifrost_program_destroy(program);
    return status;
}
