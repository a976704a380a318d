/* How programs of each GPU are decoded, and which instruction set they are of. */
#include <errno.h>
#include <stdlib.h>

#include "gpu/mali/device_internal.h"
#include "isa/bifrost/program.h"
#include "isa/sets.h"
#include "isa/valhall/asm.h"
#include "util/bits.h"

#define MIDGARD_QUAD_BYTES 16u
#define BIFROST_QUAD_BYTES 16u
#define VALHALL_MOST       (1u << 16) /* instructions of a program: ours */

/* ---- Midgard ---- */

static int decode_midgard(const void *words, uint32_t count, const struct midgard_traits *traits,
                          struct gpu_program_decoded *out, struct util_error *error)
{
    struct midgard_program *program;
    int status = midgard_program_create(words, count, 0, traits, &program, error);
    if (!status)
        *out = (struct gpu_program_decoded){program, program->quad_count, program->insn_count};
    return status;
}

static void destroy_midgard(void *program)
{
    midgard_program_destroy(program);
}

/* One a GPU, by what its README (isa/midgard) says of it. */
#define MIDGARD(gpu, ...)                                                                                    \
    static int decode_##gpu(const void *words, uint32_t count, struct gpu_program_decoded *out,              \
                            struct util_error *error)                                                        \
    {                                                                                                        \
        static const struct midgard_traits traits = {__VA_ARGS__};                                           \
        return decode_midgard(words, count, &traits, out, error);                                            \
    }
MIDGARD(t720, .shared_registers = true, .tile_by_special = true, .no_writeout_tags = true)
MIDGARD(t760, .no_writeout_tags = true)
MIDGARD(t860, .no_writeout_tags = false)

/* ---- Bifrost ---- */

static int decode_bifrost(const void *words, uint32_t count, struct gpu_program_decoded *out,
                          struct util_error *error)
{
    struct bifrost_program *program;
    int status = bifrost_program_create(words, count, &program, error);
    if (!status)
        *out = (struct gpu_program_decoded){program, program->quad_count, program->clause_count};
    return status;
}

static void destroy_bifrost(void *program)
{
    bifrost_program_destroy(program);
}

/* ---- Valhall ---- */

/* A program goes up to a word of zeros, which no instruction is (isa/valhall/README.md) and which drivers put
 * behind it. */
static int decode_valhall(const void *words, uint32_t count, struct gpu_program_decoded *out,
                          struct util_error *error)
{
    struct valhall_insn insn;
    uint32_t n = 0;
    for (; n < count && util_load64((const uint8_t *)words + (size_t)n * VALHALL_WORD_BYTES); n++)
        if (valhall_decode(util_load64((const uint8_t *)words + (size_t)n * VALHALL_WORD_BYTES), &insn,
                           error))
            return -EILSEQ;
    if (!n || n == count)
        return util_fail(error, -EBADMSG, "a program of %u instructions has no end", n);
    *out = (struct gpu_program_decoded){NULL, n, n};
    return 0;
}

static void destroy_valhall(void *program)
{
    free(program);
}

/* ---- all of them ---- */

#define KIND(word, most_, decode_, destroy_)                                                                 \
    {.word_bytes = (word),                                                                                   \
     .most_words = (most_),                                                                                  \
     .first_words = 128,                                                                                     \
     .many = 1u << 16,                                                                                       \
     .most = 1u << 18,                                                                                       \
     .decode = (decode_),                                                                                    \
     .destroy = (destroy_)}

static const struct gpu_program_kind kinds[MALI_KIND_COUNT] = {
    [MALI_T720] = KIND(MIDGARD_QUAD_BYTES, MIDGARD_MAX_QUADS, decode_t720, destroy_midgard),
    [MALI_T760] = KIND(MIDGARD_QUAD_BYTES, MIDGARD_MAX_QUADS, decode_t760, destroy_midgard),
    [MALI_T860] = KIND(MIDGARD_QUAD_BYTES, MIDGARD_MAX_QUADS, decode_t860, destroy_midgard),
    [MALI_G72] = KIND(BIFROST_QUAD_BYTES, BIFROST_MAX_QUADS, decode_bifrost, destroy_bifrost),
    [MALI_G31] = KIND(BIFROST_QUAD_BYTES, BIFROST_MAX_QUADS, decode_bifrost, destroy_bifrost),
    [MALI_G52] = KIND(BIFROST_QUAD_BYTES, BIFROST_MAX_QUADS, decode_bifrost, destroy_bifrost),
    [MALI_G57] = KIND(VALHALL_WORD_BYTES, VALHALL_MOST, decode_valhall, destroy_valhall)};

const struct gpu_program_kind *mali_program_kind(enum mali_kind kind)
{
    return &kinds[kind];
}

const struct isa_set *mali_program_set(enum mali_version version)
{
    return version <= MALI_V5 ? &midgard_set : version <= MALI_V7 ? &bifrost_set : &valhall_set;
}
