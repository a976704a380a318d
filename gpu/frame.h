/* A frame drawn out of tile lists (tiler/list.h), of any family whose vertices come in window coordinates with
 * 1/w and whose programs have their tests and blending around them: tiles that share a list are joined into
 * areas, areas are drawn on the pool, each in its worker's tile buffer, and stored. A family embeds a struct
 * gpu_frame in its own and says through a struct gpu_frame_family what it alone knows: what a state prepares,
 * where varyings and stores go.
 *
 * The same bytes with any pool. One thread renders a frame; the family's functions are called by any of the
 * pool's but for `begin` and `plan`, which its own calls. */
#ifndef VITRAIL_GPU_FRAME_H
#define VITRAIL_GPU_FRAME_H

#include "gpu/host.h"
#include "gpu/observe.h"
#include "gpu/space.h"
#include "raster/shader.h"
#include "tiler/list.h"
#include "util/memo.h"
#include "util/pool.h"

#define GPU_TILE         16u /* pixels a side */
#define GPU_FRAME_OWNERS 8u  /* processors that a frame is for at most */
#define GPU_FRAME_TILES  65536u
#define GPU_TILE_EMPTY   UINT32_MAX /* for a list: there is none, and nothing is drawn on the tile */
#define GPU_FRAME_STORES 160u       /* images that a tile goes to at most, planes of samples each */

/* A tile of the frame, in tiles; x and y below 65536. */
struct gpu_tile {
    uint32_t x, y, list;
    uint32_t owner; /* who hears of its fault */
};

/* What the primitives behind it have in common. */
struct gpu_tile_state {
    uint32_t state, positions,
        point_sizes;         /* addresses; positions: x, y, z, 1/w as floats, 16 bytes a vertex */
    uint32_t first;          /* the number that vertex 0 has where its varyings stand */
    uint32_t varyings;       /* address of number 0's; 0: the state says where they stand */
    bool half_sizes;         /* point_sizes are halves */
    float size;              /* of points where point_sizes is 0, or the width of lines */
    struct raster_rect clip; /* pixels */
    uint32_t draw;           /* number in the job */
    bool four_samples;       /* the tile needs four samples: of the first item of a list, for all of it */
};

/* Reads a tile's list, item after item; *state is written where the item is one. False and *fault when the
 * list cannot be read, or goes round. Any number of threads call it, each for its own list. */
struct gpu_tile_reader {
    void *ctx;
    bool (*next)(void *ctx, struct tiler_cursor *cursor, struct tiler_item *item,
                 struct gpu_tile_state *state, struct gpu_fault *fault);
    /* The list's own address: several may be one. NULL: none are. */
    uint32_t (*resolve)(void *ctx, uint32_t list);
    /* The indices of whole triangles, as tiler_list_triangles. NULL: there is no such way. */
    uint32_t (*triangles)(void *ctx, struct tiler_cursor *cursor, uint32_t index[][3], uint32_t most);
};

/* frame_bins.c: reads lists as tiler/list.h has them, with records of gpu/bin.h. */
struct gpu_tile_reader gpu_tile_lists(const struct gpu_space *space);

/* What workers draw in; kept from frame to frame, all zero to begin with. */
struct gpu_frame_workers {
    struct gpu_frame_worker *worker;
    unsigned count;
    struct util_arena *arena; /* of what a frame prepares */
    uint32_t draw_slots;      /* of the table of draws, as the frame before left it */
};
void gpu_frame_workers_free(struct gpu_frame_workers *workers);

/* A state of the frame, prepared by the first tile that meets it; immutable from then on. */
struct gpu_frame_draw {
    uint32_t state;       /* its address */
    uint32_t varyings_at; /* as the record has them (struct gpu_tile_state) */
    uint8_t samples;
    bool points;
    bool centre_only; /* several samples, but a pixel has all of them or none (raster/draw.h) */
    /* The family's: */
    const struct raster_shader *shader;
    struct raster_setup setup; /* but for the width of lines; vary_count: those that `fetch` gives */
    const void *fragments;
    /* Where vertices' varyings are fetched from soon: address, bytes from one to the next, or 0; and whether they
     * stand there as `fetch` gives them. */
    uint32_t varyings, varying_stride;
    bool varyings_plain;
    bool wants_point;              /* a point's coordinates come before its varyings */
    const struct gpu_fault *fault; /* what kept it from being prepared; NULL: no memory for it */
};

/* A draw that does nothing but bring an image's texels to their places (s, t), whose numbers are those of the
 * primitive's varyings, with all their bytes. */
struct gpu_frame_copied {
    uint32_t address, pitch; /* as of struct gpu_frame_image */
    uint32_t width, height;
    uint8_t layout;
    const uint8_t *swizzle; /* where in a texel's bytes each channel of the colour comes from */
    uint8_t s, t;
};

/* An image of whole pixels of four bytes that is all a frame stores. */
struct gpu_frame_image {
    uint32_t address, pitch; /* pitch as raster_level.stride */
    uint32_t width, height;
    uint8_t layout;     /* enum raster_layout */
    uint8_t channel[4]; /* the colour's, of each byte of a pixel */
    bool loads;         /* the family loads tiles from it */
};

struct gpu_frame;

/* What observers are told of a draw. */
struct gpu_frame_programs {
    bool compiled;
    bool has; /* the draw has a program */
    struct gpu_observed_program program;
    struct gpu_observed_program shader[RASTER_TARGETS_MAX];       /* that blend */
    const struct gpu_observed_program *blend[RASTER_TARGETS_MAX]; /* of them, or NULL */
};

