/* The lima driver's ioctls: what is accepted reaches the device's registers, what is not is refused with the
 * kernel's errno (lima_drv.c, lima_gem.c, lima_gp.c, lima_pp.c). */
#include "tests/unit/lima_mock.h"

#define MEMORY (128u << 20)

struct card {
    struct gpu_memory memory;
    struct mock mock;
    struct drm *drm;
    struct drm_file *file;
    uint32_t context;
    unsigned messages;
    char text[256];
};

static const struct drm_user user = {NULL, UINT64_MAX, NULL};
#define CALL(file, request, argument) drm_ioctl(file, request, argument, &user)

static void on_message(void *data, const char *text)
{
    struct card *card = data;
    card->messages++;
    snprintf(card->text, sizeof card->text, "%s", text);
}

static uint32_t make_context(struct drm_file *file)
{
    struct lima_context create = {0};
    assert_int_equal(CALL(file, LIMA_IOCTL_CTX_CREATE, &create), 0);
    return create.id;
}

static void card_open_recording(struct card *card, bool is_450, bool asynchronous,
                                struct capture_writer *capture)
{
    memset(card, 0, sizeof *card);
    assert_int_equal(gpu_memory_create(MEMORY, &card->memory), 0);
    struct drm_options options = {.gpu = mock_gpu(&card->mock, &card->memory, is_450),
                                  .asynchronous = asynchronous,
                                  .capture = capture,
                                  .listener = {card, NULL, on_message}};
    assert_int_equal(drm_create(&card->memory, &options, &card->drm), 0);
    assert_int_equal(drm_open(card->drm, DRM_MINOR_RENDER, &card->file), 0);
    card->context = make_context(card->file);
    assert_int_equal(card->messages, 0);
}

static void card_open(struct card *card, bool is_450, bool asynchronous)
{
    card_open_recording(card, is_450, asynchronous, NULL);
}

static void card_close(struct card *card)
{
    drm_destroy(card->drm);
    gpu_memory_destroy(&card->memory);
}

static uint32_t make_buffer(struct drm_file *file, uint32_t size, uint32_t flags, struct lima_gem_info *info)
{
    struct lima_gem_create create = {.size = size, .flags = flags};
    assert_int_equal(CALL(file, LIMA_IOCTL_GEM_CREATE, &create), 0);
    *info = (struct lima_gem_info){.handle = create.handle};
    assert_int_equal(CALL(file, LIMA_IOCTL_GEM_INFO, info), 0);
    return create.handle;
}

static uint32_t word_of(const struct card *card, const struct lima_gem_info *info, uint32_t at)
{
    return util_load32(card->memory.base + info->offset + at);
}

/* ---- tasks ---- */

struct task {
    struct lima_submit_buffer buffer[2];
    union {
        struct lima_gp_frame gp;
        struct lima_mali400_frame mali400;
        struct lima_mali450_frame mali450;
    };
    struct lima_gem_submit submit;
};

/* A task of the GP that counts in the buffer's first word. */
static void make_gp(struct task *task, uint32_t context, const struct lima_gem_info *info)
{
    *task = (struct task){.buffer = {{info->handle, LIMA_BUFFER_WRITE}}};
    task->gp.registers[0] = info->address;
    task->gp.registers[1] = info->address + 16;
    task->submit = (struct lima_gem_submit){.context = context,
                                            .pipe = LIMA_PIPE_GP,
                                            .buffer_count = 1,
                                            .frame_size = sizeof task->gp,
                                            .buffers = (uintptr_t)task->buffer,
                                            .frame = (uintptr_t)&task->gp};
}

/* A task of all PPs, each of which counts in a word of its own. */
static void make_pp(struct task *task, const struct card *card, const struct lima_gem_info *info)
{
    make_gp(task, card->context, info);
    memset(&task->mali450, 0, sizeof task->mali450);
    task->submit.pipe = LIMA_PIPE_PP;
    task->submit.frame_size = card->mock.is_450 ? sizeof task->mali450 : sizeof task->mali400;
    task->submit.frame = (uintptr_t)&task->mali400;
    uint32_t *list = card->mock.is_450 ? task->mali450.list : task->mali400.list;
    task->mali400.pp_count = card->mock.pp_count; /* at the same place in both */
    for (uint32_t i = 0; i < card->mock.pp_count; i++)
        list[i] = info->address + 4 * i;
}

