/* The QPU interpreter against translated code, in both numeric modes, at every vector level that this host
 * has: every operation with every pack, unpack and condition on 64 input vectors (16 lanes each, with NaNs,
 * infinities, denormals, signed zeros and integer corners), and random programs. Both sides share the
 * decoder, the analysis of programs and exact mode's table of special functions, and nothing else. LLVM takes
 * most of the time; by default each form of instruction is tested at one of the levels in turn, and a part of
 * them only. Environment:
 *   VITRAIL_DIFF_PROGRAMS=n  random programs (default 768), each in one mode at one level in turn, three of
 *                            four in optimised code (tests/diff/programs.h)
 *   VITRAIL_DIFF_SEED=s      seed of the first one (default 1)
 *   VITRAIL_DIFF_RANDOM=1    nothing but random programs
 *   VITRAIL_DIFF_INPUTS=n    input vectors a random program, at most 64 (default 64)
 *   VITRAIL_DIFF_OPTIMIZE=o  how LLVM optimises the operations: 2 as programs in use (default), 0 quickly
 *   VITRAIL_DIFF_FULL=1      every form and program at every level in both modes; 2: also every pair of add
 *                            and mul operation
 *   VITRAIL_DIFF_LEVEL=l     one level: 0 sse4.1, 1 avx2, 2 avx512
 *   VITRAIL_DIFF_NUMERIC=m   one mode: 0 fast, 1 exact */
#include "isa/vc4_qpu/asm.h"
#include "tests/diff/programs.h"
#include "tests/diff/qpu_harness.h"

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

static bool one_mode(void)
{
    return setting("VITRAIL_DIFF_NUMERIC", ISA_NUMERIC_COUNT) < ISA_NUMERIC_COUNT;
}

