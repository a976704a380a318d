/* Ioctls into messages: the argument, and copies of what its pointers point to. */
#define _GNU_SOURCE
#include "drm/client/client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <linux/dma-buf.h>
#include <linux/sync_file.h>

#include <drm.h>
#include <drm_mode.h>
#include <vc4_drm.h>

#include "drm/lima_abi.h"

enum direction {
    IN = 1,
    OUT = 2,
    BOTH = 3
}; /* BOTH: also arrays that are filled only when they are big enough */

/* A pointer in an argument: where it stands, where its count stands (or, without one, how many), how large an
 * element is. */
static const struct pointer {
    uint32_t request;
    uint16_t at, count_at;
    uint8_t count_bytes; /* 4 or 8; 0: count_at is the count itself */
    uint16_t element;
    uint8_t direction;
    uint8_t driver; /* enum drm_protocol_driver; 0: any */
} pointers[] = {
#define ROW(request, type, pointer, count, element, direction)                                               \
    {request,                                                                                                \
     offsetof(struct type, pointer),                                                                         \
     offsetof(struct type, count),                                                                           \
     sizeof(((struct type *)0)->count),                                                                      \
     element,                                                                                                \
     direction,                                                                                              \
     ROW_DRIVER}
#define ROW_DRIVER DRM_PROTOCOL_VC4
    ROW(DRM_IOCTL_VC4_SUBMIT_CL, drm_vc4_submit_cl, bin_cl, bin_cl_size, 1, IN),
    ROW(DRM_IOCTL_VC4_SUBMIT_CL, drm_vc4_submit_cl, shader_rec, shader_rec_size, 1, IN),
    ROW(DRM_IOCTL_VC4_SUBMIT_CL, drm_vc4_submit_cl, uniforms, uniforms_size, 1, IN),
    ROW(DRM_IOCTL_VC4_SUBMIT_CL, drm_vc4_submit_cl, bo_handles, bo_handle_count, 4, IN),
    ROW(DRM_IOCTL_VC4_CREATE_SHADER_BO, drm_vc4_create_shader_bo, data, size, 1, IN),
    ROW(DRM_IOCTL_VC4_GET_HANG_STATE, drm_vc4_get_hang_state, bo, bo_count,
        sizeof(struct drm_vc4_get_hang_state_bo), BOTH),
    ROW(DRM_IOCTL_VC4_LABEL_BO, drm_vc4_label_bo, name, len, 1, IN),
    {DRM_IOCTL_VC4_PERFMON_GET_VALUES, offsetof(struct drm_vc4_perfmon_get_values, values_ptr),
     DRM_VC4_MAX_PERF_COUNTERS, 0, 8, OUT, DRM_PROTOCOL_VC4},
#undef ROW_DRIVER
#define ROW_DRIVER DRM_PROTOCOL_LIMA
    ROW(LIMA_IOCTL_GEM_SUBMIT, lima_gem_submit, buffers, buffer_count, sizeof(struct lima_submit_buffer), IN),
    ROW(LIMA_IOCTL_GEM_SUBMIT, lima_gem_submit, frame, frame_size, 1, IN),
#undef ROW_DRIVER
#define ROW_DRIVER 0
    ROW(DRM_IOCTL_SYNCOBJ_WAIT, drm_syncobj_wait, handles, count_handles, 4, IN),
    ROW(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, drm_syncobj_timeline_wait, handles, count_handles, 4, IN),
    ROW(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, drm_syncobj_timeline_wait, points, count_handles, 8, IN),
    ROW(DRM_IOCTL_SYNCOBJ_RESET, drm_syncobj_array, handles, count_handles, 4, IN),
    ROW(DRM_IOCTL_SYNCOBJ_SIGNAL, drm_syncobj_array, handles, count_handles, 4, IN),
    ROW(DRM_IOCTL_SYNCOBJ_QUERY, drm_syncobj_timeline_array, handles, count_handles, 4, IN),
    ROW(DRM_IOCTL_SYNCOBJ_QUERY, drm_syncobj_timeline_array, points, count_handles, 8, BOTH),
    ROW(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, drm_syncobj_timeline_array, handles, count_handles, 4, IN),
    ROW(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, drm_syncobj_timeline_array, points, count_handles, 8, IN),
    ROW(DRM_IOCTL_MODE_GETRESOURCES, drm_mode_card_res, fb_id_ptr, count_fbs, 4, BOTH),
    ROW(DRM_IOCTL_MODE_GETRESOURCES, drm_mode_card_res, crtc_id_ptr, count_crtcs, 4, BOTH),
    ROW(DRM_IOCTL_MODE_GETRESOURCES, drm_mode_card_res, connector_id_ptr, count_connectors, 4, BOTH),
    ROW(DRM_IOCTL_MODE_GETRESOURCES, drm_mode_card_res, encoder_id_ptr, count_encoders, 4, BOTH),
    ROW(DRM_IOCTL_MODE_SETCRTC, drm_mode_crtc, set_connectors_ptr, count_connectors, 4, IN),
    ROW(DRM_IOCTL_MODE_GETGAMMA, drm_mode_crtc_lut, red, gamma_size, 2, BOTH),
    ROW(DRM_IOCTL_MODE_GETGAMMA, drm_mode_crtc_lut, green, gamma_size, 2, BOTH),
    ROW(DRM_IOCTL_MODE_GETGAMMA, drm_mode_crtc_lut, blue, gamma_size, 2, BOTH),
    ROW(DRM_IOCTL_MODE_SETGAMMA, drm_mode_crtc_lut, red, gamma_size, 2, IN),
    ROW(DRM_IOCTL_MODE_SETGAMMA, drm_mode_crtc_lut, green, gamma_size, 2, IN),
    ROW(DRM_IOCTL_MODE_SETGAMMA, drm_mode_crtc_lut, blue, gamma_size, 2, IN),
    ROW(DRM_IOCTL_MODE_GETCONNECTOR, drm_mode_get_connector, encoders_ptr, count_encoders, 4, BOTH),
    ROW(DRM_IOCTL_MODE_GETCONNECTOR, drm_mode_get_connector, modes_ptr, count_modes,
        sizeof(struct drm_mode_modeinfo), BOTH),
    ROW(DRM_IOCTL_MODE_GETCONNECTOR, drm_mode_get_connector, props_ptr, count_props, 4, BOTH),
    ROW(DRM_IOCTL_MODE_GETCONNECTOR, drm_mode_get_connector, prop_values_ptr, count_props, 8, BOTH),
    ROW(DRM_IOCTL_MODE_GETPROPERTY, drm_mode_get_property, values_ptr, count_values, 8, BOTH),
    ROW(DRM_IOCTL_MODE_GETPROPERTY, drm_mode_get_property, enum_blob_ptr, count_enum_blobs,
        sizeof(struct drm_mode_property_enum), BOTH),
    ROW(DRM_IOCTL_MODE_GETPROPBLOB, drm_mode_get_blob, data, length, 1, BOTH),
    ROW(DRM_IOCTL_MODE_CREATEPROPBLOB, drm_mode_create_blob, data, length, 1, IN),
    ROW(DRM_IOCTL_MODE_GETPLANERESOURCES, drm_mode_get_plane_res, plane_id_ptr, count_planes, 4, BOTH),
    ROW(DRM_IOCTL_MODE_GETPLANE, drm_mode_get_plane, format_type_ptr, count_format_types, 4, BOTH),
    ROW(DRM_IOCTL_MODE_OBJ_GETPROPERTIES, drm_mode_obj_get_properties, props_ptr, count_props, 4, BOTH),
    ROW(DRM_IOCTL_MODE_OBJ_GETPROPERTIES, drm_mode_obj_get_properties, prop_values_ptr, count_props, 8, BOTH),
    {_IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, 0x00, sizeof(struct drm_wire_version)),
     offsetof(struct drm_wire_version, name), offsetof(struct drm_wire_version, name_length), 8, 1, BOTH, 0},
    {_IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, 0x00, sizeof(struct drm_wire_version)),
     offsetof(struct drm_wire_version, date), offsetof(struct drm_wire_version, date_length), 8, 1, BOTH, 0},
    {_IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, 0x00, sizeof(struct drm_wire_version)),
     offsetof(struct drm_wire_version, description), offsetof(struct drm_wire_version, description_length), 8,
     1, BOTH, 0},
};

