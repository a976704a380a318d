/* What a started pixel processor does: its frame out of its registers, and how the end shows. */
#include <stdlib.h>
#include <string.h>

#include "gpu/capture.h"
#include "gpu/utgard/device_internal.h"
#include "gpu/utgard/frame.h"
#include "gpu/utgard/inspect.h"
#include "gpu/utgard/pp_fault.h"
#include "raster/surface.h"
#include "util/bits.h"

#define UNIT "pp"

enum { DLBU_LIST = 1, DLBU_BASE, DLBU_SIZE, DLBU_CONF, DLBU_START, DLBU_MASK }; /* words in the store */

/* The dynamic load balancing unit (Mali-450) hands out tiles to who asks next. Here a processor has every
 * n-th tile in raster order, so that what each does is the same every time (ours). The lists' blocks stand
 * behind one another, a block for each square of tiles. */
static bool balanced_tiles(const struct utgard_device *device, unsigned pp, struct utgard_tile *tiles,
                           uint32_t *count, struct gpu_fault *fault)
{
    const uint32_t *r = device->store[UTGARD_IP_DLBU];
    uint32_t width = (r[DLBU_SIZE] & 0xffff) + 1, height = (r[DLBU_SIZE] >> 16) + 1;
    uint32_t shift_x = r[DLBU_CONF] & 31, shift_y = r[DLBU_CONF] >> 16 & 31,
             bytes = 128u << (r[DLBU_CONF] >> 28);
    uint32_t across = (width + (1u << shift_x) - 1) >> shift_x;
    uint32_t rank = (uint32_t)__builtin_popcount(r[DLBU_MASK] & ((1u << pp) - 1));
    uint32_t all = (uint32_t)__builtin_popcount(r[DLBU_MASK]);

    if (width > 256 || height > 256 || shift_x > 8 || shift_y > 8 || r[DLBU_START] & 0xffff)
        return utgard_pp_refuse(fault, GPU_FAULT_PACKET, UNIT, r[DLBU_BASE], "%ux%u tiles of the DLBU", width,
                                height);
    for (uint32_t n = rank; n < width * height; n += all) {
        uint32_t x = n % width, y = n / width;
        uint32_t block = (y >> shift_y) * across + (x >> shift_x);

        tiles[(*count)++] = (struct utgard_tile){x, y, r[DLBU_BASE] + block * bytes};
    }
    return true;
}

bool utgard_pp_tiles(const struct utgard_device *device, unsigned pp, const struct gpu_space *space,
                     struct utgard_tile *tiles, uint32_t *count, struct gpu_fault *fault)
{
    const uint32_t *r = device->store[UTGARD_IP_DLBU];
    uint32_t list = device->store[UTGARD_IP_PP0 + pp][0];

    if (device->options.kind == UTGARD_MALI450 && r[DLBU_MASK] >> pp & 1 && list == r[DLBU_LIST])
        return balanced_tiles(device, pp, tiles, count, fault);
    return utgard_frame_tiles(space, list, tiles, count, fault);
}

/* What was drawn, for who shows it: the first colours of 32 bits that were stored whole. */
static void note_frame(struct utgard_device *device, const struct utgard_pp_frame *frame)
{
    for (unsigned n = 0; n < UTGARD_WB_UNITS; n++) {
        struct gpu_fault fault;
        struct utgard_wb wb;

        if (!utgard_wb_decode(frame->wb[n], frame->registers[10] + 1, frame->registers[11] + 1, frame->space,
                              &wb, &fault) ||
            wb.source != UTGARD_WB_COLOR || wb.format != UTGARD_WB_BGRA8888)
            continue;
        device->frame = (struct utgard_frame){
            .address = wb.address,
            .width = wb.width,
            .height = wb.height,
            .pitch = wb.pitch,
            .layout = wb.tiled ? RASTER_UTGARD_TILED : RASTER_LINEAR,
            .format = RASTER_SURFACE_RGBA8888 | (wb.swap ? CAPTURE_FRAME_RGBA : 0),
        };
        device->frame.physical = utgard_wb_physical(&wb, frame->space, 0, &device->frame.address);
        device->has_frame = true;
        return;
    }
}

static bool render(struct utgard_device *device, unsigned pp, struct utgard_tile *tiles,
                   struct gpu_fault *fault)
{
    const uint32_t *store = device->store[UTGARD_IP_PP0 + pp];
    const struct gpu_space *space = utgard_mmu_space(device, 1 + pp, fault);
    struct utgard_pp_frame frame = {
        .space = space,
        .engine = device->options.reference ? NULL : device->options.engine,
        .pool = device->options.pool,
        .reader = {.ctx = (void *)space, .next = utgard_frame_bins},
        .tiles = tiles,
        .fuel = device->options.job_fuel,
        .packets = device->options.packet_budget,
        .block_fuel = device->options.fuel,
        .numeric = device->options.numeric,
        .observer = device->options.observer,
        .batch = ++device->batches,
    };

    if (!space || !utgard_pp_tiles(device, pp, space, tiles, &frame.tile_count, fault))
        return false;
    memcpy(frame.registers, store, sizeof frame.registers);
    for (unsigned n = 0; n < UTGARD_WB_UNITS; n++)
        memcpy(frame.wb[n], utgard_device_writeback(device, pp, n), sizeof frame.wb[n]);
    device->counters.tiles += frame.tile_count;
    if (!utgard_frame_render(&frame, fault))
        return false;
    note_frame(device, &frame);
    return true;
}

/* After a page fault the processor stands still until it is reset. */
static void run(struct utgard_device *device, unsigned pp)
{
    struct utgard_tile *tiles = malloc(UTGARD_MAX_TILES * sizeof *tiles);
    struct gpu_fault fault = {0};

    device->job++;
    device->counters.jobs++;
    device->pp_started[pp] = false;
    if (!tiles)
        utgard_pp_refuse(&fault, GPU_FAULT_UNSUPPORTED, UNIT, 0, "no host memory");
    if (tiles && render(device, pp, tiles, &fault)) {
        utgard_pp_raise(device, pp, UTGARD_PP_INT_END_OF_FRAME);
    } else {
        utgard_fault_add(device, &fault);
        if (fault.kind == GPU_FAULT_MEMORY)
            utgard_mmu_fault(device, 1 + pp, fault.address, false);
        else
            utgard_pp_raise(device, pp,
                            fault.kind == GPU_FAULT_TIMEOUT ? UTGARD_PP_INT_FORCE_HANG
                                                            : UTGARD_PP_INT_COMMAND);
    }
    free(tiles);
}

bool utgard_pp_work(struct utgard_device *device)
{
    for (unsigned pp = 0; pp < device->options.pp_count; pp++)
        if (device->pp_started[pp]) {
            run(device, pp);
            return true;
        }
    return false;
}
