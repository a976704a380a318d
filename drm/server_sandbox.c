/* What the server may ask of the kernel once it serves: a filter of system calls (seccomp), for all its
 * threads, for good. A guest that got hold of the server would have no other program, no network and no other
 * process to turn to.
 *
 * Three answers. What serving needs is allowed. What only an intruder would try (another program, a new
 * socket, another process's memory) ends the process: nothing it does afterwards can be trusted, and the tool
 * reports it. Anything else is "not implemented" (ENOSYS), never a kill: a newer C library tries newer calls
 * first and falls back to those it knows older kernels have. Paths are not looked at: a filter cannot. */
#include "drm/server.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/bits.h"

/* ---- the lists ---- */

/* Most frequent first: the kernel goes through them in order. */
static const uint16_t allowed[] = {
    __NR_futex, __NR_recvmsg, __NR_sendmsg, __NR_poll, __NR_read, __NR_write, __NR_close, __NR_fcntl,
    /* memory: malloc, stacks, guest memory, channels */
    __NR_munmap, __NR_mremap, __NR_madvise, __NR_brk, __NR_memfd_create, __NR_ftruncate, __NR_fallocate,
    /* connections and events */
    __NR_accept4, __NR_getsockopt, __NR_setsockopt, __NR_shutdown, __NR_eventfd2, __NR_pipe2,
    /* files: object cache, capture, pictures, log; libraries that libc loads late; the card's folder */
    __NR_openat, __NR_newfstatat, __NR_fstat, __NR_lseek, __NR_pread64, __NR_writev, __NR_readlink,
    __NR_renameat, __NR_unlink, __NR_unlinkat, __NR_rmdir, __NR_utimensat, __NR_getdents64,
    /* threads and signals */
    __NR_exit, __NR_exit_group, __NR_set_robust_list, __NR_rseq, __NR_sched_yield, __NR_sched_getaffinity,
    __NR_rt_sigprocmask, __NR_rt_sigaction, __NR_rt_sigreturn, __NR_sigaltstack, __NR_restart_syscall,
    /* facts */
    __NR_getpid, __NR_gettid, __NR_geteuid, __NR_sysinfo, __NR_getrandom, __NR_clock_gettime,
    __NR_gettimeofday, __NR_clock_nanosleep};

static const uint16_t deadly[] = {__NR_execve,
                                  __NR_execveat,
                                  __NR_fork,
                                  __NR_vfork,
                                  __NR_ptrace,
                                  __NR_process_vm_readv,
                                  __NR_process_vm_writev,
                                  __NR_pidfd_open,
                                  __NR_pidfd_getfd,
                                  __NR_kcmp,
                                  __NR_socket,
                                  __NR_connect,
                                  __NR_bind,
                                  __NR_listen,
                                  __NR_open_by_handle_at,
                                  __NR_mount,
                                  __NR_umount2,
                                  __NR_pivot_root,
                                  __NR_chroot,
                                  __NR_unshare,
                                  __NR_setns,
                                  __NR_setuid,
                                  __NR_setgid,
                                  __NR_setresuid,
                                  __NR_setresgid,
                                  __NR_init_module,
                                  __NR_finit_module,
                                  __NR_kexec_load,
                                  __NR_bpf,
                                  __NR_perf_event_open,
                                  __NR_userfaultfd,
                                  __NR_io_uring_setup,
                                  __NR_keyctl,
                                  __NR_add_key,
                                  __NR_request_key};

/* By the low word of an argument, masked: what its call is answered when it is `value`, and when not. A
 * second rule for the same call takes the place of the first one's `otherwise`. */
struct rule {
    uint16_t number, argument;
    uint32_t mask, value, then, otherwise;
};

#define NO(error) (SECCOMP_RET_ERRNO | (error))
#define YES       SECCOMP_RET_ALLOW
#define KILL      SECCOMP_RET_KILL_PROCESS

/* ---- the filter ---- */

