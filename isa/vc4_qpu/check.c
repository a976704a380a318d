/* The rules that the bits do not show, over every path of a program. Each rule is a row: what it says and
 * where it stands. Reads count where a multiplexer selects them; writes unless their condition is `never`. */
#include "isa/vc4_qpu/asm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "isa/vc4_qpu/lint.h"
#include "isa/vc4_qpu/names.h"
#include "isa/vc4_qpu/program_internal.h"
#include "util/bits.h"

/* As vc4_qpu_rules numbers them. */
enum rule {
#define RULE(name, text, source) name,
#include "isa/vc4_qpu/rules.inc"
    RULE_COUNT
};
_Static_assert(RULE_COUNT <= 64, "one bit a rule");

struct check {
    struct isa_check frame;
    struct vc4_qpu_program *program; /* or NULL: its structure is broken */
    const struct vc4_qpu_insn *insns;
    const struct vc4_qpu_block *blocks;
    uint32_t block_count, count;
    uint64_t *reported; /* per instruction, as in the frame */
    bool *direct;       /* per instruction: its S write is a direct lookup */
};

/* Paths that meet report an instruction once: what was reported of each is kept. */
static void breach_if(struct check *c, bool broken, uint32_t pc, enum rule rule)
{
    if (!broken)
        return;
    c->frame.at = pc;
    c->frame.reported = c->reported[pc];
    isa_breach(&c->frame, rule);
    c->reported[pc] = c->frame.reported;
}

/* Whether either unit writes an address in [first, last]; `files` 1 for A, 2 for B, 3 for both. */
static bool writes(const struct vc4_qpu_insn *insn, unsigned first, unsigned last, unsigned files)
{
    for (unsigned mul = 0; mul < 2; mul++) {
        struct vc4_qpu_write w = vc4_qpu_write_of(insn, mul);
        if (w.happens && w.waddr >= first && w.waddr <= last && files >> w.file_b & 1)
            return true;
    }
    return false;
}

static bool writes_any(const struct vc4_qpu_insn *insn, unsigned waddr)
{
    return writes(insn, waddr, waddr, 3);
}

static unsigned count_writes(const struct vc4_qpu_insn *insn, unsigned first, unsigned last)
{
    unsigned n = 0;
    for (unsigned mul = 0; mul < 2; mul++) {
        struct vc4_qpu_write w = vc4_qpu_write_of(insn, mul);
        n += w.happens && w.waddr >= first && w.waddr <= last;
    }
    return n;
}

/* Whether an operation that does something takes this multiplexer input. */
static bool selects(const struct vc4_qpu_insn *insn, unsigned mux)
{
    if (insn->kind != VC4_QPU_ALU)
        return false;
    bool add = insn->op_add != VC4_QPU_A_NOP && (insn->add_a == mux || insn->add_b == mux);
    bool mul = insn->op_mul != VC4_QPU_M_NOP && (insn->mul_a == mux || insn->mul_b == mux);
    return add || mul;
}

static bool uses_a(const struct vc4_qpu_insn *insn, unsigned address)
{
    bool reads = insn->kind == VC4_QPU_BRANCH || selects(insn, VC4_QPU_MUX_A);
    return reads && vc4_qpu_reads_a(insn, address);
}

static bool uses_b(const struct vc4_qpu_insn *insn, unsigned address)
{
    return selects(insn, VC4_QPU_MUX_B) && vc4_qpu_reads_b(insn, address);
}

static bool is_small(const struct vc4_qpu_insn *insn)
{
    return insn->kind == VC4_QPU_ALU && insn->sig == VC4_QPU_SIG_SMALL_IMM;
}

static bool rotates(const struct vc4_qpu_insn *insn)
{
    return is_small(insn) && insn->raddr_b >= 48 && insn->op_mul != VC4_QPU_M_NOP;
}

static bool writes_sfu(const struct vc4_qpu_insn *insn)
{
    return writes(insn, VC4_QPU_W_SFU_RECIP, VC4_QPU_W_SFU_LOG2, 3);
}

static bool writes_tlb(const struct vc4_qpu_insn *insn)
{
    return writes(insn, VC4_QPU_W_TLB_STENCIL, VC4_QPU_W_TLB_ALPHA_MASK, 3);
}

