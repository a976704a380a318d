#include "tools/tool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/device.h"
#include "tools/mem.h"
#include "tools/program.h"
#include "util/bits.h"

/* `vitrail qpu run`: a general-purpose QPU program, started at the device's registers as a host starts it. */

#define MAX_ITEMS 64u
#define MAX_WORDS 1024u

struct uniforms {
    uint32_t count, words[MAX_WORDS];
    uint8_t kind[MAX_WORDS]; /* 0: a word, 'q': the start's number, 'n': how many starts there are */
};

struct start {
    uint64_t code, uniforms;
};

struct options {
    struct tool_device_options device;
    struct tool_mem mem;
    const char *program;
    uint64_t qpus, memory, fuel, times;
    struct start start[MAX_ITEMS];
    unsigned starts, lists;
    struct uniforms *list; /* MAX_ITEMS of them */
};

/* ---- options ---- */

static bool uniform_word(const char *text, uint32_t *word, uint8_t *kind)
{
    uint64_t number;
    char *end;
    *kind = 0;
    if (!strcmp(text, "qpu run") || !strcmp(text, "qpus")) {
        *kind = text[3] ? 'n' : 'q';
        return true;
    }
    bool negative = text[0] == '-';
    if (tool_number(text + negative, 0, UINT32_MAX, &number)) {
        *word = negative ? 0 - (uint32_t)number : (uint32_t)number;
        return !negative || number <= 1ull << 31;
    }
    *word = util_f2u(strtof(text, &end));
    return *text && !*end;
}

static int take_uniforms(void *options, const char *value)
{
    struct options *o = options;
    struct uniforms *u = &o->list[o->lists];
    char *copy = strdup(value), *next = copy;
    if (!copy)
        return tool_error("qpu run", TOOL_HOST, "out of memory");
    if (o->lists == MAX_ITEMS) {
        free(copy);
        return tool_error("qpu run", TOOL_USAGE, "at most %u lists of uniforms", MAX_ITEMS);
    }
    o->lists++;
    for (char *word = strsep(&next, ","); word; word = strsep(&next, ",")) {
        if (u->count == MAX_WORDS || !uniform_word(word, &u->words[u->count], &u->kind[u->count])) {
            int code = u->count == MAX_WORDS
                           ? tool_error("qpu run", TOOL_USAGE, "at most %u uniforms a list", MAX_WORDS)
                           : tool_error("qpu run", TOOL_USAGE,
                                        "'%s' is no uniform: a number, a float, qpu, qpus", word);
            free(copy);
            return code;
        }
        u->count++;
    }
    free(copy);
    return TOOL_OK;
}

static int too_many(const char *option)
{
    return tool_error("qpu run", TOOL_USAGE, "%s can be given %u times", option, MAX_ITEMS);
}

static int take_start(void *options, const char *value)
{
    struct options *o = options;
    struct start start;
    const char *rest;
    if (o->starts == MAX_ITEMS)
        return too_many("--start");
    if (!tool_mem_numbers(value, &start.code, &start.uniforms, &rest) || rest)
        return -1;
    o->start[o->starts++] = start;
    return TOOL_OK;
}

#define AT(member) offsetof(struct options, member)

static const struct tool_option rows[] = {
    {"qpus", "N", "start it N times (default 1); 12 run at once", .kind = TOOL_SIZE, .at = AT(qpus), .min = 1,
     .max = MAX_ITEMS},
    {"uniforms", "LIST",
     "its uniforms, with commas between: numbers, floats (1.5), `qpu` (0, 1, ...), `qpus` (N); given again: "
     "those of the next start, the last list being for all that remain",
     .kind = TOOL_OWN, .take = take_uniforms},
    {"start", "CODE,UNIFORMS",
     "starts what stands in memory at CODE, with the uniforms at UNIFORMS; may be given again; needs no "
     "PROGRAM",
     .kind = TOOL_OWN, .take = take_start, .takes = "CODE,UNIFORMS"},
    {"memory", "SIZE", "bytes of memory (default 16M; K, M, G); program and uniforms are put at its end",
     .kind = TOOL_SIZE, .at = AT(memory), .min = 4096, .max = 1ull << 32},
    {"fuel", "N", "instructions after which a program is stopped (default: 4 Gi)", .kind = TOOL_SIZE,
     .at = AT(fuel), .min = 1, .max = UINT64_MAX >> 1},
    {"times", "N", "does all of it N times over and prints the best time", .kind = TOOL_SIZE, .at = AT(times),
     .min = 1, .max = 1u << 20},
    {0},
};

