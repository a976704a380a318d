/* Pictures of GL ES 3.0 and 3.1, shown on the first display: one a scene. tests/e2e/features --gles31 builds it for
 * arm64 (the emulated GPU) and natively (llvmpipe).
 *
 * Usage: gles31 [--list | SCENE...]; without arguments all scenes.
 * A line on standard output for each scene: "drawn NAME", or "skipped NAME: WHY" when the context lacks what it
 * needs. Exit status: 0, 1 when something failed. */
#include "draw.h"
#include <stdio.h>
#include <string.h>

static const struct scene *const groups[] = {target_scenes, texture_scenes, format_scenes,
                                             vertex_scenes, state_scenes,   compute_scenes};
enum { GROUPS = sizeof groups / sizeof *groups };

static const struct scene *find(const char *name)
{
    for (int i = 0; i < GROUPS; i++)
        for (const struct scene *s = groups[i]; s->name; s++)
            if (!strcmp(s->name, name))
                return s;
    window_fail("no such scene");
}

static void list(void)
{
    for (int i = 0; i < GROUPS; i++)
        for (const struct scene *s = groups[i]; s->name; s++)
            puts(s->name);
}

/* Whether the scene's context is there; why not is said. */
static bool open_context(const struct scene *s)
{
    bool desktop = s->version == DESKTOP;

    draw_version = s->version;
    if (desktop ? !window_context(WINDOW_DESKTOP, 3, 1)
                : !window_context(WINDOW_ES, s->version / 10, s->version % 10)) {
        printf("skipped %s: no context of %s\n", s->name,
               desktop            ? "OpenGL 3.1"
               : s->version == 30 ? "OpenGL ES 3.0"
                                  : "OpenGL ES 3.1");
        return false;
    }
    if (s->extension && !draw_has(s->extension)) {
        printf("skipped %s: no %s\n", s->name, s->extension);
        return false;
    }
    return true;
}

static void draw(const struct scene *s)
{
    GLuint vertices; /* GL 3.1 has no vertex array object of its own */

    if (!open_context(s))
        return;
    glGenVertexArrays(1, &vertices);
    glBindVertexArray(vertices);
    draw_window();
    glDisable(GL_DITHER);
    glClearColor(0.1f, 0.15f, 0.2f, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    s->draw();
    GLenum error = glGetError();
    if (error) {
        fprintf(stderr, "%s: GL error 0x%x\n", s->name, error);
        window_fail("a GL error");
    }
    window_show();
    printf("drawn %s\n", s->name);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--list")) {
        list();
        return 0;
    }
    window_open(0);
    for (int i = 1; i < argc; i++)
        draw(find(argv[i]));
    for (int i = 0; argc == 1 && i < GROUPS; i++)
        for (const struct scene *s = groups[i]; s->name; s++)
            draw(s);
    return 0;
}
