/* Forms and places of a world's descriptors, for its code. */
#include <string.h>

#include "gpu/mali/world_internal.h"
#include "gpu/mali/world_ir.h"
#include "isa/bifrost/lower.h"
#include "isa/warp/trans.h"
#include "util/bits.h"
#include "util/checked.h"

/* What code reads without looking at pages. */
static bool take_reads(const struct mali_world *w, uint64_t address, uint64_t size, uint32_t rights)
{
    if (!gpu_space_allows(w->space, address, size, rights, NULL))
        return false;
    if (w->speculation && rights & GPU_RIGHT_READ)
        gpu_speculation_reads(w->speculation, address, size);
    return true;
}

/* ---- arrays ---- */

static bool is_number(const struct mali_array *a)
{
    return a->kind == MALI_ARRAY_VERTEX_ID || a->kind == MALI_ARRAY_INSTANCE_ID;
}

/* Element 0 and how many there are. False: they do not all lie in the buffer's memory, from 0 on. */
static bool set_places(const struct mali_world *w, int64_t offset, const struct mali_array *a, uint32_t start,
                       uint32_t bytes, uint32_t rights, struct mali_code_array *out)
{
    uint64_t first;
    if (offset < 0 || !util_mul(start, a->stride, &first) || !util_add(first, (uint64_t)offset, &first))
        return false;
    if (!a->size || !take_reads(w, a->pointer, a->size, rights))
        return false;
    out->stride = a->stride;
    if (!util_in_range(first, bytes, a->size))
        return true;
    out->base = w->space->window.base + a->pointer + first;
    out->count = a->stride ? (uint32_t)((a->size - first - bytes) / a->stride) + 1 : UINT32_MAX;
    return true;
}

static void set_formula(const struct mali_array *a, struct mali_code_form *form, struct mali_code_array *out)
{
    form->reach = is_number(a)              ? MALI_REACH_NUMBER
                  : mali_array_is_linear(a) ? MALI_REACH_LINEAR
                                            : MALI_REACH_FORMULA;
    out->modulus = a->modulus ? a->modulus : UINT64_C(1) << 32;
    out->factor = a->factor;
    out->add = a->add;
    out->shift = a->shift;
}

static void set_array(const struct mali_world *w, bool varying, uint32_t n, struct mali_code_form *form,
                      struct mali_code_array *out)
{
    struct mali_stop stop;
    const struct mali_array *a;
    enum raster_format format;
    const struct mali_attribute *attribute = mali_world_attribute(w, varying, n, &a, &format, &stop);
    *out = (struct mali_code_array){.base = (uint8_t *)w->space->window.base};
    uint32_t order;
    if (!attribute || !mali_order_of(w->version, attribute->order, &order))
        return;
    form->order = (uint16_t)order;
    form->word = mali_conversion_word(attribute->format, attribute->srgb, attribute->order);
    form->format = (uint16_t)format;
    if (attribute->format == MALI_FORMAT_CONSTANT) {
        form->reach = varying ? MALI_REACH_NOTHING : MALI_REACH_CALL;
        return;
    }
    if (is_number(a) ||
        (a->kind == MALI_ARRAY_1D &&
         set_places(w, attribute->offset, a, varying ? 0 : w->draw->offset_start, raster_format_bytes(format),
                    varying ? GPU_RIGHT_WRITE : GPU_RIGHT_READ, out)))
        set_formula(a, form, out);
}

static void set_array_v9(const struct mali_world *w, uint32_t handle, struct mali_code_form *form,
                         struct mali_code_array *out)
{
    struct mali_stop stop;
    struct mali_array a;
    enum raster_format format;
    uint32_t order;
    const struct mali_attribute_v9 *d = mali_world_attribute_v9(w, handle, &a, &format, &order, &stop);
    *out = (struct mali_code_array){.base = (uint8_t *)w->space->window.base};
    if (!d || d->format == MALI_FORMAT_CONSTANT ||
        !set_places(w, d->offset, &a, d->offset_enable ? w->bindings->environment.attribute_offset : 0,
                    raster_format_bytes(format), GPU_RIGHT_READ, out))
        return;
    form->order = (uint16_t)order;
    form->format = (uint16_t)format;
    form->by_instance = d->frequency == MALI_ATTRIBUTE_FREQUENCY_INSTANCE;
    set_formula(&a, form, out);
}

