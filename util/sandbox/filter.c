/* The filter of system calls (seccomp(2), libseccomp).
 *
 * Three answers. What working takes is allowed, where a call does many things by its command. What only an
 * intruder would try (another program, a new socket, another process's memory) ends the process: nothing it
 * does afterwards can be trusted. Anything else is "not implemented" (ENOSYS), never a kill: a newer C
 * library tries newer calls first and falls back to those it knows older kernels have. Calls of other
 * architectures, x32 among them, end the process too. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/bits.h"
#include "util/sandbox/walls.h"

/* ---- the lists ---- */

static const int allowed[] = {
    SCMP_SYS(futex), SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(close), SCMP_SYS(poll),
    /* memory: malloc, stacks, guest memory, channels */
    SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(brk), SCMP_SYS(memfd_create),
    SCMP_SYS(ftruncate), SCMP_SYS(fallocate),
    /* descriptors that are there; the broker's socket */
    SCMP_SYS(fstat), SCMP_SYS(lseek), SCMP_SYS(pread64), SCMP_SYS(pwrite64), SCMP_SYS(writev),
    SCMP_SYS(getdents64), SCMP_SYS(sendmsg), SCMP_SYS(recvmsg),
    /* threads and signals */
    SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(sched_yield),
    SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack),
    SCMP_SYS(restart_syscall),
    /* facts */
    SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(geteuid), SCMP_SYS(sysinfo), SCMP_SYS(getrandom),
    SCMP_SYS(getrusage), SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday), SCMP_SYS(clock_nanosleep)};

/* Also, to a server. */
static const int serving[] = {SCMP_SYS(accept4), SCMP_SYS(shutdown), SCMP_SYS(eventfd2), SCMP_SYS(pipe2)};

/* Libraries look whether a file is there and go on without it. */
static const int refused[] = {SCMP_SYS(open),     SCMP_SYS(openat),     SCMP_SYS(stat),
                              SCMP_SYS(lstat),    SCMP_SYS(newfstatat), SCMP_SYS(access),
                              SCMP_SYS(readlink), SCMP_SYS(readlinkat)};

static const int deadly[] = {SCMP_SYS(execve),
                             SCMP_SYS(execveat),
                             SCMP_SYS(fork),
                             SCMP_SYS(vfork),
                             SCMP_SYS(ptrace),
                             SCMP_SYS(process_vm_readv),
                             SCMP_SYS(process_vm_writev),
                             SCMP_SYS(pidfd_open),
                             SCMP_SYS(pidfd_getfd),
                             SCMP_SYS(kcmp),
                             SCMP_SYS(socket),
                             SCMP_SYS(connect),
                             SCMP_SYS(bind),
                             SCMP_SYS(listen),
                             SCMP_SYS(open_by_handle_at),
                             SCMP_SYS(mount),
                             SCMP_SYS(umount2),
                             SCMP_SYS(pivot_root),
                             SCMP_SYS(chroot),
                             SCMP_SYS(unshare),
                             SCMP_SYS(setns),
                             SCMP_SYS(setuid),
                             SCMP_SYS(setgid),
                             SCMP_SYS(setresuid),
                             SCMP_SYS(setresgid),
                             SCMP_SYS(init_module),
                             SCMP_SYS(finit_module),
                             SCMP_SYS(kexec_load),
                             SCMP_SYS(bpf),
                             SCMP_SYS(perf_event_open),
                             SCMP_SYS(userfaultfd),
                             SCMP_SYS(io_uring_setup),
                             SCMP_SYS(keyctl),
                             SCMP_SYS(add_key),
                             SCMP_SYS(request_key)};

/* By arguments, all of which have to hold. Of an int the kernel looks at the low half of the word. */
struct rule {
    int call;
    uint32_t answer;
    uint8_t count;
    struct scmp_arg_cmp when[2];
};

#define BITS(argument, mask, value) {argument, SCMP_CMP_MASKED_EQ, mask, value}
#define INT(argument, value)        {argument, SCMP_CMP_MASKED_EQ, 0xffffffffu, (uint32_t)(value)}
#define NONE(argument)              {argument, SCMP_CMP_EQ, 0, 0}

/* What the C library asks of a new thread: it shares everything and begins no name space of its own. */
#define THREAD  (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)
#define DETAILS (CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)
/* Only these, for others hand a socket's messages to an address. */
#define PAIR (SOCK_SEQPACKET | SOCK_CLOEXEC)
#define W_X  (PROT_WRITE | PROT_EXEC)

