/* Elements of the register files, by lanes: the digest, sections 3 and 6. */
#include "isa/simple_v/trans_internal.h"
#include "util/bits.h"

/* ---- types and numbers ---- */

static LLVMTypeRef of_lanes(LLVMTypeRef type, unsigned lanes)
{
    return lanes > 1 ? LLVMVectorType(type, lanes) : type;
}

LLVMTypeRef simple_v_trans_ints(struct simple_v_trans *t, unsigned width, unsigned lanes)
{
    return of_lanes(LLVMIntTypeInContext(t->b->context, width), lanes);
}

LLVMTypeRef simple_v_trans_floats(struct simple_v_trans *t, unsigned width, unsigned lanes)
{
    return of_lanes(width == 64 ? t->b->f64 : t->b->f32, lanes);
}

LLVMValueRef simple_v_trans_number(LLVMTypeRef type, uint64_t n)
{
    LLVMValueRef all[64];
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return LLVMConstInt(type, n, false);
    const unsigned count = LLVMGetVectorSize(type);
    for (unsigned l = 0; l < count; l++)
        all[l] = LLVMConstInt(LLVMGetElementType(type), n, false);
    return LLVMConstVector(all, count);
}

unsigned simple_v_trans_count(LLVMValueRef v)
{
    const LLVMTypeRef type = LLVMTypeOf(v);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

unsigned simple_v_trans_width(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    return LLVMGetIntTypeWidth(type);
}

LLVMValueRef simple_v_trans_shuffle(struct simple_v_trans *t, LLVMValueRef v, const unsigned *lane,
                                    unsigned count)
{
    LLVMValueRef which[64];
    for (unsigned l = 0; l < count; l++)
        which[l] = jit_i32(t->b, lane[l]);
    return LLVMBuildShuffleVector(t->b->ir, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(which, count),
                                  "");
}

LLVMValueRef simple_v_trans_splat(struct simple_v_trans *t, LLVMValueRef scalar, unsigned lanes)
{
    static const unsigned zeros[64];
    if (lanes == 1)
        return scalar;
    const LLVMValueRef none = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(scalar), lanes));
    return simple_v_trans_shuffle(t, LLVMBuildInsertElement(t->b->ir, none, scalar, jit_i32(t->b, 0), ""),
                                  zeros, lanes);
}

LLVMValueRef simple_v_trans_resize(struct simple_v_trans *t, LLVMValueRef v, unsigned width, bool is_signed)
{
    const unsigned had = simple_v_trans_width(v);
    const LLVMTypeRef type = simple_v_trans_ints(t, width, simple_v_trans_count(v));
    if (had == width)
        return v;
    if (had > width)
        return LLVMBuildTrunc(t->b->ir, v, type, "");
    return is_signed ? LLVMBuildSExt(t->b->ir, v, type, "") : LLVMBuildZExt(t->b->ir, v, type, "");
}

LLVMValueRef simple_v_trans_call(struct simple_v_trans *t, const char *name, LLVMTypeRef type,
                                 LLVMValueRef *args, unsigned count)
{
    return jit_intrinsic(t->b, name, &type, 1, args, count);
}

/* ---- memory of the thread ---- */

LLVMValueRef simple_v_trans_tag(struct simple_v_trans *t, LLVMValueRef access, unsigned whose)
{
    static const char *const names[2] = {"alias.scope", "noalias"};
    for (unsigned n = 0; n < 2; n++) {
        const unsigned kind =
            LLVMGetMDKindIDInContext(t->b->context, names[n], (unsigned)__builtin_strlen(names[n]));
        LLVMSetMetadata(access, kind, t->scopes[whose][n]);
    }
    return access;
}

/* The thread is aligned to 64 bytes. */
static unsigned alignment(size_t offset)
{
    return (unsigned)((offset | 64) & -(offset | 64));
}

static LLVMValueRef load_at(struct simple_v_trans *t, LLVMTypeRef type, LLVMValueRef at, unsigned align)
{
    return simple_v_trans_tag(t, jit_load(t->b, type, at, align, false), SIMPLE_V_OF_THREAD);
}

static void store_at(struct simple_v_trans *t, LLVMValueRef value, LLVMValueRef at, unsigned align)
{
    const LLVMValueRef store = LLVMBuildStore(t->b->ir, value, at);
    LLVMSetAlignment(store, align);
    simple_v_trans_tag(t, store, SIMPLE_V_OF_THREAD);
}

LLVMValueRef simple_v_trans_load(struct simple_v_trans *t, LLVMTypeRef type, size_t offset)
{
    return load_at(t, type, jit_offset_const(t->b, t->thread, offset), alignment(offset));
}

void simple_v_trans_store(struct simple_v_trans *t, LLVMValueRef value, size_t offset)
{
    store_at(t, value, jit_offset_const(t->b, t->thread, offset), alignment(offset));
}

LLVMValueRef simple_v_trans_x(struct simple_v_trans *t, unsigned reg)
{
    return reg ? simple_v_trans_load(t, t->b->i64, SIMPLE_V_THREAD_AT(state.x) + 8u * reg) : jit_i64(t->b, 0);
}

