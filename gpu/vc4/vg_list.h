/* VG primitive lists: triangles of screen coordinates, from an array (record 41) or inline behind the record
 * (42); Guide section 9, "VG Coordinate Array Primitives" and "VG Inline Primitives". The binner and the
 * renderer read them alike.
 *
 * A coordinate is a word: x in the low half, y in the high half, signed, 1/16 pixel from the viewport's
 * centre. What the Guide leaves open is fixed here: a padding code in a strip or a fan is passed over and the
 * next coordinate takes its place; a fan that ran out of its array goes on behind its last vertex; the odd
 * triangles of a strip swap their first two vertices, as OpenGL's do. */
#ifndef VITRAIL_GPU_VC4_VG_LIST_H
#define VITRAIL_GPU_VC4_VG_LIST_H

#include "gpu/fault.h"
#include "gpu/memory.h"
#include "gpu/vc4/cl.h"

#define VC4_VG_END 0xbfff0000u /* ends the list */
#define VC4_VG_PAD 0xbfff0001u /* no primitive */

/* What a fan leaves to its continuation: its first vertices. */
struct vc4_vg_fan {
    uint32_t vertex[2], count; /* count 0: the list before was no fan */
};

struct vc4_vg_list {
    const struct gpu_memory *memory;
    struct vc4_vg_fan *fan;
    uint32_t record; /* its address */
    uint64_t at;     /* guest address of the next coordinate */
    uint64_t left;   /* primitives */
    uint64_t budget; /* primitives and padding that may be read: endless lists end in a fault */
    uint8_t type;    /* 4 triangles, 5 strip, 6 fan */
    bool inside;     /* a strip or fan has its first vertices */
    bool odd;
    uint32_t before[2];
};

/* Begins the list of a record 41 or 42 whose own bytes end at `after`. `fan` is what the list before left,
 * and becomes what this one leaves. False with *fault. */
bool vc4_vg_list_begin(struct vc4_vg_list *list, const struct gpu_memory *memory,
                       const struct vc4_cl_record *record, uint32_t address, uint32_t after,
                       struct vc4_vg_fan *fan, uint64_t budget, struct gpu_fault *fault);
/* 1: a triangle; 0: the list's end, list->at is behind it; -1: *fault. */
int vc4_vg_list_next(struct vc4_vg_list *list, uint32_t xy[3], struct gpu_fault *fault);

#endif
