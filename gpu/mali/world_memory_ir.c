/* Memory of programs as IR (world_memory.c is the definition). Sixteen lanes' bytes mostly follow each other, as
 * those of an array's elements, or are the same; then one look at the pages does for all. */
#include "gpu/mali/world_ir_internal.h"

#include <stddef.h>

#include "gpu/array_ir.h"
#include "util/bits.h"

struct memory {
    struct mali_world_ir *e;
    struct jit_builder *b;
    const struct isa_ir_access *access;
    uint32_t rights;
    LLVMValueRef mask;  /* lanes that ask */
    LLVMValueRef base;  /* ptr: of the window, or the workgroup's storage */
    LLVMValueRef room;  /* i64: bytes from there on */
    LLVMValueRef first; /* i64: lane 0's address */
};

static struct memory memory_of(struct mali_world_ir *e, struct jit_builder *b, const struct isa_ir_access *a,
                               uint32_t rights, LLVMValueRef mask)
{
    struct memory m = {e, b, a, rights, mask, NULL, NULL, NULL};
    bool group = a->space == ISA_SPACE_WORKGROUP;
    m.base = group ? mali_ir_of_threads(e, b, b->ptr, offsetof(struct mali_threads, group_storage))
                   : mali_ir_place(e, b, b->ptr, offsetof(struct mali_code, window));
    m.room = group ? mali_ir_place(e, b, b->i64, offsetof(struct mali_code, group_bytes))
                   : jit_i64(b, UINT64_C(1) << 32);
    m.first = mali_ir_lane(b, a->address, 0);
    return m;
}

/* The condition for all lanes that ask. */
static LLVMValueRef for_all(const struct memory *m, LLVMValueRef condition)
{
    LLVMBuilderRef ir = m->b->ir;
    return jit_mask_all(m->b, LLVMBuildOr(ir, condition, LLVMBuildNot(ir, m->mask, ""), ""));
}

/* ---- pages ---- */

/* The same for a word of the table of pages, or sixteen of them. */
static LLVMValueRef allows(const struct memory *m, LLVMValueRef page)
{
    struct jit_builder *b = m->b;
    bool lanes = LLVMTypeOf(page) == b->i32x16;
    LLVMValueRef wanted = lanes ? jit_splat_u32(b, m->rights) : jit_i32(b, m->rights);
    return LLVMBuildICmp(b->ir, LLVMIntEQ, LLVMBuildAnd(b->ir, page, wanted, ""), wanted, "");
}

static LLVMValueRef page_table(const struct memory *m)
{
    return mali_ir_place(m->e, m->b, m->b->ptr, offsetof(struct mali_code, page));
}

/* The table's word of an address below 2^32, or of any other one. */
static LLVMValueRef page_word(const struct memory *m, LLVMValueRef address)
{
    struct jit_builder *b = m->b;
    LLVMValueRef number =
        LLVMBuildUDiv(b->ir, LLVMBuildTrunc(b->ir, address, b->i32, ""), jit_i32(b, GPU_PAGE), "");
    LLVMValueRef at = jit_offset(b, page_table(m), LLVMBuildShl(b->ir, number, jit_i32(b, 2), ""));
    return jit_load(b, b->i32, at, 4, false);
}

/* Those of sixteen addresses below 2^32; 0 of lanes that are not `there`. */
static LLVMValueRef page_words(const struct memory *m, LLVMValueRef address, LLVMValueRef there)
{
    struct jit_builder *b = m->b;
    LLVMValueRef number = LLVMBuildUDiv(b->ir, address, jit_splat_u32(b, GPU_PAGE), "");
    return jit_gather_u32(b, page_table(m), LLVMBuildShl(b->ir, number, jit_splat_u32(b, 2), ""), there);
}

/* Whether `bytes` from lane 0's address on are there; they are fewer than a page has. i1. */
static LLVMValueRef run_is_there(const struct memory *m, uint32_t bytes)
{
    struct jit_builder *b = m->b;
    LLVMValueRef last = LLVMBuildSub(b->ir, m->room, jit_i64(b, bytes), "");
    LLVMValueRef good = LLVMBuildICmp(b->ir, LLVMIntULE, m->first, last, "");
    if (m->access->space == ISA_SPACE_WORKGROUP)
        return LLVMBuildAnd(b->ir, good, LLVMBuildICmp(b->ir, LLVMIntUGE, m->room, jit_i64(b, bytes), ""),
                            "");
    good = LLVMBuildAnd(b->ir, good, allows(m, page_word(m, m->first)), "");
    LLVMValueRef end = LLVMBuildAdd(b->ir, m->first, jit_i64(b, bytes - 1), "");
    return LLVMBuildAnd(b->ir, good, allows(m, page_word(m, end)), "");
}

