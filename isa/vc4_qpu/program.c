#include "isa/vc4_qpu/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "isa/vc4_qpu/program_internal.h"
#include "util/bits.h"

struct vc4_qpu_write vc4_qpu_write_of(const struct vc4_qpu_insn *insn, unsigned mul)
{
    unsigned cond = mul ? insn->cond_mul : insn->cond_add;
    bool branch = insn->kind == VC4_QPU_BRANCH; /* links are written when the branch is taken */
    return (struct vc4_qpu_write){
        .happens = vc4_qpu_unit_writes(insn, mul),
        .always = branch ? insn->branch_cond == VC4_QPU_BR_ALWAYS : cond == VC4_QPU_COND_ALWAYS,
        .file_b = (bool)mul != insn->ws,
        .waddr = mul ? insn->waddr_mul : insn->waddr_add,
    };
}

bool vc4_qpu_reads_a(const struct vc4_qpu_insn *insn, unsigned address)
{
    if (insn->kind == VC4_QPU_BRANCH)
        return insn->branch_reg && insn->branch_raddr == address;
    return insn->kind == VC4_QPU_ALU && insn->raddr_a == address;
}

bool vc4_qpu_reads_b(const struct vc4_qpu_insn *insn, unsigned address)
{
    return insn->kind == VC4_QPU_ALU && insn->sig != VC4_QPU_SIG_SMALL_IMM && insn->raddr_b == address;
}

bool vc4_qpu_reads(const struct vc4_qpu_insn *insn, unsigned address)
{
    return vc4_qpu_reads_a(insn, address) || vc4_qpu_reads_b(insn, address);
}

/* While control flow is being found: what is known of each instruction. */
enum { LEADER = 1, WALKED = 2, REACHED = 4 };

struct scan {
    struct vc4_qpu_program *program;
    uint32_t count;
    uint8_t *marks;
    uint32_t *stack, depth; /* leaders to walk from */
    struct util_error *error;
};

static int push_leader(struct scan *s, uint32_t pc, uint32_t from)
{
    if (pc >= s->count)
        return util_fail(s->error, -EBADMSG, "pc %u: execution runs off the end of the program", from);
    if (!(s->marks[pc] & LEADER)) {
        s->marks[pc] |= LEADER;
        s->stack[s->depth++] = pc;
    }
    return 0;
}

/* The instruction a branch at `pc` goes to, or VC4_QPU_NO_OFFSET when it is computed, misaligned or outside.
 */
static uint32_t branch_target(const struct vc4_qpu_insn *insn, uint32_t pc, uint32_t count)
{
    int64_t bytes = (int32_t)insn->imm;
    if (insn->branch_rel)
        bytes += ((int64_t)pc + 4) * 8;
    if (insn->branch_reg || bytes % 8 || bytes < 0 || bytes / 8 >= count)
        return VC4_QPU_NO_OFFSET;
    return (uint32_t)(bytes / 8);
}

static bool falls_through(const struct vc4_qpu_insn *insn)
{
    return insn->branch_cond != VC4_QPU_BR_ALWAYS;
}

static bool links(const struct vc4_qpu_insn *insn)
{
    return insn->waddr_add != VC4_QPU_W_NOP || insn->waddr_mul != VC4_QPU_W_NOP;
}

static int push_return(struct scan *s, uint32_t pc)
{
    bool inside = pc + 4 < s->count;
    return links(&s->program->insns[pc]) && inside ? push_leader(s, pc + 4, pc) : 0;
}

static int scan_branch(struct scan *s, uint32_t pc)
{
    const struct vc4_qpu_insn *insn = &s->program->insns[pc];
    uint32_t target = branch_target(insn, pc, s->count);
    int err = 0;
    if (vc4_qpu_is_tmu(insn->waddr_add) || vc4_qpu_is_tmu(insn->waddr_mul))
        return util_fail(s->error, -EBADMSG, "pc %u: a branch links into a texture unit", pc);
    for (uint32_t slot = pc; slot <= pc + 3; slot++) {
        if (slot >= s->count)
            return util_fail(s->error, -EBADMSG, "pc %u: execution runs off the end of the program", pc);
        if (slot != pc && vc4_qpu_is_end(&s->program->insns[slot]))
            return util_fail(s->error, -EBADMSG, "pc %u: program end in the delay slots of a branch", slot);
        s->marks[slot] |= REACHED;
    }
    s->program->has_branches = true;
    s->program->computed_branches |= insn->branch_reg;
    if (falls_through(insn))
        err = push_leader(s, pc + 4, pc);
    else if (s->program->computed_branches)
        err = push_return(s, pc);
    if (!err && target != VC4_QPU_NO_OFFSET)
        err = push_leader(s, target, pc);
    return err;
}