static const struct rule rules[] = {
    /* code is written, then made executable; never both at once, and never a file's */
    {SCMP_SYS(mprotect), SCMP_ACT_ALLOW, 1, {BITS(2, W_X, 0)}},
    {SCMP_SYS(mprotect), SCMP_ACT_ALLOW, 1, {BITS(2, W_X, PROT_WRITE)}},
    {SCMP_SYS(mprotect), SCMP_ACT_ALLOW, 1, {BITS(2, W_X, PROT_EXEC)}},
    {SCMP_SYS(mprotect), SCMP_ACT_ERRNO(EPERM), 1, {BITS(2, W_X, W_X)}},
    {SCMP_SYS(mmap), SCMP_ACT_ALLOW, 1, {BITS(2, PROT_EXEC, 0)}},
    {SCMP_SYS(mmap), SCMP_ACT_ERRNO(EPERM), 1, {BITS(2, PROT_EXEC, PROT_EXEC)}},
    {SCMP_SYS(clone), SCMP_ACT_ALLOW, 1, {BITS(0, ~(uint64_t)DETAILS, THREAD)}},
    {SCMP_SYS(setpriority), SCMP_ACT_ALLOW, 2, {INT(0, PRIO_PROCESS), INT(1, 0)}}, /* the calling thread's */
    {SCMP_SYS(sched_getaffinity), SCMP_ACT_ALLOW, 1, {INT(0, 0)}},  /* how many processors are there? */
    {SCMP_SYS(prlimit64), SCMP_ACT_ALLOW, 2, {INT(0, 0), NONE(2)}}, /* how large is my stack? */
    {SCMP_SYS(prctl), SCMP_ACT_ALLOW, 1, {INT(0, PR_SET_NAME)}},
    {SCMP_SYS(ioctl), SCMP_ACT_ALLOW, 1, {INT(1, TCGETS)}}, /* is this a terminal? */
    {SCMP_SYS(ioctl), SCMP_ACT_ALLOW, 1, {INT(1, FIONREAD)}},
    {SCMP_SYS(utimensat), SCMP_ACT_ALLOW, 1, {NONE(1)}}, /* of a descriptor */
    {SCMP_SYS(fcntl), SCMP_ACT_ALLOW, 1, {INT(1, F_DUPFD_CLOEXEC)}},
    {SCMP_SYS(fcntl), SCMP_ACT_ALLOW, 1, {INT(1, F_GETFD)}},
    {SCMP_SYS(fcntl), SCMP_ACT_ALLOW, 1, {INT(1, F_SETFD)}},
    {SCMP_SYS(fcntl), SCMP_ACT_ALLOW, 1, {INT(1, F_GETFL)}},
    {SCMP_SYS(fcntl), SCMP_ACT_ALLOW, 2, {INT(1, F_SETFL), BITS(2, O_ASYNC, 0)}},
    {SCMP_SYS(fcntl), SCMP_ACT_ALLOW, 1, {INT(1, F_ADD_SEALS)}},
    {SCMP_SYS(fcntl), SCMP_ACT_ALLOW, 1, {INT(1, F_GET_SEALS)}},
    {SCMP_SYS(fcntl), SCMP_ACT_ALLOW, 1, {INT(1, F_GETPIPE_SZ)}},
};

static const struct rule serving_rules[] = {
    {SCMP_SYS(socketpair), SCMP_ACT_ALLOW, 2, {INT(0, AF_UNIX), INT(1, PAIR)}}, /* the client's children */
    {SCMP_SYS(getsockopt), SCMP_ACT_ALLOW, 2, {INT(1, SOL_SOCKET), INT(2, SO_PEERCRED)}},
    {SCMP_SYS(setsockopt), SCMP_ACT_ALLOW, 2, {INT(1, SOL_SOCKET), INT(2, SO_RCVTIMEO)}},
    {SCMP_SYS(fcntl), SCMP_ACT_ALLOW, 2, {INT(1, F_SETLEASE), INT(2, F_RDLCK)}}, /* drm/core/export.c */
    {SCMP_SYS(fcntl), SCMP_ACT_ALLOW, 2, {INT(1, F_SETLEASE), INT(2, F_UNLCK)}},
};

/* ---- the filter ---- */

static int add_calls(scmp_filter_ctx filter, uint32_t answer, const int *calls, size_t count)
{
    int r = 0;
    for (size_t i = 0; !r && i < count; i++)
        r = seccomp_rule_add_exact_array(filter, answer, calls[i], 0, NULL);
    return r;
}

static int add_rules(scmp_filter_ctx filter, const struct rule *rule, size_t count)
{
    int r = 0;
    for (size_t i = 0; !r && i < count; i++)
        r = seccomp_rule_add_exact_array(filter, rule[i].answer, rule[i].call, rule[i].count, rule[i].when);
    return r;
}

static int add_serving(scmp_filter_ctx filter, unsigned pipe_bytes)
{
    const struct rule pipes[] = {
        {SCMP_SYS(fcntl), SCMP_ACT_ALLOW, 2, {INT(1, F_SETPIPE_SZ), INT(2, pipe_bytes)}},
    };
    int r = add_calls(filter, SCMP_ACT_ALLOW, serving, UTIL_ARRAY_SIZE(serving));
    if (!r)
        r = add_rules(filter, serving_rules, UTIL_ARRAY_SIZE(serving_rules));
    return r ? r : add_rules(filter, pipes, UTIL_ARRAY_SIZE(pipes));
}

static int add_all(scmp_filter_ctx filter, unsigned pipe_bytes, pid_t broker)
{
    const struct rule own[] = {
        {SCMP_SYS(tgkill), SCMP_ACT_ALLOW, 1, {INT(0, getpid())}}, /* abort() */
        {SCMP_SYS(wait4), SCMP_ACT_ALLOW, 1, {INT(0, broker)}},
    };
    int r = add_calls(filter, SCMP_ACT_ALLOW, allowed, UTIL_ARRAY_SIZE(allowed));
    if (!r)
        r = add_calls(filter, SCMP_ACT_ERRNO(EACCES), refused, UTIL_ARRAY_SIZE(refused));
    if (!r)
        r = add_calls(filter, SCMP_ACT_KILL_PROCESS, deadly, UTIL_ARRAY_SIZE(deadly));
    if (!r)
        r = add_rules(filter, rules, UTIL_ARRAY_SIZE(rules));
    if (!r)
        r = add_rules(filter, own, UTIL_ARRAY_SIZE(own));
    return r || !pipe_bytes ? r : add_serving(filter, pipe_bytes);
}

int util_sandbox_filter(unsigned pipe_bytes, pid_t broker)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
    if (!filter)
        return -ENOMEM;
    int r = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    if (!r)
        r = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
    if (!r)
        r = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2); /* a binary tree */
    if (!r)
        r = add_all(filter, pipe_bytes, broker);
    if (!r)
        r = seccomp_load(filter);
    seccomp_release(filter);
    return r;
}
