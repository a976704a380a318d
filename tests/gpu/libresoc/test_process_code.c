/* Processes whose programs are compiled where they are often, and the same in the interpreter: what they leave, print, and do wrong
 * is alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>

#include "gpu/libresoc/process.h"
#include "tests/diff/random.h"
#include "tests/gpu/libresoc/elf_image.h"
#include "util/bits.h"

enum { MEMORY = 1 << 20, FUEL = 200000, PROGRAMS = 60, RANDOM_WORDS = 400 };

#define EXIT "addi x17, x0, 93\necall\n"

static struct elf_image image;
static struct jit_engine *engine;

struct outcome {
    struct libresoc_process *process;
    struct gpu_fault fault;
    bool ended;
    uint64_t sum; /* of what it wrote */
};

static int sum_up(void *data, int descriptor, const void *bytes, uint64_t size)
{
    const uint8_t *at = bytes;
    uint64_t *sum = data;
    for (uint64_t n = 0; n < size; n++)
        *sum = *sum * 31 + at[n] + (unsigned)descriptor;
    return 0;
}

/* `after` 0: in the interpreter. */
static void run(struct outcome *o, uint64_t after, uint64_t fuel)
{
    const struct libresoc_process_options options = {.memory = MEMORY,
                                                     .fuel = fuel,
                                                     .write = sum_up,
                                                     .data = &o->sum,
                                                     .engine = after ? engine : NULL,
                                                     .after = after};
    struct util_error error = {0};
    *o = (struct outcome){0};
    if (libresoc_process_create(image.bytes, image.size, &options, &o->process, &error))
        fail_msg("%s", error.text);
    o->ended = libresoc_process_run(o->process, NULL, &o->fault);
}

static void same_file(const char *file, const uint8_t *expected, const uint8_t *got, const char *name)
{
    for (unsigned n = 0; n < SIMPLE_V_REGISTERS; n++)
        if (memcmp(expected + 8 * n, got + 8 * n, 8) != 0)
            fail_msg("%s: %s%u is %016llx, interpreted %016llx", name, file, n,
                     (unsigned long long)util_load64(got + 8 * n),
                     (unsigned long long)util_load64(expected + 8 * n));
}

static void same(const struct outcome *e, const struct outcome *g, const char *name)
{
    const struct simple_v_state *x = &e->process->state, *y = &g->process->state;
    if (e->ended != g->ended || strcmp(e->fault.text, g->fault.text) != 0 ||
        e->process->status != g->process->status)
        fail_msg("%s: status %d '%s', interpreted %d '%s'", name, g->process->status, g->fault.text,
                 e->process->status, e->fault.text);
    if (x->pc != y->pc || x->executed != y->executed || x->in_block != y->in_block || x->opptr != y->opptr ||
        simple_v_pack_state(x) != simple_v_pack_state(y))
        fail_msg("%s: at 0x%llx after %llu instructions, interpreted 0x%llx, %llu", name,
                 (unsigned long long)y->pc, (unsigned long long)y->executed, (unsigned long long)x->pc,
                 (unsigned long long)x->executed);
    same_file("x", x->x, y->x, name);
    same_file("f", x->f, y->f, name);
    assert_int_equal(e->sum, g->sum);
    assert_memory_equal(e->process->pages.rights, g->process->pages.rights, e->process->pages.count);
    for (unsigned n = 0; n < MEMORY; n += 8)
        if (memcmp(e->process->pages.memory.base + n, g->process->pages.memory.base + n, 8) != 0)
            fail_msg("%s: memory at 0x%x", name, n);
}

/* Both ways; what was compiled. */
struct done {
    uint32_t parts;
    uint64_t executed, interpreted;
    bool ended;
};

static struct done compare(const char *name, uint64_t after, uint64_t fuel)
{
    struct outcome expected, got;
    run(&expected, 0, fuel);
    run(&got, after, fuel);
    same(&expected, &got, name);
    const struct libresoc_process_code *code = got.process->code;
    assert_int_equal(code->refused.code, 0);
    const struct done done = {code->part_count, got.process->state.executed, code->interpreted, got.ended};
    libresoc_process_destroy(expected.process);
    libresoc_process_destroy(got.process);
    return done;
}

