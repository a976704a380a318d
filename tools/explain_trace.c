/* A fragment program's way through one lane: what each instruction reads and writes, what the tests and the
 * texture unit say. Registers are seen before each instruction; what comes through ports is told by them. */
#include <stdio.h>
#include <string.h>

#include "isa/vc4_qpu/names.h"
#include "tools/explain_internal.h"
#include "util/bits.h"

#define IMPLICIT_R4 100u /* in `address`: r4 by the SFU or a signal, r5 by a varying */
#define IMPLICIT_R5 101u

/* ---- reads ---- */

static void push_read(struct explain_tracer *t, const char *name, uint32_t value)
{
    struct explain_insn *now = &t->now;
    if (now->reads == EXPLAIN_VALUES)
        return;
    struct explain_value *v = &now->read[now->reads++];
    *v = (struct explain_value){.value = value, .known = true};
    snprintf(v->name, sizeof v->name, "%s", name);
}

static bool has_read(const struct explain_tracer *t, const char *name)
{
    for (uint32_t i = 0; i < t->now.reads; i++)
        if (!strcmp(t->now.read[i].name, name))
            return true;
    return false;
}

/* A source read twice is named once. */
static void add_read(struct explain_tracer *t, const char *name, uint32_t value)
{
    if (!has_read(t, name))
        push_read(t, name, value);
}

/* A source of an operand as it stands in the registers; ports tell of the others. */
static void add_operand(struct explain_tracer *t, unsigned mux, unsigned lane,
                        const struct vc4_qpu_state *state)
{
    const struct vc4_qpu_insn *insn = t->insn;
    const char *suffix = "";
    char name[20], other[8];
    unsigned address = mux == VC4_QPU_MUX_A ? insn->raddr_a : insn->raddr_b;
    if (lane != t->lane) {
        snprintf(other, sizeof other, "@l%u", lane);
        suffix = other;
    }
    if (mux < VC4_QPU_MUX_A) {
        snprintf(name, sizeof name, "r%u%s", mux, suffix);
        add_read(t, name, state->r[mux][lane]);
        return;
    }
    bool file_b = mux == VC4_QPU_MUX_B;
    if (file_b && insn->sig == VC4_QPU_SIG_SMALL_IMM)
        return; /* the text has it */
    if (address < 32) {
        snprintf(name, sizeof name, "r%c%u%s", file_b ? 'b' : 'a', address, suffix);
        add_read(t, name, file_b ? state->b[address][lane] : state->a[address][lane]);
    } else if (address == VC4_QPU_R_ELEMENT_QPU) {
        add_read(t, file_b ? "qpu_num" : "elem_num", file_b ? 0 : lane);
    }
}

/* The lane that a turned operand comes from (isa/vc4_qpu/README.md, rule 10). */
static unsigned from_lane(unsigned mux, unsigned lane, unsigned turn)
{
    return mux <= VC4_QPU_MUX_R3 ? (lane - turn) & 15 : (lane & ~3u) | ((lane - turn) & 3);
}

static void add_operands(struct explain_tracer *t, const struct vc4_qpu_state *state)
{
    const struct vc4_qpu_insn *insn = t->insn;
    unsigned add = vc4_qpu_operands(false, insn->op_add), mul = vc4_qpu_operands(true, insn->op_mul),
             turn = 0;
    if (insn->sig == VC4_QPU_SIG_SMALL_IMM && insn->raddr_b >= 48)
        turn = insn->raddr_b == 48 ? state->r[5][0] & 15 : insn->raddr_b - 48u;
    if (insn->op_add != VC4_QPU_A_NOP && insn->cond_add != VC4_QPU_COND_NEVER) {
        add_operand(t, insn->add_a, t->lane, state);
        if (add > 1)
            add_operand(t, insn->add_b, t->lane, state);
    }
    if (insn->op_mul != VC4_QPU_M_NOP && insn->cond_mul != VC4_QPU_COND_NEVER) {
        add_operand(t, insn->mul_a, from_lane(insn->mul_a, t->lane, turn), state);
        if (mul > 1)
            add_operand(t, insn->mul_b, from_lane(insn->mul_b, t->lane, turn), state);
    }
}

/* ---- writes ---- */

static bool holds(const struct vc4_qpu_state *state, unsigned cond, unsigned lane)
{
    bool z = state->z >> lane & 1, n = state->n >> lane & 1, c = state->c >> lane & 1;
    switch (cond) {
    case VC4_QPU_COND_NEVER: return false;
    case VC4_QPU_COND_ALWAYS: return true;
    case VC4_QPU_COND_ZS: return z;
    case VC4_QPU_COND_ZC: return !z;
    case VC4_QPU_COND_NS: return n;
    case VC4_QPU_COND_NC: return !n;
    case VC4_QPU_COND_CS: return c;
    default: return !c;
    }
}

