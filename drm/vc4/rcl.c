/* The rendering list, which only the kernel writes: for every tile what to load, the tile's list, what to
 * store. Records: Guide table 38 and section 5; their order follows the kernel's vc4_render_cl.c. */
#include "drm/vc4/internal.h"

#include <errno.h>

#include "gpu/vc4/cl.h"

enum {
    MAX_HEAD = 64,          /* bytes before the first tile, at most */
    MAX_TILE = 64,          /* bytes a tile, at most */
    FULL_TILE = 64 * 64 * 4 /* bytes of a raw tile: 32x32 pixels of 4 samples */
};
/* Low bits of the address of records 26 and 27. */
enum { FULL_NO_COLOR = 1, FULL_NO_ZS = 2, FULL_NO_CLEAR = 4, FULL_LAST = 8 };
/* Records 28 and 29: buffer 2:0, layout 5:4, format 9:8, and what a store must not clear. */
enum {
    GENERAL_NONE = 0,
    GENERAL_COLOR = 1,
    GENERAL_ZS = 2,
    GENERAL_KNOWN_BITS = 0x0337,
    GENERAL_NO_COLOR_CLEAR = 1 << 13,
    GENERAL_NO_ZS_CLEAR = 1 << 14,
    GENERAL_NO_VG_CLEAR = 1 << 15,
    GENERAL_LAST = 8 /* in the address */
};
/* Record 113: MS mode 0, format 3:2, decimate 5:4, layout 7:6. */
enum { CONFIG_KNOWN_BITS = 0x00dd };

static void put8(struct drm_vc4_exec *exec, uint32_t value)
{
    exec->rcl[exec->rcl_size++] = (uint8_t)value;
}

static void put16(struct drm_vc4_exec *exec, uint32_t value)
{
    put8(exec, value & 0xff);
    put8(exec, value >> 8 & 0xff);
}

static void put32(struct drm_vc4_exec *exec, uint32_t value)
{
    put16(exec, value & 0xffff);
    put16(exec, value >> 16);
}

static void put_coordinates(struct drm_vc4_exec *exec, uint32_t x, uint32_t y)
{
    put8(exec, VC4_CL_TILE_COORDINATES);
    put8(exec, x);
    put8(exec, y);
}

static void put_general(struct drm_vc4_exec *exec, uint32_t id, uint32_t bits, uint32_t address)
{
    put8(exec, id);
    put16(exec, bits);
    put32(exec, address);
}

/* Raw tiles do not look at the coordinates: each has its own address, in rows of tiles of 32 pixels. */
static void put_full(struct drm_vc4_exec *exec, uint32_t id, const struct drm_bo *bo,
                     const struct drm_vc4_submit_rcl_surface *surface, uint32_t x, uint32_t y, uint32_t bits)
{
    uint32_t tile = util_div_up(exec->args->width, 32) * y + x;
    put8(exec, id);
    put32(exec, ((uint32_t)bo->offset + surface->offset + FULL_TILE * tile) | bits);
}

static uint32_t address_of(const struct drm_bo *bo, const struct drm_vc4_submit_rcl_surface *surface)
{
    return (uint32_t)bo->offset + surface->offset;
}

static void put_load(struct drm_vc4_exec *exec, const struct drm_bo *bo,
                     const struct drm_vc4_submit_rcl_surface *surface, uint32_t x, uint32_t y, uint32_t other)
{
    if (surface->flags & VC4_SUBMIT_RCL_SURFACE_READ_IS_FULL_RES)
        put_full(exec, VC4_CL_LOAD_FULL_RES, bo, surface, x, y, other);
    else
        put_general(exec, VC4_CL_LOAD_GENERAL, surface->bits, address_of(bo, surface));
}

/* A load happens at the next coordinates, and one alone may be outstanding; between two sets of coordinates
 * stands a store, if need be of nothing. */
static void put_loads(struct drm_vc4_exec *exec, uint32_t x, uint32_t y)
{
    const struct drm_vc4_submit_cl *args = exec->args;
    if (exec->color_read)
        put_load(exec, exec->color_read, &args->color_read, x, y, FULL_NO_ZS);
    if (!exec->zs_read)
        return;
    if (exec->color_read) {
        put_coordinates(exec, x, y);
        put_general(exec, VC4_CL_STORE_GENERAL,
                    GENERAL_NONE | GENERAL_NO_COLOR_CLEAR | GENERAL_NO_ZS_CLEAR | GENERAL_NO_VG_CLEAR, 0);
    }
    put_load(exec, exec->zs_read, &args->zs_read, x, y, FULL_NO_COLOR);
}

