/* Captures: what is written is what is read, nothing is written twice, torn and damaged files say so. */
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

#include "gpu/capture.h"
#include "gpu/capture_format.h"
#include "gpu/picture.h"
#include "gpu/replay.h"
#include "raster/surface.h"
#include "tests/gpu/capture_file.h"
#include "tests/gpu/vc4/replies_scene.h"
#include "util/bits.h"

/* The first event of every kind in order: pages 2 and 3, a register, a reply, a frame. */
static void write_sample(struct file *f, struct gpu_memory *m)
{
    struct capture_writer *w = begin(f);
    assert_int_equal(gpu_memory_create(PAGES_SIZE, m), 0);
    for (uint32_t i = 0; i < 2 * GPU_PAGE; i++)
        m->base[2 * GPU_PAGE + i] = (uint8_t)(i * 7 + i / 256);
    assert_int_equal(capture_write_range(w, m, 0, PAGES_SIZE), 0);
    assert_int_equal(capture_write_register(w, 0x114, 0x1000, false), 0);
    assert_int_equal(capture_flush(w), 0);
    assert_int_equal(capture_write_register(w, 0x308, 0x2000, true), 0);
    struct capture_frame frame = {0x876543210000, 8, 4, RASTER_LINEAR, RASTER_B8G8R8A8_UNORM, 32, 1};
    assert_int_equal(capture_write_frame(w, &frame), 0);
    assert_int_equal(capture_writer_close(w), 0);
    load(f);
}

/* Frame marks of files hold these numbers, whatever those of the enumerations are. */
static void file_numbers(void **state)
{
    static const struct {
        uint32_t layout, number;
    } layouts[] = {{RASTER_LINEAR, 0}, {RASTER_VC4_T, 1}, {RASTER_VC4_LT, 2}, {RASTER_UTGARD_TILED, 4}};
    static const struct {
        uint32_t format, number;
    } formats[] = {{RASTER_B8G8R8A8_UNORM, 0},
                   {RASTER_B5G6R5_UNORM, 1},
                   {RASTER_S8_UINT_Z24_UNORM, 3},
                   {RASTER_R16G16B16A16_FLOAT, 4},
                   {RASTER_R8_UINT, 5},
                   {RASTER_R8G8B8A8_UNORM, 0x100},
                   {RASTER_R8G8B8A8_SRGB, 0x200},
                   {RASTER_B8G8R8X8_UNORM, 0x204},
                   {RASTER_B5G5R5X1_UNORM, 0x21f},
                   {RASTER_R16_UINT, 0x220},
                   {RASTER_R32G32B32_UINT, 0x226}};
    assert_int_equal(UTIL_ARRAY_SIZE(layouts), RASTER_LAYOUT_COUNT);
    for (unsigned l = 0; l < UTIL_ARRAY_SIZE(layouts); l++)
        for (unsigned f = 0; f < UTIL_ARRAY_SIZE(formats); f++) {
            /* Of version 1, and behind the upper half of an address of version 2. */
            const uint32_t word[8] = {0xabcd1000, 0x12, 8, 4, layouts[l].number, formats[f].number, 32, 1};
            const uint32_t first[7] = {0xabcd1000, 8, 4, layouts[l].number, formats[f].number, 32, 1};
            struct capture_frame frame = {0x12abcd1000, 8, 4, layouts[l].layout, formats[f].format, 32, 1},
                                 got;
            uint8_t written[CAPTURE_FRAME_BYTES];
            assert_int_equal(capture_frame_bytes(2), sizeof word);
            assert_int_equal(capture_frame_bytes(1), sizeof first);
            capture_frame_get((const uint8_t *)word, 2, &got);
            assert_memory_equal(&got, &frame, sizeof got);
            assert_true(capture_frame_put(&frame, written));
            assert_memory_equal(written, word, sizeof word);
            frame.address &= UINT32_MAX;
            capture_frame_get((const uint8_t *)first, 1, &got);
            assert_memory_equal(&got, &frame, sizeof got);
        }
    /* What has no number is not written, and a number that nobody knows is no picture. */
    struct capture_frame frame = {0x1000, 8, 4, RASTER_LAYOUT_COUNT, RASTER_B8G8R8A8_UNORM, 32, 1};
    uint32_t word[8] = {0x1000, 0, 8, 4, 3, 0, 32, 1}; /* 3 never was a layout */
    uint8_t bytes[CAPTURE_FRAME_BYTES];
    struct util_image image;
    struct gpu_memory m;
    assert_false(capture_frame_put(&frame, bytes));
    assert_int_equal(gpu_memory_create(PAGES_SIZE, &m), 0);
    capture_frame_get((const uint8_t *)word, 2, &frame);
    assert_int_equal(gpu_picture(&m, &frame, &image), -EINVAL);
    word[4] = 4;
    word[5] = 6;
    capture_frame_get((const uint8_t *)word, 2, &frame);
    assert_int_equal(gpu_picture(&m, &frame, &image), -EINVAL);
    gpu_memory_destroy(&m);

    struct file f;
    struct capture_writer *w = begin(&f);
    frame = (struct capture_frame){0x1000, 8, 4, RASTER_LAYOUT_COUNT, RASTER_B8G8R8A8_UNORM, 32, 1};
    assert_int_equal(capture_write_frame(w, &frame), -EINVAL);
    assert_int_equal(capture_writer_close(w), 0);
    discard(&f);
}

