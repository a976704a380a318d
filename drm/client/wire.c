/* Speaking with the server: descriptors and openings over the socket, everything else through the channel. */
#define _GNU_SOURCE
#include "drm/client/client.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define LOOKS    100      /* at the channel before the thread gives way: the server may need this processor */
#define YIELDS   50       /* before it sleeps */
#define FIRST_FD 900      /* our own descriptors stay out of the way of programs that count theirs */
#define PATIENCE 50000000 /* ns of sleep between two looks whether the server still lives */

static struct {
    int socket, memory; /* -1: none */
    struct drm_channel *channel;
    int next_socket, next_channel;       /* for a child, between before_fork and after_fork */
    const struct drm_fence_page *fences; /* a child has it from its parent */
} wire = {-1, -1, NULL, -1, -1, NULL};

bool wire_owns(int fd)
{
    return fd >= 0 && (fd == wire.socket || fd == wire.memory);
}

uint8_t *wire_data(void)
{
    return wire.channel ? (uint8_t *)wire.channel + DRM_CHANNEL_DATA : NULL;
}

int wire_memory(void)
{
    return wire.memory;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        NEXT(close)(*fd);
    *fd = -1;
}

/* ---- the socket ---- */

union control {
    char bytes[CMSG_SPACE(3 * sizeof(int))];
    struct cmsghdr align;
};

static bool send_message(const struct drm_message *message, int give)
{
    union control control;
    struct iovec part = {(void *)message, sizeof *message};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    memset(&control, 0, sizeof control);
    if (give >= 0) {
        header.msg_control = control.bytes;
        header.msg_controllen = CMSG_SPACE(sizeof give);
        struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof give);
        memcpy(CMSG_DATA(rights), &give, sizeof give);
    }
    ssize_t n;
    do
        n = sendmsg(wire.socket, &header, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n == sizeof *message;
}

static bool receive_reply(struct drm_reply *reply, struct client_fds *got)
{
    union control control;
    struct iovec part = {reply, sizeof *reply};
    struct msghdr header = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = sizeof control.bytes};
    ssize_t n;
    do
        n = recvmsg(wire.socket, &header, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    for (struct cmsghdr *h = n > 0 ? CMSG_FIRSTHDR(&header) : NULL; h; h = CMSG_NXTHDR(&header, h)) {
        if (h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS)
            continue;
        unsigned count = (unsigned)((h->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        for (unsigned i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(h) + i * sizeof fd, sizeof fd);
            if (got && got->count < 3)
                got->fd[got->count++] = fd;
            else
                close_fd(&fd);
        }
    }
    return n == sizeof *reply;
}

static int call_by_socket(const struct drm_message *message, struct drm_reply *reply, int give,
                          struct client_fds *got)
{
    if (!send_message(message, give) || !receive_reply(reply, got))
        return -EIO;
    return reply->result;
}

/* ---- the channel ---- */

static bool server_lives(void)
{
    struct pollfd p = {wire.socket, 0, 0};
    return poll(&p, 1, 0) == 0;
}

static bool answered(uint32_t number)
{
    return __atomic_load_n(&wire.channel->answered, __ATOMIC_ACQUIRE) == number;
}

/* Sleeps on the counter; the server wakes us, and now and then we look whether it still lives. */
static bool sleep_until_answered(uint32_t number)
{
    struct { /* as the kernel's SYS_futex reads it on every machine */
        long seconds, nanoseconds;
    } patience = {0, PATIENCE};
    bool lives = true;
    __atomic_store_n(&wire.channel->waiting, 1, __ATOMIC_SEQ_CST);
    while (!answered(number) && lives) {
        if (syscall(SYS_futex, &wire.channel->answered, FUTEX_WAIT, number - 1, &patience, NULL, 0) < 0 &&
            errno == ETIMEDOUT)
            lives = server_lives();
    }
    __atomic_store_n(&wire.channel->waiting, 0, __ATOMIC_SEQ_CST);
    return answered(number);
}

static bool wait_answer(uint32_t number)
{
    for (unsigned i = 0; i < YIELDS; i++) {
        for (unsigned k = 0; k < LOOKS; k++)
            if (answered(number))
                return true;
        sched_yield();
    }
    return sleep_until_answered(number);
}

static int call_by_ring(const struct drm_message *message, struct drm_reply *reply)
{
    static const struct drm_message ring = {.type = DRM_MSG_RING};
    struct drm_channel *channel = wire.channel;
    memcpy(&channel->message, message, sizeof *message);
    uint32_t number = __atomic_add_fetch(&channel->asked, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&channel->asleep, __ATOMIC_SEQ_CST) && !send_message(&ring, -1))
        return -EIO;
    if (!wait_answer(number))
        return -EIO;
    memcpy(reply, &channel->reply, sizeof *reply);
    return reply->result;
}

