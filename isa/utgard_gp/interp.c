#include "isa/utgard_gp/interp.h"

#include <math.h>
#include <smmintrin.h>
#include <stdlib.h>
#include <string.h>

#include "isa/sfu.h"
#include "util/bits.h"

enum { REGISTER_DELAY = 3, MEMORY_DELAY = 4 };

/* A store on its way: it can be read from step `due` on. */
struct late {
    uint64_t due;
    bool temporary;
    uint32_t place; /* register, or vec4 of the file */
    uint32_t pair;  /* 0: x and y, 1: z and w */
    bool has[2];
    uint32_t value[2];
};
struct late_address {
    uint64_t due;
    uint32_t n;
    int32_t value;
};

struct machine {
    const struct utgard_gp_ports *ports;
    struct utgard_gp_state state;
    struct utgard_gp_results before; /* two instructions back */
    uint32_t fetch1[4], load[4];
    uint64_t step;
    struct late late[2 * MEMORY_DELAY];
    struct late_address late_address[2 * MEMORY_DELAY];
    unsigned late_count, late_address_count;
    uint32_t (*temporary)[4]; /* the file as this vertex changed it; NULL: not at all */
    uint8_t *changed;         /* bit n of entry k: component n of vec4 k */
    enum utgard_gp_fault fault;
};

/* The first one counts (ports.h). */
static void fail(struct machine *m, enum utgard_gp_fault fault)
{
    if (!m->fault)
        m->fault = fault;
}

/* ---- arithmetic ---- */

static float number(uint32_t bits)
{
    return util_u2f(bits);
}

static uint32_t floor_of(uint32_t x)
{
    return util_f2u(_mm_cvtss_f32(_mm_floor_ss(_mm_setzero_ps(), _mm_set_ss(number(x)))));
}

static uint32_t one_or_zero(bool yes)
{
    return yes ? 0x3f800000 : 0;
}

static uint32_t accumulate(struct machine *m, uint8_t op, uint32_t a, uint32_t b)
{
    float x = number(a), y = number(b);
    switch (op) {
    case UTGARD_GP_ACC_ADD: return util_f2u(x + y);
    case UTGARD_GP_ACC_FLOOR: return floor_of(a);
    case UTGARD_GP_ACC_SIGN: return x > 0 ? 0x3f800000 : x < 0 ? 0xbf800000 : 0;
    case UTGARD_GP_ACC_GE: return one_or_zero(x >= y);
    case UTGARD_GP_ACC_LT: return one_or_zero(x < y);
    case UTGARD_GP_ACC_MIN: return x < y || isnan(y) ? a : b;
    case UTGARD_GP_ACC_MAX: return x > y || isnan(y) ? a : b;
    default: fail(m, UTGARD_GP_FAULT_RESERVED); return 0;
    }
}

/* Toward zero; what does not fit 16 bits has no place in the file anyway. */
static int32_t address_of(uint32_t x)
{
    float f = number(x);
    f = f > -32768.0f ? f : -32768.0f; /* NaN too */
    f = f < 32767.0f ? f : 32767.0f;
    return (int32_t)f;
}

/* ---- operands ---- */

static uint32_t operand(struct machine *m, uint8_t src, const uint32_t fetch0[4])
{
    const struct utgard_gp_results *one = &m->state.last, *two = &m->before;
    switch (src) {
    case UTGARD_GP_SRC_ACC0_1: return one->acc[0];
    case UTGARD_GP_SRC_ACC1_1: return one->acc[1];
    case UTGARD_GP_SRC_MUL0_1: return one->mul[0];
    case UTGARD_GP_SRC_MUL1_1: return one->mul[1];
    case UTGARD_GP_SRC_PASS_1: return one->pass;
    case UTGARD_GP_SRC_NONE: return 0;
    case UTGARD_GP_SRC_COMPLEX_1: return one->complex;
    case UTGARD_GP_SRC_PASS_2: return two->pass;
    case UTGARD_GP_SRC_ACC0_2: return two->acc[0];
    case UTGARD_GP_SRC_ACC1_2: return two->acc[1];
    case UTGARD_GP_SRC_MUL0_2: return two->mul[0];
    case UTGARD_GP_SRC_MUL1_2: return two->mul[1];
    default: break;
    }
    if (src >= UTGARD_GP_SRC_FETCH0_1_X)
        return one->fetch0[src - UTGARD_GP_SRC_FETCH0_1_X];
    if (src >= UTGARD_GP_SRC_LOAD_X)
        return m->load[src - UTGARD_GP_SRC_LOAD_X];
    if (src < UTGARD_GP_SRC_FETCH1_X)
        return fetch0[src];
    if (src < UTGARD_GP_SRC_FETCH1_X + 4)
        return m->fetch1[src - UTGARD_GP_SRC_FETCH1_X];
    fail(m, UTGARD_GP_FAULT_RESERVED);
    return 0;
}

