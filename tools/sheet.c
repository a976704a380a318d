/* `vitrail report`: one capture as a page for people who would rather look than read. */
#include "tools/sheet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "raster/texture/texel.h"
#include "tools/decode.h"
#include "tools/json.h"
#include "tools/lint.h"
#include "tools/profile.h"
#include "tools/tool.h"

#define LISTING_MOST                                                                                         \
    (48u << 20) /* bytes: a browser still opens it; what is longer is left to `vitrail decode` */

struct options {
    const char *capture, *output;
    struct tool_range of;
    uint64_t loops;
    bool all;
    struct tool_device_options device;
};

#define AT(member) offsetof(struct options, member)

static const struct tool_option rows[] = {
    {"o", "FILE.html", "the page (-: the standard output)", .kind = TOOL_FILE, .at = AT(output)},
    {"frames", "A..B", "only these pictures, counted from 1; also A.., ..B and A", .kind = TOOL_RANGE,
     .at = AT(of), .min = 1, .max = UINT32_MAX},
    {"loops", "N", "timed plays; each number is the best of them (default 3)", .kind = TOOL_NUMBER,
     .at = AT(loops), .min = 1, .max = 1000},
    {"all", NULL, "count the end of every rendering job as a picture", .kind = TOOL_SWITCH, .at = AT(all)},
    {0},
};

const struct tool_command tool_command_report = {
    .name = "report",
    .summary = "one capture as a page: pictures, costs, heat maps, programs, textures, states, lint",
    .operands = "CAPTURE -o FILE.html",
    .text =
        "Writes one page that needs neither network nor other files: the pictures with heat maps of time, "
        "overdraw and instructions, and for each pixel the `vitrail explain` that tells of it; draws by "
        "cost, with state and textures; programs, each instruction with how often it was executed; the "
        "textures that fragment programs read; what `vitrail lint` finds.",
    .notes =
        "The capture is played as by `vitrail profile`, and once more for pictures and textures. Textures "
        "are as they stood when a draw first read them. Of many pictures give a part with --frames: a page "
        "holds 96 MiB of them.",
    .examples = "  vitrail report tests/captures/demo.vtc -o demo.html\n"
                "  vitrail report --frames 100..110 game.vtc -o game.html\n",
    .options = {{rows}, {tool_device_rows, AT(device)}},
    .takes = {"capture", 1, 1},
    .main = tool_report,
};

/* ---- the data ---- */

static int put_png(struct json *j, const struct report_png *png)
{
    if (!png->size)
        return 0;
    char *text = report_to_base64(png->bytes, png->size);
    if (!text)
        return -ENOMEM;
    json_string(j, "png", text);
    free(text);
    return 0;
}

static int put_pictures(struct json *j, const struct sheet *s)
{
    int err = 0;
    json_open_array(j, "pictures");
    for (uint32_t i = 0; i < s->pictures.count; i++) {
        const struct sheet_picture *p = &s->pictures.at[i];
        json_hold_object(j, NULL);
        json_uint(j, "number", p->number);
        json_uint(j, "width", p->width);
        json_uint(j, "height", p->height);
        err = err ? err : put_png(j, &p->png);
        json_end(j);
    }
    json_end(j);
    json_uint(j, "pictures_left_out", s->pictures_left_out);
    return err;
}

static int put_texture(struct json *j, const struct sheet_texture *t)
{
    json_hold_object(j, NULL);
    json_hex(j, "address", t->address);
    json_uint(j, "width", t->width);
    json_uint(j, "height", t->height);
    json_uint(j, "depth", t->depth);
    json_uint(j, "levels", t->levels);
    json_string(j, "format", raster_texels[t->format].name);
    json_boolean(j, "cube", t->cube);
    const int err = put_png(j, &t->png);
    json_hold_array(j, "uses");
    for (uint32_t i = 0; i < t->uses.count; i++) {
        json_hold_object(j, NULL);
        json_uint(j, "picture", t->uses.at[i].picture);
        json_uint(j, "draw", t->uses.at[i].draw);
        json_string(j, "unit", t->uses.at[i].unit);
        json_end(j);
    }
    json_end(j);
    json_end(j);
    return err;
}

static int put_sheet(FILE *out, const struct options *o, const struct sheet *s, const struct profile *profile)
{
    struct json json, *j = &json;
    int err;
    json_begin(j, out);
    json_open_object(j, NULL);
    json_string(j, "capture", o->capture);
    json_boolean(j, "all", o->all);
    json_string(j, "gpu", s->info.gpu);
    json_string(j, "command", s->info.command);
    json_uint(j, "bytes", s->info.file_size);
    json_string(j, "version", VITRAIL_VERSION);
    err = put_pictures(j, s);
    json_open_array(j, "textures");
    for (uint32_t i = 0; i < s->textures.count; i++)
        err = err ? err : put_texture(j, &s->textures.at[i]);
    json_end(j);
    json_uint(j, "textures_left_out", s->textures_left_out);
    json_open_array(j, "faults");
    for (unsigned i = 0; i < profile->fault_count; i++) {
        char text[512];
        gpu_fault_format(&profile->faults[i], text, sizeof text);
        json_string(j, NULL, text);
    }
    json_end(j);
    const int ended = json_end(j);
    return err ? err : ended;
}

