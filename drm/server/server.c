/* The server, and the two threads of each connection. Both wait for messages; the one that has answered runs
 * the job that was submitted, without waking anybody, and the other answers what is asked meanwhile. */
#include "drm/server/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- a connection's thread ---- */

/* Answers rings and runs jobs as long as there are any, unless the other thread speaks with the client: it
 * sees what was rung. While a job runs nobody looks at rings; the client sends a message then. */
static bool serve_rings(struct drm_server_connection *c)
{
    while (!__atomic_load_n(&c->over, __ATOMIC_RELAXED) && !pthread_mutex_trylock(&c->serving)) {
        drm_server_set_asleep(c, false);
        bool ok = drm_server_answer_rings(c);
        drm_server_set_asleep(c, true);
        if (ok && drm_server_rung(c)) /* just before: the client sends no message for it */
            ok = drm_server_answer_rings(c);
        pthread_mutex_unlock(&c->serving);
        if (!ok)
            return false;
        if (!drm_work(c->server->drm) && !drm_server_rung(c))
            break;
    }
    return true;
}

static bool step(struct drm_server_connection *c)
{
    struct drm_message m;
    int fd;
    bool ok = drm_server_receive(c->socket, &m, &fd);
    if (ok && m.type != DRM_MSG_RING) {
        struct drm_server_answer a = {0};
        pthread_mutex_lock(&c->serving);
        drm_server_handle(c, &m, fd, &a);
        ok = a.reply.result != -EPROTO && drm_server_send(c->socket, &a);
        pthread_mutex_unlock(&c->serving);
    }
    if (fd >= 0)
        close(fd);
    return ok && serve_rings(c);
}

/* Its files; which nobody else holds are closed. */
static void let_go(struct drm_server_connection *c)
{
    struct drm_server *server = c->server;
    for (uint32_t i = 0; i < c->held_count; i++) {
        pthread_mutex_lock(&server->lock);
        struct drm_server_file *shared = drm_server_let_go(c, i);
        pthread_mutex_unlock(&server->lock);
        drm_server_close_file(shared);
    }
}

/* `c` is freed. */
static void end(struct drm_server_connection *c)
{
    struct drm_server *server = c->server;
    pthread_mutex_lock(&server->lock);
    *c->link = c->next;
    if (c->next)
        c->next->link = c->link;
    close(c->socket);
    drm_server_free_connection(c);
    server->count--;
    pthread_cond_broadcast(&server->gone);
    pthread_mutex_unlock(&server->lock);
}

/* The client has gone, and with it the files that nobody else holds: their jobs go on only for others. The
 * other thread may be inside a call that waits for one. */
static void leave(struct drm_server_connection *c)
{
    struct drm_server *server = c->server;
    pthread_mutex_lock(&server->lock);
    __atomic_store_n(&c->over, 1, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < c->held_count; i++) {
        const struct drm_server_file *shared = c->held[i] ? drm_ids_get(&server->files, i) : NULL;
        if (shared && shared->holders == 1 && drm_file_gone(shared->file))
            drm_abandon(shared->file);
    }
    pthread_mutex_unlock(&server->lock);
}

static void *serve(void *data)
{
    struct drm_server_connection *c = data;
    struct drm_server *server = c->server;
    while (step(c))
        ;
    leave(c);
    shutdown(c->socket, SHUT_RDWR); /* the other thread ends too */
    pthread_mutex_lock(&server->lock);
    bool last = !--c->threads;
    pthread_mutex_unlock(&server->lock);
    if (!last)
        return NULL;
    let_go(c);
    while (drm_work(server->drm))
        ; /* what the client has left, and what others left to a thread of it that was at work */
    end(c);
    return NULL;
}

/* ---- the server ---- */

static void finish(struct drm_server *server)
{
    if (server->quit >= 0)
        close(server->quit);
    if (server->kept >= 0)
        close(server->kept);
    pthread_cond_destroy(&server->gone);
    pthread_mutex_destroy(&server->lock);
    free(server);
}

static void stop_keeper(struct drm_server *server)
{
    pthread_mutex_lock(&server->lock);
    server->stopping = true;
    pthread_mutex_unlock(&server->lock);
    drm_server_wake_keeper(server);
    pthread_join(server->keeper, NULL);
}

static int start(struct drm_server *server)
{
    int r = -pthread_create(&server->keeper, NULL, drm_server_keep, server);
    if (!r && (r = -pthread_create(&server->acceptor, NULL, drm_server_admit, server)))
        stop_keeper(server);
    return r;
}

int drm_server_create(int listener, struct drm *drm, struct gpu_memory *memory, struct drm_input *input,
                      struct drm_server **out)
{
    struct drm_server *server = calloc(1, sizeof *server);
    if (!server)
        return -ENOMEM;
    server->drm = drm;
    server->memory = memory;
    server->input = input;
    server->listener = listener;
    server->serve = serve;
    pthread_mutex_init(&server->lock, NULL);
    pthread_cond_init(&server->gone, NULL);
    server->quit = eventfd(0, EFD_CLOEXEC);
    server->kept = eventfd(0, EFD_CLOEXEC);
    int r = server->quit < 0 || server->kept < 0 ? -errno : start(server);
    if (r) {
        finish(server);
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
    stop_keeper(server);
    if (write(server->quit, &one, sizeof one) == sizeof one)
        pthread_join(server->acceptor, NULL);
    pthread_mutex_lock(&server->lock);
    for (struct drm_server_connection *c = server->connections; c; c = c->next)
        shutdown(c->socket, SHUT_RDWR);
    while (server->count)
        pthread_cond_wait(&server->gone, &server->lock);
    pthread_mutex_unlock(&server->lock);
    for (uint32_t id = 1; id < server->files.count; id++) /* whose descriptor somebody has still */
        drm_server_close_file(drm_ids_remove(&server->files, id));
    drm_ids_finish(&server->files);
    finish(server);
}
