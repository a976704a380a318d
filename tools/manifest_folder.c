/* A folder without a manifest: NAME.vtc is compared with NAME.png (its last picture) and NAME.N.png (its N-th)
 * beside it. Folders in it are looked through, links to folders are not. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/manifest.h"
#include "util/list.h"

struct walk {
    const char *command, *root;
    const struct manifest_settings *settings;
    struct manifest *out;
};

static int in_order(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static const char *ending(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && dot != name ? dot : "";
}

static int add_case(struct walk *w, const char *capture, const char *picture, uint32_t frame)
{
    struct manifest *m = w->out;
    struct manifest_case c = {.capture = capture,
                              .picture = picture,
                              .capture_path = manifest_join(m, w->root, capture),
                              .picture_path = manifest_join(m, w->root, picture),
                              .options = "",
                              .reason = "",
                              .frame = frame,
                              .settings = *w->settings};
    if (!c.capture || !c.picture || !c.capture_path || !c.picture_path || !UTIL_LIST_ADD(m->cases, c))
        return tool_error(w->command, TOOL_HOST, "out of memory");
    return TOOL_OK;
}

/* Which picture of "NAME.vtc" the file is: MANIFEST_LAST for "NAME.png", N for "NAME.N.png", -1: none. */
static int64_t picture_of(const char *capture, const char *file)
{
    const size_t length = (size_t)(ending(capture) - capture);
    const char *rest = file + length;
    char number[16];
    uint64_t frame;
    if (strncmp(capture, file, length) != 0 || strcmp(ending(file), ".png") != 0)
        return -1;
    if (!strcmp(rest, ".png"))
        return MANIFEST_LAST;
    size_t digits = strspn(rest + (*rest == '.'), "0123456789");
    if (*rest != '.' || strcmp(rest + 1 + digits, ".png") != 0 || digits >= sizeof number)
        return -1;
    snprintf(number, sizeof number, "%.*s", (int)digits, rest + 1);
    return tool_number(number, 1, UINT32_MAX, &frame) ? (int64_t)frame : -1;
}

/* A capture beside which nothing lies has a picture still to be made: NAME.png. */
static int take_capture(struct walk *w, const char *folder, struct dirent **files, int count,
                        const char *name)
{
    const char *capture = manifest_join(w->out, folder, name);
    bool any = false;
    int code = TOOL_OK;
    for (int i = 0; !code && i < count; i++) {
        int64_t frame = picture_of(name, files[i]->d_name);
        if (frame < 0)
            continue;
        any = true;
        code = add_case(w, capture, manifest_join(w->out, folder, files[i]->d_name), (uint32_t)frame);
    }
    if (code || any)
        return code;
    char *picture = capture ? manifest_keep(w->out, capture, strlen(capture)) : NULL;
    if (picture)
        memcpy(picture + strlen(picture) - 4, ".png", 4);
    return picture ? add_case(w, capture, picture, MANIFEST_LAST)
                   : tool_error(w->command, TOOL_HOST, "out of memory");
}

/* `folder` is from the root, "" for itself. */
static int walk_folder(struct walk *w, const char *folder, unsigned depth)
{
    struct dirent **files;
    struct stat status;
    int code = TOOL_OK;
    const char *path = !folder ? NULL : *folder ? manifest_join(w->out, w->root, folder) : w->root;
    const int count = path ? scandir(path, &files, NULL, in_order) : -1;
    if (count < 0)
        return tool_error(w->command, path ? TOOL_BAD_FILE : TOOL_HOST, "%s: %s", path ? path : w->root,
                          path ? strerror(errno) : "out of memory");
    for (int i = 0; !code && i < count; i++) {
        const char *name = files[i]->d_name;
        const char *at = manifest_join(w->out, path, name);
        if (*name == '.' || !at || lstat(at, &status))
            continue;
        const bool capture = !strcmp(ending(name), ".vtc") && !S_ISDIR(status.st_mode);
        if (!capture && !S_ISDIR(status.st_mode))
            continue;
        if (!manifest_is_text(name))
            code = tool_error(w->command, TOOL_BAD_FILE,
                              "%s has a file whose name is not UTF-8, or has a control character", path);
        else if (capture)
            code = take_capture(w, folder, files, count, name);
        else if (depth == MANIFEST_FOLDERS)
            code =
                tool_error(w->command, TOOL_BAD_FILE, "%s: more than %u folders deep", at, MANIFEST_FOLDERS);
        else
            code = walk_folder(w, manifest_join(w->out, folder, name), depth + 1);
    }
    for (int i = 0; i < count; i++)
        free(files[i]);
    free(files);
    return code;
}

int manifest_read_folder(const char *command, const char *path, const struct manifest_settings *settings,
                         struct manifest *out)
{
    struct walk w = {.command = command, .root = path, .settings = settings, .out = out};
    int code = walk_folder(&w, "", 0);
    if (!code && !out->cases.count)
        code = tool_error(command, TOOL_BAD_FILE, "%s: neither a MANIFEST nor captures (*.vtc)", path);
    return code;
}
