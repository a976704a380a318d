/* Named values as text. */
#include "gpu/field.h"

#include <inttypes.h>

void gpu_field_print(FILE *out, const struct gpu_field *f)
{
    switch (f->kind) {
    case GPU_FIELD_INT: fprintf(out, "%" PRId64, (int64_t)f->value); break;
    case GPU_FIELD_HEX: fprintf(out, "0x%0*" PRIx64, f->digits, f->value); break;
    case GPU_FIELD_BOOL:
    case GPU_FIELD_FLAG: fputs(f->value ? "yes" : "no", out); break;
    case GPU_FIELD_FLOAT: fprintf(out, "%.9g", f->number); break;
    case GPU_FIELD_NAME:
        if (f->word)
            fputs(f->word, out);
        else
            fprintf(out, "reserved %" PRIu64, f->value);
        break;
    default: fprintf(out, "%" PRIu64, f->value);
    }
}

void gpu_fields_print(FILE *out, const struct gpu_field *fields, unsigned count)
{
    const char *separator = ":";
    for (unsigned i = 0; i < count; i++) {
        const struct gpu_field *f = &fields[i];
        if (f->kind == GPU_FIELD_FLAG && !f->value)
            continue;
        fprintf(out, "%s %s", separator, f->name);
        if (f->kind != GPU_FIELD_FLAG) {
            fputc(' ', out);
            gpu_field_print(out, f);
        }
        separator = ",";
    }
}
