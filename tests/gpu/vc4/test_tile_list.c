/* Compressed primitive lists: every coding of Guide tables 39 to 42 by hand, random streams there and back,
 * and lists that mean harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/vc4/tile_list.h"
#include "util/bits.h"

#define MEMORY_BYTES 65536u

static struct gpu_memory memory;

static uint64_t seed = 1;

static uint32_t random32(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

static uint32_t vertices(uint8_t primitive)
{
    return (primitive & 15) == VC4_TRIANGLES ? 3 : primitive == VC4_LINES ? 2 : 1;
}

/* ---- codings by hand ---- */

struct coding {
    uint8_t primitive;
    uint32_t before[3], now[3];
    uint8_t size, bytes[13];
};

#define XY(x, y)    ((uint32_t)(x) & 0xffff) | (uint32_t)(y) << 16
#define COORDINATES VC4_TRIANGLES | VC4_LIST_COORDINATES

/* Bytes worked out from the tables' bit positions. */
static const struct coding codings[] = {
    /* coding 0: what is in common, then the difference in bits 7:2 */
    {VC4_TRIANGLES, {10, 11, 12}, {12, 11, 13}, 1, {0x04}},
    {VC4_TRIANGLES, {10, 11, 12}, {10, 12, 43}, 1, {0x01 | 31 << 2}},
    {VC4_TRIANGLES, {10, 11, 40}, {11, 10, 9}, 1, {0x02 | (-31 & 63) << 2}},
    /* a difference of -32 is reserved: coding 1 cannot hold it either, coding 2 can */
    {VC4_TRIANGLES, {10, 11, 42}, {42, 11, 10}, 4, {0x1f, 0x82, 42, 0}},
    /* coding 1: three differences of four bits, -8 to 7 */
    {VC4_TRIANGLES, {100, 200, 300}, {92, 207, 299}, 2, {0x83, 0xf7}},
    {VC4_TRIANGLES, {100, 200, 300}, {107, 192, 300}, 2, {0x73, 0x08}},
    /* coding 2: the first absolute, two differences of six bits, -32 to 31 */
    {VC4_TRIANGLES, {0, 0, 0}, {0x1234, 0x1233, 0x1253}, 4, {0xff, 0x7f, 0x34, 0x12}},
    {VC4_TRIANGLES, {0, 0, 0}, {1000, 968, 968}, 4, {0x0f, 0x82, 0xe8, 0x03}},
    /* coding 3 */
    {VC4_TRIANGLES, {0, 0, 0}, {0x1234, 0, 0xffff}, 7, {129, 0x34, 0x12, 0, 0, 0xff, 0xff}},
    /* coordinates: coding 0 with 7 bits each, those of x in bits 7:2 and 8 */
    {COORDINATES, {1, 2, XY(100, 200)}, {XY(100, 200), 2, XY(101, 198)}, 2, {0x00, 0xfd}},
    {COORDINATES, {1, 2, XY(100, 200)}, {1, XY(100, 200), XY(38, 263)}, 2, {0x85, 0x7e}},
    /* differences in x of -63 and -64 are special codes: coding 1, ten bits each */
    {COORDINATES, {1, 2, XY(100, 200)}, {2, 1, XY(37, 205)}, 3, {0x1b, 0x7c, 0x01}},
    {COORDINATES, {1, 2, XY(-3, -4)}, {2, 1, XY(-515, 507)}, 3, {0x0b, 0xe0, 0x7f}},
    /* coding 2: the first absolute, two pairs of seven bits */
    {COORDINATES,
     {0, 0, 0},
     {XY(0x1234, 0x102), XY(0x11f4, 0x141), XY(0x1235, 0x101)},
     8,
     {0x0f, 0xfc, 0x05, 0xfe, 0x34, 0x12, 0x02, 0x01}},
    /* coding 3 */
    {COORDINATES,
     {0, 0, 0},
     {XY(0x1234, 0x5678), XY(1, 2), XY(-1, -2)},
     13,
     {129, 0x34, 0x12, 0x78, 0x56, 1, 0, 2, 0, 0xff, 0xff, 0xfe, 0xff}},
    {VC4_LINES, {10, 11}, {11, 12}, 1, {0x04}},
    {VC4_LINES, {10, 11}, {10, 42}, 1, {0x01 | 31 << 2}},
    {VC4_LINES, {10, 100}, {3, 93}, 2, {0x93, 0x09}},
    {VC4_LINES, {10, 100}, {0x1234, 0x1230}, 3, {0x02 | (-4 & 63) << 2, 0x34, 0x12}},
    {VC4_LINES, {10, 100}, {0x1234, 0x4321}, 5, {129, 0x34, 0x12, 0x21, 0x43}},
    {VC4_POINTS, {10}, {11}, 1, {0x04}},
    {VC4_POINTS, {100}, {69}, 1, {(-31 & 63) << 2}},
    {VC4_POINTS, {100}, {68}, 2, {0x83, 0xff}},
    {VC4_POINTS, {10}, {8201}, 2, {0xff, 0x7f}},
    {VC4_POINTS, {10}, {8202}, 3, {129, 0x0a, 0x20}},
};

