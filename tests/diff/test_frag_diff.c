/* Compiled fragment programs (frag_ir.c) against the reference path (frag_ref.c): programs as the stock
 * driver writes them, programs written to reach the tile in every way, and random ones; random state,
 * uniforms, textures, primitives, blocks and tiles, in the numeric modes in turn, at every vector level of
 * the host. Zero differences in colour, depth, stencil and verdict. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/frag.h"
#include "isa/vc4_qpu/asm.h"
#include "raster/depth.h"
#include "util/bits.h"
#include "util/fpenv.h"

#define MEMORY_SIZE  (1u << 20)
#define UNIFORMS     0x1000u
#define MAX_WORDS    2048
#define STATES       4  /* states a program is tried in; the last of RGBA16F */
#define PRIMS        6  /* primitives drawn over one another in each */
#define RANDOM_COUNT 16 /* random programs */
#define FUEL         200

static uint64_t seed = 0xf4a6;

static uint32_t random32(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

static uint32_t below(uint32_t n)
{
    return random32() % n;
}

static float random_float(float scale)
{
    return (float)(int32_t)random32() * 0x1p-31f * scale;
}

/* Of z, in steps. */
static double random_depth(float scale)
{
    return random_float(scale) * RASTER_DEPTH_STEPS;
}

/* ---- programs ---- */

#define END     "nop ; thrend\n nop\n nop ; sbdone\n"
#define VARYING "nop ; fmul r0, b.vary, ra15\n fadd r1, r0, r5 ; fmul r2, b.vary, ra15\n fadd r3, r2, r5\n"
#define COLOR                                                                                                \
    VARYING "nop ; mov ra0.c8a, r1\n nop ; mov ra0.c8b, r3\n" VARYING                                        \
            "nop ; mov ra0.c8c, r1\n nop ; mov ra0.c8d, r3\n"
#define SAMPLE VARYING "mov tmu0_t, r3\n mov tmu0_s, r1\n nop ; ldtmu0\n"
#define Z      "mov tlb_z, rb15\n"
/* More than one request under way, and two loads of them. */
#define REQUEST "mov tmu0_t, r3\n mov tmu0_s, r1\n"
#define LOADS   "nop ; ldtmu0\n mov ra0, r4 ; nop ; ldtmu0\n"
/* Long enough for blocks to be shaded two at a time. */
#define STEP  "nop ; fmul r0, r1, unif\n fadd r1, r0, unif\n"
#define STEPS STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP
/* Of which many do not fit in 32 bits. */
#define INTEGER(x) "ldi r2, 0x4f400000\n nop ; fmul r0, " x ", r2\n ftoi r0, r0\n"

/* What the stock driver (Mesa 22.3) emits for constant, interpolated and textured colours stands first. */
static const struct named {
    const char *name, *text;
    bool compiles;
} programs[] = {
    {"constant",
     "nop ; mov r0.c8a, unif\n nop ; mov r0.c8b, unif\n nop ; mov r0.c8c, unif\n nop ; mov r0.c8d, unif\n" Z
     "mov tlb_color, r0\n" END,
     true},
    {"interpolated", COLOR Z "mov tlb_color, ra0\n" END, true},
    {"no depth", COLOR "nop\n mov tlb_color, ra0\n" END, true},
    {"texture",
     "nop ; fmul r0, b.vary, ra15\n fadd r3, r0, r5 ; fmul r1, b.vary, ra15\n"
     "fadd r2, r1, r5 ; lthrsw\n mov tmu0_t, r2 ; ws\n mov tmu0_s, r3 ; ws\n nop ; ldtmu0\n"
     "fmax r3, r4.8a, r4.8a\n fmax r0, r4.8b, r4.8b ; mov r3.c8a, r3\n"
     "fmax r1, r4.8c, r4.8c ; mov r3.c8b, r0\n fmax r2, r4.8d, r4.8d ; mov r3.c8c, r1\n"
     "nop ; mov r3.c8d, r2\n" Z "mov tlb_color, r3\n" END,
     true},
    {"two textures",
     SAMPLE "mov ra1, r4\n" SAMPLE "nop\n nop ; v8muld r0, r4, ra1\n" Z "mov tlb_color, r0\n" END, true},
    {"texture with bias",
     VARYING "mov tmu0_t, r3\n mov tmu0_b, unif\n mov tmu0_s, r1\n nop ; ldtmu0\n" Z
             "mov tlb_color, r4\n" END,
     true},
    {"texture with r",
     VARYING "mov tmu1_r, unif\n mov tmu1_t, r3\n mov tmu1_s, r1\n nop ; ldtmu1\n" Z
             "mov tlb_color, r4\n" END,
     true},
    {"cube",
     VARYING "mov tmu0_r, unif\n mov tmu0_t, r3\n mov tmu0_b, r1\n mov tmu0_s, r1\n nop ; ldtmu0\n" Z
             "mov tlb_color, r4\n" END,
     true},
    {"blend",
     COLOR "nop ; ldcol\n mov r1, r4\n mov r0, ra0\n nop ; v8muld r2, r0, r1\n v8adds r2, r2, r1\n" Z
           "mov tlb_color, r2\n" END,
     true},
    {"colour before depth", COLOR "nop\n mov tlb_color, ra0\n" Z END, true},
    {"discard",
     VARYING "fsub.sf r2, r1, unif\n mov r0, unif\n mov.ns tlb_z, rb15\n mov.ns tlb_color, r0\n" END, true},
    {"discard, other condition",
     VARYING "fsub.sf r2, r1, unif\n mov r0, unif\n mov.ns tlb_z, rb15\n"
             "mov.nc tlb_color, r0\n" END,
     true},
    {"discard, flags change",
     VARYING "fsub.sf r2, r1, unif\n mov r0, unif\n mov.ns tlb_z, rb15\n"
             "fsub.sf r2, r3, unif\n mov.ns tlb_color, r0\n" END,
     true},
    {"computed depth",
     VARYING "fsub r0, r1, r3\n ftoi r0, r0\n mov r1, 8\n shl r0, r0, r1\n mov tlb_z, r0\n"
             "mov r2, unif\n mov tlb_color, r2\n" END,
     true},
    {"depth twice", VARYING Z "mov tlb_color, r1\n" Z "mov tlb_color, r3\n" END, true},
    {"stencil", VARYING "mov tlb_stencil, unif\n" Z "mov tlb_color, r3\n" END, true},
    {"stencil, both faces",
     VARYING "mov r0, unif\n mov tlb_stencil, r0\n mov tlb_stencil, unif\n"
             "mov tlb_stencil, unif\n" Z "mov tlb_color, r3\n" END,
     true},
    {"stencil, discard",
     VARYING "mov tlb_stencil, unif\n fsub.sf r2, r1, unif\n mov.ns tlb_z, rb15\n"
             "mov.ns tlb_color, r3\n" END,
     true},
    {"stencil computed", VARYING "mov tlb_stencil, r1\n" Z "mov tlb_color, r3\n" END, false},
    {"stencil by lane",
     VARYING "fsub.sf r2, r1, unif\n mov.ns tlb_stencil, unif\n" Z "mov tlb_color, r3\n" END, false},
    {"four samples",
     COLOR
     "nop ; ldcol\n mov r1, r4\n mov r2, ra0\n" Z
     "nop ; v8muld tlb_color_ms, r1, r2\n nop ; ldcol\n mov r1, r4\n nop ; v8muld tlb_color_ms, r1, r2\n"
     "nop ; ldcol\n mov r1, r4\n nop ; v8muld tlb_color_ms, r1, r2\n nop ; ldcol\n mov r1, r4\n"
     "nop ; v8muld tlb_color_ms, r1, r2\n" END,
     true},
    {"sample mask", VARYING "ftoi r2, r1\n mov ms_flags, r2\n" Z "mov tlb_color, r3\n" END, true},
    {"sample mask late", VARYING Z "ftoi r2, r1\n mov ms_flags, r2\n mov tlb_color, r3\n" END, true},
    {"flags",
     "mov r0, ms_flags\n mov r1, rev_flag\n nop\n shl r1, r1, 8\n or r0, r0, r1\n mov r1, x_coord\n"
     "nop ; v8adds r0, r0, r1\n mov r1, y_coord\n" Z "add tlb_color, r0, r1\n" END,
     true},
    {"lookup",
     VARYING
     "ftoi r1, r1\n mov r2, 12\n shl r1, r1, r2\n max r1, r1, 0\n add tmu0_s, r1, unif\n nop ; ldtmu0\n" Z
     "mov tlb_color, r4\n" END,
     true},
    {"lookup anywhere", VARYING "mov tmu0_s, r1\n nop ; ldtmu0\n" Z "mov tlb_color, r4\n" END, true},
    {"long", VARYING STEPS STEPS Z "mov tlb_color, r1\n" END, true},
    {"long, few uniforms",
     VARYING "mov ra1, unif\n nop\n" COLOR COLOR COLOR COLOR "nop ; fmul r1, r1, ra1\n" Z
             "mov tlb_color, r1\n" END,
     true},
    {"long, blend", VARYING STEPS STEPS "nop ; ldcol\n nop ; v8muld r2, r1, r4\n" Z "mov tlb_color, r2\n" END,
     true},
    {"long, discard",
     VARYING STEPS STEPS "fsub.sf r2, r1, unif\n mov.ns tlb_z, rb15\n mov.ns tlb_color, r3\n" END, true},
    {"long, sample mask", VARYING STEPS STEPS "ftoi r2, r1\n mov ms_flags, r2\n" Z "mov tlb_color, r3\n" END,
     true},
    {"long, stencil", VARYING "mov tlb_stencil, unif\n" STEPS STEPS Z "mov tlb_color, r3\n" END, true},
    {"long, texture", SAMPLE "mov r1, r4\n" STEPS STEPS Z "mov tlb_color, r1\n" END, true},
    {"long, lookup", VARYING STEPS STEPS "mov tmu0_s, r1\n nop ; ldtmu0\n" Z "mov tlb_color, r4\n" END, true},
    {"long, integers", VARYING STEPS STEPS INTEGER("r1") "nop\n" Z "mov tlb_color, r0\n" END, true},
    {"long, integers, no depth",
     VARYING STEPS STEPS INTEGER("r3") "mov r3, r0\n" INTEGER("r1") "xor tlb_color, r0, r3\n" END, true},
    {"long, integers between two effects",
     VARYING STEPS "ftoi r0, r3\n nop ; ldcol\n v8adds tlb_color, r0, r4\n" STEPS INTEGER(
         "r1") "nop ; ldcol\n xor tlb_color, r0, r4\n" END,
     true},
    {"long, integers, texture", SAMPLE "mov r1, r4\n" STEPS STEPS INTEGER("r1") "mov tlb_color, r0\n" END,
     true},
    {"branch",
     VARYING "fsub.sf r2, r1, unif\n brr.allnc skip\n nop\n nop\n nop\n fadd r1, r1, r3\n"
             "skip: nop\n" Z "mov tlb_color, r1\n" END,
     true},
    {"loop",
     VARYING
     "mov r2, 5\n again: sub.sf r2, r2, 1\n brr.anync again\n fadd r1, r1, r3\n fmax r3, r1, r3\n nop\n" Z
     "mov tlb_color, r1\n" END,
     true},
    {"loop by pixels",
     VARYING "ftoi r2, r1\n mov r0, 15\n and r2, r2, r0\n again: sub.sf r2, r2, 1\n brr.anync again\n"
             "fadd r1, r1, r3\n fmax r3, r1, r3\n nop\n" Z "mov tlb_color, r1\n" END,
     true},
    {"loop that may be long",
     VARYING "ftoi r2, r1\n mov r0, 8\n shl r2, r2, r0\n again: sub.sf r2, r2, 1\n brr.anync again\n"
             "fadd r1, r1, r3\n fmax r3, r1, r3\n nop\n" Z "mov tlb_color, r1\n" END,
     true},
    {"branches within loops and behind them",
     VARYING "ftoi r2, r1\n mov r0, 15\n and r2, r2, r0\n mov ra2, r2\n nop\n"
             "outer: mov r0, 3\n and r0, r0, ra2\n"
             "inner: sub.sf r0, r0, 1\n brr.anync inner\n fadd r1, r1, r3\n nop\n nop\n"
             "fsub.sf -, r1, 1.0\n brr.allnc skip\n nop\n nop\n nop\n fmax r3, r1, r3\n mov ra1, r3\n"
             "skip: nop\n sub.sf ra2, ra2, 1\n brr.anync outer\n nop\n nop\n nop\n"
             "fsub.sf -, r3, 0.5\n brr.allnc other\n nop\n nop\n nop\n" Z "mov.ns tlb_color, r3\n"
             "other: mov tlb_color, r1\n" END,
     true},
    {"colours by a branch behind a loop",
     VARYING
     "ftoi r2, r1\n mov r0, 15\n and r2, r2, r0\n again: sub.sf r2, r2, 1\n brr.anync again\n"
     "fadd r1, r1, r3\n fmax r3, r1, r3\n nop\n fsub.sf -, r3, 0.5\n brr.allnc other\n nop\n nop\n nop\n"
     "mov.ns tlb_color, r3\n other: mov.nc tlb_color, r1\n" END,
     true},
    {"colour within a loop",
     VARYING "ftoi r2, r1\n mov r0, 15\n and r2, r2, r0\n again: sub.sf r2, r2, 1\n brr.anync again\n"
             "fadd r1, r1, r3\n mov.nc tlb_color, r1\n nop\n" END,
     true},
    {"endless loop", VARYING "again: brr again\n fadd r1, r1, r3\n nop\n nop\n" Z "mov tlb_color, r1\n" END,
     true},
    {"depth under a branch",
     VARYING "mov tlb_color, r1\n fsub.sf r2, r1, unif\n brr.allnc skip\n nop\n nop\n nop\n" Z
             "mov tlb_color, r3\n skip: nop\n" END,
     true},
    {"four textures under way",
     VARYING REQUEST REQUEST REQUEST REQUEST LOADS LOADS Z "mov tlb_color, ra0\n" END, true},
    {"a fifth", VARYING REQUEST REQUEST REQUEST REQUEST REQUEST LOADS LOADS Z "mov tlb_color, ra0\n" END,
     true},
    {"three textures and two words under way",
     VARYING "ldi tmu0_s, 0x100\n" REQUEST REQUEST "ldi tmu0_s, 0x200\n" REQUEST LOADS LOADS
             "nop ; ldtmu0\n" Z "mov tlb_color, r4\n" END,
     true},
    {"and a third word",
     VARYING "ldi tmu0_s, 0x100\n" REQUEST REQUEST "ldi tmu0_s, 0x200\n" REQUEST
             "ldi tmu0_s, 0x300\n" LOADS LOADS Z "mov tlb_color, r4\n" END,
     true},
    {"empty unit", VARYING Z "nop ; ldtmu0\n mov tlb_color, r1\n" END, true},
    {"RGBA16F", VARYING Z "mov tlb_color, r1\n mov tlb_color, r3\n" END, true},
    {"RGBA16F, blend",
     VARYING "nop ; ldcol\n mov r0, r4 ; ldcol\n fadd r1, r1, r0\n fadd r3, r3, r4\n" Z
             "mov tlb_color, r3\n mov tlb_color, r1\n" END,
     true},
    {"RGBA16F, sample by sample",
     VARYING "nop ; ldcol\n mov r0, r4 ; ldcol\n mov r2, r4\n" Z
             "mov tlb_color_ms, r2\n mov tlb_color_ms, r0 ; ldcol\n mov r0, r4 ; ldcol\n"
             "mov tlb_color_ms, r1\n mov tlb_color, r0\n mov tlb_color_ms, r4\n" END,
     true},
    {"RGBA16F, discard",
     VARYING "fsub.sf r2, r1, unif\n mov r0, unif\n mov.ns tlb_z, rb15\n mov.ns tlb_color, r0\n"
             "mov.ns tlb_color, r1\n" END,
     true},
    {"RGBA16F, long", VARYING STEPS STEPS Z "mov tlb_color, r1\n mov tlb_color, r3\n" END, true},
    {"coverage", "nop ; ldcov\n mov tlb_color, r4\n" END, true},
    {"coverage and depth", "nop ; ldcov\n mov r0, r4\n" Z "mov tlb_color, r0\n" END, true},
};

/* What blocks side by side take for a number may be a NaN or a zero of either sign (isa/vc4_qpu/trans_loose.c). */
static const struct named loose[] = {
    {"long, bytes",
     VARYING STEPS STEPS "nop ; mov r2.c8a, r1\n nop ; fmul r2.c8b, r1, r3\n nop ; mov r2.c8c, r0\n"
                         "nop ; mov r2.c8d, r3\n" Z "mov tlb_color, r2\n mov tlb_color, r1\n" END,
     true},
    {"long, flags of sums",
     VARYING STEPS "nop ; fmul r2, r1, r3\n fadd.sf r0, r2, r0\n mov.ns r3, r1\n mov.zs r3, r2\n" STEPS
                   "fsub.sf r2, r1, r3\n fadd.ns r1, r1, 1.0\n fadd.cs r1, r1, r3\n ftoi r0, r1\n" Z
                   "mov tlb_color, r0\n" END,
     true},
    {"long, functions",
     VARYING STEPS "mov recip, r1 ; nop\n nop\n nop\n nop ; fmul r1, r4, r3\n" STEPS
                   "mov rsqrt, r1\n nop\n nop\n fadd r1, r4, r1\n mov log2, r1\n nop\n nop\n"
                   "nop ; fmul r1, r4, r3\n mov exp2, r1\n nop\n nop\n fadd r1, r4, r1\n"
                   "nop ; mov r2.c8888, r1\n mov tlb_color, r2\n mov tlb_color, r1\n" END,
     true},
    {"long, zeros",
     VARYING STEPS "mov r2, 0\n nop ; fmul r0, r1, r2\n nop ; fmul r2, r0, 0.5\n fadd r0, r0, r2\n"
                   "fsub r2, r2, r0 ; fmul r1, r0, unif\n fadd r2, r2, r1\n mov recip, r2\n nop\n nop\n"
                   "nop ; fmul r1, r4, r3\n" STEPS "fmax r0, r2, r1\n nop ; mov ra0.c8a, r1\n"
                   "nop ; mov ra0.c8b, r2\n nop\n xor r0, r0, ra0\n" Z "mov tlb_color, r0\n" END,
     true},
};

static uint32_t assemble(const char *text, uint64_t *words)
{
    struct util_error error = {0};
    uint64_t *out;
    uint32_t count;

    if (vc4_qpu_asm(text, strlen(text), &out, &count, &error))
        fail_msg("%s in\n%s", error.text, text);
    assert_true(count <= MAX_WORDS);
    memcpy(words, out, count * sizeof *words);
    free(out);
    return count;
}

/* ---- state ---- */

/* Texture set-up words (Guide tables 15 to 17) that stay inside memory. */
static void random_texture(const struct vc4_qpu_sample *sample, uint32_t words[4])
{
    static const uint8_t types[] = {0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 16};
    uint32_t type = types[below(UTIL_ARRAY_SIZE(types))], log_w = below(7), log_h = below(7);
    bool pot = random32() & 1, cube = sample->has_r && sample->param_count > 2 && random32() & 1;
    uint32_t w = pot ? 1u << log_w : 1 + below(100), h = pot ? 1u << log_h : 1 + below(100), levels;

    if (cube)
        h = w;
    levels = 1 + below(util_log2(UTIL_MAX(w, h)) + 1);
    words[0] = 0x40000 | cube << 9 | below(2) << 8 | (type & 15) << 4 | (levels - 1);
    words[1] =
        (type >> 4) << 31 | h << 20 | below(2) << 19 | w << 8 | below(2) << 7 | below(6) << 4 | below(16);
    words[2] = sample->param_count > 2 && (cube || below(3) == 0) ? 1u << 30 | 0x8000 | below(2) : 0;
    words[3] = 0;
}

static uint32_t random_uniform(void)
{
    static const float nice[] = {0, 1, 0.5f, -1, 0.25f, 2, 255};
    uint32_t stencil = (1 + below(3)) << 30 | (random32() & 0x3fffffff);

    switch (below(8)) {
    case 0: return random32();
    case 1: return below(32);
    case 2: return stencil;
    case 3: return 0x20000 + below(4096) * 4;
    case 4: return util_f2u(random_float(8));
    default: return util_f2u(nice[below(UTIL_ARRAY_SIZE(nice))]);
    }
}

static void random_uniforms(const struct vc4_qpu_program *program, uint8_t *memory)
{
    bool honest = below(8); /* resets of the stream go where the kernel sends them */

    for (uint32_t i = 0; i < program->uniform_count + 4; i++)
        util_store32(memory + UNIFORMS + 4 * i, random_uniform());
    for (uint32_t i = 0; i < program->sample_count; i++) {
        const struct vc4_qpu_sample *sample = &program->samples[i];
        uint32_t words[4];

        random_texture(sample, words);
        for (unsigned k = 0; k < sample->param_count; k++)
            if (sample->param[k] != VC4_QPU_NO_OFFSET)
                util_store32(memory + UNIFORMS + 4 * sample->param[k], words[k]);
    }
    for (uint32_t i = 0; honest && i < program->reset_word_count; i++)
        util_store32(memory + UNIFORMS + 4 * program->reset_words[i], UNIFORMS);
}

static void random_prim(struct raster_prim *prim, const struct raster_tile *tile)
{
    float wild = below(10) ? 1 : 1e9f;

    memset(prim, 0, sizeof *prim);
    prim->x0 = (float)tile->x + random_float(80);
    prim->y0 = (float)tile->y + random_float(80);
    prim->depth =
        raster_depth_plane(random_depth(0.01f) * wild, random_depth(0.01f),
                           below(4) ? random_depth(0.3f) + 0.5 * RASTER_DEPTH_STEPS : random_depth(2), 0,
                           (int32_t)(prim->x0 * 16), (int32_t)(prim->y0 * 16));
    prim->inv_w_a = below(2) ? 0 : random_float(0.01f);
    prim->inv_w_b = below(2) ? 0 : random_float(0.01f);
    prim->inv_w_c = below(8) ? 1 + random_float(0.9f) : random_float(1) * wild;
    prim->vary_count = RASTER_MAX_VARYINGS;
    prim->reverse = random32() & 1;
    for (unsigned n = 0; n < RASTER_MAX_VARYINGS; n++) {
        prim->vary_a[n] = below(4) ? random_float(0.05f) : random_float(wild);
        prim->vary_b[n] = below(4) ? random_float(0.05f) : random_float(wild);
        prim->vary_c[n] = below(20) ? random_float(2) : util_u2f(random32());
    }
}

static uint32_t random_blocks(const struct raster_tile *tile, struct raster_block *blocks)
{
    uint32_t across = tile->width / 4, down = tile->height / 4, count = 0;
    bool sparse = below(3) == 0; /* a quad a block */

    for (uint32_t i = 0; i < across * down; i++) {
        struct raster_block *block = &blocks[count];

        if (below(3))
            continue;
        *block = (struct raster_block){.x = (uint8_t)(i % across), .y = (uint8_t)(i / across)};
        for (unsigned k = 0; k < tile->samples; k++) {
            block->sample[k] = (uint16_t)(random32() & 1 ? 0xffff : random32());
            if (sparse)
                block->sample[k] &= (uint16_t)(15u << 4 * (i % 4));
            block->mask |= block->sample[k];
        }
        count += block->mask != 0;
    }
    return count;
}

/* Depths near those that primitives have, so that both verdicts are common. */
static void random_tile(struct raster_tile *tile, uint32_t samples, bool halves)
{
    memset(tile, 0, sizeof *tile);
    tile->samples = samples;
    tile->width = samples == 1 ? 64 : 32;
    tile->height = tile->width >> halves;
    tile->target = halves ? RASTER_TARGET_RGBA16F : RASTER_TARGET_8888;
    tile->x = (int32_t)(below(30) * tile->width);
    tile->y = (int32_t)(below(30) * tile->height);
    for (unsigned i = 0; i < RASTER_TILE_WORDS; i++) {
        tile->color[i] = random32();
        tile->zs[i] = (random32() >> (below(4) == 0)) ^ (below(3) ? 0 : 0x80000000);
    }
}

/* ---- comparison ---- */

struct trial {
    const char *name;
    const uint64_t *words;
    uint32_t count;
    enum jit_level level;
    struct vc4_frag_config config;
    unsigned state;
};

static void differ(const struct trial *trial, const char *what, unsigned index, uint32_t want, uint32_t got)
{
    print_message("program \"%s\" at %s, state %u: depth func %u, updates %d, %u samples\n", trial->name,
                  jit_level_name(trial->level), trial->state, trial->config.depth_func,
                  trial->config.z_updates, trial->config.samples);
    vc4_qpu_disasm_program(stderr, trial->words, trial->count);
    fail_msg("%s, word %u: want %08x, got %08x", what, index, want, got);
}

static void compare(const struct trial *trial, const struct raster_tile *want, const struct raster_tile *got,
                    const struct gpu_fault *want_fault, const struct gpu_fault *got_fault)
{
    if (want_fault->kind != got_fault->kind || want_fault->pc != got_fault->pc ||
        want_fault->lane != got_fault->lane || want_fault->address != got_fault->address ||
        strcmp(want_fault->text, got_fault->text) != 0) {
        print_message("want fault \"%s\" pc %u lane %u address %08" PRIx64
                      "\ngot  fault \"%s\" pc %u lane %u address %08" PRIx64 "\n",
                      want_fault->text, want_fault->pc, want_fault->lane, want_fault->address,
                      got_fault->text, got_fault->pc, got_fault->lane, got_fault->address);
        differ(trial, "fault", 0, want_fault->kind, got_fault->kind);
    }
    for (unsigned i = 0; i < RASTER_TILE_WORDS; i++) {
        if (want->color[i] != got->color[i])
            differ(trial, "colour", i, want->color[i], got->color[i]);
        if (want->zs[i] != got->zs[i])
            differ(trial, "depth and stencil", i, want->zs[i], got->zs[i]);
    }
}

struct bench {
    struct gpu_memory memory;
    struct jit_engine *engine;
    struct raster_tile *want, *got;
    unsigned compiled, opaque, interpreted, faults, blocks;
    unsigned halves, opaque_halves; /* of those compiled and opaque */
};

/* What an opaque draw is when its colours have waited; as raster_shader_shade. */
static uint32_t shade_later(const struct raster_shader *shader, const struct raster_prim *prim,
                            struct raster_tile *tile, const struct raster_block *blocks, uint32_t count,
                            struct raster_shader_work *work)
{
    alignas(16) uint8_t planes[sizeof(struct raster_planes) + RASTER_MAX_VARYINGS * 4 * sizeof(float)];
    struct raster_block left[RASTER_BLOCKS_MAX];
    struct raster_deferred_block deferred[RASTER_BLOCKS_MAX];
    uint16_t common;

    memcpy(left, blocks, count * sizeof *left);
    if (raster_shader_test(shader, prim, tile, left, &count, &common, work))
        return 1;
    raster_planes_copy(prim, shader->varyings, (struct raster_planes *)planes);
    for (uint32_t i = 0; i < count; i++) {
        if (shader->test)
            assert_int_equal(left[i].mask & common, common);
        deferred[i] = (struct raster_deferred_block){left[i].x, left[i].y, left[i].mask, 0};
    }
    if (count)
        raster_shader_color(shader, tile, planes, deferred, count, work);
    return 0;
}

static void draw(struct bench *bench, const struct trial *trial, const struct raster_shader *reference,
                 const struct raster_shader *shader)
{
    random_tile(bench->want, trial->config.samples, trial->config.rgba16f);
    *bench->got = *bench->want;
    for (unsigned k = 0; k < PRIMS; k++) {
        struct raster_block blocks[RASTER_BLOCKS_MAX];
        struct gpu_fault want = {0}, got = {0};
        struct raster_prim prim;
        uint32_t count = random_blocks(bench->want, blocks), status;
        /* Now and then too little fuel: also of what the compiler refused. */
        uint64_t fuel = below(16) == 0 ? below(4000) : 1ull << 40;
        struct raster_shader_work wanted = {.fuel = fuel, .fault = &want},
                                  done = {.fuel = fuel, .fault = &got};

        random_prim(&prim, bench->want);
        unsigned saved = util_fpenv_enter();

        status = raster_shader_shade(reference, &prim, bench->want, blocks, count, &wanted);
        uint32_t got_status = (shader->opaque && random32() & 1 ? shade_later : raster_shader_shade)(
            shader, &prim, bench->got, blocks, count, &done);
        util_fpenv_leave(saved);
        assert_int_equal(!status, !got_status);
        compare(trial, bench->want, bench->got, &want, &got);
        if (shader->opaque ? done.executed > wanted.executed : done.executed != wanted.executed)
            differ(trial, "instructions", 0, (uint32_t)wanted.executed, (uint32_t)done.executed);
        if (!status && wanted.fuel != done.fuel)
            differ(trial, "fuel", 0, (uint32_t)wanted.fuel, (uint32_t)done.fuel);
        if (done.blocks != count)
            differ(trial, "blocks", 0, count, (uint32_t)done.blocks);
        bench->faults += status != 0;
        bench->blocks += count;
        if (status)
            return;
    }
}

/* Returns whether the program was compiled in this state. */
static bool try_state(struct bench *bench, struct trial *trial, const struct vc4_qpu_program *program)
{
    struct vc4_shader_state state = {.fs = {.code = 0x8000, .uniforms = UNIFORMS, .program = program},
                                     .numeric = trial->state % ISA_NUMERIC_COUNT};
    struct gpu_fault want = {0}, got = {0};
    struct vc4_frag *reference, *frag;
    bool compiled;
    int status;

    bool halves = trial->state == STATES - 1; /* mostly of one sample, which may be opaque */
    trial->config =
        (struct vc4_frag_config){.coverage_leave = trial->state & 1,
                                 .coverage_mask = trial->state & 2,
                                 .depth_func = (uint8_t)below(8),
                                 .z_updates = random32() & 1,
                                 .samples = program->reads_coverage || below(halves ? 4 : 2) ? 1 : 4,
                                 .primitive = 2,
                                 .rgba16f = halves,
                                 .in_order = below(3) == 0};
    random_uniforms(program, bench->memory.base);
    status = vc4_frag_prepare(&bench->memory, NULL, &state, &trial->config, FUEL, NULL, &reference, &want);
    assert_int_equal(status, vc4_frag_prepare(&bench->memory, bench->engine, &state, &trial->config, FUEL,
                                              NULL, &frag, &got));
    if (status) {
        assert_string_equal(want.text, got.text);
        return false;
    }
    draw(bench, trial, vc4_frag_shader(reference), vc4_frag_shader(frag));
    jit_engine_optimise(bench->engine); /* what has run is optimised */
    draw(bench, trial, vc4_frag_shader(reference), vc4_frag_shader(frag));
    compiled = vc4_frag_compiled(frag);
    bench->compiled += compiled;
    bench->opaque += vc4_frag_shader(frag)->opaque;
    bench->halves += compiled && trial->config.rgba16f;
    bench->opaque_halves += compiled && trial->config.rgba16f && vc4_frag_shader(frag)->opaque;
    bench->interpreted += !compiled;
    vc4_frag_release(frag);
    vc4_frag_release(reference);
    return compiled;
}

static unsigned try_program(struct bench *bench, struct trial *trial)
{
    struct util_error error = {0};
    struct vc4_qpu_program *program;
    unsigned compiled = 0;

    if (vc4_qpu_program_create(trial->words, trial->count, &program, &error))
        fail_msg("%s: %s", trial->name, error.text);
    for (trial->state = 0; trial->state < STATES; trial->state++)
        compiled += try_state(bench, trial, program);
    vc4_qpu_program_destroy(program);
    return compiled;
}

static void bench_begin(struct bench *bench, enum jit_level level)
{
    struct jit_options options = {
        .level = (int)level, .optimize = JIT_AUTOMATIC, .hot_runs = 1, .cache_dir = ""};

    memset(bench, 0, sizeof *bench);
    assert_int_equal(jit_engine_create(&options, &bench->engine, NULL), 0);
    assert_int_equal(gpu_memory_create(MEMORY_SIZE, &bench->memory), 0);
    for (uint32_t i = 0; i < MEMORY_SIZE; i += 4)
        util_store32(bench->memory.base + i, random32());
    bench->want = aligned_alloc(64, sizeof *bench->want);
    bench->got = aligned_alloc(64, sizeof *bench->got);
}

static void bench_end(struct bench *bench)
{
    struct jit_stats stats;

    jit_engine_stats(bench->engine, &stats);
    assert_true(stats.optimised > stats.compiled / 4); /* so many were tried in both tiers */
    free(bench->want);
    free(bench->got);
    jit_engine_destroy(bench->engine);
    gpu_memory_destroy(&bench->memory);
}

static void try_named(struct bench *bench, const struct named *program, enum jit_level level)
{
    uint64_t words[MAX_WORDS];
    struct trial trial = {.name = program->name, .words = words, .level = level};

    trial.count = assemble(program->text, words);
    if ((try_program(bench, &trial) > 0) != program->compiles)
        fail_msg("%s: compiles %d", trial.name, !program->compiles);
}

static void test_programs(void **state)
{
    for (unsigned level = 0; level < JIT_LEVEL_COUNT; level++) {
        struct bench bench;

        if (!jit_level_supported((enum jit_level)level))
            continue;
        bench_begin(&bench, (enum jit_level)level);
        for (unsigned i = 0; i < UTIL_ARRAY_SIZE(programs); i++)
            try_named(&bench, &programs[i], (enum jit_level)level);
        assert_true(bench.faults > 10);
        assert_true(bench.opaque > 10);
        assert_true(bench.halves > 40);
        assert_true(bench.opaque_halves > 0);
        assert_true(bench.blocks > 10000);
        bench_end(&bench);
    }
}

/* Programs out of recorded submissions: interpolation, texture, and long control flow. */
static void test_captured(void **state)
{
    static const char *const files[] = {"triangle/bo000_h4_02190000.bin", "cube/bo000_h12_021a0000.bin",
                                        "loop/bo000_h15_021a3000.bin"};

    for (unsigned level = 0; level < JIT_LEVEL_COUNT; level++) {
        struct bench bench;

        if (!jit_level_supported((enum jit_level)level))
            continue;
        bench_begin(&bench, (enum jit_level)level);
        for (unsigned i = 0; i < UTIL_ARRAY_SIZE(files); i++) {
            struct trial trial = {.name = files[i], .level = (enum jit_level)level};
            uint64_t words[MAX_WORDS];
            char path[512];
            FILE *file;

            snprintf(path, sizeof path, "%s/tests/data/vc4/%s", SOURCE_DIR, files[i]);
            file = fopen(path, "rb");
            assert_non_null(file);
            trial.words = words;
            trial.count = (uint32_t)fread(words, sizeof *words, MAX_WORDS, file);
            fclose(file);
            assert_true(try_program(&bench, &trial) > 0);
        }
        bench_end(&bench);
    }
}

static void test_random(void **state)
{
    for (unsigned level = 0; level < JIT_LEVEL_COUNT; level++) {
        struct bench bench;

        if (!jit_level_supported((enum jit_level)level))
            continue;
        bench_begin(&bench, (enum jit_level)level);
        for (unsigned i = 0; i < RANDOM_COUNT; i++) {
            uint64_t words[MAX_WORDS];
            struct trial trial = {.name = "random", .words = words, .level = (enum jit_level)level};

            trial.count = vc4_qpu_random(1000 * level + i, VC4_QPU_RANDOM_FRAGMENT, words, 40 + below(120));
            try_program(&bench, &trial);
        }
        assert_true(bench.compiled > bench.interpreted);
        bench_end(&bench);
    }
}

static void test_loose(void **state)
{
    for (unsigned level = 0; level < JIT_LEVEL_COUNT; level++) {
        struct bench bench;

        if (!jit_level_supported((enum jit_level)level))
            continue;
        bench_begin(&bench, (enum jit_level)level);
        for (unsigned i = 0; i < UTIL_ARRAY_SIZE(loose); i++)
            try_named(&bench, &loose[i], (enum jit_level)level);
        bench_end(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_programs), cmocka_unit_test(test_captured),
                                       cmocka_unit_test(test_random), cmocka_unit_test(test_loose)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
