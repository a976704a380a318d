/* Random programs that the checker accepts. Loops count register 11 down, so that they end. */
#include <string.h>

#include "isa/random.h"
#include "isa/utgard_pp/asm.h"
#include "isa/utgard_pp/names.h"
#include "util/bits.h"

enum { COUNTER = 11, FREE_REGISTERS = 6, INSNS_MAX = 40 };

struct maker {
    struct isa_random random;
    bool full;
    uint32_t *words;
    uint32_t at, left; /* words written; instructions to come */
    uint32_t last;     /* where the instruction before stands; `at` when there is none */
    uint32_t branches; /* still to come, at most: each parts the program, which costs a compiler most */
    /* A skip whose target is not known yet: the instruction, and how many more it skips. */
    uint32_t skip_at, skips;
};

static void has(struct utgard_pp_insn *i, enum utgard_pp_field field)
{
    i->fields |= (uint16_t)(1u << field);
}

/* ---- operands ---- */

/* One that may be written: mostly the same few, so that what is written is read. */
static uint8_t some_register(struct maker *m)
{
    return (uint8_t)isa_random_below(&m->random, isa_random_one_in(&m->random, 6) ? COUNTER : FREE_REGISTERS);
}

static uint8_t some_scalar(struct maker *m)
{
    return (uint8_t)(some_register(m) << 2 | isa_random_below(&m->random, 4));
}

/* A register that means something here. */
static uint8_t readable(struct maker *m, const struct utgard_pp_insn *i)
{
    static const struct {
        uint8_t reg;
        enum utgard_pp_field field;
    } special[] = {{UTGARD_PP_R_CONST0, UTGARD_PP_CONST0},
                   {UTGARD_PP_R_CONST1, UTGARD_PP_CONST1},
                   {UTGARD_PP_R_TEXTURE, UTGARD_PP_SAMPLER},
                   {UTGARD_PP_R_UNIFORM, UTGARD_PP_LOAD}};
    uint32_t k = isa_random_below(&m->random, 10);
    if (k < 4 && utgard_pp_has(i, special[k].field))
        return special[k].reg;
    return isa_random_one_in(&m->random, 16) ? COUNTER : some_register(m);
}

static struct utgard_pp_vector vector(struct maker *m, const struct utgard_pp_insn *i)
{
    struct utgard_pp_vector v = {
        readable(m, i), isa_random_one_in(&m->random, 2) ? 0xe4 : (uint8_t)isa_random_below(&m->random, 256),
        isa_random_one_in(&m->random, 5), isa_random_one_in(&m->random, 4)};
    return v;
}

static struct utgard_pp_scalar scalar(struct maker *m, const struct utgard_pp_insn *i)
{
    struct utgard_pp_scalar s = {(uint8_t)(readable(m, i) << 2 | isa_random_below(&m->random, 4)),
                                 isa_random_one_in(&m->random, 5), isa_random_one_in(&m->random, 4)};
    return s;
}

static uint8_t mask(struct maker *m)
{
    return isa_random_one_in(&m->random, 2) ? 15 : (uint8_t)isa_random_below(&m->random, 16);
}

/* ---- fields ---- */

static void make_constants(struct maker *m, struct utgard_pp_insn *i)
{
    static const uint16_t values[] = {0,      0x3c00, 0xbc00, 0x4000, 0x3800, 0x4200,
                                      0x7c00, 0x8000, 0x0001, 0x7bff, 0x4248};
    for (unsigned k = 0; k < 2; k++) {
        if (!isa_random_one_in(&m->random, 3))
            continue;
        has(i, (enum utgard_pp_field)(UTGARD_PP_CONST0 + k));
        for (unsigned n = 0; n < 4; n++)
            i->constant[k][n] = isa_random_one_in(&m->random, 4)
                                    ? (uint16_t)isa_random_below(&m->random, 1u << 16)
                                    : values[isa_random_below(&m->random, UTIL_ARRAY_SIZE(values))];
    }
}

