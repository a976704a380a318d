/* How a virtual machine's device model uses Vitrail: the machine's RAM is a sealed memory file that the CPU's
 * side and the GPU map; loads and stores to the GPU's address range become register accesses, under the machine's one
 * big lock; its interrupt line drives an interrupt controller. The machine has two processors, a thread each: one runs
 * the guest's driver, which starts lists and sleeps; the other takes interrupts. So the binner that runs out of memory
 * is answered from another thread, long after the callback has returned. Exit status 0 when everything came as it
 * must.
 *
 * An example of include/vitrail.h, and a test of it. */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <vitrail.h>

#ifndef F_ADD_SEALS
#error "sealed memory files need _GNU_SOURCE"
#endif

#define RAM_BYTES (4u << 20)
#define V3D_BASE  0x20c00000u /* where the machine has the GPU's registers */
#define V3D_BYTES 0x1000u

/* ---- the machine ---- */

struct machine {
    uint8_t *ram; /* as the CPU sees it */
    int ram_fd;
    struct vitrail_context *v3d;
    pthread_t second;
    pthread_mutex_t lock;     /* the big one: around every access of a processor's, and inside the callback */
    pthread_cond_t interrupt; /* the line rose, or the machine goes off */
    pthread_cond_t served;    /* the handler has returned */
    int line;                 /* level of the GPU's interrupt line at the controller */
    unsigned edges;           /* how often it rose */
    int off;
    void (*handler)(
        struct machine *machine); /* the guest's, run by the second processor while the line is high */
};

static _Thread_local int has_lock; /* the callback comes from inside a store of this thread's */

static void lock(struct machine *machine)
{
    pthread_mutex_lock(&machine->lock);
    has_lock = 1;
}

static void unlock(struct machine *machine)
{
    has_lock = 0;
    pthread_mutex_unlock(&machine->lock);
}

static uint32_t load32(struct machine *machine, uint32_t address)
{
    uint32_t value = 0;
    if (address - V3D_BASE < V3D_BYTES) {
        lock(machine);
        vitrail_read_register(machine->v3d, address - V3D_BASE, &value);
        unlock(machine);
    } else if (address <= RAM_BYTES - 4) {
        memcpy(&value, machine->ram + address, 4);
    }
    return value;
}

static void store32(struct machine *machine, uint32_t address, uint32_t value)
{
    if (address - V3D_BASE < V3D_BYTES) {
        lock(machine);
        vitrail_write_register(machine->v3d, address - V3D_BASE, value);
        unlock(machine);
    } else if (address <= RAM_BYTES - 4) {
        memcpy(machine->ram + address, &value, 4);
    }
}

/* The controller follows the line. The callback comes on the library's own thread, which may wait for the big lock, or
 * from inside a store, whose processor has it. */
static void set_line(void *data, uint32_t line, int level)
{
    struct machine *machine = data;
    const int outside = !has_lock;
    if (outside)
        lock(machine);
    if (line == VITRAIL_LINE_VC4) {
        machine->edges += !machine->line && level;
        machine->line = level;
        pthread_cond_broadcast(&machine->interrupt);
    }
    if (outside)
        unlock(machine);
}

/* The second processor: while the line is high, its handler runs. */
static void *take_interrupts(void *data)
{
    struct machine *machine = data;
    lock(machine);
    while (!machine->off) {
        if (!machine->line || !machine->handler) {
            pthread_cond_wait(&machine->interrupt, &machine->lock);
            continue;
        }
        unlock(machine);
        machine->handler(machine);
        lock(machine);
        pthread_cond_broadcast(&machine->served);
    }
    unlock(machine);
    return NULL;
}

