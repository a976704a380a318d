/* Where tiles are loaded from and stored to: images in guest memory, described by records 24 to 29 and the
 * configuration; and which operations may not run at once because they meet in memory. */
#include "gpu/vc4/renderer_internal.h"
#include "util/bits.h"

/* Record 28 and 29, "buffer". */
enum { BUFFER_NONE, BUFFER_COLOR, BUFFER_ZS, BUFFER_Z, BUFFER_VG_MASK, BUFFER_FULL };
/* Record 28, "mode", and record 113, "decimate mode". */
enum { MODE_SAMPLE0, MODE_DECIMATE4, MODE_DECIMATE16 };

static bool fail(struct gpu_fault *fault, enum gpu_fault_kind kind, uint32_t address, const char *what)
{
    gpu_fault_set(fault, kind, VC4_RENDERER_UNIT, address, "%s", what);
    return false;
}

/* Rows of an image are whole utiles in every layout, and whole 4 KiB tiles in T-format (Guide section 11). */
static uint32_t image_stride(uint32_t width, uint32_t layout, uint32_t bytes)
{
    uint32_t utile_width = bytes == 1 ? 8 : 16 / bytes;
    if (layout == RASTER_LINEAR) /* multiples of 16 bytes */
        return (uint32_t)util_align((uint64_t)width * bytes, 16);
    return util_div_up(width, layout == RASTER_VC4_T ? utile_width * 8 : utile_width);
}

/* Sets op->resolve from `mode` as in the records. Colours of 64 bits have no modes ("applies to non-HDR
 * Color store only"): their samples are resolved. Of tiles of one sample each pixel counts as one. */
static bool decimate(const struct vc4_render_config *config, uint32_t mode, uint32_t address,
                     struct vc4_op *op, struct gpu_fault *fault)
{
    if (config->rgba16f)
        mode = config->samples > 1 ? MODE_DECIMATE4 : MODE_SAMPLE0;
    if (mode > MODE_DECIMATE16)
        return fail(fault, GPU_FAULT_PACKET, address, "reserved decimation mode");
    if (mode == MODE_DECIMATE16 && config->samples == 1)
        return fail(fault, GPU_FAULT_PACKET, address, "decimation by 16 of tiles of one sample");
    bool shrinks = mode == MODE_DECIMATE16 || (mode == MODE_DECIMATE4 && config->samples == 1);
    op->resolve.count = mode == MODE_SAMPLE0 ? 1 : (uint8_t)config->samples;
    op->resolve.shrink_x = op->resolve.shrink_y = shrinks;
    return true;
}

/* What is stored and loaded: planes and their formats. Of colours record 28 and record 113 have numbers of
 * their own for rgba8888, bgr565 dithered and bgr565 (Guide table 38). */
struct image_kind {
    uint16_t format;
    uint8_t plane;
    bool dither;
};
static const struct image_kind general_colors[] = {{.format = RASTER_R8G8B8A8_UNORM},
                                                   {.format = RASTER_B5G6R5_UNORM, .dither = true},
                                                   {.format = RASTER_B5G6R5_UNORM}};
static const struct image_kind config_colors[] = {{.format = RASTER_B5G6R5_UNORM, .dither = true},
                                                  {.format = RASTER_R8G8B8A8_UNORM},
                                                  {.format = RASTER_B5G6R5_UNORM}};
static const struct image_kind hdr_color = {.format = RASTER_R16G16B16A16_FLOAT},
                               depth_stencil = {RASTER_S8_UINT_Z24_UNORM, RASTER_PLANE_ZS, false},
                               depth = {RASTER_S8_UINT_Z24_UNORM, RASTER_PLANE_DEPTH, false},
                               vg_mask = {RASTER_R8_UINT, RASTER_PLANE_MASK, false};

/* Fills op->surface and checks that it lies in memory. `layout` as in the records: 0 raster, 1 T, 2 LT. The
 * width and height of record 113 are of what is drawn (ours). */
static bool place(const struct vc4_device *device, const struct vc4_render_config *config, uint32_t base,
                  uint32_t layout, const struct image_kind *kind, uint32_t address, struct vc4_op *op,
                  struct gpu_fault *fault)
{
    static const uint8_t layouts[] = {RASTER_LINEAR, RASTER_VC4_T, RASTER_VC4_LT};
    uint64_t bytes;
    if (!config->set)
        return fail(fault, GPU_FAULT_PACKET, address, "no tile rendering configuration before");
    if (layout >= UTIL_ARRAY_SIZE(layouts))
        return fail(fault, GPU_FAULT_PACKET, address, "reserved memory format");
    op->surface = (struct raster_surface){.width = util_div_up(config->width, 1u << op->resolve.shrink_x),
                                          .height = util_div_up(config->height, 1u << op->resolve.shrink_y),
                                          .layout = layouts[layout],
                                          .format = kind->format,
                                          .plane = kind->plane,
                                          .dither = kind->dither};
    op->surface.stride = image_stride(op->surface.width, layouts[layout],
                                      raster_format_bytes((enum raster_format)kind->format));
    if (!raster_surface_size(&op->surface, &bytes))
        return fail(fault, GPU_FAULT_PACKET, address, "impossible image");
    op->surface.base = gpu_memory_at(device->memory, base, bytes);
    if (op->surface.base)
        return true;
    gpu_fault_set(fault, GPU_FAULT_MEMORY, VC4_RENDERER_UNIT, address,
                  "image of %u x %u pixels at 0x%08x (%llu bytes) lies outside memory", op->surface.width,
                  op->surface.height, base, (unsigned long long)bytes);
    return false;
}

