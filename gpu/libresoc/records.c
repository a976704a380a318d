/* Records: words to fields and back, and what is checked of them. */
#include "gpu/libresoc/records.h"

#include <math.h>
#include <stddef.h>

#include "gpu/record.h"
#include "util/bits.h"

#define UNIT "command processor"

/* ---- numbers ---- */

// clang-format off
#define IMAGE_FORMATS                                                                                         \
    FORMAT(R8G8B8A8_UNORM), FORMAT(B8G8R8A8_UNORM), FORMAT(B5G6R5_UNORM)
#define ATTRIBUTE_FORMATS                                                                                     \
    FORMAT(R32_FLOAT), FORMAT(R32G32_FLOAT), FORMAT(R32G32B32_FLOAT), FORMAT(R32G32B32A32_FLOAT),             \
    FORMAT(R8G8B8A8_UNORM), FORMAT(R8G8B8A8_SNORM), FORMAT(R16G16_UNORM), FORMAT(R16G16B16A16_SNORM),         \
    FORMAT(R16G16B16A16_FLOAT)
// clang-format on
#define FORMAT(name) RASTER_##name
static const enum raster_format image_formats[] = {IMAGE_FORMATS}, attribute_formats[] = {ATTRIBUTE_FORMATS};
#undef FORMAT
#define FORMAT(name) #name
GPU_NAMES(images, IMAGE_FORMATS);
GPU_NAMES(formats, ATTRIBUTE_FORMATS);
#undef FORMAT

enum raster_format libresoc_image_format(uint32_t number)
{
    return number < UTIL_ARRAY_SIZE(image_formats) ? image_formats[number] : RASTER_FORMAT_NONE;
}

enum raster_format libresoc_attribute_format(uint32_t number)
{
    return number < UTIL_ARRAY_SIZE(attribute_formats) ? attribute_formats[number] : RASTER_FORMAT_NONE;
}

/* As enum tiler_mode. */
GPU_NAMES(modes, "points", "lines", "line loop", "line strip", "triangles", "triangle strip", "triangle fan");
GPU_NAMES(indices, "none", "8 bits", "16 bits", "32 bits");
GPU_NAMES(functions, "never", "less", "equal", "less or equal", "greater", "not equal", "greater or equal",
          "always");

bool libresoc_draw_mode(uint32_t number, enum tiler_mode *out)
{
    *out = (enum tiler_mode)number;
    return number < modes->count;
}

const char *libresoc_stage_name(enum libresoc_stage_kind stage)
{
    static const char *const names[LIBRESOC_STAGES] = {"vertex program", "fragment program", "blend program"};
    return names[stage];
}

/* ---- fields ---- */

