/* Speculative runs: pages granted one by one, undone by marks. Workers share but the words of pages, of which each
 * mostly has those around its own: lists and copies are a worker's, so that no line of the host's caches goes to and
 * fro. */
#include "gpu/speculation.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <xmmintrin.h>

#include "util/bits.h"

enum {
    KEPT = 8,   /* of a page's word, beside enum gpu_right: it is read by who does not ask, until _close */
    SAVING = 4, /* likewise: it is granted when its bytes are saved */
    SLOTS = 16384,
    SLOTS_OF_WORKER = 1024, /* pages that it can be the first to store to */
    EIGHTS = GPU_SPECULATION_MARKS / 8,
    LINE = 64
};

/* What somebody has been granted. */
struct grants {
    _Alignas(LINE) uint32_t *page; /* GPU pages whose word is not 0 */
    uint32_t count;
    uint32_t *slot; /* GPU pages that are stored to */
    uint32_t slot_count;
};

struct gpu_speculation {
    const struct gpu_space *space; /* NULL: closed */
    unsigned workers;
    uint32_t slots; /* of a worker */
    bool runs;
    uint32_t *page; /* for each GPU page */
    uint32_t *user; /* for each guest page: 1 + the GPU page that it is granted as, or 0 */
    uint64_t user_count;
    struct grants *grants; /* of each worker; behind them of those who do not say which they are */
    uint8_t *saved;        /* of each slot, the worker's one after the other: what the page was */
    uint8_t *marks;        /* of each worker, of each slot */
    size_t marks_of_worker;
    pthread_mutex_t lock;               /* of the last one's grants */
    _Alignas(LINE) _Atomic bool failed; /* the run */
    _Atomic bool refused;               /* all runs until _close */
};

/* ---- one for many runs ---- */

static bool make_grants(struct gpu_speculation *s)
{
    s->grants = aligned_alloc(LINE, (s->workers + 1) * sizeof *s->grants);
    if (!s->grants)
        return false;
    memset(s->grants, 0, (s->workers + 1) * sizeof *s->grants);
    for (unsigned n = 0; n <= s->workers; n++) {
        s->grants[n].page = calloc(GPU_SPACE_PAGES, sizeof *s->grants[n].page);
        s->grants[n].slot = calloc(s->slots, sizeof *s->grants[n].slot);
        if (!s->grants[n].page || !s->grants[n].slot)
            return false;
    }
    return true;
}