/* Whether each lane's bytes are in one page of the guest's that has the rights. i1. */
static LLVMValueRef lanes_in_pages(const struct memory *m)
{
    struct jit_builder *b = m->b;
    LLVMValueRef high = LLVMBuildLShr(b->ir, m->access->address, jit_splat(b, jit_i64(b, 32)), "");
    LLVMValueRef low = mali_ir_narrow(b, m->access->address);
    LLVMValueRef good = LLVMBuildICmp(b->ir, LLVMIntEQ, mali_ir_narrow(b, high), jit_splat_u32(b, 0), "");
    LLVMValueRef in_page = LLVMBuildAnd(b->ir, low, jit_splat_u32(b, GPU_PAGE - 1), "");
    in_page = LLVMBuildICmp(b->ir, LLVMIntULE, in_page, jit_splat_u32(b, GPU_PAGE - m->access->bytes), "");
    good = LLVMBuildAnd(b->ir, good, in_page, "");
    LLVMValueRef page = page_words(m, low, LLVMBuildAnd(b->ir, good, m->mask, ""));
    return for_all(m, LLVMBuildAnd(b->ir, good, allows(m, page), ""));
}

/* Whether each lane's bytes are in the workgroup's storage. i1. */
static LLVMValueRef lanes_in_group(const struct memory *m)
{
    struct jit_builder *b = m->b;
    LLVMValueRef bytes = jit_i64(b, m->access->bytes), last = LLVMBuildSub(b->ir, m->room, bytes, "");
    LLVMValueRef good = LLVMBuildICmp(b->ir, LLVMIntULE, m->access->address, jit_splat(b, last), "");
    return LLVMBuildAnd(b->ir, for_all(m, good), LLVMBuildICmp(b->ir, LLVMIntUGE, m->room, bytes, ""), "");
}

/* ---- pages that a run of the world's speculation grants (gpu/speculation.h) ---- */

static bool is_tracked(const struct memory *m)
{
    return m->e->forms->tracks && m->access->space != ISA_SPACE_WORKGROUP;
}

static void ask_for_pages(const struct memory *m)
{
    struct jit_builder *b = m->b;
    LLVMTypeRef types[5] = {b->ptr, b->ptr, b->i32, b->i32, b->i32};
    if (!m->e->asked)
        m->e->asked = jit_alloca(b, b->i64x16, "asked");
    jit_store(b, m->access->address, m->e->asked, 8);
    LLVMValueRef lanes = LLVMBuildZExt(b->ir, jit_mask_to_bits(b, m->mask), b->i32, "");
    LLVMValueRef args[5] = {m->e->threads, m->e->asked, lanes, jit_i32(b, m->access->bytes),
                            jit_i32(b, m->rights)};
    LLVMValueRef ask = mali_ir_of_threads(m->e, b, b->ptr, offsetof(struct mali_threads, ask));
    LLVMBuildCall2(b->ir, LLVMFunctionType(b->void_, types, 5, false), ask, args, 5, "");
}

/* The same of code that is tracked: whom a page is not granted yet asks for it, and looks again. */
static LLVMValueRef lanes_in_granted_pages(const struct memory *m)
{
    struct jit_builder *b = m->b;
    LLVMBasicBlockRef ask = LLVMAppendBasicBlockInContext(b->context, b->function, "ask"), from[2];
    LLVMBasicBlockRef known = LLVMAppendBasicBlockInContext(b->context, b->function, "known");
    LLVMValueRef there[2] = {lanes_in_pages(m)};
    from[0] = LLVMGetInsertBlock(b->ir);
    LLVMBuildCondBr(b->ir, there[0], known, ask);
    LLVMPositionBuilderAtEnd(b->ir, ask);
    ask_for_pages(m);
    there[1] = lanes_in_pages(m);
    from[1] = LLVMGetInsertBlock(b->ir);
    LLVMBuildBr(b->ir, known);
    LLVMPositionBuilderAtEnd(b->ir, known);
    LLVMValueRef phi = LLVMBuildPhi(b->ir, b->i1, "");
    LLVMAddIncoming(phi, there, from, 2);
    return phi;
}

static LLVMValueRef lanes_are_there(const struct memory *m)
{
    return m->access->space == ISA_SPACE_WORKGROUP ? lanes_in_group(m)
           : is_tracked(m)                         ? lanes_in_granted_pages(m)
                                                   : lanes_in_pages(m);
}

