/* The public API used wrongly: NULL, twice, out of order, bad sizes and names, from callbacks and other
 * threads. Error codes and words, never a crash. Linked against the library alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vitrail.h>

#define PAGE 4096u

static struct vitrail_config small_config(void)
{
    struct vitrail_config config;
    assert_int_equal(vitrail_config_init(&config, sizeof config), 0);
    config.memory_size = 1 << 20;
    config.threads = 0;
    config.execution = VITRAIL_EXECUTION_INTERPRETED;
    return config;
}

static struct vitrail_context *open_small(void)
{
    struct vitrail_config config = small_config();
    struct vitrail_context *gpu;
    assert_int_equal(vitrail_open(&config, &gpu), 0);
    return gpu;
}

/* The code, and words that say more. */
static void fails(int got, int code, const char *words)
{
    assert_int_equal(got, code);
    if (!strstr(vitrail_last_error(), words))
        fail_msg("'%s' does not say '%s'", vitrail_last_error(), words);
    assert_string_not_equal(vitrail_strerror(code), "unknown error");
}

static void null_everywhere(void **state)
{
    struct vitrail_context *gpu = open_small(), *none = NULL;
    struct vitrail_capture *no_capture = NULL;
    struct vitrail_gpu info = {.size = sizeof info};
    struct vitrail_status status = {.size = sizeof status};
    struct vitrail_fault fault = {.size = sizeof fault};
    struct vitrail_frame frame = {.size = sizeof frame};
    struct vitrail_event event = {.size = sizeof event};
    struct vitrail_capture_info capture_info = {.size = sizeof capture_info};
    uint8_t bytes[64];
    uint32_t value;
    void *pointer;

    fails(vitrail_open(NULL, NULL), -EINVAL, "out");
    fails(vitrail_config_init(NULL, 8), -EINVAL, "NULL");
    fails(vitrail_gpu_get(0, NULL), -EINVAL, "out");
    fails(vitrail_gpu_find(NULL, &info), -EINVAL, "name");
    fails(vitrail_gpu_find("vc4", NULL), -EINVAL, "out");
    fails(vitrail_close(NULL), -EINVAL, "context");
    assert_int_equal(vitrail_close(&none), 0);
    fails(vitrail_reset(NULL, 0), -EINVAL, "context");
    fails(vitrail_memory_pointer(NULL, 0, 4, &pointer), -EINVAL, "context");
    fails(vitrail_memory_pointer(gpu, 0, 4, NULL), -EINVAL, "out");
    fails(vitrail_memory_read(NULL, 0, bytes, 4), -EINVAL, "context");
    fails(vitrail_memory_read(NULL, 0, bytes, 0), -EINVAL, "context");
    fails(vitrail_memory_read(gpu, 0, NULL, 4), -EINVAL, "to");
    fails(vitrail_memory_write(NULL, 0, bytes, 4), -EINVAL, "context");
    fails(vitrail_memory_write(gpu, 0, NULL, 4), -EINVAL, "from");
    assert_int_equal(vitrail_memory_size(NULL), 0);
    fails(vitrail_memory_fd(NULL), -EINVAL, "context");
    fails(vitrail_read_register(NULL, 0, &value), -EINVAL, "context");
    fails(vitrail_read_register(gpu, 0, NULL), -EINVAL, "value");
    fails(vitrail_write_register(NULL, 0, 0), -EINVAL, "context");
    fails(vitrail_set_irq(NULL, NULL, NULL), -EINVAL, "context");
    fails(vitrail_wait(NULL), -EINVAL, "context");
    fails(vitrail_save(NULL, NULL, 0), -EINVAL, "context");
    fails(vitrail_restore(NULL, "", 1), -EINVAL, "context");
    fails(vitrail_restore(gpu, NULL, 1), -EINVAL, "from");
    fails(vitrail_restore(gpu, "", 1), -EBADMSG, "state");
    fails(vitrail_get_status(NULL, &status), -EINVAL, "context");
    fails(vitrail_get_status(gpu, NULL), -EINVAL, "out");
    fails(vitrail_units(NULL, NULL, 0), -EINVAL, "context");
    fails(vitrail_units(gpu, NULL, 1), -EINVAL, "out");
    fails(vitrail_next_fault(NULL, &fault), -EINVAL, "context");
    fails(vitrail_next_fault(gpu, NULL), -EINVAL, "out");
    fails(vitrail_fault_text(NULL, (char *)bytes, 8), -EINVAL, "fault");
    fails(vitrail_fault_text(&fault, NULL, 8), -EINVAL, "text");
    fails(vitrail_fault_text(&fault, (char *)bytes, 0), -EINVAL, "size");
    fails(vitrail_counters(NULL, NULL, 0), -EINVAL, "context");
    fails(vitrail_counters(gpu, NULL, 1), -EINVAL, "out");
    fails(vitrail_last_frame(NULL, &frame), -EINVAL, "context");
    fails(vitrail_read_frame(NULL, &frame, 0, bytes, 4, 64), -EINVAL, "context");
    fails(vitrail_read_frame(gpu, NULL, 0, bytes, 4, 64), -EINVAL, "frame");
    fails(vitrail_read_frame(gpu, &frame, 0, NULL, 4, 64), -EINVAL, "to");
    fails(vitrail_capture_open(NULL, &no_capture), -EINVAL, "path");
    fails(vitrail_capture_open("x", NULL), -EINVAL, "out");
    fails(vitrail_capture_open_memory(NULL, 8, &no_capture), -EINVAL, "bytes");
    fails(vitrail_capture_open_memory(bytes, 8, NULL), -EINVAL, "out");
    fails(vitrail_capture_close(NULL), -EINVAL, "capture");
    assert_int_equal(vitrail_capture_close(&no_capture), 0);
    fails(vitrail_capture_get_info(NULL, &capture_info), -EINVAL, "capture");
    fails(vitrail_capture_next(NULL, &event), -EINVAL, "capture");
    fails(vitrail_capture_frame(NULL, &frame), -EINVAL, "capture");
    fails(vitrail_capture_rewind(NULL), -EINVAL, "capture");
    fails(vitrail_capture_play(NULL, gpu, 0, &frame), -EINVAL, "capture");
    assert_int_equal(vitrail_close(&gpu), 0);
}