/* Whether all texels of the extent lie in the buffer, and it in memory that may be used as the program does. */
static bool set_texels(const struct mali_world *w, const struct mali_attribute *attribute,
                       const struct mali_array *a, uint32_t bytes, uint32_t rights,
                       struct mali_code_array *out)
{
    const uint32_t side = MALI_IMAGE_TILE, *extent = a->extent;
    bool tiled = a->kind == MALI_ARRAY_3D_INTERLEAVED;
    int64_t offset = attribute->offset;
    uint64_t columns = tiled ? (uint64_t)util_div_up(extent[0], side) * side * side : extent[0];
    uint64_t rows = tiled ? util_div_up(extent[1], side) : extent[1], end = 0, part;
    bool fits = offset >= 0 && extent[0] && extent[1] && extent[2];
    const uint64_t steps[3] = {columns ? columns - 1 : 0, rows ? rows - 1 : 0, extent[2] ? extent[2] - 1 : 0};
    const uint32_t strides[3] = {tiled ? bytes : a->stride, a->row_stride, a->slice_stride};
    for (unsigned n = 0; n < 3; n++)
        fits = fits && util_mul(steps[n], strides[n], &part) && util_add(end, part, &end);
    if (!fits || !util_add(end, (uint64_t)offset, &end) || !util_in_range(end, bytes, a->size) ||
        !take_reads(w, a->pointer, a->size, rights))
        return false;
    out->base = w->space->window.base + a->pointer + offset;
    memcpy(out->image.extent, extent, sizeof out->image.extent);
    out->image.texel_stride = strides[0];
    out->image.row_stride = strides[1];
    out->image.slice_stride = strides[2];
    return true;
}

static void set_image(const struct mali_world *w, uint32_t n, uint32_t rights, struct mali_code_form *form,
                      struct mali_code_array *out)
{
    struct mali_stop stop;
    const struct mali_array *a;
    enum raster_format format;
    const struct mali_attribute *attribute = mali_world_attribute(w, false, n, &a, &format, &stop);
    uint32_t order;
    *out = (struct mali_code_array){.base = (uint8_t *)w->space->window.base};
    if (!attribute || !raster_format_bytes(format) ||
        (a->kind != MALI_ARRAY_3D_LINEAR && a->kind != MALI_ARRAY_3D_INTERLEAVED) ||
        !mali_order_of(w->version, attribute->order, &order) ||
        !set_texels(w, attribute, a, raster_format_bytes(format), rights, out))
        return;
    form->order = (uint16_t)order;
    form->format = (uint16_t)format;
    form->word = mali_conversion_word(attribute->format, attribute->srgb, attribute->order);
    form->reach = a->kind == MALI_ARRAY_3D_LINEAR ? MALI_REACH_IMAGE : MALI_REACH_IMAGE_TILED;
}

/* Whether layers follow each other at one distance, and all texels stand less than 2^32 bytes from the first; nobody has
 * looked at memory. */
