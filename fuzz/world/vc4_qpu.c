/* An imaginary world for sixteen lanes of a QPU: arithmetic on arrays; its log depends on the order of
 * everything that is written to it. Every register, flag, fault and effect is compared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/vc4_qpu/asm.h"
#include "isa/vc4_qpu/interp.h"
#include "isa/vc4_qpu/trans.h"
#include "fuzz/random.h"
#include "fuzz/world/vc4_qpu.h"
#include "util/bits.h"

#define UNIFORMS_BASE 0x1000u
#define LOG_FACTOR    0x01000193u

/* ---- random numbers and values ---- */

static uint32_t random_value(uint64_t *state)
{
    static const uint32_t corners[] = {
        0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
        0x7f800001, 0xff812345, 0x7fffffff, 0xffffffff, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff,
        0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x4f000000, 0xcf000000, 0x4effffff, 0xcf000001,
        0x3f000000, 0x437f0000, 0x33800000, 0x38800000, 0x387fe000, 0x387fffff, 0x387fdfff, 0x477ff000,
        0x477fefff, 0xc77ff000, 0x7c007c01, 0xfc00fbff, 0x03ff0400, 0x83ff8400, 0x000000ff, 0x0000ffff,
        0x00008000, 0xffff8000, 0x00007fff, 0x00010000, 0x00ffffff, 0x01000000, 0x80ff7f01, 0xff00ff00,
        0x40000000, 0x3fb504f3, 0x3fb504f4, 0x42fe0000, 0xc2fe0000, 0xc2ffffff, 0x43000000, 0x0000001f,
        0x00000020, 0x00000100, 0xfffffffe, 0x3effffff, 0x3b808081, 0x5f000000, 0x20000000, 0x1f800000};
    uint64_t r = random_next(state);
    uint32_t low = (uint32_t)r;

    switch (r >> 61) {
    case 0:
    case 1: return corners[(r >> 32) % UTIL_ARRAY_SIZE(corners)];
    case 2: return (low & 0x807fffff) | (96 + (uint32_t)(r >> 32) % 64) << 23; /* 2^-31 .. 2^32 */
    case 3: return (low & 0x807fffff) | (124 + (uint32_t)(r >> 32) % 6) << 23;
    case 4: return low & 0xff;
    case 5: return (uint32_t)((int32_t)low >> 16);
    default: return low;
    }
}

static void random_values(uint64_t *state, uint32_t *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = random_value(state);
}

static void fill(void *world, const void *program, unsigned mode, uint64_t seed)
{
    struct world_of_qpu *w = world;
    memset(w, 0, sizeof *w);
    random_values(&seed, w->uniforms, offsetof(struct world_of_qpu, qpu) / 4);
    w->qpu = (uint32_t)random_next(&seed) & 15;
    w->fuel = 1000;
}

/* ---- the world for the interpreter ---- */

static void note(struct world_of_qpu *w, uint32_t tag, const uint32_t *value, uint16_t lanes)
{
    for (unsigned i = 0; i < 16; i++)
        w->log[i] = w->log[i] * LOG_FACTOR + tag + (lanes >> i & 1 ? value[i] : 0);
}

static void note_scalar(struct world_of_qpu *w, uint32_t tag, uint32_t value)
{
    for (unsigned i = 0; i < 16; i++)
        w->log[i] = w->log[i] * LOG_FACTOR + tag + value;
}

enum {
    TAG_MS = 1,
    TAG_STENCIL,
    TAG_Z,
    TAG_COLOR,
    TAG_COLOR_ALL,
    TAG_READ_SETUP,
    TAG_WRITE_SETUP,
    TAG_VPM,
    TAG_TMU
};

