/* A Mali with a job manager that only shows that it was driven rightly, for tests of the kernel's part. Its
 * registers behave as drm/panfrost/README.md says, as far as the driver uses them.
 *
 * A chain is a list of struct mock_job. Each touches what it names through the page tables, and adds one to
 * its own `count`. The MMU keeps what it has looked up, pages that are not there too, until it is told to
 * forget. */
#ifndef VITRAIL_TESTS_DRM_PANFROST_MOCK_H
#define VITRAIL_TESTS_DRM_PANFROST_MOCK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <drm.h>
#include <drm_mode.h>

#include "drm/drm.h"
#include "drm/panfrost/abi.h"
#include "drm/panfrost/regs.h"
#include "util/bits.h"

#define MOCK_WINDOW  0x4000u
#define MOCK_SPACES  4u
#define MOCK_LOOKUPS 64u

enum mock_access { MOCK_EXECUTE = 1, MOCK_READ, MOCK_WRITE };

struct mock_job {
    uint32_t count;
    uint32_t fault;       /* not 0: it fails so */
    uint64_t program;     /* not 0: an address that it executes */
    uint64_t heap, bytes; /* written from `heap` on, a word every 64 KiB, and the last one */
    uint64_t next;        /* 0: no more */
};

struct mock_lookup {
    bool valid, there;
    uint32_t space, level;
    uint64_t page, entry;
};

struct mock {
    struct gpu_host host; /* without faults or pictures */
    struct gpu_memory *memory;
    bool no_reset, no_power; /* it does not do that */
    bool hangs, deaf;        /* chains do not end; nor do they stop */
    bool cannot_stand;       /* a page fault is the end of a chain at once */
    uint32_t exception;      /* not 0: what a page fault is called, whatever it is */
    void (*on_start)(void *data);
    void *data;
    uint32_t starts, resets, forgets, faults; /* counted */
    uint32_t config;                          /* of the last chain */
    struct mock_lookup lookups[MOCK_LOOKUPS];
    uint32_t next_lookup;
    bool active[PANFROST_JOB_SLOTS], standing;
    uint32_t slot;    /* that works or stands still */
    uint64_t job, at; /* where it is */
    uint32_t reg[MOCK_WINDOW / 4];
};

static inline uint64_t mock_pair(const struct mock *m, uint32_t offset)
{
    return m->reg[offset / 4] | (uint64_t)m->reg[offset / 4 + 1] << 32;
}

static inline void mock_set_pair(struct mock *m, uint32_t offset, uint64_t value)
{
    m->reg[offset / 4] = (uint32_t)value;
    m->reg[offset / 4 + 1] = (uint32_t)(value >> 32);
}

/* ---- MMU ---- */

static inline struct mock_lookup mock_walk(const struct mock *m, uint32_t space, uint64_t address)
{
    struct mock_lookup found = {.valid = true, .space = space, .page = address / GPU_PAGE};
    uint64_t table = m->reg[(PANFROST_AS(space) + 0x30) / 4]; /* what UPDATE has made of TRANSTAB */
    if ((table & 7) != PANFROST_TRANSTAB_TABLES)
        return found;
    for (uint32_t level = 0; level < 4; level++) {
        const uint8_t *at = gpu_memory_at(m->memory, table & PANFROST_PTE_ADDRESS, GPU_PAGE);
        assert_non_null(at);
        found.level = level;
        const uint64_t *entry = (const uint64_t *)(const void *)at + (address >> (39 - 9 * level) & 511);
        found.entry = __atomic_load_n(entry, __ATOMIC_RELAXED); /* programs make buffers meanwhile */
        if ((found.entry & PANFROST_PTE_TYPE) == PANFROST_PTE_LEAF && level >= 2) {
            found.there = true;
            break;
        }
        if ((found.entry & PANFROST_PTE_TYPE) != PANFROST_PTE_TABLE || level == 3) {
            assert_int_equal(found.entry, 0);
            break;
        }
        table = found.entry;
    }
    return found;
}

static inline const struct mock_lookup *mock_look_up(struct mock *m, uint32_t space, uint64_t address)
{
    for (uint32_t i = 0; i < MOCK_LOOKUPS; i++)
        if (m->lookups[i].valid && m->lookups[i].space == space && m->lookups[i].page == address / GPU_PAGE)
            return &m->lookups[i];
    struct mock_lookup *kept = &m->lookups[m->next_lookup++ % MOCK_LOOKUPS];
    *kept = mock_walk(m, space, address);
    return kept;
}

