/* Runs QPU programs twice, interpreted and translated, in one imaginary world, and compares every register,
 * flag, fault and effect. The world is arithmetic on arrays; its log depends on the order of everything that
 * is written to it. */
#ifndef VITRAIL_TESTS_DIFF_QPU_HARNESS_H
#define VITRAIL_TESTS_DIFF_QPU_HARNESS_H

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/vc4_qpu/asm.h"
#include "isa/vc4_qpu/interp.h"
#include "isa/vc4_qpu/trans.h"
#include "jit/builder.h"
#include "tests/diff/random.h"
#include "util/bits.h"
#include "util/fpenv.h"

#define UNIFORMS_BASE 0x1000u
#define LOG_FACTOR    0x01000193u

struct world {
    uint32_t uniforms[256];
    uint32_t varying[16][16], varying_c[16][16];
    uint32_t x[16], y[16], ms[16], rev[16], ra15[16], rb15[16];
    uint32_t loads[8][16]; /* colours, coverage, VPM words, in turn */
    uint32_t qpu, fuel;
    enum isa_numeric numeric;
    /* changed by a run */
    uint32_t log[16], taken;
    uint32_t fifo[2][VC4_QPU_TMU_SLOTS][16], waiting[2]; /* the interpreter's texture results */
};

/* ---- random numbers and values ---- */

static inline uint32_t random_value(uint64_t *state)
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

static inline void random_values(uint64_t *state, uint32_t *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = random_value(state);
}

static inline void world_fill(struct world *w, uint64_t seed)
{
    memset(w, 0, sizeof *w);
    random_values(&seed, w->uniforms, offsetof(struct world, qpu) / 4);
    w->qpu = (uint32_t)random_next(&seed) & 15;
    w->fuel = 1000;
}

/* ---- the world for the interpreter ---- */

static inline void note(struct world *w, uint32_t tag, const uint32_t *value, uint16_t lanes)
{
    for (unsigned i = 0; i < 16; i++)
        w->log[i] = w->log[i] * LOG_FACTOR + tag + (lanes >> i & 1 ? value[i] : 0);
}

static inline void note_scalar(struct world *w, uint32_t tag, uint32_t value)
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
    *value = ((struct world *)ctx)->uniforms[(address - UNIFORMS_BASE) >> 2 & 255];
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault c_varying(void *ctx, uint32_t n, uint32_t vary[16], uint32_t c[16],
                                    struct vc4_qpu_report *report)
{
    struct world *w = ctx;
    memcpy(vary, w->varying[n & 15], 64);
    memcpy(c, w->varying_c[n & 15], 64);
    return VC4_QPU_OK;
}

static void c_coordinates(void *ctx, uint32_t x[16], uint32_t y[16])
{
    struct world *w = ctx;
    memcpy(x, w->x, 64);
    memcpy(y, w->y, 64);
}

static void c_flags(void *ctx, uint32_t ms[16], uint32_t rev[16])
{
    struct world *w = ctx;
    memcpy(ms, w->ms, 64);
    memcpy(rev, w->rev, 64);
}

static enum vc4_qpu_fault c_load(void *ctx, uint32_t out[16], struct vc4_qpu_report *report)
{
    struct world *w = ctx;
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
    struct world *w = ctx;
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
    struct world *w = ctx;
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

/* ---- the same world for translated programs: ctx is the LLVMValueRef of a struct world * ---- */

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
    LLVMValueRef log = ir_vector(ctx, b, offsetof(struct world, log));
    if (mask)
        value = jit_select(b, mask, value, jit_splat_u32(b, 0));
    log = LLVMBuildMul(b->ir, log, jit_splat_u32(b, LOG_FACTOR), "");
    log = LLVMBuildAdd(b->ir, log, LLVMBuildAdd(b->ir, value, jit_splat_u32(b, tag), ""), "");
    jit_store(b, log, ir_at(ctx, b, offsetof(struct world, log)), 4);
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
    *vary = ir_vector(ctx, b, offsetof(struct world, varying) + (n & 15) * 64);
    *c = ir_vector(ctx, b, offsetof(struct world, varying_c) + (n & 15) * 64);
}

static void ir_coordinates(void *ctx, struct jit_builder *b, LLVMValueRef *x, LLVMValueRef *y)
{
    *x = ir_vector(ctx, b, offsetof(struct world, x));
    *y = ir_vector(ctx, b, offsetof(struct world, y));
}

