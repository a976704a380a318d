/* What a world asks of the machine that its program is for. */
#include "gpu/mali/machine.h"

#include <string.h>

#include "gpu/mali/world.h"

static struct midgard_input midgard_input(const struct mali_world *w, uint16_t lanes, uint16_t helpers)
{
    return (struct midgard_input){.uniform = (const uint32_t(*)[4])w->uniform,
                                  .uniform_count = w->uniform_count / 4,
                                  .address = w->address,
                                  .lanes = lanes,
                                  .helpers = helpers,
                                  .fuel = w->fuel};
}

static struct warp_input warp_input(const struct mali_world *w, uint16_t lanes, uint16_t helpers)
{
    return (struct warp_input){.uniform = w->uniform,
                               .uniform_count = w->uniform_count,
                               .address = w->address,
                               .lanes = lanes,
                               .helpers = helpers,
                               .fuel = w->fuel};
}

void mali_sixteen_begin(const struct mali_threads *t, uint16_t lanes, uint16_t helpers, bool again,
                        union mali_sixteen *state)
{
    const struct mali_world *w = t->world;
    if (w->program->warp) {
        const struct warp_input input = warp_input(w, lanes, helpers);
        warp_start(&input, &state->warp);
        mali_threads_registers(t, state->warp.reg);
        return;
    }
    const struct midgard_input input = midgard_input(w, lanes, helpers);
    if (again)
        midgard_start_again(w->program->midgard, &input, &state->midgard);
    else
        midgard_start(&input, &state->midgard);
}

uint16_t mali_sixteen_running(const struct mali_world *w, const union mali_sixteen *state)
{
    return w->program->warp ? state->warp.running : state->midgard.running;
}

uint16_t mali_sixteen_live(const struct mali_world *w, const union mali_sixteen *state)
{
    return w->program->warp ? state->warp.live : state->midgard.live;
}

const char *mali_fault_name(const struct mali_decoded *p, uint32_t at)
{
    for (uint32_t n = 0; p->warp && n < p->warp->insn_count; n++)
        if (p->warp->insns[n].kind == WARP_UNSUPPORTED && p->warp->insns[n].at == at)
            return p->warp->insns[n].name;
    return NULL;
}

static void of_midgard(const struct midgard_report *r, struct mali_report *out)
{
    *out = (struct mali_report){.fault = r->fault, .at = r->at, .place = r->place, .executed = r->executed};
}

bool mali_interpret(struct mali_threads *t, union mali_sixteen *state, struct mali_report *report)
{
    const struct mali_decoded *p = t->world->program;
    if (p->warp) {
        struct warp_report r;
        warp_run_traced(p->warp, &t->warp, &state->warp, &r, t->warp_trace, t);
        *report = (struct mali_report){r.fault, r.at, r.name, r.place, r.executed};
    } else {
        struct midgard_report r;
        midgard_run(p->midgard, &t->ports, &state->midgard, &r, t->trace, t);
        of_midgard(&r, report);
    }
    return !report->fault;
}
