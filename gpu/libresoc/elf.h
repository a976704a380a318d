/* Programs of RISC-V Linux, statically linked: what of an ELF file counts to load it, checked. Pure; the file's bytes are the
 * caller's. Sources: the System V ABI, chapters 4 and 5, and RISC-V's psABI, chapter 8. */
#ifndef VITRAIL_GPU_LIBRESOC_ELF_H
#define VITRAIL_GPU_LIBRESOC_ELF_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

#define LIBRESOC_SEGMENTS 32u /* that are loaded, at most */

/* A part of the file that stands in memory: `in_file` bytes from `offset` on, zeros behind them. */
struct libresoc_segment {
    uint32_t header;        /* its number in the file's table, for messages */
    uint64_t address, size; /* [address, address + size) does not wrap; size is not 0 */
    uint64_t offset, in_file;
    bool reads, writes, executes;
};

struct libresoc_elf {
    uint64_t entry;        /* in a segment that executes, even */
    uint64_t headers;      /* address of the program headers, 0: they are not loaded */
    uint16_t header_count; /* of 56 bytes */
    uint32_t count;        /* segments, by address; they do not overlap */
    struct libresoc_segment segment[LIBRESOC_SEGMENTS];
};

/* 0 or -EBADMSG; error names header and field. */
int libresoc_elf_read(const uint8_t *bytes, uint64_t size, struct libresoc_elf *out,
                      struct util_error *error);

#endif
