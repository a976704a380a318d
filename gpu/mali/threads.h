/* Invocations of a compute, vertex or geometry job, sixteen at a time. Internal to gpu/mali.
 *
 * A unit is what runs by itself: a workgroup, whose threads wait for each other at barriers and share storage;
 * or, where workgroups are of one thread (as vertices are), sixteen of them. Units run in parallel where a
 * program writes nothing but its own varyings, or where what it stores has shown that their order does not
 * matter; all others one after the other, in their order. Either way the same bytes come at any number of
 * threads, faults and bounds included. */
#ifndef VITRAIL_GPU_MALI_THREADS_H
#define VITRAIL_GPU_MALI_THREADS_H

#include "gpu/mali/jobs.h"
#include "gpu/mali/world.h"

#define MALI_GROUP_MOST 256u /* threads of a workgroup (THREAD_MAX_WORKGROUP_SIZE) */

/* Where invocations are. */
struct mali_grid {
    uint32_t size[3];        /* threads of a workgroup: at most MALI_GROUP_MOST */
    uint64_t groups[3];      /* workgroups: all invocations are at most 2^32 */
    uint64_t row, slice;     /* linear numbers from an invocation to the next along y and z */
    uint32_t threads;        /* of a workgroup */
    uint32_t groups_of_unit; /* 16 or 1 */
    uint64_t units;
    bool own; /* no two invocations have a linear number, which has 32 bits */
};

/* False and *stop: sizes that mean nothing. `instance`: linear numbers from an instance to the next, of vertices;
 * 0: there are no instances. `shares`: workgroups have storage, and so are units of their own. */
bool mali_grid_set(struct mali_grid *grid, const struct mali_invocation *invocation, uint64_t instance,
                   bool shares, const char *unit, uint64_t address, struct mali_stop *stop);
/* The same of v9, whose jobs say sizes one by one. */
bool mali_grid_set_v9(struct mali_grid *grid, const struct mali_compute_v9 *parameters, bool shares,
                      const char *unit, uint64_t address, struct mali_stop *stop);
/* Of `count` threads along x and `instances` along z, a workgroup each. */
bool mali_grid_set_vertices(struct mali_grid *grid, uint32_t count, uint32_t instances, const char *unit,
                            uint64_t address, struct mali_stop *stop);
/* Threads `first` (of a unit; a multiple of 16) and the fifteen behind it: what is the same in all units. Lanes that
 * there are not are like the first thread of all. */
void mali_grid_begin(const struct mali_grid *grid, uint32_t first, struct mali_threads *threads);
/* A unit, and where its workgroup is if it has one. */
struct mali_grid_place {
    uint64_t unit;
    uint32_t group[3];
};
/* To a unit; that behind the last one is found fastest. Of a zeroed struct. */
void mali_grid_go(const struct mali_grid *grid, uint64_t unit, struct mali_grid_place *place);
/* Threads of the unit that mali_grid_begin was called for: which they are. The lanes that there are. */
uint16_t mali_grid_lanes(const struct mali_grid *grid, const struct mali_grid_place *place, uint32_t first,
                         struct mali_threads *threads);

/* threads_order.c: in which order units may run. */
enum mali_order {
    MALI_IN_ORDER,
    MALI_SPECULATED, /* batches of them on all workers, as far as they do not meet (gpu/speculation.h) */
    MALI_PARALLEL    /* on all workers */
};
/* How many instructions all threads come to, as if each executed its program once from beginning to end. */
uint64_t mali_grid_work(const struct mali_world *world, const struct mali_grid *grid);
enum mali_order mali_grid_order(const struct mali_world *world, const struct mali_grid *grid);
/* world->speculation, where its program stores, and tries to on several workers seem worth it; before code is
 * looked for. What came of one; closed when all have run. */
void mali_speculation_open(const struct mali_job *job, struct mali_world *world,
                           const struct mali_grid *grid);
void mali_speculated(struct mali_world *world, bool good);
void mali_speculation_close(struct mali_world *world);

/* All units from *done on; *done is behind the last one that need not be done again. MALI_END_WAITS: *stop is a
 * page fault. */
enum mali_end mali_grid_run(struct mali_job *job, struct mali_world *world, const struct mali_grid *grid,
                            uint64_t *done, struct mali_stop *stop);

#endif
