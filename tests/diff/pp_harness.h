/* Runs PP programs interpreted and translated over sixteen random fragments, and compares what both leave. A
 * difference is told on standard error. */
#ifndef VITRAIL_TESTS_DIFF_PP_HARNESS_H
#define VITRAIL_TESTS_DIFF_PP_HARNESS_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/utgard_pp/asm.h"
#include "isa/utgard_pp/interp.h"
#include "isa/utgard_pp/trans.h"
#include "jit/math.h"
#include "tests/diff/random.h"
#include "util/bits.h"
#include "util/half.h"

enum { FUEL = 60, WORDS = 2048, VARYINGS = 32, UNIFORMS = 128 };

/* The world of sixteen fragments; compiled code is given a pointer to it. */
struct world {
    uint32_t varying[VARYINGS][16], fragcoord[4][16], pointcoord[2][16], frontface[16], color[4][16],
        depth[16];
    uint32_t uniform[UNIFORMS];
    uint32_t reg[UTGARD_PP_REGISTERS][4][16];
    uint16_t live;
    uint32_t fault;
    uint64_t executed; /* instructions, without a fault */
    struct utgard_pp_temporaries temporaries;
    enum isa_numeric numeric;
};

static inline void make_world(struct world *w, uint64_t *seed, enum isa_numeric numeric)
{
    memset(w, 0, sizeof *w);
    w->numeric = numeric;
    uint32_t *words = (uint32_t *)(void *)w;
    for (size_t n = 0; n < offsetof(struct world, reg) / 4; n++)
        words[n] = random_normal(seed);
    for (unsigned l = 0; l < 16; l++)
        w->frontface[l] = l & 1 ? 0x3f800000 : 0;
    for (unsigned n = 0; numeric == ISA_EXACT && n < UNIFORMS; n++)
        w->uniform[n] = util_f2u(util_half_to_float(util_half_flushed((uint16_t)random_next(seed))));
}

/* ---- interpreter ---- */

/* Whether first + offset .. + count lies in 0..size, for all lanes; the first that does not. */
static inline bool inside(uint32_t first, const int32_t *offset, uint32_t count, uint32_t size,
                          uint16_t lanes, uint32_t *lane)
{
    for (*lane = 0; *lane < 16; ++*lane) {
        int64_t at = (int64_t)first + (offset ? offset[*lane] : 0);
        if (lanes >> *lane & 1 && (at < 0 || at + count > size))
            return false;
    }
    return true;
}

static inline bool varying(void *ctx, uint32_t first, const int32_t *offset, uint32_t count, uint16_t lanes,
                           uint32_t out[4][16], uint32_t *lane)
{
    const struct world *w = ctx;
    if (!inside(first, offset, count, VARYINGS, lanes, lane))
        return false;
    for (uint32_t n = 0; n < count; n++)
        for (unsigned l = 0; l < 16; l++) {
            int64_t at = (int64_t)first + n + (offset ? offset[l] : 0);
            out[n][l] = at >= 0 && at < VARYINGS ? w->varying[at][l] : 0;
        }
    return true;
}
static inline void fragcoord(void *ctx, uint32_t out[4][16])
{
    memcpy(out, ((const struct world *)ctx)->fragcoord, 256);
}
static inline void pointcoord(void *ctx, uint32_t out[2][16])
{
    memcpy(out, ((const struct world *)ctx)->pointcoord, 128);
}
static inline void frontface(void *ctx, uint32_t out[16])
{
    memcpy(out, ((const struct world *)ctx)->frontface, 64);
}
/* A texture whose texel depends on everything that it is asked with, in the lanes that ask: differences in a
 * quad too, as a real one has. */
