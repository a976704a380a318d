/* Random programs: registers filled, then a tree of straight runs, forward branches and counted loops, then
 * the end. What touches the world (textures, varyings, VPM, tile buffer) stays outside branches, in amounts
 * that balance, so that every path does the same. */
#include "isa/vc4_qpu/asm.h"

#include <string.h>

#include "isa/vc4_qpu/random_internal.h"
#include "util/bits.h"

#define LONGEST 192 /* words; loops make them many steps */

#define MOST     3  /* words that vc4_qpu_random_insn may take */
#define NESTED   12 /* words that close a branch or a loop */
#define FINISHED 8  /* words of a last write and the program end */

static const struct vc4_qpu_random_want anything = {UINT8_MAX, UINT8_MAX, UINT8_MAX, false, false};

/* Whether `words` more leave enough for closing all that is open. */
static bool room(const struct vc4_qpu_random_gen *g, uint32_t words)
{
    uint32_t results = g->outstanding[0] + g->outstanding[1] + g->vpm_reads;
    return g->count + words + results * MOST + g->depth * NESTED + FINISHED <= g->capacity;
}

static void some(struct vc4_qpu_random_gen *g, unsigned most)
{
    for (unsigned n = isa_random_below(&g->random, most + 1); n && room(g, 1); n--)
        vc4_qpu_random_insn(g, anything);
}

/* Two instructions that suit whatever came before on any path: control joins here. */
static void join(struct vc4_qpu_random_gen *g)
{
    vc4_qpu_random_nop(g);
    vc4_qpu_random_nop(g);
}

static void put_ldi(struct vc4_qpu_random_gen *g, bool file_b, unsigned waddr, uint32_t imm)
{
    struct vc4_qpu_insn insn = {.kind = VC4_QPU_LOAD_IMM32,
                                .sig = VC4_QPU_SIG_LOAD_IMM,
                                .cond_add = VC4_QPU_COND_ALWAYS,
                                .ws = file_b,
                                .waddr_add = (uint8_t)waddr,
                                .waddr_mul = VC4_QPU_W_NOP,
                                .imm = imm};
    vc4_qpu_random_put(g, &insn);
}

/* The branch and its delay slots; its distance is filled in by land(). Returns the branch's place. */
static uint32_t put_branch(struct vc4_qpu_random_gen *g, unsigned cond)
{
    struct vc4_qpu_insn insn = {.kind = VC4_QPU_BRANCH,
                                .sig = VC4_QPU_SIG_BRANCH,
                                .branch_cond = (uint8_t)cond,
                                .branch_rel = !isa_random_one_in(&g->random, 4),
                                .waddr_add = VC4_QPU_W_NOP,
                                .waddr_mul = VC4_QPU_W_NOP};
    uint32_t at = g->count;
    if (isa_random_one_in(&g->random, 3)) { /* the link stays in a register, to be computed with */
        insn.ws = isa_random_one_in(&g->random, 2);
        unsigned reg = isa_random_below(&g->random, g->files),
                 acc = VC4_QPU_W_ACC0 + isa_random_below(&g->random, 4);
        bool kept = (insn.ws ? g->kept_b : g->kept_a) >> reg & 1;
        insn.waddr_add = kept ? VC4_QPU_W_NOP : (uint8_t)reg;
        insn.waddr_mul = isa_random_one_in(&g->random, 2) ? VC4_QPU_W_NOP : (uint8_t)acc;
    }
    vc4_qpu_random_put(g, &insn);
    for (unsigned slot = 0; slot < 3; slot++)
        vc4_qpu_random_insn(g, anything);
    return at;
}

/* Aims the branch at `at` to instruction `target`. */
static void land(struct vc4_qpu_random_gen *g, uint32_t at, uint32_t target)
{
    struct vc4_qpu_insn insn;
    vc4_qpu_decode(g->words[at], &insn);
    insn.imm = insn.branch_rel ? (target - (at + 4)) * 8 : target * 8;
    g->words[at] = vc4_qpu_encode(&insn);
}

static void statements(struct vc4_qpu_random_gen *g, unsigned most);

static unsigned random_branch_cond(struct vc4_qpu_random_gen *g)
{
    return isa_random_one_in(&g->random, 12) ? VC4_QPU_BR_ALWAYS : isa_random_below(&g->random, 12);
}

/* brr else; ...; [brr end; else: ...;] end: */
static void put_if(struct vc4_qpu_random_gen *g)
{
    unsigned cond = random_branch_cond(g);
    uint32_t skip = put_branch(g, cond);
    g->depth++;
    statements(g, 4);
    if (cond != VC4_QPU_BR_ALWAYS && isa_random_one_in(&g->random, 2) && room(g, 24)) {
        uint32_t over = put_branch(g, VC4_QPU_BR_ALWAYS);
        land(g, skip, g->count);
        join(g);
        statements(g, 4);
        skip = over;
    }
    g->depth--;
    land(g, skip, g->count);
    join(g);
}

