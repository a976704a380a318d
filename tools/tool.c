#include "tools/tool.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_FILE (256u << 20) /* what tool_read_file takes: far more than any program */

int tool_error(const char *name, int code, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "vitrail %s: ", name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return code;
}

double tool_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int tool_value(const char *name, const char *option, int argc, char **argv, int *index, const char **value)
{
    const char *arg = argv[*index];
    size_t length = strlen(option);

    if (strncmp(arg, option, length) != 0 || (arg[length] && arg[length] != '='))
        return 0;
    if (arg[length] == '=') {
        *value = arg + length + 1;
        return 1;
    }
    if (*index + 1 >= argc) {
        tool_error(name, TOOL_USAGE, "%s needs a value", option);
        return -1;
    }
    *value = argv[++*index];
    return 1;
}

int tool_operand(const char *name, const char *argument, const char **capture)
{
    if (argument[0] == '-' && argument[1])
        return tool_error(name, TOOL_USAGE, "unknown option '%s'; see `vitrail %s --help`", argument, name);
    if (*capture)
        return tool_error(name, TOOL_USAGE, "one capture at a time: '%s' and '%s'", *capture, argument);
    *capture = argument;
    return TOOL_OK;
}

static bool take_switch(const struct tool_syntax *s, const char *argument)
{
    for (unsigned n = 0; n < s->switch_count; n++)
        if (!strcmp(argument, s->switches[n].name))
            return *s->switches[n].on = true;
    return false;
}

int tool_parse(const struct tool_syntax *s, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            printf(s->help, tool_device_help);
            return -1;
        }
        int got = s->value(s->data, argc, argv, &i);
        if (!got)
            got = tool_device_option(s->name, s->device, argc, argv, &i);
        if (got < 0)
            return TOOL_USAGE;
        if (!got && !take_switch(s, argv[i]) && tool_operand(s->name, argv[i], s->capture))
            return TOOL_USAGE;
    }
    if (!*s->capture)
        return tool_error(s->name, TOOL_USAGE, "no capture given; see `vitrail %s --help`", s->name);
    return TOOL_OK;
}

bool tool_number(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
    char *end;

    errno = 0;
    if (*text == '-' || !*text)
        return false;
    unsigned long long v = strtoull(text, &end, 0);
    if (errno || *end || v < min || v > max)
        return false;
    *out = v;
    return true;
}

bool tool_read_file(const char *name, const char *path, uint8_t **bytes, size_t *size)
{
    FILE *file = strcmp(path, "-") ? util_fopen(path, "rb") : stdin;
    size_t capacity = 1 << 16, used = 0;
    uint8_t *data = NULL;

    if (!file) {
        tool_error(name, 0, "%s: %s", path, strerror(errno));
        return false;
    }
    for (;;) {
        uint8_t *grown = realloc(data, capacity + 1);
        if (!grown) {
            tool_error(name, 0, "%s: out of memory", path);
            goto fail;
        }
        data = grown;
        used += fread(data + used, 1, capacity - used, file);
        if (used < capacity)
            break;
        capacity *= 2;
        if (capacity > MAX_FILE) {
            tool_error(name, 0, "%s: more than %u MiB", path, MAX_FILE >> 20);
            goto fail;
        }
    }
    if (ferror(file)) {
        tool_error(name, 0, "%s: cannot be read", path);
        goto fail;
    }
    if (file != stdin)
        fclose(file);
    data[used] = 0;
    *bytes = data;
    *size = used;
    return true;
fail:
    free(data);
    if (file != stdin)
        fclose(file);
    return false;
}

int tool_close_output(const char *name, const char *path, FILE *file)
{
    bool bad = fflush(file) || ferror(file);
    int error = errno;

    if (fclose(file) && !bad) {
        bad = true;
        error = errno;
    }
    if (!bad)
        return TOOL_OK;
    util_remove_file(path);
    return tool_error(name, TOOL_HOST, "%s: %s", path, strerror(error));
}

void tool_print_fault(const struct gpu_fault *fault)
{
    char text[512];
    gpu_fault_format(fault, text, sizeof text);
    fprintf(stderr, "guest fault: %s\n", text);
}

/* ---- the device's switches ---- */

const char tool_device_help[] =
    "  --threads N        worker threads beside the calling one (default: one per\n"
    "                     further processor; 0: everything on the calling thread)\n"
    "  --level NAME       host vector level: sse4.1, avx2 or avx512 (default: best)\n"
    "  --interpreter      run guest programs in the interpreter, compile nothing\n"
    "  --reference        the scalar reference everywhere: interpreter, textures,\n"
    "                     coverage and tests pixel by pixel\n"
    "  --numeric MODE     how guest programs compute: fast as IEEE 754 and this processor\n"
    "                     do, exact as silicon does, as far as that is public; usual\n"
    "                     (default): VideoCore IV fast, Malis exact\n"
    "  --tier NAME        compiled code: auto (default) quick code at once, better code\n"
    "                     where it runs much; quick or optimised: that alone\n"
    "  --in-order         shade hidden pixels too, each in its turn\n"
    "  --no-cache         neither read nor write compiled code on disk\n"
    "  --no-sandbox       the process may make every system call, for tracing it\n";

