#include "gpu/utgard/cl.h"

#include "util/bits.h"

enum kind { UINT, HEX, BOOL, FLOAT, COUNT, PLACE, ADDRESS };

struct field {
    const char *name;
    uint8_t lo, count, lo2, count2, kind;
};

struct row {
    enum utgard_cl_list list;
    const char *name;
    uint32_t mask, match;
    uint8_t field_count;
    const struct field *fields;
};

#define FIELD(name, lo, count, kind)              {name, lo, count, 0, 0, kind},
#define SPLIT(name, lo, count, lo2, count2, kind) {name, lo, count, lo2, count2, kind},
#define COMMAND(list, id, name, mask, match, fields)                                                         \
    static const struct field fields_##list##_##id[] = {fields};                                             \
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

static uint32_t field_value(const struct field *f, uint64_t word)
{
    uint64_t value = util_bits(word, f->lo, f->count);
    if (f->count2) /* then both are shorter than a word */
        value |= util_bits(word, f->lo2, f->count2) << (f->count & 31);
    if (f->kind == COUNT)
        value++;
    if (f->kind == PLACE)
        value <<= 4;
    return (uint32_t)value;
}

/* The first row of a list with these upper four bits of the opcode; rows with the same follow one another. */
static const uint8_t first_row[][16] = {
    [UTGARD_VS] = {[0] = UTGARD_VS_DRAW,
                   [1] = UTGARD_VS_SHADER_INFO,
                   [2] = UTGARD_VS_ATTRIBUTES,
                   [3] = UTGARD_VS_UNIFORMS,
                   [4] = UTGARD_VS_SHADER,
                   [5] = UTGARD_VS_SEMAPHORE,
                   [6] = UTGARD_VS_FLUSH,
                   [15] = UTGARD_VS_JUMP},
    [UTGARD_PLBU] = {[0] = UTGARD_PLBU_DRAW_ARRAYS,
                     [1] = UTGARD_PLBU_POSITIONS,
                     [2] = UTGARD_PLBU_BLOCKS,
                     [3] = UTGARD_PLBU_STRIDE,
                     [5] = UTGARD_PLBU_END,
                     [6] = UTGARD_PLBU_SEMAPHORE,
                     [7] = UTGARD_PLBU_SCISSOR,
                     [8] = UTGARD_PLBU_STATE,
                     [15] = UTGARD_PLBU_JUMP},
};

bool utgard_cl_decode(enum utgard_cl_list list, uint64_t word, struct utgard_cl_command *out)
{
    uint32_t opcode = (uint32_t)(word >> 32);
    for (unsigned id = first_row[list][opcode >> 28]; id < UTGARD_CL_COUNT; id++) {
        const struct row *row = &rows[id];
        if (row->list != list || (opcode & row->mask) != row->match)
            continue;
        *out = (struct utgard_cl_command){.id = (enum utgard_cl_id)id, .word = word};
        for (unsigned i = 0; i < row->field_count; i++)
            out->field[i] = field_value(&row->fields[i], word);
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
    static const uint8_t kinds[] = {
        [UINT] = GPU_FIELD_UINT,   [HEX] = GPU_FIELD_HEX,    [BOOL] = GPU_FIELD_BOOL,
        [FLOAT] = GPU_FIELD_FLOAT, [COUNT] = GPU_FIELD_UINT, [PLACE] = GPU_FIELD_HEX,
        [ADDRESS] = GPU_FIELD_HEX};
    const struct row *row = &rows[command->id];
    for (unsigned i = 0; i < row->field_count; i++) {
        const struct field *f = &row->fields[i];
        out[i] = (struct gpu_field){.name = f->name,
                                    .kind = (enum gpu_field_kind)kinds[f->kind],
                                    .digits = f->kind == HEX ? 1 : 8,
                                    .value = command->field[i],
                                    .number = (double)util_u2f(command->field[i])};
    }
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
