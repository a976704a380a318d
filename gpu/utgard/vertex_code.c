/* GP programs, each decoded once, and compiled once for each layout of arrays: found by their words. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/utgard/vertex_internal.h"
#include "jit/key.h"
#include "util/bits.h"

#define PROGRAMS 512u  /* kept; a guest that brings more begins again between jobs */
#define CODES    2048u /* likewise, all programs' together */

/* Code for one layout; NULL: it could not be compiled. */
struct code {
    struct code *next;
    struct utgard_vertex_layout layout;
    struct jit_function *function;
};

struct utgard_vertex_program {
    struct utgard_gp_program *program;
    struct code *codes;
};

struct utgard_programs {
    uint32_t count, codes;
    struct utgard_vertex_program entry[PROGRAMS];
};

int utgard_programs_create(struct utgard_programs **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? 0 : -ENOMEM;
}

static void finish(struct utgard_programs *programs, struct utgard_vertex_program *p)
{
    utgard_gp_program_destroy(p->program);
    while (p->codes) {
        struct code *code = p->codes;
        p->codes = code->next;
        free(code);
        programs->codes--;
    }
}

static void forget(struct utgard_programs *programs)
{
    for (uint32_t n = 0; n < programs->count; n++)
        finish(programs, &programs->entry[n]);
    memset(programs, 0, sizeof *programs);
}

void utgard_programs_destroy(struct utgard_programs *programs)
{
    if (programs)
        forget(programs);
    free(programs);
}

void utgard_programs_tidy(struct utgard_programs *programs, struct jit_engine *engine)
{
    bool full = engine && jit_engine_is_full(engine);
    if (programs->count == PROGRAMS || programs->codes == CODES || full)
        forget(programs);
    if (full)
        (void)jit_engine_renew(engine); /* with other users it stays full: their programs are interpreted */
}

/* ---- code ---- */

/* What a key begins with; the program's words follow. */
struct head {
    char mark[16];
    struct utgard_vertex_layout layout;
};
static const char mark[16] = "utgard vertex 6";

static int emit_key(struct jit_builder *b, const void *key, size_t size)
{
    struct jit_key_reader in = {key, size};
    struct utgard_gp_program *program;
    struct head head;
    if (!jit_key_read(&in, &head, sizeof head))
        return -EINVAL;
    uint32_t count = (uint32_t)(in.left / sizeof program->insns->word);
    uint64_t *words = jit_key_take(&in, in.left);
    int status = words ? utgard_gp_program_create(words, count, &program, NULL) : -ENOMEM;
    free(words);
    if (status)
        return status;
    struct utgard_vertex_variant variant = {program, head.layout};
    status = utgard_vertex_emit(b, &variant);
    utgard_gp_program_destroy(program);
    return status;
}

static struct jit_function *compile(const struct utgard_gp_program *program, struct jit_engine *engine,
                                    const struct utgard_vertex_layout *layout)
{
    struct utgard_vertex_variant variant = {program, *layout};
    struct head head = {.layout = *layout};
    const struct jit_key_part parts[] = {
        {&head, sizeof head, 1, sizeof head},
        {program->insns->word, sizeof program->insns->word, program->insn_count, sizeof *program->insns}};
    struct jit_request request = {.name = "utgard_vertex_program",
                                  .emit = utgard_vertex_emit,
                                  .data = &variant,
                                  .emit_key = emit_key,
                                  .run_cost = program->insn_count};
    struct jit_function *function = NULL;
    memcpy(head.mark, mark, sizeof mark);
    uint8_t *key = jit_key_write(parts, UTIL_ARRAY_SIZE(parts), &request.key_size);
    request.key = key;
    if (!key || jit_engine_get_function(engine, &request, &function, NULL))
        function = NULL;
    free(key);
    return function;
}

struct jit_function *utgard_programs_code(struct utgard_programs *programs, struct jit_engine *engine,
                                          struct utgard_vertex_program *p,
                                          const struct utgard_vertex_layout *layout)
{
    for (struct code *code = p->codes; code; code = code->next)
        if (!memcmp(&code->layout, layout, sizeof *layout))
            return code->function;
    struct code *code = programs->codes < CODES ? malloc(sizeof *code) : NULL;
    if (!code)
        return NULL; /* what cannot be compiled is interpreted: the same results, slower */
    *code = (struct code){p->codes, *layout, compile(p->program, engine, layout)};
    p->codes = code;
    programs->codes++;
    return code->function;
}

/* ---- the list ---- */

static bool is_of(const struct utgard_gp_program *p, const uint64_t *words, uint32_t count)
{
    if (p->insn_count != count)
        return false;
    for (uint32_t n = 0; n < count; n++)
        if (memcmp(p->insns[n].word, words + n * UTGARD_GP_WORDS, sizeof p->insns[n].word) != 0)
            return false;
    return true;
}

const struct utgard_gp_program *utgard_program_of(const struct utgard_vertex_program *p)
{
    return p->program;
}

int utgard_programs_get(struct utgard_programs *programs, const uint64_t *words, uint32_t count,
                        uint32_t address, struct utgard_vertex_program **out, struct utgard_stop *stop)
{
    struct util_error error = {0};
    struct utgard_vertex_program *p = programs->entry, *end = p + programs->count;
    while (p < end && !is_of(p->program, words, count))
        p++;
    *out = p;
    if (p < end)
        return 0;
    if (programs->count == PROGRAMS) { /* within one job: the oldest gives way to all that come */
        finish(programs, programs->entry);
        programs->entry[0] = programs->entry[--programs->count];
        *out = p = &programs->entry[programs->count];
    }
    *p = (struct utgard_vertex_program){0};
    if (utgard_gp_program_create(words, count, &p->program, &error)) {
        gpu_fault_set(&stop->fault, GPU_FAULT_SHADER, "vertex program", address, "%s", error.text);
        return -EFAULT;
    }
    programs->count++;
    return 0;
}
