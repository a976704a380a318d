/* Valhall instructions between words and text: tests/isa/valhall.cases in both directions, every row of the tables
 * in some case, all names of Mesa's description, words of any bits, and each field in its own place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/random.h"
#include "isa/valhall/asm.h"
#include "isa/valhall/names.h"
#include "tests/isa/cases.h"
#include "util/bits.h"

static int assemble(const char *text, size_t length, uint8_t **bytes, size_t *size, struct util_error *error)
{
    void *words;
    uint32_t count;
    int err = valhall_asm(text, length, &words, &count, error);
    if (err)
        return err;
    *bytes = words;
    *size = count * 8u;
    return 0;
}

static size_t disassemble(const uint8_t *bytes, size_t size, char *text)
{
    assert_int_equal(valhall_disasm(bytes, (uint32_t)(size / 8), 0, text), 1);
    return strlen(text);
}

static const struct cases_isa isa = {SOURCE_DIR "/tests/isa/valhall.cases", assemble, disassemble};

static void cases_hold(void **state)
{
    struct cases cases = {0};
    cases_read(&isa, &cases);
    assert_true(cases.count > 450);
    assert_true(cases.refused > 100);
    cases_free(&cases);
}

/* ---- every row ---- */

static struct valhall_insn insns[700];
static size_t insn_count;

/* Those cases that are instructions. */
static void take_cases(void)
{
    struct cases cases = {0};
    cases_read(&isa, &cases);
    assert_true(cases.count < UTIL_ARRAY_SIZE(insns));
    insn_count = 0;
    for (size_t n = 0; n < cases.count; n++) {
        uint64_t word;
        memcpy(&word, cases.bytes[n], sizeof word);
        insn_count += !valhall_decode(word, &insns[insn_count], NULL);
    }
    cases_free(&cases);
}

/* A field of it has the list, and this value. */
static bool has_value(const struct valhall_insn *i, unsigned kind, unsigned list, uint32_t value)
{
    const uint8_t *fields = valhall_info(i->op)->format->field;
    for (unsigned n = 0; n < valhall_fields_of(valhall_info(i->op)); n++)
        if (valhall_fields[fields[n]].kind == kind && valhall_fields[fields[n]].list == list &&
            valhall_field_get((enum valhall_field)fields[n], i) == value)
            return true;
    return kind == VALHALL_KIND_CHOICE && list == VALHALL_LIST_FLOW && i->flow == value;
}

/* An operand of it, or where it loads to, is selected by the list, and this selection. */
static bool has_pick(const struct valhall_insn *i, unsigned list, uint8_t select)
{
    const struct valhall_info *info = valhall_info(i->op);
    for (unsigned n = 0; n < valhall_sources(info); n++) {
        enum valhall_form form = (enum valhall_form)info->format->form[n];
        if (valhall_forms[form].count &&
            valhall_picks_of(form, (enum valhall_type)info->type) == (enum valhall_picks)list &&
            i->source[n].select == select)
            return true;
    }
    return has_value(i, VALHALL_KIND_INTO, list, select);
}

static bool has_source(const struct valhall_insn *i, uint8_t kind, uint8_t index)
{
    for (unsigned n = 0; n < valhall_sources(valhall_info(i->op)); n++)
        if (i->source[n].kind == kind && i->source[n].index == index)
            return true;
    return false;
}

static bool has_form(const struct valhall_insn *i, uint8_t form)
{
    return memchr(valhall_info(i->op)->format->form, form, VALHALL_SOURCES);
}

