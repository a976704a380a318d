/* The server, spoken to by peers that mean harm: none may take anything from it or from another peer, or
 * keep it from serving them. */
#include "tests/drm/host.h"

#include <sys/resource.h>
#include <sys/stat.h>

/* Each is answered by hanging up, and harms nobody else. */
static void test_hostile_messages(void **state)
{
    struct host h;
    struct peer good;
    host_open(&h);
    peer_open(&good, &h);
    uint32_t file = open_file(&good, DRM_MINOR_RENDER);
    const struct drm_message hello = {.type = DRM_MSG_HELLO, .a = DRM_PROTOCOL_VERSION};
    const struct drm_message wrong_version = {.type = DRM_MSG_HELLO, .a = 999},
                             early = {.type = DRM_MSG_OPEN};
    uint8_t large[65536] = {DRM_MSG_HELLO};
    const int many[4] = {0, 0, 0, 0};
    const struct {
        const void *bytes;
        size_t size;
        unsigned fds;
    } openings[] = {{&wrong_version, sizeof wrong_version, 0},
                    {&early, sizeof early, 0},
                    {&hello, 1, 0},
                    {&hello, sizeof hello - 1, 0},
                    {large, sizeof large, 0},
                    {&hello, sizeof hello, 4}};
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(openings); i++) {
        int s = connect_raw(&h);
        send_raw(s, openings[i].bytes, openings[i].size, many, openings[i].fds);
        if (!is_hung_up(s))
            fail_msg("opening %zu was accepted", i);
        close(s);
    }
    const struct drm_message unknown = {.type = 77}, again = hello;
    const struct {
        const void *bytes;
        size_t size;
        unsigned fds;
    } later[] = {{&unknown, sizeof unknown, 0},
                 {&again, sizeof again, 0},
                 {&unknown, 3, 0},
                 {large, sizeof large, 0},
                 {&unknown, sizeof unknown, 4}};
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(later); i++) {
        struct peer p;
        peer_open(&p, &h);
        send_raw(p.socket, later[i].bytes, later[i].size, many, later[i].fds);
        if (!is_hung_up(p.socket))
            fail_msg("message %zu was accepted", i);
        peer_close(&p);
    }
    struct peer p; /* an opening through the ring, which carries no descriptors */
    peer_open(&p, &h);
    p.channel->message = (struct drm_message){.type = DRM_MSG_OPEN};
    __atomic_add_fetch(&p.channel->asked, 1, __ATOMIC_SEQ_CST);
    const struct drm_message ring = {.type = DRM_MSG_RING};
    send(p.socket, &ring, sizeof ring, MSG_NOSIGNAL);
    assert_true(is_hung_up(p.socket));
    peer_close(&p);
    create(&good, file, 4096);
    peer_close(&good);
    host_close(&h);
}

/* Offsets instead of pointers: none may lead out of the channel. */
static void test_hostile_pointers(void **state)
{
    static const uint64_t offsets[] = {0,
                                       1,
                                       DRM_CHANNEL_BYTES - DRM_CHANNEL_DATA,
                                       DRM_CHANNEL_BYTES,
                                       1ull << 32,
                                       UINT64_MAX,
                                       UINT64_MAX - 8,
                                       1ull << 63};
    struct host h;
    struct peer p;
    host_open(&h);
    peer_open(&p, &h);
    uint32_t file = open_file(&p, DRM_MINOR_RENDER), handle = create(&p, file, 4096);
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(offsets); i++) {
        struct drm_vc4_create_shader_bo shader = {.size = 4096, .data = offsets[i]};
        int r = ioctl_by_ring(&p, file, DRM_IOCTL_VC4_CREATE_SHADER_BO, &shader);
        assert_int_equal(r, i == 1 ? -EINVAL : -EFAULT); /* 1 lies inside; what stands there is no program */
        struct drm_vc4_submit_cl submit = {.bo_handles = offsets[i], .bo_handle_count = 0x40000000};
        r = ioctl_by_ring(&p, file, DRM_IOCTL_VC4_SUBMIT_CL, &submit);
        assert_true(r == -EFAULT || r == -EINVAL);
        struct drm_syncobj_wait wait = {.handles = offsets[i], .count_handles = 0xffffffff};
        assert_true(ioctl_by_ring(&p, file, DRM_IOCTL_SYNCOBJ_WAIT, &wait) < 0);
        struct drm_version version = {.name_len = UINT64_MAX, .name = (char *)(uintptr_t)offsets[i]};
        r = ioctl_by_ring(&p, file, DRM_IOCTL_VERSION, &version);
        assert_int_equal(r, i <= 1 ? 0 : -EFAULT);
    }
    struct drm_vc4_get_tiling tiling = {.handle = handle};
    assert_int_equal(ioctl_by_ring(&p, file, DRM_IOCTL_VC4_GET_TILING, &tiling), 0);
    peer_close(&p);
    host_close(&h);
}

