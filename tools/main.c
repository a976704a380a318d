#include "tools/tool.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct command {
    const char *name;
    int (*main)(int argc, char **argv);
    const char *what;
} commands[] = {
    {"run", tool_run, "run a program with its stock driver on an emulated GPU"},
    {"record", tool_record, "run a program and keep what it drew in a capture"},
    {"replay", tool_replay, "draw a capture again; PNGs, verification, timing"},
    {"decode", tool_decode, "list a capture: every record, state and shader, readable"},
    {"info", tool_info, "say what a capture holds"},
    {"asm", tool_asm, "assemble a guest program"},
    {"dis", tool_dis, "disassemble a guest program"},
    {"lint", tool_lint, "find what is wrong with programs, without running them"},
    {"qpu", tool_qpu, "run a general-purpose QPU program"},
    {"compare", tool_compare, "compare two pictures"},
    {"explain", tool_explain, "say why a pixel of a capture has its colour"},
    {"profile", tool_profile, "say where a capture's time goes; heat maps of tiles"},
    {"gpus", tool_gpus, "list the GPUs that can be emulated"},
};

static const char usage[] = "Usage: vitrail COMMAND [OPTIONS]\n"
                            "\n"
                            "A GPU made of software: runs what real drivers hand to tile-based GPUs.\n"
                            "\n"
                            "Commands:\n";
static const char rest[] =
    "\n"
    "`vitrail COMMAND --help` has the options and examples of a command.\n"
    "\n"
    "Examples:\n"
    "  vitrail run --gpu vc4 -- glmark2-es2-drm -b texture\n"
    "  vitrail record -o frame.vtc -- kmscube -c 1\n"
    "  vitrail replay frame.vtc --png frame.png\n"
    "\n"
    "Exit status: 0 done, 1 a verification differs, 2 wrong options, 3 guest fault,\n"
    "4 bad file, 5 this machine cannot do it; `run` and `record` pass on the program's,\n"
    "or 6: it never used the GPU.\n";

static void help(FILE *out)
{
    fputs(usage, out);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].what);
    fputs(rest, out);
}

/* What was printed counts only when it arrived. */
static int finish(const char *name, int code)
{
    util_sandbox_leave();
    if ((fflush(stdout) || ferror(stdout)) && (code == TOOL_OK || code == TOOL_DIFFERS))
        return tool_error(name, TOOL_HOST, "standard output: %s", strerror(errno ? errno : EIO));
    return code;
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a limit on files is an error of the write, and is told as such */
    if (argc < 2) {
        help(stderr);
        return TOOL_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        help(stdout);
        return finish("help", TOOL_OK);
    }
    if (!strcmp(argv[1], "--version")) {
        puts("vitrail " VITRAIL_VERSION);
        return finish("--version", TOOL_OK);
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (!strcmp(argv[1], commands[i].name))
            return finish(commands[i].name, commands[i].main(argc - 1, argv + 1));
    fprintf(stderr, "vitrail: unknown command '%s'; `vitrail --help` lists them\n", argv[1]);
    return TOOL_USAGE;
}
