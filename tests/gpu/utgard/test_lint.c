/* The linter over captures of Mali-400: a recorded one is changed in one place, and each rule is found where
 * it is broken and, but for one that the driver itself breaks, nowhere else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/lint.h"
#include "gpu/utgard/lint.h"
#include "isa/sets.h"
#include "tests/gpu/captures.h"
#include "tests/gpu/changed_capture.h"
#include "util/bits.h"

#define CAPTURES SOURCE_DIR "/tests/captures/"
#define NOWHERE  0xfffe0000u

/* What is changed: words in memory wherever they stand behind one another, values of register writes. */
struct change {
    const char *rule;
    uint32_t count, from[4], to[4];
    struct {
        uint32_t offset, from, to;
    } reg[2];
};

static const struct change cases_of_rules[] = {
    {"PAGING", 0, {0}, {0}, {{0x03008, 0, 1}}},
    {"LIST_OUTSIDE", 2, {3, 0x10000041}, {NOWHERE, 0xf0000000}, {{0}}},
    {"COMMAND", 2, {0x020f2340, 0x30060000}, {0x020f2340, 0x80060000}, {{0}}},
    {"NO_END", 4, {0x24000000, 0x00240000, 0, 0x50000000}, {0x24000000, 0x00240000, 0, 0x1000010a}, {{0}}},
    {"NO_STATE", 2, {0x020f2480, 0x80220700}, {0, 0x1000010a}, {{0}}},
    {"STATE_UNUSED", 2, {0x24000000, 0x00240000}, {0, 0x1000010a}, {{0}}},
    {"NO_INDICES", 2, {0x021fa000, 0x10000101}, {0, 0x10000101}, {{0}}},
    {"INDICES_OUTSIDE", 2, {0x021fa000, 0x10000101}, {NOWHERE, 0x10000101}, {{0}}},
    {"BLOCKS_FEW", 2, {0x02091000, 0x280000ff}, {0x02091000, 0x28000001}, {{0}}},
    {"HEAP", 0, {0}, {0}, {{0x00014, 0x00059000, 0}}},
    {"GP_PROGRAM", 2, {0x02206000, 0x400d0000}, {NOWHERE, 0x400d0000}, {{0}}},
    {"GP_UNIFORMS", 2, {0x020f2340, 0x30060000}, {0x020f2340, 0x30010000}, {{0}}},
    {"TABLE_OUTSIDE", 2, {0x020f2300, 0x20040000}, {NOWHERE, 0x20040000}, {{0}}},
    {"ATTRIBUTE_MISSING", 2, {0x01000100, 0x10000042}, {0x00000100, 0x10000042}, {{0}}},
    {"ATTRIBUTE_OUTSIDE", 2, {0x021f9000, 0x0000a002}, {NOWHERE, 0x0000a002}, {{0}}},
    {"ATTRIBUTE_TYPE", 2, {0x021f9000, 0x0000a002}, {0x021f9000, 0x0000a032}, {{0}}},
    {"ATTRIBUTE_UNUSED", 2, {0x01000100, 0x10000042}, {0x02000100, 0x10000042}, {{0}}},
    {"VARYING_OUTSIDE", 2, {0x02207180, 0x00008001}, {NOWHERE, 0x00008001}, {{0}}},
    {"VARYING_MISSING", 2, {0x01000100, 0x10000042}, {0x01000000, 0x10000042}, {{0}}},
    {"NO_POSITION", 2, {0x02207000, 0x00008020}, {0x02207000, 0x00008003}, {{0}}},
    {"STATE_OUTSIDE", 2, {0x020f2480, 0x80220700}, {NOWHERE, 0x80220700}, {{0}}},
    {"STATE_BROKEN", 2, {0x0000f807, 0x021f6006}, {0x0000fa07, 0x021f6006}, {{0}}},
    {"EARLY_Z", 2, {0xfc3b1ad2, 0x00000033}, {0xfc3b1ad2, 0x00000833}, {{0}}},
    {"FIRST_LENGTH", 2, {0x0000f807, 0x021f6006}, {0x0000f807, 0x021f6007}, {{0}}},
    {"PP_PROGRAM", 2, {0x0000f807, 0x021f6006}, {0x0000f807, NOWHERE | 6}, {{0}}},
    {"VARYING_UNSET", 2, {0x020f2400, 0x00005322}, {0x020f2400, 0x00005320}, {{0}}},
    {"SAMPLER_MISSING", 2, {0x020f2400, 0x00005322}, {0x020f2400, 0x00001322}, {{0}}},
    {"TEXTURE_BROKEN", 2, {0x00000096, 0x06000400}, {0x000000bf, 0x06000400}, {{0}}},
    {"TEXTURE_OUTSIDE", 2, {0x10000600, 0x00010200}, {0x00000600, 0x00018004}, {{0}}},
    {"TEXTURE_OVERLAP", 2, {0x00006000, 0xc0021ff0}, {0x00006000, 0xc0020f24}, {{0}}},
    {"LEVELS_OVERLAP", 2, {0xc0021ff0, 0x04000880}, {0xc0021ff0, 0x0400087f}, {{0}}},
    {"FEEDBACK", 2, {0x00006000, 0xc0021ff0}, {0x00006000, 0xc0020920}, {{0}}},
    {"PP_UNIFORMS", 1, {0x020f2743}, {NOWHERE | 3}, {{0}}},
    {"VARYING_UNSTORED", 2, {0x00b03000, 0x10000040}, {0x00b02800, 0x10000040}, {{0}}},
    {"TILE_LIST", 0, {0}, {0}, {{0x08000, 0x021f2000, NOWHERE}}},
    {"TILE_OUTSIDE", 0, {0}, {0}, {{0x08028, 0xff, 0x7f}}},
    {"TILE_TWICE", 2, {0, 0xb8000101}, {0, 0xb8000000}, {{0}}},
    {"WRITEBACK_BROKEN", 0, {0}, {0}, {{0x08108, 3, 13}}},
    {"WRITEBACK_BROKEN", 0, {0}, {0}, {{0x0800c, 2, 3}}}, /* bytes of halves */
    {"WRITEBACK_OVERLAP", 0, {0}, {0}, {{0x08204, 0x020d2000, 0x02092000}}},
    {"WRITEBACK_NONE", 0, {0}, {0}, {{0x08100, 2, 0}, {0x08200, 1, 0}}},
};

