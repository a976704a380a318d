/* `vitrail decode`: a capture event by event; what the writes mean is told by the GPU's family. */
#include "tools/decode.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/capture.h"
#include "tools/family.h"
#include "tools/tool.h"

static const char help[] =
    "Usage: vitrail decode [OPTIONS] CAPTURE\n"
    "\n"
    "Lists a capture readably: register writes with their names, every command of\n"
    "every list with its fields, render states, textures, programs as assembly,\n"
    "uniforms.\n"
    "\n"
    "  --job N          only the N-th job, from 1: what begins with its binning\n"
    "                   (Mali: its vertex processing)\n"
    "  --no-programs    leave programs and uniforms out\n"
    "  --tiles          Mali: also the primitives in each tile's list, for which the\n"
    "                   GP's jobs are run\n"
    "  --pages          also name every page of memory recorded\n"
    "  --json           one JSON document instead of text\n"
    "  --no-sandbox     the process may make every system call, for tracing it\n"
    "\n"
    "Examples:\n"
    "  vitrail decode cube.vtc | less\n"
    "  vitrail decode --job 3 --no-programs cube.vtc\n"
    "  vitrail decode --json cube.vtc | jq '.[] | select(.kind == \"register\").text'\n";

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
    d->listing.muted = o->job && o->job != d->job;
    if (write)
        family->write(self, event->reg.offset, event->reg.value, event->type == CAPTURE_EVENT_IRQ_REPLY);
    else if (event->type == CAPTURE_EVENT_PAGES)
        list_pages(d, event, o->pages);
    else if (event->type == CAPTURE_EVENT_FRAME)
        listing_line(&d->listing, "picture", "picture: %ux%u at 0x%08" PRIx64 ", %s", event->frame.width,
                     event->frame.height, event->frame.address,
                     event->frame.presented ? "shown on the display" : "end of a rendering job");
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
    while (!(err = capture_read(reader, &event, &error)) && event.type != CAPTURE_EVENT_END)
        list_event(d, o, family, self, &event);
    int listed = listing_end(&d->listing);
    family->destroy(self);
    if (listed)
        return tool_error("decode", TOOL_HOST, "out of memory");
    if (!err)
        return TOOL_OK;
    return tool_error("decode", TOOL_BAD_FILE, "%s: %s", o->path, error.code ? error.text : strerror(-err));
}

int decode_capture(const struct decode_options *o, FILE *out)
{
    struct decode decode, *d = &decode;
    struct util_error error = {0};
    struct capture_reader *reader;
    struct capture_info info;
    int err = capture_reader_open(o->path, &reader, &error), code;
    if (err)
        return tool_error("decode", TOOL_BAD_FILE, "%s: %s", o->path,
                          error.code ? error.text : strerror(-err));
    capture_reader_info(reader, &info);
    const struct tool_family *family = tool_family_of(info.gpu);
    *d = (struct decode){.gpu = info.gpu,
                         .programs = !o->no_programs,
                         .tiles = o->tiles,
                         .memory = {.fd = -1},
                         .seen = calloc(1, sizeof *d->seen)};
    if (!family)
        code = tool_error("decode", TOOL_BAD_FILE, "%s: a capture of '%s', which this version cannot list",
                          o->path, info.gpu);
    else if (!d->seen || gpu_memory_create(info.memory_size, &d->memory))
        code = tool_error("decode", TOOL_HOST, "out of memory");
    else
        code = list_events(d, o, family->decode, reader, out);
    capture_reader_info(reader, &info);
    if (!code && info.torn)
        tool_error("decode", 0, "%s is cut off after its last whole chunk", o->path);
    gpu_memory_destroy(&d->memory);
    free(d->seen);
    capture_reader_close(reader);
    return code;
}

/* ---- the command ---- */

static int parse(struct decode_options *o, bool *no_sandbox, int argc, char **argv)
{
    int code = TOOL_OK, got;
    const char *value;
    for (int i = 1; !code && i < argc; i++) {
        if ((got = tool_value("decode", "--job", argc, argv, &i, &value))) {
            if (got < 0)
                code = TOOL_USAGE;
            else if (!tool_number(value, 1, UINT64_MAX, &o->job))
                code = tool_error("decode", TOOL_USAGE, "--job takes a number from 1, not '%s'", value);
        } else if (!strcmp(argv[i], "--no-programs"))
            o->no_programs = true;
        else if (!strcmp(argv[i], "--tiles"))
            o->tiles = true;
        else if (!strcmp(argv[i], "--pages"))
            o->pages = true;
        else if (!strcmp(argv[i], "--json"))
            o->json = true;
        else if (!strcmp(argv[i], "--no-sandbox"))
            *no_sandbox = true;
        else
            code = tool_operand("decode", argv[i], &o->path);
    }
    if (!code && !o->path)
        code = tool_error("decode", TOOL_USAGE, "no capture given; see `vitrail decode --help`");
    return code;
}

int tool_decode(int argc, char **argv)
{
    struct decode_options o = {0};
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(help, stdout);
            return TOOL_OK;
        }
    struct tool_sandbox sandbox = {.name = "decode"};
    int code = parse(&o, &sandbox.off, argc, argv);
    if (code)
        return code;
    tool_sandbox_reads(&sandbox, o.path);
    code = tool_sandbox_enter(&sandbox);
    return code ? code : decode_capture(&o, stdout);
}
