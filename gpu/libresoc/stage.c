/* Launches: registers, what the program reaches, how it ends. `execute` is the one place that knows how programs are run. */
#include "gpu/libresoc/stage_code.h"

#include <errno.h>
#include <string.h>

#include <xxhash.h>

#include "gpu/host.h"
#include "isa/sets.h"
#include "isa/simple_v/asm.h"
#include "util/bits.h"
#include "util/checked.h"

/* ---- programs ---- */

static int decode(const void *words, uint32_t count, struct gpu_program_decoded *out,
                  struct util_error *error)
{
    struct simple_v_program *program;
    const int status = simple_v_program_create(words, count, 0, &program, error);
    if (!status)
        *out = (struct gpu_program_decoded){program, count, count};
    return status;
}

static void destroy(void *program)
{
    simple_v_program_destroy(program);
}

const struct gpu_program_kind libresoc_program_kind = {.word_bytes = 2,
                                                       .most_words = LIBRESOC_PROGRAM_MOST,
                                                       .first_words = LIBRESOC_PROGRAM_MOST,
                                                       .exact = true,
                                                       .many = 1u << 19,
                                                       .most = 1u << 20,
                                                       .decode = decode,
                                                       .destroy = destroy};

/* Spans do not share bytes. */
static void find_readable(const struct libresoc_written *written, uint64_t size,
                          struct libresoc_readable *out)
{
    uint64_t at = 0;
    for (unsigned n = 0; n < LIBRESOC_READABLE; n++) {
        uint64_t from = UINT64_MAX, to = UINT64_MAX; /* the next span */
        for (unsigned k = 0; k < LIBRESOC_WRITTEN; k++)
            if (written->span[k].from < written->span[k].to && written->span[k].from >= at &&
                written->span[k].from < from) {
                from = written->span[k].from;
                to = written->span[k].to;
            }
        out->from[n] = at < size ? at : UINT64_MAX;
        out->to[n] = at < size ? UTIL_MIN(from, size) : UINT64_MAX;
        at = to;
    }
}

bool libresoc_stage_take(struct gpu_programs *programs, struct jit_engine *engine,
                         const struct libresoc_program_record *record, struct libresoc_stage *out,
                         struct gpu_fault *fault)
{
    const char *unit = libresoc_stage_name(out->kind);
    const uint64_t address = record->address;
    struct util_error error = {0};
    if (record->bytes > LIBRESOC_PROGRAM_MOST * 2 || record->bytes & 1 || address & 1 || record->entry & 1 ||
        record->entry >= record->bytes)
        return gpu_fault_set(fault, GPU_FAULT_PACKET, unit, address,
                             "a program of %u bytes that begins at byte %u of them", record->bytes,
                             record->entry);
    const uint8_t *at = gpu_memory_at(out->memory, address, record->bytes);
    if (!at || libresoc_is_written(out->written, address, record->bytes))
        return gpu_fault_set(fault, GPU_FAULT_MEMORY, unit, address,
                             "the program is outside memory, or where the frame writes");
    struct gpu_program *program;
    const int status = gpu_programs_get(programs, at, record->bytes, &program, &error);
    if (status)
        return gpu_fault_set(fault, GPU_FAULT_SHADER, unit, address, "%s",
                             status == -ENOMEM ? "no host memory" : error.text);
    find_readable(out->written, out->memory->size, &out->readable);
    out->cached = program;
    out->code = engine ? libresoc_stage_code(program, address, record->entry, engine) : NULL;
    out->program = *(const struct simple_v_program *)program->program;
    out->program.address = address;
    out->entry = address + record->entry;
    out->uniforms = record->uniforms;
    return true;
}

struct gpu_observed_program libresoc_stage_observed(const struct libresoc_stage *stage)
{
    const struct gpu_program *p = stage->cached;
    return (struct gpu_observed_program){.set = isa_set_find("simple-v"),
                                         .words = p->words,
                                         .stride = SIMPLE_V_WORD_BYTES,
                                         .word_count = p->insns,
                                         .insn_count = p->insns,
                                         .hash = XXH3_64bits(p->words, p->bytes),
                                         .address = (uint32_t)stage->program.address,
                                         .branches = true};
}

