/* Ioctls as the program means them: those that wait ask again, those with longs are widened. */
#include "drm/client/client.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include <drm.h>
#include <vc4_drm.h>

#include "drm/lima_abi.h"

/* ---- waits: the server does not block, we ask again when a job was done ---- */

#define GLANCE 200000 /* ns: sync objects are signalled by other calls too, which turn no page */

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#define VC4_CALL(request)  (_IOC_NR(request) | DRM_PROTOCOL_VC4 << 8)
#define LIMA_CALL(request) (_IOC_NR(request) | DRM_PROTOCOL_LIMA << 8)

static bool is_drivers(uint32_t request)
{
    return _IOC_NR(request) >= DRM_COMMAND_BASE && _IOC_NR(request) < DRM_COMMAND_END;
}

/* What a driver calls it that the time is over; `looked`: there was some. */
static int time_over(uint32_t driver, uint32_t request, bool looked)
{
    if (driver != DRM_PROTOCOL_LIMA || !is_drivers(request))
        return -ETIME;
    return looked ? -ETIMEDOUT : -EBUSY;
}

/* Whether a request waits, until when, and how long to sleep between two questions. */
static bool is_wait(uint32_t driver, uint32_t request, const void *argument, uint64_t *until, uint64_t *sleep)
{
    uint64_t timeout;
    unsigned at;
    bool relative = false;
    *sleep = GLANCE;
    switch (_IOC_NR(request) | (is_drivers(request) ? driver << 8 : 0)) {
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_WAIT): at = offsetof(struct drm_syncobj_wait, timeout_nsec); break;
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT):
        at = offsetof(struct drm_syncobj_timeline_wait, timeout_nsec);
        break;
    case VC4_CALL(DRM_IOCTL_VC4_WAIT_SEQNO):
        at = offsetof(struct drm_vc4_wait_seqno, timeout_ns);
        relative = true;
        break;
    case VC4_CALL(DRM_IOCTL_VC4_WAIT_BO):
        at = offsetof(struct drm_vc4_wait_bo, timeout_ns);
        relative = true;
        break;
    case LIMA_CALL(LIMA_IOCTL_GEM_WAIT):
        at = offsetof(struct lima_gem_wait, timeout);
        *sleep = UINT64_MAX;
        break;
    default: return false;
    }
    if (_IOC_SIZE(request) < at + sizeof timeout)
        return false;
    memcpy(&timeout, (const char *)argument + at, sizeof timeout);
    if (!relative) {
        *until = (int64_t)timeout < 0 ? 0 : timeout;
        return true;
    }
    *sleep = UINT64_MAX;
    uint64_t now = timeout ? now_ns() : 0;
    *until = timeout > UINT64_MAX - now ? UINT64_MAX : now + timeout;
    return true;
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
    uint64_t until = 0, sleep = 0, fence = 0;
    bool waits = is_wait(node->driver, request, argument, &until, &sleep), looked = false;
    if (waits && node->driver == DRM_PROTOCOL_VC4 && request == DRM_IOCTL_VC4_WAIT_SEQNO) {
        memcpy(&fence, (const char *)argument + offsetof(struct drm_vc4_wait_seqno, seqno), sizeof fence);
        return wait_for_job(fence, until);
    }
    for (;;) {
        uint32_t turn = wire_fence_turn();
        client_lock();
        int r = marshal_call(node, request, argument);
        client_unlock();
        if (r != -ETIME || !waits)
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
    else if (_IOC_TYPE(request) == DRM_IOCTL_BASE)
        r = call(node, (uint32_t)request, argument);
    if (r >= 0)
        return r;
    errno = -r;
    return -1;
}
