#include "gpu/libresoc/stage_code.h"

#include <assert.h>
#include <stddef.h>

#include "gpu/libresoc/code.h"
#include "isa/simple_v/asm.h"
#include "isa/simple_v/trans.h"

/* ---- what it reaches ---- */

#define REACH(number, member)                                                                                \
    (offsetof(struct libresoc_thread, reach) + (number) * sizeof(struct libresoc_reach) +                    \
     offsetof(struct libresoc_reach, member))
#define READABLE(member) offsetof(struct libresoc_thread, readable.member)

/* An access under way: `bytes` (i64) from `address` (i64, or a vector of them) on. */
struct access {
    struct jit_builder *b;
    LLVMValueRef thread, address, bytes;
    bool stores;
};

/* Where an address stands: memory from guest address `at` on, of which `most` is the last place for the bytes, which the host has at
 * `host`. `there` (i1): whether it is memory at all, and as large as the bytes. */
struct found {
    LLVMValueRef at, most, host, there;
};

static LLVMValueRef field(const struct access *a, size_t offset)
{
    return jit_load(a->b, a->b->i64, jit_offset_const(a->b, a->thread, offset), 8, true);
}

/* A number for each lane of what `like` is. */
static LLVMValueRef splat(struct jit_builder *b, LLVMValueRef value, LLVMValueRef like)
{
    const LLVMTypeRef type = LLVMTypeOf(like);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return value;
    const LLVMValueRef first = LLVMBuildInsertElement(b->ir, LLVMGetPoison(type), value, jit_i32(b, 0), "");
    return LLVMBuildShuffleVector(b->ir, first, LLVMGetPoison(type),
                                  LLVMConstNull(LLVMVectorType(b->i32, LLVMGetVectorSize(type))), "");
}

/* The launch's own memory. */
static struct found find_own(const struct access *a, LLVMValueRef address)
{
    struct jit_builder *b = a->b;
    static_assert(LIBRESOC_IN_AT == LIBRESOC_STACK_AT + LIBRESOC_OWN_IN * LIBRESOC_OWN_STEP &&
                      LIBRESOC_OUT_AT == LIBRESOC_STACK_AT + LIBRESOC_OWN_OUT * LIBRESOC_OWN_STEP,
                  "numbers of own memory are those of addresses");
    const LLVMValueRef offset = LLVMBuildSub(b->ir, address, jit_i64(b, LIBRESOC_STACK_AT), "");
    const LLVMValueRef number =
        LLVMBuildLShr(b->ir, offset, jit_i64(b, (uint64_t)__builtin_ctz(LIBRESOC_OWN_STEP)), "");
    LLVMValueRef there = LLVMBuildICmp(b->ir, LLVMIntULT, number, jit_i64(b, LIBRESOC_OWN), "");
    if (a->stores)
        there = LLVMBuildAnd(b->ir, there,
                             LLVMBuildICmp(b->ir, LLVMIntNE, number, jit_i64(b, LIBRESOC_OWN_IN), ""), "");
    const LLVMValueRef at = LLVMBuildSelect(b->ir, there, number, jit_i64(b, 0), "");
    const LLVMValueRef by = LLVMBuildMul(b->ir, at, jit_i64(b, sizeof(struct libresoc_reach)), "");
    const LLVMValueRef reach = jit_offset(b, a->thread, by);
    const LLVMValueRef size = jit_load(b, b->i64, jit_offset_const(b, reach, REACH(0, size)), 8, true);
    return (struct found){
        .at = jit_load(b, b->i64, jit_offset_const(b, reach, REACH(0, at)), 8, true),
        .most = LLVMBuildSub(b->ir, size, a->bytes, ""),
        .host = jit_load(b, b->i64, jit_offset_const(b, reach, REACH(0, host)), 8, true),
        .there = LLVMBuildAnd(b->ir, there, LLVMBuildICmp(b->ir, LLVMIntUGE, size, a->bytes, ""), "")};
}

/* Guest memory: the last piece that begins no later. */
static struct found find_guest(const struct access *a, LLVMValueRef address)
{
    struct jit_builder *b = a->b;
    LLVMValueRef number = jit_i64(b, 0);
    for (unsigned n = 1; n < LIBRESOC_READABLE; n++) {
        const LLVMValueRef from = field(a, READABLE(from[n]));
        const LLVMValueRef later = LLVMBuildICmp(b->ir, LLVMIntUGE, address, from, "");
        number = LLVMBuildAdd(b->ir, number, LLVMBuildZExt(b->ir, later, b->i64, ""), "");
    }
    const LLVMValueRef piece = jit_offset(b, a->thread, LLVMBuildMul(b->ir, number, jit_i64(b, 8), ""));
    const LLVMValueRef from = jit_load(b, b->i64, jit_offset_const(b, piece, READABLE(from[0])), 8, true),
                       to = jit_load(b, b->i64, jit_offset_const(b, piece, READABLE(to[0])), 8, true);
    const LLVMValueRef size = LLVMBuildSub(b->ir, to, from, "");
    return (struct found){.at = from,
                          .most = LLVMBuildSub(b->ir, size, a->bytes, ""),
                          .host = LLVMBuildAdd(b->ir, field(a, REACH(LIBRESOC_GUEST, host)), from, ""),
                          .there = LLVMBuildICmp(b->ir, LLVMIntUGE, size, a->bytes, "")};
}

static LLVMBasicBlockRef block(struct jit_builder *b, const char *name)
{
    return LLVMAppendBasicBlockInContext(b->context, LLVMGetBasicBlockParent(LLVMGetInsertBlock(b->ir)),
                                         name);
}

