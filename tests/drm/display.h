/* A display for tests: the card's node, framebuffers, modes, commits. */
#ifndef VITRAIL_TESTS_DRM_DISPLAY_H
#define VITRAIL_TESTS_DRM_DISPLAY_H

#include "tests/drm/card.h"

#include "drm/launch/launch.h"
#include "util/image.h"

enum { CRTC = 1, CONNECTOR = 3, PLANE = 4 };

struct display {
    struct card card;
    struct drm_file *file; /* the card's node, master */
    char folder[64];
};

static inline void display_open_at(struct display *d, uint32_t rate)
{
    snprintf(d->folder, sizeof d->folder, "/tmp/vitrail-kms-XXXXXX");
    assert_non_null(mkdtemp(d->folder));
    card_open_at(&d->card, 64 << 20, d->folder, NULL, false, rate);
    assert_int_equal(drm_open(d->card.drm, DRM_MINOR_CARD, &d->file), 0);
}

static inline void display_open(struct display *d)
{
    display_open_at(d, 0);
}

static inline void display_close(struct display *d)
{
    card_close(&d->card);
    drm_tree_remove(d->folder);
}

/* A framebuffer of one colour; red and blue as XRGB8888 stores them. */
static inline uint32_t add_fb(struct display *d, uint32_t width, uint32_t height, uint32_t color,
                              uint32_t *handle)
{
    struct drm_mode_create_dumb dumb = {.width = width, .height = height, .bpp = 32};
    assert_int_equal(CALL(d->file, DRM_IOCTL_MODE_CREATE_DUMB, &dumb), 0);
    struct drm_mode_map_dumb map = {.handle = dumb.handle};
    assert_int_equal(CALL(d->file, DRM_IOCTL_MODE_MAP_DUMB, &map), 0);
    uint8_t *bytes = gpu_memory_at(&d->card.memory, map.offset, dumb.size);
    for (uint64_t i = 0; i < dumb.size / 4; i++)
        util_store32(bytes + i * 4, color);
    struct drm_mode_fb_cmd2 cmd = {.width = width,
                                   .height = height,
                                   .pixel_format = DRM_FORMAT_XRGB8888,
                                   .handles = {dumb.handle},
                                   .pitches = {dumb.pitch}};
    assert_int_equal(CALL(d->file, DRM_IOCTL_MODE_ADDFB2, &cmd), 0);
    if (handle)
        *handle = dumb.handle;
    return cmd.fb_id;
}

static inline struct drm_mode_modeinfo preferred_mode(struct display *d, uint32_t *count)
{
    struct drm_mode_modeinfo modes[8];
    struct drm_mode_get_connector c = {.connector_id = CONNECTOR};
    assert_int_equal(CALL(d->file, DRM_IOCTL_MODE_GETCONNECTOR, &c), 0);
    assert_true(c.count_modes >= 2 && c.count_modes <= 8);
    assert_int_equal(c.connection, 1);
    uint32_t encoders[2], props[8];
    uint64_t values[8];
    c.modes_ptr = (uintptr_t)modes;
    c.encoders_ptr = (uintptr_t)encoders;
    c.props_ptr = (uintptr_t)props;
    c.prop_values_ptr = (uintptr_t)values;
    assert_int_equal(CALL(d->file, DRM_IOCTL_MODE_GETCONNECTOR, &c), 0);
    assert_int_equal(encoders[0], c.encoder_id);
    *count = c.count_modes;
    return modes[0];
}

static inline int set_crtc(struct display *d, uint32_t fb)
{
    uint32_t count, connector = CONNECTOR;
    struct drm_mode_crtc crtc = {.crtc_id = CRTC,
                                 .fb_id = fb,
                                 .set_connectors_ptr = (uintptr_t)&connector,
                                 .count_connectors = 1,
                                 .mode_valid = 1,
                                 .mode = preferred_mode(d, &count)};
    return CALL(d->file, DRM_IOCTL_MODE_SETCRTC, &crtc);
}

