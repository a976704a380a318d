/* A Linux program of RV64GC with Simple-V: an ELF file, loaded and run beside a core's scoreboard.
 *
 * Input: bits of the core (1 byte: 0 hazards by whole registers, 1 batches, 2 in order, 3 few units, 4 few names), then the file. */
#include <stdlib.h>

#include "gpu/libresoc/cycles.h"
#include "gpu/libresoc/process.h"

enum { MEMORY = 1 << 20, FUEL = 500 };

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

static void run(struct libresoc_process *process, uint8_t flags)
{
    const struct libresoc_core core = core_of(flags);
    struct libresoc_operations operations;
    struct libresoc_cycles cycles;
    struct gpu_fault fault;
    char text[512];
    if (libresoc_cycles_init(&cycles, &core, process->program))
        return;
    libresoc_operations_begin(&operations, take, &cycles);
    const struct libresoc_watch watch = {.elements = &operations.watch};
    if (!libresoc_process_run(process, &watch, &fault) && !gpu_fault_format(&fault, text, sizeof text))
        abort();
    libresoc_operations_end(&operations);
    libresoc_cycles_end(&cycles);
    libresoc_cycles_finish(&cycles);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const arguments[] = {"program", "x"};
    uint64_t sum = 0;
    const struct libresoc_process_options options = {
        .memory = MEMORY, .fuel = FUEL, .argument = arguments, .arguments = 2, .write = sum_up, .data = &sum};
    struct libresoc_process *process;
    struct util_error error = {0};
    if (!size)
        return 0;
    if (!libresoc_process_create(bytes + 1, size - 1, &options, &process, &error))
        run(process, bytes[0]);
    else if (!error.code && size > 1)
        abort(); /* refused without a word */
    libresoc_process_destroy(process);
    return 0;
}
