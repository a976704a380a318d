#include "isa/midgard/names.h"
#include "isa/midgard/random_internal.h"
#include "util/bits.h"

/* What is known of a bundle while its units are chosen. */
struct chosen {
    bool forward[2], condition; /* the first stage has written r24, r25, r31 */
};

static const struct midgard_alu_info *some_operation(struct midgard_maker *m, enum midgard_unit unit,
                                                     uint8_t mode, const struct chosen *c, uint8_t *op)
{
    for (;;) {
        *op = (uint8_t)midgard_below(m, 256);
        const struct midgard_alu_info *info = midgard_alu_info(*op);
        bool selects = info && info->form >= MIDGARD_FORM_SELECT && info->form <= MIDGARD_FORM_SELECT_BITS;
        if (!info || !(info->units >> unit & 1) || !info->modes[mode] || (selects && !c->condition))
            continue;
        if (info->form == MIDGARD_FORM_UNKNOWN && !midgard_one_in(m, 40))
            continue;
        return info;
    }
}

/* A register that means something here. */
static uint8_t readable(struct midgard_maker *m, const struct midgard_insn *i, enum midgard_unit unit,
                        const struct chosen *c)
{
    uint32_t kind = midgard_below(m, 12);
    if (kind == 0 && i->has_constants)
        return MIDGARD_R_CONSTANT;
    if (kind < 3 && unit >= MIDGARD_VADD && c->forward[kind & 1])
        return (uint8_t)(MIDGARD_R_FORWARD + (kind & 1));
    if (kind == 3)
        return (uint8_t)(16 + midgard_below(m, 8));
    if (kind == 4)
        return (uint8_t)(27 + midgard_below(m, 5));
    return midgard_one_in(m, 12) ? MIDGARD_RANDOM_COUNTER : midgard_some_register(m);
}

static uint8_t expand(struct midgard_maker *m, uint8_t mode, bool floats)
{
    const uint8_t most[2] = {MIDGARD_SWAP, floats ? MIDGARD_SWAP : MIDGARD_EXPAND_HIGH_SWAP};
    if (midgard_one_in(m, 2))
        return MIDGARD_PLAIN;
    return mode < MIDGARD_MODE_32 ? (uint8_t)midgard_below(m, most[mode] + 1u)
                                  : (uint8_t)(MIDGARD_EXPAND_LOW + midgard_below(m, 2));
}

static struct midgard_source source(struct midgard_maker *m, const struct midgard_insn *i,
                                    enum midgard_unit unit, uint8_t mode, bool floats, const struct chosen *c)
{
    struct midgard_source s = {.reg = readable(m, i, unit, c),
                               .mod = (uint8_t)(midgard_one_in(m, 2) ? midgard_below(m, 4) : 0)};
    if (midgard_is_scalar(unit)) {
        s.full = !midgard_one_in(m, 3);
        s.component = (uint8_t)(midgard_below(m, 8) & (s.full ? 6 : 7));
        return s;
    }
    s.expand = expand(m, mode, floats);
    s.swizzle = midgard_one_in(m, 2) ? 0xe4 : (uint8_t)midgard_below(m, 256);
    return s;
}

static uint16_t some_half(struct midgard_maker *m)
{
    static const uint16_t values[] = {0, 0x3c00, 0xbc00, 0x4000, 0x3800, 0x7c00, 0x8000, 1, 0xffff, 0x7bff};
    return midgard_one_in(m, 3) ? (uint16_t)midgard_below(m, 1u << 16)
                                : values[midgard_below(m, UTIL_ARRAY_SIZE(values))];
}

static uint8_t destination(struct midgard_maker *m, enum midgard_unit unit, const struct chosen *c)
{
    uint32_t kind = midgard_below(m, 10);
    if (unit < MIDGARD_VADD && kind < 2 && !c->forward[kind])
        return (uint8_t)(MIDGARD_R_FORWARD + kind);
    if (unit < MIDGARD_VADD && kind == 2)
        return MIDGARD_R_SELECT;
    if (kind == 3)
        return (uint8_t)(MIDGARD_R_MEMORY + midgard_below(m, 4));
    return midgard_some_register(m);
}

static uint8_t mask(struct midgard_maker *m, uint8_t mode)
{
    unsigned each = mode == MIDGARD_MODE_64 ? 4 : mode == MIDGARD_MODE_32 ? 2 : 1, out = 0;
    if (midgard_one_in(m, 3))
        return 0xff;
    if (midgard_one_in(m, 12)) /* elements in part, too */
        return (uint8_t)midgard_below(m, 256);
    for (unsigned n = 0; n < 8; n += each)
        out |= midgard_one_in(m, 2) ? ((1u << each) - 1) << n : 0;
    return (uint8_t)(out ? out : 0xff);
}

