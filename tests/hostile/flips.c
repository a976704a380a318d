/* A program that shows frame after frame and notes each that the card has taken: what it noted, a recording
 * holds. Usage: flips LOG [COUNT]. Frame n is one colour, the same as frame n + 16. Exit status 0 after COUNT
 * frames, 7 when the card answers with an error (which it notes), 1 when anything else is wrong. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <drm.h>
#include <drm_fourcc.h>
#include <drm_mode.h>

struct buffer {
    uint32_t fb, size;
    uint8_t *pixels;
};

static int card, notes;

static _Noreturn void refused(const char *what)
{
    char text[64];
    int n = snprintf(text, sizeof text, "error: %s: %s\n", what, strerror(errno));
    exit(write(notes, text, (size_t)n) == n ? 7 : 1);
}

static void ask(unsigned long request, void *argument)
{
    if (ioctl(card, request, argument))
        refused("ioctl");
}

static struct buffer make_buffer(uint32_t width, uint32_t height)
{
    struct drm_mode_create_dumb dumb = {.width = width, .height = height, .bpp = 32};
    ask(DRM_IOCTL_MODE_CREATE_DUMB, &dumb);
    struct drm_mode_fb_cmd2 fb = {.width = width,
                                  .height = height,
                                  .pixel_format = DRM_FORMAT_XRGB8888,
                                  .handles = {dumb.handle},
                                  .pitches = {dumb.pitch}};
    ask(DRM_IOCTL_MODE_ADDFB2, &fb);
    struct drm_mode_map_dumb map = {.handle = dumb.handle};
    ask(DRM_IOCTL_MODE_MAP_DUMB, &map);
    void *at = mmap(NULL, dumb.size, PROT_READ | PROT_WRITE, MAP_SHARED, card, (off_t)map.offset);
    if (at == MAP_FAILED)
        exit(1);
    return (struct buffer){fb.fb_id, (uint32_t)dumb.size, at};
}

int main(int argc, char **argv)
{
    uint32_t crtc, connector;
    struct drm_mode_modeinfo modes[32];
    unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    card = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
    notes = argc > 1 ? open(argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (card < 0 || notes < 0)
        return 1;
    signal(SIGTERM, SIG_IGN); /* the card's errors are to end it, not the tool that asks it to */
    struct drm_mode_card_res resources = {.crtc_id_ptr = (uintptr_t)&crtc,
                                          .connector_id_ptr = (uintptr_t)&connector,
                                          .count_crtcs = 1,
                                          .count_connectors = 1};
    ask(DRM_IOCTL_MODE_GETRESOURCES, &resources);
    struct drm_mode_get_connector get = {
        .connector_id = connector, .modes_ptr = (uintptr_t)modes, .count_modes = 32};
    ask(DRM_IOCTL_MODE_GETCONNECTOR, &get);
    uint32_t width = modes[0].hdisplay, height = modes[0].vdisplay;
    struct buffer buffers[2] = {make_buffer(width, height), make_buffer(width, height)};
    struct drm_mode_crtc set = {.crtc_id = crtc,
                                .fb_id = buffers[1].fb,
                                .set_connectors_ptr = (uintptr_t)&connector,
                                .count_connectors = 1,
                                .mode = modes[0],
                                .mode_valid = 1};
    ask(DRM_IOCTL_MODE_SETCRTC, &set);
    for (unsigned long n = 1; !count || n <= count; n++) {
        struct buffer *b = &buffers[n & 1];
        struct drm_event_vblank event;
        char text[32];
        memset(b->pixels, (int)(n % 16 * 15), b->size);
        struct drm_mode_crtc_page_flip flip = {
            .crtc_id = crtc, .fb_id = b->fb, .flags = DRM_MODE_PAGE_FLIP_EVENT};
        ask(DRM_IOCTL_MODE_PAGE_FLIP, &flip);
        if (read(card, &event, sizeof event) != sizeof event)
            refused("event");
        int length = snprintf(text, sizeof text, "%lu\n", n);
        if (write(notes, text, (size_t)length) != length)
            return 1;
    }
    return 0;
}
