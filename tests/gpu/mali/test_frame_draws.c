/* Draws before and behind the lists of a frame: which tiles have them, in which order, what their triangles are; which
 * tiles they make ones to be stored. */
#include "gpu/mali/frame_draws.h"
#include "tests/gpu/mali/late.h"

enum { SIDE = 100, AREA = SIDE * SIDE / 2, DRAWS = 0x103000, LIST_AT = 64 };

/* A list of three items as the reader below tells them: a state and two triangles. */
static bool list_next(void *ctx, struct tiler_cursor *cursor, struct tiler_item *item,
                      struct gpu_tile_state *state, struct gpu_fault *fault)
{
    static const enum tiler_item_kind kinds[] = {TILER_ITEM_STATE, TILER_ITEM_TRIANGLE, TILER_ITEM_TRIANGLE,
                                                 TILER_ITEM_END};
    (void)ctx;
    (void)fault;
    assert_in_range(cursor->at, LIST_AT, LIST_AT + 3);
    *item = (struct tiler_item){.kind = kinds[cursor->at - LIST_AT]};
    if (item->kind == TILER_ITEM_STATE)
        state->state = 7;
    cursor->at++;
    return true;
}

static uint32_t list_resolve(void *ctx, uint32_t list)
{
    (void)ctx;
    return list;
}

static uint32_t list_triangles(void *ctx, struct tiler_cursor *cursor, uint32_t index[][3], uint32_t most)
{
    (void)ctx;
    (void)index;
    assert_in_range(cursor->at, LIST_AT, LIST_AT + 3);
    uint32_t count = cursor->at == LIST_AT + 1 ? UTIL_MIN(most, 2u) : 0;
    cursor->at += count;
    return count;
}

static const struct gpu_tile_reader stub = {
    .next = list_next, .resolve = list_resolve, .triangles = list_triangles};

static struct mali_fragment_job job_of(uint32_t first, uint32_t second, uint32_t post)
{
    return (struct mali_fragment_job){.frame.several = {.width = SIDE,
                                                        .height = SIDE / 2,
                                                        .pre_frame_0 = first,
                                                        .pre_frame_1 = second,
                                                        .post_frame = post,
                                                        .frame_shader_dcds = DRAWS}};
}

/* The states of a tile's items, a digit each: 0 to 2 draws, 7 the list's; of draws each has two triangles. */
static uint32_t order_of(const struct mali_frame_draws *draws, enum mali_version version,
                         const struct mali_fragment_job *job, uint32_t list, bool by_sixteens)
{
    const struct gpu_tile_reader reader = mali_frame_draws_reader(draws);
    struct tiler_cursor cursor = tiler_list_begin(reader.resolve(reader.ctx, list));
    struct gpu_tile_state state = {0};
    uint32_t order = 0, triangles = 2, index[16][3];
    for (;;) {
        struct tiler_item item;
        struct gpu_fault fault;
        if (by_sixteens)
            triangles += reader.triangles(reader.ctx, &cursor, index, 16);
        assert_true(reader.next(reader.ctx, &cursor, &item, &state, &fault));
        if (item.kind == TILER_ITEM_TRIANGLE) {
            triangles++;
            continue;
        }
        assert_int_equal(triangles, 2);
        triangles = 0;
        if (item.kind == TILER_ITEM_END)
            return order;
        enum mali_frame_draw n = mali_frame_draws_find(version, job, state.state);
        order = order * 10 + (n < MALI_FRAME_DRAWS ? n : state.state);
    }
}

static void test_order(void **state)
{
    (void)state;
    enum { NEVER, ALWAYS, INTERSECT, EARLY };
    static const struct {
        uint32_t modes[3], drawn, alone;
    } cases[] = {
        {{ALWAYS, NEVER, NEVER}, 7, 0},          {{INTERSECT, NEVER, NEVER}, 7, 0},
        {{NEVER, ALWAYS, NEVER}, 17, 1},         {{NEVER, NEVER, ALWAYS}, 72, 2},
        {{NEVER, NEVER, INTERSECT}, 72, 0},      {{INTERSECT, EARLY, ALWAYS}, 172, 12},
        {{EARLY, INTERSECT, INTERSECT}, 172, 0}, {{NEVER, INTERSECT, NEVER}, 17, 0},
    };
    static const enum mali_version versions[] = {MALI_V6, MALI_V7, MALI_V9};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(cases) * UTIL_ARRAY_SIZE(versions); n++) {
        const unsigned c = n / UTIL_ARRAY_SIZE(versions);
        const enum mali_version version = versions[n % UTIL_ARRAY_SIZE(versions)];
        const struct mali_fragment_job job = job_of(cases[c].modes[0], cases[c].modes[1], cases[c].modes[2]);
        struct mali_frame_draws draws;
        mali_frame_draws_init(&draws, version, &job, 1, &stub);
        assert_true(mali_frame_draws_any(&draws));
        for (unsigned by = 0; by < 2; by++)
            assert_int_equal(order_of(&draws, version, &job, LIST_AT, by), cases[c].drawn);
        bool always = false;
        for (unsigned d = 0; d < 3; d++)
            always |= cases[c].modes[d] == ALWAYS || cases[c].modes[d] == EARLY;
        assert_int_equal(mali_frame_draws_alone(&draws), always ? MALI_TILE_ALONE : GPU_TILE_EMPTY);
        if (always)
            for (unsigned by = 0; by < 2; by++)
                assert_int_equal(order_of(&draws, version, &job, MALI_TILE_ALONE, by), cases[c].alone);
    }
}

