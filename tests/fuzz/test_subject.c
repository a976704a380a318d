/* Cases and what becomes of them: names of findings, features, programs that are made smaller, captures that are changed, and
 * any bytes as a case. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fuzz/against.h"
#include "fuzz/capture.h"
#include "fuzz/capture_internal.h"
#include "fuzz/program.h"
#include "fuzz/random.h"
#include "gpu/replay.h"
#include "util/bits.h"

static struct fuzz_result result;
static struct fuzz_case one, two;

static void names(void **state)
{
    char name[FUZZ_NAME_MAX], long_text[400];
    fuzz_name(name, "differs", "lane 3: r12.x is 00000001, expected what\nmore");
    assert_string_equal(name, "differs-lane-r-x-is-expected-what");
    fuzz_name(name, "differs", "instret is c, expected a; memory 0x12 is ff");
    assert_string_equal(name, "differs-instret-is-expected-memory-x-is");
    fuzz_name(name, "crash", "Segmentation fault at vitrail+x12ab");
    assert_string_equal(name, "crash-segmentation-fault-at-vitrail-x12ab");
    fuzz_name(name, "/../", "");
    assert_string_equal(name, "");
    memset(long_text, 'z', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = 0;
    fuzz_name(name, "x", long_text);
    assert_int_equal(strlen(name), FUZZ_NAME_MAX - 1);
}

static uint64_t feature_of(const char *line)
{
    result.feature_count = 0;
    fuzz_feature_of_line(&result, 1, line, strlen(line));
    assert_int_equal(result.feature_count, 1);
    return result.features[0];
}

static void lines_without_numbers(void **state)
{
    assert_int_equal(feature_of("  fadd r1, 0x1234, 17"), feature_of("fadd r1, 0x99, 3"));
    assert_int_not_equal(feature_of("fadd r1, 17"), feature_of("fmul r1, 17"));
    assert_int_equal(feature_of("at 0001f000: add"), feature_of("at 00af0010: add")); /* digits without 0x */
    assert_int_not_equal(feature_of("add"), feature_of("fade")); /* words of hex digits */
    result.feature_count = FUZZ_FEATURES_MAX;
    fuzz_feature(&result, 1); /* no room: left out */
    assert_int_equal(result.feature_count, FUZZ_FEATURES_MAX);
}

/* Every set: generated cases agree, any step makes them smaller or tells that it does not, any bytes are a case. */
static void programs(void **state)
{
    const struct isa_set *isa;
    for (unsigned n = 0; (isa = isa_set_at(n)); n++) {
        struct isa_random r = {n + 1};
        struct fuzz_subject *s;
        const struct fuzz_case *kept[] = {&two};
        assert_int_equal(fuzz_program_create(world_find(isa->name), NULL, &s, NULL), 0);
        s->functions->make(s, &r, &(struct fuzz_corpus){0}, &two);
        for (unsigned k = 0; k < 6; k++) {
            s->functions->make(s, &r, &(struct fuzz_corpus){kept, 1}, &one);
            s->functions->attempt(s, &one, true, &result);
            if (result.verdict == FUZZ_FINDING)
                fail_msg("%s: %s", isa->name, result.text);
            assert_true(result.feature_count > 0);
        }
        const uint32_t steps = s->functions->steps(s, &two), parts = s->functions->parts(s, &two);
        for (uint32_t first = 0; first < steps; first++)
            if (s->functions->smaller(s, &two, first, 1, &one)) {
                assert_true(one.size < two.size ||
                            (one.size == two.size && memcmp(one.bytes, two.bytes, one.size) != 0));
                assert_true(s->functions->parts(s, &one) <= parts);
            }
        assert_false(s->functions->smaller(s, &two, 0, steps, &one)); /* none would be left */
        for (unsigned k = 0; k < 40; k++) {
            uint64_t seed = k;
            one.size = (uint32_t)(random_next(&seed) % 64);
            for (uint32_t i = 0; i < one.size; i++)
                one.bytes[i] = (uint8_t)random_next(&seed);
            if (one.size > 1)
                one.bytes[1] = 0; /* one mode, as all of them take long */
            s->functions->attempt(s, &one, false, &result);
            assert_int_not_equal(result.verdict, FUZZ_FINDING);
        }
        s->functions->destroy(s);
    }
}

