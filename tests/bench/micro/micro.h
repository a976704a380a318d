/* Headless GLES2 micro-benchmarks, drawn into an off-screen target: what the files share.
 *
 * One thread, one context, one program and at most one texture at a time; everything lives until the process
 * ends unless said otherwise. What fails ends the process with a line on standard error and status 1.
 */
#pragma once
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <GLES2/gl2ext.h>
#include <stdbool.h>
#include <stdint.h>

struct micro_options {
    int width, height; /* pixels of the target */
    int es_version;    /* of the context: 2 or 3; 3 for multisampling and compute */
    int layers;        /* full-screen quads a frame; 0: the workload's own number, 20 or 50 */
    int triangles;     /* of a mesh; 0: the workload's own number */
    int draws;         /* of the workload of many draws */
    int texture;       /* texels along a texture's side */
    int variants;      /* different programs, where a workload draws with many */
    bool halves;       /* the target's colours are RGBA16F */
};
extern struct micro_options micro;

struct workload {
    const char *name, *unit; /* unit: what work counts, in millions a second */
    /* Compiles and uploads; sets work. False: this context cannot do it. */
    bool (*setup)(struct workload *);
    void (*frame)(struct workload *);
    int kind;         /* which of the workloads that share functions: an enumeration of their file */
    double work;      /* units a frame */
    double secondary; /* another count of the frame's work, 0: none */
};
extern struct workload micro_workloads[];
extern const int micro_workload_count;

/* ---- gl.c: the libraries, found at run time, so that one program serves any of them ---- */
extern struct micro_egl {
#define EGL_FUNCTION(name) __typeof__(egl##name) *name;
#define GL_FUNCTION(name)
#include "functions.def"
#undef EGL_FUNCTION
#undef GL_FUNCTION
} egl;
extern struct micro_gl {
#define EGL_FUNCTION(name)
#define GL_FUNCTION(name) __typeof__(gl##name) *name;
#include "functions.def"
#undef EGL_FUNCTION
#undef GL_FUNCTION
} gl;

_Noreturn void micro_die(const char *format, ...) __attribute__((format(printf, 1, 2)));
void micro_load(const char *egl_library, const char *gles_library);
/* A context without a window, current; says on standard error whose it is. */
void micro_open(void);
void micro_check(const char *where);
/* Attribute 0 is aPos, 1 is aCol. The caller owns the program. */
GLuint micro_program(const char *vertex, const char *fragment);

/* ---- target.c: what is drawn into ---- */
enum micro_target { TARGET_COLOUR_DEPTH, TARGET_COLOUR, TARGET_MULTISAMPLE };
void micro_targets_create(void);
/* False: no multisampling here. Further calls cost nothing. */
bool micro_multisample(void);
void micro_multisample_resolve(void);
/* Binds a target, covers it with the viewport and clears it. */
void micro_begin(enum micro_target target);
/* The colours of TARGET_COLOUR: RGBA bytes, bottom row first. The caller frees them. */
uint8_t *micro_read_pixels(void);

/* ---- mesh.c: vertices and textures ---- */
extern GLuint micro_texture; /* the current one, deleted after the workload */
/* A checkerboard under gradients and noise of side x side texels, bound to unit 0. */
void micro_texture_create(int side, bool mipmaps, GLenum minify, GLenum magnify);
/* Attribute 0: the four corners of the target as a strip. */
void micro_quad_bind(void);
/* A grid of columns x rows squares over the target, in indexed draws of less than 65,536 vertices: position
 * (z by chance) and texture coordinate. It replaces the one before. */
void micro_grid_create(int columns, int rows, bool clockwise);
void micro_grid_draw(void);
/* Binds count vertices by chance, of the grid's layout. */
void micro_cloud_bind(int count);

/* ---- programs.c: shader sources that several files use ---- */
#define HIGHP   "precision highp float;\n"
#define MEDIUMP "precision mediump float;\n"
extern GLuint micro_current; /* the program in use, deleted after the workload */
extern const char *const micro_vertex_quad, *const micro_vertex_grid, *const micro_fragment_flat,
                                                                          *const micro_fragment_uv;
/* Compiles, makes current and uses. */
void micro_use(const char *vertex, const char *fragment);
/* Of the program in use; -1 when it has none of this name. */
GLint micro_uniform(const char *name);
/* Source text: head, count times two statements of four multiply-adds each, tail. Static: until the next
 * call. */
const char *micro_alu_text(const char *head, int count, const char *tail);

/* ---- the workloads, by kind ---- */
#define WORKLOAD_FUNCTIONS(name)                                                                             \
    bool name##_setup(struct workload *);                                                                    \
    void name##_frame(struct workload *)
WORKLOAD_FUNCTIONS(micro_clear);
WORKLOAD_FUNCTIONS(micro_flat);
WORKLOAD_FUNCTIONS(micro_textured);
WORKLOAD_FUNCTIONS(micro_depth);
WORKLOAD_FUNCTIONS(micro_shader);
WORKLOAD_FUNCTIONS(micro_triangles);
WORKLOAD_FUNCTIONS(micro_vertices);
WORKLOAD_FUNCTIONS(micro_draws);
WORKLOAD_FUNCTIONS(micro_variants);
WORKLOAD_FUNCTIONS(micro_compute);

enum micro_flat_kind { FLAT_PLAIN, FLAT_BLEND, FLAT_NO_DEPTH, FLAT_MULTISAMPLE };
enum micro_textured_kind {
    TEXTURED_NEAREST,
    TEXTURED_BILINEAR,
    TEXTURED_TRILINEAR,
    TEXTURED_MODULATE,
    TEXTURED_BLEND
};
enum micro_depth_kind { DEPTH_FRONT_TO_BACK, DEPTH_BACK_TO_FRONT };
enum micro_compute_kind { COMPUTE_SAXPY, COMPUTE_SUM, COMPUTE_BLUR, COMPUTE_MATRIX };
enum micro_shader_kind { SHADER_ALU, SHADER_ALU_MEDIUM, SHADER_TRANSCENDENTAL, SHADER_BRANCH };
enum micro_triangle_kind {
    TRIANGLES_SMALL,
    TRIANGLES_CULLED,
    TRIANGLES_MULTISAMPLE,
    TRIANGLES_TEXTURED,
    TRIANGLES_DEPTH
};

/* ---- compile.c: how long a program takes from its source to its first pixel; prints a row ---- */
void micro_compile_latency(const char *tag, bool complex_program);

/* ---- clock.c: seconds ---- */
double micro_now(void);
void micro_cpu(double *user, double *system);
/* CPU time of everybody on the machine, idle time left out. */
double micro_busy(void);
/* Waits, at most a minute, until others use less than this many processors. */
void micro_wait_quiet(double processors);
/* Sorts the values. */
double micro_median(double *values, int count);
