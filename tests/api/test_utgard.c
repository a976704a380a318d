/* The public API over Mali-400 and -450: the same calls as for any GPU. Linked against the library alone. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpus.h"

/* Linux, lima_regs.h and lima_device.c. */
enum {
    GP_CMD = 0x20,
    GP_INT_CLEAR = 0x28,
    GP_INT_MASK = 0x2c,
    GP_VERSION = 0x6c,
    PP0_VERSION = 0x9000,
    RESET_COMPLETED = 1 << 19
};

static void are_listed(void **state)
{
    struct vitrail_gpu gpu = {.size = sizeof gpu};
    assert_int_equal(vitrail_gpu_find("mali400", &gpu), 0);
    assert_string_equal(gpu.driver, "lima");
    assert_true(gpu.register_bytes > 0xe000);
    assert_true(gpu.capabilities & VITRAIL_CAP_CAPTURES);
    assert_true(gpu.capabilities & VITRAIL_CAP_MEMORY_FILE);
    assert_int_equal(vitrail_gpu_find("mali450", &gpu), 0);
}

static uint64_t counter(struct vitrail_context *gpu, const char *name)
{
    struct vitrail_counter counters[64];
    int n = vitrail_counters(gpu, counters, 64);
    for (int i = 0; i < n; i++)
        if (!strcmp(counters[i].name, name))
            return counters[i].value;
    fail_msg("no counter '%s'", name);
    return 0;
}

/* Each picture of a capture, one way and another: the same bytes, and what was rendered last is what the
 * capture marks. */
static void plays(void **state)
{
    static const struct {
        const char *gpu, *capture;
        unsigned frames;
    } runs[] = {{"mali400", "mali400/gltest.vtc", 4}, {"mali450", "mali450/gltest.vtc", 4}};
    for (size_t r = 0; r < 2; r++) {
        struct vitrail_capture *capture;
        struct vitrail_context *compiled = open_gpu(runs[r].gpu, 2, VITRAIL_EXECUTION_COMPILED, 0, "");
        struct vitrail_context *reference = open_gpu(runs[r].gpu, 0, VITRAIL_EXECUTION_REFERENCE, 0, "");
        struct vitrail_context *gpus[] = {compiled, reference};
        uint8_t *want = malloc(256 * 256 * 4 * runs[r].frames), *got = malloc(256 * 256 * 4);
        char path[256];
        snprintf(path, sizeof path, CAPTURES "%s", runs[r].capture);
        assert_int_equal(vitrail_capture_open(path, &capture), 0);
        for (unsigned g = 0; g < 2; g++) {
            struct vitrail_frame frame = {.size = sizeof frame}, last = {.size = sizeof last};
            unsigned n = 0;
            for (; vitrail_capture_play(capture, gpus[g], 0, &frame) == 1; n++) {
                assert_true(n < runs[r].frames);
                assert_int_equal(frame.layout, VITRAIL_LAYOUT_UTGARD);
                assert_int_equal(vitrail_last_frame(gpus[g], &last), 0);
                assert_int_equal(last.address, frame.address);
                uint8_t *to = g ? got : want + n * 256 * 256 * 4;
                assert_int_equal(
                    vitrail_read_frame(gpus[g], &frame, VITRAIL_READ_RGBA8, to, 1024, 256 * 1024), 0);
                if (g)
                    assert_memory_equal(got, want + n * 256 * 256 * 4, 256 * 1024);
            }
            assert_int_equal(n, runs[r].frames);
            assert_true(counter(gpus[g], "draws") >= 3);
            assert_true(counter(gpus[g], "vertices") >= 31);
            assert_true(counter(gpus[g], "instructions") > 0);
            assert_int_equal(vitrail_capture_rewind(capture), 0);
        }
        free(want);
        free(got);
        vitrail_capture_close(&capture);
        vitrail_close(&compiled);
        vitrail_close(&reference);
    }
}

