/* Primitives on a worker's tile: covered, then shaded by the draw's shader - at once, or, where it only
 * replaces colours, tested now and coloured when it is known what is seen (deferred.h). One by one, or
 * triangles several at a time (triangles.h): the same bytes. */
#ifndef VITRAIL_RASTER_DRAW_H
#define VITRAIL_RASTER_DRAW_H

#include "raster/samples.h"
#include "raster/shader.h"
#include "raster/triangles.h"

/* A worker's tile buffer and scratch space; 64-byte aligned, all zero to begin with. */
struct raster_worker {
    struct raster_tile tile;
    struct raster_tile centre; /* the same tile with one sample, for coverage only */
    struct raster_block blocks[RASTER_BLOCKS_MAX];
    struct raster_prim prim; /* in hand */
    struct raster_triangles triangles;
    struct raster_deferred deferred; /* opaque primitives that wait for their colours */
    bool costly;                     /* one of them, and not only cheap ones */
    struct raster_shader_work work;  /* of the tile, or as long as the family likes */
    struct raster_samples_block
        many[RASTER_BLOCKS_MAX]; /* instead of `blocks` in tiles of 2, 8 or 16 samples */
};

/* A draw. */
struct raster_draw {
    struct raster_worker *worker;
    const struct raster_shader *shader; /* varyings that it reads and the vertices do not have are 0 */
    bool opaque;      /* the shader is, and nobody minds if the colours wait (tiles of one sample only) */
    bool whole;       /* of those: nobody looks at the blocks of a primitive that covers the tile */
    bool centre_only; /* a multisampled tile, but coverage is taken at pixel centres */
    bool any;         /* a pixel is covered where any of 16 samples is (coverage.h) */
    bool reference;   /* coverage by the scalar twins */
    struct raster_setup setup;
    struct raster_rect clip;
};

/* The tile is now this one; its words stay. Nothing may wait. */
void raster_worker_place(struct raster_worker *worker, int32_t x, int32_t y, uint32_t width, uint32_t height,
                         uint32_t samples);
/* Gives the tile the colours that wait: before anything else reads or writes colours, and at the end. */
void raster_worker_flush(struct raster_worker *worker);

/* ---- one by one: worker->prim, set up ---- */

/* Its blocks, into worker->blocks (or `many`); their number. *whole: they are all of the tile, and not there. */
uint32_t raster_draw_cover(const struct raster_draw *draw, bool *whole);
/* Shades so many of worker->blocks. False: a fault, which ends the tile. */
bool raster_draw_blocks(const struct raster_draw *draw, uint32_t count, bool whole);
/* What the program reads beyond its vertices' varyings is 0: raster_draw_blocks does this. */
void raster_draw_fill_varyings(const struct raster_draw *draw);
/* Both: covers, and shades. */
bool raster_draw_prim(const struct raster_draw *draw);

/* ---- triangles several at a time ---- */

/* Sets worker->triangles up: count, x, y, z and inv_w are there. */
void raster_draw_setup(const struct raster_draw *draw);
/* Covers triangle i and shades it. When some of it may be seen, `fetch` puts its varyings there (NULL: they
 * are). False: a fault, or fetch's. */
typedef bool (*raster_fetch_fn)(void *data, uint32_t i);
bool raster_draw_triangle(const struct raster_draw *draw, uint32_t i, raster_fetch_fn fetch, void *data);

#endif
