/* The program cache: by place, by content, never what stood there before; codes kept with programs; bounds.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/program.h"
#include "util/pool.h"

/* An instruction set whose programs end with a word of zero; a first word of 1 is not allowed. */
struct decoded {
    uint32_t words, first;
};
static _Atomic uint32_t alive, decodings;

static int decode(const void *words, uint32_t count, struct gpu_program_decoded *out,
                  struct util_error *error)
{
    const uint32_t *word = words;
    struct decoded *decoded;
    uint32_t n = 0;

    atomic_fetch_add(&decodings, 1);
    if (count && word[0] == 1)
        return util_fail(error, -EINVAL, "begins with 1");
    while (n < count && word[n])
        n++;
    if (n == count)
        return util_fail(error, -EBADMSG, "no end in %u words", count);
    decoded = malloc(sizeof *decoded);
    if (!decoded)
        return -ENOMEM;
    *decoded = (struct decoded){n + 1, word[0]};
    *out = (struct gpu_program_decoded){decoded, n + 1, n + 1};
    atomic_fetch_add(&alive, 1);
    return 0;
}

static void destroy(void *program)
{
    atomic_fetch_sub(&alive, 1);
    free(program);
}

static const struct gpu_program_kind kind = {.word_bytes = 4,
                                             .most_words = 4096,
                                             .first_words = 8,
                                             .many = 10000,
                                             .most = 40000,
                                             .decode = decode,
                                             .destroy = destroy};

static const uint8_t *bytes_of(const uint32_t *words)
{
    return (const uint8_t *)words;
}

static struct gpu_program *get(struct gpu_programs *programs, const uint32_t *words, uint32_t count)
{
    struct util_error error = {0};
    struct gpu_program *program = NULL;

    assert_int_equal(gpu_programs_get(programs, bytes_of(words), 4 * count, &program, &error), 0);
    assert_non_null(program);
    return program;
}

static uint32_t first_of(const struct gpu_program *program)
{
    return ((const struct decoded *)program->program)->first;
}

static void test_place_and_content(void **unused)
{
    uint32_t here[64] = {7, 8, 0, 9}, there[64] = {7, 8, 0, 5};
    struct gpu_programs *programs;
    struct gpu_program *a, *b;
    uint32_t before;

    (void)unused;
    assert_int_equal(gpu_programs_create(&kind, &programs), 0);
    a = get(programs, here, 64);
    assert_int_equal(a->bytes, 12);
    assert_int_equal(a->insns, 3);
    assert_memory_equal(a->words, here, 12);
    before = decodings;
    here[3] = 10; /* behind the program */
    assert_ptr_equal(get(programs, here, 64), a);
    assert_ptr_equal(get(programs, here, 3), a);
    assert_int_equal(decodings, before);
    assert_ptr_equal(get(programs, there, 64), a);

    /* Rewritten, longer, and back. */
    here[1] = 3;
    b = get(programs, here, 64);
    assert_ptr_not_equal(b, a);
    assert_int_equal(first_of(b), 7);
    here[2] = 4;
    here[3] = 0;
    assert_int_equal(get(programs, here, 64)->bytes, 16);
    here[1] = 8;
    here[2] = 0;
    assert_ptr_equal(get(programs, here, 64), a);
    assert_ptr_equal(get(programs, there, 64), a);
    assert_int_equal(alive, 3);

    /* What stood there ends beyond what may be read. */
    struct util_error error = {0};
    assert_int_equal(gpu_programs_get(programs, bytes_of(here), 8, &b, &error), -EBADMSG);
    assert_string_equal(error.text, "no end in 2 words");
    gpu_programs_empty(programs);
    assert_int_equal(alive, 0);
    assert_int_equal(first_of(get(programs, here, 64)), 7);
    gpu_programs_destroy(programs);
    assert_int_equal(alive, 0);
}

/* Growing copies: where the end is, and that there is none. */
static void test_length(void **unused)
{
    static uint32_t words[5000];
    struct gpu_programs *programs;
    struct gpu_program *program;
    struct util_error error = {0};

    (void)unused;
    assert_int_equal(gpu_programs_create(&kind, &programs), 0);
    for (uint32_t n = 0; n < 5000; n++)
        words[n] = n + 2;
    assert_int_equal(gpu_programs_get(programs, bytes_of(words), sizeof words, &program, &error), -EBADMSG);
    assert_string_equal(error.text, "no end in 4096 words");
    for (uint32_t end = 4095; end; end /= 2) {
        words[end] = 0;
        assert_int_equal(get(programs, words, 5000)->bytes, (end + 1) * 4);
        assert_int_equal(get(programs, words, end + 1)->bytes, (end + 1) * 4);
    }
    words[0] = 1;
    error = (struct util_error){0};
    assert_int_equal(gpu_programs_get(programs, bytes_of(words), sizeof words, &program, &error), -EINVAL);
    assert_string_equal(error.text, "begins with 1");
    gpu_programs_destroy(programs);
}

static int decode_all(const void *words, uint32_t count, struct gpu_program_decoded *out,
                      struct util_error *error)
{
    int status = decode(words, count, out, error);

    out->words = count;
    return status;
}

