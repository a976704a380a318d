/* User programs interpreted and compiled: the same machine, VPM and stores at every stop. Random programs are
 * the generator's, with instructions strewn in that stop, start DMA, set the VPM up, look words up or
 * interrupt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/user_ir.h"
#include "isa/vc4_qpu/asm.h"
#include "util/bits.h"
#include "util/fpenv.h"

#define MEMORY    (64u << 10)
#define CODE      0x4000u
#define UNIFORMS  0x8000u
#define PROGRAMS  24u
#define STOPS_MAX 400u

static uint64_t next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static uint32_t below(uint64_t *seed, uint32_t n)
{
    return (uint32_t)(next(seed) >> 20) % n;
}

/* One instruction that reaches outside, as a word. */
static uint64_t outside(uint64_t *seed)
{
    char text[128];
    static const char *const fixed[] = {"or r1, mutex, mutex",
                                        "ldi mutex, 0",
                                        "or ra3, vpm_ld_busy, vpm_ld_busy",
                                        "or r2, vpm_st_wait, vpm_st_wait",
                                        "or host_int, r0, r1",
                                        "or vpm, r0, r1",
                                        "or.nc vpm, r1, r1",
                                        "or.zs vpm, r3, r1",
                                        "add vpm, ra3, r2"};
    static const char *const risky[] = {"or.zs vw_setup, r2, r3", "ldi tmu1_s, 0x8123", "nop ; nop ; ldtmu1",
                                        "or r3, vpm, vpm", "or tmu0_s, r0, r1"};
    switch (below(seed, 12)) {
    case 0: snprintf(text, sizeof text, "sinc -, %u", below(seed, 16)); break;
    case 1: snprintf(text, sizeof text, "sdec r1, %u", below(seed, 16)); break;
    case 2: snprintf(text, sizeof text, "ldi vw_addr, 0x%x", below(seed, CODE / 2)); break;
    case 3: snprintf(text, sizeof text, "ldi vr_addr, 0x%x", below(seed, MEMORY / 2)); break;
    case 4: /* a generic set-up, for reads or writes */
        snprintf(text, sizeof text, "ldi %s_setup, 0x%x", below(seed, 8) ? "vw" : "vr",
                 (uint32_t)(next(seed) & 0xf3ffff) | below(seed, 3) << 8);
        break;
    case 5: /* DMA, of a few rows */
        snprintf(text, sizeof text, "ldi vw_setup, 0x%x",
                 0x80000000 | ((uint32_t)next(seed) & 0x03077ff8) |
                     (below(seed, 3) ? 0 : 2 + below(seed, 6)));
        break;
    case 6:
        snprintf(text, sizeof text, "ldi vr_setup, 0x%x", 0x80000000 | ((uint32_t)next(seed) & 0x0fffffff));
        break;
    case 7:
        if (!below(seed, 6)) {
            snprintf(text, sizeof text, "%s", risky[below(seed, UTIL_ARRAY_SIZE(risky))]);
            break;
        } /* fall through */
    default: snprintf(text, sizeof text, "%s", fixed[below(seed, UTIL_ARRAY_SIZE(fixed))]); break;
    }
    uint64_t *words, word;
    uint32_t count;
    struct util_error error = {0};
    if (vc4_qpu_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s: %s", text, error.text);
    word = words[0];
    free(words);
    return word;
}

/* Not where control is decided, and not where the program ends. */
static bool can_replace(const uint64_t *words, uint32_t count, uint32_t at)
{
    struct vc4_qpu_insn insn;
    vc4_qpu_decode(words[at], &insn);
    return insn.kind != VC4_QPU_BRANCH && insn.sig != VC4_QPU_SIG_PROGRAM_END && at + 3 < count && !insn.sf;
}

static uint32_t random_program(uint64_t seed, uint64_t words[512])
{
    enum vc4_qpu_random_profile profile = seed % 3 ? VC4_QPU_RANDOM_BRANCHES : VC4_QPU_RANDOM_ALU;
    uint32_t count = vc4_qpu_random(seed, profile, words, 40 + (uint32_t)(seed * 37 % 260));
    uint64_t dice = seed * 0x9e3779b97f4a7c15ull + 1;
    for (uint32_t i = 0; i < count; i++)
        if (!below(&dice, 6) && can_replace(words, count, i))
            words[i] = outside(&dice);
    return count;
}

/* ---- two QPUs side by side ---- */

struct pair {
    struct gpu_memory memory[2];
    struct vc4_user_qpu *qpu[2]; /* interpreted, compiled */
};

static void pair_open(struct pair *p)
{
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(gpu_memory_create(MEMORY, &p->memory[i]), 0);
        p->qpu[i] = aligned_alloc(64, util_align(sizeof *p->qpu[i], 64));
        assert_non_null(p->qpu[i]);
    }
}

