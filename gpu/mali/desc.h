/* Descriptors in guest memory as the tables of descs.inc have them: a struct for each, its table for each version
 * of the hardware, and taking them out of memory. A descriptor is fetched once into private words and checked
 * there; nobody reads it in guest memory again. Internal to gpu/mali and its listings. */
#ifndef VITRAIL_GPU_MALI_DESC_H
#define VITRAIL_GPU_MALI_DESC_H

#include "gpu/mali/stop.h"
#include "gpu/record.h"

/* The columns of the tables. */
enum mali_version { MALI_V4, MALI_V5, MALI_V6, MALI_V7, MALI_V9, MALI_VERSION_COUNT };

/* Constants: MALI_JOB_TYPE_VERTEX, ... */
enum mali_value {
#define BEGIN(list)
#define VALUE(list, constant, value, name)     MALI_##constant = (value),
#define SOME(list, constant, value, name, ...) MALI_##constant = (value),
#define END(list)
#include "gpu/mali/values.inc"
};

/* Structs: a member a field, as wide as its kind needs. Addresses and what is shifted count bytes. */
#define MALI_TYPE_UINT           uint32_t
#define MALI_TYPE_UINT_SHL(n)    uint32_t
#define MALI_TYPE_COUNT          uint32_t
#define MALI_TYPE_LOG2           uint32_t
#define MALI_TYPE_PADDED         uint64_t
#define MALI_TYPE_SINT           int32_t
#define MALI_TYPE_HEX            uint32_t
#define MALI_TYPE_UINT64         uint64_t
#define MALI_TYPE_HEX64          uint64_t
#define MALI_TYPE_FLAG           bool
#define MALI_TYPE_NAME(list)     uint32_t
#define MALI_TYPE_ENUM(list)     uint32_t
#define MALI_TYPE_FLOAT          float
#define MALI_TYPE_FIXED8         uint32_t /* of 256 */
#define MALI_TYPE_SFIXED8        int32_t
#define MALI_TYPE_ADDRESS        uint64_t
#define MALI_TYPE_ADDRESS_SHL(n) uint64_t

#define BEGIN(desc, text, ...)                      struct mali_##desc {
#define FIELD(desc, member, text, kind, bits_, ...) MALI_TYPE_##kind member;
#define ALSO(...)
#define END(desc)                                                                                            \
    }                                                                                                        \
    ;
#include "gpu/mali/descs.inc"

/* Words of a descriptor of v9: MALI_V9_WORDS_entry, ... */
enum {
#define BEGIN(desc, text, v4, v5, v6, v7, v9) MALI_V9_WORDS_##desc = (v9) / 4,
#define FIELD(...)
#define END(desc)
#include "gpu/mali/descs.inc"
};

#define MALI_DESC_WORDS  48u  /* of the largest */
#define MALI_DESC_FIELDS 128u /* of the one with most */

struct mali_desc {
    const char *name;                                          /* static */
    uint32_t size;                                             /* of its struct */
    uint32_t bytes[MALI_VERSION_COUNT];                        /* 0: the version has none */
    const struct gpu_record_field *fields[MALI_VERSION_COUNT]; /* those that the version has */
    uint32_t count[MALI_VERSION_COUNT];
    /* Code made of the same rows: into the struct; whether no value is reserved. */
    void (*unpack[MALI_VERSION_COUNT])(const uint32_t *words, void *out);
    bool (*is_valid[MALI_VERSION_COUNT])(const uint32_t *words);
    /* Out of guest memory: the words are copied, and unpacked if no value is reserved; false: one is. */
    bool (*take[MALI_VERSION_COUNT])(const uint8_t *at, uint32_t *words, void *out);
};

/* Tables: mali_desc_draw, ... */
#define BEGIN(desc, text, ...) extern const struct mali_desc mali_desc_##desc;
#define FIELD(...)
#define END(desc)
#include "gpu/mali/descs.inc"

/* Who reads descriptors. */
struct mali_reader {
    const struct gpu_space *space;
    enum mali_version version;
    const char *unit;  /* in faults; static */
    uint64_t *packets; /* may still be read, each descriptor is one; NULL: any number */
};

/* Into the descriptor's struct. False and *stop: memory, a value that is reserved (DATA_INVALID_FAULT), no budget,
 * or a descriptor that the version lacks. Members of fields that the version lacks are 0. */
bool mali_desc_read(const struct mali_reader *reader, const struct mali_desc *desc, uint64_t address,
                    void *out, struct mali_stop *stop);
/* The words alone, and the struct of words that are there. */
bool mali_desc_fetch(const struct mali_reader *reader, const struct mali_desc *desc, uint64_t address,
                     uint32_t words[MALI_DESC_WORDS], struct mali_stop *stop);
/* The words of `count` that stand one behind the other, without room between them; each is one of the budget. False,
 * and nothing is read: not all of them may be, and who asks one by one hears which. */
bool mali_desc_fetch_row(const struct mali_reader *reader, const struct mali_desc *desc, uint64_t address,
                         uint32_t count, uint32_t *words);
/* What mali_desc_read does, of words that were fetched from `address`. */
bool mali_desc_take(const struct mali_reader *reader, const struct mali_desc *desc, uint64_t address,
                    const uint32_t *words, void *out, struct mali_stop *stop);
void mali_desc_unpack(const struct mali_desc *desc, enum mali_version version, const uint32_t *words,
                      void *out);
/* A field whose value is none of its list; NULL: there is none. */
const struct gpu_record_field *mali_desc_reserved(const struct mali_desc *desc, enum mali_version version,
                                                  const uint32_t *words);
/* For listings: those that are not 0, and names. How many, at most MALI_DESC_FIELDS. */
unsigned mali_desc_list(const struct mali_desc *desc, enum mali_version version, const uint32_t *words,
                        struct gpu_field out[MALI_DESC_FIELDS]);

#endif
