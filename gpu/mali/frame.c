/* Framebuffers. Source: Mesa's genxml, pan_cs.c and decode.c as documentation of the layout and of the tags. */
#include "gpu/mali/frame.h"

#include <stddef.h>
#include <string.h>

uint32_t mali_frame_at(enum mali_version version, enum mali_frame_part part)
{
    enum { LACKS = MALI_FRAME_LACKS };
    static const uint16_t at[MALI_FRAME_PART_COUNT][MALI_VERSION_COUNT] = {
#define PART(part, ...) [MALI_FRAME_##part] = {__VA_ARGS__},
#include "gpu/mali/sections.inc"
    };
    return at[part][version];
}

void mali_frame_size(enum mali_version version, const struct mali_frame *frame, uint32_t *width,
                     uint32_t *height)
{
    *width = version == MALI_V4 ? frame->single.bound_max_x + 1 : frame->several.width;
    *height = version == MALI_V4 ? frame->single.bound_max_y + 1 : frame->several.height;
}

static bool bad(const struct mali_reader *reader, const struct mali_frame *frame, enum gpu_fault_kind kind,
                const char *what, struct mali_stop *stop)
{
    return mali_stop_set(stop, MALI_DATA_INVALID_FAULT, kind, reader->unit, frame->address, "framebuffer: %s",
                         what);
}

/* What names it says again what the parameters say. */
static bool check_pointer(const struct mali_reader *reader, const struct mali_frame *frame,
                          const struct mali_framebuffer_pointer *pointer, struct mali_stop *stop)
{
    return (pointer->zs_crc_extension_present == frame->has_zs_crc &&
            pointer->render_target_count == frame->target_count) ||
           bad(reader, frame, GPU_FAULT_PACKET, "its tag is that of another", stop);
}

static bool read_behind(const struct mali_reader *reader, struct mali_frame *frame, struct mali_stop *stop)
{
    uint64_t at = frame->address + mali_frame_at(reader->version, MALI_FRAME_BEHIND);
    if (frame->target_count > MALI_TARGETS)
        return bad(reader, frame, GPU_FAULT_PACKET, "it has more than eight targets", stop);
    if (frame->has_zs_crc) {
        if (!mali_desc_read(reader, &mali_desc_zs_crc, at, &frame->zs_crc, stop))
            return false;
        at += mali_desc_zs_crc.bytes[reader->version];
    }
    for (uint32_t n = 0; n < frame->target_count; n++, at += mali_desc_target.bytes[reader->version])
        if (!mali_desc_read(reader, &mali_desc_target, at, &frame->target[n], stop))
            return false;
    return true;
}

uint64_t mali_frame_draw_at(enum mali_version version, const struct mali_mfb *parameters,
                            enum mali_frame_draw n)
{
    const uint64_t bytes = version >= MALI_V9
                               ? mali_desc_draw_v9.bytes[version] + mali_desc_environment.bytes[version]
                               : mali_desc_draw.bytes[version];
    return parameters->frame_shader_dcds + n * bytes;
}

bool mali_tiler_context_read(const struct mali_reader *reader, uint64_t address,
                             struct mali_tiler_context *out, struct mali_stop *stop)
{
    *out = (struct mali_tiler_context){.address = address};
    return !address || (mali_desc_read(reader, &mali_desc_tiler_v6, address, &out->tiler, stop) &&
                        (!out->tiler.heap ||
                         mali_desc_read(reader, &mali_desc_tiler_heap, out->tiler.heap, &out->heap, stop)));
}

/* Of v4 and v5: storage and tiler stand in the framebuffer itself. */
static bool read_parts(const struct mali_reader *reader, struct mali_frame *out, struct mali_stop *stop)
{
    return mali_desc_read(reader, &mali_desc_storage, out->address, &out->storage, stop) &&
           mali_desc_read(reader, &mali_desc_tiler,
                          out->address + mali_frame_at(reader->version, MALI_FRAME_TILER), &out->tiler,
                          stop) &&
           mali_desc_read(reader, &mali_desc_weights,
                          out->address + mali_frame_at(reader->version, MALI_FRAME_WEIGHTS), &out->weights,
                          stop);
}

bool mali_frame_read(const struct mali_reader *reader, uint64_t tagged, bool targets, struct mali_frame *out,
                     struct mali_stop *stop)
{
    const uint32_t words[] = {(uint32_t)tagged, (uint32_t)(tagged >> 32)};
    struct mali_framebuffer_pointer pointer;
    memset(out, 0, offsetof(struct mali_frame, target)); /* targets are as many as are read */
    out->address = tagged & ~(uint64_t)MALI_TAG_MASK;
    mali_desc_unpack(&mali_desc_framebuffer_pointer, reader->version, words, &pointer);
    if (reader->version >= MALI_V5 && !pointer.is_several)
        return bad(reader, out, GPU_FAULT_UNSUPPORTED, "one of one target is not known on this GPU", stop);
    uint64_t parameters = out->address + mali_frame_at(reader->version, MALI_FRAME_PARAMETERS);
    if (reader->version <= MALI_V5 && !read_parts(reader, out, stop))
        return false;
    out->target_count = 1;
    if (reader->version == MALI_V4)
        return mali_desc_read(reader, &mali_desc_sfb, parameters, &out->single, stop);
    if (!mali_desc_read(reader, &mali_desc_mfb, parameters, &out->several, stop))
        return false;
    if (reader->version >= MALI_V6 &&
        !mali_tiler_context_read(reader, out->several.tiler, &out->context, stop))
        return false;
    out->has_zs_crc = out->several.has_zs_crc_extension;
    out->target_count = out->several.render_target_count;
    return !targets || (check_pointer(reader, out, &pointer, stop) && read_behind(reader, out, stop));
}
