#include "jit/engine.h"

#include <errno.h>
#include <link.h>
#include <llvm-c/Analysis.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

#include "jit/builder.h"
#include "jit/cache.h"
#include "jit/compile.h"
#include "jit/linker.h"
#include "jit/target.h"

#define CODE_BYTES  (128u << 20)
#define ENTRIES_MAX 32768u /* functions: what LLVM keeps of each is more than its code */

/* A key and what became of it. Entries are removed only all together. */
struct entry {
    struct entry *next;
    struct jit_cache_key key;
    bool busy;
    int result;
    void *code;
    uint8_t bytes[];
};

struct jit_engine {
    enum jit_level level;
    unsigned optimize, max_insns, deadline_ms;
    uint64_t code_bytes;
    struct jit_machines *machines;
    struct jit_linker *linker;
    struct jit_cache *cache;
    uint64_t stamp[2]; /* everything besides the key that code depends on */

    pthread_mutex_t lock; /* of all below */
    pthread_cond_t ready;
    struct entry **buckets;
    size_t bucket_count, entry_count;
    unsigned users;
    struct jit_stats stats;
};

/* The identity of the binary this file is linked into, so that code cached by another build is never used:
 * its GNU build-id note. */
static int find_build_id(struct dl_phdr_info *info, size_t size, void *data)
{
    XXH3_state_t *state = data;
    uintptr_t self = (uintptr_t)find_build_id;
    bool ours = false;

    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + p->p_vaddr;
        ours |= p->p_type == PT_LOAD && self >= at && self - at < p->p_memsz;
    }
    for (int i = 0; ours && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_NOTE)
            XXH3_128bits_update(state, (const void *)(info->dlpi_addr + p->p_vaddr), p->p_memsz);
    }
    return ours;
}

static void make_stamp(struct jit_engine *engine)
{
    XXH3_state_t *state = XXH3_createState();
    unsigned version[3];
    char text[128];

    if (!state)
        return;
    LLVMGetVersion(&version[0], &version[1], &version[2]);
    int n = snprintf(text, sizeof text, "vitrail %s llvm %u.%u.%u level %s optimize %u", VITRAIL_VERSION,
                     version[0], version[1], version[2], jit_level_name(engine->level), engine->optimize);
    XXH3_128bits_reset(state);
    XXH3_128bits_update(state, text, (size_t)n);
    dl_iterate_phdr(find_build_id, state);
    XXH128_hash_t hash = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    engine->stamp[0] = hash.low64;
    engine->stamp[1] = hash.high64;
}

static enum jit_level best_level(void)
{
    enum jit_level level = JIT_AVX512;

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
    engine->optimize = options->optimize;
    engine->max_insns = options->max_insns ? options->max_insns : 60000;
    engine->deadline_ms = options->deadline_ms ? options->deadline_ms : 10000;
    engine->code_bytes = options->code_bytes ? options->code_bytes : CODE_BYTES;
    make_stamp(engine);
    engine->bucket_count = 256;
    engine->buckets = calloc(engine->bucket_count, sizeof(struct entry *));
    engine->machines = jit_machines_create(level, options->optimize);
    engine->linker = jit_linker_create(level, error);
    if (!engine->buckets || !engine->machines || !engine->linker) {
        bool started = engine->linker;
        jit_engine_destroy(engine);
        return started ? util_fail(error, -ENOMEM, "no memory for a compiler") : -EIO;
    }
    if (!options->cache_dir || options->cache_dir[0])
        engine->cache =
            jit_cache_open(options->cache_dir, options->cache_bytes ? options->cache_bytes : 256u << 20);
    *out = engine;
    return 0;
}

static void forget_entries(struct jit_engine *engine)
{
    for (size_t i = 0; engine->buckets && i < engine->bucket_count; i++) {
        for (struct entry *e = engine->buckets[i], *next; e; e = next) {
            next = e->next;
            free(e);
        }
        engine->buckets[i] = NULL;
    }
    engine->entry_count = 0;
}

