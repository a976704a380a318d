/* The rules of rules.inc, instruction by instruction. */
#include <stdlib.h>

#include "isa/utgard_pp/asm.h"
#include "isa/utgard_pp/names.h"

enum rule {
#define RULE(name, text, source) RULE_##name,
#include "isa/utgard_pp/rules.inc"
    RULE_COUNT
};
static const struct {
    const char *text, *source;
} rules[] = {
#define RULE(name, text, source) {text, source},
#include "isa/utgard_pp/rules.inc"
};

struct check {
    isa_breach_fn found;
    void *data;
    unsigned count;
    uint32_t at, reported; /* bit a rule, of the instruction at hand */
};

/* A rule once an instruction. */
static void breach_if(struct check *c, bool broken, enum rule rule)
{
    if (!broken || c->reported >> rule & 1)
        return;
    c->reported |= 1u << rule;
    c->count++;
    if (c->found)
        c->found(c->data, c->at, rules[rule].text, rules[rule].source);
}

/* ---- operands ---- */

static void check_register(struct check *c, const struct utgard_pp_insn *i, uint8_t reg)
{
    breach_if(c,
              (reg == UTGARD_PP_R_CONST0 && !utgard_pp_has(i, UTGARD_PP_CONST0)) ||
                  (reg == UTGARD_PP_R_CONST1 && !utgard_pp_has(i, UTGARD_PP_CONST1)) ||
                  (reg == UTGARD_PP_R_TEXTURE && !utgard_pp_has(i, UTGARD_PP_SAMPLER)) ||
                  (reg == UTGARD_PP_R_UNIFORM && !utgard_pp_has(i, UTGARD_PP_LOAD)),
              RULE_SPECIAL);
}

static void check_dest(struct check *c, uint8_t reg)
{
    breach_if(c, reg >= UTGARD_PP_REGISTERS, RULE_DEST);
}

/* ---- fields ---- */

static void check_varying(struct check *c, const struct utgard_pp_insn *i)
{
    uint8_t type = i->varying.type, p = i->varying.perspective;
    bool from_register =
        type == UTGARD_PP_VARYING_REGISTER || (type == UTGARD_PP_VARYING_CUBE && (p == 1 || p == 2));
    bool plane = type == UTGARD_PP_VARYING_PLANE || (type == UTGARD_PP_VARYING_CUBE && p == 0);
    breach_if(c, i->varying.unknown_0 || i->varying.unknown_1 || i->varying.unknown_2, RULE_VARYING);
    breach_if(c, type < UTGARD_PP_VARYING_CUBE && p == 1, RULE_VARYING);
    breach_if(c, plane && i->varying.align == UTGARD_PP_VEC4_LOAD, RULE_VARYING);
    breach_if(c, i->varying.dest != UTGARD_PP_R_COORDINATES && i->varying.dest >= UTGARD_PP_REGISTERS,
              RULE_DEST);
    if (from_register)
        check_register(c, i, i->varying.vector);
}

static void check_memory(struct check *c, const struct utgard_pp_insn *i)
{
    if (utgard_pp_has(i, UTGARD_PP_SAMPLER)) {
        bool known = i->sampler.type == UTGARD_PP_SAMPLER_2D || i->sampler.type == UTGARD_PP_SAMPLER_CUBE;
        breach_if(c, !utgard_pp_has(i, UTGARD_PP_VARYING), RULE_COORDINATES);
        breach_if(c,
                  !known || i->sampler.unknown_0 || i->sampler.unknown_1 ||
                      i->sampler.mark != UTGARD_PP_SAMPLER_MARK,
                  RULE_SAMPLER);
        breach_if(c, !i->sync, RULE_SYNC);
    }
    if (utgard_pp_has(i, UTGARD_PP_LOAD)) {
        bool known =
            i->load.source == UTGARD_PP_SOURCE_UNIFORM || i->load.source == UTGARD_PP_SOURCE_TEMPORARY;
        breach_if(c, !known || i->load.unknown_0 || i->load.unknown_1 || i->load.align > UTGARD_PP_VEC4_LOAD,
                  RULE_LOAD);
    }
    if (utgard_pp_has(i, UTGARD_PP_STORE) && i->store.frame_buffer) {
        breach_if(c, i->store.unknown_0 != 7 || i->store.fb_unknown != 2, RULE_STORE);
        check_dest(c, i->store.fb_dest);
    } else if (utgard_pp_has(i, UTGARD_PP_STORE)) {
        breach_if(c,
                  i->store.dest != 3 || i->store.unknown_0 || i->store.unknown_1 ||
                      i->store.align > UTGARD_PP_VEC4_LOAD,
                  RULE_STORE);
        check_register(c, i, i->store.source >> 2);
    }
}

