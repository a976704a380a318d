/* Captures through the linter: the binning list walked, each draw's programs looked at. */
#include "gpu/lint.h"

#include <errno.h>
#include <stdio.h>

#include "gpu/vc4/cl.h"
#include "gpu/vc4/device.h"
#include "gpu/vc4/shader_state.h"
#include "isa/sets.h"
#include "isa/vc4_qpu/lint.h"
#include "isa/vc4_qpu/program_internal.h"
#include "util/bits.h"

#define RECORDS_MAX 1000000u /* of one list: one that loops ends here */
#define DEPTH_MAX   8u       /* of sub-lists */
#define POINT_MIN   0.125f   /* HW-2726 */
#define TRIANGLES   4u       /* primitive mode */

struct walk {
    struct gpu_lint lint;
    struct gpu_programs *programs;
    uint32_t list_start, user_uniforms;
    /* of the list in progress */
    struct vc4_shader_state state;
    bool has_state;
    float point_size;
    uint32_t point_record; /* where the size was set */
    /* of the program in progress */
    const struct vc4_stage *stage;
    enum vc4_qpu_stage stage_kind;
    struct gpu_lint_program program;
};

static bool is_new(struct walk *w, const void *bytes, size_t size)
{
    return gpu_seen_first(&w->lint.looked_at, bytes, size, &w->lint.error);
}

/* Of the program in progress. */
static void tell(struct walk *w, enum vc4_qpu_lint_rule rule, uint32_t pc, const char *detail)
{
    struct isa_finding finding = {.rule = vc4_qpu_lint_rule(rule), .pc = pc};
    snprintf(finding.detail, sizeof finding.detail, "%s", detail);
    gpu_lint_found(&w->program, &finding);
}

/* ---- uniforms: what the stream holds where the program uses it ---- */

/* The word at a place of the stream; false when it is not known or outside memory. */
static bool uniform(const struct walk *w, uint32_t at, uint32_t *word)
{
    uint64_t address = w->stage->uniforms + (uint64_t)at * 4;
    const uint8_t *bytes = at == VC4_QPU_NO_OFFSET ? NULL : gpu_memory_at(&w->lint.memory, address, 4);
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
        tell(w, VC4_QPU_LINT_RASTER_NPOT, sample->insn, detail);
    }
    for (unsigned i = 2; i < sample->param_count; i++)
        if (uniform(w, sample->param[i], &p[i]) && p[i] >> 30 == 2 &&
            (!util_bits(p[i], 0, 11) || !util_bits(p[i], 12, 11)))
            tell(w, VC4_QPU_LINT_CHILD_IMAGE_2048, sample->insn, "");
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
        tell(w, VC4_QPU_LINT_STENCIL_FACING, pc, detail);
    }
}

