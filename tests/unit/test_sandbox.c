/* The server's sandbox: what serving takes still works behind it, what an intruder would do does not. Each
 * case is a process of its own, for there is no way back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drm/server.h"
#include "tests/unit/renderer_scene.h"
#include "util/image.h"

enum { FINE = 40, WRONG, WITHOUT };

static char folder[] = "/tmp/vitrail-sandbox-XXXXXX";

/* How the case ends in a process behind the sandbox: its exit status, or 128 and the signal. */
static int ends(int (*action)(void))
{
    int status;
    pid_t child = fork();
    if (!child) {
        const struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        int r = drm_server_sandbox();
        if (r == -ENOSYS || r == -EINVAL || r == -ENOTSUP)
            _exit(WITHOUT);
        _exit(r ? WRONG : action());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int nothing(void)
{
    return FINE;
}

static bool missing(void)
{
    int how = ends(nothing);
    if (how == WITHOUT)
        print_message("no sandbox with this kernel or this build\n");
    else
        assert_int_equal(how, FINE);
    return how == WITHOUT;
}

/* ---- what serving takes ---- */

static void *add_one(void *number)
{
    ++*(int *)number;
    return NULL;
}

/* A connection: a thread, its channel, its socket, events, memory of its own. */
static int connection(void)
{
    int pair[2], number = 1, channel = memfd_create("channel", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    pthread_t thread;
    if (channel < 0 || ftruncate(channel, 1 << 20) || fcntl(channel, F_ADD_SEALS, F_SEAL_SHRINK))
        return WRONG;
    int events[2], waiting = 0;
    if (pipe2(events, O_CLOEXEC) || write(events[1], "abc", 3) != 3 || ioctl(events[0], FIONREAD, &waiting) ||
        waiting != 3)
        return WRONG;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) || send(pair[0], "a", 1, 0) > 0)
        return WRONG; /* send is sendto, which the server does not use */
    if (pthread_create(&thread, NULL, add_one, &number) || pthread_join(thread, NULL) || number != 2)
        return WRONG;
    void *big = malloc(64 << 20);
    memset(big, 1, 64 << 20);
    free(big);
    return FINE;
}

static struct scene scene;
static struct jit_engine *engine;

/* A job with a program that is new: compiled, stored in the cache, drawn by the pool, written as a picture.
 */
static int job(void)
{
    char path[64];
    struct jit_stats stats;
    struct util_image image;
    triangle_scene(&scene, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    render(&scene);
    jit_engine_stats(engine, &stats);
    if (gpu_host_faults(vc4_device_host(scene.device), &(struct gpu_fault){0}, 1) ||
        pixel(&scene, 20, 20) != BLUE || !stats.compiled)
        return WRONG;
    snprintf(path, sizeof path, "%s/a.png", folder);
    if (util_image_init(&image, 64, 64) || util_image_write_png(&image, path, 0))
        return WRONG;
    util_image_finish(&image);
    return FINE;
}

/* The scene is made behind fork and before the sandbox, as the server is: its threads are filtered too. */
static void test_serving(void **unused)
{
    int status;
    if (missing())
        skip();
    assert_int_equal(ends(connection), FINE);
    pid_t child = fork();
    if (!child) {
        struct jit_options jit = {.level = -1, .optimize = 2, .cache_dir = folder};
        if (!scene_open(&scene, plain) || jit_engine_create(&jit, &engine, NULL) ||
            util_pool_create(2, &scene.pool))
            _exit(WRONG);
        vc4_device_destroy(scene.device);
        const struct gpu_options options = {.engine = engine, .pool = scene.pool};
        if (vc4_device_create(&scene.memory, &options, &scene.device) || drm_server_sandbox())
            _exit(WRONG);
        int how = job();
        vc4_device_destroy(scene.device);
        util_pool_destroy(scene.pool);
        jit_engine_destroy(engine);
        gpu_memory_destroy(&scene.memory);
        _exit(how);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), FINE);
    char command[128];
    snprintf(command, sizeof command, "cd %s && test $(ls *.vto | wc -l) -ge 2 && test -s a.png", folder);
    assert_int_equal(system(command), 0);
}

/* ---- what an intruder would do ---- */

static int another_program(void)
{
    execl("/bin/true", "true", NULL);
    return WRONG;
}
static int another_process(void)
{
    return fork() < 0 && errno == EPERM ? FINE : WRONG;
}
static int network(void)
{
    socket(AF_INET, SOCK_STREAM, 0);
    return WRONG;
}
static int network_pair(void)
{
    int pair[2];
    socketpair(AF_INET, SOCK_STREAM, 0, pair);
    return WRONG;
}
static int connecting(void)
{
    connect(0, NULL, 0);
    return WRONG;
}
static int tracing(void)
{
    ptrace(PTRACE_ATTACH, getppid(), NULL, NULL);
    return WRONG;
}
static int signalling(void)
{
    return kill(getppid(), 0) < 0 && errno == ENOSYS ? FINE : WRONG;
}
static int signalling_a_thread(void)
{
    syscall(SYS_tgkill, 1, 1, 0);
    return WRONG;
}
static int aborting(void)
{
    abort();
}
static int unknown_call(void)
{
    return syscall(9999) < 0 && errno == ENOSYS ? FINE : WRONG;
}
static int other_abi(void)
{
    syscall(0x40000000 | SYS_getpid);
    return WRONG;
}
static int writable_code(void)
{
    void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED || !mprotect(at, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) || errno != EPERM ||
        mprotect(at, 4096, PROT_READ | PROT_EXEC))
        return WRONG;
    at = mmap(NULL, 4096, PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED && errno == EPERM ? FINE : WRONG;
}
static int terminals(void)
{
    char byte = 'x';
    return ioctl(0, TIOCSTI, &byte) < 0 && errno == ENOTTY ? FINE : WRONG;
}
static int undoing(void)
{
    return drm_server_sandbox() ? FINE : WRONG; /* nobody adds another filter, or takes one away */
}

static void test_intruders(void **unused)
{
    const struct {
        int (*action)(void);
        int ends;
    } cases[] = {
        {another_program, 128 + SIGSYS},
        {another_process, FINE},
        {network, 128 + SIGSYS},
        {network_pair, 128 + SIGSYS},
        {connecting, 128 + SIGSYS},
        {tracing, 128 + SIGSYS},
        {signalling, FINE},
        {signalling_a_thread, 128 + SIGSYS},
        {aborting, 128 + SIGABRT},
        {unknown_call, FINE},
        {other_abi, 128 + SIGSYS},
        {writable_code, FINE},
        {terminals, FINE},
        {undoing, FINE},
    };
    if (missing())
        skip();
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(cases); i++) {
        int how = ends(cases[i].action);
        if (how != cases[i].ends)
            fail_msg("case %u ends with %d, not %d", i, how, cases[i].ends);
    }
}

static int make_folder(void **unused)
{
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **unused)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_serving),
        cmocka_unit_test(test_intruders),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