static void test_codings(void **unused)
{
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(codings); i++) {
        const struct coding *c = &codings[i];
        uint8_t bytes[VC4_LIST_MAX_XY + 1] = {0};
        uint32_t previous[3], index[3];
        struct gpu_fault fault;
        memcpy(previous, c->before, sizeof previous);
        assert_int_equal(vc4_list_code(c->primitive, previous, c->now, bytes), c->size);
        assert_memory_equal(bytes, c->bytes, c->size);
        assert_memory_equal(previous, c->now, sizeof previous);

        struct vc4_list_reader reader;
        memcpy(memory.base + 100, c->bytes, c->size);
        vc4_list_reader_init(&reader, &memory, 100, c->primitive, 1);
        memcpy(reader.previous, c->before, sizeof reader.previous);
        assert_int_equal(vc4_list_read(&reader, index, &fault), 1);
        assert_memory_equal(index, c->now, vertices(c->primitive) * sizeof index[0]);
        assert_int_equal(reader.at, 100 + c->size);
    }
}

/* Codings 1 of triangles say nothing with bits 3:2 of 0, 1 or 2; the reader takes all three. */
static void test_coding_one_twins(void **unused)
{
    for (unsigned twin = 0; twin < 3; twin++) {
        struct vc4_list_reader reader;
        struct gpu_fault fault;
        uint32_t index[3];
        const uint8_t bytes[] = {(uint8_t)(0x13 | twin << 2), 0x32};
        memcpy(memory.base + 64, bytes, sizeof bytes);
        vc4_list_reader_init(&reader, &memory, 64, VC4_TRIANGLES, 1);
        assert_int_equal(vc4_list_read(&reader, index, &fault), 1);
        assert_int_equal(index[0], 1);
        assert_int_equal(index[1], 2);
        assert_int_equal(index[2], 3);
    }
}

/* ---- random streams ---- */

/* Mostly what meshes do - shared edges, near indices - and sometimes anything. */
static void next_primitive(const uint32_t before[3], uint32_t out[3])
{
    uint32_t kind = random32() % 8, reach = 1u << random32() % 16;
    for (unsigned i = 0; i < 3; i++)
        out[i] = (before[random32() % 3] + random32() % reach - reach / 2) & 0xffff;
    if (kind < 3) {
        out[0] = before[kind == 0 ? 2 : kind == 1 ? 0 : 1];
        out[1] = before[kind == 0 ? 1 : kind == 1 ? 2 : 0];
        out[2] = (before[2] + random32() % 64 - 32) & 0xffff;
    }
    if (kind == 7)
        for (unsigned i = 0; i < 3; i++)
            out[i] = random32() & 0xffff;
}

/* The same for coordinates: each half by itself, without carries between them. */
static void next_coordinates(const uint32_t before[3], uint32_t out[3])
{
    uint32_t x[3], y[3], low[3], high[3];
    for (unsigned i = 0; i < 3; i++) {
        low[i] = before[i] & 0xffff;
        high[i] = before[i] >> 16;
    }
    uint64_t saved = seed;
    next_primitive(low, x);
    uint64_t after = seed;
    seed = saved; /* the same choice of what is shared */
    next_primitive(high, y);
    seed = after;
    if (random32() % 2)
        y[2] = (high[2] + random32() % 1024 - 512) & 0xffff;
    for (unsigned i = 0; i < 3; i++)
        out[i] = x[i] | y[i] << 16;
}

