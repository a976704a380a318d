#include "tools/libresoc_plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "tools/draw.h"
#include "tools/font.h"
#include "util/bits.h"

#define WIDTH  900u
#define HEIGHT 520u
#define LEFT   84
#define RIGHT  170 /* the legend */
#define TOP    56
#define BOTTOM 48
#define LINES  8u /* colours; more lines have them again */

static const uint32_t colors[LINES] = {0x4878cf, 0xd5a021, 0x6acc65, 0xd65f5f,
                                       0xb47cc7, 0x77bedb, 0xc4ad66, 0xe8e8e8};

struct plot {
    struct util_image *image;
    const struct tool_libresoc_axis *axis;
    const struct tool_libresoc_point *point;
    uint32_t lines;
    double low, high; /* of the first parameter */
    double top;       /* of cycles; below is 0 */
};

static int x_of(const struct plot *p, double value)
{
    const double share = p->high > p->low ? (value - p->low) / (p->high - p->low) : 0.5;
    return LEFT + (int)(share * (WIDTH - LEFT - RIGHT));
}

static int y_of(const struct plot *p, double cycles)
{
    return (int)HEIGHT - BOTTOM - (int)(cycles / p->top * (HEIGHT - TOP - BOTTOM));
}

/* A round number not below `value`, of whose fifths each is round. */
static double round_up(double value)
{
    static const double steps[] = {1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10};
    const double base = pow(10, floor(log10(value)));
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(steps); i++)
        if (steps[i] * base >= value)
            return steps[i] * base;
    return 10 * base;
}

static void draw_axes(const struct plot *p)
{
    char text[32];
    for (unsigned tick = 0; tick <= 5; tick++) {
        const int y = y_of(p, p->top * tick / 5);
        snprintf(text, sizeof text, "%.0f", p->top * tick / 5);
        draw_fill(p->image, LEFT, y, WIDTH - LEFT - RIGHT, 1, DRAW_GRID);
        font_draw(p->image, LEFT - 8 - font_width(text, 1), y - 3, 1, DRAW_FAINT, text);
    }
    int free_from = 0; /* numbers do not touch */
    for (uint32_t n = 0; n < p->axis[0].count; n++) {
        const int x = x_of(p, p->axis[0].value[n]);
        snprintf(text, sizeof text, "%u", p->axis[0].value[n]);
        const int width = font_width(text, 1), at = x - width / 2;
        draw_fill(p->image, x, HEIGHT - BOTTOM, 1, 4, DRAW_FAINT);
        if (at < free_from)
            continue;
        font_draw(p->image, at, HEIGHT - BOTTOM + 8, 1, DRAW_FAINT, text);
        free_from = at + width + FONT_WIDTH;
    }
    const char *name = p->axis[0].parameter->name;
    font_draw(p->image, LEFT + ((int)WIDTH - LEFT - RIGHT - font_width(name, 1)) / 2, HEIGHT - 20, 1,
              DRAW_TEXT, name);
    font_draw(p->image, 12, TOP - 22, 1, DRAW_TEXT, "cycles");
}

static void draw_lines(const struct plot *p, unsigned axes)
{
    for (uint32_t line = 0; line < p->lines; line++) {
        const uint32_t color = colors[line % LINES];
        const struct tool_libresoc_point *before = NULL;
        for (uint32_t n = 0; n < p->axis[0].count; n++) {
            const struct tool_libresoc_point *point = &p->point[n * p->lines + line];
            const int x = x_of(p, point->value[0]), y = y_of(p, (double)point->totals.cycles);
            if (before)
                draw_line(p->image, x_of(p, before->value[0]), y_of(p, (double)before->totals.cycles), x, y,
                          2, color);
            draw_fill(p->image, x - 3, y - 3, 6, 6, color);
            before = point;
        }
        if (axes < 2)
            continue;
        char text[64];
        snprintf(text, sizeof text, "%s %u", p->axis[1].parameter->name, p->axis[1].value[line]);
        draw_fill(p->image, WIDTH - RIGHT + 14, TOP + (int)line * 14, 9, 9, color);
        font_draw(p->image, WIDTH - RIGHT + 28, TOP + 1 + (int)line * 14, 1, DRAW_TEXT, text);
    }
}

int tool_libresoc_plot(const struct tool_libresoc_axis *axis, unsigned axes,
                       const struct tool_libresoc_point *point, const char *title, struct util_image *image)
{
    struct plot p = {.image = image, .axis = axis, .point = point, .lines = axes > 1 ? axis[1].count : 1};
    uint64_t most = 1;
    for (uint32_t n = 0; n < axis[0].count * p.lines; n++)
        most = UTIL_MAX(most, point[n].totals.cycles);
    p.top = round_up((double)most);
    p.low = p.high = axis[0].value[0];
    for (uint32_t n = 1; n < axis[0].count; n++) {
        p.low = fmin(p.low, axis[0].value[n]);
        p.high = fmax(p.high, axis[0].value[n]);
    }
    const int err = util_image_init(image, WIDTH, HEIGHT);
    if (err)
        return err;
    draw_fill(image, 0, 0, WIDTH, HEIGHT, DRAW_BACKGROUND);
    font_draw(image, 12, 12, font_width(title, 2) < (int)WIDTH - 24 ? 2 : 1, DRAW_TEXT, title);
    draw_axes(&p);
    draw_lines(&p, axes);
    return 0;
}
