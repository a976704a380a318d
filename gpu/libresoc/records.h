/* Records of frames and draws in guest memory (records.inc), read once into private memory and checked for what makes no sense by
 * itself. A draw is its own fields, and behind them the program of each stage.
 *
 * Addresses are 64 bits; where nothing stands is found out by who goes there. */
#ifndef VITRAIL_GPU_LIBRESOC_RECORDS_H
#define VITRAIL_GPU_LIBRESOC_RECORDS_H

#include "gpu/fault.h"
#include "gpu/field.h"
#include "gpu/memory.h"
#include "raster/texture/texel.h"
#include "tiler/assemble.h"

#define LIBRESOC_FRAME_MARK 0x52465653u /* "SVFR" */
#define LIBRESOC_DRAW_MARK  0x52445653u /* "SVDR" */

#define LIBRESOC_FRAME_WORDS     20u
#define LIBRESOC_DRAW_OWN_WORDS  24u
#define LIBRESOC_PROGRAM_WORDS   8u
#define LIBRESOC_DRAW_WORDS      (LIBRESOC_DRAW_OWN_WORDS + 3 * LIBRESOC_PROGRAM_WORDS)
#define LIBRESOC_ATTRIBUTE_WORDS 8u

#define LIBRESOC_SIDE         4096u      /* pixels of a frame, at most */
#define LIBRESOC_DRAWS        65536u     /* of a frame */
#define LIBRESOC_VERTICES     (1u << 24) /* of a draw, of all its instances */
#define LIBRESOC_INDICES      (1u << 28) /* likewise */
#define LIBRESOC_ATTRIBUTES   16u        /* of a draw: 64 streams */
#define LIBRESOC_VARYINGS     60u        /* with x, y, z, w 64 streams */
#define LIBRESOC_PROGRAM_MOST 65536u     /* halfwords of a program */

enum libresoc_stage_kind { LIBRESOC_VERTEX, LIBRESOC_FRAGMENT, LIBRESOC_BLEND, LIBRESOC_STAGES };

// clang-format off
#define LIBRESOC_MEMBER_UINT    uint32_t
#define LIBRESOC_MEMBER_HEX     uint32_t
#define LIBRESOC_MEMBER_FLAG    uint32_t
#define LIBRESOC_MEMBER_NAME    uint32_t
#define LIBRESOC_MEMBER_FLOAT   float
#define LIBRESOC_MEMBER_ADDRESS uint64_t

struct libresoc_frame_record {
#define FRAME(name, word, low, bits, kind, names, what) LIBRESOC_MEMBER_##kind name;
#include "gpu/libresoc/records.inc"
};

struct libresoc_program_record {
#define PROGRAM(name, word, low, bits, kind, names, what) LIBRESOC_MEMBER_##kind name;
#include "gpu/libresoc/records.inc"
};

struct libresoc_draw_record {
#define DRAW(name, word, low, bits, kind, names, what) LIBRESOC_MEMBER_##kind name;
#include "gpu/libresoc/records.inc"
    struct libresoc_program_record stage[LIBRESOC_STAGES];
};

struct libresoc_attribute_record {
#define ATTRIBUTE(name, word, low, bits, kind, names, what) LIBRESOC_MEMBER_##kind name;
#include "gpu/libresoc/records.inc"
};
// clang-format on

/* A kind of record as it stands in memory. */
enum libresoc_record_kind {
    LIBRESOC_FRAME,
    LIBRESOC_DRAW,
    LIBRESOC_PROGRAM,
    LIBRESOC_ATTRIBUTE,
    LIBRESOC_RECORDS
};
#define LIBRESOC_RECORD_FIELDS 40u /* of a kind, at most */

/* Words to the struct of the kind and back; bits without a row are left. A draw without its programs. */
void libresoc_record_unpack(enum libresoc_record_kind kind, const uint32_t *words, void *out);
void libresoc_record_pack(enum libresoc_record_kind kind, const void *in, uint32_t *words);
/* Its fields for listings, at most LIBRESOC_RECORD_FIELDS; how many. */
unsigned libresoc_record_list(enum libresoc_record_kind kind, const uint32_t *words, struct gpu_field *out);

/* Read and checked. False and *fault: not in memory, or no such record. */
bool libresoc_frame_read(const struct gpu_memory *memory, uint64_t address, struct libresoc_frame_record *out,
                         struct gpu_fault *fault);
bool libresoc_draw_read(const struct gpu_memory *memory, uint64_t address, struct libresoc_draw_record *out,
                        struct gpu_fault *fault);
bool libresoc_attribute_read(const struct gpu_memory *memory, uint64_t address,
                             struct libresoc_attribute_record *out, struct gpu_fault *fault);

/* Numbers of records: RASTER_FORMAT_NONE for those that have no format. */
enum raster_format libresoc_image_format(uint32_t number);
enum raster_format libresoc_attribute_format(uint32_t number);
/* Primitives of DRAW's mode; false: there are none such. */
bool libresoc_draw_mode(uint32_t number, enum tiler_mode *out);
/* "vertex program", ... */
const char *libresoc_stage_name(enum libresoc_stage_kind stage);

#endif
