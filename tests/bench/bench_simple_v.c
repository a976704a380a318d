/* A lit, textured and blended fragment program of Simple-V, compiled, over tiles of 8x8 pixels: nanoseconds a launch on one core,
 * beside the same in C as the compiler of this file vectorises it. Both give the interpreter's pixels, or it says so. Not a
 * test: run it by hand. Built by `clang-19 -O3 -march=native -ffp-contract=off` with the libraries of isa, jit and util. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "isa/simple_v/asm.h"
#include "isa/simple_v/trans.h"
#include "util/bits.h"

/* Guest addresses are offsets into the memory, from AT on. */
enum {
    AT = 0x100000,
    BYTES = 0x80000,
    VARYINGS = 0x1000,
    TILE = 0x3000,
    UNIFORMS = 0x4000,
    TEXTURE = 0x10000
};
enum { PIXELS = 64, VARYING_COUNT = 9, SIDE = 256, CODE = 0x10000, STOP = 0x20000, LAUNCHES = 50000 };
enum { U = 4, V, NX, NY, NZ }; /* varyings, each of all pixels; before them x, y, z, 1/w */

/* x9: coverage; x13: varyings; x14: the tile; x15: uniforms. */
static const char text[] = "sv.setvl x0, x0, 64\n"
                           "flw f0, 0(x15)\n"
                           "flw f1, 4(x15)\n"
                           "flw f2, 8(x15)\n"
                           "flw f3, 12(x15)\n"
                           "flw f4, 16(x15)\n"
                           "flw f5, 20(x15)\n"
                           "ld x16, 32(x15)\n"
                           "lwu x17, 40(x15)\n"
                           "lwu x18, 44(x15)\n"
                           "lwu x19, 48(x15)\n"
                           "lwu x21, 52(x15)\n"
                           "addi x20, x13, 1024\n"
                           "c.mv x10, x9\n"
                           /* the texel: nearest, clamped */
                           "p48 flw f32v, 0(x20)\n"
                           "p48 fmul.s f32v, f32v, f4\n"
                           "p48 fcvt.wu.s x32v, f32v, rtz, itype:32\n"
                           "p48 minu x32v, x32v, x17, itype:32\n"
                           "p48 flw f64v, 256(x20)\n"
                           "p48 fmul.s f64v, f64v, f5\n"
                           "p48 fcvt.wu.s x64v, f64v, rtz, itype:32\n"
                           "p48 minu x64v, x64v, x18, itype:32\n"
                           "p48 mul x64v, x64v, x19, itype:32\n"
                           "p48 add x32v, x64v, x32v, itype:32\n"
                           "p48 slli x32v, x32v, 2, itype:32\n"
                           "vblock regs(x5=x64v, x6=x32v:32) { add x5, x6, x16 }\n"
                           "p48 lwu x32v, 0(x64v), itype:32\n"
                           /* the light, a byte in all four of a word */
                           "p48 flw f32v, 512(x20)\n"
                           "p48 fmul.s f32v, f32v, f0\n"
                           "p48 flw f64v, 768(x20)\n"
                           "p48 fmadd.s f32v, f64v, f1, f32v\n"
                           "p48 flw f64v, 1024(x20)\n"
                           "p48 fmadd.s f32v, f64v, f2, f32v\n"
                           "p48 fmax.s f32v, f32v, f6\n"
                           "p48 fmul.s f32v, f32v, f3\n"
                           "p48 fcvt.wu.s x96v, f32v, rtz, itype:32\n"
                           "addi x22, x0, 255\n"
                           "p48 minu x96v, x96v, x22, itype:32\n"
                           "p48 mul x96v, x96v, x21, itype:32\n"
                           "p48 mulhu x32v, x32v, x96v, itype:8, svlen:4\n"
                           /* blended by its alpha, where the mask is set */
                           "p48 srli x64v, x32v, 24, itype:32\n"
                           "p48 mul x64v, x64v, x21, itype:32\n"
                           "p48 mulhu x32v, x32v, x64v, itype:8, svlen:4\n"
                           "p48 lwu x96v, 0(x14), itype:32\n"
                           "p48 xori x64v, x64v, -1, itype:8, svlen:4\n"
                           "p48 mulhu x96v, x96v, x64v, itype:8, svlen:4\n"
                           "p48 add x32v, x32v, x96v, itype:8, svlen:4\n"
                           "p48 sw x32v, 0(x14), itype:32, src:x9, dst:x10\n"
                           "jalr x0, 0(x1)\n";

