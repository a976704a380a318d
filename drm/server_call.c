/* What messages lead to: files, and ioctls on them. Arguments are copied out of the shared memory once. */
#include "drm/server_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>

_Static_assert(DRM_PROTOCOL_VC4 == (int)DRM_DRIVER_VC4 && DRM_PROTOCOL_LIMA == (int)DRM_DRIVER_LIMA,
               "clients are told these numbers");

/* ---- files ---- */

static struct shared_file *held_file(struct connection *c, uint32_t id)
{
    return id < c->held_count && c->held[id] ? drm_ids_get(&c->server->files, id) : NULL;
}

int server_hold(struct connection *c, uint32_t id)
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

void server_let_go(struct connection *c, uint32_t id)
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
    a->reply.a = drm_driver_of(c->server->drm);
    r = server_hold(c, a->reply.file);
    if (!r)
        a->fd[a->fd_count++] = fcntl(drm_file_events(shared->file), F_DUPFD_CLOEXEC, 0);
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
    uint8_t *descriptor = (uint8_t *)argument + DRM_PROTOCOL_FD_AT;
    if (drm_protocol_takes_fd(m->request))
        memcpy(descriptor, &fd, sizeof fd);
    struct drm_user user = {data, DRM_CHANNEL_BYTES - DRM_CHANNEL_DATA, &a->reply.written};
    int r = drm_ioctl(file, m->request, argument, &user);
    if (!r && drm_protocol_gives_fd(m->request)) {
        memcpy(&a->fd[0], descriptor, sizeof a->fd[0]);
        a->fd_count = 1;
    }
    memcpy(data + DRM_CHANNEL_ARGUMENT, argument, size);
    return r;
}

/* What changes who holds which file. */
static int act_on_files(struct connection *c, const struct drm_message *m, struct answer *a)
{
    switch (m->type) {
    case DRM_MSG_OPEN: return open_file(c, m->a, a);
    case DRM_MSG_CLOSE: server_let_go(c, m->file); return 0;
    case DRM_MSG_FORK: return server_fork(c, a);
    default: return -EPROTO;
    }
}

/* What may take long is done without the lock: this connection holds the file meanwhile. */
void server_handle(struct connection *c, const struct drm_message *m, int fd, struct answer *a)
{
    pthread_mutex_lock(&c->server->lock);
    struct shared_file *shared = held_file(c, m->file);
    bool elsewhere = m->type == DRM_MSG_IOCTL || m->type == DRM_MSG_MMAP || m->type == DRM_MSG_DMABUF;
    if (!elsewhere)
        a->reply.result = act_on_files(c, m, a);
    pthread_mutex_unlock(&c->server->lock);
    if (m->type == DRM_MSG_DMABUF)
        a->reply.result = drm_lookup_dmabuf(c->server->drm, fd, &a->reply.a, &a->reply.b);
    else if (elsewhere && !shared)
        a->reply.result = -EBADF;
    else if (m->type == DRM_MSG_MMAP)
        a->reply.result = drm_check_mmap(shared->file, m->a, m->b, m->request);
    else if (m->type == DRM_MSG_IOCTL)
        a->reply.result = run_ioctl(c, shared->file, m, fd, a);
}
