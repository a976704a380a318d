#include "gpu/libresoc/device.h"

#include <errno.h>
#include <stdlib.h>

#include "gpu/irq.h"
#include "gpu/libresoc/job.h"
#include "util/bits.h"

struct libresoc_device {
    struct gpu_memory *memory;
    struct gpu_options options;
    struct gpu_host host;
    struct gpu_space space;
    struct gpu_programs *programs;
    struct gpu_frame_workers workers;
    struct tiler_bins_room *room;
    uint32_t regs[LIBRESOC_WINDOW / 4]; /* those that are storage */
    struct gpu_irq irq;
    struct gpu_fault fault; /* the last job's; kind NONE: it has none */
    uint32_t frames, batches;
    bool started, scheduling; /* a frame is to be drawn; the outermost write draws them */
};

/* ---- jobs ---- */

static void raise_irq(struct libresoc_device *device, uint32_t bits)
{
    if (gpu_irq_raise(&device->irq, bits))
        gpu_host_call(&device->host, device->irq.raw & device->irq.mask);
}

static void run(struct libresoc_device *device)
{
    const uint64_t address =
        (uint64_t)device->regs[LIBRESOC_RECORD_HIGH / 4] << 32 | device->regs[LIBRESOC_RECORD_LOW / 4];
    const struct libresoc_machine machine = {.memory = device->memory,
                                             .space = &device->space,
                                             .options = &device->options,
                                             .host = &device->host,
                                             .programs = device->programs,
                                             .workers = &device->workers,
                                             .room = &device->room,
                                             .frame = device->batches++};
    struct gpu_fault fault = {0};
    device->host.job++;
    device->host.counters.jobs++;
    device->fault = fault;
    gpu_turns_leave(&device->host, 0);
    const bool done = libresoc_job_run(&machine, address, &fault);
    const bool cancelled = gpu_host_cancelled(&device->host);
    gpu_turns_enter(&device->host, 0);
    device->fault = fault;
    if (done) {
        device->frames++;
        raise_irq(device, LIBRESOC_INT_DONE);
        return;
    }
    if (!cancelled)
        gpu_host_fault(&device->host, &device->fault);
    raise_irq(device, LIBRESOC_INT_FAULT);
}

static void write_register(void *self, uint32_t offset, uint32_t value);

static void work(struct libresoc_device *device)
{
    struct gpu_posted posted;
    device->scheduling = true;
    for (;;) {
        while (gpu_turns_next(&device->host, &posted))
            write_register(device, posted.offset, posted.value);
        if (!device->started || device->host.stopped)
            break;
        device->started = false;
        run(device);
    }
    device->scheduling = false;
}

/* ---- registers ---- */

static enum libresoc_fault_kind fault_kind(enum gpu_fault_kind kind)
{
    static const enum libresoc_fault_kind kinds[] = {
        [GPU_FAULT_NONE] = LIBRESOC_FAULT_NONE,        [GPU_FAULT_PACKET] = LIBRESOC_FAULT_RECORD,
        [GPU_FAULT_LIST] = LIBRESOC_FAULT_RECORD,      [GPU_FAULT_MEMORY] = LIBRESOC_FAULT_MEMORY,
        [GPU_FAULT_SHADER] = LIBRESOC_FAULT_PROGRAM,   [GPU_FAULT_TIMEOUT] = LIBRESOC_FAULT_FUEL,
        [GPU_FAULT_TILE_MEMORY] = LIBRESOC_FAULT_HEAP, [GPU_FAULT_UNSUPPORTED] = LIBRESOC_FAULT_UNSUPPORTED,
        [GPU_FAULT_DEADLOCK] = LIBRESOC_FAULT_FUEL};
    return kinds[kind];
}

static uint32_t read_live(const struct libresoc_device *device, uint32_t offset)
{
    const struct gpu_fault *fault = &device->fault;
    switch (offset) {
    case LIBRESOC_STATUS:
        return (device->scheduling || device->started ? LIBRESOC_BIT(STATUS, BUSY) : 0) |
               (fault->kind ? LIBRESOC_BIT(STATUS, FAULTED) : 0);
    case LIBRESOC_FRAMES: return device->frames;
    case LIBRESOC_FAULT_KIND: return fault_kind(fault->kind);
    case LIBRESOC_FAULT_DRAW: return fault->draw;
    case LIBRESOC_FAULT_ADDRESS_LOW: return (uint32_t)fault->address;
    case LIBRESOC_FAULT_ADDRESS_HIGH: return (uint32_t)(fault->address >> 32);
    case LIBRESOC_FAULT_PC: return fault->kind ? fault->pc : UINT32_MAX;
    case LIBRESOC_FAULT_ELEMENT: return fault->kind ? fault->lane : UINT32_MAX;
    case LIBRESOC_COMMAND: return 0;
    default: return gpu_irq_read(&device->irq, offset - LIBRESOC_INT_RAWSTAT);
    }
}

static uint32_t read_register(void *self, uint32_t offset)
{
    const struct libresoc_device *device = self;
    const struct gpu_register *reg = gpu_register_find(&libresoc_registers, 0, offset);
    if (!reg)
        return 0;
    return reg->access == GPU_ACCESS_LIVE ? read_live(device, offset) : device->regs[offset / 4];
}

static void reset(struct libresoc_device *device)
{
    gpu_registers_reset(&libresoc_registers, 0, device->regs);
    device->irq = (struct gpu_irq){0};
    device->fault = (struct gpu_fault){0};
    device->frames = 0;
    device->started = false;
}