static uint32_t negate(uint32_t x, bool yes)
{
    return yes ? x ^ 0x80000000 : x;
}

/* ---- units ---- */

static void multiply(struct machine *m, const struct utgard_gp_insn *i, struct utgard_gp_results *r)
{
    uint32_t a[2], b[2];
    bool move[2];
    for (unsigned n = 0; n < 2; n++) {
        move[n] = i->mul_b[n] == UTGARD_GP_SRC_COMPLEX_1;
        a[n] = operand(m, i->mul_a[n], r->fetch0);
        b[n] = move[n] ? 0x3f800000 : operand(m, i->mul_b[n], r->fetch0);
        r->mul[n] = negate(move[n] ? a[n] : util_f2u(number(a[n]) * number(b[n])), i->mul_neg[n]);
    }
    switch (i->mul_op) {
    case UTGARD_GP_MUL_MUL:
    case UTGARD_GP_MUL_COMPLEX2: break;
    case UTGARD_GP_MUL_COMPLEX1: r->mul[0] = negate(a[0], i->mul_neg[0]); break;
    case UTGARD_GP_MUL_SELECT: r->mul[0] = negate(number(b[0]) != 0 ? a[1] : a[0], i->mul_neg[0]); break;
    default:
        if (i->mul_a[0] != UTGARD_GP_SRC_NONE || i->mul_a[1] != UTGARD_GP_SRC_NONE)
            fail(m, UTGARD_GP_FAULT_RESERVED);
    }
}

static void add(struct machine *m, const struct utgard_gp_insn *i, struct utgard_gp_results *r)
{
    for (unsigned n = 0; n < 2; n++) {
        bool zero = i->acc_b[n] == UTGARD_GP_SRC_COMPLEX_1;
        uint32_t a = negate(operand(m, i->acc_a[n], r->fetch0), i->acc_a_neg[n]);
        uint32_t b = negate(zero ? 0 : operand(m, i->acc_b[n], r->fetch0), i->acc_b_neg[n]);
        bool used = i->acc_a[n] != UTGARD_GP_SRC_NONE;
        bool move = i->acc_op == UTGARD_GP_ACC_ADD && zero && i->acc_b_neg[n];
        r->acc[n] = !used ? 0 : move ? a : accumulate(m, i->acc_op, a, b);
    }
}

static void pass(struct machine *m, const struct utgard_gp_insn *i, struct utgard_gp_results *r)
{
    uint32_t x = operand(m, i->pass_src, r->fetch0);
    if (i->pass_src == UTGARD_GP_SRC_NONE) {
        r->pass = 0;
        return;
    }
    switch (i->pass_op) {
    case UTGARD_GP_PASS_PASS:
    case UTGARD_GP_PASS_PREEXP2:
    case UTGARD_GP_PASS_POSTLOG2: r->pass = x; break;
    case UTGARD_GP_PASS_CLAMP:
        x = number(x) < number(m->load[0]) ? x : m->load[0];
        r->pass = number(x) > number(m->load[1]) ? x : m->load[1];
        break;
    default: fail(m, UTGARD_GP_FAULT_RESERVED);
    }
}

static void set_address(struct machine *m, uint32_t n, uint32_t x)
{
    if (n == 0)
        m->state.addr[0] = address_of(x);
    else
        m->late_address[m->late_address_count++] =
            (struct late_address){m->step + MEMORY_DELAY, n, address_of(x)};
}

