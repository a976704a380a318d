/* Chains of the panfrost driver on a device: slots, address spaces, rights, heaps that grow, fences, purging. */
#include <pthread.h>

#include "tests/drm/panfrost_card.h"

/* ---- what runs ---- */

static void test_slots(void **state)
{
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(products); i++) {
        struct card card;
        struct task task;
        card_open(&card, products[i], false);
        struct buffer b = make_buffer(card.file, 4096, NOEXEC);
        uint32_t common = 3u << 8 | 3u << 12 | 8u << 16 | (products[i] == 0x720 ? 1u << 10 : 0) |
                          (products[i] > 0x1000 ? 1u << 14 : 0); /* fewer flushes, since Bifrost */
        uint32_t flag = products[i] == 0x720 ? 0 : 1u << 11;     /* of every other chain of a slot */
        make_task(&task, &b);
        card.mock.reg[PANFROST_LATEST_FLUSH_ID / 4] = 0x1234;
        assert_int_equal(submit(card.file, &task), 0);
        assert_int_equal(card.mock.slot, 1);
        assert_int_equal(card.mock.config, common | flag);
        assert_int_equal(card.mock.reg[(PANFROST_JS(1) + PANFROST_JS_FLUSH_ID_NEXT) / 4],
                         common & 1u << 14 ? 0x1234 : 0);
        task.submit.requirements = PANFROST_REQUIRE_FRAGMENT;
        assert_int_equal(submit(card.file, &task), 0);
        assert_int_equal(card.mock.slot, 0);
        assert_int_equal(card.mock.config, common | flag);
        assert_int_equal(submit(card.file, &task), 0);
        assert_int_equal(card.mock.config, common);
        assert_int_equal(card.mock.reg[(PANFROST_JS(0) + PANFROST_JS_AFFINITY_NEXT) / 4],
                         card.mock.reg[PANFROST_SHADER_PRESENT / 4]);
        assert_int_equal(job_in(&card, &b)->count, 3);
        assert_int_equal(card.mock.resets, 1);
        assert_int_equal(card.messages, 0);
        card_close(&card);
    }
}

/* Two files: the same addresses, other memory. */
static void test_spaces(void **state)
{
    struct card card;
    struct drm_file *other;
    card_open(&card, 0x860, false);
    assert_int_equal(drm_open(card.drm, DRM_MINOR_RENDER, &other), 0);
    struct buffer mine = make_buffer(card.file, 4096, NOEXEC), theirs = make_buffer(other, 4096, NOEXEC);
    assert_int_equal(mine.address, theirs.address);
    assert_int_equal(run(card.file, &mine), 0);
    assert_int_equal(run(card.file, &mine), 0);
    assert_int_equal(run(other, &theirs), 0);
    assert_int_equal(job_in(&card, &mine)->count, 2);
    assert_int_equal(job_in(&card, &theirs)->count, 1);
    drm_close(other);
    assert_int_equal(run(card.file, &mine), 0);
    assert_int_equal(job_in(&card, &mine)->count, 3);
    close_buffer(card.file, mine.handle); /* no job keeps it at its address */
    assert_int_equal(make_buffer(card.file, 4096, NOEXEC).address, mine.address);
    assert_int_equal(card.messages, 0);
    card_close(&card);
}

/* More files than the device has spaces: each has its own all the same, and one that keeps its space needs no
 * new tables. */
static void test_more_files_than_spaces(void **state)
{
    struct card card;
    struct drm_file *files[3 * MOCK_SPACES];
    struct buffer buffers[3 * MOCK_SPACES];
    card_open(&card, 0x750, false);
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(files); i++) {
        assert_int_equal(drm_open(card.drm, DRM_MINOR_RENDER, &files[i]), 0);
        buffers[i] = make_buffer(files[i], 4096, NOEXEC);
    }
    for (unsigned round = 0; round < 3; round++)
        for (size_t i = 0; i < UTIL_ARRAY_SIZE(files); i++)
            assert_int_equal(run(files[i], &buffers[i]), 0);
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(files); i++)
        assert_int_equal(job_in(&card, &buffers[i])->count, 3);
    uint32_t forgets = card.mock.forgets;
    for (unsigned round = 0; round < 3; round++)
        for (size_t i = 0; i < MOCK_SPACES; i++)
            assert_int_equal(run(files[i], &buffers[i]), 0);
    assert_int_equal(card.mock.forgets - forgets, MOCK_SPACES);
    assert_int_equal(card.messages, 0);
    card_close(&card);
}

