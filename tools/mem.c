#include "tools/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/bits.h"

/* ---- options ---- */

bool tool_mem_numbers(const char *text, uint64_t *first, uint64_t *second, const char **rest)
{
    char copy[64];
    size_t length = strcspn(text, "=");
    *rest = text[length] ? text + length + 1 : NULL;
    if (length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    char *comma = strchr(copy, ',');
    if (!comma != !second)
        return false;
    if (comma)
        *comma = 0;
    return tool_size(copy, 0, 1ull << 32, first) && (!second || tool_size(comma + 1, 0, 1ull << 32, second));
}

static int add(struct tool_mem_item *list, unsigned *count, const char *option, struct tool_mem_item item)
{
    if (*count == TOOL_MEM_ITEMS)
        return tool_error(NULL, TOOL_USAGE, "%s can be given %u times", option, TOOL_MEM_ITEMS);
    list[(*count)++] = item;
    return TOOL_OK;
}

static int take_put(void *options, const char *value)
{
    struct tool_mem *mem = options;
    struct tool_mem_item item = {0};
    if (!tool_mem_numbers(value, &item.address, NULL, &item.path) || !item.path)
        return -1;
    return add(mem->put, &mem->puts, "--mem", item);
}

static int take_dump(void *options, const char *value)
{
    struct tool_mem *mem = options;
    struct tool_mem_item item = {0};
    if (!tool_mem_numbers(value, &item.address, &item.size, &item.path))
        return -1;
    return add(mem->dump, &mem->dumps, "--dump", item);
}

static const char *format_word(unsigned n)
{
    static const char *const words[] = {"hex", "int", "float"};
    return n < UTIL_ARRAY_SIZE(words) ? words[n] : NULL;
}

const struct tool_option tool_mem_rows[] = {
    {"mem", "ADDR=FILE", "puts a file into memory; may be given again", .kind = TOOL_OWN, .take = take_put,
     .takes = "ADDR=FILE"},
    {"dump", "ADDR,SIZE[=FILE]",
     "prints that memory when all is done, or writes it to FILE; may be given again", .kind = TOOL_OWN,
     .take = take_dump, .takes = "ADDR,SIZE or ADDR,SIZE=FILE"},
    {"format", "NAME", "of what is printed: %s", .kind = TOOL_NAME, .at = offsetof(struct tool_mem, format),
     .word = format_word, .first = true},
    {0},
};

void tool_mem_grant(const struct tool_mem *mem, struct tool_sandbox *sandbox)
{
    for (unsigned i = 0; i < mem->puts; i++)
        tool_sandbox_reads(sandbox, mem->put[i].path);
    for (unsigned i = 0; i < mem->dumps; i++)
        tool_sandbox_writes(sandbox, mem->dump[i].path);
}

/* ---- memory ---- */

int tool_mem_put(const char *name, const struct tool_mem *mem, const struct gpu_memory *memory,
                 tool_mem_place_fn place, void *data)
{
    for (unsigned i = 0; i < mem->puts; i++) {
        const struct tool_mem_item *item = &mem->put[i];
        uint8_t *bytes;
        size_t size;
        if (!tool_read_file(name, item->path, &bytes, &size))
            return TOOL_BAD_FILE;
        const bool fits = !size || !place || place(data, item->address, size);
        uint8_t *to = size && fits ? gpu_memory_at(memory, item->address, size) : NULL;
        if (to)
            memcpy(to, bytes, size);
        free(bytes);
        if (!to && size)
            return tool_error(name, TOOL_USAGE,
                              "%s: %zu bytes at 0x%" PRIx64 " do not fit memory; --memory makes it larger",
                              item->path, size, item->address);
    }
    return TOOL_OK;
}

static void print_word(const char *format, uint32_t word)
{
    if (!strcmp(format, "int"))
        printf(" %11" PRId32, (int32_t)word);
    else if (!strcmp(format, "float"))
        printf(" %12.6g", (double)util_u2f(word));
    else
        printf(" %08" PRIx32, word);
}

static int dump_one(const char *name, const struct tool_mem *mem, const struct gpu_memory *memory,
                    const struct tool_mem_item *dump)
{
    const uint8_t *bytes = gpu_memory_at(memory, dump->address, dump->size);
    if (!bytes)
        return tool_error(name, TOOL_USAGE, "--dump 0x%" PRIx64 ",%" PRIu64 " lies outside memory",
                          dump->address, dump->size);
    if (dump->path) {
        FILE *out = util_fopen(dump->path, "wb");
        if (!out)
            return tool_error(name, TOOL_HOST, "%s: %s", dump->path, strerror(errno));
        bool bad = fwrite(bytes, 1, dump->size, out) != dump->size;
        bad |= fclose(out) != 0;
        return bad ? tool_error(name, TOOL_HOST, "%s: cannot be written", dump->path) : TOOL_OK;
    }
    unsigned columns = strcmp(mem->format, "hex") ? 4 : 8;
    for (uint64_t i = 0; i < dump->size / 4; i++) {
        if (i % columns == 0)
            printf("%s0x%08" PRIx64 ":", i ? "\n" : "", dump->address + i * 4);
        print_word(mem->format, util_load32(bytes + i * 4));
    }
    putchar('\n');
    return TOOL_OK;
}

int tool_mem_dump(const char *name, const struct tool_mem *mem, const struct gpu_memory *memory)
{
    int code = TOOL_OK;
    for (unsigned i = 0; i < mem->dumps && !code; i++)
        code = dump_one(name, mem, memory, &mem->dump[i]);
    return code;
}
