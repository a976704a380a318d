/* Open addressing over pointers, at most half full, so that each search ends. A table that grows leaves the
 * old one to the arena: who still reads it misses what came later, and looks again under the lock.
 *
 * Pointers have four bits of a hash where their alignment leaves zeros: most entries of other keys are passed
 * without a look at their memory, which among thousands of things is in no cache. */
#include "util/memo.h"

#include <stdint.h>
#include <string.h>

#define XXH_INLINE_ALL /* most keys are a few words: a call would cost more than the hash */
#include <xxhash.h>

#include "util/bits.h"

#define FIRST_SLOTS 16u
#define MOST_SLOTS  (1u << 28)

/* The key's two parts stand before it, so that whoever searches finds what he compares in a cache line or
 * two, and the thing behind it. */
struct util_memo_entry {
    _Alignas(UTIL_MEMO_ALIGN) uint64_t hash;
    struct util_memo_entry *next;
    uint32_t head, tail; /* bytes */
    util_make_status status;
};

struct util_memo_table {
    uint32_t mask, count;     /* slots less one; entries, under the lock */
    _Atomic uintptr_t slot[]; /* entries with the tag of their hash; 0: free */
};

/* ---- pointers with tags ---- */

#define TAG_MASK ((uintptr_t)UTIL_MEMO_ALIGN - 1)

static uintptr_t tag_of(uint64_t hash)
{
    return hash >> 60 & TAG_MASK;
}

static struct util_memo_entry *entry_of(uintptr_t tagged)
{
    return (struct util_memo_entry *)(tagged & ~TAG_MASK);
}

static uintptr_t tagged(const struct util_memo_entry *e, uintptr_t tag)
{
    return (uintptr_t)e | tag;
}

void util_memo_init(struct util_memo *memo, struct util_maker *maker, struct util_arena *arena)
{
    *memo = (struct util_memo){.maker = maker, .arena = arena, .slots = FIRST_SLOTS};
}

/* What comes next is often as many. */
void util_memo_clear(struct util_memo *memo)
{
    const struct util_memo_table *table = atomic_load_explicit(&memo->table, memory_order_relaxed);
    uint32_t slots = memo->slots;
    if (table) {
        for (slots = FIRST_SLOTS; slots < table->count * 2;)
            slots *= 2;
    }
    *memo = (struct util_memo){
        .maker = memo->maker, .arena = memo->arena, .slots = slots, .recalls = memo->recalls};
}

/* ---- searching ---- */

static uint64_t hash_of(const struct util_memo_key *key)
{
    uint64_t hash = XXH3_64bits(key->head, key->head_size);
    return key->tail_size ? XXH3_64bits_withSeed(key->tail, key->tail_size, hash) : hash;
}

static uint8_t *thing_of(const struct util_memo_entry *e)
{
    return (uint8_t *)(uintptr_t)(e + 1);
}

/* Bytes before an entry that a key takes. */
static size_t key_room(size_t head, size_t tail)
{
    return util_align(head + tail, UTIL_MEMO_ALIGN);
}

static const uint8_t *key_of(const struct util_memo_entry *e)
{
    return (const uint8_t *)e - key_room(e->head, e->tail);
}

#define FEW_BYTES 128u

/* Most keys are a few words: a call would cost more than the comparison. */
static bool same_bytes(const uint8_t *a, const uint8_t *b, size_t size)
{
    if (size > FEW_BYTES)
        return !memcmp(a, b, size);
    for (; size >= 8; size -= 8, a += 8, b += 8)
        if (util_load64(a) != util_load64(b))
            return false;
    for (; size; size--)
        if (*a++ != *b++)
            return false;
    return true;
}

static bool has_key(const struct util_memo_entry *e, const struct util_memo_key *key)
{
    const uint8_t *own = key_of(e);
    return e->head == key->head_size && e->tail == key->tail_size && same_bytes(own, key->head, e->head) &&
           same_bytes(own + e->head, key->tail, e->tail);
}

/* Where a key's thing is kept when it was found, and under which tag. NULL: nowhere. */
static _Atomic uintptr_t *recent_of(struct util_memo *memo, const struct util_memo_key *key, uintptr_t *tag)
{
    if (!memo->recalls || key->head_size < sizeof(uint32_t))
        return NULL;
    uint32_t hash = util_load32(key->head) * 0x9e3779b1u;
    *tag = hash >> (28 - UTIL_MEMO_RECENT) & TAG_MASK;
    return &memo->recent[hash >> (32 - UTIL_MEMO_RECENT)];
}

static struct util_memo_entry *recall(_Atomic uintptr_t *recent, uintptr_t tag,
                                      const struct util_memo_key *key)
{
    uintptr_t last = recent ? atomic_load_explicit(recent, memory_order_acquire) : 0;
    struct util_memo_entry *e = entry_of(last);
    return e && (last & TAG_MASK) == tag && has_key(e, key) ? e : NULL;
}

/* The key's entry, or NULL, and then the slot where the search ended. */
static inline struct util_memo_entry *find(struct util_memo_table *table, uint64_t hash,
                                           const struct util_memo_key *key, uint32_t *slot)
{
    for (uint32_t i = (uint32_t)hash;; i++) {
        *slot = i & table->mask;
        uintptr_t there = atomic_load_explicit(&table->slot[*slot], memory_order_acquire);
        struct util_memo_entry *e = entry_of(there);
        if (!e || ((there & TAG_MASK) == tag_of(hash) && e->hash == hash && has_key(e, key)))
            return e;
    }
}

