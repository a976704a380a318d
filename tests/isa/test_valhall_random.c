/* Random Valhall programs: the seed decides them, no rule is broken, and together they have every row of the tables. */
#include <string.h>

#include "isa/valhall/asm.h"
#include "isa/valhall/names.h"
#include "tests/isa/seen.h"
#include "util/bits.h"

enum { SEEDS = 6000, CAPACITY = 256 };

static uint32_t make(uint64_t seed, uint32_t capacity, uint64_t *words)
{
    return valhall_random(seed, (unsigned)(seed % 2 ? VALHALL_RANDOM_FULL : VALHALL_RANDOM_STRAIGHT), words,
                          capacity);
}

static void test_rules(void **state)
{
    static uint64_t words[CAPACITY], again[CAPACITY];
    unsigned longest = 0;
    SEEN_RULES(SEEDS, CAPACITY, 1, words, again, make, valhall_check, 16 + (uint32_t)seed % 40, longest);
    assert_true(longest > 40);
}

/* Profiles have what they say. */
static void test_profiles(void **state)
{
    static uint64_t words[CAPACITY];
    for (uint64_t seed = 0; seed < 500; seed++)
        for (unsigned profile = 0; profile < VALHALL_RANDOM_FULL; profile++) {
            uint32_t count = valhall_random(seed, profile, words, CAPACITY);
            for (uint32_t at = 0; at < count; at++) {
                struct valhall_insn i;
                assert_int_equal(valhall_decode(words[at], &i, NULL), 0);
                assert_true(i.op != VALHALL_BRANCHZ && i.op != VALHALL_BLEND);
                assert_true(profile == VALHALL_RANDOM_STRAIGHT || !valhall_is_message(i.op));
                assert_int_equal(i.flow == VALHALL_FLOW_END, at + 1 == count);
            }
        }
}

/* ---- coverage ---- */

static struct valhall_insn insns[SEEDS * 24];
static unsigned ops[VALHALL_OP_COUNT], names[VALHALL_LIST_COUNT][256], picks[VALHALL_PICKS_COUNT][256];
static unsigned bits[VALHALL_FIELD_COUNT][32][2], kinds[VALHALL_FORM_COUNT][4], indices[4][256];

static void count_source(const struct valhall_insn *i, unsigned n)
{
    const struct valhall_info *info = valhall_info(i->op);
    enum valhall_form form = (enum valhall_form)info->format->form[n];
    const struct valhall_source *s = &i->source[n];
    if (valhall_forms[form].count)
        picks[valhall_picks_of(form, (enum valhall_type)info->type)][s->select]++;
    kinds[form][s->kind]++;
    indices[s->kind][s->index]++;
}

static void count_insn(const struct valhall_insn *i)
{
    const struct valhall_info *info = valhall_info(i->op);
    ops[i->op]++;
    names[VALHALL_LIST_FLOW][i->flow]++;
    for (unsigned n = 0; n < valhall_sources(info); n++)
        count_source(i, n);
    for (unsigned n = 0; n < valhall_fields_of(info); n++) {
        enum valhall_field f = (enum valhall_field)info->format->field[n];
        const struct valhall_field_info *field = &valhall_fields[f];
        uint32_t value = valhall_field_get(f, i);
        if (field->kind == VALHALL_KIND_CHOICE)
            names[field->list][value]++;
        else if (field->kind == VALHALL_KIND_INTO)
            picks[field->list][value]++;
        else
            for (unsigned bit = 0; bit < field->row.count; bit++)
                bits[f][bit][value >> bit & 1]++;
    }
}

static void take_all(void)
{
    static uint64_t words[CAPACITY];
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint32_t count = make(seed, CAPACITY, words);
        for (uint32_t at = 0; at < count; at++) {
            assert_true(seen_count < UTIL_ARRAY_SIZE(insns));
            assert_int_equal(valhall_decode(words[at], &insns[seen_count], NULL), 0);
            count_insn(&insns[seen_count++]);
        }
    }
}

static void often(const char *what, const char *name, unsigned count)
{
    seen_checked++;
    if (count < SEEN_OFTEN)
        fail_msg("%s %s occurs %u times in %zu instructions", what, name, count, seen_count);
}

/* BRANCHZI goes where nobody knows: there is none. */
static void test_rows(void)
{
#define INSN(id, text, opcode, second, unit, type, format)                                                   \
    if (VALHALL_##id != VALHALL_BRANCHZI)                                                                    \
        often("INSN", text, ops[VALHALL_##id]);
#include "isa/valhall/insns.inc"
#define NAME(list, id, value, text) often("NAME " #list, text, names[VALHALL_LIST_##list][value]);
#define SPECIAL(name, page, number, text)                                                                    \
    often("SPECIAL", text, indices[VALHALL_SPECIAL][VALHALL_SPECIAL_##name]);
#define CONSTANT(number, value) often("CONSTANT", #number, indices[VALHALL_CONSTANT][number]);
#include "isa/valhall/values.inc"
#define PICK(list, value, select)                                                                            \
    often("PICK " #list, #select, picks[VALHALL_PICKS_##list][VALHALL_SELECT_##select]);
#include "isa/valhall/fields.inc"
}

/* Of a branch's distance, and of how far a BLEND skips, programs have no room for most bits. */
static void test_bits(void)
{
    for (unsigned f = 1; f < VALHALL_FIELD_COUNT; f++) {
        const struct valhall_field_info *field = &valhall_fields[f];
        bool only_branches = f == VALHALL_FIELD_ABSOLUTE;
        bool far = f == VALHALL_FIELD_BRANCH_OFFSET || f == VALHALL_FIELD_TARGET;
        for (unsigned bit = 0; field->kind != VALHALL_KIND_CHOICE && field->kind != VALHALL_KIND_INTO &&
                               !only_branches && bit < (far ? 4 : field->row.count);
             bit++) {
            often("a 0 of field", field->row.name, bits[f][bit][0]);
            often("a 1 of field", field->row.name, bits[f][bit][1]);
        }
    }
}

#define SEEN(name, condition) SEEN_IN(insns, name, condition)

static void test_operands(void)
{
    for (unsigned form = 1; form < VALHALL_FORM_COUNT; form++)
        for (unsigned kind = 0; kind < 4; kind++)
            often("a kind of operand of a form", "", kinds[form][kind]);
    for (unsigned n = 0; n < VALHALL_REGISTERS; n++)
        often("a register", "", indices[VALHALL_REGISTER][n]);
    for (unsigned n = 0; n < VALHALL_UNIFORMS; n++)
        often("a uniform", "", indices[VALHALL_UNIFORM][n]);
    for (uint8_t n = 0; n < VALHALL_SOURCES; n++) {
        SEEN("negated", i->source[n].negate || n == 3);
        SEEN("absolute", i->source[n].absolute || n == 3);
        SEEN("last use", i->source[n].last);
        SEEN("upper word", i->source[n].word);
    }
    SEEN("inverted", i->source[2].invert);
    SEEN("marked", i->marked);
    for (uint8_t n = 1; n < 4; n++)
        SEEN("write mask", i->dest.mask == n);
    for (uint8_t n = 1; n < 8; n++) {
        SEEN("read", i->read.count == n);
        SEEN("written", i->write.count == n);
    }
    SEEN("eight written", i->write.count == 8);
}

static void test_everything(void **state)
{
    take_all();
    test_rows();
    test_bits();
    test_operands();
    seen_print();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_profiles),
        cmocka_unit_test(test_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
