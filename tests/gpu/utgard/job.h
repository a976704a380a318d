/* Submissions of the stock driver, recorded in tests/data/mali400 and mali450, in a guest's memory: a scene's
 * GP job and the PP job that follows. */
#ifndef VITRAIL_TESTS_GPU_UTGARD_JOB_H
#define VITRAIL_TESTS_GPU_UTGARD_JOB_H

#include "tests/gpu/recorded.h"
#include "tests/gpu/utgard/guest.h"

enum { FIRST = 0x02000000, BYTES = 0x02600000, SIDE = 256 };
enum {
    WORDS = 78,
    FRAME_WORDS = 23,
    LISTS = 60 /* of Mali-400 */
};

static inline uint8_t *place_buffer(void *memory, unsigned number, uint32_t address)
{
    return (uint8_t *)memory + (address - FIRST);
}

/* The buffers that an index names, where they stood. */
static inline void load_buffers(uint8_t *memory, const char *scene, const char *index_name)
{
    recorded_buffers(scene, index_name, place_buffer, memory);
}

/* The buffers of a scene's GP job and of the PP job that follows; the six words of GP FRAME, and what
 * write_frame takes. */
static inline void load_job(uint8_t *memory, const char *scene, uint32_t gp[6], uint32_t pp[WORDS])
{
    load_buffers(memory, scene, "index.txt");
    load_buffers(memory, scene, "pp-index.txt");
    assert_int_equal(recorded_file(scene, "frame.bin", gp, 6 * 4), 6 * 4);
    assert_true(recorded_file(scene, "pp-frame.bin", pp, WORDS * 4) >= 68 * 4);
}

static inline void write_frame(struct guest *g, uint32_t base, const uint32_t frame[WORDS], uint32_t list)
{
    for (uint32_t w = 0; w < FRAME_WORDS; w++)
        utgard_write(g->device, base + 4 * w, w ? frame[w] : list);
    for (uint32_t unit = 0; unit < 3; unit++)
        for (uint32_t w = 0; w < 12; w++)
            utgard_write(g->device, base + 0x100 * (unit + 1) + 4 * w,
                         frame[FRAME_WORDS + 1 + 12 * unit + w]);
}

#endif
