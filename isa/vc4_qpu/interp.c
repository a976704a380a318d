/* Runs a program instruction by instruction (Guide section 3; README.md's rules by number). */
#include "isa/vc4_qpu/interp.h"

#include <string.h>

#include "isa/vc4_qpu/interp_run.h"

/* ---- arithmetic ---- */

/* An ALU input of one lane, unpacked for the operation that reads it (rule 9). */
static uint32_t input(const struct vc4_qpu_interp *q, const struct vc4_qpu_step *step, unsigned mux,
                      unsigned lane, bool to_float)
{
    const struct vc4_qpu_insn *insn = step->insn;

    switch (mux) {
    case VC4_QPU_MUX_A:
        return insn->pm ? step->a[lane] : vc4_qpu_unpack(q->exact, insn->unpack, to_float, step->a[lane]);
    case VC4_QPU_MUX_B: return step->b[lane];
    case VC4_QPU_MUX_R4:
        return insn->pm ? vc4_qpu_unpack(q->exact, insn->unpack, to_float, q->state.r[4][lane])
                        : q->state.r[4][lane];
    default: return q->state.r[mux][lane];
    }
}

static unsigned rotation(const struct vc4_qpu_interp *q, const struct vc4_qpu_insn *insn)
{
    if (insn->sig != VC4_QPU_SIG_SMALL_IMM || insn->raddr_b < 48)
        return 0;
    return insn->raddr_b == 48 ? q->state.r[5][0] & 15 : insn->raddr_b - 48u;
}

/* The lane whose operand lane `lane` of a mul turned by `turn` takes: only r0..r3 turn through all lanes,
 * what comes from elsewhere turns within its quad (rule 10). */
static unsigned from_lane(unsigned mux, unsigned lane, unsigned turn)
{
    return mux <= VC4_QPU_MUX_R3 ? (lane - turn) % LANES : (lane & ~3u) | ((lane - turn) & 3);
}

static void compute(struct vc4_qpu_interp *q, struct vc4_qpu_step *step)
{
    const struct vc4_qpu_insn *insn = step->insn;
    bool add_float = vc4_qpu_add_reads_float(insn->op_add), mul_float = vc4_qpu_mul_reads_float(insn->op_mul);
    unsigned turn = rotation(q, insn);

    for (unsigned lane = 0; lane < LANES; lane++) {
        step->result[0][lane] =
            vc4_qpu_add_op(q->exact, insn->op_add, input(q, step, insn->add_a, lane, add_float),
                           input(q, step, insn->add_b, lane, add_float));
        step->result[1][lane] =
            vc4_qpu_mul_op(q->exact, insn->op_mul,
                           input(q, step, insn->mul_a, from_lane(insn->mul_a, lane, turn), mul_float),
                           input(q, step, insn->mul_b, from_lane(insn->mul_b, lane, turn), mul_float));
    }
}

/* Load immediates and links appear at the outputs of both units. */
static void set_results(struct vc4_qpu_step *step, unsigned lane, uint32_t value)
{
    struct vc4_qpu_result result = {.value = value};
    step->result[0][lane] = step->result[1][lane] = result;
}

static void load_immediate(struct vc4_qpu_step *step)
{
    const struct vc4_qpu_insn *insn = step->insn;

    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t low = insn->imm >> lane & 1, high = insn->imm >> (lane + 16) & 1;
        uint32_t value = insn->imm;
        if (insn->kind == VC4_QPU_LOAD_IMM_S2)
            value = low - 2 * high;
        else if (insn->kind == VC4_QPU_LOAD_IMM_U2)
            value = low + 2 * high;
        set_results(step, lane, value);
    }
}