static enum vc4_qpu_fault c_uniform(void *ctx, uint32_t address, uint32_t *value,
                                    struct vc4_qpu_report *report)
{
    *value = ((struct world_of_qpu *)ctx)->uniforms[(address - UNIFORMS_BASE) >> 2 & 255];
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault c_varying(void *ctx, uint32_t n, uint32_t vary[16], uint32_t c[16],
                                    struct vc4_qpu_report *report)
{
    struct world_of_qpu *w = ctx;
    memcpy(vary, w->varying[n & 15], 64);
    memcpy(c, w->varying_c[n & 15], 64);
    return VC4_QPU_OK;
}

static void c_coordinates(void *ctx, uint32_t x[16], uint32_t y[16])
{
    struct world_of_qpu *w = ctx;
    memcpy(x, w->x, 64);
    memcpy(y, w->y, 64);
}

static void c_flags(void *ctx, uint32_t ms[16], uint32_t rev[16])
{
    struct world_of_qpu *w = ctx;
    memcpy(ms, w->ms, 64);
    memcpy(rev, w->rev, 64);
}

static enum vc4_qpu_fault c_load(void *ctx, uint32_t out[16], struct vc4_qpu_report *report)
{
    struct world_of_qpu *w = ctx;
    memcpy(out, w->loads[w->taken++ & 7], 64);
    return VC4_QPU_OK;
}

#define C_WRITE(name, tag)                                                                                   \
    static enum vc4_qpu_fault name(void *ctx, const uint32_t value[16], uint16_t lanes,                      \
                                   struct vc4_qpu_report *report)                                            \
    {                                                                                                        \
        note(ctx, tag, value, lanes);                                                                        \
        return VC4_QPU_OK;                                                                                   \
    }
C_WRITE(c_set_ms_mask, TAG_MS)
C_WRITE(c_stencil, TAG_STENCIL)
C_WRITE(c_z, TAG_Z)
C_WRITE(c_vpm_write, TAG_VPM)

static enum vc4_qpu_fault c_color(void *ctx, bool all, const uint32_t value[16], uint16_t lanes,
                                  struct vc4_qpu_report *report)
{
    note(ctx, all ? TAG_COLOR_ALL : TAG_COLOR, value, lanes);
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault c_read_setup(void *ctx, uint32_t value, struct vc4_qpu_report *report)
{
    note_scalar(ctx, TAG_READ_SETUP, value);
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault c_write_setup(void *ctx, uint32_t value, struct vc4_qpu_report *report)
{
    note_scalar(ctx, TAG_WRITE_SETUP, value);
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault c_tmu_request(void *ctx, unsigned unit, const uint32_t *s, const uint32_t *t,
                                        const uint32_t *r, const uint32_t *b, const uint32_t *params,
                                        unsigned count, struct vc4_qpu_report *report)
{
    struct world_of_qpu *w = ctx;
    uint32_t *out = w->fifo[unit][w->waiting[unit]++], sum = unit;
    for (unsigned i = 0; i < count; i++)
        sum = sum * 11 + params[i];
    for (unsigned i = 0; i < 16; i++)
        out[i] = s[i] + 3 * (t ? t[i] : 0) + 5 * (r ? r[i] : 0) + 7 * (b ? b[i] : 0) + sum;
    note_scalar(w, TAG_TMU, sum);
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault c_tmu_load(void *ctx, unsigned unit, uint32_t out[16],
                                     struct vc4_qpu_report *report)
{
    struct world_of_qpu *w = ctx;
    memcpy(out, w->fifo[unit][0], 64);
    memmove(w->fifo[unit][0], w->fifo[unit][1], (VC4_QPU_TMU_SLOTS - 1) * 64);
    w->waiting[unit]--;
    return VC4_QPU_OK;
}

static const struct vc4_qpu_ports c_ports = {
    .uniform = c_uniform,
    .varying = c_varying,
    .coordinates = c_coordinates,
    .flags = c_flags,
    .set_ms_mask = c_set_ms_mask,
    .tmu_request = c_tmu_request,
    .tmu_load = c_tmu_load,
    .tlb_stencil = c_stencil,
    .tlb_z = c_z,
    .color_write = c_color,
    .color_load = c_load,
    .coverage_load = c_load,
    .vpm_read_setup = c_read_setup,
    .vpm_write_setup = c_write_setup,
    .vpm_read = c_load,
    .vpm_write = c_vpm_write,
};

/* ---- the same world for translated programs: ctx is the LLVMValueRef of a struct world_of_qpu * ---- */

static LLVMValueRef ir_at(void *ctx, struct jit_builder *b, size_t offset)
{
    return jit_offset_const(b, ctx, offset);
}

static LLVMValueRef ir_vector(void *ctx, struct jit_builder *b, size_t offset)
{
    return jit_load(b, b->i32x16, ir_at(ctx, b, offset), 4, false);
}

static void ir_note(void *ctx, struct jit_builder *b, uint32_t tag, LLVMValueRef value, LLVMValueRef mask)
{
    LLVMValueRef log = ir_vector(ctx, b, offsetof(struct world_of_qpu, log));
    if (mask)
        value = jit_select(b, mask, value, jit_splat_u32(b, 0));
    log = LLVMBuildMul(b->ir, log, jit_splat_u32(b, LOG_FACTOR), "");
    log = LLVMBuildAdd(b->ir, log, LLVMBuildAdd(b->ir, value, jit_splat_u32(b, tag), ""), "");
    jit_store(b, log, ir_at(ctx, b, offsetof(struct world_of_qpu, log)), 4);
}

static LLVMValueRef ir_uniform_at(void *ctx, struct jit_builder *b, LLVMValueRef address, uint32_t word)
{
    LLVMValueRef at = LLVMBuildSub(b->ir, address, jit_i32(b, UNIFORMS_BASE), "");
    return jit_load(b, b->i32, jit_offset(b, ctx, LLVMBuildAnd(b->ir, at, jit_i32(b, 1020), "")), 4, false);
}

static LLVMValueRef ir_uniform(void *ctx, struct jit_builder *b, LLVMValueRef address, uint32_t word)
{
    if (word == VC4_QPU_NO_OFFSET)
        return ir_uniform_at(ctx, b, address, word);
    return jit_load(b, b->i32, ir_at(ctx, b, (word & 255) * 4), 4, false);
}

static void ir_varying(void *ctx, struct jit_builder *b, uint32_t n, LLVMValueRef *vary, LLVMValueRef *c)
{
    *vary = ir_vector(ctx, b, offsetof(struct world_of_qpu, varying) + (n & 15) * 64);
    *c = ir_vector(ctx, b, offsetof(struct world_of_qpu, varying_c) + (n & 15) * 64);
}

static void ir_coordinates(void *ctx, struct jit_builder *b, LLVMValueRef *x, LLVMValueRef *y)
{
    *x = ir_vector(ctx, b, offsetof(struct world_of_qpu, x));
    *y = ir_vector(ctx, b, offsetof(struct world_of_qpu, y));
}

static void ir_flags(void *ctx, struct jit_builder *b, LLVMValueRef *ms, LLVMValueRef *rev)
{
    *ms = ir_vector(ctx, b, offsetof(struct world_of_qpu, ms));
    *rev = ir_vector(ctx, b, offsetof(struct world_of_qpu, rev));
}

static LLVMValueRef ir_load(void *ctx, struct jit_builder *b)
{
    LLVMValueRef at = ir_at(ctx, b, offsetof(struct world_of_qpu, taken)),
                 n = jit_load(b, b->i32, at, 4, false);
    LLVMValueRef row = LLVMBuildShl(b->ir, LLVMBuildAnd(b->ir, n, jit_i32(b, 7), ""), jit_i32(b, 6), "");
    jit_store(b, LLVMBuildAdd(b->ir, n, jit_i32(b, 1), ""), at, 4);
    return jit_load(b, b->i32x16, jit_offset(b, ir_at(ctx, b, offsetof(struct world_of_qpu, loads)), row), 4,
                    false);
}

#define IR_WRITE(name, tag)                                                                                  \
    static void name(void *ctx, struct jit_builder *b, LLVMValueRef value, LLVMValueRef mask)                \
    {                                                                                                        \
        ir_note(ctx, b, tag, value, mask);                                                                   \
    }
IR_WRITE(ir_set_ms_mask, TAG_MS)
IR_WRITE(ir_stencil, TAG_STENCIL)
IR_WRITE(ir_z, TAG_Z)
IR_WRITE(ir_vpm_write, TAG_VPM)

static void ir_color(void *ctx, struct jit_builder *b, bool all, LLVMValueRef value, LLVMValueRef mask)
{
    ir_note(ctx, b, all ? TAG_COLOR_ALL : TAG_COLOR, value, mask);
}

static void ir_read_setup(void *ctx, struct jit_builder *b, LLVMValueRef value)
{
    ir_note(ctx, b, TAG_READ_SETUP, jit_splat(b, value), NULL);
}

static void ir_write_setup(void *ctx, struct jit_builder *b, LLVMValueRef value)
{
    ir_note(ctx, b, TAG_WRITE_SETUP, jit_splat(b, value), NULL);
}

static LLVMValueRef ir_tmu(void *ctx, struct jit_builder *b, const struct vc4_qpu_sample *sample,
                           uint32_t index, LLVMValueRef s, LLVMValueRef t, LLVMValueRef r, LLVMValueRef bias,
                           LLVMValueRef *params)
{
    LLVMValueRef sum = jit_i32(b, sample->unit), more[3] = {t, r, bias}, out = s;
    for (unsigned i = 0; i < sample->param_count; i++)
        sum = LLVMBuildAdd(b->ir, LLVMBuildMul(b->ir, sum, jit_i32(b, 11), ""), params[i], "");
    for (unsigned i = 0; i < 3; i++)
        if (more[i])
            out = LLVMBuildAdd(b->ir, out, LLVMBuildMul(b->ir, more[i], jit_splat_u32(b, 3 + 2 * i), ""), "");
    ir_note(ctx, b, TAG_TMU, jit_splat(b, sum), NULL);
    return LLVMBuildAdd(b->ir, out, jit_splat(b, sum), "");
}

static void ir_store_state(struct jit_builder *b, const struct vc4_qpu_ir_state *s, LLVMValueRef out)
{
    for (unsigned i = 0; i < 32; i++) {
        jit_store(b, s->a[i], jit_offset_const(b, out, offsetof(struct vc4_qpu_state, a) + 64 * i), 4);
        jit_store(b, s->b[i], jit_offset_const(b, out, offsetof(struct vc4_qpu_state, b) + 64 * i), 4);
    }
    for (unsigned i = 0; i < 6; i++)
        jit_store(b, s->r[i], jit_offset_const(b, out, offsetof(struct vc4_qpu_state, r) + 64 * i), 4);
    jit_store(b, jit_mask_to_bits(b, s->n), jit_offset_const(b, out, offsetof(struct vc4_qpu_state, n)), 2);
    jit_store(b, jit_mask_to_bits(b, s->z), jit_offset_const(b, out, offsetof(struct vc4_qpu_state, z)), 2);
    jit_store(b, jit_mask_to_bits(b, s->c), jit_offset_const(b, out, offsetof(struct vc4_qpu_state, c)), 2);
}

static int emit(struct jit_builder *b, const void *program, unsigned mode, LLVMValueRef world)
{
    const struct vc4_qpu_program *p = program;
    LLVMValueRef fault;
    struct vc4_qpu_ir_ports ports = {
        .ctx = world,
        /* positions after a stream reset hold only where its words are patched with the stream's address */
        .uniform = p->reset_word_count ? ir_uniform_at : ir_uniform,
        .varying = ir_varying,
        .coordinates = ir_coordinates,
        .flags = ir_flags,
        .set_ms_mask = ir_set_ms_mask,
        .tmu = ir_tmu,
        .tlb_stencil = ir_stencil,
        .tlb_z = ir_z,
        .color_write = ir_color,
        .color_load = ir_load,
        .coverage_load = ir_load,
        .vpm_read_setup = ir_read_setup,
        .vpm_write_setup = ir_write_setup,
        .vpm_read = ir_load,
        .vpm_write = ir_vpm_write,
    };
    struct vc4_qpu_ir_start start = {
        .uniforms = jit_i32(b, UNIFORMS_BASE),
        .ra15 = ir_vector(world, b, offsetof(struct world_of_qpu, ra15)),
        .rb15 = ir_vector(world, b, offsetof(struct world_of_qpu, rb15)),
        .fuel = jit_load(b, b->i32, ir_at(world, b, offsetof(struct world_of_qpu, fuel)), 4, false),
        .qpu_number = jit_load(b, b->i32, ir_at(world, b, offsetof(struct world_of_qpu, qpu)), 4, false),
        .numeric = (enum isa_numeric)mode,
    };
    struct vc4_qpu_ir_state state;
    int status = vc4_qpu_translate_state(b, p, &start, &ports, &fault, &state, NULL);
    if (status)
        return status;
    ir_store_state(b, &state, ir_at(world, b, offsetof(struct world_of_qpu, state)));
    jit_store(b, fault, ir_at(world, b, offsetof(struct world_of_qpu, fault)), 4);
    return 0;
}

/* ---- comparing ---- */

/* The last instruction that changed a word of the state, found by watching the interpreter. */
struct watch {
    const uint32_t *word; /* in the interpreter's state, once known */
    size_t offset;
    uint32_t previous, pc, last_pc;
};

static void watch_step(void *data, uint32_t pc, const struct vc4_qpu_insn *insn,
                       const struct vc4_qpu_state *state)
{
    struct watch *w = data;
    uint32_t now = util_load32((const char *)state + w->offset);
    if (now != w->previous)
        w->pc = w->last_pc;
    w->previous = now;
    w->last_pc = pc;
}

static struct vc4_qpu_start start_of(const struct world_of_qpu *w, unsigned mode)
{
    struct vc4_qpu_start start = {
        .uniforms = UNIFORMS_BASE, .qpu_number = w->qpu, .fuel = w->fuel, .numeric = (enum isa_numeric)mode};
    memcpy(start.ra15, w->ra15, 64);
    memcpy(start.rb15, w->rb15, 64);
    return start;
}

static void print_difference(const struct vc4_qpu_program *program, unsigned mode,
                             const struct world_of_qpu *input, size_t offset, uint32_t expected, uint32_t got)
{
    static const char *const files[] = {"ra", "rb", "r", "flags"};
    size_t word = offset / 4, file = word < 512 ? 0 : word < 1024 ? 1 : word < 1120 ? 2 : 3;
    struct watch watch = {.offset = offset};
    struct vc4_qpu_ports ports = c_ports;
    struct vc4_qpu_report report;
    struct vc4_qpu_state state;
    struct world_of_qpu w = *input;
    struct vc4_qpu_start start = start_of(&w, mode);
    char text[VC4_QPU_TEXT_MAX];

    ports.ctx = &w;
    vc4_qpu_interp(program, &start, &ports, &state, watch_step, &watch, &report);
    if (util_load32((const char *)&state + offset) != watch.previous)
        watch.pc = watch.last_pc;
    vc4_qpu_disasm(program->insns[watch.pc].word, watch.pc, text);
    world_differs("  pc %u (%016llx  %s)\n  %s%zu lane %zu: expected %08x, got %08x", watch.pc,
                  (unsigned long long)program->insns[watch.pc].word, text, files[file],
                  (word - (file == 0   ? 0
                           : file == 1 ? 512
                           : file == 2 ? 1024
                                       : 1120)) /
                      16,
                  word % 16, expected, got);
}

static void run(const void *program, unsigned mode, void *world)
{
    struct world_of_qpu *w = world;
    struct vc4_qpu_start start = start_of(w, mode);
    struct vc4_qpu_ports ports = c_ports;
    struct vc4_qpu_report report;
    ports.ctx = w;
    vc4_qpu_interp(program, &start, &ports, &w->state, NULL, NULL, &report);
    w->fault = isa_fault_pack(report.fault, report.lane, report.pc);
}

static bool same(const void *program, unsigned mode, const void *input, const void *expected, const void *got)
{
    const struct world_of_qpu *x = expected, *y = got;
    const char *si = (const char *)&x->state, *sj = (const char *)&y->state;
    if (x->fault != y->fault)
        return world_differs("  fault: expected %08x, got %08x (as isa_fault_pack has it)", x->fault,
                             y->fault);
    if (!x->fault && memcmp(si, sj, sizeof x->state) != 0) {
        size_t at = 0;
        while (!memcmp(si + at, sj + at, 4))
            at += 4;
        print_difference(program, mode, input, at, util_load32(si + at), util_load32(sj + at));
        return false;
    }
    for (unsigned l = 0; l < 16; l++)
        if (x->log[l] != y->log[l])
            return world_differs("  what was written to ports differs first in lane %u: %08x, %08x", l,
                                 x->log[l], y->log[l]);
    return true;
}

static void count(const void *world, struct world_outcome *outcome)
{
    outcome->lanes += 16;
    outcome->faulted += ((const struct world_of_qpu *)world)->fault ? 16 : 0;
}

static bool returns(const void *words, uint32_t insns)
{
    const uint64_t *word = words;
    bool good = true;
    for (uint32_t pc = 0; good && pc < insns; pc++) {
        char text[VC4_QPU_TEXT_MAX];
        struct vc4_qpu_insn insn;
        uint64_t *again;
        uint32_t length;
        vc4_qpu_decode(word[pc], &insn);
        size_t size = vc4_qpu_disasm(word[pc], pc, text);
        if (vc4_qpu_asm(text, size, &again, &length, NULL))
            return world_differs("no program: %s", text);
        good = length == 1 && again[0] == word[pc];
        free(again);
    }
    return good;
}

static const char *const modes[] = {"fast", "exact", NULL}; /* by enum isa_numeric */
_Static_assert(ISA_NUMERIC_COUNT == 2, "a mode each");

/* Fuel is 1000 (fill): 199 more rounds of five instructions fit, 200 leave nothing, 201 do not fit. */
static const char *const texts[] = {
    "again: brr -, -, again\n nop\n nop\n nop\n nop ; thrend\n nop\n nop\n",
    "ldi r0, 199\n again: sub.sf r0, r0, 1\n brr.allzc -, -, again\n nop\n nop\n nop\n nop ; thrend\n "
    "nop\n nop\n",
    "ldi r0, 200\n again: sub.sf r0, r0, 1\n brr.allzc -, -, again\n nop\n nop\n nop\n nop ; thrend\n "
    "nop\n nop\n",
    "ldi r0, 201\n again: sub.sf r0, r0, 1\n brr.allzc -, -, again\n nop\n nop\n nop\n nop ; thrend\n "
    "nop\n nop\n",
    "ldi r0, 202\n again: sub.sf r0, r0, 1\n brr.allzc -, -, again\n nop\n nop\n nop\n nop ; thrend\n "
    "nop\n nop\n",
    /* no loop: counts of rotations that LLVM comes to know */
    "mov r0, unif\n ldiu r1, [0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3]\n ror ra1, r0, r1\n ror r5rep, r0, r1\n"
    "v8adds r1, r1, r1\n ror r5quad, r0, r1\n mov ra2, r5 ; nop ; thrend\n nop\n nop\n",
    /* a product that is a NaN, of constants or not: its pack is 0 */
    "ldi r1, 0x7f800000\n ldi r3, 0\n mov r0, unif\n nop ; fmul r2.c8888, r1, r3\n"
    "nop ; fmul ra1.c8888, r0, r1\n nop ; fmul ra2.c8888, r0, r3\n nop ; thrend\n nop\n nop\n",
    "nop ; thrend\n brr -, -, .+32\n nop\n nop\n nop\n",
    "nop ; thrend\n nop\n brr.allzs -, -, .+32\n nop\n nop\n nop\n",
    "nop ; ldcolend\n brr.anyns ra3, -, .+32\n nop\n nop\n nop\n",
    "brr.allns -, -, .+48\n nop\n brr.allns -, -, .+32\n nop\n nop\n nop\n nop\n nop ; thrend\n nop\n "
    "nop\n",
    /* out of the program: what stands in the delay slots does not run */
    "and.sf r0, unif, 1\n brr.allzs -, -, .+4096\n mov vpm, r0\n op9 r0, r0, r0\n nop\n nop ; thrend\n "
    "nop\n nop\n",
    "and.sf r0, unif, 1\n brr.allzs ra3, -, .+4096\n mov vpm, r0\n mov r1, unif\n nop\n mov ra4, r1\n "
    "nop ; thrend\n nop\n nop\n",
    "mov r0, unif\n brr -, -, .+4096\n mov vpm, r0\n nop\n nop\n nop ; thrend\n nop\n nop\n",
    /* a reserved operation, whose operands are not read */
    "op9 r0, vpm_st_wait, r0\n nop ; thrend\n nop\n nop\n",
    NULL,
};
enum {
    A = VC4_QPU_RANDOM_ALU,
    B = VC4_QPU_RANDOM_BRANCHES,
    F = VC4_QPU_RANDOM_FRAGMENT,
    V = VC4_QPU_RANDOM_VERTEX
};

static const struct world_field fields[] = {
    WORLD_FIELD(struct world_of_qpu, uniforms, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world_of_qpu, varying, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world_of_qpu, varying_c, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world_of_qpu, x, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world_of_qpu, y, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world_of_qpu, ms, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world_of_qpu, rev, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world_of_qpu, ra15, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world_of_qpu, rb15, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world_of_qpu, loads, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world_of_qpu, qpu, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world_of_qpu, fuel, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world_of_qpu, log, 4, WORLD_GIVEN | WORLD_LEFT),
    WORLD_FIELD(struct world_of_qpu, taken, 4, WORLD_GIVEN | WORLD_LEFT),
    WORLD_FIELD(struct world_of_qpu, state, 4, WORLD_GIVEN | WORLD_LEFT),
    WORLD_FIELD(struct world_of_qpu, fault, 4, WORLD_LEFT),
    {0},
};

const struct world_set world_vc4_qpu = {
    .isa = &vc4_qpu_set,
    .bytes = sizeof(struct world_of_qpu),
    .modes = modes,
    .fields = fields,
    .fill = fill,
    .run = run,
    .emit = emit,
    .same = same,
    .count = count,
    .returns = returns,
    .texts = texts,
    .text_inputs = 64,
    .random = {.usual = 768,
               .capacity = 256,
               .profiles = {A, B, F, V, A, B, F, V, A, B, F, V},
               .optimised = 3,
               .inputs = 64,
               .refused = 50,
               .skipped = 12},
};
