/* The rules of rules.inc, instruction by instruction. */
#include <stdlib.h>

#include "isa/utgard_pp/asm.h"
#include "isa/utgard_pp/lint.h"
#include "isa/utgard_pp/names.h"

/* As utgard_pp_rules numbers them. */
enum rule {
    RULE_STRUCTURE,
#define RULE(name, text, source) RULE_##name,
#include "isa/utgard_pp/rules.inc"
    RULE_COUNT
};
_Static_assert(RULE_COUNT <= 64, "one bit a rule");

/* ---- operands ---- */

static void check_register(struct isa_check *c, const struct utgard_pp_insn *i, uint8_t reg)
{
    isa_breach_if(c,
                  (reg == UTGARD_PP_R_CONST0 && !utgard_pp_has(i, UTGARD_PP_CONST0)) ||
                      (reg == UTGARD_PP_R_CONST1 && !utgard_pp_has(i, UTGARD_PP_CONST1)) ||
                      (reg == UTGARD_PP_R_TEXTURE && !utgard_pp_has(i, UTGARD_PP_SAMPLER)) ||
                      (reg == UTGARD_PP_R_UNIFORM && !utgard_pp_has(i, UTGARD_PP_LOAD)),
                  RULE_SPECIAL);
}

static void check_dest(struct isa_check *c, uint8_t reg)
{
    isa_breach_if(c, reg >= UTGARD_PP_REGISTERS, RULE_DEST);
}

/* ---- fields ---- */

static void check_varying(struct isa_check *c, const struct utgard_pp_insn *i)
{
    uint8_t type = i->varying.type, p = i->varying.perspective;
    bool from_register =
        type == UTGARD_PP_VARYING_REGISTER || (type == UTGARD_PP_VARYING_CUBE && (p == 1 || p == 2));
    bool plane = type == UTGARD_PP_VARYING_PLANE || (type == UTGARD_PP_VARYING_CUBE && p == 0);
    isa_breach_if(c, i->varying.unknown_0 || i->varying.unknown_1 || i->varying.unknown_2, RULE_VARYING);
    isa_breach_if(c, type < UTGARD_PP_VARYING_CUBE && p == 1, RULE_VARYING);
    isa_breach_if(c, plane && i->varying.align == UTGARD_PP_VEC4_LOAD, RULE_VARYING);
    isa_breach_if(c, i->varying.dest != UTGARD_PP_R_COORDINATES && i->varying.dest >= UTGARD_PP_REGISTERS,
                  RULE_DEST);
    if (from_register)
        check_register(c, i, i->varying.vector);
}

static void check_memory(struct isa_check *c, const struct utgard_pp_insn *i)
{
    if (utgard_pp_has(i, UTGARD_PP_SAMPLER)) {
        bool known = i->sampler.type == UTGARD_PP_SAMPLER_2D || i->sampler.type == UTGARD_PP_SAMPLER_CUBE;
        isa_breach_if(c, !utgard_pp_has(i, UTGARD_PP_VARYING), RULE_COORDINATES);
        isa_breach_if(c,
                      !known || i->sampler.unknown_0 || i->sampler.unknown_1 ||
                          i->sampler.mark != UTGARD_PP_SAMPLER_MARK,
                      RULE_SAMPLER);
        isa_breach_if(c, !i->sync, RULE_SYNC);
    }
    if (utgard_pp_has(i, UTGARD_PP_LOAD)) {
        bool known =
            i->load.source == UTGARD_PP_SOURCE_UNIFORM || i->load.source == UTGARD_PP_SOURCE_TEMPORARY;
        isa_breach_if(c,
                      !known || i->load.unknown_0 || i->load.unknown_1 || i->load.align > UTGARD_PP_VEC4_LOAD,
                      RULE_LOAD);
    }
    if (utgard_pp_has(i, UTGARD_PP_STORE) && i->store.frame_buffer) {
        isa_breach_if(c, i->store.unknown_0 != 7 || i->store.fb_unknown != 2, RULE_STORE);
        check_dest(c, i->store.fb_dest);
    } else if (utgard_pp_has(i, UTGARD_PP_STORE)) {
        isa_breach_if(c,
                      i->store.dest != 3 || i->store.unknown_0 || i->store.unknown_1 ||
                          i->store.align > UTGARD_PP_VEC4_LOAD,
                      RULE_STORE);
        check_register(c, i, i->store.source >> 2);
    }
}

