#include "gpu/vc4/perf.h"

#include "gpu/vc4/device_internal.h"
#include "isa/vc4_qpu/program.h"
#include "util/bits.h"

#define SLICES     3u /* IDENT1 */
#define QPUS       12u
#define CYCLES     VC4_PERF_CYCLES
#define LINE_BYTES 64u /* of the caches (ours) */

enum { PCTRC = 0x670, PCTRE = 0x674, PCTR0 = 0x680 };

/* Cycles in which instructions run are counted where instructions are. */
static uint64_t event_count(const struct vc4_device *d, unsigned event)
{
    const uint64_t *e = d->perf.event;
    switch (event) {
    case VC4_EVENT_QPU_VALID: return d->host.counters.instructions * CYCLES;
    default: return event < VC4_EVENT_COUNT ? e[event] : 0;
    }
}

static bool enabled(const struct vc4_device *d, unsigned n)
{
    return d->perf.enabled >> n & 1;
}

static uint32_t value_now(const struct vc4_device *d, unsigned n)
{
    uint64_t more = event_count(d, d->perf.counter[n].source) - d->perf.counter[n].seen;
    return d->perf.counter[n].value + (enabled(d, n) ? (uint32_t)more : 0);
}

uint32_t vc4_perf_read(const struct vc4_device *d, uint32_t offset)
{
    unsigned n = (offset - PCTR0) / 8 % VC4_PERF_COUNTERS;
    if (offset == PCTRE)
        return d->perf.enabled;
    if (offset < PCTR0)
        return 0;
    if (offset & 4)
        return d->perf.counter[n].source;
    return vc4_is_at_work(d) ? d->shown.perf[n] : value_now(d, n);
}

void vc4_perf_show(const struct vc4_device *d, uint32_t values[VC4_PERF_COUNTERS])
{
    for (unsigned n = 0; n < VC4_PERF_COUNTERS; n++)
        values[n] = value_now(d, n);
}

void vc4_perf_write(struct vc4_device *d, uint32_t offset, uint32_t value)
{
    unsigned n = (offset - PCTR0) / 8 % VC4_PERF_COUNTERS;
    struct vc4_perf *p = &d->perf;
    for (unsigned i = 0; i < VC4_PERF_COUNTERS; i++)
        p->counter[i].value = value_now(d, i);
    if (offset == PCTRE)
        p->enabled = value & 0xffff;
    else if (offset >= PCTR0 && offset & 4)
        p->counter[n].source = value & 31;
    else if (offset >= PCTR0)
        p->counter[n].value = value;
    p->wanted = 0;
    for (unsigned i = 0; i < VC4_PERF_COUNTERS; i++) {
        if (offset == PCTRC && value >> i & 1)
            p->counter[i].value = 0;
        p->counter[i].seen = event_count(d, p->counter[i].source);
        if (enabled(d, i))
            p->wanted |= 1u << p->counter[i].source;
    }
}

static uint64_t above(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* The QPUs share a list's instructions evenly, and the last round leaves some of them idle. What is no miss
 * is a hit. */
void vc4_perf_ran(struct vc4_device *d, uint64_t instructions)
{
    struct vc4_perf *p = &d->perf;
    p->event[VC4_EVENT_QPU_IDLE] += (QPUS - instructions % QPUS) % QPUS * CYCLES;
    p->event[VC4_EVENT_ICACHE_MISSES] += p->code_misses;
    p->event[VC4_EVENT_ICACHE_HITS] += above(instructions, p->code_misses);
    p->event[VC4_EVENT_UNIFORM_MISSES] += p->uniform_misses;
    p->event[VC4_EVENT_UNIFORM_HITS] += above(p->uniform_reads, p->uniform_misses);
    p->code_misses = p->uniform_misses = p->uniform_reads = 0;
}

/* Each slice fetches what it has not seen from the second level, which has to fetch it once. */
void vc4_perf_program(struct vc4_device *d, const struct vc4_qpu_program *program)
{
    struct vc4_perf *p = &d->perf;
    uint64_t code = util_div_up(program->insn_count * 8, LINE_BYTES);
    uint64_t uniforms = util_div_up(program->uniform_count * 4, LINE_BYTES);
    p->code_misses += code * SLICES;
    p->uniform_misses += uniforms * SLICES;
    p->event[VC4_EVENT_L2_MISSES] += code + uniforms;
    p->event[VC4_EVENT_L2_HITS] += (code + uniforms) * (SLICES - 1);
}
