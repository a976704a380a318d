#include "micro.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: micro [OPTIONS]\n"
    "\n"
    "Draws GLES2 workloads into an off-screen target and prints a row of comma-separated values each.\n"
    "\n"
    "  --only=A,B --skip=A,B  workloads to draw, to leave out; --list names them\n"
    "  --size=WxH             the target (1280x720)\n"
    "  --layers=N             full-screen quads a frame of fill-* (20) and depth-* (50)\n"
    "  --triangles=N          of a mesh: tri-* (200,000 to 500,000; tri-medium-tex 18,432, four times), "
    "vertex-heavy\n"
    "                         (66,667)\n"
    "  --draws=N              of draws (2000)\n"
    "  --texture=N            texels along a side (512)\n"
    "  --halves               a target of RGBA16F (lima: "
    "MESA_EXTENSION_OVERRIDE=GL_EXT_color_buffer_half_float)\n"
    "  --variants=N           programs of variants and --compile (9)\n"
    "  --reps=N --mintime=S   repetitions (7), seconds of each (0.5)\n"
    "  --frames=N --warmup=N  frames of a repetition, instead of --mintime; frames before the first (2)\n"
    "  --quiet=P              wait until others use less than P processors (0.1; 0: do not wait)\n"
    "  --compile=simple|complex  time from source to first pixel instead\n"
    "  --egl=FILE --gles=FILE libraries to use (libEGL.so.1, libGLESv2.so.2)\n"
    "  --es=2|3               context; 3 for msaa4-* and compute-*\n"
    "  --ppm=PREFIX           write each workload's last picture as PREFIXname.ppm\n"
    "  --tag=TEXT --header    first column; print the columns' names\n"
    "\n"
    "rate is work_per_frame by wall seconds, in millions; every frame ends with glFinish, the workload with "
    "glReadPixels.\n";
static const char columns[] = "tag,workload,unit,work_per_frame,frames,reps,rate_med,rate_min,rate_max,wall_"
                              "ms_med,wall_ms_min,wall_ms_max,"
                              "user_ms_med,sys_ms_med,checksum,mean_rgba,other_cpus";

struct micro_options micro = {
    .width = 1280, .height = 720, .es_version = 2, .draws = 2000, .texture = 512, .variants = 9};

struct workload micro_workloads[] = {
    {"clear-only", "Mpix", micro_clear_setup, micro_clear_frame, 0},
    {"fill-flat", "Mpix", micro_flat_setup, micro_flat_frame, FLAT_PLAIN},
    {"fill-flat-nozs", "Mpix", micro_flat_setup, micro_flat_frame, FLAT_NO_DEPTH},
    {"fill-blend", "Mpix", micro_flat_setup, micro_flat_frame, FLAT_BLEND},
    {"fill-tex-nearest", "Mpix", micro_textured_setup, micro_textured_frame, TEXTURED_NEAREST},
    {"fill-tex-bilinear", "Mpix", micro_textured_setup, micro_textured_frame, TEXTURED_BILINEAR},
    {"fill-tex-bilinear-mp", "Mpix", micro_textured_setup, micro_textured_frame, TEXTURED_MODULATE},
    {"fill-tex-bilin-blend", "Mpix", micro_textured_setup, micro_textured_frame, TEXTURED_BLEND},
    {"fill-tex-trilinear", "Mpix", micro_textured_setup, micro_textured_frame, TEXTURED_TRILINEAR},
    {"shader-alu", "Mpix", micro_shader_setup, micro_shader_frame, SHADER_ALU},
    {"shader-alu-mp", "Mpix", micro_shader_setup, micro_shader_frame, SHADER_ALU_MEDIUM},
    {"shader-transcend", "Mpix", micro_shader_setup, micro_shader_frame, SHADER_TRANSCENDENTAL},
    {"shader-branch", "Mpix", micro_shader_setup, micro_shader_frame, SHADER_BRANCH},
    {"depth-overdraw", "Mpix", micro_depth_setup, micro_depth_frame, DEPTH_FRONT_TO_BACK},
    {"depth-back2front", "Mpix", micro_depth_setup, micro_depth_frame, DEPTH_BACK_TO_FRONT},
    {"tri-small", "Mtri", micro_triangles_setup, micro_triangles_frame, TRIANGLES_SMALL},
    {"tri-small-depth", "Mtri", micro_triangles_setup, micro_triangles_frame, TRIANGLES_DEPTH},
    {"tri-medium-tex", "Mtri", micro_triangles_setup, micro_triangles_frame, TRIANGLES_TEXTURED},
    {"tri-cull", "Mtri", micro_triangles_setup, micro_triangles_frame, TRIANGLES_CULLED},
    {"vertex-heavy", "Mvert", micro_vertices_setup, micro_vertices_frame},
    {"draws", "Mdraw", micro_draws_setup, micro_draws_frame},
    {"variants", "Mdraw", micro_variants_setup, micro_variants_frame},
    {"compute-saxpy", "Melem", micro_compute_setup, micro_compute_frame, COMPUTE_SAXPY},
    {"compute-sum", "Melem", micro_compute_setup, micro_compute_frame, COMPUTE_SUM},
    {"compute-blur", "Mpix", micro_compute_setup, micro_compute_frame, COMPUTE_BLUR},
    {"compute-matrix", "Mmad", micro_compute_setup, micro_compute_frame, COMPUTE_MATRIX},
    {"msaa4-fill", "Mpix", micro_flat_setup, micro_flat_frame, FLAT_MULTISAMPLE},
    {"msaa4-tri-small", "Mtri", micro_triangles_setup, micro_triangles_frame, TRIANGLES_MULTISAMPLE},
};
const int micro_workload_count = sizeof micro_workloads / sizeof micro_workloads[0];

