/* One random instruction: every field from the table, refused until it fits what came before. */
#include <assert.h>

#include "isa/vc4_qpu/names.h"
#include "isa/vc4_qpu/program_internal.h"
#include "isa/vc4_qpu/random_internal.h"
#include "util/bits.h"

void vc4_qpu_random_put(struct vc4_qpu_random_gen *g, const struct vc4_qpu_insn *insn)
{
    assert(g->count < g->capacity);
    g->words[g->count++] = vc4_qpu_encode(insn);
    g->window[0] = g->window[1];
    g->window[1] = *insn;
}

static struct vc4_qpu_insn blank(void)
{
    return (struct vc4_qpu_insn){.kind = VC4_QPU_ALU,
                                 .sig = VC4_QPU_SIG_NONE,
                                 .waddr_add = VC4_QPU_W_NOP,
                                 .waddr_mul = VC4_QPU_W_NOP,
                                 .raddr_a = VC4_QPU_R_NOP,
                                 .raddr_b = VC4_QPU_R_NOP};
}

void vc4_qpu_random_nop(struct vc4_qpu_random_gen *g)
{
    struct vc4_qpu_insn insn = blank();
    vc4_qpu_random_put(g, &insn);
}

bool vc4_qpu_random_fits(struct vc4_qpu_random_gen *g, const struct vc4_qpu_insn *insn, bool direct)
{
    g->window[2] = *insn;
    g->window[2].word = vc4_qpu_encode(insn);
    return vc4_qpu_fits(g->window, direct);
}

static const uint8_t add_ops[] = {
#define ADD_OP(name, text, operands, float_in, float_out) VC4_QPU_A_##name,
#include "isa/vc4_qpu/insns.inc"
};
static const uint8_t mul_ops[] = {
#define MUL_OP(name, text, operands, float_in, float_out) VC4_QPU_M_##name,
#include "isa/vc4_qpu/insns.inc"
};

static uint8_t random_cond(struct vc4_qpu_random_gen *g)
{
    return isa_random_one_in(&g->random, 2) ? VC4_QPU_COND_ALWAYS : (uint8_t)isa_random_below(&g->random, 8);
}

/* Files, accumulators, nowhere, the SFU: what any program may write. */
static uint8_t random_waddr(struct vc4_qpu_random_gen *g, bool file_b)
{
    uint32_t kept = file_b ? g->kept_b : g->kept_a;
    unsigned choice = isa_random_below(&g->random, 16);
    if (choice < 6 && !g->ending) {
        unsigned reg = isa_random_below(&g->random, g->files);
        return kept >> reg & 1 ? VC4_QPU_W_NOP : (uint8_t)reg;
    }
    if (choice < 12)
        return (uint8_t)(VC4_QPU_W_ACC0 + isa_random_below(&g->random, 4));
    if (choice < 13)
        return VC4_QPU_W_ACC5;
    if (choice < 14)
        return (uint8_t)(VC4_QPU_W_SFU_RECIP + isa_random_below(&g->random, 4));
    return VC4_QPU_W_NOP;
}

/* Fragment and vertex programs take their uniforms at fixed places of the stream, as drivers' programs do. */
static uint8_t random_raddr(struct vc4_qpu_random_gen *g)
{
    bool fragment = g->profile == VC4_QPU_RANDOM_FRAGMENT;
    bool uniform = !g->ending && (g->depth == 0 || g->profile < VC4_QPU_RANDOM_FRAGMENT);
    switch (isa_random_below(&g->random, 10)) {
    case 0: return uniform ? VC4_QPU_R_UNIFORM : VC4_QPU_R_NOP;
    case 1: return VC4_QPU_R_ELEMENT_QPU;
    case 2: return fragment ? VC4_QPU_R_XY : VC4_QPU_R_NOP;
    case 3: return fragment && isa_random_one_in(&g->random, 2) ? VC4_QPU_R_MS_REV : VC4_QPU_R_NOP;
    default: return g->ending ? 13 : (uint8_t)isa_random_below(&g->random, g->files);
    }
}

