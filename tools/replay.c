#include "gpu/picture.h"
#include "gpu/replay.h"
#include "raster/texture/texel.h"
#include "tools/frames.h"
#include "tools/tool.h"
#include "util/bits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

struct options {
    const char *capture, *png, *verify, *times;
    uint64_t frame, tolerance, loops;
    bool all, stats, rgba;
    struct tool_frames_options frames;
    struct tool_device_options device;
};

struct session {
    const struct options *options;
    struct replay *replay;
    struct tool_progress progress;
    struct tool_frames *writer;
    uint64_t frames; /* pictures met, all loops */
    struct capture_frame last;
    bool faulted;
    FILE *times;
    bool presented;   /* only pictures shown on a display count */
    double wall, cpu; /* device time at the last picture */
};

#define AT(member) offsetof(struct options, member)

static const struct tool_option rows[] = {
    {"png", "FILE", "write the last picture as PNG, or that of --frame", .kind = TOOL_FILE, .at = AT(png)},
    {"frame", "N",
     "stop after picture N, counted from 1; where nothing is asked of those before it, they are only drawn "
     "from the last place on from which the capture can be played",
     .kind = TOOL_NUMBER, .at = AT(frame), .min = 1, .max = UINT32_MAX},
    {"all", NULL,
     "count the end of every rendering job as a picture, also when the program showed its frames on a "
     "display",
     .kind = TOOL_SWITCH, .at = AT(all)},
    {"rgba", NULL,
     "the lowest byte of a pixel is red, as in textures that programs draw into; otherwise it is blue, as "
     "displays have it, unless the capture knows",
     .kind = TOOL_SWITCH, .at = AT(rgba)},
    {"verify", "FILE.png",
     "compare the last picture (or that of --frame) with a PNG; exit status 1 when they differ",
     .kind = TOOL_FILE, .at = AT(verify)},
    {"tolerance", "N", "channel difference that --verify still accepts (default 0)", .kind = TOOL_NUMBER,
     .at = AT(tolerance), .min = 0, .max = 255},
    {"loops", "N", "play the capture N times (default 1)", .kind = TOOL_NUMBER, .at = AT(loops), .min = 1,
     .max = UINT32_MAX},
    {"stats", NULL, "print times and counters", .kind = TOOL_SWITCH, .at = AT(stats)},
    {"times", "FILE",
     "write a line a picture: milliseconds of wall and CPU time that the device took, without reading the "
     "file",
     .kind = TOOL_FILE, .at = AT(times)},
    {0},
};

const struct tool_command tool_command_replay = {
    .name = "replay",
    .summary = "draw a capture again; PNGs, verification, timing",
    .operands = "CAPTURE",
    .text = "Draws a capture again, without driver or guest program.",
    .examples = "  vitrail replay cube.vtc --png cube.png\n"
                "  vitrail replay cube.vtc --frame 10 --verify refimages/vc4/cube.png\n"
                "  vitrail replay cube.vtc --loops 20 --threads 1 --stats\n",
    .options = {{rows}, {tool_frames_rows, AT(frames)}, {tool_device_rows, AT(device)}},
    .takes = {"capture", 1, 1},
    .main = tool_replay,
};

static int parse(struct options *o, int argc, char **argv)
{
    struct tool_operands capture;
    *o = (struct options){.loops = 1, .device = TOOL_USUAL_DEVICE};
    int code = tool_parse(&tool_command_replay, argc, argv, o, &capture);
    o->capture = code ? NULL : capture.at[0];
    return code;
}

static void report_faults(struct session *s)
{
    struct gpu_fault faults[16];
    unsigned n;

    while ((n = replay_faults(s->replay, faults, 16)))
        for (unsigned i = 0; i < n; i++) {
            tool_print_fault(&faults[i]);
            s->faulted = true;
        }
}

/* A job's picture: only the program knows which way round it meant the channels. */
static struct capture_frame seen_frame(const struct session *s, const struct capture_frame *frame)
{
    struct capture_frame seen = *frame;
    if (s->options->rgba && seen.format == RASTER_B8G8R8A8_UNORM)
        seen.format = RASTER_R8G8B8A8_UNORM;
    return seen;
}

static int picture_of(const struct session *s, const struct capture_frame *frame, struct util_image *out)
{
    const struct capture_frame seen = seen_frame(s, frame);
    return replay_picture(s->replay, &seen, out);
}

static int write_picture(struct session *s, const struct capture_frame *frame, const char *path)
{
    struct util_image image = {0};
    int err = picture_of(s, frame, &image);

    if (!err)
        err = util_image_write_png(&image, path, 0);
    util_image_finish(&image);
    return err ? tool_error("replay", TOOL_HOST, "%s: %s", path, strerror(-err)) : TOOL_OK;
}

/* Hands the picture over to be written. */
static int add_picture(struct session *s, uint64_t number)
{
    struct util_frames *frames = s->writer->frames;
    if (!frames || !util_frames_wants(frames, number))
        return TOOL_OK;
    const struct capture_frame seen = seen_frame(s, &s->last);
    const int err = util_frames_add(frames, number, replay_picture_keep(s->replay, &seen), gpu_picture_draw);
    return err ? TOOL_HOST : TOOL_OK; /* tool_frames_close says what failed */
}

