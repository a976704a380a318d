/* What started pixel processors do: a frame out of their registers, and how its end shows.
 *
 * The driver shares a frame's tiles out among its processors, so that tiles of one list belong to several of
 * them. Those whose registers differ in the list of tiles alone draw one frame: on Mali-450 they are started
 * by one write, on Mali-400 one after the other, and each waits until all are there, or the tiles are all of
 * the frame's, or somebody accesses registers that are not those of a processor to be started next. */
#include <assert.h>
#include <errno.h>
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

enum { LIST = 0, STACK = 12, WIDTH = 10, HEIGHT = 11 };                         /* words in the store */
enum { DLBU_LIST = 1, DLBU_BASE, DLBU_SIZE, DLBU_CONF, DLBU_START, DLBU_MASK }; /* likewise */

/* The dynamic load balancing unit (Mali-450) hands out tiles to who asks next. Here a processor has every
 * n-th tile in raster order, so that what each does is the same every time (ours). The lists' blocks stand
 * behind one another, a block for each square of tiles. */
static bool balanced_tiles(const struct utgard_device *device, unsigned pp, struct gpu_tile *tiles,
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

        if (*count == GPU_FRAME_TILES)
            return utgard_pp_refuse(fault, GPU_FAULT_PACKET, UNIT, r[DLBU_BASE], "more than %u tiles",
                                    GPU_FRAME_TILES);
        tiles[(*count)++] = (struct gpu_tile){x, y, r[DLBU_BASE] + block * bytes, pp};
    }
    return true;
}

bool utgard_pp_tiles(const struct utgard_device *device, unsigned pp, const struct gpu_space *space,
                     struct gpu_tile *tiles, uint32_t *count, struct gpu_fault *fault)
{
    const uint32_t *r = device->store[UTGARD_IP_DLBU];
    uint32_t list = device->store[UTGARD_IP_PP0 + pp][LIST];

    if (device->kind == UTGARD_MALI450 && r[DLBU_MASK] >> pp & 1 && list == r[DLBU_LIST])
        return balanced_tiles(device, pp, tiles, count, fault);
    return utgard_frame_tiles(space, list, pp, tiles, count, fault);
}

/* What was drawn, for who shows it: the first colours of 32 bits that were stored whole. */
static void note_frame(struct utgard_device *device, const struct utgard_pp_frame *frame)
{
    for (unsigned n = 0; n < UTGARD_WB_UNITS; n++) {
        struct gpu_fault fault;
        struct utgard_wb wb;

        if (!utgard_wb_decode(frame->wb[n], frame->registers[WIDTH] + 1, frame->registers[HEIGHT] + 1,
                              frame->of.space, &wb, &fault) ||
            wb.source != UTGARD_WB_COLOR ||
            wb.image.format != (wb.image.big_endian ? RASTER_A8B8G8R8_UNORM : RASTER_R8G8B8A8_UNORM))
            continue; /* reversed components and bytes together are as none */
        struct capture_frame shown = {
            .width = wb.image.width,
            .height = wb.image.height,
            .layout = wb.image.layout,
            .format = wb.image.swap ? RASTER_B8G8R8A8_UNORM : RASTER_R8G8B8A8_UNORM,
            .stride = wb.image.stride,
        };
        const bool has = utgard_wb_physical(&wb, frame->of.space, 0, &shown.address);
        gpu_host_set_frame(&device->host, has ? &shown : NULL);
        return;
    }
}

/* ---- processors that draw one frame ---- */

struct utgard_pp_team {
    uint32_t members; /* bit n: PP n */
    const struct gpu_space *space;
    uint32_t registers[UTGARD_FRAME_WORDS];
    uint32_t wb[UTGARD_WB_UNITS][UTGARD_WB_WORDS];
    uint64_t job[UTGARD_MAX_PP]; /* numbers */
    uint32_t tile_count;
    struct gpu_tile tiles[GPU_FRAME_TILES];
    struct gpu_frame_workers workers;
};

static_assert(GPU_FRAME_OWNERS == UTGARD_MAX_PP, "each processor owns tiles");

int utgard_pp_create(struct utgard_device *device)
{
    device->team = calloc(1, sizeof *device->team);
    return device->team ? 0 : -ENOMEM;
}

void utgard_pp_destroy(struct utgard_device *device)
{
    if (device->team)
        gpu_frame_workers_free(&device->team->workers);
    free(device->team);
}

static void take_registers(const struct utgard_device *device, unsigned pp,
                           uint32_t registers[UTGARD_FRAME_WORDS],
                           uint32_t wb[UTGARD_WB_UNITS][UTGARD_WB_WORDS])
{
    const uint32_t *store = device->store[UTGARD_IP_PP0 + pp];

    memcpy(registers, store, UTGARD_FRAME_WORDS * sizeof *registers);
    registers[LIST] = registers[STACK] = 0;
    for (unsigned n = 0; n < UTGARD_WB_UNITS; n++)
        memcpy(wb[n], utgard_device_writeback(device, pp, n), sizeof wb[n]);
}

/* How the end of a processor's work shows. After a page fault it stands still until it is reset. */
static void end(struct utgard_device *device, unsigned pp, const struct gpu_fault *fault)
{
    if (!fault->kind) {
        utgard_pp_raise(device, pp, UTGARD_PP_INT_END_OF_FRAME);
        return;
    }
    gpu_host_fault(&device->host, fault);
    if (fault->kind == GPU_FAULT_MEMORY)
        utgard_mmu_fault(device, 1 + pp, (uint32_t)fault->address, fault->write);
    else
        utgard_pp_raise(device, pp,
                        fault->kind == GPU_FAULT_TIMEOUT ? UTGARD_PP_INT_FORCE_HANG : UTGARD_PP_INT_COMMAND);
}