static void add_write(struct explain_tracer *t, const char *name, uint8_t address, bool file_b, bool withheld)
{
    struct explain_insn *now = &t->now;
    if (now->writes == EXPLAIN_VALUES)
        return;
    t->address[now->writes] = address;
    t->file_b[now->writes] = file_b;
    struct explain_value *v = &now->write[now->writes++];
    *v = (struct explain_value){.withheld = withheld};
    snprintf(v->name, sizeof v->name, "%s", name);
}

static void add_destination(struct explain_tracer *t, bool mul, const struct vc4_qpu_state *state)
{
    const struct vc4_qpu_insn *insn = t->insn;
    uint8_t address = mul ? insn->waddr_mul : insn->waddr_add;
    unsigned cond = mul ? insn->cond_mul : insn->cond_add;
    bool file_b = mul != insn->ws;
    char name[20];
    if (address == VC4_QPU_W_NOP || !vc4_qpu_unit_writes(insn, mul))
        return;
    const char *known = vc4_qpu_name(file_b ? VC4_QPU_WRITES_B : VC4_QPU_WRITES_A, address);
    if (address < 32)
        snprintf(name, sizeof name, "r%c%u", file_b ? 'b' : 'a', address);
    else
        snprintf(name, sizeof name, "%s", known ? known : "reserved");
    bool withheld = insn->kind != VC4_QPU_BRANCH && !holds(state, cond, t->lane);
    add_write(t, name, address, file_b, withheld);
    if (address >= VC4_QPU_W_SFU_RECIP && address <= VC4_QPU_W_SFU_LOG2)
        add_write(t, "r4", IMPLICIT_R4, false, withheld);
}

/* The value of a write of the instruction under way, told by a port. */
static void told(struct explain_tracer *t, uint8_t address, uint32_t value)
{
    for (uint32_t i = 0; i < t->now.writes; i++)
        if (t->address[i] == address) {
            t->now.write[i].value = value;
            t->now.write[i].known = true;
        }
}

/* Registers written, as they are after the instruction. */
static void finish_insn(struct explain_tracer *t, const struct vc4_qpu_state *state)
{
    struct explain_insn *now = &t->now;
    for (uint32_t i = 0; i < now->writes; i++) {
        struct explain_value *v = &now->write[i];
        uint8_t a = t->address[i];
        bool reg =
            a < 32 || (a >= VC4_QPU_W_ACC0 && a <= VC4_QPU_W_ACC3) || a == VC4_QPU_W_ACC5 || a >= IMPLICIT_R4;
        if (!reg)
            continue;
        v->known = true;
        v->value =
            a < 32
                ? (t->file_b[i] ? state->b[a][t->lane] : state->a[a][t->lane])
                : state->r[a >= IMPLICIT_R4 ? a - IMPLICIT_R4 + 4u : a - (unsigned)VC4_QPU_W_ACC0][t->lane];
    }
    if (now->flags) {
        now->n = state->n >> t->lane & 1;
        now->z = state->z >> t->lane & 1;
        now->c = state->c >> t->lane & 1;
    }
    if (!t->keep || t->event->trace.count >= EXPLAIN_TRACE)
        return;
    if (!EXPLAIN_ADD(t->event->trace, *now)) {
        t->out_of_memory = true;
        return;
    }
    for (uint32_t i = 0; i < now->writes; i++) {
        uint8_t a = t->address[i];
        if (a < VC4_QPU_W_TMU0_S || a > VC4_QPU_W_TMU1_B || a % 4 == 0)
            continue;
        bool unit = a >= VC4_QPU_W_TMU1_S;
        t->coordinate[unit][a % 4].insn = t->event->trace.count - 1;
        t->coordinate[unit][a % 4].write = i;
        t->coordinate[unit][a % 4].waits = true;
    }
}

void explain_trace_insn(struct explain_tracer *t, uint32_t pc, const struct vc4_qpu_insn *insn,
                        const struct vc4_qpu_state *state)
{
    if (t->insn)
        finish_insn(t, state);
    t->insn = insn;
    t->now = (struct explain_insn){.pc = pc, .word = insn->word};
    if (insn->kind == VC4_QPU_ALU)
        add_operands(t, state);
    if (insn->kind == VC4_QPU_BRANCH && insn->branch_reg) {
        char name[20];
        snprintf(name, sizeof name, "ra%u@l0", insn->branch_raddr);
        add_read(t, name, state->a[insn->branch_raddr][0]);
    }
    t->now.flags = insn->kind != VC4_QPU_BRANCH && insn->sf;
    add_destination(t, false, state);
    add_destination(t, true, state);
    t->executed++;
}

