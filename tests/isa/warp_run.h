/* Programs of isa/warp run by tests of the sets that are lowered to it: ports that keep what they were last asked for, and
 * sixteen threads. */
#ifndef VITRAIL_TESTS_ISA_WARP_RUN_H
#define VITRAIL_TESTS_ISA_WARP_RUN_H

#include <stdint.h>

#include "isa/warp/interp.h"
#include "util/bits.h"
#include "util/fpenv.h"

enum { MEMORY = 256 };
#define PROGRAM_ADDRESS 0x500001000

/* What ports were asked for, the last time, and what they give. */
static struct {
    uint8_t memory[MEMORY];
    struct isa_access access;
    struct isa_texture_request texture;
    struct warp_message message;
    struct warp_far far;
    uint16_t lanes, stored, leave, back;
    uint32_t gives[WARP_MESSAGE_WORDS];
    uint32_t value[4], compare[2]; /* stored, or of atomics; of lane 1 */
} seen;
static struct warp_state state;
static struct warp_report report;
static uint16_t lanes_of_all = 0xffff, helpers_of_all;
static uint64_t back_of_all;
static uint32_t uniforms_of_all[16];

static bool load(void *ctx, const struct isa_access *a, uint16_t lanes, uint32_t out[4][16],
                 struct isa_place *fault)
{
    seen.access = *a;
    seen.lanes = lanes;
    for (unsigned l = 0; l < 16; l++)
        for (unsigned n = 0; n < a->bytes; n++) {
            if (a->address[l] >= MEMORY) {
                *fault = (struct isa_place){l, a->address[l]};
                return false;
            }
            out[n / 4][l] |= (uint32_t)seen.memory[a->address[l] + n] << 8 * (n % 4);
        }
    return true;
}

static bool store(void *ctx, const struct isa_access *a, uint16_t lanes, const uint32_t value[4][16],
                  struct isa_place *fault)
{
    seen.access = *a;
    seen.stored |= lanes;
    for (unsigned n = 0; n < 4; n++)
        seen.value[n] = value[n][1];
    return true;
}

static bool atomic(void *ctx, const struct isa_access *a, uint16_t lanes, const uint32_t value[2][16],
                   const uint32_t compare[2][16], uint32_t out[2][16], struct isa_place *fault)
{
    seen.access = *a;
    for (unsigned n = 0; n < 2; n++) {
        seen.value[n] = value[n][1];
        seen.compare[n] = compare[n][1];
        for (unsigned l = 0; l < 16; l++)
            out[n][l] = value[n][l] + 100;
    }
    return true;
}

static bool texture(void *ctx, const struct isa_texture_request *r, uint16_t lanes, uint32_t out[4][16],
                    struct isa_place *fault)
{
    seen.texture = *r;
    for (unsigned l = 0; l < 16; l++)
        for (unsigned c = 0; c < 4; c++)
            out[c][l] = util_f2u((float)(c + 1));
    return true;
}

static bool uniform(void *ctx, const uint32_t buffer[16], const uint32_t offset[16], unsigned bytes,
                    uint16_t lanes, uint32_t out[4][16], struct isa_place *fault)
{
    for (unsigned l = 0; l < 16; l++)
        out[0][l] = buffer[l] << 16 | offset[l];
    return true;
}

static void special(void *ctx, unsigned which, uint32_t out[2][16])
{
    for (unsigned l = 0; l < 16; l++) {
        out[0][l] = which;
        out[1][l] = which + 1000;
    }
}

static bool message(void *ctx, const struct warp_message *m, uint16_t lanes,
                    uint32_t out[WARP_MESSAGE_WORDS][16], uint16_t *leave, struct isa_place *fault)
{
    seen.message = *m;
    seen.lanes = lanes;
    *leave &= seen.leave;
    for (unsigned n = 0; n < WARP_MESSAGE_WORDS; n++)
        for (unsigned l = 0; l < 16; l++)
            out[n][l] = seen.gives[n];
    return true;
}

static bool far(void *ctx, const struct warp_far *to, uint16_t lanes, uint32_t reg[WARP_REGISTERS][16],
                uint16_t *back, struct isa_place *fault)
{
    seen.far = *to;
    seen.lanes = lanes;
    for (unsigned l = 0; l < 16; l++)
        if (lanes >> l & 1)
            reg[0][l] = 77;
    *back = seen.back;
    return true;
}

/* Register n begins as n * 16 + lane. */
static void run_program(const struct warp_program *program)
{
    const struct warp_ports ports = {.load = load,
                                     .store = store,
                                     .atomic = atomic,
                                     .uniform = uniform,
                                     .texture = texture,
                                     .special = special,
                                     .message = message,
                                     .far = far};
    const struct warp_input input = {.uniform = uniforms_of_all,
                                     .uniform_count = UTIL_ARRAY_SIZE(uniforms_of_all),
                                     .address = PROGRAM_ADDRESS,
                                     .back = back_of_all,
                                     .lanes = lanes_of_all,
                                     .helpers = helpers_of_all,
                                     .fuel = 100};
    for (unsigned n = 0; n < WARP_REGISTERS; n++)
        for (unsigned l = 0; l < 16; l++)
            state.reg[n][l] = n * 16 + l;
    seen.stored = 0;
    warp_start(&input, &state);
    const unsigned saved = util_fpenv_enter();
    do
        warp_run(program, &ports, &state, &report);
    while (!report.fault && state.running);
    util_fpenv_leave(saved);
}

#endif
