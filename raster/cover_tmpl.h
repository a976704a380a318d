/* Blocks of a cover_job, for one instruction set. cover.c includes this once a level, with
 *   COVER_NAME(x)      the level's name of x
 *   COVER_TARGET       the function attribute
 *   COVER_WIDTH        integers a vector
 *   COVER_NEGATIVE(v)  the sign bits of a vector, as a uint32_t
 * Sixteen integers, in PARTS vectors, are the lanes of a block or the blocks of a row of the tile. The sign
 * of an OR is the OR of the signs: a position is outside when any edge's value is negative. */
#define PARTS (16 / COVER_WIDTH)
#define VEC   COVER_NAME(vec)

typedef int32_t VEC __attribute__((vector_size(COVER_WIDTH * 4)));

/* Tests block (bx, by) lane by lane and appends it when anything of `area` is inside. */
COVER_TARGET static inline uint32_t COVER_NAME(partial)(const struct cover_job *job, const VEC (*lane)[PARTS],
                                                        int32_t bx, int32_t by, uint32_t area,
                                                        struct raster_block *out)
{
    uint32_t lanes = 0;
    uint64_t samples = 0;
    for (uint32_t s = 0; s < job->samples; s++) {
        VEC outside[PARTS] = {0};
        uint32_t mask = 0;
        for (uint32_t e = 0; e < job->edge_count; e++) {
            int32_t value = job->origin[e][s] + 4 * (job->a[e] * bx + job->b[e] * by);
            for (unsigned p = 0; p < PARTS; p++)
                outside[p] |= lane[e][p] + value;
        }
        for (unsigned p = 0; p < PARTS; p++)
            mask |= COVER_NEGATIVE(outside[p]) << p * COVER_WIDTH;
        mask = area & ~mask;
        lanes |= mask;
        samples |= (uint64_t)mask << 16 * s;
    }
    put_block(out, bx, by, lanes, samples);
    return lanes != 0;
}

COVER_TARGET static uint32_t COVER_NAME(cover)(const struct cover_job *job, struct raster_block *blocks)
{
    const VEC *lx = (const VEC *)lane_x, *ly = (const VEC *)lane_y, *columns = (const VEC *)block_x;
    VEC lane[4][PARTS], greatest[4][PARTS], least[4][PARTS];
    for (uint32_t e = 0; e < job->edge_count; e++)
        for (unsigned p = 0; p < PARTS; p++)
            lane[e][p] = lx[p] * job->a[e] + ly[p] * job->b[e];

    int32_t bx0 = job->x0 >> 2, by0 = job->y0 >> 2, bx1 = job->x1 >> 2, by1 = job->y1 >> 2;
    uint32_t count = 0;
    if ((bx1 - bx0 + 1) * (by1 - by0 + 1) <= FEW_BLOCKS) {
        for (int32_t by = by0; by <= by1; by++) {
            uint32_t row = row_lanes(job, by);
            for (int32_t bx = bx0; bx <= bx1; bx++)
                count += COVER_NAME(partial)(job, lane, bx, by, row & column_lanes(job, bx), &blocks[count]);
        }
        return count;
    }

    /* Greatest and least value of each edge in the blocks of a row, the samples taken together. */
    for (uint32_t e = 0; e < job->edge_count; e++) {
        int32_t a = job->a[e], b = job->b[e], first = 4 * b * by0;
        int32_t high = first + job->high[e] + 3 * (UTIL_MAX(a, 0) + UTIL_MAX(b, 0));
        int32_t low = first + job->low[e] + 3 * (UTIL_MIN(a, 0) + UTIL_MIN(b, 0));
        for (unsigned p = 0; p < PARTS; p++) {
            greatest[e][p] = columns[p] * (4 * a) + high;
            least[e][p] = columns[p] * (4 * a) + low;
        }
    }
    uint32_t in_area = (0xffffu >> (15 - bx1)) & (0xffffu << bx0);
    uint64_t every = job->samples == 1 ? 1 : 0x0001000100010001u;
    for (int32_t by = by0; by <= by1; by++) {
        uint32_t out = 0, split = 0, row = row_lanes(job, by);
        for (unsigned p = 0; p < PARTS; p++) {
            VEC outside = {0}, crossed = {0};
            for (uint32_t e = 0; e < job->edge_count; e++) {
                outside |= greatest[e][p];
                crossed |= least[e][p];
                greatest[e][p] += 4 * job->b[e];
                least[e][p] += 4 * job->b[e];
            }
            out |= COVER_NEGATIVE(outside) << p * COVER_WIDTH;
            split |= COVER_NEGATIVE(crossed) << p * COVER_WIDTH;
        }
        for (uint32_t touched = in_area & ~out; touched; touched &= touched - 1) {
            int32_t bx = __builtin_ctz(touched);
            uint32_t area = row & column_lanes(job, bx);
            if (split >> bx & 1)
                count += COVER_NAME(partial)(job, lane, bx, by, area, &blocks[count]);
            else
                put_block(&blocks[count++], bx, by, area, area * every);
        }
    }
    return count;
}

#undef PARTS
#undef VEC
#undef COVER_NAME
#undef COVER_TARGET
#undef COVER_WIDTH
#undef COVER_NEGATIVE
