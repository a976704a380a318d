/* Submissions of the stock driver, recorded in tests/data/mali400 and mali450, in a guest's memory: a scene's
 * GP job and the PP job that follows. */
#ifndef VITRAIL_TESTS_UTGARD_JOB_H
#define VITRAIL_TESTS_UTGARD_JOB_H

#include <stdio.h>

#include "utgard_guest.h"

enum { FIRST = 0x02000000, BYTES = 0x02600000, SIDE = 256 };
enum {
    PP_RAW = 0x1020,
    PP_CTRL = 0x100c,
    PP_START = 0x40,
    WORDS = 78,
    FRAME_WORDS = 23,
    LISTS = 60 /* of Mali-400 */
};

static inline uint32_t read_file(const char *scene, const char *name, void *out, size_t room)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/data/%s/%s", SOURCE_DIR, scene, name);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("cannot read %s", path);
    size_t n = fread(out, 1, room, f);
    fclose(f);
    return (uint32_t)n;
}

/* The buffers that an index names, where they stood. */
static inline void load_buffers(uint8_t *memory, const char *scene, const char *index_name)
{
    char index[8192] = "", file_name[128];
    read_file(scene, index_name, index, sizeof index - 1);
    for (char *line = strtok(index, "\n"); line; line = strtok(NULL, "\n")) {
        uint32_t address;
        const char *file = strstr(line, "file=");
        if (sscanf(line, "bo %*u handle=%*u gpu=%x", &address) == 1 && file &&
            sscanf(file, "file=%127s", file_name) == 1 && strcmp(file_name, "ZERO"))
            read_file(scene, file_name, memory + (address - FIRST), 1u << 20);
    }
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
