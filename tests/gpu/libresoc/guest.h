/* A guest for the tests of gpu/libresoc: memory, a device, records and programs put there one behind the other. Behind cmocka.h. */
#ifndef VITRAIL_TESTS_GPU_LIBRESOC_GUEST_H
#define VITRAIL_TESTS_GPU_LIBRESOC_GUEST_H

#include <stdlib.h>
#include <string.h>

#include "gpu/libresoc/device.h"
#include "gpu/libresoc/records.h"
#include "isa/simple_v/asm.h"
#include "util/bits.h"

#define GUEST_MEMORY (64u << 20)
#define GUEST_HEAP   (48u << 20) /* its address; 8 MiB */
#define GUEST_COLOR  (56u << 20)
#define GUEST_DEPTH  (60u << 20)

struct guest {
    struct gpu_memory memory;
    struct util_pool *pool;
    struct libresoc_device *device;
    struct gpu_device gpu;
    uint64_t next; /* free memory */
    struct libresoc_frame_record frame;
    struct libresoc_draw_record draw[16];
    uint64_t record; /* where the frame's is */
};

static inline void guest_open_with(struct guest *g, struct gpu_options options, unsigned threads)
{
    *g = (struct guest){.next = GPU_PAGE};
    assert_int_equal(gpu_memory_create(GUEST_MEMORY, &g->memory), 0);
    if (threads)
        assert_int_equal(util_pool_create(threads, &g->pool), 0);
    options.pool = g->pool;
    assert_int_equal(libresoc_device_create(&g->memory, &options, &g->device), 0);
    g->gpu = libresoc_device_gpu(g->device);
}

static inline void guest_open(struct guest *g, unsigned threads)
{
    guest_open_with(g, (struct gpu_options){0}, threads);
}

static inline void guest_close(struct guest *g)
{
    libresoc_device_destroy(g->device);
    util_pool_destroy(g->pool);
    gpu_memory_destroy(&g->memory);
}

/* Bytes into memory; where they are. */
static inline uint64_t guest_put(struct guest *g, const void *bytes, size_t size)
{
    const uint64_t at = g->next;
    assert_true(at + size < GUEST_HEAP);
    memcpy(g->memory.base + at, bytes, size);
    g->next = util_align(at + size, 64);
    return at;
}

