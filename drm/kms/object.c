/* Numbered objects of the display: framebuffers and blobs. */
#include "drm/kms/internal.h"

#include <errno.h>
#include <stdlib.h>

const uint32_t drm_kms_formats[KMS_FORMATS] = {DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888, DRM_FORMAT_XBGR8888,
                                               DRM_FORMAT_ABGR8888, DRM_FORMAT_RGB565};

const uint32_t drm_kms_cursor_formats[KMS_CURSOR_FORMATS] = {DRM_FORMAT_ARGB8888, DRM_FORMAT_ABGR8888};

uint32_t drm_kms_format_bytes(uint32_t format)
{
    for (uint32_t i = 0; i < KMS_FORMATS; i++)
        if (drm_kms_formats[i] == format)
            return format == DRM_FORMAT_RGB565 ? 2 : 4;
    return 0;
}

static struct drm_kms_object *object_get(struct drm *drm, uint32_t id, int type)
{
    struct drm_kms_object *object = drm_ids_get(&drm->kms->objects, id);
    return object && (int)object->type == type ? object : NULL;
}

struct drm_kms_fb *drm_kms_fb_get(struct drm *drm, uint32_t id)
{
    return (struct drm_kms_fb *)object_get(drm, id, KMS_FRAMEBUFFER);
}

struct drm_kms_blob *drm_kms_blob_get(struct drm *drm, uint32_t id)
{
    return (struct drm_kms_blob *)object_get(drm, id, KMS_BLOB);
}

void drm_kms_object_put(struct drm *drm, struct drm_kms_object *object)
{
    if (!object || --object->refs)
        return;
    drm_ids_remove(&drm->kms->objects, object->id);
    if (object->type == KMS_FRAMEBUFFER) {
        struct drm_bo *bo = ((struct drm_kms_fb *)object)->bo;
        bo->users--;
        drm_bo_put(bo);
        drm_uncharge(drm, DRM_FRAMEBUFFERS, 1);
    } else {
        drm_uncharge(drm, DRM_BLOBS, 1);
        drm_uncharge(drm, DRM_BLOB_BYTES, ((struct drm_kms_blob *)object)->size);
    }
    free(object);
}

void drm_kms_count_shown(struct drm *drm, const struct drm_file *file)
{
    const struct drm_ids *objects = &drm->kms->objects;
    for (uint32_t i = 1; i < objects->count; i++) {
        const struct drm_kms_object *object = objects->slot[i];
        if (object && object->type == KMS_FRAMEBUFFER && object->owner != file)
            ((const struct drm_kms_fb *)object)->bo->counted = UINT32_MAX;
    }
}

const struct drm_driver_layout *drm_kms_layout_find(const struct drm *drm, uint64_t modifier)
{
    for (uint32_t i = 0; i < drm->driver->layout_count; i++)
        if (drm->driver->layouts[i].modifier == modifier)
            return &drm->driver->layouts[i];
    return NULL;
}

int drm_kms_fb_number(struct drm *drm, struct drm_kms_fb *fb)
{
    int r = drm_charge(drm, DRM_FRAMEBUFFERS, 1);
    if (!r && (r = drm_ids_add(&drm->kms->objects, fb, &fb->object.id)))
        drm_uncharge(drm, DRM_FRAMEBUFFERS, 1);
    return r;
}

int drm_kms_blob_create(struct drm *drm, struct drm_file *owner, const void *bytes, uint32_t size,
                        uint32_t *id)
{
    int r = drm_charge(drm, DRM_BLOBS, 1);
    if (r)
        return r;
    r = drm_charge(drm, DRM_BLOB_BYTES, size);
    struct drm_kms_blob *blob = r ? NULL : malloc(sizeof *blob + size);
    if (!blob) {
        drm_uncharge(drm, DRM_BLOBS, 1);
        if (!r)
            drm_uncharge(drm, DRM_BLOB_BYTES, size);
        return -ENOMEM;
    }
    blob->object = (struct drm_kms_object){.type = KMS_BLOB, .refs = 1, .owner = owner};
    blob->size = size;
    memcpy(blob->bytes, bytes, size);
    r = drm_ids_add(&drm->kms->objects, blob, &blob->object.id);
    if (r) {
        drm_uncharge(drm, DRM_BLOBS, 1);
        drm_uncharge(drm, DRM_BLOB_BYTES, size);
        free(blob);
        return r;
    }
    *id = blob->object.id;
    return 0;
}