static void check_units(struct isa_check *c, const struct utgard_pp_insn *i)
{
    bool vmul = utgard_pp_has(i, UTGARD_PP_VMUL), smul = utgard_pp_has(i, UTGARD_PP_SMUL);
    bool vadd = utgard_pp_has(i, UTGARD_PP_VADD), sadd = utgard_pp_has(i, UTGARD_PP_SADD);
    isa_breach_if(c,
                  (vmul && !utgard_pp_name(UTGARD_PP_MUL_OPS, i->vmul.op)) ||
                      (smul && !utgard_pp_name(UTGARD_PP_MUL_OPS, i->smul.op)),
                  RULE_MUL_OP);
    isa_breach_if(c, vadd && !utgard_pp_name(UTGARD_PP_ADD_OPS, i->vadd.op), RULE_ADD_OP);
    isa_breach_if(c,
                  sadd && (!utgard_pp_name(UTGARD_PP_ADD_OPS, i->sadd.op) ||
                           i->sadd.op == UTGARD_PP_ADD_SUM3 || i->sadd.op == UTGARD_PP_ADD_SUM4),
                  RULE_ADD_OP);
    isa_breach_if(c, (vadd && i->vadd.mul_in && !vmul) || (sadd && i->sadd.mul_in && !smul), RULE_MUL_IN);
    isa_breach_if(c,
                  !i->sync && ((vadd && (i->vadd.op | 1) == UTGARD_PP_ADD_DFDY) ||
                               (sadd && (i->sadd.op | 1) == UTGARD_PP_ADD_DFDY)),
                  RULE_SYNC);
    isa_breach_if(c,
                  (vmul && i->vmul.mask && i->vmul.dest >= UTGARD_PP_REGISTERS) ||
                      (vadd && i->vadd.mask && i->vadd.dest >= UTGARD_PP_REGISTERS) ||
                      (smul && i->smul.writes && i->smul.dest >> 2 >= UTGARD_PP_REGISTERS) ||
                      (sadd && i->sadd.writes && i->sadd.dest >> 2 >= UTGARD_PP_REGISTERS),
                  RULE_DEST);
}

static void check_operands(struct isa_check *c, const struct utgard_pp_insn *i)
{
    if (utgard_pp_has(i, UTGARD_PP_VMUL)) {
        check_register(c, i, i->vmul.a.reg);
        if (utgard_pp_operands(UTGARD_PP_MUL_OPS, i->vmul.op) > 1)
            check_register(c, i, i->vmul.b.reg);
    }
    if (utgard_pp_has(i, UTGARD_PP_SMUL)) {
        check_register(c, i, i->smul.a.reg >> 2);
        if (utgard_pp_operands(UTGARD_PP_MUL_OPS, i->smul.op) > 1)
            check_register(c, i, i->smul.b.reg >> 2);
    }
    if (utgard_pp_has(i, UTGARD_PP_VADD)) {
        if (!i->vadd.mul_in)
            check_register(c, i, i->vadd.a.reg);
        if (utgard_pp_operands(UTGARD_PP_ADD_OPS, i->vadd.op) > 1)
            check_register(c, i, i->vadd.b.reg);
    }
    if (utgard_pp_has(i, UTGARD_PP_SADD)) {
        if (!i->sadd.mul_in)
            check_register(c, i, i->sadd.a.reg >> 2);
        if (utgard_pp_operands(UTGARD_PP_ADD_OPS, i->sadd.op) > 1)
            check_register(c, i, i->sadd.b.reg >> 2);
    }
}

