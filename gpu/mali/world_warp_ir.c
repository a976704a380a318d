/* Ports of Bifrost's and Valhall's programs as IR: memory, uniform buffers, textures and words where they are plain, and
 * messages (world_message_ir.c); everything else, storage too, calls the interpreter's port. */
#include <stddef.h>

#include "gpu/mali/world_ir_internal.h"

static bool is_whole(const struct isa_ir_access *a)
{
    return !(a->bytes & (a->bytes - 1));
}

static LLVMValueRef load(void *ctx, struct jit_builder *b, const struct isa_ir_access *a, LLVMValueRef mask,
                         LLVMValueRef out[4], LLVMValueRef *address)
{
    struct mali_world_ir *e = ctx;
    return (is_whole(a) ? mali_ir_load : e->call.load)(e, b, a, mask, out, address);
}

static LLVMValueRef store(void *ctx, struct jit_builder *b, const struct isa_ir_access *a, LLVMValueRef mask,
                          const LLVMValueRef value[4], LLVMValueRef *address)
{
    struct mali_world_ir *e = ctx;
    if (a->hint != MALI_STREAM_NONE)
        return mali_ir_store_stream(e, b, a, mask, value, address);
    return (is_whole(a) ? mali_ir_store : e->call.store)(e, b, a, mask, value, address);
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
