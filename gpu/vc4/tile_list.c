/* Compressed primitive lists: Guide tables 39 (triangles), 40 (lines) and 41 (points), 16-bit indices. */
#include "gpu/vc4/tile_list.h"

#include <string.h>

#include "gpu/vc4/device_internal.h"
#include "util/bits.h"

#define UNIT     "tile list"
#define ABSOLUTE 129u /* coding 3 */

/* ---- reading ---- */

void vc4_list_reader_init(struct vc4_list_reader *reader, const struct gpu_memory *memory, uint32_t address,
                          uint8_t primitive, uint64_t budget)
{
    *reader =
        (struct vc4_list_reader){.memory = memory, .at = address, .primitive = primitive, .budget = budget};
}

static int fail(const struct vc4_list_reader *r, enum gpu_fault_kind kind, const char *what,
                struct gpu_fault *fault)
{
    vc4_fault_set(fault, kind, UNIT, r->at, "%s", what);
    return -1;
}

/* The code at reader->at, fetched once: its low bytes, and how many of them exist. */
static uint64_t fetch(const struct vc4_list_reader *r, uint32_t *there)
{
    uint64_t code = 0;
    if (r->at >= r->memory->size) {
        *there = 0;
        return 0;
    }
    uint64_t left = r->memory->size - r->at;
    *there = left < VC4_LIST_MAX_CODE ? (uint32_t)left : VC4_LIST_MAX_CODE;
    memcpy(&code, r->memory->base + r->at, left < sizeof code ? *there : sizeof code);
    return code;
}

static uint32_t relative(uint32_t base, uint64_t code, unsigned lo, unsigned bits)
{
    return (base + (uint32_t)util_sext((uint32_t)util_bits(code, lo, bits), bits)) & 0xffff;
}

static uint32_t absolute(uint64_t code, unsigned lo)
{
    return (uint32_t)util_bits(code, lo, 16);
}

/* Each decodes one primitive into n and returns the length of its code; 0: a reserved coding. */
static uint32_t decode_triangle(uint64_t code, const uint32_t p[3], uint32_t n[3])
{
    static const uint8_t common[3][2] = {{2, 1}, {0, 2}, {1, 0}};
    unsigned kind = code & 3;
    if ((code & 0xff) == ABSOLUTE) {
        for (unsigned i = 0; i < 3; i++)
            n[i] = absolute(code, 8 + i * 16);
        return 7;
    }
    if (kind < 3) {
        n[0] = p[common[kind][0]];
        n[1] = p[common[kind][1]];
        n[2] = relative(p[2], code, 2, 6);
        return 1;
    }
    if ((code & 15) != 15) {
        for (unsigned i = 0; i < 3; i++)
            n[i] = relative(p[i], code, 4 + i * 4, 4);
        return 2;
    }
    n[0] = absolute(code, 16);
    n[1] = relative(n[0], code, 4, 6);
    n[2] = relative(n[0], code, 10, 6);
    return 4;
}

static uint32_t decode_line(uint64_t code, const uint32_t p[3], uint32_t n[3])
{
    unsigned kind = code & 3;
    if ((code & 0xff) == ABSOLUTE) {
        n[0] = absolute(code, 8);
        n[1] = absolute(code, 24);
        return 5;
    }
    if (kind < 2) {
        n[0] = p[1 - kind];
        n[1] = relative(p[1], code, 2, 6);
        return 1;
    }
    if (kind == 2) {
        n[0] = absolute(code, 8);
        n[1] = relative(n[0], code, 2, 6);
        return 3;
    }
    n[0] = relative(p[0], code, 4, 4);
    n[1] = relative(p[1], code, 8, 4);
    return (code & 15) == 15 ? 0 : 2;
}

static uint32_t decode_point(uint64_t code, const uint32_t p[3], uint32_t n[3])
{
    unsigned kind = code & 3;
    if ((code & 0xff) == ABSOLUTE) {
        n[0] = absolute(code, 8);
        return 3;
    }
    n[0] = relative(p[0], code, 2, kind == 3 ? 14 : 6);
    return kind == 2 ? 0 : kind == 3 ? 2 : 1; /* coding 2 was never implemented (table 41) */
}