/* ---- ports ---- */

static void on_uniform(struct explain_tracer *t, uint32_t value)
{
    const struct vc4_qpu_insn *insn = t->insn;
    bool read = insn->raddr_a == VC4_QPU_R_UNIFORM ||
                (insn->raddr_b == VC4_QPU_R_UNIFORM && insn->sig != VC4_QPU_SIG_SMALL_IMM);
    read &= insn->kind == VC4_QPU_ALU && !has_read(t, "unif");
    push_read(t, read ? "unif" : "tmu set-up", value);
}

static void on_pair(struct explain_tracer *t, unsigned address, const uint32_t *a, const uint32_t *b)
{
    const struct vc4_qpu_insn *insn = t->insn;
    if (insn->raddr_a == address)
        add_read(t, vc4_qpu_name(VC4_QPU_READS_A, address), a[t->lane]);
    if (insn->raddr_b == address && insn->sig != VC4_QPU_SIG_SMALL_IMM)
        add_read(t, vc4_qpu_name(VC4_QPU_READS_B, address), b[t->lane]);
}

static void on_varying(struct explain_tracer *t, uint32_t n, uint32_t vary, uint32_t c)
{
    const struct explain_varying varying = {.n = n, .vary = vary, .c = c};
    add_read(t, "vary", vary);
    add_write(t, "r5", IMPLICIT_R5, false, false);
    if (!EXPLAIN_ADD(t->event->varyings, varying))
        t->out_of_memory = true;
}

static float coordinate(const uint32_t *words, unsigned lane)
{
    return words ? util_u2f(words[lane]) : 0.0f;
}

static void as_floats(const uint32_t *words, float out[16])
{
    if (words)
        memcpy(out, words, 16 * sizeof *out);
    else
        memset(out, 0, 16 * sizeof *out);
}

static void on_request(struct explain_tracer *t, const struct vc4_watched_port *port)
{
    const uint32_t *words[4] = {port->request.s, port->request.t, port->request.r, port->request.b};
    unsigned unit = port->request.unit;
    uint8_t first = unit ? VC4_QPU_W_TMU1_S : VC4_QPU_W_TMU0_S;
    struct explain_lookup it = {.pc = t->now.pc,
                                .unit = (uint8_t)unit,
                                .raw = !port->request.key,
                                .has_t = words[1],
                                .has_r = words[2],
                                .has_b = words[3],
                                .s = coordinate(words[0], t->lane),
                                .t = coordinate(words[1], t->lane),
                                .r = coordinate(words[2], t->lane),
                                .b = coordinate(words[3], t->lane),
                                .result = port->request.result[t->lane]};
    for (unsigned k = 0; k < 4; k++) {
        if (!words[k])
            continue;
        told(t, (uint8_t)(first + k), words[k][t->lane]);
        if (t->coordinate[unit][k].waits) {
            struct explain_insn *insn = &t->event->trace.at[t->coordinate[unit][k].insn];
            insn->write[t->coordinate[unit][k].write].value = words[k][t->lane];
            insn->write[t->coordinate[unit][k].write].known = true;
            t->coordinate[unit][k].waits = false;
        }
    }
    if (it.raw) {
        it.address = port->request.s[t->lane];
    } else {
        const struct raster_texture *texture = port->request.texture;
        float s[16], tt[16], r[16], b[16];
        as_floats(words[0], s);
        as_floats(words[1], tt);
        as_floats(words[2], r);
        as_floats(words[3], b);
        it.address = texture->level[0].offset;
        it.width = texture->level[0].width;
        it.height = texture->level[0].height;
        it.levels = texture->level_count;
        it.format = port->request.key->format;
        it.cube = port->request.key->cube;
        raster_texture_lookup(port->request.key, texture, s, tt, r, b, t->lane, &it.where);
    }
    if (!EXPLAIN_ADD(t->event->lookups, it))
        t->out_of_memory = true;
}

