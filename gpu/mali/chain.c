/* Chains of jobs: headers one after the other, what each says done, and in the header how it ended. Jobs of a
 * chain run in its order, which what they depend on and barriers allow: a job depends on earlier ones only
 * (Mesa's pan_scoreboard.c). What jobs are prefetched, flushed or invalidate has no effect here. */
#include <inttypes.h>
#include <string.h>

#include "gpu/mali/device_internal.h"
#include "util/bits.h"

#define UNIT        "job manager"
#define JOB_ALIGN   64u
#define JOBS_MOST   (1u << 26) /* headers that an address space holds */
#define NARROW_NEXT 28u        /* where the payload begins behind a Next of 32 bits */

void mali_chain_begin(struct mali_device *device, unsigned slot)
{
    struct mali_slot *s = &device->slot[slot];
    struct mali_chain *c = &s->chain;
    *c = (struct mali_chain){
        .budget = {device->options.packet_budget, device->options.job_fuel},
        .walk = util_walk_begin(JOBS_MOST),
        .job = {.device = device,
                .slot = slot,
                .as = s->config & 0xf,
                .version = device->version,
                .address = s->head,
                .budget = &c->budget,
                .number = 1},
    };
}

static struct mali_reader reader_of(const struct mali_job *job, const char *unit)
{
    return (struct mali_reader){job->space, job->version, unit, &job->budget->packets};
}

/* ---- headers ---- */

static bool fetch(struct mali_device *device, struct mali_job *job, struct mali_stop *stop)
{
    const struct mali_reader reader = reader_of(job, UNIT);
    if (gpu_host_cancelled(&device->host))
        return mali_stop_set(stop, MALI_ACTIVE, GPU_FAULT_TIMEOUT, UNIT, job->address, "cancelled");
    if (job->address % JOB_ALIGN)
        return mali_stop_set(stop, MALI_JOB_CONFIG_FAULT, GPU_FAULT_PACKET, UNIT, job->address,
                             "a job's header is no multiple of %u", JOB_ALIGN);
    if (!mali_desc_read(&reader, &mali_desc_job_header, job->address, &job->header, stop)) {
        if (stop->exception == MALI_DATA_INVALID_FAULT)
            stop->exception = MALI_JOB_CONFIG_FAULT;
        return false;
    }
    if (!job->header.is_64b)
        job->header.next = (uint32_t)job->header.next;
    uint32_t types = mali_feature(device->kind, MALI_GPU_JS_FEATURES_0 + job->slot * 4);
    if (!(types >> job->header.type & 1))
        return mali_stop_set(stop, MALI_JOB_CONFIG_FAULT, GPU_FAULT_PACKET, UNIT, job->address,
                             "slot %u takes no job of type %u", job->slot, job->header.type);
    return true;
}

/* How a job ended, into its header, unless nobody wants to know. False and *stop: it cannot be written. */
static bool write_back(const struct mali_slot *s, const struct mali_job *job, struct mali_stop *stop)
{
    const uint32_t done = MALI_DONE;
    if (s->config & MALI_BIT(JS, CONFIG_NEXT, DISABLE_DESCRIPTOR_WRITE_BACK))
        return true;
    uint8_t *at = mali_at(job->space, job->address, sizeof done, GPU_RIGHT_WRITE, UNIT, "header", stop);
    if (at)
        memcpy(at, &done, sizeof done);
    return at;
}

/* The same of one that failed: its exception, the first task that was not done, what was at fault. */
static void write_fault(const struct mali_slot *s, const struct mali_job *job, const struct mali_stop *why)
{
    const uint32_t words[4] = {why->exception, 0, (uint32_t)why->address, (uint32_t)(why->address >> 32)};
    uint8_t *at = gpu_space_at(job->space, job->address, sizeof words, GPU_RIGHT_WRITE);
    if (at && !(s->config & MALI_BIT(JS, CONFIG_NEXT, DISABLE_DESCRIPTOR_WRITE_BACK)))
        memcpy(at, words, sizeof words);
}

