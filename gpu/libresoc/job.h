/* A frame under way: its record, the heap, tile lists; draws one after the other, then the tiles. Internal to gpu/libresoc. */
#ifndef VITRAIL_GPU_LIBRESOC_JOB_H
#define VITRAIL_GPU_LIBRESOC_JOB_H

#include "gpu/bin.h"
#include "gpu/frame.h"
#include "gpu/libresoc/vertices.h"
#include "gpu/options.h"
#include "tiler/bins.h"

#define LIBRESOC_LIST_PIXELS 64u /* a list's square, a side */

/* What a device lends its jobs. */
struct libresoc_machine {
    const struct gpu_memory *memory;
    const struct gpu_space *space; /* guest addresses as they are */
    const struct gpu_options *options;
    struct gpu_host *host;
    struct gpu_programs *programs;
    struct gpu_frame_workers *workers;
    struct tiler_bins_room **room; /* made by the first draw of triangles */
    uint32_t frame;                /* the frame's number, for observers */
};

struct libresoc_job {
    const struct libresoc_machine *machine;
    uint64_t address; /* of the frame's record */
    struct libresoc_frame_record frame;
    struct libresoc_written written;
    struct gpu_fault *fault;
    uint64_t packets, fuel; /* left of what the job may take */
    /* The heap: addresses. */
    uint32_t heap_at, heap_end;
    /* Lists, in rows. */
    uint32_t columns, rows;
    struct tiler_bin *bin;
    struct tiler_bins bins;
    /* The draw at hand. */
    uint32_t number;  /* in the frame, from 1 */
    uint64_t draw_at; /* its record's address */
    struct libresoc_draw_record draw;
    struct gpu_bin_state state;
};

/* Draws the frame. False and *fault: nothing is stored, or, where it is a tile's, what has no fault. */
bool libresoc_job_run(const struct libresoc_machine *machine, uint64_t address, struct gpu_fault *fault);

/* Takes `cost` from the packet budget; false with a fault when it is used up. */
bool libresoc_job_pay(struct libresoc_job *job, uint64_t cost);
/* Room in the heap: its address, a multiple of 64; 0 with a fault: there is none. */
uint32_t libresoc_job_take(struct libresoc_job *job, uint64_t bytes);

/* tiling.c: the lists are made; the draw, of which vertices and state are there, goes into them; they end. */
bool libresoc_tiling_begin(struct libresoc_job *job);
bool libresoc_tiling_draw(struct libresoc_job *job);
bool libresoc_tiling_end(struct libresoc_job *job);

/* frame.c: the image of colours, or of depths (whose address is not 0), without `base`. */
struct raster_surface libresoc_frame_surface(const struct libresoc_frame_record *record, bool depth);
/* Draws and stores the tiles. */
bool libresoc_frame_render(struct libresoc_job *job);

#endif
