/* Whether a program is compiled is the host's affair: one that the compiler refuses, for its length, its time
 * or for want of room, gives the same picture, the same counts and the same fault as one that it takes, to
 * the last instruction that fuel allows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/gpu/vc4/renderer_scene.h"

#define NEVER (24u * 3600u * 1000u) /* ms */
#define MEANS 10u                   /* of executing a program */
#define LONG  1000u /* instructions: of a program that the compiler works on for seconds, or refuses */

static const struct {
    const char *name;
    struct jit_options jit;
    bool engine, reference, full, compiles; /* compiles: programs of some hundred instructions */
    unsigned threads;
} means[MEANS] = {
    {.name = "interpreted"},
    {.name = "by the reference", .reference = true},
    {.name = "quick code",
     .engine = true,
     .compiles = true,
     .jit = {.optimize = JIT_QUICK, .deadline_ms = NEVER}},
    {.name = "optimised code",
     .engine = true,
     .compiles = true,
     .jit = {.optimize = JIT_OPTIMISED, .deadline_ms = NEVER}},
    {.name = "code of the lowest level",
     .engine = true,
     .compiles = true,
     .threads = 2,
     .jit = {.level = JIT_SSE41, .optimize = JIT_QUICK, .deadline_ms = NEVER}},
    {.name = "as by default",
     .engine = true,
     .compiles = true,
     .threads = 2,
     .jit = {.optimize = JIT_AUTOMATIC}},
    {.name = "too long", .engine = true, .jit = {.max_insns = 1}},
    {.name = "too long, on threads", .engine = true, .threads = 3, .jit = {.max_insns = 1}},
    {.name = "too slow", .engine = true, .jit = {.deadline_ms = 1}}, /* or just in time */
    {.name = "no room", .engine = true, .full = true, .jit = {.code_bytes = 1}},
};

/* What a run leaves. */
struct outcome {
    uint32_t picture[128 * 64];
    uint64_t instructions;
    char fault[512];
};

static void open_with(struct scene *s, unsigned n, const struct gpu_options *bounds)
{
    struct jit_options jit = means[n].jit;
    struct gpu_options options = *bounds;

    jit.level = jit.optimize == JIT_QUICK && means[n].threads ? jit.level : -1;
    jit.cache_dir = "";
    assert_true(scene_open(s, (struct way){.threads = means[n].threads}));
    vc4_device_destroy(s->device);
    if (means[n].engine)
        assert_int_equal(jit_engine_create(&jit, &s->engine, NULL), 0);
    if (means[n].full)
        jit_engine_join(s->engine); /* somebody else's code: the engine is not renewed */
    options.engine = s->engine;
    options.pool = s->pool;
    options.reference = means[n].reference;
    assert_int_equal(vc4_device_create(&s->memory, &options, &s->device), 0);
    triangle_scene(s, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    render_well(s);
    assert_true(!means[n].full || jit_engine_is_full(s->engine));
}

static void see(struct scene *s, struct outcome *out)
{
    struct gpu_fault fault;

    memset(out, 0, sizeof *out);
    memcpy(out->picture, s->memory.base + AT_COLOR, sizeof out->picture);
    out->instructions = vc4_device_host(s->device)->counters.instructions;
    if (gpu_host_faults(vc4_device_host(s->device), &fault, 1))
        gpu_fault_format(&fault, out->fault, sizeof out->fault);
}

/* ---- a loop of `length` instructions, gone through `times` ---- */

/* Its backward branch costs its length each time (isa/vc4_qpu/README.md, rule 13). */
static char *loop_text(uint32_t length, uint32_t times, const char *end)
{
    enum { LINE = 32, AROUND = 256 };
    char *text = malloc(length * LINE + AROUND), *at = text;

    assert_non_null(text);
    at += sprintf(at, "ldi r0, %u\nldi r1, 1.5\nldi r2, 0.75\nagain:\n", times);
    for (uint32_t i = 5; i < length; i++)
        at += sprintf(at, i & 1 ? "fadd r1, r1, r2\n" : "nop ; fmul r1, r1, r2\n");
    sprintf(at, "sub.sf r0, r0, 1\nbrr.anyzc again\nnop\nnop\nnop\n%s", end);
    return text;
}

#define FS_END "mov tlb_z, rb15 ; sbwait\nmov tlb_color, r1\nnop ; thrend\nnop\nnop ; sbdone\n"

static void run_loop(unsigned n, bool vertex, uint32_t length, uint32_t times,
                     const struct gpu_options *bounds, struct outcome *out)
{
    char *text = loop_text(length, times, vertex ? VS_COPY : FS_END);
    struct jit_stats stats = {0};
    struct scene s;

    open_with(&s, n, bounds);
    triangle_scene(&s, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    if (s.engine)
        jit_engine_stats(s.engine, &stats);
    uint64_t before = stats.compiled;
    assert_true(assemble(&s, 0x600000, text));
    util_store32(s.memory.base + AT_RECORD + (vertex ? 16 : 4), 0x600000);
    free(text);
    render(&s);
    see(&s, out);
    if (s.engine)
        jit_engine_stats(s.engine, &stats);
    if (length < LONG && means[n].engine && means[n].jit.deadline_ms != 1 &&
        means[n].compiles != (stats.compiled > before))
        fail_msg("%s: %u compiled", means[n].name, (unsigned)(stats.compiled - before));
    scene_close(&s);
}

static void expect_same(unsigned n, const struct outcome *want, const struct outcome *got)
{
    if (strcmp(want->fault, got->fault) != 0)
        fail_msg("%s: '%s', not '%s'", means[n].name, got->fault, want->fault);
    if (memcmp(want->picture, got->picture, sizeof want->picture) != 0)
        fail_msg("%s: another picture", means[n].name);
    if (want->instructions != got->instructions)
        fail_msg("%s: %llu instructions, not %llu", means[n].name, (unsigned long long)got->instructions,
                 (unsigned long long)want->instructions);
}

/* As much as fuel allows, and one instruction more than that; of a loop and of the job. */
static void try_loop(bool vertex, uint32_t length)
{
    static struct outcome want, got;
    const uint32_t times = length > LONG ? 3 : 20, fuel = (times - 1) * length;
    const struct gpu_options bounds[] = {{.fuel = fuel},
                                         {.fuel = fuel - 1},
                                         {.fuel = fuel, .job_fuel = 1ull << 36},
                                         {.job_fuel = 1ull << 16},
                                         {0}};

    for (unsigned b = 0; b < UTIL_ARRAY_SIZE(bounds); b++) {
        for (unsigned n = 0; n < MEANS; n++) {
            if (length > LONG && means[n].compiles && (b || vertex || means[n].jit.deadline_ms == NEVER))
                continue; /* the compiler takes its time: once, as by default */
            run_loop(n, vertex, length, times, &bounds[b], n ? &got : &want);
            if (n)
                expect_same(n, &want, &got);
        }
        assert_int_equal(want.fault[0] != 0, b == 1 || b == 3);
        assert_true((want.picture[20 * 128 + 20] == RED) == (b == 1 || b == 3));
    }
}

static void fragment_programs(void **state)
{
    try_loop(false, 200);
    try_loop(false, 8053);
}

static void vertex_programs(void **state)
{
    try_loop(true, 200);
    try_loop(true, 8053);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fragment_programs),
                                       cmocka_unit_test(vertex_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
