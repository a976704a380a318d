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
    device->aside = 0;
    vc4_leave(device, VC4_UNIT_BINNER);
    enum vc4_list_end how = vc4_binner_run(device, &flushes);
    vc4_perf_ran(device, device->host.counters.instructions - before - device->aside);
    gpu_turns_enter(&device->host, VC4_UNIT_BINNER);

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
    vc4_leave(device, VC4_UNIT_RENDERER);
    enum vc4_list_end how = vc4_renderer_run(device, &frames);
    vc4_perf_ran(device, device->host.counters.instructions - before);
    gpu_turns_enter(&device->host, VC4_UNIT_RENDERER);

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
    if (device->binner_stands)
        return;
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
    if (device->scheduling || !gpu_turns_may_work(&device->host))
        return;
    device->scheduling = true;
    for (;;) {
        bool binner = can_run(device, 0);
        if ((!binner && !can_run(device, 1)) || !gpu_turns_goes_on(&device->host))
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
    if (device->options.engine && !device->scheduling && !device->host.turns)
        jit_engine_optimise(device->options.engine); /* what earlier jobs have run much */
    vc4_threads_run(device);
}

/* ---- turns ---- */

void vc4_leave(struct vc4_device *device, enum vc4_unit unit)
{
    struct vc4_shown *shown = &device->shown;
    if (!device->host.turns)
        return;
    for (unsigned n = 0; n < 2; n++) {
        const struct vc4_thread *t = &device->thread[n];
        shown->ra0[n] = t->ra0;
        shown->counters[n] = (uint32_t)t->flushes << 16 | t->returns;
    }
    shown->semaphore[0] = device->binner_semaphore;
    shown->semaphore[1] = device->semaphore;
    shown->prefixing = vc4_binner_prefixing(device);
    shown->bpca = device->bpca;
    shown->bpcs = device->bpcs;
    shown->user_status = vc4_user_status(device);
    vc4_perf_show(device, shown->perf);
    gpu_turns_leave(&device->host, unit);
    if (device->options.engine && unit != VC4_UNIT_USER && !device->binner_stands)
        jit_engine_optimise(device->options.engine); /* what earlier jobs have run much */
}

enum gpu_due vc4_due(const void *self)
{
    const struct vc4_device *device = self;
    if (can_run(device, 0) || can_run(device, 1) || device->user_due)
        return GPU_DUE_NOW;
    return device->user_fresh ? GPU_DUE_LATER : GPU_DUE_NOTHING;
}

/* The control lists' registers, by thread: 0x100 + 8n / 4 of table 48. */
static enum gpu_when when_list(const struct vc4_device *device, uint32_t offset, uint32_t value)
{
    const unsigned n = offset >> 2 & 1;
    const uint32_t bit = 1u << (n ? VC4_UNIT_RENDERER : VC4_UNIT_BINNER);
    if (!(device->host.working & bit) && !device->host.posted_count)
        return GPU_WRITE_NOW;
    const bool resets = (offset == VC4_CT0CS || offset == VC4_CT1CS) && value & VC4_BIT(CT0CS, CTRSTA);
    return resets && device->host.working == bit && !device->binner_stands ? GPU_WRITE_CANCELS
                                                                           : GPU_WRITE_IDLE;
}

enum gpu_when vc4_when(const void *self, uint32_t offset, uint32_t value)
{
    const struct vc4_device *device = self;
    switch (offset) {
    case VC4_INTCTL:
    case VC4_INTENA:
    case VC4_INTDIS:
    case VC4_DBQITC:
    case VC4_L2CACTL:
    case VC4_SLCACTL:
    case VC4_BFC: /* cleared, and polled for what follows */
    case VC4_RFC:
    case VC4_BPOA:
    case VC4_BPOS: return GPU_WRITE_NOW;
    case VC4_SRQCS:
        return device->host.working >> VC4_UNIT_USER & 1 || device->host.posted_count ? GPU_WRITE_IDLE
                                                                                      : GPU_WRITE_NOW;
    case VC4_SRQPC:
        return !(device->host.working & 1u << VC4_UNIT_USER) && vc4_user_queue_is_full(device)
                   ? GPU_WRITE_POSTED
                   : GPU_WRITE_IDLE;
    default:
        return offset >= VC4_CT0CS && offset < VC4_PCS ? when_list(device, offset, value) : GPU_WRITE_IDLE;
    }
}

static bool write_posted(struct vc4_device *device)
{
    struct gpu_posted posted;
    const bool is_one = gpu_turns_next(&device->host, &posted);
    if (is_one)
        vc4_write(device, posted.offset, posted.value);
    return is_one;
}

void vc4_work(void *self, bool all)
{
    struct vc4_device *device = self;
    for (;;) {
        if (write_posted(device))
            continue;
        if (device->host.stopped)
            break;
        if (can_run(device, 0) || can_run(device, 1))
            vc4_threads_run(device);
        else if (device->user_due || (all && device->user_fresh))
            vc4_user_flush(device, device->user_due);
        else
            break;
    }
}

/* The binner stands where it is in its list, so that rendering has the worker's stack above it. */
void vc4_ask_for_memory(struct vc4_device *device)
{
    struct gpu_host *host = &device->host;
    const uint64_t job = host->job, before = host->counters.instructions;
    vc4_raise(device, VC4_INT_OUTOMEM);
    if (!host->turns)
        return;
    device->binner_stands = true;
    bool goes_on = true;
    while (goes_on && !device->bpos && !vc4_binner_is_reset(device)) {
        if (write_posted(device))
            continue;
        if (can_run(device, 1) && !host->stopped) {
            run_renderer(device);
            continue;
        }
        host->inside = false;
        goes_on = host->turns->wait(host->turns->data);
        host->inside = true;
    }
    device->binner_stands = false;
    device->aside += host->counters.instructions - before;
    host->job = job;
}

/* ---- registers ---- */

/* A list whose start is posted runs, for who polls for its end. */
uint32_t vc4_thread_read(const struct vc4_device *device, unsigned n)
{
    const struct vc4_thread *thread = &device->thread[n];
    const bool works = vc4_is_at_work(device);
    uint32_t semaphore = works ? device->shown.semaphore[n]
                         : n   ? device->semaphore
                               : device->binner_semaphore;
    uint32_t ra0 = works ? device->shown.ra0[n] : thread->ra0;
    bool prefixing = !n && (works ? device->shown.prefixing : vc4_binner_prefixing(device));
    bool substate = thread->run ? thread->waiting : thread->halted;
    uint32_t end;
    bool starts = gpu_turns_find(&device->host, n ? VC4_CT1EA : VC4_CT0EA, &end);
    return UTIL_MIN(semaphore, (uint32_t)VC4_SEMAPHORE_MAX) << VC4_CT0CS_CTSEMA_AT |
           (ra0 ? VC4_BIT(CT0CS, CTRTSD) : 0) | (thread->run || starts ? VC4_BIT(CT0CS, CTRUN) : 0) |
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
