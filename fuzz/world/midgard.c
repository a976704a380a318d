/* Sixteen random threads, for programs of Midgard: fragments, vertices or a workgroup, whatever they ask for. */
#include <string.h>

#include "isa/midgard/asm.h"
#include "util/bits.h"
#include "fuzz/random.h"
#include "fuzz/world/midgard.h"

/* In some lanes or in all, with helpers among them or not; registers and the tile as T720 has them, with its
 * tags or without; and in which arithmetic. */
static const char *const modes[] = {"some lanes",
                                    "all lanes",
                                    "some lanes, helpers",
                                    "all lanes, helpers",
                                    "some lanes, shared registers",
                                    "all lanes, shared registers",
                                    "some lanes, helpers, T720",
                                    "all lanes, helpers, T720",
                                    "first of several side by side",
                                    "last of several side by side",
                                    "fast, some lanes",
                                    "fast, all lanes",
                                    "fast, some lanes, helpers",
                                    "fast, all lanes, helpers",
                                    "fast, some lanes, shared registers",
                                    "fast, all lanes, shared registers",
                                    "fast, some lanes, helpers, T720",
                                    "fast, all lanes, helpers, T720",
                                    "fast, first of several side by side",
                                    "fast, last of several side by side",
                                    NULL};

struct midgard_program world_midgard_program(const void *program, unsigned mode)
{
    struct midgard_program out = *(const struct midgard_program *)program;
    const unsigned layout = layout_of(mode);
    out.traits.shared_registers = out.traits.tile_by_special = layout & SHARED;
    out.traits.no_writeout_tags = layout & SHARED && layout & HELPERS;
    return out;
}

static struct midgard_input input_of(const struct world_midgard *w)
{
    return (struct midgard_input){.uniform = (const uint32_t(*)[4])w->uniform,
                                  .uniform_count = UNIFORMS,
                                  .address = w->address,
                                  .lanes = w->lanes,
                                  .helpers = w->helpers,
                                  .fuel = FUEL};
}

static void settle(void *world, const void *program)
{
    struct world_midgard *w = world;
    struct midgard_input input = input_of(w);
    midgard_start(&input, &w->state);
}

static void fill(void *world, const void *program, unsigned mode, uint64_t seed)
{
    struct world_midgard *w = world;
    uint32_t *words = world;
    const unsigned layout = layout_of(mode);
    memset(w, 0, sizeof *w);
    w->lanes = layout & ALL_LANES || layout >= SIDE_BY_SIDE ? 0xffff : (uint16_t)random_next(&seed);
    w->helpers = layout & HELPERS ? w->lanes & (uint16_t)random_next(&seed) : 0;
    for (size_t n = 0; n < offsetof(struct world_midgard, address) / 4; n++)
        words[n] = random_word(&seed);
    w->address = random_next(&seed) & ~(uint64_t)15;
    settle(world, program);
    memcpy(w->reg, w->state.reg, sizeof w->reg);
}

/* ---- interpreter ---- */

/* The sixteen are all of their workgroup: barriers are passed as soon as all wait. */
static void run(const void *program, unsigned mode, void *world)
{
    struct world_midgard *w = world;
    struct midgard_ports own = world_midgard_ports;
    static struct midgard_state state;
    struct midgard_report report;
    struct midgard_input input = input_of(w);
    struct midgard_program as = world_midgard_program(program, mode);
    own.ctx = w;
    own.numeric = numeric_of(mode);
    midgard_start(&input, &state);
    do {
        midgard_run(&as, &own, &state, &report, NULL, NULL);
        w->executed += report.executed;
    } while (!report.fault && state.running);
    w->fault = isa_fault_pack(report.fault, report.place.lane, report.at);
    w->fault_address = report.place.address;
    w->live = state.live;
    memcpy(w->reg, state.reg, sizeof w->reg);
}

/* ---- comparing ---- */

/* r24, r25 and r31 are each bundle's own. */
static bool is_left(unsigned reg)
{
    return reg != MIDGARD_R_FORWARD && reg != MIDGARD_R_FORWARD + 1 && reg != MIDGARD_R_SELECT;
}

