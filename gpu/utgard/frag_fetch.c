/* Varyings of a vertex: the components that a program reads, out of the slots that the state describes. */
#include <string.h>

#include <smmintrin.h>

#include "gpu/utgard/frag_internal.h"
#include "gpu/utgard/pp_fault.h"
#include "util/half.h"

#define UNIT "fragment program"

void utgard_frag_plan_fetch(struct utgard_frag *frag)
{
    struct utgard_frag_slot *slot = NULL;

    frag->slot_count = 0;
    for (uint32_t n = 0; n < frag->vary_count; n++) {
        uint32_t number = frag->component[n] / 4, c = frag->component[n] % 4;

        if (!slot || frag->component[n - 1] / 4 != number) {
            slot = &frag->slot[frag->slot_count++];
            *slot = (struct utgard_frag_slot){.offset = frag->state.slot[number].offset,
                                              .type = frag->state.slot[number].type,
                                              .first = (uint8_t)n};
        }
        for (uint32_t byte = 0; byte < 4; byte++)
            slot->order[4u * slot->count + byte] = (uint8_t)(4 * c + byte);
        slot->count++;
    }
}

static inline __m128 load(const uint8_t *at, uint8_t type)
{
    const __m128i zero = _mm_setzero_si128();

    switch (type) {
    case UTGARD_VARYING_F32X4: return _mm_loadu_ps((const float *)at);
    case UTGARD_VARYING_F32X2: return _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)at));
    case UTGARD_VARYING_F16X4:
        return util_halves_to_floats(_mm_unpacklo_epi16(_mm_loadl_epi64((const __m128i *)at), zero));
    default: {
        int32_t two;

        memcpy(&two, at, sizeof two);
        return util_halves_to_floats(_mm_unpacklo_epi16(_mm_cvtsi32_si128(two), zero));
    }
    }
}

bool utgard_frag_fetch(const struct utgard_frag *frag, const struct gpu_space *space,
                       struct gpu_space_run *run, uint32_t index, float *out, struct gpu_fault *fault)
{
    const struct utgard_state *state = &frag->state;
    uint64_t address = state->varyings + (uint64_t)index * state->varying_stride;
    const uint8_t *vertex;

    if (!frag->vary_count)
        return true;
    vertex = gpu_space_near(space, run, address, state->varying_stride);
    if (!vertex)
        return utgard_pp_refuse(fault, GPU_FAULT_MEMORY, UNIT, (uint32_t)address,
                                "varyings of vertex %u are not in memory", index);
    for (uint32_t n = 0; n < frag->slot_count; n++) {
        const struct utgard_frag_slot *slot = &frag->slot[n];
        __m128i v = _mm_castps_si128(load(vertex + slot->offset, slot->type));

        v = _mm_shuffle_epi8(v, _mm_load_si128((const __m128i *)slot->order));
        _mm_storeu_si128((__m128i *)&out[slot->first], v); /* what is too much, the next slot overwrites */
    }
    return true;
}
