/* Descriptors packed field by field, by the names that their tables give them (gpu/mali/descs.inc). Included by
 * tests/gpu/mali/test_*.c. */
#ifndef VITRAIL_TESTS_GPU_MALI_PACK_H
#define VITRAIL_TESTS_GPU_MALI_PACK_H

#include "gpu/mali/desc.h"
#include "tests/gpu/mali/guest.h"

/* Of v6, v7 and v9 a GPU each. */
enum { LATE_KINDS = 3 };
static const enum mali_kind late_kinds[LATE_KINDS] = {MALI_G72, MALI_G52, MALI_G57};

/* The value into the field's bits of the descriptor that stands at `at`. */
static inline void pack_set(uint8_t *at, const struct mali_desc *desc, enum mali_version version,
                            const char *name, uint64_t value)
{
    const struct gpu_record_field *f = NULL;
    for (uint32_t n = 0; n < desc->count[version]; n++)
        if (!strcmp(desc->fields[version][n].name, name))
            f = &desc->fields[version][n];
    if (!f)
        fail_msg("%s has no field %s", desc->name, name);
    uint64_t bits =
        f->coding == GPU_RECORD_POWER ? (uint64_t)__builtin_ctzll(value) : (value >> f->shift) - f->add;
    for (uint32_t n = 0; n < f->bits; n++) {
        const uint32_t bit = f->at + n;
        at[bit / 8] = (uint8_t)((at[bit / 8] & ~(1u << bit % 8)) | (bits >> n & 1) << bit % 8);
    }
}

#endif