// clang-format off
#define ROW(of, name_, word, low, bits_, kind_, names_, what_)                                                \
    {.name = #name_, .what = (what_), .names = (names_), .at = (word) * 32 + (low), .bits = (bits_),          \
     GPU_RECORD_##kind_, .size = sizeof(((of *)NULL)->name_), .to = offsetof(of, name_)},
static const struct gpu_record_field frame_fields[] = {
#define FRAME(name, word, low, bits, kind, names, what) ROW(struct libresoc_frame_record, name, word, low, bits, kind, names, what)
#include "gpu/libresoc/records.inc"
};
static const struct gpu_record_field draw_fields[] = {
#define DRAW(name, word, low, bits, kind, names, what) ROW(struct libresoc_draw_record, name, word, low, bits, kind, names, what)
#include "gpu/libresoc/records.inc"
};
static const struct gpu_record_field program_fields[] = {
#define PROGRAM(name, word, low, bits, kind, names, what) ROW(struct libresoc_program_record, name, word, low, bits, kind, names, what)
#include "gpu/libresoc/records.inc"
};
static const struct gpu_record_field attribute_fields[] = {
#define ATTRIBUTE(name, word, low, bits, kind, names, what) ROW(struct libresoc_attribute_record, name, word, low, bits, kind, names, what)
#include "gpu/libresoc/records.inc"
};
#undef ROW
// clang-format on

static const struct {
    const struct gpu_record_field *fields;
    size_t count;
    uint32_t words;
} kinds[LIBRESOC_RECORDS] = {
    [LIBRESOC_FRAME] = {frame_fields, UTIL_ARRAY_SIZE(frame_fields), LIBRESOC_FRAME_WORDS},
    [LIBRESOC_DRAW] = {draw_fields, UTIL_ARRAY_SIZE(draw_fields), LIBRESOC_DRAW_OWN_WORDS},
    [LIBRESOC_PROGRAM] = {program_fields, UTIL_ARRAY_SIZE(program_fields), LIBRESOC_PROGRAM_WORDS},
    [LIBRESOC_ATTRIBUTE] = {attribute_fields, UTIL_ARRAY_SIZE(attribute_fields), LIBRESOC_ATTRIBUTE_WORDS},
};
_Static_assert(UTIL_ARRAY_SIZE(draw_fields) <= LIBRESOC_RECORD_FIELDS, "");

void libresoc_record_unpack(enum libresoc_record_kind kind, const uint32_t *words, void *out)
{
    gpu_record_store(kinds[kind].fields, kinds[kind].count, words, out);
}

void libresoc_record_pack(enum libresoc_record_kind kind, const void *in, uint32_t *words)
{
    for (size_t n = 0; n < kinds[kind].count; n++) {
        const struct gpu_record_field *f = &kinds[kind].fields[n];
        const uint8_t *from = (const uint8_t *)in + f->to;
        if (f->bits == 64) {
            memcpy(&words[f->at / 32], from, 8);
            continue;
        }
        const uint32_t mask = (uint32_t)((1ull << f->bits) - 1) << f->at % 32;
        words[f->at / 32] = (words[f->at / 32] & ~mask) | (util_load32(from) << f->at % 32 & mask);
    }
}

unsigned libresoc_record_list(enum libresoc_record_kind kind, const uint32_t *words, struct gpu_field *out)
{
    return gpu_record_list(kinds[kind].fields, kinds[kind].count, words, out);
}

/* ---- reading ---- */

static bool bad(struct gpu_fault *fault, uint64_t address, const char *what)
{
    return gpu_fault_set(fault, GPU_FAULT_PACKET, UNIT, address, "%s", what);
}

/* The record's words, which begin with its mark (0: it has none); no bit without a row is set. */
static bool take(const struct gpu_memory *memory, uint64_t address, enum libresoc_record_kind kind,
                 const char *name, uint32_t mark, uint32_t *words, struct gpu_fault *fault)
{
    const uint32_t count = kinds[kind].words;
    const uint8_t *at = gpu_memory_at(memory, address, count * 4ull);
    uint32_t known[LIBRESOC_DRAW_OWN_WORDS] = {0};
    if (!at)
        return gpu_fault_set(fault, GPU_FAULT_MEMORY, UNIT, address, "the record of %s is not in memory",
                             name);
    memcpy(words, at, count * 4ull);
    if (mark && *words != mark)
        return gpu_fault_set(fault, GPU_FAULT_PACKET, UNIT, address,
                             "the record of %s does not begin with its mark", name);
    for (size_t n = 0; n < kinds[kind].count; n++) {
        const struct gpu_record_field *f = &kinds[kind].fields[n];
        known[f->at / 32] |= (uint32_t)((1ull << UTIL_MIN(f->bits, 32)) - 1) << f->at % 32;
        if (f->bits == 64)
            known[f->at / 32 + 1] = UINT32_MAX;
    }
    for (uint32_t n = 0; n < count; n++)
        if (words[n] & ~known[n])
            return gpu_fault_set(fault, GPU_FAULT_PACKET, UNIT, address + n * 4ull,
                                 "0x%08x in word %u of the record of %s: reserved bits are set", words[n], n,
                                 name);
    return true;
}

bool libresoc_frame_read(const struct gpu_memory *memory, uint64_t address, struct libresoc_frame_record *out,
                         struct gpu_fault *fault)
{
    uint32_t words[LIBRESOC_FRAME_WORDS];
    if (address & 3)
        return bad(fault, address, "the record of a frame is not aligned to 4 bytes");
    if (!take(memory, address, LIBRESOC_FRAME, "a frame", LIBRESOC_FRAME_MARK, words, fault))
        return false;
    libresoc_record_unpack(LIBRESOC_FRAME, words, out);
    if (!out->width || !out->height || out->width > LIBRESOC_SIDE || out->height > LIBRESOC_SIDE)
        return gpu_fault_set(fault, GPU_FAULT_PACKET, UNIT, address, "a frame of %ux%u pixels", out->width,
                             out->height);
    if (out->draw_count > LIBRESOC_DRAWS)
        return gpu_fault_set(fault, GPU_FAULT_PACKET, UNIT, address, "%u draws are more than %u",
                             out->draw_count, LIBRESOC_DRAWS);
    if (!libresoc_image_format(out->color_format))
        return bad(fault, address, "no image of colours has this format");
    if (out->load_depth && !out->depth)
        return bad(fault, address, "depths are to be loaded, and there is no image of them");
    return (out->clear_depth >= 0 && out->clear_depth <= 1) ||
           bad(fault, address, "tiles are cleared to a depth that is not from 0 to 1");
}

static bool are_finite(const float *numbers, unsigned count)
{
    for (unsigned n = 0; n < count; n++)
        if (!isfinite(numbers[n]))
            return false;
    return true;
}

static bool check_draw(const struct libresoc_draw_record *d, uint64_t address, struct gpu_fault *fault)
{
    const float numbers[] = {d->scale_x,     d->scale_y, d->scale_z,       d->translate_x, d->translate_y,
                             d->translate_z, d->size,    d->offset_factor, d->offset_units};
    enum tiler_mode mode;
    if (!libresoc_draw_mode(d->mode, &mode))
        return gpu_fault_set(fault, GPU_FAULT_PACKET, UNIT, address, "draw mode %u is not known", d->mode);
    if (d->attribute_count > LIBRESOC_ATTRIBUTES || d->varying_count > LIBRESOC_VARYINGS)
        return gpu_fault_set(fault, GPU_FAULT_PACKET, UNIT, address,
                             "%u attributes, or %u varyings, are too many", d->attribute_count,
                             d->varying_count);
    if ((uint64_t)d->vertex_count * d->instance_count > LIBRESOC_VERTICES ||
        (uint64_t)d->count * d->instance_count > LIBRESOC_INDICES)
        return gpu_fault_set(fault, GPU_FAULT_PACKET, UNIT, address,
                             "%u vertices, or %u indices, of %u instances are too many", d->vertex_count,
                             d->count, d->instance_count);
    if (!d->index_type && d->count > d->vertex_count)
        return gpu_fault_set(fault, GPU_FAULT_PACKET, UNIT, address, "%u of %u vertices are drawn", d->count,
                             d->vertex_count);
    return are_finite(numbers, UTIL_ARRAY_SIZE(numbers)) ||
           bad(fault, address, "a draw has a number that is none");
}

bool libresoc_draw_read(const struct gpu_memory *memory, uint64_t address, struct libresoc_draw_record *out,
                        struct gpu_fault *fault)
{
    uint32_t words[LIBRESOC_DRAW_OWN_WORDS];
    if (!take(memory, address, LIBRESOC_DRAW, "a draw", LIBRESOC_DRAW_MARK, words, fault))
        return false;
    libresoc_record_unpack(LIBRESOC_DRAW, words, out);
    if (!check_draw(out, address, fault))
        return false;
    for (unsigned n = 0; n < LIBRESOC_STAGES; n++) {
        const uint64_t at = address + (LIBRESOC_DRAW_OWN_WORDS + n * LIBRESOC_PROGRAM_WORDS) * 4ull;
        if (!take(memory, at, LIBRESOC_PROGRAM, "a program", 0, words, fault))
            return false;
        libresoc_record_unpack(LIBRESOC_PROGRAM, words, &out->stage[n]);
    }
    return true;
}

bool libresoc_attribute_read(const struct gpu_memory *memory, uint64_t address,
                             struct libresoc_attribute_record *out, struct gpu_fault *fault)
{
    uint32_t words[LIBRESOC_ATTRIBUTE_WORDS];
    if (!take(memory, address, LIBRESOC_ATTRIBUTE, "an attribute", 0, words, fault))
        return false;
    libresoc_record_unpack(LIBRESOC_ATTRIBUTE, words, out);
    if (!libresoc_attribute_format(out->format))
        return bad(fault, address, "no attribute has this format");
    return (out->components && out->components <= 4) ||
           bad(fault, address, "an attribute has 1 to 4 components");
}