/* The MMU is told what has changed: buffers that were not there, and that are not there any more. */
static void test_changes(void **state)
{
    struct card card;
    card_open(&card, 0x860, false);
    struct buffer chain = make_buffer(card.file, 4096, NOEXEC), b = make_buffer(card.file, 4096, NOEXEC);
    struct mock_job *job = job_in(&card, &chain);
    *job = (struct mock_job){.heap = b.address + 4096, .bytes = 4};
    assert_int_equal(run(card.file, &chain), 0); /* nothing there */
    assert_int_equal(card.messages, 2);
    struct buffer c = make_buffer(card.file, 4096, NOEXEC);
    assert_int_equal(c.address, b.address + 4096);
    assert_int_equal(run(card.file, &chain), 0);
    assert_int_equal(job->count, 1);
    assert_int_equal(job_in(&card, &c)->count, 1);
    close_buffer(card.file, c.handle);
    assert_int_equal(run(card.file, &chain), 0);
    assert_int_equal(job->count, 1);
    assert_int_equal(card.messages, 4);
    /* A block in the place of pages, and pages in the place of the block. */
    job->heap = (b.address / BLOCK + 1) * BLOCK;
    for (unsigned round = 0; round < 2; round++) {
        struct buffer pages = make_buffer(card.file, BLOCK - GPU_PAGE, NOEXEC);
        struct buffer more = make_buffer(card.file, BLOCK - GPU_PAGE, NOEXEC);
        assert_int_equal(run(card.file, &chain), 0);
        close_buffer(card.file, pages.handle);
        close_buffer(card.file, more.handle);
        struct buffer block = make_buffer(card.file, BLOCK, NOEXEC);
        assert_int_equal(block.address, job->heap);
        assert_int_equal(run(card.file, &chain), 0);
        assert_int_equal(job_in(&card, &block)->count, 1);
        close_buffer(card.file, block.handle);
    }
    assert_int_equal(job->count, 5);
    assert_int_equal(card.messages, 4);
    card_close(&card);
}

static void test_shared_buffers(void **state)
{
    struct card card;
    struct drm_file *other;
    card_open(&card, 0x860, false);
    assert_int_equal(drm_open(card.drm, DRM_MINOR_RENDER, &other), 0);
    struct buffer mine = make_buffer(card.file, 4096, NOEXEC);
    make_buffer(other, 4096, NOEXEC);
    struct drm_prime_handle prime = {.handle = mine.handle, .flags = DRM_CLOEXEC};
    int fd;
    assert_int_equal(CALL_GIVING(card.file, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime, &fd), 0);
    assert_int_equal(CALL_TAKING(other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime, fd), 0);
    struct panfrost_get_bo_offset get = {.handle = prime.handle};
    assert_int_equal(CALL(other, PANFROST_IOCTL_GET_BO_OFFSET, &get), 0);
    assert_int_not_equal(get.address, mine.address);
    struct buffer theirs = {prime.handle, get.address, mine.offset};
    assert_int_equal(run(other, &theirs), 0);
    assert_int_equal(job_in(&card, &mine)->count, 1);
    /* What two have, neither calls unneeded. */
    struct panfrost_madvise advise = {.handle = mine.handle, .need = PANFROST_DONT_NEED};
    assert_int_equal(CALL(card.file, PANFROST_IOCTL_MADVISE, &advise), -EINVAL);
    close(fd);
    card_close(&card);
}

/* A picture of the display is a buffer like others. */
static void test_dumb_buffer(void **state)
{
    struct card card;
    struct drm_file *node;
    card_open(&card, 0x860, false);
    assert_int_equal(drm_open(card.drm, DRM_MINOR_CARD, &node), 0);
    struct drm_mode_create_dumb dumb = {.width = 1024, .height = 768, .bpp = 32};
    assert_int_equal(CALL(node, DRM_IOCTL_MODE_CREATE_DUMB, &dumb), 0);
    struct panfrost_get_bo_offset get = {.handle = dumb.handle};
    assert_int_equal(CALL(node, PANFROST_IOCTL_GET_BO_OFFSET, &get), 0);
    struct panfrost_mmap_bo map = {.handle = dumb.handle};
    assert_int_equal(CALL(node, PANFROST_IOCTL_MMAP_BO, &map), 0);
    struct buffer b = {dumb.handle, get.address, map.offset};
    assert_int_equal(run(node, &b), 0);
    assert_int_equal(job_in(&card, &b)->count, 1);
    card_close(&card);
}

