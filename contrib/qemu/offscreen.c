/* The window of tests/e2e/window.h without a display: 256x256 pixels of a GPU's render node; what is shown is written
 * into the current folder, as picture-001.ppm and so on. So a program's pictures in a virtual machine can be compared
 * with those under `vitrail run`, to the bit. */
#include "window.h"
#include "window_egl.h"
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <stdio.h>

enum { WIDTH = 256, HEIGHT = 256, BYTES = 4 };

struct window window = {WIDTH, HEIGHT};

/* Of 8 bits a channel: deeper ones, which EGL names first, are not what displays have. */
static bool shows(EGLDisplay egl, EGLConfig config)
{
    EGLint red;

    return eglGetConfigAttrib(egl, config, EGL_RED_SIZE, &red) && red == 8;
}

void window_open(int samples)
{
    const EGLint size[] = {EGL_WIDTH, WIDTH, EGL_HEIGHT, HEIGHT, EGL_NONE};

    window_egl.display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    window_egl.config = window_egl_config(window_egl.display, EGL_PBUFFER_BIT, samples, shows);
    window_egl.surface = eglCreatePbufferSurface(window_egl.display, window_egl.config, size);
}

/* Rows stand as GL has them, from the bottom up: comparisons do not mind. */
void window_show(void)
{
    static unsigned shown;
    static unsigned char pixels[HEIGHT * WIDTH][BYTES];
    char name[32];

    glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    if (glGetError() != GL_NO_ERROR)
        window_fail("the picture cannot be read");
    snprintf(name, sizeof name, "picture-%03u.ppm", ++shown);
    FILE *file = fopen(name, "wb");
    if (!file)
        window_fail(name);
    fprintf(file, "P6\n%d %d\n255\n", WIDTH, HEIGHT);
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        fwrite(pixels[i], 1, 3, file);
    if (fclose(file))
        window_fail(name);
    eglSwapBuffers(window_egl.display, window_egl.surface);
}
