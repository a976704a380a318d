/* Very many layers in one job, over a picture of 64x64 pixels, each by programs that may repeat much; the
 * last one's colour, which tells its number, has to be there at the end. Usage: gl_layers LAYERS ROUNDS
 * VERTEX-ROUNDS: iterations of the loops in the fragment and in the vertex program. */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <fcntl.h>
#include <gbm.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 64, CORNERS = 6, DRAW = 8192 /* layers a draw: a driver's indices have sixteen bits */ };

static void fail(const char *what)
{
    fprintf(stderr, "gl_layers: %s\n", what);
    exit(1);
}

static void open_context(void)
{
    static const EGLint version[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
    static const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_NONE};
    int fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    EGLConfig config;
    EGLint count;

    if (fd < 0)
        fail("no /dev/dri/renderD128");
    EGLDisplay egl = eglGetPlatformDisplay(EGL_PLATFORM_GBM_KHR, gbm_create_device(fd), NULL);
    if (!eglInitialize(egl, NULL, NULL) || !eglChooseConfig(egl, wanted, &config, 1, &count) || !count)
        fail("no EGL");
    if (!eglMakeCurrent(egl, EGL_NO_SURFACE, EGL_NO_SURFACE,
                        eglCreateContext(egl, config, EGL_NO_CONTEXT, version)))
        fail("no context");
}

static void open_image(void)
{
    GLuint image, framebuffer;

    glGenTextures(1, &image);
    glBindTexture(GL_TEXTURE_2D, image);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIDE, SIDE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, image, 0);
    glViewport(0, 0, SIDE, SIDE);
}

/* What the loops compute is nothing, but no compiler can tell. */
static const char vertex_text[] = "attribute vec2 corner; attribute vec3 number; varying vec3 colour;\n"
                                  "uniform int rounds; uniform float none;\n"
                                  "void main() {\n"
                                  "  float sum = 0.0;\n"
                                  "  for (int i = 0; i < rounds; i++) sum = sum * 0.5 + corner.x;\n"
                                  "  colour = number / 255.0; gl_Position = vec4(corner, sum * none, 1.0);\n"
                                  "}\n";
static const char fragment_text[] = "precision mediump float; varying vec3 colour;\n"
                                    "uniform int turns; uniform float nothing;\n"
                                    "void main() {\n"
                                    "  float sum = 0.0;\n"
                                    "  for (int i = 0; i < turns; i++) sum = sum * 0.5 + colour.x;\n"
                                    "  gl_FragColor = vec4(colour + sum * nothing, 1.0);\n"
                                    "}\n";

static void use_program(int rounds, int turns)
{
    const char *texts[] = {vertex_text, fragment_text};
    GLuint program = glCreateProgram();
    GLint good;

    for (int i = 0; i < 2; i++) {
        GLuint shader = glCreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
        glShaderSource(shader, 1, &texts[i], NULL);
        glCompileShader(shader);
        glAttachShader(program, shader);
    }
    glBindAttribLocation(program, 0, "corner");
    glBindAttribLocation(program, 1, "number");
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &good);
    if (!good)
        fail("the program does not link");
    glUseProgram(program);
    glUniform1i(glGetUniformLocation(program, "rounds"), rounds);
    glUniform1i(glGetUniformLocation(program, "turns"), turns);
}

struct vertex {
    signed char x, y;
    unsigned char number[3];
};

static void draw_layers(int first, int count)
{
    static const signed char corners[CORNERS][2] = {{-1, -1}, {1, -1}, {-1, 1}, {-1, 1}, {1, -1}, {1, 1}};
    static struct vertex vertices[DRAW * CORNERS];

    for (int i = 0; i < count * CORNERS; i++) {
        int number = first + i / CORNERS;
        vertices[i] = (struct vertex){
            corners[i % CORNERS][0],
            corners[i % CORNERS][1],
            {(unsigned char)number, (unsigned char)(number >> 8), (unsigned char)(number >> 16)}};
    }
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    glVertexAttribPointer(0, 2, GL_BYTE, 0, sizeof *vertices, &vertices->x);
    glVertexAttribPointer(1, 3, GL_UNSIGNED_BYTE, 0, sizeof *vertices, vertices->number);
    glDrawArrays(GL_TRIANGLES, 0, count * CORNERS);
}

int main(int argc, char **argv)
{
    unsigned char pixels[SIDE * SIDE][4];

    if (argc != 4)
        fail("usage: gl_layers LAYERS ROUNDS VERTEX-ROUNDS");
    int layers = atoi(argv[1]), last = layers - 1;
    open_context();
    open_image();
    use_program(atoi(argv[3]), atoi(argv[2]));
    glClear(GL_COLOR_BUFFER_BIT);
    for (int first = 0; first < layers; first += DRAW)
        draw_layers(first, layers - first < DRAW ? layers - first : DRAW);
    glReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    if (glGetError())
        fail("a GL error");
    for (int i = 0; i < SIDE * SIDE; i++) {
        int seen = pixels[i][0] | pixels[i][1] << 8 | pixels[i][2] << 16;
        if (seen == last)
            continue;
        fprintf(stderr, "gl_layers: pixel %d, %d has layer %d, not %d\n", i % SIDE, i / SIDE, seen, last);
        return 1;
    }
    return 0;
}
