/* Render targets of frames. A tile holds a target as its internal format has it: a normalised format, or of
 * raw ones as many bits, which only blend shaders make sense of. */
#include "gpu/mali/targets.h"

#include <string.h>

#include "gpu/mali/format.h"
#include "util/bits.h"

#define UNIT "framebuffer"

/* What both versions say of a target. */
struct target {
    uint32_t internal, writeback, block_format, msaa, swizzle, row_stride, surface_stride;
    uint64_t base;
    bool write, srgb;
    uint32_t clear[4];
};

/* Of depth or stencil. */
struct plane {
    uint32_t of, format, block_format, msaa, row_stride, surface_stride;
    uint64_t base;
};

struct taking {
    const struct gpu_space *space;
    const struct mali_frame *frame;
    struct mali_targets *out;
    struct mali_stop *stop;
};

static bool refuse(const struct taking *t, const char *what, uint32_t number)
{
    return mali_stop_set(t->stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_UNSUPPORTED, UNIT, t->frame->address,
                         "%s %u is not done", what, number);
}

/* ---- formats ---- */

/* The tile's, by internal format; clear values have bits of a fraction behind each channel (pan_clear.c). */
struct internal {
    uint16_t format;
    uint8_t whole[4], fraction[4];
};
static const struct internal internals[] = {
    [MALI_COLOR_BUFFER_INTERNAL_FORMAT_R8G8B8A8] = {RASTER_R8G8B8A8_UNORM, {8, 8, 8, 8}, {0}},
    [MALI_COLOR_BUFFER_INTERNAL_FORMAT_R10G10B10A2] = {RASTER_R10G10B10A2_UNORM, {10, 10, 10, 2}, {0}},
    [MALI_COLOR_BUFFER_INTERNAL_FORMAT_R8G8B8A2] = {RASTER_R8G8B8A8_UNORM, {8, 8, 8, 2}, {2, 2, 2, 0}},
    [MALI_COLOR_BUFFER_INTERNAL_FORMAT_R4G4B4A4] = {RASTER_R4G4B4A4_UNORM, {4, 4, 4, 4}, {4, 4, 4, 4}},
    [MALI_COLOR_BUFFER_INTERNAL_FORMAT_R5G6B5A0] = {RASTER_R5G6B5_UNORM, {5, 6, 5, 0}, {5, 4, 5, 2}},
    [MALI_COLOR_BUFFER_INTERNAL_FORMAT_R5G5B5A1] = {RASTER_R5G5B5A1_UNORM, {5, 5, 5, 1}, {5, 5, 5, 1}},
};

static enum raster_format raw_of_bytes(uint32_t bytes)
{
    return bytes == 1    ? RASTER_R8_UINT
           : bytes == 2  ? RASTER_R16_UINT
           : bytes <= 4  ? RASTER_R32_UINT
           : bytes <= 8  ? RASTER_R32G32_UINT
           : bytes <= 16 ? RASTER_R32G32B32A32_UINT
                         : RASTER_FORMAT_NONE;
}

bool mali_targets_is_plain(enum raster_format format)
{
    return format == RASTER_R8G8B8A8_UNORM || format == RASTER_R8G8B8A8_SRGB ||
           format == raw_of_bytes(raster_format_bytes(format));
}

/* Bytes of a pixel of a raw write-back format; 0: none of them, or larger than a tile's. */
static uint32_t raw_bytes(enum mali_version version, uint32_t format)
{
    static const uint8_t v4[] = {16, 12, 8, 4, 8, 6, 4, 2}, v5[] = {1, 2, 3, 4, 6, 8, 12, 16};
    return format < 8 ? (version == MALI_V4 ? v4 : v5)[format] : 0;
}

static enum raster_format raw_image(uint32_t bytes)
{
    return bytes == 3    ? RASTER_R8G8B8_UINT
           : bytes == 6  ? RASTER_R16G16B16_UINT
           : bytes == 12 ? RASTER_R32G32B32_UINT
                         : raw_of_bytes(bytes);
}

/* Orders of channels: three bits each, the component that stands there; 4 is 0. Luminance is said to be blue, as
 * the driver inverts "red, red, red"; it draws equal ones, of which red is taken here (ours). */
