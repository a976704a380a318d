/* Midgard's part of `vitrail decode`: what its files share. */
#ifndef VITRAIL_TOOLS_DECODE_MALI_H
#define VITRAIL_TOOLS_DECODE_MALI_H

#include "gpu/mali/inspect.h"
#include "tools/decode.h"

struct tool_mali {
    struct decode *decode;
    struct mali_device *device; /* owned; nothing works in it */
    struct mali_reader reader;  /* of the chain at hand */
};

/* A descriptor with its fields, left open for what it holds; its struct into `out`, which may be NULL. False
 * after saying why there is none; nothing is open then. */
bool tool_mali_open(struct tool_mali *m, const struct mali_desc *desc, uint64_t address, void *out);
/* The same without anything in it. */
bool tool_mali_list(struct tool_mali *m, const struct mali_desc *desc, uint64_t address, void *out);

/* What a draw leads to. `program`: what its own is called; `targets`: blends behind the state. */
void tool_mali_draw(struct tool_mali *m, const char *program, const struct mali_draw *draw, uint32_t targets);
/* Its programs, blend shaders too, and uniforms. */
void tool_mali_programs(struct tool_mali *m, const char *program, const struct mali_draw *draw,
                        const struct mali_state *state, uint32_t targets);
/* A framebuffer by its tagged address, with its targets or without; how many there are. */
uint32_t tool_mali_frame(struct tool_mali *m, uint64_t tagged, bool targets);

#endif
