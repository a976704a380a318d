/* The two control-list threads: when they run, and the registers through which a host starts, stops and reads
 * them.
 */
#include "gpu/vc4/binner.h"
#include "gpu/vc4/device_internal.h"
#include "gpu/vc4/renderer.h"
#include "gpu/vc4/user.h"
#include "util/bits.h"

static void run_binner(struct vc4_device *device)
{
    struct vc4_thread *thread = &device->thread[0];
    uint32_t end = thread->ea, flushes = 0;
    uint64_t before = device->host.counters.instructions;
    device->host.job = thread->job;
    enum vc4_list_end how = vc4_binner_run(device, &flushes);
    vc4_perf_ran(device, device->host.counters.instructions - before);

    device->out_of_memory = false;
    thread->waiting = how == VC4_LIST_WAIT;
    thread->halted = how == VC4_LIST_HALT;
    thread->error = how == VC4_LIST_FAULT;
    if (thread->error)
        device->int_pending &= ~VC4_INT_OUTOMEM;
    /* The interrupt handler may have extended the list meanwhile. */
    thread->run = thread->waiting || (how == VC4_LIST_END && thread->ea != end);
    thread->flushes += (uint16_t)flushes;
    device->binning_flushes += flushes;
    if (flushes)
        vc4_raise(device, VC4_INT_FLDONE);
}

static void run_renderer(struct vc4_device *device)
{
    struct vc4_thread *thread = &device->thread[1];
    uint32_t end = thread->ea, frames = 0;
    uint64_t before = device->host.counters.instructions;
    device->host.job = thread->job;
    enum vc4_list_end how = vc4_renderer_run(device, &frames);
    vc4_perf_ran(device, device->host.counters.instructions - before);

    thread->waiting = how == VC4_LIST_WAIT;
    thread->halted = how == VC4_LIST_HALT;
    thread->error = how == VC4_LIST_FAULT;
    thread->run = thread->waiting || (how == VC4_LIST_END && thread->ea != end);
    device->frames_done += frames;
    if (frames)
        vc4_raise(device, VC4_INT_FRDONE);
}

static bool can_run(const struct vc4_device *device, unsigned n)
{
    const struct vc4_thread *thread = &device->thread[n];
    return thread->run && (!thread->waiting || (n ? device->semaphore : device->binner_semaphore));
}

/* Between two runs of a list no program is in use and no code: what a guest has piled up can go. */
void vc4_forget_programs(struct vc4_device *device)
{
    struct jit_engine *engine = device->options.engine;
    bool renew = engine && jit_engine_is_full(engine);
    gpu_programs_begin(device->programs);
    if ((!renew && !gpu_programs_are_many(device->programs)) || vc4_user_busy(device))
        return;
    gpu_programs_empty(device->programs);
    if (renew)
        jit_engine_renew(engine); /* or other users have it too: then new programs are interpreted */
}

/* Binning first: it is what a rendering list waits for. */
void vc4_threads_run(struct vc4_device *device)
{
    if (device->scheduling)
        return;
    device->scheduling = true;
    for (;;) {
        bool binner = can_run(device, 0);
        if (!binner && !can_run(device, 1))
            break;
        if (binner)
            run_binner(device);
        else
            run_renderer(device);
        vc4_forget_programs(device);
    }
    device->scheduling = false;
    if (device->regs[VC4_DBQITE / 4]) /* requests of an interrupt handler, whose interrupts somebody awaits */
        vc4_user_flush(device, false);
}

void vc4_thread_start(struct vc4_device *device, unsigned n)
{
    struct vc4_thread *thread = &device->thread[n];
    thread->budget = device->options.packet_budget;
    thread->fuel = device->options.job_fuel;
    thread->walk = util_walk_begin(device->memory->size);
    if (thread->run || thread->halted || thread->ca == thread->ea)
        return;
    thread->run = true;
    thread->error = false;
    thread->job = ++device->host.counters.jobs;
    if (device->options.engine && !device->scheduling)
        jit_engine_optimise(device->options.engine); /* what earlier jobs have run much */
    vc4_threads_run(device);
}

uint32_t vc4_thread_read(const struct vc4_device *device, unsigned n)
{
    const struct vc4_thread *thread = &device->thread[n];
    uint32_t semaphore = n ? device->semaphore : device->binner_semaphore;
    bool prefixing = !n && vc4_binner_prefixing(device);
    bool substate = thread->run ? thread->waiting : thread->halted;
    return UTIL_MIN(semaphore, (uint32_t)VC4_SEMAPHORE_MAX) << VC4_CT0CS_CTSEMA_AT |
           (thread->ra0 ? VC4_BIT(CT0CS, CTRTSD) : 0) | (thread->run ? VC4_BIT(CT0CS, CTRUN) : 0) |
           (substate ? VC4_BIT(CT0CS, CTSUBS) : 0) | (thread->error ? VC4_BIT(CT0CS, CTERR) : 0) |
           (prefixing ? VC4_BIT(CT0CS, CTMODE) : 0);
}

void vc4_thread_write(struct vc4_device *device, unsigned n, uint32_t value)
{
    struct vc4_thread *thread = &device->thread[n];
    if (value & VC4_BIT(CT0CS, CTRSTA)) {
        uint32_t ca = thread->ca, ea = thread->ea;
        *thread = (struct vc4_thread){.ca = ca, .ea = ea};
        if (n) {
            device->semaphore = 0;
            vc4_renderer_reset(device);
        } else {
            device->binner_semaphore = 0;
            device->out_of_memory = false;
            vc4_binner_reset(device);
        }
    } else if (value & VC4_BIT(CT0CS, CTRUN)) {
        thread->run = thread->waiting = false;
        thread->halted = true;
    } else if (value & VC4_BIT(CT0CS, CTSUBS)) {
        thread->halted = false;
        vc4_thread_start(device, n);
    }
}

void vc4_thread_write_counter(struct vc4_thread *thread, uint32_t value)
{
    if (value & VC4_BIT(CT0LC, CTLLCM))
        thread->flushes = 0;
    if (value & VC4_BIT(CT0LC, CTLSLCS))
        thread->returns = 0;
}