enum { RGBA = MALI_ORDER_RGBA, BGRA = 0x60a, RGB0 = 0x888, BGR0 = 0x80a, ABGR = 0x053, ARGB = 0x29b };
enum { LUMINANCE = 0x922, ALPHA = 0x923, LUMINANCE_ALPHA = 0x91a };

/* Numbers are the same in both versions. */
static const struct writeback {
    uint8_t format; /* MALI_COLOR_FORMAT_ */
    uint16_t swizzle, linear, srgb;
} writebacks[] = {
    {MALI_COLOR_FORMAT_R8G8B8A8, RGBA, RASTER_R8G8B8A8_UNORM, RASTER_R8G8B8A8_SRGB},
    {MALI_COLOR_FORMAT_R8G8B8A8, RGB0, RASTER_R8G8B8X8_UNORM, RASTER_R8G8B8X8_SRGB},
    {MALI_COLOR_FORMAT_R8G8B8A8, BGRA, RASTER_B8G8R8A8_UNORM, RASTER_B8G8R8A8_SRGB},
    {MALI_COLOR_FORMAT_R8G8B8A8, BGR0, RASTER_B8G8R8X8_UNORM, RASTER_B8G8R8X8_SRGB},
    {MALI_COLOR_FORMAT_R8G8B8A8, ABGR, RASTER_A8B8G8R8_UNORM, RASTER_A8B8G8R8_SRGB},
    {MALI_COLOR_FORMAT_R8G8B8A8, ARGB, RASTER_A8R8G8B8_UNORM, RASTER_A8R8G8B8_SRGB},
    {MALI_COLOR_FORMAT_R8G8B8, RGBA, RASTER_R8G8B8_UNORM, RASTER_R8G8B8_SRGB},
    {MALI_COLOR_FORMAT_R8G8B8, BGRA, RASTER_B8G8R8_UNORM, RASTER_B8G8R8_SRGB},
    {MALI_COLOR_FORMAT_R8G8, RGBA, RASTER_R8G8_UNORM, RASTER_R8G8_SRGB},
    {MALI_COLOR_FORMAT_R8, RGBA, RASTER_R8_UNORM, RASTER_R8_SRGB},
    {MALI_COLOR_FORMAT_R8, LUMINANCE, RASTER_L8_UNORM, RASTER_L8_SRGB},
    {MALI_COLOR_FORMAT_R8, ALPHA, RASTER_A8_UNORM, 0},
    {MALI_COLOR_FORMAT_R8G8, LUMINANCE_ALPHA, RASTER_L8A8_UNORM, RASTER_L8A8_SRGB},
    {MALI_COLOR_FORMAT_R4G4B4A4, RGBA, RASTER_R4G4B4A4_UNORM, 0},
    {MALI_COLOR_FORMAT_R4G4B4A4, BGRA, RASTER_B4G4R4A4_UNORM, 0},
    {MALI_COLOR_FORMAT_R4G4B4A4, RGB0, RASTER_R4G4B4X4_UNORM, 0},
    {MALI_COLOR_FORMAT_R4G4B4A4, BGR0, RASTER_B4G4R4X4_UNORM, 0},
    {MALI_COLOR_FORMAT_R5G6B5, RGBA, RASTER_R5G6B5_UNORM, 0},
    {MALI_COLOR_FORMAT_R5G6B5, BGRA, RASTER_B5G6R5_UNORM, 0},
    {MALI_COLOR_FORMAT_R10G10B10A2, RGBA, RASTER_R10G10B10A2_UNORM, 0},
    {MALI_COLOR_FORMAT_R10G10B10A2, RGB0, RASTER_R10G10B10X2_UNORM, 0},
    {MALI_COLOR_FORMAT_R10G10B10A2, BGRA, RASTER_B10G10R10A2_UNORM, 0},
    {MALI_COLOR_FORMAT_R10G10B10A2, BGR0, RASTER_B10G10R10X2_UNORM, 0},
    {MALI_COLOR_FORMAT_A2B10G10R10, ABGR, RASTER_A2B10G10R10_UNORM, 0},
    {MALI_COLOR_FORMAT_R5G5B5A1, RGBA, RASTER_R5G5B5A1_UNORM, 0},
    {MALI_COLOR_FORMAT_R5G5B5A1, RGB0, RASTER_R5G5B5X1_UNORM, 0},
    {MALI_COLOR_FORMAT_R5G5B5A1, BGRA, RASTER_B5G5R5A1_UNORM, 0},
    {MALI_COLOR_FORMAT_R5G5B5A1, BGR0, RASTER_B5G5R5X1_UNORM, 0},
};

