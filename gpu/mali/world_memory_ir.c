/* Memory of programs as IR (world_memory.c is the definition). Sixteen lanes' bytes mostly follow each other, as
 * those of an array's elements, or are the same; then one look at the pages does for all. */
#include "gpu/mali/world_ir_internal.h"

#include <stddef.h>

#include "gpu/array_ir.h"
#include "util/bits.h"

struct memory {
    const struct mali_world_ir *e;
    struct jit_builder *b;
    const struct midgard_ir_access *access;
    uint32_t rights;
    LLVMValueRef mask;  /* lanes that ask */
    LLVMValueRef base;  /* ptr: of the window, or the workgroup's storage */
    LLVMValueRef room;  /* i64: bytes from there on */
    LLVMValueRef first; /* i64: lane 0's address */
};

static struct memory memory_of(const struct mali_world_ir *e, struct jit_builder *b,
                               const struct midgard_ir_access *a, uint32_t rights, LLVMValueRef mask)
{
    struct memory m = {e, b, a, rights, mask, NULL, NULL, NULL};
    bool group = a->space == MIDGARD_WORKGROUP;
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

/* Of an address below 2^32, or of any other one. */
static LLVMValueRef page_allows(const struct memory *m, LLVMValueRef address)
{
    struct jit_builder *b = m->b;
    LLVMValueRef number =
        LLVMBuildUDiv(b->ir, LLVMBuildTrunc(b->ir, address, b->i32, ""), jit_i32(b, GPU_PAGE), "");
    LLVMValueRef at = jit_offset(b, page_table(m), LLVMBuildShl(b->ir, number, jit_i32(b, 2), ""));
    return allows(m, jit_load(b, b->i32, at, 4, false));
}

/* Whether `bytes` from lane 0's address on are there; they are fewer than a page has. i1. */
static LLVMValueRef run_is_there(const struct memory *m, uint32_t bytes)
{
    struct jit_builder *b = m->b;
    LLVMValueRef last = LLVMBuildSub(b->ir, m->room, jit_i64(b, bytes), "");
    LLVMValueRef good = LLVMBuildICmp(b->ir, LLVMIntULE, m->first, last, "");
    if (m->access->space == MIDGARD_WORKGROUP)
        return LLVMBuildAnd(b->ir, good, LLVMBuildICmp(b->ir, LLVMIntUGE, m->room, jit_i64(b, bytes), ""),
                            "");
    good = LLVMBuildAnd(b->ir, good, page_allows(m, m->first), "");
    LLVMValueRef end = LLVMBuildAdd(b->ir, m->first, jit_i64(b, bytes - 1), "");
    return LLVMBuildAnd(b->ir, good, page_allows(m, end), "");
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
    LLVMValueRef number = LLVMBuildUDiv(b->ir, low, jit_splat_u32(b, GPU_PAGE), "");
    LLVMValueRef page = jit_gather_u32(b, page_table(m), LLVMBuildShl(b->ir, number, jit_splat_u32(b, 2), ""),
                                       LLVMBuildAnd(b->ir, good, m->mask, ""));
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

static LLVMValueRef lanes_are_there(const struct memory *m)
{
    return m->access->space == MIDGARD_WORKGROUP ? lanes_in_group(m) : lanes_in_pages(m);
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

/* What the call, the last way, found: lanes and addresses of a fault; the other ways have none. */
static LLVMValueRef fault_of(struct jit_builder *b, const struct mali_ir_ways *w, LLVMValueRef bad,
                             LLVMValueRef *address)
{
    LLVMValueRef lanes[MALI_WAYS], addresses[MALI_WAYS];
    for (unsigned n = 0; n < MALI_WAYS; n++) {
        lanes[n] = n + 1 == w->count ? bad : LLVMConstNull(b->i1x16);
        addresses[n] = n + 1 == w->count ? *address : LLVMConstNull(b->i64x16);
    }
    *address = mali_ir_either(b, w, addresses);
    return mali_ir_either(b, w, lanes);
}

LLVMValueRef mali_ir_load(void *ctx, struct jit_builder *b, const struct midgard_ir_access *a,
                          LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    static void (*const load[])(const struct memory *, LLVMValueRef[4]) = {load_row, load_one, load_lanes};
    static LLVMValueRef (*const holds[])(const struct memory *) = {in_a_row, at_one_place, lanes_are_there};
    struct mali_world_ir *e = ctx;
    LLVMValueRef found[MALI_WAYS][4], bad;
    struct mali_ir_ways w = {.count = 0};
    if (a->space == MIDGARD_THREAD || b->quick)
        return midgard_ir_call_ports.load(e, b, a, mask, out, address);
    const struct memory m = memory_of(e, b, a, GPU_RIGHT_READ, mask);
    for (unsigned n = 0; n < MALI_WAYS; n++)
        for (unsigned c = 0; c < 4; c++)
            found[n][c] = jit_splat_u32(b, 0);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(load); n++) {
        mali_ir_way(b, &w, holds[n](&m));
        load[n](&m, found[n]);
        mali_ir_way_end(b, &w);
    }
    bad = midgard_ir_call_ports.load(e, b, a, mask, found[w.count], address);
    mali_ir_last_way_end(b, &w);
    for (unsigned c = 0; c < 4; c++) {
        const LLVMValueRef of[MALI_WAYS] = {found[0][c], found[1][c], found[2][c], found[3][c]};
        out[c] = mali_ir_either(b, &w, of);
    }
    return fault_of(b, &w, bad, address);
}

/* ---- stores ---- */

static LLVMValueRef is_full_row(const struct memory *m)
{
    return LLVMBuildAnd(m->b->ir, in_a_row(m), jit_mask_all(m->b, m->mask), "");
}

static void store_row(const struct memory *m, const LLVMValueRef value[4])
{
    LLVMValueRef at[16];
    if (is_vector(m)) {
        jit_store(m->b, LLVMBuildTrunc(m->b->ir, value[0], row_type(m), ""), first_place(m), 1);
        return;
    }
    row_places(m, at);
    gpu_array_ir_put(m->b, at, m->access->bytes, value);
}

LLVMValueRef mali_ir_store(void *ctx, struct jit_builder *b, const struct midgard_ir_access *a,
                           LLVMValueRef mask, const LLVMValueRef value[4], LLVMValueRef *address)
{
    struct mali_world_ir *e = ctx;
    LLVMValueRef at[16];
    struct mali_ir_ways w = {.count = 0};
    if (a->space == MIDGARD_THREAD || b->quick || a->enable != (1u << a->bytes) - 1)
        return midgard_ir_call_ports.store(e, b, a, mask, value, address);
    LLVMValueRef nowhere = mali_ir_scratch(e, b);
    const struct memory m = memory_of(e, b, a, GPU_RIGHT_WRITE, mask);
    mali_ir_way(b, &w, is_full_row(&m));
    store_row(&m, value);
    mali_ir_way_end(b, &w);
    mali_ir_way(b, &w, lanes_are_there(&m));
    lane_places(&m, nowhere, at);
    gpu_array_ir_put(b, at, a->bytes, value);
    mali_ir_way_end(b, &w);
    LLVMValueRef bad = midgard_ir_call_ports.store(e, b, a, mask, value, address);
    mali_ir_last_way_end(b, &w);
    return fault_of(b, &w, bad, address);
}
