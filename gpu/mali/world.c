/* What a program meets: the program, registers that it begins with, and reasons why it ended. */
#include "gpu/mali/world.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/mali/device_internal.h"
#include "gpu/mali/world_internal.h"
#include "util/bits.h"

#define TAG_ALIGN     16u /* the tag stands below a program's address: Midgard */
#define VEC4_BYTES    16u
#define WORDS_MOST    64u /* of 64 bits since Bifrost */
#define WORD_BYTES    8u
#define STORAGE_UNIT  16u
#define VEC4S_MOST    16u                 /* of Midgard in registers: r23 to r8 */
#define DECODED_BYTES (UINT64_C(1) << 28) /* of images of blocks, kept between jobs */

/* ---- programs ---- */

int mali_programs_create(struct mali_programs *out, enum mali_kind kind)
{
    out->kind = kind;
    out->maker = malloc(sizeof *out->maker);
    if (!out->maker)
        return -ENOMEM;
    util_maker_init(out->maker);
    int error = util_arena_create(&out->arena);
    if (!error)
        error = gpu_programs_create(mali_program_kind(kind), &out->programs);
    return error ? error : raster_decoder_create(DECODED_BYTES, &out->decoder);
}

void mali_programs_destroy(struct mali_programs *programs)
{
    gpu_programs_destroy(programs->programs);
    gpu_speculation_destroy(programs->speculation);
    raster_decoder_destroy(programs->decoder);
    util_arena_destroy(programs->arena);
    if (programs->maker)
        util_maker_destroy(programs->maker);
    free(programs->maker);
    *programs = (struct mali_programs){0};
}

void mali_programs_begin(struct mali_programs *programs, struct jit_engine *engine)
{
    bool renew = engine && jit_engine_is_full(engine);
    gpu_programs_begin(programs->programs);
    const bool wanting = atomic_exchange_explicit(&programs->wanting, false, memory_order_relaxed);
    if (renew || wanting || gpu_programs_are_many(programs->programs))
        gpu_programs_empty(programs->programs);
    if (renew)
        (void)jit_engine_renew(engine); /* with other users it stays full: their programs are interpreted */
    raster_decoder_trim(programs->decoder);
    util_arena_reset(programs->arena);
    programs->epoch++;
}

static bool take_program(struct mali_world *w, uint64_t shader, struct mali_stop *stop)
{
    struct util_error error;
    const struct gpu_program_kind *kind = mali_program_kind(w->shared->kind);
    const uint32_t align = w->version <= MALI_V5 ? TAG_ALIGN : kind->word_bytes;
    error.text[0] = 0; /* all that is asked for */
    w->address = shader & ~(uint64_t)(align - 1);
    const uint32_t rights = GPU_RIGHT_READ | GPU_RIGHT_EXECUTE;
    if (!mali_at(w->space, w->address, kind->word_bytes, rights, w->unit, "program", stop))
        return false;
    uint32_t bytes = gpu_space_extent(w->space, w->address, kind->most_words * kind->word_bytes, rights) &
                     ~(kind->word_bytes - 1);
    int status =
        gpu_programs_get(w->shared->programs, w->space->window.base + w->address, bytes, &w->from, &error);
    if (status)
        return mali_stop_set(stop, status == -ENOMEM ? MALI_OOM : MALI_INSTR_INVALID_ENC, GPU_FAULT_SHADER,
                             w->unit, w->address, "%s",
                             status == -ENOMEM ? "no host memory for a program" : error.text);
    w->program = w->from->program;
    unsigned first = shader & (align - 1);
    const struct midgard_program *m = w->program->midgard;
    if (m && first && m->insns[0].tag != first)
        return mali_stop_set(stop, MALI_INSTR_INVALID_PC, GPU_FAULT_SHADER, w->unit, w->address,
                             "the program begins with tag %u, not with %u as its pointer says",
                             m->insns[0].tag, first);
    return true;
}

/* ---- what is the same for all threads ---- */

struct pushed {
    uint64_t address;
    uint32_t count, most, bytes; /* of how many bytes each */
};

