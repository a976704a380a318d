/* What draws and frames lead to, listed. Lists of a guest may be as long as its memory: of each kind
 * so many are listed. */
#include "tools/decode_mali.h"

#include <inttypes.h>

#include "util/bits.h"

#define MOST 64u /* of a list */

/* How many of `count` are listed; says what is left out. */
static uint32_t some(struct tool_mali *m, uint32_t count, const char *of)
{
    if (count > MOST)
        listing_line(&m->decode->listing, "left out", "(%u %s, of which the first %u follow)", count, of,
                     MOST);
    return UTIL_MIN(count, MOST);
}

void tool_mali_list_all(struct tool_mali *m, const struct mali_desc *desc, uint64_t address, uint64_t count)
{
    count = some(m, (uint32_t)UTIL_MIN(count, UINT32_MAX), desc->name);
    for (uint32_t n = 0; n < count; n++)
        if (!tool_mali_list(m, desc, address + (uint64_t)n * desc->bytes[m->reader.version], NULL))
            break;
}

/* ---- attributes ---- */

static void list_arrays(struct tool_mali *m, uint64_t address, uint32_t count)
{
    struct mali_buffer buffer;
    count = some(m, count, "attribute buffers");
    for (uint32_t n = 0; n < count; n++) {
        const uint32_t bytes = mali_desc_buffer.bytes[m->reader.version];
        uint64_t at = address + (uint64_t)n * bytes;
        if (!tool_mali_list(m, &mali_desc_buffer, at, &buffer))
            return;
        bool divides = buffer.type == MALI_ATTRIBUTE_TYPE_1D_NPOT_DIVISOR ||
                       buffer.type == MALI_ATTRIBUTE_TYPE_1D_NPOT_DIVISOR_WRITE_REDUCTION;
        bool image =
            buffer.type == MALI_ATTRIBUTE_TYPE_3D_LINEAR || buffer.type == MALI_ATTRIBUTE_TYPE_3D_INTERLEAVED;
        if (!divides && !image)
            continue;
        n++;
        tool_mali_list(m, divides ? &mali_desc_buffer_npot : &mali_desc_buffer_3d, at + bytes, NULL);
    }
}

static void list_attributes(struct tool_mali *m, const char *name, uint64_t attributes, uint32_t count,
                            uint64_t buffers)
{
    struct mali_attribute attribute;
    uint32_t arrays = 0;
    if (!count)
        return;
    listing_open(&m->decode->listing, "attributes", "%s: %u", name, count);
    count = some(m, count, "attributes");
    for (uint32_t n = 0; n < count; n++) {
        if (!tool_mali_list(m, &mali_desc_attribute,
                            attributes + (uint64_t)n * mali_desc_attribute.bytes[m->reader.version],
                            &attribute))
            break;
        arrays = UTIL_MAX(arrays, attribute.buffer_index + 1);
    }
    list_arrays(m, buffers, arrays);
    listing_close(&m->decode->listing);
}

/* ---- textures ---- */

void tool_mali_texture(struct tool_mali *m, uint64_t address)
{
    struct mali_texture t;
    if (!tool_mali_open(m, &mali_desc_texture, address, &t))
        return;
    const struct mali_surfaces s = mali_surfaces_of(m->reader.version, &t, address);
    if (s.address)
        tool_mali_list_all(m, s.desc, s.address, s.count);
    listing_close(&m->decode->listing);
}

static void list_textures(struct tool_mali *m, uint64_t list, uint32_t count)
{
    count = some(m, count, "textures");
    for (uint32_t n = 0; n < count; n++) {
        struct mali_surface pointer;
        if (m->reader.version >= MALI_V6) {
            tool_mali_texture(m, list + (uint64_t)n * mali_desc_texture.bytes[m->reader.version]);
            continue;
        }
        if (!tool_mali_list(m, &mali_desc_surface,
                            list + (uint64_t)n * mali_desc_surface.bytes[m->reader.version], &pointer))
            return;
        if (pointer.pointer)
            tool_mali_texture(m, pointer.pointer);
    }
}

/* ---- draws ---- */

