/* Control: which lanes execute which instruction. The stages are interp_stage.c's. */
#include <string.h>

#include "isa/lanes.h"
#include "isa/utgard_pp/interp_internal.h"
#include "util/bits.h"

/* Number of the instruction that a branch goes to; program_create made sure that there is one. */
static uint32_t target_of(const struct utgard_pp_program *p, uint32_t n)
{
    int64_t word = (int64_t)p->insns[n].at + p->insns[n].branch.target;
    uint32_t low = 0, high = p->insn_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (p->insns[middle].at < word)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint16_t lanes_that_branch(const struct utgard_pp_machine *m, const struct utgard_pp_insn *i)
{
    uint16_t taken = 0;
    if (i->branch.condition == UTGARD_PP_IF_ALWAYS)
        return m->lanes;
    for (unsigned l = 0; l < 16; l++) {
        float a = util_u2f(utgard_pp_machine_scalar(m, i->branch.a, l)),
              b = util_u2f(utgard_pp_machine_scalar(m, i->branch.b, l));
        bool holds = ((i->branch.condition & UTGARD_PP_IF_GT) && a > b) ||
                     ((i->branch.condition & UTGARD_PP_IF_EQ) && a == b) ||
                     ((i->branch.condition & UTGARD_PP_IF_LT) && a < b);
        taken |= (uint16_t)(holds << l);
    }
    return taken & m->lanes;
}

struct threads {
    uint32_t at[16], fuel[16];
    uint16_t running;
};

/* Where the lanes go from instruction `n`. */
static void move(struct utgard_pp_machine *m, struct threads *t, uint32_t n)
{
    const struct utgard_pp_insn *i = &m->program->insns[n];
    bool branches = utgard_pp_has(i, UTGARD_PP_BRANCH);
    uint16_t taken = branches && !i->branch.discard ? lanes_that_branch(m, i) : 0;
    uint32_t target = taken ? target_of(m->program, n) : 0;
    for (unsigned l = 0; l < 16; l++) {
        if (!(m->lanes >> l & 1))
            continue;
        t->at[l] = taken >> l & 1 ? target : n + 1;
        if (taken >> l & 1 && target <= n) {
            uint32_t cost = n + 1 - target;
            if (cost > t->fuel[l])
                utgard_pp_machine_fault(m, UTGARD_PP_FAULT_FUEL, l);
            t->fuel[l] -= UTIL_MIN(cost, t->fuel[l]);
        }
    }
    uint16_t stays = i->stop || (branches && i->branch.discard) ? m->lanes & taken : m->lanes;
    t->running = (uint16_t)((t->running & ~m->lanes) | stays);
    if (branches && i->branch.discard)
        m->state->live &= (uint16_t)~m->lanes;
}

enum utgard_pp_fault utgard_pp_run(const struct utgard_pp_program *program,
                                   const struct utgard_pp_ports *ports, uint16_t lanes, uint32_t fuel,
                                   struct utgard_pp_state *state, struct utgard_pp_report *report,
                                   utgard_pp_trace_fn trace, void *data)
{
    static _Thread_local uint32_t temporary[UTGARD_PP_TEMPORARIES][4][16];
    struct utgard_pp_machine m = {.program = program, .ports = ports, .state = state};
    struct threads t = {.running = lanes};
    memset(state, 0, sizeof *state);
    state->live = lanes;
    *report = (struct utgard_pp_report){0};
    for (unsigned l = 0; l < 16; l++)
        t.fuel[l] = fuel;
    m.report = report;
    if (program->temporaries) {
        memset(temporary, 0, sizeof temporary);
        m.temporary = temporary;
    }
    while (t.running && !report->fault) {
        uint32_t n;
        m.lanes = isa_lowest_lanes(t.running, t.at, &n);
        m.insn = n;
        report->at = program->insns[n].at;
        if (trace)
            trace(data, &program->insns[n], m.lanes, state);
        utgard_pp_machine_execute(&m, &program->insns[n]);
        if (!report->fault)
            move(&m, &t, n);
        report->executed += !report->fault;
    }
    return report->fault;
}
