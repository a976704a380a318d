/* The table of functions over gpu/utgard/device.h. */
#include "gpu/utgard/gpu.h"

#include "gpu/utgard/device_internal.h"
#include "gpu/utgard/inspect.h"
#include "util/bits.h"

static void destroy(void *device)
{
    utgard_device_destroy(device);
}

static uint32_t read_register(void *device, uint32_t offset)
{
    return utgard_read(device, offset);
}

static void write_register(void *device, uint32_t offset, uint32_t value)
{
    utgard_write(device, offset, value);
}

static uint32_t irq_pending(const void *device)
{
    return utgard_device_lines(device);
}

static void flush(void *device)
{
    utgard_device_flush(device);
}

/* The blocks with lines, by their numbers for embedders; as device trees call them. */
static const struct {
    const char *name;
    enum utgard_ip ip;
} line_of[] = {
    {"gp", UTGARD_IP_GP},         {"gpmmu", UTGARD_IP_GPMMU},   {"pp0", UTGARD_IP_PP0},
    {"pp1", UTGARD_IP_PP1},       {"pp2", UTGARD_IP_PP2},       {"pp3", UTGARD_IP_PP3},
    {"pp4", UTGARD_IP_PP4},       {"pp5", UTGARD_IP_PP5},       {"pp6", UTGARD_IP_PP6},
    {"pp7", UTGARD_IP_PP7},       {"ppmmu0", UTGARD_IP_PPMMU0}, {"ppmmu1", UTGARD_IP_PPMMU1},
    {"ppmmu2", UTGARD_IP_PPMMU2}, {"ppmmu3", UTGARD_IP_PPMMU3}, {"ppmmu4", UTGARD_IP_PPMMU4},
    {"ppmmu5", UTGARD_IP_PPMMU5}, {"ppmmu6", UTGARD_IP_PPMMU6}, {"ppmmu7", UTGARD_IP_PPMMU7},
    {"pp", UTGARD_IP_PP_BCAST},   {"pmu", UTGARD_IP_PMU},
};

static uint32_t lines(const void *device)
{
    const uint32_t ips = utgard_device_lines(device);
    uint32_t high = 0;
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(line_of); n++)
        high |= (ips >> line_of[n].ip & 1) << n;
    return high;
}

static const char *line_name(const void *device, unsigned line)
{
    return line < UTIL_ARRAY_SIZE(line_of) && utgard_device_offset(device, line_of[line].ip) != UTGARD_ABSENT
               ? line_of[line].name
               : NULL;
}

/* ---- units ---- */

static uint32_t read_block(struct utgard_device *device, enum utgard_ip ip, uint32_t offset)
{
    uint32_t base = utgard_device_offset(device, ip);
    return base == UTGARD_ABSENT ? 0 : utgard_read(device, base + offset);
}

/* A list of the GP, which stands still after a page fault and while the heap is full. */
static struct gpu_unit list(struct utgard_device *device, const char *name, uint32_t active, uint32_t at,
                            unsigned end)
{
    bool works = read_block(device, UTGARD_IP_GP, UTGARD_GP_STATUS) & active;
    bool faulted =
        read_block(device, UTGARD_IP_GPMMU, UTGARD_MMU_STATUS) & UTGARD_BIT(MMU, STATUS, PAGE_FAULT_ACTIVE);
    bool waits = utgard_gp_waits(device); /* also when the interrupt was heard, and not yet answered */
    return (struct gpu_unit){.name = name,
                             .state = faulted  ? GPU_UNIT_FAULTED
                                      : !works ? GPU_UNIT_IDLE
                                      : waits  ? GPU_UNIT_WAITING
                                               : GPU_UNIT_RUNNING,
                             .address = read_block(device, UTGARD_IP_GP, at),
                             .end = utgard_device_words(device, UTGARD_IP_GP)[end]};
}

static unsigned units(void *self, struct gpu_unit *out, unsigned capacity)
{
    static const char *const names[UTGARD_MAX_PP] = {"pp0", "pp1", "pp2", "pp3", "pp4", "pp5", "pp6", "pp7"};
    struct utgard_device *device = self;
    unsigned count = 2;
    if (capacity > 0)
        out[0] = list(device, "vs", UTGARD_BIT(GP, STATUS, VS_ACTIVE), UTGARD_GP_VSCL_START_ADDR_READ,
                      UTGARD_GP_VS_END);
    if (capacity > 1)
        out[1] = list(device, "plbu", UTGARD_BIT(GP, STATUS, PLBU_ACTIVE), UTGARD_GP_PLBCL_START_ADDR_READ,
                      UTGARD_GP_PLBU_END);
    for (unsigned n = 0; n < UTGARD_MAX_PP; n++) {
        enum utgard_ip pp = (enum utgard_ip)(UTGARD_IP_PP0 + n);
        if (utgard_device_offset(device, pp) == UTGARD_ABSENT)
            continue;
        bool faulted = read_block(device, (enum utgard_ip)(UTGARD_IP_PPMMU0 + n), UTGARD_MMU_STATUS) &
                       UTGARD_BIT(MMU, STATUS, PAGE_FAULT_ACTIVE);
        if (count < capacity)
            out[count] = (struct gpu_unit){.name = names[n],
                                           .state = faulted                 ? GPU_UNIT_FAULTED
                                                    : device->pp_started[n] ? GPU_UNIT_RUNNING
                                                                            : GPU_UNIT_IDLE,
                                           .address = utgard_device_words(device, pp)[0]};
        count++;
    }
    return count;
}

struct gpu_device utgard_device_gpu(struct utgard_device *device)
{
    static const struct gpu_device_functions functions = {
        .destroy = destroy,
        .read = read_register,
        .write = write_register,
        .irq_pending = irq_pending,
        .flush = flush,
        .lines = lines,
        .line_name = line_name,
        .due = utgard_due,
        .when = utgard_when,
        .work = utgard_work,
        .transfer = utgard_transfer,
        .units = units,
    };
    return (struct gpu_device){utgard_device_host(device)->gpu, &functions, device,
                               utgard_device_host(device)};
}
