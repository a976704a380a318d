/* Full-screen quads: clearing, flat, blended, textured, hidden. */
#include "micro.h"

#include <math.h>

static GLint colour, place, depth;

static int layers(int own)
{
    return micro.layers ? micro.layers : own;
}

static double area(void)
{
    return (double)micro.width * micro.height;
}

static void blend_over(void)
{
    gl.Enable(GL_BLEND);
    gl.BlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
}

/* With one quad of 8x8 pixels: ANGLE defers a clear with no draw behind it for ever. */
bool micro_clear_setup(struct workload *w)
{
    micro_use(micro_vertex_grid, micro_fragment_flat);
    micro_quad_bind();
    gl.Uniform4f(micro_uniform("uXf"), .006f, 0, 0, 0);
    gl.Uniform4f(micro_uniform("uC"), 1, 0, 0, 1);
    w->work = area();
    return true;
}

void micro_clear_frame(struct workload *w)
{
    (void)w;
    micro_begin(TARGET_COLOUR_DEPTH);
    gl.DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

bool micro_flat_setup(struct workload *w)
{
    if (w->kind == FLAT_MULTISAMPLE && !micro_multisample())
        return false;
    micro_use(micro_vertex_quad, micro_fragment_flat);
    colour = micro_uniform("uC");
    micro_quad_bind();
    gl.Uniform4f(micro_uniform("uXf"), 1, 0, 0, 0);
    gl.Uniform1f(micro_uniform("uZ"), 0);
    if (w->kind == FLAT_BLEND)
        blend_over();
    w->work = area() * layers(20);
    return true;
}

void micro_flat_frame(struct workload *w)
{
    int count = layers(20);

    micro_begin(w->kind == FLAT_NO_DEPTH      ? TARGET_COLOUR
                : w->kind == FLAT_MULTISAMPLE ? TARGET_MULTISAMPLE
                                              : TARGET_COLOUR_DEPTH);
    for (int i = 0; i < count; i++) {
        gl.Uniform4f(colour, (float)i / count, 1 - (float)i / count, (i & 3) / 3.f, 0.3f);
        gl.DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
    if (w->kind == FLAT_MULTISAMPLE)
        micro_multisample_resolve();
}

bool micro_textured_setup(struct workload *w)
{
    static const char plain[] = HIGHP
        "varying highp vec2 vUV; uniform sampler2D uT; void main(){ gl_FragColor = texture2D(uT, vUV); }";
    static const char modulate[] =
        MEDIUMP "varying vec2 vUV; uniform sampler2D uT; uniform vec4 uC; void main(){ "
                "gl_FragColor = texture2D(uT, vUV) * uC; }";
    GLenum magnify = w->kind == TEXTURED_NEAREST ? GL_NEAREST : GL_LINEAR;

    micro_use(micro_vertex_quad, w->kind == TEXTURED_MODULATE ? modulate : plain);
    place = micro_uniform("uXf");
    micro_quad_bind();
    gl.Uniform1f(micro_uniform("uZ"), 0);
    if (w->kind == TEXTURED_MODULATE)
        gl.Uniform4f(micro_uniform("uC"), .9f, .8f, .7f, 1);
    micro_texture_create(micro.texture, w->kind == TEXTURED_TRILINEAR,
                         w->kind == TEXTURED_TRILINEAR ? GL_LINEAR_MIPMAP_LINEAR : magnify, magnify);
    if (w->kind == TEXTURED_BLEND)
        blend_over();
    w->work = area() * layers(20);
    return true;
}

/* About 1 texel a pixel, 2.7 when minified, turned by 11 degrees so that no path for axis-aligned copies
 * applies. */
void micro_textured_frame(struct workload *w)
{
    float scale = (w->kind == TEXTURED_TRILINEAR ? 2.7f : 1.0f) * micro.width / 2 / (float)micro.texture;
    float c = cosf(0.192f) * scale, s = sinf(0.192f) * scale;
    int count = layers(20);

    micro_begin(TARGET_COLOUR_DEPTH);
    for (int i = 0; i < count; i++) {
        gl.Uniform4f(place, c, s, i * 0.137f, i * 0.071f);
        gl.DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
}

bool micro_depth_setup(struct workload *w)
{
    micro_use(micro_vertex_quad, micro_fragment_flat);
    colour = micro_uniform("uC");
    depth = micro_uniform("uZ");
    micro_quad_bind();
    gl.Uniform4f(micro_uniform("uXf"), 1, 0, 0, 0);
    gl.Enable(GL_DEPTH_TEST);
    gl.DepthFunc(GL_LESS);
    w->work = area() * layers(50);
    return true;
}

void micro_depth_frame(struct workload *w)
{
    int count = layers(50);
    float step = (float)(1.8 / count);

    micro_begin(TARGET_COLOUR_DEPTH);
    for (int i = 0; i < count; i++) {
        gl.Uniform1f(depth, (w->kind == DEPTH_BACK_TO_FRONT ? count - 1 - i : i) * step - .9f);
        gl.Uniform4f(colour, (float)i / count, 1 - (float)i / count, .5f, 1);
        gl.DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
}
