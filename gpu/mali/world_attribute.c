/* Attributes, stored varyings, and colours packed: values of a descriptor's format to registers and back. */
#include <math.h>
#include <string.h>

#include "gpu/mali/world_internal.h"
#include "raster/texture/sampler.h"
#include "util/bits.h"
#include "util/checked.h"
#include "util/half.h"

/* ---- numbers ---- */

bool mali_format_is_signed(enum raster_format format)
{
    const struct raster_texel *texel = &raster_texels[format];
    return raster_texel_kind(texel, texel->from[0] < 4 ? texel->from[0] : 0) == RASTER_KIND_SINT;
}

static uint32_t to_float(enum raster_format format, uint32_t v)
{
    if (!raster_sampler_integer(format))
        return v;
    return util_f2u(mali_format_is_signed(format) ? (float)(int32_t)v : (float)v);
}

/* Towards zero, held within the range; NaN is 0. */
static uint32_t to_integer(bool with_sign, uint32_t v)
{
    float f = util_u2f(v);
    if (with_sign)
        return f >= 0x1p31f ? INT32_MAX : f >= -0x1p31f ? (uint32_t)(int32_t)f : isnan(f) ? 0 : 1u << 31;
    return f >= 0x1p32f ? UINT32_MAX : f > 0 ? (uint32_t)f : 0;
}

/* Integers become floats where floats are asked for. Floats asked for as integers keep their bits (ours). */
static void to_register(enum raster_format format, enum isa_type type, bool any_type, const uint32_t v[4],
                        uint32_t out[4])
{
    uint32_t f[4];
    for (unsigned c = 0; c < 4; c++)
        f[c] = !any_type && (type == ISA_TYPE_F32 || type == ISA_TYPE_F16) ? to_float(format, v[c]) : v[c];
    if (any_type || type != ISA_TYPE_F16) {
        memcpy(out, f, sizeof f);
        return;
    }
    for (unsigned c = 0; c < 2; c++)
        out[c] = util_float_to_half(util_u2f(f[2 * c])) | (uint32_t)util_float_to_half(util_u2f(f[2 * c + 1]))
                                                              << 16;
    out[2] = out[3] = 0;
}

static void from_register(enum raster_format format, enum isa_type type, bool any_type, const uint32_t in[4],
                          uint32_t v[4])
{
    bool halves = type == ISA_TYPE_F16 && !any_type;
    bool floats = !any_type && (type == ISA_TYPE_F32 || type == ISA_TYPE_F16);
    for (unsigned c = 0; c < 4; c++) {
        v[c] = halves ? util_f2u(util_half_to_float((uint16_t)(in[c / 2] >> 16 * (c & 1)))) : in[c];
        if (floats && raster_sampler_integer(format))
            v[c] = to_integer(mali_format_is_signed(format), v[c]);
    }
}

void mali_world_convert(enum raster_format format, uint32_t order, enum isa_type type, bool any_type,
                        const uint32_t word[4], uint32_t out[4])
{
    const struct raster_texel *texel = &raster_texels[format];
    uint32_t channels[4], v[4];
    raster_texel_unpack(texel, word, channels);
    mali_reorder(order, raster_texel_one(texel), channels, v);
    to_register(format, type, any_type, v, out);
}

void mali_world_convert_back(enum raster_format format, uint32_t order, enum isa_type type, bool any_type,
                             const uint32_t in[4], uint32_t word[4])
{
    uint32_t v[4], channels[4];
    from_register(format, type, any_type, in, v);
    mali_order_back(order, v, channels);
    raster_texel_pack(&raster_texels[format], channels, word);
}

/* ---- descriptors ---- */

static bool refuse(const struct mali_world *w, const char *what, uint32_t value, struct mali_stop *stop)
{
    return mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_PACKET, w->unit, w->draw->attributes,
                         "%s (%u)", what, value);
}

/* What a position is snapped to is for who assembles primitives (ours): four singles. */
enum raster_format mali_world_format(enum mali_version version, uint32_t format, bool srgb)
{
    switch (format) {
    case MALI_FORMAT_SNAP_4: return RASTER_R32G32B32A32_FLOAT;
    case MALI_FORMAT_SNAP_2: return RASTER_R32G32_FLOAT;
    default: return mali_format_of(version, format, srgb);
    }
}

