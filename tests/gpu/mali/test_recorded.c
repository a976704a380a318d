/* Submissions of the stock panfrost driver: descriptors as the tables read them against what the driver's own
 * listing of the same runs says (Mesa's pandecode), and what the device does with them. */
#include "tests/gpu/mali/scene.h"

#include "gpu/mali/device_internal.h"

static const struct {
    const char *folder;
    enum mali_kind kind;
} scenes[] = {
    {"t720/clear", MALI_T720},    {"t720/triangle", MALI_T720}, {"t720/cube", MALI_T720},
    {"t760/triangle", MALI_T760}, {"t860/clear", MALI_T860},    {"t860/triangle", MALI_T860},
    {"t860/cube", MALI_T860},
};
enum { SCENES = UTIL_ARRAY_SIZE(scenes) };

static struct util_arena *arena;

struct walk {
    struct scene scene;
    struct mali_reader reader;
    uint64_t at; /* of the job at hand */
    struct mali_job_header header;
    union mali_payload payload;
};

static void begin(struct walk *w, const char *folder, enum mali_kind kind)
{
    struct mali_stop stop = {0};
    scene_load(&w->scene, folder, &(struct mali_options){.kind = kind});
    struct mali_device *device = w->scene.guest.device;
    w->reader = (struct mali_reader){mali_as_space(device, 0, &stop), device->version, "test", NULL};
    assert_non_null(w->reader.space);
}

static void read_job(struct walk *w, uint64_t at)
{
    struct mali_stop stop = {0};
    w->at = at;
    if (!mali_desc_read(&w->reader, &mali_desc_job_header, at, &w->header, &stop) ||
        !mali_payload_read(&w->reader, at, &w->header, arena, &w->payload, &stop))
        fail_msg("job at 0x%llx: %s", (unsigned long long)at, stop.fault.text);
}

/* Of a scene that draws: a value, vertices, primitives; then the frame. */
static void test_chains(void **state)
{
    static const uint32_t types[] = {MALI_JOB_TYPE_WRITE_VALUE, MALI_JOB_TYPE_VERTEX, MALI_JOB_TYPE_TILER};
    static const uint32_t index[] = {2, 1, 3};
    for (unsigned n = 0; n < SCENES; n++) {
        struct walk w;
        begin(&w, scenes[n].folder, scenes[n].kind);
        uint64_t at = w.scene.chain[1];
        for (unsigned job = 0; at && job < 3; job++, at = w.header.next) {
            read_job(&w, at);
            assert_int_equal(w.header.type, types[job]);
            assert_int_equal(w.header.index, index[job]);
            assert_int_equal(w.header.dependency_1, job == 2 ? 1 : 0); /* tiling on the vertices */
            assert_int_equal(w.header.dependency_2, job == 2 ? 2 : 0); /* and on the value */
        }
        assert_int_equal(at, 0);
        read_job(&w, w.scene.chain[0]);
        assert_int_equal(w.header.type, MALI_JOB_TYPE_FRAGMENT);
        assert_int_equal(w.header.next, 0);
        guest_destroy(&w.scene.guest);
    }
}

static void test_frames(void **state)
{
    for (unsigned n = 0; n < SCENES; n++) {
        struct walk w;
        begin(&w, scenes[n].folder, scenes[n].kind);
        read_job(&w, w.scene.chain[0]);
        const struct mali_fragment_job *p = &w.payload.fragment;
        assert_int_equal(p->bounds.bound_max_x, 15);
        assert_int_equal(p->bounds.bound_max_y, 15);
        assert_int_equal(p->frame.target_count, 1);
        if (scenes[n].kind == MALI_T720) {
            const struct mali_sfb *f = &p->frame.single;
            assert_int_equal(f->bound_max_x, 255);
            assert_int_equal(f->color_writeback_base, 0x2014000);
            assert_int_equal(f->color_writeback_row_stride, 256 * 4 * (f->color_block_format == 2 ? 1 : 16));
            assert_int_equal(f->color_writeback_format, MALI_COLOR_FORMAT_R8G8B8A8);
            assert_int_equal(f->internal_format, MALI_COLOR_BUFFER_INTERNAL_FORMAT_R8G8B8A8);
            assert_true(f->color_write_enable);
        } else {
            const struct mali_mfb *f = &p->frame.several;
            const struct mali_target *t = &p->frame.target[0];
            assert_int_equal(f->width, 256);
            assert_int_equal(f->height, 256);
            assert_int_equal(f->effective_tile_size, 256);
            assert_int_equal(f->color_buffer_allocation, 1024);
            assert_int_equal(f->sample_count, 1);
            assert_true(f->z_clear == 1 && p->frame.has_zs_crc);
            assert_int_equal(t->writeback_base, 0x2014000);
            assert_int_equal(t->writeback_format, MALI_COLOR_FORMAT_R8G8B8A8);
            assert_int_equal(t->swizzle, 1672);
            assert_int_equal(t->clear_color_0, t->clear_color_3);
        }
        guest_destroy(&w.scene.guest);
    }
}

