/* Processes behind the sandbox, entered as the server and as `vitrail replay` enter it, with all its walls,
 * with what a kernel without Landlock has, or with Landlock alone. Each case is a process of its own, for
 * there is no way back. */
#ifndef VITRAIL_TESTS_TOOLS_SANDBOX_ENTRY_H
#define VITRAIL_TESTS_TOOLS_SANDBOX_ENTRY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/run.h"
#include "util/bits.h"

enum { FINE = 40, WRONG, WITHOUT };
enum kind { AS_SERVER, AS_REPLAY, KINDS };
static const char *const kind_names[] = {"run", "replay"};
static const char *const wall_names[] = {"all walls", "the filter", "Landlock"};

static char folder[] = "/tmp/vitrail-sandbox-XXXXXX";
static pid_t outside; /* a process of ours that has no part in it, as the tool and its program are */

static inline const char *in_folder(const char *name)
{
    static char paths[4][128];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

/* ---- going in ---- */

static inline struct tool_device_options device_options(void)
{
    return (struct tool_device_options){
        .threads = 2, .level = -1, .tier = JIT_AUTOMATIC, .numeric = ISA_USUAL};
}

/* What stands before the sandbox: descriptors that the process has, to be misused. */
static struct {
    int file; /* secret, opened for reading */
    int pair[2];
} held;

static struct tool_device_options entered_device;

static inline int enter(enum kind kind, unsigned walls)
{
    static struct run run;
    static char record[128], frames[128], capture[128];
    struct tool_sandbox sandbox;
    entered_device = device_options();
    snprintf(record, sizeof record, "%s/a.vtc", folder);
    snprintf(frames, sizeof frames, "%s/frames", folder);
    snprintf(capture, sizeof capture, "%s/input", folder);
    if (kind == AS_SERVER) {
        run = (struct run){
            .name = "run", .record = record, .frames = {.folder = frames}, .device = entered_device};
        snprintf(run.folder, sizeof run.folder, "%s/run", folder);
        run_sandbox(&run, &sandbox);
        sandbox.device = &entered_device;
    } else {
        sandbox = (struct tool_sandbox){.name = "replay", .device = &entered_device};
        tool_sandbox_reads(&sandbox, capture);
        tool_sandbox_writes(&sandbox, in_folder("a.png"));
        tool_sandbox_writes_pictures(&sandbox, frames);
    }
    sandbox.walls = walls;
    int code = tool_sandbox_enter(&sandbox);
    return code ? WRONG : sandbox.entered ? 0 : WITHOUT;
}

/* How the case ends in a process behind the sandbox: its exit status, or 128 and the signal. */
static inline int ends(int (*action)(void), enum kind kind, unsigned walls)
{
    int status;
    pid_t child = fork();
    if (!child) {
        const struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        /* cmocka's handlers would go on with its tests in the child. */
        signal(SIGSEGV, SIG_DFL);
        signal(SIGILL, SIG_DFL);
        signal(SIGBUS, SIG_DFL);
        held.file = open(in_folder("secret"), O_RDONLY);
        if (held.file < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, held.pair))
            _exit(WRONG);
        alarm(100);
        int how = enter(kind, walls);
        _exit(how ? how : action());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline int nothing(void)
{
    return FINE;
}

static inline bool missing(unsigned walls)
{
    int how = ends(nothing, AS_SERVER, walls);
    if (how == FINE)
        return false;
    bool landlock = walls == UTIL_WALL_LANDLOCK && how == WRONG;
    assert_true(how == WITHOUT || landlock);
    print_message("not tried: %s, which this kernel or this build lacks\n", wall_names[walls]);
    return true;
}

/* The tool, as the server sees it, or the program: neither shares the sandbox. */
static inline const char *proc(pid_t pid, const char *name)
{
    static char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    return path;
}

/* ---- what stands around it ---- */

static inline int write_text(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(name), "w");
    return file && fputs(text, file) >= 0 && !fclose(file) ? 0 : -1;
}

static inline int sandbox_prepare(void **unused)
{
    if (!mkdtemp(folder) || write_text("secret", "secret\n") || write_text("input", "input\n") ||
        mkdir(in_folder("frames"), 0700) || symlink("../secret", in_folder("frames/frame-link.png")) ||
        mkdir(in_folder("cache"), 0700) || setenv("XDG_CACHE_HOME", in_folder("cache"), 1))
        return -1;
    outside = fork();
    if (!outside) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    return outside < 0;
}

static inline int sandbox_clean_up(void **unused)
{
    char command[64];
    kill(outside, SIGKILL);
    waitpid(outside, NULL, 0);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

#endif
