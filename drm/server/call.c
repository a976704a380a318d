/* What messages lead to: files, and ioctls on them. Arguments are copied out of the shared memory once. */
#include "drm/server/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "util/files.h"

#define INPUT_ARGUMENT 1024u /* bytes of an argument that are looked at: more than any name and any bits */

/* ---- files ---- */

static int open_file(struct drm_server_connection *c, uint64_t minor, struct drm_server_answer *a)
{
    struct drm_server *server = c->server;
    struct drm_server_file *shared = calloc(1, sizeof *shared);
    if (!shared)
        return -ENOMEM;
    struct stat st;
    int r = minor > UINT32_MAX ? -ENOENT : drm_open(server->drm, (unsigned)minor, &shared->file);
    if (!r && !(r = util_fstat(drm_file_events(shared->file), &st))) {
        shared->minor = (unsigned)minor;
        shared->device = st.st_dev;
        shared->inode = st.st_ino;
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
    drm_server_give(a,
                    drm_file_hand_out(shared->file)); /* this connection, which answers now, holds the file */
    return 0;
}

/* A file whose descriptor came from another process, or from before an exec. */
static int adopt_file(struct drm_server_connection *c, int fd, struct drm_server_answer *a)
{
    struct drm_server *server = c->server;
    pthread_mutex_lock(&server->lock);
    uint32_t id = fd >= 0 ? drm_server_file_of(server, fd) : 0;
    int r = !id ? -EINVAL : drm_server_held(c, id) ? 0 : drm_server_hold(c, id);
    int device = !id && fd >= 0 && server->input ? drm_input_device_of(server->input, fd) : -EINVAL;
    if (device >= 0) {
        a->reply.b = (uint64_t)device;
        r = 0;
    } else if (!r) {
        const struct drm_server_file *shared = drm_ids_get(&server->files, id);
        a->reply.file = id;
        a->reply.a = drm_driver_of(server->drm);
        a->reply.b = shared->minor;
    }
    pthread_mutex_unlock(&server->lock);
    return r;
}

static void close_file(struct drm_server_connection *c, uint32_t id)
{
    pthread_mutex_lock(&c->server->lock);
    struct drm_server_file *shared = drm_server_let_go(c, id);
    pthread_mutex_unlock(&c->server->lock);
    drm_server_close_file(shared);
}

static int fork_connection(struct drm_server_connection *c, struct drm_server_answer *a)
{
    pthread_mutex_lock(&c->server->lock);
    int r = drm_server_fork(c, a);
    pthread_mutex_unlock(&c->server->lock);
    return r;
}

/* ---- keyboard and pointers ---- */

static int open_input(struct drm_server_connection *c, const struct drm_message *m,
                      struct drm_server_answer *a)
{
    struct drm_input *input = c->server->input;
    int fd = input ? drm_input_open(input, m->a, m->b) : -ENOENT;
    if (fd < 0)
        return fd;
    drm_server_give(a, fd);
    return 0;
}

static int ask_input(struct drm_server_connection *c, const struct drm_message *m, int fd,
                     struct drm_server_answer *a)
{
    uint8_t *argument = (uint8_t *)c->channel + DRM_CHANNEL_DATA + DRM_CHANNEL_ARGUMENT;
    uint8_t copy[INPUT_ARGUMENT];
    uint32_t size = UTIL_MIN(_IOC_SIZE(m->request), sizeof copy), written;
    if (!c->server->input || fd < 0)
        return -ENOTTY;
    memcpy(copy, argument, size);
    int r = drm_input_ioctl(c->server->input, fd, m->request, m->a, copy, size, &written);
    memcpy(argument, copy, written);
    a->reply.a = written;
    return r;
}

/* ---- messages ---- */

static int run_ioctl(struct drm_server_connection *c, struct drm_file *file, const struct drm_message *m,
                     int fd, struct drm_server_answer *a)
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
static int ask_file(struct drm_server_connection *c, const struct drm_message *m, int fd,
                    struct drm_server_answer *a)
{
    pthread_mutex_lock(&c->server->lock);
    struct drm_server_file *shared = drm_server_held(c, m->file);
    pthread_mutex_unlock(&c->server->lock);
    if (!shared)
        return -EBADF;
    if (m->type == DRM_MSG_MMAP)
        return drm_check_mmap(shared->file, m->a, m->b, m->request);
    return run_ioctl(c, shared->file, m, fd, a);
}

void drm_server_handle(struct drm_server_connection *c, const struct drm_message *m, int fd,
                       struct drm_server_answer *a)
{
    int r = 0;
    if (fd < -1)
        r = fd;
    else if (m->type == DRM_MSG_OPEN)
        r = open_file(c, m->a, a);
    else if (m->type == DRM_MSG_ADOPT)
        r = adopt_file(c, fd, a);
    else if (m->type == DRM_MSG_CLOSE)
        close_file(c, m->file);
    else if (m->type == DRM_MSG_FORK)
        r = fork_connection(c, a);
    else if (m->type == DRM_MSG_INPUT)
        r = open_input(c, m, a);
    else if (m->type == DRM_MSG_INPUT_IOCTL)
        r = ask_input(c, m, fd, a);
    else if (m->type == DRM_MSG_DMABUF)
        r = fd < 0 ? -EINVAL : drm_lookup_dmabuf(c->server->drm, fd, &a->reply.a, &a->reply.b);
    else if (m->type == DRM_MSG_IOCTL || m->type == DRM_MSG_MMAP)
        r = ask_file(c, m, fd, a);
    else
        r = -EPROTO;
    a->reply.result = r;
}
