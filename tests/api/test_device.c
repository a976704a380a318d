/* A GPU as a virtual machine's processors use it: several threads, none of which waits for a job. Linked against the
 * library alone. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gpus.h"

/* A capture of each family and each kind of its GPUs, below CAPTURES. */
static const char *const capture_of_family[] = {"gltest.vtc",         "mali400/gltest.vtc",
                                                "mali450/gltest.vtc", "t860/gltest.vtc",
                                                "g57/gltest.vtc",     "libresoc/gltest.vtc"};

static char cache[] = "/tmp/vitrail-device-XXXXXX"; /* of compiled programs */

static struct vitrail_capture *open_capture(const char *path, struct vitrail_capture_info *info)
{
    struct vitrail_capture *capture;
    char whole[512];
    snprintf(whole, sizeof whole, CAPTURES "%s", path);
    assert_int_equal(vitrail_capture_open(whole, &capture), 0);
    *info = (struct vitrail_capture_info){.size = sizeof *info};
    assert_int_equal(vitrail_capture_get_info(capture, info), 0);
    return capture;
}

static uint8_t *picture(struct vitrail_context *gpu, const struct vitrail_frame *frame)
{
    const size_t size = (size_t)frame->width * frame->height * 4;
    uint8_t *pixels = malloc(size);
    assert_non_null(pixels);
    assert_int_equal(vitrail_read_frame(gpu, frame, VITRAIL_READ_RGBA8, pixels, frame->width * 4ul, size), 0);
    return pixels;
}

static bool runs(struct vitrail_context *gpu)
{
    struct vitrail_unit units[16];
    const int count = vitrail_units(gpu, units, 16);
    assert_in_range(count, 1, 16);
    for (int n = 0; n < count; n++)
        if (units[n].state == VITRAIL_UNIT_RUNNING)
            return true;
    return false;
}

/* Writes what a driver wrote up to the next picture, and after each write looks on until nothing runs any more, as a
 * driver would until its interrupt. False at the capture's end. */
static bool drive(struct vitrail_capture *capture, struct vitrail_context *gpu, struct vitrail_frame *frame,
                  uint64_t *seen_running)
{
    struct vitrail_event event = {.size = sizeof event};
    for (;;) {
        assert_int_equal(vitrail_capture_next(capture, &event), 0);
        switch (event.type) {
        case VITRAIL_EVENT_END: return false;
        case VITRAIL_EVENT_MEMORY:
            assert_int_equal(vitrail_memory_write(gpu, event.address, event.bytes, event.count), 0);
            break;
        case VITRAIL_EVENT_FRAME: assert_int_equal(vitrail_capture_frame(capture, frame), 0); return true;
        default:
            assert_int_equal(vitrail_write_register(gpu, event.offset, event.value), 0);
            for (; runs(gpu); ++*seen_running)
                usleep(50);
        }
    }
}

/* Whether the job that fills a heap waits for the host. */
static bool waits_for_heap(struct vitrail_context *gpu)
{
    struct vitrail_unit units[16];
    const int count = vitrail_units(gpu, units, 16);
    for (int n = 0; n < count; n++)
        if (units[n].state == VITRAIL_UNIT_WAITING &&
            (!strcmp(units[n].name, "plbu") || !strncmp(units[n].name, "js", 2)))
            return true;
    return false;
}

struct told {
    struct vitrail_context *gpu;
    pthread_t host;
    atomic_uint elsewhere; /* calls on other threads than the host's, of lines that rose */
};

static void hear(void *data, uint32_t line, int level)
{
    struct told *told = data;
    (void)line;
    atomic_fetch_add(&told->elsewhere, level && !pthread_equal(pthread_self(), told->host));
}

/* A heap grows whenever the host gets to it: long after the callback, on a thread of the library's own, has returned,
 * and by another thread. A GPU that waits so cannot be saved, and says so. */
