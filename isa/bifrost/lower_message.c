/* Messages: operands are taken where the instruction stands, staging registers behind the writes of the tuple before; what
 * comes is written behind all others of the clause. */
#include "isa/bifrost/asm.h"
#include "isa/bifrost/lower_internal.h"
#include "isa/ports.h"

/* ---- operands ---- */

/* Nothing writes these. */
bool bifrost_lasts(const struct warp_source *s)
{
    return s->from != WARP_REGISTER && s->from != WARP_TEMPORARY;
}

struct warp_source bifrost_hold(struct bifrost_lowering *l, struct warp_source word)
{
    if (bifrost_lasts(&word))
        return word;
    const unsigned n = TEMPORARY_OPERAND + l->message.operands++;
    bifrost_move(l, n, word);
    return bifrost_temporary(n);
}

struct warp_source bifrost_hold_pair(struct bifrost_lowering *l, struct warp_source low,
                                     struct warp_source high)
{
    struct warp_source out = low;
    const bool beside = low.from == high.from && high.index == low.index + 1 && !(low.index & 1) &&
                        (low.from == WARP_UNIFORM || low.from == WARP_SPECIAL || low.from == WARP_COUNTER);
    out.width = 64;
    if (low.from == WARP_CONSTANT && high.from == WARP_CONSTANT) {
        out.value = (uint32_t)low.value | high.value << 32;
        return out;
    }
    if (beside && low.value == high.value)
        return out;
    const unsigned n = TEMPORARY_OPERAND + l->message.operands;
    l->message.operands = (uint8_t)(l->message.operands + 2);
    bifrost_move(l, n, low);
    bifrost_move(l, n + 1, high);
    out = bifrost_temporary(n);
    out.width = 64;
    return out;
}

struct warp_source bifrost_operand(struct bifrost_lowering *l, const struct bifrost_insn *i, unsigned n)
{
    return bifrost_hold(l, bifrost_word_of(l, &i->source[n]));
}

struct warp_source bifrost_address(struct bifrost_lowering *l, const struct bifrost_insn *i, unsigned n)
{
    return bifrost_hold_pair(l, bifrost_word_of(l, &i->source[n]), bifrost_word_of(l, &i->source[n + 1]));
}

/* ---- staging registers ---- */

void bifrost_read_register(struct bifrost_lowering *l, unsigned reg)
{
    struct bifrost_pending *m = &l->message;
    m->from[m->word_count] = (uint8_t)(reg % BIFROST_REGISTERS);
    m->to[m->word_count++] = (uint8_t)(TEMPORARY_STAGING + m->insn[0].read.count++);
}

void bifrost_read_word(struct bifrost_lowering *l, struct warp_source word)
{
    bifrost_move(l, TEMPORARY_STAGING + l->message.insn[0].read.count++, word);
}

void bifrost_read_staging(struct bifrost_lowering *l, const struct bifrost_insn *i, unsigned count)
{
    for (unsigned n = 0; n < count; n++)
        bifrost_read_register(l, i->staging_reg + n);
}

void bifrost_take_staging(struct bifrost_lowering *l)
{
    const struct bifrost_pending *m = &l->message;
    for (unsigned n = 0; n < m->word_count; n++)
        bifrost_move(l, m->to[n],
                     (struct warp_source){.from = WARP_REGISTER, .index = m->from[n], .width = 32});
}

void bifrost_write_staging(struct bifrost_lowering *l, const struct bifrost_insn *i, unsigned count)
{
    l->message.insn[0].write = (struct warp_run){i->staging_reg, (uint8_t)count};
}

struct warp_insn *bifrost_begin(struct bifrost_lowering *l, enum warp_kind kind)
{
    struct warp_insn *out = &l->message.insn[0];
    l->message.any = true;
    out->kind = (uint8_t)kind;
    out->reads_temporaries = true;
    out->read.reg = TEMPORARY_STAGING;
    return out;
}

/* ---- descriptors ---- */

static bool is_format_known(uint8_t word)
{
    return word != BIFROST_F64 && word != BIFROST_I64;
}

static void register_format(const struct bifrost_insn *i, struct warp_insn *out)
{
    const uint8_t format = i->mod[BIFROST_MOD_REGISTER_FORMAT], vector = i->mod[BIFROST_MOD_VECSIZE];
    out->halves = format == BIFROST_F16 || format == BIFROST_S16 || format == BIFROST_U16;
    out->any_type = format == BIFROST_AUTO || format == BIFROST_NONE;
    out->type = format == BIFROST_F16                            ? ISA_TYPE_F16
                : format == BIFROST_F32                          ? ISA_TYPE_F32
                : format == BIFROST_S32 || format == BIFROST_S16 ? ISA_TYPE_I32
                : format == BIFROST_U32 || format == BIFROST_U16 ? ISA_TYPE_U32
                                                                 : ISA_TYPE_RAW;
    out->components = vector == BIFROST_V4 ? 4 : vector == BIFROST_V3 ? 3 : vector == BIFROST_V2 ? 2 : 1;
}

