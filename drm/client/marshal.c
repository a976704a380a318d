/* Ioctls into messages: the argument, and copies of what its pointers point to. */
#include "drm/client/client.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>

#include <drm.h>
#include <drm_mode.h>

/* Of the ioctls that all drivers have. */
static const struct client_pointer pointers[] = {
    CLIENT_ROW(DRM_IOCTL_SYNCOBJ_WAIT, drm_syncobj_wait, handles, count_handles, 4, IN),
    CLIENT_ROW(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, drm_syncobj_timeline_wait, handles, count_handles, 4, IN),
    CLIENT_ROW(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, drm_syncobj_timeline_wait, points, count_handles, 8, IN),
    CLIENT_ROW(DRM_IOCTL_SYNCOBJ_RESET, drm_syncobj_array, handles, count_handles, 4, IN),
    CLIENT_ROW(DRM_IOCTL_SYNCOBJ_SIGNAL, drm_syncobj_array, handles, count_handles, 4, IN),
    CLIENT_ROW(DRM_IOCTL_SYNCOBJ_QUERY, drm_syncobj_timeline_array, handles, count_handles, 4, IN),
    CLIENT_ROW(DRM_IOCTL_SYNCOBJ_QUERY, drm_syncobj_timeline_array, points, count_handles, 8, BOTH),
    CLIENT_ROW(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, drm_syncobj_timeline_array, handles, count_handles, 4, IN),
    CLIENT_ROW(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, drm_syncobj_timeline_array, points, count_handles, 8, IN),
    CLIENT_ROW(DRM_IOCTL_MODE_GETRESOURCES, drm_mode_card_res, fb_id_ptr, count_fbs, 4, BOTH),
    CLIENT_ROW(DRM_IOCTL_MODE_GETRESOURCES, drm_mode_card_res, crtc_id_ptr, count_crtcs, 4, BOTH),
    CLIENT_ROW(DRM_IOCTL_MODE_GETRESOURCES, drm_mode_card_res, connector_id_ptr, count_connectors, 4, BOTH),
    CLIENT_ROW(DRM_IOCTL_MODE_GETRESOURCES, drm_mode_card_res, encoder_id_ptr, count_encoders, 4, BOTH),
    CLIENT_ROW(DRM_IOCTL_MODE_SETCRTC, drm_mode_crtc, set_connectors_ptr, count_connectors, 4, IN),
    CLIENT_ROW(DRM_IOCTL_MODE_GETGAMMA, drm_mode_crtc_lut, red, gamma_size, 2, BOTH),
    CLIENT_ROW(DRM_IOCTL_MODE_GETGAMMA, drm_mode_crtc_lut, green, gamma_size, 2, BOTH),
    CLIENT_ROW(DRM_IOCTL_MODE_GETGAMMA, drm_mode_crtc_lut, blue, gamma_size, 2, BOTH),
    CLIENT_ROW(DRM_IOCTL_MODE_SETGAMMA, drm_mode_crtc_lut, red, gamma_size, 2, IN),
    CLIENT_ROW(DRM_IOCTL_MODE_SETGAMMA, drm_mode_crtc_lut, green, gamma_size, 2, IN),
    CLIENT_ROW(DRM_IOCTL_MODE_SETGAMMA, drm_mode_crtc_lut, blue, gamma_size, 2, IN),
    CLIENT_ROW(DRM_IOCTL_MODE_GETCONNECTOR, drm_mode_get_connector, encoders_ptr, count_encoders, 4, BOTH),
    CLIENT_ROW(DRM_IOCTL_MODE_GETCONNECTOR, drm_mode_get_connector, modes_ptr, count_modes,
               sizeof(struct drm_mode_modeinfo), BOTH),
    CLIENT_ROW(DRM_IOCTL_MODE_GETCONNECTOR, drm_mode_get_connector, props_ptr, count_props, 4, BOTH),
    CLIENT_ROW(DRM_IOCTL_MODE_GETCONNECTOR, drm_mode_get_connector, prop_values_ptr, count_props, 8, BOTH),
    CLIENT_ROW(DRM_IOCTL_MODE_GETPROPERTY, drm_mode_get_property, values_ptr, count_values, 8, BOTH),
    CLIENT_ROW(DRM_IOCTL_MODE_GETPROPERTY, drm_mode_get_property, enum_blob_ptr, count_enum_blobs,
               sizeof(struct drm_mode_property_enum), BOTH),
    CLIENT_ROW(DRM_IOCTL_MODE_GETPROPBLOB, drm_mode_get_blob, data, length, 1, BOTH),
    CLIENT_ROW(DRM_IOCTL_MODE_CREATEPROPBLOB, drm_mode_create_blob, data, length, 1, IN),
    CLIENT_ROW(DRM_IOCTL_MODE_GETPLANERESOURCES, drm_mode_get_plane_res, plane_id_ptr, count_planes, 4, BOTH),
    CLIENT_ROW(DRM_IOCTL_MODE_GETPLANE, drm_mode_get_plane, format_type_ptr, count_format_types, 4, BOTH),
    CLIENT_ROW(DRM_IOCTL_MODE_OBJ_GETPROPERTIES, drm_mode_obj_get_properties, props_ptr, count_props, 4,
               BOTH),
    CLIENT_ROW(DRM_IOCTL_MODE_OBJ_GETPROPERTIES, drm_mode_obj_get_properties, prop_values_ptr, count_props, 8,
               BOTH),
    {_IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, 0x00, sizeof(struct drm_wire_version)),
     offsetof(struct drm_wire_version, name), offsetof(struct drm_wire_version, name_length), 8, 1,
     CLIENT_BOTH},
    {_IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, 0x00, sizeof(struct drm_wire_version)),
     offsetof(struct drm_wire_version, date), offsetof(struct drm_wire_version, date_length), 8, 1,
     CLIENT_BOTH},
    {_IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, 0x00, sizeof(struct drm_wire_version)),
     offsetof(struct drm_wire_version, description), offsetof(struct drm_wire_version, description_length), 8,
     1, CLIENT_BOTH},
    {0},
};

