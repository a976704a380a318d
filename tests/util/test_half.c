/* Halves four at a time: the bits that one by one has, denormals too where the environment flushes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "util/bits.h"
#include "util/fpenv.h"
#include "util/half.h"

static void test_all(void **unused)
{
    unsigned saved = util_fpenv_enter();

    (void)unused;
    for (uint32_t h = 0; h < 65536; h += 4) {
        uint32_t out[4];

        _mm_storeu_ps((float *)out,
                      util_halves_to_floats(_mm_setr_epi32((int)h, (int)h + 1, (int)h + 2, (int)h + 3)));
        for (uint32_t n = 0; n < 4; n++)
            assert_int_equal(out[n], util_f2u(util_half_to_float((uint16_t)(h + n))));
    }
    util_fpenv_leave(saved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
