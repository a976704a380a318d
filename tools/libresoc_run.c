#include "tools/libresoc.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/simple_v/asm.h"

/* `vitrail libresoc run`: a statically linked Linux program of RV64GC and Simple-V. */

#define NAME "libresoc run"

struct options {
    struct tool_libresoc program;
    struct tool_mem mem;
    bool trace, stats;
};

#define AT(member) offsetof(struct options, member)

static const struct tool_option rows[] = {
    {"trace", NULL, "print each instruction before it is executed, on standard error", .kind = TOOL_SWITCH,
     .at = AT(trace)},
    {"stats", NULL, "say at the end how many instructions it took, and how long", .kind = TOOL_SWITCH,
     .at = AT(stats)},
    {0},
};

const struct tool_command tool_command_libresoc_run = {
    .name = NAME,
    .summary = "run a Linux program of RV64GC with Simple-V",
    .operands = "PROGRAM [ARGS]",
    .text = "Runs a statically linked Linux program (ELF) of RV64GC with the vectors of Simple-V, in the "
            "interpreter. It has the system calls write, writev, exit, exit_group, brk, mmap (anonymous), "
            "munmap, mprotect, set_tid_address, clock_gettime, uname and ioctl (of no terminal); any other "
            "ends it with a guest fault that names the call. All that follows PROGRAM is the program's.",
    .notes = "Exit status: the program's, or 2 wrong options, 3 guest fault, 4 bad file, 5 this machine "
             "cannot do it.",
    .examples = "  clang --target=riscv64 -march=rv64gc -nostdlib -static -fuse-ld=lld -o sum sum.s\n"
                "  vitrail libresoc run sum 1 2 3\n"
                "  vitrail libresoc run --dump 0x13000,64 --format float sum\n",
    .options = {{rows}, {tool_libresoc_rows, AT(program)}, {tool_mem_rows, AT(mem)}},
    .main = tool_libresoc_run,
};

/* ---- what is printed while it runs ---- */

static void trace(void *data, const struct simple_v_state *state, const struct simple_v_insn *insn)
{
    const struct simple_v_program *program = data;
    const uint32_t block = (uint32_t)((state->pc - program->address) / 2);
    uint32_t at = block;
    char text[SIMPLE_V_TEXT_MAX], place[24] = "";
    if (state->in_block) {
        at += program->blocks[program->block[block] - 1].head + state->opptr;
        snprintf(place, sizeof place, "+%u", state->opptr);
    }
    simple_v_disasm(program->code, program->count, at, text);
    fprintf(stderr, "0x%08" PRIx64 "%-4s %s\n", state->pc, place, text);
    (void)insn;
}

static void print_stats(const struct libresoc_process *process, double seconds)
{
    fprintf(stderr, "%" PRIu64 " instructions, %.3f ms, %.1f million instructions a second\n",
            process->state.executed, seconds * 1e3, (double)process->state.executed / seconds / 1e6);
}

/* ---- running ---- */

static int run(const struct options *o, struct libresoc_process *process)
{
    const struct libresoc_watch watch = {.trace = o->trace ? trace : NULL, .trace_data = process->program};
    struct gpu_fault fault;
    int code = tool_mem_put(NAME, &o->mem, &process->pages.memory, tool_libresoc_place, process);
    if (code)
        return code;
    const double begin = tool_seconds();
    const bool ended = libresoc_process_run(process, &watch, &fault);
    const double seconds = tool_seconds() - begin;
    if (!ended)
        tool_print_fault(&fault);
    code = tool_mem_dump(NAME, &o->mem, &process->pages.memory);
    fflush(stdout);
    if (o->stats)
        print_stats(process, seconds);
    return code ? code : ended ? process->status : TOOL_FAULT;
}

static int enter_sandbox(const struct options *o)
{
    struct tool_sandbox sandbox = {.name = NAME, .off = o->program.no_sandbox};
    tool_sandbox_reads(&sandbox, o->program.path);
    tool_mem_grant(&o->mem, &sandbox);
    return tool_sandbox_enter(&sandbox);
}

int tool_libresoc_run(int argc, char **argv)
{
    struct options o = {.program = TOOL_LIBRESOC_USUAL, .mem = TOOL_MEM_USUAL};
    struct libresoc_process *process = NULL;
    int code = tool_libresoc_parse(&tool_command_libresoc_run, argc, argv, &o, &o.program);
    if (!code)
        code = enter_sandbox(&o);
    if (!code)
        code = tool_libresoc_open(NAME, &o.program, tool_libresoc_write, &process);
    if (!code)
        code = run(&o, process);
    libresoc_process_destroy(process);
    return code < 0 ? TOOL_OK : code;
}
