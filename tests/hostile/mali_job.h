/* A recorded submission of the stock panfrost driver (tests/data/t860/triangle, or that of another GPU) in which tests
 * change something, run whichever way. Included by tests/hostile/test_mali_*.c. */
#ifndef VITRAIL_TESTS_HOSTILE_MALI_JOB_H
#define VITRAIL_TESTS_HOSTILE_MALI_JOB_H

#include "tests/gpu/mali/scene.h"

#include <xxhash.h>

#include "isa/midgard/asm.h"

/* Where things stand in jobs (gpu/mali/desc_job.inc), in bytes. */
enum {
    AT_NEXT = 24,
    AT_INVOCATION = 32,
    AT_PRIMITIVE = 40,
    AT_DRAW = 64,
    AT_POSITION = AT_DRAW + 16,
    AT_PUSH = AT_DRAW + 48,
    AT_STATE = AT_DRAW + 56,
    AT_BUFFERS = AT_DRAW + 64,
    AT_VARYING_BUFFERS = AT_DRAW + 80,
    AT_VIEWPORT = AT_DRAW + 96,
    AT_FBD = AT_DRAW + 112
};
enum { STATE_FLAGS = 16, SIDE_EFFECTS = 1 << 13 };
enum { OUTSIDE = 0x01000000, ODD = 0x30000000, FUEL = 1000 };
struct job {
    struct scene s;
    uint64_t chain[2]; /* as it was recorded */
    uint8_t *kept;     /* memory as it was loaded */
    uint8_t *more;     /* four pages at ODD */
};

