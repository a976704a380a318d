/* A Mali that only shows that it was driven rightly, for tests of the kernel's part: a task of the GP adds
 * one to the word at the start of its VS commands, a PP to the word at the start of its list, both through
 * the page tables. What a test sets makes tasks ask for heap, or never end. */
#ifndef VITRAIL_TESTS_DRM_LIMA_MOCK_H
#define VITRAIL_TESTS_DRM_LIMA_MOCK_H

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
#include <drm_fourcc.h>
#include <drm_mode.h>

#include "drm/drm.h"
#include "drm/lima/abi.h"
#include "drm/lima/regs.h"
#include "util/bits.h"

#define MOCK_WINDOW 0x30000u

struct mock {
    struct gpu_host host; /* without faults or pictures */
    struct gpu_memory *memory;
    uint32_t pp_count;
    bool is_450;
    bool hangs;      /* what is started does not end */
    bool no_mmu;     /* registers of MMUs do not answer */
    uint32_t heap;   /* bytes that a task of the GP fills */
    uint32_t grown;  /* times that more was given */
    uint32_t starts; /* of GP and PPs */
    uint32_t reg[MOCK_WINDOW / 4];
};

/* Physical address behind `address` by the tables of the MMU at `mmu`; 0: no page, a fault is raised. */
static inline uint64_t mock_walk(struct mock *m, uint32_t mmu, uint32_t address)
{
    const uint8_t *at = gpu_memory_at(m->memory, m->reg[(mmu + LIMA_MMU_DIRECTORY) / 4], GPU_PAGE);
    uint32_t entry = at ? util_load32(at + (address >> 22) * 4) : 0;
    at = entry & 1 ? gpu_memory_at(m->memory, entry & ~0xfffu, GPU_PAGE) : NULL;
    entry = at ? util_load32(at + (address >> 12 & 1023) * 4) : 0;
    if ((entry & 7) == 7)
        return (entry & ~0xfffu) + (address & 0xfff);
    m->reg[(mmu + LIMA_MMU_FAULT_ADDRESS) / 4] = address;
    m->reg[(mmu + LIMA_MMU_INT_STATUS) / 4] = 1;
    m->reg[(mmu + LIMA_MMU_STATUS) / 4] |= LIMA_MMU_FAULT_ACTIVE;
    return 0;
}

static inline bool mock_count(struct mock *m, uint32_t mmu, uint32_t address)
{
    uint64_t physical = mock_walk(m, mmu, address);
    if (!physical)
        return false;
    uint8_t *word = gpu_memory_at(m->memory, physical, 4);
    util_store32(word, util_load32(word) + 1);
    return true;
}

static inline void mock_raise(struct mock *m, uint32_t raw, uint32_t bits)
{
    m->reg[raw / 4] |= bits;
}

/* Fills the heap as far as it reaches, and ends when that is enough. */
static inline void mock_gp_go(struct mock *m)
{
    uint32_t end = m->reg[LIMA_GP_HEAP_END / 4], first = m->reg[0x80 / 4];
    m->reg[LIMA_GP_STATUS / 4] = LIMA_GP_ACTIVE;
    if (m->hangs)
        return;
    if (end - first < m->heap) {
        mock_raise(m, LIMA_GP_INT_RAW, LIMA_GP_IRQ_HEAP);
        return;
    }
    if (m->heap && !mock_count(m, LIMA_GP_MMU, first + m->heap - 4))
        return;
    if (!mock_count(m, LIMA_GP_MMU, m->reg[0] != m->reg[1] ? m->reg[0] : m->reg[2]))
        return;
    m->reg[LIMA_GP_STATUS / 4] = 0;
    mock_raise(m, LIMA_GP_INT_RAW, LIMA_GP_IRQ_ENDS);
}

static inline void mock_gp_command(struct mock *m, uint32_t value)
{
    bool waiting = m->reg[LIMA_GP_STATUS / 4] != 0;
    if (value & LIMA_GP_SOFT_RESET) {
        m->reg[LIMA_GP_STATUS / 4] = 0;
        mock_raise(m, LIMA_GP_INT_RAW, LIMA_GP_IRQ_RESET);
    }
    if (value & LIMA_GP_RESET)
        m->reg[LIMA_GP_STATUS / 4] = 0;
    if (value & LIMA_GP_UPDATE_HEAP && waiting) {
        m->grown++;
        mock_gp_go(m);
    }
    if (value & (LIMA_GP_START_VS | LIMA_GP_START_PLBU)) {
        m->starts++;
        m->reg[0x80 / 4] = m->reg[LIMA_GP_HEAP_START / 4];
        mock_gp_go(m);
    }
}

