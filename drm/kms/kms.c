/* Mode setting, the older calls: resources, modes, CRTC, page flips, vblanks, dumb buffers. */
#include "drm/kms/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>

enum { MAX_SIDE = 4096, USUAL_RATE = 60 };

/* ---- modes ---- */

/* Reduced-blanking timings (VESA CVT 1.2, section 5). */
static struct drm_mode_modeinfo make_mode(uint32_t width, uint32_t height, uint32_t rate, bool preferred)
{
    struct drm_mode_modeinfo mode = {.hdisplay = (uint16_t)width, .vdisplay = (uint16_t)height};
    uint32_t blank = UTIL_MAX(460 * height / (1000000 / rate - 460) + 1, 19u);
    mode.hsync_start = (uint16_t)(width + 48);
    mode.hsync_end = (uint16_t)(width + 80);
    mode.htotal = (uint16_t)(width + 160);
    mode.vsync_start = (uint16_t)(height + 3);
    mode.vsync_end = (uint16_t)(height + 13);
    mode.vtotal = (uint16_t)(height + blank);
    mode.vrefresh = rate;
    mode.clock = (uint32_t)mode.htotal * mode.vtotal * rate / 1000;
    mode.flags = DRM_MODE_FLAG_PHSYNC | DRM_MODE_FLAG_NVSYNC;
    mode.type = DRM_MODE_TYPE_DRIVER | (preferred ? DRM_MODE_TYPE_PREFERRED : 0);
    snprintf(mode.name, sizeof mode.name, "%ux%u", width, height);
    return mode;
}

bool drm_kms_mode_valid(const struct drm_mode_modeinfo *mode)
{
    return mode->hdisplay && mode->vdisplay && mode->hdisplay <= MAX_SIDE && mode->vdisplay <= MAX_SIDE &&
           mode->hdisplay <= mode->hsync_start && mode->hsync_start <= mode->hsync_end &&
           mode->hsync_end <= mode->htotal && mode->vdisplay <= mode->vsync_start &&
           mode->vsync_start <= mode->vsync_end && mode->vsync_end <= mode->vtotal;
}

int drm_kms_init(struct drm *drm)
{
    static const struct {
        uint32_t width, height;
    } usual[] = {{1920, 1080}, {1280, 720}, {1024, 768}, {800, 600}, {640, 480}};
    static struct drm_kms_object fixed = {.type = KMS_FIXED};
    uint32_t width = drm->options.width ? drm->options.width : DRM_USUAL_WIDTH;
    uint32_t height = drm->options.height ? drm->options.height : DRM_USUAL_HEIGHT;
    uint32_t rate = drm->options.rate ? drm->options.rate : USUAL_RATE;
    if (width > MAX_SIDE || height > MAX_SIDE || rate > DRM_RATE_MAX)
        return -EINVAL;
    struct drm_kms *kms = calloc(1, sizeof *kms);
    if (!kms)
        return -ENOMEM;
    drm->kms = kms;
    drm->display = &drm_kms_display;
    kms->objects.drm = drm;
    kms->mode[kms->mode_count++] = make_mode(width, height, rate, true);
    /* No larger modes beside it: programs that look for the largest (glmark2) then find the preferred one. */
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(usual); i++)
        if ((uint64_t)usual[i].width * usual[i].height < (uint64_t)width * height)
            kms->mode[kms->mode_count++] = make_mode(usual[i].width, usual[i].height, rate, false);
    kms->state.connector_crtc = KMS_CRTC;
    for (uint32_t i = 0; i < 256; i++)
        kms->gamma[0][i] = kms->gamma[1][i] = kms->gamma[2][i] = (uint16_t)(i << 8 | i);
    int r = 0;
    for (uint32_t id = 0; !r && id < KMS_FIRST_FREE - 1;)
        r = drm_ids_add(&kms->objects, &fixed, &id);
    if (!r)
        r = drm_kms_blobs_init(drm);
    if (!r)
        r = drm_kms_clock_begin(drm, drm->options.rate);
    return r ? r : drm_kms_console_init(drm);
}