static int submit(struct drm_file *file, struct task *task)
{
    return CALL(file, LIMA_IOCTL_GEM_SUBMIT, &task->submit);
}

/* ---- parameters and buffers ---- */

static uint64_t param(struct card *card, uint32_t which)
{
    struct lima_get_param get = {.param = which};
    assert_int_equal(CALL(card->file, LIMA_IOCTL_GET_PARAM, &get), 0);
    return get.value;
}

static void test_parameters(void **state)
{
    for (int is_450 = 0; is_450 < 2; is_450++) {
        struct card card;
        card_open(&card, is_450, false);
        assert_int_equal(param(&card, LIMA_PARAM_GPU_ID), is_450 ? LIMA_GPU_MALI450 : LIMA_GPU_MALI400);
        assert_int_equal(param(&card, LIMA_PARAM_NUM_PP), is_450 ? 6 : 2);
        assert_int_equal(param(&card, LIMA_PARAM_GP_VERSION) >> 16, is_450 ? 0xd07 : 0xb07);
        assert_int_equal(param(&card, LIMA_PARAM_PP_VERSION) >> 16, is_450 ? 0xcf07 : 0xcd07);
        struct lima_get_param bad = {.param = 4};
        assert_int_equal(CALL(card.file, LIMA_IOCTL_GET_PARAM, &bad), -EINVAL);
        bad = (struct lima_get_param){.pad = 1};
        assert_int_equal(CALL(card.file, LIMA_IOCTL_GET_PARAM, &bad), -EINVAL);
        char name[8] = "";
        struct drm_version version = {.name_len = sizeof name, .name = name};
        assert_int_equal(CALL(card.file, DRM_IOCTL_VERSION, &version), 0);
        assert_memory_equal(name, "lima", 4);
        assert_true(version.version_major == 1 && version.version_minor == 1);
        card_close(&card);
    }
}

static void test_devices_that_are_none(void **state)
{
    struct gpu_memory memory;
    static struct mock mock;
    struct drm *drm;
    assert_int_equal(gpu_memory_create(MEMORY, &memory), 0);
    struct drm_options options = {.gpu = mock_gpu(&mock, &memory, false)};
    options.gpu.name = "mali200";
    assert_int_equal(drm_create(&memory, &options, &drm), -ENODEV);
    options.gpu = mock_gpu(&mock, &memory, false);
    mock.no_mmu = true;
    assert_int_equal(drm_create(&memory, &options, &drm), -ENODEV);
    options.gpu = mock_gpu(&mock, &memory, false);
    mock.reg[(LIMA_PP(0) + LIMA_PP_VERSION) / 4] = 0;
    assert_int_equal(drm_create(&memory, &options, &drm), -ENODEV);
    gpu_memory_destroy(&memory);
}

static void test_buffers(void **state)
{
    struct card card;
    struct lima_gem_info one, two, heap;
    card_open(&card, false, false);
    make_buffer(card.file, 5000, 0, &one);
    make_buffer(card.file, 1, 0, &two);
    make_buffer(card.file, 16 << 20, LIMA_CREATE_HEAP, &heap);
    assert_true(one.address && one.address % GPU_PAGE == 0 && one.address + 8192 <= two.address);
    assert_int_equal(drm_check_mmap(card.file, one.offset, 8192, true), 0);
    assert_int_not_equal(drm_check_mmap(card.file, heap.offset, 4096, false), 0);
    static const struct lima_gem_create bad[] = {{.size = 0}, {.size = 1, .flags = 2}, {.size = 1, .pad = 1}};
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(bad); i++) {
        struct lima_gem_create create = bad[i];
        assert_int_equal(CALL(card.file, LIMA_IOCTL_GEM_CREATE, &create), -EINVAL);
    }
    struct lima_gem_create large = {.size = UINT32_MAX};
    assert_int_equal(CALL(card.file, LIMA_IOCTL_GEM_CREATE, &large), -ENOMEM);
    struct lima_gem_info unknown = {.handle = 99};
    assert_int_equal(CALL(card.file, LIMA_IOCTL_GEM_INFO, &unknown), -ENOENT);
    /* An address is free again when its buffer is gone. */
    struct drm_gem_close close_it = {.handle = one.handle};
    assert_int_equal(CALL(card.file, DRM_IOCTL_GEM_CLOSE, &close_it), 0);
    uint32_t address = one.address;
    make_buffer(card.file, 8192, 0, &one);
    assert_int_equal(one.address, address);
    card_close(&card);
}

