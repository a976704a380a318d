/* Random PP programs: the seed decides them, no rule is broken, and together they have every value of the
 * table: fields and their bits, operations, modifiers, conditions, sources and destinations. */
#include <string.h>

#include "isa/utgard_pp/asm.h"
#include "tests/isa/seen.h"
#include "util/bits.h"

enum { SEEDS = 6000, CAPACITY = 2048 };

static uint32_t make(uint64_t seed, uint32_t capacity, uint32_t *words)
{
    return utgard_pp_random(seed, seed % 2 ? UTGARD_PP_RANDOM_FULL : UTGARD_PP_RANDOM_STRAIGHT, words,
                            capacity);
}

static void test_rules(void **state)
{
    static uint32_t words[CAPACITY], again[CAPACITY];
    unsigned longest = 0;
    SEEN_RULES(SEEDS, CAPACITY, 1, words, again, make, utgard_pp_check, 256 + (uint32_t)seed % 1000, longest);
}

/* ---- coverage ---- */

static struct utgard_pp_insn insns[SEEDS * 40];
#define SEEN(name, condition) SEEN_IN(insns, name, condition)
#define HAS(field)            utgard_pp_has(i, UTGARD_PP_##field)

/* A field's formats, by what chooses among them. */
#define IS_CONTROL        true
#define IS_VARYING        HAS(VARYING)
#define IS_SAMPLER        HAS(SAMPLER)
#define IS_LOAD           HAS(LOAD)
#define IS_VMUL           HAS(VMUL)
#define IS_SMUL           HAS(SMUL)
#define IS_VADD           HAS(VADD)
#define IS_SADD           HAS(SADD)
#define IS_COMBINE_SCALAR HAS(COMBINE) && i->combine.kind == UTGARD_PP_COMBINE_SCALAR
#define IS_COMBINE_VECTOR HAS(COMBINE) && i->combine.kind == UTGARD_PP_COMBINE_VECTOR
#define IS_COMBINE_PART2  HAS(COMBINE) && i->combine.kind == UTGARD_PP_COMBINE_PART2
#define IS_COMBINE_SCALE  HAS(COMBINE) && i->combine.kind == UTGARD_PP_COMBINE_SCALE
#define IS_STORE          HAS(STORE) && !i->store.frame_buffer
#define IS_FRAME_BUFFER   HAS(STORE) && i->store.frame_buffer
#define IS_BRANCH         HAS(BRANCH)
#define IS_CONST0         HAS(CONST0)
#define IS_CONST1         HAS(CONST1)

static void take_all(void)
{
    static uint32_t words[CAPACITY];
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint32_t count = make(seed, CAPACITY, words);
        for (uint32_t at = 0; at < count;) {
            assert_true(seen_count < UTIL_ARRAY_SIZE(insns));
            at += utgard_pp_decode(words, count, at, &insns[seen_count++]);
        }
    }
}

/* What the rules fix, or what tests of single programs have: bits that are not known; operands that the
 * operations of that format do not read; lengths of branches' targets; distances beyond a program's. */
static bool is_fixed(const char *format, const char *member, unsigned bit)
{
    bool scalar = !strcmp(format, "COMBINE_SCALAR"), op = !strcmp(member, "combine.op");
    static const char *const fixed[] = {"unknown",    "combine.kind",     "sampler.mark", "sampler.type",
                                        "store.dest", "store.fb_unknown", "branch.next",  "load.source"};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(fixed); n++)
        if (strstr(member, fixed[n]))
            return true;
    if ((scalar && !strncmp(member, "combine.b.", 10)) || (scalar && op && bit == 3) ||
        (!scalar && op && bit > 0))
        return true;
    return (!strcmp(member, "branch.target") && bit >= 8) || (!strcmp(member, "count") && bit == 4) ||
           (!strcmp(member, "next") && bit >= 4);
}

