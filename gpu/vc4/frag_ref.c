/* The reference fragment path: each block of pixels through the interpreter, with textures, tests and the
 * tile in plain C (frag_ref_ports.c). */
#include "gpu/vc4/frag_ref.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/device_internal.h"
#include "gpu/vc4/frag_internal.h"
#include "gpu/vc4/frag_ref_internal.h"
#include "raster/depth.h"
#include "util/bits.h"
#include "util/fpenv.h"

#define LANES VC4_QPU_LANES
#define UNIT  "fragment program"

/* ---- blocks ---- */

/* W and Z of the payload (Guide table 29), by raster/prim.h's and depth.h's formulas. */
static void fill_payload(const struct vc4_ref_batch *batch, struct vc4_qpu_start *start)
{
    const struct raster_prim *prim = batch->prim;

    for (unsigned lane = 0; lane < LANES; lane++) {
        start->ra15[lane] = util_f2u(raster_w_at(prim, batch->px, batch->py, lane));
        start->rb15[lane] = raster_depth_at(prim, batch->px, batch->py, lane);
    }
}

static void report_fault(const struct vc4_ref_batch *batch, const struct vc4_qpu_report *report,
                         struct gpu_fault *fault)
{
    static const char other[] = "an access that fragment programs do not have here (VPM, mutex, semaphores, "
                                "host interrupt, quad position, coverage of four samples)";
    const struct isa_fault_row *row = &vc4_qpu_faults[report->fault];

    if (batch->texture_fault.kind)
        *fault = batch->texture_fault;
    else
        gpu_fault_set(fault, gpu_fault_kind_of(row->class), UNIT,
                      row->class == ISA_FAULT_MEMORY ? report->address : batch->ref->code + report->pc * 8,
                      "%s", row->class == ISA_FAULT_UNSUPPORTED ? other : row->text);
    fault->pc = report->pc;
    fault->lane = report->lane;
}

/* Whether no sample of the block passes the early test and none is changed by it: such a block runs here, but
 * does not count. */
static bool rejected(const struct vc4_ref_batch *batch, const struct raster_block *block,
                     const uint32_t depth[LANES])
{
    const struct raster_zs *test = &batch->ref->early_test;

    for (unsigned k = 0; batch->ref->early && k < batch->tile->samples; k++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            uint32_t stored = batch->zs[k * LANES + lane], before = stored;

            if (block->sample[k] >> lane & 1 &&
                (raster_zs_test(test, batch->prim->reverse, depth[lane], &stored) || stored != before))
                return false;
        }
    return batch->ref->early;
}

static enum vc4_qpu_fault shade_block(struct vc4_ref_batch *batch, const struct raster_block *block,
                                      uint64_t *fuel, uint64_t *executed, struct gpu_fault *fault)
{
    const struct vc4_frag_ref *ref = batch->ref;
    struct vc4_qpu_start start = {.uniforms = ref->uniforms_at,
                                  .fuel = (uint32_t)UTIL_MIN(*fuel, (uint64_t)ref->fuel),
                                  .numeric = ref->numeric};
    struct vc4_qpu_report report = {0};
    uint32_t first = raster_block_index(batch->tile, block->x * 4u, block->y * 4u, 0);

    batch->color = batch->tile->color + (ref->config.rgba16f ? first * 2 : first);
    batch->zs = batch->tile->zs + first;
    batch->px = batch->tile->x + block->x * 4;
    batch->py = batch->tile->y + block->y * 4;
    memcpy(batch->live, block->sample, sizeof batch->live);
    fill_payload(batch, &start);
    bool counts = !rejected(batch, block, start.rb15);
    if (!vc4_ref_watched(batch, block, &start, counts, &report)) {
        struct vc4_qpu_ports ports = vc4_ref_ports;
        ports.ctx = batch;
        vc4_qpu_interp(ref->program, &start, &ports, NULL, NULL, NULL, &report);
    }
    if (report.fault != VC4_QPU_OK)
        report_fault(batch, &report, fault);
    if (batch->counts)
        batch->counts->color += vc4_ref_quads(batch->written);
    *executed += counts ? report.executed : 0;
    *fuel -= UTIL_MIN(report.executed, *fuel);
    return report.fault;
}

