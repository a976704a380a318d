/* Connections: one thread each, one lock around the card. A peer is trusted with nothing: it must be of our
 * user, send messages of the right size, and its shared memory is read once and copied. */
#include "drm/server.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "drm/internal.h"
#include "drm/protocol.h"

#define MAX_CONNECTIONS 256
#define SPIN_NS         50000 /* how long a thread looks for the next ring before it sleeps */

/* An open file, held by every process that inherited it. */
struct shared_file {
    struct drm_file *file;
    uint32_t holders;
};

struct connection {
    struct drm_server *server;
    int socket;
    struct drm_channel *channel;
    uint8_t *held; /* by file number: whether this process holds it */
    uint32_t held_count;
    uint32_t asked; /* rings answered so far */
    struct connection *next, **link;
};

struct drm_server {
    struct drm *drm;
    struct gpu_memory *memory;
    int listener, quit;
    pthread_t acceptor;
    pthread_mutex_t lock; /* the card, the files, the list of connections */
    pthread_cond_t gone;
    struct drm_ids files; /* struct shared_file */
    struct connection *connections;
    unsigned count;
    bool stopping;
};

/* What a message leads to: the reply and descriptors that go with it, which are closed once sent. */
struct answer {
    struct drm_reply reply;
    int fd[2];
    unsigned fd_count;
};

/* ---- files ---- */

static struct shared_file *held_file(struct connection *c, uint32_t id)
{
    return id < c->held_count && c->held[id] ? drm_ids_get(&c->server->files, id) : NULL;
}

static int hold(struct connection *c, uint32_t id)
{
    if (id >= c->held_count) {
        uint32_t count = UTIL_MAX(id + 1, c->held_count * 2);
        uint8_t *held = realloc(c->held, count);
        if (!held)
            return -ENOMEM;
        memset(held + c->held_count, 0, count - c->held_count);
        c->held = held;
        c->held_count = count;
    }
    c->held[id] = 1;
    ((struct shared_file *)drm_ids_get(&c->server->files, id))->holders++;
    return 0;
}

static void let_go(struct connection *c, uint32_t id)
{
    struct shared_file *shared = held_file(c, id);
    if (!shared)
        return;
    c->held[id] = 0;
    if (--shared->holders)
        return;
    drm_ids_remove(&c->server->files, id);
    drm_close(shared->file);
    free(shared);
}

static int open_file(struct connection *c, uint64_t minor, struct answer *a)
{
    struct shared_file *shared = calloc(1, sizeof *shared);
    if (!shared)
        return -ENOMEM;
    int r = minor > UINT32_MAX ? -ENOENT : drm_open(c->server->drm, (unsigned)minor, &shared->file);
    if (!r)
        r = drm_ids_add(&c->server->files, shared, &a->reply.file);
    if (r) {
        drm_close(shared->file);
        free(shared);
        return r;
    }
    r = hold(c, a->reply.file);
    if (!r)
        a->fd[a->fd_count++] = fcntl(drm_file_events(shared->file), F_DUPFD_CLOEXEC, 0);
    return r;
}

/* ---- connections ---- */

static void *serve(void *data);