#define MAX_POINTED 8
#define DATA_BYTES  (DRM_CHANNEL_BYTES - DRM_CHANNEL_DATA)

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
static int pack(struct call *c, unsigned at, uint64_t bytes, enum client_direction direction)
{
    void *memory = (void *)(uintptr_t)word_at(c, at, 8);
    uint64_t offset = memory && bytes ? (c->end + 15) & ~15ull : 0;
    if (offset) {
        if (bytes > DATA_BYTES || offset > DATA_BYTES - bytes || c->pointed_count == MAX_POINTED)
            return -ENOMEM;
        if (direction & CLIENT_IN)
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

/* An atomic commit: numbers of objects, of properties of each, properties, values. Fences stay here. */
static int pack_atomic(struct call *c)
{
    struct drm_mode_atomic a;
    memcpy(&a, argument_of(c), sizeof a);
    int r = pack(c, offsetof(struct drm_mode_atomic, objs_ptr), 4ull * a.count_objs, CLIENT_IN);
    if (!r)
        r = pack(c, offsetof(struct drm_mode_atomic, count_props_ptr), 4ull * a.count_objs, CLIENT_IN);
    if (r)
        return r;
    uint64_t total = 0;
    const uint32_t *counts = (const uint32_t *)(c->data + c->pointed[1].offset);
    for (uint32_t i = 0; c->pointed[1].bytes && i < a.count_objs; i++)
        total += counts[i];
    r = pack(c, offsetof(struct drm_mode_atomic, props_ptr), 4 * total, CLIENT_IN);
    if (!r)
        r = pack(c, offsetof(struct drm_mode_atomic, prop_values_ptr), 8 * total, CLIENT_IN);
    if (r || !c->pointed[2].bytes || !c->pointed[3].bytes)
        return r;
    const uint32_t *properties = (const uint32_t *)(c->data + c->pointed[2].offset);
    uint64_t *values = (uint64_t *)(c->data + c->pointed[3].offset);
    for (uint64_t i = 0; i < total; i++) {
        if (properties[i] == DRM_PROP_IN_FENCE_FD && NEXT(fcntl)((int)values[i], F_GETFD) >= 0) {
            if (!(a.flags & DRM_MODE_ATOMIC_TEST_ONLY))
                fence_wait((int)values[i]);
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

static int pack_rows(struct call *c, const struct client_pointer *rows, uint32_t request)
{
    int r = 0;
    for (const struct client_pointer *p = rows; !r && p->request; p++) {
        if (_IOC_NR(p->request) != _IOC_NR(request) || _IOC_SIZE(request) < p->at + 8u)
            continue;
        uint64_t count = p->count_bytes ? word_at(c, p->count_at, p->count_bytes) : p->count_at;
        r = count > DATA_BYTES ? -ENOMEM : pack(c, p->at, count * p->element, p->direction);
    }
    return r;
}

static int pack_pointers(struct call *c, const struct client_driver *driver, uint32_t request)
{
    if (_IOC_NR(request) == _IOC_NR(DRM_IOCTL_MODE_ATOMIC))
        return pack_atomic(c);
    return pack_rows(c, client_is_drivers(request) ? driver->pointers : pointers, request);
}

/* Gives back what the server wrote, and the program its own pointers. */
static void unpack(struct call *c)
{
    for (unsigned i = 0; i < c->pointed_count; i++) {
        uint64_t pointer = (uintptr_t)c->pointed[i].memory, bytes = c->pointed[i].bytes;
        memcpy(argument_of(c) + c->pointed[i].at, &pointer, sizeof pointer);
        if (!(c->pointed[i].direction & CLIENT_OUT) || c->reply.written <= c->pointed[i].offset)
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
    if (!r && gives && got.count != 1) /* there was no room for it */
        r = -EMFILE;
    if (!r && gives)
        take_fd(c, request, got.fd[0]);
    return r;
}

/* ---- one ioctl ---- */

int marshal_call(const struct client_node *node, uint32_t request, void *argument)
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
        *c.out_fence = fence_new();
    return r;
}
