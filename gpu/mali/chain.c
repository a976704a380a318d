/* Chains of jobs: headers one after the other, what each says done, and in the header how it ended. Jobs of a
 * chain run in its order, which what they depend on and barriers allow: a job depends on earlier ones only
 * (Mesa's pan_scoreboard.c). What jobs are prefetched, flushed or invalidate has no effect here. */
#include <inttypes.h>
#include <string.h>

#include "gpu/mali/device_internal.h"
#include "util/bits.h"

#define UNIT      "job manager"
#define JOB_ALIGN 64u
#define JOBS_MOST (1u << 26) /* headers that an address space holds */

int mali_chains_create(struct mali_device *device)
{
    for (unsigned slot = 0; slot < MALI_SLOTS; slot++) {
        int error = util_arena_create(&device->slot[slot].chain.arena);
        if (error)
            return error;
        util_arena_alone(device->slot[slot].chain.arena, true);
    }
    return 0;
}

void mali_chains_destroy(struct mali_device *device)
{
    for (unsigned slot = 0; slot < MALI_SLOTS; slot++)
        util_arena_destroy(device->slot[slot].chain.arena);
}

void mali_chain_begin(struct mali_device *device, unsigned slot)
{
    struct mali_slot *s = &device->slot[slot];
    struct mali_chain *c = &s->chain;
    c->progress = MALI_TO_FETCH;
    c->budget = (struct mali_budget){device->options.packet_budget, device->options.job_fuel};
    c->walk = util_walk_begin(JOBS_MOST);
    c->shadings = (struct mali_shadings){0};
    c->job = (struct mali_job){.device = device,
                               .slot = slot,
                               .as = s->config & 0xf,
                               .version = device->version,
                               .address = s->head,
                               .budget = &c->budget,
                               .number = 1};
}

static struct mali_reader reader_of(const struct mali_job *job)
{
    return (struct mali_reader){job->space, job->version, UNIT, &job->budget->packets};
}

/* ---- headers ---- */

