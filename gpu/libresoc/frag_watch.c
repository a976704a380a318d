/* Tiles that somebody looks at (gpu/watch.h). A launch is of 8x8 pixels and who looks on is told of 4x4: the tile is shaded, put
 * back as it was, and told block by block, each of which then takes what it has become. Which elements of
 * vectors are told of a pixel frag_values.h says. */
#include <stdlib.h>
#include <string.h>

#include "gpu/libresoc/frag_internal.h"
#include "gpu/libresoc/frag_values.h"
#include "raster/depth.h"
#include "util/bits.h"
#include "util/list.h"

struct step {
    uint32_t pc;
    bool blends;
};

/* A tile's blocks as they stand, or stood. */
struct kept {
    uint32_t zs[LIBRESOC_QUAD][16], color[LIBRESOC_QUAD][16];
};

struct libresoc_looking {
    const struct libresoc_stage *stage; /* at work */
    struct {
        struct step *at;
        uint32_t count, room;
    } steps;
    struct libresoc_values values;
    uint16_t covered[LIBRESOC_QUAD]; /* lanes of each block */
    bool out_of_memory, shaded;
    uint32_t source[LIBRESOC_LANES]; /* what the fragment program gave, if shaded */
    uint64_t left;                   /* pixels that it left */
};

/* ---- while it is shaded ---- */

static void note_step(void *data, const struct simple_v_state *state, const struct simple_v_insn *insn)
{
    struct libresoc_looking *looking = data;
    const struct libresoc_stage *stage = looking->stage;
    const uint32_t at = (uint32_t)((state->pc - stage->program.address) / 2);
    const struct step step = {.pc = at + (state->in_block ? state->opptr : 0),
                              .blends = stage->kind == LIBRESOC_BLEND};
    libresoc_values_step(&looking->values, state);
    if (!UTIL_LIST_ADD(looking->steps, step))
        looking->out_of_memory = true;
}

void libresoc_looking_launch(struct libresoc_looking *looking, const struct libresoc_stage *stage,
                             struct libresoc_launch *launch)
{
    looking->stage = stage;
    launch->trace = note_step;
    launch->trace_data = looking;
    launch->watch = &looking->values.watch;
}

void libresoc_looking_source(struct libresoc_looking *looking, const uint32_t *rows, uint64_t mask)
{
    memcpy(looking->source, rows, sizeof looking->source);
    looking->left = mask;
    looking->shaded = true;
}

static void keep(const struct libresoc_tile *t, struct kept *out)
{
    for (unsigned n = 0; n < LIBRESOC_QUAD; n++) {
        const uint32_t index = raster_block_index(t->of, t->x + n % 2 * 4, t->y + n / 2 * 4, 0);
        memcpy(out->zs[n], t->of->zs + index, sizeof out->zs[n]);
        memcpy(out->color[n], t->of->color + index, sizeof out->color[n]);
    }
}

static void put(const struct libresoc_tile *t, unsigned n, const struct kept *kept)
{
    const uint32_t index = raster_block_index(t->of, t->x + n % 2 * 4, t->y + n / 2 * 4, 0);
    memcpy(t->of->zs + index, kept->zs[n], sizeof kept->zs[n]);
    memcpy(t->of->color + index, kept->color[n], sizeof kept->color[n]);
}

/* ---- afterwards ---- */

static struct gpu_color word_of(uint32_t word)
{
    return (struct gpu_color){RASTER_R8G8B8A8_UNORM, {word}};
}

static void tell_test(const struct libresoc_tile *t, const struct libresoc_looking *looking, unsigned n,
                      struct gpu_follower *f, const struct kept *before, const struct kept *after)
{
    struct gpu_test it = {.when = GPU_TEST_BEFORE, .depth = f->lane->z, .rule = t->frag->late.zs};
    uint32_t stored = before->zs[n][f->number];
    const bool passed = raster_zs_test(&t->frag->early.zs, t->prim->reverse, it.depth, &stored);
    const uint16_t lanes[RASTER_MAX_SAMPLES] = {passed ? UINT16_MAX : 0};
    gpu_follow_test(f, &it, 1, &(const struct gpu_zs_block){.zs = before->zs[n]},
                    &(const struct gpu_zs_block){.zs = after->zs[n]}, looking->covered + n, lanes);
}

