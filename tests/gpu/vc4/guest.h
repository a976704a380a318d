/* A small guest for tests of the vc4 device: memory, a bump allocator in it, programs assembled from text,
 * shader state records. Everything asserts. */
#ifndef VITRAIL_TESTS_GPU_VC4_GUEST_H
#define VITRAIL_TESTS_GPU_VC4_GUEST_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "gpu/vc4/device_internal.h"
#include "isa/vc4_qpu/asm.h"
#include "util/bits.h"

static struct gpu_memory guest_memory;
static uint32_t guest_top = 4096;

static inline uint32_t guest_alloc(uint32_t size, uint32_t align)
{
    uint32_t at = (uint32_t)util_align(guest_top, align);
    guest_top = at + size;
    assert_true(guest_top <= guest_memory.size);
    return at;
}

static inline uint32_t guest_copy(const void *bytes, uint32_t size, uint32_t align)
{
    uint32_t at = guest_alloc(size, align);
    memcpy(guest_memory.base + at, bytes, size);
    return at;
}

static inline uint32_t guest_program(const char *text)
{
    uint64_t *words = NULL;
    uint32_t count = 0;
    struct util_error error = {0};
    if (vc4_qpu_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s", error.text);
    uint32_t at = guest_copy(words, count * 8, 8);
    free(words);
    return at;
}

/* Reads `in` rows and writes them out again, then `extra` rows of zero. */
static inline uint32_t guest_copy_program(uint32_t in)
{
    char text[4096] = "ldi vw_setup, 0x1a00\n";
    size_t at = strlen(text);
    at += (size_t)snprintf(text + at, sizeof text - at, "ldi vr_setup, 0x%x\nnop\nnop\nnop\n",
                           0x1a00 | (in & 15) << 20);
    for (uint32_t i = 0; i < in; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "mov vpm, vpm\n");
    snprintf(text + at, sizeof text - at, "nop ; thrend\nnop\nnop\n");
    return guest_program(text);
}

struct guest_attribute {
    uint32_t address, bytes, stride, vs_offset, cs_offset;
};

struct guest_shader {
    uint32_t flags; /* 1 single threaded, 2 point size, 4 clipping */
    uint32_t varyings, fs, fs_uniforms, vs, vs_uniforms, cs, cs_uniforms;
    uint32_t attribute_count;
    struct guest_attribute attribute[8];
};

static inline uint32_t guest_shader_record(const struct guest_shader *s)
{
    uint8_t record[36 + 8 * 8] = {0};
    uint32_t select = (1u << s->attribute_count) - 1;
    record[0] = (uint8_t)s->flags;
    record[3] = (uint8_t)s->varyings;
    util_store32(record + 4, s->fs);
    util_store32(record + 8, s->fs_uniforms);
    record[14] = (uint8_t)select;
    util_store32(record + 16, s->vs);
    util_store32(record + 20, s->vs_uniforms);
    record[26] = (uint8_t)select;
    util_store32(record + 28, s->cs);
    util_store32(record + 32, s->cs_uniforms);
    for (uint32_t i = 0; i < s->attribute_count; i++) {
        uint8_t *a = record + 36 + i * 8;
        util_store32(a, s->attribute[i].address);
        a[4] = (uint8_t)(s->attribute[i].bytes - 1);
        a[5] = (uint8_t)s->attribute[i].stride;
        a[6] = (uint8_t)s->attribute[i].vs_offset;
        a[7] = (uint8_t)s->attribute[i].cs_offset;
    }
    return guest_copy(record, 36 + s->attribute_count * 8, 16);
}

#define GUEST_END "nop ; thrend\nnop\nnop\n"

#endif