static void twice_and_out_of_order(void **state)
{
    struct vitrail_context *gpu = open_small();
    struct vitrail_frame frame = {.size = sizeof frame};
    struct vitrail_fault fault = {.size = sizeof fault};

    fails(vitrail_last_frame(gpu, &frame), -ENODATA, "rendered");
    assert_int_equal(vitrail_next_fault(gpu, &fault), 0);
    fails(vitrail_reset(gpu, 0x80), -EINVAL, "flags");
    /* A job without lists, an end before its start, interrupts nobody asked for. */
    assert_int_equal(vitrail_write_register(gpu, 0x108, 0x40), 0);
    assert_int_equal(vitrail_write_register(gpu, 0x030, 0xffffffff), 0);
    assert_int_equal(vitrail_write_register(gpu, 0x30c, 1), 0);
    assert_int_equal(vitrail_reset(gpu, VITRAIL_RESET_MEMORY), 0);
    assert_int_equal(vitrail_close(&gpu), 0);
    assert_null(gpu);
    assert_int_equal(vitrail_close(&gpu), 0);
    fails(vitrail_write_register(gpu, 0, 0), -EINVAL, "NULL");
}

static void sizes(void **state)
{
    struct vitrail_context *gpu = open_small(), *none = (struct vitrail_context *)1;
    struct vitrail_config config = small_config();
    struct vitrail_status status = {.size = 3};
    struct vitrail_gpu info = {0};
    struct vitrail_frame frame = {.size = sizeof frame - 1};
    struct vitrail_fault fault = {.size = 1};
    uint8_t pixels[64];
    char text[8];

    fails(vitrail_config_init(&config, 8), -EINVAL, "small");
    config = small_config();
    config.size = 8;
    fails(vitrail_open(&config, &none), -EINVAL, "size");
    assert_null(none);
    fails(vitrail_get_status(gpu, &status), -EINVAL, "size");
    fails(vitrail_gpu_get(0, &info), -EINVAL, "size");
    fails(vitrail_fault_text(&fault, text, sizeof text), -EINVAL, "size");
    fails(vitrail_read_frame(gpu, &frame, 0, pixels, 4, 64), -EINVAL, "size");

    /* A caller with a newer header: unknown fields are cleared on the way out, refused on the way in when
     * used. */
    struct {
        struct vitrail_gpu known;
        uint64_t unknown[2];
    } newer = {.known.size = sizeof newer, .unknown = {1, 2}};
    assert_int_equal(vitrail_gpu_find("vc4", &newer.known), 0);
    assert_int_equal(newer.known.size, sizeof newer);
    assert_int_equal(newer.unknown[0] | newer.unknown[1], 0);
    struct {
        struct vitrail_config known;
        uint64_t unknown[2];
    } newer_config = {.known = small_config()};
    newer_config.known.size = sizeof newer_config;
    assert_int_equal(vitrail_open(&newer_config.known, &none), 0);
    assert_int_equal(vitrail_close(&none), 0);
    newer_config.unknown[1] = 1;
    fails(vitrail_open(&newer_config.known, &none), -E2BIG, "newer");
    assert_int_equal(vitrail_close(&gpu), 0);
}

