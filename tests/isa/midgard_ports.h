/* What the tests of Midgard's interpreter share: ports that remember what they were asked, a small memory, and
 * programs of text run in it. */
#ifndef VITRAIL_TESTS_ISA_MIDGARD_PORTS_H
#define VITRAIL_TESTS_ISA_MIDGARD_PORTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/midgard/asm.h"
#include "isa/midgard/interp.h"
#include "util/bits.h"
#include "util/fpenv.h"

/* What the ports were asked last, and a small memory. */
static struct {
    struct isa_attribute attribute;
    struct isa_access access;
    struct isa_texture_request texture;
    struct midgard_writeout writeout;
    uint16_t lanes;
    unsigned writeouts;
    uint32_t buffer[16], offset[16], selector[16], target, sample[16], format;
    enum midgard_tile form;
    enum isa_space space;
    uint8_t memory[256];
    uint32_t stored[4][16];
    const uint32_t (*varying)[16]; /* what a varying is; NULL: as attributes are */
} seen;

static void give(uint32_t out[4][16], uint32_t base)
{
    for (unsigned c = 0; c < 4; c++)
        for (unsigned l = 0; l < 16; l++)
            out[c][l] = util_f2u((float)(base + c) + (float)l / 16);
}

static bool attribute(void *ctx, const struct isa_attribute *a, uint16_t lanes, uint32_t out[4][16],
                      struct isa_place *fault)
{
    seen.attribute = *a;
    fault->lane = 3;
    fault->address = 0x123456789a;
    give(out, 1);
    if (seen.varying)
        memcpy(out, seen.varying, 4 * sizeof *out);
    return a->index[0] < 8;
}
static bool store_varying(void *ctx, const struct isa_attribute *a, uint16_t lanes,
                          const uint32_t value[4][16], struct isa_place *fault)
{
    seen.attribute = *a;
    seen.lanes = lanes;
    memcpy(seen.stored, value, sizeof seen.stored);
    return true;
}
static bool image_address(void *ctx, const struct isa_attribute *a, uint16_t lanes, uint64_t out[16],
                          struct isa_place *fault)
{
    seen.attribute = *a;
    for (unsigned l = 0; l < 16; l++)
        out[l] = 0x100000000ull * l + 0x1000;
    return true;
}
static bool uniform(void *ctx, const uint32_t buffer[16], const uint32_t offset[16], unsigned bytes,
                    uint16_t lanes, uint32_t out[4][16], struct isa_place *fault)
{
    memcpy(seen.buffer, buffer, sizeof seen.buffer);
    memcpy(seen.offset, offset, sizeof seen.offset);
    for (unsigned n = 0; n < (bytes + 3) / 4; n++)
        for (unsigned l = 0; l < 16; l++)
            out[n][l] = (0x84838281 + n * 0x04040404) & (bytes < 4 ? (1u << bytes * 8) - 1 : ~0u);
    return true;
}
static bool inside(const struct isa_access *a, uint16_t lanes, struct isa_place *fault)
{
    seen.access = *a;
    seen.lanes = lanes;
    for (unsigned l = 0; l < 16; l++)
        if (lanes >> l & 1 && (a->address[l] > sizeof seen.memory - a->bytes)) {
            *fault = (struct isa_place){l, a->address[l]};
            return false;
        }
    return true;
}
static bool load(void *ctx, const struct isa_access *a, uint16_t lanes, uint32_t out[4][16],
                 struct isa_place *fault)
{
    if (!inside(a, lanes, fault))
        return false;
    for (unsigned l = 0; l < 16; l++)
        for (unsigned n = 0; lanes >> l & 1 && n < a->bytes; n++)
            out[n / 4][l] |= (uint32_t)seen.memory[a->address[l] + n] << 8 * (n % 4);
    return true;
}
static bool store(void *ctx, const struct isa_access *a, uint16_t lanes, const uint32_t value[4][16],
                  struct isa_place *fault)
{
    if (!inside(a, lanes, fault))
        return false;
    for (unsigned l = 0; l < 16; l++)
        for (unsigned n = 0; lanes >> l & 1 && n < a->bytes; n++)
            if (a->enable >> n & 1)
                seen.memory[a->address[l] + n] = (uint8_t)(value[n / 4][l] >> 8 * (n % 4));
    return true;
}
static bool atomic(void *ctx, const struct isa_access *a, uint16_t lanes, const uint32_t value[2][16],
                   const uint32_t compare[2][16], uint32_t out[2][16], struct isa_place *fault)
{
    if (!inside(a, lanes, fault))
        return false;
    for (unsigned l = 0; l < 16; l++) {
        uint32_t old;
        if (!(lanes >> l & 1))
            continue;
        memcpy(&old, &seen.memory[a->address[l]], 4);
        uint32_t new = a->op == ISA_ATOMIC_ADD ? old + value[0][l] : old == compare[0][l] ? value[0][l] : old;
        memcpy(&seen.memory[a->address[l]], &new, 4);
        out[0][l] = old;
    }
    return true;
}
static void argument(void *ctx, enum midgard_argument which, uint32_t out[4][16])
{
    for (unsigned c = 0; c < 4; c++)
        for (unsigned l = 0; l < 16; l++)
            out[c][l] = (uint32_t)which * 0x100 + c * 0x10 + l;
}
static bool special(void *ctx, const uint32_t selector[16], enum isa_type type, uint16_t lanes,
                    uint32_t out[4][16], struct isa_place *fault)
{
    memcpy(seen.selector, selector, sizeof seen.selector);
    give(out, 5);
    return true;
}
static bool tile(void *ctx, enum midgard_tile form, uint32_t target, const uint32_t sample[16],
                 uint16_t lanes, uint32_t out[4][16], struct isa_place *fault)
{
    seen.form = form;
    seen.target = target;
    memcpy(seen.sample, sample, sizeof seen.sample);
    give(out, 20);
    return true;
}
static bool store_tile(void *ctx, enum midgard_tile form, uint32_t target, const uint32_t sample[16],
                       uint16_t lanes, const uint32_t value[4][16], struct isa_place *fault)
{
    seen.form = form;
    seen.target = target;
    memcpy(seen.stored, value, sizeof seen.stored);
    return true;
}
static bool pack(void *ctx, bool unpack, enum isa_type type, uint32_t format, const uint32_t in[4][16],
                 uint16_t lanes, uint32_t out[4][16], struct isa_place *fault)
{
    seen.format = format;
    for (unsigned l = 0; l < 16; l++)
        out[0][l] = in[0][l] + 1;
    return true;
}
static void cube(void *ctx, const uint32_t direction[3][16], uint32_t out[2][16])
{
    memcpy(out[0], direction[2], sizeof out[0]);
    memcpy(out[1], direction[1], sizeof out[1]);
}
static bool texture(void *ctx, const struct isa_texture_request *r, uint16_t lanes, uint32_t out[4][16],
                    struct isa_place *fault)
{
    seen.texture = *r;
    seen.lanes = lanes;
    give(out, 0);
    return true;
}
static bool writeout(void *ctx, const struct midgard_writeout *what, uint16_t lanes, struct isa_place *fault)
{
    seen.writeout = *what;
    seen.lanes = lanes;
    seen.writeouts++;
    return true;
}

