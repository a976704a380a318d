/* Control: which lanes execute which instruction, branches and writeouts. */
#include "isa/midgard/interp.h"

#include <string.h>

#include "isa/lanes.h"
#include "isa/midgard/flow.h"
#include "isa/midgard/interp_internal.h"
#include "util/bits.h"

void midgard_machine_fault_at(struct midgard_machine *m, enum midgard_fault fault,
                              const struct isa_place *place)
{
    if (m->report->fault)
        return;
    m->report->fault = fault;
    m->report->place = *place;
}

void midgard_machine_fault(struct midgard_machine *m, enum midgard_fault fault)
{
    struct isa_place place = {.lane = (uint32_t)__builtin_ctz(m->lanes)};
    midgard_machine_fault_at(m, fault, &place);
}

void midgard_machine_check(struct midgard_machine *m, bool there, const struct isa_place *place)
{
    if (!there)
        midgard_machine_fault_at(m, MIDGARD_FAULT_ADDRESS, place);
}

void midgard_machine_write(struct midgard_machine *m, unsigned reg, uint8_t mask, const uint32_t value[4][16])
{
    for (unsigned c = 0; c < 4; c++)
        for (unsigned l = 0; l < 16; l++)
            if (mask >> c & 1 && m->lanes >> l & 1) {
                m->state->reg[reg][c][l] = value[c][l];
                midgard_machine_forget_word(m, reg, l, c);
            }
}

void midgard_machine_counter(struct midgard_machine *m, uint32_t out[4][16])
{
    uint64_t behind = m->state->address + (m->insn->at + (uint64_t)midgard_quads_of(m->insn->tag)) * 16;
    uint32_t storage[4][16];
    m->ports->argument(m->ports->ctx, MIDGARD_A_STORAGE, storage);
    for (unsigned l = 0; l < 16; l++) {
        out[0][l] = (uint32_t)behind;
        out[1][l] = (uint32_t)(behind >> 32);
        out[2][l] = storage[0][l];
        out[3][l] = storage[1][l];
    }
}

/* ---- branches ---- */

/* Rule 8: the four conditions of r31 as a number. */
static unsigned conditions(const struct midgard_state *s, unsigned lane)
{
    uint32_t w = s->reg[MIDGARD_R_SELECT][3][lane], x = s->reg[MIDGARD_R_SELECT][0][lane];
    return ((w & 0xffff) != 0) | ((w >> 16) != 0) << 1 | ((x & 0xffff) != 0) << 2 | ((x >> 16) != 0) << 3;
}

static uint16_t lanes_that_hold(const struct midgard_machine *m, unsigned n, uint16_t lanes)
{
    const struct midgard_jump *j = &m->insn->jump[n];
    uint16_t out = 0;
    for (unsigned l = 0; l < 16; l++) {
        bool truth = m->state->reg[MIDGARD_R_SELECT][3][l] != 0;
        bool holds = n                                   ? j->condition >> conditions(m->state, l) & 1
                     : j->op == MIDGARD_JUMP             ? true
                     : j->condition == MIDGARD_IF_ALWAYS ? true
                     : j->condition == MIDGARD_IF_TRUE   ? truth
                                                         : j->condition == MIDGARD_IF_FALSE && !truth;
        out |= (uint16_t)(holds << l);
    }
    return out & lanes;
}

static void go(struct midgard_machine *m, uint32_t n, uint32_t target, uint16_t lanes)
{
    for (unsigned l = 0; l < 16; l++) {
        if (!(lanes >> l & 1))
            continue;
        m->state->at[l] = target;
        if (target > n)
            continue;
        uint32_t cost = n + 1 - target;
        struct isa_place place = {.lane = l};
        if (cost > m->state->fuel[l])
            midgard_machine_fault_at(m, MIDGARD_FAULT_FUEL, &place);
        m->state->fuel[l] -= UTIL_MIN(cost, m->state->fuel[l]);
    }
}

static void writeout(struct midgard_machine *m, uint16_t lanes)
{
    uint8_t written = midgard_writes_r1(m->insn);
    struct midgard_writeout what = {
        .has_depth = written & 1, .has_stencil = written >> 1 & 1, .has_select = written >> 2 & 1};
    struct isa_place place = {0};
    memcpy(what.color, m->state->reg[0], sizeof what.color);
    memcpy(what.second, m->state->reg[2], sizeof what.second);
    memcpy(what.depth, m->state->reg[1][0], sizeof what.depth);
    memcpy(what.stencil, m->state->reg[1][1], sizeof what.stencil);
    if (what.has_select)
        memcpy(what.select, m->state->reg[1][2], sizeof what.select);
    lanes &= (uint16_t)~m->state->helpers;
    if (lanes)
        midgard_machine_check(m, m->ports->writeout(m->ports->ctx, &what, lanes, &place), &place);
}

