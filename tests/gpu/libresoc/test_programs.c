/* The programs of tests/libresoc/draw, a launch at a time, beside the same in C, interpreted and compiled: bit by bit (SIMPLE_V.md 12.1, T4 to T7). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "gpu/libresoc/stage.h"
#include "isa/random.h"
#include "tests/gpu/engine.h"
#include "tests/gpu/libresoc/guest.h"

#define LAUNCHES 300u

static struct libresoc_local local;

/* A stage over memory of its own. */
struct bench {
    struct gpu_memory memory;
    struct gpu_programs *programs;
    struct libresoc_written written;
    struct libresoc_stage stage;
};

#define UNIFORMS 0x10000u
#define TEXELS   0x20000u

/* What the frame writes: the rest may be read. */
static const struct libresoc_written written = {{{0xd0000, 0xe0000}, {0}, {0x80000, 0x90000}}};

static void open_text(struct bench *b, enum libresoc_stage_kind kind, const char *text, size_t length)
{
    struct util_error error = {0};
    struct gpu_fault fault;
    uint32_t count;
    void *words;
    *b = (struct bench){.written = written};
    if (simple_v_asm(text, length, &words, &count, &error))
        fail_msg("%s", error.text);
    assert_int_equal(gpu_memory_create(1u << 20, &b->memory), 0);
    memcpy(b->memory.base + GPU_PAGE, words, count * 2ull);
    free(words);
    assert_int_equal(gpu_programs_create(&libresoc_program_kind, &b->programs), 0);
    b->stage =
        (struct libresoc_stage){.kind = kind, .memory = &b->memory, .written = &b->written, .fuel = 1u << 20};
    const struct libresoc_program_record record = {
        .address = GPU_PAGE, .bytes = count * 2, .uniforms = UNIFORMS};
    assert_true(libresoc_stage_take(b->programs, engine, &record, &b->stage, &fault));
    assert_int_equal(!b->stage.code, !engine);
}

static void open_bench(struct bench *b, enum libresoc_stage_kind kind, const char *file)
{
    char path[256], text[16384];
    snprintf(path, sizeof path, SOURCE_DIR "/tests/libresoc/draw/%s", file);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    const size_t length = fread(text, 1, sizeof text, in);
    fclose(in);
    assert_true(length < sizeof text);
    open_text(b, kind, text, length);
}

static void close_bench(struct bench *b)
{
    gpu_programs_destroy(b->programs);
    gpu_memory_destroy(&b->memory);
}

static void run(const struct bench *b, uint32_t in_streams, uint32_t out_bytes, uint64_t mask)
{
    struct libresoc_launch launch = {.local = &local,
                                     .in_bytes = in_streams * (uint32_t)sizeof(libresoc_stream),
                                     .out_bytes = out_bytes,
                                     .lanes = LIBRESOC_LANES,
                                     .mask = mask,
                                     .fuel = UINT64_MAX};
    struct gpu_fault fault;
    char text[512];
    if (!libresoc_stage_run(&b->stage, &launch, &fault)) {
        gpu_fault_format(&fault, text, sizeof text);
        fail_msg("%s", text);
    }
    assert_true(launch.left == mask);
}

static float number(struct isa_random *random, float least, float most)
{
    return least + (most - least) * (float)(isa_random_next(random) >> 40) * 0x1p-24f;
}

static float in_at(uint32_t stream, uint32_t lane)
{
    return util_u2f(local.in[stream][lane]);
}

/* ---- T4, T5: the matrix in the order of fmaf; the length by a root ---- */