/* The ways to count: what is added each time, where to start from n, and the flags that say "once more". */
static const struct {
    uint8_t op;
    int8_t sign;
    uint8_t cond;
} counts[] = {
    {VC4_QPU_A_SUB, 1, VC4_QPU_BR_ANY_ZC},  {VC4_QPU_A_SUB, 1, VC4_QPU_BR_ALL_ZC},
    {VC4_QPU_A_ADD, -1, VC4_QPU_BR_ANY_NS}, {VC4_QPU_A_ADD, -1, VC4_QPU_BR_ALL_NS},
    {VC4_QPU_A_ADD, -1, VC4_QPU_BR_ANY_CC}, {VC4_QPU_A_ADD, -1, VC4_QPU_BR_ALL_CC},
};

/* counter = n; loop: ...; counter = counter -+ 1, flags; brr loop. The counter is a register that nothing
 * else writes, the same in all lanes. */
static void put_loop(struct vc4_qpu_random_gen *g)
{
    unsigned times = 1 + isa_random_below(&g->random, UTIL_MIN(4, g->fuel / g->iterations));
    unsigned way = isa_random_below(&g->random, UTIL_ARRAY_SIZE(counts));
    bool file_b = isa_random_one_in(&g->random, 2);
    uint32_t *kept = file_b ? &g->kept_b : &g->kept_a, before = *kept;
    unsigned reg = isa_random_below(&g->random, g->files);
    while (*kept >> reg & 1)
        reg = (reg + 1) % g->files;
    *kept |= 1u << reg;
    put_ldi(g, file_b, reg, (uint32_t)(counts[way].sign * (int)times));
    uint32_t top = g->count;
    join(g);
    unsigned around = g->iterations;
    g->fuel -= times * around;
    g->iterations *= times;
    g->depth++;
    statements(g, 4);
    join(g);
    /* Small immediates take file B's place, so a counter there passes through an accumulator. */
    struct vc4_qpu_insn step = {.kind = VC4_QPU_ALU,
                                .sig = VC4_QPU_SIG_NONE,
                                .cond_add = VC4_QPU_COND_ALWAYS,
                                .sf = true,
                                .ws = file_b,
                                .waddr_add = (uint8_t)reg,
                                .waddr_mul = VC4_QPU_W_NOP,
                                .op_add = counts[way].op,
                                .raddr_a = VC4_QPU_R_NOP,
                                .raddr_b = VC4_QPU_R_NOP,
                                .add_a = VC4_QPU_MUX_A,
                                .add_b = VC4_QPU_MUX_B};
    if (file_b) {
        put_ldi(g, false, VC4_QPU_W_ACC3, 1);
        step.add_a = VC4_QPU_MUX_B;
        step.add_b = VC4_QPU_MUX_R3;
        step.raddr_b = (uint8_t)reg;
    } else {
        step.sig = VC4_QPU_SIG_SMALL_IMM;
        step.raddr_a = (uint8_t)reg;
        step.raddr_b = 1;
    }
    vc4_qpu_random_put(g, &step);
    land(g, put_branch(g, counts[way].cond), top);
    g->depth--;
    g->iterations = around;
    *kept = before;
}

/* A subroutine: a linking branch to code that returns by a computed branch. */
static void put_call(struct vc4_qpu_random_gen *g)
{
    struct vc4_qpu_insn call = {.kind = VC4_QPU_BRANCH,
                                .sig = VC4_QPU_SIG_BRANCH,
                                .branch_cond = VC4_QPU_BR_ALWAYS,
                                .branch_rel = true,
                                .waddr_add = 12,
                                .waddr_mul = VC4_QPU_W_NOP};
    uint32_t kept = g->kept_a, at = g->count;
    g->kept_a |= 1u << 12;
    g->fuel--;
    vc4_qpu_random_put(g, &call);
    for (unsigned slot = 0; slot < 3; slot++)
        vc4_qpu_random_nop(g);
    uint32_t over = put_branch(g, VC4_QPU_BR_ALWAYS); /* the return comes here, and passes the subroutine */
    land(g, at, g->count);
    join(g);
    g->depth++;
    some(g, 6);
    g->depth--;
    struct vc4_qpu_insn back = {.kind = VC4_QPU_BRANCH,
                                .sig = VC4_QPU_SIG_BRANCH,
                                .branch_cond = VC4_QPU_BR_ALWAYS,
                                .branch_reg = true,
                                .branch_raddr = 12,
                                .waddr_add = VC4_QPU_W_NOP,
                                .waddr_mul = VC4_QPU_W_NOP};
    vc4_qpu_random_put(g, &back);
    for (unsigned slot = 0; slot < 3; slot++)
        vc4_qpu_random_nop(g);
    land(g, over, g->count);
    join(g);
    g->kept_a = kept;
}