/* ---- jobs that the manager does itself ---- */

static bool write_value(struct mali_job *job, const struct mali_write_value *w, struct mali_stop *stop)
{
    uint64_t value = w->type == MALI_WRITE_VALUE_TYPE_CYCLE_COUNTER      ? mali_cycles(job->device)
                     : w->type == MALI_WRITE_VALUE_TYPE_SYSTEM_TIMESTAMP ? mali_clock(job->device)
                                                                         : 0;
    uint8_t *at =
        mali_at(job->space, w->address, sizeof value, GPU_RIGHT_WRITE, "write-value job", "value", stop);
    if (at)
        memcpy(at, &value, sizeof value);
    return at;
}

/* ---- payloads ---- */

/* A descriptor that did not come: its memory may, or the job is done for. */
static enum mali_end refused(const struct mali_stop *stop)
{
    return stop->page_fault ? MALI_END_WAITS : MALI_END_FAULT;
}

static enum mali_end run_compute(struct mali_job *job, const struct mali_reader *r, struct mali_stop *stop)
{
    struct mali_compute_job p;
    if (!mali_desc_read(r, &mali_desc_invocation, job->address + MALI_AT_INVOCATION, &p.invocation, stop) ||
        !mali_desc_read(r, &mali_desc_compute, job->address + MALI_AT_PARAMETERS, &p.parameters, stop) ||
        !mali_desc_read(r, &mali_desc_draw, job->address + MALI_AT_DRAW, &p.draw, stop))
        return refused(stop);
    return mali_job_compute(job, &p, stop);
}

static enum mali_end run_tiler(struct mali_job *job, const struct mali_reader *r, struct mali_stop *stop)
{
    struct mali_tiler_job p;
    if (!mali_desc_read(r, &mali_desc_invocation, job->address + MALI_AT_INVOCATION, &p.invocation, stop) ||
        !mali_desc_read(r, &mali_desc_primitive, job->address + MALI_AT_PRIMITIVE, &p.primitive, stop) ||
        !mali_desc_read(r, &mali_desc_draw, job->address + MALI_AT_DRAW, &p.draw, stop) ||
        !mali_desc_read(r, &mali_desc_primitive_size, job->address + MALI_AT_PRIMITIVE_SIZE, &p.size, stop))
        return refused(stop);
    return mali_job_tiler(job, &p, stop);
}

static enum mali_end run_small(struct mali_job *job, const struct mali_reader *r, uint64_t at,
                               struct mali_stop *stop)
{
    union {
        struct mali_write_value value;
        struct mali_cache_flush flush;
        struct mali_fragment fragment;
    } p;
    switch (job->header.type) {
    case MALI_JOB_TYPE_WRITE_VALUE:
        return mali_desc_read(r, &mali_desc_write_value, at, &p.value, stop) &&
                       write_value(job, &p.value, stop)
                   ? MALI_END_DONE
                   : refused(stop);
    case MALI_JOB_TYPE_CACHE_FLUSH: /* there are no caches to flush */
        return mali_desc_read(r, &mali_desc_cache_flush, at, &p.flush, stop) ? MALI_END_DONE : refused(stop);
    default:
        return mali_desc_read(r, &mali_desc_fragment, at, &p.fragment, stop)
                   ? mali_job_fragment(job, &p.fragment, stop)
                   : refused(stop);
    }
}

static enum mali_end unsupported(const struct mali_job *job, const char *what, struct mali_stop *stop)
{
    mali_stop_set(stop, MALI_JOB_CONFIG_FAULT, GPU_FAULT_UNSUPPORTED, UNIT, job->address, "%s", what);
    return MALI_END_FAULT;
}

