/* RV64 programs under qemu-riscv64: an image of code and data in one segment, assembled by ours. One a process; to be linked with
 * cmocka, whose failures tell what cannot be. Addresses are the guest's, sizes in bytes. */
#ifndef VITRAIL_TESTS_RISCV_QEMU_H
#define VITRAIL_TESTS_RISCV_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fuzz/world/simple_v.h"

enum {
    QEMU_MEMORY = WORLD_SIMPLE_V_AT, /* what programs load and store: where the world of fuzz/world has it */
    QEMU_MEMORY_BYTES = WORLD_SIMPLE_V_MEMORY,
    QEMU_DATA = QEMU_MEMORY - 0x1000, /* what is no code */
    QEMU_CODE = QEMU_DATA - 0x20000,  /* where the image lies */
    QEMU_IMAGE_BYTES = QEMU_MEMORY + QEMU_MEMORY_BYTES - QEMU_CODE
};

extern uint8_t qemu_image[QEMU_IMAGE_BYTES];
extern uint32_t qemu_code_bytes; /* so far, from QEMU_CODE on */

static inline uint8_t *qemu_at(uint64_t address)
{
    return qemu_image + (address - QEMU_CODE);
}

/* Nothing but zeros and room for the head. */
void qemu_begin(void);
/* Behind the code so far. */
void qemu_append(const uint16_t *code, unsigned length);
void qemu_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Room for a branch of four bytes, to a place behind it that is not known yet; returns where. Then: to behind the code so far. */
uint32_t qemu_reserve(void);
void qemu_branch(uint32_t where, const char *branch);
/* Writes `bytes` from QEMU_DATA + `from` on, and ends. */
void qemu_end(unsigned from, unsigned bytes);
/* Where the code begins. */
uint64_t qemu_entry(void);

/* Ports of struct simple_v_ports. */
bool qemu_load(void *ctx, uint64_t address, unsigned bytes, uint64_t *out);
bool qemu_store(void *ctx, uint64_t address, unsigned bytes, uint64_t value);

/* What the image writes under qemu-riscv64, `bytes` of it. */
void qemu_emulate(uint8_t *out, size_t bytes);

#endif
