/* Exported descriptors: dma-bufs and syncobj files. */
#ifndef VITRAIL_DRM_CORE_EXPORT_H
#define VITRAIL_DRM_CORE_EXPORT_H

#include <stdbool.h>
#include <stdint.h>

struct drm;

/* What a descriptor can stand for. */
struct drm_export_kind {
    const char *name;           /* of its memory file */
    void (*take)(void *object); /* an export stands for the object from now on: it holds a reference */
    void (*put)(void *object);  /* no process holds the descriptor any more */
};

struct drm_export {
    int watch; /* read-only description of the memory file that stands for the object */
    uint64_t device, inode;
    const struct drm_export_kind *kind;
    void *object;
    struct drm_export *next;
};
/* A new descriptor of the object, or -errno. *keep: the object's export, NULL as long as it has none; `put`
 * clears it. */
int drm_export_fd(struct drm *drm, const struct drm_export_kind *kind, void *object, uint64_t size,
                  struct drm_export **keep);
/* The object behind what a program passed, borrowed, or NULL: any descriptor may come, and none is asked
 * anything that its file system could leave unanswered before it is known to be ours. */
void *drm_export_find(struct drm *drm, const struct drm_export_kind *kind, const int *fd);
/* Forgets exports that no process holds open any more. */
void drm_export_reap(struct drm *drm, bool all);

#endif
