/* The GP (geometry processor): its registers, the VS command list, and the order of a job's two lists. The VS
 * list runs first, whole; the PLBU list then reads what it left (semaphores in the lists order single draws,
 * and nothing else is shared). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/utgard/cl.h"
#include "gpu/utgard/plbu.h"
#include "gpu/utgard/walk.h"
#include "jit/engine.h"
#include "util/bits.h"

#define VERSION_MALI400 0x0b070101u
#define VERSION_MALI450 0x0d070000u

#define UNIT "vs"

/* How far a list has come; both lists show as active as long as they are not done. */
enum progress { IDLE, RUNS, WAITS /* for heap */, HANGS /* until a reset */ };

struct utgard_gp {
    struct utgard_plbu *plbu;
    enum progress vs, builder;
    uint32_t at, end; /* of the VS list */
    struct utgard_vs_state state;
    struct utgard_vs_result *result; /* of the job's VS draws */
    uint32_t result_count, result_room;
    uint32_t draws;
    bool fresh;           /* it was started, and nothing has run */
    uint32_t shown_at[2]; /* of both lists, when they were last left (gpu/turns.h) */
    struct utgard_budget budget;
    struct util_walk walk; /* through the VS list */
};

int utgard_gp_create(struct utgard_device *device)
{
    struct utgard_gp *gp = device->gp = calloc(1, sizeof *gp);
    if (!gp)
        return -ENOMEM;
    return utgard_plbu_create(&gp->plbu);
}

void utgard_gp_destroy(struct utgard_device *device)
{
    struct utgard_gp *gp = device->gp;
    if (!gp)
        return;
    utgard_plbu_destroy(gp->plbu);
    free(gp->result);
    free(gp);
}

/* ---- the VS list ---- */

/* Remembers where a draw's results stand. */
static bool keep_result(struct utgard_gp *gp, const struct utgard_vs_result *result)
{
    if (gp->result_count == gp->result_room) {
        uint32_t room = gp->result_room ? 2 * gp->result_room : 64;
        struct utgard_vs_result *more = realloc(gp->result, room * sizeof *more);
        if (!more)
            return false;
        gp->result = more;
        gp->result_room = room;
    }
    gp->result[gp->result_count++] = *result;
    return true;
}

static bool draw(struct utgard_device *device, const struct gpu_space *space, uint32_t vertices,
                 struct utgard_stop *stop)
{
    struct utgard_gp *gp = device->gp;
    struct utgard_vs_result result;
    if (!vertices)
        return true;
    gp->draws++;
    int status =
        utgard_vertex_draw(device, space, &gp->state, gp->draws, vertices, &gp->budget.fuel, &result, stop);
    if (!status && !keep_result(gp, &result)) {
        gpu_fault_set(&stop->fault, GPU_FAULT_LIST, UNIT, gp->at, "no host memory for one draw more");
        status = -EFAULT;
    }
    stop->fault.draw = gp->draws;
    return !status;
}

void utgard_vs_set(struct utgard_vs_state *s, const struct utgard_cl_command *c)
{
    const uint32_t *f = c->field;
    switch (c->id) {
    case UTGARD_VS_SHADER_INFO: s->instructions = f[UTGARD_INFO_INSTRUCTIONS]; break;
    case UTGARD_VS_SHADER: s->program = f[UTGARD_TABLE_AT]; break;
    case UTGARD_VS_COUNTS:
        s->varying_count = f[UTGARD_COUNTS_VARYINGS];
        s->attribute_count = f[UTGARD_COUNTS_ATTRIBUTES];
        break;
    case UTGARD_VS_ATTRIBUTES: s->attributes = f[UTGARD_TABLE_AT]; break;
    case UTGARD_VS_VARYINGS: s->varyings = f[UTGARD_TABLE_AT]; break;
    case UTGARD_VS_UNIFORMS:
        s->uniforms = f[UTGARD_TABLE_AT];
        s->uniform_bytes = f[UTGARD_TABLE_SIZE];
        break;
    default: break; /* semaphores, flushes and the mode order what is in order here */
    }
}

static bool execute(struct utgard_device *device, const struct gpu_space *space,
                    const struct utgard_cl_command *c, struct utgard_stop *stop)
{
    if (c->id == UTGARD_VS_DRAW)
        return draw(device, space, c->field[UTGARD_DRAW_VERTICES], stop);
    utgard_vs_set(&device->gp->state, c);
    return true;
}

static bool step(struct utgard_device *device, const struct gpu_space *space, struct utgard_stop *stop)
{
    struct utgard_gp *gp = device->gp;
    struct utgard_cl_command c;
    if (!gp->budget.packets || gpu_host_cancelled(&device->host))
        return gpu_fault_set(&stop->fault, GPU_FAULT_TIMEOUT, UNIT, gp->at,
                             "the job's packet budget is used up");
    gp->budget.packets--;
    if (!utgard_walk_on(&gp->walk, UNIT, gp->at, &stop->fault))
        return false;
    const uint8_t *at = utgard_at(space, gp->at, UTGARD_CL_BYTES, GPU_RIGHT_READ, UNIT, "command", stop);
    if (!at)
        return false;
    uint64_t word = util_load64(at);
    if (!utgard_cl_decode(UTGARD_VS, word, &c))
        return gpu_fault_set(&stop->fault, GPU_FAULT_PACKET, UNIT, gp->at,
                             "command 0x%08x with value 0x%08x is not known", (uint32_t)(word >> 32),
                             (uint32_t)word);
    if (!execute(device, space, &c, stop))
        return false;
    if (c.id == UTGARD_VS_JUMP)
        return utgard_walk_jump(&gp->walk, UNIT, &gp->at, c.field[0], &stop->fault);
    gp->at += UTGARD_CL_BYTES;
    return true;
}

