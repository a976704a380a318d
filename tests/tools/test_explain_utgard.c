/* `vitrail explain` and `vitrail profile` on jobs of Mali-400 made by hand: each fact told is one that was
 * put in; on what was recorded, the parts add up. */
#include "tests/gpu/utgard/guest.h"

#include "gpu/utgard/rsw.h"
#include "gpu/utgard/writeback.h"
#include "isa/utgard_pp/asm.h"
#include "isa/utgard_pp/insn.h"
#include "raster/surface.h"
#include "tests/tools/json_reader.h"
#include "tests/tools/reel.h"

enum { FIRST = 0x400000, LIST = FIRST, BLOCKS = 0x402000, STATE = 0x403000, PROGRAM = 0x404000 };
enum { POSITIONS = 0x405000, VARYINGS = 0x406000, TEXTURES = 0x407000, DESCRIPTOR = 0x407100 };
enum { TEXELS = 0x408000, MASTER = 0x40a000, LISTS = 0x410000, HEAP = 0x450000, IMAGE = 0x460000 };
enum { LAST = 0x530000, TILES = 20, SIDE = TILES * 16 };
enum { WRITE_BACK = 0x100 };

#define RED   0xff0000ffu /* as the tile has it */
#define BLUE  0xffff0000u
#define CLEAR 0x80402010u

#define PLAIN "c0 0.0, 0.0, 1.0, 1.0 ; mov.v0 r0, c0 ; stop\n"

/* ---- a job, and its capture ---- */

struct film {
    struct guest guest;
    struct reel reel;
    uint8_t *memory; /* of FIRST */
    struct utgard_rsw state;
    uint32_t words;  /* of the list */
    uint32_t shrink; /* log2 of the frame's pixels, a side, that make one of the picture */
    bool rgba16f;    /* frame and picture are of halves */
    struct {
        uint32_t at;
        uint8_t value;
    } scribble[4]; /* over what is there when all is written */
    unsigned scribbles;
};

static void put(struct film *f, uint32_t address, const void *bytes, size_t size)
{
    memcpy(f->memory + (address - FIRST), bytes, size);
}

static void reg(struct film *f, enum utgard_ip ip, uint32_t offset, uint32_t value)
{
    assert_int_equal(capture_write_register(f->reel.writer, guest_base(&f->guest, ip) + offset, value, false),
                     0);
}

static void command(struct film *f, uint32_t value, uint32_t opcode)
{
    const uint32_t pair[2] = {value, opcode};
    put(f, LIST + f->words * 4, pair, sizeof pair);
    f->words += 2;
}

/* Words 2 to 8, 10 and 13 as lima's reload has them: replace, always. */
static void plain_state(struct film *f)
{
    const uint32_t words[UTGARD_RSW_WORDS] = {
        0, 0, 0xf03b1ad2, 0x0000000e, 0xffff0000, 7, 7, 0, 0xf007, PROGRAM, 0, 0, 0, 0, 0, VARYINGS};
    utgard_rsw_unpack(words, &f->state);
}

