/* A Linux program of RV64GC with Simple-V: an ELF file, loaded and run beside a core's scoreboard; and compiled, which has to come
 * to the same.
 *
 * Input: bits of the core (1 byte: 0 hazards by whole registers, 1 batches, 2 in order, 3 few units, 4 few names), of which 5 and 6
 * say that it is compiled where 7 is not set, then the file. */
#include <stdlib.h>
#include <string.h>

#include "gpu/libresoc/cycles.h"
#include "gpu/libresoc/process.h"
#include "tests/fuzz/engine.h"

enum { MEMORY = 1 << 20, FUEL = 2000, AFTER = 2 };
enum { COMPILED = 32 | 64, NOT_COMPILED = 128 }; /* one in eight, as in fuzz_program.c */

/* How a process ended. */
struct end {
    bool created, exits;
    int status;
    uint64_t sum, executed;
    char text[512];
};

static int sum_up(void *data, int descriptor, const void *bytes, uint64_t size)
{
    const uint8_t *at = bytes;
    for (uint64_t n = 0; n < size; n++)
        *(uint64_t *)data += at[n] * (unsigned)descriptor;
    return 0;
}

static void take(void *data, const struct libresoc_op *op, const struct libresoc_origin *origin)
{
    libresoc_cycles_take(data, op, origin);
}

static struct libresoc_core core_of(uint8_t flags)
{
    struct libresoc_core core = libresoc_core_default();
    core.whole = flags & 1;
    core.batch = flags & 2;
    core.in_order = flags & 4;
    if (flags & 8)
        core.units32 = core.units8 = 2;
    if (flags & 16)
        core.rows = LIBRESOC_MIN_ROWS;
    return core;
}

static void run(struct libresoc_process *process, const struct libresoc_watch *watch, struct end *end)
{
    struct gpu_fault fault;
    end->exits = libresoc_process_run(process, watch, &fault);
    end->status = process->status;
    end->executed = process->state.executed;
    if (!end->exits && !gpu_fault_format(&fault, end->text, sizeof end->text))
        abort();
}

static void run_watched(struct libresoc_process *process, uint8_t flags, struct end *end)
{
    const struct libresoc_core core = core_of(flags);
    struct libresoc_operations operations;
    struct libresoc_cycles cycles;
    if (libresoc_cycles_init(&cycles, &core, process->program))
        abort();
    libresoc_operations_begin(&operations, take, &cycles);
    const struct libresoc_watch watch = {.elements = &operations.watch};
    run(process, &watch, end);
    libresoc_operations_end(&operations);
    libresoc_cycles_end(&cycles);
    libresoc_cycles_finish(&cycles);
}

/* `engine` NULL: interpreted, and watched. */
static void execute(const uint8_t *bytes, size_t size, struct jit_engine *engine, struct end *end)
{
    static const char *const arguments[] = {"program", "x"};
    const struct libresoc_process_options options = {.memory = MEMORY,
                                                     .fuel = FUEL,
                                                     .argument = arguments,
                                                     .arguments = 2,
                                                     .write = sum_up,
                                                     .data = &end->sum,
                                                     .engine = engine,
                                                     .after = AFTER};
    struct libresoc_process *process;
    struct util_error error = {0};
    memset(end, 0, sizeof *end);
    end->created = !libresoc_process_create(bytes + 1, size - 1, &options, &process, &error);
    if (!end->created && !error.code && size > 1)
        abort(); /* refused without a word */
    if (end->created && engine)
        run(process, NULL, end);
    else if (end->created)
        run_watched(process, bytes[0], end);
    libresoc_process_destroy(process);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct end expected, got;
    if (!size)
        return 0;
    execute(bytes, size, NULL, &expected);
    if (!expected.created || (bytes[0] & (COMPILED | NOT_COMPILED)) != COMPILED)
        return 0;
    execute(bytes, size, fuzz_engine(), &got);
    if (memcmp(&expected, &got, sizeof got) != 0)
        abort();
    return 0;
}
