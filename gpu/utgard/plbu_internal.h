/* What the files of the tile list builder share. Internal to gpu/utgard/plbu*.c. */
#ifndef VITRAIL_GPU_UTGARD_PLBU_INTERNAL_H
#define VITRAIL_GPU_UTGARD_PLBU_INTERNAL_H

#include "gpu/bin.h"
#include "gpu/utgard/cl.h"
#include "gpu/utgard/plbu.h"
#include "gpu/utgard/walk.h"
#include "tiler/bins.h"

#define PLBU_UNIT       "plbu"
#define PLBU_TILE       16u    /* pixels */
#define PLBU_LIST_SHIFT 2u     /* tiles a side that share a list at least, as a power of two: 64 pixels */
#define PLBU_MAX_TILES  256u   /* in a row, and rows */
#define PLBU_MAX_BLOCKS 65536u /* lists of a frame */
#define PLBU_RECTANGLE  15u    /* draw mode beside those of tiler/assemble.h */

/* The registers that commands write. */
struct utgard_plbu_registers {
    uint32_t positions, indices, point_sizes;
    float left, right, bottom, top, near, far, size;
    uint32_t tiles_x, tiles_y, shift_x, shift_y, stride;
    uint32_t setup[UTGARD_SETUP_CULL_NEGATIVE + 1];
    uint32_t scissor[UTGARD_SCISSOR_Y1 + 1];
    uint32_t rsw, array_positions;
};

/* The draw at hand, as its command gave it. */
struct utgard_plbu_draw {
    bool active; /* begun, and not done */
    bool indexed;
    uint32_t mode, count, start, index_log2, index_at;
    struct gpu_bin_state state;
    uint32_t join_x, join_y; /* blocks that share a list, as powers of two */
};

struct utgard_plbu {
    uint32_t at, end; /* of the command list */
    struct util_walk walk;
    uint32_t heap_at, heap_end, block_bytes;
    struct utgard_plbu_registers reg;
    uint32_t block_count; /* of bins.bin, which has room for PLBU_MAX_BLOCKS */
    uint32_t draws, result_at;
    struct utgard_plbu_draw draw;
    struct tiler_bins bins; /* its room is made by the first draw of triangles */
    /* For the length of a run: */
    const struct gpu_space *space;
    const struct utgard_vs_results *results;
    struct utgard_budget *budget;
    const struct gpu_host *host;
    struct gpu_counters *counters; /* the host's */
    struct utgard_stop *stop;
    const struct gpu_observer *observer; /* NULL: nobody looks on */
};

/* Takes `cost` from the packet budget; false with a fault when it is used up. */
bool utgard_plbu_pay(struct utgard_plbu *p, uint64_t cost);

/* plbu_draw.c: a draw from its command, and as far as it goes. */
enum utgard_plbu_end utgard_plbu_draw_begin(struct utgard_plbu *p, const struct utgard_cl_command *command);
enum utgard_plbu_end utgard_plbu_draw_go_on(struct utgard_plbu *p);

/* plbu_bins.c: what lists take of the guest's memory (tiler/bins.h; the builder is its ctx); the array of
 * blocks; the ends of all lists. */
extern const struct tiler_bins_ports utgard_plbu_ports;
enum utgard_plbu_end utgard_plbu_bins_begin(struct utgard_plbu *p, uint32_t address, uint32_t count);
enum utgard_plbu_end utgard_plbu_bins_end(struct utgard_plbu *p);

/* plbu_observe.c: a draw begins, and is done; a primitive goes into a list, coded at `address`; one is left
 * out for its facing. Only for those who look on; for who is told of primitives, these go one by one. */
void utgard_plbu_observe_draw(const struct utgard_plbu *p);
void utgard_plbu_observe_draw_end(const struct utgard_plbu *p);
void utgard_plbu_observe_entry(const struct utgard_plbu *p, uint32_t address, uint64_t primitive);
void utgard_plbu_observe_culled(const struct utgard_plbu *p, uint64_t primitive, const int32_t x[3],
                                const int32_t y[3]);

#endif
