#include "isa/blocks.h"

uint32_t isa_blocks_number(uint32_t *at, uint32_t count)
{
    uint32_t blocks = 0;
    for (uint32_t n = 0; n < count; n++) {
        blocks += at[n] != 0;
        at[n] = blocks - 1;
    }
    return at[count] = blocks;
}