/* ---- captures ---- */

static struct fuzz_subject *open_capture(const char *path)
{
    struct fuzz_subject *s = NULL;
    FILE *file = fopen(path, "rb");
    if (!file) {
        fail_msg("%s cannot be read", path);
        return NULL;
    }
    uint8_t *bytes = malloc(1 << 20);
    assert_non_null(bytes);
    const size_t size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    assert_int_equal(fuzz_capture_create(bytes, size, NULL, &s, NULL), 0);
    return s;
}

static void put_changes(const struct fuzz_changes *changes)
{
    assert_true(fuzz_changes_put(changes, &one));
}

/* What changes say is what comes out, also of the file that is written; all that is left out is counted. */
static void captures(void **state)
{
    static struct fuzz_changes changes;
    char path[] = "/tmp/vitrail-fuzz-XXXXXX";
    struct fuzz_subject *s = open_capture(SOURCE_DIR "/tests/captures/kmscube.vtc");
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    fuzz_capture_case(s, &two);
    s->functions->attempt(s, &two, true, &result);
    assert_int_equal(result.verdict, FUZZ_AGREES);
    const uint64_t pictures = result.runs;
    const uint32_t all = s->functions->parts(s, &two);
    assert_true(pictures > 0);
    /* Without its last unit, which is a picture's mark. */
    assert_true(s->functions->smaller(s, &two, all - 1, 1, &one));
    assert_int_equal(s->functions->parts(s, &one), all - 1);
    assert_false(s->functions->smaller(s, &one, all - 1, 1, &two));
    s->functions->attempt(s, &one, false, &result);
    assert_int_equal(result.runs, pictures - 1);
    assert_int_equal(s->functions->save(s, &one, path, NULL), 0);
    struct fuzz_subject *written = open_capture(path);
    fuzz_capture_case(written, &two);
    assert_int_equal(written->functions->parts(written, &two), all - 1);
    written->functions->attempt(written, &two, false, &result);
    assert_int_equal(result.runs, pictures - 1);
    written->functions->destroy(written);
    /* Edits and drops that go beyond everything. */
    changes.head = (struct fuzz_capture_head){.edits = 3, .drops = 2, .units = UINT32_MAX};
    changes.edit[0] = (struct fuzz_edit){UINT32_MAX, 65535, 65535, {1}};
    changes.edit[1] = (struct fuzz_edit){0, GPU_PAGE - 1, 16, {1}};
    changes.edit[2] = (struct fuzz_edit){1, 0, 65535, {1}};
    changes.drop[0] = (struct fuzz_drop){UINT32_MAX, UINT32_MAX};
    changes.drop[1] = (struct fuzz_drop){5, UINT32_MAX};
    put_changes(&changes);
    s->functions->attempt(s, &one, true, &result);
    for (unsigned k = 0; k < 20; k++) {
        uint64_t seed = k;
        one.size = (uint32_t)(random_next(&seed) % 200);
        for (uint32_t i = 0; i < one.size; i++)
            one.bytes[i] = (uint8_t)(random_next(&seed) % 4);
        s->functions->attempt(s, &one, true, &result);
        assert_int_not_equal(result.verdict, FUZZ_FINDING);
    }
    s->functions->destroy(s);
    unlink(path);
}

/* Programs of a capture are found in its pages, and changes made there. */
static void changes_of_programs(void **state)
{
    static struct fuzz_changes changes;
    struct fuzz_subject *s = open_capture(SOURCE_DIR "/tests/captures/t860/gltest.vtc");
    struct isa_random r = {1};
    unsigned programs = 0, registers = 0;
    for (unsigned n = 0; n < 300; n++) {
        s->functions->make(s, &r, &(struct fuzz_corpus){0}, &one);
        fuzz_changes_get(&one, &changes);
        assert_true(changes.head.edits >= 1 && changes.head.edits <= 3);
        for (uint32_t k = 0; k < changes.head.edits; k++) {
            programs += changes.edit[k].size == 16;
            registers += changes.edit[k].size == 4 && !changes.edit[k].offset;
        }
    }
    assert_true(programs > 100 && registers > 10);
    s->functions->destroy(s);
}