static inline bool sample(void *ctx, uint32_t n, const int32_t *offset, const uint32_t coordinates[4][16],
                          const uint32_t lod[16], uint16_t lanes, uint32_t out[4][16], uint32_t *lane)
{
    (void)ctx;
    if (!inside(n, offset, 1, 64, lanes, lane))
        return false;
    for (unsigned l = 0; l < 16; l++) {
        float x = util_u2f(coordinates[0][l | 1]) - util_u2f(coordinates[0][l & ~1u]);
        float y = util_u2f(coordinates[1][l | 2]) + util_u2f(coordinates[2][l & ~2u]);
        float z = lod ? util_u2f(lod[l]) + util_u2f(lod[l ^ 3]) : (float)n;
        out[0][l] = util_f2u(x);
        out[1][l] = util_f2u(y);
        out[2][l] = util_f2u(z);
        out[3][l] = offset ? util_f2u((float)offset[l]) : coordinates[3][l];
    }
    return true;
}
static inline bool uniform(void *ctx, uint32_t first, const int32_t *offset, uint32_t count, uint16_t lanes,
                           uint32_t out[4][16], uint32_t *lane)
{
    const struct world *w = ctx;
    if (!inside(first, offset, count, UNIFORMS, lanes, lane))
        return false;
    for (uint32_t n = 0; n < count; n++)
        for (unsigned l = 0; l < 16; l++) {
            int64_t at = (int64_t)first + n + (offset ? offset[l] : 0);
            out[n][l] = at >= 0 && at < UNIFORMS ? w->uniform[at] : 0;
        }
    return true;
}
static inline void color(void *ctx, uint32_t out[4][16])
{
    memcpy(out, ((const struct world *)ctx)->color, 256);
}
static inline void depth(void *ctx, uint32_t out[16])
{
    memcpy(out, ((const struct world *)ctx)->depth, 64);
}

static inline void interpret(const struct utgard_pp_program *p, struct world *w, uint16_t lanes)
{
    struct utgard_pp_ports ports = {w,      varying, fragcoord, pointcoord, frontface,
                                    sample, uniform, color,     depth,      w->numeric};
    static struct utgard_pp_state state;
    struct utgard_pp_report report;
    utgard_pp_run(p, &ports, lanes, FUEL, &state, &report, NULL, NULL);
    w->fault = isa_fault_pack(report.fault, report.lane, report.at);
    w->executed = report.executed;
    w->live = state.live;
    memcpy(w->reg, state.reg, sizeof w->reg);
}

/* ---- compiled ---- */

static inline LLVMValueRef at(struct jit_builder *b, size_t offset)
{
    return jit_offset_const(b, jit_param(b, 0), offset);
}
static inline LLVMValueRef row(struct jit_builder *b, size_t offset, uint32_t n)
{
    return jit_load(b, b->i32x16, at(b, offset + n * 64), 4, true);
}

/* Lanes for which a place is outside; what they read instead stands at 0. */
static inline LLVMValueRef outside(struct jit_builder *b, uint32_t first, LLVMValueRef *offset,
                                   uint32_t count, uint32_t size)
{
    LLVMValueRef place = jit_splat_u32(b, first), last = jit_splat_u32(b, size - count), in;
    if (*offset)
        place = LLVMBuildAdd(b->ir, place, *offset, "");
    in = LLVMBuildICmp(b->ir, LLVMIntULE, place, last, "");
    *offset = jit_select(b, in, place, jit_splat_u32(b, 0));
    return LLVMBuildNot(b->ir, in, "");
}

