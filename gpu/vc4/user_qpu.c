/* Running a user program on its QPU. */
#include <string.h>

#include "gpu/vc4/device_internal.h"
#include "gpu/vc4/user_internal.h"
#include "isa/vc4_qpu/interp.h"
#include "util/bits.h"

/* ---- the interpreter's ports ----
 * The report that the interpreter fills is the QPU's own: what a call notes there stays. */

static enum vc4_qpu_fault port_uniform(void *ctx, uint32_t address, uint32_t *value,
                                       struct vc4_qpu_report *report)
{
    return vc4_user_calls.uniform(ctx, address, value);
}

static enum vc4_qpu_fault port_tmu_request(void *ctx, unsigned unit, const uint32_t *s, const uint32_t *t,
                                           const uint32_t *r, const uint32_t *b, const uint32_t *params,
                                           unsigned param_count, struct vc4_qpu_report *report)
{
    const uint32_t *const coordinate[4] = {s, t, r, b};
    struct vc4_qpu_request request = {.param_count = param_count};
    if (!param_count)
        return vc4_user_lookup(ctx, unit, s);
    for (unsigned i = 0; i < 4; i++) {
        request.has[i] = coordinate[i];
        if (coordinate[i])
            memcpy(request.coordinate[i], coordinate[i], sizeof request.coordinate[i]);
    }
    memcpy(request.params, params, param_count * sizeof *params);
    return vc4_user_sample(ctx, unit, &request);
}

