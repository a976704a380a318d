#include "tools/libresoc.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/simple_v/asm.h"
#include "tools/libresoc_cycles.h"

/* `vitrail libresoc run`: a statically linked Linux program of RV64GC and Simple-V. */

#define NAME "libresoc run"

struct options {
    struct tool_libresoc program;
    struct tool_mem mem;
    struct tool_libresoc_timeline timeline;
    struct libresoc_core core;
    struct tool_device_options device; /* of its compiler */
    bool trace, stats, cycles, json;
};

static int take_parameter(void *options, const char *value)
{
    struct options *o = options;
    return tool_libresoc_take_parameter(NAME, value, &o->core);
}

#define AT(member) offsetof(struct options, member)

static const struct tool_option rows[] = {
    {"trace", NULL, "print each instruction before it is executed, with its number, on standard error",
     .kind = TOOL_SWITCH, .at = AT(trace)},
    {"compile-after", "N",
     "instructions that the interpreter does until what it does often is compiled (default 1 M)",
     .kind = TOOL_SIZE, .at = AT(program.after), .min = 1, .max = UINT64_MAX >> 1},
    {"stats", NULL,
     "say at the end how many instructions it took, and how long; what was compiled, and what of the "
     "program was interpreted most",
     .kind = TOOL_SWITCH, .at = AT(stats)},
    {"cycles", NULL,
     "say at the end what a core with a scoreboard would need for it: cycles, what they wait for, units' "
     "use, the costliest instructions",
     .kind = TOOL_SWITCH, .at = AT(cycles)},
    {"json", NULL, "--cycles as JSON", .kind = TOOL_SWITCH, .at = AT(json)},
    {"param", "NAME=VALUE", "of that core, in place of its usual; may be given again", .kind = TOOL_OWN,
     .take = take_parameter, .takes = "NAME=VALUE"},
    {"timeline", "FILE", "a picture (PNG) of what operations do in which cycle", .kind = TOOL_FILE,
     .at = AT(timeline.path)},
    {"timeline-from", "N", "its first instruction, as they are executed, from 0 (default 0)",
     .kind = TOOL_SIZE, .at = AT(timeline.from), .max = UINT64_MAX >> 1},
    {"timeline-count", "N", "instructions in it (default 32)", .kind = TOOL_SIZE, .at = AT(timeline.count),
     .min = 1, .max = 1u << 20},
    {0},
};

const struct tool_command tool_command_libresoc_run = {
    .name = NAME,
    .summary = "run a Linux program of RV64GC with Simple-V",
    .operands = "PROGRAM [ARGS]",
    .text =
        "Runs a statically linked Linux program (ELF) of RV64GC with the vectors of Simple-V. What it does "
        "often is compiled; the rest, and all of it with --interpreter, --trace, --cycles and --timeline, "
        "is interpreted. Results are the same. It has the system calls write, writev, exit, exit_group, brk, "
        "mmap (anonymous), "
        "munmap, mprotect, set_tid_address, clock_gettime, uname and ioctl (of no terminal); any other "
        "ends it with a guest fault that names the call. All that follows PROGRAM is the program's.",
    .notes = "Parameters of the core: units32 and units8 (units of 32 and of 8 bits), rows (names of "
             "registers in flight), issue (operations a cycle), reads and writes (ports of each bank), "
             "latency.integer, latency.multiply, latency.float, latency.divide, latency.load, "
             "latency.store, and as 0 or 1 whole (hazards by whole registers), batch and in-order.\n\n"
             "Exit status: the program's, or 2 wrong options, 3 guest fault, 4 bad file, 5 this machine "
             "cannot do it.",
    .examples = "  clang --target=riscv64 -march=rv64gc -nostdlib -static -fuse-ld=lld -o sum sum.s\n"
                "  vitrail libresoc run sum 1 2 3\n"
                "  vitrail libresoc run --dump 0x13000,64 --format float sum\n"
                "  vitrail libresoc run --cycles --param units32=16 --timeline sum.png sum\n",
    .options = {{rows},
                {tool_libresoc_rows, AT(program)},
                {tool_mem_rows, AT(mem)},
                {tool_compiler_rows, AT(device)}},
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
    fprintf(stderr, "%8" PRIu64 "  0x%08" PRIx64 "%-4s %s\n", state->executed, state->pc, place, text);
    (void)insn;
}

