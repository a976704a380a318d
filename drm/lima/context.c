/* Contexts: numbers of a file, which begin at 0, and whether what is submitted in them is still run. Rules
 * and errno values: lima_ctx.c of the kernel. */
#include "drm/lima/internal.h"

#include <errno.h>
#include <stdlib.h>

struct drm_lima_context *drm_lima_context_get(struct drm_file *file, uint32_t number)
{
    struct drm_lima_context *context = drm_ids_get(&drm_lima_file_of(file)->contexts, number + 1);
    if (context)
        context->refs++;
    return context;
}

void drm_lima_context_put(struct drm_lima_context *context)
{
    if (context && !--context->refs)
        free(context);
}

int drm_lima_context_create(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct lima_context *create = argument;
    uint32_t id;
    if (create->pad)
        return -EINVAL;
    struct drm_lima_context *context = calloc(1, sizeof *context);
    int r = context ? drm_ids_add(&drm_lima_file_of(file)->contexts, context, &id) : -ENOMEM;
    if (r) {
        free(context);
        return r;
    }
    context->refs = 1;
    create->id = id - 1;
    return 0;
}

static int remove_context(struct drm_file *file, uint32_t id)
{
    struct drm_lima_context *context = drm_ids_remove(&drm_lima_file_of(file)->contexts, id);
    drm_lima_context_put(context);
    return context ? 0 : -EINVAL;
}

int drm_lima_context_free(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct lima_context *args = argument;
    return args->pad ? -EINVAL : remove_context(file, args->id + 1);
}

void drm_lima_context_close(struct drm_file *file)
{
    struct drm_ids *contexts = &drm_lima_file_of(file)->contexts;
    for (uint32_t i = 1; i < contexts->count; i++)
        remove_context(file, i);
    drm_ids_finish(contexts);
}
