/* Captures through the linter: memory as it was at each job's start, the binning list walked, each draw's
 * programs looked at. */
#include "gpu/lint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/cl.h"
#include "gpu/vc4/device.h"
#include "gpu/vc4/shader_state.h"
#include "isa/vc4_qpu/asm.h"
#include "isa/vc4_qpu/lint.h"
#include "isa/vc4_qpu/program_internal.h"
#include "util/bits.h"

#define RECORDS_MAX 1000000u /* of one list: one that loops ends here */
#define DEPTH_MAX   8u       /* of sub-lists */
#define POINT_MIN   0.125f   /* HW-2726 */
#define TRIANGLES   4u       /* primitive mode */

struct walk {
    struct gpu_memory memory;
    struct gpu_programs *programs;
    struct gpu_seen looked_at, found_before;
    struct gpu_lint_summary *summary;
    gpu_lint_fn found;
    void *data;
    int error;
    uint32_t list_start, draw;
    /* of the list in progress */
    struct vc4_shader_state state;
    bool has_state;
    float point_size;
    uint32_t point_record; /* where the size was set */
    /* of the program in progress */
    const struct vc4_stage *stage;
    enum vc4_qpu_stage stage_kind;
};

static bool is_new(struct walk *w, struct gpu_seen *seen, const void *bytes, size_t size)
{
    return gpu_seen_first(seen, bytes, size, &w->error);
}

/* ---- findings ---- */

static const char *place_of(const struct walk *w)
{
    static const char *const places[] = {
        [VC4_QPU_STAGE_FRAGMENT] = "fragment program",
        [VC4_QPU_STAGE_VERTEX] = "vertex program",
        [VC4_QPU_STAGE_COORDINATE] = "coordinate program",
        [VC4_QPU_STAGE_USER] = "user program",
    };
    return w->stage ? places[w->stage_kind] : "record";
}

static void tell(struct walk *w, const struct isa_rule *rule, uint32_t pc, const char *detail)
{
    const struct vc4_qpu_program *p = w->stage ? w->stage->program : NULL;
    char line[VC4_QPU_TEXT_MAX] = "";
    struct gpu_lint_finding finding = {.rule = rule,
                                       .detail = detail,
                                       .place = place_of(w),
                                       .job = w->summary->jobs,
                                       .draw = w->draw,
                                       .address = w->stage ? w->stage->code : w->point_record,
                                       .pc = p ? pc : UINT32_MAX,
                                       .line = line};
    const uint64_t key[] = {p ? p->hash : 0, (uint64_t)w->stage_kind << 32 | pc, (uintptr_t)rule};
    if (p && pc < p->insn_count)
        vc4_qpu_disasm(p->insns[pc].word, pc, line);
    if (is_new(w, &w->found_before, key, sizeof key))
        w->found(w->data, &finding);
}

static void tell_finding(void *data, const struct isa_finding *finding)
{
    tell(data, finding->rule, finding->pc, finding->detail);
}

/* ---- uniforms: what the stream holds where the program uses it ---- */

/* The word at a place of the stream; false when it is not known or outside memory. */
static bool uniform(const struct walk *w, uint32_t at, uint32_t *word)
{
    uint64_t address = w->stage->uniforms + (uint64_t)at * 4;
    const uint8_t *bytes = at == VC4_QPU_NO_OFFSET ? NULL : gpu_memory_at(&w->memory, address, 4);
    if (bytes)
        *word = util_load32(bytes);
    return bytes != NULL;
}

/* Guide tables 15 to 18. */
static void lint_texture(struct walk *w, const struct vc4_qpu_sample *sample)
{
    uint32_t p[4];
    char detail[64];
    if (sample->direct || sample->param_count < 2 || !uniform(w, sample->param[0], &p[0]) ||
        !uniform(w, sample->param[1], &p[1]))
        return;
    uint32_t type = (uint32_t)util_bits(p[0], 4, 4) | p[1] >> 31 << 4,
             width = (uint32_t)util_bits(p[1], 8, 11);
    if ((type == 16 || type == 17) && width & (width - 1)) {
        snprintf(detail, sizeof detail, "width %u", width);
        tell(w, vc4_qpu_lint_rule(VC4_QPU_LINT_RASTER_NPOT), sample->insn, detail);
    }
    for (unsigned i = 2; i < sample->param_count; i++)
        if (uniform(w, sample->param[i], &p[i]) && p[i] >> 30 == 2 &&
            (!util_bits(p[i], 0, 11) || !util_bits(p[i], 12, 11)))
            tell(w, vc4_qpu_lint_rule(VC4_QPU_LINT_CHILD_IMAGE_2048), sample->insn, "");
}

