/* Random bits as Bifrost instructions and clauses: what decodes encodes to the same bits, and else a message says what is
 * reserved; the linter takes anything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "isa/bifrost/asm.h"
#include "isa/bifrost/lint.h"
#include "isa/bifrost/table.h"
#include "isa/isa.h"
#include "isa/random.h"
#include "util/bits.h"

static void instruction_comes_back(enum bifrost_unit unit, uint32_t bits, unsigned *decoded)
{
    struct bifrost_insn insn;
    struct util_error error = {0};
    uint32_t again;
    if (bifrost_insn_decode(unit, bits, &insn, &error)) {
        assert_true(strstr(error.text, "reserved") || strstr(error.text, "no instruction"));
        return;
    }
    (*decoded)++;
    assert_int_equal(bifrost_insn_encode(unit, &insn, &again), 0);
    assert_int_equal(again, bits);
}

/* Half of FMA's words are none, a quarter of ADD's. */
static void instructions_come_back(void **state)
{
    struct isa_random r = {1};
    unsigned fma = 0, add = 0;
    for (unsigned n = 0; n < 60000; n++) {
        instruction_comes_back(BIFROST_FMA, (uint32_t)isa_random_next(&r) >> (32 - BIFROST_FMA_BITS), &fma);
        instruction_comes_back(BIFROST_ADD, (uint32_t)isa_random_next(&r) >> (32 - BIFROST_ADD_BITS), &add);
    }
    assert_true(fma > 20000 && add > 20000);
}

/* Some bits of a row's own, so that random clauses hold instructions. */
static uint32_t random_insn(struct isa_random *r, enum bifrost_unit unit)
{
    for (;;) {
        const struct bifrost_row *row = &bifrost_rows[isa_random_below(r, (uint32_t)bifrost_row_count)];
        uint32_t all = unit == BIFROST_FMA ? (1u << BIFROST_FMA_BITS) - 1 : (1u << BIFROST_ADD_BITS) - 1;
        uint32_t bits = ((uint32_t)isa_random_next(r) & all & ~row->mask) | row->value;
        struct bifrost_insn insn;
        if (row->unit == unit && !bifrost_insn_decode(unit, bits, &insn, NULL))
            return bits;
    }
}

/* The register block reads three registers, in the first tuple and in others. */
static void random_tuple(struct isa_random *r, bool first, struct bifrost_tuple *out)
{
    bool down = isa_random_one_in(r, 2);
    uint8_t low = (uint8_t)isa_random_below(r, 31), high = (uint8_t)(32 + isa_random_below(r, 32));
    uint8_t third = (uint8_t)isa_random_below(r, 64);
    bifrost_insn_decode(BIFROST_FMA, random_insn(r, BIFROST_FMA), &out->insn[BIFROST_FMA], NULL);
    bifrost_insn_decode(BIFROST_ADD, random_insn(r, BIFROST_ADD), &out->insn[BIFROST_ADD], NULL);
    out->ports = (struct bifrost_ports){
        .fau =
            (uint8_t)(1u << BIFROST_FAU_IS_UNIFORM_AT | isa_random_below(r, 1u << BIFROST_FAU_UNIFORM_BITS)),
        .raw = {down ? (uint8_t)(63 - high) : low, down ? (uint8_t)(63 - low) : high, third, third},
        .control = first ? 12 : 4};
    if (out->ports.raw[0] > out->ports.raw[1])
        out->ports.raw[0] = out->ports.raw[1];
}

static void random_clause(struct isa_random *r, struct bifrost_clause *out)
{
    static const uint8_t messages[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15};
    memset(out, 0, sizeof *out);
    out->tuple_count = (uint8_t)(1 + isa_random_below(r, BIFROST_TUPLES));
    out->constant_count = (uint8_t)bifrost_constants_beside(out->tuple_count);
    while (bifrost_constants_fit(out->tuple_count, out->constant_count + 2u) && isa_random_one_in(r, 2))
        out->constant_count += 2;
    for (unsigned n = 0; n < out->constant_count; n++)
        out->constant[n].value = isa_random_next(r) & ~15ull;
    for (unsigned n = 0; n < out->tuple_count; n++)
        random_tuple(r, n == 0, &out->tuple[n]);
    out->flow = (uint8_t)isa_random_below(r, 8);
    out->flush = (uint8_t)isa_random_below(r, 4);
    out->exceptions = (uint8_t)isa_random_below(r, 4);
    out->wait = (uint8_t)isa_random_next(r);
    out->slot = (uint8_t)isa_random_below(r, 8);
    out->staging = (uint8_t)isa_random_below(r, 64);
    out->message = messages[isa_random_below(r, UTIL_ARRAY_SIZE(messages))];
    out->next_message = messages[isa_random_below(r, UTIL_ARRAY_SIZE(messages))];
    out->terminate = isa_random_one_in(r, 2);
    out->staging_barrier = isa_random_one_in(r, 2);
}

/* What constants are relative may be reserved (two of sixteen ways). */
static void clauses_come_back(void **state)
{
    struct isa_random r = {7};
    unsigned decoded = 0, shown = 0;
    for (unsigned n = 0; n < 3000; n++) {
        struct bifrost_clause clause, back;
        uint64_t words[BIFROST_QUADS * 2], again[BIFROST_QUADS * 2];
        char text[BIFROST_TEXT_MAX];
        struct util_error error = {0};
        random_clause(&r, &clause);
        uint32_t quads = bifrost_encode(&clause, words, &error);
        if (!quads)
            fail_msg("%s", error.text);
        if (!bifrost_decode(words, quads, 0, &back, &error)) {
            assert_non_null(strstr(error.text, "reserved"));
            continue;
        }
        decoded++;
        assert_int_equal(back.tuple_count, clause.tuple_count);
        assert_int_equal(back.constant_count, clause.constant_count);
        assert_int_equal(bifrost_encode(&back, again, &error), quads);
        assert_memory_equal(words, again, quads * 16);
        assert_int_equal(bifrost_disasm(words, quads, 0, text), quads);
        shown += strncmp(text, ".word", 5) != 0;
    }
    assert_true(decoded > 2000);
    assert_true(shown > decoded / 2);
}

static void ignore(void *data, const struct isa_finding *finding)
{
    (*(unsigned *)data)++;
}

/* A bit turned of a clause, anywhere: it decodes to what encodes to the same, or is refused with a reason. */
static void turned_bits_come_back(void **state)
{
    struct isa_random r = {3};
    unsigned findings = 0, refused = 0;
    for (unsigned n = 0; n < 3000; n++) {
        struct bifrost_clause clause;
        uint64_t words[BIFROST_QUADS * 2], again[BIFROST_QUADS * 2];
        struct util_error error = {0};
        random_clause(&r, &clause);
        uint32_t quads = bifrost_encode(&clause, words, &error), bit = isa_random_below(&r, quads * 128);
        words[bit / 64] ^= 1ull << bit % 64;
        uint32_t used = bifrost_decode(words, quads, 0, &clause, &error);
        if (used) {
            assert_int_equal(bifrost_encode(&clause, again, &error), used);
            assert_memory_equal(words, again, used * 16);
        } else {
            refused++;
            assert_true(error.text[0] != 0);
        }
        assert_int_equal(bifrost_lint(words, quads, 0, ignore, &findings), 0);
    }
    assert_true(findings && refused && refused < 2500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_come_back),
        cmocka_unit_test(clauses_come_back),
        cmocka_unit_test(turned_bits_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
