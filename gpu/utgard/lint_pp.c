/* The linter over frames: the draws' render states with what they name, tiles, write-back. */
#include <stdlib.h>
#include <string.h>

#include "gpu/utgard/frame.h"
#include "gpu/utgard/lint.h"
#include "gpu/utgard/rsw.h"
#include "gpu/utgard/texture.h"
#include "isa/utgard_pp/program.h"
#include "util/bits.h"

#define STATE     "render state"
#define PROGRAM   "fragment program"
#define TEXTURE   "texture"
#define FRAME     "frame"
#define WRITEBACK "write-back"

struct frame {
    struct utgard_lint *lint;
    const struct gpu_space *space;
    struct utgard_wb wb[UTGARD_WB_UNITS]; /* with bytes of 0 where there is none */
    uint64_t wb_bytes[UTGARD_WB_UNITS];
};

struct state {
    uint32_t address;
    struct utgard_rsw fields;
    struct utgard_state state;
    struct utgard_pp_program *program;
    uint32_t *words;
};

static bool overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

/* Of states and of write-back units the first: drivers ask for it in most. */
static void tell_dither(struct frame *f, const char *place, uint32_t address)
{
    struct utgard_lint *l = f->lint;
    if (gpu_seen_first(&l->lint.looked_at, place, strlen(place), &l->lint.error))
        utgard_lint_tell(l, UTGARD_LINT_DITHER, place, address, "%s", "told once");
}

/* ---- textures ---- */

/* Reloads sample, by texels, what the same tile stores later: that is no loop. */
static void lint_levels(struct frame *f, uint32_t address, const struct utgard_texture_key *key,
                        const struct raster_texture *t)
{
    uint64_t bytes[RASTER_MAX_LEVELS];
    for (uint32_t n = 0; n < t->level_count; n++) {
        bytes[n] = utgard_texture_level_bytes(key, &t->level[n]);
        if (overlap(address, 64, t->level[n].offset, bytes[n]))
            utgard_lint_tell(f->lint, UTGARD_LINT_TEXTURE_OVERLAP, TEXTURE, address, "level %u", n);
        for (uint32_t m = 0; m < n; m++)
            if (overlap(t->level[m].offset, bytes[m], t->level[n].offset, bytes[n]))
                utgard_lint_tell(f->lint, UTGARD_LINT_LEVELS_OVERLAP, TEXTURE, address, "levels %u and %u", m,
                                 n);
        for (unsigned unit = 0; unit < UTGARD_WB_UNITS; unit++)
            if (f->wb_bytes[unit] && !key->raster.unnormalized &&
                overlap(t->level[n].offset, bytes[n], f->wb[unit].address, f->wb_bytes[unit]))
                utgard_lint_tell(f->lint, UTGARD_LINT_FEEDBACK, TEXTURE, address, "level %u, write-back %u",
                                 n, unit);
    }
}

static void lint_texture(struct frame *f, uint32_t address, const struct utgard_pp_sample *sample)
{
    struct utgard_texture_key key;
    struct raster_texture texture;
    struct gpu_fault fault = {0};
    uint8_t lod = !sample->has_lod       ? RASTER_LOD_IMPLICIT
                  : sample->explicit_lod ? RASTER_LOD_EXPLICIT
                                         : RASTER_LOD_BIAS;
    if (utgard_texture_read(f->space, address, lod, sample->cube, &key, &texture, &fault))
        lint_levels(f, address, &key, &texture);
    else if (fault.kind != GPU_FAULT_UNSUPPORTED) /* what is only not done is not the guest's fault */
        utgard_lint_tell(f->lint,
                         fault.kind == GPU_FAULT_MEMORY &&
                                 gpu_space_allows(f->space, address, 64, GPU_RIGHT_READ, NULL)
                             ? UTGARD_LINT_TEXTURE_OUTSIDE
                             : UTGARD_LINT_TEXTURE_BROKEN,
                         TEXTURE, address, "%s", fault.text);
}

static void lint_textures(struct frame *f, const struct state *s)
{
    const struct utgard_state *state = &s->state;
    const uint8_t *table =
        gpu_space_at(f->space, state->textures, state->texture_count * 4ull, GPU_RIGHT_READ);
    uint32_t sampled = 0;
    if (state->texture_count && !table)
        utgard_lint_tell(f->lint, UTGARD_LINT_TEXTURE_BROKEN, STATE, s->address, "%u descriptors at 0x%08x",
                         state->texture_count, state->textures);
    for (uint32_t n = 0; n < s->program->sample_count; n++) {
        const struct utgard_pp_sample *sample = &s->program->samples[n];
        if (sample->indexed)
            sampled = UINT32_MAX;
        else if (sample->sampler >= state->texture_count)
            utgard_lint_tell(f->lint, UTGARD_LINT_SAMPLER_MISSING, STATE, s->address, "sampler %u of %u",
                             sample->sampler, state->texture_count);
        else if (table)
            lint_texture(f, util_load32(table + 4ull * sample->sampler), sample);
        sampled |= sample->sampler < 32 ? 1u << sample->sampler : 0;
    }
    for (uint32_t n = 0; table && n < state->texture_count; n++)
        if (!(sampled >> n & 1))
            utgard_lint_tell(f->lint, UTGARD_LINT_TEXTURE_UNUSED, STATE, s->address, "texture %u", n);
}