/* Which table of attributes a DTSEL_IMM beside it says, or its own. */
static uint32_t table_of(const struct bifrost_lowering *l, uint32_t own)
{
    const struct bifrost_insn *select = &l->clause->tuple[l->tuple].insn[BIFROST_FMA];
    if (select->op != BIFROST_OP_DTSEL_IMM)
        return own;
    return select->mod[BIFROST_MOD_TABLE] == BIFROST_ATTRIBUTE_1 ? BIFROST_TABLE_ATTRIBUTES
                                                                 : BIFROST_TABLE_VARYINGS;
}

/* A number in a table as isa/warp has it. */
static struct warp_source handle(struct bifrost_lowering *l, struct warp_source number, uint32_t table)
{
    struct warp_source zero = bifrost_constant(0);
    if (number.from == WARP_CONSTANT) {
        number.value |= table << WARP_HANDLE_TABLE_AT;
        return number;
    }
    if (!table)
        return bifrost_hold(l, number);
    const unsigned n = TEMPORARY_OPERAND + l->message.operands++;
    zero.width = 8;
    bifrost_compute(l, WARP_LSHIFT_OR_I32, n, number, zero, bifrost_constant(table << WARP_HANDLE_TABLE_AT));
    return bifrost_temporary(n);
}

static struct warp_insn *as_it_is(struct bifrost_lowering *l, const struct bifrost_insn *i,
                                  enum warp_message_kind kind)
{
    struct warp_insn *out = bifrost_begin(l, WARP_MESSAGE);
    out->message = (uint8_t)kind;
    register_format(i, out);
    if (i->staging & BIFROST_STAGING_WRITE)
        bifrost_write_staging(l, i, i->staging_count);
    else if (i->staging)
        bifrost_read_staging(l, i, i->staging_count);
    return out;
}

/* Vertex and instance, or coordinates; and the number of a descriptor. */
static void attribute(struct bifrost_lowering *l, const struct bifrost_insn *i, enum warp_message_kind kind,
                      uint32_t table)
{
    struct warp_insn *out = as_it_is(l, i, kind);
    struct warp_source number = bifrost_constant(i->immediate[BIFROST_IMM_ATTRIBUTE_INDEX]);
    out->source[0] = bifrost_operand(l, i, 0);
    out->source[1] = bifrost_operand(l, i, 1);
    if (i->source_count > 2)
        number = bifrost_word_of(l, &i->source[2]);
    out->source[2] = handle(l, number, table_of(l, table));
}

static void interpolation(const struct bifrost_insn *i, struct warp_insn *out)
{
    const uint8_t sample = i->mod[BIFROST_MOD_SAMPLE], update = i->mod[BIFROST_MOD_UPDATE];
    out->sample = sample == BIFROST_CENTROID   ? WARP_SAMPLE_CENTROID
                  : sample == BIFROST_SAMPLE   ? WARP_SAMPLE_SAMPLE
                  : sample == BIFROST_EXPLICIT ? WARP_SAMPLE_EXPLICIT
                                               : WARP_SAMPLE_CENTER;
    out->update = update == BIFROST_RETRIEVE      ? WARP_UPDATE_RETRIEVE
                  : update == BIFROST_CONDITIONAL ? WARP_UPDATE_CONDITIONAL
                  : update == BIFROST_CLOBBER     ? WARP_UPDATE_CLOBBER
                                                  : WARP_UPDATE_STORE;
}

static bool varying(struct bifrost_lowering *l, const struct bifrost_insn *i)
{
    const bool flat = i->op == BIFROST_OP_LD_VAR_FLAT || i->op == BIFROST_OP_LD_VAR_FLAT_IMM;
    const bool immediate = i->op == BIFROST_OP_LD_VAR_IMM || i->op == BIFROST_OP_LD_VAR_FLAT_IMM;
    if (i->mod[BIFROST_MOD_FUNCTION])
        return false;
    struct warp_insn *out = as_it_is(l, i, flat ? WARP_VARYING_FLAT : WARP_VARYING);
    interpolation(i, out);
    out->source[0] = flat ? bifrost_constant(0) : bifrost_operand(l, i, 0);
    out->source[1] = immediate ? bifrost_constant(i->immediate[BIFROST_IMM_INDEX])
                               : bifrost_hold(l, bifrost_word_of(l, &i->source[i->source_count - 1]));
    return true;
}

