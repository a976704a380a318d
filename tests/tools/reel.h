/* What the tests of `vitrail explain` and `vitrail profile` share, whatever the GPU: a capture in a file of
 * its own, and what the tools say of it. */
#ifndef VITRAIL_TESTS_TOOLS_REEL_H
#define VITRAIL_TESTS_TOOLS_REEL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/capture.h"
#include "gpu/replay.h"
#include "tests/gpu/captures.h"
#include "tools/explain.h"
#include "tools/profile.h"
#include "util/bits.h"

struct reel {
    struct capture_writer *writer; /* NULL: all is written */
    char path[64];
};

static inline void reel_open(struct reel *reel, const char *gpu, uint64_t memory)
{
    strcpy(reel->path, "/tmp/vitrail-explain-XXXXXX");
    int fd = mkstemp(reel->path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(capture_writer_create(reel->path, gpu, "a scene", memory, &reel->writer, NULL), 0);
}

static inline void reel_finish(struct reel *reel)
{
    if (reel->writer)
        assert_int_equal(capture_writer_close(reel->writer), 0);
    reel->writer = NULL;
}

static inline void reel_close(struct reel *reel)
{
    reel_finish(reel);
    unlink(reel->path);
}

/* Explains one pixel; the caller ends with explain_finish. */
static inline void reel_explain(struct reel *reel, struct explain_pixel *pixel, struct explain_result *result)
{
    const struct gpu_options options = {0};
    struct util_error error = {0};
    reel_finish(reel);
    *result = (struct explain_result){.pixels = pixel, .pixel_count = 1};
    if (explain_run(reel->path, &options, true, false, true, result, NULL, NULL, &error))
        fail_msg("%s", error.text);
}

/* What is told of the pixel, as text or JSON; the caller frees it. */
static inline char *reel_told(const struct explain_result *result, const struct explain_pixel *pixel,
                              const char *json_name)
{
    const struct explain_show show = {.sample = -1, .trace = true};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (json_name)
        explain_print_json(out, json_name, result, pixel, &show);
    else
        explain_print(out, result, pixel, &show);
    fclose(out);
    return text;
}

static inline void reel_profile(const char *path, const struct gpu_options *options, struct profile *p)
{
    const struct profile_request request = {
        .capture = path, .options = options, .all = true, .instructions = true, .loops = 1};
    struct util_error error = {0};
    *p = (struct profile){0};
    if (profile_run(&request, p, &error))
        fail_msg("%s", error.text);
}

static inline char *reel_profile_json(const struct profile *p, const char *name)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    profile_print_json(out, p, name);
    fclose(out);
    return text;
}

/* What a replay of the whole capture counts. */
static inline struct gpu_counters reel_counted(const char *path)
{
    const struct gpu_options options = {0};
    struct capture_reader *reader;
    struct replay *replay;
    struct capture_frame frame;
    struct gpu_counters counters;
    assert_int_equal(capture_reader_open(path, &reader, NULL), 0);
    assert_int_equal(replay_create(reader, &options, &replay, NULL), 0);
    while (replay_next_frame(replay, false, &frame, NULL) > 0)
        ;
    replay_counters(replay, &counters);
    replay_destroy(replay);
    return counters;
}

/* Of a recorded capture, profiled draw by draw and program by program; what every family's must be is
 * checked: draws, primitives and instructions add up to what the device counts as a whole. */
struct reel_sums {
    struct gpu_counters counted;
    uint64_t vertices, blocks, coordinate, vertex, fragment; /* the last three: instructions of draws */
    uint64_t shared_vertex;                                  /* instructions of no single draw */
    uint64_t programs, vertex_ns;
};

static inline struct reel_sums reel_add_up(const char *path)
{
    const struct gpu_options options = {0};
    struct reel_sums sums = {0};
    struct profile p;
    uint64_t primitives = 0, bin_ns = 0, by_pc = 0;
    sums.counted = reel_counted(path);
    reel_profile(path, &options, &p);
    for (uint32_t i = 0; i < p.draws.count; i++) {
        const struct profile_draw *d = &p.draws.at[i];
        primitives += d->primitives;
        bin_ns += d->bin_ns;
        sums.vertices += d->vertices;
        sums.blocks += d->blocks;
        sums.coordinate += d->coordinate_instructions;
        sums.vertex += d->vertex_instructions;
        sums.fragment += d->fragment_instructions;
        sums.vertex_ns += d->vertex_ns;
        assert_true(!d->pixels == !d->fragment_ns);
    }
    for (uint32_t i = 0; i < p.programs.count; i++) {
        const struct profile_program *program = &p.programs.at[i];
        sums.programs += program->executed;
        assert_true(program->by_pc || !program->executed);
        for (uint32_t pc = 0; pc < program->word_count; pc++)
            by_pc += program->by_pc ? program->count[pc] : 0;
    }
    sums.shared_vertex = p.vertex_instructions;
    assert_int_equal(p.draws.count, sums.counted.draws);
    assert_int_equal(primitives, sums.counted.primitives_in);
    assert_int_equal(by_pc, sums.programs);
    assert_true(bin_ns > 0);
    profile_finish(&p);
    return sums;
}

static inline uint32_t reel_brightness(const struct util_image *image, uint32_t x, uint32_t y)
{
    const uint8_t *p = image->pixels + ((size_t)y * image->width + x) * 4;
    return p[0] + p[1] + p[2];
}

/* A byte of garbage: where, of some places and the 64 bytes from there on, and its value. */
static inline uint32_t reel_garbage(uint64_t *state, const uint32_t *places, size_t count, uint8_t *value)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    *value = (uint8_t)(*state >> 56);
    return places[(*state >> 33) % count] + (*state >> 40) % 64;
}

#endif