static void test_rights(void **state)
{
    struct card card;
    card_open(&card, 0x860, false);
    struct buffer chain = make_buffer(card.file, 4096, NOEXEC), data = make_buffer(card.file, 4096, NOEXEC);
    struct buffer code = make_buffer(card.file, 4096, 0), large = make_buffer(card.file, BLOCK, 0);
    struct mock_job *job = job_in(&card, &chain);
    job->program = code.address;
    assert_int_equal(run(card.file, &chain), 0);
    job->program = large.address;
    assert_int_equal(run(card.file, &chain), 0);
    assert_int_equal(job->count, 2);
    assert_int_equal(card.messages, 0);
    job->program = data.address;
    assert_int_equal(run(card.file, &chain), 0);
    assert_int_equal(job->count, 2);
    assert_int_equal(card.messages, 2); /* of the MMU, of the slot */
    card_close(&card);
}

/* ---- heaps ---- */

static void test_heap(void **state)
{
    struct card card;
    card_open(&card, 0x860, false);
    struct buffer chain = make_buffer(card.file, 4096, NOEXEC), heap = make_buffer(card.file, 16 << 20, HEAP);
    struct task task;
    heap_task(&task, &card, &chain, &heap, 5 << 20);
    uint32_t forgets = card.mock.forgets;
    assert_int_equal(submit(card.file, &task), 0);
    assert_int_equal(card.mock.faults, 3); /* of 2 MiB each */
    assert_int_equal(card.mock.forgets - forgets, 4);
    assert_int_equal(submit(card.file, &task), 0);
    assert_int_equal(card.mock.faults, 3); /* it stays as it is */
    heap_task(&task, &card, &chain, &heap, 16 << 20);
    assert_int_equal(submit(card.file, &task), 0);
    assert_int_equal(card.mock.faults, 8);
    assert_int_equal(job_in(&card, &chain)->count, 3);
    assert_int_equal(card.messages, 0);
    /* Its end is an end. */
    heap_task(&task, &card, &chain, &heap, (16 << 20) + 4);
    assert_int_equal(submit(card.file, &task), 0);
    assert_int_equal(job_in(&card, &chain)->count, 3);
    assert_non_null(strstr(card.text, "JOB_BUS_FAULT"));
    card_close(&card);
}

/* A job that does not name the heap does not make it grow; nor does one whose device gives up at once. */
static void test_heap_that_does_not_grow(void **state)
{
    struct card card;
    card_open(&card, 0x860, false);
    struct buffer chain = make_buffer(card.file, 4096, NOEXEC), heap = make_buffer(card.file, 4 << 20, HEAP);
    struct task task;
    heap_task(&task, &card, &chain, &heap, 4 << 20);
    task.submit.bo_handle_count = 1;
    assert_int_equal(submit(card.file, &task), 0);
    assert_int_equal(job_in(&card, &chain)->count, 0);
    assert_int_equal(card.messages, 2);
    card.mock.exception = 0xd8; /* not that a page is missing */
    task.submit.bo_handle_count = 2;
    assert_int_equal(submit(card.file, &task), 0);
    assert_int_equal(job_in(&card, &chain)->count, 0);
    assert_int_equal(card.messages, 4);
    card.mock.exception = 0;
    card.mock.cannot_stand = true;
    assert_int_equal(submit(card.file, &task), 0); /* once it is told, there is memory for the next */
    assert_int_equal(job_in(&card, &chain)->count, 0);
    assert_int_equal(card.messages, 5);
    assert_int_equal(submit(card.file, &task), 0);
    assert_int_equal(submit(card.file, &task), 0);
    assert_int_equal(job_in(&card, &chain)->count, 1);
    card_close(&card);
}