static bool set_layers(const struct mali_image_v9 *image, struct mali_code_array *out)
{
    const uint32_t side = MALI_IMAGE_TILE, *extent = image->extent;
    if (!extent[0] || !extent[1] || !extent[2] || mali_image_surface_v9(image, 0)->pointer > UINT32_MAX)
        return false;
    const struct mali_surface_stride *first = mali_image_surface_v9(image, 0);
    const uint64_t row = (uint32_t)first->row_stride,
                   rows = image->tiled ? (extent[1] - 1) / side : extent[1] - 1;
    const uint64_t columns = image->tiled ? util_align((uint64_t)extent[0], side) * side : extent[0];
    int64_t slice = image->volume ? (int64_t)first->surface_stride : 0;
    if (!image->volume && extent[2] > 1)
        slice = (int64_t)(mali_image_surface_v9(image, 1)->pointer - first->pointer);
    for (uint32_t z = 0; !image->volume && z < extent[2]; z++) {
        const struct mali_surface_stride *s = mali_image_surface_v9(image, z);
        if (s->pointer - first->pointer != (uint64_t)slice * z || (uint32_t)s->row_stride != row)
            return false;
    }
    uint64_t end = columns * image->bytes, part;
    if (slice < 0 || slice > UINT32_MAX || !util_mul(rows, row, &part) || !util_add(end, part, &end) ||
        !util_mul(extent[2] - 1, (uint64_t)slice, &part) || !util_add(end, part, &end) || end > UINT32_MAX)
        return false;
    memcpy(out->image.extent, extent, sizeof out->image.extent);
    out->image.texel_stride = image->bytes;
    out->image.row_stride = (uint32_t)row;
    out->image.slice_stride = (uint32_t)slice;
    return true;
}

/* Addresses alone: the base is what the window has there, whatever that is. */
static void set_image_v9(const struct mali_world *w, uint32_t handle, struct mali_code_form *form,
                         struct mali_code_array *out)
{
    struct mali_stop stop;
    struct mali_texel texel;
    struct mali_image_v9 image;
    *out = (struct mali_code_array){.base = (uint8_t *)w->space->window.base};
    if (!mali_world_image_v9(w, handle, &texel, &image, &stop) || !set_layers(&image, out))
        return;
    out->base = w->space->window.base + mali_image_surface_v9(&image, 0)->pointer;
    form->format = (uint16_t)texel.format;
    form->order = (uint16_t)texel.order;
    form->word = texel.word;
    form->reach = image.tiled ? MALI_REACH_IMAGE_TILED : MALI_REACH_IMAGE;
}

/* ---- uniform buffers, textures ---- */

/* Those that the program names. */
static void set_buffers(const struct mali_world *w, struct mali_code_forms *forms, struct mali_code *code)
{
    for (uint32_t left = w->program->buffers; left; left &= left - 1) {
        const uint32_t n = (uint32_t)__builtin_ctz(left);
        struct mali_stop unheard;
        uint64_t address, bytes;
        code->buffer[n] = (struct mali_code_buffer){code->zeros, 0}; /* of no bytes: zeros */
        if (!mali_world_buffer(w, n, &address, &bytes, &unheard) ||
            (bytes && !take_reads(w, address, bytes, GPU_RIGHT_READ)))
            continue;
        forms->buffers |= 1u << n;
        if (bytes)
            code->buffer[n] = (struct mali_code_buffer){w->space->window.base + address, bytes};
    }
}

static bool is_request(const struct midgard_insn *i)
{
    return midgard_kind_of(i->tag) == MIDGARD_TEXTURE &&
           (i->texture.op == MIDGARD_TEX || i->texture.op == MIDGARD_TEX_LOD ||
            i->texture.op == MIDGARD_TEX_FETCH);
}

static bool has(const struct mali_code_lookup *lookups, uint32_t count, const struct mali_lookup_key *asked)
{
    for (uint32_t n = 0; n < count; n++)
        if (!memcmp(&lookups[n].asked, asked, sizeof *asked))
            return true;
    return false;
}

/* What cannot be looked up is asked for by calls, which say why. */
static void add_lookup(struct mali_world *w, const struct mali_lookup_key *asked,
                       struct mali_code_forms *forms, struct mali_code_lookup *lookups,
                       struct mali_code *code)
{
    struct mali_stop stop;
    if (forms->lookup_count >= MALI_CODE_LOOKUPS || has(lookups, forms->lookup_count, asked))
        return;
    const struct mali_lookup *found = mali_lookup_get(w, asked, &stop);
    if (!found)
        return;
    lookups[forms->lookup_count] = (struct mali_code_lookup){*asked, found->key};
    code->image[forms->lookup_count++] = &found->image;
}

