/* Headless GLES2 raster micro-benchmarks (EGL surfaceless or pbuffer, FBO target).
 *
 * Plain EGL + GLES2 C; the libraries are dlopen()ed so that the same binary can be pointed at Mesa,
 * at ANGLE, or at any other libEGL/libGLESv2 (-DDIRECT_LINK links them instead).
 *
 *   cc -O2 -Wall -o bench bench.c -ldl -lm
 *   aarch64-linux-gnu-gcc -O2 -Wall -o bench.arm64 bench.c -ldl -lm
 *
 *   bench [--egl=libEGL.so.1] [--gles=libGLESv2.so.2] [--size=1280x720] [--only=a,b] [--skip=a,b] [--list]
 *         [--reps=7] [--mintime=0.5] [--frames=N] [--warmup=2] [--es=2|3] [--tag=text] [--header]
 *         [--compile=simple|complex] [--variants=9] [--ppm=prefix] [--quiet=0.1 (0: do not wait for a quiet
 * machine)]
 *
 * One CSV row per workload:
 *   tag,workload,unit,work_per_frame,frames,reps,rate_med,rate_min,rate_max,wall_ms_med,wall_ms_min,
 *   wall_ms_max,user_ms_med,sys_ms_med,checksum,mean_rgba,other_cpus
 * rate = work_per_frame / wall seconds; every frame ends with glFinish; one glReadPixels at the end.
 */
/* The formatter does not agree with itself on the tables below. */
/* clang-format off */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <stdarg.h>
#include <math.h>
#include <time.h>
#include <unistd.h>
#include <sys/resource.h>
#include <dlfcn.h>
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <GLES2/gl2ext.h>

#ifndef EGL_PLATFORM_SURFACELESS_MESA
#define EGL_PLATFORM_SURFACELESS_MESA 0x31DD
#endif
#define A_PLATFORM_ANGLE            0x3202
#define A_PLATFORM_ANGLE_TYPE       0x3203
#define A_PLATFORM_ANGLE_DEVICETYPE 0x3209
#define A_PLATFORM_ANGLE_VULKAN     0x3450
#define A_DEVICE_SWIFTSHADER        0x3487
#define A_NATIVE_PLATFORM_TYPE      0x348F
#define A_VULKAN_HEADLESS           0x34A5
/* ES3 enums used by the msaa4 workloads only */
#define ES3_READ_FRAMEBUFFER 0x8CA8
#define ES3_DRAW_FRAMEBUFFER 0x8CA9
#define ES3_RGBA8            0x8058
#define ES3_MAX_SAMPLES      0x8D57

#define EGLFN(X)                                                                                             \
    X(GetError)                                                                                              \
    X(QueryString)                                                                                           \
    X(GetDisplay)                                                                                            \
    X(Initialize)                                                                                            \
    X(BindAPI)                                                                                               \
    X(ChooseConfig) X(CreateContext) X(CreatePbufferSurface) X(MakeCurrent) X(GetProcAddress)                \
        X(DestroyContext) X(Terminate)
#define GLFN(X)                                                                                              \
    X(ActiveTexture)                                                                                         \
    X(AttachShader)                                                                                          \
    X(BindAttribLocation)                                                                                    \
    X(BindBuffer)                                                                                            \
    X(BindFramebuffer)                                                                                       \
    X(BindRenderbuffer) X(BindTexture) X(BlendFunc) X(BufferData) X(CheckFramebufferStatus) X(Clear)         \
        X(ClearColor) X(CompileShader) X(CreateProgram) X(CreateShader) X(CullFace) X(DeleteProgram)         \
            X(DeleteShader) X(DepthFunc) X(DepthMask) X(Disable) X(DrawArrays) X(DrawElements) X(Enable)     \
                X(EnableVertexAttribArray) X(DisableVertexAttribArray) X(Finish) X(FramebufferRenderbuffer)  \
                    X(FramebufferTexture2D) X(FrontFace) X(GenBuffers) X(GenFramebuffers)                    \
                        X(GenRenderbuffers) X(GenTextures) X(GenerateMipmap) X(GetError) X(GetIntegerv)      \
                            X(GetProgramInfoLog) X(GetProgramiv) X(GetShaderInfoLog) X(GetShaderiv)          \
                                X(GetString) X(GetUniformLocation) X(LinkProgram) X(PixelStorei)             \
                                    X(ReadPixels) X(RenderbufferStorage) X(ShaderSource) X(TexImage2D)       \
                                        X(TexParameteri) X(Uniform1f) X(Uniform1i) X(Uniform2f) X(Uniform4f) \
                                            X(Uniform4fv) X(UniformMatrix4fv) X(UseProgram)                  \
                                                X(VertexAttribPointer) X(Viewport) X(DeleteTextures)         \
                                                    X(DeleteBuffers)

static struct {
#define X(n) __typeof__(egl##n) *n;
    EGLFN(X)
#undef X
} egl;
static struct {
#define X(n) __typeof__(gl##n) *n;
    GLFN(X)
#undef X
} gl;
typedef void (*RbMS)(GLenum, GLsizei, GLenum, GLsizei, GLsizei);
typedef void (*BlitFb)(GLint, GLint, GLint, GLint, GLint, GLint, GLint, GLint, GLbitfield, GLenum);
static RbMS pRenderbufferStorageMultisample;
static BlitFb pBlitFramebuffer;

static int W = 1280, H = 720;
static int esver = 2;
static const char *tag = "run", *ppm;
static void die(const char *f, ...)
{
    va_list ap;
    va_start(ap, f);
    vfprintf(stderr, f, ap);
    va_end(ap);
    fputc('\n', stderr);
    exit(1);
}
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}
static void cpu(double *u, double *s)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    *u = r.ru_utime.tv_sec + r.ru_utime.tv_usec * 1e-6;
    *s = r.ru_stime.tv_sec + r.ru_stime.tv_usec * 1e-6;
}
/* CPU seconds used by everybody on the machine (idle and iowait excluded), so that contention can be seen and
 * avoided */