/* An ioctl's number with another direction and size. */
static uint32_t disguised(uint32_t request, unsigned direction, unsigned size)
{
    return (uint32_t)_IOC(direction, DRM_IOCTL_BASE, _IOC_NR(request), size);
}

/* A number in an argument is never taken for a descriptor of the server, whatever direction and size the
 * request claims: what the peer gets is what the call made, and the server keeps what it has. */
static void test_stolen_descriptors(void **state)
{
    static const uint32_t requests[] = {DRM_IOCTL_PRIME_HANDLE_TO_FD, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD,
                                        DRM_IOCTL_PRIME_FD_TO_HANDLE, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE};
    struct host h;
    struct peer p;
    int treasure[2];
    struct stat wanted, got_stat;
    host_open(&h);
    peer_open(&p, &h);
    assert_int_equal(pipe(treasure), 0);
    assert_int_equal(fstat(treasure[0], &wanted), 0);
    uint32_t file = open_file(&p, DRM_MINOR_RENDER), handle = create(&p, file, 4096);
    struct drm_syncobj_create sync = {0};
    assert_int_equal(ioctl_by_ring(&p, file, DRM_IOCTL_SYNCOBJ_CREATE, &sync), 0);
    assert_int_equal(sync.handle, handle); /* one number for both */
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(requests); i++) {
        for (unsigned direction = 0; direction < 4; direction++) {
            for (unsigned size = 0; size <= 32; size += 4) {
                uint32_t argument[DRM_ARG_MAX / 4] = {handle, 0, (uint32_t)treasure[0], 0};
                int got = -1, r = ioctl_by_socket(&p, file, disguised(requests[i], direction, size), argument,
                                                  -1, &got);
                assert_true(!r == (got >= 0)); /* none of them was given a descriptor to take */
                if (got >= 0) {
                    assert_int_equal(fstat(got, &got_stat), 0);
                    assert_true(got_stat.st_dev != wanted.st_dev || got_stat.st_ino != wanted.st_ino);
                    close(got);
                }
                assert_int_equal(fstat(treasure[0], &got_stat), 0);
                assert_int_equal(got_stat.st_ino, wanted.st_ino);
            }
        }
    }
    close(treasure[0]);
    close(treasure[1]);
    peer_close(&p);
    host_close(&h);
}

