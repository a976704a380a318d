/* Page tables into address spaces, again when they have changed. */
#include "gpu/tables.h"

#include "gpu/host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void gpu_tables_init(struct gpu_tables_set *set, const struct gpu_memory *memory,
                     const struct gpu_tables_kind *kind)
{
    *set = (struct gpu_tables_set){.memory = memory, .kind = kind};
    pthread_mutex_init(&set->lock, NULL);
}

void gpu_tables_finish(struct gpu_tables_set *set)
{
    for (unsigned n = 0; n < GPU_TABLES_ROOTS; n++) {
        if (set->root[n].made)
            gpu_space_destroy(&set->root[n].space);
        free(set->root[n].page);
    }
    pthread_mutex_destroy(&set->lock);
}

const uint8_t *gpu_tables_take(struct gpu_tables *tables, uint32_t n, uint64_t physical)
{
    const uint8_t *page = gpu_memory_at(tables->space.memory, physical, GPU_PAGE);
    if (page && memcmp(tables->page[n], page, GPU_PAGE) != 0) {
        memcpy(tables->page[n], page, GPU_PAGE);
        tables->changed = true;
    }
    return page ? tables->page[n] : NULL;
}

static int walk(const struct gpu_tables_set *set, struct gpu_tables *tables)
{
    tables->changed = !tables->walked_well;
    bool found = set->kind->take(tables);
    tables->lost = !found;
    if (!tables->changed && found)
        return 0;
    gpu_space_begin(&tables->space);
    if (found)
        set->kind->map(tables);
    int error = gpu_space_end(&tables->space);
    tables->walked_well = !error && found;
    return error;
}

/* The one there is, or the least used one made anew. */
static struct gpu_tables *find(struct gpu_tables_set *set, uint64_t root)
{
    struct gpu_tables *oldest = &set->root[0];
    for (unsigned n = 0; n < GPU_TABLES_ROOTS; n++) {
        struct gpu_tables *tables = &set->root[n];
        if (tables->made && tables->root == root)
            return tables;
        if (tables->used < oldest->used)
            oldest = tables;
    }
    if (!oldest->page && !(oldest->page = calloc(set->kind->pages, sizeof *oldest->page)))
        return NULL;
    if (!oldest->made && gpu_space_create(set->memory, &oldest->space))
        return NULL;
    oldest->made = oldest->stale = true;
    oldest->root = root;
    return oldest;
}

struct gpu_tables *gpu_tables_get(struct gpu_tables_set *set, uint64_t root, struct gpu_fault *fault)
{
    pthread_mutex_lock(&set->lock);
    struct gpu_tables *tables = find(set, root);
    const bool stale = tables && tables->stale;
    if (tables)
        tables->stale = false; /* what becomes stale from here on is walked next time */
    pthread_mutex_unlock(&set->lock);
    int error = !tables ? -ENOMEM : stale ? walk(set, tables) : 0;
    if (error) {
        gpu_tables_stale(set, root);
        gpu_fault_set(fault, GPU_FAULT_MEMORY, "mmu", root,
                      error == -E2BIG ? "the page tables name more than %u runs of pages"
                                      : "no memory of the host maps the address space (of at most %u runs)",
                      GPU_SPACE_PIECES);
        return NULL;
    }
    tables->used = ++set->clock;
    return tables;
}

void gpu_tables_tell(struct gpu_tables *tables, struct gpu_host *host)
{
    struct gpu_fault fault;
    if (!tables || !tables->lost)
        return;
    tables->lost = false;
    gpu_fault_set(&fault, GPU_FAULT_MEMORY, "mmu", tables->root,
                  "the page directory lies outside guest memory");
    gpu_host_fault(host, &fault);
}

void gpu_tables_stale(struct gpu_tables_set *set, uint64_t root)
{
    pthread_mutex_lock(&set->lock);
    for (unsigned n = 0; n < GPU_TABLES_ROOTS; n++)
        set->root[n].stale |= set->root[n].made && set->root[n].root == root;
    pthread_mutex_unlock(&set->lock);
}

void gpu_tables_all_stale(struct gpu_tables_set *set)
{
    pthread_mutex_lock(&set->lock);
    for (unsigned n = 0; n < GPU_TABLES_ROOTS; n++)
        set->root[n].stale |= set->root[n].made;
    pthread_mutex_unlock(&set->lock);
}
