/* The window of tests/e2e/window.h without a display: 256x256 pixels of a GPU's render node; what is shown is written
 * into the current folder, as picture-001.ppm and so on. So a program's pictures in a virtual machine can be compared
 * with those under `vitrail run`, to the bit. */
#include "window.h"
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 256, HEIGHT = 256, BYTES = 4 };

struct window window = {WIDTH, HEIGHT};

static struct {
    EGLDisplay egl;
    EGLConfig config;
    EGLSurface surface;
    unsigned shown;
} offscreen;

void window_fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
    exit(1);
}

/* Of 8 bits a channel: deeper ones, which EGL names first, are not what displays have. */
static EGLConfig find_config(const EGLint *wanted)
{
    EGLConfig configs[64];
    EGLint count = 0, red;

    if (!eglChooseConfig(offscreen.egl, wanted, configs, 64, &count))
        window_fail("no EGL");
    for (EGLint i = 0; i < count; i++)
        if (eglGetConfigAttrib(offscreen.egl, configs[i], EGL_RED_SIZE, &red) && red == 8)
            return configs[i];
    window_fail("no EGL configuration");
}

void window_open(int samples)
{
    const EGLint wanted[] = {EGL_SURFACE_TYPE,
                             EGL_PBUFFER_BIT,
                             EGL_RED_SIZE,
                             8,
                             EGL_GREEN_SIZE,
                             8,
                             EGL_BLUE_SIZE,
                             8,
                             EGL_ALPHA_SIZE,
                             0,
                             EGL_DEPTH_SIZE,
                             24,
                             EGL_STENCIL_SIZE,
                             8,
                             EGL_SAMPLES,
                             samples,
                             EGL_RENDERABLE_TYPE,
                             EGL_OPENGL_ES2_BIT,
                             EGL_NONE};
    const EGLint size[] = {EGL_WIDTH, WIDTH, EGL_HEIGHT, HEIGHT, EGL_NONE};

    offscreen.egl = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (!eglInitialize(offscreen.egl, NULL, NULL))
        window_fail("no EGL");
    offscreen.config = find_config(wanted);
    offscreen.surface = eglCreatePbufferSurface(offscreen.egl, offscreen.config, size);
}

bool window_context(enum window_api api, int major, int minor)
{
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, major, EGL_CONTEXT_MINOR_VERSION, minor, EGL_NONE};

    eglBindAPI(api == WINDOW_ES ? EGL_OPENGL_ES_API : EGL_OPENGL_API);
    EGLContext context = eglCreateContext(offscreen.egl, offscreen.config, EGL_NO_CONTEXT, version);
    return context && eglMakeCurrent(offscreen.egl, offscreen.surface, offscreen.surface, context);
}

void (*window_function(const char *name))(void)
{
    void (*function)(void) = eglGetProcAddress(name);

    if (!function)
        window_fail(name);
    return function;
}

/* Rows stand as GL has them, from the bottom up: comparisons do not mind. */
void window_show(void)
{
    static unsigned char pixels[HEIGHT * WIDTH][BYTES];
    char name[32];

    glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    if (glGetError() != GL_NO_ERROR)
        window_fail("the picture cannot be read");
    snprintf(name, sizeof name, "picture-%03u.ppm", ++offscreen.shown);
    FILE *file = fopen(name, "wb");
    if (!file)
        window_fail(name);
    fprintf(file, "P6\n%d %d\n255\n", WIDTH, HEIGHT);
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        fwrite(pixels[i], 1, 3, file);
    if (fclose(file))
        window_fail(name);
    eglSwapBuffers(offscreen.egl, offscreen.surface);
}
