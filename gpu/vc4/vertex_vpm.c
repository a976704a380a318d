/* Block accesses to the VPM, and the static plan of them. */
#include "gpu/vc4/vertex_vpm.h"

#include <stdlib.h>
#include <string.h>

#include "util/bits.h"

bool vc4_vpm_setup(uint32_t value, struct vc4_vpm_access *out)
{
    *out = (struct vc4_vpm_access){
        .address = (uint8_t)util_bits(value, 0, 8),
        .size = (uint8_t)util_bits(value, 8, 2),
        .laned = util_bits(value, 10, 1),
        .horizontal = util_bits(value, 11, 1),
        .stride = (uint8_t)util_bits(value, 12, 6),
        .left = (uint8_t)util_bits(value, 20, 4),
    };
    if (!out->stride)
        out->stride = 64;
    if (!out->left)
        out->left = 16;
    return util_bits(value, 30, 2) == 0 && out->size < 3;
}

/* ---- where element i of a vector stands (Guide figures 8 and 9) ---- */

struct vc4_vpm_place vc4_vpm_place(const struct vc4_vpm_access *a, uint32_t i)
{
    uint32_t parts_log2 = 2u - a->size; /* sub-vectors a word: 4, 2, 1 */
    uint32_t part = a->address & ((1u << parts_log2) - 1);
    uint32_t vector = (uint32_t)(a->address >> parts_log2) & 63;
    uint32_t word = i, inside = part; /* laned: the same part of 16 words */
    if (!a->laned && parts_log2) {    /* packed: all of 16 >> parts_log2 words */
        word = part * (16u >> parts_log2) + (i >> parts_log2);
        inside = i & ((1u << parts_log2) - 1);
    }
    uint32_t shift = inside * (8u << a->size);
    return a->horizontal ? (struct vc4_vpm_place){vector, word, shift}
                         : (struct vc4_vpm_place){(vector & 0x30) + word, vector & 15, shift};
}

void vc4_vpm_advance(struct vc4_vpm_access *a)
{
    a->address = (uint8_t)((a->address + a->stride) & ((256u >> a->size) - 1));
}

uint32_t vc4_vpm_width_mask(const struct vc4_vpm_access *a)
{
    return a->size == 2 ? UINT32_MAX : (1u << (8u << a->size)) - 1;
}

void vc4_vpm_get(const uint32_t (*vpm)[16], struct vc4_vpm_access *access, uint32_t out[16])
{
    if (access->size == 2) { /* whole words, the usual way, need no search for their places */
        uint32_t vector = access->address & 63u;
        for (uint32_t i = 0; i < 16; i++)
            out[i] = access->horizontal ? vpm[vector][i] : vpm[(vector & 0x30) + i][vector & 15];
        vc4_vpm_advance(access);
        return;
    }
    for (uint32_t i = 0; i < 16; i++) {
        struct vc4_vpm_place p = vc4_vpm_place(access, i);
        out[i] = vpm[p.row][p.column] >> p.shift & vc4_vpm_width_mask(access);
    }
    vc4_vpm_advance(access);
}

void vc4_vpm_put(uint32_t (*vpm)[16], struct vc4_vpm_access *access, const uint32_t value[16], uint16_t lanes)
{
    for (uint32_t i = 0; i < 16; i++) {
        if (!(lanes >> i & 1))
            continue;
        struct vc4_vpm_place p = vc4_vpm_place(access, i);
        uint32_t mask = vc4_vpm_width_mask(access) << p.shift, *word = &vpm[p.row][p.column];
        *word = (*word & ~mask) | (value[i] << p.shift & mask);
    }
    vc4_vpm_advance(access);
}

/* ---- the plan ---- */

/* What an instruction does to the VPM. */
struct insn_vpm {
    bool read, read_setup, write_setup;
    bool plain; /* its set-up writes, if any, store the immediate as it is, in all lanes */
    uint32_t writes;
};

static struct insn_vpm insn_vpm(const struct vc4_qpu_insn *insn)
{
    struct insn_vpm v = {.plain = true};
    if (insn->kind == VC4_QPU_SEMAPHORE || insn->kind == VC4_QPU_BRANCH)
        return v;
    const uint8_t waddr[2] = {insn->waddr_add, insn->waddr_mul};
    const uint8_t cond[2] = {insn->cond_add, insn->cond_mul};
    for (unsigned unit = 0; unit < 2; unit++) {
        bool file_a = insn->ws == (unit == 1), setup = waddr[unit] == VC4_QPU_W_VPM_SETUP;
        if (!vc4_qpu_unit_writes(insn, unit))
            continue;
        v.writes += waddr[unit] == VC4_QPU_W_VPM;
        v.read_setup |= setup && file_a;
        v.write_setup |= setup && !file_a;
        v.plain &=
            !setup || (insn->kind == VC4_QPU_LOAD_IMM32 && cond[unit] == VC4_QPU_COND_ALWAYS && !insn->pack);
    }
    if (insn->kind == VC4_QPU_ALU)
        v.read = insn->raddr_a == VC4_QPU_R_VPM ||
                 (insn->raddr_b == VC4_QPU_R_VPM && insn->sig != VC4_QPU_SIG_SMALL_IMM);
    return v;
}

