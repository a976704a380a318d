/* What the server, `vitrail replay` and their like do still works behind the sandbox; the walls that are not
 * calls; the broker by itself. Ways out: tests/hostile/test_escapes.c. */
#include "tests/tools/sandbox_entry.h"

#include <dirent.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "tests/drm/card.h"
#include "tests/gpu/vc4/renderer_scene.h"
#include "util/files.h"
#include "util/files_broker.h"
#include "util/message.h"
#include "util/image.h"

/* ---- what both take ---- */

static void *add_one(void *number)
{
    ++*(int *)number;
    return NULL;
}

/* Threads, memory, and code that is written and then run. */
static int working(void)
{
    static const uint8_t code[] = {0xb8, 7, 0, 0, 0, 0xc3}; /* mov $7, %eax; ret */
    int number = 1, (*seven)(void);
    pthread_t thread;
    if (pthread_create(&thread, NULL, add_one, &number) || pthread_join(thread, NULL) || number != 2)
        return WRONG;
    void *big = malloc(64 << 20);
    memset(big, 1, 64 << 20);
    free(big);
    void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return WRONG;
    memcpy(at, code, sizeof code);
    memcpy(&seven, &at, sizeof at);
    if (mprotect(at, 4096, PROT_READ | PROT_EXEC) || seven() != 7)
        return WRONG;
    return setpriority(PRIO_PROCESS, 0, 10) || sysconf(_SC_NPROCESSORS_ONLN) < 1 ? WRONG : FINE;
}

/* A connection: its channel, its socket, events. */
static int connection(void)
{
    int pair[2], events[2], waiting = 0, channel = memfd_create("channel", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    struct timeval patience = {.tv_sec = 2};
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (channel < 0 || ftruncate(channel, 1 << 20) || fcntl(channel, F_ADD_SEALS, F_SEAL_SHRINK))
        return WRONG;
    if (pipe2(events, O_CLOEXEC) || write(events[1], "abc", 3) != 3 || ioctl(events[0], FIONREAD, &waiting) ||
        waiting != 3 || fcntl(events[1], F_SETFL, O_NONBLOCK))
        return WRONG;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) ||
        setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) ||
        getsockopt(pair[0], SOL_SOCKET, SO_PEERCRED, &peer, &size))
        return WRONG;
    return FINE;
}