enum { MOST = 5 }; /* places that are listed */

/* Where the interpreter did most, from the most on. */
static void print_interpreted(const struct libresoc_process *process)
{
    const struct libresoc_process_code *code = process->code;
    const struct simple_v_program *program = process->program;
    uint32_t most[MOST + 1] = {0}, found = 0;
    for (uint32_t at = 0; at < code->count; at++) {
        uint32_t n = found;
        if (!code->steps[at])
            continue;
        for (; n && code->steps[most[n - 1]] < code->steps[at]; n--)
            most[n] = most[n - 1];
        most[n] = at;
        found = found < MOST ? found + 1 : MOST;
    }
    for (uint32_t n = 0; n < found; n++) {
        char text[SIMPLE_V_TEXT_MAX];
        simple_v_disasm(program->code, program->count, most[n], text);
        fprintf(stderr, "%12" PRIu32 "  0x%08" PRIx64 " %.*s\n", code->steps[most[n]],
                program->address + 2 * (uint64_t)most[n], (int)strcspn(text, "\n"), text);
    }
}

static void print_stats(const struct libresoc_process *process, double seconds)
{
    const struct libresoc_process_code *code = process->code;
    struct jit_stats jit;
    fprintf(stderr, "%" PRIu64 " instructions, %.3f ms, %.1f million instructions a second\n",
            process->state.executed, seconds * 1e3, (double)process->state.executed / seconds / 1e6);
    if (!code)
        return;
    jit_engine_stats(code->engine, &jit);
    fprintf(stderr, "%" PRIu32 " parts compiled in %.3f ms; %" PRIu64 " instructions interpreted%s\n",
            code->part_count, (double)jit.compile_ns / 1e6, code->interpreted,
            code->interpreted ? ", most of them at:" : "");
    print_interpreted(process);
}

/* Slow without need: what is worth a word whoever asks. */
static void say_refused(const struct libresoc_process *process)
{
    if (process->code && process->code->refused.code)
        tool_error(NAME, TOOL_OK, "a part is interpreted, as it cannot be compiled: %s",
                   process->code->refused.text);
}

/* ---- a core's cycles ---- */

struct looker {
    struct options *options;
    struct libresoc_cycles cycles;
    struct libresoc_operations operations;
    struct tool_progress progress;
};

static void look(void *data, const struct libresoc_op *op, const struct libresoc_origin *origin)
{
    enum { STEP = 4096 };
    struct looker *l = data;
    if (op->instruction % STEP == 0)
        tool_progress_step(&l->progress, op->instruction);
    const struct libresoc_when when = libresoc_cycles_take(&l->cycles, op, origin);
    tool_libresoc_timeline_note(&l->options->timeline, op, origin, &when, &l->options->core);
}

static int write_timeline(const struct options *o, const struct simple_v_program *program)
{
    const char *slash = strrchr(o->program.path, '/');
    struct util_image image = {0};
    int err = tool_libresoc_timeline_draw(&o->timeline, program, slash ? slash + 1 : o->program.path, &image);
    if (err == -ENOENT)
        return tool_error(NAME, TOOL_USAGE, "--timeline: no instruction %" PRIu64 " was executed",
                          o->timeline.from);
    if (!err)
        err = util_image_write_png(&image, o->timeline.path, 0);
    util_image_finish(&image);
    return err ? tool_error(NAME, TOOL_HOST, "%s: %s", o->timeline.path, strerror(-err)) : TOOL_OK;
}

/* What was seen, when the program has ended. */
static int show(struct looker *l, const struct libresoc_process *process)
{
    const struct options *o = l->options;
    int code = TOOL_OK;
    libresoc_operations_end(&l->operations);
    libresoc_cycles_end(&l->cycles);
    if (o->cycles && tool_libresoc_print_cycles(stdout, &l->cycles, o->json))
        code = tool_error(NAME, TOOL_HOST, "out of memory");
    if (o->timeline.path && !code)
        code = write_timeline(o, process->program);
    return code;
}

