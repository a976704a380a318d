/* What keys of the general sampler say, which are refused, and whether an image fits in its memory. */
#include "raster/texture/sampler_internal.h"

#include <errno.h>

#include "util/bits.h"
#include "util/checked.h"

static bool is_integer(enum raster_kind kind)
{
    return kind == RASTER_KIND_UINT || kind == RASTER_KIND_SINT;
}

bool raster_sampler_plain(enum raster_format format)
{
    const struct raster_texel *texel = &raster_texels[format];

    return texel->coding == RASTER_CODING_PLAIN && texel->bits && texel->bits % 8 == 0;
}

/* The kind of the first component that is not constant. */
static enum raster_kind first_kind(const struct raster_texel *texel)
{
    for (unsigned n = 0; n < 4; n++)
        if (texel->from[n] < 4)
            return raster_texel_kind(texel, texel->from[n]);
    return RASTER_KIND_X;
}

bool raster_sampler_integer(enum raster_format format)
{
    return is_integer(first_kind(&raster_texels[format]));
}

bool raster_sampler_depth_alone(enum raster_format format)
{
    const struct raster_texel *texel = &raster_texels[format];

    return texel->from[1] < 4 && is_integer(raster_texel_kind(texel, texel->from[1])) &&
           !raster_sampler_integer(format);
}

bool raster_sampler_fixed_depth(const struct raster_sampler_key *key)
{
    return first_kind(&raster_texels[key->format]) != RASTER_KIND_FLOAT;
}

static bool looks_up(const struct raster_sampler_key *key)
{
    return key->op == RASTER_SAMPLE || key->op == RASTER_GATHER;
}

bool raster_sampler_filters(const struct raster_sampler_key *key)
{
    return key->op == RASTER_SAMPLE && (key->mag_linear || key->min_linear || key->mip == RASTER_MIP_LINEAR);
}

bool raster_sampler_leveled(const struct raster_sampler_key *key)
{
    if (key->op == RASTER_GATHER)
        return key->mip != RASTER_MIP_NONE;
    return key->op == RASTER_QUERY_LOD ||
           (key->op == RASTER_SAMPLE && (key->mip != RASTER_MIP_NONE || key->min_linear != key->mag_linear));
}

bool raster_sampler_crosses(const struct raster_sampler_key *key)
{
    return key->dim == RASTER_DIM_CUBE && key->seamless;
}

bool raster_sampler_bytes(const struct raster_sampler_key *key)
{
    const struct raster_texel *texel = &raster_texels[key->format];
    bool all =
        texel->bits <= 32 && raster_sampler_filters(key) && !key->compare && !raster_sampler_crosses(key);

    for (unsigned c = 0; c < 4; c++)
        all &= !texel->channel[c].bits ||
               (texel->channel[c].bits == 8 && texel->channel[c].kind == RASTER_KIND_UNORM);
    return all;
}

/* ---- refusals ---- */

static int check_ranges(const struct raster_sampler_key *key, struct util_error *error)
{
    if (key->format >= RASTER_FORMAT_COUNT || !raster_sampler_plain((enum raster_format)key->format))
        return util_fail(error, -EINVAL, "format %s is not sampled as it is",
                         key->format < RASTER_FORMAT_COUNT ? raster_texels[key->format].name : "?");
    if (key->op > RASTER_QUERY_LOD || key->dim > RASTER_DIM_BUFFER || key->lod > RASTER_LOOKUP_GRADIENTS ||
        key->mip > RASTER_MIP_LINEAR || key->compare > 1 + RASTER_ALWAYS || key->component > 3)
        return util_fail(error, -EINVAL, "sampler key out of range");
    if ((key->array | key->multisampled | key->listed | key->mag_linear | key->min_linear | key->offset |
         key->unnormalized | key->seamless | key->faced | key->whole_layer | key->minify_above_half) > 1 ||
        key->unused)
        return util_fail(error, -EINVAL, "sampler key with switches that are neither off nor on");
    if (key->layout != RASTER_LINEAR && key->layout != RASTER_UTGARD_TILED)
        return util_fail(error, -EINVAL, "layout %u is not sampled here", key->layout);
    for (unsigned n = 0; n < 4; n++)
        if (key->swizzle[n] > RASTER_SWIZZLE_1)
            return util_fail(error, -EINVAL, "swizzle %u", key->swizzle[n]);
    for (unsigned n = 0; n < 3; n++)
        if (key->wrap[n] >= RASTER_WRAP_COUNT)
            return util_fail(error, -EINVAL, "wrap %u", key->wrap[n]);
    return 0;
}

static int check_dimensions(const struct raster_sampler_key *key, struct util_error *error)
{
    bool cube = key->dim == RASTER_DIM_CUBE,
         by_number = key->op == RASTER_FETCH || key->op == RASTER_QUERY_SIZE;

    if (key->array && (key->dim == RASTER_DIM_3D || key->dim == RASTER_DIM_BUFFER))
        return util_fail(error, -EINVAL, "an array of volumes or buffers");
    if ((key->multisampled || key->dim == RASTER_DIM_BUFFER) && !by_number)
        return util_fail(error, -EINVAL, "buffers and images of several samples are only fetched from");
    if (key->multisampled && key->dim != RASTER_DIM_2D)
        return util_fail(error, -EINVAL, "several samples a texel in an image that is not 2D");
    if (key->dim == RASTER_DIM_BUFFER && key->layout != RASTER_LINEAR)
        return util_fail(error, -EINVAL, "a tiled buffer");
    if (key->op == RASTER_GATHER && key->dim != RASTER_DIM_2D && !cube)
        return util_fail(error, -EINVAL, "four texels are gathered of 2D images and cubes alone");
    if (cube && key->offset)
        return util_fail(error, -EINVAL, "offsets on a cube");
    if ((key->seamless || key->faced) && !cube)
        return util_fail(error, -EINVAL, "faces of an image that is no cube");
    return 0;
}