/* ---- work ---- */

/* A job that went wrong: told, and to the host as what it would be on the silicon. After a page fault the
 * processor stands still until it is reset. */
static void fail(struct utgard_device *device, const struct utgard_stop *stop, uint32_t interrupt)
{
    struct utgard_gp *gp = device->gp;
    gpu_host_fault(&device->host, &stop->fault);
    if (stop->page_fault) {
        gp->vs = gp->vs == IDLE ? IDLE : HANGS;
        gp->builder = gp->builder == IDLE ? IDLE : HANGS;
        utgard_mmu_fault(device, 0, stop->address, stop->write);
        return;
    }
    gp->vs = gp->builder = IDLE;
    utgard_gp_raise(device, interrupt);
}

static void leave(struct utgard_device *device)
{
    device->gp->shown_at[0] = device->gp->at;
    device->gp->shown_at[1] = utgard_plbu_at(device->gp->plbu);
    gpu_turns_leave(&device->host, UTGARD_UNIT_GP);
}

static void run_vs(struct utgard_device *device)
{
    struct utgard_gp *gp = device->gp;
    struct utgard_stop stop = {0};
    const struct gpu_space *space = utgard_mmu_space(device, 0, &stop.fault);
    leave(device);
    while (space && gp->at != gp->end)
        if (!step(device, space, &stop))
            break;
    gpu_turns_enter(&device->host, UTGARD_UNIT_GP);
    if (!space || gp->at != gp->end) {
        fail(device, &stop, UTGARD_GP_INT_VS_COMMAND);
        return;
    }
    gp->vs = IDLE;
    utgard_gp_raise(device, UTGARD_GP_INT_VS_END);
}

static void run_plbu(struct utgard_device *device)
{
    struct utgard_gp *gp = device->gp;
    struct utgard_stop stop = {0};
    const struct utgard_vs_results results = {gp->result, gp->result_count};
    const struct gpu_space *space = utgard_mmu_space(device, 0, &stop.fault);
    leave(device);
    const enum utgard_plbu_end how =
        utgard_plbu_run(gp->plbu, space, &results, device->options.pool, &gp->budget, &device->host,
                        device->options.observer, &stop);
    gpu_turns_enter(&device->host, UTGARD_UNIT_GP);
    switch (how) {
    case UTGARD_PLBU_DONE:
        gp->builder = IDLE;
        utgard_gp_raise(device, UTGARD_GP_INT_PLBU_END);
        break;
    case UTGARD_PLBU_OUT_OF_MEMORY:
        gp->builder = WAITS;
        utgard_gp_raise(device, UTGARD_GP_INT_OUT_OF_MEMORY);
        break;
    case UTGARD_PLBU_POINTER_ARRAY: fail(device, &stop, UTGARD_GP_INT_POINTER_ARRAY); break;
    default: fail(device, &stop, UTGARD_GP_INT_PLBU_COMMAND); break;
    }
}

bool utgard_gp_can_run(const struct utgard_device *device)
{
    const struct utgard_gp *gp = device->gp;
    return gp->vs == RUNS || (gp->builder == RUNS && gp->vs == IDLE);
}

void utgard_gp_transfer(struct utgard_device *device, struct gpu_state *state)
{
    struct utgard_gp *gp = device->gp;
    uint32_t at = utgard_plbu_at(gp->plbu);
    gpu_state_u32(state, &gp->at, UINT32_MAX);
    gpu_state_u32(state, &at, UINT32_MAX);
    if (state->loads)
        utgard_plbu_begin(gp->plbu, at, at);
}

bool utgard_gp_is_idle(const struct utgard_device *device)
{
    return device->gp->vs == IDLE && device->gp->builder == IDLE;
}

bool utgard_gp_waits(const struct utgard_device *device)
{
    return device->gp->builder == WAITS;
}

/* Between jobs what a guest has piled up can go, and what earlier jobs have run much is made better. */
static void tidy(struct utgard_device *device)
{
    if (!device->gp->fresh)
        return;
    device->gp->fresh = false;
    leave(device);
    utgard_forget_programs(device);
    if (device->options.engine)
        jit_engine_optimise(device->options.engine);
    gpu_turns_enter(&device->host, UTGARD_UNIT_GP);
}

bool utgard_gp_work(struct utgard_device *device)
{
    const struct utgard_gp *gp = device->gp;
    if (utgard_gp_can_run(device))
        tidy(device);
    if (gp->vs == RUNS)
        run_vs(device);
    else if (gp->builder == RUNS && gp->vs == IDLE)
        run_plbu(device);
    else
        return false;
    return true;
}