const struct tool_command tool_command_qpu_run = {
    .name = "qpu run",
    .summary = "run a general-purpose QPU program",
    .operands = "[PROGRAM]",
    .text = "Runs a general-purpose QPU program on the device, through its scheduler's registers. PROGRAM "
            "is assembly text, hexadecimal words or binary words.",
    .examples = "  vitrail qpu run sum.s --uniforms 0x1000,0x2000,16 --mem 0x1000=in.bin \\\n"
                "      --dump 0x2000,64 --format float\n"
                "  vitrail qpu run tri.hex --qpus 12 --uniforms qpu,qpus,0x10000 --dump 0x10000,768\n"
                "  vitrail qpu run --mem 0=image.bin --start 0x1000,0x4000 --dump 0,0x8000=after.bin\n",
    .options = {{rows}, {tool_mem_rows, AT(mem)}, {tool_device_rows, AT(device)}},
    .takes = {"program", 0, 1},
    .main = tool_qpu_run,
};

static int parse(struct options *o, int argc, char **argv)
{
    struct tool_operands words;
    int code = tool_parse(&tool_command_qpu_run, argc, argv, o, &words);
    if (code)
        return code;
    o->program = words.count ? words.at[0] : NULL;
    if (!o->program && !o->starts)
        return tool_error("qpu run", TOOL_USAGE, "neither a program nor --start is given");
    return TOOL_OK;
}

/* ---- memory ---- */

/* Puts the program and the uniforms of each start at the end of memory. */
static int place_program(struct options *o, const struct gpu_memory *memory)
{
    uint64_t at = memory->size;
    uint8_t *words;
    size_t size;
    int code = tool_read_program("qpu run", isa_set_find("vc4-qpu"), o->program, &words, &size);
    if (code)
        return code;
    uint64_t need = util_align(size, 64) + o->qpus * MAX_WORDS * 4;
    uint8_t *to = need <= at ? gpu_memory_at(memory, at - need, need) : NULL;
    if (to)
        memcpy(to, words, size);
    free(words);
    if (!to)
        return tool_error("qpu run", TOOL_USAGE, "the program does not fit memory; --memory makes it larger");
    uint64_t program = at - need, lists = program + util_align(size, 64);
    if (o->starts + o->qpus > MAX_ITEMS)
        return tool_error("qpu run", TOOL_USAGE, "at most %u starts", MAX_ITEMS);
    for (uint32_t n = 0; n < o->qpus; n++) {
        const struct uniforms *u = &o->list[o->lists ? UTIL_MIN(n, o->lists - 1) : 0];
        uint64_t address = lists + n * MAX_WORDS * 4ull;
        for (uint32_t i = 0; i < u->count; i++) {
            uint32_t word = u->kind[i] == 'q' ? n : u->kind[i] == 'n' ? (uint32_t)o->qpus : u->words[i];
            util_store32(memory->base + address + i * 4ull, word);
        }
        o->start[o->starts++] = (struct start){program, address};
    }
    return TOOL_OK;
}

/* ---- running ---- */

#define SRQCS_ERROR (1u << 7)

/* As a host does: requests while the queue has room, then looking until all are done. Programs that fault or
 * wait for ever are not: that ends it too. */