/* ---- addresses ---- */

/* Whether lane n's address is lane 0's and n * step. i1. */
static LLVMValueRef steps_by(const struct memory *m, uint32_t step)
{
    struct jit_builder *b = m->b;
    LLVMValueRef steps = LLVMBuildMul(b->ir, LLVMBuildZExt(b->ir, jit_lane_ids(b), b->i64x16, ""),
                                      jit_splat(b, jit_i64(b, step)), "");
    LLVMValueRef row = LLVMBuildAdd(b->ir, jit_splat(b, m->first), steps, "");
    return for_all(m, LLVMBuildICmp(b->ir, LLVMIntEQ, m->access->address, row, ""));
}

static LLVMValueRef in_a_row(const struct memory *m)
{
    return LLVMBuildAnd(m->b->ir, steps_by(m, m->access->bytes),
                        run_is_there(m, m->access->bytes * MIDGARD_LANES), "");
}

static LLVMValueRef at_one_place(const struct memory *m)
{
    return LLVMBuildAnd(m->b->ir, steps_by(m, 0), run_is_there(m, m->access->bytes), "");
}

static LLVMValueRef first_place(const struct memory *m)
{
    return jit_offset(m->b, m->base, m->first);
}

static void lane_places(const struct memory *m, LLVMValueRef elsewhere, LLVMValueRef at[16])
{
    mali_ir_addresses(m->b, m->base, mali_ir_narrow(m->b, m->access->address), m->mask, elsewhere, at);
}

static void row_places(const struct memory *m, LLVMValueRef at[16])
{
    for (unsigned l = 0; l < MIDGARD_LANES; l++)
        at[l] = jit_offset_const(m->b, first_place(m), (uint64_t)l * m->access->bytes);
}

/* ---- loads ---- */

/* Of up to four bytes: one load for all. */
static LLVMTypeRef row_type(const struct memory *m)
{
    return m->access->bytes == 1 ? m->b->i8x16 : m->access->bytes == 2 ? m->b->i16x16 : m->b->i32x16;
}

static bool is_vector(const struct memory *m)
{
    return m->access->bytes == 1 || m->access->bytes == 2 || m->access->bytes == 4;
}

static void load_row(const struct memory *m, LLVMValueRef out[4])
{
    LLVMValueRef at[16];
    if (is_vector(m)) {
        out[0] = jit_load(m->b, row_type(m), first_place(m), 1, false);
        out[0] = LLVMBuildZExt(m->b->ir, out[0], m->b->i32x16, "");
        return;
    }
    row_places(m, at);
    gpu_array_ir_load(m->b, at, m->access->bytes, out);
}

static void load_one(const struct memory *m, LLVMValueRef out[4])
{
    struct jit_builder *b = m->b;
    for (unsigned done = 0; done < m->access->bytes; done += 4) {
        unsigned left = m->access->bytes - done;
        LLVMTypeRef type = left >= 4 ? b->i32 : LLVMIntTypeInContext(b->context, left * 8);
        LLVMValueRef word = jit_load(b, type, jit_offset_const(b, first_place(m), done), 1, false);
        out[done / 4] = jit_splat(b, left >= 4 ? word : LLVMBuildZExt(b->ir, word, b->i32, ""));
    }
}

static void load_lanes(const struct memory *m, LLVMValueRef out[4])
{
    LLVMValueRef at[16];
    lane_places(m, mali_ir_zeros(m->e, m->b), at);
    gpu_array_ir_load(m->b, at, m->access->bytes, out);
}

LLVMValueRef mali_ir_ways_fault(struct jit_builder *b, struct mali_ir_ways *w, LLVMValueRef bad,
                                LLVMValueRef *address)
{
    LLVMValueRef lanes[MALI_WAYS], addresses[MALI_WAYS];
    mali_ir_last_way_end(b, w);
    for (unsigned n = 0; n < MALI_WAYS; n++) {
        lanes[n] = n + 1 == w->count ? bad : LLVMConstNull(b->i1x16);
        addresses[n] = n + 1 == w->count ? *address : LLVMConstNull(b->i64x16);
    }
    *address = mali_ir_either(b, w, addresses);
    return mali_ir_either(b, w, lanes);
}

