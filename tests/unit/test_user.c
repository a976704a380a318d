/* User programs through the QPU scheduler's registers: requests, uniforms, VPM, DMA, lookups, interrupts,
 * faults (Guide sections 3, 7 and 10). Everything is done interpreted and compiled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/user_guest.h"

#define CODE     0x1000u
#define UNIFORMS 0x8000u
#define IN       0x10000u
#define OUT      0x20000u

/* Stores the VPM's first 16 rows where ra0 says, and ends. */
#define STORE_ROWS                                                                                           \
    "ldi vw_setup, 0xc0000000\n"                                                                             \
    "ldi vw_setup, 0x88104000\n"                                                                             \
    "or vw_addr, ra0, ra0\n"                                                                                 \
    "or -, vpm_st_wait, vpm_st_wait\n" USER_END

static void open_guest(struct user_guest *g, bool compile)
{
    user_open(g, (struct user_guest_options){.compile = compile});
}

/* Runs a program that must end well, its uniforms being OUT, IN and `third`. */
static void run(struct user_guest *g, const char *text, uint32_t third)
{
    user_program(g, CODE, text);
    user_words(g, UNIFORMS)[0] = OUT;
    user_words(g, UNIFORMS)[1] = IN;
    user_words(g, UNIFORMS)[2] = third;
    user_request(g, CODE, UNIFORMS);
    uint32_t completed = user_completed(g);
    user_no_fault(g);
    assert_int_equal(completed, 1);
    vc4_write(g->device, VC4_SRQCS, 0x10100);
}

static void lane_numbers(void **state)
{
    for (int compile = 0; compile < 2; compile++) {
        struct user_guest g;
        open_guest(&g, compile);
        run(&g,
            "or ra0, unif, unif\n"
            "or r1, unif, unif\n"
            "or r0, elem_num, elem_num\n"
            "add r0, r0, unif\n"
            "ldi vw_setup, 0x1a00\n"
            "or vpm, r0, r0\n" STORE_ROWS,
            1000);
        for (uint32_t i = 0; i < 16; i++)
            assert_int_equal(user_words(&g, OUT)[i], 1000 + i);
        user_close(&g);
    }
}

/* ---- requests ---- */

static const char idle[] = USER_END;

static void counts_of_requests(void **state)
{
    struct user_guest g;
    open_guest(&g, false);
    user_program(&g, CODE, idle);
    for (unsigned i = 0; i < 300; i++)
        user_request(&g, CODE, 0);
    uint32_t status = vc4_read(g.device, VC4_SRQCS);
    user_no_fault(&g);
    assert_int_equal(status, (300 & 0xff) << 16 | (300 & 0xff) << 8);
    vc4_write(g.device, VC4_SRQCS, 1u << 8);
    assert_int_equal(vc4_read(g.device, VC4_SRQCS), (300 & 0xff) << 16);
    vc4_write(g.device, VC4_SRQCS, 1u << 16);
    assert_int_equal(vc4_read(g.device, VC4_SRQCS), 0);
    user_close(&g);
}

/* With all QPUs reserved nothing runs: sixteen requests wait, the next is an error, and what follows it is
 * ignored until the error is cleared. */
static void reservations_and_queue(void **state)
{
    struct user_guest g;
    open_guest(&g, false);
    user_program(&g, CODE, idle);
    vc4_write(g.device, VC4_SQRSV0, 0x11111111);
    vc4_write(g.device, VC4_SQRSV1, 0x11111111);
    for (unsigned i = 0; i < 16; i++)
        user_request(&g, CODE, 0);
    assert_int_equal(vc4_read(g.device, VC4_SRQCS), 16 << 8 | 16);
    user_request(&g, CODE, 0);
    user_request(&g, CODE, 0);
    assert_int_equal(vc4_read(g.device, VC4_SRQCS), 18 << 8 | 0x80 | 16);
    vc4_write(g.device, VC4_SRQCS, 0x80);
    assert_int_equal(vc4_read(g.device, VC4_SRQCS), 18 << 8 | 16);
    vc4_write(g.device, VC4_SRQCS, 1);
    assert_int_equal(vc4_read(g.device, VC4_SRQCS), 18 << 8);
    vc4_write(g.device, VC4_SQRSV1, 0x11110111); /* QPU 11 */
    user_request(&g, CODE, 0);
    assert_int_equal(vc4_read(g.device, VC4_SRQCS), 1 << 16 | 19 << 8);
    user_close(&g);
}

/* A program finds the number of the QPU that the reservations leave. */
static void qpu_number(void **state)
{
    for (int compile = 0; compile < 2; compile++) {
        struct user_guest g;
        open_guest(&g, compile);
        vc4_write(g.device, VC4_SQRSV0, 0x11111111);
        vc4_write(g.device, VC4_SQRSV1, 0x1); /* 9 is the first free one */
        run(&g,
            "or ra0, unif, unif\n"
            "ldi vw_setup, 0x1a00\n"
            "or vpm, qpu_num, qpu_num\n" STORE_ROWS,
            0);
        for (uint32_t i = 0; i < 16; i++)
            assert_int_equal(user_words(&g, OUT)[i], 9);
        user_close(&g);
    }
}

