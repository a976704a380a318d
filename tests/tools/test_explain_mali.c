/* `vitrail explain` and `vitrail profile` over frames of the stock panfrost driver (tests/data), as they are and
 * changed in one place: what is told of a pixel is what was put into memory, on Midgard, Bifrost and Valhall. */
#include "tests/gpu/mali/recording.h"
#include "tests/tools/json_reader.h"
#include "tests/tools/reel.h"

#include <errno.h>

#include "gpu/mali/device_internal.h"
#include "isa/assembler.h"
#include "tests/gpu/mali/pack.h"

enum { SIDE = 256, BACKGROUND = 0xff000000 };
enum { AT_STATE = 56, AT_SHADER = 64 + 40, BLEND_AT = 0x20000000 };
/* In the triangle, whose corners are red, green and blue, and outside of it. */
enum { INSIDE_X = 128, INSIDE_Y = 140, OUTSIDE = 4 };

static const enum mali_kind kinds[] = {MALI_T720, MALI_T760, MALI_T860, MALI_G52, MALI_G57};
static const char *const names[] = {"t720", "t760", "t860", "g52", "g57"};
enum { KINDS = UTIL_ARRAY_SIZE(kinds), MIDGARDS = 3, T760 = 1, T860, G52, G57 };

struct film {
    struct scene scene;
    struct reel reel;
    unsigned kind;
};

static void film_load(struct film *f, unsigned kind, const char *scene)
{
    char folder[32];
    snprintf(folder, sizeof folder, "%s/%s", names[kind], scene);
    f->kind = kind;
    f->reel.writer = NULL;
    scene_load(&f->scene, folder, &(struct mali_options){.kind = kinds[kind]});
}

/* Guest memory as the GPU sees it. */
static uint8_t *at(struct film *f, uint64_t address)
{
    uint64_t page = *guest_entry(&f->scene.guest, address) & 0xfffff000u;
    return f->scene.guest.memory.base + page + address % GPU_PAGE;
}

static uint64_t tiler_job(struct film *f)
{
    uint64_t job = f->scene.chain[1];
    for (uint64_t next = job; next; next = util_load64(at(f, job + 24)))
        job = next;
    return job;
}

/* The draw of fragments. */
static uint64_t draw_at(struct film *f)
{
    const enum mali_version version = f->scene.guest.device->version;
    const uint32_t type = *at(f, tiler_job(f) + 16) >> 1 & 0x7f;
    return tiler_job(f) + mali_section_at(version, type, MALI_SECTION_DRAW);
}

/* What names its program: a renderer state, or on v9 the program's descriptor. */
static uint64_t state(struct film *f)
{
    return util_load64(at(f, draw_at(f) + (f->kind == G57 ? AT_SHADER : AT_STATE)));
}

static uint64_t program(struct film *f)
{
    return util_load64(at(f, state(f) + (f->kind == G57 ? 8 : 0))) & ~15ull;
}

/* The scene as a capture, with the picture that its device says it drew. */
static void film_record(struct film *f)
{
    struct scene *s = &f->scene;
    struct capture_frame frame;
    uint8_t *before = malloc(GUEST_BYTES);
    assert_non_null(before);
    memcpy(before, s->guest.memory.base, GUEST_BYTES);
    for (int slot = 1; slot >= 0; slot--)
        if (s->chain[slot])
            guest_run(&s->guest, (unsigned)slot, s->chain[slot]);
    guest_fault(&s->guest);
    if (!gpu_host_frame(mali_device_host(s->guest.device), &frame))
        frame = (struct capture_frame){.address = GUEST_PAGES,
                                       .width = SIDE,
                                       .height = SIDE,
                                       .format = RASTER_R8G8B8A8_UNORM,
                                       .stride = SIDE * 4};
    memcpy(s->guest.memory.base, before, GUEST_BYTES);
    free(before);
    strcpy(f->reel.path, "/tmp/vitrail-explain-XXXXXX");
    recording_make_shown(s, names[f->kind], f->reel.path, &frame);
}

