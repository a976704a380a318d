/* Memory, buffers, messages that go to a port as they are, and branches to other programs. */
#include <string.h>

#include "isa/warp/trans_internal.h"
#include "util/bits.h"

LLVMValueRef warp_trans_read(struct warp_trans *t, unsigned n)
{
    const struct warp_run run = t->insn->read;
    LLVMValueRef zero = jit_splat_u32(t->b, 0), held;
    if (n >= run.count)
        return zero;
    if (!t->insn->reads_temporaries)
        return t->reg[(run.reg + n) % WARP_REGISTERS];
    held = t->temporary[(run.reg + n) % WARP_TEMPORARIES];
    return held ? held : zero;
}

void warp_trans_write(struct warp_trans *t, unsigned n, LLVMValueRef value)
{
    const struct warp_run run = t->insn->write;
    const unsigned reg = (run.reg + n) % WARP_REGISTERS;
    if (n >= run.count)
        return;
    t->reg[reg] = warp_trans_lanes(t, value);
    t->half[reg][0] = t->half[reg][1] = NULL;
}

static void zeros(struct warp_trans *t, LLVMValueRef *out, unsigned count)
{
    for (unsigned n = 0; n < count; n++)
        out[n] = jit_splat_u32(t->b, 0);
}

static LLVMValueRef high_of(struct warp_trans *t, LLVMValueRef both)
{
    both = LLVMBuildLShr(t->b->ir, both, warp_trans_number(t->b->i64x16, 32), "");
    return LLVMBuildTrunc(t->b->ir, both, t->b->i32x16, "");
}

/* ---- memory ---- */

static struct isa_ir_access access_of(struct warp_trans *t)
{
    const struct warp_insn *i = t->insn;
    LLVMValueRef address = warp_trans_pair(t, 0);
    if (i->offset)
        address = LLVMBuildAdd(t->b->ir, address,
                               warp_trans_number(t->b->i64x16, (uint64_t)(int64_t)i->offset), "");
    return (struct isa_ir_access){.space = (enum isa_space)i->space,
                                  .bytes = i->bytes,
                                  .enable = (uint16_t)((1u << i->bytes) - 1),
                                  .hint = i->hint,
                                  .op = (enum isa_atomic)i->atomic,
                                  .address = address};
}

/* `bits` from the lowest on, made as wide as the vector. */
static LLVMValueRef extended(struct warp_trans *t, LLVMValueRef v, unsigned bits)
{
    LLVMBuilderRef ir = t->b->ir;
    const unsigned width = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(v)));
    LLVMValueRef up = warp_trans_number(LLVMTypeOf(v), width - bits);
    if (bits == width)
        return v;
    v = LLVMBuildShl(ir, v, up, "");
    return t->insn->sign ? LLVMBuildAShr(ir, v, up, "") : LLVMBuildLShr(ir, v, up, "");
}

static void loaded(struct warp_trans *t, LLVMValueRef words[4])
{
    struct jit_builder *b = t->b;
    const struct warp_insn *i = t->insn;
    const unsigned bits = i->bytes * 8u;
    for (unsigned n = 0; n < 4; n++)
        words[n] = warp_trans_lanes(t, words[n]);
    if (!i->into_bits) {
        for (unsigned n = 0; n < (bits + 31) / 32; n++)
            warp_trans_write(t, n, words[n]);
    } else if (i->into_bits > 32) {
        LLVMValueRef high = LLVMBuildZExt(b->ir, words[1], b->i64x16, ""), both;
        high = LLVMBuildShl(b->ir, high, warp_trans_number(b->i64x16, 32), "");
        both = LLVMBuildOr(b->ir, high, LLVMBuildZExt(b->ir, words[0], b->i64x16, ""), "");
        both = extended(t, both, bits);
        warp_trans_write(t, 0, LLVMBuildTrunc(b->ir, both, b->i32x16, ""));
        warp_trans_write(t, 1, high_of(t, both));
    } else {
        LLVMValueRef v = extended(t, words[0], bits);
        if (i->into_bits < 32) {
            const uint32_t mask = ((1u << i->into_bits) - 1) << i->into_bit;
            LLVMValueRef old = t->reg[i->write.reg % WARP_REGISTERS];
            v = LLVMBuildShl(b->ir, v, jit_splat_u32(b, i->into_bit), "");
            v = LLVMBuildAnd(b->ir, v, jit_splat_u32(b, mask), "");
            v = LLVMBuildOr(b->ir, v, LLVMBuildAnd(b->ir, old, jit_splat_u32(b, ~mask), ""), "");
        }
        warp_trans_write(t, 0, v);
    }
}

