/* Control: instructions one after the other, VBLOCKs, where a program ends. */
#include "isa/simple_v/interp.h"

#include "isa/simple_v/interp_internal.h"
#include "util/bits.h"
#include "util/fpenv.h"

bool simple_v_machine_fault_at(struct simple_v_machine *m, enum simple_v_fault fault, uint64_t address)
{
    m->report->fault = fault;
    m->report->address = address;
    return false;
}

bool simple_v_machine_fault(struct simple_v_machine *m, enum simple_v_fault fault)
{
    return simple_v_machine_fault_at(m, fault, 0);
}

bool simple_v_machine_illegal(struct simple_v_machine *m, const char *why)
{
    util_fail(&m->report->why, -1, "%s", why);
    return simple_v_machine_fault(m, SIMPLE_V_FAULT_ILLEGAL);
}

bool simple_v_machine_jump(struct simple_v_machine *m, uint64_t target)
{
    if (target & 1)
        return simple_v_machine_fault_at(m, SIMPLE_V_FAULT_MISALIGNED, target);
    m->state->pc = target;
    m->state->in_block = false;
    m->state->opptr = 0;
    m->jumped = true;
    return true;
}

/* ---- lengths ---- */

/* For who looks on: VL that comes from or goes to a register is what sv.setvl would do. */
static void note_lengths(const struct simple_v_machine *m, unsigned rd, unsigned rs1)
{
    const struct simple_v_context x = {
        .class = SIMPLE_V_PLAIN,
        .row = &simple_v_rows[SIMPLE_V_SETVL],
        .operand = {[SIMPLE_V_RD] = {.there = rd != 0, .integer = true, .reg = (uint8_t)rd},
                    [SIMPLE_V_RS1] = {.there = rs1 != 0, .integer = true, .reg = (uint8_t)rs1}}};
    if (m->run->watch && (rd || rs1))
        m->run->watch->element(m->run->watch->data, m->state, &x, false);
}

static bool set_lengths(struct simple_v_machine *m, uint64_t mvl, uint64_t vl, unsigned rd)
{
    if (!vl || mvl > SIMPLE_V_VL_MAX)
        return simple_v_machine_fault(m, SIMPLE_V_FAULT_LENGTH);
    m->state->mvl = (uint8_t)mvl;
    m->state->vl = (uint8_t)UTIL_MIN(vl, mvl);
    simple_v_machine_clear_offsets(m);
    simple_v_set_x(m->state, rd, m->state->vl);
    return true;
}

bool simple_v_machine_setvl(struct simple_v_machine *m, unsigned rd, unsigned rs1, unsigned n)
{
    if (!n)
        return simple_v_machine_fault(m, SIMPLE_V_FAULT_LENGTH);
    return set_lengths(m, n, rs1 ? simple_v_x(m->state, rs1) : n, rd);
}

/* Of P64. An instruction that goes on behind a fault has done it. */
static bool set_vltyp(struct simple_v_machine *m, const struct simple_v_vltyp *vl)
{
    const struct simple_v_state *s = m->state;
    const uint64_t n = vl->number + 1u;
    if (s->srcoffs || s->destoffs || s->suboffs || (!vl->high && !vl->low && !vl->number && !vl->rd))
        return true;
    note_lengths(m, vl->rd, !vl->high && vl->low ? vl->number : 0);
    if (vl->high)
        return set_lengths(m, n, vl->low ? UTIL_MIN(s->vl, n) : n, vl->rd);
    return set_lengths(m, s->mvl, vl->low ? simple_v_x(s, vl->number) : n, vl->rd);
}

