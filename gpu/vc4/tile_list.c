/* Compressed primitive lists: Guide tables 39 (triangles), 40 (lines) and 41 (points) of 16-bit indices, 42
 * (triangles) of coordinates. */
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
    gpu_fault_set(fault, kind, UNIT, r->at, "%s", what);
    return -1;
}

/* The code at reader->at, fetched once; how many of its bytes exist, the others are zero. */
static uint32_t fetch(const struct vc4_list_reader *r, uint64_t code[2])
{
    code[0] = code[1] = 0;
    if (r->at >= r->memory->size)
        return 0;
    uint64_t left = r->memory->size - r->at;
    uint32_t longest = r->primitive & VC4_LIST_COORDINATES ? VC4_LIST_MAX_XY : VC4_LIST_MAX_CODE;
    uint32_t there = left < longest ? (uint32_t)left : longest;
    if (there > 8)
        memcpy(&code[1], r->memory->base + r->at + 8, there - 8);
    memcpy(code, r->memory->base + r->at, left < sizeof code[0] ? there : sizeof code[0]);
    return there;
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
static inline uint32_t decode_triangle(uint64_t code, const uint32_t p[3], uint32_t n[3])
{
    unsigned kind = code & 3;
    if ((code & 0xff) == ABSOLUTE) {
        for (unsigned i = 0; i < 3; i++)
            n[i] = absolute(code, 8 + i * 16);
        return 7;
    }
    if (kind < 3) {
        n[0] = kind == 0 ? p[2] : kind == 1 ? p[0] : p[1];
        n[1] = kind == 0 ? p[1] : kind == 1 ? p[2] : p[0];
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

/* ---- coordinates ---- */

/* Offsets of `bits` bits from coordinate `base`; each half wraps by itself. */
static uint32_t moved(uint32_t base, uint64_t dx, uint64_t dy, unsigned bits)
{
    uint32_t x = base + (uint32_t)util_sext((uint32_t)dx, bits);
    uint32_t y = (base >> 16) + (uint32_t)util_sext((uint32_t)dy, bits);
    return (x & 0xffff) | y << 16;
}

static uint32_t decode_coordinates(const uint64_t code[2], const uint32_t p[3], uint32_t n[3])
{
    static const uint8_t common[3][2] = {{2, 1}, {0, 2}, {1, 0}};
    uint64_t c = code[0];
    unsigned kind = c & 3, second = c >> 2 & 3;
    if ((c & 0xff) == ABSOLUTE) {
        n[0] = (uint32_t)(c >> 8);
        n[1] = (uint32_t)(c >> 40 | code[1] << 24);
        n[2] = (uint32_t)(code[1] >> 8);
        return 13;
    }
    if (kind < 3) { /* bits 7:2 and 8, in this order, are the difference in x */
        n[0] = p[common[kind][0]];
        n[1] = p[common[kind][1]];
        n[2] = moved(p[2], (c >> 1 & 0x7e) | (c >> 8 & 1), c >> 9 & 0x7f, 7);
        return 2;
    }
    if (second < 3) {
        n[0] = p[common[second][0]];
        n[1] = p[common[second][1]];
        n[2] = moved(p[2], c >> 4 & 0x3ff, c >> 14 & 0x3ff, 10);
        return 3;
    }
    n[0] = (uint32_t)(c >> 32);
    n[1] = moved(n[0], c >> 4 & 0x7f, c >> 11 & 0x7f, 7);
    n[2] = moved(n[0], c >> 18 & 0x7f, c >> 25 & 0x7f, 7);
    return 8;
}

static uint32_t branch_target(uint32_t at, uint64_t code)
{
    int32_t lines = util_sext((uint32_t)util_bits(code, 8, 16), 16);
    return (at & ~(VC4_LIST_LINE - 1)) + (uint32_t)lines * VC4_LIST_LINE;
}

static struct util_walk_place list_place(uint32_t at)
{
    return (struct util_walk_place){at, {UTIL_WALK_NOWHERE, UTIL_WALK_NOWHERE}};
}

int vc4_list_read(struct vc4_list_reader *r, uint32_t index[3], struct gpu_fault *fault)
{
    for (;;) {
        uint32_t n[3] = {0, 0, 0}, size;
        uint64_t codes[2], code;
        uint32_t there = fetch(r, codes);
        code = codes[0];
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
        else if (r->primitive & VC4_LIST_COORDINATES)
            size = decode_coordinates(codes, r->previous, n);
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
            r->at += size;
            memcpy(r->previous, n, sizeof n);
            memcpy(index, n, sizeof n);
            return 1;
        }
        uint32_t target = branch_target(r->at, code);
        if (util_walk_returns(&r->walk, list_place(target))) {
            gpu_fault_set(fault, GPU_FAULT_TIMEOUT, UNIT, r->at,
                          "compressed primitive list goes round: it has been at 0x%08x", target);
            return -1;
        }
        r->at = target;
    }
}

/* Codings that lie in memory as a whole word, until one that vc4_list_read should look at. */
static uint32_t read_whole(struct vc4_list_reader *r, uint32_t (*index)[3], uint32_t room)
{
    uint64_t size = r->memory->size, end = size < 8 ? 0 : size - 7;
    const uint8_t *base = r->memory->base;
    uint32_t p[3] = {r->previous[0], r->previous[1], r->previous[2]}, count = 0, at = r->at;
    for (; count < room && count < r->budget && at < end; count++) {
        uint64_t code = util_load64(base + at);
        if ((code & 0xff) == VC4_LIST_ESCAPE || (code & 0xff) == VC4_LIST_BRANCH)
            break;
        uint32_t n[3];
        at += decode_triangle(code, p, n);
        for (unsigned i = 0; i < 3; i++)
            index[count][i] = p[i] = n[i];
    }
    memcpy(r->previous, p, sizeof p);
    r->at = at;
    r->budget -= count;
    return count;
}

uint32_t vc4_list_read_triangles(struct vc4_list_reader *r, uint32_t (*index)[3], uint32_t room, int *got,
                                 struct gpu_fault *fault)
{
    uint32_t count = 0;
    *got = 1;
    while (count < room && *got > 0) {
        count += read_whole(r, index + count, room - count);
        if (count < room && (*got = vc4_list_read(r, index[count], fault)) > 0)
            count++;
    }
    return count;
}

uint32_t vc4_list_place(const struct vc4_list_reader *reader)
{
    struct vc4_list_reader r = *reader;
    uint64_t codes[2];
    while (r.budget && fetch(&r, codes) >= 3 && (codes[0] & 0xff) == VC4_LIST_BRANCH) {
        r.at = branch_target(r.at, codes[0]);
        r.budget--;
        if (util_walk_returns(&r.walk, list_place(r.at)))
            break;
    }
    return r.at;
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

/* Differences of coordinates; false when one of them does not fit `bits` bits. */
static bool differ(uint32_t from, uint32_t to, unsigned bits, uint32_t *dx, uint32_t *dy)
{
    int32_t half = 1 << (bits - 1);
    int32_t x = (int16_t)(to & 0xffff) - (int16_t)(from & 0xffff);
    int32_t y = (int16_t)(to >> 16) - (int16_t)(from >> 16);
    *dx = (uint32_t)x & ((1u << bits) - 1);
    *dy = (uint32_t)y & ((1u << bits) - 1);
    return fits(x, half) && fits(y, half);
}

static uint32_t code_coordinates(const uint32_t p[3], const uint32_t n[3], uint8_t *out)
{
    uint32_t dx, dy, dx2, dy2;
    uint32_t kind = n[0] == p[2] && n[1] == p[1]   ? 0
                    : n[0] == p[0] && n[1] == p[2] ? 1
                    : n[0] == p[1] && n[1] == p[0] ? 2
                                                   : 3;
    if (kind < 3 && differ(p[2], n[2], 7, &dx, &dy) && dx >> 1 != 32) /* 64 and 65 are special codes */
        return put(out, kind | (dx & 0x7e) << 1 | (dx & 1) << 8 | dy << 9, 2);
    if (kind < 3 && differ(p[2], n[2], 10, &dx, &dy))
        return put(out, 3 | kind << 2 | dx << 4 | dy << 14, 3);
    if (differ(n[0], n[1], 7, &dx, &dy) && differ(n[0], n[2], 7, &dx2, &dy2))
        return put(out, 15 | dx << 4 | dy << 11 | dx2 << 18 | (uint64_t)dy2 << 25 | (uint64_t)n[0] << 32, 8);
    out[0] = ABSOLUTE;
    memcpy(out + 1, n, 12);
    return 13;
}

uint32_t vc4_list_code(uint8_t primitive, uint32_t previous[3], const uint32_t index[3], uint8_t *out)
{
    int32_t p[3], n[3];
    if (primitive & VC4_LIST_COORDINATES) {
        uint32_t size = code_coordinates(previous, index, out);
        memcpy(previous, index, sizeof p);
        return size;
    }
    memcpy(p, previous, sizeof p);
    memcpy(n, index, sizeof n);
    memcpy(previous, index, sizeof p);
    return primitive == VC4_TRIANGLES ? code_triangle(p, n, out)
           : primitive == VC4_LINES   ? code_line(p, n, out)
                                      : code_point(p, n, out);
}