static uint16_t condition(const struct vc4_qpu_state *state, unsigned cond)
{
    switch (cond) {
    case VC4_QPU_COND_NEVER: return 0;
    case VC4_QPU_COND_ALWAYS: return ALL_LANES;
    case VC4_QPU_COND_ZS: return state->z;
    case VC4_QPU_COND_ZC: return (uint16_t)~state->z;
    case VC4_QPU_COND_NS: return state->n;
    case VC4_QPU_COND_NC: return (uint16_t)~state->n;
    case VC4_QPU_COND_CS: return state->c;
    default: return (uint16_t)~state->c;
    }
}

/* Rule 7: from the add unit, or from the mul unit beside an add nop; where that write's condition holds. */
static void set_flags(struct vc4_qpu_interp *q, const struct vc4_qpu_step *step)
{
    const struct vc4_qpu_insn *insn = step->insn;
    bool mul = insn->kind == VC4_QPU_ALU && insn->op_add == VC4_QPU_A_NOP;

    for (unsigned lane = 0; lane < LANES; lane++) {
        const struct vc4_qpu_result *result = &step->result[mul][lane];
        uint16_t bit = (uint16_t)(1u << lane);
        if (!(step->lanes[mul] & bit))
            continue;
        q->state.z = (uint16_t)(vc4_qpu_flag_z(result) ? q->state.z | bit : q->state.z & ~bit);
        q->state.n = (uint16_t)(vc4_qpu_flag_n(result) ? q->state.n | bit : q->state.n & ~bit);
        q->state.c = (uint16_t)(result->c ? q->state.c | bit : q->state.c & ~bit);
    }
}

/* ---- branches ---- */

static bool branch_taken(const struct vc4_qpu_state *state, unsigned cond)
{
    const uint16_t by_number[4] = {state->z, state->n, state->c, ALL_LANES};
    uint16_t flags = by_number[cond >> 2];

    if (cond == VC4_QPU_BR_ALWAYS)
        return true;
    if (cond & 1)
        flags = (uint16_t)~flags;
    return cond & 2 ? flags != 0 : flags == ALL_LANES;
}

static enum vc4_qpu_fault branch(struct vc4_qpu_interp *q, struct vc4_qpu_step *step)
{
    const struct vc4_qpu_insn *insn = step->insn;
    bool in_delay_slot = (q->branch_pc != IDLE && q->pc - q->branch_pc <= 3) || q->end_in != IDLE;

    if (in_delay_slot || (insn->branch_cond > VC4_QPU_BR_ANY_CC && insn->branch_cond != VC4_QPU_BR_ALWAYS))
        return vc4_qpu_interp_fail(q, VC4_QPU_FAULT_RESERVED);
    q->branch_pc = q->pc;
    if (!branch_taken(&q->state, insn->branch_cond))
        return VC4_QPU_OK;
    uint32_t link = q->code + (q->pc + 4) * 8, target = insn->imm;
    target += insn->branch_rel ? link : 0;
    target += insn->branch_reg ? q->state.a[insn->branch_raddr][LANES - 1] : 0;
    target -= q->code;
    if (target % 8 || target / 8 >= q->program->insn_count) {
        q->report->address = target;
        return vc4_qpu_interp_fail(q, VC4_QPU_FAULT_PC);
    }
    q->branch_in = 3;
    q->target = target / 8;
    for (unsigned lane = 0; lane < LANES; lane++)
        set_results(step, lane, link);
    step->lanes[0] = step->lanes[1] = ALL_LANES;
    TRY(vc4_qpu_interp_write(q, step, 0));
    TRY(vc4_qpu_interp_write(q, step, 1));
    return VC4_QPU_OK;
}

/* ---- one instruction ---- */

/* What the instruction's bits alone tell, before anything is read. */
static bool reserved(const struct vc4_qpu_insn *insn)
{
    if (insn->pm && insn->pack && (insn->pack < 3 || insn->pack > 7))
        return true;
    if (insn->kind == VC4_QPU_LOAD_IMM32)
        return insn->unpack;
    if (insn->kind != VC4_QPU_ALU)
        return false;
    return vc4_qpu_add_op_reserved(insn->op_add) || !vc4_qpu_interp_readable(insn->raddr_a) ||
           (insn->sig != VC4_QPU_SIG_SMALL_IMM && !vc4_qpu_interp_readable(insn->raddr_b));
}

