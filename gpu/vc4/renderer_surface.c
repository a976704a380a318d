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
    vc4_fault_set(fault, kind, VC4_RENDERER_UNIT, address, "%s", what);
    return false;
}

/* Rows of an image are whole utiles in every layout, and whole 4 KiB tiles in T-format (Guide section 11). */
static uint32_t image_stride(uint32_t width, uint32_t layout, uint32_t format)
{
    bool narrow = format == RASTER_SURFACE_BGR565 || format == RASTER_SURFACE_BGR565_DITHER;
    uint32_t bytes = narrow ? 2 : 4, utile_width = narrow ? 8 : 4;
    if (layout == RASTER_LINEAR)
        return (uint32_t)util_align(width, utile_width) * bytes;
    return util_div_up(width, layout == RASTER_VC4_T ? utile_width * 8 : utile_width);
}

/* Fills op->surface and checks that it lies in memory. `layout` as in the records: 0 raster, 1 T, 2 LT. */
static bool place(const struct vc4_device *device, const struct vc4_render_config *config, uint32_t base,
                  uint32_t layout, uint32_t format, uint32_t address, struct vc4_op *op,
                  struct gpu_fault *fault)
{
    static const uint8_t layouts[] = {RASTER_LINEAR, RASTER_VC4_T, RASTER_VC4_LT};
    uint64_t bytes;
    if (!config->set)
        return fail(fault, GPU_FAULT_PACKET, address, "no tile rendering configuration before");
    if (layout >= UTIL_ARRAY_SIZE(layouts))
        return fail(fault, GPU_FAULT_PACKET, address, "reserved memory format");
    op->surface = (struct raster_surface){
        .width = config->width,
        .height = config->height,
        .layout = layouts[layout],
        .format = format,
        .stride = image_stride(config->width, layouts[layout], format),
    };
    if (!raster_surface_size(&op->surface, &bytes))
        return fail(fault, GPU_FAULT_PACKET, address, "impossible image");
    op->surface.base = gpu_memory_at(device->memory, base, bytes);
    if (op->surface.base)
        return true;
    vc4_fault_set(fault, GPU_FAULT_MEMORY, VC4_RENDERER_UNIT, address,
                  "image of %u x %u pixels at 0x%08x (%llu bytes) lies outside memory", config->width,
                  config->height, base, (unsigned long long)bytes);
    return false;
}

bool vc4_general_surface(const struct vc4_device *device, const struct vc4_render_config *config,
                         const struct vc4_cl_record *record, uint32_t address, struct vc4_op *op,
                         struct gpu_fault *fault)
{
    /* 0, 1, 2 = rgba8888, bgr565 dithered, bgr565 no dither (Guide table 38, record 28) */
    static const uint8_t formats[] = {RASTER_SURFACE_RGBA8888, RASTER_SURFACE_BGR565_DITHER,
                                      RASTER_SURFACE_BGR565};
    bool store = record->id == VC4_CL_STORE_GENERAL;
    uint32_t buffer = (uint32_t)record->field[VC4_GENERAL_BUFFER], format = RASTER_SURFACE_ZS;
    uint32_t mode = store ? (uint32_t)record->field[VC4_GENERAL_MODE] : MODE_SAMPLE0;

    op->type = store ? VC4_OP_STORE : VC4_OP_LOAD;
    op->store = store;
    op->address = address;
    op->resolve = false;
    switch (buffer) {
    case BUFFER_COLOR:
        if (record->field[VC4_GENERAL_COLOR_FORMAT] >= UTIL_ARRAY_SIZE(formats))
            return fail(fault, GPU_FAULT_PACKET, address, "reserved colour format");
        if (mode > MODE_DECIMATE4 || (mode == MODE_DECIMATE4 && config->samples == 1))
            return fail(fault, GPU_FAULT_UNSUPPORTED, address, "decimation of pixels on a store");
        op->buffer = VC4_BUFFER_COLOR;
        op->resolve = mode == MODE_DECIMATE4;
        format = formats[record->field[VC4_GENERAL_COLOR_FORMAT]];
        break;
    case BUFFER_ZS: op->buffer = VC4_BUFFER_ZS; break;
    case BUFFER_Z:
        if (!store)
            return fail(fault, GPU_FAULT_PACKET, address, "a load of depth alone does not exist");
        op->buffer = VC4_BUFFER_Z;
        break;
    case BUFFER_VG_MASK: return fail(fault, GPU_FAULT_UNSUPPORTED, address, "VG mask buffer");
    case BUFFER_FULL: return fail(fault, GPU_FAULT_UNSUPPORTED, address, "full dump by record 28 or 29");
    default: return fail(fault, GPU_FAULT_PACKET, address, "reserved buffer");
    }
    return place(device, config, (uint32_t)record->field[VC4_GENERAL_ADDRESS],
                 (uint32_t)record->field[VC4_GENERAL_LAYOUT], format, address, op, fault);
}

