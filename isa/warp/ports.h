/* What programs of Bifrost and Valhall reach outside their registers, as plain C calls: the interpreter's side of the
 * ports. The translation has the same list as IR emitters (trans.h). isa/ports.h has the requests that other sets make,
 * too, and what lanes and words are.
 *
 * A call is for the lanes of `lanes`, and looks at no other, but for derivatives. The caller owns `ctx`, and every
 * array it is called with. A port that returns a bool gives false for a fault, of the lane *lane (the lowest that has
 * one), and may leave a guest address in *address: both stand in the report. */
#ifndef VITRAIL_ISA_WARP_PORTS_H
#define VITRAIL_ISA_WARP_PORTS_H

#include "isa/fault.h"
#include "isa/ports.h"
#include "isa/warp/program.h"

enum warp_fault {
    WARP_OK = 0,
    WARP_FAULT_FUEL,        /* loops too long */
    WARP_FAULT_UNSUPPORTED, /* reserved, or what no document explains */
    WARP_FAULT_ADDRESS,     /* a port says that there is nothing */
    WARP_FAULT_COUNT
};
extern const struct isa_fault_row warp_faults[WARP_FAULT_COUNT];

#define WARP_MESSAGE_WORDS 8

/* What an instruction says of a message, as struct warp_insn has it. Bytes alone, as compiled code has them. */
struct warp_asked {
    uint8_t message, words; /* enum warp_message_kind; registers that are written */
    uint8_t components, type, any_type, halves, sample, update, source_format, z, stencil, hint;
    uint8_t offset[4]; /* lowest first */
};
struct warp_asked warp_asked_of(const struct warp_insn *insn);
/* The message by which a texture instruction of `of_varying` asks for its coordinates: as many words as those. It names
 * no register. */
struct warp_insn warp_coordinates_of(const struct warp_insn *insn);

/* A message that goes to a port as it is; insn.h says what the operands are. */
struct warp_message {
    struct warp_asked asked;
    uint32_t operand[3][2][ISA_LANES];             /* lower and upper words; 0 where a source has one */
    uint32_t value[WARP_MESSAGE_WORDS][ISA_LANES]; /* the registers that are read; 0 beyond */
};

/* What ATTRIBUTE, IMAGE, VARYING, VARYING_FLAT, and the addresses of the first two ask of a descriptor, as other sets
 * do: index has the handle, instance that of attributes. False: the message is another. */
bool warp_message_attribute(const struct warp_message *m, struct isa_attribute *out,
                            uint32_t instance[ISA_LANES]);
/* How it is interpolated: enum isa_interpolation. */
uint8_t warp_interpolation(const struct warp_asked *asked);

/* Lanes leave for a program at other addresses, as blend shaders are. */
struct warp_far {
    uint64_t target[ISA_LANES];
    uint64_t back; /* the address behind the branch */
};

struct warp_ports {
    void *ctx;
    /* access->bytes (1 to 16), the rest of the words is 0; what is stored has its bytes from the lowest on. */
    isa_load_fn load;
    isa_store_fn store;
    isa_atomic_fn atomic;
    /* `bytes` of the buffer with handle buffer[lane] from byte offset[lane] on, the rest of the words is 0. */
    isa_uniform_fn uniform;
    /* Textures and samplers by handles; 32 bits a component. */
    isa_texture_fn texture;
    /* A special as the set numbers it: two words. */
    void (*special)(void *ctx, unsigned which, uint32_t out[2][16]);
    /* Fills `out`, zeros before: asked.words. Of BLEND *leave begins as all lanes that
     * execute, helpers among them, `lanes` are none of these, and may be none: the port blends, and takes those from
     * *leave whose descriptor asks for a blend shader. The others end, or skip, as the instruction says. */
    bool (*message)(void *ctx, const struct warp_message *m, uint16_t lanes,
                    uint32_t out[WARP_MESSAGE_WORDS][16], uint16_t *leave, struct isa_place *fault);
    /* Runs another program over the registers; *back are lanes that come back behind the branch, the others have
     * ended. */
    bool (*far)(void *ctx, const struct warp_far *to, uint16_t lanes, uint32_t reg[WARP_REGISTERS][16],
                uint16_t *back, struct isa_place *fault);
};

struct warp_report {
    enum warp_fault fault;
    uint32_t at;      /* word of the program */
    const char *name; /* of UNSUPPORTED: what it was; or NULL */
    struct isa_place place;
    uint64_t executed; /* instructions that ran to their end, for whatever lanes */
};

#endif
