/* Programs that compute: one full-screen quad. */
#include "micro.h"

#define TRANSCENDENTALS                                                                                      \
    "s += sin(x*1.7+s); x = 0.6 + 0.5*cos(x+s); y = exp(-x*y) + 0.1; s += 0.1*log(y+x); y = pow(y+0.2, "     \
    "0.4+x*0.5);\n"

/* 50 vec4 multiply-adds: 200 of numbers. */
static const char *arithmetic(enum micro_shader_kind kind)
{
#define HEAD                                                                                                 \
    "varying highp vec2 vUV; uniform vec4 uA, uB;\n"                                                         \
    "void main(){ vec4 a = vec4(vUV, vUV.yx), d = vec4(vUV.yx, 1.0, 0.0);\n"
    return micro_alu_text(kind == SHADER_ALU ? HIGHP HEAD : MEDIUMP HEAD, 25,
                          "gl_FragColor = fract(a*0.25) + d*0.001; }");
#undef HEAD
}

static const char transcendental[] = HIGHP
    "varying highp vec2 vUV; void main(){ float x = vUV.x*3.0 + 1.1, y = abs(vUV.y)*2.0 + 0.1, s = 0.0;\n" //
    TRANSCENDENTALS TRANSCENDENTALS TRANSCENDENTALS TRANSCENDENTALS
    "gl_FragColor = vec4(fract(s), x*0.5, y*0.5, 1.0); }";

enum { ROUNDS = 64 };
static const char mandelbrot[] =
    HIGHP "varying highp vec2 vUV; void main(){ vec2 c = vUV, z = c; float n = 0.0;\n"
          "for (int i = 0; i < 64; i++) { float xx = z.x*z.x, yy = z.y*z.y; if (xx + "
          "yy > 4.0) break; z = vec2(xx - yy, 2.0*z.x*z.y) + c; n += 1.0; }\n"
          "gl_FragColor = vec4(n/64.0, z*0.1 + 0.5, 1.0); }";

/* Rounds of the loop at a place of the complex plane. */
static int rounds_at(float cx, float cy)
{
    float zx = cx, zy = cy;
    int i;

    for (i = 0; i < ROUNDS; i++) {
        float xx = zx * zx, yy = zy * zy;
        if (xx + yy > 4)
            break;
        zy = 2 * zx * zy + cy;
        zx = xx - yy + cx;
    }
    return i;
}

static double rounds_of_frame(void)
{
    double sum = 0;

    for (int y = 0; y < micro.height; y++)
        for (int x = 0; x < micro.width; x++)
            sum += rounds_at(1.6f * ((x + .5f) / micro.width * 2 - 1) - .5f,
                             1.6f * .5625f * ((y + .5f) / micro.height * 2 - 1));
    return sum;
}

bool micro_shader_setup(struct workload *w)
{
    bool branch = w->kind == SHADER_BRANCH;

    micro_use(micro_vertex_quad, w->kind == SHADER_TRANSCENDENTAL ? transcendental
                                 : branch                         ? mandelbrot
                                                                  : arithmetic(w->kind));
    micro_quad_bind();
    gl.Uniform1f(micro_uniform("uZ"), 0);
    gl.Uniform4f(micro_uniform("uXf"), branch ? 1.6f : 1.f, 0, branch ? -0.5f : 0.f, 0);
    gl.Uniform4f(micro_uniform("uA"), .91f, .82f, .73f, .64f);
    gl.Uniform4f(micro_uniform("uB"), .3f, -.4f, .5f, -.6f);
    w->work = (double)micro.width * micro.height;
    w->secondary = branch ? rounds_of_frame() : 0;
    return true;
}

void micro_shader_frame(struct workload *w)
{
    (void)w;
    micro_begin(TARGET_COLOUR_DEPTH);
    gl.DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}