static void random_writes(struct vc4_qpu_random_gen *g, struct vc4_qpu_insn *insn)
{
    insn->ws = isa_random_one_in(&g->random, 2);
    insn->sf = isa_random_one_in(&g->random, 4);
    insn->cond_add = random_cond(g);
    insn->cond_mul = random_cond(g);
    insn->waddr_add = random_waddr(g, insn->ws);
    insn->waddr_mul = random_waddr(g, !insn->ws);
}

/* A pack that the table has. */
static void random_pack(struct vc4_qpu_random_gen *g, struct vc4_qpu_insn *insn)
{
    insn->pm = isa_random_one_in(&g->random, 2);
    insn->pack =
        insn->pm ? (uint8_t)(2 + isa_random_below(&g->random, 6)) : (uint8_t)isa_random_below(&g->random, 16);
    if (insn->pm && insn->pack < 3)
        insn->pack = 0;
}

/* Operations; both units twice as often as one. A nop that writes its zero is rare. */
static void random_ops(struct vc4_qpu_random_gen *g, struct vc4_qpu_insn *insn)
{
    unsigned halves = isa_random_below(&g->random, 4);
    insn->op_add =
        halves == 1 ? VC4_QPU_A_NOP : add_ops[isa_random_below(&g->random, UTIL_ARRAY_SIZE(add_ops))];
    insn->op_mul =
        halves == 2 ? VC4_QPU_M_NOP : mul_ops[isa_random_below(&g->random, UTIL_ARRAY_SIZE(mul_ops))];
    if (insn->op_add == VC4_QPU_A_NOP && !isa_random_one_in(&g->random, 16))
        insn->waddr_add = VC4_QPU_W_NOP;
    if (insn->op_mul == VC4_QPU_M_NOP && !isa_random_one_in(&g->random, 16))
        insn->waddr_mul = VC4_QPU_W_NOP;
}

static struct vc4_qpu_insn random_alu(struct vc4_qpu_random_gen *g)
{
    struct vc4_qpu_insn insn = blank();
    random_writes(g, &insn);
    random_ops(g, &insn);
    insn.raddr_a = random_raddr(g);
    insn.raddr_b = random_raddr(g);
    insn.add_a = (uint8_t)isa_random_below(&g->random, 8);
    insn.add_b = (uint8_t)isa_random_below(&g->random, 8);
    insn.mul_a = (uint8_t)isa_random_below(&g->random, 8);
    insn.mul_b = (uint8_t)isa_random_below(&g->random, 8);
    if (isa_random_one_in(&g->random, 3)) {
        random_pack(g, &insn);
        insn.unpack = (uint8_t)isa_random_below(&g->random, 8);
    }
    if (isa_random_one_in(&g->random, 4)) {
        insn.sig = VC4_QPU_SIG_SMALL_IMM;
        insn.raddr_b = (uint8_t)isa_random_below(&g->random, 48);
    } else if (isa_random_one_in(&g->random, 8)) {
        insn.sig = VC4_QPU_SIG_SMALL_IMM;
        insn.raddr_b = (uint8_t)(48 + isa_random_below(&g->random, 16));
        insn.mul_a = (uint8_t)isa_random_below(&g->random, 4);
        insn.mul_b = (uint8_t)isa_random_below(&g->random, 4);
        insn.add_a = (uint8_t)isa_random_below(&g->random, 7);
        insn.add_b = (uint8_t)isa_random_below(&g->random, 7);
    } else if (isa_random_one_in(&g->random, 32)) {
        insn.sig = isa_random_one_in(&g->random, 2) ? VC4_QPU_SIG_SCOREBOARD_UNLOCK : VC4_QPU_SIG_BREAKPOINT;
    }
    return insn;
}

static uint32_t random_immediate(struct vc4_qpu_random_gen *g)
{
    static const uint32_t corners[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                       0x7fc00000, 0x00000001, 0x00800000, 0x7f7fffff, 0xffffffff, 0x7fffffff,
                                       0x4f000000, 0xcf000000, 0x80ff017f, 0x3c007c01};
    uint32_t bits = (uint32_t)isa_random_next(&g->random);
    switch (isa_random_below(&g->random, 4)) {
    case 0: return corners[isa_random_below(&g->random, UTIL_ARRAY_SIZE(corners))];
    case 1: return bits >> isa_random_below(&g->random, 32);
    case 2:
        return (bits & 0x807fffff) | (118 + isa_random_below(&g->random, 18))
                                         << 23; /* floats of ordinary size */
    default: return bits;
    }
}