static void make_unit(struct midgard_maker *m, struct midgard_insn *i, enum midgard_unit unit,
                      struct chosen *c)
{
    static const uint8_t modes[] = {MIDGARD_MODE_32, MIDGARD_MODE_32, MIDGARD_MODE_32, MIDGARD_MODE_16,
                                    MIDGARD_MODE_16, MIDGARD_MODE_8,  MIDGARD_MODE_64};
    struct midgard_alu *u = &i->alu[unit];
    bool scalar = midgard_is_scalar(unit);
    uint8_t mode = scalar ? MIDGARD_MODE_32 : modes[midgard_below(m, UTIL_ARRAY_SIZE(modes))];
    if (unit == MIDGARD_VLUT && mode == MIDGARD_MODE_8)
        mode = MIDGARD_MODE_16;
    const struct midgard_alu_info *info = some_operation(m, unit, mode, c, &u->op);
    u->a = source(m, i, unit, mode, info->float_in, c);
    u->b = source(m, i, unit, mode, info->float_in, c);
    u->immediate = midgard_one_in(m, 5);
    if (u->immediate) {
        u->b = (struct midgard_source){.mod = scalar || !info->float_in ? 0 : u->b.mod};
        u->constant = some_half(m);
    }
    u->dest = destination(m, unit, c);
    bool narrow = midgard_one_in(m, 4);
    if (scalar) {
        u->full = !narrow;
        u->component = (uint8_t)(midgard_below(m, 8) & (u->full ? 6 : 7));
    } else {
        narrow = narrow && mode != MIDGARD_MODE_8 && !(info->float_out && mode == MIDGARD_MODE_16);
        u->mode = mode;
        u->shrink = narrow ? (uint8_t)midgard_below(m, 2) : MIDGARD_SHRINK_NONE;
        u->mask = mask(m, mode);
    }
    u->outmod = info->float_out ? (uint8_t)(midgard_one_in(m, 2) ? 0 : midgard_below(m, 4))
                : narrow        ? (uint8_t)midgard_below(m, 4)
                                : MIDGARD_LOW_HALF;
    i->units |= (uint8_t)(1u << unit);
}

/* r31.w is true of about half of the lanes. */
static void make_condition(struct midgard_maker *m, struct midgard_insn *i, struct chosen *c)
{
    static const uint8_t tests[] = {0x80, 0x81, 0x82, 0x83, 0xa0, 0xa1, 0xa2, 0xa4, 0x70};
    struct midgard_alu *u = &i->alu[MIDGARD_SADD];
    *u = (struct midgard_alu){.op = tests[midgard_below(m, UTIL_ARRAY_SIZE(tests))],
                              .dest = MIDGARD_R_SELECT,
                              .component = 6,
                              .full = true};
    const struct midgard_alu_info *info = midgard_alu_info(u->op);
    u->outmod = info->float_out ? 0 : MIDGARD_LOW_HALF;
    u->a = source(m, i, MIDGARD_SADD, MIDGARD_MODE_32, false, c);
    u->b = source(m, i, MIDGARD_SADD, MIDGARD_MODE_32, false, c);
    i->units |= 1u << MIDGARD_SADD;
}

static void note(struct chosen *c, uint8_t dest)
{
    c->forward[0] |= dest == MIDGARD_R_FORWARD;
    c->forward[1] |= dest == MIDGARD_R_FORWARD + 1;
    c->condition |= dest == MIDGARD_R_SELECT;
}

void midgard_make_bundle(struct midgard_maker *m, struct midgard_insn *i, bool condition)
{
    struct chosen c = {{false, false}, false};
    uint32_t wanted = 1 + midgard_below(m, 31);
    i->tag = m->profile == MIDGARD_RANDOM_FULL && midgard_one_in(m, 16) ? MIDGARD_TAG_ALU_WRITEOUT
                                                                        : MIDGARD_TAG_ALU;
    i->has_constants = midgard_one_in(m, 3);
    for (unsigned n = 0; i->has_constants && n < 4; n++)
        i->constant[n] = midgard_one_in(m, 2) ? (uint32_t)isa_random_next(&m->random)
                                              : 0x3f800000 + (midgard_below(m, 8) << 23);
    for (unsigned u = 0; u < MIDGARD_ALU_UNITS; u++) {
        if (condition && u == MIDGARD_SADD)
            make_condition(m, i, &c);
        else if (wanted >> u & 1)
            make_unit(m, i, (enum midgard_unit)u, &c);
        if (u == MIDGARD_SADD)
            for (unsigned k = 0; k <= MIDGARD_SADD; k++)
                if (midgard_has(i, (enum midgard_unit)k))
                    note(&c, i->alu[k].dest);
    }
}
