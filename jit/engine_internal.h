/* What the files of the engine share. Internal to jit/. */
#ifndef VITRAIL_JIT_ENGINE_INTERNAL_H
#define VITRAIL_JIT_ENGINE_INTERNAL_H

#include <llvm-c/TargetMachine.h>
#include <pthread.h>

#include "jit/background.h"
#include "jit/cache.h"
#include "jit/compile.h"
#include "jit/engine.h"
#include "jit/linker.h"

#define JIT_QUEUE_MAX 64u /* functions that wait for better code; who finds no room asks again later */

/* A key and what became of it. Entries are removed only all together. */
struct jit_entry {
    struct jit_function function; /* first: what users hold is the entry */
    struct jit_entry *next;
    struct jit_cache_key key;
    const char *name;
    uint32_t run_cost;
    struct jit_job *job;      /* begun ahead, and not asked for yet; the entry is not busy then */
    jit_emit_key_fn emit_key; /* NULL: there is one tier */
    bool busy, is_hot;
    int result;
    int64_t initial_heat;
    uint8_t bytes[];
};

#define JIT_AHEAD_MAX 8u /* compiles begun ahead that nobody has asked for yet */

struct jit_engine {
    enum jit_level level;
    enum jit_tier tier;
    bool gathers; /* by the instruction */
    unsigned max_insns, deadline_ms;
    uint64_t code_bytes, hot_runs;
    struct jit_machines *machines[2]; /* quick, optimised */
    struct jit_linker *linker;
    struct jit_cache *cache;
    uint64_t stamp[2]; /* everything besides the key and the tier that code depends on */
    bool has_background, looks_ahead;
    struct jit_background background;

    pthread_mutex_t lock; /* of all below */
    pthread_cond_t ready;
    struct jit_entry **buckets;
    size_t bucket_count, entry_count;
    unsigned users;
    struct jit_stats stats;
    struct jit_entry *queue[JIT_QUEUE_MAX]; /* a ring */
    unsigned queue_first, queue_count;
    struct jit_entry *ahead[JIT_AHEAD_MAX]; /* with a job, or NULL */
};

/* engine.c. Lock held: whether there is no room for more code. */
bool jit_engine_full_locked(struct jit_engine *engine);

/* module.c: begins to compile a module, as `quick` code or optimised; `emit` or, when it is NULL, the entry's
 * emit_key fills it. 0 and *job, or as jit_engine_get. */
int jit_module_start(struct jit_engine *engine, const struct jit_entry *entry, jit_emit_fn emit, void *data,
                     const char *symbol, bool quick, struct jit_job **job, struct util_error *error);

/* tier.c: begins to compile the first code of an entry: 0 and *job, or as jit_engine_get. */
int jit_tier_ahead(struct jit_engine *engine, struct jit_entry *entry, const struct jit_request *request,
                   struct jit_job **job);
bool jit_tier_is_on_disk(struct jit_engine *engine, const struct jit_entry *entry);
/* The first code of an entry that is busy with the caller, on success in entry->function: of the job, when it
 * is not NULL, and it is gone then; otherwise found on disk or compiled. `request` may be NULL when the entry
 * has emit_key. */
int jit_tier_first(struct jit_engine *engine, struct jit_entry *entry, const struct jit_request *request,
                   struct jit_job *job, struct util_error *error);
/* Gives one entry of the queue better code; whether there are more. */
bool jit_tier_step(void *engine);
uint64_t jit_now_ns(void);

#endif
