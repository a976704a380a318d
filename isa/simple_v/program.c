#include "isa/simple_v/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "isa/simple_v/state.h"

static int fail(struct simple_v_program *p, struct util_error *error)
{
    simple_v_program_destroy(p);
    return util_fail(error, -ENOMEM, "out of memory");
}

static uint32_t count_blocks(const uint16_t *code, uint32_t count)
{
    struct simple_v_block b;
    uint32_t blocks = 0;
    for (uint32_t at = 0; at < count; at++)
        blocks += simple_v_is_block(code[at]) && !simple_v_block_decode(code + at, count - at, &b, NULL);
    return blocks;
}

static void note(struct simple_v_program *p, const struct simple_v_insn *i)
{
    const bool csr = i->op >= SIMPLE_V_CSRRW && i->op <= SIMPLE_V_CSRRCI;
    p->reads_flags |= csr && i->rd && (i->imm == SIMPLE_V_CSR_FFLAGS || i->imm == SIMPLE_V_CSR_FCSR);
    const uint16_t as = simple_v_rows[i->op].as;
    const bool relative = as == SIMPLE_V_JAL || simple_v_rows[i->op].class == SIMPLE_V_BRANCH;
    p->repeats |= as == SIMPLE_V_JALR || (relative && i->imm <= 0);
    p->reserves |= i->op == SIMPLE_V_LR_W || i->op == SIMPLE_V_LR_D;
}

int simple_v_program_create(const uint16_t *code, uint32_t count, uint64_t address,
                            struct simple_v_program **out, struct util_error *error)
{
    *out = NULL;
    if (count > SIMPLE_V_MAX_WORDS)
        return util_fail(error, -E2BIG, "a program has at most %u halfwords", SIMPLE_V_MAX_WORDS);
    if (address & 1)
        return util_fail(error, -EINVAL, "instructions stand at even addresses");
    struct simple_v_program *p = calloc(1, sizeof *p);
    if (!p)
        return fail(p, error);
    const size_t room = count ? count : 1;
    p->address = address;
    p->count = count;
    p->code = malloc(room * sizeof *p->code);
    p->insns = calloc(room, sizeof *p->insns);
    p->block = calloc(room, sizeof *p->block);
    p->blocks = calloc(count_blocks(code, count) + 1u, sizeof *p->blocks);
    if (!p->code || !p->insns || !p->block || !p->blocks)
        return fail(p, error);
    if (count)
        memcpy(p->code, code, count * sizeof *code);
    for (uint32_t at = 0, blocks = 0; at < count; at++) {
        if (!simple_v_is_block(code[at])) {
            if (simple_v_decode(code + at, count - at, &p->insns[at], NULL))
                p->insns[at].length = 0;
            else
                note(p, &p->insns[at]);
        } else if (!simple_v_block_decode(code + at, count - at, &p->blocks[blocks], NULL)) {
            p->block[at] = ++blocks;
        }
    }
    *out = p;
    return 0;
}

void simple_v_program_destroy(struct simple_v_program *p)
{
    if (!p)
        return;
    free(p->code);
    free(p->insns);
    free(p->block);
    free(p->blocks);
    free(p);
}
