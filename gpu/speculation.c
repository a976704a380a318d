/* Speculative runs: pages granted one by one, undone by marks. */
#include "gpu/speculation.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <xmmintrin.h>

enum {
    KEPT = 8,   /* of a page's word, beside enum gpu_right: it is read by who does not ask, until _close */
    SAVING = 4, /* likewise: it is granted when its bytes are saved */
    WORDS = GPU_SPECULATION_MARKS,
    EIGHTS = WORDS / 8, /* eight marks at a time */
    SLOTS = GPU_SPECULATION_PAGES
};

struct gpu_speculation {
    const struct gpu_space *space; /* NULL: closed */
    unsigned workers;
    bool runs;
    _Atomic bool failed;  /* the run */
    _Atomic bool refused; /* all runs until _close */
    pthread_mutex_t lock; /* of what follows, but that words of `page` are read without it */
    uint32_t *page;       /* for each GPU page */
    uint32_t *granted;    /* GPU pages whose word is not 0 */
    uint32_t granted_count;
    uint32_t *user; /* for each guest page: 1 + the GPU page that it is granted as, or 0 */
    uint64_t user_count;
    uint32_t slot_count, slot[SLOTS]; /* GPU pages that are stored to */
    uint8_t *saved;                   /* what they were */
    uint64_t *marks;                  /* bytes: of each worker, SLOTS * WORDS */
};

/* ---- one for many runs ---- */

int gpu_speculation_create(unsigned workers, struct gpu_speculation **out)
{
    struct gpu_speculation *s = calloc(1, sizeof *s);
    if (!s)
        return -ENOMEM;
    pthread_mutex_init(&s->lock, NULL);
    s->workers = workers;
    /* Large, and mostly never touched: the host gives pages when they are. */
    s->page = calloc(GPU_SPACE_PAGES, sizeof *s->page);
    s->granted = calloc(GPU_SPACE_PAGES, sizeof *s->granted);
    s->saved = calloc(SLOTS, GPU_PAGE);
    s->marks = calloc(workers, (size_t)SLOTS * WORDS);
    if (!s->page || !s->granted || !s->saved || !s->marks) {
        gpu_speculation_destroy(s);
        return -ENOMEM;
    }
    *out = s;
    return 0;
}

void gpu_speculation_destroy(struct gpu_speculation *s)
{
    if (!s)
        return;
    pthread_mutex_destroy(&s->lock);
    free(s->page);
    free(s->granted);
    free(s->user);
    free(s->saved);
    free(s->marks);
    free(s);
}

int gpu_speculation_open(struct gpu_speculation *s, const struct gpu_space *space)
{
    uint64_t guest_pages = space->memory->size / GPU_PAGE;
    if (s->user_count < guest_pages) {
        free(s->user);
        s->user = calloc(guest_pages, sizeof *s->user);
        s->user_count = s->user ? guest_pages : 0;
    }
    s->space = s->user ? space : NULL;
    s->runs = false;
    atomic_store_explicit(&s->failed, false, memory_order_relaxed);
    atomic_store_explicit(&s->refused, false, memory_order_relaxed);
    return s->user ? 0 : -ENOMEM;
}

static uint64_t *marks_of(struct gpu_speculation *s, unsigned worker, uint32_t slot)
{
    return s->marks + ((size_t)worker * SLOTS + slot) * EIGHTS;
}

/* ---- pages ---- */

static bool fail(struct gpu_speculation *s)
{
    atomic_store_explicit(&s->failed, true, memory_order_relaxed);
    return false;
}

void gpu_speculation_fail(struct gpu_speculation *s)
{
    fail(s);
}

bool gpu_speculation_failed(const struct gpu_speculation *s)
{
    return atomic_load_explicit(&s->failed, memory_order_relaxed) ||
           atomic_load_explicit(&s->refused, memory_order_relaxed);
}

static uint32_t word_of(const struct gpu_speculation *s, uint64_t page)
{
    return __atomic_load_n(&s->page[page], __ATOMIC_ACQUIRE);
}

/* Takes a page for what `want` says: a right, and KEPT or not. Its word, still to be published, is *word: a page
 * that is stored to from now on is to be saved before. */
static bool take(struct gpu_speculation *s, uint32_t page, uint32_t want, uint32_t *word)
{
    const uint32_t right = want & ~(uint32_t)KEPT, has = s->page[page], is = s->space->page[page];
    uint32_t *user = &s->user[is >> GPU_SPACE_SHIFT], slot = 0;
    if ((is & right) != right || (has && !(has & right)) || (*user && *user != page + 1))
        return false;
    if (!has && right == GPU_RIGHT_WRITE) {
        if (s->slot_count == SLOTS)
            return false;
        slot = s->slot_count++;
        s->slot[slot] = page;
    }
    if (!has)
        s->granted[s->granted_count++] = page;
    *user = page + 1;
    *word = slot << GPU_SPACE_SHIFT | (has & KEPT) | want;
    return true;
}

static void publish(struct gpu_speculation *s, uint32_t page, uint32_t word)
{
    __atomic_store_n(&s->page[page], word, __ATOMIC_RELEASE);
}