/* `mov tlb_stencil, unif` with a word for one facing (Guide table 27). */
static void lint_stencil(struct walk *w, uint32_t pc)
{
    const struct vc4_qpu_program *p = w->stage->program;
    const struct vc4_qpu_insn *insn = &p->insns[pc];
    struct vc4_qpu_write write = vc4_qpu_write_of(insn, 0);
    uint32_t word;
    char detail[64];
    bool moves = insn->kind == VC4_QPU_ALU && insn->op_add == VC4_QPU_A_OR && insn->add_a == insn->add_b &&
                 insn->add_a >= VC4_QPU_MUX_A && vc4_qpu_reads(insn, VC4_QPU_R_UNIFORM);
    if (!moves || !write.happens || write.waddr != VC4_QPU_W_TLB_STENCIL ||
        !uniform(w, p->uniform_at[pc], &word))
        return;
    if (word >> 30 == 1 || word >> 30 == 2) {
        snprintf(detail, sizeof detail, "0x%08x", word);
        tell(w, vc4_qpu_lint_rule(VC4_QPU_LINT_STENCIL_FACING), pc, detail);
    }
}

static void lint_uniforms(struct walk *w)
{
    const struct vc4_qpu_program *p = w->stage->program;
    uint64_t bytes = (uint64_t)p->uniform_count * 4;
    char detail[64];
    if (bytes && !gpu_memory_at(&w->memory, w->stage->uniforms, bytes)) {
        snprintf(detail, sizeof detail, "%u words at 0x%08x", p->uniform_count, w->stage->uniforms);
        tell(w, vc4_qpu_lint_rule(VC4_QPU_LINT_UNIFORMS_OUTSIDE), 0, detail);
        return;
    }
    for (uint32_t i = 0; i < p->sample_count; i++)
        lint_texture(w, &p->samples[i]);
    for (uint32_t pc = 0; w->stage_kind == VC4_QPU_STAGE_FRAGMENT && pc < p->insn_count; pc++)
        lint_stencil(w, pc);
}

/* ---- programs ---- */

static void lint_program(struct walk *w, const struct vc4_stage *stage,
                         const struct vc4_qpu_lint_options *options)
{
    const struct vc4_qpu_program *p = stage->program;
    const uint64_t role[] = {p->hash, (uint64_t)options->stage << 32 | (uint32_t)options->varyings,
                             (uint64_t)(uint32_t)options->rows_in << 32 | (uint32_t)options->rows_out,
                             (uint64_t)options->threads};
    w->stage = stage;
    w->stage_kind = options->stage;
    if (is_new(w, &w->looked_at, &p->hash, sizeof p->hash))
        w->summary->programs++;
    if (is_new(w, &w->looked_at, role, sizeof role)) {
        uint64_t *words = malloc(sizeof *words * p->insn_count);
        for (uint32_t i = 0; words && i < p->insn_count; i++)
            words[i] = p->insns[i].word;
        int error = words ? vc4_qpu_lint(words, p->insn_count, options, tell_finding, w) : -ENOMEM;
        free(words);
        if (error)
            w->error = error;
    }
    lint_uniforms(w);
    w->stage = NULL;
    w->stage_kind = VC4_QPU_STAGE_UNKNOWN;
}

static void lint_vertex_programs(struct walk *w)
{
    const struct vc4_shader_state *s = &w->state;
    struct vc4_qpu_lint_options options = vc4_qpu_lint_nothing_known;
    options.stage = VC4_QPU_STAGE_VERTEX;
    options.rows_in = s->vs.attribute_size / 4;
    options.rows_out = 3 + s->point_size + s->varying_count; /* Guide figure 10 */
    lint_program(w, &s->vs, &options);
    options.stage = VC4_QPU_STAGE_COORDINATE;
    options.rows_in = s->cs.attribute_size / 4;
    options.rows_out = 7 + s->point_size; /* Guide figure 11 */
    lint_program(w, &s->cs, &options);
}