static void expect_vertex(const float u[21], uint32_t lane)
{
    const float x = in_at(0, lane), y = in_at(1, lane), z = in_at(2, lane);
    const float a = in_at(3, lane), b = in_at(4, lane), c = in_at(5, lane);
    for (unsigned row = 0; row < 4; row++) {
        const float sum = fmaf(z, u[8 + row], fmaf(y, u[4 + row], x * u[row])) + u[12 + row];
        assert_int_equal(local.out[row][lane], util_f2u(sum));
    }
    const float lit = fmaf(c, u[18], fmaf(b, u[17], a * u[16])),
                length = sqrtf(fmaf(c, c, fmaf(b, b, a * a)));
    assert_int_equal(local.out[4][lane], local.in[6][lane]);
    assert_int_equal(local.out[5][lane], local.in[7][lane]);
    assert_int_equal(local.out[6][lane], util_f2u(fmaxf(lit / length, 0.0f) * u[19] + u[20]));
}

static void test_vertex(void **state)
{
    struct isa_random random = {4};
    struct bench b;
    open_bench(&b, LIBRESOC_VERTEX, "vertex.s");
    for (uint32_t launch = 0; launch < LAUNCHES; launch++) {
        float uniforms[21];
        for (unsigned n = 0; n < 21; n++)
            uniforms[n] = number(&random, -2, 2);
        memcpy(b.memory.base + UNIFORMS, uniforms, sizeof uniforms);
        for (unsigned stream = 0; stream < 8; stream++)
            for (uint32_t lane = 0; lane < LIBRESOC_LANES; lane++)
                local.in[stream][lane] = util_f2u(number(&random, -8, 8));
        memset(local.out, 0, sizeof local.out);
        run(&b, 8, 7 * sizeof(libresoc_stream), UINT64_MAX);
        for (uint32_t lane = 0; lane < LIBRESOC_LANES; lane++)
            expect_vertex(uniforms, lane);
    }
    close_bench(&b);
}

/* ---- T6: four texels ---- */

static uint32_t clamped(int32_t x, uint32_t size)
{
    return x < 0 ? 0 : x < (int32_t)size ? (uint32_t)x : size - 1;
}

static uint32_t mix(uint32_t a, uint32_t b, uint32_t weight)
{
    return (a * (256 - weight) + b * weight + 128) >> 8;
}

static void expect_fragment(const struct bench *b, uint32_t side, uint32_t lane)
{
    const uint8_t *texels = b->memory.base + TEXELS;
    const float scale = (float)side * 256.0f;
    const int32_t x = (int32_t)rintf(in_at(4, lane) * scale + -128.0f),
                  y = (int32_t)rintf(in_at(5, lane) * scale + -128.0f);
    const uint32_t light = clamped((int32_t)rintf(in_at(6, lane) * 255.0f), 256);
    const uint8_t *color = (const uint8_t *)&local.out[0][lane];
    for (unsigned c = 0; c < 4; c++) {
        uint32_t row[2];
        for (int n = 0; n < 2; n++) {
            const uint8_t *at = texels + (size_t)clamped((y >> 8) + n, side) * side * 4 + c;
            row[n] = mix(at[4ul * clamped(x >> 8, side)], at[4ul * clamped((x >> 8) + 1, side)], x & 255);
        }
        const uint32_t weight = c < 3 ? light : 255;
        const uint32_t expected = (mix(row[0], row[1], y & 255) * (weight + (weight >> 7)) + 128) >> 8;
        if (color[c] != expected)
            fail_msg("lane %u, channel %u: %u instead of %u", lane, c, color[c], expected);
    }
}

static void test_fragment(void **state)
{
    struct isa_random random = {6};
    struct bench b;
    open_bench(&b, LIBRESOC_FRAGMENT, "fragment.s");
    for (uint32_t launch = 0; launch < LAUNCHES; launch++) {
        const uint32_t side = launch % 3 ? 256 : 1 + (uint32_t)(isa_random_next(&random) % 20);
        const uint32_t words[4] = {side, side, side * 4, 0};
        for (uint32_t n = 0; n < side * side; n++)
            util_store32(b.memory.base + TEXELS + 4ul * n, (uint32_t)isa_random_next(&random));
        util_store64(b.memory.base + UNIFORMS, TEXELS);
        memcpy(b.memory.base + UNIFORMS + 8, words, sizeof words);
        for (uint32_t lane = 0; lane < LIBRESOC_LANES; lane++) {
            local.in[4][lane] = util_f2u(number(&random, -0.25f, 1.25f));
            local.in[5][lane] = util_f2u(number(&random, -0.25f, 1.25f));
            local.in[6][lane] = util_f2u(number(&random, -0.25f, 1.25f));
        }
        run(&b, 7, sizeof(libresoc_stream), UINT64_MAX);
        for (uint32_t lane = 0; lane < LIBRESOC_LANES; lane++)
            expect_fragment(&b, side, lane);
    }
    close_bench(&b);
}

