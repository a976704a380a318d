/* Ways out of the sandbox, tried from inside: each must fail, with all walls, with what a kernel without
 * Landlock has, and where Landlock alone promises it. Outside each of them works, on some kernel for some
 * user. */
#include "tests/unit/sandbox_entry.h"

#include <linux/io_uring.h>
#include <sched.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>

#include "util/files.h"

/* ---- what an intruder would do: each returns FINE when it was refused ---- */

static int refused(long result)
{
    return result < 0 ? FINE : WRONG;
}

/* files */
static int reading(void)
{
    return refused(open(in_folder("secret"), O_RDONLY));
}
static int reading_the_old_way(void)
{
    return refused(syscall(SYS_open, in_folder("secret"), O_RDONLY));
}
static int reading_the_new_way(void)
{
    const uint64_t how[3] = {O_RDONLY, 0, 0};
    return refused(syscall(SYS_openat2, AT_FDCWD, in_folder("secret"), how, sizeof how));
}
static int making(void)
{
    return refused(open(in_folder("made"), O_WRONLY | O_CREAT, 0600));
}
static int making_the_old_way(void)
{
    return refused(syscall(SYS_creat, in_folder("made"), 0600));
}
static int sharing(void)
{
    return refused(open("/dev/shm/vitrail-test", O_RDWR | O_CREAT, 0600));
}
static int memory_of_the_tool(void)
{
    return refused(open(proc(getppid(), "mem"), O_RDWR));
}
static int memory_of_the_program(void)
{
    return refused(open(proc(outside, "mem"), O_RDWR));
}
static int own_memory(void)
{
    return refused(open("/proc/self/mem", O_RDWR));
}
static int root_of_the_tool(void)
{
    return refused(open(proc(getppid(), "root/etc/passwd"), O_RDONLY));
}
static int writing_what_is_read(void)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", held.file);
    return refused(open(path, O_RDWR));
}
static int removing(void)
{
    return refused(unlink(in_folder("secret")));
}
static int removing_at(void)
{
    return refused(unlinkat(AT_FDCWD, in_folder("secret"), 0));
}
static int moving(void)
{
    return refused(rename(in_folder("secret"), in_folder("moved")));
}
static int linking(void)
{
    return refused(link(in_folder("secret"), in_folder("frames/frame-7.png")));
}
static int linking_by_name(void)
{
    return refused(symlink("/etc/passwd", in_folder("frames/frame-8.png")));
}
static int linking_a_descriptor(void)
{
    return refused(linkat(held.file, "", AT_FDCWD, in_folder("linked"), AT_EMPTY_PATH));
}
static int making_a_folder(void)
{
    return refused(mkdir(in_folder("made"), 0700));
}
static int making_a_device(void)
{
    return refused(mknod(in_folder("made"), S_IFCHR | 0600, 0x103));
}
static int making_a_socket(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/made", folder);
    return refused(bind(held.pair[0], (struct sockaddr *)&address, sizeof address));
}
static int shortening(void)
{
    return refused(truncate(in_folder("secret"), 0));
}
static int looking(void)
{
    struct stat status;
    return refused(stat(in_folder("secret"), &status));
}
static int looking_by_descriptor(void)
{
    struct stat status;
    return refused(fstatat(held.file, "/etc/passwd", &status, AT_EMPTY_PATH));
}
static int looking_the_new_way(void)
{
    struct statx status;
    return refused(statx(AT_FDCWD, in_folder("secret"), 0, STATX_ALL, &status));
}
static int asking(void)
{
    return refused(access(in_folder("secret"), F_OK));
}
static int reading_a_link(void)
{
    char target[64];
    return refused(readlink(proc(getppid(), "exe"), target, sizeof target));
}
static int walking(void)
{
    return refused(chdir("/"));
}
static int opening_to_all(void)
{
    return refused(chmod(in_folder("secret"), 0666)) == FINE ? refused(fchmod(held.file, 0666)) : WRONG;
}
static int giving(void)
{
    return refused(chown(in_folder("secret"), 1, 1));
}
static int dating(void)
{
    return refused(utimensat(AT_FDCWD, in_folder("secret"), NULL, 0));
}
static int watching(void)
{
    int fd = inotify_init1(0);
    return fd < 0 ? FINE : refused(inotify_add_watch(fd, folder, IN_ALL_EVENTS));
}
static int handles(void)
{
    struct {
        struct file_handle head;
        uint8_t bytes[128];
    } handle = {.head.handle_bytes = 128};
    int mount_id, where = open(folder, O_RDONLY | O_DIRECTORY);
    if (where >= 0)
        return WRONG;
    name_to_handle_at(AT_FDCWD, in_folder("secret"), &handle.head, &mount_id, 0);
    return refused(open_by_handle_at(held.file, &handle.head, O_RDWR));
}
static int mounting(void)
{
    return refused(mount("none", folder, "tmpfs", 0, NULL));
}
static int rooting(void)
{
    return refused(chroot(folder));
}
static int copying(void)
{
    return refused(sendfile(held.pair[0], held.file, NULL, 1)) == FINE
               ? refused(copy_file_range(held.file, NULL, held.pair[0], NULL, 1, 0))
               : WRONG;
}

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

