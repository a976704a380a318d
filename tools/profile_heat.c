/* The heat map: what each tile of the picture cost, as a picture for people. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/draw.h"
#include "tools/font.h"
#include "tools/profile.h"
#include "util/bits.h"

#define MARGIN  12
#define HEADER  56  /* above the map: two lines */
#define LEGEND  96  /* beside it */
#define MAP_MIN 480 /* pixels that the longer side is drawn at, at least */

/* ---- cells ---- */

/* Squares of the picture, as large as the smallest tile. */
struct cells {
    uint32_t size, columns, rows;
    double *value, total, max;
    uint32_t jobs, other; /* those that count, and those that draw frames of another size */
};

static bool draws_picture(const struct profile *p, const struct profile_job *job)
{
    return job->picture >= p->first && job->picture <= p->last && job->width == p->width &&
           job->height == p->height && job->size;
}

static void add_job(struct cells *c, const struct profile_job *job, bool instructions)
{
    double cost = instructions ? (double)profile_job_instructions(job) : (double)profile_job_ns(job);
    uint32_t side = job->size / c->size;
    c->total += cost;
    for (uint32_t v = 0; v < side; v++)
        for (uint32_t u = 0; u < side; u++) {
            uint32_t x = job->x / c->size + u, y = job->y / c->size + v;
            if (x < c->columns && y < c->rows)
                c->value[y * c->columns + x] += cost / (side * side);
        }
}

static int make_cells(const struct profile *p, bool instructions, struct cells *c)
{
    *c = (struct cells){.size = 64};
    for (uint32_t i = 0; i < p->jobs.count; i++) {
        const struct profile_job *job = &p->jobs.at[i];
        bool counts = draws_picture(p, job);
        c->jobs += counts;
        c->other += !counts && job->segments.count;
        if (counts)
            c->size = UTIL_MIN(c->size, job->size);
    }
    if (!c->jobs)
        return -ENOENT;
    c->columns = util_div_up(p->width, c->size);
    c->rows = util_div_up(p->height, c->size);
    c->value = calloc((size_t)c->columns * c->rows, sizeof *c->value);
    if (!c->value)
        return -ENOMEM;
    for (uint32_t i = 0; i < p->jobs.count; i++)
        if (draws_picture(p, &p->jobs.at[i]))
            add_job(c, &p->jobs.at[i], instructions);
    double pictures = p->last - p->first + 1;
    c->total /= pictures;
    for (uint32_t i = 0; i < c->columns * c->rows; i++) {
        c->value[i] /= pictures;
        c->max = fmax(c->max, c->value[i]);
    }
    return 0;
}

/* ---- drawing ---- */

/* From black over purple, red and orange to light yellow: evenly lighter, so that it also reads in grey. */
static uint32_t heat_color(double share)
{
    static const uint8_t stops[][3] = {{8, 6, 22},    {58, 12, 98},   {122, 26, 108}, {183, 52, 84},
                                       {228, 92, 50}, {248, 148, 28}, {250, 206, 70}, {252, 250, 190}};
    const int last = (int)UTIL_ARRAY_SIZE(stops) - 1;
    double at = fmin(fmax(share, 0), 1) * last;
    int i = at >= last ? last - 1 : (int)at;
    uint32_t color = 0;
    for (int k = 0; k < 3; k++) {
        double v = stops[i][k] + (stops[i + 1][k] - stops[i][k]) * (at - i);
        color = color << 8 | (uint32_t)(v + 0.5);
    }
    return color;
}

static unsigned brightness(uint32_t color)
{
    return ((color >> 16 & 255) * 54 + (color >> 8 & 255) * 183 + (color & 255) * 19) >> 8;
}

/* The picture's brightness lightens the cell's colour a little, so that one sees what is drawn there. */
static uint32_t blend(uint32_t color, const struct util_image *picture, uint32_t x, uint32_t y)
{
    if (!picture || x >= picture->width || y >= picture->height)
        return color;
    const uint8_t *p = picture->pixels + ((size_t)y * picture->width + x) * 4;
    uint32_t light = (p[0] * 54u + p[1] * 183u + p[2] * 19u) >> 8, out = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        uint32_t c = color >> shift & 255;
        out |= (c * 220 + light * 36) / 256 << shift;
    }
    return out;
}

/* "1.24 ms", "830 us", "12.3 k": three digits and a unit. */
static void number_text(double value, bool instructions, char text[24])
{
    static const char *const times[] = {"ns", "us", "ms", "s"};
    static const char *const counts[] = {"", "k", "M", "G"};
    unsigned unit = 0;
    while (value >= 999.5 && unit < 3) {
        value /= 1000;
        unit++;
    }
    int digits = value < 9.995 && unit ? 2 : value < 99.95 && unit ? 1 : 0;
    const char *name = instructions ? counts[unit] : times[unit];
    snprintf(text, 24, "%.*f%s%s", digits, value, *name ? " " : "", name);
}

/* A number not below `value` whose quarters are round. */
static double round_up(double value)
{
    static const double steps[] = {1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10};
    double base = pow(10, floor(log10(value)));
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(steps); i++)
        if (steps[i] * base >= value)
            return steps[i] * base;
    return 10 * base;
}

struct map {
    struct util_image *image;
    const struct cells *cells;
    const struct util_image *picture;
    double top; /* of the scale */
    bool instructions;
    uint32_t x, y, width, height, scale_up, scale_down; /* picture pixels times up / down */
};