static bool fetch(struct mali_device *device, struct mali_job *job, struct mali_stop *stop)
{
    const struct mali_reader reader = reader_of(job);
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
    mali_job_header_settle(job->version, &job->header);
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

/* ---- jobs ---- */

/* What did not come because of its memory may come yet; otherwise the job is done for. */
static enum mali_end refused(const struct mali_stop *stop)
{
    return stop->page_fault ? MALI_END_WAITS : MALI_END_FAULT;
}

static enum mali_end write_value(const struct mali_job *job, const struct mali_write_value *w,
                                 struct mali_stop *stop)
{
    uint64_t value = w->type == MALI_WRITE_VALUE_TYPE_CYCLE_COUNTER      ? mali_cycles(job->device)
                     : w->type == MALI_WRITE_VALUE_TYPE_SYSTEM_TIMESTAMP ? mali_clock(job->device)
                     : w->type == MALI_WRITE_VALUE_TYPE_ZERO             ? 0
                                                                         : w->immediate_value;
    const size_t size = w->type >= MALI_WRITE_VALUE_TYPE_IMMEDIATE_8
                            ? (size_t)1 << (w->type - MALI_WRITE_VALUE_TYPE_IMMEDIATE_8)
                            : sizeof value;
    uint8_t *at = mali_at(job->space, w->address, size, GPU_RIGHT_WRITE, "write-value job", "value", stop);
    if (!at)
        return refused(stop);
    memcpy(at, &value, size);
    return MALI_END_DONE;
}

/* Since v9 vertices are shaded by the tiler's jobs alone. */
static bool is_left_out(const struct mali_job *job)
{
    const uint32_t type = job->header.type;
    if (job->version <= MALI_V7 || type < MALI_JOB_TYPE_COMPUTE || type == MALI_JOB_TYPE_FRAGMENT)
        return false;
    return type != MALI_JOB_TYPE_COMPUTE && type != MALI_JOB_TYPE_MALLOC_VERTEX;
}

static enum mali_end leave_out(const struct mali_job *job, struct mali_stop *stop)
{
    mali_stop_set(stop, MALI_JOB_CONFIG_FAULT, GPU_FAULT_UNSUPPORTED, UNIT, job->address,
                  "jobs of type %u are not executed on this GPU yet", job->header.type);
    return MALI_END_FAULT;
}

static enum mali_end run_job(struct mali_job *job, const union mali_payload *p, struct mali_stop *stop)
{
    if (is_left_out(job))
        return leave_out(job, stop);
    switch (job->header.type) {
    case MALI_JOB_TYPE_WRITE_VALUE: return write_value(job, &p->write_value, stop);
    case MALI_JOB_TYPE_COMPUTE:
    case MALI_JOB_TYPE_VERTEX:
    case MALI_JOB_TYPE_GEOMETRY: return mali_job_compute(job, &p->compute, stop);
    case MALI_JOB_TYPE_TILER: return mali_job_tiler(job, &p->tiler, stop);
    case MALI_JOB_TYPE_INDEXED_VERTEX:
    case MALI_JOB_TYPE_MALLOC_VERTEX: return mali_job_shaded(job, &p->vertex, stop);
    case MALI_JOB_TYPE_FRAGMENT: return mali_job_fragment(job, &p->fragment, stop);
    default: return MALI_END_DONE; /* null jobs; cache flushes: there are no caches */
    }
}

/* ---- the chain ---- */

/* From a job that is done to the next one. False: there is none, or, with *stop, the chain goes round. */
static bool advance(struct mali_chain *c, struct mali_stop *stop)
{
    struct mali_job *job = &c->job;
    uint64_t next = job->header.next;
    c->progress = MALI_TO_FETCH;
    job->resumed = false;
    job->done = 0;
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

/* The payload, where it is not there yet. */
static bool look(struct mali_chain *c, struct mali_stop *stop)
{
    const struct mali_reader reader = reader_of(&c->job);
    util_arena_reset(c->arena);
    return mali_payload_read_brief(&reader, c->job.address, &c->job.header, c->arena, &c->payload, stop);
}

/* One job, as far as it comes. MALI_END_DONE: it is done, header included. */
static enum mali_end step(struct mali_device *device, struct mali_slot *s, struct mali_stop *stop)
{
    struct mali_chain *c = &s->chain;
    struct mali_job *job = &c->job;
    mali_slot_go(s, job->address);
    if (c->progress == MALI_TO_FETCH && !fetch(device, job, stop))
        return refused(stop);
    c->progress = UTIL_MAX(c->progress, MALI_TO_LOOK);
    if (c->progress == MALI_TO_LOOK && !look(c, stop))
        return refused(stop);
    c->progress = UTIL_MAX(c->progress, MALI_TO_WORK);
    enum mali_end end = c->progress == MALI_TO_WORK ? run_job(job, &c->payload, stop) : MALI_END_DONE;
    job->resumed = end == MALI_END_WAITS;
    if (end != MALI_END_DONE)
        return end;
    c->progress = MALI_TO_WRITE_BACK;
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

static enum mali_chain_end run(struct mali_device *device, unsigned slot, struct mali_stop *stop)
{
    struct mali_slot *s = &device->slot[slot];
    struct mali_chain *c = &s->chain;
    for (;;) {
        if (c->progress == MALI_TO_FETCH && __atomic_load_n(&s->stopping, __ATOMIC_RELAXED)) {
            mali_slot_go(s, c->job.address);
            return MALI_CHAIN_STOPPED;
        }
        enum mali_end end = step(device, s, stop);
        if (end != MALI_END_DONE)
            return failed(s, end, stop);
        device->event[MALI_EVENT_JS0_JOBS + slot]++;
        mali_stop_clear(stop);
        if (!advance(c, stop))
            return stop->fault.kind ? MALI_CHAIN_HANGS : MALI_CHAIN_DONE;
    }
}

enum mali_chain_end mali_chain_run(struct mali_device *device, unsigned slot, struct mali_stop *stop)
{
    struct mali_chain *c = &device->slot[slot].chain;
    c->job.space = mali_as_space(device, c->job.as, stop);
    if (!c->job.space)
        return MALI_CHAIN_FAULT;
    mali_leave(device, slot);
    const enum mali_chain_end end = run(device, slot, stop);
    gpu_turns_enter(&device->host, slot);
    return end;
}
