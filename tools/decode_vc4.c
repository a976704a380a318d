/* VideoCore IV's part of `vitrail decode`: control lists, shader records, programs, uniforms. */
#include "tools/decode.h"

#include <errno.h>
#include <stdlib.h>

#include "gpu/vc4/cl.h"
#include "gpu/vc4/device.h"
#include "gpu/vc4/shader_state.h"
#include "isa/vc4_qpu/asm.h"
#include "util/bits.h"

struct vc4_decode {
    struct decode *decode;
    struct gpu_programs *programs;
    uint32_t list_start[2]; /* CT0CA, CT1CA as last written */
};

static int create(struct decode *d, void **self)
{
    struct vc4_decode *v = *self = calloc(1, sizeof *v);
    if (!v)
        return -ENOMEM;
    v->decode = d;
    int error = gpu_programs_create(&vc4_program_kind, &v->programs);
    if (error)
        free(v);
    return error;
}

static void destroy(void *self)
{
    struct vc4_decode *v = self;
    if (v)
        gpu_programs_destroy(v->programs);
    free(v);
}

/* ---- shader records ---- */

static int print_program(FILE *out, const void *program)
{
    const struct vc4_qpu_program *p = program;
    uint64_t *words = malloc(sizeof *words * p->insn_count);
    if (!words)
        return -ENOMEM;
    for (uint32_t i = 0; i < p->insn_count; i++)
        words[i] = p->insns[i].word;
    int error = vc4_qpu_disasm_program(out, words, p->insn_count);
    free(words);
    return error;
}

static void list_uniforms(struct vc4_decode *v, const char *name, const struct vc4_stage *stage)
{
    struct listing *l = &v->decode->listing;
    uint32_t count = stage->program->uniform_count;
    const uint8_t *at = gpu_memory_at(&v->decode->memory, stage->uniforms, (uint64_t)count * 4);
    if (!count)
        return;
    if (!at) {
        listing_line(l, "uniforms", "%s uniforms: %u words at 0x%08x leave guest memory", name, count,
                     stage->uniforms);
        return;
    }
    listing_open(l, "uniforms", "%s uniforms: %u words at 0x%08x", name, count, stage->uniforms);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t word = util_load32(at + (size_t)4 * i);
        listing_line(l, "uniform", "%3u: %08x (%g)", i, word, (double)util_u2f(word));
    }
    listing_close(l);
}

static void list_stage(struct vc4_decode *v, const char *name, const struct vc4_stage *stage)
{
    struct listing *l = &v->decode->listing;
    const struct vc4_qpu_program *p = stage->program;
    listing_open(l, "program", "%s program at 0x%08x, %u instructions, uniforms at 0x%08x", name, stage->code,
                 p->insn_count, stage->uniforms);
    decode_program(v->decode, p->hash, print_program, p);
    listing_close(l);
    list_uniforms(v, name, stage);
}

static void list_shader_state(struct vc4_decode *v, const struct vc4_cl_record *record)
{
    struct listing *l = &v->decode->listing;
    struct vc4_shader_state state;
    struct gpu_fault fault = {0};
    unsigned count = (unsigned)record->field[VC4_SHADER_ATTRIBUTES];

    if (gpu_programs_are_many(v->programs))
        gpu_programs_empty(v->programs);
    if (!vc4_shader_state_read(v->programs, &v->decode->memory, (uint32_t)record->field[VC4_SHADER_ADDRESS],
                               count ? count : 8, record->field[VC4_SHADER_EXTENDED] != 0, &state, &fault)) {
        listing_line(l, "broken", "not readable: %s", fault.text);
        return;
    }
    listing_line(l, "shader state", "clipping %d, point size %d, single threaded %d, varyings %u",
                 state.clipping, state.point_size, state.single_threaded, state.varying_count);
    for (uint32_t i = 0; i < state.attribute_count; i++) {
        const struct vc4_attribute *a = &state.attribute[i];
        listing_line(l, "attribute",
                     "attribute %u: 0x%08x, %u bytes, stride %u, vertex row offset %u, coordinate row offset "
                     "%u",
                     i, a->address, a->bytes, a->stride, a->vs_offset, a->cs_offset);
    }
    if (!v->decode->programs)
        return;
    list_stage(v, "fragment", &state.fs);
    list_stage(v, "vertex", &state.vs);
    list_stage(v, "coordinate", &state.cs);
}

