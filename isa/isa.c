#include "isa/isa.h"

#include <string.h>

static uint64_t mask(unsigned count)
{
    return count >= 64 ? ~0ull : (1ull << count) - 1;
}

uint64_t isa_get(const uint64_t *words, unsigned lo, unsigned count)
{
    unsigned word = lo / 64, shift = lo % 64;
    uint64_t value = words[word] >> shift;
    if (shift + count > 64)
        value |= words[word + 1] << (64 - shift);
    return value & mask(count);
}

void isa_set(uint64_t *words, unsigned lo, unsigned count, uint64_t value)
{
    unsigned word = lo / 64, shift = lo % 64;
    value &= mask(count);
    words[word] = (words[word] & ~(mask(count) << shift)) | value << shift;
    if (shift + count > 64) {
        unsigned done = 64 - shift;
        words[word + 1] = (words[word + 1] & ~(mask(count) >> done)) | value >> done;
    }
}

/* Hosts are x86, little-endian: the low bytes of a uint64_t are the narrower integer. */
void isa_extract(const struct isa_field *fields, size_t n, const uint64_t *words, void *out)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t value = isa_get(words, fields[i].lo, fields[i].count);
        memcpy((char *)out + fields[i].offset, &value, fields[i].size);
    }
}

void isa_insert(const struct isa_field *fields, size_t n, const void *in, uint64_t *words)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t value = 0;
        memcpy(&value, (const char *)in + fields[i].offset, fields[i].size);
        isa_set(words, fields[i].lo, fields[i].count, value);
    }
}

void isa_coverage(const struct isa_field *fields, size_t n, uint64_t *words)
{
    for (size_t i = 0; i < n; i++)
        isa_set(words, fields[i].lo, fields[i].count, ~0ull);
}

const char *isa_name_text(const struct isa_names *list, uint32_t value)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->names[i].value == value)
            return list->names[i].text;
    return NULL;
}

bool isa_name_value(const struct isa_names *list, const char *text, size_t length, uint32_t *value)
{
    for (size_t i = 0; i < list->count; i++)
        if (strlen(list->names[i].text) == length && memcmp(list->names[i].text, text, length) == 0) {
            *value = list->names[i].value;
            return true;
        }
    return false;
}
