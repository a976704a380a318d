/* Draws that only replace colours: their tests come first, their colours for visible pixels alone. */
#include "gpu/utgard/frag_internal.h"

#define CHEAP_INSNS 12u /* of programs without textures: a block takes less than ten nanoseconds */

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

/* Runs code of visible pixels: it is paid for. */
static uint32_t run_visible(const struct utgard_frag *frag, struct jit_function *of, const uint8_t *planes,
                            struct raster_tile *tile, const void *blocks, uint32_t count, uint64_t *executed)
{
    struct utgard_frag_call call = {.temporaries = NULL};
    uint32_t code = ((utgard_frag_fn)jit_function_code(of))(&frag->args, planes, tile, blocks, count, &call);

    jit_function_ran(of, call.executed);
    *executed += call.executed;
    return code;
}

static bool find_visible(struct utgard_frag *frag, struct jit_engine *engine, struct util_error *error)
{
    uint64_t executed = 0;

    return !utgard_frag_compile(frag, RASTER_IR_VISIBLE, engine, &frag->visible, error) &&
           !run_visible(frag, frag->visible, NULL, NULL, NULL, 0, &executed) &&
           (raster_zs_is_idle(&frag->head.zs) ||
            !raster_zs_blocks(engine, &frag->head.zs, &frag->test, error));
}

bool utgard_frag_find_code(struct utgard_frag *frag, struct jit_engine *engine, bool in_order,
                           struct utgard_frag_quads *quads)
{
    struct util_error error = {0};

    frag->opaque = !in_order && may_be_opaque(frag) && find_visible(frag, engine, &error);
    if (frag->opaque && !utgard_frag_cheap(frag)) {
        /* Of what branches, quads would count other instructions. */
        if (frag->program->block_count == 1)
            frag->quads = quads;
        return true;
    }
    if (!utgard_frag_compile(frag, RASTER_IR_PRIM, engine, &frag->in_order, &error))
        return true;
    frag->in_order = NULL;
    return frag->opaque;
}

bool utgard_frag_opaque(const struct utgard_frag *frag)
{
    return frag->opaque;
}

bool utgard_frag_cheap(const struct utgard_frag *frag)
{
    return frag->program->insn_count <= CHEAP_INSNS && !frag->program->sample_count;
}

bool utgard_frag_tests(const struct utgard_frag *frag)
{
    return frag->test;
}

uint32_t utgard_frag_test(const struct utgard_frag *frag, const struct raster_prim *prim,
                          struct raster_tile *tile, struct raster_block *blocks, uint32_t *count,
                          uint16_t *common, uint64_t *fuel, struct gpu_fault *fault)
{
    *common = 0xffff;
    if (!utgard_frag_pay(frag, *count, fuel, fault))
        return UTGARD_PP_FAULT_FUEL;
    if (frag->test) {
        raster_zs_blocks_fn test = (raster_zs_blocks_fn)jit_function_code(frag->test);
        uint32_t tested = *count;

        *count = test(prim, tile, blocks, tested, common);
        jit_function_ran(frag->test, tested * RASTER_ZS_BLOCK_COST);
    }
    if (!(frag->head.blend.write_mask & 15))
        *count = 0;
    return 0;
}

/* Made when first wanted, for few draws are of small primitives; others do with blocks meanwhile. */
static struct jit_function *quads_code(const struct utgard_frag *frag)
{
    struct jit_function *code = atomic_load_explicit(&frag->quads->code, memory_order_acquire);
    struct util_error error = {0};

    if (code || atomic_exchange(&frag->quads->wanted, true) ||
        utgard_frag_compile(frag, RASTER_IR_QUADS, frag->engine, &code, &error))
        return code;
    atomic_store_explicit(&frag->quads->code, code, memory_order_release);
    return code;
}

/* What is counted are blocks, whichever way they are shaded. */
void utgard_frag_color(void *target, const void *frag, const uint8_t *planes,
                       const struct raster_visible_block *blocks, uint32_t count)
{
    const struct utgard_frag_target *to = target;
    const struct utgard_frag *f = frag;
    struct raster_visible_quads fours[RASTER_VISIBLE_BATCH];
    struct jit_function *code = f->quads && raster_visible_is_sparse(blocks, count) ? quads_code(f) : NULL;

    if (code) {
        uint32_t packed = raster_visible_pack(to->tile, blocks, count, fours);
        uint64_t executed = 0;

        run_visible(f, code, planes, to->tile, fours, packed, &executed);
        *to->executed += executed / packed * count;
    } else {
        run_visible(f, f->visible, planes, to->tile, blocks, count, to->executed);
    }
}
