/* The VPM of user programs in every mode, and DMA between it and memory by every set-up (Guide section 7,
 * tables 32 to 37). Everything is done interpreted and compiled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/gpu/vc4/user_guest.h"

/* ---- VPM ---- */

/* Writes lane numbers by one set-up and stores the rows; what is where, Guide figures 8 and 9 say. */
static void write_vpm(struct user_guest *g, uint32_t setup)
{
    char text[512];
    snprintf(text, sizeof text,
             "or ra0, unif, unif\n"
             "ldi vw_setup, 0x%x\n"
             "add vpm, elem_num, 1\n" STORE_ROWS,
             setup);
    memset(user_words(g, OUT), 0xee, 64 * 64);
    user_run(g, text, 0);
}

static uint8_t byte_at(struct user_guest *g, unsigned row, unsigned column, unsigned byte)
{
    return ((uint8_t *)user_words(g, OUT))[row * 64 + column * 4 + byte];
}

#define VPM_SETUP(horizontal, laned, size, address)                                                          \
    (1u << 12 | (horizontal) << 11 | (laned) << 10 | (size) << 8 | (address))

static void vpm_write_modes(void **state)
{
    for (int compile = 0; compile < 2; compile++) {
        struct user_guest g;
        open_guest(&g, compile);
        write_vpm(&g, VPM_SETUP(1u, 0u, 0u, 0u << 2 | 2)); /* figure 8 (a): 8-bit packed, Y = 0, B = 2 */
        for (unsigned i = 0; i < 16; i++)
            assert_int_equal(byte_at(&g, 0, 8 + i / 4, i % 4), i + 1);
        write_vpm(&g, VPM_SETUP(1u, 1u, 0u, 1u << 2 | 1)); /* (b): 8-bit laned, Y = 1, B = 1 */
        for (unsigned i = 0; i < 16; i++)
            assert_int_equal(byte_at(&g, 1, i, 1), i + 1);
        write_vpm(&g, VPM_SETUP(1u, 1u, 1u, 2u << 1)); /* (c): 16-bit laned, Y = 2, H = 0 */
        for (unsigned i = 0; i < 16; i++)
            assert_int_equal(byte_at(&g, 2, i, 0), i + 1);
        write_vpm(&g, VPM_SETUP(1u, 0u, 1u, 3u << 1 | 1)); /* (d): 16-bit packed, Y = 3, H = 1 */
        for (unsigned i = 0; i < 16; i++)
            assert_int_equal(byte_at(&g, 3, 8 + i / 2, i % 2 * 2), i + 1);
        write_vpm(&g, VPM_SETUP(0u, 0u, 0u, 0u << 2 | 1)); /* figure 9 (a): 8-bit packed, X = 0, B = 1 */
        for (unsigned i = 0; i < 16; i++)
            assert_int_equal(byte_at(&g, 4 + i / 4, 0, i % 4), i + 1);
        write_vpm(&g, VPM_SETUP(0u, 1u, 0u, 1u << 2 | 2)); /* (b): 8-bit laned, X = 1, B = 2 */
        for (unsigned i = 0; i < 16; i++)
            assert_int_equal(byte_at(&g, i, 1, 2), i + 1);
        write_vpm(&g, VPM_SETUP(0u, 0u, 1u, 15u << 1 | 1)); /* (d): 16-bit packed, X = 15, H = 1 */
        for (unsigned i = 0; i < 16; i++)
            assert_int_equal(byte_at(&g, 8 + i / 2, 15, i % 2 * 2), i + 1);
        write_vpm(&g, VPM_SETUP(0u, 0u, 2u, 5u)); /* 32-bit, X = 5 */
        for (unsigned i = 0; i < 16; i++)
            assert_int_equal(byte_at(&g, i, 5, 0), i + 1);
        user_close(&g);
    }
}