static void pair_close(struct pair *p)
{
    for (unsigned i = 0; i < 2; i++) {
        gpu_memory_destroy(&p->memory[i]);
        free(p->qpu[i]);
    }
}

static enum isa_numeric numeric_of(uint64_t seed)
{
    return seed % 4 ? ISA_FAST : ISA_EXACT;
}

static void pair_begin(struct pair *p, const struct vc4_qpu_program *program, vc4_user_fn run, uint64_t seed)
{
    for (unsigned i = 0; i < 2; i++) {
        struct vc4_user_qpu *qpu = p->qpu[i];
        uint64_t dice = seed + 99;
        for (uint32_t at = 0; at < MEMORY; at += 4)
            util_store32(p->memory[i].base + at, (uint32_t)next(&dice));
        memset(qpu, 0, sizeof *qpu);
        vc4_qpu_machine_begin(&qpu->machine, CODE, UNIFORMS, (uint32_t)seed % 12);
        qpu->machine.numeric = numeric_of(seed);
        qpu->load_setup = 0x83011000; /* as if it had set all up before */
        qpu->store_setup = 0x80904000;
        qpu->writable = vc4_vpm_setup(0x1a00, &qpu->write);
        qpu->vpm.window = VC4_USER_VPM_ROWS;
        qpu->memory = &p->memory[i];
        qpu->program = program;
        qpu->run = i ? run : NULL;
        qpu->calls = &vc4_user_calls;
        qpu->base = p->memory[i].base;
        qpu->last_word = MEMORY - 4;
        qpu->uniforms = qpu->next_uniform = UNIFORMS;
        qpu->uniform_words = UINT32_MAX;
        qpu->alone = seed % 5 == 0;
    }
}

#define SAME(member) assert_memory_equal(&a->member, &b->member, sizeof a->member)

