/* Targets of any format (raster/output_ir.c, zs_ir.c of 32 bits, samples_ir.c) against their scalar twins: a case is
 * a tile's targets, an equation, a mask and colours for each, and depth and stencil tests. The whole tile is
 * compared. VITRAIL_DIFF_PROGRAMS: how many tiles (6000 make 100,000 targets); VITRAIL_DIFF_SEED: from which on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "raster/output_ir.h"
#include "raster/samples_ir.h"
#include "raster/zs_ir.h"
#include "tests/diff/random.h"

enum { INPUTS = 4 };

struct program {
    uint64_t number;
    struct raster_targets targets;
    struct raster_blend blend[RASTER_TARGETS_MAX];
    struct raster_zs zs;
    uint32_t query, sample, block, width, writes_depth;
};

/* What one run takes and leaves beside the tile. */
struct io {
    _Alignas(64) uint32_t src[RASTER_TARGETS_MAX][4][16], src1[RASTER_TARGETS_MAX][4][16];
    _Alignas(64) uint32_t z[16], alpha[16], mask[16], held[RASTER_TARGETS_MAX][4][16];
    float constant[RASTER_TARGETS_MAX][4];
    uint64_t passed;
    uint32_t lanes, reverse, live;
    struct raster_prim prim; /* its plane of depth */
};

/* ---- random ones ---- */

static uint64_t state;

static uint32_t random32(void)
{
    return (uint32_t)random_next(&state);
}

static struct raster_equation random_equation(void)
{
    struct raster_equation e = {(uint8_t)(random32() % RASTER_BLEND_FUNC_COUNT),
                                (uint8_t)(random32() % RASTER_FACTOR_COUNT),
                                (uint8_t)(random32() % RASTER_FACTOR_COUNT)};
    e.src |= random32() & 1 ? RASTER_FACTOR_INVERT : 0;
    e.dst |= random32() & 1 ? RASTER_FACTOR_INVERT : 0;
    return random32() % 6 ? e : raster_blend_replace.color;
}

static struct raster_blend random_blend(void)
{
    struct raster_blend blend = {.color = random_equation(),
                                 .logic = random32() % 8 == 0,
                                 .logic_op = (uint8_t)(random32() % RASTER_LOGIC_COUNT),
                                 .write_mask = random32() & 1 ? 15 : random32() & 15};
    blend.alpha = random32() & 1 ? blend.color : random_equation();
    return blend;
}

static struct raster_stencil random_face(void)
{
    return (struct raster_stencil){.enable = random32() & 1,
                                   .func = random32() & 7,
                                   .fail = random32() & 7,
                                   .zfail = random32() & 7,
                                   .zpass = random32() & 7,
                                   .ref = (uint8_t)random32(),
                                   .func_mask = random32() & 1 ? 255 : (uint8_t)random32(),
                                   .write_mask = random32() & 1 ? 255 : (uint8_t)random32()};
}

static struct program random_program(uint64_t number)
{
    struct program p;
    memset(&p, 0, sizeof p);
    state = number;
    p.number = number;
    do {
        enum raster_format formats[RASTER_TARGETS_MAX];
        uint32_t count = 1 + random32() % RASTER_TARGETS_MAX;
        for (uint32_t t = 0; t < count; t++)
            formats[t] = random32() % 16 == 0  ? RASTER_FORMAT_NONE
                         : random32() % 8 == 0 ? RASTER_R8G8B8A8_UNORM + 0
                                               : (enum raster_format)(random32() % RASTER_FORMAT_COUNT);
        for (uint32_t t = 0; t < count; t++) /* one that cannot be a target is none */
            if (!raster_targets_init(&p.targets, &formats[t], 1, 1, RASTER_DEPTH_UNORM24))
                formats[t] = RASTER_FORMAT_NONE;
        if (!raster_targets_init(&p.targets, formats, count, 1u << random32() % 5,
                                 (enum raster_depth_kind)(random32() % RASTER_DEPTH_KIND_COUNT)))
            abort();
    } while (!p.targets.total);
    for (uint32_t t = 0; t < p.targets.count; t++)
        p.blend[t] = random_blend();
    p.zs = (struct raster_zs){.depth_write = random32() & 1, .depth_func = random32() & 7};
    p.zs.face[0] = random_face();
    p.zs.face[1] = random32() & 1 ? p.zs.face[0] : random_face();
    p.query = random32() % 3;
    p.sample = random32() % p.targets.samples;
    p.writes_depth = random32() & 1;
    return p;
}

