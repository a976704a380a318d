/* Connections: a socket, a channel, two threads, and the files that the process holds. */
#include "drm/server/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_CONNECTIONS 256

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

void drm_server_free_connection(struct connection *c)
{
    if (c->channel)
        munmap(c->channel, DRM_CHANNEL_BYTES);
    pthread_mutex_destroy(&c->serving);
    free(c->held);
    free(c);
}

/* One thread is enough, two are better: then questions are answered while a job runs. Server locked. */
static int start_threads(struct connection *c)
{
    pthread_t thread;
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    while (c->threads < 2 && !pthread_create(&thread, &detached, c->server->serve, c))
        c->threads++;
    pthread_attr_destroy(&detached);
    return c->threads ? 0 : -EAGAIN;
}

int drm_server_add_connection(struct drm_server *server, int socket, const struct connection *parent,
                              int *channel_fd)
{
    struct connection *c = server->count < MAX_CONNECTIONS ? calloc(1, sizeof *c) : NULL;
    if (!c)
        return -ENOMEM;
    c->server = server;
    c->socket = socket;
    pthread_mutex_init(&c->serving, NULL);
    int r = make_channel(&c->channel);
    if (r < 0) {
        drm_server_free_connection(c);
        return r;
    }
    *channel_fd = r;
    drm_server_set_asleep(c, true);
    r = 0;
    for (uint32_t i = 0; !r && parent && i < parent->held_count; i++)
        if (parent->held[i])
            r = drm_server_hold(c, i);
    if (!r)
        r = start_threads(c);
    if (r) {
        for (uint32_t i = 0; i < c->held_count; i++)
            drm_server_let_go(c, i); /* the parent holds them too */
        close(*channel_fd);
        drm_server_free_connection(c);
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

int drm_server_fork(struct connection *c, struct answer *a)
{
    int ends[2], channel;
    if (c->over || c->server->stopping)
        return -ESHUTDOWN;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
        return -errno;
    int r = drm_server_add_connection(c->server, ends[0], c, &channel);
    if (r) {
        close(ends[0]);
        close(ends[1]);
        return r;
    }
    drm_server_give(a, ends[1]);
    drm_server_give(a, channel);
    a->reply.b = DRM_CHANNEL_BYTES;
    return 0;
}
