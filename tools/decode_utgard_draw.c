/* Draws of a Mali Utgard as `vitrail decode` lists them: arrays, uniforms, programs, render states, textures.
 */
#include "tools/decode_utgard.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "gpu/utgard/rsw.h"
#include "gpu/utgard/texture.h"
#include "isa/utgard_gp/asm.h"
#include "isa/utgard_gp/program.h"
#include "isa/utgard_pp/asm.h"
#include "isa/utgard_pp/program.h"
#include "util/bits.h"
#include "util/half.h"

/* ---- the vertex stage ---- */

struct gp_words {
    uint64_t *words;
    uint32_t count;
};

static int print_gp(FILE *out, const void *program)
{
    const struct gp_words *p = program;
    return utgard_gp_disasm_program(out, p->words, p->count);
}

static void list_gp_program(struct utgard_decode *u, const struct gpu_space *space,
                            const struct utgard_vs_state *s)
{
    struct listing *l = &u->decode->listing;
    size_t bytes = s->instructions * sizeof(uint64_t[UTGARD_GP_WORDS]);
    const uint8_t *at = gpu_space_at(space, s->program, bytes, GPU_RIGHT_READ);
    struct gp_words p = {malloc(bytes + 1), s->instructions};
    listing_open(l, "program", "vertex program at 0x%08x, %u instructions", s->program, s->instructions);
    if (at && p.words) {
        memcpy(p.words, at, bytes);
        decode_program(u->decode, XXH3_64bits(p.words, bytes), print_gp, &p);
    } else {
        listing_lines(l, "(outside memory)");
    }
    listing_close(l);
    free(p.words);
}

static void list_gp_uniforms(struct utgard_decode *u, const struct gpu_space *space,
                             const struct utgard_vs_state *s)
{
    struct listing *l = &u->decode->listing;
    const uint8_t *at = gpu_space_at(space, s->uniforms, s->uniform_bytes, GPU_RIGHT_READ);
    if (!s->uniform_bytes)
        return;
    listing_open(l, "uniforms", "vertex uniforms: %u bytes at 0x%08x%s", s->uniform_bytes, s->uniforms,
                 at ? "" : ", outside memory");
    for (uint32_t n = 0; at && n + 16 <= s->uniform_bytes; n += 16)
        listing_line(l, "uniform", "%3u: %g, %g, %g, %g", n / 16, (double)util_u2f(util_load32(at + n)),
                     (double)util_u2f(util_load32(at + n + 4)), (double)util_u2f(util_load32(at + n + 8)),
                     (double)util_u2f(util_load32(at + n + 12)));
    listing_close(l);
}

static const char *type_name(uint32_t type)
{
    static const char *const names[] = {
        [UTGARD_TYPE_F32] = "f32",   [UTGARD_TYPE_I32] = "i32",   [UTGARD_TYPE_U32] = "u32",
        [UTGARD_TYPE_F16] = "f16",   [UTGARD_TYPE_I16] = "i16",   [UTGARD_TYPE_U16] = "u16",
        [UTGARD_TYPE_I8] = "i8",     [UTGARD_TYPE_U8] = "u8",     [UTGARD_TYPE_I8N] = "i8n",
        [UTGARD_TYPE_U8N] = "u8n",   [UTGARD_TYPE_I16N] = "i16n", [UTGARD_TYPE_U16N] = "u16n",
        [UTGARD_TYPE_I32N] = "i32n", [UTGARD_TYPE_U32N] = "u32n"};
    if (type == UTGARD_TYPE_FIXED)
        return "16.16";
    return type < UTIL_ARRAY_SIZE(names) && names[type] ? names[type] : "unknown type";
}

