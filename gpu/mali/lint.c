/* Captures through the linter: registers and page tables as the device has them, chains looked at where they
 * start, job by job with all that they lead to. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gpu/lint.h"
#include "gpu/mali/device_internal.h"
#include "gpu/mali/inspect.h"
#include "isa/sets.h"
#include "util/bits.h"

#define PROGRAM_TAG 15u /* lower bits of a program's address: its first word's kind */
#define INDICES     0x10000u

enum rule {
#define LINT(name, severity, text, source) RULE_##name,
#include "gpu/mali/lint_rules.inc"
#undef LINT
};

static const struct isa_rule rules[] = {
#define LINT(name, severity, text, source) {#name, ISA_##severity, text, source},
#include "gpu/mali/lint_rules.inc"
#undef LINT
};

struct mali_lint {
    struct gpu_lint lint;       /* first: what the loop knows */
    struct mali_device *device; /* lint.device */
    struct util_arena *arena;
    uint8_t indices[INDICES / 8]; /* of the chain's jobs so far */
};

static const struct isa_rule *all_rules(uint32_t *count)
{
    *count = UTIL_ARRAY_SIZE(rules);
    return rules;
}

static void __attribute__((format(printf, 5, 6))) tell(struct mali_lint *l, enum rule rule, const char *place,
                                                       uint64_t address, const char *detail, ...)
{
    char text[256];
    va_list args;
    va_start(args, detail);
    vsnprintf(text, sizeof text, detail, args);
    va_end(args);
    gpu_lint_tell(&l->lint,
                  &(struct gpu_lint_finding){.rule = &rules[rule],
                                             .detail = text,
                                             .place = place,
                                             .address = address,
                                             .pc = UINT32_MAX,
                                             .line = ""},
                  address);
}

/* ---- jobs ---- */

static bool is_seen(const struct mali_lint *l, uint32_t index)
{
    return l->indices[index / 8] >> index % 8 & 1;
}

static void lint_order(struct mali_lint *l, uint64_t at, const struct mali_job_header *h)
{
    const uint32_t dependency[] = {h->dependency_1, h->dependency_2};
    for (unsigned n = 0; n < 2; n++)
        if (dependency[n] && !is_seen(l, dependency[n]))
            tell(l, RULE_DEPENDENCY, "job", at, "job %u on job %u", h->index, dependency[n]);
    if (h->index && is_seen(l, h->index))
        tell(l, RULE_INDEX_TWICE, "job", at, "index %u", h->index);
    l->indices[h->index / 8] |= (uint8_t)(1u << h->index % 8);
    if (h->exception_status)
        tell(l, RULE_HEADER_USED, "job", at, "%s", mali_exception_name(h->exception_status));
}

static void lint_refused(struct mali_lint *l, const char *place, const struct mali_stop *refused)
{
    if (refused)
        tell(l, RULE_UNUSABLE, place, refused->fault.address, "%s", refused->fault.text);
}

/* The buffers that a list's attributes name: others are nobody's. */
static void lint_buffers(struct mali_lint *l, const char *place, const struct mali_attribute_of *list,
                         uint32_t count, const struct mali_array *buffer, uint32_t buffer_count)
{
    for (uint32_t n = 0; n < count; n++) {
        const uint32_t index = list[n].attribute.buffer_index;
        if (!list[n].refused && index < buffer_count)
            lint_refused(l, place, buffer[index].refused);
    }
}

static void lint_bindings(struct mali_lint *l, const struct mali_bindings *b)
{
    lint_buffers(l, "attribute buffer", b->attribute, b->state.attribute_count, b->attribute_buffer,
                 b->attribute_buffer_count);
    lint_buffers(l, "varying buffer", b->varying, b->state.varying_count, b->varying_buffer,
                 b->varying_buffer_count);
    for (uint32_t n = 0; n < b->state.texture_count; n++)
        lint_refused(l, "texture", b->texture[n].refused);
    for (uint32_t n = 0; n < b->state.sampler_count; n++)
        lint_refused(l, "sampler", b->sampler[n].refused);
    for (uint32_t t = 0; t < b->table_count; t++) {
        lint_refused(l, "resource table", b->table[t].refused);
        for (uint32_t n = 0; n < b->table[t].count; n++)
            lint_refused(l, "resource", b->table[t].entry[n].refused);
    }
}

