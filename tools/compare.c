#include "tools/tool.h"
#include "util/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: vitrail compare [OPTIONS] EXPECTED.png GOT.png\n"
    "\n"
    "Compares two pictures channel by channel. Exit status 1 when too many pixels differ.\n"
    "\n"
    "  --tolerance N    channel difference that is accepted, 0..255 (default 2)\n"
    "  --share P        percent of pixels that may lie beyond it (default 0)\n"
    "  --alpha          compare the alpha channel too\n"
    "  --diff FILE.png  write a picture of the differences, brightened\n"
    "  --no-sandbox     the process may make every system call, for tracing it\n"
    "\n"
    "Prints the share of pixels beyond the tolerance in percent and the largest difference.\n"
    "\n"
    "Example:\n"
    "  vitrail compare --share 0.5 --diff where.png llvmpipe.png ours.png\n";

struct options {
    const char *paths[2], *diff;
    uint64_t tolerance;
    double share;
    unsigned count;
    int alpha;
    bool no_sandbox;
};

static int parse(struct options *o, int argc, char **argv)
{
    *o = (struct options){.tolerance = 2};
    for (int i = 1; i < argc; i++) {
        const char *value;
        int got;

        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(help, stdout);
            return -1;
        }
        if ((got = tool_value("compare", "--tolerance", argc, argv, &i, &value))) {
            if (got < 0 || !tool_number(value, 0, 255, &o->tolerance))
                return got < 0 ? TOOL_USAGE
                               : tool_error("compare", TOOL_USAGE,
                                            "--tolerance takes a number from 0 to 255, not '%s'", value);
        } else if ((got = tool_value("compare", "--share", argc, argv, &i, &value))) {
            char *end = NULL;
            if (got > 0)
                o->share = strtod(value, &end);
            if (got < 0 || *end || end == value || !(o->share >= 0 && o->share <= 100))
                return got < 0
                           ? TOOL_USAGE
                           : tool_error("compare", TOOL_USAGE, "--share takes a percentage, not '%s'", value);
        } else if ((got = tool_value("compare", "--diff", argc, argv, &i, &o->diff))) {
            if (got < 0)
                return TOOL_USAGE;
        } else if (!strcmp(argv[i], "--alpha"))
            o->alpha = 1;
        else if (!strcmp(argv[i], "--no-sandbox"))
            o->no_sandbox = true;
        else if (argv[i][0] == '-')
            return tool_error("compare", TOOL_USAGE, "unknown option '%s'; see `vitrail compare --help`",
                              argv[i]);
        else if (o->count == 2)
            return tool_error("compare", TOOL_USAGE, "two pictures at a time");
        else
            o->paths[o->count++] = argv[i];
    }
    return o->count == 2
               ? TOOL_OK
               : tool_error("compare", TOOL_USAGE, "two pictures are needed; see `vitrail compare --help`");
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
    struct options o;
    int code = parse(&o, argc, argv);

    if (code)
        return code < 0 ? TOOL_OK : code;
    struct tool_sandbox sandbox = {.name = "compare", .off = o.no_sandbox};
    tool_sandbox_reads(&sandbox, o.paths[0]);
    tool_sandbox_reads(&sandbox, o.paths[1]);
    tool_sandbox_writes(&sandbox, o.diff);
    code = tool_sandbox_enter(&sandbox);
    for (int i = 0; !code && i < 2; i++) {
        int err = util_image_read_png(&images[i], o.paths[i]);
        if (err)
            code = tool_error("compare", TOOL_BAD_FILE, "%s: %s", o.paths[i], strerror(-err));
    }
    if (!code && util_image_compare(&images[0], &images[1], (uint32_t)o.tolerance, o.alpha, &diff))
        code = tool_error("compare", TOOL_DIFFERS, "the sizes differ: %ux%u and %ux%u", images[0].width,
                          images[0].height, images[1].width, images[1].height);
    else if (!code) {
        double share = 100.0 * (double)diff.beyond / (double)diff.total;
        printf("%.4f%% of pixels beyond %u, largest difference %u\n", share, (unsigned)o.tolerance, diff.max);
        if (o.diff)
            code = write_diff(&images[0], &images[1], o.diff);
        if (!code && share > o.share)
            code = TOOL_DIFFERS;
    }
    util_image_finish(&images[0]);
    util_image_finish(&images[1]);
    return code;
}
