#include "tools/codes.h"

#include <stdlib.h>

static struct code *find(const struct codes *codes, uint32_t address)
{
    uint32_t mask = codes->room - 1, i = (address * 0x9e3779b1u >> 7) & mask;
    while (codes->at[i].address && codes->at[i].address != address)
        i = (i + 1) & mask;
    return &codes->at[i];
}

static bool grow(struct codes *codes)
{
    struct codes grown = {.room = codes->room ? codes->room * 2 : 4096, .count = codes->count};
    grown.at = calloc(grown.room, sizeof *grown.at);
    if (!grown.at)
        return false;
    for (uint32_t i = 0; i < codes->room; i++)
        if (codes->at[i].address)
            *find(&grown, codes->at[i].address) = codes->at[i];
    free(codes->at);
    *codes = grown;
    return true;
}

bool codes_put(struct codes *codes, uint32_t address, uint32_t draw, uint64_t primitive)
{
    if (codes->count * 2 >= codes->room && !grow(codes))
        return false;
    struct code *code = find(codes, address);
    codes->count += !code->address;
    *code = (struct code){.address = address, .draw = draw, .primitive = primitive};
    return true;
}

const struct code *codes_get(const struct codes *codes, uint32_t address)
{
    const struct code *code = address && codes->room ? find(codes, address) : NULL;
    return code && code->address ? code : NULL;
}

void codes_finish(struct codes *codes)
{
    free(codes->at);
    *codes = (struct codes){0};
}
