/* The device as its host sees it: the window of registers, interrupt lines, faults.
 *
 * Work is synchronous, but not called from the registers: a write marks a processor as started, and the
 * outermost utgard_write runs what can run until nothing can. So a driver may start the next job from inside
 * its interrupt handler without nesting. */
#include "gpu/utgard/device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/options.h"
#include "gpu/utgard/device_internal.h"
#include "gpu/utgard/frag.h"
#include "gpu/utgard/vertex.h"
#include "gpu/utgard/inspect.h"
#include "util/bits.h"

enum {
    POWER_UP = 0,
    POWER_DOWN = 4,
    POWER_STATUS = 8,
    POWER_MASK = 0xc,
    POWER_RAW = 0x10,
    POWER_CLEAR = 0x18
};

/* ---- interrupt lines ---- */

/* PPs whose interrupts come through the broadcast unit's line. */
static uint32_t gathered(const struct utgard_device *device)
{
    return device->kind == UTGARD_MALI450 ? device->store[UTGARD_IP_BCAST][1] : 0;
}

uint32_t utgard_device_lines(const struct utgard_device *device)
{
    uint32_t lines = (uint32_t)gpu_irq_is_high(&device->gp_unit.irq) << UTGARD_IP_GP;
    lines |= (uint32_t)gpu_irq_is_high(&device->mmu[0].irq) << UTGARD_IP_GPMMU;
    lines |= (uint32_t)((device->power_raw & device->power_mask) != 0) << UTGARD_IP_PMU;
    for (unsigned n = 0; n < UTGARD_MAX_PP; n++) { /* those that are not there stay silent */
        unsigned line = gathered(device) >> n & 1 ? UTGARD_IP_PP_BCAST : UTGARD_IP_PP0 + n;
        lines |= (uint32_t)gpu_irq_is_high(&device->pp_unit[n].irq) << line;
        lines |= (uint32_t)gpu_irq_is_high(&device->mmu[1 + n].irq) << (UTGARD_IP_PPMMU0 + n);
    }
    return lines;
}

void utgard_signal(struct utgard_device *device, enum utgard_ip ip)
{
    uint32_t lines = utgard_device_lines(device);
    if (lines >> ip & 1)
        gpu_host_call(&device->host, lines);
}

void utgard_gp_raise(struct utgard_device *device, uint32_t bits)
{
    if (gpu_irq_raise(&device->gp_unit.irq, bits))
        utgard_signal(device, UTGARD_IP_GP);
}

void utgard_pp_raise(struct utgard_device *device, unsigned pp, uint32_t bits)
{
    if (gpu_irq_raise(&device->pp_unit[pp].irq, bits))
        utgard_signal(device,
                      gathered(device) >> pp & 1 ? UTGARD_IP_PP_BCAST : (enum utgard_ip)(UTGARD_IP_PP0 + pp));
}

/* ---- power: what is switched off keeps its state here; the driver's order of events is what counts ---- */

static uint32_t power_read(const struct utgard_device *device, uint32_t offset)
{
    switch (offset) {
    case POWER_STATUS: return device->power_off;
    case POWER_MASK: return device->power_mask;
    case POWER_RAW: return device->power_raw;
    default: return 0;
    }
}

static void power_write(struct utgard_device *device, uint32_t offset, uint32_t value)
{
    switch (offset) {
    case POWER_UP: device->power_off &= ~value; break;
    case POWER_DOWN: device->power_off |= value; break;
    case POWER_MASK: device->power_mask = value & 1; return;
    case POWER_CLEAR: device->power_raw &= ~value; return;
    default: return;
    }
    device->power_raw |= 1; /* the command is done */
    utgard_signal(device, UTGARD_IP_PMU);
}

/* ---- registers ---- */

/* The first unit that takes part in a broadcast, whose registers are read for all. */
static unsigned first_of(uint32_t mask)
{
    return mask ? (unsigned)__builtin_ctz(mask) : 0;
}

uint32_t utgard_broadcast_to(const struct utgard_device *device, bool mmus)
{
    uint32_t mask = device->store[UTGARD_IP_BCAST][0];
    return (mmus ? mask >> 16 : mask & 0xffff) & ((1u << device->pp_count) - 1);
}