static void round_trip(void **state)
{
    struct file f;
    struct gpu_memory m;
    struct capture_reader *r;
    struct capture_event e;
    struct capture_info info;
    write_sample(&f, &m);
    assert_int_equal(capture_reader_open(f.path, &r, NULL), 0);
    for (int pass = 0; pass < 2; pass++) {
        assert_int_equal(capture_read(r, &e, NULL), 0);
        assert_int_equal(e.type, CAPTURE_EVENT_PAGES);
        assert_int_equal(e.pages.count, 2); /* all others are zero, as memory starts */
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(e.pages.pages[i].address, (2 + i) * GPU_PAGE);
            assert_memory_equal(e.pages.pages[i].bytes, m.base + (2 + i) * GPU_PAGE, GPU_PAGE);
        }
        assert_int_equal(capture_read(r, &e, NULL), 0);
        assert_int_equal(e.type, CAPTURE_EVENT_REGISTER);
        assert_int_equal(e.reg.offset, 0x114);
        assert_int_equal(e.reg.value, 0x1000);
        assert_int_equal(capture_read(r, &e, NULL), 0);
        assert_int_equal(e.type, CAPTURE_EVENT_IRQ_REPLY);
        assert_int_equal(e.reg.value, 0x2000);
        assert_int_equal(capture_read(r, &e, NULL), 0);
        assert_int_equal(e.type, CAPTURE_EVENT_FRAME);
        assert_int_equal(e.frame.address, 0x876543210000);
        assert_int_equal(e.frame.stride, 32);
        assert_int_equal(e.frame.presented, 1);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(capture_read(r, &e, NULL), 0);
            assert_int_equal(e.type, CAPTURE_EVENT_END);
        }
        capture_reader_info(r, &info);
        assert_string_equal(info.gpu, "vc4");
        assert_string_equal(info.command, "glmark2 -b build");
        assert_int_equal(info.memory_size, PAGES_SIZE);
        assert_false(info.torn);
        assert_int_equal(capture_reader_position(r), f.size);
        capture_reader_rewind(r);
    }
    capture_reader_close(r);
    gpu_memory_destroy(&m);
    discard(&f);
}

static unsigned count_pages(const struct file *f)
{
    struct capture_reader *r;
    struct capture_event e;
    unsigned n = 0;
    assert_int_equal(capture_reader_from_memory(f->bytes, f->size, &r, NULL), 0);
    do {
        assert_int_equal(capture_read(r, &e, NULL), 0);
        n += e.type == CAPTURE_EVENT_PAGES ? e.pages.count : 0;
    } while (e.type != CAPTURE_EVENT_END);
    capture_reader_close(r);
    return n;
}

