/* Properties and atomic commits. A commit is a copy of the state with properties changed, checked, then made
 * the state in use. */
#include "drm/kms/internal.h"

#include <errno.h>
#include <stdlib.h>

struct choice {
    uint64_t value;
    const char *name;
};
enum { PLANE_OVERLAY, PLANE_PRIMARY, PLANE_CURSOR };
static const struct choice plane_types[] = {
    {PLANE_OVERLAY, "Overlay"}, {PLANE_PRIMARY, "Primary"}, {PLANE_CURSOR, "Cursor"}};
static const struct choice dpms_levels[] = {{0, "On"}, {1, "Standby"}, {2, "Suspend"}, {3, "Off"}};

static const struct property {
    uint32_t id, object, flags;
    const char *name;
    uint64_t low, high; /* of ranges; of objects: the type in `low` */
    const struct choice *choices;
    uint32_t choice_count;
} properties[] = {
#define ATOMIC    DRM_MODE_PROP_ATOMIC
#define RANGE     (DRM_MODE_PROP_RANGE | ATOMIC)
#define SIGNED    (DRM_MODE_PROP_SIGNED_RANGE | ATOMIC)
#define OBJECT    (DRM_MODE_PROP_OBJECT | ATOMIC)
#define CHOICE(c) (c), UTIL_ARRAY_SIZE(c)
    {KMS_PROP_TYPE, KMS_PLANE, DRM_MODE_PROP_ENUM | DRM_MODE_PROP_IMMUTABLE, "type", 0, 0,
     CHOICE(plane_types)},
    {KMS_PROP_FB_ID, KMS_PLANE, OBJECT, "FB_ID", DRM_MODE_OBJECT_FB, 0, NULL, 0},
    {KMS_PROP_IN_FENCE_FD, KMS_PLANE, SIGNED, "IN_FENCE_FD", (uint64_t)-1, INT32_MAX, NULL, 0},
    {KMS_PROP_CRTC_ID, KMS_PLANE, OBJECT, "CRTC_ID", DRM_MODE_OBJECT_CRTC, 0, NULL, 0},
    {KMS_PROP_CRTC_X, KMS_PLANE, SIGNED, "CRTC_X", (uint64_t)INT32_MIN, INT32_MAX, NULL, 0},
    {KMS_PROP_CRTC_Y, KMS_PLANE, SIGNED, "CRTC_Y", (uint64_t)INT32_MIN, INT32_MAX, NULL, 0},
    {KMS_PROP_CRTC_W, KMS_PLANE, RANGE, "CRTC_W", 0, INT32_MAX, NULL, 0},
    {KMS_PROP_CRTC_H, KMS_PLANE, RANGE, "CRTC_H", 0, INT32_MAX, NULL, 0},
    {KMS_PROP_SRC_X, KMS_PLANE, RANGE, "SRC_X", 0, UINT32_MAX, NULL, 0},
    {KMS_PROP_SRC_Y, KMS_PLANE, RANGE, "SRC_Y", 0, UINT32_MAX, NULL, 0},
    {KMS_PROP_SRC_W, KMS_PLANE, RANGE, "SRC_W", 0, UINT32_MAX, NULL, 0},
    {KMS_PROP_SRC_H, KMS_PLANE, RANGE, "SRC_H", 0, UINT32_MAX, NULL, 0},
    {KMS_PROP_IN_FORMATS, KMS_PLANE, DRM_MODE_PROP_BLOB | DRM_MODE_PROP_IMMUTABLE, "IN_FORMATS", 0, 0, NULL,
     0},
    {KMS_PROP_ACTIVE, KMS_CRTC, RANGE, "ACTIVE", 0, 1, NULL, 0},
    {KMS_PROP_MODE_ID, KMS_CRTC, DRM_MODE_PROP_BLOB | ATOMIC, "MODE_ID", 0, 0, NULL, 0},
    {KMS_PROP_OUT_FENCE_PTR, KMS_CRTC, RANGE, "OUT_FENCE_PTR", 0, UINT64_MAX, NULL, 0},
    {KMS_PROP_DPMS, KMS_CONNECTOR, DRM_MODE_PROP_ENUM, "DPMS", 0, 0, CHOICE(dpms_levels)},
    {KMS_PROP_CRTC_ID, KMS_CONNECTOR, OBJECT, "CRTC_ID", DRM_MODE_OBJECT_CRTC, 0, NULL, 0},
};

/* The rows of one plane are those of the other, too. */
static uint32_t rows_of(uint32_t object)
{
    return object == KMS_CURSOR ? KMS_PLANE : object;
}

