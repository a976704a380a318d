/* Pieces of primitive lists against the plain way: all indices at once through the assembler, all triangles
 * one by one through the scalar cull; with and without workers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tiler/piece.h"
#include "util/bits.h"

#define LENGTH   (TILER_PIECE + 3 * TILER_CHUNK + 17u) /* of a list, at most: two pieces */
#define VERTICES 5000u

static struct tiler_piece *piece;
static struct util_pool *pool;
static uint8_t bytes[LENGTH * 4 + 1];
static uint32_t plain[LENGTH], made[LENGTH][3], chunk_made[TILER_CHUNK][3];
static struct tiler_vertex vertices[65536];
static struct tiler_triangle expected[LENGTH];
static uint16_t narrow[LENGTH][3];

static uint64_t seed = 5;
static uint32_t below(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32) % n;
}

/* A list of `length` indices of 1 << log2 bytes, `base` and more; plain[] without the base. */
static struct tiler_source source(bool indexed, uint32_t log2, uint32_t base, uint32_t length)
{
    uint32_t span = log2 ? VERTICES : 256 - base, first = below(60000);
    for (uint32_t i = 0; i < length; i++) {
        uint32_t value = base + below(span);
        memcpy(bytes + 1 + ((size_t)i << log2), &value, 1u << log2);
        plain[i] = indexed ? value - base : (first + i) & 0xffff;
    }
    return indexed ? (struct tiler_source){.bytes = bytes + 1, .log2 = log2, .base = base, .length = length}
                   : (struct tiler_source){.first = first, .length = length};
}

static void check_range(const struct tiler_source *s, struct tiler_range got, uint32_t count)
{
    uint32_t least = UINT32_MAX, greatest = 0;
    for (uint32_t i = 0; i < count; i++) {
        least = UTIL_MIN(least, plain[i] + s->base);
        greatest = UTIL_MAX(greatest, plain[i] + s->base);
    }
    assert_int_equal(got.least, least);
    assert_int_equal(got.greatest, greatest);
}

/* The first piece's primitives and the second's are the list's. */
static void check_assembly(const struct tiler_source *s, enum tiler_mode mode, bool named)
{
    struct tiler_assembler all, at;
    uint32_t whole = (uint32_t)s->length, n = 0;
    tiler_assemble_begin(&all, mode);
    tiler_assemble_begin(&at, mode);
    uint32_t count = tiler_assemble(&all, plain, whole, made);
    for (uint32_t done = 0; done < whole; done += TILER_PIECE) {
        uint32_t size = UTIL_MIN(whole - done, TILER_PIECE);
        struct tiler_range range = tiler_piece_fetch(piece, s, done, size, named, pool);
        if (s->bytes && !done && size == whole)
            check_range(s, range, size);
        for (uint32_t chunk = 0; chunk < tiler_piece_chunks(piece); chunk++) {
            uint32_t got = tiler_piece_assemble(piece, &at, chunk, chunk_made);
            assert_true(n + got <= count);
            for (uint32_t i = 0; i < got; i++, n++)
                for (unsigned k = 0; k < 3; k++)
                    assert_int_equal(chunk_made[i][k] & 0xffff, made[n][k]);
        }
        at = tiler_piece_assembler(piece, &at, size);
    }
    assert_int_equal(n, count);
}

static void test_assembly(void **unused)
{
    (void)unused;
    for (unsigned round = 0; round < 60; round++) {
        uint32_t log2 = round % 3, base = below(2) ? below(100) : 0;
        uint32_t length = 1 + (round % 10 == 9 ? LENGTH - 1 - below(100) : below(4 * TILER_CHUNK));
        struct tiler_source s = source(round % 7 != 0, log2, base, length);
        bool named = s.bytes && below(2);
        check_assembly(&s, (enum tiler_mode)below(TILER_MODE_COUNT), named);
        if (!named)
            continue;
        static uint16_t taken[65536 + 16]; /* all that the list names, once */
        static bool seen[65536];
        memset(seen, 0, sizeof seen);
        tiler_marks_begin(&piece->marks);
        uint32_t n = tiler_marks_take(&piece->marks, 0, 65535, taken), different = 0;
        for (uint32_t i = 0; i < length; i++) {
            different += !seen[plain[i]];
            seen[plain[i]] = true;
        }
        assert_int_equal(n, different);
    }
}

static void test_cull(void **unused)
{
    (void)unused;
    uint32_t total = 0;
    for (uint32_t i = 0; i < UTIL_ARRAY_SIZE(vertices); i++) {
        vertices[i].xy = below(8000) | below(8000) << 16;
        vertices[i].code = below(50) ? 0 : TILER_OUT_LEFT;
    }
    for (unsigned round = 0; round < 12; round++) {
        static const enum tiler_mode modes[] = {TILER_TRIANGLES, TILER_TRIANGLE_STRIP, TILER_TRIANGLE_FAN};
        uint32_t length = round < 9 ? 1 + below(5 * TILER_CHUNK) : TILER_PIECE - below(50);
        struct tiler_source s = source(round % 4 != 0, 1, 0, length);
        struct tiler_cull cull = {
            .vertex = vertices, .keep_positive = true, .keep_negative = round & 1, .grid = {.shift = 4}};
        struct tiler_assembler begin, all;
        struct tiler_culled culled = {0};
        cull.grid.x1 = cull.grid.y1 = 480;
        tiler_assemble_begin(&begin, modes[round % 3]);
        all = begin;
        uint32_t count = tiler_assemble(&all, plain, length, made), n = 0;
        for (uint32_t i = 0; i < count; i++)
            for (unsigned k = 0; k < 3; k++)
                narrow[i][k] = (uint16_t)made[i][k];
        uint32_t kept = tiler_cull_scalar(&cull, (const uint16_t(*)[3])narrow, count, expected, &culled);
        tiler_piece_fetch(piece, &s, 0, length, false, pool);
        tiler_piece_cull(piece, &begin, &cull, round & 2 ? pool : NULL);
        for (uint32_t c = 0; c < tiler_piece_chunks(piece); c++) {
            const struct tiler_chunk *chunk = &piece->chunk[c];
            count -= chunk->primitives;
            culled.outside -= chunk->culled.outside;
            culled.reversed -= chunk->culled.reversed;
            assert_true(n + chunk->kept <= kept);
            for (uint32_t i = 0; i < chunk->kept; i++, n++) {
                const struct tiler_triangle *t = &piece->kept[c * TILER_CHUNK + i];
                assert_memory_equal(t->index, expected[n].index, sizeof t->index);
                assert_int_equal(t->code, expected[n].code);
                if (!t->code)
                    assert_memory_equal(&t->box, &expected[n].box, sizeof t->box);
            }
        }
        assert_int_equal(n, kept);
        assert_true(!count && !culled.outside && !culled.reversed);
        total += kept;
    }
    assert_true(total > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_assembly), cmocka_unit_test(test_cull)};
    piece = aligned_alloc(64, util_align(sizeof *piece, 64));
    if (!piece || util_pool_create(3, &pool))
        return 1;
    memset(&piece->marks, 0, sizeof piece->marks);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    util_pool_destroy(pool);
    free(piece);
    return failed;
}
