/* The scheduler of user programs: requests, QPUs, rounds, and what happens between rounds. */
#include "gpu/vc4/user.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/device_internal.h"
#include "gpu/vc4/user_ir.h"
#include "gpu/vc4/user_sched.h"
#include "util/bits.h"

/* SRQCS (Guide table 68). */
#define CS_COMPLETED_AT    16
#define CS_REQUESTS_AT     8
#define CS_COMPLETED_RESET (1u << CS_COMPLETED_AT)
#define CS_REQUESTS_RESET  (1u << CS_REQUESTS_AT)
#define CS_ERROR           (1u << 7)
#define CS_CLEAR           (1u << 0)

#define ROUND_WORTH_WAKING 20000u /* instructions */
#define UNLIMITED_WORDS    1023u  /* SRQUL: "a length > 1023 implies an unlimited uniforms stream" */

int vc4_user_create(struct vc4_device *device)
{
    device->user = calloc(1, sizeof *device->user);
    if (!device->user)
        return -ENOMEM;
    device->user->mutex = VC4_USER_FREE;
    return 0;
}

void vc4_user_destroy(struct vc4_device *device)
{
    if (!device->user)
        return;
    for (uint32_t i = 0; i < VC4_USER_QPUS; i++)
        free(device->user->qpu[i]);
    for (uint32_t i = 0; i < VC4_USER_QPUS; i++)
        free(device->user->spare[i]);
    free(device->user);
    device->user = NULL;
}

/* ---- requests and QPUs ---- */

/* B[0] of a QPU's four bits: "Do not use for User Programs" (table 62). */
static bool is_reserved(const struct vc4_device *device, uint32_t qpu)
{
    uint32_t word = device->regs[(qpu < 8 ? VC4_SQRSV0 : VC4_SQRSV1) / 4];
    return word >> (qpu % 8 * 4) & 1;
}

static void program_fault(struct vc4_device *device, uint64_t job, struct gpu_fault *fault)
{
    gpu_host_fault_of(&device->host, job, fault);
}

/* What cannot be compiled is interpreted: same results, slower. */
static void compile(struct vc4_device *device, struct vc4_user_qpu *qpu)
{
    struct jit_engine *engine = device->options.engine;
    struct util_error error = {0};
    if (engine && vc4_user_compile(qpu->program, device->options.numeric, engine, &qpu->run, &error))
        qpu->run = NULL;
}

/* Puts a program on a free QPU. A program that cannot be taken is dropped with a fault. */
static void place(struct vc4_device *device, uint32_t number, const struct vc4_user_request *request)
{
    struct vc4_user *user = device->user;
    struct gpu_fault fault;
    const struct vc4_qpu_program *program =
        vc4_programs_get(device->programs, device->memory, request->code, NULL, &fault);
    if (!program) {
        program_fault(device, request->job, &fault);
        return;
    }
    struct vc4_user_qpu *qpu = user->spare[number];
    if (!qpu)
        qpu = aligned_alloc(64, util_align(sizeof *qpu, 64));
    user->spare[number] = qpu;
    if (!qpu) {
        gpu_fault_set(&fault, GPU_FAULT_SHADER, "user program", request->code, "no host memory for a QPU");
        program_fault(device, request->job, &fault);
        return;
    }
    memset(qpu, 0, offsetof(struct vc4_user_qpu, stores.line));
    vc4_qpu_machine_begin(&qpu->machine, request->code, request->uniforms, number);
    qpu->machine.numeric = device->options.numeric;
    qpu->vpm.window = UTIL_MIN(device->regs[VC4_VPMBASE / 4] * 4, VC4_USER_VPM_ROWS);
    vc4_user_vpm_refresh(&qpu->vpm, &user->vpm, UINT64_MAX);
    qpu->memory = device->memory;
    qpu->program = program;
    qpu->calls = &vc4_user_calls;
    qpu->base = device->memory->base;
    qpu->last_word = (uint32_t)(device->memory->size - 4);
    compile(device, qpu);
    qpu->number = number;
    qpu->uniforms = qpu->next_uniform = request->uniforms;
    qpu->uniform_words = !request->uniforms                  ? 0
                         : request->length > UNLIMITED_WORDS ? UINT32_MAX
                                                             : request->length;
    qpu->job = request->job;
    qpu->fuel = device->user_fuel;
    user->qpu[number] = qpu;
    user->spare[number] = NULL;
    user->waiting_reported = false;
}

