/* Blocks that somebody looks at: lanes followed through the tests, the program and blending of the reference
 * path (gpu/watch.h). Registers are seen before and after each instruction; what comes from outside is told
 * by the ports. */
#include <stdio.h>
#include <string.h>

#include "gpu/utgard/frag_ref_internal.h"
#include "isa/utgard_pp/uses.h"
#include "util/bits.h"

/* A lane on its way. */
struct follower {
    struct gpu_follower of;
    const struct utgard_pp_insn *insn; /* under way; NULL: the lane does not execute it */
    struct utgard_pp_uses uses;
};

static struct follower *at(const struct utgard_ref_batch *batch, uint32_t i)
{
    return gpu_following_at(&batch->following, i);
}

static const char components[] = "xyzw";

/* ---- the block ---- */

static void begin(const struct utgard_ref_batch *batch, struct gpu_follower *f,
                  const struct raster_block *block)
{
    struct gpu_lane *lane = f->lane;
    uint8_t covered = 0;

    for (unsigned k = 0; k < batch->frag->head.samples; k++)
        covered |= (uint8_t)((block->sample[k] >> f->number & 1) << k);
    lane->masked = covered && !(covered & batch->frag->head.sample_mask);
    lane->w = util_f2u(batch->w[f->number]);
    lane->z = batch->block.depth[f->number];
}

void utgard_ref_look(struct utgard_ref_batch *batch, const struct raster_block *block)
{
    const struct gpu_watched_block it = {.block = block, .tile = batch->block.tile, .counts = true};

    batch->looking = gpu_following_begin(&batch->following, batch->watch, &it, sizeof(struct follower));
    batch->began = batch->executed;
    for (uint32_t i = 0; batch->looking && i < batch->following.count; i++)
        begin(batch, &at(batch, i)->of, block);
}

void utgard_ref_look_away(struct utgard_ref_batch *batch, uint32_t code)
{
    for (uint32_t i = 0; i < batch->following.count; i++)
        at(batch, i)->of.lane->fault = code;
    gpu_following_end(&batch->following, batch->executed - batch->began);
    batch->looking = false;
}

/* ---- depth and stencil ---- */

void utgard_ref_look_at_test(struct utgard_ref_batch *batch, const struct utgard_pp_state *state,
                             void (*test)(struct utgard_ref_batch *batch,
                                          const struct utgard_pp_state *state))
{
    const struct utgard_frag_head *head = &batch->frag->head;
    const uint32_t *zs = batch->block.tile->zs + batch->block.index;
    uint32_t before[RASTER_MAX_SAMPLES * 16];
    uint16_t live[4];

    memcpy(before, zs, head->samples * 16 * sizeof *before);
    memcpy(live, batch->block.live, sizeof live);
    test(batch, state);
    for (uint32_t i = 0; i < batch->following.count; i++) {
        struct gpu_follower *f = &at(batch, i)->of;
        struct gpu_test it = {.when = state ? GPU_TEST_AFTER : GPU_TEST_BEFORE,
                              .depth = batch->block.depth[f->number],
                              .rule = head->zs};

        gpu_follow_test(f, &it, head->samples, &(const struct gpu_zs_block){.zs = before},
                        &(const struct gpu_zs_block){.zs = zs}, live, batch->block.live);
    }
}

/* ---- the program ---- */

static void finish(struct follower *f, const struct utgard_pp_state *state)
{
    if (!f->insn)
        return;
    for (unsigned r = 0; r < UTGARD_PP_REGISTERS; r++)
        gpu_follow_register(&f->of, true, r, f->uses.written[r], true, state->reg[r]);
    gpu_follow_keep(&f->of);
    f->insn = NULL;
}

static void on_insn(void *data, const struct utgard_pp_insn *insn, uint16_t lanes,
                    const struct utgard_pp_state *state)
{
    const struct gpu_following *following = data;

    gpu_following_step(following, insn->at);
    for (uint32_t i = 0; i < following->count; i++) {
        struct follower *f = gpu_following_at(following, i);

        finish(f, state);
        if (!(lanes >> f->of.number & 1))
            continue;
        f->insn = insn;
        f->of.now = (struct gpu_step){.pc = insn->at};
        f->of.lane->executed++;
        utgard_pp_uses(insn, &f->uses);
        for (unsigned r = 0; r < UTGARD_PP_REGISTERS; r++)
            gpu_follow_register(&f->of, false, r, f->uses.read[r], true, state->reg[r]);
    }
}

