/* A finding explained, into its .txt: what other commands say of its file; of pictures that differ where, and by `explain` what
 * wrote the pixel that differs most. Each in a process of its own, as it enters a sandbox for good and what it looks at may crash
 * it or not end; what it says is read from a pipe, cleaned and bounded. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz/capture.h"
#include "tools/explain.h"
#include "tools/fuzz.h"
#include "tools/report.h"
#include "util/bits.h"

#define SAY_SECONDS 60.0
#define SAY_BYTES   (16u << 20)

/* ---- processes that say something ---- */

struct teller {
    const char *title;
    int (*command)(int argc, char **argv);
    const char *const *words; /* of the command, to NULL */
};

static _Noreturn void tell(const struct teller *t, int pipe)
{
    char *argv[16];
    int argc = 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    for (; t->words[argc] && argc < 15; argc++)
        argv[argc] = (char *)(uintptr_t)t->words[argc];
    argv[argc] = NULL;
    dup2(pipe, STDOUT_FILENO);
    dup2(pipe, STDERR_FILENO);
    const int code = t->command(argc, argv);
    fflush(NULL);
    util_sandbox_leave();
    _exit(code);
}

/* Copies what comes until its end; the first line goes to `first`. What is too much or too late is cut off. */
static void listen(int pipe, int out, char first[FUZZ_TEXT_MAX])
{
    const double until = tool_seconds() + SAY_SECONDS;
    size_t used = 0, bytes = 0;
    bool more = true; /* of the first line */
    char text[4097];
    *first = 0;
    for (;;) {
        const double left = until - tool_seconds();
        struct pollfd fd = {.fd = pipe, .events = POLLIN};
        if (left <= 0 || bytes > SAY_BYTES) {
            dprintf(out, "\n(cut off: %s)\n", left <= 0 ? "it did not end" : "too long");
            return;
        }
        if (poll(&fd, 1, (int)(left * 1e3) + 1) <= 0)
            continue;
        const ssize_t n = read(pipe, text, sizeof text - 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        for (ssize_t i = 0; i < n; i++)
            text[i] = text[i] ? text[i] : '?';
        text[n] = 0;
        fuzz_hear_clean(text);
        dprintf(out, "%s", text);
        bytes += (size_t)n;
        for (ssize_t i = 0; more && i < n; i++) {
            more = text[i] != '\n' && used < FUZZ_TEXT_MAX - 1;
            if (more)
                first[used++] = text[i];
        }
        first[used] = 0;
    }
}

static void say(int out, char first[FUZZ_TEXT_MAX], const struct teller *t)
{
    int ends[2], status = 0;
    *first = 0;
    if (pipe2(ends, O_CLOEXEC))
        return;
    dprintf(out, "\n%s\n\n", t->title);
    fflush(NULL);
    const pid_t process = fork();
    if (!process)
        tell(t, ends[1]);
    close(ends[1]);
    if (process > 0) {
        setpgid(process, process); /* whoever comes first */
        listen(ends[0], out, first);
        kill(-process, SIGKILL); /* its broker too */
        while (waitpid(process, &status, 0) < 0 && errno == EINTR)
            ;
    }
    close(ends[0]);
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
        dprintf(out, "\n(ended by signal %d)\n", WTERMSIG(status));
}

/* ---- pictures that differ ---- */

static void print_color(const char *how, const uint8_t color[4])
{
    printf("%s %u,%u,%u,%u", how, color[0], color[1], color[2], color[3]);
}

/* The rest of the line, and what happened at the pixel. */
static void explain_pixel(const char *file, const struct fuzz_difference *d)
{
    struct explain_pixel pixel = {.picture = d->picture, .x = d->x, .y = d->y};
    struct explain_result result = {.pixels = &pixel, .pixel_count = 1};
    struct jit_engine *engine = fuzz_capture_engine(false);
    const struct gpu_options device = fuzz_capture_options(engine, 0);
    struct util_error error = {0};
    struct report_writer writer;
    char text[REPORT_WRITER_MAX];
    const int err = explain_run(file, &device, true, false, true, &result, NULL, NULL, &error);
    if (err) {
        printf("\nexplain: %s\n", error.code ? error.text : strerror(-err));
    } else {
        bool cleared;
        const struct explain_event *event = explain_last_write(&pixel, &cleared);
        report_writer_find(&result, &pixel, &writer);
        report_writer_text(&writer, d->picture, text);
        printf("; last written by %s", text);
        if (event && event->program != UINT32_MAX)
            printf(", program at 0x%08" PRIx32, result.programs.at[event->program].address);
        printf("\n\nvitrail explain --all --frame %u --pixel %u,%u %s\n\n", d->picture, d->x, d->y, file);
        explain_print(stdout, &result, &pixel, &(struct explain_show){.sample = -1, .trace = true});
    }
    explain_finish(&result);
    jit_engine_destroy(engine);
}

/* As a command: "difference" FILE. */
static int difference(int argc, char **argv)
{
    struct tool_sandbox sandbox = {.name = "fuzz"};
    struct fuzz_difference d;
    struct util_error error = {0};
    tool_sandbox_reads(&sandbox, argv[1]);
    const int code = tool_sandbox_enter(&sandbox);
    if (code)
        return code;
    const int got = fuzz_capture_difference(argv[1], &d, &error);
    if (got < 0)
        return tool_error("fuzz", TOOL_HOST, "%s: %s", argv[1], error.code ? error.text : strerror(-got));
    if (!got) {
        printf("no picture differs\n");
        return TOOL_OK;
    }
    printf("picture %u: %llu of %llu pixels differ, most (%u, %u):", d.picture,
           (unsigned long long)d.differing, (unsigned long long)d.total, d.x, d.y);
    print_color(" compiled", d.got[0]);
    printf(", %s", d.way);
    print_color("", d.got[1]);
    explain_pixel(argv[1], &d);
    return TOOL_DIFFERS;
}

/* ---- all of it ---- */

/* Without the file's name, which lint's lines begin with. */
static void keep_line(struct fuzz_finding *f, const char *command, const char *file, const char *line)
{
    const size_t name = strlen(file);
    if (!strncmp(line, file, name) && line[name] == ':')
        line += name + 1;
    line += strspn(line, " ");
    if (*line)
        snprintf(f->explained, sizeof f->explained, "%s: %.*s", command, FUZZ_TEXT_MAX - 16, line);
}

static void say_all(const struct fuzz_options *o, struct fuzz_finding *f, int out, const char *file)
{
    const struct teller program = {"The program:", tool_dis,
                                   (const char *const[]){"dis", "--isa", o->set, file, NULL}},
                        lint = {"What `vitrail lint` says:", tool_lint,
                                o->capture ? (const char *const[]){"lint", file, NULL}
                                           : (const char *const[]){"lint", "--isa", o->set, file, NULL}},
                        decode = {"What `vitrail decode` says:", tool_decode,
                                  (const char *const[]){"decode", file, NULL}},
                        picture = {"Where pictures differ:", difference,
                                   (const char *const[]){"difference", file, NULL}};
    char line[FUZZ_TEXT_MAX];
    if (!o->capture)
        say(out, line, &program);
    say(out, line, &lint);
    keep_line(f, "lint", file, line);
    if (!o->capture)
        return;
    if (!strncmp(f->cause, "differs", 7)) {
        say(out, line, &picture);
        keep_line(f, "explain", file, line);
    }
    say(out, line, &decode);
}

void fuzz_explain(const struct fuzz_campaign *c, struct fuzz_finding *f)
{
    const struct fuzz_options *o = c->options;
    char path[4096], file[4096], again[8192];
    const int out =
        open(fuzz_folder_finding(c, f, "txt", path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (out < 0) {
        tool_error("fuzz", 0, "%s: %s", path, strerror(errno));
        return;
    }
    fuzz_folder_finding(c, f, fuzz_file_end(o), file);
    fuzz_again_command(c, f, again, sizeof again);
    dprintf(out, "%s\n\n%s\n\nfound %llu times; %u of %u %s are left\nagain: %s\n", f->name, f->text,
            (unsigned long long)f->count, f->parts, f->parts_before, fuzz_part_noun(c), again);
    *f->explained = 0;
    say_all(o, f, out, file);
    close(out);
}