static void lint_uniforms(struct walk *w)
{
    const struct vc4_qpu_program *p = w->stage->program;
    uint64_t bytes = (uint64_t)p->uniform_count * 4;
    char detail[64];
    if (bytes && !gpu_memory_at(&w->lint.memory, w->stage->uniforms, bytes)) {
        snprintf(detail, sizeof detail, "%u words at 0x%08x", p->uniform_count, w->stage->uniforms);
        tell(w, VC4_QPU_LINT_UNIFORMS_OUTSIDE, 0, detail);
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
    static const char *const places[] = {
        [VC4_QPU_STAGE_FRAGMENT] = "fragment program",
        [VC4_QPU_STAGE_VERTEX] = "vertex program",
        [VC4_QPU_STAGE_COORDINATE] = "coordinate program",
        [VC4_QPU_STAGE_USER] = "user program",
    };
    const struct vc4_qpu_program *p = stage->program;
    const uint64_t role[] = {p->hash, (uint64_t)options->stage << 32 | (uint32_t)options->varyings,
                             (uint64_t)(uint32_t)options->rows_in << 32 | (uint32_t)options->rows_out,
                             (uint64_t)options->threads};
    w->stage = stage;
    w->stage_kind = options->stage;
    w->program = (struct gpu_lint_program){.lint = &w->lint,
                                           .set = &vc4_qpu_set,
                                           .place = places[options->stage],
                                           .address = stage->code,
                                           .what = p->hash,
                                           .words = stage->cached->words,
                                           .count = p->insn_count};
    if (w->lint.program) {
        gpu_lint_program(&w->program);
        return;
    }
    if (is_new(w, &p->hash, sizeof p->hash))
        w->lint.summary->programs++;
    if (is_new(w, role, sizeof role) &&
        vc4_qpu_lint(stage->cached->words, p->insn_count, options, gpu_lint_found, &w->program) == -ENOMEM)
        w->lint.error = -ENOMEM;
    lint_uniforms(w);
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
    w->lint.draw++;
    w->lint.summary->draws++;
    if (!w->has_state)
        return;
    options.stage = VC4_QPU_STAGE_FRAGMENT;
    if (s->kind == VC4_SHADER_GL || s->kind == VC4_SHADER_NV)
        options.varyings = s->varying_count + (mode == 0 ? 2 : mode <= 3);
    options.threads = s->single_threaded ? 1 : 2;
    lint_program(w, &s->fs, &options);
    if (mode == 0 && !s->point_size && w->point_size < POINT_MIN)
        gpu_lint_tell(&w->lint,
                      &(struct gpu_lint_finding){.rule = vc4_qpu_lint_rule(VC4_QPU_LINT_POINT_SIZE_ZERO),
                                                 .detail = "",
                                                 .place = "record",
                                                 .address = w->point_record,
                                                 .pc = UINT32_MAX,
                                                 .line = ""},
                      0);
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
        return vc4_nv_state_read(w->programs, &w->lint.memory, address, &w->state, &fault);
    case VC4_CL_VG_SHADER_STATE:
        return vc4_vg_state_read(w->programs, &w->lint.memory, address, &w->state, &fault);
    case VC4_CL_VG_INLINE_SHADER:
        return vc4_vg_state_inline(w->programs, &w->lint.memory, (uint32_t)r->field[VC4_INLINE_CODE],
                                   (uint32_t)r->field[VC4_INLINE_UNIFORMS],
                                   r->field[VC4_INLINE_SINGLE_THREADED] & 1, &w->state, &fault);
    default:
        return vc4_shader_state_read(w->programs, &w->lint.memory, address, count ? count : 8,
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
    for (uint32_t n = 0; n < RECORDS_MAX && !w->lint.error && (at != end || depth); n++) {
        struct vc4_cl_record record;
        const uint8_t *bytes = gpu_memory_at(&w->lint.memory, at, 1);
        if (!bytes || vc4_cl_decode(bytes, (size_t)(w->lint.memory.size - at), &record) ||
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

static void lint_user_program(struct walk *w, uint32_t code)
{
    struct vc4_qpu_lint_options options = vc4_qpu_lint_nothing_known;
    struct gpu_fault fault;
    struct vc4_stage stage = {.code = code, .uniforms = w->user_uniforms};
    stage.program = vc4_programs_get(w->programs, &w->lint.memory, code, &stage.cached, &fault);
    options.stage = VC4_QPU_STAGE_USER;
    if (stage.program)
        lint_program(w, &stage, &options);
}

static void lint_write(struct gpu_lint *lint, uint32_t offset, uint32_t value)
{
    struct walk *w = (struct walk *)lint;
    switch (offset) {
    case VC4_CT0CA: w->list_start = value; break;
    case VC4_SRQUA: w->user_uniforms = value; break;
    case VC4_CT0EA:
        lint->summary->jobs++;
        lint_list(w, w->list_start, value);
        break;
    case VC4_SRQPC:
        lint->summary->jobs++;
        lint_user_program(w, value);
        break;
    default: break;
    }
}

static int begin(struct gpu_lint *lint, const struct capture_info *info)
{
    return gpu_programs_create(&vc4_program_kind, &((struct walk *)lint)->programs);
}

static void end(struct gpu_lint *lint)
{
    gpu_programs_destroy(((struct walk *)lint)->programs);
}

const struct gpu_linter vc4_linter = {
    .family = "vc4", .bytes = sizeof(struct walk), .begin = begin, .write = lint_write, .end = end};
