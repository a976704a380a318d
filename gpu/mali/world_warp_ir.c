/* Ports of Bifrost's and Valhall's programs as IR: memory, uniform buffers, textures and words where they are plain, and
 * messages (world_message_ir.c); everything else, storage too, calls the interpreter's port. */
#include <stddef.h>
#include <string.h>

#include "gpu/mali/world_ir_internal.h"

static bool is_whole(const struct isa_ir_access *a)
{
    return !(a->bytes & (a->bytes - 1));
}

/* ---- the workgroup's storage, which programs reach by addresses ---- */

static bool may_share(const struct mali_world_ir *e, const struct jit_builder *b,
                      const struct isa_ir_access *a)
{
    return e->forms->shares_storage && a->space == ISA_SPACE_GLOBAL && a->hint == MALI_STREAM_NONE &&
           !b->quick;
}

/* The access as one of that storage, and whether it is for all lanes that ask: i1. */
static LLVMValueRef as_shared(struct jit_builder *b, const struct isa_ir_access *a, LLVMValueRef mask,
                              struct isa_ir_access *out)
{
    LLVMValueRef high = LLVMBuildLShr(b->ir, a->address, jit_splat(b, jit_i64(b, 32)), "");
    LLVMValueRef is = LLVMBuildICmp(b->ir, LLVMIntEQ, mali_ir_narrow(b, high),
                                    jit_splat_u32(b, (uint32_t)(MALI_GROUP_STORAGE >> 32)), "");
    *out = *a;
    out->space = ISA_SPACE_WORKGROUP;
    out->address = LLVMBuildZExt(b->ir, mali_ir_narrow(b, a->address), b->i64x16, "");
    return jit_mask_all(b, LLVMBuildOr(b->ir, is, LLVMBuildNot(b->ir, mask, ""), ""));
}

/* What the storage's way and the other one found of faults. */
static LLVMValueRef either_fault(struct jit_builder *b, struct mali_ir_ways *w, const LLVMValueRef bad[2],
                                 const LLVMValueRef at[2], LLVMValueRef *address)
{
    LLVMValueRef lanes[2], addresses[2];
    if (!bad[0] && !bad[1])
        return NULL;
    for (unsigned n = 0; n < 2; n++) {
        lanes[n] = bad[n] ? bad[n] : LLVMConstNull(b->i1x16);
        addresses[n] = at[n] ? at[n] : LLVMConstNull(b->i64x16);
    }
    *address = mali_ir_either(b, w, addresses);
    return mali_ir_either(b, w, lanes);
}

/* ---- memory ---- */

static LLVMValueRef load_plain(struct mali_world_ir *e, struct jit_builder *b, const struct isa_ir_access *a,
                               LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    return (is_whole(a) ? mali_ir_load : e->call.load)(e, b, a, mask, out, address);
}

static LLVMValueRef load(void *ctx, struct jit_builder *b, const struct isa_ir_access *a, LLVMValueRef mask,
                         LLVMValueRef out[4], LLVMValueRef *address)
{
    struct mali_world_ir *e = ctx;
    struct mali_ir_ways w = {.count = 0};
    struct isa_ir_access shared;
    LLVMValueRef found[2][4], bad[2], at[2] = {NULL, NULL};
    if (!may_share(e, b, a))
        return load_plain(e, b, a, mask, out, address);
    memcpy(found[0], out, sizeof found[0]);
    memcpy(found[1], out, sizeof found[1]);
    mali_ir_way(b, &w, as_shared(b, a, mask, &shared));
    bad[0] = load_plain(e, b, &shared, mask, found[0], &at[0]);
    mali_ir_way_end(b, &w);
    bad[1] = load_plain(e, b, a, mask, found[1], &at[1]);
    mali_ir_last_way_end(b, &w);
    for (unsigned c = 0; c < 4; c++)
        out[c] = mali_ir_either(b, &w, (LLVMValueRef[]){found[0][c], found[1][c]});
    return either_fault(b, &w, bad, at, address);
}

