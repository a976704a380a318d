/* A unit's process: plays its capture once, compares, explains. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/replay.h"
#include "tools/explain.h"
#include "tools/verify.h"

#define EXPLAINED_MAX 16u /* pixels of a unit: each keeps what all its draws did */

struct play {
    const struct manifest *manifest;
    const struct manifest_unit *unit;
    const struct verify_options *options;
    const struct manifest_settings *settings; /* the same of all its cases */
    int pipe;
    bool *told; /* of each case */
    struct explain_pixel pixels[EXPLAINED_MAX];
    uint32_t case_of[EXPLAINED_MAX], pixel_count;
    uint64_t fault_count;
    char fault[512]; /* the first */
};

/* ---- telling ---- */

static void tell(const struct play *p, enum verify_kind kind, uint32_t index, const void *bytes, size_t size)
{
    const struct verify_head head = {.kind = kind, .index = index, .size = size};
    tool_tell(p->pipe, &head, sizeof head);
    tool_tell(p->pipe, bytes, size);
}

static void tell_text(const struct play *p, enum verify_kind kind, uint32_t index, const char *text)
{
    tell(p, kind, index, text, strlen(text));
}

static const struct manifest_case *case_at(const struct play *p, uint32_t index)
{
    return &p->manifest->cases.at[p->manifest->order[p->unit->first + index]];
}

static void tell_result(struct play *p, uint32_t index, struct report_result *result, const char *detail)
{
    if (p->fault_count && (result->verdict == REPORT_SAME || result->verdict == REPORT_ACCEPTED))
        result->verdict = REPORT_FAULT;
    tell(p, VERIFY_RESULT, index, result, sizeof *result);
    if (detail && *detail)
        tell_text(p, VERIFY_DETAIL, index, detail);
    else if (p->fault_count)
        tell_text(p, VERIFY_DETAIL, index, p->fault);
    p->told[index] = true;
}

static void tell_png(const struct play *p, enum verify_kind kind, uint32_t index,
                     const struct util_image *image)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    int err = out ? util_image_put_png(image, out, 0) : -ENOMEM;
    if (out && fclose(out))
        err = -ENOMEM;
    if (!err)
        tell(p, kind, index, bytes, size);
    free(bytes);
}

/* Of every case that has no result yet. */
static void tell_rest(struct play *p, enum report_verdict verdict, const char *detail)
{
    for (uint32_t i = 0; i < p->unit->count; i++)
        if (!p->told[i])
            tell_result(p, i, &(struct report_result){.verdict = verdict}, detail);
}

/* ---- comparing ---- */

static void keep_pixel(struct play *p, uint32_t index, const struct report_result *r)
{
    if (p->pixel_count == EXPLAINED_MAX)
        return;
    p->case_of[p->pixel_count] = index;
    p->pixels[p->pixel_count++] = (struct explain_pixel){.picture = r->shown, .x = r->x, .y = r->y};
}

/* What is said of two pictures of one size. */
static enum report_verdict judge(const struct manifest_case *c, const struct util_image *want,
                                 const struct util_image *got, struct report_result *r)
{
    struct util_image_diff any, beyond;
    if (util_image_compare(want, got, 0, 0, &any) ||
        util_image_compare(want, got, (uint32_t)c->settings.tolerance, 0, &beyond))
        return REPORT_SIZE;
    const size_t at = 4 * ((size_t)any.worst_y * want->width + any.worst_x);
    r->differing = any.beyond;
    r->beyond = beyond.beyond;
    r->most = any.max;
    r->mean = any.mean;
    r->x = any.worst_x;
    r->y = any.worst_y;
    memcpy(r->want, want->pixels + at, sizeof r->want);
    memcpy(r->got, got->pixels + at, sizeof r->got);
    if (!any.beyond)
        return REPORT_SAME;
    return 100.0 * (double)beyond.beyond <= c->settings.share * (double)beyond.total ? REPORT_ACCEPTED
                                                                                     : REPORT_DIFFERS;
}

