/* The cursor: a plane of atomic commits and what the older calls set, drawn over the pictures. */
#include "tests/drm/display.h"

enum { CURSOR = 23, SIDE = 64, WIDTH = 1280, HEIGHT = 720 };
#define BLUE  0x000000ffu
#define HALF  0x80800000u /* red, half of it, times its alpha */
#define EMPTY 0x00000000u

/* A buffer of SIDE x SIDE whose left half is of one colour and its right one of another. */
static uint32_t cursor_buffer(struct display *d, uint32_t left, uint32_t right)
{
    struct drm_mode_create_dumb dumb = {.width = SIDE, .height = SIDE, .bpp = 32};
    assert_int_equal(CALL(d->file, DRM_IOCTL_MODE_CREATE_DUMB, &dumb), 0);
    struct drm_mode_map_dumb map = {.handle = dumb.handle};
    assert_int_equal(CALL(d->file, DRM_IOCTL_MODE_MAP_DUMB, &map), 0);
    uint8_t *bytes = gpu_memory_at(&d->card.memory, map.offset, dumb.size);
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        util_store32(bytes + i * 4, i % SIDE < SIDE / 2 ? left : right);
    return dumb.handle;
}

static uint32_t cursor_fb(struct display *d, uint32_t handle, uint32_t format)
{
    struct drm_mode_fb_cmd2 cmd = {
        .width = SIDE, .height = SIDE, .pixel_format = format, .handles = {handle}, .pitches = {SIDE * 4}};
    assert_int_equal(CALL(d->file, DRM_IOCTL_MODE_ADDFB2, &cmd), 0);
    return cmd.fb_id;
}

static void picture(struct display *d, unsigned number, struct util_image *out)
{
    char path[128];
    assert_int_equal(util_frames_flush(d->card.frames, NULL), 0);
    snprintf(path, sizeof path, "%s/frame-%06u.png", d->folder, number);
    assert_int_equal(util_image_read_png(out, path), 0);
}

/* Every pixel of the picture: what stands at (left, top) of a blue one, cut to it; nothing else. */
static void check_picture(struct display *d, unsigned number, int left, int top, uint32_t first,
                          uint32_t second)
{
    static const uint8_t blue[3] = {0, 0, 255}, mixed[3] = {128, 0, 127};
    struct util_image image;
    picture(d, number, &image);
    assert_int_equal(image.width, WIDTH);
    assert_int_equal(image.height, HEIGHT);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const bool inside = x >= left && x < left + SIDE && y >= top && y < top + SIDE;
            const uint32_t color = !inside ? EMPTY : x < left + SIDE / 2 ? first : second;
            if (memcmp(image.pixels + 4 * (y * WIDTH + x), color == HALF ? mixed : blue, 3) != 0)
                fail_msg("picture %u: pixel (%d, %d)", number, x, y);
        }
    util_image_finish(&image);
}

/* A commit with the cursor beside what full_commit has. */
static void cursor_commit(struct display *d, struct commit *c, uint32_t fb, uint32_t cursor, int x, int y)
{
    static const char *const names[] = {"FB_ID", "CRTC_ID", "SRC_X",  "SRC_Y",  "SRC_W",
                                        "SRC_H", "CRTC_X",  "CRTC_Y", "CRTC_W", "CRTC_H"};
    const uint64_t values[] = {cursor,
                               cursor ? CRTC : 0,
                               0,
                               0,
                               SIDE << 16,
                               SIDE << 16,
                               (uint64_t)(int64_t)x,
                               (uint64_t)(int64_t)y,
                               SIDE,
                               SIDE};
    full_commit(d, c, fb, DRM_MODE_ATOMIC_ALLOW_MODESET);
    c->objects[3] = CURSOR;
    c->counts[3] = 10;
    c->atomic.count_objs = 4;
    for (unsigned i = 0; i < 10; i++) {
        c->ids[13 + i] = property(d, CURSOR, DRM_MODE_OBJECT_PLANE, names[i]);
        assert_int_not_equal(c->ids[13 + i], 0);
        c->values[13 + i] = values[i];
    }
}

static void open_with(struct display *d, uint64_t capability)
{
    display_open(d);
    struct drm_set_client_cap cap = {capability, 1};
    assert_int_equal(CALL(d->file, DRM_IOCTL_SET_CLIENT_CAP, &cap), 0);
}

