/* The rules of rules.inc, clause by clause. What messages still do to registers is followed in program order; where a
 * branch goes to, nothing is known of them. */
#include <stdlib.h>
#include <string.h>

#include "isa/bifrost/asm.h"
#include "isa/bifrost/lint.h"
#include "isa/bifrost/names.h"
#include "isa/bifrost/program.h"

enum rule {
    RULE_STRUCTURE,
#define RULE(name, text, source) RULE_##name,
#include "isa/bifrost/rules.inc"
};

enum { SLOTS = 8, GENERAL_SLOTS = 6, SLOT_DEPTH = 6, SLOT_COLOUR = 7, SLOT_BARRIER = 7 };

struct mark {
    bool starts, is_target; /* a clause starts there; a branch goes there */
    uint8_t message;        /* the clause's */
};

struct check {
    struct isa_check frame;
    struct mark *marks; /* by quadword */
    uint32_t size;
    bool called;    /* another program goes there and is gone back to, as to and from blend shaders */
    bool known;     /* what stands before is the clause that comes before */
    uint8_t waits;  /* slots that the clause before waits for */
    uint8_t waited; /* of SLOT_DEPTH and SLOT_COLOUR: those that some clause before waited for */
    uint64_t written[SLOTS], read[SLOTS]; /* registers that messages under way write, read */
};

/* ---- registers ---- */

static uint64_t registers(uint8_t first, unsigned count)
{
    return ((count >= 64 ? 0 : 1ull << count) - 1) << first;
}

/* Operands of descriptors ask for up to four registers; of those only the first is sure. Conversion words may say halves, two
 * a register. */
static unsigned sure_count(const struct bifrost_insn *i)
{
    switch (i->op) {
    case BIFROST_OP_LD_TILE:
    case BIFROST_OP_ST_TILE:
    case BIFROST_OP_LD_CVT:
    case BIFROST_OP_ST_CVT: return (i->staging_count + 1u) / 2;
    default: return i->staging_count ? i->staging_count : 1;
    }
}

static uint64_t staging_registers(const struct bifrost_insn *i)
{
    return i->staging ? registers(i->staging_reg, sure_count(i)) : 0;
}

static uint64_t reads(const struct bifrost_insn *i)
{
    uint64_t mask = i->staging & BIFROST_STAGING_READ ? staging_registers(i) : 0;
    for (unsigned n = 0; n < i->source_count; n++)
        if (i->source[n].from == BIFROST_FROM_REGISTER)
            mask |= 1ull << i->source[n].reg;
    return mask;
}

static uint64_t writes(const struct bifrost_insn *i)
{
    uint64_t mask = i->staging & BIFROST_STAGING_WRITE ? staging_registers(i) : 0;
    return i->result.halves ? mask | 1ull << i->result.reg : mask;
}

/* ---- tuples ---- */

static void check_sources(struct check *c, const struct bifrost_clause *clause, unsigned tuple, unsigned unit)
{
    const struct bifrost_insn *i = &clause->tuple[tuple].insn[unit];
    const struct bifrost_tuple *before = tuple ? &clause->tuple[tuple - 1] : NULL;
    for (unsigned n = 0; n < i->source_count; n++) {
        uint8_t from = i->source[n].from;
        bool last = from == BIFROST_FROM_FMA_LAST || from == BIFROST_FROM_ADD_LAST;
        isa_breach_if(&c->frame, last && !before, RULE_FIRST);
        isa_breach_if(&c->frame,
                      from == BIFROST_FROM_FMA &&
                          !bifrost_gives_value(&clause->tuple[tuple].insn[BIFROST_FMA]),
                      RULE_PASSED);
        isa_breach_if(&c->frame,
                      last && before && !bifrost_gives_value(&before->insn[from == BIFROST_FROM_ADD_LAST]),
                      RULE_PASSED);
    }
}

static void check_tuple(struct check *c, const struct bifrost_clause *clause, unsigned n)
{
    const struct bifrost_insn *insn = clause->tuple[n].insn;
    const struct bifrost_result *fma = &insn[BIFROST_FMA].result, *add = &insn[BIFROST_ADD].result;
    isa_breach_if(&c->frame, fma->reg == add->reg && fma->halves & add->halves, RULE_SAME_RESULT);
    for (unsigned unit = 0; unit < 2; unit++) {
        const struct bifrost_op_info *info = bifrost_op_info(insn[unit].op);
        check_sources(c, clause, n, unit);
        isa_breach_if(&c->frame, info->flags & BIFROST_OP_LAST && n + 1 < clause->tuple_count, RULE_LAST);
        isa_breach_if(&c->frame,
                      info->flags & BIFROST_OP_PAIRED && insn[BIFROST_ADD].op != BIFROST_OP_ATOM_CX,
                      RULE_PAIRED);
        isa_breach_if(&c->frame,
                      insn[unit].staging &&
                          insn[unit].staging_reg + insn[unit].staging_count > BIFROST_REGISTERS,
                      RULE_STAGING);
    }
}

