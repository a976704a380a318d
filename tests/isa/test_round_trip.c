/* Words and text of every set: what a disassembler prints of any words assembles to them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/random.h"
#include "isa/sets.h"
#include "util/bits.h"

enum { BLOCKS = 30000, BLOCK_BYTES = 128, PROGRAMS = 300, PROGRAM_BYTES = 16384 };

/* The text, which is the caller's. */
static char *printed(const struct isa_set *set, const void *words, uint32_t count)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    assert_int_equal(set->disassemble(out, words, count), 0);
    fclose(out);
    return text;
}

static void comes_back(const struct isa_set *set, const char *text, const void *words, uint32_t count)
{
    struct util_error error = {0};
    void *again;
    uint32_t count_again;
    if (isa_assemble(set->syntax, text, strlen(text), &again, &count_again, &error))
        fail_msg("%s: %s\n%s", set->name, error.text, text);
    if (count_again != count || memcmp(again, words, (size_t)count * set->word_bytes) != 0)
        fail_msg("%s: other words:\n%s", set->name, text);
    free(again);
}

static void any_words_go_round(void **state)
{
    const struct isa_set *set;
    for (unsigned s = 0; (set = isa_set_at(s)); s++) {
        struct isa_random r = {1};
        for (unsigned n = 0; n < BLOCKS; n++) {
            uint64_t words[BLOCK_BYTES / 8];
            uint32_t count = BLOCK_BYTES / set->word_bytes;
            for (unsigned k = 0; k < UTIL_ARRAY_SIZE(words); k++)
                words[k] = isa_random_next(&r);
            char *text = printed(set, words, count);
            comes_back(set, text, words, count);
            free(text);
        }
    }
}

/* Random programs print without raw words. */
static void programs_go_round(void **state)
{
    const struct isa_set *set;
    for (unsigned s = 0; (set = isa_set_at(s)); s++)
        for (uint64_t n = 0; n < PROGRAMS && set->random; n++) {
            uint64_t words[PROGRAM_BYTES / 8];
            uint32_t count = set->random(n, (unsigned)(n % 3), words, PROGRAM_BYTES / set->word_bytes);
            char *text = printed(set, words, count);
            if (strstr(text, ".word"))
                fail_msg("%s: program %" PRIu64 " prints %.200s", set->name, n, strstr(text, ".word"));
            comes_back(set, text, words, count);
            free(text);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_words_go_round),
        cmocka_unit_test(programs_go_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
