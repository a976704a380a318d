/* Connections: two threads each. Both wait for messages; the one that has answered runs the job that was
 * submitted, without waking anybody, and the other answers what is asked meanwhile. */
#include "drm/server_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_CONNECTIONS 256

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
    while (c->threads < 2 && !pthread_create(&thread, &detached, serve, c))
        c->threads++;
    pthread_attr_destroy(&detached);
    return c->threads ? 0 : -EAGAIN;
}

int server_add_connection(struct drm_server *server, int socket, const struct connection *parent,
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
        free_connection(c);
        return r;
    }
    *channel_fd = r;
    server_set_asleep(c, true);
    r = 0;
    for (uint32_t i = 0; !r && parent && i < parent->held_count; i++)
        if (parent->held[i])
            r = server_hold(c, i);
    if (!r)
        r = start_threads(c);
    if (r) {
        for (uint32_t i = 0; i < c->held_count; i++)
            server_let_go(c, i); /* the parent holds them too */
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

int server_fork(struct connection *c, struct answer *a)
{
    int ends[2], channel;
    if (c->over || c->server->stopping)
        return -ESHUTDOWN;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
        return -errno;
    int r = server_add_connection(c->server, ends[0], c, &channel);
    if (r) {
        close(ends[0]);
        close(ends[1]);
        return r;
    }
    server_give(a, ends[1]);
    server_give(a, channel);
    a->reply.b = DRM_CHANNEL_BYTES;
    return 0;
}

/* ---- a connection's thread ---- */

/* Answers rings and runs jobs as long as there are any, unless the other thread speaks with the client: it
 * sees what was rung. While a job runs nobody looks at rings; the client sends a message then. */
static bool serve_rings(struct connection *c)
{
    while (!__atomic_load_n(&c->over, __ATOMIC_RELAXED) && !pthread_mutex_trylock(&c->serving)) {
        server_set_asleep(c, false);
        bool ok = server_answer_rings(c);
        server_set_asleep(c, true);
        pthread_mutex_unlock(&c->serving);
        if (!ok)
            return false;
        if (!drm_work(c->server->drm) && !server_rung(c))
            break;
    }
    return true;
}

static bool step(struct connection *c)
{
    struct drm_message m;
    int fd;
    bool ok = server_receive(c->socket, &m, &fd);
    if (ok && m.type != DRM_MSG_RING) {
        struct answer a = {0};
        pthread_mutex_lock(&c->serving);
        server_handle(c, &m, fd, &a);
        ok = a.reply.result != -EPROTO && server_send(c->socket, &a);
        pthread_mutex_unlock(&c->serving);
    }
    if (fd >= 0)
        close(fd);
    return ok && serve_rings(c);
}

/* The client has gone: its files are let go, which nobody else holds are closed, and `c` is freed. */
static void end(struct connection *c)
{
    struct drm_server *server = c->server;
    for (uint32_t i = 0; i < c->held_count; i++) {
        pthread_mutex_lock(&server->lock);
        struct shared_file *shared = server_let_go(c, i);
        pthread_mutex_unlock(&server->lock);
        server_close_file(shared);
    }
    pthread_mutex_lock(&server->lock);
    *c->link = c->next;
    if (c->next)
        c->next->link = c->link;
    close(c->socket);
    free_connection(c);
    server->count--;
    pthread_cond_broadcast(&server->gone);
    pthread_mutex_unlock(&server->lock);
}

/* The client has gone, and with it the files that nobody else holds: their jobs go on only for others. The
 * other thread may be inside a call that waits for one. */
static void leave(struct connection *c)
{
    struct drm_server *server = c->server;
    pthread_mutex_lock(&server->lock);
    __atomic_store_n(&c->over, 1, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < c->held_count; i++) {
        const struct shared_file *shared = c->held[i] ? drm_ids_get(&server->files, i) : NULL;
        if (shared && shared->holders == 1)
            drm_abandon(shared->file);
    }
    pthread_mutex_unlock(&server->lock);
}

static void *serve(void *data)
{
    struct connection *c = data;
    struct drm_server *server = c->server;
    while (step(c))
        ;
    leave(c);
    shutdown(c->socket, SHUT_RDWR); /* the other thread ends too */
    drm_work(server->drm);          /* what the client has left, if nobody else does */
    pthread_mutex_lock(&server->lock);
    bool last = !--c->threads;
    pthread_mutex_unlock(&server->lock);
    if (last)
        end(c);
    return NULL;
}

/* ---- the server ---- */

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
    int r = server->quit < 0 ? -errno : -pthread_create(&server->acceptor, NULL, server_admit, server);
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
