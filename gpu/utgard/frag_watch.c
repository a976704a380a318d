/* Blocks that somebody looks at: lanes followed through the tests, the program and blending of the reference
 * path (gpu/watch.h). Registers are seen before and after each instruction; what comes from outside is told
 * by the ports. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/utgard/frag_ref_internal.h"
#include "isa/utgard_pp/uses.h"
#include "util/bits.h"
#include "util/list.h"

/* A lane on its way. */
struct follower {
    struct gpu_lane *lane;
    unsigned number;                   /* the lane's */
    const struct utgard_pp_insn *insn; /* under way; NULL: the lane does not execute it */
    struct gpu_step now;
    struct utgard_pp_uses uses;
};

/* Who is told of a block. */
struct utgard_ref_looking {
    const struct gpu_watch *watch;
    uint64_t began; /* the batch's instructions then */
    struct follower *follower;
    uint32_t count;
};

static const char components[] = "xyzw";

/* ---- the block ---- */

static void begin(const struct utgard_ref_batch *batch, struct follower *f, const struct raster_block *block)
{
    struct gpu_lane *lane = f->lane;
    uint8_t covered = 0;

    for (unsigned k = 0; k < batch->frag->head.samples; k++)
        covered |= (uint8_t)((block->sample[k] >> f->number & 1) << k);
    lane->masked = covered && !(covered & batch->frag->head.sample_mask);
    lane->w = util_f2u(batch->w[f->number]);
    lane->z = batch->depth[f->number];
}

void utgard_ref_look(struct utgard_ref_batch *batch, const struct raster_block *block)
{
    const struct gpu_watched_block it = {.block = block, .tile = batch->tile, .counts = true};
    struct gpu_lanes lanes = {0};
    struct utgard_ref_looking *l;

    if (!batch->watch->begin(batch->watch->data, &it, &lanes))
        return;
    l = calloc(1, sizeof *l);
    if (l && lanes.count)
        l->follower = calloc(lanes.count, sizeof *l->follower);
    if (!l || (lanes.count && !l->follower)) { /* without host memory nobody is followed */
        for (uint32_t i = 0; i < lanes.count; i++)
            lanes.at[i].out_of_memory = true;
        free(l);
        if (batch->watch->end)
            batch->watch->end(batch->watch->data, 0);
        return;
    }
    l->watch = batch->watch;
    l->began = batch->executed;
    l->count = lanes.count;
    for (uint32_t i = 0; i < lanes.count; i++) {
        l->follower[i] = (struct follower){.lane = &lanes.at[i], .number = lanes.at[i].number};
        begin(batch, &l->follower[i], block);
    }
    batch->looking = l;
}

void utgard_ref_look_away(struct utgard_ref_batch *batch, uint32_t code)
{
    struct utgard_ref_looking *l = batch->looking;

    batch->looking = NULL;
    for (uint32_t i = 0; i < l->count; i++)
        l->follower[i].lane->fault = code;
    if (l->watch->end)
        l->watch->end(l->watch->data, batch->executed - l->began);
    free(l->follower);
    free(l);
}

/* ---- depth and stencil ---- */

void utgard_ref_look_at_test(struct utgard_ref_batch *batch, const struct utgard_pp_state *state,
                             void (*test)(struct utgard_ref_batch *batch,
                                          const struct utgard_pp_state *state))
{
    const struct utgard_frag_head *head = &batch->frag->head;
    const uint32_t *zs = batch->tile->zs + batch->index;
    uint32_t before[RASTER_MAX_SAMPLES * 16];
    uint16_t live[4];

    memcpy(before, zs, head->samples * 16 * sizeof *before);
    memcpy(live, batch->live, sizeof live);
    test(batch, state);
    for (uint32_t i = 0; i < batch->looking->count; i++) {
        struct follower *f = &batch->looking->follower[i];
        struct gpu_test it = {.when = state ? GPU_TEST_AFTER : GPU_TEST_BEFORE,
                              .depth = batch->depth[f->number],
                              .rule = head->zs};

        for (unsigned k = 0; k < head->samples; k++) {
            it.samples |= (uint8_t)((live[k] >> f->number & 1) << k);
            it.passed |= (uint8_t)((batch->live[k] >> f->number & 1) << k);
            it.before[k] = before[k * 16 + f->number];
            it.after[k] = zs[k * 16 + f->number];
        }
        if (it.samples && !UTIL_LIST_ADD(f->lane->tests, it))
            f->lane->out_of_memory = true;
    }
}

/* ---- the program ---- */