struct uniforms {
    float light[3], scale, width, height, unused[2];
    uint64_t texture;
    uint32_t last_u, last_v, stride, ones;
};

struct launch {
    struct simple_v_thread thread;
    uint8_t *memory;
};

static uint8_t *memory;
static struct simple_v_program *program;

static void *at(unsigned offset)
{
    return memory + offset;
}

static bool load(void *ctx, uint64_t address, unsigned bytes, uint64_t *out)
{
    *out = 0;
    if (address - AT > BYTES - bytes)
        return false;
    memcpy(out, memory + (address - AT), bytes);
    return true;
}

static bool store(void *ctx, uint64_t address, unsigned bytes, uint64_t value)
{
    if (address - AT > BYTES - bytes)
        return false;
    memcpy(memory + (address - AT), &value, bytes);
    return true;
}

static const struct simple_v_ports ports = {NULL, load, store, NULL};

/* ---- compiled ---- */

static LLVMValueRef all_lanes(struct jit_builder *b, LLVMValueRef x, LLVMValueRef like)
{
    const LLVMTypeRef type = LLVMTypeOf(like);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return x;
    const LLVMTypeRef which = LLVMVectorType(b->i32, LLVMGetVectorSize(type));
    x = LLVMBuildInsertElement(b->ir, LLVMGetPoison(type), x, jit_i32(b, 0), "");
    return LLVMBuildShuffleVector(b->ir, x, LLVMGetPoison(type), LLVMConstNull(which), "");
}

static LLVMValueRef place(void *ctx, struct jit_builder *b, LLVMValueRef thread, LLVMValueRef address,
                          LLVMValueRef bytes, bool stores, LLVMValueRef *there)
{
    const LLVMValueRef host = jit_offset_const(b, thread, offsetof(struct launch, memory));
    const LLVMValueRef most = LLVMBuildSub(b->ir, jit_i64(b, BYTES), bytes, "");
    const LLVMValueRef offset = LLVMBuildSub(b->ir, address, all_lanes(b, jit_i64(b, AT), address), "");
    *there = LLVMBuildICmp(b->ir, LLVMIntULE, offset, all_lanes(b, most, address), "");
    return LLVMBuildAdd(b->ir, all_lanes(b, jit_load(b, b->i64, host, 8, true), address), offset, "");
}

static int emit(struct jit_builder *b, void *data)
{
    static const struct simple_v_ir_ports all = {NULL, place};
    jit_begin_function(b, b->void_, &b->ptr, 1);
    const int status = simple_v_translate(b, program, NULL, STOP, &all, jit_param(b, 0));
    LLVMBuildRetVoid(b->ir);
    return status;
}

/* ---- native ---- */

static __attribute__((noinline)) void native(const float *restrict v, uint32_t *restrict tile,
                                             const struct uniforms *uniforms, const uint32_t *restrict texels,
                                             uint64_t mask)
{
    const struct uniforms copy = *uniforms, *n = &copy;
    for (int i = 0; i < PIXELS; i++) {
        float l = v[NX * PIXELS + i] * n->light[0];
        l = fmaf(v[NY * PIXELS + i], n->light[1], l);
        l = fmaf(v[NZ * PIXELS + i], n->light[2], l);
        l = fmaxf(l, 0) * n->scale;
        uint32_t light = (uint32_t)l;
        if (light > 255)
            light = 255;
        uint32_t x = (uint32_t)(v[U * PIXELS + i] * n->width), y = (uint32_t)(v[V * PIXELS + i] * n->height);
        if (x > n->last_u)
            x = n->last_u;
        if (y > n->last_v)
            y = n->last_v;
        const uint32_t texel = texels[y * n->stride + x], old = tile[i], alpha = (texel >> 24) * light >> 8;
        uint32_t out = 0;
        for (int c = 0; c < 32; c += 8) {
            const uint32_t source = ((texel >> c & 255) * light >> 8) * alpha >> 8;
            out |= ((source + ((old >> c & 255) * (255 - alpha) >> 8)) & 255) << c;
        }
        tile[i] = mask >> i & 1 ? out : old;
    }
}