/* Reads: NUM vectors, the stride between them, zero extension, two blocks queued. */
static void vpm_reads(void **state)
{
    for (int compile = 0; compile < 2; compile++) {
        struct user_guest g;
        open_guest(&g, compile);
        uint8_t *in = (uint8_t *)user_words(&g, IN);
        for (unsigned i = 0; i < 1024; i++)
            in[i] = (uint8_t)(i * 7);
        user_run(&g,
                 "or ra0, unif, unif\n"
                 "ldi vr_setup, 0x83001000\n" /* DMA load: 16 rows of 16 words, VPITCH 1, MPITCH 64 bytes */
                 "or vr_addr, unif, unif\n"
                 "or -, vpm_ld_wait, vpm_ld_wait\n"
                 "ldi vr_setup, 0x202820\n" /* two 8-bit packed horizontal vectors from Y = 8, stride 2 */
                 "ldi vr_setup, 0x101204\n" /* one 32-bit vertical vector: X = 4 */
                 "nop\nnop\n"
                 "or r0, vpm, vpm\n"
                 "or r1, vpm, vpm\n"
                 "or r2, vpm, vpm\n"
                 "ldi vw_setup, 0x1a00\n"
                 "or vpm, r0, r0\n"
                 "or vpm, r1, r1\n"
                 "or vpm, r2, r2\n" STORE_ROWS,
                 0);
        for (unsigned i = 0; i < 16; i++) {
            assert_int_equal(user_words(&g, OUT)[i], in[8 * 64 + i]);
            assert_int_equal(user_words(&g, OUT)[16 + i], in[8 * 64 + 32 + i]);
            assert_int_equal(user_words(&g, OUT)[32 + i], util_load32(in + i * 64 + 16));
        }
        user_close(&g);
    }
}

/* What VPMBASE does not reserve cannot be written, by programs or DMA, and can be read. */
static void vpm_window(void **state)
{
    struct user_guest g;
    open_guest(&g, false);
    vc4_write(g.device, VC4_VPMBASE, 1); /* four rows */
    memset(user_words(&g, IN), 0x55, 1024);
    user_run(&g,
             "or ra0, unif, unif\n"
             "ldi vr_setup, 0x83001000\n"
             "or vr_addr, unif, unif\n"
             "ldi vw_setup, 0x1a03\n" /* rows 3 and 4 */
             "or vpm, elem_num, elem_num\n"
             "or vpm, elem_num, elem_num\n" STORE_ROWS,
             0);
    for (unsigned i = 0; i < 16; i++) {
        assert_int_equal(user_words(&g, OUT)[2 * 16 + i], 0x55555555);
        assert_int_equal(user_words(&g, OUT)[3 * 16 + i], i);
        assert_int_equal(user_words(&g, OUT)[4 * 16 + i], 0);
    }
    user_close(&g);
}

/* ---- DMA ---- */

/* A load by `setup` (and an extended pitch), then the 16 first rows. */
static void load_rows(struct user_guest *g, uint32_t setup, uint32_t pitch)
{
    char text[512];
    snprintf(text, sizeof text,
             "or ra0, unif, unif\n"
             "ldi vr_setup, 0x%x\n"
             "ldi vr_setup, 0x%x\n"
             "or vr_addr, unif, unif\n"
             "or -, vpm_ld_busy, vpm_ld_busy\n" STORE_ROWS,
             0x90000000 | pitch, setup);
    memset(user_words(g, OUT), 0, 64 * 64);
    user_run(g, text, 0);
}

#define LOAD_SETUP(mode, mpitch, length, rows, vpitch, vertical, y, x)                                       \
    (1u << 31 | (mode) << 28 | (mpitch) << 24 | ((length) & 15u) << 20 | ((rows) & 15u) << 16 |              \
     ((vpitch) & 15u) << 12 | (vertical) << 11 | (y) << 4 | (x))