static struct drm_kms_plane *plane_of(struct drm_kms_state *s, uint32_t object)
{
    return object == KMS_CURSOR ? &s->cursor : &s->primary;
}

/* `object`: 0, or what has it. */
static const struct property *find_property(uint32_t object, uint32_t id)
{
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(properties); i++)
        if (properties[i].id == id && (!object || properties[i].object == rows_of(object)))
            return &properties[i];
    return NULL;
}

static uint64_t value_of(struct drm_kms *kms, const struct property *p, uint32_t object)
{
    const struct drm_kms_state *s = &kms->state;
    const struct drm_kms_plane *plane = plane_of(&kms->state, object);
    switch (p->id) {
    case KMS_PROP_TYPE: return object == KMS_CURSOR ? PLANE_CURSOR : PLANE_PRIMARY;
    case KMS_PROP_FB_ID: return plane->fb ? plane->fb->object.id : 0;
    case KMS_PROP_IN_FENCE_FD: return UINT64_MAX;
    case KMS_PROP_CRTC_ID: return p->object == KMS_PLANE ? plane->crtc : s->connector_crtc;
    case KMS_PROP_SRC_X:
    case KMS_PROP_SRC_Y:
    case KMS_PROP_SRC_W:
    case KMS_PROP_SRC_H: return plane->src[p->id - KMS_PROP_SRC_X];
    case KMS_PROP_CRTC_X:
    case KMS_PROP_CRTC_Y:
    case KMS_PROP_CRTC_W:
    case KMS_PROP_CRTC_H: return (uint64_t)(int64_t)plane->dst[p->id - KMS_PROP_CRTC_X];
    case KMS_PROP_IN_FORMATS: return object == KMS_CURSOR ? KMS_BLOB_CURSOR_FORMATS : KMS_BLOB_IN_FORMATS;
    case KMS_PROP_ACTIVE: return s->active;
    case KMS_PROP_MODE_ID: return s->mode_blob;
    case KMS_PROP_DPMS: return kms->dpms;
    default: return 0;
    }
}

/* ---- asking ---- */

static int get_property(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_mode_get_property *get = argument;
    const struct property *p = find_property(0, get->prop_id);
    if (!p)
        return -ENOENT;
    memset(get->name, 0, sizeof get->name);
    memcpy(get->name, p->name, strlen(p->name));
    get->flags = p->flags;
    uint64_t values[4] = {p->low, p->high};
    uint32_t count = 0;
    if (p->flags & DRM_MODE_PROP_RANGE ||
        (p->flags & DRM_MODE_PROP_EXTENDED_TYPE) == DRM_MODE_PROP_SIGNED_RANGE)
        count = 2;
    else if ((p->flags & DRM_MODE_PROP_EXTENDED_TYPE) == DRM_MODE_PROP_OBJECT)
        count = 1;
    for (uint32_t i = 0; i < p->choice_count; i++)
        values[count++] = p->choices[i].value;
    int r = get->count_values >= count && get->values_ptr
                ? drm_copy_out(user, get->values_ptr, values, count * sizeof values[0])
                : 0;
    get->count_values = count;
    for (uint32_t i = 0; !r && get->count_enum_blobs >= p->choice_count && i < p->choice_count; i++) {
        struct drm_mode_property_enum e = {.value = p->choices[i].value};
        memcpy(e.name, p->choices[i].name, strlen(p->choices[i].name));
        r = drm_copy_out(user, get->enum_blob_ptr + i * sizeof e, &e, sizeof e);
    }
    get->count_enum_blobs = p->choice_count;
    return r;
}

static int get_object_properties(struct drm_file *file, void *argument, const struct drm_user *user)
{
    static const struct {
        uint32_t id, type;
    } objects[] = {{KMS_CRTC, DRM_MODE_OBJECT_CRTC},
                   {KMS_CONNECTOR, DRM_MODE_OBJECT_CONNECTOR},
                   {KMS_PLANE, DRM_MODE_OBJECT_PLANE},
                   {KMS_CURSOR, DRM_MODE_OBJECT_PLANE}};
    struct drm_mode_obj_get_properties *get = argument;
    uint32_t ids[UTIL_ARRAY_SIZE(properties)], count = 0;
    uint64_t values[UTIL_ARRAY_SIZE(properties)];
    bool known = false;
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(objects); i++)
        known |= objects[i].id == get->obj_id &&
                 (get->obj_type == objects[i].type || get->obj_type == DRM_MODE_OBJECT_ANY);
    if (!known)
        return drm_ids_get(&file->drm->kms->objects, get->obj_id) && get->obj_id >= KMS_FIRST_FREE ? -EINVAL
                                                                                                   : -ENOENT;
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(properties); i++) {
        const struct property *p = &properties[i];
        if (p->object != rows_of(get->obj_id) || (p->flags & ATOMIC && !file->atomic))
            continue;
        ids[count] = p->id;
        values[count++] = value_of(file->drm->kms, p, get->obj_id);
    }
    int r = 0;
    if (get->count_props >= count && get->props_ptr && get->prop_values_ptr) {
        r = drm_copy_out(user, get->props_ptr, ids, count * sizeof ids[0]);
        if (!r)
            r = drm_copy_out(user, get->prop_values_ptr, values, count * sizeof values[0]);
    }
    get->count_props = count;
    return r;
}