static void program(struct film *f, const char *text)
{
    struct util_error error = {0};
    uint32_t *words, count;
    struct utgard_pp_insn first;
    if (utgard_pp_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s", error.text);
    put(f, PROGRAM, words, count * 4);
    assert_true(utgard_pp_decode(words, count, 0, &first) > 0);
    f->state.first_length = first.count;
    free(words);
}

/* The list up to where draws begin; triangles of negative area are culled. */
static void begin_list(struct film *f)
{
    for (uint32_t n = 0; n < TILES * TILES; n++)
        put(f, BLOCKS + n * 4, &(uint32_t){LISTS + n * 512}, 4);
    command(f, 0x200 | 1 << 18, 0x1000010b);
    command(f, 0, 0x1000010c);
    command(f, (TILES - 1) << 24 | (TILES - 1) << 8, 0x10000109);
    command(f, TILES, 0x30000000);
    command(f, BLOCKS, 0x28000000 | (TILES * TILES - 1));
    command(f, 0, 0x10000107);
    command(f, util_f2u(SIDE), 0x10000108);
    command(f, 0, 0x10000105);
    command(f, util_f2u(SIDE), 0x10000106);
    command(f, 0, 0x1000010e);
    command(f, util_f2u(1), 0x1000010f);
    command(f, STATE, 0x80000000 | POSITIONS >> 4);
}

static void film_open(struct film *f)
{
    const struct utgard_options options = {.kind = UTGARD_MALI400, .pp_count = 2};
    *f = (struct film){0};
    guest_create(&f->guest, &options);
    f->memory = guest_map(&f->guest, FIRST, LAST - FIRST, RIGHT_BOTH);
    reel_open(&f->reel, "mali400", GUEST_BYTES);
    plain_state(f);
    program(f, PLAIN);
    begin_list(f);
}

static void film_close(struct film *f)
{
    reel_close(&f->reel);
    guest_destroy(&f->guest);
}

static void draw(struct film *f, uint32_t first, uint32_t count)
{
    command(f, count << 24 | first, 4 << 16 | count >> 8);
}

static void start_mmu(struct film *f, enum utgard_ip ip)
{
    reg(f, ip, MMU_COMMAND, 6);
    reg(f, ip, MMU_DTE, 0);
    reg(f, ip, MMU_COMMAND, 0);
}

static void master_list(struct film *f)
{
    uint32_t words[TILES * TILES * 4 + 2], n = 0;
    for (uint32_t t = 0; t < TILES * TILES; t++) {
        words[n++] = 0;
        words[n++] = 0xb8000000 | t % TILES | t / TILES << 8;
        words[n++] = 0xe0000002 | (LISTS + t * 512) >> 3;
        words[n++] = 0xb0000000;
    }
    words[n++] = 0;
    words[n] = 0xbc000000;
    put(f, MASTER, words, sizeof words);
}

/* GP job, PP job, and the picture they make. */
static void film_picture(struct film *f)
{
    const uint32_t side = SIDE >> f->shrink, bytes = f->rgba16f ? 8 : 4;
    const struct capture_frame picture = {.address = GUEST_PAGES + (IMAGE - FIRST),
                                          .width = side,
                                          .height = side,
                                          .stride = side * bytes,
                                          .format =
                                              f->rgba16f ? RASTER_R16G16B16A16_FLOAT : RASTER_B8G8R8A8_UNORM};
    uint32_t words[UTGARD_RSW_WORDS];
    utgard_rsw_pack(&f->state, words);
    put(f, STATE, words, sizeof words);
    command(f, 0, 0x50000000);
    master_list(f);
    for (unsigned i = 0; i < f->scribbles; i++)
        put(f, f->scribble[i].at, &f->scribble[i].value, 1);
    assert_int_equal(capture_write_range(f->reel.writer, &f->guest.memory, 0, f->guest.pages), 0);
    start_mmu(f, UTGARD_IP_GPMMU);
    reg(f, UTGARD_IP_GP, 8, LIST);
    reg(f, UTGARD_IP_GP, 12, LIST + f->words * 4);
    reg(f, UTGARD_IP_GP, 16, HEAP);
    reg(f, UTGARD_IP_GP, 20, IMAGE);
    reg(f, UTGARD_IP_GP, GP_CMD, GP_UPDATE);
    reg(f, UTGARD_IP_GP, GP_CMD, GP_START_PLBU);
    start_mmu(f, UTGARD_IP_PPMMU0);
    reg(f, UTGARD_IP_PP0, 0, MASTER);
    reg(f, UTGARD_IP_PP0, 4 * 4, 0xffffff);
    reg(f, UTGARD_IP_PP0, 3 * 4, f->rgba16f);
    reg(f, UTGARD_IP_PP0, 6 * 4, f->rgba16f ? 0xffff0000 : CLEAR);
    reg(f, UTGARD_IP_PP0, 7 * 4, f->rgba16f ? 0xffff0000 : 0);
    reg(f, UTGARD_IP_PP0, 10 * 4, SIDE - 1);
    reg(f, UTGARD_IP_PP0, 11 * 4, SIDE - 1);
    reg(f, UTGARD_IP_PP0, WRITE_BACK, UTGARD_WB_COLOR);
    reg(f, UTGARD_IP_PP0, WRITE_BACK + 4, IMAGE);
    reg(f, UTGARD_IP_PP0, WRITE_BACK + 8, f->rgba16f ? UTGARD_WB_BGRA16F : UTGARD_WB_BGRA8888);
    reg(f, UTGARD_IP_PP0, WRITE_BACK + 24, f->rgba16f ? 4 : 0);
    reg(f, UTGARD_IP_PP0, WRITE_BACK + 12, f->shrink << 8 | f->shrink << 12);
    reg(f, UTGARD_IP_PP0, WRITE_BACK + 20, side * bytes / 8);
    reg(f, UTGARD_IP_PP0, PP_CTRL, PP_START);
    assert_int_equal(capture_write_frame(f->reel.writer, &picture), 0);
    reel_finish(&f->reel);
}

/* Explains one pixel; the caller ends with explain_finish. */
static void explain(struct film *f, struct explain_pixel *pixel, struct explain_result *result)
{
    reel_explain(&f->reel, pixel, result);
    for (unsigned i = 0; i < result->fault_count; i++)
        fail_msg("%s", result->faults[i].text);
    assert_true(pixel->found);
    assert_true(pixel->agrees);
    assert_int_equal(pixel->stages.count, 1);
}

/* ---- scenes ---- */

static void triangle(struct film *f, uint32_t first, float x, float y, float side, float z, bool away)
{
    const float v[3][4] = {{x, y, z, 1}, {x + side, y, z, 1}, {x, y + side, z, 1}};
    put(f, POSITIONS + first * 16, v[0], 16);
    put(f, POSITIONS + first * 16 + 16, v[away ? 2 : 1], 16);
    put(f, POSITIONS + first * 16 + 32, v[away ? 1 : 2], 16);
}

/* A triangle in front, one behind it and one that faces away in one draw; less, with depth writes. */
static void three_triangles(struct film *f)
{
    f->state.depth_func = RASTER_LESS;
    f->state.depth_write = 1;
    triangle(f, 0, 8, 8, 40, 0.25f, false);
    triangle(f, 3, 4, 4, 40, 0.5f, false);
    triangle(f, 6, 6, 6, 40, 0.125f, true);
    draw(f, 0, 9);
}

static void check_written(const struct explain_result *r, const struct explain_event *e)
{
    assert_int_equal(e->outcome, EXPLAIN_WRITTEN);
    assert_int_equal(e->draw, 0);
    assert_int_equal(e->primitive, 0);
    assert_string_equal(r->draws.at[0].bin.mode, "triangles");
    assert_false(r->draws.at[0].bin.indexed);
    assert_int_equal(r->draws.at[0].bin.length, 9);
    assert_int_equal(e->kind, GPU_TRIANGLES);
    assert_int_equal(e->list_address, STATE);
    assert_int_equal(e->vertices, 3);
    assert_int_equal(e->index[1], 1);
    assert_int_equal(e->vertex[1].x, 48 * 16);
    assert_int_equal(e->coverage, 1);
    assert_int_equal(e->color_before[0].word[0], CLEAR);
    assert_int_equal(e->color_after[0].word[0], BLUE);
    assert_int_equal(e->lane.tests.count, 1);
    const struct gpu_test *t = &e->lane.tests.at[0];
    assert_int_equal(t->when, GPU_TEST_BEFORE);
    assert_int_equal(t->depth, 0x400000);
    assert_int_equal(t->before[0].depth, 0xffffff);
    assert_int_equal(t->before[0].stencil, 0);
    assert_int_equal(t->after[0].depth, 0x400000);
    assert_int_equal(t->rule.depth_func, RASTER_LESS);
    assert_int_equal(t->passed, 1);
    assert_int_equal(r->programs.at[e->program].address, PROGRAM);
    assert_int_equal(e->lane.trace.count, 1);
    assert_int_equal(e->lane.executed, 1);
    const struct gpu_step *step = &e->lane.trace.at[0];
    assert_int_equal(step->writes, 1);
    assert_string_equal(step->write[0].name, "r0");
    assert_int_equal(step->write[0].count, 4);
    assert_true(util_u2f(step->write[0].value[2]) == 1.0f);
    assert_true(e->lane.output.given);
    assert_int_equal(e->lane.output.source.word[0], BLUE);
}

/* On the triangle's edge, in a picture half as wide and high: one of four pixels is drawn. */
static void smaller_picture(void **data)
{
    struct film f;
    struct explain_pixel pixel = {.picture = 1, .x = 13, .y = 14};
    struct explain_result r;

    (void)data;
    film_open(&f);
    f.shrink = 1;
    three_triangles(&f);
    film_picture(&f);
    explain(&f, &pixel, &r);
    const struct explain_stage *stage = &pixel.stages.at[0];
    assert_int_equal(stage->store.resolve.shrink_x, 1);
    assert_true(stage->store.averaged);
    assert_memory_equal(pixel.rgba, ((uint8_t[4]){12, 24, 112, 160}), 4);
    assert_memory_equal(pixel.made, pixel.rgba, 4);
    explain_finish(&r);
    film_close(&f);
}

static uint64_t halves_of(const struct gpu_color *color)
{
    assert_int_equal(color->format, RASTER_R16G16B16A16_FLOAT);
    return color->word[0] | (uint64_t)color->word[1] << 32;
}

/* Halves: beyond one, added to what was there. */
static void a_picture_of_halves(void **data)
{
    struct film f;
    struct explain_pixel pixel = {.picture = 1, .x = 12, .y = 10};
    struct explain_result r;
    (void)data;
    film_open(&f);
    f.rgba16f = true;
    program(&f, "c0 4.0, -0.5, 0.25, 1.0 ; mov.v0 r0, c0 ; stop\n");
    f.state.color_dst = 11; /* one */
    three_triangles(&f);
    film_picture(&f);
    explain(&f, &pixel, &r);
    const struct explain_stage *stage = &pixel.stages.at[0];
    const struct explain_event *e = &stage->events.at[0];
    assert_int_equal(halves_of(&stage->clear_color), 0x3c0000003c000000);
    assert_int_equal(halves_of(&e->color_before[0]), 0x3c0000003c000000);
    assert_int_equal(halves_of(&e->lane.output.source), 0x3c003400b8004400);
    assert_int_equal(halves_of(&e->color_after[0]), 0x3c00340038004400);
    assert_int_equal(halves_of(&stage->color_last[0]), 0x3c00340038004400);
    assert_memory_equal(pixel.rgba, ((uint8_t[4]){255, 128, 64, 255}), 4);
    explain_finish(&r);
    film_close(&f);
}

static void primitives_at_a_pixel(void **data)
{
    struct film f;
    struct explain_pixel pixel = {.picture = 1, .x = 12, .y = 10};
    struct explain_result result;
    (void)data;
    film_open(&f);
    three_triangles(&f);
    film_picture(&f);
    explain(&f, &pixel, &result);
    assert_int_equal(pixel.address, GUEST_PAGES + (IMAGE - FIRST) + (10 * SIDE + 12) * 4);
    const struct explain_stage *stage = &pixel.stages.at[0];
    assert_int_equal(stage->start, EXPLAIN_CLEARED);
    assert_int_equal(stage->clear_color.word[0], CLEAR);
    assert_int_equal(stage->tile_size, 16);
    assert_string_equal(stage->store.what, "write-back unit 0");
    assert_int_equal(stage->color_last[0].word[0], BLUE);
    assert_int_equal(stage->events.count, 3);
    check_written(&result, &stage->events.at[0]);
    const struct explain_event *behind = &stage->events.at[1], *away = &stage->events.at[2];
    assert_int_equal(behind->outcome, EXPLAIN_DEPTH_FAILED);
    assert_int_equal(behind->primitive, 1);
    assert_int_equal(behind->lane.executed, 0); /* the test comes before the program */
    assert_int_equal(behind->color_after[0].word[0], BLUE);
    assert_int_equal(away->outcome, EXPLAIN_CULLED);
    assert_int_equal(away->primitive, 2);
    explain_finish(&result);
    film_close(&f);
}

/* Small triangles, each in a list of its own, far from each other: the picture, for which triangles were
 * culled by the piece, has them all. */
static void far_apart(void **data)
{
    static const float places[][2] = {{70, 5}, {260, 5}, {5, 70}, {5, 260}, {260, 260}, {130, 200}};
    (void)data;
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(places); n++) {
        struct film f;
        struct explain_pixel pixel = {
            .picture = 1, .x = (uint32_t)places[n][0] + 2, .y = (uint32_t)places[n][1] + 2};
        struct explain_result result;
        film_open(&f);
        for (unsigned k = 0; k < UTIL_ARRAY_SIZE(places); k++)
            triangle(&f, 3 * k, places[k][0], places[k][1], 8, 0.25f, false);
        draw(&f, 0, 3 * UTIL_ARRAY_SIZE(places));
        film_picture(&f);
        explain(&f, &pixel, &result);
        assert_int_equal(pixel.rgba[2], 255);
        assert_int_equal(pixel.stages.at[0].events.count, 1);
        assert_int_equal(pixel.stages.at[0].events.at[0].primitive, n);
        explain_finish(&result);
        film_close(&f);
    }
}

