/* The VPM of user programs, and DMA between it and memory. */
#include "gpu/vc4/user_vpm.h"

#include <string.h>

#include "util/bits.h"

/* ---- generic writes, publication ---- */

static void mark(struct vc4_user_vpm *vpm, uint32_t row, uint64_t bytes)
{
    vpm->changed[row] |= bytes;
    vpm->changed_rows |= 1ull << row;
}

void vc4_user_vpm_put(struct vc4_user_vpm *vpm, struct vc4_vpm_access *access, const uint32_t value[16],
                      uint16_t lanes)
{
    uint32_t row = access->address & 63u;
    if (access->horizontal && access->size == 2 && lanes == 0xffff) {
        if (row < vpm->window) {
            memcpy(vpm->row[row], value, sizeof vpm->row[row]);
            mark(vpm, row, UINT64_MAX);
        }
        vc4_vpm_advance(access);
        return;
    }
    if (!access->horizontal && access->size == 2 && (row | 15) < vpm->window) {
        for (uint32_t i = 0, top = row & 0x30; i < 16; i++)
            if (lanes >> i & 1) {
                vpm->row[top + i][row & 15] = value[i];
                mark(vpm, top + i, 15ull << (row & 15) * 4);
            }
        vc4_vpm_advance(access);
        return;
    }
    for (uint32_t i = 0; i < 16; i++) {
        struct vc4_vpm_place p = vc4_vpm_place(access, i);
        if (!(lanes >> i & 1) || p.row >= vpm->window)
            continue;
        uint32_t mask = vc4_vpm_width_mask(access) << p.shift, *word = &vpm->row[p.row][p.column];
        *word = (*word & ~mask) | (value[i] << p.shift & mask);
        mark(vpm, p.row, ((1ull << (1u << access->size)) - 1) << (p.column * 4 + p.shift / 8));
    }
    vc4_vpm_advance(access);
}

uint64_t vc4_user_vpm_publish(struct vc4_user_vpm *to, struct vc4_user_vpm *from)
{
    uint64_t rows = from->changed_rows;
    for (uint64_t left = rows; left; left &= left - 1) {
        unsigned row = (unsigned)__builtin_ctzll(left);
        const uint8_t *in = (const uint8_t *)from->row[row];
        uint8_t *out = (uint8_t *)to->row[row];
        uint64_t bytes = from->changed[row];
        if (bytes == UINT64_MAX)
            memcpy(out, in, sizeof to->row[row]);
        else
            for (; bytes; bytes &= bytes - 1)
                out[__builtin_ctzll(bytes)] = in[__builtin_ctzll(bytes)];
        from->changed[row] = 0;
    }
    from->changed_rows = 0;
    return rows;
}

void vc4_user_vpm_refresh(struct vc4_user_vpm *to, const struct vc4_user_vpm *from, uint64_t rows)
{
    for (; rows; rows &= rows - 1) {
        unsigned row = (unsigned)__builtin_ctzll(rows);
        memcpy(to->row[row], from->row[row], sizeof to->row[row]);
    }
}

/* ---- DMA ---- */

static uint32_t or_default(uint64_t field, uint32_t zero_means)
{
    return field ? (uint32_t)field : zero_means;
}

/* MODEW of both tables: the width, and a half-word or byte number; false for the value that has no meaning.
 */
static bool mode(uint32_t modew, uint32_t *width, uint32_t *part)
{
    *width = modew == 0 ? 4 : modew < 4 ? 2 : 1;
    *part = modew == 0 ? 0 : modew < 4 ? modew & 1 : modew & 3;
    return modew != 1;
}

/* Tables 36 and 37; MPITCHB has 16 bits on the silicon, as STRIDE has (py-videocore's sgemm needs them).
 * "VPITCH is added to the Y address and Byte/Half-word sel": a sub-vector of 8 or 16 bits stands where a
 * packed generic access of that number stands. */
bool vc4_user_dma_load(uint32_t setup, uint32_t stride, struct vc4_user_dma *out)
{
    uint32_t part, mpitch = (uint32_t)util_bits(setup, 24, 4);
    *out = (struct vc4_user_dma){
        .vertical = util_bits(setup, 11, 1),
        .length = or_default(util_bits(setup, 20, 4), 16),
        .rows = or_default(util_bits(setup, 16, 4), 16),
        .step = or_default(util_bits(setup, 12, 4), 16),
        .y = (uint32_t)util_bits(setup, 4, 7),
        .x = (uint32_t)util_bits(setup, 0, 4),
        .pitch = mpitch ? 8u << mpitch : (uint32_t)util_bits(stride, 0, 16),
    };
    if (!(setup >> 31) || !mode((uint32_t)util_bits(setup, 28, 3), &out->width, &part))
        return false;
    out->offset = part;
    out->row_bytes = out->length * out->width;
    return true;
}