enum { MOST_REPETITIONS = 64 };

static struct {
    const char *egl, *gles, *only, *skip, *compile, *tag, *ppm;
    int repetitions, frames, warmup;
    double least_seconds, quiet;
    bool header;
} options = {.egl = "libEGL.so.1",
             .gles = "libGLESv2.so.2",
             .tag = "run",
             .repetitions = 7,
             .warmup = 2,
             .least_seconds = 0.5,
             .quiet = 0.1};

static const struct {
    const char *name;
    const char **value;
} texts[] = {{"--egl=", &options.egl},   {"--gles=", &options.gles},       {"--only=", &options.only},
             {"--skip=", &options.skip}, {"--compile=", &options.compile}, {"--tag=", &options.tag},
             {"--ppm=", &options.ppm}};
static const struct {
    const char *name;
    int *value, least, most;
} numbers[] = {
    {"--layers=", &micro.layers, 1, 1000},       {"--triangles=", &micro.triangles, 1, 2000000},
    {"--draws=", &micro.draws, 1, 1000000},      {"--texture=", &micro.texture, 1, 8192},
    {"--variants=", &micro.variants, 1, 16384},  {"--reps=", &options.repetitions, 1, MOST_REPETITIONS},
    {"--frames=", &options.frames, 1, 10000000}, {"--warmup=", &options.warmup, 0, 1000},
    {"--es=", &micro.es_version, 2, 3}};

/* The value behind the option's name, or NULL when it is another option. */
static const char *value_of(const char *argument, const char *name)
{
    size_t length = strlen(name);
    return strncmp(argument, name, length) ? NULL : argument + length;
}

static bool parse_text(const char *argument)
{
    const char *value;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if ((value = value_of(argument, texts[i].name))) {
            *texts[i].value = value;
            return true;
        }
    return false;
}

static bool parse_number(const char *argument)
{
    const char *value;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if ((value = value_of(argument, numbers[i].name))) {
            char *end;
            long number = strtol(value, &end, 10);
            if (end == value || *end || number < numbers[i].least || number > numbers[i].most)
                micro_die("%s takes a number from %d to %d", numbers[i].name, numbers[i].least,
                          numbers[i].most);
            *numbers[i].value = (int)number;
            return true;
        }
    return false;
}

static void parse(int count, char **arguments)
{
    const char *value;

    for (int i = 1; i < count; i++) {
        const char *a = arguments[i];
        if (parse_text(a) || parse_number(a))
            continue;
        if ((value = value_of(a, "--size="))) {
            if (sscanf(value, "%dx%d", &micro.width, &micro.height) != 2 || micro.width < 1 ||
                micro.height < 1)
                micro_die("--size= takes WxH");
        } else if ((value = value_of(a, "--mintime="))) {
            options.least_seconds = atof(value);
        } else if ((value = value_of(a, "--quiet="))) {
            options.quiet = atof(value);
        } else if (!strcmp(a, "--header")) {
            options.header = true;
        } else if (!strcmp(a, "--halves")) {
            micro.halves = true;
        } else if (!strcmp(a, "--list")) {
            for (int k = 0; k < micro_workload_count; k++)
                puts(micro_workloads[k].name);
            exit(0);
        } else if (!strcmp(a, "--help")) {
            fputs(help, stdout);
            exit(0);
        } else {
            micro_die("unknown option %s; see --help", a);
        }
    }
}

/* Whether a comma-separated list has the name. */
static bool listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (!strncmp(p, name, length) && (p[length] == 0 || p[length] == ','))
            return true;
    return false;
}

struct measure {
    double wall[MOST_REPETITIONS], user[MOST_REPETITIONS], system[MOST_REPETITIONS]; /* seconds a frame */
    double others[MOST_REPETITIONS]; /* processors used by others */
};

static void draw_frames(struct workload *w, int count)
{
    for (int i = 0; i < count; i++) {
        w->frame(w);
        gl.Finish();
    }
}

