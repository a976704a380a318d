/* The display: modes, framebuffers, flips and their events, atomic commits, pictures. */
#include "tests/drm/display.h"

#include <dirent.h>
#include <poll.h>

static void test_resources(void **state)
{
    struct display d;
    display_open(&d);
    uint32_t crtcs[1], connectors[1], encoders[1], count;
    struct drm_mode_card_res res = {.crtc_id_ptr = (uintptr_t)crtcs,
                                    .connector_id_ptr = (uintptr_t)connectors,
                                    .encoder_id_ptr = (uintptr_t)encoders,
                                    .count_crtcs = 1,
                                    .count_connectors = 1,
                                    .count_encoders = 1};
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_GETRESOURCES, &res), 0);
    assert_int_equal(res.count_crtcs + res.count_connectors + res.count_encoders, 3);
    assert_int_equal(crtcs[0], CRTC);
    assert_int_equal(connectors[0], CONNECTOR);
    struct drm_mode_modeinfo mode = preferred_mode(&d, &count);
    assert_int_equal(mode.hdisplay, 1280);
    assert_int_equal(mode.vdisplay, 720);
    assert_true(mode.type & DRM_MODE_TYPE_PREFERRED);
    struct drm_mode_get_plane_res planes = {0};
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_GETPLANERESOURCES, &planes), 0);
    assert_int_equal(planes.count_planes, 0); /* primary plane and cursor are for those who ask for them */
    struct drm_set_client_cap cap = {DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1};
    assert_int_equal(CALL(d.file, DRM_IOCTL_SET_CLIENT_CAP, &cap), 0);
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_GETPLANERESOURCES, &planes), 0);
    assert_int_equal(planes.count_planes, 2);
    display_close(&d);
}

static void test_framebuffers(void **state)
{
    struct display d;
    uint32_t handle;
    display_open(&d);
    uint32_t fb = add_fb(&d, 64, 32, 0, &handle);
    const struct drm_mode_fb_cmd2 good = {.width = 64,
                                          .height = 32,
                                          .pixel_format = DRM_FORMAT_XRGB8888,
                                          .handles = {handle},
                                          .pitches = {256}};
    struct drm_mode_fb_cmd2 cmd = good;
    cmd.height = 33; /* 256 bytes more than there are */
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_ADDFB2, &cmd), -EINVAL);
    cmd = good, cmd.pixel_format = DRM_FORMAT_NV12;
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_ADDFB2, &cmd), -EINVAL);
    cmd = good, cmd.pitches[0] = 255;
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_ADDFB2, &cmd), -EINVAL);
    cmd = good, cmd.handles[0] = 99;
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_ADDFB2, &cmd), -ENOENT);
    cmd = good, cmd.offsets[0] = 0xfffffff0;
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_ADDFB2, &cmd), -EINVAL);
    cmd = good, cmd.flags = DRM_MODE_FB_MODIFIERS, cmd.modifier[0] = DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED;
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_ADDFB2, &cmd), 0);
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_RMFB, &fb), 0);
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_RMFB, &fb), -ENOENT);
    display_close(&d);
}

static void test_flips(void **state)
{
    static const uint8_t red[3] = {255, 0, 0}, blue[3] = {0, 0, 255};
    struct display d;
    display_open(&d);
    struct drm_mode_crtc_page_flip flip = {
        .crtc_id = CRTC, .flags = DRM_MODE_PAGE_FLIP_EVENT, .user_data = 0x1234};
    uint32_t a = add_fb(&d, 1280, 720, 0xff0000, NULL), b = add_fb(&d, 1280, 720, 0x0000ff, NULL);
    struct drm_mode_crtc off = {.crtc_id = CRTC};
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_SETCRTC, &off), 0);
    flip.fb_id = a;
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_PAGE_FLIP, &flip), -EBUSY); /* nothing is shown */
    assert_int_equal(set_crtc(&d, 999), -ENOENT);
    assert_int_equal(set_crtc(&d, add_fb(&d, 640, 480, 0, NULL)), -ENOSPC); /* smaller than the mode */
    assert_int_equal(set_crtc(&d, a), 0);
    check_frame(&d, 1, 1280, red);
    flip.fb_id = b;
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_PAGE_FLIP, &flip), 0);
    check_frame(&d, 2, 1280, blue);
    struct drm_event_vblank event;
    assert_int_equal(read(drm_file_events(d.file), &event, sizeof event), sizeof event);
    assert_int_equal(event.base.type, DRM_EVENT_FLIP_COMPLETE);
    assert_int_equal(event.base.length, sizeof event);
    assert_int_equal(event.user_data, 0x1234);
    assert_int_equal(event.crtc_id, CRTC);
    flip.flags = DRM_MODE_PAGE_FLIP_TARGET_ABSOLUTE;
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_PAGE_FLIP, &flip), -EINVAL);
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_RMFB, &b), 0); /* what is shown goes dark */
    flip.flags = 0;
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_PAGE_FLIP, &flip), -EBUSY);
    display_close(&d);
}

