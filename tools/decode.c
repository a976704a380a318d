/* `vitrail decode`: a capture event by event; what the writes mean is told by the GPU's family. */
#include "tools/decode.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/replay.h"
#include "tools/family.h"
#include "tools/tool.h"

#define MAX_SEEN 4096u

struct decode_seen {
    uint64_t hash[MAX_SEEN];
    uint32_t count;
};

/* ---- for the families ---- */

static bool seen_before(struct decode_seen *seen, uint64_t hash)
{
    for (uint32_t i = 0; i < seen->count; i++)
        if (seen->hash[i] == hash)
            return true;
    if (seen->count < MAX_SEEN)
        seen->hash[seen->count++] = hash;
    return false;
}

void decode_program(struct decode *d, uint64_t hash, decode_print_fn print, const void *program)
{
    char *text = NULL;
    size_t size = 0;
    if (d->listing.muted)
        return;
    if (seen_before(d->seen, hash)) {
        listing_lines(&d->listing, "(listed above)");
        return;
    }
    FILE *out = open_memstream(&text, &size);
    int error = out ? print(out, program) : -1;
    if (out && fclose(out))
        error = -1;
    listing_lines(&d->listing, error ? "(no memory)" : text);
    free(text);
}

/* ---- events ---- */

static void list_pages(struct decode *d, const struct capture_event *event, bool each)
{
    for (uint32_t i = 0; i < event->pages.count; i++) {
        const struct capture_page *page = &event->pages.pages[i];
        uint8_t *to = gpu_memory_at(&d->memory, page->address, GPU_PAGE);
        if (to)
            memcpy(to, page->bytes, GPU_PAGE);
        if (each)
            listing_line(&d->listing, "page", "page 0x%08" PRIx64, page->address);
    }
    if (!each)
        listing_line(&d->listing, "memory", "memory: %u pages", event->pages.count);
}

static void list_event(struct decode *d, const struct decode_options *o, const struct decode_family *family,
                       void *self, const struct capture_event *event)
{
    bool write = event->type == CAPTURE_EVENT_REGISTER || event->type == CAPTURE_EVENT_IRQ_REPLY;
    d->job += write && family->begins(self, event->reg.offset, event->reg.value);
    d->listing.muted = event->restart || (o->job && o->job != d->job) || (o->frame && o->frame != d->picture);
    if (write)
        family->write(self, event->reg.offset, event->reg.value, event->type == CAPTURE_EVENT_IRQ_REPLY);
    else if (event->type == CAPTURE_EVENT_PAGES)
        list_pages(d, event, o->pages);
    else if (event->type == CAPTURE_EVENT_FRAME)
        listing_line(&d->listing, "picture", "picture: %ux%u at 0x%08" PRIx64 ", %s", event->frame.width,
                     event->frame.height, event->frame.address,
                     event->frame.presented ? "shown on the display" : "end of a rendering job");
    d->picture += event->type == CAPTURE_EVENT_FRAME && (!d->shown || event->frame.presented);
}

/* A byte of a restart point takes as long as so many of events: what devices draw packs well, and there is much of it. */
#define RESTART_WEIGHT 4u

/* Whether it is quicker from the restart points before the picture than from the beginning: these hold all memory. */
static bool seeking_saves(const struct decode *d, uint64_t picture, struct capture_reader *reader)
{
    struct capture_restart restart;
    uint64_t bytes, all = 0, chain = 0, events = 0;
    for (uint32_t n = 0; capture_reader_restart(reader, n, &restart, &bytes); n++) {
        if ((d->shown ? restart.before.shown : restart.before.all) >= picture)
            break;
        events = restart.offset - all;
        all += bytes;
        chain = restart.full ? bytes : chain + bytes;
    }
    return chain < events / RESTART_WEIGHT;
}

/* To the last restart point before the picture. A job's number is that of the whole capture only where all jobs are met. */
static void seek(struct decode *d, uint64_t picture, struct capture_reader *reader)
{
    struct capture_counts before;
    if (!seeking_saves(d, picture, reader))
        return;
    capture_reader_seek(reader, d->shown, picture, &before);
    d->picture += d->shown ? before.shown : before.all;
    if (d->picture > 1)
        listing_line(&d->listing, "restart",
                     "from the restart point behind picture %llu; jobs are counted from there",
                     (unsigned long long)d->picture - 1);
}

static int list_events(struct decode *d, const struct decode_options *o, const struct decode_family *family,
                       struct capture_reader *reader, FILE *out)
{
    struct util_error error = {0};
    struct capture_event event;
    void *self = NULL;
    int err = family->create(d, &self);
    if (err)
        return tool_error("decode", TOOL_HOST, "%s: %s", o->path, strerror(-err));
    listing_begin(&d->listing, out, o->json);
    if (o->frame && !o->job)
        seek(d, o->frame, reader);
    while (!(err = capture_read(reader, &event, &error)) && event.type != CAPTURE_EVENT_END &&
           (!o->frame || d->picture <= o->frame))
        list_event(d, o, family, self, &event);
    int listed = listing_end(&d->listing);
    family->destroy(self);
    if (listed)
        return tool_error("decode", TOOL_HOST, "out of memory");
    if (!err)
        return TOOL_OK;
    return tool_error("decode", TOOL_BAD_FILE, "%s: %s", o->path, error.code ? error.text : strerror(-err));
}