/* ---- T7: under a mask ---- */

static uint32_t blended(uint32_t source, uint32_t before)
{
    const uint32_t alpha = source >> 24;
    uint32_t out = 0;
    for (unsigned c = 0; c < 32; c += 8) {
        const uint32_t sum = (source >> c & 255) * alpha + (before >> c & 255) * (255 - alpha);
        out |= ((sum + 127) / 255) << c; /* to the nearest: there are no halves of 255 */
    }
    return out;
}

static void test_blend(void **state)
{
    struct isa_random random = {7};
    uint32_t before[LIBRESOC_LANES];
    struct bench b;
    open_bench(&b, LIBRESOC_BLEND, "blend.s");
    for (uint32_t launch = 0; launch < LAUNCHES; launch++) {
        const uint64_t mask = launch % 8 ? isa_random_next(&random) : launch % 16 ? 0 : UINT64_MAX;
        for (uint32_t lane = 0; lane < LIBRESOC_LANES; lane++) {
            local.in[0][lane] = (uint32_t)isa_random_next(&random);
            before[lane] = local.out[0][lane] = (uint32_t)isa_random_next(&random);
        }
        run(&b, 1, sizeof(libresoc_stream), mask);
        for (uint32_t lane = 0; lane < LIBRESOC_LANES; lane++)
            assert_int_equal(local.out[0][lane],
                             mask >> lane & 1 ? blended(local.in[0][lane], before[lane]) : before[lane]);
    }
    close_bench(&b);
}

/* ---- addresses that are vectors: all in one piece of memory, or in several ---- */

enum { GATHERED = 16 };
static const char gathering[] = "sv.setvl x0, x0, 16\n"
                                "p48 ld x32v, 0(x13)\n"
                                "p48 lwu x64v, 0(x32v), itype:32\n"
                                "p48 sw x64v, 0(x14), itype:32\n"
                                "jalr x0, 0(x1)\n";

/* Where words may be read, each piece to its last byte. */
static const struct {
    uint64_t from, to;
} pieces[] = {{0, 0x80000},
              {0x90000, 0xd0000},
              {0xe0000, 1u << 20},
              {LIBRESOC_STACK_AT, LIBRESOC_STACK_AT + LIBRESOC_STACK},
              {LIBRESOC_IN_AT, LIBRESOC_IN_AT + 2 * sizeof(libresoc_stream)},
              {LIBRESOC_OUT_AT, LIBRESOC_OUT_AT + sizeof(libresoc_stream)}};

static uint64_t readable(struct isa_random *random, unsigned piece)
{
    const uint64_t last = pieces[piece].to - pieces[piece].from - 4;
    return pieces[piece].from + (isa_random_one_in(random, 8) ? isa_random_one_in(random, 2) ? last : 0
                                                              : isa_random_below(random, (uint32_t)last + 1));
}

static uint32_t word_at(const struct bench *b, uint64_t address)
{
    uint32_t word = 0;
    if (address < LIBRESOC_STACK_AT)
        memcpy(&word, b->memory.base + address, 4);
    else if (address >= LIBRESOC_OUT_AT)
        memcpy(&word, (const uint8_t *)local.out + (address - LIBRESOC_OUT_AT), 4);
    else if (address >= LIBRESOC_IN_AT)
        memcpy(&word, (const uint8_t *)local.in + (address - LIBRESOC_IN_AT), 4);
    return word;
}