static void make_varying(struct maker *m, struct utgard_pp_insn *i)
{
    static const uint8_t aligns[] = {UTGARD_PP_FLOAT, UTGARD_PP_VEC2, UTGARD_PP_VEC4_VARYING,
                                     UTGARD_PP_VEC4_VARYING};
    static const uint8_t divides[] = {0, 0, 0, UTGARD_PP_DIVIDE_Z, UTGARD_PP_DIVIDE_W};
    has(i, UTGARD_PP_VARYING);
    i->varying.type = (uint8_t)isa_random_below(&m->random, 4);
    i->varying.perspective =
        i->varying.type < UTGARD_PP_VARYING_CUBE
            ? divides[isa_random_below(&m->random, 5)]
            : (uint8_t)isa_random_below(&m->random, i->varying.type == UTGARD_PP_VARYING_CUBE ? 4 : 2);
    bool from_register = i->varying.type == UTGARD_PP_VARYING_REGISTER ||
                         (i->varying.type == UTGARD_PP_VARYING_CUBE &&
                          (i->varying.perspective == 1 || i->varying.perspective == 2));
    i->varying.dest = isa_random_one_in(&m->random, 3) ? UTGARD_PP_R_COORDINATES : some_register(m);
    i->varying.mask = mask(m);
    if (from_register) {
        i->varying.vector = readable(m, i);
        i->varying.scalar = (uint8_t)isa_random_below(&m->random, 4);
        i->varying.index = (uint8_t)isa_random_below(&m->random, 64);
        i->varying.negate = isa_random_one_in(&m->random, 4);
        i->varying.absolute = isa_random_one_in(&m->random, 4);
        return;
    }
    i->varying.align = aligns[isa_random_below(&m->random, 4)];
    i->varying.index = (uint8_t)isa_random_below(&m->random, i->varying.align == UTGARD_PP_FLOAT  ? 30
                                                             : i->varying.align == UTGARD_PP_VEC2 ? 16
                                                                                                  : 8);
    i->varying.vector = m->full && isa_random_one_in(&m->random, 12) ? some_register(m) : 15;
    i->varying.scalar = i->varying.vector < 15 ? (uint8_t)isa_random_below(&m->random, 4) : 0;
}

static void make_sampler(struct maker *m, struct utgard_pp_insn *i)
{
    has(i, UTGARD_PP_SAMPLER);
    i->sync = true;
    i->sampler.index =
        (uint16_t)isa_random_below(&m->random, isa_random_one_in(&m->random, 8) ? 1u << 12 : 4);
    i->sampler.type = isa_random_one_in(&m->random, 4) ? UTGARD_PP_SAMPLER_CUBE : UTGARD_PP_SAMPLER_2D;
    i->sampler.mark = UTGARD_PP_SAMPLER_MARK;
    i->sampler.has_lod = isa_random_one_in(&m->random, 3);
    i->sampler.explicit_lod = i->sampler.has_lod && isa_random_one_in(&m->random, 2);
    i->sampler.lod = i->sampler.has_lod ? some_scalar(m) : 0;
    i->sampler.has_offset = m->full && isa_random_one_in(&m->random, 12);
    i->sampler.offset = i->sampler.has_offset ? some_scalar(m) : 0;
}

/* Of a vec4, a pair or a float: mostly around 0, where both signs meet. */
static uint16_t temporary(struct maker *m)
{
    return (uint16_t)(isa_random_one_in(&m->random, 16) ? isa_random_below(&m->random, 1024) - 512
                                                        : isa_random_below(&m->random, 24) - 12);
}

static void make_load(struct maker *m, struct utgard_pp_insn *i)
{
    has(i, UTGARD_PP_LOAD);
    i->load.source =
        m->full && isa_random_one_in(&m->random, 3) ? UTGARD_PP_SOURCE_TEMPORARY : UTGARD_PP_SOURCE_UNIFORM;
    i->load.align = (uint8_t)isa_random_below(&m->random, 3);
    i->load.index = i->load.source == UTGARD_PP_SOURCE_TEMPORARY ? temporary(m)
                                                                 : (uint16_t)isa_random_below(&m->random, 24);
    i->load.has_offset = m->full && isa_random_one_in(&m->random, 8);
    i->load.offset = i->load.has_offset ? some_scalar(m) : 0;
}

