/* Restart points and parts of captures, of every GPU: whatever picture is sought, it and those behind it are what they
 * are when the capture is played from its beginning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

#include "gpu/capture_format.h"
#include "gpu/trim.h"
#include "tests/gpu/captures.h"
#include "tests/gpu/engine.h"
#include "util/bits.h"

#define PICTURES 400u

static struct gpu_options options_of_tests(void)
{
    return (struct gpu_options){.engine = engine};
}

static struct replay *play(const char *path)
{
    const struct gpu_options options = options_of_tests();
    struct util_error error = {0};
    struct capture_reader *reader;
    struct replay *replay = NULL;
    if (capture_reader_open(path, &reader, &error) || replay_create(reader, &options, &replay, &error))
        fail_msg("%s: %s", path, error.text);
    return replay;
}

/* The next picture's size and pixels; false at the end. */
static bool next_picture(struct replay *replay, uint64_t *hash)
{
    struct capture_frame frame;
    struct util_image image = {0};
    struct util_error error = {0};
    const int got = replay_next_frame(replay, false, &frame, &error);
    if (got < 0)
        fail_msg("%s", error.text);
    if (!got)
        return false;
    const int code = replay_picture(replay, &frame, &image);
    *hash = code ? (uint64_t)code
                 : XXH3_64bits_withSeed(image.pixels, (size_t)image.width * image.height * 4,
                                        (uint64_t)image.width << 32 | frame.presented);
    util_image_finish(&image);
    return true;
}

static unsigned play_all(const char *path, uint64_t hash[PICTURES])
{
    struct replay *replay = play(path);
    struct gpu_fault fault;
    unsigned count = 0;
    while (count < PICTURES && next_picture(replay, &hash[count]))
        count++;
    assert_int_equal(replay_faults(replay, &fault, 1), 0);
    replay_destroy(replay);
    return count;
}

static uint64_t trim(const char *from, const char *to, uint64_t first, uint64_t last, uint32_t interval)
{
    struct replay *replay = play(from);
    struct capture_writer *writer;
    struct capture_info info;
    struct util_error error = {0};
    uint64_t pictures;
    replay_info(replay, &info);
    assert_int_equal(capture_writer_create(to, info.gpu, info.command, info.memory_size, &writer, NULL), 0);
    capture_set_interval(writer, interval);
    if (gpu_trim(replay, writer, false, first, last, NULL, NULL, &pictures, &error))
        fail_msg("%s, %u to %u: %s", from, (unsigned)first, (unsigned)last, error.text);
    assert_int_equal(capture_writer_close(writer), 0);
    replay_destroy(replay);
    return pictures;
}

/* From each picture on. How many of the seeks left something out. */
static unsigned seek_all(const char *path, const uint64_t *hash, unsigned count)
{
    struct replay *replay = play(path);
    unsigned shortened = 0;
    for (unsigned n = 1; n <= count; n++) {
        uint64_t before, got = 0;
        struct gpu_fault fault;
        assert_int_equal(replay_seek(replay, false, n, &before), 0);
        assert_true(before < n);
        shortened += before > 0;
        for (uint64_t k = before; k < count && k < n + 2; k++) {
            assert_true(next_picture(replay, &got));
            if (got != hash[k])
                fail_msg("%s: picture %u is another when %u is sought", path, (unsigned)k + 1, n);
        }
        if (replay_faults(replay, &fault, 1))
            fail_msg("%s: a fault when picture %u is sought: %s", path, n, fault.text);
    }
    replay_destroy(replay);
    return shortened;
}

static void check_parts(const char *path, const char *to, const uint64_t *hash, unsigned count)
{
    for (unsigned first = 1; first <= count; first += 1 + count / 6) {
        uint64_t got[PICTURES];
        const unsigned last = UTIL_MIN(first + 2, count);
        assert_int_equal(trim(path, to, first, last, 0), last - first + 1);
        assert_int_equal(play_all(to, got), last - first + 1);
        for (unsigned n = first; n <= last; n++)
            if (got[n - first] != hash[n - 1])
                fail_msg("%s: picture %u is another in %u to %u", path, n, first, last);
    }
}

static void check_capture(const char *path)
{
    static uint64_t hash[PICTURES], again[PICTURES];
    char all[] = "/tmp/vitrail-restart-XXXXXX", part[] = "/tmp/vitrail-part-XXXXXX";
    struct capture_reader *reader;
    struct capture_counts counts;
    close(mkstemp(all));
    close(mkstemp(part));
    const unsigned count = play_all(path, hash);
    assert_int_equal(trim(path, all, 1, UINT64_MAX, 1), count);
    assert_int_equal(play_all(all, again), count);
    assert_memory_equal(hash, again, count * sizeof *hash);
    assert_int_equal(capture_reader_open(all, &reader, NULL), 0);
    assert_true(capture_reader_counts(reader, &counts));
    assert_int_equal(counts.all, count);
    assert_int_equal(replay_count_pictures(reader, true, UINT64_MAX, NULL), counts.shown);
    capture_reader_close(reader);
    const unsigned shortened = seek_all(all, hash, count);
    assert_true(shortened >= (count > 5 ? count / 2 : 0));
    check_parts(all, part, hash, count);  /* from restart points, */
    check_parts(path, part, hash, count); /* and without */
    unlink(all);
    unlink(part);
}

static void every_gpu(void **state)
{
    static const char *const names[] = {"gltest", "features", "features-samples",
                                        "shadow", "kmscube",  "gles31"};
    const struct gpu_info *gpu;
    unsigned met = 0;
    for (unsigned n = 0; (gpu = gpu_info_at(n)); n++)
        for (unsigned i = 0; i < UTIL_ARRAY_SIZE(names); i++) {
            char path[CAPTURES_PATH];
            if (!captures_find(gpu->name, names[i], path))
                continue;
            check_capture(path);
            met++;
        }
    assert_true(met >= 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(every_gpu, start_engine, stop_engine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
