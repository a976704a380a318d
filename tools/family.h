/* What the tools know of each GPU, by the name that captures and --gpu have for it. */
#ifndef VITRAIL_TOOLS_FAMILY_H
#define VITRAIL_TOOLS_FAMILY_H

struct decode_family;
struct gpu_linter;

struct tool_family {
    const char *gpu, *family, *title;
    const struct decode_family *decode;
    const struct gpu_linter *lint;
};

/* NULL: there is no such GPU. */
const struct tool_family *tool_family_find(const char *gpu);
/* The n-th, from 0; NULL: there are no more. */
const struct tool_family *tool_family_at(unsigned n);

#endif
