/* The display's clock: what is committed is shown, and who waits for a vblank is told, when it comes and not before. */
#include "tests/drm/display.h"

#include <poll.h>
#include <time.h>

enum { RATE = 100, PERIOD = 1000000000 / RATE }; /* ns */

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static bool has_event(const struct display *d, int ms)
{
    struct pollfd end = {.fd = drm_file_events(d->file), .events = POLLIN};
    return poll(&end, 1, ms) == 1;
}

static void read_event(const struct display *d, void *event, size_t size)
{
    assert_true(has_event(d, 5000));
    assert_int_equal(read(drm_file_events(d->file), event, size), size);
}

static uint64_t time_of(const struct drm_event_vblank *event)
{
    return event->tv_sec * 1000000000ull + event->tv_usec * 1000ull;
}

/* Of flips that follow each other at once each is shown at a vblank of its own, whose number and time agree. */
static void test_flips_are_paced(void **state)
{
    struct display d;
    display_open_at(&d, RATE);
    uint32_t count, fb[2] = {add_fb(&d, 1280, 720, 0xff0000, NULL), add_fb(&d, 1280, 720, 0x0000ff, NULL)};
    assert_int_equal(preferred_mode(&d, &count).vrefresh, RATE);
    assert_int_equal(set_crtc(&d, fb[0]), 0);
    struct drm_mode_crtc_page_flip flip = {.crtc_id = CRTC, .flags = DRM_MODE_PAGE_FLIP_EVENT};
    struct drm_event_vblank first = {0}, event = {0};
    for (unsigned i = 0; i < 10; i++) {
        const uint32_t before = event.sequence;
        flip.fb_id = fb[i & 1];
        flip.user_data = i;
        assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_PAGE_FLIP, &flip), 0);
        read_event(&d, &event, sizeof event);
        assert_int_equal(event.user_data, i);
        assert_true(!i || event.sequence > before);
        assert_true(time_of(&event) <= now_ns());
        if (!i)
            first = event;
    }
    const uint64_t passed = time_of(&event) - time_of(&first);
    const uint64_t meant = (uint64_t)(event.sequence - first.sequence) * PERIOD;
    assert_true(event.sequence - first.sequence >= 9);
    assert_true(passed + 1000 >= meant && passed <= meant + 1000); /* events have microseconds */
    assert_int_equal(drm_frames_presented(d.card.drm), 11);
    display_close(&d);
}

/* What was committed last is shown before the next is taken: without an event, too. */
static void test_commits_wait(void **state)
{
    struct display d;
    display_open_at(&d, RATE);
    struct drm_mode_crtc_page_flip flip = {.crtc_id = CRTC, .fb_id = add_fb(&d, 1280, 720, 0, NULL)};
    assert_int_equal(set_crtc(&d, flip.fb_id), 0);
    const uint64_t begun = now_ns();
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(CALL(d.file, DRM_IOCTL_MODE_PAGE_FLIP, &flip), 0);
    assert_true(now_ns() - begun >= 4ull * PERIOD); /* the first two may have come within a period */
    display_close(&d);
}

static void test_vblanks(void **state)
{
    struct display d;
    display_open_at(&d, RATE);
    union drm_wait_vblank wait = {.request = {.type = _DRM_VBLANK_RELATIVE}};
    assert_int_equal(CALL(d.file, DRM_IOCTL_WAIT_VBLANK, &wait), 0); /* the last one */
    const uint32_t last = wait.reply.sequence;
    const uint64_t begun = now_ns();
    wait.request.type = _DRM_VBLANK_ABSOLUTE;
    wait.request.sequence = last + 6;
    assert_int_equal(CALL(d.file, DRM_IOCTL_WAIT_VBLANK, &wait), 0);
    assert_true(now_ns() - begun >= 4ull * PERIOD && wait.reply.sequence >= last + 6);
    wait.request.type = _DRM_VBLANK_ABSOLUTE; /* what has been is not waited for */
    wait.request.sequence = last;
    assert_int_equal(CALL(d.file, DRM_IOCTL_WAIT_VBLANK, &wait), 0);
    struct drm_crtc_queue_sequence queue = {
        .crtc_id = CRTC, .flags = DRM_CRTC_SEQUENCE_RELATIVE, .sequence = 20, .user_data = 2};
    assert_int_equal(CALL(d.file, DRM_IOCTL_CRTC_QUEUE_SEQUENCE, &queue), 0);
    const uint64_t later = queue.sequence;
    wait.request.type = _DRM_VBLANK_ABSOLUTE | _DRM_VBLANK_EVENT;
    wait.request.sequence = (uint32_t)later - 10;
    wait.request.signal = 1;
    assert_int_equal(CALL(d.file, DRM_IOCTL_WAIT_VBLANK, &wait), 0);
    assert_int_equal(wait.reply.sequence, later - 10);
    struct drm_event_vblank sooner;
    struct drm_event_crtc_sequence event;
    read_event(&d, &sooner, sizeof sooner);
    assert_int_equal(sooner.base.type, DRM_EVENT_VBLANK);
    assert_int_equal(sooner.user_data, 1);
    assert_int_equal(sooner.sequence, later - 10);
    read_event(&d, &event, sizeof event);
    assert_int_equal(event.base.type, DRM_EVENT_CRTC_SEQUENCE);
    assert_int_equal(event.user_data, 2);
    assert_int_equal(event.sequence, later);
    assert_true((uint64_t)event.time_ns <= now_ns());
    display_close(&d);
}

/* Nobody waits for ever; of a file that is closed nobody is told. */
static void test_far_vblanks(void **state)
{
    struct display d;
    display_open_at(&d, RATE);
    union drm_wait_vblank wait = {
        .request = {.type = _DRM_VBLANK_RELATIVE | _DRM_VBLANK_EVENT, .sequence = 5}};
    for (unsigned i = 0; i < 3; i++) {
        wait.request.type = _DRM_VBLANK_RELATIVE | _DRM_VBLANK_EVENT;
        wait.request.sequence = 5;
        assert_int_equal(CALL(d.file, DRM_IOCTL_WAIT_VBLANK, &wait), 0);
    }
    drm_close(d.file);
    assert_int_equal(drm_open(d.card.drm, DRM_MINOR_CARD, &d.file), 0);
    const uint64_t begun = now_ns();
    wait.request.type = _DRM_VBLANK_RELATIVE;
    wait.request.sequence = 1 << 22;
    assert_int_equal(CALL(d.file, DRM_IOCTL_WAIT_VBLANK, &wait), -EBUSY);
    assert_true(now_ns() - begun >= 3000000000ull);
    assert_false(has_event(&d, 0));
    wait.request.type = _DRM_VBLANK_RELATIVE | _DRM_VBLANK_EVENT; /* and is left when the card ends */
    wait.request.sequence = 1 << 22;
    assert_int_equal(CALL(d.file, DRM_IOCTL_WAIT_VBLANK, &wait), 0);
    display_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flips_are_paced),
        cmocka_unit_test(test_commits_wait),
        cmocka_unit_test(test_vblanks),
        cmocka_unit_test(test_far_vblanks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