static double busy_all(void)
{
    FILE *f = fopen("/proc/stat", "r");
    unsigned long long v[8] = {0};
    if (!f)
        return 0;
    if (fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6,
               v + 7) < 8)
        v[0] = 0;
    fclose(f);
    return (v[0] + v[1] + v[2] + v[5] + v[6] + v[7]) / (double)sysconf(_SC_CLK_TCK);
}
static double quiet = 0.1; /* a repetition during which others used more than this many CPUs is thrown away
                              (at most 4 x reps tries) */
static void wait_quiet(void)
{
    for (int i = 0; i < 300; i++) {
        double b0 = busy_all(), t0 = now(), u0, s0, u1, s1;
        struct timespec d = {0, 200000000};
        cpu(&u0, &s0);
        nanosleep(&d, NULL);
        cpu(&u1, &s1);
        if ((busy_all() - b0 - (u1 - u0) - (s1 - s0)) / (now() - t0) < quiet)
            return;
    }
}
static int cmpd(const void *a, const void *b)
{
    double x = *(double *)a, y = *(double *)b;
    return x < y ? -1 : x > y;
}
static double median(double *v, int n)
{
    qsort(v, n, sizeof *v, cmpd);
    return n & 1 ? v[n / 2] : 0.5 * (v[n / 2 - 1] + v[n / 2]);
}