/* ---- running ---- */

/* What the command line asks for, at the end; the status is that of the first that fails. */
static int finish(const struct options *o, const struct libresoc_process *process, struct looker *looker,
                  double seconds)
{
    int code = tool_mem_dump(NAME, &o->mem, &process->pages.memory);
    if (!code && looker)
        code = show(looker, process);
    fflush(stdout);
    say_refused(process);
    if (o->stats)
        print_stats(process, seconds);
    return code;
}

static int run(const struct options *o, struct libresoc_process *process, struct looker *looker)
{
    const struct libresoc_watch watch = {.trace = o->trace ? trace : NULL,
                                         .trace_data = process->program,
                                         .elements = looker ? &looker->operations.watch : NULL};
    struct gpu_fault fault;
    int code = tool_mem_put(NAME, &o->mem, &process->pages.memory, tool_libresoc_place, process);
    if (code)
        return code;
    const double begin = tool_seconds();
    const bool ended = libresoc_process_run(process, &watch, &fault);
    if (looker)
        tool_progress_end(&looker->progress);
    const double seconds = tool_seconds() - begin;
    if (!ended)
        tool_print_fault(&fault);
    code = finish(o, process, looker, seconds);
    return code ? code : ended ? process->status : TOOL_FAULT;
}

static int run_and_look(struct options *o, struct libresoc_process *process)
{
    struct looker looker = {.options = o};
    if (!o->cycles && !o->timeline.path)
        return run(o, process, NULL);
    const int err = libresoc_cycles_init(&looker.cycles, &o->core, process->program);
    if (err)
        return tool_error(NAME, TOOL_HOST, "cannot make the scoreboard: %s", strerror(-err));
    libresoc_operations_begin(&looker.operations, look, &looker);
    tool_progress_begin(&looker.progress, "instructions", TOOL_PROGRESS_OPEN);
    const int code = run(o, process, &looker);
    libresoc_cycles_finish(&looker.cycles);
    free(o->timeline.rows.at);
    return code;
}

static int enter_sandbox(struct options *o)
{
    struct tool_sandbox sandbox = {.name = NAME, .off = o->program.no_sandbox, .device = &o->device};
    tool_sandbox_reads(&sandbox, o->program.path);
    tool_sandbox_writes(&sandbox, o->timeline.path);
    tool_mem_grant(&o->mem, &sandbox);
    return tool_sandbox_enter(&sandbox);
}

/* Who looks on looks at the interpreter. */
static void choose_interpreter(struct options *o)
{
    o->device.interpreter |= o->trace || o->cycles || o->timeline.path;
}

int tool_libresoc_run(int argc, char **argv)
{
    struct options o = {.program = TOOL_LIBRESOC_USUAL,
                        .mem = TOOL_MEM_USUAL,
                        .device = TOOL_USUAL_DEVICE,
                        .timeline = {.count = 32},
                        .core = libresoc_core_default()};
    struct libresoc_process *process = NULL;
    struct tool_libresoc_file file = {0};
    int code = tool_libresoc_parse(&tool_command_libresoc_run, argc, argv, &o, &o.program);
    if (!code && o.json && !o.cycles)
        code = tool_error(NAME, TOOL_USAGE, "--json is of --cycles, which is not given");
    if (!code)
        choose_interpreter(&o);
    if (!code)
        code = enter_sandbox(&o);
    if (!code)
        code = tool_libresoc_read(NAME, &o.program, &file);
    if (!code)
        code = tool_engine_open(NAME, &o.device, true, &o.program.engine);
    if (!code)
        code = tool_libresoc_load(NAME, &o.program, &file, tool_libresoc_write, &process);
    free(file.bytes);
    if (!code)
        code = run_and_look(&o, process);
    libresoc_process_destroy(process);
    jit_engine_destroy(o.program.engine);
    return code < 0 ? TOOL_OK : code;
}
