/* Sixteen triangles, for one instruction set. triangles.c includes this once a level, with
 *   TRI_NAME(x)     the level's name of x
 *   TRI_TARGET      the function attribute
 *   TRI_LEVEL       the level
 *   TRI_WIDTH       integers a vector
 *   TRI_BITS(v)     the sign bits of a vector, as a uint32_t
 *   TRI_MADD(v, w)  products of signed halves, the two of each integer added
 *   TRI_MIN, TRI_MAX
 *   TRI_FLOATS(p), TRI_INTS(p)  so many numbers from memory as a vector of doubles has, as such
 *   TRI_ROUND(p, v)             doubles to floats in memory
 *   TRI_LONGS(p)                as TRI_INTS, as integers of 64 bits
 *   TRI_SIGNS(v)                the sign bits of such a vector
 *   TRI_FIXED(v)                raster_depth_fixed; without it one after the other
 * Comparisons give 0 or -1. */
#define TRI_PARTS (16 / TRI_WIDTH)
#define TRI_HALF  (TRI_WIDTH / 2)
#define TRI_VEC   TRI_NAME(vec)
#define TRI_UVEC  TRI_NAME(uvec)
#define TRI_FVEC  TRI_NAME(fvec)
#define TRI_DVEC  TRI_NAME(dvec)
#define TRI_LVEC  TRI_NAME(lvec)
#define TRI_QVEC  TRI_NAME(qvec)

typedef int32_t TRI_VEC __attribute__((vector_size(TRI_WIDTH * 4)));
typedef uint32_t TRI_UVEC __attribute__((vector_size(TRI_WIDTH * 4)));
typedef float TRI_FVEC __attribute__((vector_size(TRI_WIDTH * 4)));
typedef double TRI_DVEC __attribute__((vector_size(TRI_WIDTH * 4)));
typedef int64_t TRI_LVEC __attribute__((vector_size(TRI_WIDTH * 4)));
typedef uint64_t TRI_QVEC __attribute__((vector_size(TRI_WIDTH * 4)));

#define TRI_AT(array, p)    ((TRI_VEC *)(array))[p]
#define TRI_PACK(low, high) (((low) & 0xffff) | (TRI_VEC)((TRI_UVEC)(high) << 16))

/* Part `p` of edge `e`, which begins at xy: its values at the samples, and whether the area, in whole blocks,
 * passes it. Returns the sign of an area that fails it. */
TRI_TARGET static inline TRI_VEC TRI_NAME(edge)(struct raster_triangles *t,
                                                const struct raster_triangles_frame *f, unsigned p,
                                                unsigned e, const TRI_VEC xy[2], TRI_VEC a, TRI_VEC b)
{
    TRI_VEC packed = TRI_PACK(a, b), high = {0}, low = {0};
    TRI_VEC owned = (a > 0) | ((a == 0) & (b > 0)); /* top-left: setup.c */
    TRI_AT(t->edge[e], p) = packed;
    for (uint32_t s = 0; s < f->samples; s++) {
        TRI_VEC dx = raster_sample_x(f->samples, s) - xy[0], dy = raster_sample_y(f->samples, s) - xy[1];
        TRI_VEC value = (TRI_MADD(packed, TRI_PACK(dx, dy)) + ~owned) >> 4;
        TRI_AT(t->origin[s][e], p) = value;
        high = s ? TRI_MAX(high, value) : value;
        low = s ? TRI_MIN(low, value) : value;
    }
    TRI_VEC x0 = TRI_AT(t->x0, p), y0 = TRI_AT(t->y0, p), x1 = TRI_AT(t->x1, p), y1 = TRI_AT(t->y1, p);
    TRI_VEC left = a >> 31, up = b >> 31; /* the edge's value grows that way */
    TRI_VEC most = TRI_PACK((x0 & left) | (x1 & ~left), (y0 & up) | (y1 & ~up));
    TRI_VEC least = TRI_PACK(((x1 | f->round) & left) | (x0 & ~f->round & ~left),
                             ((y1 | f->round) & up) | (y0 & ~f->round & ~up));
    t->inside[e] |= (~TRI_BITS(low + TRI_MADD(packed, least)) & ((1u << TRI_WIDTH) - 1)) << p * TRI_WIDTH;
    return high + TRI_MADD(packed, most);
}

/* Pixels of the area, as set_bounds in setup.c, inside the clip rectangle. Returns the sign of an empty one.
 */
