/* Random Bifrost programs as they are executed: the seed decides them, no rule is broken, together they have all of the
 * tables, and every operation is executed by some, but those of which README.md says that they fault. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/bifrost/asm.h"
#include "isa/bifrost/lower.h"
#include "isa/bifrost/names.h"
#include "isa/bifrost/table.h"
#include "tests/isa/seen.h"
#include "util/bits.h"

enum { SEEDS = 2000, CAPACITY = 256, OFTEN = 5 };

static uint64_t words[CAPACITY * 2];
static unsigned executed[BIFROST_OP_COUNT], froms[2][BIFROST_FROM_ADD_LAST + 1], uses[2][32],
    tuples[BIFROST_TUPLES + 1], constants[BIFROST_CONSTANTS + 1], flows[8], versions[2];

static unsigned profile_of(uint64_t seed)
{
    static const unsigned profiles[] = {BIFROST_RANDOM_FULL, BIFROST_RANDOM_STRAIGHT,
                                        BIFROST_RANDOM_ARITHMETIC, BIFROST_RANDOM_FULL};
    return profiles[seed % 4] | (seed & 4 ? BIFROST_RANDOM_V7 : 0u);
}

static void count_clause(const struct bifrost_clause *c, bool known, bool v7)
{
    tuples[c->tuple_count]++;
    constants[c->constant_count]++;
    flows[c->flow]++;
    for (unsigned n = 0; n < c->tuple_count * 2u; n++) {
        const struct bifrost_insn *i = &c->tuple[n / 2].insn[n % 2];
        executed[i->op] += known;
        versions[v7] += i->op == (v7 ? BIFROST_OP_CLPER_I32 : BIFROST_OP_CLPER_OLD_I32);
        assert_true(i->op != (v7 ? BIFROST_OP_CLPER_OLD_I32 : BIFROST_OP_CLPER_I32));
        for (unsigned k = 0; k < i->source_count; k++)
            froms[n % 2][i->source[k].from]++;
    }
    for (unsigned n = 0; n < c->tuple_count; n++)
        uses[n == 0]
            [c->tuple[n].ports.use[2] * 8u + c->tuple[n].ports.use[3] * 2u + c->tuple[n].ports.fma_3]++;
}

static bool is_known(const struct warp_program *p)
{
    for (uint32_t n = 0; n < p->insn_count; n++)
        if (p->insns[n].kind == WARP_UNSUPPORTED)
            return false;
    return true;
}

static unsigned faulting; /* programs */

static void take(uint64_t seed)
{
    unsigned long long told = seed;
    struct bifrost_program *program = NULL;
    struct warp_program *lowered = NULL;
    struct util_error error = {0};
    const uint32_t count = bifrost_random(seed, profile_of(seed), words, CAPACITY);
    assert_int_equal(bifrost_check(words, count, seen_breach, &told), 0);
    if (bifrost_program_create(words, count, &program, &error) || bifrost_lower(program, &lowered, &error))
        fail_msg("seed %llu: %s", told, error.text);
    const bool known = is_known(lowered);
    faulting += !known;
    for (uint32_t n = 0; n < program->clause_count; n++)
        count_clause(&program->clauses[n], known, profile_of(seed) & BIFROST_RANDOM_V7);
    bifrost_program_destroy(program);
    warp_program_destroy(lowered);
}

static void no_rule_is_broken(void **state)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        take(seed);
}

/* What README.md lists, a full stop behind the last: whole names, or what stands before the type. */
static char *listed(void)
{
    static const char mark[] = "What faults when it is executed, by its name: ";
    static char text[65536];
    FILE *file = fopen(SOURCE_DIR "/isa/bifrost/README.md", "r");
    if (!file)
        abort();
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    char *at = strstr(text, mark), *end = at ? strstr(at, ".\n") : NULL;
    assert_non_null(end);
    *end = 0;
    return at + sizeof mark - 1;
}

static bool is_listed(const char *list, const char *name)
{
    const size_t whole = strlen(name), base = strcspn(name, ".");
    for (const char *at = list; at; at = strstr(at, ", ") ? strstr(at, ", ") + 2 : NULL) {
        const size_t length = strcspn(at, ",");
        if ((length == whole || length == base) && !strncmp(at, name, length))
            return true;
    }
    return false;
}

static void operations_are_executed_or_listed(void **state)
{
    const char *list = listed();
    for (unsigned op = 0; op < BIFROST_OP_COUNT; op++) {
        const char *name = bifrost_op_info((uint16_t)op)->text;
        if (is_listed(list, name) ? executed[op] : executed[op] < OFTEN)
            fail_msg("%s is in %u programs that do not fault", name, executed[op]);
    }
    assert_in_range(faulting, 1, SEEDS / 8);
}

static void programs_have_all(void **state)
{
    for (unsigned from = 0; from <= BIFROST_FROM_ADD_LAST; from++)
        for (unsigned unit = 0; unit < 2; unit++)
            assert_true(froms[unit][from] > 20 || (unit == BIFROST_FMA && from == BIFROST_FROM_FMA));
    for (unsigned n = 1; n <= BIFROST_TUPLES; n++)
        assert_true(tuples[n] > 100);
    for (unsigned n = 0; n <= BIFROST_NAMED; n++)
        assert_true(constants[n] > 20);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(flows); n++)
        assert_true(flows[n] > 100);
    for (size_t n = 0; n < bifrost_mode_count; n++) {
        const struct bifrost_mode *m = &bifrost_modes[n];
        assert_true(uses[0][m->use[0] * 8u + m->use[1] * 2u + m->fma_3] > 20);
    }
    assert_true(versions[0] > OFTEN && versions[1] > OFTEN);
}

static void the_seed_decides(void **state)
{
    static uint64_t again[CAPACITY * 2];
    for (uint64_t seed = 0; seed < 30; seed++) {
        const uint32_t count = bifrost_random(seed, profile_of(seed), words, CAPACITY);
        assert_int_equal(bifrost_random(seed, profile_of(seed), again, CAPACITY), count);
        assert_memory_equal(words, again, count * sizeof *words * 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(no_rule_is_broken),
        cmocka_unit_test(operations_are_executed_or_listed),
        cmocka_unit_test(programs_have_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