/* No descriptor is left in this process, so none in the server. */
static struct rlimit take_all_descriptors(void)
{
    struct rlimit before, none;
    int next = dup(0);
    assert_true(next >= 0);
    close(next);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){(rlim_t)next, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    return before;
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A call that needs a descriptor is told that there is none; nobody is hung up on, and the server does not
 * look for one all the time. */
static void test_no_descriptors(void **state)
{
    const struct drm_message hello = {.type = DRM_MSG_HELLO, .a = DRM_PROTOCOL_VERSION},
                             open_message = {.type = DRM_MSG_OPEN, .a = DRM_MINOR_RENDER},
                             fork_message = {.type = DRM_MSG_FORK}, dmabuf = {.type = DRM_MSG_DMABUF};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct host h;
    struct peer p;
    struct drm_reply reply;
    int got[3], waiting[3];
    unsigned count;
    host_open(&h);
    peer_open(&p, &h);
    uint32_t file = open_file(&p, DRM_MINOR_RENDER);
    struct drm_prime_handle prime = {.handle = create(&p, file, 4096)}, import = {0};
    struct drm_syncobj_create sync = {.flags = DRM_SYNCOBJ_CREATE_SIGNALED};
    assert_int_equal(ioctl_by_ring(&p, file, DRM_IOCTL_SYNCOBJ_CREATE, &sync), 0);
    memcpy(address.sun_path, h.path, sizeof h.path);
    for (unsigned i = 0; i < 3; i++)
        waiting[i] = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    struct rlimit before = take_all_descriptors();
    assert_int_equal(call(&p, &open_message, -1, &reply, got), -EMFILE);
    assert_int_equal(call(&p, &fork_message, -1, &reply, got), -EMFILE);
    assert_int_equal(ioctl_by_socket(&p, file, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime, -1, NULL), -EMFILE);
    struct drm_syncobj_handle fence = {.handle = sync.handle,
                                       .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
    assert_int_equal(ioctl_by_socket(&p, file, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &fence, -1, NULL), -EMFILE);
    assert_int_equal(ioctl_by_socket(&p, file, DRM_IOCTL_PRIME_FD_TO_HANDLE, &import, p.memory, NULL),
                     -EMFILE);
    assert_int_equal(call(&p, &dmabuf, p.memory, &reply, got), -EMFILE);
    create(&p, file, 4096); /* still served */
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(connect(waiting[i], (struct sockaddr *)&address, sizeof address), 0);
    double used = cpu_seconds();
    usleep(300000);
    assert_true(cpu_seconds() - used < 0.15);
    for (unsigned i = 0; i < 3; i++) {
        send_raw(waiting[i], &hello, sizeof hello, NULL, 0);
        assert_int_equal(receive_raw(waiting[i], &reply, got, &count), sizeof reply);
        assert_int_equal(reply.result, -EMFILE);
        assert_true(is_hung_up(waiting[i]));
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    for (unsigned i = 0; i < 3; i++)
        close(waiting[i]);
    open_file(&p, DRM_MINOR_RENDER);
    struct peer late;
    peer_open(&late, &h);
    peer_close(&late);
    peer_close(&p);
    host_close(&h);
}

/* Peers that connect and say nothing keep nobody else waiting. */
static void test_silent_peers(void **state)
{
    struct host h;
    struct peer p;
    struct timespec begin, end;
    int silent[20];
    host_open(&h);
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(silent); i++)
        silent[i] = connect_raw(&h);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    peer_open(&p, &h);
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_true((end.tv_sec - begin.tv_sec) * 1000 + (end.tv_nsec - begin.tv_nsec) / 1000000 < 1000);
    assert_true(is_hung_up(silent[0]));                           /* the oldest made room */
    assert_true(is_hung_up(silent[UTIL_ARRAY_SIZE(silent) - 1])); /* after a while */
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(silent); i++)
        close(silent[i]);
    peer_close(&p);
    host_close(&h);
}

/* Random ioctls with random arguments, over both nodes, from several peers at once. */
static void *babble(void *data)
{
    struct host *h = data;
    struct peer p;
    uint64_t seed = (uintptr_t)&p;
    peer_open(&p, h);
    uint32_t files[2] = {open_file(&p, DRM_MINOR_RENDER), open_file(&p, DRM_MINOR_CARD)};
    for (unsigned i = 0; i < 4000; i++) {
        uint8_t argument[256];
        for (unsigned k = 0; k < sizeof argument; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            argument[k] = seed >> 61 ? 0 : (uint8_t)(seed >> 40) & 7; /* small numbers: handles, counts */
        }
        seed = seed * 6364136223846793005u + 1;
        uint32_t number = (uint32_t)(seed >> 33) % 256, size = (uint32_t)(seed >> 50) % sizeof argument;
        uint32_t request = (uint32_t)_IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, number, size);
        if (!drm_protocol_takes_fd(request) && !drm_protocol_gives_fd(request))
            ioctl_by_ring(&p, files[i & 1], request, argument);
    }
    peer_close(&p);
    return NULL;
}

static void test_babble(void **state)
{
    struct host h;
    pthread_t threads[3];
    host_open(&h);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, babble, &h), 0);
    for (unsigned i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    struct peer p;
    peer_open(&p, &h);
    create(&p, open_file(&p, DRM_MINOR_RENDER), 4096);
    peer_close(&p);
    host_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hostile_messages),   cmocka_unit_test(test_hostile_pointers),
        cmocka_unit_test(test_stolen_descriptors), cmocka_unit_test(test_no_descriptors),
        cmocka_unit_test(test_silent_peers),       cmocka_unit_test(test_babble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
