/* The command list of the tile list builder. */
#include "gpu/utgard/plbu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/utgard/plbu_internal.h"
#include "util/bits.h"
#include "util/fpenv.h"

int utgard_plbu_create(struct utgard_plbu **out)
{
    struct utgard_plbu *p = calloc(1, sizeof *p);
    if (p)
        p->bins.bin = calloc(PLBU_MAX_BLOCKS, sizeof *p->bins.bin);
    if (!p || !p->bins.bin) {
        free(p);
        return -ENOMEM;
    }
    p->bins.ports = &utgard_plbu_ports;
    p->bins.ctx = p;
    *out = p;
    return 0;
}

void utgard_plbu_destroy(struct utgard_plbu *plbu)
{
    if (plbu) {
        free(plbu->bins.bin);
        free(plbu->bins.room);
    }
    free(plbu);
}

void utgard_plbu_begin(struct utgard_plbu *p, uint32_t start, uint32_t end)
{
    p->at = start;
    p->end = end;
    p->reg = (struct utgard_plbu_registers){.far = 1,
                                            .size = 1,
                                            .right = PLBU_MAX_TILES * PLBU_TILE,
                                            .top = PLBU_MAX_TILES * PLBU_TILE,
                                            .setup = {[UTGARD_SETUP_BLOCK_SIZE] = 2},
                                            .scissor = {[UTGARD_SCISSOR_X1] = PLBU_MAX_TILES * PLBU_TILE,
                                                        [UTGARD_SCISSOR_Y1] = PLBU_MAX_TILES * PLBU_TILE}};
    p->walk = util_walk_begin(UTGARD_WALK_MOST);
    p->block_count = p->draws = p->result_at = 0;
    p->draw.active = false;
}

void utgard_plbu_heap(struct utgard_plbu *p, uint32_t start, uint32_t end)
{
    p->heap_at = (start + 7) & ~7u;
    p->heap_end = end;
}

uint32_t utgard_plbu_at(const struct utgard_plbu *plbu)
{
    return plbu->at;
}

bool utgard_plbu_pay(struct utgard_plbu *p, uint64_t cost)
{
    if (p->budget->packets >= cost && !gpu_host_cancelled(p->host)) {
        p->budget->packets -= cost;
        return true;
    }
    gpu_fault_set(&p->stop->fault, GPU_FAULT_TIMEOUT, PLBU_UNIT, p->at, "the job's packet budget is used up");
    p->stop->fault.draw = p->draws;
    return false;
}

/* ---- commands ---- */

static void set_float(float *to, uint32_t bits)
{
    *to = util_u2f(bits);
}

static enum utgard_plbu_end execute(struct utgard_plbu *p, const struct utgard_cl_command *c)
{
    struct utgard_plbu_registers *r = &p->reg;
    const uint32_t *f = c->field;
    switch (c->id) {
    case UTGARD_PLBU_DRAW_ARRAYS:
    case UTGARD_PLBU_DRAW_ELEMENTS: return utgard_plbu_draw_begin(p, c);
    case UTGARD_PLBU_POSITIONS: r->positions = f[0]; break;
    case UTGARD_PLBU_INDICES: r->indices = f[0]; break;
    case UTGARD_PLBU_POINT_SIZES: r->point_sizes = f[0]; break;
    case UTGARD_PLBU_VIEWPORT_BOTTOM: set_float(&r->bottom, f[0]); break;
    case UTGARD_PLBU_VIEWPORT_TOP: set_float(&r->top, f[0]); break;
    case UTGARD_PLBU_VIEWPORT_LEFT: set_float(&r->left, f[0]); break;
    case UTGARD_PLBU_VIEWPORT_RIGHT: set_float(&r->right, f[0]); break;
    case UTGARD_PLBU_SIZE: set_float(&r->size, f[0]); break;
    case UTGARD_PLBU_DEPTH_NEAR: set_float(&r->near, f[0]); break;
    case UTGARD_PLBU_DEPTH_FAR: set_float(&r->far, f[0]); break;
    case UTGARD_PLBU_TILES:
        r->tiles_x = f[UTGARD_TILES_WIDTH];
        r->tiles_y = f[UTGARD_TILES_HEIGHT];
        break;
    case UTGARD_PLBU_SETUP: memcpy(r->setup, f, sizeof r->setup); break;
    case UTGARD_PLBU_BLOCK_STEP:
        r->shift_x = f[UTGARD_STEP_X];
        r->shift_y = f[UTGARD_STEP_Y];
        break;
    case UTGARD_PLBU_STRIDE: r->stride = f[0] ? f[0] : PLBU_MAX_TILES; break;
    case UTGARD_PLBU_BLOCKS: return utgard_plbu_bins_begin(p, f[UTGARD_BLOCKS_AT], f[UTGARD_BLOCKS_COUNT]);
    case UTGARD_PLBU_SCISSOR: memcpy(r->scissor, f, sizeof r->scissor); break;
    case UTGARD_PLBU_STATE:
        r->rsw = f[UTGARD_STATE_AT];
        r->array_positions = f[UTGARD_STATE_POSITIONS];
        break;
    default: break; /* semaphores order this list behind the VS's, which has ended; register A: unknown */
    }
    return UTGARD_PLBU_DONE;
}

