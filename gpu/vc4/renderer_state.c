/* State records of rendering lists (Guide table 38, 56 and 64 to 106). */
#include "gpu/vc4/renderer_internal.h"
#include "util/bits.h"

#define DATA_16BIT_INDEX 1u /* record 56, data type */

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
    };
}

static int fail(struct gpu_fault *fault, enum gpu_fault_kind kind, uint32_t address, const char *what)
{
    vc4_fault_set(fault, kind, VC4_RENDERER_UNIT, address, "%s", what);
    return -1;
}

static int apply_configuration(struct vc4_draw_state *s, const struct vc4_cl_record *r, uint32_t address,
                               struct gpu_fault *fault)
{
    if (r->field[VC4_CONFIG_COVERAGE_PIPE])
        return fail(fault, GPU_FAULT_UNSUPPORTED, address, "coverage pipe (record 96, bit 8)");
    if (r->field[VC4_CONFIG_OVERSAMPLE] > 1)
        return fail(fault, GPU_FAULT_UNSUPPORTED, address, "16x oversampling (record 96, bits 7:6)");
    s->forward = r->field[VC4_CONFIG_FORWARD];
    s->reverse = r->field[VC4_CONFIG_REVERSE];
    s->clockwise = r->field[VC4_CONFIG_CLOCKWISE];
    s->depth_offset = r->field[VC4_CONFIG_DEPTH_OFFSET];
    s->oversample = r->field[VC4_CONFIG_OVERSAMPLE];
    s->depth_func = (uint8_t)r->field[VC4_CONFIG_DEPTH_FUNC];
    s->z_updates = r->field[VC4_CONFIG_Z_UPDATES];
    return 1;
}

static int apply_format(struct vc4_draw_state *s, const struct vc4_cl_record *r, uint32_t address,
                        struct gpu_fault *fault)
{
    if (r->field[VC4_FORMAT_DATA] != DATA_16BIT_INDEX)
        return fail(fault, GPU_FAULT_UNSUPPORTED, address, "primitive list of coordinates (VG mode)");
    if (r->field[VC4_FORMAT_PRIMITIVE] > VC4_TRIANGLES)
        return fail(fault, GPU_FAULT_UNSUPPORTED, address, "RHT primitives (VG mode)");
    s->primitive = (uint8_t)r->field[VC4_FORMAT_PRIMITIVE];
    s->has_format = true;
    return 1;
}

int vc4_draw_state_apply(struct vc4_draw_state *s, const struct vc4_cl_record *r, uint32_t address,
                         struct gpu_fault *fault)
{
    switch (r->id) {
    case VC4_CL_PRIMITIVE_LIST_FORMAT: return apply_format(s, r, address, fault);
    case VC4_CL_GL_SHADER_STATE:
        s->shader = (uint32_t)r->field[VC4_SHADER_ADDRESS];
        s->extended = r->field[VC4_SHADER_EXTENDED];
        /* "0 => all 8 arrays"; the field of an extended record is ignored, which has all 8 too. */
        s->attributes = (uint8_t)r->field[VC4_SHADER_ATTRIBUTES];
        if (!s->attributes || s->extended)
            s->attributes = VC4_MAX_ATTRIBUTES;
        s->has_shader = true;
        return 1;
    case VC4_CL_NV_SHADER_STATE:
        return fail(fault, GPU_FAULT_UNSUPPORTED, address, "pre-shaded vertices (NV shader state)");
    case VC4_CL_VG_SHADER_STATE:
    case VC4_CL_VG_INLINE_SHADER: return fail(fault, GPU_FAULT_UNSUPPORTED, address, "VG shader state");
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
        if (!(vc4_cl_float(r, VC4_ZCLIP_MIN) <= 0.0f && vc4_cl_float(r, VC4_ZCLIP_MAX) >= 1.0f))
            return fail(fault, GPU_FAULT_UNSUPPORTED, address, "depth clipping planes inside 0 to 1");
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
    if (!size) {
        vc4_fault_set(fault, GPU_FAULT_LIST, VC4_RENDERER_UNIT, address, "list leaves memory");
        return false;
    }
    memcpy(bytes, memory->base + address, size);
    int error = vc4_cl_decode(bytes, size, out);
    if (error == VC4_CL_OK && vc4_cl_allowed(out->id, true))
        return true;
    if (error == VC4_CL_TRUNCATED)
        vc4_fault_set(fault, GPU_FAULT_LIST, VC4_RENDERER_UNIT, address, "record %u runs out of memory",
                      bytes[0]);
    else if (error == VC4_CL_OK)
        vc4_fault_set(fault, GPU_FAULT_PACKET, VC4_RENDERER_UNIT, address,
                      "record %u (%s) is not allowed in a rendering list", bytes[0], vc4_cl_name(bytes[0]));
    else
        vc4_fault_set(fault, GPU_FAULT_PACKET, VC4_RENDERER_UNIT, address, "reserved record %u", bytes[0]);
    return false;
}