/* The last store of a tile clears the tile buffer for the next one; that of the last tile ends the frame. */
static void put_stores(struct drm_vc4_exec *exec, uint32_t x, uint32_t y, bool last)
{
    const struct drm_vc4_submit_cl *args = exec->args;
    bool stored = false;
    if (exec->ms_color_write) {
        bool final = !exec->ms_zs_write && !exec->zs_write && !exec->color_write;
        put_full(exec, VC4_CL_STORE_FULL_RES, exec->ms_color_write, &args->msaa_color_write, x, y,
                 FULL_NO_ZS | (!final ? FULL_NO_CLEAR
                               : last ? FULL_LAST
                                      : 0));
        stored = true;
    }
    if (exec->ms_zs_write) {
        bool final = !exec->zs_write && !exec->color_write;
        if (stored)
            put_coordinates(exec, x, y);
        put_full(exec, VC4_CL_STORE_FULL_RES, exec->ms_zs_write, &args->msaa_zs_write, x, y,
                 FULL_NO_COLOR | (!final ? FULL_NO_CLEAR
                                  : last ? FULL_LAST
                                         : 0));
        stored = true;
    }
    if (exec->zs_write) {
        bool final = !exec->color_write;
        if (stored)
            put_coordinates(exec, x, y);
        put_general(exec, VC4_CL_STORE_GENERAL, args->zs_write.bits | (final ? 0u : GENERAL_NO_COLOR_CLEAR),
                    address_of(exec->zs_write, &args->zs_write) | (final && last ? GENERAL_LAST : 0u));
        stored = true;
    }
    if (exec->color_write) {
        if (stored)
            put_coordinates(exec, x, y);
        put8(exec, last ? VC4_CL_STORE_MS_TILE_EOF : VC4_CL_STORE_MS_TILE);
    }
}

static void put_tile(struct drm_vc4_exec *exec, uint32_t x, uint32_t y, bool first, bool last)
{
    put_loads(exec, x, y);
    put_coordinates(exec, x, y); /* also what primitives are clipped to */
    if (exec->args->bin_cl_size) {
        if (first)
            put8(exec, VC4_CL_WAIT_ON_SEMAPHORE);
        put8(exec, VC4_CL_BRANCH_TO_SUB_LIST);
        put32(exec, exec->tile_lists + (y * exec->bin_tiles_x + x) * 32);
    }
    put_stores(exec, x, y, last);
}

static void put_head(struct drm_vc4_exec *exec)
{
    const struct drm_vc4_submit_cl *args = exec->args;
    if (args->flags & VC4_SUBMIT_CL_USE_CLEAR_COLOR) {
        put8(exec, VC4_CL_CLEAR_COLORS);
        put32(exec, args->clear_color[0]);
        put32(exec, args->clear_color[1]);
        put32(exec, args->clear_z);
        put8(exec, args->clear_s);
        put_coordinates(exec, 0, 0); /* storing nothing brings the new colours into the tile buffer */
        put_general(exec, VC4_CL_STORE_GENERAL, GENERAL_NONE, 0);
    }
    put8(exec, VC4_CL_TILE_RENDERING_CONFIG);
    put32(exec, exec->color_write ? address_of(exec->color_write, &args->color_write) : 0);
    put16(exec, args->width);
    put16(exec, args->height);
    put16(exec, args->color_write.bits);
}

/* ---- checks ---- */

static int refuse(const struct drm_vc4_exec *exec, const char *name, const char *why)
{
    drm_vc4_debug(exec, "%s: %s", name, why);
    return -EINVAL;
}

static int check_full(const struct drm_vc4_exec *exec, const struct drm_bo *bo, const char *name,
                      const struct drm_vc4_submit_rcl_surface *surface)
{
    const struct drm_vc4_submit_cl *args = exec->args;
    uint64_t last = (uint64_t)util_div_up(args->width, 32) * args->max_y_tile + args->max_x_tile;
    if (surface->offset > bo->size || (bo->size - surface->offset) / FULL_TILE < last)
        return refuse(exec, name, "raw tiles leave their buffer");
    return 0;
}

/* 0 with *bo NULL when the surface is absent. */
static int find_bo(const struct drm_vc4_exec *exec, const struct drm_vc4_submit_rcl_surface *surface,
                   bool written, struct drm_bo **bo)
{
    *bo = NULL;
    if (surface->hindex == UINT32_MAX)
        return 0;
    *bo = drm_vc4_use_bo(exec, surface->hindex);
    if (!*bo)
        return -EINVAL;
    exec->job.buffers[surface->hindex].written |= written;
    return 0;
}

static int check_ms(struct drm_vc4_exec *exec, struct drm_bo **bo, const char *name,
                    const struct drm_vc4_submit_rcl_surface *surface)
{
    if (surface->flags || surface->bits)
        return refuse(exec, name, "flags or bits set");
    int r = find_bo(exec, surface, true, bo);
    if (r || !*bo)
        return r;
    if (surface->offset & 15)
        return refuse(exec, name, "not aligned to 16 bytes");
    return check_full(exec, *bo, name, surface);
}

