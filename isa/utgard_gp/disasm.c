#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/disasm.h"
#include "isa/text.h"
#include "isa/utgard_gp/asm.h"
#include "isa/utgard_gp/names.h"

/* A part begins: its first word, a name or a reserved number under `stem`. */
static void part(struct isa_text *t, enum utgard_gp_list list, uint32_t value, const char *stem)
{
    isa_put_part(t);
    isa_put_name(t, &utgard_gp_lists[list], value, stem);
}

static void word(struct isa_text *t, const char *text)
{
    isa_put_part(t);
    isa_put(t, "%s", text);
}

static void source(struct isa_text *t, bool negative, uint8_t value)
{
    isa_put(t, negative ? "-" : "");
    isa_put_name(t, &utgard_gp_lists[UTGARD_GP_SRCS], value, "src");
}

static void stored(struct isa_text *t, uint8_t value)
{
    const char *name = utgard_gp_name(UTGARD_GP_STORES, value);
    isa_put(t, ", %s", name ? name : "s5");
}

/* Operands of -0 and 1 are written as what they are. */
static void second(struct isa_text *t, bool negative, uint8_t value, char identity)
{
    isa_put(t, ", ");
    if (value == UTGARD_GP_SRC_COMPLEX_1)
        isa_put(t, "%s%c", negative ? "-" : "", identity);
    else
        source(t, negative, value);
}

static void fetches(struct isa_text *t, const struct utgard_gp_insn *i)
{
    if (i->fetch0 || i->fetch0_attribute) {
        word(t, i->fetch0_attribute ? "attr" : "reg0");
        isa_put(t, " %u", i->fetch0);
    }
    if (i->fetch1) {
        word(t, "reg1");
        isa_put(t, " %u", i->fetch1);
    }
    if (i->load_addr || i->load_offset != UTGARD_GP_OFFSET_NONE) {
        word(t, "load");
        isa_put(t, " %u", i->load_addr);
        if (i->load_offset != UTGARD_GP_OFFSET_NONE)
            isa_put(t, i->load_offset >= 1 && i->load_offset <= 3 ? "+addr%u" : "+off%u", i->load_offset);
    }
}

static bool mul_is_used(const struct utgard_gp_insn *i, unsigned n)
{
    return i->mul_a[n] != UTGARD_GP_SRC_NONE || i->mul_b[n] != UTGARD_GP_SRC_NONE || i->mul_neg[n];
}

static bool acc_is_used(const struct utgard_gp_insn *i, unsigned n)
{
    return i->acc_a[n] != UTGARD_GP_SRC_NONE || i->acc_b[n] != UTGARD_GP_SRC_NONE || i->acc_a_neg[n] ||
           i->acc_b_neg[n];
}

static void units(struct isa_text *t, const struct utgard_gp_insn *i)
{
    for (unsigned n = 0; n < 2; n++) {
        if (!mul_is_used(i, n))
            continue;
        part(t, UTGARD_GP_MUL_OPS, i->mul_op, "mulop");
        isa_put(t, ".%u ", n);
        source(t, i->mul_neg[n], i->mul_a[n]);
        second(t, false, i->mul_b[n], '1');
    }
    for (unsigned n = 0; n < 2; n++) {
        if (!acc_is_used(i, n))
            continue;
        part(t, UTGARD_GP_ACC_OPS, i->acc_op, "accop");
        isa_put(t, ".%u ", n);
        source(t, i->acc_a_neg[n], i->acc_a[n]);
        second(t, i->acc_b_neg[n], i->acc_b[n], '0');
    }
    if (i->complex_op != UTGARD_GP_COMPLEX_NOP || i->complex_src != UTGARD_GP_SRC_NONE) {
        part(t, UTGARD_GP_COMPLEX_OPS, i->complex_op, "cop");
        isa_put(t, " ");
        source(t, false, i->complex_src);
    }
    if (i->pass_op != UTGARD_GP_PASS_PASS || i->pass_src != UTGARD_GP_SRC_NONE) {
        part(t, UTGARD_GP_PASS_OPS, i->pass_op, "passop");
        isa_put(t, " ");
        source(t, false, i->pass_src);
    }
}

static void stores(struct isa_text *t, const struct utgard_gp_insn *i)
{
    for (unsigned n = 0; n < 2; n++) {
        if (!utgard_gp_stores(i, n) && !i->store_addr[n] && !i->store_varying[n] && !i->store_temporary[n])
            continue;
        word(t, n ? "store.zw" : "store.xy");
        isa_put(t, " %s%s%u", i->store_temporary[n] ? "t" : "",
                i->store_varying[n]     ? "v"
                : i->store_temporary[n] ? ""
                                        : "r",
                i->store_addr[n]);
        stored(t, i->store_src[n][0]);
        stored(t, i->store_src[n][1]);
    }
}

/* What the text says, as an instruction: fields that no part shows have the value of a nop. */
static bool text_is_whole(const struct utgard_gp_insn *i)
{
    bool muls = mul_is_used(i, 0) || mul_is_used(i, 1), accs = acc_is_used(i, 0) || acc_is_used(i, 1);
    return (muls || !i->mul_op) && (accs || !i->acc_op) &&
           (i->branch || (!i->branch_low && !i->branch_target)) && i->unknown == utgard_gp_mark(i);
}

/* `label`: the name of a branch's target, or NULL. */
static size_t print(const uint64_t words[UTGARD_GP_WORDS], const char *label, char out[UTGARD_GP_TEXT_MAX])
{
    struct utgard_gp_insn insn;
    struct isa_text t = {.at = out, .capacity = UTGARD_GP_TEXT_MAX};
    utgard_gp_decode(words, &insn);
    out[0] = 0;
    if (!text_is_whole(&insn)) {
        isa_put(&t, ".word 0x%016" PRIx64 "%016" PRIx64, words[1], words[0]);
        return t.length;
    }
    fetches(&t, &insn);
    units(&t, &insn);
    stores(&t, &insn);
    if (insn.branch) {
        word(&t, "branch ");
        if (label)
            isa_put(&t, "%s", label);
        else
            isa_put(&t, "%" PRIu32, utgard_gp_target(&insn));
    }
    if (!t.begun)
        word(&t, "nop");
    return t.length;
}

size_t utgard_gp_disasm(const uint64_t word[UTGARD_GP_WORDS], char text[UTGARD_GP_TEXT_MAX])
{
    return print(word, NULL, text);
}

static uint32_t targets_of(const void *program, uint32_t count, uint32_t at, int64_t targets[ISA_TARGETS])
{
    const uint64_t *words = program;
    struct utgard_gp_insn insn;
    utgard_gp_decode(&words[(size_t)at * UTGARD_GP_WORDS], &insn);
    targets[0] = insn.branch ? (int64_t)utgard_gp_target(&insn) : -1;
    targets[1] = -1;
    return 1;
}

static uint32_t text_of(const void *program, uint32_t count, uint32_t at, isa_label_text labels[ISA_TARGETS],
                        char text[ISA_LINE_MAX])
{
    const uint64_t *words = program;
    print(&words[(size_t)at * UTGARD_GP_WORDS], labels[0][0] ? labels[0] : NULL, text);
    return 1;
}

static const struct isa_disassembler disassembler = {targets_of, text_of};
_Static_assert(UTGARD_GP_TEXT_MAX <= ISA_LINE_MAX, "a line holds any instruction");

int utgard_gp_disasm_program(FILE *out, const void *words, uint32_t count)
{
    return isa_disasm_program(out, &disassembler, words, count);
}