static void on_depth(struct explain_tracer *t, const struct vc4_watched_port *port, unsigned samples)
{
    struct explain_test test = {
        .pc = t->now.pc, .depth = port->depth.value[t->lane] & 0xffffff, .rule = *port->depth.test};
    told(t, VC4_QPU_W_TLB_Z, port->depth.value[t->lane]);
    for (unsigned k = 0; k < samples; k++) {
        uint8_t bit = (uint8_t)(1u << k);
        test.before[k] = port->depth.before[k * 16 + t->lane];
        test.after[k] = port->depth.after[k * 16 + t->lane];
        if ((port->lanes & port->depth.live_before[k]) >> t->lane & 1)
            test.samples |= bit;
        if ((port->lanes & port->depth.live_after[k]) >> t->lane & 1)
            test.passed |= bit;
    }
    t->z_written |= test.samples != 0;
    if (test.samples && !EXPLAIN_ADD(t->event->tests, test))
        t->out_of_memory = true;
}

static void on_color(struct explain_tracer *t, const struct vc4_watched_port *port, unsigned samples)
{
    uint8_t address = port->color.all ? VC4_QPU_W_TLB_COLOR_ALL : VC4_QPU_W_TLB_COLOR_MS;
    told(t, address, port->color.value[t->lane]);
    for (unsigned k = 0; k < samples; k++)
        if ((port->color.all || k == port->color.sample) &&
            (port->lanes & port->color.live[k]) >> t->lane & 1)
            t->written |= (uint8_t)(1u << k);
}

void explain_trace_port(struct explain_tracer *t, const struct vc4_watched_port *port, unsigned samples)
{
    char name[20];
    switch (port->kind) {
    case VC4_WATCHED_UNIFORM: on_uniform(t, port->uniform.value); break;
    case VC4_WATCHED_VARYING:
        on_varying(t, port->varying.n, port->varying.vary[t->lane], port->varying.c[t->lane]);
        break;
    case VC4_WATCHED_COORDINATES: on_pair(t, VC4_QPU_R_XY, port->pair.a, port->pair.b); break;
    case VC4_WATCHED_FLAGS: on_pair(t, VC4_QPU_R_MS_REV, port->pair.a, port->pair.b); break;
    case VC4_WATCHED_MS_MASK: told(t, VC4_QPU_W_MS_REV, port->value[t->lane]); break;
    case VC4_WATCHED_STENCIL: told(t, VC4_QPU_W_TLB_STENCIL, port->value[t->lane]); break;
    case VC4_WATCHED_REQUEST: on_request(t, port); break;
    case VC4_WATCHED_RESULT:
        snprintf(name, sizeof name, "tmu%u", port->result.unit);
        add_read(t, name, port->result.value[t->lane]);
        add_write(t, "r4", IMPLICIT_R4, false, false);
        break;
    case VC4_WATCHED_DEPTH: on_depth(t, port, samples); break;
    case VC4_WATCHED_COLOR_WRITE: on_color(t, port, samples); break;
    case VC4_WATCHED_COLOR_LOAD:
        add_read(t, "tile color", port->color.value[t->lane]);
        add_write(t, "r4", IMPLICIT_R4, false, false);
        break;
    }
}

/* ---- the end ---- */

/* Whether some sample that was tested passed the stencil's half of the test. */
static bool stencil_passed(const struct explain_event *e, const struct explain_test *test)
{
    struct raster_zs stencil = test->rule;
    stencil.depth_func = RASTER_ALWAYS;
    for (unsigned k = 0; k < RASTER_MAX_SAMPLES; k++) {
        uint32_t stored = test->before[k];
        if ((test->samples >> k & 1) && raster_zs_test(&stencil, e->reverse, test->depth, &stored))
            return true;
    }
    return false;
}

static enum explain_outcome outcome_of(const struct explain_tracer *t)
{
    const struct explain_event *e = t->event;
    if (e->fault)
        return EXPLAIN_FAULTED;
    if (t->written)
        return EXPLAIN_WRITTEN;
    if (!e->tests.count)
        return EXPLAIN_DISCARDED;
    for (uint32_t i = 0; i < e->tests.count; i++)
        if (!e->tests.at[i].passed)
            return stencil_passed(e, &e->tests.at[i]) ? EXPLAIN_DEPTH_FAILED : EXPLAIN_STENCIL_FAILED;
    return EXPLAIN_NO_COLOR;
}

void explain_trace_end(struct explain_tracer *t, const struct vc4_qpu_state *state,
                       const struct vc4_qpu_report *report)
{
    if (t->insn)
        finish_insn(t, state);
    t->event->fault = report->fault;
    t->event->executed = t->executed;
    t->event->written = t->written;
    t->event->outcome = outcome_of(t);
}
