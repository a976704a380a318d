/* Many programs and states: each frame draws with the next ones, so that nothing of a frame serves the one
 * after it until all have had their turn. */
#include "micro.h"

#include <stdio.h>

enum { DRAWS = 100, BITS = 14, STATES = 4 * 8 };

/* Programs that differ in their instructions, not in their numbers alone: these are uniforms of the same
 * code. */
static const char *fragment_text(int number)
{
    static const char head[] = HIGHP "varying highp vec2 vUV; void main(){ float x = vUV.x, y = vUV.y;\n";
    static char text[4096];
    int length = snprintf(text, sizeof text, "%s", head);

    for (int bit = 0; bit < BITS; bit++)
        length += snprintf(text + length, sizeof text - length, "%s",
                           number >> bit & 1 ? "x = x*y + 0.3; y = max(y, x);\n"
                                             : "x = max(x*0.7, y); y = y + x;\n");
    snprintf(text + length, sizeof text - length, "gl_FragColor = vec4(fract(x), fract(y), 0.5, 0.5); }");
    return text;
}

/* Blending is compiled into the program by drivers of tile-based GPUs, the depth test is state of the draw.
 */
static void use_state(int number)
{
    static const GLenum factors[4] = {GL_ZERO, GL_ONE, GL_ONE_MINUS_SRC_ALPHA, GL_ONE_MINUS_DST_COLOR};
    gl.BlendFunc(GL_SRC_ALPHA, factors[number % 4]);
    gl.DepthFunc(GL_NEVER + number / 4 % 8);
}

static int next; /* the program of the next draw */

bool micro_variants_setup(struct workload *w)
{
    micro_quad_bind();
    gl.Enable(GL_BLEND);
    gl.Enable(GL_DEPTH_TEST);
    next = 0;
    w->work = DRAWS;
    return true;
}

/* Programs are compiled when they are needed and deleted after their draw: the process holds none but the
 * driver's own. */
void micro_variants_frame(struct workload *w)
{
    (void)w;
    micro_begin(TARGET_COLOUR_DEPTH);
    for (int i = 0; i < DRAWS; i++, next = (next + 1) % micro.variants) {
        GLuint program = micro_program(micro_vertex_grid, fragment_text(next));
        gl.UseProgram(program);
        gl.Uniform4f(gl.GetUniformLocation(program, "uXf"), .05f, 0, i % 10 / 5.f - .9f, i / 10 / 5.f - .9f);
        use_state(next % STATES);
        gl.DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
        gl.UseProgram(0);
        gl.DeleteProgram(program);
    }
}
