/* What speaking with the emulated GPU costs: ioctls, jobs, frames, each timed from the program's side. Run by
 * tests/bench/live under `vitrail run`; needs no driver. Prints "name microseconds", medians. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <drm.h>
#include <drm_fourcc.h>
#include <drm_mode.h>
#include <vc4_drm.h>

enum { CRTC = 1, CONNECTOR = 3, TIMES = 400, WARM = 20 };

static int card;
static struct drm_mode_modeinfo mode;

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void rest_us(unsigned us)
{
    struct timespec t = {0, (long)us * 1000};
    nanosleep(&t, NULL);
}

static void ask(unsigned long request, void *argument)
{
    if (ioctl(card, request, argument)) {
        perror("ioctl");
        exit(1);
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Times `what` again and again, resting before each: a server that was not asked for a while has to be woken.
 */
static void measure(const char *name, void (*what)(void), unsigned rest)
{
    static double times[TIMES];
    for (int i = -WARM; i < TIMES; i++) {
        if (rest)
            rest_us(rest);
        double start = now_us();
        what();
        if (i >= 0)
            times[i] = now_us() - start;
    }
    qsort(times, TIMES, sizeof times[0], compare);
    printf("%s %.1f\n", name, times[TIMES / 2]);
}

/* ---- ioctls ---- */

static uint32_t target, fb;
static uint64_t last;

static void get_param(void)
{
    struct drm_vc4_get_param get = {.param = DRM_VC4_PARAM_SUPPORTS_ETC1};
    ask(DRM_IOCTL_VC4_GET_PARAM, &get);
}

static void get_tiling(void)
{
    struct drm_vc4_get_tiling get = {.handle = target};
    ask(DRM_IOCTL_VC4_GET_TILING, &get);
}

static void wait_bo(void)
{
    struct drm_vc4_wait_bo wait = {.handle = target, .timeout_ns = UINT64_MAX};
    ask(DRM_IOCTL_VC4_WAIT_BO, &wait);
}

static void wait_seqno(void)
{
    struct drm_vc4_wait_seqno wait = {.seqno = last, .timeout_ns = UINT64_MAX};
    ask(DRM_IOCTL_VC4_WAIT_SEQNO, &wait);
}

/* ---- jobs: a clear of `side` pixels squared ---- */

static uint16_t side = 16;

static void submit(void)
{
    const struct drm_vc4_submit_rcl_surface none = {.hindex = UINT32_MAX};
    struct drm_vc4_submit_cl s = {
        .color_read = none,
        .zs_read = none,
        .zs_write = none,
        .msaa_color_write = none,
        .msaa_zs_write = none,
        .color_write = {.hindex = 0, .bits = 1 << 2}, /* RGBA8888, linear */
        .bo_handles = (uintptr_t)&target,
        .bo_handle_count = 1,
        .width = side,
        .height = side,
        .max_x_tile = (uint8_t)((side - 1) / 64),
        .max_y_tile = (uint8_t)((side - 1) / 64),
        .flags = VC4_SUBMIT_CL_USE_CLEAR_COLOR,
    };
    ask(DRM_IOCTL_VC4_SUBMIT_CL, &s);
    last = s.seqno;
}

static void submit_and_wait(void)
{
    submit();
    wait_seqno();
}

static void many_submits(void)
{
    for (int i = 0; i < 16; i++)
        submit();
    wait_seqno();
}

/* ---- frames ---- */

static void flip(void)
{
    struct drm_mode_crtc_page_flip f = {.crtc_id = CRTC, .fb_id = fb, .flags = DRM_MODE_PAGE_FLIP_EVENT};
    struct drm_event_vblank event;
    struct pollfd readable = {card, POLLIN, 0};
    ask(DRM_IOCTL_MODE_PAGE_FLIP, &f);
    if (poll(&readable, 1, -1) != 1 || read(card, &event, sizeof event) != sizeof event)
        exit(1);
}

static void frame(void)
{
    submit();
    flip();
}

/* A processor's worth of preparing a frame: about half a millisecond natively. */
static void prepare(void)
{
    volatile uint32_t sum = 0;
    for (uint32_t i = 0; i < 300000; i++)
        sum += i;
}

static void prepare_and_submit(void)
{
    prepare();
    submit();
}

static void open_display(void)
{
    struct drm_mode_crtc crtc = {.crtc_id = CRTC};
    uint32_t connector = CONNECTOR;
    ask(DRM_IOCTL_MODE_GETCRTC, &crtc);
    mode = crtc.mode;
    struct drm_vc4_create_bo create = {.size = (uint32_t)mode.hdisplay * mode.vdisplay * 4};
    ask(DRM_IOCTL_VC4_CREATE_BO, &create);
    struct drm_mode_fb_cmd2 cmd = {.width = mode.hdisplay,
                                   .height = mode.vdisplay,
                                   .pixel_format = DRM_FORMAT_XRGB8888,
                                   .handles = {create.handle},
                                   .pitches = {mode.hdisplay * 4u}};
    ask(DRM_IOCTL_MODE_ADDFB2, &cmd);
    target = create.handle;
    fb = cmd.fb_id;
    crtc.fb_id = fb;
    crtc.set_connectors_ptr = (uintptr_t)&connector;
    crtc.count_connectors = 1;
    ask(DRM_IOCTL_MODE_SETCRTC, &crtc);
}

int main(void)
{
    card = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
    if (card < 0)
        return 1;
    open_display();
    submit_and_wait();
    measure("ioctl-constant", get_param, 0);
    measure("ioctl", get_tiling, 0);
    measure("ioctl-woken", get_tiling, 1000);
    measure("wait-seqno-done", wait_seqno, 0);
    measure("wait-bo-done", wait_bo, 0);
    measure("submit", submit, 1000);
    measure("submit-and-wait", submit_and_wait, 1000);
    measure("submits-of-16", many_submits, 0);
    measure("flip", flip, 0);
    measure("frame", frame, 0);
    measure("prepare", prepare, 0);
    side = (uint16_t)(mode.vdisplay & ~63);
    measure("frame-large", frame, 0);
    measure("prepare-and-submit-large", prepare_and_submit, 0);
    wait_seqno();
    return 0;
}