static int check_general(struct drm_vc4_exec *exec, struct drm_bo **bo, const char *name,
                         const struct drm_vc4_submit_rcl_surface *surface, bool written)
{
    if (surface->flags & ~VC4_SUBMIT_RCL_SURFACE_READ_IS_FULL_RES)
        return refuse(exec, name, "unknown flags");
    int r = find_bo(exec, surface, written, bo);
    if (r || !*bo)
        return r;
    if (surface->flags) {
        if (written || surface->bits)
            return refuse(exec, name, "raw tiles where they cannot be");
        return check_full(exec, *bo, name, surface);
    }
    uint32_t buffer = (uint32_t)util_bits(surface->bits, 0, 3),
             layout = (uint32_t)util_bits(surface->bits, 4, 2),
             format = (uint32_t)util_bits(surface->bits, 8, 2);
    if (surface->bits & ~GENERAL_KNOWN_BITS)
        return refuse(exec, name, "unknown bits");
    if (!(buffer == GENERAL_ZS && format == 0) && !(buffer == GENERAL_COLOR && format <= 2))
        return refuse(exec, name, "no such buffer and format");
    if (surface->offset & 15)
        return refuse(exec, name, "not aligned to 16 bytes");
    uint32_t cpp = buffer == GENERAL_COLOR && format ? 2 : 4;
    return drm_vc4_surface_fits(exec, *bo, surface->offset, layout, exec->args->width, exec->args->height,
                                cpp)
               ? 0
               : -EINVAL;
}

static int check_config(struct drm_vc4_exec *exec)
{
    const struct drm_vc4_submit_rcl_surface *surface = &exec->args->color_write;
    if (surface->flags)
        return refuse(exec, "color_write", "flags set");
    if (surface->bits & ~CONFIG_KNOWN_BITS)
        return refuse(exec, "color_write", "unknown bits");
    int r = find_bo(exec, surface, true, &exec->color_write);
    if (r || !exec->color_write)
        return r;
    uint32_t format = (uint32_t)util_bits(surface->bits, 2, 2),
             layout = (uint32_t)util_bits(surface->bits, 6, 2);
    if (format > 2)
        return refuse(exec, "color_write", "no such format");
    uint32_t cpp = format == 1 ? 4 : 2;
    return drm_vc4_surface_fits(exec, exec->color_write, surface->offset, layout, exec->args->width,
                                exec->args->height, cpp)
               ? 0
               : -EINVAL;
}

static int check_surfaces(struct drm_vc4_exec *exec)
{
    const struct drm_vc4_submit_cl *args = exec->args;
    int r = check_config(exec);
    if (!r)
        r = check_general(exec, &exec->color_read, "color_read", &args->color_read, false);
    if (!r)
        r = check_general(exec, &exec->zs_read, "zs_read", &args->zs_read, false);
    if (!r)
        r = check_general(exec, &exec->zs_write, "zs_write", &args->zs_write, true);
    if (!r)
        r = check_ms(exec, &exec->ms_color_write, "msaa_color_write", &args->msaa_color_write);
    if (!r)
        r = check_ms(exec, &exec->ms_zs_write, "msaa_zs_write", &args->msaa_zs_write);
    if (!r && !exec->color_write && !exec->zs_write && !exec->ms_color_write && !exec->ms_zs_write)
        r = refuse(exec, "submission", "nothing to store");
    return r;
}

int drm_vc4_build_rcl(struct drm_vc4_exec *exec)
{
    const struct drm_vc4_submit_cl *args = exec->args;
    if (args->min_x_tile > args->max_x_tile || args->min_y_tile > args->max_y_tile)
        return refuse(exec, "submission", "no tiles");
    if (args->bin_cl_size && (args->max_x_tile > exec->bin_tiles_x || args->max_y_tile > exec->bin_tiles_y))
        return refuse(exec, "submission", "tiles that were not binned");
    int r = check_surfaces(exec);
    uint32_t across = args->max_x_tile - args->min_x_tile + 1u,
             down = args->max_y_tile - args->min_y_tile + 1u;
    if (!r)
        r = drm_vc4_reserve(exec, &exec->room->rcl, MAX_HEAD + across * down * MAX_TILE);
    if (r)
        return r;
    exec->rcl = drm_bo_bytes(exec->room->rcl);
    exec->rcl_address = (uint32_t)exec->room->rcl->offset;
    bool fixed = args->flags & VC4_SUBMIT_CL_FIXED_RCL_ORDER;
    bool right = !fixed || args->flags & VC4_SUBMIT_CL_RCL_ORDER_INCREASING_X;
    bool downwards = !fixed || args->flags & VC4_SUBMIT_CL_RCL_ORDER_INCREASING_Y;
    put_head(exec);
    for (uint32_t yi = 0; yi < down; yi++) {
        for (uint32_t xi = 0; xi < across; xi++) {
            uint32_t x = right ? args->min_x_tile + xi : args->max_x_tile - xi;
            uint32_t y = downwards ? args->min_y_tile + yi : args->max_y_tile - yi;
            put_tile(exec, x, y, !xi && !yi, xi + 1 == across && yi + 1 == down);
        }
    }
    return 0;
}
