/* A scene of `vitrail libresoc draw`, frame after frame: milliseconds each. With `--native LIBRARY` its launches call functions
 * `vertex`, `fragment` and `blend` of that library (tests/libresoc/draw/shaders.c for the host) in place of the programs, between
 * the same tiler and rasterizer; --keep writes a frame's launches, for bench_simple_v_frame.c. Linked so that the device's calls of
 * libresoc_stage_run and libresoc_table_fill come here. `tests/bench/simple_v` runs it. */
#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/families.h"
#include "gpu/libresoc/regs.h"
#include "gpu/libresoc/frag.h"
#include "gpu/libresoc/frag_table.h"
#include "gpu/picture.h"
#include "tests/bench/simple_v_frame.h"
#include "tools/libresoc_scene.h"
#include "tools/tool.h"
#include "util/bits.h"
#include "util/list.h"

static struct {
    simple_v_shader_fn native[LIBRESOC_STAGES]; /* NULL: the guest's programs */
    const struct gpu_memory *memory;
    FILE *keep;                    /* NULL: launches are not kept; one thread alone where they are */
    struct simple_v_launch launch; /* planes of the tile at hand */
    uint32_t kept;
    bool failed;
} bench;

/* ---- launches ---- */

static bool run_native(const struct libresoc_stage *stage, struct libresoc_launch *launch)
{
    const void *uniforms = bench.memory->base + stage->uniforms;
    struct simple_v_texture texture;
    if (stage->kind == LIBRESOC_FRAGMENT)
        uniforms = simple_v_texture_on_host(&texture, uniforms, bench.memory->base);
    bench.native[stage->kind](0, 0, (long)launch->lanes, launch->local->in, launch->local->out, uniforms);
    launch->left = launch->mask;
    launch->executed = 1;
    return true;
}

static void keep(const void *bytes, size_t size)
{
    bench.failed |= fwrite(bytes, 1, size, bench.keep) != size;
}

/* As far as the file knows such launches; a blend program's goes with the fragment program's. */
static void keep_launch(const struct libresoc_stage *stage, const struct libresoc_launch *launch)
{
    struct simple_v_launch it = stage->kind == LIBRESOC_FRAGMENT ? bench.launch : (struct simple_v_launch){0};
    it.is_fragment = stage->kind == LIBRESOC_FRAGMENT;
    it.lanes = (uint32_t)launch->lanes;
    it.mask = launch->mask;
    it.uniforms = stage->uniforms;
    it.in_bytes = it.is_fragment ? 0 : launch->in_bytes;
    if (it.is_fragment) {
        const size_t at = offsetof(struct libresoc_frag, fragment);
        const struct libresoc_frag *frag = (const struct libresoc_frag *)((const char *)stage - at);
        bench.failed |= frag->varyings != SIMPLE_V_FRAME_VARYINGS || frag->kills;
        it.depth_write = frag->early.zs.depth_write;
        it.blends = frag->has_blend;
    }
    keep(&it, sizeof it);
    keep(launch->local->in, it.in_bytes);
    bench.kept++;
}

bool __real_libresoc_stage_run(const struct libresoc_stage *stage, struct libresoc_launch *launch,
                               struct gpu_fault *fault);
bool __wrap_libresoc_stage_run(const struct libresoc_stage *stage, struct libresoc_launch *launch,
                               struct gpu_fault *fault);

bool __wrap_libresoc_stage_run(const struct libresoc_stage *stage, struct libresoc_launch *launch,
                               struct gpu_fault *fault)
{
    if (bench.native[stage->kind])
        return run_native(stage, launch);
    if (bench.keep && stage->kind != LIBRESOC_BLEND)
        keep_launch(stage, launch);
    return __real_libresoc_stage_run(stage, launch, fault);
}

void __real_libresoc_table_fill(enum raster_cover_level level, const struct raster_prim *prim, int32_t x,
                                int32_t y, uint32_t varyings, libresoc_stream *in);
void __wrap_libresoc_table_fill(enum raster_cover_level level, const struct raster_prim *prim, int32_t x,
                                int32_t y, uint32_t varyings, libresoc_stream *in);

void __wrap_libresoc_table_fill(enum raster_cover_level level, const struct raster_prim *prim, int32_t x,
                                int32_t y, uint32_t varyings, libresoc_stream *in)
{
    __real_libresoc_table_fill(level, prim, x, y, varyings, in);
    if (!bench.keep)
        return;
    bench.launch = (struct simple_v_launch){.depth_a = prim->depth.a,
                                            .depth_b = prim->depth.b,
                                            .depth_c = prim->depth.c,
                                            .x = x,
                                            .y = y,
                                            .depth_shift = prim->depth.shift,
                                            .x0 = prim->x0,
                                            .y0 = prim->y0,
                                            .inv_w = {prim->inv_w_a, prim->inv_w_b, prim->inv_w_c}};
    for (unsigned k = 0; k < SIMPLE_V_FRAME_VARYINGS; k++) {
        const float plane[3] = {prim->vary_a[k], prim->vary_b[k], prim->vary_c[k]};
        memcpy(bench.launch.vary[k], plane, sizeof plane);
    }
}

/* ---- frames ---- */

/* False: it had a fault, which is told. */
static bool draw(struct gpu_device *gpu, const struct tool_scene *scene)
{
    struct gpu_fault fault;
    gpu_device_write(gpu, LIBRESOC_RECORD_LOW, (uint32_t)scene->record);
    gpu_device_write(gpu, LIBRESOC_RECORD_HIGH, (uint32_t)(scene->record >> 32));
    gpu_device_write(gpu, LIBRESOC_COMMAND, LIBRESOC_BIT(COMMAND, START));
    if (!gpu_host_faults(gpu->host, &fault, 1))
        return true;
    tool_print_fault(&fault);
    return false;
}

