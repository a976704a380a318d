/* Open files, as processes hold them. */
#include "drm/server/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/files.h"

struct drm_server_file *drm_server_held(struct drm_server_connection *c, uint32_t id)
{
    return id < c->held_count && c->held[id] ? drm_ids_get(&c->server->files, id) : NULL;
}

int drm_server_hold(struct drm_server_connection *c, uint32_t id)
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
    ((struct drm_server_file *)drm_ids_get(&c->server->files, id))->holders++;
    return 0;
}

void drm_server_wake_keeper(struct drm_server *server)
{
    uint64_t one = 1;
    ssize_t written = write(server->kept, &one, sizeof one);
    (void)written; /* it counts already, and the keeper has not looked yet */
}

struct drm_server_file *drm_server_let_go(struct drm_server_connection *c, uint32_t id)
{
    struct drm_server_file *shared = drm_server_held(c, id);
    if (!shared)
        return NULL;
    c->held[id] = 0;
    if (--shared->holders)
        return NULL;
    if (drm_file_gone(shared->file))
        return drm_ids_remove(&c->server->files, id);
    drm_server_wake_keeper(c->server);
    return NULL;
}

uint32_t drm_server_file_of(struct drm_server *server, int fd)
{
    struct stat st;
    if (util_fstat(fd, &st) || !S_ISFIFO(st.st_mode))
        return 0;
    for (uint32_t id = 1; id < server->files.count; id++) {
        const struct drm_server_file *shared = drm_ids_get(&server->files, id);
        if (shared && shared->device == st.st_dev && shared->inode == st.st_ino)
            return id;
    }
    return 0;
}

void drm_server_close_file(struct drm_server_file *shared)
{
    if (!shared)
        return;
    drm_abandon(shared->file);
    drm_close(shared->file);
    free(shared);
}