/* Channels that the format has: those of the order that count. */
static uint32_t counted(uint32_t format)
{
    return format == MALI_COLOR_FORMAT_R8       ? 07
           : format == MALI_COLOR_FORMAT_R8G8   ? 077
           : format == MALI_COLOR_FORMAT_R8G8B8 ? 0777
           : format == MALI_COLOR_FORMAT_R5G6B5 ? 0777
                                                : 07777;
}

static enum raster_format image_format(enum mali_version version, const struct target *t)
{
    uint32_t bytes = raw_bytes(version, t->writeback), mask = counted(t->writeback);
    if (bytes)
        return raw_image(bytes);
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(writebacks); n++) {
        const struct writeback *w = &writebacks[n];
        if (w->format == t->writeback && !((w->swizzle ^ t->swizzle) & mask))
            return (enum raster_format)(t->srgb && w->srgb ? w->srgb : w->linear);
    }
    return RASTER_FORMAT_NONE;
}

static enum raster_format tile_format(enum mali_version version, const struct target *t)
{
    uint32_t i = t->internal;
    if (i >= MALI_COLOR_BUFFER_INTERNAL_FORMAT_RAW8 && i <= MALI_COLOR_BUFFER_INTERNAL_FORMAT_RAW128)
        return raw_of_bytes(1u << (i - MALI_COLOR_BUFFER_INTERNAL_FORMAT_RAW8));
    if (i == MALI_COLOR_BUFFER_INTERNAL_FORMAT_RAW_VALUE)
        return raw_of_bytes(raw_bytes(version, t->writeback));
    if (i >= UTIL_ARRAY_SIZE(internals))
        return RASTER_FORMAT_NONE;
    if (internals[i].format == RASTER_R8G8B8A8_UNORM && t->srgb)
        return RASTER_R8G8B8A8_SRGB;
    return (enum raster_format)internals[i].format;
}

/* A clear value as a pixel of the tile: of each channel the whole part. */
static void set_clear(const struct target *t, enum raster_format format, bool raw, uint32_t word[4])
{
    memset(word, 0, 4 * sizeof *word);
    if (raw) {
        memcpy(word, t->clear, raster_format_bytes(format));
        return;
    }
    const struct internal *i = &internals[t->internal];
    const struct raster_texel *texel = &raster_texels[format];
    for (unsigned c = 0, at = 0; c < 4; c++) {
        uint32_t whole = i->whole[c], value = whole ? util_bits(t->clear[0], at + i->fraction[c], whole) : 0;
        if (t->internal == MALI_COLOR_BUFFER_INTERNAL_FORMAT_R8G8B8A2 && c == 3)
            value *= 85;
        if (whole)
            word[0] |= value << texel->channel[c].at;
        at += whole + i->fraction[c];
    }
}

/* ---- images ---- */

static bool set_layout(const struct taking *t, uint32_t block_format, uint32_t row_stride,
                       struct raster_surface *s)
{
    uint32_t bytes = raster_format_bytes((enum raster_format)s->format);
    if (block_format == MALI_BLOCK_FORMAT_LINEAR) {
        s->layout = RASTER_LINEAR;
        s->stride = row_stride;
        return true;
    }
    if (block_format != MALI_BLOCK_FORMAT_TILED_U_INTERLEAVED)
        return refuse(t, "an image whose blocks have format", block_format);
    s->layout = RASTER_UTGARD_TILED;
    s->stride = row_stride / (256 * bytes); /* squares of 16x16 pixels a row */
    return true;
}