/* Requests in their order, each to the first QPU that is free. */
static void place_requests(struct vc4_device *device)
{
    struct vc4_user *user = device->user;
    for (uint32_t i = 0; i < VC4_USER_QPUS && user->queued; i++) {
        while (user->queued && !user->qpu[i] && !is_reserved(device, i)) {
            struct vc4_user_request request = user->queue[0];
            user->queued--;
            memmove(user->queue, user->queue + 1, user->queued * sizeof *user->queue);
            place(device, i, &request);
        }
    }
}

void vc4_user_request(struct vc4_device *device, uint32_t code)
{
    struct vc4_user *user = device->user;
    user->requests++;
    if (user->queued == VC4_USER_QUEUE && !user->error)
        vc4_user_flush(device, false);
    if (user->error || user->queued == VC4_USER_QUEUE) {
        user->error = true;
        return;
    }
    user->queue[user->queued++] = (struct vc4_user_request){
        .code = code,
        .uniforms = device->regs[VC4_SRQUA / 4],
        .length = device->regs[VC4_SRQUL / 4],
        .job = ++device->host.counters.jobs,
    };
    device->user_fresh = true;
    if (!user->running && !device->host.turns)
        place_requests(device);
    if (device->regs[VC4_DBQITE / 4])
        vc4_user_flush(device, false);
}

void vc4_user_transfer(struct vc4_device *device, struct gpu_state *state)
{
    gpu_state_u32(state, &device->user->completed, UINT32_MAX);
    gpu_state_u32(state, &device->user->requests, UINT32_MAX);
    gpu_state_bool(state, &device->user->error);
}

bool vc4_user_queue_is_full(const struct vc4_device *device)
{
    return device->user->queued == VC4_USER_QUEUE;
}

bool vc4_user_busy(const struct vc4_device *device)
{
    const struct vc4_user *user = device->user;
    bool busy = user->queued > 0;
    for (uint32_t i = 0; i < VC4_USER_QPUS; i++)
        busy |= user->qpu[i] != NULL;
    return busy;
}

uint32_t vc4_user_status(const struct vc4_device *device)
{
    const struct vc4_user *user = device->user;
    return (user->completed & 0xff) << CS_COMPLETED_AT | (user->requests & 0xff) << CS_REQUESTS_AT |
           (user->error ? CS_ERROR : 0) | user->queued;
}

uint32_t vc4_user_status_after(uint32_t status, uint32_t control)
{
    if (control & CS_COMPLETED_RESET)
        status &= ~(0xffu << CS_COMPLETED_AT);
    if (control & CS_REQUESTS_RESET)
        status &= ~(0xffu << CS_REQUESTS_AT);
    return control & CS_ERROR ? status & ~CS_ERROR : status;
}

void vc4_user_control(struct vc4_device *device, uint32_t value)
{
    struct vc4_user *user = device->user;
    if (value & CS_COMPLETED_RESET)
        user->completed = 0;
    if (value & CS_REQUESTS_RESET)
        user->requests = 0;
    if (value & CS_ERROR)
        user->error = false;
    if (value & CS_CLEAR)
        user->queued = 0;
}

/* ---- rounds ---- */

static bool waits(const struct vc4_user_qpu *qpu)
{
    return qpu->stop == VC4_QPU_STOP_GATE && !qpu->granted && vc4_user_needs(qpu);
}

struct round {
    struct vc4_user_qpu *qpu[VC4_USER_QPUS];
    uint32_t count;
};

static void run_one(void *data, uint32_t index, unsigned worker)
{
    vc4_user_qpu_run(((struct round *)data)->qpu[index]);
}

/* Waking workers takes as long as some thousand instructions; a round is expected to be like the last one.
 * What is chosen here has no influence on results. */
static void run_round(struct vc4_device *device, struct round *round)
{
    bool pays = device->user->last_round > ROUND_WORTH_WAKING;
    util_pool_run(pays ? device->options.pool : NULL, round->count, run_one, round);
}