static void configurations(void **state)
{
    static const struct {
        size_t offset;
        int value, code;
        const char *words;
    } numbers[] = {
        {offsetof(struct vitrail_config, threads), -2, -EINVAL, "threads"},
        {offsetof(struct vitrail_config, threads), 65, -EINVAL, "threads"},
        {offsetof(struct vitrail_config, threads), INT_MAX, -EINVAL, "threads"},
        {offsetof(struct vitrail_config, execution), 3, -EINVAL, "execution"},
        {offsetof(struct vitrail_config, execution), -1, -EINVAL, "execution"},
        {offsetof(struct vitrail_config, numeric), 3, -EINVAL, "numeric"},
        {offsetof(struct vitrail_config, memory), 3, -EINVAL, "memory"},
        {offsetof(struct vitrail_config, memory), -1, -EINVAL, "memory"},
        {offsetof(struct vitrail_config, memory), VITRAIL_MEMORY_FD, -EBADF, "memory"},
        {offsetof(struct vitrail_config, memory), VITRAIL_MEMORY_POINTER, -EINVAL, "memory"},
    };
    struct vitrail_context *gpu;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct vitrail_config config = small_config();
        memcpy((char *)&config + numbers[i].offset, &numbers[i].value, sizeof(int));
        fails(vitrail_open(&config, &gpu), numbers[i].code, numbers[i].words);
        assert_null(gpu);
    }
    static const uint64_t bad_sizes[] = {0, PAGE - 1, (1ull << 32) + 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof bad_sizes / sizeof *bad_sizes; i++) {
        struct vitrail_config config = small_config();
        config.memory_size = bad_sizes[i];
        fails(vitrail_open(&config, &gpu), -EINVAL, "memory_size");
    }
    struct vitrail_config config = small_config();
    config.gpu = "vc5";
    fails(vitrail_open(&config, &gpu), -ENOENT, "vc5");
    config.gpu = NULL;
    fails(vitrail_open(&config, &gpu), -EINVAL, "gpu");
    config = small_config();
    config.level = "avx1024";
    fails(vitrail_open(&config, &gpu), -EINVAL, "avx1024");
    struct vitrail_gpu info = {.size = sizeof info};
    fails(vitrail_gpu_find("", &info), -ENOENT, "name");
    fails(vitrail_gpu_get(UINT32_MAX, &info), -ENOENT, "GPUs");
}

static void foreign_memory(void **state)
{
    struct vitrail_config config = small_config();
    struct vitrail_context *gpu;
    int fd = memfd_create("ram", MFD_ALLOW_SEALING);
    assert_true(fd >= 0 && !ftruncate(fd, 1 << 20));
    config.memory = VITRAIL_MEMORY_FD;
    config.memory_fd = fd;
    fails(vitrail_open(&config, &gpu), -EPERM, "sealed");
    assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    config.memory_offset = PAGE;
    fails(vitrail_open(&config, &gpu), -EINVAL, "memory");
    config.memory_offset = 0;
    assert_int_equal(vitrail_open(&config, &gpu), 0);
    assert_int_equal(vitrail_close(&gpu), 0);
    assert_int_equal(fcntl(fd, F_GETFD), 0); /* still the caller's */
    close(fd);
    config.memory_fd = open("/dev/null", O_RDWR);
    fails(vitrail_open(&config, &gpu), -ENODEV, "memory");
    close(config.memory_fd);

    config.memory = VITRAIL_MEMORY_POINTER;
    uint8_t *memory = aligned_alloc(PAGE, 1 << 20);
    config.memory_pointer = memory + 8;
    fails(vitrail_open(&config, &gpu), -EINVAL, "memory");
    config.memory_pointer = memory;
    config.memory_size = PAGE + 1;
    fails(vitrail_open(&config, &gpu), -EINVAL, "memory");
    config.memory_size = PAGE;
    assert_int_equal(vitrail_open(&config, &gpu), 0);
    fails(vitrail_memory_fd(gpu), -ENOTSUP, "pointer");
    assert_int_equal(vitrail_close(&gpu), 0);
    free(memory);
}

