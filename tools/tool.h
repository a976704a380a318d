/* What the commands of the `vitrail` tool share. Exit codes are the same everywhere. */
#ifndef VITRAIL_TOOLS_TOOL_H
#define VITRAIL_TOOLS_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "gpu/fault.h"
#include "gpu/options.h"
#include "tools/options.h"
#include "util/files.h"
#include "util/sandbox/sandbox.h"

enum tool_exit {
    TOOL_OK = 0,
    TOOL_DIFFERS = 1,  /* --verify found a difference */
    TOOL_USAGE = 2,    /* wrong options */
    TOOL_FAULT = 3,    /* the guest did something wrong; the report is on stderr */
    TOOL_BAD_FILE = 4, /* absent, damaged or foreign file */
    TOOL_HOST = 5,     /* this machine cannot do it: memory, permissions, a missing program */
    TOOL_UNUSED = 6,   /* a program was run, and the GPU never used */
};

/* A command is a file; its function and its row in the list are named after it. */
#define TOOL_COMMANDS(COMMAND)                                                                               \
    COMMAND(run)                                                                                             \
    COMMAND(serve)                                                                                           \
    COMMAND(record)                                                                                          \
    COMMAND(replay)                                                                                          \
    COMMAND(decode)                                                                                          \
    COMMAND(trim)                                                                                            \
    COMMAND(edit)                                                                                            \
    COMMAND(info)                                                                                            \
    COMMAND(asm)                                                                                             \
    COMMAND(dis)                                                                                             \
    COMMAND(lint)                                                                                            \
    COMMAND(qpu_run)                                                                                         \
    COMMAND(libresoc_draw)                                                                                   \
    COMMAND(libresoc_run)                                                                                    \
    COMMAND(libresoc_sweep)                                                                                  \
    COMMAND(compare)                                                                                         \
    COMMAND(verify)                                                                                          \
    COMMAND(update)                                                                                          \
    COMMAND(fuzz)                                                                                            \
    COMMAND(merge)                                                                                           \
    COMMAND(explain)                                                                                         \
    COMMAND(profile)                                                                                         \
    COMMAND(report)                                                                                          \
    COMMAND(gpus)
#define COMMAND(name)                                                                                        \
    int tool_##name(int argc, char **argv);                                                                  \
    extern const struct tool_command tool_command_##name;
TOOL_COMMANDS(COMMAND)
#undef COMMAND
/* The n-th, from 0; NULL: there are no more. */
const struct tool_command *tool_command_at(unsigned n);

/* "vitrail NAME: message" on stderr ("vitrail: message" when there is no name); returns `code`, so that
 * callers can write `return tool_error(TOOL_USAGE, ...)`. */
int tool_error(const char *name, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The switches by which every command chooses how a device works. */
struct tool_device_options {
    uint64_t threads; /* extra worker threads; TOOL_USUAL_THREADS: one per processor, less the caller */
    int level;        /* enum jit_level or -1 */
    unsigned tier;    /* enum jit_tier */
    bool interpreter, reference, in_order, no_cache, no_sandbox;
    const char *code_folder; /* "": none; NULL: that of a process without sandbox */
    unsigned numeric;        /* enum isa_numeric */
};
#define TOOL_USUAL_THREADS UINT64_MAX
#define TOOL_USUAL_DEVICE                                                                                    \
    {.threads = TOOL_USUAL_THREADS, .level = -1, .tier = JIT_AUTOMATIC, .numeric = ISA_USUAL}
extern const struct tool_option tool_device_rows[]; /* of them */
extern const struct tool_option
    tool_compiler_rows[]; /* those of its compiler alone, of commands without device */
extern const struct tool_option tool_sandbox_rows[]; /* of a bool: --no-sandbox, of commands without device */
/* The engine as the options say, owned by the caller; NULL: nothing is to be compiled. Returns TOOL_OK or an exit code after a
 * message. */
int tool_engine_open(const char *name, const struct tool_device_options *options, bool background,
                     struct jit_engine **engine);
/* Pool and engine as the options say; both owned by the caller. Returns TOOL_OK or an exit code after a
 * message. */
int tool_device_open(const char *name, const struct tool_device_options *options, struct util_pool **pool,
                     struct jit_engine **engine, struct gpu_options *out);

/* The sandbox of a command (util/sandbox/sandbox.h), entered before anything foreign is read. First it is
 * told which files the command named: no other can be opened then, and these by util/files.h alone. NULL and
 * "-" name none. Paths live until it is entered. */
struct tool_sandbox {
    const char *name;                   /* the command's */
    bool off;                           /* --no-sandbox */
    struct tool_device_options *device; /* NULL: it compiles nothing */
    bool serves;                        /* as in struct util_sandbox, */
    unsigned walls;                     /* like this and what follows */
    void (*at_end)(void *data);
    void *data;
    struct {
        struct util_grant *at;
        uint32_t count, room;
    } files;
    bool out_of_memory, entered;
};
void tool_sandbox_reads(struct tool_sandbox *sandbox, const char *path);
void tool_sandbox_writes(struct tool_sandbox *sandbox, const char *path);
void tool_sandbox_writes_pictures(struct tool_sandbox *sandbox, const char *folder); /* TOOL_PICTURES */
#define TOOL_PICTURES "frame-*.png"
/* TOOL_OK, also where there is no sandbox to be had (a line says so), or an exit code after a message: what is
 * to be written cannot be (tool_check_output), or there is no process to be had. */
int tool_sandbox_enter(struct tool_sandbox *sandbox);
/* Most commands over a capture: enters it, opens the device that it names, and returns what `run` does, or an exit status
 * after a message. */
int tool_with_device(struct tool_sandbox *sandbox, int (*run)(void *data, const struct gpu_options *device),
                     void *data);

/* All of it into a pipe to the process that this one works for; ends this one when nobody listens any more. */
void tool_tell(int pipe, const void *bytes, size_t size);

/* A whole file of at most 256 MiB, malloc'ed (one byte more, zero). "-" is the standard input. 0, or -errno and *error. */
int tool_load_file(const char *path, uint8_t **bytes, size_t *size, struct util_error *error);
/* The same; false after a message. */
bool tool_read_file(const char *name, const char *path, uint8_t **bytes, size_t *size);

/* Whether two names are one file that is there. */
bool tool_same_file(const char *a, const char *b);
/* Before there is anything to write: TOOL_OK, or TOOL_HOST after a message when `path` is a folder, stands in none
 * or may not be written. NULL and "-" are no files. */
int tool_check_output(const char *name, const char *path);
/* Closes a file being written; `path` names it. When something could not be written, says so, removes a
 * regular file (half of one would pass for a whole) and returns TOOL_HOST. */
int tool_close_output(const char *name, const char *path, FILE *file);

void tool_print_fault(const struct gpu_fault *fault); /* one line on stderr */

/* A progress bar on stderr when it is a terminal and the work lasts longer than half a second. Of a total that is not known,
 * TOOL_PROGRESS_OPEN, it says how much is done. */
#define TOOL_PROGRESS_OPEN UINT64_MAX
struct tool_progress {
    const char *what;
    uint64_t total;
    double started, drawn;
    bool shown;
};
void tool_progress_begin(struct tool_progress *progress, const char *what, uint64_t total);
void tool_progress_step(struct tool_progress *progress, uint64_t done);
void tool_progress_end(struct tool_progress *progress);

double tool_seconds(void); /* monotonic */

#endif