static bool wanted(enum isa_numeric numeric)
{
    return !one_mode() || setting("VITRAIL_DIFF_NUMERIC", 0) == numeric;
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
                          const uint64_t *seeds, unsigned count, unsigned inputs, const char *rerun)
{
    static uint64_t batch_number;
    bool translated[BATCH];
    struct batch batch = {programs, count, numeric, translated};
    uint64_t key = batch_number++;
    struct jit_request request = {
        .key = &key, .key_size = sizeof key, .name = "batch", .emit = emit_batch, .data = &batch};
    struct util_error error = {0};
    void *code;

    if (jit_engine_get(engines[level], &request, &code, &error))
        fail_msg("%s: %s", jit_level_name(level), error.text);
    unsigned saved = util_fpenv_enter();
    for (unsigned i = 0; i < count; i++) {
        programs_compared += translated[i];
        programs_skipped += !translated[i];
        for (unsigned k = 0; translated[i] && k < inputs; k++) {
            struct world world;
            world_fill(&world, seeds[i] * INPUTS + k);
            world.numeric = numeric;
            if (!compare(programs[i], (run_fn)code, i, &world)) {
                util_fpenv_leave(saved);
                fail_msg(
                    "%s, %s, seed %llu, input %u; rerun: VITRAIL_DIFF_LEVEL=%u VITRAIL_DIFF_NUMERIC=%u %s",
                    jit_level_name(level), isa_numeric_name(numeric), (unsigned long long)seeds[i], k, level,
                    numeric, rerun);
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
        compare_batch(s->level, s->numeric, s->programs, s->seeds, s->batched, INPUTS,
                      "tests/diff/test_qpu_diff.c: operations");
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

/* ---- control flow at its edges ---- */

/* Fuel is 1000 (world_fill): 199 more rounds of five instructions fit, 200 leave nothing, 201 do not fit. */
static void test_control_flow(void **state)
{
    static const char *const texts[] = {
        "again: brr -, -, again\n nop\n nop\n nop\n nop ; thrend\n nop\n nop\n",
        "ldi r0, 199\n again: sub.sf r0, r0, 1\n brr.allzc -, -, again\n nop\n nop\n nop\n nop ; thrend\n "
        "nop\n nop\n",
        "ldi r0, 200\n again: sub.sf r0, r0, 1\n brr.allzc -, -, again\n nop\n nop\n nop\n nop ; thrend\n "
        "nop\n nop\n",
        "ldi r0, 201\n again: sub.sf r0, r0, 1\n brr.allzc -, -, again\n nop\n nop\n nop\n nop ; thrend\n "
        "nop\n nop\n",
        "ldi r0, 202\n again: sub.sf r0, r0, 1\n brr.allzc -, -, again\n nop\n nop\n nop\n nop ; thrend\n "
        "nop\n nop\n",
        /* no loop: counts of rotations that LLVM comes to know */
        "mov r0, unif\n ldiu r1, [0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3]\n ror ra1, r0, r1\n ror r5rep, r0, r1\n"
        "v8adds r1, r1, r1\n ror r5quad, r0, r1\n mov ra2, r5 ; nop ; thrend\n nop\n nop\n",
        /* a product that is a NaN, of constants or not: its pack is 0 */
        "ldi r1, 0x7f800000\n ldi r3, 0\n mov r0, unif\n nop ; fmul r2.c8888, r1, r3\n"
        "nop ; fmul ra1.c8888, r0, r1\n nop ; fmul ra2.c8888, r0, r3\n nop ; thrend\n nop\n nop\n",
        "nop ; thrend\n brr -, -, .+32\n nop\n nop\n nop\n",
        "nop ; thrend\n nop\n brr.allzs -, -, .+32\n nop\n nop\n nop\n",
        "nop ; ldcolend\n brr.anyns ra3, -, .+32\n nop\n nop\n nop\n",
        "brr.allns -, -, .+48\n nop\n brr.allns -, -, .+32\n nop\n nop\n nop\n nop\n nop ; thrend\n nop\n "
        "nop\n",
        /* out of the program: what stands in the delay slots does not run */
        "and.sf r0, unif, 1\n brr.allzs -, -, .+4096\n mov vpm, r0\n op9 r0, r0, r0\n nop\n nop ; thrend\n "
        "nop\n nop\n",
        "and.sf r0, unif, 1\n brr.allzs ra3, -, .+4096\n mov vpm, r0\n mov r1, unif\n nop\n mov ra4, r1\n "
        "nop ; thrend\n nop\n nop\n",
        "mov r0, unif\n brr -, -, .+4096\n mov vpm, r0\n nop\n nop\n nop ; thrend\n nop\n nop\n",
        /* a reserved operation, whose operands are not read */
        "op9 r0, vpm_st_wait, r0\n nop ; thrend\n nop\n nop\n",
    };
    struct vc4_qpu_program *programs[UTIL_ARRAY_SIZE(texts)];
    uint64_t seeds[UTIL_ARRAY_SIZE(texts)];

    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(texts); i++) {
        struct util_error error = {0};
        uint64_t *words;
        uint32_t count;
        seeds[i] = i;
        if (vc4_qpu_asm(texts[i], strlen(texts[i]), &words, &count, &error) ||
            vc4_qpu_program_create(words, count, &programs[i], &error))
            fail_msg("%s\n%s", texts[i], error.text);
        free(words);
    }
    programs_compared = programs_skipped = 0;
    for (unsigned level = 0; level < JIT_LEVEL_COUNT; level++)
        if (engines[level])
            compare_batch(level, ISA_FAST, programs, seeds, UTIL_ARRAY_SIZE(texts), INPUTS, "diff_qpu_diff");
    assert_int_equal(programs_skipped, 0);
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(texts); i++)
        vc4_qpu_program_destroy(programs[i]);
}

/* ---- random programs ---- */

/* Alone in its module. */
static bool both_in(const struct programs_one *one, enum isa_numeric numeric, struct programs_tally *tally)
{
    unsigned inputs = (unsigned)UTIL_MIN(setting("VITRAIL_DIFF_INPUTS", INPUTS), INPUTS);
    struct vc4_qpu_program *program = one->program;
    bool translated;
    struct batch batch = {&program, 1, numeric, &translated};
    uint64_t key[2] = {one->turn->number, numeric};
    struct jit_request request = {
        .key = key, .key_size = sizeof key, .name = "one", .emit = emit_batch, .data = &batch};
    struct util_error error = {0};
    void *code;

    if (jit_engine_get(one->turn->engine, &request, &code, &error)) {
        print_error("%s\n", error.text);
        return false;
    }
    tally->skipped += !translated;
    for (unsigned k = 0; translated && k < inputs; k++) {
        struct world world;
        world_fill(&world, one->turn->number * INPUTS + k);
        world.numeric = numeric;
        if (!compare(program, (run_fn)code, 0, &world)) {
            print_error("  %s, input %u\n", isa_numeric_name(numeric), k);
            return false;
        }
        tally->ran++;
    }
    return true;
}

/* In one mode, or as the variables ask. */
static bool both(const struct programs_one *one, struct programs_tally *tally)
{
    bool all = one_mode() || setting("VITRAIL_DIFF_FULL", 0);
    for (enum isa_numeric numeric = 0; numeric < ISA_NUMERIC_COUNT; numeric++)
        if (wanted(numeric) && (all || numeric == one->choice % ISA_NUMERIC_COUNT) &&
            !both_in(one, numeric, tally))
            return false;
    return true;
}

static void turn_bits(void *words, uint32_t count, uint64_t *seed)
{
    programs_turn_any(&vc4_qpu_set, words, count, seed);
}

static void test_random_programs(void **state)
{
    enum {
        A = VC4_QPU_RANDOM_ALU,
        B = VC4_QPU_RANDOM_BRANCHES,
        F = VC4_QPU_RANDOM_FRAGMENT,
        V = VC4_QPU_RANDOM_VERTEX
    };
    static const struct programs_set set = {.isa = &vc4_qpu_set,
                                            .usual = 768,
                                            .capacity = MAX_WORDS,
                                            .profiles = {A, B, F, V, A, B, F, V, A, B, F, V},
                                            .optimised = 3,
                                            .turn = turn_bits,
                                            .both = both};
    programs_compare(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_control_flow),
        cmocka_unit_test(test_random_programs),
    };
    const struct CMUnitTest random[] = {cmocka_unit_test(test_random_programs)};

    if (setting("VITRAIL_DIFF_RANDOM", 0))
        return cmocka_run_group_tests(random, start_engines, stop_engines);
    return cmocka_run_group_tests(tests, start_engines, stop_engines);
}
