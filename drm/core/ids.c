/* Numbers to pointers: dense tables that hand out the lowest free number, as the kernel's idr does. */
#include "drm/core/ids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/bits.h"

#define MAX_IDS (1u << 20)

static int charge(const struct drm_ids *ids, enum drm_kind kind, uint32_t amount)
{
    return ids->drm ? drm_charge(ids->drm, kind, amount) : 0;
}

static void uncharge(const struct drm_ids *ids, enum drm_kind kind, uint32_t amount)
{
    if (ids->drm)
        drm_uncharge(ids->drm, kind, amount);
}

static int grow(struct drm_ids *ids)
{
    uint32_t count = ids->count ? ids->count * 2 : 64;
    if (count > MAX_IDS || charge(ids, DRM_NUMBERS, count - ids->count))
        return -ENOMEM;
    void **slot = realloc(ids->slot, count * sizeof *slot);
    if (!slot) {
        uncharge(ids, DRM_NUMBERS, count - ids->count);
        return -ENOMEM;
    }
    memset(slot + ids->count, 0, (count - ids->count) * sizeof *slot);
    ids->slot = slot;
    ids->count = count;
    return 0;
}

int drm_ids_add(struct drm_ids *ids, void *value, uint32_t *id)
{
    uint32_t i = ids->lowest ? ids->lowest : 1;
    while (i < ids->count && ids->slot[i])
        i++;
    int r = charge(ids, ids->kind, 1);
    if (r)
        return r;
    if (i >= ids->count && (r = grow(ids))) {
        uncharge(ids, ids->kind, 1);
        return r;
    }
    ids->slot[i] = value;
    ids->lowest = i + 1;
    *id = i;
    return 0;
}

void *drm_ids_get(const struct drm_ids *ids, uint32_t id)
{
    return id < ids->count && id ? ids->slot[id] : NULL;
}

void *drm_ids_remove(struct drm_ids *ids, uint32_t id)
{
    void *value = drm_ids_get(ids, id);
    if (value) {
        uncharge(ids, ids->kind, 1);
        ids->slot[id] = NULL;
        ids->lowest = UTIL_MIN(ids->lowest, id);
    }
    return value;
}

uint32_t drm_ids_find(const struct drm_ids *ids, const void *value)
{
    for (uint32_t i = 1; i < ids->count; i++)
        if (ids->slot[i] == value)
            return i;
    return 0;
}

void drm_ids_finish(struct drm_ids *ids)
{
    uncharge(ids, DRM_NUMBERS, ids->count);
    free(ids->slot);
    *ids = (struct drm_ids){0};
}
