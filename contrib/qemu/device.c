/* A GPU for QEMU's arm64 machine `virt`: -device vitrail-gpu,gpu=mali400. Registers lie in the window of the machine's
 * platform bus, interrupts are some of that bus's, and the machine's device tree gets nodes for them. The machine's
 * RAM must be a sealed memory file (-object memory-backend-memfd), whose pages the GPU maps.
 *
 * Loaded into a QEMU that knows nothing of it (LD_PRELOAD): the type is registered before main() runs.
 *
 * Threads: QEMU's big lock is held in all functions here but line_changed and log_line, which the library may call on
 * a thread of its own. Those take no lock, so that the library may be waited for with the lock held. */
#include "bus.h"
#include "display.h"
#include "nodes.h"
#include "power.h"

#include <vitrail.h>

#define TYPE_VITRAIL_GPU "vitrail-gpu"
OBJECT_DECLARE_SIMPLE_TYPE(VitrailGPU, VITRAIL_GPU)

#define MAX_REGIONS   16
#define REGISTER_PAGE 4096
#define MAX_UNITS     16
#define HELD_POLL_MS  2
#define MAX_RUNS      256

struct VitrailGPU {
    DeviceState parent;
    char *name;      /* property "gpu" */
    int32_t threads; /* property */

    struct vitrail_context *gpu;
    MemoryRegion registers;
    qemu_irq irqs[VITRAIL_LINES]; /* the platform bus's; NULL: the GPU has no such line */
    QEMUBH *lines_changed;        /* update_lines, on QEMU's own thread */
    VMChangeStateEntry *stopping;

    bool has_power; /* the guest switches it */
    struct power power;
    MemoryRegion power_registers;

    MemoryListener listener;
    MemoryRegion *ram; /* the regions are of it */
    int ram_fd;        /* -1: none was seen */
    bool ram_mixed;    /* the machine has RAM of several files */
    struct vitrail_region regions[MAX_REGIONS];
    uint32_t region_count;

    uint32_t hold;        /* property, in ms; 0: the machine's time never stands still */
    QEMUTimer *watch;     /* of the host's time; runs from a write until the GPU is idle */
    uint64_t job_watched; /* the last that was started when the guest wrote, or it last ran */
    bool holding;

    MemoryListener migration;
    bool tracks;              /* pages that the GPU writes, while migration does */
    uint64_t jobs_seen;       /* since the GPU's reset, whose writes to RAM migration has been told of */
    bool worked_before_reset; /* and it has not been told of that */
    uint32_t state_size;      /* while saving and restoring */
    uint8_t *state;
};

/* ---- time ---- */

/* Drivers give a job up after a tenth or half of a second, as no board takes longer. Here programs may have to be
 * compiled first, on a host that is busy. So the machine's time stands still, with its processors, while a job takes
 * longer than `hold`. One that waits for the guest lets it go on. */
static bool job_runs(VitrailGPU *s)
{
    struct vitrail_unit units[MAX_UNITS];
    const int count = vitrail_units(s->gpu, units, MAX_UNITS);
    bool runs = false;
    for (int i = 0; i < MIN(count, MAX_UNITS); i++) {
        if (units[i].state == VITRAIL_UNIT_WAITING)
            return false;
        runs |= units[i].state == VITRAIL_UNIT_RUNNING;
    }
    return runs;
}

static void set_holding(VitrailGPU *s, bool holding)
{
    if (s->holding == holding)
        return;
    s->holding = holding;
    if (!runstate_is_running()) /* somebody else stopped the machine, and starts it */
        return;
    if (holding) {
        cpu_disable_ticks();
        pause_all_vcpus();
    } else {
        cpu_enable_ticks();
        resume_all_vcpus();
    }
}

