/* Tasks of the lima driver on a device: address spaces, heaps that grow, what goes wrong, fences, recording.
 */
#include "tests/drm/lima_card.h"

/* ---- what runs ---- */

/* Two files: the same addresses, other memory. */
static void test_spaces(void **state)
{
    struct card card;
    struct drm_file *other;
    struct lima_gem_info mine, theirs;
    struct task task;
    card_open(&card, false, false);
    assert_int_equal(drm_open(card.drm, DRM_MINOR_RENDER, &other), 0);
    make_buffer(card.file, 4096, 0, &mine);
    make_buffer(other, 4096, 0, &theirs);
    assert_int_equal(mine.address, theirs.address);
    make_gp(&task, card.context, &mine);
    assert_int_equal(submit(card.file, &task), 0);
    assert_int_equal(submit(card.file, &task), 0);
    make_gp(&task, make_context(other), &theirs);
    assert_int_equal(submit(other, &task), 0);
    assert_int_equal(word_of(&card, &mine, 0), 2);
    assert_int_equal(word_of(&card, &theirs, 0), 1);
    /* What one file closes, the other keeps; the space of a closed file is gone. */
    drm_close(other);
    assert_int_equal(submit(card.file, &task), 0);
    assert_int_equal(word_of(&card, &mine, 0), 3);
    assert_int_equal(card.messages, 0);
    card_close(&card);
}

static void test_shared_buffers(void **state)
{
    struct card card;
    struct drm_file *other;
    struct lima_gem_info mine, filler, theirs;
    struct task task;
    card_open(&card, false, false);
    assert_int_equal(drm_open(card.drm, DRM_MINOR_RENDER, &other), 0);
    make_buffer(card.file, 4096, 0, &mine);
    make_buffer(other, 4096, 0, &filler);
    struct drm_prime_handle prime = {.handle = mine.handle, .flags = DRM_CLOEXEC};
    int fd;
    assert_int_equal(CALL_GIVING(card.file, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime, &fd), 0);
    assert_int_equal(CALL_TAKING(other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime, fd), 0);
    theirs = (struct lima_gem_info){.handle = prime.handle};
    assert_int_equal(CALL(other, LIMA_IOCTL_GEM_INFO, &theirs), 0);
    assert_int_equal(theirs.offset, mine.offset);
    assert_int_not_equal(theirs.address, mine.address);
    make_gp(&task, make_context(other), &theirs);
    assert_int_equal(submit(other, &task), 0);
    assert_int_equal(word_of(&card, &mine, 0), 1);
    close(fd);
    card_close(&card);
}

static void test_fragments(void **state)
{
    for (int is_450 = 0; is_450 < 2; is_450++) {
        struct card card;
        struct lima_gem_info info;
        struct task task;
        card_open(&card, is_450, false);
        make_buffer(card.file, 4096, 0, &info);
        make_pp(&task, &card, &info);
        assert_int_equal(submit(card.file, &task), 0);
        for (uint32_t i = 0; i < card.mock.pp_count; i++)
            assert_int_equal(word_of(&card, &info, 4 * i), 1);
        task.mali400.pp_count = 1; /* the others rest */
        assert_int_equal(submit(card.file, &task), 0);
        assert_int_equal(word_of(&card, &info, 0), 2);
        assert_int_equal(word_of(&card, &info, 4), 1);
        assert_int_equal(card.messages, 0);
        card_close(&card);
    }
}

/* The unit that shares tiles out has a page in every space, and its registers are the frame's. */
static void test_dlbu(void **state)
{
    struct card card;
    struct lima_gem_info info;
    struct task task;
    card_open(&card, true, false);
    make_buffer(card.file, 4096, 0, &info);
    make_pp(&task, &card, &info);
    task.mali450.use_dlbu = 1;
    for (uint32_t i = 0; i < 4; i++)
        task.mali450.dlbu[i] = 0x100 + i;
    assert_int_equal(submit(card.file, &task), 0);
    uint32_t page = card.mock.reg[LIMA_450_DLBU / 4];
    assert_int_equal(page & 0xfff, 1);
    assert_int_equal(util_load32(card.memory.base + (page & ~0xfffu)), card.mock.pp_count);
    assert_int_equal(card.mock.reg[(LIMA_450_DLBU + LIMA_DLBU_VIRTUAL) / 4], 0xfff00000);
    assert_int_equal(card.mock.reg[(LIMA_450_DLBU + LIMA_DLBU_PP_MASK) / 4], 0x3f);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(card.mock.reg[(LIMA_450_DLBU + LIMA_DLBU_FRAME) / 4 + i], 0x100 + i);
    task.mali450.pad = 1;
    assert_int_equal(submit(card.file, &task), -EINVAL);
    card_close(&card);
}