static void heaps_grow_late(void **state)
{
    static const char *const captures[] = {"mali400/heap.vtc", "t720/gltest.vtc", "t860/gltest.vtc",
                                           "g52/gltest.vtc", "g57/gltest.vtc"};
    enum { LATE_US = 20000 };
    for (size_t c = 0; c < sizeof captures / sizeof *captures; c++) {
        struct vitrail_capture_info info;
        struct vitrail_capture *capture = open_capture(captures[c], &info);
        struct vitrail_context *gpu =
            open_gpu(info.gpu, 1, VITRAIL_EXECUTION_COMPILED, info.memory_size, cache);
        struct vitrail_frame frame = {.size = sizeof frame}, last = {.size = sizeof last};
        struct vitrail_fault fault = {.size = sizeof fault};
        struct vitrail_event event = {.size = sizeof event};
        struct told told = {.gpu = gpu, .host = pthread_self()};
        unsigned waits = 0, frames = c ? 2 : 1; /* the first of gltest is only cleared */
        for (unsigned n = 0; n < frames; n++)
            assert_int_equal(vitrail_capture_play(capture, gpu, 0, &frame), 1);
        uint8_t *want = picture(gpu, &frame);
        assert_int_equal(vitrail_reset(gpu, VITRAIL_RESET_MEMORY), 0);
        assert_int_equal(vitrail_capture_rewind(capture), 0);
        assert_int_equal(vitrail_set_irq(gpu, hear, &told), 0);
        do {
            while (runs(gpu))
                usleep(50);
            if (waits_for_heap(gpu)) {
                assert_int_equal(vitrail_save(gpu, NULL, 0), -EBUSY);
                usleep(LATE_US);
                assert_true(waits_for_heap(gpu));
                waits++;
            }
            assert_int_equal(vitrail_capture_next(capture, &event), 0);
            assert_int_not_equal(event.type, VITRAIL_EVENT_END);
            if (event.type == VITRAIL_EVENT_MEMORY)
                assert_int_equal(vitrail_memory_write(gpu, event.address, event.bytes, event.count), 0);
            else if (event.type == VITRAIL_EVENT_FRAME)
                frames--;
            else
                assert_int_equal(vitrail_write_register(gpu, event.offset, event.value), 0);
        } while (frames);
        assert_int_equal(vitrail_capture_frame(capture, &last), 0);
        uint8_t *got = picture(gpu, &last);
        assert_memory_equal(got, want, (size_t)frame.width * frame.height * 4);
        if (!waits || !told.elsewhere)
            fail_msg("%s: waited %u times, told %u times", captures[c], waits, told.elsewhere);
        while (vitrail_next_fault(gpu, &fault) == 1)
            fail_msg("%s: %s", captures[c], fault.text);
        free(got);
        free(want);
        vitrail_close(&gpu);
        vitrail_capture_close(&capture);
    }
}

/* Every family, driven so with any number of threads, gives the bytes of a capture that is played. */
static void same_bytes(void **state)
{
    static const char *const captures[] = {"gltest.vtc",         "mali400/gltest.vtc", "mali450/gltest.vtc",
                                           "t720/gltest.vtc",    "t860/gltest.vtc",    "g31/gltest.vtc",
                                           "g72/gltest.vtc",     "g52/gltest.vtc",     "g57/gltest.vtc",
                                           "libresoc/gltest.vtc"};
    static const int threads[] = {0, 1, 2, 7};
    uint64_t seen_running = 0;
    for (size_t c = 0; c < sizeof captures / sizeof *captures; c++) {
        struct vitrail_capture_info info;
        struct vitrail_capture *capture = open_capture(captures[c], &info);
        struct vitrail_context *played =
            open_gpu(info.gpu, 0, VITRAIL_EXECUTION_COMPILED, info.memory_size, cache);
        struct vitrail_frame frame = {.size = sizeof frame};
        uint8_t *want[8];
        unsigned count = 0;
        while (vitrail_capture_play(capture, played, 0, &frame) == 1) {
            assert_in_range(count, 0, 7);
            want[count++] = picture(played, &frame);
        }
        assert_true(count > 0);
        for (unsigned t = 0; t < 4; t++) {
            struct vitrail_context *driven =
                open_gpu(info.gpu, threads[t], VITRAIL_EXECUTION_COMPILED, info.memory_size, cache);
            assert_int_equal(vitrail_capture_rewind(capture), 0);
            for (unsigned n = 0; drive(capture, driven, &frame, &seen_running); n++) {
                uint8_t *got = picture(driven, &frame);
                assert_memory_equal(got, want[n], (size_t)frame.width * frame.height * 4);
                free(got);
            }
            vitrail_close(&driven);
        }
        while (count)
            free(want[--count]);
        vitrail_close(&played);
        vitrail_capture_close(&capture);
    }
    assert_true(seen_running > 0); /* accesses did not wait for jobs */
}

/* What was written of it. */
static void copy_memory(struct vitrail_context *from, struct vitrail_context *to)
{
    const int fd = vitrail_memory_fd(from);
    off_t at = lseek(fd, 0, SEEK_DATA);
    while (at >= 0) {
        const off_t end = lseek(fd, at, SEEK_HOLE);
        void *bytes;
        assert_int_equal(vitrail_memory_pointer(from, (uint64_t)at, (uint64_t)(end - at), &bytes), 0);
        assert_int_equal(vitrail_memory_write(to, (uint64_t)at, bytes, (size_t)(end - at)), 0);
        at = lseek(fd, end, SEEK_DATA);
    }
}