static void watch_jobs(void *opaque)
{
    VitrailGPU *s = opaque;
    struct vitrail_status status = {.size = sizeof status};
    const bool runs = job_runs(s) && vitrail_get_status(s->gpu, &status) == 0;
    set_holding(s, runs && status.jobs == s->job_watched && runstate_is_running());
    s->job_watched = status.jobs;
    if (runs)
        timer_mod(s->watch, qemu_clock_get_ms(QEMU_CLOCK_REALTIME) + (s->holding ? HELD_POLL_MS : s->hold));
}

/* ---- registers and interrupt lines ---- */

static void update_lines(void *opaque)
{
    VitrailGPU *s = opaque;
    struct vitrail_status status = {.size = sizeof status};
    if (!s->gpu || vitrail_get_status(s->gpu, &status) < 0)
        return;
    for (unsigned i = 0; i < VITRAIL_LINES; i++) {
        if (s->irqs[i])
            qemu_set_irq(s->irqs[i], (int)(status.lines >> i & 1));
    }
}

static void line_changed(void *data, uint32_t line, int level)
{
    VitrailGPU *s = data;
    (void)line, (void)level; /* of now is the status, not what a callback tells late */
    if (qemu_mutex_iothread_locked())
        update_lines(s);
    else
        qemu_bh_schedule(s->lines_changed);
}

/* What a board does when a driver uses a GPU without power is not known; here it reads zero. */
static bool is_reached(VitrailGPU *s, hwaddr offset)
{
    if (!s->has_power || power_lets_through(&s->power))
        return true;
    qemu_log_mask(LOG_GUEST_ERROR, TYPE_VITRAIL_GPU ": register 0x%" HWADDR_PRIx " is used without power\n",
                  offset);
    return false;
}

static uint64_t read_register(void *opaque, hwaddr offset, unsigned size)
{
    VitrailGPU *s = opaque;
    uint32_t value = 0;
    (void)size;
    if (is_reached(s, offset))
        vitrail_read_register(s->gpu, (uint32_t)offset, &value);
    return value;
}

static void write_register(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
    VitrailGPU *s = opaque;
    (void)size;
    if (!is_reached(s, offset))
        return;
    vitrail_write_register(s->gpu, (uint32_t)offset, (uint32_t)value);
    update_lines(s); /* a line that this lowered is low when the guest's next instruction runs */
    if (s->hold && !timer_pending(s->watch)) {
        struct vitrail_status status = {.size = sizeof status};
        if (vitrail_get_status(s->gpu, &status) == 0)
            s->job_watched = status.jobs; /* which, when it runs still, has taken `hold` */
        timer_mod(s->watch, qemu_clock_get_ms(QEMU_CLOCK_REALTIME) + s->hold);
    }
}

static const MemoryRegionOps register_ops = {
    .read = read_register,
    .write = write_register,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = {.min_access_size = 4, .max_access_size = 4},
};

/* ---- guest memory ---- */

static void see_region(MemoryListener *listener, MemoryRegionSection *section)
{
    VitrailGPU *s = container_of(listener, VitrailGPU, listener);
    const uint64_t size = int128_get64(section->size);
    const int fd =
        memory_region_is_ram(section->mr) && !section->readonly ? memory_region_get_fd(section->mr) : -1;
    if (fd < 0 || s->gpu) /* the GPU has the memory of its beginning */
        return;
    if (s->ram && s->ram != section->mr) {
        s->ram_mixed = true;
        return;
    }
    s->ram = section->mr;
    s->ram_fd = fd;
    if (s->region_count < MAX_REGIONS) {
        s->regions[s->region_count++] = (struct vitrail_region){
            .address = section->offset_within_address_space,
            .size = size,
            .offset = section->offset_within_region,
        };
    }
}

/* The GPU wrote there: what QEMU has translated of it is stale, and migration sends it again. */
static void mark_written(uint64_t address, uint64_t size)
{
    while (size) {
        hwaddr length = size;
        void *at = address_space_map(&address_space_memory, address, &length, true, MEMTXATTRS_UNSPECIFIED);
        if (!at || !length)
            return; /* no RAM any more */
        address_space_unmap(&address_space_memory, at, length, true, length);
        address += length;
        size -= length;
    }
}

