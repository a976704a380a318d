/* Captures of real programs, cut short and with bits turned: what is whole is drawn, what is wrong is
 * reported with its place, by one thread as by several. (gpu/capture's own reader is tried byte by byte in
 * tests/gpu/test_capture.c; the command in tests/hostile/run.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <assert.h>
#include <errno.h>
#include <xxhash.h>

#include "gpu/capture.h"
#include "gpu/capture_format.h"
#include "gpu/families.h"
#include "gpu/picture.h"
#include "gpu/replay.h"
#include "tests/gpu/captures.h"
#include "tests/sample.h"
#include "util/bits.h"

#define PICTURES 8 /* at most, of a capture */
#define GPUS_MAX 32

static uint8_t *file;
static uint64_t file_size;
static struct jit_engine *engine;
static uint64_t seed = 7;

static uint32_t below(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(((seed >> 32) * n) >> 32);
}

/* *state is the GPU's name. */
static int read_file(void **state)
{
    char path[CAPTURES_PATH];
    FILE *f = captures_find(*state, "gltest", path) ? fopen(path, "rb") : NULL;
    if (!f || fseek(f, 0, SEEK_END))
        return -1;
    file_size = (uint64_t)ftell(f);
    rewind(f);
    file = malloc(file_size);
    bool ok = file && fread(file, 1, file_size, f) == file_size;
    fclose(f);
    return ok ? 0 : -1;
}

static int forget(void **unused)
{
    free(file);
    return 0;
}

static int start_engine(void **unused)
{
    const struct jit_options jit = {.level = -1, .cache_dir = ""};
    return jit_engine_create(&jit, &engine, NULL);
}

static int stop_engine(void **unused)
{
    jit_engine_destroy(engine);
    return 0;
}

/* ---- cut ---- */

struct played {
    int code;
    unsigned pictures;
    uint64_t hash[PICTURES];
    bool torn;
};

static struct played play(uint64_t size)
{
    const struct gpu_options options = {.engine = engine};
    struct util_error error = {0};
    struct played p = {0};
    struct capture_reader *reader;
    struct replay *replay;
    struct capture_frame frame;
    struct capture_info info;
    p.code = capture_reader_from_memory(file, size, &reader, &error);
    if (p.code) {
        assert_non_null(strstr(error.text, "byte"));
        return p;
    }
    assert_int_equal(replay_create(reader, &options, &replay, &error), 0);
    while ((p.code = replay_next_frame(replay, false, &frame, &error)) > 0) {
        struct gpu_fault fault;
        struct util_image image;
        assert_int_equal(replay_faults(replay, &fault, 1), 0);
        assert_true(p.pictures < PICTURES);
        assert_int_equal(replay_picture(replay, &frame, &image), 0);
        p.hash[p.pictures++] = XXH3_64bits(image.pixels, (size_t)image.width * image.height * 4);
        util_image_finish(&image);
    }
    replay_info(replay, &info);
    p.torn = info.torn;
    replay_destroy(replay);
    return p;
}

/* At each boundary between chunks, a byte before and behind it, and in the middle of each. */
static void test_cut(void **unused)
{
    struct played whole = play(file_size);
    uint64_t at = CAPTURE_HEADER_SIZE + util_load32(file + 12);
    unsigned chunks = 0, last = 0;
    assert_true(whole.pictures > 0);
    assert_false(whole.torn);
    for (; at < file_size; chunks++) {
        const uint64_t next = at + CAPTURE_CHUNK_HEADER + util_load32(file + at + 8);
        const uint64_t cuts[] = {at - 1, at, at + 1, (at + next) / 2, next - 1};
        for (unsigned i = 0; i < UTIL_ARRAY_SIZE(cuts); i++) {
            struct played p = play(cuts[i]);
            if (cuts[i] < CAPTURE_HEADER_SIZE + util_load32(file + 12)) {
                assert_int_equal(p.code, -EBADMSG);
                continue;
            }
            assert_int_equal(p.code, 0);
            assert_true(p.torn);
            assert_in_range(p.pictures, last, whole.pictures); /* nothing of what was whole is lost */
            assert_memory_equal(p.hash, whole.hash, p.pictures * sizeof *p.hash);
            last = p.pictures;
        }
        at = next;
    }
    assert_int_equal(at, file_size);
    assert_true(chunks > whole.pictures);
    assert_int_equal(last, whole.pictures); /* all but the end chunk */
}

