#include "util/message.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
};

bool util_message_send(int socket, const void *message, uint32_t size, int fd)
{
    union control control = {0};
    struct iovec part = {(void *)message, size};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    if (fd >= 0) {
        header.msg_control = control.bytes;
        header.msg_controllen = sizeof control.bytes;
        struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(rights), &fd, sizeof fd);
    }
    ssize_t sent;
    do
        sent = sendmsg(socket, &header, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)size;
}

/* There is room for one descriptor, and none in the padding: the kernel drops any more that came. */
bool util_message_receive(int socket, void *message, uint32_t size, int *fd)
{
    union control control;
    struct iovec part = {message, size};
    struct msghdr header = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = CMSG_LEN(sizeof *fd)};
    ssize_t n;
    do
        n = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    *fd = -1;
    struct cmsghdr *h = n > 0 ? CMSG_FIRSTHDR(&header) : NULL;
    if (h && h->cmsg_level == SOL_SOCKET && h->cmsg_type == SCM_RIGHTS && h->cmsg_len == CMSG_LEN(sizeof *fd))
        memcpy(fd, CMSG_DATA(h), sizeof *fd);
    if (n == (ssize_t)size && !(header.msg_flags & MSG_TRUNC))
        return true;
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    return false;
}

static bool find_peer(int socket, struct ucred *peer)
{
    socklen_t size = sizeof *peer;
    return !getsockopt(socket, SOL_SOCKET, SO_PEERCRED, peer, &size);
}

bool util_message_ours(int socket)
{
    struct ucred peer;
    return find_peer(socket, &peer) && peer.uid == geteuid();
}

int util_message_peer(int socket)
{
    struct ucred peer;
    return find_peer(socket, &peer) ? peer.pid : 0;
}