static void check_combine(struct isa_check *c, const struct utgard_pp_insn *i)
{
    uint8_t kind = i->combine.kind, op = i->combine.op;
    bool part1 = op == UTGARD_PP_COMBINE_ATAN || op == UTGARD_PP_COMBINE_ATAN2;
    bool to_vector = kind == UTGARD_PP_COMBINE_SCALE || kind == UTGARD_PP_COMBINE_VECTOR;
    isa_breach_if(c,
                  kind == UTGARD_PP_COMBINE_SCALAR && (part1 || !utgard_pp_name(UTGARD_PP_COMBINE_OPS, op)),
                  RULE_COMBINE_OP);
    isa_breach_if(c, kind == UTGARD_PP_COMBINE_VECTOR && !part1, RULE_COMBINE_OP);
    isa_breach_if(c, kind == UTGARD_PP_COMBINE_PART2 && i->combine.unknown, RULE_COMBINE_OP);
    check_dest(c, to_vector ? i->combine.vector_dest : i->combine.dest >> 2);
    if (kind != UTGARD_PP_COMBINE_PART2)
        check_register(c, i, i->combine.a.reg >> 2);
    if (kind == UTGARD_PP_COMBINE_SCALE || kind == UTGARD_PP_COMBINE_PART2)
        check_register(c, i, i->combine.b_vector);
}

static void check_branch(struct isa_check *c, const struct utgard_pp_insn *i, const uint8_t *starts,
                         uint32_t count)
{
    int64_t target = (int64_t)i->at + i->branch.target;
    if (i->branch.discard)
        return;
    isa_breach_if(c, i->branch.unknown_0 || i->branch.unknown_1 || !i->branch.condition, RULE_BRANCH);
    isa_breach_if(c, target < 0 || target >= count || !starts[target], RULE_TARGET);
    if (i->branch.condition != UTGARD_PP_IF_ALWAYS) {
        check_register(c, i, i->branch.a >> 2);
        check_register(c, i, i->branch.b >> 2);
    }
}

static void check_control(struct isa_check *c, const struct utgard_pp_insn *i, uint32_t next)
{
    bool leaves = i->stop || (utgard_pp_has(i, UTGARD_PP_BRANCH) &&
                              (i->branch.discard || i->branch.condition == UTGARD_PP_IF_ALWAYS));
    isa_breach_if(c, i->count != utgard_pp_length(i->fields), RULE_LENGTH);
    isa_breach_if(c, i->prefetch && i->next && next && i->next < next, RULE_NEXT);
    isa_breach_if(c, !next && !leaves, RULE_END);
}

unsigned utgard_pp_check(const void *program, uint32_t count, isa_breach_fn found, void *data)
{
    const uint32_t *words = program;
    uint32_t rules;
    struct isa_check c = {.rules = utgard_pp_rules(&rules), .found = found, .data = data};
    struct utgard_pp_insn insn, next;
    uint8_t *starts = calloc((size_t)count + 1, 1);
    uint32_t length;
    isa_breach_if(&c, !starts, RULE_INSTRUCTION);
    for (uint32_t at = 0; starts && at < count; at += length ? length : 1) {
        length = utgard_pp_decode(words, count, at, &insn);
        starts[at] = length != 0;
    }
    for (uint32_t at = 0; starts && at < count; at += length ? length : 1) {
        isa_check_at(&c, at);
        length = utgard_pp_decode(words, count, at, &insn);
        isa_breach_if(&c, !length, RULE_INSTRUCTION);
        if (!length)
            continue;
        check_control(&c, &insn, utgard_pp_decode(words, count, at + length, &next));
        if (utgard_pp_has(&insn, UTGARD_PP_VARYING))
            check_varying(&c, &insn);
        check_memory(&c, &insn);
        check_units(&c, &insn);
        check_operands(&c, &insn);
        if (utgard_pp_has(&insn, UTGARD_PP_COMBINE))
            check_combine(&c, &insn);
        if (utgard_pp_has(&insn, UTGARD_PP_BRANCH))
            check_branch(&c, &insn, starts, count);
    }
    free(starts);
    return c.count;
}