struct line {
    struct vitrail_context *gpu;
    unsigned rises, falls;
    uint32_t high; /* lines, a bit each */
    bool clear_gp;
};

static void on_interrupt(void *data, uint32_t number, int level)
{
    struct line *line = data;
    line->rises += level;
    line->falls += !level;
    line->high = level ? line->high | 1u << number : line->high & ~(1u << number);
    if (level && line->clear_gp)
        vitrail_write_register(line->gpu, GP_INT_CLEAR, RESET_COMPLETED);
}

/* What a driver does first: versions, a reset, its interrupt. */
static void resets(void **state)
{
    struct line line = {.gpu = open_gpu("mali400", 0, VITRAIL_EXECUTION_INTERPRETED, 0, ""),
                        .clear_gp = true};
    struct vitrail_status status = {.size = sizeof status};
    uint32_t value;
    assert_int_equal(vitrail_read_register(line.gpu, GP_VERSION, &value), 0);
    assert_int_equal(value >> 16, 0x0b07);
    assert_int_equal(vitrail_read_register(line.gpu, PP0_VERSION, &value), 0);
    assert_int_equal(value >> 16, 0xcd07);
    assert_int_equal(vitrail_set_irq(line.gpu, on_interrupt, &line), 0);
    assert_int_equal(vitrail_write_register(line.gpu, GP_CMD, 1 << 10), 0);
    assert_int_equal(line.rises, 0); /* a reset masks everything */
    assert_int_equal(vitrail_write_register(line.gpu, GP_INT_MASK, RESET_COMPLETED), 0);
    assert_int_equal(line.rises, 1);
    assert_int_equal(line.falls, 1);
    assert_int_equal(vitrail_get_status(line.gpu, &status), 0);
    assert_int_equal(status.lines, 0);
    assert_int_equal(status.units, 4); /* vs, plbu, two PPs */
    vitrail_close(&line.gpu);
}

/* One page at LIST that the GPU may read and write, whose list of tiles is empty. */
enum {
    PPMMU0 = 0x4000,
    PPMMU1 = 0x5000,
    MMU_COMMAND = 8,
    PP0 = 0x8000,
    PP1 = 0xa000,
    PP_CTRL = 0x100c,
    PP_RAWSTAT = 0x1020,
    PP_INT_MASK = 0x1028,
    PP_START = 1 << 6,
    PP_RESET = 1 << 7,
    PP_END_OF_FRAME = 1,
    PP_RESET_COMPLETED = 1 << 12,
    DIRECTORY = 0x1000,
    TABLE = 0x2000,
    LIST = 0x3000
};

static void write_empty_frame(struct vitrail_context *gpu)
{
    static const uint32_t directory = TABLE | 1, page = LIST | 7, end[2] = {0, 0xbc000000};
    assert_int_equal(vitrail_memory_write(gpu, DIRECTORY, &directory, 4), 0);
    assert_int_equal(vitrail_memory_write(gpu, TABLE + LIST / 4096 * 4, &page, 4), 0);
    assert_int_equal(vitrail_memory_write(gpu, LIST, end, sizeof end), 0);
}

static void start_frame_of(struct vitrail_context *gpu, uint32_t pp, uint32_t mmu, uint32_t directory)
{
    assert_int_equal(vitrail_write_register(gpu, mmu, directory), 0);
    assert_int_equal(vitrail_write_register(gpu, mmu + MMU_COMMAND, 0), 0); /* paging */
    assert_int_equal(vitrail_write_register(gpu, pp + PP_INT_MASK, 0x1fff), 0);
    assert_int_equal(vitrail_write_register(gpu, pp, LIST), 0);
    assert_int_equal(vitrail_write_register(gpu, pp + PP_CTRL, PP_START), 0);
}

static void start_empty_frame(struct vitrail_context *gpu, uint32_t pp, uint32_t mmu)
{
    start_frame_of(gpu, pp, mmu, DIRECTORY);
}