static void test_bits(void)
{
#define ROW(format, member, lo, count)                                                                       \
    for (unsigned bit = 0; bit < (count); bit++) {                                                           \
        if (is_fixed(#format, #member, bit))                                                                 \
            continue;                                                                                        \
        SEEN(#format " " #member ", a bit of 1", (IS_##format) && ((uint64_t)i->member >> bit & 1));         \
        SEEN(#format " " #member ", a bit of 0", (IS_##format) && !((uint64_t)i->member >> bit & 1));        \
    }
#include "isa/utgard_pp/insns.inc"
}

static void test_operations(void)
{
#define MUL_OP(value, text, operands, lane_op, shape)                                                        \
    for (uint8_t mod = 0; mod < 4; mod++) {                                                                  \
        SEEN("vector multiplier: " text, HAS(VMUL) && i->vmul.op == (value) && i->vmul.mod == mod);          \
        SEEN("scalar multiplier: " text, HAS(SMUL) && i->smul.op == (value) && i->smul.mod == mod);          \
    }
#define ADD_OP(value, text, operands, lane_op, shape)                                                        \
    for (uint8_t mod = 0; mod < 4; mod++) {                                                                  \
        SEEN("vector accumulator: " text, HAS(VADD) && i->vadd.op == (value) && i->vadd.mod == mod);         \
        if ((value) != UTGARD_PP_ADD_SUM3 && (value) != UTGARD_PP_ADD_SUM4)                                  \
            SEEN("scalar accumulator: " text, HAS(SADD) && i->sadd.op == (value) && i->sadd.mod == mod);     \
    }
#define COMBINE_OP(value, text, operands)                                                                    \
    if ((value) >= UTGARD_PP_COMBINE_ATAN)                                                                   \
        SEEN("combiner: " text, (IS_COMBINE_VECTOR) && i->combine.op == (value));                            \
    for (uint8_t mod = 0; mod < 4 && (value) < UTGARD_PP_COMBINE_ATAN; mod++)                                \
        SEEN("combiner: " text, (IS_COMBINE_SCALAR) && i->combine.op == (value) && i->combine.mod == mod);
#include "isa/utgard_pp/insns.inc"
    SEEN("vector sum of the product", HAS(VADD) && i->vadd.mul_in);
    SEEN("scalar sum of the product", HAS(SADD) && i->sadd.mul_in);
}

/* Registers, those of the instruction's own among them. */
static void test_registers(void)
{
    for (unsigned reg = 0; reg < 16; reg++) {
        SEEN("vmul a", HAS(VMUL) && i->vmul.a.reg == reg);
        SEEN("vmul b", HAS(VMUL) && i->vmul.b.reg == reg);
        SEEN("vadd a", HAS(VADD) && i->vadd.a.reg == reg);
        SEEN("vadd b", HAS(VADD) && i->vadd.b.reg == reg);
        SEEN("smul a", HAS(SMUL) && i->smul.a.reg >> 2 == reg);
        SEEN("smul b", HAS(SMUL) && i->smul.b.reg >> 2 == reg);
        SEEN("sadd a", HAS(SADD) && i->sadd.a.reg >> 2 == reg);
        SEEN("sadd b", HAS(SADD) && i->sadd.b.reg >> 2 == reg);
        SEEN("combine a", (IS_COMBINE_SCALAR) && i->combine.a.reg >> 2 == reg);
        SEEN("combine vector", HAS(COMBINE) && i->combine.b_vector == reg);
        SEEN("store", (IS_STORE) && i->store.source >> 2 == reg);
    }
    for (unsigned reg = 0; reg < UTGARD_PP_REGISTERS - 1u; reg++) {
        SEEN("to a varying", HAS(VARYING) && i->varying.dest == reg);
        SEEN("to vmul", HAS(VMUL) && i->vmul.dest == reg);
        SEEN("to vadd", HAS(VADD) && i->vadd.dest == reg);
        SEEN("to smul", HAS(SMUL) && i->smul.writes && i->smul.dest >> 2 == reg);
        SEEN("to sadd", HAS(SADD) && i->sadd.writes && i->sadd.dest >> 2 == reg);
        SEEN("to combine", (IS_COMBINE_SCALAR) && i->combine.dest >> 2 == reg);
        SEEN("to combine, a vector", (IS_COMBINE_SCALE) && i->combine.vector_dest == reg);
        SEEN("to the frame buffer's", (IS_FRAME_BUFFER) && i->store.fb_dest == reg);
    }
    SEEN("coordinates", HAS(VARYING) && i->varying.dest == UTGARD_PP_R_COORDINATES);
    SEEN("no scalar product", HAS(SMUL) && !i->smul.writes);
    SEEN("no scalar sum", HAS(SADD) && !i->sadd.writes);
}

/* The world: varyings of all kinds and widths, textures, memory; ends. */
static void test_world(void)
{
    for (unsigned n = 0; n < 16; n++) {
        if (n / 4 == UTGARD_PP_VARYING_POINT ? n % 4 < 2 : n / 4 == UTGARD_PP_VARYING_CUBE || n % 4 != 1)
            SEEN("varying", HAS(VARYING) && i->varying.type == n / 4 && i->varying.perspective == n % 4);
        if (n / 4 != UTGARD_PP_VEC4_LOAD)
            SEEN("varying's width", HAS(VARYING) && i->varying.type == UTGARD_PP_VARYING_PLANE &&
                                        i->varying.align == n / 4 && (i->varying.vector == 15) == n % 2);
    }
    for (unsigned n = 0; n < 8; n++) {
        SEEN("texture", HAS(SAMPLER) && (i->sampler.type == UTGARD_PP_SAMPLER_CUBE) == n % 2 &&
                            i->sampler.has_lod == n / 2 % 2 && i->sampler.explicit_lod == (n == 6 || n == 7));
        if (n)
            SEEN("condition", HAS(BRANCH) && !i->branch.discard && i->branch.condition == n);
    }
    for (unsigned n = 0; n < 12; n++) {
        SEEN("load", HAS(LOAD) && i->load.align == n % 3 && i->load.has_offset == n / 3 % 2 &&
                         (i->load.source == UTGARD_PP_SOURCE_TEMPORARY) == n / 6);
        SEEN("store", (IS_STORE) && i->store.align == n % 3 && i->store.has_offset == n / 3 % 2);
    }
    SEEN("texture by a register", HAS(SAMPLER) && i->sampler.has_offset);
    SEEN("colour of the tile", (IS_FRAME_BUFFER) && i->store.fb_source);
    SEEN("depth of the tile", (IS_FRAME_BUFFER) && !i->store.fb_source);
    SEEN("discard", HAS(BRANCH) && i->branch.discard);
    SEEN("backward", HAS(BRANCH) && i->branch.target < 0);
    SEEN("stop", i->stop);
}

static void test_everything(void **state)
{
    take_all();
    test_bits();
    test_operations();
    test_registers();
    test_world();
    seen_print();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