/* Tables 34 and 35: LANED is to be written as 0. STRIDE has 16 bits on the silicon (vc4asm's addendum).
 * BLOCKMODE changes nothing: table 35 calls 0 a pitch of one row or column, and QPULib, V3DLib and VC4C,
 * which run on the silicon, set it and rely on just that. */
bool vc4_user_dma_store(uint32_t setup, uint32_t stride, struct vc4_user_dma *out)
{
    uint32_t part;
    *out = (struct vc4_user_dma){
        .store = true,
        .vertical = !util_bits(setup, 14, 1),
        .rows = or_default(util_bits(setup, 23, 7), 128),
        .length = or_default(util_bits(setup, 16, 7), 128),
        .y = (uint32_t)util_bits(setup, 7, 7),
        .x = (uint32_t)util_bits(setup, 3, 4),
    };
    if (util_bits(setup, 30, 2) != 2 || util_bits(setup, 15, 1) ||
        !mode((uint32_t)util_bits(setup, 0, 3), &out->width, &part))
        return false;
    out->offset = part * out->width;
    out->row_bytes = out->length * out->width;
    out->pitch = out->row_bytes + (uint32_t)util_bits(stride, 0, 16);
    return true;
}

/* A row of the block in the VPM: elements follow each other byte by byte, along words of rows, or down the
 * words of a column. `at` is the first byte, counted from the array's beginning or from the column's top. */
struct row_place {
    uint32_t column, at;
};

static struct row_place row_place(const struct vc4_user_dma *dma, uint32_t row)
{
    if (dma->store) {
        if (!dma->vertical)
            return (struct row_place){0, (dma->y + row) * 64 + dma->x * 4 + dma->offset};
        uint32_t column = dma->x + row;
        return (struct row_place){column & 15, (dma->y + column / 16 * 16) * 4 + dma->offset};
    }
    uint32_t parts = 4 / dma->width, vector = dma->y * parts + dma->offset + row * dma->step;
    if (!dma->vertical)
        return (struct row_place){0, vector * 16 * dma->width + dma->x * 4};
    return (struct row_place){dma->x, vector / parts * 4 + vector % parts * 16 * dma->width};
}

/* Addresses wrap behind the last row, as those of generic accesses do. */
static uint32_t byte_place(const struct vc4_user_dma *dma, struct row_place p, uint32_t byte)
{
    uint32_t at = p.at + byte;
    if (dma->vertical)
        at = at / 4 * 64 + p.column * 4 + at % 4;
    return at % VC4_USER_VPM_BYTES;
}

void vc4_user_dma_put(const struct vc4_user_dma *dma, struct vc4_user_vpm *vpm, uint32_t row,
                      const uint8_t *bytes)
{
    struct row_place place = row_place(dma, row);
    uint8_t *all = (uint8_t *)vpm->row;
    uint32_t first = byte_place(dma, place, 0);
    if (!dma->vertical && first % 64 + dma->row_bytes <= 64) { /* within a row */
        if (first / 64 >= vpm->window)
            return;
        memcpy(all + first, bytes, dma->row_bytes);
        mark(vpm, first / 64,
             dma->row_bytes == 64 ? UINT64_MAX : ((1ull << dma->row_bytes) - 1) << first % 64);
        return;
    }
    for (uint32_t i = 0; i < dma->row_bytes; i += dma->width) {
        uint32_t at = byte_place(dma, place, i);
        if (at / 64 >= vpm->window)
            continue;
        memcpy(all + at, bytes + i, dma->width);
        mark(vpm, at / 64, ((1ull << dma->width) - 1) << at % 64);
    }
}

void vc4_user_dma_get(const struct vc4_user_dma *dma, const struct vc4_user_vpm *vpm, uint32_t row,
                      uint8_t *bytes)
{
    struct row_place place = row_place(dma, row);
    const uint8_t *all = (const uint8_t *)vpm->row;
    uint32_t first = byte_place(dma, place, 0);
    if (!dma->vertical && first + dma->row_bytes <= VC4_USER_VPM_BYTES) {
        memcpy(bytes, all + first, dma->row_bytes);
        return;
    }
    for (uint32_t i = 0; i < dma->row_bytes; i += dma->width)
        memcpy(bytes + i, all + byte_place(dma, place, i), dma->width);
}
