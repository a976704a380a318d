/* Chains of the panfrost driver that go wrong, or whose program has gone; performance counters, recording. */
#include "tests/drm/panfrost_card.h"

/* ---- what goes wrong ---- */

static void test_page_fault(void **state)
{
    struct card card;
    card_open(&card, 0x860, false);
    struct buffer chain = make_buffer(card.file, 4096, NOEXEC);
    struct mock_job *job = job_in(&card, &chain);
    for (unsigned standing = 0; standing < 2; standing++) {
        card.messages = 0;
        card.mock.cannot_stand = standing;
        *job = (struct mock_job){.heap = 0xdeadb000, .bytes = 4};
        assert_int_equal(run(card.file, &chain), 0);
        assert_int_equal(card.messages, 2);
        assert_non_null(strstr(card.text, "slot 1: JOB_BUS_FAULT"));
        *job = (struct mock_job){0};
        assert_int_equal(run(card.file, &chain), 0); /* the space works again */
        assert_int_equal(job->count, 1);
        assert_int_equal(card.messages, 2);
    }
    assert_int_equal(card.mock.resets, 1);
    card_close(&card);
}

static void test_failed_chain(void **state)
{
    struct card card;
    card_open(&card, 0x860, false);
    struct buffer chain = make_buffer(card.file, 4096, NOEXEC);
    struct mock_job *jobs = job_in(&card, &chain);
    jobs[0] = (struct mock_job){.fault = 0x58, .next = chain.address + sizeof *jobs};
    assert_int_equal(run(card.file, &chain), 0);
    assert_int_equal(jobs[1].count, 0);
    assert_int_equal(card.messages, 1);
    assert_non_null(strstr(card.text, "DATA_INVALID_FAULT"));
    jobs[0].fault = 0;
    assert_int_equal(run(card.file, &chain), 0); /* no context is guilty */
    assert_int_equal(jobs[1].count, 1);
    assert_int_equal(card.mock.resets, 1);
    jobs[0].fault = 0x7f;
    assert_int_equal(run(card.file, &chain), 0);
    assert_non_null(strstr(card.text, "unknown exception"));
    card_close(&card);
}

static void test_hang(void **state)
{
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(products); i++) {
        struct card card;
        card_open(&card, products[i], false);
        struct buffer chain = make_buffer(card.file, 4096, NOEXEC);
        card.mock.hangs = true;
        assert_int_equal(run(card.file, &chain), 0);
        assert_int_equal(card.messages, 1);
        assert_non_null(strstr(card.text, "did not end"));
        assert_int_equal(card.mock.resets, 2);
        card.mock.hangs = false;
        assert_int_equal(run(card.file, &chain), 0);
        assert_int_equal(job_in(&card, &chain)->count, 1);
        assert_int_equal(card.messages, 1);
        card_close(&card);
    }
}

static void test_gpu_fault(void **state)
{
    struct card card;
    card_open(&card, 0x860, false);
    struct buffer chain = make_buffer(card.file, 4096, NOEXEC);
    card.mock.reg[PANFROST_GPU_INT_RAWSTAT / 4] = PANFROST_GPU_IRQ_FAULT;
    card.mock.reg[PANFROST_GPU_FAULT_STATUS / 4] = 0x88;
    assert_int_equal(run(card.file, &chain), 0);
    assert_int_equal(card.messages, 1);
    assert_non_null(strstr(card.text, "GPU_SHAREABILITY_FAULT"));
    assert_int_equal(card.mock.reg[PANFROST_GPU_INT_RAWSTAT / 4], 0);
    card_close(&card);
}

/* ---- programs that have gone ---- */

static void abandon(void *data)
{
    struct card *card = data;
    drm_abandon(card->file);
}

/* Nobody wants a chain that is at work: it is stopped, and the device reset only when that does not help. */
static void test_abandoned(void **state)
{
    for (unsigned deaf = 0; deaf < 2; deaf++) {
        for (unsigned fragment = 0; fragment < 2; fragment++) {
            struct card card;
            struct drm_file *other;
            struct task task;
            card_open(&card, 0x860, true);
            struct buffer chain = make_buffer(card.file, 4096, NOEXEC);
            make_task(&task, &chain);
            task.submit.requirements = fragment;
            assert_int_equal(submit(card.file, &task), 0);
            assert_int_equal(submit(card.file, &task), 0); /* not begun */
            card.mock.on_start = abandon;
            card.mock.data = &card;
            card.mock.deaf = deaf;
            assert_true(drm_work(card.drm));
            assert_int_equal(card.mock.starts, 1);
            assert_int_equal(card.mock.resets, 1 + deaf);
            assert_false(card.mock.active[0] || card.mock.active[1]);
            drm_close(card.file);
            card.mock.on_start = NULL;
            assert_int_equal(drm_open(card.drm, DRM_MINOR_RENDER, &other), 0);
            chain = make_buffer(other, 4096, NOEXEC);
            assert_int_equal(run(other, &chain), 0);
            assert_true(drm_work(card.drm));
            assert_int_equal(job_in(&card, &chain)->count, 1);
            assert_int_equal(card.messages, 0);
            card_close(&card);
        }
    }
}