/* The status has the lines that the callback is told of, once all is told. */
static void status_is_current(void **state)
{
    struct line line = {.gpu = open_gpu("mali400", 0, VITRAIL_EXECUTION_INTERPRETED, 0, "")};
    struct vitrail_status status = {.size = sizeof status};
    write_empty_frame(line.gpu);
    assert_int_equal(vitrail_set_irq(line.gpu, on_interrupt, &line), 0);
    start_empty_frame(line.gpu, PP0, PPMMU0);
    assert_int_equal(vitrail_wait(line.gpu), 0);
    assert_int_equal(line.rises, 1);
    assert_int_equal(line.high, 1 << VITRAIL_LINE_UTGARD_PP0);
    assert_int_equal(vitrail_get_status(line.gpu, &status), 0);
    assert_int_equal(status.lines, line.high);
    vitrail_close(&line.gpu);
}

static void await(struct vitrail_context *gpu, uint32_t offset, uint32_t bit)
{
    uint32_t value = 0;
    for (unsigned ms = 0; !(value & bit); ms++) {
        assert_in_range(ms, 0, 10000);
        assert_int_equal(vitrail_read_register(gpu, offset, &value), 0);
        usleep(1000);
    }
}

/* As lima does: processor 0 is started, processor 1 reset, which is polled, and started. Nobody waits for anything but
 * by reading registers; each block's line rises once. */
static void starts_run_by_themselves(void **state)
{
    struct line line = {.gpu = open_gpu("mali400", 0, VITRAIL_EXECUTION_INTERPRETED, 0, "")};
    write_empty_frame(line.gpu);
    assert_int_equal(vitrail_set_irq(line.gpu, on_interrupt, &line), 0);
    start_empty_frame(line.gpu, PP0, PPMMU0);
    assert_int_equal(vitrail_write_register(line.gpu, PP1 + PP_CTRL, PP_RESET), 0);
    await(line.gpu, PP1 + PP_RAWSTAT, PP_RESET_COMPLETED);
    assert_int_equal(vitrail_write_register(line.gpu, PP1 + PP_RAWSTAT + 4, PP_RESET_COMPLETED), 0);
    start_empty_frame(line.gpu, PP1, PPMMU1);
    await(line.gpu, PP1 + PP_RAWSTAT, PP_END_OF_FRAME);
    await(line.gpu, PP0 + PP_RAWSTAT, PP_END_OF_FRAME);
    assert_int_equal(vitrail_wait(line.gpu), 0); /* for the callbacks */
    assert_int_equal(line.rises, 2);
    assert_int_equal(line.falls, 0);
    assert_int_equal(line.high, 3 << VITRAIL_LINE_UTGARD_PP0);
    for (unsigned pp = 0; pp < 2; pp++) {
        assert_int_equal(vitrail_write_register(line.gpu, (pp ? PP1 : PP0) + PP_RAWSTAT + 4, PP_END_OF_FRAME),
                         0);
        assert_int_equal(line.falls, pp + 1); /* inside of the write */
    }
    assert_int_equal(line.high, 0);
    vitrail_close(&line.gpu);
}

/* RAM in two parts, of which the second lies above 4 GiB, in the file the other way round; the GPU finds its tables, and
 * is told when a directory is not in memory. */