static bool add_store(const struct taking *t, const struct mali_store *store)
{
    struct mali_targets *out = t->out;
    struct mali_store *s = &out->store[out->store_count];
    uint64_t bytes;
    *s = *store;
    if (!raster_targets_image_size(&s->surface, &bytes))
        return mali_stop_set(t->stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_PACKET, UNIT, t->frame->address,
                             "an image of %ux%u pixels does not have rows of %u", s->surface.width,
                             s->surface.height, s->surface.stride);
    s->surface.base = mali_at(t->space, s->address, bytes, GPU_RIGHT_WRITE, UNIT, "image", t->stop);
    out->store_count += s->surface.base != NULL;
    return s->surface.base;
}

/* From a sample's plane to the next one's. Mesa writes no stride into a T720's framebuffer (pan_cs.c), and lays planes
 * out one behind the other: that is what 0 means (ours), as planes in one place mean nothing. */
static uint64_t plane_bytes(const struct taking *t, const struct plane *p)
{
    const uint32_t height = t->out->height;
    if (p->surface_stride)
        return p->surface_stride;
    return (uint64_t)p->row_stride *
           (p->block_format == MALI_BLOCK_FORMAT_LINEAR ? height : util_div_up(height, 16));
}

/* All images of a part of the tile: one, or with layers or samples beside each other a plane a sample. */
static bool add_stores(const struct taking *t, const struct plane *p)
{
    const struct raster_targets *tile = &t->out->tile;
    bool each = p->msaa == MALI_MSAA_LAYERED;
    struct mali_store store = {
        .of = p->of,
        .count = p->msaa == MALI_MSAA_AVERAGE ? tile->samples : 1,
        .address = p->base,
        .surface = {.width = t->out->width, .height = t->out->height, .format = p->format}};
    if (p->msaa == MALI_MSAA_MULTIPLE)
        return refuse(t, "writing samples back in mode", p->msaa);
    if (!set_layout(t, p->block_format, p->row_stride, &store.surface))
        return false;
    for (; store.first < (each ? tile->samples : 1u); store.first++, store.address += plane_bytes(t, p))
        if (!add_store(t, &store))
            return false;
    return true;
}

/* ---- targets ---- */

static struct target target_of(enum mali_version version, const struct mali_frame *frame, uint32_t n)
{
    const struct mali_sfb *s = &frame->single;
    const struct mali_target *r = &frame->target[n];
    if (version == MALI_V4)
        return (struct target){
            .internal = s->internal_format,
            .writeback = s->color_writeback_format,
            .block_format = s->color_block_format,
            .msaa = s->msaa,
            .swizzle = s->swizzle,
            .row_stride = s->color_writeback_row_stride,
            .surface_stride = s->color_writeback_surface_stride,
            .base = s->color_writeback_base,
            .write = s->color_write_enable,
            .srgb = s->srgb,
            .clear = {s->clear_color_0, s->clear_color_1, s->clear_color_2, s->clear_color_3}};
    return (struct target){.internal = r->internal_format,
                           .writeback = r->writeback_format,
                           .block_format = r->writeback_block_format,
                           .msaa = r->writeback_msaa,
                           .swizzle = r->swizzle,
                           .row_stride = r->writeback_row_stride,
                           .surface_stride = r->writeback_surface_stride,
                           .base = r->writeback_base,
                           .write = r->write_enable,
                           .srgb = r->srgb,
                           .clear = {r->clear_color_0, r->clear_color_1, r->clear_color_2, r->clear_color_3}};
}

static bool read_targets(const struct taking *t, enum mali_version version, enum raster_depth_kind depth,
                         uint32_t samples)
{
    enum raster_format format[MALI_TARGETS];
    for (uint32_t n = 0; n < t->frame->target_count; n++) {
        const struct target target = target_of(version, t->frame, n);
        format[n] = tile_format(version, &target);
        t->out->raw[n] = target.internal == MALI_COLOR_BUFFER_INTERNAL_FORMAT_RAW_VALUE ||
                         target.internal >= MALI_COLOR_BUFFER_INTERNAL_FORMAT_RAW8;
        if (format[n] == RASTER_FORMAT_NONE)
            return refuse(t, "a target of internal format", target.internal);
        set_clear(&target, format[n], t->out->raw[n], t->out->clear[n]);
    }
    if (!raster_targets_init(&t->out->tile, format, t->frame->target_count, samples, depth))
        return refuse(t, "a frame with samples a pixel of", samples);
    for (uint32_t n = 0; n < t->frame->target_count; n++) {
        const struct target target = target_of(version, t->frame, n);
        struct plane plane = {n,
                              image_format(version, &target),
                              target.block_format,
                              target.msaa,
                              target.row_stride,
                              target.surface_stride,
                              target.base};
        if (!target.write)
            continue;
        if (plane.format == RASTER_FORMAT_NONE)
            return refuse(t, "a target's write-back format", target.writeback | target.swizzle << 8);
        if (!add_stores(t, &plane))
            return false;
    }
    return true;
}