bool vc4_general_surface(const struct vc4_device *device, const struct vc4_render_config *config,
                         const struct vc4_cl_record *record, uint32_t address, struct vc4_op *op,
                         struct gpu_fault *fault)
{
    const struct image_kind *kind = &depth_stencil;
    bool store = record->id == VC4_CL_STORE_GENERAL;
    uint32_t buffer = (uint32_t)record->field[VC4_GENERAL_BUFFER],
             color = (uint32_t)record->field[VC4_GENERAL_COLOR_FORMAT];
    uint32_t mode = store ? (uint32_t)record->field[VC4_GENERAL_MODE] : MODE_SAMPLE0;

    op->type = store ? VC4_OP_STORE : VC4_OP_LOAD;
    op->store = store;
    op->address = address;
    op->resolve = (struct raster_resolve){.count = 1};
    switch (buffer) {
    case BUFFER_COLOR:
        op->buffer = VC4_BUFFER_COLOR;
        if (!decimate(config, mode, address, op, fault))
            return false;
        if (!config->rgba16f && color >= UTIL_ARRAY_SIZE(general_colors))
            return fail(fault, GPU_FAULT_PACKET, address, "reserved colour format");
        kind = config->rgba16f ? &hdr_color : &general_colors[color];
        break;
    case BUFFER_ZS: op->buffer = VC4_BUFFER_ZS; break;
    case BUFFER_Z:
        if (!store)
            return fail(fault, GPU_FAULT_PACKET, address, "a load of depth alone does not exist");
        op->buffer = VC4_BUFFER_Z;
        kind = &depth;
        break;
    case BUFFER_VG_MASK:
        if (!config->has_mask)
            return fail(fault, GPU_FAULT_PACKET, address, "VG mask buffer, which is not enabled");
        op->buffer = VC4_BUFFER_MASK;
        kind = &vg_mask;
        break;
    case BUFFER_FULL: return vc4_raw_tile(device, config, record, address, op, fault);
    default: return fail(fault, GPU_FAULT_PACKET, address, "reserved buffer");
    }
    return place(device, config, (uint32_t)record->field[VC4_GENERAL_ADDRESS],
                 (uint32_t)record->field[VC4_GENERAL_LAYOUT], kind, address, op, fault);
}

bool vc4_config_surface(const struct vc4_device *device, const struct vc4_render_config *config,
                        uint32_t address, struct vc4_op *op, struct gpu_fault *fault)
{
    op->type = VC4_OP_STORE;
    op->store = true;
    op->buffer = VC4_BUFFER_COLOR;
    op->address = address;
    if (config->color_format >= UTIL_ARRAY_SIZE(config_colors))
        return fail(fault, GPU_FAULT_PACKET, address, "reserved frame buffer format");
    if (!decimate(config, config->decimate, address, op, fault))
        return false;
    return place(device, config, config->address, config->layout,
                 config->rgba16f ? &hdr_color : &config_colors[config->color_format], address, op, fault);
}

/* Colour, depth and stencil, and mask follow each other, those that are asked for (ours: "the data is written
 * and read in a format internal to the 3D system", Guide section 5). */
static const struct {
    uint32_t half;
    enum raster_plane plane;
} raw_parts[] = {
    {VC4_HALF_COLOR, RASTER_PLANE_COLOR}, {VC4_HALF_ZS, RASTER_PLANE_ZS}, {VC4_HALF_MASK, RASTER_PLANE_MASK}};

