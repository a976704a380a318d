/* Speed of the binner alone, on one thread: a grid of small triangles, indexed as meshes are, shaded by a
 * coordinate program with a matrix. Built by hand, against the libraries of a build folder:
 *
 *   cc -O2 -I. tests/bench/bench_binner.c -Wl,--start-group BUILD/.../libvt_*.a -Wl,--end-group
 *      libLLVM-19.so -lcmocka -lxxhash -lzstd -lm
 */
#include <time.h>

#include "vc4_guest.h"

#include "gpu/vc4/cl.h"
#include "jit/engine.h"

#define SIDE  180u /* vertices a side: 64k index limit */
#define DRAWS 40u

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* clang-format off */
#define ROW(to)                                                                                               \
    "nop ; fmul r0, ra0, b.unif\n"                                                                           \
    "nop ; fmul r1, ra1, b.unif\n"                                                                           \
    "nop ; fmul r2, ra2, b.unif\n"                                                                           \
    "fadd r0, r0, r1\nfadd r0, r0, r2\nfadd " to ", r0, unif\n"

static const char matrix_program[] =
    "ldi vw_setup, 0x1a00\nldi vr_setup, 0x301a00\nnop\nnop\nnop\n"
    "mov ra0, vpm\nmov ra1, vpm\nmov ra2, vpm\n"
    ROW("ra3") ROW("ra4") ROW("ra5") ROW("ra6")
    "nop\nmov recip, ra6\nnop\nnop\nmov rb7, r4\n"
    "nop ; fmul r0, ra3, rb7\nnop ; fmul r1, r0, unif\nftoi ra8.16a, r1\n"
    "nop ; fmul r0, ra4, rb7\nnop ; fmul r1, r0, unif\nftoi ra8.16b, r1\n"
    "mov vpm, ra3\nmov vpm, ra4\nmov vpm, ra5\nmov vpm, ra6\nmov vpm, ra8\n"
    "nop ; fmul vpm, ra5, rb7\nmov vpm, rb7\n" GUEST_END;
/* clang-format on */

int main(void)
{
    struct jit_engine *engine = NULL;
    struct vc4_device *device;
    struct util_error error = {0};
    const struct jit_options jit = {.level = -1, .optimize = 2, .cache_dir = ""};
    if (gpu_memory_create(256u << 20, &guest_memory) || jit_engine_create(&jit, &engine, &error))
        return 1;
    const struct gpu_options options = {.engine = engine, .packet_budget = 1ull << 40};
    vc4_device_create(&guest_memory, &options, &device);

    float uniforms[18] = {2, 0, 0, -1, 0, -2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 960 * 16, -540 * 16};
    uint32_t nothing = guest_program(GUEST_END);
    struct guest_shader s = {.flags = 5, .fs = nothing, .vs = nothing, .cs = guest_program(matrix_program)};
    s.cs_uniforms = guest_copy(uniforms, sizeof uniforms, 16);
    uint32_t vertices = guest_alloc(SIDE * SIDE * 12, 16), indices = guest_alloc(SIDE * SIDE * 12, 16);
    s.attribute_count = 1;
    s.attribute[0] = (struct guest_attribute){vertices, 12, 12, 0, 0};
    uint32_t shader = guest_shader_record(&s), triangles = 0;
    float *v = (float *)(guest_memory.base + vertices);
    uint16_t *index = (uint16_t *)(guest_memory.base + indices);
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++, v += 3)
            v[0] = (float)x / (SIDE - 1), v[1] = (float)y / (SIDE - 1), v[2] = 0;
    for (uint32_t y = 0; y + 1 < SIDE; y++)
        for (uint32_t x = 0; x + 1 < SIDE; x++) {
            uint32_t a = y * SIDE + x, t[6] = {a, a + 1, a + SIDE, a + SIDE, a + 1, a + SIDE + 1};
            for (unsigned i = 0; i < 6; i++)
                *index++ = (uint16_t)t[i];
            triangles += 2;
        }

    uint8_t list[1024], *at = list;
#define BYTE(v)  (*at++ = (uint8_t)(v))
#define WORD(v)  (util_store32(at, (v)), at += 4)
#define FLOAT(v) WORD(util_f2u(v))
    uint32_t alloc = guest_alloc(64u << 20, 4096), array = guest_alloc(1u << 20, 4096);
    BYTE(112), WORD(alloc), WORD(64u << 20), WORD(array), BYTE(30), BYTE(17), BYTE(4 | 2 << 5);
    BYTE(6), BYTE(64), WORD(shader | 1), BYTE(96), BYTE(3), BYTE(0), BYTE(0);
    BYTE(102), WORD(0), WORD(1920 | 1080 << 16), BYTE(103), WORD(960 * 16 | 540 * 16 << 16);
    BYTE(105), FLOAT(960 * 16), FLOAT(-540 * 16), BYTE(106), FLOAT(0.5f), FLOAT(0.5f);
    for (unsigned i = 0; i < DRAWS; i++)
        BYTE(32), BYTE(0x14), WORD(triangles * 3), WORD(indices), WORD(SIDE * SIDE - 1);
    BYTE(4);
    uint32_t where = guest_copy(list, (uint32_t)(at - list), 16);
    double best = 1e9;
    for (unsigned run = 0; run < 7; run++) {
        double start = now();
        vc4_write(device, VC4_CT0CA, where);
        vc4_write(device, VC4_CT0EA, where + (uint32_t)(at - list));
        double took = now() - start;
        best = took < best ? took : best;
    }
    struct gpu_fault fault;
    if (gpu_host_faults(vc4_device_host(device), &fault, 1))
        printf("%s\n", fault.text);
    struct gpu_counters c = vc4_device_host(device)->counters;
    printf("%.1f M triangles/s, %.1f M vertices/s; %.2f of them in tiles, %.2f bytes a triangle in lists\n",
           triangles * DRAWS / best * 1e-6, SIDE * SIDE * DRAWS / best * 1e-6,
           (double)c.primitives_binned / (double)c.primitives_in,
           (double)c.bytes_tile_lists / (double)c.primitives_in);
    vc4_device_destroy(device);
    jit_engine_destroy(engine);
    gpu_memory_destroy(&guest_memory);
    return 0;
}
