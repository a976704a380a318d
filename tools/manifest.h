/* What `vitrail verify` and `vitrail update` compare: pictures of captures, as a file or a folder lists them.
 * docs/VERIFY.md has the format. A manifest owns all that its cases point to, but for what the settings
 * took from the command line. */
#ifndef VITRAIL_TOOLS_MANIFEST_H
#define VITRAIL_TOOLS_MANIFEST_H

#include "tools/tool.h"

struct util_arena;

/* How a picture is made and compared: the command line's, which a line's options change. */
struct manifest_settings {
    uint64_t tolerance; /* channel difference that is accepted, 0 to 255 */
    double share;       /* percent of pixels that may lie beyond it */
    bool all, rgba;     /* as of `vitrail replay` */
    struct tool_device_options device;
};
extern const struct tool_option manifest_rows[]; /* of them but for the device's */

#define MANIFEST_LAST 0u /* in place of a frame's number: the last one */

struct manifest_case {
    const char *capture, *picture;           /* as they were named */
    const char *capture_path, *picture_path; /* to open them by */
    const char *options, *reason;            /* of the line; "": none */
    uint32_t frame;                          /* from 1, or MANIFEST_LAST */
    uint32_t line;                           /* from 1; 0: of a folder without a manifest */
    uint32_t unit;                           /* after manifest_group */
    struct manifest_settings settings;
};

/* Cases of one capture under the same options: played once. */
struct manifest_unit {
    uint32_t first, count; /* in manifest.order */
};

struct manifest {
    struct {
        struct manifest_case *at; /* in the order of lines, or of names */
        uint32_t count, room;
    } cases;
    struct manifest_unit *units; /* in the order of their first cases */
    uint32_t unit_count;
    uint32_t *order; /* of cases, unit by unit, each in the order of lines */
    struct util_arena *strings;
};

/* Takes a manifest, a folder that has one (named MANIFEST), or a folder of captures with pictures beside them.
 * `command` is whose messages these are. TOOL_OK, or TOOL_BAD_FILE or TOOL_HOST after a message that names
 * file and line. Call manifest_finish in either case. */
int manifest_read(const char *command, const char *path, const struct manifest_settings *settings,
                  struct manifest *out);
/* Leaves the cases whose capture or picture has `pattern` in its name, or matches it where it has one of *?[. */
void manifest_filter(struct manifest *manifest, const char *pattern);
int manifest_group(struct manifest *manifest); /* fills units and order: 0 or -ENOMEM */
void manifest_finish(struct manifest *manifest);

/* ---- parts of it ---- */
#define MANIFEST_FOLDERS 32u /* within one another at most */
/* Of a folder without a manifest. As manifest_read. */
int manifest_read_folder(const char *command, const char *path, const struct manifest_settings *settings,
                         struct manifest *out);
/* `length` bytes as a string of the manifest's; "FOLDER/NAME", or NAME where it begins with a slash or there is no
 * folder (""). NULL without memory. */
char *manifest_keep(struct manifest *manifest, const char *text, size_t length);
char *manifest_join(struct manifest *manifest, const char *folder, const char *name);
/* UTF-8 without control characters: what reports can hold. */
bool manifest_is_text(const char *text);

#endif