/* What stands behind the program: alpha test, blending, the mask of channels, the program's own discard. */
static void behind_the_program(void **data)
{
    (void)data;
    for (unsigned n = 0; n < 4; n++) {
        struct film f;
        struct explain_pixel pixel = {.picture = 1, .x = 12, .y = 10};
        struct explain_result result;
        film_open(&f);
        program(&f, n == 3 ? "c0 0.0, 0.0, 1.0, 0.5 ; mov.v0 r0, c0\n discard\n"
                           : "c0 0.0, 0.0, 1.0, 0.5 ; mov.v0 r0, c0 ; stop\n");
        triangle(&f, 0, 8, 8, 40, 0.25f, false);
        draw(&f, 0, 3);
        if (n == 0) { /* alpha 128 is not above 200 */
            f.state.alpha_func = RASTER_GREATER;
            f.state.alpha_ref = 200;
        }
        if (n == 2)
            f.state.color_mask = 0;
        film_picture(&f);
        explain(&f, &pixel, &result);
        assert_int_equal(pixel.stages.at[0].events.count, 1);
        const struct explain_event *e = &pixel.stages.at[0].events.at[0];
        static const enum explain_outcome outcomes[] = {EXPLAIN_ALPHA_FAILED, EXPLAIN_WRITTEN,
                                                        EXPLAIN_NO_COLOR, EXPLAIN_DISCARDED};
        assert_int_equal(e->outcome, outcomes[n]);
        assert_int_equal(e->color_after[0].word[0], n == 1 ? 0x80ff0000 : CLEAR);
        assert_int_equal(e->lane.output.given, n != 3);
        assert_int_equal(e->lane.output.alpha_tested, n == 0);
        if (n == 0) {
            assert_true(e->lane.output.alpha_ref == 200.0f / 255.0f);
            assert_int_equal(e->lane.tests.count, 0); /* the others come after it */
        }
        explain_finish(&result);
        film_close(&f);
    }
}

