#include "micro.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* EGL_ANGLE_platform_angle and its extensions, which Mesa's headers leave out. */
#define PLATFORM_ANGLE             0x3202
#define PLATFORM_ANGLE_TYPE        0x3203
#define PLATFORM_ANGLE_DEVICE_TYPE 0x3209
#define PLATFORM_ANGLE_VULKAN      0x3450
#define DEVICE_SWIFTSHADER         0x3487
#define NATIVE_PLATFORM_TYPE       0x348F
#define VULKAN_HEADLESS            0x34A5

struct micro_egl egl;
struct micro_gl gl;

void micro_die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static void *open_library(const char *name)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        micro_die("dlopen %s: %s", name, dlerror());
    return library;
}

static void *find(void *library, const char *name)
{
    void *function = dlsym(library, name);
    if (!function && egl.GetProcAddress)
        function = (void *)egl.GetProcAddress(name);
    if (!function)
        micro_die("no %s", name);
    return function;
}

void micro_load(const char *egl_library, const char *gles_library)
{
    void *e = open_library(egl_library), *g = open_library(gles_library);

#define EGL_FUNCTION(name) *(void **)&egl.name = find(e, "egl" #name);
#define GL_FUNCTION(name)  *(void **)&gl.name = find(g, "gl" #name);
#include "functions.def"
#undef EGL_FUNCTION
#undef GL_FUNCTION
}

/* SwiftShader through ANGLE, without a window system; ANGLE's default device when there is none. */
static EGLDisplay angle_display(PFNEGLGETPLATFORMDISPLAYEXTPROC get)
{
    EGLint swiftshader[] = {PLATFORM_ANGLE_TYPE,
                            PLATFORM_ANGLE_VULKAN,
                            PLATFORM_ANGLE_DEVICE_TYPE,
                            DEVICE_SWIFTSHADER,
                            NATIVE_PLATFORM_TYPE,
                            VULKAN_HEADLESS,
                            EGL_NONE};
    EGLint any[] = {PLATFORM_ANGLE_TYPE, PLATFORM_ANGLE_VULKAN, NATIVE_PLATFORM_TYPE, VULKAN_HEADLESS,
                    EGL_NONE};
    EGLDisplay display =
        get(PLATFORM_ANGLE, (void *)EGL_DEFAULT_DISPLAY, getenv("BENCH_ANGLE_ANYDEVICE") ? any : swiftshader);

    if (display == EGL_NO_DISPLAY) {
        fprintf(stderr, "headless ANGLE display refused (0x%x), trying default\n", egl.GetError());
        swiftshader[4] = EGL_NONE;
        display = get(PLATFORM_ANGLE, (void *)EGL_DEFAULT_DISPLAY, swiftshader);
    }
    return display;
}

static EGLDisplay open_display(void)
{
    const char *extensions = egl.QueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    PFNEGLGETPLATFORMDISPLAYEXTPROC get =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)egl.GetProcAddress("eglGetPlatformDisplayEXT");
    EGLDisplay display = EGL_NO_DISPLAY;

    if (get && extensions && strstr(extensions, "EGL_ANGLE_platform_angle") && !getenv("BENCH_NO_ANGLE"))
        display = angle_display(get);
    else if (get && extensions && strstr(extensions, "EGL_MESA_platform_surfaceless"))
        display = get(EGL_PLATFORM_SURFACELESS_MESA, (void *)EGL_DEFAULT_DISPLAY, NULL);
    if (display == EGL_NO_DISPLAY)
        display = egl.GetDisplay(EGL_DEFAULT_DISPLAY);
    if (display == EGL_NO_DISPLAY)
        micro_die("no EGL display (0x%x)", egl.GetError());
    return display;
}

void micro_open(void)
{
    static const EGLint wanted[] = {EGL_SURFACE_TYPE,
                                    EGL_PBUFFER_BIT,
                                    EGL_RENDERABLE_TYPE,
                                    EGL_OPENGL_ES2_BIT,
                                    EGL_RED_SIZE,
                                    8,
                                    EGL_GREEN_SIZE,
                                    8,
                                    EGL_BLUE_SIZE,
                                    8,
                                    EGL_NONE};
    static const EGLint tiny[] = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
    const EGLint version[] = {EGL_CONTEXT_CLIENT_VERSION, micro.es_version, EGL_NONE};
    EGLDisplay display = open_display();
    EGLint major, minor, count = 0;
    EGLConfig config;

    if (!egl.Initialize(display, &major, &minor))
        micro_die("eglInitialize 0x%x", egl.GetError());
    egl.BindAPI(EGL_OPENGL_ES_API);
    if (!egl.ChooseConfig(display, wanted, &config, 1, &count) || !count)
        micro_die("no EGL config 0x%x", egl.GetError());
    EGLContext context = egl.CreateContext(display, config, EGL_NO_CONTEXT, version);
    if (context == EGL_NO_CONTEXT)
        micro_die("no ES%d context 0x%x", micro.es_version, egl.GetError());
    EGLSurface surface = EGL_NO_SURFACE;
    const char *extensions = egl.QueryString(display, EGL_EXTENSIONS);
    if (!extensions || !strstr(extensions, "EGL_KHR_surfaceless_context"))
        surface = egl.CreatePbufferSurface(display, config, tiny);
    if (!egl.MakeCurrent(display, surface, surface, context))
        micro_die("eglMakeCurrent 0x%x", egl.GetError());
    fprintf(stderr, "EGL %d.%d %s | %s | %s | %s\n", major, minor, egl.QueryString(display, EGL_VENDOR),
            gl.GetString(GL_VENDOR), gl.GetString(GL_RENDERER), gl.GetString(GL_VERSION));
}

void micro_check(const char *where)
{
    GLenum error = gl.GetError();
    if (error)
        micro_die("GL error 0x%x at %s", error, where);
}

static GLuint compile(GLenum stage, const char *source)
{
    GLuint shader = gl.CreateShader(stage);
    GLint ok;

    gl.ShaderSource(shader, 1, &source, NULL);
    gl.CompileShader(shader);
    gl.GetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (!ok) {
        char log[4096];
        gl.GetShaderInfoLog(shader, sizeof log, NULL, log);
        micro_die("shader: %s\n%s", log, source);
    }
    return shader;
}

GLuint micro_program(const char *vertex, const char *fragment)
{
    GLuint program = gl.CreateProgram(), v = compile(GL_VERTEX_SHADER, vertex),
           f = compile(GL_FRAGMENT_SHADER, fragment);
    GLint ok;

    gl.AttachShader(program, v);
    gl.AttachShader(program, f);
    gl.BindAttribLocation(program, 0, "aPos");
    gl.BindAttribLocation(program, 1, "aCol");
    gl.LinkProgram(program);
    gl.GetProgramiv(program, GL_LINK_STATUS, &ok);
    if (!ok) {
        char log[4096];
        gl.GetProgramInfoLog(program, sizeof log, NULL, log);
        micro_die("link: %s", log);
    }
    gl.DeleteShader(v);
    gl.DeleteShader(f);
    return program;
}
