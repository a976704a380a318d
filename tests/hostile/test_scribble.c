/* A guest that rewrites its memory while its jobs run: what was checked may be something else when it is
 * used. Whatever comes of it is a picture or a report, never a crash and never a write where none was
 * allowed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "gpu/capture.h"
#include "gpu/families.h"
#include "tests/gpu/captures.h"
#include "util/bits.h"

#define GPUS_MAX   32
#define STARTS_MAX 32

/* Words of the capture's pages that say something: lists, records, programs, uniforms, vertices. */
struct target {
    uint32_t address, word;
};

static struct target *targets;
static uint32_t target_count;
static struct gpu_memory memory;
static atomic_bool scribbling;
static atomic_uint scribbled;
static unsigned all_faulted;
static uint32_t starts[STARTS_MAX], start_count; /* registers whose writes begin a job of this GPU */

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

/* Turns words into others and back again, so that checks and uses meet either. */
static void *scribble(void *data)
{
    const unsigned *pause = data;
    uint64_t seed = 77 + *pause + atomic_load(&scribbled);
    while (atomic_load(&scribbling)) {
        const struct target *t = &targets[next_random(&seed) % target_count];
        _Atomic uint32_t *word = (_Atomic uint32_t *)(void *)(memory.base + t->address);
        uint32_t other = seed & 1 << 20   ? (uint32_t)next_random(&seed) << 1
                         : seed & 1 << 21 ? t->word ^ 1u << next_random(&seed) % 32
                                          : UINT32_MAX - (uint32_t)(seed & 0xfff);
        atomic_store_explicit(word, other, memory_order_relaxed);
        for (uint64_t n = next_random(&seed) % *pause; n; n--)
            __builtin_ia32_pause();
        atomic_store_explicit(word, t->word, memory_order_relaxed);
        atomic_fetch_add(&scribbled, 1);
        for (uint64_t n = next_random(&seed) % *pause; n; n--) /* seldom enough for jobs to get on */
            __builtin_ia32_pause();
    }
    return NULL;
}

static void take_targets(const struct capture_event *e)
{
    for (uint32_t i = 0; i < e->pages.count; i++)
        for (uint32_t at = 0; at < GPU_PAGE; at += 4) {
            uint32_t word = util_load32(e->pages.pages[i].bytes + at);
            if (!word)
                continue;
            targets = realloc(targets, (target_count + 1) * sizeof *targets);
            targets[target_count++] = (struct target){(uint32_t)e->pages.pages[i].address + at, word};
        }
}

static bool is_start(uint32_t offset)
{
    bool is = false;
    for (uint32_t n = 0; n < start_count; n++)
        is |= starts[n] == offset;
    return is;
}

/* Gives the device the capture's events, with a scribbler at work while each job runs. In a play before these,
 * without one, `learns` finds the writes that begin jobs. */
static unsigned play(struct capture_reader *reader, struct gpu_device *gpu, unsigned round, bool learns)
{
    struct capture_event e;
    struct gpu_fault fault;
    unsigned faults = 0, pause = 1u << round % 16;
    capture_reader_rewind(reader);
    target_count = 0;
    while (!capture_read(reader, &e, NULL) && e.type != CAPTURE_EVENT_END) {
        bool begins = e.type == CAPTURE_EVENT_REGISTER && is_start(e.reg.offset) && target_count && !learns;
        uint64_t jobs = gpu->host->counters.jobs;
        pthread_t thread;
        if (e.type == CAPTURE_EVENT_PAGES) {
            take_targets(&e);
            for (uint32_t i = 0; i < e.pages.count; i++)
                memcpy(memory.base + e.pages.pages[i].address, e.pages.pages[i].bytes, GPU_PAGE);
        }
        if (e.type != CAPTURE_EVENT_REGISTER && e.type != CAPTURE_EVENT_IRQ_REPLY)
            continue;
        if (begins) {
            unsigned before = atomic_load(&scribbled);
            atomic_store(&scribbling, true);
            assert_int_equal(pthread_create(&thread, NULL, scribble, &pause), 0);
            while (atomic_load(&scribbled) == before)
                usleep(10);
        }
        gpu_device_write(gpu, e.reg.offset, e.reg.value);
        if (begins) {
            atomic_store(&scribbling, false);
            pthread_join(thread, NULL);
        }
        if (learns && gpu->host->counters.jobs != jobs && !is_start(e.reg.offset)) {
            assert_true(start_count < STARTS_MAX);
            starts[start_count++] = e.reg.offset;
        }
        while (gpu_host_faults(gpu->host, &fault, 1)) {
            assert_non_null(fault.unit);
            assert_true(fault.text[0]);
            faults++;
        }
    }
    return faults;
}

static void test_scribbling(void **state)
{
    const struct gpu_info *of = *state;
    char path[CAPTURES_PATH];
    const struct jit_options jit = {.level = -1, .cache_dir = ""};
    struct util_pool *pool;
    struct jit_engine *engine;
    struct capture_reader *reader;
    struct capture_info info;
    const char *more = getenv("VITRAIL_SCRIBBLE_ROUNDS");
    unsigned faulted = 0, rounds = more ? (unsigned)atoi(more) : 64;
    assert_int_equal(util_pool_create(1, &pool), 0);
    assert_int_equal(jit_engine_create(&jit, &engine, NULL), 0);
    captures_need(of->name, "gltest", path);
    assert_int_equal(capture_reader_open(path, &reader, NULL), 0);
    capture_reader_info(reader, &info);
    assert_int_equal(gpu_memory_create(info.memory_size, &memory), 0);
    start_count = 0;
    for (unsigned round = 0; round <= rounds; round++) { /* the first one learns */
        const struct gpu_options options = {.pool = round & 1 ? pool : NULL,
                                            .engine = round % 16 < 15 ? engine : NULL,
                                            .packet_budget = 100000,
                                            .job_fuel = 16 << 20,
                                            .fuel = 1000};
        struct gpu_device gpu;
        assert_int_equal(gpu_create(info.gpu, &memory, &options, &gpu), 0);
        faulted += play(reader, &gpu, round, !round) > 0;
        assert_true(start_count);
        gpu_device_destroy(&gpu);
        gpu_memory_clear(&memory);
    }
    print_message("%u of %u rounds with faults, %u words turned\n", faulted, rounds, atomic_load(&scribbled));
    all_faulted += faulted;
    capture_reader_close(reader);
    jit_engine_destroy(engine);
    util_pool_destroy(pool);
    gpu_memory_destroy(&memory);
    free(targets);
    targets = NULL;
}

/* Of all rounds some must have met a word that was turned. */
static void test_something_came_of_it(void **unused)
{
    assert_true(all_faulted > 0);
}

int main(void)
{
    struct CMUnitTest tests[GPUS_MAX + 1] = {0}; /* cmocka passes over rows of nothing */
    unsigned count = 0;
    for (const struct gpu_info *gpu; (gpu = gpu_info_at(count)); count++) {
        assert(count < GPUS_MAX);
        tests[count] = (struct CMUnitTest)cmocka_unit_test_prestate(test_scribbling, (void *)gpu);
    }
    tests[count] = (struct CMUnitTest)cmocka_unit_test(test_something_came_of_it);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
