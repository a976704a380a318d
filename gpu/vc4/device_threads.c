/* The two control-list threads: when they run, and the registers through which a host starts, stops and reads
 * them.
 */
#include "gpu/vc4/binner.h"
#include "gpu/vc4/device_internal.h"
#include "gpu/vc4/renderer.h"
#include "gpu/vc4/user.h"
#include "util/bits.h"

/* CTnCS (Guide table 49). */
#define CS_RESET     (1u << 15)
#define CS_RUN       (1u << 5)
#define CS_SUBSTATE  (1u << 4)
#define CS_ERROR     (1u << 3)
#define CS_PREFIXING 1u

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
    if ((!renew && !vc4_programs_are_many(device->programs)) || vc4_user_busy(device))
        return;
    vc4_programs_empty(device->programs);
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
        vc4_user_settle(device, false);
}

void vc4_thread_start(struct vc4_device *device, unsigned n)
{
    struct vc4_thread *thread = &device->thread[n];
    thread->budget = device->options.packet_budget;
    thread->fuel = device->options.job_fuel;
    if (thread->run || thread->halted || thread->ca == thread->ea)
        return;
    thread->run = true;
    thread->error = false;
    thread->job = ++device->host.counters.jobs;
    if (device->options.engine && !device->scheduling)
        jit_engine_settle(device->options.engine); /* what earlier jobs have run much */
    vc4_threads_run(device);
}

uint32_t vc4_thread_read(const struct vc4_device *device, unsigned n)
{
    const struct vc4_thread *thread = &device->thread[n];
    uint32_t semaphore = n ? device->semaphore : device->binner_semaphore;
    return UTIL_MIN(semaphore, (uint32_t)VC4_SEMAPHORE_MAX) << 12 | (thread->ra0 ? 1u << 8 : 0) |
           (thread->run ? CS_RUN : 0) | (thread->run ? thread->waiting : thread->halted) * CS_SUBSTATE |
           (thread->error ? CS_ERROR : 0) | (!n && vc4_binner_prefixing(device) ? CS_PREFIXING : 0);
}

void vc4_thread_write(struct vc4_device *device, unsigned n, uint32_t value)
{
    struct vc4_thread *thread = &device->thread[n];
    if (value & CS_RESET) {
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
    } else if (value & CS_RUN) {
        thread->run = thread->waiting = false;
        thread->halted = true;
    } else if (value & CS_SUBSTATE) {
        thread->halted = false;
        vc4_thread_start(device, n);
    }
}

void vc4_thread_write_counter(struct vc4_thread *thread, uint32_t value)
{
    if (value & 1u << 16)
        thread->flushes = 0;
    if (value & 1)
        thread->returns = 0;
}