struct walk {
    const struct vc4_qpu_program *program;
    uint32_t *stack; /* block_count + 1 */
    uint8_t *seen;   /* block_count */
};

/* Walks from the end of block `from`, never through `through`. What is sought is `through` itself when
 * `back`, otherwise an end of the program. */
static bool reaches(struct walk *w, uint32_t from, uint32_t through, bool back)
{
    const struct vc4_qpu_program *p = w->program;
    uint32_t depth = 0;
    memset(w->seen, 0, p->block_count);
    w->stack[depth++] = from;
    while (depth) {
        const struct vc4_qpu_block *block = &p->blocks[w->stack[--depth]];
        bool is_end = true;
        for (unsigned i = 0; i < 2; i++) {
            uint32_t next = block->successor[i];
            if (next == VC4_QPU_NO_OFFSET)
                continue;
            is_end = false;
            if (next == through && back)
                return true;
            if (next != through && !w->seen[next]) {
                w->seen[next] = 1;
                w->stack[depth++] = next;
            }
        }
        if (is_end && !back)
            return true;
    }
    return false;
}

/* On every path, and in no loop. */
static bool runs_once(struct walk *w, uint32_t block)
{
    return (block == 0 || !reaches(w, 0, block, false)) && !reaches(w, block, block, true);
}

static bool row_access(uint32_t setup, struct vc4_vpm_access *access)
{
    return vc4_vpm_setup(setup, access) && access->horizontal && access->size == 2;
}

struct plan_state {
    struct vc4_vpm_access write, read[2];
    uint32_t queued; /* read blocks, at most two */
    bool writable;
};

/* Reads come before writes in an instruction, the add unit's write before the mul unit's. */
static bool plan_insn(const struct vc4_qpu_insn *insn, const struct insn_vpm *v, struct plan_state *s,
                      struct vc4_vpm_plan *plan)
{
    if (!v->plain || (v->write_setup && v->writes))
        return false;
    if (v->read) {
        if (!s->queued || plan->reads == VC4_VPM_PLAN_MAX)
            return false;
        plan->read_row[plan->reads++] = s->read[0].address & 63;
        vc4_vpm_advance(&s->read[0]);
        if (!--s->read[0].left) {
            s->read[0] = s->read[1];
            s->queued--;
        }
    }
    if (v->read_setup && (s->queued == 2 || !row_access(insn->imm, &s->read[s->queued++])))
        return false;
    if (v->write_setup && !(s->writable = row_access(insn->imm, &s->write)))
        return false;
    for (uint32_t i = 0; i < v->writes; i++) {
        if (!s->writable || plan->writes == VC4_VPM_PLAN_MAX)
            return false;
        plan->write_row[plan->writes++] = s->write.address & 63;
        vc4_vpm_advance(&s->write);
    }
    return true;
}

#define ONCE_BLOCKS_MAX 64u /* blocks that may touch the VPM; more make no plan, which bounds the walks */

static bool plan_blocks(const struct vc4_qpu_program *program, struct walk *walk, struct vc4_vpm_plan *plan)
{
    struct plan_state state = {0};
    uint32_t touched = 0;
    for (uint32_t b = 0; b < program->block_count; b++) {
        const struct vc4_qpu_block *block = &program->blocks[b];
        bool checked = false;
        for (uint32_t i = 0; i < block->count; i++) {
            const struct vc4_qpu_insn *insn = &program->insns[block->first + i];
            struct insn_vpm v = insn_vpm(insn);
            if (!v.read && !v.read_setup && !v.write_setup && !v.writes)
                continue;
            if (!checked && (++touched > ONCE_BLOCKS_MAX || !runs_once(walk, b)))
                return false;
            checked = true;
            if (!plan_insn(insn, &v, &state, plan))
                return false;
        }
    }
    return true;
}

void vc4_vpm_plan_make(const struct vc4_qpu_program *program, struct vc4_vpm_plan *out)
{
    *out = (struct vc4_vpm_plan){0};
    struct walk walk = {
        .program = program,
        .stack = malloc((program->block_count + 1ull) * sizeof(uint32_t)),
        .seen = malloc(program->block_count + 1ull),
    };
    out->known = walk.stack && walk.seen && plan_blocks(program, &walk, out);
    free(walk.stack);
    free(walk.seen);
}
