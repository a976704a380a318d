/* The public API used well: what contexts, captures, faults, counters and frames give. Linked against the
 * library alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vitrail.h>

#define CAPTURES SOURCE_DIR "/tests/captures/"

static struct vitrail_context *open_with(int threads, int execution)
{
    struct vitrail_config config;
    struct vitrail_context *gpu;
    assert_int_equal(vitrail_config_init(&config, sizeof config), 0);
    config.threads = threads;
    config.execution = execution;
    config.cache_dir = "";
    assert_int_equal(vitrail_open(&config, &gpu), 0);
    return gpu;
}

static uint8_t *picture(struct vitrail_context *gpu, const struct vitrail_frame *frame, size_t *size)
{
    *size = (size_t)frame->width * frame->height * 4;
    uint8_t *pixels = malloc(*size);
    assert_non_null(pixels);
    assert_int_equal(vitrail_read_frame(gpu, frame, VITRAIL_READ_RGBA8, pixels, frame->width * 4ul, *size),
                     0);
    return pixels;
}

static uint64_t counter(struct vitrail_context *gpu, const char *name)
{
    struct vitrail_counter counters[64];
    int n = vitrail_counters(gpu, counters, 64);
    assert_in_range(n, 1, 64);
    for (int i = 0; i < n; i++)
        if (!strcmp(counters[i].name, name))
            return counters[i].value;
    fail_msg("no counter '%s'", name);
    return 0;
}

static void gpus(void **state)
{
    struct vitrail_gpu first = {.size = sizeof first}, found = {.size = sizeof found};
    unsigned n = 0;
    while (!vitrail_gpu_get(n, &first)) {
        assert_int_equal(vitrail_gpu_find(first.name, &found), 0);
        assert_ptr_equal(first.name, found.name);
        assert_true(strlen(first.description) > 4 && first.register_bytes >= 4 && first.memory_max >= 4096);
        n++;
    }
    assert_true(n >= 1);
    assert_int_equal(vitrail_gpu_find("vc4", &found), 0);
    assert_true(found.capabilities & VITRAIL_CAP_COMPILED);
    assert_true(found.capabilities & VITRAIL_CAP_CAPTURES);
}

/* Frame by frame, twice, compiled and in the reference, and with any number of threads: the same. */
static void plays(void **state)
{
    static const struct {
        int threads, execution;
    } ways[] = {{0, VITRAIL_EXECUTION_COMPILED},
                {3, VITRAIL_EXECUTION_COMPILED},
                {0, VITRAIL_EXECUTION_INTERPRETED},
                {1, VITRAIL_EXECUTION_REFERENCE}};
    uint8_t *want[4] = {NULL};
    struct vitrail_capture *capture;
    struct vitrail_capture_info info = {.size = sizeof info};
    assert_int_equal(vitrail_capture_open(CAPTURES "gltest.vtc", &capture), 0);
    for (size_t w = 0; w < 4; w++) {
        struct vitrail_context *gpu = open_with(ways[w].threads, ways[w].execution);
        struct vitrail_frame frame = {.size = sizeof frame};
        for (unsigned loop = 0; loop < 2; loop++) {
            unsigned n = 0;
            while (vitrail_capture_play(capture, gpu, 0, &frame) == 1) {
                size_t size;
                uint8_t *got = picture(gpu, &frame, &size);
                assert_true(n < 4);
                if (want[n]) {
                    assert_memory_equal(got, want[n], size);
                    free(got);
                } else {
                    want[n] = got;
                }
                n++;
            }
            assert_int_equal(n, 4);
            assert_int_equal(vitrail_capture_play(capture, gpu, 0, &frame), 0);
            assert_true(counter(gpu, "draws") >= 3);
            assert_true(counter(gpu, "instructions") > 1000);
            assert_true((counter(gpu, "compiled") > 0) == (ways[w].execution == VITRAIL_EXECUTION_COMPILED));
            assert_int_equal(vitrail_capture_get_info(capture, &info), 0);
            assert_int_equal(info.position, info.file_size);
            assert_string_equal(info.gpu, "vc4");
            assert_int_equal(vitrail_capture_rewind(capture), 0);
            assert_int_equal(vitrail_reset(gpu, VITRAIL_RESET_MEMORY), 0);
            assert_int_equal(counter(gpu, "draws"), 0);
        }
        assert_int_equal(vitrail_close(&gpu), 0);
    }
    for (unsigned i = 0; i < 4; i++)
        free(want[i]);
    assert_int_equal(vitrail_capture_close(&capture), 0);
}