/* One whose submission was under way when the file was abandoned is not begun, unless somebody else can see what it
 * does. */
static void test_abandoned_meanwhile(void **state)
{
    for (unsigned shared = 0; shared < 2; shared++) {
        struct card card;
        struct drm_file *other;
        card_open(&card, 0x860, true);
        struct buffer chain = make_buffer(card.file, 4096, NOEXEC);
        struct drm_prime_handle prime = {.handle = chain.handle};
        int fd;
        assert_int_equal(drm_open(card.drm, DRM_MINOR_RENDER, &other), 0);
        if (shared) {
            assert_int_equal(CALL_GIVING(card.file, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime, &fd), 0);
            assert_int_equal(CALL_TAKING(other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime, fd), 0);
            close(fd);
        }
        drm_abandon(card.file);
        assert_int_equal(run(card.file, &chain), 0);
        assert_true(drm_work(card.drm));
        assert_int_equal(card.mock.starts, shared);
        assert_int_equal(card.messages, 0);
        card_close(&card);
    }
}

/* A file that closes with chains in the queue: they run in its space. */
static void test_close_with_chains(void **state)
{
    struct card card;
    card_open(&card, 0x860, true);
    struct buffer chain = make_buffer(card.file, 4096, NOEXEC);
    assert_int_equal(run(card.file, &chain), 0);
    drm_close(card.file);
    assert_true(drm_work(card.drm));
    assert_int_equal(card.mock.starts, 1);
    assert_int_equal(card.messages, 0);
    card_close(&card);
}

/* ---- performance counters ---- */

static int count_for(struct drm_file *file, uint32_t enable)
{
    struct panfrost_perfcnt_enable perfcnt = {.enable = enable};
    return CALL(file, PANFROST_IOCTL_PERFCNT_ENABLE, &perfcnt);
}

static int dump(struct drm_file *file, uint32_t *to)
{
    struct panfrost_perfcnt_dump perfcnt = {.buffer = (uintptr_t)to};
    return CALL(file, PANFROST_IOCTL_PERFCNT_DUMP, &perfcnt);
}

static void test_counters(void **state)
{
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(products); i++) {
        struct card card;
        struct drm_file *other;
        uint32_t sample[8 * 64 + 1];
        card_open_with(&card, products[i],
                       (struct drm_options){.asynchronous = true, .unstable_ioctls = true});
        assert_int_equal(drm_open(card.drm, DRM_MINOR_RENDER, &other), 0);
        struct buffer chain = make_buffer(card.file, 4096, NOEXEC);
        struct panfrost_perfcnt_enable second = {.enable = 1, .set = 1};
        assert_int_equal(CALL(card.file, PANFROST_IOCTL_PERFCNT_ENABLE, &second), -EINVAL);
        assert_int_equal(count_for(card.file, 0), -EINVAL);
        assert_int_equal(dump(card.file, sample), -EINVAL);
        assert_int_equal(count_for(card.file, 1), 0);
        assert_int_equal(count_for(card.file, 1), 0);
        assert_int_equal(count_for(other, 1), -EBUSY);
        assert_int_equal(dump(other, sample), -EINVAL);
        assert_int_equal(run(card.file, &chain), 0);
        memset(sample, 0xff, sizeof sample);
        assert_int_equal(dump(card.file, sample), 0); /* once the chain is done */
        uint32_t words = mock_sample_bytes(&card.mock) / 4;
        assert_int_equal(sample[0], 1);
        assert_int_equal(sample[words - 1], 1 + 4 * (words - 1));
        assert_int_equal(sample[words], UINT32_MAX);
        assert_int_equal(dump(card.file, NULL), -EFAULT);
        /* Others come and go: the space stays. */
        for (unsigned n = 0; n < 2 * MOCK_SPACES; n++) {
            struct drm_file *more;
            assert_int_equal(drm_open(card.drm, DRM_MINOR_RENDER, &more), 0);
            struct buffer b = make_buffer(more, 4096, NOEXEC);
            assert_int_equal(run(more, &b), 0);
        }
        assert_int_equal(dump(card.file, sample), 0);
        assert_int_equal(sample[0], 1 + 2 * MOCK_SPACES);
        /* A reset ends it; whoever closes gives it up. */
        card.mock.hangs = true;
        assert_int_equal(run(card.file, &chain), 0);
        assert_int_equal(dump(card.file, sample), -ETIMEDOUT);
        card.mock.hangs = false;
        drm_close(card.file);
        assert_int_equal(count_for(other, 1), 0);
        assert_int_equal(dump(other, sample), 0);
        assert_int_equal(count_for(other, 0), 0);
        assert_int_equal(card.mock.reg[PANFROST_PERFCNT_CONFIG / 4], 0);
        assert_int_equal(card.mock.reg[PANFROST_PERFCNT_JM_ENABLE / 4], 0);
        /* Their space is everybody's again. */
        struct drm_file *files[MOCK_SPACES];
        struct buffer buffers[MOCK_SPACES];
        for (size_t n = 0; n < MOCK_SPACES; n++) {
            assert_int_equal(drm_open(card.drm, DRM_MINOR_RENDER, &files[n]), 0);
            buffers[n] = make_buffer(files[n], 4096, NOEXEC);
            assert_int_equal(run(files[n], &buffers[n]), 0);
        }
        drm_work(card.drm);
        uint32_t forgets = card.mock.forgets;
        for (size_t n = 0; n < MOCK_SPACES; n++)
            assert_int_equal(run(files[n], &buffers[n]), 0);
        drm_work(card.drm);
        assert_int_equal(card.mock.forgets, forgets);
        assert_int_equal(count_for(other, 1), 0);
        drm_close(other);
        assert_int_equal(drm_open(card.drm, DRM_MINOR_RENDER, &other), 0);
        chain = make_buffer(other, 4096, NOEXEC);
        assert_int_equal(run(other, &chain), 0);
        drm_work(card.drm);
        assert_int_equal(card.mock.reg[PANFROST_PERFCNT_CONFIG / 4], 0);
        card_close(&card);
    }
}

