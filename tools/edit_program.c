/* Programs of a capture, found where jobs name them; others in their place. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/families.h"
#include "gpu/lint.h"
#include "tools/edit.h"
#include "tools/family.h"
#include "tools/program.h"
#include "util/bits.h"
#include "util/list.h"

#define NAMED 12u /* addresses that a message has room for */

/* What states and commands say of a program besides its address, and so must stay as it is. */
static const struct fixed {
    const char *set;
    uint8_t first; /* bits of the first byte */
    const char *what;
    const char
        *filler; /* what stands behind a shorter program, as its length is told; NULL: zeros, never reached */
} fixed[] = {
    {"utgard-gp", 0, NULL, "nop"},
    {"utgard-pp", 0x1f, "the first instruction's length, which render states have", NULL},
    {"midgard", 0x0f, "the first word's tag, which renderer states have", NULL},
};

static const struct fixed *fixed_of(const struct isa_set *set)
{
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(fixed); n++)
        if (!strcmp(fixed[n].set, set->name))
            return &fixed[n];
    return NULL;
}

struct found {
    const struct isa_set *set;
    uint8_t *bytes; /* owned; NULL: it was not met */
    uint32_t size;
    uint64_t job;
    uint32_t others; /* jobs that found another program there */
};

struct search {
    const struct edit_list *list;
    const struct edit_items *programs;
    struct found found[EDIT_ITEMS];
    struct {
        uint64_t *at; /* of all programs, as they were met */
        uint32_t count, room;
    } addresses;
    bool out_of_memory;
};

static void add_address(struct search *s, uint64_t address)
{
    for (uint32_t n = s->addresses.count; n-- > 0;)
        if (s->addresses.at[n] == address)
            return;
    s->out_of_memory |= !UTIL_LIST_ADD(s->addresses, address);
}

static void on_program(void *data, const struct gpu_lint_program *program)
{
    struct search *s = data;
    const struct capture_counts *frames = &program->lint->frames;
    const uint64_t picture = 1 + (s->list->shown ? frames->shown : frames->all);
    const uint32_t size = program->count * program->set->word_bytes;
    add_address(s, program->address);
    for (unsigned n = 0; n < s->programs->count; n++) {
        struct found *f = &s->found[n];
        if (s->programs->at[n].address != program->address || picture < s->list->first)
            continue;
        if (f->bytes) {
            f->others += f->size != size || memcmp(f->bytes, program->words, size) != 0;
            continue;
        }
        *f = (struct found){.set = program->set,
                            .bytes = malloc(size + 1ull),
                            .size = size,
                            .job = program->lint->summary->jobs};
        s->out_of_memory |= !f->bytes;
        if (f->bytes)
            memcpy(f->bytes, program->words, size);
    }
}

static int is_nowhere(const struct search *s, uint64_t address)
{
    char text[NAMED * 20 + 8] = "";
    for (uint32_t n = 0; n < UTIL_MIN(s->addresses.count, NAMED); n++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s0x%08" PRIx64, n ? ", " : "",
                 s->addresses.at[n]);
    return tool_error("edit", TOOL_BAD_FILE,
                      "no job from picture %llu on has a program at 0x%08" PRIx64 ", but at %s%s",
                      (unsigned long long)s->list->first, address, *text ? text : "no address",
                      s->addresses.count > NAMED ? " and others" : "");
}

/* Bytes behind the program that no other one has, as far as they are of its page; whether they are zero is seen when it is
 * put there. */
static uint32_t room_behind(const struct search *s, uint64_t address, uint32_t size)
{
    const uint64_t end = address + size;
    uint64_t next = util_align(end, GPU_PAGE);
    for (uint32_t n = 0; n < s->addresses.count; n++)
        if (s->addresses.at[n] >= end)
            next = UTIL_MIN(next, s->addresses.at[n]);
    return (uint32_t)(next - end);
}

/* Whole words of the filler in what is left. */
static int fill(const struct found *f, const char *filler, uint8_t *after, uint32_t from)
{
    struct util_error error = {0};
    void *words = NULL;
    uint32_t count = 0;
    if (isa_assemble(f->set->syntax, filler, strlen(filler), &words, &count, &error))
        return TOOL_HOST;
    const uint32_t bytes = count * f->set->word_bytes;
    for (uint32_t at = from; at + bytes <= f->size; at += bytes)
        memcpy(after + at, words, bytes);
    free(words);
    return TOOL_OK;
}