static struct pushed pushed_uniforms(enum mali_version version, const struct mali_draw *draw,
                                     const struct mali_bindings *b)
{
    if (version <= MALI_V5)
        return (struct pushed){draw->push_uniforms, b->state.uniform_count, VEC4S_MOST, VEC4_BYTES};
    if (version <= MALI_V7)
        return (struct pushed){draw->push_uniforms, b->state.preload_uniform_count, WORDS_MOST, WORD_BYTES};
    return (struct pushed){b->environment.fau, (uint32_t)b->environment.fau_count, WORDS_MOST, WORD_BYTES};
}

static bool take_uniforms(struct mali_world *w, struct mali_stop *stop)
{
    const struct pushed pushed = pushed_uniforms(w->version, w->draw, w->bindings);
    if (pushed.count > pushed.most)
        return mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_PACKET, w->unit, w->draw->state,
                             "%u uniforms in registers, of which there are %u", pushed.count, pushed.most);
    uint32_t bytes = pushed.count * pushed.bytes;
    w->uniform_count = bytes / (uint32_t)sizeof w->uniform[0];
    if (!bytes)
        return true;
    const uint8_t *at =
        mali_at(w->space, pushed.address, bytes, GPU_RIGHT_READ, w->unit, "uniforms in registers", stop);
    if (at)
        memcpy(w->uniform, at, bytes);
    return at;
}

/* Of a thread 16 << size bytes; of a workgroup half of 1 << scale, unless there are 2^31 instances, which says
 * that there are none (Mesa's pan_scratch.c, pan_emit_tls). */
static bool take_storage(struct mali_world *w, struct mali_stop *stop)
{
    const struct mali_storage *s = &w->bindings->storage;
    uint64_t thread = s->tls_base_pointer ? (uint64_t)STORAGE_UNIT << s->tls_size : 0;
    bool none = s->wls_instances == 1u << 31 || !s->wls_size_scale;
    uint64_t group = none ? 0 : (1ull << s->wls_size_scale) / 2;
    if (thread > MALI_STORAGE_MOST || group > MALI_STORAGE_MOST)
        return mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_UNSUPPORTED, w->unit,
                             w->draw->thread_storage,
                             "storage of %llu bytes a thread, %llu a workgroup: more than %u",
                             (unsigned long long)thread, (unsigned long long)group, MALI_STORAGE_MOST);
    w->thread_bytes = (uint32_t)thread;
    w->group_bytes = (uint32_t)group;
    return true;
}

bool mali_world_begin_shader(struct mali_world *w, const struct mali_job *job, const struct mali_draw *draw,
                             const struct mali_bindings *bindings, uint64_t shader, struct util_arena *arena,
                             const char *unit, struct mali_stop *stop)
{
    memset(w, 0, offsetof(struct mali_world, lookups));
    w->space = job->space;
    w->version = job->version;
    w->unit = unit;
    w->draw = draw;
    w->bindings = bindings;
    w->shared = &job->device->programs;
    w->fuel = job->device->options.fuel;
    w->numeric = job->device->options.numeric;
    util_memo_init(&w->lookups, w->shared->maker, arena);
    w->lookups.recalls = true;
    return take_program(w, shader, stop) && take_uniforms(w, stop) && take_storage(w, stop);
}

bool mali_world_begin(struct mali_world *w, const struct mali_job *job, const struct mali_draw *draw,
                      const struct mali_bindings *bindings, struct util_arena *arena, const char *unit,
                      struct mali_stop *stop)
{
    return mali_world_begin_shader(w, job, draw, bindings, bindings->state.shader, arena, unit, stop);
}

/* ---- faults ---- */

bool mali_world_refuse(struct mali_threads *t, unsigned lane, const struct mali_stop *stop,
                       struct isa_place *place)
{
    t->stop = *stop;
    *place = (struct isa_place){lane, stop->address};
    return false;
}

static enum mali_exception exception_of(enum isa_fault_class class)
{
    switch (class) {
    case ISA_FAULT_ENDLESS: return MALI_ACTIVE;
    case ISA_FAULT_MEMORY: return MALI_ADDR_RANGE_FAULT;
    default: return MALI_INSTR_INVALID_ENC;
    }
}