/* What compositors look for: a plane of the type, with formats of alpha, as a list and with their layouts. */
static void test_plane(void **state)
{
    struct display d;
    open_with(&d, DRM_CLIENT_CAP_ATOMIC);
    uint32_t formats[8], ids[32];
    uint64_t values[32], type = 0, blob = 0;
    struct drm_mode_get_plane plane = {.plane_id = CURSOR};
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_GETPLANE, &plane), 0);
    assert_true(plane.count_format_types && plane.count_format_types <= 8);
    plane.format_type_ptr = (uintptr_t)formats;
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_GETPLANE, &plane), 0);
    assert_int_equal(formats[0], DRM_FORMAT_ARGB8888);
    assert_int_equal(plane.possible_crtcs, 1);
    struct drm_mode_obj_get_properties get = {.props_ptr = (uintptr_t)ids,
                                              .prop_values_ptr = (uintptr_t)values,
                                              .count_props = 32,
                                              .obj_id = CURSOR,
                                              .obj_type = DRM_MODE_OBJECT_PLANE};
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_OBJ_GETPROPERTIES, &get), 0);
    for (uint32_t i = 0; i < get.count_props; i++) {
        if (ids[i] == property(&d, CURSOR, DRM_MODE_OBJECT_PLANE, "type"))
            type = values[i];
        if (ids[i] == property(&d, CURSOR, DRM_MODE_OBJECT_PLANE, "IN_FORMATS"))
            blob = values[i];
    }
    assert_int_equal(type, 2);
    uint8_t bytes[512];
    struct drm_mode_get_blob read = {.blob_id = (uint32_t)blob};
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_GETPROPBLOB, &read), 0);
    assert_true(read.length <= sizeof bytes);
    read.data = (uintptr_t)bytes;
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_GETPROPBLOB, &read), 0);
    const struct drm_format_modifier_blob *head = (const void *)bytes;
    assert_int_equal(head->count_formats, plane.count_format_types);
    assert_memory_equal(bytes + head->formats_offset, formats, 4 * head->count_formats);
    display_close(&d);
}

static void test_atomic(void **state)
{
    static const int places[][2] = {
        {100, 50}, {-40, -10}, {WIDTH - 20, HEIGHT - 30}, {WIDTH, 5}, {-5000, INT32_MAX}};
    struct display d;
    struct commit c;
    open_with(&d, DRM_CLIENT_CAP_ATOMIC);
    const uint32_t fb = add_fb(&d, WIDTH, HEIGHT, BLUE, NULL), handle = cursor_buffer(&d, HALF, EMPTY);
    const uint32_t cursor = cursor_fb(&d, handle, DRM_FORMAT_ARGB8888);
    unsigned shown = 0;
    for (; shown < UTIL_ARRAY_SIZE(places); shown++) {
        cursor_commit(&d, &c, fb, cursor, places[shown][0], places[shown][1]);
        assert_int_equal(commit(&d, &c), 0);
        check_picture(&d, shown + 1, places[shown][0], places[shown][1], HALF, EMPTY);
    }
    c.values[13 + 8] = SIDE / 2; /* is not scaled, */
    assert_int_equal(commit(&d, &c), -ERANGE);
    cursor_commit(&d, &c, fb, cursor_fb(&d, handle, DRM_FORMAT_XRGB8888), 0, 0); /* has alpha, */
    assert_int_equal(commit(&d, &c), -EINVAL);
    cursor_commit(&d, &c, fb, cursor, 0, 0); /* and stays within its framebuffer */
    c.values[13 + 2] = 1 << 16;
    assert_int_equal(commit(&d, &c), -ENOSPC);
    cursor_commit(&d, &c, fb, cursor, 8, 8);
    assert_int_equal(commit(&d, &c), 0);
    uint32_t removed = cursor;
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_RMFB, &removed), 0);
    full_commit(&d, &c, fb, DRM_MODE_ATOMIC_ALLOW_MODESET);
    assert_int_equal(commit(&d, &c), 0);
    check_picture(&d, shown + 2, 8, 8, EMPTY, EMPTY);
    display_close(&d);
}

/* The older calls: nothing is shown by them alone. */
static void test_older_calls(void **state)
{
    struct display d;
    display_open(&d);
    const uint32_t fb = add_fb(&d, WIDTH, HEIGHT, BLUE, NULL), handle = cursor_buffer(&d, EMPTY, HALF);
    struct drm_mode_crtc_page_flip flip = {.crtc_id = CRTC, .fb_id = fb};
    struct drm_mode_cursor2 c = {.flags = DRM_MODE_CURSOR_BO | DRM_MODE_CURSOR_MOVE,
                                 .crtc_id = CRTC,
                                 .x = 10,
                                 .y = -3,
                                 .width = SIDE,
                                 .height = SIDE,
                                 .handle = handle};
    assert_int_equal(set_crtc(&d, fb), 0);
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_CURSOR2, &c), 0);
    assert_int_equal(drm_frames_presented(d.card.drm), 1);
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_PAGE_FLIP, &flip), 0);
    check_picture(&d, 2, 10, -3, EMPTY, HALF);
    struct drm_mode_destroy_dumb destroy = {handle}; /* the picture stays */
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_DESTROY_DUMB, &destroy), 0);
    struct drm_mode_cursor move = {.flags = DRM_MODE_CURSOR_MOVE, .crtc_id = CRTC, .x = 600, .y = 300};
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_CURSOR, &move), 0);
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_PAGE_FLIP, &flip), 0);
    check_picture(&d, 3, 600, 300, EMPTY, HALF);
    c.handle = 999;
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_CURSOR2, &c), -ENOENT);
    c.handle = cursor_buffer(&d, EMPTY, HALF);
    c.width = SIDE + 1;
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_CURSOR2, &c), -EINVAL);
    c.handle = 0; /* none */
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_CURSOR2, &c), 0);
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_PAGE_FLIP, &flip), 0);
    check_picture(&d, 4, 600, 300, EMPTY, EMPTY);
    c.handle = cursor_buffer(&d, HALF, HALF); /* and is left when the card ends */
    c.width = SIDE;
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_CURSOR2, &c), 0);
    display_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plane),
        cmocka_unit_test(test_atomic),
        cmocka_unit_test(test_older_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