/* ---- uniforms ---- */

static void uniforms_pointer(void **state)
{
    for (int compile = 0; compile < 2; compile++) {
        struct user_guest g;
        open_guest(&g, compile);
        user_words(&g, IN)[0] = 77;
        user_words(&g, IN)[1] = 78;
        /* Lane 0 has the new address, the others nonsense. */
        run(&g,
            "or ra0, unif, unif\n"
            "nop ; mul24 r1, elem_num, elem_num\n"
            "nop\n"
            "nop ; mul24 r1, r1, 15\n"
            "add unif_addr, r1, unif\n"
            "nop\n"
            "nop\n"
            "ldi vw_setup, 0x1a00\n"
            "or vpm, unif, unif\n"
            "or vpm, unif, unif\n" STORE_ROWS,
            0);
        assert_int_equal(user_words(&g, OUT)[3], 77);
        assert_int_equal(user_words(&g, OUT)[16 + 9], 78);
        user_close(&g);
    }
}

static struct gpu_fault fault_of(struct user_guest *g, const char *text)
{
    user_program(g, CODE, text);
    user_request(g, CODE, UNIFORMS);
    assert_int_equal(user_completed(g), 0);
    return user_fault(g);
}

static void uniforms_length(void **state)
{
    for (int compile = 0; compile < 2; compile++) {
        struct user_guest g;
        open_guest(&g, compile);
        const char *three = "or r0, unif, unif\nor r0, unif, unif\nor r0, unif, unif\n" USER_END;
        vc4_write(g.device, VC4_SRQUL, 2);
        struct gpu_fault f = fault_of(&g, three);
        assert_int_equal(f.kind, GPU_FAULT_MEMORY);
        assert_int_equal(f.pc, 2);
        assert_int_equal(f.address, UNIFORMS + 8);
        vc4_write(g.device, VC4_SRQUL, 0); /* disabled */
        assert_int_equal(fault_of(&g, three).pc, 0);
        vc4_write(g.device, VC4_SRQUL, 3);
        run(&g, three, 0);
        user_close(&g);
    }
}

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
    run(g, text, 0);
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
        run(&g,
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
    run(&g,
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
    run(g, text, 0);
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
    run(g, text, 0);
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

/* ---- lookups ---- */

/* Eight requests ahead, over the turns of a loop; the low bits of addresses do not count. */
static void lookups(void **state)
{
    for (int compile = 0; compile < 2; compile++) {
        struct user_guest g;
        open_guest(&g, compile);
        for (unsigned i = 0; i < 1024; i++)
            user_words(&g, IN)[i] = i * 3;
        run(&g,
            "or ra0, unif, unif\n"
            "or r1, unif, unif\n"
            "shl r0, elem_num, 2\n"
            "add r0, r0, r1\n"
            "ldi r2, 64\n"
            "or tmu0_s, r0, r0\n"
            "add r0, r0, r2\n"
            "add tmu0_s, r0, 3\n"
            "ldi r3, 8\n"
            "ldi vw_setup, 0x1a00\n"
            "again: add r0, r0, r2\n"
            "or tmu0_s, r0, r0\n"
            "nop ; nop ; ldtmu0\n"
            "or vpm, r4, r4\n"
            "sub.sf r3, r3, 1\n"
            "brr.anyzc again\n"
            "nop\nnop\nnop\n"
            "nop ; nop ; ldtmu0\n"
            "nop ; nop ; ldtmu0\n" STORE_ROWS,
            0);
        for (unsigned i = 0; i < 8 * 16; i++)
            assert_int_equal(user_words(&g, OUT)[i], i * 3);
        user_close(&g);
    }
}

/* ---- calls: links and computed branches ---- */

static void calls(void **state)
{
    for (int compile = 0; compile < 2; compile++) {
        struct user_guest g;
        open_guest(&g, compile);
        run(&g,
            "or ra0, unif, unif\n"
            "ldi vw_setup, 0x1a00\n"
            "ldi r0, 5\n"
            "brr ra9, -, twice\n"
            "nop\nnop\nnop\n"
            "or vpm, r0, r0\n"
            "brr ra9, -, twice\n"
            "nop\nnop\nnop\n"
            "or vpm, r0, r0\n"
            "brr out\n"
            "nop\nnop\nnop\n"
            "twice: bra 0 + ra9\n"
            "add r0, r0, r0\n"
            "nop\nnop\n"
            "out:\n" STORE_ROWS,
            0);
        assert_int_equal(user_words(&g, OUT)[0], 10);
        assert_int_equal(user_words(&g, OUT)[16], 20);
        user_close(&g);
    }
}

/* ---- the host's interrupt ---- */

static void on_irq(void *data, uint32_t pending)
{
    *(uint32_t *)data |= pending;
}

static void host_interrupt(void **state)
{
    for (int compile = 0; compile < 2; compile++) {
        struct user_guest g;
        open_guest(&g, compile);
        uint32_t seen = 0;
        vc4_device_set_irq(g.device, on_irq, &seen);
        user_program(&g, CODE, "or host_int, unif, unif\n" USER_END);
        user_words(&g, UNIFORMS)[0] = 1;
        user_request(&g, CODE, UNIFORMS);
        assert_int_equal(vc4_read(g.device, VC4_DBQITC), 0); /* not enabled */
        vc4_write(g.device, VC4_DBQITE, 0xffff);
        vc4_write(g.device, VC4_SQRSV0, 0x1);
        user_request(&g, CODE, UNIFORMS); /* runs at once: a host may sleep now */
        assert_int_equal(seen, VC4_INT_QPU(1));
        assert_int_equal(vc4_read(g.device, VC4_DBQITC), 2);
        vc4_write(g.device, VC4_DBQITC, 2);
        assert_int_equal(vc4_read(g.device, VC4_DBQITC), 0);
        user_words(&g, UNIFORMS)[0] = 0; /* zero does nothing (vc4asm's addendum) */
        user_request(&g, CODE, UNIFORMS);
        assert_int_equal(vc4_read(g.device, VC4_DBQITC), 0);
        user_no_fault(&g);
        user_close(&g);
    }
}

/* ---- faults ---- */

static void faults(void **state)
{
    for (int compile = 0; compile < 2; compile++) {
        struct user_guest g;
        open_guest(&g, compile);
        struct gpu_fault f =
            fault_of(&g, "ldi r0, 0x7fffff00\nnop\nshl r1, elem_num, 5\nadd tmu0_s, r1, r0\n" USER_END);
        assert_int_equal(f.kind, GPU_FAULT_MEMORY);
        assert_int_equal(f.pc, 3);
        assert_int_equal(f.lane, 0);
        assert_int_equal(f.address, 0x7fffff00);
        assert_int_equal(f.job, 1);
        assert_string_equal(f.unit, "user program");
        f = fault_of(&g, "nop ; nop ; ldtmu1\n" USER_END);
        assert_int_equal(f.kind, GPU_FAULT_SHADER);
        assert_int_equal(f.pc, 0);
        f = fault_of(&g, "nop\nor r0, vpm, vpm\n" USER_END);
        assert_int_equal(f.kind, GPU_FAULT_SHADER);
        assert_int_equal(f.pc, 1);
        f = fault_of(&g, "ldi vw_setup, 0x88104000\nldi vw_addr, 0xfffff000\n" USER_END);
        assert_int_equal(f.kind, GPU_FAULT_MEMORY);
        assert_int_equal(f.address, 0xfffff000);
        f = fault_of(&g, "ldi vw_addr, 0x1000\n" USER_END);
        assert_non_null(strstr(f.text, "without a set-up"));
        f = fault_of(&g, "ldi vr_setup, 0x1a00\nldi vr_setup, 0x1a00\nldi vr_setup, 0x1a00\n" USER_END);
        assert_int_equal(f.pc, 2);
        f = fault_of(&g, "or tlb_z, r0, r0\n" USER_END);
        assert_int_equal(f.kind, GPU_FAULT_UNSUPPORTED);
        f = fault_of(&g, "nop\nbra 0 + ra3\nnop\nnop\nnop\n" USER_END); /* to address 0: not in the program */
        assert_int_equal(f.kind, GPU_FAULT_SHADER);
        assert_int_equal(f.pc, 1);
        user_close(&g);
    }
}

static void fuel(void **state)
{
    for (int compile = 0; compile < 2; compile++) {
        struct user_guest g;
        user_open(&g, (struct user_guest_options){.compile = compile, .job_fuel = 1u << 20});
        struct gpu_fault f = fault_of(&g, "again: brr again\nnop\nnop\nnop\n" USER_END);
        assert_int_equal(f.kind, GPU_FAULT_TIMEOUT);
        user_program(&g, CODE, idle); /* and the QPU is free again */
        user_request(&g, CODE, 0);
        assert_int_equal(user_completed(&g), 1);
        user_close(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lane_numbers),
        cmocka_unit_test(counts_of_requests),
        cmocka_unit_test(qpu_number),
        cmocka_unit_test(reservations_and_queue),
        cmocka_unit_test(uniforms_pointer),
        cmocka_unit_test(uniforms_length),
        cmocka_unit_test(vpm_write_modes),
        cmocka_unit_test(vpm_reads),
        cmocka_unit_test(vpm_window),
        cmocka_unit_test(dma_loads),
        cmocka_unit_test(dma_stores),
        cmocka_unit_test(lookups),
        cmocka_unit_test(calls),
        cmocka_unit_test(host_interrupt),
        cmocka_unit_test(faults),
        cmocka_unit_test(fuel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