void drm_kms_finish(struct drm *drm)
{
    struct drm_kms *kms = drm->kms;
    if (!kms)
        return;
    drm_kms_clock_end(drm);
    drm_kms_let_go(drm, &kms->state);
    for (uint32_t i = 1; i < kms->objects.count; i++) {
        struct drm_kms_object *object = kms->objects.slot[i];
        if (object && object->type != KMS_FIXED)
            drm_kms_object_put(drm, object);
    }
    drm_ids_finish(&kms->objects);
    free(kms);
    drm->kms = NULL;
}

uint64_t drm_frames_presented(struct drm *drm)
{
    pthread_mutex_lock(&drm->lock);
    uint64_t frames = drm->kms->frames;
    pthread_mutex_unlock(&drm->lock);
    return frames;
}

/* ---- what there is ---- */

int drm_kms_put_ids(const struct drm_user *user, uint64_t to, uint32_t *room, const uint32_t *ids,
                    uint32_t count)
{
    int r = *room >= count && to ? drm_copy_out(user, to, ids, count * sizeof *ids) : 0;
    *room = count;
    return r;
}

static int get_resources(struct drm_file *file, void *argument, const struct drm_user *user)
{
    static const uint32_t crtc = KMS_CRTC, connector = KMS_CONNECTOR, encoder = KMS_ENCODER;
    struct drm_mode_card_res *res = argument;
    const struct drm_ids *objects = &file->drm->kms->objects;
    uint32_t *fbs = calloc(objects->count, sizeof *fbs), n = 0;
    if (!fbs)
        return -ENOMEM;
    for (uint32_t i = 1; i < objects->count; i++) {
        const struct drm_kms_object *object = objects->slot[i];
        if (object && object->type == KMS_FRAMEBUFFER && object->owner == file)
            fbs[n++] = i;
    }
    int r = drm_kms_put_ids(user, res->fb_id_ptr, &res->count_fbs, fbs, n);
    free(fbs);
    if (!r)
        r = drm_kms_put_ids(user, res->crtc_id_ptr, &res->count_crtcs, &crtc, 1);
    if (!r)
        r = drm_kms_put_ids(user, res->connector_id_ptr, &res->count_connectors, &connector, 1);
    if (!r)
        r = drm_kms_put_ids(user, res->encoder_id_ptr, &res->count_encoders, &encoder, 1);
    res->min_width = res->min_height = 0;
    res->max_width = res->max_height = MAX_SIDE;
    return r;
}

static int get_crtc(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_mode_crtc *crtc = argument;
    const struct drm_kms_state *state = &file->drm->kms->state;
    if (crtc->crtc_id != KMS_CRTC)
        return -ENOENT;
    crtc->fb_id = state->primary.fb ? state->primary.fb->object.id : 0;
    crtc->x = state->primary.src[0] >> 16;
    crtc->y = state->primary.src[1] >> 16;
    crtc->gamma_size = 256;
    crtc->mode_valid = state->active && state->has_mode;
    if (crtc->mode_valid)
        crtc->mode = state->mode;
    return 0;
}

static int get_encoder(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_mode_get_encoder *encoder = argument;
    if (encoder->encoder_id != KMS_ENCODER)
        return -ENOENT;
    encoder->encoder_type = DRM_MODE_ENCODER_TMDS;
    encoder->crtc_id = file->drm->kms->state.connector_crtc;
    encoder->possible_crtcs = 1;
    encoder->possible_clones = 0;
    return 0;
}

static int get_connector(struct drm_file *file, void *argument, const struct drm_user *user)
{
    static const uint32_t encoder = KMS_ENCODER;
    struct drm_mode_get_connector *c = argument;
    const struct drm_kms *kms = file->drm->kms;
    if (c->connector_id != KMS_CONNECTOR)
        return -ENOENT;
    uint32_t ids[2] = {KMS_PROP_DPMS, KMS_PROP_CRTC_ID}, count = file->atomic ? 2 : 1;
    uint64_t values[2] = {kms->dpms, kms->state.connector_crtc};
    int r = 0;
    if (c->count_modes >= kms->mode_count && c->modes_ptr)
        r = drm_copy_out(user, c->modes_ptr, kms->mode, kms->mode_count * sizeof kms->mode[0]);
    if (!r && c->count_props >= count && c->prop_values_ptr)
        r = drm_copy_out(user, c->prop_values_ptr, values, count * sizeof values[0]);
    if (!r)
        r = drm_kms_put_ids(user, c->props_ptr, &c->count_props, ids, count);
    if (!r)
        r = drm_kms_put_ids(user, c->encoders_ptr, &c->count_encoders, &encoder, 1);
    c->count_modes = kms->mode_count;
    c->encoder_id = KMS_ENCODER;
    c->connector_type = DRM_MODE_CONNECTOR_HDMIA;
    c->connector_type_id = 1;
    c->connection = 1; /* connected */
    c->mm_width = 344;
    c->mm_height = 194;
    c->subpixel = 1; /* unknown */
    return r;
}

