/* What a program meets: the program, registers that it begins with, and reasons why it ended. */
#include "gpu/mali/world.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/mali/device_internal.h"
#include "gpu/mali/world_internal.h"
#include "util/bits.h"

#define QUAD_BYTES    16u
#define UNIFORMS_MOST 16u                 /* vec4s in registers: r23 to r8 */
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
    if (renew || gpu_programs_are_many(programs->programs))
        gpu_programs_empty(programs->programs);
    if (renew)
        (void)jit_engine_renew(engine); /* with other users it stays full: their programs are interpreted */
    raster_decoder_trim(programs->decoder);
    util_arena_reset(programs->arena);
    programs->epoch++;
}

static bool take_program(struct mali_world *w, uint64_t shader, struct mali_stop *stop)
{
    struct util_error error = {0};
    w->address = shader & ~(uint64_t)(QUAD_BYTES - 1);
    const uint32_t rights = GPU_RIGHT_READ | GPU_RIGHT_EXECUTE;
    if (!mali_at(w->space, w->address, QUAD_BYTES, rights, w->unit, "program", stop))
        return false;
    uint32_t bytes =
        gpu_space_extent(w->space, w->address, MIDGARD_MAX_QUADS * QUAD_BYTES, rights) & ~(QUAD_BYTES - 1);
    int status =
        gpu_programs_get(w->shared->programs, w->space->window.base + w->address, bytes, &w->from, &error);
    if (status)
        return mali_stop_set(stop, status == -ENOMEM ? MALI_OOM : MALI_INSTR_INVALID_ENC, GPU_FAULT_SHADER,
                             w->unit, w->address, "%s",
                             status == -ENOMEM ? "no host memory for a program" : error.text);
    w->program = w->from->program;
    unsigned first = shader & (QUAD_BYTES - 1);
    if (first && w->program->insns[0].tag != first)
        return mali_stop_set(stop, MALI_INSTR_INVALID_PC, GPU_FAULT_SHADER, w->unit, w->address,
                             "the program begins with tag %u, not with %u as its pointer says",
                             w->program->insns[0].tag, first);
    return true;
}

/* ---- what is the same for all threads ---- */

static bool take_uniforms(struct mali_world *w, struct mali_stop *stop)
{
    w->uniform_count = w->bindings->state.uniform_count;
    if (w->uniform_count > UNIFORMS_MOST)
        return mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_PACKET, w->unit, w->draw->state,
                             "%u uniforms in registers, of which there are %u", w->uniform_count,
                             UNIFORMS_MOST);
    if (!w->uniform_count)
        return true;
    uint32_t bytes = w->uniform_count * (uint32_t)sizeof w->uniform[0];
    const uint8_t *at = mali_at(w->space, w->draw->push_uniforms, bytes, GPU_RIGHT_READ, w->unit,
                                "uniforms in registers", stop);
    if (at)
        memcpy(w->uniform, at, bytes);
    return at;
}

/* Of a thread 16 << size bytes; of a workgroup half of 1 << scale, unless there are 2^31 instances, which says
 * that there are none (Mesa's pan_scratch.c, pan_emit_tls). */
static bool take_storage(struct mali_world *w, struct mali_stop *stop)
{
    const struct mali_storage *s = &w->bindings->storage;
    uint64_t thread = s->tls_base_pointer ? (uint64_t)QUAD_BYTES << s->tls_size : 0;
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
    *w = (struct mali_world){.space = job->space,
                             .version = job->version,
                             .unit = unit,
                             .draw = draw,
                             .bindings = bindings,
                             .shared = &job->device->programs,
                             .fuel = job->device->options.fuel};
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

struct midgard_input mali_world_input(const struct mali_world *w, uint16_t lanes, uint16_t helpers)
{
    return (struct midgard_input){.uniform = w->uniform,
                                  .uniform_count = w->uniform_count,
                                  .address = w->address,
                                  .lanes = lanes,
                                  .helpers = helpers,
                                  .fuel = w->fuel};
}

/* ---- faults ---- */

bool mali_world_refuse(struct mali_threads *t, unsigned lane, const struct mali_stop *stop,
                       struct isa_place *place)
{
    t->stop = *stop;
    *place = (struct isa_place){lane, stop->address};
    return false;
}

static enum mali_exception exception_of(enum midgard_fault fault)
{
    switch (fault) {
    case MIDGARD_FAULT_FUEL: return MALI_ACTIVE;
    case MIDGARD_FAULT_ADDRESS: return MALI_ADDR_RANGE_FAULT;
    default: return MALI_INSTR_INVALID_ENC;
    }
}

bool mali_world_fault(const struct mali_threads *t, const struct midgard_report *report,
                      struct mali_stop *stop)
{
    const struct mali_world *w = t->world;
    const struct isa_fault_row *row = &midgard_faults[report->fault];
    if (report->fault == MIDGARD_FAULT_ADDRESS && t->stop.fault.kind)
        *stop = t->stop;
    else
        mali_stop_set(stop, exception_of(report->fault), gpu_fault_kind_of(row->class), w->unit,
                      w->address + (uint64_t)report->at * QUAD_BYTES, "%s", row->text);
    stop->fault.pc = report->at;
    stop->fault.lane = report->place.lane;
    return false;
}

struct gpu_observed_program mali_world_observed(const struct mali_world *world)
{
    const struct midgard_program *p = world->program;
    return (struct gpu_observed_program){.set = isa_set_find("midgard"),
                                         .words = world->from->words,
                                         .stride = QUAD_BYTES,
                                         .word_count = p->quad_count,
                                         .insn_count = p->insn_count,
                                         .hash = p->hash,
                                         .address = (uint32_t)world->address,
                                         .branches = p->block_count > 1};
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
    threads->ports = (struct midgard_ports){.ctx = threads,
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