static void compare(struct play *p, uint32_t index, uint32_t shown, const struct util_image *got)
{
    const struct manifest_case *c = case_at(p, index);
    struct report_result r = {.shown = shown, .width = got->width, .height = got->height};
    struct util_image want;
    char detail[4400] = "";
    int err = util_image_read_png(&want, c->picture_path);
    if (err == -ENOENT) {
        r.verdict = REPORT_NEW;
        snprintf(detail, sizeof detail, "%s does not exist", c->picture_path);
    } else if (err) {
        r.verdict = err == -ENOMEM ? REPORT_HOST : REPORT_FILE;
        snprintf(detail, sizeof detail, "%s: %s", c->picture_path,
                 err == -EBADMSG ? "no PNG, or a damaged one" : strerror(-err));
    } else {
        r.verdict = judge(c, &want, got, &r);
        if (r.verdict == REPORT_SIZE)
            snprintf(detail, sizeof detail, "expected %ux%u, got %ux%u", want.width, want.height, got->width,
                     got->height);
    }
    const bool differs = r.verdict == REPORT_DIFFERS;
    tell_result(p, index, &r, detail);
    const bool shows =
        p->options->pictures && (differs || r.verdict == REPORT_SIZE || r.verdict == REPORT_NEW);
    if (shows && r.verdict != REPORT_NEW)
        tell_png(p, VERIFY_EXPECTED, index, &want);
    if (shows)
        tell_png(p, VERIFY_DRAWN, index, got);
    if (differs)
        keep_pixel(p, index, &r);
    util_image_finish(&want);
}

/* ---- playing ---- */

static void note_faults(struct play *p, struct replay *replay)
{
    struct gpu_fault faults[16];
    unsigned n;
    while ((n = replay_faults(replay, faults, 16))) {
        if (!p->fault_count)
            gpu_fault_format(&faults[0], p->fault, sizeof p->fault);
        p->fault_count += n;
    }
}

static void take_picture(struct play *p, struct replay *replay, const struct capture_frame *frame,
                         uint32_t number, uint32_t wanted)
{
    struct capture_frame seen = *frame;
    struct util_image got = {0};
    if (p->settings->rgba && seen.format == RASTER_B8G8R8A8_UNORM)
        seen.format = RASTER_R8G8B8A8_UNORM;
    int err = replay_picture(replay, &seen, &got);
    for (uint32_t i = 0; i < p->unit->count; i++) {
        if (case_at(p, i)->frame != wanted)
            continue;
        if (err)
            tell_result(p, i, &(struct report_result){.verdict = err == -ENOMEM ? REPORT_HOST : REPORT_FILE},
                        strerror(-err));
        else
            compare(p, i, number, &got);
    }
    util_image_finish(&got);
}

static bool wants(const struct play *p, uint32_t frame, uint32_t *last)
{
    bool found = false;
    for (uint32_t i = 0; i < p->unit->count; i++) {
        const uint32_t own = case_at(p, i)->frame;
        found |= own == frame;
        if (own == MANIFEST_LAST)
            *last = UINT32_MAX;
        else if (own > *last)
            *last = own;
    }
    return found;
}

static void play_frames(struct play *p, struct replay *replay, bool presented)
{
    struct util_error error = {0};
    struct capture_frame frame;
    uint32_t n = 0, last = 0;
    char detail[128];
    int got = 0;
    wants(p, MANIFEST_LAST, &last);
    while (n < last && (got = replay_next_frame(replay, presented, &frame, &error)) > 0) {
        n++;
        note_faults(p, replay);
        if (wants(p, n, &last))
            take_picture(p, replay, &frame, n, n);
    }
    note_faults(p, replay);
    if (got < 0) {
        tell_rest(p, got == -ENOMEM ? REPORT_HOST : REPORT_FILE, error.code ? error.text : strerror(-got));
        return;
    }
    struct capture_info info;
    replay_info(replay, &info);
    if (info.torn)
        tell_rest(p, REPORT_FILE, "the capture is cut off after its last whole chunk");
    if (n && last == UINT32_MAX && !info.torn)
        take_picture(p, replay, &frame, n, MANIFEST_LAST);
    snprintf(detail, sizeof detail, "the capture has %u picture%s, and not this one", n, n == 1 ? "" : "s");
    tell_rest(p, REPORT_FILE, detail);
}