/* Walks straight on from a leader until control leaves, or arrives where a walk has been. */
static int scan_from(struct scan *s, uint32_t pc)
{
    for (;; pc++) {
        if (pc >= s->count)
            return util_fail(s->error, -EBADMSG, "pc %u: execution runs off the end of the program", pc - 1);
        if (s->marks[pc] & WALKED)
            return 0;
        s->marks[pc] |= WALKED | REACHED;
        if (s->program->insns[pc].kind == VC4_QPU_BRANCH)
            return scan_branch(s, pc);
        if (vc4_qpu_is_end(&s->program->insns[pc])) {
            if (pc + 2 >= s->count)
                return util_fail(s->error, -EBADMSG, "pc %u: no delay slots after the program end", pc);
            s->marks[pc + 1] |= REACHED;
            s->marks[pc + 2] |= REACHED;
            return 0;
        }
    }
}

static int walk_leaders(struct scan *s)
{
    int err = 0;
    while (!err && s->depth)
        err = scan_from(s, s->stack[--s->depth]);
    return err;
}

/* Once a computed branch can be reached, every return point of a linking branch can. */
static int scan_program(struct scan *s)
{
    int err = push_leader(s, 0, 0);
    if (!err)
        err = walk_leaders(s);
    for (uint32_t pc = 0; !err && s->program->computed_branches && pc < s->count; pc++)
        if (s->marks[pc] & WALKED && s->program->insns[pc].kind == VC4_QPU_BRANCH)
            err = push_return(s, pc);
    return err ? err : walk_leaders(s);
}

/* Fills one block from its leader; successors are instruction numbers until all blocks are known. */
static void fill_block(const struct scan *s, struct vc4_qpu_block *block, uint32_t first)
{
    const struct vc4_qpu_insn *insns = s->program->insns;
    *block = (struct vc4_qpu_block){.first = first,
                                    .successor = {VC4_QPU_NO_OFFSET, VC4_QPU_NO_OFFSET},
                                    .branch = VC4_QPU_NO_OFFSET,
                                    .uniform_at_entry = VC4_QPU_NO_OFFSET};
    for (uint32_t pc = first;; pc++) {
        if (pc != first && s->marks[pc] & LEADER) {
            block->count = pc - first;
            block->successor[0] = pc;
            return;
        }
        if (insns[pc].kind == VC4_QPU_BRANCH) {
            block->count = pc + 4 - first;
            block->branch = pc;
            if (falls_through(&insns[pc]))
                block->successor[0] = pc + 4;
            block->successor[1] = branch_target(&insns[pc], pc, s->count);
            return;
        }
        if (vc4_qpu_is_end(&insns[pc])) {
            block->count = pc + 3 - first;
            return;
        }
    }
}

static int make_blocks(struct scan *s)
{
    struct vc4_qpu_program *p = s->program;
    uint32_t *block_of = s->stack; /* the walk is over: the stack's memory serves again */
    for (uint32_t pc = 0; pc < s->count; pc++)
        if (s->marks[pc] & LEADER)
            block_of[pc] = p->block_count++;
    p->blocks = calloc(p->block_count, sizeof *p->blocks);
    if (!p->blocks)
        return util_fail(s->error, -ENOMEM, "out of memory");
    for (uint32_t pc = 0; pc < s->count; pc++)
        if (s->marks[pc] & LEADER)
            fill_block(s, &p->blocks[block_of[pc]], pc);
    for (uint32_t i = 0; i < p->block_count; i++)
        for (unsigned k = 0; k < 2; k++) {
            uint32_t *to = &p->blocks[i].successor[k];
            if (*to == VC4_QPU_NO_OFFSET)
                continue;
            bool backward = k == 1 && *to <= p->blocks[i].branch;
            *to = block_of[*to];
            p->blocks[*to].loop_header |= backward;
            p->repeats |= backward;
        }
    return 0;
}

static void note_write(struct vc4_qpu_program *p, const struct vc4_qpu_write *w)
{
    switch (w->waddr) {
    case VC4_QPU_W_TLB_STENCIL: p->writes_stencil = true; break;
    case VC4_QPU_W_TLB_Z:
        p->writes_z = true;
        p->z_conditional |= !w->always;
        break;
    case VC4_QPU_W_TLB_COLOR_MS: p->writes_color_ms = true; break;
    case VC4_QPU_W_TLB_COLOR_ALL: p->writes_color = true; break;
    case VC4_QPU_W_MS_REV: p->writes_ms_mask |= !w->file_b; break;
    case VC4_QPU_W_VPM: p->uses_vpm_write = true; break;
    case VC4_QPU_W_VPM_SETUP:
        if (w->file_b)
            p->uses_vpm_write = true;
        else
            p->uses_vpm_read = true;
        break;
    case VC4_QPU_W_VPM_ADDR: p->uses_dma = true; break;
    case VC4_QPU_W_MUTEX: p->uses_mutex = true; break;
    default: p->uses_tmu |= vc4_qpu_is_tmu(w->waddr);
    }
}