/* ---- ports ---- */

static void tell_varying(const struct utgard_ref_batch *batch, struct follower *f, uint32_t n)
{
    uint8_t place = n < UTGARD_COMPONENTS ? batch->frag->head.vary[n] : UTGARD_NO_VARYING;
    struct gpu_varying it = {.n = n, .place = place == UTGARD_NO_VARYING ? UINT32_MAX : place};

    snprintf(it.name, sizeof it.name, "v%u.%c", n / 4 % 100, components[n % 4]);
    if (place != UTGARD_NO_VARYING) {
        it.vary = util_f2u(raster_vary_at(batch->prim, batch->px, batch->py, f->of.number, place));
        it.c = util_f2u(batch->prim->vary_c[place]);
    }
    gpu_follow_varying(&f->of, &it);
}

static bool watched_varying(void *ctx, uint32_t first, const int32_t *offset, uint32_t count, uint16_t lanes,
                            uint32_t out[4][16], uint32_t *bad)
{
    const struct utgard_ref_batch *batch = ctx;
    bool ok = utgard_ref_ports.varying(ctx, first, offset, count, lanes, out, bad);

    for (uint32_t i = 0; ok && i < batch->following.count; i++) {
        struct follower *f = at(batch, i);

        for (uint32_t n = 0; f->insn && n < count; n++)
            tell_varying(batch, f, first + (uint32_t)(offset ? offset[f->of.number] : 0) + n);
    }
    return ok;
}

static void tell_sample(const struct utgard_ref_batch *batch, struct follower *f, uint32_t n, int32_t offset,
                        const uint32_t coordinates[4][16], const uint32_t *lod, uint32_t color[4][16])
{
    uint32_t choice = utgard_frag_choice(batch->frag, n, offset);
    const struct raster_texture_key *key = &batch->frag->keys[choice].raster;
    const struct raster_texture *texture = &batch->frag->textures[choice];
    unsigned lane = f->of.number;
    float c[4][16] = {{0}};
    uint32_t word[16];
    struct gpu_lookup it = {.has_t = true,
                            .has_r = key->cube || key->volume,
                            .has_b = lod != NULL,
                            .level_given = key->lod == RASTER_LOD_EXPLICIT,
                            .numbers = batch->frag->keys[choice].texel == UTGARD_TEXEL_HALVES};

    memcpy(c, coordinates, 3 * sizeof *c);
    if (lod)
        memcpy(c[3], lod, sizeof c[3]);
    snprintf(it.unit, sizeof it.unit, "sampler %u",
             (batch->frag->program->samples[n].sampler + (uint32_t)offset) % 100);
    for (unsigned k = 0; k < 4; k++)
        it.color[k] = color[k][lane];
    if (!it.numbers) {
        raster_texture_sample(key, texture, c[0], c[1], it.has_r ? c[2] : NULL, lod ? c[3] : NULL, word);
        it.result = word[lane];
    }
    gpu_follow_lookup(&f->of, &it, &(struct gpu_texels){.key = key, .texture = texture}, c);
}

static bool watched_sample(void *ctx, uint32_t n, const int32_t *offset, const uint32_t coordinates[4][16],
                           const uint32_t lod[16], uint16_t lanes, uint32_t out[4][16], uint32_t *bad)
{
    const struct utgard_ref_batch *batch = ctx;
    bool ok = utgard_ref_ports.sample(ctx, n, offset, coordinates, lod, lanes, out, bad);

    for (uint32_t i = 0; ok && i < batch->following.count; i++) {
        struct follower *f = at(batch, i);

        if (!f->insn || utgard_frag_choice(batch->frag, n, offset ? offset[f->of.number] : 0) == UINT32_MAX)
            continue;
        tell_sample(batch, f, n, offset ? offset[f->of.number] : 0, coordinates, lod, out);
        gpu_follow_outside(&f->of, "tex", 4, true, out);
    }
    return ok;
}