TRI_TARGET static inline TRI_VEC TRI_NAME(bounds)(const int32_t first, const int32_t last, const TRI_VEC v[3],
                                                  int32_t from, int32_t to, TRI_VEC *low, TRI_VEC *high)
{
    TRI_VEC least = TRI_MIN(TRI_MIN(v[0], v[1]), v[2]), most = TRI_MAX(TRI_MAX(v[0], v[1]), v[2]);
    TRI_VEC limit0 = from - (TRI_VEC){0}, limit1 = to - (TRI_VEC){0};
    *low = TRI_MAX((least + (15 - last)) >> 4, limit0);
    *high = TRI_MIN((most - first) >> 4, limit1);
    return *high - *low;
}

/* Integers: facing, areas, edges. Differences of near positions fit 16 bits with their sign, values of edges
 * 31 bits: 2 * 2^15 * (2^14 + 2^4). */
TRI_TARGET static void TRI_NAME(edges)(struct raster_triangles *t, const struct raster_triangles_frame *f)
{
    for (unsigned p = 0; p < TRI_PARTS; p++) {
        TRI_VEC x[3], y[3], beyond = {0}, invalid = {0};
        for (unsigned k = 0; k < 3; k++) {
            TRI_FVEC z = ((const TRI_FVEC *)t->z[k])[p], inv_w = ((const TRI_FVEC *)t->inv_w[k])[p];
            x[k] = TRI_AT(t->x[k], p) - f->left;
            y[k] = TRI_AT(t->y[k], p) - f->top;
            beyond |= (x[k] + RASTER_TRIANGLE_REACH) | (RASTER_TRIANGLE_REACH - 1 - x[k]);
            beyond |= (y[k] + RASTER_TRIANGLE_REACH) | (RASTER_TRIANGLE_REACH - 1 - y[k]);
            invalid |= (TRI_VEC)(z != z) | (TRI_VEC)(inv_w != inv_w);
        }
        TRI_VEC dx1 = x[1] - x[0], dy1 = y[1] - y[0], dx2 = x[2] - x[0], dy2 = y[2] - y[0];
        TRI_VEC area = TRI_MADD(TRI_PACK(dx1, dx2), TRI_PACK(dy2, -dy1)), back = area >> 31;
        TRI_VEC reverse = back ^ f->clockwise;
        invalid |= (reverse & f->cull_reverse) | (~reverse & f->cull_forward) | (area == 0);
        invalid |= TRI_NAME(bounds)(f->first, f->last, x, f->x0, f->x1, &TRI_AT(t->x0, p), &TRI_AT(t->x1, p));
        invalid |= TRI_NAME(bounds)(f->first, f->last, y, f->y0, f->y1, &TRI_AT(t->y0, p), &TRI_AT(t->y1, p));
        for (unsigned e = 0; e < 3; e++) {
            unsigned next = e == 2 ? 0 : e + 1;
            const TRI_VEC xy[2] = {x[e], y[e]};
            TRI_VEC a = ((y[e] - y[next]) ^ back) - back, b = ((x[next] - x[e]) ^ back) - back;
            invalid |= TRI_NAME(edge)(t, f, p, e, xy, a, b);
        }
        TRI_AT(t->x0, p) &= ~f->round;
        TRI_AT(t->y0, p) &= ~f->round;
        TRI_AT(t->x1, p) |= f->round;
        TRI_AT(t->y1, p) |= f->round;
        TRI_AT(t->side[0], p) = dx1;
        TRI_AT(t->side[1], p) = dy1;
        TRI_AT(t->side[2], p) = dx2;
        TRI_AT(t->side[3], p) = dy2;
        TRI_AT(t->side[4], p) = area;
        t->far |= TRI_BITS(beyond) << p * TRI_WIDTH;
        t->drawn |= (~TRI_BITS(invalid) & ((1u << TRI_WIDTH) - 1)) << p * TRI_WIDTH;
        t->reverse |= TRI_BITS(reverse) << p * TRI_WIDTH;
    }
}

/* Planes of a value with the differences d1 and d2 to the reference vertex. */
TRI_TARGET static inline void TRI_NAME(plane)(const TRI_DVEC g[4], TRI_DVEC d1, TRI_DVEC d2, float *a,
                                              float *b)
{
    TRI_ROUND(a, g[0] * d1 + g[1] * d2);
    TRI_ROUND(b, g[2] * d1 + g[3] * d2);
}

TRI_TARGET static inline TRI_DVEC TRI_NAME(abs)(TRI_DVEC v)
{
    return (TRI_DVEC)((TRI_LVEC)v & INT64_MAX);
}

TRI_TARGET static inline TRI_DVEC TRI_NAME(greater)(TRI_DVEC v, TRI_DVEC w)
{
    TRI_LVEC first = v > w;
    return (TRI_DVEC)(((TRI_LVEC)v & first) | ((TRI_LVEC)w & ~first));
}

