/* Blocks of a cover_job, for one instruction set. cover.c includes this once a level, with
 *   COVER_NAME(x)      the level's name of function x
 *   COVER_TARGET       the function attribute
 *   COVER_NEGATIVE(v)  the sign bits of the variable v, a v16, as a uint32_t
 * A v16 holds the lanes of a block, or the blocks of a row of the tile. The sign of an OR is the OR of the
 * signs: a position is outside when any edge's value is negative. */

/* Tests block (bx, by) lane by lane and appends it when anything is inside. */
COVER_TARGET static inline uint32_t COVER_NAME(partial)(const struct cover_job *job, const v16 *lane,
                                                        int32_t bx, int32_t by, struct raster_block *out)
{
    uint32_t mask[RASTER_MAX_SAMPLES] = {0}, area = area_lanes(job, bx, by);
    for (uint32_t s = 0; s < job->samples; s++) {
        v16 outside = {0};
        for (uint32_t e = 0; e < job->edge_count; e++)
            outside |= lane[e] + (job->origin[e][s] + 4 * (job->a[e] * bx + job->b[e] * by));
        mask[s] = area & ~COVER_NEGATIVE(outside);
    }
    return put_block(out, bx, by, mask);
}

COVER_TARGET static uint32_t COVER_NAME(cover)(const struct cover_job *job, struct raster_block *blocks)
{
    v16 lane[4], greatest[4], least[4];
    for (uint32_t e = 0; e < job->edge_count; e++)
        lane[e] = lane_x * job->a[e] + lane_y * job->b[e];

    int32_t bx0 = job->x0 >> 2, by0 = job->y0 >> 2, bx1 = job->x1 >> 2, by1 = job->y1 >> 2;
    uint32_t count = 0;
    if ((bx1 - bx0 + 1) * (by1 - by0 + 1) <= FEW_BLOCKS) {
        for (int32_t by = by0; by <= by1; by++)
            for (int32_t bx = bx0; bx <= bx1; bx++)
                count += COVER_NAME(partial)(job, lane, bx, by, &blocks[count]);
        return count;
    }

    /* Greatest and least value of each edge in the blocks of a row, the samples taken together. */
    for (uint32_t e = 0; e < job->edge_count; e++) {
        int32_t a = job->a[e], b = job->b[e];
        v16 corner = block_x * (4 * a) + 4 * b * by0;
        greatest[e] = corner + (job->high[e] + 3 * (UTIL_MAX(a, 0) + UTIL_MAX(b, 0)));
        least[e] = corner + (job->low[e] + 3 * (UTIL_MIN(a, 0) + UTIL_MIN(b, 0)));
    }
    uint32_t columns = (0xffffu >> (15 - bx1)) & (0xffffu << bx0);
    for (int32_t by = by0; by <= by1; by++) {
        v16 outside = {0}, split = {0};
        for (uint32_t e = 0; e < job->edge_count; e++) {
            outside |= greatest[e];
            split |= least[e];
            greatest[e] += 4 * job->b[e];
            least[e] += 4 * job->b[e];
        }
        uint32_t touched = columns & ~COVER_NEGATIVE(outside), partial = COVER_NEGATIVE(split);
        for (; touched; touched &= touched - 1) {
            int32_t bx = __builtin_ctz(touched);
            count += partial >> bx & 1 ? COVER_NAME(partial)(job, lane, bx, by, &blocks[count])
                                       : put_whole(job, &blocks[count], bx, by);
        }
    }
    return count;
}