/* ---- depth and stencil ---- */

static uint32_t depth_format(uint32_t format)
{
    static const uint16_t formats[16] = {[MALI_ZS_FORMAT_D16] = RASTER_Z16_UNORM,
                                         [MALI_ZS_FORMAT_D24X8] = RASTER_Z24X8_UNORM,
                                         [MALI_ZS_FORMAT_D24S8] = RASTER_Z24_UNORM_S8_UINT,
                                         [MALI_ZS_FORMAT_X8D24] = RASTER_X8Z24_UNORM,
                                         [MALI_ZS_FORMAT_S8D24] = RASTER_S8_UINT_Z24_UNORM,
                                         [MALI_ZS_FORMAT_D32] = RASTER_Z32_FLOAT,
                                         [MALI_ZS_FORMAT_D32_S8X24] = RASTER_Z32_FLOAT_S8X24_UINT};
    return format < UTIL_ARRAY_SIZE(formats) ? formats[format] : RASTER_FORMAT_NONE;
}

static uint32_t stencil_format(uint32_t format)
{
    return format == MALI_S_FORMAT_S8          ? RASTER_S8_UINT
           : format == MALI_S_FORMAT_X24S8     ? RASTER_X24S8_UINT
           : format == MALI_S_FORMAT_S8X24     ? RASTER_S8X24_UINT
           : format == MALI_S_FORMAT_X32_S8X24 ? RASTER_X32_S8X24_UINT
                                               : RASTER_FORMAT_NONE;
}

static bool has_stencil(uint32_t zs_format)
{
    return zs_format == MALI_ZS_FORMAT_D24S8 || zs_format == MALI_ZS_FORMAT_S8D24 ||
           zs_format == MALI_ZS_FORMAT_D32_S8X24;
}

static enum raster_depth_kind depth_kind(enum mali_version version, const struct mali_frame *frame)
{
    if (version != MALI_V4)
        return frame->several.z_internal_format == MALI_Z_INTERNAL_FORMAT_D16   ? RASTER_DEPTH_UNORM16
               : frame->several.z_internal_format == MALI_Z_INTERNAL_FORMAT_D24 ? RASTER_DEPTH_UNORM24
                                                                                : RASTER_DEPTH_FLOAT32;
    uint32_t format = frame->single.zs_format;
    return format == MALI_ZS_FORMAT_D16                                         ? RASTER_DEPTH_UNORM16
           : format == MALI_ZS_FORMAT_D32 || format == MALI_ZS_FORMAT_D32_S8X24 ? RASTER_DEPTH_FLOAT32
                                                                                : RASTER_DEPTH_UNORM24;
}

/* An image of both where the format has both and none of stencil alone is written: drivers enable the write of
 * depth then (Mesa's pan_job.c). */
static bool add_zs(const struct taking *t, struct plane *z, struct plane *s, bool write_z, bool write_s)
{
    uint32_t zs_format = z->format;
    z->format = depth_format(zs_format);
    s->format = stencil_format(s->format);
    bool one = !write_s || s->base == z->base || !s->base;
    if (has_stencil(zs_format) && one) {
        z->of = write_z ? RASTER_OF_DEPTH_STENCIL : RASTER_OF_STENCIL;
        write_z |= write_s;
        write_s = false;
    }
    if (write_z && z->format == RASTER_FORMAT_NONE)
        return refuse(t, "depth of format", zs_format);
    if (write_s && s->format == RASTER_FORMAT_NONE)
        return refuse(t, "stencil of its format for target", s->of);
    return (!write_z || add_stores(t, z)) && (!write_s || add_stores(t, s));
}