static void plays_presented(void **state)
{
    struct vitrail_capture *capture;
    struct vitrail_frame frame = {.size = sizeof frame};
    unsigned all = 0, shown = 0, marked = 0;
    struct vitrail_context *gpu = open_with(0, VITRAIL_EXECUTION_INTERPRETED);
    assert_int_equal(vitrail_capture_open(CAPTURES "kmscube.vtc", &capture), 0);
    while (vitrail_capture_play(capture, gpu, VITRAIL_PLAY_PRESENTED, &frame) == 1) {
        assert_int_equal(frame.presented, 1);
        shown++;
    }
    vitrail_capture_rewind(capture);
    vitrail_reset(gpu, VITRAIL_RESET_MEMORY);
    while (vitrail_capture_play(capture, gpu, 0, &frame) == 1) {
        marked += frame.presented;
        all++;
    }
    assert_int_equal(shown, 2);
    assert_int_equal(marked, shown);
    assert_true(all > shown);
    vitrail_capture_close(&capture);
    vitrail_close(&gpu);
}

/* Raw pixels and RGBA8 say the same; a stride leaves the gaps alone. */
static void raw(void **state)
{
    struct vitrail_capture *capture;
    struct vitrail_frame frame = {.size = sizeof frame}, last = {.size = sizeof last};
    struct vitrail_context *gpu = open_with(0, VITRAIL_EXECUTION_INTERPRETED);
    assert_int_equal(vitrail_capture_open(CAPTURES "gltest.vtc", &capture), 0);
    assert_int_equal(vitrail_capture_play(capture, gpu, 0, &frame), 1);
    assert_int_equal(vitrail_capture_play(capture, gpu, 0, &frame), 1);
    assert_int_equal(vitrail_last_frame(gpu, &last), 0);
    assert_int_equal(last.address, frame.address);
    assert_int_equal(last.stride, frame.stride);
    assert_int_equal(last.layout, frame.layout);

    size_t size, stride = frame.width * 4 + 8;
    uint8_t *rgba = picture(gpu, &frame, &size);
    uint8_t *words = malloc(stride * frame.height);
    memset(words, 0xee, stride * frame.height);
    assert_int_equal(vitrail_read_frame(gpu, &frame, VITRAIL_READ_RAW, words, stride, stride * frame.height),
                     0);
    unsigned red = frame.pixels == VITRAIL_PIXELS_RGBA8888 ? 0 : 2, colours = 0;
    for (uint32_t y = 0; y < frame.height; y++) {
        for (uint32_t x = 0; x < frame.width; x++) {
            const uint8_t *a = rgba + ((size_t)y * frame.width + x) * 4, *b = words + y * stride + x * 4ul;
            assert_int_equal(a[0], b[red]);
            assert_int_equal(a[1], b[1]);
            assert_int_equal(a[2], b[2 - red]);
            assert_int_equal(a[3], b[3]);
            colours += a[0] != a[2];
        }
        assert_int_equal(words[y * stride + frame.width * 4], 0xee);
    }
    assert_true(colours > 100);
    free(rgba);
    free(words);
    vitrail_capture_close(&capture);
    vitrail_close(&gpu);
}

/* ---- faults ---- */

struct lines {
    unsigned count[3];
    char last[512];
};

static void keep_line(void *data, int level, const char *text)
{
    struct lines *lines = data;
    lines->count[level]++;
    snprintf(lines->last, sizeof lines->last, "%s", text);
}

