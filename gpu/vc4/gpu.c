/* VideoCore IV behind the table that all families fill. */
#include "gpu/vc4/device_internal.h"

#include "util/bits.h"

static void destroy(void *device)
{
    vc4_device_destroy(device);
}

static uint32_t read_register(void *device, uint32_t offset)
{
    return vc4_read(device, offset);
}

static void write_register(void *device, uint32_t offset, uint32_t value)
{
    vc4_write(device, offset, value);
}

static uint32_t irq_pending(const void *device)
{
    return vc4_device_irq_pending(device);
}

static void flush(void *device)
{
    vc4_device_flush(device);
}

static uint32_t lines(const void *device)
{
    return vc4_device_irq_pending(device) != 0;
}

static const char *line_name(const void *device, unsigned line)
{
    (void)device;
    return line ? NULL : "v3d";
}

static bool must_answer(void *device, uint32_t pending)
{
    return pending & VC4_INT_OUTOMEM && vc4_read(device, VC4_INTCTL) & VC4_INT_OUTOMEM;
}

/* ---- units ---- */

/* A control-list thread (Guide tables 49 to 51). */
static struct gpu_unit list_thread(void *device, const char *name, uint32_t cs_offset, uint32_t ca,
                                   uint32_t ea)
{
    uint32_t cs = vc4_read(device, cs_offset);
    bool sub = cs & VC4_BIT(CT0CS, CTSUBS) ||
               (cs_offset == VC4_CT0CS && vc4_read(device, VC4_PCS) & VC4_BIT(PCS, BMOOM));
    return (struct gpu_unit){
        .name = name,
        .state = cs & VC4_BIT(CT0CS, CTRUN)   ? (sub ? GPU_UNIT_WAITING : GPU_UNIT_RUNNING)
                 : cs & VC4_BIT(CT0CS, CTERR) ? GPU_UNIT_FAULTED
                 : sub                        ? GPU_UNIT_HALTED
                                              : GPU_UNIT_IDLE,
        .address = vc4_read(device, ca),
        .end = vc4_read(device, ea),
    };
}

/* Programs requested at SRQPC that have not completed (Guide table 68) wait for each other or for the host:
 * what could run has run when the register was read. */
static struct gpu_unit user_programs(void *self)
{
    const struct vc4_device *device = self;
    uint32_t status = vc4_read(self, VC4_SRQCS);
    bool done = util_bits(status, 16, 8) == util_bits(status, 8, 8);
    bool works = device->user_fresh || device->host.working & 1u << VC4_UNIT_USER;
    return (struct gpu_unit){.name = "user programs",
                             .state = works  ? GPU_UNIT_RUNNING
                                      : done ? GPU_UNIT_IDLE
                                             : GPU_UNIT_WAITING};
}

static unsigned units(void *device, struct gpu_unit *out, unsigned capacity)
{
    if (capacity > 0)
        out[0] = list_thread(device, "binner", VC4_CT0CS, VC4_CT0CA, VC4_CT0EA);
    if (capacity > 1)
        out[1] = list_thread(device, "renderer", VC4_CT1CS, VC4_CT1CA, VC4_CT1EA);
    if (capacity > 2)
        out[2] = user_programs(device);
    return 3;
}

struct gpu_device vc4_device_gpu(struct vc4_device *device)
{
    static const struct gpu_device_functions functions = {
        .destroy = destroy,
        .read = read_register,
        .write = write_register,
        .irq_pending = irq_pending,
        .flush = flush,
        .lines = lines,
        .line_name = line_name,
        .due = vc4_due,
        .when = vc4_when,
        .work = vc4_work,
        .transfer = vc4_transfer,
        .must_answer = must_answer,
        .units = units,
    };
    return (struct gpu_device){"vc4", &functions, device, vc4_device_host(device)};
}