static void write_live(struct libresoc_device *device, uint32_t offset, uint32_t value)
{
    if (offset == LIBRESOC_COMMAND) {
        if (value & LIBRESOC_BIT(COMMAND, RESET))
            reset(device);
        else if (value & LIBRESOC_BIT(COMMAND, START))
            device->started = true;
        return;
    }
    if (offset >= LIBRESOC_INT_RAWSTAT && offset <= LIBRESOC_INT_STAT)
        raise_irq(device,
                  gpu_irq_write(&device->irq, offset - LIBRESOC_INT_RAWSTAT, value, LIBRESOC_INT_ALL));
}

static void write_register(void *self, uint32_t offset, uint32_t value)
{
    struct libresoc_device *device = self;
    const struct gpu_register *reg = gpu_register_find(&libresoc_registers, 0, offset);
    if (!reg)
        gpu_host_unknown_write(&device->host, offset, value);
    else if (reg->access == GPU_ACCESS_RW)
        device->regs[offset / 4] = value;
    else if (reg->access == GPU_ACCESS_LIVE)
        write_live(device, offset, value);
    if (!device->scheduling && gpu_turns_may_work(&device->host))
        work(device);
}

static enum gpu_due due(const void *self)
{
    const struct libresoc_device *device = self;
    return device->started ? GPU_DUE_NOW : GPU_DUE_NOTHING;
}

/* A job has its record's address; a reset ends it. */
static enum gpu_when when(const void *self, uint32_t offset, uint32_t value)
{
    (void)self;
    return offset == LIBRESOC_COMMAND && value & LIBRESOC_BIT(COMMAND, RESET) ? GPU_WRITE_CANCELS
                                                                              : GPU_WRITE_NOW;
}

static void do_work(void *self, bool all)
{
    (void)all;
    work(self);
}

/* ---- the table ---- */

static uint32_t irq_pending(const void *self)
{
    const struct libresoc_device *device = self;
    return device->irq.raw & device->irq.mask;
}

static uint32_t lines(const void *device)
{
    return irq_pending(device) != 0;
}

static const char *line_name(const void *device, unsigned line)
{
    (void)device;
    return line ? NULL : "gpu";
}

static bool transfer(void *self, struct gpu_state *state)
{
    struct libresoc_device *device = self;
    if (device->started || device->scheduling)
        return false;
    gpu_state_registers(state, &libresoc_registers, 0, device->regs);
    gpu_state_irq(state, &device->irq, LIBRESOC_INT_ALL);
    gpu_state_u32(state, &device->frames, UINT32_MAX);
    return true;
}

static unsigned units(void *self, struct gpu_unit *out, unsigned capacity)
{
    const struct libresoc_device *device = self;
    if (capacity)
        out[0] = (struct gpu_unit){.name = "command processor",
                                   .state = device->scheduling || device->started ? GPU_UNIT_RUNNING
                                            : device->fault.kind                  ? GPU_UNIT_FAULTED
                                                                                  : GPU_UNIT_IDLE,
                                   .address = (uint64_t)device->regs[LIBRESOC_RECORD_HIGH / 4] << 32 |
                                              device->regs[LIBRESOC_RECORD_LOW / 4]};
    return 1;
}

static void destroy(void *self)
{
    libresoc_device_destroy(self);
}

struct gpu_device libresoc_device_gpu(struct libresoc_device *device)
{
    static const struct gpu_device_functions functions = {.destroy = destroy,
                                                          .read = read_register,
                                                          .write = write_register,
                                                          .irq_pending = irq_pending,
                                                          .lines = lines,
                                                          .line_name = line_name,
                                                          .due = due,
                                                          .when = when,
                                                          .work = do_work,
                                                          .transfer = transfer,
                                                          .units = units};
    return (struct gpu_device){device->host.gpu, &functions, device, &device->host};
}

/* ---- life ---- */

/* Guest addresses as they are: all of memory, to be read and written. */
static int map_all(struct libresoc_device *device)
{
    const int error = gpu_space_create(device->memory, &device->space);
    if (error)
        return error;
    gpu_space_begin(&device->space);
    for (uint64_t at = 0; at < device->memory->size; at += GPU_PAGE)
        gpu_space_map(&device->space, at, at, GPU_RIGHT_READ | GPU_RIGHT_WRITE);
    return gpu_space_end(&device->space);
}

int libresoc_device_create(struct gpu_memory *memory, const struct gpu_options *options,
                           struct libresoc_device **out)
{
    if (!memory || !memory->base || memory->fd < 0 || !options)
        return -EINVAL;
    struct libresoc_device *device = calloc(1, sizeof *device);
    if (!device)
        return -ENOMEM;
    device->memory = memory;
    device->options = gpu_options_resolve(options, ISA_EXACT);
    gpu_registers_reset(&libresoc_registers, 0, device->regs);
    gpu_host_open(&device->host, "libresoc");
    if (device->options.engine)
        jit_engine_join(device->options.engine);
    int error = gpu_programs_create(&libresoc_program_kind, &device->programs);
    if (!error)
        error = map_all(device);
    if (error) {
        libresoc_device_destroy(device);
        return error;
    }
    *out = device;
    return 0;
}

void libresoc_device_destroy(struct libresoc_device *device)
{
    if (!device)
        return;
    gpu_frame_workers_free(&device->workers);
    free(device->room);
    gpu_programs_destroy(device->programs);
    gpu_space_destroy(&device->space);
    if (device->options.engine)
        jit_engine_leave(device->options.engine);
    gpu_host_close(&device->host);
    free(device);
}
