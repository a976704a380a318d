/* The panfrost driver on the device itself: what it has, page tables, heaps that grow, chains that end well and
 * badly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drm/drm.h"
#include "drm/panfrost/abi.h"
#include "gpu/families.h"
#include "gpu/replay.h"
#include "tests/drm/call.h"
#include "util/bits.h"

#define MEMORY (64u << 20)
#define NOEXEC PANFROST_BO_NOEXEC
#define HEAP   (PANFROST_BO_NOEXEC | PANFROST_BO_HEAP)

static const struct {
    const char *name;
    uint32_t product;
    uint32_t sample; /* words of a sample of all counters */
} gpus[] = {{"t720", 0x720, 512}, {"t760", 0x750, 448}, {"t860", 0x860, 448}, {"g72", 0x6221, 384},
            {"g31", 0x7093, 256}, {"g52", 0x7212, 320}, {"g57", 0x9093, 1472}};

struct card {
    struct gpu_memory memory;
    struct gpu_device gpu;
    struct drm *drm;
    struct drm_file *file;
    unsigned messages, faults;
    char text[512];
};

static void on_message(void *data, const char *text)
{
    struct card *card = data;
    card->messages++;
    snprintf(card->text, sizeof card->text, "%s", text);
}

static void on_fault(void *data, const struct gpu_fault *fault)
{
    struct card *card = data;
    card->faults++;
    gpu_fault_format(fault, card->text, sizeof card->text);
}

static void card_open(struct card *card, const char *name, struct drm_options options)
{
    memset(card, 0, sizeof *card);
    const struct gpu_options device = {.fuel = 1000};
    assert_int_equal(gpu_memory_create(MEMORY, &card->memory), 0);
    assert_int_equal(gpu_create(name, &card->memory, &device, &card->gpu), 0);
    options.gpu = card->gpu;
    options.listener = (struct drm_listener){card, on_fault, on_message};
    assert_int_equal(drm_create(&card->memory, &options, &card->drm), 0);
    assert_int_equal(drm_open(card->drm, DRM_MINOR_RENDER, &card->file), 0);
    assert_int_equal(card->messages, 0);
}

static void card_close(struct card *card)
{
    drm_destroy(card->drm);
    gpu_device_destroy(&card->gpu);
    gpu_memory_destroy(&card->memory);
}

struct buffer {
    uint32_t handle;
    uint64_t address, offset;
};

static struct buffer make_buffer(struct drm_file *file, uint32_t size, uint32_t flags)
{
    struct panfrost_create_bo create = {.size = size, .flags = flags};
    assert_int_equal(CALL(file, PANFROST_IOCTL_CREATE_BO, &create), 0);
    struct panfrost_mmap_bo map = {.handle = create.handle};
    (void)CALL(file, PANFROST_IOCTL_MMAP_BO, &map);
    return (struct buffer){create.handle, create.address, map.offset};
}

/* A job that writes a zero of 64 bits: number n of the chain that stands in a buffer. */
static void put_job(struct card *card, const struct buffer *chain, uint32_t n, uint64_t address, bool last)
{
    uint8_t *job = card->memory.base + chain->offset + n * 64;
    memset(job, 0, 64);
    util_store32(job + 16, 1 | 2 << 1 | (n + 1) << 16); /* 64 bits, write value */
    util_store64(job + 24, last ? 0 : chain->address + (n + 1) * 64);
    util_store64(job + 32, address);
    util_store32(job + 40, 3);
}

static int run(struct card *card, const struct buffer *chain, const struct buffer *other)
{
    uint32_t handles[] = {chain->handle, other->handle};
    struct panfrost_submit submit = {
        .chain = chain->address, .bo_handles = (uintptr_t)handles, .bo_handle_count = 2};
    return CALL(card->file, PANFROST_IOCTL_SUBMIT, &submit);
}

static uint32_t status_of(const struct card *card, const struct buffer *chain, uint32_t n)
{
    return util_load32(card->memory.base + chain->offset + n * 64);
}

