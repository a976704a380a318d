/* Descriptors as their tables have them. */
#include "gpu/mali/desc.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "util/bits.h"

/* ---- fields ---- */

#define KIND_UINT           .kind = GPU_FIELD_UINT
#define KIND_UINT_SHL(n)    .kind = GPU_FIELD_UINT, .shift = (n)
#define KIND_COUNT          .kind = GPU_FIELD_UINT, .add = 1
#define KIND_LOG2           .kind = GPU_FIELD_UINT, .coding = GPU_RECORD_POWER
#define KIND_PADDED         .kind = GPU_FIELD_UINT, .coding = GPU_RECORD_PADDED
#define KIND_SINT           .kind = GPU_FIELD_INT, .is_signed = true
#define KIND_HEX            .kind = GPU_FIELD_HEX
#define KIND_UINT64         .kind = GPU_FIELD_UINT
#define KIND_HEX64          .kind = GPU_FIELD_HEX
#define KIND_FLAG           .kind = GPU_FIELD_FLAG
#define KIND_NAME(list)     .kind = GPU_FIELD_NAME, .names = &OF(list##_names), .always = true
#define KIND_ENUM(list)     .kind = GPU_FIELD_NAME, .names = &OF(list##_names)
#define KIND_FLOAT          .kind = GPU_FIELD_FLOAT
#define KIND_FIXED8         .kind = GPU_FIELD_FLOAT, .fraction = 8
#define KIND_SFIXED8        .kind = GPU_FIELD_FLOAT, .fraction = 8, .is_signed = true
#define KIND_ADDRESS        .kind = GPU_FIELD_HEX, .digits = 8
#define KIND_ADDRESS_SHL(n) .kind = GPU_FIELD_HEX, .digits = 8, .shift = (n)

