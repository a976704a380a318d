/* Operands and results of arithmetic, an element of sixteen threads at a time (README.md, rules 5 and 7). */
#include "isa/midgard/trans_internal.h"
#include "util/bits.h"

LLVMTypeRef midgard_trans_type(struct midgard_trans *t, unsigned width)
{
    return LLVMVectorType(LLVMIntTypeInContext(t->b->context, width), MIDGARD_LANES);
}

LLVMValueRef midgard_trans_splat(struct midgard_trans *t, unsigned width, uint64_t n)
{
    LLVMValueRef all[MIDGARD_LANES];
    for (unsigned l = 0; l < MIDGARD_LANES; l++)
        all[l] = LLVMConstInt(LLVMIntTypeInContext(t->b->context, width), n, false);
    return LLVMConstVector(all, MIDGARD_LANES);
}

LLVMValueRef midgard_trans_of_half(struct midgard_trans *t, LLVMValueRef half)
{
    LLVMTypeRef i16x16 = midgard_trans_type(t, 16);
    half = LLVMTypeOf(half) == i16x16 ? half : LLVMBuildTrunc(t->b->ir, half, i16x16, "");
    return midgard_trans_op(t, ISA_OP_f16_to_f32, ISA_F16, 0, half, NULL);
}

LLVMValueRef midgard_trans_to_half(struct midgard_trans *t, LLVMValueRef single)
{
    LLVMValueRef half = midgard_trans_op(t, ISA_OP_f32_to_f16, ISA_F32, 0, single, NULL);
    return LLVMBuildZExt(t->b->ir, half, t->b->i32x16, "");
}

LLVMValueRef midgard_trans_bits(struct midgard_trans *t, LLVMValueRef element)
{
    return LLVMTypeOf(element) == t->b->f32x16 ? isa_trans_half_bits(t->b, element) : element;
}

LLVMValueRef midgard_trans_element(struct midgard_trans *t, const LLVMValueRef *word, unsigned width,
                                   unsigned n)
{
    LLVMBuilderRef ir = t->b->ir;
    if (width == 32)
        return word[n];
    if (width < 32) {
        LLVMValueRef x = midgard_trans_shift(t, word[n * width / 32], -(int)(n * width % 32));
        return LLVMBuildTrunc(ir, x, midgard_trans_type(t, width), "");
    }
    LLVMValueRef low = LLVMBuildZExt(ir, word[2 * n], t->b->i64x16, "");
    LLVMValueRef high = LLVMBuildZExt(ir, word[2 * n + 1], t->b->i64x16, "");
    return LLVMBuildOr(ir, low, LLVMBuildShl(ir, high, midgard_trans_splat(t, 64, 32), ""), "");
}

static bool narrows(const struct midgard_trans_unit *u)
{
    return u->scalar ? !u->alu->full : u->alu->shrink != MIDGARD_SHRINK_NONE;
}

/* ---- widening ---- */

static LLVMValueRef widened_int(struct midgard_trans *t, LLVMValueRef x, unsigned from, uint8_t mod)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMTypeRef to = midgard_trans_type(t, 2 * from);
    if (mod == MIDGARD_SIGN)
        return LLVMBuildSExt(ir, x, to, "");
    x = LLVMBuildZExt(ir, x, to, "");
    if (mod == MIDGARD_ZERO)
        return x;
    LLVMValueRef up = LLVMBuildShl(ir, x, midgard_trans_splat(t, 2 * from, from), "");
    return mod == MIDGARD_REPLICATE ? LLVMBuildOr(ir, x, up, "") : up;
}

/* Integers, and singles. */
static LLVMValueRef widened(struct midgard_trans *t, LLVMValueRef x, unsigned from, bool floats, uint8_t mod)
{
    if (!floats)
        return widened_int(t, x, from, mod);
    return midgard_trans_op(t, ISA_OP_f32_to_f64, ISA_F32, 0, x, NULL);
}

