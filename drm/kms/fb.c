/* Framebuffers and blobs as files make, own and leave them. */
#include "drm/kms/internal.h"

#include <errno.h>
#include <stdlib.h>

/* The picture of a framebuffer that is removed disappears (drm_framebuffer.c of the kernel). */
static void remove_fb(struct drm *drm, struct drm_kms_fb *fb)
{
    fb->object.owner = NULL;
    struct drm_kms_plane *planes[] = {&drm->kms->state.primary, &drm->kms->state.cursor};
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(planes); i++)
        if (planes[i]->fb == fb) {
            planes[i]->fb = NULL;
            planes[i]->crtc = 0;
            fb->object.refs--; /* the state's; the owner's is left */
        }
    drm_kms_object_put(drm, &fb->object);
}

void drm_kms_close_file(struct drm_file *file)
{
    struct drm *drm = file->drm;
    drm_kms_flush(drm); /* an event may be on its way to the file */
    drm_kms_clock_forget(drm->kms, file);
    for (uint32_t i = 1; i < drm->kms->objects.count; i++) {
        struct drm_kms_object *object = drm->kms->objects.slot[i];
        if (!object || object->owner != file)
            continue;
        if (object->type == KMS_FRAMEBUFFER) {
            remove_fb(drm, (struct drm_kms_fb *)object);
        } else {
            object->owner = NULL;
            drm_kms_object_put(drm, object);
        }
    }
    bool last = file->minor == DRM_MINOR_CARD;
    for (const struct drm_file *other = drm->files; other; other = other->next)
        last &= other == file || other->minor != DRM_MINOR_CARD;
    if (last && drm->kms->state.primary.fb != drm->kms->console)
        drm_kms_console_show(drm);
}

/* ---- framebuffers ---- */

int drm_kms_fb_create(struct drm_file *file, const struct drm_kms_fb *wanted, uint32_t handle,
                      uint64_t modifier, struct drm_file *owner, struct drm_kms_fb **out)
{
    uint32_t bytes = drm_kms_format_bytes(wanted->format);
    if (!bytes || !wanted->width || !wanted->height || wanted->width > 4096 || wanted->height > 4096)
        return -EINVAL;
    const struct drm_driver_layout *layout = drm_kms_layout_find(file->drm, modifier);
    if (!layout)
        return -EINVAL;
    struct drm_bo *bo = drm_handle_get(file, handle);
    if (!bo)
        return -ENOENT;
    uint64_t rows = util_align(wanted->height, layout->rows);
    if (bo->kind == DRM_BO_SHADER || bo->kind == DRM_BO_HEAP || wanted->pitch < wanted->width * bytes ||
        wanted->pitch % layout->pitch_unit || wanted->offset % layout->align ||
        !util_in_range(wanted->offset, wanted->pitch * rows, bo->size))
        return -EINVAL;
    struct drm_kms_fb *fb = malloc(sizeof *fb);
    if (!fb)
        return -ENOMEM;
    *fb = *wanted;
    fb->layout = layout;
    int r = drm_kms_fb_number(file->drm, fb);
    if (r) {
        free(fb);
        return r;
    }
    fb->object.type = KMS_FRAMEBUFFER;
    fb->object.refs = 1;
    fb->object.owner = owner;
    fb->bo = bo;
    bo->users++;
    drm_bo_get(bo);
    *out = fb;
    return 0;
}

static int add_fb(struct drm_file *file, const struct drm_kms_fb *wanted, uint32_t handle, uint64_t modifier,
                  uint32_t *id)
{
    struct drm_kms_fb *fb;
    int r = drm_kms_fb_create(file, wanted, handle, modifier, file, &fb);
    if (!r)
        *id = fb->object.id;
    return r;
}

static uint64_t default_modifier(struct drm_file *file, uint32_t handle)
{
    const struct drm_bo *bo = drm_handle_get(file, handle);
    return bo ? bo->modifier : DRM_FORMAT_MOD_LINEAR;
}

static int addfb(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_mode_fb_cmd *cmd = argument;
    struct drm_kms_fb fb = {.width = cmd->width, .height = cmd->height, .pitch = cmd->pitch};
    switch (cmd->bpp << 8 | cmd->depth) {
    case 32 << 8 | 24: fb.format = DRM_FORMAT_XRGB8888; break;
    case 32 << 8 | 32: fb.format = DRM_FORMAT_ARGB8888; break;
    case 16 << 8 | 16: fb.format = DRM_FORMAT_RGB565; break;
    default: return -EINVAL;
    }
    return add_fb(file, &fb, cmd->handle, default_modifier(file, cmd->handle), &cmd->fb_id);
}

static int addfb2(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_mode_fb_cmd2 *cmd = argument;
    if (cmd->flags & ~(uint32_t)DRM_MODE_FB_MODIFIERS)
        return -EINVAL;
    for (unsigned i = 1; i < 4; i++) /* formats of one plane */
        if (cmd->handles[i] || cmd->pitches[i] || cmd->offsets[i] || cmd->modifier[i])
            return -EINVAL;
    bool explicit = cmd->flags & DRM_MODE_FB_MODIFIERS;
    if (!explicit && cmd->modifier[0])
        return -EINVAL;
    const struct drm_kms_fb fb = {.width = cmd->width,
                                  .height = cmd->height,
                                  .pitch = cmd->pitches[0],
                                  .offset = cmd->offsets[0],
                                  .format = cmd->pixel_format};
    uint64_t modifier = explicit ? cmd->modifier[0] : default_modifier(file, cmd->handles[0]);
    return add_fb(file, &fb, cmd->handles[0], modifier, &cmd->fb_id);
}

