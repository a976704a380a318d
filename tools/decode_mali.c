/* Part of `vitrail decode` for Malis with a job manager: registers and chains of jobs. */
#include "tools/decode_mali.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "gpu/families.h"

static int create(struct decode *d, void **self)
{
    const struct gpu_options options = {0};
    struct gpu_device gpu;
    struct tool_mali *m = *self = calloc(1, sizeof *m);
    if (!m)
        return -ENOMEM;
    m->decode = d;
    int error = gpu_create(d->gpu, &d->memory, &options, &gpu);
    if (error)
        free(m);
    else
        m->device = gpu.self;
    return error;
}

static void destroy(void *self)
{
    struct tool_mali *m = self;
    if (m)
        mali_device_destroy(m->device);
    free(m);
}

/* ---- descriptors ---- */

bool tool_mali_open(struct tool_mali *m, const struct mali_desc *desc, uint64_t address, void *out)
{
    struct listing *l = &m->decode->listing;
    uint32_t words[MALI_DESC_WORDS];
    struct gpu_field fields[MALI_DESC_FIELDS];
    struct mali_stop stop = {0};
    if (!mali_desc_fetch(&m->reader, desc, address, words, &stop)) {
        listing_line(l, "broken", "%s", stop.fault.text);
        return false;
    }
    listing_open(l, "descriptor", "%s at 0x%08" PRIx64, desc->name, address);
    listing_fields(l, fields, mali_desc_list(desc, m->reader.version, words, fields));
    if (out)
        mali_desc_unpack(desc, m->reader.version, words, out);
    return true;
}

bool tool_mali_list(struct tool_mali *m, const struct mali_desc *desc, uint64_t address, void *out)
{
    if (!tool_mali_open(m, desc, address, out))
        return false;
    listing_close(&m->decode->listing);
    return true;
}

/* ---- jobs ---- */

/* A job's section. */
static uint64_t section_at(const struct tool_mali *m, uint64_t job, uint32_t type, enum mali_section section)
{
    return job + mali_section_at(m->reader.version, type, section);
}

static void list_sizes(struct tool_mali *m, const struct mali_invocation *invocation)
{
    uint64_t size[3], groups[3];
    mali_invocation_sizes(invocation, size, groups);
    listing_line(&m->decode->listing, "sizes",
                 "workgroups %" PRIu64 " x %" PRIu64 " x %" PRIu64 " of %" PRIu64 " x %" PRIu64 " x %" PRIu64,
                 groups[0], groups[1], groups[2], size[0], size[1], size[2]);
}

static void list_section(struct tool_mali *m, uint64_t job, uint32_t type, enum mali_section section,
                         const struct mali_desc *desc)
{
    tool_mali_list(m, desc, section_at(m, job, type, section), NULL);
}

/* A draw with all that it leads to. */
static void list_draw(struct tool_mali *m, const char *program, uint64_t address, bool fragments)
{
    const bool knows_frame = m->reader.version <= MALI_V5;
    struct mali_draw draw;
    if (!tool_mali_open(m, &mali_desc_draw, address, &draw))
        return;
    /* How many blends there are, jobs do not say since v6: one is there always. */
    const uint32_t targets = !fragments ? 0 : knows_frame ? tool_mali_frame(m, draw.fbd, false) : 1;
    tool_mali_draw(m, program, &draw, targets, fragments && knows_frame);
    listing_close(&m->decode->listing);
}

static void list_compute(struct tool_mali *m, const char *program, uint64_t job)
{
    const uint32_t type = MALI_JOB_TYPE_COMPUTE;
    struct mali_invocation invocation;
    if (m->reader.version >= MALI_V9) {
        list_section(m, job, type, MALI_SECTION_PAYLOAD, &mali_desc_compute_v9);
        tool_mali_environment(m, program, section_at(m, job, type, MALI_SECTION_ENVIRONMENT));
        return;
    }
    if (tool_mali_list(m, &mali_desc_invocation, section_at(m, job, type, MALI_SECTION_INVOCATION),
                       &invocation))
        list_sizes(m, &invocation);
    list_section(m, job, type, MALI_SECTION_PARAMETERS, &mali_desc_compute);
    list_draw(m, program, section_at(m, job, type, MALI_SECTION_DRAW), false);
}