static void load_texture(struct vc4_qpu_random_gen *g, unsigned unit)
{
    struct vc4_qpu_random_want load = anything;
    load.sig = unit ? VC4_QPU_SIG_LOAD_TMU1 : VC4_QPU_SIG_LOAD_TMU0;
    vc4_qpu_random_insn(g, load);
    if (--g->outstanding[unit] == 0)
        g->slots[unit] = 0;
}

static void drain_textures(struct vc4_qpu_random_gen *g)
{
    for (unsigned unit = 0; unit < 2; unit++)
        while (g->outstanding[unit])
            load_texture(g, unit);
}

/* [R] [T] [B] S; or S alone: a direct lookup. */
static void put_texture(struct vc4_qpu_random_gen *g)
{
    unsigned unit = isa_random_below(&g->random, 2), base = unit ? VC4_QPU_W_TMU1_S : VC4_QPU_W_TMU0_S;
    struct vc4_qpu_random_want write = anything;
    bool direct = isa_random_one_in(&g->random, 4);
    if (g->slots[unit] + vc4_qpu_tmu_slots(direct) > VC4_QPU_TMU_SLOTS)
        drain_textures(g);
    g->slots[unit] += vc4_qpu_tmu_slots(direct);
    for (unsigned reg = 3; reg > 0; reg--)
        if (!direct && (reg == 1 || isa_random_one_in(&g->random, 4))) {
            write.waddr = (uint8_t)(base + reg);
            vc4_qpu_random_insn(g, write);
            some(g, 1);
        }
    write.waddr = (uint8_t)base;
    write.direct = direct;
    vc4_qpu_random_insn(g, write);
    g->outstanding[unit]++;
}

static void read_varying(struct vc4_qpu_random_gen *g)
{
    struct vc4_qpu_random_want read = anything;
    read.raddr = VC4_QPU_R_VARYING;
    vc4_qpu_random_insn(g, read);
    g->varyings--;
}

static void read_vpm(struct vc4_qpu_random_gen *g)
{
    struct vc4_qpu_random_want read = anything;
    read.raddr = VC4_QPU_R_VPM;
    vc4_qpu_random_insn(g, read);
    g->vpm_reads--;
}

static void write_vpm(struct vc4_qpu_random_gen *g)
{
    struct vc4_qpu_random_want write = anything;
    write.waddr = VC4_QPU_W_VPM;
    write.conditional = true;
    vc4_qpu_random_insn(g, write);
    g->vpm_writes--;
}

/* Something of the profile's own kind, outside branches. */
static void put_special(struct vc4_qpu_random_gen *g)
{
    if (g->profile == VC4_QPU_RANDOM_VERTEX) {
        if (g->vpm_reads && isa_random_one_in(&g->random, 2))
            read_vpm(g);
        else if (g->vpm_writes)
            write_vpm(g);
        return;
    }
    if (g->switches && isa_random_one_in(&g->random, 6)) {
        struct vc4_qpu_random_want last = anything;
        last.sig = VC4_QPU_SIG_LAST_THREAD_SWITCH;
        g->switches = false;
        vc4_qpu_random_insn(g, last);
        join(g);
        return;
    }
    unsigned choice = isa_random_below(&g->random, 3), unit = isa_random_below(&g->random, 2);
    if (choice == 0 && g->varyings)
        read_varying(g);
    else if (choice == 1)
        put_texture(g);
    else if (g->outstanding[unit])
        load_texture(g, unit);
}

static void statement(struct vc4_qpu_random_gen *g)
{
    bool branches = g->profile != VC4_QPU_RANDOM_ALU, special = g->profile >= VC4_QPU_RANDOM_FRAGMENT;
    if (special && g->depth == 0 && room(g, 24) && isa_random_one_in(&g->random, 3)) {
        put_special(g);
        return;
    }
    bool nest = branches && g->depth < 3 && room(g, 40) && isa_random_one_in(&g->random, 8);
    if (!nest) {
        vc4_qpu_random_insn(g, anything);
        return;
    }
    drain_textures(g);
    if (g->fuel >= g->iterations && isa_random_one_in(&g->random, 3))
        put_loop(g);
    else if (g->profile == VC4_QPU_RANDOM_BRANCHES && g->depth == 0 && g->fuel &&
             isa_random_one_in(&g->random, 24))
        put_call(g);
    else
        put_if(g);
}

static void statements(struct vc4_qpu_random_gen *g, unsigned most)
{
    for (unsigned n = isa_random_below(&g->random, most + 1); n && room(g, 8); n--)
        statement(g);
}