static void test_coordinates_round_trip(void **unused)
{
    enum { COUNT = 2000 };
    static uint32_t stream[COUNT][3];
    uint32_t sizes[VC4_LIST_MAX_XY + 1] = {0};
    for (unsigned run = 0; run < 20; run++) {
        uint32_t previous[3] = {0, 0, 0}, got[3], at = 4096;
        for (uint32_t i = 0; i < COUNT; i++)
            next_coordinates(i ? stream[i - 1] : previous, stream[i]);
        for (uint32_t i = 0; i < COUNT; i++) {
            uint32_t size = vc4_list_code(COORDINATES, previous, stream[i], memory.base + at);
            assert_in_range(size, 2, VC4_LIST_MAX_XY);
            sizes[size]++;
            at += size;
        }
        memory.base[at++] = VC4_LIST_ESCAPE;
        struct vc4_list_reader reader;
        struct gpu_fault fault;
        vc4_list_reader_init(&reader, &memory, 4096, COORDINATES, COUNT);
        for (uint32_t i = 0; i < COUNT; i++) {
            assert_int_equal(vc4_list_read(&reader, got, &fault), 1);
            assert_memory_equal(got, stream[i], sizeof got);
        }
        assert_int_equal(vc4_list_read(&reader, got, &fault), 0);
        assert_int_equal(reader.at, at);
    }
    assert_true(sizes[2] && sizes[3] && sizes[8] && sizes[13]);
}

static void test_round_trip(void **unused)
{
    enum { COUNT = 2000 };
    static uint32_t stream[COUNT][3];
    for (uint8_t primitive = VC4_POINTS; primitive <= VC4_TRIANGLES; primitive++) {
        for (unsigned run = 0; run < 20; run++) {
            uint32_t previous[3] = {0, 0, 0}, index[3], at = 4096;
            for (uint32_t i = 0; i < COUNT; i++) {
                next_primitive(i ? stream[i - 1] : previous, stream[i]);
                for (uint32_t k = vertices(primitive); k < 3; k++)
                    stream[i][k] = 0;
            }
            for (uint32_t i = 0; i < COUNT; i++) {
                uint32_t size = vc4_list_code(primitive, previous, stream[i], memory.base + at);
                assert_in_range(size, 1, VC4_LIST_MAX_CODE);
                at += size;
            }
            memory.base[at++] = VC4_LIST_ESCAPE;

            struct vc4_list_reader reader;
            struct gpu_fault fault;
            vc4_list_reader_init(&reader, &memory, 4096, primitive, COUNT);
            for (uint32_t i = 0; i < COUNT; i++) {
                assert_int_equal(vc4_list_read(&reader, index, &fault), 1);
                assert_memory_equal(index, stream[i], sizeof index);
            }
            assert_int_equal(vc4_list_read(&reader, index, &fault), 0);
            assert_int_equal(reader.at, at);
        }
    }
}

/* ---- branches and hostile lists ---- */

static void put_branch(uint32_t at, int16_t lines)
{
    memory.base[at] = VC4_LIST_BRANCH;
    memcpy(memory.base + at + 1, &lines, sizeof lines);
}

static void test_branches(void **unused)
{
    struct vc4_list_reader reader;
    struct gpu_fault fault;
    uint32_t index[3];
    /* Counted from the line that holds the code: 0x1014 lies in line 0x1000. */
    memory.base[0x1013] = 5 << 2;
    put_branch(0x1014, 3);
    memory.base[0x1060] = 5 << 2;
    put_branch(0x1061, -0x60 / 32 - 1);
    memory.base[0x0fe0] = VC4_LIST_ESCAPE;
    memory.base[0x1000] = VC4_LIST_ESCAPE;
    vc4_list_reader_init(&reader, &memory, 0x1013, VC4_POINTS, 10);
    assert_int_equal(vc4_list_read(&reader, index, &fault), 1);
    assert_int_equal(vc4_list_read(&reader, index, &fault), 1);
    assert_int_equal(index[0], 10);
    assert_int_equal(vc4_list_read(&reader, index, &fault), 0);
    assert_int_equal(reader.at, 0x0fe1);
}

static void expect_fault(uint32_t at, uint8_t primitive, uint64_t budget, enum gpu_fault_kind kind)
{
    struct vc4_list_reader reader;
    struct gpu_fault fault = {0};
    uint32_t index[3];
    int status;
    vc4_list_reader_init(&reader, &memory, at, primitive, budget);
    while ((status = vc4_list_read(&reader, index, &fault)) == 1)
        ;
    assert_int_equal(status, -1);
    assert_int_equal(fault.kind, kind);
    assert_true(fault.text[0]);
}