static void list_array(struct listing *l, bool varying, uint32_t n, const uint8_t *entry)
{
    struct utgard_layout a = utgard_layout(util_load32(entry + 4));
    const char *type = !varying || a.type != UTGARD_TYPE_SPECIAL ? type_name(a.type)
                       : a.components == 2                       ? "point size"
                                                                 : "position";
    const char *kind = varying ? "varying" : "attribute";
    listing_line(l, kind, "%s %u: 0x%08x, %u x %s, stride %u", kind, n, util_load32(entry), a.components,
                 type, a.stride);
}

static void list_arrays(struct utgard_decode *u, const struct gpu_space *space, bool varying, uint32_t table,
                        uint32_t count)
{
    const uint8_t *at = gpu_space_at(space, table, count * 8ull, GPU_RIGHT_READ);
    if (count && !at)
        listing_line(&u->decode->listing, "broken", "table of %u entries at 0x%08x: outside memory", count,
                     table);
    for (uint32_t n = 0; at && n < count; n++)
        list_array(&u->decode->listing, varying, n, at + n * 8ull);
}

void utgard_list_vertices(struct utgard_decode *u, const struct gpu_space *space,
                          const struct utgard_vs_state *s, uint32_t vertices)
{
    list_arrays(u, space, false, s->attributes, s->attribute_count);
    list_arrays(u, space, true, s->varyings, s->varying_count);
    if (!u->decode->programs)
        return;
    list_gp_program(u, space, s);
    list_gp_uniforms(u, space, s);
}

/* ---- render states ---- */

struct pp_words {
    uint32_t *words;
    uint32_t count;
};

static int print_pp(FILE *out, const void *program)
{
    const struct pp_words *p = program;
    return utgard_pp_disasm_program(out, p->words, p->count);
}

/* Halves: as many as the program reads, or the room there is when it cannot be told. */
static void list_pp_uniforms(struct utgard_decode *u, const struct gpu_space *space,
                             const struct utgard_state *state, const struct utgard_pp_program *program)
{
    struct listing *l = &u->decode->listing;
    uint32_t count = program->indexed_uniforms ? state->uniform_bytes / 2 : program->uniforms;
    const uint8_t *where = gpu_space_at(space, state->uniforms, 4, GPU_RIGHT_READ);
    uint32_t address = where ? util_load32(where) : 0;
    const uint8_t *at = where && count ? gpu_space_at(space, address, count * 2ull, GPU_RIGHT_READ) : NULL;
    if (!count)
        return;
    listing_open(l, "uniforms", "fragment uniforms: %u halves at 0x%08x%s", count, address,
                 at ? "" : ", outside memory");
    for (uint32_t n = 0; at && n < count; n++)
        listing_line(l, "uniform", "%3u: %04x (%g)", n, util_load16(at + 2ull * n),
                     (double)util_half_to_float(util_load16(at + 2ull * n)));
    listing_close(l);
}

static void list_pp_program(struct utgard_decode *u, const struct gpu_space *space,
                            const struct utgard_state *state)
{
    struct listing *l = &u->decode->listing;
    struct util_error error = {0};
    struct utgard_pp_program *program = NULL;
    uint32_t bytes = gpu_space_extent(space, state->program, UTGARD_PP_MAX_WORDS * 4, GPU_RIGHT_READ);
    struct pp_words p = {malloc(bytes + 4ull), bytes / 4};
    if (p.words && bytes)
        memcpy(p.words, space->window.base + state->program, bytes);
    int status = p.words ? utgard_pp_program_create(p.words, p.count, &program, &error) : -1;
    listing_open(l, "program", "fragment program at 0x%08x, %u instructions in %u words", state->program,
                 status ? 0 : program->insn_count, status ? 0 : program->word_count);
    if (status) {
        listing_lines(l, p.count ? error.text : "(outside memory)");
    } else {
        p.count = program->word_count;
        decode_program(u->decode, program->hash, print_pp, &p);
    }
    listing_close(l);
    if (!status)
        list_pp_uniforms(u, space, state, program);
    utgard_pp_program_destroy(program);
    free(p.words);
}