/* Pages where a heap was, a heap where pages were, a heap in two files. */
static void test_heaps_come_and_go(void **state)
{
    struct card card;
    struct drm_file *other;
    card_open(&card, 0x720, false);
    struct buffer chain = make_buffer(card.file, 4096, NOEXEC), heap = {0};
    for (unsigned round = 0; round < 3; round++) {
        struct buffer low = make_buffer(card.file, BLOCK - GPU_PAGE, NOEXEC);
        struct buffer pages = make_buffer(card.file, BLOCK - GPU_PAGE, NOEXEC);
        struct task task;
        heap_task(&task, &card, &chain, &pages, 4);
        assert_int_equal(submit(card.file, &task), 0);
        close_buffer(card.file, low.handle);
        close_buffer(card.file, pages.handle);
        if (round)
            close_buffer(card.file, heap.handle);
        heap = make_buffer(card.file, 4 << 20, HEAP);
        heap_task(&task, &card, &chain, &heap, 4 << 20);
        assert_int_equal(submit(card.file, &task), 0);
        assert_int_equal(job_in(&card, &chain)->count, 2 * round + 2);
    }
    assert_int_equal(drm_open(card.drm, DRM_MINOR_RENDER, &other), 0);
    struct drm_prime_handle prime = {.handle = heap.handle, .flags = DRM_CLOEXEC};
    int fd;
    assert_int_equal(CALL_GIVING(card.file, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime, &fd), 0);
    struct buffer theirs = make_buffer(other, 4096, NOEXEC);
    assert_int_equal(CALL_TAKING(other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime, fd), 0);
    struct panfrost_get_bo_offset get = {.handle = prime.handle};
    assert_int_equal(CALL(other, PANFROST_IOCTL_GET_BO_OFFSET, &get), 0);
    heap = (struct buffer){.handle = prime.handle, .address = get.address};
    struct task task;
    heap_task(&task, &card, &theirs, &heap, 4 << 20);
    assert_int_equal(submit(other, &task), 0);
    assert_int_equal(job_in(&card, &theirs)->count, 1);
    assert_int_equal(card.messages, 0);
    close(fd);
    card_close(&card);
}

/* ---- fences ---- */

static int wait_for(struct card *card, uint32_t handle)
{
    struct panfrost_wait_bo wait = {.handle = handle};
    return CALL(card->file, PANFROST_IOCTL_WAIT_BO, &wait);
}

static void test_fences(void **state)
{
    struct card card;
    struct task task;
    card_open(&card, 0x860, true);
    struct buffer chain = make_buffer(card.file, 4096, NOEXEC), b = make_buffer(card.file, 4096, NOEXEC);
    struct buffer free = make_buffer(card.file, 4096, NOEXEC);
    struct drm_syncobj_create sync[3] = {{0}};
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(sync); i++)
        assert_int_equal(CALL(card.file, DRM_IOCTL_SYNCOBJ_CREATE, &sync[i]), 0);
    make_task(&task, &chain);
    task.handles[task.submit.bo_handle_count++] = b.handle;
    task.submit.out_sync = sync[0].handle;
    assert_int_equal(submit(card.file, &task), 0);
    task.submit.out_sync = sync[1].handle;
    task.submit.requirements = PANFROST_REQUIRE_FRAGMENT;
    assert_int_equal(submit(card.file, &task), 0);
    assert_int_equal(wait_for(&card, chain.handle), -ETIME);
    assert_int_equal(wait_for(&card, b.handle), -ETIME);
    assert_int_equal(wait_for(&card, free.handle), 0);
    struct drm_syncobj_wait wait = {.handles = (uintptr_t)&sync[1].handle, .count_handles = 1};
    assert_int_equal(CALL(card.file, DRM_IOCTL_SYNCOBJ_WAIT, &wait), -ETIME);
    /* One that waits for both, by two objects. */
    uint32_t both[2] = {sync[0].handle, sync[1].handle};
    task.submit.in_syncs = (uintptr_t)both;
    task.submit.in_sync_count = 2;
    task.submit.out_sync = sync[2].handle;
    assert_int_equal(submit(card.file, &task), 0);
    close_buffer(card.file, b.handle); /* before any has run */
    assert_int_equal(job_in(&card, &chain)->count, 0);
    assert_true(drm_work(card.drm));
    assert_int_equal(job_in(&card, &chain)->count, 3);
    assert_int_equal(wait_for(&card, chain.handle), 0);
    wait.handles = (uintptr_t)&sync[2].handle;
    assert_int_equal(CALL(card.file, DRM_IOCTL_SYNCOBJ_WAIT, &wait), 0);
    card_close(&card);
}

