/* Open files, as processes hold them. */
#include "drm/server/internal.h"

#include <errno.h>
#include <stdlib.h>

struct shared_file *drm_server_held(struct connection *c, uint32_t id)
{
    return id < c->held_count && c->held[id] ? drm_ids_get(&c->server->files, id) : NULL;
}

int drm_server_hold(struct connection *c, uint32_t id)
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

struct shared_file *drm_server_let_go(struct connection *c, uint32_t id)
{
    struct shared_file *shared = drm_server_held(c, id);
    if (!shared)
        return NULL;
    c->held[id] = 0;
    if (--shared->holders)
        return NULL;
    return drm_ids_remove(&c->server->files, id);
}

void drm_server_close_file(struct shared_file *shared)
{
    if (!shared)
        return;
    drm_abandon(shared->file);
    drm_close(shared->file);
    free(shared);
}
