/* Two plays of a capture. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "raster/surface.h"
#include "tools/explain_internal.h"
#include "util/bits.h"

/* What the plays have in hand. */
struct play {
    struct explain_player player;
    struct replay *replay;
    uint32_t last; /* picture */
    uint64_t from; /* the one that is sought */
    bool presented;
    void (*progress)(void *data, uint64_t position, uint64_t size);
    void *progress_data;
    uint64_t file_size, done; /* of both plays */
};

static void on_planned(void *data, const struct gpu_observed_op *op)
{
    struct explain_player *player = data;
    explain_log_op(&player->log, op);
}

static void on_stopped(void *data, uint32_t batch, const struct raster_rect *pixels)
{
    struct explain_player *player = data;
    explain_log_stopped(&player->log, batch, pixels);
}

/* ---- a picture is complete ---- */

/* Of p->frame. */
static int find_address(struct explain_pixel *p, struct util_error *error)
{
    const struct capture_frame *f = &p->frame;
    if (p->x >= f->width || p->y >= f->height)
        return util_fail(error, -ERANGE, "picture %u is %ux%u pixels, there is no pixel (%u, %u)", p->picture,
                         f->width, f->height, p->x, p->y);
    p->bytes = gpu_picture_bytes(f);
    if (!p->bytes)
        return util_fail(error, -EINVAL, "picture %u has an unknown format", p->picture);
    const struct raster_surface surface = {.layout = f->layout, .format = f->format, .stride = f->stride};
    p->address = f->address + raster_surface_offset(&surface, p->x, p->y);
    return 0;
}

/* The pixel of the target asked for takes the place of the picture's. */
static int take_target(const struct play *play, struct explain_pixel *p, struct util_error *error)
{
    int code = explain_find_target(&play->player.log, p, p->target, &p->frame, error);
    return code ? code : find_address(p, error);
}

/* Of `image`, which is read where it is not yet. */
static int read_pixel(const struct play *play, struct explain_pixel *p, struct util_image *image,
                      struct util_error *error)
{
    int code = image->pixels ? 0 : replay_picture(play->replay, &p->frame, image);
    if (code)
        return util_fail(error, code, "picture %u cannot be read", p->picture);
    memcpy(p->rgba, image->pixels + ((size_t)p->y * image->width + p->x) * 4, 4);
    return 0;
}

/* `picture`: all pixels', read once. */
static int look_up(const struct play *play, struct explain_pixel *p, struct util_image *picture,
                   struct util_error *error)
{
    struct util_image own = {0};
    int code = find_address(p, error);
    if (!code && p->has_target)
        code = take_target(play, p, error);
    if (!code)
        code = read_pixel(play, p, p->has_target ? &own : picture, error);
    util_image_finish(&own);
    if (!code && !explain_follow(&play->player.log, p))
        code = util_fail(error, -ENOMEM, "out of memory");
    return code;
}

/* Looks the pixels of this picture up. */
static int on_picture(struct play *play, const struct capture_frame *frame, uint32_t number,
                      struct util_error *error)
{
    struct explain_result *result = play->player.result;
    struct util_image image = {0};
    int code = 0;
    for (uint32_t i = 0; !code && i < result->pixel_count; i++) {
        struct explain_pixel *p = &result->pixels[i];
        if (p->picture != number)
            continue;
        p->frame = *frame;
        code = look_up(play, p, &image, error);
    }
    util_image_finish(&image);
    return code;
}

static void keep_faults(struct replay *replay, struct explain_result *result)
{
    struct gpu_fault fault;
    while (replay_faults(replay, &fault, 1))
        if (result->fault_count < EXPLAIN_FAULTS)
            result->faults[result->fault_count++] = fault;
}

/* Plays up to the last picture asked for. The first play looks pixels up. */
static int play_through(struct play *play, bool first, struct util_error *error)
{
    struct explain_player *player = &play->player;
    struct capture_frame frame;
    uint64_t before;
    int got = 1;
    if (replay_seek(play->replay, play->presented, play->from, &before))
        return util_fail(error, -ENOMEM, "out of memory");
    uint32_t number = (uint32_t)before;
    player->log.before = player->result->before = number;
    while (number < play->last) {
        player->picture = number + 1;
        player->draws_in_picture = 0;
        got = replay_next_frame(play->replay, play->presented, &frame, error);
        if (got <= 0)
            break;
        number++;
        if (first)
            keep_faults(play->replay, player->result);
        if (play->progress)
            play->progress(play->progress_data, play->done + replay_position(play->replay),
                           play->file_size * 2);
        if (!first)
            continue;
        if (!UTIL_LIST_ADD(player->log.marks, player->log.ops.count))
            player->out_of_memory = true;
        if (player->out_of_memory || player->log.out_of_memory)
            return util_fail(error, -ENOMEM, "out of memory");
        int code = on_picture(play, &frame, number, error);
        if (code)
            return code;
    }
    play->done += replay_position(play->replay);
    if (got < 0)
        return got;
    if (number < play->last) /* its index had said that there are as many */
        return util_fail(error, -EBADMSG, "picture %u is missing", play->last);
    return player->out_of_memory ? util_fail(error, -ENOMEM, "out of memory") : 0;
}

