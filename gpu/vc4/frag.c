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

/* The code of an opaque draw that shades quads in any company: made by the first to want it; until then, or
 * if it cannot be, NULL. */
struct vc4_frag_quads {
    struct vc4_frag_variant variant;
    struct vc4_frag_plan plan;
    struct jit_engine *engine;
    struct vc4_program_notes *notes;
    _Atomic(struct jit_function *) code;
    _Atomic bool wanted;
};

struct vc4_frag {
    struct vc4_frag_ref *ref;   /* owned; NULL when the draw is compiled */
    struct vc4_frag_ref *watch; /* likewise, of compiled draws that may be watched */
    const struct vc4_qpu_program *program;
    uint32_t code; /* guest address of the program, for reports */
    uint8_t samples;
    struct jit_function *in_order; /* a vc4_frag_fn; NULL of opaque draws that are not cheap */
    struct vc4_frag_entry visible; /* of opaque draws */
    struct vc4_frag_quads *quads;  /* owned; NULL: blocks always */
    bool opaque, colors;           /* colors: the program writes one */
    struct vc4_frag_args args;
    /* Behind it, in one piece of memory: */
    struct raster_texture *textures; /* by sample number; direct lookups have none */
    struct raster_texture_key *keys; /* likewise */
    uint32_t *uniforms;              /* the words, then the same as numbers */
};

static struct vc4_frag *frag_create(const struct vc4_qpu_program *program)
{
    size_t textures = program->sample_count * sizeof(struct raster_texture);
    size_t keys = program->sample_count * sizeof(struct raster_texture_key);
    size_t uniforms = program->uniform_count * 2 * sizeof(uint32_t),
           own = util_align(sizeof(struct vc4_frag), 16);
    uint8_t *bytes = malloc(own + textures + uniforms + keys);
    struct vc4_frag *frag = (struct vc4_frag *)bytes;

    if (!frag)
        return NULL;
    memset(bytes, 0, own + textures + uniforms + keys);
    frag->textures = (struct raster_texture *)(bytes + own);
    frag->uniforms = (uint32_t *)(bytes + own + textures);
    frag->keys = (struct raster_texture_key *)(bytes + own + textures + uniforms); /* of bytes */
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
                     struct vc4_program_notes *notes, struct vc4_frag_entry *out)
{
    struct util_error error = {0};

    if (vc4_frag_code_find(notes, variant, engine, out))
        return 0;
    out->test = NULL;
    int status = vc4_frag_compile(variant, engine, &out->code, &error);
    if (!status && variant->visible && variant->plan->tests && !raster_zs_is_idle(&variant->zs))
        status = raster_zs_blocks(engine, &variant->zs, &out->test, &error);
    if (!status)
        vc4_frag_code_keep(notes, variant, engine, out);
    return status;
}

static uint32_t run_visible(const struct vc4_frag *frag, struct jit_function *code_of, const uint8_t *planes,
                            struct raster_tile *tile, const void *blocks, uint32_t count, uint64_t *executed)
{
    vc4_frag_visible_fn run = (vc4_frag_visible_fn)jit_function_code(code_of);
    struct vc4_frag_result result = {.fuel = UINT64_MAX}; /* it is paid for, and does not repeat */
    uint32_t code = run(&frag->args, planes, tile, blocks, count, &result);

    jit_function_ran(code_of, result.executed);
    *executed += result.executed;
    return code;
}

/* Programs that may end in a fault do so when their turn comes. */
static bool may_wait(const struct vc4_frag *frag)
{
    uint64_t executed = 0;

    return run_visible(frag, frag->visible.code, NULL, NULL, NULL, 0, &executed) == 0;
}

/* Without memory for it, blocks serve. */
static void prepare_quads(struct vc4_frag *frag, struct jit_engine *engine,
                          const struct vc4_frag_variant *variant, struct vc4_program_notes *notes)
{
    struct vc4_frag_quads *quads = malloc(sizeof *quads);

    if (!quads)
        return;
    *quads = (struct vc4_frag_quads){
        .variant = *variant, .plan = *variant->plan, .engine = engine, .notes = notes};
    quads->variant.plan = &quads->plan;
    quads->variant.quads = true;
    frag->quads = quads;
}

/* What the draw's code depends on; `plan` is the variant's. 0, or a negative errno: such a draw is not
 * compiled. */
static int make_variant(struct vc4_frag *frag, const struct gpu_memory *memory,
                        const struct vc4_shader_state *state, const struct vc4_frag_config *config,
                        struct vc4_frag_plan *plan, struct vc4_frag_variant *out)
{
    int status;

