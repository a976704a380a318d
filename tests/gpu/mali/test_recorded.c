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

/* Since Bifrost. */
static const struct {
    const char *folder;
    enum mali_kind kind;
    uint32_t type; /* of the job that draws */
} later[] = {
    {"g52/clear", MALI_G52, 0},
    {"g52/triangle", MALI_G52, MALI_JOB_TYPE_INDEXED_VERTEX},
    {"g52/cube", MALI_G52, MALI_JOB_TYPE_INDEXED_VERTEX},
    {"g57/clear", MALI_G57, 0},
    {"g57/triangle", MALI_G57, MALI_JOB_TYPE_MALLOC_VERTEX},
    {"g57/cube", MALI_G57, MALI_JOB_TYPE_MALLOC_VERTEX},
};

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
    const bool read = mali_desc_read(&w->reader, &mali_desc_job_header, at, &w->header, &stop);
    mali_job_header_settle(w->reader.version, &w->header);
    if (!read || !mali_payload_read(&w->reader, at, &w->header, arena, &w->payload, &stop))
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

/* ---- Bifrost and Valhall ---- */

static void expect_context(const struct mali_tiler_context *c)
{
    assert_int_equal(c->tiler.fb_width, 256);
    assert_int_equal(c->tiler.fb_height, 256);
    assert_int_equal(c->tiler.hierarchy_mask, 0xff);
    assert_int_equal(c->heap.size, 128 << 20);
    assert_int_equal(c->heap.base, 0x2200000);
    assert_int_equal(c->heap.top, 0xa200000);
}

static void expect_texture(const struct mali_view *view, const struct mali_sampler *sampler)
{
    assert_int_equal(view->texture.width, 64);
    assert_int_equal(view->texture.height, 64);
    assert_int_equal(view->texture.levels, 7);
    assert_int_equal(view->texture.format, MALI_FORMAT_RGBA8_UNORM);
    assert_int_equal(view->texture.dimension, MALI_TEXTURE_DIMENSION_2D);
    assert_int_equal(view->surface_count, 7);
    assert_int_equal(view->surface[0].row_stride, 64 * 4 * 16);
    assert_true(view->surface[6].pointer > view->surface[0].pointer);
    assert_ptr_equal(mali_view_surface(view, 0, 3, 0, 0), &view->surface[3]);
    assert_int_equal(sampler->wrap_mode_s, MALI_WRAP_MODE_REPEAT);
}

/* What draws of all versions say in the same structures. */
static void expect_primitives(const struct mali_tiler_job *p, bool cube)
{
    const struct mali_bindings *b = &p->bindings;
    expect_context(&p->context);
    assert_int_equal(p->primitive.draw_mode, MALI_DRAW_MODE_TRIANGLES);
    assert_int_equal(p->primitive.index_count, cube ? 36 : 3);
    assert_int_equal(p->primitive.index_type, cube ? MALI_INDEX_TYPE_UINT16 : MALI_INDEX_TYPE_NONE);
    assert_int_equal(!p->primitive.indices, !cube);
    assert_true(p->primitive.secondary_shader);
    assert_true(p->size.constant == 1);
    assert_true(b->state.shader);
    assert_int_equal(b->state.depth_function, cube ? MALI_FUNC_LESS : MALI_FUNC_ALWAYS);
    assert_int_equal(b->state.depth_write_mask, cube);
    assert_int_equal(b->state.sample_mask, 0xffff);
    assert_true(b->state.fixed_function_near_discard && b->state.fixed_function_far_discard);
    assert_true(b->has_viewport && b->viewport.maximum_z == 1);
    assert_int_equal(b->viewport.scissor_maximum_x, 255);
    assert_int_equal(b->viewport.scissor_maximum_y, 255);
    assert_int_equal(b->blend_count, 1);
    assert_int_equal(b->blend[0].mode, MALI_BLEND_MODE_OPAQUE);
    assert_int_equal(b->blend[0].color_mask, 0xf);
}