/* Of the length that the guest gives: the same words, more of them, are another program. */
static void test_exact(void **unused)
{
    struct gpu_program_kind exact = kind;
    const uint32_t words[] = {5, 0, 5, 0};
    struct gpu_programs *programs;
    struct gpu_program *program;
    struct util_error error = {0};

    (void)unused;
    exact.exact = true;
    exact.decode = decode_all;
    assert_int_equal(gpu_programs_create(&exact, &programs), 0);
    for (unsigned round = 0; round < 2; round++) {
        assert_int_equal(get(programs, words, 2)->bytes, 8);
        assert_int_equal(get(programs, words, 4)->bytes, 16);
    }
    assert_int_equal(alive, 2);
    assert_int_equal(gpu_programs_get(programs, bytes_of(words), 4, &program, &error), -EBADMSG);
    gpu_programs_destroy(programs);
}

/* ---- threads ---- */

#define PLACES  400u
#define WORKERS 8u

struct guest {
    struct gpu_programs *programs;
    uint32_t words[PLACES][16];
    struct gpu_program *found[PLACES];
    _Atomic uint32_t wrong, made[PLACES];
};

static void want(void *data, uint32_t index, unsigned worker)
{
    struct guest *g = data;
    uint32_t n = index / WORKERS;
    const uint32_t name = 3;
    const struct util_memo_key key = {.head = &name, .head_size = sizeof name};
    struct util_error error = {0};
    struct gpu_program *program;
    enum util_make_status status;

    (void)worker;
    if (gpu_programs_get(g->programs, bytes_of(g->words[n]), sizeof g->words[n], &program, &error) ||
        program->bytes != 12 || memcmp(program->words, g->words[n], 12) != 0) {
        atomic_fetch_add(&g->wrong, 1);
        return;
    }
    uint32_t *code = gpu_program_code(program, &key, sizeof *code, &status);
    if (status == UTIL_MAKING) {
        *code = g->words[n][0];
        atomic_fetch_add(&g->made[n % (PLACES / 2)], 1);
        util_memo_end(&program->codes, code, true);
    }
    if (*code != g->words[n][0])
        atomic_fetch_add(&g->wrong, 1);
}

/* Half as many programs as places. */
static void test_threads(void **unused)
{
    static struct guest g;
    struct util_pool *pool;

    (void)unused;
    assert_int_equal(util_pool_create(WORKERS - 1, &pool), 0);
    assert_int_equal(gpu_programs_create(&kind, &g.programs), 0);
    for (uint32_t round = 0; round < 20; round++) {
        for (uint32_t n = 0; n < PLACES; n++) {
            g.words[n][0] = n % (PLACES / 2) + 2 + round * 7;
            g.words[n][1] = round + 2;
            atomic_store(&g.made[n], 0);
        }
        util_pool_run(pool, PLACES * WORKERS, want, &g);
        util_pool_run(pool, PLACES * WORKERS, want, &g);
        assert_int_equal(g.wrong, 0);
        for (uint32_t n = 0; n < PLACES / 2; n++)
            assert_int_equal(g.made[n], 1);
        if (round % 2)
            gpu_programs_empty(g.programs);
        assert_int_equal(alive, round % 2 ? 0 : PLACES / 2);
    }
    gpu_programs_destroy(g.programs);
    util_pool_destroy(pool);
}

/* ---- bounds ---- */

/* How many places a job may use, each with the same program; each twice, which costs nothing. */
static uint32_t places_of_job(struct gpu_programs *programs, uint32_t (*words)[64])
{
    struct util_error error = {0};
    struct gpu_program *program;
    uint32_t used = 0;

    gpu_programs_begin(programs);
    while (used < 1000 &&
           !gpu_programs_get(programs, bytes_of(words[used]), sizeof words[used], &program, &error)) {
        assert_int_equal(gpu_programs_get(programs, bytes_of(words[used]), 256, &program, &error), 0);
        used++;
    }
    assert_string_equal(error.text, "a job with more than 40000 instructions of programs");
    return used;
}

static void test_bounds(void **unused)
{
    static uint32_t words[1000][64];
    struct gpu_programs *programs;
    uint32_t used, brought = 0;

    (void)unused;
    for (uint32_t n = 0; n < 1000; n++) {
        memset(words[n], 0xff, sizeof words[n]);
        words[n][63] = 0;
    }
    assert_int_equal(gpu_programs_create(&kind, &programs), 0);
    used = places_of_job(programs, words);
    assert_int_equal(used, 40000 / (64 + GPU_PROGRAM_PLACE) + 1);
    assert_int_equal(places_of_job(programs, words), used); /* all of them known */
    gpu_programs_empty(programs);
    assert_int_equal(places_of_job(programs, words), used);
    assert_int_equal(alive, 1);
    gpu_programs_empty(programs);

    /* Another program each time, at one place. */
    for (; !gpu_programs_are_many(programs) && brought < 1000; brought++) {
        words[0][0] = brought + 2;
        get(programs, words[0], 64);
    }
    assert_in_range(brought, 10000 / (64 + GPU_PROGRAM_PLACE), 10000 / (64 + GPU_PROGRAM_PLACE) + 1);
    gpu_programs_empty(programs);
    assert_false(gpu_programs_are_many(programs));
    gpu_programs_destroy(programs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_place_and_content), cmocka_unit_test(test_length), cmocka_unit_test(test_exact),
        cmocka_unit_test(test_threads),           cmocka_unit_test(test_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