static void dma_loads(void **state)
{
    for (int compile = 0; compile < 2; compile++) {
        struct user_guest g;
        open_guest(&g, compile);
        uint8_t *in = (uint8_t *)user_words(&g, IN);
        for (unsigned i = 0; i < 16384; i++)
            in[i] = (uint8_t)(i * 31 + i / 256);
        load_rows(&g, LOAD_SETUP(0u, 1u, 3u, 4u, 2u, 0u, 1u, 5u), 0); /* 16 bytes apart, every second row */
        for (unsigned r = 0; r < 4; r++)
            for (unsigned i = 0; i < 3; i++)
                assert_int_equal(user_words(&g, OUT)[(1 + 2 * r) * 16 + 5 + i],
                                 util_load32(in + r * 16 + i * 4));
        load_rows(&g, LOAD_SETUP(0u, 0u, 16u, 2u, 1u, 0u, 0u, 0u), 0x2004); /* a pitch beyond 13 bits */
        assert_int_equal(user_words(&g, OUT)[16], util_load32(in + 0x2004));
        load_rows(&g, LOAD_SETUP(0u, 3u, 8u, 2u, 8u, 1u, 0u, 7u), 0); /* down column 7 */
        for (unsigned i = 0; i < 16; i++)
            assert_int_equal(user_words(&g, OUT)[i * 16 + 7], util_load32(in + i / 8 * 64 + i % 8 * 4));
        load_rows(&g, LOAD_SETUP(4u | 1u, 3u, 16u, 4u, 1u, 0u, 0u, 0u),
                  0); /* bytes: sub-vectors 1, 2, 3, 4 */
        for (unsigned r = 0; r < 4; r++)
            assert_memory_equal((uint8_t *)user_words(&g, OUT) + 16 + r * 16, in + r * 64, 16);
        load_rows(&g, LOAD_SETUP(2u, 3u, 4u, 1u, 1u, 1u, 2u, 3u), 0); /* half-words down column 3 */
        for (unsigned i = 0; i < 4; i++)
            assert_int_equal(byte_at(&g, 2 + i / 2, 3, i % 2 * 2), in[i * 2]);
        user_close(&g);
    }
}

#define STORE_SETUP(units, depth, horizontal, y, x, mode)                                                    \
    (2u << 30 | ((units) & 127u) << 23 | ((depth) & 127u) << 16 | (horizontal) << 14 | (y) << 7 | (x) << 3 | \
     (mode))

/* Loads 16 rows, stores by `setup` with `stride` bytes between rows. */
static void store_rows(struct user_guest *g, uint32_t setup, uint32_t stride)
{
    char text[512];
    snprintf(text, sizeof text,
             "or ra0, unif, unif\n"
             "ldi vr_setup, 0x83001000\n"
             "or vr_addr, unif, unif\n"
             "ldi vw_setup, 0x%x\n"
             "ldi vw_setup, 0x%x\n"
             "or vw_addr, ra0, ra0\n" USER_END,
             0xc0000000 | stride, setup);
    memset(user_words(g, OUT), 0xee, 64 * 64);
    user_run(g, text, 0);
}

static void dma_stores(void **state)
{
    for (int compile = 0; compile < 2; compile++) {
        struct user_guest g;
        open_guest(&g, compile);
        uint8_t *in = (uint8_t *)user_words(&g, IN), *out = (uint8_t *)user_words(&g, OUT);
        for (unsigned i = 0; i < 1024; i++)
            in[i] = (uint8_t)(i * 13 + i / 64);
        store_rows(&g, STORE_SETUP(3u, 2u, 1u, 4u, 6u, 0u), 24); /* three rows of two words, 32 bytes apart */
        for (unsigned r = 0; r < 3; r++)
            assert_memory_equal(out + r * 32, in + (4 + r) * 64 + 24, 8);
        assert_int_equal(out[8], 0xee);
        store_rows(&g, STORE_SETUP(2u, 5u, 0u, 3u, 9u, 0u), 0); /* columns 9 and 10, from row 3 */
        for (unsigned i = 0; i < 10; i++)
            assert_memory_equal(out + i * 4, in + (3 + i % 5) * 64 + (9 + i / 5) * 4, 4);
        store_rows(&g, STORE_SETUP(1u, 7u, 1u, 1u, 2u, 4u | 3u), 0); /* bytes, from byte 3 of a word on */
        assert_memory_equal(out, in + 64 + 11, 7);
        assert_int_equal(out[7], 0xee);
        store_rows(&g, STORE_SETUP(1u, 6u, 0u, 0u, 1u, 2u | 1u), 0); /* half-words down column 1 */
        for (unsigned i = 0; i < 6; i++)
            assert_memory_equal(out + i * 2, in + (i + 1) / 2 * 64 + 4 + (i + 1) % 2 * 2, 2);
        store_rows(&g, STORE_SETUP(0u, 1u, 1u, 0u, 0u, 0u), 0); /* 128 rows: the address wraps at 64 */
        assert_memory_equal(out + 64 * 4, out, 64 * 4);
        user_close(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vpm_write_modes), cmocka_unit_test(vpm_reads),  cmocka_unit_test(vpm_window),
        cmocka_unit_test(dma_loads),       cmocka_unit_test(dma_stores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