/* the broker */
static int broker_denies(int result)
{
    return result == -EACCES ? FINE : WRONG;
}
static int brokered_reading(void)
{
    return broker_denies(util_open(in_folder("secret"), O_RDONLY, 0));
}
static int brokered_passwords(void)
{
    return broker_denies(util_open("/etc/passwd", O_RDONLY, 0));
}
static int brokered_making(void)
{
    return broker_denies(util_open(in_folder("made"), O_WRONLY | O_CREAT, 0600));
}
static int brokered_way_out(void)
{
    static const char *const names[] = {"frames/../secret",
                                        "frames/",
                                        "frames/.",
                                        "frames/..",
                                        "frames/frame-/../../secret.png",
                                        "frames//frame-1.png",
                                        "frames/other.png",
                                        "framesX/frame-1.png",
                                        "cache/vitrail/code-sandboxed/../../../secret",
                                        "cache/vitrail/code/x.vto",
                                        "cache/vitrail/code-sandboxed/.x"};
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(names); i++)
        if (util_open(in_folder(names[i]), O_WRONLY | O_CREAT, 0600) != -EACCES ||
            util_open(in_folder(names[i]), O_RDONLY, 0) != -EACCES ||
            util_remove_file(in_folder(names[i])) != -EACCES)
            return WRONG;
    return FINE;
}
/* Pictures are written, not read; a folder is listed, nothing else. */
static int brokered_rights(void)
{
    if (util_open(in_folder("frames/frame-1.png"), O_RDONLY, 0) != -EACCES ||
        util_open(in_folder("frames/frame-1.png"), O_RDWR, 0) != -EACCES ||
        util_open(in_folder("frames"), O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0) != -EACCES)
        return WRONG;
    static const int strange[] = {O_ACCMODE, O_PATH, O_TMPFILE | O_WRONLY, O_WRONLY | O_ASYNC, O_DIRECT};
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(strange); i++)
        if (util_open(in_folder("cache/vitrail/code-sandboxed/x"), strange[i], 0600) >= 0)
            return WRONG;
    return FINE;
}
static int brokered_input(void)
{
    char input[128];
    snprintf(input, sizeof input, "%s/input", folder);
    int fd = util_open(input, O_RDONLY, 0);
    if (fd < 0 || util_open(input, O_RDONLY | O_TRUNC, 0) != -EACCES ||
        util_open(input, O_WRONLY, 0) != -EACCES || util_open(input, O_RDWR, 0) != -EACCES ||
        util_open(input, O_RDONLY | O_CREAT, 0600) != -EACCES || util_remove_file(input) != -EACCES)
        return WRONG;
    return broker_denies(util_reopen(fd, O_RDWR));
}
static int brokered_reopening(void)
{
    int fd = memfd_create("of somebody", 0);
    if (util_reopen(held.file, O_RDWR) != -EACCES || util_reopen(held.file, O_RDONLY) != -EACCES ||
        util_reopen(fd, O_RDWR) != -EACCES || util_reopen(held.pair[0], O_RDWR) != -EACCES)
        return WRONG;
    return util_reopen(-1, O_RDWR) == -EINVAL ? FINE : WRONG;
}
static int brokered_moving(void)
{
    struct util_folder code;
    if (util_folder_open(in_folder("cache/vitrail/code-sandboxed"), &code))
        return WRONG;
    int fd = util_folder_file(&code, "tmp-test", O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0 || util_folder_rename(&code, "tmp-test", "../code/x.vto") != -EACCES ||
        util_folder_rename(&code, "tmp-test", "../../../secret") != -EACCES ||
        util_folder_rename(&code, "../../../secret", "tmp-test") != -EACCES)
        return WRONG;
    return util_folder_remove(&code, "tmp-test") ? WRONG : FINE;
}
/* Devices and links stay; the outside of a link is not reached by its removal. */
static int brokered_removing(void)
{
    return util_remove_file(in_folder("frames/frame-link.png")) == -EINVAL ? FINE : WRONG;
}

