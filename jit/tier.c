/* Which code a function has: what its first request leads to, and what takes its place. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "jit/engine_internal.h"

/* Quick code has names of its own, on disk and among symbols. */
#define QUICK_MARK UINT64_C(0x9e3779b97f4a7c15)

struct place {
    struct jit_cache_key key;
    char symbol[48];
};

static struct place place_of(const struct jit_entry *entry, bool quick)
{
    struct place p = {.key = entry->key};

    p.key.hash[1] ^= quick ? QUICK_MARK : 0;
    snprintf(p.symbol, sizeof p.symbol, "vt_%016llx%016llx", (unsigned long long)p.key.hash[1],
             (unsigned long long)p.key.hash[0]);
    return p;
}

uint64_t jit_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void count(struct jit_engine *engine, uint64_t *counter, uint64_t *time, uint64_t since)
{
    pthread_mutex_lock(&engine->lock);
    ++*counter;
    if (time)
        *time += jit_now_ns() - since;
    pthread_mutex_unlock(&engine->lock);
}

static bool from_disk(struct jit_engine *engine, const struct jit_entry *entry, bool quick, void **code)
{
    struct place p = place_of(entry, quick);
    void *object;
    size_t size;
    enum jit_cache_result found =
        engine->cache ? jit_cache_load(engine->cache, &p.key, &object, &size) : JIT_CACHE_MISS;

    if (found == JIT_CACHE_HIT) {
        LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(object, size, p.symbol);
        free(object);
        if (!jit_linker_add(engine->linker, buffer, p.symbol, code, NULL)) {
            count(engine, &engine->stats.disk_hits, NULL, 0);
            return true;
        }
        jit_cache_remove(engine->cache, &p.key);
        found = JIT_CACHE_REJECTED;
    }
    if (found == JIT_CACHE_REJECTED)
        count(engine, &engine->stats.disk_rejected, NULL, 0);
    return false;
}

/* `request` NULL: out of the entry's key. */
static int start(struct jit_engine *engine, const struct jit_entry *entry, const struct jit_request *request,
                 bool quick, struct jit_job **job, struct util_error *error)
{
    const struct place p = place_of(entry, quick);

    return jit_module_start(engine, entry, request ? request->emit : NULL, request ? request->data : NULL,
                            p.symbol, quick, job, error);
}

/* Takes the job. */
static int finish(struct jit_engine *engine, const struct jit_entry *entry, bool quick, struct jit_job *job,
                  void **code, struct util_error *error)
{
    const struct place p = place_of(entry, quick);
    LLVMMemoryBufferRef object;
    int result = jit_job_finish(job, engine->deadline_ms, &object, error);

    if (result)
        return result;
    if (engine->cache)
        jit_cache_store(engine->cache, &p.key, LLVMGetBufferStart(object), LLVMGetBufferSize(object));
    return jit_linker_add(engine->linker, object, p.symbol, code, error);
}

static int make(struct jit_engine *engine, const struct jit_entry *entry, const struct jit_request *request,
                bool quick, void **code, struct util_error *error)
{
    struct jit_job *job = NULL;
    int result = start(engine, entry, request, quick, &job, error);

    return result ? result : finish(engine, entry, quick, job, code, error);
}

/* Whether the entry's first code is quick code. */
static bool begins_quick(const struct jit_engine *engine, const struct jit_entry *entry)
{
    return engine->tier == JIT_QUICK || (engine->tier == JIT_AUTOMATIC && entry->emit_key);
}

static bool any_from_disk(struct jit_engine *engine, struct jit_entry *entry, void **code)
{
    if (engine->tier != JIT_QUICK && from_disk(engine, entry, false, code)) {
        entry->initial_heat = 0;
        return true;
    }
    return begins_quick(engine, entry) && from_disk(engine, entry, true, code);
}

static int64_t heat_of(const struct jit_engine *engine, const struct jit_entry *entry)
{
    uint64_t heat = (entry->run_cost ? entry->run_cost : 1) * engine->hot_runs;

    if (engine->tier != JIT_AUTOMATIC || !entry->emit_key)
        return 0;
    return heat < INT64_MAX ? (int64_t)heat : INT64_MAX;
}

