/* What a guest program meets: one draw's or dispatch's program and descriptors, prepared once, and sixteen
 * threads of it, whose ports (isa/midgard/ports.h, isa/warp/ports.h) these are. Who runs fragments takes the ports as they are
 * and puts its own in place of varyings, specials, tile and writeout. Internal to gpu/mali.
 *
 * A world is made by one thread and does not change afterwards, but for lookups, which are prepared when a
 * program first asks for one and kept behind a memo: any number of threads may run programs in it. Everything
 * pointed to is borrowed and lives as long as the world. */
#ifndef VITRAIL_GPU_MALI_WORLD_H
#define VITRAIL_GPU_MALI_WORLD_H

#include "gpu/mali/device.h"
#include "gpu/mali/draw.h"
#include "gpu/mali/format.h"
#include "gpu/mali/machine.h"
#include "gpu/observe.h"
#include "gpu/program.h"
#include "gpu/speculation.h"
#include "raster/texture/decode.h"
#include "util/memo.h"

struct isa_set;
struct mali_job;
struct mali_shading;

#define MALI_UNIFORMS_MOST 128u       /* words: 16 vec4s of Midgard, 64 double words since Bifrost */
#define MALI_STORAGE_MOST  (1u << 16) /* bytes of a thread's, and of a workgroup's storage, at most: ours */
/* An address that is nowhere: texels outside an image. Loads there give 0, stores do nothing. */
#define MALI_NOWHERE 0xffffffffffff0000ull
/* Bifrost's and Valhall's programs reach storage by addresses: where a thread's, and its workgroup's, begins. Ours,
 * beyond all spaces, and 4 GiB each; lower words count from 0. */
#define MALI_THREAD_STORAGE 0xfffe000000000000ull
#define MALI_GROUP_STORAGE  0xfffd000000000000ull

/* What a world's threads are; the registers that those of Bifrost and Valhall begin with are by that. */
enum mali_thread_kind {
    MALI_THREADS_OTHER, /* fragments: theirs are not the world's to say */
    MALI_THREADS_COMPUTE,
    MALI_THREADS_VERTEX,   /* of vertex jobs */
    MALI_THREADS_POSITION, /* of jobs that shade their own vertices (shading.h), by the program */
    MALI_THREADS_VARYING
};
/* MALI_REG_COMPUTE_LOCAL_XY, ... */
enum mali_reg {
#define PRELOAD(stage, name, reg) MALI_REG_##stage##_##name = (reg),
#include "gpu/mali/preloads.inc"
};
/* Those that are the world's to say. */
#define MALI_PRELOAD_FIRST ((unsigned)MALI_REG_COMPUTE_LOCAL_XY)
#define MALI_PRELOADS      (MALI_REG_COMPUTE_GLOBAL_Z - MALI_REG_COMPUTE_LOCAL_XY + 1u)

/* What a special value of programs of isa/warp is, as its set numbers it: MALI_SPECIAL_SIZE, ... of several the first. */
enum mali_special {
    MALI_SPECIAL_OTHER,
#define SPECIAL(name, count, bifrost, valhall)                                                               \
    MALI_SPECIAL_##name, MALI_SPECIAL_LAST_##name = MALI_SPECIAL_##name + (count) - 1,
#include "gpu/mali/specials.inc"
};
enum mali_special mali_special_of(enum mali_version version, unsigned number);

/* Of a device: programs of all its jobs, images of blocks as they were decoded. */
struct mali_programs {
    enum mali_kind kind;
    struct gpu_programs *programs;
    struct raster_decoder *decoder;
    struct util_maker *maker; /* of the memos of worlds */
    struct util_arena *arena; /* for worlds that live no longer than until the next mali_programs_begin */
    uint64_t epoch;           /* memory may have changed since the one before */
    struct gpu_speculation *speculation; /* of the pool's workers; NULL: not yet */
    _Atomic bool wanting; /* something kept with a program could not be made for want of memory */
};
/* Of a zeroed struct. 0 or -ENOMEM: mali_programs_destroy has to follow either way. */
int mali_programs_create(struct mali_programs *out, enum mali_kind kind);
void mali_programs_destroy(struct mali_programs *programs);
/* How programs of a GPU are decoded (program_kind.c); and the set that those of a version are of. */
const struct gpu_program_kind *mali_program_kind(enum mali_kind kind);
const struct isa_set *mali_program_set(enum mali_version version);
/* Before the first world of a job, when no world is in use: what a guest has piled up can go. */
void mali_programs_begin(struct mali_programs *programs, struct jit_engine *engine);

struct mali_world {
    const struct gpu_space *space;
    enum mali_version version;
    const char *unit; /* in faults; static */
    const struct mali_draw *draw;
    const struct mali_bindings *bindings;
    struct mali_programs *shared;
    struct gpu_program *from;
    const struct mali_decoded *program; /* of it */
    uint64_t address;                   /* of its first word */
    uint32_t uniform_count;
    uint32_t fuel;
    enum isa_numeric numeric;           /* how programs compute */
    uint32_t thread_bytes, group_bytes; /* of storage; 0: the program is given none */
    enum mali_thread_kind kind;         /* OTHER to begin with */
    const struct mali_shading *shading; /* of POSITION and VARYING */
    uint64_t pages, lookup_count;       /* that were looked at and made so far; atomic */
    struct mali_code *code;             /* what compiled code reads (world_ir.h), and the code; or NULL */
    struct jit_function *function;
    struct gpu_speculation *speculation; /* open; NULL: units that store run in their order */
    struct util_memo lookups;            /* lookup.h's */
    /* Words that programs have without asking for them, when the world is made, of uniform_count: Midgard's in r23 and
     * below. */
    uint32_t uniform[MALI_UNIFORMS_MOST];
};