static void load(struct warp_trans *t)
{
    const struct isa_ir_access access = access_of(t);
    LLVMValueRef words[4], address = NULL;
    zeros(t, words, 4);
    LLVMValueRef missing = t->ports->load(t->ports->ctx, t->b, &access, t->mask, words, &address);
    warp_trans_check(t, missing, t->mask, address);
    loaded(t, words);
}

static struct isa_ir_number number_of(struct warp_trans *t, unsigned n)
{
    const struct warp_source *s = &t->insn->source[n];
    if (s->from == WARP_CONSTANT)
        return (struct isa_ir_number){NULL, (uint32_t)s->value};
    return (struct isa_ir_number){warp_trans_word(t, n, 0), 0};
}

static void buffer(struct warp_trans *t)
{
    const struct isa_ir_uniform u = {
        .buffer = number_of(t, 1), .offset = number_of(t, 0), .bytes = t->insn->bytes};
    LLVMValueRef words[4], address = NULL;
    zeros(t, words, 4);
    LLVMValueRef missing = t->ports->uniform(t->ports->ctx, t->b, &u, t->mask, words, &address);
    warp_trans_check(t, missing, t->mask, address);
    loaded(t, words);
}

static void store(struct warp_trans *t)
{
    const struct isa_ir_access access = access_of(t);
    LLVMValueRef value[4], address = NULL, lanes = t->insn->own ? t->mask : warp_trans_visible(t);
    for (unsigned n = 0; n < 4; n++)
        value[n] = warp_trans_read(t, n);
    LLVMValueRef missing = t->ports->store(t->ports->ctx, t->b, &access, lanes, value, &address);
    warp_trans_check(t, missing, lanes, address);
}

static void atomic(struct warp_trans *t)
{
    const struct warp_insn *i = t->insn;
    const unsigned words = i->bytes / 4u, second = i->has_value ? words : 0;
    const struct isa_ir_access access = access_of(t);
    LLVMValueRef value[2], compare[2], out[2], address = NULL, lanes = warp_trans_visible(t);
    zeros(t, out, 2);
    zeros(t, value, 2);
    zeros(t, compare, 2);
    for (unsigned n = 0; n < words; n++) {
        if (i->has_value)
            value[n] = warp_trans_read(t, n);
        if (i->compare)
            compare[n] = warp_trans_read(t, second + n);
    }
    for (unsigned n = 0; n < 2 && !i->has_value; n++)
        value[n] = jit_splat_u32(t->b, (uint32_t)(i->value >> 32 * n));
    LLVMValueRef missing =
        t->ports->atomic(t->ports->ctx, t->b, &access, lanes, value, compare, out, &address);
    warp_trans_check(t, missing, lanes, address);
    for (unsigned n = 0; n < words; n++)
        warp_trans_write(t, n, jit_select(t->b, lanes, warp_trans_lanes(t, out[n]), jit_splat_u32(t->b, 0)));
}

void warp_trans_memory(struct warp_trans *t)
{
    switch (t->insn->kind) {
    case WARP_LOAD: load(t); break;
    case WARP_STORE: store(t); break;
    case WARP_ATOMIC: atomic(t); break;
    default: buffer(t);
    }
}

/* ---- messages ---- */

static LLVMValueRef operand(struct warp_trans *t, unsigned n, unsigned k)
{
    struct jit_builder *b = t->b;
    const struct warp_source *s = &t->insn->source[n];
    LLVMValueRef v = k ? NULL : warp_trans_known_single(t, n);
    if (v)
        return v;
    v = warp_trans_word(t, n, k);
    if (s->width != 16 || k)
        return v;
    v = LLVMBuildLShr(b->ir, v, jit_splat_u32(b, s->lane[0] * 16u), "");
    v = LLVMBuildTrunc(b->ir, v, b->i16x16, "");
    return warp_trans_op(b, ISA_OP_f16_to_f32, ISA_F16, v, NULL, NULL);
}

/* What others could see: not for helpers, which get 0. */
static bool is_seen(uint8_t message)
{
    switch (message) {
    case WARP_STORE_CONVERT:
    case WARP_STORE_TILE:
    case WARP_BLEND:
    case WARP_ATEST:
    case WARP_ZS_EMIT: return true;
    default: return false;
    }
}

/* Asks a port for `lanes`. */
static void ask(struct warp_trans *t, LLVMValueRef lanes, LLVMValueRef out[WARP_MESSAGE_WORDS])
{
    const struct warp_insn *i = t->insn;
    struct warp_ir_message m = {.insn = i};
    LLVMValueRef address = NULL;
    for (unsigned n = 0; n < 3; n++)
        for (unsigned k = 0; k < 2; k++)
            m.operand[n][k] = n < warp_sources_of(i) ? operand(t, n, k) : jit_splat_u32(t->b, 0);
    for (unsigned n = 0; n < WARP_MESSAGE_WORDS; n++) {
        m.value[n] = warp_trans_read(t, n);
        warp_trans_read_halves(t, n, m.half[n]);
    }
    zeros(t, out, WARP_MESSAGE_WORDS);
    t->leave = warp_blends(i) ? t->mask : LLVMConstNull(t->b->i1x16);
    LLVMValueRef missing = t->ports->message(t->ports->ctx, t->b, &m, lanes, out, &t->leave, &address);
    warp_trans_check(t, missing, lanes, address);
}

