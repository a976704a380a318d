/* The address spaces of a device's MMUs: one for each root of page tables that was used lately, shared by all
 * that point to it, with the tables as they were when it was made of them. Who changes tables says so
 * (gpu_tables_stale); they are then compared with the copies before the next use, as drivers say so before
 * nearly every job, and change them rarely.
 *
 * One thread gets them; while nobody does, any number may read. Any thread may say that they are stale. */
#ifndef VITRAIL_GPU_TABLES_H
#define VITRAIL_GPU_TABLES_H

#include <pthread.h>

#include "gpu/fault.h"
#include "gpu/space.h"

#define GPU_TABLES_ROOTS 4

struct gpu_tables {
    struct gpu_space space;
    uint64_t root;             /* where the first table stands in guest memory */
    uint8_t (*page)[GPU_PAGE]; /* copies of tables, by the family's numbers; owned */
    bool made, stale, walked_well, changed;
    bool lost;     /* there was no root when it was walked last, and gpu_tables_tell has not said so */
    uint64_t used; /* when last: the oldest makes room */
};

/* What a family knows of its tables. */
struct gpu_tables_kind {
    uint32_t pages; /* of all tables of an address space; number 0 is the root */
    /* Takes all tables that can be reached (gpu_tables_take); false: there is no root. */
    bool (*take)(struct gpu_tables *tables);
    /* gpu_space_map of every page that the copies name. */
    void (*map)(struct gpu_tables *tables);
};

struct gpu_tables_set {
    const struct gpu_memory *memory;    /* borrowed */
    const struct gpu_tables_kind *kind; /* static */
    struct gpu_tables root[GPU_TABLES_ROOTS];
    uint64_t clock;
    pthread_mutex_t lock; /* of who is in `root`, and what is stale */
};

/* Makes an empty set. */
void gpu_tables_init(struct gpu_tables_set *set, const struct gpu_memory *memory,
                     const struct gpu_tables_kind *kind);
void gpu_tables_finish(struct gpu_tables_set *set);

/* The address space of these tables as they are now; good until the next call. NULL with *fault when the host
 * cannot map it. Without a root in guest memory it is empty. */
struct gpu_tables *gpu_tables_get(struct gpu_tables_set *set, uint64_t root, struct gpu_fault *fault);
/* Says, once a walk, that the tables' root is not in guest memory. */
struct gpu_host;
void gpu_tables_tell(struct gpu_tables *tables, struct gpu_host *host);
/* Tables of this root, or all, may have changed. */
void gpu_tables_stale(struct gpu_tables_set *set, uint64_t root);
void gpu_tables_all_stale(struct gpu_tables_set *set);

/* In `take`: a copy of the page of guest memory at `physical` becomes number `n`, and is returned; NULL: there
 * is no such page. */
const uint8_t *gpu_tables_take(struct gpu_tables *tables, uint32_t n, uint64_t physical);

#endif
