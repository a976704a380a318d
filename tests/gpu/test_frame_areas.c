/* Tiles as areas: each tile that there is belongs to one, with its list; squares that nothing is drawn on go together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gpu/frame_internal.h"
#include "util/bits.h"

enum { COLUMNS = 70, ROWS = 9, TILES = COLUMNS * ROWS, SIDE = 4, WIDE = 32 };

static struct gpu_tile tiles[TILES];
static struct gpu_frame_run run;

/* All tiles in rows, none of which anything is drawn on. */
static void begin(void)
{
    for (uint32_t n = 0; n < TILES; n++)
        tiles[n] = (struct gpu_tile){.x = n % COLUMNS, .y = n / COLUMNS, .list = GPU_TILE_EMPTY};
    run = (struct gpu_frame_run){0};
}

static void draw(uint32_t x, uint32_t y, uint32_t list)
{
    tiles[y * COLUMNS + x].list = list;
}

static void make(void)
{
    struct gpu_frame frame = {.tiles = tiles, .tile_count = TILES, .run = &run};
    assert_true(gpu_frame_areas_make(&frame));
}

static void end(void)
{
    free(run.tile_at);
    free(run.areas);
    free(run.lists);
}

static void each_tile_is_of_one_area(void)
{
    static uint8_t seen[TILES];
    memset(seen, 0, sizeof seen);
    for (uint32_t n = 0; n < run.area_count; n++) {
        const struct gpu_frame_area *a = &run.areas[n];
        for (uint32_t y = a->y; y < a->y + (uint32_t)a->height; y++)
            for (uint32_t x = a->x; x < a->x + (uint32_t)a->width; x++) {
                assert_in_range(x, 0, COLUMNS - 1);
                assert_in_range(y, 0, ROWS - 1);
                assert_int_equal(tiles[y * COLUMNS + x].list, a->list);
                assert_int_equal(seen[y * COLUMNS + x]++, 0);
            }
    }
    for (uint32_t n = 0; n < TILES; n++)
        assert_int_equal(seen[n], 1);
}

/* Rows of squares in pieces of WIDE tiles; what is no whole square at the right and below is alone. */
static void empty_squares_go_together(void **state)
{
    begin();
    make();
    each_tile_is_of_one_area();
    const struct gpu_frame_area want[] = {{0, 0, WIDE, SIDE, GPU_TILE_EMPTY},
                                          {WIDE, 0, WIDE, SIDE, GPU_TILE_EMPTY},
                                          {2 * WIDE, 0, SIDE, SIDE, GPU_TILE_EMPTY},
                                          {2 * WIDE + SIDE, 0, 2, SIDE, GPU_TILE_EMPTY}};
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(want); n++)
        assert_memory_equal(&run.areas[n], &want[n], sizeof want[n]);
    end();
}

/* A tile with a list keeps the square that it is in apart, and the squares at its sides. */
static void what_is_drawn_on_stands_apart(void **state)
{
    begin();
    draw(9, 2, 5);
    make();
    each_tile_is_of_one_area();
    assert_int_equal(run.areas[0].width, 2 * SIDE);
    for (uint32_t n = 1; n < run.area_count; n++)
        assert_true(run.areas[n].y >= SIDE || run.areas[n].x >= 3 * SIDE || run.areas[n].width <= SIDE);
    end();
}

/* Of squares with one list none is joined to another: what is drawn has a tile buffer's size. */
static void lists_are_drawn_a_square_at_a_time(void **state)
{
    begin();
    for (uint32_t n = 0; n < TILES; n++)
        tiles[n].list = 7;
    make();
    each_tile_is_of_one_area();
    for (uint32_t n = 0; n < run.area_count; n++) {
        assert_in_range(run.areas[n].width, 1, SIDE);
        assert_in_range(run.areas[n].height, 1, SIDE);
    }
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(empty_squares_go_together),
                                       cmocka_unit_test(what_is_drawn_on_stands_apart),
                                       cmocka_unit_test(lists_are_drawn_a_square_at_a_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
