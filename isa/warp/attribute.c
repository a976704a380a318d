/* Messages as requests that other sets make, too. */
#include <string.h>

#include "isa/warp/ports.h"

uint8_t warp_interpolation(const struct warp_asked *a)
{
    static const uint8_t at[] = {[WARP_SAMPLE_CENTER] = 0,
                                 [WARP_SAMPLE_CENTROID] = ISA_INTERPOLATE_CENTROID,
                                 [WARP_SAMPLE_SAMPLE] = ISA_INTERPOLATE_SAMPLE,
                                 [WARP_SAMPLE_EXPLICIT] = 0};
    if (a->message == WARP_VARYING_FLAT)
        return ISA_INTERPOLATE_FLAT;
    return ISA_INTERPOLATE_PERSPECTIVE | at[a->sample & 3];
}

bool warp_message_attribute(const struct warp_message *m, struct isa_attribute *out,
                            uint32_t instance[ISA_LANES])
{
    *out = (struct isa_attribute){.type = (enum isa_type)m->asked.type, .any_type = m->asked.any_type};
    memset(instance, 0, sizeof(uint32_t[ISA_LANES]));
    switch (m->asked.message) {
    case WARP_ATTRIBUTE:
    case WARP_LEA_ATTRIBUTE:
        out->other_vertex = true;
        memcpy(out->vertex, m->operand[0][0], sizeof out->vertex);
        memcpy(instance, m->operand[1][0], sizeof out->vertex);
        memcpy(out->index, m->operand[2][0], sizeof out->index);
        return true;
    case WARP_IMAGE:
    case WARP_LEA_IMAGE:
        for (unsigned c = 0; c < 4; c++)
            for (unsigned l = 0; l < ISA_LANES; l++)
                out->coordinate[c][l] = m->operand[c / 2][0][l] >> 16 * (c & 1) & 0xffff;
        memcpy(out->index, m->operand[2][0], sizeof out->index);
        return true;
    case WARP_VARYING:
    case WARP_VARYING_FLAT:
        out->secondary = true;
        out->interpolation = warp_interpolation(&m->asked);
        memcpy(out->index, m->operand[1][0], sizeof out->index);
        return true;
    default: return false;
    }
}
