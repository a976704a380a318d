/* The scalar base of Simple-V's interpreter against qemu-riscv64: random straight programs over all registers and some memory, with
 * short branches. Registers, FCSR and memory are the same in the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/random.h"
#include "isa/simple_v/asm.h"
#include "isa/simple_v/interp.h"
#include "isa/simple_v/table.h"
#include "tests/riscv/qemu.h"
#include "util/bits.h"

enum {
    PROGRAMS = 150,
    INSNS = 120,
    RESULT = QEMU_DATA + 0x400,     /* to end with, and FCSR */
    POINTER = QEMU_MEMORY + 0x1000, /* all that offsets reach is in it */
    RESULT_BYTES = QEMU_MEMORY + QEMU_MEMORY_BYTES - RESULT
};

static struct isa_random r;

/* ---- programs ---- */

/* Registers that hold addresses: those of compressed instructions, too. */
static bool is_pointer(int32_t reg)
{
    return reg == 2 || reg == 9 || reg == 30 || reg == 31;
}

static bool reads_or_writes_memory(unsigned class)
{
    return class == SIMPLE_V_LOAD || class == SIMPLE_V_STORE || class == SIMPLE_V_AMO;
}

/* Whether it may stand in such a program; its operands may be changed for that. */
static bool is_fit(struct simple_v_insn *i)
{
    const struct simple_v_row *row = &simple_v_rows[i->op];
    const bool trans = row->as >= SIMPLE_V_FRSQRT_S && row->as <= SIMPLE_V_FPOWR_H;
    const bool integer = simple_v_is_integer(row->as, offsetof(struct simple_v_insn, rd));
    const bool writes = SIMPLE_V_HAS(row->as, rd);
    const bool csr = row->as >= SIMPLE_V_CSRRW && row->as <= SIMPLE_V_CSRRCI;
    /* qemu 7.2 counts CTZW on beyond 32 bits, which the manual does not. */
    if (trans || row->class >= SIMPLE_V_SWIZZLE || row->class == SIMPLE_V_BRANCH || i->op == SIMPLE_V_CTZW)
        return false;
    if (row->class == SIMPLE_V_PLAIN && !csr && i->op != SIMPLE_V_LUI && i->op != SIMPLE_V_AUIPC &&
        i->op != SIMPLE_V_C_LUI && i->op != SIMPLE_V_C_ADDI4SPN && i->op != SIMPLE_V_C_NOP)
        return false;
    if (csr) {
        /* the flags, or a direction that is one */
        i->op = i->op == SIMPLE_V_CSRRWI ? SIMPLE_V_CSRRWI : SIMPLE_V_CSRRSI;
        i->imm = i->op == SIMPLE_V_CSRRWI ? 2 : 1;
        i->rs1 = i->op == SIMPLE_V_CSRRWI ? i->rs1 % 5 : 0;
    }
    if (reads_or_writes_memory(row->class) && (simple_v_rows[i->op].match & 3) == 3)
        i->rs1 = 30;
    else if (reads_or_writes_memory(row->class) && i->rs1 != 2)
        i->rs1 = 9;
    return !writes || !integer || !is_pointer(i->rd);
}

/* 1 or 2 halfwords; with `length` just so many. */
static unsigned some_insn(uint16_t code[4], unsigned length)
{
    for (;;) {
        const uint16_t op = (uint16_t)isa_random_below(&r, SIMPLE_V_OP_COUNT);
        const uint32_t word =
            ((uint32_t)isa_random_next(&r) & ~simple_v_rows[op].mask) | simple_v_rows[op].match;
        uint16_t halves[2] = {(uint16_t)word, (uint16_t)(word >> 16)};
        struct simple_v_insn i;
        if (simple_v_decode(halves, 2, &i, NULL) || (length && i.length != length) || !is_fit(&i))
            continue;
        assert_int_equal(simple_v_encode(&i, code, NULL), 0);
        return i.length;
    }
}

/* Over one instruction of two halfwords. */
static void append_branch(void)
{
    static const char *const names[] = {"beq", "bne", "blt", "bge", "bltu", "bgeu"};
    const unsigned a = isa_random_below(&r, 32), b = isa_random_below(&r, 32);
    uint16_t code[4];
    if (isa_random_one_in(&r, 4))
        qemu_text("jal x%u, 8", is_pointer((int32_t)a) ? 1 : a);
    else if (isa_random_one_in(&r, 4))
        qemu_text("c.%s x%u, 6", isa_random_one_in(&r, 2) ? "beqz" : "bnez", 8 + a % 8);
    else
        qemu_text("%s x%u, x%u, 8", names[isa_random_below(&r, 6)], a, b);
    qemu_append(code, some_insn(code, 2));
}

