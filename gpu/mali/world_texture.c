/* Texture requests: lanes that ask for the same texture and sampler are looked up together. */
#include <math.h>
#include <string.h>

#include "gpu/mali/lookup.h"
#include "gpu/mali/world_internal.h"
#include "util/bits.h"

/* ---- cubes ---- */

static uint32_t on_face(float along, float major)
{
    float s = along / major * 0.5f + 0.5f;
    s = s > 0.0f ? s : 0.0f;
    return util_f2u(s < 1.0f ? s : 1.0f);
}

/* Faces and their axes as in GL ES 3.2, table 8.25. */
void mali_port_cube(void *ctx, const uint32_t direction[3][16], uint32_t out[2][16])
{
    for (unsigned l = 0; l < 16; l++) {
        float x = util_u2f(direction[0][l]), y = util_u2f(direction[1][l]), z = util_u2f(direction[2][l]);
        float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
        uint32_t face, s, t;
        if (ax >= ay && ax >= az) {
            face = x < 0.0f;
            s = on_face(face ? z : -z, ax);
            t = on_face(-y, ax);
        } else if (ay >= az) {
            face = 2 + (y < 0.0f);
            s = on_face(x, ay);
            t = on_face(face == 3 ? -z : z, ay);
        } else {
            face = 4 + (z < 0.0f);
            s = on_face(face == 5 ? -x : x, az);
            t = on_face(-y, az);
        }
        out[0][l] = s | face << MALI_FACE_AT;
        out[1][l] = t | face >> MALI_FACE_LOW << MALI_FACE_AT;
    }
}

/* ---- requests ---- */

/* Coordinates as ports.h has them, as the sampler takes them. */
void mali_texture_lanes(const struct isa_texture_request *r, struct raster_lookup_lanes *in)
{
    bool cube = r->dimensions == 0, fetch = r->op == ISA_TEXTURE_FETCH;
    memcpy(in->coordinate, r->coordinate, sizeof in->coordinate);
    memcpy(in->layer, r->coordinate[3], sizeof in->layer);
    memcpy(in->reference, r->coordinate[2], sizeof in->reference);
    memcpy(in->lod, r->lod, sizeof in->lod);
    memcpy(in->sample, fetch ? r->coordinate[2] : r->lod, sizeof in->sample);
    memcpy(in->offset, r->offset, sizeof in->offset);
    memcpy(in->gradient, r->gradient, sizeof in->gradient);
    for (unsigned l = 0; cube && l < 16; l++) {
        in->coordinate[0][l] = r->coordinate[0][l] & MALI_FACE_PLACE;
        in->coordinate[1][l] = r->coordinate[1][l] & MALI_FACE_PLACE;
        in->coordinate[2][l] =
            r->coordinate[0][l] >> MALI_FACE_AT | r->coordinate[1][l] >> MALI_FACE_AT << MALI_FACE_LOW;
    }
}

/* The sampler's that component c is. Of levels the first is the one within its limits, the second without. */
static unsigned component_of(const struct isa_texture_request *r, unsigned c)
{
    if (r->op == ISA_TEXTURE_LEVEL)
        return r->no_clamp;
    return mali_gathers(r->mode) ? mali_gathered[c] : c;
}

bool mali_port_texture(void *ctx, const struct isa_texture_request *r, uint16_t lanes, uint32_t out[4][16],
                       struct isa_place *place)
{
    struct mali_threads *t = ctx;
    struct raster_lookup_lanes in = {0};
    mali_texture_lanes(r, &in);
    for (uint16_t left = lanes; left;) {
        unsigned first = (unsigned)__builtin_ctz(left);
        const struct mali_lookup_key key = mali_lookup_key_of(r, first);
        struct mali_stop stop;
        uint32_t value[4][16];
        const struct mali_lookup *lookup = mali_lookup_get(t->world, &key, &stop);
        if (!lookup)
            return mali_world_refuse(t, first, &stop, place);
        raster_sampler_run(&lookup->key, &lookup->image, &in, value);
        for (unsigned l = first; l < 16; l++) {
            bool same = r->texture[l] == r->texture[first] && r->sampler[l] == r->sampler[first];
            if (!(left >> l & 1) || !same)
                continue;
            for (unsigned c = 0; c < 4; c++)
                out[c][l] = value[component_of(r, c)][l];
            left &= (uint16_t)~(1u << l);
        }
    }
    return true;
}
