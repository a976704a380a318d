/* A draw's fragment stage: prepared once, as compiled code where the program allows it, otherwise as the
 * reference path, which also reports what is wrong with a draw. */
#include "gpu/vc4/frag.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/device_internal.h"
#include "gpu/vc4/frag_internal.h"
#include "gpu/vc4/frag_ref.h"
#include "util/bits.h"

#define CHEAP_INSNS 32u /* of programs without textures: a block takes less than ten nanoseconds */

/* What quads are made of, when they are first wanted. */
struct vc4_frag_quads {
    struct raster_shader_quads of;
    struct vc4_frag_variant variant;
    struct vc4_frag_plan plan;
    struct jit_engine *engine;
    struct gpu_program *cached;
};

struct vc4_frag {
    struct raster_shader shader; /* its quads are owned: a struct vc4_frag_quads, or NULL */
    struct vc4_frag_ref *ref;    /* owned; NULL when the draw is compiled */
    struct vc4_frag_ref *watch;  /* likewise, of compiled draws that may be watched */
    struct util_arena *arena;    /* what it and its quads stand in; NULL: the heap */
    const struct vc4_qpu_program *program;
    uint32_t code; /* guest address of the program, for reports */
    uint8_t samples;
    struct vc4_frag_args args;
    /* Behind it, in one piece of memory: */
    struct raster_texture *textures; /* by sample number; direct lookups have none */
    struct raster_texture_key *keys; /* likewise */
    uint32_t *uniforms;              /* the words, then the same as numbers */
};

static const struct raster_shader_family family;

/* A draw of `program` that has no code. Programs that do not repeat cost their length. */
static struct raster_shader shader_of(const struct vc4_frag *frag)
{
    const struct vc4_qpu_program *program = frag->program;

    return (struct raster_shader){.family = &family,
                                  .args = &frag->args,
                                  .cost = program->repeats ? 0 : program->insn_count,
                                  .varyings = program->varying_count,
                                  .counted = program->repeats,
                                  .cheap = program->insn_count <= CHEAP_INSNS && !program->sample_count};
}

static void *frag_alloc(struct util_arena *arena, size_t size)
{
    return arena ? util_arena_alloc(arena, size) : malloc(size);
}

static struct vc4_frag *frag_create(const struct vc4_qpu_program *program, struct util_arena *arena)
{
    size_t textures = program->sample_count * sizeof(struct raster_texture);
    size_t keys = program->sample_count * sizeof(struct raster_texture_key);
    size_t uniforms = program->uniform_count * 2 * sizeof(uint32_t),
           own = util_align(sizeof(struct vc4_frag), 16);
    uint8_t *bytes = frag_alloc(arena, own + textures + uniforms + keys);
    struct vc4_frag *frag = (struct vc4_frag *)bytes;

    if (!frag)
        return NULL;
    memset(bytes, 0, own + textures + uniforms + keys);
    frag->arena = arena;
    frag->program = program;
    frag->shader = shader_of(frag);
    frag->textures = (struct raster_texture *)(bytes + own);
    frag->uniforms = (uint32_t *)(bytes + own + textures);
    frag->keys = (struct raster_texture_key *)(bytes + own + textures + uniforms);
    return frag;
}

/* The words that analysis sees being read, fetched once; resets of the stream must go where it assumes. */
static int fetch_uniforms(struct vc4_frag *frag, const struct gpu_memory *memory, uint32_t address)
{
    const struct vc4_qpu_program *program = frag->program;
    uint64_t bytes = program->uniform_count * 4ull;
    const uint8_t *guest = bytes ? gpu_memory_at(memory, address, bytes) : NULL;

    if (address & 3 || (bytes && !guest))
        return -EFAULT;
    if (bytes)
        memcpy(frag->uniforms, guest, bytes);
    for (uint32_t i = 0; i < program->uniform_count; i++)
        frag->uniforms[program->uniform_count + i] = vc4_qpu_one_nan(frag->uniforms[i]);
    for (uint32_t i = 0; i < program->reset_word_count; i++)
        if (program->reset_words[i] >= program->uniform_count ||
            frag->uniforms[program->reset_words[i]] != address)
            return -ENOTSUP;
    return 0;
}

static int decode_textures(struct vc4_frag *frag, const struct gpu_memory *memory)
{
    const struct vc4_qpu_program *program = frag->program;
    struct gpu_fault fault;

    for (uint32_t i = 0; i < program->sample_count; i++) {
        const struct vc4_qpu_sample *sample = &program->samples[i];
        uint32_t params[4] = {0};

        if (sample->direct)
            continue;
        for (unsigned k = 0; k < sample->param_count; k++) {
            if (sample->param[k] >= program->uniform_count)
                return -ENOTSUP;
            params[k] = frag->uniforms[sample->param[k]];
        }
        if (!vc4_texture_decode(memory, params, sample->param_count, sample->has_r, sample->has_b,
                                &frag->keys[i], &frag->textures[i], &fault))
            return -EFAULT;
    }
    return 0;
}