/* Two files of the card's node, which may know buffers by name. */
static void open_nodes(struct card *card, struct drm_file **master, struct drm_file **other)
{
    struct drm_auth magic = {0};
    assert_int_equal(drm_open(card->drm, DRM_MINOR_CARD, master), 0);
    assert_int_equal(drm_open(card->drm, DRM_MINOR_CARD, other), 0);
    assert_int_equal(CALL(*other, DRM_IOCTL_GET_MAGIC, &magic), 0);
    assert_int_equal(CALL(*master, DRM_IOCTL_AUTH_MAGIC, &magic), 0);
}

static uint32_t open_name(struct drm_file *file, uint32_t name, uint64_t *address)
{
    struct drm_gem_open open_it = {.name = name};
    assert_int_equal(CALL(file, DRM_IOCTL_GEM_OPEN, &open_it), 0);
    struct panfrost_get_bo_offset get = {.handle = open_it.handle};
    assert_int_equal(CALL(file, PANFROST_IOCTL_GET_BO_OFFSET, &get), 0);
    *address = get.address;
    return open_it.handle;
}

/* A buffer whose handle is closed while a job is to use it, and that comes back meanwhile, has not moved, and
 * stays when the job is done. */
static void test_buffer_that_comes_back(void **state)
{
    struct card card;
    struct drm_file *master, *other;
    uint64_t elsewhere, address;
    card_open(&card, 0x860, true);
    open_nodes(&card, &master, &other);
    struct buffer b = make_buffer(master, 4096, NOEXEC);
    struct drm_gem_flink flink = {.handle = b.handle};
    assert_int_equal(CALL(master, DRM_IOCTL_GEM_FLINK, &flink), 0);
    open_name(other, flink.name, &elsewhere);
    assert_int_equal(run(master, &b), 0);
    close_buffer(master, b.handle);
    make_buffer(master, 4096, NOEXEC);
    b.handle = open_name(master, flink.name, &address);
    assert_int_equal(address, b.address);
    assert_true(drm_work(card.drm));
    assert_int_equal(run(master, &b), 0);
    assert_true(drm_work(card.drm));
    assert_int_equal(job_in(&card, &b)->count, 2);
    assert_int_equal(card.messages, 0);
    card_close(&card);
}

/* ---- a program beside the device ---- */

static void *work(void *data)
{
    struct card *card = data;
    while (!__atomic_load_n(&card->done, __ATOMIC_ACQUIRE))
        if (!drm_work(card->drm))
            usleep(10);
    return NULL;
}

/* Buffers are made and closed while chains run, heaps grow, and other files' chains take the spaces. */
static void test_beside(void **state)
{
    struct card card;
    struct drm_file *files[2 * MOCK_SPACES];
    struct buffer chain[2 * MOCK_SPACES], heap[2 * MOCK_SPACES];
    pthread_t thread;
    card_open(&card, 0x860, true);
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(files); n++) {
        assert_int_equal(drm_open(card.drm, DRM_MINOR_RENDER, &files[n]), 0);
        chain[n] = make_buffer(files[n], 4096, NOEXEC);
        heap[n] = make_buffer(files[n], 4 << 20, HEAP);
    }
    assert_int_equal(pthread_create(&thread, NULL, work, &card), 0);
    for (unsigned i = 0; i < 2000; i++) {
        size_t n = i % UTIL_ARRAY_SIZE(files);
        struct task task;
        struct buffer target = i % 3 ? make_buffer(files[n], (i % 5 + 1) * 4096, NOEXEC) : heap[n];
        struct panfrost_wait_bo wait = {.handle = chain[n].handle};
        while (CALL(files[n], PANFROST_IOCTL_WAIT_BO, &wait) == -ETIME)
            usleep(10);
        assert_int_equal(job_in(&card, &chain[n])->count, i / UTIL_ARRAY_SIZE(files));
        heap_task(&task, &card, &chain[n], &target, i % 3 ? 4096 : (i % 7 + 1) << 19);
        assert_int_equal(submit(files[n], &task), 0);
        if (i % 3)
            close_buffer(files[n], target.handle);
    }
    __atomic_store_n(&card.done, true, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    drm_work(card.drm);
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(files); n++)
        assert_int_equal(job_in(&card, &chain[n])->count, 2000 / UTIL_ARRAY_SIZE(files));
    assert_int_equal(card.messages, 0);
    card_close(&card);
}