static void make_multipliers(struct maker *m, struct utgard_pp_insn *i)
{
    static const uint8_t ops[] = {0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 31, 31};
    if (isa_random_one_in(&m->random, 2)) {
        has(i, UTGARD_PP_VMUL);
        i->vmul.op = ops[isa_random_below(&m->random, UTIL_ARRAY_SIZE(ops))];
        i->vmul.a = vector(m, i);
        if (utgard_pp_operands(UTGARD_PP_MUL_OPS, i->vmul.op) > 1)
            i->vmul.b = vector(m, i);
        i->vmul.dest = some_register(m);
        i->vmul.mask = mask(m);
        i->vmul.mod =
            (uint8_t)isa_random_below(&m->random, 6) < 3 ? 0 : (uint8_t)isa_random_below(&m->random, 4);
    }
    if (isa_random_one_in(&m->random, 3)) {
        has(i, UTGARD_PP_SMUL);
        i->smul.op = ops[isa_random_below(&m->random, UTIL_ARRAY_SIZE(ops))];
        i->smul.a = scalar(m, i);
        if (utgard_pp_operands(UTGARD_PP_MUL_OPS, i->smul.op) > 1)
            i->smul.b = scalar(m, i);
        i->smul.writes = !isa_random_one_in(&m->random, 3);
        i->smul.dest = i->smul.writes ? some_scalar(m) : 0;
        i->smul.mod = (uint8_t)isa_random_below(&m->random, 4);
    }
}

static void make_accumulators(struct maker *m, struct utgard_pp_insn *i)
{
    static const uint8_t ops[] = {0, 0, 0, 4, 8, 9, 10, 11, 12, 13, 14, 15, 20, 21, 23, 31, 16, 17};
    if (isa_random_one_in(&m->random, 2)) {
        has(i, UTGARD_PP_VADD);
        i->vadd.op = ops[isa_random_below(&m->random, UTIL_ARRAY_SIZE(ops))];
        i->vadd.a = vector(m, i);
        if (utgard_pp_operands(UTGARD_PP_ADD_OPS, i->vadd.op) > 1)
            i->vadd.b = vector(m, i);
        i->vadd.mul_in = utgard_pp_has(i, UTGARD_PP_VMUL) && isa_random_one_in(&m->random, 3);
        i->vadd.a.reg = i->vadd.mul_in ? 0 : i->vadd.a.reg;
        i->vadd.dest = some_register(m);
        i->vadd.mask = mask(m);
        i->vadd.mod =
            (uint8_t)isa_random_below(&m->random, 6) < 3 ? 0 : (uint8_t)isa_random_below(&m->random, 4);
        i->sync |= (i->vadd.op | 1) == UTGARD_PP_ADD_DFDY;
    }
    if (isa_random_one_in(&m->random, 3)) {
        has(i, UTGARD_PP_SADD);
        i->sadd.op = ops[isa_random_below(&m->random, UTIL_ARRAY_SIZE(ops) - 2)];
        i->sadd.a = scalar(m, i);
        if (utgard_pp_operands(UTGARD_PP_ADD_OPS, i->sadd.op) > 1)
            i->sadd.b = scalar(m, i);
        i->sadd.mul_in = utgard_pp_has(i, UTGARD_PP_SMUL) && isa_random_one_in(&m->random, 3);
        i->sadd.a.reg = i->sadd.mul_in ? 0 : i->sadd.a.reg;
        i->sadd.writes = !isa_random_one_in(&m->random, 8);
        i->sadd.dest = i->sadd.writes ? some_scalar(m) : 0;
        i->sadd.mod = (uint8_t)isa_random_below(&m->random, 4);
        i->sync |= (i->sadd.op | 1) == UTGARD_PP_ADD_DFDY;
    }
}