static bool keep_frame(struct gpu_device *gpu, const struct tool_scene *scene, const char *path)
{
    struct libresoc_frame_record record;
    struct gpu_fault fault;
    if (!libresoc_frame_read(bench.memory, scene->record, &record, &fault) ||
        !(bench.keep = fopen(path, "wb")))
        return false;
    struct simple_v_frame head = {.memory_bytes = util_align(scene->used, 64),
                                  .width = record.width,
                                  .height = record.height,
                                  .clear = record.clear_color};
    keep(&head, sizeof head);
    keep(bench.memory->base, head.memory_bytes);
    const bool drawn = draw(gpu, scene);
    head.count = bench.kept;
    keep(bench.memory->base + record.color, 4ull * record.width * record.height);
    bench.failed |= fseek(bench.keep, 0, SEEK_SET) != 0;
    keep(&head, sizeof head);
    bench.failed |= fclose(bench.keep) != 0;
    bench.keep = NULL;
    return drawn && !bench.failed;
}

static bool write_picture(const struct gpu_device *gpu, const char *path)
{
    struct capture_frame frame;
    struct util_image image = {0};
    const bool done = gpu_host_frame(gpu->host, &frame) && !gpu_picture(bench.memory, &frame, &image) &&
                      !util_image_write_png(&image, path, 0);
    util_image_finish(&image);
    return done;
}

static bool load_native(const char *path)
{
    static const char *const names[LIBRESOC_STAGES] = {"vertex", "fragment", "blend"};
    void *library = dlopen(path, RTLD_NOW);
    for (unsigned n = 0; library && n < LIBRESOC_STAGES; n++)
        bench.native[n] = (simple_v_shader_fn)dlsym(library, names[n]);
    return library && bench.native[0] && bench.native[1] && bench.native[2];
}

static int usage(void)
{
    fprintf(stderr,
            "Usage: bench_simple_v_scene [--native LIBRARY.so] [--keep FRAME] [--png FILE] [--frames N]\n"
            "                            [--threads N] [--level NAME] SCENE\n"
            "Prints milliseconds of each frame.\n");
    return TOOL_USAGE;
}

struct options {
    const char *native, *keep, *png;
    unsigned long frames;
    struct tool_device_options device;
};

static bool read_options(int argc, char **argv, struct options *o)
{
    static const struct option rows[] = {
        {"native", 1, NULL, 'n'},  {"keep", 1, NULL, 'k'},  {"png", 1, NULL, 'p'}, {"frames", 1, NULL, 'f'},
        {"threads", 1, NULL, 't'}, {"level", 1, NULL, 'l'}, {NULL, 0, NULL, 0}};
    int option;
    while ((option = getopt_long(argc, argv, "", rows, NULL)) >= 0)
        switch (option) {
        case 'n': o->native = optarg; break;
        case 'k': o->keep = optarg; break;
        case 'p': o->png = optarg; break;
        case 'f': o->frames = strtoul(optarg, NULL, 10); break;
        case 't': o->device.threads = strtoul(optarg, NULL, 10); break;
        case 'l':
            for (o->device.level = JIT_LEVEL_COUNT - 1; o->device.level >= 0; o->device.level--)
                if (!strcmp(jit_level_name((enum jit_level)o->device.level), optarg))
                    break;
            if (o->device.level < 0)
                return false;
            break;
        default: return false;
        }
    return optind == argc - 1;
}

static int run(struct gpu_device *gpu, const struct tool_scene *scene, const struct options *o)
{
    for (unsigned long n = 0; n < o->frames; n++) {
        const double begun = tool_seconds();
        if (!draw(gpu, scene))
            return TOOL_FAULT;
        printf("%.3f\n", (tool_seconds() - begun) * 1e3);
    }
    if (o->png && !write_picture(gpu, o->png))
        return tool_error("bench", TOOL_HOST, "%s: cannot be written", o->png);
    if (o->keep && !keep_frame(gpu, scene, o->keep))
        return tool_error("bench", TOOL_HOST, "%s: cannot be written", o->keep);
    return TOOL_OK;
}

int main(int argc, char **argv)
{
    struct options o = {.frames = 1, .device = TOOL_USUAL_DEVICE};
    struct gpu_memory memory;
    struct gpu_device gpu;
    struct gpu_options options = {0};
    struct jit_engine *engine;
    struct util_pool *pool;
    struct tool_scene scene;
    struct util_error error = {0};
    o.device.threads = 0;
    o.device.tier = JIT_OPTIMISED;
    if (!read_options(argc, argv, &o) || (o.keep && o.device.threads))
        return usage();
    if (o.native && !load_native(o.native))
        return tool_error("bench", TOOL_BAD_FILE, "%s: %s", o.native, dlerror());
    if (gpu_memory_create(TOOL_SCENE_MEMORY, &memory))
        return tool_error("bench", TOOL_HOST, "no memory for the guest");
    bench.memory = &memory;
    if (tool_scene_load(argv[optind], &memory, &scene, &error))
        return tool_error("bench", TOOL_BAD_FILE, "%s", error.text);
    int code = tool_device_open("bench", &o.device, &pool, &engine, &options);
    if (code)
        return code;
    if (gpu_create("libresoc", &memory, &options, &gpu))
        return tool_error("bench", TOOL_HOST, "no device");
    code = run(&gpu, &scene, &o);
    gpu_device_destroy(&gpu);
    jit_engine_destroy(engine);
    util_pool_destroy(pool);
    gpu_memory_destroy(&memory);
    return code;
}