/* ---- programs ---- */

/* `tag`: what the program's address announces; of Midgard alone. */
static void lint_first_tag(struct mali_lint *l, const char *place, uint64_t at, unsigned tag,
                           const struct midgard_program *program)
{
    if (program->insns[0].tag != tag)
        tell(l, RULE_FIRST_TAG, place, at, "tag %u, the program begins with %u", tag, program->insns[0].tag);
}

/* `shader`: its address, on Midgard with the first tag in the lower four bits. */
static void lint_program(struct mali_lint *l, const struct gpu_space *space, const char *place,
                         uint64_t shader)
{
    const struct gpu_program_kind *kind = mali_program_kind(l->device->kind);
    const uint64_t at = shader & ~(uint64_t)PROGRAM_TAG;
    const uint32_t bytes =
        gpu_space_extent(space, at, kind->most_words * kind->word_bytes, GPU_RIGHT_READ | GPU_RIGHT_EXECUTE);
    const uint8_t *words = space->window.base + at;
    struct gpu_program_decoded decoded = {0};
    struct util_error error = {0};
    int status = bytes < kind->word_bytes ? util_fail(&error, -EFAULT, "no page of it may be executed")
                                          : kind->decode(words, bytes / kind->word_bytes, &decoded, &error);
    if (status == -ENOMEM)
        l->lint.error = status;
    else if (status)
        tell(l, RULE_PROGRAM, place, at, "%s", error.text);
    if (status)
        return;
    gpu_lint_program(&(struct gpu_lint_program){.lint = &l->lint,
                                                .set = mali_program_set(l->device->version),
                                                .place = place,
                                                .address = at,
                                                .what = at,
                                                .words = words,
                                                .count = decoded.words});
    if (l->device->version <= MALI_V5)
        lint_first_tag(l, place, at, (unsigned)(shader & PROGRAM_TAG),
                       ((const struct mali_decoded *)decoded.program)->midgard);
    kind->destroy(decoded.program);
}

static void lint_blending(struct mali_lint *l, const struct gpu_space *space, const struct mali_bindings *b)
{
    const enum mali_version version = l->device->version;
    for (uint32_t n = 0; n < b->blend_count; n++) {
        uint64_t shader;
        if (mali_blend_shader(version, &b->blend[n], b->state.shader, &shader))
            lint_program(l, space, "blend shader", shader);
    }
    if (version == MALI_V4 && b->state.blend_by_shader)
        lint_program(l, space, "blend shader", b->state.blend_shader);
}

/* Of a draw, or of one of its programs. Fragments of depth and stencil alone have none. */
static void lint_stage(struct mali_lint *l, const struct gpu_space *space, const char *place, bool fragments,
                       const struct mali_draw *draw, const struct mali_bindings *bindings)
{
    const uint64_t state = l->device->version >= MALI_V9 ? bindings->environment.shader : draw->state;
    lint_bindings(l, bindings);
    if (bindings->state.shader & ~(uint64_t)PROGRAM_TAG)
        lint_program(l, space, place, bindings->state.shader);
    else if (!fragments)
        tell(l, RULE_STATE_NONE, "renderer state", state, "%s", "");
    if (fragments)
        lint_blending(l, space, bindings);
}

/* Vertices that are shaded for the tiler: positions, then varyings, if there are any. */
static void lint_vertices(struct mali_lint *l, const struct gpu_space *space, const struct mali_vertex_job *p)
{
    lint_stage(l, space, "vertex program", false, &p->draw, &p->vertex);
    if (!p->tiler.primitive.secondary_shader)
        return;
    if (l->device->version >= MALI_V9)
        lint_stage(l, space, "varying program", false, &p->draw, &p->varying);
    else
        lint_program(l, space, "varying program", p->vertex.state.secondary_shader);
}