/* ---- control lists ---- */

static void list_record(struct vc4_decode *v, uint32_t at, const struct vc4_cl_record *record, bool rendering)
{
    struct listing *l = &v->decode->listing;
    const char *name = vc4_cl_name(record->id);
    struct gpu_field fields[VC4_CL_MAX_FIELDS];
    listing_open(l, "record", "%08x  %3u  %s", at, record->id, name ? name : "reserved");
    listing_fields(l, fields, vc4_cl_fields(record, fields));
    if (!vc4_cl_allowed(record->id, rendering))
        listing_line(l, "broken", "(not allowed in a %s list)", rendering ? "rendering" : "binning");
    if (record->id == VC4_CL_GL_SHADER_STATE)
        list_shader_state(v, record);
    listing_close(l);
}

/* One list, branches followed; sub-lists of a rendering list are tile lists that the binner has yet to write:
 * named, not followed. */
static void list_records(struct vc4_decode *v, uint32_t start, uint32_t end, bool rendering)
{
    struct listing *l = &v->decode->listing;
    const struct gpu_memory *memory = &v->decode->memory;
    uint32_t at = start;

    for (uint32_t n = 0; n < DECODE_RECORDS_MAX && at != end; n++) {
        struct vc4_cl_record record;
        const uint8_t *bytes = gpu_memory_at(memory, at, 1);
        int err = bytes ? vc4_cl_decode(bytes, (size_t)(memory->size - at), &record) : VC4_CL_TRUNCATED;

        if (err) {
            listing_line(l, "broken", "0x%08x  %s", at,
                         err == VC4_CL_UNKNOWN ? "reserved record: the list cannot be followed further"
                                               : "the list leaves guest memory");
            return;
        }
        list_record(v, at, &record, rendering);
        if (record.id == VC4_CL_HALT || record.id == VC4_CL_COMPRESSED_PRIMITIVES ||
            record.id == VC4_CL_CLIPPED_PRIMITIVES)
            return;
        at = record.id == VC4_CL_BRANCH ? (uint32_t)record.field[VC4_BRANCH_ADDRESS] : at + record.size;
    }
    if (at != end)
        listing_line(l, "broken", "(stopped after %u records: the list does not end)", DECODE_RECORDS_MAX);
}

/* ---- registers ---- */

static const char *register_name(uint32_t offset)
{
    const struct gpu_register *reg = gpu_register_find(&vc4_registers, 0, offset);
    return reg ? reg->name : "register";
}

static bool begins(const void *self, uint32_t offset, uint32_t value)
{
    return offset == VC4_CT0EA;
}

static void list_write(void *self, uint32_t offset, uint32_t value, bool reply)
{
    struct vc4_decode *v = self;
    struct listing *l = &v->decode->listing;
    if (offset == VC4_CT0CA)
        v->list_start[0] = value;
    if (offset == VC4_CT1CA)
        v->list_start[1] = value;
    if (l->muted)
        return;
    listing_open(l, "register", "%s%s [0x%03x] = 0x%08x", reply ? "in answer to an interrupt: " : "",
                 register_name(offset), offset, value);
    if (offset == VC4_CT0EA || offset == VC4_CT1EA) {
        unsigned thread = offset == VC4_CT1EA;
        listing_open(l, "list", "job %llu, %s list 0x%08x..0x%08x", (unsigned long long)v->decode->job,
                     thread ? "rendering" : "binning", v->list_start[thread], value);
        list_records(v, v->list_start[thread], value, thread);
        listing_close(l);
    }
    listing_close(l);
}

const struct decode_family decode_vc4 = {create, destroy, begins, list_write};