int vc4_list_read(struct vc4_list_reader *r, uint32_t index[3], struct gpu_fault *fault)
{
    for (;;) {
        uint32_t there, n[3] = {0, 0, 0}, size;
        uint64_t code = fetch(r, &there);
        if (!there)
            return fail(r, GPU_FAULT_LIST, "compressed primitive list leaves memory", fault);
        if ((code & 0xff) == VC4_LIST_ESCAPE) {
            r->at++;
            return 0;
        }
        if (!r->budget)
            return fail(r, GPU_FAULT_TIMEOUT, "compressed primitive list exceeds its budget", fault);
        r->budget--;
        bool branch = (code & 0xff) == VC4_LIST_BRANCH;
        if (branch)
            size = 3;
        else if (r->primitive == VC4_TRIANGLES)
            size = decode_triangle(code, r->previous, n);
        else if (r->primitive == VC4_LINES)
            size = decode_line(code, r->previous, n);
        else
            size = decode_point(code, r->previous, n);
        if (!size)
            return fail(r, GPU_FAULT_PACKET, "reserved coding in a compressed primitive list", fault);
        if (size > there)
            return fail(r, GPU_FAULT_LIST, "compressed primitive list leaves memory", fault);
        if (!branch) {
            r->code = r->at;
            r->at += size;
            memcpy(r->previous, n, sizeof n);
            memcpy(index, n, sizeof n);
            return 1;
        }
        int32_t lines = util_sext((uint32_t)util_bits(code, 8, 16), 16);
        r->at = (r->at & ~(VC4_LIST_LINE - 1)) + (uint32_t)lines * VC4_LIST_LINE;
    }
}

/* ---- writing ---- */

/* Whether a difference fits a two's complement field whose most negative value is reserved (codings 0, and 2
 * of lines), or is not. */
static bool fits_31(int32_t d)
{
    return d >= -31 && d <= 31;
}
static bool fits(int32_t d, int32_t half)
{
    return d >= -half && d < half;
}

static uint32_t put(uint8_t *out, uint64_t code, uint32_t size)
{
    memcpy(out, &code, size);
    return size;
}

static uint32_t code_triangle(const int32_t p[3], const int32_t n[3], uint8_t *out)
{
    int32_t d = n[2] - p[2];
    if (fits_31(d)) {
        int kind = n[0] == p[2] && n[1] == p[1]   ? 0
                   : n[0] == p[0] && n[1] == p[2] ? 1
                   : n[0] == p[1] && n[1] == p[0] ? 2
                                                  : 3;
        if (kind < 3) {
            out[0] = (uint8_t)(kind | (d & 63) << 2);
            return 1;
        }
    }
    int32_t d0 = n[0] - p[0], d1 = n[1] - p[1];
    if (fits(d0, 8) && fits(d1, 8) && fits(d, 8))
        return put(out, (uint32_t)(3 | (d0 & 15) << 4 | (d1 & 15) << 8 | (d & 15) << 12), 2);
    d0 = n[1] - n[0], d1 = n[2] - n[0];
    if (fits(d0, 32) && fits(d1, 32))
        return put(out, (uint32_t)(15 | (d0 & 63) << 4 | (d1 & 63) << 10) | (uint32_t)n[0] << 16, 4);
    return put(out, ABSOLUTE | (uint64_t)n[0] << 8 | (uint64_t)n[1] << 24 | (uint64_t)n[2] << 40, 7);
}

static uint32_t code_line(const int32_t p[3], const int32_t n[3], uint8_t *out)
{
    int32_t d = n[1] - p[1];
    if (fits_31(d) && (n[0] == p[1] || n[0] == p[0])) {
        out[0] = (uint8_t)((n[0] != p[1]) | (d & 63) << 2);
        return 1;
    }
    int32_t d0 = n[0] - p[0];
    if (fits(d0, 8) && fits(d, 8))
        return put(out, (uint32_t)(3 | (d0 & 15) << 4 | (d & 15) << 8), 2);
    d = n[1] - n[0];
    if (fits_31(d))
        return put(out, (uint32_t)(2 | (d & 63) << 2 | n[0] << 8), 3);
    return put(out, ABSOLUTE | (uint64_t)n[0] << 8 | (uint64_t)n[1] << 24, 5);
}

static uint32_t code_point(const int32_t p[3], const int32_t n[3], uint8_t *out)
{
    int32_t d = n[0] - p[0];
    if (fits_31(d)) {
        out[0] = (uint8_t)((d & 63) << 2);
        return 1;
    }
    if (fits(d, 8192))
        return put(out, (uint32_t)(3 | (d & 0x3fff) << 2), 2);
    return put(out, ABSOLUTE | (uint64_t)n[0] << 8, 3);
}

uint32_t vc4_list_code(uint8_t primitive, uint32_t previous[3], const uint32_t index[3], uint8_t *out)
{
    int32_t p[3], n[3];
    memcpy(p, previous, sizeof p);
    memcpy(n, index, sizeof n);
    memcpy(previous, index, sizeof p);
    return primitive == VC4_TRIANGLES ? code_triangle(p, n, out)
           : primitive == VC4_LINES   ? code_line(p, n, out)
                                      : code_point(p, n, out);
}
