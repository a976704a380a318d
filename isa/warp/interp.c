/* Control, and arithmetic of registers. */
#include "isa/warp/interp_internal.h"

#include <string.h>

#include "isa/lanes.h"
#include "isa/warp/alu.h"
#include "isa/warp/ops.h"
#include "util/bits.h"

/* ---- faults ---- */

static void fault_at(struct warp_machine *m, enum warp_fault fault, const struct isa_place *place)
{
    if (m->report->fault)
        return;
    m->report->fault = fault;
    m->report->place = *place;
}

void warp_machine_unsupported(struct warp_machine *m)
{
    const struct isa_place place = {.lane = (uint32_t)__builtin_ctz(m->lanes)};
    fault_at(m, WARP_FAULT_UNSUPPORTED, &place);
    m->report->name = m->insn->name;
}

void warp_machine_check(struct warp_machine *m, bool there, const struct isa_place *place)
{
    if (!there)
        fault_at(m, WARP_FAULT_ADDRESS, place);
}

/* ---- registers ---- */

static uint32_t uniform(const struct warp_state *s, unsigned n)
{
    return n < s->uniform_count ? s->uniform[n] : 0;
}

void warp_machine_source(struct warp_machine *m, unsigned n, uint32_t out[2][16])
{
    const struct warp_source *s = &m->insn->source[n];
    const uint64_t counter = m->state->address + (uint64_t)(m->insn->at + 1) * m->program->word_bytes;
    uint32_t special[2][16] = {{0}};
    if (s->from == WARP_SPECIAL)
        m->ports->special(m->ports->ctx, s->index / 2u, special);
    for (unsigned k = 0; k < 2; k++)
        for (unsigned l = 0; l < 16; l++) {
            const unsigned at = s->index + k;
            switch (k < warp_source_words(m->insn, n) ? (int)s->from : -1) {
            case WARP_REGISTER: out[k][l] = m->state->reg[at % WARP_REGISTERS][l]; break;
            case WARP_TEMPORARY: out[k][l] = m->temporary[at % WARP_TEMPORARIES][l]; break;
            case WARP_UNIFORM: out[k][l] = uniform(m->state, at); break;
            case WARP_SPECIAL: out[k][l] = special[at & 1][l]; break;
            case WARP_CONSTANT: out[k][l] = (uint32_t)(s->value >> 32 * k); break;
            case WARP_COUNTER: out[k][l] = (uint32_t)((counter + s->value) >> 32 * (at & 1)); break;
            case WARP_LANE: out[k][l] = at & 1 ? 0 : l; break;
            default: out[k][l] = 0;
            }
        }
}

void warp_machine_read(const struct warp_machine *m, unsigned first, unsigned count, uint32_t out[][16])
{
    const struct warp_run run = m->insn->read;
    for (unsigned k = 0; k < count; k++)
        for (unsigned l = 0; l < 16; l++)
            out[k][l] = first + k >= run.count ? 0
                        : m->insn->reads_temporaries
                            ? m->temporary[(run.reg + first + k) % WARP_TEMPORARIES][l]
                            : m->state->reg[(run.reg + first + k) % WARP_REGISTERS][l];
}

void warp_machine_write(struct warp_machine *m, unsigned first, unsigned count, const uint32_t in[][16])
{
    const struct warp_run run = m->insn->write;
    for (unsigned k = 0; k < count && first + k < run.count; k++)
        for (unsigned l = 0; l < 16; l++)
            if (m->lanes >> l & 1)
                m->state->reg[(run.reg + first + k) % WARP_REGISTERS][l] = in[k][l];
}

/* ---- arithmetic ---- */

/* Results of 16 bits stand in both halves, of which the mask takes what it takes. */
static void write_dest(struct warp_machine *m, unsigned lane, uint64_t value, unsigned bits)
{
    const struct warp_insn *i = m->insn;
    const uint32_t mask = (i->dest.mask & 1 ? 0xffffu : 0) | (i->dest.mask & 2 ? 0xffff0000u : 0);
    if (bits == 16)
        value = (value & 0xffff) | value << 16;
    for (unsigned k = 0; k < 1u + i->dest.pair; k++) {
        uint32_t *word = i->dest.to == WARP_TEMPORARY
                             ? &m->temporary[(i->dest.index + k) % WARP_TEMPORARIES][lane]
                             : &m->state->reg[(i->dest.index + k) % WARP_REGISTERS][lane];
        *word = (*word & ~mask) | ((uint32_t)(value >> 32 * k) & mask);
    }
}

