#include "gpu/follow.h"

#include <stdio.h>
#include <stdlib.h>

#include "util/list.h"

/* ---- the block ---- */

bool gpu_following_begin(struct gpu_following *following, const struct gpu_watch *watch,
                         const struct gpu_watched_block *block, size_t size)
{
    struct gpu_lanes lanes = {0};
    *following = (struct gpu_following){.watch = watch, .size = size};
    if (!watch->begin(watch->data, block, &lanes))
        return false;
    following->followers = lanes.count ? calloc(lanes.count, size) : NULL;
    following->count = following->followers ? lanes.count : 0;
    for (uint32_t i = 0; i < lanes.count; i++) {
        struct gpu_lane *lane = &lanes.at[i];
        lane->out_of_memory = !following->followers;
        if (following->followers)
            *(struct gpu_follower *)gpu_following_at(following, i) =
                (struct gpu_follower){.lane = lane, .number = lane->number};
    }
    return true;
}

void gpu_following_step(const struct gpu_following *following, uint32_t pc)
{
    if (following->watch->step)
        following->watch->step(following->watch->data, pc);
}

void gpu_following_end(struct gpu_following *following, uint64_t executed)
{
    if (following->watch->end)
        following->watch->end(following->watch->data, executed);
    free(following->followers);
}

/* ---- an instruction ---- */

static struct gpu_value *add_value(struct gpu_value *list, uint8_t *count, const char *name)
{
    if (*count == GPU_VALUES)
        return NULL;
    struct gpu_value *v = &list[(*count)++];
    *v = (struct gpu_value){.count = 1};
    snprintf(v->name, sizeof v->name, "%s", name);
    return v;
}

struct gpu_value *gpu_follow_read(struct gpu_follower *f, const char *name)
{
    return add_value(f->now.read, &f->now.reads, name);
}

struct gpu_value *gpu_follow_write(struct gpu_follower *f, const char *name)
{
    return add_value(f->now.write, &f->now.writes, name);
}

struct gpu_step *gpu_follow_keep(struct gpu_follower *f)
{
    struct gpu_lane *lane = f->lane;
    if (lane->trace.count >= lane->keep)
        return NULL;
    if (UTIL_LIST_ADD(lane->trace, f->now))
        return &lane->trace.at[lane->trace.count - 1];
    lane->out_of_memory = true;
    return NULL;
}

/* ---- what comes from outside ---- */

void gpu_follow_varying(struct gpu_follower *f, const struct gpu_varying *varying)
{
    if (!UTIL_LIST_ADD(f->lane->varyings, *varying))
        f->lane->out_of_memory = true;
}

void gpu_follow_lookup(struct gpu_follower *f, struct gpu_lookup *lookup,
                       const struct raster_texture_key *key, const struct raster_texture *texture,
                       float coordinates[4][16])
{
    unsigned lane = f->number;
    lookup->pc = f->now.pc;
    lookup->s = coordinates[0][lane];
    lookup->t = coordinates[1][lane];
    lookup->r = coordinates[2][lane];
    lookup->b = coordinates[3][lane];
    if (key) {
        lookup->address = texture->level[0].offset;
        lookup->width = texture->level[0].width;
        lookup->height = texture->level[0].height;
        lookup->depth = key->volume ? texture->level[0].depth : 0;
        lookup->levels = texture->level_count;
        lookup->format = key->format;
        lookup->cube = key->cube;
        raster_texture_lookup(key, texture, coordinates[0], coordinates[1], coordinates[2], coordinates[3],
                              lane, &lookup->where);
    }
    if (!UTIL_LIST_ADD(f->lane->lookups, *lookup))
        f->lane->out_of_memory = true;
}

static struct gpu_zs zs_of(const struct gpu_zs_block *block, uint8_t kind, unsigned at)
{
    return raster_depth_is_32((enum raster_depth_kind)kind)
               ? (struct gpu_zs){block->zs[at], block->stencil[at]}
               : (struct gpu_zs){block->zs[at] >> 8, (uint8_t)block->zs[at]};
}

void gpu_follow_test(struct gpu_follower *f, struct gpu_test *test, unsigned samples,
                     const struct gpu_zs_block *before, const struct gpu_zs_block *after,
                     const uint16_t *tested, const uint16_t *passed)
{
    for (unsigned k = 0; k < samples; k++) {
        test->samples |= (uint16_t)((tested[k] >> f->number & 1) << k);
        test->passed |= (uint16_t)((passed[k] >> f->number & 1) << k);
        test->before[k] = zs_of(before, test->kind, k * 16 + f->number);
        test->after[k] = zs_of(after, test->kind, k * 16 + f->number);
    }
    if (test->samples && !UTIL_LIST_ADD(f->lane->tests, *test))
        f->lane->out_of_memory = true;
}