static LLVMValueRef with_signs(struct midgard_trans *t, LLVMValueRef x, unsigned width, uint8_t mod)
{
    if (LLVMTypeOf(x) == t->b->f32x16) {
        if (mod & MIDGARD_ABS)
            x = jit_intrinsic(t->b, "llvm.fabs", &t->b->f32x16, 1, &x, 1);
        return mod & MIDGARD_NEG ? LLVMBuildFNeg(t->b->ir, x, "") : x;
    }
    LLVMValueRef sign = midgard_trans_splat(t, width, 1ull << (width - 1));
    if (mod & MIDGARD_ABS)
        x = LLVMBuildAnd(t->b->ir, x, LLVMConstNot(sign), "");
    return mod & MIDGARD_NEG ? LLVMBuildXor(t->b->ir, x, sign, "") : x;
}

/* ---- operands ---- */

/* Half n of an operand's register as a single. */
static LLVMValueRef half_of(struct midgard_trans *t, const struct midgard_trans_operand *o, unsigned n)
{
    if (o->half && o->half[n])
        return o->half[n];
    LLVMValueRef half = isa_trans_half_of_bits(t->b, midgard_trans_element(t, o->word, 16, n));
    if (o->half)
        o->half[n] = half;
    return half;
}

static bool is_there(const struct midgard_source *s, uint8_t mode, bool floats)
{
    switch (s->expand) {
    case MIDGARD_PLAIN: return true;
    case MIDGARD_REPEAT_LOW:
    case MIDGARD_REPEAT_HIGH:
    case MIDGARD_SWAP: return mode == MIDGARD_MODE_8 || mode == MIDGARD_MODE_16;
    case MIDGARD_EXPAND_LOW:
    case MIDGARD_EXPAND_HIGH:
        return mode == MIDGARD_MODE_32 || mode == MIDGARD_MODE_64 || (mode == MIDGARD_MODE_16 && !floats);
    default: return mode == MIDGARD_MODE_16 && !floats;
    }
}

/* Of modes 8 and 16: the place that element e of the operand has in what its register's elements become: those
 * of the register, or of the half of it that is widened. */
static unsigned place_of(const struct midgard_source *s, unsigned e, unsigned elements, bool pairs)
{
    unsigned half = elements / 2, within = e % half;
    bool upper = e >= half;
    unsigned selected =
        pairs ? 2u * (s->swizzle >> 2 * (within / 2) & 3) + within % 2 : s->swizzle >> 2 * within & 3u;
    if (s->expand == MIDGARD_REPEAT_LOW)
        upper = false;
    else if (s->expand == MIDGARD_REPEAT_HIGH)
        upper = true;
    else if (s->expand == MIDGARD_SWAP || s->expand >= MIDGARD_EXPAND_LOW_SWAP)
        upper = !upper;
    return selected + (upper ? half : 0);
}

static bool takes_upper(const struct midgard_source *s)
{
    return s->expand == MIDGARD_EXPAND_HIGH || s->expand == MIDGARD_EXPAND_HIGH_SWAP;
}

static LLVMValueRef wide_word(struct midgard_trans *t, const struct midgard_trans_operand *o, bool floats,
                              unsigned n)
{
    LLVMBuilderRef ir = t->b->ir;
    const struct midgard_source *s = o->source;
    if (s->expand == MIDGARD_PLAIN)
        return o->word[n];
    LLVMValueRef x = widened(t, o->word[n / 2 + (takes_upper(s) ? 2 : 0)], 32, floats, s->mod);
    if (n & 1)
        x = LLVMBuildLShr(ir, x, midgard_trans_splat(t, 64, 32), "");
    return LLVMBuildTrunc(ir, x, t->b->i32x16, "");
}

/* A single's bits: where another block began the word, so that arithmetic finds what is behind its NaN. */
static LLVMValueRef word_of_single(struct midgard_trans *t, const struct midgard_trans_unit *u,
                                   LLVMValueRef word)
{
    LLVMValueRef f = u->info->form == MIDGARD_FORM_MOVE || !LLVMIsALoadInst(word)
                         ? NULL
                         : midgard_trans_begun_single(t, word);
    return f ? isa_trans_half_single(t->b, f) : word;
}

