/* Fill rate of compiled fragment programs: Mpixel/s on one core, whole 64x64 tiles, as the stock driver
 * writes the programs. Not a test: run it by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu/vc4/frag.h"
#include "isa/vc4_qpu/asm.h"
#include "util/bits.h"
#include "util/fpenv.h"

#define MEMORY_SIZE (16u << 20)
#define UNIFORMS    0x1000u
#define TEXTURE     0x800000u

#define PACK_VARYINGS                                                                                        \
    "nop ; fmul r0, b.vary, ra15\n fadd r1, r0, r5 ; fmul r2, b.vary, ra15\n"                                \
    "fadd r3, r2, r5 ; mov ra0.c8a, r1\n nop ; mov ra0.c8b, r3\n nop ; fmul r0, b.vary, ra15\n"              \
    "fadd r1, r0, r5 ; fmul r2, b.vary, ra15\n fadd r3, r2, r5 ; mov ra0.c8c, r1\n nop ; mov ra0.c8d, r3\n"
#define SAMPLE                                                                                               \
    "nop ; fmul r0, b.vary, ra15\n fadd r3, r0, r5 ; fmul r1, b.vary, ra15\n fadd r2, r1, r5\n"              \
    "mov tmu0_t, r2\n mov tmu0_s, r3\n nop ; ldtmu0\n"
#define SPREAD                                                                                               \
    "fmax r3, r4.8a, r4.8a\n fmax r0, r4.8b, r4.8b ; mov r3.c8a, r3\n fmax r1, r4.8c, r4.8c ; mov r3.c8b, "  \
    "r0\n fmax r2, r4.8d, r4.8d ; mov r3.c8c, r1\n nop ; mov r3.c8d, r2\n"
#define END "nop ; thrend\n nop\n nop\n"

enum { NEAREST = 1 << 7 | 1 << 4, BILINEAR = 0, TRILINEAR = 5 << 4 };

static const struct scene {
    const char *name, *text;
    uint32_t filter, levels, type;
    float scale; /* texels a pixel */
    uint32_t func;
} scenes[] = {
    {"flat",
     "nop ; mov r0.c8a, unif\n nop ; mov r0.c8b, unif\n nop ; mov r0.c8c, unif\n nop ; mov r0.c8d, unif\n"
     "mov tlb_z, rb15\n mov tlb_color, r0\n" END,
     0, 1, 0, 1, RASTER_ALWAYS},
    {"flat, hidden",
     "nop ; mov r0.c8a, unif\n nop ; mov r0.c8b, unif\n nop ; mov r0.c8c, unif\n nop ; mov r0.c8d, "
     "unif\n mov tlb_z, rb15\n mov tlb_color, r0\n" END,
     0, 1, 0, 1, RASTER_NEVER},
    {"gouraud", PACK_VARYINGS "mov tlb_z, rb15\n mov tlb_color, ra0\n" END, 0, 1, 0, 1, RASTER_LEQUAL},
    {"texture, nearest", SAMPLE SPREAD "mov tlb_z, rb15\n mov tlb_color, r3\n" END, NEAREST, 1, 0, 1,
     RASTER_LEQUAL},
    {"texture, bilinear", SAMPLE SPREAD "mov tlb_z, rb15\n mov tlb_color, r3\n" END, BILINEAR, 1, 0, 1,
     RASTER_LEQUAL},
    {"texture, bilinear, raw", SAMPLE "mov tlb_z, rb15\n mov tlb_color, r4\n" END, BILINEAR, 1, 0, 1,
     RASTER_LEQUAL},
    {"texture, bilinear 565", SAMPLE SPREAD "mov tlb_z, rb15\n mov tlb_color, r3\n" END, BILINEAR, 1, 4, 1,
     RASTER_LEQUAL},
    {"texture, trilinear", SAMPLE SPREAD "mov tlb_z, rb15\n mov tlb_color, r3\n" END, TRILINEAR, 9, 0, 1.5f,
     RASTER_LEQUAL},
    {"texture, ETC1", SAMPLE SPREAD "mov tlb_z, rb15\n mov tlb_color, r3\n" END, BILINEAR, 1, 8, 1,
     RASTER_LEQUAL},
    {"blended",
     PACK_VARYINGS "mov r0, ra0 ; nop ; ldcol\n mov r1, r4\n"
                   "nop ; v8muld r0, r0, r1\n v8adds r0, r0, r1\n"
                   "mov tlb_z, rb15\n mov tlb_color, r0\n" END,
     0, 1, 0, 1, RASTER_LEQUAL},
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void fill_uniforms(const struct vc4_qpu_program *program, const struct scene *scene, uint8_t *memory)
{
    for (uint32_t i = 0; i < program->uniform_count; i++)
        util_store32(memory + UNIFORMS + 4 * i, util_f2u(0.25f * (float)(i + 1)));
    for (uint32_t i = 0; i < program->sample_count; i++) {
        const struct vc4_qpu_sample *sample = &program->samples[i];
        uint32_t p0 = TEXTURE | scene->type << 4 | (scene->levels - 1),
                 p1 = 256u << 20 | 256u << 8 | scene->filter;

        util_store32(memory + UNIFORMS + 4 * sample->param[0], p0);
        util_store32(memory + UNIFORMS + 4 * sample->param[1], p1);
    }
}

static void run(const struct scene *scene, struct gpu_memory *memory, struct jit_engine *engine)
{
    struct raster_tile *tile = aligned_alloc(64, sizeof *tile);
    struct raster_block blocks[RASTER_BLOCKS_MAX];
    struct raster_prim prim = {
        .depth = {.c = (int64_t)0x7fffff << 32}, .inv_w_c = 1.0f, .inv_w_a = 1e-6f, .vary_count = 4};
    struct vc4_frag_config config = {
        .depth_func = (uint8_t)scene->func, .z_updates = true, .samples = 1, .primitive = 2};
    struct util_error error = {0};
    struct gpu_fault fault = {0};
    struct raster_shader_work work = {.fault = &fault};
    struct vc4_shader_state state = {.fs.uniforms = UNIFORMS};
    struct vc4_qpu_program *program;
    struct vc4_frag *frag;
    uint64_t *words;
    uint32_t count, tiles = 0;
    double start;

    if (vc4_qpu_asm(scene->text, strlen(scene->text), &words, &count, &error) ||
        vc4_qpu_program_create(words, count, &program, &error)) {
        printf("%s: %s\n", scene->name, error.text);
        return;
    }
    state.fs.program = program;
    fill_uniforms(program, scene, memory->base);
    prim.vary_a[0] = scene->scale / 256;
    prim.vary_b[1] = scene->scale / 256;
    prim.vary_a[2] = prim.vary_b[3] = 1.0f / 64;
    if (vc4_frag_prepare(memory, engine, &state, &config, 1000, NULL, &frag, &fault)) {
        printf("%s: %s\n", scene->name, fault.text);
        return;
    }
    memset(tile, 0, sizeof *tile);
    tile->width = tile->height = 64;
    tile->samples = 1;
    for (uint32_t i = 0; i < RASTER_BLOCKS_MAX; i++)
        blocks[i] = (struct raster_block){i % 16, i / 16, 0xffff, {0xffff}};
    for (uint32_t i = 0; i < RASTER_TILE_WORDS; i++)
        tile->zs[i] = 0xffffff00;
    util_fpenv_enter();
    start = now();
    do {
        for (unsigned k = 0; k < 64; k++, tiles++) {
            tile->x = (int32_t)(tiles * 64 % 1024);
            work.fuel = UINT64_MAX;
            raster_shader_shade(vc4_frag_shader(frag), &prim, tile, blocks, RASTER_BLOCKS_MAX, &work);
        }
    } while (now() - start < 0.4);
    printf("%-24s %8.0f Mpixel/s%s\n", scene->name, tiles * 4096.0 / (now() - start) * 1e-6,
           vc4_frag_compiled(frag) ? "" : "  (interpreted)");
    vc4_frag_release(frag);
    vc4_qpu_program_destroy(program);
    free(words);
    free(tile);
}

int main(int argc, char **argv)
{
    struct gpu_memory memory;

    if (gpu_memory_create(MEMORY_SIZE, &memory))
        return 1;
    for (uint32_t i = 0; i < MEMORY_SIZE; i += 4)
        util_store32(memory.base + i, i * 2654435761u);
    for (unsigned level = 0; level < JIT_LEVEL_COUNT; level++) {
        struct jit_options options = {.level = (int)level, .optimize = 2, .cache_dir = ""};
        struct jit_engine *engine;

        if (argc > 1 && strcmp(argv[1], jit_level_name((enum jit_level)level)) != 0)
            continue;
        if (jit_engine_create(&options, &engine, NULL))
            continue;
        printf("%s\n", jit_level_name((enum jit_level)level));
        for (unsigned i = 0; i < UTIL_ARRAY_SIZE(scenes); i++)
            run(&scenes[i], &memory, engine);
        jit_engine_destroy(engine);
    }
    gpu_memory_destroy(&memory);
    return 0;
}
