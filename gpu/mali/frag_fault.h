/* Faults of compiled fragments that no port has told: what raster_shader_call.address says of one, which stands at the
 * instruction of the draw's program. Internal to gpu/mali/frag*.c.
 *
 * Of an access to the tile it is the pixel that was asked for. Of a branch to another program it is that branch's: the
 * target whose blend shader stands there, or MALI_TARGETS; or the fault of target t's blend shader, as isa_fault_pack has it,
 * with its own low word. */
#ifndef VITRAIL_GPU_MALI_FRAG_FAULT_H
#define VITRAIL_GPU_MALI_FRAG_FAULT_H

#include <stdint.h>

/* Bits; a fault's word has at most 24, as blend shaders are of less than 2^16 words. */
#define MALI_FRAG_FAULT_FAR_AT       32u /* a branch */
#define MALI_FRAG_FAULT_INNER_FAR_AT 59u /* likewise, of the blend shader */
#define MALI_FRAG_FAULT_TARGET_AT    60u /* of the blend shader, plus 1 */

static inline uint64_t mali_frag_fault_far(uint32_t target)
{
    return UINT64_C(1) << MALI_FRAG_FAULT_FAR_AT | target;
}
static inline uint64_t mali_frag_fault_inner(uint32_t target, uint32_t fault, uint64_t address)
{
    return (uint64_t)(target + 1) << MALI_FRAG_FAULT_TARGET_AT | (uint64_t)fault << 32 |
           (address >> MALI_FRAG_FAULT_FAR_AT & 1) << MALI_FRAG_FAULT_INNER_FAR_AT | (address & UINT32_MAX);
}

#endif
