/* Named values of records - commands, states, registers - between those who take them apart and those who
 * list them, as text or as data. Strings are static. */
#ifndef VITRAIL_GPU_FIELD_H
#define VITRAIL_GPU_FIELD_H

#include <stdint.h>
#include <stdio.h>

enum gpu_field_kind {
    GPU_FIELD_UINT,
    GPU_FIELD_INT, /* `value` is its two's complement */
    GPU_FIELD_HEX, /* at least `digits` of them */
    GPU_FIELD_BOOL,
    GPU_FIELD_FLAG,  /* a BOOL of which text has the name where it is set, and nothing where it is not */
    GPU_FIELD_FLOAT, /* `number` */
    GPU_FIELD_NAME   /* `word`, or "reserved" and the value where that is NULL */
};

struct gpu_field {
    const char *name;
    enum gpu_field_kind kind;
    uint8_t digits;
    uint64_t value;
    double number;
    const char *word;
    const char *what; /* what the field is, in words; may be NULL */
};

/* The value alone. */
void gpu_field_print(FILE *out, const struct gpu_field *field);
/* ": name value, name value", or nothing where there is nothing to say. */
void gpu_fields_print(FILE *out, const struct gpu_field *fields, unsigned count);

#endif