int jit_tier_ahead(struct jit_engine *engine, struct jit_entry *entry, const struct jit_request *request,
                   struct jit_job **job)
{
    return start(engine, entry, request, begins_quick(engine, entry), job, NULL);
}

bool jit_tier_is_on_disk(struct jit_engine *engine, const struct jit_entry *entry)
{
    const struct place quick = place_of(entry, true), optimised = place_of(entry, false);

    return engine->cache && ((engine->tier != JIT_QUICK && jit_cache_has(engine->cache, &optimised.key)) ||
                             (begins_quick(engine, entry) && jit_cache_has(engine->cache, &quick.key)));
}

int jit_tier_first(struct jit_engine *engine, struct jit_entry *entry, const struct jit_request *request,
                   struct jit_job *job, struct util_error *error)
{
    const bool quick = begins_quick(engine, entry);
    uint64_t since = jit_now_ns();
    void *code = NULL;
    int result = 0;

    entry->initial_heat = heat_of(engine, entry);
    if (job || !any_from_disk(engine, entry, &code)) {
        result = job ? finish(engine, entry, quick, job, &code, error)
                     : make(engine, entry, request, quick, &code, error);
        if (result && !quick && entry->emit_key) { /* the quick compile's answer counts */
            if (error)
                error->code = 0;
            result = make(engine, entry, request, true, &code, error);
        }
        if (!result)
            count(engine, &engine->stats.compiled, &engine->stats.compile_ns, since);
    }
    entry->function.engine = engine;
    atomic_store(&entry->function.code, code);
    atomic_store(&entry->function.heat, result ? 0 : entry->initial_heat);
    return result;
}

/* ---- what has run much ---- */

void jit_function_heat(struct jit_function *function)
{
    struct jit_entry *entry = (struct jit_entry *)function;
    struct jit_engine *engine = function->engine;
    bool queued = false;

    pthread_mutex_lock(&engine->lock);
    if (entry->is_hot) { /* two threads made it so */
    } else if (engine->queue_count == JIT_QUEUE_MAX) {
        atomic_store(&function->heat, entry->initial_heat);
    } else {
        entry->is_hot = queued = true;
        engine->queue[(engine->queue_first + engine->queue_count++) % JIT_QUEUE_MAX] = entry;
    }
    pthread_mutex_unlock(&engine->lock);
    if (queued && engine->has_background)
        jit_background_poke(&engine->background);
}

static struct jit_entry *next_in_queue(struct jit_engine *engine)
{
    struct jit_entry *entry = NULL;

    pthread_mutex_lock(&engine->lock);
    if (engine->queue_count) {
        entry = engine->queue[engine->queue_first];
        engine->queue_first = (engine->queue_first + 1) % JIT_QUEUE_MAX;
        engine->queue_count--;
        if (jit_engine_full_locked(engine))
            engine->queue_count = 0; /* what there is must do until the engine is renewed */
    }
    pthread_mutex_unlock(&engine->lock);
    return entry;
}

bool jit_tier_step(void *data)
{
    struct jit_engine *engine = data;
    struct jit_entry *entry = next_in_queue(engine);
    uint64_t start = jit_now_ns();
    void *code = NULL;

    if (!entry)
        return false;
    if (!make(engine, entry, NULL, false, &code, NULL)) {
        const struct place quick = place_of(entry, true);
        atomic_store_explicit(&entry->function.code, code, memory_order_release);
        if (engine->cache)
            jit_cache_remove(engine->cache, &quick.key);
        count(engine, &engine->stats.optimised, &engine->stats.optimise_ns, start);
    } else {
        count(engine, &engine->stats.not_optimised, NULL, 0);
    }
    return true;
}

void jit_engine_optimise(struct jit_engine *engine)
{
    while (!engine->has_background && jit_tier_step(engine))
        ;
}

void jit_engine_wait(struct jit_engine *engine)
{
    if (engine->has_background)
        jit_background_wait(&engine->background);
    else
        jit_engine_optimise(engine);
}
