/* How programs of each GPU are decoded, and which instruction set they are of. */
#include <errno.h>
#include <stdlib.h>

#include "gpu/mali/device_internal.h"
#include "gpu/mali/machine.h"
#include "isa/bifrost/lower.h"
#include "isa/midgard/names.h"
#include "isa/sets.h"
#include "isa/valhall/asm.h"
#include "isa/valhall/program.h"
#include "util/bits.h"

#define MIDGARD_QUAD_BYTES 16u
#define BIFROST_QUAD_BYTES 16u

/* `made`: what a set's program came to, a negative errno or 0. Takes the program of either machine. */
static int finish(int made, const struct mali_decoded *like, struct gpu_program_decoded *out)
{
    struct mali_decoded *p = made ? NULL : malloc(sizeof *p);
    if (!p) {
        midgard_program_destroy(like->midgard);
        warp_program_destroy(like->warp);
        return made ? made : -ENOMEM;
    }
    *p = *like;
    *out = (struct gpu_program_decoded){p, p->word_count, p->insn_count};
    return 0;
}

static void destroy(void *program)
{
    struct mali_decoded *p = program;
    if (!p)
        return;
    midgard_program_destroy(p->midgard);
    warp_program_destroy(p->warp);
    free(p);
}

/* The bit of a uniform buffer among the first 32. */
static uint32_t buffer_bit(uint32_t number)
{
    return number < 32 ? UINT32_C(1) << number : 0;
}

/* ---- Midgard ---- */

/* Those that an instruction names. */
static uint32_t midgard_buffers(const struct midgard_insn *i)
{
    uint32_t named = 0;
    for (unsigned k = 0; k < 2 && midgard_kind_of(i->tag) == MIDGARD_LOAD_STORE; k++) {
        const struct midgard_memory *m = &i->memory[k];
        const struct midgard_memory_info *info = midgard_memory_info(m->op);
        if (info && info->class == MIDGARD_UNIFORM && !(m->offset & 1))
            named |= buffer_bit(midgard_uniform_buffer(m));
    }
    return named;
}