/* The listing, or null where it is too long. */
static int put_listing(FILE *out, const struct options *o)
{
    const struct decode_options decode = {.path = o->capture, .json = true};
    char *text = NULL;
    size_t size = 0;
    FILE *listing = open_memstream(&text, &size);
    if (!listing)
        return tool_error("report", TOOL_HOST, "out of memory");
    int code = decode_capture(&decode, listing);
    if (fclose(listing) && !code)
        code = tool_error("report", TOOL_HOST, "out of memory");
    if (!code && size <= LISTING_MOST)
        fwrite(text, 1, size, out);
    else
        fputs("null", out);
    free(text);
    return code;
}

static int put_all(FILE *out, const struct options *o, const struct sheet *sheet,
                   const struct profile *profile)
{
    fputs("{\"sheet\": ", out);
    int err = put_sheet(out, o, sheet, profile);
    fputs(", \"profile\": ", out);
    err = err ? err : profile_print_json(out, profile, o->capture);
    if (err)
        return tool_error("report", TOOL_HOST, "out of memory");
    fputs(", \"lint\": ", out);
    int code = lint_capture_json(o->capture, out);
    fputs(", \"listing\": ", out);
    code = code ? code : put_listing(out, o);
    putc('}', out);
    return code;
}

static int write_page(const struct options *o, const char *json, size_t size)
{
    const bool standard = !strcmp(o->output, "-");
    FILE *out = standard ? stdout : util_fopen(o->output, "w");
    if (!out)
        return tool_error("report", TOOL_HOST, "%s: %s", o->output, strerror(errno));
    report_put_page(out, report_capture_page, json, size);
    return standard ? TOOL_OK : tool_close_output("report", o->output, out);
}

/* ---- the command ---- */

static void on_progress(void *data, uint64_t position, uint64_t size)
{
    struct tool_progress *progress = data;
    if (!progress->what)
        tool_progress_begin(progress, "report", size);
    tool_progress_step(progress, position);
}

static int failed(const struct options *o, int err, const struct util_error *error)
{
    return tool_error("report",
                      err == -ERANGE   ? TOOL_USAGE
                      : err == -ENOMEM ? TOOL_HOST
                                       : TOOL_BAD_FILE,
                      "%s: %s", o->capture, error->code ? error->text : strerror(-err));
}

static int report(void *data, const struct gpu_options *device)
{
    const struct options *o = data;
    struct profile profile = {.first = (uint32_t)o->of.first, .last = (uint32_t)o->of.last};
    struct sheet sheet = {.first = (uint32_t)o->of.first, .last = (uint32_t)o->of.last};
    struct tool_progress progress = {0};
    struct util_error error = {0};
    char *json = NULL;
    size_t size = 0;
    const struct profile_request request = {.capture = o->capture,
                                            .options = device,
                                            .all = o->all,
                                            .instructions = true,
                                            .loops = (uint32_t)o->loops,
                                            .progress = on_progress,
                                            .progress_data = &progress};
    int err = profile_run(&request, &profile, &error);
    err = err ? err : sheet_play(o->capture, device, o->all, &sheet, &error);
    tool_progress_end(&progress);
    for (unsigned i = 0; i < profile.fault_count; i++)
        tool_print_fault(&profile.faults[i]);
    int code = err ? failed(o, err, &error) : TOOL_OK;
    FILE *text = code ? NULL : open_memstream(&json, &size);
    if (text) {
        code = put_all(text, o, &sheet, &profile);
        if (fclose(text) && !code)
            code = tool_error("report", TOOL_HOST, "out of memory");
    } else if (!code) {
        code = tool_error("report", TOOL_HOST, "out of memory");
    }
    if (!code)
        code = write_page(o, json, size);
    if (!code && profile.fault_count)
        code = TOOL_FAULT;
    free(json);
    sheet_finish(&sheet);
    profile_finish(&profile);
    return code;
}

static int parse(struct options *o, int argc, char **argv)
{
    struct tool_operands capture;
    *o = (struct options){.loops = 3, .device = TOOL_USUAL_DEVICE};
    o->device.tier = JIT_OPTIMISED;
    int code = tool_parse(&tool_command_report, argc, argv, o, &capture);
    if (code)
        return code;
    o->capture = capture.at[0];
    return o->output ? TOOL_OK : tool_error("report", TOOL_USAGE, "no page to write: give -o FILE.html");
}

int tool_report(int argc, char **argv)
{
    struct options o;
    int code = parse(&o, argc, argv);
    if (code)
        return code < 0 ? TOOL_OK : code;
    struct tool_sandbox sandbox = {.name = "report", .off = o.device.no_sandbox, .device = &o.device};
    tool_sandbox_reads(&sandbox, o.capture);
    tool_sandbox_writes(&sandbox, o.output);
    return tool_with_device(&sandbox, report, &o);
}
