/* Vertex and coordinate stages: what is checked once a draw, and running batches. */
#include "gpu/vc4/vertex.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/device_internal.h"
#include "gpu/vc4/frag.h"
#include "gpu/vc4/vertex_internal.h"
#include "util/bits.h"
#include "util/checked.h"

/* ---- preparation ---- */

/* Rows that the program may read. */
static uint64_t rows_read(const struct vc4_vpm_plan *plan)
{
    uint64_t rows = plan->known ? 0 : UINT64_MAX;
    for (uint32_t i = 0; plan->known && i < plan->reads; i++)
        rows |= 1ull << plan->read_row[i];
    return rows;
}

/* The array as far as `read` rows go; false when none of its rows is read. */
static bool array_trim(struct gpu_array *a, uint64_t read)
{
    read = read >> a->row & UINT64_MAX >> (VC4_VPM_ROWS - a->words);
    if (!read)
        return false;
    a->words = VC4_VPM_ROWS - (uint32_t)__builtin_clzll(read);
    a->bytes = UTIL_MIN(a->bytes, a->words * 4);
    return true;
}

static bool array_prepare(struct vc4_vertex_stage *stage, const struct vc4_attribute *a, unsigned number,
                          uint32_t offset, struct gpu_fault *fault)
{
    struct gpu_array *out = &stage->array[stage->array_count];
    uint32_t words = util_div_up(a->bytes, 4);
    if (offset & 3 || offset / 4 + words > VC4_VPM_ROWS)
        return gpu_fault_set(
            fault, GPU_FAULT_PACKET, stage->unit, a->address,
            "attribute array %u: %u bytes at VPM offset %u do not stand in whole rows below %u", number,
            a->bytes, offset, VC4_VPM_ROWS);
    /* 32 + 26 bits: the product cannot overflow. */
    uint64_t last = a->address + (uint64_t)a->stride * stage->max_index;
    if (!gpu_memory_at(stage->memory, last, a->bytes) || !gpu_memory_at(stage->memory, a->address, a->bytes))
        return gpu_fault_set(fault, GPU_FAULT_MEMORY, stage->unit, a->address,
                             "attribute array %u: element %u of %u bytes at stride %u lies outside memory",
                             number, stage->max_index, a->bytes, a->stride);
    *out = (struct gpu_array){
        .base = stage->memory->base + a->address,
        .stride = a->stride,
        .row = offset / 4,
        .bytes = a->bytes,
        .words = words,
    };
    if (!array_trim(out, rows_read(stage->plan)))
        return true;
    stage->array_count++;
    out->load = gpu_array_load_of(out, util_in_range(last, 16, stage->memory->size));
    stage->in_rows = UTIL_MAX(stage->in_rows, out->row + out->words);
    for (uint32_t i = 0; i < out->words; i++)
        stage->clear_rows &= ~(1ull << (out->row + i));
    return true;
}

static bool arrays_prepare(struct vc4_vertex_stage *stage, const struct vc4_shader_state *state,
                           bool coordinate, struct gpu_fault *fault)
{
    uint32_t select = coordinate ? state->cs.attribute_select : state->vs.attribute_select;
    stage->clear_rows = rows_read(stage->plan);
    stage->in_rows = VC4_VPM_ROWS - (uint32_t)__builtin_clzll(stage->clear_rows | 1);
    for (unsigned i = 0; i < VC4_MAX_ATTRIBUTES; i++) {
        if (!(select >> i & 1))
            continue;
        if (i >= state->attribute_count)
            return gpu_fault_set(fault, GPU_FAULT_PACKET, stage->unit, state->address,
                                 "attribute array %u is selected, but the record has %u", i,
                                 state->attribute_count);
        const struct vc4_attribute *a = &state->attribute[i];
        if (!array_prepare(stage, a, i, coordinate ? a->cs_offset : a->vs_offset, fault))
            return false;
    }
    return true;
}