static bool parse_tier(const char *text, unsigned *tier)
{
    static const char *const names[] = {"quick", "auto", "optimised"}; /* as enum jit_tier has them */

    for (unsigned t = JIT_QUICK; t <= JIT_OPTIMISED; t++)
        if (!strcmp(text, names[t])) {
            *tier = t;
            return true;
        }
    return false;
}

int tool_device_option(const char *name, struct tool_device_options *options, int argc, char **argv,
                       int *index)
{
    const char *value;
    uint64_t number;
    int got;

    if ((got = tool_value(name, "--threads", argc, argv, index, &value))) {
        if (got > 0 && !tool_number(value, 0, UTIL_POOL_MAX, &number)) {
            tool_error(name, 0, "--threads takes a number from 0 to %d, not '%s'", UTIL_POOL_MAX, value);
            return -1;
        }
        if (got > 0)
            options->threads = (int)number;
        return got;
    }
    if ((got = tool_value(name, "--level", argc, argv, index, &value))) {
        if (got < 0)
            return got;
        for (int l = 0; l < JIT_LEVEL_COUNT; l++)
            if (!strcmp(value, jit_level_name((enum jit_level)l))) {
                options->level = l;
                return 1;
            }
        tool_error(name, 0, "--level takes sse4.1, avx2 or avx512, not '%s'", value);
        return -1;
    }
    if ((got = tool_value(name, "--numeric", argc, argv, index, &value))) {
        if (got > 0 && !isa_numeric_parse(value, &options->numeric)) {
            tool_error(name, 0, "--numeric takes fast, exact or usual, not '%s'", value);
            return -1;
        }
        return got;
    }
    if ((got = tool_value(name, "--tier", argc, argv, index, &value))) {
        if (got > 0 && !parse_tier(value, &options->tier)) {
            tool_error(name, 0, "--tier takes auto, quick or optimised, not '%s'", value);
            return -1;
        }
        return got;
    }
    if (!strcmp(argv[*index], "--interpreter"))
        options->interpreter = true;
    else if (!strcmp(argv[*index], "--reference"))
        options->reference = true;
    else if (!strcmp(argv[*index], "--in-order"))
        options->in_order = true;
    else if (!strcmp(argv[*index], "--no-cache"))
        options->no_cache = true;
    else if (!strcmp(argv[*index], "--no-sandbox"))
        options->no_sandbox = true;
    else
        return 0;
    return 1;
}

int tool_device_open(const char *name, const struct tool_device_options *options, struct util_pool **pool,
                     struct jit_engine **engine, struct gpu_options *out)
{
    struct util_error error = {0};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int threads = options->threads;

    *pool = NULL;
    *engine = NULL;
    if (threads < 0)
        threads = processors > UTIL_POOL_MAX ? UTIL_POOL_MAX : processors > 1 ? (int)processors - 1 : 0;
    int err = util_pool_create((unsigned)threads, pool);
    if (err)
        return tool_error(name, TOOL_HOST, "cannot start %d threads: %s", threads, strerror(-err));
    if (!options->interpreter && !options->reference) {
        struct jit_options jit = {.level = options->level,
                                  .optimize = options->tier,
                                  .background = threads > 0,
                                  .cache_dir = options->no_cache ? "" : options->code_folder};
        err = jit_engine_create(&jit, engine, &error);
        if (err) {
            util_pool_destroy(*pool);
            *pool = NULL;
            return tool_error(name, TOOL_HOST, "cannot start the compiler: %s",
                              error.code ? error.text : strerror(-err));
        }
    }
    *out = (struct gpu_options){.pool = *pool,
                                .engine = *engine,
                                .reference = options->reference,
                                .in_order = options->in_order,
                                .numeric = options->numeric};
    return TOOL_OK;
}

/* ---- progress ---- */

void tool_progress_begin(struct tool_progress *progress, const char *what, uint64_t total)
{
    *progress = (struct tool_progress){.what = what, .total = total, .started = tool_seconds()};
    progress->drawn = progress->started;
    if (!isatty(STDERR_FILENO))
        progress->total = 0;
}

void tool_progress_step(struct tool_progress *progress, uint64_t done)
{
    double now = tool_seconds();

    if (!progress->total || now - progress->started < 0.5 || now - progress->drawn < 0.1)
        return;
    double share = done < progress->total ? (double)done / (double)progress->total : 1.0;
    double left = share > 0 ? (now - progress->started) * (1 - share) / share : 0;
    char bar[31];
    int full = (int)(share * 30);
    for (int i = 0; i < 30; i++)
        bar[i] = i < full ? '#' : '.';
    bar[30] = 0;
    fprintf(stderr, "\r%s [%s] %3.0f%%, %.0f s left ", progress->what, bar, share * 100, left);
    progress->drawn = now;
    progress->shown = true;
}

void tool_progress_end(struct tool_progress *progress)
{
    if (progress->shown)
        fprintf(stderr, "\r%*s\r", 72, "");
}