static void add_value(struct gpu_value *list, uint8_t *count, const struct gpu_value *value)
{
    if (*count < GPU_VALUES)
        list[(*count)++] = *value;
}

/* Components of a register as they stand. */
static struct gpu_value register_value(const struct utgard_pp_state *state, unsigned reg, uint8_t mask,
                                       unsigned lane)
{
    struct gpu_value v = {.number = true, .known = true};
    int at = snprintf(v.name, sizeof v.name, "r%u%s", reg, mask == 15 ? "" : ".");

    for (unsigned c = 0; c < 4; c++) {
        if (!(mask >> c & 1))
            continue;
        v.value[v.count++] = state->reg[reg][c][lane];
        if (mask != 15)
            v.name[at++] = components[c];
    }
    return v;
}

static void finish(struct follower *f, const struct utgard_pp_state *state)
{
    if (!f->insn)
        return;
    for (unsigned r = 0; r < UTGARD_PP_REGISTERS; r++) {
        struct gpu_value v = register_value(state, r, f->uses.written[r], f->number);

        if (v.count)
            add_value(f->now.write, &f->now.writes, &v);
    }
    if (f->lane->trace.count < f->lane->keep && !UTIL_LIST_ADD(f->lane->trace, f->now))
        f->lane->out_of_memory = true;
    f->insn = NULL;
}

static void on_insn(void *data, const struct utgard_pp_insn *insn, uint16_t lanes,
                    const struct utgard_pp_state *state)
{
    struct utgard_ref_looking *l = data;

    if (l->watch->step)
        l->watch->step(l->watch->data, insn->at);
    for (uint32_t i = 0; i < l->count; i++) {
        struct follower *f = &l->follower[i];

        finish(f, state);
        if (!(lanes >> f->number & 1))
            continue;
        f->insn = insn;
        f->now = (struct gpu_step){.pc = insn->at};
        f->lane->executed++;
        utgard_pp_uses(insn, &f->uses);
        for (unsigned r = 0; r < UTGARD_PP_REGISTERS; r++) {
            struct gpu_value v = register_value(state, r, f->uses.read[r], f->number);

            if (v.count)
                add_value(f->now.read, &f->now.reads, &v);
        }
    }
}

/* The instruction under way has got this from outside. */
static void tell(struct follower *f, const char *name, uint32_t count, uint32_t value[4][16])
{
    struct gpu_value v = {.number = true, .known = true, .count = (uint8_t)count};

    snprintf(v.name, sizeof v.name, "%s", name);
    for (uint32_t n = 0; n < count; n++)
        v.value[n] = value[n][f->number];
    add_value(f->now.read, &f->now.reads, &v);
}

/* ---- ports ---- */

static void tell_varying(const struct utgard_ref_batch *batch, struct follower *f, uint32_t at)
{
    uint8_t n = at < UTGARD_COMPONENTS ? batch->frag->head.vary[at] : UTGARD_NO_VARYING;
    struct gpu_varying it = {.n = at, .place = n == UTGARD_NO_VARYING ? UINT32_MAX : n};

    snprintf(it.name, sizeof it.name, "v%u.%c", at / 4 % 100, components[at % 4]);
    if (n != UTGARD_NO_VARYING) {
        it.vary = util_f2u(raster_vary_at(batch->prim, batch->px, batch->py, f->number, n));
        it.c = util_f2u(batch->prim->vary_c[n]);
    }
    for (uint32_t i = 0; i < f->lane->varyings.count; i++)
        if (f->lane->varyings.at[i].n == at)
            return;
    if (!UTIL_LIST_ADD(f->lane->varyings, it))
        f->lane->out_of_memory = true;
}

static bool watched_varying(void *ctx, uint32_t first, const int32_t *offset, uint32_t count, uint16_t lanes,
                            uint32_t out[4][16], uint32_t *bad)
{
    const struct utgard_ref_batch *batch = ctx;
    bool ok = utgard_ref_ports.varying(ctx, first, offset, count, lanes, out, bad);

    for (uint32_t i = 0; ok && i < batch->looking->count; i++) {
        struct follower *f = &batch->looking->follower[i];

        for (uint32_t n = 0; f->insn && n < count; n++)
            tell_varying(batch, f, first + (uint32_t)(offset ? offset[f->number] : 0) + n);
    }
    return ok;
}