static uint32_t read_ip(struct utgard_device *device, unsigned ip, uint32_t offset)
{
    enum utgard_block block = utgard_ip_block(ip);
    if (block == UTGARD_BLOCK_PP_ALL)
        return read_ip(device, UTGARD_IP_PP0 + first_of(utgard_broadcast_to(device, false)), offset);
    if (block == UTGARD_BLOCK_MMU_ALL)
        return utgard_mmu_read(device, 1 + first_of(utgard_broadcast_to(device, true)), offset);
    const struct gpu_register *reg = gpu_register_find(&utgard_registers, block, offset);
    if (!reg || reg->access == GPU_ACCESS_WO)
        return 0;
    if (reg->access != GPU_ACCESS_LIVE)
        return reg->access == GPU_ACCESS_RO ? reg->reset : device->store[ip][offset / 4];
    switch (block) {
    case UTGARD_BLOCK_GP: return utgard_gp_read(device, offset);
    case UTGARD_BLOCK_PP: return utgard_pp_read(device, ip - UTGARD_IP_PP0, offset);
    case UTGARD_BLOCK_MMU: return utgard_mmu_read(device, ip - UTGARD_IP_GPMMU, offset);
    default: return power_read(device, offset);
    }
}

static void write_ip(struct utgard_device *device, unsigned ip, uint32_t offset, uint32_t value)
{
    enum utgard_block block = utgard_ip_block(ip);
    bool all_mmus = block == UTGARD_BLOCK_MMU_ALL;
    if (all_mmus || block == UTGARD_BLOCK_PP_ALL) {
        for (uint32_t left = utgard_broadcast_to(device, all_mmus); left; left &= left - 1)
            write_ip(device, (all_mmus ? UTGARD_IP_PPMMU0 : UTGARD_IP_PP0) + first_of(left), offset, value);
        return;
    }
    const struct gpu_register *reg = gpu_register_find(&utgard_registers, block, offset);
    if (!reg)
        gpu_host_unknown_write(&device->host, utgard_device_offset(device, (enum utgard_ip)ip) + offset,
                               value);
    else if (reg->access == GPU_ACCESS_RW) {
        device->store[ip][offset / 4] = value & gpu_register_mask(&utgard_registers, reg);
        utgard_perf_written(device, ip, offset);
    } else if (reg->access == GPU_ACCESS_LIVE && block == UTGARD_BLOCK_GP)
        utgard_gp_write(device, offset, value);
    else if (reg->access == GPU_ACCESS_LIVE && block == UTGARD_BLOCK_PP)
        utgard_pp_write(device, ip - UTGARD_IP_PP0, offset, value);
    else if (reg->access == GPU_ACCESS_LIVE && block == UTGARD_BLOCK_MMU)
        utgard_mmu_write(device, ip - UTGARD_IP_GPMMU, offset, value);
    else if (reg->access == GPU_ACCESS_LIVE)
        power_write(device, offset, value);
}

/* ---- reading and writing ---- */

static void work(struct utgard_device *device)
{
    if (!gpu_turns_may_work(&device->host))
        return;
    device->scheduling = true;
    while (gpu_turns_goes_on(&device->host)) {
        if (utgard_gp_can_run(device)) /* it may change address spaces */
            (void)utgard_pp_finish(device);
        if (!utgard_gp_work(device) && !utgard_pp_work(device))
            break;
        utgard_perf_limits(device);
    }
    device->scheduling = false;
}

void utgard_device_flush(struct utgard_device *device)
{
    if (device->scheduling || !gpu_turns_may_work(&device->host))
        return;
    device->scheduling = true;
    bool finished = utgard_pp_finish(device);
    utgard_perf_limits(device);
    device->scheduling = false;
    if (finished)
        work(device);
}

uint32_t utgard_read(struct utgard_device *device, uint32_t offset)
{
    unsigned ip = utgard_ip_at(device, &offset);
    utgard_device_flush(device);
    return ip < UTGARD_IP_COUNT ? read_ip(device, ip, offset) : 0;
}

void utgard_write(struct utgard_device *device, uint32_t offset, uint32_t value)
{
    uint32_t own = offset;
    unsigned ip = utgard_ip_at(device, &own);
    if (!utgard_pp_may_join(device, ip))
        utgard_device_flush(device);
    if (ip < UTGARD_IP_COUNT)
        write_ip(device, ip, own, value);
    else
        gpu_host_unknown_write(&device->host, offset, value);
    if (!device->scheduling)
        work(device);
}

/* ---- turns ---- */

enum gpu_due utgard_due(const void *self)
{
    const struct utgard_device *device = self;
    if (utgard_gp_can_run(device) || utgard_pp_is_started(device))
        return GPU_DUE_NOW;
    return utgard_pp_members(device) ? GPU_DUE_LATER : GPU_DUE_NOTHING;
}

uint32_t utgard_posted(const struct utgard_device *device, enum utgard_ip ip, uint32_t offset)
{
    const uint32_t block = utgard_device_offset(device, ip);
    uint32_t value;
    return block != UTGARD_ABSENT && gpu_turns_find(&device->host, block + offset, &value) ? value : 0;
}

/* A processor works with what its registers had when it began; resets, and what the GP is told of its heap, are for
 * when it stands. */
