/* Pictures that threads write: each in its file and at its place of the stream, none lost however slow the
 * writing is, no more of them in memory than there are places; what cannot be written is told with its name. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/frames.h"
#include "util/y4m.h"

static char folder[64];

static int make_folder(void **state)
{
    snprintf(folder, sizeof folder, "/tmp/vitrail-frames-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static const char *path_of(unsigned number)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/frame-%06u.png", folder, number);
    return path;
}

/* ---- pictures of a number ---- */

struct kept {
    uint32_t width, height, seed;
};

static _Atomic unsigned in_memory, most_in_memory;
static _Atomic bool held; /* nothing is drawn */

static uint8_t value_at(uint32_t seed, uint32_t x, uint32_t y, unsigned c)
{
    return (uint8_t)(seed * 31 + x * 7 * (c + 1) + y * 3);
}

static int draw(const void *data, struct util_image *out)
{
    const struct kept *kept = data;
    while (held)
        usleep(100);
    usleep(kept->seed * 7919 % 13 * 300); /* they overtake each other */
    if (!kept->width)
        return -EFAULT;
    int r = util_image_init(out, kept->width, kept->height);
    for (uint32_t y = 0; !r && y < kept->height; y++)
        for (uint32_t x = 0; x < kept->width; x++)
            for (unsigned c = 0; c < 4; c++)
                out->pixels[4 * ((size_t)y * kept->width + x) + c] = value_at(kept->seed, x, y, c);
    atomic_fetch_sub(&in_memory, 1);
    return r;
}

static int add(struct util_frames *f, uint64_t number, uint32_t width, uint32_t height)
{
    struct kept *kept = malloc(sizeof *kept);
    assert_non_null(kept);
    *kept = (struct kept){width, height, (uint32_t)number};
    const unsigned now = atomic_fetch_add(&in_memory, 1) + 1;
    if (now > most_in_memory)
        most_in_memory = now;
    return util_frames_add(f, number, kept, draw);
}

static void check_file(unsigned number, uint32_t width, uint32_t height)
{
    struct util_image image;
    assert_int_equal(util_image_read_png(&image, path_of(number)), 0);
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, height);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            for (unsigned c = 0; c < 3; c++)
                assert_int_equal(image.pixels[4 * (y * width + x) + c], value_at(number, x, y, c));
    util_image_finish(&image);
}

static struct util_frames *make(const char *to, int stream, unsigned threads)
{
    const struct util_frames_options options = {.folder = to,
                                                .stream = stream,
                                                .rate = 60,
                                                .first = 1,
                                                .last = UINT64_MAX,
                                                .every = 1,
                                                .threads = threads};
    struct util_frames *f = NULL;
    assert_int_equal(util_frames_create(&options, &f), 0);
    return f;
}

/* ---- */

static void test_files(void **state)
{
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        struct util_frames *f = make(folder, -1, threads);
        for (unsigned n = 1; n <= 40; n++)
            assert_int_equal(add(f, n, 16 + n, 9), 0);
        assert_int_equal(util_frames_flush(f, NULL), 0);
        for (unsigned n = 1; n <= 40; n++) {
            check_file(n, 16 + n, 9);
            assert_int_equal(unlink(path_of(n)), 0);
        }
        util_frames_destroy(f);
    }
}

/* Who hands over waits, and memory stays bounded: one a thread, two that wait, and the one that is handed over. */
static void *let_go(void *data)
{
    usleep(50000);
    held = false;
    return data;
}

static void test_bounded(void **state)
{
    struct util_frames *f = make(folder, -1, 2);
    pthread_t thread;
    in_memory = most_in_memory = 0;
    held = true;
    assert_int_equal(pthread_create(&thread, NULL, let_go, NULL), 0);
    for (unsigned n = 1; n <= 30; n++)
        assert_int_equal(add(f, n, 8, 8), 0);
    util_frames_destroy(f);
    pthread_join(thread, NULL);
    assert_in_range(most_in_memory, 4, 5);
    for (unsigned n = 1; n <= 30; n++) {
        check_file(n, 8, 8);
        unlink(path_of(n));
    }
}