static void ranges(void **state)
{
    struct vitrail_context *gpu = open_small();
    uint64_t size = vitrail_memory_size(gpu);
    uint8_t bytes[16] = {0};
    uint32_t value = 77;
    void *pointer = NULL;
    assert_int_equal(size, 1 << 20);
    fails(vitrail_memory_pointer(gpu, size, 1, &pointer), -EFAULT, "outside");
    fails(vitrail_memory_pointer(gpu, 0, size + 1, &pointer), -EFAULT, "outside");
    fails(vitrail_memory_pointer(gpu, UINT64_MAX, 2, &pointer), -EFAULT, "outside");
    fails(vitrail_memory_pointer(gpu, 0, 0, &pointer), -EINVAL, "size");
    assert_null(pointer);
    fails(vitrail_memory_read(gpu, size - 8, bytes, 16), -EFAULT, "outside");
    fails(vitrail_memory_write(gpu, size - 8, bytes, 16), -EFAULT, "outside");
    assert_int_equal(vitrail_memory_write(gpu, UINT64_MAX, bytes, 0), 0);
    static const uint32_t offsets[] = {1, 2, 0x1000, 0x1004, UINT32_MAX, UINT32_MAX - 3};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        fails(vitrail_read_register(gpu, offsets[i], &value), -EINVAL, "register");
        fails(vitrail_write_register(gpu, offsets[i], 1), -EINVAL, "register");
    }
    assert_int_equal(value, 77);
    assert_int_equal(vitrail_close(&gpu), 0);
}

static void frames(void **state)
{
    static const struct vitrail_frame good = {.size = sizeof good,
                                              .address = 0x1000,
                                              .width = 4,
                                              .height = 4,
                                              .layout = VITRAIL_LAYOUT_LINEAR,
                                              .pixels = VITRAIL_PIXELS_BGRA8888,
                                              .stride = 16};
    struct vitrail_context *gpu = open_small();
    struct vitrail_frame f = good;
    uint8_t pixels[64];
    assert_int_equal(vitrail_read_frame(gpu, &f, VITRAIL_READ_RGBA8, pixels, 16, 64), 0);
    assert_int_equal(vitrail_read_frame(gpu, &f, VITRAIL_READ_RAW, pixels, 16, 64), 0);
    fails(vitrail_read_frame(gpu, &f, 2, pixels, 16, 64), -EINVAL, "way");
    fails(vitrail_read_frame(gpu, &f, VITRAIL_READ_RAW, pixels, 16, 63), -ERANGE, "64");
    fails(vitrail_read_frame(gpu, &f, VITRAIL_READ_RAW, pixels, 15, 64), -EINVAL, "stride");
    fails(vitrail_read_frame(gpu, &f, VITRAIL_READ_RAW, pixels, SIZE_MAX, 64), -EINVAL, "overflows");
    f.layout = VITRAIL_LAYOUT_VC4_T;
    f.stride = 0;
    fails(vitrail_read_frame(gpu, &f, VITRAIL_READ_RGBA8, pixels, 16, 64), -EINVAL, "4x4");
    f = good;
    f.width = 0;
    fails(vitrail_read_frame(gpu, &f, VITRAIL_READ_RGBA8, pixels, 16, 64), -EINVAL, "0x4");
    f = good;
    f.height = UINT32_MAX;
    fails(vitrail_read_frame(gpu, &f, VITRAIL_READ_RGBA8, pixels, 16, SIZE_MAX), -EINVAL, "pixels");
    f = good;
    f.layout = 9;
    fails(vitrail_read_frame(gpu, &f, VITRAIL_READ_RGBA8, pixels, 16, 64), -EINVAL, "layout");
    f = good;
    f.pixels = VITRAIL_PIXELS_OTHER;
    fails(vitrail_read_frame(gpu, &f, VITRAIL_READ_RGBA8, pixels, 16, 64), -ENOTSUP, "name");
    f.pixels = 77;
    fails(vitrail_read_frame(gpu, &f, VITRAIL_READ_RGBA8, pixels, 16, 64), -EINVAL, "77");
    f = good;
    f.address = (1 << 20) - 32;
    fails(vitrail_read_frame(gpu, &f, VITRAIL_READ_RGBA8, pixels, 16, 64), -EFAULT, "outside");
    fails(vitrail_read_frame(gpu, &f, VITRAIL_READ_RAW, pixels, 16, 64), -EFAULT, "outside");
    f.address = 1ull << 40;
    fails(vitrail_read_frame(gpu, &f, VITRAIL_READ_RAW, pixels, 16, 64), -EFAULT, "outside");
    assert_int_equal(vitrail_close(&gpu), 0);
}

