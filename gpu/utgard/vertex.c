/* A draw's vertices: what is checked once, and the program over batches of them. */
#include "gpu/utgard/vertex.h"

#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/utgard/vertex_internal.h"
#include "isa/utgard_gp/interp.h"
#include "isa/utgard_gp/lanes.h"
#include "util/bits.h"
#include "util/fpenv.h"

#define UNIT        "vertex program"
#define TABLE_ENTRY 8u /* bytes */

uint8_t *utgard_at(const struct gpu_space *space, uint64_t address, uint64_t size, uint32_t rights,
                   const char *unit, const char *what, struct utgard_stop *stop)
{
    uint64_t where = address;
    uint8_t *at = gpu_space_at(space, address, size, rights);
    if (at)
        return at;
    gpu_space_allows(space, address, size, rights, &where);
    stop->page_fault = true;
    stop->write = rights & GPU_RIGHT_WRITE;
    stop->address = (uint32_t)where;
    gpu_fault_set(&stop->fault, GPU_FAULT_MEMORY, unit, (uint32_t)where,
                  "%s of %llu bytes at 0x%08llx: no page there may be %s", what, (unsigned long long)size,
                  (unsigned long long)address, stop->write ? "written" : "read");
    return NULL;
}

/* ---- preparation ---- */

static bool uniforms_prepare(struct utgard_vertex_stage *stage, const struct gpu_space *space,
                             const struct utgard_vs_state *state, struct utgard_stop *stop)
{
    const struct utgard_gp_program *program = stage->program;
    bool all = program->indexed || program->stores_temporaries;
    uint32_t most = UTGARD_GP_FILE * 16, bytes = UTIL_MIN(state->uniform_bytes & ~3u, most);
    uint32_t looked = all ? most : program->loads * 16;
    uint32_t *words = &stage->uniforms[0][0];
    const uint8_t *guest = NULL;
    if (bytes && !(guest = utgard_at(space, state->uniforms, bytes, GPU_RIGHT_READ, UNIT, "uniforms", stop)))
        return false;
    bytes = UTIL_MIN(bytes, looked);
    if (bytes)
        memcpy(words, guest, bytes);
    memset((uint8_t *)words + bytes, 0, looked - bytes);
    for (uint32_t n = 0; n < bytes / 4; n++)
        if (!(words[n] & 0x7f800000))
            words[n] &= 0x80000000;
    return true;
}

/* Types as formats (HARDWARE.md 2.3), of one component and more. The loader takes whole words that are
 * normalised as fractions of 2^31 and 2^32, and knows no denormals. */