/* The code of a variant, kept with the program. */
static int find_code(const struct vc4_frag_variant *variant, struct jit_engine *engine,
                     struct gpu_program *cached, struct vc4_frag_entry *out)
{
    enum util_make_status kept;
    struct vc4_frag_entry *entry = vc4_frag_code_get(cached, variant, engine, &kept);

    if (entry && kept != UTIL_MAKING) {
        *out = *entry;
        return kept == UTIL_MADE ? 0 : -ENOTSUP;
    }
    struct util_error error = {0};
    out->test = NULL;
    int status = vc4_frag_compile(variant, engine, &out->code, &error);
    if (!status && variant->form == RASTER_IR_DEFERRED && variant->plan->tests &&
        !raster_zs_is_idle(&variant->zs))
        status = raster_zs_blocks(engine, &variant->zs, RASTER_DEPTH_UNORM24, &out->test, &error);
    if (entry) {
        *entry = *out;
        util_memo_end(&cached->codes, entry, !status);
    }
    return status;
}

/* Without memory for it, blocks serve. */
static void prepare_quads(struct vc4_frag *frag, struct jit_engine *engine,
                          const struct vc4_frag_variant *variant, struct gpu_program *cached)
{
    struct vc4_frag_quads *quads = frag_alloc(frag->arena, sizeof *quads);

    if (!quads)
        return;
    *quads = (struct vc4_frag_quads){
        .variant = *variant, .plan = *variant->plan, .engine = engine, .cached = cached};
    quads->variant.plan = &quads->plan;
    quads->variant.form = RASTER_IR_QUADS;
    frag->shader.quads = &quads->of;
}

/* What the draw's code depends on; `plan` is the variant's. 0, or a negative errno: such a draw is not
 * compiled. */
static int make_variant(struct vc4_frag *frag, const struct gpu_memory *memory,
                        const struct vc4_shader_state *state, const struct vc4_frag_config *config,
                        struct vc4_frag_plan *plan, struct vc4_frag_variant *out)
{
    unsigned words = raster_target_words(config->rgba16f ? RASTER_TARGET_RGBA16F : RASTER_TARGET_8888);
    int status;

    if (memory->size < 4)
        return -ENOTSUP;
    vc4_frag_plan_find(state->fs.cached, frag->program, config->samples, words, plan);
    if (!plan->compiles)
        return -ENOTSUP;
    status = fetch_uniforms(frag, memory, state->fs.uniforms);
    if (!status)
        status = decode_textures(frag, memory);
    if (status)
        return status;
    *out = (struct vc4_frag_variant){.program = frag->program,
                                     .plan = plan,
                                     .keys = frag->keys,
                                     .samples = config->samples,
                                     .words = (uint8_t)words,
                                     .numeric = state->numeric};
    if (frag->program->reads_coverage)
        out->coverage = (uint8_t)(config->coverage_leave | config->coverage_mask << 1);
    vc4_frag_plan_test(plan, frag->uniforms, config, &out->zs);
    return 0;
}

/* What a draw's code is found with. */
struct finding {
    struct vc4_frag_variant *variant;
    struct jit_engine *engine;
    struct gpu_program *cached;
};

static int find(void *ctx, enum raster_ir_form form, struct jit_function **code, struct jit_function **test)
{
    struct finding *f = ctx;
    struct vc4_frag_entry entry = {0};

    f->variant->form = form;
    int status = find_code(f->variant, f->engine, f->cached, &entry);
    *code = entry.code;
    *test = entry.test;
    return status;
}

static struct jit_function *find_quads(const struct raster_shader *shader)
{
    const struct vc4_frag_quads *quads = (const struct vc4_frag_quads *)shader->quads;
    struct vc4_frag_entry entry;

    return find_code(&quads->variant, quads->engine, quads->cached, &entry) ? NULL : entry.code;
}

/* 0, or a negative errno: whatever it is, the reference path serves the draw or names the guest's fault. */
static int prepare_compiled(struct vc4_frag *frag, const struct gpu_memory *memory, struct jit_engine *engine,
                            const struct vc4_shader_state *state, const struct vc4_frag_config *config,
                            uint32_t fuel)
{
    struct vc4_frag_variant variant;
    struct vc4_frag_plan plan;
    int status = engine ? make_variant(frag, memory, state, config, &plan, &variant) : -ENOTSUP;

    if (status)
        return status;
    frag->args = (struct vc4_frag_args){.uniforms = frag->uniforms,
                                        .numbers = frag->uniforms + frag->program->uniform_count,
                                        .textures = frag->textures,
                                        .memory = memory->base,
                                        .last_word = (uint32_t)(memory->size - 4) & ~3u,
                                        .fuel = fuel,
                                        .uniforms_at = state->fs.uniforms};
    struct finding finding = {&variant, engine, state->fs.cached};
    frag->shader.colors = plan.colors;
    status = raster_shader_find(&frag->shader, plan.opaque && !config->in_order, find, &finding);
    if (frag->shader.opaque && plan.quads)
        prepare_quads(frag, engine, &variant, state->fs.cached);
    return status;
}