/* ---- showing ---- */

static int set_crtc(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct drm_mode_crtc *crtc = argument;
    struct drm *drm = file->drm;
    struct drm_kms_state next = drm->kms->state;
    if (crtc->crtc_id != KMS_CRTC)
        return -ENOENT;
    if (!crtc->mode_valid) {
        if (crtc->count_connectors)
            return -EINVAL;
        next.primary.fb = NULL;
        next.active = next.has_mode = false;
        next.primary.crtc = next.connector_crtc = next.mode_blob = 0;
        drm_kms_commit(drm, &next, NULL);
        return 0;
    }
    uint32_t connector = 0;
    if (crtc->count_connectors != 1)
        return -EINVAL;
    int r = drm_copy_in(user, &connector, crtc->set_connectors_ptr, sizeof connector);
    if (r)
        return r;
    if (connector != KMS_CONNECTOR)
        return -ENOENT;
    if (!drm_kms_mode_valid(&crtc->mode) || crtc->x > MAX_SIDE || crtc->y > MAX_SIDE)
        return -EINVAL;
    if (crtc->fb_id != UINT32_MAX) /* -1 keeps the one that is shown */
        next.primary.fb = drm_kms_fb_get(drm, crtc->fb_id);
    if (!next.primary.fb)
        return -ENOENT;
    next.active = next.has_mode = true;
    next.mode = crtc->mode;
    next.mode_blob = 0;
    next.primary.crtc = next.connector_crtc = KMS_CRTC;
    drm_kms_set_rectangles(&next, crtc->x, crtc->y);
    r = drm_kms_check_state(&next);
    if (r)
        return r;
    drm_kms_commit(drm, &next, NULL);
    drm_kms_flush(drm);
    return 0;
}

static int page_flip(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct drm_mode_crtc_page_flip *flip = argument;
    struct drm *drm = file->drm;
    struct drm_kms_state next = drm->kms->state;
    /* An asynchronous flip is no other: nothing is torn. There are no targeted flips. */
    if (flip->flags & ~(uint32_t)(DRM_MODE_PAGE_FLIP_EVENT | DRM_MODE_PAGE_FLIP_ASYNC) || flip->reserved)
        return -EINVAL;
    if (flip->crtc_id != KMS_CRTC)
        return -ENOENT;
    if (!next.primary.fb)
        return -EBUSY;
    struct drm_kms_fb *fb = drm_kms_fb_get(drm, flip->fb_id);
    if (!fb)
        return -ENOENT;
    if (fb->format != next.primary.fb->format)
        return -EINVAL;
    next.primary.fb = fb;
    int r = drm_kms_check_state(&next);
    bool event = flip->flags & DRM_MODE_PAGE_FLIP_EVENT;
    if (!r && event)
        r = drm_kms_reserve_event(file);
    if (!r)
        drm_kms_commit(drm, &next, &(struct drm_kms_flip){0, event ? file : NULL, flip->user_data});
    return r;
}

static int dirty_fb(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct drm_mode_fb_dirty_cmd *dirty = argument;
    struct drm_kms_fb *fb = drm_kms_fb_get(file->drm, dirty->fb_id);
    if (!fb)
        return -ENOENT;
    drm_fence_wait(file->drm, fb->bo->write_seqno);
    drm_kms_flush(file->drm);
    fb = drm_kms_fb_get(file->drm, dirty->fb_id);
    if (fb && fb == file->drm->kms->state.primary.fb)
        drm_kms_present(file->drm);
    return 0;
}