/* ---- messages ---- */

/* The instruction of the clause that sends one; NULL: none. DISCARD sends none, but stands in place of one (Mesa:
 * bi_schedule.c, bi_must_message). */
static const struct bifrost_insn *message_of(struct check *c, const struct bifrost_clause *clause)
{
    const struct bifrost_insn *found = NULL;
    unsigned count = 0;
    for (unsigned n = 0; n < clause->tuple_count * 2u; n++) {
        const struct bifrost_insn *i = &clause->tuple[n / 2].insn[n % 2];
        bool sends = bifrost_message_of(i) != BIFROST_MESSAGE_NONE;
        count += sends || i->op == BIFROST_OP_DISCARD_F32;
        found = sends ? i : found;
    }
    isa_breach_if(&c->frame, count > 1, RULE_MESSAGES);
    return found;
}

static bool slot_is_right(const struct bifrost_clause *clause, const struct bifrost_insn *i)
{
    if (!i || i->op == BIFROST_OP_ATEST || i->op == BIFROST_OP_ZS_EMIT)
        return clause->slot == 0;
    return i->op == BIFROST_OP_BARRIER ? clause->slot == SLOT_BARRIER : clause->slot < GENERAL_SLOTS;
}

/* Slots that the operation needs to have been waited for. Blend shaders need not: BLEND, which calls them, has waited
 * (Mesa: bi_schedule.c, bi_schedule_clause). */
static uint8_t tile_slots(const struct check *c, uint16_t op)
{
    bool depth = op == BIFROST_OP_ATEST || op == BIFROST_OP_BLEND;
    bool colour = op == BIFROST_OP_BLEND || op == BIFROST_OP_LD_TILE || op == BIFROST_OP_ST_TILE;
    return c->called ? 0 : (uint8_t)(depth << SLOT_DEPTH | colour << SLOT_COLOUR);
}

/* 64BIT is for clauses of 64-bit arithmetic, which send nothing. */
static void check_message(struct check *c, const struct bifrost_clause *clause)
{
    const struct bifrost_insn *i = message_of(c, clause);
    uint8_t type = i ? bifrost_message_of(i) : BIFROST_MESSAGE_NONE;
    uint16_t op = i ? i->op : BIFROST_OP_NOP;
    uint8_t tile = tile_slots(c, op);
    isa_breach_if(&c->frame, clause->message != type && (type || clause->message != BIFROST_MESSAGE_64BIT),
                  RULE_MESSAGE_TYPE);
    isa_breach_if(&c->frame, !slot_is_right(clause, i), RULE_SLOT);
    isa_breach_if(&c->frame, c->known && tile & ~c->waited, RULE_TILE_WAIT);
    isa_breach_if(&c->frame,
                  c->known && op == BIFROST_OP_BARRIER && (~c->waits & ((1u << GENERAL_SLOTS) - 1)),
                  RULE_BARRIER_WAIT);
    c->waited |= tile; /* where it is not known, something before has waited */
}

static void forget(struct check *c)
{
    for (unsigned n = 0; n < SLOTS; n++)
        c->written[n] = c->read[n] = 0;
    c->waited = 0;
}

static void check_dependencies(struct check *c, const struct bifrost_clause *clause)
{
    uint64_t used = 0, written = 0;
    for (unsigned n = 0; n < clause->tuple_count * 2u; n++) {
        const struct bifrost_insn *i = &clause->tuple[n / 2].insn[n % 2];
        used |= reads(i) | writes(i);
        written |= writes(i);
    }
    for (unsigned n = 0; n < SLOTS; n++) {
        isa_breach_if(&c->frame, c->written[n] & used, RULE_DEPENDENCY);
        isa_breach_if(&c->frame, c->read[n] & written, RULE_STAGING_READ);
    }
}

/* What is under way behind the clause. */
static void go_on(struct check *c, const struct bifrost_clause *clause)
{
    for (unsigned n = 0; n < clause->tuple_count * 2u; n++) {
        const struct bifrost_insn *i = &clause->tuple[n / 2].insn[n % 2];
        if (i->staging & BIFROST_STAGING_WRITE)
            c->written[clause->slot] |= staging_registers(i);
        if (i->staging & BIFROST_STAGING_READ)
            c->read[clause->slot] |= staging_registers(i);
    }
    for (unsigned n = 0; n < SLOTS; n++)
        if (clause->wait >> n & 1)
            c->written[n] = c->read[n] = 0;
        else if (clause->staging_barrier)
            c->read[n] = 0;
    c->waits = clause->wait;
    c->waited |= clause->wait;
    c->known = !bifrost_leaves(clause);
    if (!c->known)
        forget(c);
}