#define MAX_POINTED    8
#define FENCE_PATIENCE 10000 /* ms */
#define DATA_BYTES     (DRM_CHANNEL_BYTES - DRM_CHANNEL_DATA)

/* A call being packed. */
struct call {
    struct drm_message message;
    struct drm_reply reply;
    uint8_t *data; /* the channel's data area */
    uint64_t end;  /* bytes of it in use */
    struct {
        void *memory;    /* the program's */
        uint64_t offset; /* in data */
        uint64_t bytes;
        uint16_t at; /* of the pointer in the argument */
        uint8_t direction;
    } pointed[MAX_POINTED];
    unsigned pointed_count;
    int32_t *out_fence; /* of an atomic commit, or NULL */
};

static uint8_t *argument_of(const struct call *c)
{
    return c->data + DRM_CHANNEL_ARGUMENT;
}

static uint64_t word_at(const struct call *c, unsigned at, unsigned bytes)
{
    uint64_t value = 0;
    memcpy(&value, argument_of(c) + at, bytes);
    return value;
}

/* Copies what a pointer points to and puts its offset in the pointer's place. */
static int pack(struct call *c, unsigned at, uint64_t bytes, enum direction direction)
{
    void *memory = (void *)(uintptr_t)word_at(c, at, 8);
    uint64_t offset = memory && bytes ? (c->end + 15) & ~15ull : 0;
    if (offset) {
        if (bytes > DATA_BYTES || offset > DATA_BYTES - bytes || c->pointed_count == MAX_POINTED)
            return -ENOMEM;
        if (direction & IN)
            memcpy(c->data + offset, memory, bytes);
        c->end = offset + bytes;
    }
    unsigned n = c->pointed_count++;
    c->pointed[n].memory = memory;
    c->pointed[n].offset = offset;
    c->pointed[n].bytes = offset ? bytes : 0;
    c->pointed[n].at = (uint16_t)at;
    c->pointed[n].direction = (uint8_t)direction;
    memcpy(argument_of(c) + at, &offset, sizeof offset);
    return 0;
}

