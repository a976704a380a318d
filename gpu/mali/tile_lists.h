/* The tile lists of a frame: where the tiler finds them in guest memory and leaves them, and where a fragment
 * job finds them again. Internal to gpu/mali.
 *
 * The format is ours, as no driver reads it: a header where the driver leaves zeros before the first draw, and in the
 * heap the table of lists, their blocks and records (tiler/list.h, gpu/bin.h), one list for each square of 64x64
 * pixels. The header stands at the polygon list that a framebuffer of v4 and v5 names (Mesa's pan_scoreboard.c), and
 * since v6 in the words of a tiler's context that are the GPU's own (genxml's "state"; pan_cs.c writes zeros there).
 * What is read back is checked like anything a guest wrote. */
#ifndef VITRAIL_GPU_MALI_TILE_LISTS_H
#define VITRAIL_GPU_MALI_TILE_LISTS_H

#include "gpu/mali/jobs.h"
#include "tiler/bins.h"

#define MALI_LIST_PIXELS  64u  /* a list's square, a side */
#define MALI_LISTS_A_SIDE 128u /* of a frame of 8192x8192 pixels, the largest: ours */
#define MALI_LISTS_MOST   (MALI_LISTS_A_SIDE * MALI_LISTS_A_SIDE)

/* As it stands in guest memory. */
struct mali_lists_header {
    uint32_t mark;          /* MALI_LISTS_MARK; 0: no draw has come yet */
    uint32_t columns, rows; /* of lists */
    uint32_t table;         /* address of a struct mali_list for each */
    uint32_t heap;          /* address from which on the heap is free */
    uint32_t alone; /* 1: a draw's state says that its program has side effects, so that tiles are drawn
                             * one after the other */
    uint32_t reserved[2];
};
#define MALI_LISTS_MARK 0x4c4d5456u

/* A list as the table has it: struct tiler_bin. */
struct mali_list {
    uint32_t at, end, record, first, first_record, four_samples;
};

/* Where lists are kept: what a framebuffer (v4, v5) or a tiler's context says. */
struct mali_lists_place {
    uint64_t header;               /* address of the struct; 0: the frame has no draws */
    uint64_t heap_start, heap_end; /* room for all else */
    uint32_t width, height;        /* of the frame, in pixels */
};
/* Of a frame, of any version; without a context (v6 and later) it has no draws. */
struct mali_lists_place mali_lists_of_frame(enum mali_version version, const struct mali_frame *frame);
/* Of what a tiler job of v6 and later names. */
struct mali_lists_place mali_lists_of_context(enum mali_version version,
                                              const struct mali_tiler_context *context);

/* The header at a place into *out; all zero: nothing is drawn. False and *stop: it cannot be read, is not ours, or
 * another frame's. */
bool mali_lists_header_read(const struct gpu_space *space, const struct mali_lists_place *place,
                            const char *unit, struct mali_lists_header *out, struct mali_stop *stop);

#endif
