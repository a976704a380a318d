/* What the commands `libresoc ...` share: the program that they run, as the command line names it. */
#ifndef VITRAIL_TOOLS_LIBRESOC_H
#define VITRAIL_TOOLS_LIBRESOC_H

#include "gpu/libresoc/process.h"
#include "tools/mem.h"

/* In the options of a command; `word` is of argv. */
struct tool_libresoc {
    const char *path;
    char **word; /* the program's arguments, itself the first */
    uint32_t words;
    uint64_t memory, instructions;
    bool no_sandbox;
    struct jit_engine *engine; /* NULL: it is interpreted; borrowed */
    uint64_t after; /* instructions that the interpreter does until something is compiled; 0: the usual */
};
#define TOOL_LIBRESOC_USUAL {.memory = 256u << 20, .instructions = 1ull << 32}
extern const struct tool_option tool_libresoc_rows[];

/* tool_parse; what follows the options is the program. */
int tool_libresoc_parse(const struct tool_command *command, int argc, char **argv, void *options,
                        struct tool_libresoc *program);

/* Standard output and standard error, in their order. For struct libresoc_process_options. */
int tool_libresoc_write(void *data, int descriptor, const void *bytes, uint64_t size);

/* The program's file, the caller's to free. TOOL_OK, or an exit status after a message. */
struct tool_libresoc_file {
    uint8_t *bytes;
    size_t size;
};
int tool_libresoc_read(const char *name, const struct tool_libresoc *program, struct tool_libresoc_file *out);
/* The program loaded: TOOL_OK and *out, the caller's to destroy, or an exit status after a message. `write` may be NULL. */
int tool_libresoc_load(const char *name, const struct tool_libresoc *program,
                       const struct tool_libresoc_file *file,
                       int (*write)(void *data, int descriptor, const void *bytes, uint64_t size),
                       struct libresoc_process **out);

/* Pages for a file of --mem; `data` is the process. */
bool tool_libresoc_place(void *data, uint64_t address, uint64_t size);

#endif
