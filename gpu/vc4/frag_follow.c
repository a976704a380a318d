/* A fragment program's way through one lane (frag_watch.h). Registers are seen before each instruction; what
 * comes through ports is told by them. */
#include <stdio.h>
#include <string.h>

#include "gpu/vc4/frag_watch.h"
#include "isa/vc4_qpu/names.h"

#define IMPLICIT_R4 100u /* in `address`: r4 by the SFU or a signal, r5 by a varying */
#define IMPLICIT_R5 101u

/* ---- reads ---- */

static void push_read(struct vc4_follower *t, const char *name, uint32_t value)
{
    struct gpu_value *v = gpu_follow_read(&t->of, name);
    if (!v)
        return;
    v->value[0] = value;
    v->known = true;
}

static bool has_read(const struct vc4_follower *t, const char *name)
{
    for (uint32_t i = 0; i < t->of.now.reads; i++)
        if (!strcmp(t->of.now.read[i].name, name))
            return true;
    return false;
}

/* A source read twice is named once. */
static void add_read(struct vc4_follower *t, const char *name, uint32_t value)
{
    if (!has_read(t, name))
        push_read(t, name, value);
}

/* A source of an operand as it stands in the registers; ports tell of the others. */
static void add_operand(struct vc4_follower *t, unsigned mux, unsigned lane,
                        const struct vc4_qpu_state *state)
{
    const struct vc4_qpu_insn *insn = t->insn;
    const char *suffix = "";
    char name[20], other[8];
    unsigned address = mux == VC4_QPU_MUX_A ? insn->raddr_a : insn->raddr_b;
    if (lane != t->of.number) {
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

static void add_operands(struct vc4_follower *t, const struct vc4_qpu_state *state)
{
    const struct vc4_qpu_insn *insn = t->insn;
    unsigned add = vc4_qpu_operands(false, insn->op_add), mul = vc4_qpu_operands(true, insn->op_mul),
             turn = 0;
    if (insn->sig == VC4_QPU_SIG_SMALL_IMM && insn->raddr_b >= 48)
        turn = insn->raddr_b == 48 ? state->r[5][0] & 15 : insn->raddr_b - 48u;
    if (insn->op_add != VC4_QPU_A_NOP && insn->cond_add != VC4_QPU_COND_NEVER) {
        add_operand(t, insn->add_a, t->of.number, state);
        if (add > 1)
            add_operand(t, insn->add_b, t->of.number, state);
    }
    if (insn->op_mul != VC4_QPU_M_NOP && insn->cond_mul != VC4_QPU_COND_NEVER) {
        add_operand(t, insn->mul_a, from_lane(insn->mul_a, t->of.number, turn), state);
        if (mul > 1)
            add_operand(t, insn->mul_b, from_lane(insn->mul_b, t->of.number, turn), state);
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

static void add_write(struct vc4_follower *t, const char *name, uint8_t address, bool file_b, bool withheld)
{
    struct gpu_value *v = gpu_follow_write(&t->of, name);
    if (!v)
        return;
    v->withheld = withheld;
    t->address[t->of.now.writes - 1] = address;
    t->file_b[t->of.now.writes - 1] = file_b;
}

static void add_destination(struct vc4_follower *t, bool mul, const struct vc4_qpu_state *state)
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
    bool withheld = insn->kind != VC4_QPU_BRANCH && !holds(state, cond, t->of.number);
    add_write(t, name, address, file_b, withheld);
    if (address >= VC4_QPU_W_SFU_RECIP && address <= VC4_QPU_W_SFU_LOG2)
        add_write(t, "r4", IMPLICIT_R4, false, withheld);
}

/* The value of a write of the instruction under way, told by a port. */
static void told(struct vc4_follower *t, uint8_t address, uint32_t value)
{
    for (uint32_t i = 0; i < t->of.now.writes; i++)
        if (t->address[i] == address) {
            t->of.now.write[i].value[0] = value;
            t->of.now.write[i].known = true;
        }
}

/* Registers written, as they are after the instruction. */
static void finish_insn(struct vc4_follower *t, const struct vc4_qpu_state *state)
{
    struct gpu_step *now = &t->of.now;
    for (uint32_t i = 0; i < now->writes; i++) {
        struct gpu_value *v = &now->write[i];
        uint8_t a = t->address[i];
        bool reg =
            a < 32 || (a >= VC4_QPU_W_ACC0 && a <= VC4_QPU_W_ACC3) || a == VC4_QPU_W_ACC5 || a >= IMPLICIT_R4;
        if (!reg)
            continue;
        v->known = true;
        v->value[0] = a < 32 ? (t->file_b[i] ? state->b[a][t->of.number] : state->a[a][t->of.number])
                             : state->r[a >= IMPLICIT_R4 ? a - IMPLICIT_R4 + 4u
                                                         : a - (unsigned)VC4_QPU_W_ACC0][t->of.number];
    }
    if (now->flags) {
        now->n = state->n >> t->of.number & 1;
        now->z = state->z >> t->of.number & 1;
        now->c = state->c >> t->of.number & 1;
    }
    if (!gpu_follow_keep(&t->of))
        return;
    for (uint32_t i = 0; i < now->writes; i++) {
        uint8_t a = t->address[i];
        if (a < VC4_QPU_W_TMU0_S || a > VC4_QPU_W_TMU1_B || a % 4 == 0)
            continue;
        bool unit = a >= VC4_QPU_W_TMU1_S;
        t->coordinate[unit][a % 4].insn = t->of.lane->trace.count - 1;
        t->coordinate[unit][a % 4].write = i;
        t->coordinate[unit][a % 4].waits = true;
    }
}

void vc4_follow_insn(struct vc4_follower *t, uint32_t pc, const struct vc4_qpu_insn *insn,
                     const struct vc4_qpu_state *state)
{
    if (t->insn)
        finish_insn(t, state);
    t->insn = insn;
    t->of.now = (struct gpu_step){.pc = pc};
    if (insn->kind == VC4_QPU_ALU)
        add_operands(t, state);
    if (insn->kind == VC4_QPU_BRANCH && insn->branch_reg) {
        char name[20];
        snprintf(name, sizeof name, "ra%u@l0", insn->branch_raddr);
        add_read(t, name, state->a[insn->branch_raddr][0]);
    }
    t->of.now.flags = insn->kind != VC4_QPU_BRANCH && insn->sf;
    add_destination(t, false, state);
    add_destination(t, true, state);
    t->of.lane->executed++;
}

/* ---- ports ---- */

static void on_uniform(struct vc4_follower *t, uint32_t value)
{
    const struct vc4_qpu_insn *insn = t->insn;
    bool read = insn->raddr_a == VC4_QPU_R_UNIFORM ||
                (insn->raddr_b == VC4_QPU_R_UNIFORM && insn->sig != VC4_QPU_SIG_SMALL_IMM);
    read &= insn->kind == VC4_QPU_ALU && !has_read(t, "unif");
    push_read(t, read ? "unif" : "tmu set-up", value);
}

static void on_pair(struct vc4_follower *t, unsigned address, const uint32_t *a, const uint32_t *b)
{
    const struct vc4_qpu_insn *insn = t->insn;
    if (insn->raddr_a == address)
        add_read(t, vc4_qpu_name(VC4_QPU_READS_A, address), a[t->of.number]);
    if (insn->raddr_b == address && insn->sig != VC4_QPU_SIG_SMALL_IMM)
        add_read(t, vc4_qpu_name(VC4_QPU_READS_B, address), b[t->of.number]);
}

static void on_varying(struct vc4_follower *t, uint32_t n, uint32_t vary, uint32_t c)
{
    struct gpu_varying varying = {.n = n, .place = n, .vary = vary, .c = c};
    snprintf(varying.name, sizeof varying.name, "%u", n % 100);
    add_read(t, "vary", vary);
    add_write(t, "r5", IMPLICIT_R5, false, false);
    gpu_follow_varying(&t->of, &varying);
}

static void on_request(struct vc4_follower *t, const struct vc4_watched_port *port)
{
    const uint32_t *words[4] = {port->request.s, port->request.t, port->request.r, port->request.b};
    unsigned unit = port->request.unit;
    uint8_t first = unit ? VC4_QPU_W_TMU1_S : VC4_QPU_W_TMU0_S;
    struct gpu_lookup it = {.raw = !port->request.key,
                            .address = port->request.key ? 0 : port->request.s[t->of.number],
                            .has_t = words[1],
                            .has_r = words[2],
                            .has_b = words[3],
                            .result = port->request.result[t->of.number]};
    float coordinates[4][16] = {{0}};
    snprintf(it.unit, sizeof it.unit, "tmu%u", unit & 1);
    for (unsigned k = 0; k < 4; k++) {
        if (!words[k])
            continue;
        memcpy(coordinates[k], words[k], sizeof coordinates[k]);
        told(t, (uint8_t)(first + k), words[k][t->of.number]);
        if (t->coordinate[unit][k].waits) {
            struct gpu_step *insn = &t->of.lane->trace.at[t->coordinate[unit][k].insn];
            insn->write[t->coordinate[unit][k].write].value[0] = words[k][t->of.number];
            insn->write[t->coordinate[unit][k].write].known = true;
            t->coordinate[unit][k].waits = false;
        }
    }
    const struct gpu_texels texels = {.key = port->request.key, .texture = port->request.texture};
    gpu_follow_lookup(&t->of, &it, &texels, coordinates);
}

static void on_depth(struct vc4_follower *t, const struct vc4_watched_port *port, unsigned samples)
{
    struct gpu_test test = {
        .pc = t->of.now.pc, .depth = port->depth.value[t->of.number] & 0xffffff, .rule = *port->depth.test};
    uint16_t tested[RASTER_MAX_SAMPLES], passed[RASTER_MAX_SAMPLES];
    told(t, VC4_QPU_W_TLB_Z, port->depth.value[t->of.number]);
    for (unsigned k = 0; k < samples; k++) {
        tested[k] = port->lanes & port->depth.live_before[k];
        passed[k] = port->lanes & port->depth.live_after[k];
    }
    const struct gpu_zs_block before = {.zs = port->depth.before}, after = {.zs = port->depth.after};
    gpu_follow_test(&t->of, &test, samples, &before, &after, tested, passed);
}

static void on_color(struct vc4_follower *t, const struct vc4_watched_port *port, unsigned samples)
{
    uint8_t address = port->color.all ? VC4_QPU_W_TLB_COLOR_ALL : VC4_QPU_W_TLB_COLOR_MS;
    told(t, address, port->color.value[t->of.number]);
    for (unsigned k = 0; k < samples; k++)
        if ((port->color.all || k == port->color.sample) &&
            (port->lanes & port->color.live[k]) >> t->of.number & 1)
            t->of.lane->written |= (uint16_t)(1u << k);
}

void vc4_follow_port(struct vc4_follower *t, const struct vc4_watched_port *port, unsigned samples)
{
    char name[20];
    switch (port->kind) {
    case VC4_WATCHED_UNIFORM: on_uniform(t, port->uniform.value); break;
    case VC4_WATCHED_VARYING:
        on_varying(t, port->varying.n, port->varying.vary[t->of.number], port->varying.c[t->of.number]);
        break;
    case VC4_WATCHED_COORDINATES: on_pair(t, VC4_QPU_R_XY, port->pair.a, port->pair.b); break;
    case VC4_WATCHED_FLAGS: on_pair(t, VC4_QPU_R_MS_REV, port->pair.a, port->pair.b); break;
    case VC4_WATCHED_MS_MASK: told(t, VC4_QPU_W_MS_REV, port->value[t->of.number]); break;
    case VC4_WATCHED_STENCIL: told(t, VC4_QPU_W_TLB_STENCIL, port->value[t->of.number]); break;
    case VC4_WATCHED_REQUEST: on_request(t, port); break;
    case VC4_WATCHED_RESULT:
        snprintf(name, sizeof name, "tmu%u", port->result.unit);
        add_read(t, name, port->result.value[t->of.number]);
        add_write(t, "r4", IMPLICIT_R4, false, false);
        break;
    case VC4_WATCHED_DEPTH: on_depth(t, port, samples); break;
    case VC4_WATCHED_COLOR_WRITE: on_color(t, port, samples); break;
    case VC4_WATCHED_COLOR_LOAD:
        add_read(t, "tile color", port->color.value[t->of.number]);
        add_write(t, "r4", IMPLICIT_R4, false, false);
        break;
    }
}

/* ---- the end ---- */

void vc4_follow_end(struct vc4_follower *t, const struct vc4_qpu_state *state,
                    const struct vc4_qpu_report *report)
{
    if (t->insn)
        finish_insn(t, state);
    t->of.lane->fault = report->fault;
    t->of.lane->discarded = !t->of.lane->written && !t->of.lane->tests.count;
}