/* ---- turned ---- */

struct events {
    uint32_t count;
    struct capture_event event[16384];
    struct capture_info info;
};

/* The capture's events, with pages of their own, whose bytes may be changed. */
static void read_events(struct events *out)
{
    struct capture_reader *reader;
    struct capture_event e;
    assert_int_equal(capture_reader_from_memory(file, file_size, &reader, NULL), 0);
    capture_reader_info(reader, &out->info);
    out->count = 0;
    while (!capture_read(reader, &e, NULL) && e.type != CAPTURE_EVENT_END) {
        assert_true(out->count < UTIL_ARRAY_SIZE(out->event));
        if (e.type == CAPTURE_EVENT_PAGES) {
            struct capture_page *pages = malloc(e.pages.count * (sizeof *pages + GPU_PAGE));
            uint8_t *bytes = (uint8_t *)(pages + e.pages.count);
            for (uint32_t i = 0; i < e.pages.count; i++, bytes += GPU_PAGE)
                pages[i] = (struct capture_page){e.pages.pages[i].address,
                                                 memcpy(bytes, e.pages.pages[i].bytes, GPU_PAGE)};
            e.pages.pages = pages;
        }
        out->event[out->count++] = e;
    }
    capture_reader_close(reader);
}

static void free_events(struct events *events)
{
    for (uint32_t i = 0; i < events->count; i++)
        if (events->event[i].type == CAPTURE_EVENT_PAGES)
            free((void *)(uintptr_t)events->event[i].pages.pages);
}

/* At most so many bits of a page that says something, or of a register's value. */
static void turn_bits(struct events *events, uint32_t most)
{
    for (uint32_t turns = 1 + below(most), tries = 0; turns && tries < 1000; tries++) {
        struct capture_event *e = &events->event[below(events->count)];
        if (e->type == CAPTURE_EVENT_REGISTER && !below(12)) {
            e->reg.value ^= 1u << below(32);
            turns--;
        } else if (e->type == CAPTURE_EVENT_PAGES) {
            uint8_t *page = (uint8_t *)(uintptr_t)e->pages.pages[below(e->pages.count)].bytes;
            uint32_t at = below(GPU_PAGE);
            for (uint32_t n = 0; n < GPU_PAGE && !page[at]; n++) /* where something stands */
                at = (at + 1) % GPU_PAGE;
            if (!page[at])
                continue;
            page[at] ^= (uint8_t)(1u << below(8));
            turns--;
        }
    }
}

struct outcome {
    unsigned fault_count;
    struct gpu_fault faults[64];
    uint64_t memory; /* hash */
};

/* As a replay does it, without a file in between. */
static void give(const struct events *events, struct util_pool *pool, bool compiled, struct outcome *out)
{
    const struct gpu_options options = {.pool = pool,
                                        .engine = compiled ? engine : NULL,
                                        .packet_budget = 200000,
                                        .job_fuel = 16 << 20,
                                        .fuel = 8000};
    struct gpu_memory memory;
    struct gpu_device gpu;
    assert_int_equal(gpu_memory_create(events->info.memory_size, &memory), 0);
    assert_int_equal(gpu_create(events->info.gpu, &memory, &options, &gpu), 0);
    for (uint32_t i = 0; i < events->count; i++) {
        const struct capture_event *e = &events->event[i];
        if (e->type == CAPTURE_EVENT_REGISTER || e->type == CAPTURE_EVENT_IRQ_REPLY)
            gpu_device_write(&gpu, e->reg.offset, e->reg.value);
        for (uint32_t k = 0; e->type == CAPTURE_EVENT_PAGES && k < e->pages.count; k++)
            memcpy(memory.base + e->pages.pages[k].address, e->pages.pages[k].bytes, GPU_PAGE);
    }
    memset(out, 0, sizeof *out);
    out->fault_count = gpu_host_faults(gpu.host, out->faults, 64);
    for (uint32_t i = 0; i < events->count; i++) { /* images that were to be shown */
        struct util_image image;
        if (events->event[i].type != CAPTURE_EVENT_FRAME ||
            gpu_picture(&memory, &events->event[i].frame, &image))
            continue;
        out->memory = XXH3_64bits_withSeed(image.pixels, (size_t)image.width * image.height * 4, out->memory);
        util_image_finish(&image);
    }
    gpu_device_destroy(&gpu);
    gpu_memory_destroy(&memory);
}