/* ---- textures ---- */

static void field(uint32_t *words, uint32_t first, uint32_t bits, uint64_t value)
{
    for (uint32_t n = 0; n < bits; n++)
        words[(first + n) / 32] |= (uint32_t)(value >> n & 1) << (first + n) % 32;
}

/* 16 x 16 texels of 8888, nearest, coordinates in texels; each says where it is. */
static void put_texture(struct film *f)
{
    const float corners[6][2] = {{0, 0}, {16, 0}, {0, 16}};
    uint32_t words[16] = {0};
    for (uint32_t n = 0; n < 256; n++)
        put(f, TEXELS + n * 4, &(uint32_t){0xff000000u | (n / 16) << 8 | n % 16}, 4);
    field(words, 0, 6, 0x16);
    field(words, 16, 15, 16 * 4);
    field(words, 39, 1, 1);
    field(words, 42, 2, 1);
    field(words, 72, 1, 1);
    field(words, 75, 2, 3);
    field(words, 77, 9, 0111);
    field(words, 86, 13, 16);
    field(words, 99, 13, 16);
    field(words, 222, 26, TEXELS >> 6);
    put(f, DESCRIPTOR, words, sizeof words);
    put(f, TEXTURES, &(uint32_t){DESCRIPTOR}, 4);
    put(f, VARYINGS, corners, sizeof corners);
    f->state.textures = TEXTURES;
    f->state.texture_count = 1;
    f->state.has_textures = 1;
    f->state.varying_types = 1; /* two floats */
    f->state.varying_stride = 1;
}

