/* A card with a mock of a Mali behind it, a file, and chains for it. */
#ifndef VITRAIL_TESTS_DRM_PANFROST_CARD_H
#define VITRAIL_TESTS_DRM_PANFROST_CARD_H

#include "tests/drm/call.h"
#include "tests/drm/panfrost_mock.h"

#define MEMORY (128u << 20)
#define NOEXEC PANFROST_BO_NOEXEC
#define HEAP   (PANFROST_BO_NOEXEC | PANFROST_BO_HEAP)
#define BLOCK  (2u << 20)

static const uint32_t products[] = {0x720, 0x750, 0x860, 0x6221, 0x7093, 0x7212, 0x9093};

struct card {
    struct gpu_memory memory;
    struct mock mock;
    struct drm *drm;
    struct drm_file *file;
    unsigned messages;
    bool done; /* for whoever works beside the test */
    char text[256];
};

static inline void on_message(void *data, const char *text)
{
    struct card *card = data;
    card->messages++;
    snprintf(card->text, sizeof card->text, "%s", text);
}

/* What is not set of `options` is filled in. */
static inline void card_open_with(struct card *card, uint32_t product, struct drm_options options)
{
    memset(card, 0, sizeof *card);
    assert_int_equal(gpu_memory_create(MEMORY, &card->memory), 0);
    options.gpu = mock_gpu(&card->mock, &card->memory, product);
    options.listener = (struct drm_listener){card, NULL, on_message};
    assert_int_equal(drm_create(&card->memory, &options, &card->drm), 0);
    assert_int_equal(drm_open(card->drm, DRM_MINOR_RENDER, &card->file), 0);
    assert_int_equal(card->messages, 0);
}

static inline void card_open(struct card *card, uint32_t product, bool asynchronous)
{
    card_open_with(card, product, (struct drm_options){.asynchronous = asynchronous});
}

static inline void card_close(struct card *card)
{
    drm_destroy(card->drm);
    gpu_memory_destroy(&card->memory);
}

/* A buffer: its handle, the GPU's address, where it stands in memory. */
struct buffer {
    uint32_t handle;
    uint64_t address, offset;
};

static inline struct buffer make_buffer(struct drm_file *file, uint32_t size, uint32_t flags)
{
    struct panfrost_create_bo create = {.size = size, .flags = flags};
    assert_int_equal(CALL(file, PANFROST_IOCTL_CREATE_BO, &create), 0);
    struct panfrost_mmap_bo map = {.handle = create.handle};
    assert_int_equal(CALL(file, PANFROST_IOCTL_MMAP_BO, &map), flags & PANFROST_BO_HEAP ? -EINVAL : 0);
    return (struct buffer){create.handle, create.address, map.offset};
}

static inline void close_buffer(struct drm_file *file, uint32_t handle)
{
    struct drm_gem_close close_it = {.handle = handle};
    assert_int_equal(CALL(file, DRM_IOCTL_GEM_CLOSE, &close_it), 0);
}

static inline struct mock_job *job_in(const struct card *card, const struct buffer *buffer)
{
    return (struct mock_job *)(card->memory.base + buffer->offset);
}

/* ---- submissions ---- */

struct task {
    uint32_t handles[4];
    struct panfrost_submit submit;
};

/* A chain at the start of a buffer, which it writes. */
static inline void make_task(struct task *task, const struct buffer *buffer)
{
    *task = (struct task){.handles = {buffer->handle}};
    task->submit = (struct panfrost_submit){
        .chain = buffer->address, .bo_handles = (uintptr_t)task->handles, .bo_handle_count = 1};
}

/* The same, with a job that writes so much of a heap. */
static inline void heap_task(struct task *task, struct card *card, const struct buffer *chain,
                             const struct buffer *heap, uint64_t bytes)
{
    struct mock_job *job = job_in(card, chain);
    make_task(task, chain);
    task->handles[task->submit.bo_handle_count++] = heap->handle;
    *job = (struct mock_job){.count = job->count, .heap = heap->address, .bytes = bytes};
}

static inline int submit(struct drm_file *file, struct task *task)
{
    return CALL(file, PANFROST_IOCTL_SUBMIT, &task->submit);
}

static inline int run(struct drm_file *file, const struct buffer *buffer)
{
    struct task task;
    make_task(&task, buffer);
    return submit(file, &task);
}

#endif