static void tell_lane(const struct libresoc_tile *t, const struct libresoc_looking *looking, unsigned n,
                      struct gpu_follower *f, const struct kept *before, const struct kept *after)
{
    const unsigned bit = libresoc_bit(n, f->number);
    const bool covered = looking->covered[n] >> f->number & 1;
    const bool left = looking->shaded && looking->left >> bit & 1;
    struct gpu_lane *lane = f->lane;
    lane->w = util_f2u(raster_w_at(t->prim, t->of->x + (int32_t)(t->x + n % 2 * 4),
                                   t->of->y + (int32_t)(t->y + n / 2 * 4), f->number));
    lane->z = raster_depth_at(t->prim, t->of->x + (int32_t)(t->x + n % 2 * 4),
                              t->of->y + (int32_t)(t->y + n / 2 * 4), f->number);
    lane->out_of_memory |= looking->out_of_memory || looking->values.out_of_memory;
    uint32_t next = 0;
    tell_test(t, looking, n, f, before, after);
    for (uint32_t i = 0; i < looking->steps.count; i++) {
        const struct step *step = &looking->steps.at[i];
        f->now = (struct gpu_step){.pc = step->pc, .enters = true, .blends = step->blends};
        libresoc_values_tell(&looking->values, i, bit, &next, f);
        lane->executed++;
        gpu_follow_keep(f);
    }
    lane->discarded = covered && looking->shaded && !left;
    lane->written = left;
    lane->output = (struct gpu_output){.given = left,
                                       .source = word_of(looking->source[bit]),
                                       .shader = t->frag->has_blend,
                                       .blend = raster_blend_replace};
}

static void tell_block(const struct libresoc_tile *t, const struct gpu_watch *watch,
                       const struct libresoc_looking *looking, unsigned n, const struct kept *before,
                       const struct kept *after, uint64_t executed)
{
    const struct raster_block block = {.x = (uint8_t)(t->x / 4 + n % 2),
                                       .y = (uint8_t)(t->y / 4 + n / 2),
                                       .mask = looking->covered[n],
                                       .sample = {looking->covered[n]}};
    const struct gpu_watched_block it = {.block = &block, .tile = t->of, .counts = true};
    struct gpu_following following;
    if (!gpu_following_begin(&following, watch, &it, sizeof(struct gpu_follower))) {
        put(t, n, after);
        return;
    }
    for (uint32_t i = 0; i < looking->steps.count; i++)
        if (!looking->steps.at[i].blends)
            gpu_following_step(&following, looking->steps.at[i].pc);
    put(t, n, after);
    for (uint32_t i = 0; i < following.count; i++)
        tell_lane(t, looking, n, gpu_following_at(&following, i), before, after);
    gpu_following_end(&following, executed);
}

/* Depth and programs of a tile of which `covered` lanes are the primitive's. */
static bool shade_tile(struct libresoc_tile *t, const uint16_t covered[LIBRESOC_QUAD])
{
    struct raster_block blocks[LIBRESOC_QUAD];
    uint16_t live[LIBRESOC_GROUPS * LIBRESOC_GROUPS][LIBRESOC_QUAD];
    uint32_t count = libresoc_tile_blocks(t, covered, blocks);
    count = libresoc_frag_test(t->frag, t->prim, t->of, blocks, count);
    const uint64_t group = libresoc_frag_group(blocks, count, live);
    if (!group || !t->frag->has_fragment)
        return true;
    memcpy(t->live, live[__builtin_ctzll(group)], sizeof t->live);
    return libresoc_tile_shade(t);
}

static bool shade_watched(struct libresoc_tile *t, const struct gpu_watch *watch,
                          const uint16_t covered[LIBRESOC_QUAD])
{
    struct libresoc_looking looking = {0};
    libresoc_values_begin(&looking.values);
    const uint64_t began = t->work->executed;
    struct kept before, after;
    memcpy(looking.covered, covered, sizeof looking.covered);
    keep(t, &before);
    t->looking = &looking;
    const bool done = shade_tile(t, covered);
    keep(t, &after);
    for (unsigned n = 0; n < LIBRESOC_QUAD; n++)
        put(t, n, &before);
    uint64_t executed = t->work->executed - began; /* all of it the first block's */
    for (unsigned n = 0; n < LIBRESOC_QUAD; n++) {
        if (!covered[n])
            continue;
        tell_block(t, watch, &looking, n, &before, &after, executed);
        executed = 0;
    }
    free(looking.steps.at);
    libresoc_values_finish(&looking.values);
    return done;
}

uint32_t libresoc_frag_shade_watched(const struct libresoc_frag *frag, const struct gpu_watch *watch,
                                     const struct raster_prim *prim, struct raster_tile *tile,
                                     const struct raster_block *blocks, uint32_t count,
                                     struct raster_shader_work *work)
{
    uint16_t covered[LIBRESOC_GROUPS * LIBRESOC_GROUPS][LIBRESOC_QUAD];
    struct libresoc_local local;
    if (!raster_shader_pay(&frag->shader, count, work))
        return RASTER_SHADER_UNPAID;
    for (uint64_t groups = libresoc_frag_group(blocks, count, covered); groups; groups &= groups - 1) {
        const uint32_t group = (uint32_t)__builtin_ctzll(groups);
        struct libresoc_tile t = {.frag = frag, .prim = prim, .of = tile, .work = work, .local = &local};
        libresoc_tile_place(&t, group);
        if (!shade_watched(&t, watch, covered[group]))
            return 1;
    }
    return 0;
}
