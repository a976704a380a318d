/* What scenes say that is more than one call: programs, vertices, textures, targets, pictures. */
#include "player.h"
#include <GLES2/gl2ext.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    GLenum type;
} stages[STAGES] = {
    {"vertex", GL_VERTEX_SHADER}, {"fragment", GL_FRAGMENT_SHADER}, {"compute", GL_COMPUTE_SHADER}};
enum { VERTEX, FRAGMENT, COMPUTE };

static void do_vertex(struct player *p, struct scene *s, struct line *l)
{
    (void)p, (void)l;
    s->stage = VERTEX;
    s->text[VERTEX][0] = '\0';
}

static void do_fragment(struct player *p, struct scene *s, struct line *l)
{
    (void)p, (void)l;
    s->stage = FRAGMENT;
    s->text[FRAGMENT][0] = '\0';
}

static void do_compute(struct player *p, struct scene *s, struct line *l)
{
    (void)p, (void)l;
    s->stage = COMPUTE;
    s->text[COMPUTE][0] = '\0';
}

static void do_text(struct player *p, struct scene *s, struct line *l)
{
    size_t length = strlen(s->text[s->stage]);

    (void)p;
    if (length + strlen(l->at) + 2 > MAX_TEXT)
        bad_line(l, "the shader is too long", NULL);
    sprintf(s->text[s->stage] + length, "%s\n", l->at);
    l->at += strlen(l->at);
}

/* Vertex and fragment shader; the compute shader when that was the last one begun. */
static void do_link(struct player *p, struct scene *s, struct line *l)
{
    char log[900] = "";
    bool compute = s->stage == COMPUTE;
    GLint good;

    (void)l;
    s->program = glCreateProgram();
    for (int i = compute ? COMPUTE : VERTEX; i <= (compute ? COMPUTE : FRAGMENT); i++) {
        GLuint shader = glCreateShader(stages[i].type);
        const char *text = s->text[i];
        glShaderSource(shader, 1, &text, NULL);
        glCompileShader(shader);
        glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
        if (!good) {
            glGetShaderInfoLog(shader, sizeof log, NULL, log);
            scene_error(p, "the %s shader does not compile: %s", stages[i].name, log);
            return;
        }
        glAttachShader(s->program, shader);
    }
    const char *captures[MAX_CAPTURED];
    for (int i = 0; i < s->captured; i++)
        captures[i] = s->captures[i];
    if (s->captured && !compute)
        glTransformFeedbackVaryings(s->program, s->captured, captures, GL_INTERLEAVED_ATTRIBS);
    glLinkProgram(s->program);
    glGetProgramiv(s->program, GL_LINK_STATUS, &good);
    if (!good) {
        glGetProgramInfoLog(s->program, sizeof log, NULL, log);
        scene_error(p, "the program does not link: %s", log);
        return;
    }
    glUseProgram(s->program);
    GLint jitter = glGetUniformLocation(s->program, "jitter");
    glUniform2f(jitter, p->jitter[0] * 2 / (float)s->width, p->jitter[1] * 2 / (float)s->height);
}

