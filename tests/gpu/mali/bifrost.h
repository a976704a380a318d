/* Jobs of v6 and v7 with descriptors of their own: words where the hardware has them, programs as text. Included by
 * tests/gpu/mali/test_*.c. */
#ifndef VITRAIL_TESTS_GPU_MALI_BIFROST_H
#define VITRAIL_TESTS_GPU_MALI_BIFROST_H

#include <stdio.h>

#include "gpu/mali/device_internal.h"
#include "isa/bifrost/asm.h"
#include "tests/gpu/mali/pack.h"
#include "tests/gpu/mali/ways.h"

enum {
    BIF_JOB = 0x100000,
    BIF_STATE = 0x101000,     /* of the programs */
    BIF_FRAGMENTS = 0x101200, /* of none */
    BIF_STORAGE = 0x101400,
    BIF_VIEWPORT = 0x101500,
    BIF_UNIFORMS = 0x101600,
    BIF_ATTRIBUTES = 0x102000,
    BIF_ATTRIBUTE_BUFFERS = 0x102200,
    BIF_VARYINGS = 0x102400,
    BIF_VARYING_BUFFERS = 0x102600,
    BIF_CONTEXT = 0x103000,
    BIF_HEAP_AT = 0x103100,
    BIF_CODE = 0x110000, /* 4 KiB for each program */
    BIF_DATA = 0x200000,
    BIF_DATA_BYTES = 0x40000
};

struct bif {
    struct guest guest;
    enum mali_version version;
    uint8_t *descriptors, *code, *data;
};

static const enum mali_kind bif_kinds[] = {MALI_G72, MALI_G52};

static inline uint8_t *bif_at(struct bif *b, uint32_t address)
{
    return address >= BIF_DATA   ? b->data + (address - BIF_DATA)
           : address >= BIF_CODE ? b->code + (address - BIF_CODE)
                                 : b->descriptors + (address - BIF_JOB);
}

static inline void bif_set(struct bif *b, uint32_t address, const struct mali_desc *desc, const char *name,
                           uint64_t value)
{
    pack_set(bif_at(b, address), desc, b->version, name, value);
}

static inline uint32_t bif_word(struct bif *b, uint32_t address, uint32_t n)
{
    return util_load32(bif_at(b, address) + 4 * n);
}

/* An order of channels that changes nothing. */
static inline uint32_t bif_order(const struct bif *b)
{
    return b->version == MALI_V6 ? 0x688 : MALI_RGB_COMPONENT_ORDER_RGBA;
}

/* Program n. */
static inline void bif_program(struct bif *b, uint32_t n, const char *text)
{
    struct util_error error = {0};
    void *words;
    uint32_t count;
    if (bifrost_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s\n%s", error.text, text);
    memset(bif_at(b, BIF_CODE + n * 0x1000), 0, 0x1000);
    memcpy(bif_at(b, BIF_CODE + n * 0x1000), words, count * BIFROST_WORD_BYTES);
    free(words);
    bif_set(b, BIF_STATE, &mali_desc_state, n ? "secondary shader" : "shader", BIF_CODE + n * 0x1000);
}

/* A record of 16 bytes of a list of buffers. */
static inline void bif_buffer(struct bif *b, uint32_t at, uint32_t address, uint32_t stride, uint32_t size)
{
    bif_set(b, at, &mali_desc_buffer, "type", MALI_ATTRIBUTE_TYPE_1D);
    bif_set(b, at, &mali_desc_buffer, "pointer", address);
    bif_set(b, at, &mali_desc_buffer, "stride", stride);
    bif_set(b, at, &mali_desc_buffer, "size", size);
}

/* `threads` along y, `instances` along z. */
static inline void bif_invocations(struct bif *b, uint32_t threads, uint32_t instances)
{
    enum { BITS = 16 };
    const uint32_t at = BIF_JOB + 32;
    bif_set(b, at, &mali_desc_invocation, "invocations", (threads - 1) | (instances - 1) << BITS);
    bif_set(b, at, &mali_desc_invocation, "workgroups Z shift", BITS);
}

static inline uint32_t bif_section(const struct bif *b, uint32_t job_type, enum mali_section section)
{
    return BIF_JOB + mali_section_at(b->version, job_type, section);
}

/* A job whose section `of` is the draw of its programs. u0 is BIF_DATA. */
static inline void bif_begin(struct bif *b, enum mali_kind kind, uint32_t job_type, enum mali_section of)
{
    static const struct {
        const char *name;
        uint32_t address;
    } lists[] = {{"attribute buffers", BIF_ATTRIBUTE_BUFFERS},
                 {"attributes", BIF_ATTRIBUTES},
                 {"varying buffers", BIF_VARYING_BUFFERS},
                 {"varyings", BIF_VARYINGS},
                 {"push uniforms", BIF_UNIFORMS},
                 {"state", BIF_STATE},
                 {"thread storage", BIF_STORAGE}};
    memset(b, 0, sizeof *b);
    guest_create(&b->guest,
                 &(struct mali_options){.kind = kind, .gpu = {.engine = ways_engine, .pool = ways_pool}});
    b->version = b->guest.device->version;
    const uint32_t draw = bif_section(b, job_type, of);
    b->descriptors = guest_map(&b->guest, BIF_JOB, 0x4000, RIGHT_BOTH);
    b->code = guest_map(&b->guest, BIF_CODE, 0x4000, RIGHT_BOTH);
    b->data = guest_map(&b->guest, BIF_DATA, BIF_DATA_BYTES, RIGHT_BOTH);
    guest_flush_as(&b->guest, 0);
    bif_set(b, BIF_JOB, &mali_desc_job_header, "type", job_type);
    bif_set(b, BIF_JOB, &mali_desc_job_header, "is 64-bit", 1);
    bif_set(b, BIF_JOB, &mali_desc_job_header, "index", 1);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(lists); n++)
        bif_set(b, draw, &mali_desc_draw, lists[n].name, lists[n].address);
    bif_set(b, draw, &mali_desc_draw, "draw descriptor is 64-bit", 1);
    bif_set(b, BIF_STATE, &mali_desc_state, "preload uniform count", 1);
    util_store32(bif_at(b, BIF_UNIFORMS), BIF_DATA);
    util_store32(bif_at(b, BIF_STORAGE) + 4, 31);
}

static inline void bif_run(struct bif *b)
{
    uint32_t raw = guest_run(&b->guest, 1, BIF_JOB);
    guest_expect_no_fault(&b->guest);
    assert_int_equal(raw, 2);
}

/* The job ends with a fault whose text has `why`. */
static inline void bif_refused(struct bif *b, const char *why)
{
    assert_int_equal(guest_run(&b->guest, 1, BIF_JOB), 0x20000);
    const struct gpu_fault fault = guest_fault(&b->guest);
    if (!strstr(fault.text, why))
        fail_msg("\"%s\" and not \"%s\"", fault.text, why);
}

static inline void bif_end(struct bif *b)
{
    guest_destroy(&b->guest);
}

#endif
