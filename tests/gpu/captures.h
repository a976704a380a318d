/* The captures of tests/captures, by GPU: those of a GPU stand in the folder of its name, VideoCore IV's at
 * the top. So a GPU joins the tests that ask here by its row in gpu/families.c and by its captures. Behind
 * cmocka.h. */
#ifndef VITRAIL_TESTS_GPU_CAPTURES_H
#define VITRAIL_TESTS_GPU_CAPTURES_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gpu/capture.h"
#include "gpu/families.h"

#define CAPTURES_PATH 256

static inline void captures_folder(const char *gpu, char out[CAPTURES_PATH])
{
    snprintf(out, CAPTURES_PATH, SOURCE_DIR "/tests/captures/%s", gpu);
    if (access(out, F_OK))
        snprintf(out, CAPTURES_PATH, SOURCE_DIR "/tests/captures");
}

/* The path of a GPU's capture `name` ("gltest"); false when it has none. */
static inline bool captures_find(const char *gpu, const char *name, char out[CAPTURES_PATH])
{
    char folder[CAPTURES_PATH];
    struct capture_reader *reader;
    struct capture_info info;
    captures_folder(gpu, folder);
    if (snprintf(out, CAPTURES_PATH, "%s/%s.vtc", folder, name) >= CAPTURES_PATH ||
        capture_reader_open(out, &reader, NULL))
        return false;
    capture_reader_info(reader, &info);
    bool is = !strcmp(info.gpu, gpu);
    capture_reader_close(reader);
    return is;
}

/* The same of one that every GPU has: "gltest", a clear, a triangle, a textured cube, a loop. */
static inline void captures_need(const char *gpu, const char *name, char out[CAPTURES_PATH])
{
    if (!captures_find(gpu, name, out))
        fail_msg("%s has no capture %s", gpu, name);
}

#endif
