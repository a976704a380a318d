/* The public API over the Libre-SOC GPU: the same calls as for any GPU. Linked against the library alone. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpus.h"

/* gpu/libresoc/regs.inc */
enum {
    COMMAND = 0x04,
    STATUS = 0x08,
    RECORD_LOW = 0x10,
    INT_CLEAR = 0x24,
    INT_MASK = 0x28,
    FAULT_KIND = 0x30
};
enum { START = 1, DONE = 1, FAULT = 2 };
enum { COLOR = 0x10000, HEAP = 0x20000, RECORD = 0x1000, SIDE = 20 };

static void is_listed(void **state)
{
    struct vitrail_gpu gpu = {.size = sizeof gpu};
    assert_int_equal(vitrail_gpu_find("libresoc", &gpu), 0);
    assert_null(gpu.driver);
    assert_int_equal(gpu.register_bytes, 0x1000);
    assert_true(gpu.capabilities & VITRAIL_CAP_CAPTURES);
    assert_true(gpu.capabilities & VITRAIL_CAP_COMPILED);
}

/* The picture of a capture, whichever way it is drawn. */
static void plays(void **state)
{
    static const int executions[] = {VITRAIL_EXECUTION_COMPILED, VITRAIL_EXECUTION_INTERPRETED,
                                     VITRAIL_EXECUTION_REFERENCE};
    static uint8_t want[96 * 72 * 4], got[96 * 72 * 4];
    struct vitrail_capture *capture;
    assert_int_equal(vitrail_capture_open(SOURCE_DIR "/tests/captures/libresoc/gltest.vtc", &capture), 0);
    for (int n = 0; n < 3; n++) {
        struct vitrail_context *gpu = open_gpu("libresoc", n, executions[n], 0, "");
        struct vitrail_frame frame = {.size = sizeof frame};
        assert_int_equal(vitrail_capture_play(capture, gpu, 0, &frame), 1);
        assert_int_equal(frame.width, 96);
        assert_int_equal(frame.layout, VITRAIL_LAYOUT_LINEAR);
        assert_int_equal(
            vitrail_read_frame(gpu, &frame, VITRAIL_READ_RGBA8, n ? got : want, 96 * 4, sizeof want), 0);
        if (n)
            assert_memory_equal(got, want, sizeof want);
        assert_int_equal(vitrail_capture_rewind(capture), 0);
        vitrail_close(&gpu);
    }
    vitrail_capture_close(&capture);
}

static void on_interrupt(void *data, uint32_t line, int level)
{
    struct vitrail_context *gpu = data;
    if (level)
        vitrail_write_register(gpu, INT_CLEAR, DONE | FAULT);
}

/* A frame without draws is a clear; one without a record is a fault. */
static void clears(void **state)
{
    const uint32_t record[20] = {0x52465653, SIDE << 16 | SIDE, 0, 0xff8040c0, 0, 0, 0,    0,   COLOR,
                                 0,          SIDE * 4,          0, 0,          0, 0, 4096, HEAP};
    struct vitrail_context *gpu = open_gpu("libresoc", 1, VITRAIL_EXECUTION_INTERPRETED, 0, "");
    struct vitrail_fault fault = {.size = sizeof fault};
    struct vitrail_status status = {.size = sizeof status};
    uint32_t pixel, value;
    assert_int_equal(vitrail_memory_write(gpu, RECORD, record, sizeof record), 0);
    assert_int_equal(vitrail_set_irq(gpu, on_interrupt, gpu), 0);
    assert_int_equal(vitrail_write_register(gpu, INT_MASK, DONE | FAULT), 0);
    assert_int_equal(vitrail_write_register(gpu, RECORD_LOW, RECORD), 0);
    assert_int_equal(vitrail_write_register(gpu, COMMAND, START), 0);
    assert_int_equal(vitrail_wait(gpu), 0);
    for (uint32_t n = 0; n < SIDE * SIDE; n++) {
        assert_int_equal(vitrail_memory_read(gpu, COLOR + n * 4, &pixel, 4), 0);
        assert_int_equal(pixel, 0xff8040c0);
    }
    assert_int_equal(vitrail_get_status(gpu, &status), 0);
    assert_true(status.jobs == 1 && !status.faults && !status.lines && status.units == 1);
    assert_int_equal(vitrail_write_register(gpu, RECORD_LOW, COLOR), 0);
    assert_int_equal(vitrail_write_register(gpu, COMMAND, START), 0);
    assert_int_equal(vitrail_wait(gpu), 0);
    assert_int_equal(vitrail_next_fault(gpu, &fault), 1);
    assert_string_equal(fault.gpu, "libresoc");
    assert_int_equal(fault.job, 2);
    assert_int_equal(fault.address, COLOR);
    assert_int_equal(vitrail_read_register(gpu, FAULT_KIND, &value), 0);
    assert_int_equal(value, 1);
    assert_int_equal(vitrail_reset(gpu, VITRAIL_RESET_MEMORY), 0);
    assert_int_equal(vitrail_read_register(gpu, STATUS, &value), 0);
    assert_int_equal(value, 0);
    vitrail_close(&gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_listed),
        cmocka_unit_test(plays),
        cmocka_unit_test(clears),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
