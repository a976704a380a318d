/* Programs of draws and dispatches, with their uniforms, listed. */
#include "tools/decode_mali.h"

#include <errno.h>
#include <inttypes.h>
#include <xxhash.h>

#include "isa/sets.h"
#include "util/bits.h"

#define FIRST_TAG     15u /* of a program's address, on Midgard; a multiple of 16 since */
#define UNIFORMS_MOST 64u /* quadwords of a buffer, or pairs */
#define QUAD_BYTES    16u

struct words {
    const struct isa_set *set;
    const uint8_t *at;
    uint32_t count;
};

static int print(FILE *out, const void *program)
{
    const struct words *p = program;
    return p->set->disassemble(out, p->at, p->count);
}

void tool_mali_program(struct tool_mali *m, const char *what, uint64_t shader)
{
    const struct gpu_program_kind *kind = mali_device_programs(m->device);
    const struct gpu_space *space = m->reader.space;
    const uint64_t address = shader & ~(uint64_t)FIRST_TAG;
    const uint32_t bytes =
        gpu_space_extent(space, address, kind->most_words * kind->word_bytes, GPU_RIGHT_READ);
    struct words p = {mali_device_set(m->device), space->window.base + address, bytes / kind->word_bytes};
    struct gpu_program_decoded decoded = {0};
    struct util_error error = {0};
    struct listing *l = &m->decode->listing;
    if (!m->decode->programs)
        return;
    const int status = p.count ? kind->decode(p.at, p.count, &decoded, &error) : -EFAULT;
    const char *const words = kind->word_bytes == QUAD_BYTES ? "quadwords" : "words";
    if (p.set == &bifrost_set) /* whose clauses are executed as other instructions */
        listing_open(l, "program", "%s at 0x%08" PRIx64 ", %u %s", what, address, decoded.words, words);
    else
        listing_open(l, "program", "%s at 0x%08" PRIx64 ", %u instructions in %u %s", what, address,
                     decoded.insns, decoded.words, words);
    if (status) {
        listing_lines(l, !p.count ? "(outside memory)" : status == -ENOMEM ? "(no memory)" : error.text);
    } else {
        p.count = decoded.words;
        decode_program(m->decode, XXH3_64bits(p.at, (size_t)p.count * kind->word_bytes), print, &p);
        kind->destroy(decoded.program);
    }
    listing_close(l);
}

static void list_uniforms(struct tool_mali *m, uint32_t number, uint64_t descriptor)
{
    struct listing *l = &m->decode->listing;
    struct mali_uniform_buffer b;
    struct mali_stop stop = {0};
    if (!mali_desc_read(&m->reader, &mali_desc_uniform_buffer, descriptor, &b, &stop) || !b.pointer)
        return;
    const uint32_t bytes =
        gpu_space_extent(m->reader.space, b.pointer, (uint64_t)b.entries * QUAD_BYTES, GPU_RIGHT_READ);
    const uint8_t *at = m->reader.space->window.base + b.pointer;
    const uint32_t count = UTIL_MIN(bytes / QUAD_BYTES, UNIFORMS_MOST);
    listing_open(l, "uniforms", "uniform buffer %u: %u of %u quadwords at 0x%08" PRIx64, number, count,
                 b.entries, b.pointer);
    for (uint32_t n = 0; n < count; n++) {
        uint32_t w[4];
        for (unsigned c = 0; c < 4; c++)
            w[c] = util_load32(at + n * QUAD_BYTES + c * 4);
        listing_line(l, "uniform",
                     "%3u: %08" PRIx32 " %08" PRIx32 " %08" PRIx32 " %08" PRIx32 " (%g, %g, %g, %g)", n, w[0],
                     w[1], w[2], w[3], (double)util_u2f(w[0]), (double)util_u2f(w[1]), (double)util_u2f(w[2]),
                     (double)util_u2f(w[3]));
    }
    listing_close(l);
}

void tool_mali_pairs(struct tool_mali *m, uint64_t address, uint32_t pairs)
{
    struct listing *l = &m->decode->listing;
    const uint32_t bytes =
        address ? gpu_space_extent(m->reader.space, address, (uint64_t)pairs * 8, GPU_RIGHT_READ) : 0;
    const uint8_t *at = m->reader.space->window.base + address;
    const uint32_t count = UTIL_MIN(bytes / 8, UNIFORMS_MOST);
    if (!pairs || !m->decode->programs)
        return;
    listing_open(l, "uniforms", "uniforms: %u of %u pairs at 0x%08" PRIx64, count, pairs, address);
    for (uint32_t n = 0; n < count; n++) {
        const uint32_t low = util_load32(at + (size_t)n * 8), high = util_load32(at + (size_t)n * 8 + 4);
        listing_line(l, "uniform", "%3u: %08" PRIx32 " %08" PRIx32 " (%g, %g)", n * 2, low, high,
                     (double)util_u2f(low), (double)util_u2f(high));
    }
    listing_close(l);
}

void tool_mali_blend_shaders(struct tool_mali *m, uint64_t blends, uint32_t targets, uint64_t shader)
{
    const enum mali_version version = m->reader.version;
    for (uint32_t t = 0; m->decode->programs && t < UTIL_MIN(targets, MALI_TARGETS); t++) {
        char what[40];
        struct mali_blend blend;
        struct mali_stop stop = {0};
        const uint64_t at = blends + (uint64_t)t * mali_desc_blend.bytes[version];
        uint64_t program;
        snprintf(what, sizeof what, "blend shader of target %u", t);
        if (mali_desc_read(&m->reader, &mali_desc_blend, at, &blend, &stop) &&
            mali_blend_shader(version, &blend, shader, &program) && program)
            tool_mali_program(m, what, program);
    }
}

void tool_mali_programs(struct tool_mali *m, const char *what, const struct mali_draw *draw,
                        const struct mali_state *state, uint32_t targets)
{
    const enum mali_version version = m->reader.version;
    if (!m->decode->programs)
        return;
    if (state->shader & ~(uint64_t)FIRST_TAG)
        tool_mali_program(m, what, state->shader);
    for (uint32_t n = 0; n < state->uniform_buffer_count; n++)
        list_uniforms(m, n, draw->uniform_buffers + (uint64_t)n * mali_desc_uniform_buffer.bytes[version]);
    if (version >= MALI_V6)
        tool_mali_pairs(m, draw->push_uniforms, state->preload_uniform_count);
    if (version == MALI_V4 && state->blend_by_shader)
        tool_mali_program(m, "blend shader", state->blend_shader);
    if (version != MALI_V4)
        tool_mali_blend_shaders(m, draw->state + mali_desc_state.bytes[version], targets, state->shader);
}
