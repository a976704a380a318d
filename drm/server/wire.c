/* Messages over the socket of a peer that is trusted with nothing. */
#include "drm/server/internal.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
    char bytes[CMSG_SPACE(3 * sizeof(int))];
    struct cmsghdr align;
};

bool drm_server_send(int socket, struct answer *a)
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

int drm_server_look(int socket, struct drm_message *m)
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

bool drm_server_receive(int socket, struct drm_message *m, int *fd)
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