static void test_parameters(void **state)
{
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(gpus); i++) {
        struct card card;
        card_open(&card, gpus[i].name, (struct drm_options){0});
        struct panfrost_get_param get = {.param = PANFROST_PARAM_GPU_PROD_ID};
        assert_int_equal(CALL(card.file, PANFROST_IOCTL_GET_PARAM, &get), 0);
        assert_int_equal(get.value, gpus[i].product);
        card_close(&card);
    }
}

static void test_chains(void **state)
{
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(gpus); i++) {
        struct card card;
        card_open(&card, gpus[i].name, (struct drm_options){0});
        struct buffer chain = make_buffer(card.file, 4096, NOEXEC),
                      b = make_buffer(card.file, 3 << 20, NOEXEC);
        memset(card.memory.base + b.offset, 0x55, 3 << 20);
        for (uint32_t n = 0; n < 3; n++)
            put_job(&card, &chain, n, b.address + n * (1 << 20) + 8, n == 2);
        assert_int_equal(run(&card, &chain, &b), 0);
        for (uint32_t n = 0; n < 3; n++) {
            assert_int_equal(util_load64(card.memory.base + b.offset + n * (1 << 20) + 8), 0);
            assert_int_equal(util_load32(card.memory.base + b.offset + n * (1 << 20) + 16), 0x55555555);
            assert_int_equal(status_of(&card, &chain, n), 1);
        }
        /* A buffer that comes later, and one that has gone. */
        struct buffer c = make_buffer(card.file, 4096, NOEXEC);
        memset(card.memory.base + c.offset, 0x55, 4096);
        put_job(&card, &chain, 0, c.address, true);
        assert_int_equal(run(&card, &chain, &c), 0);
        assert_int_equal(util_load64(card.memory.base + c.offset), 0);
        assert_int_equal(card.messages, 0);
        struct drm_gem_close close_it = {.handle = c.handle};
        assert_int_equal(CALL(card.file, DRM_IOCTL_GEM_CLOSE, &close_it), 0);
        assert_int_equal(run(&card, &chain, &b), 0);
        assert_int_equal(card.messages, 2);
        assert_int_equal(card.faults, 1);

        put_job(&card, &chain, 0, b.address, true);
        assert_int_equal(run(&card, &chain, &b), 0);
        assert_int_equal(card.messages, 2);
        assert_int_equal(status_of(&card, &chain, 0), 1);
        card_close(&card);
    }
}

static void test_heap(void **state)
{
    struct card card;
    card_open(&card, "t860", (struct drm_options){0});
    struct buffer chain = make_buffer(card.file, 4096, NOEXEC), heap = make_buffer(card.file, 16 << 20, HEAP);
    for (uint32_t n = 0; n < 8; n++)
        put_job(&card, &chain, n, heap.address + (7 - n) * (2 << 20) + 8, n == 7);
    assert_int_equal(run(&card, &chain, &heap), 0);
    assert_int_equal(card.messages, 0);
    assert_int_equal(card.faults, 0);
    for (uint32_t n = 0; n < 8; n++)
        assert_int_equal(status_of(&card, &chain, n), 1);
    card_close(&card);
}

/* A chain that goes round: a timeout, a reset, and the next one works. */
static void test_hang(void **state)
{
    struct card card;
    card_open(&card, "t860", (struct drm_options){0});
    struct buffer chain = make_buffer(card.file, 4096, NOEXEC), b = make_buffer(card.file, 4096, NOEXEC);
    put_job(&card, &chain, 0, b.address, false);
    put_job(&card, &chain, 1, b.address, false);
    util_store64(card.memory.base + chain.offset + 64 + 24, chain.address);
    assert_int_equal(run(&card, &chain, &b), 0);
    assert_int_equal(card.messages, 1);
    assert_int_equal(card.faults, 1);

    put_job(&card, &chain, 0, b.address, true);
    assert_int_equal(run(&card, &chain, &b), 0);
    assert_int_equal(status_of(&card, &chain, 0), 1);
    assert_int_equal(card.messages, 1);
    card_close(&card);
}