static double run_all(const struct options *o, struct vc4_device *device, bool *faulted)
{
    double begin = tool_seconds();
    vc4_write(device, VC4_SRQCS, 1u << 16 | 1u << 8 | SRQCS_ERROR | 1u);
    for (unsigned i = 0; i < o->starts; i++) {
        vc4_write(device, VC4_SRQUA, (uint32_t)o->start[i].uniforms);
        vc4_write(device, VC4_SRQPC, (uint32_t)o->start[i].code);
    }
    uint32_t status = vc4_read(device, VC4_SRQCS);
    double seconds = tool_seconds() - begin;
    struct gpu_fault fault;
    while (gpu_host_faults(vc4_device_host(device), &fault, 1)) {
        tool_print_fault(&fault);
        *faulted = true;
    }
    if ((status >> 16 & 0xff) != o->starts && !*faulted) {
        tool_error("qpu run", 0, "%u of %u programs are done", status >> 16 & 0xff, o->starts);
        *faulted = true;
    }
    return seconds;
}

static int run(struct options *o, struct gpu_memory *memory, struct vc4_device *device)
{
    const struct gpu_counters *work = &vc4_device_host(device)->counters;
    uint64_t executed = 0; /* the last time */
    double best = 0;
    bool faulted = false;
    int code = TOOL_OK;
    if (o->program && (code = place_program(o, memory)))
        return code;
    vc4_write(device, VC4_VPMBASE, 16); /* the whole of the VPM that programs can address */
    vc4_write(device, VC4_SRQUL, 1024); /* no limit */
    for (uint64_t i = 0; i < o->times && !faulted && !code; i++) {
        code = tool_mem_put("qpu run", &o->mem, memory, NULL, NULL);
        if (code)
            break;
        executed = work->instructions;
        double seconds = run_all(o, device, &faulted);
        executed = work->instructions - executed;
        best = i && best < seconds ? best : seconds;
    }
    if (!code)
        code = tool_mem_dump("qpu run", &o->mem, memory);
    fflush(stdout);
    if (!code && !faulted) {
        fprintf(stderr,
                "%u program%s, %" PRIu64 " instructions, %.3f ms, %.1f million instructions a second\n",
                o->starts, o->starts == 1 ? "" : "s", executed, best * 1e3, (double)executed / best / 1e6);
    }
    return code ? code : faulted ? TOOL_FAULT : TOOL_OK;
}

static int open_and_run(struct options *o)
{
    struct util_pool *pool;
    struct jit_engine *engine;
    struct gpu_options device_options;
    struct gpu_memory memory = {.fd = -1};
    struct vc4_device *device = NULL;
    int code = tool_device_open("qpu run", &o->device, &pool, &engine, &device_options);
    if (code)
        return code;
    device_options.job_fuel = o->fuel;
    int status = gpu_memory_create(o->memory, &memory);
    if (!status)
        status = vc4_device_create(&memory, &device_options, &device);
    code = status ? tool_error("qpu run", TOOL_HOST, "cannot make the device: %s", strerror(-status))
                  : run(o, &memory, device);
    vc4_device_destroy(device);
    gpu_memory_destroy(&memory);
    jit_engine_destroy(engine);
    util_pool_destroy(pool);
    return code;
}

static int enter_sandbox(struct options *o)
{
    struct tool_sandbox sandbox = {.name = "qpu run", .off = o->device.no_sandbox, .device = &o->device};
    tool_sandbox_reads(&sandbox, o->program);
    tool_mem_grant(&o->mem, &sandbox);
    return tool_sandbox_enter(&sandbox);
}

int tool_qpu_run(int argc, char **argv)
{
    struct options o = {.device = TOOL_USUAL_DEVICE,
                        .mem = TOOL_MEM_USUAL,
                        .qpus = 1,
                        .memory = 16u << 20,
                        .times = 1,
                        .list = calloc(MAX_ITEMS, sizeof *o.list)};
    if (!o.list)
        return tool_error("qpu run", TOOL_HOST, "out of memory");
    int code = parse(&o, argc, argv);
    if (!code)
        code = enter_sandbox(&o);
    if (!code)
        code = open_and_run(&o);
    free(o.list);
    return code < 0 ? TOOL_OK : code;
}