static void compare(const struct pair *p)
{
    const struct vc4_user_qpu *a = p->qpu[0], *b = p->qpu[1];
    assert_int_equal(a->stop, b->stop);
    assert_int_equal(a->stores.used, b->stores.used);
    assert_memory_equal(a->stores.slot, b->stores.slot, sizeof a->stores.slot);
    for (uint32_t i = 0; i < a->stores.used; i++) {
        assert_int_equal(a->stores.line[i].number, b->stores.line[i].number);
        assert_int_equal(a->stores.line[i].mask, b->stores.line[i].mask);
        for (unsigned n = 0; n < 64; n++)
            if (a->stores.line[i].mask >> n & 1)
                assert_int_equal(a->stores.line[i].bytes[n], b->stores.line[i].bytes[n]);
    }
    assert_int_equal(a->work, b->work);
    assert_memory_equal(p->memory[0].base, p->memory[1].base, MEMORY);
    SAME(vpm.row);
    SAME(vpm.changed);
    assert_int_equal(a->interrupts, b->interrupts);
    if (a->stop == VC4_QPU_STOP_FAULT) {
        assert_int_equal(a->report.fault, b->report.fault);
        assert_int_equal(a->report.pc, b->report.pc);
        assert_int_equal(a->report.lane, b->report.lane);
        assert_int_equal(a->report.address, b->report.address);
        return;
    }
    SAME(machine.state.a);
    SAME(machine.state.b);
    SAME(machine.state.r);
    assert_int_equal(a->machine.state.n, b->machine.state.n);
    assert_int_equal(a->machine.state.z, b->machine.state.z);
    assert_int_equal(a->machine.state.c, b->machine.state.c);
    assert_int_equal(a->machine.executed, b->machine.executed);
    assert_int_equal(a->machine.uniforms, b->machine.uniforms);
    SAME(machine.outstanding);
    SAME(results);
    if (a->stop == VC4_QPU_STOP_END)
        return; /* it stands nowhere */
    assert_int_equal(a->machine.pc, b->machine.pc);
    assert_int_equal(a->machine.branch_in, b->machine.branch_in);
    assert_int_equal(a->machine.end_in, b->machine.end_in);
    if (a->machine.branch_in != VC4_QPU_IDLE)
        assert_int_equal(a->machine.target, b->machine.target);
}

struct tally {
    unsigned compiled, ends, faults, stops, yields;
};

/* Runs both from stop to stop. */
static void run_pair(struct pair *p, struct tally *tally)
{
    for (unsigned stops = 0; stops < STOPS_MAX; stops++) {
        for (unsigned i = 0; i < 2; i++)
            vc4_user_qpu_run(p->qpu[i]);
        compare(p);
        enum vc4_qpu_stop stop = p->qpu[0]->stop;
        tally->ends += stop == VC4_QPU_STOP_END;
        tally->faults += stop == VC4_QPU_STOP_FAULT;
        tally->yields += stop == VC4_QPU_STOP_YIELD;
        if (stop == VC4_QPU_STOP_END || stop == VC4_QPU_STOP_FAULT)
            return;
        tally->stops++;
        for (unsigned i = 0; i < 2; i++) {
            struct vc4_user_qpu *qpu = p->qpu[i];
            if (stop == VC4_QPU_STOP_GATE)
                qpu->granted = vc4_qpu_sync_of(&qpu->program->insns[qpu->machine.pc]);
            if (stops % 3 == 2)
                vc4_user_publish(qpu);
        }
    }
}

static void try_program(struct pair *p, struct jit_engine *engine, const uint64_t *words, uint32_t count,
                        uint64_t seed, struct tally *tally)
{
    struct vc4_qpu_program *program;
    struct util_error error = {0};
    vc4_user_fn run = NULL;
    if (vc4_qpu_program_create(words, count, &program, &error)) /* a texture set-up may be open now */
        return;
    int status = vc4_user_compile(program, numeric_of(seed), engine, &run, &error);
    if (!status) {
        tally->compiled++;
        pair_begin(p, program, run, seed);
        run_pair(p, tally);
    } else if (status != -ENOTSUP) {
        fail_msg("seed %llu: %s", (unsigned long long)seed, error.text);
    }
    vc4_qpu_program_destroy(program);
}

static unsigned how_many(void)
{
    const char *text = getenv("VITRAIL_DIFF_PROGRAMS");
    return text ? (unsigned)strtoul(text, NULL, 0) : PROGRAMS;
}