static int get_plane_resources(struct drm_file *file, void *argument, const struct drm_user *user)
{
    static const uint32_t planes[] = {KMS_PLANE, KMS_CURSOR};
    struct drm_mode_get_plane_res *res = argument;
    return drm_kms_put_ids(user, res->plane_id_ptr, &res->count_planes, planes,
                           file->universal_planes ? UTIL_ARRAY_SIZE(planes) : 0);
}

static int get_plane(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_mode_get_plane *get = argument;
    const struct drm_kms_plane *plane = plane_of(&file->drm->kms->state, get->plane_id);
    if (get->plane_id != KMS_PLANE && get->plane_id != KMS_CURSOR)
        return -ENOENT;
    get->crtc_id = plane->crtc;
    get->fb_id = plane->fb ? plane->fb->object.id : 0;
    get->possible_crtcs = 1;
    get->gamma_size = 0;
    return get->plane_id == KMS_CURSOR ? drm_kms_put_ids(user, get->format_type_ptr, &get->count_format_types,
                                                         drm_kms_cursor_formats, KMS_CURSOR_FORMATS)
                                       : drm_kms_put_ids(user, get->format_type_ptr, &get->count_format_types,
                                                         drm_kms_formats, KMS_FORMATS);
}

/* ---- changing ---- */

struct commit {
    struct drm_file *file;
    const struct drm_user *user;
    struct drm_kms_state state;
    uint64_t in_fence; /* not before this one */
    bool out_fence;    /* wanted: whoever speaks for the program puts its number where that wants it */
    bool touched;
};

/* Modes that a monitor cannot tell apart: their names and types differ at most (drm_mode_equal). */
static bool same_mode(const struct drm_mode_modeinfo *a, const struct drm_mode_modeinfo *b)
{
    return a->clock == b->clock && a->hdisplay == b->hdisplay && a->hsync_start == b->hsync_start &&
           a->hsync_end == b->hsync_end && a->htotal == b->htotal && a->hskew == b->hskew &&
           a->vdisplay == b->vdisplay && a->vsync_start == b->vsync_start && a->vsync_end == b->vsync_end &&
           a->vtotal == b->vtotal && a->vscan == b->vscan && a->flags == b->flags;
}

/* Whether a commit sets a mode is what it changes, not what it names: compositors name the mode in every commit
 * (drm_atomic_helper_check_modeset). */
static bool sets_mode(const struct drm_kms_state *now, const struct drm_kms_state *next)
{
    return now->active != next->active || now->connector_crtc != next->connector_crtc ||
           now->has_mode != next->has_mode || (next->has_mode && !same_mode(&now->mode, &next->mode));
}

static int set_fb(struct commit *c, struct drm_kms_plane *plane, uint64_t value)
{
    plane->fb = value ? drm_kms_fb_get(c->file->drm, (uint32_t)value) : NULL;
    return value && !plane->fb ? -EINVAL : 0;
}

static int set_mode(struct commit *c, uint64_t value)
{
    c->state.has_mode = value;
    c->state.mode_blob = (uint32_t)value;
    if (!value)
        return 0;
    const struct drm_kms_blob *blob = drm_kms_blob_get(c->file->drm, (uint32_t)value);
    if (!blob || blob->size != sizeof c->state.mode)
        return -EINVAL;
    memcpy(&c->state.mode, blob->bytes, sizeof c->state.mode);
    return drm_kms_mode_valid(&c->state.mode) ? 0 : -EINVAL;
}

static int set_link(uint32_t *to, uint64_t value)
{
    if (value && value != KMS_CRTC)
        return -EINVAL;
    *to = (uint32_t)value;
    return 0;
}

/* -1: none; anything else: the one that came along. */
static int set_in_fence(struct commit *c, uint64_t value)
{
    return value == UINT64_MAX ? 0 : drm_fence_of_fd(c->file->drm, c->user->taken, &c->in_fence);
}

