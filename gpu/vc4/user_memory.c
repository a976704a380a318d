/* Memory as one of several user programs sees it: what was there when the round began, and its own stores. */
#include <string.h>

#include "gpu/vc4/user_internal.h"
#include "util/bits.h"

struct piece {
    uint32_t address, size;
};

static uint32_t piece_size(uint32_t bytes)
{
    return (uint32_t)(sizeof(struct piece) + util_align(bytes, 8));
}

/* Own stores that lie over what was read, in the order they were made. */
static void patch(const struct vc4_user_stores *stores, uint64_t address, uint32_t size, uint8_t *out)
{
    for (uint32_t at = 0; at < stores->used;) {
        struct piece p;
        memcpy(&p, stores->bytes + at, sizeof p);
        uint64_t from = UTIL_MAX(address, (uint64_t)p.address);
        uint64_t to = UTIL_MIN(address + size, (uint64_t)p.address + p.size);
        if (from < to)
            memcpy(out + (from - address), stores->bytes + at + sizeof p + (from - p.address), to - from);
        at += piece_size(p.size);
    }
}

bool vc4_user_read(const struct vc4_user_qpu *qpu, uint64_t address, uint32_t size, void *out)
{
    const uint8_t *from = gpu_memory_at(qpu->memory, address, size);
    if (!from)
        return false;
    memcpy(out, from, size);
    if (address < qpu->stores.high && address + size > qpu->stores.low)
        patch(&qpu->stores, address, size, out);
    return true;
}

bool vc4_user_write(struct vc4_user_qpu *qpu, uint64_t address, uint32_t size, const void *bytes)
{
    struct vc4_user_stores *stores = &qpu->stores;
    uint8_t *to = gpu_memory_at(qpu->memory, address, size);
    if (!to)
        return false;
    if (qpu->alone) {
        memcpy(to, bytes, size);
        return true;
    }
    const struct piece p = {(uint32_t)address, size};
    memcpy(stores->bytes + stores->used, &p, sizeof p);
    memcpy(stores->bytes + stores->used + sizeof p, bytes, size);
    stores->low = stores->used ? UTIL_MIN(stores->low, address) : address;
    stores->high = UTIL_MAX(stores->high, address + size);
    stores->used += piece_size(size);
    qpu->careful = 1;
    return true;
}

void vc4_user_publish(struct vc4_user_qpu *qpu)
{
    struct vc4_user_stores *stores = &qpu->stores;
    for (uint32_t at = 0; at < stores->used;) {
        struct piece p;
        memcpy(&p, stores->bytes + at, sizeof p);
        memcpy(qpu->memory->base + p.address, stores->bytes + at + sizeof p, p.size);
        at += piece_size(p.size);
    }
    stores->used = 0;
    stores->low = stores->high = 0;
}

bool vc4_user_is_full(const struct vc4_user_qpu *qpu)
{
    return qpu->stores.used > VC4_USER_STORE_ROOM - VC4_USER_STORE_MAX;
}
