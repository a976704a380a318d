/* Keys in parts. */
#include "jit/key.h"

#include <stdlib.h>
#include <string.h>

uint8_t *jit_key_write(const struct jit_key_part *parts, unsigned count, size_t *size)
{
    uint8_t *key, *at;
    *size = 0;
    for (unsigned n = 0; n < count; n++)
        *size += parts[n].size * parts[n].count;
    key = at = malloc(*size);
    for (unsigned n = 0; key && n < count; n++)
        for (size_t i = 0; i < parts[n].count; i++, at += parts[n].size)
            memcpy(at, (const uint8_t *)parts[n].first + i * parts[n].stride, parts[n].size);
    return key;
}

bool jit_key_read(struct jit_key_reader *in, void *out, size_t size)
{
    if (in->left < size)
        return false;
    memcpy(out, in->at, size);
    in->at += size;
    in->left -= size;
    return true;
}

void *jit_key_take(struct jit_key_reader *in, size_t size)
{
    void *out = in->left < size ? NULL : malloc(size + !size);
    if (out)
        jit_key_read(in, out, size);
    return out;
}