/* ---- adding, under the lock ---- */

static struct util_memo_table *table_make(struct util_arena *arena, uint32_t slots)
{
    size_t bytes = sizeof(struct util_memo_table) + slots * sizeof(_Atomic uintptr_t);
    struct util_memo_table *table = util_arena_alloc(arena, bytes);
    if (table) {
        memset(table, 0, bytes);
        table->mask = slots - 1;
    }
    return table;
}

static struct util_memo_table *table_grow(struct util_memo *memo, const struct util_memo_table *full)
{
    struct util_memo_table *table =
        full->mask >= MOST_SLOTS - 1 ? NULL : table_make(memo->arena, (full->mask + 1) * 2);
    if (!table)
        return NULL;
    for (struct util_memo_entry *e = memo->first; e; e = e->next) {
        uint32_t i = (uint32_t)e->hash & table->mask;
        while (atomic_load_explicit(&table->slot[i], memory_order_relaxed))
            i = (i + 1) & table->mask;
        atomic_store_explicit(&table->slot[i], tagged(e, tag_of(e->hash)), memory_order_relaxed);
    }
    table->count = full->count;
    return table;
}

static struct util_memo_entry *entry_make(struct util_memo *memo, uint64_t hash,
                                          const struct util_memo_key *key, size_t size)
{
    size_t room = key_room(key->head_size, key->tail_size);
    uint8_t *own = util_arena_alloc(memo->arena, room + sizeof(struct util_memo_entry) + size);
    if (!own)
        return NULL;
    struct util_memo_entry *e = (struct util_memo_entry *)(own + room);
    memset(e, 0, sizeof *e + size);
    e->hash = hash;
    e->head = (uint32_t)key->head_size;
    e->tail = (uint32_t)key->tail_size;
    atomic_init(&e->status, UTIL_MAKING);
    if (e->head)
        memcpy(own, key->head, e->head);
    if (e->tail)
        memcpy(own + e->head, key->tail, e->tail);
    return e;
}

/* The key's entry, which may have come meanwhile; *fresh: it was not there. NULL: no memory. */
static struct util_memo_entry *add(struct util_memo *memo, uint64_t hash, const struct util_memo_key *key,
                                   size_t size, bool *fresh)
{
    struct util_memo_table *table = atomic_load_explicit(&memo->table, memory_order_relaxed);
    struct util_memo_entry *e = NULL;
    uint32_t slot = 0;
    if (table && (e = find(table, hash, key, &slot)))
        return e;
    if (!table || table->count * 2 > table->mask) {
        table = table ? table_grow(memo, table) : table_make(memo->arena, memo->slots);
        if (!table)
            return NULL;
        find(table, hash, key, &slot);
        atomic_store_explicit(&memo->table, table, memory_order_release);
    }
    e = entry_make(memo, hash, key, size);
    if (!e)
        return NULL;
    *(memo->last ? &memo->last->next : &memo->first) = e;
    memo->last = e;
    table->count++;
    atomic_store_explicit(&table->slot[slot], tagged(e, tag_of(hash)), memory_order_release);
    *fresh = true;
    return e;
}

/* ---- for users ---- */

void *util_memo_get(struct util_memo *memo, const struct util_memo_key *key, size_t size,
                    enum util_make_status *status)
{
    uintptr_t tag = 0;
    _Atomic uintptr_t *recent = recent_of(memo, key, &tag);
    struct util_memo_entry *e = recall(recent, tag, key);
    bool fresh = false;

    *status = UTIL_NOT_MADE;
    if (!e) {
        struct util_memo_table *table = atomic_load_explicit(&memo->table, memory_order_acquire);
        uint64_t hash = hash_of(key);
        uint32_t slot;
        e = table ? find(table, hash, key, &slot) : NULL;
        if (!e) {
            pthread_mutex_lock(&memo->maker->lock);
            e = add(memo, hash, key, size, &fresh);
            pthread_mutex_unlock(&memo->maker->lock);
        }
        if (!e)
            return NULL;
        if (recent)
            atomic_store_explicit(recent, tagged(e, tag), memory_order_release);
    }
    if (fresh)
        *status = UTIL_MAKING;
    else if (util_make_wait(memo->maker, &e->status))
        *status = UTIL_MADE;
    return thing_of(e);
}

enum util_make_status util_memo_end(struct util_memo *memo, void *thing, bool made)
{
    struct util_memo_entry *e = (struct util_memo_entry *)thing - 1;
    util_make_end(memo->maker, &e->status, made);
    return made ? UTIL_MADE : UTIL_NOT_MADE;
}

const void *util_memo_head(const void *thing)
{
    return key_of((const struct util_memo_entry *)thing - 1);
}

bool util_memo_is_empty(const struct util_memo *memo)
{
    return !atomic_load_explicit(&memo->table, memory_order_relaxed);
}

void *util_memo_next(const struct util_memo *memo, const void *thing, bool *made)
{
    const struct util_memo_entry *e = thing ? ((const struct util_memo_entry *)thing - 1)->next : memo->first;
    if (!e)
        return NULL;
    *made = atomic_load_explicit(&e->status, memory_order_relaxed) == UTIL_MADE;
    return thing_of(e);
}
