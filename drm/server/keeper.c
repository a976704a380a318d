/* Files that no process holds while somebody still has their descriptor: on its way to another process, or kept
 * across an exec. As in the kernel such a file lives until the last descriptor is closed: whoever gets it adopts it
 * (DRM_MSG_ADOPT); if nobody does, it is closed here, by a thread of its own, as closing may wait for jobs. */
#include "drm/server/internal.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "drm/core/charge.h"

/* The files without holders, their ends into `polled`. */
static nfds_t collect(struct drm_server *server, struct pollfd polled[DRM_FILES_MAX],
                      uint32_t ids[DRM_FILES_MAX])
{
    nfds_t count = 0;
    for (uint32_t id = 1; id < server->files.count && count < DRM_FILES_MAX; id++) {
        const struct drm_server_file *shared = drm_ids_get(&server->files, id);
        if (!shared || shared->holders)
            continue;
        ids[count] = id;
        polled[count++] = (struct pollfd){drm_file_writer(shared->file), 0, 0};
    }
    return count;
}

/* Whether nobody has adopted it meanwhile, nor can any more: then it is taken off the list. */
static struct drm_server_file *take_dead(struct drm_server *server, uint32_t id)
{
    struct drm_server_file *shared = drm_ids_get(&server->files, id);
    return shared && !shared->holders && drm_file_gone(shared->file) ? drm_ids_remove(&server->files, id)
                                                                     : NULL;
}

void *drm_server_keep(void *data)
{
    struct drm_server *server = data;
    struct pollfd polled[1 + DRM_FILES_MAX] = {{server->kept, POLLIN, 0}};
    uint32_t ids[DRM_FILES_MAX];
    for (;;) {
        pthread_mutex_lock(&server->lock);
        bool over = server->stopping;
        nfds_t count = collect(server, polled + 1, ids);
        pthread_mutex_unlock(&server->lock);
        if (over)
            return NULL;
        if (poll(polled, 1 + count, -1) < 0 && errno != EINTR)
            return NULL;
        uint64_t woken;
        if (polled[0].revents && read(server->kept, &woken, sizeof woken) < 0)
            return NULL;
        for (nfds_t i = 0; i < count; i++) {
            pthread_mutex_lock(&server->lock);
            struct drm_server_file *dead = polled[1 + i].revents ? take_dead(server, ids[i]) : NULL;
            pthread_mutex_unlock(&server->lock);
            drm_server_close_file(dead);
        }
    }
}