static void do_uniform(struct player *p, struct scene *s, struct line *l)
{
    const char *name = next_word(l), *type = next_word(l);
    GLint place = name ? glGetUniformLocation(s->program, name) : -1, ints[256];
    GLfloat floats[256];
    int n = 0;

    (void)p;
    if (!type)
        bad_line(l, "uniform NAME TYPE VALUES", NULL);
    for (; has_word(l) && n < 256; n++) {
        double value = next_number(l);
        floats[n] = (GLfloat)value;
        ints[n] = (GLint)value;
    }
#define TYPE(text, size, call)                                                                               \
    else if (!strcmp(type, text))                                                                            \
    {                                                                                                        \
        call;                                                                                                \
    }
    if (!n)
        bad_line(l, "no values", NULL);
    TYPE("float", 1, glUniform1fv(place, n, floats))
    TYPE("vec2", 2, glUniform2fv(place, n / 2, floats))
    TYPE("vec3", 3, glUniform3fv(place, n / 3, floats))
    TYPE("vec4", 4, glUniform4fv(place, n / 4, floats))
    TYPE("int", 1, glUniform1iv(place, n, ints))
    TYPE("ivec2", 2, glUniform2iv(place, n / 2, ints))
    TYPE("ivec3", 3, glUniform3iv(place, n / 3, ints))
    TYPE("ivec4", 4, glUniform4iv(place, n / 4, ints))
    TYPE("mat2", 4, glUniformMatrix2fv(place, n / 4, GL_FALSE, floats))
    TYPE("mat3", 9, glUniformMatrix3fv(place, n / 9, GL_FALSE, floats))
    TYPE("mat4", 16, glUniformMatrix4fv(place, n / 16, GL_FALSE, floats))
#undef TYPE
    else bad_line(l, "no type of a uniform:", type);
}

/* Writes a number of a vertex or index type; returns its bytes. */
static size_t put_number(const struct line *l, GLenum type, double value, uint8_t *out)
{
    GLint whole = type == GL_FIXED ? (GLint)(value * 65536) : type == GL_FLOAT ? 0 : (GLint)value;
    GLfloat number = (GLfloat)value;

    switch (type) {
    case GL_BYTE:
    case GL_UNSIGNED_BYTE: *out = (uint8_t)whole; return 1;
    case GL_SHORT:
    case GL_UNSIGNED_SHORT: memcpy(out, &(uint16_t){(uint16_t)whole}, 2); return 2;
    case GL_FIXED: memcpy(out, &whole, 4); return 4;
    case GL_FLOAT: memcpy(out, &number, 4); return 4;
    default: bad_line(l, "no type of numbers", NULL);
    }
}

/* The words `stride N`, `offset N`, `normalized`, `client` up to the colon, each at most once and in any
 * order. */
struct options {
    GLsizei stride;
    GLint offset;
    bool normalized, client;
};

static struct options read_options(struct line *l)
{
    struct options o = {0};

    for (;;) {
        const char *word = next_word(l);
        if (!word)
            bad_line(l, "a colon is missing", NULL);
        if (!strcmp(word, ":"))
            return o;
        if (!strcmp(word, "stride"))
            o.stride = next_int(l);
        else if (!strcmp(word, "offset"))
            o.offset = next_int(l);
        else if (!strcmp(word, "normalized"))
            o.normalized = true;
        else if (!strcmp(word, "client"))
            o.client = true;
        else
            bad_line(l, "unknown option", word);
    }
}

/* array NAME SIZE TYPE OPTIONS : VALUES. What the client keeps is not freed: draws read it. */
static void do_array(struct player *p, struct scene *s, struct line *l)
{
    const char *name = next_word(l);
    GLint place = name ? glGetAttribLocation(s->program, name) : -1, size = next_int(l);
    GLenum type = (GLenum)next_int(l);
    struct options o = read_options(l);
    uint8_t scratch[4], *data = calloc(1, MAX_ARRAY);
    size_t bytes = put_number(l, type, 0, scratch),
           stride = o.stride ? (size_t)o.stride : bytes * (size_t)size;
    size_t at = (size_t)o.offset;
    GLuint buffer = 0;

    (void)p;
    if (!data)
        abort();
    for (int i = 0; has_word(l); i = i + 1 == size ? (at += stride, 0) : i + 1) {
        if (at + 2 * stride + 32 > MAX_ARRAY)
            bad_line(l, "the array is too long", NULL);
        put_number(l, type, next_number(l), data + at + (size_t)i * bytes);
    }
    if (place < 0) { // the compiler took it away
        free(data);
        return;
    }
    if (!o.client) {
        glGenBuffers(1, &buffer);
        glBindBuffer(GL_ARRAY_BUFFER, buffer);
        glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(at + stride), data, GL_STATIC_DRAW);
    }
    const uint8_t *base = o.client ? data : NULL;
    glVertexAttribPointer((GLuint)place, size, type, o.normalized, o.stride, base + o.offset);
    glEnableVertexAttribArray((GLuint)place);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    if (!o.client)
        free(data);
}