static bool do_vl_block(struct simple_v_machine *m)
{
    const struct simple_v_block *b = m->block;
    const unsigned n = b->vl.imm + 1u, rd = 8u + (b->vl.low & 7u), rs1 = 8u + (b->vl.low >> 3);
    const bool is_setvl = b->vl.mode == SIMPLE_V_VL_SETVL;
    bool ok;
    if (!b->vlset)
        return true;
    note_lengths(m, is_setvl ? rd : b->vl.low, is_setvl ? rs1 : 0);
    switch (b->vl.mode) {
    case SIMPLE_V_VL_MIN: ok = set_lengths(m, m->state->mvl, n, b->vl.low); break;
    case SIMPLE_V_VL_SETVL: ok = simple_v_machine_setvl(m, rd, rs1, n); break;
    default: ok = set_lengths(m, n, n, b->vl.low); break;
    }
    if (ok)
        m->state->subvl = b->vl.subvl + 1;
    return ok;
}

/* ---- one instruction ---- */

static bool prefixed(struct simple_v_machine *m)
{
    struct simple_v_context *x = &m->x;
    if (!set_vltyp(m, &m->insn->vl))
        return false;
    m->subvl = x->subvl ? x->subvl : m->state->subvl;
    x->loops |= m->subvl > 1;
    /* Floats of sub-vectors are packed (G 12). */
    for (unsigned n = 0; n < SIMPLE_V_PLACES && m->subvl > 1; n++)
        x->operand[n].boxed = false;
    return true;
}

static bool execute(struct simple_v_machine *m)
{
    simple_v_resolve(m->insn, m->block, &m->x);
    m->fuel = simple_v_fuel(&m->x);
    m->subvl = m->x.loops ? m->state->subvl : 1;
    if (m->x.prefixed && !prefixed(m))
        return false;
    switch (m->x.class) {
    case SIMPLE_V_PLAIN: simple_v_note_element(m, false); return simple_v_machine_plain(m);
    case SIMPLE_V_BRANCH: return simple_v_machine_branch(m);
    default: return simple_v_machine_elements(m);
    }
}

/* ---- where it is ---- */

/* Halfword of the program at the PC. */
static bool fetch(struct simple_v_machine *m, uint32_t *at)
{
    const struct simple_v_program *p = m->run->program;
    const uint64_t offset = m->state->pc - p->address;
    if (offset & 1 || offset / 2 >= p->count)
        return simple_v_machine_fault_at(m, SIMPLE_V_FAULT_FETCH, m->state->pc);
    *at = (uint32_t)(offset / 2);
    return true;
}

/* What of the halfwords is no instruction. */
static bool reserved(struct simple_v_machine *m, uint32_t at)
{
    const struct simple_v_program *p = m->run->program;
    struct simple_v_insn insn;
    struct simple_v_block block;
    if (simple_v_is_block(p->code[at]))
        simple_v_block_decode(p->code + at, p->count - at, &block, &m->report->why);
    else
        simple_v_decode(p->code + at, p->count - at, &insn, &m->report->why);
    return simple_v_machine_fault(m, SIMPLE_V_FAULT_ILLEGAL);
}

static void leave_block(struct simple_v_machine *m)
{
    m->state->pc += 2u * m->block->length;
    m->state->in_block = false;
    m->state->opptr = 0;
    m->jumped = true;
}

/* Finds the instruction; at a VBLOCK that begins, m->insn is NULL. */
static bool find(struct simple_v_machine *m)
{
    const struct simple_v_program *p = m->run->program;
    struct simple_v_state *s = m->state;
    uint32_t at;
    m->insn = NULL;
    m->block = NULL;
    m->vl_block = 0;
    if (!fetch(m, &at))
        return false;
    if (p->block[at]) {
        m->block = &p->blocks[p->block[at] - 1];
        m->vl_block = m->block->vlset ? p->code[at + 1] : 0;
        if (!s->in_block)
            return true;
        const uint32_t end = at + m->block->length;
        at += m->block->head + s->opptr;
        if (at >= end)
            return simple_v_machine_illegal(m, "PCVBLK is beyond the VBLOCK");
        if (simple_v_is_block(p->code[at]))
            return simple_v_machine_illegal(m, "a VBLOCK stands in a VBLOCK");
        if (p->insns[at].length && at + p->insns[at].length > end)
            return simple_v_machine_illegal(m, "the VBLOCK ends in the instruction");
    } else if (s->in_block) {
        return simple_v_machine_illegal(m, "PCVBLK says that there is a VBLOCK");
    }
    if (!p->insns[at].length)
        return reserved(m, at);
    m->insn = &p->insns[at];
    m->report->name = simple_v_rows[m->insn->op].text;
    return true;
}

