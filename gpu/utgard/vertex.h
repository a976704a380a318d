/* The vertex processor's work: a draw's vertices, 16 at a time, from attribute arrays in memory through a
 * program to varying arrays in memory. Internal to gpu/utgard. */
#ifndef VITRAIL_GPU_UTGARD_VERTEX_H
#define VITRAIL_GPU_UTGARD_VERTEX_H

#include "gpu/space.h"
#include "gpu/utgard/device_internal.h"

/* Why work stopped: the fault in words, and what the MMU is to be told. */
struct utgard_stop {
    struct gpu_fault fault;
    bool page_fault, write;
    uint32_t address; /* of the page fault */
};

/* Host pointer to guest bytes, or NULL with *stop: `what` in `unit` lies where no page allows it. */
uint8_t *utgard_at(const struct gpu_space *space, uint64_t address, uint64_t size, uint32_t rights,
                   const char *unit, const char *what, struct utgard_stop *stop);

/* What the commands of a VS list set up. */
struct utgard_vs_state {
    uint32_t program, instructions;
    uint32_t uniforms, uniform_bytes;
    uint32_t attributes, attribute_count; /* tables of two words an entry: address, layout */
    uint32_t varyings, varying_count;
};

/* gp.c: what a command of a VS list other than a draw changes. */
struct utgard_cl_command;
void utgard_vs_set(struct utgard_vs_state *state, const struct utgard_cl_command *command);

/* Layout words: component count - 1 in bits 1:0, type in 10:2, stride in bytes from 11 on. */
enum utgard_type {
    UTGARD_TYPE_F32 = 0,
    UTGARD_TYPE_I32 = 1,
    UTGARD_TYPE_U32 = 2,
    UTGARD_TYPE_F16 = 3,
    UTGARD_TYPE_I16 = 4,
    UTGARD_TYPE_U16 = 5,
    UTGARD_TYPE_I8 = 6,
    UTGARD_TYPE_U8 = 7,
    UTGARD_TYPE_I8N = 8,
    UTGARD_TYPE_U8N = 9,
    UTGARD_TYPE_I16N = 10,
    UTGARD_TYPE_U16N = 11,
    UTGARD_TYPE_I32N = 13,
    UTGARD_TYPE_U32N = 14,
    UTGARD_TYPE_FIXED = 0x101,
    UTGARD_TYPE_SPECIAL = 8 /* of a varying: one component is the position, two is the point size */
};

struct utgard_layout {
    uint32_t components, type, stride;
};
static inline struct utgard_layout utgard_layout(uint32_t word)
{
    return (struct utgard_layout){(word & 3) + 1, word >> 2 & 0x1ff, word >> 11};
}

/* Where a draw's results stand, as the tile list builder needs to know. */
struct utgard_vs_result {
    uint32_t positions, point_sizes; /* 0: none */
};

/* Of its programs, which are looked for in device->vertex_programs. */
extern const struct gpu_program_kind utgard_gp_kind;

/* Shades `vertices` vertices, for draw `number` of the job; *fuel (instructions for 16 lanes) goes down by
 * what that may cost, before it begins. 0, or -EFAULT with *stop. */
int utgard_vertex_draw(struct utgard_device *device, const struct gpu_space *space,
                       const struct utgard_vs_state *state, uint32_t number, uint32_t vertices,
                       uint64_t *fuel, struct utgard_vs_result *result, struct utgard_stop *stop);

#endif