/* Jobs end, so a fence of theirs is not waited for in vain; a descriptor that is none is given up. */
static void wait_for_fence(int fd)
{
    struct pollfd fence = {fd, POLLIN, 0};
    while (poll(&fence, 1, FENCE_PATIENCE) < 0 && errno == EINTR)
        ;
}

/* An atomic commit: numbers of objects, of properties of each, properties, values. Fences stay here. */
static int pack_atomic(struct call *c)
{
    struct drm_mode_atomic a;
    memcpy(&a, argument_of(c), sizeof a);
    int r = pack(c, offsetof(struct drm_mode_atomic, objs_ptr), 4ull * a.count_objs, IN);
    if (!r)
        r = pack(c, offsetof(struct drm_mode_atomic, count_props_ptr), 4ull * a.count_objs, IN);
    if (r)
        return r;
    uint64_t total = 0;
    const uint32_t *counts = (const uint32_t *)(c->data + c->pointed[1].offset);
    for (uint32_t i = 0; c->pointed[1].bytes && i < a.count_objs; i++)
        total += counts[i];
    r = pack(c, offsetof(struct drm_mode_atomic, props_ptr), 4 * total, IN);
    if (!r)
        r = pack(c, offsetof(struct drm_mode_atomic, prop_values_ptr), 8 * total, IN);
    if (r || !c->pointed[2].bytes || !c->pointed[3].bytes)
        return r;
    const uint32_t *properties = (const uint32_t *)(c->data + c->pointed[2].offset);
    uint64_t *values = (uint64_t *)(c->data + c->pointed[3].offset);
    for (uint64_t i = 0; i < total; i++) {
        if (properties[i] == DRM_PROP_IN_FENCE_FD && NEXT(fcntl)((int)values[i], F_GETFD) >= 0) {
            if (!(a.flags & DRM_MODE_ATOMIC_TEST_ONLY))
                wait_for_fence((int)values[i]);
            values[i] = UINT64_MAX;
        } else if (properties[i] == DRM_PROP_OUT_FENCE_PTR) {
            if (!(a.flags & DRM_MODE_ATOMIC_TEST_ONLY))
                c->out_fence = (int32_t *)(uintptr_t)values[i];
            values[i] = 0;
        }
    }
    if (c->out_fence) { /* signalled when the commit returns: it is shown then */
        uint32_t flags = a.flags & ~(uint32_t)DRM_MODE_ATOMIC_NONBLOCK;
        memcpy(argument_of(c) + offsetof(struct drm_mode_atomic, flags), &flags, sizeof flags);
    }
    return 0;
}