static inline LLVMValueRef ir_varying(void *ctx, struct jit_builder *b, uint32_t first, LLVMValueRef offset,
                                      uint32_t count, LLVMValueRef mask, LLVMValueRef out[4])
{
    LLVMValueRef bad = outside(b, first, &offset, count, VARYINGS);
    for (uint32_t n = 0; n < count; n++) {
        LLVMValueRef place = LLVMBuildAdd(b->ir, offset, jit_splat_u32(b, n), "");
        place = LLVMBuildShl(b->ir, place, jit_splat_u32(b, 6), "");
        place = LLVMBuildAdd(b->ir, place, LLVMBuildShl(b->ir, jit_lane_ids(b), jit_splat_u32(b, 2), ""), "");
        out[n] = jit_gather_u32(b, at(b, offsetof(struct world, varying)), place, mask);
    }
    return bad;
}
static inline void ir_fragcoord(void *ctx, struct jit_builder *b, LLVMValueRef out[4])
{
    for (uint32_t n = 0; n < 4; n++)
        out[n] = row(b, offsetof(struct world, fragcoord), n);
}
static inline void ir_pointcoord(void *ctx, struct jit_builder *b, LLVMValueRef out[2])
{
    for (uint32_t n = 0; n < 2; n++)
        out[n] = row(b, offsetof(struct world, pointcoord), n);
}
static inline LLVMValueRef ir_frontface(void *ctx, struct jit_builder *b)
{
    return row(b, offsetof(struct world, frontface), 0);
}
static inline LLVMValueRef lanes_of(struct jit_builder *b, LLVMValueRef v, uint32_t clear, uint32_t set,
                                    uint32_t flip)
{
    uint32_t from[16];
    for (uint32_t l = 0; l < 16; l++)
        from[l] = ((l & ~clear) | set) ^ flip;
    return LLVMBuildShuffleVector(b->ir, v, LLVMGetPoison(LLVMTypeOf(v)), jit_vector_u32(b, from), "");
}
static inline LLVMValueRef ir_sample(void *ctx, struct jit_builder *b, uint32_t n, LLVMValueRef offset,
                                     const LLVMValueRef coordinates[4], LLVMValueRef lod, LLVMValueRef mask,
                                     LLVMValueRef out[4])
{
    LLVMValueRef had = offset, bad = outside(b, n, &offset, 1, 64), f[3];
    for (unsigned c = 0; c < 3; c++)
        f[c] = jit_as_f32(b, coordinates[c]);
    LLVMValueRef x = LLVMBuildFSub(b->ir, lanes_of(b, f[0], 0, 1, 0), lanes_of(b, f[0], 1, 0, 0), "");
    LLVMValueRef y = LLVMBuildFAdd(b->ir, lanes_of(b, f[1], 0, 2, 0), lanes_of(b, f[2], 2, 0, 0), ""), z;
    z = jit_splat_f32(b, (float)n);
    if (lod)
        z = LLVMBuildFAdd(b->ir, jit_as_f32(b, lod), lanes_of(b, jit_as_f32(b, lod), 0, 0, 3), "");
    out[0] = jit_as_i32(b, x);
    out[1] = jit_as_i32(b, y);
    out[2] = jit_as_i32(b, z);
    out[3] = had ? jit_as_i32(b, jit_i32_to_f32(b, had)) : coordinates[3];
    for (unsigned c = 0; c < 4 && *(const enum isa_numeric *)ctx == ISA_EXACT; c++)
        out[c] = jit_as_i32(b, jit_round_to_half(b, jit_as_f32(b, out[c])));
    return bad;
}
static inline LLVMValueRef ir_uniform(void *ctx, struct jit_builder *b, uint32_t first, LLVMValueRef offset,
                                      uint32_t count, LLVMValueRef mask, LLVMValueRef out[4])
{
    bool known = !offset;
    LLVMValueRef bad = outside(b, first, &offset, count, UNIFORMS);
    for (uint32_t n = 0; n < count; n++) {
        LLVMValueRef place = LLVMBuildAdd(b->ir, offset, jit_splat_u32(b, n), "");
        place = LLVMBuildShl(b->ir, place, jit_splat_u32(b, 2), "");
        out[n] = known && first + count <= UNIFORMS
                     ? jit_load(b, b->i32, at(b, offsetof(struct world, uniform) + (first + n) * 4), 4, true)
                     : jit_gather_u32(b, at(b, offsetof(struct world, uniform)), place, mask);
    }
    return known && first + count <= UNIFORMS ? NULL : bad;
}
static inline void ir_color(void *ctx, struct jit_builder *b, LLVMValueRef out[4])
{
    for (uint32_t n = 0; n < 4; n++)
        out[n] = row(b, offsetof(struct world, color), n);
}
static inline LLVMValueRef ir_depth(void *ctx, struct jit_builder *b)
{
    return row(b, offsetof(struct world, depth), 0);
}

struct request {
    const struct utgard_pp_program *program;
    bool all; /* compiled for all lanes */
    enum isa_numeric numeric;
};