/* One command; *ended when it was the last. */
static enum utgard_plbu_end step(struct utgard_plbu *p, bool *ended)
{
    struct utgard_cl_command c;
    if (!utgard_plbu_pay(p, 1) || !utgard_walk_on(&p->walk, PLBU_UNIT, p->at, &p->stop->fault))
        return UTGARD_PLBU_FAULT;
    const uint8_t *at =
        utgard_at(p->space, p->at, UTGARD_CL_BYTES, GPU_RIGHT_READ, PLBU_UNIT, "command", p->stop);
    if (!at)
        return UTGARD_PLBU_FAULT;
    uint64_t word = util_load64(at);
    if (!utgard_cl_decode(UTGARD_PLBU, word, &c)) {
        gpu_fault_set(&p->stop->fault, GPU_FAULT_PACKET, PLBU_UNIT, p->at,
                      "command 0x%08x with value 0x%08x is not known", (uint32_t)(word >> 32),
                      (uint32_t)word);
        return UTGARD_PLBU_FAULT;
    }
    *ended = c.id == UTGARD_PLBU_END;
    enum utgard_plbu_end end = execute(p, &c);
    if (end != UTGARD_PLBU_DONE)
        return end;
    if (c.id != UTGARD_PLBU_JUMP)
        p->at += UTGARD_CL_BYTES;
    else if (!utgard_walk_jump(&p->walk, PLBU_UNIT, &p->at, c.field[0], &p->stop->fault))
        return UTGARD_PLBU_FAULT;
    return UTGARD_PLBU_DONE;
}

static enum utgard_plbu_end run(struct utgard_plbu *p)
{
    bool ended = false;
    if (!p->space)
        return UTGARD_PLBU_FAULT;
    for (;;) {
        enum utgard_plbu_end end = UTGARD_PLBU_DONE;
        if (p->draw.active)
            end = utgard_plbu_draw_go_on(p);
        if (end != UTGARD_PLBU_DONE)
            return end;
        if (ended || p->at == p->end)
            return utgard_plbu_bins_end(p);
        end = step(p, &ended);
        if (end != UTGARD_PLBU_DONE)
            return end;
    }
}

enum utgard_plbu_end utgard_plbu_run(struct utgard_plbu *p, const struct gpu_space *space,
                                     const struct utgard_vs_results *results, struct util_pool *pool,
                                     struct utgard_budget *budget, struct gpu_host *host,
                                     const struct gpu_observer *observer, struct utgard_stop *stop)
{
    p->space = space;
    p->observer = observer;
    p->results = results;
    p->bins.pool = pool;
    p->bins.base = space ? space->window.base : NULL;
    tiler_bins_resume(&p->bins, p->block_count);
    util_walk_forget(&p->walk);
    p->budget = budget;
    p->host = host;
    p->counters = &host->counters;
    p->stop = stop;
    unsigned saved = util_fpenv_enter();
    enum utgard_plbu_end end = run(p);
    util_fpenv_leave(saved);
    if (end == UTGARD_PLBU_FAULT || end == UTGARD_PLBU_POINTER_ARRAY)
        stop->fault.draw = p->draw.active ? p->draws : 0;
    return end;
}
