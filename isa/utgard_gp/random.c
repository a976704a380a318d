/* Random programs that the checker accepts. Loops count a register down, so that they end. */
#include <string.h>

#include "isa/random.h"
#include "isa/utgard_gp/asm.h"
#include "util/bits.h"

enum {
    COUNTER = 15, /* the register that counts loops: nothing else writes it */
    LOOP_MAX = 9  /* instructions of a loop, six of them its own */
};

struct maker {
    struct isa_random random;
    bool full;
    uint64_t *words;
    uint32_t pc, count;
    uint32_t branches;   /* still to come, at most: each parts the program, which costs a compiler most */
    bool after_complex1; /* the instruction before has one */
};

/* Any source that stands for something here. */
static uint8_t source(struct maker *m)
{
    for (;;) {
        uint8_t src = (uint8_t)isa_random_below(&m->random, 32);
        bool unknown = src >= 8 && src <= 11;
        bool early = (m->pc == 0 && src >= UTGARD_GP_SRC_ACC0_1) ||
                     (m->pc == 1 && src >= UTGARD_GP_SRC_PASS_2 && src <= UTGARD_GP_SRC_MUL1_2);
        if (!unknown && !early && src != UTGARD_GP_SRC_NONE && src != UTGARD_GP_SRC_COMPLEX_1 &&
            !(m->after_complex1 && src == UTGARD_GP_SRC_MUL0_1))
            return src;
    }
}

/* Mostly the same few, so that what is written is read. */
static uint8_t some_register(struct maker *m, uint32_t count)
{
    return (uint8_t)isa_random_below(&m->random, isa_random_one_in(&m->random, 6) ? count : 6);
}

static uint8_t first(struct maker *m)
{
    return m->pc && isa_random_one_in(&m->random, 8) ? (uint8_t)UTGARD_GP_SRC_COMPLEX_1 : source(m);
}

static uint8_t second(struct maker *m)
{
    return isa_random_one_in(&m->random, 6) ? (uint8_t)UTGARD_GP_SRC_COMPLEX_1 : source(m);
}

static void make_units(struct maker *m, struct utgard_gp_insn *i)
{
    static const uint8_t acc_ops[] = {0, 0, 0, 1, 2, 4, 5, 6, 7}, mul_ops[] = {0, 0, 0, 0, 1, 3, 4},
                         complex_ops[] = {2, 3, 4, 5, 9}, pass_ops[] = {2, 2, 4, 5, 6};
    i->mul_op = mul_ops[isa_random_below(&m->random, UTIL_ARRAY_SIZE(mul_ops))];
    i->acc_op = acc_ops[isa_random_below(&m->random, UTIL_ARRAY_SIZE(acc_ops))];
    for (unsigned n = 0; n < 2; n++) {
        if (!isa_random_one_in(&m->random, 5) || i->mul_op == UTGARD_GP_MUL_SELECT) {
            i->mul_a[n] = first(m);
            i->mul_b[n] = second(m);
            i->mul_neg[n] = isa_random_one_in(&m->random, 3);
        }
        if (!isa_random_one_in(&m->random, 5)) {
            i->acc_a[n] = first(m);
            i->acc_b[n] = second(m);
            i->acc_a_neg[n] = isa_random_one_in(&m->random, 3);
            i->acc_b_neg[n] = isa_random_one_in(&m->random, 3);
        }
    }
    if (i->mul_a[0] == UTGARD_GP_SRC_NONE && i->mul_a[1] == UTGARD_GP_SRC_NONE)
        i->mul_op = 0;
    if (i->acc_a[0] == UTGARD_GP_SRC_NONE && i->acc_a[1] == UTGARD_GP_SRC_NONE)
        i->acc_op = 0;
    if (!isa_random_one_in(&m->random, 3)) {
        i->complex_op = complex_ops[isa_random_below(&m->random, UTIL_ARRAY_SIZE(complex_ops))];
        i->complex_src = first(m);
    }
    if (!isa_random_one_in(&m->random, 3)) {
        i->pass_op = pass_ops[isa_random_below(&m->random, UTIL_ARRAY_SIZE(pass_ops))];
        i->pass_src = first(m);
    }
}

static uint8_t stored(struct maker *m, const struct utgard_gp_insn *i)
{
    for (;;) {
        uint8_t src = (uint8_t)isa_random_below(&m->random, 8);
        if (src != UTGARD_GP_STORE_RESERVED &&
            !(src == UTGARD_GP_STORE_MUL0 && i->mul_op == UTGARD_GP_MUL_COMPLEX1))
            return src;
    }
}

static void make_stores(struct maker *m, struct utgard_gp_insn *i)
{
    for (unsigned n = 0; n < 2; n++) {
        if (isa_random_one_in(&m->random, 3))
            continue;
        i->store_varying[n] = isa_random_one_in(&m->random, 3);
        i->store_addr[n] = i->store_varying[n] ? (uint8_t)isa_random_below(&m->random, UTGARD_GP_VARYINGS)
                                               : some_register(m, COUNTER);
        i->store_src[n][0] = stored(m, i);
        i->store_src[n][1] = stored(m, i);
    }
}

static void make_fetches(struct maker *m, struct utgard_gp_insn *i)
{
    i->fetch0_attribute = isa_random_one_in(&m->random, 2);
    i->fetch0 = i->fetch0_attribute ? (uint8_t)isa_random_below(&m->random, UTGARD_GP_ATTRIBUTES)
                                    : some_register(m, UTGARD_GP_REGISTERS);
    i->fetch1 = some_register(m, UTGARD_GP_REGISTERS);
    i->load_addr =
        (uint16_t)isa_random_below(&m->random, isa_random_one_in(&m->random, 6) ? UTGARD_GP_FILE : 24);
}