static LLVMValueRef store_plain(struct mali_world_ir *e, struct jit_builder *b, const struct isa_ir_access *a,
                                LLVMValueRef mask, const LLVMValueRef value[4], LLVMValueRef *address)
{
    return (is_whole(a) ? mali_ir_store : e->call.store)(e, b, a, mask, value, address);
}

static LLVMValueRef store(void *ctx, struct jit_builder *b, const struct isa_ir_access *a, LLVMValueRef mask,
                          const LLVMValueRef value[4], LLVMValueRef *address)
{
    struct mali_world_ir *e = ctx;
    struct mali_ir_ways w = {.count = 0};
    struct isa_ir_access shared;
    LLVMValueRef bad[2], at[2] = {NULL, NULL};
    if (a->hint != MALI_STREAM_NONE)
        return mali_ir_store_stream(e, b, a, mask, value, address);
    if (!may_share(e, b, a))
        return store_plain(e, b, a, mask, value, address);
    mali_ir_way(b, &w, as_shared(b, a, mask, &shared));
    bad[0] = store_plain(e, b, &shared, mask, value, &at[0]);
    mali_ir_way_end(b, &w);
    bad[1] = store_plain(e, b, a, mask, value, &at[1]);
    mali_ir_last_way_end(b, &w);
    return either_fault(b, &w, bad, at, address);
}

/* ---- words that there are ---- */

/* As the interpreter's port has them; who runs fragments has those of theirs in front of this. */
static void special(void *ctx, struct jit_builder *b, unsigned which, LLVMValueRef out[2])
{
    const struct mali_world_ir *e = ctx;
    const enum mali_special as = mali_special_of((enum mali_version)e->forms->version, which);
    const uint64_t value = as == MALI_SPECIAL_THREAD  ? MALI_THREAD_STORAGE
                           : as == MALI_SPECIAL_GROUP ? MALI_GROUP_STORAGE
                                                      : 0;
    for (unsigned k = 0; k < 2; k++)
        out[k] = as == MALI_SPECIAL_TABLES
                     ? jit_splat(b, mali_ir_place(e, b, b->i32,
                                                  offsetof(struct mali_code, tables) + k * sizeof(uint32_t)))
                     : jit_splat_u32(b, (uint32_t)(value >> 32 * k));
}

static LLVMValueRef uniform_word(void *ctx, struct jit_builder *b, uint32_t n)
{
    const struct mali_world_ir *e = ctx;
    return n < e->forms->uniform_count
               ? mali_ir_place(e, b, b->i32, offsetof(struct mali_code, uniform) + n * sizeof(uint32_t))
               : jit_i32(b, 0);
}

void mali_world_ir_warp_ports(struct mali_world_ir *e, struct warp_ir_ports *out)
{
    *out = warp_ir_call_ports;
    out->ctx = e;
    e->call.load = out->load;
    e->call.store = out->store;
    e->call.uniform = out->uniform;
    e->call.texture = out->texture;
    e->call.message = out->message;
    out->load = load;
    out->store = store;
    out->uniform = mali_ir_uniform;
    out->texture = mali_ir_texture;
    out->message = mali_ir_message;
    out->special = special;
    out->uniform_word = uniform_word;
}

void mali_world_ir_registers(const struct mali_world_ir *e, struct jit_builder *b,
                             const struct warp_program *program, LLVMValueRef reg[WARP_REGISTERS])
{
    for (unsigned n = 0; n < MALI_PRELOADS; n++) {
        const unsigned r = MALI_PRELOAD_FIRST + n;
        if (program->read >> r & 1)
            reg[r] = mali_ir_lanes_of_threads(
                e, b, offsetof(struct mali_threads, preload) + n * ISA_LANES * sizeof(uint32_t));
    }
}