static int power_on(struct machine *machine)
{
    struct vitrail_config config;
    machine->ram_fd = memfd_create("ram", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (machine->ram_fd < 0 || ftruncate(machine->ram_fd, RAM_BYTES) < 0 ||
        fcntl(machine->ram_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) < 0)
        return -1;
    machine->ram = mmap(NULL, RAM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, machine->ram_fd, 0);
    if (machine->ram == MAP_FAILED)
        return -1;
    vitrail_config_init(&config, sizeof config);
    config.memory = VITRAIL_MEMORY_FD;
    config.memory_fd = machine->ram_fd;
    config.memory_size = RAM_BYTES;
    if (vitrail_open(&config, &machine->v3d) < 0)
        return -1;
    if (pthread_create(&machine->second, NULL, take_interrupts, machine))
        return -1;
    return vitrail_set_irq(machine->v3d, set_line, machine);
}

static void power_off(struct machine *machine)
{
    lock(machine);
    machine->off = 1;
    pthread_cond_broadcast(&machine->interrupt);
    unlock(machine);
    pthread_join(machine->second, NULL);
    vitrail_close(&machine->v3d); /* without the lock: the callback may wait for it */
    munmap(machine->ram, RAM_BYTES);
    close(machine->ram_fd);
}

/* ---- the guest's driver: sees addresses only ---- */

enum { /* Guide section 10 */
       V3D_IDENT0 = V3D_BASE,
       INTCTL = V3D_BASE + 0x030,
       INTENA = V3D_BASE + 0x034,
       CT0EA = V3D_BASE + 0x108,
       CT1EA = V3D_BASE + 0x10c,
       CT0CA = V3D_BASE + 0x110,
       CT1CA = V3D_BASE + 0x114,
       BPOA = V3D_BASE + 0x308,
       BPOS = V3D_BASE + 0x30c,
};
#define INT_FRAME_DONE    1u
#define INT_FLUSH_DONE    2u
#define INT_OUT_OF_MEMORY 4u

enum {
    BINNING_LIST = 0x1000,
    RENDERING_LIST = 0x2000,
    SHADER_RECORD = 0x3000,
    FRAGMENT_PROGRAM = 0x3100,
    VERTEX_PROGRAM = 0x3200,
    COORDINATE_PROGRAM = 0x3300,
    UNIFORMS = 0x3400,
    VERTICES = 0x4000,
    TILE_MEMORY = 0x10000,
    TILES = 4,                              /* 4x4 tiles of 64x64 pixels */
    TILE_MEMORY_BYTES = TILES * TILES * 32, /* one block a tile: not enough, so that more is asked for */
    TILE_STATE = 0x20000,
    MORE_MEMORY = 0x40000,
    MORE_BYTES = 0x40000,
    IMAGE = 0x100000,
    TRIANGLES = 200,
};
#define CLEAR_COLOR 0xff336699u
#define DRAW_COLOR  0xff80c020u

static unsigned frames_done, flushes_done, memory_given;

static void interrupt_handler(struct machine *machine)
{
    uint32_t pending = load32(machine, INTCTL);
    if (pending & INT_OUT_OF_MEMORY) {
        store32(machine, BPOA, MORE_MEMORY);
        store32(machine, BPOS, MORE_BYTES);
    }
    store32(machine, INTCTL, pending); /* clears them: the line falls, inside of this store */
    lock(machine);                     /* then the guest may go on */
    memory_given += (pending & INT_OUT_OF_MEMORY) != 0;
    flushes_done += (pending & INT_FLUSH_DONE) != 0;
    frames_done += (pending & INT_FRAME_DONE) != 0;
    unlock(machine);
}

static uint32_t put(struct machine *machine, uint32_t at, uint32_t value, unsigned bytes)
{
    memcpy(machine->ram + at, &value, bytes);
    return at + bytes;
}

static uint32_t put_float(struct machine *machine, uint32_t at, float value)
{
    memcpy(machine->ram + at, &value, 4);
    return at + 4;
}

/* A record of a control list: its number, then fields, given as pairs of value and bytes up to a pair of
 * zeros. */
struct field {
    uint32_t value, bytes;
};
static uint32_t put_record(struct machine *machine, uint32_t at, uint8_t id, const struct field *fields)
{
    at = put(machine, at, id, 1);
    for (; fields->bytes; fields++)
        at = put(machine, at, fields->value, fields->bytes);
    return at;
}
#define RECORD(id, ...) (at = put_record(machine, at, id, (const struct field[]){__VA_ARGS__{0, 0}}))

/* Programs as `vitrail asm` makes them. The vertex programs copy rows of the vertex memory: the "guest"
 * shaded its vertices itself. */
static void write_programs(struct machine *machine)
{
    static const uint64_t fragment[] = {
        0x100009e7009e7000, 0x100009e7009e7000, /* nop; nop */
        0x400009e7009e7000,                     /* nop ; sbwait */
        0x10020ba715827d80,                     /* mov tlb_color, unif */
        0x300009e7009e7000, 0x100009e7009e7000, /* nop ; thrend; nop */
        0x500009e7009e7000,                     /* nop ; sbdone */
    };
    static const uint64_t set_up[][2] = {
        {0xe0025c6700001a00, 0xe0024c6700301a00}, /* ldi vw_setup, 0x1a00; ldi vr_setup, 0x301a00: 3 rows */
        {0xe0025c6700001a00, 0xe0024c6700701a00}, /* and 0x701a00: 7 rows */
    };
    static const uint64_t move = 0x10020c2715c27d80; /* mov vpm, vpm */
    static const uint64_t nop = 0x100009e7009e7000, end = 0x300009e7009e7000;
    memcpy(machine->ram + FRAGMENT_PROGRAM, fragment, sizeof fragment);
    for (unsigned i = 0; i < 2; i++) {
        uint8_t *at = machine->ram + (i ? COORDINATE_PROGRAM : VERTEX_PROGRAM);
        uint64_t words[16];
        unsigned n = 0;
        words[n++] = set_up[i][0];
        words[n++] = set_up[i][1];
        for (unsigned wait = 0; wait < 3; wait++) /* reads may begin three instructions after their set-up */
            words[n++] = nop;
        for (unsigned row = 0; row < (i ? 7u : 3u); row++)
            words[n++] = move;
        words[n++] = end;
        words[n++] = nop;
        words[n++] = nop;
        memcpy(at, words, n * sizeof *words);
    }
    put(machine, UNIFORMS, DRAW_COLOR, 4);
}

/* Each triangle covers the whole image. A vertex: clip coordinates for the binner, then what both programs
 * put out (Guide section 7, shaded vertex format): the position in sixteenths of a pixel, depth, 1/w. */
static void write_vertices(struct machine *machine)
{
    static const float corner[3][2] = {{-1, -1}, {3, -1}, {-1, 3}};
    uint32_t at = VERTICES;
    for (unsigned i = 0; i < TRIANGLES * 3; i++) {
        const float *xy = corner[i % 3];
        int32_t half = TILES * 64 * 16 / 2;
        at = put_float(machine, at, xy[0]);
        at = put_float(machine, at, xy[1]);
        at = put_float(machine, at, 0);
        at = put_float(machine, at, 1);
        at = put(machine, at, (uint16_t)((int32_t)xy[0] * half), 2);
        at = put(machine, at, (uint16_t)((int32_t)xy[1] * half), 2);
        at = put_float(machine, at, 0.5f);
        at = put_float(machine, at, 1);
    }
}

/* Guide section 9, GL shader state record: flags, then the three programs, then two attribute arrays. */
static void write_shader_record(struct machine *machine)
{
    uint32_t at = SHADER_RECORD;
    at = put(machine, at, 1 | 4, 2); /* single-threaded, clipping */
    at = put(machine, at, 0, 2);     /* no varyings */
    at = put(machine, at, FRAGMENT_PROGRAM, 4);
    at = put(machine, at, UNIFORMS, 4);
    at = put(machine, at, 12 << 24 | 2 << 16, 4); /* the vertex program has the second array, 12 bytes */
    at = put(machine, at, VERTEX_PROGRAM, 4);
    at = put(machine, at, UNIFORMS, 4);
    at = put(machine, at, 28 << 24 | 3 << 16, 4); /* the coordinate program has both */
    at = put(machine, at, COORDINATE_PROGRAM, 4);
    at = put(machine, at, UNIFORMS, 4);
    at = put(machine, at, VERTICES, 4);
    at = put(machine, at, 15 | 28 << 8 | 0 << 16 | 0 << 24, 4); /* bytes - 1, stride, places in the rows */
    at = put(machine, at, VERTICES + 16, 4);
    put(machine, at, 11 | 28 << 8 | 0 << 16 | 16u << 24, 4);
}

/* Guide table 38, by record number. Returns the list's end, as the next one does. */
static uint32_t write_binning_list(struct machine *machine)
{
    uint32_t at = BINNING_LIST;
    float half = TILES * 64 / 2;
    uint32_t scale;
    memcpy(&scale, &(float){half * 16}, 4);
    RECORD(112, {TILE_MEMORY, 4}, {TILE_MEMORY_BYTES, 4}, {TILE_STATE, 4}, {TILES, 1}, {TILES, 1}, {4, 1}, );
    RECORD(6, );                                               /* start */
    RECORD(56, {0x12, 1}, );                                   /* triangles, 32-bit coordinates */
    RECORD(102, {0, 4}, {TILES * 64 | TILES * 64 << 16, 4}, ); /* clip window */
    RECORD(64, {SHADER_RECORD | 2, 4}, );                      /* shader record, 2 attribute arrays */
    RECORD(96, {3 | 7 << 12, 3}, );                            /* both facings, depth test always */
    RECORD(103, {TILES * 64 * 8 | TILES * 64 * 8 << 16, 4}, ); /* viewport's centre */
    RECORD(105, {scale, 4}, {scale, 4}, );                     /* clip coordinates to sixteenths */
    RECORD(106, {0x3f000000, 4}, {0x3f000000, 4}, );           /* depth = z / 2 + 1/2 */
    RECORD(33, {4, 1}, {TRIANGLES * 3, 4}, {0, 4}, );          /* triangles of vertices 0.. */
    RECORD(4, );                                               /* flush */
    return at;
}

/* Clears each tile, runs its list, stores it. */
static uint32_t write_rendering_list(struct machine *machine)
{
    uint32_t at = RENDERING_LIST;
    RECORD(114, {CLEAR_COLOR, 4}, {CLEAR_COLOR, 4}, {0, 4}, {0, 1}, );
    RECORD(113, {IMAGE, 4}, {TILES * 64, 2}, {TILES * 64, 2}, {1 << 2, 2}, );
    RECORD(115, {0, 2}, ); /* tile 0,0 and a store of nothing: the tile buffer gets its clear colour */
    RECORD(28, {0, 2}, {0, 4}, );
    for (uint32_t i = 0; i < TILES * TILES; i++) {
        RECORD(115, {i % TILES, 1}, {i / TILES, 1}, );
        RECORD(17, {TILE_MEMORY + i * 32, 4}, ); /* its list begins in its first block, of 32 bytes */
        RECORD(i + 1 == TILES * TILES ? 25 : 24, );
    }
    return at;
}

static int fails(const char *what)
{
    fprintf(stderr, "device_model: %s\n", what);
    return 1;
}

/* Sleeps until *count is not 0. */
static int sleep_for(struct machine *machine, const unsigned *count)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    lock(machine);
    int late = 0;
    while (!*count && !late)
        late = pthread_cond_timedwait(&machine->served, &machine->lock, &until);
    unlock(machine);
    return late ? -1 : 0;
}

