/* Records in guest memory and in registers - commands, states, descriptors - as tables of the fields that
 * their bits are. Words are little-endian; bit 0 is the lowest of the first. Tables are static. */
#ifndef VITRAIL_GPU_RECORD_H
#define VITRAIL_GPU_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include <string.h>

#include "gpu/field.h"
#include "util/bits.h"

/* Of values from 0 on; NULL, and what lies beyond: reserved. */
struct gpu_names {
    uint32_t count;
    const char *const *name;
    bool dense; /* each of them has a name */
};
#define GPU_NAMES(list, ...)                                                                                 \
    static const struct gpu_names list[1] = {{sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *),   \
                                              (const char *const[]){__VA_ARGS__}, false}}

/* How bits say a value, beside shift and add. */
enum gpu_record_coding {
    GPU_RECORD_PLAIN,
    GPU_RECORD_POWER,  /* 1 << bits */
    GPU_RECORD_PADDED, /* (2 * the bits above five + 1) << the lower five */
};

struct gpu_record_field {
    const char *name, *what;       /* `what` may be NULL */
    const struct gpu_names *names; /* of a NAME */
    uint16_t at, at2;
    uint8_t bits, bits2;  /* 32 at most, also together, but where a function says 64; bits 0: the record lacks
                          * the field. at2, bits2: above */
    uint8_t kind, digits; /* of struct gpu_field; digits 0: as many as the bits need */
    uint8_t shift, add;   /* the value is (bits + add) << shift */
    uint8_t coding;       /* enum gpu_record_coding */
    uint8_t size;         /* of the struct's member, for gpu_record_store */
    uint8_t fraction;     /* of a FLOAT: bits below 1, of fixed point; 0: the upper bits of a single */
    bool is_signed, always; /* `always`: listed where it is 0, too */
    uint32_t to;            /* where its member is in the family's struct */
};

/* What stands for a kind in a row. */
#define GPU_RECORD_UINT      .kind = GPU_FIELD_UINT
#define GPU_RECORD_COUNT     .kind = GPU_FIELD_UINT, .add = 1
#define GPU_RECORD_SINT      .kind = GPU_FIELD_INT
#define GPU_RECORD_HEX       .kind = GPU_FIELD_HEX
#define GPU_RECORD_HEX1      .kind = GPU_FIELD_HEX, .digits = 1
#define GPU_RECORD_BOOL      .kind = GPU_FIELD_BOOL
#define GPU_RECORD_FLAG      .kind = GPU_FIELD_FLAG
#define GPU_RECORD_NAME      .kind = GPU_FIELD_NAME, .digits = 1
#define GPU_RECORD_FLOAT     .kind = GPU_FIELD_FLOAT
#define GPU_RECORD_FIXED4    .kind = GPU_FIELD_FLOAT, .fraction = 4
#define GPU_RECORD_SFIXED4   .kind = GPU_FIELD_FLOAT, .fraction = 4, .is_signed = true
#define GPU_RECORD_ADDRESS   .kind = GPU_FIELD_HEX, .digits = 8
#define GPU_RECORD_ADDRESS8  .kind = GPU_FIELD_HEX, .digits = 8, .shift = 3
#define GPU_RECORD_ADDRESS16 .kind = GPU_FIELD_HEX, .digits = 8, .shift = 4
#define GPU_RECORD_ADDRESS32 .kind = GPU_FIELD_HEX, .digits = 8, .shift = 5

static inline uint32_t gpu_record_bits(const uint32_t *words, uint32_t at, uint32_t bits)
{
    uint64_t pair = words[at / 32];
    if (at % 32 + bits > 32)
        pair |= (uint64_t)words[at / 32 + 1] << 32;
    return (uint32_t)(pair >> at % 32 & ((1ull << bits) - 1));
}

static inline uint32_t gpu_record_value(const struct gpu_record_field *f, const uint32_t *words)
{
    if (!f->bits)
        return 0;
    uint32_t value = gpu_record_bits(words, f->at, f->bits);
    if (f->bits2)
        value |= gpu_record_bits(words, f->at2, f->bits2) << f->bits;
    return (value + f->add) << f->shift;
}

/* The same of a record that is one word of 64 bits. */
static inline uint32_t gpu_record_value64(const struct gpu_record_field *f, uint64_t word)
{
    uint32_t value = (uint32_t)(word >> f->at & ((1ull << f->bits) - 1));
    if (f->bits2)
        value |= (uint32_t)(word >> f->at2 & ((1ull << f->bits2) - 1)) << f->bits;
    return (value + f->add) << f->shift;
}

/* What gpu_record_wide and gpu_record_store do for a field, for who knows the field when the compiler does. */
__attribute__((always_inline)) static inline uint64_t gpu_record_number(const struct gpu_record_field *f,
                                                                        const uint32_t *words)
{
    const uint32_t *at = words + f->at / 32;
    uint32_t low = f->at % 32;
    uint64_t value = at[0];
    if (low + f->bits > 32)
        value |= (uint64_t)at[1] << 32;
    value = util_bits(value, low, f->bits);
    if (f->bits2)
        value |= (uint64_t)gpu_record_bits(words, f->at2, f->bits2) << f->bits % 32;
    switch (__builtin_expect(f->coding, GPU_RECORD_PLAIN)) {
    case GPU_RECORD_POWER: return 1ull << (value & 63);
    case GPU_RECORD_PADDED: return (2 * (value >> 5) + 1) << (value & 31);
    default: return (value + f->add) << f->shift;
    }
}

/* The lower `size` bytes of a value; members have 1, 2, 4 or 8. */
__attribute__((always_inline)) static inline void gpu_record_put(uint8_t *to, uint64_t value, uint8_t size)
{
    switch (size) {
    case 1: *to = (uint8_t)value; break;
    case 2: memcpy(to, &value, 2); break;
    case 4: memcpy(to, &value, 4); break;
    default: memcpy(to, &value, 8); break;
    }
}

__attribute__((always_inline)) static inline void gpu_record_store_one(const struct gpu_record_field *f,
                                                                       const uint32_t *words, void *out)
{
    if (!f->bits)
        return;
    uint64_t value = gpu_record_number(f, words);
    if (f->is_signed)
        value = (uint64_t)(int64_t)util_sext((uint32_t)value, f->bits);
    gpu_record_put((uint8_t *)out + f->to, value, f->size);
}

/* The value of a field of up to 64 bits, in two words, as its coding has it; not extended by a sign. */
uint64_t gpu_record_wide(const struct gpu_record_field *field, const uint32_t *words);
/* Values of such fields to the struct's members, each of its `size`, those that are signed extended; members
 * of fields that the record lacks are left. */
void gpu_record_store(const struct gpu_record_field *fields, size_t count, const uint32_t *words, void *out);

/* A value for listings. */
struct gpu_field gpu_record_describe(const struct gpu_record_field *field, uint64_t value);
/* The record's, of up to 64 bits, those that it lacks left out and those that are 0, but for `always`; how many. */
unsigned gpu_record_list(const struct gpu_record_field *fields, size_t count, const uint32_t *words,
                         struct gpu_field *out);

/* Bits as they stand to the struct's members and back, of fields in one piece. Packing leaves other bits. */
void gpu_record_unpack(const struct gpu_record_field *fields, size_t count, const uint32_t *words, void *out);
void gpu_record_pack(const struct gpu_record_field *fields, size_t count, const void *in, uint32_t *words);

#endif