/* Migration sends pages that changed, and does not see what a GPU writes: the library knows, from the moment at which
 * migration begins, with all pages to be sent. */
static LOG_GLOBAL_START(migration_begins)
{
    VitrailGPU *s = container_of(listener, VitrailGPU, migration);
    s->tracks = vitrail_track_writes(s->gpu, 1) == 0;
    return LOG_GLOBAL_STARTED;
}

static void migration_ends(MemoryListener *listener)
{
    VitrailGPU *s = container_of(listener, VitrailGPU, migration);
    vitrail_track_writes(s->gpu, 0);
    s->tracks = false;
}

static LOG_SYNC_GLOBAL(migration_looks)
{
    VitrailGPU *s = container_of(listener, VitrailGPU, migration);
    struct vitrail_region runs[MAX_RUNS];
    int count = 0;
    do {
        count = s->tracks ? vitrail_written(s->gpu, runs, MAX_RUNS) : 0;
        for (int i = 0; i < MIN(count, MAX_RUNS); i++)
            mark_written(runs[i].address, runs[i].size);
    } while (count > MAX_RUNS);
}

/* Where the library does not know (Linux before 6.7): if the GPU has worked, all of RAM counts as changed when the machine
 * stops to be sent. Not before, or it would be sent again and again. */
static bool has_worked(VitrailGPU *s)
{
    struct vitrail_status status = {.size = sizeof status};
    return vitrail_get_status(s->gpu, &status) < 0 || status.jobs != s->jobs_seen;
}

static void machine_stopped(void *opaque, bool running, RunState state)
{
    VitrailGPU *s = opaque;
    struct vitrail_status status = {.size = sizeof status};
    (void)state;
    if (running || vitrail_wait(s->gpu) < 0)
        return;
    const bool all = !s->tracks && (s->worked_before_reset || has_worked(s));
    for (uint32_t i = 0; all && i < s->region_count; i++)
        mark_written(s->regions[i].address, s->regions[i].size);
    s->worked_before_reset = false;
    if (vitrail_get_status(s->gpu, &status) == 0)
        s->jobs_seen = status.jobs;
}

/* ---- reset and power ---- */

static void reset_gpu(VitrailGPU *s)
{
    s->worked_before_reset |= has_worked(s);
    if (vitrail_reset(s->gpu, 0) < 0)
        error_report(TYPE_VITRAIL_GPU ": %s", vitrail_last_error());
    s->jobs_seen = 0;
    update_lines(s);
}

static uint64_t read_power(void *opaque, hwaddr offset, unsigned size)
{
    VitrailGPU *s = opaque;
    (void)size;
    return power_read(&s->power, (uint32_t)offset);
}

static void write_power(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
    VitrailGPU *s = opaque;
    const bool kept = power_keeps_state(&s->power);
    (void)size;
    power_write(&s->power, (uint32_t)offset, (uint32_t)value);
    if (kept && !power_keeps_state(&s->power))
        reset_gpu(s);
}

static const MemoryRegionOps power_ops = {
    .read = read_power,
    .write = write_power,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = {.min_access_size = 4, .max_access_size = 4},
};

static void reset(void *opaque)
{
    VitrailGPU *s = opaque;
    reset_gpu(s);
    s->power = (struct power){0};
}

/* ---- saved states ---- */

static void drop_state(VitrailGPU *s)
{
    g_free(s->state);
    s->state = NULL;
    s->state_size = 0;
}

static int save(void *opaque)
{
    VitrailGPU *s = opaque;
    const int size = vitrail_save(s->gpu, NULL, 0);
    if (size < 0)
        goto failed;
    s->state = g_malloc((size_t)size);
    s->state_size = (uint32_t)size;
    if (vitrail_save(s->gpu, s->state, s->state_size) == size)
        return 0;
    drop_state(s);
failed:
    /* While a job waits for the guest's driver, the machine goes on, and can be saved a moment later. */
    error_report(TYPE_VITRAIL_GPU ": not saved: %s%s", vitrail_last_error(),
                 size == -EBUSY ? "; try again" : "");
    return -1;
}