/* Whether all that is asked for is of the last picture, so that those before it need not be drawn. */
static bool may_seek(const struct options *o)
{
    return o->frame && o->loops == 1 && !o->frames.folder && !o->frames.video && !o->times && !o->stats;
}

/* Plays the capture once. */
static int play(struct session *s)
{
    const struct options *o = s->options;
    struct util_error error = {0};
    uint64_t n = 0;
    int got;

    if (may_seek(o) && replay_seek(s->replay, s->presented, o->frame, &n))
        return tool_error("replay", TOOL_HOST, "out of memory");
    s->frames -= n; /* those that were not drawn */
    while ((got = replay_next_frame(s->replay, s->presented, &s->last, &error)) > 0) {
        report_faults(s);
        n++;
        if (s->times) {
            double wall, cpu;
            replay_device_time(s->replay, &wall, &cpu);
            fprintf(s->times, "%.6f %.6f\n", (wall - s->wall) * 1e3, (cpu - s->cpu) * 1e3);
            s->wall = wall;
            s->cpu = cpu;
        }
        int code = add_picture(s, n);
        if (code)
            return code;
        tool_progress_step(&s->progress, replay_position(s->replay));
        if (o->frame && n == o->frame)
            break;
    }
    report_faults(s);
    s->frames += n;
    if (got < 0)
        return tool_error("replay", TOOL_BAD_FILE, "%s: %s", o->capture,
                          error.code ? error.text : strerror(-got));
    struct capture_info info;
    replay_info(s->replay, &info);
    if (info.torn)
        tool_error("replay", 0, "%s is cut off after its last whole chunk; %llu pictures could be drawn",
                   o->capture, (unsigned long long)n);
    return TOOL_OK;
}

static int verify(struct session *s)
{
    const struct options *o = s->options;
    struct util_image golden = {0}, ours = {0};
    struct util_image_diff diff;
    int code = TOOL_OK, err;

    if ((err = util_image_read_png(&golden, o->verify)))
        return tool_error("replay", TOOL_BAD_FILE, "%s: %s", o->verify, strerror(-err));
    if ((err = picture_of(s, &s->last, &ours)))
        code = tool_error("replay", TOOL_HOST, "the picture cannot be read: %s", strerror(-err));
    else if (util_image_compare(&golden, &ours, (uint32_t)o->tolerance, 0, &diff))
        code = tool_error("replay", TOOL_DIFFERS, "%s is %ux%u, the picture %ux%u", o->verify, golden.width,
                          golden.height, ours.width, ours.height);
    else if (diff.beyond) {
        const uint8_t *want = golden.pixels + 4 * ((size_t)diff.y * golden.width + diff.x);
        const uint8_t *got = ours.pixels + 4 * ((size_t)diff.y * ours.width + diff.x);
        code = tool_error(
            "replay", TOOL_DIFFERS,
            "%llu of %llu pixels differ from %s by more than %llu (most: %u); first at (%u, %u): expected "
            "%u,%u,%u, got %u,%u,%u",
            (unsigned long long)diff.beyond, (unsigned long long)diff.total, o->verify,
            (unsigned long long)o->tolerance, diff.max, diff.x, diff.y, want[0], want[1], want[2], got[0],
            got[1], got[2]);
    }
    util_image_finish(&golden);
    util_image_finish(&ours);
    return code;
}

static double cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static void print_stats(const struct session *s, struct jit_engine *engine, double wall, double cpu)
{
    struct gpu_counters c;
    struct rusage usage;
    double frames = s->frames ? (double)s->frames : 1;

    replay_counters(s->replay, &c);
    getrusage(RUSAGE_SELF, &usage);
    printf("pictures %llu\nwall_s %.6f\ncpu_s %.6f\nwall_ms_per_picture %.4f\ncpu_ms_per_picture %.4f\n",
           (unsigned long long)s->frames, wall, cpu, wall * 1e3 / frames, cpu * 1e3 / frames);
    printf("jobs %llu\ndraws %llu\nvertices %llu\nprimitives_in %llu\nprimitives_binned %llu\ntiles %llu\n"
           "blocks_shaded %llu\nqpu_instructions %llu\nqpu_minstr_per_s %.1f\ntile_list_bytes %llu\npeak_kib "
           "%ld\n",
           (unsigned long long)c.jobs, (unsigned long long)c.draws, (unsigned long long)c.vertices,
           (unsigned long long)c.primitives_in, (unsigned long long)c.primitives_binned,
           (unsigned long long)c.tiles, (unsigned long long)c.blocks_shaded,
           (unsigned long long)c.instructions, wall > 0 ? (double)c.instructions / wall * 1e-6 : 0,
           (unsigned long long)c.bytes_tile_lists, usage.ru_maxrss);
    if (engine) {
        struct jit_stats j;
        jit_engine_stats(engine, &j);
        printf("compiled %llu\ncache_hits %llu\ncache_rejected %llu\ncompile_ms %.3f\noptimised "
               "%llu\nnot_optimised %llu\noptimise_ms "
               "%.3f\ncode_bytes %llu\n",
               (unsigned long long)j.compiled, (unsigned long long)j.disk_hits,
               (unsigned long long)j.disk_rejected, (double)j.compile_ns * 1e-6,
               (unsigned long long)j.optimised, (unsigned long long)j.not_optimised,
               (double)j.optimise_ns * 1e-6, (unsigned long long)j.code_bytes);
    }
}