    if (config->wide || memory->size < 4)
        return -ENOTSUP;
    vc4_frag_plan_find(state->fs.notes, frag->program, config->samples, plan);
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
                                     .visible = plan->opaque && !config->in_order,
                                     .numeric = state->numeric};
    if (frag->program->reads_coverage)
        out->coverage = (uint8_t)(config->coverage_leave | config->coverage_mask << 1);
    vc4_frag_plan_test(plan, frag->uniforms, config, &out->zs);
    return 0;
}

/* Opaque code, where the draw is opaque; code that runs in order, where the draw may need it. */
static int find_codes(struct vc4_frag *frag, struct jit_engine *engine, struct vc4_program_notes *notes,
                      struct vc4_frag_variant *variant)
{
    struct vc4_frag_entry entry = {0};

    frag->opaque =
        variant->visible && find_code(variant, engine, notes, &frag->visible) == 0 && may_wait(frag);
    frag->colors = variant->plan->colors;
    if (frag->opaque && variant->plan->quads)
        prepare_quads(frag, engine, variant, notes);
    if (frag->opaque && !vc4_frag_cheap(frag))
        return 0;
    variant->visible = false;
    int status = find_code(variant, engine, notes, &entry);
    frag->in_order = entry.code;
    return status;
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
    return find_codes(frag, engine, state->fs.notes, &variant);
}

void vc4_frag_compile_ahead(const struct gpu_memory *memory, struct jit_engine *engine,
                            const struct vc4_shader_state *state, const struct vc4_frag_config *config)
{
    const struct vc4_program_notes *notes = state->fs.notes;
    struct vc4_frag_variant variant;
    struct vc4_frag_plan plan;

    if (!notes || atomic_load_explicit(&notes->fragment, memory_order_relaxed))
        return;
    struct vc4_frag *frag = frag_create(state->fs.program);
    if (!frag)
        return;
    frag->program = state->fs.program;
    if (!make_variant(frag, memory, state, config, &plan, &variant)) {
        vc4_frag_compile_begin(&variant, engine);
        if (variant.visible && vc4_frag_cheap(frag)) {
            variant.visible = false;
            vc4_frag_compile_begin(&variant, engine);
        }
    }
    vc4_frag_release(frag);
}

int vc4_frag_prepare(const struct gpu_memory *memory, struct jit_engine *engine,
                     const struct vc4_shader_state *state, const struct vc4_frag_config *config,
                     uint32_t fuel, struct vc4_frag **out, struct gpu_fault *fault)
{
    struct vc4_frag *frag = frag_create(state->fs.program);
    int status = 0;

    *out = NULL;
    if (!frag) {
        gpu_fault_set(fault, GPU_FAULT_SHADER, "fragment program", state->fs.code, "no host memory");
        return -ENOMEM;
    }
    frag->program = state->fs.program;
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
    free(frag->quads);
    free(frag);
}

bool vc4_frag_compiled(const struct vc4_frag *frag)
{
    return !frag->ref;
}

uint32_t vc4_frag_varyings(const struct vc4_frag *frag)
{
    return frag->ref ? vc4_frag_ref_varyings(frag->ref) : frag->program->varying_count;
}

static void report(const struct vc4_frag *frag, uint32_t code, uint32_t address, struct gpu_fault *fault)
{
    struct isa_fault said = isa_fault_unpack(code);
    const struct isa_fault_row *row = &vc4_qpu_faults[said.kind];

    gpu_fault_set(fault, gpu_fault_kind_of(row->class), "fragment program",
                  row->class == ISA_FAULT_MEMORY ? address : frag->code + said.pc * 8, "%s", row->text);
    fault->pc = said.pc;
    fault->lane = said.lane;
}

/* Programs that do not repeat cost their length, whether or not a test spares a block. */
static bool pay(const struct vc4_frag *frag, uint32_t count, uint64_t *fuel, struct gpu_fault *fault)
{
    uint64_t cost = (uint64_t)count * frag->program->insn_count;

    if (frag->program->repeats)
        return true;
    if (cost > *fuel) {
        gpu_fault_set(fault, GPU_FAULT_TIMEOUT, "fragment program", frag->code,
                      "programs run longer than the tile's share of the job's fuel allows");
        return false;
    }
    *fuel -= cost;
    return true;
}

/* ---- opaque draws ---- */

bool vc4_frag_opaque(const struct vc4_frag *frag)
{
    return frag->opaque;
}

bool vc4_frag_cheap(const struct vc4_frag *frag)
{
    return frag->program->insn_count <= CHEAP_INSNS && !frag->program->sample_count;
}

bool vc4_frag_tests(const struct vc4_frag *frag)
{
    return frag->visible.test;
}

