/* What `vitrail report` shows of one capture. sheet_play.c plays it for its pictures and for the textures that fragment
 * programs read; sheet.c is the command, and puts that, a profile (profile.h), what lint finds and the listing of
 * `vitrail decode` into one page. A sheet owns all that it points to; sheet_finish frees it. */
#ifndef VITRAIL_TOOLS_SHEET_H
#define VITRAIL_TOOLS_SHEET_H

#include <stdint.h>

#include "gpu/replay.h"
#include "tools/report.h"

#define SHEET_ROOM         (96u << 20) /* bytes of PNG in a page; what comes later is left out, and counted */
#define SHEET_TEXTURES     512u        /* textures in a page, at most */
#define SHEET_TEXELS       (1u << 22)  /* pixels of a texture's picture, at most */
#define SHEET_TEXELS_ALL   (1ull << 28) /* pixels that are drawn for textures, at most: it bounds the time */
#define SHEET_TEXTURE_USES 64u          /* draws that are named with a texture, at most */

struct sheet_picture {
    uint32_t number; /* from 1 */
    uint32_t width, height;
    struct report_png png; /* size 0: left out, or it cannot be read */
};

struct sheet_use {
    uint32_t picture, draw; /* from 1, as in a profile */
    char unit[28];          /* as of struct gpu_lookup */
};

/* Told apart by what is seen of them. */
struct sheet_texture {
    uint64_t hash;
    uint32_t batch; /* during which it was read last: within one nothing changes */
    uint32_t address, width, height, depth, levels, format; /* as of struct gpu_lookup */
    bool cube;
    struct report_png png;
    struct {
        struct sheet_use *at; /* the first ones */
        uint32_t count, room;
    } uses;
};

struct sheet {
    uint32_t first, last; /* pictures that are shown; last 0: to the end */
    struct capture_info info;
    uint64_t bytes;             /* of PNG so far */
    uint32_t pictures_left_out; /* for want of room */
    uint32_t textures_left_out; /* lookups of them: too large, too many, or no pictures (buffers) */
    struct {
        struct sheet_picture *at;
        uint32_t count, room;
    } pictures;
    struct {
        struct sheet_texture *at;
        uint32_t count, room;
    } textures;
};

/* Fills the sheet, of which first and last are given. `all`: the end of every rendering job is a picture. 0, or a negative
 * errno with a message; sheet_finish in any case. Faults of the guest are no errors. */
int sheet_play(const char *capture, const struct gpu_options *options, bool all, struct sheet *sheet,
               struct util_error *error);
void sheet_finish(struct sheet *sheet);

#endif