/* Programs of a Mali-400 compute in halves; in singles a picture differs, and it is said where and from what to what. */
static void difference(void **state)
{
    static const char path[] = SOURCE_DIR "/tests/captures/mali400/features-halves.vtc";
    struct jit_engine *engine = fuzz_capture_engine(false);
    struct gpu_options ways[2] = {fuzz_capture_options(engine, 0), fuzz_capture_options(engine, 0)};
    struct fuzz_difference d = {0};
    struct util_error error = {0};
    assert_int_equal(fuzz_capture_compare(path, ways, &d, &error), 0);
    ways[0].numeric = ISA_FAST;
    ways[1].numeric = ISA_EXACT;
    assert_int_equal(fuzz_capture_compare(path, ways, &d, &error), 1);
    assert_true(d.differing > 0 && d.differing <= d.total && d.picture > 0);
    for (unsigned n = 0; n < 2; n++) {
        struct capture_reader *reader;
        struct replay *replay;
        struct capture_frame frame;
        struct util_image image;
        assert_int_equal(capture_reader_open(path, &reader, &error), 0);
        assert_int_equal(replay_create(reader, &ways[n], &replay, &error), 0);
        for (uint32_t picture = 0; picture < d.picture; picture++)
            assert_int_equal(replay_next_frame(replay, false, &frame, &error), 1);
        assert_int_equal(replay_picture(replay, &frame, &image), 0);
        assert_int_equal((uint64_t)image.width * image.height, d.total);
        assert_memory_equal(image.pixels + 4 * ((size_t)d.y * image.width + d.x), d.got[n], 4);
        util_image_finish(&image);
        replay_destroy(replay);
    }
    assert_memory_not_equal(d.got[0], d.got[1], 4);
    jit_engine_destroy(engine);
    assert_int_equal(fuzz_capture_difference(path, &d, &error),
                     0); /* compiled, interpreted, in order: the same */
    assert_int_equal(fuzz_capture_difference("/nowhere.vtc", &d, &error), -ENOENT);
}

/* ---- the other side ---- */

static int serve(const char *question, size_t size, char **answer)
{
    size_t length;
    FILE *in = fmemopen((void *)(uintptr_t)question, size, "r"), *out = open_memstream(answer, &length);
    const int code = fuzz_against_serve(in, out, false);
    fclose(in);
    fclose(out);
    return code;
}

static void questions(void **state)
{
    static const char *const bad[] = {
        "vitrail fuzz 2\n",
        "vitrail fuzz 1\nrun\n",
        "vitrail fuzz 1\nset nothing\n",
        "vitrail fuzz 1\nset midgard\nset midgard\n",
        "vitrail fuzz 1\nset midgard\nmode none\n",
        "vitrail fuzz 1\nset midgard\nwords 16 4000000000\n",
        "vitrail fuzz 1\nset midgard\nwords 16 1\nshort",
        "vitrail fuzz 1\nwords 16 1\n",
        "vitrail fuzz 1\nset simple-v\nmode usual\nwords 2 1\nabin memory 1 99999999\n",
        "vitrail fuzz 1\nset simple-v\nmode usual\nwords 2 1\nabin fault 4 1\nabcd"};
    char *answer = NULL;
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(bad); n++) {
        assert_int_equal(serve(bad[n], strlen(bad[n]), &answer), -EPROTO);
        assert_string_equal(answer, "");
        free(answer);
    }
    /* c.nop; then a program that cannot be executed. */
    const char good[] = "vitrail fuzz 1\nset simple-v\nmode usual\nwords 2 1\n\x01\0run\n"
                        "vitrail fuzz 1\nset vc4-qpu\nmode fast\nwords 8 1\n\0\0\0\0\0\0\0\0run\n";
    assert_int_equal(serve(good, sizeof good - 1, &answer), 0);
    assert_memory_equal(answer, "out x 8 128\n", 12);
    free(answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),     cmocka_unit_test(lines_without_numbers), cmocka_unit_test(programs),
        cmocka_unit_test(captures),  cmocka_unit_test(changes_of_programs),   cmocka_unit_test(difference),
        cmocka_unit_test(questions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
