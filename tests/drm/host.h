/* A server and peers that speak with it by hand: greetings, calls by socket and by ring. */
#ifndef VITRAIL_TESTS_DRM_HOST_H
#define VITRAIL_TESTS_DRM_HOST_H

#include "tests/drm/gate.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "drm/launch/launch.h"
#include "drm/protocol.h"
#include "drm/server/server.h"

struct host {
    struct card card; /* of host_open; others bring their own */
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

/* The server of a card, and of keyboard and pointers (NULL: none). Peers expect 64 MiB of memory. */
static inline void host_serve_both(struct host *h, struct drm *drm, struct gpu_memory *memory,
                                   struct drm_input *input)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(h->folder, sizeof h->folder, "/tmp/vitrail-protocol-XXXXXX");
    assert_non_null(mkdtemp(h->folder));
    snprintf(h->path, sizeof h->path, "%s/server", h->folder);
    memcpy(address.sun_path, h->path, sizeof h->path);
    h->listener = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    assert_int_equal(bind(h->listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(h->listener, 4), 0);
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(drm_server_create(h->listener, drm, memory, input, &h->server), 0);
}

static inline void host_serve(struct host *h, struct drm *drm, struct gpu_memory *memory)
{
    host_serve_both(h, drm, memory, NULL);
}

static inline void host_end(struct host *h)
{
    drm_server_destroy(h->server);
    close(h->listener);
    drm_tree_remove(h->folder);
}

/* `gate`: NULL, or what jobs wait for. */
static inline void host_open_gated(struct host *h, struct gate *gate)
{
    if (gate)
        gate_init(gate);
    card_open_observed(&h->card, 64 << 20, NULL, gate ? &gate->observer : NULL);
    host_serve(h, h->card.drm, &h->card.memory);
}

static inline void host_open(struct host *h)
{
    host_open_gated(h, NULL);
}

static inline void host_close(struct host *h)
{
    host_end(h);
    card_close(&h->card);
}

static inline int connect_raw(struct host *h)
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
static inline void send_raw(int socket, const void *bytes, size_t size, const int *fds, unsigned count)
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
static inline ssize_t receive_raw(int socket, struct drm_reply *reply, int fds[3], unsigned *count)
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

static inline void use_channel(struct peer *p, int fd)
{
    p->channel_fd = fd;
    p->channel = mmap(NULL, DRM_CHANNEL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    assert_ptr_not_equal(p->channel, MAP_FAILED);
    p->data = (uint8_t *)p->channel + DRM_CHANNEL_DATA;
}

static inline void peer_open(struct peer *p, struct host *h)
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

static inline void peer_close(struct peer *p)
{
    munmap(p->channel, DRM_CHANNEL_BYTES);
    close(p->channel_fd);
    close(p->socket);
    if (p->memory >= 0)
        close(p->memory);
}

static inline int call(struct peer *p, const struct drm_message *m, int give, struct drm_reply *reply,
                       int got[3])
{
    unsigned count;
    send_raw(p->socket, m, sizeof *m, &give, give >= 0);
    got[0] = got[1] = -1;
    assert_int_equal(receive_raw(p->socket, reply, got, &count), sizeof *reply);
    return reply->result;
}

/* Its descriptor, the caller's, goes to *fd. */
static inline uint32_t open_node(struct peer *p, unsigned minor, int *fd)
{
    const struct drm_message m = {.type = DRM_MSG_OPEN, .a = minor};
    struct drm_reply reply;
    int got[3];
    assert_int_equal(call(p, &m, -1, &reply, got), 0);
    assert_true(got[0] >= 0);
    *fd = got[0];
    return reply.file;
}

static inline uint32_t open_file(struct peer *p, unsigned minor)
{
    int fd;
    uint32_t file = open_node(p, minor, &fd);
    close(fd);
    return file;
}

static inline int ioctl_by_socket(struct peer *p, uint32_t file, uint32_t request, void *argument, int give,
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

static inline int ioctl_by_ring(struct peer *p, uint32_t file, uint32_t request, void *argument)
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

static inline uint32_t create(struct peer *p, uint32_t file, uint32_t size)
{
    struct drm_vc4_create_bo bo = {.size = size};
    assert_int_equal(ioctl_by_ring(p, file, DRM_IOCTL_VC4_CREATE_BO, &bo), 0);
    return bo.handle;
}

static inline bool is_hung_up(int socket)
{
    struct drm_reply reply;
    int fds[3];
    unsigned count;
    return receive_raw(socket, &reply, fds, &count) == 0;
}

#endif
