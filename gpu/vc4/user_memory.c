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

static struct piece piece_at(const struct vc4_user_stores *stores, uint32_t at)
{
    struct piece p;
    memcpy(&p, stores->bytes + at, sizeof p);
    return p;
}

/* ---- which lines of memory were written: never too few of them ---- */

static void mark_lines(struct vc4_user_stores *stores, uint64_t address, uint32_t size)
{
    for (uint64_t line = address / 64; line <= (address + size - 1) / 64; line++)
        stores->lines[line % VC4_USER_STORE_LINES / 64] |= 1ull << line % 64;
}

bool vc4_user_is_written(const struct vc4_user_stores *stores, uint64_t address, uint32_t size)
{
    bool written = false;
    for (uint64_t line = address / 64; line <= (address + size - 1) / 64; line++)
        written |= stores->lines[line % VC4_USER_STORE_LINES / 64] >> line % 64 & 1;
    return written;
}

/* ---- reads ---- */

/* Own stores that lie over what was read, in the order they were made. */
static void patch(const struct vc4_user_stores *stores, uint64_t address, uint32_t size, uint8_t *out)
{
    for (uint32_t at = 0; at < stores->used;) {
        struct piece p = piece_at(stores, at);
        uint64_t from = UTIL_MAX(address, (uint64_t)p.address);
        uint64_t to = UTIL_MIN(address + size, (uint64_t)p.address + p.size);
        if (from < to)
            memcpy(out + (from - address), stores->bytes + at + sizeof p + (from - p.address), to - from);
        at += piece_size(p.size);
    }
}

bool vc4_user_read(struct vc4_user_qpu *qpu, uint64_t address, uint32_t size, void *out)
{
    const uint8_t *from = gpu_memory_at(qpu->memory, address, size);
    if (!from)
        return false;
    memcpy(out, from, size);
    if (qpu->stores.used && vc4_user_is_written(&qpu->stores, address, size)) {
        patch(&qpu->stores, address, size, out);
        qpu->stores.patched += qpu->stores.used;
    }
    return true;
}

/* ---- stores ---- */

/* What goes on where the last piece ends becomes part of it. */
static void add_piece(struct vc4_user_stores *stores, uint32_t address, uint32_t size, const void *bytes)
{
    struct piece p = {address, 0};
    if (stores->used) {
        p = piece_at(stores, stores->last);
        if (p.address + (uint64_t)p.size != address)
            p = (struct piece){address, 0};
    }
    if (!p.size)
        stores->last = stores->used;
    memcpy(stores->bytes + stores->last + sizeof p + p.size, bytes, size);
    p.size += size;
    memcpy(stores->bytes + stores->last, &p, sizeof p);
    stores->used = stores->last + piece_size(p.size);
}

bool vc4_user_write(struct vc4_user_qpu *qpu, uint64_t address, uint32_t size, const void *bytes)
{
    uint8_t *to = gpu_memory_at(qpu->memory, address, size);
    if (!to)
        return false;
    if (qpu->alone) {
        memcpy(to, bytes, size);
        return true;
    }
    add_piece(&qpu->stores, (uint32_t)address, size, bytes);
    mark_lines(&qpu->stores, address, size);
    qpu->careful = 1;
    return true;
}

void vc4_user_publish(struct vc4_user_qpu *qpu)
{
    struct vc4_user_stores *stores = &qpu->stores;
    if (!stores->used)
        return;
    for (uint32_t at = 0; at < stores->used;) {
        struct piece p = piece_at(stores, at);
        memcpy(qpu->memory->base + p.address, stores->bytes + at + sizeof p, p.size);
        at += piece_size(p.size);
    }
    memset(stores, 0, offsetof(struct vc4_user_stores, bytes));
}

bool vc4_user_is_full(const struct vc4_user_qpu *qpu)
{
    return qpu->stores.used > VC4_USER_STORE_ROOM - VC4_USER_STORE_MAX ||
           qpu->stores.patched > VC4_USER_PATCH_MAX;
}
