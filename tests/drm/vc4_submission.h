/* A submission of the real driver, as recorded in a folder (submit.bin, bin_cl.bin, shader_rec.bin,
 * uniforms.bin, index.txt and one file a buffer), made ready to be submitted again to a card of ours. */
#ifndef VITRAIL_TESTS_DRM_VC4_SUBMISSION_H
#define VITRAIL_TESTS_DRM_VC4_SUBMISSION_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <drm.h>
#include <vc4_drm.h>

#include "drm/drm.h"

struct vc4_submission {
    struct drm_vc4_submit_cl submit; /* pointers are host pointers into the members below */
    uint8_t *list, *records, *uniforms;
    uint32_t handle[64];  /* by buffer index */
    uint64_t address[64]; /* where the buffers stand in guest memory */
    uint64_t size[64];
};

static const struct drm_user vc4_submission_user = {.size = UINT64_MAX};

static inline uint8_t *vc4_submission_file(const char *folder, const char *name, size_t *size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    *size = 0;
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = calloc(1, *size + 1);
    if (bytes && fread(bytes, 1, *size, file) != *size) {
        free(bytes);
        bytes = NULL;
    }
    fclose(file);
    return bytes;
}

/* One "bo" line of index.txt: makes the buffer and fills it. */
static inline int vc4_submission_buffer(struct drm_file *file, struct gpu_memory *memory, const char *folder,
                                        const char *line, struct vc4_submission *out)
{
    unsigned index, code_bytes;
    unsigned long long size;
    char kind[16] = "", name[128] = "";
    const char *at_name = strstr(line, "file=");
    if (!at_name ||
        sscanf(line, "bo %u handle=%*u gpu=%*s size=%llu arena_off=%*s kind=%15s flags=%x", &index, &size,
               kind, &code_bytes) != 4 ||
        index >= 64 || sscanf(at_name, "file=%127s", name) != 1)
        return -EBADMSG;
    size_t length = 0;
    uint8_t *bytes = strcmp(name, "ZERO") ? vc4_submission_file(folder, name, &length) : NULL;
    int r;
    out->size[index] = size;
    if (!strcmp(kind, "shader")) {
        struct drm_vc4_create_shader_bo create = {.size = code_bytes, .data = (uintptr_t)bytes};
        r = drm_ioctl(file, DRM_IOCTL_VC4_CREATE_SHADER_BO, &create, &vc4_submission_user);
        out->handle[index] = create.handle;
    } else {
        struct drm_vc4_create_bo create = {.size = (uint32_t)size};
        r = drm_ioctl(file, DRM_IOCTL_VC4_CREATE_BO, &create, &vc4_submission_user);
        out->handle[index] = create.handle;
    }
    struct drm_vc4_mmap_bo map = {.handle = out->handle[index]};
    if (!r)
        r = drm_ioctl(file, DRM_IOCTL_VC4_MMAP_BO, &map, &vc4_submission_user);
    out->address[index] = map.offset;
    if (!r && bytes && strcmp(kind, "shader"))
        memcpy(gpu_memory_at(memory, map.offset, size), bytes, length < size ? length : size);
    free(bytes);
    return r;
}

/* 0, -ENOENT (no such folder), -EBADMSG (not such a folder), or what an ioctl returned. */
static inline int vc4_submission_load(struct drm_file *file, struct gpu_memory *memory, const char *folder,
                                      struct vc4_submission *out)
{
    size_t size, n;
    memset(out, 0, sizeof *out);
    uint8_t *raw = vc4_submission_file(folder, "submit.bin", &size);
    char *index = (char *)vc4_submission_file(folder, "index.txt", &n);
    int r = raw && index ? 0 : -ENOENT;
    if (!r && size != sizeof out->submit)
        r = -EBADMSG;
    if (!r)
        memcpy(&out->submit, raw, size);
    for (char *line = index ? strtok(index, "\n") : NULL; !r && line; line = strtok(NULL, "\n"))
        if (!strncmp(line, "bo ", 3))
            r = vc4_submission_buffer(file, memory, folder, line, out);
    free(raw);
    free(index);
    out->list = vc4_submission_file(folder, "bin_cl.bin", &size);
    out->records = vc4_submission_file(folder, "shader_rec.bin", &size);
    out->uniforms = vc4_submission_file(folder, "uniforms.bin", &size);
    out->submit.bin_cl = (uintptr_t)out->list;
    out->submit.shader_rec = (uintptr_t)out->records;
    out->submit.uniforms = (uintptr_t)out->uniforms;
    out->submit.bo_handles = (uintptr_t)out->handle;
    out->submit.in_sync = out->submit.out_sync = 0;
    return r;
}

static inline void vc4_submission_free(struct vc4_submission *submission)
{
    free(submission->list);
    free(submission->records);
    free(submission->uniforms);
}

#endif