/* Colours between 0 and 1 and about it, integers, anything. */
static uint32_t random_color(void)
{
    uint32_t v = random_normal(&state);
    switch (random32() % 4) {
    case 0: return v;
    case 1: return random32() % 2 ? random32() : random32() % 300;
    default: return util_f2u((float)(random32() % 1400) / 1000.0f - 0.2f);
    }
}

static void random_io(struct io *io)
{
    for (unsigned t = 0; t < RASTER_TARGETS_MAX; t++)
        for (unsigned n = 0; n < 4; n++) {
            io->constant[t][n] = util_u2f(random_color());
            for (unsigned l = 0; l < 16; l++) {
                io->src[t][n][l] = random_color();
                io->src1[t][n][l] = random_color();
            }
        }
    for (unsigned l = 0; l < 16; l++) {
        io->z[l] = random_color();
        io->alpha[l] = random_color();
        io->mask[l] = random32();
    }
    io->lanes = random32() & 3 ? 0xffff : random32() & 0xffff;
    io->reverse = random32() & 1;
    io->passed = random32() % 3;
    io->prim.depth =
        (struct raster_depth){.a = (int64_t)(random_next(&state) & 0xffffffffffffff) - (1ll << 55),
                              .b = (int64_t)(random_next(&state) & 0xffffffffffff),
                              .c = (int64_t)(random_next(&state) & 0x1ffffffffffffff) - (1ll << 52),
                              .shift = random32() % 4 ? 0 : random32() % 8};
    io->prim.depth.a >>= random32() % 48;
}

/* Pixels of the targets' formats, as tiles have them, and depths equal to those that come often. */
static void random_tile(struct raster_tile *tile, const struct program *p, const struct io *io)
{
    uint32_t lane[16];
    raster_targets_size(&p->targets, &tile->width, &tile->height);
    tile->samples = p->targets.samples;
    tile->x = (int32_t)(random32() % 64) - 16;
    tile->y = (int32_t)(random32() % 64);
    for (uint32_t i = 0; i < RASTER_COLOR_WORDS; i++)
        tile->color[i] = random32();
    for (uint32_t y = 0; y < tile->height; y++)
        for (uint32_t x = 0; x < tile->width; x++)
            for (uint32_t t = 0; t < p->targets.count; t++) {
                uint32_t color[4] = {random_color(), random_color(), random_color(), random_color()}, word[4];
                raster_texel_pack(&raster_texels[p->targets.format[t]], color, word);
                for (uint32_t s = 0; s < tile->samples && p->targets.words[t]; s++)
                    raster_targets_put(&p->targets, tile, t, x, y, s, word);
            }
    raster_output_depth(&p->targets, &io->prim, tile->x + (int32_t)(p->block / 16 % (p->width / 4) * 4),
                        tile->y + (int32_t)(p->block / 16 / (p->width / 4) * 4), lane);
    for (uint32_t i = 0; i < RASTER_TILE_WORDS; i++) {
        enum raster_depth_kind kind = (enum raster_depth_kind)p->targets.depth;
        uint32_t depth = raster_depth_encode(kind, util_u2f(random32() & 1 ? io->z[i % 16] : random_color()));
        if (!p->writes_depth && random32() & 1)
            depth = lane[i % 16] + random32() % 3 - 1;
        tile->stencil[i] = (uint8_t)(random32() & 1 ? random32() : 255 * (random32() & 1));
        tile->zs[i] = raster_depth_is_32(kind) ? depth : depth << 8 | tile->stencil[i];
    }
}

/* ---- compiled ---- */

typedef void (*run_fn)(struct raster_tile *tile, struct io *io);

static LLVMValueRef words(struct jit_builder *b, size_t at)
{
    return jit_load(b, b->i32x16, jit_offset_const(b, jit_param(b, 1), at), 64, false);
}

static LLVMValueRef word(struct jit_builder *b, size_t at)
{
    return jit_load(b, b->i32, jit_offset_const(b, jit_param(b, 1), at), 4, false);
}

/* The block, as a loop over blocks would have it. */
static struct raster_block_ir begin_block(struct jit_builder *b, const struct program *p)
{
    const struct raster_targets *targets = &p->targets;
    struct raster_block_ir r = {.form = RASTER_IR_PRIM, .samples = targets->samples, .words = targets->total};
    LLVMTypeRef params[2] = {b->ptr, b->ptr};
    uint32_t columns;

    jit_begin_function(b, b->void_, params, 2);
    columns = p->width / 4;
    r.tile = jit_param(b, 0);
    r.prim = jit_offset_const(b, jit_param(b, 1), offsetof(struct io, prim));
    r.x = jit_i32(b, p->block / 16 % columns);
    r.y = jit_i32(b, p->block / 16 / columns);
    r.at = jit_i32(b, p->block * targets->samples * 4);
    r.zs = jit_offset(b, jit_offset_const(b, r.tile, offsetof(struct raster_tile, zs)), r.at);
    r.color = jit_offset_const(b, r.tile,
                               offsetof(struct raster_tile, color) +
                                   (size_t)p->block * targets->samples * targets->total * 4);
    return r;
}

