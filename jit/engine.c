#include "jit/engine.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "jit/engine_internal.h"
#include "jit/target.h"
#include "util/build.h"

#define CODE_BYTES  (128u << 20)
#define ENTRIES_MAX 32768u /* functions: what LLVM keeps of each is more than its code */
#define HOT_RUNS    16384u /* a screen of 1280x720 pixels has 57600 blocks of sixteen */

/* Code cached by another build is never used. */
static void make_stamp(struct jit_engine *engine)
{
    XXH3_state_t *state = XXH3_createState();
    unsigned version[3];
    char text[128], build[UTIL_BUILD_ID];

    if (!state)
        return;
    util_build_id(build);
    LLVMGetVersion(&version[0], &version[1], &version[2]);
    int n = snprintf(text, sizeof text, "vitrail %s %s llvm %u.%u.%u level %s%s", VITRAIL_VERSION, build,
                     version[0], version[1], version[2], jit_level_name(engine->level),
                     engine->gathers ? " gathers" : "");
    XXH3_128bits_reset(state);
    XXH3_128bits_update(state, text, (size_t)n);
    XXH128_hash_t hash = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    engine->stamp[0] = hash.low64;
    engine->stamp[1] = hash.high64;
}

static enum jit_level best_level(void)
{
    enum jit_level level = JIT_LEVEL_COUNT - 1;

    while (level > JIT_SSE41 && !jit_level_supported(level))
        level--;
    return level;
}

int jit_engine_create(const struct jit_options *options, struct jit_engine **out, struct util_error *error)
{
    enum jit_level level = options->level < 0 ? best_level() : (enum jit_level)options->level;

    if (!jit_level_supported(level))
        return util_fail(error, -ENOTSUP, "this host does not have level %s", jit_level_name(level));
    if (!jit_target_init())
        return util_fail(error, -EIO, "LLVM has no x86 target");
    struct jit_engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        return util_fail(error, -ENOMEM, "no memory for a compiler");
    pthread_mutex_init(&engine->lock, NULL);
    pthread_cond_init(&engine->ready, NULL);
    engine->level = level;
    engine->tier = (enum jit_tier)options->optimize;
    engine->gathers = options->gathers == JIT_GATHERS_FASTER ? jit_target_gathers_fast()
                                                             : options->gathers == JIT_GATHERS_INSTRUCTION;
    engine->gathers &= level >= JIT_AVX512;
    engine->max_insns = options->max_insns ? options->max_insns : 60000;
    engine->deadline_ms = options->deadline_ms ? options->deadline_ms : 10000;
    engine->code_bytes = options->code_bytes ? options->code_bytes : CODE_BYTES;
    engine->hot_runs = options->hot_runs ? options->hot_runs : HOT_RUNS;
    make_stamp(engine);
    engine->bucket_count = 256;
    engine->buckets = calloc(engine->bucket_count, sizeof(struct jit_entry *));
    engine->machines[0] = jit_machines_create(level, 0);
    engine->machines[1] = jit_machines_create(level, 2);
    engine->linker = jit_linker_create(level, error);
    if (!engine->buckets || !engine->machines[0] || !engine->machines[1] || !engine->linker) {
        bool started = engine->linker;
        jit_engine_destroy(engine);
        return started ? util_fail(error, -ENOMEM, "no memory for a compiler") : -EIO;
    }
    if (!options->cache_dir || options->cache_dir[0])
        engine->cache =
            jit_cache_open(options->cache_dir, options->cache_bytes ? options->cache_bytes : 256u << 20);
    engine->looks_ahead = options->background;
    if (options->background && engine->tier == JIT_AUTOMATIC)
        engine->has_background = jit_background_join(&engine->background, jit_tier_step, engine);
    *out = engine;
    return 0;
}

static void forget_entries(struct jit_engine *engine)
{
    for (size_t i = 0; engine->buckets && i < engine->bucket_count; i++) {
        for (struct jit_entry *e = engine->buckets[i], *next; e; e = next) {
            next = e->next;
            jit_job_abandon(e->job);
            free(e);
        }
        engine->buckets[i] = NULL;
    }
    engine->entry_count = engine->queue_count = 0;
    memset(engine->ahead, 0, sizeof engine->ahead);
}

void jit_engine_destroy(struct jit_engine *engine)
{
    if (!engine)
        return;
    if (engine->has_background)
        jit_background_leave(&engine->background);
    forget_entries(engine);
    free(engine->buckets);
    for (unsigned i = 0; i < 2; i++)
        if (engine->machines[i])
            jit_machines_wait(engine->machines[i], engine->deadline_ms > 1000 ? engine->deadline_ms : 1000);
    jit_linker_destroy(engine->linker);
    for (unsigned i = 0; i < 2; i++)
        jit_machines_release(engine->machines[i]);
    jit_cache_close(engine->cache);
    pthread_cond_destroy(&engine->ready);
    pthread_mutex_destroy(&engine->lock);
    free(engine);
}