/* Events that nobody reads fill 4 KiB; then flips with events fail, as the kernel has it. */
static void test_unread_events(void **state)
{
    struct display d;
    display_open(&d);
    uint32_t fb = add_fb(&d, 1280, 720, 0, NULL);
    assert_int_equal(set_crtc(&d, fb), 0);
    union drm_wait_vblank vblank = {
        .request = {.type = _DRM_VBLANK_RELATIVE | _DRM_VBLANK_EVENT, .sequence = 1}};
    unsigned sent = 0;
    int r = 0;
    while (!(r = CALL(d.file, DRM_IOCTL_WAIT_VBLANK, &vblank)) && sent < 1000)
        sent++;
    assert_int_equal(r, -ENOMEM);
    assert_int_equal(sent, 4096 / sizeof(struct drm_event_vblank));
    struct drm_mode_crtc_page_flip flip = {.crtc_id = CRTC, .fb_id = fb, .flags = DRM_MODE_PAGE_FLIP_EVENT};
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_PAGE_FLIP, &flip), -ENOMEM);
    assert_int_equal(drm_frames_presented(d.card.drm), 1);
    display_close(&d);
}

/* What compositors do: every commit names mode, activity and connector anew, with another blob. It sets a mode only
 * where one of them is another. */
static void test_mode_named_again(void **state)
{
    struct display d;
    struct commit c;
    display_open(&d);
    struct drm_set_client_cap cap = {DRM_CLIENT_CAP_ATOMIC, 1};
    assert_int_equal(CALL(d.file, DRM_IOCTL_SET_CLIENT_CAP, &cap), 0);
    uint32_t fb = add_fb(&d, 1280, 720, 0, NULL), count;
    full_commit(&d, &c, fb, DRM_MODE_ATOMIC_ALLOW_MODESET);
    assert_int_equal(commit(&d, &c), 0);
    full_commit(&d, &c, fb, DRM_MODE_PAGE_FLIP_EVENT | DRM_MODE_ATOMIC_NONBLOCK);
    assert_int_equal(commit(&d, &c), 0);
    assert_int_equal(drm_frames_presented(d.card.drm), 2);
    struct drm_mode_modeinfo mode = preferred_mode(&d, &count);
    struct drm_mode_create_blob blob = {.data = (uintptr_t)&mode, .length = sizeof mode};
    snprintf(mode.name, sizeof mode.name, "another");
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_CREATEPROPBLOB, &blob), 0);
    full_commit(&d, &c, fb, 0);
    c.values[1] = blob.blob_id; /* the same timings */
    assert_int_equal(commit(&d, &c), 0);
    mode.clock--;
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_CREATEPROPBLOB, &blob), 0);
    c.values[1] = blob.blob_id; /* others */
    assert_int_equal(commit(&d, &c), -EINVAL);
    full_commit(&d, &c, fb, 0);
    c.values[2] = 0; /* switched off */
    assert_int_equal(commit(&d, &c), -EINVAL);
    assert_int_equal(drm_frames_presented(d.card.drm), 3);
    display_close(&d);
}