static int place(struct edit_list *list, const struct search *s, unsigned n, const uint8_t *program,
                 size_t bytes)
{
    const struct edit_item *item = &s->programs->at[n];
    const struct found *f = &s->found[n];
    const struct fixed *keeps = fixed_of(f->set);
    const bool counted = keeps && keeps->filler;
    const uint32_t room = counted ? 0 : room_behind(s, item->address, f->size);
    if (bytes > f->size + (uint64_t)room)
        return tool_error("edit", TOOL_BAD_FILE,
                          "%s: %zu bytes; the program at 0x%08" PRIx64 " is %u, and %u are free behind it%s",
                          item->path, bytes, item->address, f->size, room,
                          counted ? ", as commands say how long it is" : "");
    if (keeps && keeps->first && (program[0] ^ f->bytes[0]) & keeps->first)
        return tool_error("edit", TOOL_BAD_FILE, "%s: %s, is %u, not %u as of the program at 0x%08" PRIx64,
                          item->path, keeps->what, program[0] & keeps->first, f->bytes[0] & keeps->first,
                          item->address);
    const uint32_t size = UTIL_MAX((uint32_t)bytes, f->size);
    uint8_t *before = calloc(1, size), *after = calloc(1, size);
    if (before && after) {
        memcpy(before, f->bytes, f->size);
        memcpy(after, program, bytes);
        if (counted && fill(f, keeps->filler, after, (uint32_t)bytes)) {
            free(before);
            before = NULL;
        }
    }
    if (f->others)
        tool_error("edit", TOOL_OK,
                   "0x%08" PRIx64 ": in %u jobs behind job %llu another program stands there, which stays",
                   item->address, f->others, (unsigned long long)f->job);
    return edit_add(list, item->address, before, f->size, after, size);
}

/* Looks for them; TOOL_OK or an exit status after a message. */
static int search(struct search *s)
{
    struct util_error error = {0};
    struct capture_reader *reader;
    struct capture_info info;
    int err = capture_reader_open(s->list->capture, &reader, &error);
    if (!err) {
        capture_reader_info(reader, &info);
        err = gpu_lint_programs(tool_family_of(info.gpu)->lint, reader, on_program, s, &error);
        capture_reader_close(reader);
    }
    if (err || s->out_of_memory)
        return tool_error("edit", err == -EBADMSG ? TOOL_BAD_FILE : TOOL_HOST, "%s: %s", s->list->capture,
                          error.code ? error.text : "out of memory");
    for (unsigned n = 0; n < s->programs->count; n++)
        if (!s->found[n].bytes)
            return is_nowhere(s, s->programs->at[n].address);
    return TOOL_OK;
}

static void finish(struct search *s)
{
    for (unsigned n = 0; n < s->programs->count; n++)
        free(s->found[n].bytes);
    free(s->addresses.at);
}

int edit_programs(struct edit_list *list, const struct edit_items *programs)
{
    struct search s = {.list = list, .programs = programs};
    int code = search(&s);
    for (unsigned n = 0; !code && n < programs->count; n++) {
        uint8_t *bytes = NULL;
        size_t size = 0;
        code = tool_read_program("edit", s.found[n].set, programs->at[n].path, &bytes, &size);
        if (!code && !size)
            code = tool_error("edit", TOOL_BAD_FILE, "%s: there is no instruction", programs->at[n].path);
        if (!code)
            code = place(list, &s, n, bytes, size);
        free(bytes);
    }
    finish(&s);
    return code;
}

int edit_print(const struct edit_list *list, uint64_t address)
{
    const struct edit_items programs = {.at = {{.address = address}}, .count = 1};
    struct search s = {.list = list, .programs = &programs};
    const struct found *f = &s.found[0];
    int code = search(&s);
    if (!code && f->set->disassemble(stdout, f->bytes, f->size / f->set->word_bytes))
        code = tool_error("edit", TOOL_HOST, "the program cannot be printed");
    finish(&s);
    return code;
}
