#include "gpu/vc4/cl.h"

#include <inttypes.h>
#include <string.h>

#include "isa/isa.h"
#include "util/bits.h"

enum kind {
    ABSENT_FIELD,
    UINT,
    SINT,
    HEX,
    BOOL,
    FLOAT,
    FLOAT187,
    S12_4,
    FLAGS,
    ADDRESS,
    ADDRESS8,
    ADDRESS16,
    ENUM
};
enum lists { BINNING = 1, RENDERING = 2, BOTH = 3 };

struct field {
    const char *name;
    uint8_t lo, count, kind;
    const char *const *names;
};

struct record {
    const char *name;
    uint8_t lists, size, field_count;
    const struct field *fields;
};

#define NAMES(list, ...) static const char *const list[] = {__VA_ARGS__, NULL}
NAMES(buffer_names, "none", "color", "Z/stencil", "Z", "VG mask", "full");
NAMES(layout_names, "raster", "T", "LT");
NAMES(decimate_names, "sample 0", "x4", "x16");
NAMES(store_format_names, "rgba8888", "bgr565 dithered", "bgr565");
NAMES(render_format_names, "bgr565 dithered", "rgba8888", "bgr565");
NAMES(primitive_names, "points", "lines", "line loop", "line strip", "triangles", "triangle strip",
      "triangle fan");
NAMES(vg_names, "0", "RHTs", "2", "RHT strip", "triangles", "triangle strip", "triangle fan");
NAMES(index_names, "8-bit", "16-bit");
NAMES(list_primitive_names, "points", "lines", "triangles", "RHT");
NAMES(list_data_names, "0", "16-bit index", "2", "32-bit x/y");
NAMES(coverage_type_names, "4*8-bit level", "16-bit mask");
NAMES(oversample_names, "none", "4x", "16x");
NAMES(coverage_update_names, "nonzero", "odd", "or", "zero");
NAMES(coverage_read_names, "clear", "leave");
NAMES(compare_names, "never", "<", "==", "<=", ">", "!=", ">=", "always");
NAMES(block_names, "32 bytes", "64 bytes", "128 bytes", "256 bytes");

/* A list of fields a record, ended by an empty row so that none is empty. */
#define FIELD(name, lo, count, kind, names) {name, lo, count, kind, names},
#define ABSENT(name)                        {name, 0, 1, ABSENT_FIELD, NULL},
#define RECORD(id, name, lists, size, fields)                                                                \
    static const struct field fields_##id[] = {fields{NULL, 0, 0, 0, NULL}};
#include "gpu/vc4/cl.inc"
#undef RECORD

#define RECORD(id, name, lists, size, fields)                                                                \
    [VC4_CL_##id] = {name, lists, size, UTIL_ARRAY_SIZE(fields_##id) - 1, fields_##id},
static const struct record records[256] = {
#include "gpu/vc4/cl.inc"
};
#undef RECORD

/* Decoding copies a record into two words. */
#define RECORD(id, name, lists, size, fields)                                                                \
    _Static_assert((size) <= 16 && UTIL_ARRAY_SIZE(fields_##id) - 1 <= VC4_CL_MAX_FIELDS, name);
#include "gpu/vc4/cl.inc"
#undef RECORD

static uint64_t field_value(const struct field *f, const uint64_t *words)
{
    uint64_t value = isa_get(words, f->lo, f->count);
    switch (f->kind) {
    case ABSENT_FIELD: return 0;
    case ADDRESS8: return value << 3;
    case ADDRESS16: return value << 4;
    default: return value;
    }
}

int vc4_cl_decode(const uint8_t *bytes, size_t size, struct vc4_cl_record *out)
{
    const struct record *r = &records[bytes[0]];
    uint64_t words[2] = {0};
    if (!r->name)
        return VC4_CL_UNKNOWN;
    if (size < r->size)
        return VC4_CL_TRUNCATED;
    memcpy(words, bytes + 1, r->size - 1u);
    out->id = bytes[0];
    out->size = r->size;
    out->field_count = r->field_count;
    for (unsigned i = 0; i < r->field_count; i++)
        out->field[i] = field_value(&r->fields[i], words);
    return VC4_CL_OK;
}

const char *vc4_cl_name(unsigned id)
{
    return id < 256 ? records[id].name : NULL;
}

bool vc4_cl_allowed(unsigned id, bool rendering)
{
    return id < 256 && records[id].lists & (rendering ? RENDERING : BINNING);
}

static const char *enum_name(const struct field *f, uint64_t value)
{
    for (uint64_t i = 0; f->names[i]; i++)
        if (i == value)
            return f->names[i];
    return NULL;
}

static struct gpu_field describe(const struct field *f, const struct vc4_cl_record *record, unsigned i)
{
    static const uint8_t kinds[] = {
        [UINT] = GPU_FIELD_UINT,    [SINT] = GPU_FIELD_INT,      [HEX] = GPU_FIELD_HEX,
        [BOOL] = GPU_FIELD_FLAG,    [FLOAT] = GPU_FIELD_FLOAT,   [FLOAT187] = GPU_FIELD_FLOAT,
        [S12_4] = GPU_FIELD_FLOAT,  [FLAGS] = GPU_FIELD_HEX,     [ADDRESS] = GPU_FIELD_HEX,
        [ADDRESS8] = GPU_FIELD_HEX, [ADDRESS16] = GPU_FIELD_HEX, [ENUM] = GPU_FIELD_NAME};
    struct gpu_field out = {
        .name = f->name, .kind = (enum gpu_field_kind)kinds[f->kind], .digits = 8, .value = record->field[i]};
    int32_t number = util_sext((uint32_t)out.value, f->count);
    switch (f->kind) {
    case SINT: out.value = (uint64_t)(int64_t)number; break;
    case HEX:
    case FLAGS: out.digits = (uint8_t)((f->count + 3) / 4); break;
    case FLOAT: out.number = (double)vc4_cl_float(record, i); break;
    case FLOAT187: out.number = (double)vc4_cl_float187(record, i); break;
    case S12_4: out.number = number / 16.0; break;
    case ENUM: out.word = enum_name(f, out.value); break;
    default: break;
    }
    return out;
}

unsigned vc4_cl_fields(const struct vc4_cl_record *record, struct gpu_field out[VC4_CL_MAX_FIELDS])
{
    const struct record *r = &records[record->id];
    unsigned count = 0;
    for (unsigned i = 0; i < r->field_count && i < record->field_count; i++)
        if (r->fields[i].kind != ABSENT_FIELD)
            out[count++] = describe(&r->fields[i], record, i);
    return count;
}

void vc4_cl_print(FILE *out, uint32_t address, const struct vc4_cl_record *record)
{
    const char *name = records[record->id].name;
    struct gpu_field fields[VC4_CL_MAX_FIELDS];
    unsigned count = vc4_cl_fields(record, fields);
    fprintf(out, "%08" PRIx32 "  %3u  %s", address, record->id, name ? name : "reserved");
    gpu_fields_print(out, fields, count);
    fputc('\n', out);
}
