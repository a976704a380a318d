/* GP programs, kept with their code for each layout of arrays. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/program_key.h"
#include "gpu/utgard/vertex_internal.h"

static int decode(const void *words, uint32_t count, struct gpu_program_decoded *out,
                  struct util_error *error)
{
    struct utgard_gp_program *program;
    int status = utgard_gp_program_create(words, count, &program, error);
    if (!status)
        *out = (struct gpu_program_decoded){program, program->insn_count, program->insn_count};
    return status;
}

static void destroy(void *program)
{
    utgard_gp_program_destroy(program);
}

const struct gpu_program_kind utgard_gp_kind = {.word_bytes = sizeof(uint64_t[UTGARD_GP_WORDS]),
                                                .most_words = UTGARD_GP_MAX_INSNS,
                                                .first_words = UTGARD_GP_MAX_INSNS,
                                                .exact = true,
                                                .many = 1u << 20,
                                                .most = 4u << 20,
                                                .decode = decode,
                                                .destroy = destroy};

/* What a key begins with; the program's words follow. */
struct head {
    char mark[16];
    struct gpu_vertex_layout layout;
};
static const char mark[16] = "utgard vertex 7";

static int emit_key(struct jit_builder *b, const void *key, size_t size)
{
    struct jit_key_reader in = {key, size};
    struct gpu_program_recipe recipe;
    struct head head;
    if (!jit_key_read(&in, &head, sizeof head))
        return -EINVAL;
    int status =
        gpu_program_key_read(&in, &utgard_gp_kind, (uint32_t)(in.left / utgard_gp_kind.word_bytes), &recipe);
    if (status)
        return status;
    struct utgard_vertex_variant variant = {recipe.program, head.layout};
    status = utgard_vertex_emit(b, &variant);
    gpu_program_recipe_finish(&recipe);
    return status;
}

static struct jit_function *compile(const struct utgard_gp_program *program, struct jit_engine *engine,
                                    const struct gpu_vertex_layout *layout)
{
    struct utgard_vertex_variant variant = {program, *layout};
    struct head head = {.layout = *layout};
    struct jit_request request = {.name = "utgard_vertex_program",
                                  .emit = utgard_vertex_emit,
                                  .data = &variant,
                                  .emit_key = emit_key,
                                  .run_cost = program->insn_count};
    struct jit_function *function = NULL;
    memcpy(head.mark, mark, sizeof mark);
    uint8_t *key =
        gpu_program_key_write(&head, sizeof head, (struct jit_key_part){0},
                              (struct jit_key_part){program->insns->word, sizeof program->insns->word,
                                                    program->insn_count, sizeof *program->insns},
                              &request.key_size);
    request.key = key;
    if (!key || jit_engine_get_function(engine, &request, &function, NULL))
        function = NULL;
    free(key);
    return function;
}

struct jit_function *utgard_vertex_code(struct gpu_program *program, struct jit_engine *engine,
                                        const struct gpu_vertex_layout *layout)
{
    const uintptr_t of = (uintptr_t)engine;
    const struct util_memo_key key = {&of, sizeof of, layout, sizeof *layout};
    enum util_make_status status;
    struct jit_function **code = gpu_program_code(program, &key, sizeof(struct jit_function *), &status);
    if (status == UTIL_MAKING) {
        *code = compile(program->program, engine, layout);
        util_memo_end(&program->codes, code, true);
    }
    return code ? *code : NULL; /* what cannot be compiled is interpreted: the same results, slower */
}
