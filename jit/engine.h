/* The compiler: LLVM modules in, host code out. Nothing here knows about guests.
 *
 * An engine owns its LLVM state and all code made by it; code lives until the engine is destroyed or renewed.
 * Engines share one thread in the background, and nothing else. Code memory is W^X (written, then made
 * executable; never both).
 *
 * LLVM is not trusted with time, stack or the process: a module larger than the cap gives -E2BIG before LLVM
 * optimises it; each compile runs on a thread of its own, with a deep stack; one that passes the deadline
 * gives -ETIME at once. LLVM cannot be stopped, so that thread runs on in the background until LLVM comes
 * back, and its result is thrown away. An error that LLVM would end the process over gives -EINVAL (what LLVM
 * held is lost). In each case the caller falls back to the interpreter; the engine remembers the answer and
 * does not try that key again. */
#ifndef VITRAIL_JIT_ENGINE_H
#define VITRAIL_JIT_ENGINE_H

#include <llvm-c/Core.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/* Host vector levels, named explicitly: never "native". All give the same results. */
enum jit_level { JIT_SSE41, JIT_AVX2, JIT_AVX512, JIT_AVX512FP16, JIT_LEVEL_COUNT };

/* How AVX-512 loads a word for each of sixteen lanes: as sixteen loads or by the instruction, as the host does it
 * faster or as tests want it. Both give the same results; the other levels have their own ways. */
enum jit_gathers { JIT_GATHERS_FASTER, JIT_GATHERS_LOADS, JIT_GATHERS_INSTRUCTION };

/* Which code a function gets. Quick code is compiled some three times faster and runs a little slower;
 * automatic: quick code at once, optimised code in its place when the function has run much. All compute the
 * same. Whether a function is compiled at all is the quick compile's answer in every tier. */
enum jit_tier { JIT_QUICK, JIT_AUTOMATIC, JIT_OPTIMISED };

struct jit_engine;

struct jit_options {
    int level;             /* enum jit_level, or -1 for the best the host has */
    unsigned optimize;     /* enum jit_tier */
    unsigned gathers;      /* enum jit_gathers */
    bool background;       /* compile ahead (jit_engine_prepare) and, automatic, optimise on a thread of low
                            * priority that the process's engines share; otherwise in jit_engine_optimise */
    const char *cache_dir; /* object cache; NULL: jit_code_folder(false); "" : no disk cache */
    uint64_t cache_bytes;  /* of disk that the cache may take; 0: 256 MiB */
    uint64_t code_bytes;   /* of code in memory after which the engine is full; 0: 128 MiB */
    unsigned max_insns;    /* LLVM instructions a module may have; 0: 60000 (some seconds) */
    unsigned deadline_ms;  /* of processor time a compile may take; 0: 10000 */
    uint64_t hot_runs;     /* short runs after which a function has run much; 0: 16384 */
};

/* 0 and *out, or -ENOTSUP (host lacks the level), -ENOMEM, -EIO (LLVM could not start). Thread-safe. */
int jit_engine_create(const struct jit_options *options, struct jit_engine **out, struct util_error *error);
/* NULL is accepted; no code of it may be running. Waits for compiles in the background, a second or the
 * deadline at most; one that takes longer keeps its memory until it ends. */
void jit_engine_destroy(struct jit_engine *engine);

/* The user's folder of compiled code, which is made: code or code-sandboxed in $XDG_CACHE_HOME/vitrail or
 * ~/.cache/vitrail. What a process in a sandbox (util/sandbox/sandbox.h) wrote is never run outside one.
 * False when there can be none. */
bool jit_code_folder(bool sandboxed, char *path, size_t size);

enum jit_level jit_engine_level(const struct jit_engine *engine);
const char *jit_level_name(enum jit_level level); /* "sse4.1", "avx2", "avx512", "avx512fp16" */
bool jit_level_supported(enum jit_level level);   /* by this host */

/* Fills the module under construction through struct jit_builder (jit/builder.h); returns 0 or a negative
 * errno. The second form makes the same function of the request's key alone. */
