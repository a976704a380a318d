/* raster/texture/sampler_ir*.c against sampler*.c: random keys, images and lanes of every kind (smooth, far outside,
 * no numbers), each key at a level of the host and in a tier that its number decides. Zero differences; a difference
 * names the case, the key, the lane and what it asked.
 *
 * VITRAIL_DIFF_PROGRAMS keys from VITRAIL_DIFF_SEED on (README.md, "Switches"); tests/diff/run has any number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/builder.h"
#include "raster/texture/sampler_ir.h"
#include "tests/diff/random.h"

#define BATCHES     8          /* of lanes for each key */
#define MEMORY_SIZE (1u << 23) /* of texels */
#define SURFACES    512

struct io {
    _Alignas(64) struct raster_lookup_lanes in;
    _Alignas(64) uint32_t out[4][16];
    struct raster_image image;
    struct raster_sampler_key key;
    uint32_t given; /* which inputs there are, a bit each; the others are zeros */
    uint32_t surface[SURFACES];
};

static uint64_t state;

static uint32_t random32(void)
{
    return (uint32_t)random_next(&state);
}

static uint32_t below(uint32_t n)
{
    return random32() % n;
}

static bool one_in(uint32_t n)
{
    return below(n) == 0;
}

/* ---- keys ---- */

static uint16_t random_format(void)
{
    static const uint16_t usual[] = {
        RASTER_R8G8B8A8_UNORM, RASTER_B8G8R8A8_UNORM,     RASTER_R8G8B8A8_SRGB,
        RASTER_R8_UNORM,       RASTER_R16G16B16A16_FLOAT, RASTER_R32G32B32A32_FLOAT,
        RASTER_Z24X8_UNORM,    RASTER_Z32_FLOAT,          RASTER_R8G8B8A8_UINT};
    uint16_t format;

    if (one_in(2))
        return usual[below(UTIL_ARRAY_SIZE(usual))];
    do
        format = (uint16_t)below(RASTER_FORMAT_COUNT);
    while (!raster_sampler_plain((enum raster_format)format));
    return format;
}

static void random_key(struct raster_sampler_key *key)
{
    static const uint8_t ops[] = {RASTER_SAMPLE, RASTER_SAMPLE,     RASTER_SAMPLE,
                                  RASTER_SAMPLE, RASTER_GATHER,     RASTER_FETCH,
                                  RASTER_FETCH,  RASTER_QUERY_SIZE, RASTER_QUERY_LOD};
    bool plain_swizzle = one_in(2), clamped = one_in(3);

    *key = (struct raster_sampler_key){.format = random_format(),
                                       .op = ops[below(UTIL_ARRAY_SIZE(ops))],
                                       .dim = (uint8_t)below(RASTER_DIM_BUFFER + 1),
                                       .array = one_in(3),
                                       .multisampled = one_in(4),
                                       .layout = one_in(2) ? RASTER_LINEAR : RASTER_UTGARD_TILED,
                                       .listed = one_in(4),
                                       .mag_linear = one_in(2),
                                       .mip = (uint8_t)below(3),
                                       .lod = (uint8_t)below(5),
                                       .compare = one_in(4) ? (uint8_t)(1 + below(8)) : 0,
                                       .component = (uint8_t)below(4),
                                       .offset = one_in(4),
                                       .unnormalized = one_in(10),
                                       .seamless = one_in(2),
                                       .faced = one_in(3),
                                       .whole_layer = one_in(2),
                                       .minify_above_half = one_in(4)};
    key->min_linear = one_in(4) ? !key->mag_linear : key->mag_linear;
    for (unsigned n = 0; n < 4; n++)
        key->swizzle[n] = (uint8_t)(plain_swizzle ? n : below(6));
    for (unsigned n = 0; n < 3; n++)
        key->wrap[n] = (uint8_t)(clamped ? RASTER_CLAMP : below(RASTER_WRAP_COUNT));
    if (key->unnormalized)
        key->mip = RASTER_MIP_NONE;
    for (unsigned n = 0; n < 3 && key->unnormalized; n++)
        key->wrap[n] = raster_texel_wrap(key->wrap[n]);
}

/* ---- images ---- */

static uint32_t random_side(uint32_t log)
{
    return one_in(2) ? 1u << below(log) : 1 + below(1u << below(log));
}

