#include "tools/edit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/families.h"
#include "tools/family.h"
#include "util/bits.h"
#include "util/list.h"

struct options {
    const char *capture, *output, *compare;
    struct edit_items programs, uniforms, textures;
    uint64_t frame, print; /* print: an address */
    bool all;
    struct tool_device_options device;
};

#define AT(member) offsetof(struct options, member)

/* ---- options ---- */

/* "ADDRESS=REST"; *rest NULL: it is none. */
static int take_item(struct edit_items *items, const char *value, const char **rest)
{
    char address[32];
    const char *equals = strchr(value, '=');
    struct edit_item *item = &items->at[items->count];
    *rest = NULL;
    if (!equals || !equals[1] || (size_t)(equals - value) >= sizeof address)
        return -1;
    memcpy(address, value, (size_t)(equals - value));
    address[equals - value] = 0;
    if (items->count == EDIT_ITEMS)
        return tool_error("edit", TOOL_USAGE, "at most %u of a kind", EDIT_ITEMS);
    if (!tool_number(address, 1, UINT64_MAX, &item->address))
        return -1;
    items->count++;
    *rest = item->path = equals + 1;
    return TOOL_OK;
}

static int take_program(void *options, const char *value)
{
    const char *rest;
    return take_item(&((struct options *)options)->programs, value, &rest);
}

static int take_texture(void *options, const char *value)
{
    const char *rest;
    return take_item(&((struct options *)options)->textures, value, &rest);
}

/* A word, or a float if it has a point. */
static bool take_word(const char *text, uint32_t *word)
{
    uint64_t number;
    char *end;
    if (!strncmp(text, "0x", 2) || !strchr(text, '.')) {
        const bool negative = *text == '-';
        if (!tool_number(text + negative, 0, negative ? 0x80000000u : UINT32_MAX, &number))
            return false;
        *word = negative ? 0u - (uint32_t)number : (uint32_t)number;
        return true;
    }
    *word = util_f2u(strtof(text, &end));
    return !*end && end != text;
}

static int take_uniforms(void *options, const char *value)
{
    struct edit_items *items = &((struct options *)options)->uniforms;
    const char *rest;
    int code = take_item(items, value, &rest);
    if (code)
        return code;
    struct edit_item *item = &items->at[items->count - 1];
    item->path = NULL;
    if (item->address % 4)
        return tool_error("edit", TOOL_USAGE,
                          "uniforms are words, whose address is a multiple of 4, not '%s'", value);
    item->words = calloc(EDIT_WORDS, sizeof *item->words);
    char *copy = strdup(rest), *next = copy;
    if (!copy || !item->words)
        code = tool_error("edit", TOOL_HOST, "out of memory");
    for (char *word = strsep(&next, ","); !code && word; word = strsep(&next, ","))
        if (item->count == EDIT_WORDS)
            code = tool_error("edit", TOOL_USAGE, "at most %u words of uniforms in one place", EDIT_WORDS);
        else if (!take_word(word, &item->words[item->count++]))
            code = tool_error("edit", TOOL_USAGE,
                              "'%s' is no uniform: a word of 32 bits, or a float with a point", word);
    free(copy);
    return code;
}

static const struct tool_option rows[] = {
    {"o", "FILE", "write the edited capture here", .kind = TOOL_FILE, .at = AT(output)},
    {"print", "ADDRESS", "print the program at that address, to begin from; nothing is played",
     .kind = TOOL_NUMBER, .at = AT(print), .min = 1, .max = UINT64_MAX},
    {"program", "ADDRESS=FILE",
     "the program at that address becomes FILE's: assembly, or words in hexadecimal or binary; may be given "
     "more than once",
     .kind = TOOL_OWN, .take = take_program, .takes = "an address, = and a file"},
    {"uniforms", "ADDRESS=WORD,...",
     "what stands there becomes these words of 32 bits, or floats if they have a point; may be given more "
     "than once",
     .kind = TOOL_OWN, .take = take_uniforms, .takes = "an address, = and words"},
    {"texture", "ADDRESS=FILE.png",
     "the texture at that address shows the picture, of the same size, in its own format and layout, with "
     "all its levels; faces of a cube (+X -X +Y -Y +Z -Z), slices of a volume and layers of an array, up to "
     "six, stand side by side, as in `vitrail report`; ETC1 is encoded anew, other compressed textures "
     "cannot be replaced; may be given more than once",
     .kind = TOOL_OWN, .take = take_texture, .takes = "an address, = and a PNG"},
    {"frame", "N",
     "what stands there in the jobs of picture N, counted from 1 as by `vitrail replay`, and from there on "
     "wherever the same "
     "stands there again (default 1); also the picture for --compare",
     .kind = TOOL_NUMBER, .at = AT(frame), .min = 1, .max = UINT32_MAX},
    {"compare", "FILE.png",
     "a picture as it was, as it is now, and the difference, brightened, side by side: that of --frame, or "
     "the last one",
     .kind = TOOL_FILE, .at = AT(compare)},
    {"all", NULL, "count the end of every rendering job as a picture", .kind = TOOL_SWITCH, .at = AT(all)},
    {0},
};