/* The lanes that pass; the tile's words are updated. */
static LLVMValueRef test_zs(struct raster_block_ir *r, struct jit_builder *b, const struct program *p,
                            LLVMValueRef lanes)
{
    LLVMValueRef reverse = word(b, offsetof(struct io, reverse)), z;

    reverse = LLVMBuildICmp(b->ir, LLVMIntNE, reverse, jit_i32(b, 0), "");
    if (p->writes_depth)
        z = raster_depth_encode_ir(b, (enum raster_depth_kind)p->targets.depth,
                                   jit_as_f32(b, words(b, offsetof(struct io, z))));
    else
        z = raster_output_ir_depth(r, b, &p->targets);
    return raster_output_ir_test(r, b, &p->targets, p->sample, &p->zs, reverse, z, lanes);
}

static int emit(struct jit_builder *b, void *data)
{
    const struct program *p = data;
    const struct raster_targets *targets = &p->targets;
    struct raster_block_ir r = begin_block(b, p);
    LLVMValueRef lanes, bits;

    lanes = jit_mask_from_bits(b, LLVMBuildTrunc(b->ir, word(b, offsetof(struct io, lanes)), b->i16, ""));
    lanes = LLVMBuildAnd(b->ir, lanes,
                         raster_samples_mask_ir(b, p->sample, words(b, offsetof(struct io, mask))), "");
    bits = raster_samples_alpha_ir(b, targets->samples, p->sample,
                                   jit_as_f32(b, words(b, offsetof(struct io, alpha))));
    lanes = LLVMBuildAnd(b->ir, lanes, bits, "");
    lanes = test_zs(&r, b, p, lanes);
    raster_query_ir(b, (enum raster_query)p->query, lanes,
                    jit_offset_const(b, jit_param(b, 1), offsetof(struct io, passed)));
    bits = LLVMBuildZExt(b->ir, jit_mask_to_bits(b, lanes), b->i32, "");
    jit_store(b, bits, jit_offset_const(b, jit_param(b, 1), offsetof(struct io, live)), 4);
    for (unsigned t = 0; t < targets->count; t++) {
        struct raster_output_ir c;
        LLVMValueRef held[4];

        if (!targets->words[t])
            continue;
        for (unsigned n = 0; n < 4; n++) {
            c.src[n] = words(b, offsetof(struct io, src) + (t * 4 + n) * 64);
            c.src1[n] = words(b, offsetof(struct io, src1) + (t * 4 + n) * 64);
            c.constant[n] =
                jit_splat(b, jit_load(b, b->f32,
                                      jit_offset_const(b, jit_param(b, 1),
                                                       offsetof(struct io, constant) + (t * 4 + n) * 4),
                                      4, false));
        }
        raster_output_ir_load(&r, b, targets, t, p->sample, held);
        for (unsigned n = 0; n < 4; n++)
            jit_store(b, held[n],
                      jit_offset_const(b, jit_param(b, 1), offsetof(struct io, held) + (t * 4 + n) * 64), 64);
        raster_output_ir_store(&r, b, targets, t, p->sample, &p->blend[t], &c, lanes);
    }
    LLVMBuildRetVoid(b->ir);
    return 0;
}

/* ---- plain C ---- */

static uint16_t test_zs_ref(struct raster_tile *tile, const struct program *p, const struct io *io,
                            uint16_t lanes)
{
    uint32_t columns = tile->width / 4, depth[16];
    raster_output_depth(&p->targets, &io->prim, tile->x + (int32_t)(p->block / 16 % columns * 4),
                        tile->y + (int32_t)(p->block / 16 / columns * 4), depth);
    for (uint32_t l = 0; l < 16 && p->writes_depth; l++)
        depth[l] = raster_depth_encode((enum raster_depth_kind)p->targets.depth, util_u2f(io->z[l]));
    return raster_output_test(&p->targets, tile, p->block, p->sample, &p->zs, io->reverse, depth, lanes);
}