/* What stands there, or NULL and a page fault. */
static inline uint8_t *mock_access(struct mock *m, uint32_t space, uint64_t address, enum mock_access access)
{
    const struct mock_lookup *found = mock_look_up(m, space, address);
    uint64_t mask = found->level == 2 ? (2u << 20) - 1 : GPU_PAGE - 1;
    bool allowed = access == MOCK_EXECUTE
                       ? !(found->entry & PANFROST_PTE_NO_EXEC)
                       : found->entry & (access == MOCK_READ ? PANFROST_PTE_READ : PANFROST_PTE_WRITE);
    if (found->there && allowed)
        return gpu_memory_at(m->memory, (found->entry & PANFROST_PTE_ADDRESS) + (address & mask), 4);
    m->faults++;
    m->reg[(PANFROST_AS(space) + PANFROST_AS_FAULTSTATUS) / 4] =
        (m->exception ? m->exception : (found->there ? 0xc8 : 0xc0) | found->level) | (uint32_t)access << 8 |
        0x100u << 16;
    mock_set_pair(m, PANFROST_AS(space) + PANFROST_AS_FAULTADDRESS, address);
    m->reg[PANFROST_MMU_INT_RAWSTAT / 4] |= 1u << space;
    return NULL;
}

/* Forgets what it knows of the region that is locked. */
static inline void mock_forget(struct mock *m, uint32_t space)
{
    uint64_t lock = mock_pair(m, PANFROST_AS(space) + PANFROST_AS_LOCKADDR), width = lock & 63;
    uint64_t first = width == 63 ? 0 : lock >> width >> 1 << width << 1;
    uint64_t last = width == 63 ? UINT64_MAX : first + (2ull << width) - 1;
    for (uint32_t i = 0; i < MOCK_LOOKUPS; i++) {
        struct mock_lookup *l = &m->lookups[i];
        if (l->space == space && l->page * GPU_PAGE >= first && l->page * GPU_PAGE <= last)
            l->valid = false;
    }
    m->forgets++;
}

/* ---- slots ---- */

static inline void mock_end(struct mock *m, uint32_t status)
{
    m->active[m->slot] = m->standing = false;
    m->reg[(PANFROST_JS(m->slot) + PANFROST_JS_STATUS) / 4] = status;
    m->reg[PANFROST_JOB_INT_RAWSTAT / 4] |= status == 1 ? 1u << m->slot : 0x10000u << m->slot;
}

/* One job, from where it stood still on. False: it stands still, or the chain has failed. */
static inline bool mock_run_job(struct mock *m, uint32_t space)
{
    uint8_t *bytes = mock_access(m, space, m->job, MOCK_READ);
    if (!bytes)
        return false;
    struct mock_job job;
    memcpy(&job, bytes, sizeof job);
    if (job.program && !mock_access(m, space, job.program, MOCK_EXECUTE))
        return false;
    for (; m->at < job.bytes; m->at += 0x10000) {
        uint8_t *word = mock_access(m, space, job.heap + m->at, MOCK_WRITE);
        if (!word)
            return false;
        util_store32(word, util_load32(word) + 1);
    }
    bytes = mock_access(m, space, m->job, MOCK_WRITE);
    assert_non_null(bytes);
    util_store32(bytes, job.count + 1);
    mock_set_pair(m, PANFROST_JS(m->slot) + PANFROST_JS_TAIL, m->job);
    if (job.fault) {
        mock_end(m, job.fault);
        return false;
    }
    m->job = job.next;
    m->at = 0;
    return true;
}

static inline void mock_go(struct mock *m)
{
    uint32_t space = m->reg[(PANFROST_JS(m->slot) + PANFROST_JS_CONFIG) / 4] & 15;
    uint32_t faults = m->faults;
    m->standing = false;
    while (m->job) {
        if (m->hangs || gpu_host_cancelled(&m->host))
            return;
        if (!mock_run_job(m, space)) {
            m->standing = m->faults != faults;
            if (m->standing && m->cannot_stand)
                mock_end(m, 0x48);
            return;
        }
    }
    mock_end(m, 1);
}

