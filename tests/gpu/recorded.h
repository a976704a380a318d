/* What stock drivers handed to their kernel, recorded in tests/data: a folder a scene ("vc4/cube"), its
 * buffers named by an index beside them. */
#ifndef VITRAIL_TESTS_GPU_RECORDED_H
#define VITRAIL_TESTS_GPU_RECORDED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

/* How many bytes there were, at most `room`. */
static inline uint32_t recorded_file(const char *scene, const char *name, void *out, size_t room)
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

/* Each buffer of an index goes where `place` has it for its number and GPU address; those of zeros are only
 * named. */
static inline void recorded_buffers(const char *scene, const char *index_name,
                                    uint8_t *(*place)(void *data, unsigned number, uint32_t address),
                                    void *data)
{
    char index[8192] = "", name[128];
    recorded_file(scene, index_name, index, sizeof index - 1);
    for (char *line = strtok(index, "\n"); line; line = strtok(NULL, "\n")) {
        unsigned number, address;
        const char *file = strstr(line, "file=");
        if (sscanf(line, "bo %u handle=%*u gpu=%x", &number, &address) != 2 || !file ||
            sscanf(file, "file=%127s", name) != 1)
            continue;
        uint8_t *bytes = place(data, number, address);
        if (strcmp(name, "ZERO"))
            recorded_file(scene, name, bytes, 1u << 20);
    }
}

#endif