static void memory_in_regions(void **state)
{
    enum { BASE = 0x40000000, PART = 1 << 20 };
    const struct vitrail_region regions[] = {{0x100000000ull, PART, 0}, {BASE, PART, PART}};
    static const uint32_t directory = (BASE + TABLE) | 1, page = (BASE + LIST) | 7, end[2] = {0, 0xbc000000};
    struct line line = {0};
    struct vitrail_config config;
    struct vitrail_fault fault = {.size = sizeof fault};
    uint32_t word = 0;
    const int fd = memfd_create("ram", MFD_ALLOW_SEALING);
    assert_true(fd >= 0 && !ftruncate(fd, 2 * PART) && !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK));
    vitrail_config_init(&config, sizeof config);
    config.gpu = "mali400";
    config.execution = VITRAIL_EXECUTION_INTERPRETED;
    config.memory = VITRAIL_MEMORY_FD;
    config.memory_fd = fd;
    config.regions = regions;
    config.region_count = 2;
    assert_int_equal(vitrail_open(&config, &line.gpu), 0);
    assert_int_equal(vitrail_memory_size(line.gpu), 0x100000000ull + PART);
    assert_int_equal(vitrail_memory_write(line.gpu, 0x1000, &word, 4), -EFAULT);
    assert_int_equal(vitrail_memory_write(line.gpu, BASE + PART - 2, &word, 4), -EFAULT);
    assert_int_equal(vitrail_memory_write(line.gpu, 0x100000000ull, end, 8), 0);
    assert_int_equal(pread(fd, &word, 4, 4), 4);
    assert_int_equal(word, end[1]);
    assert_int_equal(vitrail_memory_write(line.gpu, BASE + DIRECTORY, &directory, 4), 0);
    assert_int_equal(vitrail_memory_write(line.gpu, BASE + TABLE + LIST / 4096 * 4, &page, 4), 0);
    assert_int_equal(vitrail_memory_write(line.gpu, BASE + LIST, end, sizeof end), 0);
    assert_int_equal(vitrail_set_irq(line.gpu, on_interrupt, &line), 0);
    for (unsigned lost = 0; lost < 2; lost++) {
        start_frame_of(line.gpu, PP0, PPMMU0, lost ? DIRECTORY : BASE + DIRECTORY);
        assert_int_equal(vitrail_wait(line.gpu), 0);
        assert_int_equal(vitrail_next_fault(line.gpu, &fault), lost);
        assert_int_equal(line.rises, 1 + lost);
        vitrail_write_register(line.gpu, PP0 + PP_RAWSTAT + 4, PP_END_OF_FRAME);
    }
    assert_int_equal(fault.kind, VITRAIL_FAULT_MEMORY);
    assert_int_equal(fault.address, DIRECTORY);
    assert_non_null(strstr(fault.text, "directory"));
    vitrail_close(&line.gpu);
    config.region_count = 17;
    assert_int_equal(vitrail_open(&config, &line.gpu), -EINVAL);
    config.region_count = 2;
    config.gpu = "libresoc";
    assert_int_equal(vitrail_open(&config, &line.gpu), -ENOTSUP);
    config.gpu = "vc4"; /* reaches no more than 4 GiB */
    assert_int_equal(vitrail_open(&config, &line.gpu), -EINVAL);
    config.regions = regions + 1;
    config.region_count = 1;
    assert_int_equal(vitrail_open(&config, &line.gpu), 0);
    assert_int_equal(vitrail_memory_read(line.gpu, BASE + LIST, &word, 4), 0);
    vitrail_close(&line.gpu);
    const struct vitrail_region overlapping[] = {{BASE, PART, 0}, {BASE + PART - 4096, PART, PART}};
    config.regions = overlapping;
    config.region_count = 2;
    assert_int_equal(vitrail_open(&config, &line.gpu), -EINVAL);
    close(fd);
}