static int set_property(struct commit *c, uint32_t object, uint32_t id, uint64_t value)
{
    const struct property *p = find_property(object, id);
    struct drm_kms_state *s = &c->state;
    struct drm_kms_plane *plane = plane_of(s, object);
    if (!p)
        return -ENOENT;
    if (p->flags & DRM_MODE_PROP_IMMUTABLE || !(p->flags & ATOMIC))
        return -EINVAL;
    if (p->flags & DRM_MODE_PROP_RANGE && (value < p->low || value > p->high))
        return -EINVAL;
    if ((p->flags & DRM_MODE_PROP_EXTENDED_TYPE) == DRM_MODE_PROP_SIGNED_RANGE &&
        ((int64_t)value < (int64_t)p->low || (int64_t)value > (int64_t)p->high))
        return -EINVAL;
    c->touched = true;
    switch (id) {
    case KMS_PROP_FB_ID: return set_fb(c, plane, value);
    case KMS_PROP_IN_FENCE_FD: return set_in_fence(c, value);
    case KMS_PROP_CRTC_ID: return set_link(p->object == KMS_PLANE ? &plane->crtc : &s->connector_crtc, value);
    case KMS_PROP_SRC_X:
    case KMS_PROP_SRC_Y:
    case KMS_PROP_SRC_W:
    case KMS_PROP_SRC_H: plane->src[id - KMS_PROP_SRC_X] = (uint32_t)value; return 0;
    case KMS_PROP_CRTC_X:
    case KMS_PROP_CRTC_Y:
    case KMS_PROP_CRTC_W:
    case KMS_PROP_CRTC_H: plane->dst[id - KMS_PROP_CRTC_X] = (int32_t)value; return 0;
    case KMS_PROP_ACTIVE: s->active = value; return 0;
    case KMS_PROP_MODE_ID: return set_mode(c, value);
    case KMS_PROP_OUT_FENCE_PTR: c->out_fence = value != 0; return 0;
    default: return -EINVAL;
    }
}

/* Properties of all objects of a commit, in the order given. */
static int read_properties(struct commit *c, const struct drm_mode_atomic *a, const struct drm_user *user)
{
    void *objects, *counts = NULL, *ids = NULL, *values = NULL;
    uint64_t total = 0;
    int r = drm_copy_array(user, &objects, a->objs_ptr, a->count_objs, sizeof(uint32_t));
    if (!r)
        r = drm_copy_array(user, &counts, a->count_props_ptr, a->count_objs, sizeof(uint32_t));
    for (uint32_t i = 0; !r && i < a->count_objs; i++)
        total += ((uint32_t *)counts)[i];
    if (!r && total > 1u << 16)
        r = -EINVAL;
    if (!r)
        r = drm_copy_array(user, &ids, a->props_ptr, total, sizeof(uint32_t));
    if (!r)
        r = drm_copy_array(user, &values, a->prop_values_ptr, total, sizeof(uint64_t));
    uint32_t at = 0;
    for (uint32_t i = 0; !r && i < a->count_objs; i++) {
        uint32_t object = ((uint32_t *)objects)[i];
        if (object != KMS_PLANE && object != KMS_CURSOR && object != KMS_CRTC && object != KMS_CONNECTOR)
            r = -ENOENT;
        for (uint32_t k = 0; !r && k < ((uint32_t *)counts)[i]; k++, at++)
            r = set_property(c, object, ((uint32_t *)ids)[at], ((uint64_t *)values)[at]);
    }
    free(objects);
    free(counts);
    free(ids);
    free(values);
    return r;
}

/* The fence that says the commit is shown. */
static int give_out_fence(const struct commit *c)
{
    if (!c->user->given)
        return -EINVAL;
    uint64_t fence = UTIL_MAX(c->in_fence, drm_kms_drawn(&c->state));
    int fd = drm_fence_fd(c->file->drm, fence);
    if (fd < 0)
        return fd;
    *c->user->given = fd;
    return 0;
}