/* constant NAME X Y Z W: an attribute that is the same for all vertices. */
static void do_constant(struct player *p, struct scene *s, struct line *l)
{
    const char *name = next_word(l);
    GLint place = name ? glGetAttribLocation(s->program, name) : -1;
    GLfloat v[4];

    (void)p;
    for (int i = 0; i < 4; i++)
        v[i] = (GLfloat)next_number(l);
    if (place < 0)
        return;
    glDisableVertexAttribArray((GLuint)place);
    glVertexAttrib4fv((GLuint)place, v);
}

static void do_draw(struct player *p, struct scene *s, struct line *l)
{
    GLenum mode = (GLenum)next_int(l);
    GLint first = next_int(l);

    (void)p, (void)s;
    glDrawArrays(mode, first, next_int(l));
}

/* elements MODE TYPE OPTIONS : INDICES */
static void do_elements(struct player *p, struct scene *s, struct line *l)
{
    GLenum mode = (GLenum)next_int(l), type = (GLenum)next_int(l);
    struct options o = read_options(l);
    uint8_t data[8192];
    GLsizei count = 0;
    size_t at = (size_t)o.offset;

    (void)p, (void)s;
    for (; has_word(l); count++) {
        if (at + 4 > sizeof data)
            bad_line(l, "too many indices", NULL);
        at += put_number(l, type, next_number(l), data + at);
    }
    if (o.client) {
        glDrawElements(mode, count, type, data + o.offset);
        return;
    }
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffer);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)at, data, GL_STATIC_DRAW);
    glDrawElements(mode, count, type, (const char *)NULL + o.offset);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
}

static struct texture *named_texture(struct scene *s, const struct line *l, const char *name)
{
    struct texture *t = s->textures;

    if (!name || strlen(name) >= MAX_NAME)
        bad_line(l, "no name of a texture", name);
    for (; t < s->textures + s->texture_count; t++)
        if (!strcmp(t->name, name))
            return t;
    if (s->texture_count == MAX_TEXTURES)
        bad_line(l, "too many textures", NULL);
    s->texture_count++;
    strcpy(t->name, name);
    glGenTextures(1, &t->id);
    return t;
}

/* texture UNIT TARGET NAME */
static void do_texture(struct player *p, struct scene *s, struct line *l)
{
    GLint unit = next_int(l);
    GLenum target = (GLenum)next_int(l);

    (void)p;
    glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
    glBindTexture(target, named_texture(s, l, next_word(l))->id);
}

/* image TARGET LEVEL FORMAT TYPE WIDTH HEIGHT PATTERN; compressed when the format is. */
static void do_image(struct player *p, struct scene *s, struct line *l)
{
    GLenum target = (GLenum)next_int(l);
    GLint level = next_int(l);
    GLenum format = (GLenum)next_int(l), type = (GLenum)next_int(l);
    GLsizei width = next_int(l), height = next_int(l);
    size_t bytes = 0;
    void *data = has_word(l) ? make_pixels(l, format, type, width, height, &bytes) : NULL;

    (void)p, (void)s;
    if (format == GL_ETC1_RGB8_OES)
        glCompressedTexImage2D(target, level, format, width, height, 0, (GLsizei)bytes, data);
    else
        glTexImage2D(target, level, (GLint)format, width, height, 0, format, type, data);
    free(data);
}

