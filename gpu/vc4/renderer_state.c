/* State records of rendering lists (Guide table 38, 56 and 64 to 106). */
#include "gpu/vc4/renderer_internal.h"
#include "util/bits.h"

enum { DATA_16BIT_INDEX = 1, DATA_COORDINATES = 3 }; /* record 56, data type */

void vc4_draw_state_init(struct vc4_draw_state *state)
{
    *state = (struct vc4_draw_state){
        .depth_func = RASTER_ALWAYS,
        .point_size = 1.0f,
        .line_width = 1.0f,
        .clip_width = UINT16_MAX,
        .clip_height = UINT16_MAX,
        .forward = true,
        .reverse = true,
        .oversample = 1,
        .z_max = 1.0f,
    };
}

static int fail(struct gpu_fault *fault, enum gpu_fault_kind kind, uint32_t address, const char *what)
{
    gpu_fault_set(fault, kind, VC4_RENDERER_UNIT, address, "%s", what);
    return -1;
}

static int apply_configuration(struct vc4_draw_state *s, const struct vc4_cl_record *r, uint32_t address,
                               struct gpu_fault *fault)
{
    static const uint8_t samples[] = {1, 4, 16};
    if (r->field[VC4_CONFIG_OVERSAMPLE] >= UTIL_ARRAY_SIZE(samples))
        return fail(fault, GPU_FAULT_PACKET, address, "reserved oversample mode (record 96, bits 7:6)");
    s->forward = r->field[VC4_CONFIG_FORWARD];
    s->reverse = r->field[VC4_CONFIG_REVERSE];
    s->clockwise = r->field[VC4_CONFIG_CLOCKWISE];
    s->depth_offset = r->field[VC4_CONFIG_DEPTH_OFFSET];
    s->oversample = samples[r->field[VC4_CONFIG_OVERSAMPLE]];
    s->coverage_pipe = r->field[VC4_CONFIG_COVERAGE_PIPE];
    s->coverage_update = (uint8_t)r->field[VC4_CONFIG_COVERAGE_UPDATE];
    s->coverage_leave = r->field[VC4_CONFIG_COVERAGE_READ_MODE];
    s->coverage_mask = r->field[VC4_CONFIG_COVERAGE_READ_TYPE];
    s->depth_func = (uint8_t)r->field[VC4_CONFIG_DEPTH_FUNC];
    s->z_updates = r->field[VC4_CONFIG_Z_UPDATES];
    return 1;
}

static int apply_format(struct vc4_draw_state *s, const struct vc4_cl_record *r, uint32_t address,
                        struct gpu_fault *fault)
{
    uint64_t data = r->field[VC4_FORMAT_DATA], primitive = r->field[VC4_FORMAT_PRIMITIVE];
    if (primitive == VC4_RHTS)
        return fail(fault, GPU_FAULT_UNSUPPORTED, address, "RHT primitives");
    if (primitive > VC4_RHTS || (data != DATA_16BIT_INDEX && data != DATA_COORDINATES) ||
        (data == DATA_COORDINATES && primitive != VC4_TRIANGLES))
        return fail(fault, GPU_FAULT_PACKET, address, "reserved primitive list format");
    s->primitive = (uint8_t)primitive;
    s->coordinates = data == DATA_COORDINATES;
    s->has_format = true;
    return 1;
}

static void apply_shader(struct vc4_draw_state *s, const struct vc4_cl_record *r)
{
    s->shader = (uint32_t)r->field[VC4_SHADER_ADDRESS];
    s->shader_kind = (uint8_t)(r->id - VC4_CL_GL_SHADER_STATE);
    s->extended = r->field[VC4_SHADER_EXTENDED];
    /* "0 => all 8 arrays"; the field of an extended record is ignored, which has all 8 too. */
    s->attributes = (uint8_t)r->field[VC4_SHADER_ATTRIBUTES];
    if (!s->attributes || s->extended)
        s->attributes = VC4_MAX_ATTRIBUTES;
    s->uniforms = 0;
    s->single_threaded = false;
    s->has_shader = true;
}

