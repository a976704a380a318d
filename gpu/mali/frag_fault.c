/* Faults of compiled fragments in the interpreter's words. */
#include "gpu/mali/frag_fault.h"

#include "gpu/mali/device_internal.h"
#include "gpu/mali/frag_code.h"

#define FAULT_BITS 27u /* of a blend shader's */

static struct mali_report report_of(const struct mali_decoded *p, uint32_t code, uint64_t address)
{
    const struct isa_fault said = isa_fault_unpack(code);
    return (struct mali_report){.fault = said.kind,
                                .at = said.pc,
                                .name = mali_fault_name(p, said.pc),
                                .place = {said.lane, (uint32_t)address}};
}

/* An access to the tile writes, as far as the place in the program says. */
static bool writes_tile(const struct warp_program *p, uint32_t at)
{
    for (uint32_t n = 0; n < p->insn_count; n++)
        if (p->insns[n].at == at && p->insns[n].kind == WARP_MESSAGE &&
            p->insns[n].message == WARP_STORE_TILE)
            return true;
    return false;
}

/* What frag_blend_warp.c refuses, into threads->stop. */
static void explain(const struct mali_frag *f, struct mali_threads *t, const struct mali_report *report,
                    bool far, uint32_t value)
{
    const char *what = far ? "a branch to what is no blend shader, target"
                       : writes_tile(t->world->program->warp, report->at)
                           ? "the tile is not written so, pixel"
                           : "the tile is not read so, pixel";
    mali_stop_set(&t->stop, MALI_ADDR_RANGE_FAULT, GPU_FAULT_UNSUPPORTED, FRAG_UNIT, f->world.address,
                  "%s %u", what, value);
}

/* A blend shader's fault is what the branch to it ends with. */
static void explain_inner(const struct mali_frag *f, struct mali_threads *t, uint64_t address)
{
    const uint32_t target = (uint32_t)(address >> MALI_FRAG_FAULT_TARGET_AT) - 1;
    const uint32_t code = (uint32_t)(address >> 32) & ((1u << FAULT_BITS) - 1);
    struct mali_threads inner = {.world = f->target[target % MALI_TARGETS].shader};
    const struct mali_report report = report_of(inner.world->program, code, address);
    if (report.fault == WARP_FAULT_ADDRESS)
        explain(f, &inner, &report, address >> MALI_FRAG_FAULT_INNER_FAR_AT & 1, (uint32_t)address);
    mali_world_fault(&inner, &report, &t->stop);
}

bool mali_frag_fault(const struct mali_frag *f, struct mali_threads *t, uint32_t code, uint64_t address,
                     struct mali_stop *stop)
{
    const struct mali_report report = report_of(f->world.program, code, address);
    if (f->world.program->warp && report.fault == WARP_FAULT_ADDRESS && !t->stop.fault.kind) {
        if (address >> MALI_FRAG_FAULT_TARGET_AT)
            explain_inner(f, t, address);
        else
            explain(f, t, &report, address >> MALI_FRAG_FAULT_FAR_AT & 1, (uint32_t)address);
    }
    return mali_world_fault(t, &report, stop);
}
