/* Render targets of frames: what framebuffers of all versions say of them. A tile holds a target as its internal format
 * has it: a normalised format, or of raw ones as many bits, which only blend shaders make sense of. */
#include "gpu/mali/targets.h"

#include <string.h>

#include "gpu/mali/target_format.h"
#include "util/bits.h"

#define UNIT "framebuffer"

/* An image that a part of the tile goes to, in all versions' words. */
struct plane {
    uint32_t of; /* as struct mali_store has it */
    enum raster_format format;
    enum mali_image_layout layout;
    uint32_t msaa, row_stride, surface_stride;
    uint64_t base;
    bool clean;
    /* Of AFBC. `mode`: v9's word for its format, or MODE_ANY. */
    uint64_t header, body;
    uint32_t header_stride, mode;
    bool wide;
};
enum { MODE_ANY = 64 };

/* A render target. */
struct target {
    struct mali_target_format format;
    struct plane plane; /* but for `of` and its format */
    bool write, yuv;
    uint32_t clear[4];
};

struct taking {
    const struct gpu_space *space;
    enum mali_version version;
    const struct mali_frame *frame;
    struct mali_targets *out;
    struct mali_stop *stop;
};

static bool refuse(const struct taking *t, const char *what, uint32_t number)
{
    return mali_stop_set(t->stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_UNSUPPORTED, UNIT, t->frame->address,
                         "%s %u is not done", what, number);
}

bool mali_targets_is_plain(enum raster_format format)
{
    return format == RASTER_R8G8B8A8_UNORM || format == RASTER_R8G8B8A8_SRGB ||
           format == mali_raw_format(raster_format_bytes(format));
}

/* ---- images ---- */

static bool set_layout(const struct taking *t, const struct plane *p, struct raster_surface *s)
{
    if (p->layout == MALI_IMAGE_LINEAR) {
        s->layout = RASTER_LINEAR;
        s->stride = p->row_stride;
        return true;
    }
    if (p->layout != MALI_IMAGE_TILED)
        return refuse(t, "an image of tiled linear blocks: part", p->of);
    s->layout = RASTER_UTGARD_TILED;
    s->stride = p->row_stride / (256 * raster_format_bytes(p->format)); /* squares of 16x16 pixels a row */
    return true;
}

static bool is_afbc(enum mali_image_layout layout)
{
    return layout == MALI_IMAGE_AFBC || layout == MALI_IMAGE_AFBC_TILED;
}

/* Bytes from a row of headers, or of squares of them, to the next: v9 says those, earlier ones headers of a row. */
static uint32_t header_stride(const struct taking *t, enum mali_image_layout layout, uint32_t stride)
{
    const uint32_t rows = layout == MALI_IMAGE_AFBC_TILED ? MALI_AFBC_SQUARE : 1;
    return t->version >= MALI_V9 ? stride : stride * MALI_AFBC_HEADER * rows;
}

/* Headers and bodies, which may be written, the bodies within 4 GiB behind the headers. */
static bool add_afbc(const struct taking *t, const struct plane *p, const struct mali_store *store)
{
    struct mali_targets *out = t->out;
    struct mali_store *s = &out->store[out->store_count];
    const uint32_t bytes = raster_format_bytes(p->format);
    struct mali_afbc image = {.header = p->header,
                              .body = p->body,
                              .width = out->width,
                              .height = out->height,
                              .row_bytes = p->header_stride,
                              .bytes = (uint8_t)bytes,
                              .tiled = p->layout == MALI_IMAGE_AFBC_TILED,
                              .has_colors = mali_afbc_has_colors(t->version, p->format)};
    mali_afbc_set_superblock(&image,
                             p->wide ? MALI_AFBC_SUPERBLOCK_SIZE_32X8 : MALI_AFBC_SUPERBLOCK_SIZE_16X16);
    if (t->version <= MALI_V5 || p->msaa == MALI_MSAA_LAYERED ||
        (p->mode != MODE_ANY && mali_afbc_mode_bytes(p->mode) != bytes))
        return refuse(t, "AFBC of this kind: part", p->of);
    if (!mali_afbc_is_sane(&image) || p->body < p->header ||
        p->body - p->header > UINT32_MAX - mali_afbc_body_bytes(&image))
        return mali_stop_set(t->stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_PACKET, UNIT, t->frame->address,
                             "AFBC of %ux%u pixels does not have rows of %u", image.width, image.height,
                             image.row_bytes);
    *s = *store;
    s->is_afbc = true;
    s->to.image = image;
    s->to.headers = mali_at(t->space, image.header, mali_afbc_header_bytes(&image), GPU_RIGHT_WRITE, UNIT,
                            "AFBC headers", t->stop);
    if (s->to.headers)
        s->to.bodies = mali_at(t->space, image.body, mali_afbc_body_bytes(&image), GPU_RIGHT_WRITE, UNIT,
                               "AFBC bodies", t->stop);
    out->store_count += s->to.bodies != NULL;
    out->shares |= p->wide;
    return s->to.bodies;
}