/* ---- what it reaches ---- */

bool libresoc_is_written(const struct libresoc_written *written, uint64_t address, uint64_t size)
{
    for (unsigned n = 0; n < LIBRESOC_WRITTEN; n++)
        if (address < written->span[n].to && written->span[n].from < address + size)
            return true;
    return false;
}

struct world {
    const struct libresoc_stage *stage;
    const struct libresoc_launch *launch;
};

/* The launch's own memory at an address, or NULL. */
static uint8_t *own(const struct libresoc_launch *launch, uint64_t address, unsigned bytes, bool write)
{
    struct libresoc_local *local = launch->local;
    if (address >= LIBRESOC_OUT_AT)
        return util_in_range(address - LIBRESOC_OUT_AT, bytes, launch->out_bytes)
                   ? (uint8_t *)local->out + (address - LIBRESOC_OUT_AT)
                   : NULL;
    if (address >= LIBRESOC_IN_AT)
        return !write && util_in_range(address - LIBRESOC_IN_AT, bytes, launch->in_bytes)
                   ? (uint8_t *)local->in + (address - LIBRESOC_IN_AT)
                   : NULL;
    return address >= LIBRESOC_STACK_AT && util_in_range(address - LIBRESOC_STACK_AT, bytes, LIBRESOC_STACK)
               ? local->stack + (address - LIBRESOC_STACK_AT)
               : NULL;
}

static bool load(void *ctx, uint64_t address, unsigned bytes, uint64_t *out)
{
    const struct world *world = ctx;
    const uint8_t *at = own(world->launch, address, bytes, false);
    if (!at && !libresoc_is_written(world->stage->written, address, bytes))
        at = gpu_memory_at(world->stage->memory, address, bytes);
    if (!at)
        return false;
    *out = 0;
    memcpy(out, at, bytes);
    return true;
}

static bool store(void *ctx, uint64_t address, unsigned bytes, uint64_t value)
{
    const struct world *world = ctx;
    uint8_t *at = own(world->launch, address, bytes, true);
    if (!at)
        return false;
    memcpy(at, &value, bytes);
    return true;
}

/* ---- a launch ---- */

static void begin(const struct libresoc_stage *stage, const struct libresoc_launch *launch,
                  struct simple_v_state *state)
{
    const struct {
        uint8_t reg;
        uint64_t value;
    } registers[] = {
        {1, LIBRESOC_EXIT},    {2, LIBRESOC_STACK_AT + LIBRESOC_STACK},
        {4, launch->number},   {9, launch->mask},
        {12, launch->lanes},   {13, LIBRESOC_IN_AT},
        {14, LIBRESOC_OUT_AT}, {15, stage->uniforms},
        {16, launch->place},   {17, launch->flags},
    };
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(registers); n++)
        simple_v_set_x(state, registers[n].reg, registers[n].value);
    memset(launch->local->stack, 0, sizeof launch->local->stack);
}

static void reach(const struct libresoc_stage *stage, const struct libresoc_launch *launch,
                  struct libresoc_thread *out)
{
    struct libresoc_local *local = launch->local;
    const struct gpu_memory *memory = stage->memory;
    out->reach[LIBRESOC_OWN_STACK] =
        (struct libresoc_reach){LIBRESOC_STACK_AT, LIBRESOC_STACK, (uintptr_t)local->stack};
    out->reach[LIBRESOC_OWN_IN] =
        (struct libresoc_reach){LIBRESOC_IN_AT, launch->in_bytes, (uintptr_t)local->in};
    out->reach[LIBRESOC_OWN_OUT] =
        (struct libresoc_reach){LIBRESOC_OUT_AT, launch->out_bytes, (uintptr_t)local->out};
    out->reach[LIBRESOC_GUEST] = (struct libresoc_reach){0, memory->size, (uintptr_t)memory->base};
    out->readable = stage->readable;
}

/* Fuel that a launch takes before it is asked whether the job was cancelled: milliseconds of an interpreter's. */
#define SLICE 65536u

