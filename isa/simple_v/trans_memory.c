/* Loads and stores by lanes: the digest, section 6.4. All that an instruction reaches is found out before it begins. */
#include "isa/simple_v/trans_internal.h"
#include "util/bits.h"

static bool stores(const struct simple_v_trans *t)
{
    return t->x.class == SIMPLE_V_STORE;
}

static const struct simple_v_operand_context *data_of(const struct simple_v_trans *t)
{
    return &t->x.operand[stores(t) ? SIMPLE_V_RS2 : SIMPLE_V_RD];
}

bool simple_v_trans_gathers(const struct simple_v_trans *t)
{
    return t->x.operand[SIMPLE_V_RS1].vector;
}

/* Floats change their format on the way. */
static bool can_move(const struct simple_v_trans *t)
{
    const struct simple_v_operand_context *o = data_of(t);
    const bool formats = o->width != 8 && t->x.memory != 8;
    return o->integer || o->width == t->x.memory ||
           (formats && !t->program->reads_flags && simple_v_trans_rounds_near(t));
}

bool simple_v_trans_can_access(const struct simple_v_trans *t)
{
    const struct simple_v_operand_context *rs1 = &t->x.operand[SIMPLE_V_RS1], *data = data_of(t);
    unsigned begin, end, rs1_begin, rs1_end;
    if (t->x.memory > t->x.row->bits || !can_move(t))
        return false;
    if (rs1->vector) {
        unsigned chunks = 0;
        for (unsigned first = 0; first < t->elements; first += simple_v_trans_chunk(t, first))
            chunks++;
        return t->elements && chunks <= SIMPLE_V_TRANS_CHUNKS && t->x.memory == t->x.row->bits &&
               (stores(t) || (data->vector && !simple_v_trans_meets(t, data, rs1)));
    }
    /* The address is read before all elements. */
    simple_v_trans_range(t, data, &begin, &end);
    simple_v_trans_range(t, rs1, &rs1_begin, &rs1_end);
    return stores(t) || !data->integer || !t->x.loops || end <= rs1_begin || rs1_begin + 8 <= begin;
}

/* ---- where it is ---- */

static LLVMValueRef offset_by(struct simple_v_trans *t, LLVMValueRef address)
{
    const uint64_t imm = (uint64_t)(int64_t)t->item->insn->imm;
    return LLVMBuildAdd(t->b->ir, address, simple_v_trans_number(LLVMTypeOf(address), imm), "");
}

static LLVMValueRef place(struct simple_v_trans *t, LLVMValueRef address, LLVMValueRef bytes,
                          LLVMValueRef *there)
{
    return t->ports->place(t->ports->ctx, t->b, t->thread, offset_by(t, address), bytes, stores(t), there);
}

static void find_range(struct simple_v_trans *t)
{
    const unsigned bytes = t->x.memory / 8u;
    LLVMValueRef there, all = jit_i64(t->b, (uint64_t)t->elements * bytes);
    if (t->vl)
        all = LLVMBuildMul(t->b->ir, t->vl, jit_i64(t->b, (uint64_t)t->subvl * bytes), "");
    t->memory = place(t, simple_v_trans_x(t, t->x.operand[SIMPLE_V_RS1].reg), all, &there);
    simple_v_trans_exit_if(t, LLVMBuildNot(t->b->ir, there, ""));
}

static void find_each(struct simple_v_trans *t, LLVMValueRef live)
{
    const LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef missing = NULL;
    unsigned n = 0;
    struct simple_v_lanes lanes = {0};
    for (; lanes.known < t->elements; lanes.known += lanes.count, n++) {
        LLVMValueRef there;
        lanes.count = simple_v_trans_chunk(t, lanes.known);
        lanes.sub = lanes.known % t->subvl;
        const LLVMValueRef address = simple_v_trans_read(t, &t->x.operand[SIMPLE_V_RS1], &lanes);
        t->live[n] = live ? simple_v_trans_lane_mask(t, live, &lanes) : NULL;
        t->at[n] = place(t, address, jit_i64(t->b, t->x.memory / 8u), &there);
        LLVMValueRef bad = LLVMBuildNot(ir, there, "");
        if (live)
            bad = LLVMBuildAnd(ir, bad, t->live[n], "");
        bad = lanes.count > 1 ? jit_mask_any(t->b, bad) : bad;
        missing = missing ? LLVMBuildOr(ir, missing, bad, "") : bad;
    }
    simple_v_trans_exit_if(t, missing);
}