/* The stream has them in their order, in the first one's size: smaller ones have black around them. */
static void test_stream(void **state)
{
    enum { W = 24, H = 10, COUNT = 25 };
    char path[96], header[UTIL_Y4M_HEADER_MAX];
    snprintf(path, sizeof path, "%s/all.y4m", folder);
    const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    struct util_frames *f = make(NULL, fd, 4);
    for (unsigned n = 1; n <= COUNT; n++)
        assert_int_equal(add(f, n,
                             n == 3   ? W - 4
                             : n == 4 ? W + 9
                                      : W,
                             n == 3   ? H + 5
                             : n == 4 ? H - 3
                                      : H),
                         0);
    assert_int_equal(util_frames_flush(f, NULL), 0);
    util_frames_destroy(f);
    const char *expected = "YUV4MPEG2 W24 H10 F60:1 Ip A1:1 C444\n";
    const size_t length = strlen(expected), size = 6 + 3 * W * H;
    assert_int_equal(util_y4m_header(W, H, 60, 1, header), length);
    assert_int_equal(lseek(fd, 0, SEEK_END), (off_t)(length + COUNT * size));
    assert_int_equal(pread(fd, header, length, 0), (ssize_t)length);
    assert_memory_equal(header, expected, length);
    for (unsigned n = 1; n <= COUNT; n++) {
        uint8_t bytes[6 + 3 * W * H];
        assert_int_equal(pread(fd, bytes, size, (off_t)(length + (n - 1) * size)), (ssize_t)size);
        assert_memory_equal(bytes, "FRAME\n", 6);
        for (uint32_t y = 0; y < H; y++)
            for (uint32_t x = 0; x < W; x++) {
                const bool black = (n == 3 && x >= W - 4) || (n == 4 && y >= H - 3);
                const double r = black ? 0 : value_at(n, x, y, 0), g = black ? 0 : value_at(n, x, y, 1),
                             b = black ? 0 : value_at(n, x, y, 2), luma = 0.299 * r + 0.587 * g + 0.114 * b;
                const double yuv[3] = {16 + luma * 219 / 255, 128 + (b - luma) / 1.772 * 224 / 255,
                                       128 + (r - luma) / 1.402 * 224 / 255};
                for (unsigned p = 0; p < 3; p++) /* factors of 8 bits are off by one, seldom by more */
                    assert_true(abs(bytes[6 + p * W * H + y * W + x] - (int)(yuv[p] + 0.5)) <= 2);
            }
    }
    close(fd);
    unlink(path);
}

static void test_wants(void **state)
{
    struct util_frames *f;
    struct util_frames_options options = {
        .folder = folder, .stream = -1, .first = 5, .last = 20, .every = 4, .threads = 1};
    assert_int_equal(util_frames_create(&options, &f), 0);
    for (unsigned n = 0; n < 40; n++)
        assert_int_equal(util_frames_wants(f, n), n == 5 || n == 9 || n == 13 || n == 17);
    util_frames_destroy(f);
    struct util_frames_options bad = options;
    bad.threads = 0;
    assert_int_equal(util_frames_create(&bad, &f), -EINVAL);
    bad = options, bad.every = 0;
    assert_int_equal(util_frames_create(&bad, &f), -EINVAL);
    bad = options, bad.last = 4;
    assert_int_equal(util_frames_create(&bad, &f), -EINVAL);
    bad = options, bad.folder = NULL;
    assert_int_equal(util_frames_create(&bad, &f), -EINVAL);
}

/* What fails is told by whoever hands over next, and at the end; then nobody waits for anything. */
static void check_failure(struct util_frames *f, int expected, const char *text)
{
    struct util_error error = {0};
    int r = 0;
    for (unsigned n = 1; n <= 30; n++)
        r = add(f, n, n == 4 && expected == -EFAULT ? 0 : 64, 64);
    assert_int_equal(r, expected);
    assert_int_equal(util_frames_flush(f, &error), expected);
    assert_int_equal(error.code, expected);
    assert_non_null(strstr(error.text, text));
    util_frames_destroy(f);
}

static void test_failures(void **state)
{
    char absent[96];
    int ends[2];
    snprintf(absent, sizeof absent, "%s/absent", folder);
    check_failure(make(absent, -1, 3), -ENOENT, "/absent/frame-00000");
    check_failure(make(folder, -1, 3), -EFAULT, "picture 4");
    for (unsigned n = 1; n <= 30; n++)
        unlink(path_of(n));
    const int full = open("/dev/full", O_WRONLY);
    assert_true(full >= 0);
    check_failure(make(NULL, full, 3), -ENOSPC, "the video");
    close(full);
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    signal(SIGPIPE, SIG_IGN);
    check_failure(make(NULL, ends[1], 3), -EPIPE, "the video");
    close(ends[1]);
    struct util_frames *f = make(folder, -1, 1);
    assert_int_equal(util_frames_add(f, 1, NULL, draw), -ENOMEM);
    assert_int_equal(util_frames_flush(f, NULL), -ENOMEM);
    util_frames_destroy(f);
    util_frames_destroy(NULL);
}

/* A PNG that is quickly written has the same pixels, and half of one does not stay. */
static void test_fast_png(void **state)
{
    struct util_image image, back;
    struct util_image_diff diff;
    assert_int_equal(util_image_init(&image, 301, 77), 0);
    for (uint32_t i = 0; i < 4 * image.width * image.height; i++)
        image.pixels[i] = (uint8_t)(i % 4 == 3 ? 255 : i * i >> 7);
    for (unsigned fast = 0; fast < 2; fast++) {
        assert_int_equal(fast ? util_image_write_png_fast(&image, path_of(1))
                              : util_image_write_png(&image, path_of(1), 1),
                         0);
        assert_int_equal(util_image_read_png(&back, path_of(1)), 0);
        assert_int_equal(util_image_compare(&image, &back, 0, 1, &diff), 0);
        assert_int_equal(diff.beyond, 0);
        util_image_finish(&back);
        unlink(path_of(1));
    }
    assert_int_equal(util_image_write_png_fast(&image, "/dev/full"), -ENOSPC);
    util_image_finish(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_files),    cmocka_unit_test(test_bounded),
                                       cmocka_unit_test(test_stream),   cmocka_unit_test(test_wants),
                                       cmocka_unit_test(test_failures), cmocka_unit_test(test_fast_png)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
