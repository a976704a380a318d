/* What is not encoded at an instruction but follows from its tuple and clause: which registers the ports carry, what
 * a source is, where a result goes, which constants are relative to the clause. */
#include <errno.h>
#include <string.h>

#include "isa/bifrost/names.h"
#include "isa/bifrost/table.h"
#include "util/bits.h"

#define IDLE  BIFROST_PORT_IDLE
#define READ  BIFROST_PORT_READ
#define WRITE BIFROST_PORT_WRITE

const struct bifrost_mode bifrost_modes[] = {
#define MODE(value, use2, halves2, use3, halves3, fma_3) {value, {use2, use3}, {halves2, halves3}, fma_3},
#include "isa/bifrost/clause.inc"
};
const size_t bifrost_mode_count = UTIL_ARRAY_SIZE(bifrost_modes);

enum { ANY = 255 };
static const struct way {
    uint8_t value, second_value, relative[2];
} ways[] = {
#define WAY(value, way2, first, second) {value, way2, {BIFROST_RELATIVE_##first, BIFROST_RELATIVE_##second}},
#include "isa/bifrost/clause.inc"
};

static const uint8_t named[1 << BIFROST_FAU_NAME_BITS] = {
#define NAMED(value, constant) [value] = 1 + (constant),
#include "isa/bifrost/clause.inc"
};

uint8_t bifrost_constant_name(unsigned constant)
{
    uint8_t name = 0;
    while (named[name] != constant + 1)
        name++;
    return name;
}

/* ---- ports ---- */

static unsigned mode_of(const struct bifrost_ports *p, bool first)
{
    unsigned control = p->control ? p->control : BIFROST_GET(p->raw[1], NARROW_CONTROL);
    if (first)
        return BIFROST_GET(control, MODE_LOW) | BIFROST_GET(control, MODE_3) << BIFROST_MODE_4_AT;
    return control | (unsigned)(p->raw[2] == p->raw[3]) << BIFROST_MODE_4_AT;
}

/* Ports 0 and 1 have ascending numbers; when the fields descend, both count from 63 down. */
static void resolve_numbers(struct bifrost_ports *p)
{
    bool narrow = !p->control, down = p->raw[0] > p->raw[1];
    p->reg[0] = narrow ? (uint8_t)(p->raw[0] | BIFROST_GET(p->raw[1], NARROW_HIGH) << BIFROST_NARROW_LOW_BITS)
                : down ? (uint8_t)(63 - p->raw[0])
                       : p->raw[0];
    p->reg[1] = down ? (uint8_t)(63 - p->raw[1]) : p->raw[1];
    p->reg[2] = p->raw[2];
    p->reg[3] = p->raw[3];
    p->use[0] = narrow && BIFROST_GET(p->raw[1], NARROW_IDLE) ? IDLE : READ;
    p->use[1] = narrow ? IDLE : READ;
}

int bifrost_resolve_ports(struct bifrost_ports *p, bool first, struct util_error *error)
{
    unsigned mode = mode_of(p, first);
    resolve_numbers(p);
    for (size_t n = 0; n < bifrost_mode_count; n++) {
        if (bifrost_modes[n].value != mode)
            continue;
        memcpy(&p->use[2], bifrost_modes[n].use, sizeof bifrost_modes[n].use);
        memcpy(&p->halves[2], bifrost_modes[n].halves, sizeof bifrost_modes[n].halves);
        p->fma_3 = bifrost_modes[n].fma_3;
        return 0;
    }
    return util_fail(error, -EBADMSG, "the register block has reserved mode %u", mode);
}

/* `ports` of the tuple behind. */
static void resolve_results(struct bifrost_tuple *tuple, const struct bifrost_ports *ports)
{
    struct bifrost_result *fma = &tuple->insn[BIFROST_FMA].result, *add = &tuple->insn[BIFROST_ADD].result;
    if (ports->use[2] == WRITE)
        *fma = (struct bifrost_result){ports->reg[2], ports->halves[2]};
    if (ports->use[3] == WRITE && ports->fma_3)
        *fma = (struct bifrost_result){ports->reg[3], ports->halves[3]};
    else if (ports->use[3] == WRITE)
        *add = (struct bifrost_result){ports->reg[3], ports->halves[3]};
}

/* ---- constants ---- */