static void pages_once(void **state)
{
    struct file f;
    struct gpu_memory m;
    struct capture_writer *w = begin(&f);
    assert_int_equal(gpu_memory_create(PAGES_SIZE, &m), 0);
    memset(m.base, 1, 4 * GPU_PAGE);
    capture_write_range(w, &m, 0, 4 * GPU_PAGE); /* 4 */
    capture_write_range(w, &m, 0, 4 * GPU_PAGE); /* 0: nothing changed */
    m.base[GPU_PAGE] = 2;
    capture_write_range(w, &m, GPU_PAGE + 5, 1); /* 1: the page of a byte */
    memset(m.base, 0, GPU_PAGE);
    capture_write_range(w, &m, 0, GPU_PAGE); /* 1: back to zero */
    memset(m.base + 8 * GPU_PAGE, 3, 2 * GPU_PAGE);
    capture_note_device_write(w, &m, 8 * GPU_PAGE, GPU_PAGE + 1);
    capture_write_range(w, &m, 8 * GPU_PAGE, 2 * GPU_PAGE); /* 1: the half-noted page only */
    assert_int_equal(capture_write_range(w, &m, PAGES_SIZE, 1), -EINVAL);
    assert_int_equal(capture_write_range(w, &m, 0, UINT64_MAX), -EINVAL);
    assert_int_equal(capture_writer_close(w), 0);
    load(&f);
    assert_int_equal(count_pages(&f), 4 + 1 + 1 + 1);
    gpu_memory_destroy(&m);
    discard(&f);
}

/* More pages than one event or one chunk holds. */
static void many_pages(void **state)
{
    const uint32_t pages = 3000;
    struct file f;
    struct gpu_memory m;
    struct capture_writer *w;
    struct capture_reader *r;
    struct capture_event e;
    temporary(&f);
    assert_int_equal(gpu_memory_create(pages * GPU_PAGE, &m), 0);
    assert_int_equal(capture_writer_create(f.path, "vc4", "", m.size, &w, NULL), 0);
    uint32_t seed = 1;
    for (uint32_t i = 0; i < m.size / 4; i++)
        ((uint32_t *)(void *)m.base)[i] = seed = seed * 1664525 + 1013904223;
    assert_int_equal(capture_write_range(w, &m, 0, m.size), 0);
    assert_int_equal(capture_writer_close(w), 0);
    assert_int_equal(capture_reader_open(f.path, &r, NULL), 0);
    uint32_t seen = 0;
    for (;;) {
        assert_int_equal(capture_read(r, &e, NULL), 0);
        if (e.type == CAPTURE_EVENT_END)
            break;
        assert_int_equal(e.type, CAPTURE_EVENT_PAGES);
        for (uint32_t i = 0; i < e.pages.count; i++, seen++) {
            assert_int_equal(e.pages.pages[i].address, (uint64_t)seen * GPU_PAGE);
            assert_memory_equal(e.pages.pages[i].bytes, m.base + (uint64_t)seen * GPU_PAGE, GPU_PAGE);
        }
    }
    assert_int_equal(seen, pages);
    capture_reader_close(r);
    gpu_memory_destroy(&m);
    discard(&f);
}

/* A file cut at any byte: the header is refused, or events come up to the last whole chunk. */
static void torn(void **state)
{
    struct file f;
    struct gpu_memory m;
    unsigned last = 0;
    write_sample(&f, &m);
    for (size_t size = 0; size < f.size; size++) {
        struct capture_reader *r;
        struct capture_event e;
        struct capture_info info;
        struct util_error error = {0};
        int code = capture_reader_from_memory(f.bytes, size, &r, &error);
        if (code) {
            assert_int_equal(code, -EBADMSG);
            assert_true(size < 48 + 16);
            continue;
        }
        unsigned events = 0;
        do {
            assert_int_equal(capture_read(r, &e, &error), 0);
            events += e.type != CAPTURE_EVENT_END;
        } while (e.type != CAPTURE_EVENT_END);
        capture_reader_info(r, &info);
        assert_true(info.torn);
        assert_true(events >= last);
        last = events;
        capture_reader_close(r);
    }
    assert_int_equal(last, 4);
    gpu_memory_destroy(&m);
    discard(&f);
}

