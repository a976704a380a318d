/* Shader state without vertex programs: NV records (Guide table 46), whose vertices come shaded, and VG
 * records (table 47). */
#include "gpu/vc4/shader_state.h"

#include "gpu/vc4/device_internal.h"
#include "util/bits.h"

#define UNIT     "shader state"
#define NV_BYTES 16u
#define VG_BYTES 12u
#define HEADER   16u /* bytes of a vertex's clip coordinates */

enum { FLAG_SINGLE_THREADED = 1, FLAG_POINT_SIZE = 2, FLAG_CLIPPING = 4, FLAG_CLIP_HEADER = 8 };

static bool fail(struct gpu_fault *fault, enum gpu_fault_kind kind, uint32_t address, const char *what)
{
    gpu_fault_set(fault, kind, UNIT, address, "%s", what);
    return false;
}

static bool fragment_read(struct gpu_programs *programs, const struct gpu_memory *memory, uint32_t code,
                          uint32_t uniforms, struct vc4_stage *out, struct gpu_fault *fault)
{
    out->code = code;
    out->uniforms = uniforms;
    if (!programs)
        return true;
    if (uniforms & 3)
        return fail(fault, GPU_FAULT_SHADER, uniforms,
                    "uniforms of the fragment program are not at a multiple of 4");
    out->program = vc4_programs_get(programs, memory, code, &out->cached, fault);
    if (!out->program)
        fault->unit = "fragment program";
    return out->program;
}

static bool record_read(const struct gpu_memory *memory, uint32_t address, uint32_t size, uint8_t flags,
                        uint8_t *out, struct gpu_fault *fault)
{
    const uint8_t *guest = gpu_memory_at(memory, address, size);
    if (!guest)
        return fail(fault, GPU_FAULT_MEMORY, address, "NV or VG shader state record lies outside memory");
    memcpy(out, guest, size);
    if (out[0] & ~flags)
        return fail(fault, GPU_FAULT_PACKET, address, "reserved flags in an NV or VG shader state record");
    return true;
}

bool vc4_nv_state_read(struct gpu_programs *programs, const struct gpu_memory *memory, uint32_t address,
                       struct vc4_shader_state *out, struct gpu_fault *fault)
{
    uint8_t record[NV_BYTES];
    if (!record_read(memory, address, sizeof record, 15, record, fault))
        return false;
    *out = (struct vc4_shader_state){
        .kind = VC4_SHADER_NV,
        .address = address,
        .clipping = record[0] & FLAG_CLIPPING,
        .point_size = record[0] & FLAG_POINT_SIZE,
        .single_threaded = record[0] & FLAG_SINGLE_THREADED,
        .varying_count = record[3],
        .nv = {.address = util_load32(record + 12),
               .stride = record[1],
               .clip_header = record[0] & FLAG_CLIP_HEADER},
    };
    if (out->clipping && !out->nv.clip_header)
        return fail(fault, GPU_FAULT_PACKET, address, "clipping of vertices without clip coordinates");
    if (out->nv.address & (out->nv.clip_header ? 15 : 3))
        return fail(fault, GPU_FAULT_PACKET, address, "pre-shaded vertices are not aligned");
    return fragment_read(programs, memory, util_load32(record + 4), util_load32(record + 8), &out->fs, fault);
}

bool vc4_vg_state_read(struct gpu_programs *programs, const struct gpu_memory *memory, uint32_t address,
                       struct vc4_shader_state *out, struct gpu_fault *fault)
{
    uint8_t record[VG_BYTES];
    if (!record_read(memory, address, sizeof record, FLAG_SINGLE_THREADED, record, fault))
        return false;
    *out = (struct vc4_shader_state){
        .kind = VC4_SHADER_VG, .address = address, .single_threaded = record[0], .varying_count = record[3]};
    return fragment_read(programs, memory, util_load32(record + 4), util_load32(record + 8), &out->fs, fault);
}

bool vc4_vg_state_inline(struct gpu_programs *programs, const struct gpu_memory *memory, uint32_t code,
                         uint32_t uniforms, bool single_threaded, struct vc4_shader_state *out,
                         struct gpu_fault *fault)
{
    *out = (struct vc4_shader_state){
        .kind = VC4_SHADER_VG_INLINE, .address = code, .single_threaded = single_threaded};
    return fragment_read(programs, memory, code, uniforms, &out->fs, fault);
}

bool vc4_nv_vertex(const struct gpu_memory *memory, const struct vc4_nv_vertices *nv, uint32_t index,
                   int32_t first, uint32_t count, uint32_t *out, struct gpu_fault *fault)
{
    uint64_t at = nv->address + (uint64_t)index * nv->stride + (nv->clip_header ? HEADER : 0);
    const uint8_t *bytes = gpu_memory_at(memory, at + (uint64_t)(4 * (int64_t)first), count * 4ull);
    if (!bytes) {
        gpu_fault_set(fault, GPU_FAULT_MEMORY, "vertices", (uint32_t)at,
                      "pre-shaded vertex %u lies outside memory", index);
        return false;
    }
    memcpy(out, bytes, count * 4ull);
    return true;
}