TRI_TARGET static inline TRI_LVEC TRI_NAME(fixed)(TRI_DVEC v)
{
#ifdef TRI_FIXED
    return TRI_FIXED(v);
#else
    TRI_LVEC out;
    for (unsigned n = 0; n < TRI_HALF; n++)
        out[n] = raster_depth_fixed(v[n]);
    return out;
#endif
}

/* Planes of depth, from triangle i on: the sums of raster_depth_through in depth.h. */
TRI_TARGET static inline void TRI_NAME(depths)(struct raster_triangles *t,
                                               const struct raster_triangles_frame *f, const TRI_DVEC g[4],
                                               unsigned i)
{
    TRI_DVEC z0 = TRI_FLOATS(&t->z[0][i]), z1 = TRI_FLOATS(&t->z[1][i]), z2 = TRI_FLOATS(&t->z[2][i]);
    TRI_DVEC d1 = (z1 - z0) * RASTER_DEPTH_STEPS, d2 = (z2 - z0) * RASTER_DEPTH_STEPS;
    TRI_DVEC a = g[0] * d1 + g[1] * d2, b = g[2] * d1 + g[3] * d2;
    TRI_DVEC steep = TRI_NAME(abs)(a), steep_b = TRI_NAME(abs)(b);
    TRI_DVEC offset = TRI_NAME(greater)(steep, steep_b) * f->offset_factor + f->offset_units;
    TRI_DVEC most = TRI_NAME(greater)(TRI_NAME(abs)(z0), TRI_NAME(abs)(z1));
    most = TRI_NAME(greater)(most, TRI_NAME(abs)(z2)) * RASTER_DEPTH_STEPS + TRI_NAME(abs)(offset);
    TRI_LVEC fine = (steep + steep_b < RASTER_DEPTH_REACH) & (most < RASTER_DEPTH_REACH);
    TRI_DVEC c = z0 * RASTER_DEPTH_STEPS + offset + RASTER_DEPTH_ROUND;
    c += (a * TRI_INTS(&t->side[5][i]) + b * TRI_INTS(&t->side[6][i])) * 0.0625;
    TRI_QVEC fixed[3] = {(TRI_QVEC)TRI_NAME(fixed)(a), (TRI_QVEC)TRI_NAME(fixed)(b),
                         (TRI_QVEC)TRI_NAME(fixed)(c)};
    fixed[2] -= fixed[0] * (TRI_QVEC)(TRI_LONGS(&t->x[0][i]) >> 4);
    fixed[2] -= fixed[1] * (TRI_QVEC)(TRI_LONGS(&t->y[0][i]) >> 4);
    for (unsigned k = 0; k < 3; k++)
        *(TRI_QVEC *)&t->depth[k][i] = fixed[k];
    t->coarse |= (~TRI_SIGNS(fine) & ((1u << TRI_HALF) - 1)) << i;
}

/* Gradients, planes of depth and 1/w, and reference points: the sums of set_planes in setup.c. */
TRI_TARGET static void TRI_NAME(gradients)(struct raster_triangles *t, const struct raster_triangles_frame *f)
{
    for (unsigned p = 0; p < TRI_PARTS; p++) {
        TRI_AT(t->side[5], p) = 8 - (TRI_AT(t->x[0], p) & 15);
        TRI_AT(t->side[6], p) = 8 - (TRI_AT(t->y[0], p) & 15);
    }
    t->coarse = 0;
    for (unsigned i = 0; t->drawn >> i; i += TRI_HALF) { /* `drawn` has 16 bits */
        TRI_DVEC side[5], g[4];
        for (unsigned k = 0; k < 5; k++)
            side[k] = TRI_INTS(&t->side[k][i]);
        TRI_DVEC inv = 16.0 / side[4], zero = {0};
        g[0] = side[3] * inv;
        g[1] = (zero - side[1]) * inv;
        g[2] = (zero - side[2]) * inv;
        g[3] = side[0] * inv;
        for (unsigned k = 0; k < 4; k++)
            *(TRI_DVEC *)&t->gradient[k][i] = g[k];
        TRI_NAME(depths)(t, f, g, i);
        TRI_DVEC w = TRI_FLOATS(&t->inv_w[0][i]);
        TRI_NAME(plane)(g, TRI_FLOATS(&t->inv_w[1][i]) - w, TRI_FLOATS(&t->inv_w[2][i]) - w, &t->plane[0][i],
                        &t->plane[1][i]);
    }
    for (unsigned p = 0; p < TRI_PARTS; p++) {
        ((TRI_FVEC *)t->plane[2])[p] = __builtin_convertvector(TRI_AT(t->x[0], p), TRI_FVEC) * 0.0625f;
        ((TRI_FVEC *)t->plane[3])[p] = __builtin_convertvector(TRI_AT(t->y[0], p), TRI_FVEC) * 0.0625f;
    }
}

