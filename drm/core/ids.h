/* Numbers to pointers: handles, names, objects. */
#ifndef VITRAIL_DRM_CORE_IDS_H
#define VITRAIL_DRM_CORE_IDS_H

#include "drm/core/charge.h"

struct drm_ids {
    struct drm *drm;    /* whose ceilings bound the table and its entries; NULL: something else does */
    enum drm_kind kind; /* that each entry is charged as */
    void **slot;        /* slot[i] belongs to number i; slot[0] is never used */
    uint32_t count;     /* slots allocated */
    uint32_t lowest;    /* no free number below this one */
};
/* The lowest free number. 0; -ENOMEM: no memory, or a ceiling is reached. */
int drm_ids_add(struct drm_ids *ids, void *value, uint32_t *id);
void *drm_ids_get(const struct drm_ids *ids, uint32_t id);           /* NULL when unused */
void *drm_ids_remove(struct drm_ids *ids, uint32_t id);              /* what stood there, or NULL */
uint32_t drm_ids_find(const struct drm_ids *ids, const void *value); /* 0 when absent */
void drm_ids_finish(struct drm_ids *ids); /* frees the table; entries were removed before */

#endif
