/* Sixteen random vertices, for programs of Mali's vertex processor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/utgard_gp/asm.h"
#include "isa/utgard_gp/interp.h"
#include "isa/utgard_gp/lanes.h"
#include "isa/utgard_gp/trans.h"
#include "fuzz/random.h"
#include "fuzz/world/world.h"
#include "util/bits.h"

enum { FUEL = 300, STALE = 0x5a5a5a5a };

struct world {
    uint32_t attribute[UTGARD_GP_ATTRIBUTES][4][16];
    uint32_t uniform[UTGARD_GP_FILE][4];
    uint32_t varying[UTGARD_GP_VARYINGS][4][16];
    uint32_t reg[UTGARD_GP_REGISTERS][4][16];
    uint32_t fault[16];
    uint16_t lanes;
    struct utgard_gp_temporaries temporaries;
};

static void settle(void *world, const void *program)
{
    const struct utgard_gp_program *p = program;
    struct world *w = world;
    if (p->stores_temporaries)
        utgard_gp_fill_file((const uint32_t(*)[4])w->uniform, w->temporaries.value);
}

static void fill(void *world, const void *program, unsigned mode, uint64_t seed)
{
    struct world *w = world;
    memset(w, 0, sizeof *w);
    uint32_t *words = &w->attribute[0][0][0];
    for (size_t n = 0; n < sizeof w->attribute / 4; n++)
        words[n] = random_normal(&seed);
    words = &w->uniform[0][0];
    for (size_t n = 0; n < sizeof w->uniform / 4; n++)
        words[n] = random_normal(&seed);
    for (unsigned c = 0; c < 4; c++) {
        w->uniform[0][c] =
            util_f2u((float)(random_next(&seed) % 12) - 2 + (random_next(&seed) % 2 ? 0.75f : 0));
        w->uniform[1][c] = util_f2u(c == 0 ? 3.0f : 1.0f);
    }
    memset(w->varying, STALE & 0xff, sizeof w->varying);
    w->lanes = random_next(&seed) % 4 ? (uint16_t)random_next(&seed) : 0xffff;
    settle(world, program);
}

/* ---- interpreter ---- */

static void run(const void *program, unsigned mode, void *world)
{
    struct world *w = world;
    struct utgard_gp_lanes of = {.uniform = (const uint32_t(*)[4])w->uniform,
                                 .attribute = (const uint32_t(*)[4][16])w->attribute,
                                 .varying = w->varying};
    const struct utgard_gp_ports ports = utgard_gp_lane_ports(&of);
    for (unsigned l = 0; l < 16; l++) {
        struct utgard_gp_report report;
        struct utgard_gp_state state;
        if (!(w->lanes >> l & 1))
            continue;
        of.lane = l;
        utgard_gp_run(program, &ports, FUEL, &state, &report, NULL, NULL);
        w->fault[l] = isa_fault_pack(report.fault, 0, report.pc);
        for (unsigned n = 0; n < UTGARD_GP_REGISTERS; n++)
            for (unsigned c = 0; c < 4; c++)
                w->reg[n][c][l] = state.reg[n][c];
    }
}

/* ---- compiled ---- */

static LLVMValueRef at(struct jit_builder *b, size_t offset)
{
    return jit_offset_const(b, jit_param(b, 0), offset); /* the world */
}

static void ir_attribute(void *ctx, struct jit_builder *b, uint32_t index, LLVMValueRef out[4])
{
    for (unsigned c = 0; c < 4; c++)
        out[c] = jit_load(b, b->i32x16, at(b, offsetof(struct world, attribute[0][0]) + (index * 4 + c) * 64),
                          4, true);
}
static LLVMValueRef ir_uniform(void *ctx, struct jit_builder *b, uint32_t index, uint32_t component)
{
    return jit_load(b, b->i32, at(b, offsetof(struct world, uniform) + index * 16 + component * 4), 4, true);
}
static LLVMValueRef ir_indexed(void *ctx, struct jit_builder *b, LLVMValueRef index, uint32_t component,
                               LLVMValueRef mask)
{
    LLVMValueRef offset = LLVMBuildShl(b->ir, index, jit_splat_u32(b, 4), "");
    return jit_gather_u32(b, at(b, offsetof(struct world, uniform) + component * 4), offset, mask);
}
static void ir_varying(void *ctx, struct jit_builder *b, uint32_t index, uint32_t component,
                       LLVMValueRef value, LLVMValueRef mask)
{
    LLVMValueRef place = at(b, offsetof(struct world, varying) + (index * 4 + component) * 64);
    LLVMValueRef lanes = *(LLVMValueRef *)ctx, old = jit_load(b, b->i32x16, place, 4, false);
    jit_store(b, jit_select(b, mask ? mask : lanes, value, old), place, 4);
}