static void make_combine(struct maker *m, struct utgard_pp_insn *i)
{
    has(i, UTGARD_PP_COMBINE);
    i->combine.kind = isa_random_one_in(&m->random, 2) ? UTGARD_PP_COMBINE_SCALAR
                                                       : (uint8_t)isa_random_below(&m->random, 4);
    i->combine.op = i->combine.kind == UTGARD_PP_COMBINE_VECTOR
                        ? (uint8_t)(UTGARD_PP_COMBINE_ATAN + isa_random_below(&m->random, 2))
                        : (uint8_t)isa_random_below(&m->random, 8);
    i->combine.a = scalar(m, i);
    if (i->combine.op == UTGARD_PP_COMBINE_ATAN2 && i->combine.kind == UTGARD_PP_COMBINE_VECTOR)
        i->combine.b = scalar(m, i);
    i->combine.b_vector = readable(m, i);
    i->combine.b_swizzle = (uint8_t)isa_random_below(&m->random, 256);
    i->combine.dest = some_scalar(m);
    i->combine.vector_dest = some_register(m);
    i->combine.mask = mask(m);
    i->combine.mod = (uint8_t)isa_random_below(&m->random, 4);
}

static void make_store(struct maker *m, struct utgard_pp_insn *i)
{
    has(i, UTGARD_PP_STORE);
    i->store.frame_buffer = !m->full || isa_random_one_in(&m->random, 3);
    if (i->store.frame_buffer) {
        i->store.fb_source = (uint8_t)isa_random_below(&m->random, 2);
        i->store.unknown_0 = 7;
        i->store.fb_unknown = 2;
        i->store.fb_dest = some_register(m);
        return;
    }
    i->store.dest = 3;
    i->store.align = (uint8_t)isa_random_below(&m->random, 3);
    i->store.source = (uint8_t)(readable(m, i) << 2);
    i->store.source |= i->store.align == UTGARD_PP_FLOAT  ? (uint8_t)isa_random_below(&m->random, 4)
                       : i->store.align == UTGARD_PP_VEC2 ? (uint8_t)(isa_random_below(&m->random, 2) * 2)
                                                          : 0;
    i->store.index = temporary(m);
    i->store.has_offset = isa_random_one_in(&m->random, 6);
    i->store.offset = i->store.has_offset ? some_scalar(m) : 0;
}

/* ---- instructions ---- */

/* What an instruction says of one behind it: where a skip goes, and how long the next one is. */
static void mend(struct maker *m, uint32_t at, int32_t target, uint8_t length)
{
    struct utgard_pp_insn i;
    uint32_t out[UTGARD_PP_WORDS], count = utgard_pp_decode(m->words, m->at, at, &i);
    if (target)
        i.branch.target = target;
    if (length && isa_random_one_in(&m->random, 2)) {
        i.prefetch = true;
        i.next = length;
    }
    utgard_pp_encode(&i, out);
    memcpy(&m->words[at], out, count * sizeof *out);
}

static void emit(struct maker *m, struct utgard_pp_insn *i)
{
    uint32_t out[UTGARD_PP_WORDS], last = m->last;
    i->count = (uint8_t)utgard_pp_length(i->fields);
    utgard_pp_encode(i, out);
    memcpy(&m->words[m->at], out, i->count * sizeof *out);
    m->last = m->at;
    m->at += i->count;
    if (last != m->last)
        mend(m, last, 0, i->count);
    if (m->skips && --m->skips == 0) /* the skip goes to what follows */
        mend(m, m->skip_at, (int32_t)(m->at - m->skip_at), 0);
}

static void make_plain(struct maker *m)
{
    struct utgard_pp_insn i = {0};
    make_constants(m, &i);
    if (isa_random_one_in(&m->random, 3))
        make_varying(m, &i);
    if (utgard_pp_has(&i, UTGARD_PP_VARYING) && isa_random_one_in(&m->random, 3))
        make_sampler(m, &i);
    if (isa_random_one_in(&m->random, 4))
        make_load(m, &i);
    make_multipliers(m, &i);
    make_accumulators(m, &i);
    if (isa_random_one_in(&m->random, 4))
        make_combine(m, &i);
    if (isa_random_one_in(&m->random, 8))
        make_store(m, &i);
    if (utgard_pp_length(i.fields) > UTGARD_PP_WORDS)
        i.fields &= (uint16_t)~(1u << UTGARD_PP_STORE);
    emit(m, &i);
}

