/* The reference fragment path: each block of pixels through the interpreter, with textures, tests and the
 * tile in plain C. The ports of one block, in the order of Guide sections 4 to 6. */
#include "gpu/vc4/frag_ref.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/device_internal.h"
#include "gpu/vc4/frag_internal.h"
#include "isa/vc4_qpu/interp.h"
#include "util/bits.h"
#include "util/fpenv.h"

#define LANES 16
#define UNIT  "fragment program"

/* A texture request whose set-up words stand at known places, decoded once. */
struct known_texture {
    bool valid; /* false: a raw lookup, or words not known before the program runs */
    bool has_r, has_b;
    uint32_t params[4], param_count;
    struct raster_texture_key key;
    struct raster_texture texture;
};

struct vc4_frag_ref {
    const struct gpu_memory *memory;
    const struct vc4_qpu_program *program;
    struct vc4_frag_config config;
    uint32_t code, uniforms_at, fuel;
    uint32_t *uniforms; /* owned: the words that analysis sees being read; NULL when not all in memory */
    struct known_texture *textures; /* owned, one a sample of the program */
    bool early;                     /* compiled code tests the payload's depth first (frag_internal.h) */
    struct raster_zs early_test;
};

/* One block under way. */
struct batch {
    const struct vc4_frag_ref *ref;
    const struct raster_prim *prim;
    struct raster_tile *tile;
    uint32_t *color, *zs; /* the block's first sample; the others follow, 16 words each */
    int32_t px, py;       /* window pixel of lane 0 */
    uint16_t live[RASTER_MAX_SAMPLES];
    struct raster_zs test;
    uint32_t color_loads, color_writes;
    struct {
        uint32_t count;
        uint32_t result[VC4_QPU_TMU_SLOTS][LANES];
    } tmu[2];
    struct gpu_fault texture_fault; /* what a set-up decoded on the spot had wrong */
};

static int32_t lane_x(unsigned lane)
{
    return (int32_t)((lane & 1) | (lane >> 1 & 2));
}

static int32_t lane_y(unsigned lane)
{
    return (int32_t)((lane >> 1 & 1) | (lane >> 2 & 2));
}

/* a * fx + b * fy at a lane's pixel centre, each product and the sum rounded (raster/prim.h). */
static float plane(const struct batch *batch, unsigned lane, float a, float b)
{
    float fx = (float)(batch->px + lane_x(lane)) + 0.5f - batch->prim->x0;
    float fy = (float)(batch->py + lane_y(lane)) + 0.5f - batch->prim->y0;
    float x = a * fx, y = b * fy;
    return x + y;
}

/* ---- uniforms, varyings, coordinates ---- */

static enum vc4_qpu_fault port_uniform(void *ctx, uint32_t address, uint32_t *value,
                                       struct vc4_qpu_report *report)
{
    const struct vc4_frag_ref *ref = ((struct batch *)ctx)->ref;
    uint32_t offset = address - ref->uniforms_at;

    report->address = address;
    if (address & 3)
        return VC4_QPU_FAULT_UNIFORM;
    if (ref->uniforms && offset / 4 < ref->program->uniform_count) {
        *value = ref->uniforms[offset / 4];
        return VC4_QPU_OK;
    }
    const uint8_t *at = gpu_memory_at(ref->memory, address, 4);
    if (!at)
        return VC4_QPU_FAULT_UNIFORM;
    *value = util_load32(at);
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault port_varying(void *ctx, uint32_t n, uint32_t vary[LANES], uint32_t c[LANES],
                                       struct vc4_qpu_report *report)
{
    const struct batch *batch = ctx;
    const struct raster_prim *prim = batch->prim;