enum jit_level jit_engine_level(const struct jit_engine *engine)
{
    return engine->level;
}

void jit_engine_stats(struct jit_engine *engine, struct jit_stats *out)
{
    pthread_mutex_lock(&engine->lock);
    *out = engine->stats;
    out->code_bytes = jit_linker_code_bytes(engine->linker);
    pthread_mutex_unlock(&engine->lock);
}

void jit_engine_join(struct jit_engine *engine)
{
    pthread_mutex_lock(&engine->lock);
    engine->users++;
    pthread_mutex_unlock(&engine->lock);
}

void jit_engine_leave(struct jit_engine *engine)
{
    pthread_mutex_lock(&engine->lock);
    engine->users--;
    pthread_mutex_unlock(&engine->lock);
}

bool jit_engine_full_locked(struct jit_engine *engine)
{
    return engine->entry_count >= ENTRIES_MAX || jit_linker_code_bytes(engine->linker) >= engine->code_bytes;
}

bool jit_engine_is_full(struct jit_engine *engine)
{
    pthread_mutex_lock(&engine->lock);
    bool is = jit_engine_full_locked(engine);
    pthread_mutex_unlock(&engine->lock);
    return is;
}

int jit_engine_renew(struct jit_engine *engine)
{
    if (engine->has_background)
        jit_background_hold(&engine->background);
    pthread_mutex_lock(&engine->lock);
    struct jit_linker *linker = engine->users <= 1 ? jit_linker_create(engine->level, NULL) : NULL;
    int result = linker ? 0 : engine->users > 1 ? -EBUSY : -ENOMEM;
    if (linker) {
        jit_linker_destroy(engine->linker);
        engine->linker = linker;
        forget_entries(engine);
    }
    pthread_mutex_unlock(&engine->lock);
    if (engine->has_background)
        jit_background_release(&engine->background);
    return result;
}

static void hash_key(const struct jit_engine *engine, const struct jit_request *request,
                     struct jit_cache_key *key)
{
    XXH128_hash_t hash = XXH3_128bits_withSeed(request->key, request->key_size, engine->stamp[0]);

    key->data = request->key;
    key->size = request->key_size;
    key->hash[0] = hash.low64;
    key->hash[1] = hash.high64 ^ engine->stamp[1];
}

static void grow(struct jit_engine *engine)
{
    size_t count = 2 * engine->bucket_count;
    struct jit_entry **buckets = calloc(count, sizeof(struct jit_entry *));

    if (!buckets)
        return; /* longer chains, nothing worse */
    for (size_t i = 0; i < engine->bucket_count; i++) {
        for (struct jit_entry *e = engine->buckets[i], *next; e; e = next) {
            next = e->next;
            struct jit_entry **slot = &buckets[e->key.hash[0] & (count - 1)];
            e->next = *slot;
            *slot = e;
        }
    }
    free(engine->buckets);
    engine->buckets = buckets;
    engine->bucket_count = count;
}

/* Called with the lock held. */
static struct jit_entry *known_entry(const struct jit_engine *engine, const struct jit_cache_key *key)
{
    struct jit_entry *e = engine->buckets[key->hash[0] & (engine->bucket_count - 1)];

    while (e && (e->key.hash[0] != key->hash[0] || e->key.hash[1] != key->hash[1] ||
                 e->key.size != key->size || memcmp(e->bytes, key->data, key->size) != 0))
        e = e->next;
    return e;
}

/* Called with the lock held. A new entry is busy, and its maker's to fill. NULL: *result says why. */
static struct jit_entry *find_entry(struct jit_engine *engine, const struct jit_request *request,
                                    const struct jit_cache_key *key, bool *created, int *result)
{
    struct jit_entry *e = known_entry(engine, key);

    *created = !e;
    if (e)
        return e;
    *result = jit_engine_full_locked(engine) ? -ENOSPC : -ENOMEM;
    e = *result == -ENOSPC ? NULL : calloc(1, sizeof *e + key->size);
    if (!e)
        return NULL;
    memcpy(e->bytes, key->data, key->size);
    e->key = *key;
    e->key.data = e->bytes;
    e->name = request->name;
    e->emit_key = request->emit_key;
    e->run_cost = request->run_cost;
    e->busy = true;
    if (engine->entry_count++ >= engine->bucket_count)
        grow(engine);
    struct jit_entry **slot = &engine->buckets[key->hash[0] & (engine->bucket_count - 1)];
    e->next = *slot;
    *slot = e;
    return e;
}

