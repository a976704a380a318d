#include "isa/midgard/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "isa/blocks.h"
#include "isa/midgard/flow.h"
#include "isa/midgard/names.h"
#include "util/bits.h"

/* ---- instructions ---- */

/* Instructions one after the other, until one behind which nothing goes on, beyond which no branch goes. */
static int take_insns(struct midgard_program *p, const void *words, uint32_t count, uint8_t first,
                      struct util_error *error)
{
    uint32_t at = 0, room = 0;
    int64_t furthest = 0;
    for (;;) {
        struct midgard_insn insn;
        if (at >= MIDGARD_MAX_QUADS)
            return util_fail(error, -E2BIG, "a program of more than %u quadwords", MIDGARD_MAX_QUADS);
        uint32_t length = midgard_decode(words, count, at, &insn);
        if (!length)
            return util_fail(error, -EBADMSG,
                             "quadword %u is no instruction, or goes beyond the program's memory", at);
        if (!at && first && insn.tag != first)
            return util_fail(error, -EBADMSG, "the program begins with tag %u, not %u", insn.tag, first);
        if (p->insn_count == room) {
            room = room ? room * 2 : 64;
            struct midgard_insn *grown = realloc(p->insns, room * sizeof *grown);
            if (!grown)
                return util_fail(error, -ENOMEM, "out of memory");
            p->insns = grown;
        }
        p->insns[p->insn_count++] = insn;
        for (unsigned n = 0; n < 2; n++)
            if (midgard_branches(&insn, n) && !midgard_branch_stops(&insn, n))
                furthest = UTIL_MAX(furthest, midgard_target(&insn, n));
        at += length;
        if (midgard_leaves(&insn) && furthest < at)
            break;
    }
    p->quad_count = at;
    return 0;
}

uint32_t midgard_insn_at(const struct midgard_program *p, int64_t quad)
{
    uint32_t low = 0, high = p->insn_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (p->insns[middle].at < quad)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->insn_count && p->insns[low].at == quad ? low : MIDGARD_NO_BLOCK;
}

/* ---- blocks ---- */

static int find_targets(struct midgard_program *p, uint32_t *block_at, struct util_error *error)
{
    block_at[0] = 1;
    for (uint32_t n = 0; n < p->insn_count; n++) {
        const struct midgard_insn *i = &p->insns[n];
        for (unsigned k = 0; k < 2; k++) {
            if (!midgard_branches(i, k) || midgard_branch_stops(i, k))
                continue;
            uint32_t target = midgard_insn_at(p, midgard_target(i, k));
            if (target == MIDGARD_NO_BLOCK)
                return util_fail(error, -EBADMSG,
                                 "the branch at quadword %u goes to quadword %lld, where no instruction is",
                                 i->at, (long long)midgard_target(i, k));
            block_at[target] = 1;
            p->repeats |= target <= n;
        }
        block_at[n + 1] |=
            midgard_branches(i, 0) || midgard_branches(i, 1) || midgard_ends(i) || midgard_parts(i);
    }
    return 0;
}

/* Blocks behind which the same lanes go on, or fewer, and no others. */
static void find_flows(struct midgard_program *p)
{
    for (uint32_t k = 0; k < p->block_count; k++) {
        struct midgard_block *block = &p->blocks[k];
        block->flows = block->target[0] == MIDGARD_NO_BLOCK && block->target[1] == MIDGARD_NO_BLOCK;
    }
    for (uint32_t k = 0; k < p->block_count; k++)
        for (unsigned n = 0; n < 2; n++) {
            const uint32_t target = p->blocks[k].target[n];
            if (target && target < p->block_count)
                p->blocks[target - 1].flows = false;
        }
}

static int find_blocks(struct midgard_program *p, struct util_error *error)
{
    uint32_t *block_at = calloc((size_t)p->insn_count + 1, sizeof *block_at);
    int status = block_at ? find_targets(p, block_at, error) : -ENOMEM;
    if (!status) {
        p->block_count = isa_blocks_number(block_at, p->insn_count);
        p->blocks = calloc(p->block_count, sizeof *p->blocks);
        status = p->blocks ? 0 : -ENOMEM;
    }
    for (uint32_t n = 0; !status && n < p->insn_count; n++) {
        struct midgard_block *block = &p->blocks[block_at[n]];
        const struct midgard_insn *last = &p->insns[n];
        if (!block->count++)
            block->first = n;
        block->ends = midgard_ends(last);
        for (unsigned k = 0; k < 2; k++)
            block->target[k] = !midgard_branches(last, k) ? MIDGARD_NO_BLOCK
                               : midgard_branch_stops(last, k)
                                   ? p->block_count
                                   : block_at[midgard_insn_at(p, midgard_target(last, k))];
    }
    free(block_at);
    if (!status)
        find_flows(p);
    return status;
}

/* Whether other lanes of the quad make a difference. */
static bool asks_quad(const struct midgard_insn *i)
{
    const struct midgard_texture *x = &i->texture;
    return midgard_kind_of(i->tag) == MIDGARD_TEXTURE &&
           (x->op == MIDGARD_TEX_DERIVATIVE ||
            (x->op == MIDGARD_TEX && i->tag != MIDGARD_TAG_VERTEX_TEXTURE));
}

static bool is_straight(const struct midgard_program *p)
{
    bool helpers_end = false;
    if (p->discards || p->barriers)
        return false;
    for (uint32_t n = 0; n < p->insn_count; n++) {
        const struct midgard_insn *i = &p->insns[n];
        if (midgard_branches(i, 0) || midgard_branches(i, 1) || (helpers_end && asks_quad(i)))
            return false;
        helpers_end |= midgard_kind_of(i->tag) == MIDGARD_TEXTURE && i->texture.exec == MIDGARD_EXEC_KILL;
    }
    return true;
}

int midgard_program_create(const void *words, uint32_t count, uint8_t first,
                           const struct midgard_traits *traits, struct midgard_program **out,
                           struct util_error *error)
{
    struct midgard_program *p = calloc(1, sizeof *p);
    int status = p ? 0 : -ENOMEM;
    if (p)
        p->traits = *traits;
    if (!status)
        status = take_insns(p, words, count, first, error);
    if (!status)
        status = midgard_note_all(p);
    if (!status)
        status = find_blocks(p, error);
    if (!status)
        p->straight = is_straight(p);
    if (status) {
        midgard_program_destroy(p);
        return status == -ENOMEM ? util_fail(error, -ENOMEM, "out of memory") : status;
    }
    uint64_t seed = (uint64_t)traits->shared_registers | (uint64_t)traits->tile_by_special << 1 |
                    (uint64_t)traits->no_writeout_tags << 2;
    p->hash = XXH3_64bits_withSeed(words, p->quad_count * 16u, seed);
    *out = p;
    return 0;
}

void midgard_program_destroy(struct midgard_program *program)
{
    if (!program)
        return;
    free(program->insns);
    free(program->blocks);
    free(program->writes);
    free(program);
}