static void expect_g52(const struct mali_vertex_job *p, bool cube)
{
    const struct mali_bindings *b = &p->tiler.bindings, *v = &p->vertex;
    uint64_t size[3], groups[3];
    mali_invocation_sizes(&p->tiler.invocation, size, groups);
    assert_int_equal(groups[1], cube ? 24 : 3);
    assert_int_equal(b->state.texture_count, cube);
    if (cube)
        expect_texture(&b->texture[0], &b->sampler[0].sampler);
    assert_int_equal(v->state.attribute_count, 2);
    assert_int_equal(v->attribute_buffer[0].stride, cube ? 20 : 32);
    assert_int_equal(v->varying_buffer[1].pointer, p->tiler.draw.position);
    assert_int_equal(v->attribute[1].attribute.offset, cube ? 12 : 16);
    assert_true(v->state.secondary_shader > v->state.shader);
}

static void expect_g57(const struct mali_vertex_job *p, bool cube)
{
    enum { BUFFERS, ATTRIBUTES, ATTRIBUTE_BUFFERS, SAMPLERS, TEXTURES };
    const struct mali_bindings *b = &p->tiler.bindings, *v = &p->vertex;
    assert_int_equal(p->instances, 1);
    assert_int_equal(p->layout.vertex_packet_stride, 32);
    assert_int_equal(b->environment.table_count, 12);
    assert_int_equal(b->table_count, cube ? TEXTURES + 1 : SAMPLERS + 1); /* the last that has any */
    assert_int_equal(b->own.render_target_mask, 1);
    assert_true(b->own.vertex_array_packet && b->depth_stencil.depth_cull_enable);
    if (cube) {
        assert_int_equal(b->table[TEXTURES].count, 1);
        const struct mali_resource_of *texture = &b->table[TEXTURES].entry[0];
        assert_int_equal(texture->type, MALI_DESCRIPTOR_TYPE_TEXTURE);
        assert_non_null(texture->view->plane);
        expect_texture(texture->view, &b->table[SAMPLERS].entry[0].sampler);
    }
    assert_int_equal(v->table[ATTRIBUTES].count, 2);
    assert_int_equal(v->table[ATTRIBUTES].entry[1].attribute.table, ATTRIBUTE_BUFFERS);
    assert_int_equal(v->table[ATTRIBUTES].entry[1].attribute.stride, cube ? 20 : 32);
    assert_int_equal(v->table[ATTRIBUTES].entry[1].attribute.offset, cube ? 12 : 16);
    assert_int_equal(v->table[ATTRIBUTE_BUFFERS].entry[0].type, MALI_DESCRIPTOR_TYPE_BUFFER);
    assert_int_equal(v->table[BUFFERS].count, 2);
    assert_true(v->environment.fau && v->environment.fau_count >= 5);
    assert_int_equal(v->program.stage, MALI_SHADER_STAGE_VERTEX);
    assert_int_equal(v->state.shader, v->program.binary);
    assert_int_equal(p->varying.program.stage, MALI_SHADER_STAGE_VERTEX);
    assert_true(p->varying.state.shader != v->state.shader);
}

static void expect_frame(const struct mali_fragment_job *p, bool draws)
{
    const struct mali_mfb *f = &p->frame.several;
    const struct mali_target *t = &p->frame.target[0];
    assert_int_equal(p->bounds.bound_max_x, 15);
    assert_int_equal(p->frame.target_count, 1);
    assert_true(p->frame.has_zs_crc);
    assert_int_equal(f->width, 256);
    assert_int_equal(f->height, 256);
    assert_int_equal(f->effective_tile_size, 256);
    assert_int_equal(t->writeback_format, MALI_COLOR_FORMAT_R8G8B8A8);
    assert_int_equal(t->writeback_block_format, MALI_BLOCK_FORMAT_V7_TILED_U_INTERLEAVED);
    assert_int_equal(t->writeback_row_stride, 256 * 4 * 16);
    for (enum mali_frame_draw n = 0; n < MALI_FRAME_DRAWS; n++)
        assert_int_equal(mali_frame_draw_mode(f, n), MALI_PRE_POST_FRAME_SHADER_MODE_NEVER);
    if (draws)
        expect_context(&p->frame.context);
}

static void test_later(void **state)
{
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(later); n++) {
        struct walk w;
        const bool cube = strstr(later[n].folder, "cube");
        begin(&w, later[n].folder, later[n].kind);
        if (later[n].type) {
            read_job(&w, w.scene.chain[1]);
            assert_int_equal(w.header.type, later[n].type);
            expect_primitives(&w.payload.tiler, cube);
            if (later[n].kind == MALI_G52)
                expect_g52(&w.payload.vertex, cube);
            else
                expect_g57(&w.payload.vertex, cube);
            assert_int_equal(w.header.next, 0);
        }
        read_job(&w, w.scene.chain[0]);
        assert_int_equal(w.header.type, MALI_JOB_TYPE_FRAGMENT);
        expect_frame(&w.payload.fragment, later[n].type);
        guest_destroy(&w.scene.guest);
    }
}