const struct mali_attribute *mali_world_attribute(const struct mali_world *w, bool varying, uint32_t index,
                                                  const struct mali_array **array, enum raster_format *format,
                                                  struct mali_stop *stop)
{
    const struct mali_bindings *b = w->bindings;
    const struct mali_attribute_of *list = varying ? b->varying : b->attribute;
    uint32_t count = varying ? b->state.varying_count : b->state.attribute_count;
    if (index >= count) {
        refuse(w, varying ? "a varying that there is not" : "an attribute that there is not", index, stop);
        return NULL;
    }
    const struct mali_attribute_of *of = &list[index];
    *array = of->refused ? NULL
             : varying   ? &b->varying_buffer[of->attribute.buffer_index]
                         : &b->attribute_buffer[of->attribute.buffer_index];
    const struct mali_stop *refused = of->refused ? of->refused : (*array)->refused;
    if (refused) {
        *stop = *refused;
        return NULL;
    }
    *format = mali_world_format(w->version, of->attribute.format, of->attribute.srgb);
    if (of->attribute.format != MALI_FORMAT_CONSTANT && !raster_sampler_plain(*format)) {
        mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_UNSUPPORTED, w->unit, w->draw->attributes,
                      "%s %u has format %u", varying ? "varying" : "attribute", index, of->attribute.format);
        return NULL;
    }
    return &of->attribute;
}

/* ---- one lane's element ---- */

struct element {
    const struct mali_attribute *attribute; /* number `index`; NULL: not looked for yet */
    uint32_t index;
    const struct mali_array *array;
    enum raster_format format;
    uint64_t address; /* of its first byte */
    bool inside;      /* all of it stands in the buffer */
};

/* Attributes alone add the draw's offset (HARDWARE: special records and varyings do not). */
static bool find(const struct mali_threads *t, const struct isa_attribute *a, unsigned lane,
                 struct element *e, struct mali_stop *stop)
{
    const struct mali_world *w = t->world;
    if (!e->attribute || e->index != a->index[lane])
        e->attribute = mali_world_attribute(w, a->secondary, a->index[lane], &e->array, &e->format, stop);
    if (!e->attribute)
        return false;
    e->index = a->index[lane];
    uint32_t n = a->other_vertex ? a->vertex[lane] : t->number[lane];
    int64_t element = (int64_t)mali_array_element(e->array, n) + (a->secondary ? 0 : w->draw->offset_start);
    int64_t at = element * e->array->stride + e->attribute->offset;
    e->address = e->array->pointer + (uint64_t)at;
    e->inside = at >= 0 && util_in_range((uint64_t)at, raster_format_bytes(e->format), e->array->size);
    return true;
}

static bool is_number(const struct mali_array *array)
{
    return array->kind == MALI_ARRAY_VERTEX_ID || array->kind == MALI_ARRAY_INSTANCE_ID;
}

static bool unusable(const struct mali_world *w, const struct mali_array *array, struct mali_stop *stop)
{
    return refuse(w,
                  array->kind ? "an attribute buffer that a program of this kind has not, of kind"
                              : "an attribute without a buffer",
                  array->kind, stop);
}

bool mali_attribute_texel(const struct mali_threads *t, const struct isa_attribute *a, unsigned lane,
                          struct mali_texel *out, struct mali_stop *stop)
{
    const struct mali_world *w = t->world;
    struct element e = {.attribute = NULL};
    if (!find(t, a, lane, &e, stop))
        return false;
    *out = (struct mali_texel){
        .format = e.format,
        .word = mali_conversion_word(e.attribute->format, e.attribute->srgb, e.attribute->order),
        .address = e.address,
        .inside = e.inside,
        .constant = e.attribute->format == MALI_FORMAT_CONSTANT,
        .is_number = is_number(e.array)};
    if (!mali_order_of(w->version, e.attribute->order, &out->order))
        return refuse(w, "the order of an attribute's channels is not known", e.attribute->order, stop);
    if (!out->constant && !out->is_number && e.array->kind != MALI_ARRAY_1D)
        return unusable(w, e.array, stop);
    if (out->is_number)
        out->address = mali_array_element(e.array, a->other_vertex ? a->vertex[lane] : t->number[lane]);
    return true;
}

