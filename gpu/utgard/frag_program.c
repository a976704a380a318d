/* Programs of fragments and their code. A frame looks for each once, at the first draw that has it: what it
 * has then, all its draws have. */
#include <errno.h>
#include <string.h>

#include "gpu/utgard/frag_internal.h"
#include "gpu/utgard/pp_fault.h"

#define UNIT "fragment program"

static int decode(const void *words, uint32_t count, struct gpu_program_decoded *out,
                  struct util_error *error)
{
    struct utgard_pp_program *program;
    int status = utgard_pp_program_create(words, count, &program, error);

    if (!status)
        *out = (struct gpu_program_decoded){program, program->word_count, program->insn_count};
    return status;
}

static void destroy(void *program)
{
    utgard_pp_program_destroy(program);
}

/* An instruction takes some 300 bytes decoded; a frame's programs have a few thousand. */
const struct gpu_program_kind utgard_pp_kind = {.word_bytes = sizeof(uint32_t),
                                                .most_words = UTGARD_PP_MAX_WORDS,
                                                .first_words = 1024,
                                                .many = 1u << 18,
                                                .most = 1u << 20,
                                                .decode = decode,
                                                .destroy = destroy};

void utgard_frag_shared_begin(struct utgard_frag_shared *shared, struct util_maker *maker,
                              struct util_arena *arena, struct gpu_programs *programs)
{
    shared->arena = arena;
    shared->programs = programs;
    util_memo_init(&shared->taken, maker, arena);
    gpu_programs_begin(programs);
    if (gpu_programs_are_many(programs))
        gpu_programs_empty(programs);
}

/* What the frame found at an address. */
struct taken {
    struct gpu_program *program;
    int error; /* and fault, when there is none: see utgard_frag_take_program */
    struct gpu_fault fault;
};

static int take(struct taken *taken, const struct gpu_space *space, struct gpu_programs *programs,
                uint32_t address)
{
    uint32_t bytes = gpu_space_extent(space, address, UTGARD_PP_MAX_WORDS * 4, GPU_RIGHT_READ);
    struct util_error error = {0};
    int status;

    if (bytes < 4) {
        utgard_pp_refuse(&taken->fault, GPU_FAULT_MEMORY, UNIT, address, "the program is outside memory");
        return -EFAULT;
    }
    status = gpu_programs_get(programs, space->window.base + address, bytes, &taken->program, &error);
    if (status)
        utgard_pp_refuse(&taken->fault, GPU_FAULT_SHADER, UNIT, address, "%s", error.text);
    return status;
}

int utgard_frag_take_program(struct utgard_frag *frag, const struct gpu_space *space,
                             struct utgard_frag_shared *shared, struct gpu_fault *fault)
{
    const struct util_memo_key key = {.head = &frag->address, .head_size = sizeof frag->address};
    enum util_make_status status;
    struct taken *taken = util_memo_get(&shared->taken, &key, sizeof *taken, &status);

    if (!taken)
        return -ENOMEM;
    if (status == UTIL_MAKING) {
        taken->error = take(taken, space, shared->programs, frag->address);
        status = util_memo_end(&shared->taken, taken, !taken->error);
    }
    if (status != UTIL_MADE) {
        *fault = taken->fault;
        return taken->error;
    }
    frag->from = taken->program;
    frag->program = taken->program->program;
    frag->words = taken->program->words;
    return 0;
}

/* ---- code ---- */

/* What a draw's code depends on besides the program and the texture keys, which are the key's tail. */
struct key {
    const struct jit_engine *engine;
    uint64_t in_order;
    struct utgard_frag_head head; /* its padding is zero */
};

/* As struct utgard_frag and its shader have them. */
struct code {
    struct jit_function *in_order, *deferred, *test, *one_block;
    bool opaque, has_quads;
    struct raster_shader_quads quads;
};

static bool find(struct utgard_frag *frag, bool in_order, struct code *code)
{
    bool found = utgard_frag_find_code(frag, in_order, &code->quads);
    const struct raster_shader *shader = &frag->shader;

    code->in_order = shader->in_order;
    code->deferred = shader->deferred;
    code->test = shader->test;
    code->one_block = frag->one_block;
    code->opaque = shader->opaque;
    code->has_quads = shader->quads;
    return found;
}

bool utgard_frag_take_code(struct utgard_frag *frag, bool in_order)
{
    struct key head;
    const struct util_memo_key key = {&head, sizeof head, frag->keys,
                                      frag->head.sample_count * sizeof *frag->keys};
    enum util_make_status status;
    struct code *code;

    memset(&head, 0, sizeof head);
    head.engine = frag->engine;
    head.in_order = in_order;
    memcpy(&head.head, &frag->head, sizeof head.head);
    code = gpu_program_code(frag->from, &key, sizeof *code, &status);
    if (status == UTIL_MAKING)
        return util_memo_end(&frag->from->codes, code, find(frag, in_order, code)) == UTIL_MADE;
    if (status != UTIL_MADE)
        return false;
    frag->shader.in_order = code->in_order;
    frag->shader.deferred = code->deferred;
    frag->shader.test = code->test;
    frag->shader.opaque = code->opaque;
    frag->shader.quads = code->has_quads ? &code->quads : NULL;
    frag->one_block = code->one_block;
    return true;
}
