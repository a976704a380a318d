/* A frame's launches in a file, as bench_simple_v_scene.c keeps them and bench_simple_v_frame.c draws them again in C, on any processor of
 * little-endian numbers. What is here needs nothing of Vitrail. */
#ifndef VITRAIL_TESTS_BENCH_SIMPLE_V_FRAME_H
#define VITRAIL_TESTS_BENCH_SIMPLE_V_FRAME_H

#include <stdint.h>

/* A program as a C function: tests/libresoc/draw/shaders.c. */
typedef void (*simple_v_shader_fn)(long zero, long none, long count, const void *in, void *out,
                                   const void *uniforms);

/* The file: this, `memory_bytes` of guest memory from address 0 on, `count` launches, the image of the frame in rows. */
struct simple_v_frame {
    uint64_t memory_bytes, count;
    uint32_t width, height, clear, unused;
};

enum { SIMPLE_V_FRAME_VARYINGS = 3 };

/* Of the vertex program, with `in_bytes` of what it reads and `out_bytes` of what it writes behind it; or of the fragment program, for the
 * tile at pixel (x, y) of the window: the planes of raster/prim.h and raster/depth.h, pixels that have passed, what becomes of them. */
struct simple_v_launch {
    uint32_t is_fragment, lanes, in_bytes, out_bytes;
    uint64_t mask, uniforms;
    int64_t depth_a, depth_b, depth_c;
    int32_t x, y;
    uint32_t depth_shift, depth_write, blends;
    float x0, y0, inv_w[3], vary[SIMPLE_V_FRAME_VARYINGS][3]; /* a, b, c */
};

/* The uniforms of the fragment program. */
struct simple_v_texture {
    uint64_t texels;
    uint32_t width, height, stride, wrap;
};

static inline const void *simple_v_texture_on_host(struct simple_v_texture *out, const void *uniforms,
                                                   const uint8_t *memory)
{
    *out = *(const struct simple_v_texture *)uniforms;
    out->texels += (uintptr_t)memory;
    return out;
}

#endif
