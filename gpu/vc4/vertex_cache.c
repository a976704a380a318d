/* The vertex program behind gpu/vertex_cache.h: tiles have it run for the vertices that they need. */
#include "gpu/vc4/device_internal.h"
#include "gpu/vc4/vertex.h"
#include "util/bits.h"

#define INDEX_MAX ((1u << 24) - 1)

/* The largest index whose attributes lie in memory, for the arrays the program fetches; 0 when none does.
 * *array: the address of the one that allows no more. */
static uint32_t largest_index(const struct gpu_memory *memory, const struct vc4_shader_state *state,
                              uint32_t *array)
{
    uint64_t limit = INDEX_MAX;
    for (uint32_t i = 0; i < state->attribute_count; i++) {
        const struct vc4_attribute *a = &state->attribute[i];
        if (!(state->vs.attribute_select & 1u << i))
            continue;
        uint64_t first_end = (uint64_t)a->address + a->bytes;
        if (first_end > memory->size)
            return 0; /* the preparation names the array */
        if (a->stride && (memory->size - first_end) / a->stride < limit) {
            limit = (memory->size - first_end) / a->stride;
            *array = a->address;
        }
    }
    return (uint32_t)limit;
}

static int shade(const void *stage, const uint32_t (*index)[16], uint32_t batches, uint32_t (*out)[16],
                 uint64_t *executed, struct gpu_fault *fault)
{
    struct vc4_vertex_group group = {.out = out};
    int error = vc4_vertex_shade_group(stage, index, batches, &group, fault);
    *executed += group.executed;
    return error;
}

int vc4_vertex_cache_init(struct gpu_vertex_cache *cache, struct util_arena *arena,
                          const struct gpu_memory *memory, struct jit_engine *engine,
                          const struct vc4_shader_state *state, uint32_t rows, uint32_t fuel,
                          struct gpu_fault *fault)
{
    struct gpu_vertex_shader *shader = &cache->shader;
    struct vc4_vertex_stage *stage;
    gpu_vertex_cache_init(cache, arena, rows);
    shader->max_index = largest_index(memory, state, &shader->last_array);
    int error =
        vc4_vertex_prepare(memory, engine, state, false, shader->max_index, fuel, arena, &stage, fault);
    if (error)
        return error;
    shader->shade = shade;
    shader->stage = stage;
    shader->rows = vc4_vertex_rows(stage);
    shader->insn_count = vc4_vertex_program(stage)->insn_count;
    shader->repeats = vc4_vertex_program(stage)->repeats;
    return 0;
}

void vc4_vertex_cache_finish(struct gpu_vertex_cache *cache)
{
    vc4_vertex_release(cache->shader.stage);
    cache->shader.stage = NULL;
}