/* ---- heaps ---- */

static void make_heap_task(struct task *task, const struct card *card, const struct lima_gem_info *info,
                           const struct lima_gem_info *heap)
{
    make_gp(task, card->context, info);
    task->gp.registers[4] = heap->address;
    task->gp.registers[5] = heap->address + (16u << 20);
    task->buffer[1] = (struct lima_submit_buffer){heap->handle, LIMA_BUFFER_WRITE};
    task->submit.buffer_count = 2;
}

static void test_heap(void **state)
{
    struct card card;
    struct lima_gem_info info, heap;
    struct task task;
    card_open(&card, false, false);
    make_buffer(card.file, 4096, 0, &info);
    make_buffer(card.file, 16 << 20, LIMA_CREATE_HEAP, &heap);
    make_heap_task(&task, &card, &info, &heap);
    card.mock.heap = 32 << 10; /* what there is at first */
    assert_int_equal(submit(card.file, &task), 0);
    assert_int_equal(card.mock.grown, 0);
    card.mock.heap = (1 << 20) + 4;
    assert_int_equal(submit(card.file, &task), 0);
    assert_int_equal(card.mock.grown, 6); /* from 32 KiB to 2 MiB */
    assert_int_equal(word_of(&card, &heap, 1 << 20), 1);
    assert_int_equal(submit(card.file, &task), 0); /* stays as large as it is */
    assert_int_equal(card.mock.grown, 6);
    card.mock.heap = 16 << 20;
    assert_int_equal(submit(card.file, &task), 0);
    assert_int_equal(card.mock.grown, 9);
    assert_int_equal(word_of(&card, &info, 0), 4);
    assert_int_equal(card.messages, 0);
    /* A heap that the frame does not start at does not grow. */
    card.mock.heap = (16 << 20) + 4;
    assert_int_equal(submit(card.file, &task), 0);
    assert_non_null(strstr(card.text, "heap"));
    assert_int_equal(word_of(&card, &info, 0), 4);
    card_close(&card);
}

/* ---- what goes wrong ---- */

static void test_guilty_context(void **state)
{
    struct card card;
    struct lima_gem_info info;
    struct task task;
    card_open(&card, false, false);
    make_buffer(card.file, 4096, 0, &info);
    make_gp(&task, card.context, &info);
    card.mock.hangs = true;
    assert_int_equal(submit(card.file, &task), 0);
    assert_non_null(strstr(card.text, "did not end"));
    card.mock.hangs = false;
    assert_int_equal(submit(card.file, &task), 0); /* accepted, not run */
    assert_int_equal(card.mock.starts, 1);
    task.submit.context = make_context(card.file);
    assert_int_equal(submit(card.file, &task), 0);
    assert_int_equal(word_of(&card, &info, 0), 1);
    assert_int_equal(card.messages, 1);
    card_close(&card);
}

static void test_page_fault(void **state)
{
    struct card card;
    struct lima_gem_info info;
    struct task task;
    card_open(&card, false, false);
    make_buffer(card.file, 4096, 0, &info);
    make_pp(&task, &card, &info);
    task.mali400.list[1] = 0xdeadb000;
    assert_int_equal(submit(card.file, &task), 0);
    assert_int_equal(card.messages, 2);
    assert_non_null(strstr(card.text, "page fault"));
    make_pp(&task, &card, &info);
    task.submit.context = make_context(card.file);
    assert_int_equal(submit(card.file, &task), 0); /* the MMU works again */
    assert_int_equal(word_of(&card, &info, 4), 1);
    assert_int_equal(card.messages, 2);
    card_close(&card);
}

/* ---- fences ---- */

static int wait_for(struct card *card, uint32_t handle, uint32_t op)
{
    struct lima_gem_wait wait = {.handle = handle, .op = op};
    return CALL(card->file, LIMA_IOCTL_GEM_WAIT, &wait);
}