static LLVMValueRef vector_element(struct midgard_trans *t, const struct midgard_trans_unit *u,
                                   const struct midgard_trans_operand *o, unsigned e)
{
    const struct midgard_source *s = o->source;
    bool floats = u->info->float_in;
    if (u->mode == MIDGARD_MODE_64) {
        LLVMValueRef two[2];
        for (unsigned n = 0; n < 2; n++)
            two[n] = wide_word(t, o, floats, s->swizzle >> (4 * e + 2 * n) & 3);
        return midgard_trans_element(t, two, 64, 0);
    }
    unsigned n = u->mode == MIDGARD_MODE_32 ? s->swizzle >> 2 * e & 3u
                                            : place_of(s, e, u->elements, u->mode == MIDGARD_MODE_8);
    if (u->width == 32 && floats && s->expand == MIDGARD_PLAIN)
        return word_of_single(t, u, o->word[n]);
    if (s->expand < MIDGARD_EXPAND_LOW)
        return u->width == 16 && midgard_by_singles(u->info, u->alu->outmod)
                   ? half_of(t, o, n)
                   : midgard_trans_element(t, o->word, u->width, n);
    n += takes_upper(s) ? u->elements : 0;
    if (u->width == 32 && floats)
        return isa_trans_half_single(t->b, half_of(t, o, n));
    return widened(t, midgard_trans_element(t, o->word, u->width / 2, n), u->width / 2, floats, s->mod);
}

static LLVMValueRef scalar_element(struct midgard_trans *t, const struct midgard_trans_unit *u,
                                   const struct midgard_trans_operand *o)
{
    const struct midgard_source *s = o->source;
    if (s->full)
        return u->info->float_in ? word_of_single(t, u, o->word[s->component / 2])
                                 : o->word[s->component / 2];
    if (u->info->float_in)
        return isa_trans_half_single(t->b, half_of(t, o, s->component));
    return widened(t, midgard_trans_element(t, o->word, 16, s->component), 16, false, s->mod);
}

static LLVMValueRef operand(struct midgard_trans *t, const struct midgard_trans_unit *u,
                            struct midgard_trans_operand *o, unsigned e)
{
    if (o->element[e])
        return o->element[e];
    LLVMValueRef x = u->scalar ? scalar_element(t, u, o) : vector_element(t, u, o, e);
    if (u->info->float_in)
        x = with_signs(t, x, u->width, o->source->mod);
    o->element[e] = x;
    return o->element[e];
}

LLVMValueRef midgard_trans_a(struct midgard_trans *t, struct midgard_trans_unit *u, unsigned e)
{
    return operand(t, u, &u->a, e);
}

/* A number that the instruction has: halves, converted, or integers. */
static LLVMValueRef immediate(struct midgard_trans *t, const struct midgard_trans_unit *u)
{
    uint64_t x = u->alu->constant;
    uint64_t source[3] = {x};
    if (!u->info->float_in)
        return midgard_trans_splat(t, u->width, (uint64_t)(int64_t)(int16_t)x);
    if (u->width == 16 && midgard_by_singles(u->info, u->alu->outmod))
        return with_signs(t, isa_trans_half_of_bits(t->b, midgard_trans_splat(t, 16, x)), 16, u->alu->b.mod);
    if (u->width > 16)
        source[0] = isa_op_lane((struct isa_lane_op){ISA_OP_f16_to_f32, ISA_F16, ISA_OP_QUIET}, source);
    if (u->width > 32)
        source[0] = isa_op_lane((struct isa_lane_op){ISA_OP_f32_to_f64, ISA_F32, ISA_OP_QUIET}, source);
    return with_signs(t, midgard_trans_splat(t, u->width, source[0]), u->width, u->alu->b.mod);
}

LLVMValueRef midgard_trans_b(struct midgard_trans *t, struct midgard_trans_unit *u, unsigned e)
{
    if (!u->alu->immediate)
        return operand(t, u, &u->b, e);
    if (!u->b.element[0])
        u->b.element[0] = immediate(t, u);
    return u->b.element[0];
}

/* ---- halves that are chosen ---- */