static int gamma_table(struct drm_file *file, const struct drm_mode_crtc_lut *lut,
                       const struct drm_user *user, bool set)
{
    struct drm_kms *kms = file->drm->kms;
    const uint64_t at[3] = {lut->red, lut->green, lut->blue};
    if (lut->crtc_id != KMS_CRTC)
        return -ENOENT;
    if (lut->gamma_size != 256)
        return -EINVAL;
    int r = 0;
    for (unsigned i = 0; !r && i < 3; i++)
        r = set ? drm_copy_in(user, kms->gamma[i], at[i], sizeof kms->gamma[i])
                : drm_copy_out(user, at[i], kms->gamma[i], sizeof kms->gamma[i]);
    return r;
}

static int get_gamma(struct drm_file *file, void *argument, const struct drm_user *user)
{
    return gamma_table(file, argument, user, false);
}

static int set_gamma(struct drm_file *file, void *argument, const struct drm_user *user)
{
    return gamma_table(file, argument, user, true);
}

/* ---- vblanks: without a clock, waiting for one makes it happen ---- */

enum { FAR = 1 << 23 }; /* what is farther ahead is past (drm_vblank_passed) */

/* `distance` vblanks from *now on, all of which is said to have happened where there is no clock. */
static struct drm_kms_vblank reach(struct drm_kms *kms, const struct drm_kms_vblank *now, uint64_t distance)
{
    if (!kms->clock.rate)
        kms->sequence += distance;
    return (struct drm_kms_vblank){now->sequence + distance, now->ns};
}

/* An event at a vblank, for which there is a place. */
static int tell_at(struct drm_file *file, const struct drm_kms_vblank *at, bool later, bool of_crtc,
                   uint64_t user_data)
{
    if (later)
        return drm_kms_wish_vblank(file, at->sequence, of_crtc, user_data);
    drm_kms_tell_vblank(file, at, of_crtc, user_data);
    return 0;
}

static int wait_vblank(struct drm_file *file, void *argument, const struct drm_user *user)
{
    union drm_wait_vblank *w = argument;
    struct drm_kms *kms = file->drm->kms;
    uint32_t type = w->request.type, wanted = w->request.sequence;
    if (type & (_DRM_VBLANK_SECONDARY | _DRM_VBLANK_SIGNAL | _DRM_VBLANK_HIGH_CRTC_MASK))
        return -EINVAL;
    struct drm_kms_vblank at = drm_kms_last_vblank(kms);
    uint32_t distance = type & _DRM_VBLANK_RELATIVE ? wanted : wanted - (uint32_t)at.sequence;
    if (distance >= FAR)
        distance = 0;
    at = reach(kms, &at, distance);
    bool later = kms->clock.rate && distance;
    int r = 0;
    if (type & _DRM_VBLANK_EVENT) {
        r = drm_kms_reserve_event(file);
        if (!r && (r = tell_at(file, &at, later, false, w->request.signal)))
            drm_kms_cancel_event(file);
    } else if (later) {
        r = drm_kms_await_vblank(file->drm, at.sequence);
        at = drm_kms_last_vblank(kms);
    }
    w->reply.type = type;
    w->reply.sequence = (uint32_t)at.sequence;
    w->reply.tval_sec = (long)(at.ns / 1000000000);
    w->reply.tval_usec = (long)(at.ns % 1000000000 / 1000);
    return r;
}

static int get_sequence(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_crtc_get_sequence *get = argument;
    if (get->crtc_id != KMS_CRTC)
        return -ENOENT;
    const struct drm_kms_vblank now = drm_kms_last_vblank(file->drm->kms);
    get->active = file->drm->kms->state.active;
    get->sequence = now.sequence;
    get->sequence_ns = (int64_t)now.ns;
    return 0;
}