/* What LR has reserved is told apart by the interpreter. */
static void find_reserved(struct simple_v_trans *t)
{
    const LLVMValueRef reserved = simple_v_trans_load(t, t->b->i8, SIMPLE_V_THREAD_AT(state.reserved));
    simple_v_trans_exit_if(t, LLVMBuildICmp(t->b->ir, LLVMIntNE, reserved, LLVMConstNull(t->b->i8), ""));
}

void simple_v_trans_find_memory(struct simple_v_trans *t, LLVMValueRef live)
{
    if (stores(t) && t->program->reserves)
        find_reserved(t);
    if (simple_v_trans_gathers(t))
        find_each(t, live);
    else
        find_range(t);
}

/* ---- accesses ---- */

static LLVMValueRef pointer(struct simple_v_trans *t, LLVMValueRef at)
{
    const LLVMTypeRef type = t->b->ptr;
    const unsigned count = simple_v_trans_count(at);
    return LLVMBuildIntToPtr(t->b->ir, at, count > 1 ? LLVMVectorType(type, count) : type, "");
}

/* Of unit stride: from the first lane on. */
static LLVMValueRef unit(struct simple_v_trans *t, const struct simple_v_lanes *lanes)
{
    const LLVMValueRef bytes = jit_i64(t->b, t->x.memory / 8u);
    const LLVMValueRef by = LLVMBuildMul(t->b->ir, simple_v_trans_first(t, lanes), bytes, "");
    return LLVMBuildAdd(t->b->ir, t->memory, by, "");
}

/* Somewhere of the thread's own, for what is not asked for. */
static LLVMValueRef nowhere(struct simple_v_trans *t, unsigned lanes)
{
    const LLVMValueRef slot = jit_alloca(t->b, t->b->i64, "nowhere");
    return simple_v_trans_splat(t, LLVMBuildPtrToInt(t->b->ir, slot, t->b->i64, ""), lanes);
}

static LLVMValueRef only(struct simple_v_trans *t, LLVMValueRef at, LLVMValueRef mask)
{
    return mask ? LLVMBuildSelect(t->b->ir, mask, at, nowhere(t, simple_v_trans_count(at)), "") : at;
}

static LLVMValueRef plain_load(struct simple_v_trans *t, LLVMTypeRef type, LLVMValueRef at)
{
    return simple_v_trans_tag(t, jit_load(t->b, type, pointer(t, at), 1, false), SIMPLE_V_OF_GUEST);
}

static void plain_store(struct simple_v_trans *t, LLVMValueRef value, LLVMValueRef at)
{
    const LLVMValueRef store = LLVMBuildStore(t->b->ir, value, pointer(t, at));
    LLVMSetAlignment(store, 1);
    simple_v_trans_tag(t, store, SIMPLE_V_OF_GUEST);
}

/* Hosts' own instructions: of what they have none for LLVM makes code lane by lane, in places without end. */
static bool can_gather(const struct simple_v_trans *t)
{
    return t->b->level >= JIT_AVX512 && t->x.memory >= 32;
}

static LLVMValueRef lane_of(struct simple_v_trans *t, LLVMValueRef v, unsigned lane)
{
    return simple_v_trans_count(v) > 1 ? LLVMBuildExtractElement(t->b->ir, v, jit_i32(t->b, lane), "") : v;
}

static LLVMValueRef gather(struct simple_v_trans *t, LLVMTypeRef type)
{
    const LLVMValueRef at = only(t, t->at[t->chunk], t->live[t->chunk]);
    const unsigned count = simple_v_trans_count(at);
    if (count == 1)
        return plain_load(t, type, at);
    if (!can_gather(t)) {
        LLVMValueRef out = LLVMGetPoison(type);
        for (unsigned l = 0; l < count; l++)
            out = LLVMBuildInsertElement(t->b->ir, out,
                                         plain_load(t, LLVMGetElementType(type), lane_of(t, at, l)),
                                         jit_i32(t->b, l), "");
        return out;
    }
    const LLVMValueRef from = pointer(t, at);
    const LLVMTypeRef types[2] = {type, LLVMTypeOf(from)};
    LLVMValueRef args[4] = {from, jit_i32(t->b, 1), LLVMConstAllOnes(LLVMVectorType(t->b->i1, count)),
                            LLVMConstNull(type)};
    return simple_v_trans_tag(t, jit_intrinsic(t->b, "llvm.masked.gather", types, 2, args, 4),
                              SIMPLE_V_OF_GUEST);
}

