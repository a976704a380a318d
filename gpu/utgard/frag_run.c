/* What the shader of a draw (raster/shader.h) asks of its family: code found, blocks of programs without code
 * of their own, and faults in words. */
#include <stdlib.h>
#include <string.h>

#include "gpu/utgard/frag_internal.h"
#include "gpu/utgard/pp_fault.h"
#include "util/bits.h"

#define UNIT        "fragment program"
#define LOOP_SHARE  16u
#define CHEAP_INSNS 12u /* of programs without textures: a block takes less than ten nanoseconds */

static void report(const struct raster_shader *shader, uint32_t code, uint64_t address, void *fault)
{
    const struct utgard_frag *frag = (const struct utgard_frag *)shader;
    struct gpu_fault *to = fault;

    if (code == RASTER_SHADER_UNPAID) {
        utgard_pp_refuse(to, GPU_FAULT_TIMEOUT, UNIT, frag->address,
                         "programs run longer than the tile's share of the job's fuel allows");
        return;
    }
    struct isa_fault said = isa_fault_unpack(code);
    const struct isa_fault_row *row = &utgard_pp_faults[said.kind];
    utgard_pp_refuse(to, gpu_fault_kind_of(row->class), UNIT, frag->address + said.pc * 4, "%s", row->text);
    to->pc = said.pc;
    to->lane = said.lane;
}

/* ---- without code of blocks in order ---- */

/* Block after block: each begins with temporaries of zero. */
static uint32_t run_with_temporaries(const struct utgard_frag *frag, const struct raster_prim *prim,
                                     struct raster_tile *tile, const struct raster_block *blocks,
                                     uint32_t count, uint64_t *executed)
{
    raster_shader_fn run = (raster_shader_fn)jit_function_code(frag->one_block);
    size_t vec4 = 4 * 16 * sizeof(uint32_t), first = frag->program->temporary_from * vec4,
           used = frag->program->temporary_to * vec4 - first;
    uint8_t *temporaries = aligned_alloc(64, UTGARD_PP_TEMPORARIES * vec4);
    uint64_t before = *executed;
    uint32_t code = 0;

    if (!temporaries)
        return utgard_frag_ref(frag, prim, tile, blocks, count, executed);
    for (uint32_t n = 0; n < count && !code; n++) {
        struct raster_shader_call call = {.scratch = temporaries};

        memset(temporaries + first, 0, used);
        code = run(&frag->args, prim, tile, &blocks[n], 1, &call);
        *executed += call.executed;
    }
    jit_function_ran(frag->one_block, *executed - before);
    free(temporaries);
    return code;
}

static uint32_t shade(const struct raster_shader *shader, const struct raster_prim *prim,
                      struct raster_tile *tile, const struct raster_block *blocks, uint32_t count,
                      struct raster_shader_work *work)
{
    const struct utgard_frag *frag = (const struct utgard_frag *)shader;
    uint32_t code = (frag->one_block ? run_with_temporaries : utgard_frag_ref)(frag, prim, tile, blocks,
                                                                               count, &work->executed);

    if (code)
        report(shader, code, 0, work->fault);
    return code;
}

uint32_t utgard_frag_shade_watched(const struct utgard_frag *frag, const struct gpu_watch *watch,
                                   const struct raster_prim *prim, struct raster_tile *tile,
                                   const struct raster_block *blocks, uint32_t count,
                                   struct raster_shader_work *work)
{
    uint32_t code;

    if (!raster_shader_pay(&frag->shader, count, work))
        return RASTER_SHADER_UNPAID;
    code = utgard_frag_ref_watched(frag, watch, prim, tile, blocks, count, &work->executed);
    if (code)
        report(&frag->shader, code, 0, work->fault);
    return code;
}

/* ---- code ---- */

static struct jit_function *find_quads(const struct raster_shader *shader)
{
    const struct utgard_frag *frag = (const struct utgard_frag *)shader;
    struct util_error error = {0};
    struct jit_function *code;

    return utgard_frag_compile(frag, RASTER_IR_QUADS, frag->engine, &code, &error) ? NULL : code;
}

static const struct raster_shader_family family = {shade, report, find_quads};

void utgard_frag_begin_shader(struct utgard_frag *frag)
{
    const struct utgard_pp_program *program = frag->program;

    frag->shader =
        (struct raster_shader){.family = &family,
                               .args = &frag->args,
                               .cost = program->insn_count,
                               .varyings = frag->vary_count + 2u * frag->head.points,
                               .cheap = program->insn_count <= CHEAP_INSNS && !program->sample_count,
                               .colors = frag->head.blend.write_mask & 15};
    /* What loops repeat is not counted: a share of what they may is. */
    if (program->repeats)
        frag->shader.cost += frag->args.fuel / LOOP_SHARE;
}

/* What is left to be known of the code itself: whether it may end in a fault, which must come in its turn. */
static bool may_be_opaque(const struct utgard_frag *frag)
{
    const struct utgard_frag_head *head = &frag->head;
    const struct utgard_pp_program *program = frag->program;

    return head->samples == 1 && head->early && head->sample_mask & 1 &&
           (!(head->blend.write_mask & 15) || !raster_blend_reads(&head->blend)) && !program->repeats &&
           !program->reads_color && utgard_frag_own_temporaries(program) && !program->indexed_uniforms &&
           !program->indexed_varyings;
}

static int find(void *ctx, enum raster_ir_form form, struct jit_function **code, struct jit_function **test)
{
    struct utgard_frag *frag = ctx;
    struct util_error error = {0};
    int status = utgard_frag_compile(frag, form, frag->engine, code, &error);

    *test = NULL;
    if (!status && form == RASTER_IR_DEFERRED && !raster_zs_is_idle(&frag->head.zs))
        status = raster_zs_blocks(frag->engine, &frag->head.zs, RASTER_DEPTH_UNORM24, test, &error);
    return status;
}

bool utgard_frag_find_code(struct utgard_frag *frag, bool in_order, struct raster_shader_quads *quads)
{
    struct raster_shader *shader = &frag->shader;

    if (raster_shader_find(shader, !in_order && may_be_opaque(frag), find, frag))
        return false;
    /* Of what branches, quads would count other instructions. */
    if (shader->opaque && !shader->cheap && frag->program->block_count == 1 &&
        frag->head.target == RASTER_TARGET_8888)
        shader->quads = quads;
    if (!utgard_frag_own_temporaries(frag->program)) {
        frag->one_block = shader->in_order;
        shader->in_order = NULL;
    }
    return true;
}
