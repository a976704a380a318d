/* Files that are put into a guest's memory, and parts of it that are printed or written when all is done: the options --mem,
 * --dump and --format of commands that run a program. */
#ifndef VITRAIL_TOOLS_MEM_H
#define VITRAIL_TOOLS_MEM_H

#include "gpu/memory.h"
#include "tools/tool.h"

#define TOOL_MEM_ITEMS 64u

struct tool_mem_item {
    uint64_t address, size; /* size: of dumps */
    const char *path;       /* NULL: print */
};

/* In the options of a command; strings are those of its words. */
struct tool_mem {
    struct tool_mem_item put[TOOL_MEM_ITEMS], dump[TOOL_MEM_ITEMS];
    unsigned puts, dumps;
    const char *format;
};
#define TOOL_MEM_USUAL {.format = "hex"}
extern const struct tool_option tool_mem_rows[];

/* "A,B" or "A" when `second` is NULL, then perhaps "=REST"; numbers up to 4 GiB. *rest: NULL without it. */
bool tool_mem_numbers(const char *text, uint64_t *first, uint64_t *second, const char **rest);

void tool_mem_grant(const struct tool_mem *mem, struct tool_sandbox *sandbox);

/* Puts the files there. `place`, unless NULL, is asked before: false, and the file does not fit. TOOL_OK or an exit status after a
 * message of the command `name`. */
typedef bool (*tool_mem_place_fn)(void *data, uint64_t address, uint64_t size);
int tool_mem_put(const char *name, const struct tool_mem *mem, const struct gpu_memory *memory,
                 tool_mem_place_fn place, void *data);
int tool_mem_dump(const char *name, const struct tool_mem *mem, const struct gpu_memory *memory);

#endif