/* ---- recording ---- */

/* Plays a capture on another mock. */
static void play(const char *path, struct gpu_memory *memory, struct mock *mock)
{
    struct capture_reader *reader;
    struct capture_event event;
    assert_int_equal(gpu_memory_create(MEMORY, memory), 0);
    struct gpu_device gpu = mock_gpu(mock, memory, 0x860);
    assert_int_equal(capture_reader_open(path, &reader, NULL), 0);
    while (!capture_read(reader, &event, NULL) && event.type != CAPTURE_EVENT_END) {
        if (event.type == CAPTURE_EVENT_PAGES)
            for (uint32_t i = 0; i < event.pages.count; i++)
                memcpy(memory->base + event.pages.pages[i].address, event.pages.pages[i].bytes, GPU_PAGE);
        else
            gpu_device_write(&gpu, event.reg.offset, event.reg.value);
    }
    capture_reader_close(reader);
}

/* A capture alone brings the device to do the same: page tables, heaps that grow, hangs, counters. */
static void test_recording(void **state)
{
    struct card card;
    struct task task;
    struct capture_writer *capture;
    struct gpu_memory memory;
    static struct mock mock;
    uint32_t sample[7 * 64];
    char path[] = "/tmp/test_drm_panfrost-XXXXXX";
    close(mkstemp(path));
    assert_int_equal(capture_writer_create(path, "t860", "test", MEMORY, &capture, NULL), 0);
    card_open_with(&card, 0x860, (struct drm_options){.capture = capture, .unstable_ioctls = true});
    struct buffer chain = make_buffer(card.file, 4096, NOEXEC),
                  before = make_buffer(card.file, BLOCK, NOEXEC);
    memset(job_in(&card, &before) + 1, 0x55, 4096); /* what stood where the heap will */
    assert_int_equal(run(card.file, &before), 0);
    close_buffer(card.file, before.handle);
    struct buffer heap = make_buffer(card.file, 16 << 20, HEAP);
    heap_task(&task, &card, &chain, &heap, 5 << 20);
    assert_int_equal(submit(card.file, &task), 0);
    assert_int_equal(count_for(card.file, 1), 0);
    struct buffer more = make_buffer(card.file, 8192, NOEXEC);
    assert_int_equal(run(card.file, &more), 0);
    heap_task(&task, &card, &chain, &heap, 9 << 20);
    task.submit.requirements = PANFROST_REQUIRE_FRAGMENT;
    assert_int_equal(submit(card.file, &task), 0);
    assert_int_equal(dump(card.file, sample), 0);
    job_in(&card, &chain)->heap = 0xf0000000;
    assert_int_equal(submit(card.file, &task), 0);
    heap_task(&task, &card, &chain, &heap, 16 << 20);
    assert_int_equal(submit(card.file, &task), 0);
    assert_int_equal(capture_flush(capture), 0);
    play(path, &memory, &mock);
    assert_int_equal(mock.starts, 6);
    assert_int_equal(mock.starts, card.mock.starts);
    assert_int_equal(mock.faults, card.mock.faults);
    assert_int_equal(mock.forgets, card.mock.forgets);
    assert_memory_equal(memory.base, card.memory.base, MEMORY);
    unlink(path);
    gpu_memory_destroy(&memory);
    card_close(&card);
    assert_int_equal(capture_writer_close(capture), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_page_fault),
        cmocka_unit_test(test_failed_chain),
        cmocka_unit_test(test_hang),
        cmocka_unit_test(test_gpu_fault),
        cmocka_unit_test(test_abandoned),
        cmocka_unit_test(test_abandoned_meanwhile),
        cmocka_unit_test(test_close_with_chains),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