static int frames_of_repetition(struct workload *w)
{
    if (options.frames)
        return options.frames;
    double started = micro_now();
    draw_frames(w, 1);
    return (int)fmax(1, ceil(options.least_seconds / fmax(micro_now() - started, 1e-6)));
}

/* A repetition during which others used more processors than --quiet is done again, four times as many at
 * most. */
static void repeat(struct workload *w, int frames, struct measure *m)
{
    int tries = 0;

    for (int r = 0; r < options.repetitions; r++) {
        if (options.quiet > 0 && tries < 4 * options.repetitions)
            micro_wait_quiet(options.quiet);
        double user[2], system[2], busy = micro_busy(), started = micro_now();
        micro_cpu(&user[0], &system[0]);
        draw_frames(w, frames);
        double wall = micro_now() - started;
        micro_cpu(&user[1], &system[1]);
        m->wall[r] = wall / frames;
        m->user[r] = (user[1] - user[0]) / frames;
        m->system[r] = (system[1] - system[0]) / frames;
        m->others[r] = (micro_busy() - busy - (user[1] - user[0]) - (system[1] - system[0])) / wall;
        if (options.quiet > 0 && m->others[r] > options.quiet && tries++ < 4 * options.repetitions)
            r--;
    }
}

static void write_picture(const char *name, const uint8_t *pixels)
{
    char path[512];
    snprintf(path, sizeof path, "%s%s.ppm", options.ppm, name);
    FILE *file = fopen(path, "wb");
    if (!file)
        micro_die("%s: cannot be written", path);
    fprintf(file, "P6\n%d %d\n255\n", micro.width, micro.height);
    for (int i = 0; i < micro.width * micro.height; i++)
        fwrite(pixels + 4 * i, 1, 3, file);
    fclose(file);
}

static void print_row(const struct workload *w, int frames, struct measure *m, const uint8_t *pixels)
{
    size_t bytes = (size_t)micro.width * micro.height * 4;
    int last = options.repetitions - 1;
    double mean[4] = {0}, wall = micro_median(m->wall, options.repetitions);
    uint32_t hash = 2166136261u; /* FNV-1a */

    for (size_t i = 0; i < bytes; i++) {
        hash = (hash ^ pixels[i]) * 16777619u;
        mean[i & 3] += 4. * pixels[i] / bytes;
    }
    printf("%s,%s,%s/s,%.0f,%d,%d,%.4g,%.4g,%.4g,%.4f,%.4f,%.4f", options.tag, w->name, w->unit, w->work,
           frames, options.repetitions, w->work / wall / 1e6, w->work / m->wall[last] / 1e6,
           w->work / m->wall[0] / 1e6, wall * 1e3, m->wall[0] * 1e3, m->wall[last] * 1e3);
    printf(",%.4f,%.4f,%08x,%.2f/%.2f/%.2f/%.2f,%.2f", micro_median(m->user, options.repetitions) * 1e3,
           micro_median(m->system, options.repetitions) * 1e3, hash, mean[0], mean[1], mean[2], mean[3],
           micro_median(m->others, options.repetitions));
    if (w->secondary)
        printf(",aux=%.0f", w->secondary);
    printf("\n");
    fflush(stdout);
}

static void reset_state(void)
{
    gl.Disable(GL_BLEND);
    gl.Disable(GL_DEPTH_TEST);
    gl.Disable(GL_CULL_FACE);
    gl.DepthMask(GL_TRUE);
    gl.DisableVertexAttribArray(1);
    gl.BindTexture(GL_TEXTURE_2D, 0);
}

static void release(void)
{
    gl.UseProgram(0);
    if (micro_current)
        gl.DeleteProgram(micro_current);
    if (micro_texture)
        gl.DeleteTextures(1, &micro_texture);
    micro_current = micro_texture = 0;
}

static void run(struct workload *w)
{
    static struct measure measure;

    reset_state();
    if (!w->setup(w)) {
        printf("%s,%s,unsupported\n", options.tag, w->name);
        fflush(stdout);
        return;
    }
    micro_check(w->name);
    draw_frames(w, options.warmup > 1 ? options.warmup : 1);
    micro_check(w->name);
    int frames = frames_of_repetition(w);
    repeat(w, frames, &measure);
    micro_check(w->name);
    uint8_t *pixels = micro_read_pixels();
    if (options.ppm)
        write_picture(w->name, pixels);
    print_row(w, frames, &measure, pixels);
    free(pixels);
    release();
}

int main(int count, char **arguments)
{
    parse(count, arguments);
    micro_load(options.egl, options.gles);
    micro_open();
    micro_targets_create();
    if (options.compile) {
        micro_compile_latency(options.tag, !strcmp(options.compile, "complex"));
        return 0;
    }
    if (options.header)
        puts(columns);
    for (int k = 0; k < micro_workload_count; k++) {
        struct workload *w = &micro_workloads[k];
        if ((!options.only || listed(options.only, w->name)) &&
            !(options.skip && listed(options.skip, w->name)))
            run(w);
    }
    return 0;
}