static uint32_t reduced(uint32_t side, uint32_t level)
{
    return UTIL_MAX(side >> level, 1u);
}

/* Gives a level's surfaces places. False: memory is full. */
static bool place(struct io *io, struct raster_image_level *level, uint32_t *end, uint32_t *surfaces)
{
    const struct raster_sampler_key *key = &io->key;
    uint32_t bytes = raster_format_bytes((enum raster_format)key->format), rows = level->height;
    uint32_t slices = io->image.layers * level->depth * (key->dim == RASTER_DIM_CUBE ? 6 : 1), size;

    level->row_stride = level->width * bytes + below(9);
    if (key->layout == RASTER_UTGARD_TILED) {
        level->row_stride = util_div_up(level->width, 16) * 256 * bytes + below(9);
        rows = util_div_up(rows, 16);
    }
    size = level->row_stride * rows;
    if (size >= MEMORY_SIZE)
        return false;
    level->offset = *end + below(9);
    level->sample_stride = size + below(9);
    level->slice_stride = level->sample_stride * io->image.samples + below(9);
    level->first_surface = *surfaces;
    *end = level->offset + level->slice_stride * slices;
    for (uint32_t n = 0; n < slices * io->image.samples && key->listed; n++) {
        if (*surfaces == SURFACES)
            return false;
        io->surface[(*surfaces)++] = below(MEMORY_SIZE - size);
    }
    return *end <= MEMORY_SIZE;
}

static bool random_image(struct io *io, const uint8_t *memory)
{
    const struct raster_sampler_key *key = &io->key;
    struct raster_image *image = &io->image;
    bool cube = key->dim == RASTER_DIM_CUBE, volume = key->dim == RASTER_DIM_3D;
    uint32_t w = random_side(cube || volume ? 5 : 8), h = cube ? w : random_side(volume ? 5 : 8), d = 1,
             end = below(100), surfaces = 0;

    h = key->dim == RASTER_DIM_1D || key->dim == RASTER_DIM_BUFFER ? 1 : h;
    d = volume ? random_side(5) : 1;
    if (key->dim == RASTER_DIM_2D && one_in(30)) /* longer than signed halves are */
        *(one_in(2) ? &w : &h) = RASTER_IMAGE_SIDE - below(RASTER_IMAGE_SIDE / 2);
    *image = (struct raster_image){.memory = memory,
                                   .memory_size = MEMORY_SIZE,
                                   .surface = io->surface,
                                   .surface_count = SURFACES,
                                   .layers = key->array ? 1 + below(5) : 1,
                                   .samples = key->multisampled ? 1u << below(5) : 1,
                                   .lod_bias = one_in(2) ? 0 : (float)(int32_t)random32() * 0x1p-30f,
                                   .lod_min = one_in(2) ? -1000 : (float)below(64) / 16};
    image->lod_max = one_in(2) ? 1000 : image->lod_min + (float)below(64) / 16;
    image->level_count = 1 + below(util_log2(UTIL_MAX(UTIL_MAX(w, h), d)) + 1);
    if (key->dim == RASTER_DIM_BUFFER || key->multisampled)
        image->level_count = 1;
    for (unsigned n = 0; n < 4; n++)
        image->border[n] = one_in(2) ? util_f2u((float)below(1025) / 1024) : random32();
    for (uint32_t l = 0; l < image->level_count; l++) {
        image->level[l].width = reduced(w, l);
        image->level[l].height = reduced(h, l);
        image->level[l].depth = reduced(d, l);
        if (!place(io, &image->level[l], &end, &surfaces))
            return false;
    }
    return true;
}

/* ---- lanes ---- */

/* struct raster_lookup_lanes and struct raster_lookup_ir have the same sixteen in one order. */
#define INPUTS 16
_Static_assert(sizeof(struct raster_lookup_lanes) == 64 * INPUTS, "lanes of words");
_Static_assert(sizeof(struct raster_lookup_ir) == sizeof(LLVMValueRef) * INPUTS, "values");