static int find_way(unsigned value, unsigned second, const struct way **out, struct util_error *error)
{
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(ways); n++)
        if (ways[n].value == value && (ways[n].second_value == ANY || ways[n].second_value == second)) {
            *out = &ways[n];
            return 0;
        }
    return util_fail(error, -EBADMSG, "constants have the reserved way %u, %u", value, second);
}

/* The difference of some bits of two constants. */
static unsigned difference(uint64_t a, uint64_t b, unsigned at, unsigned bits)
{
    return (unsigned)util_bits((a >> at) - (b >> at), 0, bits);
}

int bifrost_resolve_constants(struct bifrost_clause *c, struct util_error *error)
{
    unsigned beside = bifrost_constants_beside(c->tuple_count);
    const struct way *way = NULL;
    if (bifrost_has_way(c->tuple_count)) {
        if (find_way(c->way[0], c->way[1], &way, error))
            return -EBADMSG;
        c->constant[0].relative = way->relative[0];
    }
    for (unsigned n = beside; n + 1 < c->constant_count; n += 2) {
        uint64_t a = c->constant[n].value, b = c->constant[n + 1].value;
        if (find_way(difference(a, b, BIFROST_WAY_AT, BIFROST_WAY_BITS),
                     difference(a, b, BIFROST_WAY_2_AT, BIFROST_WAY_2_BITS), &way, error))
            return -EBADMSG;
        c->constant[n].relative = way->relative[0];
        c->constant[n + 1].relative = way->relative[1];
    }
    return 0;
}

/* ---- sources ---- */

static void resolve_constant(const struct bifrost_constant *constant, uint8_t low, bool upper,
                             struct bifrost_source *out)
{
    uint64_t value = constant->value >> BIFROST_FAU_LOW_BITS << BIFROST_FAU_LOW_BITS | low;
    uint32_t word = (uint32_t)(upper ? value >> 32 : value);
    bool relative = constant->relative == BIFROST_RELATIVE_WHOLE ||
                    constant->relative == BIFROST_RELATIVE_EACH ||
                    (constant->relative == BIFROST_RELATIVE_HIGH && upper);
    out->from = relative ? BIFROST_FROM_RELATIVE : BIFROST_FROM_CONSTANT;
    out->value = word;
    if (!relative)
        return;
    out->upper = upper && constant->relative == BIFROST_RELATIVE_WHOLE;
    out->offset =
        constant->relative == BIFROST_RELATIVE_WHOLE
            ? (int64_t)(value << (64 - BIFROST_RELATIVE_WHOLE_BITS)) >> (64 - BIFROST_RELATIVE_WHOLE_BITS)
            : util_sext(word, BIFROST_RELATIVE_WORD_BITS);
}

/* What the tuple's eight bits select: a uniform, a special value or one of the clause's constants. */
static int resolve_fau(const struct bifrost_clause *c, uint8_t fau, bool upper, struct bifrost_source *out,
                       struct util_error *error)
{
    uint8_t constant = named[BIFROST_GET(fau, FAU_NAME)];
    out->upper = upper;
    if (BIFROST_GET(fau, FAU_IS_UNIFORM)) {
        out->from = BIFROST_FROM_UNIFORM;
        out->index = (uint16_t)(BIFROST_GET(fau, FAU_UNIFORM) * 2 + upper);
        return 0;
    }
    if (!constant) {
        out->from = fau == BIFROST_SPECIAL_ZERO ? BIFROST_FROM_ZERO : BIFROST_FROM_SPECIAL;
        out->index = fau;
        return isa_name_text(&bifrost_lists[BIFROST_SPECIALS], fau)
                   ? 0
                   : util_fail(error, -EBADMSG, "special value 0x%02x is reserved", fau);
    }
    if (constant > c->constant_count)
        return util_fail(error, -EBADMSG, "constant %u is read, of which the clause has %u", constant - 1u,
                         c->constant_count);
    resolve_constant(&c->constant[constant - 1], (uint8_t)BIFROST_GET(fau, FAU_LOW), upper, out);
    return 0;
}

