/* The ports of a world (world.h) as IR: what its code depends on, what the code is given, and the emitters. Memory,
 * uniform buffers, attributes, stored varyings and textures are emitted where their descriptors are plain and
 * their buffers lie in memory; everything else calls the interpreter's port, which also finds what is at fault.
 * Internal to gpu/mali.
 *
 * Forms (struct mali_code_forms) are part of a code's key; places (struct mali_code) are the draw's, prepared
 * once and constant while code runs. Of the arrays only what the forms name has a place. */
#ifndef VITRAIL_GPU_MALI_WORLD_IR_H
#define VITRAIL_GPU_MALI_WORLD_IR_H

#include "gpu/mali/lookup.h"
#include "gpu/mali/shading.h"
#include "isa/midgard/trans_call.h"
#include "isa/warp/trans_call.h"
#include "jit/engine.h"

#define MALI_CODE_ARRAYS  32u /* attributes, and varyings; those beyond go by calls */
#define MALI_CODE_BUFFERS 32u /* uniform buffers, likewise */
#define MALI_CODE_LOOKUPS 32u /* texture requests that differ, likewise */

/* How an element is found. */
enum mali_code_reach {
    MALI_REACH_CALL,    /* by the port */
    MALI_REACH_LINEAR,  /* element n is number n's */
    MALI_REACH_FORMULA, /* by mali_array_element */
    MALI_REACH_NUMBER,  /* the element's number is the value */
    MALI_REACH_NOTHING, /* zeros; what is stored is dropped */
    /* An image, linear or of tiles; as an attribute it goes by the port. */
    MALI_REACH_IMAGE,
    MALI_REACH_IMAGE_TILED
};

/* Arrays of vertices that malloc vertex jobs store to (vertices.h). */
enum mali_code_stream { MALI_STREAM_OF_POSITIONS, MALI_STREAM_OF_SIZES, MALI_STREAM_OF_VARYINGS };

/* An attribute or varying. Without padding, as are those below. */
struct mali_code_form {
    uint16_t format, order; /* enum raster_format; as of mali_reorder */
    uint8_t reach;
    uint8_t by_instance; /* v9: the instance's number finds the element, not the vertex's */
    uint8_t zero[2];
    uint32_t word; /* since v6: what goes with an element's or texel's address (mali_conversion_word) */
};

/* A texture request of the program. */
struct mali_code_lookup {
    struct mali_lookup_key asked;
    struct raster_sampler_key key;
};
_Static_assert(sizeof(struct mali_code_form) == 12 && sizeof(struct mali_code_lookup) == 40, "no padding");

/* Attributes, varyings and images are by number. Images are attributes; of v9, which has no varyings here, they stand in
 * their place, and either are those of one table. */
#define MALI_NO_TABLE UINT8_MAX
struct mali_code_forms {
    struct mali_code_form attribute[MALI_CODE_ARRAYS], varying[MALI_CODE_ARRAYS];
    uint32_t buffers; /* bit n: all of uniform buffer n, which the program names, may be read */
    uint8_t uniform_count, lookup_count;  /* words */
    uint8_t tracks;                       /* stores are marked (gpu/speculation.h) */
    uint8_t numeric;                      /* enum isa_numeric: how programs compute */
    uint8_t version, kind;                /* enum mali_version; enum mali_thread_kind */
    uint8_t attribute_table, image_table; /* v9; MALI_NO_TABLE: none */
    uint8_t streams;                      /* v9: a bit for each enum mali_code_stream that may be stored to */
    uint8_t shares_storage;               /* workgroups have storage */
    uint8_t zero[2];
};

/* Places. */
struct mali_code_array {
    uint8_t *base;   /* the host's address of element 0, or of an image's first texel */
    uint32_t stride; /* count * stride is below 2^32 */
    uint32_t count;  /* elements that are there */
    union {
        struct { /* of FORMULA and NUMBER, as struct mali_array has them; modulus not 0 */
            uint64_t modulus;
            uint64_t factor;
            uint64_t add, shift;
        };
        struct { /* of images: all texels within the extent are there, less than 2^32 bytes from the base */
            uint32_t extent[3], texel_stride, row_stride, slice_stride;
        } image;
    };
};
struct mali_code_buffer {
    const uint8_t *base;
    uint64_t bytes;
};
struct mali_code {
    uint32_t uniform[MALI_UNIFORMS_MOST]; /* as many as the forms say */
    struct mali_code_buffer buffer[MALI_CODE_BUFFERS];
    struct mali_code_array attribute[MALI_CODE_ARRAYS], varying[MALI_CODE_ARRAYS];
    const struct raster_image *image[MALI_CODE_LOOKUPS];
    const uint32_t *page; /* words of the space, or in a run of the speculation */
    uint8_t *window;
    uint64_t address;              /* of the program */
    uint64_t storage[2];           /* of threads, of the workgroup: guest addresses */
    uint64_t group_bytes;          /* of the workgroup's storage, which each has in struct mali_threads */
    struct mali_vertices vertices; /* v9: of vertices that are shaded */
    uint32_t instance_size;        /* v6, v7: of linear numbers */
    uint64_t tables;               /* v9: a special value */
    uint8_t zeros[16];
};

