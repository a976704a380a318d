/* The server, spoken to by hand: greetings, rings, descriptors, forks, and peers that are hostile or die. */
#include "tests/unit/drm_gate.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "drm/launch.h"
#include "drm/protocol.h"
#include "drm/server.h"

struct host {
    struct card card;
    char folder[64], path[80];
    int listener;
    struct drm_server *server;
};

struct peer {
    int socket, memory, channel_fd, fences_fd;
    const struct drm_fence_page *fences;
    struct drm_channel *channel;
    uint8_t *data;
};

/* `gate`: NULL, or what jobs wait for. */
static void host_open_gated(struct host *h, struct gate *gate)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (gate)
        gate_init(gate);
    card_open_observed(&h->card, 64 << 20, NULL, gate ? &gate->observer : NULL);
    snprintf(h->folder, sizeof h->folder, "/tmp/vitrail-protocol-XXXXXX");
    assert_non_null(mkdtemp(h->folder));
    snprintf(h->path, sizeof h->path, "%s/server", h->folder);
    memcpy(address.sun_path, h->path, sizeof h->path);
    h->listener = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    assert_int_equal(bind(h->listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(h->listener, 4), 0);
    assert_int_equal(drm_server_create(h->listener, h->card.drm, &h->card.memory, &h->server), 0);
}

static void host_open(struct host *h)
{
    host_open_gated(h, NULL);
}

static void host_close(struct host *h)
{
    drm_server_destroy(h->server);
    close(h->listener);
    drm_tree_remove(h->folder);
    card_close(&h->card);
}

static int connect_raw(struct host *h)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct timeval patience = {.tv_sec = 5};
    memcpy(address.sun_path, h->path, sizeof h->path);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return fd;
}

/* Sends bytes with some descriptors. */
static void send_raw(int socket, const void *bytes, size_t size, const int *fds, unsigned count)
{
    union {
        char bytes[CMSG_SPACE(8 * sizeof(int))];
        struct cmsghdr align;
    } control = {0};
    struct iovec part = {(void *)bytes, size};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    if (count) {
        header.msg_control = control.bytes;
        header.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(rights), fds, count * sizeof(int));
    }
    assert_int_equal(sendmsg(socket, &header, MSG_NOSIGNAL), (ssize_t)size);
}

