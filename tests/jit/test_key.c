/* Keys of compiled code, written and read in parts (jit/key.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "jit/key.h"
#include "util/bits.h"

/* Parts come back as they were put in, empty ones among them; a key that ends early is said to. */
static void test_keys(void **state)
{
    const struct {
        uint32_t word;
        uint8_t other;
    } items[3] = {{1, 0xff}, {2, 0xff}, {3, 0xff}};
    const char head[4] = "abc";
    const struct jit_key_part parts[] = {
        {head, sizeof head, 1, sizeof head}, {NULL, 8, 0, 8}, {&items->word, 4, 3, sizeof *items}};
    size_t size;
    uint8_t *key = jit_key_write(parts, UTIL_ARRAY_SIZE(parts), &size);
    assert_int_equal(size, 16);
    assert_memory_equal(key, ((uint32_t[4]){0x00636261, 1, 2, 3}), 16);
    for (size_t cut = 0; cut < 2; cut++) {
        struct jit_key_reader in = {key, size - cut};
        char first[4];
        assert_true(jit_key_read(&in, first, sizeof first));
        assert_memory_equal(first, head, sizeof head);
        void *nothing = jit_key_take(&in, 0);
        assert_non_null(nothing);
        free(nothing);
        uint32_t *words = jit_key_take(&in, 12);
        assert_int_equal(words != NULL, !cut);
        assert_int_equal(in.left, cut ? 11 : 0);
        assert_false(jit_key_read(&in, first, 12));
        free(words);
    }
    free(key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
