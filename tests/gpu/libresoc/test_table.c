/* Tables of tiles (gpu/libresoc/frag_table.h) beside the inline functions of raster/ for one lane of a block. */
#include "gpu/libresoc/frag_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "raster/depth.h"
#include "util/bits.h"
#include "isa/random.h"

enum { VARYINGS = 5 };

/* From -scale to scale. */
static float some(struct isa_random *random, float scale)
{
    return ((float)(isa_random_next(random) >> 40) * 0x1p-23f - 1.0f) * scale;
}

static struct raster_prim some_prim(struct isa_random *random)
{
    struct raster_prim prim = {.x0 = some(random, 900), .y0 = some(random, 900)};
    const float z[3] = {some(random, 1), some(random, 1), some(random, 1)};
    const float steep =
        isa_random_one_in(random, 4) ? 50.0f : 0.01f; /* of a steep one depth.shift is not 0 */
    const double slope[2] = {(double)some(random, steep), (double)some(random, steep)};
    prim.depth =
        raster_depth_through(slope, slope, z, NULL, (int32_t)some(random, 9000), (int32_t)some(random, 9000));
    prim.inv_w_a = some(random, 0.001f);
    prim.inv_w_b = some(random, 0.001f);
    prim.inv_w_c = some(random, 2);
    for (unsigned k = 0; k < VARYINGS; k++) {
        prim.vary_a[k] = some(random, 0.1f);
        prim.vary_b[k] = some(random, 0.1f);
        prim.vary_c[k] = some(random, 1);
    }
    return prim;
}

static void check_lane(const struct raster_prim *prim, int32_t px, int32_t py, unsigned lane, unsigned bit,
                       const libresoc_stream *in)
{
    const float w = raster_w_at(prim, px, py, lane);
    const float over = raster_plane_at(prim, px, py, lane, prim->inv_w_a, prim->inv_w_b) + prim->inv_w_c;
    assert_int_equal(in[0][bit], util_f2u((float)(px + (int32_t)raster_lane_x(lane)) + 0.5f));
    assert_int_equal(in[1][bit], util_f2u((float)(py + (int32_t)raster_lane_y(lane)) + 0.5f));
    assert_int_equal(in[2][bit], util_f2u(raster_depth_z_at(prim, px, py, lane)));
    assert_int_equal(in[3][bit], util_f2u(over));
    for (unsigned k = 0; k < VARYINGS; k++) {
        const float vary = raster_vary_at(prim, px, py, lane, k) * w;
        assert_int_equal(in[4 + k][bit], util_f2u(vary + prim->vary_c[k]));
    }
}

static void test_what_programs_read_is_what_a_lane_has(void **state)
{
    struct isa_random random = {1};
    for (unsigned round = 0; round < 20000; round++) {
        const struct raster_prim prim = some_prim(&random);
        const int32_t x = (int32_t)(isa_random_next(&random) % 4096) & ~7,
                      y = (int32_t)(isa_random_next(&random) % 4096) & ~7;
        libresoc_stream in[4 + VARYINGS];
        /* Each level that the host has. */
        libresoc_table_fill((enum raster_cover_level)(round % (raster_cover_level() + 1u)), &prim, x, y,
                            VARYINGS, in);
        for (unsigned n = 0; n < LIBRESOC_QUAD; n++)
            for (unsigned lane = 0; lane < 16; lane++)
                check_lane(&prim, x + (int32_t)(n % 2 * 4), y + (int32_t)(n / 2 * 4), lane,
                           libresoc_bit(n, lane), (const libresoc_stream *)in);
    }
}

static void test_colours_of_the_mask_are_stored_and_no_others(void **state)
{
    static struct raster_tile tile = {.width = 64, .height = 64, .samples = 1}, before;
    struct isa_random random = {2};
    for (unsigned n = 0; n < RASTER_TILE_WORDS; n++)
        tile.color[n] = (uint32_t)isa_random_next(&random);
    for (unsigned round = 0; round < 1000; round++) {
        const uint32_t x = (uint32_t)(isa_random_next(&random) % 8 * 8),
                       y = (uint32_t)(isa_random_next(&random) % 8 * 8);
        const uint64_t mask = isa_random_next(&random);
        libresoc_stream rows;
        uint32_t expected[64 * 64];
        libresoc_table_load(&tile, x, y, rows);
        before = tile;
        for (unsigned n = 0; n < LIBRESOC_LANES; n++) {
            assert_int_equal(rows[n], tile.color[raster_pixel_index(&tile, x + n % 8, y + n / 8, 0)]);
            rows[n] = (uint32_t)isa_random_next(&random);
        }
        memcpy(expected, before.color, sizeof expected);
        for (unsigned n = 0; n < LIBRESOC_LANES; n++)
            if (mask >> n & 1)
                expected[raster_pixel_index(&tile, x + n % 8, y + n / 8, 0)] = rows[n];
        libresoc_table_store(&tile, x, y, rows, mask);
        assert_memory_equal(tile.color, expected, sizeof expected);
    }
}

static void test_masks_are_the_lanes_of_blocks(void **state)
{
    for (unsigned n = 0; n < LIBRESOC_QUAD; n++)
        for (unsigned lane = 0; lane < 16; lane++) {
            uint16_t lanes[LIBRESOC_QUAD] = {0};
            const uint64_t bit = 1ull << libresoc_bit(n, lane);
            lanes[n] = (uint16_t)(1u << lane);
            assert_true(libresoc_table_mask(lanes) == bit);
            for (unsigned m = 0; m < LIBRESOC_QUAD; m++)
                assert_int_equal(libresoc_table_lanes(bit, m), lanes[m]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_programs_read_is_what_a_lane_has),
        cmocka_unit_test(test_colours_of_the_mask_are_stored_and_no_others),
        cmocka_unit_test(test_masks_are_the_lanes_of_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