bool mali_code_request(const struct midgard_insn *i, struct mali_lookup_key *out)
{
    const struct midgard_texture *x = &i->texture;
    if (!is_request(i) || x->texture_register || x->sampler_register)
        return false;
    bool levels = x->op == MIDGARD_TEX && i->tag != MIDGARD_TAG_VERTEX_TEXTURE;
    bool has_lod = x->lod_register || x->lod || x->lod_whole || x->op != MIDGARD_TEX;
    *out = mali_lookup_key(x->texture, x->sampler, x->op, x->mode, x->dimensions, levels, has_lod,
                           x->offset_register || x->offset);
    return true;
}

static void set_lookups(struct mali_world *w, struct mali_code_forms *forms, struct mali_code_lookup *lookups,
                        struct mali_code *code)
{
    const struct midgard_program *p = w->program->midgard;
    struct mali_lookup_key asked;
    for (uint32_t n = 0; w->program->requests && n < p->insn_count; n++)
        if (mali_code_request(&p->insns[n], &asked))
            add_lookup(w, &asked, forms, lookups, code);
}

/* Of isa/warp, whose handles are constants where a program has them so. */
static void set_warp_lookups(struct mali_world *w, struct mali_code_forms *forms,
                             struct mali_code_lookup *lookups, struct mali_code *code)
{
    const struct warp_program *p = w->program->warp;
    for (uint32_t n = 0; w->program->requests && n < p->insn_count; n++) {
        const struct warp_insn *i = &p->insns[n];
        struct isa_ir_texture r;
        for (unsigned k = 0; i->kind == WARP_TEXTURE && k < 1u + i->dual; k++) {
            warp_texture_request(i, k, &r);
            const struct mali_lookup_key asked =
                mali_lookup_key(r.texture.known, r.sampler.known, r.op, r.mode, r.dimensions, r.derivatives,
                                r.has_lod, r.has_offset);
            if (i->source[0].from == WARP_CONSTANT && i->texture_op != ISA_TEXTURE_LEVEL)
                add_lookup(w, &asked, forms, lookups, code);
        }
    }
}

/* ---- programs of isa/warp ---- */

/* Attributes, varyings and images of messages whose handles are constants; of v9 those of each kind's first one's table. */
static void set_message(const struct mali_world *w, const struct warp_insn *i, struct mali_code_forms *forms,
                        struct mali_code *code)
{
    const uint32_t handle = (uint32_t)i->source[2].value, n = warp_handle_number(handle);
    const uint32_t table = warp_handle_table(handle);
    const bool address = i->message == WARP_LEA_ATTRIBUTE, image = i->message == WARP_LEA_IMAGE;
    if (n >= MALI_CODE_ARRAYS)
        return;
    if (w->version >= MALI_V9) {
        uint8_t *of = image ? &forms->image_table : &forms->attribute_table;
        if (*of == MALI_NO_TABLE)
            *of = (uint8_t)table;
        if (table != *of || address)
            return;
        if (image)
            set_image_v9(w, handle, &forms->varying[n], &code->varying[n]);
        else
            set_array_v9(w, handle, &forms->attribute[n], &code->attribute[n]);
    } else if (address && table == BIFROST_TABLE_VARYINGS) {
        set_array(w, true, n, &forms->varying[n], &code->varying[n]);
    } else if (image && table == BIFROST_TABLE_ATTRIBUTES) {
        set_image(w, n, 0, &forms->attribute[n], &code->attribute[n]);
    } else if (i->message == WARP_ATTRIBUTE && table == BIFROST_TABLE_ATTRIBUTES) {
        set_array(w, false, n, &forms->attribute[n], &code->attribute[n]);
    }
}