static bool uniforms_prepare(struct vc4_vertex_stage *stage, struct gpu_fault *fault)
{
    uint32_t count = stage->program->uniform_count;
    uint64_t bytes = count * 4ull;
    const uint8_t *guest = bytes ? gpu_memory_at(stage->memory, stage->uniforms_at, bytes) : NULL;
    if (bytes && !guest)
        return gpu_fault_set(fault, GPU_FAULT_MEMORY, stage->unit, stage->uniforms_at,
                             "uniform stream of %u words lies outside memory", stage->program->uniform_count);
    if (bytes)
        memcpy(stage->uniforms, guest, bytes);
    for (uint32_t i = 0; i < count; i++)
        stage->numbers[i] = vc4_qpu_one_nan(stage->uniforms[i]);
    return true;
}

static bool textures_prepare(struct vc4_vertex_stage *stage, struct gpu_fault *fault)
{
    const struct vc4_qpu_program *program = stage->program;
    for (uint32_t i = 0; i < program->sample_count; i++) {
        const struct vc4_qpu_sample *s = &program->samples[i];
        uint32_t params[4];
        bool placed = !s->direct;
        for (unsigned k = 0; k < s->param_count && placed; k++) {
            placed = s->param[k] < program->uniform_count;
            params[k] = placed ? stage->uniforms[s->param[k]] : 0;
        }
        if (placed && !vc4_texture_decode(stage->memory, params, s->param_count, s->has_r, s->has_b,
                                          &stage->keys[i], &stage->textures[i], fault)) {
            fault->unit = stage->unit;
            fault->pc = s->insn;
            return false;
        }
    }
    return true;
}

/* Rows that a batch's reader may look at, and those that the program writes. */
static bool rows_prepare(struct vc4_vertex_stage *stage, const struct vc4_shader_state *state,
                         bool coordinate, struct gpu_fault *fault)
{
    uint32_t read = coordinate ? 7u + state->point_size : 3u + state->point_size + state->varying_count;
    if (read > VC4_VPM_ROWS)
        return gpu_fault_set(fault, GPU_FAULT_PACKET, stage->unit, state->address,
                             "%u varyings do not fit a vertex of %u rows", state->varying_count,
                             VC4_VPM_ROWS);
    stage->rows = stage->plan->known ? read : VC4_VPM_ROWS;
    for (uint32_t i = 0; i < stage->plan->writes; i++)
        stage->rows = UTIL_MAX(stage->rows, stage->plan->write_row[i] + 1u);
    stage->clear_out = UINT64_MAX >> (VC4_VPM_ROWS - stage->rows);
    return true;
}

/* Analysis placed the uniforms behind a reset of the stream for words that hold the stream's own address. */
static bool resets_are_known(const struct vc4_vertex_stage *stage)
{
    const struct vc4_qpu_program *program = stage->program;
    for (uint32_t i = 0; i < program->reset_word_count; i++)
        if (program->reset_words[i] >= program->uniform_count ||
            stage->uniforms[program->reset_words[i]] != stage->uniforms_at)
            return false;
    return true;
}

/* What cannot be compiled is interpreted: same results, slower. */
static void code_prepare(struct vc4_vertex_stage *stage, struct jit_engine *engine,
                         struct gpu_program *cached)
{
    if (!engine || !resets_are_known(stage))
        return;
    vc4_vertex_code_find(cached, stage, engine);
    for (uint32_t i = 0; stage->function && i < stage->plan->writes; i++)
        stage->clear_out &= ~(1ull << stage->plan->write_row[i]);
}