/* Beyond a buffer are zeros: 0, 0, 0, 1 of formats of three channels or less (ours). */
static bool fetch(struct mali_threads *t, const struct isa_attribute *a, unsigned lane, struct element *e,
                  uint32_t out[4], struct mali_stop *stop)
{
    const struct mali_world *w = t->world;
    uint32_t word[4] = {0};
    if (!find(t, a, lane, e, stop))
        return false;
    if (e->attribute->format == MALI_FORMAT_CONSTANT) {
        bool integer = !a->any_type && (a->type == ISA_TYPE_U32 || a->type == ISA_TYPE_I32);
        mali_reorder(e->attribute->order, integer ? 1 : util_f2u(1.0f), word, word);
        to_register(RASTER_R32G32B32A32_FLOAT, a->type, a->any_type, word, out);
        return true;
    }
    if (is_number(e->array)) {
        word[0] = mali_array_element(e->array, a->other_vertex ? a->vertex[lane] : t->number[lane]);
    } else if (e->array->kind != MALI_ARRAY_1D) {
        return unusable(w, e->array, stop);
    } else if (e->inside) {
        uint32_t bytes = raster_format_bytes(e->format);
        const uint8_t *from = mali_port_at(t, e->address, bytes, GPU_RIGHT_READ, "attribute", stop);
        if (!from)
            return false;
        memcpy(word, from, bytes);
    }
    mali_world_convert(e->format, e->attribute->order, a->type, a->any_type, word, out);
    return true;
}

bool mali_port_attribute(void *ctx, const struct isa_attribute *a, uint16_t lanes, uint32_t out[4][16],
                         struct isa_place *place)
{
    struct mali_threads *t = ctx;
    struct mali_stop stop = {0};
    struct element element = {0};
    for (unsigned l = 0; l < 16; l++) {
        uint32_t value[4] = {0};
        if (!(lanes >> l & 1))
            continue;
        if (!fetch(t, a, l, &element, value, &stop))
            return mali_world_refuse(t, l, &stop, place);
        for (unsigned c = 0; c < 4; c++)
            out[c][l] = value[c];
    }
    return true;
}

/* What is outside the buffer, or of no format (FORMAT_CONSTANT: nobody reads it), is dropped. */
static bool put(struct mali_threads *t, const struct isa_attribute *a, unsigned lane, struct element *e,
                const uint32_t in[4], struct mali_stop *stop)
{
    const struct mali_world *w = t->world;
    uint32_t word[4];
    if (!find(t, a, lane, e, stop))
        return false;
    if (e->attribute->format == MALI_FORMAT_CONSTANT)
        return true;
    if (e->array->kind != MALI_ARRAY_1D)
        return unusable(w, e->array, stop);
    if (!e->inside)
        return true;
    uint32_t bytes = raster_format_bytes(e->format);
    uint8_t *to = mali_port_at(t, e->address, bytes, GPU_RIGHT_WRITE, "varying", stop);
    if (!to)
        return false;
    mali_world_convert_back(e->format, e->attribute->order, a->type, a->any_type, in, word);
    memcpy(to, word, bytes);
    return true;
}

bool mali_port_store_varying(void *ctx, const struct isa_attribute *a, uint16_t lanes,
                             const uint32_t value[4][16], struct isa_place *place)
{
    struct mali_threads *t = ctx;
    struct mali_stop stop = {0};
    struct element element = {0};
    for (unsigned l = 0; l < 16; l++) {
        const uint32_t in[4] = {value[0][l], value[1][l], value[2][l], value[3][l]};
        if (lanes >> l & 1 && !put(t, a, l, &element, in, &stop))
            return mali_world_refuse(t, l, &stop, place);
    }
    return true;
}

/* ---- colours packed ---- */

/* The word is the format above twelve bits of order, as in descriptors; bit 20 is sRGB. */
enum { FORMAT_AT = 12, FORMAT_BITS = 8, SRGB_AT = 20, ORDER_BITS = 12 };

bool mali_port_pack(void *ctx, bool unpack, enum isa_type type, uint32_t word, const uint32_t in[4][16],
                    uint16_t lanes, uint32_t out[4][16], struct isa_place *place)
{
    struct mali_threads *t = ctx;
    uint32_t order = util_bits(word, 0, ORDER_BITS);
    enum raster_format format = mali_format(util_bits(word, FORMAT_AT, FORMAT_BITS), word >> SRGB_AT & 1);
    struct mali_stop stop;
    if (!raster_sampler_plain(format)) {
        mali_stop_set(&stop, MALI_INSTR_OPERAND_FAULT, GPU_FAULT_UNSUPPORTED, t->world->unit,
                      t->world->address, "colours of format word 0x%x are packed", word);
        return mali_world_refuse(t, (unsigned)__builtin_ctz(lanes), &stop, place);
    }
    for (unsigned l = 0; l < 16; l++) {
        const uint32_t from[4] = {in[0][l], in[1][l], in[2][l], in[3][l]};
        uint32_t to[4];
        if (!(lanes >> l & 1))
            continue;
        if (unpack)
            mali_world_convert(format, order, type, false, from, to);
        else
            mali_world_convert_back(format, order, type, false, from, to);
        for (unsigned c = 0; c < 4; c++)
            out[c][l] = to[c];
    }
    return true;
}
