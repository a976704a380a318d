/* Copying the binning list, record by record, checked: only records that cannot harm pass, addresses come
 * from buffer handles, tile memory is the kernel's own. Guide table 38 gives the records; the whitelist and
 * the pseudo record 254 (buffer indices for the index buffer that follows) are the kernel's (vc4_validate.c).
 */
#include "drm/vc4/internal.h"

#include <errno.h>
#include <stdlib.h>

#include "gpu/vc4/cl.h"

enum { GEM_HANDLES = 254 };

struct copy {
    struct drm_vc4_exec *exec;
    const uint8_t *in; /* the record looked at */
    uint8_t *out;
    uint32_t at;        /* of the record in the list */
    uint32_t buffer[2]; /* as record 254 last said */
    uint32_t record_at; /* where the next shader record will stand, from records_at */
    bool has_config, has_start, has_semaphore, has_flush;
};

typedef int (*copy_fn)(struct copy *c);

static int refuse(const struct copy *c, const char *why)
{
    drm_vc4_debug(c->exec, "binning list, byte %u, record %u: %s", c->at, c->in[0], why);
    return -EINVAL;
}

static int on_flush(struct copy *c)
{
    if (c->at + 1 != c->exec->args->bin_cl_size)
        return refuse(c, "flush before the end of the list");
    c->has_flush = true;
    return 0;
}

static int on_start(struct copy *c)
{
    if (c->has_start)
        return refuse(c, "second start of tile binning");
    if (!c->has_config)
        return refuse(c, "tile binning starts without its configuration");
    c->has_start = true;
    return 0;
}

static int on_semaphore(struct copy *c)
{
    if (c->at + 2 != c->exec->args->bin_cl_size)
        return refuse(c, "semaphore increment not right before the final flush");
    c->has_semaphore = true;
    return 0;
}

static int note_index(struct copy *c, uint32_t max_index)
{
    struct drm_vc4_exec *exec = c->exec;
    if (!exec->state_count)
        return refuse(c, "primitives before any shader state");
    struct drm_vc4_state *state = &exec->states[exec->state_count - 1];
    state->max_index = UTIL_MAX(state->max_index, max_index);
    return 0;
}

static int on_indexed_primitives(struct copy *c)
{
    uint32_t index_size = c->in[1] >> 4 ? 2 : 1, count = util_load32(c->in + 2),
             offset = util_load32(c->in + 6), max_index = util_load32(c->in + 10);
    int r = note_index(c, max_index);
    if (r)
        return r;
    const struct drm_bo *bo = drm_vc4_use_bo(c->exec, c->buffer[0]);
    if (!bo)
        return -EINVAL;
    if (!util_in_range(offset, (uint64_t)count * index_size, bo->size))
        return refuse(c, "indices outside their buffer");
    util_store32(c->out + 6, (uint32_t)bo->offset + offset);
    return 0;
}

static int on_array_primitives(struct copy *c)
{
    uint32_t count = util_load32(c->in + 2), first = util_load32(c->in + 6);
    if ((uint64_t)count + first > UINT32_MAX)
        return refuse(c, "vertex numbers overflow");
    return note_index(c, count + first - 1);
}

static int on_shader_state(struct copy *c)
{
    struct drm_vc4_exec *exec = c->exec;
    uint32_t bits = util_load32(c->in + 1);
    if (exec->state_count >= exec->args->shader_rec_count)
        return refuse(c, "more shader states than declared");
    if (bits & ~0xfu)
        return refuse(c, "shader state with an address");
    exec->states[exec->state_count++] = (struct drm_vc4_state){bits, 0};
    util_store32(c->out + 1, (exec->out_address + exec->records_at + c->record_at) | bits);
    c->record_at += (uint32_t)util_align(drm_vc4_record_size(bits), 16);
    return 0;
}

/* Tile state, 48 bytes a tile, stands at the start of a slot; the lists' first blocks, 32 bytes a tile,
 * follow, and all blocks after them. */
