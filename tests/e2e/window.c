#include "window.h"
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <errno.h>
#include <fcntl.h>
#include <gbm.h>
#include <stdio.h>
#include <stdlib.h>
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
    EGLDisplay egl;
    EGLConfig config;
    EGLSurface window;
} display;

void window_fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
    exit(1);
}

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

static EGLConfig find_config(EGLint samples)
{
    const EGLint wanted[] = {EGL_SURFACE_TYPE,
                             EGL_WINDOW_BIT,
                             EGL_RED_SIZE,
                             8,
                             EGL_GREEN_SIZE,
                             8,
                             EGL_BLUE_SIZE,
                             8,
                             EGL_DEPTH_SIZE,
                             24,
                             EGL_STENCIL_SIZE,
                             8,
                             EGL_SAMPLES,
                             samples,
                             EGL_RENDERABLE_TYPE,
                             EGL_OPENGL_ES2_BIT,
                             EGL_NONE};
    EGLConfig configs[64];
    EGLint count = 0, visual;

    if (!eglChooseConfig(display.egl, wanted, configs, 64, &count))
        window_fail("no EGL");
    for (EGLint i = 0; i < count; i++)
        if (eglGetConfigAttrib(display.egl, configs[i], EGL_NATIVE_VISUAL_ID, &visual) &&
            visual == GBM_FORMAT_XRGB8888)
            return configs[i];
    window_fail("no EGL configuration");
}

void window_open(int samples)
{
    display.fd = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
    if (display.fd < 0)
        window_fail("no /dev/dri/card0");
    find_display();
    struct gbm_device *gbm = gbm_create_device(display.fd);
    display.egl = eglGetPlatformDisplay(EGL_PLATFORM_GBM_KHR, gbm, NULL);
    if (!eglInitialize(display.egl, NULL, NULL))
        window_fail("no EGL");
    display.config = find_config(samples);
    display.surface = gbm_surface_create(gbm, window.width, window.height, GBM_FORMAT_XRGB8888,
                                         GBM_BO_USE_SCANOUT | GBM_BO_USE_RENDERING);
    display.window = eglCreatePlatformWindowSurface(display.egl, display.config, display.surface, NULL);
}

bool window_context(enum window_api api, int major, int minor)
{
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, major, EGL_CONTEXT_MINOR_VERSION, minor, EGL_NONE};
    EGLenum before = eglQueryAPI();

    eglBindAPI(api == WINDOW_ES ? EGL_OPENGL_ES_API : EGL_OPENGL_API);
    EGLContext context = eglCreateContext(display.egl, display.config, EGL_NO_CONTEXT, version);
    if (context && eglMakeCurrent(display.egl, display.window, display.window, context))
        return true;
    if (context)
        eglDestroyContext(display.egl, context);
    eglBindAPI(before);
    return false;
}

void (*window_function(const char *name))(void)
{
    void (*function)(void) = eglGetProcAddress(name);

    if (!function)
        window_fail(name);
    return function;
}

void window_show(void)
{
    uint32_t fb, format = GBM_FORMAT_XRGB8888, handles[4] = {0}, pitches[4] = {0}, offsets[4] = {0};

    eglSwapBuffers(display.egl, display.window);
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