static const struct vc4_qpu_insn fill = {.kind = VC4_QPU_ALU,
                                         .sig = VC4_QPU_SIG_NONE,
                                         .cond_add = VC4_QPU_COND_ALWAYS,
                                         .cond_mul = VC4_QPU_COND_ALWAYS,
                                         .op_add = VC4_QPU_A_OR,
                                         .op_mul = VC4_QPU_M_V8MIN,
                                         .raddr_b = VC4_QPU_R_NOP};

/* Values that differ, and lanes that differ, before chance begins. */
static void fill_registers(struct vc4_qpu_random_gen *g)
{
    join(g); /* no scoreboard wait in the first two */
    for (unsigned i = 0; i < 8 && room(g, 1); i++) {
        struct vc4_qpu_insn insn = fill;
        insn.raddr_a = i % 4 == 3 ? VC4_QPU_R_ELEMENT_QPU : VC4_QPU_R_UNIFORM;
        insn.add_a = insn.add_b = VC4_QPU_MUX_A;
        insn.mul_a = insn.mul_b = VC4_QPU_MUX_A;
        insn.waddr_add = (uint8_t)(VC4_QPU_W_ACC0 + i % 4);
        insn.waddr_mul = (uint8_t)isa_random_below(&g->random, g->files);
        insn.ws = isa_random_one_in(&g->random, 2);
        if (vc4_qpu_random_fits(g, &insn, false))
            vc4_qpu_random_put(g, &insn);
    }
}

/* 32-bit, horizontal, stride 1 (Guide tables 32 and 33). */
static void set_up_vpm(struct vc4_qpu_random_gen *g)
{
    if (!room(g, 4 + 8 * MOST))
        return;
    g->vpm_reads = 1 + isa_random_below(&g->random, 8);
    g->vpm_writes = 1 + isa_random_below(&g->random, 8);
    put_ldi(g, false, VC4_QPU_W_VPM_SETUP, 0x1a00 | isa_random_below(&g->random, 8) | g->vpm_reads << 20);
    put_ldi(g, true, VC4_QPU_W_VPM_SETUP, 0x1a00 | isa_random_below(&g->random, 4));
    vc4_qpu_random_nop(g);
}

/* Everything begun is finished; a fragment program writes its pixel. */
static void finish_world(struct vc4_qpu_random_gen *g)
{
    struct vc4_qpu_random_want write = anything;
    drain_textures(g);
    while (g->vpm_reads)
        read_vpm(g);
    if (g->profile != VC4_QPU_RANDOM_FRAGMENT)
        return;
    write.conditional = true;
    if (isa_random_one_in(&g->random, 8) && room(g, MOST)) {
        write.waddr = VC4_QPU_W_TLB_STENCIL;
        vc4_qpu_random_insn(g, write);
    }
    if (isa_random_one_in(&g->random, 2) && room(g, MOST)) {
        write.waddr = VC4_QPU_W_TLB_Z;
        vc4_qpu_random_insn(g, write);
    }
    if (isa_random_one_in(&g->random, 2) && room(g, MOST + 2)) {
        struct vc4_qpu_random_want load = anything;
        load.sig = VC4_QPU_SIG_COLOR_LOAD;
        vc4_qpu_random_insn(g, load);
        some(g, 2);
    }
    write.waddr = VC4_QPU_W_TLB_COLOR_ALL;
    vc4_qpu_random_insn(g, write);
}

/* The program end and its delay slots, which may still compute. */
static void put_end(struct vc4_qpu_random_gen *g)
{
    struct vc4_qpu_random_want end = anything;
    end.sig = VC4_QPU_SIG_PROGRAM_END;
    g->ending = true;
    vc4_qpu_random_insn(g, end);
    vc4_qpu_random_insn(g, anything);
    vc4_qpu_random_insn(g, anything);
}

uint32_t vc4_qpu_random(uint64_t seed, unsigned profile, void *words, uint32_t capacity)
{
    struct vc4_qpu_random_gen g = {.random = {seed * 4 + profile},
                                   .profile = profile,
                                   .words = words,
                                   .capacity = UTIL_MIN(capacity, (uint32_t)LONGEST),
                                   .files = 32,
                                   .iterations = 1,
                                   .fuel = 16,
                                   .varyings = 8};
    g.switches = profile == VC4_QPU_RANDOM_FRAGMENT && isa_random_one_in(&g.random, 6);
    g.files = g.switches ? 16 : 32;
    fill_registers(&g);
    if (profile == VC4_QPU_RANDOM_VERTEX)
        set_up_vpm(&g);
    unsigned length = 1 + isa_random_below(&g.random, LONGEST);
    while (g.count < length && room(&g, MOST))
        statement(&g);
    finish_world(&g);
    put_end(&g);
    return g.count;
}