static int pack_pointers(struct call *c, uint32_t driver, uint32_t request)
{
    if (_IOC_NR(request) == _IOC_NR(DRM_IOCTL_MODE_ATOMIC))
        return pack_atomic(c);
    int r = 0;
    for (unsigned i = 0; !r && i < sizeof pointers / sizeof *pointers; i++) {
        const struct pointer *p = &pointers[i];
        if (_IOC_NR(p->request) != _IOC_NR(request) || _IOC_SIZE(request) < p->at + 8u)
            continue;
        if (p->driver && p->driver != driver)
            continue;
        uint64_t count = p->count_bytes ? word_at(c, p->count_at, p->count_bytes) : p->count_at;
        r = count > DATA_BYTES ? -ENOMEM : pack(c, p->at, count * p->element, p->direction);
    }
    return r;
}

/* Gives back what the server wrote, and the program its own pointers. */
static void unpack(struct call *c)
{
    for (unsigned i = 0; i < c->pointed_count; i++) {
        uint64_t pointer = (uintptr_t)c->pointed[i].memory, bytes = c->pointed[i].bytes;
        memcpy(argument_of(c) + c->pointed[i].at, &pointer, sizeof pointer);
        if (!(c->pointed[i].direction & OUT) || c->reply.written <= c->pointed[i].offset)
            continue;
        uint64_t written = c->reply.written - c->pointed[i].offset;
        memcpy(c->pointed[i].memory, c->data + c->pointed[i].offset, written < bytes ? written : bytes);
    }
}

/* ---- descriptors ---- */

static void take_fd(struct call *c, uint32_t request, int fd)
{
    uint32_t flags = (uint32_t)word_at(c, 4, 4);
    bool prime = _IOC_NR(request) == DRM_NR_PRIME_OUT;
    if (prime && !(flags & O_CLOEXEC))
        NEXT(fcntl)(fd, F_SETFD, 0);
    if (prime)
        client_register(fd, CLIENT_DMABUF);
    else if (flags & DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE)
        client_register(fd, CLIENT_SYNC_FILE);
    memcpy(argument_of(c) + DRM_PROTOCOL_FD_AT, &fd, sizeof fd);
}

static int call_server(struct call *c, uint32_t request)
{
    int give = -1;
    struct client_fds got = {.count = 0};
    if (drm_protocol_takes_fd(request)) {
        give = (int)word_at(c, DRM_PROTOCOL_FD_AT, sizeof give);
        if (NEXT(fcntl)(give, F_GETFD) < 0)
            return -EBADF;
    }
    bool gives = drm_protocol_gives_fd(request);
    int r = wire_call(&c->message, &c->reply, give, gives || give >= 0 ? &got : NULL);
    if (!r && gives && got.count != 1)
        r = -EIO;
    if (!r && gives)
        take_fd(c, request, got.fd[0]);
    return r;
}