static struct vc4_qpu_insn random_load(struct vc4_qpu_random_gen *g)
{
    static const uint8_t modes[] = {0, 0, 1, 3}, kinds[] = {VC4_QPU_LOAD_IMM32, VC4_QPU_LOAD_IMM32,
                                                            VC4_QPU_LOAD_IMM_S2, VC4_QPU_LOAD_IMM_U2};
    struct vc4_qpu_insn insn = blank();
    unsigned mode = isa_random_below(&g->random, UTIL_ARRAY_SIZE(modes));
    insn.raddr_a = insn.raddr_b = 0;
    insn.kind = kinds[mode];
    insn.sig = VC4_QPU_SIG_LOAD_IMM;
    insn.unpack = modes[mode];
    random_writes(g, &insn);
    if (isa_random_one_in(&g->random, 4))
        random_pack(g, &insn);
    insn.imm = random_immediate(g);
    return insn;
}

/* Bends a candidate to what is asked; false when its kind cannot do it. */
static bool bend(struct vc4_qpu_random_gen *g, struct vc4_qpu_insn *insn, struct vc4_qpu_random_want want)
{
    bool alu = insn->kind == VC4_QPU_ALU, mul = isa_random_one_in(&g->random, 3);
    if (!alu && (want.raddr != UINT8_MAX || want.sig != UINT8_MAX))
        return false;
    if (want.sig != UINT8_MAX) {
        if (insn->sig != VC4_QPU_SIG_NONE)
            return false;
        insn->sig = want.sig;
    }
    if (want.raddr != UINT8_MAX) {
        bool file_b = insn->sig != VC4_QPU_SIG_SMALL_IMM && isa_random_one_in(&g->random, 2);
        uint8_t mux = file_b ? VC4_QPU_MUX_B : VC4_QPU_MUX_A;
        *(file_b ? &insn->raddr_b : &insn->raddr_a) = want.raddr;
        insn->add_a = insn->mul_a = mux;
    }
    if (want.waddr != UINT8_MAX) {
        uint8_t *cond = mul ? &insn->cond_mul : &insn->cond_add;
        if (alu && (mul ? insn->op_mul == VC4_QPU_M_NOP : insn->op_add == VC4_QPU_A_NOP))
            return false; /* writes nothing */
        *(mul ? &insn->waddr_mul : &insn->waddr_add) = want.waddr;
        if (!want.conditional || *cond == VC4_QPU_COND_NEVER)
            *cond = VC4_QPU_COND_ALWAYS;
    }
    return true;
}

static bool one_vpm_read(const struct vc4_qpu_insn *insn)
{
    return !(vc4_qpu_reads_a(insn, VC4_QPU_R_VPM) && vc4_qpu_reads_b(insn, VC4_QPU_R_VPM));
}

static struct vc4_qpu_insn plainest(struct vc4_qpu_random_want want)
{
    struct vc4_qpu_insn insn = blank();
    if (want.sig != UINT8_MAX)
        insn.sig = want.sig;
    if (want.raddr != UINT8_MAX)
        insn.raddr_a = want.raddr;
    if (want.waddr != UINT8_MAX) {
        insn.op_add = VC4_QPU_A_OR;
        insn.cond_add = VC4_QPU_COND_ALWAYS;
        insn.waddr_add = want.waddr;
    }
    return insn;
}

void vc4_qpu_random_insn(struct vc4_qpu_random_gen *g, struct vc4_qpu_random_want want)
{
    for (unsigned attempt = 0; attempt < 24; attempt++) {
        struct vc4_qpu_insn insn = isa_random_one_in(&g->random, 8) ? random_load(g) : random_alu(g);
        if (bend(g, &insn, want) && one_vpm_read(&insn) && vc4_qpu_random_fits(g, &insn, want.direct)) {
            vc4_qpu_random_put(g, &insn);
            return;
        }
    }
    struct vc4_qpu_insn insn = plainest(want);
    for (unsigned nops = 0; nops < 2 && !vc4_qpu_random_fits(g, &insn, want.direct); nops++)
        vc4_qpu_random_nop(g);
    vc4_qpu_random_put(g, &insn);
}
