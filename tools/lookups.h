/* Texture requests of a play: of each draw those of a few of its fragments, which are interpreted until one has asked for
 * texels. The device's options have `observer` while it is played; one thread plays. */
#ifndef VITRAIL_TOOLS_LOOKUPS_H
#define VITRAIL_TOOLS_LOOKUPS_H

#include <pthread.h>

#include "gpu/observe.h"
#include "tools/codes.h"

struct lookup_place {
    uint32_t picture, draw; /* from 1; draws of the picture */
    uint32_t batch;         /* within one, memory does not change */
};
/* By workers, several at once; texels live during the call, in the guest floating-point environment. */
typedef void (*lookups_fn)(void *data, const struct lookup_place *place, const struct gpu_lookup *lookup,
                           const struct gpu_texels *texels);

struct lookups_draw {
    uint32_t picture, number, tries;
    bool looked;
};

struct lookups {
    struct gpu_observer observer; /* the first, and what follows: read only */
    bool out_of_memory;           /* requests are missing; looked at between pictures */
    lookups_fn looks;
    void *data;
    struct codes codes;
    pthread_mutex_t lock; /* of what draws tried */
    struct {
        struct lookups_draw *at; /* does not grow while workers draw */
        uint32_t count, room;
    } draws;
    uint32_t picture, number; /* in the making; draws of it */
    bool wanted;
};

/* At a place where it stays until lookups_finish. */
void lookups_begin(struct lookups *lookups, lookups_fn looks, void *data);
/* A picture is about to be played; unless `wanted`, nothing is told of it. */
void lookups_picture(struct lookups *lookups, uint32_t picture, bool wanted);
void lookups_finish(struct lookups *lookups);

#endif
