/* Fast mode against exact mode: every operation at the edges of what it takes and at random. Results may
 * differ by their rounding, in a stated number of units in the last place, or as a row of the README's table
 * "Where fast differs by more than rounding" says; each of its rows has to be met. Translated code is held
 * to the interpreter elsewhere (tests/diff/test_qpu_diff.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "isa/random.h"
#include "isa/vc4_qpu/insn.h"
#include "isa/vc4_qpu/interp_internal.h"
#include "util/bits.h"
#include "util/fpenv.h"

enum { RANDOM_PAIRS = 100000 };

#define SIGN      0x80000000u
#define MAGNITUDE 0x7fffffffu
#define INFINITE  0x7f800000u

/* One operation on the same operands in both modes. */
struct pair {
    const char *name;
    bool mul, arithmetic; /* of the mul unit; a sum, product or special function */
    unsigned op;
    uint32_t a, b, fast, exact;
    unsigned fast_flags, exact_flags;
    uint32_t ulps; /* that rounding may make */
};

static bool is_nan(uint32_t x)
{
    return (x & MAGNITUDE) > INFINITE;
}

static bool is_zero(uint32_t x) /* to arithmetic */
{
    return (x & MAGNITUDE) < 0x00800000;
}

/* Numbers in their order, a step for each but denormals, which are none; infinity follows the greatest. */
static int64_t rank(uint32_t x)
{
    int64_t steps = is_zero(x) ? 0 : (int64_t)(x & MAGNITUDE) - 0x007fffff;
    return x & SIGN ? -steps : steps;
}

static uint64_t distance(int64_t a, int64_t b)
{
    return (uint64_t)(a > b ? a - b : b - a);
}

/* ---- the README's rows ---- */

static bool nan_row(const struct pair *p)
{
    return p->arithmetic && (is_nan(p->a) || is_nan(p->b) || is_nan(p->fast));
}

static bool minus_zero_row(const struct pair *p)
{
    return p->arithmetic && !p->mul && p->fast == SIGN && p->exact == 0 && p->fast_flags == p->exact_flags;
}

static bool order_of_zeros_row(const struct pair *p)
{
    bool chooses = !p->mul && (p->op == VC4_QPU_A_FMIN || p->op == VC4_QPU_A_FMAX);
    bool one_of_them = (p->fast == p->a || p->fast == p->b) && (p->exact == p->a || p->exact == p->b);
    return chooses && is_zero(p->a) && is_zero(p->b) && (p->a | p->b) >> 31 && one_of_them;
}

static struct {
    const char *name;
    bool (*is)(const struct pair *p);
    unsigned met;
} rows[] = {
    {"NaN", nan_row, 0},
    {"-0 of sums", minus_zero_row, 0},
    {"the order of zeros and denormals", order_of_zeros_row, 0},
};

/* The same, or apart by rounding alone; a sign of zero is no rounding. */
static bool agree(const struct pair *p)
{
    bool at_zero = is_zero(p->fast) != is_zero(p->exact); /* an end of the range: so do the flags */

    if (p->fast_flags != p->exact_flags && !at_zero)
        return false;
    if (p->fast == p->exact)
        return true;
    if (is_nan(p->fast) || is_nan(p->exact) || (is_zero(p->fast) && is_zero(p->exact)))
        return false;
    return distance(rank(p->fast), rank(p->exact)) <= p->ulps;
}

static void check(const struct pair *p)
{
    if (agree(p))
        return;
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(rows); i++) {
        if (rows[i].is(p)) {
            rows[i].met++;
            return;
        }
    }
    fail_msg("%s of %08x and %08x: fast gives %08x, flags %u; exact %08x, flags %u", p->name, p->a, p->b,
             p->fast, p->fast_flags, p->exact, p->exact_flags);
}

/* ---- operands ---- */

struct edges {
    uint32_t at[512];
    unsigned count;
};

static void put(struct edges *e, uint32_t x)
{
    assert_true(e->count + 2 <= UTIL_ARRAY_SIZE(e->at));
    e->at[e->count++] = x;
    e->at[e->count++] = x ^ SIGN;
}

static void put_neighbours(struct edges *e, uint32_t x)
{
    put(e, x - 1);
    put(e, x);
    put(e, x + 1);
}

/* Zeros, denormals, infinities and NaNs, the ends of ranges of floats, halves and bytes, and powers of two
 * where floats become integers, all with their neighbours; as integers their patterns are of all sizes. */
