/* What the commands of the `vitrail` tool share. Each command is one file with `int tool_NAME(int argc, char
 * **argv)`, argv[0] being the command's name. Exit codes are the same everywhere. */
#ifndef VITRAIL_TOOLS_TOOL_H
#define VITRAIL_TOOLS_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "gpu/fault.h"
#include "gpu/options.h"
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

int tool_run(int argc, char **argv);
int tool_record(int argc, char **argv);
int tool_replay(int argc, char **argv);
int tool_decode(int argc, char **argv);
int tool_info(int argc, char **argv);
int tool_asm(int argc, char **argv);
int tool_dis(int argc, char **argv);
int tool_qpu(int argc, char **argv);
int tool_compare(int argc, char **argv);
int tool_explain(int argc, char **argv);
int tool_profile(int argc, char **argv);
int tool_lint(int argc, char **argv);
int tool_gpus(int argc, char **argv);

/* "vitrail NAME: message" on stderr; returns `code`, so that callers can write `return tool_error(TOOL_USAGE,
 * ...)`. */
int tool_error(const char *name, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The switches by which every command chooses how a device works: --threads, --level, --interpreter,
 * --reference, --in-order, --numeric, --tier, --no-cache, --no-sandbox. */
struct tool_device_options {
    int threads;   /* extra worker threads; -1: one per processor, less the caller */
    int level;     /* enum jit_level or -1 */
    unsigned tier; /* enum jit_tier */
    bool interpreter, reference, in_order, no_cache, no_sandbox;
    const char *code_folder; /* "": none; NULL: that of a process without sandbox */
    enum isa_numeric numeric;
};
extern const char tool_device_help[]; /* their part of a --help text */
/* If argv[*index] is one of the switches, takes it (and its value) and returns 1; 0 when it is not; -1 after
 * an error message. */
int tool_device_option(const char *name, struct tool_device_options *options, int argc, char **argv,
                       int *index);
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
void tool_sandbox_writes_pictures(struct tool_sandbox *sandbox, const char *folder); /* frame-*.png */
/* TOOL_OK, also where there is no sandbox to be had (a line says so), or an exit code after a message. */
int tool_sandbox_enter(struct tool_sandbox *sandbox);

/* Value of "--option VALUE" or "--option=VALUE" when argv[*index] is that option: returns 1 and sets *value;
 * 0 when it is another; -1 (after a message) when the value is missing. */
int tool_value(const char *name, const char *option, int argc, char **argv, int *index, const char **value);
/* The one capture that a command takes, when `argument` is none of its switches: TOOL_OK and *capture, or
 * TOOL_USAGE after a message about an unknown switch or a second capture. */
int tool_operand(const char *name, const char *argument, const char **capture);
/* What a command on one capture takes beside the device's switches. */
struct tool_syntax {
    const char *name, *help; /* help: "%s" is where tool_device_help goes */
    struct tool_device_options *device;
    const char **capture; /* NULL before */
    const struct tool_switch {
        const char *name;
        bool *on;
    } *switches;
    unsigned switch_count;
    /* Takes an option that has a value, as tool_value does. */
    int (*value)(void *data, int argc, char **argv, int *index);
    void *data;
};
/* TOOL_OK with a capture; TOOL_USAGE after a message; -1 when the help was asked for and printed. */
int tool_parse(const struct tool_syntax *syntax, int argc, char **argv);
/* A whole decimal or 0x number in [min, max]; false otherwise. */
bool tool_number(const char *text, uint64_t min, uint64_t max, uint64_t *out);

/* A whole file of at most 256 MiB, malloc'ed (one byte more, zero); false after a message. "-" is the
 * standard input. */
bool tool_read_file(const char *name, const char *path, uint8_t **bytes, size_t *size);

/* Closes a file being written; `path` names it. When something could not be written, says so, removes a
 * regular file (half of one would pass for a whole) and returns TOOL_HOST. */
int tool_close_output(const char *name, const char *path, FILE *file);

void tool_print_fault(const struct gpu_fault *fault); /* one line on stderr */

/* A progress bar on stderr when it is a terminal and the work lasts longer than half a second. */
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