/* ---- explaining ---- */

static void tell_explained(struct play *p, uint32_t index, const struct explain_result *result,
                           const struct explain_pixel *pixel)
{
    const struct explain_show show = {.sample = -1};
    struct report_writer writer;
    report_writer_find(result, pixel, &writer);
    tell(p, VERIFY_WRITER, index, &writer, sizeof writer);
    char *text = NULL;
    size_t size = 0;
    FILE *out = p->options->pictures ? open_memstream(&text, &size) : NULL;
    if (!out)
        return;
    explain_print(out, result, pixel, &show);
    if (!fclose(out))
        tell(p, VERIFY_EXPLAINED, index, text, size < VERIFY_TEXT_MAX ? size : VERIFY_TEXT_MAX);
    free(text);
}

static void explain(struct play *p, const struct gpu_options *device)
{
    struct explain_result result = {.pixels = p->pixels, .pixel_count = p->pixel_count};
    struct util_error error = {0};
    if (!p->pixel_count || !p->options->explain)
        return;
    int err = explain_run(case_at(p, 0)->capture_path, device, p->settings->all, false, false, &result, NULL,
                          NULL, &error);
    for (uint32_t i = 0; i < p->pixel_count; i++) {
        if (err)
            tell_text(p, VERIFY_DETAIL, p->case_of[i], error.code ? error.text : strerror(-err));
        else
            tell_explained(p, p->case_of[i], &result, &p->pixels[i]);
    }
    explain_finish(&result);
}

/* ---- all of it ---- */

static void play_capture(struct play *p, struct capture_reader *reader, const struct gpu_options *device)
{
    struct util_error error = {0};
    struct replay *replay;
    const bool presented = !p->settings->all && replay_shows_pictures(reader);
    int err = replay_create(reader, device, &replay, &error);
    if (err) {
        capture_reader_close(reader);
        tell_rest(p, err == -ENOTSUP ? REPORT_FILE : REPORT_HOST, error.code ? error.text : strerror(-err));
        return;
    }
    play_frames(p, replay, presented);
    replay_destroy(replay);
    explain(p, device);
}

static int enter_sandbox(struct play *p, struct tool_device_options *device)
{
    struct tool_sandbox sandbox = {.name = p->options->command, .off = device->no_sandbox, .device = device};
    tool_sandbox_reads(&sandbox, case_at(p, 0)->capture_path);
    for (uint32_t i = 0; i < p->unit->count; i++)
        tool_sandbox_reads(&sandbox, case_at(p, i)->picture_path);
    return tool_sandbox_enter(&sandbox);
}

void verify_play(const struct manifest *manifest, const struct manifest_unit *unit,
                 const struct verify_options *options, int pipe)
{
    struct play p = {.manifest = manifest,
                     .unit = unit,
                     .options = options,
                     .pipe = pipe,
                     .told = calloc(unit->count, sizeof *p.told)};
    struct util_error error = {0};
    struct capture_reader *reader;
    struct capture_info info;
    struct gpu_options device;
    struct jit_engine *engine;
    struct util_pool *pool;
    if (!p.told)
        return;
    p.settings = &case_at(&p, 0)->settings;
    struct tool_device_options chosen = p.settings->device;
    if (enter_sandbox(&p, &chosen))
        tell_rest(&p, REPORT_HOST, "no sandbox");
    else if (capture_reader_open(case_at(&p, 0)->capture_path, &reader, &error)) {
        tell_rest(&p, REPORT_FILE, error.code ? error.text : "the capture cannot be read");
    } else if (tool_device_open(options->command, &chosen, &pool, &engine, &device)) {
        capture_reader_close(reader);
        tell_rest(&p, REPORT_HOST, "no threads, or no compiler");
    } else {
        capture_reader_info(reader, &info);
        tell_text(&p, VERIFY_GPU, 0, info.gpu);
        play_capture(&p, reader, &device);
        util_pool_destroy(pool);
        jit_engine_destroy(engine);
    }
    tell(&p, VERIFY_END, 0, NULL, 0);
    free(p.told);
    util_sandbox_leave();
}