static bool writes_tmu(const struct vc4_qpu_insn *insn)
{
    return writes(insn, VC4_QPU_W_TMU0_S, VC4_QPU_W_TMU1_B, 3);
}

static bool loads_tlb(const struct vc4_qpu_insn *insn)
{
    return insn->sig == VC4_QPU_SIG_COVERAGE_LOAD || insn->sig == VC4_QPU_SIG_COLOR_LOAD ||
           insn->sig == VC4_QPU_SIG_COLOR_LOAD_END || insn->sig == VC4_QPU_SIG_ALPHA_MASK_LOAD;
}

static bool loads_tmu(const struct vc4_qpu_insn *insn)
{
    return insn->sig == VC4_QPU_SIG_LOAD_TMU0 || insn->sig == VC4_QPU_SIG_LOAD_TMU1;
}

static bool is_switch(const struct vc4_qpu_insn *insn)
{
    return insn->sig == VC4_QPU_SIG_THREAD_SWITCH || insn->sig == VC4_QPU_SIG_LAST_THREAD_SWITCH;
}

static bool takes_uniform(const struct check *c, uint32_t pc)
{
    const struct vc4_qpu_insn *insn = &c->insns[pc];
    return vc4_qpu_reads(insn, VC4_QPU_R_UNIFORM) || (writes_tmu(insn) && !c->direct[pc]);
}

static bool uses_vpm(const struct vc4_qpu_insn *insn)
{
    for (unsigned address = VC4_QPU_R_VPM; address <= VC4_QPU_R_VPM_WAIT; address++)
        if (vc4_qpu_reads(insn, address))
            return true;
    return writes(insn, VC4_QPU_W_VPM, VC4_QPU_W_VPM_ADDR, 3);
}

/* A colour read and write together count as one access (they take the same sample). Semaphores have a rule of
 * their own. Stencil set-up is none: it goes to a register of the QPU (Guide section 5, Z and Stencil), and
 * Mesa's driver puts colour loads beside it. */
static unsigned count_peripherals(const struct vc4_qpu_insn *insn)
{
    unsigned color_writes = count_writes(insn, VC4_QPU_W_TLB_COLOR_MS, VC4_QPU_W_TLB_COLOR_ALL);
    bool color_load = insn->sig == VC4_QPU_SIG_COLOR_LOAD || insn->sig == VC4_QPU_SIG_COLOR_LOAD_END;
    unsigned n = count_writes(insn, VC4_QPU_W_TLB_Z, VC4_QPU_W_TLB_ALPHA_MASK) +
                 count_writes(insn, VC4_QPU_W_SFU_RECIP, VC4_QPU_W_TMU1_B);
    n += loads_tmu(insn) + (loads_tlb(insn) && !(color_load && color_writes));
    return n + vc4_qpu_reads(insn, VC4_QPU_R_MUTEX);
}

/* Writes of r0 to r3 under opposite conditions are for different lanes: programs that are known to run on
 * silicon (GPU_FFT) do it. With other registers it does not work (vc4asm's addendum). */
static bool both_write(const struct vc4_qpu_insn *insn)
{
    unsigned waddr = insn->waddr_add;
    bool opposite = insn->cond_add >= VC4_QPU_COND_ZS && insn->cond_mul == (insn->cond_add ^ 1);
    if (opposite && waddr >= VC4_QPU_W_ACC0 && waddr <= VC4_QPU_W_ACC3)
        return false;
    bool same = waddr == insn->waddr_mul && waddr >= 32 && waddr != VC4_QPU_W_NOP;
    return same && count_writes(insn, waddr, waddr) == 2 &&
           (waddr == VC4_QPU_W_ACC5 || vc4_qpu_write_shared(waddr));
}

static bool unmapped(unsigned address)
{
    return address >= 32 && !vc4_qpu_name(VC4_QPU_READS_A, address);
}

static void check_reads(struct check *c, uint32_t pc)
{
    const struct vc4_qpu_insn *insn = &c->insns[pc];
    bool alu = insn->kind == VC4_QPU_ALU;
    breach_if(c, alu && unmapped(insn->raddr_a), pc, UNMAPPED_READ);
    breach_if(c, alu && !is_small(insn) && unmapped(insn->raddr_b), pc, UNMAPPED_READ);
}

