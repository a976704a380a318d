/* The play of an edited capture, and what it shows. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/edit.h"
#include "util/bits.h"

static int on_picture(void *data, struct replay *replay, uint64_t number, const struct capture_frame *frame)
{
    struct edit_session *s = data;
    struct gpu_fault faults[16];
    unsigned count;
    while ((count = replay_faults(replay, faults, 16)))
        for (unsigned n = 0; n < count; n++) {
            tool_print_fault(&faults[n]);
            s->faulted = true;
        }
    tool_progress_step(&s->progress, replay_position(replay));
    return s->compare && number == s->number ? replay_picture(replay, frame, &s->edited) : 0;
}

static int open_replay(const struct edit_session *s, struct replay **replay)
{
    struct util_error error = {0};
    struct capture_reader *reader;
    int err = capture_reader_open(s->list.capture, &reader, &error);
    if (!err) {
        err = replay_create(reader, &s->list.device, replay, &error);
        if (err)
            capture_reader_close(reader);
    }
    return err ? tool_error("edit", err == -ENOMEM ? TOOL_HOST : TOOL_BAD_FILE, "%s: %s", s->list.capture,
                            error.code ? error.text : strerror(-err))
               : TOOL_OK;
}

static int open_writer(const struct edit_session *s, const struct replay *replay,
                       struct capture_writer **writer)
{
    struct util_error error = {0};
    struct capture_info info;
    const char *path = s->output;
    replay_info(replay, &info);
    *writer = NULL;
    if (!path)
        return TOOL_OK;
    const int err = capture_writer_create(path, info.gpu, info.command, info.memory_size, writer, &error);
    if (err)
        return tool_error("edit", TOOL_HOST, "%s", error.code ? error.text : strerror(-err));
    capture_set_interval(*writer, 32);
    return TOOL_OK;
}

static int play(struct edit_session *s)
{
    struct util_error error = {0};
    struct capture_writer *writer;
    struct capture_info info;
    struct replay *replay = NULL;
    int code = open_replay(s, &replay);
    if (code)
        return code;
    code = open_writer(s, replay, &writer);
    if (!code) {
        const struct gpu_edit_play how = {.editor = s->editor,
                                          .writer = writer,
                                          .edits = s->list.edits.at,
                                          .count = s->list.edits.count,
                                          .shown = s->list.shown,
                                          .first = s->list.first,
                                          .picture = on_picture,
                                          .data = s};
        replay_info(replay, &info);
        tool_progress_begin(&s->progress, "edit", info.file_size);
        int err = gpu_edit(replay, &how, &error);
        tool_progress_end(&s->progress);
        replay_info(replay, &info);
        if (!err && info.torn)
            tool_error("edit", 0, "%s is cut off after its last whole chunk", s->list.capture);
        const int closed = capture_writer_close(writer);
        err = err ? err : closed;
        if (err)
            code = tool_error("edit", err == -EBADMSG ? TOOL_BAD_FILE : TOOL_HOST, "%s: %s",
                              error.code ? s->list.capture : "the edited capture",
                              error.code ? error.text : strerror(-err));
    }
    replay_destroy(replay);
    return code;
}

/* ---- what came of it ---- */

static int tell_edits(const struct edit_session *s)
{
    for (uint32_t n = 0; n < s->list.edits.count; n++) {
        const struct gpu_edit *e = &s->list.edits.at[n];
        if (e->in_use)
            return tool_error(
                "edit", TOOL_BAD_FILE,
                "0x%08" PRIx64
                ": in %llu jobs other things stand behind the %u bytes, where the new ones would go",
                e->address, (unsigned long long)e->in_use, e->own);
        const bool same = e->before && !memcmp(e->before, e->after, e->size);
        if (!e->times && !same)
            return tool_error("edit", TOOL_BAD_FILE,
                              "0x%08" PRIx64
                              ": no job from picture %llu on found there what was to be replaced",
                              e->address, (unsigned long long)s->list.first);
        if (same)
            printf("0x%08" PRIx64 ": %u bytes, the same as before\n", e->address, e->size);
        else
            printf("0x%08" PRIx64 ": %u bytes, written before %llu jobs\n", e->address, e->size,
                   (unsigned long long)e->times);
    }
    return TOOL_OK;
}

int edit_play(struct edit_session *s)
{
    const int code = play(s);
    return code ? code : tell_edits(s);
}

static void draw_part(struct util_image *out, uint32_t left, const struct util_image *part)
{
    for (uint32_t y = 0; y < part->height; y++)
        memcpy(out->pixels + 4 * ((size_t)y * out->width + left), part->pixels + 4 * (size_t)y * part->width,
               4 * (size_t)part->width);
}

/* As it was, as it is, and by how much. */
static int draw_sides(const struct util_image *was, const struct util_image *is, const char *path)
{
    const size_t bytes = 4 * (size_t)was->width * was->height;
    struct util_image out = {0}, difference = {0};
    int err = util_image_init(&out, was->width * 3, was->height);
    if (!err)
        err = util_image_init(&difference, was->width, was->height);
    for (size_t n = 0; !err && n < bytes; n++)
        difference.pixels[n] = (uint8_t)UTIL_MIN(abs(was->pixels[n] - is->pixels[n]) * 8, 255);
    if (!err) {
        draw_part(&out, 0, was);
        draw_part(&out, was->width, is);
        draw_part(&out, was->width * 2, &difference);
        err = util_image_write_png(&out, path, 0);
    }
    util_image_finish(&out);
    util_image_finish(&difference);
    return err ? tool_error("edit", TOOL_HOST, "%s: %s", path,
                            err == -EINVAL ? "three pictures side by side are too wide" : strerror(-err))
               : TOOL_OK;
}

int edit_compare(const struct edit_session *s)
{
    struct util_error error = {0};
    struct util_image was = {0};
    struct util_image_diff diff;
    struct capture_frame frame;
    struct replay *replay = NULL;
    uint64_t n;
    int got = 1, code = open_replay(s, &replay);
    if (code)
        return code;
    got = replay_seek(replay, s->list.shown, s->number, &n) ? -ENOMEM : 1;
    for (; got > 0 && n < s->number; n++)
        got = replay_next_frame(replay, s->list.shown, &frame, &error);
    if (got <= 0 || replay_picture(replay, &frame, &was) || !s->edited.pixels)
        code = tool_error("edit", TOOL_BAD_FILE, "%s: picture %llu cannot be read%s%s", s->list.capture,
                          (unsigned long long)s->number, error.code ? ": " : "", error.text);
    else if (util_image_compare(&was, &s->edited, 0, 0, &diff))
        code =
            tool_error("edit", TOOL_BAD_FILE, "picture %llu has another size", (unsigned long long)s->number);
    else
        printf("picture %llu: %llu of %llu pixels differ, by at most %u\n", (unsigned long long)s->number,
               (unsigned long long)diff.beyond, (unsigned long long)diff.total, diff.max);
    if (!code)
        code = draw_sides(&was, &s->edited, s->compare);
    util_image_finish(&was);
    replay_destroy(replay);
    return code;
}
