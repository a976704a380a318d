/* Memory that the host refuses while jobs of a Mali run: a fault that speaks of memory, or the right picture; and
 * the same device draws it afterwards. */
#include "tests/hostile/mali_job.h"
#include "tests/hostile/refuse.h"

/* Whether a request was refused; nth: which one. */
static bool draw_refused(enum mali_kind kind, unsigned way, long nth, bool all_after, uint64_t *right)
{
    const struct jit_options jit = {.level = -1, .optimize = JIT_QUICK, .cache_dir = ""};
    struct ways w = {0};
    struct job j;
    char text[512];
    assert_int_equal(util_pool_create(2, &w.pool), 0);
    if (way & 1)
        assert_int_equal(jit_engine_create(&jit, &w.engine, NULL), 0);
    struct mali_options options = options_of(&w, way);
    options.kind = kind;
    open_job(&j, &options);
    refuse_begin(nth, all_after);
    start(&j, 1);
    start(&j, 0);
    bool any = refuse_end();
    report_of(&j, text, sizeof text);
    bool faulted = strcmp(text, "no fault") != 0;
    if (faulted && (!any || !strstr(text, "memory")))
        fail_msg("GPU %u, way %u, request %ld%s: %s", (unsigned)kind, way, nth,
                 all_after ? " and all after it" : "", text);
    if (!faulted) {
        *right = *right ? *right : picture(&j);
        assert_int_equal(picture(&j), *right);
    }
    uint64_t after = draw_whole(&j);
    *right = *right ? *right : after;
    assert_int_equal(after, *right);
    close_job(&j);
    jit_engine_destroy(w.engine);
    util_pool_destroy(w.pool);
    return any;
}

static void test_drawing(void **state_)
{
    static const enum mali_kind kinds[] = {MALI_T860, MALI_G52, MALI_G57};
    for (unsigned kind = 0; kind < UTIL_ARRAY_SIZE(kinds); kind++) {
        uint64_t right = 0;
        for (unsigned way = 0; way < 4;
             way += kind ? 3 : 1) /* of the later ones the simplest and the fullest */
            for (unsigned all_after = 0; all_after < 2; all_after++) {
                long n = 0;
                while (draw_refused(kinds[kind], way, n, all_after, &right))
                    n += sample_step();
                assert_true(n > 10);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_drawing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
