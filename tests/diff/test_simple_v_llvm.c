/* The base of Simple-V - RV64IMAFDC, Zicsr, Zifencei, Zbb, Zfh - against LLVM's own tables: every halfword that is an
 * instruction, and random words, are the same to both: LLVM's text, which has the registers' names of the calling convention,
 * assembles here to the word. What one alone takes is listed here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include <llvm-c/Disassembler.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>

#include "isa/random.h"
#include "isa/simple_v/asm.h"
#include "util/bits.h"

enum { WORDS = 600000, TEXT = 256 };

static LLVMDisasmContextRef llvm;
static unsigned same, ours, theirs;

/* Text with tabs as single spaces, none at its ends. */
static void plain(const char *from, char *to)
{
    while (*from == '\t' || *from == ' ')
        from++;
    for (; *from; from++)
        *to++ = *from == '\t' ? ' ' : *from;
    *to = 0;
}

static bool begins_with(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strncmp(text, *words, strlen(*words)) == 0)
            return true;
    return false;
}

/* What LLVM has, and this set has not: privileged instructions, a word that is never legal, of FENCE what the manual keeps for
 * finer ones, and C.LUI of 0, which it reserves. */
static bool is_theirs(const char *text)
{
    static const char *const words[] = {"mret", "sret", "dret",  "sfence",  "hfence", "hinval", "sinval",
                                        "hlv",  "hsv",  "unimp", "c.unimp", "fence",  NULL};
    const char *comma = strchr(text, ',');
    return begins_with(text, words) || (strncmp(text, "c.lui", 5) == 0 && comma && strcmp(comma, ", 0") == 0);
}

/* What this set has, and LLVM has not: Zftrans and Simple-V; and names of CSRs that LLVM knows. */
static bool is_ours(uint32_t word)
{
    struct simple_v_insn insn;
    uint16_t code[2] = {(uint16_t)word, (uint16_t)(word >> 16)};
    if (simple_v_decode(code, 2, &insn, NULL))
        return false;
    const bool trans = insn.op >= SIMPLE_V_FRSQRT_S && insn.op <= SIMPLE_V_FPOWR_H;
    return trans || (insn.op >= SIMPLE_V_SETVL && insn.op <= SIMPLE_V_FMV_X);
}

/* Hints, whose text LLVM has otherwise: writes of x0, and shifts by nothing. */
static bool is_hint(uint32_t word)
{
    struct simple_v_insn insn;
    uint16_t code[2] = {(uint16_t)word, (uint16_t)(word >> 16)};
    if (simple_v_decode(code, 2, &insn, NULL) || insn.length != 1)
        return false;
    const uint16_t as = simple_v_rows[insn.op].as;
    const bool shift = as == SIMPLE_V_SLLI || as == SIMPLE_V_SRLI || as == SIMPLE_V_SRAI;
    return shift ? !insn.rd || !insn.imm
                 : !insn.rd && (as == SIMPLE_V_ADDI || as == SIMPLE_V_LUI || as == SIMPLE_V_ADD);
}

/* Of CSRs the same up to the comma: names are LLVM's. */
static bool assembles_to(const char *text, const char *ours_is, const uint16_t *code, unsigned length)
{
    if (strncmp(text, "csrr", 4) == 0)
        return strncmp(text, ours_is, strcspn(text, " ")) == 0;
    return isa_assembles_to(&simple_v_syntax, text, strlen(text), code, length);
}

static void compare(uint32_t word, bool is_long)
{
    uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16), (uint8_t)(word >> 24)};
    char raw[TEXT] = "", their_text[TEXT] = "", text[SIMPLE_V_TEXT_MAX];
    const size_t length = LLVMDisasmInstruction(llvm, bytes, is_long ? 4 : 2, 0, raw, sizeof raw);
    uint16_t code[2] = {(uint16_t)word, (uint16_t)(word >> 16)};
    simple_v_disasm(code, is_long ? 2 : 1, 0, text);
    const bool known = text[0] != '.';
    plain(raw, their_text);
    if (known && !length) {
        if (!is_ours(word) && !is_hint(word))
            fail_msg("0x%08x is '%s', of which LLVM knows nothing", word, text);
        ours++;
    } else if (!known && length) {
        if (!is_theirs(their_text))
            fail_msg("0x%08x is '%s', and here '%s'", word, their_text, text);
        theirs++;
    } else if (known && length) {
        if (!is_hint(word) && !assembles_to(their_text, text, code, is_long ? 2 : 1))
            fail_msg("0x%08x is '%s', and here '%s'", word, their_text, text);
        same++;
    }
}

static void every_halfword(void **state)
{
    for (uint32_t word = 0; word <= UINT16_MAX; word++)
        if ((word & 3) != 3)
            compare(word, false);
    assert_true(same > 40000);
}

static void random_words(void **state)
{
    struct isa_random r = {5};
    same = 0;
    for (unsigned n = 0; n < WORDS; n++) {
        uint32_t word = (uint32_t)isa_random_next(&r) | 3;
        if ((word & 0x1c) != 0x1c)
            compare(word, true);
    }
    assert_true(same > WORDS / 8);
}

/* Every row, with random operands: rows that random words seldom are, too. */
static void every_row(void **state)
{
    struct isa_random r = {6};
    same = 0;
    for (unsigned op = 0; op < SIMPLE_V_OP_COUNT; op++)
        for (unsigned n = 0; n < 200; n++) {
            const struct simple_v_row *row = &simple_v_rows[op];
            const uint32_t bits = (uint32_t)isa_random_next(&r);
            if ((row->match & 3) == 3)
                compare((bits & ~row->mask) | row->match, true);
        }
    assert_true(same > 30000);
}

int main(void)
{
    const char *const options[] = {"test", "-riscv-no-aliases"};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_halfword),
        cmocka_unit_test(random_words),
        cmocka_unit_test(every_row),
    };
    LLVMInitializeRISCVTargetInfo();
    LLVMInitializeRISCVTargetMC();
    LLVMInitializeRISCVDisassembler();
    LLVMParseCommandLineOptions(UTIL_ARRAY_SIZE(options), options, NULL);
    llvm = LLVMCreateDisasmCPUFeatures("riscv64", "generic-rv64", "+m,+a,+f,+d,+c,+zbb,+zfh", NULL, 0, NULL,
                                       NULL);
    if (!llvm)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    print_message("%u words of ours alone, %u of LLVM's\n", ours, theirs);
    LLVMDisasmDispose(llvm);
    return failed;
}