static void film_close(struct film *f)
{
    unlink(f->reel.path);
    guest_destroy(&f->scene.guest);
}

static void explain(struct film *f, uint32_t x, uint32_t y, struct explain_pixel *pixel,
                    struct explain_result *result)
{
    *pixel = (struct explain_pixel){.picture = 1, .x = x, .y = y};
    film_record(f);
    reel_explain(&f->reel, pixel, result);
    assert_int_equal(result->fault_count, 0);
    assert_int_equal(pixel->stages.count, 1);
    assert_true(pixel->agrees);
}

/* ---- as they are ---- */

static void outside(void **data)
{
    for (unsigned n = 0; n < KINDS; n++) {
        struct film f;
        struct explain_pixel pixel;
        struct explain_result r;
        film_load(&f, n, "triangle");
        explain(&f, OUTSIDE, OUTSIDE, &pixel, &r);
        const struct explain_stage *stage = &pixel.stages.at[0];
        assert_int_equal(stage->events.count, 0);
        assert_int_equal(stage->clear_color.word[0], BACKGROUND);
        assert_int_equal(stage->color_last[0].word[0], BACKGROUND);
        assert_string_equal(stage->store.what, "render target 0");
        assert_int_equal(stage->tile_size, 16);
        explain_finish(&r);
        film_close(&f);
    }
}

static void inside(void **data)
{
    for (unsigned n = 0; n < KINDS; n++) {
        struct film f;
        struct explain_pixel pixel;
        struct explain_result r;
        film_load(&f, n, "triangle");
        explain(&f, INSIDE_X, INSIDE_Y, &pixel, &r);
        const struct explain_stage *stage = &pixel.stages.at[0];
        assert_int_equal(stage->events.count, 1);
        const struct explain_event *e = &stage->events.at[0];
        assert_int_equal(e->outcome, EXPLAIN_WRITTEN);
        assert_int_equal(e->coverage, 1);
        assert_int_equal(e->draw, 0);
        assert_int_equal(r.draws.at[0].bin.address, tiler_job(&f));
        assert_string_equal(r.draws.at[0].bin.mode, "triangles");
        assert_int_equal(r.draws.at[0].bin.length, 3);
        assert_int_equal(r.draws.at[0].bin.shading, 1);
        assert_int_equal(e->list_address, tiler_job(&f));
        assert_int_equal(r.programs.at[e->program].address, program(&f));
        assert_int_equal(e->color_before[0].word[0], BACKGROUND);
        assert_memory_equal(&e->color_after[0].word[0], pixel.rgba, 4);
        /* The program's colour is that of the varyings, and what is written of it. */
        const struct gpu_output *o = &e->lane.output;
        assert_true(o->given && !o->shader);
        assert_int_equal(o->source.format, RASTER_R32G32B32A32_FLOAT);
        assert_true(e->lane.varyings.count >= 3);
        for (unsigned c = 0; c < 3; c++) {
            const struct gpu_varying *v = &e->lane.varyings.at[c];
            float value = util_u2f(v->vary) * util_u2f(e->lane.w) + util_u2f(v->c);
            float source = util_u2f(o->source.word[c]);
            assert_true(value - source < 0.001f && source - value < 0.001f);
            assert_in_range((int)(source * 255 + 0.5f) - pixel.rgba[c] + 1, 0, 2);
            assert_true(e->vary[c][c] == 1); /* red, green and blue */
        }
        uint32_t before = 0; /* of the program's state */
        while (before < e->lane.trace.count && e->lane.trace.at[before].part == WARP_PART_BEFORE)
            before++;
        assert_int_equal(e->lane.executed, e->lane.trace.count - before);
        assert_true(e->lane.executed >= 2);
        assert_string_equal(e->lane.trace.at[0].write[0].name, "r0");
        explain_finish(&r);
        film_close(&f);
    }
}