static void check_units(struct check *c, const struct utgard_pp_insn *i)
{
    bool vmul = utgard_pp_has(i, UTGARD_PP_VMUL), smul = utgard_pp_has(i, UTGARD_PP_SMUL);
    bool vadd = utgard_pp_has(i, UTGARD_PP_VADD), sadd = utgard_pp_has(i, UTGARD_PP_SADD);
    breach_if(c,
              (vmul && !utgard_pp_name(UTGARD_PP_MUL_OPS, i->vmul.op)) ||
                  (smul && !utgard_pp_name(UTGARD_PP_MUL_OPS, i->smul.op)),
              RULE_MUL_OP);
    breach_if(c, vadd && !utgard_pp_name(UTGARD_PP_ADD_OPS, i->vadd.op), RULE_ADD_OP);
    breach_if(c,
              sadd && (!utgard_pp_name(UTGARD_PP_ADD_OPS, i->sadd.op) || i->sadd.op == UTGARD_PP_ADD_SUM3 ||
                       i->sadd.op == UTGARD_PP_ADD_SUM4),
              RULE_ADD_OP);
    breach_if(c, (vadd && i->vadd.mul_in && !vmul) || (sadd && i->sadd.mul_in && !smul), RULE_MUL_IN);
    breach_if(c,
              !i->sync && ((vadd && (i->vadd.op | 1) == UTGARD_PP_ADD_DFDY) ||
                           (sadd && (i->sadd.op | 1) == UTGARD_PP_ADD_DFDY)),
              RULE_SYNC);
    breach_if(c,
              (vmul && i->vmul.mask && i->vmul.dest >= UTGARD_PP_REGISTERS) ||
                  (vadd && i->vadd.mask && i->vadd.dest >= UTGARD_PP_REGISTERS) ||
                  (smul && i->smul.writes && i->smul.dest >> 2 >= UTGARD_PP_REGISTERS) ||
                  (sadd && i->sadd.writes && i->sadd.dest >> 2 >= UTGARD_PP_REGISTERS),
              RULE_DEST);
}

static void check_operands(struct check *c, const struct utgard_pp_insn *i)
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

static void check_combine(struct check *c, const struct utgard_pp_insn *i)
{
    uint8_t kind = i->combine.kind, op = i->combine.op;
    bool part1 = op == UTGARD_PP_COMBINE_ATAN || op == UTGARD_PP_COMBINE_ATAN2;
    bool to_vector = kind == UTGARD_PP_COMBINE_SCALE || kind == UTGARD_PP_COMBINE_VECTOR;
    breach_if(c, kind == UTGARD_PP_COMBINE_SCALAR && (part1 || !utgard_pp_name(UTGARD_PP_COMBINE_OPS, op)),
              RULE_COMBINE_OP);
    breach_if(c, kind == UTGARD_PP_COMBINE_VECTOR && !part1, RULE_COMBINE_OP);
    breach_if(c, kind == UTGARD_PP_COMBINE_PART2 && i->combine.unknown, RULE_COMBINE_OP);
    check_dest(c, to_vector ? i->combine.vector_dest : i->combine.dest >> 2);
    if (kind != UTGARD_PP_COMBINE_PART2)
        check_register(c, i, i->combine.a.reg >> 2);
    if (kind == UTGARD_PP_COMBINE_SCALE || kind == UTGARD_PP_COMBINE_PART2)
        check_register(c, i, i->combine.b_vector);
}

static void check_branch(struct check *c, const struct utgard_pp_insn *i, const uint8_t *starts,
                         uint32_t count)
{
    int64_t target = (int64_t)i->at + i->branch.target;
    if (i->branch.discard)
        return;
    breach_if(c, i->branch.unknown_0 || i->branch.unknown_1 || !i->branch.condition, RULE_BRANCH);
    breach_if(c, target < 0 || target >= count || !starts[target], RULE_TARGET);
    if (i->branch.condition != UTGARD_PP_IF_ALWAYS) {
        check_register(c, i, i->branch.a >> 2);
        check_register(c, i, i->branch.b >> 2);
    }
}

static void check_control(struct check *c, const struct utgard_pp_insn *i, uint32_t next)
{
    bool leaves = i->stop || (utgard_pp_has(i, UTGARD_PP_BRANCH) &&
                              (i->branch.discard || i->branch.condition == UTGARD_PP_IF_ALWAYS));
    breach_if(c, i->count != utgard_pp_length(i->fields), RULE_LENGTH);
    breach_if(c, i->prefetch && i->next && next && i->next < next, RULE_NEXT);
    breach_if(c, !next && !leaves, RULE_END);
}

unsigned utgard_pp_check(const void *program, uint32_t count, isa_breach_fn found, void *data)
{
    const uint32_t *words = program;
    struct check c = {.found = found, .data = data};
    struct utgard_pp_insn insn, next;
    uint8_t *starts = calloc((size_t)count + 1, 1);
    uint32_t length;
    breach_if(&c, !starts, RULE_INSTRUCTION);
    for (uint32_t at = 0; starts && at < count; at += length ? length : 1) {
        length = utgard_pp_decode(words, count, at, &insn);
        starts[at] = length != 0;
    }
    for (; starts && c.at < count; c.at += length ? length : 1) {
        c.reported = 0;
        length = utgard_pp_decode(words, count, c.at, &insn);
        breach_if(&c, !length, RULE_INSTRUCTION);
        if (!length)
            continue;
        check_control(&c, &insn, utgard_pp_decode(words, count, c.at + length, &next));
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
