/* A draw's fragments, shaded: its compiled code, and the ways to run it. In order, tests and colours at once;
 * or, of a draw that only replaces colours, deferred: the tests as primitives come, the colours where they
 * are seen (deferred.h), in blocks or in quads of several primitives. The same bytes, and the same fuel.
 *
 * A family embeds a struct raster_shader in what it prepares of a draw, and says what it alone knows through
 * a struct raster_shader_family. A shader is immutable once prepared, but for its quads: any number of
 * threads shade with it, each its own tile. Calls are made in the guest floating-point environment
 * (util/fpenv.h; the pool's workers are). */
#ifndef VITRAIL_RASTER_SHADER_H
#define VITRAIL_RASTER_SHADER_H

#include "jit/engine.h"
#include "raster/block_ir.h"
#include "raster/deferred.h"
#include "raster/samples.h"

struct raster_shader;

/* What a tile's programs may take, and what they have done: a worker's. */
struct raster_shader_work {
    uint64_t fuel;     /* instructions that they may still take */
    uint64_t blocks;   /* grows by blocks that were to be shaded, whatever tests leave of them */
    uint64_t executed; /* grows by guest instructions, but for those of blocks that early tests reject whole,
                        * and of pixels that are hidden before they are coloured */
    void *fault;       /* the family's; filled by calls that return nonzero */
    uint64_t passed;   /* grows by samples that pass depth and stencil; of the query ANY by any number */
};

/* What compiled code takes and leaves besides the tile. */
struct raster_shader_call {
    uint64_t fuel;     /* of programs whose loops are counted: in, instructions allowed; out, those left */
    uint64_t executed; /* out: guest instructions, unless it ended in a fault */
    uint64_t passed;   /* grows as the draw's query has it (samples.h) */
    void *scratch;     /* memory of the program's, where the family has it outside the code */
    uint64_t address;  /* out: of an access that was the fault, or what the family makes of it */
};

/* Compiled code. `args` is what the draw gives it; `prims`, `blocks` are of its form (block_ir.h): a struct
 * raster_prim, or the planes that deferred blocks and quads count from. Returns 0 or a fault as the program's
 * translation codes it. Deferred code stores colours alone and returns 0, whatever it is called for, if no
 * call can end in a fault. */
typedef uint32_t (*raster_shader_fn)(const void *args, const void *prims, struct raster_tile *tile,
                                     const void *blocks, uint32_t count, struct raster_shader_call *call);

#define RASTER_SHADER_UNPAID UINT32_MAX /* a fault: blocks take more than the fuel that is left */

struct raster_shader_family {
    /* Shades where there is no code in order, with blocks that are paid for: the reference path. As
     * raster_shader_shade; fills work->fault itself. */
    uint32_t (*shade)(const struct raster_shader *shader, const struct raster_prim *prim,
                      struct raster_tile *tile, const struct raster_block *blocks, uint32_t count,
                      struct raster_shader_work *work);
    /* Fills `fault`, which is work->fault. `code` is compiled code's, with call.address, or UNPAID. */
    void (*report)(const struct raster_shader *shader, uint32_t code, uint64_t address, void *fault);
    /* Compiles the draw's quads; NULL when they cannot be. Called once, by any thread. */
    struct jit_function *(*quads)(const struct raster_shader *shader);
};

/* The code that shades quads: made by the first to want it; until then, or if it cannot be, NULL. */
struct raster_shader_quads {
    _Atomic(struct jit_function *) code;
    _Atomic bool wanted;
};

struct raster_shader {
    const struct raster_shader_family *family;
    const void *args;                  /* of compiled code; the family's */
    struct jit_function *in_order;     /* a raster_shader_fn of blocks of one primitive, or NULL */
    struct jit_function *deferred;     /* of opaque ones: of deferred blocks */
    struct jit_function *test;         /* of opaque ones: a raster_zs_blocks_fn; NULL: every block passes */
    struct raster_shader_quads *quads; /* the family's, of opaque ones that may be shaded so; or NULL */
    uint64_t cost;                     /* fuel that a block takes, whatever tests spare or hide */
    uint32_t varyings; /* planes that the program reads, of points and lines their own first */
    uint8_t query;     /* enum raster_query; code of blocks in order counts it in raster_shader_call */
    bool counted;      /* code counts what loops repeat: raster_shader_call.fuel */
    bool opaque;       /* it only replaces the colours of what it covers: may be deferred */
    bool cheap;        /* so little is done for a pixel that deferring it costs as much, unless it is
                        * deferred with all of the tile */
    bool colors;       /* of opaque ones: colours are written */
};

/* Finds a shader's code: deferred where `opaque`, by program and state, says that it may be and code cannot
 * end in a fault; in order where it may be wanted. `find` is asked for the code of a form, and of deferred
 * blocks for the tests to be done before (*test NULL: none); it returns 0 or a negative errno. args, cheap
 * and varyings are set. 0, or find's errno: the shader has no code. */
int raster_shader_find(struct raster_shader *shader, bool opaque,
                       int (*find)(void *ctx, enum raster_ir_form form, struct jit_function **code,
                                   struct jit_function **test),
                       void *ctx);

/* Counts blocks, and takes what they cost. False, and a fault, when there is less. For who then shades them
 * himself: the calls below do it. */
bool raster_shader_pay(const struct raster_shader *shader, uint32_t blocks, struct raster_shader_work *work);

/* Shades blocks of one primitive: tests and colours. 0, or nonzero with work->fault filled. In tiles of 2, 8 or
 * 16 samples `blocks` are struct raster_samples_block (samples.h). */
uint32_t raster_shader_shade(const struct raster_shader *shader, const struct raster_prim *prim,
                             struct raster_tile *tile, const struct raster_block *blocks, uint32_t count,
                             struct raster_shader_work *work);

/* Of opaque ones: all that raster_shader_shade does but for the colours, at its price: what a tile may do
 * does not depend on what will be hidden. `blocks` (not looked at when there are neither tests nor a query) and *count become
 * what is left to be coloured, *common the lanes left in all of them (without tests all sixteen). */
uint32_t raster_shader_test(const struct raster_shader *shader, const struct raster_prim *prim,
                            struct raster_tile *tile, struct raster_block *blocks, uint32_t *count,
                            uint16_t *common, struct raster_shader_work *work);
/* The colours: of up to RASTER_DEFERRED_BATCH blocks, whose planes count from `planes` (aligned to 16). */
void raster_shader_color(const struct raster_shader *shader, struct raster_tile *tile, const uint8_t *planes,
                         const struct raster_deferred_block *blocks, uint32_t count,
                         struct raster_shader_work *work);

#endif