const struct tool_command tool_command_edit = {
    .name = "edit",
    .summary = "replace programs, uniforms and textures of a capture",
    .operands = "CAPTURE",
    .text =
        "Plays a capture with other programs, uniforms or textures, writes that as a capture, and shows what "
        "it changes. "
        "Addresses are the GPU's, as `vitrail profile`, `vitrail report` and `vitrail decode` print them.\n\n"
        "A thing is known by its address and its bytes: where a driver has put the same there again, it is "
        "replaced again; "
        "what else it puts there stays. A program may be longer than the old one as far as zeros stand "
        "behind that in its "
        "page; registers, uniforms and varyings remain those that the driver's state names.",
    .examples = "  vitrail edit cube.vtc --print 0x0a005000 > new.s\n"
                "  vitrail edit cube.vtc -o new.vtc --program 0x0a005000=new.s --compare new.png\n"
                "  vitrail edit cube.vtc --texture 0x0012a000=checker.png --compare new.png\n"
                "  vitrail edit cube.vtc --frame 3 --uniforms 0x00191040=1.0,0.0,0.0,1.0 --compare new.png\n",
    .options = {{rows}, {tool_device_rows, AT(device)}},
    .takes = {"capture", 1, 1},
    .main = tool_edit,
};

/* ---- edits ---- */

int edit_add(struct edit_list *list, uint64_t address, uint8_t *before, uint32_t own, uint8_t *after,
             uint32_t size)
{
    const struct gpu_edit edit = {
        .address = address, .size = size, .own = own, .before = before, .after = after, .taken = before};
    if (before && after && UTIL_LIST_ADD(list->edits, edit))
        return TOOL_OK;
    free(before);
    free(after);
    return tool_error("edit", TOOL_HOST, "out of memory");
}

static int add_uniforms(struct edit_list *list, const struct edit_items *uniforms)
{
    for (unsigned n = 0; n < uniforms->count; n++) {
        const struct edit_item *item = &uniforms->at[n];
        struct gpu_edit edit = {.address = item->address, .size = item->count * 4};
        uint8_t *bytes = malloc(edit.size);
        edit.own = edit.size;
        edit.after = bytes;
        for (uint32_t w = 0; bytes && w < item->count; w++)
            util_store32(bytes + 4ull * w, item->words[w]);
        if (!bytes || !UTIL_LIST_ADD(list->edits, edit)) {
            free(bytes);
            return tool_error("edit", TOOL_HOST, "out of memory");
        }
    }
    return TOOL_OK;
}

static int read_pictures(const struct edit_items *textures, struct util_image *pictures)
{
    for (unsigned n = 0; n < textures->count; n++) {
        const int err = util_image_read_png(&pictures[n], textures->at[n].path);
        if (err)
            return tool_error("edit", TOOL_BAD_FILE, "%s: %s", textures->at[n].path, strerror(-err));
    }
    return TOOL_OK;
}

/* ---- the command ---- */

struct session {
    const struct options *options;
    struct edit_session play;
};

