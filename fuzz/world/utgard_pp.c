/* Sixteen random fragments, for programs of Mali's pixel processors. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/utgard_pp/asm.h"
#include "isa/utgard_pp/interp.h"
#include "isa/utgard_pp/trans.h"
#include "jit/math.h"
#include "fuzz/random.h"
#include "fuzz/world/world.h"
#include "util/bits.h"
#include "util/half.h"

enum { FUEL = 60, VARYINGS = 32, UNIFORMS = 128 };

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
    uint16_t lanes;
};

/* In all lanes, for which it is compiled then, or in some; as x86 computes, or as silicon does. */
static const char *const modes[] = {"some lanes", "all lanes", "some lanes, exact", "all lanes, exact", NULL};

static bool all_lanes(unsigned mode)
{
    return mode & 1;
}

static enum isa_numeric numeric_of(unsigned mode)
{
    return mode & 2 ? ISA_EXACT : ISA_FAST;
}

static void fill(void *world, const void *program, unsigned mode, uint64_t seed)
{
    struct world *w = world;
    uint32_t *words = world;
    memset(w, 0, sizeof *w);
    w->numeric = numeric_of(mode);
    w->lanes = all_lanes(mode) ? 0xffff : (uint16_t)random_next(&seed);
    for (size_t n = 0; n < offsetof(struct world, reg) / 4; n++)
        words[n] = random_normal(&seed);
    for (unsigned l = 0; l < 16; l++)
        w->frontface[l] = l & 1 ? 0x3f800000 : 0;
    for (unsigned n = 0; w->numeric == ISA_EXACT && n < UNIFORMS; n++)
        w->uniform[n] = util_f2u(util_half_to_float(util_half_flushed((uint16_t)random_next(&seed))));
}

/* ---- interpreter ---- */

/* Whether first + offset .. + count lies in 0..size, for all lanes; the first that does not. */
static bool inside(uint32_t first, const int32_t *offset, uint32_t count, uint32_t size, uint16_t lanes,
                   uint32_t *lane)
{
    for (*lane = 0; *lane < 16; ++*lane) {
        int64_t at = (int64_t)first + (offset ? offset[*lane] : 0);
        if (lanes >> *lane & 1 && (at < 0 || at + count > size))
            return false;
    }
    return true;
}

