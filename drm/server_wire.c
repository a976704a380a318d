/* Talking to a peer that is trusted with nothing: messages over its socket, or rung in shared memory. */
#include "drm/server_internal.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SPIN_NS      50000 /* how long a thread looks for the next ring before it sleeps */
#define BUSY_SPIN_NS 5000  /* the same while a job runs, whose threads can use the processor */

/* ---- the socket ---- */

union control {
    char bytes[CMSG_SPACE(3 * sizeof(int))];
    struct cmsghdr align;
};

bool server_send(int socket, struct answer *a)
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
        sent = sendmsg(socket, &header, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    for (unsigned i = 0; i < a->fd_count; i++)
        if (!a->lent[i])
            close(a->fd[i]);
    return sent == sizeof a->reply;
}

struct incoming { /* one byte more shows that a message is too long */
    struct drm_message message;
    uint8_t excess;
};

int server_look(int socket, struct drm_message *m)
{
    struct incoming buffer;
    struct iovec part = {&buffer, sizeof buffer};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t n = recvmsg(socket, &header, MSG_DONTWAIT); /* the kernel drops descriptors that come with it */
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n != sizeof *m || header.msg_flags & MSG_CTRUNC)
        return -EPROTO;
    *m = buffer.message;
    return 1;
}

bool server_receive(int socket, struct drm_message *m, int *fd)
{
    union control control;
    struct incoming buffer;
    struct iovec part = {&buffer, sizeof buffer};
    struct msghdr header = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = sizeof control.bytes};
    ssize_t n;
    do
        n = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
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
    bool truncated =
        header.msg_flags & MSG_CTRUNC; /* more descriptors than we take, or than there is room for */
    if (n == sizeof *m && descriptors <= 1 && !(truncated && descriptors)) {
        *m = buffer.message;
        if (truncated)
            *fd = -EMFILE;
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

bool server_rung(struct connection *c)
{
    return load(&c->channel->asked) != load(&c->asked);
}

/* false when the message is not one that rings. */
static bool answer_ring(struct connection *c)
{
    struct drm_channel *channel = c->channel;
    uint32_t asked = load(&channel->asked);
    store(&c->asked, asked);
    struct drm_message m;
    memcpy(&m, &channel->message, sizeof m);
    bool with_fd =
        m.type == DRM_MSG_IOCTL && (drm_protocol_takes_fd(m.request) || drm_protocol_gives_fd(m.request));
    if (with_fd || (m.type != DRM_MSG_IOCTL && m.type != DRM_MSG_MMAP))
        return false;
    struct answer a = {0};
    server_handle(c, &m, -1, &a);
    memcpy(&channel->reply, &a.reply, sizeof a.reply);
    store(&channel->answered, asked);
    if (load(&channel->waiting))
        syscall(SYS_futex, &channel->answered, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    return true;
}

bool server_answer_rings(struct connection *c)
{
    uint64_t last = now_ns(), patience = drm_is_busy(c->server->drm) ? BUSY_SPIN_NS : SPIN_NS;
    for (unsigned i = 1;; i++) {
        if (server_rung(c)) {
            if (!answer_ring(c))
                return false;
            if (drm_has_work(c->server->drm))
                return true;
            last = now_ns();
        } else if (i % 64 == 0) {
            if (now_ns() - last > patience || drm_has_work(c->server->drm))
                return true;
            sched_yield(); /* the client may have this processor too */
        } else {
            __builtin_ia32_pause();
        }
    }
}

void server_set_asleep(struct connection *c, bool asleep)
{
    store(&c->channel->asleep, asleep);
}