static void captures(void **state)
{
    static const uint8_t rubbish[100] = "VITRAIL\n";
    struct vitrail_capture *capture = (struct vitrail_capture *)1;
    struct vitrail_frame frame = {.size = sizeof frame};
    struct vitrail_event event = {.size = 4};
    struct vitrail_context *gpu = open_small();
    fails(vitrail_capture_open("/nonexistent/capture", &capture), -ENOENT, "/nonexistent/capture");
    assert_null(capture);
    assert_true(vitrail_capture_open(SOURCE_DIR, &capture) < 0);
    fails(vitrail_capture_open(SOURCE_DIR "/README.md", &capture), -EBADMSG, "README.md");
    assert_true(vitrail_capture_open_memory(rubbish, sizeof rubbish, &capture) < 0);
    assert_true(vitrail_capture_open_memory(rubbish, 0, &capture) < 0);

    assert_int_equal(vitrail_capture_open(SOURCE_DIR "/tests/captures/gltest.vtc", &capture), 0);
    fails(vitrail_capture_frame(capture, &frame), -ENODATA, "frame");
    fails(vitrail_capture_next(capture, &event), -EINVAL, "size");
    fails(vitrail_capture_play(capture, NULL, 0, &frame), -EINVAL, "context");
    fails(vitrail_capture_play(capture, gpu, 0, NULL), -EINVAL, "frame");
    fails(vitrail_capture_play(capture, gpu, 4, &frame), -EINVAL, "flags");
    fails(vitrail_capture_play(capture, gpu, 0, &frame), -ENOSPC, "memory");
    assert_int_equal(vitrail_capture_rewind(capture), 0);
    assert_int_equal(vitrail_capture_close(&capture), 0);
    assert_int_equal(vitrail_capture_close(&capture), 0);
    assert_int_equal(vitrail_close(&gpu), 0);
}

/* Damaged at every byte: read and played to the end or to an error. */
static void damaged_captures(void **state)
{
    FILE *file = fopen(SOURCE_DIR "/tests/captures/kmscube.vtc", "rb");
    uint8_t bytes[4096];
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(size > 1000 && size < sizeof bytes);
    unsigned refused = 0;
    for (size_t i = 0; i < size; i += 3) {
        struct vitrail_capture *capture;
        struct vitrail_event event = {.size = sizeof event};
        int code;
        bytes[i] ^= 0x41;
        code = vitrail_capture_open_memory(bytes, size, &capture);
        while (!code && !(code = vitrail_capture_next(capture, &event)) && event.type != VITRAIL_EVENT_END)
            ;
        if (code) /* the version's bytes are not checked by a sum, so that all versions can be told */
            fails(code, code == -ENOTSUP ? -ENOTSUP : -EBADMSG, "capture");
        refused += code != 0;
        assert_int_equal(vitrail_capture_close(&capture), 0);
        bytes[i] ^= 0x41;
    }
    assert_true(refused > size / 3 * 9 / 10);
}

/* ---- from callbacks, and from other threads ---- */

struct meddler {
    struct vitrail_context *gpu;
    struct vitrail_capture *capture;
    unsigned calls, lines;
    int level, wait_code, save_code, restore_code;
    int close_code, reset_code, play_code, other_thread_code, other_thread_close, status_code, write_code;
};

static void *other_thread(void *data)
{
    struct meddler *m = data;
    struct vitrail_context *same = m->gpu;
    uint32_t value;
    m->other_thread_code = vitrail_read_register(m->gpu, 0, &value);
    m->other_thread_close = vitrail_close(&same);
    return NULL;
}