/* ---- programs ---- */

/* A loop of so many turns, whose counter is x20. */
#define TIMES(n, body) "addi x20, x0, " #n "\nagain:\n" body "addi x20, x20, -1\nbne x20, x0, again\n"

static const struct {
    const char *name, *text;
    bool ends;
    uint32_t parts;   /* at least */
    unsigned percent; /* of the instructions that the interpreter does, at most */
} programs[] = {
    {"scalar", TIMES(2000, "mul x6, x20, x20\nadd x7, x7, x6\nsd x7, 0(x2)\n") EXIT, true, 1, 2},
    {"vectors",
     "lui x12, 0x20\n" TIMES(500, "sv.setvl x15, x20, 16\np48 flw f32v, 0(x12)\np48 fadd.s f32v, f32v, f1\n"
                                  "p48 fsw f32v, 64(x12)\n") EXIT,
     true, 1, 10},
    {"blocks",
     TIMES(500, "vblock both:8, subvl:2, regs(x5=x40v:8, x6=x48v) { add x5, x6, x20 ; c.nop }\n") EXIT, true,
     1, 10},
    /* the loop leaves lengths with which it is not entered */
    {"lengths",
     "sv.setvl x0, x0, 7\n" TIMES(500, "p48 add x32v, x32v, x20\nandi x5, x20, 7\naddi x5, x5, 1\n"
                                       "sv.setvl x0, x5, 8\n") EXIT,
     true, 1, 10},
    /* a function that no jump names */
    {"pointer",
     "auipc x21, 0\naddi x21, x21, 40\n" TIMES(
         1000, "jalr x1, 0(x21)\n") "addi x10, x6, 0\n" EXIT "ebreak\n"
                                    "addi x6, x6, 3\nxor x7, x7, x6\njalr x0, 0(x1)\n",
     true, 2, 10},
    {"fault in a loop", TIMES(1000, "lui x5, 0x23\nslli x6, x20, 3\nsub x5, x5, x6\nsd x5, 0(x5)\n") EXIT,
     false, 1, 10},
    /* rights that change: pages of mmap and munmap, reached by a vector over two of them */
    {"pages",
     TIMES(
         40,
         "addi x10, x0, 0\nlui x11, 2\naddi x12, x0, 3\naddi x13, x0, 34\naddi x14, x0, -1\naddi x15, x0, 0\n"
         "addi x17, x0, 222\necall\naddi x21, x10, 0\nlui x5, 1\nadd x5, x5, x21\nsv.setvl x0, x0, 8\n"
         "p48 sd x40v, -32(x5)\np48 ld x48v, -32(x5)\naddi x11, x0, 0\nlui x11, 2\naddi x10, x21, 0\n"
         "addi x17, x0, 215\necall\n") EXIT,
     true, 1, 60},
    {"page that went",
     "addi x10, x0, 0\nlui x11, 1\naddi x12, x0, 3\naddi x13, x0, 34\naddi x14, x0, -1\n"
     "addi x17, x0, 222\necall\naddi x21, x10, 0\n" TIMES(
         100, "sd x20, 8(x21)\naddi x5, x0, 3\nbne x20, x5, on\naddi x10, x21, 0\nlui x11, 1\n"
              "addi x17, x0, 215\necall\non:\n") EXIT,
     false, 1, 50},
    {"endless", "again:\nsv.setvl x0, x0, 4\np48 add x32v, x32v, x34v\njal x0, again\n", false, 1, 10},
    {"output",
     "lui x11, 0x20\n" TIMES(
         100, "addi x10, x0, 1\naddi x12, x0, 3\naddi x17, x0, 64\necall\nsw x20, 0(x11)\n") EXIT,
     true, 1, 60},
    {"jump into nowhere", TIMES(100, "addi x5, x20, -1\nbne x5, x0, on\njalr x0, 2(x0)\non:\n") EXIT, false,
     1, 40},
};