struct jit_builder;
typedef int (*jit_emit_fn)(struct jit_builder *builder, void *data);
typedef int (*jit_emit_key_fn)(struct jit_builder *builder, const void *key, size_t key_size);

/* A request for one function. `key` identifies everything the code depends on (program words, state key,
 * feature level is added by the engine); equal keys share code, in memory and on disk. */
struct jit_request {
    const void *key;
    size_t key_size;
    const char *name; /* for listings and profiles; need not be unique; lives as long as the engine */
    jit_emit_fn emit;
    void *data;
    jit_emit_key_fn emit_key; /* NULL: the function is never compiled again */
    uint32_t run_cost;        /* what a short run of it costs, in the unit of jit_function_ran */
};

/* A function: its code may get better while it is held. Lives as long as code does. */
struct jit_function {
    _Atomic(void *) code; /* not NULL */
    _Atomic int64_t heat; /* what it may still cost until better code is worth while; 0: it is not, ever */
    struct jit_engine *engine;
};

/* Compiles (or finds) the function of a request. Its code is to be cast to the type that `emit` gave it.
 * Blocks; thread-safe: two threads asking for one key compile it once. 0, -E2BIG, -ETIME, -EINVAL (module
 * does not verify or LLVM failed: a bug of ours; the message has LLVM's words), -ENOMEM, -ENOSPC (the engine
 * is full and does not have this function: nothing was compiled), or what emit returned. */
int jit_engine_get_function(struct jit_engine *engine, const struct jit_request *request,
                            struct jit_function **out, struct util_error *error);
/* The same, for who keeps to the code there is now. */
int jit_engine_get(struct jit_engine *engine, const struct jit_request *request, void **out,
                   struct util_error *error);

/* Begins to compile a function that will be asked for soon, on another thread, where the engine has a
 * background and the request can be made again (emit_key). Whoever asks for it waits for the rest. A few
 * are begun at a time; others are left to who asks. */
void jit_engine_prepare(struct jit_engine *engine, const struct jit_request *request);

/* The code to call now. */
static inline void *jit_function_code(const struct jit_function *function)
{
    return atomic_load_explicit(&function->code, memory_order_acquire);
}

/* Calls have cost so much, guest instructions say. Wait-free but for the call that makes the function hot;
 * what threads add at once may be lost. */
void jit_function_heat(struct jit_function *function);
static inline void jit_function_ran(struct jit_function *function, uint64_t cost)
{
    int64_t heat = atomic_load_explicit(&function->heat, memory_order_relaxed);

    if (!heat)
        return;
    heat = cost < (uint64_t)heat ? heat - (int64_t)cost : 0;
    atomic_store_explicit(&function->heat, heat, memory_order_relaxed);
    if (!heat)
        jit_function_heat(function);
}

/* Optimises what has run much, on the calling thread; nothing where that is the background's. For a moment
 * when nobody waits for a result. */
void jit_engine_optimise(struct jit_engine *engine);
/* Waits until all that has run much is optimised. */
void jit_engine_wait(struct jit_engine *engine);

/* A guest may bring programs without end, so code has a limit. Who keeps addresses of code from one job to
 * the next joins; when the engine is full and has one user, that user, at a moment when none of the code
 * runs, forgets all its addresses and renews the engine, which then begins again without any code in memory.
 */
void jit_engine_join(struct jit_engine *engine);
void jit_engine_leave(struct jit_engine *engine);
bool jit_engine_is_full(struct jit_engine *engine);
/* 0; -EBUSY with several users; -ENOMEM, and the engine stays as it is. */
int jit_engine_renew(struct jit_engine *engine);

struct jit_stats {
    uint64_t compiled, memory_hits, disk_hits, disk_rejected; /* functions */
    uint64_t optimised;                                       /* functions whose quick code was replaced */
    uint64_t not_optimised;                                   /* that ran much, and could not be */
    uint64_t compile_ns, optimise_ns;                         /* what was waited for; what was not */
    uint64_t code_bytes;
};
void jit_engine_stats(struct jit_engine *engine, struct jit_stats *out);

#endif