void tool_mali_draw(struct tool_mali *m, const char *program, const struct mali_draw *draw, uint32_t targets,
                    bool fbd)
{
    struct mali_state state;
    if (!tool_mali_open(m, &mali_desc_state, draw->state, &state))
        return;
    if (m->reader.version != MALI_V4)
        tool_mali_list_all(m, &mali_desc_blend, draw->state + mali_desc_state.bytes[m->reader.version],
                           UTIL_MIN(targets, MALI_TARGETS));
    listing_close(&m->decode->listing);
    tool_mali_programs(m, program, draw, &state, targets);
    if (!fbd)
        tool_mali_list(m, &mali_desc_storage, draw->thread_storage & ~(uint64_t)MALI_TAG_MASK, NULL);
    if (draw->viewport)
        tool_mali_list(m, &mali_desc_viewport, draw->viewport, NULL);
    list_attributes(m, "attributes", draw->attributes, state.attribute_count, draw->attribute_buffers);
    list_attributes(m, "varyings", draw->varyings, state.varying_count, draw->varying_buffers);
    tool_mali_list_all(m, &mali_desc_uniform_buffer, draw->uniform_buffers, state.uniform_buffer_count);
    list_textures(m, draw->textures, state.texture_count);
    tool_mali_list_all(m, &mali_desc_sampler, draw->samplers, state.sampler_count);
}

/* ---- frames ---- */

void tool_mali_context(struct tool_mali *m, uint64_t address)
{
    struct mali_tiler_v6 tiler;
    if (!address || !tool_mali_open(m, &mali_desc_tiler_v6, address, &tiler))
        return;
    if (tiler.heap)
        tool_mali_list(m, &mali_desc_tiler_heap, tiler.heap, NULL);
    listing_close(&m->decode->listing);
}

/* Since v6: draws over the whole frame. */
static void list_frame_draws(struct tool_mali *m, const struct mali_mfb *f)
{
    static const char *const names[MALI_FRAME_DRAWS] = {
        "program before the frame", "program before the frame", "program behind the frame"};
    for (enum mali_frame_draw n = 0; n < MALI_FRAME_DRAWS; n++) {
        const uint64_t at = mali_frame_draw_at(m->reader.version, f, n);
        struct mali_draw draw;
        if (!mali_frame_draw_mode(f, n))
            continue;
        if (m->reader.version >= MALI_V9) {
            tool_mali_draw_v9(m, names[n], at);
        } else if (tool_mali_open(m, &mali_desc_draw, at, &draw)) {
            tool_mali_draw(m, names[n], &draw, f->render_target_count, false);
            listing_close(&m->decode->listing);
        }
    }
}

static uint32_t list_several(struct tool_mali *m, uint64_t address, bool targets)
{
    struct mali_mfb f;
    uint64_t behind = address + mali_frame_at(m->reader.version, MALI_FRAME_BEHIND);
    if (!tool_mali_list(m, &mali_desc_mfb, address + mali_frame_at(m->reader.version, MALI_FRAME_PARAMETERS),
                        &f))
        return 0;
    if (targets && f.has_zs_crc_extension) {
        tool_mali_list(m, &mali_desc_zs_crc, behind, NULL);
        behind += mali_desc_zs_crc.bytes[m->reader.version];
    }
    if (targets)
        tool_mali_list_all(m, &mali_desc_target, behind, f.render_target_count);
    if (m->reader.version >= MALI_V6) {
        tool_mali_context(m, f.tiler);
        list_frame_draws(m, &f);
    }
    return f.render_target_count;
}

uint32_t tool_mali_frame(struct tool_mali *m, uint64_t tagged, bool targets)
{
    const enum mali_version version = m->reader.version;
    uint64_t at = tagged & ~(uint64_t)MALI_TAG_MASK;
    uint32_t count = 1;
    listing_open(&m->decode->listing, "framebuffer", "framebuffer at 0x%08" PRIx64 ", tag 0x%02x", at,
                 (unsigned)(tagged & MALI_TAG_MASK));
    if (version <= MALI_V5) {
        tool_mali_list(m, &mali_desc_storage, at, NULL);
        tool_mali_list(m, &mali_desc_tiler, at + mali_frame_at(version, MALI_FRAME_TILER), NULL);
        tool_mali_list(m, &mali_desc_weights, at + mali_frame_at(version, MALI_FRAME_WEIGHTS), NULL);
    }
    if (version == MALI_V4)
        tool_mali_list(m, &mali_desc_sfb, at + mali_frame_at(version, MALI_FRAME_PARAMETERS), NULL);
    else
        count = list_several(m, at, targets);
    listing_close(&m->decode->listing);
    return count;
}