/* The stage and what hangs on it in one piece; zero but for what the shader record says. */
static struct vc4_vertex_stage *stage_make(const struct gpu_memory *memory,
                                           const struct vc4_shader_state *state, bool coordinate,
                                           struct util_arena *arena)
{
    const struct vc4_stage *from = coordinate ? &state->cs : &state->vs;
    const struct vc4_qpu_program *program = from->program;
    size_t samples = program->sample_count, words = program->uniform_count;
    struct vc4_vertex_stage *stage;
    size_t textures = util_align(sizeof *stage, 16), keys = textures + samples * sizeof *stage->textures;
    size_t uniforms = util_align(keys + samples * sizeof *stage->keys, 16);
    size_t size = uniforms + 2 * words * sizeof *stage->uniforms;
    uint8_t *bytes = arena ? util_arena_alloc(arena, size) : malloc(size);
    if (!bytes)
        return NULL;
    memset(bytes, 0, size);
    stage = (struct vc4_vertex_stage *)bytes;
    stage->textures = (struct raster_texture *)(bytes + textures);
    stage->keys = (struct raster_texture_key *)(bytes + keys);
    stage->uniforms = (uint32_t *)(bytes + uniforms);
    stage->numbers = stage->uniforms + words;
    stage->arena = arena;
    stage->memory = memory;
    stage->program = program;
    stage->unit = coordinate ? "coordinate program" : "vertex program";
    stage->code = from->code;
    stage->uniforms_at = from->uniforms;
    stage->numeric = state->numeric;
    stage->plan = vc4_vertex_plan(from->cached, program, &stage->own_plan);
    if (stage->plan)
        return stage;
    vc4_vertex_release(stage);
    return NULL;
}

int vc4_vertex_prepare(const struct gpu_memory *memory, struct jit_engine *engine,
                       const struct vc4_shader_state *state, bool coordinate, uint32_t max_index,
                       uint32_t fuel, struct util_arena *arena, struct vc4_vertex_stage **out,
                       struct gpu_fault *fault)
{
    struct vc4_vertex_stage *stage = stage_make(memory, state, coordinate, arena);
    *out = NULL;
    if (!stage) {
        gpu_fault_set(fault, GPU_FAULT_SHADER, "vertex stage", state->address,
                      "no host memory for the stage");
        return -ENOMEM;
    }
    stage->max_index = max_index;
    stage->fuel = fuel;
    if (!rows_prepare(stage, state, coordinate, fault) || !arrays_prepare(stage, state, coordinate, fault) ||
        !uniforms_prepare(stage, fault) || !textures_prepare(stage, fault)) {
        vc4_vertex_release(stage);
        return -EFAULT;
    }
    code_prepare(stage, engine, coordinate ? state->cs.cached : state->vs.cached);
    *out = stage;
    return 0;
}

void vc4_vertex_compile_ahead(const struct gpu_memory *memory, struct jit_engine *engine,
                              const struct vc4_shader_state *state)
{
    const struct gpu_program *cached = state->vs.cached;
    struct gpu_fault ignored;
    if (!cached || !util_memo_is_empty(&cached->codes))
        return;
    struct vc4_vertex_stage *stage = stage_make(memory, state, false, NULL);
    if (stage && uniforms_prepare(stage, &ignored) && textures_prepare(stage, &ignored) &&
        resets_are_known(stage))
        vc4_vertex_compile_begin(stage, engine);
    vc4_vertex_release(stage);
}

void vc4_vertex_release(struct vc4_vertex_stage *stage)
{
    if (!stage)
        return;
    free(stage->own_plan);
    if (!stage->arena)
        free(stage);
}

uint32_t vc4_vertex_rows(const struct vc4_vertex_stage *stage)
{
    return stage->rows;
}

const struct vc4_qpu_program *vc4_vertex_program(const struct vc4_vertex_stage *stage)
{
    return stage->program;
}

/* ---- running ---- */

static uint32_t run_compiled(const struct vc4_vertex_stage *stage, const uint32_t (*in)[16],
                             uint32_t (*out)[16], uint32_t count, struct vc4_vertex_args *args)
{
    *args = (struct vc4_vertex_args){
        .uniforms = stage->uniforms,
        .numbers = stage->numbers,
        .textures = stage->textures,
        .memory = stage->memory->base,
        .last_word = (uint32_t)(stage->memory->size - 4),
        .fuel = stage->fuel,
        .uniforms_at = stage->uniforms_at,
        .in_bytes = stage->in_rows * (uint32_t)sizeof *in,
        .out_bytes = stage->rows * (uint32_t)sizeof *out,
    };
    vc4_vertex_fn run = (vc4_vertex_fn)jit_function_code(stage->function);
    uint32_t code = run(args, in, out, count);
    jit_function_ran(stage->function, args->executed);
    return code;
}

