/* Runs GP programs interpreted and translated over sixteen random vertices, and compares what both leave. A
 * difference is told on standard error. */
#ifndef VITRAIL_TESTS_DIFF_GP_HARNESS_H
#define VITRAIL_TESTS_DIFF_GP_HARNESS_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/utgard_gp/asm.h"
#include "isa/utgard_gp/interp.h"
#include "isa/utgard_gp/lanes.h"
#include "isa/utgard_gp/trans.h"
#include "tests/diff/random.h"
#include "util/bits.h"

enum { FUEL = 300, STALE = 0x5a5a5a5a };

/* The world of sixteen vertices; compiled code is given a pointer to it. */
struct world {
    uint32_t attribute[UTGARD_GP_ATTRIBUTES][4][16];
    uint32_t uniform[UTGARD_GP_FILE][4];
    uint32_t varying[UTGARD_GP_VARYINGS][4][16];
    uint32_t reg[UTGARD_GP_REGISTERS][4][16];
    uint32_t fault[16];
    struct utgard_gp_temporaries temporaries;
};

static inline void make_world(struct world *w, uint64_t *seed)
{
    memset(w, 0, sizeof *w);
    uint32_t *words = (uint32_t *)(void *)w->attribute;
    for (size_t n = 0; n < sizeof w->attribute / 4; n++)
        words[n] = random_normal(seed);
    words = (uint32_t *)(void *)w->uniform;
    for (size_t n = 0; n < sizeof w->uniform / 4; n++)
        words[n] = random_normal(seed);
    for (unsigned c = 0; c < 4; c++) {
        w->uniform[0][c] =
            util_f2u((float)(random_next(seed) % 12) - 2 + (random_next(seed) % 2 ? 0.75f : 0));
        w->uniform[1][c] = util_f2u(c == 0 ? 3.0f : 1.0f);
    }
    memset(w->varying, STALE & 0xff, sizeof w->varying);
}

static inline void fill_temporaries(struct world *w)
{
    utgard_gp_fill_file((const uint32_t(*)[4])w->uniform, w->temporaries.value);
}

/* ---- interpreter ---- */

static inline void interpret(const struct utgard_gp_program *p, struct world *w, uint16_t lanes)
{
    struct utgard_gp_lanes of = {.uniform = (const uint32_t(*)[4])w->uniform,
                                 .attribute = (const uint32_t(*)[4][16])w->attribute,
                                 .varying = w->varying};
    const struct utgard_gp_ports ports = utgard_gp_lane_ports(&of);
    for (unsigned l = 0; l < 16; l++) {
        struct utgard_gp_report report;
        struct utgard_gp_state state;
        if (!(lanes >> l & 1))
            continue;
        of.lane = l;
        utgard_gp_run(p, &ports, FUEL, &state, &report, NULL, NULL);
        w->fault[l] = isa_fault_pack(report.fault, 0, report.pc);
        for (unsigned n = 0; n < UTGARD_GP_REGISTERS; n++)
            for (unsigned c = 0; c < 4; c++)
                w->reg[n][c][l] = state.reg[n][c];
    }
}

/* ---- compiled ---- */

static inline LLVMValueRef at(struct jit_builder *b, size_t offset)
{
    return jit_offset_const(b, jit_param(b, 0), offset);
}

static inline void ir_attribute(void *ctx, struct jit_builder *b, uint32_t index, LLVMValueRef out[4])
{
    (void)ctx;
    for (unsigned c = 0; c < 4; c++)
        out[c] = jit_load(b, b->i32x16, at(b, offsetof(struct world, attribute[0][0]) + (index * 4 + c) * 64),
                          4, true);
}
static inline LLVMValueRef ir_uniform(void *ctx, struct jit_builder *b, uint32_t index, uint32_t component)
{
    (void)ctx;
    return jit_load(b, b->i32, at(b, offsetof(struct world, uniform) + index * 16 + component * 4), 4, true);
}
static inline LLVMValueRef ir_indexed(void *ctx, struct jit_builder *b, LLVMValueRef index,
                                      uint32_t component, LLVMValueRef mask)
{
    (void)ctx;
    LLVMValueRef offset = LLVMBuildShl(b->ir, index, jit_splat_u32(b, 4), "");
    return jit_gather_u32(b, at(b, offsetof(struct world, uniform) + component * 4), offset, mask);
}
static inline void ir_varying(void *ctx, struct jit_builder *b, uint32_t index, uint32_t component,
                              LLVMValueRef value, LLVMValueRef mask)
{
    LLVMValueRef place = at(b, offsetof(struct world, varying) + (index * 4 + component) * 64);
    LLVMValueRef lanes = *(LLVMValueRef *)ctx, old = jit_load(b, b->i32x16, place, 4, false);
    jit_store(b, jit_select(b, mask ? mask : lanes, value, old), place, 4);
}