/* A descriptor that is always readable: a fence that is signalled. (locked) */
static int new_sync_file(void)
{
    int fd = eventfd(1, EFD_CLOEXEC);
    client_register(fd, CLIENT_SYNC_FILE);
    return fd;
}

/* ---- one ioctl ---- */

static int call_once(const struct client_node *node, uint32_t request, void *argument)
{
    struct call c = {.message = {.type = DRM_MSG_IOCTL, .file = node->file, .request = request},
                     .data = wire_data(),
                     .end = DRM_CHANNEL_POINTED};
    if (!c.data)
        return -EIO;
    uint32_t size = _IOC_SIZE(request);
    if (size > DRM_CHANNEL_POINTED - DRM_CHANNEL_ARGUMENT)
        return -EINVAL;
    memcpy(argument_of(&c), argument, size);
    int r = pack_pointers(&c, node->driver, request);
    if (!r)
        r = call_server(&c, request);
    unpack(&c);
    if (r != -EIO && request & IOC_OUT)
        memcpy(argument, argument_of(&c), size);
    if (!r && c.out_fence)
        *c.out_fence = new_sync_file();
    return r;
}

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
        int r = call_once(node, request, argument);
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

/* ---- what is asked of dma-bufs and sync files ---- */

static int dmabuf_ioctl(unsigned long request, void *argument)
{
    if (_IOC_TYPE(request) != _IOC_TYPE(DMA_BUF_IOCTL_SYNC))
        return -ENOTTY;
#ifdef DMA_BUF_IOCTL_EXPORT_SYNC_FILE
    if (request == DMA_BUF_IOCTL_EXPORT_SYNC_FILE) {
        client_lock();
        ((struct dma_buf_export_sync_file *)argument)->fd = new_sync_file();
        client_unlock();
    }
#endif
    return 0; /* caches are coherent; jobs with exported buffers end inside their submit */
}

static bool is_signalled(int fd)
{
    struct pollfd fence = {fd, POLLIN, 0};
    return poll(&fence, 1, 0) == 1;
}

/* A fence for both: the one that is left when the other is signalled. */
static int merge(int fd, struct sync_merge_data *data)
{
    if (NEXT(fcntl)(data->fd2, F_GETFD) < 0)
        return -ENOENT;
    bool first = is_signalled(fd);
    if (!first && !is_signalled(data->fd2))
        wait_for_fence(data->fd2);
    int merged = NEXT(fcntl)(first ? data->fd2 : fd, F_DUPFD_CLOEXEC, 0);
    if (merged < 0)
        return -errno;
    client_lock();
    client_register(merged, CLIENT_SYNC_FILE);
    client_unlock();
    data->fence = merged;
    return 0;
}

static int sync_file_ioctl(int fd, unsigned long request, void *argument)
{
    if (request == SYNC_IOC_MERGE)
        return merge(fd, argument);
    if (request == SYNC_IOC_FILE_INFO) {
        struct sync_file_info *info = argument;
        memset(info->name, 0, sizeof info->name);
        memcpy(info->name, "vitrail", 8);
        info->status = is_signalled(fd);
        info->num_fences = 0;
        return 0;
    }
    return -ENOTTY;
}

int client_ioctl(enum client_kind kind, int fd, const struct client_node *node, unsigned long request,
                 void *argument)
{
    int r = -ENOTTY;
    if (kind == CLIENT_DMABUF)
        r = dmabuf_ioctl(request, argument);
    else if (kind == CLIENT_SYNC_FILE)
        r = sync_file_ioctl(fd, request, argument);
    else if (_IOC_TYPE(request) == DRM_IOCTL_BASE)
        r = call(node, (uint32_t)request, argument);
    if (r >= 0)
        return r;
    errno = -r;
    return -1;
}
