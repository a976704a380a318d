#include "tools/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/bits.h"

#define MAX_FILE (256u << 20) /* what tool_read_file takes: far more than any program */

int tool_error(const char *name, int code, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "vitrail%s%s: ", name ? " " : "", name ? name : "");
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

/* All that there is to read, and a zero behind it. */
static int read_all(FILE *file, const char *path, uint8_t **bytes, size_t *size, struct util_error *error)
{
    size_t capacity = 1 << 16, used = 0;
    uint8_t *data = NULL;
    int err = 0;
    do {
        uint8_t *grown = realloc(data, 2 * capacity + 1);
        if (!grown) {
            err = util_fail(error, -ENOMEM, "%s: out of memory", path);
            break;
        }
        data = grown;
        capacity *= 2;
        used += fread(data + used, 1, capacity - used, file);
        if (ferror(file))
            err = util_fail(error, -EIO, "%s: cannot be read", path);
        else if (used == capacity && 2 * capacity > MAX_FILE)
            err = util_fail(error, -EFBIG, "%s: more than %u MiB", path, MAX_FILE >> 20);
    } while (!err && used == capacity);
    if (err) {
        free(data);
        return err;
    }
    data[used] = 0;
    *bytes = data;
    *size = used;
    return 0;
}

int tool_load_file(const char *path, uint8_t **bytes, size_t *size, struct util_error *error)
{
    FILE *file = strcmp(path, "-") ? util_fopen(path, "rb") : stdin;
    if (!file)
        return util_fail(error, -errno, "%s: %s", path, strerror(errno));
    const int err = read_all(file, path, bytes, size, error);
    if (file != stdin)
        fclose(file);
    return err;
}

bool tool_read_file(const char *name, const char *path, uint8_t **bytes, size_t *size)
{
    struct util_error error = {0};
    if (tool_load_file(path, bytes, size, &error)) {
        tool_error(name, 0, "%s", error.text);
        return false;
    }
    return true;
}

/* The folder that the path stands in; false: the path is too long. */
static bool folder_of(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    const int length = !slash ? 1 : slash == path ? 1 : (int)(slash - path);
    return snprintf(out, size, "%.*s", length, slash ? path : ".") < (int)size;
}

