/* The linter over captures of Malis with a job manager: submissions of the stock driver have nothing to be told of;
 * each rule is found where a submission is changed in one place. */
#include "tests/gpu/mali/recording.h"

#include "gpu/lint.h"
#include "isa/sets.h"

struct change {
    const char *rule;
    uint32_t address, from, to; /* a word of t860/cube */
    unsigned slot;              /* of the chain that is moved, 1 or 0, if `chain` is not 0 */
    uint64_t chain;
};

/* The vertex job stands at 0x02075140, the tiler job at 0x02075200, the fragment job at 0x020754c0. */
static const struct change changes[] = {
    {"DESCRIPTOR", 0x02075228, 0x18030208, 0x18030207, 0, 0}, /* no such draw mode */
    {"UNUSABLE", 0x02075260, 0x020753b0, 0x03000000, 0, 0},   /* no memory of the textures */
    {"DESCRIPTOR", 0, 0, 0, 1, 0x03000000},
    {"CHAIN_ROUND", 0x02075218, 0, 0x02075140, 0, 0},
    {"SLOT", 0, 0, 0, 1, 0x020754c0},
    {"INDEX_TWICE", 0x02075210, 3 << 16 | 7 << 1 | 1, 1 << 16 | 7 << 1 | 1, 0, 0},
    {"DEPENDENCY", 0x02075214, 2 << 16 | 1, 2 << 16 | 9, 0, 0},
    {"HEADER_USED", 0x02075140, 0, 1, 0, 0},
    {"STATE_NONE", 0x020120c0, 0x02013285, 5, 0, 0},
    {"PROGRAM", 0x020120c0, 0x02013285, 0x03000005, 0, 0},
    {"FIRST_TAG", 0x020120c0, 0x02013285, 0x02013286, 0, 0},
};
enum { PROGRAM = 0x02013380, PROGRAM_BYTES = 64 }; /* of fragments: a varying, a texture, a bundle */

struct found {
    const char *rule;
    unsigned count, of_rule, in_programs; /* in_programs: errors */
};

static void keep(void *data, const struct gpu_lint_finding *f)
{
    struct found *found = data;
    found->count++;
    found->of_rule += !strcmp(f->rule->name, found->rule);
    found->in_programs += f->pc != UINT32_MAX && f->rule->severity == ISA_ERROR;
}

static struct found look(struct scene *s, const char *gpu, const char *rule, struct gpu_lint_summary *summary)
{
    char path[] = "/tmp/vitrail-lint-XXXXXX";
    struct util_error error = {0};
    struct capture_reader *reader;
    struct found found = {.rule = rule};
    recording_make(s, gpu, path);
    assert_int_equal(capture_reader_open(path, &reader, &error), 0);
    assert_int_equal(gpu_lint_capture(&mali_linter, reader, keep, &found, summary, &error), 0);
    capture_reader_close(reader);
    unlink(path);
    return found;
}

static void the_driver_is_clean(void **state)
{
    static const char *const folders[] = {"t720/clear", "t720/cube", "t760/triangle", "t860/cube",
                                          "g52/clear",  "g52/cube",  "g57/triangle",  "g57/cube"};
    static const enum mali_kind kinds[] = {MALI_T720, MALI_T720, MALI_T760, MALI_T860,
                                           MALI_G52,  MALI_G52,  MALI_G57,  MALI_G57};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(folders); n++) {
        struct gpu_lint_summary summary;
        struct scene s;
        char gpu[5];
        snprintf(gpu, sizeof gpu, "%.*s", (int)strcspn(folders[n], "/"), folders[n]);
        scene_load(&s, folders[n], &(struct mali_options){.kind = kinds[n]});
        struct found found = look(&s, gpu, "", &summary);
        assert_int_equal(found.count, 0);
        assert_int_equal(summary.jobs, s.chain[1] ? 2 : 1);
        const bool together = kinds[n] > MALI_T860; /* positions, varyings and fragments of one job */
        assert_int_equal(summary.draws, !s.chain[1] ? 0 : together ? 1 : 2);
        assert_int_equal(summary.programs, !s.chain[1] ? 0 : together ? 3 : 2);
        guest_destroy(&s.guest);
    }
}

static struct found look_at(const char *capture, const char *rule, struct gpu_lint_summary *summary)
{
    struct capture_reader *reader;
    struct util_error error = {0};
    struct found found = {.rule = rule};
    char path[256];
    snprintf(path, sizeof path, SOURCE_DIR "/tests/captures/%s.vtc", capture);
    assert_int_equal(capture_reader_open(path, &reader, &error), 0);
    assert_int_equal(gpu_lint_capture(&mali_linter, reader, keep, &found, summary, &error), 0);
    capture_reader_close(reader);
    return found;
}

/* Whole captures of Bifrost's and Valhall's: every descriptor can be read, programs break no rule, and
 * nothing stands in them that faults when it is executed. */