/* ---- varyings and uniforms ---- */

/* -1: no vertex program of the job has it; else whether it is stored. */
static int array_stored(const struct utgard_lint *l, uint32_t address)
{
    int found = -1;
    for (uint32_t n = 0; n < l->array_count; n++)
        if (l->arrays[n].address == address)
            found = found > 0 || l->arrays[n].stored;
    return found;
}

static void lint_varyings(struct frame *f, const struct state *s)
{
    const struct utgard_state *state = &s->state;
    for (uint32_t c = 0; c < 64; c += 4) {
        uint32_t slot = c / 4;
        if (!(s->program->varyings >> c & 15))
            continue;
        if (slot >= state->slot_count)
            utgard_lint_tell(f->lint, UTGARD_LINT_VARYING_UNSET, STATE, s->address, "varying %u of %u", slot,
                             state->slot_count);
        else if (!array_stored(f->lint, state->varyings + state->slot[slot].offset))
            utgard_lint_tell(f->lint, UTGARD_LINT_VARYING_UNSTORED, STATE, s->address, "varying %u", slot);
    }
}

static void lint_uniforms(struct frame *f, const struct state *s)
{
    const struct utgard_state *state = &s->state;
    uint32_t count = s->program->uniforms;
    const uint8_t *where = gpu_space_at(f->space, state->uniforms, 4, GPU_RIGHT_READ);
    if (!count)
        return;
    if (!state->uniforms || !where ||
        !gpu_space_allows(f->space, util_load32(where), count * 2ull, GPU_RIGHT_READ, NULL))
        utgard_lint_tell(f->lint, UTGARD_LINT_PP_UNIFORMS, STATE, s->address, "%u halves", count);
}

/* ---- render states ---- */

static bool read_program(struct frame *f, struct state *s)
{
    uint32_t at = s->state.program;
    uint32_t bytes = gpu_space_extent(f->space, at, UTGARD_PP_MAX_WORDS * 4, GPU_RIGHT_READ) & ~3u;
    struct util_error error = {0};
    s->words = malloc(bytes + 4ull);
    if (!bytes || !s->words) {
        utgard_lint_tell(f->lint, UTGARD_LINT_PP_PROGRAM, PROGRAM, at, "%s", "");
        return false;
    }
    memcpy(s->words, f->space->window.base + at, bytes);
    if (utgard_pp_program_create(s->words, bytes / 4, &s->program, &error)) {
        utgard_lint_tell(f->lint, UTGARD_LINT_PP_PROGRAM, PROGRAM, at, "%s", error.text);
        return false;
    }
    utgard_lint_program(f->lint, "utgard-pp", PROGRAM, at, s->words, s->program->word_count * 4ull);
    return true;
}

/* The tests come before the program where both bits of early_z are set (lima's two names for them). */
static void lint_order(struct frame *f, const struct state *s)
{
    bool late = s->program->discards || s->state.depth_program;
    uint32_t length = s->words[0] & 31;
    if (s->fields.early_z == 3 && late)
        utgard_lint_tell(f->lint, UTGARD_LINT_EARLY_Z, STATE, s->address, "%s",
                         s->program->discards ? "discards" : "depth");
    if (s->fields.first_length != length)
        utgard_lint_tell(f->lint, UTGARD_LINT_FIRST_LENGTH, STATE, s->address, "%u words, of %u",
                         s->fields.first_length, length);
}

static void lint_state(struct frame *f, uint32_t address)
{
    struct state s = {.address = address};
    struct gpu_fault fault = {0};
    uint32_t words[UTGARD_RSW_WORDS];
    const uint64_t key[] = {f->lint->lint.summary->jobs, address};
    const uint8_t *at = gpu_space_at(f->space, address, sizeof words, GPU_RIGHT_READ);
    if (!gpu_seen_first(&f->lint->lint.looked_at, key, sizeof key, &f->lint->lint.error))
        return;
    if (!at) {
        utgard_lint_tell(f->lint, UTGARD_LINT_STATE_OUTSIDE, STATE, address, "%s", "");
        return;
    }
    memcpy(words, at, sizeof words);
    utgard_rsw_unpack(words, &s.fields);
    if (!utgard_rsw_decode(words, address, &s.state, &fault)) {
        if (fault.kind == GPU_FAULT_PACKET)
            utgard_lint_tell(f->lint, UTGARD_LINT_STATE_BROKEN, STATE, address, "%s", fault.text);
        return;
    }
    if (s.state.dither)
        tell_dither(f, STATE, address);
    if (read_program(f, &s)) {
        lint_order(f, &s);
        lint_textures(f, &s);
        lint_varyings(f, &s);
        lint_uniforms(f, &s);
    }
    utgard_pp_program_destroy(s.program);
    free(s.words);
}