/* What observers hear of a draw's shadings. */
struct heard {
    uint32_t shadings, draws, positions, varyings;
    uint64_t vertices;
};

static void hear_shade(void *data, const struct gpu_observed_shading *shading, bool done)
{
    struct heard *h = data;
    h->shadings += done;
    h->vertices += done ? shading->vertices : 0;
}

static void hear_bin(void *data, const struct gpu_observed_bin *draw,
                     const struct gpu_observed_binning *before)
{
    struct heard *h = data;
    (void)before;
    h->draws++;
    h->positions = draw->shading;
    h->varyings = draw->varying_shading;
}

/* Jobs that shade their vertices say so of their draws: positions, and varyings by a program of their own. */
static void test_later_shadings(void **state)
{
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(later); n++) {
        struct heard heard = {0};
        const struct gpu_observer observer = {.data = &heard, .shade = hear_shade, .bin = hear_bin};
        struct scene s;
        if (!later[n].type)
            continue;
        scene_load(&s, later[n].folder,
                   &(struct mali_options){.kind = later[n].kind, .gpu.observer = &observer});
        assert_int_equal(guest_run(&s.guest, 1, s.chain[1]), 2);
        assert_int_equal(heard.draws, 1);
        assert_int_equal(heard.shadings, 2);
        assert_int_equal(heard.positions, 1);
        assert_int_equal(heard.varyings, 2);
        assert_int_equal(heard.vertices, strstr(later[n].folder, "cube") ? 24 : 3);
        guest_destroy(&s.guest);
    }
}

/* Jobs that shade their vertices put them into lists, which the frame's fragments are to find. */
static void test_later_chains(void **state)
{
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(later); n++) {
        struct walk w;
        begin(&w, later[n].folder, later[n].kind);
        struct guest *g = &w.scene.guest;
        if (later[n].type) {
            assert_int_equal(guest_run(g, 1, w.scene.chain[1]), 2);
            guest_expect_no_fault(g);
            const struct gpu_counters *c = &mali_device_host(g->device)->counters;
            assert_true(c->vertices && c->primitives_in && c->primitives_binned);
        } else {
            assert_int_equal(guest_run(g, 0, w.scene.chain[0]), 1);
            assert_int_equal(guest_status(g, 0), STATUS_DONE);
        }
        guest_destroy(g);
    }
}

/* A frame twice, of code that has run much at once: without a thread in the background jobs optimise what those before
 * them have run, out of what its key keeps. */
static void expect_optimised(const char *folder, enum mali_kind kind)
{
    const struct jit_options options = {
        .level = -1, .optimize = JIT_AUTOMATIC, .hot_runs = 1, .cache_dir = ""};
    struct jit_engine *engine;
    struct jit_stats stats;
    struct scene s;
    assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
    for (unsigned n = 0; n < 2; n++) {
        scene_load(&s, folder, &(struct mali_options){.kind = kind, .gpu.engine = engine});
        if (s.chain[1])
            guest_run(&s.guest, 1, s.chain[1]);
        guest_run(&s.guest, 0, s.chain[0]);
        guest_expect_no_fault(&s.guest);
        guest_destroy(&s.guest);
    }
    jit_engine_stats(engine, &stats);
    if (!stats.optimised || stats.not_optimised)
        fail_msg("%s: %llu functions are optimised, %llu cannot be", folder,
                 (unsigned long long)stats.optimised, (unsigned long long)stats.not_optimised);
    jit_engine_destroy(engine);
}

static void test_optimises(void **state)
{
    for (unsigned n = 0; n < SCENES; n++)
        if (!strstr(scenes[n].folder, "clear"))
            expect_optimised(scenes[n].folder, scenes[n].kind);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(later); n++)
        if (later[n].type)
            expect_optimised(later[n].folder, later[n].kind);
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
        cmocka_unit_test(test_chains),       cmocka_unit_test(test_frames),
        cmocka_unit_test(test_draws),        cmocka_unit_test(test_later),
        cmocka_unit_test(test_later_chains), cmocka_unit_test(test_later_shadings),
        cmocka_unit_test(test_optimises),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