static const struct {
    uint16_t format[4];
    int8_t exponent;
} attribute_types[] = {
#define BITS8(kind) {RASTER_R8_##kind, RASTER_R8G8_##kind, RASTER_R8G8B8_##kind, RASTER_R8G8B8A8_##kind}
#define BITS16(kind)                                                                                         \
    {RASTER_R16_##kind, RASTER_R16G16_##kind, RASTER_R16G16B16_##kind, RASTER_R16G16B16A16_##kind}
#define BITS32(kind)                                                                                         \
    {RASTER_R32_##kind, RASTER_R32G32_##kind, RASTER_R32G32B32_##kind, RASTER_R32G32B32A32_##kind}
    [UTGARD_TYPE_F32] = {BITS32(FLOAT), 0},      [UTGARD_TYPE_I32] = {BITS32(SSCALED), 0},
    [UTGARD_TYPE_U32] = {BITS32(USCALED), 0},    [UTGARD_TYPE_F16] = {BITS16(FLOAT), 0},
    [UTGARD_TYPE_I16] = {BITS16(SSCALED), 0},    [UTGARD_TYPE_U16] = {BITS16(USCALED), 0},
    [UTGARD_TYPE_I8] = {BITS8(SSCALED), 0},      [UTGARD_TYPE_U8] = {BITS8(USCALED), 0},
    [UTGARD_TYPE_I8N] = {BITS8(SNORM), 0},       [UTGARD_TYPE_U8N] = {BITS8(UNORM), 0},
    [UTGARD_TYPE_I16N] = {BITS16(SNORM), 0},     [UTGARD_TYPE_U16N] = {BITS16(UNORM), 0},
    [UTGARD_TYPE_I32N] = {BITS32(SSCALED), -31}, [UTGARD_TYPE_U32N] = {BITS32(USCALED), -32},
    [UTGARD_TYPE_FIXED] = {BITS32(FIXED), 0}};

/* Of the position four, of a point's size one. */
static uint32_t varying_format(struct utgard_layout layout)
{
    static const uint16_t special[4] = {RASTER_R32G32B32A32_FLOAT, RASTER_R32_FLOAT};
    switch (layout.type) {
    case UTGARD_TYPE_SPECIAL: return special[layout.components - 1];
    case UTGARD_TYPE_F32:
    case UTGARD_TYPE_F16: return attribute_types[layout.type].format[layout.components - 1];
    default: return RASTER_FORMAT_NONE;
    }
}

bool utgard_array(uint32_t address, struct utgard_layout layout, bool varying, struct gpu_array *out)
{
    *out = (struct gpu_array){.address = address, .stride = layout.stride};
    if (varying) {
        out->form.format = (uint16_t)varying_format(layout);
    } else if (layout.type < UTIL_ARRAY_SIZE(attribute_types)) {
        out->form.format = attribute_types[layout.type].format[layout.components - 1];
        out->form.exponent = attribute_types[layout.type].exponent;
        out->form.flush = true;
    }
    out->bytes = raster_format_bytes((enum raster_format)out->form.format);
    out->words = util_div_up(out->bytes, 4);
    out->load = gpu_array_load_of(out, false);
    return out->form.format != RASTER_FORMAT_NONE;
}

/* One entry of a table: where its array stands, for `vertices` elements. */
static bool array_prepare(const struct gpu_space *space, uint32_t address, struct utgard_layout layout,
                          uint32_t vertices, bool varying, unsigned number, struct gpu_array *out,
                          struct utgard_stop *stop)
{
    const char *what = varying ? "varying array" : "attribute array";
    if (!utgard_array(address, layout, varying, out)) {
        gpu_fault_set(&stop->fault, GPU_FAULT_UNSUPPORTED, UNIT, address,
                      "%s %u: type 0x%x with %u components is not known", what, number, layout.type,
                      layout.components);
        return false;
    }
    uint64_t size = out->stride * (vertices - 1ull) + out->bytes; /* 21 + 24 bits */
    out->base = utgard_at(space, address, size, varying ? GPU_RIGHT_WRITE : GPU_RIGHT_READ, UNIT, what, stop);
    return out->base != NULL;
}

/* A table as far as the program uses it; of varyings `result` gets those that the tile list builder takes. */
static bool arrays_prepare(struct utgard_vertex_stage *stage, const struct gpu_space *space,
                           const struct utgard_vs_state *state, uint32_t vertices, bool varying,
                           struct utgard_vs_result *result, struct utgard_stop *stop)
{
    uint32_t used = varying ? stage->program->varyings : stage->program->attributes;
    uint32_t count = varying ? state->varying_count : state->attribute_count;
    uint32_t table = varying ? state->varyings : state->attributes;
    struct gpu_array *arrays = varying ? stage->run.varying : stage->run.attribute;
    struct gpu_array_form *forms = varying ? stage->run.layout.varying : stage->run.layout.attribute;
    if (!count || count > UTGARD_GP_VARYINGS || (!varying && used >> count)) {
        gpu_fault_set(&stop->fault, GPU_FAULT_PACKET, UNIT, table,
                      "a table of %u entries does not suit a program that uses 0x%04x", count, used);
        return false;
    }
    const uint8_t *guest =
        utgard_at(space, table, (uint64_t)count * TABLE_ENTRY, GPU_RIGHT_READ, UNIT, "table", stop);
    if (!guest)
        return false;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t address = util_load32(guest + n * TABLE_ENTRY);
        struct utgard_layout layout = utgard_layout(util_load32(guest + n * TABLE_ENTRY + 4));
        if (!varying && !(used >> n & 1))
            continue;
        if (!array_prepare(space, address, layout, vertices, varying, n, &arrays[n], stop))
            return false;
        forms[n] = arrays[n].form;
        if (varying && layout.type == UTGARD_TYPE_SPECIAL)
            *(layout.components == 1 ? &result->positions : &result->point_sizes) = address;
    }
    return true;
}

static struct gpu_program *find_program(struct gpu_programs *programs, const struct gpu_space *space,
                                        const struct utgard_vs_state *state, struct utgard_stop *stop)
{
    struct util_error error = {0};
    struct gpu_program *program;
    if (!state->instructions || state->instructions > UTGARD_GP_MAX_INSNS) {
        gpu_fault_set(&stop->fault, GPU_FAULT_SHADER, UNIT, state->program,
                      "%u instructions are none or more than %u", state->instructions, UTGARD_GP_MAX_INSNS);
        return NULL;
    }
    size_t bytes = state->instructions * sizeof(uint64_t[UTGARD_GP_WORDS]);
    const uint8_t *guest = utgard_at(space, state->program, bytes, GPU_RIGHT_READ, UNIT, "program", stop);
    if (!guest)
        return NULL;
    if (!gpu_programs_get(programs, guest, bytes, &program, &error))
        return program;
    gpu_fault_set(&stop->fault, GPU_FAULT_SHADER, UNIT, state->program, "%s",
                  error.text[0] ? error.text : "no host memory");
    return NULL;
}

/* ---- batches ---- */

static void interpret(const struct gpu_vertex_stage *run, const uint32_t (*in)[4][16], uint32_t lanes,
                      uint32_t (*out)[4][16], uint32_t fault[16])
{
    const struct utgard_vertex_stage *stage = (const struct utgard_vertex_stage *)run;
    struct utgard_gp_lanes of = {
        .uniform = (const uint32_t(*)[4])stage->uniforms, .attribute = in, .varying = out};
    const struct utgard_gp_ports ports = utgard_gp_lane_ports(&of);
    for (; of.lane < lanes; of.lane++) {
        struct utgard_gp_report report;
        utgard_gp_run(stage->program, &ports, run->fuel, NULL, &report, NULL, NULL);
        fault[of.lane] = isa_fault_pack(report.fault, 0, report.pc);
    }
}

static void fill(const struct gpu_vertex_stage *run, void *own)
{
    const struct utgard_vertex_stage *stage = (const struct utgard_vertex_stage *)run;
    utgard_gp_fill_file((const uint32_t(*)[4])stage->uniforms, ((struct utgard_gp_temporaries *)own)->value);
}

static void explain(const struct utgard_vertex_stage *stage, const struct gpu_vertex_draw *draw,
                    struct utgard_stop *stop)
{
    struct isa_fault said = isa_fault_unpack(draw->fault);
    const struct isa_fault_row *row = &utgard_gp_faults[said.kind];
    gpu_fault_set(&stop->fault, gpu_fault_kind_of(row->class), UNIT, stage->at, "vertex %u %s", draw->faulted,
                  row->text);
    stop->fault.pc = said.pc;
    stop->fault.lane = draw->faulted % 16;
}

static int run(struct utgard_device *device, const struct utgard_vertex_stage *stage, uint32_t vertices,
               struct utgard_stop *stop)
{
    struct gpu_vertex_draw draw = {
        .stage = &stage->run,
        .host = &device->host,
        .pool = device->options.pool,
        .vertices = vertices,
        .interpret = interpret,
        .own_bytes = stage->program->stores_temporaries ? sizeof(struct utgard_gp_temporaries) : 0,
        .fill = fill,
    };
    int status = gpu_vertex_run(&draw);
    if (status == -ENOMEM)
        gpu_fault_set(&stop->fault, GPU_FAULT_SHADER, UNIT, stage->at, "no host memory");
    else if (status)
        explain(stage, &draw, stop);
    return status ? -EFAULT : 0;
}

/* Takes what the draw may cost at most from the job's fuel. */
static bool pay(const struct utgard_vertex_stage *stage, uint32_t vertices, uint64_t *fuel,
                struct utgard_stop *stop)
{
    const struct utgard_gp_program *program = stage->program;
    uint64_t batch = program->insn_count + (program->repeats ? stage->run.fuel : 0);
    uint64_t cost = batch * util_div_up(vertices, 16);
    if (cost > *fuel) {
        gpu_fault_set(&stop->fault, GPU_FAULT_TIMEOUT, UNIT, stage->at,
                      "%u vertices of %u instructions are more than the job's fuel", vertices,
                      program->insn_count);
        return false;
    }
    *fuel -= cost;
    return true;
}

int utgard_vertex_draw(struct utgard_device *device, const struct gpu_space *space,
                       const struct utgard_vs_state *state, uint32_t number, uint32_t vertices,
                       uint64_t *fuel, struct utgard_vs_result *result, struct utgard_stop *stop)
{
    alignas(64) uint32_t uniforms[UTGARD_GP_FILE][4];
    struct utgard_vertex_stage stage; /* most of its arrays are never looked at */
    struct utgard_vs_result found = {0};
    *result = found;
    if (!vertices)
        return 0;
    struct gpu_program *program = find_program(device->vertex_programs, space, state, stop);
    if (!program)
        return -EFAULT;
    stage.program = program->program;
    stage.at = state->program;
    stage.uniforms = uniforms;
    stage.run.function = NULL;
    stage.run.layout = (struct gpu_vertex_layout){0};
    stage.run.fuel = device->options.fuel;
    stage.run.insn_count = stage.program->insn_count;
    if (!uniforms_prepare(&stage, space, state, stop) ||
        !arrays_prepare(&stage, space, state, vertices, false, &found, stop) ||
        !arrays_prepare(&stage, space, state, vertices, true, &found, stop))
        return -EFAULT;
    if (device->options.engine)
        stage.run.function = utgard_vertex_code(program, device->options.engine, &stage.run.layout);
    if (!pay(&stage, vertices, fuel, stop))
        return -EFAULT;
    if (device->options.observer)
        utgard_observe_shading(device->options.observer, &stage, space, number, vertices, false);
    int status = run(device, &stage, vertices, stop);
    if (device->options.observer)
        utgard_observe_shading(device->options.observer, &stage, space, number, vertices, true);
    device->host.counters.vertices += vertices;
    device->host.counters.instructions += (uint64_t)util_div_up(vertices, 16) * stage.program->insn_count;
    *result = found;
    return status;
}