bool vc4_raw_tile(const struct vc4_device *device, const struct vc4_render_config *config,
                  const struct vc4_cl_record *record, uint32_t address, struct vc4_op *op,
                  struct gpu_fault *fault)
{
    bool general = record->id == VC4_CL_STORE_GENERAL || record->id == VC4_CL_LOAD_GENERAL;
    bool no_color = record->field[general ? VC4_GENERAL_NO_COLOR : VC4_FULL_RES_NO_COLOR];
    bool no_zs = record->field[general ? VC4_GENERAL_NO_ZS : VC4_FULL_RES_NO_ZS];
    bool mask = general && config->has_mask && !record->field[VC4_GENERAL_NO_VG];
    uint64_t base = record->field[general ? VC4_GENERAL_ADDRESS : VC4_FULL_RES_ADDRESS];
    op->type = VC4_OP_RAW;
    op->store = record->id == VC4_CL_STORE_FULL_RES || record->id == VC4_CL_STORE_GENERAL;
    op->address = address;
    op->buffer =
        (uint8_t)((no_color ? 0 : VC4_HALF_COLOR) | (no_zs ? 0 : VC4_HALF_ZS) | (mask ? VC4_HALF_MASK : 0));
    op->raw.bytes = NULL;
    op->raw.size = 0;
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(raw_parts); i++)
        op->raw.size += op->buffer & raw_parts[i].half ? RASTER_TILE_DUMP_BYTES : 0;
    if (!op->raw.size)
        return true;
    op->raw.bytes = gpu_memory_at(device->memory, base, op->raw.size);
    if (op->raw.bytes)
        return true;
    gpu_fault_set(fault, GPU_FAULT_MEMORY, VC4_RENDERER_UNIT, address,
                  "full-resolution tile at 0x%08llx lies outside memory", (unsigned long long)base);
    return false;
}

/* A full-resolution tile of the buffer: samples as they stand (raster/tile.h gives the order), each part
 * in 16 KiB. */
void vc4_raw_move(const struct vc4_op *op, struct raster_tile *tile)
{
    uint8_t *at = op->raw.bytes;
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(raw_parts); i++) {
        enum raster_plane plane = raw_parts[i].plane;
        if (!(op->buffer & raw_parts[i].half))
            continue;
        if (op->store)
            raster_tile_dump(tile, plane, at);
        else
            raster_tile_undump(tile, plane, at);
        at += RASTER_TILE_DUMP_BYTES;
    }
}

/* ---- what may run at once ---- */

/* What an operation touches. False when it touches no memory. */
static bool extent_of(const struct gpu_memory *memory, const struct vc4_op *op, uint32_t job,
                      struct vc4_extent *out)
{
    *out = (struct vc4_extent){.job = job, .write = op->store};
    if (op->type == VC4_OP_RAW) {
        if (!op->raw.bytes)
            return false;
        out->start = (uint64_t)(op->raw.bytes - memory->base);
        out->end = out->start + op->raw.size;
        return true;
    }
    uint64_t bytes = 0;
    raster_surface_size(&op->surface, &bytes);
    out->surface = op->surface;
    out->start = (uint64_t)(op->surface.base - memory->base);
    out->end = out->start + bytes;
    return true;
}

/* Two tiles of the same image meet only where their positions are the same; depth and stencil stores of one
 * kind and another share a position too. */
bool vc4_same_image(const struct raster_surface *a, const struct raster_surface *b)
{
    return a->base && a->base == b->base && a->layout == b->layout && a->stride == b->stride &&
           a->width == b->width && a->height == b->height && a->format == b->format && a->dither == b->dither;
}

static struct vc4_tile_owner *owner(struct vc4_renderer *r)
{
    return &r->tile_owner[(r->tile_y & 0xff) << 8 | (r->tile_x & 0xff)];
}

bool vc4_batch_conflict(struct vc4_renderer *r, const struct gpu_memory *memory, const struct vc4_op *op,
                        uint32_t job)
{
    struct vc4_extent e;
    if (!extent_of(memory, op, job, &e))
        return false;
    const struct vc4_tile_owner *o = owner(r);
    if (e.surface.base && o->generation == r->batch.generation && o->job != job)
        return true;
    for (uint32_t i = 0; i < r->batch.extent_count; i++) {
        const struct vc4_extent *known = &r->batch.extents[i];
        if (e.start >= known->end || known->start >= e.end || !(e.write || known->write))
            continue;
        if (!vc4_same_image(&e.surface, &known->surface) && (known->job != job || known->surface.base))
            return true;
    }
    return false;
}

bool vc4_batch_note(struct vc4_renderer *r, const struct gpu_memory *memory, const struct vc4_op *op,
                    uint32_t job)
{
    struct vc4_extent e;
    struct vc4_batch *b = &r->batch;
    if (!extent_of(memory, op, job, &e))
        return true;
    if (e.surface.base) {
        *owner(r) = (struct vc4_tile_owner){.generation = b->generation, .job = job};
        for (uint32_t i = 0; i < b->extent_count; i++) {
            if (vc4_same_image(&e.surface, &b->extents[i].surface)) {
                b->extents[i].write |= e.write;
                return true;
            }
        }
    }
    if (!VC4_GROW(b->extents, b->extent_room, b->extent_count))
        return false;
    b->extents[b->extent_count++] = e;
    return true;
}