static LLVMValueRef either(struct jit_builder *b, const LLVMValueRef value[2], LLVMBasicBlockRef from[2])
{
    LLVMValueRef phi = LLVMBuildPhi(b->ir, LLVMTypeOf(value[0]), "");
    LLVMValueRef values[2] = {value[0], value[1]};
    LLVMAddIncoming(phi, values, from, 2);
    return phi;
}

/* Programs store to their own memory alone; all of it lies beyond the guest's. */
static struct found find(const struct access *a, LLVMValueRef address)
{
    struct jit_builder *b = a->b;
    if (a->stores)
        return find_own(a, address);
    LLVMBasicBlockRef way[2] = {block(b, "own"), block(b, "guest")}, from[2], met = block(b, "found");
    struct found one[2];
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntUGE, address, jit_i64(b, LIBRESOC_STACK_AT), ""),
                    way[0], way[1]);
    for (unsigned n = 0; n < 2; n++) {
        LLVMPositionBuilderAtEnd(b->ir, way[n]);
        one[n] = n ? find_guest(a, address) : find_own(a, address);
        from[n] = LLVMGetInsertBlock(b->ir);
        LLVMBuildBr(b->ir, met);
    }
    LLVMPositionBuilderAtEnd(b->ir, met);
    return (struct found){either(b, (LLVMValueRef[]){one[0].at, one[1].at}, from),
                          either(b, (LLVMValueRef[]){one[0].most, one[1].most}, from),
                          either(b, (LLVMValueRef[]){one[0].host, one[1].host}, from),
                          either(b, (LLVMValueRef[]){one[0].there, one[1].there}, from)};
}

/* Whether the bytes at `address`, or at each of them, lie in it, and where. */
static LLVMValueRef within(const struct access *a, const struct found *f, LLVMValueRef address,
                           LLVMValueRef *there)
{
    struct jit_builder *b = a->b;
    const LLVMValueRef offset = LLVMBuildSub(b->ir, address, splat(b, f->at, address), "");
    *there = LLVMBuildICmp(b->ir, LLVMIntULE, offset, splat(b, f->most, address), "");
    return LLVMBuildAdd(b->ir, offset, splat(b, f->host, address), "");
}

static LLVMValueRef place_one(void *ctx, struct jit_builder *b, LLVMValueRef address, LLVMValueRef *there)
{
    const struct access *a = ctx;
    const struct found f = find(a, address);
    const LLVMValueRef host = within(a, &f, address, there);
    *there = LLVMBuildAnd(b->ir, *there, f.there, "");
    return host;
}

/* Addresses of vectors nearly always are of one piece of memory: that of the first. */
static LLVMValueRef place_all(struct access *a, LLVMValueRef *there)
{
    struct jit_builder *b = a->b;
    LLVMBasicBlockRef from[2], apart = block(b, "apart"), met = block(b, "placed");
    LLVMValueRef host[2], in[2];
    const struct found f = find(a, LLVMBuildExtractElement(b->ir, a->address, jit_i32(b, 0), ""));
    host[0] = within(a, &f, a->address, &in[0]);
    const LLVMValueRef all = LLVMBuildNot(b->ir, jit_mask_any(b, LLVMBuildNot(b->ir, in[0], "")), "");
    in[0] = LLVMConstAllOnes(LLVMTypeOf(in[0]));
    from[0] = LLVMGetInsertBlock(b->ir);
    jit_likely(b, LLVMBuildCondBr(b->ir, LLVMBuildAnd(b->ir, all, f.there, ""), met, apart));
    LLVMPositionBuilderAtEnd(b->ir, apart);
    host[1] = libresoc_place_each(b, a->address, place_one, a, &in[1]);
    from[1] = LLVMGetInsertBlock(b->ir);
    LLVMBuildBr(b->ir, met);
    LLVMPositionBuilderAtEnd(b->ir, met);
    *there = either(b, in, from);
    return either(b, host, from);
}

LLVMValueRef libresoc_stage_place(void *ctx, struct jit_builder *b, LLVMValueRef thread, LLVMValueRef address,
                                  LLVMValueRef bytes, bool stores, LLVMValueRef *there)
{
    struct access a = {.b = b, .thread = thread, .address = address, .bytes = bytes, .stores = stores};
    return LLVMGetTypeKind(LLVMTypeOf(address)) == LLVMVectorTypeKind ? place_all(&a, there)
                                                                      : place_one(&a, b, address, there);
}

/* ---- code ---- */

/* Where a program stands and begins. */
struct standing {
    uint64_t address, entry;
};

static struct jit_function *compile(const struct gpu_program *of, const struct standing *at,
                                    struct jit_engine *engine)
{
    const struct simple_v_entry entry = {(uint32_t)(at->entry / SIMPLE_V_WORD_BYTES), {1, 1, 1, 1, 1}};
    struct simple_v_program program = *(const struct simple_v_program *)of->program;
    struct jit_function *function;
    program.address = at->address;
    return libresoc_code_get(engine, LIBRESOC_CODE_STAGE, &program, &entry, program.count, &function, NULL)
               ? NULL
               : function;
}

struct jit_function *libresoc_stage_code(struct gpu_program *program, uint64_t address, uint64_t entry,
                                         struct jit_engine *engine)
{
    const uintptr_t of = (uintptr_t)engine;
    const struct standing at = {address, entry};
    const struct util_memo_key key = {&of, sizeof of, &at, sizeof at};
    enum util_make_status status;
    struct jit_function **code = gpu_program_code(program, &key, sizeof(struct jit_function *), &status);
    if (status == UTIL_MAKING) {
        *code = compile(program, &at, engine);
        util_memo_end(&program->codes, code, true);
    }
    return code ? *code : NULL; /* what cannot be compiled is interpreted: the same results, slower */
}