enum { DIES = 128 + SIGSYS, ABORTS = 128 + SIGABRT };

/* How each ends behind a filter; and whether Landlock alone refuses it too, for it looks at less: files,
 * other processes' memory, signals, TCP. */
static const struct intruder {
    const char *name;
    int (*action)(void);
    int filter;
    bool landlock;
    bool of_replay; /* alone: a server has no input */
} intruders[] = {
#define I(action, filter, landlock) {#action, action, filter, landlock, false}
    I(reading, FINE, true),
    I(reading_the_old_way, FINE, true),
    I(reading_the_new_way, FINE, true),
    I(making, FINE, true),
    I(making_the_old_way, FINE, true),
    I(sharing, FINE, true),
    I(memory_of_the_tool, FINE, true),
    I(memory_of_the_program, FINE, true),
    I(own_memory, FINE, true),
    I(root_of_the_tool, FINE, true),
    I(writing_what_is_read, FINE, true),
    I(removing, FINE, true),
    I(removing_at, FINE, true),
    I(moving, FINE, true),
    I(linking, FINE, true),
    I(linking_by_name, FINE, true),
    I(linking_a_descriptor, FINE, true),
    I(making_a_folder, FINE, true),
    I(making_a_device, FINE, true),
    I(making_a_socket, DIES, true),
    I(shortening, FINE, true),
    I(looking, FINE, false),
    I(looking_by_descriptor, FINE, false),
    I(looking_the_new_way, FINE, false),
    I(asking, FINE, false),
    I(reading_a_link, FINE, true),
    I(walking, FINE, false),
    I(opening_to_all, FINE, false),
    I(giving, FINE, false),
    I(dating, FINE, false),
    I(watching, FINE, false),
    I(handles, DIES, true),
    I(mounting, DIES, true),
    I(rooting, DIES, false),
    I(copying, FINE, false),
    I(killing, FINE, true),
    I(killing_the_program, FINE, true),
    I(killing_all, FINE, false),
    I(killing_a_thread, FINE, true),
    I(killing_a_task, FINE, true),
    I(queueing, FINE, true),
    I(owning, FINE, false),
    I(owning_the_new_way, FINE, false),
    I(owning_by_ioctl, FINE, false),
    I(choosing_the_signal, FINE, false),
    I(signals_of_sockets, FINE, false),
    I(notifying, FINE, false),
    I(locking, FINE, false),
    I(leasing, FINE, false),
    I(piping, FINE, false),
    I(dying_with, FINE, false),
    I(aborting, ABORTS, false),
    I(another_program, DIES, true),
    I(another_program_from_memory, DIES, false),
    I(another_process, FINE, false),
    I(another_process_the_new_way, FINE, false),
    I(another_namespace, FINE, false),
    I(leaving_by_unshare, DIES, false),
    I(leaving_by_setns, DIES, false),
    I(tracing, DIES, true),
    I(being_traced, DIES, false),
    I(writing_memory, DIES, true),
    I(reading_memory, DIES, true),
    I(advising_memory, FINE, false),
    I(handle_of_a_process, DIES, false),
    I(descriptors_of_a_process, DIES, false),
    I(comparing, DIES, true),
    I(slowing, FINE, false),
    I(pinning, FINE, false),
    I(scheduling, FINE, false),
    I(limiting, FINE, false),
    I(grouping, FINE, false),
    I(waiting, FINE, false),
    I(other_user, DIES, false),
    I(being_dumped, FINE, false),
    I(network, DIES, false),
    I(kernel_talk, DIES, false),
    I(network_pair, FINE, false),
    I(letters, FINE, false),
    I(connecting, DIES, false),
    I(listening, DIES, false),
    I(attaching_a_filter, FINE, false),
    I(process_of_a_peer, FINE, false),
    I(shared_segments, FINE, false),
    I(message_queues, FINE, false),
    I(terminals, FINE, false),
    I(writable_code, FINE, false),
    I(code_of_a_file, FINE, false),
    I(code_by_key, FINE, false),
    I(all_is_code, FINE, false),
    I(other_abi, DIES, false),
    I(rings, DIES, false),
    I(programs_of_the_kernel, DIES, false),
    I(faults_of_users, DIES, false),
    I(events_of_performance, DIES, false),
    I(keys, DIES, false),
    I(modules, DIES, false),
    I(unknown_call, FINE, false),
    I(undoing, FINE, false),
    I(brokered_reading, FINE, true),
    I(brokered_passwords, FINE, true),
    I(brokered_making, FINE, true),
    I(brokered_way_out, FINE, true),
    I(brokered_rights, FINE, true),
    I(brokered_reopening, FINE, true),
    I(brokered_moving, FINE, true),
    I(brokered_removing, FINE, true),
#undef I
    {"brokered_input", brokered_input, FINE, true, true},
};