/* void f(struct world *, uint16_t lanes, uint32_t fuel) */
static inline int emit(struct jit_builder *b, void *data)
{
    const struct request *r = data;
    LLVMTypeRef params[3] = {b->ptr, b->i16, b->i32};
    struct utgard_pp_ir_state state;
    LLVMValueRef fault;
    jit_begin_function(b, b->void_, params, 3);
    LLVMValueRef lanes = r->all ? LLVMConstAllOnes(b->i1x16) : jit_mask_from_bits(b, jit_param(b, 1));
    enum isa_numeric numeric = r->numeric;
    struct utgard_pp_ir_ports ports = {
        &numeric,  ir_varying, ir_fragcoord, ir_pointcoord, ir_frontface,
        ir_sample, ir_uniform, ir_color,     ir_depth,      at(b, offsetof(struct world, temporaries)),
        numeric};
    int status = utgard_pp_translate(b, r->program, &ports, lanes, jit_param(b, 2), &fault, &state);
    if (status)
        return status;
    jit_store(b, state.faults ? fault : jit_i32(b, 0), at(b, offsetof(struct world, fault)), 4);
    jit_store(b, state.executed, at(b, offsetof(struct world, executed)), 8);
    jit_store(b, jit_mask_to_bits(b, state.live), at(b, offsetof(struct world, live)), 2);
    for (unsigned n = 0; n < UTGARD_PP_REGISTERS; n++)
        for (unsigned c = 0; c < 4; c++)
            jit_store(b, state.reg[n][c], at(b, offsetof(struct world, reg) + (n * 4 + c) * 64), 4);
    LLVMBuildRetVoid(b->ir);
    return 0;
}

typedef void (*run_fn)(struct world *, uint16_t, uint32_t);

/* NULL, and a message, when it is not compiled. */
static inline run_fn compile(struct jit_engine *engine, const struct utgard_pp_program *p, bool all,
                             enum isa_numeric numeric)
{
    struct request request = {p, all, numeric};
    uint64_t key[3] = {p->hash, all, numeric};
    struct jit_request jit = {
        .key = key, .key_size = sizeof key, .name = "pp", .emit = emit, .data = &request};
    struct util_error error = {0};
    void *code = NULL;
    if (jit_engine_get(engine, &jit, &code, &error))
        fprintf(stderr, "%s\n", error.text);
    return (run_fn)code;
}

/* ---- both ---- */

static inline bool same(uint32_t x, uint32_t y)
{
    bool nan_x = (x & 0x7fffffff) > 0x7f800000, nan_y = (y & 0x7fffffff) > 0x7f800000;
    return x == y || (nan_x && nan_y);
}

__attribute__((format(printf, 3, 4))) static inline bool differ(const uint32_t *words, uint32_t count,
                                                                const char *format, ...)
{
    va_list args;
    utgard_pp_disasm_program(stderr, words, count);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return false;
}

static inline bool alike(const uint32_t *words, uint32_t count, const struct world *expected,
                         const struct world *got, uint16_t lanes)
{
    if (expected->fault != got->fault)
        return differ(words, count, "fault %x, expected %x", got->fault, expected->fault);
    if (!expected->fault && expected->executed != got->executed)
        return differ(words, count, "%llu instructions, expected %llu", (unsigned long long)got->executed,
                      (unsigned long long)expected->executed);
    if (!expected->fault && expected->live != got->live)
        return differ(words, count, "live %04x, expected %04x", got->live, expected->live);
    for (unsigned l = 0; !expected->fault && l < 16; l++)
        for (unsigned n = 0; lanes >> l & 1 && n < UTGARD_PP_REGISTERS * 4; n++)
            if (!same(expected->reg[n / 4][n % 4][l], got->reg[n / 4][n % 4][l]))
                return differ(words, count, "lane %u: r%u.%c is %08x, expected %08x", l, n / 4, "xyzw"[n % 4],
                              got -> reg[n / 4][n % 4][l], expected -> reg[n / 4][n % 4][l]);
    return true;
}

#endif