/* ------------------------------------------------------------------ EGL */
static void load(const char *pe, const char *pg)
{
#ifdef DIRECT_LINK
    (void)pe;
    (void)pg;
#define X(n) egl.n = egl##n;
    EGLFN(X)
#undef X
#define X(n) gl.n = gl##n;
    GLFN(X)
#undef X
#else
    void *he = dlopen(pe, RTLD_NOW | RTLD_GLOBAL);
    if (!he)
        die("dlopen %s: %s", pe, dlerror());
    void *hg = dlopen(pg, RTLD_NOW | RTLD_GLOBAL);
    if (!hg)
        die("dlopen %s: %s", pg, dlerror());
#define X(n)                                                                                                 \
    {                                                                                                        \
        *(void **)&egl.n = dlsym(he, "egl" #n);                                                              \
        if (!egl.n)                                                                                          \
            die("no egl" #n);                                                                                \
    }
    EGLFN(X)
#undef X
#define X(n)                                                                                                 \
    {                                                                                                        \
        *(void **)&gl.n = dlsym(hg, "gl" #n);                                                                \
        if (!gl.n)                                                                                           \
            *(void **)&gl.n = (void *)egl.GetProcAddress("gl" #n);                                           \
        if (!gl.n)                                                                                           \
            die("no gl" #n);                                                                                 \
    }
    GLFN(X)
#undef X
#endif
}
static void init_egl(void)
{
    const char *ce = egl.QueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    if (!ce)
        ce = "";
    PFNEGLGETPLATFORMDISPLAYEXTPROC gpd =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)egl.GetProcAddress("eglGetPlatformDisplayEXT");
    EGLDisplay d = EGL_NO_DISPLAY;
    if (gpd && strstr(ce, "EGL_ANGLE_platform_angle") && !getenv("BENCH_NO_ANGLE")) {
        EGLint at[] = {A_PLATFORM_ANGLE_TYPE,
                       A_PLATFORM_ANGLE_VULKAN,
                       A_PLATFORM_ANGLE_DEVICETYPE,
                       A_DEVICE_SWIFTSHADER,
                       A_NATIVE_PLATFORM_TYPE,
                       A_VULKAN_HEADLESS,
                       EGL_NONE};
        if (getenv("BENCH_ANGLE_ANYDEVICE")) {
            at[2] = A_NATIVE_PLATFORM_TYPE;
            at[3] = A_VULKAN_HEADLESS;
            at[4] = EGL_NONE;
        }
        d = gpd(A_PLATFORM_ANGLE, (void *)EGL_DEFAULT_DISPLAY, at);
        if (d == EGL_NO_DISPLAY) {
            fprintf(stderr, "headless ANGLE display refused (0x%x), trying default\n", egl.GetError());
            at[4] = EGL_NONE;
            d = gpd(A_PLATFORM_ANGLE, (void *)EGL_DEFAULT_DISPLAY, at);
        }
    } else if (gpd && strstr(ce, "EGL_MESA_platform_surfaceless"))
        d = gpd(EGL_PLATFORM_SURFACELESS_MESA, (void *)EGL_DEFAULT_DISPLAY, NULL);
    if (d == EGL_NO_DISPLAY)
        d = egl.GetDisplay(EGL_DEFAULT_DISPLAY);
    if (d == EGL_NO_DISPLAY)
        die("no EGL display (0x%x)", egl.GetError());
    EGLint ma, mi;
    if (!egl.Initialize(d, &ma, &mi))
        die("eglInitialize 0x%x", egl.GetError());
    egl.BindAPI(EGL_OPENGL_ES_API);
    const char *ext = egl.QueryString(d, EGL_EXTENSIONS);
    EGLint ca[] = {EGL_SURFACE_TYPE,
                   EGL_PBUFFER_BIT,
                   EGL_RENDERABLE_TYPE,
                   EGL_OPENGL_ES2_BIT,
                   EGL_RED_SIZE,
                   8,
                   EGL_GREEN_SIZE,
                   8,
                   EGL_BLUE_SIZE,
                   8,
                   EGL_NONE};
    EGLConfig cfg;
    EGLint n = 0;
    if (!egl.ChooseConfig(d, ca, &cfg, 1, &n) || !n)
        die("no EGL config 0x%x", egl.GetError());
    EGLint xa[] = {EGL_CONTEXT_CLIENT_VERSION, esver, EGL_NONE};
    EGLContext c = egl.CreateContext(d, cfg, EGL_NO_CONTEXT, xa);
    if (c == EGL_NO_CONTEXT)
        die("no ES%d context 0x%x", esver, egl.GetError());
    EGLSurface s = EGL_NO_SURFACE;
    if (!ext || !strstr(ext, "EGL_KHR_surfaceless_context")) {
        EGLint pa[] = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
        s = egl.CreatePbufferSurface(d, cfg, pa);
    }
    if (!egl.MakeCurrent(d, s, s, c))
        die("eglMakeCurrent 0x%x", egl.GetError());
    pRenderbufferStorageMultisample = (RbMS)egl.GetProcAddress("glRenderbufferStorageMultisample");
    pBlitFramebuffer = (BlitFb)egl.GetProcAddress("glBlitFramebuffer");
    fprintf(stderr, "EGL %d.%d %s | %s | %s | %s\n", ma, mi, egl.QueryString(d, EGL_VENDOR),
            gl.GetString(GL_VENDOR), gl.GetString(GL_RENDERER), gl.GetString(GL_VERSION));
}

/* ------------------------------------------------------------------ helpers */
static GLuint fbo, fbo_nz, fbo_ms, tex_color, rb_depth;
static void check(const char *w)
{
    GLenum e = gl.GetError();
    if (e)
        die("GL error 0x%x at %s", e, w);
}
static GLuint shader(GLenum t, const char *src)
{
    GLuint s = gl.CreateShader(t);
    gl.ShaderSource(s, 1, &src, NULL);
    gl.CompileShader(s);
    GLint ok;
    gl.GetShaderiv(s, GL_COMPILE_STATUS, &ok);
    if (!ok) {
        char b[4096];
        gl.GetShaderInfoLog(s, sizeof b, NULL, b);
        die("shader: %s\n%s", b, src);
    }
    return s;
}
static GLuint program(const char *vs, const char *fs)
{
    GLuint p = gl.CreateProgram(), a = shader(GL_VERTEX_SHADER, vs), b = shader(GL_FRAGMENT_SHADER, fs);
    gl.AttachShader(p, a);
    gl.AttachShader(p, b);
    gl.BindAttribLocation(p, 0, "aPos");
    gl.BindAttribLocation(p, 1, "aCol");
    gl.LinkProgram(p);
    GLint ok;
    gl.GetProgramiv(p, GL_LINK_STATUS, &ok);
    if (!ok) {
        char l[4096];
        gl.GetProgramInfoLog(p, sizeof l, NULL, l);
        die("link: %s", l);
    }
    gl.DeleteShader(a);
    gl.DeleteShader(b);
    return p;
}
#define U(n) gl.GetUniformLocation(prog, n)
static GLuint prog;
static GLint u0, u1;
static GLuint vbo[16], ibo[16];
static int nidx[16], nchunk;
static GLuint quad;
static void make_fbos(void)
{
    gl.GenTextures(1, &tex_color);
    gl.BindTexture(GL_TEXTURE_2D, tex_color);
    gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, W, H, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    gl.GenRenderbuffers(1, &rb_depth);
    gl.BindRenderbuffer(GL_RENDERBUFFER, rb_depth);
    gl.RenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT16, W, H);
    gl.GenFramebuffers(1, &fbo_nz);
    gl.BindFramebuffer(GL_FRAMEBUFFER, fbo_nz);
    gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, tex_color, 0);
    gl.GenFramebuffers(1, &fbo);
    gl.BindFramebuffer(GL_FRAMEBUFFER, fbo);
    gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, tex_color, 0);
    gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, rb_depth);
    if (gl.CheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        die("FBO incomplete");
    static const float q[8] = {-1, -1, 1, -1, -1, 1, 1, 1};
    gl.GenBuffers(1, &quad);
    gl.BindBuffer(GL_ARRAY_BUFFER, quad);
    gl.BufferData(GL_ARRAY_BUFFER, sizeof q, q, GL_STATIC_DRAW);
    gl.BindTexture(GL_TEXTURE_2D, 0);
    check("fbo");
}
static int make_ms(void)
{
    if (fbo_ms)
        return 1;
    if (esver < 3 || !pRenderbufferStorageMultisample || !pBlitFramebuffer)
        return 0;
    GLint mx = 0;
    gl.GetIntegerv(ES3_MAX_SAMPLES, &mx);
    if (mx < 4) {
        fprintf(stderr, "max samples %d\n", mx);
        return 0;
    }
    GLuint rc, rd;
    gl.GenRenderbuffers(1, &rc);
    gl.BindRenderbuffer(GL_RENDERBUFFER, rc);
    pRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, ES3_RGBA8, W, H);
    gl.GenRenderbuffers(1, &rd);
    gl.BindRenderbuffer(GL_RENDERBUFFER, rd);
    pRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_DEPTH_COMPONENT16, W, H);
    gl.GenFramebuffers(1, &fbo_ms);
    gl.BindFramebuffer(GL_FRAMEBUFFER, fbo_ms);
    gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, rc);
    gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, rd);
    int ok = gl.CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    check("msaa fbo");
    return ok;
}
static void resolve(void)
{
    gl.BindFramebuffer(ES3_READ_FRAMEBUFFER, fbo_ms);
    gl.BindFramebuffer(ES3_DRAW_FRAMEBUFFER, fbo_nz);
    pBlitFramebuffer(0, 0, W, H, 0, 0, W, H, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    gl.BindFramebuffer(GL_FRAMEBUFFER, fbo_ms);
}
static GLuint make_tex(int n, int mip, GLenum minf, GLenum magf)
{
    uint8_t *p = malloc(n * n * 4);
    uint32_t s = 12345;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            s = s * 1664525u + 1013904223u;
            uint8_t *t = p + 4 * (y * n + x);
            int c = ((x >> 4) ^ (y >> 4)) & 1;
            t[0] = (c ? 200 : 40) + (s >> 27);
            t[1] = x * 255 / n;
            t[2] = y * 255 / n;
            t[3] = 128 + (s >> 26);
        }
    GLuint t;
    gl.GenTextures(1, &t);
    gl.BindTexture(GL_TEXTURE_2D, t);
    gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, n, n, 0, GL_RGBA, GL_UNSIGNED_BYTE, p);
    free(p);
    if (mip)
        gl.GenerateMipmap(GL_TEXTURE_2D);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, minf);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, magf);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_REPEAT);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_REPEAT);
    return t;
}
/* regular grid over [-1,1]^2 split in row bands so that 16-bit indices suffice; 5 floats/vertex: xyz + uv */
static void make_grid(int gx, int gy, int cw)
{
    for (int i = 0; i < nchunk; i++) {
        gl.DeleteBuffers(1, &vbo[i]);
        gl.DeleteBuffers(1, &ibo[i]);
    }
    nchunk = 0;
    int rows = 65535 / (gx + 1) - 1;
    for (int y0 = 0; y0 < gy; y0 += rows) {
        int r = gy - y0 < rows ? gy - y0 : rows, nv = (gx + 1) * (r + 1), ni = gx * r * 6;
        float *v = malloc(nv * 5 * sizeof *v), *o = v;
        uint16_t *ix = malloc(ni * 2), *q = ix;
        for (int y = 0; y <= r; y++)
            for (int x = 0; x <= gx; x++) {
                uint32_t h = (uint32_t)(x * 73856093u) ^ (uint32_t)((y + y0) * 19349663u);
                h ^= h >> 13;
                h *= 0x5bd1e995u;
                h ^= h >> 15;
                *o++ = -1 + 2.f * x / gx;
                *o++ = -1 + 2.f * (y + y0) / gy;
                *o++ = (h & 255) / 256.f - .5f;
                *o++ = (float)x / gx;
                *o++ = (float)(y + y0) / gy;
            }
        for (int y = 0; y < r; y++)
            for (int x = 0; x < gx; x++) {
                int a = y * (gx + 1) + x, b = a + 1, c = a + gx + 1, d = c + 1;
                if (cw) {
                    *q++ = a;
                    *q++ = c;
                    *q++ = b;
                    *q++ = b;
                    *q++ = c;
                    *q++ = d;
                } else {
                    *q++ = a;
                    *q++ = b;
                    *q++ = c;
                    *q++ = b;
                    *q++ = d;
                    *q++ = c;
                }
            }
        gl.GenBuffers(1, &vbo[nchunk]);
        gl.BindBuffer(GL_ARRAY_BUFFER, vbo[nchunk]);
        gl.BufferData(GL_ARRAY_BUFFER, nv * 20, v, GL_STATIC_DRAW);
        gl.GenBuffers(1, &ibo[nchunk]);
        gl.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, ibo[nchunk]);
        gl.BufferData(GL_ELEMENT_ARRAY_BUFFER, ni * 2, ix, GL_STATIC_DRAW);
        nidx[nchunk++] = ni;
        free(v);
        free(ix);
    }
}
static void draw_grid(void)
{
    for (int i = 0; i < nchunk; i++) {
        gl.BindBuffer(GL_ARRAY_BUFFER, vbo[i]);
        gl.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, ibo[i]);
        gl.VertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 20, (void *)0);
        gl.VertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, 20, (void *)12);
        gl.DrawElements(GL_TRIANGLES, nidx[i], GL_UNSIGNED_SHORT, (void *)0);
    }
}
static void bind_quad(void)
{
    gl.BindBuffer(GL_ARRAY_BUFFER, quad);
    gl.VertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 8, (void *)0);
    gl.EnableVertexAttribArray(0);
    gl.DisableVertexAttribArray(1);
}

