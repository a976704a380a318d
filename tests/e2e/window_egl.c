#include "window_egl.h"
#include "window.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct window_egl window_egl;

void window_fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
    exit(1);
}

EGLConfig window_egl_config(EGLDisplay display, EGLint type, EGLint samples,
                            bool (*fits)(EGLDisplay display, EGLConfig config))
{
    const EGLint wanted[] = {EGL_SURFACE_TYPE, type,    EGL_RED_SIZE,        8,
                             EGL_GREEN_SIZE,   8,       EGL_BLUE_SIZE,       8,
                             EGL_DEPTH_SIZE,   24,      EGL_STENCIL_SIZE,    8,
                             EGL_SAMPLES,      samples, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT,
                             EGL_NONE};
    EGLConfig configs[64];
    EGLint count = 0;

    if (!eglInitialize(display, NULL, NULL) || !eglChooseConfig(display, wanted, configs, 64, &count))
        window_fail("no EGL");
    for (EGLint i = 0; i < count; i++)
        if (fits(display, configs[i]))
            return configs[i];
    window_fail("no EGL configuration");
}

bool window_context(enum window_api api, int major, int minor)
{
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, major, EGL_CONTEXT_MINOR_VERSION, minor, EGL_NONE};
    EGLenum before = eglQueryAPI();

    eglBindAPI(api == WINDOW_ES ? EGL_OPENGL_ES_API : EGL_OPENGL_API);
    EGLContext context = eglCreateContext(window_egl.display, window_egl.config, EGL_NO_CONTEXT, version);
    if (context && eglMakeCurrent(window_egl.display, window_egl.surface, window_egl.surface, context))
        return true;
    if (context)
        eglDestroyContext(window_egl.display, context);
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
