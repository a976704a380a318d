/* What messages lead to: files, and ioctls on them. Arguments are copied out of the shared memory once. */
#include "drm/server/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>

/* ---- files ---- */

static int open_file(struct connection *c, uint64_t minor, struct answer *a)
{
    struct drm_server *server = c->server;
    struct shared_file *shared = calloc(1, sizeof *shared);
    if (!shared)
        return -ENOMEM;
    int r = minor > UINT32_MAX ? -ENOENT : drm_open(server->drm, (unsigned)minor, &shared->file);
    if (!r) {
        pthread_mutex_lock(&server->lock);
        r = drm_ids_add(&server->files, shared, &a->reply.file);
        if (!r && (r = drm_server_hold(c, a->reply.file)))
            drm_ids_remove(&server->files, a->reply.file);
        pthread_mutex_unlock(&server->lock);
    }
    if (r) {
        drm_server_close_file(shared);
        return r;
    }
    a->reply.a = drm_driver_of(server->drm);
    drm_server_lend(a,
                    drm_file_events(shared->file)); /* this connection, which answers now, holds the file */
    return 0;
}

static void close_file(struct connection *c, uint32_t id)
{
    pthread_mutex_lock(&c->server->lock);
    struct shared_file *shared = drm_server_let_go(c, id);
    pthread_mutex_unlock(&c->server->lock);
    drm_server_close_file(shared);
}

static int fork_connection(struct connection *c, struct answer *a)
{
    pthread_mutex_lock(&c->server->lock);
    int r = drm_server_fork(c, a);
    pthread_mutex_unlock(&c->server->lock);
    return r;
}

/* ---- messages ---- */

static int run_ioctl(struct connection *c, struct drm_file *file, const struct drm_message *m, int fd,
                     struct answer *a)
{
    uint8_t *data = (uint8_t *)c->channel + DRM_CHANNEL_DATA;
    uint64_t argument[DRM_ARG_MAX / 8] = {0};
    uint32_t size = _IOC_SIZE(m->request);
    if (size > sizeof argument)
        return -EINVAL;
    memcpy(argument, data + DRM_CHANNEL_ARGUMENT, size);
    int given = -1;
    const struct drm_user user = {.base = data,
                                  .size = DRM_CHANNEL_BYTES - DRM_CHANNEL_DATA,
                                  .written = &a->reply.written,
                                  .taken = fd >= 0 && drm_protocol_takes_fd(m->request) ? &fd : NULL,
                                  .given = drm_protocol_gives_fd(m->request) ? &given : NULL};
    int r = drm_ioctl(file, m->request, argument, &user);
    if (given >= 0)
        drm_server_give(a, given);
    memcpy(data + DRM_CHANNEL_ARGUMENT, argument, size);
    return r;
}

/* What a file is asked; this connection holds it meanwhile. */
static int ask_file(struct connection *c, const struct drm_message *m, int fd, struct answer *a)
{
    pthread_mutex_lock(&c->server->lock);
    struct shared_file *shared = drm_server_held(c, m->file);
    pthread_mutex_unlock(&c->server->lock);
    if (!shared)
        return -EBADF;
    if (m->type == DRM_MSG_MMAP)
        return drm_check_mmap(shared->file, m->a, m->b, m->request);
    return run_ioctl(c, shared->file, m, fd, a);
}

void drm_server_handle(struct connection *c, const struct drm_message *m, int fd, struct answer *a)
{
    int r = 0;
    if (fd < -1)
        r = fd;
    else if (m->type == DRM_MSG_OPEN)
        r = open_file(c, m->a, a);
    else if (m->type == DRM_MSG_CLOSE)
        close_file(c, m->file);
    else if (m->type == DRM_MSG_FORK)
        r = fork_connection(c, a);
    else if (m->type == DRM_MSG_DMABUF)
        r = fd < 0 ? -EINVAL : drm_lookup_dmabuf(c->server->drm, fd, &a->reply.a, &a->reply.b);
    else if (m->type == DRM_MSG_IOCTL || m->type == DRM_MSG_MMAP)
        r = ask_file(c, m, fd, a);
    else
        r = -EPROTO;
    a->reply.result = r;
}
