/* Draws and environments of Valhall, listed: programs and tables of resources. */
#include <inttypes.h>

#include "tools/decode_mali.h"
#include "util/bits.h"

#define ENTRIES_MOST 64u /* of a table that are listed */

/* ---- resources ---- */

/* False: memory ends. */
static bool list_entry(struct tool_mali *m, uint64_t at)
{
    struct mali_entry any;
    struct mali_stop stop = {0};
    if (!mali_desc_read(&m->reader, &mali_desc_entry, at, &any, &stop)) {
        listing_line(&m->decode->listing, "broken", "%s", stop.fault.text);
        return false;
    }
    switch (any.type) {
    case MALI_DESCRIPTOR_TYPE_SAMPLER: return tool_mali_list(m, &mali_desc_sampler, at, NULL);
    case MALI_DESCRIPTOR_TYPE_TEXTURE: tool_mali_texture(m, at); return true;
    case MALI_DESCRIPTOR_TYPE_ATTRIBUTE: return tool_mali_list(m, &mali_desc_attribute_v9, at, NULL);
    case MALI_DESCRIPTOR_TYPE_BUFFER: return tool_mali_list(m, &mali_desc_buffer_v9, at, NULL);
    default: return true; /* none */
    }
}

static void list_table(struct tool_mali *m, uint32_t number, uint64_t at)
{
    struct listing *l = &m->decode->listing;
    struct mali_resource resource;
    struct mali_stop stop = {0};
    if (mali_desc_read(&m->reader, &mali_desc_resource, at, &resource, &stop) && !resource.size)
        return;
    listing_open(l, "table", "table %u", number);
    if (tool_mali_list(m, &mali_desc_resource, at, &resource)) {
        const uint32_t bytes = mali_desc_entry.bytes[m->reader.version];
        const uint64_t count = resource.size / bytes, most = UTIL_MIN(count, ENTRIES_MOST);
        if (count > most)
            listing_line(l, "left out", "(%" PRIu64 " descriptors, of which the first %" PRIu64 " follow)",
                         count, most);
        for (uint64_t n = 0; n < most && list_entry(m, resource.address + n * bytes); n++)
            ;
    }
    listing_close(l);
}

/* ---- environments ---- */

static bool open_environment(struct tool_mali *m, const char *name, uint64_t address,
                             struct mali_program *program)
{
    struct mali_environment e;
    *program = (struct mali_program){0};
    if (!tool_mali_open(m, &mali_desc_environment, address, &e))
        return false;
    if (e.shader && tool_mali_list(m, &mali_desc_program, e.shader, program) && program->binary)
        tool_mali_program(m, name, program->binary);
    tool_mali_pairs(m, e.fau, e.fau_count);
    if (e.thread_storage)
        tool_mali_list(m, &mali_desc_storage, e.thread_storage, NULL);
    for (uint32_t n = 0; e.tables && n < e.table_count; n++)
        list_table(m, n, e.tables + (uint64_t)n * mali_desc_resource.bytes[m->reader.version]);
    return true;
}

void tool_mali_environment(struct tool_mali *m, const char *program, uint64_t address)
{
    struct mali_program unused;
    if (open_environment(m, program, address, &unused))
        listing_close(&m->decode->listing);
}

void tool_mali_draw_v9(struct tool_mali *m, const char *name, uint64_t address)
{
    struct mali_draw_v9 draw;
    struct mali_program program;
    if (!tool_mali_open(m, &mali_desc_draw_v9, address, &draw))
        return;
    if (draw.depth_stencil)
        tool_mali_list(m, &mali_desc_depth_stencil, draw.depth_stencil, NULL);
    if (draw.blend)
        tool_mali_list_all(m, &mali_desc_blend, draw.blend, UTIL_MIN(draw.blend_count, MALI_TARGETS));
    if (open_environment(m, name, address + mali_desc_draw_v9.bytes[m->reader.version], &program)) {
        if (draw.blend)
            tool_mali_blend_shaders(m, draw.blend, draw.blend_count, program.binary);
        listing_close(&m->decode->listing);
    }
    listing_close(&m->decode->listing);
}