/* ---- purging ---- */

static uint32_t retained(struct card *card, uint32_t handle, uint32_t need)
{
    struct panfrost_madvise advise = {.handle = handle, .need = need, .retained = 7};
    assert_int_equal(CALL(card->file, PANFROST_IOCTL_MADVISE, &advise), 0);
    return advise.retained;
}

static void test_purging(void **state)
{
    struct card card;
    card_open(&card, 0x860, false);
    struct buffer chain = make_buffer(card.file, 4096, NOEXEC), kept = make_buffer(card.file, BLOCK, NOEXEC);
    struct buffer small = make_buffer(card.file, 4096, NOEXEC);
    struct buffer large = make_buffer(card.file, 96 << 20, NOEXEC);
    assert_int_equal(retained(&card, kept.handle, PANFROST_DONT_NEED), 1);
    assert_int_equal(retained(&card, kept.handle, PANFROST_WILL_NEED), 1);
    assert_int_equal(retained(&card, small.handle, PANFROST_DONT_NEED), 1);
    assert_int_equal(retained(&card, large.handle, PANFROST_DONT_NEED), 1);
    struct mock_job *job = job_in(&card, &chain);
    *job = (struct mock_job){.heap = large.address, .bytes = 4};
    struct task task;
    make_task(&task, &chain);
    task.handles[task.submit.bo_handle_count++] = large.handle;
    assert_int_equal(submit(card.file, &task), 0);
    assert_int_equal(job->count, 1);
    struct buffer instead = make_buffer(card.file, 96 << 20, NOEXEC);
    assert_int_equal(retained(&card, kept.handle, PANFROST_WILL_NEED), 1);
    assert_int_equal(retained(&card, small.handle, PANFROST_WILL_NEED), 0);
    assert_int_equal(retained(&card, large.handle, PANFROST_WILL_NEED), 0);
    /* Its memory is another's: what stands at its address is nothing. */
    assert_int_equal(submit(card.file, &task), 0);
    assert_int_equal(job->count, 1);
    assert_non_null(strstr(card.text, "JOB_BUS_FAULT"));
    assert_int_equal(job_in(&card, &instead)->count, 0);
    close_buffer(card.file, large.handle);
    assert_int_equal(make_buffer(card.file, 4096, NOEXEC).offset, small.offset);
    card_close(&card);
}

/* Nor is there anything in the addresses of a file that gets to it later. */
static void test_purged_buffer_by_name(void **state)
{
    struct card card;
    struct drm_file *master, *other;
    card_open(&card, 0x860, false);
    open_nodes(&card, &master, &other);
    struct buffer large = make_buffer(master, 96 << 20, NOEXEC);
    struct drm_gem_flink flink = {.handle = large.handle};
    assert_int_equal(CALL(master, DRM_IOCTL_GEM_FLINK, &flink), 0);
    struct panfrost_madvise advise = {.handle = large.handle, .need = PANFROST_DONT_NEED};
    assert_int_equal(CALL(master, PANFROST_IOCTL_MADVISE, &advise), 0);
    make_buffer(master, 96 << 20, NOEXEC);
    uint64_t address;
    open_name(other, flink.name, &address);
    struct buffer chain = make_buffer(other, 4096, NOEXEC);
    *job_in(&card, &chain) = (struct mock_job){.heap = address + (1 << 20), .bytes = 4};
    assert_int_equal(run(other, &chain), 0);
    assert_non_null(strstr(card.text, "JOB_BUS_FAULT"));
    card_close(&card);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots),
        cmocka_unit_test(test_spaces),
        cmocka_unit_test(test_more_files_than_spaces),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_shared_buffers),
        cmocka_unit_test(test_dumb_buffer),
        cmocka_unit_test(test_rights),
        cmocka_unit_test(test_heap),
        cmocka_unit_test(test_heap_that_does_not_grow),
        cmocka_unit_test(test_heaps_come_and_go),
        cmocka_unit_test(test_fences),
        cmocka_unit_test(test_buffer_that_comes_back),
        cmocka_unit_test(test_beside),
        cmocka_unit_test(test_purging),
        cmocka_unit_test(test_purged_buffer_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