/* Planes; beyond the last varying, of whatever else stands in its group. */
TRI_TARGET static void TRI_NAME(prim)(const struct raster_triangles *t, const struct raster_setup *setup,
                                      uint32_t i, struct raster_prim *out)
{
    write_head(t, setup, i, out);
    const float *p0 = t->vary[0][i], *p1 = t->vary[1][i], *p2 = t->vary[2][i];
    TRI_DVEC w1 = (double)t->inv_w[1][i] - (TRI_DVEC){0}, w2 = (double)t->inv_w[2][i] - (TRI_DVEC){0}, g[4];
    for (unsigned k = 0; k < 4; k++)
        g[k] = t->gradient[k][i] - (TRI_DVEC){0};
    for (uint32_t n = 0; n < out->vary_count; n += TRI_HALF) {
        TRI_DVEC c = TRI_FLOATS(p0 + n);
        TRI_NAME(plane)(g, (TRI_FLOATS(p1 + n) - c) * w1, (TRI_FLOATS(p2 + n) - c) * w2, &out->vary_a[n],
                        &out->vary_b[n]);
        memcpy(&out->vary_c[n], p0 + n, TRI_HALF * sizeof *p0);
    }
    if (setup->flat_mask || setup->flat_below)
        make_flat(t, setup, i, out);
}

/* Tests block (bx, by) lane by lane and appends it when anything of it is inside. */
TRI_TARGET static inline uint32_t TRI_NAME(lanes)(const struct raster_triangles *t, uint32_t i,
                                                  const TRI_VEC edge[3], int32_t bx, int32_t by,
                                                  struct raster_block *out)
{
    const TRI_VEC *lane = (const TRI_VEC *)lane_at;
    uint32_t any = 0, area = t->clipped ? area_lanes(t, i, bx, by) : 0xffff;
    uint64_t masks = 0;
    for (uint32_t s = 0; s < t->samples; s++) {
        uint32_t mask = 0;
        for (unsigned p = 0; p < TRI_PARTS; p++) {
            TRI_VEC at = lane[p] + (4 * bx | by << 18), outside;
            outside = TRI_MADD(at, edge[0]) + t->origin[s][0][i];
            outside |= TRI_MADD(at, edge[1]) + t->origin[s][1][i];
            outside |= TRI_MADD(at, edge[2]) + t->origin[s][2][i];
            mask |= TRI_BITS(outside) << p * TRI_WIDTH;
        }
        mask = area & ~mask;
        any |= mask;
        masks |= (uint64_t)mask << 16 * s;
    }
    cover_put(out, bx, by, any, masks);
    return any != 0;
}

TRI_TARGET static uint32_t TRI_NAME(cover)(const struct raster_triangles *t, uint32_t i,
                                           struct raster_block *blocks)
{
    const TRI_VEC zero = {0};
    const TRI_VEC edge[3] = {t->edge[0][i] - zero, t->edge[1][i] - zero, t->edge[2][i] - zero};
    int32_t bx0 = t->x0[i] >> 2, by0 = t->y0[i] >> 2, bx1 = t->x1[i] >> 2, by1 = t->y1[i] >> 2;
    uint32_t count = 0;
    if ((bx1 - bx0 + 1) * (by1 - by0 + 1) > FEW_BLOCKS) {
        struct raster_cover_job job;
        make_job(&job, t, i);
        return raster_cover_job(TRI_LEVEL, &job, blocks);
    }
    for (int32_t by = by0; by <= by1; by++)
        for (int32_t bx = bx0; bx <= bx1; bx++)
            count += TRI_NAME(lanes)(t, i, edge, bx, by, &blocks[count]);
    return count;
}

static const struct raster_triangles_level TRI_NAME(level) = {TRI_NAME(cover), TRI_NAME(prim)};

#undef TRI_PARTS
#undef TRI_HALF
#undef TRI_VEC
#undef TRI_UVEC
#undef TRI_FVEC
#undef TRI_DVEC
#undef TRI_AT
#undef TRI_PACK
#undef TRI_NAME
#undef TRI_TARGET
#undef TRI_LEVEL
#undef TRI_WIDTH
#undef TRI_BITS
#undef TRI_MADD
#undef TRI_MIN
#undef TRI_MAX
#undef TRI_FLOATS
#undef TRI_INTS
#undef TRI_ROUND
#undef TRI_LVEC
#undef TRI_QVEC
#undef TRI_LONGS
#undef TRI_SIGNS
#undef TRI_FIXED
