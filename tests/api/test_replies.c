/* Captures whose recorded driver answered "out of memory": played, and driven event by event. The capture is
 * written with the insides of Vitrail; it is played with the library alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include <vitrail.h>

#include "gpu/capture.h"
#include "raster/surface.h"
#include "tests/gpu/vc4/replies_scene.h"

static char path[] = "/tmp/vitrail-replies-XXXXXX";

static void record(bool answered)
{
    struct scene s = {.at = AT_MAIN};
    uint32_t binning_end, rendering;
    struct capture_writer *w;
    struct capture_frame frame = {AT_COLOR, 64, 64, RASTER_LINEAR, RASTER_B8G8R8A8_UNORM, 256, 0};
    assert_int_equal(gpu_memory_create(MEMORY, &s.memory), 0);
    put_lists(&s, &binning_end, &rendering);
    assert_int_equal(capture_writer_create(path, "vc4", "", MEMORY, &w, NULL), 0);
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
    gpu_memory_destroy(&s.memory);
}

struct line {
    struct vitrail_context *gpu;
    unsigned rises, falls;
    int others_code;
};

static void *read_elsewhere(void *data)
{
    struct line *line = data;
    uint32_t value;
    line->others_code = vitrail_read_register(line->gpu, VC4_INTCTL, &value);
    return NULL;
}

static void on_interrupt(void *data, uint32_t number, int level)
{
    struct line *line = data;
    pthread_t thread;
    line->rises += level;
    line->falls += !level;
    assert_int_equal(pthread_create(&thread, NULL, read_elsewhere, line), 0);
    pthread_join(thread, NULL);
}

/* With the answers the triangle is there; without them the job faults, and the embedder sees the interrupt.
 */
static void plays(void **state)
{
    for (int answered = 0; answered < 2; answered++) {
        struct vitrail_config config;
        struct vitrail_context *gpu;
        struct vitrail_capture *capture;
        record(answered);
        vitrail_config_init(&config, sizeof config);
        config.memory_size = MEMORY;
        config.execution = VITRAIL_EXECUTION_INTERPRETED;
        assert_int_equal(vitrail_open(&config, &gpu), 0);
        assert_int_equal(vitrail_capture_open(path, &capture), 0);
        for (int pass = 0; pass < 2; pass++) {
            const uint8_t inside[4] = {0xff, 0xff, 0, 0xff}, nothing[4] = {0};
            struct vitrail_frame frame = {.size = sizeof frame};
            struct vitrail_fault fault = {.size = sizeof fault};
            struct line line = {.gpu = gpu};
            static uint8_t pixels[64 * 64 * 4];
            vitrail_set_irq(gpu, on_interrupt, &line);
            assert_int_equal(vitrail_capture_play(capture, gpu, 0, &frame), 1);
            assert_int_equal(vitrail_next_fault(gpu, &fault), !answered);
            if (!answered)
                assert_int_equal(fault.kind, VITRAIL_FAULT_TILE_MEMORY);
            assert_int_equal(line.rises, !answered);
            assert_int_equal(line.others_code, answered ? 0 : -EBUSY); /* the GPU is the player's meanwhile */
            assert_int_equal(vitrail_read_frame(gpu, &frame, VITRAIL_READ_RGBA8, pixels, 256, sizeof pixels),
                             0);
            assert_memory_equal(pixels + (20 * 64 + 20) * 4, answered ? inside : nothing, 4);
            assert_int_equal(vitrail_capture_play(capture, gpu, 0, &frame), 0);
            assert_int_equal(vitrail_capture_rewind(capture), 0);
            assert_int_equal(vitrail_reset(gpu, VITRAIL_RESET_MEMORY), 0);
        }
        vitrail_capture_close(&capture);
        vitrail_close(&gpu);
    }
}

/* The order of the events: the answers stand behind the write that they answer. */
static void events(void **state)
{
    static const uint32_t order[] = {
        VITRAIL_EVENT_REGISTER,  VITRAIL_EVENT_REGISTER,  VITRAIL_EVENT_REGISTER, VITRAIL_EVENT_IRQ_REPLY,
        VITRAIL_EVENT_IRQ_REPLY, VITRAIL_EVENT_IRQ_REPLY, VITRAIL_EVENT_REGISTER, VITRAIL_EVENT_REGISTER,
        VITRAIL_EVENT_FRAME,     VITRAIL_EVENT_END,       VITRAIL_EVENT_END};
    struct vitrail_capture *capture;
    struct vitrail_event event = {.size = sizeof event};
    unsigned pages = 0, n = 0;
    record(true);
    assert_int_equal(vitrail_capture_open(path, &capture), 0);
    while (n < UTIL_ARRAY_SIZE(order)) {
        assert_int_equal(vitrail_capture_next(capture, &event), 0);
        if (event.type == VITRAIL_EVENT_MEMORY) {
            assert_true(event.count > 0 && event.bytes && n == 0);
            pages++;
            continue;
        }
        assert_int_equal(event.type, order[n]);
        n++;
    }
    assert_true(pages >= 5);
    vitrail_capture_close(&capture);
}

/* ---- answers from another thread, later ---- */

#define AT_RENDERING (AT_MAIN + 0x4000)

static void write_register(struct vitrail_context *gpu, uint32_t offset, uint32_t value)
{
    assert_int_equal(vitrail_write_register(gpu, offset, value), 0);
}

static uint32_t read_register(struct vitrail_context *gpu, uint32_t offset)
{
    uint32_t value;
    assert_int_equal(vitrail_read_register(gpu, offset, &value), 0);
    return value;
}