/* In lane order, as elements that are at one place are. */
static void scatter(struct simple_v_trans *t, LLVMValueRef value)
{
    const LLVMValueRef live = t->live[t->chunk];
    const unsigned count = simple_v_trans_count(value);
    LLVMValueRef at = t->at[t->chunk];
    if (count == 1 || !can_gather(t)) {
        at = only(t, at, live);
        for (unsigned l = 0; l < count; l++)
            plain_store(t, lane_of(t, value, l), lane_of(t, at, l));
        return;
    }
    const LLVMValueRef to = pointer(t, at);
    const LLVMTypeRef types[2] = {LLVMTypeOf(value), LLVMTypeOf(to)};
    LLVMValueRef args[4] = {value, to, jit_i32(t->b, 1),
                            live ? live : LLVMConstAllOnes(LLVMVectorType(t->b->i1, count))};
    simple_v_trans_tag(t, jit_intrinsic(t->b, "llvm.masked.scatter", types, 2, args, 4), SIMPLE_V_OF_GUEST);
}

static LLVMValueRef load_masked(struct simple_v_trans *t, LLVMTypeRef type, LLVMValueRef at,
                                LLVMValueRef mask)
{
    const LLVMTypeRef types[2] = {type, t->b->ptr};
    LLVMValueRef args[4] = {pointer(t, at), jit_i32(t->b, 1), mask, LLVMConstNull(type)};
    return simple_v_trans_tag(t, jit_intrinsic(t->b, "llvm.masked.load", types, 2, args, 4),
                              SIMPLE_V_OF_GUEST);
}

/* Sub-vectors of narrow elements are one wide one each, which more hosts can store by a mask. */
static void store_masked(struct simple_v_trans *t, LLVMValueRef value, LLVMValueRef at, LLVMValueRef mask)
{
    const unsigned count = simple_v_trans_count(value), bits = t->x.memory * t->subvl;
    if (count == 1) {
        plain_store(t, value, only(t, at, mask));
        return;
    }
    if (t->subvl > 1 && t->subvl != 3 && bits <= 64 && count > t->subvl) {
        unsigned first[64];
        for (unsigned l = 0; l < count / t->subvl; l++)
            first[l] = l * t->subvl;
        const LLVMTypeRef wide = simple_v_trans_ints(t, bits, count / t->subvl);
        mask = simple_v_trans_shuffle(t, mask, first, count / t->subvl);
        value = LLVMBuildBitCast(t->b->ir, value, wide, "");
    }
    const LLVMTypeRef types[2] = {LLVMTypeOf(value), t->b->ptr};
    LLVMValueRef args[4] = {value, pointer(t, at), jit_i32(t->b, 1), mask};
    simple_v_trans_tag(t, jit_intrinsic(t->b, "llvm.masked.store", types, 2, args, 4), SIMPLE_V_OF_GUEST);
}

struct simple_v_value simple_v_trans_loaded(struct simple_v_trans *t, const struct simple_v_lanes *from)
{
    const unsigned bits = t->x.memory;
    const struct simple_v_operand_context *rd = data_of(t);
    const LLVMTypeRef type = simple_v_trans_ints(t, bits, from->count);
    LLVMValueRef v;
    if (simple_v_trans_gathers(t))
        v = gather(t, type);
    else if (t->vl && from->count > 1) /* the last chunk goes beyond what was asked for */
        v = load_masked(t, type, unit(t, from), from->mask);
    else
        v = plain_load(t, type, unit(t, from));
    if (rd->integer)
        return (struct simple_v_value){v, bits, t->x.row->signed_1};
    return (struct simple_v_value){simple_v_trans_convert(t, v, bits, rd->width), rd->width, false};
}

void simple_v_trans_stored(struct simple_v_trans *t, const struct simple_v_lanes *data,
                           const struct simple_v_lanes *to, LLVMValueRef zero)
{
    const struct simple_v_operand_context *rs2 = data_of(t);
    LLVMValueRef v = simple_v_trans_resize(t, simple_v_trans_read(t, rs2, data), rs2->width, false);
    v = rs2->integer ? simple_v_trans_resize(t, v, t->x.memory, false)
                     : simple_v_trans_convert(t, v, rs2->width, t->x.memory);
    if (zero)
        v = LLVMBuildSelect(t->b->ir, zero, LLVMConstNull(LLVMTypeOf(v)), v, "");
    if (simple_v_trans_gathers(t))
        scatter(t, v);
    else if (to->mask)
        store_masked(t, v, unit(t, to), to->mask);
    else
        plain_store(t, v, unit(t, to));
}