static uint64_t some_value(bool is_float)
{
    const uint64_t x = isa_random_next(&r);
    switch (isa_random_below(&r, is_float ? 6 : 4)) {
    case 0: return x;
    case 1: return (uint64_t)(int64_t)(int32_t)(x >> isa_random_below(&r, 60));
    case 2: return 1ull << isa_random_below(&r, 64);
    case 3: return ~0ull << isa_random_below(&r, 64);
    /* a boxed single, a boxed half, near one */
    case 4: return ~0ull << 32 | (x & 0x807fffff) | (120 + isa_random_below(&r, 14)) << 23;
    default: return ~0ull << 16 | (x & 0x83ff) | (10 + isa_random_below(&r, 10)) << 10;
    }
}

/* The program with its data. Where its own part begins and ends: *from, *to. */
static void make(uint64_t seed, uint32_t *from, uint32_t *to)
{
    uint16_t code[4];
    r = (struct isa_random){seed};
    qemu_begin();
    for (unsigned n = 0; n < 32; n++) {
        const uint64_t x = is_pointer((int32_t)n) ? POINTER : some_value(false), f = some_value(true);
        util_store64(qemu_at(QEMU_DATA + 8 * n), n ? x : 0);
        util_store64(qemu_at(QEMU_DATA + 256 + 8 * n), f);
    }
    for (unsigned n = 0; n < QEMU_MEMORY_BYTES; n += 8)
        util_store64(qemu_at(QEMU_MEMORY + n), some_value(isa_random_one_in(&r, 2)));
    qemu_text("lui x31, %u", QEMU_DATA >> 12);
    for (unsigned n = 0; n < 32; n++)
        qemu_text("fld f%u, %u(x31)", n, 256 + 8 * n);
    for (unsigned n = 1; n < 31; n++)
        qemu_text("ld x%u, %u(x31)", n, 8 * n);
    *from = qemu_code_bytes;
    qemu_text("ld x31, 248(x31)");
    for (unsigned n = 0; n < INSNS; n++) {
        if (isa_random_one_in(&r, 12))
            append_branch();
        else
            qemu_append(code, some_insn(code, 0));
    }
    *to = qemu_code_bytes;
    qemu_text("lui x31, %u", QEMU_DATA >> 12);
    for (unsigned n = 0; n < 31; n++)
        qemu_text("sd x%u, %u(x31)\nfsd f%u, %u(x31)", n, 0x400 + 8 * n, n, 0x500 + 8 * n);
    qemu_text("fsd f31, %u(x31)\ncsrrs x1, fcsr, x0\nsd x1, %u(x31)", 0x500 + 8 * 31, 0x600);
    qemu_end(RESULT - QEMU_DATA, RESULT_BYTES);
}

/* ---- both ---- */

/* The program ends with its second call. */
static enum simple_v_called call(void *ctx, struct simple_v_state *state)
{
    return simple_v_x(state, 17) == 93 ? SIMPLE_V_END : SIMPLE_V_GO_ON;
}

static void interpret(void)
{
    static const struct simple_v_ports ports = {NULL, qemu_load, qemu_store, call};
    struct simple_v_program *program;
    struct simple_v_state state;
    struct simple_v_report report;
    static uint16_t code[(QEMU_DATA - QEMU_CODE) / 2];
    memcpy(code, qemu_image, qemu_code_bytes);
    assert_int_equal(simple_v_program_create(code, qemu_code_bytes / 2, QEMU_CODE, &program, NULL), 0);
    const struct simple_v_run run = {.program = program, .ports = &ports, .fuel = 10000};
    simple_v_start(&state, qemu_entry());
    if (simple_v_run(&run, &state, &report))
        fail_msg("at %" PRIx64 ": %s: %s %s", report.pc, report.name, simple_v_faults[report.fault].text,
                 report.why.text);
    simple_v_program_destroy(program);
}

static void tell(uint64_t seed, uint32_t from, uint32_t to, const uint8_t *expected)
{
    fprintf(stderr, "program %" PRIu64 ":\n", seed);
    for (uint32_t byte = from; byte < to;) {
        char text[SIMPLE_V_TEXT_MAX];
        byte += 2 * simple_v_disasm(qemu_image + byte, (to - byte) / 2, 0, text);
        fprintf(stderr, "    %s\n", text);
    }
    for (unsigned n = 0; n < RESULT_BYTES; n += 8)
        if (memcmp(qemu_at(RESULT + n), expected + n, 8) != 0)
            fprintf(stderr, "%s%u: %016" PRIx64 ", not %016" PRIx64 "\n",
                    n < 256   ? "x"
                    : n < 512 ? "f"
                              : "at ",
                    n < 512 ? n / 8 % 32 : n, util_load64(qemu_at(RESULT + n)), util_load64(expected + n));
    fail_msg("program %" PRIu64 " differs", seed);
}

static void programs_are_qemus(void **state)
{
    static uint8_t expected[RESULT_BYTES];
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        uint32_t from, to;
        make(seed, &from, &to);
        qemu_emulate(expected, RESULT_BYTES);
        interpret();
        if (memcmp(qemu_at(RESULT), expected, RESULT_BYTES) != 0)
            tell(seed, from, to, expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(programs_are_qemus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