static void texture_lookups(void **data)
{
    struct film f;
    struct explain_pixel pixel = {.picture = 1, .x = 20, .y = 10};
    struct explain_result result;
    (void)data;
    film_open(&f);
    put_texture(&f);
    program(&f, "var coords.xy, v0.xy ; tex2d 0 ; mov.v0 r0, tex ; stop\n");
    triangle(&f, 0, 8, 8, 40, 0.25f, false);
    draw(&f, 0, 3);
    film_picture(&f);
    explain(&f, &pixel, &result);
    const struct explain_event *e = &pixel.stages.at[0].events.at[0];
    assert_int_equal(e->outcome, EXPLAIN_WRITTEN);
    assert_int_equal(e->lane.varyings.count, 2);
    assert_string_equal(e->lane.varyings.at[1].name, "v0.y");
    assert_int_equal(e->lane.varyings.at[1].place, 1);
    assert_int_equal(e->vary_count, 2);
    assert_true(e->vary[0][1] == 0 && e->vary[1][1] == 0 && e->vary[2][1] == 16);
    assert_int_equal(e->lane.lookups.count, 1);
    const struct gpu_lookup *l = &e->lane.lookups.at[0];
    assert_true(l->s == 12.5f * 0.4f && l->t == 2.5f * 0.4f); /* 16 texels in 40 pixels */
    assert_int_equal(l->address, TEXELS);
    assert_int_equal(l->width, 16);
    assert_int_equal(l->where.x, 5);
    assert_int_equal(l->where.y, 1);
    assert_int_equal(l->where.offset, TEXELS + (16 + 5) * 4);
    assert_string_equal(l->unit, "sampler 0");
    const struct gpu_step *step = &e->lane.trace.at[0];
    assert_int_equal(step->reads, 1);
    assert_string_equal(step->read[0].name, "tex");
    assert_int_equal(step->read[0].count, 4);
    explain_finish(&result);
    film_close(&f);
}