/* Renders the team's frame; the next begins when its processors' interrupts have been heard. */
static void render(struct utgard_device *device)
{
    struct utgard_pp_team *team = device->team;
    struct gpu_fault fault[UTGARD_MAX_PP] = {{0}};
    uint32_t members = team->members;
    bool stored = false;
    struct utgard_pp_frame frame = {
        .of = {.space = team->space,
               .pool = device->options.pool,
               .workers = &team->workers,
               .reader = gpu_tile_lists(team->space),
               .tiles = team->tiles,
               .tile_count = team->tile_count,
               .last_owner = UTGARD_MAX_PP - 1,
               .fuel = device->options.job_fuel,
               .packets = device->options.packet_budget,
               .observer = device->options.observer,
               .batch = ++device->batches,
               .blocks = &device->host.counters.blocks_shaded,
               .instructions = &device->host.counters.instructions,
               .host = &device->host},
        .engine = device->options.reference ? NULL : device->options.engine,
        .programs = device->fragment_programs,
        .block_fuel = device->options.fuel,
        .numeric = device->options.numeric,
        .in_order = device->options.in_order,
    };

    memcpy(frame.registers, team->registers, sizeof frame.registers);
    memcpy(frame.wb, team->wb, sizeof frame.wb);
    device->host.counters.tiles += frame.of.tile_count;
    gpu_turns_leave(&device->host, UTGARD_UNIT_PP);
    utgard_frame_render(&frame, fault);
    gpu_turns_enter(&device->host, UTGARD_UNIT_PP);
    team->members = team->tile_count = 0;
    for (unsigned pp = 0; pp < UTGARD_MAX_PP; pp++) {
        device->pp_started[pp] &= !(members >> pp & 1);
        stored |= members >> pp & 1 && !fault[pp].kind;
    }
    if (stored)
        note_frame(device, &frame);
    for (unsigned pp = 0; pp < UTGARD_MAX_PP; pp++)
        if (members >> pp & 1) {
            uint64_t job = device->host.job;

            device->host.job = team->job[pp];
            end(device, pp, &fault[pp]);
            device->host.job = job;
        }
}

bool utgard_pp_finish(struct utgard_device *device)
{
    if (!device->team->members)
        return false;
    render(device);
    return true;
}

bool utgard_pp_is_started(const struct utgard_device *device)
{
    for (unsigned pp = 0; pp < device->pp_count; pp++)
        if (device->pp_started[pp] && !(device->team->members >> pp & 1))
            return true;
    return false;
}

uint32_t utgard_pp_members(const struct utgard_device *device)
{
    return device->team->members;
}

bool utgard_pp_may_join(const struct utgard_device *device, unsigned ip)
{
    unsigned pp = ip - UTGARD_IP_PP0;

    return ip >= UTGARD_IP_PP0 && pp < UTGARD_MAX_PP && !(device->team->members >> pp & 1);
}

/* Whether another processor may come. */
static bool is_complete(const struct utgard_device *device)
{
    const struct utgard_pp_team *team = device->team;
    uint32_t width = (team->registers[WIDTH] & 0xffff) + 1, height = (team->registers[HEIGHT] & 0xffff) + 1;

    return device->kind == UTGARD_MALI450 || team->members == (1u << device->pp_count) - 1 ||
           team->tile_count >= util_div_up(width, GPU_TILE) * util_div_up(height, GPU_TILE);
}

/* Takes a started processor into the team; false: the team has another frame to draw first. */
static bool join(struct utgard_device *device, unsigned pp)
{
    struct utgard_pp_team *team = device->team;
    uint32_t registers[UTGARD_FRAME_WORDS], wb[UTGARD_WB_UNITS][UTGARD_WB_WORDS];
    struct gpu_fault fault = {0};
    const struct gpu_space *space = utgard_mmu_space(device, 1 + pp, &fault);
    uint32_t count = team->tile_count;

    take_registers(device, pp, registers, wb);
    if (space && team->members &&
        (space != team->space || memcmp(registers, team->registers, sizeof registers) != 0 ||
         memcmp(wb, team->wb, sizeof wb) != 0))
        return false;
    device->host.job++;
    device->host.counters.jobs++;
    if (!space || !utgard_pp_tiles(device, pp, space, team->tiles, &count, &fault)) {
        device->pp_started[pp] = false;
        end(device, pp, &fault);
        return true;
    }
    utgard_perf_tiles(device, pp, space, team->tiles + team->tile_count, count - team->tile_count);
    team->tile_count = count;
    team->space = space;
    memcpy(team->registers, registers, sizeof registers);
    memcpy(team->wb, wb, sizeof wb);
    team->members |= 1u << pp;
    team->job[pp] = device->host.job;
    return true;
}

bool utgard_pp_work(struct utgard_device *device)
{
    bool joined = false, another = false;

    for (unsigned pp = 0; pp < device->pp_count && !another; pp++) {
        if (!device->pp_started[pp] || device->team->members >> pp & 1)
            continue;
        another = !join(device, pp);
        joined |= !another;
    }
    if (!device->team->members || (!another && !is_complete(device)))
        return joined;
    render(device);
    return true;
}
