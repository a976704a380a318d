/* A draw's vertices: what is checked once, and the batches, in parallel. */
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

#define UNIT         "vertex program"
#define CHUNK        32u   /* batches that one worker takes at a time */
#define PARALLEL_MIN 2048u /* vertices worth waking the workers for */
#define TABLE_ENTRY  8u    /* bytes */

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

/* One entry of a table: where its array stands, for `vertices` elements. */
static bool array_prepare(const struct gpu_space *space, const uint8_t *entry, uint32_t vertices,
                          bool varying, unsigned number, struct utgard_array *out, struct utgard_stop *stop)
{
    struct utgard_layout layout = utgard_layout(util_load32(entry + 4));
    const char *what = varying ? "varying array" : "attribute array";
    *out = (struct utgard_array){.address = util_load32(entry),
                                 .stride = layout.stride,
                                 .type = layout.type,
                                 .components = layout.components};
    if (!(varying ? utgard_varying_bytes : utgard_attribute_bytes)(out, &out->bytes)) {
        gpu_fault_set(&stop->fault, GPU_FAULT_UNSUPPORTED, UNIT, out->address,
                      "%s %u: type 0x%x with %u components is not known", what, number, out->type,
                      out->components);
        return false;
    }
    uint64_t size = out->stride * (vertices - 1ull) + out->bytes; /* 21 + 24 bits */
    out->base =
        utgard_at(space, out->address, size, varying ? GPU_RIGHT_WRITE : GPU_RIGHT_READ, UNIT, what, stop);
    return out->base != NULL;
}

