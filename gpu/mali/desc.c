/* Descriptors as their tables have them. */
#include "gpu/mali/desc.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "util/bits.h"

/* ---- names of values ---- */

#define BEGIN(list)                        static const char *const list##_words[] = {
#define VALUE(list, constant, value, name) [value] = (name),
#define END(list)                                                                                            \
    }                                                                                                        \
    ;                                                                                                        \
    static const struct gpu_names list##_names = {UTIL_ARRAY_SIZE(list##_words), list##_words};
#include "gpu/mali/enums.inc"
#include "gpu/mali/formats.inc"
#undef BEGIN
#undef VALUE
#undef END

/* ---- fields ---- */

#define KIND_UINT           .kind = GPU_FIELD_UINT
#define KIND_UINT_SHL(n)    .kind = GPU_FIELD_UINT, .shift = (n)
#define KIND_COUNT          .kind = GPU_FIELD_UINT, .add = 1
#define KIND_LOG2           .kind = GPU_FIELD_UINT, .coding = GPU_RECORD_POWER
#define KIND_PADDED         .kind = GPU_FIELD_UINT, .coding = GPU_RECORD_PADDED
#define KIND_SINT           .kind = GPU_FIELD_INT, .is_signed = true
#define KIND_HEX            .kind = GPU_FIELD_HEX
#define KIND_FLAG           .kind = GPU_FIELD_FLAG
#define KIND_NAME(list)     .kind = GPU_FIELD_NAME, .names = &list##_names, .always = true
#define KIND_ENUM(list)     .kind = GPU_FIELD_NAME, .names = &list##_names
#define KIND_FLOAT          .kind = GPU_FIELD_FLOAT
#define KIND_FIXED8         .kind = GPU_FIELD_FLOAT, .fraction = 8
#define KIND_SFIXED8        .kind = GPU_FIELD_FLOAT, .fraction = 8, .is_signed = true
#define KIND_ADDRESS        .kind = GPU_FIELD_HEX, .digits = 8
#define KIND_ADDRESS_SHL(n) .kind = GPU_FIELD_HEX, .digits = 8, .shift = (n)

/* A place in a column. */
#define W(word, low) ((word) * 32 + (low))
#define NONE         (-1)