static uint32_t random_number(void)
{
    static const float special[] = {0.0f,    -0.0f, 1.0f,    -1.0f,  0.5f,     2.0f, 1e30f,  -1e30f,
                                    1e-40f,  3e9f,  -3e9f,   127.f,  1e-8f,    16.f, 255.5f, 2e9f,
                                    0.9999f, 65536, 1048576, -0.25f, -1.2e-38f /* half of it is denormal, and becomes 0 */};

    switch (below(12)) {
    case 0: return random32();
    case 1: return (random32() & 1u << 31) | 0x7f800000 | (one_in(2) ? random32() & 0x7fffff : 0);
    case 2: return util_f2u(special[below(UTIL_ARRAY_SIZE(special))]);
    default: return util_f2u((float)(int32_t)random32() * 0x1p-29f); /* -4..4 */
    }
}

/* Numbers that change little from lane to lane, most of them. */
static void random_floats(uint32_t lane[16], float size)
{
    float a = (float)(int32_t)random32() * 0x1p-30f * size, scale = size / (float)(1u << below(18));
    float dx = (float)(int32_t)random32() * 0x1p-31f * scale,
          dy = (float)(int32_t)random32() * 0x1p-31f * scale;
    bool smooth = !one_in(4);

    for (unsigned l = 0; l < 16; l++) {
        float x = (float)((l & 1) | (l >> 1 & 2)), y = (float)((l >> 1 & 1) | (l >> 2 & 2));
        lane[l] = smooth && below(40) ? util_f2u(a + x * dx + y * dy) : random_number();
    }
}

static void random_integers(uint32_t lane[16], uint32_t most)
{
    bool same = one_in(2);
    uint32_t first = below(most);

    for (unsigned l = 0; l < 16; l++)
        lane[l] = below(30) == 0 ? random32() : same ? first : below(most);
}

static void as_first(uint32_t lane[16])
{
    for (unsigned l = 1; l < 16; l++)
        lane[l] = lane[0];
}

/* Texels side by side, as programs of blocks and kernels fetch them: perhaps held within the image, perhaps one beside
 * the row. */
static void random_row(struct io *io)
{
    struct raster_lookup_lanes *in = &io->in;
    int32_t width = (int32_t)io->image.level[0].width, first = (int32_t)below((uint32_t)width + 16) - 8;
    bool held = !one_in(3);

    for (int32_t l = 0; l < 16; l++)
        in->coordinate[0][l] = (uint32_t)(held ? UTIL_MAX(UTIL_MIN(first + l, width - 1), 0) : first + l);
    as_first(in->coordinate[1]);
    as_first(in->coordinate[2]);
    for (unsigned k = 0; k < 3; k++)
        as_first(in->offset[k]);
    as_first(in->layer);
    as_first(in->lod);
    if (one_in(4))
        in->coordinate[below(2)][below(16)] += below(40);
}

static void random_lanes(struct io *io)
{
    const struct raster_image_level *base = &io->image.level[0];
    bool by_number = io->key.op == RASTER_FETCH || io->key.op == RASTER_QUERY_SIZE;
    uint32_t sides[3] = {base->width, base->height, io->key.dim == RASTER_DIM_CUBE ? 6 : base->depth};
    struct raster_lookup_lanes *in = &io->in;

    for (unsigned k = 0; k < 3; k++) {
        if (by_number || (k == 2 && io->key.faced))
            random_integers(in->coordinate[k], sides[k] + 1);
        else
            random_floats(in->coordinate[k], io->key.unnormalized ? (float)sides[k] : 1);
        random_integers(in->offset[k], 16);
        for (unsigned l = 0; l < 16; l++)
            in->offset[k][l] -= 8;
        random_floats(in->gradient[0][k], 0.1f);
        random_floats(in->gradient[1][k], 0.1f);
    }
    if (by_number || io->key.whole_layer)
        random_integers(in->layer, io->image.layers + 1);
    else
        random_floats(in->layer, 4);
    if (by_number)
        random_integers(in->lod, io->image.level_count + 1);
    else
        random_floats(in->lod, 4);
    random_floats(in->reference, 1);
    random_integers(in->sample, io->image.samples + 1);
    if (io->key.op == RASTER_FETCH && one_in(2))
        random_row(io);
    for (unsigned n = 0; n < INPUTS; n++)
        if (!(io->given >> n & 1))
            memset((uint8_t *)in + n * 64ull, 0, 64);
}

/* ---- the comparison ---- */