/* ------------------------------------------------------------------ shaders */
#define HP "precision highp float;\n"
#define MP "precision mediump float;\n"
static const char *VS_QUAD =
    "attribute vec4 aPos; uniform float uZ; uniform vec4 uXf; varying highp vec2 vUV;\n"
    "void main(){ gl_Position = vec4(aPos.xy, uZ, 1.0); vec2 p = aPos.xy; vUV = vec2(uXf.x*p.x - uXf.y*p.y, "
    "uXf.y*p.x + uXf.x*p.y*0.5625) + uXf.zw; }";
static const char *VS_GRID =
    "attribute vec4 aPos; attribute vec2 aCol; uniform vec4 uXf; varying highp vec2 vUV;\n"
    "void main(){ gl_Position = vec4(aPos.xy*uXf.x + uXf.zw, aPos.z*uXf.y, 1.0); vUV = aCol; }";
static const char *FS_FLAT = MP "uniform vec4 uC; void main(){ gl_FragColor = uC; }";
static const char *FS_UV = MP "varying highp vec2 vUV; void main(){ gl_FragColor = vec4(vUV, 0.5, 1.0); }";
static const char *FS_TEX =
    HP "varying highp vec2 vUV; uniform sampler2D uT; void main(){ gl_FragColor = texture2D(uT, vUV); }";
static const char *FS_TEXMP = MP "varying vec2 vUV; uniform sampler2D uT; uniform vec4 uC; void main(){ "
                                 "gl_FragColor = texture2D(uT, vUV) * uC; }";
static const char *FS_TEXCOL = HP "varying highp vec2 vUV; uniform sampler2D uT; uniform vec4 uC; void "
                                  "main(){ gl_FragColor = texture2D(uT, vUV * 6.0) * uC; }";
static char *fs_alu(const char *prec)
{
    static char b[8192];
    char *o = b;
    o += sprintf(o,
                 "%svarying highp vec2 vUV; uniform vec4 uA, uB;\nvoid main(){ vec4 a = vec4(vUV, vUV.yx), d "
                 "= vec4(vUV.yx, 1.0, 0.0);\n",
                 prec);
    for (int i = 0; i < 25; i++)
        o += sprintf(o, "a = a*uA + d; d = d*uB + uA;\n"); /* 50 vec4 MADs = 200 scalar MADs */
    sprintf(o, "gl_FragColor = fract(a*0.25) + d*0.001; }");
    return b;
}
static const char *FS_TRANS =
    HP "varying highp vec2 vUV; void main(){ float x = vUV.x*3.0 + 1.1, y = abs(vUV.y)*2.0 + 0.1, s = 0.0;\n"
#define R4                                                                                                   \
    "s += sin(x*1.7+s); x = 0.6 + 0.5*cos(x+s); y = exp(-x*y) + 0.1; s += 0.1*log(y+x); y = pow(y+0.2, "     \
    "0.4+x*0.5);\n"
    R4 R4 R4 R4 "gl_FragColor = vec4(fract(s), x*0.5, y*0.5, 1.0); }";