static bool same(const void *program, unsigned mode, const void *input, const void *expected, const void *got)
{
    const struct world_midgard *x = expected, *y = got;
    if (x->fault != y->fault || x->fault_address != y->fault_address)
        return world_differs("fault %x at %llx, expected %x at %llx", y->fault,
                             (unsigned long long)y->fault_address, x->fault,
                             (unsigned long long)x->fault_address);
    if (x->fault)
        return true;
    if (x->executed != y->executed || x->live != y->live)
        return world_differs("%llu instructions, live %04x, expected %llu, %04x",
                             (unsigned long long)y->executed, y->live, (unsigned long long)x->executed,
                             x->live);
    if (memcmp(x->memory, y->memory, sizeof x->memory) != 0 ||
        memcmp(x->stored, y->stored, sizeof x->stored) != 0)
        return world_differs("memory, or what was stored, differs");
    if (memcmp(x->tile, y->tile, sizeof x->tile) != 0 ||
        memcmp(x->written, y->written, sizeof x->written) != 0)
        return world_differs("the tile, or what was written out, differs");
    for (unsigned l = 0; l < 16; l++)
        for (unsigned n = 0; x->lanes >> l & 1 && n < MIDGARD_REGISTERS * 4; n++)
            if (is_left(n / 4) && x->reg[n / 4][n % 4][l] != y->reg[n / 4][n % 4][l])
                return world_differs("lane %u: r%u.%c is %08x, expected %08x", l, n / 4, "xyzw"[n % 4],
                                     y -> reg[n / 4][n % 4][l], x -> reg[n / 4][n % 4][l]);
    return true;
}

static void count(const void *world, struct world_outcome *outcome)
{
    const struct world_midgard *w = world;
    unsigned lanes = (unsigned)__builtin_popcount(w->lanes);
    outcome->lanes += lanes;
    outcome->faulted += w->fault ? lanes : 0;
    outcome->discarded += (unsigned)__builtin_popcount(w->lanes & ~w->live);
}

static bool returns(const void *words, uint32_t quads)
{
    return world_returns(&midgard_set, midgard_disasm, words, quads, NULL);
}

