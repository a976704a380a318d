/* Part of `vitrail decode` for Malis with a job manager: what its files share. */
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

/* A list of descriptors, one behind the other, of a guest's making: so many of it are listed. */
void tool_mali_list_all(struct tool_mali *m, const struct mali_desc *desc, uint64_t address, uint64_t count);
/* A texture with its surfaces. */
void tool_mali_texture(struct tool_mali *m, uint64_t address);
/* Since v6: a tiler's context and its heap, by their address. */
void tool_mali_context(struct tool_mali *m, uint64_t address);
/* v9: a program's environment; a draw with the environment behind it. `program` as below. */
void tool_mali_environment(struct tool_mali *m, const char *program, uint64_t address);
void tool_mali_draw_v9(struct tool_mali *m, const char *program, uint64_t address);
/* A program by its address, which on Midgard has its first tag in the lower four bits. */
void tool_mali_program(struct tool_mali *m, const char *program, uint64_t address);
/* Since v6: uniforms that programs name by words of 64 bits. */
void tool_mali_pairs(struct tool_mali *m, uint64_t address, uint32_t pairs);
/* Blend shaders that descriptors of blends name; `shader`: the program before them. */
void tool_mali_blend_shaders(struct tool_mali *m, uint64_t blends, uint32_t targets, uint64_t shader);
/* What a draw leads to. `program`: what its own is called; `targets`: blends behind the state; `fbd`: its storage is
 * the framebuffer's (v4, v5). */
void tool_mali_draw(struct tool_mali *m, const char *program, const struct mali_draw *draw, uint32_t targets,
                    bool fbd);
/* Its programs, blend shaders too, and uniforms. */
void tool_mali_programs(struct tool_mali *m, const char *program, const struct mali_draw *draw,
                        const struct mali_state *state, uint32_t targets);
/* A framebuffer by its tagged address, with its targets or without; how many there are. */
uint32_t tool_mali_frame(struct tool_mali *m, uint64_t tagged, bool targets);

#endif