/* Takes the program and what is the same for all its threads. `arena` is for lookups, and not reset while the
 * world is used. False and *stop: memory (page_fault: it may come), a program that is none, or no host
 * memory. mali_programs_begin came before. */
bool mali_world_begin(struct mali_world *world, const struct mali_job *job, const struct mali_draw *draw,
                      const struct mali_bindings *bindings, struct util_arena *arena, const char *unit,
                      struct mali_stop *stop);
/* The same with another program of the draw, as blend shaders are: its registers get `uniforms` as the draw's
 * program does. `shader`: its address with the first tag in the lower four bits. */
bool mali_world_begin_shader(struct mali_world *world, const struct mali_job *job,
                             const struct mali_draw *draw, const struct mali_bindings *bindings,
                             uint64_t shader, struct util_arena *arena, const char *unit,
                             struct mali_stop *stop);

/* The program, for observers (gpu/observe.h). */
struct gpu_observed_program mali_world_observed(const struct mali_world *world);

/* Sixteen threads: `ctx` of the ports. A worker has one and sets it for each sixteen. */
struct mali_threads {
    union { /* of the program's machine: mali_threads_begin's, of which fragments put their own in place of some */
        struct midgard_ports ports;
        struct warp_ports warp;
    };
    union { /* with the struct: NULL, or who is told of each instruction */
        midgard_trace_fn trace;
        warp_trace_fn warp_trace;
    };
    struct mali_world *world;
    uint32_t number[ISA_LANES]; /* linear: what attributes and stored varyings are found by */
    uint32_t local[3][ISA_LANES], group[3][ISA_LANES], global[3][ISA_LANES];
    uint32_t number_in_group[ISA_LANES], placed[3]; /* mali_grid_lanes's: the group that the lanes are of */
    uint8_t *thread_storage; /* the worker's: of sixteen threads one after the other, or NULL */
    uint8_t *group_storage;  /* NULL: there is none */
    uint32_t touched; /* bytes of each thread's storage from its beginning that may have been written */
    /* Of worlds with speculation: who runs this, its marks of stored pages (of a page alone outside of runs),
     * which bits of a page's number count there, and mali_threads_ask. */
    unsigned worker;
    uint32_t marked_pages;
    uint8_t *marks;
    void (*ask)(struct mali_threads *threads, const uint64_t address[16], uint32_t lanes, uint32_t bytes,
                uint32_t rights);
    /* Of Bifrost's and Valhall's programs, by mali_threads_preload: what registers begin with. */
    uint32_t preload[MALI_PRELOADS][ISA_LANES];
    struct mali_stop stop; /* why a port gave false: what the job ends with */
};

/* Of a zeroed struct: the world, and ports that are the same for all kinds of programs; what only fragments have
 * is a fault. Their ctx is the struct, which stays where it is. */
void mali_threads_begin(struct mali_threads *threads, struct mali_world *world);

/* For compiled code, of a run of the world's speculation: the pages of what lanes are about to use, as far as they are
 * to be had. */
void mali_threads_ask(struct mali_threads *threads, const uint64_t address[16], uint32_t lanes,
                      uint32_t bytes, uint32_t rights);

/* Registers that threads of Bifrost and Valhall find when they begin, of where mali_grid_lanes says that they are;
 * and all registers, those that nothing is given in as zeros. */
void mali_threads_preload(struct mali_threads *threads);
void mali_threads_registers(const struct mali_threads *threads, uint32_t reg[WARP_REGISTERS][ISA_LANES]);
/* Into *stop what a program's report, of a fault, comes to: the port's own reason, or the
 * program's. Returns false. */
bool mali_world_fault(const struct mali_threads *threads, const struct mali_report *report,
                      struct mali_stop *stop);

/* Parts of the ports, for those who put their own in place of some. A port's fault: sets threads->stop, and
 * *place. Returns false. */
bool mali_world_refuse(struct mali_threads *threads, unsigned lane, const struct mali_stop *stop,
                       struct isa_place *place);
/* A value of `format` (RASTER_..., plain) as a register gets it, and back: numbers become what `type` is. */
void mali_world_convert(enum raster_format format, uint32_t order, enum isa_type type, bool any_type,
                        const uint32_t word[4], uint32_t out[4]);
void mali_world_convert_back(enum raster_format format, uint32_t order, enum isa_type type, bool any_type,
                             const uint32_t in[4], uint32_t word[4]);
/* What a register of isa/warp has; by MALI_REGISTER_FILE_FORMAT_..., and as a message asks for it. */
struct mali_register_format {
    enum isa_type type;
    bool halves; /* 16 bits a component, two to a word */
};
extern const struct mali_register_format mali_register_formats[MALI_REGISTER_FILE_FORMAT_U16 + 1];
static inline struct mali_register_format mali_asked_format(const struct warp_asked *a)
{
    return (struct mali_register_format){(enum isa_type)a->type, a->halves && !a->any_type};
}
/* Integers of 16 bits that such registers have, of and as a word each; all others stay. Halves of floats are made and
 * taken as such. */
void mali_registers_narrow(const struct mali_register_format *format, uint32_t value[4]);
void mali_registers_widen(const struct mali_register_format *format, uint32_t value[4]);
/* Descriptor `index` of a list. NULL and *stop: it is beyond the list, cannot be read, or its format is none. */
const struct mali_attribute *mali_world_attribute(const struct mali_world *world, bool varying,
                                                  uint32_t index, const struct mali_array **array,
                                                  enum raster_format *format, struct mali_stop *stop);

#endif