/* A real capture's window, a texture that was drawn: its texels have an origin. */
static void drawn_textures(void **data)
{
    const struct gpu_options options = {0};
    const char *capture = SOURCE_DIR "/tests/captures/mali400/desktop-shadow.vtc";
    struct util_error error = {0};
    (void)data;
    struct explain_pixel pixel = {.picture = 2, .x = 160, .y = 90};
    struct explain_result result = {.pixels = &pixel, .pixel_count = 1};
    assert_int_equal(explain_run(capture, &options, false, false, false, &result, NULL, NULL, &error), 0);
    assert_true(pixel.agrees);
    const struct explain_stage *stage = &pixel.stages.at[0];
    const struct explain_event *e = &stage->events.at[stage->events.count - 1];
    assert_int_equal(e->lane.lookups.count, 1);
    assert_int_equal(e->origins.count, 1);
    assert_int_equal(e->origins.at[0].picture, 2);
    assert_int_equal(e->origins.at[0].x, e->lane.lookups.at[0].where.x);
    assert_int_equal(e->origins.at[0].y, e->lane.lookups.at[0].where.y);
    assert_int_equal(e->origins.at[0].width, 320);
    explain_finish(&result);
}

/* ---- text, JSON ---- */

static void as_text_and_json(void **data)
{
    struct film f;
    struct explain_pixel pixel = {.picture = 1, .x = 12, .y = 10};
    struct explain_result result;
    (void)data;
    film_open(&f);
    three_triangles(&f);
    film_picture(&f);
    explain(&f, &pixel, &result);
    char *text = reel_told(&result, &pixel, NULL);
    assert_non_null(strstr(text, "draw 1, triangle 0 -- array triangles, 9 vertices"));
    assert_non_null(strstr(text, "render state 0x00403000: written"));
    assert_non_null(strstr(text, "mov.v0 r0, c0 ; stop  r0 (0, 0, 1, 1)"));
    assert_non_null(strstr(text, "source     0xffff0000 (0,0,255,255)"));
    assert_non_null(strstr(text, "not run"));
    assert_non_null(strstr(text, "culled for its facing"));
    assert_non_null(strstr(text, "by write-back unit 0\n"));
    free(text);
    struct json_object *told = json_read(reel_told(&result, &pixel, f.reel.path));
    assert_non_null(told);
    assert_true(json_is(told, "stages/0/events/1/outcome", "depth-failed"));
    assert_true(json_is(told, "stages/0/events/0/trace/0/written/0/name", "r0"));
    assert_int_equal(json_count(told, "stages/0/events/0/trace/0/written/0/floats"), 4);
    assert_true(json_is(told, "stages/0/events/0/output/source", "0xffff0000"));
    assert_true(json_is(told, "stages/0/events/0/tests/0/when", "before"));
    json_object_put(told);
    explain_finish(&result);
    film_close(&f);
}