static void compiled_is_interpreted(void **state)
{
    static const uint64_t after[] = {2, 17};
    (void)state;
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(programs); n++)
        for (unsigned k = 0; k < UTIL_ARRAY_SIZE(after); k++) {
            elf_image_make(&image, programs[n].text, "data of it", 10);
            const struct done d = compare(programs[n].name, after[k], FUEL);
            if (d.ended != programs[n].ends || d.parts < programs[n].parts ||
                d.interpreted * 100 > d.executed * programs[n].percent)
                fail_msg("%s: %s, %u parts, %llu of %llu instructions interpreted", programs[n].name,
                         d.ended ? "ends" : "fails", d.parts, (unsigned long long)d.interpreted,
                         (unsigned long long)d.executed);
        }
}

/* Wherever the fuel ends. */
static void fuel_ends_alike(void **state)
{
    (void)state;
    elf_image_make(&image, programs[1].text, NULL, 0);
    for (uint64_t fuel = 1500; fuel < 1600; fuel += 3)
        assert_false(compare("fuel", 3, fuel).ended);
}

/* What is seldom is not compiled. */
static void seldom_is_not(void **state)
{
    (void)state;
    elf_image_make(&image, programs[0].text, NULL, 0);
    const struct done d = compare("seldom", 20000, FUEL);
    assert_int_equal(d.parts, 0);
    assert_int_equal(d.interpreted, d.executed);
}

/* ---- random programs ---- */

/* In turns, with what the last has left, and pointers to the zeros behind the data and to the stack. */
static void take_random(uint64_t seed)
{
    static const char begin[] =
        "again:\nlui x5, 0x20\nld x6, 0(x5)\naddi x6, x6, 1\nsd x6, 0(x5)\naddi x7, x0, 6\n"
        "bgeu x6, x7, end\nlui x12, 0x21\naddi x12, x12, -1000\naddi x13, x12, 160\naddi x14, x12, 320\n"
        "addi x15, x2, -1000\njal x1, begin\njal x0, again\nbegin:\n",
                      nop[] = "c.nop\n", end[] = "jal x0, again\nend:\n" EXIT;
    static char text[sizeof begin + RANDOM_WORDS * sizeof nop + sizeof end];
    uint16_t words[RANDOM_WORDS];
    const uint32_t count = simple_v_random(seed, (unsigned)(seed % 3), words, RANDOM_WORDS);
    char *to = stpcpy(text, begin);
    for (uint32_t n = 0; n < count; n++)
        to = stpcpy(to, nop);
    stpcpy(to, end);
    elf_image_make(&image, text, NULL, 0);
    uint8_t *at = memmem(image.bytes, image.size, "\1\0\1\0\1\0\1\0", 8);
    assert_non_null(at);
    memcpy(at, words, 2ull * count);
}

static void random_programs_are_alike(void **state)
{
    const uint64_t first = random_number_of("VITRAIL_DIFF_SEED", 1),
                   count = random_number_of("VITRAIL_DIFF_PROGRAMS", PROGRAMS);
    uint64_t executed = 0, interpreted = 0, parts = 0;
    char name[40];
    (void)state;
    for (uint64_t n = first; n < first + count; n++) {
        take_random(n);
        snprintf(name, sizeof name, "VITRAIL_DIFF_SEED=%llu", (unsigned long long)n);
        const struct done d = compare(name, 2, FUEL);
        executed += d.executed;
        interpreted += d.interpreted;
        parts += d.parts;
    }
    print_message("%llu instructions, %llu interpreted, %llu parts\n", (unsigned long long)executed,
                  (unsigned long long)interpreted, (unsigned long long)parts);
    assert_true(parts >= count / 4);
}

static int start(void **state)
{
    const struct jit_options options = {.level = -1, .optimize = JIT_QUICK, .cache_dir = ""};
    (void)state;
    return jit_engine_create(&options, &engine, NULL);
}

static int end(void **state)
{
    (void)state;
    jit_engine_destroy(engine);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(compiled_is_interpreted),
                                       cmocka_unit_test(fuel_ends_alike), cmocka_unit_test(seldom_is_not),
                                       cmocka_unit_test(random_programs_are_alike)};
    return cmocka_run_group_tests(tests, start, end);
}