/* What the reachable instructions touch. */
static void note_insn(struct vc4_qpu_program *p, const struct vc4_qpu_insn *insn)
{
    for (unsigned mul = 0; mul < 2; mul++) {
        struct vc4_qpu_write w = vc4_qpu_write_of(insn, mul);
        if (w.happens)
            note_write(p, &w);
    }
    p->uses_semaphore |= insn->kind == VC4_QPU_SEMAPHORE;
    p->uses_vpm_read |= vc4_qpu_reads(insn, VC4_QPU_R_VPM);
    p->uses_dma |= vc4_qpu_reads(insn, VC4_QPU_R_VPM_BUSY) || vc4_qpu_reads(insn, VC4_QPU_R_VPM_WAIT);
    p->uses_mutex |= vc4_qpu_reads(insn, VC4_QPU_R_MUTEX);
    p->reads_color |= insn->sig == VC4_QPU_SIG_COLOR_LOAD || insn->sig == VC4_QPU_SIG_COLOR_LOAD_END;
    p->reads_coverage |= insn->sig == VC4_QPU_SIG_COVERAGE_LOAD;
    p->uses_tmu |= insn->sig == VC4_QPU_SIG_LOAD_TMU0 || insn->sig == VC4_QPU_SIG_LOAD_TMU1;
    p->is_threaded |= insn->sig == VC4_QPU_SIG_THREAD_SWITCH || insn->sig == VC4_QPU_SIG_LAST_THREAD_SWITCH;
}

/* The longest forward path: blocks are in program order, so every forward edge goes to a later one. */
static int count_varyings(struct vc4_qpu_program *p, struct util_error *error)
{
    uint32_t *before = calloc(p->block_count, sizeof *before);
    if (!before)
        return util_fail(error, -ENOMEM, "out of memory");
    for (uint32_t i = 0; i < p->block_count; i++) {
        const struct vc4_qpu_block *block = &p->blocks[i];
        uint32_t after = before[i];
        for (uint32_t pc = block->first; pc < block->first + block->count; pc++)
            after += vc4_qpu_reads(&p->insns[pc], VC4_QPU_R_VARYING);
        p->varying_count = UTIL_MAX(p->varying_count, after);
        for (unsigned k = 0; k < 2; k++)
            if (block->successor[k] != VC4_QPU_NO_OFFSET && block->successor[k] > i)
                before[block->successor[k]] = UTIL_MAX(before[block->successor[k]], after);
    }
    free(before);
    return 0;
}

static int analyse(struct vc4_qpu_program *p, uint32_t count, struct util_error *error)
{
    struct scan s = {.program = p, .count = count, .error = error};
    s.marks = calloc(count, sizeof *s.marks);
    s.stack = calloc(count, sizeof *s.stack);
    int err = s.marks && s.stack ? scan_program(&s) : util_fail(error, -ENOMEM, "out of memory");
    if (!err)
        err = make_blocks(&s);
    for (uint32_t pc = 0; !err && pc < count; pc++)
        if (s.marks[pc] & REACHED) {
            note_insn(p, &p->insns[pc]);
            p->insn_count = pc + 1;
        }
    p->repeats |= p->computed_branches;
    if (p->computed_branches)
        p->insn_count = count;
    free(s.marks);
    free(s.stack);
    if (!err)
        err = count_varyings(p, error);
    return err ? err : vc4_qpu_flow(p, error);
}

int vc4_qpu_program_create(const uint64_t *words, uint32_t count, struct vc4_qpu_program **out,
                           struct util_error *error)
{
    if (count > VC4_QPU_MAX_INSNS)
        return util_fail(error, -E2BIG, "a program of %u instructions: at most %u are supported", count,
                         VC4_QPU_MAX_INSNS);
    if (count == 0)
        return util_fail(error, -EBADMSG, "pc 0: an empty program");
    struct vc4_qpu_program *p = calloc(1, sizeof *p);
    if (!p)
        return util_fail(error, -ENOMEM, "out of memory");
    p->insns = calloc(count, sizeof *p->insns);
    int err = p->insns ? 0 : util_fail(error, -ENOMEM, "out of memory");
    if (!err) {
        for (uint32_t i = 0; i < count; i++)
            vc4_qpu_decode(words[i], &p->insns[i]);
        err = analyse(p, count, error);
    }
    if (err) {
        vc4_qpu_program_destroy(p);
        return err;
    }
    /* Callers offer all the words there are: what lies behind the program's end is not kept. */
    struct vc4_qpu_insn *exact = realloc(p->insns, p->insn_count * sizeof *exact);
    if (exact)
        p->insns = exact;
    p->hash = XXH3_64bits(words, p->insn_count * sizeof *words);
    *out = p;
    return 0;
}

void vc4_qpu_program_destroy(struct vc4_qpu_program *program)
{
    if (!program)
        return;
    free(program->insns);
    free(program->blocks);
    free(program->samples);
    free(program->uniform_at);
    free(program->reset_words);
    free(program);
}