static bool varying(void *ctx, uint32_t first, const int32_t *offset, uint32_t count, uint16_t lanes,
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
static void fragcoord(void *ctx, uint32_t out[4][16])
{
    memcpy(out, ((const struct world *)ctx)->fragcoord, 256);
}
static void pointcoord(void *ctx, uint32_t out[2][16])
{
    memcpy(out, ((const struct world *)ctx)->pointcoord, 128);
}
static void frontface(void *ctx, uint32_t out[16])
{
    memcpy(out, ((const struct world *)ctx)->frontface, 64);
}
/* Whose texels are between 0 and 1. */
static bool is_limited(uint32_t sample)
{
    return sample % 2;
}
/* A texture whose texel depends on everything that it is asked with, in the lanes that ask: differences in a
 * quad too, as a real one has. */
static bool sample(void *ctx, uint32_t n, const int32_t *offset, const uint32_t coordinates[4][16],
                   const uint32_t lod[16], uint16_t lanes, uint32_t out[4][16], uint32_t *lane)
{
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
        for (unsigned c = 0; c < 4 && is_limited(n); c++) {
            float f = util_u2f(out[c][l]);
            out[c][l] = util_f2u(f > 0 ? f < 1 ? f : 1 : 0);
        }
    }
    return true;
}
static bool uniform(void *ctx, uint32_t first, const int32_t *offset, uint32_t count, uint16_t lanes,
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
static void color(void *ctx, uint32_t out[4][16])
{
    memcpy(out, ((const struct world *)ctx)->color, 256);
}
static void depth(void *ctx, uint32_t out[16])
{
    memcpy(out, ((const struct world *)ctx)->depth, 64);
}

static void run(const void *program, unsigned mode, void *world)
{
    struct world *w = world;
    struct utgard_pp_ports ports = {w,      varying, fragcoord, pointcoord, frontface,
                                    sample, uniform, color,     depth,      w->numeric};
    static struct utgard_pp_state state;
    struct utgard_pp_report report;
    utgard_pp_run(program, &ports, w->lanes, FUEL, &state, &report, NULL, NULL);
    w->fault = isa_fault_pack(report.fault, report.lane, report.at);
    w->executed = report.executed;
    w->live = state.live;
    memcpy(w->reg, state.reg, sizeof w->reg);
}

/* ---- compiled ---- */

static LLVMValueRef at(struct jit_builder *b, size_t offset)
{
    return jit_offset_const(b, jit_param(b, 0), offset); /* the world */
}
static LLVMValueRef row(struct jit_builder *b, size_t offset, uint32_t n)
{
    return jit_load(b, b->i32x16, at(b, offset + n * 64), 4, true);
}

/* Lanes for which a place is outside; what they read instead stands at 0. */
static LLVMValueRef outside(struct jit_builder *b, uint32_t first, LLVMValueRef *offset, uint32_t count,
                            uint32_t size)
{
    LLVMValueRef place = jit_splat_u32(b, first), last = jit_splat_u32(b, size - count), in;
    if (*offset)
        place = LLVMBuildAdd(b->ir, place, *offset, "");
    in = LLVMBuildICmp(b->ir, LLVMIntULE, place, last, "");
    *offset = jit_select(b, in, place, jit_splat_u32(b, 0));
    return LLVMBuildNot(b->ir, in, "");
}

static LLVMValueRef ir_varying(void *ctx, struct jit_builder *b, uint32_t first, LLVMValueRef offset,
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
static void ir_fragcoord(void *ctx, struct jit_builder *b, LLVMValueRef out[4])
{
    for (uint32_t n = 0; n < 4; n++)
        out[n] = row(b, offsetof(struct world, fragcoord), n);
}
static void ir_pointcoord(void *ctx, struct jit_builder *b, LLVMValueRef out[2])
{
    for (uint32_t n = 0; n < 2; n++)
        out[n] = row(b, offsetof(struct world, pointcoord), n);
}
static LLVMValueRef ir_frontface(void *ctx, struct jit_builder *b)
{
    return row(b, offsetof(struct world, frontface), 0);
}
static LLVMValueRef lanes_of(struct jit_builder *b, LLVMValueRef v, uint32_t clear, uint32_t set,
                             uint32_t flip)
{
    uint32_t from[16];
    for (uint32_t l = 0; l < 16; l++)
        from[l] = ((l & ~clear) | set) ^ flip;
    return LLVMBuildShuffleVector(b->ir, v, LLVMGetPoison(LLVMTypeOf(v)), jit_vector_u32(b, from), "");
}
static LLVMValueRef ir_sample(void *ctx, struct jit_builder *b, uint32_t n, LLVMValueRef offset,
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
    for (unsigned c = 0; c < 4 && is_limited(n); c++)
        out[c] = jit_as_i32(b, jit_unit_times(b, jit_as_f32(b, out[c]), 1));
    return bad;
}
static float ir_sample_limit(void *ctx, uint32_t n)
{
    return is_limited(n) ? 1 : INFINITY;
}
static LLVMValueRef ir_uniform(void *ctx, struct jit_builder *b, uint32_t first, LLVMValueRef offset,
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
static void ir_color(void *ctx, struct jit_builder *b, LLVMValueRef out[4])
{
    for (uint32_t n = 0; n < 4; n++)
        out[n] = row(b, offsetof(struct world, color), n);
}
static LLVMValueRef ir_depth(void *ctx, struct jit_builder *b)
{
    return row(b, offsetof(struct world, depth), 0);
}

static int emit(struct jit_builder *b, const void *program, unsigned mode, LLVMValueRef world)
{
    struct utgard_pp_ir_state state;
    LLVMValueRef fault, lanes = LLVMConstAllOnes(b->i1x16);
    enum isa_numeric numeric = numeric_of(mode);
    if (!all_lanes(mode))
        lanes = jit_mask_from_bits(b, jit_load(b, b->i16, at(b, offsetof(struct world, lanes)), 2, true));
    struct utgard_pp_ir_ports ports = {&numeric,
                                       ir_varying,
                                       ir_fragcoord,
                                       ir_pointcoord,
                                       ir_frontface,
                                       ir_sample,
                                       ir_sample_limit,
                                       ir_uniform,
                                       ir_color,
                                       ir_depth,
                                       at(b, offsetof(struct world, temporaries)),
                                       numeric};
    int status = utgard_pp_translate(b, program, &ports, lanes, jit_i32(b, FUEL), &fault, &state);
    if (status)
        return status;
    jit_store(b, state.faults ? fault : jit_i32(b, 0), at(b, offsetof(struct world, fault)), 4);
    jit_store(b, state.executed, at(b, offsetof(struct world, executed)), 8);
    jit_store(b, jit_mask_to_bits(b, state.live), at(b, offsetof(struct world, live)), 2);
    for (unsigned n = 0; n < UTGARD_PP_REGISTERS; n++)
        for (unsigned c = 0; c < 4; c++)
            jit_store(b, state.reg[n][c], at(b, offsetof(struct world, reg) + (n * 4 + c) * 64), 4);
    return 0;
}

/* ---- both ---- */

static bool same(const void *program, unsigned mode, const void *input, const void *expected, const void *got)
{
    const struct world *x = expected, *y = got;
    if (x->fault != y->fault)
        return world_differs("fault %x, expected %x", y->fault, x->fault);
    if (x->fault)
        return true;
    if (x->executed != y->executed)
        return world_differs("%llu instructions, expected %llu", (unsigned long long)y->executed,
                             (unsigned long long)x->executed);
    if (x->live != y->live)
        return world_differs("live %04x, expected %04x", y->live, x->live);
    for (unsigned l = 0; l < 16; l++)
        for (unsigned n = 0; x->lanes >> l & 1 && n < UTGARD_PP_REGISTERS * 4; n++) {
            uint32_t e = x->reg[n / 4][n % 4][l], g = y->reg[n / 4][n % 4][l];
            if (!world_same_float(e, g))
                return world_differs("lane %u: r%u.%c is %08x, expected %08x", l, n / 4, "xyzw"[n % 4], g, e);
        }
    return true;
}

static void count(const void *world, struct world_outcome *outcome)
{
    const struct world *w = world;
    unsigned lanes = (unsigned)__builtin_popcount(w->lanes);
    outcome->lanes += lanes;
    outcome->faulted += w->fault ? lanes : 0;
    outcome->discarded += (unsigned)__builtin_popcount(w->lanes & ~w->live);
}

/* A branch's target is relative to where it stands: as raw words or as a number, it is the same. */
static bool is_branch(const char *text)
{
    return strstr(text, "branch");
}

static uint32_t disasm(const void *words, uint32_t count, uint32_t at, char *text)
{
    return utgard_pp_disasm(words, count, at, text);
}

static bool returns(const void *words, uint32_t count)
{
    return world_returns(&utgard_pp_set, disasm, words, count, is_branch);
}

/* A few bits, but not those that say how long an instruction is. */
static void turn(void *program, uint32_t count, uint64_t *seed)
{
    uint32_t *words = program;
    for (uint32_t n = random_turned(seed), at = 0; n; n--) {
        struct utgard_pp_insn insn;
        uint32_t length = utgard_pp_decode(words, count, at, &insn), skipped = random_next(seed) % 16;
        for (; skipped; skipped--, length = utgard_pp_decode(words, count, at, &insn))
            at = at + length < count ? at + length : 0;
        uint32_t bit = random_next(seed) % (UTIL_MAX(length, 1u) * 32);
        if (bit >= 19 || bit == 5 || bit == 6)
            words[at + bit / 32] ^= 1u << bit % 32;
    }
}

static const char *const texts[] = {
    /* the largest of three, two of them one constant, the other now and then NaN */
    "var r1, v0\nc0 1.0, 0.0, 0.0, 0.0 ; mov.v1 r1.xz, c0.xxxx\ncube r0, r1 ; stop",
    NULL,
};
enum { S = UTGARD_PP_RANDOM_STRAIGHT, F = UTGARD_PP_RANDOM_FULL };

static const struct world_field fields[] = {
    WORLD_FIELD(struct world, varying, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world, fragcoord, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world, pointcoord, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world, frontface, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world, color, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world, depth, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world, uniform, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world, lanes, 2, WORLD_GIVEN),
    WORLD_FIELD(struct world, reg, 4, WORLD_GIVEN | WORLD_LEFT),
    WORLD_FIELD(struct world, live, 2, WORLD_LEFT),
    WORLD_FIELD(struct world, fault, 4, WORLD_LEFT),
    WORLD_FIELD(struct world, executed, 8, WORLD_LEFT),
    {0},
};

const struct world_set world_utgard_pp = {
    .isa = &utgard_pp_set,
    .bytes = sizeof(struct world),
    .modes = modes,
    .fields = fields,
    .fill = fill,
    .run = run,
    .emit = emit,
    .same = same,
    .count = count,
    .returns = returns,
    .texts = texts,
    .text_inputs = 100,
    .random = {.usual = 300,
               .capacity = 2048,
               .profiles = {S, F, F, S, F, F, S, F, F, S, F, F},
               .optimised = 1,
               .inputs = 8,
               .refused = 25,
               .discards = true,
               .turn = turn},
};
