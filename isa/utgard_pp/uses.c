/* Stage after stage (README.md rule 3): what an earlier one wrote is no longer read from before. */
#include "isa/utgard_pp/uses.h"

#include "isa/utgard_pp/names.h"

/* ---- components ---- */

static void reads(struct utgard_pp_uses *u, unsigned reg, uint8_t mask)
{
    if (reg < UTGARD_PP_REGISTERS)
        u->read[reg] |= mask & (uint8_t)~u->written[reg];
}

static void reads_scalar(struct utgard_pp_uses *u, uint8_t scalar)
{
    reads(u, scalar >> 2, (uint8_t)(1u << (scalar & 3)));
}

/* The components that a swizzle names for those of `mask`. */
static void reads_vector(struct utgard_pp_uses *u, unsigned reg, uint8_t swizzle, uint8_t mask)
{
    for (unsigned n = 0; n < 4; n++)
        if (mask >> n & 1)
            reads(u, reg, (uint8_t)(1u << (swizzle >> 2 * n & 3)));
}

static void writes(struct utgard_pp_uses *u, unsigned reg, uint8_t mask)
{
    if (reg < UTGARD_PP_REGISTERS)
        u->written[reg] |= mask;
}

static void writes_scalar(struct utgard_pp_uses *u, uint8_t scalar)
{
    writes(u, scalar >> 2, (uint8_t)(1u << (scalar & 3)));
}

/* ---- stages ---- */

static void varying(const struct utgard_pp_insn *i, struct utgard_pp_uses *u)
{
    bool cube = i->varying.type == UTGARD_PP_VARYING_CUBE, point = i->varying.type == UTGARD_PP_VARYING_POINT;
    bool plane = i->varying.type == UTGARD_PP_VARYING_PLANE || (cube && i->varying.perspective == 0);
    bool of_register = !plane && !point && !(cube && i->varying.perspective == 3);
    if (plane && i->varying.vector != 15)
        reads_scalar(u, (uint8_t)(i->varying.vector << 2 | i->varying.scalar));
    if (of_register)
        reads_vector(u, i->varying.vector, (uint8_t)(i->varying.scalar | i->varying.index << 2), 15);
    if (i->varying.dest != UTGARD_PP_R_COORDINATES)
        writes(u, i->varying.dest, i->varying.mask);
}

static void sampler(const struct utgard_pp_insn *i, struct utgard_pp_uses *u)
{
    if (i->sampler.has_offset)
        reads_scalar(u, i->sampler.offset);
    if (i->sampler.has_lod)
        reads_scalar(u, i->sampler.lod);
}

/* Components of its operands that the vector accumulator takes. */
static uint8_t accumulated(const struct utgard_pp_insn *i)
{
    if (!utgard_pp_has(i, UTGARD_PP_VADD))
        return 0;
    return i->vadd.op == UTGARD_PP_ADD_SUM3 ? 7 : i->vadd.op == UTGARD_PP_ADD_SUM4 ? 15 : i->vadd.mask;
}

static void multipliers(const struct utgard_pp_insn *i, struct utgard_pp_uses *u)
{
    bool vector = utgard_pp_has(i, UTGARD_PP_VMUL), scalar = utgard_pp_has(i, UTGARD_PP_SMUL);
    if (vector) {
        uint8_t mask = i->vmul.mask | (i->vadd.mul_in ? accumulated(i) : 0);
        reads_vector(u, i->vmul.a.reg, i->vmul.a.swizzle, mask);
        if (utgard_pp_operands(UTGARD_PP_MUL_OPS, i->vmul.op) > 1)
            reads_vector(u, i->vmul.b.reg, i->vmul.b.swizzle, mask);
    }
    if (scalar) {
        reads_scalar(u, i->smul.a.reg);
        if (utgard_pp_operands(UTGARD_PP_MUL_OPS, i->smul.op) > 1)
            reads_scalar(u, i->smul.b.reg);
    }
    if (vector)
        writes(u, i->vmul.dest, i->vmul.mask);
    if (scalar && i->smul.writes)
        writes_scalar(u, i->smul.dest);
}

