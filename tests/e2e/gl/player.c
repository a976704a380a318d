/* player [--jitter X,Y] [--version N] SCENES OUT: plays a file of scenes, each in a context of its own, of
 * that version of GL ES, in tenths (default 20).
 *
 * OUT gets, for each scene, "scene NAME\n", "picture WIDTH HEIGHT BYTES\n" and the bytes for each picture it
 * reads, then "done\n" or "error TEXT\n". Its first line is "renderer NAME\n". A scene that ends the program
 * has no last line. Exit status: 0 all played, 1 no GL, 2 wrong use or a bad line of a scene. */
#include "player.h"
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static EGLDisplay display;
static EGLConfig config;
static EGLint version = 20;

_Noreturn static void no_gl(const char *what)
{
    fprintf(stderr, "player: %s: EGL error 0x%x\n", what, eglGetError());
    exit(1);
}

static void open_gl(void)
{
    static const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_DONT_CARE, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT,
                                    EGL_NONE};
    EGLint count = 0;

    display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (!display || !eglInitialize(display, NULL, NULL) ||
        !eglChooseConfig(display, wanted, &config, 1, &count) || !count)
        no_gl("no display");
}

static EGLContext open_context(void)
{
    const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, version / 10, EGL_CONTEXT_MINOR_VERSION,
                                 version % 10, EGL_NONE};
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, attributes);

    if (!context || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
        no_gl("no context");
    return context;
}

static void close_context(EGLContext context)
{
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display, context);
}

static void play_line(struct player *p, struct scene *s, struct line *l)
{
    const char *name = next_word(l);

    if (!name || *name == '#')
        return;
    command object = find_object_command(name);
    if (!object)
        object = find_memory_command(name);
    if (object)
        object(p, s, l);
    else if (!gl_call(name, l))
        bad_line(l, "no such command:", name);
    if (has_word(l))
        bad_line(l, "too many words:", l->at);
    GLenum error = glGetError();
    if (error && !p->error)
        scene_error(p, "line %d: %s: GL error 0x%x", l->number, name, error);
}

static void finish_scene(struct player *p, const struct scene *s)
{
    if (p->error) {
        fprintf(p->out, "error %s\n", p->error);
    } else {
        char all[64];
        struct line l = {.at = all};
        snprintf(all, sizeof all, "0 0 %d %d RGBA UNSIGNED_BYTE", s->width, s->height);
        find_object_command("read")(p, NULL, &l);
        fprintf(p->out, "done\n");
    }
    fflush(p->out);
}

static void play(struct player *p, FILE *in)
{
    struct scene *scene = NULL;
    EGLContext context = EGL_NO_CONTEXT;
    char *text = NULL;
    size_t capacity = 0;

    for (int number = 1; getline(&text, &capacity, in) >= 0; number++) {
        struct line l = {.at = text, .number = number};
        text[strcspn(text, "\r\n")] = '\0';
        if (!strncmp(text, "scene ", 6)) {
            if (scene) {
                finish_scene(p, scene);
                close_context(context);
            } else if (!(scene = malloc(sizeof *scene))) {
                exit(1);
            }
            memset(scene, 0, sizeof *scene);
            context = open_context();
            p->error = NULL;
            fprintf(p->out, "%s\n", text);
            fflush(p->out);
        } else if (scene && !p->error) {
            play_line(p, scene, &l);
        }
    }
    if (scene) {
        finish_scene(p, scene);
        close_context(context);
    }
    free(scene);
    free(text);
}

int main(int argc, char **argv)
{
    struct player p = {0};
    int at = 1;

    for (; at + 2 < argc && argv[at][0] == '-'; at += 2)
        if (!strcmp(argv[at], "--version") && sscanf(argv[at + 1], "%d", &version) == 1)
            continue;
        else if (strcmp(argv[at], "--jitter") != 0 ||
                 sscanf(argv[at + 1], "%f,%f", &p.jitter[0], &p.jitter[1]) != 2)
            break;
    if (argc != at + 2) {
        fprintf(stderr, "usage: player [--jitter X,Y] [--version N] SCENES OUT\n");
        return 2;
    }
    FILE *in = fopen(argv[at], "r");
    p.out = fopen(argv[at + 1], "wb");
    if (!in || !p.out) {
        perror("player");
        return 2;
    }
    open_gl();
    EGLContext context = open_context();
    fprintf(p.out, "renderer %s\n", (const char *)glGetString(GL_RENDERER));
    fprintf(p.out, "extensions %s\n", (const char *)glGetString(GL_EXTENSIONS));
    close_context(context);
    play(&p, in);
    fclose(in);
    if (fclose(p.out)) {
        perror("player");
        return 1;
    }
    eglTerminate(display);
    return 0;
}