#define INITIAL(place, desc, member, text, kind_, width)                                                     \
    {.name = (text),                                                                                         \
     .at = (place),                                                                                          \
     .bits = (width),                                                                                        \
     .to = offsetof(struct mali_##desc, member),                                                             \
     .size = sizeof(((struct mali_##desc *)NULL)->member),                                                   \
     KIND_##kind_}

/* Rows of a member keep its type. */
#define BEGIN(desc, text, ...)
#define FIELD(desc, member, text, kind, width, ...)                                                          \
    _Static_assert(                                                                                          \
        __builtin_types_compatible_p(__typeof__(((struct mali_##desc *)NULL)->member), MALI_TYPE_##kind),    \
        #desc "'s " #member);
#define END(desc)
#include "gpu/mali/descs.inc"

/* ---- what is made of a row ---- */

#define ROW(place, desc, member, text, kind, width) INITIAL(place, desc, member, text, kind, width),
#define ROW_OF(...)                                 (const struct gpu_record_field) INITIAL(__VA_ARGS__)
#define STORE(...)                                                                                           \
    {                                                                                                        \
        const struct gpu_record_field f = ROW_OF(__VA_ARGS__);                                               \
        gpu_record_store_one(&f, words, out);                                                                \
    }
#define AND_MEANT(...) &&is_meant(ROW_OF(__VA_ARGS__), words)

__attribute__((always_inline)) static inline bool is_meant(const struct gpu_record_field f,
                                                           const uint32_t *words)
{
    if (f.kind != GPU_FIELD_NAME || !f.always)
        return true;
    const uint64_t value = gpu_record_number(&f, words);
    return value < f.names->count && (f.names->dense || f.names->name[value]);
}

/* WHERE(what a column says, make, ..): make(place, ..) for W(word, low bit) and for IS, nothing for NONE. */
#define PLACE_W(word, low)           make_at, (word) * 32 + (low)
#define PLACE_IS                     make_at, 0
#define PLACE_NONE                   make_none, 0
#define DO_make_at(place, make, ...) make(place, __VA_ARGS__)
#define DO_make_none(place, make, ...)
#define WHERE__(how, ...)         DO_##how(__VA_ARGS__)
#define WHERE_(...)               WHERE__(__VA_ARGS__)
#define WHERE(column, ...)        WHERE_COLUMN(column, __VA_ARGS__)
#define WHERE_COLUMN(column, ...) WHERE_(PLACE_##column, __VA_ARGS__)

/* ---- versions ---- */

#define VERSION                v4
#define AT(v4, v5, v6, v7, v9) v4
#include "gpu/mali/desc_version.inc"
#define VERSION                v5
#define AT(v4, v5, v6, v7, v9) v5
#include "gpu/mali/desc_version.inc"
#define VERSION                v6
#define AT(v4, v5, v6, v7, v9) v6
#include "gpu/mali/desc_version.inc"
#define VERSION                v7
#define AT(v4, v5, v6, v7, v9) v7
#include "gpu/mali/desc_version.inc"
#define VERSION                v9
#define AT(v4, v5, v6, v7, v9) v9
#include "gpu/mali/desc_version.inc"

#define EACH(make, name)                                                                                     \
    {make(name##_of_v4), make(name##_of_v5), make(name##_of_v6), make(name##_of_v7), make(name##_of_v9)}
#define BEGIN(desc, text, ...)                                                                               \
    const struct mali_desc mali_desc_##desc = {text,                                                         \
                                               sizeof(struct mali_##desc),                                   \
                                               {__VA_ARGS__},                                                \
                                               EACH(, desc##_rows),                                          \
                                               EACH(UTIL_ARRAY_SIZE, desc##_rows),                           \
                                               EACH(, desc##_unpack),                                        \
                                               EACH(, desc##_is_valid),                                      \
                                               EACH(, desc##_take)};
#define FIELD(...)
#define END(desc)
#include "gpu/mali/descs.inc"

/* ---- reading ---- */

/* Where it stands in guest memory, and paid for. NULL and *stop: it may not be read. */
static const uint8_t *find(const struct mali_reader *reader, const struct mali_desc *desc, uint64_t address,
                           struct mali_stop *stop)
{
    uint32_t bytes = desc->bytes[reader->version];
    if (!bytes) {
        mali_stop_set(stop, MALI_JOB_CONFIG_FAULT, GPU_FAULT_UNSUPPORTED, reader->unit, address,
                      "%s: this GPU has none", desc->name);
        return NULL;
    }
    if (reader->packets && !*reader->packets) {
        mali_stop_set(stop, MALI_ACTIVE, GPU_FAULT_TIMEOUT, reader->unit, address,
                      "the job's packet budget is used up");
        return NULL;
    }
    if (reader->packets)
        --*reader->packets;
    return mali_at(reader->space, address, bytes, GPU_RIGHT_READ, reader->unit, desc->name, stop);
}

bool mali_desc_fetch(const struct mali_reader *reader, const struct mali_desc *desc, uint64_t address,
                     uint32_t words[MALI_DESC_WORDS], struct mali_stop *stop)
{
    const uint8_t *at = find(reader, desc, address, stop);
    if (at)
        memcpy(words, at, desc->bytes[reader->version]);
    return at;
}

void mali_desc_unpack(const struct mali_desc *desc, enum mali_version version, const uint32_t *words,
                      void *out)
{
    desc->unpack[version](words, out);
}

const struct gpu_record_field *mali_desc_reserved(const struct mali_desc *desc, enum mali_version version,
                                                  const uint32_t *words)
{
    for (uint32_t n = 0; n < desc->count[version]; n++) {
        const struct gpu_record_field *f = &desc->fields[version][n];
        if (f->kind != GPU_FIELD_NAME || !f->always)
            continue;
        uint64_t value = gpu_record_wide(f, words);
        if (value >= f->names->count || !f->names->name[value])
            return f;
    }
    return NULL;
}

bool mali_desc_fetch_row(const struct mali_reader *reader, const struct mali_desc *desc, uint64_t address,
                         uint32_t count, uint32_t *words)
{
    const uint64_t bytes = (uint64_t)count * desc->bytes[reader->version];
    const uint8_t *at = !reader->packets || *reader->packets >= count
                            ? gpu_space_at(reader->space, address, bytes, GPU_RIGHT_READ)
                            : NULL;
    if (!at)
        return false;
    if (reader->packets)
        *reader->packets -= count;
    memcpy(words, at, (size_t)bytes);
    return true;
}

/* A value that is reserved. */
static bool means_nothing(const struct mali_reader *reader, const struct mali_desc *desc, uint64_t address,
                          const uint32_t *words, struct mali_stop *stop)
{
    const struct gpu_record_field *bad = mali_desc_reserved(desc, reader->version, words);
    return mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_PACKET, reader->unit, address,
                         "%s: %s is %" PRIu64 ", which means nothing", desc->name, bad->name,
                         gpu_record_wide(bad, words));
}

bool mali_desc_take(const struct mali_reader *reader, const struct mali_desc *desc, uint64_t address,
                    const uint32_t *words, void *out, struct mali_stop *stop)
{
    if (!desc->is_valid[reader->version](words))
        return means_nothing(reader, desc, address, words, stop);
    desc->unpack[reader->version](words, out);
    return true;
}

bool mali_desc_read(const struct mali_reader *reader, const struct mali_desc *desc, uint64_t address,
                    void *out, struct mali_stop *stop)
{
    uint32_t words[MALI_DESC_WORDS];
    const uint8_t *at = find(reader, desc, address, stop);
    return at &&
           (desc->take[reader->version](at, words, out) || means_nothing(reader, desc, address, words, stop));
}

unsigned mali_desc_list(const struct mali_desc *desc, enum mali_version version, const uint32_t *words,
                        struct gpu_field out[MALI_DESC_FIELDS])
{
    return gpu_record_list(desc->fields[version], desc->count[version], words, out);
}