static inline void mock_pp_control(struct mock *m, uint32_t n, uint32_t value)
{
    uint32_t at = LIMA_PP(n);
    if (value & LIMA_PP_SOFT_RESET)
        mock_raise(m, at + LIMA_PP_INT_RAW, LIMA_PP_IRQ_RESET);
    if (!(value & LIMA_PP_START))
        return;
    m->starts++;
    if (!m->hangs && mock_count(m, LIMA_PP_MMU(n), m->reg[at / 4]))
        mock_raise(m, at + LIMA_PP_INT_RAW, LIMA_PP_IRQ_END);
}

static inline uint32_t mock_read(void *device, uint32_t offset)
{
    struct mock *m = device;
    if (offset == LIMA_GP_INT_STATUS)
        return m->reg[LIMA_GP_INT_RAW / 4] & m->reg[LIMA_GP_INT_MASK / 4];
    for (uint32_t n = 0; n < m->pp_count; n++)
        if (offset == LIMA_PP(n) + LIMA_PP_INT_STATUS)
            return m->reg[(LIMA_PP(n) + LIMA_PP_INT_RAW) / 4] & m->reg[(LIMA_PP(n) + LIMA_PP_INT_MASK) / 4];
    return m->reg[offset / 4];
}

static inline void mock_mmu_write(struct mock *m, uint32_t mmu, uint32_t offset, uint32_t value)
{
    if (m->no_mmu)
        return;
    if (offset == LIMA_MMU_DIRECTORY)
        value &= ~0xfffu;
    if (offset == LIMA_MMU_COMMAND && value == LIMA_MMU_RESET)
        m->reg[(mmu + LIMA_MMU_STATUS) / 4] = 0;
    if (offset == LIMA_MMU_INT_CLEAR)
        m->reg[(mmu + LIMA_MMU_INT_STATUS) / 4] &= ~value;
    m->reg[(mmu + offset) / 4] = value;
}

static inline void mock_pp_write(struct mock *m, uint32_t n, uint32_t offset, uint32_t value)
{
    m->reg[(LIMA_PP(n) + offset) / 4] = value;
    if (offset == LIMA_PP_INT_CLEAR)
        m->reg[(LIMA_PP(n) + LIMA_PP_INT_RAW) / 4] &= ~value;
    if (offset == LIMA_PP_CONTROL)
        mock_pp_control(m, n, value);
}

static inline bool is_mmu(const struct mock *m, uint32_t offset)
{
    for (uint32_t n = 0; n < m->pp_count; n++)
        if (offset - LIMA_PP_MMU(n) < 0x1000)
            return true;
    return false;
}

static inline void mock_write(void *device, uint32_t offset, uint32_t value)
{
    struct mock *m = device;
    if (offset - LIMA_GP_MMU < 0x1000) {
        mock_mmu_write(m, LIMA_GP_MMU, offset - LIMA_GP_MMU, value);
        return;
    }
    for (uint32_t n = 0; n < m->pp_count; n++) {
        bool all = m->is_450 && m->reg[LIMA_450_BROADCAST / 4] >> n & 1;
        if (offset - LIMA_PP_MMU(n) < 0x1000)
            mock_mmu_write(m, LIMA_PP_MMU(n), offset - LIMA_PP_MMU(n), value);
        if (m->is_450 && offset - LIMA_450_ALL_PP_MMU < 0x1000)
            mock_mmu_write(m, LIMA_PP_MMU(n), offset - LIMA_450_ALL_PP_MMU, value);
        if (offset - LIMA_PP(n) < 0x2000)
            mock_pp_write(m, n, offset - LIMA_PP(n), value);
        if (all && offset - LIMA_450_ALL_PP < 0x2000)
            mock_pp_write(m, n, offset - LIMA_450_ALL_PP, value);
    }
    if (!is_mmu(m, offset))
        m->reg[offset / 4] = value;
    if (offset == LIMA_GP_INT_CLEAR)
        m->reg[LIMA_GP_INT_RAW / 4] &= ~value;
    if (offset == LIMA_GP_COMMAND)
        mock_gp_command(m, value);
}

static const struct gpu_device_functions mock_functions = {.read = mock_read, .write = mock_write};

static inline struct gpu_device mock_gpu(struct mock *m, struct gpu_memory *memory, bool is_450)
{
    *m = (struct mock){.memory = memory, .is_450 = is_450, .pp_count = is_450 ? 6 : 2};
    m->reg[LIMA_GP_VERSION / 4] = is_450 ? 0x0d070000 : 0x0b070101;
    for (uint32_t n = 0; n < m->pp_count; n++)
        m->reg[(LIMA_PP(n) + LIMA_PP_VERSION) / 4] = is_450 ? 0xcf070000 : 0xcd070101;
    return (struct gpu_device){is_450 ? "mali450" : "mali400", &mock_functions, m, &m->host};
}

#endif
