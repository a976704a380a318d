/* Blocks of a raster_cover_job, for one instruction set. cover.c includes this once a level, with
 *   COVER_NAME(x)      the level's name of x
 *   COVER_TARGET       the function attribute
 *   COVER_WIDTH        integers a vector
 *   COVER_NEGATIVE(v)  the sign bits of a vector, as a uint32_t
 * Sixteen integers, in PARTS vectors, are the lanes of a block or the blocks of a row of the tile. The sign
 * of an OR is the OR of the signs: a position is outside when any edge's value is negative. */
#define PARTS (16 / COVER_WIDTH)
#define VEC   COVER_NAME(vec)

typedef int32_t VEC __attribute__((vector_size(COVER_WIDTH * 4)));

/* Tests block (bx, by) lane by lane and appends it when anything of `area` is inside. `value`: the edges at
 * the first pixel of each block of its row, sample 0. */
COVER_TARGET static inline uint32_t COVER_NAME(partial)(const struct raster_cover_job *job, uint32_t edges,
                                                        uint32_t sample_count, const VEC (*lane)[PARTS],
                                                        const int32_t (*value)[16], int32_t bx, int32_t by,
                                                        uint32_t area, struct raster_block *out)
{
    uint32_t lanes = 0;
    uint64_t samples = 0;
    for (uint32_t s = 0; s < sample_count; s++) {
        VEC outside[PARTS] = {0};
        uint32_t mask = 0;
        for (uint32_t e = 0; e < edges; e++) {
            int32_t here = value[e][bx];
            if (s)
                here += job->origin[e][s] - job->origin[e][0];
            for (unsigned p = 0; p < PARTS; p++)
                outside[p] |= lane[e][p] + here;
        }
        for (unsigned p = 0; p < PARTS; p++)
            mask |= COVER_NEGATIVE(outside[p]) << p * COVER_WIDTH;
        mask = area & ~mask;
        lanes |= mask;
        samples |= (uint64_t)mask << 16 * s;
    }
    cover_put(out, bx, by, lanes, samples);
    return lanes != 0;
}

/* The edges over rows of blocks: at the lanes of the first block, relative to its first pixel; at the first
 * pixel of each block of the row in hand, sample 0; how much greater and less they can be in a block. */
struct COVER_NAME(walk) {
    VEC lane[4][PARTS], value[4][PARTS];
    int32_t greatest[4], least[4];
};

COVER_TARGET static inline void COVER_NAME(begin)(const struct raster_cover_job *job, uint32_t edges,
                                                  struct COVER_NAME(walk) * w)
{
    const VEC *lx = (const VEC *)lane_x, *ly = (const VEC *)lane_y, *columns = (const VEC *)block_x;
    for (uint32_t e = 0; e < edges; e++) {
        int32_t a = job->a[e], b = job->b[e], first = job->origin[e][0];
        w->greatest[e] = job->high[e] - first + 3 * (UTIL_MAX(a, 0) + UTIL_MAX(b, 0));
        w->least[e] = job->low[e] - first + 3 * (UTIL_MIN(a, 0) + UTIL_MIN(b, 0));
        for (unsigned p = 0; p < PARTS; p++) {
            w->lane[e][p] = lx[p] * a + ly[p] * b;
            w->value[e][p] = columns[p] * (4 * a) + (first + b * (job->y0 & ~3));
        }
    }
}

/* Of the blocks of a row, those in which no edge fails everywhere; *split: those that an edge crosses. */
COVER_TARGET static inline uint32_t COVER_NAME(touched)(const struct COVER_NAME(walk) * w, uint32_t edges,
                                                        uint32_t *split)
{
    uint32_t out = 0;
    *split = 0;
    for (unsigned p = 0; p < PARTS; p++) {
        VEC outside = {0}, crossed = {0};
        for (uint32_t e = 0; e < edges; e++) {
            outside |= w->value[e][p] + w->greatest[e];
            crossed |= w->value[e][p] + w->least[e];
        }
        out |= COVER_NEGATIVE(outside) << p * COVER_WIDTH;
        *split |= COVER_NEGATIVE(crossed) << p * COVER_WIDTH;
    }
    return ~out;
}

/* `edges` and `samples` are the job's: constants where that pays. */
COVER_TARGET static inline __attribute__((always_inline)) uint32_t COVER_NAME(rows)(
    const struct raster_cover_job *job, uint32_t edges, uint32_t samples, struct raster_block *blocks)
{
    struct COVER_NAME(walk) w;
    alignas(64) int32_t value[4][16];
    int32_t bx0 = job->x0 >> 2, by0 = job->y0 >> 2, bx1 = job->x1 >> 2, by1 = job->y1 >> 2;
    uint32_t in_area = (0xffffu >> (15 - bx1)) & (0xffffu << bx0), count = 0, split;
    bool whole = !((job->x0 | job->y0 | (job->x1 + 1) | (job->y1 + 1)) & 3);
    uint64_t every = samples == 1 ? 1 : 0x0001000100010001u;
    COVER_NAME(begin)(job, edges, &w);
    for (int32_t by = by0; by <= by1; by++) {
        uint32_t touched = in_area & COVER_NAME(touched)(&w, edges, &split);
        uint32_t lanes = whole ? 0xffff : cover_row(job->y0, job->y1, by);
        for (uint32_t e = 0; e < edges && touched & split; e++)
            memcpy(value[e], w.value[e], sizeof value[e]);
        for (; touched; touched &= touched - 1) {
            int32_t bx = __builtin_ctz(touched);
            uint32_t area = whole ? 0xffff : lanes & cover_column(job->x0, job->x1, bx);
            if (split >> bx & 1)
                count += COVER_NAME(partial)(job, edges, samples, (const VEC(*)[PARTS])w.lane,
                                             (const int32_t(*)[16])value, bx, by, area, &blocks[count]);
            else
                cover_put(&blocks[count++], bx, by, area, area * every);
        }
        for (uint32_t e = 0; e < edges; e++)
            for (unsigned p = 0; p < PARTS; p++)
                w.value[e][p] += 4 * job->b[e];
    }
    return count;
}

COVER_TARGET static uint32_t COVER_NAME(cover)(const struct raster_cover_job *job,
                                               struct raster_block *blocks)
{
    if (job->samples > 1)
        return COVER_NAME(rows)(job, job->edge_count, job->samples, blocks);
    switch (job->edge_count) {
    case 1: return COVER_NAME(rows)(job, 1, 1, blocks);
    case 2: return COVER_NAME(rows)(job, 2, 1, blocks);
    case 3: return COVER_NAME(rows)(job, 3, 1, blocks);
    default: return COVER_NAME(rows)(job, job->edge_count, 1, blocks);
    }
}

#undef PARTS
#undef VEC
#undef COVER_NAME
#undef COVER_TARGET
#undef COVER_WIDTH
#undef COVER_NEGATIVE
