#include "gpu/families.h"
#include "gpu/libresoc/regs.h"
#include "gpu/picture.h"
#include "tools/libresoc_scene.h"
#include "tools/tool.h"
#include "util/list.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `vitrail libresoc draw`: a scene, drawn by Simple-V programs. */

#define NAME "libresoc draw"

struct options {
    const char *scene, *png, *capture;
    bool stats;
    struct tool_device_options device;
};

#define AT(member) offsetof(struct options, member)

static const struct tool_option rows[] = {
    {"o", "FILE", "write the picture as PNG", .kind = TOOL_FILE, .at = AT(png)},
    {"record", "FILE", "write a capture, which `vitrail replay` draws again", .kind = TOOL_FILE,
     .at = AT(capture)},
    {"stats", NULL, "print times and counters", .kind = TOOL_SWITCH, .at = AT(stats)},
    {0},
};

const struct tool_command tool_command_libresoc_draw = {
    .name = NAME,
    .summary = "draw a scene whose stages are Simple-V programs",
    .operands = "SCENE",
    .text =
        "Draws a scene with RV64GC programs with Simple-V as its vertex, fragment and blend stages. SCENE is "
        "a "
        "JSON file; what files it names stand beside it.\n\n"
        "Its members: \"size\" [width, height], \"format\", \"clear\" [r, g, b, a], \"clear_depth\", "
        "\"heap\" "
        "(bytes for vertices and tile lists); \"textures\" by name: \"png\" and \"wrap\" (clamp, repeat); "
        "\"buffers\" by name, each an array of parts, one behind the other: \"f32\", \"u32\", \"u16\", "
        "\"u8\" "
        "(numbers), \"file\", \"texture\" (its descriptor), \"address\" (of a buffer); \"programs\" by name: "
        "\"asm\" (text as `vitrail asm --isa simple-v` takes it), \"elf\" (position-independent; its entry) "
        "or "
        "\"words\"; and \"draws\".\n\n"
        "A draw has \"mode\", \"vertices\" and \"count\", \"indices\" (a buffer) of \"index_type\", "
        "\"instances\", \"attributes\" (each \"buffer\", \"offset\", \"stride\", \"format\", \"components\", "
        "\"divisor\"), \"varyings\" (scalars), \"flat\", \"flat_first\"; \"vertex\", \"fragment\" and "
        "\"blend\", each a \"program\" and the buffer of its \"uniforms\"; \"depth\" (\"func\", \"write\"), "
        "\"kills\", \"cull\", \"front\", \"viewport\", \"clip\", \"offset\", \"line_width\". "
        "gpu/libresoc/README.md says "
        "what programs find where.",
    .examples = "  vitrail libresoc draw tests/libresoc/draw/torus.json -o torus.png\n"
                "  vitrail libresoc draw --record torus.vtc tests/libresoc/draw/torus.json\n",
    .options = {{rows}, {tool_device_rows, AT(device)}},
    .takes = {"scene", 1, 1},
    .main = tool_libresoc_draw,
};

/* ---- files ---- */

struct beside {
    char **at;
    uint32_t count, room;
};

/* What stands beside the scene may be named by it: it is granted before the scene is read. */
static int grant(struct tool_sandbox *sandbox, const char *scene, struct beside *files)
{
    const char *slash = strrchr(scene, '/');
    const int length = slash ? (int)(slash - scene) + 1 : 0;
    char *folder = NULL;
    if (asprintf(&folder, "%.*s", length ? length : 1, length ? scene : ".") < 0)
        return tool_error(NAME, TOOL_HOST, "out of memory");
    DIR *dir = opendir(folder);
    free(folder);
    if (!dir)
        return TOOL_OK; /* whoever opens the scene says why */
    int code = TOOL_OK;
    for (struct dirent *entry; !code && (entry = readdir(dir));) {
        char *path = NULL;
        if (entry->d_name[0] == '.' || (entry->d_type != DT_REG && entry->d_type != DT_LNK))
            continue;
        if (asprintf(&path, "%.*s%s", length, scene, entry->d_name) < 0 || !UTIL_LIST_ADD(*files, path))
            code = tool_error(NAME, TOOL_HOST, "out of memory");
        else
            tool_sandbox_reads(sandbox, path);
    }
    closedir(dir);
    return code;
}

static int enter_sandbox(struct options *o)
{
    struct tool_sandbox sandbox = {.name = NAME, .off = o->device.no_sandbox, .device = &o->device};
    struct beside files = {0};
    tool_sandbox_reads(&sandbox, o->scene);
    tool_sandbox_writes(&sandbox, o->png);
    tool_sandbox_writes(&sandbox, o->capture);
    int code = grant(&sandbox, o->scene, &files);
    if (!code)
        code = tool_sandbox_enter(&sandbox);
    for (uint32_t n = 0; n < files.count; n++)
        free(files.at[n]);
    free(files.at);
    return code;
}

/* ---- drawing ---- */