/* The half of an operand's register that is the lowest of element e; -1: none is, or it is changed. */
static int lowest_half(const struct midgard_trans_unit *u, const struct midgard_source *s, unsigned e)
{
    bool expands = u->scalar ? !s->full : s->expand != MIDGARD_PLAIN;
    if (u->info->float_in ? u->width == 32 && !narrows(u) : expands && s->mod == MIDGARD_SHIFT)
        return -1; /* of floats a half becomes a single there */
    if (u->mode == MIDGARD_MODE_16 && narrows(u))
        return -1;
    if (u->scalar)
        return s->full ? -1 : s->component;
    if (u->mode == MIDGARD_MODE_16 && s->expand < MIDGARD_EXPAND_LOW)
        return (int)place_of(s, e, u->elements, false);
    bool halves =
        u->mode == MIDGARD_MODE_32 && (s->expand == MIDGARD_EXPAND_LOW || s->expand == MIDGARD_EXPAND_HIGH);
    return halves ? (s->swizzle >> 2 * e & 3) + (takes_upper(s) ? 4 : 0) : -1;
}

static bool has_single(const struct midgard_trans_operand *o, int n)
{
    return n >= 0 && o->half && o->half[n];
}

/* The same of b's number. */
static LLVMValueRef immediate_half(struct midgard_trans *t, const struct midgard_trans_unit *u)
{
    return isa_trans_half_of_bits(t->b, midgard_trans_splat(t, 16, u->alu->constant));
}

void midgard_trans_choose_half(struct midgard_trans *t, struct midgard_trans_unit *u, unsigned e,
                               LLVMValueRef takes_a)
{
    const struct midgard_alu *alu = u->alu;
    const bool floats = u->info->float_in;
    const bool whole = floats ? !alu->outmod : !narrows(u) || alu->outmod == MIDGARD_LOW_HALF;
    const int a = lowest_half(u, &alu->a, e), b = alu->immediate ? -1 : lowest_half(u, &alu->b, e);
    u->half = NULL;
    if (!whole || a < 0 || (b < 0 && !alu->immediate) || (!has_single(&u->a, a) && !has_single(&u->b, b)))
        return;
    LLVMValueRef of[2] = {half_of(t, &u->a, (unsigned)a),
                          b < 0 ? immediate_half(t, u) : half_of(t, &u->b, (unsigned)b)};
    if (floats) {
        of[0] = with_signs(t, of[0], 16, alu->a.mod);
        of[1] = with_signs(t, of[1], 16, alu->b.mod);
    }
    u->half = jit_select(t->b, takes_a, of[0], of[1]);
}

/* Halves that are known are those of the register that the words are of. */
static void take_words(struct midgard_trans *t, unsigned reg, struct midgard_trans_operand *o)
{
    LLVMValueRef *out = o->word;
    bool result = (reg | 1) == MIDGARD_R_TEXTURE + 1 && !t->program->traits.shared_registers;
    if (reg == MIDGARD_R_SELECT) {
        midgard_trans_counter(t, out);
        return;
    }
    const unsigned from = result ? reg - MIDGARD_R_TEXTURE + MIDGARD_R_RESULT : reg;
    for (unsigned c = 0; c < 4; c++)
        out[c] = reg == MIDGARD_R_CONSTANT ? jit_splat_u32(t->b, t->insn->constant[c]) : t->reg[from][c];
    o->half = reg == MIDGARD_R_CONSTANT ? NULL : t->half[from];
}

bool midgard_trans_take(struct midgard_trans *t, struct midgard_trans_unit *u)
{
    const struct midgard_alu *alu = u->alu;
    bool floats = u->info->float_in;
    if (!u->scalar &&
        (!is_there(&alu->a, u->mode, floats) || (!alu->immediate && !is_there(&alu->b, u->mode, floats))))
        return false;
    u->a.source = &alu->a;
    u->b.source = &alu->b;
    take_words(t, alu->a.reg, &u->a);
    if (!alu->immediate)
        take_words(t, alu->b.reg, &u->b);
    return true;
}