/* Points have two varyings before their own and lines one (gpu/vc4/README.md). */
static void lint_draw(struct walk *w, unsigned mode)
{
    const struct vc4_shader_state *s = &w->state;
    struct vc4_qpu_lint_options options = vc4_qpu_lint_nothing_known;
    w->draw++;
    w->summary->draws++;
    if (!w->has_state)
        return;
    options.stage = VC4_QPU_STAGE_FRAGMENT;
    if (s->kind == VC4_SHADER_GL || s->kind == VC4_SHADER_NV)
        options.varyings = s->varying_count + (mode == 0 ? 2 : mode <= 3);
    options.threads = s->single_threaded ? 1 : 2;
    lint_program(w, &s->fs, &options);
    if (mode == 0 && !s->point_size && w->point_size < POINT_MIN)
        tell(w, vc4_qpu_lint_rule(VC4_QPU_LINT_POINT_SIZE_ZERO), UINT32_MAX, "");
    if (s->kind == VC4_SHADER_GL)
        lint_vertex_programs(w);
}

/* ---- lists ---- */

static bool read_state(struct walk *w, const struct vc4_cl_record *r)
{
    struct gpu_fault fault;
    uint32_t address = (uint32_t)r->field[VC4_SHADER_ADDRESS];
    unsigned count = (unsigned)r->field[VC4_SHADER_ATTRIBUTES];
    switch (r->id) {
    case VC4_CL_NV_SHADER_STATE:
        return vc4_nv_state_read(w->programs, &w->memory, address, &w->state, &fault);
    case VC4_CL_VG_SHADER_STATE:
        return vc4_vg_state_read(w->programs, &w->memory, address, &w->state, &fault);
    case VC4_CL_VG_INLINE_SHADER:
        return vc4_vg_state_inline(w->programs, &w->memory, (uint32_t)r->field[VC4_INLINE_CODE],
                                   (uint32_t)r->field[VC4_INLINE_UNIFORMS],
                                   r->field[VC4_INLINE_SINGLE_THREADED] & 1, &w->state, &fault);
    default:
        return vc4_shader_state_read(w->programs, &w->memory, address, count ? count : 8,
                                     r->field[VC4_SHADER_EXTENDED] != 0, &w->state, &fault);
    }
}

static void read_shader_state(struct walk *w, const struct vc4_cl_record *record)
{
    if (gpu_programs_are_many(w->programs))
        gpu_programs_empty(w->programs);
    w->has_state = read_state(w, record);
}

static void lint_record(struct walk *w, const struct vc4_cl_record *record, uint32_t at)
{
    switch (record->id) {
    case VC4_CL_GL_SHADER_STATE:
    case VC4_CL_NV_SHADER_STATE:
    case VC4_CL_VG_SHADER_STATE:
    case VC4_CL_VG_INLINE_SHADER: read_shader_state(w, record); break;
    case VC4_CL_VG_COORDINATE_ARRAY:
    case VC4_CL_VG_INLINE: lint_draw(w, TRIANGLES); break;
    case VC4_CL_INDEXED_PRIMITIVES: lint_draw(w, (unsigned)record->field[VC4_INDEXED_MODE]); break;
    case VC4_CL_ARRAY_PRIMITIVES: lint_draw(w, (unsigned)record->field[VC4_ARRAY_MODE]); break;
    case VC4_CL_POINT_SIZE:
        w->point_size = util_u2f((uint32_t)record->field[VC4_VALUE]);
        w->point_record = at;
        break;
    default: break;
    }
}