static int saved(void *opaque)
{
    drop_state(opaque);
    return 0;
}

static int restore(void *opaque, int version)
{
    VitrailGPU *s = opaque;
    const int code = vitrail_restore(s->gpu, s->state, s->state_size);
    (void)version;
    drop_state(s);
    if (code < 0)
        error_report(TYPE_VITRAIL_GPU ": not restored: %s", vitrail_last_error());
    update_lines(s);
    return code;
}

static const VMStateDescription saved_state = {
    .name = TYPE_VITRAIL_GPU,
    .version_id = 2,
    .minimum_version_id = 2,
    .pre_save = save,
    .post_save = saved,
    .post_load = restore,
    .fields =
        (VMStateField[]){
            VMSTATE_UINT32(state_size, VitrailGPU),
            VMSTATE_VBUFFER_ALLOC_UINT32(state, VitrailGPU, 1, NULL, state_size),
            VMSTATE_UINT32(power.grafx, VitrailGPU),
            VMSTATE_UINT32_ARRAY(power.running, VitrailGPU, 2),
            VMSTATE_END_OF_LIST(),
        },
};

/* ---- the device ---- */

/* What guests do wrong is for -d guest_errors: a guest must not fill a log that nobody asked for. */
static void log_line(void *data, int level, const char *text)
{
    (void)data;
    if (level > VITRAIL_LOG_ERROR)
        qemu_log_mask(LOG_GUEST_ERROR, TYPE_VITRAIL_GPU ": %s\n", text);
}

static bool open_gpu(VitrailGPU *s, Error **errp)
{
    struct vitrail_config config;
    if (s->ram_fd < 0 || s->ram_mixed) {
        error_setg(errp, TYPE_VITRAIL_GPU " needs all RAM in one memory file, as by -object "
                                          "memory-backend-memfd,id=ram,size=1G -machine memory-backend=ram");
        return false;
    }
    vitrail_config_init(&config, sizeof config);
    config.gpu = s->name;
    config.memory = VITRAIL_MEMORY_FD;
    config.memory_fd = s->ram_fd;
    config.regions = s->regions;
    config.region_count = s->region_count;
    config.threads = s->threads;
    config.log = log_line;
    if (vitrail_open(&config, &s->gpu) < 0 || vitrail_set_irq(s->gpu, line_changed, s) < 0) {
        error_setg(errp, TYPE_VITRAIL_GPU ": %s", vitrail_last_error());
        return false;
    }
    return true;
}

/* Takes interrupts of the bus for the GPU's lines, and places for its registers. */
static bool connect_gpu(VitrailGPU *s, PlatformBusDevice *bus, struct nodes_gpu *nodes, Error **errp)
{
    struct vitrail_gpu gpu = {.size = sizeof gpu};
    vitrail_gpu_find(s->name, &gpu);
    nodes->name = s->name;
    nodes->register_bytes = ROUND_UP(gpu.register_bytes, REGISTER_PAGE);
    for (unsigned i = 0; i < VITRAIL_LINES; i++) {
        const char *name = vitrail_line_name(s->gpu, i);
        if (!name)
            continue;
        if (!bus_take_interrupt(bus, &s->irqs[i], &nodes->line_spis[nodes->lines], errp))
            return false;
        nodes->line_names[nodes->lines++] = name;
    }
    memory_region_init_io(&s->registers, OBJECT(s), &register_ops, s, TYPE_VITRAIL_GPU, gpu.register_bytes);
    nodes->address = bus_add_registers(bus, &s->registers, nodes->register_bytes, errp);
    if (!nodes->address || !s->has_power)
        return nodes->address != 0;
    memory_region_init_io(&s->power_registers, OBJECT(s), &power_ops, s, TYPE_VITRAIL_GPU "-power",
                          POWER_BYTES);
    nodes->power_address = bus_add_registers(bus, &s->power_registers, POWER_BYTES, errp);
    return nodes->power_address != 0;
}