uint32_t vc4_frag_ref_watch(const struct vc4_frag_ref *ref, const struct gpu_watch *watch,
                            struct vc4_frag_counts *counts, const struct raster_prim *prim,
                            struct raster_tile *tile, const struct raster_block *blocks, uint32_t count,
                            uint64_t *fuel, uint64_t *executed, struct gpu_fault *fault)
{
    enum vc4_qpu_fault status = VC4_QPU_OK;
    uint64_t done = 0;
    unsigned saved = util_fpenv_enter();

    for (uint32_t i = 0; i < count && !status; i++) {
        struct vc4_ref_batch batch = {
            .ref = ref,
            .watch = watch,
            .counts = counts,
            .prim = prim,
            .tile = tile,
            .test = {.depth_write = ref->config.z_updates, .depth_func = ref->config.depth_func}};
        status = shade_block(&batch, &blocks[i], fuel, &done, fault);
    }
    *executed += status ? 0 : done;
    util_fpenv_leave(saved);
    return status;
}

uint32_t vc4_frag_ref_shade(const struct vc4_frag_ref *ref, const struct raster_prim *prim,
                            struct raster_tile *tile, const struct raster_block *blocks, uint32_t count,
                            uint64_t *fuel, uint64_t *executed, struct gpu_fault *fault)
{
    return vc4_frag_ref_watch(ref, NULL, NULL, prim, tile, blocks, count, fuel, executed, fault);
}

/* ---- preparation ---- */

static int no_memory(const struct vc4_frag_ref *ref, struct gpu_fault *fault)
{
    gpu_fault_set(fault, GPU_FAULT_SHADER, UNIT, ref->code, "no host memory");
    return -ENOMEM;
}

static int fetch_uniforms(struct vc4_frag_ref *ref, struct gpu_fault *fault)
{
    uint64_t bytes = ref->program->uniform_count * 4ull;
    const uint8_t *guest = gpu_memory_at(ref->memory, ref->uniforms_at, bytes);

    if (!guest) /* read one by one, and the first outside memory is the fault */
        return 0;
    ref->uniforms = malloc(bytes);
    if (!ref->uniforms)
        return no_memory(ref, fault);
    memcpy(ref->uniforms, guest, bytes);
    return 0;
}

static int decode_texture(const struct vc4_frag_ref *ref, const struct vc4_qpu_sample *sample,
                          struct vc4_known_texture *known, struct gpu_fault *fault)
{
    known->has_r = sample->has_r;
    known->has_b = sample->has_b;
    known->param_count = sample->param_count;
    for (unsigned k = 0; k < sample->param_count; k++) {
        if (!ref->uniforms || sample->param[k] >= ref->program->uniform_count)
            return 0;
        known->params[k] = ref->uniforms[sample->param[k]];
    }
    known->valid = !sample->direct;
    if (known->valid && !vc4_texture_decode(ref->memory, known->params, known->param_count, known->has_r,
                                            known->has_b, &known->key, &known->texture, fault)) {
        fault->pc = sample->insn;
        return -EFAULT;
    }
    return 0;
}

static void plan_early(struct vc4_frag_ref *ref)
{
    struct vc4_frag_plan plan;

    vc4_frag_plan_make(ref->program, ref->config.samples, ref->config.rgba16f ? 2 : 1, &plan);
    ref->early = plan.compiles && plan.early && (ref->uniforms || !ref->program->uniform_count);
    if (ref->early)
        vc4_frag_plan_test(&plan, ref->uniforms, &ref->config, &ref->early_test);
}

int vc4_frag_ref_prepare(const struct gpu_memory *memory, const struct vc4_shader_state *state,
                         const struct vc4_frag_config *config, uint32_t fuel, struct vc4_frag_ref **out,
                         struct gpu_fault *fault)
{
    const struct vc4_qpu_program *program = state->fs.program;
    struct vc4_frag_ref *ref = calloc(1, sizeof *ref);
    int status;

    *out = NULL;
    if (!ref) {
        gpu_fault_set(fault, GPU_FAULT_SHADER, UNIT, state->fs.code, "no host memory");
        return -ENOMEM;
    }
    *ref = (struct vc4_frag_ref){.memory = memory,
                                 .program = program,
                                 .config = *config,
                                 .code = state->fs.code,
                                 .uniforms_at = state->fs.uniforms,
                                 .numeric = state->numeric,
                                 .fuel = fuel};
    ref->textures = calloc(program->sample_count + 1ull, sizeof *ref->textures);
    status = ref->textures ? fetch_uniforms(ref, fault) : no_memory(ref, fault);
    for (uint32_t i = 0; !status && i < program->sample_count; i++)
        status = decode_texture(ref, &program->samples[i], &ref->textures[i], fault);
    if (status) {
        vc4_frag_ref_release(ref);
        return status;
    }
    plan_early(ref);
    *out = ref;
    return 0;
}

void vc4_frag_ref_release(struct vc4_frag_ref *ref)
{
    if (!ref)
        return;
    free(ref->uniforms);
    free(ref->textures);
    free(ref);
}