static struct round begin_round(struct vc4_user *user)
{
    struct round round = {.count = 0};
    for (uint32_t i = 0; i < VC4_USER_QPUS; i++) {
        struct vc4_user_qpu *qpu = user->qpu[i];
        if (!qpu || waits(qpu))
            continue;
        vc4_user_vpm_refresh(&qpu->vpm, &user->vpm, qpu->stale_rows);
        qpu->stale_rows = 0;
        round.qpu[round.count++] = qpu;
    }
    for (uint32_t i = 0; i < round.count; i++)
        round.qpu[i]->alone = round.count == 1;
    return round;
}

/* What the round's programs wrote becomes everybody's, in the order of the QPUs. */
static void publish(struct vc4_device *device, const struct round *round)
{
    struct vc4_user *user = device->user;
    uint64_t executed = 0;
    user->last_round = 0;
    for (uint32_t i = 0; i < round->count; i++) {
        struct vc4_user_qpu *qpu = round->qpu[i];
        vc4_user_publish(qpu);
        uint64_t rows = vc4_user_vpm_publish(&user->vpm, &qpu->vpm);
        for (uint32_t k = 0; k < VC4_USER_QPUS; k++)
            if (user->qpu[k])
                user->qpu[k]->stale_rows |= rows;
        uint64_t more = qpu->machine.executed - qpu->counted;
        executed += more;
        qpu->fuel -= UTIL_MIN(qpu->fuel, more + qpu->work);
        user->last_round += more + qpu->work;
        qpu->work = 0;
        qpu->counted = qpu->machine.executed;
    }
    device->host.counters.instructions += executed;
}

static void end_program(struct vc4_device *device, struct vc4_user_qpu *qpu)
{
    struct gpu_fault fault;
    if (qpu->stop == VC4_QPU_STOP_END) {
        device->user->completed++;
    } else {
        vc4_user_qpu_fault(qpu, &fault);
        program_fault(device, qpu->job, &fault);
    }
    device->user->qpu[qpu->number] = NULL;
    device->user->spare[qpu->number] = qpu;
}

static void end_round(struct vc4_device *device, struct round *round)
{
    struct vc4_user *user = device->user;
    publish(device, round);
    for (uint32_t i = 0; i < round->count; i++) {
        struct vc4_user_qpu *qpu = round->qpu[i];
        if (!qpu->fuel && qpu->stop != VC4_QPU_STOP_END && qpu->stop != VC4_QPU_STOP_FAULT) {
            qpu->report = (struct vc4_qpu_report){.fault = VC4_QPU_FAULT_FUEL, .pc = qpu->machine.pc};
            qpu->stop = VC4_QPU_STOP_FAULT;
        }
        qpu->since = user->round;
        if (qpu->interrupts)
            vc4_raise_qpu(device, qpu->number);
        qpu->interrupts = 0;
        if (qpu->stop == VC4_QPU_STOP_END || qpu->stop == VC4_QPU_STOP_FAULT)
            end_program(device, qpu);
    }
    user->round++;
    vc4_user_resolve(device);
}

void vc4_user_flush(struct vc4_device *device, bool looks)
{
    struct vc4_user *user = device->user;
    if (!gpu_turns_may_work(&device->host)) {
        const bool works = device->host.working & 1u << VC4_UNIT_USER;
        device->user_due |= !works && vc4_user_busy(device) && !(looks && user->waiting_reported);
        return;
    }
    if (user->running || device->scheduling)
        return;
    device->user_due = device->user_fresh = false;
    if (!vc4_user_busy(device))
        return;
    user->running = true;
    vc4_leave(device, VC4_UNIT_USER);
    for (uint32_t i = 0; i < VC4_USER_QPUS; i++)
        if (user->qpu[i])
            user->qpu[i]->fuel = device->user_fuel;
    vc4_user_resolve(device);
    for (;;) {
        place_requests(device);
        struct round round = begin_round(user);
        if (!round.count)
            break;
        run_round(device, &round);
        end_round(device, &round);
    }
    gpu_turns_enter(&device->host, VC4_UNIT_USER);
    user->running = false;
    if (looks && !user->waiting_reported) {
        vc4_user_report_waiting(device);
        user->waiting_reported = true;
    }
}