enum gpu_when utgard_when(const void *self, uint32_t offset, uint32_t value)
{
    const struct utgard_device *device = self;
    const struct gpu_host *host = &device->host;
    const unsigned ip = utgard_ip_at(device, &offset);
    if (ip >= UTGARD_IP_COUNT)
        return GPU_WRITE_NOW;
    const enum utgard_block block = utgard_ip_block(ip);
    if (block == UTGARD_BLOCK_GP && offset == UTGARD_GP_CMD) {
        if (!(host->working >> UTGARD_UNIT_GP & 1) && !host->posted_count)
            return GPU_WRITE_NOW;
        return value & UTGARD_GP_CMD_RESETS ? GPU_WRITE_CANCELS : GPU_WRITE_IDLE;
    }
    if ((block != UTGARD_BLOCK_PP && block != UTGARD_BLOCK_PP_ALL) || offset != UTGARD_PP_CTRL)
        return GPU_WRITE_NOW;
    const uint32_t pps =
        block == UTGARD_BLOCK_PP ? 1u << (ip - UTGARD_IP_PP0) : utgard_broadcast_to(device, false);
    if (!(pps & utgard_pp_members(device)))
        return host->posted_count ? GPU_WRITE_IDLE : GPU_WRITE_NOW;
    return host->working >> UTGARD_UNIT_PP & 1 && value & UTGARD_PP_CTRL_RESETS ? GPU_WRITE_CANCELS
                                                                                : GPU_WRITE_POSTED;
}

/* A frame that waits for processors keeps its address space as long as nothing else is done. */
void utgard_work(void *self, bool all)
{
    struct utgard_device *device = self;
    struct gpu_posted posted;
    for (;;) {
        if (gpu_turns_next(&device->host, &posted))
            utgard_write(device, posted.offset, posted.value);
        else if (device->host.stopped)
            break;
        else if (utgard_gp_can_run(device) || utgard_pp_is_started(device))
            work(device);
        else if (all && utgard_pp_members(device))
            utgard_device_flush(device);
        else
            break;
    }
}

/* ---- life ---- */

static unsigned most_pps(enum utgard_kind kind)
{
    return kind == UTGARD_MALI450 ? UTGARD_MAX_PP : 4;
}

static bool options_are_good(const struct utgard_options *o)
{
    return o->name && (o->kind == UTGARD_MALI400 || o->kind == UTGARD_MALI450) &&
           o->pp_count <= most_pps(o->kind);
}

int utgard_device_create(struct gpu_memory *memory, const struct utgard_options *options,
                         struct utgard_device **out)
{
    if (!memory || !memory->base || !options || !options_are_good(options))
        return -EINVAL;
    struct utgard_device *device = calloc(1, sizeof *device);
    if (!device)
        return -ENOMEM;
    gpu_tables_init(&device->tables, memory, &utgard_tables_kind);
    device->kind = options->kind;
    device->pp_count = options->pp_count ? options->pp_count : most_pps(options->kind);
    device->options = gpu_options_resolve(&options->gpu, ISA_EXACT);
    for (unsigned ip = 0; ip < UTGARD_IP_COUNT; ip++)
        gpu_registers_reset(&utgard_registers, utgard_ip_block(ip), device->store[ip]);
    gpu_host_open(&device->host, options->name);
    if (device->options.engine)
        jit_engine_join(device->options.engine);
    int error = memory->fd < 0 ? -EINVAL : gpu_programs_create(&utgard_gp_kind, &device->vertex_programs);
    if (!error)
        error = gpu_programs_create(&utgard_pp_kind, &device->fragment_programs);
    if (!error)
        error = utgard_gp_create(device);
    if (!error)
        error = utgard_pp_create(device);
    if (error) {
        utgard_device_destroy(device);
        return error;
    }
    *out = device;
    return 0;
}

void utgard_device_destroy(struct utgard_device *device)
{
    if (!device)
        return;
    utgard_gp_destroy(device);
    utgard_pp_destroy(device);
    gpu_programs_destroy(device->vertex_programs);
    gpu_programs_destroy(device->fragment_programs);
    gpu_tables_finish(&device->tables);
    if (device->options.engine)
        jit_engine_leave(device->options.engine);
    gpu_host_close(&device->host);
    free(device);
}

void utgard_forget_programs(struct utgard_device *device)
{
    struct jit_engine *engine = device->options.engine;
    bool renew = engine && jit_engine_is_full(engine);
    gpu_programs_begin(device->vertex_programs);
    if (renew || gpu_programs_are_many(device->vertex_programs))
        gpu_programs_empty(device->vertex_programs);
    if (renew || gpu_programs_are_many(device->fragment_programs))
        gpu_programs_empty(device->fragment_programs);
    if (renew)
        (void)jit_engine_renew(engine); /* with other users it stays full: their programs are interpreted */
}

struct gpu_host *utgard_device_host(struct utgard_device *device)
{
    return &device->host;
}