/* A few bits, but not those of tags and units, which say how long an instruction is; of what is none, of a word. */
static void turn(void *program, uint32_t count, uint64_t *seed)
{
    uint8_t *bytes = program;
    for (uint32_t n = random_turned(seed), at = 0; n; n--) {
        struct midgard_insn insn;
        uint32_t length = midgard_decode(program, count, at, &insn), skipped = random_next(seed) % 16;
        for (; skipped; skipped--, length = midgard_decode(program, count, at, &insn))
            at = at + length < count ? at + length : 0;
        uint32_t bit = random_next(seed) % (UTIL_MAX(length, 1u) * 128);
        if (bit >= 28 || (bit >= 8 && bit < 16))
            bytes[at * 16 + bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

#define LANES "mov r0, lid.x, zero.x, 0 ; mov r26, lid.x, zero.x, 0 ; next alu1\n"

static const char *const texts[] = {
    /* functions of what is known to be zero, to which sums add numbers too small to be kept */
    "vlut.fatan2_pt2.32 r1, r21, -|r1| ; stop",
    "vlut.fsinpi.32 r1, -|r1|, #0 ; next alu1\nvadd.fadd.32 r2, r21, r1 ; stop",
    "vlut.fatan2_pt2.32 r3, -r1, -|r1| ; next alu1\nvadd.fadd.32 r2, r21, r3 ; stop",
    /* a barrier in a loop that some lanes leave sooner, and one that some do not come to */
    LANES "sadd.iand.full r1.x, r0.y, #3 ; next alu1\n"
          "again: sadd.iadd.full r0.x, r0.x, #7 ; next bar\nbarrier ; next ldst\n"
          "atomic_add r2, zero.z, zero.x.s32, 64, al0.x ; nop ; next alu2\n"
          "vmul.iadd.32 r26, r26, r2 ; sadd.iadd.full r1.x, r1.x, #-1 ; next alu2\n"
          "sadd.ilt.full r31.w, r24.x, r1.x ; brx.true again, alu1 ; next alu2\n"
          "sadd.iand.full r31.w, r0.z, #1 ; br.true on, bar ; next bar\n"
          "barrier ; next bar\non: barrier ; exec kill ; next alu1\nvmul.iadd.32 r2, r2, r26 ; stop",
    /* a loop that lanes leave for good when fuel is used up; nothing else faults */
    LANES "sadd.iand.full r1.x, r0.y, #3 ; next alu1\n"
          "again: vmul.iadd.32 r4, r4, r0 ; next alu2\n"
          "sadd.ine.full r31.w, r24.x, r1.x ; brx.true again, alu1 ; next alu1\n"
          "vmul.iadd.32 r2, r4, r0 ; stop",
    /* helpers end between two derivatives; atomics give them 0 */
    LANES "vmul.imov.32 r28, r24, r0 ; next tex\nderivative.2d.0.f out0, in0, 0, 0 ; exec kill ; next ldst\n"
          "atomic_xchg r1, zero.z, zero.x.s32, 8, al0.x ; st_32 al0, zero.z, zero.x.s32, 72 ; next tex\n"
          "derivative.2d.1.f out1, in0, 0, 0 ; stop",
    /* both branches of a bundle, both backward; some lanes run out of fuel */
    LANES "again: vmul.iadd.32 r0, r0, #0x1111 ; vadd.iand.32 r31, r24, #9 ; next alu3\n"
          "vmul.iand.32 r31, r0, #12 ; brx.lut0a3c again, alu2 ; br.true again, alu2 ; next alu1\n"
          "sadd.iadd.full r1.x, r0.x, #1 ; stop",
    /* two writeouts of a bundle, where lanes discard behind it */
    LANES "vmul.iand.32 r31, r0, #3 ; sadd.imov.full r1.x, r24.x, #5 ; br.false on, alu2 ; next alu2\n"
          "on: vmul.iand.32 r31, r0, #1 ; write.true +0, alu2 ; writex.lutaaaa +0, alu2 ; next alu1\n"
          "vmul.iand.32 r31, r0, #2 ; discard.true +0, t0 ; next alu1\n"
          "vmul.imov.32 r1, r24, #0x102 ; writex.always +0, alu1 ; stop",
    /* constants that a branch hides: denormal, 1, 0 */
    LANES "vmul.imov.32 r1, r24, r26 ; vadd.iand.32 r31, r0, #1 ; br.true on, alu2 ; "
          "const 0x1234, 0x80001234, 0x3f800000, 0x80000000 ; next alu1\n"
          "vmul.iadd.32 r1, r1, #0 ; next alu2\n"
          "on: vmul.fmul.32 r2, r1, r1.zzzz ; vadd.fmax.32 r3, r1, r1.wwww ; next alu2\n"
          "vmul.fadd.32 r4, r1, r1.wwww ; vadd.fne.32 r5, r1, #0.0 ; stop",
    /* halves that are chosen, and computed with */
    LANES "vmul.fadd.16 r3, r0.rl, #0.125 ; vadd.fmul.16 r4, r0.swap, r26 ; next alu2\n"
          "sadd.iand.full r31.w, r0.x, #1 ; smul.icsel.half r5.h1, r3.h2.zx, r4.h0.zx ; next alu2\n"
          "vmul.iand.32 r31, r0, #2 ; vadd.icsel.32.lo r6.xyz, r3.zyxx.el.zx, r4.eh ; next alu2\n"
          "vmul.iand.16 r31, r0, #4 ; vadd.fcsel_v.16 r7, r3, -|r4| ; next alu2\n"
          "vmul.iand.32 r31, r0, #8 ; vadd.fcsel.32.hi r6, -r3.el, |r4.eh| ; next alu2\n"
          "sadd.iand.full r31.w, r0.x, #2 ; smul.icsel.full r8.w, r3.h1, r4.h6 ; next alu2\n"
          "sadd.iand.full r31.w, r0.x, #4 ; smul.icsel.half r8.h1, r3.h1.shl, r4.h6.zx ; next alu2\n"
          "vmul.iand.32 r31, r0, #1 ; vadd.icsel.32.lo.ssat r9, r3.el, r4.el ; next alu2\n"
          "vmul.iand.16 r31, r0, #1 ; vadd.icsel.16.lo.hi r10, r3, r4 ; next alu2\n"
          "vmul.fadd.16 r11, r5, r6 ; vadd.fmul.16 r12, r7, r8 ; next alu2\n"
          "vmul.fadd.16 r13, r9, r10 ; vadd.fmul.32 r14, r6.el, r8.eh ; stop",
    /* zeros that another block began with, as halves, to which a denormal is added */
    "vmul.imov.32 r1, r24, r26 ; const 0x1234, 0x80001234, 0xffff, 0x1 ; br.true on, alu1 ; next alu1\n"
    "vmul.fadd.16 r4.x, r4, r21 ; next alu1\non: vadd.fadd.32 r2, -r4.eh, r1 ; stop",
    /* halves that are kept from block to block, moved, rounded by a move of words, and beyond their range in a loop */
    LANES "vmul.fmul.16 r3, r0.rl, r0.rh ; next alu1\nvadd.fadd.16 r4, r3, r0.swap ; next alu2\n"
          "again: vmul.fmul.16 r4, r4, #1.375 ; vadd.imov.16 r5, r24, r4.swap ; next alu2\n"
          "vmul.imov.32 r27, r24, r4 ; smul.imov.full r6.y, r24.x, r4.z ; next ldst\n"
          "mov r7, al1.x, zero.x, 0 ; mov r5.y, al1.x, zero.x, 0 ; next alu2\n"
          "vmul.iadd.32 r0, r0, #0x1111 ; sadd.iand.full r31.w, r0.x, #12 ; br.true again, alu2 ; next alu2\n"
          "vadd.fadd.32 r8, r4.el, #0.0 ; vmul.fadd.16 r9, r5, r6 ; next alu2\n"
          "vmul.fmul.32 r10, r6.el, r7.eh ; vadd.fmax.16 r11, r4, r7 ; stop",
    /* halves beyond their range that a block leaves behind which helpers end, and the next one, which branches, as they are */
    LANES "vmul.fmov.16 r1, r24, #0x7bff ; vadd.iand.32 r31, r0, #1 ; next alu1\n"
          "vmul.fadd.16 r4, r1, r1 ; next tex\n"
          "derivative.2d.0.f out0, in0, 0, 0 ; exec kill ; next alu2\n"
          "vmul.iand.32 r31, r0, #1 ; br.true on, alu1 ; next alu1\n"
          "vmul.fmul.16 r4, r4, #0.25 ; next alu1\non: vmul.fmul.16 r5, r4, #0.5 ; next alu1\n"
          "vadd.fadd.32 r6, r5.el, #0.0 ; stop",
    /* halves of before a barrier, which are rounded there, and of a loop around one */
    LANES
    "vmul.fadd.16 r3, r0.rl, #0.125 ; vadd.fmul.16 r4, r0.swap, r0 ; next alu1\n"
    "again: vmul.fmul.16 r4, r4, r3 ; next alu1\nvadd.fadd.32 r5, r4.el, #0.0 ; next bar\nbarrier ; next "
    "alu2\n"
    "vmul.fadd.32 r6, r4.eh, r3.el ; vadd.fmul.16 r4, r4, #0.75 ; next alu2\n"
    "sadd.iadd.full r1.x, r1.x, #1 ; next alu2\n"
    "sadd.ilt.full r31.w, r1.x, #3 ; br.true again, alu1 ; next alu1\nvadd.fadd.32 r7, r4.el, #0.0 ; stop",
    /* halves as coordinates, and as what textures give; numbers of 32 bits that are too small for a half, and too great */
    LANES "vmul.fmul.16 r28, r0.rl, r0.rh ; vadd.fadd.32.hi r28, r0, r21 ; next tex\n"
          "tex.2d.1.f.sat out0.half.xyz/xyzz, in0.half, 3, 1 ; next tex\n"
          "tex.2d.1.f out1.half.upper, in0.half.upper, 3, 1 ; next alu2\n"
          "vmul.fmax.16 r3, r28, r29 ; vadd.fmov.32.lo r4, r24, r0 ; next alu2\n"
          "vmul.fadd.32 r5, r28.el, r29.eh ; vadd.fmin.16.sat1 r6, r4, -|r4| ; next alu2\n"
          "vmul.fadd.32 r7, r4.el, r6.el ; vadd.fmov.16.pos r8, r24, -r4 ; stop",
    /* tags of a writeout, which not all GPUs have */
    "vmul.imov.32 r0, r24, #1 ; writex.always +0, alu2w ; writeout ; stop",
    NULL,
};
enum { A = MIDGARD_RANDOM_ARITHMETIC, S = MIDGARD_RANDOM_STRAIGHT, F = MIDGARD_RANDOM_FULL };

static const struct world_field fields[] = {
    WORLD_FIELD(struct world_midgard, uniform, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world_midgard, table, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world_midgard, buffer, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world_midgard, argument, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world_midgard, address, 8, WORLD_GIVEN),
    WORLD_FIELD(struct world_midgard, lanes, 2, WORLD_GIVEN),
    WORLD_FIELD(struct world_midgard, helpers, 2, WORLD_GIVEN),
    WORLD_FIELD(struct world_midgard, tile, 4, WORLD_GIVEN | WORLD_LEFT),
    WORLD_FIELD(struct world_midgard, memory, 1, WORLD_GIVEN | WORLD_LEFT),
    WORLD_FIELD(struct world_midgard, stored, 4, WORLD_GIVEN | WORLD_LEFT),
    WORLD_FIELD(struct world_midgard, written, 4, WORLD_GIVEN | WORLD_LEFT),
    WORLD_FIELD(struct world_midgard, reg, 4, WORLD_GIVEN | WORLD_LEFT),
    WORLD_FIELD(struct world_midgard, live, 2, WORLD_LEFT),
    WORLD_FIELD(struct world_midgard, fault, 4, WORLD_LEFT),
    WORLD_FIELD(struct world_midgard, fault_address, 8, WORLD_LEFT),
    WORLD_FIELD(struct world_midgard, executed, 8, WORLD_LEFT),
    {0},
};

const struct world_set world_midgard = {
    .isa = &midgard_set,
    .bytes = sizeof(struct world_midgard),
    .modes = modes,
    .fields = fields,
    .fill = fill,
    .settle = settle,
    .run = run,
    .emit = world_midgard_emit,
    .same = same,
    .count = count,
    .returns = returns,
    .texts = texts,
    .text_inputs = 16,
    .random = {.usual = 300,
               .capacity = 1024,
               .profiles = {A, F, S, A, F, F, S, F, A, S, F, F},
               .optimised = 1,
               .inputs = 8,
               .refused = 10,
               .turn = turn},
};