/* subimage TARGET LEVEL X Y FORMAT TYPE WIDTH HEIGHT PATTERN */
static void do_subimage(struct player *p, struct scene *s, struct line *l)
{
    GLenum target = (GLenum)next_int(l);
    GLint level = next_int(l), x = next_int(l), y = next_int(l);
    GLenum format = (GLenum)next_int(l), type = (GLenum)next_int(l);
    GLsizei width = next_int(l), height = next_int(l);
    size_t bytes;
    void *data = make_pixels(l, format, type, width, height, &bytes);

    (void)p, (void)s;
    glTexSubImage2D(target, level, x, y, width, height, format, type, data);
    free(data);
}

static GLuint renderbuffer(GLenum format, const struct scene *s)
{
    GLuint name;

    glGenRenderbuffers(1, &name);
    glBindRenderbuffer(GL_RENDERBUFFER, name);
    glRenderbufferStorage(GL_RENDERBUFFER, format, s->width, s->height);
    return name;
}

static void complete(struct player *p)
{
    GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);

    if (status != GL_FRAMEBUFFER_COMPLETE)
        scene_error(p, "the framebuffer is not complete: 0x%x", status);
}

/* target WIDTH HEIGHT FORMAT [FORMAT...]: the first is the colour's, then depth's, stencil's or both. Black
 * and cleared. */
static void do_target(struct player *p, struct scene *s, struct line *l)
{
    s->width = next_int(l);
    s->height = next_int(l);
    glGenFramebuffers(1, &s->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, s->framebuffer);
    GLuint colour = renderbuffer((GLenum)next_int(l), s);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour);
    while (has_word(l)) {
        GLenum format = (GLenum)next_int(l);
        GLuint other = renderbuffer(format, s);
        if (format != GL_STENCIL_INDEX8)
            glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, other);
        if (format == GL_STENCIL_INDEX8 || format == GL_DEPTH24_STENCIL8_OES)
            glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, other);
    }
    complete(p);
    glViewport(0, 0, s->width, s->height);
    glScissor(0, 0, s->width, s->height);
    glDisable(GL_DITHER); // GL leaves open how
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
}

/* attach NAME TARGET: draws go to level 0 of the texture, without depth and stencil, until `detach`. */
static void do_attach(struct player *p, struct scene *s, struct line *l)
{
    const struct texture *t = named_texture(s, l, next_word(l));

    if (!s->texture_framebuffer)
        glGenFramebuffers(1, &s->texture_framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, s->texture_framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, (GLenum)next_int(l), t->id, 0);
    complete(p);
}

static void do_detach(struct player *p, struct scene *s, struct line *l)
{
    (void)p, (void)l;
    glBindFramebuffer(GL_FRAMEBUFFER, s->framebuffer);
}

/* read X Y WIDTH HEIGHT FORMAT TYPE: a picture of what is drawn to now. */
static void do_read(struct player *p, struct scene *s, struct line *l)
{
    GLint x = next_int(l), y = next_int(l);
    GLsizei width = next_int(l), height = next_int(l);
    GLenum format = (GLenum)next_int(l), type = (GLenum)next_int(l);
    size_t bytes = (size_t)width * (size_t)height * (type == GL_UNSIGNED_BYTE ? 4 : 2);
    uint8_t *pixels = calloc(1, bytes);

    (void)s;
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(x, y, width, height, format, type, pixels);
    fprintf(p->out, "picture %d %d %zu\n", width, height, bytes);
    fwrite(pixels, 1, bytes, p->out);
    free(pixels);
}

static const struct object_command {
    const char *name;
    command function;
} commands[] = {
    {"vertex", do_vertex},     {"fragment", do_fragment}, {"|", do_text},
    {"link", do_link},         {"uniform", do_uniform},   {"array", do_array},
    {"constant", do_constant}, {"draw", do_draw},         {"elements", do_elements},
    {"texture", do_texture},   {"image", do_image},       {"subimage", do_subimage},
    {"target", do_target},     {"attach", do_attach},     {"detach", do_detach},
    {"read", do_read},         {"compute", do_compute},
};

command find_object_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(commands[i].name, name))
            return commands[i].function;
    return NULL;
}
