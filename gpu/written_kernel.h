/* What of Linux's interface to notice writes the headers of Debian 12 lack. From Linux 6.7: include/uapi/linux/userfaultfd.h
 * (UFFD_FEATURE_...) and include/uapi/linux/fs.h (the rest); numbers and layouts are the kernel's ABI. */
#ifndef VITRAIL_GPU_WRITTEN_KERNEL_H
#define VITRAIL_GPU_WRITTEN_KERNEL_H

#include <linux/userfaultfd.h>
#include <stdint.h>
#include <sys/ioctl.h>

#define KERNEL_WP_HUGETLBFS_SHMEM (1u << 12) /* UFFD_FEATURE_...: shared memory may be write-protected */
#define KERNEL_WP_UNPOPULATED     (1u << 13) /* and pages that are not there yet */
#define KERNEL_WP_ASYNC           (1u << 15) /* the kernel itself ends the protection of a page that is written */

/* Of the calling process alone: needs no privilege, and writes by the kernel are noticed all the same with WP_ASYNC. */
#define KERNEL_USER_MODE_ONLY 1 /* UFFD_USER_MODE_ONLY */

#define KERNEL_PAGE_WRITTEN (1u << 1) /* PAGE_IS_WRITTEN: since it was write-protected */

#define KERNEL_SCAN_PROTECTS (1u << 0) /* PM_SCAN_WP_MATCHING: pages that are reported, at the same moment */

struct gpu_kernel_page_region { /* struct page_region */
    uint64_t start, end;        /* host addresses */
    uint64_t categories;
};

struct gpu_kernel_scan { /* struct pm_scan_arg */
    uint64_t size;       /* of this structure */
    uint64_t flags;
    uint64_t start, end;
    uint64_t walk_end; /* out: where the next scan begins */
    uint64_t vec, vec_len;
    uint64_t max_pages; /* 0: any number */
    uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};

#define KERNEL_PAGEMAP_SCAN _IOWR('f', 16, struct gpu_kernel_scan) /* on /proc/self/pagemap: regions, or -1 */

#endif