static bool add_store(const struct taking *t, const struct mali_store *store)
{
    struct mali_targets *out = t->out;
    struct mali_store *s = &out->store[out->store_count];
    uint64_t bytes;
    *s = *store;
    /* Rows that overlap would take pixels in the order in which workers come. */
    const uint64_t row =
        (uint64_t)s->surface.width * raster_format_bytes((enum raster_format)s->surface.format);
    const bool apart =
        s->surface.layout != RASTER_LINEAR || s->surface.height == 1 || s->surface.stride >= row;
    if (!apart || !raster_targets_image_size(&s->surface, &bytes))
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
    return (uint64_t)p->row_stride * (p->layout == MALI_IMAGE_LINEAR ? height : util_div_up(height, 16));
}

/* All images of a part of the tile: one, or with layers or samples beside each other a plane a sample. */
static bool add_stores(const struct taking *t, const struct plane *p)
{
    const struct raster_targets *tile = &t->out->tile;
    bool each = p->msaa == MALI_MSAA_LAYERED;
    struct mali_store store = {
        .of = p->of,
        .count = p->msaa == MALI_MSAA_AVERAGE ? tile->samples : 1,
        .clean = p->clean,
        .address = p->base,
        .surface = {.width = t->out->width, .height = t->out->height, .format = p->format}};
    if (p->layout == MALI_IMAGE_NONE)
        return true;
    if (p->msaa == MALI_MSAA_MULTIPLE)
        return refuse(t, "writing samples back in mode", p->msaa);
    if (is_afbc(p->layout))
        return add_afbc(t, p, &store);
    if (!set_layout(t, p, &store.surface))
        return false;
    for (; store.first < (each ? tile->samples : 1u); store.first++, store.address += plane_bytes(t, p))
        if (!add_store(t, &store))
            return false;
    return true;
}

/* ---- targets ---- */

/* Whether tiles on which nothing was drawn are stored, whatever a target asks for: those of v4 and v5, whose drivers
 * bring back what they had with draws of the list, are. */
static bool takes_empty(const struct taking *t)
{
    return t->version <= MALI_V5 || t->frame->several.empty_tile_write_enable;
}

static struct target target_of(const struct taking *t, uint32_t n)
{
    const struct mali_sfb *s = &t->frame->single;
    const struct mali_target *r = &t->frame->target[n];
    if (t->version == MALI_V4)
        return (struct target){
            .format = {s->internal_format, s->color_writeback_format, s->swizzle, s->srgb},
            .plane = {.layout = mali_image_layout_of(t->version, s->color_block_format),
                      .msaa = s->msaa,
                      .row_stride = s->color_writeback_row_stride,
                      .surface_stride = s->color_writeback_surface_stride,
                      .base = s->color_writeback_base,
                      .clean = true},
            .write = s->color_write_enable,
            .clear = {s->clear_color_0, s->clear_color_1, s->clear_color_2, s->clear_color_3}};
    const enum mali_image_layout layout = mali_image_layout_of(t->version, r->writeback_block_format);
    const bool v9 = t->version >= MALI_V9;
    return (struct target){.format = {r->internal_format, r->writeback_format, r->swizzle, r->srgb},
                           .plane = {.layout = layout,
                                     .msaa = r->writeback_msaa,
                                     .row_stride = r->writeback_row_stride,
                                     .surface_stride = r->writeback_surface_stride,
                                     .base = r->writeback_base,
                                     .header = r->afbc_header,
                                     .body = v9 ? r->afbc_header + r->afbc_body_offset : r->afbc_body,
                                     .header_stride = header_stride(t, layout, r->afbc_row_stride),
                                     .mode = v9 ? r->afbc_compression_mode : MODE_ANY,
                                     .wide = r->afbc_wide_block,
                                     .clean = takes_empty(t) || r->clean_pixel_write_enable},
                           .write = r->write_enable,
                           .yuv = r->yuv_enable,
                           .clear = {r->clear_color_0, r->clear_color_1, r->clear_color_2, r->clear_color_3}};
}

/* What the tile has of each. */
static bool take_formats(const struct taking *t, enum raster_depth_kind depth, uint32_t samples)
{
    struct mali_targets *out = t->out;
    enum raster_format format[MALI_TARGETS];
    for (uint32_t n = 0; n < t->frame->target_count; n++) {
        const struct target target = target_of(t, n);
        format[n] = mali_target_in_tile(t->version, &target.format);
        out->raw[n] = mali_target_is_raw(&target.format);
        if (target.yuv)
            return refuse(t, "drawing YUV: target", n);
        if (format[n] == RASTER_FORMAT_NONE)
            return refuse(t, "a target of internal format", target.format.internal);
        mali_target_clear(&target.format, format[n], target.clear, out->clear[n]);
    }
    return raster_targets_init(&out->tile, format, t->frame->target_count, samples, depth) ||
           refuse(t, "a frame with samples a pixel of", samples);
}