static const char *FS_MANDEL = HP "varying highp vec2 vUV; void main(){ vec2 c = vUV, z = c; float n = 0.0;\n"
                                  "for (int i = 0; i < 64; i++) { float xx = z.x*z.x, yy = z.y*z.y; if (xx + "
                                  "yy > 4.0) break; z = vec2(xx - yy, 2.0*z.x*z.y) + c; n += 1.0; }\n"
                                  "gl_FragColor = vec4(n/64.0, z*0.1 + 0.5, 1.0); }";
static char *vs_heavy(void)
{
    static char b[8192];
    char *o = b;
    o += sprintf(o, "attribute vec4 aPos; attribute vec2 aCol; uniform vec4 uA, uB; uniform mat4 uM; varying "
                    "highp vec2 vUV;\n"
                    "void main(){ vec4 a = aPos, d = vec4(aCol, aPos.xy);\n");
    for (int i = 0; i < 28; i++)
        o += sprintf(
            o, "a = a*uA + d; d = d*uB + uA;\n"); /* 56 vec4 MADs + mat4*vec4 (4) = 60 vec4 instructions */
    sprintf(
        o, "vec4 p = uM*a; gl_Position = vec4(p.xyz*1.0e-4 + vec3(0.3137, 0.2711, 0.0), 1.0); vUV = d.xy; }");
    return b;
}