/* ---- registers ---- */

static void start(struct utgard_device *device, uint32_t command)
{
    struct utgard_gp *gp = device->gp;
    const uint32_t *frame = device->store[UTGARD_IP_GP];
    if (gp->vs != IDLE || gp->builder != IDLE)
        return; /* the driver starts nothing before the last job has ended or been reset */
    device->host.job++;
    device->host.counters.jobs++;
    gp->fresh = true;
    gp->budget = (struct utgard_budget){device->options.packet_budget, device->options.job_fuel};
    gp->walk = util_walk_begin(UTGARD_WALK_MOST);
    gp->result_count = gp->draws = 0;
    gp->state = (struct utgard_vs_state){0};
    if (command & UTGARD_GP_CMD_START_VS) {
        gp->at = frame[UTGARD_GP_VS_START];
        gp->end = frame[UTGARD_GP_VS_END];
        gp->vs = RUNS;
    }
    if (command & UTGARD_GP_CMD_START_PLBU) {
        utgard_plbu_begin(gp->plbu, frame[UTGARD_GP_PLBU_START], frame[UTGARD_GP_PLBU_END]);
        gp->builder = RUNS;
    }
}

static void reset(struct utgard_device *device)
{
    memset(device->store[UTGARD_IP_GP], 0, sizeof device->store[UTGARD_IP_GP]);
    device->gp_unit = (struct utgard_unit){0};
    utgard_perf_reset(device, 0);
    device->gp->vs = device->gp->builder = IDLE;
}

/* The heap's registers count from now on; a list that waits for heap goes on. New pages need no zap: the MMU
 * does not remember that there was none. */
static void update_heap(struct utgard_device *device)
{
    struct utgard_gp *gp = device->gp;
    const uint32_t *frame = device->store[UTGARD_IP_GP];
    utgard_mmu_zap(device, 0);
    utgard_plbu_heap(gp->plbu, frame[UTGARD_GP_HEAP_START], frame[UTGARD_GP_HEAP_END]);
    if (gp->builder == WAITS)
        gp->builder = RUNS;
}

static void command(struct utgard_device *device, uint32_t value)
{
    if (value & UTGARD_GP_CMD_RESETS) {
        reset(device);
        utgard_gp_raise(device, UTGARD_GP_INT_RESET_COMPLETED);
        return;
    }
    if (value & UTGARD_BIT(GP, CMD, STOP_BUS)) {
        device->gp_unit.bus_stopped = true;
        utgard_gp_raise(device, UTGARD_GP_INT_BUS_STOPPED);
    }
    if (value & UTGARD_BIT(GP, CMD, FORCE_HANG))
        utgard_gp_raise(device, UTGARD_GP_INT_FORCE_HANG);
    if (value & UTGARD_BIT(GP, CMD, UPDATE_PLBU_ALLOC))
        update_heap(device);
    if (value & (UTGARD_GP_CMD_START_VS | UTGARD_GP_CMD_START_PLBU))
        start(device, value);
}

uint32_t utgard_gp_read(const struct utgard_device *device, uint32_t offset)
{
    const struct utgard_unit *unit = &device->gp_unit;
    const struct utgard_gp *gp = device->gp;
    const bool works = device->host.working >> UTGARD_UNIT_GP & 1;
    const uint32_t posted = utgard_posted(device, UTGARD_IP_GP, UTGARD_GP_CMD);
    switch (offset) {
    case UTGARD_GP_INT_RAWSTAT:
    case UTGARD_GP_INT_MASK:
    case UTGARD_GP_INT_STAT: return gpu_irq_read(&unit->irq, offset - UTGARD_GP_INT_RAWSTAT);
    case UTGARD_GP_STATUS:
        return (gp->vs != IDLE || posted & UTGARD_GP_CMD_START_VS ? UTGARD_BIT(GP, STATUS, VS_ACTIVE) : 0) |
               (gp->builder != IDLE || posted & UTGARD_GP_CMD_START_PLBU ? UTGARD_BIT(GP, STATUS, PLBU_ACTIVE)
                                                                         : 0) |
               (unit->bus_stopped ? UTGARD_BIT(GP, STATUS, BUS_STOPPED) : 0);
    case UTGARD_GP_VERSION: return device->kind == UTGARD_MALI450 ? VERSION_MALI450 : VERSION_MALI400;
    case UTGARD_GP_VSCL_START_ADDR_READ: return works ? gp->shown_at[0] : gp->at;
    case UTGARD_GP_PLBCL_START_ADDR_READ: return works ? gp->shown_at[1] : utgard_plbu_at(gp->plbu);
    default: return utgard_perf_read(device, 0, offset);
    }
}

void utgard_gp_write(struct utgard_device *device, uint32_t offset, uint32_t value)
{
    if (offset == UTGARD_GP_CMD)
        command(device, value);
    else
        utgard_gp_raise(device, gpu_irq_write(&device->gp_unit.irq, offset - UTGARD_GP_INT_RAWSTAT, value,
                                              UTGARD_GP_INT_ALL));
}