/* A GPU is saved after a picture, and another one goes on from there: with the same registers, to the same bytes. */
static void saves_and_restores(void **state)
{
    for (size_t c = 0; c < sizeof capture_of_family / sizeof *capture_of_family; c++) {
        struct vitrail_capture_info info;
        struct vitrail_capture *capture = open_capture(capture_of_family[c], &info);
        struct vitrail_gpu about = {.size = sizeof about};
        struct vitrail_context *from =
            open_gpu(info.gpu, 0, VITRAIL_EXECUTION_COMPILED, info.memory_size, cache);
        struct vitrail_context *to =
            open_gpu(info.gpu, 1, VITRAIL_EXECUTION_COMPILED, info.memory_size, cache);
        struct vitrail_frame frame = {.size = sizeof frame};
        struct vitrail_status before = {.size = sizeof before}, after = {.size = sizeof after};
        uint64_t ran = 0;
        assert_true(drive(capture, from, &frame, &ran));
        const int size = vitrail_save(from, NULL, 0);
        assert_true(size > 64);
        uint8_t *bytes = malloc((size_t)size);
        assert_int_equal(vitrail_save(from, bytes, (size_t)size - 1), -ERANGE);
        assert_int_equal(vitrail_save(from, bytes, (size_t)size), size);
        copy_memory(from, to);
        assert_int_equal(vitrail_restore(to, bytes, (size_t)size), 0);
        assert_int_equal(vitrail_gpu_find(info.gpu, &about), 0);
        for (uint32_t at = 0; at < about.register_bytes; at += 4) {
            uint32_t want, got;
            assert_int_equal(vitrail_read_register(from, at, &want), 0);
            assert_int_equal(vitrail_read_register(to, at, &got), 0);
            if (want != got)
                fail_msg("%s: register 0x%x: 0x%x, not 0x%x", info.gpu, at, got, want);
        }
        assert_int_equal(vitrail_get_status(from, &before), 0);
        assert_int_equal(vitrail_get_status(to, &after), 0);
        assert_int_equal(after.jobs, before.jobs);
        assert_int_equal(after.lines, before.lines);

        /* The restored GPU goes on; what it draws the other one plays from the start. */
        uint8_t *got = NULL;
        if (drive(capture, to, &frame, &ran)) {
            got = picture(to, &frame);
            struct vitrail_frame other = {.size = sizeof other};
            assert_int_equal(vitrail_capture_rewind(capture), 0);
            assert_int_equal(vitrail_reset(from, VITRAIL_RESET_MEMORY), 0);
            assert_int_equal(vitrail_capture_play(capture, from, 0, &other), 1);
            assert_int_equal(vitrail_capture_play(capture, from, 0, &other), 1);
            uint8_t *want = picture(from, &other);
            assert_memory_equal(got, want, (size_t)frame.width * frame.height * 4);
            free(want);
        }
        free(got);

        /* Foreign bytes: cut, of another GPU, of no sense. */
        assert_int_equal(vitrail_restore(to, bytes, (size_t)size - 1), -EBADMSG);
        assert_int_equal(vitrail_restore(to, bytes, 3), -EBADMSG);
        bytes[8] ^= 1;
        assert_int_equal(vitrail_restore(to, bytes, (size_t)size), -EBADMSG);
        bytes[8] ^= 1;
        for (uint32_t seed = 1, n = 0; n < 8; n++) {
            for (int at = 24; at < size; at++)
                bytes[at] = (uint8_t)((seed = seed * 1664525u + 1013904223u) >> 24);
            assert_int_equal(vitrail_restore(to, bytes, (size_t)size), 0);
            for (uint32_t at = 0; at < about.register_bytes; at += 4) {
                uint32_t value;
                assert_int_equal(vitrail_read_register(to, at, &value), 0);
            }
            assert_int_equal(vitrail_wait(to), 0);
        }
        free(bytes);
        vitrail_close(&from);
        vitrail_close(&to);
        vitrail_capture_close(&capture);
    }
}

static void write_register(struct vitrail_context *gpu, uint32_t offset, uint32_t value)
{
    assert_int_equal(vitrail_write_register(gpu, offset, value), 0);
}

struct levels {
    atomic_uint rises, falls;
};

static void count_levels(void *data, uint32_t line, int level)
{
    struct levels *levels = data;
    atomic_fetch_add(level ? &levels->rises : &levels->falls, 1);
}