static void tell_sample(const struct utgard_ref_batch *batch, struct follower *f, uint32_t n, int32_t offset,
                        const uint32_t coordinates[4][16], const uint32_t *lod, uint32_t color[4][16])
{
    uint32_t choice = utgard_frag_choice(batch->frag, n, offset);
    const struct raster_texture_key *key = &batch->frag->keys[choice].raster;
    const struct raster_texture *texture = &batch->frag->textures[choice];
    unsigned lane = f->number;
    float c[3][16], level[16] = {0};
    uint32_t word[16];
    struct gpu_lookup it = {.pc = f->now.pc,
                            .address = texture->level[0].offset,
                            .width = texture->level[0].width,
                            .height = texture->level[0].height,
                            .levels = texture->level_count,
                            .format = key->format,
                            .depth = key->volume ? texture->level[0].depth : 0,
                            .cube = key->cube,
                            .has_t = true,
                            .has_r = key->cube || key->volume,
                            .has_b = lod != NULL,
                            .level_given = key->lod == RASTER_LOD_EXPLICIT,
                            .numbers = key->texel_bytes != 0};

    memcpy(c, coordinates, sizeof c);
    if (lod)
        memcpy(level, lod, sizeof level);
    snprintf(it.unit, sizeof it.unit, "sampler %u",
             (batch->frag->program->samples[n].sampler + (uint32_t)offset) % 100);
    it.s = c[0][lane];
    it.t = c[1][lane];
    it.r = c[2][lane];
    it.b = level[lane];
    for (unsigned k = 0; k < 4; k++)
        it.color[k] = color[k][lane];
    if (!it.numbers) {
        raster_texture_sample(key, texture, c[0], c[1], it.has_r ? c[2] : NULL, lod ? level : NULL, word);
        it.result = word[lane];
    }
    raster_texture_lookup(key, texture, c[0], c[1], c[2], level, lane, &it.where);
    if (!UTIL_LIST_ADD(f->lane->lookups, it))
        f->lane->out_of_memory = true;
}

static bool watched_sample(void *ctx, uint32_t n, const int32_t *offset, const uint32_t coordinates[4][16],
                           const uint32_t lod[16], uint16_t lanes, uint32_t out[4][16], uint32_t *bad)
{
    const struct utgard_ref_batch *batch = ctx;
    bool ok = utgard_ref_ports.sample(ctx, n, offset, coordinates, lod, lanes, out, bad);

    for (uint32_t i = 0; ok && i < batch->looking->count; i++) {
        struct follower *f = &batch->looking->follower[i];

        if (!f->insn || utgard_frag_choice(batch->frag, n, offset ? offset[f->number] : 0) == UINT32_MAX)
            continue;
        tell_sample(batch, f, n, offset ? offset[f->number] : 0, coordinates, lod, out);
        tell(f, "tex", 4, out);
    }
    return ok;
}

static bool watched_uniform(void *ctx, uint32_t first, const int32_t *offset, uint32_t count, uint16_t lanes,
                            uint32_t out[4][16], uint32_t *bad)
{
    const struct utgard_ref_batch *batch = ctx;
    bool ok = utgard_ref_ports.uniform(ctx, first, offset, count, lanes, out, bad);

    for (uint32_t i = 0; ok && i < batch->looking->count; i++)
        if (batch->looking->follower[i].insn)
            tell(&batch->looking->follower[i], "uni", count, out);
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
                  batch->looking);
    for (uint32_t i = 0; i < batch->looking->count; i++) {
        struct follower *f = &batch->looking->follower[i];

        finish(f, state);
        f->lane->discarded = !(state->live >> f->number & 1);
    }
}

/* ---- colours ---- */

void utgard_ref_look_at_colors(struct utgard_ref_batch *batch, const struct utgard_pp_state *state,
                               const uint32_t source[16], uint16_t passed)
{
    const struct utgard_frag *frag = batch->frag;
    const struct utgard_frag_head *head = &frag->head;

    for (uint32_t i = 0; i < batch->looking->count; i++) {
        struct follower *f = &batch->looking->follower[i];

        f->lane->output = (struct gpu_output){
            .given = !f->lane->discarded,
            .source = frag->head.target == RASTER_TARGET_RGBA16F
                          ? utgard_ref_wide_color(state, head, f->number)
                          : source[f->number],
            .second = utgard_ref_color(state, head->second_register, f->number),
            .constant = frag->args.blend_color,
            .blend = head->blend,
            .alpha_tested = head->alpha_func != RASTER_ALWAYS,
            .alpha_passed = passed >> f->number & 1,
            .alpha_func = head->alpha_func,
            .alpha_ref = (uint8_t)frag->args.alpha_ref,
            .alpha = (uint8_t)(source[f->number] >> 24),
        };
        for (unsigned k = 0; head->blend.write_mask && k < head->samples; k++)
            f->lane->written |= (uint8_t)((batch->live[k] >> f->number & 1) << k);
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