static void check_rotation(struct check *c, uint32_t pc)
{
    const struct vc4_qpu_insn *insn = &c->insns[pc];
    bool accumulators = insn->mul_a <= VC4_QPU_MUX_R3 && insn->mul_b <= VC4_QPU_MUX_R3;
    breach_if(c, rotates(insn) && !accumulators, pc, ROTATE_INPUT);
    breach_if(c, is_small(insn) && insn->raddr_b >= 48 && selects(insn, VC4_QPU_MUX_B), pc, ROTATE_IMMEDIATE);
}

/* What one instruction shows by itself. */
static void check_insn(struct check *c, uint32_t pc)
{
    const struct vc4_qpu_insn *insn = &c->insns[pc];
    bool alu = insn->kind == VC4_QPU_ALU, branch = insn->kind == VC4_QPU_BRANCH;
    bool semaphore = insn->kind == VC4_QPU_SEMAPHORE;
    breach_if(c, vc4_qpu_encode(insn) != insn->word, pc, RESERVED_BITS);
    breach_if(c, insn->kind == VC4_QPU_LOAD_IMM32 && insn->unpack, pc, RESERVED_MODE);
    breach_if(c, alu && !vc4_qpu_name(VC4_QPU_ADD_OPS, insn->op_add), pc, RESERVED_ADD);
    breach_if(c, insn->pm && insn->pack && !vc4_qpu_name(VC4_QPU_PACKS_MUL, insn->pack), pc, RESERVED_PACK);
    breach_if(c, branch && !vc4_qpu_name(VC4_QPU_BRANCH_CONDS, insn->branch_cond), pc, RESERVED_BRANCH);
    breach_if(c, both_write(insn), pc, BOTH_WRITE);
    breach_if(c, count_peripherals(insn) > 1, pc, ONE_PERIPHERAL);
    breach_if(c, semaphore && (writes_tlb(insn) || writes_tmu(insn) || writes_sfu(insn)), pc,
              SEMAPHORE_STALL);
    breach_if(c, writes_tmu(insn) && !c->direct[pc] && vc4_qpu_reads(insn, VC4_QPU_R_UNIFORM), pc,
              TMU_AND_UNIFORM);
    check_reads(c, pc);
    check_rotation(c, pc);
}

static bool reads_just_written(const struct vc4_qpu_insn *before, const struct vc4_qpu_insn *insn)
{
    for (unsigned mul = 0; mul < 2; mul++) {
        struct vc4_qpu_write w = vc4_qpu_write_of(before, mul);
        if (w.happens && w.waddr < 32 && (w.file_b ? uses_b(insn, w.waddr) : uses_a(insn, w.waddr)))
            return true;
    }
    return false;
}

/* An instruction one or two after another on some path. */
static void check_pair(struct check *c, uint32_t first, uint32_t pc, unsigned distance)
{
    const struct vc4_qpu_insn *before = &c->insns[first], *insn = &c->insns[pc];
    if (writes_sfu(before)) {
        breach_if(c, selects(insn, VC4_QPU_MUX_R4), pc, SFU_READ);
        breach_if(c, writes_sfu(insn) || loads_tlb(insn) || loads_tmu(insn), pc, SFU_WRITE);
    }
    breach_if(c, writes_any(before, VC4_QPU_W_TLB_Z) && uses_a(insn, VC4_QPU_R_MS_REV), pc, MASK_AFTER_Z);
    breach_if(c, writes_any(before, VC4_QPU_W_UNIFORMS_ADDRESS) && takes_uniform(c, pc), pc,
              UNIFORM_AFTER_RESET);
    breach_if(c, writes_any(before, VC4_QPU_W_TMU_NOSWAP) && writes_tmu(insn), pc, TMU_AFTER_NOSWAP);
    breach_if(c, is_switch(before) && (is_switch(insn) || insn->kind == VC4_QPU_BRANCH), pc, SWITCH_SLOT);
    if (distance > 1)
        return;
    breach_if(c, reads_just_written(before, insn), pc, READ_AFTER_WRITE);
    if (!rotates(insn))
        return;
    bool r5 = writes_any(before, VC4_QPU_W_ACC5) || vc4_qpu_reads(before, VC4_QPU_R_VARYING);
    breach_if(c, r5 && insn->raddr_b == 48, pc, ROTATE_R5);
    for (unsigned mux = VC4_QPU_MUX_R0; mux <= VC4_QPU_MUX_R3; mux++)
        breach_if(c, (insn->mul_a == mux || insn->mul_b == mux) && writes_any(before, VC4_QPU_W_ACC0 + mux),
                  pc, ROTATE_WRITTEN);
}