/* Textured, with depth. */
static void cube(void **data)
{
    for (unsigned n = 0; n < KINDS; n++) {
        struct film f;
        struct explain_pixel pixel;
        struct explain_result r;
        if (n == T760) /* there is none of it */
            continue;
        unsigned written = 0, behind = 0;
        film_load(&f, n, "cube");
        explain(&f, SIDE / 2, SIDE / 2, &pixel, &r);
        const struct explain_stage *stage = &pixel.stages.at[0];
        for (uint32_t i = 0; i < stage->events.count; i++) {
            const struct explain_event *e = &stage->events.at[i];
            behind += e->outcome == EXPLAIN_DEPTH_FAILED;
            if (e->outcome != EXPLAIN_WRITTEN)
                continue;
            written++;
            assert_int_equal(e->lane.tests.count, 1);
            assert_int_equal(e->lane.tests.at[0].passed, 1);
            assert_int_equal(e->lane.tests.at[0].after[0].depth, e->lane.tests.at[0].depth);
            assert_int_equal(e->zs_after[0].depth, e->lane.tests.at[0].depth);
            assert_int_equal(e->lane.lookups.count, 1);
            const struct gpu_lookup *l = &e->lane.lookups.at[0];
            assert_true(l->numbers && !l->integers && l->address && l->width > 1);
            assert_in_range(l->where.x, 0, l->width - 1);
            assert_true(l->where.offset >= l->address);
        }
        assert_int_equal(written, 1);
        assert_int_equal(behind, 1);
        explain_finish(&r);
        film_close(&f);
    }
}

/* ---- changed ---- */

static void culled(void **data)
{
    for (unsigned n = 0; n < KINDS; n++) {
        struct film f;
        struct explain_pixel pixel;
        struct explain_result r;
        film_load(&f, n, "triangle");
        const struct mali_desc *draw = n == G57 ? &mali_desc_draw_v9 : &mali_desc_draw;
        pack_set(at(&f, draw_at(&f)), draw, f.scene.guest.device->version, "cull front face", 1);
        pack_set(at(&f, draw_at(&f)), draw, f.scene.guest.device->version, "cull back face", 1);
        explain(&f, INSIDE_X, INSIDE_Y, &pixel, &r);
        assert_int_equal(pixel.stages.at[0].events.count, 1);
        assert_int_equal(pixel.stages.at[0].events.at[0].outcome, EXPLAIN_CULLED);
        explain_finish(&r);
        film_close(&f);
    }
}

static void never(void **data)
{
    for (unsigned n = 0; n < MIDGARDS; n++) {
        struct film f;
        struct explain_pixel pixel;
        struct explain_result r;
        film_load(&f, n, "triangle");
        uint8_t *misc = at(&f, state(&f) + 32);
        util_store32(misc, util_load32(misc) & ~(7u << 24)); /* the depth function: never */
        explain(&f, INSIDE_X, INSIDE_Y, &pixel, &r);
        const struct explain_event *e = &pixel.stages.at[0].events.at[0];
        assert_int_equal(e->outcome, EXPLAIN_DEPTH_FAILED);
        assert_int_equal(e->lane.tests.count, 1);
        assert_int_equal(e->lane.tests.at[0].rule.depth_func, RASTER_NEVER);
        assert_int_equal(e->lane.tests.at[0].samples, 1);
        assert_int_equal(e->lane.tests.at[0].passed, 0);
        assert_memory_equal(&e->color_after[0], &e->color_before[0], sizeof e->color_after[0]);
        explain_finish(&r);
        film_close(&f);
    }
}