/* One branch of instruction `n`; lanes that go on behind it. */
static uint16_t branch(struct midgard_machine *m, uint32_t n, unsigned k, uint16_t lanes)
{
    const struct midgard_jump *j = &m->insn->jump[k];
    uint16_t taken = lanes_that_hold(m, k, lanes);
    if (j->call > MIDGARD_CALL_NONE) {
        midgard_machine_fault(m, MIDGARD_FAULT_UNSUPPORTED);
        return lanes;
    }
    switch (j->op) {
    case MIDGARD_JUMP:
    case MIDGARD_BRANCH_IF:
        if (midgard_branch_stops(m->insn, k))
            m->state->running &= (uint16_t)~taken;
        else if (taken)
            go(m, n, midgard_insn_at(m->program, midgard_target(m->insn, k)), taken);
        return lanes & (uint16_t)~taken;
    case MIDGARD_DISCARD:
        m->state->running &= (uint16_t)~taken;
        m->state->live &= (uint16_t)~taken;
        return lanes & (uint16_t)~taken;
    case MIDGARD_TILE_PENDING: return lanes;
    case MIDGARD_WRITEOUT: writeout(m, taken); return lanes;
    default: midgard_machine_fault(m, MIDGARD_FAULT_RESERVED); return lanes;
    }
}

/* Where the lanes go from instruction `n`. */
static void move(struct midgard_machine *m, uint32_t n)
{
    uint16_t lanes = m->lanes;
    for (unsigned k = 0; k < 2; k++)
        if (midgard_has(m->insn, (enum midgard_unit)(MIDGARD_BRANCH + k)) && lanes && !m->report->fault)
            lanes = branch(m, n, k, lanes);
    if (midgard_kind_of(m->insn->tag) == MIDGARD_TEXTURE && m->insn->texture.exec == MIDGARD_EXEC_KILL) {
        m->state->running &= (uint16_t)~(lanes & m->state->helpers);
        lanes &= (uint16_t)~m->state->helpers;
    }
    if (midgard_ends(m->insn))
        m->state->running &= (uint16_t)~lanes;
    for (unsigned l = 0; l < 16; l++)
        if (lanes >> l & 1)
            m->state->at[l] = n + 1;
}

/* ---- running ---- */

static void execute(struct midgard_machine *m)
{
    const struct midgard_insn *i = m->insn;
    switch (midgard_kind_of(i->tag)) {
    case MIDGARD_ALU:
        if (i->tag >= MIDGARD_TAG_ALU_WRITEOUT && m->program->traits.no_writeout_tags)
            midgard_machine_fault(m, MIDGARD_FAULT_RESERVED);
        else
            midgard_machine_bundle(m);
        break;
    case MIDGARD_LOAD_STORE:
        midgard_machine_load_store(m, &i->memory[0]);
        if (!m->report->fault)
            midgard_machine_load_store(m, &i->memory[1]);
        break;
    default:
        if (i->texture.op == MIDGARD_TEX_BARRIER)
            m->state->waiting |= m->lanes;
        else
            midgard_machine_texture(m);
    }
}

static void start_register(const struct midgard_input *input, unsigned reg, struct midgard_state *state)
{
    unsigned n = MIDGARD_R_UNIFORM - reg;
    bool uniform = reg <= MIDGARD_R_UNIFORM && n < UTIL_MIN(input->uniform_count, 16u);
    for (unsigned c = 0; c < 4; c++)
        for (unsigned l = 0; l < MIDGARD_LANES; l++)
            state->reg[reg][c][l] = uniform ? input->uniform[n][c] : 0;
}

static void start_registers(const struct midgard_input *input, uint64_t which, struct midgard_state *state)
{
    for (; which; which &= which - 1)
        start_register(input, (unsigned)__builtin_ctzll(which), state);
    memset(state->at, 0, sizeof state->at);
    state->address = input->address;
    state->running = state->live = input->lanes;
    state->helpers = input->helpers;
    state->waiting = 0;
    for (unsigned l = 0; l < MIDGARD_LANES; l++)
        state->fuel[l] = input->fuel;
}

void midgard_start(const struct midgard_input *input, struct midgard_state *state)
{
    start_registers(input, (UINT64_C(1) << MIDGARD_REGISTERS) - 1, state);
}

void midgard_start_again(const struct midgard_program *program, const struct midgard_input *input,
                         struct midgard_state *state)
{
    const uint64_t texture = program->written >> MIDGARD_R_TEXTURE & 3;
    start_registers(input, program->written | texture << MIDGARD_R_RESULT, state);
}

enum midgard_fault midgard_run(const struct midgard_program *program, const struct midgard_ports *ports,
                               struct midgard_state *state, struct midgard_report *report,
                               midgard_trace_fn trace, void *data)
{
    struct midgard_machine m = {.program = program,
                                .ports = ports,
                                .state = state,
                                .report = report,
                                .rounds = ports->numeric == ISA_EXACT};
    *report = (struct midgard_report){0};
    state->waiting = 0;
    while (state->running != state->waiting && !report->fault) {
        uint32_t n;
        m.lanes = isa_lowest_lanes(state->running & (uint16_t)~state->waiting, state->at, &n);
        m.insn = &program->insns[n];
        report->at = m.insn->at;
        if (trace)
            trace(data, m.insn, m.lanes, state);
        execute(&m);
        if (!report->fault) {
            move(&m, n);
            midgard_machine_end_halves(&m, n);
        }
        state->waiting &= state->running;
        report->executed += !report->fault;
    }
    return report->fault;
}