/* A program in the assembler's language. */
static inline struct libresoc_program_record guest_program(struct guest *g, const char *text,
                                                           uint64_t uniforms)
{
    struct util_error error = {0};
    uint32_t count;
    void *words;
    if (simple_v_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s", error.text);
    const struct libresoc_program_record out = {
        .address = guest_put(g, words, count * 2ull), .bytes = count * 2, .uniforms = uniforms};
    free(words);
    return out;
}

/* Attributes of singles that stand behind one another, `components` of each. */
static inline uint64_t guest_attributes(struct guest *g, const float *numbers, const uint32_t *components,
                                        uint32_t count, uint32_t vertices)
{
    uint32_t words[LIBRESOC_ATTRIBUTES * LIBRESOC_ATTRIBUTE_WORDS] = {0}, stride = 0, offset = 0;
    for (uint32_t n = 0; n < count; n++)
        stride += components[n] * 4;
    const uint64_t at = guest_put(g, numbers, (size_t)stride * vertices);
    for (uint32_t n = 0; n < count; n++) {
        const struct libresoc_attribute_record attribute = {.address = at + offset,
                                                            .stride = stride,
                                                            .format = components[n] - 1,
                                                            .components = components[n]};
        libresoc_record_pack(LIBRESOC_ATTRIBUTE, &attribute, words + n * LIBRESOC_ATTRIBUTE_WORDS);
        offset += components[n] * 4;
    }
    return guest_put(g, words, count * LIBRESOC_ATTRIBUTE_WORDS * 4ull);
}

static inline void guest_frame(struct guest *g, uint32_t width, uint32_t height)
{
    g->frame = (struct libresoc_frame_record){.mark = LIBRESOC_FRAME_MARK,
                                              .width = width,
                                              .height = height,
                                              .clear_color = 0xff402010,
                                              .clear_depth = 1,
                                              .color = GUEST_COLOR,
                                              .color_stride = width * 4,
                                              .depth = GUEST_DEPTH,
                                              .depth_stride = width * 4,
                                              .heap = GUEST_HEAP,
                                              .heap_bytes = 8u << 20};
}

/* A draw of triangles on all of the frame. */
static inline struct libresoc_draw_record *guest_draw(struct guest *g, uint32_t vertices)
{
    const float x = (float)g->frame.width * 0.5f, y = (float)g->frame.height * 0.5f;
    struct libresoc_draw_record *d = &g->draw[g->frame.draw_count++];
    *d = (struct libresoc_draw_record){.mark = LIBRESOC_DRAW_MARK,
                                       .mode = TILER_TRIANGLES,
                                       .depth_func = 7,
                                       .vertex_count = vertices,
                                       .count = vertices,
                                       .instance_count = 1,
                                       .scale_x = x,
                                       .scale_y = y,
                                       .scale_z = 0.5f,
                                       .translate_x = x,
                                       .translate_y = y,
                                       .translate_z = 0.5f,
                                       .clip_x1 = g->frame.width,
                                       .clip_y1 = g->frame.height,
                                       .size = 1};
    return d;
}

/* The draws' records and the frame's. */
static inline void guest_write(struct guest *g)
{
    uint32_t words[LIBRESOC_DRAW_WORDS * 16] = {0}, frame[LIBRESOC_FRAME_WORDS] = {0};
    for (uint32_t n = 0; n < g->frame.draw_count && n < 16; n++) {
        uint32_t *to = words + n * LIBRESOC_DRAW_WORDS;
        libresoc_record_pack(LIBRESOC_DRAW, &g->draw[n], to);
        for (unsigned s = 0; s < LIBRESOC_STAGES; s++)
            libresoc_record_pack(LIBRESOC_PROGRAM, &g->draw[n].stage[s],
                                 to + LIBRESOC_DRAW_OWN_WORDS + s * LIBRESOC_PROGRAM_WORDS);
    }
    if (!g->frame.draws)
        g->frame.draws = guest_put(g, words, sizeof words);
    libresoc_record_pack(LIBRESOC_FRAME, &g->frame, frame);
    g->record = guest_put(g, frame, sizeof frame);
}

static inline void guest_start(struct guest *g)
{
    gpu_device_write(&g->gpu, LIBRESOC_RECORD_LOW, (uint32_t)g->record);
    gpu_device_write(&g->gpu, LIBRESOC_RECORD_HIGH, (uint32_t)(g->record >> 32));
    gpu_device_write(&g->gpu, LIBRESOC_COMMAND, LIBRESOC_BIT(COMMAND, START));
}

/* Draws; a fault fails the test. */
static inline void guest_run(struct guest *g)
{
    struct gpu_fault fault;
    char text[512];
    guest_write(g);
    guest_start(g);
    if (gpu_host_faults(g->gpu.host, &fault, 1)) {
        gpu_fault_format(&fault, text, sizeof text);
        fail_msg("%s", text);
    }
}

static inline uint32_t guest_pixel(const struct guest *g, uint32_t x, uint32_t y)
{
    return util_load32(g->memory.base + g->frame.color + y * g->frame.color_stride + x * 4ull);
}

/* ---- programs ---- */

/* All streams of attributes, `count` of them, as they are. */
#define GUEST_COPY_BEGIN "addi x6, x0, "
#define GUEST_COPY_END                                                                                       \
    "\n"                                                                                                     \
    "sv.setvl x0, x0, 64\n"                                                                                  \
    "again: p48 lw x32v, 0(x13), itype:32\n"                                                                 \
    "p48 sw x32v, 0(x14), itype:32\n"                                                                        \
    "addi x13, x13, 256\n"                                                                                   \
    "addi x14, x14, 256\n"                                                                                   \
    "addi x6, x6, -1\n"                                                                                      \
    "bne x6, x0, again\n"                                                                                    \
    "jalr x0, 0(x1)\n"
#define GUEST_COPY(count) GUEST_COPY_BEGIN #count GUEST_COPY_END

/* The first four varyings are the colour, 0 to 1. */
#define GUEST_COLOR_PROGRAM                                                                                  \
    "lui x5, 0x437f0\n"                                                                                      \
    "fmv.w.x f1, x5\n"                                                                                       \
    "addi x5, x0, 255\n"                                                                                     \
    "addi x7, x0, 3\n"                                                                                       \
    "addi x13, x13, 1792\n"                                                                                  \
    "sv.setvl x0, x0, 64\n"                                                                                  \
    "p48 sub x64v, x64v, x64v, itype:32\n"                                                                   \
    "again: p48 flw f32v, 0(x13)\n"                                                                          \
    "p48 fmul.s f32v, f32v, f1\n"                                                                            \
    "p48 fcvt.wu.s x32v, f32v, rne, itype:32\n"                                                              \
    "p48 minu x32v, x32v, x5, itype:32\n"                                                                    \
    "p48 slli x64v, x64v, 8, itype:32\n"                                                                     \
    "p48 or x64v, x64v, x32v, itype:32\n"                                                                    \
    "addi x13, x13, -256\n"                                                                                  \
    "addi x7, x7, -1\n"                                                                                      \
    "bge x7, x0, again\n"                                                                                    \
    "p48 sw x64v, 0(x14), itype:32\n"                                                                        \
    "jalr x0, 0(x1)\n"

#endif