static void compare(struct explain_result *result)
{
    for (uint32_t i = 0; i < result->pixel_count; i++) {
        struct explain_pixel *p = &result->pixels[i];
        p->agrees = p->found && p->stages.count && p->stages.at[p->stages.count - 1].seen &&
                    !p->stages.at[p->stages.count - 1].stopped && !memcmp(p->made, p->rgba, sizeof p->made);
    }
}

/* Whether a pixel comes from before what was played. */
static bool is_lost(const struct explain_result *result)
{
    for (uint32_t i = 0; i < result->pixel_count; i++)
        if (result->before && (result->pixels[i].lost || !result->pixels[i].found))
            return true;
    return false;
}

static void forget(struct explain_player *player)
{
    for (uint32_t i = 0; i < player->result->pixel_count; i++) {
        struct explain_pixel *p = &player->result->pixels[i];
        free(p->stages.at);
        memset(&p->stages, 0, sizeof p->stages);
        p->lost = p->found = p->cut = false;
    }
    explain_log_finish(&player->log);
    player->result->fault_count = 0;
}

/* The first play, from ever earlier places until all pixels can be followed. */
static int play_first(struct play *play, struct util_error *error)
{
    struct explain_player *player = &play->player;
    int code = play_through(play, true, error);
    for (uint64_t step = 0; !code && is_lost(player->result); step = step ? step * 4 : 32) {
        play->from = player->result->before > step ? player->result->before - step : 1;
        forget(player);
        code = play_through(play, true, error);
    }
    return code;
}

static int play_twice(struct play *play, struct util_error *error)
{
    struct explain_player *player = &play->player;
    int code = play_first(play, error);
    if (code)
        return code;
    if (!explain_watch_begin(player))
        return util_fail(error, -ENOMEM, "out of memory");
    code = play_through(play, false, error);
    compare(player->result);
    return code;
}

static int check_pictures(struct play *play, struct capture_reader *reader, struct util_error *error)
{
    const uint64_t count = replay_count_pictures(reader, play->presented, play->last, error);
    if (count >= play->last)
        return 0;
    if (error && error->code)
        return error->code;
    return util_fail(error, -ERANGE, "there %s %u picture%s, no number %u", count == 1 ? "is" : "are",
                     (unsigned)count, count == 1 ? "" : "s", play->last);
}

/* ---- opening and closing ---- */

int explain_run(const char *capture, const struct gpu_options *options, bool all, bool whole, bool traces,
                struct explain_result *result, void (*progress)(void *data, uint64_t position, uint64_t size),
                void *progress_data, struct util_error *error)
{
    struct play play = {.player = {.result = result, .lock = PTHREAD_MUTEX_INITIALIZER, .traces = traces},
                        .progress = progress,
                        .progress_data = progress_data};
    struct gpu_options watched = *options;
    struct capture_reader *reader;
    struct capture_info info;

    play.from = whole ? 1 : UINT64_MAX;
    for (uint32_t i = 0; i < result->pixel_count; i++) {
        play.last = UTIL_MAX(play.last, result->pixels[i].picture);
        play.from = UTIL_MIN(play.from, result->pixels[i].picture);
    }
    int code = capture_reader_open(capture, &reader, error);
    if (code)
        return code;
    play.presented = !all && replay_shows_pictures(reader);
    capture_reader_info(reader, &info);
    play.file_size = info.file_size;
    play.player.observer =
        (struct gpu_observer){.data = &play.player, .planned = on_planned, .stopped = on_stopped};
    watched.observer = &play.player.observer;
    code = check_pictures(&play, reader, error);
    if (!code)
        code = replay_create(reader, &watched, &play.replay, error);
    if (code) {
        capture_reader_close(reader);
        return code;
    }
    code = play_twice(&play, error);
    replay_destroy(play.replay);
    explain_log_finish(&play.player.log);
    explain_watch_finish(&play.player);
    return code;
}

void explain_finish(struct explain_result *result)
{
    for (uint32_t i = 0; i < result->pixel_count; i++) {
        struct explain_pixel *p = &result->pixels[i];
        for (uint32_t k = 0; k < p->stages.count; k++) {
            struct explain_stage *stage = &p->stages.at[k];
            for (uint32_t e = 0; e < stage->events.count; e++) {
                gpu_lane_finish(&stage->events.at[e].lane);
                free(stage->events.at[e].origins.at);
            }
            free(stage->events.at);
        }
        free(p->stages.at);
        p->stages.at = NULL;
        p->stages.count = 0;
    }
    for (uint32_t i = 0; i < result->programs.count; i++)
        free(result->programs.at[i].words);
    free(result->programs.at);
    result->programs.at = NULL;
    result->programs.count = 0;
    free(result->draws.at);
    result->draws.at = NULL;
    result->draws.count = 0;
}
