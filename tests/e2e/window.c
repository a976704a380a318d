#include "window.h"
#include "window_egl.h"
#include <EGL/eglext.h>
#include <fcntl.h>
#include <gbm.h>
#include <unistd.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

struct window window;

static struct {
    int fd;
    uint32_t crtc, connector;
    drmModeModeInfo mode;
    struct gbm_surface *surface;
    struct gbm_bo *shown;
} display;

static void find_display(void)
{
    drmModeRes *resources = drmModeGetResources(display.fd);
    drmModeConnector *connector =
        resources ? drmModeGetConnector(display.fd, resources->connectors[0]) : NULL;

    if (!connector || !connector->count_modes)
        window_fail("no display");
    display.crtc = resources->crtcs[0];
    display.connector = connector->connector_id;
    display.mode = connector->modes[0];
    window.width = display.mode.hdisplay;
    window.height = display.mode.vdisplay;
}

/* As the buffers that are shown. */
static bool shows(EGLDisplay egl, EGLConfig config)
{
    EGLint visual;

    return eglGetConfigAttrib(egl, config, EGL_NATIVE_VISUAL_ID, &visual) && visual == GBM_FORMAT_XRGB8888;
}

void window_open(int samples)
{
    display.fd = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
    if (display.fd < 0)
        window_fail("no /dev/dri/card0");
    find_display();
    struct gbm_device *gbm = gbm_create_device(display.fd);
    window_egl.display = eglGetPlatformDisplay(EGL_PLATFORM_GBM_KHR, gbm, NULL);
    window_egl.config = window_egl_config(window_egl.display, EGL_WINDOW_BIT, samples, shows);
    display.surface = gbm_surface_create(gbm, window.width, window.height, GBM_FORMAT_XRGB8888,
                                         GBM_BO_USE_SCANOUT | GBM_BO_USE_RENDERING);
    window_egl.surface =
        eglCreatePlatformWindowSurface(window_egl.display, window_egl.config, display.surface, NULL);
}

void window_show(void)
{
    uint32_t fb, format = GBM_FORMAT_XRGB8888, handles[4] = {0}, pitches[4] = {0}, offsets[4] = {0};

    eglSwapBuffers(window_egl.display, window_egl.surface);
    struct gbm_bo *bo = gbm_surface_lock_front_buffer(display.surface);
    handles[0] = gbm_bo_get_handle(bo).u32;
    pitches[0] = gbm_bo_get_stride(bo);
    if (drmModeAddFB2(display.fd, window.width, window.height, format, handles, pitches, offsets, &fb, 0) ||
        drmModeSetCrtc(display.fd, display.crtc, fb, 0, 0, &display.connector, 1, &display.mode))
        window_fail("the picture cannot be shown");
    if (display.shown)
        gbm_surface_release_buffer(display.surface, display.shown);
    display.shown = bo;
}
