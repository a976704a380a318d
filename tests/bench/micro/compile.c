#include "micro.h"

#include <stdio.h>
#include <stdlib.h>

struct text {
    char bytes[16384];
    int length;
};

#define ADD(text, ...)                                                                                       \
    ((text)->length +=                                                                                       \
     snprintf((text)->bytes + (text)->length, sizeof(text)->bytes - (text)->length, __VA_ARGS__))

static void simple_text(struct text *t, int number)
{
    ADD(t,
        HIGHP "varying highp vec2 vUV; uniform vec4 uC; void main(){ gl_FragColor = uC * vUV.x + 0.%03d; }",
        number + 1);
}

/* Relief, noise, eight lights, a loop, fog and tone mapping. */
static void complex_text(struct text *t, int number)
{
    ADD(t,
        HIGHP "varying highp vec2 vUV; uniform sampler2D uT, uN; uniform vec4 uL[8], uK[8]; uniform "
              "vec4 uC;\n"
              "float h(vec2 p){ return fract(sin(dot(p, vec2(12.9898, 78.%03d))) * 43758.5453); }\n"
              "float ns(vec2 p){ vec2 i = floor(p), f = fract(p); f = f*f*(3.0-2.0*f); return "
              "mix(mix(h(i), h(i+vec2(1,0)), f.x), mix(h(i+vec2(0,1)), h(i+vec2(1,1)), f.x), f.y); }\n"
              "void main(){ vec2 uv = vUV*3.0; float ht = texture2D(uN, uv).a; uv += "
              "ht*0.03*normalize(vec3(vUV,1.0)).xy;\n"
              "vec3 n = normalize(texture2D(uN, uv).xyz*2.0-1.0 + 0.1*ns(uv*9.0)); vec3 alb = "
              "texture2D(uT, uv).rgb; vec3 P = vec3(vUV, ht); vec3 V = normalize(vec3(0,0,2)-P); vec3 "
              "acc = vec3(0.03)*alb;\n",
        100 + number);
    for (int i = 0; i < 8; i++)
        ADD(t,
            "{ vec3 L = uL[%d].xyz-P; float d2 = dot(L,L); L *= inversesqrt(d2); vec3 Hh = "
            "normalize(L+V); float nl = max(dot(n,L),0.0); float sp = pow(max(dot(n,Hh),0.0), "
            "uK[%d].w); acc += (alb*nl + sp*uL[%d].w)*uK[%d].rgb/(1.0+d2); }\n",
            i, i, i, i);
    ADD(t, "for (int i = 0; i < 5; i++) { if (float(i) > ht*6.0) break; acc += "
           "0.02*ns(uv*exp2(float(i)))*texture2D(uT, uv*0.5).rgb; }\n"
           "float fog = exp(-dot(P,P)*0.3); acc = mix(uC.rgb, acc, fog); acc = "
           "acc/(acc+1.0); gl_FragColor = vec4(pow(acc, vec3(0.4545)), 1.0); }");
}

struct times {
    double link, first, second; /* seconds: source to program, first draw, the same draw again */
};

static void draw(void)
{
    gl.DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    gl.Finish();
}

static struct times try_variant(int number, bool complex_program)
{
    static struct text vertex, fragment;
    double t[4];

    vertex.length = fragment.length = 0;
    ADD(&vertex,
        "attribute vec4 aPos; uniform vec4 uXf; varying highp vec2 vUV; void main(){ gl_Position = "
        "aPos; vUV = aPos.xy * 1.%03d + uXf.xy; }",
        number + 1);
    (complex_program ? complex_text : simple_text)(&fragment, number);
    t[0] = micro_now();
    micro_current = micro_program(vertex.bytes, fragment.bytes);
    t[1] = micro_now();
    gl.UseProgram(micro_current);
    gl.Uniform4f(micro_uniform("uC"), .5f, .4f, .3f, 1);
    if (complex_program) {
        gl.Uniform1i(micro_uniform("uT"), 0);
        gl.Uniform1i(micro_uniform("uN"), 0);
    }
    draw();
    t[2] = micro_now();
    draw();
    t[3] = micro_now();
    micro_check("compile");
    return (struct times){t[1] - t[0], t[2] - t[1], t[3] - t[2]};
}

static double latency(struct times t)
{
    return t.link + t.first - t.second;
}

void micro_compile_latency(const char *tag, bool complex_program)
{
    int later = micro.variants - 1;
    double *next = malloc(micro.variants * sizeof *next);

    if (!next)
        micro_die("out of memory");
    micro_quad_bind();
    micro_begin(TARGET_COLOUR_DEPTH);
    gl.Viewport(0, 0, 64, 64);
    if (complex_program)
        micro_texture_create(64, false, GL_LINEAR, GL_LINEAR);
    gl.Finish();
    struct times cold = try_variant(0, complex_program);
    for (int v = 0; v < later; v++)
        next[v] = latency(try_variant(v + 1, complex_program));
    printf("%s,compile-%s,cold_ms,%.2f,compile+link_ms,%.2f,first_draw_ms,%.2f,second_draw_ms,%.3f", tag,
           complex_program ? "complex" : "simple", latency(cold) * 1e3, cold.link * 1e3, cold.first * 1e3,
           cold.second * 1e3);
    if (later > 0) {
        double median = micro_median(next, later);
        printf(",next_variants_med_ms,%.2f,min,%.2f,max,%.2f", median * 1e3, next[0] * 1e3,
               next[later - 1] * 1e3);
    }
    printf("\n");
    free(next);
}
