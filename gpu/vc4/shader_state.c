/* Shader state records, Guide table 45. */
#include "gpu/vc4/shader_state.h"

#include <string.h>

#include "util/bits.h"

#define UNIT "shader state"

#define RECORD_FIXED    36u  /* bytes before the attribute arrays */
#define RECORD_EXTENDED 100u /* where the long strides stand */

enum { FLAG_SINGLE_THREADED = 1, FLAG_POINT_SIZE = 2, FLAG_CLIPPING = 4 };

static void attributes_read(struct vc4_shader_state *state, const uint8_t *record, bool extended)
{
    for (uint32_t i = 0; i < state->attribute_count; i++) {
        const uint8_t *a = record + RECORD_FIXED + i * 8;
        state->attribute[i] = (struct vc4_attribute){
            .address = util_load32(a),
            .bytes = a[4] + 1u,
            .stride = a[5],
            .vs_offset = a[6],
            .cs_offset = a[7],
        };
        if (extended) /* 26 bits, of which the low 8 stand in the short field */
            state->attribute[i].stride |= util_load32(record + RECORD_EXTENDED + i * 4) & 0x03ffff00;
    }
}

static bool stage_read(struct gpu_programs *programs, const struct gpu_memory *memory, const char *name,
                       uint32_t code, uint32_t uniforms, struct vc4_stage *out, struct gpu_fault *fault)
{
    out->code = code;
    out->uniforms = uniforms;
    if (uniforms & 3)
        return gpu_fault_set(fault, GPU_FAULT_SHADER, UNIT, uniforms,
                             "uniforms of the %s program are not at a multiple of 4", name);
    out->program = vc4_programs_get(programs, memory, code, &out->cached, fault);
    if (out->program)
        return true;
    fault->unit = name; /* the message tells what, the unit which program */
    return false;
}

bool vc4_shader_state_read(struct gpu_programs *programs, const struct gpu_memory *memory, uint32_t address,
                           unsigned attribute_count, bool extended, struct vc4_shader_state *out,
                           struct gpu_fault *fault)
{
    if (!attribute_count || attribute_count > VC4_MAX_ATTRIBUTES)
        return gpu_fault_set(fault, GPU_FAULT_PACKET, UNIT, address, "%u attribute arrays", attribute_count);
    if (extended) /* the record then has all arrays (Guide table 38, id 64) */
        attribute_count = VC4_MAX_ATTRIBUTES;
    uint8_t record[RECORD_EXTENDED + VC4_MAX_ATTRIBUTES * 4];
    uint32_t size = extended ? RECORD_EXTENDED + attribute_count * 4 : RECORD_FIXED + attribute_count * 8;
    const uint8_t *guest = gpu_memory_at(memory, address, size);
    if (!guest)
        return gpu_fault_set(fault, GPU_FAULT_MEMORY, UNIT, address,
                             "shader state record of %u bytes lies outside memory", size);
    memcpy(record, guest, size);

    uint16_t flags = util_load16(record);
    if (flags & ~7u)
        return gpu_fault_set(fault, GPU_FAULT_PACKET, UNIT, address,
                             "reserved flags 0x%04x in a shader state record", flags);
    *out = (struct vc4_shader_state){
        .address = address,
        .clipping = flags & FLAG_CLIPPING,
        .point_size = flags & FLAG_POINT_SIZE,
        .single_threaded = flags & FLAG_SINGLE_THREADED,
        .varying_count = record[3],
        .attribute_count = attribute_count,
    };
    out->vs.attribute_select = record[14];
    out->vs.attribute_size = record[15];
    out->cs.attribute_select = record[26];
    out->cs.attribute_size = record[27];
    attributes_read(out, record, extended);
    return stage_read(programs, memory, "fragment program", util_load32(record + 4), util_load32(record + 8),
                      &out->fs, fault) &&
           stage_read(programs, memory, "vertex program", util_load32(record + 16), util_load32(record + 20),
                      &out->vs, fault) &&
           stage_read(programs, memory, "coordinate program", util_load32(record + 28),
                      util_load32(record + 32), &out->cs, fault);
}

uint32_t vc4_shader_state_cost(const struct vc4_shader_state *state)
{
    uint32_t insns = state->fs.program ? state->fs.program->insn_count : 0;
    if (state->kind == VC4_SHADER_GL)
        insns += state->vs.program->insn_count + state->cs.program->insn_count;
    return insns / 64;
}