static int rmfb(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_kms_fb *fb = drm_kms_fb_get(file->drm, *(uint32_t *)argument);
    if (!fb || fb->object.owner != file)
        return -ENOENT;
    remove_fb(file->drm, fb);
    return 0;
}

/* Only the master may have a handle to what others show. */
static int handle_of(struct drm_file *file, const struct drm_kms_fb *fb, uint32_t *handle)
{
    *handle = 0;
    if (file->drm->master != file)
        return 0;
    *handle = drm_ids_find(&file->handles, fb->bo);
    return *handle ? 0 : drm_handle_add(file, fb->bo, handle);
}

static int getfb(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_mode_fb_cmd *cmd = argument;
    const struct drm_kms_fb *fb = drm_kms_fb_get(file->drm, cmd->fb_id);
    if (!fb)
        return -ENOENT;
    cmd->width = fb->width;
    cmd->height = fb->height;
    cmd->pitch = fb->pitch;
    cmd->bpp = drm_kms_format_bytes(fb->format) * 8;
    cmd->depth = fb->format == DRM_FORMAT_RGB565 ? 16 : fb->format == DRM_FORMAT_XRGB8888 ? 24 : 32;
    return handle_of(file, fb, &cmd->handle);
}

static int getfb2(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_mode_fb_cmd2 *cmd = argument;
    const struct drm_kms_fb *fb = drm_kms_fb_get(file->drm, cmd->fb_id);
    if (!fb)
        return -ENOENT;
    cmd->width = fb->width;
    cmd->height = fb->height;
    cmd->pixel_format = fb->format;
    cmd->flags = DRM_MODE_FB_MODIFIERS;
    cmd->pitches[0] = fb->pitch;
    cmd->offsets[0] = fb->offset;
    cmd->modifier[0] = fb->layout->modifier;
    return handle_of(file, fb, &cmd->handles[0]);
}

/* ---- blobs ---- */

/* Every format in every layout; the blob gets the number `id`. */
static int make_formats(struct drm *drm, const uint32_t *formats, uint32_t format_count, uint32_t id)
{
    const struct drm_driver *driver = drm->driver;
    const uint32_t count = UTIL_MIN(driver->layout_count, DRM_DRIVER_LAYOUTS);
    struct {
        struct drm_format_modifier_blob head;
        uint32_t formats[KMS_FORMATS + 1]; /* an even number of them */
        struct drm_format_modifier modifiers[DRM_DRIVER_LAYOUTS];
    } blob = {
        .head = {.version = FORMAT_BLOB_CURRENT, .count_formats = format_count, .count_modifiers = count}};
    blob.head.formats_offset = (uint32_t)((uint8_t *)blob.formats - (uint8_t *)&blob);
    blob.head.modifiers_offset = (uint32_t)((uint8_t *)blob.modifiers - (uint8_t *)&blob);
    memcpy(blob.formats, formats, format_count * sizeof *formats);
    for (unsigned i = 0; i < count; i++)
        blob.modifiers[i] = (struct drm_format_modifier){.formats = (1u << format_count) - 1,
                                                         .modifier = driver->layouts[i].modifier};
    drm_ids_remove(&drm->kms->objects, id); /* the lowest free number from now on */
    return drm_kms_blob_create(
        drm, NULL, &blob, (uint32_t)(sizeof blob - (DRM_DRIVER_LAYOUTS - count) * sizeof blob.modifiers[0]),
        &id);
}

int drm_kms_blobs_init(struct drm *drm)
{
    int r = make_formats(drm, drm_kms_formats, KMS_FORMATS, KMS_BLOB_IN_FORMATS);
    return r ? r : make_formats(drm, drm_kms_cursor_formats, KMS_CURSOR_FORMATS, KMS_BLOB_CURSOR_FORMATS);
}

static int create_blob(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_mode_create_blob *create = argument;
    void *bytes;
    if (!create->length || create->length > 1u << 20)
        return -EINVAL;
    int r = drm_copy_array(user, &bytes, create->data, create->length, 1);
    if (r)
        return r;
    r = drm_kms_blob_create(file->drm, file, bytes, create->length, &create->blob_id);
    free(bytes);
    return r;
}

static int destroy_blob(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_kms_blob *blob =
        drm_kms_blob_get(file->drm, ((struct drm_mode_destroy_blob *)argument)->blob_id);
    if (!blob)
        return -ENOENT;
    if (blob->object.owner != file)
        return -EPERM;
    blob->object.owner = NULL;
    drm_kms_object_put(file->drm, &blob->object);
    return 0;
}

static int get_blob(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_mode_get_blob *get = argument;
    const struct drm_kms_blob *blob = drm_kms_blob_get(file->drm, get->blob_id);
    if (!blob)
        return -ENOENT;
    int r = get->length == blob->size ? drm_copy_out(user, get->data, blob->bytes, blob->size) : 0;
    get->length = blob->size;
    return r;
}

const struct drm_ioctl_row drm_fb_ioctls[] = {
    {DRM_IOCTL_MODE_ADDFB, 0, addfb},
    {DRM_IOCTL_MODE_ADDFB2, 0, addfb2},
    {DRM_IOCTL_MODE_RMFB, DRM_FLUSH, rmfb},
    {DRM_IOCTL_MODE_GETFB, 0, getfb},
    {DRM_IOCTL_MODE_GETFB2, 0, getfb2},
    {DRM_IOCTL_MODE_CREATEPROPBLOB, 0, create_blob},
    {DRM_IOCTL_MODE_DESTROYPROPBLOB, 0, destroy_blob},
    {DRM_IOCTL_MODE_GETPROPBLOB, 0, get_blob},
    {0, 0, NULL},
};