static void complex(struct machine *m, const struct utgard_gp_insn *i, struct utgard_gp_results *r)
{
    uint32_t x = operand(m, i->complex_src, r->fetch0);
    switch (i->complex_op) {
    case UTGARD_GP_COMPLEX_NOP: r->complex = 0; break;
    case UTGARD_GP_COMPLEX_EXP2: r->complex = isa_exp2(x); break;
    case UTGARD_GP_COMPLEX_LOG2: r->complex = isa_log2(x); break;
    case UTGARD_GP_COMPLEX_RSQRT: r->complex = util_f2u(1.0f / sqrtf(number(x))); break;
    case UTGARD_GP_COMPLEX_RCP: r->complex = util_f2u(1.0f / number(x)); break;
    case UTGARD_GP_COMPLEX_PASS: r->complex = x; break;
    case UTGARD_GP_COMPLEX_ADDR01:
        r->complex = x;
        set_address(m, 0, r->pass);
        set_address(m, 1, r->pass);
        break;
    case UTGARD_GP_COMPLEX_ADDR0:
    case UTGARD_GP_COMPLEX_ADDR0 + 1:
    case UTGARD_GP_COMPLEX_ADDR0 + 2:
    case UTGARD_GP_COMPLEX_ADDR0 + 3:
        r->complex = x;
        set_address(m, i->complex_op - UTGARD_GP_COMPLEX_ADDR0, x);
        break;
    default: fail(m, UTGARD_GP_FAULT_RESERVED);
    }
}

/* ---- fetches and stores ---- */

static void load_file(struct machine *m, const struct utgard_gp_insn *i)
{
    int32_t index = i->load_addr;
    if (i->load_offset != UTGARD_GP_OFFSET_NONE) {
        if (i->load_offset < 1 || i->load_offset > 3) {
            fail(m, UTGARD_GP_FAULT_RESERVED);
            return;
        }
        index += m->state.addr[i->load_offset];
    }
    if (index < 0 || index >= UTGARD_GP_FILE) {
        fail(m, UTGARD_GP_FAULT_ADDRESS);
        return;
    }
    m->ports->uniform(m->ports->ctx, (uint32_t)index, m->load);
    for (unsigned c = 0; m->temporary && c < 4; c++)
        if (m->changed[index] >> c & 1)
            m->load[c] = m->temporary[index][c];
}

static bool load_is_read(const struct utgard_gp_insn *i)
{
    const uint8_t src[] = {i->mul_a[0], i->mul_b[0], i->mul_a[1], i->mul_b[1],    i->acc_a[0],
                           i->acc_b[0], i->acc_a[1], i->acc_b[1], i->complex_src, i->pass_src};
    bool read = i->pass_op == UTGARD_GP_PASS_CLAMP && i->pass_src != UTGARD_GP_SRC_NONE;
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(src); n++)
        read |= src[n] >= UTGARD_GP_SRC_LOAD_X && src[n] <= UTGARD_GP_SRC_LOAD_X + 3;
    return read;
}

static void fetch(struct machine *m, const struct utgard_gp_insn *i, struct utgard_gp_results *r)
{
    if (i->fetch0_attribute)
        m->ports->attribute(m->ports->ctx, i->fetch0, r->fetch0);
    else
        memcpy(r->fetch0, m->state.reg[i->fetch0], sizeof r->fetch0);
    memcpy(m->fetch1, m->state.reg[i->fetch1], sizeof m->fetch1);
    if (load_is_read(i))
        load_file(m, i);
}

static uint32_t result(const struct utgard_gp_results *r, uint8_t src)
{
    switch (src) {
    case UTGARD_GP_STORE_ACC0: return r->acc[0];
    case UTGARD_GP_STORE_ACC1: return r->acc[1];
    case UTGARD_GP_STORE_MUL0: return r->mul[0];
    case UTGARD_GP_STORE_MUL1: return r->mul[1];
    case UTGARD_GP_STORE_PASS: return r->pass;
    default: return r->complex;
    }
}

/* Every NaN that leaves the program is the one NaN (README.md). */
static uint32_t visible(uint32_t x)
{
    return (x & 0x7fffffff) > 0x7f800000 ? ISA_NAN : x;
}