static void results(struct warp_machine *m, uint64_t out[16])
{
    const struct warp_insn *i = m->insn;
    static uint32_t none[2][16];
    uint32_t raw[WARP_SOURCES][2][16];
    const unsigned count = warp_source_count((enum warp_op)i->op);
    for (unsigned n = 0; n < WARP_SOURCES; n++) {
        if (n < count)
            warp_machine_source(m, n, raw[n]);
        else
            memcpy(raw[n], none, sizeof none);
    }
    for (unsigned l = 0; l < 16; l++) {
        uint64_t operand[WARP_SOURCES] = {0};
        for (unsigned n = 0; n < count; n++)
            operand[n] = warp_operand(i, n, raw[n][0][l] | (uint64_t)raw[n][1][l] << 32);
        out[l] = warp_compute(i, operand);
    }
}

static void compute(struct warp_machine *m)
{
    const unsigned bits = isa_shape_width(warp_types[warp_rows[m->insn->op].type].shape) *
                          isa_shape_elements(warp_types[warp_rows[m->insn->op].type].shape);
    uint64_t out[16];
    results(m, out);
    for (unsigned l = 0; l < 16; l++)
        if (m->lanes >> l & 1)
            write_dest(m, l, out[l], bits);
}

/* ---- other lanes ---- */

static void permute(struct warp_machine *m)
{
    const struct warp_insn *i = m->insn;
    const unsigned mask = i->subgroup - 1u, bits = 32u * warp_source_words(i, 0) / i->elements;
    const struct warp_source *s = &i->source[1];
    uint32_t value[2][16], which[2][16];
    uint64_t out[16] = {0};
    warp_machine_source(m, 0, value);
    warp_machine_source(m, 1, which);
    for (unsigned l = 0; l < 16; l++)
        for (unsigned e = 0; e < i->elements; e++) {
            const uint64_t raw = which[0][l] | (uint64_t)which[1][l] << 32;
            unsigned from = (unsigned)(raw >> s->lane[e] * s->width);
            from = (l & ~mask) | ((i->lane_op == WARP_LANE_XOR ? from ^ l : from) & mask);
            uint64_t there =
                m->lanes >> from & 1 ? value[0][from] | (uint64_t)value[1][from] << 32 : i->value;
            out[l] |= (there >> e * bits & (~0ull >> (64 - bits))) << e * bits;
        }
    for (unsigned l = 0; l < 16; l++)
        if (m->lanes >> l & 1)
            write_dest(m, l, out[l], 32);
}

static void ballot(struct warp_machine *m)
{
    const unsigned size = m->insn->subgroup;
    uint32_t value[2][16], all = 0;
    warp_machine_source(m, 0, value);
    for (unsigned l = 0; l < 16; l++)
        all |= (uint32_t)((m->lanes >> l & 1) && value[0][l]) << l;
    for (unsigned l = 0; l < 16; l++)
        if (m->lanes >> l & 1)
            write_dest(m, l, all >> (l & ~(size - 1)) & ((1u << size) - 1), 32);
}

/* ---- flow ---- */

static void go(struct warp_machine *m, uint32_t n, uint32_t target, uint16_t lanes)
{
    for (unsigned l = 0; l < 16; l++) {
        const uint32_t cost = n + 1 - target;
        const struct isa_place place = {.lane = l};
        if (!(lanes >> l & 1))
            continue;
        m->state->at[l] = target;
        if (target > n)
            continue;
        if (cost > m->state->fuel[l])
            fault_at(m, WARP_FAULT_FUEL, &place);
        m->state->fuel[l] -= UTIL_MIN(cost, m->state->fuel[l]);
    }
}

static void end(struct warp_machine *m, uint16_t lanes)
{
    m->state->running &= (uint16_t)~lanes;
}

