/* A draw's vertices: what is checked once, and the batches, in parallel. */
#include "gpu/utgard/vertex.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/utgard/vertex_internal.h"
#include "isa/utgard_gp/interp.h"
#include "util/bits.h"
#include "util/fpenv.h"

#define UNIT        "vertex program"
#define CHUNK       32u /* batches that one worker takes at a time */
#define TABLE_ENTRY 8u  /* bytes */

/* An interpreted instruction costs as much fuel as that many compiled ones, where code was to be had. */
#define INTERPRETED_WEIGHT 64u

uint8_t *utgard_at(const struct gpu_space *space, uint64_t address, uint64_t size, uint32_t rights,
                   const char *unit, const char *what, struct utgard_stop *stop)
{
    uint64_t where = address;
    if (gpu_space_allows(space, address, size, rights, &where))
        return space->window.base + address;
    stop->page_fault = true;
    stop->write = rights & GPU_RIGHT_WRITE;
    stop->address = (uint32_t)where;
    utgard_fault_set(&stop->fault, GPU_FAULT_MEMORY, unit, (uint32_t)where,
                     "%s of %llu bytes at 0x%08llx: no page there may be %s", what, (unsigned long long)size,
                     (unsigned long long)address, stop->write ? "written" : "read");
    return NULL;
}

/* ---- preparation ---- */

