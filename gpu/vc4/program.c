#include "gpu/vc4/program.h"

#define UNIT "program"

static int decode(const void *words, uint32_t count, struct gpu_program_decoded *out,
                  struct util_error *error)
{
    struct vc4_qpu_program *program;
    int status = vc4_qpu_program_create(words, count, &program, error);
    if (!status)
        *out = (struct gpu_program_decoded){program, program->insn_count, program->insn_count};
    return status;
}

static void destroy(void *program)
{
    vc4_qpu_program_destroy(program);
}

/* An instruction takes some 60 bytes decoded; a job's programs have a few thousand. */
const struct gpu_program_kind vc4_program_kind = {.word_bytes = sizeof(uint64_t),
                                                  .most_words = VC4_QPU_MAX_INSNS,
                                                  .first_words = 512,
                                                  .many = 1u << 20,
                                                  .most = 4u << 20,
                                                  .decode = decode,
                                                  .destroy = destroy};

const struct vc4_qpu_program *vc4_programs_get(struct gpu_programs *programs, const struct gpu_memory *memory,
                                               uint32_t code, struct gpu_program **cached,
                                               struct gpu_fault *fault)
{
    struct util_error error; /* large, and seldom looked at */
    struct gpu_program *found;
    const uint8_t *at = gpu_memory_at(memory, code, sizeof(uint64_t));
    error.text[0] = 0;
    if (code & 7 || !at) {
        gpu_fault_set(fault, code & 7 ? GPU_FAULT_SHADER : GPU_FAULT_MEMORY, UNIT, code,
                      code & 7 ? "code address is not a multiple of 8" : "code lies outside memory");
        return NULL;
    }
    if (gpu_programs_get(programs, at, memory->size - code, &found, &error)) {
        gpu_fault_set(fault, GPU_FAULT_SHADER, UNIT, code, "%s",
                      error.text[0] ? error.text : "no memory to take the program");
        return NULL;
    }
    if (cached)
        *cached = found;
    return found->program;
}

uint8_t *vc4_program_key_write(const void *head, size_t head_size, const struct vc4_qpu_program *program,
                               const struct raster_texture_key *keys, size_t *size)
{
    return gpu_program_key_write(
        head, head_size,
        (struct jit_key_part){keys, sizeof *keys, keys ? program->sample_count : 0, sizeof *keys},
        (struct jit_key_part){&program->insns->word, sizeof program->insns->word, program->insn_count,
                              sizeof *program->insns},
        size);
}
