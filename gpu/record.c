/* Records as their tables have them. */
#include "gpu/record.h"

#include <math.h>
#include <string.h>

#include "util/bits.h"

static inline uint64_t wide(const struct gpu_record_field *f, const uint32_t *words)
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

uint64_t gpu_record_wide(const struct gpu_record_field *f, const uint32_t *words)
{
    return wide(f, words);
}

/* The lower `size` bytes of a value; members have 1, 2, 4 or 8. */
static inline void put(uint8_t *to, uint64_t value, uint8_t size)
{
    switch (size) {
    case 1: *to = (uint8_t)value; break;
    case 2: memcpy(to, &value, 2); break;
    case 4: memcpy(to, &value, 4); break;
    default: memcpy(to, &value, 8); break;
    }
}

void gpu_record_store(const struct gpu_record_field *fields, size_t count, const uint32_t *words, void *out)
{
    for (size_t n = 0; n < count; n++) {
        const struct gpu_record_field *f = &fields[n];
        if (!f->bits)
            continue;
        uint64_t value = wide(f, words);
        if (f->is_signed)
            value = (uint64_t)(int64_t)util_sext((uint32_t)value, f->bits);
        put((uint8_t *)out + f->to, value, f->size);
    }
}

static double number_of(const struct gpu_record_field *f, uint32_t value)
{
    if (!f->fraction)
        return (double)util_u2f(value << (32 - f->bits));
    return ldexp(f->is_signed ? (double)util_sext(value, f->bits) : (double)value, -f->fraction);
}

struct gpu_field gpu_record_describe(const struct gpu_record_field *f, uint64_t value)
{
    struct gpu_field out = {.name = f->name,
                            .kind = (enum gpu_field_kind)f->kind,
                            .digits = f->digits ? f->digits : (uint8_t)((f->bits + 3) / 4),
                            .value = value,
                            .what = f->what};
    switch (out.kind) {
    case GPU_FIELD_INT: out.value = (uint64_t)(int64_t)util_sext((uint32_t)value, f->bits); break;
    case GPU_FIELD_FLOAT: out.number = number_of(f, (uint32_t)value); break;
    case GPU_FIELD_NAME:
        if (f->names && value < f->names->count)
            out.word = f->names->name[value];
        break;
    default: break;
    }
    return out;
}

unsigned gpu_record_list(const struct gpu_record_field *fields, size_t count, const uint32_t *words,
                         struct gpu_field *out)
{
    unsigned used = 0;
    for (size_t n = 0; n < count; n++) {
        uint64_t value = fields[n].bits ? gpu_record_wide(&fields[n], words) : 0;
        if (fields[n].bits && (value || fields[n].always))
            out[used++] = gpu_record_describe(&fields[n], value);
    }
    return used;
}

void gpu_record_unpack(const struct gpu_record_field *fields, size_t count, const uint32_t *words, void *out)
{
    for (size_t n = 0; n < count; n++)
        util_store32((uint8_t *)out + fields[n].to, gpu_record_bits(words, fields[n].at, fields[n].bits));
}

void gpu_record_pack(const struct gpu_record_field *fields, size_t count, const void *in, uint32_t *words)
{
    for (size_t n = 0; n < count; n++) {
        const struct gpu_record_field *f = &fields[n];
        uint64_t mask = ((1ull << f->bits) - 1) << f->at % 32;
        uint64_t value = (uint64_t)util_load32((const uint8_t *)in + f->to) << f->at % 32 & mask;
        words[f->at / 32] = (words[f->at / 32] & ~(uint32_t)mask) | (uint32_t)value;
        if (mask >> 32)
            words[f->at / 32 + 1] =
                (words[f->at / 32 + 1] & ~(uint32_t)(mask >> 32)) | (uint32_t)(value >> 32);
    }
}
