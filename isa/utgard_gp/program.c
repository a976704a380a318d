#include "isa/utgard_gp/program.h"

#include <errno.h>
#include <stdlib.h>
#include <xxhash.h>

#include "isa/blocks.h"

static bool reads(const struct utgard_gp_insn *i, uint8_t from, uint8_t to)
{
    const uint8_t src[] = {i->mul_a[0], i->mul_b[0], i->mul_a[1], i->mul_b[1],    i->acc_a[0],
                           i->acc_b[0], i->acc_a[1], i->acc_b[1], i->complex_src, i->pass_src};
    for (size_t n = 0; n < sizeof src; n++)
        if (src[n] >= from && src[n] <= to)
            return true;
    return false;
}

/* What the instruction reads of the world; what one before it fetched counts for that one. */
static void summarize(struct utgard_gp_program *p, uint32_t pc)
{
    const struct utgard_gp_insn *i = &p->insns[pc], *next = pc + 1 < p->insn_count ? i + 1 : NULL;
    bool loads =
        reads(i, UTGARD_GP_SRC_LOAD_X, UTGARD_GP_SRC_LOAD_X + 3) || i->pass_op == UTGARD_GP_PASS_CLAMP;
    if (i->fetch0_attribute &&
        (reads(i, UTGARD_GP_SRC_FETCH0_X, UTGARD_GP_SRC_FETCH0_X + 3) || i->branch ||
         (next && reads(next, UTGARD_GP_SRC_FETCH0_1_X, UTGARD_GP_SRC_FETCH0_1_X + 3))))
        p->attributes |= 1u << i->fetch0;
    if (loads && i->load_offset == UTGARD_GP_OFFSET_NONE && i->load_addr >= p->loads)
        p->loads = i->load_addr + 1u;
    p->indexed |= loads && i->load_offset != UTGARD_GP_OFFSET_NONE;
    for (unsigned n = 0; n < 2; n++) {
        p->stores_temporaries |= utgard_gp_stores(i, n) && i->store_temporary[n];
        if (utgard_gp_stores(i, n) && i->store_varying[n] && !i->store_temporary[n])
            p->varyings |= 1u << i->store_addr[n];
    }
}

/* Blocks begin at the first instruction, at targets, and behind branches. */
static int find_blocks(struct utgard_gp_program *p)
{
    uint32_t *block_at = calloc((size_t)p->insn_count + 1, sizeof *block_at);
    if (!block_at)
        return -ENOMEM;
    block_at[0] = 1;
    for (uint32_t pc = 0; pc < p->insn_count; pc++)
        if (p->insns[pc].branch) {
            block_at[utgard_gp_target(&p->insns[pc])] = block_at[pc + 1] = 1;
            p->repeats |= utgard_gp_target(&p->insns[pc]) <= pc;
        }
    p->block_count = isa_blocks_number(block_at, p->insn_count);
    p->blocks = calloc(p->block_count, sizeof *p->blocks);
    for (uint32_t pc = 0; p->blocks && pc < p->insn_count; pc++) {
        struct utgard_gp_block *block = &p->blocks[block_at[pc]];
        const struct utgard_gp_insn *last = &p->insns[pc];
        if (!block->count++)
            block->first = pc;
        block->target = last->branch ? block_at[utgard_gp_target(last)] : UTGARD_GP_NO_BLOCK;
    }
    free(block_at);
    return p->blocks ? 0 : -ENOMEM;
}

int utgard_gp_program_create(const uint64_t *words, uint32_t count, struct utgard_gp_program **out,
                             struct util_error *error)
{
    if (!count)
        return util_fail(error, -EBADMSG, "a program without instructions");
    if (count > UTGARD_GP_MAX_INSNS)
        return util_fail(error, -E2BIG, "%u instructions; a program has at most %u", count,
                         UTGARD_GP_MAX_INSNS);
    struct utgard_gp_program *p = calloc(1, sizeof *p);
    int status = p ? 0 : -ENOMEM;
    if (p && !(p->insns = calloc(count, sizeof *p->insns)))
        status = -ENOMEM;
    for (uint32_t pc = 0; !status && pc < count; pc++) {
        utgard_gp_decode(&words[(size_t)pc * UTGARD_GP_WORDS], &p->insns[pc]);
        if (p->insns[pc].branch && utgard_gp_target(&p->insns[pc]) > count)
            status = util_fail(error, -EBADMSG, "instruction %u branches to %u, behind the end at %u", pc,
                               utgard_gp_target(&p->insns[pc]), count);
    }
    if (!status) {
        p->insn_count = count;
        p->hash = XXH3_64bits(words, (size_t)count * UTGARD_GP_WORDS * sizeof *words);
        for (uint32_t pc = 0; pc < count; pc++)
            summarize(p, pc);
        status = find_blocks(p);
    }
    if (status) {
        utgard_gp_program_destroy(p);
        return status == -ENOMEM ? util_fail(error, -ENOMEM, "out of memory") : status;
    }
    *out = p;
    return 0;
}

void utgard_gp_program_destroy(struct utgard_gp_program *program)
{
    if (!program)
        return;
    free(program->insns);
    free(program->blocks);
    free(program);
}