/* Two triangles that turn alike and are the frame, vertex by vertex its corners. */
static void test_corners(void **state)
{
    (void)state;
    const struct mali_fragment_job job = job_of(1, 0, 0);
    struct mali_frame_draws draws;
    mali_frame_draws_init(&draws, MALI_V7, &job, 5, &stub);
    const struct gpu_tile_reader reader = mali_frame_draws_reader(&draws);
    struct tiler_cursor cursor = tiler_list_begin(MALI_TILE_ALONE);
    struct gpu_tile_state of = {0};
    struct gpu_fault fault;
    float area = 0;
    for (unsigned n = 0; n < 3; n++) {
        struct tiler_item item;
        assert_true(reader.next(reader.ctx, &cursor, &item, &of, &fault));
        if (!n) {
            assert_true(item.kind == TILER_ITEM_STATE && of.state == DRAWS && of.draw == 5);
            assert_true(of.clip.x0 == 0 && of.clip.x1 == SIDE && of.clip.y1 == SIDE / 2);
            continue;
        }
        assert_true(item.kind == TILER_ITEM_TRIANGLE && item.clipped);
        const struct tiler_clipped_vertex *v = item.vertex;
        for (unsigned k = 0; k < 3; k++) {
            assert_true(v[k].x == (item.index[k] & 1 ? SIDE : 0));
            assert_true(v[k].y == (item.index[k] & 2 ? SIDE / 2 : 0));
            assert_true(v[k].inv_w == 1 && v[k].weight[k] == 1);
        }
        const float twice = (v[1].x - v[0].x) * (v[2].y - v[0].y) - (v[2].x - v[0].x) * (v[1].y - v[0].y);
        assert_true(twice == AREA);
        area += twice / 2;
    }
    assert_true(area == AREA);
}

static void test_scissor(void **state)
{
    (void)state;
    struct mali_fragment_job job = job_of(1, 0, 1);
    job.whole[0].bindings.has_viewport = true;
    job.whole[0].bindings.viewport = (struct mali_viewport){
        .scissor_minimum_x = 32, .scissor_minimum_y = 16, .scissor_maximum_x = 63, .scissor_maximum_y = 9999};
    job.whole[0].draw.clean_fragment_write = true;
    job.whole[2].draw.clean_fragment_write = true;
    struct mali_frame_draws draws;
    mali_frame_draws_init(&draws, MALI_V6, &job, 1, &stub);
    const struct raster_rect *c = &draws.state[0].clip;
    assert_true(c->x0 == 32 && c->x1 == 64 && c->y0 == 16 && c->y1 == SIDE / 2);
    assert_false(draws.dirties);
    job.whole[2].draw.clean_fragment_write = false;
    mali_frame_draws_init(&draws, MALI_V6, &job, 1, &stub);
    assert_true(draws.dirties);
}

/* v4 and v5 have none, whatever words a frame has. */
static void test_earlier(void **state)
{
    (void)state;
    const struct mali_fragment_job job = job_of(1, 1, 1);
    struct mali_frame_draws draws;
    mali_frame_draws_init(&draws, MALI_V5, &job, 1, &stub);
    assert_false(mali_frame_draws_any(&draws));
    assert_int_equal(mali_frame_draws_alone(&draws), GPU_TILE_EMPTY);
    assert_int_equal(mali_frame_draws_find(MALI_V5, &job, DRAWS), MALI_FRAME_DRAWS);
}

/* A draw without a program leaves the colour as it was cleared; tiles are stored where it is drawn without a list. */
static void test_frames(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 4 * LATE_KINDS; n++) {
        struct late l;
        late_begin(&l, late_kinds[n / 4], SIDE, SIDE, 1, false);
        const uint32_t mode = n % 4;
        const bool drawn = mode == MALI_PRE_POST_FRAME_SHADER_MODE_ALWAYS ||
                           mode == MALI_PRE_POST_FRAME_SHADER_MODE_EARLY_ZS_ALWAYS;
        late_target(&l, 0, "clear color 0", 0x11111111);
        late_target(&l, 0, "clean pixel write enable", 0);
        late_set(&l, "frame shader DCDs", LATE_DRAWS);
        late_set(&l, "pre frame 0", mode);
        if (l.version < MALI_V9) {
            pack_set(late_at(&l, LATE_DRAWS), &mali_desc_draw, l.version, "state", LATE_DRAWS + 0x400);
            pack_set(late_at(&l, LATE_DRAWS), &mali_desc_draw, l.version, "thread storage",
                     LATE_DRAWS + 0x800);
        }
        late_run(&l);
        assert_int_equal(util_load32(l.data), drawn ? 0x11111111 : 0);
        late_end(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_corners),
                                       cmocka_unit_test(test_scissor), cmocka_unit_test(test_earlier),
                                       cmocka_unit_test(test_frames)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