static int guest(struct machine *machine)
{
    if ((load32(machine, V3D_IDENT0) & 0xffffff) != 0x443356) /* "V3D" */
        return fails("no GPU found");
    lock(machine);
    machine->handler = interrupt_handler;
    unlock(machine);
    write_programs(machine);
    write_vertices(machine);
    write_shader_record(machine);
    store32(machine, INTENA, INT_FRAME_DONE | INT_FLUSH_DONE | INT_OUT_OF_MEMORY);

    store32(machine, CT0CA, BINNING_LIST);
    store32(machine, CT0EA, write_binning_list(machine));
    if (sleep_for(machine, &flushes_done) || !memory_given || flushes_done != 1)
        return fails("binning did not ask for memory, or did not end");
    store32(machine, CT1CA, RENDERING_LIST);
    store32(machine, CT1EA, write_rendering_list(machine));
    if (sleep_for(machine, &frames_done) || frames_done != 1)
        return fails("no frame was done");
    for (uint32_t i = 0; i < TILES * 64 * TILES * 64; i++) {
        if (load32(machine, IMAGE + i * 4) != DRAW_COLOR)
            return fails("the image is not what was drawn");
    }
    return 0;
}

int main(void)
{
    struct machine machine = {.ram_fd = -1,
                              .lock = PTHREAD_MUTEX_INITIALIZER,
                              .interrupt = PTHREAD_COND_INITIALIZER,
                              .served = PTHREAD_COND_INITIALIZER};
    if (power_on(&machine) < 0) {
        fprintf(stderr, "device_model: %s\n", vitrail_last_error());
        return 1;
    }
    int status = guest(&machine);
    vitrail_wait(machine.v3d); /* for what the callback has yet to be told */
    if (machine.line || !machine.edges)
        status = fails("the interrupt line did not follow");

    struct vitrail_fault fault = {.size = sizeof fault};
    while (vitrail_next_fault(machine.v3d, &fault) == 1) {
        char text[512];
        vitrail_fault_text(&fault, text, sizeof text);
        status = fails(text);
    }
    /* the line need not fall between memory's interrupt and that of the list which goes on with it */
    if (machine.edges < 2 || machine.edges > 3)
        status = fails("the interrupt line rose too often, or not often enough");
    printf("memory given %u times, %u lists binned, %u frames\n", memory_given, flushes_done, frames_done);
    power_off(&machine);
    return status;
}
