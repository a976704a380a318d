/* Messages of Bifrost's and Valhall's programs that reach descriptors: attributes, images, addresses of either and what
 * is stored by them, and of vertices' places. What only fragments have is a fault. Sources: Mesa's genxml and
 * bifrost_compile.c as documentation. */
#include <string.h>

#include "gpu/mali/shading.h"
#include "gpu/mali/world_internal.h"
#include "isa/bifrost/lower.h"
#include "util/bits.h"

/* ---- registers' formats ---- */

const struct mali_register_format mali_register_formats[] = {
    [MALI_REGISTER_FILE_FORMAT_F16] = {ISA_TYPE_F16, true},
    [MALI_REGISTER_FILE_FORMAT_F32] = {ISA_TYPE_F32, false},
    [MALI_REGISTER_FILE_FORMAT_I32] = {ISA_TYPE_I32, false},
    [MALI_REGISTER_FILE_FORMAT_U32] = {ISA_TYPE_U32, false},
    [MALI_REGISTER_FILE_FORMAT_I16] = {ISA_TYPE_I32, true},
    [MALI_REGISTER_FILE_FORMAT_U16] = {ISA_TYPE_U32, true}};

static bool packs(const struct mali_register_format *f)
{
    return f->halves && f->type != ISA_TYPE_F16;
}

void mali_registers_narrow(const struct mali_register_format *f, uint32_t value[4])
{
    if (!packs(f))
        return;
    for (unsigned n = 0; n < 2; n++)
        value[n] = (value[2 * n] & 0xffff) | value[2 * n + 1] << 16;
    value[2] = value[3] = 0;
}

void mali_registers_widen(const struct mali_register_format *f, uint32_t value[4])
{
    for (unsigned c = 4; packs(f) && c-- > 0;) {
        const uint32_t half = value[c / 2] >> 16 * (c & 1);
        value[c] = f->type == ISA_TYPE_I32 ? (uint32_t)(int16_t)half : half & 0xffff;
    }
}

/* ---- conversion words ---- */

/* The format that a register has where a program leaves it to the descriptor: 32 bits of the format's kind. */
static uint32_t own_register_format(enum raster_format format)
{
    return !raster_sampler_integer(format) ? MALI_REGISTER_FILE_FORMAT_F32
           : mali_format_is_signed(format) ? MALI_REGISTER_FILE_FORMAT_I32
                                           : MALI_REGISTER_FILE_FORMAT_U32;
}

static uint32_t register_format(const struct warp_asked *a, enum raster_format format)
{
    if (a->any_type)
        return own_register_format(format);
    switch ((enum isa_type)a->type) {
    case ISA_TYPE_F16: return MALI_REGISTER_FILE_FORMAT_F16;
    case ISA_TYPE_I32: return a->halves ? MALI_REGISTER_FILE_FORMAT_I16 : MALI_REGISTER_FILE_FORMAT_I32;
    case ISA_TYPE_U32: return a->halves ? MALI_REGISTER_FILE_FORMAT_U16 : MALI_REGISTER_FILE_FORMAT_U32;
    default: return MALI_REGISTER_FILE_FORMAT_F32;
    }
}

/* Where fields begin in their word: AT_internal_conversion_memory_format, ... of desc_shader.inc, as v6 has them; these are
 * the same in all later versions. */
#define AT_NONE                                                0
#define AT_W(word, bit)                                        (bit)
#define BEGIN(...)                                             enum {
#define FIELD(desc, member, text, kind, bits, v4, v5, v6, ...) AT_##desc##_##member = AT_##v6,
#define OVER(...)                                              FIELD(__VA_ARGS__)
#define ALSO(...)
#define END(desc)                                                                                            \
    }                                                                                                        \
    ;
#include "gpu/mali/desc_shader.inc"
#undef BEGIN
#undef FIELD
#undef OVER
#undef ALSO
#undef END

/* Of v9 the word has none, and who stores by it says it (Mesa's ISA.xml, LEA_TEX). */
uint32_t mali_conversion_word_asked(enum mali_version version, uint32_t word, enum raster_format format,
                                    const struct warp_asked *a)
{
    return version >= MALI_V9 ? word
                              : word | register_format(a, format) << AT_internal_conversion_register_format;
}

uint32_t mali_conversion_word(uint32_t format, bool srgb, uint32_t order)
{
    return (order & 0xfff) << AT_internal_conversion_memory_order |
           (format & 0xff) << AT_internal_conversion_memory_format |
           (uint32_t)srgb << AT_internal_conversion_memory_srgb;
}