/* destination + source * constant, of red and blue alone. */
static void blended(void **data)
{
    for (unsigned n = 0; n < MIDGARDS; n++) {
        struct film f;
        struct explain_pixel pixel;
        struct explain_result r;
        const float half = 0.5f;
        film_load(&f, n, "triangle");
        uint8_t *equation = at(&f, state(&f) + (kinds[n] == MALI_T720 ? 56 : 64 + 8));
        util_store32(equation, 0x50723723);
        memcpy(equation + 4, &half, sizeof half);
        explain(&f, INSIDE_X, INSIDE_Y, &pixel, &r);
        const struct gpu_output *o = &pixel.stages.at[0].events.at[0].lane.output;
        assert_int_equal(o->blend.write_mask, 5);
        assert_int_equal(o->blend.color.src, RASTER_FACTOR_CONST);
        assert_int_equal(o->blend.color.dst, RASTER_FACTOR_ONE);
        assert_true(util_u2f(o->constant.word[0]) == 0.5f);
        assert_int_equal(pixel.rgba[1], 0);
        assert_in_range((int)(util_u2f(o->source.word[2]) * 127.5f + 0.5f) - pixel.rgba[2] + 1, 0, 2);
        explain_finish(&r);
        film_close(&f);
    }
}

/* A shader in place of the equation, which gives every pixel one colour. */
static void by_a_shader(void **data)
{
    static const char text[] = "vmul.imov.32 r0, r24.xxxx, r26.xxxx ; sadd.imov.full r1.z, r24.x, #0 ; "
                               "vadd.iadd.32 r1.w, r31.xxxx, #0 ; writex.always +0, alu4w ; writeout ; "
                               "const 0x80ff4020, 0x0, 0x0, 0x0 ; stop\n";
    struct util_error error = {0};
    struct explain_pixel pixel;
    struct explain_result r;
    struct film f;
    uint32_t count;
    void *words;
    film_load(&f, T860, "triangle");
    if (isa_assemble(midgard_set.syntax, text, strlen(text), &words, &count, &error))
        fail_msg("%s", error.text);
    memcpy(guest_map(&f.scene.guest, BLEND_AT, GPU_PAGE, RIGHT_BOTH), words, (size_t)count * 16);
    free(words);
    guest_flush_as(&f.scene.guest, 0);
    uint8_t *blend = at(&f, state(&f) + 64);
    util_store32(blend, util_load32(blend) | 2);
    util_store64(blend + 8, BLEND_AT);
    explain(&f, INSIDE_X, INSIDE_Y, &pixel, &r);
    const struct explain_event *e = &pixel.stages.at[0].events.at[0];
    assert_int_equal(e->outcome, EXPLAIN_WRITTEN);
    assert_true(e->lane.output.given && e->lane.output.shader);
    assert_int_equal(e->color_after[0].word[0], 0x80ff4020);
    assert_int_equal(r.programs.at[e->blend].address, BLEND_AT);
    const struct gpu_step *last = &e->lane.trace.at[e->lane.trace.count - 1];
    assert_true(last->blends && !last->pc && !e->lane.trace.at[0].blends);
    assert_string_equal(last->write[0].name, "r0");
    assert_int_equal(last->write[0].value[3], 0x80ff4020);
    char *told = reel_told(&r, &pixel, NULL);
    assert_non_null(strstr(told, "blend shader at 0x20000000\n"));
    assert_non_null(strstr(told, "by the blend shader\n"));
    free(told);
    explain_finish(&r);
    film_close(&f);
}

/* ---- faults ---- */

/* A program that cannot be executed: nothing is stored, and so it is told. */
static void stopped(void **data)
{
    for (unsigned n = 0; n < KINDS; n++) {
        struct film f;
        struct explain_pixel pixel = {.picture = 1, .x = INSIDE_X, .y = INSIDE_Y};
        struct explain_result r;
        film_load(&f, n, "triangle");
        memset(at(&f, program(&f)), 0xff, 16);
        film_record(&f);
        reel_explain(&f.reel, &pixel, &r);
        assert_true(r.fault_count > 0);
        assert_true(pixel.found && !pixel.agrees && explain_stopped(&pixel));
        char *text = reel_told(&r, &pixel, NULL);
        assert_non_null(strstr(text, "not stored: a fault ended the tile's drawing\n"));
        assert_null(strstr(text, "\nstored"));
        free(text);
        struct json_object *told = json_read(reel_told(&r, &pixel, f.reel.path));
        assert_non_null(told);
        assert_int_equal(json_count(told, "rgba"), 4);
        assert_int_equal(json_count(told, "stored_rgba"), 0);
        json_object_put(told);
        explain_finish(&r);
        film_close(&f);
    }
}