static void run_ref(struct raster_tile *tile, const struct program *p, struct io *io)
{
    uint16_t lanes = (uint16_t)io->lanes;
    for (uint32_t l = 0; l < 16; l++)
        if (!raster_samples_alpha(p->targets.samples, p->sample, util_u2f(io->alpha[l])) ||
            !(io->mask[l] >> p->sample & 1))
            lanes &= (uint16_t)~(1u << l);
    lanes = test_zs_ref(tile, p, io, lanes);
    raster_query_add((enum raster_query)p->query, lanes, &io->passed);
    io->live = lanes;
    for (uint32_t t = 0; t < p->targets.count; t++) {
        struct raster_output_colors colors[16];
        if (!p->targets.words[t])
            continue;
        for (uint32_t l = 0; l < 16; l++) {
            uint32_t x = p->block % (tile->width * 4) / 16 * 4 + raster_lane_x(l);
            uint32_t y = p->block / (tile->width * 4) * 4 + raster_lane_y(l), held[4];
            raster_targets_get(&p->targets, tile, t, x, y, p->sample, held);
            raster_texel_unpack(&raster_texels[p->targets.format[t]], held, held);
            for (uint32_t n = 0; n < 4; n++) {
                io->held[t][n][l] = held[n];
                colors[l].src[n] = io->src[t][n][l];
                colors[l].src1[n] = io->src1[t][n][l];
                colors[l].constant[n] = io->constant[t][n];
            }
        }
        raster_output_block(&p->targets, tile, p->block, t, p->sample, &p->blend[t], colors, lanes);
    }
}

/* ---- comparing ---- */

static void differ(const struct program *p, const char *what, size_t at, uint32_t want, uint32_t got)
{
    for (uint32_t t = 0; t < p->targets.count; t++)
        print_message("target %u: %s, equations %u %02x %02x, %u %02x %02x, logic %d %u, mask %x\n", t,
                      raster_texels[p->targets.format[t]].name, p->blend[t].color.func, p->blend[t].color.src,
                      p->blend[t].color.dst, p->blend[t].alpha.func, p->blend[t].alpha.src,
                      p->blend[t].alpha.dst, p->blend[t].logic, p->blend[t].logic_op, p->blend[t].write_mask);
    fail_msg("VITRAIL_DIFF_SEED=%llu: %u samples, depth kind %u: %s word %zu is %08x, expected %08x",
             (unsigned long long)p->number, p->targets.samples, p->targets.depth, what, at, got, want);
}

static void compare_words(const struct program *p, const char *what, const void *want, const void *got,
                          size_t bytes)
{
    for (size_t n = 0; n < bytes / 4; n++) {
        uint32_t w, g;
        memcpy(&w, (const uint8_t *)want + n * 4, 4);
        memcpy(&g, (const uint8_t *)got + n * 4, 4);
        if (w != g)
            differ(p, what, n, w, g);
    }
}

struct scene {
    struct raster_tile tile[2];
    struct io io[2];
};

static uint64_t cases;

static void attempt(const struct random_turn *turn, void *data)
{
    struct scene *s = data;
    struct program p = random_program(turn->number);
    struct util_error error = {0};
    void *code;
    run_fn run;
    uint32_t height;

    raster_targets_size(&p.targets, &p.width, &height);
    p.block = random32() % (p.width * height / 16) * 16;
    struct jit_request request = {
        .key = &p, .key_size = sizeof p, .name = "targets", .emit = emit, .data = &p};
    if (jit_engine_get(turn->engine, &request, &code, &error))
        fail_msg("%llu: %s", (unsigned long long)turn->number, error.text);
    memcpy(&run, &code, sizeof run);
    for (unsigned k = 0; k < INPUTS; k++) {
        memset(s->io, 0, sizeof s->io);
        random_io(&s->io[0]);
        random_tile(&s->tile[0], &p, &s->io[0]);
        s->io[1] = s->io[0];
        s->tile[1] = s->tile[0];
        run_ref(&s->tile[0], &p, &s->io[0]);
        run(&s->tile[1], &s->io[1]);
        compare_words(&p, "color", s->tile[0].color, s->tile[1].color, sizeof s->tile[0].color);
        compare_words(&p, "zs", s->tile[0].zs, s->tile[1].zs, sizeof s->tile[0].zs);
        compare_words(&p, "stencil", s->tile[0].stencil, s->tile[1].stencil, sizeof s->tile[0].stencil);
        compare_words(&p, "io", &s->io[0], &s->io[1], sizeof s->io[0]);
        cases += p.targets.count;
    }
}

static void test_outputs(void **unused)
{
    struct scene *s = aligned_alloc(64, (sizeof *s + 63) & ~(size_t)63);
    assert_non_null(s);
    memset(s, 0, sizeof *s);
    random_programs(random_number_of("VITRAIL_DIFF_SEED", 1), random_number_of("VITRAIL_DIFF_PROGRAMS", 256),
                    1, attempt, s);
    print_message("%llu targets met colours\n", (unsigned long long)cases);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_outputs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