LLVMValueRef mali_ir_load(void *ctx, struct jit_builder *b, const struct isa_ir_access *a, LLVMValueRef mask,
                          LLVMValueRef out[4], LLVMValueRef *address)
{
    static void (*const load[])(const struct memory *, LLVMValueRef[4]) = {load_row, load_one, load_lanes};
    static LLVMValueRef (*const holds[])(const struct memory *) = {in_a_row, at_one_place, lanes_are_there};
    struct mali_world_ir *e = ctx;
    LLVMValueRef found[MALI_WAYS][4], bad;
    struct mali_ir_ways w = {.count = 0};
    if (a->space == ISA_SPACE_THREAD || b->quick)
        return e->call.load(e, b, a, mask, out, address);
    const struct memory m = memory_of(e, b, a, GPU_RIGHT_READ, mask);
    for (unsigned n = 0; n < MALI_WAYS; n++)
        for (unsigned c = 0; c < 4; c++)
            found[n][c] = jit_splat_u32(b, 0);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(load); n++) {
        mali_ir_way(b, &w, holds[n](&m));
        load[n](&m, found[n]);
        mali_ir_way_end(b, &w);
    }
    bad = e->call.load(e, b, a, mask, found[w.count], address);
    bad = mali_ir_ways_fault(b, &w, bad, address);
    for (unsigned c = 0; c < 4; c++) {
        const LLVMValueRef of[MALI_WAYS] = {found[0][c], found[1][c], found[2][c], found[3][c]};
        out[c] = mali_ir_either(b, &w, of);
    }
    return bad;
}

/* ---- marks (gpu/speculation.h) ---- */

/* Whether an address, or those of all lanes that ask, is a word's. i1. */
static LLVMValueRef is_word(const struct memory *m)
{
    LLVMValueRef low =
        LLVMBuildAnd(m->b->ir, mali_ir_narrow(m->b, m->access->address), jit_splat_u32(m->b, 3), "");
    return for_all(m, LLVMBuildICmp(m->b->ir, LLVMIntEQ, low, jit_splat_u32(m->b, 0), ""));
}

static LLVMValueRef is_in_one_page(const struct memory *m, uint32_t bytes)
{
    struct jit_builder *b = m->b;
    LLVMValueRef in_page = LLVMBuildAnd(b->ir, m->first, jit_i64(b, GPU_PAGE - 1), "");
    return LLVMBuildICmp(b->ir, LLVMIntULE, in_page, jit_i64(b, GPU_PAGE - bytes), "");
}

static LLVMValueRef number(struct jit_builder *b, LLVMTypeRef type, uint32_t value)
{
    return type == b->i32x16 ? jit_splat_u32(b, value) : jit_i32(b, value);
}

/* The number among its page's words of the word at an address (i32 or i32x16). */
static LLVMValueRef word_in_page(struct jit_builder *b, LLVMValueRef address)
{
    LLVMTypeRef type = LLVMTypeOf(address);
    LLVMValueRef in = LLVMBuildAnd(b->ir, address, number(b, type, GPU_PAGE - 1), "");
    return LLVMBuildLShr(b->ir, in, number(b, type, 2), "");
}

/* The byte with a word's mark, from the worker's marks on; `page`: the table's word of it. */
static LLVMValueRef mark_of(const struct memory *m, LLVMValueRef word, LLVMValueRef page)
{
    struct jit_builder *b = m->b;
    LLVMTypeRef type = LLVMTypeOf(page);
    LLVMValueRef kept = mali_ir_of_threads(m->e, b, b->i32, offsetof(struct mali_threads, marked_pages));
    kept = type == b->i32x16 ? jit_splat(b, kept) : kept;
    page = LLVMBuildAnd(b->ir, LLVMBuildLShr(b->ir, page, number(b, type, GPU_SPACE_SHIFT), ""), kept, "");
    page = LLVMBuildMul(b->ir, page, number(b, type, GPU_SPECULATION_MARKS), "");
    return LLVMBuildAdd(b->ir, page, LLVMBuildLShr(b->ir, word, number(b, type, 3), ""), "");
}

static LLVMValueRef marks(const struct memory *m)
{
    return mali_ir_of_threads(m->e, m->b, m->b->ptr, offsetof(struct mali_threads, marks));
}