/* ---- text, JSON ---- */

static void as_text_and_json(void **data)
{
    static const char *const first[KINDS] = {[T860] = "ld_vary", [G52] = "+LD_VAR", [G57] = "LD_VAR"};
    for (unsigned n = T860; n < KINDS; n++) {
        struct film f;
        struct explain_pixel pixel;
        struct explain_result r;
        film_load(&f, n, "triangle");
        explain(&f, INSIDE_X, INSIDE_Y, &pixel, &r);
        char *text = reel_told(&r, &pixel, NULL);
        assert_non_null(strstr(text, "draw 1, triangle 0 -- array triangles, 3 vertices"));
        if (n != G52) /* whose state loads it before the program */
            assert_non_null(strstr(text, first[n]));
        assert_non_null(strstr(text, "by render target 0\n"));
        assert_non_null(strstr(text, "they agree"));
        free(text);
        struct json_object *told = json_read(reel_told(&r, &pixel, f.reel.path));
        assert_non_null(told);
        assert_true(json_is(told, "stages/0/events/0/outcome", "written"));
        assert_true(json_is(told, "stages/0/events/0/color_before/0", "0xff000000"));
        assert_int_equal(json_count(told, "stages/0/events/0/output/source"), 4);
        if (n == T860)
            assert_int_equal(json_count(told, "stages/0/events/0/trace/0/written/0/words"), 4);
        json_object_put(told);
        explain_finish(&r);
        film_close(&f);
    }
}

/* Of Bifrost's clauses each instruction is told by itself, once, with what its text names, behind the clause's header;
 * and first what the state has loaded. */
static void clauses(void **data)
{
    struct film f;
    struct explain_pixel pixel;
    struct explain_result r;
    film_load(&f, G52, "triangle");
    explain(&f, INSIDE_X, INSIDE_Y, &pixel, &r);
    const struct explain_event *e = &pixel.stages.at[0].events.at[0];
    const struct explain_program *p = &r.programs.at[e->program];
    unsigned entered = 0, listed = 0;
    assert_int_equal(e->lane.executed, p->insn_count);
    for (uint32_t n = 0; n < e->lane.trace.count; n++) {
        const struct gpu_step *step = &e->lane.trace.at[n];
        char text[ISA_LINE_MAX];
        const bool before = step->part == WARP_PART_BEFORE;
        explain_insn_text(&r, e, step, text);
        assert_true(before ? text[0] == '(' : text[0] == '*' || text[0] == '+');
        assert_int_equal(explain_word_text(&r, e, step, text), !before);
        entered += step->enters && !before;
        listed += !before;
        for (unsigned k = 0; k < step->reads && step->read[k].name[0] == 'r'; k++)
            assert_in_range(atoi(step->read[k].name + 1), 0, 63);
        for (uint32_t k = n + 1; k < e->lane.trace.count && !e->lane.trace.at[k].enters; k++)
            assert_int_not_equal(e->lane.trace.at[k].part, step->part);
    }
    assert_int_equal(listed, e->lane.executed);
    assert_in_range(entered, 2, listed);
    char *text = reel_told(&r, &pixel, NULL);
    assert_non_null(strstr(text, "\n             (before the program)"));
    assert_non_null(strstr(text, "\n        0  ds("));
    assert_non_null(
        strstr(text, "\n             +BLEND r48:t1, r60, blend_descriptor_0.x, blend_descriptor_0.y, @r0 "));
    assert_null(strstr(text, "NOP"));
    free(text);
    explain_finish(&r);
    film_close(&f);
}

/* ---- garbage ---- */