/* ---- processors that do as they please ---- */

struct storm {
    struct vitrail_context *gpu;
    uint32_t register_bytes;
    uint32_t (*starts)[2]; /* register writes of a driver */
    uint32_t start_count;
    atomic_bool over;
};

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void *read_all(void *data)
{
    struct storm *s = data;
    while (!atomic_load(&s->over)) {
        struct vitrail_status status = {.size = sizeof status};
        struct vitrail_fault fault = {.size = sizeof fault};
        struct vitrail_frame frame = {.size = sizeof frame};
        struct vitrail_counter counters[32];
        uint32_t value;
        for (uint32_t at = 0; at < s->register_bytes && !atomic_load(&s->over); at += 4)
            assert_int_equal(vitrail_read_register(s->gpu, at, &value), 0);
        assert_int_equal(vitrail_get_status(s->gpu, &status), 0);
        assert_true(vitrail_next_fault(s->gpu, &fault) >= 0);
        assert_true(vitrail_counters(s->gpu, counters, 32) > 0);
        (void)vitrail_last_frame(s->gpu, &frame);
        (void)runs(s->gpu);
    }
    return NULL;
}

/* What a driver writes, in order and shuffled, and words of no sense. */
static void *write_at_random(void *data)
{
    struct storm *s = data;
    uint32_t seed = 1;
    while (!atomic_load(&s->over)) {
        const uint32_t n = next_random(&seed), from = n % s->start_count;
        if (n & 64)
            write_register(s->gpu, next_random(&seed) % (s->register_bytes / 4) * 4, next_random(&seed));
        for (uint32_t k = 0; k < 8 && from + k < s->start_count; k++)
            write_register(s->gpu, s->starts[from + k][0], s->starts[from + k][1]);
    }
    return NULL;
}

static void take_starts(struct storm *s, struct vitrail_capture *capture)
{
    struct vitrail_event event = {.size = sizeof event};
    s->starts = calloc(4096, sizeof *s->starts);
    assert_non_null(s->starts);
    do {
        assert_int_equal(vitrail_capture_next(capture, &event), 0);
        if (event.type == VITRAIL_EVENT_MEMORY)
            assert_int_equal(vitrail_memory_write(s->gpu, event.address, event.bytes, event.count), 0);
        else if (event.type == VITRAIL_EVENT_REGISTER && s->start_count < 4096)
            memcpy(s->starts[s->start_count++], (uint32_t[]){event.offset, event.value}, 8);
    } while (event.type != VITRAIL_EVENT_END);
    assert_true(s->start_count > 0);
}

/* Four threads at once, resets by a fifth; afterwards the GPU draws what it always does. */
static void storms(void **state)
{
    for (size_t c = 0; c < sizeof capture_of_family / sizeof *capture_of_family; c++) {
        struct vitrail_capture_info info;
        struct vitrail_capture *capture = open_capture(capture_of_family[c], &info);
        struct vitrail_gpu about = {.size = sizeof about};
        struct vitrail_frame frame = {.size = sizeof frame};
        struct storm s = {.gpu =
                              open_gpu(info.gpu, 1, VITRAIL_EXECUTION_INTERPRETED, info.memory_size, cache)};
        struct levels levels = {0};
        pthread_t threads[4];
        assert_int_equal(vitrail_gpu_find(info.gpu, &about), 0);
        s.register_bytes = about.register_bytes;
        assert_int_equal(vitrail_capture_play(capture, s.gpu, 0, &frame), 1);
        uint8_t *want = picture(s.gpu, &frame);
        assert_int_equal(vitrail_capture_rewind(capture), 0);
        take_starts(&s, capture);
        assert_int_equal(vitrail_set_irq(s.gpu, count_levels, &levels), 0);
        for (unsigned n = 0; n < 4; n++)
            assert_int_equal(pthread_create(&threads[n], NULL, n & 1 ? read_all : write_at_random, &s), 0);
        for (unsigned n = 0; n < 5; n++) {
            usleep(30000);
            assert_int_equal(vitrail_reset(s.gpu, 0), 0);
        }
        atomic_store(&s.over, true);
        for (unsigned n = 0; n < 4; n++)
            pthread_join(threads[n], NULL);
        assert_int_equal(vitrail_reset(s.gpu, VITRAIL_RESET_MEMORY), 0);
        assert_int_equal(vitrail_wait(s.gpu), 0);
        assert_int_equal(levels.rises, levels.falls); /* all lines are low, and it was told */
        assert_int_equal(vitrail_capture_rewind(capture), 0);
        assert_int_equal(vitrail_capture_play(capture, s.gpu, 0, &frame), 1);
        uint8_t *got = picture(s.gpu, &frame);
        assert_memory_equal(got, want, (size_t)frame.width * frame.height * 4);
        free(got);
        free(want);
        free(s.starts);
        vitrail_close(&s.gpu);
        vitrail_capture_close(&capture);
    }
}

