/* What `libresoc run --cycles` and `libresoc sweep` say of a core. */
#ifndef VITRAIL_TOOLS_LIBRESOC_CYCLES_H
#define VITRAIL_TOOLS_LIBRESOC_CYCLES_H

#include "gpu/libresoc/cycles.h"
#include "gpu/libresoc/parameters.h"
#include "tools/json.h"
#include "util/image.h"

/* Tables, or the same as JSON. 0, or -ENOMEM. */
int tool_libresoc_print_cycles(FILE *out, const struct libresoc_cycles *cycles, bool as_json);

/* NAME=VALUE of --param into the core. TOOL_OK, or TOOL_USAGE after a message. */
int tool_libresoc_take_parameter(const char *name, const char *text, struct libresoc_core *core);
/* "units32, units8, ...", for help and messages. */
const char *tool_libresoc_parameters(void);

/* The operations of some instructions, for a picture of which does what in which cycle. */
struct tool_libresoc_row {
    struct libresoc_origin origin;
    struct libresoc_when when;
    uint32_t latency;
    bool dies;
};
struct tool_libresoc_timeline {
    const char *path;
    uint64_t from, count; /* instructions, as executed */
    struct {
        struct tool_libresoc_row *at; /* owned */
        uint32_t count, room;
    } rows;
    bool out_of_memory;
    uint64_t cut; /* operations beyond what a picture has */
};
void tool_libresoc_timeline_note(struct tool_libresoc_timeline *timeline, const struct libresoc_op *op,
                                 const struct libresoc_origin *origin, const struct libresoc_when *when,
                                 const struct libresoc_core *core);
/* 0 and *image, the caller's; -ENOENT: no operation is among the instructions; -ENOMEM. */
int tool_libresoc_timeline_draw(const struct tool_libresoc_timeline *timeline,
                                const struct simple_v_program *program, const char *title,
                                struct util_image *image);

/* Text of the instruction, of one line. */
void tool_libresoc_text(const struct simple_v_program *program, const struct libresoc_origin *origin,
                        char *text, size_t size);

#endif
