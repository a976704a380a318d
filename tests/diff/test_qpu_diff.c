/* Every operation of the QPU with every pack, unpack and condition, in both numeric modes, at every vector
 * level that this host has, translated against interpreted, on 64 input vectors (16 lanes each, with NaNs,
 * infinities, denormals, signed zeros and integer corners). Both sides share the decoder, the analysis of
 * programs and exact mode's table of special functions, and nothing else. LLVM takes most of the time; by
 * default each form of instruction is tested at one of the levels in turn, and a part of them only. Random
 * programs are test_programs_diff.c's. Environment:
 *   VITRAIL_DIFF_OPTIMIZE=o  how LLVM optimises the operations: 2 as programs in use (default), 0 quickly
 *   VITRAIL_DIFF_FULL=1      every form at every level in both modes; 2: also every pair of add and mul
 *                            operation
 *   VITRAIL_DIFF_LEVEL=l     one level: 0 sse4.1, 1 avx2, 2 avx512, 3 avx512fp16
 *   VITRAIL_DIFF_MODE=m      one mode: 0 fast, 1 exact */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "isa/vc4_qpu/insn.h"
#include "isa/vc4_qpu/program.h"
#include "tests/diff/random.h"
#include "fuzz/world/vc4_qpu.h"

#define INPUTS     64
#define BATCH      64
#define MAX_WORDS  256
#define TESTED_MAX 24 /* instructions under test in one program */

static struct jit_engine *engines[JIT_LEVEL_COUNT];
static unsigned programs_compared, programs_skipped;
static unsigned engine_count;

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 0) : otherwise;
}

static bool wanted(enum isa_numeric numeric)
{
    return setting("VITRAIL_DIFF_MODE", numeric) == numeric;
}

static int start_engines(void **state)
{
    uint64_t only = setting("VITRAIL_DIFF_LEVEL", JIT_LEVEL_COUNT);

    for (unsigned level = 0; level < JIT_LEVEL_COUNT; level++) {
        struct jit_options options = {.level = (int)level,
                                      .optimize = (unsigned)setting("VITRAIL_DIFF_OPTIMIZE", 2),
                                      .cache_dir = "",
                                      .max_insns = 4000000,
                                      .deadline_ms = 600000};
        struct util_error error = {0};
        if (!jit_level_supported(level) || (only < JIT_LEVEL_COUNT && level != only))
            continue;
        if (jit_engine_create(&options, &engines[level], &error)) {
            print_error("%s\n", error.text);
            return -1;
        }
        engine_count++;
    }
    return engine_count ? 0 : -1;
}

static int stop_engines(void **state)
{
    for (unsigned level = 0; level < JIT_LEVEL_COUNT; level++)
        jit_engine_destroy(engines[level]);
    return 0;
}

/* Compares a batch at one level in one mode; `seeds` name the programs. */
static void compare_batch(enum jit_level level, enum isa_numeric numeric, struct vc4_qpu_program **programs,
                          const uint64_t *seeds, unsigned count)
{
    static uint64_t batch_number;
    const struct world_set *set = &world_vc4_qpu;
    bool translated[BATCH];
    struct world_batch batch = {set, (void *const *)programs, count, numeric, translated};
    uint64_t key[2] = {batch_number++, numeric};
    struct world_outcome outcome = {0};
    struct util_error error = {0};
    world_fn code;

    if (world_compile(engines[level], &batch, key, &code, &error))
        fail_msg("%s: %s", jit_level_name(level), error.text);
    unsigned saved = util_fpenv_enter();
    for (unsigned i = 0; i < count; i++) {
        programs_compared += translated[i];
        programs_skipped += !translated[i];
        for (unsigned k = 0; translated[i] && k < INPUTS; k++) {
            struct world_of_qpu world;
            set->fill(&world, programs[i], numeric, seeds[i] * INPUTS + k);
            if (!world_compare(set, programs[i], numeric, code, i, &world, &outcome)) {
                util_fpenv_leave(saved);
                fail_msg("%s, %s, seed %llu, input %u; rerun: VITRAIL_DIFF_LEVEL=%u VITRAIL_DIFF_MODE=%u",
                         jit_level_name(level), isa_numeric_name(numeric), (unsigned long long)seeds[i], k,
                         level, numeric);
            }
        }
    }
    util_fpenv_leave(saved);
}

/* ---- operations ---- */

struct sweep {
    uint64_t words[MAX_WORDS];
    uint32_t count, tested;
    struct vc4_qpu_program *programs[BATCH];
    uint64_t seeds[BATCH], seed;
    unsigned batched, turn; /* the level's number among those tested */
    enum jit_level level;
    enum isa_numeric numeric;
};

static struct vc4_qpu_insn nop(void)
{
    return (struct vc4_qpu_insn){.kind = VC4_QPU_ALU,
                                 .sig = VC4_QPU_SIG_NONE,
                                 .waddr_add = VC4_QPU_W_NOP,
                                 .waddr_mul = VC4_QPU_W_NOP,
                                 .raddr_a = VC4_QPU_R_NOP,
                                 .raddr_b = VC4_QPU_R_NOP};
}

