#include "gpu/libresoc/pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/checked.h"

int libresoc_pages_init(struct libresoc_pages *pages, uint64_t size)
{
    *pages = (struct libresoc_pages){0};
    const int err = gpu_memory_create(size, &pages->memory);
    if (err)
        return err;
    pages->count = pages->memory.size / GPU_PAGE;
    pages->rights = calloc(pages->count, sizeof *pages->rights);
    if (pages->rights)
        return 0;
    libresoc_pages_finish(pages);
    return -ENOMEM;
}

void libresoc_pages_finish(struct libresoc_pages *pages)
{
    if (pages->memory.base)
        gpu_memory_destroy(&pages->memory);
    free(pages->rights);
    *pages = (struct libresoc_pages){0};
}

uint8_t *libresoc_pages_at(const struct libresoc_pages *pages, uint64_t address, uint64_t size,
                           uint8_t rights)
{
    uint8_t *at = gpu_memory_at(&pages->memory, address, size);
    if (!at)
        return NULL;
    for (uint64_t page = address / GPU_PAGE; page <= (address + size - 1) / GPU_PAGE; page++) {
        if ((pages->rights[page] & rights) != rights)
            return NULL;
    }
    return at;
}

bool libresoc_pages_all(const struct libresoc_pages *pages, uint64_t address, uint64_t size, uint8_t right)
{
    for (uint64_t page = address / GPU_PAGE; page < (address + size) / GPU_PAGE; page++) {
        if (!(pages->rights[page] & right))
            return false;
    }
    return true;
}

bool libresoc_pages_none(const struct libresoc_pages *pages, uint64_t address, uint64_t size, uint8_t right)
{
    for (uint64_t page = address / GPU_PAGE; page < (address + size) / GPU_PAGE; page++) {
        if (pages->rights[page] & right)
            return false;
    }
    return true;
}

void libresoc_pages_map(struct libresoc_pages *pages, uint64_t address, uint64_t size, uint8_t rights)
{
    memset(pages->rights + address / GPU_PAGE, rights | LIBRESOC_PAGE_MAPPED, size / GPU_PAGE);
}

void libresoc_pages_unmap(struct libresoc_pages *pages, uint64_t address, uint64_t size)
{
    for (uint64_t page = address / GPU_PAGE; page < (address + size) / GPU_PAGE; page++) {
        if (pages->rights[page])
            memset(pages->memory.base + page * GPU_PAGE, 0, GPU_PAGE);
        pages->rights[page] = 0;
    }
}

uint64_t libresoc_pages_find(const struct libresoc_pages *pages, uint64_t size, uint64_t above,
                             uint64_t below)
{
    const uint64_t wanted = size / GPU_PAGE;
    uint64_t run = 0;
    for (uint64_t page = below / GPU_PAGE; page-- > above / GPU_PAGE;) {
        run = pages->rights[page] ? 0 : run + 1;
        if (run == wanted)
            return page * GPU_PAGE;
    }
    return 0;
}