bool mali_conversion_read(enum mali_version version, uint32_t word, const struct warp_asked *asked,
                          struct mali_conversion *out)
{
    struct mali_internal_conversion c;
    mali_desc_unpack(&mali_desc_internal_conversion, version, &word, &c);
    out->format = mali_world_format(version, c.memory_format, c.memory_srgb);
    out->constant = c.memory_format == MALI_FORMAT_CONSTANT;
    if (c.raw || c.register_format >= UTIL_ARRAY_SIZE(mali_register_formats) ||
        !mali_order_of(version, c.memory_order, &out->order))
        return false;
    if (version >= MALI_V9)
        c.register_format = own_register_format(out->format);
    out->in = asked->any_type ? mali_register_formats[c.register_format] : mali_asked_format(asked);
    return out->constant || raster_sampler_plain(out->format);
}

/* ---- attributes ---- */

/* The number that stands for both of a vertex and an instance in buffers of v6 and v7, as on Midgard. */
static void linear(const struct mali_world *w, const uint32_t instance[16], struct isa_attribute *a)
{
    const uint32_t size = (uint32_t)w->draw->instance_size;
    for (unsigned l = 0; l < ISA_LANES; l++)
        a->vertex[l] += instance[l] * size;
}

/* Handles of v6 and v7 name one of two lists and a number in it (isa/bifrost/lower.h). */
static bool take_list(struct isa_attribute *a, unsigned lane)
{
    const uint32_t table = warp_handle_table(a->index[lane]);
    a->secondary = table == BIFROST_TABLE_VARYINGS;
    a->index[lane] = warp_handle_number(a->index[lane]);
    return table == BIFROST_TABLE_ATTRIBUTES || table == BIFROST_TABLE_VARYINGS;
}

static bool find_texel(struct mali_threads *t, const struct isa_attribute *a, const uint32_t instance[16],
                       bool image, unsigned lane, struct mali_texel *e, struct mali_stop *stop)
{
    if (t->world->version < MALI_V9)
        return image ? mali_image_texel(t, a, lane, e, stop) : mali_attribute_texel(t, a, lane, e, stop);
    return image ? mali_image_texel_v9(t, a, lane, e, stop)
                 : mali_attribute_texel_v9(t, a, instance[lane], lane, e, stop);
}

static bool load_texel(struct mali_threads *t, const struct isa_attribute *a, const struct mali_texel *e,
                       bool image, uint32_t value[4], struct mali_stop *stop)
{
    uint32_t word[4] = {0};
    memset(value, 0, sizeof(uint32_t[4]));
    if (image && !e->inside)
        return true;
    if (e->constant) {
        const bool integer = !a->any_type && (a->type == ISA_TYPE_U32 || a->type == ISA_TYPE_I32);
        mali_reorder(e->order, integer ? 1 : util_f2u(1.0f), word, word);
        mali_world_convert(RASTER_R32G32B32A32_FLOAT, MALI_ORDER_RGBA, a->type, a->any_type, word, value);
        return true;
    }
    if (e->is_number) {
        word[0] = (uint32_t)e->address;
    } else if (e->inside) {
        const uint32_t bytes = raster_format_bytes(e->format);
        const uint8_t *from =
            mali_port_at(t, e->address, bytes, GPU_RIGHT_READ, image ? "texel" : "attribute", stop);
        if (!from)
            return false;
        memcpy(word, from, bytes);
    }
    mali_world_convert(e->format, e->order, a->type, a->any_type, word, value);
    return true;
}

/* ---- what messages come to ---- */

struct request {
    struct mali_threads *threads;
    const struct warp_message *message;
    struct isa_attribute attribute;
    uint32_t instance[ISA_LANES];
    bool image;
    uint32_t (*out)[16];
};

static bool load_lane(struct request *r, unsigned l, struct mali_stop *stop)
{
    const struct mali_register_format into = mali_asked_format(&r->message->asked);
    struct mali_texel e;
    uint32_t value[4];
    if (!find_texel(r->threads, &r->attribute, r->instance, r->image, l, &e, stop) ||
        !load_texel(r->threads, &r->attribute, &e, r->image, value, stop))
        return false;
    mali_registers_narrow(&into, value);
    for (unsigned c = 0; c < 4; c++)
        r->out[c][l] = value[c];
    return true;
}

/* Nowhere for what is outside: what is stored there is dropped, and loads give zeros. */
static bool address_lane(struct request *r, unsigned l, struct mali_stop *stop)
{
    struct mali_texel e;
    if (!find_texel(r->threads, &r->attribute, r->instance, r->image, l, &e, stop))
        return false;
    const uint64_t at = e.inside && !e.constant ? e.address : MALI_NOWHERE;
    r->out[0][l] = (uint32_t)at;
    r->out[1][l] = (uint32_t)(at >> 32);
    r->out[2][l] =
        mali_conversion_word_asked(r->threads->world->version, e.word, e.format, &r->message->asked);
    return true;
}

static bool refuse(const struct mali_world *w, enum gpu_fault_kind kind, const char *why,
                   struct mali_stop *stop)
{
    return mali_stop_set(stop, MALI_INSTR_OPERAND_FAULT, kind, w->unit, w->address, "%s", why);
}