/* In jobs, descriptors and programs: never a crash, always an end, and what is told agrees. */
static void hostile(void **data)
{
    const struct gpu_options options = {.packet_budget = 1 << 20, .job_fuel = 1 << 20, .fuel = 1000};
    uint64_t random = 12345;
    for (unsigned round = 0; round < 40; round++) {
        struct film f;
        struct explain_pixel pixel = {.picture = 1, .x = INSIDE_X, .y = INSIDE_Y};
        struct explain_result result = {.pixels = &pixel, .pixel_count = 1};
        struct util_error error = {0};
        struct profile p;
        film_load(&f, round % KINDS, "triangle");
        const uint64_t job = tiler_job(&f), draw_state = state(&f);
        const uint32_t places[] = {
            (uint32_t)job,        (uint32_t)job + 64,        (uint32_t)job + 128,
            (uint32_t)draw_state, (uint32_t)draw_state + 64, (uint32_t)f.scene.chain[0],
            (uint32_t)program(&f)};
        for (unsigned i = 0; i < 3; i++) {
            uint8_t value;
            uint32_t address = reel_garbage(&random, places, UTIL_ARRAY_SIZE(places), &value);
            *at(&f, address) = value;
        }
        film_record(&f);
        int code = explain_run(f.reel.path, &options, true, false, true, &result, NULL, NULL, &error);
        assert_true(code == 0 || code == -ERANGE);
        for (uint32_t i = 0; i < pixel.stages.count; i++)
            assert_true(!pixel.stages.at[i].seen || pixel.agrees || result.fault_count);
        explain_finish(&result);
        reel_profile(f.reel.path, &options, &p);
        profile_finish(&p);
        film_close(&f);
    }
}

/* ---- profile ---- */

static void profile_adds_up(void **data)
{
    for (unsigned n = 0; n < KINDS; n++) {
        struct film f;
        film_load(&f, n, "triangle");
        film_record(&f);
        struct reel_sums s = reel_add_up(f.reel.path);
        assert_int_equal(s.counted.draws, 1);
        assert_int_equal(s.vertices, s.counted.vertices);
        assert_int_equal(s.vertex, s.shared_vertex);
        assert_int_equal(s.programs, s.vertex + s.fragment);
        assert_int_equal(s.programs, s.counted.instructions);
        assert_int_equal(s.coordinate, 0);
        assert_true(s.vertex > 0 && s.vertex_ns > 0);
        film_close(&f);
    }
}

/* Counts of a program's instructions stand where its listing has instructions, and are what it executed, but for what
 * is rounded off; and each program of a frame is one of its own. */
static void instructions_add_up(void **data)
{
    const struct gpu_options options = {0};
    for (unsigned n = T860; n < KINDS; n++) {
        struct film f;
        struct profile p;
        film_load(&f, n, "cube");
        film_record(&f);
        reel_profile(f.reel.path, &options, &p);
        assert_int_equal(p.programs.count, n == T860 ? 2 : 3); /* positions, varyings, fragments */
        for (uint32_t i = 0; i < p.programs.count; i++) {
            const struct profile_program *it = &p.programs.at[i];
            uint64_t sum = 0, outside = 0;
            char text[ISA_LINE_MAX];
            for (uint32_t pc = 0, next = 0; pc < it->word_count; pc++) {
                sum += it->count[pc];
                outside += pc == next ? 0 : it->count[pc];
                next = pc == next ? pc + it->set->line(it->words, it->word_count, pc, text) : next;
                assert_true(!it->count[pc] || !strstr(text, ".word"));
            }
            assert_int_equal(outside, 0);
            assert_true(it->by_pc);
            assert_in_range(sum, it->executed - UTIL_MIN(it->executed, it->word_count), it->executed);
        }
        profile_finish(&p);
        film_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outside),
        cmocka_unit_test(inside),
        cmocka_unit_test(cube),
        cmocka_unit_test(culled),
        cmocka_unit_test(never),
        cmocka_unit_test(blended),
        cmocka_unit_test(by_a_shader),
        cmocka_unit_test(stopped),
        cmocka_unit_test(as_text_and_json),
        cmocka_unit_test(hostile),
        cmocka_unit_test(profile_adds_up),
        cmocka_unit_test(clauses),
        cmocka_unit_test(instructions_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