static void faults(void **state)
{
    struct lines lines = {0};
    struct vitrail_config config;
    struct vitrail_context *gpu;
    struct vitrail_fault fault = {.size = sizeof fault};
    struct vitrail_status status = {.size = sizeof status};
    struct vitrail_unit units[8];
    vitrail_config_init(&config, sizeof config);
    config.memory_size = 1 << 20;
    config.execution = VITRAIL_EXECUTION_INTERPRETED;
    config.log = keep_line;
    config.log_data = &lines;
    config.log_level = VITRAIL_LOG_INFO;
    assert_int_equal(vitrail_open(&config, &gpu), 0);
    assert_int_equal(lines.count[VITRAIL_LOG_INFO], 1);

    /* A NOP, then a record that does not exist (Guide table 38). */
    static const uint8_t bad[] = {1, 200, 0, 0};
    vitrail_memory_write(gpu, 0x2000, bad, sizeof bad);
    vitrail_write_register(gpu, 0x114, 0x2000);
    assert_int_equal(vitrail_write_register(gpu, 0x10c, 0x2004), 0);
    assert_int_equal(vitrail_wait(gpu), 0);
    assert_int_equal(vitrail_get_status(gpu, &status), 0);
    assert_int_equal(status.jobs, 1);
    assert_int_equal(status.faults, 1);
    assert_int_equal(status.faults_kept, 1);
    int n = vitrail_units(gpu, units, 8);
    assert_int_equal(n, (int)status.units);
    assert_in_range(n, 2, 8);
    assert_string_equal(units[1].name, "renderer");
    assert_int_equal(units[1].state, VITRAIL_UNIT_FAULTED);
    assert_int_equal(units[1].address, 0x2001);
    assert_int_equal(units[0].state, VITRAIL_UNIT_IDLE);

    char text[512], cut[10];
    assert_int_equal(vitrail_next_fault(gpu, &fault), 1);
    assert_int_equal(fault.kind, VITRAIL_FAULT_PACKET);
    assert_int_equal(fault.address, 0x2001);
    assert_int_equal(fault.job, 1);
    assert_string_equal(fault.gpu, "vc4");
    int length = vitrail_fault_text(&fault, text, sizeof text);
    assert_int_equal(length, strlen(text));
    assert_non_null(strstr(text, fault.text));
    assert_int_equal(vitrail_fault_text(&fault, cut, sizeof cut), 9);
    assert_memory_equal(cut, text, 9);
    assert_int_equal(lines.count[VITRAIL_LOG_WARNING], 1);
    assert_string_equal(lines.last, text);
    assert_int_equal(vitrail_next_fault(gpu, &fault), 0);
    vitrail_get_status(gpu, &status);
    assert_int_equal(status.faults, 1);
    assert_int_equal(status.faults_kept, 0);

    /* More than are kept: the oldest stay, all are counted. */
    for (unsigned i = 0; i < 70; i++) {
        vitrail_write_register(gpu, 0x114, 0x2000);
        vitrail_write_register(gpu, 0x10c, 0x2004);
        vitrail_wait(gpu);
    }
    vitrail_get_status(gpu, &status);
    assert_int_equal(status.faults, 71);
    assert_int_equal(status.faults_kept, 64);
    assert_int_equal(vitrail_next_fault(gpu, &fault), 1);
    assert_int_equal(fault.job, 2);
    vitrail_reset(gpu, 0);
    assert_int_equal(vitrail_next_fault(gpu, &fault), 0);
    vitrail_get_status(gpu, &status);
    assert_int_equal(status.faults | status.jobs, 0);
    vitrail_close(&gpu);
}

