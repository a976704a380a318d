/* Ways out through new code and through the kernel's own workshops, the sandbox's filter among them. */
#ifndef VITRAIL_TESTS_HOSTILE_ESCAPES_KERNEL_H
#define VITRAIL_TESTS_HOSTILE_ESCAPES_KERNEL_H

#include "tests/hostile/escapes.h"

#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>

/* code */
static int writable_code(void)
{
    void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED || !mprotect(at, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) || errno != EPERM)
        return WRONG;
    at = mmap(NULL, 4096, PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED && errno == EPERM ? FINE : WRONG;
}
static int code_of_a_file(void)
{
    int fd = memfd_create("code", 0);
    if (fd < 0 || ftruncate(fd, 4096))
        return WRONG;
    void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
    return at == MAP_FAILED ? FINE : WRONG;
}
static int code_by_key(void)
{
    void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return refused(syscall(SYS_pkey_mprotect, at, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, -1));
}
static int all_is_code(void)
{
    return refused(personality(READ_IMPLIES_EXEC));
}
static int other_abi(void)
{
    return refused(syscall(0x40000000 | SYS_getpid));
}
static int old_abi(void) /* of i386: getpid */
{
    int result;
    __asm__ volatile("int $0x80" : "=a"(result) : "0"(20) : "memory", "r8", "r9", "r10", "r11");
    return result < 0 ? FINE : WRONG;
}

/* the kernel's workshops */
static int rings(void)
{
    struct io_uring_params parameters = {0};
    return refused(syscall(SYS_io_uring_setup, 4, &parameters));
}
static int programs_of_the_kernel(void)
{
    return refused(syscall(SYS_bpf, 0, NULL, 0));
}
static int faults_of_users(void)
{
    return refused(syscall(SYS_userfaultfd, 0));
}
static int events_of_performance(void)
{
    return refused(syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
}
static int keys(void)
{
    return refused(syscall(SYS_keyctl, 0, 0, 0, 0, 0));
}
static int modules(void)
{
    return refused(syscall(SYS_init_module, NULL, 0, ""));
}
static int unknown_call(void)
{
    return syscall(9999) < 0 && errno == ENOSYS ? FINE : WRONG;
}
/* Nobody adds another filter, or enters again. */
static int undoing(void)
{
    const struct util_sandbox again = {0};
    return util_sandbox_enter(&again) && syscall(SYS_seccomp, 1, 0, NULL) < 0 ? FINE : WRONG;
}

#endif
