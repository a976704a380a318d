/* A timeline as a picture: a row an element operation, a column a cycle. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/draw.h"
#include "tools/font.h"
#include "tools/libresoc_cycles.h"
#include "util/bits.h"
#include "util/list.h"

#define MOST_ROWS    1000u
#define MOST_COLUMNS 3000u
#define MARGIN       12
#define HEADER       64 /* title, legend, numbers of cycles */
#define ROW          11u
#define LABEL_MAX    52 /* letters of an instruction's text */

/* Colours that differ in brightness, too. */
static const struct {
    const char *name;
    uint32_t color;
} phases[] = {{"issue", 0x4878cf},   {"waits", 0x45454f}, {"read", 0x6acc65},
              {"execute", 0xd5a021}, {"write", 0xd65f5f}, {"left out", 0x8c8c96}};
enum { ISSUE, WAITS, READ, EXECUTE, WRITE, LEFT_OUT };

void tool_libresoc_timeline_note(struct tool_libresoc_timeline *t, const struct libresoc_op *op,
                                 const struct libresoc_origin *origin, const struct libresoc_when *when,
                                 const struct libresoc_core *core)
{
    if (!t->path || origin->instruction < t->from || origin->instruction - t->from >= t->count)
        return;
    if (t->rows.count == MOST_ROWS) {
        t->cut++;
        return;
    }
    const struct tool_libresoc_row row = {*origin, *when, core->latency[op->kind], op->dies};
    t->out_of_memory |= !UTIL_LIST_ADD(t->rows, row);
}

struct chart {
    const struct tool_libresoc_timeline *timeline;
    struct util_image *image;
    uint64_t first;         /* cycle of the first column */
    uint32_t columns, cell; /* pixels of a cycle */
    int left;               /* of the first column */
};

static void fill_cycles(const struct chart *c, uint32_t row, uint64_t from, uint64_t to, unsigned phase)
{
    for (uint64_t cycle = from; cycle < to && cycle - c->first < c->columns; cycle++)
        draw_fill(c->image, c->left + (int64_t)((cycle - c->first) * c->cell),
                  HEADER + (int64_t)row * ROW + 1, c->cell - (c->cell > 3), ROW - 2, phases[phase].color);
}

static void draw_row(const struct chart *c, uint32_t n)
{
    const struct tool_libresoc_row *r = &c->timeline->rows.at[n];
    const struct libresoc_when *w = &r->when;
    fill_cycles(c, n, w->issue, w->issue + 1, ISSUE);
    fill_cycles(c, n, w->issue + 1, w->read, WAITS);
    fill_cycles(c, n, w->read, w->read + 1, r->dies ? LEFT_OUT : READ);
    if (r->dies)
        return;
    const uint64_t done = UTIL_MIN(w->read + r->latency, w->write);
    fill_cycles(c, n, w->read + 1, done, EXECUTE);
    fill_cycles(c, n, done, w->write, WAITS);
    fill_cycles(c, n, w->write, w->write + 1, WRITE);
}

static bool is_first(const struct tool_libresoc_timeline *t, uint32_t n)
{
    return !n || t->rows.at[n - 1].origin.instruction != t->rows.at[n].origin.instruction;
}

/* The instruction's text beside its first operation, numbers beside the others. */
static void draw_labels(const struct chart *c, const struct simple_v_program *program)
{
    uint32_t element = 0;
    for (uint32_t n = 0; n < c->timeline->rows.count; n++) {
        const struct tool_libresoc_row *r = &c->timeline->rows.at[n];
        const bool first = is_first(c->timeline, n);
        char text[LABEL_MAX + 1];
        element = first ? 0 : element + 1;
        if (first)
            tool_libresoc_text(program, &r->origin, text, sizeof text);
        else
            snprintf(text, sizeof text, "%u", element);
        font_draw(c->image, first ? MARGIN : c->left - 6 - font_width(text, 1), HEADER + (int)(n * ROW) + 2,
                  1, first ? DRAW_TEXT : DRAW_FAINT, text);
    }
}

static void draw_grid(const struct chart *c)
{
    const uint32_t step = c->cell * 10 >= 48 ? 10 : c->cell * 20 >= 48 ? 20 : 50;
    const uint32_t height = c->timeline->rows.count * ROW;
    for (uint64_t cycle = c->first; cycle < c->first + c->columns; cycle++) {
        if (cycle % step)
            continue;
        const int x = c->left + (int)((cycle - c->first) * c->cell);
        char text[24];
        snprintf(text, sizeof text, "%" PRIu64, cycle);
        draw_fill(c->image, x - 1, HEADER, 1, height, DRAW_GRID);
        font_draw(c->image, x, HEADER - 12, 1, DRAW_FAINT, text);
    }
}

static void draw_head(const struct chart *c, const char *title)
{
    char line[256];
    int x = MARGIN;
    snprintf(line, sizeof line, "%s, from instruction %" PRIu64 ": %u operations%s", title, c->timeline->from,
             c->timeline->rows.count, c->timeline->cut ? " and more" : "");
    font_draw(c->image, MARGIN, MARGIN, 1, DRAW_TEXT, line);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(phases); n++) {
        draw_fill(c->image, x, MARGIN + 15, 9, 9, phases[n].color);
        font_draw(c->image, x + 13, MARGIN + 16, 1, DRAW_FAINT, phases[n].name);
        x += 13 + font_width(phases[n].name, 1) + 14;
    }
    font_draw(c->image, MARGIN, HEADER - 12, 1, DRAW_FAINT, "cycle");
}

/* The cycles of all rows, how wide they can be, and where the labels end. */
static void measure(struct chart *c, const struct simple_v_program *program)
{
    uint64_t first = UINT64_MAX, last = 0;
    int widest = 0;
    for (uint32_t n = 0; n < c->timeline->rows.count; n++) {
        first = UTIL_MIN(first, c->timeline->rows.at[n].when.issue);
        last = UTIL_MAX(last, c->timeline->rows.at[n].when.write);
        char text[LABEL_MAX + 1] = "";
        if (is_first(c->timeline, n))
            tool_libresoc_text(program, &c->timeline->rows.at[n].origin, text, sizeof text);
        widest = UTIL_MAX(widest, font_width(text, 1));
    }
    c->first = first;
    c->columns = (uint32_t)UTIL_MIN(last - first + 2, (uint64_t)MOST_COLUMNS);
    c->cell = c->columns <= 200 ? 8 : c->columns <= 500 ? 4 : 2;
    c->left = MARGIN + widest + 40; /* and a number */
}

int tool_libresoc_timeline_draw(const struct tool_libresoc_timeline *timeline,
                                const struct simple_v_program *program, const char *title,
                                struct util_image *image)
{
    struct chart c = {.timeline = timeline, .image = image};
    if (timeline->out_of_memory)
        return -ENOMEM;
    if (!timeline->rows.count)
        return -ENOENT;
    measure(&c, program);
    const uint32_t width = (uint32_t)c.left + c.columns * c.cell + MARGIN;
    const int err =
        util_image_init(image, UTIL_MAX(width, 640u), HEADER + timeline->rows.count * ROW + MARGIN);
    if (err)
        return err;
    draw_fill(image, 0, 0, image->width, image->height, DRAW_BACKGROUND);
    draw_head(&c, title);
    draw_grid(&c);
    for (uint32_t n = 0; n < timeline->rows.count; n++)
        draw_row(&c, n);
    draw_labels(&c, program);
    return 0;
}
