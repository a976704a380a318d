/* VideoCore IV behind the public API. */
#include <errno.h>
#include <stddef.h>

#include "api/internal.h"
#include "gpu/picture.h"
#include "gpu/vc4/device.h"
#include "raster/surface.h"
#include "util/bits.h"

/* CTnCS (Guide table 49). */
#define CS_RUN      (1u << 5)
#define CS_SUBSTATE (1u << 4)
#define CS_ERROR    (1u << 3)

static int create(struct vitrail_context *context, void **device)
{
    const struct vitrail_config *config = &context->config;
    struct vc4_options options = {.pool = context->pool,
                                  .engine = context->engine,
                                  .reference = config->execution == VITRAIL_EXECUTION_REFERENCE,
                                  .packet_budget = config->packet_budget,
                                  .job_fuel = config->job_fuel,
                                  .fuel = config->loop_fuel,
                                  .numeric = config->numeric == VITRAIL_NUMERIC_EXACT ? ISA_EXACT : ISA_FAST};
    struct vc4_device *vc4;
    int code = vc4_device_create(&context->memory, &options, &vc4);
    if (code)
        return code;
    vc4_device_set_irq(vc4, api_interrupt, context);
    *device = vc4;
    return 0;
}

static void destroy(void *device)
{
    vc4_device_destroy(device);
}

static uint32_t read(void *device, uint32_t offset)
{
    return vc4_read(device, offset);
}

static void write(void *device, uint32_t offset, uint32_t value)
{
    vc4_write(device, offset, value);
}

static void settle(void *device)
{
    vc4_device_settle(device);
}

static uint32_t irq_pending(void *device)
{
    return vc4_device_irq_pending(device);
}

static bool waits_for_reply(void *device)
{
    return vc4_read(device, VC4_INTCTL) & VC4_INT_OUTOMEM;
}

static unsigned faults(void *device, struct gpu_fault *out, unsigned capacity)
{
    return vc4_device_faults(device, out, capacity);
}

static uint64_t jobs(void *device)
{
    struct vc4_counters counters;
    vc4_device_counters(device, &counters);
    return counters.jobs;
}

/* A control-list thread (Guide tables 49 to 51). */
static struct vitrail_unit list_thread(void *device, const char *name, uint32_t cs_offset, uint32_t ca,
                                       uint32_t ea)
{
    uint32_t cs = vc4_read(device, cs_offset);
    bool sub = cs & CS_SUBSTATE;
    return (struct vitrail_unit){
        .name = name,
        .state = cs & CS_RUN     ? (sub ? VITRAIL_UNIT_WAITING : VITRAIL_UNIT_RUNNING)
                 : cs & CS_ERROR ? VITRAIL_UNIT_FAULTED
                 : sub           ? VITRAIL_UNIT_HALTED
                                 : VITRAIL_UNIT_IDLE,
        .address = vc4_read(device, ca),
        .end = vc4_read(device, ea),
    };
}

/* Programs requested at SRQPC that have not completed (Guide table 68) wait for each other or for the host:
 * what could run has run when the register was read. */
static struct vitrail_unit user_programs(void *device)
{
    uint32_t status = vc4_read(device, VC4_SRQCS);
    bool done = util_bits(status, 16, 8) == util_bits(status, 8, 8);
    return (struct vitrail_unit){.name = "user programs",
                                 .state = done ? VITRAIL_UNIT_IDLE : VITRAIL_UNIT_WAITING};
}

static uint32_t units(void *device, struct vitrail_unit *out, uint32_t capacity)
{
    if (capacity > 0)
        out[0] = list_thread(device, "binner", VC4_CT0CS, VC4_CT0CA, VC4_CT0EA);
    if (capacity > 1)
        out[1] = list_thread(device, "renderer", VC4_CT1CS, VC4_CT1CA, VC4_CT1EA);
    if (capacity > 2)
        out[2] = user_programs(device);
    return 3;
}

static const struct {
    const char *name, *what;
    size_t offset;
} counter_table[] = {
    {"jobs", "control lists and programs started", offsetof(struct vc4_counters, jobs)},
    {"draws", "primitive lists", offsetof(struct vc4_counters, draws)},
    {"vertices", "vertices shaded", offsetof(struct vc4_counters, vertices)},
    {"primitives_in", "primitives assembled", offsetof(struct vc4_counters, primitives_in)},
    {"primitives_binned", "primitives left after clipping and culling",
     offsetof(struct vc4_counters, primitives_binned)},
    {"tiles", "tiles rendered", offsetof(struct vc4_counters, tiles)},
    {"blocks_shaded", "batches of 16 fragments shaded", offsetof(struct vc4_counters, blocks_shaded)},
    {"qpu_instructions", "instructions executed, for 16 lanes each",
     offsetof(struct vc4_counters, qpu_instructions)},
    {"bytes_tile_lists", "bytes of tile lists written", offsetof(struct vc4_counters, bytes_tile_lists)},
};

static uint32_t counters(void *device, struct vitrail_counter *out, uint32_t capacity)
{
    struct vc4_counters values;
    vc4_device_counters(device, &values);
    for (uint32_t i = 0; i < UTIL_MIN(capacity, (uint32_t)UTIL_ARRAY_SIZE(counter_table)); i++) {
        const char *value = (const char *)&values + counter_table[i].offset;
        out[i] = (struct vitrail_counter){
            .name = counter_table[i].name, .what = counter_table[i].what, .value = *(const uint64_t *)value};
    }
    return UTIL_ARRAY_SIZE(counter_table);
}

/* The device knows no stride: its store records mean images whose rows fill whole utiles (16 bytes) or tiles
 * (128 bytes), Guide section 11. */
static bool frame(void *device, struct capture_frame *out)
{
    struct vc4_frame stored;
    if (!vc4_device_frame(device, &stored))
        return false;
    *out = (struct capture_frame){.address = stored.address,
                                  .width = stored.width,
                                  .height = stored.height,
                                  .layout = stored.layout,
                                  .format = stored.format};
    uint32_t bytes = gpu_picture_bytes(out);
    uint32_t row = (uint32_t)util_align((uint64_t)stored.width * bytes, 16);
    out->stride = stored.layout == RASTER_LINEAR  ? row
                  : stored.layout == RASTER_VC4_T ? (uint32_t)util_div_up(row, 128)
                                                  : row / 16;
    return true;
}

const struct api_gpu api_vc4 = {
    .info = {.size = sizeof(struct vitrail_gpu),
             .name = "vc4",
             .description = "Broadcom VideoCore IV (V3D 2.1)",
             .driver = "vc4",
             .register_bytes = 0x1000,
             .capabilities =
                 VITRAIL_CAP_COMPILED | VITRAIL_CAP_REFERENCE | VITRAIL_CAP_EXACT | VITRAIL_CAP_CAPTURES,
             .memory_max = 1ull << 32},
    .create = create,
    .destroy = destroy,
    .read = read,
    .write = write,
    .settle = settle,
    .irq_pending = irq_pending,
    .waits_for_reply = waits_for_reply,
    .faults = faults,
    .jobs = jobs,
    .units = units,
    .counters = counters,
    .frame = frame,
};
