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

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "gpu/capture.h"
#include "gpu/families.h"
#include "gpu/vc4/device.h"
#include "util/bits.h"

/* A capture of each family, and the registers that start a list or a processor of its GPU. */
struct subject {
    const char *path;
    uint32_t starts[3]; /* 0: no more */
};

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

static bool is_start(const struct subject *s, uint32_t offset)
{
    bool is = false;
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(s->starts); n++)
        is |= s->starts[n] && s->starts[n] == offset;
    return is;
}

/* Gives the device the capture's events, with a scribbler at work while each list runs. */
static unsigned play(const struct subject *subject, struct capture_reader *reader, struct gpu_device *gpu,
                     unsigned round)
{
    struct capture_event e;
    struct gpu_fault fault;
    unsigned faults = 0, pause = 1u << round % 16;
    capture_reader_rewind(reader);
    target_count = 0;
    while (!capture_read(reader, &e, NULL) && e.type != CAPTURE_EVENT_END) {
        bool starts = e.type == CAPTURE_EVENT_REGISTER && is_start(subject, e.reg.offset) && target_count;
        pthread_t thread;
        if (e.type == CAPTURE_EVENT_PAGES) {
            take_targets(&e);
            for (uint32_t i = 0; i < e.pages.count; i++)
                memcpy(memory.base + e.pages.pages[i].address, e.pages.pages[i].bytes, GPU_PAGE);
        }
        if (e.type != CAPTURE_EVENT_REGISTER && e.type != CAPTURE_EVENT_IRQ_REPLY)
            continue;
        if (starts) {
            unsigned before = atomic_load(&scribbled);
            atomic_store(&scribbling, true);
            assert_int_equal(pthread_create(&thread, NULL, scribble, &pause), 0);
            while (atomic_load(&scribbled) == before)
                usleep(10);
        }
        gpu_device_write(gpu, e.reg.offset, e.reg.value);
        if (starts) {
            atomic_store(&scribbling, false);
            pthread_join(thread, NULL);
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
    const struct subject *subject = *state;
    char path[1024];
    const struct jit_options jit = {.level = -1, .cache_dir = ""};
    struct util_pool *pool;
    struct jit_engine *engine;
    struct capture_reader *reader;
    struct capture_info info;
    const char *more = getenv("VITRAIL_SCRIBBLE_ROUNDS");
    unsigned faulted = 0, rounds = more ? (unsigned)atoi(more) : 64;
    assert_int_equal(util_pool_create(1, &pool), 0);
    assert_int_equal(jit_engine_create(&jit, &engine, NULL), 0);
    snprintf(path, sizeof path, "%s/tests/captures/%s", SOURCE_DIR, subject->path);
    assert_int_equal(capture_reader_open(path, &reader, NULL), 0);
    capture_reader_info(reader, &info);
    assert_int_equal(gpu_memory_create(info.memory_size, &memory), 0);
    for (unsigned round = 0; round < rounds; round++) {
        const struct gpu_options options = {.pool = round & 1 ? pool : NULL,
                                            .engine = round % 16 < 15 ? engine : NULL,
                                            .packet_budget = 100000,
                                            .job_fuel = 16 << 20,
                                            .fuel = 1000};
        struct gpu_device gpu;
        assert_int_equal(gpu_create(info.gpu, &memory, &options, &gpu), 0);
        faulted += play(subject, reader, &gpu, round) > 0;
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
    static struct subject vc4 = {"gltest.vtc", {VC4_CT0EA, VC4_CT1EA}};
    static struct subject mali400 = {"mali400/gltest.vtc", {0x20, 0x900c, 0xb00c}};
    static struct subject mali450 = {"mali450/gltest.vtc", {0x20, 0x1700c}};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_scribbling, &vc4),
        cmocka_unit_test_prestate(test_scribbling, &mali400),
        cmocka_unit_test_prestate(test_scribbling, &mali450),
        cmocka_unit_test(test_something_came_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
