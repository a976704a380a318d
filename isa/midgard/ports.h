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
 * Nothing here is Midgard's alone but enum midgard_type and enum midgard_tile: attribute, varying, texture,
 * image, memory and tile requests name what the descriptors of Bifrost and Valhall are asked for, too. */
#ifndef VITRAIL_ISA_MIDGARD_PORTS_H
#define VITRAIL_ISA_MIDGARD_PORTS_H

#include "isa/fault.h"
#include "isa/midgard/program.h"

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

/* Where a port's fault is. */
struct midgard_place {
    uint32_t lane;
    uint64_t address;
};

/* An attribute, varying or image: descriptor `index[lane]` of one of two tables. */
struct midgard_attribute {
    enum midgard_type type;
    bool any_type;  /* 32 bits a component, of the type that the descriptor has */
    bool secondary; /* the second table: varyings' */
    bool uniform;   /* index is the same in all lanes */
    uint32_t index[MIDGARD_LANES];
    /* Attributes and varyings' stores: the vertex that is meant, or the lane's own. */
    bool other_vertex;
    uint32_t vertex[MIDGARD_LANES];
    /* Varyings' loads: bits MIDGARD_VARYING_FLAT to _SAMPLE; if `at_position`, sixteenths of a pixel from its
     * corner, x in the lower four bits. */
    uint8_t interpolation;
    bool at_position;
    uint8_t position[MIDGARD_LANES];
    /* Images: 16 bits a coordinate; components 2 and 3 are 0 but in images that have them. */
    uint32_t coordinate[4][MIDGARD_LANES];
};

/* Memory. Of MIDGARD_THREAD and MIDGARD_WORKGROUP an address counts from where that begins, and wraps at 64
 * bits. */
enum midgard_space { MIDGARD_GLOBAL, MIDGARD_WORKGROUP, MIDGARD_THREAD };
struct midgard_access {
    enum midgard_space space;
    uint8_t bytes;   /* 1, 2, 4, 8, 16 */
    uint16_t enable; /* stores: a bit a byte */
    bool reversed;   /* atomics: the bytes in memory are in reverse order */
    enum midgard_atomic op;
    uint64_t address[MIDGARD_LANES];
};

/* A tile buffer access. */
enum midgard_tile { MIDGARD_TILE_RAW, MIDGARD_TILE_F32, MIDGARD_TILE_F16 };
enum { MIDGARD_TILE_STENCIL = 30, MIDGARD_TILE_DEPTH = 31 };

/* A texture request. Coordinates are singles, or of MIDGARD_TEX_FETCH integers: x y z, with the layer of arrays
 * in w, a reference or sample in z; of cubes what the port `cube` gave in x and y. */
struct midgard_texture_request {
    uint8_t op;         /* MIDGARD_TEX, _LOD or _FETCH */
    uint8_t mode;       /* MIDGARD_TEX_PLAIN, _SHADOW, _GATHER_SHADOW, _GATHER + component */
    uint8_t dimensions; /* 1 to 3; 0: cube */
    uint8_t sampler_type;
    bool derivatives; /* MIDGARD_TEX: the level is made of the quad's coordinates; else it is the bias */
    bool uniform;     /* texture and sampler are the same in all lanes */
    bool has_lod, has_offset;
    uint32_t texture[MIDGARD_LANES], sampler[MIDGARD_LANES];
    uint32_t coordinate[4][MIDGARD_LANES];
    uint32_t lod
        [MIDGARD_LANES]; /* a bias or a level, a single; of fetches an integer; 0 when has_lod is not set */
    int32_t offset[3][MIDGARD_LANES];
};

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
    /* Four words as the register gets them: of 16 bits a component two. */
    bool (*attribute)(void *ctx, const struct midgard_attribute *a, uint16_t lanes, uint32_t out[4][16],
                      struct midgard_place *fault);
    /* Interpolated, or of the provoking vertex; divided by nothing. */
    bool (*varying)(void *ctx, const struct midgard_attribute *a, uint16_t lanes, uint32_t out[4][16],
                    struct midgard_place *fault);
    bool (*store_varying)(void *ctx, const struct midgard_attribute *a, uint16_t lanes,
                          const uint32_t value[4][16], struct midgard_place *fault);
    bool (*image)(void *ctx, const struct midgard_attribute *a, uint16_t lanes, uint32_t out[4][16],
                  struct midgard_place *fault);
    bool (*store_image)(void *ctx, const struct midgard_attribute *a, uint16_t lanes,
                        const uint32_t value[4][16], struct midgard_place *fault);
    bool (*image_address)(void *ctx, const struct midgard_attribute *a, uint16_t lanes, uint64_t out[16],
                          struct midgard_place *fault);
    /* `bytes` of uniform buffer buffer[lane] from byte offset[lane] on, the rest of the words is 0. */
    bool (*uniform)(void *ctx, const uint32_t buffer[16], const uint32_t offset[16], unsigned bytes,
                    uint16_t lanes, uint32_t out[4][16], struct midgard_place *fault);
    /* access->bytes, the rest of the words is 0; what is stored has its bytes from the lowest on. */
    bool (*load)(void *ctx, const struct midgard_access *access, uint16_t lanes, uint32_t out[4][16],
                 struct midgard_place *fault);
    bool (*store)(void *ctx, const struct midgard_access *access, uint16_t lanes, const uint32_t value[4][16],
                  struct midgard_place *fault);
    /* access->op of 4 or 8 bytes, lane after lane from the lowest on; gives what was there. */
    bool (*atomic)(void *ctx, const struct midgard_access *access, uint16_t lanes,
                   const uint32_t value[2][16], const uint32_t compare[2][16], uint32_t out[2][16],
                   struct midgard_place *fault);
    /* MIDGARD_A_STORAGE to MIDGARD_A_GLOBAL_ID. */
    void (*argument)(void *ctx, enum midgard_argument which, uint32_t out[4][16]);
    /* By selector: 96 the sample mask, 97 the sample's number, ... */
    bool (*special)(void *ctx, const uint32_t selector[16], enum midgard_type type, uint16_t lanes,
                    uint32_t out[4][16], struct midgard_place *fault);
    bool (*tile)(void *ctx, enum midgard_tile form, uint32_t target, const uint32_t sample[16],
                 uint16_t lanes, uint32_t out[4][16], struct midgard_place *fault);
    bool (*store_tile)(void *ctx, enum midgard_tile form, uint32_t target, const uint32_t sample[16],
                       uint16_t lanes, const uint32_t value[4][16], struct midgard_place *fault);
    /* Colours to and from a pixel format (the word that descriptors have); a colour is of `type`. */
    bool (*pack)(void *ctx, bool unpack, enum midgard_type type, uint32_t format, const uint32_t in[4][16],
                 uint16_t lanes, uint32_t out[4][16], struct midgard_place *fault);
    /* A direction of three singles as the two words that `texture` takes for a cube's coordinates. */
    void (*cube)(void *ctx, const uint32_t direction[3][16], uint32_t out[2][16]);
    /* Singles or integers of 32 bits, by the sampler's type. */
    bool (*texture)(void *ctx, const struct midgard_texture_request *request, uint16_t lanes,
                    uint32_t out[4][16], struct midgard_place *fault);
    /* The colours as they are; a blend shader is the port's to run. */
    bool (*writeout)(void *ctx, const struct midgard_writeout *what, uint16_t lanes,
                     struct midgard_place *fault);
};

struct midgard_report {
    enum midgard_fault fault;
    uint32_t at; /* quadword of the program */
    struct midgard_place place;
    uint64_t executed; /* instructions that ran to their end, for whatever lanes */
};

#endif
