/* Submissions of the stock panfrost driver (tests/data/t720, t760, t860, g52, g57) in a guest's memory. */
#ifndef VITRAIL_TESTS_GPU_MALI_SCENE_H
#define VITRAIL_TESTS_GPU_MALI_SCENE_H

#include "gpu/mali/device_internal.h"
#include "tests/gpu/mali/guest.h"
#include "tests/gpu/recorded.h"

enum { SCENE_HEAP_PAGES = 64 }; /* of a heap, which grows on demand, as many as are there from the start */

struct scene {
    struct guest guest;
    uint64_t chain[2]; /* of slot 0 (fragments) and slot 1 (vertices and tiling); 0: none */
    unsigned as;       /* that they are recorded with */
};

static inline void scene_buffer(struct guest *g, const char *folder, uint64_t address, uint32_t size,
                                bool heap, const char *file)
{
    uint8_t *to = guest_map(g, address, heap ? SCENE_HEAP_PAGES * GPU_PAGE : size, RIGHT_BOTH);
    if (strcmp(file, "ZERO") != 0)
        recorded_file(folder, file, to, size);
}

/* `folder` is "t860/cube"; the options' kind is the folder's GPU. */
static inline void scene_load(struct scene *s, const char *folder, const struct mali_options *options)
{
    char index[8192] = "";
    recorded_file(folder, "index.txt", index, sizeof index - 1);
    guest_create(&s->guest, options);
    memset(s->chain, 0, sizeof s->chain);
    s->as = 0;
    for (char *line = strtok(index, "\n"); line; line = strtok(NULL, "\n")) {
        unsigned slot, size;
        unsigned long long address;
        char kind[16], file[128];
        if (sscanf(line, "chain slot=%u at=%llx", &slot, &address) == 2)
            s->chain[slot & 1] = address;
        else if (sscanf(line, "bo %*u handle=%*u gpu=%llx size=%u kind=%15s file=%127s", &address, &size,
                        kind, file) == 4)
            scene_buffer(&s->guest, folder, address, size, !strcmp(kind, "heap"), file);
    }
    guest_flush_as(&s->guest, 0);
}

/* Guest memory as the GPU sees it, to the end of the page. */
static inline uint8_t *scene_at(struct scene *s, uint64_t address)
{
    struct mali_stop stop = {0};
    const struct gpu_space *space = mali_as_space(s->guest.device, 0, &stop);
    uint64_t physical;
    assert_non_null(space);
    assert_true(gpu_space_physical(space, address, &physical));
    return s->guest.memory.base + physical;
}

/* The tiler job: the last of the chain. */
static inline uint64_t scene_tiler_job(struct scene *s)
{
    uint64_t job = s->chain[1];
    for (uint64_t next = job; next; next = util_load64(scene_at(s, job + 24)))
        job = next;
    return job;
}

#endif