static void list_context(struct tool_mali *m, uint64_t job, uint32_t type)
{
    struct mali_tiler_pointer pointer;
    if (tool_mali_list(m, &mali_desc_tiler_pointer, section_at(m, job, type, MALI_SECTION_TILER), &pointer))
        tool_mali_context(m, pointer.address);
}

/* Of an indexed vertex job: positions have the state's program, varyings its second one. */
static void list_vertices(struct tool_mali *m, uint64_t job, uint32_t type)
{
    const uint64_t at = section_at(m, job, type, MALI_SECTION_VERTEX_DRAW);
    struct mali_primitive primitive;
    struct mali_draw draw;
    struct mali_state state;
    struct mali_stop stop = {0};
    list_draw(m, "vertex program", at, false);
    if (mali_desc_read(&m->reader, &mali_desc_primitive, section_at(m, job, type, MALI_SECTION_PRIMITIVE),
                       &primitive, &stop) &&
        mali_desc_read(&m->reader, &mali_desc_draw, at, &draw, &stop) &&
        mali_desc_read(&m->reader, &mali_desc_state, draw.state, &state, &stop) && primitive.secondary_shader)
        tool_mali_program(m, "varying program", state.secondary_shader);
}

static void list_primitives(struct tool_mali *m, uint64_t job, uint32_t type)
{
    struct mali_invocation invocation;
    if (tool_mali_list(m, &mali_desc_invocation, section_at(m, job, type, MALI_SECTION_INVOCATION),
                       &invocation))
        list_sizes(m, &invocation);
    list_section(m, job, type, MALI_SECTION_PRIMITIVE, &mali_desc_primitive);
    list_section(m, job, type, MALI_SECTION_PRIMITIVE_SIZE, &mali_desc_primitive_size);
    if (m->reader.version >= MALI_V6)
        list_context(m, job, type);
    list_draw(m, "fragment program", section_at(m, job, type, MALI_SECTION_DRAW), true);
    if (type == MALI_JOB_TYPE_INDEXED_VERTEX)
        list_vertices(m, job, type);
}

static void list_primitives_v9(struct tool_mali *m, uint64_t job, uint32_t type)
{
    const bool shades = type == MALI_JOB_TYPE_MALLOC_VERTEX;
    list_section(m, job, type, MALI_SECTION_PRIMITIVE, &mali_desc_primitive);
    list_section(m, job, type, MALI_SECTION_INSTANCE_COUNT, &mali_desc_count);
    if (shades)
        list_section(m, job, type, MALI_SECTION_ALLOCATION, &mali_desc_allocation);
    list_context(m, job, type);
    list_section(m, job, type, MALI_SECTION_SCISSOR, &mali_desc_scissor);
    list_section(m, job, type, MALI_SECTION_PRIMITIVE_SIZE, &mali_desc_primitive_size);
    list_section(m, job, type, MALI_SECTION_INDICES, &mali_desc_indices);
    tool_mali_draw_v9(m, "fragment program", section_at(m, job, type, MALI_SECTION_DRAW));
    if (!shades)
        return;
    tool_mali_environment(m, "position program", section_at(m, job, type, MALI_SECTION_POSITION));
    tool_mali_environment(m, "varying program", section_at(m, job, type, MALI_SECTION_VARYING));
}