/* ---- a capture with a change ---- */

static void change_page(void *data, uint8_t *page)
{
    const struct change *c = data;
    for (uint32_t at = 0; c->count && at + 4 * c->count <= GPU_PAGE; at += 4)
        if (!memcmp(page + at, c->from, 4ull * c->count))
            memcpy(page + at, c->to, 4ull * c->count);
}

static void change_register(void *data, uint32_t *offset, uint32_t *value)
{
    const struct change *c = data;
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(c->reg); n++)
        if (c->reg[n].offset == *offset && c->reg[n].from != c->reg[n].to && c->reg[n].from == *value) {
            *value = c->reg[n].to;
            return;
        }
}

/* ---- findings ---- */

struct found {
    unsigned count, of_rule, dither;
    const char *rule;
};

static void keep(void *data, const struct gpu_lint_finding *f)
{
    struct found *found = data;
    found->count++;
    found->of_rule += !strcmp(f->rule->name, found->rule);
    found->dither += !strcmp(f->rule->name, "DITHER");
}

/* How often the rule is found. */
static unsigned findings(const char *capture, const char *rule, struct gpu_lint_summary *summary)
{
    struct util_error error = {0};
    struct capture_reader *reader;
    struct found found = {.rule = rule};
    assert_int_equal(capture_reader_open(capture, &reader, &error), 0);
    assert_int_equal(gpu_lint_capture(&utgard_linter, reader, keep, &found, summary, &error), 0);
    capture_reader_close(reader);
    return found.of_rule;
}

static void each_rule(void **state)
{
    struct gpu_lint_summary summary;
    unsigned missing = 0;
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(cases_of_rules); n++) {
        char path[32];
        struct change change = cases_of_rules[n];
        changed_path(path);
        write_changed(CAPTURES "mali400/gltest.vtc", path,
                      &(struct changes){&change, change_page, change_register});
        unsigned broken = findings(path, cases_of_rules[n].rule, &summary);
        unlink(path);
        if (!broken)
            print_error("%s is not found\n", cases_of_rules[n].rule);
        missing += !broken;
        assert_int_equal(findings(CAPTURES "mali400/gltest.vtc", cases_of_rules[n].rule, &summary), 0);
    }
    assert_int_equal(missing, 0);
}

static void every_rule_has_a_case(void **state)
{
    uint32_t count;
    const struct isa_rule *rules = utgard_linter.rules(&count);
    for (uint32_t r = 0; r < count; r++) {
        bool has = !strcmp(rules[r].name, "TEXTURE_UNUSED") || !strcmp(rules[r].name, "DITHER");
        for (size_t n = 0; n < UTIL_ARRAY_SIZE(cases_of_rules); n++)
            has |= !strcmp(cases_of_rules[n].rule, rules[r].name);
        if (!has)
            fail_msg("no case for %s", rules[r].name);
    }
}

