/* What programs ask of memory and of descriptors, as IR (ports.h has the meaning): what IR ports of several sets
 * have in common (isa/SET/trans.h).
 *
 * Values are LLVMValueRef, of the function that the builder stands in: words i32x16, masks i1x16. Places and
 * numbers that are known while a program is translated are plain numbers, beside a value that is NULL then. */
#ifndef VITRAIL_ISA_TRANS_PORTS_H
#define VITRAIL_ISA_TRANS_PORTS_H

#include "isa/ports.h"
#include "jit/builder.h"

/* A number that an instruction has, or one of each lane's. */
struct isa_ir_number {
    LLVMValueRef lanes; /* i32x16; NULL: all lanes have `known` */
    uint32_t known;
};

/* An attribute, varying or image, as struct isa_attribute has it. */
struct isa_ir_attribute {
    enum isa_type type;
    bool any_type, secondary;
    struct isa_ir_number index;
    LLVMValueRef vertex; /* i32x16, or NULL: the lane's own */
    uint8_t interpolation;
    LLVMValueRef position;      /* i32x16 of 0 to 255, or NULL: not at one */
    LLVMValueRef coordinate[4]; /* of images: i32x16; the others NULL */
};

/* Bytes of a uniform buffer. */
struct isa_ir_uniform {
    struct isa_ir_number buffer, offset;
    unsigned bytes;
};

/* Memory, as struct isa_access has it. */
struct isa_ir_access {
    enum isa_space space;
    uint8_t bytes;
    uint16_t enable;
    uint8_t hint;
    bool reversed;
    enum isa_atomic op;
    LLVMValueRef address; /* i64x16 */
};

/* A texture request, as struct isa_texture_request has it; with derivatives lanes of a quad that do not
 * execute have coordinates as the set's README.md says. */
struct isa_ir_texture {
    uint8_t op, mode, dimensions, sampler_type;
    bool derivatives, has_lod, has_offset;
    struct isa_ir_number texture, sampler;
    LLVMValueRef coordinate[4]; /* i32x16 */
    LLVMValueRef lod;           /* i32x16; a constant where the instruction has it */
    LLVMValueRef offset[3];     /* likewise */
    /* Of LEVEL: */
    bool no_bias, no_clamp;
    LLVMValueRef gradient[2][3]; /* i32x16 */
};

/* Emitters that sets have alike: isa_load_fn and the others as IR. What they return, and out[], as the set's trans.h
 * says. */
typedef LLVMValueRef (*isa_ir_load_fn)(void *ctx, struct jit_builder *b, const struct isa_ir_access *a,
                                       LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address);
typedef LLVMValueRef (*isa_ir_store_fn)(void *ctx, struct jit_builder *b, const struct isa_ir_access *a,
                                        LLVMValueRef mask, const LLVMValueRef value[4],
                                        LLVMValueRef *address);
typedef LLVMValueRef (*isa_ir_atomic_fn)(void *ctx, struct jit_builder *b, const struct isa_ir_access *a,
                                         LLVMValueRef mask, const LLVMValueRef value[2],
                                         const LLVMValueRef compare[2], LLVMValueRef out[2],
                                         LLVMValueRef *address);
typedef LLVMValueRef (*isa_ir_uniform_fn)(void *ctx, struct jit_builder *b, const struct isa_ir_uniform *u,
                                          LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address);
typedef LLVMValueRef (*isa_ir_texture_fn)(void *ctx, struct jit_builder *b,
                                          const struct isa_ir_texture *request, LLVMValueRef mask,
                                          LLVMValueRef out[4], LLVMValueRef *address);

#endif
