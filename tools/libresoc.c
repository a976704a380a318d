#include "tools/libresoc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/checked.h"

#define AT(member) offsetof(struct tool_libresoc, member)

const struct tool_option tool_libresoc_rows[] = {
    {"memory", "SIZE", "bytes of memory (default 256M; K, M, G), which addresses must be in",
     .kind = TOOL_SIZE, .at = AT(memory), .min = 64u << 10, .max = 1ull << 32},
    {"max-instructions", "N",
     "instructions after which the program is stopped, of which those with vectors count 16 (default: 4 Gi)",
     .kind = TOOL_SIZE, .at = AT(instructions), .min = 1, .max = UINT64_MAX >> 1},
    {"no-sandbox", NULL, "the process may make every system call, for tracing it", .kind = TOOL_SWITCH,
     .at = AT(no_sandbox)},
    {0},
};

int tool_libresoc_parse(const struct tool_command *command, int argc, char **argv, void *options,
                        struct tool_libresoc *program)
{
    struct tool_operands words;
    const int code = tool_parse(command, argc, argv, options, &words);
    if (code)
        return code;
    if (!words.count)
        return tool_error(command->name, TOOL_USAGE, "no program given; see `vitrail %s --help`",
                          command->name);
    program->path = words.at[0];
    program->word = words.at;
    program->words = words.count;
    return TOOL_OK;
}

int tool_libresoc_write(void *data, int descriptor, const void *bytes, uint64_t size)
{
    FILE *to = descriptor == 1 ? stdout : stderr;
    (void)data;
    if (to == stderr)
        fflush(stdout);
    errno = 0;
    return fwrite(bytes, 1, size, to) == size ? 0 : errno ? -errno : -EIO;
}

int tool_libresoc_read(const char *name, const struct tool_libresoc *program, struct tool_libresoc_file *out)
{
    *out = (struct tool_libresoc_file){0};
    return tool_read_file(name, program->path, &out->bytes, &out->size) ? TOOL_OK : TOOL_BAD_FILE;
}

int tool_libresoc_load(const char *name, const struct tool_libresoc *program,
                       const struct tool_libresoc_file *file,
                       int (*write)(void *data, int descriptor, const void *bytes, uint64_t size),
                       struct libresoc_process **out)
{
    const struct libresoc_process_options options = {.memory = program->memory,
                                                     .fuel = program->instructions,
                                                     .argument = (const char *const *)program->word,
                                                     .arguments = program->words,
                                                     .write = write,
                                                     .engine = program->engine,
                                                     .after = program->after};
    struct util_error error = {0};
    const int err = libresoc_process_create(file->bytes, file->size, &options, out, &error);
    if (!err)
        return TOOL_OK;
    const bool wrong = err == -EBADMSG || err == -E2BIG;
    return tool_error(name, wrong ? TOOL_BAD_FILE : TOOL_HOST, "%s: %s", program->path,
                      error.code ? error.text : strerror(-err));
}

bool tool_libresoc_place(void *data, uint64_t address, uint64_t size)
{
    struct libresoc_pages *pages = &((struct libresoc_process *)data)->pages;
    const uint64_t first = address / GPU_PAGE * GPU_PAGE;
    uint64_t bytes;
    if (!util_in_range(address, size, pages->memory.size) ||
        !libresoc_pages_round(address - first + size, &bytes) ||
        !libresoc_pages_none(pages, first, bytes, LIBRESOC_PAGE_EXECUTE))
        return false;
    libresoc_pages_map(pages, first, bytes, LIBRESOC_PAGE_READ | LIBRESOC_PAGE_WRITE);
    return true;
}