static void random_programs(void **state)
{
    unsigned saved = util_fpenv_enter();
    struct pair p;
    pair_open(&p);
    for (int level = 0; level < JIT_LEVEL_COUNT; level++) {
        struct jit_options options = {.level = level, .optimize = 2, .cache_dir = ""};
        struct jit_engine *engine;
        struct tally tally = {0};
        if (!jit_level_supported((enum jit_level)level))
            continue;
        assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
        for (uint64_t seed = 1; seed <= how_many() / (level == JIT_LEVEL_COUNT - 1 ? 1 : 3) + 1; seed++) {
            uint64_t words[512];
            uint32_t count = random_program(seed, words);
            try_program(&p, engine, words, count, seed, &tally);
        }
        print_message("%s: %u compiled, %u ended, %u faulted, %u stops, %u yields\n",
                      jit_level_name((enum jit_level)level), tally.compiled, tally.ends, tally.faults,
                      tally.stops, tally.yields);
        assert_true(tally.compiled > 5 && tally.ends > 0 && tally.faults > 0 && tally.stops > 10);
        jit_engine_destroy(engine);
    }
    pair_close(&p);
    util_fpenv_leave(saved);
}

/* What random programs hardly do: results of lookups that wait over the turns of a loop, stops in the delay
 * slots of branches and of the end, calls, long loops that yield, DMA until there is no room for more. */
static const char *const written[] = {
    "ldi r3, 9\nor tmu0_s, r0, r0\nor tmu0_s, r0, r0\nagain: add r0, r0, 4\nor tmu0_s, r0, r0\n"
    "nop ; nop ; ldtmu0\nadd r1, r1, r4\nsub.sf r3, r3, 1\nbrr.anyzc again\nnop\nsinc -, 2\nnop\n"
    "nop ; nop ; ldtmu0\nnop ; nop ; ldtmu0\nnop ; nop ; thrend\nsdec -, 2\nldi mutex, 0\n",
    "ldi r0, 3\nagain: brr ra5, -, call\nsinc -, 1\nsinc -, 2\nsinc -, 3\nsub.sf r0, r0, 1\nbrr.anyzc again\n"
    "nop\nnop\nor -, mutex, mutex\nbrr out\nnop\nldi mutex, 0\nsdec -, 4\ncall: bra 0 + ra5\nadd r1, r1, 1\n"
    "sdec -, 5\nnop\nout: nop ; nop ; thrend\nnop\nnop\n",
    "ldi r0, 70000\nagain: sub.sf r0, r0, 1\nbrr.anyzc again\nadd r1, r1, 3\nnop\nnop\nnop ; nop ; "
    "thrend\nnop\nnop\n",
    "ldi vw_setup, 0x80804000\nldi r0, 400\nagain: ldi vw_addr, 0\nsub.sf r0, r0, 1\nbrr.anyzc "
    "again\nnop\nnop\nnop\n"
    "nop ; nop ; thrend\nnop\nnop\n",
    "ldi ra1, 24\nnop\nldi ra2, 72\nnop\nbra 0x4000 + ra2\nnop\nnop\nnop\nldi r1, 3\nldi r2, 5\nnop ; nop ; "
    "thrend\nnop\nnop\n",
    "or r0, unif, unif\nldi r1, 0x8100\nadd unif_addr, r1, elem_num\nnop\nnop\nor r2, unif, unif\nor r3, "
    "unif, unif\n"
    "nop ; nop ; thrend\nnop\nnop\n",
    "ldi.never -, 0\nop9 r0, r0, r0\nnop ; nop ; thrend\nnop\nnop\n",
};

static void written_programs(void **state)
{
    unsigned saved = util_fpenv_enter();
    struct jit_options options = {.level = -1, .optimize = 2, .cache_dir = ""};
    struct jit_engine *engine;
    struct tally tally = {0};
    struct pair p;
    pair_open(&p);
    assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(written); i++) {
        struct util_error error = {0};
        uint64_t *words;
        uint32_t count;
        if (vc4_qpu_asm(written[i], strlen(written[i]), &words, &count, &error))
            fail_msg("program %u: %s", i, error.text);
        try_program(&p, engine, words, count, i + 1, &tally);
        assert_int_equal(tally.compiled, i + 1);
        free(words);
    }
    assert_true(tally.yields > 0);
    jit_engine_destroy(engine);
    pair_close(&p);
    util_fpenv_leave(saved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_programs),
        cmocka_unit_test(random_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