struct drawing {
    const struct options *options;
    struct gpu_memory memory;
    struct gpu_device gpu;
    struct capture_writer *writer; /* NULL: nothing is recorded */
    int status;                    /* of writing it */
};

static void keep(struct drawing *d, int status)
{
    d->status = d->status ? d->status : status;
}

static void write_register(struct drawing *d, uint32_t offset, uint32_t value)
{
    if (d->writer)
        keep(d, capture_write_register(d->writer, offset, value, false));
    gpu_device_write(&d->gpu, offset, value);
}

static bool print_faults(struct drawing *d)
{
    struct gpu_fault fault;
    bool any = false;
    while (gpu_host_faults(d->gpu.host, &fault, 1)) {
        tool_print_fault(&fault);
        any = true;
    }
    return any;
}

static void print_stats(const struct drawing *d, double seconds)
{
    const struct gpu_counters *c = &d->gpu.host->counters;
    fprintf(stderr,
            "%.3f ms; %" PRIu64 " draws, %" PRIu64 " vertices, %" PRIu64 " primitives, %" PRIu64
            " in tile lists, %" PRIu64 " blocks of 4x4 pixels, %" PRIu64 " instructions\n",
            seconds * 1e3, c->draws, c->vertices, c->primitives_in, c->primitives_binned, c->blocks_shaded,
            c->instructions);
}

static int write_picture(struct drawing *d)
{
    struct capture_frame frame;
    struct util_image image = {0};
    const bool has = gpu_host_frame(d->gpu.host, &frame);
    if (!has)
        return TOOL_FAULT;
    if (d->writer)
        keep(d, capture_write_frame(d->writer, &frame));
    if (!d->options->png)
        return TOOL_OK;
    int status = gpu_picture(&d->memory, &frame, &image);
    if (!status)
        status = util_image_write_png(&image, d->options->png, 0);
    util_image_finish(&image);
    return status ? tool_error(NAME, TOOL_HOST, "%s: %s", d->options->png, strerror(-status)) : TOOL_OK;
}

static int draw(struct drawing *d, const struct tool_scene *scene)
{
    if (d->writer)
        keep(d, capture_write_range(d->writer, &d->memory, 0, scene->used));
    write_register(d, LIBRESOC_RECORD_LOW, (uint32_t)scene->record);
    write_register(d, LIBRESOC_RECORD_HIGH, (uint32_t)(scene->record >> 32));
    const double begin = tool_seconds();
    write_register(d, LIBRESOC_COMMAND, LIBRESOC_BIT(COMMAND, START));
    if (d->options->stats)
        print_stats(d, tool_seconds() - begin);
    return print_faults(d) ? TOOL_FAULT : write_picture(d);
}

/* With the capture, which is whole even where the draw has a fault. */
static int record(struct drawing *d, const struct tool_scene *scene)
{
    struct util_error error = {0};
    char command[256];
    snprintf(command, sizeof command, "vitrail libresoc draw %s", d->options->scene);
    if (d->options->capture &&
        capture_writer_create(d->options->capture, "libresoc", command, d->memory.size, &d->writer, &error))
        return tool_error(NAME, TOOL_HOST, "%s", error.text);
    const int code = draw(d, scene);
    keep(d, capture_writer_close(d->writer));
    return d->status ? tool_error(NAME, TOOL_HOST, "%s: %s", d->options->capture, strerror(-d->status))
                     : code;
}

static int with_device(struct drawing *d, const struct tool_scene *scene)
{
    struct gpu_options options = {0};
    struct jit_engine *engine;
    struct util_pool *pool;
    int code = tool_device_open(NAME, &d->options->device, &pool, &engine, &options);
    if (!code) {
        const int status = gpu_create("libresoc", &d->memory, &options, &d->gpu);
        code = status ? tool_error(NAME, TOOL_HOST, "%s", strerror(-status)) : record(d, scene);
        gpu_device_destroy(&d->gpu);
    }
    jit_engine_destroy(engine);
    util_pool_destroy(pool);
    return code;
}

int tool_libresoc_draw(int argc, char **argv)
{
    struct options o = {.device = TOOL_USUAL_DEVICE};
    struct drawing d = {.options = &o};
    struct tool_operands scene_name;
    struct util_error error = {0};
    struct tool_scene scene;
    int code = tool_parse(&tool_command_libresoc_draw, argc, argv, &o, &scene_name);
    if (code)
        return code < 0 ? TOOL_OK : code;
    o.scene = scene_name.at[0];
    code = enter_sandbox(&o);
    if (code)
        return code;
    const int status = gpu_memory_create(TOOL_SCENE_MEMORY, &d.memory);
    if (status)
        return tool_error(NAME, TOOL_HOST, "%s", strerror(-status));
    const int loaded = tool_scene_load(o.scene, &d.memory, &scene, &error);
    if (!loaded)
        code = with_device(&d, &scene);
    else
        code = loaded == -ENOMEM ? TOOL_HOST : TOOL_BAD_FILE;
    if (loaded)
        tool_error(NAME, code, "%s", error.text);
    gpu_memory_destroy(&d.memory);
    return code;
}