static enum vc4_qpu_fault execute(struct vc4_qpu_interp *q, const struct vc4_qpu_insn *insn)
{
    struct vc4_qpu_step step = {
        .insn = insn, .lanes = {condition(&q->state, insn->cond_add), condition(&q->state, insn->cond_mul)}};

    if (insn->kind == VC4_QPU_BRANCH)
        return branch(q, &step);
    if (reserved(insn))
        return vc4_qpu_interp_fail(q, VC4_QPU_FAULT_RESERVED);
    if (insn->kind == VC4_QPU_ALU) {
        TRY(vc4_qpu_interp_read(q, &step));
        compute(q, &step);
        TRY(vc4_qpu_interp_load(q, &step));
    } else {
        if (insn->kind == VC4_QPU_SEMAPHORE)
            PORT(semaphore, insn->imm >> 4 & 1, insn->imm & 15);
        load_immediate(&step);
    }
    if (step.has_varying)
        memcpy(q->state.r[5], step.varying_c, sizeof step.varying_c);
    TRY(vc4_qpu_interp_write(q, &step, 0));
    TRY(vc4_qpu_interp_write(q, &step, 1));
    if (step.has_loaded)
        memcpy(q->state.r[4], step.loaded, sizeof step.loaded);
    if (insn->sf)
        set_flags(q, &step);
    return VC4_QPU_OK;
}

/* Counts one delay slot; true when it was the last. */
static bool count_down(uint32_t *slots)
{
    if (*slots == IDLE)
        return false;
    *slots -= 1;
    if (*slots)
        return false;
    *slots = IDLE;
    return true;
}

enum progress { GOES_ON, YIELDS, IS_OVER };

/* A jump back is paid for when the program jumps, behind its delay slots. A slice that cannot pay yields. */
static enum progress pay(struct vc4_qpu_interp *q)
{
    uint32_t cost = q->branch_pc + 4 - q->target;

    if (q->target > q->branch_pc)
        return GOES_ON;
    if (q->fuel >= cost) {
        q->fuel -= cost;
        return GOES_ON;
    }
    q->fuel = 0;
    if (q->slices)
        return YIELDS;
    q->report->pc = q->branch_pc;
    vc4_qpu_interp_fail(q, VC4_QPU_FAULT_FUEL);
    return IS_OVER;
}

/* Moves on: past delay slots, over jumps, to the end. */
static enum progress advance(struct vc4_qpu_interp *q, const struct vc4_qpu_insn *insn)
{
    bool ends = insn->sig == VC4_QPU_SIG_PROGRAM_END || insn->sig == VC4_QPU_SIG_COLOR_LOAD_END;

    if (count_down(&q->end_in))
        return IS_OVER;
    if (ends && q->end_in == IDLE)
        q->end_in = 2;
    q->pc++;
    if (insn->kind != VC4_QPU_BRANCH && count_down(&q->branch_in)) {
        enum progress progress = pay(q);
        q->branch_pc = IDLE;
        q->pc = q->target;
        return progress;
    }
    return GOES_ON;
}