static void realize(DeviceState *dev, Error **errp)
{
    VitrailGPU *s = VITRAIL_GPU(dev);
    PlatformBusDevice *bus = bus_find(errp);
    struct nodes_gpu nodes = {0};
    if (!bus)
        return;
    if (!s->name || !nodes_known(s->name)) {
        error_setg(errp,
                   TYPE_VITRAIL_GPU ": no kernel drives a '%s'; `vitrail gpus` lists those with a driver",
                   s->name ? s->name : "");
        return;
    }
    s->has_power = nodes_switches_power(s->name);
    s->ram_fd = -1;
    s->listener = (MemoryListener){.name = TYPE_VITRAIL_GPU, .region_add = see_region};
    memory_listener_register(&s->listener, &address_space_memory);
    memory_listener_unregister(&s->listener);
    s->lines_changed = qemu_bh_new(update_lines, s);
    s->watch = timer_new_ms(QEMU_CLOCK_REALTIME, watch_jobs, s);
    if (!open_gpu(s, errp) || !connect_gpu(s, bus, &nodes, errp)) {
        vitrail_close(&s->gpu);
        qemu_bh_delete(s->lines_changed);
        timer_free(s->watch);
        return;
    }
    s->migration = (MemoryListener){.name = TYPE_VITRAIL_GPU "-migration",
                                    .log_global_start = migration_begins,
                                    .log_global_stop = migration_ends,
                                    .log_sync_global = migration_looks};
    memory_listener_register(&s->migration, &address_space_memory);
    nodes_add(MACHINE(qdev_get_machine())->fdt, &nodes);
    s->stopping = qemu_add_vm_change_state_handler(machine_stopped, s);
    qemu_register_reset(reset, s);
}

PROPERTIES(properties, DEFINE_PROP_STRING("gpu", VitrailGPU, name),
           DEFINE_PROP_INT32("threads", VitrailGPU, threads, -1),
           DEFINE_PROP_UINT32("hold", VitrailGPU, hold, 50));

/* Never unrealized: the machine's tree cannot lose nodes, so it is not hotpluggable. */
static void class_init(ObjectClass *class, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(class);
    (void)data;
    dc->desc = "emulated GPU (Vitrail)";
    dc->realize = realize;
    dc->vmsd = &saved_state;
    dc->hotpluggable = false;
    set_bit(DEVICE_CATEGORY_DISPLAY, dc->categories);
    device_class_set_props(dc, properties);
}

static const TypeInfo type_info = {
    .name = TYPE_VITRAIL_GPU,
    .parent = TYPE_DEVICE,
    .instance_size = sizeof(VitrailGPU),
    .class_init = class_init,
};

/* QEMU's structures differ between versions: built for another one, this offers no device. */
static void register_type(void)
{
    VersionInfo *info = qmp_query_version(NULL);
    const bool same = info->qemu->major == QEMU_VERSION_MAJOR && info->qemu->minor == QEMU_VERSION_MINOR;
    if (same) {
        type_register_static(&type_info);
        type_register_static(&display_type);
    } else {
        warn_report(TYPE_VITRAIL_GPU " was built for QEMU %d.%d: contrib/qemu/build", QEMU_VERSION_MAJOR,
                    QEMU_VERSION_MINOR);
    }
    qapi_free_VersionInfo(info);
}

/* Programs that QEMU begins must not be given this library: it is whole only inside of QEMU. */
static void __attribute__((constructor)) loaded(void)
{
    unsetenv("LD_PRELOAD");
    register_module_init(register_type, MODULE_INIT_QOM);
}