static int run(const struct options *o, struct capture_reader *reader, const struct gpu_options *device,
               struct jit_engine *engine, struct tool_frames *writer)
{
    struct util_error error = {0};
    struct session s = {
        .options = o, .writer = writer, .presented = !o->all && replay_shows_pictures(reader)};
    struct capture_info info;
    int code = TOOL_OK;

    capture_reader_info(reader, &info);
    const uint64_t count = o->frame ? replay_count_pictures(reader, s.presented, o->frame, &error) : 0;
    if (count < o->frame) {
        capture_reader_close(reader);
        if (error.code)
            return tool_error("replay", TOOL_BAD_FILE, "%s: %s", o->capture, error.text);
        return tool_error("replay", TOOL_BAD_FILE, "%s has %llu pictures, no number %llu", o->capture,
                          (unsigned long long)count, (unsigned long long)o->frame);
    }
    int err = replay_create(reader, device, &s.replay, &error);
    if (err) {
        capture_reader_close(reader);
        return tool_error("replay", err == -ENOTSUP ? TOOL_BAD_FILE : TOOL_HOST, "%s: %s", o->capture,
                          error.code ? error.text : strerror(-err));
    }
    if (o->times && !(s.times = util_fopen(o->times, "w"))) {
        code = tool_error("replay", TOOL_HOST, "%s: %s", o->times, strerror(errno));
        goto out;
    }
    code = tool_frames_open(writer);
    if (code)
        goto out;
    double wall = tool_seconds(), cpu = cpu_seconds();
    for (uint64_t i = 0; !code && i < o->loops; i++) {
        if (i && replay_rewind(s.replay)) {
            code = tool_error("replay", TOOL_HOST, "out of memory");
            break;
        }
        tool_progress_begin(&s.progress, "replay", info.file_size);
        code = play(&s);
        tool_progress_end(&s.progress);
    }
    const int written = tool_frames_close(writer);
    code = code ? code : written;
    wall = tool_seconds() - wall;
    cpu = cpu_seconds() - cpu;
    if (!code && !s.frames && (o->png || o->verify))
        code = tool_error("replay", TOOL_BAD_FILE, "%s holds no picture", o->capture);
    if (!code && o->png)
        code = write_picture(&s, &s.last, o->png);
    if (!code && o->verify)
        code = verify(&s);
    if (o->stats)
        print_stats(&s, engine, wall, cpu);
    else if (!code)
        printf("%llu pictures in %.3f s\n", (unsigned long long)s.frames, wall);
    if (!code && s.faulted)
        code = TOOL_FAULT;
    int closed = s.times ? tool_close_output("replay", o->times, s.times) : TOOL_OK;
    if (!code)
        code = closed;
out:
    replay_destroy(s.replay);
    return code;
}

static int enter_sandbox(struct options *o, struct tool_frames *writer)
{
    int code = tool_frames_check("replay", &o->frames);
    if (!code)
        code = tool_frames_start("replay", &o->frames, writer);
    if (code)
        return code;
    struct tool_sandbox sandbox = {.name = "replay", .off = o->device.no_sandbox, .device = &o->device};
    tool_sandbox_reads(&sandbox, o->capture);
    tool_sandbox_reads(&sandbox, o->verify);
    tool_sandbox_writes(&sandbox, o->png);
    tool_sandbox_writes(&sandbox, o->times);
    tool_frames_grant(&o->frames, &sandbox);
    return tool_sandbox_enter(&sandbox);
}

int tool_replay(int argc, char **argv)
{
    struct options o;
    struct util_error error = {0};
    struct capture_reader *reader;
    struct util_pool *pool;
    struct jit_engine *engine;
    struct gpu_options device;

    int code = parse(&o, argc, argv);
    if (code)
        return code < 0 ? TOOL_OK : code;
    struct tool_frames writer = {0};
    code = enter_sandbox(&o, &writer);
    if (code)
        return code;
    int err = capture_reader_open(o.capture, &reader, &error);
    if (err)
        return tool_error("replay", TOOL_BAD_FILE, "%s: %s", o.capture,
                          error.code ? error.text : strerror(-err));
    code = tool_device_open("replay", &o.device, &pool, &engine, &device);
    if (code) {
        capture_reader_close(reader);
        return code;
    }
    code = run(&o, reader, &device, engine, &writer);
    const int encoded = tool_frames_finish(&writer);
    code = code ? code : encoded;
    util_pool_destroy(pool);
    jit_engine_destroy(engine);
    return code;
}