/* ---- results ---- */

bool midgard_trans_may_result(const struct midgard_trans_unit *u)
{
    return !narrows(u) || (u->mode > MIDGARD_MODE_8 && !(u->info->float_out && u->mode == MIDGARD_MODE_16));
}

uint16_t midgard_trans_enabled(const struct midgard_trans_unit *u)
{
    const struct midgard_alu *alu = u->alu;
    uint16_t out = 0;
    if (u->scalar)
        return midgard_trans_place(u, 0);
    if (narrows(u))
        return (uint16_t)(alu->mask << (alu->shrink == MIDGARD_SHRINK_UPPER ? 8 : 0));
    for (unsigned n = 0; n < 16; n++)
        out |= (uint16_t)((alu->mask >> n / 2 & 1) << n);
    return out;
}

/* Byte of the register at which element e's result begins. */
static unsigned first_byte(const struct midgard_trans_unit *u, unsigned e)
{
    const struct midgard_alu *alu = u->alu;
    if (u->scalar)
        return alu->full ? alu->component / 2u * 4 : alu->component * 2u;
    if (!narrows(u))
        return e * u->width / 8;
    return e * u->width / 16 + (alu->shrink == MIDGARD_SHRINK_UPPER ? 8 : 0);
}

uint16_t midgard_trans_place(const struct midgard_trans_unit *u, unsigned e)
{
    unsigned bytes = u->width / (narrows(u) ? 16 : 8);
    return (uint16_t)(((1u << bytes) - 1) << first_byte(u, e));
}

static LLVMValueRef narrowed(struct midgard_trans *t, const struct midgard_trans_unit *u, LLVMValueRef x)
{
    static const uint8_t saturated[2][4] = {
        {0, ISA_OP_i16_to_i8_sat, ISA_OP_i32_to_i16_sat, ISA_OP_i64_to_i32_sat},
        {0, ISA_OP_u16_to_u8_sat, ISA_OP_u32_to_u16_sat, ISA_OP_u64_to_u32_sat}};
    static const uint8_t shapes[4] = {ISA_I8, ISA_I16, ISA_I32, ISA_I64};
    uint8_t outmod = u->alu->outmod, rounding = u->info->op[u->mode].policy & ISA_OP_ROUNDING;
    if (u->info->float_out && u->mode == MIDGARD_MODE_32 && !rounding)
        return isa_trans_half_of_single(t->b, x, t->rounds);
    if (u->info->float_out)
        return u->mode == MIDGARD_MODE_32
                   ? midgard_trans_op(t, ISA_OP_f32_to_f16, ISA_F32, rounding, x, NULL)
                   : midgard_trans_op(t, ISA_OP_f64_to_f32, ISA_F64, rounding, x, NULL);
    if (outmod < MIDGARD_LOW_HALF)
        return midgard_trans_op(t, saturated[outmod][u->mode], shapes[u->mode], 0, x, NULL);
    if (outmod == MIDGARD_HIGH_HALF)
        x = LLVMBuildLShr(t->b->ir, x, midgard_trans_splat(t, u->width, u->width / 2), "");
    return LLVMBuildTrunc(t->b->ir, x, midgard_trans_type(t, u->width / 2), "");
}

static LLVMValueRef clamped(struct midgard_trans *t, const struct midgard_trans_unit *u, LLVMValueRef x)
{
    static const uint8_t shapes[4] = {ISA_F16, ISA_F16, ISA_F32, ISA_F64};
    if (!u->info->float_out || !u->alu->outmod)
        return x;
    if (LLVMTypeOf(x) == t->b->f32x16) {
        const struct isa_lane_op clamp = {midgard_clamps[u->alu->outmod], ISA_F16, ISA_OP_QUIET};
        const LLVMValueRef source[3] = {x, NULL, NULL};
        return isa_trans_half(t->b, clamp, source, t->rounds);
    }
    return midgard_trans_op(t, midgard_clamps[u->alu->outmod], shapes[u->mode], 0, x, NULL);
}