static bool begin_block(struct simple_v_machine *m)
{
    m->report->name = "vblock";
    if (!do_vl_block(m))
        return false;
    m->state->in_block = true;
    m->state->opptr = 0;
    if (m->block->head == m->block->length)
        leave_block(m);
    return true;
}

static void go_on(struct simple_v_machine *m)
{
    struct simple_v_state *s = m->state;
    s->executed++;
    if (m->jumped)
        return;
    if (!m->block) {
        s->pc += 2u * m->insn->length;
        return;
    }
    s->opptr += m->insn->length;
    if (m->block->head + s->opptr >= m->block->length)
        leave_block(m);
}

/* False: it has ended. */
static bool step(struct simple_v_machine *m)
{
    m->jumped = m->cut = false;
    m->fuel = 1;
    m->report->name = "";
    m->report->pc = m->state->pc;
    m->report->at = m->state->opptr;
    if (!find(m))
        return false;
    if (m->run->trace)
        m->run->trace(m->run->trace_data, m->state, m->insn);
    if (!m->insn)
        return begin_block(m);
    if (!execute(m))
        return false;
    go_on(m);
    return !m->ended;
}

bool simple_v_step(const struct simple_v_run *run, struct simple_v_state *state,
                   struct simple_v_report *report)
{
    struct simple_v_machine m = {.run = run, .state = state, .report = report};
    return step(&m);
}

static void out_of_fuel(const struct simple_v_state *state, struct simple_v_report *report)
{
    report->pc = state->pc;
    report->at = state->opptr;
    report->fault = SIMPLE_V_FAULT_FUEL;
    report->address = 0;
    report->name = "";
}

static void run_with(const struct simple_v_run *run, struct simple_v_state *state,
                     struct simple_v_report *report, uint64_t *fuel)
{
    struct simple_v_machine m = {.run = run, .state = state, .report = report};
    *report = (struct simple_v_report){.name = ""};
    for (; state->pc != run->stop || state->in_block; *fuel -= UTIL_MIN(m.fuel, *fuel)) {
        if (!*fuel) {
            out_of_fuel(state, report);
            break;
        }
        if (!step(&m))
            break;
    }
}

enum simple_v_fault simple_v_run(const struct simple_v_run *run, struct simple_v_state *state,
                                 struct simple_v_report *report)
{
    uint64_t fuel = run->fuel;
    run_with(run, state, report, &fuel);
    return report->fault;
}

void simple_v_thread_run(struct simple_v_thread *thread)
{
    run_with(&thread->run, &thread->state, &thread->report, &thread->fuel);
}

int simple_v_thread_step(struct simple_v_thread *thread)
{
    if (!thread->fuel) {
        out_of_fuel(&thread->state, &thread->report);
        return false;
    }
    struct simple_v_machine m = {.run = &thread->run, .state = &thread->state, .report = &thread->report};
    const unsigned saved = util_fpenv_enter();
    const bool goes_on = step(&m);
    thread->fuel -= UTIL_MIN(m.fuel, thread->fuel);
    util_fpenv_leave(saved);
    return goes_on;
}

void simple_v_thread_start(struct simple_v_thread *thread, const struct simple_v_run *run, uint64_t pc)
{
    simple_v_start(&thread->state, pc);
    thread->run = *run;
    thread->fuel = run->fuel;
    thread->report = (struct simple_v_report){.name = ""};
    thread->step = simple_v_thread_step;
}
