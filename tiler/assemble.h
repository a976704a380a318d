/* Primitive assembly: a stream of vertex indices into points, lines and triangles, piece by piece.
 *
 * Primitives come out in the order in which their last index arrives. The last vertex of each is the
 * provoking one (OpenGL ES 2.0 has no other rule). Triangle i of a strip is (i, i+1, i+2) for even i and
 * (i+1, i, i+2) for odd i, so that all wind alike; triangle i of a fan is (0, i+1, i+2); a loop is closed by
 * (last, first). A quad is two triangles with the vertex that provokes for it (OpenGL 4.6, compatibility
 * profile, table 13.2): the last one for quads and strips of them, the first for a polygon, a fan of triangles.
 * Indices that do not make up a whole primitive are dropped; of quads, where half a one would be left, by the
 * caller (tiler_mode_whole). */
#ifndef VITRAIL_TILER_ASSEMBLE_H
#define VITRAIL_TILER_ASSEMBLE_H

#include <stdbool.h>
#include <stdint.h>

/* Numbered as in OpenGL and in control lists (Guide table 38, record 32). */
enum tiler_mode {
    TILER_POINTS,
    TILER_LINES,
    TILER_LINE_LOOP,
    TILER_LINE_STRIP,
    TILER_TRIANGLES,
    TILER_TRIANGLE_STRIP,
    TILER_TRIANGLE_FAN,
    TILER_QUADS, /* from here on not on VideoCore IV */
    TILER_QUAD_STRIP,
    TILER_POLYGON,
    TILER_MODE_COUNT
};

/* "triangle strip", ... */
const char *tiler_mode_name(enum tiler_mode mode);

/* How many of `count` indices make up whole quads; of other modes, all. */
static inline uint32_t tiler_mode_whole(enum tiler_mode mode, uint32_t count)
{
    if (mode == TILER_QUADS)
        return count & ~3u;
    return mode != TILER_QUAD_STRIP ? count : count < 4 ? 0 : count & ~1u;
}

/* Vertices a primitive of a mode has: 1, 2 or 3. */
static inline unsigned tiler_mode_vertices(enum tiler_mode mode)
{
    return mode == TILER_POINTS ? 1 : mode < TILER_TRIANGLES ? 2 : 3;
}

struct tiler_assembler {
    enum tiler_mode mode;
    uint64_t taken;            /* indices so far */
    uint32_t first, before[3]; /* the first index; the last three, older first */
    /* The caller's: the first vertex of a primitive provokes, as other GLs have it, and is index[0] of strips,
     * fans and quads too: (i, i+2, i+1) for odd i, (i+1, i+2, 0). */
    bool first_provokes;
};

void tiler_assemble_begin(struct tiler_assembler *assembler, enum tiler_mode mode);
/* Takes `count` indices and writes the primitives they complete to `out`, which has room for count + 1 of them;
 * returns their number. out[n][0..vertices-1] are a primitive's indices; the rest is zero. */
uint32_t tiler_assemble(struct tiler_assembler *assembler, const uint32_t *index, uint32_t count,
                        uint32_t (*out)[3]);
/* Ends the stream: the closing line of a loop, or nothing. Returns 0 or 1. */
uint32_t tiler_assemble_end(struct tiler_assembler *assembler, uint32_t (*out)[3]);

#endif