static inline void mock_start(struct mock *m, uint32_t slot)
{
    uint32_t at = PANFROST_JS(slot);
    for (uint32_t i = 0; i < PANFROST_JOB_SLOTS; i++)
        assert_false(m->active[i]);
    m->starts++;
    m->slot = slot;
    m->active[slot] = true;
    m->job = mock_pair(m, at + PANFROST_JS_HEAD_NEXT);
    m->at = 0;
    m->config = m->reg[(at + PANFROST_JS_CONFIG_NEXT) / 4];
    mock_set_pair(m, at + PANFROST_JS_HEAD, m->job);
    m->reg[(at + PANFROST_JS_CONFIG) / 4] = m->config;
    m->reg[(at + PANFROST_JS_STATUS) / 4] = 8;
    if (m->on_start)
        m->on_start(m->data);
    mock_go(m);
}

static inline void mock_stop(struct mock *m, uint32_t slot, uint32_t command)
{
    bool flag = m->reg[(PANFROST_JS(slot) + PANFROST_JS_CONFIG) / 4] & PANFROST_JS_CHAIN_FLAG;
    bool hard = command == PANFROST_JS_HARD_STOP ||
                command == (flag ? PANFROST_JS_HARD_STOP_1 : PANFROST_JS_HARD_STOP_0);
    if (hard && m->active[slot] && !m->deaf)
        mock_end(m, 4);
}

/* ---- the window ---- */

static inline void mock_power_on(struct mock *m, uint32_t id)
{
    bool old = id >> 16 == 0x720;
    const struct {
        uint32_t offset, value;
    } rows[] = {
        {PANFROST_GPU_ID, id},
        {PANFROST_L2_FEATURES, 0x07120206},
        {PANFROST_TILER_FEATURES, 0x809},
        {PANFROST_MEM_FEATURES, 1},
        {PANFROST_MMU_FEATURES, old ? 0x2821 : 0x2830},
        {PANFROST_AS_PRESENT, (1u << MOCK_SPACES) - 1},
        {PANFROST_JS_PRESENT, 7},
        {PANFROST_JS_FEATURES, 0x20e},
        {PANFROST_JS_FEATURES + 4, 0x1fe},
        {PANFROST_JS_FEATURES + 8, 0x7e},
        {PANFROST_JS_FEATURES + 12, 0xbad}, /* of no slot */
        {PANFROST_SHADER_PRESENT, old ? 3 : 0xf},
        {PANFROST_TILER_PRESENT, 1},
        {PANFROST_L2_PRESENT, 1},
        {PANFROST_THREAD_MAX_THREADS, 256},
        {PANFROST_THREAD_MAX_WORKGROUP_SIZE, 256},
        {PANFROST_THREAD_MAX_BARRIER_SIZE, 256},
        {PANFROST_THREAD_FEATURES, 0x0a040400},
        {PANFROST_TEXTURE_FEATURES, 0x00fe001e},
        {PANFROST_TEXTURE_FEATURES + 4, 0xffff},
        {PANFROST_TEXTURE_FEATURES + 8, 0x9f81ffff},
        {PANFROST_AFBC_FEATURES, old ? 0 : 1},
        {PANFROST_TILER_CONFIG, 0x100},
    };
    memset(m->reg, 0, sizeof m->reg);
    memset(m->lookups, 0, sizeof m->lookups);
    memset(m->active, 0, sizeof m->active);
    m->standing = false;
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(rows); i++)
        m->reg[rows[i].offset / 4] = rows[i].value;
}

/* Bytes of a sample of counters. */
static inline uint32_t mock_sample_bytes(const struct mock *m)
{
    return m->reg[PANFROST_GPU_ID / 4] >> 16 == 0x720 ? 8 * 256 : (1 + 4 + 2) * 256;
}

static inline void mock_sample(struct mock *m)
{
    uint32_t config = m->reg[PANFROST_PERFCNT_CONFIG / 4], last = mock_sample_bytes(m) - 4;
    uint64_t base = mock_pair(m, PANFROST_PERFCNT_BASE);
    if ((config & 15) != 1)
        return;
    for (uint32_t at = 0; at <= last; at += last) {
        uint8_t *word = mock_access(m, config >> 4 & 15, base + at, MOCK_WRITE);
        assert_non_null(word);
        util_store32(word, m->starts + at);
    }
    m->reg[PANFROST_GPU_INT_RAWSTAT / 4] |= PANFROST_GPU_IRQ_SAMPLED;
}