void warp_trans_ask(struct warp_trans *t, const struct warp_insn *insn, LLVMValueRef out[WARP_MESSAGE_WORDS])
{
    const struct warp_insn *texture = t->insn;
    t->insn = insn;
    ask(t, t->mask, out);
    t->insn = texture;
    for (unsigned n = 0; n < WARP_MESSAGE_WORDS; n++)
        out[n] = warp_trans_lanes(t, out[n]);
}

/* Lanes that get halves, as the conversion word says. */
static LLVMValueRef gets_halves(struct warp_trans *t)
{
    struct jit_builder *b = t->b;
    LLVMValueRef word = warp_trans_word(t, t->insn->message == WARP_TILE ? 2 : 1, 0);
    LLVMValueRef at = jit_splat_u32(b, WARP_CONVERSION_REGISTERS_AT),
                 mask = jit_splat_u32(b, (1u << WARP_CONVERSION_REGISTERS_BITS) - 1),
                 formats = jit_splat_u32(b, WARP_CONVERSION_HALVES);
    word = LLVMBuildAnd(b->ir, LLVMBuildLShr(b->ir, word, at, ""), mask, "");
    return LLVMBuildTrunc(b->ir, LLVMBuildLShr(b->ir, formats, word, ""), b->i1x16, "");
}

void warp_trans_message(struct warp_trans *t)
{
    const struct warp_insn *i = t->insn;
    LLVMValueRef halves = i->by_conversion ? gets_halves(t) : NULL;
    LLVMValueRef out[WARP_MESSAGE_WORDS], lanes = is_seen(i->message) ? warp_trans_visible(t) : t->mask;
    ask(t, lanes, out);
    for (unsigned n = 0; n < i->write.count && n < WARP_MESSAGE_WORDS; n++) {
        LLVMValueRef word = warp_trans_lanes(t, out[n]);
        if (lanes != t->mask)
            word = jit_select(t->b, lanes, word, jit_splat_u32(t->b, 0));
        if (halves && n >= (i->components + 1u) / 2) /* what is behind two to a word stays as it is */
            word = jit_select(t->b, halves, t->reg[(i->write.reg + n) % WARP_REGISTERS], word);
        warp_trans_write(t, n, word);
    }
}

/* ---- other programs ---- */

LLVMValueRef warp_trans_far(struct warp_trans *t, LLVMValueRef taken)
{
    struct jit_builder *b = t->b;
    const uint64_t behind = warp_behind(t->program, t->insn);
    LLVMValueRef high = LLVMBuildAnd(b->ir, t->input->address, jit_i64(b, ~UINT64_C(0xffffffff)), "");
    LLVMValueRef back_at = LLVMBuildAdd(b->ir, t->input->address, jit_i64(b, behind), ""), address = NULL;
    LLVMValueRef target = warp_trans_word(t, 3, 0);
    if (t->insn->relative)
        target = LLVMBuildAdd(b->ir, target, jit_splat(b, LLVMBuildTrunc(b->ir, back_at, b->i32, "")), "");
    target = LLVMBuildZExt(b->ir, target, b->i64x16, "");
    LLVMValueRef back = LLVMConstNull(b->i1x16), away = taken;
    target = LLVMBuildOr(b->ir, target, jit_splat(b, high), "");
    if (t->input->back) {
        LLVMValueRef home = LLVMBuildICmp(b->ir, LLVMIntEQ, target, jit_splat(b, t->input->back), "");
        LLVMValueRef is = LLVMBuildICmp(b->ir, LLVMIntNE, t->input->back, jit_i64(b, 0), "");
        home = LLVMBuildAnd(b->ir, LLVMBuildAnd(b->ir, home, jit_splat(b, is), ""), taken, "");
        away = LLVMBuildAnd(b->ir, taken, LLVMBuildNot(b->ir, home, ""), "");
        jit_diverge_set(b, t->returned_slot, LLVMConstAllOnes(b->i1x16), home);
    }
    const struct warp_ir_far to = {target, back_at, t->helpers};
    LLVMValueRef missing = t->ports->far(t->ports->ctx, b, &to, away, t->reg, &back, &address);
    memset(t->half, 0, sizeof t->half);
    warp_trans_check(t, missing, away, address);
    return LLVMBuildAnd(b->ir, back, away, "");
}