struct gpu_frame_family {
    const char *state; /* what its states are called: "render state" */
    /* Checks the frame and fills its part below; maker and arena are there. */
    bool (*begin)(struct gpu_frame *frame, struct gpu_fault *fault);
    /* Fills the draw's part for its state, samples and kind. */
    bool (*prepare)(struct gpu_frame *frame, struct gpu_frame_draw *draw, struct gpu_fault *fault);
    /* Fills the tile with what nothing was drawn on yet; NULL: by target, clear_color and clear_zs. */
    void (*clear)(const struct gpu_frame *frame, struct raster_tile *tile);
    /* The varyings of vertices, so many of them that a call a vertex would cost more than they do: all floats may be
     * written. `run` is the caller's thread's. False and *fault: of the first that has none. */
    bool (*fetch)(const struct gpu_frame_draw *draw, const struct gpu_space *space, struct gpu_space_run *run,
                  const uint32_t index[], unsigned count, float (*out)[RASTER_MAX_VARYINGS],
                  struct gpu_fault *fault);
    /* All tiles are drawn and stored; their draws are still there. False: a fault of the first owner's. NULL:
     * nothing is to be done. */
    bool (*end)(struct gpu_frame *frame, struct gpu_fault *fault);
    /* Stores a tile, in the unit's way; those are counted from 0. */
    void (*store)(const struct gpu_frame *frame, unsigned unit, const struct raster_tile *tile);
    /* Stores the clear values to all pixels of a rectangle of tiles, in all units. False: that takes tiles. */
    bool (*fill)(const struct gpu_frame *frame, const struct raster_rect *pixels);
    /* Whether the frame stores one such image and nothing else; whether a draw copies; loads a tile's pixels from that
     * image (with `loads`), others stay. NULL `image`: it is not known. */
    bool (*image)(const struct gpu_frame *frame, struct gpu_frame_image *out);
    bool (*copies)(const struct gpu_frame_draw *draw, struct gpu_frame_copied *out);
    void (*load)(const struct gpu_frame *frame, struct raster_tile *tile);
    /* For observers. What the unit stores of a tile, an operation each (all but batch and job), with numbers
     * from GPU_FRAME_OP_STORE to GPU_FRAME_OPS - 1; returns how many. The programs of a draw, and whether it is
     * compiled. And raster_shader_shade, interpreted, while `watch` is told. */
    uint32_t (*plan)(const struct gpu_frame *frame, unsigned unit, struct gpu_observed_op *out);
    void (*programs)(const struct gpu_frame_draw *draw, struct gpu_frame_programs *out);
    uint32_t (*shade_watched)(const struct gpu_frame_draw *draw, const struct gpu_watch *watch,
                              const struct raster_prim *prim, struct raster_tile *tile,
                              const struct raster_block *blocks, uint32_t count,
                              struct raster_shader_work *work);
};

/* Operations of a tile's job: its clear values, its place, its list, then the stores. Of a tile that takes
 * several tile buffers those of the second buffer's part begin at GPU_FRAME_OPS, and so on. */
enum { GPU_FRAME_OP_CLEAR, GPU_FRAME_OP_TILE, GPU_FRAME_OP_DRAW, GPU_FRAME_OP_STORE, GPU_FRAME_OPS = 256 };
_Static_assert(GPU_FRAME_OP_STORE + GPU_FRAME_STORES <= GPU_FRAME_OPS, "");

struct gpu_frame {
    const struct gpu_frame_family *family;
    const struct gpu_space *space;
    struct util_pool *pool; /* NULL: on the calling thread alone */
    struct gpu_frame_workers *workers;
    struct gpu_tile_reader reader;
    const struct gpu_tile *tiles;    /* one that is named twice is drawn for the last time only */
    uint32_t tile_count, last_owner; /* owners are 0 to last_owner, below GPU_FRAME_OWNERS */
    uint32_t list;                   /* the address of what names the tiles, for faults */
    unsigned units;                  /* that store */
    /* Bounds, of which each tile has its share whatever it needs: instructions of fragments, for 16 lanes
     * each; items of lists. */
    uint64_t fuel, packets;
    const struct gpu_observer *observer; /* NULL: nobody looks on */
    uint32_t batch;                      /* the frame's number, for the observer */
    uint64_t *blocks, *instructions;     /* grow by what is shaded; NULL is accepted */
    uint64_t *entries;                   /* grows by the items of lists that are read; NULL is accepted */
    const struct gpu_host *host;         /* may cancel the frame; NULL: nobody does */
    bool reference;                      /* scalar twins alone */
    /* Of the family's `begin`; all zero before. */
    uint32_t width, height; /* pixels */
    uint8_t target;         /* enum raster_target */
    uint64_t clear_color;   /* a word, or four halves, red lowest */
    uint32_t clear_zs;
    bool multisampled; /* all tiles have four samples */
    /* Of families that clear themselves: samples of all tiles, and pixels of a tile buffer, of which a part
     * has no more than divide GPU_TILE or what GPU_TILE divides. 0: as target and samples say. */
    uint8_t samples, part_width, part_height;
    /* gpu_frame_render's. */
    struct util_arena *arena; /* of what lives as long as the frame's draws */
    struct util_maker maker;  /* of draws and programs; its lock is over the faults too */
    struct util_memo draws;   /* struct gpu_frame_draw by state, varyings, samples, points or not */
    struct gpu_frame_run *run;
};

/* Renders the frame. False and a fault for each owner whose tiles have any (kind NONE: all of them are
 * stored; the others' but for those with faults, of which the first in the order of tiles is named), or for
 * all when nothing was rendered. A frame may be rendered again. */
bool gpu_frame_render(struct gpu_frame *frame, struct gpu_fault *fault);

#endif
