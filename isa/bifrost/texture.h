/* Bits and values of TEXC's descriptors (texture.inc). */
#ifndef VITRAIL_ISA_BIFROST_TEXTURE_H
#define VITRAIL_ISA_BIFROST_TEXTURE_H

#include "util/bits.h"

/* TEXC_SINGLE_OP_AT, TEXC_SINGLE_OP_BITS, TEXC_OP_FETCH, TEXC_FORMAT_F16, ... */
enum {
#define SINGLE(name, lo, count)                  TEXC_SINGLE_##name##_AT = (lo), TEXC_SINGLE_##name##_BITS = (count),
#define DUAL(name, lo, count)                    TEXC_DUAL_##name##_AT = (lo), TEXC_DUAL_##name##_BITS = (count),
#define VALUE(name, value)                       TEXC_##name = (value),
#define FORMAT(value, name, type, halves, clamp) TEXC_FORMAT_##name = (value),
#include "isa/bifrost/texture.inc"
};
#define TEXC_GET(word, form, name)                                                                           \
    ((uint32_t)util_bits(word, TEXC_##form##_##name##_AT, TEXC_##form##_##name##_BITS))

enum bifrost_texc_register {
#define DREG(name) TEXC_DREG_##name,
#include "isa/bifrost/texture.inc"
    TEXC_DREGS
};

#endif
