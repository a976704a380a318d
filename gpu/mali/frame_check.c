/* What frames may say that would be drawn otherwise than it is here. Sources: Mesa's genxml and pan_samples.c as
 * documentation. */
#include "gpu/mali/targets.h"
#include "raster/samples.h"
#include "util/bits.h"

#define UNIT "framebuffer"

static bool refuse(const struct mali_frame *frame, const char *what, struct mali_stop *stop)
{
    return mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_UNSUPPORTED, UNIT, frame->address,
                         "%s: not done", what);
}

/* Loads and stores that are no draws: no driver asks for them. */
static bool loads_itself(enum mali_version version, const struct mali_frame *frame)
{
    const struct mali_sfb *s = &frame->single;
    const struct mali_mfb *f = &frame->several;
    bool loads = s->color_preload_enable || s->zs_preload_enable || f->z_preload_enable ||
                 f->s_preload_enable || f->z_unload_enable || f->s_unload_enable;
    for (uint32_t n = 0; version != MALI_V4 && n < frame->target_count; n++)
        loads |= frame->target[n].preload_enable || frame->target[n].unload_enable;
    return loads;
}

/* Since v6 a frame names a table of where its samples are: two numbers of 16 bits each, in 1/256 pixel. They are where
 * raster/samples.h has those of the pattern. */
static bool check_samples(const struct gpu_space *space, const struct mali_frame *frame,
                          struct mali_stop *stop)
{
    static const struct {
        uint8_t samples, pattern;
    } patterns[] = {{4, MALI_SAMPLE_PATTERN_ROTATED_4X_GRID},
                    {8, MALI_SAMPLE_PATTERN_D3D_8X_GRID},
                    {16, MALI_SAMPLE_PATTERN_D3D_16X_GRID}};
    const struct mali_mfb *f = &frame->several;
    if (f->sample_count == 1)
        return true;
    bool known = false;
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(patterns); n++)
        known |= f->sample_count == patterns[n].samples && f->sample_pattern == patterns[n].pattern;
    if (!known)
        return refuse(frame, "samples of another number or pattern than 4, rotated, and Direct3D's 8 and 16",
                      stop);
    const uint8_t *at = mali_at(space, f->sample_locations, f->sample_count * 4, GPU_RIGHT_READ, UNIT,
                                "sample locations", stop);
    for (uint32_t n = 0; at && n < f->sample_count; n++) {
        int32_t x, y;
        raster_samples_position(f->sample_count, n, &x, &y);
        if (util_load32(at + n * 4) != (uint32_t)(x * 16 | y * 16 << 16))
            return refuse(frame, "samples elsewhere than the pattern has them", stop);
    }
    return at;
}

bool mali_frame_check(const struct gpu_space *space, enum mali_version version,
                      const struct mali_frame *frame, struct mali_stop *stop)
{
    const struct mali_sfb *s = &frame->single;
    const struct mali_mfb *f = &frame->several;
    if (s->x_downsampling_scale || s->y_downsampling_scale || f->x_downsampling_scale ||
        f->y_downsampling_scale || f->downscale_geometry)
        return refuse(frame, "a frame made smaller as it is written", stop);
    if (f->internal_layer_index || frame->context.tiler.layer_count > 1)
        return refuse(frame, "layers of a frame", stop);
    if (loads_itself(version, frame))
        return refuse(frame, "a frame that loads or stores its tiles itself", stop);
    return version < MALI_V6 || check_samples(space, frame, stop);
}
