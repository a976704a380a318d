/* Where a capture's pictures part: two ways are played side by side, a picture at a time. */
#include <errno.h>
#include <string.h>

#include "fuzz/capture_internal.h"
#include "gpu/replay.h"

static int open_replay(const char *path, const struct gpu_options *options, struct replay **out,
                       struct util_error *error)
{
    struct capture_reader *reader;
    int err = capture_reader_open(path, &reader, error);
    if (err)
        return err;
    err = replay_create(reader, options, out, error);
    if (err)
        capture_reader_close(reader);
    return err;
}

static bool differ(const struct util_image images[2], struct fuzz_difference *out)
{
    struct util_image_diff diff;
    if (util_image_compare(&images[0], &images[1], 0, 1, &diff) || !diff.beyond)
        return false;
    out->x = diff.worst_x;
    out->y = diff.worst_y;
    out->differing = diff.beyond;
    out->total = diff.total;
    for (unsigned n = 0; n < 2; n++)
        memcpy(out->got[n], images[n].pixels + 4 * ((size_t)out->y * images[n].width + out->x),
               sizeof out->got[n]);
    return true;
}

/* The next picture of both: 1: it differs; 0: it does not, or is none; -ENOENT: there are no more. */
static int next_picture(struct replay *const replay[2], struct fuzz_difference *out)
{
    struct capture_frame frame[2];
    struct util_image images[2] = {{0}};
    bool drawn = true;
    for (unsigned n = 0; n < 2; n++)
        if (replay_next_frame(replay[n], false, &frame[n], NULL) <= 0)
            return -ENOENT;
    for (unsigned n = 0; n < 2; n++)
        drawn &= !replay_picture(replay[n], &frame[n], &images[n]);
    const int found = drawn && differ(images, out);
    for (unsigned n = 0; n < 2; n++)
        util_image_finish(&images[n]);
    return found;
}

int fuzz_capture_compare(const char *path, const struct gpu_options ways[2], struct fuzz_difference *out,
                         struct util_error *error)
{
    struct replay *replay[2] = {NULL};
    int got = 0;
    for (unsigned n = 0; n < 2 && !got; n++)
        got = open_replay(path, &ways[n], &replay[n], error);
    for (uint32_t picture = 1; !got && picture <= FUZZ_FRAMES_MAX; picture++) {
        out->picture = picture;
        got = next_picture(replay, out);
    }
    for (unsigned n = 0; n < 2; n++)
        replay_destroy(replay[n]);
    return got == -ENOENT && replay[1] ? 0 : got;
}

int fuzz_capture_difference(const char *path, struct fuzz_difference *out, struct util_error *error)
{
    struct jit_engine *usual = fuzz_capture_engine(false), *narrow = fuzz_capture_engine(true);
    int got = usual && narrow ? 0 : util_fail(error, -EIO, "LLVM does not start");
    for (unsigned way = FUZZ_WAY_INTERPRETED; !got && way <= FUZZ_WAY_PLAIN; way <<= 1) {
        struct jit_engine *other = way == FUZZ_WAY_PLAIN ? narrow : NULL;
        const struct gpu_options ways[2] = {fuzz_capture_options(usual, 0), fuzz_capture_options(other, way)};
        out->way = fuzz_way_name(way);
        got = fuzz_capture_compare(path, ways, out, error);
    }
    jit_engine_destroy(usual);
    jit_engine_destroy(narrow);
    return got;
}