static void apply_inline_shader(struct vc4_draw_state *s, const struct vc4_cl_record *r)
{
    s->shader = (uint32_t)r->field[VC4_INLINE_CODE];
    s->uniforms = (uint32_t)r->field[VC4_INLINE_UNIFORMS];
    s->single_threaded = r->field[VC4_INLINE_SINGLE_THREADED] & 1;
    s->shader_kind = VC4_SHADER_VG_INLINE;
    s->attributes = 0;
    s->extended = false;
    s->has_shader = true;
}

int vc4_draw_state_apply(struct vc4_draw_state *s, const struct vc4_cl_record *r, uint32_t address,
                         struct gpu_fault *fault)
{
    switch (r->id) {
    case VC4_CL_PRIMITIVE_LIST_FORMAT: return apply_format(s, r, address, fault);
    case VC4_CL_GL_SHADER_STATE:
    case VC4_CL_NV_SHADER_STATE:
    case VC4_CL_VG_SHADER_STATE: apply_shader(s, r); return 1;
    case VC4_CL_VG_INLINE_SHADER: apply_inline_shader(s, r); return 1;
    case VC4_CL_CONFIGURATION_BITS: return apply_configuration(s, r, address, fault);
    case VC4_CL_FLAT_SHADE_FLAGS: s->flat = (uint32_t)r->field[VC4_VALUE]; return 1;
    case VC4_CL_POINT_SIZE: s->point_size = vc4_cl_float(r, VC4_VALUE); return 1;
    case VC4_CL_LINE_WIDTH: s->line_width = vc4_cl_float(r, VC4_VALUE); return 1;
    case VC4_CL_RHT_X_BOUNDARY: return 1; /* only RHT primitives look at it */
    case VC4_CL_DEPTH_OFFSET:
        s->offset_factor = vc4_cl_float187(r, VC4_OFFSET_FACTOR);
        s->offset_units = vc4_cl_float187(r, VC4_OFFSET_UNITS);
        return 1;
    case VC4_CL_CLIP_WINDOW:
        s->clip_left = (uint32_t)r->field[VC4_CLIP_LEFT];
        s->clip_bottom = (uint32_t)r->field[VC4_CLIP_BOTTOM];
        s->clip_width = (uint32_t)r->field[VC4_CLIP_WIDTH];
        s->clip_height = (uint32_t)r->field[VC4_CLIP_HEIGHT];
        return 1;
    case VC4_CL_VIEWPORT_OFFSET:
        s->viewport_x = (int16_t)r->field[VC4_VIEWPORT_X];
        s->viewport_y = (int16_t)r->field[VC4_VIEWPORT_Y];
        return 1;
    case VC4_CL_Z_CLIP:
        s->z_min = vc4_cl_float(r, VC4_ZCLIP_MIN);
        s->z_max = vc4_cl_float(r, VC4_ZCLIP_MAX);
        return 1;
    default: return 0;
    }
}

bool vc4_record_fetch(const struct gpu_memory *memory, uint32_t address, struct vc4_cl_record *out,
                      struct gpu_fault *fault)
{
    uint8_t bytes[VC4_RECORD_BYTES];
    uint64_t left = address < memory->size ? memory->size - address : 0;
    size_t size = (size_t)UTIL_MIN(left, (uint64_t)sizeof bytes);
    if (!size)
        return gpu_fault_set(fault, GPU_FAULT_LIST, VC4_RENDERER_UNIT, address, "list leaves memory");
    memcpy(bytes, memory->base + address, size);
    int error = vc4_cl_decode(bytes, size, out);
    if (error == VC4_CL_OK && vc4_cl_allowed(out->id, true))
        return true;
    if (error == VC4_CL_TRUNCATED)
        return gpu_fault_set(fault, GPU_FAULT_LIST, VC4_RENDERER_UNIT, address,
                             "record %u runs out of memory", bytes[0]);
    if (error == VC4_CL_OK)
        return gpu_fault_set(fault, GPU_FAULT_PACKET, VC4_RENDERER_UNIT, address,
                             "record %u (%s) is not allowed in a rendering list", bytes[0],
                             vc4_cl_name(bytes[0]));
    return gpu_fault_set(fault, GPU_FAULT_PACKET, VC4_RENDERER_UNIT, address, "reserved record %u", bytes[0]);
}
