/* Ways out through other processes: signals, their memory, namespaces, limits, and what connects them. */
#ifndef VITRAIL_TESTS_HOSTILE_ESCAPES_PROCESSES_H
#define VITRAIL_TESTS_HOSTILE_ESCAPES_PROCESSES_H

#include "tests/hostile/escapes.h"

#include <sched.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>

/* signals */
static int killing(void)
{
    return refused(kill(getppid(), SIGWINCH));
}
static int killing_the_program(void)
{
    return refused(kill(outside, SIGWINCH));
}
static int killing_all(void)
{
    return refused(kill(-1, 0)); /* nobody is hurt where it can be done */
}
static int killing_a_thread(void)
{
    return refused(syscall(SYS_tgkill, outside, outside, SIGWINCH));
}
static int killing_a_task(void)
{
    return refused(syscall(SYS_tkill, outside, SIGWINCH));
}
static int queueing(void)
{
    return refused(sigqueue(outside, SIGWINCH, (union sigval){0}));
}
static int owning(void)
{
    return refused(fcntl(held.pair[0], F_SETOWN, outside));
}
static int owning_the_new_way(void)
{
    const struct f_owner_ex owner = {F_OWNER_PID, outside};
    return refused(fcntl(held.pair[0], F_SETOWN_EX, &owner));
}
static int owning_by_ioctl(void)
{
    return refused(ioctl(held.pair[0], FIOSETOWN, &outside));
}
static int choosing_the_signal(void)
{
    return refused(fcntl(held.pair[0], F_SETSIG, SIGKILL));
}
static int signals_of_sockets(void)
{
    return refused(fcntl(held.pair[0], F_SETFL, O_ASYNC | O_RDWR));
}
static int notifying(void)
{
    return refused(fcntl(held.file, F_NOTIFY, DN_ACCESS));
}
static int locking(void)
{
    struct flock lock = {.l_type = F_RDLCK};
    return refused(fcntl(held.file, F_SETLK, &lock));
}
static int leasing(void)
{
    return refused(fcntl(held.file, F_SETLEASE, F_WRLCK));
}
static int piping(void)
{
    return refused(fcntl(held.pair[0], F_SETPIPE_SZ, 1 << 20));
}
static int dying_with(void)
{
    return refused(prctl(PR_SET_PDEATHSIG, SIGTERM));
}
static int aborting(void)
{
    abort();
}

/* processes */
static int another_program(void)
{
    execl("/bin/true", "true", NULL);
    return FINE;
}
static int another_program_from_memory(void)
{
    char *const none[] = {NULL};
    int fd = memfd_create("program", 0);
    if (fd < 0 || write(fd, "#!/bin/true\n", 12) != 12)
        return WRONG;
    execveat(fd, "", none, none, AT_EMPTY_PATH);
    return FINE;
}
static int another_process(void)
{
    pid_t child = fork();
    if (!child)
        _exit(0);
    return refused(child);
}
static int another_process_the_new_way(void)
{
    const uint64_t arguments[11] = {[4] = SIGCHLD};
    long child = syscall(SYS_clone3, arguments, sizeof arguments);
    if (!child)
        _exit(0);
    return child < 0 && errno == ENOSYS ? FINE : WRONG;
}
static int another_namespace(void)
{
    long child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL);
    if (!child)
        _exit(0);
    return refused(child);
}
static int leaving_by_unshare(void)
{
    return refused(unshare(CLONE_NEWUSER));
}
static int leaving_by_setns(void)
{
    return refused(setns(held.file, 0));
}
static int tracing(void)
{
    return refused(ptrace(PTRACE_ATTACH, outside, NULL, NULL));
}
static int being_traced(void)
{
    return refused(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}
static int writing_memory(void)
{
    char byte = 0;
    struct iovec here = {&byte, 1}, there = {(void *)&outside, 1};
    return refused(process_vm_writev(getppid(), &here, 1, &there, 1, 0));
}
static int reading_memory(void)
{
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)&outside, 1};
    return refused(process_vm_readv(getppid(), &here, 1, &there, 1, 0));
}
static int advising_memory(void)
{
    struct iovec there = {(void *)&outside, 1};
    return refused(syscall(SYS_process_madvise, held.file, &there, 1, MADV_COLD, 0));
}
static int handle_of_a_process(void)
{
    return refused(syscall(SYS_pidfd_open, outside, 0));
}
static int descriptors_of_a_process(void)
{
    return refused(syscall(SYS_pidfd_getfd, held.file, 0, 0));
}
static int comparing(void)
{
    return refused(syscall(SYS_kcmp, getppid(), outside, 0, 0, 0));
}
static int slowing(void)
{
    return refused(setpriority(PRIO_PROCESS, (id_t)outside, 19));
}
static int pinning(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    return refused(sched_setaffinity(outside, sizeof set, &set)) == FINE
               ? refused(sched_getaffinity(outside, sizeof set, &set))
               : WRONG;
}
static int scheduling(void)
{
    const struct sched_param least = {0};
    return refused(sched_setscheduler(outside, SCHED_BATCH, &least));
}
static int limiting(void)
{
    struct rlimit limit = {100, 100};
    return refused(prlimit(outside, RLIMIT_NOFILE, NULL, &limit)) == FINE
               ? refused(prlimit(0, RLIMIT_CORE, &limit, NULL))
               : WRONG;
}
static int grouping(void)
{
    return refused(setpgid(outside, outside)) == FINE ? refused(setsid()) : WRONG;
}
static int waiting(void)
{
    return refused(waitpid(-1, NULL, WNOHANG));
}
static int other_user(void)
{
    return refused(setuid(1));
}
static int being_dumped(void)
{
    return refused(prctl(PR_SET_DUMPABLE, 1));
}

/* the network, and other ways to talk */
static int network(void)
{
    return refused(socket(AF_INET, SOCK_STREAM, 0));
}
static int kernel_talk(void)
{
    return refused(socket(AF_NETLINK, SOCK_RAW, 0));
}
static int network_pair(void)
{
    int pair[2];
    return refused(socketpair(AF_INET, SOCK_STREAM, 0, pair));
}
/* A message of such a socket may name any other's address. */
static int letters(void)
{
    int pair[2];
    return refused(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair));
}
static int connecting(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "\0vitrail"};
    return refused(connect(held.pair[0], (struct sockaddr *)&address, sizeof address));
}
static int listening(void)
{
    return refused(listen(held.pair[0], 1));
}
static int attaching_a_filter(void)
{
    return refused(setsockopt(held.pair[0], SOL_SOCKET, SO_DETACH_FILTER, &outside, sizeof outside));
}
static int process_of_a_peer(void)
{
    int fd;
    socklen_t size = sizeof fd;
    return refused(getsockopt(held.pair[0], SOL_SOCKET, 77 /* SO_PEERPIDFD */, &fd, &size));
}
static int shared_segments(void)
{
    return refused(shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600));
}
static int message_queues(void)
{
    return refused(syscall(SYS_mq_open, "vitrail", O_RDWR | O_CREAT, 0600, NULL));
}
static int terminals(void)
{
    char byte = 'x';
    return ioctl(0, TIOCSTI, &byte) < 0 && errno == ENOSYS ? FINE : WRONG;
}

#endif
