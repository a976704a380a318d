/* Guest memory: bounds, guards, seals; and faults in words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/fault.h"
#include "gpu/memory.h"

static void ranges(void **state)
{
    struct gpu_memory m;
    assert_int_equal(gpu_memory_create(0, &m), -EINVAL);
    assert_int_equal(gpu_memory_create((1ull << 32) + 1, &m), -EINVAL);
    gpu_memory_destroy(&m);

    assert_int_equal(gpu_memory_create(3 * GPU_PAGE - 5, &m), 0);
    assert_int_equal(m.size, 3 * GPU_PAGE);
    assert_ptr_equal(gpu_memory_at(&m, 0, 1), m.base);
    assert_ptr_equal(gpu_memory_at(&m, 0, m.size), m.base);
    assert_ptr_equal(gpu_memory_at(&m, m.size - 1, 1), m.base + m.size - 1);
    assert_null(gpu_memory_at(&m, m.size, 1));
    assert_null(gpu_memory_at(&m, m.size - 1, 2));
    assert_null(gpu_memory_at(&m, 0, 0));
    assert_null(gpu_memory_at(&m, UINT64_MAX, 2));
    assert_null(gpu_memory_at(&m, 1, UINT64_MAX));
    for (uint64_t i = 0; i < m.size; i++)
        assert_int_equal(m.base[i], 0);
    gpu_memory_destroy(&m);
    gpu_memory_destroy(&m);
}

static void seals(void **state)
{
    struct gpu_memory m;
    assert_int_equal(gpu_memory_create(2 * GPU_PAGE, &m), 0);
    assert_int_equal(ftruncate(m.fd, GPU_PAGE), -1);
    assert_int_equal(ftruncate(m.fd, 4 * GPU_PAGE), -1);
    uint32_t word = 0x12345678, back = 0;
    memcpy(m.base + GPU_PAGE, &word, 4);
    assert_int_equal(pread(m.fd, &back, 4, GPU_PAGE), 4);
    assert_int_equal(back, word);
    gpu_memory_destroy(&m);
}

/* A child that touches `at` dies of SIGSEGV. */
static void dies(const volatile uint8_t *at)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        signal(SIGSEGV, SIG_DFL);
        signal(SIGBUS, SIG_DFL);
        _exit(*at ? 1 : 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) != 1);
}

static void guards(void **state)
{
    struct gpu_memory m;
    assert_int_equal(gpu_memory_create(GPU_PAGE, &m), 0);
    dies(m.base - 1);
    dies(m.base + GPU_PAGE);
    if (m.reserved_size >= 8ull << 30) {
        dies(m.base + UINT32_MAX + 64);
        dies(m.base + INT32_MIN);
    }
    gpu_memory_destroy(&m);
}

static void small_window(void **state)
{
    struct gpu_memory m;
    setenv("VITRAIL_SMALL_WINDOW", "1", 1);
    assert_int_equal(gpu_memory_create(GPU_PAGE, &m), 0);
    assert_true(m.reserved_size < 16u << 20);
    m.base[GPU_PAGE - 1] = 7;
    dies(m.base + GPU_PAGE);
    gpu_memory_destroy(&m);
    unsetenv("VITRAIL_SMALL_WINDOW");
}

static void fault_text(void **state)
{
    struct gpu_fault f = {.kind = GPU_FAULT_PACKET,
                          .gpu = "vc4",
                          .unit = "binner",
                          .job = 3,
                          .draw = 2,
                          .address = 0x12340,
                          .pc = UINT32_MAX,
                          .lane = UINT32_MAX,
                          .text = "record 77"};
    char text[512], tiny[10];
    size_t n = gpu_fault_format(&f, text, sizeof text);
    assert_string_equal(text, "vc4 job 3, binner, draw 2, at 0x00012340: bad record: record 77");
    assert_int_equal(n, strlen(text));
    f.pc = 5;
    f.lane = 3;
    f.draw = 0;
    gpu_fault_format(&f, text, sizeof text);
    assert_string_equal(text, "vc4 job 3, binner, at 0x00012340, pc 5, lane 3: bad record: record 77");
    n = gpu_fault_format(&f, tiny, sizeof tiny);
    assert_int_equal(n, strlen(tiny));
    assert_string_equal(tiny, "vc4 job 3");
    assert_int_equal(gpu_fault_format(&f, tiny, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges),       cmocka_unit_test(seals),      cmocka_unit_test(guards),
        cmocka_unit_test(small_window), cmocka_unit_test(fault_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
