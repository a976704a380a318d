/* Random programs: the seed decides them, no rule is broken, they end without a fault, and together they
 * contain everything the profiles promise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "isa/isa.h"
#include "isa/vc4_qpu/asm.h"
#include "isa/vc4_qpu/interp.h"
#include "util/bits.h"
#include "util/fpenv.h"

#define SEEDS    500
#define PROFILES (VC4_QPU_RANDOM_VERTEX + 1)
#define CAPACITY 256

static void fail_at_breach(void *data, uint32_t pc, const char *rule, const char *source)
{
    const uint64_t *seed = data;
    fail_msg("seed %llu, profile %llu: pc %u: %s", (unsigned long long)seed[0], (unsigned long long)seed[1],
             pc, rule);
}

static void keep_the_rules(void **state)
{
    uint64_t words[CAPACITY], again[CAPACITY];
    unsigned different = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (unsigned profile = 0; profile < PROFILES; profile++) {
            uint64_t place[2] = {seed, profile};
            uint32_t capacity = seed % 2 ? CAPACITY : 16 + (uint32_t)seed % 100;
            uint32_t count = vc4_qpu_random(seed, profile, words, capacity);
            assert_in_range(count, 4, capacity);
            vc4_qpu_check(words, count, fail_at_breach, place);
            assert_int_equal(vc4_qpu_random(seed, profile, again, capacity), count);
            assert_memory_equal(words, again, count * sizeof *words);
            uint32_t other = vc4_qpu_random(seed + 1, profile, again, capacity);
            different += other != count || memcmp(words, again, count * sizeof *words) != 0;
        }
    assert_int_equal(different, SEEDS * PROFILES);
}

/* ---- running ---- */

/* The world answers from a hash of the question, and counts what must balance. */
struct world {
    unsigned requests[2], vpm_reads, colors;
    bool write_set_up;
};

static uint32_t hash(uint32_t x)
{
    x = (x ^ x >> 16) * 0x45d9f3bu;
    return (x ^ x >> 16) * 0x45d9f3bu;
}

static void fill(uint32_t out[16], uint32_t key)
{
    for (uint32_t lane = 0; lane < 16; lane++)
        out[lane] = hash(key * 16 + lane);
}