static void put(struct sweep *s, struct vc4_qpu_insn insn)
{
    assert_true(s->count < MAX_WORDS);
    s->words[s->count++] = vc4_qpu_encode(&insn);
}

static void put_move(struct sweep *s, bool file_b, unsigned waddr, unsigned raddr, unsigned mux, unsigned sig)
{
    struct vc4_qpu_insn insn = nop();
    insn.op_add = VC4_QPU_A_OR;
    insn.cond_add = VC4_QPU_COND_ALWAYS;
    insn.add_a = insn.add_b = (uint8_t)mux;
    insn.raddr_a = (uint8_t)raddr;
    insn.waddr_add = (uint8_t)waddr;
    insn.ws = file_b;
    insn.sig = (uint8_t)sig;
    put(s, insn);
}

/* Inputs in ra31, rb31, r0, r1 and r4; something in every destination; flags that differ between lanes. */
static void begin_sweep_program(struct sweep *s)
{
    struct vc4_qpu_insn flags = nop();

    s->count = s->tested = 0;
    put_move(s, false, 31, VC4_QPU_R_VARYING, VC4_QPU_MUX_A, VC4_QPU_SIG_NONE);
    put_move(s, true, 31, VC4_QPU_R_VARYING, VC4_QPU_MUX_A, VC4_QPU_SIG_NONE);
    put_move(s, false, VC4_QPU_W_ACC0, VC4_QPU_R_VARYING, VC4_QPU_MUX_A, VC4_QPU_SIG_NONE);
    put_move(s, false, VC4_QPU_W_ACC1, VC4_QPU_R_VARYING, VC4_QPU_MUX_A, VC4_QPU_SIG_COLOR_LOAD);
    flags.op_add = VC4_QPU_A_SUB;
    flags.cond_add = VC4_QPU_COND_ALWAYS;
    flags.add_a = VC4_QPU_MUX_A;
    flags.add_b = VC4_QPU_MUX_B;
    flags.raddr_a = flags.raddr_b = 15;
    flags.sf = true;
    put(s, flags);
    for (unsigned i = 0; i < TESTED_MAX; i++) {
        put_move(s, false, i, VC4_QPU_R_NOP, VC4_QPU_MUX_R0, VC4_QPU_SIG_NONE);
        put_move(s, true, i, VC4_QPU_R_NOP, VC4_QPU_MUX_R1, VC4_QPU_SIG_NONE);
    }
}

static void flush_batch(struct sweep *s)
{
    if (s->batched)
        compare_batch(s->level, s->numeric, s->programs, s->seeds, s->batched);
    for (unsigned i = 0; i < s->batched; i++)
        vc4_qpu_program_destroy(s->programs[i]);
    s->batched = 0;
}

static void end_sweep_program(struct sweep *s)
{
    struct vc4_qpu_insn end = nop();
    struct util_error error = {0};

    if (!s->tested)
        return;
    end.sig = VC4_QPU_SIG_PROGRAM_END;
    put(s, end);
    put(s, nop());
    put(s, nop());
    if (vc4_qpu_program_create(s->words, s->count, &s->programs[s->batched], &error))
        fail_msg("%s", error.text);
    s->seeds[s->batched++] = s->seed++;
    if (s->batched == BATCH)
        flush_batch(s);
    begin_sweep_program(s);
}

/* What an instruction under test is made of, besides its destinations. */
struct form {
    unsigned op_add, op_mul, pm, pack, unpack, cond_add, cond_mul;
    bool sf;
};

/* r2 = r2 op n, where the condition holds. */
static void put_r2(struct sweep *s, unsigned op, unsigned n, unsigned cond)
{
    struct vc4_qpu_insn insn = nop();
    insn.op_add = (uint8_t)op;
    insn.cond_add = (uint8_t)cond;
    insn.add_a = VC4_QPU_MUX_R2;
    insn.add_b = VC4_QPU_MUX_B;
    insn.sig = VC4_QPU_SIG_SMALL_IMM;
    insn.raddr_b = (uint8_t)n;
    insn.waddr_add = VC4_QPU_W_ACC2;
    put(s, insn);
}

/* The flags become the lowest three bits of r2; those of ten instructions, a register from ra24 on. */
static void put_flags(struct sweep *s)
{
    put_r2(s, VC4_QPU_A_SHL, 3, VC4_QPU_COND_ALWAYS);
    put_r2(s, VC4_QPU_A_OR, 1, VC4_QPU_COND_ZS);
    put_r2(s, VC4_QPU_A_OR, 2, VC4_QPU_COND_NS);
    put_r2(s, VC4_QPU_A_OR, 4, VC4_QPU_COND_CS);
    put_move(s, false, TESTED_MAX + s->tested / 10, VC4_QPU_R_NOP, VC4_QPU_MUX_R2, VC4_QPU_SIG_NONE);
}

/* One more instruction under test, in a place of its own. How the second operand comes, which file gets what
 * and which small immediate stands there is chosen by `choice`. */