static void check_report(const char *gpu, const struct gpu_fault *f)
{
    char text[512];
    assert_in_range(f->kind, GPU_FAULT_PACKET, GPU_FAULT_DEADLOCK);
    assert_string_equal(f->gpu, gpu);
    assert_non_null(f->unit);
    assert_true(f->text[0]);
    assert_true(f->job > 0 || !strcmp(f->unit, "registers"));
    assert_true(f->lane == UINT32_MAX || (f->lane < 16 && f->pc != UINT32_MAX));
    assert_true(gpu_fault_format(f, text, sizeof text) > 20);
    assert_non_null(strstr(text, f->unit));
}

static void test_turned_bits(void **unused)
{
    struct util_pool *pool;
    struct events *events = malloc(sizeof *events);
    struct outcome *once = malloc(sizeof *once), *again = malloc(sizeof *again);
    unsigned faulted = 0, unharmed = 0;
    assert_int_equal(util_pool_create(3, &pool), 0);
    read_events(events);
    give(events, pool, true, once);
    assert_int_equal(once->fault_count, 0); /* the budgets are wide enough for what is whole */
    free_events(events);
    for (unsigned round = 0; round < 64; round += sample_step()) {
        bool compiled = round % 32 != 0; /* the interpreter takes its time */
        read_events(events);
        turn_bits(events, round & 1 ? 64 : 3); /* of some GPUs most bits do not matter */
        give(events, NULL, compiled, once);
        give(events, pool, compiled, again);
        assert_int_equal(once->fault_count, again->fault_count);
        assert_int_equal(once->memory, again->memory);
        for (unsigned i = 0; i < once->fault_count; i++) {
            check_report(events->info.gpu, &once->faults[i]);
            assert_int_equal(once->faults[i].kind, again->faults[i].kind);
            assert_int_equal(once->faults[i].job, again->faults[i].job);
            assert_int_equal(once->faults[i].address, again->faults[i].address);
            assert_string_equal(once->faults[i].text, again->faults[i].text);
        }
        faulted += once->fault_count > 0;
        unharmed += once->fault_count == 0;
        free_events(events);
    }
    print_message("%u rounds with faults, %u without\n", faulted, unharmed);
    unsigned least = sample_step() > 1 ? 0 : 10;
    assert_true(faulted > least && unharmed > least); /* both happen */
    util_pool_destroy(pool);
    free(once);
    free(again);
    free(events);
}

int main(void)
{
    struct CMUnitTest tests[2 * GPUS_MAX] = {0}; /* cmocka passes over rows of nothing */
    unsigned count = 0;
    for (const struct gpu_info *gpu; (gpu = gpu_info_at(count / 2)); count += 2) {
        assert(count / 2 < GPUS_MAX);
        tests[count] = (struct CMUnitTest){"test_cut", test_cut, read_file, forget, (void *)gpu->name};
        tests[count + 1] =
            (struct CMUnitTest){"test_turned_bits", test_turned_bits, read_file, forget, (void *)gpu->name};
    }
    return cmocka_run_group_tests(tests, start_engine, stop_engine);
}