static void emit(struct maker *m, struct utgard_gp_insn *i)
{
    i->unknown = utgard_gp_mark(i);
    utgard_gp_encode(i, &m->words[(size_t)m->pc * UTGARD_GP_WORDS]);
    m->after_complex1 = i->mul_op == UTGARD_GP_MUL_COMPLEX1;
    m->pc++;
}

/* An address register, or two, from uniform 0, which holds small numbers. */
static void make_address(struct maker *m, struct utgard_gp_insn *i)
{
    uint8_t src = (uint8_t)(UTGARD_GP_SRC_LOAD_X + isa_random_below(&m->random, 4));
    i->complex_op = (uint8_t)(UTGARD_GP_COMPLEX_ADDR0 + isa_random_below(&m->random, 4));
    i->complex_src = src;
    i->load_addr = 0;
    if (!isa_random_one_in(&m->random, 5))
        return;
    i->complex_op = UTGARD_GP_COMPLEX_ADDR01;
    i->pass_op = UTGARD_GP_PASS_PASS;
    i->pass_src = src;
}

static void make_plain(struct maker *m)
{
    struct utgard_gp_insn i = utgard_gp_nop;
    make_fetches(m, &i);
    make_units(m, &i);
    make_stores(m, &i);
    if (m->full && isa_random_one_in(&m->random, 6) && (i.complex_op == UTGARD_GP_COMPLEX_PASS))
        make_address(m, &i);
    if (m->full && isa_random_one_in(&m->random, 8))
        i.load_offset = (uint8_t)(1 + isa_random_below(&m->random, 3));
    if (m->full && isa_random_one_in(&m->random, 10)) {
        unsigned n = isa_random_below(&m->random, 2);
        i.store_temporary[n] = true;
        i.store_varying[n] = false;
        i.store_src[n][0] = stored(m, &i);
    }
    if (i.load_offset != UTGARD_GP_OFFSET_NONE)
        i.load_addr = (uint16_t)(8 + isa_random_below(&m->random, 16));
    emit(m, &i);
}

/* Registers have three instructions to arrive in. */
static void make_nops(struct maker *m, unsigned n)
{
    while (n--) {
        struct utgard_gp_insn nop = utgard_gp_nop;
        emit(m, &nop);
    }
}

/* r15.x = uniform 1 (its components are 3, 1, 1, 0 in the tests); body; r15.x -= 1; again unless it is zero.
 */
static void make_loop(struct maker *m, uint32_t body)
{
    struct utgard_gp_insn i = utgard_gp_nop;
    uint32_t start;
    i.load_addr = 1;
    i.acc_a[0] = UTGARD_GP_SRC_LOAD_X;
    i.acc_b[0] = UTGARD_GP_SRC_COMPLEX_1;
    i.acc_b_neg[0] = true;
    i.store_src[0][0] = UTGARD_GP_STORE_ACC0;
    i.store_addr[0] = COUNTER;
    emit(m, &i);
    make_nops(m, 2);
    start = m->pc;
    while (body--)
        make_plain(m);
    i.fetch1 = COUNTER;
    i.acc_a[0] = UTGARD_GP_SRC_FETCH1_X;
    i.acc_b[0] = UTGARD_GP_SRC_LOAD_X + 1;
    emit(m, &i);
    make_nops(m, 1);
    i = utgard_gp_nop;
    i.pass_src = UTGARD_GP_SRC_ACC0_2;
    i.branch = true;
    i.branch_target = (uint8_t)start;
    i.branch_low = start < 256;
    emit(m, &i);
}

static void make_skip(struct maker *m)
{
    struct utgard_gp_insn i = utgard_gp_nop;
    uint32_t target = m->pc + 1 + isa_random_below(&m->random, 6);
    make_fetches(m, &i);
    make_units(m, &i);
    i.pass_op = UTGARD_GP_PASS_PASS;
    i.pass_src = i.acc_op == UTGARD_GP_ACC_LT || i.pass_src == UTGARD_GP_SRC_NONE ? source(m) : i.pass_src;
    target = UTIL_MIN(target, m->count);
    i.branch = true;
    i.branch_target = target & 255;
    i.branch_low = target < 256;
    emit(m, &i);
}

uint32_t utgard_gp_random(uint64_t seed, unsigned profile, void *words, uint32_t capacity)
{
    struct maker m = {.random = {seed}, .full = profile == UTGARD_GP_RANDOM_FULL, .words = words};
    uint32_t limit = UTIL_MIN(capacity, UTGARD_GP_MAX_INSNS);
    m.count = (m.full ? LOOP_MAX : 4) +
              isa_random_below(&m.random,
                               1 + isa_random_below(&m.random, UTIL_MIN(limit, 40) -
                                                                   LOOP_MAX)); /* short ones are many more */
    if (m.full && limit == UTGARD_GP_MAX_INSNS &&
        isa_random_one_in(&m.random, 20)) { /* targets of nine bits */
        uint32_t before = 64 * (1 + isa_random_below(&m.random, 7));
        m.count += before;
        make_nops(&m, before);
    }
    m.branches = m.full ? 1 + isa_random_below(&m.random, 1 + isa_random_below(&m.random, 4)) : 0;
    while (m.pc < m.count) {
        bool branch = m.branches && isa_random_one_in(&m.random, 7);
        m.branches -= branch;
        if (branch && m.pc + LOOP_MAX <= m.count && !isa_random_one_in(&m.random, 3))
            make_loop(&m, 1 + isa_random_below(&m.random, LOOP_MAX - 6));
        else if (branch)
            make_skip(&m);
        else
            make_plain(&m);
    }
    return m.count;
}