static int check_lookup(const struct raster_sampler_key *key, struct util_error *error)
{
    const char *name = raster_texels[key->format].name;
    bool integer = raster_sampler_integer((enum raster_format)key->format);

    if (integer && (key->mag_linear || key->min_linear || key->mip == RASTER_MIP_LINEAR) && looks_up(key))
        return util_fail(error, -EINVAL, "integers of format %s are not filtered", name);
    if (key->compare && (integer || raster_texels[key->format].from[0] >= 4))
        return util_fail(error, -EINVAL, "format %s is not compared", name);
    if (key->compare && !looks_up(key))
        return util_fail(error, -EINVAL, "a comparison without a lookup");
    if (!key->unnormalized)
        return 0;
    if (key->mip != RASTER_MIP_NONE || key->dim == RASTER_DIM_CUBE)
        return util_fail(error, -EINVAL, "texel coordinates of several levels or a cube");
    for (unsigned n = 0; n < 3; n++)
        if (raster_wrap_repeats(key->wrap[n]))
            return util_fail(error, -EINVAL, "texel coordinates do not repeat");
    return 0;
}

int raster_sampler_validate(const struct raster_sampler_key *key, struct util_error *error)
{
    int result = check_ranges(key, error);

    result = result ? result : check_dimensions(key, error);
    return result ? result : check_lookup(key, error);
}

/* ---- images ---- */

static bool side(uint32_t n)
{
    return n >= 1 && n <= RASTER_IMAGE_SIDE;
}

static bool shaped(const struct raster_sampler_key *key, const struct raster_image *image,
                   const struct raster_image_level *level)
{
    bool flat = key->dim == RASTER_DIM_1D || key->dim == RASTER_DIM_BUFFER;

    if (key->dim == RASTER_DIM_BUFFER)
        return level->width >= 1 && level->width <= RASTER_BUFFER_SIDE && level->height == 1 &&
               image->level_count == 1;
    return side(level->width) && side(level->height) && side(level->depth) && (!flat || level->height == 1) &&
           (key->dim == RASTER_DIM_3D || level->depth == 1) &&
           (key->dim != RASTER_DIM_CUBE || level->width == level->height);
}

/* The end of a level: of its last slice's last sample, or of the surface of the list that ends last. */
static bool level_end(const struct raster_sampler_key *key, const struct raster_image *image,
                      const struct raster_image_level *level, uint64_t *end)
{
    uint64_t span, most = 0, slices = (uint64_t)image->layers * level->depth, part;

    slices *= key->dim == RASTER_DIM_CUBE ? 6 : 1;
    if (!raster_sampler_span(key, level, &span))
        return false;
    if (!key->listed) {
        *end = level->offset + span;
        if (!util_mul(slices - 1, level->slice_stride, &part) || !util_add(*end, part, end))
            return false;
        return util_mul(image->samples - 1, level->sample_stride, &part) && util_add(*end, part, end);
    }
    if (!util_in_range(level->first_surface, slices * image->samples, image->surface_count))
        return false;
    for (uint64_t n = 0; n < slices * image->samples; n++)
        most = UTIL_MAX(most, image->surface[level->first_surface + n]);
    return util_add(most, span, end);
}

int raster_image_validate(const struct raster_sampler_key *key, struct raster_image *image,
                          struct util_error *error)
{
    const struct raster_texel *texel = &raster_texels[key->format];
    uint32_t packed[4];

    if (image->level_count < 1 || image->level_count > RASTER_IMAGE_LEVELS || !side(image->layers) ||
        (!key->array && image->layers != 1))
        return util_fail(error, -EFAULT, "an image of %u levels and %u layers", image->level_count,
                         image->layers);
    if (!image->samples || image->samples > 16 || (image->samples & (image->samples - 1)) ||
        (!key->multisampled && image->samples != 1))
        return util_fail(error, -EFAULT, "an image of %u samples", image->samples);
    if (image->memory_size > UINT64_C(1) << 32)
        return util_fail(error, -EFAULT, "memory of %llu bytes", (unsigned long long)image->memory_size);
    for (uint32_t n = 0; n < image->level_count; n++) {
        struct raster_image_level *level = &image->level[n];
        uint64_t end;

        if (!shaped(key, image, level))
            return util_fail(error, -EFAULT, "level %u is %ux%ux%u", n, level->width, level->height,
                             level->depth);
        if (!level_end(key, image, level, &end) || end > image->memory_size)
            return util_fail(error, -EFAULT, "level %u (%ux%ux%u at 0x%08x) leaves memory", n, level->width,
                             level->height, level->depth, level->offset);
        if (key->dim != RASTER_DIM_BUFFER)
            raster_window_prepare(level->width, level->height, &level->window);
    }
    raster_texel_pack(texel, image->border, packed);
    image->border_texel = packed[0];
    return 0;
}