static inline uint8_t *at(struct job *j, uint64_t address)
{
    return scene_at(&j->s, address);
}
static inline uint64_t word_at(struct job *j, uint64_t address)
{
    return util_load64(at(j, address));
}
static inline uint64_t tiler_job(struct job *j)
{
    return scene_tiler_job(&j->s);
}
/* The job of that type in the first chain. */
static inline uint64_t vertex_job(struct job *j)
{
    uint64_t job = j->s.chain[1];
    while ((*at(j, job + 16) >> 1 & 0x7f) != MALI_JOB_TYPE_VERTEX)
        job = word_at(j, job + AT_NEXT);
    return job;
}
static inline uint64_t frame(struct job *j)
{
    return word_at(j, tiler_job(j) + AT_FBD) & ~63ull;
}
static inline uint64_t tiler(struct job *j)
{
    return frame(j) + mali_frame_at(MALI_V5, MALI_FRAME_TILER);
}
static inline uint64_t target(struct job *j)
{
    return frame(j) + mali_frame_at(MALI_V5, MALI_FRAME_BEHIND) + 64; /* behind the extension */
}
static inline uint64_t state(struct job *j, uint64_t job)
{
    return word_at(j, job + AT_STATE);
}
static inline void put(struct job *j, uint64_t address, uint64_t value)
{
    util_store64(at(j, address), value);
}
static inline void put32(struct job *j, uint64_t address, uint32_t value)
{
    util_store32(at(j, address), value);
}
static inline void put_program(struct job *j, uint64_t job, const char *text)
{
    struct util_error error = {0};
    void *words;
    uint32_t count;
    if (midgard_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s", error.text);
    memcpy(j->more + 0x1000, words, count * 16u);
    put(j, state(j, job), (ODD + 0x1000) | (*(uint8_t *)words & 15));
    free(words);
}

/* ---- running ---- */

static inline void open_job(struct job *j, const struct mali_options *options)
{
    scene_load(&j->s,
               options->kind == MALI_G52   ? "g52/triangle"
               : options->kind == MALI_G57 ? "g57/triangle"
                                           : "t860/triangle",
               options);
    memcpy(j->chain, j->s.chain, sizeof j->chain);
    j->more = guest_map(&j->s.guest, ODD, 0x4000, RIGHT_BOTH);
    guest_flush_as(&j->s.guest, 0);
    j->kept = malloc(j->s.guest.pages);
    assert_non_null(j->kept);
    memcpy(j->kept, j->s.guest.memory.base, j->s.guest.pages);
}

static inline void close_job(struct job *j)
{
    guest_destroy(&j->s.guest);
    free(j->kept);
}

/* What waits or has no end is stopped as the kernel does it. */
static inline void start(struct job *j, unsigned slot)
{
    guest_submit(&j->s.guest, slot, j->s.chain[slot], 0x83300);
    mali_write(j->s.guest.device, guest_js(slot, JS_COMMAND), 3);
    assert_int_not_equal(guest_status(&j->s.guest, slot), STATUS_ACTIVE);
    mali_write(j->s.guest.device, MMU_CLEAR, UINT32_MAX);
    mali_write(j->s.guest.device, JOB_CLEAR, UINT32_MAX);
}

static inline void report_of(struct job *j, char *text, size_t size)
{
    struct gpu_fault fault = guest_fault(&j->s.guest);
    snprintf(text, size, "no fault");
    if (fault.kind)
        gpu_fault_format(&fault, text, size);
}

/* What the last frame stored, by its pixels. */
static inline uint64_t picture(struct job *j)
{
    struct capture_frame f;
    assert_true(gpu_host_frame(mali_device_host(j->s.guest.device), &f));
    assert_int_equal(f.width * f.height, 256 * 256);
    const uint8_t *pixels = j->s.guest.memory.base + f.address;
    assert_int_not_equal(util_load32(pixels + 4 * 256 * 128), 0); /* drawn */
    return XXH3_64bits(pixels, 256 * 256 * 4);
}

/* The device is reset, and its memory as it was recorded. */
static inline uint64_t draw_whole(struct job *j)
{
    struct gpu_fault rest[64];
    gpu_host_faults(mali_device_host(j->s.guest.device), rest, 64);
    memcpy(j->s.guest.memory.base, j->kept, j->s.guest.pages);
    guest_start(&j->s.guest);
    memcpy(j->s.chain, j->chain, sizeof j->chain);
    start(j, 1);
    start(j, 0);
    guest_expect_no_fault(&j->s.guest);
    return picture(j);
}

/* What a job is spoilt by, before its chains of tiling and of the frame run. */
struct spoilt {
    const char *name;
    void (*before_tiling)(struct job *);
    void (*before_frame)(struct job *);
};

/* Runs a spoilt job: whether it is reported so. */
static inline bool reported(struct job *j, const struct spoilt *spoilt, unsigned way, const char *gpu,
                            const char *report)
{
    char text[512], expected[512];
    if (spoilt->before_tiling)
        spoilt->before_tiling(j);
    start(j, 1);
    if (spoilt->before_frame) {
        guest_expect_no_fault(&j->s.guest);
        spoilt->before_frame(j);
        start(j, 0);
    }
    report_of(j, text, sizeof text);
    snprintf(expected, sizeof expected, "%s %s", gpu, report);
    if (!strcmp(text, expected))
        return true;
    print_error("%s, way %u: %s\n", spoilt->name, way, text);
    return false;
}

/* Which of the ways jobs run: compiled, on workers. */
struct ways {
    struct jit_engine *engine;
    struct util_pool *pool;
};

static inline struct mali_options options_of(const struct ways *w, unsigned way)
{
    return (struct mali_options){.kind = MALI_T860,
                                 .gpu.engine = way & 1 ? w->engine : NULL,
                                 .gpu.pool = way & 2 ? w->pool : NULL,
                                 .gpu.packet_budget = 1000000,
                                 .gpu.job_fuel = 1000000,
                                 .gpu.fuel = FUEL};
}

static inline int begin(void **state_)
{
    static struct ways w;
    const struct jit_options jit = {.level = -1, .cache_dir = ""};
    *state_ = &w;
    return jit_engine_create(&jit, &w.engine, NULL) || util_pool_create(2, &w.pool);
}

static inline int end(void **state_)
{
    struct ways *w = *state_;
    util_pool_destroy(w->pool);
    jit_engine_destroy(w->engine);
    return 0;
}

#endif