static bool store_lane(struct request *r, unsigned l, struct mali_stop *stop)
{
    struct mali_threads *t = r->threads;
    const struct warp_message *m = r->message;
    const uint64_t at = m->operand[0][0][l] | (uint64_t)m->operand[0][1][l] << 32;
    struct mali_conversion c;
    uint32_t value[4] = {m->value[0][l], m->value[1][l], m->value[2][l], m->value[3][l]}, word[4];
    if (at >= MALI_NOWHERE)
        return true;
    if (!mali_conversion_read(t->world->version, m->operand[1][0][l], &m->asked, &c))
        return refuse(t->world, GPU_FAULT_UNSUPPORTED, "a store by a conversion that is not known", stop);
    if (c.constant)
        return true;
    const uint32_t bytes = raster_format_bytes(c.format);
    uint8_t *to = mali_port_at(t, at, bytes, GPU_RIGHT_WRITE, "converted store", stop);
    if (!to)
        return false;
    mali_registers_widen(&c.in, value);
    mali_world_convert_back(c.format, c.order, c.in.type, false, value, word);
    memcpy(to, word, bytes);
    return true;
}

/* Where a thread's own vertex stands: by the linear ID that it begins with, and of a point's size by four more. */
static bool vertex_lane(struct request *r, unsigned l, struct mali_stop *stop)
{
    const struct mali_threads *t = r->threads;
    const struct mali_shading *s = t->world->shading;
    const uint32_t id = r->message->operand[0][0][l], n = mali_vertex_number(id);
    uint64_t at = MALI_NOWHERE;
    if (r->message->operand[1][0][l] != MALI_VERTICES_HANDLE || !s)
        return refuse(t->world, GPU_FAULT_UNSUPPORTED, "addresses of a buffer's elements are not explained",
                      stop);
    if (t->world->kind == MALI_THREADS_VARYING)
        at = s->at.varyings ? s->at.varyings + (uint64_t)n * s->at.stride : MALI_NOWHERE;
    else if (!mali_vertex_is_size(id))
        at = s->at.positions + (uint64_t)n * MALI_POSITION_BYTES;
    else if (s->at.point_sizes)
        at = s->at.point_sizes + (uint64_t)n * MALI_POINT_SIZE_BYTES;
    r->out[0][l] = (uint32_t)at;
    r->out[1][l] = (uint32_t)(at >> 32);
    return true;
}

static bool foreign_lane(struct request *r, unsigned l, struct mali_stop *stop)
{
    (void)l;
    return refuse(r->threads->world, GPU_FAULT_UNSUPPORTED, "the program asks for what only fragments have",
                  stop);
}

static bool conversion_lane(struct request *r, unsigned l, struct mali_stop *stop)
{
    (void)l;
    return refuse(r->threads->world, GPU_FAULT_UNSUPPORTED, "loads by a conversion word are not done", stop);
}

static bool run_lane(struct request *r, bool (*lane)(struct request *, unsigned, struct mali_stop *),
                     unsigned l, struct mali_stop *stop)
{
    const struct mali_world *w = r->threads->world;
    if (w->version < MALI_V9 && !take_list(&r->attribute, l))
        return refuse(w, GPU_FAULT_PACKET, "a handle whose table is neither attributes nor varyings", stop);
    return lane(r, l, stop);
}

bool mali_port_message(void *ctx, const struct warp_message *m, uint16_t lanes,
                       uint32_t out[WARP_MESSAGE_WORDS][16], uint16_t *leave, struct isa_place *place)
{
    static bool (*const does[])(struct request *, unsigned, struct mali_stop *) = {
        [WARP_ATTRIBUTE] = load_lane,         [WARP_IMAGE] = load_lane,
        [WARP_LEA_ATTRIBUTE] = address_lane,  [WARP_LEA_IMAGE] = address_lane,
        [WARP_LEA_BUFFER] = vertex_lane,      [WARP_STORE_CONVERT] = store_lane,
        [WARP_LOAD_CONVERT] = conversion_lane};
    struct request r = {.threads = ctx, .message = m, .out = out};
    const uint8_t kind = m->asked.message;
    bool (*lane)(struct request *, unsigned, struct mali_stop *) =
        kind < UTIL_ARRAY_SIZE(does) && does[kind] ? does[kind] : foreign_lane;
    struct mali_stop stop = {0};
    (void)leave;
    warp_message_attribute(m, &r.attribute, r.instance);
    r.image = kind == WARP_IMAGE || kind == WARP_LEA_IMAGE;
    if (!r.image && r.threads->world->version < MALI_V9)
        linear(r.threads->world, r.instance, &r.attribute);
    for (unsigned l = 0; l < ISA_LANES; l++)
        if (lanes >> l & 1 && !run_lane(&r, lane, l, &stop))
            return mali_world_refuse(r.threads, l, &stop, place);
    return true;
}
