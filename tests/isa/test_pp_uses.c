/* What an instruction of the PP is said to read and write: what was put into it; and in random programs
 * nothing else changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "isa/utgard_pp/asm.h"
#include "isa/utgard_pp/interp.h"
#include "isa/utgard_pp/uses.h"
#include "util/bits.h"
#include "util/fpenv.h"

static void uses_of(const char *text, struct utgard_pp_uses *out)
{
    struct util_error error = {0};
    struct utgard_pp_insn insn;
    uint32_t *words, count;
    if (utgard_pp_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s: %s", text, error.text);
    assert_int_equal(utgard_pp_decode(words, count, 0, &insn), count);
    utgard_pp_uses(&insn, out);
    free(words);
}

enum { X = 1, Y = 2, Z = 4, W = 8 };

static void stages(void **data)
{
    static const struct {
        const char *text;
        uint8_t read[4], written[4]; /* of r0 to r3 */
    } rows[] = {
        {"var r0, v0 ; stop", {0}, {15}},
        {"var r1.xy, v0 ; stop", {0}, {0, X | Y}},
        {"var coords, v0 ; tex2d 0 ; mov.v0 r2, tex ; stop", {0}, {0, 0, 15}},
        {"mul.v0 r1.xz, r0.xyzw, r2.wwww ; stop", {X | Z, 0, W}, {0, X | Z}},
        {"mov.v0 r0, r1.xxyy ; stop", {0, X | Y}, {15}},
        {"add.s1 r0.x, r1.y, r2.z ; stop", {0, Y, Z}, {X}},
        /* The accumulator reads what the multiplier has just written: not what stood there. */
        {"mul.v0 r0, r1, r1 ; add.v1 r2, r0, r3 ; stop", {0, 15, 0, 15}, {15, 0, 15}},
        {"mul.v0 r0.0, r1, r2 ; sum3.v1 r0.w, ^v0 ; stop", {0, X | Y | Z, X | Y | Z}, {W}},
        {"rcp.s2 r0.x, r1.w ; stop", {0, W}, {X}},
        {"scale.s2 r0.xy, r1.w, r2 ; stop", {0, W, X | Y}, {X | Y}},
        {"fbcolor r3 ; stop", {0}, {0, 0, 0, 15}},
        {"store 0, r2 ; stop", {0, 0, 15}, {0}},
    };
    (void)data;
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(rows); n++) {
        struct utgard_pp_uses uses;
        uses_of(rows[n].text, &uses);
        for (unsigned r = 0; r < 4; r++)
            if (uses.read[r] != rows[n].read[r] || uses.written[r] != rows[n].written[r])
                fail_msg("%s: of r%u it reads 0x%x and writes 0x%x", rows[n].text, r, uses.read[r],
                         uses.written[r]);
    }
}

/* ---- random programs ---- */

static bool give(void *ctx, uint32_t first, const int32_t *offset, uint32_t count, uint16_t lanes,
                 uint32_t out[4][16], uint32_t *lane)
{
    for (uint32_t n = 0; n < 4; n++)
        for (unsigned l = 0; l < 16; l++)
            out[n][l] = util_f2u((float)(first + n * 3 + l) * 0.37f - 2.0f);
    return true;
}
static void give_four(void *ctx, uint32_t out[4][16])
{
    give(ctx, 5, NULL, 4, 0xffff, out, NULL);
}
static void give_two(void *ctx, uint32_t out[2][16])
{
    memset(out, 0, sizeof(uint32_t[2][16]));
}
static void give_one(void *ctx, uint32_t out[16])
{
    for (unsigned l = 0; l < 16; l++)
        out[l] = util_f2u((float)l);
}
static bool give_texel(void *ctx, uint32_t n, const int32_t *offset, const uint32_t coordinates[4][16],
                       const uint32_t lod[16], uint16_t lanes, uint32_t out[4][16], uint32_t *lane)
{
    return give(ctx, n, NULL, 4, lanes, out, lane);
}

static const struct utgard_pp_ports ports = {.varying = give,
                                             .fragcoord = give_four,
                                             .pointcoord = give_two,
                                             .frontface = give_one,
                                             .sample = give_texel,
                                             .uniform = give,
                                             .color = give_four,
                                             .depth = give_one};

struct look {
    struct utgard_pp_state before;
    struct utgard_pp_uses uses;
    bool begun;
    uint64_t steps;
};

static void check_changes(const struct look *look, const struct utgard_pp_state *state)
{
    for (unsigned r = 0; look->begun && r < UTGARD_PP_REGISTERS; r++)
        for (unsigned c = 0; c < 4; c++)
            if (!(look->uses.written[r] >> c & 1))
                assert_memory_equal(state->reg[r][c], look->before.reg[r][c], sizeof state->reg[r][c]);
}

static void on_insn(void *data, const struct utgard_pp_insn *insn, uint16_t lanes,
                    const struct utgard_pp_state *state)
{
    struct look *look = data;
    check_changes(look, state);
    look->before = *state;
    look->begun = true;
    look->steps++;
    utgard_pp_uses(insn, &look->uses);
}

static void nothing_else_changes(void **data)
{
    uint64_t steps = 0;
    unsigned saved = util_fpenv_enter();
    (void)data;
    for (uint64_t seed = 0; seed < 500; seed++) {
        static uint32_t words[4096];
        static struct utgard_pp_state state;
        struct utgard_pp_program *program;
        struct utgard_pp_report report;
        struct util_error error = {0};
        struct look look = {0};
        uint32_t count = utgard_pp_random(seed, UTGARD_PP_RANDOM_FULL, words, UTIL_ARRAY_SIZE(words));
        assert_int_equal(utgard_pp_program_create(words, count, &program, &error), 0);
        utgard_pp_run(program, &ports, 0xffff, 1000, &state, &report, on_insn, &look);
        check_changes(&look, &state);
        steps += look.steps;
        utgard_pp_program_destroy(program);
    }
    util_fpenv_leave(saved);
    assert_true(steps > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages),
        cmocka_unit_test(nothing_else_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