bool vc4_config_surface(const struct vc4_device *device, const struct vc4_render_config *config,
                        uint32_t address, struct vc4_op *op, struct gpu_fault *fault)
{
    /* 0, 1, 2 = bgr565 dithered, rgba8888, bgr565 (Guide table 38, record 113) */
    static const uint8_t formats[] = {RASTER_SURFACE_BGR565_DITHER, RASTER_SURFACE_RGBA8888,
                                      RASTER_SURFACE_BGR565};
    op->type = VC4_OP_STORE;
    op->store = true;
    op->buffer = VC4_BUFFER_COLOR;
    op->address = address;
    if (config->color_format >= UTIL_ARRAY_SIZE(formats))
        return fail(fault, GPU_FAULT_PACKET, address, "reserved frame buffer format");
    if (config->decimate > MODE_DECIMATE4 || (config->decimate == MODE_DECIMATE4 && config->samples == 1))
        return fail(fault, GPU_FAULT_UNSUPPORTED, address, "decimation of pixels on a store");
    op->resolve = config->decimate == MODE_DECIMATE4;
    return place(device, config, config->address, config->layout, formats[config->color_format], address, op,
                 fault);
}

bool vc4_raw_tile(const struct vc4_device *device, const struct vc4_cl_record *record, uint32_t address,
                  struct vc4_op *op, struct gpu_fault *fault)
{
    bool color = !record->field[VC4_FULL_RES_NO_COLOR], zs = !record->field[VC4_FULL_RES_NO_ZS];
    op->type = VC4_OP_RAW;
    op->store = record->id == VC4_CL_STORE_FULL_RES;
    op->address = address;
    op->buffer = color ? VC4_BUFFER_COLOR : VC4_BUFFER_ZS;
    op->raw = NULL;
    if (color && zs) /* the Guide does not say how the two follow each other */
        return fail(fault, GPU_FAULT_UNSUPPORTED, address, "full-resolution tile of both colour and depth");
    if (!color && !zs)
        return true;
    uint64_t base = record->field[VC4_FULL_RES_ADDRESS];
    op->raw = gpu_memory_at(device->memory, base, RASTER_TILE_DUMP_BYTES);
    if (op->raw)
        return true;
    vc4_fault_set(fault, GPU_FAULT_MEMORY, VC4_RENDERER_UNIT, address,
                  "full-resolution tile at 0x%08llx lies outside memory", (unsigned long long)base);
    return false;
}

/* A full-resolution tile of the buffer: samples as they stand (raster/surface.h gives the order). */
void vc4_raw_move(const struct vc4_op *op, struct raster_tile *tile)
{
    enum raster_plane plane = op->buffer == VC4_BUFFER_COLOR ? RASTER_PLANE_COLOR : RASTER_PLANE_ZS;
    if (op->store)
        raster_tile_dump(tile, plane, op->raw);
    else
        raster_tile_undump(tile, plane, op->raw);
}

/* ---- what may run at once ---- */

/* What an operation touches. False when it touches no memory. */
static bool extent_of(const struct gpu_memory *memory, const struct vc4_op *op, uint32_t job,
                      struct vc4_extent *out)
{
    *out = (struct vc4_extent){.job = job, .write = op->store};
    if (op->type == VC4_OP_RAW) {
        if (!op->raw)
            return false;
        out->start = (uint64_t)(op->raw - memory->base);
        out->end = out->start + RASTER_TILE_DUMP_BYTES;
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
static bool same_image(const struct raster_surface *a, const struct raster_surface *b)
{
    return a->base && a->base == b->base && a->layout == b->layout && a->stride == b->stride &&
           a->width == b->width && a->height == b->height && (a->format == b->format);
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
        if (!same_image(&e.surface, &known->surface) && (known->job != job || known->surface.base))
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
            if (same_image(&e.surface, &b->extents[i].surface)) {
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