bool mali_world_fault(const struct mali_threads *t, const struct mali_report *report, struct mali_stop *stop)
{
    const struct mali_world *w = t->world;
    const struct mali_decoded *p = w->program;
    const struct isa_fault_row *row = p->warp ? &warp_faults[report->fault] : &midgard_faults[report->fault];
    if (row->class == ISA_FAULT_MEMORY && t->stop.fault.kind)
        *stop = t->stop;
    else
        mali_stop_set(stop, exception_of(row->class), gpu_fault_kind_of(row->class), w->unit,
                      w->address + (uint64_t)report->at * p->word_bytes, "%s%s%s", row->text,
                      report->name ? ": " : "", report->name ? report->name : "");
    stop->fault.pc = report->at;
    stop->fault.lane = report->place.lane;
    return false;
}

struct gpu_observed_program mali_world_observed(const struct mali_world *world)
{
    const struct mali_decoded *p = world->program;
    return (struct gpu_observed_program){.set = mali_program_set(world->version),
                                         .words = world->from->words,
                                         .stride = p->word_bytes,
                                         .word_count = p->word_count,
                                         .insn_count = p->warp ? warp_listed_count(p->warp) : p->insn_count,
                                         .hash = p->hash,
                                         .address = (uint32_t)world->address,
                                         .branches = p->branches};
}

/* ---- ports that are nobody's here ---- */

static bool refuse(struct mali_threads *t, uint16_t lanes, const char *what, struct isa_place *place)
{
    struct mali_stop stop;
    mali_stop_set(&stop, MALI_INSTR_TYPE_MISMATCH, GPU_FAULT_UNSUPPORTED, t->world->unit, t->world->address,
                  "the program asks for %s, which only fragments have", what);
    return mali_world_refuse(t, (unsigned)__builtin_ctz(lanes), &stop, place);
}

static bool varying(void *ctx, const struct isa_attribute *a, uint16_t lanes, uint32_t out[4][16],
                    struct isa_place *place)
{
    return refuse(ctx, lanes, "a varying", place);
}

static bool special(void *ctx, const uint32_t selector[16], enum isa_type type, uint16_t lanes,
                    uint32_t out[4][16], struct isa_place *place)
{
    return refuse(ctx, lanes, "a special register", place);
}

static bool tile(void *ctx, enum midgard_tile form, uint32_t target, const uint32_t sample[16],
                 uint16_t lanes, uint32_t out[4][16], struct isa_place *place)
{
    return refuse(ctx, lanes, "the tile", place);
}

static bool store_tile(void *ctx, enum midgard_tile form, uint32_t target, const uint32_t sample[16],
                       uint16_t lanes, const uint32_t value[4][16], struct isa_place *place)
{
    return refuse(ctx, lanes, "the tile", place);
}

static bool writeout(void *ctx, const struct midgard_writeout *what, uint16_t lanes, struct isa_place *place)
{
    return refuse(ctx, lanes, "a writeout", place);
}

void mali_threads_begin(struct mali_threads *threads, struct mali_world *world)
{
    threads->world = world;
    threads->ask = mali_threads_ask;
    if (world->program->warp) {
        mali_threads_begin_warp(threads);
        return;
    }
    threads->ports = (struct midgard_ports){.ctx = threads,
                                            .numeric = world->numeric,
                                            .attribute = mali_port_attribute,
                                            .varying = varying,
                                            .store_varying = mali_port_store_varying,
                                            .image = mali_port_image,
                                            .store_image = mali_port_store_image,
                                            .image_address = mali_port_image_address,
                                            .uniform = mali_port_uniform,
                                            .load = mali_port_load,
                                            .store = mali_port_store,
                                            .atomic = mali_port_atomic,
                                            .argument = mali_port_argument,
                                            .special = special,
                                            .tile = tile,
                                            .store_tile = store_tile,
                                            .pack = mali_port_pack,
                                            .cube = mali_port_cube,
                                            .texture = mali_port_texture,
                                            .writeout = writeout};
}