/* ------------------------------------------------------------------ workloads */
struct wl {
    const char *name, *unit;
    double work;
    int (*setup)(struct wl *);
    void (*frame)(struct wl *);
    int a;
    double b;
};
static int LAYERS = 20;
static GLuint tex;
static void begin(GLuint f)
{
    gl.BindFramebuffer(GL_FRAMEBUFFER, f);
    gl.Viewport(0, 0, W, H);
    gl.ClearColor(0.1f, 0.2f, 0.3f, 1);
    gl.Clear(GL_COLOR_BUFFER_BIT | (f == fbo_nz ? 0 : GL_DEPTH_BUFFER_BIT));
}
/* clear + one 8x8-pixel quad (ANGLE defers a clear with no draw behind it for ever) */
static int s_clear(struct wl *w)
{
    prog = program(VS_GRID, FS_FLAT);
    gl.UseProgram(prog);
    bind_quad();
    gl.Uniform4f(U("uXf"), .006f, 0, 0, 0);
    gl.Uniform4f(U("uC"), 1, 0, 0, 1);
    w->work = (double)W * H;
    return 1;
}
static void f_clear(struct wl *w)
{
    begin(fbo);
    gl.DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

/* flat: a: 0 plain, 1 blend, 2 no depth attachment, 3 msaa */
static int s_flat(struct wl *w)
{
    if (w->a == 3 && !make_ms())
        return 0;
    prog = program(VS_QUAD, FS_FLAT);
    gl.UseProgram(prog);
    u0 = U("uC");
    bind_quad();
    gl.Uniform4f(U("uXf"), 1, 0, 0, 0);
    gl.Uniform1f(U("uZ"), 0);
    if (w->a == 1) {
        gl.Enable(GL_BLEND);
        gl.BlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    }
    w->work = (double)W * H * LAYERS;
    return 1;
}
static void f_flat(struct wl *w)
{
    begin(w->a == 2 ? fbo_nz : w->a == 3 ? fbo_ms : fbo);
    for (int i = 0; i < LAYERS; i++) {
        gl.Uniform4f(u0, i / 20.f, 1 - i / 20.f, (i & 3) / 3.f, 0.3f);
        gl.DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
    if (w->a == 3)
        resolve();
}
/* textured: a: 0 nearest 1 bilinear 2 trilinear 3 bilinear mediump modulate 4 bilinear+blend */
static int s_tex(struct wl *w)
{
    prog = program(VS_QUAD, w->a == 3 ? FS_TEXMP : FS_TEX);
    gl.UseProgram(prog);
    u0 = U("uXf");
    bind_quad();
    gl.Uniform1f(U("uZ"), 0);
    if (w->a == 3)
        gl.Uniform4f(U("uC"), .9f, .8f, .7f, 1);
    tex = make_tex(512, w->a == 2,
                   w->a == 0   ? GL_NEAREST
                   : w->a == 2 ? GL_LINEAR_MIPMAP_LINEAR
                               : GL_LINEAR,
                   w->a == 0 ? GL_NEAREST : GL_LINEAR);
    if (w->a == 4) {
        gl.Enable(GL_BLEND);
        gl.BlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    }
    w->work = (double)W * H * LAYERS;
    return 1;
}
static void f_tex(struct wl *w)
{
    begin(fbo);
    /* ~1 texel/pixel (2.7 for the minified case), rotated 11 degrees so that no axis-aligned blit path
     * applies */
    float sc = (w->a == 2 ? 2.7f : 1.0f) * W / 2 / 512.f, c = cosf(0.192f) * sc, s = sinf(0.192f) * sc;
    for (int i = 0; i < LAYERS; i++) {
        gl.Uniform4f(u0, c, s, i * 0.137f, i * 0.071f);
        gl.DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
}
/* full-screen shaders: a: 0 alu highp 1 alu mediump 2 transcendental 3 mandelbrot */
static int s_fs(struct wl *w)
{
    prog = program(VS_QUAD, w->a == 0   ? fs_alu(HP)
                            : w->a == 1 ? fs_alu(MP)
                            : w->a == 2 ? FS_TRANS
                                        : FS_MANDEL);
    gl.UseProgram(prog);
    bind_quad();
    gl.Uniform1f(U("uZ"), 0);
    gl.Uniform4f(U("uXf"), w->a == 3 ? 1.6f : 1.f, 0, w->a == 3 ? -0.5f : 0.f, 0);
    gl.Uniform4f(U("uA"), .91f, .82f, .73f, .64f);
    gl.Uniform4f(U("uB"), .3f, -.4f, .5f, -.6f);
    gl.GetError();
    w->work = (double)W * H;
    w->b = 0;
    if (w->a == 3)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                float cx = 1.6f * ((x + .5f) / W * 2 - 1) - .5f, cy = 1.6f * .5625f * ((y + .5f) / H * 2 - 1),
                      zx = cx, zy = cy;
                int i;
                for (i = 0; i < 64; i++) {
                    float xx = zx * zx, yy = zy * zy;
                    if (xx + yy > 4)
                        break;
                    zy = 2 * zx * zy + cy;
                    zx = xx - yy + cx;
                }
                w->b += i;
            }
    return 1;
}
static void f_fs(struct wl *w)
{
    begin(fbo);
    gl.DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}
static int s_depth(struct wl *w)
{
    prog = program(VS_QUAD, FS_FLAT);
    gl.UseProgram(prog);
    u0 = U("uC");
    u1 = U("uZ");
    bind_quad();
    gl.Uniform4f(U("uXf"), 1, 0, 0, 0);
    gl.Enable(GL_DEPTH_TEST);
    gl.DepthFunc(GL_LESS);
    w->work = (double)W * H * 50;
    return 1;
}
static void f_depth(struct wl *w)
{
    begin(fbo);
    for (int i = 0; i < 50; i++) {
        gl.Uniform1f(u1, (w->a ? 49 - i : i) * .036f - .9f);
        gl.Uniform4f(u0, i / 50.f, 1 - i / 50.f, .5f, 1);
        gl.DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
}
/* triangle grids: a: 0 small 1 culled 2 small msaa 3 medium textured+depth 4 small+depth */
static int s_tri(struct wl *w)
{
    if (w->a == 2 && !make_ms())
        return 0;
    prog = program(VS_GRID, w->a == 3 ? FS_TEXCOL : FS_UV);
    gl.UseProgram(prog);
    gl.EnableVertexAttribArray(0);
    gl.EnableVertexAttribArray(1);
    u0 = U("uXf");
    gl.Uniform4f(u0, 1, .9f, 0, 0);
    if (w->a == 1) {
        make_grid(500, 500, 1);
        gl.Enable(GL_CULL_FACE);
        gl.CullFace(GL_BACK);
        gl.FrontFace(GL_CCW);
        w->work = 500000;
    } else if (w->a == 3) {
        make_grid(128, 72, 0);
        tex = make_tex(512, 0, GL_LINEAR, GL_LINEAR);
        gl.Uniform4f(U("uC"), 1, .9f, .8f, 1);
        gl.Enable(GL_DEPTH_TEST);
        gl.DepthFunc(GL_LEQUAL);
        w->work = 128 * 72 * 2 * 4;
        w->b = (double)W * H * 4;
    } else {
        make_grid(400, 250, 0);
        w->work = 200000;
        if (w->a == 4) {
            gl.Enable(GL_DEPTH_TEST);
            gl.DepthFunc(GL_LESS);
        }
    }
    return 1;
}
static void f_tri(struct wl *w)
{
    begin(w->a == 2 ? fbo_ms : fbo);
    if (w->a == 3)
        for (int i = 0; i < 4; i++) {
            gl.Uniform4f(u0, 1, .9f, i * .001f, 0);
            draw_grid();
        }
    else
        draw_grid();
    if (w->a == 2)
        resolve();
}
static int s_vert(struct wl *w)
{
    int n = 200001;
    float *v = malloc(n * 20);
    uint32_t s = 1;
    for (int i = 0; i < n * 5; i++) {
        s = s * 1664525u + 1013904223u;
        v[i] = (s >> 8) / 16777216.f * 2 - 1;
    }
    gl.GenBuffers(1, &vbo[15]);
    gl.BindBuffer(GL_ARRAY_BUFFER, vbo[15]);
    gl.BufferData(GL_ARRAY_BUFFER, n * 20, v, GL_STATIC_DRAW);
    free(v);
    prog = program(vs_heavy(), FS_UV);
    gl.UseProgram(prog);
    gl.EnableVertexAttribArray(0);
    gl.EnableVertexAttribArray(1);
    gl.VertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 20, (void *)0);
    gl.VertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, 20, (void *)12);
    gl.Uniform4f(U("uA"), .91f, .82f, .73f, .64f);
    gl.Uniform4f(U("uB"), .3f, -.4f, .5f, -.6f);
    static const float m[16] = {1, .1f, .2f, 0, .3f, 1, .1f, 0, .2f, .1f, 1, 0, 0, 0, 0, 1};
    gl.UniformMatrix4fv(U("uM"), 1, GL_FALSE, m);
    w->work = n;
    return 1;
}
static void f_vert(struct wl *w)
{
    begin(fbo);
    gl.DrawArrays(GL_TRIANGLES, 0, 200001);
}
static int s_draws(struct wl *w)
{
    prog = program(VS_GRID, FS_FLAT);
    gl.UseProgram(prog);
    u0 = U("uXf");
    u1 = U("uC");
    bind_quad();
    w->work = 2000;
    return 1;
}
static void f_draws(struct wl *w)
{
    begin(fbo);
    for (int i = 0; i < 2000; i++) {
        int x = i % 50, y = i / 50;
        gl.Uniform4f(u0, .006f, 0, x / 25.f - .98f, y / 20.f - .97f);
        gl.Uniform4f(u1, x / 50.f, y / 40.f, .5f, 1);
        gl.DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
}
static struct wl list[] = {
    {"clear-only", "Mpix", 0, s_clear, f_clear, 0},
    {"fill-flat", "Mpix", 0, s_flat, f_flat, 0},
    {"fill-flat-nozs", "Mpix", 0, s_flat, f_flat, 2},
    {"fill-blend", "Mpix", 0, s_flat, f_flat, 1},
    {"fill-tex-nearest", "Mpix", 0, s_tex, f_tex, 0},
    {"fill-tex-bilinear", "Mpix", 0, s_tex, f_tex, 1},
    {"fill-tex-bilinear-mp", "Mpix", 0, s_tex, f_tex, 3},
    {"fill-tex-bilin-blend", "Mpix", 0, s_tex, f_tex, 4},
    {"fill-tex-trilinear", "Mpix", 0, s_tex, f_tex, 2},
    {"shader-alu", "Mpix", 0, s_fs, f_fs, 0},
    {"shader-alu-mp", "Mpix", 0, s_fs, f_fs, 1},
    {"shader-transcend", "Mpix", 0, s_fs, f_fs, 2},
    {"shader-branch", "Mpix", 0, s_fs, f_fs, 3},
    {"depth-overdraw", "Mpix", 0, s_depth, f_depth, 0},
    {"depth-back2front", "Mpix", 0, s_depth, f_depth, 1},
    {"tri-small", "Mtri", 0, s_tri, f_tri, 0},
    {"tri-small-depth", "Mtri", 0, s_tri, f_tri, 4},
    {"tri-medium-tex", "Mtri", 0, s_tri, f_tri, 3},
    {"tri-cull", "Mtri", 0, s_tri, f_tri, 1},
    {"vertex-heavy", "Mvert", 0, s_vert, f_vert, 0},
    {"draws", "Mdraw", 0, s_draws, f_draws, 0},
    {"msaa4-fill", "Mpix", 0, s_flat, f_flat, 3},
    {"msaa4-tri-small", "Mtri", 0, s_tri, f_tri, 2},
};
#define NWL ((int)(sizeof list / sizeof *list))
static void reset_state(void)
{
    gl.Disable(GL_BLEND);
    gl.Disable(GL_DEPTH_TEST);
    gl.Disable(GL_CULL_FACE);
    gl.DepthMask(GL_TRUE);
    gl.DisableVertexAttribArray(1);
    gl.BindTexture(GL_TEXTURE_2D, 0);
}
static int selected(const char *only, const char *n)
{
    if (!only)
        return 1;
    size_t l = strlen(n);
    for (const char *p = only; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (!strncmp(p, n, l) && (p[l] == 0 || p[l] == ','))
            return 1;
    return 0;
}

/* ------------------------------------------------------------------ compile latency */
static void compile_latency(const char *kind, int variants)
{
    static char vs[4096], fs[16384];
    int cx = !strcmp(kind, "complex");
    double cold = 0, parts[3] = {0}, *t = malloc(variants * sizeof *t);
    bind_quad();
    gl.BindFramebuffer(GL_FRAMEBUFFER, fbo);
    gl.Viewport(0, 0, 64, 64);
    gl.Clear(GL_COLOR_BUFFER_BIT);
    gl.Finish();
    if (cx) {
        tex = make_tex(64, 0, GL_LINEAR, GL_LINEAR);
        gl.Finish();
    }
    for (int v = 0; v < variants; v++) {
        sprintf(vs,
                "attribute vec4 aPos; uniform vec4 uXf; varying highp vec2 vUV; void main(){ gl_Position = "
                "aPos; vUV = aPos.xy * 1.%03d + uXf.xy; }",
                v + 1);
        if (!cx)
            sprintf(
                fs,
                HP
                "varying highp vec2 vUV; uniform vec4 uC; void main(){ gl_FragColor = uC * vUV.x + 0.%03d; }",
                v + 1);
        else {
            char *o = fs;
            o += sprintf(
                o,
                HP "varying highp vec2 vUV; uniform sampler2D uT, uN; uniform vec4 uL[8], uK[8]; uniform "
                   "vec4 uC;\n"
                   "float h(vec2 p){ return fract(sin(dot(p, vec2(12.9898, 78.%03d))) * 43758.5453); }\n"
                   "float ns(vec2 p){ vec2 i = floor(p), f = fract(p); f = f*f*(3.0-2.0*f); return "
                   "mix(mix(h(i), h(i+vec2(1,0)), f.x), mix(h(i+vec2(0,1)), h(i+vec2(1,1)), f.x), f.y); }\n"
                   "void main(){ vec2 uv = vUV*3.0; float ht = texture2D(uN, uv).a; uv += "
                   "ht*0.03*normalize(vec3(vUV,1.0)).xy;\n"
                   "vec3 n = normalize(texture2D(uN, uv).xyz*2.0-1.0 + 0.1*ns(uv*9.0)); vec3 alb = "
                   "texture2D(uT, uv).rgb; vec3 P = vec3(vUV, ht); vec3 V = normalize(vec3(0,0,2)-P); vec3 "
                   "acc = vec3(0.03)*alb;\n",
                100 + v);
            for (int i = 0; i < 8; i++)
                o += sprintf(
                    o,
                    "{ vec3 L = uL[%d].xyz-P; float d2 = dot(L,L); L *= inversesqrt(d2); vec3 Hh = "
                    "normalize(L+V); float nl = max(dot(n,L),0.0); float sp = pow(max(dot(n,Hh),0.0), "
                    "uK[%d].w); acc += (alb*nl + sp*uL[%d].w)*uK[%d].rgb/(1.0+d2); }\n",
                    i, i, i, i);
            o += sprintf(o, "for (int i = 0; i < 5; i++) { if (float(i) > ht*6.0) break; acc += "
                            "0.02*ns(uv*exp2(float(i)))*texture2D(uT, uv*0.5).rgb; }\n"
                            "float fog = exp(-dot(P,P)*0.3); acc = mix(uC.rgb, acc, fog); acc = "
                            "acc/(acc+1.0); gl_FragColor = vec4(pow(acc, vec3(0.4545)), 1.0); }");
            (void)o;
        }
        double t0 = now();
        GLuint p = program(vs, fs);
        double t1 = now();
        gl.UseProgram(p);
        prog = p;
        gl.Uniform4f(U("uC"), .5f, .4f, .3f, 1);
        if (cx) {
            gl.Uniform1i(U("uT"), 0);
            gl.Uniform1i(U("uN"), 0);
        }
        gl.DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
        gl.Finish();
        double t2 = now();
        gl.DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
        gl.Finish();
        double t3 = now();
        double lat = (t2 - t0) - (t3 - t2);
        if (v == 0) {
            cold = lat;
            parts[0] = t1 - t0;
            parts[1] = t2 - t1;
            parts[2] = t3 - t2;
        } else
            t[v - 1] = lat;
        check("compile");
    }
    double u, s;
    cpu(&u, &s);
    printf("%s,compile-%s,cold_ms,%.2f,compile+link_ms,%.2f,first_draw_ms,%.2f,second_draw_ms,%.3f", tag,
           kind, cold * 1e3, parts[0] * 1e3, parts[1] * 1e3, parts[2] * 1e3);
    if (variants > 1) {
        double m = median(t, variants - 1);
        printf(",next_variants_med_ms,%.2f,min,%.2f,max,%.2f", m * 1e3, t[0] * 1e3, t[variants - 2] * 1e3);
    }
    printf("\n");
}

int main(int ac, char **av)
{
    const char *pe = "libEGL.so.1", *pg = "libGLESv2.so.2", *only = NULL, *skip = NULL, *comp = NULL;
    int reps = 7, frames = 0, warm = 2, header = 0, variants = 9;
    double mint = 0.5;
    for (int i = 1; i < ac; i++) {
        char *a = av[i], *v = strchr(a, '=');
        v = v ? v + 1 : "";
#define O(s) (!strncmp(a, s, strlen(s)))
        if (O("--egl="))
            pe = v;
        else if (O("--gles="))
            pg = v;
        else if (O("--size="))
            sscanf(v, "%dx%d", &W, &H);
        else if (O("--only="))
            only = v;
        else if (O("--skip="))
            skip = v;
        else if (O("--reps="))
            reps = atoi(v);
        else if (O("--mintime="))
            mint = atof(v);
        else if (O("--frames="))
            frames = atoi(v);
        else if (O("--warmup="))
            warm = atoi(v);
        else if (O("--es="))
            esver = atoi(v);
        else if (O("--tag="))
            tag = v;
        else if (O("--header"))
            header = 1;
        else if (O("--compile="))
            comp = v;
        else if (O("--variants="))
            variants = atoi(v);
        else if (O("--ppm="))
            ppm = v;
        else if (O("--quiet="))
            quiet = atof(v);
        else if (O("--list")) {
            for (int k = 0; k < NWL; k++)
                puts(list[k].name);
            return 0;
        } else
            die("unknown option %s", a);
    }
    load(pe, pg);
    init_egl();
    make_fbos();
    if (comp) {
        compile_latency(comp, variants);
        return 0;
    }
    if (header)
        puts("tag,workload,unit,work_per_frame,frames,reps,rate_med,rate_min,rate_max,wall_ms_med,wall_ms_"
             "min,wall_ms_max,user_ms_med,sys_ms_med,checksum,mean_rgba,other_cpus");
    for (int k = 0; k < NWL; k++) {
        struct wl *w = &list[k];
        if (!selected(only, w->name) || (skip && selected(skip, w->name)))
            continue;
        reset_state();
        if (!w->setup(w)) {
            printf("%s,%s,unsupported\n", tag, w->name);
            fflush(stdout);
            continue;
        }
        check(w->name);
        w->frame(w);
        gl.Finish();
        check(w->name);
        for (int i = 1; i < warm; i++) {
            w->frame(w);
            gl.Finish();
        }
        int n = frames;
        if (!n) {
            double t0 = now();
            w->frame(w);
            gl.Finish();
            double t = now() - t0;
            n = (int)ceil(mint / (t > 1e-6 ? t : 1e-6));
            if (n < 1)
                n = 1;
        }
        double wm[64], um[64], sm[64], om[64];
        if (reps > 64)
            reps = 64;
        int tries = 0;
        for (int r = 0; r < reps; r++) {
            if (quiet > 0 && tries < 4 * reps)
                wait_quiet();
            double u0_, s0_, u1_, s1_, b0 = busy_all(), t0 = now();
            cpu(&u0_, &s0_);
            for (int i = 0; i < n; i++) {
                w->frame(w);
                gl.Finish();
            }
            double t1 = now();
            cpu(&u1_, &s1_);
            wm[r] = (t1 - t0) / n;
            um[r] = (u1_ - u0_) / n;
            sm[r] = (s1_ - s0_) / n;
            om[r] = (busy_all() - b0 - (u1_ - u0_) - (s1_ - s0_)) / (t1 - t0);
            if (quiet > 0 && om[r] > quiet && tries++ < 4 * reps)
                r--;
        }
        check(w->name);
        uint8_t *px = malloc((size_t)W * H * 4);
        gl.BindFramebuffer(GL_FRAMEBUFFER, fbo_nz);
        gl.PixelStorei(GL_PACK_ALIGNMENT, 1);
        gl.ReadPixels(0, 0, W, H, GL_RGBA, GL_UNSIGNED_BYTE, px);
        uint32_t h = 2166136261u;
        double mean[4] = {0};
        for (size_t i = 0; i < (size_t)W * H * 4; i++) {
            h = (h ^ px[i]) * 16777619u;
            mean[i & 3] += px[i];
        }
        if (ppm) {
            char fn[512];
            snprintf(fn, sizeof fn, "%s%s.ppm", ppm, w->name);
            FILE *f = fopen(fn, "wb");
            if (f) {
                fprintf(f, "P6\n%d %d\n255\n", W, H);
                for (int i = 0; i < W * H; i++)
                    fwrite(px + 4 * i, 1, 3, f);
                fclose(f);
            }
        }
        free(px);
        double mo = median(om, reps), med = median(wm, reps), mu = median(um, reps), ms = median(sm, reps);
        printf("%s,%s,%s/s,%.0f,%d,%d,%.4g,%.4g,%.4g,%.4f,%.4f,%.4f,%.4f,%.4f,%08x,%.2f/%.2f/%.2f/%.2f,%.2f",
               tag, w->name, w->unit, w->work, n, reps, w->work / med / 1e6, w->work / wm[reps - 1] / 1e6,
               w->work / wm[0] / 1e6, med * 1e3, wm[0] * 1e3, wm[reps - 1] * 1e3, mu * 1e3, ms * 1e3, h,
               mean[0] / W / H, mean[1] / W / H, mean[2] / W / H, mean[3] / W / H, mo);
        if (w->b)
            printf(",aux=%.0f", w->b);
        printf("\n");
        fflush(stdout);
        gl.UseProgram(0);
        if (prog)
            gl.DeleteProgram(prog);
        prog = 0;
        if (tex)
            gl.DeleteTextures(1, &tex);
        tex = 0;
    }
    return 0;
}