    if (n >= RASTER_MAX_VARYINGS)
        return VC4_QPU_FAULT_RESERVED;
    for (unsigned lane = 0; lane < LANES; lane++) {
        vary[lane] = util_f2u(plane(batch, lane, prim->vary_a[n], prim->vary_b[n]));
        c[lane] = util_f2u(prim->vary_c[n]);
    }
    return VC4_QPU_OK;
}

static void port_coordinates(void *ctx, uint32_t x[LANES], uint32_t y[LANES])
{
    const struct batch *batch = ctx;

    for (unsigned lane = 0; lane < LANES; lane++) {
        x[lane] = (uint32_t)(batch->px + lane_x(lane));
        y[lane] = (uint32_t)(batch->py + lane_y(lane));
    }
}

static void port_flags(void *ctx, uint32_t ms_mask[LANES], uint32_t rev_flag[LANES])
{
    const struct batch *batch = ctx;

    for (unsigned lane = 0; lane < LANES; lane++) {
        ms_mask[lane] = 0;
        for (unsigned k = 0; k < batch->tile->samples; k++)
            ms_mask[lane] |= (batch->live[k] >> lane & 1u) << k;
        rev_flag[lane] = batch->prim->reverse;
    }
}

/* A program may narrow the samples it writes, not widen them. */
static enum vc4_qpu_fault port_set_ms_mask(void *ctx, const uint32_t value[LANES], uint16_t lanes,
                                           struct vc4_qpu_report *report)
{
    struct batch *batch = ctx;

    for (unsigned k = 0; k < batch->tile->samples; k++)
        for (unsigned lane = 0; lane < LANES; lane++)
            if ((lanes >> lane & 1) && !(value[lane] >> k & 1))
                batch->live[k] &= (uint16_t)~(1u << lane);
    return VC4_QPU_OK;
}

/* ---- the texture unit ---- */

/* Guide section 4: "the bottom two bits of the address are ignored". */
static enum vc4_qpu_fault raw_lookup(const struct batch *batch, const uint32_t address[LANES],
                                     uint32_t out[LANES], struct vc4_qpu_report *report)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        const uint8_t *at = gpu_memory_at(batch->ref->memory, address[lane] & ~3u, 4);
        if (!at) {
            report->lane = lane;
            report->address = address[lane];
            return VC4_QPU_FAULT_MEMORY;
        }
        out[lane] = util_load32(at);
    }
    return VC4_QPU_OK;
}

/* The decoded set-up of these words, from the draw's or into `scratch`; NULL when it is invalid. */
static const struct known_texture *find_texture(struct batch *batch, const uint32_t *params, unsigned count,
                                                bool has_r, bool has_b, struct known_texture *scratch)
{
    const struct vc4_frag_ref *ref = batch->ref;

    for (uint32_t i = 0; i < ref->program->sample_count; i++) {
        const struct known_texture *known = &ref->textures[i];
        if (known->valid && known->param_count == count && known->has_r == has_r && known->has_b == has_b &&
            !memcmp(known->params, params, count * sizeof *params))
            return known;
    }
    if (!vc4_texture_decode(ref->memory, params, count, has_r, has_b, &scratch->key, &scratch->texture,
                            &batch->texture_fault))
        return NULL;
    return scratch;
}

static const float *as_floats(const uint32_t *words, float out[LANES])
{
    if (!words)
        return NULL;
    memcpy(out, words, LANES * sizeof *out);
    return out;
}