static int look_at_capture(struct session *s)
{
    struct util_error error = {0};
    struct capture_reader *reader;
    struct capture_info info;
    const int err = capture_reader_open(s->play.list.capture, &reader, &error);
    if (err)
        return tool_error("edit", TOOL_BAD_FILE, "%s: %s", s->play.list.capture,
                          error.code ? error.text : strerror(-err));
    capture_reader_info(reader, &info);
    const struct tool_family *family = tool_family_of(info.gpu);
    s->play.list.shown = !s->options->all && replay_shows_pictures(reader);
    const uint64_t pictures = replay_count_pictures(reader, s->play.list.shown, UINT64_MAX, NULL);
    capture_reader_close(reader);
    if (!family)
        return tool_error("edit", TOOL_BAD_FILE, "%s: a capture of '%s', which is not among the GPUs here",
                          s->play.list.capture, info.gpu);
    s->play.editor = family->editor;
    s->play.number = s->options->frame ? s->options->frame : pictures;
    if (s->options->frame > pictures || (s->options->compare && !pictures))
        return tool_error("edit", TOOL_BAD_FILE, "%s has %llu pictures%s", s->play.list.capture,
                          (unsigned long long)pictures, pictures ? "" : ", none to compare");
    return TOOL_OK;
}

static int edit(void *data, const struct gpu_options *device)
{
    struct session *s = data;
    const struct options *o = s->options;
    struct util_image pictures[EDIT_ITEMS] = {0};
    s->play.list.device = *device;
    int code = look_at_capture(s);
    if (!code && o->print)
        return edit_print(&s->play.list, o->print);
    if (!code)
        code = read_pictures(&o->textures, pictures);
    if (!code && o->programs.count)
        code = edit_programs(&s->play.list, &o->programs);
    if (!code)
        code = add_uniforms(&s->play.list, &o->uniforms);
    if (!code && o->textures.count)
        code = edit_textures(&s->play.list, &o->textures, pictures);
    if (!code) {
        code = edit_play(&s->play);
        if (code && o->output)
            util_remove_file(o->output);
    }
    if (!code && o->compare)
        code = edit_compare(&s->play);
    for (unsigned n = 0; n < o->textures.count; n++)
        util_image_finish(&pictures[n]);
    return code ? code : s->play.faulted ? TOOL_FAULT : TOOL_OK;
}

static void finish(struct session *s, struct options *o)
{
    for (uint32_t n = 0; n < s->play.list.edits.count; n++) {
        gpu_edit_finish(&s->play.list.edits.at[n]);
        free((void *)s->play.list.edits.at[n].after);
    }
    free(s->play.list.edits.at);
    util_image_finish(&s->play.edited);
    for (unsigned n = 0; n < o->uniforms.count; n++)
        free(o->uniforms.at[n].words);
}

static void grant(struct tool_sandbox *sandbox, const struct options *o)
{
    tool_sandbox_reads(sandbox, o->capture);
    for (unsigned n = 0; n < o->programs.count; n++)
        tool_sandbox_reads(sandbox, o->programs.at[n].path);
    for (unsigned n = 0; n < o->textures.count; n++)
        tool_sandbox_reads(sandbox, o->textures.at[n].path);
    tool_sandbox_writes(sandbox, o->output);
    tool_sandbox_writes(sandbox, o->compare);
}

int tool_edit(int argc, char **argv)
{
    struct options o = {.device = TOOL_USUAL_DEVICE};
    struct session s = {.options = &o};
    struct tool_operands capture;
    int code = tool_parse(&tool_command_edit, argc, argv, &o, &capture);
    if (code) {
        finish(&s, &o);
        return code < 0 ? TOOL_OK : code;
    }
    s.play.list.first = o.frame ? o.frame : 1;
    s.play.list.capture = o.capture = capture.at[0];
    s.play.output = o.output;
    s.play.compare = o.compare;
    const bool replaces = o.programs.count || o.uniforms.count || o.textures.count;
    if (!replaces && !o.print)
        code =
            tool_error("edit", TOOL_USAGE, "nothing is to be replaced: --program, --uniforms or --texture");
    else if (replaces && o.print)
        code = tool_error("edit", TOOL_USAGE, "--print goes with --frame alone");
    else if (replaces && !o.output && !o.compare)
        code = tool_error("edit", TOOL_USAGE, "nothing is to be written: -o or --compare");
    else if (o.output && tool_same_file(o.capture, o.output))
        code = tool_error("edit", TOOL_USAGE, "%s and %s are one file", o.capture, o.output);
    if (!code) {
        struct tool_sandbox sandbox = {.name = "edit", .off = o.device.no_sandbox, .device = &o.device};
        grant(&sandbox, &o);
        code = tool_with_device(&sandbox, edit, &s);
    }
    finish(&s, &o);
    return code;
}