static void accumulators(const struct utgard_pp_insn *i, struct utgard_pp_uses *u)
{
    bool vector = utgard_pp_has(i, UTGARD_PP_VADD), scalar = utgard_pp_has(i, UTGARD_PP_SADD);
    if (vector) {
        uint8_t mask = accumulated(i);
        if (!i->vadd.mul_in)
            reads_vector(u, i->vadd.a.reg, i->vadd.a.swizzle, mask);
        if (utgard_pp_operands(UTGARD_PP_ADD_OPS, i->vadd.op) > 1)
            reads_vector(u, i->vadd.b.reg, i->vadd.b.swizzle, mask);
    }
    if (scalar) {
        if (!i->sadd.mul_in)
            reads_scalar(u, i->sadd.a.reg);
        if (utgard_pp_operands(UTGARD_PP_ADD_OPS, i->sadd.op) > 1)
            reads_scalar(u, i->sadd.b.reg);
    }
    if (vector)
        writes(u, i->vadd.dest, i->vadd.mask);
    if (scalar && i->sadd.writes)
        writes_scalar(u, i->sadd.dest);
}

static void combiner(const struct utgard_pp_insn *i, struct utgard_pp_uses *u)
{
    uint8_t kind = i->combine.kind;
    if (kind != UTGARD_PP_COMBINE_PART2)
        reads_scalar(u, i->combine.a.reg);
    if (kind == UTGARD_PP_COMBINE_VECTOR && i->combine.op == UTGARD_PP_COMBINE_ATAN2)
        reads_scalar(u, i->combine.b.reg);
    if (kind == UTGARD_PP_COMBINE_PART2)
        reads_vector(u, i->combine.b_vector, i->combine.b_swizzle, 5);
    if (kind == UTGARD_PP_COMBINE_SCALE)
        reads_vector(u, i->combine.b_vector, i->combine.b_swizzle, i->combine.mask);
    if (kind == UTGARD_PP_COMBINE_SCALE || kind == UTGARD_PP_COMBINE_VECTOR)
        writes(u, i->combine.vector_dest, i->combine.mask);
    else
        writes_scalar(u, i->combine.dest);
}

static void store(const struct utgard_pp_insn *i, struct utgard_pp_uses *u)
{
    if (i->store.frame_buffer) {
        writes(u, i->store.fb_dest, i->store.fb_source ? 15 : 1);
        return;
    }
    if (i->store.has_offset)
        reads_scalar(u, i->store.offset);
    switch (i->store.align) {
    case UTGARD_PP_FLOAT: reads_scalar(u, i->store.source); break;
    case UTGARD_PP_VEC2: reads(u, i->store.source >> 2, i->store.source & 2 ? 12 : 3); break;
    default: reads(u, i->store.source >> 2, 15);
    }
}

void utgard_pp_uses(const struct utgard_pp_insn *i, struct utgard_pp_uses *out)
{
    *out = (struct utgard_pp_uses){0};
    if (utgard_pp_has(i, UTGARD_PP_VARYING))
        varying(i, out);
    if (utgard_pp_has(i, UTGARD_PP_SAMPLER))
        sampler(i, out);
    if (utgard_pp_has(i, UTGARD_PP_LOAD) && i->load.has_offset)
        reads_scalar(out, i->load.offset);
    multipliers(i, out);
    accumulators(i, out);
    if (utgard_pp_has(i, UTGARD_PP_COMBINE))
        combiner(i, out);
    if (utgard_pp_has(i, UTGARD_PP_STORE))
        store(i, out);
    if (utgard_pp_has(i, UTGARD_PP_BRANCH) && !i->branch.discard &&
        i->branch.condition != UTGARD_PP_IF_ALWAYS) {
        reads_scalar(out, i->branch.a);
        reads_scalar(out, i->branch.b);
    }
}