static void draw_cells(const struct map *m)
{
    const struct cells *c = m->cells;
    for (uint32_t v = 0; v < m->height; v++)
        for (uint32_t u = 0; u < m->width; u++) {
            uint32_t x = u * m->scale_down / m->scale_up, y = v * m->scale_down / m->scale_up;
            uint32_t left = u ? (u - 1) * m->scale_down / m->scale_up / c->size : UINT32_MAX;
            uint32_t above = v ? (v - 1) * m->scale_down / m->scale_up / c->size : UINT32_MAX;
            double value = c->value[y / c->size * c->columns + x / c->size];
            uint32_t color = blend(heat_color(value / m->top), m->picture, x, y);
            if (left != x / c->size || above != y / c->size)
                color = color >> 1 & 0x7f7f7f; /* the grid */
            draw_put(m->image, m->x + u, m->y + v, color);
        }
}

/* Each cell's number where it fits. */
static void draw_numbers(const struct map *m)
{
    const struct cells *c = m->cells;
    uint32_t pitch = c->size * m->scale_up / m->scale_down;
    for (uint32_t y = 0; y < c->rows; y++)
        for (uint32_t x = 0; x < c->columns; x++) {
            double value = c->value[y * c->columns + x];
            char text[24];
            number_text(value, m->instructions, text);
            unsigned size = pitch >= 112 ? 2 : 1;
            int width = font_width(text, size) - 1;
            uint32_t right = UTIL_MIN((x + 1) * pitch, m->width),
                     bottom = UTIL_MIN((y + 1) * pitch, m->height);
            if ((int)(right - x * pitch) < width + 4 || bottom - y * pitch < FONT_HEIGHT * size + 4)
                continue;
            uint32_t color = brightness(heat_color(value / m->top)) > 120 ? 0x101010 : 0xf0f0f0;
            font_draw(m->image, (int)(m->x + (x * pitch + right) / 2) - width / 2,
                      (int)(m->y + (y * pitch + bottom) / 2) - 3 * (int)size, size, color, text);
        }
}

static void draw_legend(const struct map *m)
{
    uint32_t x = m->x + m->width + MARGIN, height = m->height;
    for (uint32_t v = 0; v < height; v++)
        draw_fill(m->image, x, m->y + v, 16, 1, heat_color(1.0 - (double)v / (height > 1 ? height - 1 : 1)));
    for (unsigned tick = 0; tick <= 4; tick++) {
        uint32_t y = m->y + (height - 1) - (height - 1) * tick / 4;
        char text[24];
        number_text(m->top * tick / 4, m->instructions, text);
        draw_fill(m->image, x + 16, y, 4, 1, DRAW_FAINT);
        int at = (int)y - 3;
        at = UTIL_MIN(UTIL_MAX(at, (int)m->y), (int)(m->y + height) - 7);
        font_draw(m->image, (int)x + 24, at, 1, DRAW_TEXT, text);
    }
}

static void draw_header(const struct map *m, const struct profile *p, const char *capture)
{
    const char *slash = strrchr(capture, '/');
    char line[256], total[24], top[24];
    snprintf(line, sizeof line, "%s, picture%s %u", slash ? slash + 1 : capture,
             p->first == p->last ? "" : "s", p->first);
    if (p->first != p->last)
        snprintf(line + strlen(line), sizeof line - strlen(line), " to %u", p->last);
    unsigned size = font_width(line, 2) + 2 * MARGIN < (int)m->image->width ? 2 : 1;
    font_draw(m->image, MARGIN, MARGIN, size, DRAW_TEXT, line);
    number_text(m->cells->total, m->instructions, total);
    number_text(m->cells->max, m->instructions, top);
    snprintf(line, sizeof line, "%s a tile of %u pixels: at most %s, in all %s a picture",
             m->instructions ? "fragment instructions" : "time", m->cells->size, top, total);
    font_draw(m->image, MARGIN, MARGIN + 24, 1, DRAW_FAINT, line);
}

/* The map's size: whole multiples of small pictures, whole parts of large ones. */
static void place(struct map *m, const struct profile *p)
{
    uint32_t longer = UTIL_MAX(p->width, p->height);
    m->scale_up = longer < MAP_MIN ? util_div_up(MAP_MIN, longer) : 1;
    m->scale_down = longer > 2048 ? util_div_up(longer, 2048) : 1;
    m->x = MARGIN;
    m->y = HEADER;
    m->width = UTIL_MAX(p->width * m->scale_up / m->scale_down, 1);
    m->height = UTIL_MAX(p->height * m->scale_up / m->scale_down, 1);
}

int profile_heat(const struct profile *p, bool instructions, const char *capture,
                 const struct util_image *picture, struct util_image *out)
{
    struct cells cells;
    int code = make_cells(p, instructions, &cells);
    if (code)
        return code;
    struct map m = {.image = out, .cells = &cells, .picture = picture, .instructions = instructions};
    m.top = cells.max > 0 ? round_up(cells.max) : 1;
    place(&m, p);
    uint32_t width = UTIL_MAX(m.x + m.width + MARGIN + LEGEND, 460u);
    code = util_image_init(out, width, UTIL_MAX(m.y + m.height + MARGIN, 120u));
    if (!code) {
        draw_fill(out, 0, 0, out->width, out->height, DRAW_BACKGROUND);
        draw_header(&m, p, capture);
        draw_cells(&m);
        draw_numbers(&m);
        draw_legend(&m);
    }
    free(cells.value);
    return code;
}