void simple_v_trans_set_x(struct simple_v_trans *t, unsigned reg, LLVMValueRef value)
{
    if (reg)
        simple_v_trans_store(t, value, SIMPLE_V_THREAD_AT(state.x) + 8u * reg);
}

/* ---- elements ---- */

static size_t file_of(const struct simple_v_operand_context *o)
{
    return (o->integer ? SIMPLE_V_THREAD_AT(state.x) : SIMPLE_V_THREAD_AT(state.f)) + 8u * o->reg;
}

/* Elements in the file: of vectors all, of others those of a sub-vector, or the first. */
static unsigned elements_of(const struct simple_v_trans *t, const struct simple_v_operand_context *o)
{
    return o->vector ? t->most : o->tagged ? t->subvl : 1;
}

void simple_v_trans_range(const struct simple_v_trans *t, const struct simple_v_operand_context *o,
                          unsigned *begin, unsigned *end)
{
    const unsigned bytes = elements_of(t, o) * simple_v_stride(o) / 8;
    *begin = o->reg * 8u;
    *end = *begin + (simple_v_trans_is_alone(t, o) ? UTIL_MAX(bytes, 8) : bytes);
}

/* Where VL is not known the last chunk reaches beyond: into the other file, or the rest of the state. */
bool simple_v_trans_fits(const struct simple_v_trans *t, const struct simple_v_operand_context *o)
{
    enum { CHUNK = 64 };
    unsigned begin, end;
    simple_v_trans_range(t, o, &begin, &end);
    if (end > SIMPLE_V_FILE_BYTES)
        return false;
    const size_t whole =
        file_of(o) + (size_t)(elements_of(t, o) + CHUNK - 1) / CHUNK * CHUNK * simple_v_stride(o) / 8;
    return t->elements || !o->vector || whole <= SIMPLE_V_THREAD_AT(state) + sizeof(struct simple_v_state);
}

LLVMValueRef simple_v_trans_first(struct simple_v_trans *t, const struct simple_v_lanes *lanes)
{
    return lanes->first ? lanes->first : jit_i64(t->b, lanes->known);
}

/* Of a vector the first lane's place. */
static LLVMValueRef place_of(struct simple_v_trans *t, const struct simple_v_operand_context *o,
                             const struct simple_v_lanes *lanes, unsigned *align)
{
    const unsigned bytes = simple_v_stride(o) / 8;
    if (!lanes->first) {
        const size_t offset = file_of(o) + (size_t)lanes->known * bytes;
        *align = alignment(offset);
        return jit_offset_const(t->b, t->thread, offset);
    }
    *align = bytes;
    const LLVMValueRef by = LLVMBuildMul(t->b->ir, lanes->first, jit_i64(t->b, bytes), "");
    return jit_offset(t->b, jit_offset_const(t->b, t->thread, file_of(o)), by);
}

static LLVMValueRef read_one(struct simple_v_trans *t, const struct simple_v_operand_context *o, unsigned sub)
{
    const unsigned stride = simple_v_stride(o);
    return simple_v_trans_load(t, simple_v_trans_ints(t, stride, 1), file_of(o) + (size_t)sub * (stride / 8));
}

/* A sub-vector again and again: as one number where that is not too wide, as LLVM takes ages over shuffles of vectors narrower
 * than a register, by lanes of three. */
static LLVMValueRef read_again(struct simple_v_trans *t, const struct simple_v_operand_context *o,
                               const struct simple_v_lanes *lanes)
{
    const unsigned stride = simple_v_stride(o), period = t->subvl, bits = stride * period;
    const LLVMTypeRef type = simple_v_trans_ints(t, stride, lanes->count);
    unsigned which[64];
    if (period == 3) {
        LLVMValueRef out = LLVMGetPoison(type);
        for (unsigned l = 0; l < lanes->count; l++)
            out = LLVMBuildInsertElement(t->b->ir, out, read_one(t, o, (lanes->sub + l) % period),
                                         jit_i32(t->b, l), "");
        return out;
    }
    if (bits <= 64) {
        const LLVMValueRef one = simple_v_trans_load(t, simple_v_trans_ints(t, bits, 1), file_of(o));
        return LLVMBuildBitCast(t->b->ir, simple_v_trans_splat(t, one, lanes->count / period), type, "");
    }
    for (unsigned l = 0; l < lanes->count; l++)
        which[l] = l % period;
    return simple_v_trans_shuffle(
        t, simple_v_trans_load(t, simple_v_trans_ints(t, stride, period), file_of(o)), which, lanes->count);
}

LLVMValueRef simple_v_trans_read(struct simple_v_trans *t, const struct simple_v_operand_context *o,
                                 const struct simple_v_lanes *lanes)
{
    unsigned align;
    if (o->vector) {
        const LLVMValueRef at = place_of(t, o, lanes, &align);
        return load_at(t, simple_v_trans_ints(t, simple_v_stride(o), lanes->count), at, align);
    }
    const unsigned period = o->tagged ? t->subvl : 1;
    if (period == 1 || lanes->count == 1)
        return simple_v_trans_splat(t, read_one(t, o, period > 1 ? lanes->sub : 0), lanes->count);
    return read_again(t, o, lanes);
}