int decode_reader(const struct decode_options *o, struct capture_reader *reader, FILE *out)
{
    struct decode decode, *d = &decode;
    struct util_error error = {0};
    struct capture_info info;
    int code;
    capture_reader_info(reader, &info);
    const struct tool_family *family = tool_family_of(info.gpu);
    const bool shown = replay_shows_pictures(reader);
    const uint64_t pictures = replay_count_pictures(reader, shown, o->frame, &error);
    *d = (struct decode){.gpu = info.gpu,
                         .picture = 1,
                         .shown = shown,
                         .programs = !o->no_programs,
                         .tiles = o->tiles,
                         .memory = {.fd = -1},
                         .seen = calloc(1, sizeof *d->seen)};
    if (!family)
        code = tool_error("decode", TOOL_BAD_FILE, "%s: a capture of '%s', which this version cannot list",
                          o->path, info.gpu);
    else if (pictures < o->frame && error.code)
        code = tool_error("decode", TOOL_BAD_FILE, "%s: %s", o->path, error.text);
    else if (pictures < o->frame)
        code = tool_error("decode", TOOL_BAD_FILE, "%s has %llu pictures, no number %llu", o->path,
                          (unsigned long long)pictures, (unsigned long long)o->frame);
    else if (!d->seen || gpu_memory_create(info.memory_size, &d->memory))
        code = tool_error("decode", TOOL_HOST, "out of memory");
    else
        code = list_events(d, o, family->decode, reader, out);
    capture_reader_info(reader, &info);
    if (!code && info.torn)
        tool_error("decode", 0, "%s is cut off after its last whole chunk", o->path);
    gpu_memory_destroy(&d->memory);
    free(d->seen);
    return code;
}

int decode_capture(const struct decode_options *o, FILE *out)
{
    struct util_error error = {0};
    struct capture_reader *reader;
    const int err = capture_reader_open(o->path, &reader, &error);
    if (err)
        return tool_error("decode", TOOL_BAD_FILE, "%s: %s", o->path,
                          error.code ? error.text : strerror(-err));
    const int code = decode_reader(o, reader, out);
    capture_reader_close(reader);
    return code;
}

/* ---- the command ---- */

struct options {
    struct decode_options decode;
    bool no_sandbox;
};

#define AT(member) offsetof(struct options, member)

static const struct tool_option rows[] = {
    {"job", "N",
     "only the N-th job, from 1: what begins with its binning (Mali-400: its vertex processing; Malis with a "
     "job manager: each chain)",
     .kind = TOOL_NUMBER, .at = AT(decode.job), .min = 1, .max = UINT64_MAX},
    {"frame", "N",
     "only what makes picture N, counted from 1 as by `vitrail replay`; without --job, jobs are then counted "
     "from the last place "
     "before it from which the capture can be played",
     .kind = TOOL_NUMBER, .at = AT(decode.frame), .min = 1, .max = UINT32_MAX},
    {"no-programs", NULL, "leave programs and uniforms out", .kind = TOOL_SWITCH,
     .at = AT(decode.no_programs)},
    {"tiles", NULL, "Mali: also the primitives in each tile's list, for which the GP's jobs are run",
     .kind = TOOL_SWITCH, .at = AT(decode.tiles)},
    {"pages", NULL, "also name every page of memory recorded", .kind = TOOL_SWITCH, .at = AT(decode.pages)},
    {"json", NULL, "one JSON document instead of text", .kind = TOOL_SWITCH, .at = AT(decode.json)},
    {0},
};

const struct tool_command tool_command_decode = {
    .name = "decode",
    .summary = "list a capture: every record, state and shader, readable",
    .operands = "CAPTURE",
    .text = "Lists a capture readably: register writes with their names, every command of every list with "
            "its fields, render states, textures, programs as assembly, blend shaders among them, uniforms.",
    .examples = "  vitrail decode cube.vtc | less\n"
                "  vitrail decode --job 3 --no-programs cube.vtc\n"
                "  vitrail decode --json cube.vtc | jq '.[] | select(.kind == \"register\").text'\n",
    .options = {{rows}, {tool_sandbox_rows, AT(no_sandbox)}},
    .takes = {"capture", 1, 1},
    .main = tool_decode,
};

int tool_decode(int argc, char **argv)
{
    struct options o = {0};
    struct tool_operands capture;
    int code = tool_parse(&tool_command_decode, argc, argv, &o, &capture);
    if (code)
        return code < 0 ? TOOL_OK : code;
    o.decode.path = capture.at[0];
    struct tool_sandbox sandbox = {.name = "decode", .off = o.no_sandbox};
    tool_sandbox_reads(&sandbox, o.decode.path);
    code = tool_sandbox_enter(&sandbox);
    return code ? code : decode_capture(&o.decode, stdout);
}
