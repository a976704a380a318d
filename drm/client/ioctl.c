/* Ioctls as the program means them: those that wait ask again, those with longs are widened. */
#include "drm/client/client.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include <drm.h>

/* ---- waits: the server does not block, we ask again when a job was done ---- */

#define GLANCE 200000 /* ns: sync objects are signalled by other calls too, which turn no page */

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Of the ioctls that all drivers have. */
static const struct client_wait waits[] = {
    {DRM_IOCTL_SYNCOBJ_WAIT, offsetof(struct drm_syncobj_wait, timeout_nsec), .glance = true},
    {DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, offsetof(struct drm_syncobj_timeline_wait, timeout_nsec),
     .glance = true},
    {0},
};

/* How a request waits; NULL: it does not. */
static const struct client_wait *find_wait(const struct client_driver *driver, uint32_t request)
{
    const struct client_wait *w = client_is_drivers(request) ? driver->waits : waits;
    while (w->request && _IOC_NR(w->request) != _IOC_NR(request))
        w++;
    return w->request && _IOC_SIZE(request) >= w->timeout_at + sizeof(uint64_t) ? w : NULL;
}

/* Until when. */
static uint64_t wait_end(const struct client_wait *w, const void *argument)
{
    uint64_t timeout;
    memcpy(&timeout, (const char *)argument + w->timeout_at, sizeof timeout);
    if (!w->relative)
        return (int64_t)timeout < 0 ? 0 : timeout;
    uint64_t now = timeout ? now_ns() : 0;
    return timeout > UINT64_MAX - now ? UINT64_MAX : now + timeout;
}

/* What it is called that the time is over; `looked`: there was some. */
static int time_over(const struct client_driver *driver, uint32_t request, bool looked)
{
    if (!client_is_drivers(request))
        return -ETIME;
    return looked ? driver->timed_out : driver->busy;
}

/* Waits on the page of fences alone. */
static int wait_for_job(uint64_t fence, uint64_t until)
{
    for (;;) {
        uint32_t turn = wire_fence_turn();
        if (wire_fence_done(fence))
            return 0;
        uint64_t now = until ? now_ns() : 0;
        if (now >= until)
            return -ETIME;
        wire_fence_sleep(turn, until - now);
    }
}

static int call_wide(const struct client_node *node, uint32_t request, void *argument)
{
    const struct client_wait *w = find_wait(node->driver, request);
    uint64_t until = w ? wait_end(w, argument) : 0, sleep = w && w->glance ? GLANCE : UINT64_MAX;
    bool looked = false;
    if (w && w->has_fence && request == w->request) {
        uint64_t fence;
        memcpy(&fence, (const char *)argument + w->fence_at, sizeof fence);
        return wait_for_job(fence, until);
    }
    for (;;) {
        uint32_t turn = wire_fence_turn();
        client_lock();
        int r = marshal_call(node, request, argument);
        client_unlock();
        if (r != -ETIME || !w)
            return r;
        uint64_t now = until ? now_ns() : 0;
        if (now >= until)
            return time_over(node->driver, request, looked);
        looked = true;
        wire_fence_sleep(turn, until - now < sleep ? until - now : sleep);
    }
}

#if __SIZEOF_LONG__ == 4
/* Arguments with longs and size_t, widened. */
static int call_version(const struct client_node *node, struct drm_version *v)
{
    struct drm_wire_version w = {.name_length = v->name_len,
                                 .name = (uintptr_t)v->name,
                                 .date_length = v->date_len,
                                 .date = (uintptr_t)v->date,
                                 .description_length = v->desc_len,
                                 .description = (uintptr_t)v->desc};
    int r = call_wide(node, _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, 0x00, sizeof w), &w);
    v->version_major = w.major;
    v->version_minor = w.minor;
    v->version_patchlevel = w.patchlevel;
    v->name_len = (size_t)w.name_length;
    v->date_len = (size_t)w.date_length;
    v->desc_len = (size_t)w.description_length;
    return r;
}

static int call_unique(const struct client_node *node, struct drm_unique *u)
{
    struct drm_wire_unique w = {.length = u->unique_len};
    int r = call_wide(node, _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, 0x01, sizeof w), &w);
    u->unique_len = (size_t)w.length;
    return r;
}

static int call_vblank(const struct client_node *node, union drm_wait_vblank *v)
{
    struct drm_wire_vblank w = {v->request.type, v->request.sequence, v->request.signal, 0};
    int r = call_wide(node, _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, 0x3a, sizeof w), &w);
    v->reply.type = w.type;
    v->reply.sequence = w.sequence;
    v->reply.tval_sec = (long)w.signal_or_seconds;
    v->reply.tval_usec = (long)w.microseconds;
    return r;
}

static int call(const struct client_node *node, uint32_t request, void *argument)
{
    switch (_IOC_NR(request)) {
    case _IOC_NR(DRM_IOCTL_VERSION): return call_version(node, argument);
    case _IOC_NR(DRM_IOCTL_GET_UNIQUE): return call_unique(node, argument);
    case _IOC_NR(DRM_IOCTL_WAIT_VBLANK): return call_vblank(node, argument);
    default: return call_wide(node, request, argument);
    }
}
#else
_Static_assert(sizeof(struct drm_wire_version) == sizeof(struct drm_version) &&
                   sizeof(struct drm_wire_unique) == sizeof(struct drm_unique) &&
                   sizeof(struct drm_wire_vblank) == sizeof(union drm_wait_vblank),
               "the wire's forms are the 64-bit ones");
static int call(const struct client_node *node, uint32_t request, void *argument)
{
    return call_wide(node, request, argument);
}
#endif

int client_ioctl(enum client_kind kind, int fd, const struct client_node *node, unsigned long request,
                 void *argument)
{
    int r = -ENOTTY;
    if (kind == CLIENT_DMABUF)
        r = fence_dmabuf_ioctl(request, argument);
    else if (kind == CLIENT_SYNC_FILE)
        r = fence_ioctl(fd, request, argument);
    else if (kind == CLIENT_INPUT) {
        client_lock();
        r = client_input_ioctl(fd, request, argument);
        client_unlock();
    } else if (_IOC_TYPE(request) == DRM_IOCTL_BASE)
        r = call(node, (uint32_t)request, argument);
    if (r >= 0)
        return r;
    errno = -r;
    return -1;
}