static void meddle(void *data, uint32_t line, int level)
{
    struct meddler *m = data;
    struct vitrail_context *same = m->gpu;
    struct vitrail_frame frame = {.size = sizeof frame};
    struct vitrail_status status = {.size = sizeof status};
    pthread_t thread;
    m->calls++;
    m->level = level;
    if (!level)
        return;
    m->wait_code = vitrail_wait(m->gpu);
    m->save_code = vitrail_save(m->gpu, NULL, 0);
    m->restore_code = vitrail_restore(m->gpu, "", 1);
    m->close_code = vitrail_close(&same);
    m->reset_code = vitrail_reset(m->gpu, 0);
    m->play_code = vitrail_capture_play(m->capture, m->gpu, 0, &frame);
    assert_int_equal(pthread_create(&thread, NULL, other_thread, m), 0);
    pthread_join(thread, NULL);
    m->status_code = vitrail_get_status(m->gpu, &status);
    assert_int_equal(status.lines, 1u << line);
    m->write_code = vitrail_write_register(m->gpu, 0x030, 1);
    assert_int_equal(m->level, 1); /* that it fell is told when this has returned */
}

static void meddling_log(void *data, int level, const char *text)
{
    struct meddler *m = data;
    assert_true(*text);
    m->lines++;
    m->write_code = vitrail_write_register(m->gpu, 0x030, 1);
}

static void callbacks(void **state)
{
    struct meddler m = {0};
    struct vitrail_config config = small_config();
    config.log = meddling_log;
    config.log_data = &m;
    assert_int_equal(vitrail_open(&config, &m.gpu), 0);
    assert_int_equal(vitrail_capture_open(SOURCE_DIR "/tests/captures/gltest.vtc", &m.capture), 0);
    assert_int_equal(vitrail_set_irq(m.gpu, meddle, &m), 0);
    /* A rendering list whose frame ends at once: tile 0,0 stored, Guide table 38. */
    static const uint8_t list[] = {113, 0, 0x80, 0, 0, 64, 0, 64, 0, 4, 0, 115, 0, 0, 25};
    assert_int_equal(vitrail_memory_write(m.gpu, 0x1000, list, sizeof list), 0);
    assert_int_equal(vitrail_write_register(m.gpu, 0x034, 1), 0);
    assert_int_equal(vitrail_write_register(m.gpu, 0x114, 0x1000), 0);
    assert_int_equal(vitrail_write_register(m.gpu, 0x10c, 0x1000 + sizeof list), 0);
    assert_int_equal(vitrail_wait(m.gpu), 0);
    assert_int_equal(m.calls, 2); /* high, and low */
    assert_int_equal(m.level, 0);
    assert_int_equal(m.wait_code, -EBUSY);
    assert_int_equal(m.save_code, -EBUSY);
    assert_int_equal(m.restore_code, -EBUSY);
    assert_int_equal(m.close_code, -EBUSY);
    assert_int_equal(m.reset_code, -EBUSY);
    assert_int_equal(m.play_code, -EBUSY);
    assert_int_equal(m.other_thread_code, 0);
    assert_int_equal(m.other_thread_close, -EBUSY); /* as this one waits */
    assert_int_equal(m.status_code, 0);
    assert_int_equal(m.write_code, 0);

    /* A fault, and an error: each is a line of the log, in which the context is out of reach. */
    m.lines = 0;
    assert_int_equal(vitrail_write_register(m.gpu, 0x200, 5), 0);
    assert_int_equal(m.lines, 1);
    assert_int_equal(m.write_code, -EBUSY);
    assert_int_equal(vitrail_write_register(m.gpu, 3, 0), -EINVAL);
    assert_int_equal(m.lines, 2);
    assert_int_equal(vitrail_capture_close(&m.capture), 0);
    assert_int_equal(vitrail_close(&m.gpu), 0);
}

static void words(void **state)
{
    assert_string_equal(vitrail_strerror(0), "success");
    assert_string_equal(vitrail_strerror(17), "success");
    assert_string_equal(vitrail_strerror(-99999), "unknown error");
    assert_string_equal(vitrail_strerror(INT_MIN), "unknown error");
    assert_int_equal(vitrail_api_version() >> 16, VITRAIL_API_MAJOR);
    assert_true(strlen(vitrail_version()) >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_everywhere),
        cmocka_unit_test(twice_and_out_of_order),
        cmocka_unit_test(sizes),
        cmocka_unit_test(configurations),
        cmocka_unit_test(foreign_memory),
        cmocka_unit_test(ranges),
        cmocka_unit_test(frames),
        cmocka_unit_test(captures),
        cmocka_unit_test(damaged_captures),
        cmocka_unit_test(callbacks),
        cmocka_unit_test(words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
