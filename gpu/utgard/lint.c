/* Captures through the linter: registers and page tables as the device has them, jobs looked at where they
 * start. */
#include "gpu/utgard/lint.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "isa/sets.h"
#include "util/bits.h"

static const struct isa_rule rules[] = {
#define LINT(name, severity, text, source) {#name, ISA_##severity, text, source},
#include "gpu/utgard/lint_rules.inc"
};

static const struct isa_rule *all_rules(uint32_t *count)
{
    *count = UTIL_ARRAY_SIZE(rules);
    return rules;
}

/* ---- findings ---- */

void utgard_lint_tell(struct utgard_lint *l, enum utgard_lint_rule rule, const char *place, uint32_t address,
                      const char *detail, ...)
{
    char text[160];
    va_list args;
    va_start(args, detail);
    vsnprintf(text, sizeof text, detail, args);
    va_end(args);
    gpu_lint_tell(&l->lint,
                  &(struct gpu_lint_finding){.rule = &rules[rule],
                                             .detail = text,
                                             .place = place,
                                             .address = address,
                                             .pc = UINT32_MAX,
                                             .line = ""},
                  address);
}

void utgard_lint_program(struct utgard_lint *l, const char *set, const char *place, uint32_t address,
                         const void *words, size_t bytes)
{
    const struct isa_set *of = isa_set_find(set);
    gpu_lint_program(&(struct gpu_lint_program){.lint = &l->lint,
                                                .set = of,
                                                .place = place,
                                                .address = address,
                                                .what = address,
                                                .words = words,
                                                .count = (uint32_t)(bytes / of->word_bytes)});
}

/* ---- the capture ---- */

static void lint_write(struct gpu_lint *lint, uint32_t offset, uint32_t value)
{
    struct utgard_lint *l = (struct utgard_lint *)lint;
    struct utgard_work work = utgard_device_starts(l->device, offset, value);
    if (work.vs || work.plbu) {
        lint->summary->jobs++;
        utgard_lint_lists(l, work.vs, work.plbu);
    }
    for (unsigned pp = 0; pp < UTGARD_MAX_PP; pp++)
        if (work.pps >> pp & 1) {
            utgard_lint_frame(l, pp, l->draw_count != 0);
            l->draw_count = 0;
        }
    if (!work.vs && !work.plbu && !work.pps)
        utgard_write(l->device, offset, value);
}

static int begin(struct gpu_lint *lint, const struct capture_info *info)
{
    struct utgard_lint *l = (struct utgard_lint *)lint;
    l->draws = malloc(UTGARD_LINT_DRAWS * sizeof *l->draws);
    l->arrays = malloc(UTGARD_LINT_DRAWS * sizeof *l->arrays);
    l->device = lint->device.self;
    return l->draws && l->arrays ? 0 : -ENOMEM;
}

static void end(struct gpu_lint *lint)
{
    struct utgard_lint *l = (struct utgard_lint *)lint;
    free(l->draws);
    free(l->arrays);
}

const struct gpu_linter utgard_linter = {.family = "utgard",
                                         .rules = all_rules,
                                         .bytes = sizeof(struct utgard_lint),
                                         .with_device = true,
                                         .begin = begin,
                                         .write = lint_write,
                                         .end = end};