/* A changed byte is never taken for data. */
static void damaged(void **state)
{
    struct file f;
    struct gpu_memory m;
    write_sample(&f, &m);
    for (size_t at = 0; at < f.size; at++) {
        struct capture_reader *r;
        struct capture_event e;
        struct util_error error = {0};
        f.bytes[at] ^= 0x10;
        int code = capture_reader_from_memory(f.bytes, f.size, &r, &error);
        if (!code) {
            do
                code = capture_read(r, &e, &error);
            while (!code && e.type != CAPTURE_EVENT_END);
            capture_reader_close(r);
        }
        assert_true(code == -EBADMSG || (code == -ENOTSUP && at >= 8 && at < 12));
        assert_non_null(strstr(error.text, "capture"));
        f.bytes[at] ^= 0x10;
    }
    gpu_memory_destroy(&m);
    discard(&f);
}

static void cannot_open(void **state)
{
    struct capture_reader *r;
    struct capture_writer *w;
    struct util_error error = {0};
    assert_int_equal(capture_reader_open("/nonexistent/x", &r, &error), -ENOENT);
    assert_non_null(strstr(error.text, "/nonexistent/x"));
    assert_int_equal(capture_reader_open("/tmp", &r, NULL), -EBADMSG);
    assert_int_equal(capture_writer_create("/nonexistent/x", "vc4", "", GPU_PAGE, &w, NULL), -ENOENT);
    assert_int_equal(capture_writer_close(NULL), 0);
    capture_reader_close(NULL);
    if (!access("/dev/full", W_OK)) {
        int code = capture_writer_create("/dev/full", "vc4", "", GPU_PAGE, &w, NULL);
        assert_int_equal(code, -ENOSPC);
    }
}

/* A player shows pages as a picture, in the order that the mark names; another GPU is refused. */
static void picture(void **state)
{
    struct file f;
    struct gpu_memory m;
    struct capture_writer *w = begin(&f);
    struct capture_reader *r;
    struct replay *replay;
    struct capture_frame frame = {GPU_PAGE, 8, 4, RASTER_LINEAR, RASTER_B8G8R8A8_UNORM, 32, 0}, got;
    struct gpu_options options = {0};
    struct util_image image;
    assert_int_equal(gpu_memory_create(PAGES_SIZE, &m), 0);
    const uint8_t pixel[4] = {1, 2, 3, 4}; /* at (5, 2) */
    memcpy(m.base + GPU_PAGE + 2 * 32 + 5 * 4, pixel, 4);
    assert_int_equal(capture_write_range(w, &m, 0, PAGES_SIZE), 0);
    capture_write_frame(w, &frame);
    frame.format = RASTER_R8G8B8A8_UNORM;
    frame.presented = 1;
    capture_write_frame(w, &frame);
    frame.address = PAGES_SIZE - 4;
    capture_write_frame(w, &frame);
    assert_int_equal(capture_writer_close(w), 0);

    assert_int_equal(capture_reader_open(f.path, &r, NULL), 0);
    assert_int_equal(replay_create(r, &options, &replay, NULL), 0);
    for (int pass = 0; pass < 2; pass++) {
        const uint8_t bgra[4] = {3, 2, 1, 4};
        assert_int_equal(replay_next_frame(replay, false, &got, NULL), 1);
        assert_int_equal(replay_picture(replay, &got, &image), 0);
        assert_int_equal(image.width, 8);
        assert_memory_equal(image.pixels + (2 * 8 + 5) * 4, bgra, 4);
        util_image_finish(&image);
        assert_int_equal(replay_next_frame(replay, true, &got, NULL), 1);
        assert_true(replay_has_presented(replay));
        assert_int_equal(replay_picture(replay, &got, &image), 0);
        assert_memory_equal(image.pixels + (2 * 8 + 5) * 4, pixel, 4);
        util_image_finish(&image);
        assert_int_equal(replay_next_frame(replay, true, &got, NULL), 1);
        assert_int_equal(replay_picture(replay, &got, &image), -EFAULT);
        got.width = 0;
        assert_int_equal(replay_picture(replay, &got, &image), -EINVAL);
        assert_int_equal(replay_next_frame(replay, true, &got, NULL), 0);
        assert_int_equal(replay_rewind(replay), 0);
    }
    replay_destroy(replay);
    discard(&f);

    temporary(&f);
    struct util_error error = {0};
    assert_int_equal(capture_writer_create(f.path, "voodoo", "", PAGES_SIZE, &w, NULL), 0);
    assert_int_equal(capture_writer_close(w), 0);
    assert_int_equal(capture_reader_open(f.path, &r, NULL), 0);
    assert_int_equal(replay_create(r, &options, &replay, &error), -ENOTSUP);
    assert_non_null(strstr(error.text, "voodoo"));
    capture_reader_close(r);
    gpu_memory_destroy(&m);
    discard(&f);
}