/* From the thread's PC on, with the thread's fuel, until the program ends or that is used up. What it took. */
static uint64_t execute_slice(const struct libresoc_stage *stage, const struct libresoc_launch *launch,
                              struct libresoc_thread *thread)
{
    struct simple_v_thread *t = &thread->thread;
    const uint64_t had = t->fuel;
    if (!stage->code || launch->trace) {
        simple_v_thread_run(t);
        return had - t->fuel;
    }
    t->report = (struct simple_v_report){.name = ""};
    ((libresoc_stage_fn)jit_function_code(stage->code))(thread);
    return had - t->fuel;
}

/* Slices end alike however they are executed; so do launches, unless they are cancelled. False: that was it. */
static bool execute(const struct libresoc_stage *stage, struct libresoc_launch *launch,
                    struct libresoc_thread *thread)
{
    struct simple_v_thread *t = &thread->thread;
    uint64_t fuel = t->run.fuel;
    bool more;
    if (stage->code)
        reach(stage, launch, thread);
    do {
        t->fuel = UTIL_MIN(fuel, SLICE);
        const uint64_t burnt = execute_slice(stage, launch, thread);
        launch->burnt += burnt;
        fuel -= burnt;
        more = t->report.fault == SIMPLE_V_FAULT_FUEL && fuel;
        if (more && stage->host && gpu_host_cancelled(stage->host))
            return false;
    } while (more);
    if (stage->code)
        jit_function_ran(stage->code, t->state.executed);
    return true;
}

static bool fail(const struct libresoc_stage *stage, const struct simple_v_state *state,
                 const struct simple_v_report *report, struct gpu_fault *fault)
{
    const struct isa_fault_row *row = &simple_v_faults[report->fault];
    const bool access = report->fault == SIMPLE_V_FAULT_LOAD || report->fault == SIMPLE_V_FAULT_STORE ||
                        report->fault == SIMPLE_V_FAULT_MISALIGNED || report->fault == SIMPLE_V_FAULT_FETCH;
    /* Which instruction had no fuel left says nothing. */
    const char *name = report->name && report->fault != SIMPLE_V_FAULT_FUEL ? report->name : "";
    gpu_fault_set(fault, gpu_fault_kind_of(row->class), libresoc_stage_name(stage->kind),
                  access ? report->address : report->pc, "%s%s%s%s%s", name, *name ? ": " : "", row->text,
                  report->why.code ? ": " : "", report->why.text);
    fault->pc = (uint32_t)((report->pc - stage->program.address) / 2) + report->at;
    fault->lane = report->fault == SIMPLE_V_FAULT_LOAD ? state->srcoffs : state->destoffs;
    fault->write = report->fault == SIMPLE_V_FAULT_STORE;
    return false;
}

bool libresoc_stage_run(const struct libresoc_stage *stage, struct libresoc_launch *launch,
                        struct gpu_fault *fault)
{
    struct world world = {stage, launch};
    const struct simple_v_ports ports = {.ctx = &world, .load = load, .store = store};
    const struct simple_v_run run = {.program = &stage->program,
                                     .ports = &ports,
                                     .stop = LIBRESOC_EXIT,
                                     .fuel = UTIL_MIN(stage->fuel, launch->fuel),
                                     .trace = launch->trace,
                                     .trace_data = launch->trace_data,
                                     .watch = launch->watch};
    struct libresoc_thread thread;
    const struct simple_v_report *report = &thread.thread.report;
    simple_v_thread_start(&thread.thread, &run, stage->entry);
    begin(stage, launch, &thread.thread.state);
    launch->burnt = 0;
    const bool ended = execute(stage, launch, &thread);
    launch->executed = thread.thread.state.executed;
    launch->left = simple_v_x(&thread.thread.state, 9);
    if (!ended)
        return gpu_fault_set(fault, GPU_FAULT_TIMEOUT, libresoc_stage_name(stage->kind), stage->entry,
                             "cancelled");
    return !report->fault || fail(stage, &thread.thread.state, report, fault);
}
