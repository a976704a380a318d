/* Varyings of programs of isa/warp: by descriptors, as Midgard's, and of v9 by the byte among those that a vertex has
 * (vertices.h), which set-up takes word by word. */
#include <string.h>

#include "gpu/mali/frag_internal.h"
#include "gpu/mali/vertices.h"
#include "isa/valhall/insn.h"
#include "raster/texture/sampler.h"
#include "util/bits.h"

#define WORD       4u
#define SLOT_WORDS 4u /* of a slot */

/* ---- what programs ask for ---- */

static void note_words(const struct warp_insn *i, struct mali_frag_asked *asked)
{
    const bool flat = i->source_format == VALHALL_SOURCE_FORMAT_FLAT32;
    const struct warp_source *offset = &i->source[1];
    if (offset->from != WARP_CONSTANT) {
        asked->any_word[flat] = true;
        return;
    }
    for (uint64_t c = 0, first = offset->value / WORD; c < i->components; c++)
        if (first + c < FRAG_WORDS_MOST)
            asked->word[flat][first + c] = true;
}

/* Those of one table have places; of others the port has none. */
static void note_descriptor(const struct warp_insn *i, struct mali_frag_asked *asked)
{
    const struct warp_source *handle = &i->source[1];
    bool *list = i->message == WARP_VARYING_FLAT ? asked->flat : asked->smooth;
    if (handle->from != WARP_CONSTANT) {
        memset(list, true, FRAG_VARYINGS_MOST);
        return;
    }
    const uint32_t number = warp_handle_number((uint32_t)handle->value);
    asked->table = (uint32_t)handle->value ^ number;
    if (number < FRAG_VARYINGS_MOST)
        list[number] = true;
}

void mali_frag_look_warp(const struct warp_program *p, struct mali_frag_asked *asked)
{
    for (uint32_t n = 0; n < p->insn_count; n++) {
        const struct warp_insn *i = &p->insns[n];
        const bool texture = i->kind == WARP_TEXTURE && i->of_varying;
        const struct warp_insn ask = texture ? warp_coordinates_of(i) : *i;
        if (ask.kind != WARP_MESSAGE)
            continue;
        if (ask.message == WARP_VARYING_BYTES)
            note_words(&ask, asked);
        else if (ask.message == WARP_VARYING || ask.message == WARP_VARYING_FLAT)
            note_descriptor(&ask, asked);
    }
}

bool mali_frag_reads_point(const struct warp_program *p)
{
    for (uint32_t n = 0; n < p->insn_count; n++) {
        const struct warp_insn *i = &p->insns[n];
        if (i->kind == WARP_MESSAGE && i->message == WARP_VARYING_SPECIAL &&
            (i->source[1].from != WARP_CONSTANT || i->source[1].value <= 1))
            return true;
    }
    return false;
}

/* ---- descriptors of v9 ---- */

static const struct mali_resource_of *entry_of(const struct mali_frag *f, uint32_t table, uint32_t n,
                                               uint32_t type, struct mali_stop *stop)
{
    const struct mali_bindings *b = &f->job.bindings;
    const struct mali_stop *refused;
    const struct mali_resource_of *e = mali_entry_find(b, table, n, type, &refused);
    if (refused)
        *stop = *refused;
    else if (!e)
        mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_PACKET, FRAG_UNIT, b->environment.tables,
                      "varyings ask for descriptor %u of table %u, which is none of type %u", n, table, type);
    return e;
}

bool mali_frag_describe_v9(const struct mali_frag *f, uint32_t handle, struct mali_frag_descriptor *out,
                           struct mali_stop *stop)
{
    const struct mali_resource_of *e = entry_of(f, warp_handle_table(handle), warp_handle_number(handle),
                                                MALI_DESCRIPTOR_TYPE_ATTRIBUTE, stop);
    const struct mali_attribute_v9 *a = e ? &e->attribute : NULL;
    const struct mali_resource_of *buffer =
        a ? entry_of(f, a->table, a->buffer_index, MALI_DESCRIPTOR_TYPE_BUFFER, stop) : NULL;
    if (!buffer)
        return false;
    *out = (struct mali_frag_descriptor){.kind = MALI_ARRAY_1D,
                                         .address = buffer->buffer.address + (uint64_t)(int64_t)a->offset,
                                         .stride = a->stride,
                                         .format = mali_format_of(MALI_V9, a->format, a->srgb)};
    return (a->frequency == MALI_ATTRIBUTE_FREQUENCY_VERTEX && raster_sampler_plain(out->format) &&
            mali_order_of(MALI_V9, a->order, &out->order)) ||
           mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_UNSUPPORTED, FRAG_UNIT,
                         f->job.bindings.environment.tables,
                         "varying %u has format %u in order %u, or is not of vertices", handle, a->format,
                         a->order);
}

/* ---- words ---- */

/* One word more: of the last slot, where it stands behind that one's, or of a new one. */
static void take_word(struct mali_frag *f, uint32_t word, bool flat)
{
    struct mali_frag_slot *last = f->slot_count ? &f->slot[f->slot_count - 1] : NULL;
    const uint64_t address = (uint64_t)f->vertices + word * WORD;
    f->word_of[flat][word] = (uint8_t)f->vary_count;
    if (last && last->flat == flat && !last->divided && last->stride == f->job.vertex_bytes &&
        last->as == FRAG_COPY && last->count < SLOT_WORDS && last->address + last->bytes == address &&
        last->first + last->count == f->vary_count) {
        last->count++;
        last->bytes += WORD;
    } else {
        f->slot[f->slot_count++] = (struct mali_frag_slot){.address = address,
                                                           .stride = f->job.vertex_bytes,
                                                           .format = RASTER_R32G32B32A32_UINT,
                                                           .flat = flat,
                                                           .first = (uint8_t)f->vary_count,
                                                           .count = 1,
                                                           .bytes = WORD,
                                                           .as = FRAG_COPY};
    }
    f->vary_count++;
}

bool mali_frag_place_words(struct mali_frag *f, const struct mali_frag_asked *asked, bool flat)
{
    const uint32_t count = f->vertices ? UTIL_MIN(f->job.vertex_bytes / WORD, FRAG_WORDS_MOST) : 0;
    for (uint32_t n = 0; n < count; n++) {
        if (!asked->word[flat][n] && !asked->any_word[flat])
            continue;
        if (f->vary_count + f->ahead >= RASTER_MAX_VARYINGS)
            return false;
        take_word(f, n, flat);
    }
    f->flat = flat ? f->vary_count : f->flat;
    return true;
}