/* A point's coordinates are two. */
static void special_varying(struct bifrost_lowering *l, const struct bifrost_insn *i)
{
    static const uint8_t which[BIFROST_WORD_COUNT] = {
        [BIFROST_POINT] = 0, [BIFROST_FRAG_W] = 2, [BIFROST_FRAG_Z] = 3};
    struct warp_insn *out = as_it_is(l, i, WARP_VARYING_SPECIAL);
    interpolation(i, out);
    out->source[0] = bifrost_operand(l, i, 0);
    out->source[1] = bifrost_constant(which[i->mod[BIFROST_MOD_VARYING_NAME]]);
    out->components = 1;
    if (i->mod[BIFROST_MOD_VARYING_NAME] != BIFROST_POINT)
        return;
    struct warp_insn *second = &l->message.insn[1];
    out->write.count = 1;
    *second = *out;
    second->source[1].value = 1;
    second->write.reg = (uint8_t)((out->write.reg + 1) % BIFROST_REGISTERS);
}

/* ---- pixels ---- */

/* Descriptors stand where they last: what is behind BLEND needs the address in them. */
static bool blend(struct bifrost_lowering *l, const struct bifrost_insn *i)
{
    const struct warp_source low = bifrost_word_of(l, &i->source[1]),
                             high = bifrost_word_of(l, &i->source[2]);
    const bool ends = l->clause->flow == BIFROST_FLOW_END;
    if (!bifrost_lasts(&low) || !bifrost_lasts(&high) || l->tuple + 1u < l->clause->tuple_count)
        return false;
    struct warp_insn *out = bifrost_begin(l, WARP_MESSAGE);
    out->message = WARP_BLEND;
    out->any_type = true;
    out->components = 4;
    out->source[0] = bifrost_hold_pair(l, low, high);
    out->source[1] = bifrost_operand(l, i, 0);
    bifrost_read_staging(l, i, 4);
    out->flow = ends ? WARP_END : WARP_GO_ON;
    out->target = ends ? WARP_NO_BLOCK : l->number + 1;
    l->message.blends = true;
    l->message.shader = high;
    /* It gives the address that the blend shader comes back to. */
    struct warp_source link = {.from = WARP_COUNTER, .width = 32, .lane = {0, 1, 2, 3}};
    link.value = (uint64_t)(l->behind - l->clause->at - 1) * BIFROST_WORD_BYTES;
    bifrost_move(l, bifrost_result_of(l, BIFROST_ADD), ends ? bifrost_constant(0) : link);
    return true;
}

/* The datum is the tuple's selected special, which is no source of its own. */
static void alpha_test(struct bifrost_lowering *l, const struct bifrost_insn *i)
{
    struct warp_insn *out = as_it_is(l, i, WARP_ATEST);
    out->source[0] = bifrost_operand(l, i, 0);
    out->source[1] = bifrost_operand(l, i, 1);
    out->source[2] =
        (struct warp_source){.from = WARP_SPECIAL, .index = BIFROST_SPECIAL_ATEST_DATUM * 2, .width = 32};
    bifrost_select(i->source[1].mod[BIFROST_SOURCE_SELECT], WARP_F32, &out->source[1]);
    l->message.result = i->result;
}

static void depth(struct bifrost_lowering *l, const struct bifrost_insn *i)
{
    struct warp_insn *out = as_it_is(l, i, WARP_ZS_EMIT);
    for (unsigned n = 0; n < 3; n++)
        out->source[n] = bifrost_operand(l, i, n);
    out->z = i->mod[BIFROST_MOD_Z] == BIFROST_Z;
    out->stencil = i->mod[BIFROST_MOD_STENCIL] == BIFROST_STENCIL;
}

/* Two words of an address, or pixel and coverage; and how components are converted. */
static void converted(struct bifrost_lowering *l, const struct bifrost_insn *i, enum warp_message_kind kind)
{
    struct warp_insn *out = as_it_is(l, i, kind);
    const bool tile = kind == WARP_TILE || kind == WARP_STORE_TILE;
    out->by_conversion = kind == WARP_TILE || kind == WARP_LOAD_CONVERT;
    out->source[0] = tile ? bifrost_operand(l, i, 0) : bifrost_address(l, i, 0);
    out->source[1] = bifrost_operand(l, i, tile ? 1 : 2);
    if (tile)
        out->source[2] = bifrost_operand(l, i, 2);
}

/* ---- */