static bool read_zs(const struct taking *t, enum mali_version version)
{
    const struct mali_frame *f = t->frame;
    if (version == MALI_V4) {
        const struct mali_sfb *d = &f->single;
        struct plane z = {RASTER_OF_DEPTH,
                          d->zs_format,
                          d->zs_block_format,
                          d->msaa,
                          d->zs_writeback_row_stride,
                          d->zs_writeback_surface_stride,
                          d->zs_writeback_base};
        struct plane s = {RASTER_OF_STENCIL,         d->s_format,
                          d->s_block_format,         d->msaa,
                          d->s_writeback_row_stride, d->s_writeback_surface_stride,
                          d->s_writeback_base};
        return add_zs(t, &z, &s, d->zs_write_enable, d->s_write_enable);
    }
    const struct mali_zs_crc *d = &f->zs_crc;
    struct plane z = {RASTER_OF_DEPTH,     d->zs_write_format,         d->zs_block_format,
                      d->zs_msaa,          d->zs_writeback_row_stride, d->zs_writeback_surface_stride,
                      d->zs_writeback_base};
    struct plane s = {RASTER_OF_STENCIL,  d->s_write_format,         d->s_block_format,
                      d->s_msaa,          d->s_writeback_row_stride, d->s_writeback_surface_stride,
                      d->s_writeback_base};
    return !f->has_zs_crc || add_zs(t, &z, &s, f->several.z_write_enable, f->several.s_write_enable);
}

/* ---- what is only cleared ---- */

/* What each store makes of pixels on which nothing was drawn. */
static void set_filled(struct mali_targets *targets)
{
    struct raster_tile tile;
    tile.width = tile.height = 4; /* a block stands for all */
    tile.samples = targets->tile.samples;
    mali_targets_clear(targets, &tile);
    targets->fills = true;
    for (uint32_t n = 0; n < targets->store_count; n++) {
        struct mali_store *s = &targets->store[n];
        targets->fills &=
            raster_targets_pixel(&targets->tile, &tile, s->of, &s->surface, s->first, s->count, &s->cleared);
    }
}

bool mali_targets_fill(const struct mali_targets *targets, const struct raster_rect *pixels)
{
    for (uint32_t n = 0; targets->fills && n < targets->store_count; n++)
        raster_surface_fill_pixel(&targets->store[n].surface, &targets->store[n].cleared, pixels);
    return targets->fills;
}

/* ---- all of it ---- */

bool mali_targets_read(const struct gpu_space *space, enum mali_version version,
                       const struct mali_frame *frame, struct mali_targets *out, struct mali_stop *stop)
{
    const struct taking t = {space, frame, out, stop};
    enum raster_depth_kind depth = depth_kind(version, frame);
    bool v4 = version == MALI_V4;
    *out = (struct mali_targets){.clear_stencil =
                                     (uint8_t)(v4 ? frame->single.s_clear : frame->several.s_clear)};
    out->width = v4 ? frame->single.bound_max_x + 1 : frame->several.width;
    out->height = v4 ? frame->single.bound_max_y + 1 : frame->several.height;
    out->clear_depth = raster_depth_encode(depth, v4 ? frame->single.z_clear : frame->several.z_clear);
    if (!read_targets(&t, version, depth, v4 ? frame->single.sample_count : frame->several.sample_count) ||
        !read_zs(&t, version))
        return false;
    set_filled(out);
    return true;
}

void mali_targets_clear(const struct mali_targets *targets, struct raster_tile *tile)
{
    tile->targets = &targets->tile;
    for (uint32_t n = 0; n < targets->tile.count; n++)
        raster_targets_clear(&targets->tile, tile, n, targets->clear[n]);
    raster_targets_clear_zs(&targets->tile, tile, targets->clear_depth, targets->clear_stencil);
}

void mali_targets_store(const struct mali_targets *targets, uint32_t n, const struct raster_tile *tile)
{
    const struct mali_store *s = &targets->store[n];
    raster_targets_store(&targets->tile, tile, s->of, &s->surface, s->first, s->count);
}
