/* Captures whose recorded driver answered "out of memory": played, and driven event by event. The capture is
 * written with the insides of Vitrail; it is played with the library alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <vitrail.h>

#include "gpu/capture.h"
#include "raster/surface.h"
#include "tests/unit/replies_scene.h"

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
    unsigned rises, falls;
};

static void on_interrupt(void *data, uint32_t pending)
{
    struct line *line = data;
    line->rises += pending != 0;
    line->falls += pending == 0;
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
            struct line line = {0};
            static uint8_t pixels[64 * 64 * 4];
            vitrail_set_irq(gpu, on_interrupt, &line);
            assert_int_equal(vitrail_capture_play(capture, gpu, 0, &frame), 1);
            assert_int_equal(vitrail_next_fault(gpu, &fault), !answered);
            if (!answered)
                assert_int_equal(fault.kind, VITRAIL_FAULT_TILE_MEMORY);
            assert_int_equal(line.rises, !answered);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(plays), cmocka_unit_test(events)};
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
