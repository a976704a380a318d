/* The compiler: LLVM modules in, host code out. Nothing here knows about guests.
 *
 * An engine owns its LLVM state and all code made by it; code lives until the engine is destroyed or renewed.
 * Engines share nothing mutable. Code memory is W^X (written, then made executable; never both).
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
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/* Host vector levels, named explicitly: never "native". All give the same results. */
enum jit_level { JIT_SSE41, JIT_AVX2, JIT_AVX512, JIT_LEVEL_COUNT };

struct jit_engine;

struct jit_options {
    int level;         /* enum jit_level, or -1 for the best the host has */
    unsigned optimize; /* 0 quick, 2 default */
    const char
        *cache_dir; /* object cache; NULL: $XDG_CACHE_HOME/vitrail or ~/.cache/vitrail; "" : no disk cache */
    uint64_t cache_bytes; /* of disk that the cache may take; 0: 256 MiB */
    uint64_t code_bytes;  /* of code in memory after which the engine is full; 0: 128 MiB */
    unsigned max_insns;   /* LLVM instructions a module may have; 0: 60000 (some seconds) */
    unsigned deadline_ms; /* of processor time a compile may take; 0: 10000 */
};

/* 0 and *out, or -ENOTSUP (host lacks the level), -ENOMEM, -EIO (LLVM could not start). Thread-safe. */
int jit_engine_create(const struct jit_options *options, struct jit_engine **out, struct util_error *error);
/* NULL is accepted; no code of it may be running. Waits for compiles in the background, a second or the
 * deadline at most; one that takes longer keeps its memory until it ends. */
void jit_engine_destroy(struct jit_engine *engine);

enum jit_level jit_engine_level(const struct jit_engine *engine);
const char *jit_level_name(enum jit_level level); /* "sse4.1", "avx2", "avx512" */
bool jit_level_supported(enum jit_level level);   /* by this host */

/* Fills the module under construction through struct jit_builder (jit/builder.h); returns 0 or a negative
 * errno. */
struct jit_builder;
typedef int (*jit_emit_fn)(struct jit_builder *builder, void *data);

/* A request for one function. `key` identifies everything the code depends on (program words, state key,
 * feature level is added by the engine); equal keys share code, in memory and on disk. */
struct jit_request {
    const void *key;
    size_t key_size;
    const char *name; /* for listings and profiles; need not be unique */
    jit_emit_fn emit;
    void *data;
};

/* Compiles (or finds) the function of a request. *out is the code's address: cast it to the type that `emit`
 * gave it. Blocks; thread-safe: two threads asking for one key compile it once. 0, -E2BIG, -ETIME, -EINVAL
 * (module does not verify or LLVM failed: a bug of ours; the message has LLVM's words), -ENOMEM, -ENOSPC
 * (the engine is full and does not have this function: nothing was compiled), or what emit returned. */
int jit_engine_get(struct jit_engine *engine, const struct jit_request *request, void **out,
                   struct util_error *error);

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
    uint64_t compile_ns, code_bytes;
};
void jit_engine_stats(struct jit_engine *engine, struct jit_stats *out);

#endif