/* Meets every instruction up to two after `first` on any path; `block` and `offset` are where the path
 * stands. */
static void follow(struct check *c, uint32_t first, uint32_t block, uint32_t offset, unsigned distance)
{
    const struct vc4_qpu_block *b = &c->blocks[block];
    bool inside = offset + 1 < b->count;
    for (unsigned k = 0; k < (inside ? 1 : 2); k++) {
        uint32_t next = inside ? block : b->successor[k], at = inside ? offset + 1 : 0;
        if (next == VC4_QPU_NO_OFFSET)
            continue;
        check_pair(c, first, c->blocks[next].first + at, distance);
        if (distance < 2)
            follow(c, first, next, at, distance + 1);
    }
}

/* The program end and its two delay slots. */
static void check_end(struct check *c, uint32_t end)
{
    breach_if(c, writes(&c->insns[end], 0, 31, 3), end, END_WRITES_FILE);
    breach_if(c, writes_any(&c->insns[end + 2], VC4_QPU_W_TLB_Z), end + 2, END_Z);
    for (uint32_t pc = end; pc <= end + 2; pc++) {
        const struct vc4_qpu_insn *insn = &c->insns[pc];
        bool input = takes_uniform(c, pc) || vc4_qpu_reads(insn, VC4_QPU_R_VARYING) || uses_vpm(insn);
        breach_if(c, input, pc, END_INPUT);
        breach_if(c, uses_a(insn, 14) || uses_b(insn, 14) || writes_any(insn, 14), pc, END_REGISTER_14);
        breach_if(c, pc != end && insn->kind == VC4_QPU_BRANCH, pc, BRANCH_IN_SLOT);
        breach_if(c, pc != end && vc4_qpu_is_end(insn), pc, END_IN_SLOT);
    }
}

static void check_block(struct check *c, uint32_t number)
{
    const struct vc4_qpu_block *b = &c->blocks[number];
    for (uint32_t i = 0; i < b->count; i++) {
        check_insn(c, b->first + i);
        follow(c, b->first + i, number, i, 1);
    }
    if (!c->program)
        return;
    if (b->branch != VC4_QPU_NO_OFFSET) {
        const struct vc4_qpu_insn *branch = &c->insns[b->branch];
        breach_if(c, !branch->branch_reg && b->successor[1] == VC4_QPU_NO_OFFSET, b->branch, BRANCH_OUTSIDE);
        for (uint32_t pc = b->branch + 1; pc <= b->branch + 3; pc++)
            breach_if(c, c->insns[pc].kind == VC4_QPU_BRANCH, pc, BRANCH_IN_SLOT);
    } else if (b->successor[0] == VC4_QPU_NO_OFFSET) {
        check_end(c, b->first + b->count - 3);
    }
}

static bool uses_upper_half(const struct vc4_qpu_insn *insn)
{
    bool uses = writes(insn, 16, 31, 3);
    for (unsigned address = 16; address < 32; address++)
        uses |= uses_a(insn, address) || uses_b(insn, address);
    return uses;
}