/* Sets `count` marks of a word and those behind it, whose byte is at `at`; `word`: i32, of which three bits count. */
static void set_marks(struct jit_builder *b, LLVMValueRef at, LLVMValueRef word, uint32_t count)
{
    const unsigned bits = count == 1 ? 8 : count <= 9 ? 16 : count <= 25 ? 32 : count <= 57 ? 64 : 128;
    LLVMTypeRef type = LLVMIntTypeInContext(b->context, bits);
    LLVMValueRef shift = LLVMBuildAnd(b->ir, word, jit_i32(b, 7), "");
    const uint64_t ones = count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
    shift = bits < 32 ? LLVMBuildTrunc(b->ir, shift, type, "") : LLVMBuildZExt(b->ir, shift, type, "");
    LLVMValueRef set = LLVMBuildShl(b->ir, LLVMConstInt(type, ones, false), shift, "");
    jit_store(b, LLVMBuildOr(b->ir, jit_load(b, type, at, 1, false), set, ""), at, 1);
}

static void mark_row(const struct memory *m)
{
    struct jit_builder *b = m->b;
    LLVMValueRef word = word_in_page(b, LLVMBuildTrunc(b->ir, m->first, b->i32, ""));
    LLVMValueRef at = jit_offset(b, marks(m), mark_of(m, word, page_word(m, m->first)));
    set_marks(b, at, word, m->access->bytes / 4 * MIDGARD_LANES);
}

static void mark_lanes(const struct memory *m)
{
    struct jit_builder *b = m->b;
    LLVMValueRef low = mali_ir_narrow(b, m->access->address), word = word_in_page(b, low), at[16];
    LLVMValueRef offset = mark_of(m, word, page_words(m, low, m->mask));
    mali_ir_addresses(b, marks(m), offset, m->mask, mali_ir_scratch(m->e, b), at);
    for (unsigned l = 0; l < MIDGARD_LANES; l++)
        set_marks(b, at[l], mali_ir_lane(b, word, l), m->access->bytes / 4);
}

/* ---- stores ---- */

static LLVMValueRef is_full_row(const struct memory *m)
{
    LLVMValueRef good = LLVMBuildAnd(m->b->ir, in_a_row(m), jit_mask_all(m->b, m->mask), "");
    if (!is_tracked(m))
        return good;
    good = LLVMBuildAnd(m->b->ir, good, is_word(m), "");
    return LLVMBuildAnd(m->b->ir, good, is_in_one_page(m, m->access->bytes * MIDGARD_LANES), "");
}

static void store_row(const struct memory *m, const LLVMValueRef value[4])
{
    LLVMValueRef at[16];
    if (is_tracked(m))
        mark_row(m);
    if (is_vector(m)) {
        jit_store(m->b, LLVMBuildTrunc(m->b->ir, value[0], row_type(m), ""), first_place(m), 1);
        return;
    }
    row_places(m, at);
    gpu_array_ir_put(m->b, at, m->access->bytes, value);
}

static void store_lanes(const struct memory *m, const LLVMValueRef value[4])
{
    LLVMValueRef at[16], nowhere = mali_ir_scratch(m->e, m->b);
    if (is_tracked(m))
        mark_lanes(m);
    if (m->access->bytes == 4 && m->b->gathers) {
        jit_scatter_u32(m->b, m->base, mali_ir_narrow(m->b, m->access->address), value[0], m->mask);
        return;
    }
    lane_places(m, nowhere, at);
    gpu_array_ir_put(m->b, at, m->access->bytes, value);
}

void mali_ir_store_ways(struct mali_world_ir *e, struct jit_builder *b, const struct isa_ir_access *a,
                        LLVMValueRef mask, const LLVMValueRef value[4], struct mali_ir_ways *w)
{
    const struct memory m = memory_of(e, b, a, GPU_RIGHT_WRITE, mask);
    if (is_tracked(&m) && a->bytes % 4) /* words alone are marked */
        return;
    mali_ir_way(b, w, is_full_row(&m));
    store_row(&m, value);
    mali_ir_way_end(b, w);
    LLVMValueRef there = lanes_are_there(&m);
    mali_ir_way(b, w, is_tracked(&m) ? LLVMBuildAnd(b->ir, there, is_word(&m), "") : there);
    store_lanes(&m, value);
    mali_ir_way_end(b, w);
}

LLVMValueRef mali_ir_store(void *ctx, struct jit_builder *b, const struct isa_ir_access *a, LLVMValueRef mask,
                           const LLVMValueRef value[4], LLVMValueRef *address)
{
    struct mali_world_ir *e = ctx;
    struct mali_ir_ways w = {.count = 0};
    bool calls = a->space == ISA_SPACE_THREAD || b->quick || a->enable != (1u << a->bytes) - 1;
    if (!calls)
        mali_ir_store_ways(e, b, a, mask, value, &w);
    LLVMValueRef bad = e->call.store(e, b, a, mask, value, address);
    return w.count ? mali_ir_ways_fault(b, &w, bad, address) : bad;
}