/* Sealed: a peer that cut the file short would kill us. */
static int make_channel(struct drm_channel **channel)
{
    int fd = memfd_create("vitrail-channel", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -errno;
    if (ftruncate(fd, DRM_CHANNEL_BYTES) ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) {
        int r = -errno;
        close(fd);
        return r;
    }
    void *at = mmap(NULL, DRM_CHANNEL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (at == MAP_FAILED) {
        close(fd);
        return -ENOMEM;
    }
    *channel = at;
    return fd;
}

static void free_connection(struct connection *c)
{
    if (c->channel)
        munmap(c->channel, DRM_CHANNEL_BYTES);
    close(c->socket);
    free(c->held);
    free(c);
}

/* Takes over `socket`. The channel's descriptor goes to *channel_fd when that is wanted. Lock held. */
static int add_connection(struct drm_server *server, int socket, const struct connection *parent,
                          int *channel_fd)
{
    struct connection *c = server->count < MAX_CONNECTIONS ? calloc(1, sizeof *c) : NULL;
    if (!c) {
        close(socket);
        return -ENOMEM;
    }
    c->server = server;
    c->socket = socket;
    int r = make_channel(&c->channel);
    if (r < 0) {
        free_connection(c);
        return r;
    }
    *channel_fd = r;
    r = 0;
    for (uint32_t i = 0; !r && parent && i < parent->held_count; i++)
        if (parent->held[i])
            r = hold(c, i);
    pthread_t thread;
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    if (!r && pthread_create(&thread, &detached, serve, c))
        r = -EAGAIN;
    pthread_attr_destroy(&detached);
    if (r) {
        for (uint32_t i = 0; i < c->held_count; i++)
            let_go(c, i);
        close(*channel_fd);
        free_connection(c);
        return r;
    }
    c->next = server->connections;
    c->link = &server->connections;
    if (c->next)
        c->next->link = &c->next;
    server->connections = c;
    server->count++;
    return 0;
}

static int fork_connection(struct connection *c, struct answer *a)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
        return -errno;
    int r = add_connection(c->server, ends[0], c, &a->fd[1]);
    if (r) {
        close(ends[1]);
        return r;
    }
    a->fd[0] = ends[1];
    a->fd_count = 2;
    a->reply.b = DRM_CHANNEL_BYTES;
    return 0;
}

/* ---- messages ---- */

static int run_ioctl(struct connection *c, const struct drm_message *m, int fd, struct answer *a)
{
    struct shared_file *shared = held_file(c, m->file);
    if (!shared)
        return -EBADF;
    uint8_t *data = (uint8_t *)c->channel + DRM_CHANNEL_DATA;
    uint64_t argument[DRM_ARG_MAX / 8] = {0};
    uint32_t size = _IOC_SIZE(m->request);
    if (size > sizeof argument)
        return -EINVAL;
    memcpy(argument, data + DRM_CHANNEL_ARGUMENT, size);
    uint8_t *descriptor = (uint8_t *)argument + DRM_PROTOCOL_FD_AT;
    if (drm_protocol_takes_fd(m->request))
        memcpy(descriptor, &fd, sizeof fd);
    struct drm_user user = {data, DRM_CHANNEL_BYTES - DRM_CHANNEL_DATA, &a->reply.written};
    int r = drm_ioctl(shared->file, m->request, argument, &user);
    if (!r && drm_protocol_gives_fd(m->request)) {
        memcpy(&a->fd[0], descriptor, sizeof a->fd[0]);
        a->fd_count = 1;
    }
    memcpy(data + DRM_CHANNEL_ARGUMENT, argument, size);
    return r;
}

/* -EPROTO ends the connection. */
static int act(struct connection *c, const struct drm_message *m, int fd, struct answer *a)
{
    struct shared_file *shared;
    switch (m->type) {
    case DRM_MSG_OPEN: return open_file(c, m->a, a);
    case DRM_MSG_CLOSE: let_go(c, m->file); return 0;
    case DRM_MSG_IOCTL: return run_ioctl(c, m, fd, a);
    case DRM_MSG_MMAP:
        shared = held_file(c, m->file);
        return shared ? drm_check_mmap(shared->file, m->a, m->b, m->request) : -EBADF;
    case DRM_MSG_DMABUF: return drm_lookup_dmabuf(c->server->drm, fd, &a->reply.a, &a->reply.b);
    case DRM_MSG_FORK: return fork_connection(c, a);
    default: return -EPROTO;
    }
}

static void handle(struct connection *c, const struct drm_message *m, int fd, struct answer *a)
{
    pthread_mutex_lock(&c->server->lock);
    a->reply.result = act(c, m, fd, a);
    pthread_mutex_unlock(&c->server->lock);
}

/* ---- the socket ---- */

union control {
    char bytes[CMSG_SPACE(2 * sizeof(int))];
    struct cmsghdr align;
};

static bool send_answer(struct connection *c, struct answer *a)
{
    union control control = {0};
    struct iovec part = {&a->reply, sizeof a->reply};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    if (a->fd_count) {
        header.msg_control = control.bytes;
        header.msg_controllen = CMSG_SPACE(a->fd_count * sizeof(int));
        struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(a->fd_count * sizeof(int));
        memcpy(CMSG_DATA(rights), a->fd, a->fd_count * sizeof(int));
    }
    ssize_t sent;
    do
        sent = sendmsg(c->socket, &header, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    for (unsigned i = 0; i < a->fd_count; i++)
        close(a->fd[i]);
    return sent == sizeof a->reply;
}

/* One message with at most one descriptor; false when the connection is over or the peer talks nonsense. */
static bool receive(struct connection *c, struct drm_message *m, int *fd)
{
    union control control;
    struct {
        struct drm_message message;
        uint8_t excess;
    } buffer;
    struct iovec part = {&buffer, sizeof buffer};
    struct msghdr header = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = sizeof control.bytes};
    ssize_t n;
    do
        n = recvmsg(c->socket, &header, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    unsigned descriptors = 0;
    *fd = -1;
    for (struct cmsghdr *h = n > 0 ? CMSG_FIRSTHDR(&header) : NULL; h; h = CMSG_NXTHDR(&header, h)) {
        if (h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t at = CMSG_LEN(0); at + sizeof(int) <= h->cmsg_len; at += sizeof(int)) {
            int one;
            memcpy(&one, (uint8_t *)h + at, sizeof one);
            if (descriptors++)
                close(one);
            else
                *fd = one;
        }
    }
    if (n == sizeof *m && descriptors <= 1 && !(header.msg_flags & MSG_CTRUNC)) {
        *m = buffer.message;
        return true;
    }
    if (*fd >= 0)
        close(*fd);
    return false;
}

/* ---- the ring ---- */

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint32_t load(uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static void store(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

static bool rung(struct connection *c)
{
    return load(&c->channel->asked) != c->asked;
}

/* false when the message is not one that rings. */
static bool answer_ring(struct connection *c)
{
    struct drm_channel *channel = c->channel;
    c->asked = load(&channel->asked);
    struct drm_message m;
    memcpy(&m, &channel->message, sizeof m);
    bool with_fd =
        m.type == DRM_MSG_IOCTL && (drm_protocol_takes_fd(m.request) || drm_protocol_gives_fd(m.request));
    if (with_fd || (m.type != DRM_MSG_IOCTL && m.type != DRM_MSG_MMAP))
        return false;
    struct answer a = {0};
    handle(c, &m, -1, &a);
    memcpy(&channel->reply, &a.reply, sizeof a.reply);
    store(&channel->answered, c->asked);
    if (load(&channel->waiting))
        syscall(SYS_futex, &channel->answered, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    return true;
}

/* Until nothing was rung for a while. */
static bool answer_rings(struct connection *c)
{
    uint64_t last = now_ns();
    for (unsigned i = 1;; i++) {
        if (rung(c)) {
            if (!answer_ring(c))
                return false;
            last = now_ns();
        } else if (i % 64 == 0 && now_ns() - last > SPIN_NS) {
            return true;
        } else {
            __builtin_ia32_pause();
        }
    }
}

/* ---- a connection's thread ---- */

static bool greet(struct connection *c, const struct drm_message *m, int channel_fd, struct answer *a)
{
    const struct gpu_memory *memory = c->server->memory;
    if (m->type != DRM_MSG_HELLO || m->a != DRM_PROTOCOL_VERSION)
        return false;
    a->reply.a = memory->size;
    a->reply.b = DRM_CHANNEL_BYTES;
    a->fd[0] = fcntl(memory->fd, F_DUPFD_CLOEXEC, 0);
    a->fd[1] = channel_fd;
    a->fd_count = 2;
    return send_answer(c, a);
}

static bool step(struct connection *c)
{
    struct drm_message m;
    int fd;
    if (!answer_rings(c))
        return false;
    store(&c->channel->asleep, 1);
    if (rung(c)) {
        store(&c->channel->asleep, 0);
        return true;
    }
    bool ok = receive(c, &m, &fd);
    store(&c->channel->asleep, 0);
    if (ok && m.type != DRM_MSG_RING) {
        struct answer a = {0};
        handle(c, &m, fd, &a);
        ok = a.reply.result != -EPROTO && send_answer(c, &a);
    }
    if (fd >= 0)
        close(fd);
    return ok;
}

static void *serve(void *data)
{
    struct connection *c = data;
    struct drm_server *server = c->server;
    while (step(c))
        ;
    pthread_mutex_lock(&server->lock);
    for (uint32_t i = 0; i < c->held_count; i++)
        let_go(c, i);
    *c->link = c->next;
    if (c->next)
        c->next->link = c->link;
    free_connection(c);
    server->count--;
    pthread_cond_broadcast(&server->gone);
    pthread_mutex_unlock(&server->lock);
    return NULL;
}

/* ---- the server ---- */

static bool is_our_user(int socket)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return !getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) && peer.uid == geteuid();
}

/* The greeting is answered here, before the connection has a thread: only then is it one. */
static void welcome(struct drm_server *server, int socket)
{
    struct connection stranger = {.server = server, .socket = socket};
    struct timeval patience = {.tv_sec = 2};
    struct drm_message m;
    int fd = -1, channel_fd;
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (!is_our_user(socket) || !receive(&stranger, &m, &fd) || m.type != DRM_MSG_HELLO) {
        if (fd >= 0)
            close(fd);
        close(socket);
        return;
    }
    if (fd >= 0)
        close(fd);
    patience.tv_sec = 0;
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    pthread_mutex_lock(&server->lock);
    int r = server->stopping ? -ESHUTDOWN : 0;
    if (r)
        close(socket);
    else
        r = add_connection(server, socket, NULL, &channel_fd);
    if (!r) {
        struct answer a = {0};
        if (!greet(&stranger, &m, channel_fd, &a))
            shutdown(socket, SHUT_RDWR);
    }
    pthread_mutex_unlock(&server->lock);
}

static void *accept_all(void *data)
{
    struct drm_server *server = data;
    struct pollfd wait[2] = {{server->listener, POLLIN, 0}, {server->quit, POLLIN, 0}};
    for (;;) {
        if (poll(wait, 2, -1) < 0 && errno != EINTR)
            break;
        if (wait[1].revents)
            break;
        if (!(wait[0].revents & POLLIN))
            continue;
        int socket = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);
        if (socket >= 0)
            welcome(server, socket);
    }
    return NULL;
}

int drm_server_create(int listener, struct drm *drm, struct gpu_memory *memory, struct drm_server **out)
{
    struct drm_server *server = calloc(1, sizeof *server);
    if (!server)
        return -ENOMEM;
    server->drm = drm;
    server->memory = memory;
    server->listener = listener;
    pthread_mutex_init(&server->lock, NULL);
    pthread_cond_init(&server->gone, NULL);
    server->quit = eventfd(0, EFD_CLOEXEC);
    int r = server->quit < 0 ? -errno : -pthread_create(&server->acceptor, NULL, accept_all, server);
    if (r) {
        if (server->quit >= 0)
            close(server->quit);
        free(server);
        return r;
    }
    *out = server;
    return 0;
}

void drm_server_destroy(struct drm_server *server)
{
    if (!server)
        return;
    uint64_t one = 1;
    pthread_mutex_lock(&server->lock);
    server->stopping = true;
    pthread_mutex_unlock(&server->lock);
    if (write(server->quit, &one, sizeof one) == sizeof one)
        pthread_join(server->acceptor, NULL);
    pthread_mutex_lock(&server->lock);
    for (struct connection *c = server->connections; c; c = c->next)
        shutdown(c->socket, SHUT_RDWR);
    while (server->count)
        pthread_cond_wait(&server->gone, &server->lock);
    pthread_mutex_unlock(&server->lock);
    drm_ids_finish(&server->files);
    close(server->quit);
    pthread_cond_destroy(&server->gone);
    pthread_mutex_destroy(&server->lock);
    free(server);
}