/* Of states and of write-back units, each once. */
static void dithering_is_told_once(void **state)
{
    struct change change = {.reg = {{0x08118, 4, 20}}};
    struct gpu_lint_summary summary;
    char path[32];
    assert_int_equal(findings(CAPTURES "mali400/gltest.vtc", "DITHER", &summary), 1);
    changed_path(path);
    write_changed(CAPTURES "mali400/gltest.vtc", path,
                  &(struct changes){&change, change_page, change_register});
    assert_int_equal(findings(path, "DITHER", &summary), 2);
    unlink(path);
}

/* The driver leaves textures in its states that the next program does not sample, and asks for dithering;
 * else it does nothing that is told. */
static void the_driver_is_clean(void **state)
{
    static const char *const names[] = {"gltest", "kmscube", "features", "features-samples", "shadow"};
    const struct gpu_info *gpu;
    unsigned clean = 0;
    for (unsigned n = 0; (gpu = gpu_info_at(n / UTIL_ARRAY_SIZE(names))); n++) {
        struct util_error error = {0};
        struct capture_reader *reader;
        struct gpu_lint_summary summary;
        struct found found = {.rule = "TEXTURE_UNUSED"};
        char path[CAPTURES_PATH];
        if (strcmp(gpu->family, "utgard") ||
            !captures_find(gpu->name, names[n % UTIL_ARRAY_SIZE(names)], path))
            continue;
        assert_int_equal(capture_reader_open(path, &reader, &error), 0);
        assert_int_equal(gpu_lint_capture(&utgard_linter, reader, keep, &found, &summary, &error), 0);
        assert_int_equal(found.count, found.of_rule + found.dither);
        assert_true(found.dither <= 1);
        assert_true(summary.jobs && summary.draws && summary.programs);
        capture_reader_close(reader);
        clean++;
    }
    assert_true(clean >= UTIL_ARRAY_SIZE(names));
}

static void other_gpus_are_refused(void **state)
{
    struct util_error error = {0};
    struct capture_reader *reader;
    struct gpu_lint_summary summary;
    struct found found = {.rule = ""};
    assert_int_equal(capture_reader_open(CAPTURES "gltest.vtc", &reader, &error), 0);
    assert_int_equal(gpu_lint_capture(&utgard_linter, reader, keep, &found, &summary, &error), -ENOTSUP);
    capture_reader_close(reader);
    error = (struct util_error){0};
    assert_int_equal(capture_reader_open(CAPTURES "mali400/gltest.vtc", &reader, &error), 0);
    assert_int_equal(gpu_lint_capture(&vc4_linter, reader, keep, &found, &summary, &error), -ENOTSUP);
    capture_reader_close(reader);
}

/* ---- programs by themselves ---- */

struct program_case {
    const char *set, *text, *rule; /* NULL: nothing is found */
};

static void keep_program(void *data, const struct isa_finding *f)
{
    struct found *found = data;
    found->count++;
    found->of_rule += !strcmp(f->rule->name, found->rule);
}

static void programs(void **state)
{
    static const struct program_case cases[] = {
        {"utgard-pp", "var r0, v0 ; stop\n", NULL},
        {"utgard-pp", "var coords.xy, v0.xy ; tex2d 0 ; mov.v1 r0, tex ; sync ; stop\n", NULL},
        {"utgard-pp", "var coords.xy, v0.xy ; tex2d 0 ; mov.v1 r0, tex ; stop\n", "SYNC"},
        {"utgard-pp", "mov.v1 r0, uni ; stop\n", "SPECIAL"},
        {"utgard-pp", "mov.v1 r0, r1\n", "END"},
        {"utgard-gp", "attr 0 ; add.0 f0.x, -0\n", NULL},
        {"utgard-gp", "add.0 ^mul0, -0\n", "FIRST"},
    };
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(cases); n++) {
        const struct program_case *c = &cases[n];
        const struct isa_set *set = isa_set_find(c->set);
        struct found found = {.rule = c->rule ? c->rule : ""};
        struct util_error error = {0};
        void *words;
        uint32_t count;
        assert_int_equal(isa_assemble(set->syntax, c->text, strlen(c->text), &words, &count, &error), 0);
        assert_int_equal(set->lint(words, count, 0, keep_program, &found), 0);
        if (c->rule ? !found.of_rule : found.count)
            fail_msg("%s: %u findings, %u of %s", c->text, found.count, found.of_rule, found.rule);
        free(words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_rule),
                                       cmocka_unit_test(every_rule_has_a_case),
                                       cmocka_unit_test(dithering_is_told_once),
                                       cmocka_unit_test(the_driver_is_clean),
                                       cmocka_unit_test(other_gpus_are_refused),
                                       cmocka_unit_test(programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
