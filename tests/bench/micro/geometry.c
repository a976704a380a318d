/* Triangles, vertices and draws in number. */
#include "micro.h"

#include <math.h>

static GLint place, colour;
static int count; /* vertices or draws a frame */

/* A grid of the given proportions: two triangles a square. Returns triangles. */
static double create_grid(double columns, double rows, bool clockwise)
{
    if (micro.triangles) {
        double scale = sqrt(micro.triangles / (2 * columns * rows));
        columns = fmax(1, round(columns * scale));
        rows = fmax(1, round(micro.triangles / (2 * columns)));
    }
    micro_grid_create((int)columns, (int)rows, clockwise);
    return 2 * columns * rows;
}

enum { TEXTURED_TIMES = 4 }; /* the textured grid is drawn, each nearer to the right */

bool micro_triangles_setup(struct workload *w)
{
    static const char textured[] =
        HIGHP "varying highp vec2 vUV; uniform sampler2D uT; uniform vec4 uC; void "
              "main(){ gl_FragColor = texture2D(uT, vUV * 6.0) * uC; }";

    if (w->kind == TRIANGLES_MULTISAMPLE && !micro_multisample())
        return false;
    micro_use(micro_vertex_grid, w->kind == TRIANGLES_TEXTURED ? textured : micro_fragment_uv);
    gl.EnableVertexAttribArray(0);
    gl.EnableVertexAttribArray(1);
    place = micro_uniform("uXf");
    gl.Uniform4f(place, 1, .9f, 0, 0);
    if (w->kind == TRIANGLES_CULLED) {
        w->work = create_grid(500, 500, true);
        gl.Enable(GL_CULL_FACE);
        gl.CullFace(GL_BACK);
        gl.FrontFace(GL_CCW);
    } else if (w->kind == TRIANGLES_TEXTURED) {
        w->work = create_grid(128, 72, false) * TEXTURED_TIMES;
        micro_texture_create(micro.texture, false, GL_LINEAR, GL_LINEAR);
        gl.Uniform4f(micro_uniform("uC"), 1, .9f, .8f, 1);
        gl.Enable(GL_DEPTH_TEST);
        gl.DepthFunc(GL_LEQUAL);
        w->secondary = (double)micro.width * micro.height * TEXTURED_TIMES;
    } else {
        w->work = create_grid(400, 250, false);
        if (w->kind == TRIANGLES_DEPTH) {
            gl.Enable(GL_DEPTH_TEST);
            gl.DepthFunc(GL_LESS);
        }
    }
    return true;
}

void micro_triangles_frame(struct workload *w)
{
    micro_begin(w->kind == TRIANGLES_MULTISAMPLE ? TARGET_MULTISAMPLE : TARGET_COLOUR_DEPTH);
    if (w->kind == TRIANGLES_TEXTURED)
        for (int i = 0; i < TEXTURED_TIMES; i++) {
            gl.Uniform4f(place, 1, .9f, i * .001f, 0);
            micro_grid_draw();
        }
    else
        micro_grid_draw();
    if (w->kind == TRIANGLES_MULTISAMPLE)
        micro_multisample_resolve();
}

/* 56 vec4 multiply-adds and a matrix by a vector (4): 60 vec4 instructions a vertex. */
bool micro_vertices_setup(struct workload *w)
{
    static const float matrix[16] = {1, .1f, .2f, 0, .3f, 1, .1f, 0, .2f, .1f, 1, 0, 0, 0, 0, 1};
    const char *program = micro_alu_text(
        "attribute vec4 aPos; attribute vec2 aCol; uniform vec4 uA, uB; uniform mat4 uM; varying highp vec2 "
        "vUV;\n"
        "void main(){ vec4 a = aPos, d = vec4(aCol, aPos.xy);\n",
        28,
        "vec4 p = uM*a; gl_Position = vec4(p.xyz*1.0e-4 + vec3(0.3137, 0.2711, 0.0), 1.0); vUV = d.xy; }");

    count = 3 * (micro.triangles ? micro.triangles : 66667);
    micro_cloud_bind(count);
    micro_use(program, micro_fragment_uv);
    gl.EnableVertexAttribArray(0);
    gl.EnableVertexAttribArray(1);
    gl.Uniform4f(micro_uniform("uA"), .91f, .82f, .73f, .64f);
    gl.Uniform4f(micro_uniform("uB"), .3f, -.4f, .5f, -.6f);
    gl.UniformMatrix4fv(micro_uniform("uM"), 1, GL_FALSE, matrix);
    w->work = count;
    return true;
}

void micro_vertices_frame(struct workload *w)
{
    (void)w;
    micro_begin(TARGET_COLOUR_DEPTH);
    gl.DrawArrays(GL_TRIANGLES, 0, count);
}

bool micro_draws_setup(struct workload *w)
{
    micro_use(micro_vertex_grid, micro_fragment_flat);
    place = micro_uniform("uXf");
    colour = micro_uniform("uC");
    micro_quad_bind();
    count = micro.draws;
    w->work = count;
    return true;
}

/* Quads of 8x8 pixels in 40 rows of 50, beginning again after the last. */
void micro_draws_frame(struct workload *w)
{
    (void)w;
    micro_begin(TARGET_COLOUR_DEPTH);
    for (int i = 0; i < count; i++) {
        int x = i % 50, y = i / 50 % 40;
        gl.Uniform4f(place, .006f, 0, x / 25.f - .98f, y / 20.f - .97f);
        gl.Uniform4f(colour, x / 50.f, y / 40.f, .5f, 1);
        gl.DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
}