/* ---- the frame ---- */

static void lint_writeback(struct frame *f, unsigned pp, uint32_t width, uint32_t height, bool halves)
{
    bool any = false;
    for (unsigned n = 0; n < UTGARD_WB_UNITS; n++) {
        const uint32_t *words = utgard_device_writeback(f->lint->device, pp, n);
        struct utgard_wb *wb = &f->wb[n];
        struct gpu_fault fault = {0};
        bool good = utgard_wb_decode(words, width, height, f->space, wb, &fault);
        if (good && !utgard_wb_fits(wb, halves, &fault))
            utgard_lint_tell(f->lint, UTGARD_LINT_WRITEBACK_BROKEN, WRITEBACK, words[1], "unit %u: %s", n,
                             fault.text);
        if (!good && fault.kind != GPU_FAULT_UNSUPPORTED)
            utgard_lint_tell(f->lint, UTGARD_LINT_WRITEBACK_BROKEN, WRITEBACK, words[1], "unit %u: %s", n,
                             fault.text);
        if (words[UTGARD_WB_WORD_SOURCE] != UTGARD_WB_OFF &&
            words[UTGARD_WB_WORD_FLAGS] & UTGARD_WB_FLAG_DITHER)
            tell_dither(f, WRITEBACK, words[1]);
        any |= !good || wb->source != UTGARD_WB_OFF;
        f->wb_bytes[n] = good && wb->source != UTGARD_WB_OFF ? utgard_wb_plane_bytes(wb) : 0;
        for (unsigned m = 0; m < n; m++)
            if (f->wb_bytes[n] && f->wb_bytes[m] &&
                overlap(wb->address, f->wb_bytes[n], f->wb[m].address, f->wb_bytes[m]))
                utgard_lint_tell(f->lint, UTGARD_LINT_WRITEBACK_OVERLAP, WRITEBACK, wb->address,
                                 "units %u and %u", m, n);
    }
    if (!any)
        utgard_lint_tell(f->lint, UTGARD_LINT_WRITEBACK_NONE, FRAME,
                         utgard_device_words(f->lint->device, (enum utgard_ip)(UTGARD_IP_PP0 + pp))[0],
                         "%ux%u", width, height);
}

static void lint_tiles(struct frame *f, unsigned pp, uint32_t width, uint32_t height)
{
    struct gpu_tile *tiles = malloc(GPU_FRAME_TILES * sizeof *tiles);
    bool *seen = calloc(256 * 256, sizeof *seen);
    struct gpu_fault fault = {0};
    uint32_t count = 0;
    if (tiles && !utgard_device_tiles(f->lint->device, pp, f->space, tiles, &count, &fault))
        utgard_lint_tell(f->lint, UTGARD_LINT_TILE_LIST, FRAME, (uint32_t)fault.address, "%s", fault.text);
    for (uint32_t n = 0; seen && n < count; n++) {
        uint32_t x = tiles[n].x, y = tiles[n].y;
        if (x * GPU_TILE >= width || y * GPU_TILE >= height)
            utgard_lint_tell(f->lint, UTGARD_LINT_TILE_OUTSIDE, "tile list", tiles[n].list,
                             "tile %u,%u of %ux%u pixels", x, y, width, height);
        if (seen[(y & 255) * 256 + (x & 255)])
            utgard_lint_tell(f->lint, UTGARD_LINT_TILE_TWICE, "tile list", tiles[n].list, "tile %u,%u", x, y);
        seen[(y & 255) * 256 + (x & 255)] = true;
    }
    free(tiles);
    free(seen);
}

void utgard_lint_frame(struct utgard_lint *l, unsigned pp, bool first)
{
    const uint32_t *words = utgard_device_words(l->device, (enum utgard_ip)(UTGARD_IP_PP0 + pp));
    uint32_t width = words[UTGARD_FRAME_WIDTH] + 1, height = words[UTGARD_FRAME_HEIGHT] + 1;
    struct gpu_fault fault = {0};
    struct frame f = {.lint = l, .space = utgard_device_space(l->device, 1 + pp, &fault)};
    if (!f.space) {
        utgard_lint_tell(l, UTGARD_LINT_PAGING, FRAME, words[0], "%s", fault.text);
        return;
    }
    lint_writeback(&f, pp, width, height, words[UTGARD_FRAME_FLAGS] & UTGARD_FRAME_HALVES);
    for (uint32_t n = 0; first && n < l->draw_count; n++) {
        l->lint.draw = l->draws[n].number;
        lint_state(&f, l->draws[n].state);
    }
    l->lint.draw = 0;
    lint_tiles(&f, pp, width, height);
}