enum vc4_qpu_fault vc4_qpu_interp(const struct vc4_qpu_program *program, const struct vc4_qpu_start *start,
                                  const struct vc4_qpu_ports *ports, struct vc4_qpu_state *state,
                                  vc4_qpu_trace_fn trace, void *trace_data, struct vc4_qpu_report *report)
{
    struct vc4_qpu_interp q = {.program = program,
                               .ports = ports,
                               .report = report,
                               .qpu_number = start->qpu_number,
                               .uniforms = start->uniforms,
                               .fuel = start->fuel,
                               .branch_in = IDLE,
                               .end_in = IDLE,
                               .branch_pc = IDLE,
                               .exact = start->numeric == ISA_EXACT};
    const struct vc4_qpu_insn *insn;
    uint64_t executed = 0;

    memcpy(q.state.a[15], start->ra15, sizeof start->ra15);
    memcpy(q.state.b[15], start->rb15, sizeof start->rb15);
    do {
        *report = (struct vc4_qpu_report){.pc = q.pc, .executed = executed};
        if (q.pc >= program->insn_count) {
            vc4_qpu_interp_fail(&q, VC4_QPU_FAULT_PC);
            break;
        }
        insn = &program->insns[q.pc];
        if (trace)
            trace(trace_data, q.pc, insn, &q.state);
        if (execute(&q, insn)) {
            report->pc = q.pc;
            break;
        }
        report->executed = ++executed;
    } while (advance(&q, insn) == GOES_ON);
    if (state)
        *state = q.state;
    return report->fault;
}

static struct vc4_qpu_interp take_up(const struct vc4_qpu_program *program, const struct vc4_qpu_machine *m,
                                     const struct vc4_qpu_ports *ports, struct vc4_qpu_report *report)
{
    struct vc4_qpu_interp q = {.program = program,
                               .ports = ports,
                               .report = report,
                               .state = m->state,
                               .qpu_number = m->qpu_number,
                               .uniforms = m->uniforms,
                               .fuel = m->slice,
                               .varyings_read = m->varyings_read,
                               .pc = m->pc,
                               .branch_in = m->branch_in,
                               .target = m->target,
                               .end_in = m->end_in,
                               .branch_pc = m->branch_pc,
                               .code = m->code,
                               .slices = true,
                               .exact = m->numeric == ISA_EXACT};

    memcpy(q.request, m->request, sizeof q.request);
    memcpy(q.outstanding, m->outstanding, sizeof q.outstanding);
    return q;
}

static void put_down(const struct vc4_qpu_interp *q, struct vc4_qpu_machine *m)
{
    m->state = q->state;
    memcpy(m->request, q->request, sizeof m->request);
    memcpy(m->outstanding, q->outstanding, sizeof m->outstanding);
    m->uniforms = q->uniforms;
    m->slice = q->fuel;
    m->varyings_read = q->varyings_read;
    m->pc = q->pc;
    m->branch_in = q->branch_in;
    m->target = q->target;
    m->end_in = q->end_in;
    m->branch_pc = q->branch_pc;
}

enum vc4_qpu_stop vc4_qpu_interp_on(const struct vc4_qpu_program *program, struct vc4_qpu_machine *machine,
                                    const struct vc4_qpu_ports *ports, vc4_qpu_gate_fn gate, void *gate_data,
                                    vc4_qpu_trace_fn trace, void *trace_data, struct vc4_qpu_report *report)
{
    struct vc4_qpu_interp q = take_up(program, machine, ports, report);
    enum vc4_qpu_stop stop = VC4_QPU_STOP_FAULT;
    enum progress progress = GOES_ON;

    while (progress == GOES_ON) {
        *report = (struct vc4_qpu_report){.pc = q.pc, .executed = machine->executed};
        if (q.pc >= program->insn_count) {
            vc4_qpu_interp_fail(&q, VC4_QPU_FAULT_PC);
            break;
        }
        const struct vc4_qpu_insn *insn = &program->insns[q.pc];
        if (gate && gate(gate_data, q.pc, insn)) {
            stop = VC4_QPU_STOP_GATE;
            break;
        }
        if (trace)
            trace(trace_data, q.pc, insn, &q.state);
        if (execute(&q, insn)) {
            report->pc = q.pc;
            break;
        }
        machine->executed++;
        progress = advance(&q, insn);
    }
    if (progress != GOES_ON)
        stop = progress == YIELDS ? VC4_QPU_STOP_YIELD : VC4_QPU_STOP_END;
    put_down(&q, machine);
    return stop;
}