static void test_faults(void **unused)
{
    put_branch(0x2000, 0); /* to itself */
    expect_fault(0x2000, VC4_TRIANGLES, 1000, GPU_FAULT_TIMEOUT);
    memset(memory.base + 0x3000, 0, 64); /* endless enough for the budget */
    expect_fault(0x3000, VC4_TRIANGLES, 60, GPU_FAULT_TIMEOUT);
    put_branch(0x2000, INT16_MIN); /* below 0: wraps out of memory */
    expect_fault(0x2000, VC4_LINES, 1000, GPU_FAULT_LIST);
    expect_fault(MEMORY_BYTES, VC4_POINTS, 1000, GPU_FAULT_LIST);
    expect_fault(UINT32_MAX, VC4_POINTS, 1000, GPU_FAULT_LIST);
    memset(memory.base + MEMORY_BYTES - 8, 0, 8); /* runs off the end */
    expect_fault(MEMORY_BYTES - 8, VC4_TRIANGLES, 1000, GPU_FAULT_LIST);
    memory.base[MEMORY_BYTES - 1] = 129; /* an absolute coding that does not fit */
    expect_fault(MEMORY_BYTES - 1, VC4_TRIANGLES, 1000, GPU_FAULT_LIST);
    memory.base[MEMORY_BYTES - 12] = 129; /* 13 bytes, of which 12 are there */
    expect_fault(MEMORY_BYTES - 12, COORDINATES, 1000, GPU_FAULT_LIST);
    memory.base[0x2000] = 2; /* "not implemented" */
    expect_fault(0x2000, VC4_POINTS, 1000, GPU_FAULT_PACKET);
    memory.base[0x2000] = 15;
    expect_fault(0x2000, VC4_LINES, 1000, GPU_FAULT_PACKET);
}

static void test_random_bytes(void **unused)
{
    for (uint32_t i = 0; i < MEMORY_BYTES; i++)
        memory.base[i] = (uint8_t)(random32() % 4 ? random32() : 130);
    for (unsigned run = 0; run < 20000; run++) {
        struct vc4_list_reader reader;
        struct gpu_fault fault;
        uint32_t index[3], steps = 0;
        uint32_t at = random32() % 4 ? random32() % MEMORY_BYTES : MEMORY_BYTES - random32() % 16;
        vc4_list_reader_init(&reader, &memory, at, (uint8_t)(random32() % 3), 500);
        while (vc4_list_read(&reader, index, &fault) == 1) {
            assert_true(index[0] < 65536 && index[1] < 65536 && index[2] < 65536);
            assert_true(++steps <= 500);
        }
    }
}

/* Several at a time: the same triangles, end, faults and budgets as one by one. */
static void test_several(void **unused)
{
    uint32_t ends[3] = {0}, longest = 0;
    for (uint32_t i = 0; i < MEMORY_BYTES; i++)
        memory.base[i] = (uint8_t)random32();
    for (uint32_t i = 0; i < MEMORY_BYTES; i++)
        memory.base[i] ^= memory.base[i] == 128 && random32() % 8 ? 1 : 0; /* longer lists */
    for (unsigned run = 0; run < 20000; run++) {
        uint32_t at = random32() % 4 ? random32() % MEMORY_BYTES : MEMORY_BYTES - random32() % 64, total = 0;
        uint32_t room = 1 + random32() % 16, previous = random32() & 0xffff, index[16][3], expected[3];
        struct vc4_list_reader one, several;
        struct gpu_fault fault[2] = {0};
        int got = 1, status;
        vc4_list_reader_init(&one, &memory, at, VC4_TRIANGLES, random32() % 2 ? 500 : random32() % 20);
        one.previous[0] = one.previous[1] = one.previous[2] = previous;
        several = one;
        while (got == 1) {
            uint32_t count = vc4_list_read_triangles(&several, index, room, &got, &fault[0]);
            assert_true(got == 1 ? count == room : count < room);
            for (uint32_t i = 0; i < count; i++) {
                assert_int_equal(vc4_list_read(&one, expected, &fault[1]), 1);
                assert_memory_equal(index[i], expected, sizeof expected);
            }
            total += count;
        }
        status = vc4_list_read(&one, expected, &fault[1]);
        assert_int_equal(status, got);
        assert_int_equal(several.at, one.at);
        assert_int_equal(several.budget, one.budget);
        assert_int_equal(fault[0].kind, fault[1].kind);
        assert_int_equal(fault[0].address, fault[1].address);
        assert_string_equal(fault[0].text, fault[1].text);
        ends[1 + got]++;
        longest = UTIL_MAX(longest, total);
    }
    assert_true(ends[0] > 100 && ends[1] > 100 && longest > 64);
}

static int set_up(void **unused)
{
    return gpu_memory_create(MEMORY_BYTES, &memory);
}

static int tear_down(void **unused)
{
    gpu_memory_destroy(&memory);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codings),    cmocka_unit_test(test_coding_one_twins),
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_branches),
        cmocka_unit_test(test_faults),     cmocka_unit_test(test_random_bytes),
        cmocka_unit_test(test_several),    cmocka_unit_test(test_coordinates_round_trip),
    };
    return cmocka_run_group_tests_name("tile lists", tests, set_up, tear_down);
}