static bool read_targets(const struct taking *t, enum raster_depth_kind depth, uint32_t samples)
{
    if (!take_formats(t, depth, samples))
        return false;
    for (uint32_t n = 0; n < t->frame->target_count; n++) {
        struct target target = target_of(t, n);
        if (!target.write)
            continue;
        target.plane.of = n;
        target.plane.format = mali_target_in_image(t->version, &target.format);
        if (target.plane.format == RASTER_FORMAT_NONE)
            return refuse(t, "a target's write-back format",
                          target.format.writeback | target.format.swizzle << 8);
        if (!add_stores(t, &target.plane))
            return false;
    }
    return true;
}

/* ---- depth and stencil ---- */

/* Depth or stencil as the framebuffer says it. */
struct part {
    struct plane plane;
    uint32_t format; /* MALI_ZS_FORMAT_... or MALI_S_FORMAT_... */
    bool write;
};

/* An image of both where the format has both and none of stencil alone is written: drivers enable the write of
 * depth then (Mesa's pan_job.c). Before v9 AFBC of depth leaves no words for an image of stencil. */
static bool add_zs(const struct taking *t, struct part *z, struct part *s)
{
    const bool one = !s->write || s->plane.base == z->plane.base || !s->plane.base ||
                     (is_afbc(z->plane.layout) && t->version < MALI_V9);
    z->plane.format = mali_depth_in_image(z->format);
    s->plane.format = mali_stencil_in_image(s->format);
    if (mali_depth_has_stencil(z->format) && one) {
        z->plane.of = z->write ? RASTER_OF_DEPTH_STENCIL : RASTER_OF_STENCIL;
        z->write |= s->write;
        s->write = false;
    }
    if (z->write && z->plane.format == RASTER_FORMAT_NONE)
        return refuse(t, "depth of format", z->format);
    if (s->write && s->plane.format == RASTER_FORMAT_NONE)
        return refuse(t, "stencil of format", s->format);
    return (!z->write || add_stores(t, &z->plane)) && (!s->write || add_stores(t, &s->plane));
}

static bool read_zs_v4(const struct taking *t)
{
    const struct mali_sfb *d = &t->frame->single;
    struct part z = {.plane = {.of = RASTER_OF_DEPTH,
                               .layout = mali_image_layout_of(t->version, d->zs_block_format),
                               .msaa = d->msaa,
                               .row_stride = d->zs_writeback_row_stride,
                               .surface_stride = d->zs_writeback_surface_stride,
                               .base = d->zs_writeback_base,
                               .clean = true},
                     .format = d->zs_format,
                     .write = d->zs_write_enable};
    struct part s = {.plane = {.of = RASTER_OF_STENCIL,
                               .layout = mali_image_layout_of(t->version, d->s_block_format),
                               .msaa = d->msaa,
                               .row_stride = d->s_writeback_row_stride,
                               .surface_stride = d->s_writeback_surface_stride,
                               .base = d->s_writeback_base,
                               .clean = true},
                     .format = d->s_format,
                     .write = d->s_write_enable};
    return add_zs(t, &z, &s);
}

/* Where AFBC of depth, or since v9 of stencil, stands; earlier ones have none of stencil alone. */
static void set_afbc(const struct taking *t, struct plane *z, struct plane *s)
{
    const struct mali_zs_crc *d = &t->frame->zs_crc;
    z->mode = s->mode = MODE_ANY;
    if (t->version < MALI_V9) {
        z->header = d->zs_afbc_header;
        z->body = d->zs_afbc_body;
        z->header_stride = header_stride(t, z->layout, d->zs_afbc_row_stride);
        return;
    }
    z->header = d->zs_writeback_base;
    z->body = z->header + d->zs_afbc_body_offset;
    z->header_stride = d->zs_writeback_row_stride;
    s->header = d->s_writeback_base;
    s->body = s->header + d->s_afbc_body_offset;
    s->header_stride = d->s_writeback_row_stride;
}