static void store_pair(struct machine *m, const struct utgard_gp_insn *i, unsigned pair,
                       const struct utgard_gp_results *r)
{
    struct late late = {.temporary = i->store_temporary[pair], .place = i->store_addr[pair], .pair = pair};
    for (unsigned c = 0; c < 2; c++) {
        late.has[c] = i->store_src[pair][c] != UTGARD_GP_STORE_NONE;
        late.value[c] = result(r, i->store_src[pair][c]);
        if (i->store_src[pair][c] == UTGARD_GP_STORE_RESERVED)
            fail(m, UTGARD_GP_FAULT_RESERVED);
        else if (late.has[c] && i->store_varying[pair] && !late.temporary)
            m->ports->varying(m->ports->ctx, late.place, pair * 2 + c, visible(late.value[c]));
    }
    if (late.temporary) {
        if (m->state.addr[0] < 0 || m->state.addr[0] >= UTGARD_GP_FILE)
            fail(m, UTGARD_GP_FAULT_ADDRESS);
        late.place = (uint32_t)m->state.addr[0] & (UTGARD_GP_FILE - 1);
    }
    late.due = m->step + (late.temporary ? MEMORY_DELAY : REGISTER_DELAY);
    if (late.temporary || !i->store_varying[pair])
        m->late[m->late_count++] = late;
}

/* What is due can be read from now on. Stores come in order, but registers overtake temporaries. */
static void arrive(struct machine *m, uint64_t now)
{
    unsigned kept = 0;
    for (unsigned n = 0; n < m->late_count; n++) {
        const struct late late = m->late[n];
        for (unsigned c = 0; late.due <= now && c < 2; c++) {
            uint32_t at = late.pair * 2 + c;
            if (!late.has[c])
                continue;
            if (late.temporary) {
                m->temporary[late.place][at] = late.value[c];
                m->changed[late.place] |= (uint8_t)(1u << at);
            } else {
                m->state.reg[late.place][at] = late.value[c];
            }
        }
        if (late.due > now)
            m->late[kept++] = late;
    }
    m->late_count = kept;
    kept = 0;
    for (unsigned n = 0; n < m->late_address_count; n++) {
        const struct late_address late = m->late_address[n];
        if (late.due <= now)
            m->state.addr[late.n] = late.value;
        else
            m->late_address[kept++] = late;
    }
    m->late_address_count = kept;
}

/* One instruction; whether it branches. */
static bool execute(struct machine *m, const struct utgard_gp_insn *i)
{
    struct utgard_gp_results r = {0};
    arrive(m, m->step);
    fetch(m, i, &r);
    if (m->fault)
        return false;
    multiply(m, i, &r);
    add(m, i, &r);
    pass(m, i, &r);
    complex(m, i, &r);
    for (unsigned pair = 0; !m->fault && pair < 2; pair++)
        if (utgard_gp_stores(i, pair))
            store_pair(m, i, pair, &r);
    m->before = m->state.last;
    m->state.last = r;
    m->step++;
    return i->branch && number(r.pass) != 0;
}

enum utgard_gp_fault utgard_gp_run(const struct utgard_gp_program *program,
                                   const struct utgard_gp_ports *ports, uint32_t fuel,
                                   struct utgard_gp_state *state, struct utgard_gp_report *report,
                                   utgard_gp_trace_fn trace, void *data)
{
    static _Thread_local uint32_t temporary[UTGARD_GP_FILE][4];
    static _Thread_local uint8_t changed[UTGARD_GP_FILE];
    struct machine m = {.ports = ports};
    uint32_t pc = 0;
    if (program->stores_temporaries) {
        memset(changed, 0, sizeof changed);
        m.temporary = temporary;
        m.changed = changed;
    }
    *report = (struct utgard_gp_report){0};
    while (pc < program->insn_count && !report->fault) {
        const struct utgard_gp_insn *insn = &program->insns[pc];
        uint32_t target = utgard_gp_target(insn), cost = pc + 1 - target;
        report->pc = pc;
        if (trace)
            trace(data, pc, insn, &m.state);
        bool taken = execute(&m, insn);
        report->fault = m.fault;
        report->executed += !m.fault;
        if (taken && target <= pc && !m.fault) {
            if (cost > fuel)
                report->fault = UTGARD_GP_FAULT_FUEL;
            fuel -= cost > fuel ? fuel : cost;
        }
        pc = taken ? target : pc + 1;
    }
    arrive(&m, UINT64_MAX);
    if (state)
        *state = m.state;
    return report->fault;
}