static void every_row_has_a_case(void **state)
{
    take_cases();
#define INSN(id, text, opcode, second, unit, type, format) CASES_SEEN("INSN " text, i->op == VALHALL_##id);
#include "isa/valhall/insns.inc"
#define NAME(list, id, value, text)                                                                          \
    CASES_SEEN("NAME " #list " " text, has_value(i, VALHALL_KIND_CHOICE, VALHALL_LIST_##list, value));
#define SPECIAL(name, page, number, text)                                                                    \
    CASES_SEEN("SPECIAL " text, has_source(i, VALHALL_SPECIAL, VALHALL_SPECIAL_##name));
#define CONSTANT(number, value) CASES_SEEN("CONSTANT " #number, has_source(i, VALHALL_CONSTANT, number));
#include "isa/valhall/values.inc"
#define PICK(list, value, select)                                                                            \
    CASES_SEEN("PICK " #list " " #select, has_pick(i, VALHALL_PICKS_##list, VALHALL_SELECT_##select));
#define FORM(name, signs, count, at0, at1, at2) CASES_SEEN("FORM " #name, has_form(i, VALHALL_FORM_##name));
#define FLAG(name, member, lo, text)                                                                         \
    CASES_SEEN("FLAG " text, valhall_has_field(i->op, VALHALL_FIELD_##name) && i->member);
#define NUMBER(name, member, lo, count, kind, text)                                                          \
    CASES_SEEN("NUMBER " #name, valhall_has_field(i->op, VALHALL_FIELD_##name));
#include "isa/valhall/fields.inc"
}

/* Every name that Mesa's description has is one of ours, and there are no others. */
static void every_name_is_there(void **state)
{
    char line[200];
    unsigned found = 0;
    FILE *file = fopen(SOURCE_DIR "/tests/isa/valhall_names.txt", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] == '#')
            continue;
        if (valhall_op_named(line, strlen(line)) == VALHALL_OP_COUNT)
            fail_msg("no instruction is called %s", line);
        found++;
    }
    fclose(file);
    assert_int_equal(found, VALHALL_OP_COUNT);
}

/* ---- there and back ---- */

/* A word is refused with a reason, or comes back. */
static bool word_comes_back(uint64_t word)
{
    struct util_error error = {0};
    struct valhall_insn insn;
    if (valhall_decode(word, &insn, &error)) {
        assert_int_equal(error.code, -EBADMSG);
        assert_true(strstr(error.text, "is reserved") || strstr(error.text, "is due"));
        return false;
    }
    assert_int_equal(valhall_encode(&insn), word);
    return true;
}

/* Words of any bits, and cases of which some bits are others. */
static void any_word_comes_back(void **state)
{
    struct isa_random r = {3};
    unsigned taken = 0, refused = 0;
    take_cases();
    for (unsigned n = 0; n < 400000; n++)
        word_comes_back(isa_random_next(&r));
    for (unsigned n = 0; n < 400000; n++) {
        uint64_t word = valhall_encode(&insns[isa_random_below(&r, (uint32_t)insn_count)]);
        for (uint32_t flips = isa_random_below(&r, 4); flips--;)
            word ^= 1ull << isa_random_below(&r, 64);
        bool came = word_comes_back(word);
        taken += came;
        refused += !came;
    }
    assert_true(taken > 100000 && refused > 50000);
}

/* ---- each field in its place ---- */

/* What the field's bits, of another value of it, change: nothing but those bits, and they alone are read. */
static void field_stands_apart(const struct valhall_insn *insn, unsigned n)
{
    const struct valhall_info *info = valhall_info(insn->op);
    enum valhall_field f = (enum valhall_field)info->format->field[n];
    const struct isa_field *row = &valhall_fields[f].row;
    uint64_t bits = 0, word = valhall_encode(insn);
    isa_set(&bits, row->lo, row->count, ~0ull);
    for (uint64_t value = 0; value < 1ull << UTIL_MIN(row->count, 8); value++) {
        uint64_t other = word;
        struct valhall_insn changed;
        isa_set(&other, row->lo, row->count, value);
        if (valhall_decode(other, &changed, NULL))
            continue;
        valhall_field_set(f, valhall_field_get(f, insn), &changed);
        if (valhall_encode(&changed) != word || (other ^ word) & ~bits)
            fail_msg("%s: field '%s' is not alone in its bits", info->text, row->name);
    }
}

/* Bits of operand n's selection. */
static void selection_stands_apart(const struct valhall_insn *insn, unsigned n)
{
    const struct valhall_info *info = valhall_info(insn->op);
    const struct valhall_form_info *form = &valhall_forms[info->format->form[n]];
    for (uint64_t value = 0; form->count && value < 1u << form->count; value++) {
        uint64_t word = valhall_encode(insn), other = word;
        struct valhall_insn changed;
        isa_set(&other, form->at[n], form->count, value);
        if (valhall_decode(other, &changed, NULL))
            continue;
        changed.source[n].select = insn->source[n].select;
        if (valhall_encode(&changed) != word)
            fail_msg("%s: the selection of operand %u is not alone in its bits", info->text, n + 1);
    }
}

static void fields_stand_apart(void **state)
{
    take_cases();
    for (size_t k = 0; k < insn_count; k++) {
        const struct valhall_info *info = valhall_info(insns[k].op);
        for (unsigned n = 0; n < valhall_fields_of(info); n++)
            field_stands_apart(&insns[k], n);
        for (unsigned n = 0; n < valhall_sources(info); n++)
            selection_stands_apart(&insns[k], n);
    }
}

/* ---- what the decoded form says ---- */

static struct valhall_insn decoded(const char *text)
{
    struct util_error error = {0};
    struct valhall_insn insn;
    void *words;
    uint32_t count;
    if (valhall_asm(text, strlen(text), &words, &count, &error))
        fail_msg("'%s': %s", text, error.text);
    assert_int_equal(count, 1);
    assert_int_equal(valhall_decode(*(uint64_t *)words, &insn, NULL), 0);
    free(words);
    return insn;
}

static void instructions_say_what_they_are(void **state)
{
    struct valhall_insn i = decoded("IADD.v2u16.saturate r1.h1, ^r0.h10, 0x7060504.b11");
    assert_true(i.saturate && i.dest.reg == 1 && i.dest.mask == 2 && i.source[0].last);
    assert_int_equal(valhall_selects[i.source[0].select].bits, 16);
    assert_int_equal(valhall_selects[i.source[0].select].element[0], 1);
    assert_int_equal(valhall_selects[i.source[0].select].element[1], 0);
    assert_int_equal(valhall_selects[i.source[1].select].bits, 8);
    assert_int_equal(valhall_constants[i.source[1].index], 0x07060504);
    i = decoded("SHADDX.s64 r2, u66, r60.w0, shift:0x2");
    assert_true(valhall_dest_is_pair(&i) && i.source[0].index == 66 && i.shift == 2);
    assert_int_equal(valhall_source_bits(&i, 0), 64);
    assert_int_equal(valhall_source_bits(&i, 1), 32);
    i = decoded("STORE.i96.slot1 @r2:r3:r4, ^r6, offset:-8");
    assert_true(i.read.reg == 2 && i.read.count == 3 && !i.write.count && i.offset == -8 && i.slot == 1);
    assert_int_equal(valhall_source_bits(&i, 0), 64);
    assert_int_equal(valhall_moved(&i), 3);
    i = decoded("LD_TILE.v3.f16.slot0 @r4:r5, ^r0, r60, r3");
    assert_int_equal(valhall_moved(&i), 2);
    i = decoded("ATOM_RETURN.i64.slot0.compare.axchg @r56:r57, @r12:r13:r14:r15, r48, offset:0xFF");
    assert_true(i.write.reg == 56 && i.read.reg == 12 && i.read.count == 4 && i.offset == 255 && i.compare);
    i = decoded("LOAD.i8.h1.slot0 @r0, r2, offset:0");
    assert_true(i.into == VALHALL_SELECT_H1 && !i.zero_extend && valhall_moved(&i) == 1);
    i = decoded("BRANCHZ.eq.reconverge r0.h1, offset:-3");
    assert_true(i.eq && i.flow == VALHALL_FLOW_RECONVERGE && valhall_target(&i, 7) == 5);
    i = decoded("MOV.i32 r0, program_counter.w1");
    assert_true(i.source[0].kind == VALHALL_SPECIAL && i.source[0].word == 1 && i.page == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_hold),          cmocka_unit_test(every_row_has_a_case),
        cmocka_unit_test(every_name_is_there), cmocka_unit_test(any_word_comes_back),
        cmocka_unit_test(fields_stand_apart),  cmocka_unit_test(instructions_say_what_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