int gpu_speculation_create(unsigned workers, struct gpu_speculation **out)
{
    struct gpu_speculation *s = aligned_alloc(LINE, util_align(sizeof *s, LINE));
    if (!s)
        return -ENOMEM;
    memset(s, 0, sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    s->workers = workers;
    s->slots = UTIL_MIN(SLOTS / workers, SLOTS_OF_WORKER);
    s->marks_of_worker =
        util_align((size_t)s->slots * workers * GPU_SPECULATION_MARKS + GPU_SPECULATION_SLACK, LINE);
    /* Large, and mostly never touched: the host gives pages when they are. */
    s->page = calloc(GPU_SPACE_PAGES, sizeof *s->page);
    s->saved = calloc((size_t)s->slots * workers, GPU_PAGE);
    s->marks = calloc(workers, s->marks_of_worker);
    if (!make_grants(s) || !s->page || !s->saved || !s->marks) {
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
    for (unsigned n = 0; s->grants && n <= s->workers; n++) {
        free(s->grants[n].page);
        free(s->grants[n].slot);
    }
    free(s->grants);
    free(s->page);
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

static bool replace(uint32_t *word, uint32_t from, uint32_t to)
{
    return __atomic_compare_exchange_n(word, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* A page that nobody has: false if somebody got it meanwhile. One that is stored to is saved first. */
static bool take(struct gpu_speculation *s, struct grants *g, uint32_t page, uint32_t want)
{
    bool stores = want & GPU_RIGHT_WRITE;
    if (!replace(&s->page[page], 0, stores ? SAVING : want))
        return false;
    g->page[g->count++] = page;
    if (!stores)
        return true;
    uint32_t slot = (uint32_t)(g - s->grants) * s->slots + g->slot_count;
    g->slot[g->slot_count++] = page;
    memcpy(s->saved + (size_t)slot * GPU_PAGE, s->space->window.base + (uint64_t)page * GPU_PAGE, GPU_PAGE);
    __atomic_store_n(&s->page[page], slot << GPU_SPACE_SHIFT | want, __ATOMIC_RELEASE);
    return true;
}

/* Whether its guest page is this GPU page's alone. */
static bool is_alone(struct gpu_speculation *s, uint32_t page)
{
    uint32_t *user = &s->user[s->space->page[page] >> GPU_SPACE_SHIFT];
    return replace(user, 0, page + 1) || __atomic_load_n(user, __ATOMIC_RELAXED) == page + 1;
}

/* A page for what `want` says: a right, and KEPT or not. Others may be at it. */
static bool grant(struct gpu_speculation *s, struct grants *g, uint32_t page, uint32_t want)
{
    const uint32_t right = want & ~(uint32_t)KEPT;
    if ((s->space->page[page] & right) != right)
        return false;
    for (uint32_t has; ((has = word_of(s, page)) & want) != want;) {
        if (has & SAVING)
            _mm_pause();
        else if (has & right) {
            replace(&s->page[page], has, has | want);
        } else if (has || (right == GPU_RIGHT_WRITE && g->slot_count == s->slots) || !is_alone(s, page)) {
            return false;
        } else if (take(s, g, page, want)) {
            return true;
        }
    }
    return true;
}

static bool in_window(uint64_t address, uint64_t size)
{
    const uint64_t end = (uint64_t)GPU_SPACE_PAGES * GPU_PAGE;
    return size && address < end && size <= end - address;
}

static bool may(struct gpu_speculation *s, struct grants *g, uint64_t address, uint64_t size, uint32_t want)
{
    if (!in_window(address, size))
        return false;
    for (uint64_t n = address / GPU_PAGE; n <= (address + size - 1) / GPU_PAGE; n++)
        if ((word_of(s, n) & want) != want && !grant(s, g, (uint32_t)n, want))
            return false;
    return true;
}

void gpu_speculation_reads(struct gpu_speculation *s, uint64_t address, uint64_t size)
{
    pthread_mutex_lock(&s->lock);
    if (!may(s, &s->grants[s->workers], address, size, GPU_RIGHT_READ | KEPT))
        atomic_store_explicit(&s->refused, true, memory_order_relaxed);
    pthread_mutex_unlock(&s->lock);
}

/* ---- workers ---- */

bool gpu_speculation_ask(struct gpu_speculation *s, unsigned worker, uint64_t address, uint32_t bytes,
                         uint32_t rights)
{
    return s->runs && may(s, &s->grants[worker], address, bytes, rights);
}

bool gpu_speculation_load(struct gpu_speculation *s, unsigned worker, uint64_t address, uint32_t bytes)
{
    return !s->runs || gpu_speculation_ask(s, worker, address, bytes, GPU_RIGHT_READ) || fail(s);
}

static uint8_t *marks_of(const struct gpu_speculation *s, unsigned worker, uint32_t slot)
{
    return s->marks + worker * s->marks_of_worker + (size_t)slot * GPU_SPECULATION_MARKS;
}

static void mark(struct gpu_speculation *s, unsigned worker, uint64_t address)
{
    uint32_t word = address % GPU_PAGE / 4, slot = word_of(s, address / GPU_PAGE) >> GPU_SPACE_SHIFT;
    marks_of(s, worker, slot)[word / 8] |= (uint8_t)(1u << word % 8);
}

bool gpu_speculation_store(struct gpu_speculation *s, unsigned worker, uint64_t address, uint32_t bytes)
{
    if (!s->runs)
        return true;
    if (address % 4 || bytes % 4 || !gpu_speculation_ask(s, worker, address, bytes, GPU_RIGHT_WRITE))
        return fail(s);
    for (uint32_t n = 0; n < bytes; n += 4)
        mark(s, worker, address + n);
    return true;
}

const uint32_t *gpu_speculation_pages(const struct gpu_speculation *s)
{
    return s->page;
}

uint8_t *gpu_speculation_marks(struct gpu_speculation *s, unsigned worker)
{
    return marks_of(s, worker, 0);
}

/* ---- a run ---- */

void gpu_speculation_begin(struct gpu_speculation *s)
{
    s->runs = true;
}

/* Takes all workers' marks of a stored page into the first one's. False: a word has two. */
static bool gather(struct gpu_speculation *s, uint32_t slot)
{
    uint64_t twice = 0, all[EIGHTS], mine[EIGHTS];
    memcpy(all, marks_of(s, 0, slot), sizeof all);
    for (unsigned w = 1; w < s->workers; w++) {
        uint64_t any = 0;
        memcpy(mine, marks_of(s, w, slot), sizeof mine);
        for (unsigned n = 0; n < EIGHTS; n++) {
            twice |= all[n] & mine[n];
            all[n] |= mine[n];
            any |= mine[n];
        }
        if (any)
            memset(marks_of(s, w, slot), 0, sizeof mine);
    }
    memcpy(marks_of(s, 0, slot), all, sizeof all);
    return !twice;
}

/* Stored words become what they were. */
static void restore(struct gpu_speculation *s, uint32_t slot, uint32_t page)
{
    uint8_t *at = s->space->window.base + (uint64_t)page * GPU_PAGE;
    const uint8_t *was = s->saved + (size_t)slot * GPU_PAGE, *marks = marks_of(s, 0, slot);
    for (unsigned n = 0; n < GPU_PAGE / 4; n++)
        if (marks[n / 8] >> n % 8 & 1)
            memcpy(at + 4 * n, was + 4 * n, 4);
}

/* The grants of the run, or all. */
static void forget(struct gpu_speculation *s, uint32_t keep)
{
    for (struct grants *g = s->grants; g <= &s->grants[s->workers]; g++) {
        uint32_t count = 0;
        for (uint32_t n = 0; n < g->count; n++) {
            uint32_t page = g->page[n];
            if (s->page[page] & keep) {
                g->page[count++] = page;
                continue;
            }
            s->page[page] = 0;
            s->user[s->space->page[page] >> GPU_SPACE_SHIFT] = 0;
        }
        g->count = count;
        g->slot_count = 0;
    }
}

bool gpu_speculation_end(struct gpu_speculation *s)
{
    bool good = !gpu_speculation_failed(s);
    for (unsigned w = 0; w < s->workers; w++)
        for (uint32_t n = 0; n < s->grants[w].slot_count; n++)
            good &= gather(s, w * s->slots + n);
    for (unsigned w = 0; w < s->workers; w++) {
        for (uint32_t n = 0; !good && n < s->grants[w].slot_count; n++)
            restore(s, w * s->slots + n, s->grants[w].slot[n]);
        memset(marks_of(s, 0, w * s->slots), 0, (size_t)s->grants[w].slot_count * GPU_SPECULATION_MARKS);
    }
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
