/* The vertex pipe memory as user programs have it: 64 rows of 16 words that all of them share (Guide section
 * 7; erratum HW-2253), generic accesses to it, and the DMA engines between it and memory (VCD loads, VDW
 * stores). Each program works on a view of its own; what it changed is published to the others when the
 * scheduler says so (user.h). Internal to gpu/vc4/user*.c. */
#ifndef VITRAIL_GPU_VC4_USER_VPM_H
#define VITRAIL_GPU_VC4_USER_VPM_H

#include <stdalign.h>

#include "gpu/vc4/vertex_vpm.h"

#define VC4_USER_VPM_ROWS  64u
#define VC4_USER_VPM_BYTES (VC4_USER_VPM_ROWS * 64u)

struct vc4_user_vpm {
    alignas(64) uint32_t row[VC4_USER_VPM_ROWS][16];
    uint64_t changed[VC4_USER_VPM_ROWS]; /* bit n: byte n of the row was written since it was published */
    uint64_t changed_rows;               /* bit r: changed[r] is not zero */
    uint32_t window; /* rows that writes reach: 4 for each 256 bytes that VPMBASE reserves */
};

/* Generic write of the next vector; what lies outside the window is masked. (Reads: vc4_vpm_get.) */
void vc4_user_vpm_put(struct vc4_user_vpm *vpm, struct vc4_vpm_access *access, const uint32_t value[16],
                      uint16_t lanes);
/* Moves what `from` changed into `to`, and marks it as published. Returns the rows concerned, a bit each. */
uint64_t vc4_user_vpm_publish(struct vc4_user_vpm *to, struct vc4_user_vpm *from);
/* Takes `rows` over from `from`. */
void vc4_user_vpm_refresh(struct vc4_user_vpm *to, const struct vc4_user_vpm *from, uint64_t rows);

/* A DMA transfer of a two-dimensional block, as the set-up words describe it (Guide tables 34 to 37). */
struct vc4_user_dma {
    bool store, vertical;
    uint32_t width;     /* bytes of an element: 1, 2, 4 */
    uint32_t rows;      /* of the block in memory */
    uint32_t length;    /* elements of a row */
    uint32_t pitch;     /* bytes from the start of a row in memory to that of the next */
    uint32_t row_bytes; /* length * width */
    /* In the VPM: the first row's place, and what is added for each further row. */
    uint32_t y, x, offset; /* row, column, byte at which the block begins behind the column's first byte */
    uint32_t step;         /* see row_place in user_vpm.c */
};

/* The DMA that the set-up words ask for; false for what the Guide does not define. */
bool vc4_user_dma_load(uint32_t setup, uint32_t stride, struct vc4_user_dma *out);
bool vc4_user_dma_store(uint32_t setup, uint32_t stride, struct vc4_user_dma *out);
/* Bytes of row `row` of the block between the VPM and memory; `bytes` has row_bytes. */
void vc4_user_dma_put(const struct vc4_user_dma *dma, struct vc4_user_vpm *vpm, uint32_t row,
                      const uint8_t *bytes);
void vc4_user_dma_get(const struct vc4_user_dma *dma, const struct vc4_user_vpm *vpm, uint32_t row,
                      uint8_t *bytes);

#endif