/* Lanes that stay. */
static uint16_t far(struct warp_machine *m, uint16_t taken)
{
    struct warp_state *s = m->state;
    struct warp_far to = {.back = s->address + warp_behind(m->program, m->insn)};
    const uint32_t from = m->insn->relative ? (uint32_t)to.back : 0;
    struct isa_place place = {0};
    uint32_t low[2][16];
    uint16_t away = 0, back = 0;
    warp_machine_source(m, 3, low);
    for (unsigned l = 0; l < 16; l++) {
        to.target[l] = (s->address & ~0xffffffffull) | (from + low[0][l]);
        away |= (uint16_t)((taken >> l & 1 && !(s->back && to.target[l] == s->back)) << l);
    }
    s->returned |= taken & (uint16_t)~away;
    if (away)
        warp_machine_check(m, m->ports->far(m->ports->ctx, &to, away, s->reg, &back, &place), &place);
    end(m, taken & (uint16_t)~back);
    return back & away;
}

/* Behind instruction n. */
static void move(struct warp_machine *m, uint32_t n)
{
    const struct warp_insn *i = m->insn;
    struct warp_state *s = m->state;
    uint16_t lanes = m->lanes, taken = 0;
    if (i->kind == WARP_BRANCH || i->kind == WARP_FAR || i->kind == WARP_KILL) {
        uint64_t truth[16];
        results(m, truth);
        for (unsigned l = 0; l < 16; l++)
            taken |= (uint16_t)(((truth[l] != 0) != i->unless) << l);
        taken &= lanes;
    }
    if (warp_blends(i))
        taken = m->leave & lanes;
    if (warp_blends(i) && i->flow == WARP_END) {
        end(m, taken);
        lanes &= (uint16_t)~taken;
    } else if (warp_branches(i)) {
        go(m, n, i->target, taken);
        lanes &= (uint16_t)~taken;
    } else if (i->kind == WARP_FAR) {
        lanes = (uint16_t)((lanes & ~taken) | far(m, taken));
    } else if (i->kind == WARP_KILL) {
        s->live &= (uint16_t)~taken;
        s->helpers |= taken;
    }
    if (i->kind == WARP_BARRIER)
        s->waiting |= lanes;
    for (unsigned l = 0; l < 16; l++)
        if (lanes >> l & 1)
            s->at[l] = n + 1;
    if ((i->flow == WARP_END && !warp_blends(i)) || n + 1 == m->program->insn_count)
        end(m, lanes);
    if (i->flow == WARP_END_HELPERS)
        end(m, lanes & s->helpers);
}

/* ---- running ---- */

static void execute(struct warp_machine *m)
{
    switch (m->insn->kind) {
    case WARP_COMPUTE: compute(m); break;
    case WARP_UNSUPPORTED: warp_machine_unsupported(m); break;
    case WARP_PERMUTE: permute(m); break;
    case WARP_BALLOT: ballot(m); break;
    case WARP_LOAD:
    case WARP_STORE:
    case WARP_ATOMIC:
    case WARP_BUFFER: warp_machine_memory(m); break;
    case WARP_TEXTURE: warp_machine_texture(m); break;
    case WARP_MESSAGE: warp_machine_message(m); break;
    default: break;
    }
}

void warp_start(const struct warp_input *input, struct warp_state *s)
{
    memset(s->at, 0, sizeof s->at);
    s->uniform = input->uniform;
    s->uniform_count = input->uniform_count;
    s->address = input->address;
    s->back = input->back;
    s->running = s->live = input->lanes;
    s->helpers = input->helpers;
    s->waiting = s->returned = 0;
    for (unsigned l = 0; l < ISA_LANES; l++)
        s->fuel[l] = input->fuel;
}

enum warp_fault warp_run(const struct warp_program *program, const struct warp_ports *ports,
                         struct warp_state *state, struct warp_report *report)
{
    return warp_run_traced(program, ports, state, report, NULL, NULL);
}

enum warp_fault warp_run_traced(const struct warp_program *program, const struct warp_ports *ports,
                                struct warp_state *state, struct warp_report *report, warp_trace_fn trace,
                                void *data)
{
    struct warp_machine m = {.program = program, .ports = ports, .state = state, .report = report};
    *report = (struct warp_report){0};
    state->waiting = 0;
    while (state->running != state->waiting && !report->fault) {
        uint32_t n;
        m.lanes = isa_lowest_lanes(state->running & (uint16_t)~state->waiting, state->at, &n);
        m.leave = 0;
        m.insn = &program->insns[n];
        report->at = m.insn->at;
        if (trace)
            trace(data, m.insn, m.lanes, state, (const uint32_t(*)[ISA_LANES])m.temporary);
        execute(&m);
        if (!report->fault)
            move(&m, n);
        state->waiting &= state->running;
        report->executed += !report->fault;
    }
    return report->fault;
}