/* ---- lines ---- */

/* Every GPU's lines have the names by which device trees know interrupts, at the header's numbers, and no others. */
static void lines_have_names(void **state)
{
    static const struct {
        const char *gpu;
        const char *names[VITRAIL_LINES];
    } want[] = {
        {"vc4", {[VITRAIL_LINE_VC4] = "v3d"}},
        {"mali400",
         {"gp", "gpmmu", "pp0", "pp1", [VITRAIL_LINE_UTGARD_PPMMU0] = "ppmmu0",
          [VITRAIL_LINE_UTGARD_PPMMU0 + 1] = "ppmmu1", [VITRAIL_LINE_UTGARD_PMU] = "pmu"}},
        {"t860", {"job", "mmu", "gpu"}},
        {"g31", {"job", "mmu", "gpu"}},
        {"g57", {"job", "mmu", "gpu"}},
        {"libresoc", {[VITRAIL_LINE_LIBRESOC] = "gpu"}},
    };
    for (size_t n = 0; n < sizeof want / sizeof *want; n++) {
        struct vitrail_context *gpu = open_gpu(want[n].gpu, 0, VITRAIL_EXECUTION_INTERPRETED, 1 << 20, cache);
        for (uint32_t line = 0; line < VITRAIL_LINES; line++) {
            const char *name = vitrail_line_name(gpu, line);
            if (!name != !want[n].names[line] || (name && strcmp(name, want[n].names[line]) != 0))
                fail_msg("%s: line %u is '%s'", want[n].gpu, line, name ? name : "");
        }
        assert_null(vitrail_line_name(gpu, VITRAIL_LINES));
        vitrail_close(&gpu);
    }
}

enum { /* panfrost_regs.h */
       MALI_GPU_INT_CLEAR = 0x24,
       MALI_GPU_INT_MASK = 0x28,
       MALI_GPU_COMMAND = 0x30,
       MALI_GPU_SOFT_RESET = 1,
       MALI_RESET_COMPLETED = 0x100,
};

struct flicker {
    struct vitrail_context *gpu;
    unsigned calls;
    int levels[8];
};

/* The first time, the line falls and rises again while the embedder is in here. */
static void flicker(void *data, uint32_t line, int level)
{
    struct flicker *f = data;
    struct vitrail_status status = {.size = sizeof status};
    assert_int_equal(line, VITRAIL_LINE_MALI_GPU);
    f->levels[f->calls++ % 8] = level;
    if (f->calls > 1)
        return;
    vitrail_write_register(f->gpu, MALI_GPU_INT_MASK, 0);
    assert_int_equal(vitrail_get_status(f->gpu, &status), 0);
    assert_int_equal(status.lines, 0); /* what a controller is set to here */
    vitrail_write_register(f->gpu, MALI_GPU_INT_MASK, MALI_RESET_COMPLETED);
}

/* A line that changes and changes back amid a callback is told again: else who has seen it low would wait for good. */
static void lines_flicker(void **state)
{
    struct flicker f = {.gpu = open_gpu("t860", 0, VITRAIL_EXECUTION_INTERPRETED, 1 << 20, cache)};
    assert_int_equal(vitrail_set_irq(f.gpu, flicker, &f), 0);
    vitrail_write_register(f.gpu, MALI_GPU_COMMAND, MALI_GPU_SOFT_RESET);
    vitrail_wait(f.gpu);
    vitrail_write_register(f.gpu, MALI_GPU_INT_MASK, MALI_RESET_COMPLETED);
    vitrail_wait(f.gpu);
    assert_int_equal(f.calls, 3);
    for (int n = 0; n < 3; n++)
        assert_int_equal(f.levels[n], n != 1);
    vitrail_write_register(f.gpu, MALI_GPU_INT_CLEAR, MALI_RESET_COMPLETED);
    vitrail_wait(f.gpu);
    assert_int_equal(f.calls, 4);
    assert_int_equal(f.levels[3], 0);
    vitrail_close(&f.gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heaps_grow_late),    cmocka_unit_test(same_bytes),
        cmocka_unit_test(saves_and_restores), cmocka_unit_test(storms),
        cmocka_unit_test(lines_flicker),      cmocka_unit_test(lines_have_names),
    };
    if (!mkdtemp(cache))
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", cache);
    return system(command) || failed;
}