static bool read_zs(const struct taking *t)
{
    const struct mali_mfb *f = &t->frame->several;
    const struct mali_zs_crc *d = &t->frame->zs_crc;
    const bool clean = takes_empty(t) || d->zs_clean_pixel_write_enable;
    struct part z = {.plane = {.of = RASTER_OF_DEPTH,
                               .layout = mali_image_layout_of(t->version, d->zs_block_format),
                               .msaa = d->zs_msaa,
                               .row_stride = d->zs_writeback_row_stride,
                               .surface_stride = d->zs_writeback_surface_stride,
                               .base = d->zs_writeback_base,
                               .clean = clean},
                     .format = d->zs_write_format,
                     .write = f->z_write_enable};
    struct part s = {.plane = {.of = RASTER_OF_STENCIL,
                               .layout = mali_image_layout_of(t->version, d->s_block_format),
                               .msaa = d->s_msaa,
                               .row_stride = d->s_writeback_row_stride,
                               .surface_stride = d->s_writeback_surface_stride,
                               .base = d->s_writeback_base,
                               .clean = clean},
                     .format = d->s_write_format,
                     .write = f->s_write_enable};
    set_afbc(t, &z.plane, &s.plane);
    return !t->frame->has_zs_crc || add_zs(t, &z, &s);
}

/* ---- what is only cleared ---- */

/* Raw pixels of an image that has others than the tile are their lower bytes, whatever numbers these are. */
static bool is_cut(const struct mali_targets *targets, const struct mali_store *s)
{
    return s->of < targets->tile.count && targets->raw[s->of] &&
           raster_format_bytes((enum raster_format)s->surface.format) !=
               raster_format_bytes((enum raster_format)targets->tile.format[s->of]);
}

/* What a store makes of pixels on which nothing was drawn; false: it takes a tile. */
static bool set_cleared(const struct mali_targets *targets, const struct raster_tile *tile,
                        struct mali_store *s)
{
    const uint32_t bytes = raster_format_bytes((enum raster_format)s->surface.format);
    if (s->is_afbc)
        return false;
    if (!is_cut(targets, s))
        return raster_targets_pixel(&targets->tile, tile, s->of, &s->surface, s->first, s->count,
                                    &s->cleared);
    if (sizeof s->cleared.set % bytes)
        return false;
    memcpy(s->cleared.set, targets->clear[s->of], bytes);
    return true;
}

static void set_filled(struct mali_targets *targets)
{
    struct raster_tile tile;
    tile.width = tile.height = 4; /* a block stands for all */
    tile.samples = targets->tile.samples;
    mali_targets_clear(targets, &tile);
    targets->fills = true;
    for (uint32_t n = 0; n < targets->store_count; n++)
        targets->fills &= !targets->store[n].clean || set_cleared(targets, &tile, &targets->store[n]);
}

bool mali_targets_fill(const struct mali_targets *targets, const struct raster_rect *pixels)
{
    for (uint32_t n = 0; targets->fills && n < targets->store_count; n++)
        if (targets->store[n].clean)
            raster_surface_fill_pixel(&targets->store[n].surface, &targets->store[n].cleared, pixels);
    return targets->fills;
}

/* ---- all of it ---- */

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

bool mali_targets_read(const struct gpu_space *space, enum mali_version version,
                       const struct mali_frame *frame, struct mali_targets *out, struct mali_stop *stop)
{
    const struct taking t = {space, version, frame, out, stop};
    const enum raster_depth_kind depth = depth_kind(version, frame);
    const bool v4 = version == MALI_V4;
    const uint32_t samples = v4 ? frame->single.sample_count : frame->several.sample_count;
    *out = (struct mali_targets){
        .space = space, .clear_stencil = (uint8_t)(v4 ? frame->single.s_clear : frame->several.s_clear)};
    mali_frame_size(version, frame, &out->width, &out->height);
    out->clear_depth = raster_depth_encode(depth, v4 ? frame->single.z_clear : frame->several.z_clear);
    if (!mali_frame_check(space, version, frame, stop) || !read_targets(&t, depth, samples) ||
        !(v4 ? read_zs_v4(&t) : read_zs(&t)))
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

static void store_cut(const struct mali_targets *targets, const struct mali_store *s,
                      const struct raster_tile *tile)
{
    const uint32_t bytes = raster_format_bytes((enum raster_format)s->surface.format);
    for (uint32_t y = 0; y < tile->height && (uint32_t)tile->y + y < s->surface.height; y++)
        for (uint32_t x = 0; x < tile->width && (uint32_t)tile->x + x < s->surface.width; x++) {
            uint32_t word[4];
            raster_targets_get(&targets->tile, tile, s->of, x, y, s->first, word);
            memcpy(s->surface.base +
                       raster_surface_offset(&s->surface, (uint32_t)tile->x + x, (uint32_t)tile->y + y),
                   word, bytes);
        }
}

void mali_targets_store(const struct mali_targets *targets, uint32_t n, const struct raster_tile *tile)
{
    const struct mali_store *s = &targets->store[n];
    if (s->is_afbc)
        mali_targets_store_afbc(targets, s, tile);
    else if (is_cut(targets, s))
        store_cut(targets, s, tile);
    else
        raster_targets_store(&targets->tile, tile, s->of, &s->surface, s->first, s->count);
}
