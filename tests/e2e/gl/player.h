/* Plays scenes: texts of GL calls, a line each, drawn into a framebuffer object and read back. gldiff writes
 * and compares them; README.md has the language. */
#ifndef GL_PLAYER_H
#define GL_PLAYER_H
#include <GLES3/gl31.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A line that is being read, word by word. */
struct line {
    char *at;   /* what is left of it */
    int number; /* in the file, from 1 */
};

enum { MAX_NAME = 32, MAX_TEXTURES = 16, MAX_TEXT = 1 << 16, MAX_ARRAY = 1 << 20 };
enum { MAX_OBJECTS = 16, MAX_TARGETS = 4, MAX_CAPTURED = 4, STAGES = 3 };

/* A buffer or texture of memory.c. */
struct object {
    char name[MAX_NAME];
    GLuint id;
    size_t bytes;          /* of a buffer */
    GLenum target, format; /* of a texture */
    GLsizei width, height;
};

struct scene {
    GLsizei width, height; /* of the target, in pixels */
    GLuint framebuffer, texture_framebuffer, program;
    char text[STAGES][MAX_TEXT]; /* of the vertex, fragment and compute shader */
    int stage;                   /* where `|` lines go: a number of `text` */
    struct texture {
        char name[MAX_NAME];
        GLuint id;
    } textures[MAX_TEXTURES];
    int texture_count;
    struct object objects[MAX_OBJECTS];
    int object_count;
    GLenum targets[MAX_TARGETS]; /* formats of several; 0: not there */
    char captures[MAX_CAPTURED][MAX_NAME];
    int captured;
};

/* Where pictures go, and how far vertices are moved, in pixels. */
struct player {
    FILE *out;
    float jitter[2];
    const char *error; /* of the line just done, or NULL */
    char error_text[1024];
};

/* The next word, NULL at the end. */
char *next_word(struct line *l);
bool has_word(const struct line *l);
/* The next word as a number or as a name of GL without GL_, names joined by |. Ends the program at a bad one.
 */
double next_number(struct line *l);
GLint next_int(struct line *l);
/* Ends the program, naming the line. */
_Noreturn void bad_line(const struct line *l, const char *what, const char *word);
/* Remembers why the scene cannot go on, printf-like. */
void scene_error(struct player *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

typedef void (*command)(struct player *p, struct scene *s, struct line *l);
/* The command of this name, or NULL. */
command find_object_command(const char *name);
/* The same of memory.c. */
command find_memory_command(const char *name);
/* Calls the GL function of this name without gl; false when there is none in calls.inc. */
bool gl_call(const char *name, struct line *l);

/* A hash with every bit of the result depending on every bit of n. */
uint32_t pixel_hash(uint32_t n);
/* Pixels of a format and type in a pattern, the same everywhere. Returns malloc'd memory, `bytes` of it. */
void *make_pixels(struct line *l, GLenum format, GLenum type, GLsizei width, GLsizei height, size_t *bytes);
#endif