static int emit(struct jit_builder *b, void *data)
{
    const struct io *io = data;
    LLVMTypeRef params[1] = {b->ptr};
    LLVMValueRef given[INPUTS] = {NULL}, out[4];
    struct raster_lookup_ir in;

    jit_begin_function(b, b->void_, params, 1);
    for (unsigned n = 0; n < INPUTS; n++)
        if (io->given >> n & 1)
            given[n] = jit_load(b, b->i32x16,
                                jit_offset_const(b, jit_param(b, 0), offsetof(struct io, in) + n * 64ull), 64,
                                false);
    memcpy(&in, given, sizeof in);
    raster_sampler_ir(b, &io->key, jit_offset_const(b, jit_param(b, 0), offsetof(struct io, image)), &in,
                      io->key.swizzle[0] & 1 ? 100 : 1, out);
    for (unsigned n = 0; n < 4; n++)
        jit_store(b, out[n], jit_offset_const(b, jit_param(b, 0), offsetof(struct io, out) + n * 64ull), 64);
    LLVMBuildRetVoid(b->ir);
    return 0;
}

static void tell(const struct random_turn *turn, const struct io *io, unsigned n, unsigned lane,
                 uint32_t want)
{
    const uint8_t *bytes = (const uint8_t *)&io->key;
    const struct raster_lookup_lanes *in = &io->in;

    printf("key:");
    for (size_t i = 0; i < sizeof io->key; i++)
        printf(" %u", bytes[i]);
    printf("\n");
    for (uint32_t l = 0; l < io->image.level_count; l++)
        printf("level %u: %ux%ux%u\n", l, io->image.level[l].width, io->image.level[l].height,
               io->image.level[l].depth);
    for (unsigned k = 0; k < 3; k++)
        printf("coordinate %u: %08x %a, offset %d, gradients %a %a\n", k, in->coordinate[k][lane],
               (double)util_u2f(in->coordinate[k][lane]), (int)in->offset[k][lane],
               (double)util_u2f(in->gradient[0][k][lane]), (double)util_u2f(in->gradient[1][k][lane]));
    fail_msg(
        "case %llu at %s: %s, word %u of lane %u: want %08x, got %08x (layer %08x reference %08x lod %08x "
        "sample %08x)",
        (unsigned long long)turn->number, jit_level_name(jit_engine_level(turn->engine)),
        raster_texels[io->key.format].name, n, lane, want, io->out[n][lane], in->layer[lane],
        in->reference[lane], in->lod[lane], in->sample[lane]);
}

static void attempt(const struct random_turn *turn, void *data)
{
    struct io *io = aligned_alloc(64, (sizeof *io + 63) & ~63ull);
    struct jit_request request = {
        .key = &turn->number, .key_size = 8, .name = "sampler", .emit = emit, .data = io};
    struct util_error error = {0};
    void (*run)(struct io *);
    void *code;

    memset(io, 0, sizeof *io);
    state = turn->number;
    do
        random_key(&io->key);
    while (raster_sampler_validate(&io->key, NULL) || !random_image(io, data));
    io->given = one_in(2) ? UINT32_MAX : random32() | random32();
    if (raster_image_validate(&io->key, &io->image, &error) ||
        jit_engine_get(turn->engine, &request, &code, &error))
        fail_msg("case %llu: %s", (unsigned long long)turn->number, error.text);
    memcpy(&run, &code, sizeof run);
    for (unsigned k = 0; k < BATCHES; k++) {
        uint32_t want[4][16];

        random_lanes(io);
        raster_sampler_run(&io->key, &io->image, &io->in, want);
        run(io);
        for (unsigned n = 0; n < 64; n++)
            if (want[n / 16][n % 16] != io->out[n / 16][n % 16])
                tell(turn, io, n / 16, n % 16, want[n / 16][n % 16]);
    }
    free(io);
}

/* Cases that once differed: a reference that is not given, compared with a denormal. */
static const uint64_t once[] = {12062};

/* Half of it numbers of usual size as single floats, the other half any bits. */
static void cases(void **unused)
{
    uint8_t *memory = malloc(MEMORY_SIZE);

    state = 1;
    for (uint32_t i = 0; i < MEMORY_SIZE; i += 4)
        util_store32(memory + i, i % 8192 < 4096 ? util_f2u((float)below(4096) / 2048 - 0.5f) : random32());
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(once); n++)
        random_programs(once[n], 1, 1, attempt, memory);
    random_programs(random_number_of("VITRAIL_DIFF_SEED", 1), random_number_of("VITRAIL_DIFF_PROGRAMS", 300),
                    1, attempt, memory);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cases)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