/* A list that branches to itself ends where the budget says. */
static void budget(void **state)
{
    struct vitrail_config config;
    struct vitrail_context *gpu;
    struct vitrail_fault fault = {.size = sizeof fault};
    static const uint8_t loop[] = {16, 0, 0x20, 0, 0};
    vitrail_config_init(&config, sizeof config);
    config.memory_size = 1 << 20;
    config.execution = VITRAIL_EXECUTION_INTERPRETED;
    config.packet_budget = 1000;
    assert_int_equal(vitrail_open(&config, &gpu), 0);
    vitrail_memory_write(gpu, 0x2000, loop, sizeof loop);
    vitrail_write_register(gpu, 0x114, 0x2000);
    vitrail_write_register(gpu, 0x10c, 0x2010);
    vitrail_wait(gpu);
    assert_int_equal(vitrail_next_fault(gpu, &fault), 1);
    assert_int_equal(fault.kind, VITRAIL_FAULT_TIMEOUT);
    vitrail_close(&gpu);
}

/* ---- memory ---- */

static void shared_memory(void **state)
{
    struct vitrail_config config;
    struct vitrail_context *gpu;
    struct vitrail_gpu info = {.size = sizeof info};
    uint32_t word = 0x12345678, back = 0;
    void *pointer;
    int fd = memfd_create("ram", MFD_ALLOW_SEALING);
    assert_true(fd >= 0 && !ftruncate(fd, 1 << 20) && !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK));
    uint8_t *ram = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_ptr_not_equal(ram, MAP_FAILED);
    vitrail_config_init(&config, sizeof config);
    config.memory = VITRAIL_MEMORY_FD;
    config.memory_fd = fd;
    config.memory_offset = 1 << 16;
    config.memory_size = 1 << 17;
    config.execution = VITRAIL_EXECUTION_INTERPRETED;
    assert_int_equal(vitrail_open(&config, &gpu), 0);
    memcpy(ram + (1 << 16) + 64, &word, 4);
    assert_int_equal(vitrail_memory_read(gpu, 64, &back, 4), 0);
    assert_int_equal(back, word);
    assert_int_equal(vitrail_memory_write(gpu, 128, &word, 4), 0);
    assert_memory_equal(ram + (1 << 16) + 128, &word, 4);
    assert_int_equal(vitrail_memory_pointer(gpu, 128, 4, &pointer), 0);
    assert_memory_equal(pointer, &word, 4);
    assert_int_equal(vitrail_reset(gpu, VITRAIL_RESET_MEMORY), 0);
    assert_int_equal(ram[(1 << 16) + 128], 0);
    assert_int_equal(vitrail_close(&gpu), 0);
    munmap(ram, 1 << 20);
    close(fd);

    /* The library's own memory, seen through its descriptor. */
    config.memory = VITRAIL_MEMORY_OWN;
    assert_int_equal(vitrail_open(&config, &gpu), 0);
    assert_int_equal(vitrail_memory_write(gpu, 256, &word, 4), 0);
    back = 0;
    assert_int_equal(pread(vitrail_memory_fd(gpu), &back, 4, 256), 4);
    assert_int_equal(back, word);
    vitrail_close(&gpu);
}

/* Contexts on several threads at once do not see each other. */
static void *play_alone(void *data)
{
    struct vitrail_capture *capture;
    struct vitrail_frame frame = {.size = sizeof frame};
    struct vitrail_context *gpu = open_with(1, VITRAIL_EXECUTION_COMPILED);
    unsigned *n = data;
    assert_int_equal(vitrail_capture_open(CAPTURES "kmscube.vtc", &capture), 0);
    while (vitrail_capture_play(capture, gpu, 0, &frame) == 1)
        ++*n;
    vitrail_capture_close(&capture);
    vitrail_close(&gpu);
    return NULL;
}

static void side_by_side(void **state)
{
    pthread_t threads[3];
    unsigned frames[3] = {0};
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, play_alone, &frames[i]), 0);
    for (unsigned i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert_true(frames[0] > 0 && frames[0] == frames[1] && frames[1] == frames[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpus),          cmocka_unit_test(plays),        cmocka_unit_test(plays_presented),
        cmocka_unit_test(raw),           cmocka_unit_test(faults),       cmocka_unit_test(budget),
        cmocka_unit_test(shared_memory), cmocka_unit_test(side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