/* A table as far as the program uses it. */
static bool arrays_prepare(struct utgard_vertex_stage *stage, const struct gpu_space *space,
                           const struct utgard_vs_state *state, uint32_t vertices, bool varying,
                           struct utgard_stop *stop)
{
    uint32_t used = varying ? stage->program->varyings : stage->program->attributes;
    uint32_t count = varying ? state->varying_count : state->attribute_count;
    uint32_t table = varying ? state->varyings : state->attributes;
    struct utgard_array *arrays = varying ? stage->varying : stage->attribute;
    if (!count || count > UTGARD_GP_VARYINGS || (!varying && used >> count)) {
        gpu_fault_set(&stop->fault, GPU_FAULT_PACKET, UNIT, table,
                      "a table of %u entries does not suit a program that uses 0x%04x", count, used);
        return false;
    }
    const uint8_t *guest =
        utgard_at(space, table, (uint64_t)count * TABLE_ENTRY, GPU_RIGHT_READ, UNIT, "table", stop);
    if (!guest)
        return false;
    for (uint32_t n = 0; n < count; n++)
        if ((varying || used >> n & 1) &&
            !array_prepare(space, guest + n * TABLE_ENTRY, vertices, varying, n, &arrays[n], stop))
            return false;
    *(varying ? &stage->varying_count : &stage->attribute_count) = count;
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

/* What the code is to be for. */
static struct utgard_vertex_layout layout_of(const struct utgard_vertex_stage *stage)
{
    struct utgard_vertex_layout layout = {{0}, {0}};
    for (uint32_t n = 0; n < stage->attribute_count; n++)
        if (stage->attribute[n].bytes)
            layout.attribute[n] = utgard_array_code(&stage->attribute[n]);
    for (uint32_t n = 0; n < stage->varying_count; n++)
        layout.varying[n] = utgard_array_code(&stage->varying[n]);
    return layout;
}

/* ---- batches ---- */

/* A draw in the hands of workers. */
struct draw {
    const struct utgard_vertex_stage *stage;
    const struct gpu_host *host;
    uint32_t vertices;
    struct utgard_gp_temporaries *temporaries; /* one a worker, or NULL */
    pthread_mutex_t lock;
    uint32_t faulted; /* the first vertex that did, UINT32_MAX: none */
    uint32_t fault;   /* what it did: of isa_fault_pack */
};

/* Whether all lanes ended well; otherwise the draw remembers its first vertex that did not. */
static bool ended_well(struct draw *draw, const uint32_t fault[16], uint32_t first, uint32_t lanes)
{
    uint32_t l = 0;
    while (l < lanes && !fault[l])
        l++;
    if (l == lanes)
        return true;
    pthread_mutex_lock(&draw->lock);
    if (first + l < draw->faulted) {
        draw->faulted = first + l;
        draw->fault = fault[l];
    }
    pthread_mutex_unlock(&draw->lock);
    return false;
}

static bool interpret(struct draw *draw, uint32_t first, uint32_t lanes)
{
    const struct utgard_vertex_stage *stage = draw->stage;
    alignas(64) uint32_t in[UTGARD_GP_ATTRIBUTES][4][16];
    alignas(64) uint32_t out[UTGARD_GP_VARYINGS][4][16];
    uint32_t fault[16] = {0};
    struct utgard_gp_lanes of = {.uniform = (const uint32_t(*)[4])stage->uniforms,
                                 .attribute = (const uint32_t(*)[4][16])in,
                                 .varying = out};
    const struct utgard_gp_ports ports = utgard_gp_lane_ports(&of);
    utgard_fetch(stage, first, lanes, in);
    memset(out, 0, sizeof out);
    for (; of.lane < lanes; of.lane++) {
        struct utgard_gp_report report;
        utgard_gp_run(stage->program, &ports, stage->fuel, NULL, &report, NULL, NULL);
        fault[of.lane] = isa_fault_pack(report.fault, 0, report.pc);
    }
    if (!ended_well(draw, fault, first, lanes))
        return false;
    utgard_store(stage, first, lanes, (const uint32_t(*)[4][16])out);
    return true;
}

/* Batches whose lanes are all vertices of the draw, or one batch of fewer. */
static bool run_code(struct draw *draw, uint32_t first, uint32_t batches, uint32_t lanes, unsigned worker)
{
    const struct utgard_vertex_stage *stage = draw->stage;
    alignas(64) uint32_t in[UTGARD_GP_ATTRIBUTES][4][16], out[UTGARD_GP_VARYINGS][4][16];
    struct utgard_vertex_args args; /* faults are written where there are any */
    args.fetch = utgard_fetch;
    args.store = utgard_store;
    args.in = in;
    args.out = out;
    args.temporaries = draw->temporaries ? &draw->temporaries[worker] : NULL;
    args.fuel = stage->fuel;
    if (args.temporaries)
        utgard_gp_fill_file((const uint32_t(*)[4])stage->uniforms, args.temporaries->value);
    utgard_vertex_fn code = (utgard_vertex_fn)jit_function_code(stage->function);
    uint32_t done = code(&args, stage, first, batches, lanes - 1);
    jit_function_ran(stage->function, (uint64_t)batches * stage->program->insn_count);
    return done == batches || ended_well(draw, args.fault, first + done * 16, lanes);
}

/* Batches of one worker, until one faults. */
static void shade_chunk(void *data, uint32_t chunk, unsigned worker)
{
    struct draw *draw = data;
    bool in_one = draw->stage->function && !draw->temporaries;
    uint32_t at = chunk * CHUNK * 16, end = UTIL_MIN(at + CHUNK * 16, draw->vertices);
    unsigned saved = util_fpenv_enter();
    while (at < end && !gpu_host_cancelled(draw->host)) {
        uint32_t lanes = UTIL_MIN(16u, end - at), batches = in_one && lanes == 16 ? (end - at) / 16 : 1;
        if (!(draw->stage->function ? run_code(draw, at, batches, lanes, worker)
                                    : interpret(draw, at, lanes)))
            break;
        at += batches * 16;
    }
    util_fpenv_leave(saved);
}

/* Whether an element of one array may share bytes with an element of the other that is another vertex's. */
static bool meet(const struct utgard_array *a, const struct utgard_array *b, uint32_t vertices)
{
    const struct utgard_array *low = a->address < b->address ? a : b, *high = low == a ? b : a;
    uint64_t gap = high->address - low->address, stride = low->stride;
    if (gap >= stride * (vertices - 1ull) + low->bytes)
        return false;
    if (stride != high->stride || !stride)
        return true;
    return gap % stride < low->bytes || stride - gap % stride < high->bytes;
}

/* Vertices that write where others of the draw read or write are shaded in order. Elements side by side in
 * records do not. */
static bool in_order(const struct utgard_vertex_stage *stage, uint32_t vertices)
{
    for (uint32_t v = 0; v < stage->varying_count; v++) {
        const struct utgard_array *out = &stage->varying[v];
        if (out->stride < out->bytes)
            return true;
        for (uint32_t a = 0; a < stage->attribute_count; a++)
            if (stage->attribute[a].bytes && meet(&stage->attribute[a], out, vertices))
                return true;
        for (uint32_t other = 0; other < v; other++)
            if (meet(&stage->varying[other], out, vertices))
                return true;
    }
    return false;
}

static void explain(const struct draw *draw, struct utgard_stop *stop)
{
    struct isa_fault said = isa_fault_unpack(draw->fault);
    const struct isa_fault_row *row = &utgard_gp_faults[said.kind];
    gpu_fault_set(&stop->fault, gpu_fault_kind_of(row->class), UNIT, draw->stage->at, "vertex %u %s",
                  draw->faulted, row->text);
    stop->fault.pc = said.pc;
    stop->fault.lane = draw->faulted % 16;
}

static int run(struct utgard_device *device, const struct utgard_vertex_stage *stage, uint32_t vertices,
               struct utgard_stop *stop)
{
    struct draw draw = {.stage = stage,
                        .host = &device->host,
                        .vertices = vertices,
                        .faulted = UINT32_MAX,
                        .lock = PTHREAD_MUTEX_INITIALIZER};
    if (stage->function && stage->program->stores_temporaries) {
        draw.temporaries =
            aligned_alloc(64, util_pool_workers(device->options.pool) * sizeof *draw.temporaries);
        if (!draw.temporaries) {
            gpu_fault_set(&stop->fault, GPU_FAULT_SHADER, UNIT, stage->at, "no host memory");
            return -EFAULT;
        }
    }
    bool parallel = vertices >= PARALLEL_MIN && !in_order(stage, vertices);
    util_pool_run_spans(parallel ? device->options.pool : NULL, util_div_up(vertices, CHUNK * 16),
                        shade_chunk, &draw);
    free(draw.temporaries);
    if (draw.faulted == UINT32_MAX)
        return 0;
    explain(&draw, stop);
    return -EFAULT;
}

/* Takes what the draw may cost at most from the job's fuel. */
static bool pay(const struct utgard_vertex_stage *stage, uint32_t vertices, uint64_t *fuel,
                struct utgard_stop *stop)
{
    const struct utgard_gp_program *program = stage->program;
    uint64_t batch = program->insn_count + (program->repeats ? stage->fuel : 0);
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

static void find_results(const struct utgard_vertex_stage *stage, struct utgard_vs_result *result)
{
    *result = (struct utgard_vs_result){0};
    for (uint32_t n = 0; n < stage->varying_count; n++)
        if (stage->varying[n].type == UTGARD_TYPE_SPECIAL)
            *(stage->varying[n].components == 1 ? &result->positions : &result->point_sizes) =
                stage->varying[n].address;
}

int utgard_vertex_draw(struct utgard_device *device, const struct gpu_space *space,
                       const struct utgard_vs_state *state, uint32_t number, uint32_t vertices,
                       uint64_t *fuel, struct utgard_vs_result *result, struct utgard_stop *stop)
{
    alignas(64) uint32_t uniforms[UTGARD_GP_FILE][4];
    struct utgard_vertex_stage stage = {
        .uniforms = uniforms, .at = state->program, .fuel = device->options.fuel};
    *result = (struct utgard_vs_result){0};
    if (!vertices)
        return 0;
    struct gpu_program *program = find_program(device->vertex_programs, space, state, stop);
    if (!program)
        return -EFAULT;
    stage.program = program->program;
    if (!uniforms_prepare(&stage, space, state, stop) ||
        !arrays_prepare(&stage, space, state, vertices, false, stop) ||
        !arrays_prepare(&stage, space, state, vertices, true, stop))
        return -EFAULT;
    const struct utgard_vertex_layout layout = layout_of(&stage);
    if (device->options.engine)
        stage.function = utgard_vertex_code(program, device->options.engine, &layout);
    if (!pay(&stage, vertices, fuel, stop))
        return -EFAULT;
    if (device->options.observer)
        utgard_observe_shading(device->options.observer, &stage, space, number, vertices, false);
    int status = run(device, &stage, vertices, stop);
    if (device->options.observer)
        utgard_observe_shading(device->options.observer, &stage, space, number, vertices, true);
    device->host.counters.vertices += vertices;
    device->host.counters.instructions += (uint64_t)util_div_up(vertices, 16) * stage.program->insn_count;
    find_results(&stage, result);
    return status;
}
