/* A scene of tests/data as a capture: its memory, and the registers written as the kernel's driver writes
 * them. */
#ifndef VITRAIL_TESTS_GPU_MALI_RECORDING_H
#define VITRAIL_TESTS_GPU_MALI_RECORDING_H

#include <unistd.h>

#include "gpu/capture.h"
#include "tests/gpu/mali/scene.h"

static inline void recording_write64(struct capture_writer *w, uint32_t offset, uint64_t value)
{
    capture_write_register(w, offset, (uint32_t)value, false);
    capture_write_register(w, offset + 4, (uint32_t)(value >> 32), false);
}

static inline void recording_chain(struct capture_writer *w, const struct scene *s, unsigned slot,
                                   uint64_t cores)
{
    if (!s->chain[slot])
        return;
    recording_write64(w, guest_js(slot, JS_HEAD_NEXT), s->chain[slot]);
    recording_write64(w, guest_js(slot, JS_AFFINITY_NEXT), cores);
    capture_write_register(w, guest_js(slot, JS_CONFIG_NEXT), 0x83300 | s->as, false);
    capture_write_register(w, guest_js(slot, JS_COMMAND_NEXT), 1, false);
    capture_write_register(w, JOB_CLEAR, 0x10001u << slot, false);
}

/* Of the scene as its memory is; `path` is made as mkstemp makes it. `frame`: the mark at its end, or NULL. */
static inline void recording_make_shown(struct scene *s, const char *gpu, char *path,
                                        const struct capture_frame *frame)
{
    struct capture_writer *w;
    struct util_error error = {0};
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(capture_writer_create(path, gpu, "a scene", GUEST_BYTES, &w, &error), 0);
    assert_int_equal(capture_write_range(w, &s->guest.memory, 0, GUEST_BYTES), 0);
    uint64_t cores = mali_read(s->guest.device, 0x100);
    recording_write64(w, 0x1a0, 1);
    recording_write64(w, 0x190, 1);
    recording_write64(w, 0x180, cores);
    capture_write_register(w, JOB_MASK, 0x70007, false);
    recording_write64(w, guest_as(0, AS_TRANSTAB), GUEST_ROOT | 7);
    capture_write_register(w, guest_as(0, AS_COMMAND), AS_UPDATE, false);
    recording_chain(w, s, 1, cores);
    recording_chain(w, s, 0, cores);
    if (frame)
        assert_int_equal(capture_write_frame(w, frame), 0);
    assert_int_equal(capture_writer_close(w), 0);
}

static inline void recording_make(struct scene *s, const char *gpu, char *path)
{
    recording_make_shown(s, gpu, path, NULL);
}

#endif