static enum mali_end run_job(struct mali_job *job, struct mali_stop *stop)
{
    uint32_t type = job->header.type;
    bool narrow = !job->header.is_64b;
    bool draws = type != MALI_JOB_TYPE_WRITE_VALUE && type != MALI_JOB_TYPE_CACHE_FLUSH;
    const struct mali_reader reader = reader_of(job, UNIT);
    if (type == MALI_JOB_TYPE_NULL)
        return MALI_END_DONE;
    if (type == MALI_JOB_TYPE_FUSED)
        return unsupported(job, "what a fused job holds is not known", stop);
    if (narrow && draws)
        return unsupported(job, "descriptors with pointers of 32 bits are not known", stop);
    switch (type) {
    case MALI_JOB_TYPE_COMPUTE:
    case MALI_JOB_TYPE_VERTEX:
    case MALI_JOB_TYPE_GEOMETRY: return run_compute(job, &reader, stop);
    case MALI_JOB_TYPE_TILER: return run_tiler(job, &reader, stop);
    default: return run_small(job, &reader, job->address + (narrow ? NARROW_NEXT : MALI_AT_PAYLOAD), stop);
    }
}

/* ---- the chain ---- */

/* From a job that is done to the next one. False: there is none, or, with *stop, the chain goes round. */
static bool advance(struct mali_chain *c, struct mali_stop *stop)
{
    struct mali_job *job = &c->job;
    uint64_t next = job->header.next;
    c->begun = c->worked = job->resumed = false;
    if (!next)
        return false;
    if (!c->walk.left-- ||
        (next <= UINT32_MAX &&
         util_walk_returns(&c->walk,
                           (struct util_walk_place){(uint32_t)next, {UTIL_WALK_NOWHERE, UTIL_WALK_NOWHERE}})))
        return mali_stop_set(stop, MALI_ACTIVE, GPU_FAULT_TIMEOUT, UNIT, job->address,
                             "the chain goes round: it has been at 0x%08" PRIx64, next);
    job->address = next;
    job->number++;
    return true;
}

/* One job, as far as it comes. MALI_END_DONE: it is done, header included. */
static enum mali_end step(struct mali_device *device, struct mali_slot *s, struct mali_stop *stop)
{
    struct mali_chain *c = &s->chain;
    struct mali_job *job = &c->job;
    if (!c->begun) {
        s->head = s->tail = job->address;
        if (!fetch(device, job, stop))
            return refused(stop);
        c->begun = true;
    }
    if (!c->worked) {
        enum mali_end end = run_job(job, stop);
        if (end != MALI_END_DONE) {
            job->resumed = end == MALI_END_WAITS;
            return end;
        }
        c->worked = true;
    }
    return write_back(s, job, stop) ? MALI_END_DONE : refused(stop);
}

static enum mali_chain_end failed(struct mali_slot *s, enum mali_end end, struct mali_stop *stop)
{
    struct mali_job *job = &s->chain.job;
    if (!stop->fault.draw)
        stop->fault.draw = job->number;
    if (end == MALI_END_WAITS)
        return MALI_CHAIN_WAITS;
    if (stop->exception == MALI_ACTIVE)
        return MALI_CHAIN_HANGS;
    write_fault(s, job, stop);
    return MALI_CHAIN_FAULT;
}

enum mali_chain_end mali_chain_run(struct mali_device *device, unsigned slot, struct mali_stop *stop)
{
    struct mali_slot *s = &device->slot[slot];
    struct mali_chain *c = &s->chain;
    c->job.space = mali_as_space(device, c->job.as, stop);
    if (!c->job.space)
        return MALI_CHAIN_FAULT;
    for (;;) {
        if (!c->begun && s->stopping) {
            s->head = s->tail = c->job.address;
            return MALI_CHAIN_STOPPED;
        }
        enum mali_end end = step(device, s, stop);
        if (end != MALI_END_DONE)
            return failed(s, end, stop);
        s->jobs++;
        *stop = (struct mali_stop){0};
        if (!advance(c, stop))
            return stop->fault.kind ? MALI_CHAIN_HANGS : MALI_CHAIN_DONE;
    }
}
