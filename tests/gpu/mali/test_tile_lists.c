/* Where tile lists stand in guest memory: at the polygon list of a framebuffer, in the words of a tiler's context
 * that are the GPU's own; what is taken for a header. */
#include "gpu/mali/device_internal.h"
#include "gpu/mali/tile_lists.h"
#include "tests/gpu/mali/guest.h"

enum { AT = 0x100000, HEAP = 0x200000, SIDE = 200, LISTS = 4 };

static const enum mali_version late[] = {MALI_V6, MALI_V7, MALI_V9};

static struct mali_frame frame_of(enum mali_version version)
{
    struct mali_frame f = {.several = {.width = SIDE, .height = SIDE + 1}};
    if (version <= MALI_V5) {
        f.single = (struct mali_sfb){.bound_max_x = SIDE - 1, .bound_max_y = SIDE};
        f.tiler = (struct mali_tiler){.polygon_list = AT, .heap_start = HEAP, .heap_end = HEAP + GPU_PAGE};
        return f;
    }
    f.context = (struct mali_tiler_context){
        .address = AT,
        .tiler = {.fb_width = SIDE, .fb_height = SIDE + 1},
        .heap = {.size = GPU_PAGE, .base = HEAP - 4, .bottom = HEAP, .top = HEAP + GPU_PAGE}};
    return f;
}

static void test_places(void **state)
{
    (void)state;
    for (enum mali_version v = MALI_V4; v < MALI_VERSION_COUNT; v++) {
        struct mali_frame f = frame_of(v);
        struct mali_lists_place p = mali_lists_of_frame(v, &f);
        assert_int_equal(p.header, v <= MALI_V5 ? AT : AT + 128);
        assert_true(p.heap_start == HEAP && p.heap_end == HEAP + GPU_PAGE);
        assert_true(p.width == SIDE && p.height == SIDE + 1);
    }
}

/* A frame without draws: a heap of nothing, no context. */
static void test_nothing(void **state)
{
    (void)state;
    for (enum mali_version v = MALI_V4; v < MALI_VERSION_COUNT; v++) {
        struct mali_frame f = frame_of(v);
        struct mali_lists_header h = {.mark = 1};
        struct mali_stop stop = {0};
        f.tiler.heap_end = f.tiler.heap_start;
        f.context = (struct mali_tiler_context){0};
        struct mali_lists_place p = mali_lists_of_frame(v, &f);
        assert_int_equal(p.header, 0);
        assert_true(mali_lists_header_read(NULL, &p, "test", &h, &stop) && !h.mark);
    }
}

/* What the GPU's own words begin with is the first that the descriptor's table has of them. */
static void test_state_words(void **state)
{
    (void)state;
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(late); n++) {
        uint32_t words[MALI_DESC_WORDS] = {0};
        struct mali_tiler_v6 t;
        uint32_t at = mali_frame_at(late[n], MALI_FRAME_STATE) / 4;
        words[at] = 7;
        words[at + sizeof(struct mali_lists_header) / 4 - 1] = 8;
        mali_desc_unpack(&mali_desc_tiler_v6, late[n], words, &t);
        assert_true(t.state_word_0 == 7 && t.state_word_7 == 8);
    }
}

static void test_headers(void **state)
{
    (void)state;
    static const struct {
        uint32_t words[6];
        bool drawn, good;
    } cases[] = {{{0, 9, 9, 9, 9, 1}, false, true},
                 {{MALI_LISTS_MARK, LISTS, LISTS}, true, true},
                 {{MALI_LISTS_MARK, LISTS - 1, LISTS}, true, false},
                 {{MALI_LISTS_MARK, LISTS, LISTS + 1}, true, false},
                 {{MALI_LISTS_MARK + 1, LISTS, LISTS}, true, false}};
    struct guest g;
    guest_create(&g, &(struct mali_options){.kind = MALI_G52});
    uint8_t *page = guest_map(&g, AT, GPU_PAGE, RIGHT_BOTH);
    guest_flush_as(&g, 0);
    struct mali_stop stop = {0};
    const struct gpu_space *space = mali_as_space(g.device, 0, &stop);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(cases) * UTIL_ARRAY_SIZE(late); n++) {
        enum mali_version version = late[n % UTIL_ARRAY_SIZE(late)];
        unsigned c = n / UTIL_ARRAY_SIZE(late);
        struct mali_frame f = frame_of(version);
        struct mali_lists_place p = mali_lists_of_frame(version, &f);
        struct mali_lists_header h;
        memcpy(page + 128, cases[c].words, sizeof cases[c].words);
        stop = (struct mali_stop){0};
        assert_int_equal(mali_lists_header_read(space, &p, "test", &h, &stop), cases[c].good);
        assert_int_equal(stop.exception, cases[c].good ? 0 : MALI_DATA_INVALID_FAULT);
        if (!cases[c].good)
            continue;
        assert_int_equal(!!h.mark, cases[c].drawn);
        if (!cases[c].drawn) /* what the memory had before says nothing */
            assert_memory_equal(&h, &(struct mali_lists_header){0}, sizeof h);
    }
    struct mali_lists_place nowhere = {.header = AT + GPU_PAGE - 16, .width = SIDE, .height = SIDE};
    struct mali_lists_header h;
    assert_false(mali_lists_header_read(space, &nowhere, "test", &h, &stop));
    assert_true(stop.page_fault);
    guest_destroy(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_places), cmocka_unit_test(test_nothing),
                                       cmocka_unit_test(test_state_words), cmocka_unit_test(test_headers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