static struct edges make_edges(void)
{
    static const uint32_t around[] = {
        0x00000001, 0x00800000, 0x01000000, 0x7e800000, 0x7f000000, 0x7f800000, 0x7fc00000,
        0x33800000, 0x3b808081, 0x3f000000, 0x3f800000, 0x40000000, 0x437f0000, 0x42fc0000,
        0x42fe0000, 0x43000000, 0x387fe000, 0x38800000, 0x33000000, 0x477fe000, 0x477ff000,
        0x47800000, 0x00008000, 0x00010000, 0x0000007f, 0x000000ff, 0x00ffffff, 0x4f7ffffe,
    };
    struct edges e = {0};

    put(&e, MAGNITUDE);
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(around); i++)
        put_neighbours(&e, around[i]);
    for (uint32_t power = 22; power <= 34; power++)
        put_neighbours(&e, (127 + power) << 23);
    for (uint32_t power = 53; power <= 56; power++) /* where ftoi's shifter ends */
        put_neighbours(&e, (127 + power) << 23);
    return e;
}

/* Any pattern, or a float of a moderate size. */
static uint32_t random_operand(struct isa_random *r)
{
    uint32_t x = isa_random_next(r), kind = isa_random_next(r) % 4;
    return kind ? (x & 0x807fffff) | (116 + x / 8 % 46) << 23 : x;
}

static void each(struct pair *p, bool two, void (*compute)(struct pair *p))
{
    const struct edges edges = make_edges();
    struct isa_random r = {1};

    for (unsigned i = 0; i < edges.count; i++) {
        for (unsigned k = 0; k < (two ? edges.count : 1); k++) {
            p->a = edges.at[i];
            p->b = two ? edges.at[k] : 0;
            compute(p);
        }
    }
    for (unsigned i = 0; i < RANDOM_PAIRS; i++) {
        p->a = random_operand(&r);
        p->b = two ? random_operand(&r) : 0;
        compute(p);
    }
}

/* ---- operations ---- */

static unsigned flags_of(const struct vc4_qpu_result *r)
{
    return (unsigned)vc4_qpu_flag_z(r) | (unsigned)vc4_qpu_flag_n(r) << 1 | (unsigned)r->c << 2;
}

static struct vc4_qpu_result result_of(const struct pair *p, bool exact)
{
    return p->mul ? vc4_qpu_mul_op(exact, p->op, p->a, p->b) : vc4_qpu_add_op(exact, p->op, p->a, p->b);
}

static void compute_op(struct pair *p)
{
    struct vc4_qpu_result fast = result_of(p, false), exact = result_of(p, true);

    p->fast = fast.value;
    p->exact = exact.value;
    p->fast_flags = flags_of(&fast);
    p->exact_flags = flags_of(&exact);
    check(p);
}

static bool is_arithmetic(bool mul, unsigned op)
{
    return mul ? op == VC4_QPU_M_FMUL : op == VC4_QPU_A_FADD || op == VC4_QPU_A_FSUB;
}