/* A condition on two registers, over the next instructions. */
static void make_skip(struct maker *m)
{
    struct utgard_pp_insn i = {0};
    if (m->skips)
        return;
    has(&i, UTGARD_PP_BRANCH);
    i.branch.condition = (uint8_t)(1 + isa_random_below(&m->random, 7));
    i.branch.a = i.branch.condition == UTGARD_PP_IF_ALWAYS ? 0 : some_scalar(m);
    i.branch.b = i.branch.condition == UTGARD_PP_IF_ALWAYS ? 0 : some_scalar(m);
    m->skip_at = m->at;
    emit(m, &i);
    m->skips = 1 + isa_random_below(&m->random, 4);
}

static void make_discard(struct maker *m)
{
    struct utgard_pp_insn i = {0};
    make_skip(m); /* over the discard alone, when no other skip is open */
    m->skips = m->skips ? 1 : 0;
    has(&i, UTGARD_PP_BRANCH);
    i.branch.discard = true;
    emit(m, &i);
}

/* r11.x = 3; body; r11.x -= 1; again while r11.x > 0. */
static void make_loop(struct maker *m, uint32_t body)
{
    struct utgard_pp_insn i = {0};
    uint32_t start;
    has(&i, UTGARD_PP_CONST0);
    has(&i, UTGARD_PP_SADD);
    i.constant[0][0] = 0x4200;
    i.sadd.op = UTGARD_PP_ADD_MOV;
    i.sadd.a.reg = UTGARD_PP_R_CONST0 << 2;
    i.sadd.writes = true;
    i.sadd.dest = COUNTER << 2;
    emit(m, &i);
    start = m->at;
    while (body--)
        make_plain(m);
    i.constant[0][0] = 0x3c00;
    i.sadd.op = UTGARD_PP_ADD;
    i.sadd.a.reg = COUNTER << 2;
    i.sadd.b = (struct utgard_pp_scalar){UTGARD_PP_R_CONST0 << 2, false, true};
    has(&i, UTGARD_PP_BRANCH);
    i.branch.condition = UTGARD_PP_IF_GT;
    i.branch.a = COUNTER << 2;
    i.branch.b = UTGARD_PP_R_CONST0 << 2 | 1;
    i.branch.target = (int32_t)start - (int32_t)m->at;
    emit(m, &i);
}

uint32_t utgard_pp_random(uint64_t seed, unsigned profile, void *words, uint32_t capacity)
{
    struct maker m = {.random = {seed}, .full = profile == UTGARD_PP_RANDOM_FULL, .words = words};
    struct utgard_pp_insn end = {.stop = true};
    uint32_t limit = capacity - 8 * UTGARD_PP_WORDS;
    m.left = 3 + isa_random_below(&m.random,
                                  1 + isa_random_below(&m.random, INSNS_MAX)); /* short ones are many more */
    m.branches = m.full ? 1 + isa_random_below(&m.random, 1 + isa_random_below(&m.random, 4)) : 0;
    while (m.left-- && m.at < limit) {
        uint32_t kind =
            m.branches && isa_random_one_in(&m.random, 5) ? 1 + isa_random_below(&m.random, 6) : 0;
        m.branches -= kind != 0;
        if (!kind)
            make_plain(&m);
        else if (kind <= 2 && m.at + 8 * UTGARD_PP_WORDS < limit)
            make_loop(&m, 1 + isa_random_below(&m.random, 4));
        else if (kind <= 4)
            make_skip(&m);
        else
            make_discard(&m);
    }
    while (m.skips)
        make_plain(&m);
    has(&end, UTGARD_PP_CONST0);
    has(&end, UTGARD_PP_VADD);
    end.constant[0][0] = 0x3c00;
    end.vadd.op = UTGARD_PP_ADD_MOV;
    end.vadd.a.reg = some_register(&m);
    end.vadd.a.swizzle = 0xe4;
    end.vadd.mask = 15;
    end.vadd.dest = 0;
    emit(&m, &end);
    return m.at;
}