static void set_messages(const struct mali_world *w, struct mali_code_forms *forms, struct mali_code *code)
{
    const struct warp_program *p = w->program->warp;
    forms->attribute_table = forms->image_table = MALI_NO_TABLE;
    for (uint32_t n = 0; n < p->insn_count; n++) {
        const struct warp_insn *i = &p->insns[n];
        if (i->kind == WARP_MESSAGE && i->source[2].from == WARP_CONSTANT &&
            (i->message == WARP_ATTRIBUTE || i->message == WARP_LEA_ATTRIBUTE ||
             i->message == WARP_LEA_IMAGE))
            set_message(w, i, forms, code);
    }
}

/* Streams whose arrays may be stored to as a whole. */
static void set_streams(const struct mali_world *w, struct mali_code_forms *forms, struct mali_code *code)
{
    const struct mali_shading *s = w->shading;
    if (!s || w->version < MALI_V9)
        return;
    const struct {
        uint32_t begin, bytes;
    } arrays[] = {[MALI_STREAM_OF_POSITIONS] = {s->at.positions, MALI_POSITION_BYTES},
                  [MALI_STREAM_OF_SIZES] = {s->at.point_sizes, MALI_POINT_SIZE_BYTES},
                  [MALI_STREAM_OF_VARYINGS] = {s->at.varyings, s->at.stride}};
    const uint64_t count = (uint64_t)s->count * s->instances;
    code->vertices = s->at;
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(arrays); n++) {
        const bool asked = (n == MALI_STREAM_OF_VARYINGS) == (w->kind == MALI_THREADS_VARYING);
        if (asked && arrays[n].begin &&
            gpu_space_allows(w->space, arrays[n].begin, count * arrays[n].bytes, GPU_RIGHT_WRITE, NULL))
            forms->streams |= (uint8_t)(1u << n);
    }
}

/* ---- all of it ---- */

void mali_code_prepare(struct mali_world *w, struct mali_code_forms *forms, struct mali_code_lookup *lookups,
                       struct mali_code *code)
{
    const struct midgard_program *p = w->program->midgard;
    memset(forms, 0, sizeof *forms);
    memset(code->zeros, 0, sizeof code->zeros);
    memcpy(code->uniform, w->uniform, w->uniform_count * sizeof *code->uniform);
    forms->uniform_count = (uint8_t)w->uniform_count;
    forms->tracks = w->speculation != NULL;
    forms->numeric = (uint8_t)w->numeric;
    forms->version = (uint8_t)w->version;
    forms->kind = (uint8_t)w->kind;
    forms->shares_storage = w->group_bytes != 0;
    code->page = w->space->page;
    code->window = w->space->window.base;
    code->address = w->address;
    code->group_bytes = w->group_bytes;
    code->storage[0] = w->bindings->storage.tls_base_pointer;
    code->storage[1] = w->bindings->storage.wls_base_pointer;
    set_buffers(w, forms, code);
    if (!p) {
        code->vertices = (struct mali_vertices){0};
        code->instance_size = (uint32_t)w->draw->instance_size;
        code->tables = w->bindings->environment.tables | w->bindings->environment.table_count;
        set_messages(w, forms, code);
        set_streams(w, forms, code);
        set_warp_lookups(w, forms, lookups, code);
        return;
    }
    for (uint32_t left = (uint32_t)(p->attributes | p->images | p->image_stores | p->varying_stores); left;
         left &= left - 1) {
        const uint32_t n = (uint32_t)__builtin_ctz(left);
        if (p->attributes >> n & 1)
            set_array(w, false, n, &forms->attribute[n], &code->attribute[n]);
        if ((p->images | p->image_stores) >> n & 1 && !(p->attributes >> n & 1))
            set_image(w, n,
                      (p->images >> n & 1 ? GPU_RIGHT_READ : 0u) |
                          (p->image_stores >> n & 1 ? GPU_RIGHT_WRITE : 0u),
                      &forms->attribute[n], &code->attribute[n]);
        if (p->varying_stores >> n & 1)
            set_array(w, true, n, &forms->varying[n], &code->varying[n]);
    }
    set_lookups(w, forms, lookups, code);
}