/* A binning list, branches and sub-lists followed. */
static void lint_list(struct walk *w, uint32_t at, uint32_t end)
{
    uint32_t back[DEPTH_MAX], depth = 0;
    w->has_state = false;
    w->point_size = 1;
    for (uint32_t n = 0; n < RECORDS_MAX && !w->error && (at != end || depth); n++) {
        struct vc4_cl_record record;
        const uint8_t *bytes = gpu_memory_at(&w->memory, at, 1);
        if (!bytes || vc4_cl_decode(bytes, (size_t)(w->memory.size - at), &record) ||
            record.id == VC4_CL_HALT)
            return;
        lint_record(w, &record, at);
        at += record.size;
        if (record.id == VC4_CL_BRANCH_TO_SUB_LIST && depth == DEPTH_MAX)
            return;
        if (record.id == VC4_CL_BRANCH_TO_SUB_LIST)
            back[depth++] = at;
        if (record.id == VC4_CL_BRANCH || record.id == VC4_CL_BRANCH_TO_SUB_LIST)
            at = (uint32_t)record.field[VC4_BRANCH_ADDRESS];
        if (record.id == VC4_CL_RETURN) {
            if (!depth)
                return;
            at = back[--depth];
        }
    }
}

/* ---- the capture ---- */

static void lint_user_program(struct walk *w, uint32_t code, uint32_t uniforms)
{
    struct vc4_qpu_lint_options options = vc4_qpu_lint_nothing_known;
    struct gpu_fault fault;
    struct vc4_stage stage = {.code = code, .uniforms = uniforms};
    stage.program = vc4_programs_get(w->programs, &w->memory, code, NULL, &fault);
    options.stage = VC4_QPU_STAGE_USER;
    if (stage.program)
        lint_program(w, &stage, &options);
}

static void lint_register(struct walk *w, uint32_t offset, uint32_t value, uint32_t *uniforms)
{
    w->draw = 0;
    if (offset == VC4_CT0CA)
        w->list_start = value;
    if (offset == VC4_SRQUA)
        *uniforms = value;
    if (offset != VC4_CT0EA && offset != VC4_SRQPC)
        return;
    w->summary->jobs++;
    if (offset == VC4_CT0EA)
        lint_list(w, w->list_start, value);
    else
        lint_user_program(w, value, *uniforms);
}

static int lint_events(struct walk *w, struct capture_reader *reader, struct util_error *error)
{
    uint32_t uniforms = 0;
    while (!w->error) {
        struct capture_event event;
        int code = capture_read(reader, &event, error);
        if (code || event.type == CAPTURE_EVENT_END)
            return code;
        if (event.type == CAPTURE_EVENT_REGISTER || event.type == CAPTURE_EVENT_IRQ_REPLY)
            lint_register(w, event.reg.offset, event.reg.value, &uniforms);
        for (uint32_t i = 0; event.type == CAPTURE_EVENT_PAGES && i < event.pages.count; i++) {
            uint8_t *to = gpu_memory_at(&w->memory, event.pages.pages[i].address, GPU_PAGE);
            if (to)
                memcpy(to, event.pages.pages[i].bytes, GPU_PAGE);
        }
    }
    return w->error;
}

static int lint_capture(struct capture_reader *reader, gpu_lint_fn found, void *data,
                        struct gpu_lint_summary *summary, struct util_error *error)
{
    struct capture_info info;
    capture_reader_info(reader, &info);
    *summary = (struct gpu_lint_summary){0};
    if (strcmp(info.gpu, "vc4") != 0)
        return util_fail(error, -ENOTSUP, "a capture of a '%s', not of a vc4", info.gpu);
    struct walk *w = calloc(1, sizeof *w);
    if (!w)
        return util_fail(error, -ENOMEM, "out of memory");
    w->summary = summary;
    w->found = found;
    w->data = data;
    w->memory.fd = -1;
    int code = gpu_memory_create(info.memory_size, &w->memory);
    if (!code)
        code = gpu_programs_create(&vc4_program_kind, &w->programs);
    if (!code)
        code = lint_events(w, reader, error);
    gpu_programs_destroy(w->programs);
    gpu_memory_destroy(&w->memory);
    gpu_seen_finish(&w->looked_at);
    gpu_seen_finish(&w->found_before);
    free(w);
    return code == -ENOMEM ? util_fail(error, code, "out of memory") : code;
}

const struct gpu_linter vc4_linter = {NULL, lint_capture};
