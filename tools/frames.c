#include "tools/frames.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/bits.h"

#define RATE 60 /* pictures a second, as displays show them */

#define AT(member) offsetof(struct tool_frames_options, member)

const struct tool_option tool_frames_rows[] = {
    {"frames", "DIR",
     "write the pictures as DIR/frame-000001.png and so on; none is left out: when they come faster than "
     "they can be written, drawing waits",
     .kind = TOOL_FOLDER, .at = AT(folder)},
    {"frames-of", "A..B", "only these pictures, counted from 1; also A.., ..B and A", .kind = TOOL_RANGE,
     .at = AT(of), .min = 1, .max = UINT32_MAX},
    {"frames-every", "N", "of these every N-th, the first of them too (default 1)", .kind = TOOL_NUMBER,
     .at = AT(every), .min = 1, .max = 1000000},
    {"video", "FILE",
     "write them as a video of 60 pictures a second: FILE.y4m is not compressed, other formats need an "
     "installed ffmpeg; pictures of another size than the first are cut, or get a black border",
     .kind = TOOL_FILE, .at = AT(video)},
    {"replace", NULL, "remove the pictures that DIR has already, instead of refusing it", .kind = TOOL_SWITCH,
     .at = AT(replace)},
    {0},
};

/* ---- the folder ---- */

/* The pictures in the folder: removes them, or refuses it for the first. */
static int look_at(const char *name, const char *path, DIR *folder, int at, bool replace)
{
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (fnmatch(TOOL_PICTURES, entry->d_name, 0) != 0)
            continue;
        if (!replace)
            return tool_error(name, TOOL_USAGE, "%s has pictures already, as %s (--replace: remove them)",
                              path, entry->d_name);
        if (unlinkat(at, entry->d_name, 0))
            return tool_error(name, TOOL_HOST, "%s/%s: %s", path, entry->d_name, strerror(errno));
    }
    return TOOL_OK;
}

static int check_folder(const char *name, const char *path, bool replace)
{
    if (mkdir(path, 0777) && errno != EEXIST)
        return tool_error(name, TOOL_HOST, "%s: %s", path, strerror(errno));
    DIR *folder = opendir(path);
    const int at = folder ? dirfd(folder) : -1;
    int code = TOOL_OK;
    if (at < 0 || faccessat(at, ".", W_OK | X_OK, AT_EACCESS))
        code = tool_error(name, TOOL_HOST, "%s: %s", path, strerror(errno));
    else
        code = look_at(name, path, folder, at, replace);
    if (folder)
        closedir(folder);
    return code;
}

int tool_frames_check(const char *name, const struct tool_frames_options *o)
{
    if (!o->folder && !o->video && (o->every || o->of.first || o->replace))
        return tool_error(name, TOOL_USAGE, "--frames DIR or --video FILE is missing: where pictures go");
    if (!o->folder && o->replace)
        return tool_error(name, TOOL_USAGE, "--replace is for the pictures of --frames DIR");
    int code = o->video ? tool_check_output(name, o->video) : TOOL_OK;
    if (!code && o->folder)
        code = check_folder(name, o->folder, o->replace);
    return code;
}

/* ---- who writes ---- */

void tool_frames_grant(const struct tool_frames_options *o, struct tool_sandbox *sandbox)
{
    tool_sandbox_writes_pictures(sandbox, o->folder);
    if (o->video && tool_video_is_plain(o->video))
        tool_sandbox_writes(sandbox, o->video);
}

int tool_frames_start(const char *name, const struct tool_frames_options *options, struct tool_frames *frames)
{
    *frames = (struct tool_frames){
        .name = name, .options = options, .encoder = {.stream = -1, .status = -1}, .file = -1};
    if (!options->video || tool_video_is_plain(options->video))
        return TOOL_OK;
    return tool_encoder_start(name, options->video, &frames->encoder);
}

int tool_frames_open(struct tool_frames *f)
{
    const struct tool_frames_options *o = f->options;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (!o->folder && !o->video)
        return TOOL_OK;
    if (o->video && f->encoder.stream < 0) {
        f->file = util_open(o->video, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (f->file < 0)
            return tool_error(f->name, TOOL_HOST, "%s: %s", o->video, strerror(-f->file));
    }
    const struct util_frames_options options = {
        .folder = o->folder,
        .stream = f->encoder.stream >= 0 ? f->encoder.stream : f->file,
        .rate = RATE,
        .first = o->of.first ? o->of.first : 1,
        .last = o->of.first ? o->of.last : UINT64_MAX,
        .every = o->every ? o->every : 1,
        .threads = (unsigned)UTIL_MIN(UTIL_MAX(processors, 1), UTIL_FRAMES_THREADS)};
    const int r = util_frames_create(&options, &f->frames);
    return r ? tool_error(f->name, TOOL_HOST, "no threads for pictures: %s", strerror(-r)) : TOOL_OK;
}

int tool_frames_close(struct tool_frames *f)
{
    struct util_error error = {0};
    int code = TOOL_OK;
    if (f->frames && util_frames_flush(f->frames, &error))
        code = tool_error(f->name, TOOL_HOST, "not all pictures were written: %s", error.text);
    util_frames_destroy(f->frames);
    f->frames = NULL;
    if (f->file >= 0 && close(f->file) && !code)
        code = tool_error(f->name, TOOL_HOST, "%s: %s", f->options->video, strerror(errno));
    f->file = -1;
    return code;
}

int tool_frames_finish(struct tool_frames *f)
{
    return f->encoder.stream >= 0 ? tool_encoder_finish(&f->encoder) : TOOL_OK;
}