static struct midgard_ports ports = {
    .numeric = ISA_EXACT,
    .attribute = attribute,
    .varying = attribute,
    .store_varying = store_varying,
    .image = attribute,
    .store_image = store_varying,
    .image_address = image_address,
    .uniform = uniform,
    .load = load,
    .store = store,
    .atomic = atomic,
    .argument = argument,
    .special = special,
    .tile = tile,
    .store_tile = store_tile,
    .pack = pack,
    .cube = cube,
    .texture = texture,
    .writeout = writeout,
};

static struct midgard_state state;
static struct midgard_traits traits;
static uint16_t lanes_given = 0xffff, helpers;
static struct midgard_program *program;

static inline struct midgard_report again(void)
{
    struct midgard_report report;
    unsigned saved = util_fpenv_enter();
    midgard_run(program, &ports, &state, &report, NULL, NULL);
    util_fpenv_leave(saved);
    return report;
}

/* Uniform n is (n, n + 0.25, n + 0.5, n + 0.75); the program stands at 0x1_0000_0000. */
static inline struct midgard_report run(const char *text)
{
    struct util_error error = {0};
    uint32_t uniforms[4][4];
    void *words;
    uint32_t count;
    if (midgard_asm(text, strlen(text), &words, &count, &error))
        fail_msg("'%s': %s", text, error.text);
    midgard_program_destroy(program);
    program = NULL;
    if (midgard_program_create(words, count, 0, &traits, &program, &error))
        fail_msg("'%s': %s", text, error.text);
    free(words);
    for (unsigned n = 0; n < 16; n++)
        uniforms[n / 4][n % 4] = util_f2u((float)(n / 4) + (float)(n % 4) / 4);
    struct midgard_input input = {.uniform = (const uint32_t(*)[4])uniforms,
                                  .uniform_count = 4,
                                  .address = 1ull << 32,
                                  .lanes = lanes_given,
                                  .helpers = helpers,
                                  .fuel = 100};
    midgard_start(&input, &state);
    return again();
}

static inline uint32_t word(unsigned reg, unsigned c, unsigned lane)
{
    return state.reg[reg][c][lane];
}

static inline int finish(void **unused)
{
    midgard_program_destroy(program);
    return 0;
}

/* Lane l: ld_attr gives (1 + l/16, 2 + l/16, ...). */
#define LANES "ld_attr_32 r5, zero.x, zero.x, 0:0 ; next alu2\n"

#endif