static inline void mock_gpu_command(struct mock *m, uint32_t value)
{
    switch (value) {
    case PANFROST_SOFT_RESET:
        if (m->no_reset)
            return;
        m->resets++;
        mock_power_on(m, m->reg[PANFROST_GPU_ID / 4]);
        m->reg[PANFROST_GPU_INT_RAWSTAT / 4] |= PANFROST_GPU_IRQ_RESET;
        break;
    case PANFROST_PERFCNT_CLEAR: break;
    case PANFROST_PERFCNT_SAMPLE: mock_sample(m); break;
    case PANFROST_CLEAN_CACHES:
    case PANFROST_CLEAN_INVALIDATE_CACHES:
        m->reg[PANFROST_GPU_INT_RAWSTAT / 4] |= PANFROST_GPU_IRQ_CLEANED;
        break;
    default: fail_msg("GPU command %u", value);
    }
}

static inline void mock_space_command(struct mock *m, uint32_t space, uint32_t value)
{
    uint32_t at = PANFROST_AS(space) / 4;
    assert_true(space < MOCK_SPACES);
    if (value == PANFROST_AS_UPDATE)
        m->reg[at + 0x30 / 4] = m->reg[at];
    else if (value == PANFROST_AS_FLUSH_PT || value == PANFROST_AS_FLUSH_MEM)
        mock_forget(m, space);
    else
        assert_int_equal(value, PANFROST_AS_LOCK);
    if (!m->standing || value == PANFROST_AS_LOCK ||
        (m->reg[(PANFROST_JS(m->slot) + PANFROST_JS_CONFIG) / 4] & 15) != space)
        return;
    if (value == PANFROST_AS_FLUSH_PT)
        mock_go(m);
    else if (value == PANFROST_AS_UPDATE)
        mock_end(m, 0x48);
}

static inline uint32_t mock_read(void *device, uint32_t offset)
{
    struct mock *m = device;
    if (offset == PANFROST_GPU_INT_STAT || offset == PANFROST_JOB_INT_STAT || offset == PANFROST_MMU_INT_STAT)
        return m->reg[offset / 4 - 3] & m->reg[offset / 4 - 1];
    return m->reg[offset / 4];
}

static inline void mock_write(void *device, uint32_t offset, uint32_t value)
{
    struct mock *m = device;
    m->reg[offset / 4] = value;
    if (offset == PANFROST_GPU_INT_CLEAR || offset == PANFROST_JOB_INT_CLEAR ||
        offset == PANFROST_MMU_INT_CLEAR)
        m->reg[offset / 4 - 1] &= ~value;
    if (offset == PANFROST_GPU_COMMAND)
        mock_gpu_command(m, value);
    if (offset >= PANFROST_SHADER_PWRON && offset <= PANFROST_L2_PWRON)
        m->reg[(offset - 0x40) / 4] = m->no_power ? 0 : value; /* ready */
    for (uint32_t slot = 0; slot < PANFROST_JOB_SLOTS; slot++) {
        if (offset == PANFROST_JS(slot) + PANFROST_JS_COMMAND_NEXT && value == PANFROST_JS_START)
            mock_start(m, slot);
        if (offset == PANFROST_JS(slot) + PANFROST_JS_COMMAND)
            mock_stop(m, slot, value);
    }
    for (uint32_t space = 0; space < PANFROST_MOST_SPACES; space++)
        if (offset == PANFROST_AS(space) + PANFROST_AS_COMMAND)
            mock_space_command(m, space, value);
}

static const struct gpu_device_functions mock_functions = {.read = mock_read, .write = mock_write};

/* `product`: one of those of panfrost_card.h. */
static inline struct gpu_device mock_gpu(struct mock *m, struct gpu_memory *memory, uint32_t product)
{
    *m = (struct mock){.memory = memory};
    mock_power_on(m, product << 16 | (product == 0x860 ? 0x2000 : 0x1000));
    const char *name = product == 0x720    ? "t720"
                       : product == 0x750  ? "t760"
                       : product == 0x860  ? "t860"
                       : product == 0x6221 ? "g72"
                       : product == 0x7093 ? "g31"
                       : product == 0x7212 ? "g52"
                                           : "g57";
    return (struct gpu_device){name, &mock_functions, m, &m->host};
}

#endif
