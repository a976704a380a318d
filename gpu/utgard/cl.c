#include "gpu/utgard/cl.h"

#include "gpu/record.h"
#include "util/bits.h"

struct row {
    enum utgard_cl_list list;
    const char *name;
    uint32_t mask, match;
    uint8_t field_count;
    const struct gpu_record_field *fields;
};

#define FIELD(name, lo, count, kind) {name, .at = lo, .bits = count, GPU_RECORD_##kind},
#define SPLIT(name, lo, count, lo2, count2, kind)                                                            \
    {name, .at = lo, .bits = count, .at2 = lo2, .bits2 = count2, GPU_RECORD_##kind},
#define COMMAND(list, id, name, mask, match, fields)                                                         \
    static const struct gpu_record_field fields_##list##_##id[] = {fields};                                  \
    _Static_assert(UTIL_ARRAY_SIZE(fields_##list##_##id) <= UTGARD_CL_MAX_FIELDS, name);
#include "gpu/utgard/cl.inc"
#undef COMMAND

static const struct row rows[UTGARD_CL_COUNT] = {
#define COMMAND(list, id, name, mask, match, fields)                                                         \
    [UTGARD_##list##_##id] = {UTGARD_##list,       name, mask, match, UTIL_ARRAY_SIZE(fields_##list##_##id), \
                              fields_##list##_##id},
#include "gpu/utgard/cl.inc"
#undef COMMAND
};

/* Where to begin to look, by the upper and the lower four bits of the opcode: the first row with both, where the
 * lower ones are the command's, else with the upper ones. Rows with the same upper bits follow one another. */
#define UPPER(n)     [(n) * 16 ...(n) * 16 + 15]
#define BOTH(n, low) [(n) * 16 + (low)]
static const uint8_t first_row[][256] = {
    [UTGARD_VS] = {UPPER(0) = UTGARD_VS_DRAW, UPPER(1) = UTGARD_VS_SHADER_INFO,
                   UPPER(2) = UTGARD_VS_ATTRIBUTES, UPPER(3) = UTGARD_VS_UNIFORMS,
                   UPPER(4) = UTGARD_VS_SHADER, UPPER(5) = UTGARD_VS_SEMAPHORE, UPPER(6) = UTGARD_VS_FLUSH,
                   UPPER(15) = UTGARD_VS_JUMP},
    [UTGARD_PLBU] = {UPPER(0) = UTGARD_PLBU_DRAW_ARRAYS,
                     BOTH(1, 0) = UTGARD_PLBU_POSITIONS,
                     BOTH(1, 1) = UTGARD_PLBU_INDICES,
                     BOTH(1, 2) = UTGARD_PLBU_POINT_SIZES,
                     BOTH(1, 5) = UTGARD_PLBU_VIEWPORT_BOTTOM,
                     BOTH(1, 6) = UTGARD_PLBU_VIEWPORT_TOP,
                     BOTH(1, 7) = UTGARD_PLBU_VIEWPORT_LEFT,
                     BOTH(1, 8) = UTGARD_PLBU_VIEWPORT_RIGHT,
                     BOTH(1, 9) = UTGARD_PLBU_TILES,
                     BOTH(1, 10) = UTGARD_PLBU_REGISTER_A,
                     BOTH(1, 11) = UTGARD_PLBU_SETUP,
                     BOTH(1, 12) = UTGARD_PLBU_BLOCK_STEP,
                     BOTH(1, 13) = UTGARD_PLBU_SIZE,
                     BOTH(1, 14) = UTGARD_PLBU_DEPTH_NEAR,
                     BOTH(1, 15) = UTGARD_PLBU_DEPTH_FAR,
                     UPPER(2) = UTGARD_PLBU_BLOCKS,
                     UPPER(3) = UTGARD_PLBU_STRIDE,
                     UPPER(5) = UTGARD_PLBU_END,
                     UPPER(6) = UTGARD_PLBU_SEMAPHORE,
                     UPPER(7) = UTGARD_PLBU_SCISSOR,
                     UPPER(8) = UTGARD_PLBU_STATE,
                     UPPER(15) = UTGARD_PLBU_JUMP},
};

bool utgard_cl_decode(enum utgard_cl_list list, uint64_t word, struct utgard_cl_command *out)
{
    uint32_t opcode = (uint32_t)(word >> 32);
    for (unsigned id = first_row[list][(opcode >> 24 & 0xf0) | (opcode & 15)]; id < UTGARD_CL_COUNT; id++) {
        const struct row *row = &rows[id];
        if (row->list != list || (opcode & row->mask) != row->match)
            continue;
        *out = (struct utgard_cl_command){.id = (enum utgard_cl_id)id, .word = word};
        for (unsigned i = 0; i < row->field_count; i++)
            out->field[i] = gpu_record_value64(&row->fields[i], word);
        return true;
    }
    return false;
}

const char *utgard_cl_name(enum utgard_cl_id id)
{
    return rows[id].name;
}

unsigned utgard_cl_fields(const struct utgard_cl_command *command, struct gpu_field out[UTGARD_CL_MAX_FIELDS])
{
    const struct row *row = &rows[command->id];
    for (unsigned i = 0; i < row->field_count; i++)
        out[i] = gpu_record_describe(&row->fields[i], command->field[i]);
    return row->field_count;
}

void utgard_cl_print(FILE *out, uint32_t address, const struct utgard_cl_command *command)
{
    struct gpu_field fields[UTGARD_CL_MAX_FIELDS];
    unsigned count = utgard_cl_fields(command, fields);
    fprintf(out, "0x%08x  %s", address, utgard_cl_name(command->id));
    gpu_fields_print(out, fields, count);
    fputc('\n', out);
}