/* The recorded driver's answer to "out of memory" is given when the replay's device asks; without one the job
 * faults. */
static void replies(void **state)
{
    for (int answered = 0; answered < 2; answered++) {
        struct scene s = {.at = AT_MAIN};
        uint32_t binning_end, rendering;
        struct file f;
        struct capture_writer *w;
        struct capture_reader *r;
        struct capture_frame frame = {AT_COLOR, 64, 64, RASTER_LINEAR, RASTER_B8G8R8A8_UNORM, 256, 0}, got;
        struct gpu_options options = {0};
        struct replay *replay;
        struct util_image image;
        struct gpu_fault fault;
        temporary(&f);
        assert_int_equal(gpu_memory_create(MEMORY, &s.memory), 0);
        put_lists(&s, &binning_end, &rendering);
        assert_int_equal(capture_writer_create(f.path, "vc4", "", MEMORY, &w, NULL), 0);
        capture_write_range(w, &s.memory, 0, MEMORY);
        capture_write_register(w, VC4_INTENA, VC4_INT_OUTOMEM, false);
        capture_write_register(w, VC4_CT0CA, AT_MAIN, false);
        capture_write_register(w, VC4_CT0EA, binning_end, false);
        if (answered) {
            capture_write_register(w, VC4_BPOA, AT_RAW, true);
            capture_write_register(w, VC4_BPOS, 4096, true);
            capture_write_register(w, VC4_INTCTL, VC4_INT_OUTOMEM, true);
        }
        capture_write_register(w, VC4_CT1CA, rendering, false);
        capture_write_register(w, VC4_CT1EA, s.at, false);
        capture_write_frame(w, &frame);
        assert_int_equal(capture_writer_close(w), 0);
        assert_int_equal(capture_reader_open(f.path, &r, NULL), 0);
        assert_int_equal(replay_create(r, &options, &replay, NULL), 0);
        for (int pass = 0; pass < 2; pass++) {
            const uint8_t inside[4] = {0xff, 0xff, 0, 0xff}, nothing[4] = {0};
            assert_int_equal(replay_next_frame(replay, false, &got, NULL), 1);
            unsigned faults = replay_faults(replay, &fault, 1);
            assert_int_equal(faults, !answered);
            if (faults)
                assert_int_equal(fault.kind, GPU_FAULT_TILE_MEMORY);
            assert_int_equal(replay_picture(replay, &got, &image), 0);
            assert_memory_equal(image.pixels + (20 * 64 + 20) * 4, answered ? inside : nothing, 4);
            util_image_finish(&image);
            assert_int_equal(replay_rewind(replay), 0);
        }
        replay_destroy(replay);
        gpu_memory_destroy(&s.memory);
        discard(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),  cmocka_unit_test(file_numbers), cmocka_unit_test(pages_once),
        cmocka_unit_test(many_pages),  cmocka_unit_test(torn),         cmocka_unit_test(damaged),
        cmocka_unit_test(cannot_open), cmocka_unit_test(picture),      cmocka_unit_test(replies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