#define INITIAL(desc, member, text, place, width, kind_)                                                     \
    {.name = (text),                                                                                         \
     .at = (place) < 0 ? 0 : (place),                                                                        \
     .bits = (place) < 0 ? 0 : (width),                                                                      \
     .to = offsetof(struct mali_##desc, member),                                                             \
     .size = sizeof(((struct mali_##desc *)NULL)->member),                                                   \
     KIND_##kind_}
#define ROW(desc, member, text, place, width, kind_) INITIAL(desc, member, text, place, width, kind_),

#define BEGIN(desc, text, v4, v5)                        static const struct gpu_record_field desc##_v4[] = {
#define FIELD(desc, member, text, kind, width, at4, at5) ROW(desc, member, text, at4, width, kind)
#define END(desc)                                                                                            \
    }                                                                                                        \
    ;
#include "gpu/mali/desc_job.inc"
#include "gpu/mali/desc_frame.inc"
#undef BEGIN
#undef FIELD

#define BEGIN(desc, text, v4, v5)                        static const struct gpu_record_field desc##_v5[] = {
#define FIELD(desc, member, text, kind, width, at4, at5) ROW(desc, member, text, at5, width, kind)
#include "gpu/mali/desc_job.inc"
#include "gpu/mali/desc_frame.inc"
#undef BEGIN
#undef FIELD
#undef END

/* ---- code of the rows ---- */

/* `f` is a constant: of a row that a version lacks nothing is left. */
__attribute__((always_inline)) static inline bool is_meant(const struct gpu_record_field f,
                                                           const uint32_t *words)
{
    if (f.kind != GPU_FIELD_NAME || !f.always || !f.bits)
        return true;
    const uint64_t value = gpu_record_number(&f, words);
    return value < f.names->count && f.names->name[value];
}

#define ROW_OF(desc, member, text, place, width, kind_)                                                      \
    (const struct gpu_record_field) INITIAL(desc, member, text, place, width, kind_)
#define STORE(desc, member, text, place, width, kind)                                                        \
    {                                                                                                        \
        const struct gpu_record_field f = ROW_OF(desc, member, text, place, width, kind);                    \
        gpu_record_store_one(&f, words, out);                                                                \
    }
#define UNPACK(desc, version)                                                                                \
    static void desc##_unpack_##version(const uint32_t *words, void *out)                                    \
    {                                                                                                        \
        memset(out, 0, sizeof(struct mali_##desc));
#define IS_VALID(desc, version)                                                                              \
    static bool desc##_is_valid_##version(const uint32_t *words)                                             \
    {                                                                                                        \
        return true

#define BEGIN(desc, text, v4, v5)                        UNPACK(desc, of_v4)
#define FIELD(desc, member, text, kind, width, at4, at5) STORE(desc, member, text, at4, width, kind)
#define END(desc)                                        }
#include "gpu/mali/desc_job.inc"
#include "gpu/mali/desc_frame.inc"
#undef BEGIN
#undef FIELD

#define BEGIN(desc, text, v4, v5)                        UNPACK(desc, of_v5)
#define FIELD(desc, member, text, kind, width, at4, at5) STORE(desc, member, text, at5, width, kind)
#include "gpu/mali/desc_job.inc"
#include "gpu/mali/desc_frame.inc"
#undef BEGIN
#undef FIELD
#undef END

#define BEGIN(desc, text, v4, v5) IS_VALID(desc, of_v4)
#define FIELD(desc, member, text, kind, width, at4, at5)                                                     \
    &&is_meant(ROW_OF(desc, member, text, at4, width, kind), words)
#define END(desc)                                                                                            \
    ;                                                                                                        \
    }
#include "gpu/mali/desc_job.inc"
#include "gpu/mali/desc_frame.inc"
#undef BEGIN
#undef FIELD

#define BEGIN(desc, text, v4, v5) IS_VALID(desc, of_v5)
#define FIELD(desc, member, text, kind, width, at4, at5)                                                     \
    &&is_meant(ROW_OF(desc, member, text, at5, width, kind), words)
#include "gpu/mali/desc_job.inc"
#include "gpu/mali/desc_frame.inc"
#undef BEGIN
#undef FIELD
#undef END

#define BEGIN(desc, text, v4, v5)                                                                            \
    const struct mali_desc mali_desc_##desc = {text,                                                         \
                                               sizeof(struct mali_##desc),                                   \
                                               {v4, v5},                                                     \
                                               {desc##_v4, desc##_v5},                                       \
                                               UTIL_ARRAY_SIZE(desc##_v4),                                   \
                                               {desc##_unpack_of_v4, desc##_unpack_of_v5},                   \
                                               {desc##_is_valid_of_v4, desc##_is_valid_of_v5}};
#define FIELD(desc, member, text, kind, width, at4, at5)
#define END(desc) _Static_assert(UTIL_ARRAY_SIZE(desc##_v4) <= MALI_DESC_FIELDS, "listings have room");
#include "gpu/mali/desc_job.inc"
#include "gpu/mali/desc_frame.inc"
#undef BEGIN
#undef FIELD
#undef END

/* ---- reading ---- */

bool mali_desc_fetch(const struct mali_reader *reader, const struct mali_desc *desc, uint64_t address,
                     uint32_t words[MALI_DESC_WORDS], struct mali_stop *stop)
{
    uint32_t bytes = desc->bytes[reader->version];
    if (reader->packets && !*reader->packets)
        return mali_stop_set(stop, MALI_ACTIVE, GPU_FAULT_TIMEOUT, reader->unit, address,
                             "the job's packet budget is used up");
    if (reader->packets)
        --*reader->packets;
    const uint8_t *at =
        mali_at(reader->space, address, bytes, GPU_RIGHT_READ, reader->unit, desc->name, stop);
    if (!at)
        return false;
    memcpy(words, at, bytes);
    return true;
}

void mali_desc_unpack(const struct mali_desc *desc, enum mali_version version, const uint32_t *words,
                      void *out)
{
    desc->unpack[version](words, out);
}

const struct gpu_record_field *mali_desc_reserved(const struct mali_desc *desc, enum mali_version version,
                                                  const uint32_t *words)
{
    for (uint32_t n = 0; n < desc->count; n++) {
        const struct gpu_record_field *f = &desc->fields[version][n];
        if (f->kind != GPU_FIELD_NAME || !f->always || !f->bits)
            continue;
        uint64_t value = gpu_record_wide(f, words);
        if (value >= f->names->count || !f->names->name[value])
            return f;
    }
    return NULL;
}

bool mali_desc_read(const struct mali_reader *reader, const struct mali_desc *desc, uint64_t address,
                    void *out, struct mali_stop *stop)
{
    uint32_t words[MALI_DESC_WORDS];
    if (!mali_desc_fetch(reader, desc, address, words, stop))
        return false;
    if (!desc->is_valid[reader->version](words)) {
        const struct gpu_record_field *bad = mali_desc_reserved(desc, reader->version, words);
        return mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_PACKET, reader->unit, address,
                             "%s: %s is %" PRIu64 ", which means nothing", desc->name, bad->name,
                             gpu_record_wide(bad, words));
    }
    mali_desc_unpack(desc, reader->version, words, out);
    return true;
}

unsigned mali_desc_list(const struct mali_desc *desc, enum mali_version version, const uint32_t *words,
                        struct gpu_field out[MALI_DESC_FIELDS])
{
    return gpu_record_list(desc->fields[version], desc->count, words, out);
}
