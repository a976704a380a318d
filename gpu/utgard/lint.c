/* Captures through the linter: registers and page tables as the device has them, jobs looked at where they
 * start. */
#include "gpu/utgard/lint.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/families.h"
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

static void report(struct utgard_lint *l, const struct gpu_lint_finding *f)
{
    const uint64_t key[] = {(uintptr_t)f->rule, (uint64_t)f->address << 32 | f->pc, (uintptr_t)f->place};
    if (gpu_seen_first(&l->found_before, key, sizeof key, &l->error))
        l->found(l->data, f);
}

void utgard_lint_tell(struct utgard_lint *l, enum utgard_lint_rule rule, const char *place, uint32_t address,
                      const char *detail, ...)
{
    char text[160];
    va_list args;
    va_start(args, detail);
    vsnprintf(text, sizeof text, detail, args);
    va_end(args);
    report(l, &(struct gpu_lint_finding){.rule = &rules[rule],
                                         .detail = text,
                                         .place = place,
                                         .job = l->summary->jobs,
                                         .draw = l->draw,
                                         .address = address,
                                         .pc = UINT32_MAX,
                                         .line = ""});
}

/* ---- programs ---- */

struct program {
    struct utgard_lint *lint;
    const struct isa_set *set;
    const char *place;
    uint32_t address, count;
    const void *words;
};

static void from_program(void *data, const struct isa_finding *finding)
{
    const struct program *p = data;
    char line[ISA_LINE_MAX] = "";
    if (finding->pc < p->count)
        p->set->line(p->words, p->count, finding->pc, line);
    report(p->lint, &(struct gpu_lint_finding){.rule = finding->rule,
                                               .detail = finding->detail,
                                               .place = p->place,
                                               .job = p->lint->summary->jobs,
                                               .draw = p->lint->draw,
                                               .address = p->address,
                                               .pc = finding->pc,
                                               .line = line});
}

void utgard_lint_program(struct utgard_lint *l, const char *set, const char *place, uint32_t address,
                         const void *words, size_t bytes)
{
    struct program p = {l, isa_set_find(set), place, address, 0, words};
    if (!gpu_seen_first(&l->looked_at, words, bytes, &l->error))
        return;
    l->summary->programs++;
    p.count = (uint32_t)(bytes / p.set->word_bytes);
    int status = p.set->lint(words, p.count, 0, from_program, &p);
    if (status == -ENOMEM)
        l->error = status;
}

/* ---- the capture ---- */

static void lint_write(struct utgard_lint *l, uint32_t offset, uint32_t value)
{
    struct utgard_work work = utgard_device_starts(l->device, offset, value);
    l->draw = 0;
    if (work.vs || work.plbu) {
        l->summary->jobs++;
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

static int lint_events(struct utgard_lint *l, struct capture_reader *reader, struct util_error *error)
{
    while (!l->error) {
        struct capture_event event;
        int code = capture_read(reader, &event, error);
        if (code || event.type == CAPTURE_EVENT_END)
            return code;
        if (event.type == CAPTURE_EVENT_REGISTER || event.type == CAPTURE_EVENT_IRQ_REPLY)
            lint_write(l, event.reg.offset, event.reg.value);
        for (uint32_t i = 0; event.type == CAPTURE_EVENT_PAGES && i < event.pages.count; i++) {
            uint8_t *to = gpu_memory_at(&l->memory, event.pages.pages[i].address, GPU_PAGE);
            if (to)
                memcpy(to, event.pages.pages[i].bytes, GPU_PAGE);
        }
    }
    return l->error;
}

static int prepare(struct utgard_lint *l, const struct capture_info *info)
{
    const struct gpu_options options = {0};
    struct gpu_device gpu;
    int error = gpu_memory_create(info->memory_size, &l->memory);
    l->draws = malloc(UTGARD_LINT_DRAWS * sizeof *l->draws);
    l->arrays = malloc(UTGARD_LINT_DRAWS * sizeof *l->arrays);
    if (!l->draws || !l->arrays)
        return -ENOMEM;
    if (!error)
        error = gpu_create(info->gpu, &l->memory, &options, &gpu);
    if (!error)
        l->device = gpu.self;
    return error;
}

static int lint_capture(struct capture_reader *reader, gpu_lint_fn found, void *data,
                        struct gpu_lint_summary *summary, struct util_error *error)
{
    struct capture_info info;
    capture_reader_info(reader, &info);
    *summary = (struct gpu_lint_summary){0};
    if (strncmp(info.gpu, "mali4", 5) != 0)
        return util_fail(error, -ENOTSUP, "a capture of a '%s', not of a Mali Utgard", info.gpu);
    struct utgard_lint l = {.summary = summary, .found = found, .data = data, .memory = {.fd = -1}};
    int code = prepare(&l, &info);
    if (!code)
        code = lint_events(&l, reader, error);
    utgard_device_destroy(l.device);
    gpu_memory_destroy(&l.memory);
    gpu_seen_finish(&l.looked_at);
    gpu_seen_finish(&l.found_before);
    free(l.draws);
    free(l.arrays);
    return code == -ENOMEM ? util_fail(error, code, "out of memory") : code;
}

const struct gpu_linter utgard_linter = {all_rules, lint_capture};
