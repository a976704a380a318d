/* A card with a mock of a Mali behind it, a file and a context, and tasks for it. */
#ifndef VITRAIL_TESTS_DRM_LIMA_CARD_H
#define VITRAIL_TESTS_DRM_LIMA_CARD_H

#include "tests/drm/call.h"
#include "tests/drm/lima_mock.h"

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

static inline void on_message(void *data, const char *text)
{
    struct card *card = data;
    card->messages++;
    snprintf(card->text, sizeof card->text, "%s", text);
}

static inline uint32_t make_context(struct drm_file *file)
{
    struct lima_context create = {0};
    assert_int_equal(CALL(file, LIMA_IOCTL_CTX_CREATE, &create), 0);
    return create.id;
}

static inline void card_open_recording(struct card *card, bool is_450, bool asynchronous,
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

static inline void card_open(struct card *card, bool is_450, bool asynchronous)
{
    card_open_recording(card, is_450, asynchronous, NULL);
}

static inline void card_close(struct card *card)
{
    drm_destroy(card->drm);
    gpu_memory_destroy(&card->memory);
}

static inline uint32_t make_buffer(struct drm_file *file, uint32_t size, uint32_t flags,
                                   struct lima_gem_info *info)
{
    struct lima_gem_create create = {.size = size, .flags = flags};
    assert_int_equal(CALL(file, LIMA_IOCTL_GEM_CREATE, &create), 0);
    *info = (struct lima_gem_info){.handle = create.handle};
    assert_int_equal(CALL(file, LIMA_IOCTL_GEM_INFO, info), 0);
    return create.handle;
}

static inline uint32_t word_of(const struct card *card, const struct lima_gem_info *info, uint32_t at)
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
static inline void make_gp(struct task *task, uint32_t context, const struct lima_gem_info *info)
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
static inline void make_pp(struct task *task, const struct card *card, const struct lima_gem_info *info)
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

static inline int submit(struct drm_file *file, struct task *task)
{
    return CALL(file, LIMA_IOCTL_GEM_SUBMIT, &task->submit);
}

#endif