static int atomic(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct drm_mode_atomic *a = argument;
    struct drm *drm = file->drm;
    if (!file->atomic || a->flags & ~(uint32_t)DRM_MODE_ATOMIC_FLAGS || a->reserved ||
        a->flags & DRM_MODE_PAGE_FLIP_ASYNC)
        return -EINVAL;
    bool test = a->flags & DRM_MODE_ATOMIC_TEST_ONLY, event = a->flags & DRM_MODE_PAGE_FLIP_EVENT;
    if (test && event)
        return -EINVAL;
    struct commit c = {.file = file, .user = user, .state = drm->kms->state};
    int r = read_properties(&c, a, user);
    if (!r)
        r = drm_kms_check_state(&c.state);
    if (!r && sets_mode(&drm->kms->state, &c.state) && !(a->flags & DRM_MODE_ATOMIC_ALLOW_MODESET))
        r = -EINVAL;
    if (!r && event && (!c.touched || (!c.state.active && !drm->kms->state.active)))
        r = -EINVAL; /* no CRTC that could send it */
    if (r || test)
        return r;
    if (event)
        r = drm_kms_reserve_event(file);
    if (!r && c.out_fence && (r = give_out_fence(&c)) && event)
        drm_kms_cancel_event(file);
    if (r)
        return r;
    const struct drm_kms_flip flip = {c.in_fence, event ? file : NULL, a->user_data};
    drm_kms_commit(drm, &c.state, &flip);
    if (!(a->flags & DRM_MODE_ATOMIC_NONBLOCK))
        drm_kms_flush(drm);
    return 0;
}

static int set_plane(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct drm_mode_set_plane *set = argument;
    struct drm *drm = file->drm;
    struct drm_kms_state next = drm->kms->state;
    struct drm_kms_plane *plane = plane_of(&next, set->plane_id);
    if (set->plane_id != KMS_PLANE && set->plane_id != KMS_CURSOR)
        return -ENOENT;
    plane->fb = NULL;
    plane->crtc = 0;
    if (set->fb_id) {
        plane->fb = drm_kms_fb_get(drm, set->fb_id);
        if (!plane->fb || set->crtc_id != KMS_CRTC)
            return -ENOENT;
        plane->crtc = KMS_CRTC;
        const uint32_t src[4] = {set->src_x, set->src_y, set->src_w, set->src_h};
        const int32_t dst[4] = {set->crtc_x, set->crtc_y, (int32_t)set->crtc_w, (int32_t)set->crtc_h};
        memcpy(plane->src, src, sizeof src);
        memcpy(plane->dst, dst, sizeof dst);
    }
    int r = drm_kms_check_state(&next);
    if (r)
        return r;
    drm_kms_commit(drm, &next, NULL);
    drm_kms_flush(drm);
    return 0;
}

static int set_dpms(struct drm_kms *kms, uint64_t value)
{
    if (value >= UTIL_ARRAY_SIZE(dpms_levels))
        return -EINVAL;
    kms->dpms = (uint32_t)value;
    return 0;
}

static int set_connector_property(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct drm_mode_connector_set_property *set = argument;
    if (set->connector_id != KMS_CONNECTOR)
        return -ENOENT;
    return set->prop_id == KMS_PROP_DPMS ? set_dpms(file->drm->kms, set->value) : -EINVAL;
}

/* One property by itself: an atomic commit of one. */
static int set_object_property(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct drm_mode_obj_set_property *set = argument;
    struct drm_kms *kms = file->drm->kms;
    if (set->obj_id == KMS_CONNECTOR && set->prop_id == KMS_PROP_DPMS)
        return set_dpms(kms, set->value);
    struct commit c = {.file = file, .user = user, .state = kms->state};
    int r = set_property(&c, set->obj_id, set->prop_id, set->value);
    if (!r)
        r = drm_kms_check_state(&c.state);
    if (r)
        return r;
    drm_kms_commit(file->drm, &c.state, &(struct drm_kms_flip){.fence = c.in_fence});
    drm_kms_flush(file->drm);
    return 0;
}

const struct drm_ioctl_row drm_atomic_ioctls[] = {
    {DRM_IOCTL_MODE_GETPROPERTY, 0, get_property},
    {DRM_IOCTL_MODE_SETPROPERTY, DRM_NEED_MASTER, set_connector_property},
    {DRM_IOCTL_MODE_OBJ_GETPROPERTIES, 0, get_object_properties},
    {DRM_IOCTL_MODE_OBJ_SETPROPERTY, DRM_NEED_MASTER | DRM_FLUSH, set_object_property},
    {DRM_IOCTL_MODE_GETPLANERESOURCES, 0, get_plane_resources},
    {DRM_IOCTL_MODE_GETPLANE, 0, get_plane},
    {DRM_IOCTL_MODE_SETPLANE, DRM_NEED_MASTER | DRM_FLUSH, set_plane},
    {DRM_IOCTL_MODE_ATOMIC, DRM_NEED_MASTER | DRM_FLUSH, atomic},
    {0, 0, NULL},
};