static void test_form(struct sweep *s, const struct form *form, uint64_t choice)
{
    static const uint8_t second[] = {VC4_QPU_MUX_B, VC4_QPU_MUX_R0, VC4_QPU_MUX_A, VC4_QPU_MUX_R4,
                                     VC4_QPU_MUX_R1};
    struct vc4_qpu_insn insn = nop();
    uint64_t r = random_next(&choice);

    insn.op_add = (uint8_t)form->op_add;
    insn.op_mul = (uint8_t)form->op_mul;
    insn.pm = (uint8_t)form->pm;
    insn.pack = (uint8_t)form->pack;
    insn.unpack = (uint8_t)form->unpack;
    insn.cond_add = (uint8_t)form->cond_add;
    insn.cond_mul = (uint8_t)form->cond_mul;
    insn.sf = form->sf;
    insn.ws = r & 1;
    insn.waddr_add = insn.waddr_mul = (uint8_t)s->tested;
    insn.raddr_a = insn.raddr_b = 31;
    if ((r >> 1 & 3) == 0) {
        insn.sig = VC4_QPU_SIG_SMALL_IMM;
        insn.raddr_b = (uint8_t)((r >> 3) % 64);
    }
    uint8_t first = form->pm ? VC4_QPU_MUX_R4 : VC4_QPU_MUX_A;
    bool swap = r >> 16 & 1;
    uint8_t x = second[(r >> 20) % 5], y = second[(r >> 24) % 5];
    insn.add_a = swap ? x : first;
    insn.add_b = swap ? first : x;
    insn.mul_a = swap ? first : y;
    insn.mul_b = swap ? y : first;
    put(s, insn);
    if (form->sf)
        put_flags(s);
    if (++s->tested == TESTED_MAX)
        end_sweep_program(s);
}

static bool reserved_add(unsigned op)
{
    return (op >= 9 && op <= 11) || (op >= 25 && op <= 29);
}

/* The 22 packs: 16 of file A, 6 of the mul unit. */
static void set_pack(struct form *form, unsigned pack)
{
    static const uint8_t mul_packs[] = {0, 3, 4, 5, 6, 7};
    form->pm = pack >= 16;
    form->pack = pack < 16 ? pack : mul_packs[pack - 16];
}

/* Whether form `n` is tested at this level: all of them when asked to, else one in twelve, another at each
 * level and in each mode. */
static bool sampled(const struct sweep *s, uint64_t n)
{
    return setting("VITRAIL_DIFF_FULL", 0) || (n + 2 * s->numeric) % 12 == 4 * s->turn;
}

static void sweep_operations(struct sweep *s)
{
    bool pairs = setting("VITRAIL_DIFF_FULL", 0) == 2;
    uint64_t n = 0, choice = 0;

    for (unsigned add = 0; add < 32; add++) {
        for (unsigned mul = 0; mul < 8 && !reserved_add(add); mul++) {
            for (unsigned rest = 0; rest < 22 * 64; rest++) {
                unsigned cond = rest % 8, unpack = rest / 8 % 8;
                struct form form = {add, mul, 0, 0, unpack, cond, (cond + 3) % 8, false};
                /* each add operation with every pack, unpack and condition, and each mul operation */
                bool once = (add + rest + rest / 8) % 8 == mul || (mul * 5 + rest + rest / 64) % 32 == add;
                choice++;
                set_pack(&form, rest / 64);
                if (pairs || (once && sampled(s, n++)))
                    test_form(s, &form, choice);
            }
        }
    }
    end_sweep_program(s);
}

/* Flags: each instruction's are read before the next. */
static void sweep_flags(struct sweep *s)
{
    uint64_t n = 0;

    for (unsigned op = 0; op < 40; op++) {
        for (unsigned rest = 0; rest < 128 && !(op < 32 && reserved_add(op)); rest++) {
            unsigned cond = rest % 8, unpack = rest / 8 % 8, add = op < 32 ? op : 0,
                     mul = op < 32 ? rest % 8 : op - 32;
            struct form form = {add, mul, rest / 64, 0, unpack, cond, op < 32 ? (cond + 1) % 8 : cond, true};
            if (sampled(s, n++))
                test_form(s, &form, op * 128 + rest);
        }
    }
    end_sweep_program(s);
}

static void test_operations(void **state)
{
    programs_compared = programs_skipped = 0;
    for (unsigned i = 0, turn = 0; i < JIT_LEVEL_COUNT * ISA_NUMERIC_COUNT; i++) {
        struct sweep s = {.level = i / ISA_NUMERIC_COUNT,
                          .numeric = i % ISA_NUMERIC_COUNT,
                          .seed = 1,
                          .turn = turn / ISA_NUMERIC_COUNT};
        if (!engines[s.level])
            continue;
        turn++;
        if (!wanted(s.numeric))
            continue;
        begin_sweep_program(&s);
        sweep_operations(&s);
        sweep_flags(&s);
        flush_batch(&s);
    }
    print_message("operations: %u programs\n", programs_compared);
    assert_int_equal(programs_skipped, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_operations)};
    return cmocka_run_group_tests(tests, start_engines, stop_engines);
}
