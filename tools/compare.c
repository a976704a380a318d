#include "tools/tool.h"
#include "util/image.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *diff;
    uint64_t tolerance;
    double share;
    bool alpha, no_sandbox;
};

#define AT(member) offsetof(struct options, member)

static const struct tool_option rows[] = {
    {"tolerance", "N", "channel difference that is accepted, 0 to 255 (default 2)", .kind = TOOL_NUMBER,
     .at = AT(tolerance), .min = 0, .max = 255},
    {"share", "P", "percent of pixels that may lie beyond it (default 0)", .kind = TOOL_PERCENT,
     .at = AT(share)},
    {"alpha", NULL, "compare the alpha channel too", .kind = TOOL_SWITCH, .at = AT(alpha)},
    {"diff", "FILE.png", "write a picture of the differences, brightened", .kind = TOOL_FILE, .at = AT(diff)},
    {0},
};

const struct tool_command tool_command_compare = {
    .name = "compare",
    .summary = "compare two pictures",
    .operands = "EXPECTED.png GOT.png",
    .text = "Compares two pictures channel by channel. Prints the share of pixels beyond the tolerance in "
            "percent, the largest and the mean difference; exit status 1 when too many pixels differ.",
    .examples = "  vitrail compare --share 0.5 --diff where.png llvmpipe.png ours.png\n",
    .options = {{rows}, {tool_sandbox_rows, AT(no_sandbox)}},
    .takes = {"picture", 0, UINT_MAX},
    .main = tool_compare,
};

static int parse(struct options *o, struct tool_operands *paths, int argc, char **argv)
{
    int code = tool_parse(&tool_command_compare, argc, argv, o, paths);
    if (!code && paths->count > 2)
        return tool_error("compare", TOOL_USAGE, "two pictures at a time");
    if (!code && paths->count < 2)
        return tool_error("compare", TOOL_USAGE, "two pictures are needed; see `vitrail compare --help`");
    return code;
}

static int write_diff(const struct util_image *a, const struct util_image *b, const char *path)
{
    struct util_image out;

    int err = util_image_init(&out, a->width, a->height);
    if (!err) {
        for (size_t i = 0; i < (size_t)a->width * a->height * 4; i++) {
            int d = abs(a->pixels[i] - b->pixels[i]) * 8;
            out.pixels[i] = (uint8_t)(d > 255 ? 255 : d);
        }
        err = util_image_write_png(&out, path, 0);
        util_image_finish(&out);
    }
    return err ? tool_error("compare", TOOL_HOST, "%s: %s", path, strerror(-err)) : TOOL_OK;
}

int tool_compare(int argc, char **argv)
{
    struct util_image images[2] = {0};
    struct util_image_diff diff;
    struct options o = {.tolerance = 2};
    struct tool_operands paths;
    int code = parse(&o, &paths, argc, argv);

    if (code)
        return code < 0 ? TOOL_OK : code;
    struct tool_sandbox sandbox = {.name = "compare", .off = o.no_sandbox};
    tool_sandbox_reads(&sandbox, paths.at[0]);
    tool_sandbox_reads(&sandbox, paths.at[1]);
    tool_sandbox_writes(&sandbox, o.diff);
    code = tool_sandbox_enter(&sandbox);
    for (int i = 0; !code && i < 2; i++) {
        int err = util_image_read_png(&images[i], paths.at[i]);
        if (err)
            code = tool_error("compare", TOOL_BAD_FILE, "%s: %s", paths.at[i], strerror(-err));
    }
    if (!code && util_image_compare(&images[0], &images[1], (uint32_t)o.tolerance, o.alpha, &diff))
        code = tool_error("compare", TOOL_DIFFERS, "the sizes differ: %ux%u and %ux%u", images[0].width,
                          images[0].height, images[1].width, images[1].height);
    else if (!code) {
        double share = 100.0 * (double)diff.beyond / (double)diff.total;
        printf("%.4f%% of pixels beyond %u, largest difference %u, mean %.4f\n", share, (unsigned)o.tolerance,
               diff.max, diff.mean);
        if (o.diff)
            code = write_diff(&images[0], &images[1], o.diff);
        if (!code && share > o.share)
            code = TOOL_DIFFERS;
    }
    util_image_finish(&images[0]);
    util_image_finish(&images[1]);
    return code;
}
