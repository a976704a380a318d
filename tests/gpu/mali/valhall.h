/* Jobs of v9 that run programs, with descriptors of their own: programs as text, tables of resources. Included by
 * tests/gpu/mali/test_*.c. */
#ifndef VITRAIL_TESTS_GPU_MALI_VALHALL_H
#define VITRAIL_TESTS_GPU_MALI_VALHALL_H

#include "gpu/mali/device_internal.h"
#include "isa/valhall/asm.h"
#include "tests/gpu/mali/pack.h"
#include "tests/gpu/mali/ways.h"

enum {
    V9_JOB = 0x100000,
    V9_PROGRAMS = 0x101000, /* descriptors, 32 bytes each */
    V9_STORAGE = 0x101400,
    V9_FAU = 0x101800,
    V9_TABLES = 0x102000,  /* of six */
    V9_ENTRIES = 0x103000, /* 512 bytes for each table */
    V9_CONTEXT = 0x104000,
    V9_HEAP_AT = 0x104100,
    V9_CODE = 0x110000, /* 4 KiB for each program */
    V9_DATA = 0x200000,
    V9_DATA_BYTES = 0x40000,
    V9_HEAP = 0x1000000,
    V9_HEAP_BYTES = 0x1000000
};

/* As the driver numbers them (Mesa's pan_ir.h). */
enum { V9_BUFFERS, V9_ATTRIBUTES, V9_ATTRIBUTE_BUFFERS, V9_SAMPLERS, V9_TEXTURES, V9_IMAGES, V9_TABLE_COUNT };

struct v9 {
    struct guest guest;
    uint8_t *descriptors, *code, *data;
};

static inline uint8_t *v9_at(struct v9 *v, uint32_t address)
{
    return address >= V9_DATA   ? v->data + (address - V9_DATA)
           : address >= V9_CODE ? v->code + (address - V9_CODE)
                                : v->descriptors + (address - V9_JOB);
}

static inline void v9_set(struct v9 *v, uint32_t address, const struct mali_desc *desc, const char *name,
                          uint64_t value)
{
    pack_set(v9_at(v, address), desc, MALI_V9, name, value);
}

static inline uint32_t v9_word(struct v9 *v, uint32_t address, uint32_t n)
{
    return util_load32(v9_at(v, address) + 4 * n);
}