static inline void check_frame(struct display *d, unsigned number, uint32_t width, const uint8_t rgb[3])
{
    char path[128];
    struct util_image image;
    assert_int_equal(util_frames_flush(d->card.frames, NULL), 0);
    snprintf(path, sizeof path, "%s/frame-%06u.png", d->folder, number);
    assert_int_equal(util_image_read_png(&image, path), 0);
    assert_int_equal(image.width, width);
    assert_memory_equal(image.pixels + 4 * (image.width * image.height / 2 + 7), rgb, 3);
    util_image_finish(&image);
}

static inline uint32_t property(struct display *d, uint32_t object, uint32_t type, const char *name)
{
    uint32_t ids[32];
    uint64_t values[32];
    struct drm_mode_obj_get_properties get = {.props_ptr = (uintptr_t)ids,
                                              .prop_values_ptr = (uintptr_t)values,
                                              .count_props = 32,
                                              .obj_id = object,
                                              .obj_type = type};
    assert_int_equal(CALL(d->file, DRM_IOCTL_MODE_OBJ_GETPROPERTIES, &get), 0);
    for (uint32_t i = 0; i < get.count_props; i++) {
        struct drm_mode_get_property p = {.prop_id = ids[i]};
        assert_int_equal(CALL(d->file, DRM_IOCTL_MODE_GETPROPERTY, &p), 0);
        if (!strcmp(p.name, name))
            return ids[i];
    }
    return 0;
}

struct commit {
    uint32_t objects[4], counts[4], ids[32];
    uint64_t values[32];
    struct drm_mode_atomic atomic;
};

/* A commit that shows `fb` at its full size in the preferred mode. */
static inline void full_commit(struct display *d, struct commit *c, uint32_t fb, uint32_t flags)
{
    static const char *const plane[] = {"FB_ID", "CRTC_ID", "SRC_X",  "SRC_Y",  "SRC_W",
                                        "SRC_H", "CRTC_X",  "CRTC_Y", "CRTC_W", "CRTC_H"};
    const uint64_t values[] = {fb, CRTC, 0, 0, 1280u << 16, 720u << 16, 0, 0, 1280, 720};
    uint32_t count;
    struct drm_mode_modeinfo mode = preferred_mode(d, &count);
    struct drm_mode_create_blob blob = {.data = (uintptr_t)&mode, .length = sizeof mode};
    assert_int_equal(CALL(d->file, DRM_IOCTL_MODE_CREATEPROPBLOB, &blob), 0);
    *c = (struct commit){{CONNECTOR, CRTC, PLANE}, {1, 2, 10}, {0}, {0}, {0}};
    c->ids[0] = property(d, CONNECTOR, DRM_MODE_OBJECT_CONNECTOR, "CRTC_ID");
    c->values[0] = CRTC;
    c->ids[1] = property(d, CRTC, DRM_MODE_OBJECT_CRTC, "MODE_ID");
    c->values[1] = blob.blob_id;
    c->ids[2] = property(d, CRTC, DRM_MODE_OBJECT_CRTC, "ACTIVE");
    c->values[2] = 1;
    for (unsigned i = 0; i < 10; i++) {
        c->ids[3 + i] = property(d, PLANE, DRM_MODE_OBJECT_PLANE, plane[i]);
        assert_int_not_equal(c->ids[3 + i], 0);
        c->values[3 + i] = values[i];
    }
    c->atomic = (struct drm_mode_atomic){.flags = flags,
                                         .count_objs = 3,
                                         .objs_ptr = (uintptr_t)c->objects,
                                         .count_props_ptr = (uintptr_t)c->counts,
                                         .props_ptr = (uintptr_t)c->ids,
                                         .prop_values_ptr = (uintptr_t)c->values,
                                         .user_data = 77};
}

static inline int commit(struct display *d, struct commit *c)
{
    return CALL(d->file, DRM_IOCTL_MODE_ATOMIC, &c->atomic);
}

#endif
