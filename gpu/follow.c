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

static void set_value(struct gpu_value *v, const struct gpu_follower *f, uint8_t mask, bool number,
                      const uint32_t value[4][16])
{
    v->known = true;
    v->number = number;
    v->count = 0;
    for (unsigned c = 0; c < 4; c++)
        if (mask >> c & 1)
            v->value[v->count++] = value[c][f->number];
}

void gpu_follow_register(struct gpu_follower *f, bool written, unsigned reg, uint8_t mask, bool number,
                         const uint32_t value[4][16])
{
    static const char components[] = "xyzw";
    char name[20];
    int length = snprintf(name, sizeof name, "r%u%s", reg % 1000, mask == 15 ? "" : ".");
    for (unsigned c = 0; mask != 15 && c < 4; c++)
        if (mask >> c & 1)
            name[length++] = components[c];
    name[length] = 0;
    struct gpu_value *v = !mask ? NULL : written ? gpu_follow_write(f, name) : gpu_follow_read(f, name);
    if (v)
        set_value(v, f, mask, number, value);
}

void gpu_follow_outside(struct gpu_follower *f, const char *name, uint32_t count, bool number,
                        const uint32_t value[4][16])
{
    struct gpu_value *v = gpu_follow_read(f, name);
    if (v)
        set_value(v, f, (uint8_t)((1u << count) - 1), number, value);
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
    for (uint32_t i = 0; i < f->lane->varyings.count; i++)
        if (f->lane->varyings.at[i].n == varying->n)
            return;
    if (!UTIL_LIST_ADD(f->lane->varyings, *varying))
        f->lane->out_of_memory = true;
}

void gpu_follow_lookup(struct gpu_follower *f, struct gpu_lookup *lookup, const struct gpu_texels *texels,
                       float coordinates[4][16])
{
    const struct raster_texture_key *key = texels->key;
    const struct raster_texture *texture = texels->texture;
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
    if (f->lane->looks)
        f->lane->looks(f->lane->data, lookup, texels);
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
