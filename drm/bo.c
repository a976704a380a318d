/* Buffer objects: ranges of the memory file, which are also ranges of GPU addresses (VideoCore IV has no
 * MMU). Free ranges stand in a list sorted by offset; the first that fits is taken. A freed range is punched
 * out of the file, so that it costs nothing and the next owner finds zeros. */
#include "drm/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

/* The first address handed out: what is below catches null pointers with small offsets. */
#define FIRST_ADDRESS 0x10000u

struct drm_hole {
    uint64_t offset, size;
    struct drm_hole *next;
};

int drm_bo_init(struct drm *drm)
{
    if (drm->memory->size <= FIRST_ADDRESS)
        return -EINVAL;
    drm->holes = malloc(sizeof *drm->holes);
    if (!drm->holes)
        return -ENOMEM;
    *drm->holes = (struct drm_hole){FIRST_ADDRESS, drm->memory->size - FIRST_ADDRESS, NULL};
    return 0;
}

void drm_bo_finish(struct drm *drm)
{
    while (drm->holes) {
        struct drm_hole *next = drm->holes->next;
        free(drm->holes);
        drm->holes = next;
    }
}

/* Takes `size` bytes out of a hole; what is left before and behind stays free. 0, -ENOMEM. */
static int take(struct drm *drm, uint64_t size, uint64_t align, uint64_t *offset)
{
    for (struct drm_hole **at = &drm->holes; *at; at = &(*at)->next) {
        struct drm_hole *hole = *at;
        uint64_t start = util_align(hole->offset, align), end = hole->offset + hole->size;
        if (start > end || size > end - start)
            continue;
        uint64_t before = start - hole->offset, after = end - start - size;
        if (before && after) {
            struct drm_hole *tail = malloc(sizeof *tail);
            if (!tail)
                return -ENOMEM;
            *tail = (struct drm_hole){start + size, after, hole->next};
            hole->next = tail;
            hole->size = before;
        } else if (before) {
            hole->size = before;
        } else if (after) {
            hole->offset = start + size;
            hole->size = after;
        } else {
            *at = hole->next;
            free(hole);
        }
        *offset = start;
        return 0;
    }
    return -ENOMEM;
}

/* Returns a range to the list and joins it with its neighbours. When there is no memory for a node the range
 * is lost to the card, never handed out twice. */
static void give(struct drm *drm, uint64_t offset, uint64_t size)
{
    struct drm_hole **at = &drm->holes, *previous = NULL;
    while (*at && (*at)->offset < offset) {
        previous = *at;
        at = &previous->next;
    }
    struct drm_hole *next = *at;
    if (previous && previous->offset + previous->size == offset) {
        previous->size += size;
        if (next && offset + size == next->offset) {
            previous->size += next->size;
            previous->next = next->next;
            free(next);
        }
    } else if (next && offset + size == next->offset) {
        next->offset = offset;
        next->size += size;
    } else {
        struct drm_hole *hole = malloc(sizeof *hole);
        if (!hole)
            return;
        *hole = (struct drm_hole){offset, size, next};
        *at = hole;
    }
}

/* Gives the pages back to the host; they read as zero from now on. */
static void discard(struct drm_bo *bo)
{
    const struct gpu_memory *memory = bo->drm->memory;
    if (memory->fd < 0 ||
        fallocate(memory->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)bo->offset, (off_t)bo->size))
        memset(drm_bo_bytes(bo), 0, bo->size);
}

/* Purges buffers their owners marked as not needed, as the kernel does when memory runs out: the object
 * stays, its range goes. */
static void purge_unneeded(struct drm *drm)
{
    for (struct drm_bo *bo = drm->bos; bo; bo = bo->next) {
        if (bo->madv == VC4_MADV_DONTNEED && !bo->users) {
            discard(bo);
            give(drm, bo->offset, bo->size);
            bo->offset = 0;
            bo->madv = __VC4_MADV_PURGED;
        }
    }
}

int drm_bo_create(struct drm *drm, uint64_t size, uint64_t align, uint32_t kind, struct drm_bo **out)
{
    uint64_t whole;
    if (!size || !util_add(size, GPU_PAGE - 1, &whole))
        return -EINVAL;
    whole &= ~(uint64_t)(GPU_PAGE - 1);
    struct drm_bo *bo = calloc(1, sizeof *bo);
    if (!bo)
        return -ENOMEM;
    int r = take(drm, whole, align, &bo->offset);
    if (r) { /* exports that nobody holds any more are the only ranges to be had back */
        drm_export_reap(drm, false);
        purge_unneeded(drm);
        r = take(drm, whole, align, &bo->offset);
    }
    if (r) {
        drm_log(drm, "out of GPU memory: %llu KiB asked for", (unsigned long long)(whole >> 10));
        free(bo);
        return r;
    }
    bo->drm = drm;
    bo->refs = 1;
    bo->kind = kind;
    bo->size = whole;
    bo->madv = kind == DRM_BO_KERNEL ? __VC4_MADV_NOTSUPP : VC4_MADV_WILLNEED;
    bo->next = drm->bos;
    bo->link = &drm->bos;
    if (bo->next)
        bo->next->link = &bo->next;
    drm->bos = bo;
    *out = bo;
    return 0;
}

void drm_bo_get(struct drm_bo *bo)
{
    bo->refs++;
}

void drm_bo_put(struct drm_bo *bo)
{
    if (!bo || --bo->refs)
        return;
    *bo->link = bo->next;
    if (bo->next)
        bo->next->link = bo->link;
    if (bo->madv != __VC4_MADV_PURGED) {
        discard(bo);
        give(bo->drm, bo->offset, bo->size);
    }
    drm_vc4_shader_destroy(bo->shader);
    free(bo);
}

uint8_t *drm_bo_bytes(const struct drm_bo *bo)
{
    return bo->madv == __VC4_MADV_PURGED ? NULL : gpu_memory_at(bo->drm->memory, bo->offset, bo->size);
}
