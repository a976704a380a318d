/* What a driver offers: its contexts, their versions and extensions. tests/e2e/guests builds it for arm64 and runs it
 * on each emulated GPU.
 *
 * Usage: gl_info
 * Lines on standard output, "KIND API TEXT"; of each API (ES, GL) in this order: "renderer", "version" and "shading"
 * as GL has them, of the context of the highest version that there is, and an "extension" for each. GL is of the
 * core profile where there is one, else of that without. An API without contexts has no lines. Exit status: 0, 1
 * when something failed. */
#include "window.h"
#include <GLES3/gl3.h>
#include <stdio.h>
#include <string.h>

struct version {
    int major, minor;
};

static const struct version es[] = {{3, 2}, {3, 1}, {3, 0}, {2, 0}, {0}};
static const struct version gl[] = {{4, 6}, {4, 5}, {4, 4}, {4, 3}, {4, 2}, {4, 1}, {4, 0},
                                    {3, 3}, {3, 2}, {3, 1}, {3, 0}, {2, 1}, {0}};

static const char *string_of(GLenum name)
{
    const char *string = (const char *)glGetString(name);

    if (!string)
        window_fail("a context without strings");
    return string;
}

static void print_extensions(const char *api, const struct version *got)
{
    if (got->major < 3) {
        const char *each = string_of(GL_EXTENSIONS);

        while (*each) {
            int length = (int)strcspn(each, " ");
            printf("extension %s %.*s\n", api, length, each);
            each += length + strspn(each + length, " ");
        }
        return;
    }
    GLint count = 0;

    glGetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (GLint i = 0; i < count; i++)
        printf("extension %s %s\n", api, (const char *)glGetStringi(GL_EXTENSIONS, (GLuint)i));
}

static void print(const char *api, enum window_api kind, const struct version *versions)
{
    while (versions->major && !window_context(kind, versions->major, versions->minor))
        versions++;
    if (!versions->major)
        return;
    printf("renderer %s %s\n", api, string_of(GL_RENDERER));
    printf("version %s %s\n", api, string_of(GL_VERSION));
    printf("shading %s %s\n", api, string_of(GL_SHADING_LANGUAGE_VERSION));
    print_extensions(api, versions);
}

int main(void)
{
    window_open(0);
    print("ES", WINDOW_ES, es);
    print("GL", WINDOW_DESKTOP, gl);
    return 0;
}
