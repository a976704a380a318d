/* What programs ask of memory and of descriptors, as plain C: requests that several sets' ports have in common
 * (isa/SET/ports.h), so that one GPU's descriptors serve them all. What a set's encoding numbers otherwise is
 * converted where the request is made.
 *
 * Sixteen threads (lanes) at a time. Fragments are four quads of 2x2: bit 0 of a lane's number is x, bit 1 y.
 * Values are words of 32 bits, little endian; of each word sixteen lanes. Halves stand two to a word.
 * Pure data: no ownership, no state. */
#ifndef VITRAIL_ISA_PORTS_H
#define VITRAIL_ISA_PORTS_H

#include <stdbool.h>
#include <stdint.h>

#define ISA_LANES 16

/* Where a port's fault is. */
struct isa_place {
    uint32_t lane;
    uint64_t address;
};

/* The type of what is moved. Halves and smaller integers stand two or four to a word. */
enum isa_type { ISA_TYPE_F32, ISA_TYPE_F16, ISA_TYPE_U32, ISA_TYPE_I32, ISA_TYPE_RAW };

/* How a varying is interpolated: any of these bits, or none. */
enum isa_interpolation {
    ISA_INTERPOLATE_FLAT = 8, /* as the provoking vertex has it */
    ISA_INTERPOLATE_PERSPECTIVE = 16,
    ISA_INTERPOLATE_CENTROID = 32,
    ISA_INTERPOLATE_SAMPLE = 64
};

/* An attribute, varying or image: descriptor `index[lane]` of one of two tables. */
struct isa_attribute {
    enum isa_type type;
    bool any_type;  /* 32 bits a component, of the type that the descriptor has */
    bool secondary; /* the second table: varyings' */
    bool uniform;   /* index is the same in all lanes */
    uint32_t index[ISA_LANES];
    /* Attributes and varyings' stores: the vertex that is meant, or the lane's own. */
    bool other_vertex;
    uint32_t vertex[ISA_LANES];
    /* Varyings' loads: enum isa_interpolation; if `at_position`, sixteenths of a pixel from its corner, x in the
     * lower four bits. */
    uint8_t interpolation;
    bool at_position;
    uint8_t position[ISA_LANES];
    /* Images: 16 bits a coordinate; components 2 and 3 are 0 but in images that have them. */
    uint32_t coordinate[4][ISA_LANES];
};

/* Memory. Of THREAD and WORKGROUP an address counts from where that begins, and wraps at 64 bits. */
enum isa_space { ISA_SPACE_GLOBAL, ISA_SPACE_WORKGROUP, ISA_SPACE_THREAD };
enum isa_atomic {
    ISA_ATOMIC_ADD,
    ISA_ATOMIC_AND,
    ISA_ATOMIC_OR,
    ISA_ATOMIC_XOR,
    ISA_ATOMIC_IMIN,
    ISA_ATOMIC_UMIN,
    ISA_ATOMIC_IMAX,
    ISA_ATOMIC_UMAX,
    ISA_ATOMIC_EXCHANGE,
    ISA_ATOMIC_COMPARE_EXCHANGE
};
struct isa_access {
    enum isa_space space;
    uint8_t bytes;   /* 1 to 16; of a few sets powers of two alone */
    uint16_t enable; /* stores: a bit a byte */
    uint8_t hint;    /* stores and loads: what the encoding says of caches; of Valhall, which stream it is */
    bool reversed;   /* atomics: the bytes in memory are in reverse order */
    enum isa_atomic op;
    uint64_t address[ISA_LANES];
};

/* A texture request. The numbers stand in keys of kept code (gpu/mali/lookup.h). */
enum isa_texture_op {
    ISA_TEXTURE_SAMPLE = 1, /* level of detail by derivatives, with a bias */
    ISA_TEXTURE_LOD = 2,    /* level of detail given */
    ISA_TEXTURE_FETCH = 4,  /* whole coordinates, no filter */
    ISA_TEXTURE_LEVEL =
        8 /* the level of detail alone, a single in the first component: of the quad's coordinates
                             * if `derivatives`, else of `gradient` */
};
/* GATHER: and the component's number. Of FETCH: the coordinates are those of the square's lowest texel. */
enum isa_texture_mode {
    ISA_TEXTURE_PLAIN = 1,
    ISA_TEXTURE_SHADOW = 5,
    ISA_TEXTURE_GATHER_SHADOW = 6,
    ISA_TEXTURE_GATHER = 8
};
enum isa_sampler_type { ISA_SAMPLER_FLOAT = 1, ISA_SAMPLER_UNSIGNED, ISA_SAMPLER_SIGNED };
/* Coordinates are singles, or of fetches integers: x y z, with the layer of arrays in w, a reference or sample in
 * z; of cubes what the set's port or its program made of a direction, in x and y. */
struct isa_texture_request {
    uint8_t op;           /* enum isa_texture_op */
    uint8_t mode;         /* enum isa_texture_mode */
    uint8_t dimensions;   /* 1 to 3; 0: cube */
    uint8_t sampler_type; /* enum isa_sampler_type */
    bool derivatives;     /* SAMPLE: the level is made of the quad's coordinates; else it is the bias */
    bool uniform;         /* texture and sampler are the same in all lanes */
    bool has_lod, has_offset;
    uint32_t texture[ISA_LANES], sampler[ISA_LANES];
    uint32_t coordinate[4][ISA_LANES];
    uint32_t
        lod[ISA_LANES]; /* a bias or a level, a single; of fetches an integer; 0 when has_lod is not set */
    int32_t offset[3][ISA_LANES];
    /* Of LEVEL: the sampler's bias, or limits, do not count; coordinates' derivatives along x and along y. */
    bool no_bias, no_clamp;
    uint32_t gradient[2][3][ISA_LANES];
};

/* Ports that sets have alike. A call is for the lanes of `lanes`, and looks at no other, but for derivatives; false: a
 * fault, of the lane that *fault says. */
/* access->bytes, the rest of the words is 0; what is stored has its bytes from the lowest on. */
typedef bool (*isa_load_fn)(void *ctx, const struct isa_access *access, uint16_t lanes, uint32_t out[4][16],
                            struct isa_place *fault);
typedef bool (*isa_store_fn)(void *ctx, const struct isa_access *access, uint16_t lanes,
                             const uint32_t value[4][16], struct isa_place *fault);
/* access->op of 4 or 8 bytes, lane after lane from the lowest on; gives what was there. */
typedef bool (*isa_atomic_fn)(void *ctx, const struct isa_access *access, uint16_t lanes,
                              const uint32_t value[2][16], const uint32_t compare[2][16], uint32_t out[2][16],
                              struct isa_place *fault);
/* `bytes` of uniform buffer buffer[lane] from byte offset[lane] on, the rest of the words is 0. */
typedef bool (*isa_uniform_fn)(void *ctx, const uint32_t buffer[16], const uint32_t offset[16],
                               unsigned bytes, uint16_t lanes, uint32_t out[4][16], struct isa_place *fault);
/* Singles or integers of 32 bits, by the sampler's type. */
typedef bool (*isa_texture_fn)(void *ctx, const struct isa_texture_request *request, uint16_t lanes,
                               uint32_t out[4][16], struct isa_place *fault);

#endif
