/* What the scenes of GL ES 3.1 share: contexts, programs, buffers, textures, and where in the window a scene
 * draws. Every object lives until its scene's context ends. What fails ends the program (window.h). */
#ifndef GLES31_DRAW_H
#define GLES31_DRAW_H
#include "../window.h"
#include <GLES3/gl31.h>
#include <stddef.h>
#include <stdint.h>

enum { DESKTOP = 1 }; /* a version: the context is of desktop GL 3.1 */

/* A scene: what it needs, and what draws it. Each is drawn in a context of its own. */
struct scene {
    const char *name;
    int version;           /* 30, 31, or DESKTOP */
    const char *extension; /* NULL: none */
    void (*draw)(void);
};
/* A group of scenes, ended by one without a name: a file each. */
extern const struct scene target_scenes[], texture_scenes[], format_scenes[], vertex_scenes[], state_scenes[],
    compute_scenes[];

extern int draw_version; /* of the scene that is drawn */
bool draw_has(const char *extension);

/* ---- programs: the text without its #version and without precisions, which are highp; a line of
 * #extension may begin it ---- */
GLuint draw_program(const char *vertex, const char *fragment); /* linked and in use */
/* As draw_program, but with the outputs that transform feedback captures. */
GLuint draw_captured(const char *vertex, const char *fragment, int count, const char *const *outputs,
                     GLenum mode);
/* A program for draw_fill: `place` goes from 0 to 1 over it, `colour` is what it writes. */
GLuint draw_cell_program(const char *declarations, const char *body);
GLuint draw_compute(const char *text);
GLint draw_uniform(const char *name); /* of the program in use */

/* ---- places: the window is side x side cells, number 0 at the lower left, then rightwards, then up. Sides are
 * powers of two, so that no texel's border lies on a pixel's centre ---- */
void draw_cell(int number, int side); /* the viewport */
void draw_fill(void);                 /* a rectangle over the viewport, at z 0 */
void draw_fill_at(float z);           /* the same at a depth from -1 to 1 */
/* The nearest quarter of a pixel of 128, which lies on the grid of 1/16 pixel that all GPUs have: for corners, whose
 * edges are the same then wherever they are drawn. */
float draw_grid(float v);
void draw_window(void); /* draws to the window again, all of it */

/* ---- objects ---- */
GLuint draw_buffer(GLenum target, size_t bytes, const void *data); /* bound */
/* An attribute of floats from a new buffer, and its divisor. */
void draw_array(GLuint place, int size, size_t bytes, const float *data, GLuint divisor);
/* A new texture, bound; no repetition, the same filter either way. */
GLuint draw_texture(GLenum target, GLenum filter);
/* A new texture with one level, bound and the colour of a new framebuffer, whose viewport is the whole. */
GLuint draw_target(GLenum format, int width, int height);
void draw_complete(void);
uint32_t draw_noise(uint32_t n); /* a hash: the same everywhere */
#endif
