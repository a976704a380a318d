/* Chains that take very long in one stage: gpu_host_cancel ends them soon and without a fault, compiled or not,
 * and what comes after is done as ever. */
#include "tests/gpu/mali/scene.h"

#include <pthread.h>
#include <unistd.h>

#include "isa/midgard/asm.h"

/* Where things stand in jobs (gpu/mali/desc_job.inc), in bytes. */
enum { AT_NEXT = 24, AT_INVOCATION = 32, AT_PRIMITIVE = 40, AT_STATE = 64 + 56 };
enum { PROGRAM = 0x30000000, INDICES = 0x40000000, INDEX_COUNT = 1 << 27 };
enum { SECONDS = 100 }; /* instead of waiting for ever */

struct endless {
    struct scene s;
    unsigned slot;
    int done;
};

static void *run(void *data)
{
    struct endless *e = data;
    guest_submit(&e->s.guest, e->slot, e->s.chain[e->slot], 0x83300);
    __atomic_store_n(&e->done, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void expect_end(struct endless *e)
{
    struct gpu_host *host = mali_device_host(e->s.guest.device);
    pthread_t thread;
    e->done = 0;
    assert_int_equal(pthread_create(&thread, NULL, run, e), 0);
    usleep(50000);
    assert_false(__atomic_load_n(&e->done, __ATOMIC_ACQUIRE));
    alarm(SECONDS);
    gpu_host_cancel(host, true);
    pthread_join(thread, NULL);
    alarm(0);
    gpu_host_cancel(host, false);
    guest_expect_no_fault(&e->s.guest);
    assert_int_equal(guest_status(&e->s.guest, e->slot), STATUS_ACTIVE);
    mali_write(e->s.guest.device, guest_js(e->slot, JS_COMMAND), 3);
    assert_int_equal(guest_status(&e->s.guest, e->slot), STATUS_TERMINATED);
}

static uint64_t vertex_job(struct scene *s)
{
    uint64_t job = s->chain[1];
    while ((*scene_at(s, job + 16) >> 1 & 0x7f) != MALI_JOB_TYPE_VERTEX)
        job = util_load64(scene_at(s, job + AT_NEXT));
    return job;
}

/* ---- what takes long ---- */

static void many_vertices(struct endless *e)
{
    uint8_t *invocation = scene_at(&e->s, vertex_job(&e->s) + AT_INVOCATION);
    util_store32(invocation, UINT32_MAX);
    util_store32(invocation + 4, 0);
    e->slot = 1;
}

/* All of them restarts, in a mebibyte that stands everywhere. */
static void many_indices(struct endless *e)
{
    enum { SAME = 1 << 20 };
    memset(guest_map(&e->s.guest, INDICES, SAME, RIGHT_READ), 0xff, SAME);
    for (uint32_t n = SAME; n < INDEX_COUNT; n += GPU_PAGE)
        *guest_entry(&e->s.guest, INDICES + n) = *guest_entry(&e->s.guest, INDICES + n % SAME);
    guest_flush_as(&e->s.guest, 0);
    uint8_t *primitive = scene_at(&e->s, scene_tiler_job(&e->s) + AT_PRIMITIVE);
    util_store32(primitive, (util_load32(primitive) & ~0x1807ffu) | 10 | 1 << 8 | 2u << 19);
    util_store32(primitive + 12, INDEX_COUNT - 1);
    util_store64(primitive + 16, INDICES);
    e->slot = 1;
}

/* Each block's program goes round a hundred thousand times, and ends. */
static void long_fragments(struct endless *e)
{
    static const char text[] =
        "vmul.imov.32 r1, r24.xxxx, #0 ; next alu1\n"
        "again: vadd.iadd.32 r1, r1, #1 ; next alu2\n"
        "smul.ilt.full r31.w, r1.x, r26.x ; br.true again, alu1 ; const 100000, 0, 0, 0 ; "
        "next alu1\n"
        "vmul.imov.32 r0, r24, r1 ; stop\n";
    struct util_error error = {0};
    struct scene *s = &e->s;
    void *words;
    uint32_t count;
    uint8_t *program = guest_map(&s->guest, PROGRAM, GPU_PAGE, RIGHT_BOTH);
    guest_flush_as(&s->guest, 0);
    if (midgard_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s", error.text);
    memcpy(program, words, count * 16u);
    util_store64(scene_at(s, util_load64(scene_at(s, scene_tiler_job(s) + AT_STATE))),
                 PROGRAM | (*(uint8_t *)words & 15));
    free(words);
    e->slot = 0;
    assert_int_equal(guest_run(&s->guest, 1, s->chain[1]), 2);
}

/* A chain of jobs that do nothing, then one that does much. */
static void many_jobs(struct endless *e)
{
    enum { CHAIN = 0x50000000, JOBS = 1 << 17, BYTES = 64 };
    uint8_t *jobs = guest_map(&e->s.guest, CHAIN, JOBS * BYTES, RIGHT_BOTH);
    guest_flush_as(&e->s.guest, 0);
    for (uint32_t n = 0; n < JOBS; n++) {
        util_store32(jobs + n * BYTES + 16, 1 | MALI_JOB_TYPE_NULL << 1);
        util_store64(jobs + n * BYTES + AT_NEXT, n < JOBS - 1 ? CHAIN + (n + 1) * BYTES : e->s.chain[1]);
    }
    many_vertices(e); /* at its end */
    e->s.chain[1] = CHAIN;
}

/* ---- */

static void test_stages(void **state)
{
    static void (*const stages[])(struct endless *) = {many_vertices, many_indices, long_fragments,
                                                       many_jobs};
    const struct jit_options jit = {.level = -1, .cache_dir = ""};
    struct jit_engine *engine;
    struct util_pool *pool;
    assert_int_equal(jit_engine_create(&jit, &engine, NULL), 0);
    assert_int_equal(util_pool_create(2, &pool), 0);
    for (unsigned way = 0; way < 4; way++)
        for (unsigned n = 0; n < UTIL_ARRAY_SIZE(stages); n++) {
            const struct mali_options options = {
                .kind = MALI_T860, .gpu.engine = way & 1 ? engine : NULL, .gpu.pool = way & 2 ? pool : NULL};
            struct endless e;
            scene_load(&e.s, "t860/triangle", &options);
            stages[n](&e);
            expect_end(&e);
            guest_destroy(&e.s.guest);
        }
    util_pool_destroy(pool);
    jit_engine_destroy(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