bool simple_v_trans_is_alone(const struct simple_v_trans *t, const struct simple_v_operand_context *o)
{
    return !o->vector && !(o->tagged && t->subvl > 1);
}

static void write_bits(struct simple_v_trans *t, const struct simple_v_operand_context *o,
                       const struct simple_v_lanes *lanes, LLVMValueRef bits)
{
    struct simple_v_lanes where = *lanes;
    unsigned align;
    if (!o->vector) /* of one lane its own, of a sub-vector all from the first on */
        where = (struct simple_v_lanes){.count = lanes->count, .known = o->tagged ? lanes->sub : 0};
    const LLVMValueRef at = place_of(t, o, &where, &align);
    if (lanes->mask)
        bits = LLVMBuildSelect(t->b->ir, lanes->mask, bits, load_at(t, LLVMTypeOf(bits), at, align), "");
    store_at(t, bits, at, align);
}

/* The value's low bits, extended over what there is of them. */
static LLVMValueRef whole(struct simple_v_trans *t, struct simple_v_value v)
{
    const unsigned has = simple_v_trans_width(v.bits);
    if (!v.is_signed || has == v.width)
        return v.bits;
    const LLVMValueRef by = simple_v_trans_number(LLVMTypeOf(v.bits), has - v.width);
    return LLVMBuildAShr(t->b->ir, LLVMBuildShl(t->b->ir, v.bits, by, ""), by, "");
}

void simple_v_trans_write(struct simple_v_trans *t, const struct simple_v_operand_context *o,
                          const struct simple_v_lanes *lanes, struct simple_v_value value, LLVMValueRef zero)
{
    LLVMValueRef bits = o->integer ? whole(t, value) : value.bits;
    if (zero)
        bits = LLVMBuildSelect(t->b->ir, zero, LLVMConstNull(LLVMTypeOf(bits)), bits, "");
    bits = simple_v_trans_resize(t, bits, o->width, value.is_signed);
    if (!o->integer) {
        if (o->boxed && o->width < 64) {
            bits = simple_v_trans_resize(t, bits, 64, false);
            bits =
                LLVMBuildOr(t->b->ir, bits, simple_v_trans_number(LLVMTypeOf(bits), ~0ull << o->width), "");
        }
        write_bits(t, o, lanes, bits);
    } else if (!simple_v_trans_is_alone(t, o)) {
        write_bits(t, o, lanes, bits);
    } else if (o->reg) {
        struct simple_v_operand_context reg = *o;
        reg.width = 64;
        write_bits(t, &reg, lanes, simple_v_trans_resize(t, bits, 64, value.is_signed));
    }
}

/* ---- masks ---- */

/* Without registers of masks bits are told apart in bytes. */
static LLVMValueRef mask_by_bytes(struct simple_v_trans *t, LLVMValueRef bits, const unsigned *bit,
                                  unsigned count)
{
    LLVMValueRef one[64];
    unsigned byte[64];
    for (unsigned l = 0; l < count; l++) {
        byte[l] = bit[l] / 8;
        one[l] = LLVMConstInt(t->b->i8, 1u << bit[l] % 8, false);
    }
    LLVMValueRef v = LLVMGetPoison(LLVMVectorType(t->b->i64, 2));
    v = LLVMBuildInsertElement(t->b->ir, v, bits, jit_i32(t->b, 0), "");
    v = LLVMBuildBitCast(t->b->ir, v, LLVMVectorType(t->b->i8, 16), "");
    v = LLVMBuildAnd(t->b->ir, simple_v_trans_shuffle(t, v, byte, count), LLVMConstVector(one, count), "");
    return LLVMBuildICmp(t->b->ir, LLVMIntNE, v, LLVMConstNull(LLVMTypeOf(v)), "");
}

LLVMValueRef simple_v_trans_lane_mask(struct simple_v_trans *t, LLVMValueRef bits,
                                      const struct simple_v_lanes *lanes)
{
    const LLVMValueRef first =
        LLVMBuildUDiv(t->b->ir, simple_v_trans_first(t, lanes), jit_i64(t->b, t->subvl), "");
    unsigned bit[64], last = 0;
    bits = LLVMBuildLShr(t->b->ir, bits, first, "");
    if (lanes->count == 1)
        return LLVMBuildTrunc(t->b->ir, bits, t->b->i1, "");
    for (unsigned l = 0; l < lanes->count; l++)
        bit[l] = last = (lanes->sub + l) / t->subvl;
    if (t->b->level < JIT_AVX512)
        return mask_by_bytes(t, bits, bit, lanes->count);
    const unsigned room = last < 8 ? 8 : last < 16 ? 16 : last < 32 ? 32 : 64;
    bits = LLVMBuildTrunc(t->b->ir, bits, simple_v_trans_ints(t, room, 1), "");
    const LLVMValueRef all = LLVMBuildBitCast(t->b->ir, bits, LLVMVectorType(t->b->i1, room), "");
    return simple_v_trans_shuffle(t, all, bit, lanes->count);
}
