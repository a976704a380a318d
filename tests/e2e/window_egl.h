/* What windows of all kinds have of EGL: window.c's on a display, contrib/qemu/offscreen.c's without. */
#ifndef E2E_WINDOW_EGL_H
#define E2E_WINDOW_EGL_H
#include <EGL/egl.h>
#include <stdbool.h>

/* Filled by window_open; EGL's, never freed, as the window. */
struct window_egl {
    EGLDisplay display;
    EGLConfig config;
    EGLSurface surface; /* drawn to and read from */
};
extern struct window_egl window_egl;

/* Makes `display` ready and returns the first of its configurations that `fits`: of 8 bits a channel at least, with
 * depth, stencil and so many samples, for surfaces of `type`, EGL_WINDOW_BIT or EGL_PBUFFER_BIT. Without one the
 * program ends. */
EGLConfig window_egl_config(EGLDisplay display, EGLint type, EGLint samples,
                            bool (*fits)(EGLDisplay display, EGLConfig config));
#endif