uint32_t vc4_frag_test(const struct vc4_frag *frag, const struct raster_prim *prim, struct raster_tile *tile,
                       struct raster_block *blocks, uint32_t *count, uint16_t *common, uint64_t *fuel,
                       struct gpu_fault *fault)
{
    *common = 0xffff;
    if (!pay(frag, *count, fuel, fault))
        return VC4_QPU_FAULT_FUEL;
    if (frag->visible.test) {
        raster_zs_blocks_fn test = (raster_zs_blocks_fn)jit_function_code(frag->visible.test);
        uint32_t tested = *count;

        *count = test(prim, tile, blocks, tested, common);
        jit_function_ran(frag->visible.test, tested * RASTER_ZS_BLOCK_COST);
    }
    if (!frag->colors)
        *count = 0;
    return 0;
}

/* Made when first wanted, for few draws are of small primitives; others do with blocks meanwhile. */
static struct jit_function *quads_code(struct vc4_frag_quads *quads)
{
    struct jit_function *code = atomic_load_explicit(&quads->code, memory_order_acquire);
    struct vc4_frag_entry entry;

    if (code || atomic_exchange(&quads->wanted, true) ||
        find_code(&quads->variant, quads->engine, quads->notes, &entry))
        return code;
    atomic_store_explicit(&quads->code, entry.code, memory_order_release);
    return entry.code;
}

/* What is counted are blocks, whichever way they are shaded. */
void vc4_frag_color(void *target, const void *frag, const uint8_t *planes,
                    const struct raster_visible_block *blocks, uint32_t count)
{
    const struct vc4_frag_target *to = target;
    const struct vc4_frag *f = frag;
    struct raster_visible_quads fours[RASTER_VISIBLE_BATCH];
    struct jit_function *code =
        f->quads && raster_visible_is_sparse(blocks, count) ? quads_code(f->quads) : NULL;

    if (code) {
        uint32_t packed = raster_visible_pack(to->tile, blocks, count, fours);
        uint64_t executed = 0;

        run_visible(f, code, planes, to->tile, fours, packed, &executed);
        *to->executed += executed / packed * count;
    } else {
        run_visible(f, f->visible.code, planes, to->tile, blocks, count, to->executed);
    }
}

/* Tests, then colours, of one primitive. */
static uint32_t shade_opaque(const struct vc4_frag *frag, const struct raster_prim *prim,
                             struct raster_tile *tile, const struct raster_block *blocks, uint32_t count,
                             uint64_t *fuel, uint64_t *executed, struct gpu_fault *fault)
{
    struct raster_block tested[RASTER_BLOCKS_MAX];
    struct vc4_frag_target target = {tile, executed};
    uint16_t common;

    memcpy(tested, blocks, count * sizeof *blocks);
    uint32_t code = vc4_frag_test(frag, prim, tile, tested, &count, &common, fuel, fault);
    if (!code && count)
        raster_visible_now(frag, prim, frag->program->varying_count, tested, count, vc4_frag_color, &target);
    return code;
}

uint32_t vc4_frag_shade(const struct vc4_frag *frag, const struct raster_prim *prim, struct raster_tile *tile,
                        const struct raster_block *blocks, uint32_t count, uint64_t *fuel, uint64_t *executed,
                        struct gpu_fault *fault)
{
    struct vc4_frag_result result = {.fuel = *fuel};
    uint32_t code;

    assert(tile->samples == frag->samples);
    if (!frag->in_order && !frag->ref)
        return shade_opaque(frag, prim, tile, blocks, count, fuel, executed, fault);
    if (!pay(frag, count, fuel, fault))
        return VC4_QPU_FAULT_FUEL;
    if (frag->ref) {
        code = vc4_frag_ref_shade(frag->ref, prim, tile, blocks, count, &result.fuel, executed, fault);
    } else {
        vc4_frag_fn run = (vc4_frag_fn)jit_function_code(frag->in_order);
        code = run(&frag->args, prim, tile, blocks, count, &result);
        jit_function_ran(frag->in_order, result.executed);
        if (code)
            report(frag, code, result.address, fault);
        *executed += result.executed;
    }
    if (frag->program->repeats)
        *fuel = result.fuel;
    return code;
}

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
                                uint64_t *fuel, uint64_t *executed, struct gpu_fault *fault)
{
    const struct vc4_frag_ref *ref = frag->ref ? frag->ref : frag->watch;
    uint64_t left = *fuel;

    if (!pay(frag, count, fuel, fault))
        return VC4_QPU_FAULT_FUEL;
    uint32_t code = vc4_frag_ref_watch(ref, watch, counts, prim, tile, blocks, count, &left, executed, fault);
    if (frag->program->repeats)
        *fuel = left;
    return code;
}