static void names_lines(void **state)
{
    struct vitrail_context *mali400 = open_gpu("mali400", 0, VITRAIL_EXECUTION_INTERPRETED, 0, "");
    struct vitrail_context *mali450 = open_gpu("mali450", 0, VITRAIL_EXECUTION_INTERPRETED, 0, "");
    assert_string_equal(vitrail_line_name(mali400, VITRAIL_LINE_UTGARD_GPMMU), "gpmmu");
    assert_string_equal(vitrail_line_name(mali400, VITRAIL_LINE_UTGARD_PP0 + 1), "pp1");
    assert_null(vitrail_line_name(mali400, VITRAIL_LINE_UTGARD_PP0 + 2));
    assert_null(vitrail_line_name(mali400, VITRAIL_LINE_UTGARD_PP));
    assert_string_equal(vitrail_line_name(mali450, VITRAIL_LINE_UTGARD_PPMMU0 + 5), "ppmmu5");
    assert_string_equal(vitrail_line_name(mali450, VITRAIL_LINE_UTGARD_PP), "pp");
    assert_string_equal(vitrail_line_name(mali450, VITRAIL_LINE_UTGARD_PMU), "pmu");
    assert_null(vitrail_line_name(mali450, 20));
    assert_null(vitrail_line_name(mali450, UINT32_MAX));
    assert_null(vitrail_line_name(NULL, 0));
    vitrail_close(&mali400);
    vitrail_close(&mali450);
}

static void units_and_faults(void **state)
{
    struct vitrail_context *gpu = open_gpu("mali450", 0, VITRAIL_EXECUTION_INTERPRETED, 0, "");
    struct vitrail_fault fault = {.size = sizeof fault};
    struct vitrail_unit units[16];
    assert_int_equal(vitrail_units(gpu, units, 16), 8); /* six PPs */
    assert_string_equal(units[0].name, "vs");
    assert_string_equal(units[7].name, "pp5");
    /* A list without an address space. */
    assert_int_equal(vitrail_write_register(gpu, 0, 0x1000), 0);
    assert_int_equal(vitrail_write_register(gpu, 4, 0x1008), 0);
    assert_int_equal(vitrail_write_register(gpu, GP_CMD, 1), 0);
    assert_int_equal(vitrail_wait(gpu), 0);
    assert_int_equal(vitrail_next_fault(gpu, &fault), 1);
    assert_string_equal(fault.gpu, "mali450");
    assert_int_equal(fault.kind, VITRAIL_FAULT_UNSUPPORTED);
    assert_int_equal(fault.job, 1);
    assert_non_null(strstr(fault.text, "paging"));
    assert_int_equal(vitrail_reset(gpu, VITRAIL_RESET_MEMORY), 0);
    assert_int_equal(vitrail_next_fault(gpu, &fault), 0);
    assert_int_equal(vitrail_write_register(gpu, 0x30000, 0), -EINVAL);
    vitrail_close(&gpu);
}

static void misuse(void **state)
{
    struct vitrail_config config;
    struct vitrail_context *gpu;
    struct vitrail_capture *capture;
    struct vitrail_frame frame = {.size = sizeof frame};
    vitrail_config_init(&config, sizeof config);
    config.gpu = "mali400";
    config.memory = VITRAIL_MEMORY_POINTER;
    config.memory_size = 1 << 20;
    config.memory_pointer =
        mmap(NULL, config.memory_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(config.memory_pointer, MAP_FAILED);
    assert_int_equal(vitrail_open(&config, &gpu), -ENOTSUP);
    assert_non_null(strstr(vitrail_last_error(), "file"));
    munmap(config.memory_pointer, config.memory_size);

    gpu = open_gpu("mali400", 0, VITRAIL_EXECUTION_INTERPRETED, 0, "");
    assert_int_equal(vitrail_capture_open(CAPTURES "gltest.vtc", &capture), 0);
    assert_int_equal(vitrail_capture_play(capture, gpu, 0, &frame), -ENOTSUP);
    vitrail_capture_close(&capture);
    vitrail_close(&gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_listed),
        cmocka_unit_test(plays),
        cmocka_unit_test(resets),
        cmocka_unit_test(status_is_current),
        cmocka_unit_test(starts_run_by_themselves),
        cmocka_unit_test(names_lines),
        cmocka_unit_test(memory_in_regions),
        cmocka_unit_test(units_and_faults),
        cmocka_unit_test(misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
