/* What a Midgard program reaches outside its registers, as plain C calls: the interpreter's side of the ports.
 * The translation has the same list as IR emitters. gpu/mali implements both.
 *
 * Sixteen threads (lanes) at a time. Fragments are four quads of 2x2: bit 0 of a lane's number is x, bit 1 y.
 * Values are words of 32 bits, little endian; of each word sixteen lanes. Halves stand two to a word. A call
 * is for the lanes of `lanes`, and looks at no other, but for derivatives: there the rest of a quad counts, as
 * README.md, rule 3, fills it. The caller owns `ctx`, and every array it is called with.
 *
 * A port that returns a bool gives false for a fault, of the lane *lane (the lowest that has one), and may
 * leave a guest address in *address: both stand in the report.
 *
 * Requests that Bifrost and Valhall make of descriptors and memory, too, are isa/ports.h's. */
#ifndef VITRAIL_ISA_MIDGARD_PORTS_H
#define VITRAIL_ISA_MIDGARD_PORTS_H

#include "isa/fault.h"
#include "isa/midgard/program.h"
#include "isa/numeric.h"

/* Instructions number these as requests do, and so are not converted. */
_Static_assert((int)MIDGARD_TEX == ISA_TEXTURE_SAMPLE && (int)MIDGARD_TEX_LOD == ISA_TEXTURE_LOD &&
                   (int)MIDGARD_TEX_FETCH == ISA_TEXTURE_FETCH &&
                   (int)MIDGARD_TEX_PLAIN == ISA_TEXTURE_PLAIN &&
                   (int)MIDGARD_TEX_SHADOW == ISA_TEXTURE_SHADOW &&
                   (int)MIDGARD_TEX_GATHER == ISA_TEXTURE_GATHER &&
                   (int)MIDGARD_TEX_GATHER_SHADOW == ISA_TEXTURE_GATHER_SHADOW &&
                   (int)MIDGARD_SAMPLER_SIGNED == ISA_SAMPLER_SIGNED &&
                   (int)MIDGARD_VARYING_FLAT == ISA_INTERPOLATE_FLAT &&
                   (int)MIDGARD_VARYING_SAMPLE == ISA_INTERPOLATE_SAMPLE,
               "one numbering");

enum midgard_fault {
    MIDGARD_OK = 0,
    MIDGARD_FAULT_FUEL,        /* loops too long */
    MIDGARD_FAULT_RESERVED,    /* reserved operation, mode or register */
    MIDGARD_FAULT_UNSUPPORTED, /* calls, gradients: what no document explains */
    MIDGARD_FAULT_ADDRESS,     /* a port says that there is nothing */
    MIDGARD_FAULT_TRAP,        /* the instruction that is there for it */
    MIDGARD_FAULT_COUNT
};
extern const struct isa_fault_row midgard_faults[MIDGARD_FAULT_COUNT];

/* A tile buffer access. */
enum midgard_tile { MIDGARD_TILE_RAW, MIDGARD_TILE_F32, MIDGARD_TILE_F16 };
enum { MIDGARD_TILE_STENCIL = 30, MIDGARD_TILE_DEPTH = 31 };

/* A writeout. Of colours what is in r0; the others when the same bundle wrote them. */
struct midgard_writeout {
    bool has_depth, has_stencil, has_select;
    uint32_t color[4][MIDGARD_LANES], depth[MIDGARD_LANES], stencil[MIDGARD_LANES];
    /* Target times 256 plus sample, 0 when there is none; 255: depth and stencil only. */
    uint32_t select[MIDGARD_LANES];
    uint32_t second[4][MIDGARD_LANES]; /* r2: the second colour, of blend shaders that have one */
};

struct midgard_ports {
    void *ctx;
    enum isa_numeric numeric; /* README.md, "Numeric policy" */
    /* Four words as the register gets them: of 16 bits a component two. */
    bool (*attribute)(void *ctx, const struct isa_attribute *a, uint16_t lanes, uint32_t out[4][16],
                      struct isa_place *fault);
    /* Interpolated, or of the provoking vertex; divided by nothing. */
    bool (*varying)(void *ctx, const struct isa_attribute *a, uint16_t lanes, uint32_t out[4][16],
                    struct isa_place *fault);
    bool (*store_varying)(void *ctx, const struct isa_attribute *a, uint16_t lanes,
                          const uint32_t value[4][16], struct isa_place *fault);
    bool (*image)(void *ctx, const struct isa_attribute *a, uint16_t lanes, uint32_t out[4][16],
                  struct isa_place *fault);
    bool (*store_image)(void *ctx, const struct isa_attribute *a, uint16_t lanes, const uint32_t value[4][16],
                        struct isa_place *fault);
    bool (*image_address)(void *ctx, const struct isa_attribute *a, uint16_t lanes, uint64_t out[16],
                          struct isa_place *fault);
    isa_uniform_fn uniform;
    isa_load_fn load;
    isa_store_fn store;
    isa_atomic_fn atomic;
    /* MIDGARD_A_STORAGE to MIDGARD_A_GLOBAL_ID. */
    void (*argument)(void *ctx, enum midgard_argument which, uint32_t out[4][16]);
    /* By selector: 96 the sample mask, 97 the sample's number, ... */
    bool (*special)(void *ctx, const uint32_t selector[16], enum isa_type type, uint16_t lanes,
                    uint32_t out[4][16], struct isa_place *fault);
    bool (*tile)(void *ctx, enum midgard_tile form, uint32_t target, const uint32_t sample[16],
                 uint16_t lanes, uint32_t out[4][16], struct isa_place *fault);
    bool (*store_tile)(void *ctx, enum midgard_tile form, uint32_t target, const uint32_t sample[16],
                       uint16_t lanes, const uint32_t value[4][16], struct isa_place *fault);
    /* Colours to and from a pixel format (the word that descriptors have); a colour is of `type`. */
    bool (*pack)(void *ctx, bool unpack, enum isa_type type, uint32_t format, const uint32_t in[4][16],
                 uint16_t lanes, uint32_t out[4][16], struct isa_place *fault);
    /* A direction of three singles as the two words that `texture` takes for a cube's coordinates. */
    void (*cube)(void *ctx, const uint32_t direction[3][16], uint32_t out[2][16]);
    isa_texture_fn texture;
    /* The colours as they are; a blend shader is the port's to run. */
    bool (*writeout)(void *ctx, const struct midgard_writeout *what, uint16_t lanes, struct isa_place *fault);
};

struct midgard_report {
    enum midgard_fault fault;
    uint32_t at; /* quadword of the program */
    struct isa_place place;
    uint64_t executed; /* instructions that ran to their end, for whatever lanes */
};

#endif