/* Rules about the program as a whole, in the order of the instructions. */
static void check_whole(struct check *c)
{
    const struct vc4_qpu_program *p = c->program;
    bool last = false, fragment = p->varying_count, tmu = false, *seen = calloc(c->count, sizeof *seen);
    for (uint32_t i = 0; seen && i < c->block_count; i++)
        memset(seen + c->blocks[i].first, true, c->blocks[i].count);
    for (uint32_t pc = 0; seen && pc < c->count; pc++) {
        const struct vc4_qpu_insn *insn = &c->insns[pc];
        last |= seen[pc] && insn->sig == VC4_QPU_SIG_LAST_THREAD_SWITCH;
        fragment |= seen[pc] && (writes_tlb(insn) || loads_tlb(insn));
    }
    for (uint32_t pc = 0; seen && pc < c->count; pc++) {
        const struct vc4_qpu_insn *insn = &c->insns[pc];
        if (!seen[pc])
            continue;
        bool wait = insn->sig == VC4_QPU_SIG_SCOREBOARD_WAIT || writes_tlb(insn) || loads_tlb(insn);
        breach_if(c, pc < 2 && wait, pc, EARLY_SCOREBOARD);
        breach_if(c, fragment && uses_vpm(insn), pc, VPM_IN_FRAGMENT);
        breach_if(c, !last && is_switch(insn), pc, SWITCH_LAST);
        breach_if(c, p->is_threaded && uses_upper_half(insn), pc, SWITCH_REGISTERS);
        breach_if(c, tmu && writes_any(insn, VC4_QPU_W_TMU_NOSWAP), pc, NOSWAP_LATE);
        tmu |= writes_tmu(insn);
    }
    free(seen);
}

static void check_all(struct check *c)
{
    for (uint32_t i = 0; i < c->block_count; i++)
        check_block(c, i);
    if (c->program)
        check_whole(c);
}

/* Without a structure the words are one straight line, and only rules about neighbours apply. */
static int check_line(struct check *c, const uint64_t *words)
{
    struct vc4_qpu_insn *insns = calloc(c->count, sizeof *insns);
    struct vc4_qpu_block line = {
        .count = c->count, .successor = {VC4_QPU_NO_OFFSET, VC4_QPU_NO_OFFSET}, .branch = VC4_QPU_NO_OFFSET};
    if (!insns)
        return -ENOMEM;
    for (uint32_t pc = 0; pc < c->count; pc++) {
        vc4_qpu_decode(words[pc], &insns[pc]);
        c->direct[pc] = vc4_qpu_reads(&insns[pc], VC4_QPU_R_UNIFORM);
    }
    c->insns = insns;
    c->blocks = &line;
    c->block_count = 1;
    check_all(c);
    free(insns);
    return 0;
}

static void check_program(struct check *c)
{
    struct vc4_qpu_program *p = c->program;
    c->insns = p->insns;
    c->blocks = p->blocks;
    c->block_count = p->block_count;
    c->count = p->insn_count;
    for (uint32_t i = 0; i < p->sample_count; i++)
        c->direct[p->samples[i].insn] = p->samples[i].direct;
    check_all(c);
}

bool vc4_qpu_fits(const struct vc4_qpu_insn window[3], bool direct)
{
    uint64_t reported[3] = {0};
    bool directs[3] = {false, false, direct};
    struct check c = {.insns = window, .count = 3, .reported = reported, .direct = directs};
    check_insn(&c, 2);
    check_pair(&c, 0, 2, 2);
    check_pair(&c, 1, 2, 1);
    return c.frame.count == 0;
}

unsigned vc4_qpu_check(const void *program, uint32_t count, isa_breach_fn found, void *data)
{
    const uint64_t *words = program;
    uint32_t rules;
    struct check c = {.frame = {.rules = vc4_qpu_rules(&rules), .found = found, .data = data},
                      .count = count};
    struct util_error error = {0};
    int err = vc4_qpu_program_create(words, count, &c.program, &error);
    if (err) {
        found(data, 0, error.text, "structure");
        c.frame.count++;
    }
    if (err == -E2BIG || err == -ENOMEM || count == 0)
        return c.frame.count;
    c.reported = calloc(count, sizeof *c.reported);
    c.direct = calloc(count, sizeof *c.direct);
    if (!c.reported || !c.direct)
        err = -ENOMEM;
    else if (c.program)
        check_program(&c);
    else
        err = check_line(&c, words);
    if (err == -ENOMEM) {
        found(data, 0, "out of memory", "host");
        c.frame.count++;
    }
    free(c.reported);
    free(c.direct);
    vc4_qpu_program_destroy(c.program);
    return c.frame.count;
}