bool tool_same_file(const char *a, const char *b)
{
    struct stat one, other;
    return !stat(a, &one) && !stat(b, &other) && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

int tool_check_output(const char *name, const char *path)
{
    struct stat status;
    char folder[4096];
    if (!path || !strcmp(path, "-"))
        return TOOL_OK;
    bool bad = !folder_of(path, folder, sizeof folder);
    int error = ENAMETOOLONG;
    if (!bad && !stat(path, &status)) {
        bad = S_ISDIR(status.st_mode) || faccessat(AT_FDCWD, path, W_OK, AT_EACCESS);
        error = S_ISDIR(status.st_mode) ? EISDIR : errno;
    } else if (!bad) {
        bad = errno != ENOENT || faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS);
        error = errno;
    }
    return bad ? tool_error(name, TOOL_HOST, "%s: %s", path, strerror(error)) : TOOL_OK;
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

/* ---- the commands ---- */

const struct tool_command *tool_command_at(unsigned n)
{
#define COMMAND(name) &tool_command_##name,
    static const struct tool_command *const commands[] = {TOOL_COMMANDS(COMMAND)};
#undef COMMAND
    return n < UTIL_ARRAY_SIZE(commands) ? commands[n] : NULL;
}

/* ---- the device's switches ---- */

static const char *level_word(unsigned n)
{
    return n < JIT_LEVEL_COUNT ? jit_level_name((enum jit_level)n) : NULL;
}

static const char *numeric_word(unsigned n)
{
    return n <= ISA_USUAL ? isa_numeric_name((enum isa_numeric)n) : NULL;
}

static const char *tier_word(unsigned n)
{
    static const char *const names[] = {
        [JIT_QUICK] = "quick", [JIT_AUTOMATIC] = "auto", [JIT_OPTIMISED] = "optimised"};
    return n < UTIL_ARRAY_SIZE(names) ? names[n] : NULL;
}

#define NO_SANDBOX "the process may make every system call, for tracing it"
#define AT(member) offsetof(struct tool_device_options, member)

/* clang-format off */
#define LEVEL {"level", "NAME", "host vector level: %s (default: best)", .kind = TOOL_WORD, .at = AT(level), .word = level_word}
#define INTERPRETER {"interpreter", NULL, "run guest programs in the interpreter, compile nothing", .kind = TOOL_SWITCH, .at = AT(interpreter)}
#define TIER {"tier", "NAME", "compiled code: auto (default) quick code at once, better code where it runs much; quick or optimised: that alone", .kind = TOOL_WORD, .at = AT(tier), .word = tier_word}
#define NO_CACHE {"no-cache", NULL, "neither read nor write compiled code on disk", .kind = TOOL_SWITCH, .at = AT(no_cache)}
/* clang-format on */

const struct tool_option tool_device_rows[] = {
    {"threads", "N",
     "worker threads beside the calling one (default: one per further processor; 0: everything on the "
     "calling thread)",
     .kind = TOOL_NUMBER, .at = AT(threads), .min = 0, .max = UTIL_POOL_MAX},
    LEVEL,
    INTERPRETER,
    {"reference", NULL,
     "the scalar reference everywhere: interpreter, textures, coverage and tests pixel by pixel",
     .kind = TOOL_SWITCH, .at = AT(reference)},
    {"numeric", "MODE",
     "how guest programs compute: fast as IEEE 754 and this processor do, exact as silicon does, as far as "
     "that is public; usual (default): Mali-400 and Mali-450 exact, all else fast",
     .kind = TOOL_WORD, .at = AT(numeric), .word = numeric_word},
    TIER,
    {"in-order", NULL, "shade hidden pixels too, each in its turn", .kind = TOOL_SWITCH, .at = AT(in_order)},
    NO_CACHE,
    {"no-sandbox", NULL, NO_SANDBOX, .kind = TOOL_SWITCH, .at = AT(no_sandbox)},
    {0},
};

const struct tool_option tool_compiler_rows[] = {LEVEL, INTERPRETER, TIER, NO_CACHE, {0}};

const struct tool_option tool_sandbox_rows[] = {{"no-sandbox", NULL, NO_SANDBOX, .kind = TOOL_SWITCH}, {0}};

int tool_engine_open(const char *name, const struct tool_device_options *options, bool background,
                     struct jit_engine **engine)
{
    const struct jit_options jit = {.level = options->level,
                                    .optimize = options->tier,
                                    .background = background,
                                    .cache_dir = options->no_cache ? "" : options->code_folder};
    struct util_error error = {0};
    *engine = NULL;
    if (options->interpreter || options->reference)
        return TOOL_OK;
    const int err = jit_engine_create(&jit, engine, &error);
    return err ? tool_error(name, TOOL_HOST, "cannot start the compiler: %s",
                            error.code ? error.text : strerror(-err))
               : TOOL_OK;
}

int tool_device_open(const char *name, const struct tool_device_options *options, struct util_pool **pool,
                     struct jit_engine **engine, struct gpu_options *out)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = (unsigned)options->threads;

    *pool = NULL;
    *engine = NULL;
    if (options->threads == TOOL_USUAL_THREADS)
        threads = processors > UTIL_POOL_MAX ? UTIL_POOL_MAX : processors > 1 ? (unsigned)processors - 1 : 0;
    int err = util_pool_create(threads, pool);
    if (err)
        return tool_error(name, TOOL_HOST, "cannot start %u threads: %s", threads, strerror(-err));
    const int code = tool_engine_open(name, options, threads > 0, engine);
    if (code) {
        util_pool_destroy(*pool);
        *pool = NULL;
        return code;
    }
    *out = (struct gpu_options){.pool = *pool,
                                .engine = *engine,
                                .reference = options->reference,
                                .in_order = options->in_order,
                                .numeric = (enum isa_numeric)options->numeric};
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
    progress->drawn = now;
    progress->shown = true;
    if (progress->total == TOOL_PROGRESS_OPEN) {
        fprintf(stderr, "\r%.1f million %s, %.0f s ", (double)done * 1e-6, progress->what,
                now - progress->started);
        return;
    }
    double share = done < progress->total ? (double)done / (double)progress->total : 1.0;
    double left = share > 0 ? (now - progress->started) * (1 - share) / share : 0;
    char bar[31];
    int full = (int)(share * 30);
    for (int i = 0; i < 30; i++)
        bar[i] = i < full ? '#' : '.';
    bar[30] = 0;
    fprintf(stderr, "\r%s [%s] %3.0f%%, %.0f s left ", progress->what, bar, share * 100, left);
}

void tool_progress_end(struct tool_progress *progress)
{
    if (progress->shown)
        fprintf(stderr, "\r%*s\r", 72, "");
}