static void test_counters(void **state)
{
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(gpus); i++) {
        struct card card;
        uint32_t sample[1472];
        card_open(&card, gpus[i].name, (struct drm_options){.unstable_ioctls = true});
        struct buffer chain = make_buffer(card.file, 4096, NOEXEC), b = make_buffer(card.file, 4096, NOEXEC);
        struct panfrost_perfcnt_enable enable = {.enable = 1};
        struct panfrost_perfcnt_dump dump = {.buffer = (uintptr_t)sample};
        assert_int_equal(CALL(card.file, PANFROST_IOCTL_PERFCNT_ENABLE, &enable), 0);
        put_job(&card, &chain, 0, b.address, true);
        assert_int_equal(run(&card, &chain, &b), 0);
        assert_int_equal(CALL(card.file, PANFROST_IOCTL_PERFCNT_DUMP, &dump), 0);
        unsigned counted = 0;
        for (unsigned n = 0; n < gpus[i].sample; n++)
            counted += sample[n] == 1;
        assert_true(counted);
        assert_int_equal(card.messages, 0);
        card_close(&card);
    }
}

/* A capture of it all plays without the driver: buffers that no submission names are in it, too. */
static void test_recording(void **state)
{
    struct card card;
    struct capture_writer *capture;
    struct capture_reader *reader;
    struct capture_event event;
    struct gpu_memory memory;
    struct gpu_device gpu;
    const struct gpu_options device = {.fuel = 1000};
    char path[] = "/tmp/test_drm_panfrost-XXXXXX";
    close(mkstemp(path));
    assert_int_equal(capture_writer_create(path, "t860", "test", MEMORY, &capture, NULL), 0);
    card_open(&card, "t860", (struct drm_options){.capture = capture});
    struct buffer chain = make_buffer(card.file, 4096, NOEXEC), heap = make_buffer(card.file, 16 << 20, HEAP);
    struct buffer unnamed = make_buffer(card.file, 8192, NOEXEC);
    util_store32(card.memory.base + unnamed.offset + 4100, 1);
    for (uint32_t n = 0; n < 8; n++)
        put_job(&card, &chain, n, heap.address + (n * 3 & 7) * (2 << 20) + 8, n == 7);
    assert_int_equal(run(&card, &chain, &heap), 0);
    util_store32(card.memory.base + unnamed.offset + 4, 2);
    put_job(&card, &chain, 3, 0xf0000000, false);
    assert_int_equal(run(&card, &chain, &heap), 0);
    assert_int_equal(run(&card, &chain, &heap), 0);
    assert_int_equal(capture_flush(capture), 0);
    assert_int_equal(gpu_memory_create(MEMORY, &memory), 0);
    assert_int_equal(gpu_create("t860", &memory, &device, &gpu), 0);
    assert_int_equal(capture_reader_open(path, &reader, NULL), 0);
    while (!capture_read(reader, &event, NULL) && event.type != CAPTURE_EVENT_END) {
        if (event.type == CAPTURE_EVENT_PAGES)
            for (uint32_t i = 0; i < event.pages.count; i++)
                memcpy(memory.base + event.pages.pages[i].address, event.pages.pages[i].bytes, GPU_PAGE);
        else
            gpu_device_write(&gpu, event.reg.offset, event.reg.value);
    }
    capture_reader_close(reader);
    assert_memory_equal(memory.base, card.memory.base, MEMORY);
    gpu_device_destroy(&gpu);
    gpu_memory_destroy(&memory);
    card_close(&card);
    assert_int_equal(capture_writer_close(capture), 0);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameters), cmocka_unit_test(test_chains),   cmocka_unit_test(test_heap),
        cmocka_unit_test(test_hang),       cmocka_unit_test(test_counters), cmocka_unit_test(test_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