static void test_operations(void **state)
{
    static const struct pair operations[] = {
#define ADD_OP(name_, text, operands, float_in, float_out) {.name = (text), .op = VC4_QPU_A_##name_},
#define MUL_OP(name_, text, operands, float_in, float_out)                                                   \
    {.name = (text), .mul = true, .op = VC4_QPU_M_##name_},
#include "isa/vc4_qpu/insns.inc"
    };

    for (size_t i = 0; i < UTIL_ARRAY_SIZE(operations); i++) {
        struct pair p = operations[i];
        p.arithmetic = is_arithmetic(p.mul, p.op);
        p.ulps = p.arithmetic || (!p.mul && p.op == VC4_QPU_A_ITOF); /* to nearest, toward zero */
        each(&p, true, compute_op);
    }
}

static void compute_sfu(struct pair *p)
{
    p->fast = vc4_qpu_sfu(false, p->op, p->a);
    p->exact = vc4_qpu_sfu(true, p->op, p->a);
    check(p);
}

/* Near 1 a logarithm's error is absolute, as that of a fixed-point number of 16 places. */
static void compute_log2(struct pair *p)
{
    p->fast = vc4_qpu_sfu(false, p->op, p->a);
    p->exact = vc4_qpu_sfu(true, p->op, p->a);
    float fast = util_u2f(p->fast), apart = fast - util_u2f(p->exact);
    if (!(fast > -1 && fast < 1 && apart > -0x1p-13f && apart < 0x1p-13f))
        check(p);
}

static void test_special_functions(void **state)
{
    struct pair recip = {.name = "recip", .arithmetic = true, .op = VC4_QPU_W_SFU_RECIP, .ulps = 1 << 11};
    struct pair rsqrt = {.name = "rsqrt", .arithmetic = true, .op = VC4_QPU_W_SFU_RSQRT, .ulps = 1 << 11};
    struct pair exp2 = {.name = "exp2", .arithmetic = true, .op = VC4_QPU_W_SFU_EXP2, .ulps = 1 << 11};
    struct pair log2 = {.name = "log2", .arithmetic = true, .op = VC4_QPU_W_SFU_LOG2, .ulps = 1 << 11};

    each(&recip, false, compute_sfu);
    each(&rsqrt, false, compute_sfu);
    each(&exp2, false, compute_sfu);
    each(&log2, false, compute_log2);
}

/* ---- packs and unpacks ---- */

static void compute_pack(struct pair *p)
{
    struct vc4_qpu_result fast = result_of(p, false), exact = result_of(p, true);

    for (unsigned mode = 0; mode < 16; mode++) {
        p->fast = vc4_qpu_pack_a(mode, &fast, 0x12345678);
        p->exact = vc4_qpu_pack_a(mode, &exact, 0x12345678);
        check(p);
    }
}

/* Of integers: overflowing sums, and anything else. */
static void test_packs_of_integers(void **state)
{
    struct pair add = {.name = "a pack of add", .op = VC4_QPU_A_ADD};
    struct pair sub = {.name = "a pack of sub", .op = VC4_QPU_A_SUB};
    struct pair or = {.name = "a pack of or", .op = VC4_QPU_A_OR};
    struct pair ftoi = {.name = "a pack of ftoi", .op = VC4_QPU_A_FTOI};

    each(&add, true, compute_pack);
    each(&sub, true, compute_pack);
    each(&or, true, compute_pack);
    each(&ftoi, false, compute_pack);
}

/* As rank, of halves. */
static int64_t half_rank(uint32_t half)
{
    int64_t size = half & 0x7fff, steps = size < 0x0400 ? 0 : size - 0x03ff;
    return half & 0x8000 ? -steps : steps;
}

/* To nearest, and away from zero. */
static void compute_half(struct pair *p)
{
    struct vc4_qpu_result value = {.value = p->a, .is_float = true};

    p->fast = vc4_qpu_pack_a(1, &value, 0);
    value.exact = true;
    p->exact = vc4_qpu_pack_a(1, &value, 0);
    int64_t fast = half_rank(p->fast), exact = half_rank(p->exact);
    if (p->fast == p->exact || (distance(fast, exact) <= 1 && (fast || exact)))
        return;
    fail_msg("half of %08x: fast gives %04x, exact %04x", p->a, p->fast, p->exact);
}

static void test_halves(void **state)
{
    struct pair half = {.name = "half"};

    each(&half, false, compute_half);
    for (uint32_t h = 0; h <= 0xffff; h++)
        assert_int_equal(vc4_qpu_unpack(false, 1, true, h), vc4_qpu_unpack(true, 1, true, h));
}

static void test_unpacks_and_bytes(void **state)
{
    struct pair p = {.name = "unpacked byte", .ulps = 2};

    for (uint32_t c = 0; c < 256; c++) {
        p.a = c;
        p.fast = vc4_qpu_unpack(false, 4, true, c);
        p.exact = vc4_qpu_unpack(true, 4, true, c);
        check(&p);
        assert_int_equal(vc4_qpu_pack_mul(3, p.fast, 0), vc4_qpu_pack_mul(3, p.exact, 0));
    }
    struct isa_random r = {1};
    for (unsigned i = 0; i < RANDOM_PAIRS; i++) {
        uint32_t x = isa_random_next(&r);
        for (unsigned mode = 0; mode < 8; mode++)
            assert_int_equal(vc4_qpu_unpack(false, mode, false, x), vc4_qpu_unpack(true, mode, false, x));
    }
}

static void test_every_row_is_met(void **state)
{
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(rows); i++)
        if (!rows[i].met)
            fail_msg("%s: fast and exact agree, and the README says they do not", rows[i].name);
}

static unsigned saved;

static int enter(void **state)
{
    saved = util_fpenv_enter();
    return 0;
}

static int leave(void **state)
{
    util_fpenv_leave(saved);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),        cmocka_unit_test(test_special_functions),
        cmocka_unit_test(test_packs_of_integers), cmocka_unit_test(test_halves),
        cmocka_unit_test(test_unpacks_and_bytes), cmocka_unit_test(test_every_row_is_met),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