static bool watched_uniform(void *ctx, uint32_t first, const int32_t *offset, uint32_t count, uint16_t lanes,
                            uint32_t out[4][16], uint32_t *bad)
{
    const struct utgard_ref_batch *batch = ctx;
    bool ok = utgard_ref_ports.uniform(ctx, first, offset, count, lanes, out, bad);

    for (uint32_t i = 0; ok && i < batch->following.count; i++)
        if (at(batch, i)->insn)
            gpu_follow_outside(&at(batch, i)->of, "uni", count, true, out);
    return ok;
}

void utgard_ref_look_at_program(struct utgard_ref_batch *batch, const struct utgard_pp_ports *ports,
                                struct utgard_pp_state *state, struct utgard_pp_report *report)
{
    struct utgard_pp_ports watched = *ports;

    watched.varying = watched_varying;
    watched.sample = watched_sample;
    watched.uniform = watched_uniform;
    utgard_pp_run(batch->frag->program, &watched, 0xffff, batch->frag->args.fuel, state, report, on_insn,
                  &batch->following);
    for (uint32_t i = 0; i < batch->following.count; i++) {
        struct follower *f = at(batch, i);

        finish(f, state);
        f->of.lane->discarded = !(state->live >> f->of.number & 1);
    }
}

/* ---- colours ---- */

static struct gpu_color word_of(uint32_t word)
{
    return (struct gpu_color){RASTER_R8G8B8A8_UNORM, {word}};
}

static struct gpu_color source_of(const struct utgard_ref_batch *batch, const struct utgard_pp_state *state,
                                  const uint32_t source[16], unsigned lane)
{
    const struct utgard_frag_head *head = &batch->frag->head;
    if (head->target != RASTER_TARGET_RGBA16F)
        return word_of(source[lane]);
    const uint64_t halves = utgard_ref_halves(state, head, lane);
    return (struct gpu_color){RASTER_R16G16B16A16_FLOAT, {(uint32_t)halves, (uint32_t)(halves >> 32)}};
}

void utgard_ref_look_at_colors(struct utgard_ref_batch *batch, const struct utgard_pp_state *state,
                               const uint32_t source[16], uint16_t passed, const uint16_t *left)
{
    const struct utgard_frag *frag = batch->frag;
    const struct utgard_frag_head *head = &frag->head;

    for (uint32_t i = 0; i < batch->following.count; i++) {
        struct gpu_follower *f = &at(batch, i)->of;

        f->lane->output = (struct gpu_output){
            .given = !f->lane->discarded,
            .source = source_of(batch, state, source, f->number),
            .second = word_of(utgard_ref_color(state, head->second_register, f->number)),
            .constant = word_of(frag->args.blend_color),
            .blend = head->blend,
            .alpha_tested = head->alpha_func != RASTER_ALWAYS,
            .alpha_passed = passed >> f->number & 1,
            .alpha_func = head->alpha_func,
            .alpha_ref = (float)(frag->args.alpha_ref & 255) / 255.0f,
            .alpha = (float)(source[f->number] >> 24) / 255.0f,
            .alpha_to_coverage = head->alpha_to_coverage,
        };
        for (unsigned k = 0; k < head->samples; k++)
            if (left[k] >> f->number & head->sample_mask >> k & 1)
                f->lane->output.alpha_left |= (uint16_t)(1u << k);
        for (unsigned k = 0; head->blend.write_mask && k < head->samples; k++)
            f->lane->written |= (uint16_t)((batch->block.live[k] >> f->number & 1) << k);
    }
}

/* ---- the program, told ---- */

struct gpu_observed_program utgard_frag_program(const struct utgard_frag *frag)
{
    const struct utgard_pp_program *p = frag->program;

    return (struct gpu_observed_program){.set = isa_set_find("utgard-pp"),
                                         .words = (const uint8_t *)frag->words,
                                         .stride = 4,
                                         .word_count = p->word_count,
                                         .insn_count = p->insn_count,
                                         .hash = p->hash,
                                         .address = frag->address,
                                         .branches = p->block_count > 1};
}
