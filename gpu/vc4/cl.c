#include "gpu/vc4/cl.h"

#include <inttypes.h>
#include <string.h>

#include "gpu/record.h"
#include "util/bits.h"

enum lists { BINNING = 1, RENDERING = 2, BOTH = 3 };

struct record {
    const char *name;
    uint8_t lists, size, field_count;
    const struct gpu_record_field *fields;
};

GPU_NAMES(buffer_names, "none", "color", "Z/stencil", "Z", "VG mask", "full");
GPU_NAMES(layout_names, "raster", "T", "LT");
GPU_NAMES(decimate_names, "sample 0", "x4", "x16");
GPU_NAMES(store_format_names, "rgba8888", "bgr565 dithered", "bgr565");
GPU_NAMES(render_format_names, "bgr565 dithered", "rgba8888", "bgr565");
GPU_NAMES(primitive_names, "points", "lines", "line loop", "line strip", "triangles", "triangle strip",
          "triangle fan");
GPU_NAMES(vg_names, "0", "RHTs", "2", "RHT strip", "triangles", "triangle strip", "triangle fan");
GPU_NAMES(index_names, "8-bit", "16-bit");
GPU_NAMES(list_primitive_names, "points", "lines", "triangles", "RHT");
GPU_NAMES(list_data_names, "0", "16-bit index", "2", "32-bit x/y");
GPU_NAMES(coverage_type_names, "4*8-bit level", "16-bit mask");
GPU_NAMES(oversample_names, "none", "4x", "16x");
GPU_NAMES(coverage_update_names, "nonzero", "odd", "or", "zero");
GPU_NAMES(coverage_read_names, "clear", "leave");
GPU_NAMES(compare_names, "never", "<", "==", "<=", ">", "!=", ">=", "always");
GPU_NAMES(block_names, "32 bytes", "64 bytes", "128 bytes", "256 bytes");

/* A list of fields a record, ended by an empty row so that none is empty. */
#define FIELD(name, lo, count, kind, names) {name, NULL, names, .at = lo, .bits = count, GPU_RECORD_##kind},
#define ABSENT(name)                        {name, .bits = 0},
#define RECORD(id, name, lists, size, fields)                                                                \
    static const struct gpu_record_field fields_##id[] = {fields{0}};
#include "gpu/vc4/cl.inc"
#undef RECORD

#define RECORD(id, name, lists, size, fields)                                                                \
    [VC4_CL_##id] = {name, lists, size, UTIL_ARRAY_SIZE(fields_##id) - 1, fields_##id},
static const struct record records[256] = {
#include "gpu/vc4/cl.inc"
};
#undef RECORD

/* Decoding copies a record into four words. */
#define RECORD(id, name, lists, size, fields)                                                                \
    _Static_assert((size) <= 16 && UTIL_ARRAY_SIZE(fields_##id) - 1 <= VC4_CL_MAX_FIELDS, name);
#include "gpu/vc4/cl.inc"
#undef RECORD

int vc4_cl_decode(const uint8_t *bytes, size_t size, struct vc4_cl_record *out)
{
    const struct record *r = &records[bytes[0]];
    uint32_t words[4] = {0};
    if (!r->name)
        return VC4_CL_UNKNOWN;
    if (size < r->size)
        return VC4_CL_TRUNCATED;
    memcpy(words, bytes + 1, r->size - 1u);
    out->id = bytes[0];
    out->size = r->size;
    out->field_count = r->field_count;
    for (unsigned i = 0; i < r->field_count; i++)
        out->field[i] = gpu_record_value(&r->fields[i], words);
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

unsigned vc4_cl_fields(const struct vc4_cl_record *record, struct gpu_field out[VC4_CL_MAX_FIELDS])
{
    const struct record *r = &records[record->id];
    unsigned count = 0;
    for (unsigned i = 0; i < r->field_count && i < record->field_count; i++)
        if (r->fields[i].bits)
            out[count++] = gpu_record_describe(&r->fields[i], (uint32_t)record->field[i]);
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
