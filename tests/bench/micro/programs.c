#include "micro.h"

#include <stdio.h>

const char *const micro_vertex_quad =
    "attribute vec4 aPos; uniform float uZ; uniform vec4 uXf; varying highp vec2 vUV;\n"
    "void main(){ gl_Position = vec4(aPos.xy, uZ, 1.0); vec2 p = aPos.xy; vUV = vec2(uXf.x*p.x - uXf.y*p.y, "
    "uXf.y*p.x + uXf.x*p.y*0.5625) + uXf.zw; }";
const char *const micro_vertex_grid =
    "attribute vec4 aPos; attribute vec2 aCol; uniform vec4 uXf; varying highp vec2 vUV;\n"
    "void main(){ gl_Position = vec4(aPos.xy*uXf.x + uXf.zw, aPos.z*uXf.y, 1.0); vUV = aCol; }";
const char *const micro_fragment_flat = MEDIUMP "uniform vec4 uC; void main(){ gl_FragColor = uC; }";
const char *const micro_fragment_uv =
    MEDIUMP "varying highp vec2 vUV; void main(){ gl_FragColor = vec4(vUV, 0.5, 1.0); }";

GLuint micro_current;

void micro_use(const char *vertex, const char *fragment)
{
    micro_current = micro_program(vertex, fragment);
    gl.UseProgram(micro_current);
}

GLint micro_uniform(const char *name)
{
    return gl.GetUniformLocation(micro_current, name);
}

const char *micro_alu_text(const char *head, int count, const char *tail)
{
    static char text[8192];
    int length = snprintf(text, sizeof text, "%s", head);

    for (int i = 0; i < count; i++)
        length += snprintf(text + length, sizeof text - length, "a = a*uA + d; d = d*uB + uA;\n");
    snprintf(text + length, sizeof text - length, "%s", tail);
    return text;
}
