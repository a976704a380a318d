/* Records as their tables have them. */
#include "gpu/record.h"

#include <math.h>
#include <string.h>

#include "util/bits.h"

uint64_t gpu_record_wide(const struct gpu_record_field *f, const uint32_t *words)
{
    return gpu_record_number(f, words);
}

void gpu_record_store(const struct gpu_record_field *fields, size_t count, const uint32_t *words, void *out)
{
    for (size_t n = 0; n < count; n++)
        gpu_record_store_one(&fields[n], words, out);
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