int wire_call(const struct drm_message *message, struct drm_reply *reply, int give, struct client_fds *got)
{
    if (got)
        got->count = 0;
    if (wire.socket < 0)
        return -EIO;
    int saved = errno;
    bool rings = !got && give < 0 && (message->type == DRM_MSG_IOCTL || message->type == DRM_MSG_MMAP);
    int r = rings ? call_by_ring(message, reply) : call_by_socket(message, reply, give, got);
    errno = saved;
    return r;
}

/* ---- the page of fences ---- */

bool wire_fence_done(uint64_t fence)
{
    return wire.fences && fence <= __atomic_load_n(&wire.fences->finished, __ATOMIC_ACQUIRE);
}

uint32_t wire_fence_turn(void)
{
    return wire.fences ? __atomic_load_n(&wire.fences->turn, __ATOMIC_SEQ_CST) : 0;
}

void wire_fence_sleep(uint32_t turn, uint64_t nanoseconds)
{
    struct { /* as the kernel's SYS_futex reads it on every machine */
        long seconds, nanoseconds;
    } rest = {0, (long)(nanoseconds < PATIENCE ? nanoseconds : PATIENCE)};
    int saved = errno;
    if (wire.fences)
        syscall(SYS_futex, &wire.fences->turn, FUTEX_WAIT, turn, &rest, NULL, 0);
    errno = saved;
}

/* ---- connecting ---- */

static int out_of_the_way(int fd)
{
    int high = NEXT(fcntl)(fd, F_DUPFD_CLOEXEC, FIRST_FD);
    if (high < 0)
        return fd;
    NEXT(close)(fd);
    return high;
}

static bool map_channel(int fd, uint64_t size)
{
    if (size != DRM_CHANNEL_BYTES)
        return false;
    void *at = NEXT(mmap)(NULL, DRM_CHANNEL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (at == MAP_FAILED)
        return false;
    wire.channel = at;
    return true;
}

static bool map_fences(int fd)
{
    void *at = NEXT(mmap)(NULL, sizeof *wire.fences, PROT_READ, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return false;
    wire.fences = at;
    return true;
}

int wire_connect(void)
{
    if (wire.socket >= 0)
        return 0;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = getenv(DRM_ENV_SOCKET);
    if (!path || strlen(path) >= sizeof address.sun_path)
        return -ENODEV;
    memcpy(address.sun_path, path, strlen(path));
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    if (connect(fd, (struct sockaddr *)&address, sizeof address)) {
        NEXT(close)(fd);
        return -ENODEV;
    }
    wire.socket = out_of_the_way(fd);
    const struct drm_message hello = {.type = DRM_MSG_HELLO, .a = DRM_PROTOCOL_VERSION};
    struct client_fds got = {.count = 0};
    struct drm_reply reply;
    int r = call_by_socket(&hello, &reply, -1, &got);
    if (!r && got.count < 3)
        r = -EMFILE;
    if (r || !map_channel(got.fd[1], reply.b) || !map_fences(got.fd[2])) {
        for (unsigned i = 0; i < got.count; i++)
            NEXT(close)(got.fd[i]);
        close_fd(&wire.socket);
        return r == -EMFILE || r == -ENOMEM ? r : -ENODEV;
    }
    NEXT(close)(got.fd[1]);
    NEXT(close)(got.fd[2]);
    wire.memory = out_of_the_way(got.fd[0]);
    return 0;
}

void wire_before_fork(void)
{
    if (wire.socket < 0)
        return;
    const struct drm_message message = {.type = DRM_MSG_FORK};
    struct client_fds got = {.count = 0};
    struct drm_reply reply;
    if (!call_by_socket(&message, &reply, -1, &got) && got.count == 2) {
        wire.next_socket = got.fd[0];
        wire.next_channel = got.fd[1];
        return;
    }
    for (unsigned i = 0; i < got.count; i++)
        NEXT(close)(got.fd[i]);
}

/* The child must not use its parent's connection, even when it got none of its own. */
void wire_after_fork(bool child)
{
    if (child && wire.socket >= 0) {
        close_fd(&wire.socket);
        munmap(wire.channel, DRM_CHANNEL_BYTES);
        wire.channel = NULL;
        if (wire.next_socket >= 0 && map_channel(wire.next_channel, DRM_CHANNEL_BYTES))
            wire.socket = out_of_the_way(wire.next_socket);
        else
            close_fd(&wire.next_socket);
        wire.next_socket = -1;
    }
    close_fd(&wire.next_socket);
    close_fd(&wire.next_channel);
}