static void list_payload(struct tool_mali *m, uint64_t job, const struct mali_job_header *header)
{
    const uint64_t payload = job + mali_payload_at(m->reader.version, header);
    struct mali_fragment fragment;
    switch (header->type) {
    case MALI_JOB_TYPE_WRITE_VALUE: tool_mali_list(m, &mali_desc_write_value, payload, NULL); break;
    case MALI_JOB_TYPE_CACHE_FLUSH: tool_mali_list(m, &mali_desc_cache_flush, payload, NULL); break;
    case MALI_JOB_TYPE_COMPUTE: list_compute(m, "compute program", job); break;
    case MALI_JOB_TYPE_VERTEX: list_compute(m, "vertex program", job); break;
    case MALI_JOB_TYPE_GEOMETRY: list_compute(m, "geometry program", job); break;
    case MALI_JOB_TYPE_TILER:
    case MALI_JOB_TYPE_INDEXED_VERTEX:
    case MALI_JOB_TYPE_MALLOC_VERTEX:
        if (!mali_section_at(m->reader.version, header->type, MALI_SECTION_PRIMITIVE))
            listing_line(&m->decode->listing, "left out", "(what it holds is not known)");
        else if (m->reader.version >= MALI_V9)
            list_primitives_v9(m, job, header->type);
        else
            list_primitives(m, job, header->type);
        break;
    case MALI_JOB_TYPE_FRAGMENT:
        if (tool_mali_list(m, &mali_desc_fragment, payload, &fragment))
            tool_mali_frame(m, fragment.framebuffer, true);
        break;
    default: break;
    }
}

static void list_chain(struct tool_mali *m, const struct mali_start *start)
{
    struct listing *l = &m->decode->listing;
    struct gpu_fault fault = {0};
    struct mali_job_header header;
    uint64_t at = start->chain;
    m->reader = (struct mali_reader){mali_device_space(m->device, start->as, &fault),
                                     mali_device_version(m->device), "decode", NULL};
    listing_open(l, "chain", "job %" PRIu64 ", chain of slot %u in address space %u", m->decode->job,
                 start->slot, start->as);
    if (!m->reader.space)
        listing_line(l, "broken", "%s", fault.text);
    for (uint32_t n = 0; m->reader.space && at; n++) {
        if (n == DECODE_RECORDS_MAX) {
            listing_line(l, "broken", "(stopped after %u jobs: the chain does not end)", n);
            break;
        }
        if (!tool_mali_open(m, &mali_desc_job_header, at, &header))
            break;
        mali_job_header_settle(m->reader.version, &header);
        list_payload(m, at, &header);
        listing_close(l);
        at = header.next;
    }
    listing_close(l);
}

/* ---- registers ---- */

static bool begins(const void *self, uint32_t offset, uint32_t value)
{
    const struct tool_mali *m = self;
    return mali_device_starts(m->device, offset, value).starts;
}

static void open_register(struct tool_mali *m, uint32_t offset, uint32_t value, bool reply)
{
    struct listing *l = &m->decode->listing;
    const char *why = reply ? "in answer to an interrupt: " : "";
    struct gpu_field fields[MALI_FLAGS_MAX];
    struct mali_register r;
    char number[16] = "", word[16] = "";
    if (!mali_device_register(offset, &r)) {
        listing_open(l, "register", "%sno register [0x%04x] = 0x%08x", why, offset, value);
        return;
    }
    if (r.numbered)
        snprintf(number, sizeof number, "%u", r.number);
    if (r.counted)
        snprintf(word, sizeof word, " %u", r.word);
    listing_open(l, "register", "%s%s%s %s%s [0x%04x] = 0x%08x", why, r.block, number, r.name, word, offset,
                 value);
    listing_fields(l, fields, mali_register_fields(offset, value, fields));
}

static void list_write(void *self, uint32_t offset, uint32_t value, bool reply)
{
    struct tool_mali *m = self;
    struct mali_start start = mali_device_starts(m->device, offset, value);
    if (!m->decode->listing.muted) {
        open_register(m, offset, value, reply);
        if (start.starts)
            list_chain(m, &start);
        listing_close(&m->decode->listing);
    }
    if (!start.starts)
        mali_write(m->device, offset, value);
}

const struct decode_family decode_mali = {create, destroy, begins, list_write};