static enum vc4_qpu_fault uniform(void *ctx, uint32_t address, uint32_t *value, struct vc4_qpu_report *report)
{
    *value = hash(address);
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault varying(void *ctx, uint32_t n, uint32_t vary[16], uint32_t c[16],
                                  struct vc4_qpu_report *report)
{
    fill(vary, n);
    fill(c, n + 1000);
    return n < 8 ? VC4_QPU_OK : VC4_QPU_FAULT_UNSUPPORTED;
}

static void coordinates(void *ctx, uint32_t x[16], uint32_t y[16])
{
    fill(x, 1);
    fill(y, 2);
}

static enum vc4_qpu_fault tmu_request(void *ctx, unsigned unit, const uint32_t *s, const uint32_t *t,
                                      const uint32_t *r, const uint32_t *b, const uint32_t *params,
                                      unsigned param_count, struct vc4_qpu_report *report)
{
    struct world *w = ctx;
    w->requests[unit]++;
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault tmu_load(void *ctx, unsigned unit, uint32_t out[16], struct vc4_qpu_report *report)
{
    struct world *w = ctx;
    fill(out, unit + 77);
    w->requests[unit]--;
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault tlb_write(void *ctx, const uint32_t value[16], uint16_t lanes,
                                    struct vc4_qpu_report *report)
{
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault color_write(void *ctx, bool all, const uint32_t value[16], uint16_t lanes,
                                      struct vc4_qpu_report *report)
{
    ((struct world *)ctx)->colors++;
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault color_load(void *ctx, uint32_t out[16], struct vc4_qpu_report *report)
{
    fill(out, 5);
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault vpm_read_setup(void *ctx, uint32_t value, struct vc4_qpu_report *report)
{
    struct world *w = ctx;
    w->vpm_reads = (uint32_t)util_bits(value, 20, 4);
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault vpm_write_setup(void *ctx, uint32_t value, struct vc4_qpu_report *report)
{
    ((struct world *)ctx)->write_set_up = true;
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault vpm_read(void *ctx, uint32_t out[16], struct vc4_qpu_report *report)
{
    struct world *w = ctx;
    fill(out, w->vpm_reads);
    return w->vpm_reads-- ? VC4_QPU_OK : VC4_QPU_FAULT_VPM;
}

static enum vc4_qpu_fault vpm_write(void *ctx, const uint32_t value[16], uint16_t lanes,
                                    struct vc4_qpu_report *report)
{
    return ((struct world *)ctx)->write_set_up ? VC4_QPU_OK : VC4_QPU_FAULT_VPM;
}

/* What a profile does not use is absent, and would fault. */
static struct vc4_qpu_ports ports_of(unsigned profile, struct world *world)
{
    struct vc4_qpu_ports ports = {.ctx = world, .uniform = uniform};
    if (profile == VC4_QPU_RANDOM_FRAGMENT) {
        ports.varying = varying;
        ports.coordinates = coordinates;
        ports.flags = coordinates;
        ports.tmu_request = tmu_request;
        ports.tmu_load = tmu_load;
        ports.tlb_stencil = tlb_write;
        ports.tlb_z = tlb_write;
        ports.color_write = color_write;
        ports.color_load = color_load;
    }
    if (profile == VC4_QPU_RANDOM_VERTEX) {
        ports.vpm_read_setup = vpm_read_setup;
        ports.vpm_write_setup = vpm_write_setup;
        ports.vpm_read = vpm_read;
        ports.vpm_write = vpm_write;
    }
    return ports;
}

static void end_without_a_fault(void **state)
{
    unsigned saved = util_fpenv_enter(), loops = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (unsigned profile = 0; profile < PROFILES; profile++) {
            uint64_t words[CAPACITY];
            uint32_t count = vc4_qpu_random(seed, profile, words, CAPACITY);
            struct vc4_qpu_program *p = NULL;
            struct util_error error = {0};
            struct vc4_qpu_report report;
            struct vc4_qpu_start start = {.uniforms = 0x1000, .fuel = 16 * CAPACITY};
            struct world world = {.colors = 0};
            struct vc4_qpu_ports ports = ports_of(profile, &world);
            if (vc4_qpu_program_create(words, count, &p, &error))
                fail_msg("seed %llu, profile %u: %s", (unsigned long long)seed, profile, error.text);
            assert_int_equal(p->insn_count, count);
            for (uint32_t i = 0; i < p->block_count; i++)
                loops += p->blocks[i].loop_header;
            if (vc4_qpu_interp(p, &start, &ports, NULL, NULL, NULL, &report))
                fail_msg("seed %llu, profile %u: fault %d at pc %u", (unsigned long long)seed, profile,
                         report.fault, report.pc);
            assert_int_equal(world.requests[0] + world.requests[1] + world.vpm_reads, 0);
            assert_int_equal(world.colors, profile == VC4_QPU_RANDOM_FRAGMENT);
            vc4_qpu_program_destroy(p);
        }
    util_fpenv_leave(saved);
    assert_true(loops > SEEDS);
}

/* ---- coverage ---- */

struct all {
    struct vc4_qpu_insn *insns;
    size_t count;
};

#define SEEN(name, condition)                                                                                \
    do {                                                                                                     \
        unsigned seen = 0;                                                                                   \
        for (size_t i = 0; i < all.count; i++) {                                                             \
            struct vc4_qpu_insn insn = all.insns[i];                                                         \
            bool alu = insn.kind == VC4_QPU_ALU, branch = insn.kind == VC4_QPU_BRANCH;                       \
            bool small = insn.sig == VC4_QPU_SIG_SMALL_IMM;                                                  \
            (void)alu, (void)branch, (void)small;                                                            \
            seen += (condition);                                                                             \
        }                                                                                                    \
        if (seen < 10)                                                                                       \
            fail_msg("%s occurs %u times in %zu instructions", name, seen, all.count);                       \
    } while (0)

static void contain_everything(void **state)
{
    struct all all = {calloc(SEEDS * PROFILES * CAPACITY, sizeof *all.insns), 0};
    assert_non_null(all.insns);
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (unsigned profile = 0; profile < PROFILES; profile++) {
            uint64_t words[CAPACITY];
            uint32_t count = vc4_qpu_random(seed, profile, words, CAPACITY);
            for (uint32_t i = 0; i < count; i++)
                vc4_qpu_decode(words[i], &all.insns[all.count++]);
        }
#define ADD_OP(name, text, operands, fi, fo)                                                                 \
    SEEN("ADD_OP " #name, alu &&insn.op_add == VC4_QPU_A_##name && insn.cond_add);
#define MUL_OP(name, text, operands, fi, fo)                                                                 \
    SEEN("MUL_OP " #name, alu &&insn.op_mul == VC4_QPU_M_##name && insn.cond_mul);
#define COND(name, text)                                                                                     \
    SEEN("COND (add) " #name, !branch && insn.cond_add == VC4_QPU_COND_##name);                              \
    SEEN("COND (mul) " #name, !branch && insn.cond_mul == VC4_QPU_COND_##name);
#define BRANCH_COND(name, text) SEEN("BRANCH_COND " #name, branch &&insn.branch_cond == VC4_QPU_BR_##name);
#define PACK_A(value, text)     SEEN("PACK_A " text, !branch && !insn.pm && insn.pack == (value));
#define PACK_MUL(value, text)   SEEN("PACK_MUL " text, !branch && insn.pm && insn.pack == (value));
#define UNPACK(value, text)                                                                                  \
    SEEN("UNPACK (file A) " text, alu && !insn.pm && insn.unpack == (value));                                \
    SEEN("UNPACK (r4) " text, alu &&insn.pm &&insn.unpack == (value));
#include "isa/vc4_qpu/insns.inc"
    for (unsigned code = 0; code < 64; code++)
        SEEN("small immediate or rotation", alu && small && insn.raddr_b == code);
    for (unsigned kind = VC4_QPU_ALU; kind <= VC4_QPU_BRANCH; kind++)
        if (kind != VC4_QPU_SEMAPHORE)
            SEEN("kind", insn.kind == kind);
    for (unsigned waddr = VC4_QPU_W_SFU_RECIP; waddr <= VC4_QPU_W_TMU1_B; waddr++)
        SEEN("SFU or TMU write", !branch && (insn.waddr_add == waddr || insn.waddr_mul == waddr));
    SEEN("link", branch && insn.waddr_add < 32);
    SEEN("absolute branch", branch && !insn.branch_rel);
    SEEN("computed branch", branch && insn.branch_reg);
    SEEN("uniform", alu && insn.raddr_a == VC4_QPU_R_UNIFORM);
    SEEN("varying", alu && insn.raddr_a == VC4_QPU_R_VARYING);
    SEEN("VPM read", alu && insn.raddr_a == VC4_QPU_R_VPM);
    SEEN("VPM write", !branch && insn.waddr_add == VC4_QPU_W_VPM);
    SEEN("Z write", !branch && insn.waddr_add == VC4_QPU_W_TLB_Z);
    SEEN("stencil set-up", !branch && insn.waddr_add == VC4_QPU_W_TLB_STENCIL);
    SEEN("thread switch", insn.sig == VC4_QPU_SIG_LAST_THREAD_SWITCH);
    SEEN("colour load", insn.sig == VC4_QPU_SIG_COLOR_LOAD);
    free(all.insns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keep_the_rules),
        cmocka_unit_test(end_without_a_fault),
        cmocka_unit_test(contain_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