/* ---- */

static void fill(void)
{
    const struct uniforms n = {.light = {0.3f, 0.4f, 0.86f},
                               .scale = 256,
                               .width = SIDE,
                               .height = SIDE,
                               .texture = AT + TEXTURE,
                               .last_u = SIDE - 1,
                               .last_v = SIDE - 1,
                               .stride = SIDE,
                               .ones = 0x01010101};
    float *varyings = at(VARYINGS);
    uint32_t *tile = at(TILE), *texels = at(TEXTURE);
    srand(1);
    for (unsigned i = 0; i < VARYING_COUNT * PIXELS; i++)
        varyings[i] = (float)rand() / (float)RAND_MAX;
    for (unsigned i = 0; i < PIXELS; i++)
        tile[i] = (uint32_t)rand() * 77u;
    for (unsigned i = 0; i < SIDE * SIDE; i++)
        texels[i] = (uint32_t)rand() * 2654435761u;
    memcpy(memory + UNIFORMS, &n, sizeof n);
}

enum how { COMPILED, INTERPRETED, NATIVE };

static void launch(enum how how, void (*code)(struct launch *))
{
    static struct launch l;
    const uint64_t mask = 0x7ffffffffffffffe;
    const struct simple_v_run run = {.program = program, .ports = &ports, .stop = STOP, .fuel = 100000};
    if (how == NATIVE) {
        native(at(VARYINGS), at(TILE), at(UNIFORMS), at(TEXTURE), mask);
        return;
    }
    simple_v_thread_start(&l.thread, &run, CODE);
    l.memory = memory;
    const uint64_t x[][2] = {{1, STOP},           {9, mask},       {12, PIXELS},
                             {13, AT + VARYINGS}, {14, AT + TILE}, {15, AT + UNIFORMS}};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(x); n++)
        simple_v_set_x(&l.thread.state, (unsigned)x[n][0], x[n][1]);
    if (how == COMPILED)
        code(&l);
    else
        simple_v_run(&run, &l.thread.state, &l.thread.report);
    if (l.thread.report.fault)
        printf("it %s\n", simple_v_faults[l.thread.report.fault].text);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void measure(const char *name, enum how how, void (*code)(struct launch *))
{
    uint8_t expected[4 * PIXELS];
    fill();
    launch(INTERPRETED, NULL);
    memcpy(expected, memory + TILE, sizeof expected);
    fill();
    launch(how, code);
    const bool same = memcmp(expected, memory + TILE, sizeof expected) == 0;
    const double begun = seconds();
    for (unsigned n = 0; n < LAUNCHES; n++)
        launch(how, code);
    printf("%-8s %6.1f ns a launch%s\n", name, (seconds() - begun) / LAUNCHES * 1e9,
           same ? "" : ", other pixels");
}

int main(void)
{
    struct util_error error = {0};
    void *words, *code;
    uint32_t count;
    /* Not static, or compilers see through pointers that are told apart. */
    if (!(memory = aligned_alloc(64, BYTES)))
        return 1;
    if (simple_v_asm(text, sizeof text - 1, &words, &count, &error) ||
        simple_v_program_create(words, count, CODE, &program, &error))
        return fprintf(stderr, "%s\n", error.text), 1;
    for (unsigned level = 0; level < JIT_LEVEL_COUNT; level++) {
        const struct jit_options options = {.level = (int)level, .optimize = JIT_OPTIMISED, .cache_dir = ""};
        const struct jit_request request = {
            .key = &level, .key_size = sizeof level, .name = "bench", .emit = emit};
        struct jit_engine *engine;
        if (!jit_level_supported((enum jit_level)level))
            continue;
        if (jit_engine_create(&options, &engine, &error) || jit_engine_get(engine, &request, &code, &error))
            return fprintf(stderr, "%s\n", error.text), 1;
        measure(jit_level_name((enum jit_level)level), COMPILED, (void (*)(struct launch *))code);
        jit_engine_destroy(engine);
    }
    measure("native", NATIVE, NULL);
    simple_v_program_destroy(program);
    free(words);
    free(memory);
    return 0;
}