static void test_fences(void **state)
{
    struct card card;
    struct lima_gem_info read, written;
    struct task task;
    card_open(&card, false, true);
    make_buffer(card.file, 4096, 0, &written);
    make_buffer(card.file, 4096, 0, &read);
    struct drm_syncobj_create sync = {0};
    assert_int_equal(CALL(card.file, DRM_IOCTL_SYNCOBJ_CREATE, &sync), 0);
    make_gp(&task, card.context, &written);
    task.buffer[1] = (struct lima_submit_buffer){read.handle, LIMA_BUFFER_READ};
    task.submit.buffer_count = 2;
    task.submit.in_sync[0] = sync.handle;
    assert_int_equal(submit(card.file, &task), -EINVAL); /* no fence in it */
    task.submit.in_sync[0] = 0;
    task.submit.out_sync = sync.handle;
    assert_int_equal(submit(card.file, &task), 0);
    assert_int_equal(wait_for(&card, written.handle, LIMA_WAIT_READ), -ETIME);
    assert_int_equal(wait_for(&card, read.handle, LIMA_WAIT_READ), 0);
    assert_int_equal(wait_for(&card, read.handle, LIMA_WAIT_WRITE), -ETIME);
    struct drm_syncobj_wait wait = {.handles = (uintptr_t)&sync.handle, .count_handles = 1};
    assert_int_equal(CALL(card.file, DRM_IOCTL_SYNCOBJ_WAIT, &wait), -ETIME);
    /* A task that depends on it, and the end of a buffer and of the context before either has run. */
    task.submit.out_sync = 0;
    task.submit.in_sync[1] = sync.handle;
    assert_int_equal(submit(card.file, &task), 0);
    struct drm_gem_close close_it = {.handle = read.handle};
    assert_int_equal(CALL(card.file, DRM_IOCTL_GEM_CLOSE, &close_it), 0);
    struct lima_context context = {.id = card.context};
    assert_int_equal(CALL(card.file, LIMA_IOCTL_CTX_FREE, &context), 0);
    assert_int_equal(word_of(&card, &written, 0), 0);
    assert_true(drm_work(card.drm));
    assert_int_equal(word_of(&card, &written, 0), 2);
    assert_int_equal(wait_for(&card, written.handle, LIMA_WAIT_WRITE), 0);
    assert_int_equal(CALL(card.file, DRM_IOCTL_SYNCOBJ_WAIT, &wait), 0);
    card_close(&card);
}

/* A file that closes with tasks in the queue: they run in its space. */
static void test_close_with_tasks(void **state)
{
    struct card card;
    struct lima_gem_info info;
    struct task task;
    card_open(&card, false, true);
    make_buffer(card.file, 4096, 0, &info);
    make_gp(&task, card.context, &info);
    assert_int_equal(submit(card.file, &task), 0);
    drm_close(card.file);
    assert_true(drm_work(card.drm));
    assert_int_equal(card.mock.starts, 1);
    assert_int_equal(card.messages, 0);
    card_close(&card);
}

/* ---- recording ---- */

/* Plays a capture on another mock, which asks for as much heap. */
static void play(const char *path, struct gpu_memory *memory, struct mock *mock, bool is_450, uint32_t heap)
{
    struct capture_reader *reader;
    struct capture_event event;
    assert_int_equal(gpu_memory_create(MEMORY, memory), 0);
    struct gpu_device gpu = mock_gpu(mock, memory, is_450);
    mock->heap = heap;
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

/* A capture alone brings the device to do the same, page tables, growth and all. */
static void test_recording(void **state)
{
    for (int is_450 = 0; is_450 < 2; is_450++) {
        struct card card;
        struct lima_gem_info info, heap;
        struct task task;
        struct capture_writer *capture;
        struct gpu_memory memory;
        static struct mock mock;
        char path[] = "/tmp/test_drm_lima-XXXXXX";
        close(mkstemp(path));
        assert_int_equal(
            capture_writer_create(path, is_450 ? "mali450" : "mali400", "test", MEMORY, &capture, NULL), 0);
        card_open_recording(&card, is_450, false, capture);
        make_buffer(card.file, 4096, 0, &info);
        make_buffer(card.file, 16 << 20, LIMA_CREATE_HEAP, &heap);
        make_heap_task(&task, &card, &info, &heap);
        card.mock.heap = 1 << 20;
        assert_int_equal(submit(card.file, &task), 0);
        make_pp(&task, &card, &info);
        assert_int_equal(submit(card.file, &task), 0);
        assert_int_equal(card.mock.grown, 5);
        assert_int_equal(capture_flush(capture), 0);
        play(path, &memory, &mock, is_450, 1 << 20);
        assert_int_equal(mock.grown, 5);
        assert_int_equal(mock.starts, card.mock.starts);
        assert_memory_equal(memory.base + info.offset, card.memory.base + info.offset, 4096);
        assert_memory_equal(memory.base + heap.offset, card.memory.base + heap.offset, 16 << 20);
        unlink(path);
        gpu_memory_destroy(&memory);
        card_close(&card);
        assert_int_equal(capture_writer_close(capture), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spaces),
        cmocka_unit_test(test_shared_buffers),
        cmocka_unit_test(test_fragments),
        cmocka_unit_test(test_dlbu),
        cmocka_unit_test(test_heap),
        cmocka_unit_test(test_guilty_context),
        cmocka_unit_test(test_page_fault),
        cmocka_unit_test(test_fences),
        cmocka_unit_test(test_close_with_tasks),
        cmocka_unit_test(test_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
