/* Guest memory: bounds, guards, seals; and faults in words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

static int make_file(uint64_t size, bool sealed)
{
    int fd = memfd_create("test", MFD_ALLOW_SEALING);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)size), 0);
    if (sealed)
        assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    return fd;
}

static void imported(void **state)
{
    struct gpu_memory m;
    int fd = make_file(4 * GPU_PAGE, false), ends[2];
    assert_int_equal(gpu_memory_import(fd, 0, 4 * GPU_PAGE, false, &m), -EPERM);
    assert_int_equal(gpu_memory_import(fd, 0, 4 * GPU_PAGE, true, &m), 0);
    gpu_memory_destroy(&m);
    close(fd);

    fd = make_file(4 * GPU_PAGE, true);
    assert_int_equal(gpu_memory_import(-1, 0, GPU_PAGE, false, &m), -EBADF);
    assert_int_equal(gpu_memory_import(fd, 1, GPU_PAGE, false, &m), -EINVAL);
    assert_int_equal(gpu_memory_import(fd, 0, 0, false, &m), -EINVAL);
    assert_int_equal(gpu_memory_import(fd, 0, GPU_PAGE + 1, false, &m), -EINVAL);
    assert_int_equal(gpu_memory_import(fd, GPU_PAGE, 4 * GPU_PAGE, false, &m), -EINVAL);
    assert_int_equal(gpu_memory_import(fd, UINT64_MAX - GPU_PAGE + 1, GPU_PAGE, false, &m), -EINVAL);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(gpu_memory_import(ends[0], 0, GPU_PAGE, false, &m), -ENODEV);
    close(ends[0]);
    close(ends[1]);

    assert_int_equal(gpu_memory_import(fd, GPU_PAGE, 2 * GPU_PAGE, false, &m), 0);
    uint32_t word = 0x12345678, back = 0;
    assert_int_equal(pwrite(fd, &word, 4, GPU_PAGE), 4);
    assert_memory_equal(m.base, &word, 4);
    memcpy(m.base + GPU_PAGE, &word, 4);
    gpu_memory_destroy(&m);
    assert_int_equal(pread(fd, &back, 4, 2 * GPU_PAGE), 4); /* the caller's file is still open */
    assert_int_equal(back, word);
    close(fd);
}

static void borrowed(void **state)
{
    struct gpu_memory m;
    uint8_t *pages = aligned_alloc(GPU_PAGE, 2 * GPU_PAGE);
    assert_int_equal(gpu_memory_borrow(NULL, GPU_PAGE, &m), -EINVAL);
    assert_int_equal(gpu_memory_borrow(pages + 16, GPU_PAGE, &m), -EINVAL);
    assert_int_equal(gpu_memory_borrow(pages, GPU_PAGE - 1, &m), -EINVAL);
    assert_int_equal(gpu_memory_borrow(pages, 0, &m), -EINVAL);
    assert_int_equal(gpu_memory_borrow(pages, 2 * GPU_PAGE, &m), 0);
    assert_ptr_equal(gpu_memory_at(&m, GPU_PAGE, GPU_PAGE), pages + GPU_PAGE);
    assert_null(gpu_memory_at(&m, GPU_PAGE, GPU_PAGE + 1));
    gpu_memory_destroy(&m);
    memset(pages, 1, 2 * GPU_PAGE); /* still there */
    free(pages);
}

static void cleared(void **state)
{
    struct gpu_memory m;
    static const uint8_t zero[2 * GPU_PAGE];
    assert_int_equal(gpu_memory_create(2 * GPU_PAGE, &m), 0);
    memset(m.base, 7, m.size);
    gpu_memory_clear(&m);
    assert_memory_equal(m.base, zero, sizeof zero);
    gpu_memory_destroy(&m);

    uint8_t *pages = aligned_alloc(GPU_PAGE, 2 * GPU_PAGE);
    memset(pages, 7, 2 * GPU_PAGE);
    assert_int_equal(gpu_memory_borrow(pages, GPU_PAGE, &m), 0);
    gpu_memory_clear(&m);
    assert_memory_equal(pages, zero, GPU_PAGE);
    assert_int_equal(pages[GPU_PAGE], 7);
    free(pages);
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
        cmocka_unit_test(ranges),       cmocka_unit_test(seals),      cmocka_unit_test(imported),
        cmocka_unit_test(borrowed),     cmocka_unit_test(cleared),    cmocka_unit_test(guards),
        cmocka_unit_test(small_window), cmocka_unit_test(fault_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