struct filter {
    struct sock_filter code[512];
    unsigned short count;
};

static void put(struct filter *f, uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
    if (f->count < UTIL_ARRAY_SIZE(f->code))
        f->code[f->count++] = (struct sock_filter){code, yes, no, k};
}

static void load(struct filter *f, uint32_t offset)
{
    put(f, BPF_LD | BPF_W | BPF_ABS, offset, 0, 0);
}

static void answer(struct filter *f, uint32_t action)
{
    put(f, BPF_RET | BPF_K, action, 0, 0);
}

static void answer_number(struct filter *f, uint32_t number, uint32_t action)
{
    put(f, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
    answer(f, action);
}

static void answer_rule(struct filter *f, const struct rule *r, bool more)
{
    put(f, BPF_JMP | BPF_JEQ | BPF_K, r->number, 0, 5);
    load(f, (uint32_t)offsetof(struct seccomp_data, args) + r->argument * 8u); /* little-endian: low word */
    put(f, BPF_ALU | BPF_AND | BPF_K, r->mask, 0, 0);
    put(f, BPF_JMP | BPF_JEQ | BPF_K, r->value, 0, 1);
    answer(f, r->then);
    if (more)
        load(f, offsetof(struct seccomp_data, nr));
    else
        answer(f, r->otherwise);
}

static void build(struct filter *f)
{
    const uint32_t write_and_execute = PROT_WRITE | PROT_EXEC;
    const struct rule rules[] = {
        {__NR_mprotect, 2, write_and_execute, write_and_execute, NO(EPERM), YES},
        {__NR_mmap, 2, write_and_execute, write_and_execute, NO(EPERM), YES},
        {__NR_clone, 0, CLONE_THREAD, CLONE_THREAD, YES, NO(EPERM)}, /* a thread, no process */
        {__NR_socketpair, 0, UINT32_MAX, AF_UNIX, YES, KILL},        /* for the client's children */
        {__NR_tgkill, 0, UINT32_MAX, (uint32_t)getpid(), YES, KILL}, /* abort() */
        {__NR_ioctl, 1, UINT32_MAX, FIONREAD, YES, 0},               /* events not read yet */
        {__NR_ioctl, 1, UINT32_MAX, TCGETS, YES, NO(ENOTTY)},        /* is the log a terminal? */
        {__NR_prlimit64, 0, UINT32_MAX, 0, YES, NO(EPERM)},          /* how large is my stack? */
        {__NR_prctl, 0, UINT32_MAX, PR_SET_NAME, YES, NO(EINVAL)},
    };
    load(f, offsetof(struct seccomp_data, arch));
    put(f, BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
    answer(f, KILL);
    load(f, offsetof(struct seccomp_data, nr));
    put(f, BPF_JMP | BPF_JGE | BPF_K, __X32_SYSCALL_BIT, 0, 1);
    answer(f, KILL);
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(allowed); i++)
        answer_number(f, allowed[i], SECCOMP_RET_ALLOW);
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(rules); i++)
        answer_rule(f, &rules[i], i + 1 < UTIL_ARRAY_SIZE(rules) && rules[i + 1].number == rules[i].number);
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(deadly); i++)
        answer_number(f, deadly[i], KILL);
    answer(f, NO(ENOSYS)); /* clone3 too: its arguments lie in memory, and libc then takes clone */
}

#if defined(__has_feature)
#define HAS(feature) __has_feature(feature)
#else
#define HAS(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || HAS(address_sanitizer) ||               \
    HAS(thread_sanitizer)
#define SANITIZED 1 /* their runtimes trace the process and read its maps */
#else
#define SANITIZED 0
#endif

int drm_server_sandbox(void)
{
    struct filter f = {.count = 0};
    if (SANITIZED)
        return -ENOTSUP;
    build(&f);
    const struct sock_fprog program = {f.count, f.code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return -errno;
    long r = syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    return r < 0 ? -errno : r ? -EBUSY : 0;
}