static int queue_sequence(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_crtc_queue_sequence *queue = argument;
    struct drm_kms *kms = file->drm->kms;
    if (queue->crtc_id != KMS_CRTC)
        return -ENOENT;
    if (queue->flags & ~(uint32_t)(DRM_CRTC_SEQUENCE_RELATIVE | DRM_CRTC_SEQUENCE_NEXT_ON_MISS))
        return -EINVAL;
    struct drm_kms_vblank at = drm_kms_last_vblank(kms);
    uint64_t distance = queue->flags & DRM_CRTC_SEQUENCE_RELATIVE ? queue->sequence
                        : queue->sequence > at.sequence           ? queue->sequence - at.sequence
                                                                  : 0;
    if (distance >= FAR)
        distance = 0;
    int r = drm_kms_reserve_event(file);
    if (r)
        return r;
    at = reach(kms, &at, distance);
    queue->sequence = at.sequence;
    r = tell_at(file, &at, kms->clock.rate && distance, true, queue->user_data);
    if (r)
        drm_kms_cancel_event(file);
    return r;
}

/* ---- dumb buffers ---- */

static int create_dumb(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_mode_create_dumb *dumb = argument;
    if (!dumb->width || !dumb->height || !dumb->bpp || dumb->flags || dumb->bpp > 64 || dumb->width > 16384 ||
        dumb->height > 16384)
        return -EINVAL;
    uint64_t pitch = util_align((uint64_t)dumb->width * util_div_up(dumb->bpp, 8), 64);
    int r = drm_handle_create(file, pitch * dumb->height, DRM_BO_DUMB, &dumb->handle);
    if (r)
        return r;
    dumb->pitch = (uint32_t)pitch;
    dumb->size = drm_handle_get(file, dumb->handle)->size;
    return 0;
}

static int map_dumb(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_mode_map_dumb *map = argument;
    const struct drm_bo *bo = drm_handle_get(file, map->handle);
    if (!bo)
        return -ENOENT;
    if (bo->kind == DRM_BO_SHADER)
        return -EINVAL;
    map->offset = bo->offset;
    return 0;
}

static int destroy_dumb(struct drm_file *file, void *argument, const struct drm_user *user)
{
    return drm_handle_close(file, ((struct drm_mode_destroy_dumb *)argument)->handle);
}

static int no_leases(struct drm_file *file, void *argument, const struct drm_user *user)
{
    return -EOPNOTSUPP;
}

const struct drm_ioctl_row drm_kms_ioctls[] = {
    {DRM_IOCTL_MODE_GETRESOURCES, 0, get_resources},
    {DRM_IOCTL_MODE_GETCRTC, 0, get_crtc},
    {DRM_IOCTL_MODE_SETCRTC, DRM_NEED_MASTER | DRM_FLUSH, set_crtc},
    {DRM_IOCTL_MODE_GETENCODER, 0, get_encoder},
    {DRM_IOCTL_MODE_GETCONNECTOR, 0, get_connector},
    {DRM_IOCTL_MODE_PAGE_FLIP, DRM_NEED_MASTER | DRM_FLUSH, page_flip},
    {DRM_IOCTL_MODE_DIRTYFB, DRM_NEED_MASTER, dirty_fb},
    {DRM_IOCTL_MODE_CURSOR, DRM_NEED_MASTER, drm_kms_cursor},
    {DRM_IOCTL_MODE_CURSOR2, DRM_NEED_MASTER, drm_kms_cursor},
    {DRM_IOCTL_MODE_GETGAMMA, 0, get_gamma},
    {DRM_IOCTL_MODE_SETGAMMA, DRM_NEED_MASTER, set_gamma},
    {DRM_IOCTL_WAIT_VBLANK, 0, wait_vblank},
    {DRM_IOCTL_CRTC_GET_SEQUENCE, 0, get_sequence},
    {DRM_IOCTL_CRTC_QUEUE_SEQUENCE, 0, queue_sequence},
    {DRM_IOCTL_MODE_CREATE_DUMB, 0, create_dumb},
    {DRM_IOCTL_MODE_MAP_DUMB, 0, map_dumb},
    {DRM_IOCTL_MODE_DESTROY_DUMB, 0, destroy_dumb},
    {DRM_IOCTL_MODE_CREATE_LEASE, DRM_NEED_MASTER, no_leases},
    {DRM_IOCTL_MODE_LIST_LESSEES, DRM_NEED_MASTER, no_leases},
    {DRM_IOCTL_MODE_GET_LEASE, DRM_NEED_MASTER, no_leases},
    {DRM_IOCTL_MODE_REVOKE_LEASE, DRM_NEED_MASTER, no_leases},
    {0, 0, NULL},
};