/* Program n, and at `environment` what it runs with. */
static inline void v9_program(struct v9 *v, uint32_t n, uint32_t environment, const char *text)
{
    struct util_error error = {0};
    void *words;
    uint32_t count;
    if (valhall_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s", error.text);
    memset(v9_at(v, V9_CODE + n * 0x1000), 0, 0x1000);
    memcpy(v9_at(v, V9_CODE + n * 0x1000), words, count * 8u);
    free(words);
    const uint32_t program = V9_PROGRAMS + n * 32;
    v9_set(v, program, &mali_desc_program, "type", MALI_DESCRIPTOR_TYPE_SHADER);
    v9_set(v, program, &mali_desc_program, "stage", MALI_SHADER_STAGE_COMPUTE);
    v9_set(v, program, &mali_desc_program, "binary", V9_CODE + n * 0x1000);
    v9_set(v, environment, &mali_desc_environment, "shader", program);
    v9_set(v, environment, &mali_desc_environment, "table count", V9_TABLE_COUNT);
    v9_set(v, environment, &mali_desc_environment, "tables", V9_TABLES);
    v9_set(v, environment, &mali_desc_environment, "thread storage", V9_STORAGE);
    v9_set(v, environment, &mali_desc_environment, "FAU", V9_FAU);
    v9_set(v, environment, &mali_desc_environment, "FAU count", 1);
}

/* The place of entry `n` of a table, which there is from now on. */
static inline uint32_t v9_entry(struct v9 *v, uint32_t table, uint32_t n)
{
    const uint32_t at = V9_ENTRIES + table * 512, bytes = (n + 1) * 32;
    const uint32_t of = V9_TABLES + table * 16;
    v9_set(v, of, &mali_desc_resource, "address", at);
    if (v9_word(v, of, 2) < bytes)
        v9_set(v, of, &mali_desc_resource, "size", bytes);
    return at + n * 32;
}

static inline void v9_buffer(struct v9 *v, uint32_t table, uint32_t n, uint32_t address, uint32_t size)
{
    const uint32_t at = v9_entry(v, table, n);
    v9_set(v, at, &mali_desc_buffer_v9, "type", MALI_DESCRIPTOR_TYPE_BUFFER);
    v9_set(v, at, &mali_desc_buffer_v9, "buffer type", MALI_BUFFER_TYPE_SIMPLE);
    v9_set(v, at, &mali_desc_buffer_v9, "size", size);
    v9_set(v, at, &mali_desc_buffer_v9, "address", address);
}

/* Attribute `n` out of attribute buffer `n`. */
static inline uint32_t v9_attribute(struct v9 *v, uint32_t n, uint32_t format, uint32_t stride)
{
    const uint32_t at = v9_entry(v, V9_ATTRIBUTES, n);
    v9_set(v, at, &mali_desc_attribute_v9, "type", MALI_DESCRIPTOR_TYPE_ATTRIBUTE);
    v9_set(v, at, &mali_desc_attribute_v9, "attribute type", MALI_ATTRIBUTE_TYPE_1D);
    v9_set(v, at, &mali_desc_attribute_v9, "offset enable", 1);
    v9_set(v, at, &mali_desc_attribute_v9, "format", format);
    v9_set(v, at, &mali_desc_attribute_v9, "order", MALI_RGB_COMPONENT_ORDER_RGBA);
    v9_set(v, at, &mali_desc_attribute_v9, "table", V9_ATTRIBUTE_BUFFERS);
    v9_set(v, at, &mali_desc_attribute_v9, "buffer index", n);
    v9_set(v, at, &mali_desc_attribute_v9, "stride", stride);
    return at;
}

/* u0 and u1 are V9_DATA. */
static inline void v9_begin(struct v9 *v, uint32_t job_type)
{
    memset(v, 0, sizeof *v);
    guest_create(&v->guest,
                 &(struct mali_options){.kind = MALI_G57, .gpu = {.engine = ways_engine, .pool = ways_pool}});
    v->descriptors = guest_map(&v->guest, V9_JOB, 0x8000, RIGHT_BOTH);
    v->code = guest_map(&v->guest, V9_CODE, 0x4000, RIGHT_BOTH);
    v->data = guest_map(&v->guest, V9_DATA, V9_DATA_BYTES, RIGHT_BOTH);
    guest_flush_as(&v->guest, 0);
    v9_set(v, V9_JOB, &mali_desc_job_header, "type", job_type);
    v9_set(v, V9_JOB, &mali_desc_job_header, "index", 1);
    util_store32(v9_at(v, V9_STORAGE) + 4, 31);
    util_store32(v9_at(v, V9_FAU), V9_DATA);
}

static inline uint32_t v9_section(uint32_t job_type, enum mali_section section)
{
    return V9_JOB + mali_section_at(MALI_V9, job_type, section);
}

/* A compute job of `size` threads and `groups` along x. */
static inline void v9_compute(struct v9 *v, uint32_t size, uint32_t groups, const char *program)
{
    v9_begin(v, MALI_JOB_TYPE_COMPUTE);
    const uint32_t at = v9_section(MALI_JOB_TYPE_COMPUTE, MALI_SECTION_PAYLOAD);
    v9_set(v, at, &mali_desc_compute_v9, "workgroup size X", size);
    v9_set(v, at, &mali_desc_compute_v9, "workgroup size Y", 1);
    v9_set(v, at, &mali_desc_compute_v9, "workgroup size Z", 1);
    v9_set(v, at, &mali_desc_compute_v9, "workgroup count X", groups);
    v9_set(v, at, &mali_desc_compute_v9, "workgroup count Y", 1);
    v9_set(v, at, &mali_desc_compute_v9, "workgroup count Z", 1);
    v9_program(v, 0, v9_section(MALI_JOB_TYPE_COMPUTE, MALI_SECTION_ENVIRONMENT), program);
}

static inline void v9_run(struct v9 *v)
{
    uint32_t raw = guest_run(&v->guest, 1, V9_JOB);
    guest_expect_no_fault(&v->guest);
    assert_int_equal(raw, 2);
}

/* The job ends with a fault whose text has `why`. */
static inline void v9_refused(struct v9 *v, const char *why)
{
    assert_int_equal(guest_run(&v->guest, 1, V9_JOB), 0x20000);
    const struct gpu_fault fault = guest_fault(&v->guest);
    if (!strstr(fault.text, why))
        fail_msg("\"%s\" and not \"%s\"", fault.text, why);
}

static inline void v9_end(struct v9 *v)
{
    guest_destroy(&v->guest);
}

#endif