/* Up to 32 bits at a byte of a word. */
static void put_word(struct midgard_trans *t, LLVMValueRef x, unsigned byte,
                     struct midgard_trans_outcome *out)
{
    LLVMBuilderRef ir = t->b->ir;
    unsigned n = byte / 4;
    if (LLVMTypeOf(x) != t->b->i32x16)
        x = LLVMBuildZExt(ir, x, t->b->i32x16, "");
    x = midgard_trans_shift(t, x, (int)(byte % 4 * 8));
    out->word[n] = out->word[n] ? LLVMBuildOr(ir, out->word[n], x, "") : x;
}

/* The word of b that a move of words gives element e; -1: it is none, or changes it. */
static int moved_word(const struct midgard_trans_unit *u, unsigned e)
{
    const struct midgard_source *s = &u->alu->b;
    if (u->scalar)
        return s->full ? s->component / 2 : -1;
    return u->mode == MIDGARD_MODE_32 ? s->swizzle >> 2 * e & 3 : -1;
}

/* What is known of halves that are moved as they are. */
static void carry(const struct midgard_trans_unit *u, unsigned e, unsigned byte,
                  struct midgard_trans_outcome *out)
{
    const struct midgard_source *s = &u->alu->b;
    if (u->info->form != MIDGARD_FORM_MOVE || u->alu->immediate || !u->b.half || narrows(u) ||
        (u->info->float_out && (u->alu->outmod || s->mod)))
        return;
    const int word = s->expand == MIDGARD_PLAIN ? moved_word(u, e) : -1;
    if (!u->scalar && u->mode == MIDGARD_MODE_16 && s->expand < MIDGARD_EXPAND_LOW)
        out->half[byte / 2] = u->b.half[place_of(s, e, u->elements, false)];
    for (unsigned n = 0; n < 2 && word >= 0; n++)
        out->half[byte / 2 + n] = u->b.half[2 * word + (int)n];
}

void midgard_trans_put(struct midgard_trans *t, const struct midgard_trans_unit *u, unsigned e,
                       LLVMValueRef value, struct midgard_trans_outcome *out)
{
    LLVMBuilderRef ir = t->b->ir;
    unsigned byte = first_byte(u, e);
    uint16_t enabled = midgard_trans_enabled(u) & midgard_trans_place(u, e);
    LLVMValueRef x = clamped(t, u, value);
    x = narrows(u) ? narrowed(t, u, x) : x;
    for (unsigned n = 0; n < 16; n++)
        if (enabled >> n & 1)
            out->bits[n / 4] |= 0xffu << n % 4 * 8;
    carry(u, e, byte, out);
    if (LLVMTypeOf(x) == t->b->f32x16) {
        out->half[byte / 2] = x;
        x = midgard_trans_bits(t, x);
    }
    if (u->half)
        out->half[byte / 2] = u->half;
    if (LLVMTypeOf(x) != t->b->i64x16) {
        put_word(t, x, byte, out);
        return;
    }
    put_word(t, LLVMBuildTrunc(ir, x, t->b->i32x16, ""), byte, out);
    x = LLVMBuildLShr(ir, x, midgard_trans_splat(t, 64, 32), "");
    put_word(t, LLVMBuildTrunc(ir, x, t->b->i32x16, ""), byte + 4, out);
}

void midgard_trans_merge(struct midgard_trans *t, unsigned reg, const struct midgard_trans_outcome *out)
{
    for (unsigned c = 0; c < 4; c++) {
        LLVMValueRef old = t->reg[reg][c], new = out->word[c];
        if (!out->bits[c])
            continue;
        if (out->bits[c] != UINT32_MAX)
            new = LLVMBuildOr(t->b->ir, midgard_trans_band(t, new, out->bits[c]),
                              midgard_trans_band(t, old, ~out->bits[c]), "");
        t->reg[reg][c] = new;
        for (unsigned n = 2 * c; n < 2 * c + 2; n++)
            if (out->bits[c] >> (n & 1) * 16 & 0xffff)
                t->half[reg][n] = (out->bits[c] >> (n & 1) * 16 & 0xffff) == 0xffff ? out->half[n] : NULL;
    }
}