static enum vc4_qpu_fault port_tmu_load(void *ctx, unsigned unit, uint32_t out[16],
                                        struct vc4_qpu_report *report)
{
    vc4_user_take_result(ctx, unit, out);
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault port_read_setup(void *ctx, uint32_t value, struct vc4_qpu_report *report)
{
    return vc4_user_calls.read_setup(ctx, value);
}

static enum vc4_qpu_fault port_write_setup(void *ctx, uint32_t value, struct vc4_qpu_report *report)
{
    return vc4_user_calls.write_setup(ctx, value);
}

static enum vc4_qpu_fault port_vpm_read(void *ctx, uint32_t out[16], struct vc4_qpu_report *report)
{
    return vc4_user_calls.vpm_read(ctx, out);
}

static enum vc4_qpu_fault port_vpm_write(void *ctx, const uint32_t value[16], uint16_t lanes,
                                         struct vc4_qpu_report *report)
{
    return vc4_user_calls.vpm_write(ctx, value, lanes);
}

static enum vc4_qpu_fault port_dma_address(void *ctx, bool store, uint32_t value,
                                           struct vc4_qpu_report *report)
{
    return vc4_user_calls.dma(ctx, store, value);
}

static enum vc4_qpu_fault port_dma_status(void *ctx, bool store, bool wait, uint32_t *value,
                                          struct vc4_qpu_report *report)
{
    *value = 0; /* a transfer is over when the instruction that starts it is */
    return VC4_QPU_OK;
}

/* ---- other programs, the host ---- */

static enum vc4_qpu_fault granted(const struct vc4_user_qpu *qpu, unsigned sync)
{
    return qpu->granted & sync ? VC4_QPU_OK : VC4_QPU_FAULT_UNSUPPORTED;
}

static enum vc4_qpu_fault port_mutex(void *ctx, bool acquire, struct vc4_qpu_report *report)
{
    return granted(ctx, acquire ? VC4_QPU_SYNC_TAKE : VC4_QPU_SYNC_GIVE);
}

static enum vc4_qpu_fault port_semaphore(void *ctx, bool decrement, unsigned number,
                                         struct vc4_qpu_report *report)
{
    return granted(ctx, decrement ? VC4_QPU_SYNC_DOWN : VC4_QPU_SYNC_UP);
}

static enum vc4_qpu_fault port_host_interrupt(void *ctx, struct vc4_qpu_report *report)
{
    ((struct vc4_user_qpu *)ctx)->interrupts = 1;
    return VC4_QPU_OK;
}

/* ---- running ---- */

struct gate {
    struct vc4_user_qpu *qpu;
    bool first; /* the instruction at which the run begins */
    bool enter; /* compiled code takes over where it can */
};

/* What was granted is for the instruction at which the program stopped. */
static bool gate(void *data, uint32_t pc, const struct vc4_qpu_insn *insn)
{
    struct gate *g = data;
    unsigned sync = vc4_qpu_sync_of(insn);
    bool first = g->first;
    if (!first)
        g->qpu->granted = 0;
    g->first = false;
    if (g->enter && !first && vc4_qpu_is_leader(g->qpu->program, pc))
        return true;
    return (sync & ~g->qpu->granted) || (vc4_user_is_full(g->qpu) && vc4_qpu_starts_dma(insn));
}

static enum vc4_qpu_stop interpret(struct vc4_user_qpu *qpu)
{
    const struct vc4_qpu_ports ports = {
        .ctx = qpu,
        .uniform = port_uniform,
        .tmu_request = port_tmu_request,
        .tmu_load = port_tmu_load,
        .vpm_read_setup = port_read_setup,
        .vpm_write_setup = port_write_setup,
        .vpm_read = port_vpm_read,
        .vpm_write = port_vpm_write,
        .dma_address = port_dma_address,
        .dma_status = port_dma_status,
        .mutex = port_mutex,
        .semaphore = port_semaphore,
        .host_interrupt = port_host_interrupt,
    };
    struct gate g = {qpu, true, qpu->run != NULL};
    return vc4_qpu_interp_on(qpu->program, &qpu->machine, &ports, gate, &g, NULL, NULL, &qpu->report);
}

/* Compiled code, and the interpreter where that does not know its way: at what is reserved, and in code that
 * only computed branches reach. */
static enum vc4_qpu_stop run_compiled(struct vc4_user_qpu *qpu, bool granted)
{
    for (;;) {
        enum vc4_qpu_stop stop = VC4_QPU_STOP_INTERPRET;
        if (vc4_qpu_can_enter(qpu->program, &qpu->machine, granted)) {
            uint32_t code = qpu->run(qpu, granted);
            stop = (enum vc4_qpu_stop)(code & 0xff);
            qpu->report.fault = (enum vc4_qpu_fault)(code >> 8);
            qpu->report.pc = qpu->machine.pc;
        }
        if (stop != VC4_QPU_STOP_INTERPRET)
            return stop;
        stop = interpret(qpu);
        granted = false;
        if (stop != VC4_QPU_STOP_GATE || vc4_qpu_sync_of(&qpu->program->insns[qpu->machine.pc]) ||
            !vc4_qpu_can_enter(qpu->program, &qpu->machine, false))
            return stop;
    }
}

void vc4_user_qpu_run(struct vc4_user_qpu *qpu)
{
    qpu->machine.slice = VC4_USER_SLICE;
    qpu->careful = qpu->uniform_words != UINT32_MAX;
    qpu->report = (struct vc4_qpu_report){0};
    qpu->stop = qpu->run ? run_compiled(qpu, qpu->stop == VC4_QPU_STOP_GATE) : interpret(qpu);
    qpu->granted = 0;
}

void vc4_user_qpu_fault(const struct vc4_user_qpu *qpu, struct gpu_fault *fault)
{
    /* Where these programs have more than the set's texts say. */
    static const char *const texts[VC4_QPU_FAULT_COUNT] = {
        [VC4_QPU_FAULT_FUEL] = "more instructions than a program's fuel allows",
        [VC4_QPU_FAULT_UNIFORM] = "uniform read outside memory, or past the stream's length (SRQUA, SRQUL)",
        [VC4_QPU_FAULT_MEMORY] = "memory lookup outside memory",
        [VC4_QPU_FAULT_UNSUPPORTED] = "an access that user programs do not have here (tile buffer, varyings)",
    };
    const struct vc4_qpu_report *r = &qpu->report;
    const struct isa_fault_row *row = &vc4_qpu_faults[r->fault];
    const char *text = texts[r->fault] ? texts[r->fault] : row->text;
    enum gpu_fault_kind what = gpu_fault_kind_of(row->class);
    if (qpu->fault.kind) {
        text = qpu->fault.text;
        what = qpu->fault.kind;
    }
    gpu_fault_set(fault, what, "user program", r->address ? r->address : qpu->machine.code + r->pc * 8,
                  "QPU %u: %s", qpu->number, text);
    fault->job = qpu->job;
    fault->pc = r->pc;
    fault->lane = r->lane;
}