static enum vc4_qpu_fault port_tmu_request(void *ctx, unsigned unit, const uint32_t *s, const uint32_t *t,
                                           const uint32_t *r, const uint32_t *b, const uint32_t *params,
                                           unsigned param_count, struct vc4_qpu_report *report)
{
    struct batch *batch = ctx;
    struct known_texture scratch;
    float coordinate[4][LANES];

    uint32_t *out = batch->tmu[unit].result[batch->tmu[unit].count++];
    if (!param_count)
        return raw_lookup(batch, s, out, report);
    const struct known_texture *known = find_texture(batch, params, param_count, r, b, &scratch);
    if (!known)
        return VC4_QPU_FAULT_MEMORY;
    raster_texture_sample(&known->key, &known->texture, as_floats(s, coordinate[0]),
                          as_floats(t, coordinate[1]), as_floats(r, coordinate[2]),
                          as_floats(b, coordinate[3]), out);
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault port_tmu_load(void *ctx, unsigned unit, uint32_t out[LANES],
                                        struct vc4_qpu_report *report)
{
    struct batch *batch = ctx;
    uint32_t(*result)[LANES] = batch->tmu[unit].result;

    memcpy(out, result[0], sizeof result[0]);
    memmove(result[0], result[1], --batch->tmu[unit].count * sizeof result[0]);
    return VC4_QPU_OK;
}

/* ---- the tile buffer ---- */

static enum vc4_qpu_fault port_stencil(void *ctx, const uint32_t value[LANES], uint16_t lanes,
                                       struct vc4_qpu_report *report)
{
    struct batch *batch = ctx;

    if (lanes)
        vc4_frag_stencil_word(batch->test.face, value[__builtin_ctz(lanes)]);
    return VC4_QPU_OK;
}

/* Tests each live sample of the lanes written; those that fail are live no more (Guide section 5). */
static enum vc4_qpu_fault port_z(void *ctx, const uint32_t value[LANES], uint16_t lanes,
                                 struct vc4_qpu_report *report)
{
    struct batch *batch = ctx;

    for (unsigned k = 0; k < batch->tile->samples; k++)
        for (unsigned lane = 0; lane < LANES; lane++)
            if ((lanes & batch->live[k]) >> lane & 1 &&
                !raster_zs_test(&batch->test, batch->prim->reverse, value[lane] & 0xffffff,
                                &batch->zs[k * LANES + lane]))
                batch->live[k] &= (uint16_t)~(1u << lane);
    return VC4_QPU_OK;
}

static void write_sample(struct batch *batch, unsigned sample, const uint32_t value[LANES], uint16_t lanes)
{
    for (unsigned lane = 0; lane < LANES; lane++)
        if ((lanes & batch->live[sample]) >> lane & 1)
            batch->color[sample * LANES + lane] = value[lane];
}

static enum vc4_qpu_fault port_color_write(void *ctx, bool all, const uint32_t value[LANES], uint16_t lanes,
                                           struct vc4_qpu_report *report)
{
    struct batch *batch = ctx;
    unsigned samples = batch->tile->samples;

    if (!all) {
        write_sample(batch, batch->color_writes++ % samples, value, lanes);
        return VC4_QPU_OK;
    }
    for (unsigned k = 0; k < samples; k++)
        write_sample(batch, k, value, lanes);
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault port_color_load(void *ctx, uint32_t out[LANES], struct vc4_qpu_report *report)
{
    struct batch *batch = ctx;
    unsigned sample = batch->color_loads++ % batch->tile->samples;

    memcpy(out, batch->color + (size_t)sample * LANES, LANES * sizeof *out);
    return VC4_QPU_OK;
}

/* ---- blocks ---- */

/* W and Z of the payload (Guide table 29), by raster/prim.h's formulas. */
static void fill_payload(const struct batch *batch, struct vc4_qpu_start *start)
{
    const struct raster_prim *prim = batch->prim;

    for (unsigned lane = 0; lane < LANES; lane++) {
        float inv_w = plane(batch, lane, prim->inv_w_a, prim->inv_w_b) + prim->inv_w_c;
        float z = plane(batch, lane, prim->z_a, prim->z_b) + prim->z_c;
        z = z > 0.0f ? z : 0.0f;
        z = z < 1.0f ? z : 1.0f;
        float scaled = z * 16777215.0f;
        uint32_t depth = (uint32_t)(scaled + 0.5f);
        start->ra15[lane] = util_f2u(1.0f / inv_w);
        start->rb15[lane] = UTIL_MIN(depth, 0xffffff);
    }
}

static void report_fault(const struct batch *batch, const struct vc4_qpu_report *report,
                         struct gpu_fault *fault)
{
    static const struct {
        enum gpu_fault_kind kind;
        const char *text;
    } words[] = {
        [VC4_QPU_FAULT_FUEL] = {GPU_FAULT_TIMEOUT, "loops repeat more instructions than the fuel allows"},
        [VC4_QPU_FAULT_PC] = {GPU_FAULT_SHADER, "branch outside the program"},
        [VC4_QPU_FAULT_UNIFORM] = {GPU_FAULT_MEMORY, "uniform read outside memory"},
        [VC4_QPU_FAULT_MEMORY] = {GPU_FAULT_MEMORY, "lookup outside memory"},
        [VC4_QPU_FAULT_TMU_EMPTY] = {GPU_FAULT_SHADER, "texture result loaded without a request"},
        [VC4_QPU_FAULT_TMU_FULL] = {GPU_FAULT_SHADER, "too many texture requests outstanding"},
        [VC4_QPU_FAULT_RESERVED] = {GPU_FAULT_SHADER, "reserved operation, signal or register"},
        [VC4_QPU_FAULT_UNSUPPORTED] =
            {GPU_FAULT_UNSUPPORTED, "an access that fragment programs do not have here (VPM, coverage, alpha "
                                    "mask, mutex, semaphores, host interrupt, quad position)"},
    };
    bool lookup = report->fault == VC4_QPU_FAULT_MEMORY || report->fault == VC4_QPU_FAULT_UNIFORM;

    if (batch->texture_fault.kind)
        *fault = batch->texture_fault;
    else
        vc4_fault_set(fault, words[report->fault].kind, UNIT,
                      lookup ? report->address : batch->ref->code + report->pc * 8, "%s",
                      words[report->fault].text);
    fault->pc = report->pc;
    fault->lane = report->lane;
}

/* Whether no sample of the block passes the early test and none is changed by it: such a block runs here, but
 * does not count. */
static bool rejected(const struct batch *batch, const struct raster_block *block, const uint32_t depth[LANES])
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

static enum vc4_qpu_fault shade_block(struct batch *batch, const struct raster_block *block, uint64_t *fuel,
                                      uint64_t *executed, struct gpu_fault *fault)
{
    const struct vc4_qpu_ports ports = {
        .ctx = batch,
        .uniform = port_uniform,
        .varying = port_varying,
        .coordinates = port_coordinates,
        .flags = port_flags,
        .set_ms_mask = port_set_ms_mask,
        .tmu_request = port_tmu_request,
        .tmu_load = port_tmu_load,
        .tlb_stencil = port_stencil,
        .tlb_z = port_z,
        .color_write = port_color_write,
        .color_load = port_color_load,
    };
    const struct vc4_frag_ref *ref = batch->ref;
    struct vc4_qpu_start start = {.uniforms = ref->uniforms_at,
                                  .fuel = (uint32_t)UTIL_MIN(*fuel, (uint64_t)ref->fuel)};
    struct vc4_qpu_report report = {0};
    uint32_t first = raster_block_index(batch->tile, block->x * 4u, block->y * 4u, 0);

    batch->color = batch->tile->color + first;
    batch->zs = batch->tile->zs + first;
    batch->px = batch->tile->x + block->x * 4;
    batch->py = batch->tile->y + block->y * 4;
    memcpy(batch->live, block->sample, sizeof batch->live);
    fill_payload(batch, &start);
    bool counts = !rejected(batch, block, start.rb15);
    if (vc4_qpu_interp(ref->program, &start, &ports, NULL, NULL, NULL, &report) != VC4_QPU_OK)
        report_fault(batch, &report, fault);
    *executed += counts ? report.executed : 0;
    *fuel -= UTIL_MIN(report.executed, *fuel);
    return report.fault;
}

uint32_t vc4_frag_ref_shade(const struct vc4_frag_ref *ref, const struct raster_prim *prim,
                            struct raster_tile *tile, const struct raster_block *blocks, uint32_t count,
                            uint64_t *fuel, uint64_t *executed, struct gpu_fault *fault)
{
    enum vc4_qpu_fault status = VC4_QPU_OK;
    uint64_t done = 0;
    unsigned saved = util_fpenv_enter();

    for (uint32_t i = 0; i < count && !status; i++) {
        struct batch batch = {
            .ref = ref,
            .prim = prim,
            .tile = tile,
            .test = {.depth_write = ref->config.z_updates, .depth_func = ref->config.depth_func}};
        status = shade_block(&batch, &blocks[i], fuel, &done, fault);
    }
    *executed += status ? 0 : done;
    util_fpenv_leave(saved);
    return status;
}

/* ---- preparation ---- */

static int no_memory(const struct vc4_frag_ref *ref, struct gpu_fault *fault)
{
    vc4_fault_set(fault, GPU_FAULT_SHADER, UNIT, ref->code, "no host memory");
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
                          struct known_texture *known, struct gpu_fault *fault)
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

    vc4_frag_plan_make(ref->program, ref->config.samples, &plan);
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
        vc4_fault_set(fault, GPU_FAULT_SHADER, UNIT, state->fs.code, "no host memory");
        return -ENOMEM;
    }
    *ref = (struct vc4_frag_ref){.memory = memory,
                                 .program = program,
                                 .config = *config,
                                 .code = state->fs.code,
                                 .uniforms_at = state->fs.uniforms,
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

uint32_t vc4_frag_ref_varyings(const struct vc4_frag_ref *ref)
{
    return ref->program->varying_count;
}