static int decode_midgard(const void *words, uint32_t count, const struct midgard_traits *traits,
                          struct gpu_program_decoded *out, struct util_error *error)
{
    struct midgard_program *m = NULL;
    struct mali_decoded p = {.word_bytes = MIDGARD_QUAD_BYTES};
    int status = midgard_program_create(words, count, 0, traits, &m, error);
    if (!status) {
        p = (struct mali_decoded){.midgard = m,
                                  .insn_count = m->insn_count,
                                  .word_count = m->quad_count,
                                  .word_bytes = MIDGARD_QUAD_BYTES,
                                  .hash = m->hash,
                                  .loads = m->loads,
                                  .stores = m->stores,
                                  .atomics = m->atomics,
                                  .textures = m->textures,
                                  .any_texture = m->any_texture,
                                  .reads_tile = m->reads_tile,
                                  .barriers = m->barriers,
                                  .shares = m->shares,
                                  .stores_varyings = m->varying_stores || m->any_varying,
                                  .branches = m->block_count > 1,
                                  .repeats = m->repeats,
                                  .straight = m->straight};
        for (uint32_t n = 0; n < m->insn_count; n++) {
            p.requests += midgard_kind_of(m->insns[n].tag) == MIDGARD_TEXTURE;
            p.buffers |= midgard_buffers(&m->insns[n]);
        }
    }
    return finish(status, &p, out);
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

/* ---- Bifrost and Valhall ---- */

/* What a message does to memory that others may look at. */
static bool shares(const struct warp_insn *i)
{
    switch (i->kind) {
    case WARP_ATOMIC: return i->space != ISA_SPACE_THREAD;
    case WARP_STORE: return i->space != ISA_SPACE_THREAD && i->hint == MALI_STREAM_NONE;
    default: return false;
    }
}

struct mali_decoded mali_decoded_of_warp(struct warp_program *w, uint32_t words)
{
    const uint32_t images = 1u << WARP_LEA_IMAGE | 1u << WARP_IMAGE;
    const bool converts = w->messages & 1u << WARP_STORE_CONVERT;
    const bool varyings = w->messages & 1u << WARP_LEA_ATTRIBUTE;
    struct mali_decoded p = {.warp = w,
                             .insn_count = w->insn_count,
                             .word_count = words,
                             .word_bytes = w->word_bytes,
                             .hash = w->hash,
                             .loads = w->loads || w->messages & images,
                             .stores = w->stores || converts,
                             .atomics = w->atomics,
                             .textures = w->textures,
                             .any_texture = w->textures,
                             .reads_tile = w->messages & 1u << WARP_TILE,
                             .barriers = w->barriers,
                             .shares = converts && (!varyings || w->messages & 1u << WARP_LEA_IMAGE),
                             .stores_varyings = converts && varyings,
                             .branches = !w->straight,
                             .repeats = w->repeats,
                             .straight = w->straight};
    for (uint32_t n = 0; n < w->insn_count; n++) {
        p.requests += w->insns[n].kind == WARP_TEXTURE;
        p.shares |= shares(&w->insns[n]);
        if (w->insns[n].kind == WARP_BUFFER && w->insns[n].source[1].from == WARP_CONSTANT)
            p.buffers |= buffer_bit((uint32_t)w->insns[n].source[1].value);
    }
    return p;
}

static int decode_bifrost(const void *words, uint32_t count, struct gpu_program_decoded *out,
                          struct util_error *error)
{
    struct bifrost_program *b = NULL;
    struct warp_program *w = NULL;
    struct mali_decoded p = {.word_bytes = BIFROST_QUAD_BYTES};
    int status = bifrost_program_create(words, count, &b, error);
    if (status)
        return status;
    status = bifrost_lower(b, &w, error);
    if (!status)
        p = mali_decoded_of_warp(w, b->quad_count);
    bifrost_program_destroy(b);
    return finish(status, &p, out);
}

/* A program goes up to a word of zeros, which no instruction is (isa/valhall/README.md) and which drivers put
 * behind it. */
static int decode_valhall(const void *words, uint32_t count, struct gpu_program_decoded *out,
                          struct util_error *error)
{
    struct warp_program *w = NULL;
    struct mali_decoded p = {.word_bytes = VALHALL_WORD_BYTES};
    uint32_t n = 0;
    while (n < count && util_load64((const uint8_t *)words + (size_t)n * VALHALL_WORD_BYTES))
        n++;
    if (!n || n == count)
        return util_fail(error, -EBADMSG, "a program of %u instructions has no end", n);
    int status = valhall_program_create(words, n, &w, error);
    if (!status)
        p = mali_decoded_of_warp(w, n);
    return finish(status, &p, out);
}

/* ---- all of them ---- */

#define KIND(word, most_, behind_, decode_)                                                                  \
    {.word_bytes = (word),                                                                                   \
     .most_words = (most_),                                                                                  \
     .behind = (behind_),                                                                                    \
     .first_words = 128,                                                                                     \
     .many = 1u << 16,                                                                                       \
     .most = 1u << 18,                                                                                       \
     .decode = (decode_),                                                                                    \
     .destroy = destroy}

static const struct gpu_program_kind kinds[MALI_KIND_COUNT] = {
    [MALI_T720] = KIND(MIDGARD_QUAD_BYTES, MIDGARD_MAX_QUADS, 0, decode_t720),
    [MALI_T760] = KIND(MIDGARD_QUAD_BYTES, MIDGARD_MAX_QUADS, 0, decode_t760),
    [MALI_T860] = KIND(MIDGARD_QUAD_BYTES, MIDGARD_MAX_QUADS, 0, decode_t860),
    [MALI_G72] = KIND(BIFROST_QUAD_BYTES, BIFROST_MAX_QUADS, 0, decode_bifrost),
    [MALI_G31] = KIND(BIFROST_QUAD_BYTES, BIFROST_MAX_QUADS, 0, decode_bifrost),
    [MALI_G52] = KIND(BIFROST_QUAD_BYTES, BIFROST_MAX_QUADS, 0, decode_bifrost),
    [MALI_G57] = KIND(VALHALL_WORD_BYTES, VALHALL_MAX_WORDS, 1, decode_valhall)};

const struct gpu_program_kind *mali_program_kind(enum mali_kind kind)
{
    return &kinds[kind];
}

const struct isa_set *mali_program_set(enum mali_version version)
{
    return version <= MALI_V5 ? &midgard_set : version <= MALI_V7 ? &bifrost_set : &valhall_set;
}