static int on_binning_config(struct copy *c)
{
    enum {
        MS_4X = 1,
        TILE_64BIT = 2,
        AUTO_INIT = 4,
        INITIAL_BLOCK = 3 << 3,
        BLOCK = 3 << 5,
        BLOCK_128 = 2 << 5,
        DOUBLE_BUFFER = 1 << 7,
        STATE_BYTES = 48
    };
    struct drm_vc4_exec *exec = c->exec;
    if (c->has_config)
        return refuse(c, "second tile binning configuration");
    c->has_config = true;
    uint32_t flags = c->in[15];
    exec->bin_tiles_x = c->in[13];
    exec->bin_tiles_y = c->in[14];
    if (!exec->bin_tiles_x || !exec->bin_tiles_y)
        return refuse(c, "no tiles");
    if (flags & (TILE_64BIT | DOUBLE_BUFFER))
        return refuse(c, "64-bit or double-buffered tiles");
    uint32_t state_size = (uint32_t)util_align(STATE_BYTES * exec->bin_tiles_x * exec->bin_tiles_y, GPU_PAGE);
    if (state_size >= VC4_BIN_SLOT)
        return refuse(c, "too many tiles");
    int slot = drm_vc4_reserve_slot(exec->job.drm);
    if (slot < 0)
        return slot;
    exec->bin_slots |= 1u << slot;
    const struct drm_bo *pool = drm_vc4_of(exec->job.drm)->bin_pool;
    uint32_t offset = (uint32_t)slot * VC4_BIN_SLOT, address = (uint32_t)pool->offset + offset;
    memset(drm_bo_bytes(pool) + offset, 0, state_size);
    exec->tile_lists = address + state_size;
    util_store32(c->out + 1, exec->tile_lists);
    util_store32(c->out + 5, VC4_BIN_SLOT - state_size);
    util_store32(c->out + 9, address);
    c->out[15] = (uint8_t)((flags & MS_4X) | AUTO_INIT | BLOCK_128);
    return 0;
}

static int on_handles(struct copy *c)
{
    c->buffer[0] = util_load32(c->in + 1);
    c->buffer[1] = util_load32(c->in + 5);
    return 0;
}

static const struct {
    uint8_t size;
    copy_fn fn;
} records[256] = {
    [VC4_CL_HALT] = {1, NULL},
    [VC4_CL_NOP] = {1, NULL},
    [VC4_CL_FLUSH] = {1, on_flush},
    [VC4_CL_FLUSH_ALL] = {1, NULL},
    [VC4_CL_START_TILE_BINNING] = {1, on_start},
    [VC4_CL_INCREMENT_SEMAPHORE] = {1, on_semaphore},
    [VC4_CL_INDEXED_PRIMITIVES] = {14, on_indexed_primitives},
    [VC4_CL_ARRAY_PRIMITIVES] = {10, on_array_primitives},
    [VC4_CL_PRIMITIVE_LIST_FORMAT] = {2, NULL},
    [VC4_CL_GL_SHADER_STATE] = {5, on_shader_state},
    [VC4_CL_CONFIGURATION_BITS] = {4, NULL},
    [VC4_CL_FLAT_SHADE_FLAGS] = {5, NULL},
    [VC4_CL_POINT_SIZE] = {5, NULL},
    [VC4_CL_LINE_WIDTH] = {5, NULL},
    [VC4_CL_RHT_X_BOUNDARY] = {3, NULL},
    [VC4_CL_DEPTH_OFFSET] = {5, NULL},
    [VC4_CL_CLIP_WINDOW] = {9, NULL},
    [VC4_CL_VIEWPORT_OFFSET] = {5, NULL},
    [VC4_CL_CLIPPER_XY_SCALING] = {9, NULL},
    [VC4_CL_CLIPPER_Z_SCALING] = {9, NULL},
    [VC4_CL_TILE_BINNING_CONFIG] = {16, on_binning_config},
    [GEM_HANDLES] = {9, on_handles},
};

int drm_vc4_validate_list(struct drm_vc4_exec *exec)
{
    struct copy c = {.exec = exec};
    uint32_t size = exec->args->bin_cl_size, out = 0;
    while (c.at < size) {
        c.in = exec->list + c.at;
        c.out = exec->out + out;
        uint8_t id = c.in[0];
        uint32_t length = records[id].size;
        if (!length)
            return refuse(&c, "record not allowed");
        if (length > size - c.at)
            return refuse(&c, "cut off by the end of the list");
        if (id != GEM_HANDLES) { /* which the device does not know */
            memcpy(c.out, c.in, length);
            out += length;
        }
        int r = records[id].fn ? records[id].fn(&c) : 0;
        if (r)
            return r == -ENOMEM ? r : -EINVAL;
        c.at += length;
        if (id == VC4_CL_HALT)
            break;
    }
    exec->list_end = out;
    if (!c.has_start || !c.has_semaphore || !c.has_flush) {
        drm_vc4_debug(exec, "binning list without %s",
                      !c.has_start       ? "start of tile binning"
                      : !c.has_semaphore ? "semaphore increment"
                                         : "flush");
        return -EINVAL;
    }
    return 0;
}