static void fill_at_random(struct isa_random *random, void *at, size_t bytes)
{
    for (uint8_t *to = at; bytes--; to++)
        *to = (uint8_t)isa_random_next(random);
}

/* Of half of the launches all addresses are of one piece. */
static void some_addresses(struct isa_random *random, uint64_t address[GATHERED])
{
    const unsigned piece = isa_random_below(random, UTIL_ARRAY_SIZE(pieces));
    const bool apart = isa_random_one_in(random, 2);
    for (unsigned l = 0; l < GATHERED; l++)
        address[l] = readable(random, apart ? isa_random_below(random, UTIL_ARRAY_SIZE(pieces)) : piece);
    fill_at_random(random, local.in, 2 * sizeof(libresoc_stream));
    fill_at_random(random, local.out, sizeof(libresoc_stream));
    memcpy(local.in, address, GATHERED * sizeof *address);
}

static void test_addresses_of_several_pieces(void **state)
{
    struct isa_random random = {8};
    struct bench b;
    open_text(&b, LIBRESOC_FRAGMENT, gathering, sizeof gathering - 1);
    fill_at_random(&random, b.memory.base + UNIFORMS, b.memory.size - UNIFORMS);
    for (uint32_t launch = 0; launch < 10 * LAUNCHES; launch++) {
        uint64_t address[GATHERED];
        uint32_t expected[GATHERED];
        some_addresses(&random, address);
        for (unsigned l = 0; l < GATHERED; l++)
            expected[l] = word_at(&b, address[l]);
        run(&b, 2, sizeof(libresoc_stream), 1);
        assert_memory_equal(local.out, expected, sizeof expected);
    }
    close_bench(&b);
}

static void test_an_address_that_may_not_be_read_is_told(void **state)
{
    struct isa_random random = {9};
    struct bench b;
    open_text(&b, LIBRESOC_FRAGMENT, gathering, sizeof gathering - 1);
    for (uint32_t launch = 0; launch < LAUNCHES; launch++) {
        static const uint64_t bad[] = {0x7fffd,
                                       0x80000,
                                       0x8ffff,
                                       0xcfffd,
                                       0xdabcd,
                                       0xffffd,
                                       1u << 20,
                                       0xffffffff,
                                       UINT64_MAX - 2,
                                       LIBRESOC_STACK_AT - 1,
                                       LIBRESOC_STACK_AT + LIBRESOC_STACK - 3,
                                       LIBRESOC_IN_AT + 2 * sizeof(libresoc_stream) - 3,
                                       LIBRESOC_OUT_AT - 1,
                                       LIBRESOC_OUT_AT + 253,
                                       LIBRESOC_EXIT};
        struct libresoc_launch it = {.local = &local,
                                     .in_bytes = 2 * sizeof(libresoc_stream),
                                     .out_bytes = sizeof(libresoc_stream),
                                     .lanes = LIBRESOC_LANES,
                                     .mask = 1,
                                     .fuel = UINT64_MAX};
        const unsigned lane = isa_random_below(&random, GATHERED);
        struct gpu_fault fault;
        uint64_t address[GATHERED];
        some_addresses(&random, address);
        address[lane] = bad[launch % UTIL_ARRAY_SIZE(bad)];
        memcpy(local.in, address, sizeof address);
        assert_false(libresoc_stage_run(&b.stage, &it, &fault));
        assert_int_equal(fault.kind, GPU_FAULT_MEMORY);
        assert_true(fault.address == address[lane]);
        assert_int_equal(fault.lane, lane);
    }
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vertex),
        cmocka_unit_test(test_fragment),
        cmocka_unit_test(test_blend),
        cmocka_unit_test(test_addresses_of_several_pieces),
        cmocka_unit_test(test_an_address_that_may_not_be_read_is_told),
    };
    return cmocka_run_group_tests_name("libresoc programs", tests, NULL, NULL) ||
           cmocka_run_group_tests_name("libresoc programs, compiled", tests, start_engine, stop_engine);
}