/* Another worker may be at it: then its word is the answer. */
static bool grant(struct gpu_speculation *s, uint32_t page, uint32_t want)
{
    uint32_t word = 0, has;
    while (true) {
        pthread_mutex_lock(&s->lock);
        has = s->page[page];
        bool asked = (has & want) != want && !(has & SAVING), taken = asked && take(s, page, want, &word);
        if (taken)
            publish(s, page, word & GPU_RIGHT_WRITE ? SAVING : word);
        pthread_mutex_unlock(&s->lock);
        if (asked && !taken)
            return false;
        if (!asked && !(has & SAVING))
            return true;
        if (taken)
            break;
        while (word_of(s, page) & SAVING)
            _mm_pause();
    }
    if (word & GPU_RIGHT_WRITE) {
        memcpy(s->saved + (size_t)(word >> GPU_SPACE_SHIFT) * GPU_PAGE,
               s->space->window.base + (uint64_t)page * GPU_PAGE, GPU_PAGE);
        publish(s, page, word);
    }
    return true;
}

static bool in_window(uint64_t address, uint64_t size)
{
    const uint64_t end = (uint64_t)GPU_SPACE_PAGES * GPU_PAGE;
    return size && address < end && size <= end - address;
}

static bool may(struct gpu_speculation *s, uint64_t address, uint64_t size, uint32_t want)
{
    if (!in_window(address, size))
        return false;
    for (uint64_t n = address / GPU_PAGE; n <= (address + size - 1) / GPU_PAGE; n++)
        if ((word_of(s, n) & want) != want && !grant(s, (uint32_t)n, want))
            return false;
    return true;
}

void gpu_speculation_reads(struct gpu_speculation *s, uint64_t address, uint64_t size)
{
    if (!may(s, address, size, GPU_RIGHT_READ | KEPT))
        atomic_store_explicit(&s->refused, true, memory_order_relaxed);
}

/* ---- workers ---- */

bool gpu_speculation_load(struct gpu_speculation *s, uint64_t address, uint32_t bytes)
{
    return !s->runs || may(s, address, bytes, GPU_RIGHT_READ) || fail(s);
}

static uint8_t *mark_at(struct gpu_speculation *s, unsigned worker, uint64_t address)
{
    uint32_t slot = word_of(s, address / GPU_PAGE) >> GPU_SPACE_SHIFT;
    return gpu_speculation_marks(s, worker) + (size_t)slot * WORDS + address % GPU_PAGE / 4;
}

bool gpu_speculation_store(struct gpu_speculation *s, unsigned worker, uint64_t address, uint32_t bytes)
{
    if (!s->runs)
        return true;
    if (address % 4 || bytes % 4 || !may(s, address, bytes, GPU_RIGHT_WRITE))
        return fail(s);
    for (uint32_t n = 0; n < bytes; n += 4)
        *mark_at(s, worker, address + n) = 1;
    return true;
}

const uint32_t *gpu_speculation_pages(const struct gpu_speculation *s)
{
    return s->page;
}

uint8_t *gpu_speculation_marks(struct gpu_speculation *s, unsigned worker)
{
    return (uint8_t *)marks_of(s, worker, 0);
}

/* ---- a run ---- */

void gpu_speculation_begin(struct gpu_speculation *s)
{
    s->runs = true;
}

/* Takes all workers' marks of a stored page into the first one's. False: a word has two. */
static bool gather(struct gpu_speculation *s, uint32_t slot)
{
    uint64_t twice = 0, *all = marks_of(s, 0, slot);
    for (unsigned w = 1; w < s->workers; w++) {
        uint64_t *mine = marks_of(s, w, slot);
        for (unsigned n = 0; n < EIGHTS; n++) {
            twice |= all[n] & mine[n];
            all[n] |= mine[n];
            mine[n] = 0;
        }
    }
    return !twice;
}

/* Stored words become what they were. */
static void restore(struct gpu_speculation *s, uint32_t slot)
{
    uint8_t *page = s->space->window.base + (uint64_t)s->slot[slot] * GPU_PAGE;
    const uint8_t *was = s->saved + (size_t)slot * GPU_PAGE, *marks = (const uint8_t *)marks_of(s, 0, slot);
    for (unsigned n = 0; n < WORDS; n++)
        if (marks[n])
            memcpy(page + 4 * n, was + 4 * n, 4);
}

/* The grants of the run, or all. */
static void forget(struct gpu_speculation *s, uint32_t keep)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < s->granted_count; n++) {
        uint32_t page = s->granted[n];
        if (s->page[page] & keep) {
            s->granted[count++] = page;
            continue;
        }
        s->page[page] = 0;
        s->user[s->space->page[page] >> GPU_SPACE_SHIFT] = 0;
    }
    s->granted_count = count;
    s->slot_count = 0;
}

bool gpu_speculation_end(struct gpu_speculation *s)
{
    bool good = !gpu_speculation_failed(s);
    for (uint32_t n = 0; n < s->slot_count; n++)
        good &= gather(s, n);
    for (uint32_t n = 0; !good && n < s->slot_count; n++)
        restore(s, n);
    memset(s->marks, 0, (size_t)s->slot_count * WORDS);
    forget(s, KEPT);
    s->runs = false;
    atomic_store_explicit(&s->failed, false, memory_order_relaxed);
    return good;
}

void gpu_speculation_close(struct gpu_speculation *s)
{
    forget(s, 0);
    s->space = NULL;
}