/* Lock held. The entry becomes busy with the caller, who gets the job that was begun ahead, if any. */
static struct jit_job *take_entry(struct jit_engine *engine, struct jit_entry *e)
{
    struct jit_job *job = e->job;

    e->busy = true;
    e->job = NULL;
    for (unsigned i = 0; job && i < JIT_AHEAD_MAX; i++)
        if (engine->ahead[i] == e)
            engine->ahead[i] = NULL;
    return job;
}

static void give_entry(struct jit_engine *engine, struct jit_entry *e, int result)
{
    pthread_mutex_lock(&engine->lock);
    e->busy = false;
    e->result = result;
    pthread_cond_broadcast(&engine->ready);
    pthread_mutex_unlock(&engine->lock);
}

/* Lock held. Whether another has answered this request, and then with *result. */
static bool answered(struct jit_engine *engine, struct jit_entry *e, int *result, struct util_error *error)
{
    while (e->busy)
        pthread_cond_wait(&engine->ready, &engine->lock);
    if (e->job || (e->result == -ENOMEM && !jit_engine_full_locked(engine)))
        return false; /* it has only begun; or memory may have come back: try again */
    engine->stats.memory_hits++;
    *result = e->result ? util_fail(error, e->result, "this function was refused before") : 0;
    return true;
}

int jit_engine_get_function(struct jit_engine *engine, const struct jit_request *request,
                            struct jit_function **out, struct util_error *error)
{
    struct jit_cache_key key;
    struct jit_job *job = NULL;
    bool created;
    int result = 0;

    hash_key(engine, request, &key);
    *out = NULL;
    pthread_mutex_lock(&engine->lock);
    struct jit_entry *e = find_entry(engine, request, &key, &created, &result);
    bool done = e && !created && answered(engine, e, &result, error);
    if (e && !done)
        job = take_entry(engine, e);
    pthread_mutex_unlock(&engine->lock);
    if (!e)
        return util_fail(error, result, "no %s for a compiled function",
                         result == -ENOSPC ? "room" : "memory");
    if (!done) {
        result = jit_tier_first(engine, e, request, job, error);
        give_entry(engine, e, result);
    }
    if (!result)
        *out = &e->function;
    return result;
}

int jit_engine_get(struct jit_engine *engine, const struct jit_request *request, void **out,
                   struct util_error *error)
{
    struct jit_function *function;
    int result = jit_engine_get_function(engine, request, &function, error);

    *out = result ? NULL : jit_function_code(function);
    return result;
}

/* ---- ahead ---- */

/* Lock held. A place for another job: a free one, or one whose job is done; *stale is its entry then, busy
 * with the caller, and *job its job. */
static struct jit_entry **place_ahead(struct jit_engine *engine, struct jit_entry **stale,
                                      struct jit_job **job)
{
    for (unsigned i = 0; i < JIT_AHEAD_MAX; i++)
        if (!engine->ahead[i])
            return &engine->ahead[i];
    for (unsigned i = 0; i < JIT_AHEAD_MAX; i++)
        if (engine->ahead[i]->job && jit_job_is_done(engine->ahead[i]->job)) {
            *stale = engine->ahead[i];
            *job = take_entry(engine, *stale);
            return &engine->ahead[i];
        }
    return NULL;
}

void jit_engine_prepare(struct jit_engine *engine, const struct jit_request *request)
{
    struct jit_cache_key key;
    struct jit_entry *stale = NULL, *e = NULL, **place = NULL;
    struct jit_job *old = NULL, *job = NULL;
    bool created = false;
    int result;

    if (!engine->looks_ahead || !request->emit_key)
        return;
    hash_key(engine, request, &key);
    pthread_mutex_lock(&engine->lock);
    if (!known_entry(engine, &key))
        place = place_ahead(engine, &stale, &old);
    if (place)
        e = find_entry(engine, request, &key, &created, &result);
    if (e)
        *place = e;
    pthread_mutex_unlock(&engine->lock);
    if (stale)
        give_entry(engine, stale, jit_tier_first(engine, stale, NULL, old, NULL));
    if (!e)
        return;
    if (jit_tier_is_on_disk(engine, e) || jit_tier_ahead(engine, e, request, &job)) {
        give_entry(engine, e, jit_tier_first(engine, e, request, NULL, NULL));
        job = NULL;
    }
    pthread_mutex_lock(&engine->lock);
    *place = job ? e : NULL;
    if (job) {
        e->job = job;
        e->busy = false;
        pthread_cond_broadcast(&engine->ready);
    }
    pthread_mutex_unlock(&engine->lock);
}
