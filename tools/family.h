/* What the tools have for each family of GPUs. */
#ifndef VITRAIL_TOOLS_FAMILY_H
#define VITRAIL_TOOLS_FAMILY_H

struct decode_family;
struct gpu_linter;
struct gpu_editor;

struct tool_family {
    const char *name; /* as in struct gpu_info */
    const struct decode_family *decode;
    const struct gpu_linter *lint;
    const struct gpu_editor *editor;
};

/* The n-th, from 0; NULL: there are no more. */
const struct tool_family *tool_family_at(unsigned n);
/* Of a GPU by its name; NULL: there is none of it. */
const struct tool_family *tool_family_of(const char *gpu);

#endif