/* What a call of code is given, and leaves. */
struct mali_code_call {
    union mali_sixteen *state; /* of programs with barriers, which go on from it */
    uint64_t executed;         /* out: instructions */
    uint32_t fuel, lanes;
    uint64_t
        address; /* out: of a fault, or 0. Apart from `executed`: both at once would wait for their stores */
};
/* Runs sixteen threads as mali_interpret does. 0, or a fault of isa_fault_pack. */
typedef uint32_t (*mali_code_fn)(const struct mali_code *code, struct mali_threads *threads,
                                 struct mali_code_call *call);

/* Fills forms, `lookups` (of MALI_CODE_LOOKUPS) and places for a world, which outlives them. */
void mali_code_prepare(struct mali_world *world, struct mali_code_forms *forms,
                       struct mali_code_lookup *lookups, struct mali_code *code);

/* What a texture instruction asks for whose texture and sampler are numbers; false: it is none such. */
bool mali_code_request(const struct midgard_insn *insn, struct mali_lookup_key *out);

/* thread_code.c: the code of a world for compute, vertex and geometry jobs, kept with its program; NULL: it is
 * interpreted. *code is of the arena. */
struct jit_function *mali_thread_code(struct mali_world *world, struct jit_engine *engine,
                                      struct util_arena *arena, struct mali_code **code);

/* The element of an attribute or stored varying (world_ir_internal.h). */
struct mali_ir_element {
    const struct mali_code_form *form;
    size_t array;        /* its place in struct mali_code */
    LLVMValueRef number; /* i32x16; of those that reach NOTHING NULL */
};

/* What LEA_ATTRIBUTE has given a program: an address, a conversion word, and the element that stands there. */
struct mali_ir_given {
    LLVMValueRef word[3]; /* i32x16 */
    struct mali_ir_element element;
};
#define MALI_IR_GIVEN 16u /* that are kept: the last ones */

/* A function under construction. `calls.ports` is a ptr to struct mali_threads.ports, or .warp. */
struct mali_world_ir {
    struct isa_ir_calls calls; /* first: the ports that call take it */
    struct {                   /* those of the program's machine that are called where nothing is emitted */
        isa_ir_load_fn load;
        isa_ir_store_fn store;
        isa_ir_uniform_fn uniform;
        isa_ir_texture_fn texture;
        warp_ir_message_fn message;
    } call;
    const struct mali_code_forms *forms;
    const struct mali_code_lookup *lookups;
    unsigned requests;          /* texture requests of the program */
    bool warp;                  /* the program is of isa/warp, and so are the ports that are called */
    LLVMValueRef code, threads; /* ptr: struct mali_code, struct mali_threads */
    LLVMValueRef scratch;       /* where lanes store that do not */
    struct mali_ir_given given[MALI_IR_GIVEN];
    unsigned given_count; /* so far */
    LLVMValueRef asked;   /* where addresses stand whose pages are asked for; NULL: none have been yet */
};
/* The ports, with ctx `e`; those of fragments alone are calls. */
void mali_world_ir_ports(struct mali_world_ir *e, struct midgard_ir_ports *out);
/* The same of Bifrost's and Valhall's programs (world_warp_ir.c). */
void mali_world_ir_warp_ports(struct mali_world_ir *e, struct warp_ir_ports *out);
/* What mali_threads_registers gives: i32x16 each, of registers that the program reads; the others NULL. */
void mali_world_ir_registers(const struct mali_world_ir *e, struct jit_builder *b,
                             const struct warp_program *program, LLVMValueRef reg[WARP_REGISTERS]);

/* What a format's channels are in a register, which mali_ir_convert ends with. */
void mali_ir_to_register(struct jit_builder *b, enum raster_format format, enum isa_type type, bool any_type,
                         const LLVMValueRef v[4], LLVMValueRef out[4]);
/* Words as a register gets them, and back: mali_world_convert, mali_world_convert_back. */
void mali_ir_convert(struct jit_builder *b, const struct mali_code_form *form, enum isa_type type,
                     bool any_type, const LLVMValueRef word[4], LLVMValueRef out[4]);
void mali_ir_convert_back(struct jit_builder *b, const struct mali_code_form *form, enum isa_type type,
                          bool any_type, const LLVMValueRef in[4], LLVMValueRef word[4]);

/* mali_registers_narrow, mali_registers_widen. */
void mali_ir_registers_narrow(struct jit_builder *b, const struct mali_register_format *format,
                              LLVMValueRef value[4]);
void mali_ir_registers_widen(struct jit_builder *b, const struct mali_register_format *format,
                             LLVMValueRef value[4]);

/* world_texture_ir.c */
LLVMValueRef mali_ir_texture(void *ctx, struct jit_builder *b, const struct isa_ir_texture *t,
                             LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address);
void mali_ir_cube(void *ctx, struct jit_builder *b, const LLVMValueRef direction[3], LLVMValueRef out[2]);

#endif