/* Batches in order by themselves: the first that faults is the one to be reported. */
static int find_fault(const struct vc4_vertex_stage *stage, const uint32_t (*in)[16], uint32_t count,
                      struct vc4_vertex_group *group, struct gpu_fault *fault)
{
    for (uint32_t i = 0; i < count; i++) {
        struct vc4_vertex_args args;
        uint32_t code = run_compiled(stage, in + i * stage->in_rows, group->out + i * stage->rows, 1, &args);
        if (!code && !args.faulted) {
            group->executed += args.executed;
            continue;
        }
        struct isa_fault said = isa_fault_unpack(code);
        struct vc4_qpu_report report = {
            .fault = (enum vc4_qpu_fault)said.kind, .pc = said.pc, .lane = said.lane};
        if (args.faulted) /* came first: the translator's faults end the program */
            report = (struct vc4_qpu_report){
                .fault = VC4_QPU_FAULT_MEMORY, .pc = args.pc, .lane = args.lane, .address = args.address};
        vc4_vertex_fault(stage, &report, fault);
        group->faulted = i;
        return -EFAULT;
    }
    return 0;
}

static int shade_compiled(const struct vc4_vertex_stage *stage, const uint32_t (*in)[16], uint32_t count,
                          struct vc4_vertex_group *group, struct gpu_fault *fault)
{
    struct vc4_vertex_args args;
    uint32_t code = run_compiled(stage, in, group->out, count, &args);
    if (code || args.faulted)
        return find_fault(stage, in, count, group, fault);
    group->executed += args.executed;
    return 0;
}

static int shade_interpreted(const struct vc4_vertex_stage *stage, const uint32_t (*in)[16], uint32_t count,
                             struct vc4_vertex_group *group, struct gpu_fault *fault)
{
    for (uint32_t i = 0; i < count; i++)
        if (vc4_vertex_interpret(stage, in + i * stage->in_rows, group->out + i * stage->rows,
                                 &group->executed, fault)) {
            group->faulted = i;
            return -EFAULT;
        }
    return 0;
}

static uint32_t greatest_of(const uint32_t index[16])
{
    uint32_t greatest = 0;
    for (unsigned i = 0; i < 16; i++)
        greatest = UTIL_MAX(greatest, index[i]);
    return greatest;
}

/* Attributes as the VCD fetches them (Guide section 7): each element's bytes packed from its first row on. */
static void fetch(const struct vc4_vertex_stage *stage, const uint32_t index[16], uint32_t (*in)[16])
{
    for (uint64_t rows = stage->clear_rows; rows; rows &= rows - 1)
        memset(in[__builtin_ctzll(rows)], 0, sizeof in[0]);
    gpu_array_words(stage->array, stage->array_count, index, in);
}

int vc4_vertex_shade_group(const struct vc4_vertex_stage *stage, const uint32_t (*index)[16], uint32_t count,
                           struct vc4_vertex_group *group, struct gpu_fault *fault)
{
    alignas(64) uint32_t in[VC4_VERTEX_GROUP * VC4_VPM_ROWS][16];
    const uint32_t(*rows)[16] = (const uint32_t(*)[16])in;
    for (uint32_t b = 0; b < count; b++) {
        uint32_t greatest = greatest_of(index[b]);
        if (greatest > stage->max_index) {
            gpu_fault_set(fault, GPU_FAULT_PACKET, stage->unit, stage->code,
                          "vertex index %u is greater than the maximum, %u", greatest, stage->max_index);
            group->faulted = b;
            return -EFAULT;
        }
        fetch(stage, index[b], in + b * stage->in_rows);
        for (uint64_t clear = stage->clear_out; clear; clear &= clear - 1)
            memset(group->out[b * stage->rows + (uint32_t)__builtin_ctzll(clear)], 0, sizeof *group->out);
    }
    return stage->function ? shade_compiled(stage, rows, count, group, fault)
                           : shade_interpreted(stage, rows, count, group, fault);
}

int vc4_vertex_shade(const struct vc4_vertex_stage *stage, const uint32_t index[16],
                     struct vc4_vertex_batch *out, struct gpu_fault *fault)
{
    struct vc4_vertex_group group = {.out = out->row};
    return vc4_vertex_shade_group(stage, (const uint32_t(*)[16])index, 1, &group, fault);
}
