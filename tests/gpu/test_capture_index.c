/* Restart points of captures and their index: what is sought is what is read from the beginning, whatever is damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "gpu/capture.h"
#include "gpu/vc4/regs.h"
#include "raster/surface.h"
#include "tests/gpu/capture_file.h"
#include "util/bits.h"

enum { MARKS = 12 };

/* A page changes before each picture; a restart point after every one, or none. */
static void write_restarts(struct file *f, struct gpu_memory *m, uint32_t interval, uint64_t limit)
{
    struct capture_writer *w = begin(f);
    const struct capture_frame frame = {0, 8, 4, RASTER_LINEAR, RASTER_B8G8R8A8_UNORM, 32, 1};
    uint64_t shown;
    capture_set_interval(w, interval);
    capture_set_limit(w, limit);
    assert_int_equal(gpu_memory_create(PAGES_SIZE, m), 0);
    for (uint32_t n = 1; n <= MARKS; n++) {
        m->base[n % 5 * GPU_PAGE] = (uint8_t)n;
        for (uint32_t i = 64; limit && i < GPU_PAGE; i++)
            m->base[n % 5 * GPU_PAGE + i] = (uint8_t)((n + i) * (n + i * 77) >> 5);
        m->base[9 * GPU_PAGE] = n & 1; /* zero again now and then */
        assert_int_equal(capture_write_range(w, m, 0, PAGES_SIZE), 0);
        assert_int_equal(capture_write_register(w, VC4_SCRATCH, n, false), 0);
        assert_int_equal(capture_write_frame(w, &frame), 0);
        assert_int_equal(capture_flush(w), 0);
        assert_int_equal(capture_offer_restart(w, m), 0);
    }
    assert_int_equal(capture_writer_is_full(w, &shown), limit != 0);
    assert_true(limit ? shown > 0 && shown < MARKS : shown == MARKS);
    assert_true(!limit || capture_writer_size(w) <= limit);
    assert_int_equal(capture_writer_close(w), 0);
    load(f);
}

/* Reads to the end: pictures met, or -EBADMSG; memory is as it is then. */
static int read_marks(struct capture_reader *r, struct gpu_memory *m)
{
    struct capture_event e;
    int marks = 0;
    memset(m->base, 0, m->size);
    for (;;) {
        if (capture_read(r, &e, NULL))
            return -EBADMSG;
        if (e.type == CAPTURE_EVENT_END)
            return marks;
        marks += e.type == CAPTURE_EVENT_FRAME;
        for (uint32_t i = 0; e.type == CAPTURE_EVENT_PAGES && i < e.pages.count; i++)
            memcpy(m->base + e.pages.pages[i].address, e.pages.pages[i].bytes, GPU_PAGE);
    }
}

static void restarts(void **state)
{
    struct file f;
    struct gpu_memory m, read;
    struct capture_reader *r;
    struct capture_counts counts;
    assert_int_equal(gpu_memory_create(PAGES_SIZE, &read), 0);
    for (uint32_t interval = 0; interval <= 5; interval++) {
        write_restarts(&f, &m, interval, 0);
        assert_int_equal(capture_reader_open(f.path, &r, NULL), 0);
        assert_true(capture_reader_counts(r, &counts));
        assert_int_equal(counts.shown, MARKS);
        assert_int_equal(read_marks(r, &read), MARKS);
        for (uint32_t n = 1; n <= MARKS + 2; n++) {
            const uint32_t before = interval ? (UTIL_MIN(n, MARKS + 1) - 1) / interval * interval : 0;
            capture_reader_seek(r, true, n, &counts);
            assert_int_equal(counts.shown, before);
            assert_int_equal(read_marks(r, &read), MARKS - (int)before);
            assert_memory_equal(read.base, m.base, PAGES_SIZE);
        }
        capture_reader_close(r);
        gpu_memory_destroy(&m);
        discard(&f);
    }
    write_restarts(&f, &m, 3, 8192); /* what is over the limit is left out, and the file is whole */
    assert_int_equal(capture_reader_open(f.path, &r, NULL), 0);
    assert_true(capture_reader_counts(r, &counts));
    assert_int_equal(read_marks(r, &read), counts.shown);
    capture_reader_close(r);
    gpu_memory_destroy(&m);
    discard(&f);
    gpu_memory_destroy(&read);
}

/* Whatever bit is turned or byte cut: what is sought is right, or refused, or begins at the beginning. */
static void damaged_index(void **state)
{
    struct file f;
    struct gpu_memory m, read;
    struct capture_reader *r;
    struct capture_counts counts;
    unsigned right = 0, refused = 0;
    assert_int_equal(gpu_memory_create(PAGES_SIZE, &read), 0);
    write_restarts(&f, &m, 2, 0);
    for (size_t at = 48; at < f.size; at++) {
        f.bytes[at] ^= 0x04;
        if (!capture_reader_from_memory(f.bytes, f.size, &r, NULL)) {
            capture_reader_seek(r, true, MARKS - 1, &counts);
            const int got = read_marks(r, &read);
            refused += got < 0;
            right += got > 0;
            if (got >= 0) {
                assert_int_equal(got, MARKS - (int)counts.shown);
                assert_memory_equal(read.base, m.base, PAGES_SIZE);
            }
            capture_reader_close(r);
        }
        f.bytes[at] ^= 0x04;
        assert_int_equal(capture_reader_from_memory(f.bytes, at, &r, NULL) ? 0 : 1, at >= 48 + 16);
        if (at < 48 + 16)
            continue;
        capture_reader_seek(r, true, MARKS, &counts);
        assert_int_equal(counts.shown, 0);
        assert_true(read_marks(r, &read) >= 0);
        capture_reader_close(r);
    }
    assert_true(right > 100 && refused > 100);
    gpu_memory_destroy(&m);
    gpu_memory_destroy(&read);
    discard(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(restarts), cmocka_unit_test(damaged_index)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