static bool uniforms_prepare(struct utgard_vertex_stage *stage, const struct gpu_space *space,
                             const struct utgard_vs_state *state, struct utgard_stop *stop)
{
    uint32_t bytes = UTIL_MIN(state->uniform_bytes & ~3u, (uint32_t)sizeof stage->uniforms);
    uint32_t *words = &stage->uniforms[0][0];
    memset(stage->uniforms, 0, sizeof stage->uniforms);
    if (!bytes)
        return true;
    const uint8_t *guest = utgard_at(space, state->uniforms, bytes, GPU_RIGHT_READ, UNIT, "uniforms", stop);
    if (!guest)
        return false;
    memcpy(words, guest, bytes);
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
        utgard_fault_set(&stop->fault, GPU_FAULT_UNSUPPORTED, UNIT, out->address,
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
    uint32_t used = varying ? stage->code->program->varyings : stage->code->program->attributes;
    uint32_t count = varying ? state->varying_count : state->attribute_count;
    uint32_t table = varying ? state->varyings : state->attributes;
    struct utgard_array *arrays = varying ? stage->varying : stage->attribute;
    if (!count || count > UTGARD_GP_VARYINGS || (!varying && used >> count)) {
        utgard_fault_set(&stop->fault, GPU_FAULT_PACKET, UNIT, table,
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

static bool program_prepare(struct utgard_device *device, struct utgard_programs *programs,
                            struct utgard_vertex_stage *stage, const struct gpu_space *space,
                            const struct utgard_vs_state *state, struct utgard_stop *stop)
{
    uint64_t words[UTGARD_GP_MAX_INSNS * UTGARD_GP_WORDS];
    if (!state->instructions || state->instructions > UTGARD_GP_MAX_INSNS) {
        utgard_fault_set(&stop->fault, GPU_FAULT_SHADER, UNIT, state->program,
                         "%u instructions are none or more than %u", state->instructions,
                         UTGARD_GP_MAX_INSNS);
        return false;
    }
    size_t bytes = state->instructions * sizeof(uint64_t[UTGARD_GP_WORDS]);
    const uint8_t *guest = utgard_at(space, state->program, bytes, GPU_RIGHT_READ, UNIT, "program", stop);
    if (!guest)
        return false;
    memcpy(words, guest, bytes);
    return !utgard_programs_get(programs, device->options.engine, words, state->instructions, state->program,
                                &stage->code, stop);
}

/* ---- batches ---- */

/* A draw in the hands of workers. */
struct draw {
    const struct utgard_vertex_stage *stage;
    uint32_t vertices, batches;
    struct utgard_gp_temporaries *temporaries; /* one a worker, or NULL */
    pthread_mutex_t lock;
    uint32_t faulted; /* the first vertex that did, UINT32_MAX: none */
    uint32_t fault;   /* what it did: enum utgard_gp_fault | pc << 8 */
};

struct vertex {
    const struct utgard_vertex_args *args;
    uint32_t lane;
};

static void port_attribute(void *ctx, uint32_t index, uint32_t out[4])
{
    const struct vertex *v = ctx;
    for (unsigned c = 0; c < 4; c++)
        out[c] = v->args->in[index][c][v->lane];
}

static void port_uniform(void *ctx, uint32_t index, uint32_t out[4])
{
    const struct vertex *v = ctx;
    memcpy(out, v->args->uniforms[index], 16);
}

static void port_varying(void *ctx, uint32_t index, uint32_t component, uint32_t value)
{
    const struct vertex *v = ctx;
    v->args->out[index][component][v->lane] = value;
}

static void interpret(const struct utgard_gp_program *program, struct utgard_vertex_args *args,
                      uint32_t lanes)
{
    for (uint32_t l = 0; l < lanes; l++) {
        struct vertex v = {args, l};
        const struct utgard_gp_ports ports = {&v, port_attribute, port_uniform, port_varying};
        struct utgard_gp_report report;
        utgard_gp_run(program, &ports, args->fuel, NULL, &report, NULL, NULL);
        args->fault[l] = report.fault ? (uint32_t)report.fault | report.pc << 8 : 0;
    }
}

static void fill_temporaries(const struct utgard_vertex_stage *stage, struct utgard_gp_temporaries *t)
{
    for (uint32_t n = 0; n < UTGARD_GP_FILE; n++)
        for (unsigned c = 0; c < 4; c++)
            for (unsigned l = 0; l < 16; l++)
                t->value[n][c][l] = stage->uniforms[n][c];
}

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

static bool shade_batch(struct draw *draw, uint32_t batch, struct utgard_gp_temporaries *temporaries)
{
    const struct utgard_vertex_stage *stage = draw->stage;
    const struct utgard_gp_program *program = stage->code->program;
    alignas(64) uint32_t in[UTGARD_GP_ATTRIBUTES][4][16];
    alignas(64) uint32_t out[UTGARD_GP_VARYINGS][4][16];
    uint32_t first = batch * 16, lanes = UTIL_MIN(16u, draw->vertices - first);
    struct utgard_vertex_args args = {.uniforms = stage->uniforms,
                                      .temporaries = temporaries,
                                      .in = (const uint32_t(*)[4][16])in,
                                      .out = out,
                                      .fuel = stage->fuel};
    utgard_fetch(stage, first, lanes, in);
    memset(out, 0, sizeof out[0] * stage->varying_count);
    if (stage->code->function) {
        if (temporaries)
            fill_temporaries(stage, temporaries);
        ((utgard_vertex_fn)jit_function_code(stage->code->function))(&args);
        jit_function_ran(stage->code->function, program->insn_count);
    } else {
        interpret(program, &args, lanes);
    }
    if (!ended_well(draw, args.fault, first, lanes))
        return false;
    utgard_store(stage, first, lanes, (const uint32_t(*)[4][16])out);
    return true;
}

static void shade_chunk(void *data, uint32_t chunk, unsigned worker)
{
    struct draw *draw = data;
    uint32_t end = UTIL_MIN((chunk + 1) * CHUNK, draw->batches);
    unsigned saved = util_fpenv_enter();
    for (uint32_t b = chunk * CHUNK; b < end; b++)
        if (!shade_batch(draw, b, draw->temporaries ? &draw->temporaries[worker] : NULL))
            break;
    util_fpenv_leave(saved);
}

/* Vertices read what others of the draw wrote: then they are shaded one batch after the other. */
static bool reads_own_results(const struct utgard_vertex_stage *stage, uint32_t vertices)
{
    for (uint32_t a = 0; a < stage->attribute_count; a++)
        for (uint32_t v = 0; v < stage->varying_count; v++) {
            const struct utgard_array *in = &stage->attribute[a], *out = &stage->varying[v];
            uint64_t in_end = in->address + in->stride * (vertices - 1ull) + in->bytes;
            uint64_t out_end = out->address + out->stride * (vertices - 1ull) + out->bytes;
            if (in->bytes && in->address < out_end && out->address < in_end)
                return true;
        }
    return false;
}

static void explain(const struct draw *draw, struct utgard_stop *stop)
{
    static const char *const words[] = {[UTGARD_GP_FAULT_FUEL] = "loops for too long",
                                        [UTGARD_GP_FAULT_RESERVED] = "uses a reserved operation or source",
                                        [UTGARD_GP_FAULT_ADDRESS] = "names a uniform beyond the file"};
    uint32_t kind = draw->fault & 0xff;
    utgard_fault_set(&stop->fault, kind == UTGARD_GP_FAULT_FUEL ? GPU_FAULT_TIMEOUT : GPU_FAULT_SHADER, UNIT,
                     draw->stage->at, "vertex %u %s", draw->faulted, words[kind]);
    stop->fault.pc = draw->fault >> 8;
    stop->fault.lane = draw->faulted % 16;
}

static int run(struct utgard_device *device, const struct utgard_vertex_stage *stage, uint32_t vertices,
               struct utgard_stop *stop)
{
    struct draw draw = {.stage = stage,
                        .vertices = vertices,
                        .batches = util_div_up(vertices, 16),
                        .faulted = UINT32_MAX,
                        .lock = PTHREAD_MUTEX_INITIALIZER};
    if (stage->code->function && stage->code->program->stores_temporaries) {
        draw.temporaries =
            aligned_alloc(64, util_pool_workers(device->options.pool) * sizeof *draw.temporaries);
        if (!draw.temporaries) {
            utgard_fault_set(&stop->fault, GPU_FAULT_SHADER, UNIT, stage->at, "no host memory");
            return -EFAULT;
        }
    }
    util_pool_run_spans(reads_own_results(stage, vertices) ? NULL : device->options.pool,
                        util_div_up(draw.batches, CHUNK), shade_chunk, &draw);
    free(draw.temporaries);
    if (draw.faulted == UINT32_MAX)
        return 0;
    explain(&draw, stop);
    return -EFAULT;
}

/* Takes what the draw may cost at most from the job's fuel. */
static bool pay(const struct utgard_device *device, const struct utgard_vertex_stage *stage,
                uint32_t vertices, uint64_t *fuel, struct utgard_stop *stop)
{
    const struct utgard_gp_program *program = stage->code->program;
    uint64_t batch = program->insn_count + (program->repeats ? stage->fuel : 0);
    if (device->options.engine && !stage->code->function)
        batch *= INTERPRETED_WEIGHT;
    uint64_t cost = batch * util_div_up(vertices, 16);
    if (cost > *fuel) {
        utgard_fault_set(&stop->fault, GPU_FAULT_TIMEOUT, UNIT, stage->at,
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

int utgard_vertex_draw(struct utgard_device *device, struct utgard_programs *programs,
                       const struct gpu_space *space, const struct utgard_vs_state *state, uint32_t number,
                       uint32_t vertices, uint64_t *fuel, struct utgard_vs_result *result,
                       struct utgard_stop *stop)
{
    struct utgard_vertex_stage stage = {.at = state->program, .fuel = device->options.fuel};
    *result = (struct utgard_vs_result){0};
    if (!vertices)
        return 0;
    if (!program_prepare(device, programs, &stage, space, state, stop) ||
        !uniforms_prepare(&stage, space, state, stop) ||
        !arrays_prepare(&stage, space, state, vertices, false, stop) ||
        !arrays_prepare(&stage, space, state, vertices, true, stop) ||
        !pay(device, &stage, vertices, fuel, stop))
        return -EFAULT;
    if (device->options.observer)
        utgard_observe_shading(device->options.observer, &stage, space, number, vertices, false);
    int status = run(device, &stage, vertices, stop);
    if (device->options.observer)
        utgard_observe_shading(device->options.observer, &stage, space, number, vertices, true);
    device->counters.vertices += vertices;
    device->counters.instructions += (uint64_t)util_div_up(vertices, 16) * stage.code->program->insn_count;
    find_results(&stage, result);
    return status;
}