/* ---- what is refused ---- */

static void test_refused_submits(void **state)
{
    struct card card;
    struct lima_gem_info info;
    struct task task;
    card_open(&card, false, false);
    make_buffer(card.file, 4096, 0, &info);
#define REFUSED(change, error)                                                                               \
    make_gp(&task, card.context, &info);                                                                     \
    change;                                                                                                  \
    assert_int_equal(submit(card.file, &task), error)
    REFUSED(task.submit.pipe = 2, -EINVAL);
    REFUSED(task.submit.buffer_count = 0, -EINVAL);
    REFUSED(task.submit.flags = 2, -EINVAL);
    REFUSED(task.submit.frame_size = 20, -EINVAL);
    REFUSED(task.submit.buffers = 0, -EFAULT);
    REFUSED(task.submit.frame = 0, -EFAULT);
    REFUSED(task.submit.context = 1, -ENOENT);
    REFUSED(task.submit.context = UINT32_MAX, -ENOENT);
    REFUSED(task.buffer[0].handle = 99, -ENOENT);
    REFUSED(task.submit.out_sync = 7, -ENOENT);
    REFUSED(task.submit.in_sync[1] = 7, -ENOENT);
    REFUSED((task.buffer[1] = task.buffer[0], task.submit.buffer_count = 2), -EALREADY);
    REFUSED(task.submit.buffer_count = UINT32_MAX, -ENOMEM);
    REFUSED(task.gp.registers[1] = 0, -EINVAL);                    /* ends before it starts */
    REFUSED(task.gp.registers[1] = task.gp.registers[0], -EINVAL); /* does nothing */
    REFUSED(task.gp.registers[4] = 1, -EINVAL);
#undef REFUSED
    static const uint32_t counts[] = {0, 3, UINT32_MAX};
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(counts); i++) {
        make_pp(&task, &card, &info);
        task.mali400.pp_count = counts[i];
        assert_int_equal(submit(card.file, &task), -EINVAL);
    }
    assert_int_equal(card.mock.starts, 0);
    struct lima_context none = {.id = 5}, padded = {.pad = 1};
    assert_int_equal(CALL(card.file, LIMA_IOCTL_CTX_FREE, &none), -EINVAL);
    assert_int_equal(CALL(card.file, LIMA_IOCTL_CTX_FREE, &padded), -EINVAL);
    struct lima_gem_wait wait = {.handle = info.handle, .op = 4};
    assert_int_equal(CALL(card.file, LIMA_IOCTL_GEM_WAIT, &wait), -EINVAL);
    wait = (struct lima_gem_wait){.handle = 99, .op = 1};
    assert_int_equal(CALL(card.file, LIMA_IOCTL_GEM_WAIT, &wait), -EINVAL);
    wait.op = 0;
    assert_int_equal(CALL(card.file, LIMA_IOCTL_GEM_WAIT, &wait), 0);
    card_close(&card);
}

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
    assert_int_equal(CALL(card.file, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime), 0);
    assert_int_equal(CALL(other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime), 0);
    theirs = (struct lima_gem_info){.handle = prime.handle};
    assert_int_equal(CALL(other, LIMA_IOCTL_GEM_INFO, &theirs), 0);
    assert_int_equal(theirs.offset, mine.offset);
    assert_int_not_equal(theirs.address, mine.address);
    make_gp(&task, make_context(other), &theirs);
    assert_int_equal(submit(other, &task), 0);
    assert_int_equal(word_of(&card, &mine, 0), 1);
    close(prime.fd);
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
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_devices_that_are_none),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_refused_submits),
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
