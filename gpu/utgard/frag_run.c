/* Fragments of a prepared draw shaded in order. */
#include <stdlib.h>
#include <string.h>

#include "gpu/utgard/frag_internal.h"
#include "gpu/utgard/pp_fault.h"
#include "util/bits.h"

#define UNIT       "fragment program"
#define LOOP_SHARE 16u

static void report(const struct utgard_frag *frag, uint32_t code, struct gpu_fault *fault)
{
    struct isa_fault said = isa_fault_unpack(code);
    const struct isa_fault_row *row = &utgard_pp_faults[said.kind];

    utgard_pp_refuse(fault, gpu_fault_kind_of(row->class), UNIT, frag->address + said.pc * 4, "%s",
                     row->text);
    fault->pc = said.pc;
    fault->lane = said.lane;
}

bool utgard_frag_pay(const struct utgard_frag *frag, uint32_t blocks, uint64_t *fuel, struct gpu_fault *fault)
{
    uint64_t cost = frag->program->insn_count;

    /* What loops repeat is not counted: a share of what they may is. */
    if (frag->program->repeats)
        cost += frag->args.fuel / LOOP_SHARE;
    cost *= blocks;
    if (cost > *fuel)
        return utgard_pp_refuse(fault, GPU_FAULT_TIMEOUT, UNIT, frag->address,
                                "programs run longer than the tile's share of the job's fuel allows");
    *fuel -= cost;
    return true;
}

/* Block after block: each begins with temporaries of zero. */
static uint32_t run_with_temporaries(const struct utgard_frag *frag, const struct raster_prim *prim,
                                     struct raster_tile *tile, const struct raster_block *blocks,
                                     uint32_t count, uint64_t *executed)
{
    utgard_frag_fn run = (utgard_frag_fn)jit_function_code(frag->in_order);
    size_t vec4 = 4 * 16 * sizeof(uint32_t), first = frag->program->temporary_from * vec4,
           used = frag->program->temporary_to * vec4 - first;
    struct utgard_frag_call call = {.temporaries = aligned_alloc(64, UTGARD_PP_TEMPORARIES * vec4)};
    uint32_t code = 0;

    if (!call.temporaries)
        return utgard_frag_ref(frag, prim, tile, blocks, count, executed);
    for (uint32_t n = 0; n < count && !code; n++) {
        memset((uint8_t *)call.temporaries + first, 0, used);
        code = run(&frag->args, prim, tile, &blocks[n], 1, &call);
        *executed += call.executed;
    }
    free(call.temporaries);
    return code;
}

/* Tests, then colours, of one primitive. */
static uint32_t shade_opaque(const struct utgard_frag *frag, const struct raster_prim *prim,
                             struct raster_tile *tile, const struct raster_block *blocks, uint32_t count,
                             uint64_t *fuel, uint64_t *executed, struct gpu_fault *fault)
{
    struct raster_block tested[RASTER_BLOCKS_MAX];
    struct utgard_frag_target target = {tile, executed};
    uint16_t common;
    uint32_t code;

    memcpy(tested, blocks, count * sizeof *blocks);
    code = utgard_frag_test(frag, prim, tile, tested, &count, &common, fuel, fault);
    if (!code && count)
        raster_visible_now(frag, prim, prim->vary_count, tested, count, utgard_frag_color, &target);
    return code;
}

uint32_t utgard_frag_shade(const struct utgard_frag *frag, const struct raster_prim *prim,
                           struct raster_tile *tile, const struct raster_block *blocks, uint32_t count,
                           uint64_t *fuel, uint64_t *executed, struct gpu_fault *fault)
{
    struct utgard_frag_call call = {.temporaries = NULL};
    uint64_t before = *executed;
    uint32_t code;

    if (frag->engine && !frag->in_order)
        return shade_opaque(frag, prim, tile, blocks, count, fuel, executed, fault);
    if (!utgard_frag_pay(frag, count, fuel, fault))
        return UTGARD_PP_FAULT_FUEL;
    if (!frag->engine) {
        code = utgard_frag_ref(frag, prim, tile, blocks, count, executed);
    } else {
        if (!utgard_frag_own_temporaries(frag->program)) {
            code = run_with_temporaries(frag, prim, tile, blocks, count, executed);
        } else {
            code = ((utgard_frag_fn)jit_function_code(frag->in_order))(&frag->args, prim, tile, blocks, count,
                                                                       &call);
            *executed += call.executed;
        }
        jit_function_ran(frag->in_order, *executed - before);
    }
    if (code)
        report(frag, code, fault);
    return code;
}

/* ---- observers ---- */

uint32_t utgard_frag_shade_watched(const struct utgard_frag *frag, const struct gpu_watch *watch,
                                   const struct raster_prim *prim, struct raster_tile *tile,
                                   const struct raster_block *blocks, uint32_t count, uint64_t *fuel,
                                   uint64_t *executed, struct gpu_fault *fault)
{
    uint32_t code;

    if (!utgard_frag_pay(frag, count, fuel, fault))
        return UTGARD_PP_FAULT_FUEL;
    code = utgard_frag_ref_watched(frag, watch, prim, tile, blocks, count, executed);
    if (code)
        report(frag, code, fault);
    return code;
}