/* A card: its buffers' exports are opened again by the broker, and known for what they are. */
static int card(void)
{
    struct card c;
    card_open(&c, 64 << 20, NULL);
    uint32_t handle = card_buffer(&c, 4096, NULL);
    for (int i = 0; i < 2; i++) {
        struct drm_prime_handle prime = {.handle = handle, .flags = DRM_CLOEXEC | DRM_RDWR};
        uint64_t offset, size;
        int fd;
        if (CALL_GIVING(c.file, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime, &fd) ||
            lseek(fd, 0, SEEK_END) != 4096 || drm_lookup_dmabuf(c.drm, fd, &offset, &size) || size != 4096)
            return WRONG;
    }
    int fence, other = memfd_create("other", MFD_CLOEXEC);
    struct drm_syncobj_create create = {.flags = DRM_SYNCOBJ_CREATE_SIGNALED};
    if (CALL(c.file, DRM_IOCTL_SYNCOBJ_CREATE, &create))
        return WRONG;
    struct drm_syncobj_handle sync = {.handle = create.handle,
                                      .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
    if (CALL_GIVING(c.file, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &sync, &fence))
        return WRONG;
    sync.flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE;
    if (CALL_TAKING(c.file, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &sync, fence))
        return WRONG;
    if (CALL_TAKING(c.file, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &sync, other) != -EINVAL)
        return WRONG;
    card_close(&c);
    return FINE;
}

/* A job with a program that is new: compiled, stored, drawn by the pool, written as a picture. Everything but
 * the sandbox begins behind it. */
static int job(void)
{
    struct scene scene;
    struct jit_stats stats;
    struct util_image image;
    struct util_pool *pool;
    struct jit_engine *engine;
    struct gpu_options options;
    char png[128];
    snprintf(png, sizeof png, "%s/frames/frame-000001.png", folder);
    if (!scene_open(&scene, plain) || tool_device_open("test", &entered_device, &pool, &engine, &options))
        return WRONG;
    vc4_device_destroy(scene.device);
    if (vc4_device_create(&scene.memory, &options, &scene.device))
        return WRONG;
    triangle_scene(&scene, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    render(&scene);
    jit_engine_stats(engine, &stats);
    if (gpu_host_faults(vc4_device_host(scene.device), &(struct gpu_fault){0}, 1) ||
        pixel(&scene, 20, 20) != BLUE || stats.disk_rejected)
        return WRONG;
    if (util_image_init(&image, 64, 64) || util_image_write_png(&image, png, 0))
        return WRONG;
    util_image_finish(&image);
    vc4_device_destroy(scene.device);
    jit_engine_destroy(engine);
    util_pool_destroy(pool);
    gpu_memory_destroy(&scene.memory);
    util_sandbox_leave();
    return stats.disk_hits ? FINE + 100 : FINE;
}

static unsigned count_objects(const char *name)
{
    unsigned count = 0;
    DIR *dir = opendir(in_folder(name));
    for (struct dirent *d; dir && (d = readdir(dir));)
        count += strstr(d->d_name, ".vto") != NULL;
    if (dir)
        closedir(dir);
    return count;
}

/* Compiled code is found again, by sandboxes alone. */
static void test_serving(void **unused)
{
    for (unsigned walls = UTIL_WALLS_ALL; walls <= UTIL_WALL_FILTER; walls++) {
        if (missing(walls))
            skip();
        for (enum kind kind = 0; kind < KINDS; kind++) {
            assert_int_equal(ends(working, kind, walls), FINE);
            assert_int_equal(ends(job, kind, walls), walls + kind ? FINE + 100 : FINE);
            assert_true(count_objects("cache/vitrail/code-sandboxed") >= 2);
            assert_int_equal(count_objects("cache/vitrail/code"), 0);
            assert_int_equal(unlink(in_folder("frames/frame-000001.png")), 0);
        }
        assert_int_equal(ends(connection, AS_SERVER, walls), FINE);
        assert_int_equal(ends(connection, AS_REPLAY, walls), WRONG); /* a server's calls are no other's */
        assert_int_equal(ends(card, AS_SERVER, walls), FINE);
    }
}

/* ---- memory ---- */

/* Whether a process of the same user, who is not root, gets at another's memory. */
static bool reaches_memory(bool closed)
{
    int ready[2], over[2], status;
    char byte;
    assert_int_equal(pipe(ready) | pipe(over), 0);
    pid_t victim = fork();
    if (!victim) {
        if (!geteuid() && setresuid(65534, 65534, 65534))
            _exit(1);
        prctl(PR_SET_DUMPABLE, 1);
        if (closed)
            util_sandbox_close_memory();
        close(over[1]);
        _exit(write(ready[1], "", 1) == 1 && read(over[0], &byte, 1) == 0 ? 0 : 1);
    }
    close(over[0]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    pid_t child = fork();
    if (!child) {
        if (!geteuid() && setresuid(65534, 65534, 65534))
            _exit(WRONG);
        _exit(open(proc(victim, "mem"), O_RDWR) < 0 ? FINE : WITHOUT);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    close(over[1]);
    assert_int_equal(waitpid(victim, NULL, 0), victim);
    close(ready[0]);
    close(ready[1]);
    return WEXITSTATUS(status) == WITHOUT;
}

static void test_memory(void **unused)
{
    assert_false(reaches_memory(true));
    if (!reaches_memory(false)) /* Yama, or a container's rules */
        print_message("here no process reaches another's memory in any case\n");
}

/* ---- the end ---- */

static int leaving(void)
{
    util_sandbox_leave();
    return FINE;
}

/* The broker of a server removes the run's folder, when the server ends in order and not when it dies: then
 * the tool does. */
static void test_end(void **unused)
{
    if (missing(UTIL_WALLS_ALL))
        skip();
    assert_int_equal(mkdir(in_folder("run"), 0700), 0);
    assert_int_equal(ends(nothing, AS_SERVER, UTIL_WALLS_ALL), FINE);
    assert_int_equal(access(in_folder("run"), F_OK), 0);
    assert_int_equal(ends(leaving, AS_SERVER, UTIL_WALLS_ALL), FINE);
    assert_int_equal(access(in_folder("run"), F_OK), -1);
}

/* ---- the broker by itself, in every build ---- */

/* NULL when every answer belonged to its question. */
static void *ask_often(void *input)
{
    for (unsigned i = 0; i < 200; i++) {
        int fd = util_open(input, O_RDONLY, 0);
        if (fd < 0 || close(fd) || util_open("/etc/passwd", O_RDONLY, 0) != -EACCES)
            return input;
    }
    return NULL;
}

static void test_broker(void **unused)
{
    char input[128], out[128];
    snprintf(input, sizeof input, "%s/input", folder);
    snprintf(out, sizeof out, "%s/out", folder);
    const struct util_grant grants[] = {{.path = input, .rights = UTIL_GRANT_READ},
                                        {.path = out, .rights = UTIL_GRANT_WRITE},
                                        {.path = "/nonexistent", .pattern = "*", .rights = UTIL_GRANT_READ}};
    struct util_broker broker;
    pthread_t threads[4];
    void *wrong;
    struct stat status;
    char text[8];
    assert_int_equal(util_broker_start(grants, UTIL_ARRAY_SIZE(grants), NULL, NULL, &broker), 0);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_often, input), 0);
    for (unsigned i = 0; i < 4; i++)
        assert_true(!pthread_join(threads[i], &wrong) && !wrong);
    FILE *file = util_fopen(input, "rb");
    assert_non_null(file);
    assert_string_equal(fgets(text, sizeof text, file), "input\n");
    fclose(file);
    file = util_fopen(out, "wb");
    assert_true(file && fputs("out", file) >= 0 && !fclose(file));
    assert_int_equal(stat(out, &status), 0);
    assert_int_equal(status.st_size, 3);
    assert_int_equal(util_open("/nonexistent/x", O_RDONLY, 0), -EACCES);
    assert_int_equal(util_remove_file(out), 0);
    assert_int_equal(util_remove_file(out), -ENOENT);
    char *long_path = malloc(8192);
    memset(long_path, 'a', 8191);
    long_path[8191] = 0;
    assert_int_equal(util_open(long_path, O_RDONLY, 0), -ENAMETOOLONG);
    free(long_path);
    assert_int_equal(kill(broker.process, SIGKILL), 0);
    assert_int_equal(util_open(input, O_RDONLY, 0), -EIO);
    util_broker_end(&broker);
    int fd = util_open(input, O_RDONLY, 0); /* without a broker as ever */
    assert_true(fd >= 0);
    close(fd);
}

/* What is no request, from a process that says anything. */
static void test_babble(void **unused)
{
    char input[128];
    snprintf(input, sizeof input, "%s/input", folder);
    const struct util_grant grant = {.path = input, .rights = UTIL_GRANT_READ};
    struct util_files_request request;
    struct util_files_reply reply;
    struct util_broker broker;
    int fd;
    assert_int_equal(util_broker_start(&grant, 1, NULL, NULL, &broker), 0);
    srand(1);
    for (unsigned i = 0; i < 2000; i++) {
        for (size_t k = 0; k < sizeof request; k++)
            ((uint8_t *)&request)[k] = (uint8_t)rand();
        request.what = i % 8 == UTIL_FILES_END ? 77 : i % 8;
        assert_true(util_message_send(broker.socket, &request, sizeof request, i % 3 ? -1 : 0));
        assert_true(util_message_receive(broker.socket, &reply, sizeof reply, &fd));
        assert_true(reply.result < 0 && fd == -1);
    }
    assert_true(util_message_send(broker.socket, &request, 100, -1)); /* it hangs up */
    assert_false(util_message_receive(broker.socket, &reply, sizeof reply, &fd));
    util_broker_end(&broker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_serving), cmocka_unit_test(test_memory), cmocka_unit_test(test_end),
        cmocka_unit_test(test_broker),  cmocka_unit_test(test_babble),
    };
    return cmocka_run_group_tests(tests, sandbox_prepare, sandbox_clean_up);
}