bool bifrost_broken(const struct bifrost_clause *clause)
{
    uint32_t rules;
    struct check c = {.frame = {.rules = bifrost_rules(&rules)}};
    for (unsigned n = 0; n < clause->tuple_count; n++)
        check_tuple(&c, clause, n);
    check_message(&c, clause);
    return c.frame.count;
}

/* ---- programs ---- */

static bool starts_at(const struct check *c, int64_t at)
{
    return at >= 0 && at < c->size && c->marks[at].starts;
}

/* Other rules are of places where no clause is. */
static bool message_fits(const struct check *c, int64_t at, uint8_t message)
{
    return !starts_at(c, at) || c->marks[at].message == message;
}

/* Which of two clauses comes next is not known before the branch, so that the message of either will do. Nothing is
 * said of branches that end the program or go where a register says. */
static void check_next(struct check *c, const struct bifrost_clause *clause, uint32_t length)
{
    const struct bifrost_insn *branch = bifrost_branch_of(clause);
    int64_t target;
    if (clause->flow == BIFROST_FLOW_END || (branch && !bifrost_target(clause, branch, &target)))
        return;
    bool behind =
        !bifrost_leaves(clause) && message_fits(c, (int64_t)c->frame.at + length, clause->next_message);
    bool there = branch && message_fits(c, target, clause->next_message);
    isa_breach_if(&c->frame, !behind && !there, RULE_NEXT_MESSAGE);
}

static void check_flow(struct check *c, const struct bifrost_clause *clause, uint32_t length)
{
    const struct bifrost_insn *branch = bifrost_branch_of(clause);
    int64_t target;
    if (branch && bifrost_target(clause, branch, &target))
        isa_breach_if(&c->frame, !starts_at(c, target), RULE_TARGET);
    isa_breach_if(&c->frame, !bifrost_leaves(clause) && c->frame.at + length >= c->size, RULE_END);
    isa_breach_if(&c->frame, clause->constant_count > BIFROST_NAMED && clause->constant[BIFROST_NAMED].value,
                  RULE_UNUSED_CONSTANT);
}

static void check_clause(struct check *c, const struct bifrost_clause *clause, uint32_t length)
{
    if (c->marks[clause->at].is_target) {
        c->known = false;
        forget(c);
    }
    for (unsigned n = 0; n < clause->tuple_count; n++)
        check_tuple(c, clause, n);
    check_message(c, clause);
    check_dependencies(c, clause);
    check_flow(c, clause, length);
    check_next(c, clause, length);
    go_on(c, clause);
}

/* A program that goes where a register says was called from there. */
static bool goes_back(const struct bifrost_insn *branch)
{
    return branch->op == BIFROST_OP_JUMP && branch->source[0].from == BIFROST_FROM_REGISTER;
}

static void mark(struct check *c, const void *words)
{
    struct bifrost_clause clause;
    int64_t target;
    for (uint32_t at = 0, length; at < c->size; at += length ? length : 1) {
        length = bifrost_decode(words, c->size, at, &clause, NULL);
        const struct bifrost_insn *branch = length ? bifrost_branch_of(&clause) : NULL;
        c->marks[at].starts = length;
        c->marks[at].message = length ? clause.message : 0;
        c->called |= branch && goes_back(branch);
        if (branch && bifrost_target(&clause, branch, &target) && target >= 0 && target < c->size)
            c->marks[target].is_target = true;
    }
}

/* Drivers fill programs up with zeros, quadwords that are no clause (Mesa: bifrost_compile.c, bi_pack_clauses). */
static uint32_t without_filling(const uint8_t *words, uint32_t count)
{
    static const uint8_t zeros[BIFROST_WORD_BYTES];
    while (count && !memcmp(words + (size_t)(count - 1) * sizeof zeros, zeros, sizeof zeros))
        count--;
    return count;
}

unsigned bifrost_check(const void *words, uint32_t size, isa_breach_fn found, void *data)
{
    uint32_t count = without_filling(words, size);
    struct mark *marks = calloc((size_t)count + 1, sizeof *marks);
    uint32_t rules;
    struct check c = {.frame = {.rules = bifrost_rules(&rules), .found = found, .data = data},
                      .marks = marks,
                      .size = count};
    struct bifrost_clause clause;
    uint32_t length;
    isa_breach_if(&c.frame, !marks || !count, RULE_CLAUSE);
    if (marks)
        mark(&c, words);
    for (uint32_t at = 0; marks && at < count; at += length ? length : 1) {
        isa_check_at(&c.frame, at);
        length = bifrost_decode(words, count, at, &clause, NULL);
        isa_breach_if(&c.frame, !length, RULE_CLAUSE);
        if (length)
            check_clause(&c, &clause, length);
        else
            c.known = false;
    }
    free(marks);
    return c.frame.count;
}