static bool described(struct bifrost_lowering *l, const struct bifrost_insn *i)
{
    switch (i->op) {
    case BIFROST_OP_LD_ATTR:
    case BIFROST_OP_LD_ATTR_IMM: attribute(l, i, WARP_ATTRIBUTE, BIFROST_TABLE_ATTRIBUTES); return true;
    case BIFROST_OP_LD_ATTR_TEX: attribute(l, i, WARP_IMAGE, BIFROST_TABLE_ATTRIBUTES); return true;
    case BIFROST_OP_LEA_ATTR:
    case BIFROST_OP_LEA_ATTR_IMM: attribute(l, i, WARP_LEA_ATTRIBUTE, BIFROST_TABLE_VARYINGS); return true;
    case BIFROST_OP_LEA_ATTR_TEX: attribute(l, i, WARP_LEA_IMAGE, BIFROST_TABLE_VARYINGS); return true;
    case BIFROST_OP_LD_VAR:
    case BIFROST_OP_LD_VAR_IMM:
    case BIFROST_OP_LD_VAR_FLAT:
    case BIFROST_OP_LD_VAR_FLAT_IMM: return varying(l, i);
    case BIFROST_OP_LD_VAR_SPECIAL: special_varying(l, i); return true;
    case BIFROST_OP_LD_CVT: converted(l, i, WARP_LOAD_CONVERT); return true;
    case BIFROST_OP_ST_CVT: converted(l, i, WARP_STORE_CONVERT); return true;
    case BIFROST_OP_LD_TILE: converted(l, i, WARP_TILE); return true;
    case BIFROST_OP_ST_TILE: converted(l, i, WARP_STORE_TILE); return true;
    case BIFROST_OP_BLEND: return blend(l, i);
    case BIFROST_OP_ATEST: alpha_test(l, i); return true;
    case BIFROST_OP_ZS_EMIT: depth(l, i); return true;
    default: return false;
    }
}

bool bifrost_lower_message(struct bifrost_lowering *l, const struct bifrost_insn *i)
{
    if (l->message.any || !is_format_known(i->mod[BIFROST_MOD_REGISTER_FORMAT]))
        return false;
    return described(l, i) || bifrost_lower_memory(l, i) || bifrost_lower_texture(l, i);
}

/* ---- at the clause's end ---- */

/* ATEST may send nothing, so its result has a register of its own (Mesa: bi_pack.c, bi_assign_slots). */
static void write_result(struct bifrost_lowering *l, struct bifrost_result to, struct warp_run from)
{
    if (!to.halves || to.reg == from.reg)
        return;
    struct warp_insn *out =
        bifrost_move(l, to.reg, (struct warp_source){.from = WARP_REGISTER, .index = from.reg, .width = 32});
    out->dest.to = WARP_REGISTER;
    out->dest.mask = to.halves;
}

/* Singles by the conversion of a half to one, which takes singles as they are. */
static void clamp(struct bifrost_lowering *l, const struct warp_insn *sent, uint8_t how)
{
    for (unsigned n = 0; how && n < sent->write.count; n++) {
        const unsigned reg = (sent->write.reg + n) % BIFROST_REGISTERS;
        struct warp_source s = {.from = WARP_REGISTER, .index = (uint16_t)reg},
                           none = bifrost_constant(0x80008000);
        const enum warp_op op = sent->halves ? WARP_FADD_V2F16 : WARP_F16_TO_F32;
        bifrost_select(BIFROST_NONE, warp_rows[op].source[0], &s);
        bifrost_select(BIFROST_NONE, warp_rows[op].source[0], &none);
        struct warp_insn *out = bifrost_compute(l, op, reg, s, none, none);
        out->dest.to = WARP_REGISTER;
        out->clamp = how;
    }
}

void bifrost_send(struct bifrost_lowering *l)
{
    const struct bifrost_pending *m = &l->message;
    for (unsigned n = 0; n < 2 && m->insn[n].kind; n++) {
        struct warp_insn *out = bifrost_emit(l);
        const uint32_t at = out->at, none = out->target;
        *out = m->insn[n];
        out->at = at;
        out->part = m->part;
        if (!warp_blends(out))
            out->target = none;
    }
    for (unsigned n = 0; n < 2 && m->insn[n].kind; n++)
        clamp(l, &m->insn[n], m->clamp[n]);
    if (m->post) { /* the second word */
        struct warp_insn *out =
            bifrost_move(l, (m->insn[0].write.reg + 1) % BIFROST_REGISTERS, bifrost_constant(0));
        out->dest.to = WARP_REGISTER;
    }
    write_result(l, m->result, m->insn[0].write);
}