static unsigned try_all(unsigned walls)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(intruders); i++) {
        const struct intruder *who = &intruders[i];
        bool landlock = walls == UTIL_WALL_LANDLOCK;
        for (enum kind kind = 0; kind < KINDS; kind++) {
            if ((landlock && !who->landlock) || (who->of_replay && kind != AS_REPLAY))
                continue;
            int how = ends(who->action, kind, walls), expected = landlock ? FINE : who->filter;
            if (how != expected) {
                print_error("%s, %s: %s ends with %d, not %d\n", kind_names[kind], wall_names[walls],
                            who->name, how, expected);
                wrong++;
            }
        }
    }
    return wrong;
}

static void test_intruders(void **unused)
{
    if (missing(UTIL_WALLS_ALL))
        skip();
    assert_int_equal(try_all(UTIL_WALLS_ALL), 0);
}
/* A kernel without Landlock. */
static void test_filter_alone(void **unused)
{
    if (missing(UTIL_WALL_FILTER))
        skip();
    assert_int_equal(try_all(UTIL_WALL_FILTER), 0);
}
static void test_landlock_alone(void **unused)
{
    if (missing(UTIL_WALL_LANDLOCK))
        skip();
    assert_int_equal(try_all(UTIL_WALL_LANDLOCK), 0);
}

/* The i386 entry is no call of ours; a kernel without it answers as to any bad instruction. */
static void test_old_entry(void **unused)
{
    if (missing(UTIL_WALL_FILTER))
        skip();
    int how = ends(old_abi, AS_REPLAY, UTIL_WALL_FILTER);
    assert_true(how == DIES || how == 128 + SIGSEGV);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_intruders),
        cmocka_unit_test(test_filter_alone),
        cmocka_unit_test(test_landlock_alone),
        cmocka_unit_test(test_old_entry),
    };
    return cmocka_run_group_tests(tests, sandbox_prepare, sandbox_clean_up);
}