static void await_bits(struct vitrail_context *gpu, uint32_t offset, uint32_t bits)
{
    for (unsigned ms = 0; !(read_register(gpu, offset) & bits); ms++) {
        assert_in_range(ms, 0, 20000);
        usleep(1000);
    }
}

struct levels {
    atomic_uint rises, falls;
};

static void count_levels(void *data, uint32_t line, int level)
{
    struct levels *levels = data;
    atomic_fetch_add(level ? &levels->rises : &levels->falls, 1);
}

/* A binner that asks for memory nobody has enabled the interrupt of. */
static struct vitrail_context *open_asking(uint32_t *binning_end)
{
    struct scene s = {.at = AT_MAIN};
    struct vitrail_config config;
    struct vitrail_context *gpu;
    uint32_t rendering;
    assert_int_equal(gpu_memory_create(MEMORY, &s.memory), 0);
    put_lists(&s, binning_end, &rendering);
    vitrail_config_init(&config, sizeof config);
    config.memory_size = MEMORY;
    config.execution = VITRAIL_EXECUTION_INTERPRETED;
    assert_int_equal(vitrail_open(&config, &gpu), 0);
    assert_int_equal(vitrail_memory_write(gpu, 0, s.memory.base, MEMORY), 0);
    gpu_memory_destroy(&s.memory);
    return gpu;
}

static void ask(struct vitrail_context *gpu, uint32_t binning_end)
{
    write_register(gpu, VC4_CT0CA, AT_MAIN);
    write_register(gpu, VC4_CT0EA, binning_end);
    await_bits(gpu, VC4_INTCTL, VC4_INT_OUTOMEM);
    assert_int_equal(vitrail_wait(gpu), 0); /* does not wait for what the host has to do */
}

static uint32_t binner_state(struct vitrail_context *gpu)
{
    struct vitrail_unit units[8];
    assert_true(vitrail_units(gpu, units, 8) >= 3);
    assert_string_equal(units[0].name, "binner");
    return units[0].state;
}

/* The binner asks for memory that nobody has enabled the interrupt of, and waits; a frame is rendered meanwhile; then
 * the interrupt is enabled, which raises the line, and answered, from this thread. */
static void memory_comes_late(void **state)
{
    uint32_t end;
    struct vitrail_context *gpu = open_asking(&end);
    struct levels levels = {0};
    struct vitrail_fault fault = {.size = sizeof fault};
    assert_int_equal(vitrail_set_irq(gpu, count_levels, &levels), 0);
    ask(gpu, end);
    assert_int_equal(binner_state(gpu), VITRAIL_UNIT_WAITING);
    assert_int_equal(levels.rises, 0);

    static const uint8_t rendering[] = {113, 0, 0, 0x38, 0, 64, 0, 64,
                                        0,   4, 0, 115,  0, 0,  25}; /* a tile at 0x380000 */
    assert_int_equal(vitrail_memory_write(gpu, AT_RENDERING, rendering, sizeof rendering), 0);
    write_register(gpu, VC4_CT1CA, AT_RENDERING);
    write_register(gpu, VC4_CT1EA, AT_RENDERING + sizeof rendering);
    await_bits(gpu, VC4_INTCTL, VC4_INT_FRDONE);
    assert_int_equal(binner_state(gpu), VITRAIL_UNIT_WAITING);
    assert_false(read_register(gpu, VC4_INTCTL) & VC4_INT_FLDONE);

    write_register(gpu, VC4_INTENA, VC4_INT_OUTOMEM);
    assert_int_equal(levels.rises, 1); /* inside of the write */
    write_register(gpu, VC4_BPOA, AT_RAW);
    write_register(gpu, VC4_BPOS, 0x1000);
    write_register(gpu, VC4_INTCTL, VC4_INT_OUTOMEM);
    assert_int_equal(levels.falls, 1);
    await_bits(gpu, VC4_INTCTL, VC4_INT_FLDONE);
    assert_int_equal(vitrail_wait(gpu), 0);
    assert_int_equal(binner_state(gpu), VITRAIL_UNIT_IDLE);
    assert_int_equal(vitrail_next_fault(gpu, &fault), 0);
    vitrail_close(&gpu);
}

/* A binner that waits is reset, and with the whole GPU; closing takes it away. */
static void waiting_ends(void **state)
{
    uint32_t end;
    struct vitrail_context *gpu = open_asking(&end);
    struct vitrail_fault fault = {.size = sizeof fault};
    for (unsigned way = 0; way < 3; way++) {
        ask(gpu, end);
        if (way == 0) {
            write_register(gpu, VC4_CT0CS, 1u << 15);
            assert_int_equal(vitrail_wait(gpu), 0);
            assert_int_not_equal(binner_state(gpu), VITRAIL_UNIT_WAITING);
            assert_int_equal(vitrail_next_fault(gpu, &fault), 1);
            assert_int_equal(fault.kind, VITRAIL_FAULT_TILE_MEMORY);
            write_register(gpu, VC4_INTCTL, VC4_INT_OUTOMEM);
        } else if (way == 1) {
            assert_int_equal(vitrail_reset(gpu, 0), 0);
            assert_int_equal(binner_state(gpu), VITRAIL_UNIT_IDLE);
            assert_int_equal(vitrail_next_fault(gpu, &fault), 0);
        }
    }
    assert_int_equal(vitrail_close(&gpu), 0);
}

static int make_path(void **state)
{
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plays), cmocka_unit_test(events),
                                       cmocka_unit_test(memory_comes_late), cmocka_unit_test(waiting_ends)};
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
