/* A card for tests: guest memory, a device that interprets, and the files of a program. */
#ifndef VITRAIL_TESTS_DRM_CARD_H
#define VITRAIL_TESTS_DRM_CARD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <drm.h>
#include <drm_fourcc.h>
#include <drm_mode.h>
#include <vc4_drm.h>

#include "drm/drm.h"
#include "gpu/vc4/device.h"
#include "isa/vc4_qpu/asm.h"
#include "tests/drm/call.h"
#include "util/bits.h"
#include "util/frames.h"

struct card {
    struct gpu_memory memory;
    struct vc4_device *gpu;
    struct drm *drm;
    struct util_frames *frames; /* NULL: nobody takes pictures */
    struct drm_file *file;      /* the render node */
    unsigned faults, messages;
    char text[512]; /* the last message or fault */
};

static inline void card_on_fault(void *data, const struct gpu_fault *fault)
{
    struct card *card = data;
    card->faults++;
    gpu_fault_format(fault, card->text, sizeof card->text);
}

static inline void card_on_message(void *data, const char *text)
{
    struct card *card = data;
    card->messages++;
    snprintf(card->text, sizeof card->text, "%s", text);
}

/* `observer`: NULL, or who looks on; `rate`: the display's, or 0. */
static inline void card_open_at(struct card *card, uint64_t memory, const char *frames,
                                const struct gpu_observer *observer, bool asynchronous, uint32_t rate)
{
    struct gpu_options device = {.fuel = 1000, .observer = observer};
    memset(card, 0, sizeof *card);
    assert_int_equal(gpu_memory_create(memory, &card->memory), 0);
    assert_int_equal(vc4_device_create(&card->memory, &device, &card->gpu), 0);
    const struct util_frames_options pictures = {
        .folder = frames, .stream = -1, .first = 1, .last = UINT64_MAX, .every = 1, .threads = 2};
    if (frames)
        assert_int_equal(util_frames_create(&pictures, &card->frames), 0);
    struct drm_options options = {.gpu = vc4_device_gpu(card->gpu),
                                  .frames = card->frames,
                                  .asynchronous = asynchronous,
                                  .rate = rate,
                                  .listener = {card, card_on_fault, card_on_message}};
    assert_int_equal(drm_create(&card->memory, &options, &card->drm), 0);
    assert_int_equal(drm_open(card->drm, DRM_MINOR_RENDER, &card->file), 0);
}

static inline void card_open_as(struct card *card, uint64_t memory, const char *frames,
                                const struct gpu_observer *observer, bool asynchronous)
{
    card_open_at(card, memory, frames, observer, asynchronous, 0);
}

/* Asynchronous jobs, with somebody who looks on. */
static inline void card_open_observed(struct card *card, uint64_t memory, const char *frames,
                                      const struct gpu_observer *observer)
{
    card_open_as(card, memory, frames, observer, observer != NULL);
}

static inline void card_open(struct card *card, uint64_t memory, const char *frames)
{
    card_open_observed(card, memory, frames, NULL);
}

static inline void card_close(struct card *card)
{
    drm_destroy(card->drm);
    util_frames_destroy(card->frames);
    vc4_device_destroy(card->gpu);
    gpu_memory_destroy(&card->memory);
}

/* A buffer's handle; its GPU address goes to *address when that is wanted. */
static inline uint32_t card_buffer(struct card *card, uint32_t size, uint64_t *address)
{
    struct drm_vc4_create_bo create = {.size = size};
    assert_int_equal(CALL(card->file, DRM_IOCTL_VC4_CREATE_BO, &create), 0);
    struct drm_vc4_mmap_bo map = {.handle = create.handle};
    assert_int_equal(CALL(card->file, DRM_IOCTL_VC4_MMAP_BO, &map), 0);
    if (address)
        *address = map.offset;
    return create.handle;
}

/* 0 and a handle, or what CREATE_SHADER_BO says to the program. */
static inline int card_shader(struct card *card, const char *text, uint32_t *handle)
{
    uint64_t *words;
    uint32_t count;
    struct util_error error = {0};
    if (vc4_qpu_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s\n%s", error.text, text);
    struct drm_vc4_create_shader_bo create = {.size = count * 8, .data = (uintptr_t)words};
    int r = CALL(card->file, DRM_IOCTL_VC4_CREATE_SHADER_BO, &create);
    free(words);
    *handle = create.handle;
    return r;
}

#endif