static void test_atomic(void **state)
{
    static const uint8_t green[3] = {0, 255, 0};
    struct display d;
    struct commit c;
    display_open(&d);
    assert_int_equal(property(&d, PLANE, DRM_MODE_OBJECT_PLANE, "FB_ID"), 0); /* for atomic clients */
    struct drm_set_client_cap cap = {DRM_CLIENT_CAP_ATOMIC, 1};
    c.atomic = (struct drm_mode_atomic){0};
    assert_int_equal(commit(&d, &c), -EINVAL);
    assert_int_equal(CALL(d.file, DRM_IOCTL_SET_CLIENT_CAP, &cap), 0);
    uint32_t fb = add_fb(&d, 1280, 720, 0x00ff00, NULL);
    const uint32_t modeset = DRM_MODE_ATOMIC_ALLOW_MODESET, event = DRM_MODE_PAGE_FLIP_EVENT;
    full_commit(&d, &c, fb, modeset | DRM_MODE_ATOMIC_TEST_ONLY);
    assert_int_equal(commit(&d, &c), 0);
    assert_int_equal(drm_frames_presented(d.card.drm), 0); /* it was only a test */
    struct drm_mode_crtc off = {.crtc_id = CRTC};          /* the console has the preferred mode */
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_SETCRTC, &off), 0);
    full_commit(&d, &c, fb, event);
    assert_int_equal(commit(&d, &c), -EINVAL); /* a modeset that was not allowed */
    full_commit(&d, &c, fb, modeset | event);
    assert_int_equal(commit(&d, &c), 0);
    check_frame(&d, 1, 1280, green);
    struct drm_event_vblank e;
    assert_int_equal(read(drm_file_events(d.file), &e, sizeof e), sizeof e);
    assert_int_equal(e.user_data, 77);
    full_commit(&d, &c, fb, modeset | event | DRM_MODE_ATOMIC_TEST_ONLY);
    assert_int_equal(commit(&d, &c), -EINVAL);
    full_commit(&d, &c, fb, modeset);
    c.values[3] = 999; /* no such framebuffer */
    assert_int_equal(commit(&d, &c), -EINVAL);
    full_commit(&d, &c, fb, modeset);
    c.values[7] = 1281u << 16; /* wider than it is */
    assert_int_equal(commit(&d, &c), -ENOSPC);
    full_commit(&d, &c, fb, modeset);
    c.values[4] = 0; /* a framebuffer on no CRTC */
    assert_int_equal(commit(&d, &c), -EINVAL);
    full_commit(&d, &c, fb, modeset);
    c.objects[2] = fb; /* no object with properties */
    assert_int_equal(commit(&d, &c), -ENOENT);
    full_commit(&d, &c, fb, modeset);
    c.ids[3] = 9999;
    assert_int_equal(commit(&d, &c), -ENOENT);
    full_commit(&d, &c, fb, modeset);
    c.counts[2] = 0x40000000;
    assert_int_equal(commit(&d, &c), -EINVAL);
    int fence;
    full_commit(&d, &c, fb, modeset);
    c.objects[0] = CRTC;
    c.ids[0] = property(&d, CRTC, DRM_MODE_OBJECT_CRTC, "OUT_FENCE_PTR");
    c.values[0] = (uintptr_t)&fence;
    assert_int_equal(commit(&d, &c), -EINVAL); /* nowhere to put it */
    assert_int_equal(CALL_GIVING(d.file, DRM_IOCTL_MODE_ATOMIC, &c.atomic, &fence), 0);
    struct pollfd wait = {fence, POLLIN, 0};
    assert_int_equal(poll(&wait, 1, 0), 1);
    full_commit(&d, &c, fb, modeset);
    c.objects[0] = PLANE;
    c.ids[0] = property(&d, PLANE, DRM_MODE_OBJECT_PLANE, "IN_FENCE_FD");
    c.values[0] = (uint64_t)fence;
    assert_int_equal(commit(&d, &c), -EINVAL); /* only a number */
    assert_int_equal(CALL_TAKING(d.file, DRM_IOCTL_MODE_ATOMIC, &c.atomic, d.card.memory.fd), -EINVAL);
    assert_int_equal(CALL_TAKING(d.file, DRM_IOCTL_MODE_ATOMIC, &c.atomic, fence), 0);
    close(fence);
    assert_int_equal(drm_frames_presented(d.card.drm), 3);
    display_close(&d);
}

/* What programs do at their start and end: read what the CRTC shows, and put it back. */
static void test_console(void **state)
{
    struct display d;
    display_open(&d);
    struct drm_mode_crtc console = {.crtc_id = CRTC};
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_GETCRTC, &console), 0);
    assert_true(console.mode_valid);
    assert_int_equal(console.mode.hdisplay, 1280);
    assert_int_not_equal(console.fb_id, 0);
    uint32_t connector = CONNECTOR, id = console.fb_id;
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_RMFB, &id), -ENOENT); /* nobody's to remove */
    assert_int_equal(set_crtc(&d, add_fb(&d, 1280, 720, 0, NULL)), 0);
    assert_int_equal(drm_frames_presented(d.card.drm), 1);
    console.set_connectors_ptr = (uintptr_t)&connector;
    console.count_connectors = 1;
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_SETCRTC, &console), 0);
    assert_int_equal(drm_frames_presented(d.card.drm), 1); /* the console is nobody's frame */
    display_close(&d);
}

/* A file that is closed takes its framebuffers with it; with the last one the console comes back. */
static void test_closing(void **state)
{
    struct display d;
    display_open(&d);
    struct drm_mode_crtc console = {.crtc_id = CRTC};
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_GETCRTC, &console), 0);
    assert_int_equal(set_crtc(&d, add_fb(&d, 1280, 720, 0, NULL)), 0);
    drm_close(d.file);
    assert_int_equal(drm_open(d.card.drm, DRM_MINOR_CARD, &d.file), 0); /* and the next is master */
    struct drm_mode_crtc crtc = {.crtc_id = CRTC};
    assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_GETCRTC, &crtc), 0);
    assert_int_equal(crtc.fb_id, console.fb_id);
    assert_int_equal(set_crtc(&d, add_fb(&d, 1280, 720, 0, NULL)), 0);
    display_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resources), cmocka_unit_test(test_framebuffers),
        cmocka_unit_test(test_flips),     cmocka_unit_test(test_unread_events),
        cmocka_unit_test(test_atomic),    cmocka_unit_test(test_console),
        cmocka_unit_test(test_closing),   cmocka_unit_test(test_mode_named_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