void jit_engine_destroy(struct jit_engine *engine)
{
    if (!engine)
        return;
    forget_entries(engine);
    free(engine->buckets);
    if (engine->machines)
        jit_machines_wait(engine->machines, engine->deadline_ms > 1000 ? engine->deadline_ms : 1000);
    jit_linker_destroy(engine->linker);
    jit_machines_release(engine->machines);
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

/* Called with the lock held. */
static bool full(struct jit_engine *engine)
{
    return engine->entry_count >= ENTRIES_MAX || jit_linker_code_bytes(engine->linker) >= engine->code_bytes;
}

bool jit_engine_is_full(struct jit_engine *engine)
{
    pthread_mutex_lock(&engine->lock);
    bool is = full(engine);
    pthread_mutex_unlock(&engine->lock);
    return is;
}

int jit_engine_renew(struct jit_engine *engine)
{
    pthread_mutex_lock(&engine->lock);
    struct jit_linker *linker = engine->users <= 1 ? jit_linker_create(engine->level, NULL) : NULL;
    int result = linker ? 0 : engine->users > 1 ? -EBUSY : -ENOMEM;
    if (linker) {
        jit_linker_destroy(engine->linker);
        engine->linker = linker;
        forget_entries(engine);
    }
    pthread_mutex_unlock(&engine->lock);
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
    struct entry **buckets = calloc(count, sizeof(struct entry *));

    if (!buckets)
        return; /* longer chains, nothing worse */
    for (size_t i = 0; i < engine->bucket_count; i++) {
        for (struct entry *e = engine->buckets[i], *next; e; e = next) {
            next = e->next;
            struct entry **slot = &buckets[e->key.hash[0] & (count - 1)];
            e->next = *slot;
            *slot = e;
        }
    }
    free(engine->buckets);
    engine->buckets = buckets;
    engine->bucket_count = count;
}

/* Called with the lock held. A new entry is busy, and its maker's to fill. NULL: *result says why. */
static struct entry *find_entry(struct jit_engine *engine, const struct jit_cache_key *key, bool *created,
                                int *result)
{
    struct entry *e = engine->buckets[key->hash[0] & (engine->bucket_count - 1)];

    *created = false;
    for (; e; e = e->next) {
        if (e->key.hash[0] == key->hash[0] && e->key.hash[1] == key->hash[1] && e->key.size == key->size &&
            !memcmp(e->bytes, key->data, key->size))
            return e;
    }
    *result = full(engine) ? -ENOSPC : -ENOMEM;
    e = *result == -ENOSPC ? NULL : calloc(1, sizeof *e + key->size);
    if (!e)
        return NULL;
    memcpy(e->bytes, key->data, key->size);
    e->key = *key;
    e->key.data = e->bytes;
    e->busy = true;
    if (engine->entry_count++ >= engine->bucket_count)
        grow(engine);
    struct entry **slot = &engine->buckets[key->hash[0] & (engine->bucket_count - 1)];
    e->next = *slot;
    *slot = e;
    *created = true;
    return e;
}

static void count_one(struct jit_engine *engine, uint64_t *counter)
{
    pthread_mutex_lock(&engine->lock);
    ++*counter;
    pthread_mutex_unlock(&engine->lock);
}

static void builder_types(struct jit_builder *b)
{
    LLVMContextRef c = b->context;

    b->void_ = LLVMVoidTypeInContext(c);
    b->i1 = LLVMInt1TypeInContext(c);
    b->i8 = LLVMInt8TypeInContext(c);
    b->i16 = LLVMInt16TypeInContext(c);
    b->i32 = LLVMInt32TypeInContext(c);
    b->i64 = LLVMInt64TypeInContext(c);
    b->f32 = LLVMFloatTypeInContext(c);
    b->ptr = LLVMPointerTypeInContext(c, 0);
    b->i1x16 = LLVMVectorType(b->i1, JIT_LANES);
    b->i8x16 = LLVMVectorType(b->i8, JIT_LANES);
    b->i16x16 = LLVMVectorType(b->i16, JIT_LANES);
    b->i32x16 = LLVMVectorType(b->i32, JIT_LANES);
    b->i64x16 = LLVMVectorType(b->i64, JIT_LANES);
    b->f32x16 = LLVMVectorType(b->f32, JIT_LANES);
    b->ptrx16 = LLVMVectorType(b->ptr, JIT_LANES);
}

static uint64_t count_insns(LLVMModuleRef module)
{
    uint64_t count = 0;

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
                count++;
    return count;
}

static int check_module(const struct jit_engine *engine, const struct jit_builder *b, const char *name,
                        struct util_error *error)
{
    uint64_t count = count_insns(b->module);
    char *text = NULL;
    int result = 0;

    if (count > engine->max_insns)
        return util_fail(error, -E2BIG, "%s: %llu LLVM instructions, the cap is %u", name,
                         (unsigned long long)count, engine->max_insns);
    if (!LLVMGetNamedFunction(b->module, b->symbol))
        return util_fail(error, -EINVAL, "%s: no function was made", name);
    if (LLVMVerifyModule(b->module, LLVMReturnStatusAction, &text))
        result = util_fail(error, -EINVAL, "%s does not verify: %s", name, text);
    LLVMDisposeMessage(text);
    return result;
}

/* The request's module as an object file. */
static int compile(struct jit_engine *engine, const struct jit_request *request, const char *symbol,
                   LLVMMemoryBufferRef *object, struct util_error *error)
{
    const char *name = request->name ? request->name : symbol;
    struct jit_builder b = {.context = LLVMContextCreate(), .symbol = symbol, .level = engine->level};

    b.module = LLVMModuleCreateWithNameInContext(name, b.context);
    b.ir = LLVMCreateBuilderInContext(b.context);
    builder_types(&b);
    int result = request->emit(&b, request->data);
    if (result > 0)
        result = -EINVAL;
    if (!result)
        result = check_module(engine, &b, name, error);
    LLVMDisposeBuilder(b.ir);
    if (!result)
        return jit_compile(engine->machines, b.context, b.module, engine->deadline_ms, object, error);
    LLVMDisposeModule(b.module);
    LLVMContextDispose(b.context);
    return result;
}

static bool from_disk(struct jit_engine *engine, const struct jit_cache_key *key, const char *symbol,
                      void **code)
{
    void *object;
    size_t size;
    enum jit_cache_result found = jit_cache_load(engine->cache, key, &object, &size);

    if (found == JIT_CACHE_HIT) {
        LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(object, size, symbol);
        free(object);
        if (!jit_linker_add(engine->linker, buffer, symbol, code, NULL)) {
            count_one(engine, &engine->stats.disk_hits);
            return true;
        }
        jit_cache_remove(engine->cache, key);
        found = JIT_CACHE_REJECTED;
    }
    if (found == JIT_CACHE_REJECTED)
        count_one(engine, &engine->stats.disk_rejected);
    return false;
}

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int produce(struct jit_engine *engine, const struct jit_request *request,
                   const struct jit_cache_key *key, void **code, struct util_error *error)
{
    char symbol[48];
    LLVMMemoryBufferRef object;

    snprintf(symbol, sizeof symbol, "vt_%016llx%016llx", (unsigned long long)key->hash[1],
             (unsigned long long)key->hash[0]);
    if (engine->cache && from_disk(engine, key, symbol, code))
        return 0;
    uint64_t start = now_ns();
    int result = compile(engine, request, symbol, &object, error);
    if (result)
        return result;
    if (engine->cache)
        jit_cache_store(engine->cache, key, LLVMGetBufferStart(object), LLVMGetBufferSize(object));
    result = jit_linker_add(engine->linker, object, symbol, code, error);
    pthread_mutex_lock(&engine->lock);
    engine->stats.compiled += !result;
    engine->stats.compile_ns += now_ns() - start;
    pthread_mutex_unlock(&engine->lock);
    return result;
}

int jit_engine_get(struct jit_engine *engine, const struct jit_request *request, void **out,
                   struct util_error *error)
{
    struct jit_cache_key key;
    bool created;
    int result = 0;

    hash_key(engine, request, &key);
    pthread_mutex_lock(&engine->lock);
    struct entry *e = find_entry(engine, &key, &created, &result);
    if (e && !created) {
        while (e->busy)
            pthread_cond_wait(&engine->ready, &engine->lock);
        if (e->result != -ENOMEM || full(engine)) {
            engine->stats.memory_hits++;
            pthread_mutex_unlock(&engine->lock);
            *out = e->code;
            return e->result ? util_fail(error, e->result, "this function was refused before") : 0;
        }
        e->busy = true; /* memory may have come back: try again */
    }
    pthread_mutex_unlock(&engine->lock);
    if (!e)
        return util_fail(error, result, "no %s for a compiled function",
                         result == -ENOSPC ? "room" : "memory");

    void *code = NULL;
    result = produce(engine, request, &key, &code, error);
    pthread_mutex_lock(&engine->lock);
    e->busy = false;
    e->result = result;
    e->code = code;
    pthread_cond_broadcast(&engine->ready);
    pthread_mutex_unlock(&engine->lock);
    *out = code;
    return result;
}