int bifrost_resolve_source(const struct bifrost_clause *c, const struct bifrost_ports *ports,
                           enum bifrost_unit unit, struct bifrost_source *s, struct util_error *error)
{
    switch (s->select) {
    case BIFROST_SELECT_PORT_0:
    case BIFROST_SELECT_PORT_1:
    case BIFROST_SELECT_PORT_2:
        s->from = BIFROST_FROM_REGISTER;
        s->reg = ports->reg[s->select];
        return ports->use[s->select] == READ
                   ? 0
                   : util_fail(error, -EBADMSG, "a source is port %u, which reads nothing", s->select);
    case BIFROST_SELECT_STAGE: s->from = unit == BIFROST_FMA ? BIFROST_FROM_ZERO : BIFROST_FROM_FMA; return 0;
    case BIFROST_SELECT_LOW:
    case BIFROST_SELECT_HIGH: return resolve_fau(c, ports->fau, s->select == BIFROST_SELECT_HIGH, s, error);
    case BIFROST_SELECT_FMA_LAST: s->from = BIFROST_FROM_FMA_LAST; return 0;
    default: s->from = BIFROST_FROM_ADD_LAST; return 0;
    }
}

/* ---- staging registers ---- */

/* Elements of a format as registers: halves stand two to one, 64 bits take two. */
static uint8_t format_registers(const struct bifrost_insn *insn)
{
    uint8_t elements = insn->mod[BIFROST_MOD_VECSIZE] == BIFROST_V4   ? 4
                       : insn->mod[BIFROST_MOD_VECSIZE] == BIFROST_V3 ? 3
                       : insn->mod[BIFROST_MOD_VECSIZE] == BIFROST_V2 ? 2
                                                                      : 1;
    switch (insn->mod[BIFROST_MOD_REGISTER_FORMAT]) {
    case BIFROST_F16:
    case BIFROST_S16:
    case BIFROST_U16: return (uint8_t)((elements + 1) / 2);
    case BIFROST_F64:
    case BIFROST_I64: return (uint8_t)(elements * 2);
    default: return elements;
    }
}

static void resolve_staging(const struct bifrost_clause *c, struct bifrost_insn *insn)
{
    const struct bifrost_op_info *info = bifrost_op_info(insn->op);
    insn->staging = info->staging;
    insn->staging_reg = info->staging ? c->staging : 0;
    insn->staging_count = info->staging_count == BIFROST_COUNT_FORMAT     ? format_registers(insn)
                          : info->staging_count == BIFROST_COUNT_OPERANDS ? 0
                                                                          : info->staging_count;
}

/* ---- clauses ---- */

static int check_header(const struct bifrost_clause *c, struct util_error *error)
{
    if (c->reserved_0 || c->reserved_1)
        return util_fail(error, -EBADMSG, "reserved bits of the header are not zero");
    if (!isa_name_text(&bifrost_lists[BIFROST_MESSAGES], c->message) ||
        !isa_name_text(&bifrost_lists[BIFROST_MESSAGES], c->next_message))
        return util_fail(error, -EBADMSG, "a message type is reserved: %u, next %u", c->message,
                         c->next_message);
    return 0;
}

static int resolve_insn(struct bifrost_clause *c, unsigned n, unsigned unit, struct util_error *error)
{
    struct bifrost_insn *insn = &c->tuple[n].insn[unit];
    int err = 0;
    resolve_staging(c, insn);
    for (unsigned k = 0; k < insn->source_count && !err; k++)
        err = bifrost_resolve_source(c, &c->tuple[n].ports, (enum bifrost_unit)unit, &insn->source[k], error);
    return err;
}

int bifrost_resolve(struct bifrost_clause *c, struct util_error *error)
{
    int err = check_header(c, error);
    if (!err)
        err = bifrost_resolve_constants(c, error);
    for (unsigned n = 0; n < c->tuple_count && !err; n++)
        err = bifrost_resolve_ports(&c->tuple[n].ports, n == 0, error);
    for (unsigned n = 0; n < c->tuple_count && !err; n++) {
        resolve_results(&c->tuple[n], &c->tuple[(n + 1) % c->tuple_count].ports);
        err = resolve_insn(c, n, BIFROST_FMA, error);
        if (!err)
            err = resolve_insn(c, n, BIFROST_ADD, error);
    }
    return err;
}

bool bifrost_branches(const struct bifrost_insn *insn)
{
    return bifrost_op_info(insn->op)->flags & BIFROST_OP_BRANCH;
}

bool bifrost_target(const struct bifrost_clause *clause, const struct bifrost_insn *insn, int64_t *at)
{
    *at = 0;
    if (!insn->source_count)
        return false;
    const struct bifrost_source *s = &insn->source[insn->source_count - 1];
    *at = (int64_t)clause->at + s->offset / 16;
    return s->from == BIFROST_FROM_RELATIVE && !s->upper && s->offset % 16 == 0;
}