/* The size received, 0 when the server hung up; descriptors into fds. */
static ssize_t receive_raw(int socket, struct drm_reply *reply, int fds[3], unsigned *count)
{
    union {
        char bytes[CMSG_SPACE(3 * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec part = {reply, sizeof *reply};
    struct msghdr header = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = sizeof control.bytes};
    *count = 0;
    ssize_t n = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
    if (n < 0 && errno == ECONNRESET)
        return 0;
    struct cmsghdr *rights = n > 0 ? CMSG_FIRSTHDR(&header) : NULL;
    if (rights) {
        *count = (unsigned)((rights->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        memcpy(fds, CMSG_DATA(rights), *count * sizeof(int));
    }
    return n;
}

static void use_channel(struct peer *p, int fd)
{
    p->channel_fd = fd;
    p->channel = mmap(NULL, DRM_CHANNEL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    assert_ptr_not_equal(p->channel, MAP_FAILED);
    p->data = (uint8_t *)p->channel + DRM_CHANNEL_DATA;
}

static void peer_open(struct peer *p, struct host *h)
{
    const struct drm_message hello = {.type = DRM_MSG_HELLO, .a = DRM_PROTOCOL_VERSION};
    struct drm_reply reply;
    int fds[3];
    unsigned count;
    p->socket = connect_raw(h);
    send_raw(p->socket, &hello, sizeof hello, NULL, 0);
    assert_int_equal(receive_raw(p->socket, &reply, fds, &count), sizeof reply);
    assert_int_equal(reply.result, 0);
    assert_int_equal(reply.a, 64 << 20);
    assert_int_equal(count, 3);
    p->memory = fds[0];
    use_channel(p, fds[1]);
    p->fences = mmap(NULL, sizeof *p->fences, PROT_READ, MAP_SHARED, fds[2], 0);
    assert_ptr_not_equal(p->fences, MAP_FAILED);
    assert_ptr_equal(mmap(NULL, sizeof *p->fences, PROT_READ | PROT_WRITE, MAP_SHARED, fds[2], 0),
                     MAP_FAILED);
    close(fds[2]);
}

static void peer_close(struct peer *p)
{
    munmap(p->channel, DRM_CHANNEL_BYTES);
    close(p->channel_fd);
    close(p->socket);
    if (p->memory >= 0)
        close(p->memory);
}

static int call(struct peer *p, const struct drm_message *m, int give, struct drm_reply *reply, int got[3])
{
    unsigned count;
    send_raw(p->socket, m, sizeof *m, &give, give >= 0);
    got[0] = got[1] = -1;
    assert_int_equal(receive_raw(p->socket, reply, got, &count), sizeof *reply);
    return reply->result;
}

static uint32_t open_file(struct peer *p, unsigned minor)
{
    const struct drm_message m = {.type = DRM_MSG_OPEN, .a = minor};
    struct drm_reply reply;
    int got[3];
    assert_int_equal(call(p, &m, -1, &reply, got), 0);
    assert_true(got[0] >= 0);
    close(got[0]);
    return reply.file;
}

static int ioctl_by_socket(struct peer *p, uint32_t file, uint32_t request, void *argument, int give,
                           int *got)
{
    const struct drm_message m = {.type = DRM_MSG_IOCTL, .file = file, .request = request};
    struct drm_reply reply;
    int fds[3];
    memcpy(p->data + DRM_CHANNEL_ARGUMENT, argument, _IOC_SIZE(request));
    int r = call(p, &m, give, &reply, fds);
    memcpy(argument, p->data + DRM_CHANNEL_ARGUMENT, _IOC_SIZE(request));
    if (got)
        *got = fds[0];
    return r;
}

static int ioctl_by_ring(struct peer *p, uint32_t file, uint32_t request, void *argument)
{
    const struct drm_message ring = {.type = DRM_MSG_RING};
    memcpy(p->data + DRM_CHANNEL_ARGUMENT, argument, _IOC_SIZE(request));
    p->channel->message = (struct drm_message){.type = DRM_MSG_IOCTL, .file = file, .request = request};
    uint32_t number = __atomic_add_fetch(&p->channel->asked, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&p->channel->asleep, __ATOMIC_SEQ_CST))
        send_raw(p->socket, &ring, sizeof ring, NULL, 0);
    while (__atomic_load_n(&p->channel->answered, __ATOMIC_ACQUIRE) != number)
        sched_yield();
    memcpy(argument, p->data + DRM_CHANNEL_ARGUMENT, _IOC_SIZE(request));
    return p->channel->reply.result;
}

static uint32_t create(struct peer *p, uint32_t file, uint32_t size)
{
    struct drm_vc4_create_bo bo = {.size = size};
    assert_int_equal(ioctl_by_ring(p, file, DRM_IOCTL_VC4_CREATE_BO, &bo), 0);
    return bo.handle;
}

static bool is_hung_up(int socket)
{
    struct drm_reply reply;
    int fds[3];
    unsigned count;
    return receive_raw(socket, &reply, fds, &count) == 0;
}

static void test_both_ways(void **state)
{
    struct host h;
    struct peer p;
    host_open(&h);
    peer_open(&p, &h);
    uint32_t file = open_file(&p, DRM_MINOR_RENDER);
    for (unsigned i = 0; i < 2000; i++) {
        struct drm_vc4_get_param param = {.param = DRM_VC4_PARAM_SUPPORTS_ETC1};
        int r = i % 7 ? ioctl_by_ring(&p, file, DRM_IOCTL_VC4_GET_PARAM, &param)
                      : ioctl_by_socket(&p, file, DRM_IOCTL_VC4_GET_PARAM, &param, -1, NULL);
        assert_int_equal(r, 0);
        assert_int_equal(param.value, 1);
        if (i % 500 == 0)
            usleep(1000); /* let the server fall asleep */
    }
    struct drm_vc4_get_tiling tiling = {0};
    assert_int_equal(ioctl_by_ring(&p, file, DRM_IOCTL_VC4_GET_TILING, &tiling), -ENOENT);
    assert_int_equal(ioctl_by_ring(&p, file + 1, DRM_IOCTL_VC4_GET_TILING, &tiling), -EBADF);
    peer_close(&p);
    host_close(&h);
}

/* What the memory file shows is what the card works with; it cannot be cut short, nor can the channel. */
static void test_shared_memory(void **state)
{
    struct host h;
    struct peer p;
    host_open(&h);
    peer_open(&p, &h);
    uint32_t file = open_file(&p, DRM_MINOR_RENDER), handle = create(&p, file, 4096);
    struct drm_vc4_mmap_bo map = {.handle = handle};
    assert_int_equal(ioctl_by_ring(&p, file, DRM_IOCTL_VC4_MMAP_BO, &map), 0);
    assert_int_equal(pwrite(p.memory, "glass", 5, (off_t)map.offset), 5);
    assert_memory_equal(gpu_memory_at(&h.card.memory, map.offset, 5), "glass", 5);
    assert_int_not_equal(ftruncate(p.memory, 0), 0);
    assert_int_not_equal(ftruncate(p.channel_fd, 0), 0);
    const struct drm_message m = {.type = DRM_MSG_MMAP, .file = file, .a = map.offset, .b = 4096};
    const struct drm_message too_far = {.type = DRM_MSG_MMAP, .file = file, .a = map.offset, .b = 8192};
    struct drm_reply reply;
    int got[3];
    assert_int_equal(call(&p, &m, -1, &reply, got), 0);
    assert_int_equal(call(&p, &too_far, -1, &reply, got), -EINVAL);
    peer_close(&p);
    host_close(&h);
}

static void test_descriptors(void **state)
{
    struct host h;
    struct peer a, b;
    int fd, got[3];
    struct drm_reply reply;
    host_open(&h);
    peer_open(&a, &h);
    peer_open(&b, &h);
    uint32_t file_a = open_file(&a, DRM_MINOR_RENDER), file_b = open_file(&b, DRM_MINOR_RENDER);
    struct drm_prime_handle out = {.handle = create(&a, file_a, 8192)};
    assert_int_equal(ioctl_by_socket(&a, file_a, DRM_IOCTL_PRIME_HANDLE_TO_FD, &out, -1, &fd), 0);
    assert_true(fd >= 0);
    struct drm_prime_handle in = {.fd = 12345}; /* the number means nothing, the descriptor does */
    assert_int_equal(ioctl_by_socket(&b, file_b, DRM_IOCTL_PRIME_FD_TO_HANDLE, &in, fd, NULL), 0);
    assert_int_equal(ioctl_by_socket(&b, file_b, DRM_IOCTL_PRIME_FD_TO_HANDLE, &in, b.memory, NULL), -EINVAL);
    assert_int_equal(ioctl_by_socket(&b, file_b, DRM_IOCTL_PRIME_FD_TO_HANDLE, &in, -1, NULL), -EINVAL);
    const struct drm_message m = {.type = DRM_MSG_DMABUF};
    assert_int_equal(call(&b, &m, fd, &reply, got), 0);
    assert_int_equal(reply.b, 8192);
    assert_int_equal(call(&b, &m, b.memory, &reply, got), -EINVAL);
    close(fd);
    peer_close(&a);
    peer_close(&b);
    host_close(&h);
}

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

/* A child inherits the files; they live until both have let go. */
static void test_fork(void **state)
{
    struct host h;
    struct peer parent, child = {.memory = -1};
    struct drm_reply reply;
    int got[3];
    host_open(&h);
    peer_open(&parent, &h);
    uint32_t file = open_file(&parent, DRM_MINOR_RENDER), handle = create(&parent, file, 4096);
    const struct drm_message fork_message = {.type = DRM_MSG_FORK};
    assert_int_equal(call(&parent, &fork_message, -1, &reply, got), 0);
    child.socket = got[0];
    use_channel(&child, got[1]);
    peer_close(&parent);
    struct drm_vc4_get_tiling tiling = {.handle = handle};
    assert_int_equal(ioctl_by_ring(&child, file, DRM_IOCTL_VC4_GET_TILING, &tiling), 0);
    const struct drm_message close_message = {.type = DRM_MSG_CLOSE, .file = file};
    assert_int_equal(call(&child, &close_message, -1, &reply, got), 0);
    assert_int_equal(ioctl_by_ring(&child, file, DRM_IOCTL_VC4_GET_TILING, &tiling), -EBADF);
    peer_close(&child);
    host_close(&h);
}

/* The memory of a peer that vanished comes back by and by. */
static void create_patiently(struct peer *p, uint32_t file, uint32_t size)
{
    struct drm_vc4_create_bo bo = {.size = size};
    int r = -ENOMEM;
    for (unsigned tries = 0; r && tries < 5000; tries++) {
        r = ioctl_by_ring(p, file, DRM_IOCTL_VC4_CREATE_BO, &bo);
        if (r)
            usleep(1000);
    }
    assert_int_equal(r, 0);
}

/* Peers that vanish, at any moment, leave nothing behind: there is room for one of them at a time. */
static void test_vanishing(void **state)
{
    struct host h;
    host_open(&h);
    for (unsigned i = 0; i < 200; i++) {
        struct peer p;
        peer_open(&p, &h);
        create_patiently(&p, open_file(&p, DRM_MINOR_RENDER), 40 << 20);
        if (i % 3 == 1) /* in the middle of a call */
            __atomic_add_fetch(&p.channel->asked, 1, __ATOMIC_SEQ_CST);
        if (i % 3 == 2) {
            const struct drm_message m = {.type = DRM_MSG_OPEN, .a = DRM_MINOR_CARD};
            send_raw(p.socket, &m, sizeof m, NULL, 0);
        }
        peer_close(&p);
    }
    host_close(&h);
}

/* ---- jobs that run while their programs go on ---- */

/* A submission whose one pointer, to the buffers' handles, points into the channel. */
static uint64_t submit_clear(struct peer *p, uint32_t file, uint32_t handle, uint32_t color)
{
    struct drm_vc4_submit_cl submit = gate_clear(NULL, color);
    submit.bo_handles = DRM_CHANNEL_POINTED;
    memcpy(p->data + DRM_CHANNEL_POINTED, &handle, sizeof handle);
    assert_int_equal(ioctl_by_ring(p, file, DRM_IOCTL_VC4_SUBMIT_CL, &submit), 0);
    return submit.seqno;
}

/* Two programs' jobs take turns as they come; each may wait for the other's by its page of fences. */
static void test_two_programs(void **state)
{
    struct host h;
    struct gate gate;
    struct peer p[2];
    uint32_t file[2], handle[2];
    uint64_t seqno = 0;
    host_open_gated(&h, &gate);
    for (unsigned i = 0; i < 2; i++) {
        peer_open(&p[i], &h);
        file[i] = open_file(&p[i], DRM_MINOR_RENDER);
        handle[i] = create(&p[i], file[i], 4096);
    }
    for (uint32_t n = 1; n <= 6; n++) {
        seqno = submit_clear(&p[n % 2], file[n % 2], handle[n % 2], n);
        assert_int_equal(seqno, n);
    }
    for (unsigned i = 0; i < 2; i++) {
        struct drm_vc4_wait_bo wait = {.handle = handle[i], .timeout_ns = 1000};
        assert_int_equal(ioctl_by_ring(&p[i], file[i], DRM_IOCTL_VC4_WAIT_BO, &wait), -ETIME);
        assert_int_equal(gate_finished(p[i].fences), 0);
    }
    gate_set(&gate, true);
    for (unsigned i = 0; i < 2; i++) {
        struct drm_vc4_wait_bo wait = {.handle = handle[i]};
        struct drm_vc4_mmap_bo map = {.handle = handle[i]};
        gate_wait(&h.card, p[i].fences, seqno);
        assert_int_equal(ioctl_by_ring(&p[i], file[i], DRM_IOCTL_VC4_WAIT_BO, &wait), 0);
        assert_int_equal(ioctl_by_ring(&p[i], file[i], DRM_IOCTL_VC4_MMAP_BO, &map), 0);
        assert_int_equal(util_load32(gpu_memory_at(&h.card.memory, map.offset, 4)), 5 + (i == 0));
        peer_close(&p[i]);
    }
    host_close(&h);
}

/* A program dies, its job goes on: its memory is the job's until then. */
static void test_dying_with_a_job(void **state)
{
    struct host h;
    struct gate gate;
    struct peer p, other;
    host_open_gated(&h, &gate);
    peer_open(&other, &h);
    uint32_t file = open_file(&other, DRM_MINOR_RENDER);
    for (unsigned round = 0; round < 4; round++) {
        gate_shut(&gate);
        peer_open(&p, &h);
        uint32_t own = open_file(&p, DRM_MINOR_RENDER), handle = create(&p, own, 40 << 20);
        submit_clear(&p, own, handle, 1);
        uint64_t seqno = submit_clear(&p, own, handle, 2);
        gate_await(&gate, 1);
        if (round % 2) /* in the middle of a call */
            __atomic_add_fetch(&p.channel->asked, 1, __ATOMIC_SEQ_CST);
        peer_close(&p);
        struct drm_vc4_create_bo bo = {.size = 40 << 20};
        assert_int_equal(ioctl_by_ring(&other, file, DRM_IOCTL_VC4_CREATE_BO, &bo), -ENOMEM);
        gate_set(&gate, true);
        gate_wait(&h.card, other.fences, seqno);
        create_patiently(&other, file, 40 << 20);
        struct drm_gem_close close_bo = {.handle = 1};
        assert_int_equal(ioctl_by_ring(&other, file, DRM_IOCTL_GEM_CLOSE, &close_bo), 0);
    }
    peer_close(&other);
    host_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_ways),
        cmocka_unit_test(test_shared_memory),
        cmocka_unit_test(test_descriptors),
        cmocka_unit_test(test_hostile_messages),
        cmocka_unit_test(test_hostile_pointers),
        cmocka_unit_test(test_babble),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_vanishing),
        cmocka_unit_test(test_two_programs),
        cmocka_unit_test(test_dying_with_a_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