static void captures_can_be_read(void **state)
{
    static const char *const paths[] = {"g31/gltest", "g52/gltest", "g72/gltest",          "g57/gltest",
                                        "g52/gles31", "g57/gles31", "g72/features-samples"};
    static const char *const rules[] = {"DESCRIPTOR", "UNEXPLAINED"};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(paths) * UTIL_ARRAY_SIZE(rules); n++) {
        struct gpu_lint_summary summary;
        const struct found found = look_at(paths[n / 2], rules[n % 2], &summary);
        assert_int_equal(found.of_rule, 0);
        assert_int_equal(found.in_programs, 0);
        assert_true(summary.programs >= 8);
    }
}

/* Of g57/cube: vertices, whose environment names the program, have none. */
static void vertices_of_v9_without_a_program(void **state)
{
    enum { JOB = 0x02075180, AT_POSITION = 256, AT_SHADER = 40 };
    struct gpu_lint_summary summary;
    struct scene s;
    scene_load(&s, "g57/cube", &(struct mali_options){.kind = MALI_G57});
    util_store64(scene_at(&s, JOB + AT_POSITION + AT_SHADER), 0);
    struct found found = look(&s, "g57", "STATE_NONE", &summary);
    assert_int_equal(found.of_rule, 1);
    assert_int_equal(found.count, 1);
    guest_destroy(&s.guest);
}

static void each_rule_is_found(void **state)
{
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(changes); n++) {
        const struct change *c = &changes[n];
        struct gpu_lint_summary summary;
        struct scene s;
        scene_load(&s, "t860/cube", &(struct mali_options){.kind = MALI_T860});
        if (c->chain)
            s.chain[c->slot] = c->chain;
        uint8_t *at = c->address ? s.guest.memory.base + (*guest_entry(&s.guest, c->address) & 0xfffff000u) +
                                       c->address % GPU_PAGE
                                 : NULL;
        if (at) {
            if (util_load32(at) != c->from)
                fail_msg("%s: 0x%08x holds 0x%08x", c->rule, c->address, util_load32(at));
            util_store32(at, c->to);
        }
        struct found found = look(&s, "t860", c->rule, &summary);
        if (!found.of_rule)
            fail_msg("%s (change %u) is not found", c->rule, n);
        guest_destroy(&s.guest);
    }
}

/* Rules of the instruction set, in what jobs name as programs: whichever bit of one is another, it is read as far
 * as it can be, and what is told stands in it. */
static void keep_of_set(void *data, const struct gpu_lint_finding *f)
{
    unsigned *found = data;
    uint32_t count;
    const struct isa_rule *of_set = midgard_set.rules(&count);
    for (uint32_t n = 0; n < count; n++) {
        if (f->rule != &of_set[n])
            continue;
        assert_string_equal(f->place, "fragment program");
        assert_int_equal(f->address, PROGRAM);
        assert_in_range(f->pc, 0, PROGRAM_BYTES / 16 - 1);
        found[n]++;
    }
}

static void programs_are_looked_at(void **state)
{
    unsigned found[64] = {0}, kinds = 0;
    for (unsigned bit = 0; bit < PROGRAM_BYTES * 8; bit += 11) {
        char path[] = "/tmp/vitrail-lint-XXXXXX";
        struct gpu_lint_summary summary;
        struct capture_reader *reader;
        struct scene s;
        scene_load(&s, "t860/cube", &(struct mali_options){.kind = MALI_T860});
        s.guest.memory.base[(*guest_entry(&s.guest, PROGRAM) & 0xfffff000u) + PROGRAM % GPU_PAGE + bit / 8] ^=
            (uint8_t)(1u << bit % 8);
        recording_make(&s, "t860", path);
        assert_int_equal(capture_reader_open(path, &reader, NULL), 0);
        assert_int_equal(gpu_lint_capture(&mali_linter, reader, keep_of_set, found, &summary, NULL), 0);
        assert_in_range(summary.programs, 1, 2);
        capture_reader_close(reader);
        unlink(path);
        guest_destroy(&s.guest);
    }
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(found); n++)
        kinds += found[n] != 0;
    assert_in_range(kinds, 5, UTIL_ARRAY_SIZE(found));
}

static void without_a_space(void **state)
{
    struct gpu_lint_summary summary;
    struct scene s;
    scene_load(&s, "t860/cube", &(struct mali_options){.kind = MALI_T860});
    s.as = 5;
    struct found found = look(&s, "t860", "SPACE", &summary);
    assert_int_equal(found.of_rule, 2);
    assert_int_equal(found.count, 2);
    guest_destroy(&s.guest);
}

static void every_rule_has_a_change(void **state)
{
    uint32_t count;
    const struct isa_rule *rules = mali_linter.rules(&count);
    for (uint32_t n = 0; n < count; n++) {
        bool has = !strcmp(rules[n].name, "SPACE"); /* below */
        for (unsigned i = 0; i < UTIL_ARRAY_SIZE(changes); i++)
            has |= !strcmp(rules[n].name, changes[i].rule);
        if (!has)
            fail_msg("%s has no change", rules[n].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_driver_is_clean),     cmocka_unit_test(captures_can_be_read),
        cmocka_unit_test(each_rule_is_found),      cmocka_unit_test(vertices_of_v9_without_a_program),
        cmocka_unit_test(programs_are_looked_at),  cmocka_unit_test(without_a_space),
        cmocka_unit_test(every_rule_has_a_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