static void ir_flags(void *ctx, struct jit_builder *b, LLVMValueRef *ms, LLVMValueRef *rev)
{
    *ms = ir_vector(ctx, b, offsetof(struct world, ms));
    *rev = ir_vector(ctx, b, offsetof(struct world, rev));
}

static LLVMValueRef ir_load(void *ctx, struct jit_builder *b)
{
    LLVMValueRef at = ir_at(ctx, b, offsetof(struct world, taken)), n = jit_load(b, b->i32, at, 4, false);
    LLVMValueRef row = LLVMBuildShl(b->ir, LLVMBuildAnd(b->ir, n, jit_i32(b, 7), ""), jit_i32(b, 6), "");
    jit_store(b, LLVMBuildAdd(b->ir, n, jit_i32(b, 1), ""), at, 4);
    return jit_load(b, b->i32x16, jit_offset(b, ir_at(ctx, b, offsetof(struct world, loads)), row), 4, false);
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

/* ---- many programs as one module ---- */

struct batch {
    struct vc4_qpu_program **programs;
    unsigned count;
    enum isa_numeric numeric;
    bool *translated; /* out */
};

static inline void ir_store_state(struct jit_builder *b, const struct vc4_qpu_ir_state *s, LLVMValueRef out)
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

/* i32 program(world, state): the fault. NULL when the program is not translated; *result has the reason. */
static inline LLVMValueRef emit_program(struct jit_builder *b, const struct vc4_qpu_program *program,
                                        enum isa_numeric numeric, int *result)
{
    LLVMTypeRef params[2] = {b->ptr, b->ptr};
    LLVMValueRef f = jit_begin_internal(b, "program", b->i32, params, 2), fault;
    LLVMValueRef world = jit_param(b, 0), out = jit_param(b, 1);
    struct vc4_qpu_ir_ports ports = {
        .ctx = world,
        /* positions after a stream reset hold only where its words are patched with the stream's address */
        .uniform = program->reset_word_count ? ir_uniform_at : ir_uniform,
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
        .ra15 = ir_vector(world, b, offsetof(struct world, ra15)),
        .rb15 = ir_vector(world, b, offsetof(struct world, rb15)),
        .fuel = jit_load(b, b->i32, ir_at(world, b, offsetof(struct world, fuel)), 4, false),
        .qpu_number = jit_load(b, b->i32, ir_at(world, b, offsetof(struct world, qpu)), 4, false),
        .numeric = numeric,
    };
    struct vc4_qpu_ir_state state;
    *result = vc4_qpu_translate_state(b, program, &start, &ports, &fault, &state, NULL);
    if (*result) {
        LLVMDeleteFunction(f);
        return NULL;
    }
    ir_store_state(b, &state, out);
    LLVMBuildRet(b->ir, fault);
    return f;
}

/* i32 run(index, world, state): calls program `index`. */
static inline int emit_batch(struct jit_builder *b, void *data)
{
    struct batch *batch = data;
    LLVMValueRef *functions = calloc(batch->count, sizeof *functions);
    LLVMTypeRef params[3] = {b->i32, b->ptr, b->ptr};
    LLVMTypeRef type = LLVMFunctionType(b->i32, params + 1, 2, false);
    int result = functions ? 0 : -ENOMEM;

    for (unsigned i = 0; !result && i < batch->count; i++) {
        functions[i] = emit_program(b, batch->programs[i], batch->numeric, &result);
        batch->translated[i] = functions[i];
        if (result == -ENOTSUP)
            result = 0;
    }
    if (!result) {
        jit_begin_function(b, b->i32, params, 3);
        LLVMBasicBlockRef none = LLVMAppendBasicBlockInContext(b->context, b->function, "none");
        LLVMValueRef choose = LLVMBuildSwitch(b->ir, jit_param(b, 0), none, batch->count);
        LLVMPositionBuilderAtEnd(b->ir, none);
        LLVMBuildRet(b->ir, jit_i32(b, 0));
        for (unsigned i = 0; i < batch->count; i++) {
            if (!functions[i])
                continue;
            LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(b->context, b->function, "call");
            LLVMValueRef args[2] = {jit_param(b, 1), jit_param(b, 2)};
            LLVMAddCase(choose, jit_i32(b, i), block);
            LLVMPositionBuilderAtEnd(b->ir, block);
            LLVMBuildRet(b->ir, LLVMBuildCall2(b->ir, type, functions[i], args, 2, ""));
        }
    }
    free(functions);
    return result;
}

/* ---- comparing ---- */

/* The last instruction that changed a word of the state, found by watching the interpreter. */
struct watch {
    const uint32_t *word; /* in the interpreter's state, once known */
    size_t offset;
    uint32_t previous, pc, last_pc;
};

static inline void watch_step(void *data, uint32_t pc, const struct vc4_qpu_insn *insn,
                              const struct vc4_qpu_state *state)
{
    struct watch *w = data;
    uint32_t now = util_load32((const char *)state + w->offset);
    if (now != w->previous)
        w->pc = w->last_pc;
    w->previous = now;
    w->last_pc = pc;
}

static inline struct vc4_qpu_start world_start(const struct world *w)
{
    struct vc4_qpu_start start = {
        .uniforms = UNIFORMS_BASE, .qpu_number = w->qpu, .fuel = w->fuel, .numeric = w->numeric};
    memcpy(start.ra15, w->ra15, 64);
    memcpy(start.rb15, w->rb15, 64);
    return start;
}

static inline void print_difference(const struct vc4_qpu_program *program, const struct world *input,
                                    size_t offset, uint32_t expected, uint32_t got)
{
    static const char *const files[] = {"ra", "rb", "r", "flags"};
    size_t word = offset / 4, file = word < 512 ? 0 : word < 1024 ? 1 : word < 1120 ? 2 : 3;
    struct watch watch = {.offset = offset};
    struct vc4_qpu_ports ports = c_ports;
    struct vc4_qpu_report report;
    struct vc4_qpu_state state;
    struct world w = *input;
    struct vc4_qpu_start start = world_start(&w);
    char text[VC4_QPU_TEXT_MAX];

    ports.ctx = &w;
    vc4_qpu_interp(program, &start, &ports, &state, watch_step, &watch, &report);
    if (util_load32((const char *)&state + offset) != watch.previous)
        watch.pc = watch.last_pc;
    vc4_qpu_disasm(program->insns[watch.pc].word, watch.pc, text);
    print_error("  pc %u (%016llx  %s)\n  %s%zu lane %zu: expected %08x, got %08x\n", watch.pc,
                (unsigned long long)program->insns[watch.pc].word, text, files[file],
                (word - (file == 0   ? 0
                         : file == 1 ? 512
                         : file == 2 ? 1024
                                     : 1120)) /
                    16,
                word % 16, expected, got);
}

typedef uint32_t (*run_fn)(uint32_t index, struct world *world, struct vc4_qpu_state *state);

/* One program on one input, both ways. false, and a message, when anything differs. */
static inline bool compare(const struct vc4_qpu_program *program, run_fn run, unsigned index,
                           const struct world *input)
{
    struct world wi = *input, wj = *input;
    struct vc4_qpu_start start = world_start(input);
    struct vc4_qpu_ports ports = c_ports;
    struct vc4_qpu_state si, sj;
    struct vc4_qpu_report report;

    memset(&si, 0, sizeof si);
    memset(&sj, 0, sizeof sj);
    ports.ctx = &wi;
    vc4_qpu_interp(program, &start, &ports, &si, NULL, NULL, &report);
    uint32_t fault = run(index, &wj, &sj);
    uint32_t expected = isa_fault_pack(report.fault, report.lane, report.pc);
    if (fault != expected) {
        print_error("  fault: expected %08x, got %08x (as isa_fault_pack has it)\n", expected, fault);
        return false;
    }
    if (!fault && memcmp(&si, &sj, sizeof si)) {
        size_t at = 0;
        while (!memcmp((char *)&si + at, (char *)&sj + at, 4))
            at += 4;
        print_difference(program, input, at, util_load32((char *)&si + at), util_load32((char *)&sj + at));
        return false;
    }
    for (unsigned i = 0; i < 16; i++) {
        if (wi.log[i] != wj.log[i]) {
            print_error("  what was written to ports differs first in lane %u: %08x, %08x\n", i, wi.log[i],
                        wj.log[i]);
            return false;
        }
    }
    return true;
}

#endif
