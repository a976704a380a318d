/* What the emitters of a world's ports (world_ir.h) share: places, lanes, several ways to the same values. Internal
 * to world_*_ir.c. */
#ifndef VITRAIL_GPU_MALI_WORLD_IR_INTERNAL_H
#define VITRAIL_GPU_MALI_WORLD_IR_INTERNAL_H

#include "gpu/mali/world_ir.h"

/* A member of struct mali_code, which never changes; of struct mali_threads, as it is. Offsets in bytes. */
LLVMValueRef mali_ir_place(const struct mali_world_ir *e, struct jit_builder *b, LLVMTypeRef type,
                           size_t offset);
LLVMValueRef mali_ir_of_threads(const struct mali_world_ir *e, struct jit_builder *b, LLVMTypeRef type,
                                size_t offset);

/* Sixteen words of it. */
LLVMValueRef mali_ir_lanes_of_threads(const struct mali_world_ir *e, struct jit_builder *b, size_t offset);

LLVMValueRef mali_ir_lane(struct jit_builder *b, LLVMValueRef v, unsigned lane);
/* i64x16 to i32x16: the lower words. */
LLVMValueRef mali_ir_narrow(struct jit_builder *b, LLVMValueRef v);

/* Host addresses base + offset (i32x16); where `there` (i1x16) is not, `elsewhere`. */
void mali_ir_addresses(struct jit_builder *b, LLVMValueRef base, LLVMValueRef offset, LLVMValueRef there,
                       LLVMValueRef elsewhere, LLVMValueRef at[16]);
/* Host addresses first + n * stride (i64) of lane n. */
void mali_ir_row(struct jit_builder *b, LLVMValueRef first, LLVMValueRef stride, LLVMValueRef at[16]);
/* The guest's address of element 0, or of the first texel, of an array at `array` in struct mali_code: i64. */
LLVMValueRef mali_ir_guest_base(const struct mali_world_ir *e, struct jit_builder *b, size_t array);
/* Where lanes load zeros, and where they store what goes nowhere: 64 bytes. */
LLVMValueRef mali_ir_zeros(const struct mali_world_ir *e, struct jit_builder *b);
LLVMValueRef mali_ir_scratch(struct mali_world_ir *e, struct jit_builder *b);

/* Several ways to the same values. Each but the last begins with its condition (i1), and what is emitted then is for
 * where that holds; mali_ir_way_end leaves the builder where it does not. Behind the last way's end the builder
 * is where all meet. Begins zeroed. */
#define MALI_WAYS 4u
struct mali_ir_ways {
    LLVMBasicBlockRef other, join, from[MALI_WAYS];
    unsigned count;
};
void mali_ir_way(struct jit_builder *b, struct mali_ir_ways *w, LLVMValueRef condition);
void mali_ir_way_end(struct jit_builder *b, struct mali_ir_ways *w);
void mali_ir_last_way_end(struct jit_builder *b, struct mali_ir_ways *w);
/* What the ways came to, in their order. */
LLVMValueRef mali_ir_either(struct jit_builder *b, const struct mali_ir_ways *w, const LLVMValueRef *values);

/* The last way was a call of a port, which found lanes of a fault and their addresses; the ways before have none. */
LLVMValueRef mali_ir_ways_fault(struct jit_builder *b, struct mali_ir_ways *w, LLVMValueRef bad,
                                LLVMValueRef *address);
/* Ways of storing all bytes of an access to memory, which the caller's port ends; none: the port alone can. */
void mali_ir_store_ways(struct mali_world_ir *e, struct jit_builder *b, const struct isa_ir_access *a,
                        LLVMValueRef mask, const LLVMValueRef value[4], struct mali_ir_ways *w);

/* world_element_ir.c: elements of attributes and stored varyings. */
/* Without the number. False: the port is to be called. */
bool mali_ir_element_find(const struct mali_world_ir *e, bool varying, const struct isa_ir_number *index,
                          struct mali_ir_element *x);
/* The number's, by which the element is found: linear, of v9 the vertex or the instance. */
void mali_ir_element_at(const struct mali_world_ir *e, struct jit_builder *b, LLVMValueRef number,
                        struct mali_ir_element *x);
/* Of memory: lanes (i1x16) whose element is in the buffer, and its bytes from element 0 on (i32x16). */
LLVMValueRef mali_ir_element_inside(const struct mali_world_ir *e, struct jit_builder *b,
                                    const struct mali_ir_element *x, LLVMValueRef *offset);
/* As a register gets it. */
void mali_ir_element_load(const struct mali_world_ir *e, struct jit_builder *b,
                          const struct mali_ir_element *x, enum isa_type type, bool any_type,
                          LLVMValueRef out[4]);
/* Words of memory; in lanes that are not in the buffer, or not in `mask`, nothing. */
void mali_ir_element_store(struct mali_world_ir *e, struct jit_builder *b, const struct mali_ir_element *x,
                           LLVMValueRef mask, const LLVMValueRef word[4]);

/* world_ir.c: uniform buffers. */
LLVMValueRef mali_ir_uniform(void *ctx, struct jit_builder *b, const struct isa_ir_uniform *u,
                             LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address);
/* world_memory_ir.c, world_image_ir.c: ports. */
LLVMValueRef mali_ir_load(void *ctx, struct jit_builder *b, const struct isa_ir_access *a, LLVMValueRef mask,
                          LLVMValueRef out[4], LLVMValueRef *address);
LLVMValueRef mali_ir_store(void *ctx, struct jit_builder *b, const struct isa_ir_access *a, LLVMValueRef mask,
                           const LLVMValueRef value[4], LLVMValueRef *address);
LLVMValueRef mali_ir_image(void *ctx, struct jit_builder *b, const struct isa_ir_attribute *a,
                           LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address);
LLVMValueRef mali_ir_store_image(void *ctx, struct jit_builder *b, const struct isa_ir_attribute *a,
                                 LLVMValueRef mask, const LLVMValueRef value[4], LLVMValueRef *address);
/* The guest's address (i64x16) of a texel, or nowhere, of image `number` among attributes or, `second`, in varyings'
 * places; its form. NULL: the port is to be called. */
const struct mali_code_form *mali_ir_texel_address(const struct mali_world_ir *e, struct jit_builder *b,
                                                   bool second, uint32_t number, const LLVMValueRef xyz[3],
                                                   LLVMValueRef *at);

/* world_message_ir.c: messages of programs of isa/warp, and what they store to streams of vertices. */
LLVMValueRef mali_ir_message(void *ctx, struct jit_builder *b, const struct warp_ir_message *m,
                             LLVMValueRef mask, LLVMValueRef out[WARP_MESSAGE_WORDS], LLVMValueRef *leave,
                             LLVMValueRef *address);
LLVMValueRef mali_ir_store_stream(struct mali_world_ir *e, struct jit_builder *b,
                                  const struct isa_ir_access *a, LLVMValueRef mask,
                                  const LLVMValueRef value[4], LLVMValueRef *address);
LLVMValueRef mali_ir_image_address(void *ctx, struct jit_builder *b, const struct isa_ir_attribute *a,
                                   LLVMValueRef mask, LLVMValueRef *out, LLVMValueRef *address);

#endif