/* void f(struct world *, uint16_t lanes, uint32_t fuel) */
static inline int emit(struct jit_builder *b, void *data)
{
    LLVMTypeRef params[3] = {b->ptr, b->i16, b->i32};
    struct utgard_gp_ir_state state;
    LLVMValueRef fault;
    jit_begin_function(b, b->void_, params, 3);
    LLVMValueRef lanes = jit_mask_from_bits(b, jit_param(b, 1));
    struct utgard_gp_ir_ports ports = {&lanes,     ir_attribute, ir_uniform,
                                       ir_indexed, ir_varying,   at(b, offsetof(struct world, temporaries))};
    int status = utgard_gp_translate(b, *(const struct utgard_gp_program **)data, &ports, lanes,
                                     jit_param(b, 2), &fault, &state);
    if (status)
        return status;
    jit_store(b, fault, at(b, offsetof(struct world, fault)), 4);
    for (unsigned n = 0; n < UTGARD_GP_REGISTERS; n++)
        for (unsigned c = 0; c < 4; c++)
            jit_store(b, state.reg[n][c], at(b, offsetof(struct world, reg) + (n * 4 + c) * 64), 4);
    LLVMBuildRetVoid(b->ir);
    return 0;
}

typedef void (*run_fn)(struct world *, uint16_t, uint32_t);

/* NULL, and a message, when it is not compiled. */
static inline run_fn compile(struct jit_engine *engine, const struct utgard_gp_program *p)
{
    const struct utgard_gp_program *program = p;
    struct jit_request request = {
        .key = &p->hash, .key_size = sizeof p->hash, .name = "gp", .emit = emit, .data = &program};
    struct util_error error = {0};
    void *code = NULL;
    if (jit_engine_get(engine, &request, &code, &error))
        fprintf(stderr, "%s\n", error.text);
    return (run_fn)code;
}

/* ---- both ---- */

static inline bool same(uint32_t x, uint32_t y)
{
    bool nan_x = (x & 0x7fffffff) > 0x7f800000, nan_y = (y & 0x7fffffff) > 0x7f800000;
    return x == y || (nan_x && nan_y);
}

__attribute__((format(printf, 3, 4))) static inline bool differ(const uint64_t *words, uint32_t count,
                                                                const char *format, ...)
{
    va_list args;
    utgard_gp_disasm_program(stderr, words, count);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return false;
}

static inline bool alike(const uint64_t *words, uint32_t count, const struct world *expected,
                         const struct world *got, uint16_t lanes)
{
    for (unsigned l = 0; l < 16; l++) {
        if (!(lanes >> l & 1))
            continue;
        if (expected->fault[l] != got->fault[l])
            return differ(words, count, "lane %u: fault %x, expected %x", l, got->fault[l],
                          expected->fault[l]);
        if (expected->fault[l])
            continue;
        for (unsigned n = 0; n < 16; n++)
            for (unsigned c = 0; c < 4; c++) {
                if (expected->varying[n][c][l] != got->varying[n][c][l])
                    return differ(words, count, "lane %u: varying %u.%u is %08x, expected %08x", l, n, c,
                                  got->varying[n][c][l], expected->varying[n][c][l]);
                if (!same(expected->reg[n][c][l], got->reg[n][c][l]))
                    return differ(words, count, "lane %u: register %u.%u is %08x, expected %08x", l, n, c,
                                  got->reg[n][c][l], expected->reg[n][c][l]);
            }
    }
    return true;
}

#endif
