/* Memory as one of several user programs sees it: what was there when the round began, and its own stores,
 * kept by lines of 64 bytes in a table. */
#include <string.h>

#include "gpu/vc4/user_internal.h"
#include "util/bits.h"

/* The place in the table where the line is, or where it would be. */
static uint32_t slot_of(const struct vc4_user_stores *stores, uint32_t number)
{
    uint32_t at = number * 0x9e3779b1u >> 16 & (VC4_USER_LINE_SLOTS - 1);
    while (stores->slot[at] && stores->line[stores->slot[at] - 1u].number != number)
        at = (at + 1) & (VC4_USER_LINE_SLOTS - 1);
    return at;
}

bool vc4_user_is_written(const struct vc4_user_stores *stores, uint32_t address)
{
    return stores->slot[slot_of(stores, address / 64)];
}

static uint64_t byte_mask(uint32_t first, uint32_t count)
{
    return util_bits(~0ull, 0, count) << first;
}

static void copy_masked(uint8_t *to, const uint8_t *from, uint64_t mask)
{
    for (; mask; mask &= mask - 1)
        to[__builtin_ctzll(mask)] = from[__builtin_ctzll(mask)];
}

/* Own stores that lie over what was read. */
static void patch(const struct vc4_user_stores *stores, uint64_t address, uint32_t size, uint8_t *out)
{
    while (size) {
        uint32_t first = address % 64, count = UTIL_MIN(size, 64 - first);
        uint32_t found = stores->slot[slot_of(stores, (uint32_t)(address / 64))];
        if (found) {
            const struct vc4_user_line *line = &stores->line[found - 1];
            copy_masked(out, line->bytes + first, (line->mask & byte_mask(first, count)) >> first);
        }
        address += count;
        out += count;
        size -= count;
    }
}

bool vc4_user_read(struct vc4_user_qpu *qpu, uint64_t address, uint32_t size, void *out)
{
    const uint8_t *from = gpu_memory_at(qpu->memory, address, size);
    if (!from)
        return false;
    memcpy(out, from, size);
    if (qpu->stores.used)
        patch(&qpu->stores, address, size, out);
    return true;
}

static struct vc4_user_line *line_at(struct vc4_user_stores *stores, uint32_t number)
{
    uint32_t at = slot_of(stores, number);
    if (!stores->slot[at]) {
        struct vc4_user_line *line = &stores->line[stores->used++];
        line->number = number;
        line->slot = at;
        line->mask = 0;
        stores->slot[at] = (uint16_t)stores->used;
    }
    return &stores->line[stores->slot[at] - 1u];
}

bool vc4_user_write(struct vc4_user_qpu *qpu, uint64_t address, uint32_t size, const void *bytes)
{
    uint8_t *to = gpu_memory_at(qpu->memory, address, size);
    const uint8_t *from = bytes;
    if (!to)
        return false;
    if (qpu->alone) {
        memcpy(to, from, size);
        return true;
    }
    while (size) {
        uint32_t first = address % 64, count = UTIL_MIN(size, 64 - first);
        struct vc4_user_line *line = line_at(&qpu->stores, (uint32_t)(address / 64));
        memcpy(line->bytes + first, from, count);
        line->mask |= byte_mask(first, count);
        address += count;
        from += count;
        size -= count;
    }
    qpu->careful = 1;
    return true;
}

void vc4_user_publish(struct vc4_user_qpu *qpu)
{
    struct vc4_user_stores *stores = &qpu->stores;
    for (uint32_t i = 0; i < stores->used; i++) {
        const struct vc4_user_line *line = &stores->line[i];
        uint8_t *to = qpu->memory->base + line->number * 64ull;
        if (line->mask == UINT64_MAX)
            memcpy(to, line->bytes, sizeof line->bytes);
        else
            copy_masked(to, line->bytes, line->mask);
        stores->slot[line->slot] = 0;
    }
    stores->used = 0;
}

bool vc4_user_is_full(const struct vc4_user_qpu *qpu)
{
    return qpu->stores.used > VC4_USER_LINES - VC4_USER_DMA_LINES;
}