static void lint_payload(struct mali_lint *l, const struct gpu_space *space, uint32_t type,
                         const union mali_payload *p)
{
    switch (type) {
    case MALI_JOB_TYPE_VERTEX:
    case MALI_JOB_TYPE_COMPUTE:
        l->lint.summary->draws++;
        lint_stage(l, space, type == MALI_JOB_TYPE_VERTEX ? "vertex program" : "compute program", false,
                   &p->compute.draw, &p->compute.bindings);
        break;
    case MALI_JOB_TYPE_TILER:
    case MALI_JOB_TYPE_INDEXED_VERTEX:
    case MALI_JOB_TYPE_MALLOC_VERTEX:
        l->lint.summary->draws++;
        lint_stage(l, space, "fragment program", true, &p->tiler.draw, &p->tiler.bindings);
        if (type != MALI_JOB_TYPE_TILER)
            lint_vertices(l, space, &p->vertex);
        break;
    case MALI_JOB_TYPE_FRAGMENT:
        for (enum mali_frame_draw n = 0; l->device->version >= MALI_V6 && n < MALI_FRAME_DRAWS; n++)
            if (mali_frame_draw_mode(&p->fragment.frame.several, n))
                lint_stage(l, space, "frame program", true, &p->fragment.whole[n].draw,
                           &p->fragment.whole[n].bindings);
        break;
    default: break;
    }
}

/* False: the chain cannot be followed further. */
static bool lint_job(struct mali_lint *l, const struct mali_reader *reader, unsigned slot, uint64_t at,
                     struct mali_job_header *header)
{
    union mali_payload p;
    struct mali_stop stop = {0};
    util_arena_reset(l->arena);
    if (!mali_desc_read(reader, &mali_desc_job_header, at, header, &stop)) {
        tell(l, RULE_DESCRIPTOR, "job", at, "%s", stop.fault.text);
        return false;
    }
    mali_job_header_settle(reader->version, header);
    lint_order(l, at, header);
    uint32_t types = mali_feature(l->device->kind, MALI_GPU_JS_FEATURES_0 + slot * 4);
    if (!(types >> header->type & 1))
        tell(l, RULE_SLOT, "job", at, "type %u in slot %u", header->type, slot);
    else if (!mali_payload_read(reader, at, header, l->arena, &p, &stop))
        tell(l, RULE_DESCRIPTOR, "job", at, "%s", stop.fault.text);
    else
        lint_payload(l, reader->space, header->type, &p);
    return true;
}

static void lint_chain(struct mali_lint *l, const struct mali_start *start)
{
    struct util_walk walk = util_walk_begin(1u << 26);
    struct mali_job_header header;
    struct gpu_fault fault = {0};
    const struct mali_reader reader = {mali_device_space(l->device, start->as, &fault),
                                       mali_device_version(l->device), "linter", NULL};
    memset(l->indices, 0, sizeof l->indices);
    if (!reader.space)
        tell(l, RULE_SPACE, "chain", start->chain, "%s", fault.text);
    l->lint.draw = 0;
    for (uint64_t at = start->chain; reader.space && at;) {
        l->lint.draw++;
        if (!lint_job(l, &reader, start->slot, at, &header))
            return;
        uint64_t next = header.next;
        struct util_walk_place to = {(uint32_t)next, {UTIL_WALK_NOWHERE, UTIL_WALK_NOWHERE}};
        if (next && util_walk_returns(&walk, to)) {
            tell(l, RULE_CHAIN_ROUND, "job", at, "it has been at 0x%08llx", (unsigned long long)next);
            return;
        }
        at = next;
    }
}

/* ---- the capture ---- */

static void lint_write(struct gpu_lint *lint, uint32_t offset, uint32_t value)
{
    struct mali_lint *l = (struct mali_lint *)lint;
    struct mali_start start = mali_device_starts(l->device, offset, value);
    if (start.starts) {
        lint->summary->jobs++;
        lint_chain(l, &start);
    } else {
        mali_write(l->device, offset, value);
    }
}

static int begin(struct gpu_lint *lint, const struct capture_info *info)
{
    struct mali_lint *l = (struct mali_lint *)lint;
    l->device = lint->device.self;
    return util_arena_create(&l->arena);
}

static void end(struct gpu_lint *lint)
{
    util_arena_destroy(((struct mali_lint *)lint)->arena);
}

const struct gpu_linter mali_linter = {.family = "mali",
                                       .rules = all_rules,
                                       .bytes = sizeof(struct mali_lint),
                                       .with_device = true,
                                       .begin = begin,
                                       .write = lint_write,
                                       .end = end};