static void expect_vertices(const struct mali_compute_job *p, uint32_t vertices, uint32_t stride)
{
    const struct mali_bindings *b = &p->bindings;
    uint64_t size[3], groups[3];
    mali_invocation_sizes(&p->invocation, size, groups);
    assert_int_equal(size[0] * size[1] * size[2] * groups[0] * groups[2], 1);
    assert_int_equal(groups[1], vertices);
    assert_int_equal(b->state.attribute_count, 2);
    assert_int_equal(b->attribute_buffer_count, 1);
    assert_int_equal(b->attribute_buffer[0].kind, MALI_ARRAY_1D);
    assert_int_equal(b->attribute_buffer[0].stride, stride);
    assert_int_equal(b->varying_buffer_count, 2);
    assert_int_equal(b->varying_buffer[1].stride, 16);
    assert_int_equal(b->varying_buffer[1].size, 16 * vertices);
    assert_int_equal(b->state.uniform_buffer_count, 2);
    assert_int_equal(b->state.shader & 15, 5); /* the tag of the program's first word: load and store */
    assert_int_equal(p->draw.offset_start, 0);
    assert_int_equal(mali_array_element(&b->attribute_buffer[0], 17), 17);
}

static void test_draws(void **state)
{
    for (unsigned n = 0; n < SCENES; n++) {
        struct walk w;
        bool cube = strstr(scenes[n].folder, "cube");
        begin(&w, scenes[n].folder, scenes[n].kind);
        if (w.scene.chain[1]) {
            read_job(&w, w.scene.chain[1]);
            assert_int_equal(w.payload.write_value.type, MALI_WRITE_VALUE_TYPE_ZERO);
            read_job(&w, w.header.next);
            expect_vertices(&w.payload.compute, cube ? 24 : 3, cube ? 20 : 32);
            uint64_t position = w.payload.compute.bindings.varying_buffer[1].pointer;
            read_job(&w, w.header.next);
            const struct mali_tiler_job *p = &w.payload.tiler;
            const struct mali_bindings *b = &p->bindings;
            assert_int_equal(p->primitive.draw_mode, MALI_DRAW_MODE_TRIANGLES);
            assert_int_equal(p->primitive.index_count, cube ? 36 : 3);
            assert_int_equal(p->primitive.index_type, cube ? MALI_INDEX_TYPE_UINT16 : MALI_INDEX_TYPE_NONE);
            assert_int_equal(p->draw.position, position);
            assert_true(p->size.constant == 1);
            assert_int_equal(b->viewport.scissor_maximum_x, 255);
            assert_int_equal(b->blend_count, scenes[n].kind == MALI_T720 ? 0 : 1);
            assert_int_equal(b->state.texture_count, cube);
            assert_int_equal(b->state.sampler_count, cube);
            if (cube) {
                const struct mali_view *view = &b->texture[0];
                assert_true(!view->refused && !b->sampler[0].refused && !b->varying_buffer[0].refused);
                assert_int_equal(view->texture.width, 64);
                assert_int_equal(view->texture.levels, 7);
                assert_int_equal(view->texture.format, MALI_FORMAT_RGBA8_UNORM);
                assert_int_equal(view->texture.dimension, MALI_TEXTURE_DIMENSION_2D);
                assert_int_equal(view->surface_count, 7);
                assert_true(view->surface[6].pointer > view->surface[0].pointer);
                assert_ptr_equal(mali_view_surface(view, 0, 3, 0, 0), &view->surface[3]);
                assert_int_equal(b->sampler[0].sampler.wrap_mode_s, MALI_WRAP_MODE_REPEAT);
            }
        }
        guest_destroy(&w.scene.guest);
    }
}

static int setup(void **state)
{
    return util_arena_create(&arena);
}

static int teardown(void **state)
{
    util_arena_destroy(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_draws),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