static int emit(struct jit_builder *b, const void *program, unsigned mode, LLVMValueRef world)
{
    struct utgard_gp_ir_state state;
    LLVMValueRef fault;
    LLVMValueRef lanes =
        jit_mask_from_bits(b, jit_load(b, b->i16, at(b, offsetof(struct world, lanes)), 2, true));
    struct utgard_gp_ir_ports ports = {&lanes,     ir_attribute, ir_uniform,
                                       ir_indexed, ir_varying,   at(b, offsetof(struct world, temporaries))};
    int status = utgard_gp_translate(b, program, &ports, lanes, jit_i32(b, FUEL), &fault, &state);
    if (status)
        return status;
    jit_store(b, fault, at(b, offsetof(struct world, fault)), 4);
    for (unsigned n = 0; n < UTGARD_GP_REGISTERS; n++)
        for (unsigned c = 0; c < 4; c++)
            jit_store(b, state.reg[n][c], at(b, offsetof(struct world, reg) + (n * 4 + c) * 64), 4);
    return 0;
}

/* ---- both ---- */

static bool same_lane(const struct world *expected, const struct world *got, unsigned l)
{
    if (expected->fault[l] != got->fault[l])
        return world_differs("lane %u: fault %x, expected %x", l, got->fault[l], expected->fault[l]);
    for (unsigned n = 0; !expected->fault[l] && n < 16; n++)
        for (unsigned c = 0; c < 4; c++) {
            if (expected->varying[n][c][l] != got->varying[n][c][l])
                return world_differs("lane %u: varying %u.%u is %08x, expected %08x", l, n, c,
                                     got->varying[n][c][l], expected->varying[n][c][l]);
            if (!world_same_float(expected->reg[n][c][l], got->reg[n][c][l]))
                return world_differs("lane %u: register %u.%u is %08x, expected %08x", l, n, c,
                                     got->reg[n][c][l], expected->reg[n][c][l]);
        }
    return true;
}

static bool same(const void *program, unsigned mode, const void *input, const void *expected, const void *got)
{
    const struct world *w = expected;
    for (unsigned l = 0; l < 16; l++)
        if (w->lanes >> l & 1 && !same_lane(w, got, l))
            return false;
    return true;
}

static void count(const void *world, struct world_outcome *outcome)
{
    const struct world *w = world;
    for (unsigned l = 0; l < 16; l++) {
        outcome->lanes += w->lanes >> l & 1;
        outcome->faulted += w->fault[l] != 0;
    }
}

static bool returns(const void *words, uint32_t insns)
{
    const uint64_t(*word)[UTGARD_GP_WORDS] = words;
    bool good = true;
    for (uint32_t pc = 0; good && pc < insns; pc++) {
        char text[UTGARD_GP_TEXT_MAX];
        uint64_t *again;
        uint32_t length;
        size_t size = utgard_gp_disasm(word[pc], text);
        if (utgard_gp_asm(text, size, &again, &length, NULL))
            return world_differs("no program: %s", text);
        good = length == 1 && memcmp(again, word[pc], sizeof word[pc]) == 0;
        free(again);
    }
    return good;
}

static const char *const modes[] = {"usual", NULL};
static const char *const texts[] = {NULL};
enum { S = UTGARD_GP_RANDOM_STRAIGHT, F = UTGARD_GP_RANDOM_FULL };

static const struct world_field fields[] = {
    WORLD_FIELD(struct world, attribute, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world, uniform, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world, lanes, 2, WORLD_GIVEN),
    WORLD_FIELD(struct world, varying, 4, WORLD_GIVEN | WORLD_LEFT),
    WORLD_FIELD(struct world, reg, 4, WORLD_GIVEN | WORLD_LEFT),
    WORLD_FIELD(struct world, fault, 4, WORLD_LEFT),
    {0},
};

const struct world_set world_utgard_gp = {
    .isa = &utgard_gp_set,
    .bytes = sizeof(struct world),
    .modes = modes,
    .fields = fields,
    .fill = fill,
    .settle = settle,
    .run = run,
    .emit = emit,
    .same = same,
    .count = count,
    .returns = returns,
    .texts = texts,
    .random = {.usual = 300,
               .capacity = UTGARD_GP_MAX_INSNS,
               .profiles = {S, F, F, S, F, F, S, F, F, S, F, F},
               .optimised = 1,
               .inputs = 8,
               .refused = 25},
};