void vc4_frag_compile_ahead(const struct gpu_memory *memory, struct jit_engine *engine,
                            const struct vc4_shader_state *state, const struct vc4_frag_config *config)
{
    const struct gpu_program *cached = state->fs.cached;
    struct vc4_frag_variant variant;
    struct vc4_frag_plan plan;

    if (!cached || !util_memo_is_empty(&cached->codes))
        return;
    struct vc4_frag *frag = frag_create(state->fs.program, NULL);
    if (!frag)
        return;
    if (!make_variant(frag, memory, state, config, &plan, &variant)) {
        bool opaque = plan.opaque && !config->in_order;

        variant.form = opaque ? RASTER_IR_DEFERRED : RASTER_IR_PRIM;
        vc4_frag_compile_begin(&variant, engine);
        if (opaque && frag->shader.cheap) {
            variant.form = RASTER_IR_PRIM;
            vc4_frag_compile_begin(&variant, engine);
        }
    }
    vc4_frag_release(frag);
}

int vc4_frag_prepare(const struct gpu_memory *memory, struct jit_engine *engine,
                     const struct vc4_shader_state *state, const struct vc4_frag_config *config,
                     uint32_t fuel, struct util_arena *arena, struct vc4_frag **out, struct gpu_fault *fault)
{
    struct vc4_frag *frag = frag_create(state->fs.program, arena);
    int status = 0;

    *out = NULL;
    if (!frag) {
        gpu_fault_set(fault, GPU_FAULT_SHADER, "fragment program", state->fs.code, "no host memory");
        return -ENOMEM;
    }
    frag->code = state->fs.code;
    frag->samples = config->samples;
    if (prepare_compiled(frag, memory, engine, state, config, fuel))
        status = vc4_frag_ref_prepare(memory, state, config, fuel, &frag->ref, fault);
    if (status) {
        vc4_frag_release(frag);
        return status;
    }
    *out = frag;
    return 0;
}

void vc4_frag_release(struct vc4_frag *frag)
{
    if (!frag)
        return;
    vc4_frag_ref_release(frag->ref);
    vc4_frag_ref_release(frag->watch);
    if (frag->arena)
        return;
    free(frag->shader.quads);
    free(frag);
}

bool vc4_frag_compiled(const struct vc4_frag *frag)
{
    return !frag->ref;
}

const struct raster_shader *vc4_frag_shader(const struct vc4_frag *frag)
{
    return &frag->shader;
}

static void report(const struct raster_shader *shader, uint32_t code, uint64_t address, void *to)
{
    const struct vc4_frag *frag = (const struct vc4_frag *)shader;
    struct gpu_fault *fault = to;

    if (code == RASTER_SHADER_UNPAID) {
        gpu_fault_set(fault, GPU_FAULT_TIMEOUT, "fragment program", frag->code,
                      "programs run longer than the tile's share of the job's fuel allows");
        return;
    }
    struct isa_fault said = isa_fault_unpack(code);
    const struct isa_fault_row *row = &vc4_qpu_faults[said.kind];
    gpu_fault_set(fault, gpu_fault_kind_of(row->class), "fragment program",
                  row->class == ISA_FAULT_MEMORY ? address : frag->code + said.pc * 8, "%s", row->text);
    fault->pc = said.pc;
    fault->lane = said.lane;
}

/* ---- interpreted ---- */

static uint32_t interpret(const struct raster_shader *shader, const struct raster_prim *prim,
                          struct raster_tile *tile, const struct raster_block *blocks, uint32_t count,
                          struct raster_shader_work *work)
{
    const struct vc4_frag *frag = (const struct vc4_frag *)shader;
    uint64_t left = work->fuel;

    assert(tile->samples == frag->samples);
    uint32_t code =
        vc4_frag_ref_shade(frag->ref, prim, tile, blocks, count, &left, &work->executed, work->fault);
    if (shader->counted)
        work->fuel = left;
    return code;
}

static const struct raster_shader_family family = {interpret, report, find_quads};

/* ---- observers ---- */

int vc4_frag_prepare_watch(struct vc4_frag *frag, const struct gpu_memory *memory,
                           const struct vc4_shader_state *state, const struct vc4_frag_config *config,
                           uint32_t fuel, struct gpu_fault *fault)
{
    return frag->ref ? 0 : vc4_frag_ref_prepare(memory, state, config, fuel, &frag->watch, fault);
}

uint32_t vc4_frag_shade_watched(const struct vc4_frag *frag, const struct gpu_watch *watch,
                                struct vc4_frag_counts *counts, const struct raster_prim *prim,
                                struct raster_tile *tile, const struct raster_block *blocks, uint32_t count,
                                struct raster_shader_work *work)
{
    const struct vc4_frag_ref *ref = frag->ref ? frag->ref : frag->watch;
    uint64_t left;

    if (!raster_shader_pay(&frag->shader, count, work))
        return RASTER_SHADER_UNPAID;
    left = work->fuel;
    uint32_t code = vc4_frag_ref_watch(ref, watch, counts, prim, tile, blocks, count, &left, &work->executed,
                                       work->fault);
    if (frag->shader.counted)
        work->fuel = left;
    return code;
}