static void list_levels(struct listing *l, const uint32_t *words, uint32_t count)
{
    struct utgard_texture_fields f;
    utgard_texture_unpack(words, count, &f);
    for (uint32_t n = 0; n < RASTER_MAX_LEVELS && f.address[n] && n <= (f.max_lod + 15) / 16; n++)
        listing_line(l, "level", "level %u: %ux%u at 0x%08x", n, UTIL_MAX(f.width >> n, 1u),
                     UTIL_MAX(f.height >> n, 1u), f.address[n]);
}

static void list_texture(struct utgard_decode *u, const struct gpu_space *space, uint32_t n, uint32_t address)
{
    struct listing *l = &u->decode->listing;
    struct gpu_field fields[UTGARD_TEXTURE_FIELDS];
    uint32_t words[UTGARD_TEXTURE_WORDS] = {0};
    uint32_t bytes = gpu_space_extent(space, address, sizeof words, GPU_RIGHT_READ);
    if (bytes)
        memcpy(words, space->window.base + address, bytes);
    listing_open(l, "texture", "texture %u: descriptor at 0x%08x%s", n, address,
                 bytes ? "" : ", outside memory");
    if (bytes) {
        listing_table(l, fields, utgard_texture_describe(words, bytes / 4, fields));
        list_levels(l, words, bytes / 4);
    }
    listing_close(l);
}

static void list_textures(struct utgard_decode *u, const struct gpu_space *space,
                          const struct utgard_state *state)
{
    const uint8_t *at = gpu_space_at(space, state->textures, state->texture_count * 4ull, GPU_RIGHT_READ);
    if (state->texture_count && !at)
        listing_line(&u->decode->listing, "broken", "%u textures at 0x%08x: outside memory",
                     state->texture_count, state->textures);
    for (uint32_t n = 0; at && n < state->texture_count; n++)
        list_texture(u, space, n, util_load32(at + 4ull * n));
}

static void list_slots(struct listing *l, const struct utgard_state *state)
{
    static const char *const types[] = {"4 x f32", "2 x f32", "4 x f16", "2 x f16"};
    if (state->slot_count)
        listing_open(l, "varyings", "varyings at 0x%08x, %u bytes a vertex", state->varyings,
                     state->varying_stride);
    for (uint32_t n = 0; n < state->slot_count; n++)
        listing_line(l, "varying", "%u: %s from byte %u", n, types[state->slot[n].type & 3],
                     state->slot[n].offset);
    if (state->slot_count)
        listing_close(l);
}

void utgard_list_state(struct utgard_decode *u, const struct gpu_space *space, uint32_t address)
{
    struct listing *l = &u->decode->listing;
    struct gpu_field fields[UTGARD_RSW_FIELDS];
    uint32_t words[UTGARD_RSW_WORDS];
    struct utgard_state state;
    struct gpu_fault fault = {0};
    const uint8_t *at = gpu_space_at(space, address, sizeof words, GPU_RIGHT_READ);
    listing_open(l, "state", "render state at 0x%08x%s", address, at ? "" : ", outside memory");
    if (at) {
        memcpy(words, at, sizeof words);
        listing_table(l, fields, utgard_rsw_fields(words, fields));
        if (utgard_rsw_decode(words, address, &state, &fault))
            list_slots(l, &state);
        else
            listing_line(l, "broken", "not readable: %s", fault.text);
    }
    listing_close(l);
}

void utgard_list_named(struct utgard_decode *u, const struct gpu_space *space, uint32_t address)
{
    struct listing *l = &u->decode->listing;
    struct utgard_state state;
    struct gpu_fault fault = {0};
    listing_open(l, "state", "of render state 0x%08x", address);
    if (!utgard_rsw_read(space, address, &state, &fault)) {
        listing_line(l, "broken", "not readable: %s", fault.text);
    } else {
        list_textures(u, space, &state);
        if (u->decode->programs)
            list_pp_program(u, space, &state);
    }
    listing_close(l);
}
