/* A process' memory: guest memory from address 0 on, and what each page of it may be used for. Pages that are not mapped are
 * zero, so that mapping one needs no more than its rights. One thread at a time. */
#ifndef VITRAIL_GPU_LIBRESOC_PAGES_H
#define VITRAIL_GPU_LIBRESOC_PAGES_H

#include "gpu/memory.h"

/* Rights; a page with none but MAPPED is taken, and cannot be reached. */
enum { LIBRESOC_PAGE_READ = 1, LIBRESOC_PAGE_WRITE = 2, LIBRESOC_PAGE_EXECUTE = 4, LIBRESOC_PAGE_MAPPED = 8 };

struct libresoc_pages {
    struct gpu_memory memory; /* owned */
    uint8_t *rights;          /* owned; a byte a page */
    uint64_t count;
};

/* `size` bytes, rounded up to pages, at most 4 GiB. 0, -EINVAL, -ENOMEM or -errno. */
int libresoc_pages_init(struct libresoc_pages *pages, uint64_t size);
void libresoc_pages_finish(struct libresoc_pages *pages); /* takes a zeroed one */

/* Host pointer to [address, address + size), all of whose pages have the rights; NULL: one has not, or size is 0. */
uint8_t *libresoc_pages_at(const struct libresoc_pages *pages, uint64_t address, uint64_t size,
                           uint8_t rights);

/* The following take whole pages of the memory. */
/* Whether all pages have, or none has, the right. */
bool libresoc_pages_all(const struct libresoc_pages *pages, uint64_t address, uint64_t size, uint8_t right);
bool libresoc_pages_none(const struct libresoc_pages *pages, uint64_t address, uint64_t size, uint8_t right);
/* Rights in place of those before. */
void libresoc_pages_map(struct libresoc_pages *pages, uint64_t address, uint64_t size, uint8_t rights);
void libresoc_pages_unmap(struct libresoc_pages *pages, uint64_t address, uint64_t size);
/* The highest run of unmapped pages that ends at `below` or before, of `size` bytes, and begins at `above` or behind; its
 * address, 0: there is none. */
uint64_t libresoc_pages_find(const struct libresoc_pages *pages, uint64_t size, uint64_t above,
                             uint64_t below);

/* Up to whole pages; false: it is more than 64 bits have. */
static inline bool libresoc_pages_round(uint64_t size, uint64_t *out)
{
    *out = (size + (GPU_PAGE - 1)) & ~(uint64_t)(GPU_PAGE - 1);
    return *out >= size;
}

#endif
