/* The linter over captures: memory as it was at each write, and what was met before. */
#include "gpu/lint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "gpu/families.h"
#include "isa/sets.h"

/* ---- what was met before ---- */

static bool grow(struct gpu_seen *seen)
{
    struct gpu_seen larger = {.capacity = seen->capacity ? seen->capacity * 2 : 256};
    larger.keys = calloc(larger.capacity, sizeof *larger.keys);
    if (!larger.keys)
        return false;
    for (size_t i = 0; i < seen->capacity; i++) {
        size_t at = seen->keys[i] & (larger.capacity - 1);
        if (!seen->keys[i])
            continue;
        while (larger.keys[at])
            at = (at + 1) & (larger.capacity - 1);
        larger.keys[at] = seen->keys[i];
    }
    larger.count = seen->count;
    free(seen->keys);
    *seen = larger;
    return true;
}

bool gpu_seen_first(struct gpu_seen *seen, const void *bytes, size_t size, int *error)
{
    uint64_t key = XXH3_64bits(bytes, size) | 1; /* 0 marks a free place */
    if (seen->count * 2 >= seen->capacity && !grow(seen)) {
        *error = -ENOMEM;
        return false;
    }
    size_t at = key & (seen->capacity - 1);
    while (seen->keys[at] && seen->keys[at] != key)
        at = (at + 1) & (seen->capacity - 1);
    if (seen->keys[at])
        return false;
    seen->keys[at] = key;
    seen->count++;
    return true;
}

void gpu_seen_finish(struct gpu_seen *seen)
{
    free(seen->keys);
    *seen = (struct gpu_seen){0};
}

/* ---- findings ---- */

void gpu_lint_tell(struct gpu_lint *l, const struct gpu_lint_finding *finding, uint64_t what)
{
    struct gpu_lint_finding f = *finding;
    const uint64_t key[] = {(uintptr_t)f.rule, what, (uintptr_t)f.place, f.pc};
    f.job = l->summary->jobs;
    f.draw = l->draw;
    if (l->found && gpu_seen_first(&l->found_before, key, sizeof key, &l->error))
        l->found(l->data, &f);
}

void gpu_lint_found(void *program, const struct isa_finding *finding)
{
    const struct gpu_lint_program *p = program;
    char line[ISA_LINE_MAX] = "";
    if (finding->pc < p->count)
        p->set->line(p->words, p->count, finding->pc, line);
    gpu_lint_tell(p->lint,
                  &(struct gpu_lint_finding){.rule = finding->rule,
                                             .detail = finding->detail,
                                             .place = p->place,
                                             .address = p->address,
                                             .pc = finding->pc,
                                             .line = line},
                  p->what);
}

void gpu_lint_program(const struct gpu_lint_program *program)
{
    struct gpu_lint *l = program->lint;
    struct gpu_lint_program p = *program;
    if (l->program) {
        l->program(l->data, program);
        return;
    }
    if (!gpu_seen_first(&l->looked_at, p.words, (size_t)p.count * p.set->word_bytes, &l->error))
        return;
    l->summary->programs++;
    if (p.set->lint(p.words, p.count, 0, gpu_lint_found, &p) == -ENOMEM)
        l->error = -ENOMEM;
}

/* ---- the capture ---- */

static int read_events(struct gpu_lint *l, const struct gpu_linter *linter, struct capture_reader *reader,
                       struct util_error *error)
{
    while (!l->error) {
        struct capture_event event;
        int code = capture_read(reader, &event, error);
        if (code || event.type == CAPTURE_EVENT_END)
            return code;
        if (event.type == CAPTURE_EVENT_REGISTER || event.type == CAPTURE_EVENT_IRQ_REPLY) {
            l->draw = 0;
            linter->write(l, event.reg.offset, event.reg.value);
        }
        if (event.type == CAPTURE_EVENT_FRAME) {
            l->frames.all++;
            l->frames.shown += event.frame.presented;
        }
        for (uint32_t i = 0; event.type == CAPTURE_EVENT_PAGES && i < event.pages.count; i++) {
            uint8_t *to = gpu_memory_at(&l->memory, event.pages.pages[i].address, GPU_PAGE);
            if (to)
                memcpy(to, event.pages.pages[i].bytes, GPU_PAGE);
        }
    }
    return l->error;
}

/* `hooks`: `found`, `program`, `data` and `summary` of it. */
static int walk(const struct gpu_linter *linter, struct capture_reader *reader, const struct gpu_lint *hooks,
                struct util_error *error)
{
    struct capture_info info;
    capture_reader_info(reader, &info);
    const struct gpu_info *gpu = gpu_info_find(info.gpu);
    *hooks->summary = (struct gpu_lint_summary){0};
    if (!gpu || strcmp(gpu->family, linter->family) != 0)
        return util_fail(error, -ENOTSUP, "a capture of a '%s', which is no %s", info.gpu, linter->family);
    struct gpu_lint *l = calloc(1, linter->bytes);
    if (!l)
        return util_fail(error, -ENOMEM, "out of memory");
    *l = *hooks;
    l->memory.fd = -1;
    const struct gpu_options options = {0};
    int code = gpu_memory_create(info.memory_size, &l->memory);
    if (!code && linter->with_device)
        code = gpu_create(info.gpu, &l->memory, &options, &l->device);
    if (!code)
        code = linter->begin(l, &info);
    if (!code)
        code = read_events(l, linter, reader, error);
    linter->end(l);
    gpu_device_destroy(&l->device);
    gpu_memory_destroy(&l->memory);
    gpu_seen_finish(&l->looked_at);
    gpu_seen_finish(&l->found_before);
    free(l);
    return code == -ENOMEM ? util_fail(error, code, "out of memory") : code;
}

int gpu_lint_capture(const struct gpu_linter *linter, struct capture_reader *reader, gpu_lint_fn found,
                     void *data, struct gpu_lint_summary *summary, struct util_error *error)
{
    const struct gpu_lint hooks = {.found = found, .data = data, .summary = summary};
    return walk(linter, reader, &hooks, error);
}

int gpu_lint_programs(const struct gpu_linter *linter, struct capture_reader *reader,
                      void (*met)(void *data, const struct gpu_lint_program *program), void *data,
                      struct util_error *error)
{
    struct gpu_lint_summary summary;
    const struct gpu_lint hooks = {.program = met, .data = data, .summary = &summary};
    return walk(linter, reader, &hooks, error);
}
