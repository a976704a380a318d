/* Blocks of a program: runs of instructions entered at the first and left behind the last. */
#ifndef VITRAIL_ISA_BLOCKS_H
#define VITRAIL_ISA_BLOCKS_H

#include <stdint.h>

/* at[0..count], of `count` instructions and the end: not 0 where a block begins, which at[0] must be. Becomes
 * the number of the block in which each instruction stands; the end's is the number of blocks, which is
 * returned. */
uint32_t isa_blocks_number(uint32_t *at, uint32_t count);

#endif
