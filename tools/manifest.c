#include "tools/manifest.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/arena.h"
#include "util/list.h"

#define MAX_WORDS 64u
#define BLANKS    " \t\r"

#define AT(member) offsetof(struct manifest_settings, member)

const struct tool_option manifest_rows[] = {
    {"tolerance", "N", "channel difference that is accepted (default 0)", .kind = TOOL_NUMBER,
     .at = AT(tolerance), .min = 0, .max = 255},
    {"share", "P", "percent of pixels that may lie beyond it (default 0)", .kind = TOOL_PERCENT,
     .at = AT(share)},
    {"all", NULL,
     "count the end of every rendering job as a picture, also when the program showed its frames on a "
     "display",
     .kind = TOOL_SWITCH, .at = AT(all)},
    {"rgba", NULL, "the lowest byte of a pixel is red, unless the capture knows", .kind = TOOL_SWITCH,
     .at = AT(rgba)},
    {0},
};

/* ---- strings ---- */

char *manifest_keep(struct manifest *m, const char *text, size_t length)
{
    char *copy = util_arena_alloc(m->strings, length + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

char *manifest_join(struct manifest *m, const char *folder, const char *name)
{
    size_t before = *name == '/' ? 0 : strlen(folder), length = strlen(name);
    bool slash = before && folder[before - 1] != '/';
    char *path = util_arena_alloc(m->strings, before + slash + length + 1);
    if (!path)
        return NULL;
    memcpy(path, folder, before);
    if (slash)
        path[before] = '/';
    memcpy(path + before + slash, name, length + 1);
    return path;
}

/* Bytes that go on a character of UTF-8 which begins with `first`; -1: none does. */
static int bytes_behind(uint8_t first)
{
    return first < 0x80 ? 0 : first < 0xc2 ? -1 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf5 ? 3 : -1;
}

bool manifest_is_text(const char *text)
{
    const uint8_t *c = (const uint8_t *)text;
    while (*c) {
        const uint8_t first = *c++;
        const int more = bytes_behind(first);
        uint32_t code = more == 1 ? first & 31 : more == 2 ? first & 15 : more == 3 ? first & 7 : first;
        if (more < 0 || first < 0x20 || first == 0x7f)
            return false;
        for (int i = 0; i < more; i++, c++) {
            if ((*c & 0xc0) != 0x80)
                return false;
            code = code << 6 | (*c & 63);
        }
        bool written_longer = (more == 2 && code < 0x800) || (more == 3 && code < 0x10000);
        if (written_longer || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
            return false;
    }
    return true;
}

/* ---- lines ---- */

struct reader {
    const char *command, *path;
    const char *folder, *captures; /* of the manifest; of its captures */
    uint32_t line;
    bool inside; /* lines of cases */
    const struct manifest_settings *settings;
    struct manifest *out;
};

static int fail(const struct reader *r, const char *what)
{
    return tool_error(r->command, TOOL_BAD_FILE, "%s:%u: %s", r->path, r->line, what);
}

/* Takes a line apart where it stands: words, or what stands between double quotes; '#' before a word begins the
 * reason. The number of words; -1: too many, -2: a quote has no end. */
static int split(char *line, char *words[MAX_WORDS], const char **reason)
{
    unsigned n = 0;
    *reason = "";
    for (char *c = line + strspn(line, BLANKS); *c; c += strspn(c, BLANKS)) {
        if (*c == '#') {
            char *end = c + strlen(c);
            while (strchr(BLANKS, end[-1]))
                end--;
            *end = 0;
            *reason = c + 1 + strspn(c + 1, BLANKS);
            break;
        }
        if (n == MAX_WORDS)
            return -1;
        const bool quoted = *c == '"';
        char *end = quoted ? strchr(++c, '"') : c + strcspn(c, BLANKS);
        if (!end)
            return -2;
        words[n++] = c;
        c = end + (*end != 0);
        *end = 0;
    }
    return (int)n;
}

/* The options as one text, so that lines which say the same are the same. */
static char *join_options(struct manifest *m, char **words, int count)
{
    size_t size = 1;
    for (int i = 0; i < count; i++)
        size += strlen(words[i]) + 1;
    char *text = util_arena_alloc(m->strings, size);
    if (!text)
        return NULL;
    *text = 0;
    for (int i = 0; i < count; i++) {
        if (i)
            strcat(text, " ");
        strcat(text, words[i]);
    }
    return text;
}

static int take_options(struct reader *r, char **words, int count, struct manifest_settings *out)
{
    char name[1024];
    snprintf(name, sizeof name, "%s: %s:%u", r->command, r->path, r->line);
    const struct tool_command line = {
        .name = name,
        .text = "A line of a manifest.",
        .examples = "",
        .options = {{manifest_rows}, {tool_device_rows, AT(device)}},
        .takes = {"option", 0, UINT_MAX},
    };
    char *argv[MAX_WORDS + 1] = {name};
    struct tool_operands rest;
    memcpy(argv + 1, words, (size_t)count * sizeof *words);
    *out = *r->settings;
    out->device.no_sandbox = false;
    int code = tool_parse(&line, count + 1, argv, out, &rest);
    if (code)
        return code == TOOL_HOST ? TOOL_HOST : code < 0 ? fail(r, "a line has no help") : TOOL_BAD_FILE;
    if (rest.count)
        return tool_error(r->command, TOOL_BAD_FILE, "%s:%u: '%s' is no option", r->path, r->line,
                          rest.at[0]);
    if (out->device.no_sandbox)
        return fail(r, "--no-sandbox is for the command line alone");
    out->device.no_sandbox = r->settings->device.no_sandbox;
    return TOOL_OK;
}

static int take_case(struct reader *r, char *text)
{
    char *words[MAX_WORDS];
    const char *reason;
    uint64_t frame = MANIFEST_LAST;
    struct manifest *m = r->out;
    const int count = split(text, words, &reason);
    if (count < 0)
        return fail(r, count == -1 ? "too many words" : "a quote has no end");
    if (!count)
        return TOOL_OK;
    if (count < 3)
        return fail(r, "a line is CAPTURE PICTURE FRAME [OPTION...] [# REASON]");
    if (strcmp(words[2], "last") != 0 && !tool_number(words[2], 1, UINT32_MAX, &frame))
        return tool_error(r->command, TOOL_BAD_FILE, "%s:%u: a frame is a number from 1, or last, not '%s'",
                          r->path, r->line, words[2]);
    struct manifest_case c = {.capture = manifest_keep(m, words[0], strlen(words[0])),
                              .picture = manifest_keep(m, words[1], strlen(words[1])),
                              .capture_path = manifest_join(m, r->captures, words[0]),
                              .picture_path = manifest_join(m, r->folder, words[1]),
                              .options = join_options(m, words + 3, count - 3),
                              .reason = manifest_keep(m, reason, strlen(reason)),
                              .frame = (uint32_t)frame,
                              .line = r->line};
    int code = take_options(r, words + 3, count - 3, &c.settings);
    if (code)
        return code;
    if (!c.capture || !c.picture || !c.capture_path || !c.picture_path || !c.options || !c.reason ||
        !UTIL_LIST_ADD(m->cases, c))
        return tool_error(r->command, TOOL_HOST, "out of memory");
    return TOOL_OK;
}

/* "[replay]" or "[replay FOLDER]"; sections of other names are for others. */
static int take_section(struct reader *r, char *text)
{
    static const char own[] = "[replay";
    char *end = strchr(text, ']');
    if (!end || end[1 + strspn(end + 1, BLANKS)])
        return fail(r, "a section is [NAME]");
    *end = 0;
    char *rest = text + sizeof own - 1;
    r->inside = !strncmp(text, own, sizeof own - 1) && (!*rest || strchr(BLANKS, *rest));
    r->captures = r->folder;
    if (!r->inside)
        return TOOL_OK;
    char *words[MAX_WORDS];
    const char *reason;
    int count = split(rest, words, &reason);
    if (count < 0 || count > 1)
        return fail(r, "a section is [replay] or [replay FOLDER]");
    if (count && !(r->captures = manifest_join(r->out, r->folder, words[0])))
        return tool_error(r->command, TOOL_HOST, "out of memory");
    return TOOL_OK;
}

static int take_line(struct reader *r, char *text)
{
    for (char *c = text; *c; c++)
        if (*c == '\t' || *c == '\r')
            *c = ' ';
    if (!manifest_is_text(text))
        return fail(r, "not UTF-8, or a control character");
    text += strspn(text, BLANKS);
    if (*text == '[')
        return take_section(r, text);
    return r->inside ? take_case(r, text) : TOOL_OK;
}

static int take_lines(struct reader *r, char *text, size_t size)
{
    int code = TOOL_OK;
    for (char *line = text, *end = text + size; !code && line < end;) {
        char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        r->line++;
        if (memchr(line, 0, (size_t)(stop - line)))
            return fail(r, "not a text");
        *stop = 0;
        code = take_line(r, line);
        line = stop + 1;
    }
    return code;
}

static int read_file(const char *command, const char *path, const struct manifest_settings *settings,
                     struct manifest *out)
{
    const char *slash = strrchr(path, '/');
    uint8_t *text;
    size_t size;
    struct reader r = {.command = command, .path = path, .inside = true, .settings = settings, .out = out};
    r.folder = manifest_keep(out, path, slash ? (size_t)(slash - path) + 1 : 0);
    r.captures = r.folder;
    if (!r.folder)
        return tool_error(command, TOOL_HOST, "out of memory");
    if (!tool_read_file(command, path, &text, &size))
        return TOOL_BAD_FILE;
    int code = take_lines(&r, (char *)text, size);
    free(text);
    if (!code && !out->cases.count)
        code = tool_error(command, TOOL_BAD_FILE, "%s: no line of it names a picture", path);
    return code;
}

int manifest_read(const char *command, const char *path, const struct manifest_settings *settings,
                  struct manifest *out)
{
    struct stat status;
    *out = (struct manifest){0};
    if (util_arena_create(&out->strings))
        return tool_error(command, TOOL_HOST, "out of memory");
    if (stat(path, &status) || !S_ISDIR(status.st_mode))
        return read_file(command, path, settings, out);
    const char *inside = manifest_join(out, path, "MANIFEST");
    if (!inside)
        return tool_error(command, TOOL_HOST, "out of memory");
    if (!stat(inside, &status) && S_ISREG(status.st_mode))
        return read_file(command, inside, settings, out);
    return manifest_read_folder(command, path, settings, out);
}

void manifest_finish(struct manifest *m)
{
    free(m->cases.at);
    free(m->units);
    free(m->order);
    util_arena_destroy(m->strings);
    *m = (struct manifest){0};
}

/* ---- which of them, and which together ---- */

static bool is_meant(const char *pattern, const char *name)
{
    return strpbrk(pattern, "*?[") ? !fnmatch(pattern, name, 0) : strstr(name, pattern) != NULL;
}

void manifest_filter(struct manifest *m, const char *pattern)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->cases.count; i++) {
        const struct manifest_case *c = &m->cases.at[i];
        if (is_meant(pattern, c->capture) || is_meant(pattern, c->picture))
            m->cases.at[kept++] = *c;
    }
    m->cases.count = kept;
}

/* By capture and options; then as they stand. */
static int by_play(const void *a, const void *b, void *manifest)
{
    const struct manifest *m = manifest;
    const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    int order = strcmp(m->cases.at[i].capture_path, m->cases.at[k].capture_path);
    order = order ? order : strcmp(m->cases.at[i].options, m->cases.at[k].options);
    return order ? order : (i > k) - (i < k);
}

static int by_first(const void *a, const void *b, void *manifest)
{
    const struct manifest *m = manifest;
    const uint32_t i = m->order[((const struct manifest_unit *)a)->first];
    const uint32_t k = m->order[((const struct manifest_unit *)b)->first];
    return (i > k) - (i < k);
}

static bool same_play(const struct manifest_case *a, const struct manifest_case *b)
{
    return !strcmp(a->capture_path, b->capture_path) && !strcmp(a->options, b->options);
}

int manifest_group(struct manifest *m)
{
    const uint32_t n = m->cases.count;
    m->order = malloc(sizeof *m->order * (n + 1));
    m->units = malloc(sizeof *m->units * (n + 1));
    if (!m->order || !m->units)
        return -ENOMEM;
    for (uint32_t i = 0; i < n; i++)
        m->order[i] = i;
    qsort_r(m->order, n, sizeof *m->order, by_play, m);
    for (uint32_t i = 0; i < n; i++) {
        if (!i || !same_play(&m->cases.at[m->order[i - 1]], &m->cases.at[m->order[i]]))
            m->units[m->unit_count++] = (struct manifest_unit){.first = i};
        m->units[m->unit_count - 1].count++;
    }
    qsort_r(m->units, m->unit_count, sizeof *m->units, by_first, m);
    for (uint32_t u = 0; u < m->unit_count; u++)
        for (uint32_t k = 0; k < m->units[u].count; k++)
            m->cases.at[m->order[m->units[u].first + k]].unit = u;
    return 0;
}