/* Garbage in lists, render states, programs, vertices and descriptors: never a crash, always an end; and what
 * is told agrees. */
static void hostile(void **data)
{
    static const uint32_t places[] = {LIST,     MASTER,    BLOCKS,   STATE,     PROGRAM,
                                      VARYINGS, POSITIONS, TEXTURES, DESCRIPTOR};
    const struct gpu_options options = {.packet_budget = 1 << 20, .job_fuel = 1 << 20, .fuel = 1000};
    uint64_t random = 12345;
    (void)data;
    for (unsigned round = 0; round < 48; round++) {
        struct film f;
        struct explain_pixel pixel = {.picture = 1, .x = 12, .y = 10};
        struct explain_result result = {.pixels = &pixel, .pixel_count = 1};
        struct util_error error = {0};
        film_open(&f);
        put_texture(&f);
        program(&f, "var coords.xy, v0.xy ; tex2d 0 ; mov.v0 r0, tex ; stop\n");
        three_triangles(&f);
        f.scribbles = 4;
        for (unsigned i = 0; i < f.scribbles; i++) {
            f.scribble[i].at = reel_garbage(&random, places, UTIL_ARRAY_SIZE(places), &f.scribble[i].value);
        }
        film_picture(&f);
        struct profile p;
        assert_int_equal(explain_run(f.reel.path, &options, true, false, true, &result, NULL, NULL, &error),
                         0);
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
    static const char *const names[] = {"gltest", "kmscube"};
    const struct gpu_info *gpu;
    char path[CAPTURES_PATH];
    (void)data;
    for (unsigned n = 0; (gpu = gpu_info_at(n / 2)); n++) {
        if (strcmp(gpu->family, "utgard") || !captures_find(gpu->name, names[n % 2], path))
            continue;
        struct reel_sums s = reel_add_up(path);
        assert_int_equal(s.vertices, s.counted.vertices);
        assert_int_equal(s.vertex, s.shared_vertex);
        assert_int_equal(s.programs, s.vertex + s.fragment);
        assert_true(s.vertex_ns > 0);
    }
}

/* Of all tiles the first one is drawn in: in the map it is light, others are dark. */
static void heat(void **data)
{
    const struct gpu_options options = {0};
    struct film f;
    struct profile p;
    struct util_image image;
    (void)data;
    film_open(&f);
    triangle(&f, 0, 1, 1, 14, 0.25f, false);
    draw(&f, 0, 3);
    film_picture(&f);
    reel_profile(f.reel.path, &options, &p);
    assert_int_equal(p.jobs.count, TILES * TILES);
    assert_int_equal(p.jobs.at[0].size, 16);
    assert_int_equal(p.draws.count, 1);
    assert_int_equal(p.draws.at[0].pixels, 91); /* centres strictly between the sides, and on two of them */
    assert_int_equal(profile_heat(&p, true, f.reel.path, NULL, &image), 0);
    /* The map is twice the picture and stands at (12, 56). */
    assert_true(reel_brightness(&image, 12 + 10, 56 + 10) > 300);
    assert_true(reel_brightness(&image, 12 + 2 * 16 + 10, 56 + 10) < 100);
    util_image_finish(&image);
    struct json_object *told = json_read(reel_profile_json(&p, f.reel.path));
    assert_non_null(told);
    assert_int_equal(json_count(told, "tiles"), TILES * TILES);
    assert_int_equal(json_count(told, "programs"), 1);
    assert_int_equal(json_count(told, "programs/0/instructions"), 1);
    assert_true(
        json_is(told, "programs/0/instructions/0/text", "c0 0.0, 0.0, 1.0, 1.0 ; mov.v0 r0, c0 ; stop"));
    assert_true(json_number(told, "programs/0/instructions/0/executed") > 0);
    json_object_put(told);
    profile_finish(&p);
    film_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smaller_picture),
        cmocka_unit_test(a_picture_of_halves),
        cmocka_unit_test(primitives_at_a_pixel),
        cmocka_unit_test(far_apart),
        cmocka_unit_test(behind_the_program),
        cmocka_unit_test(texture_lookups),
        cmocka_unit_test(drawn_textures),
        cmocka_unit_test(as_text_and_json),
        cmocka_unit_test(hostile),
        cmocka_unit_test(profile_adds_up),
        cmocka_unit_test(heat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
