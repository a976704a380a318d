/* What scenes of GL ES 3.1 say of memory that programs write: storage buffers, images, transform feedback, several
 * targets, integers; and what they read back. */
#include "player.h"
#include <stdlib.h>
#include <string.h>

/* Formats of targets and images: how they are read, and whether their channels are integers. */
static const struct form {
    GLenum format, read, type;
    size_t bytes; /* of a pixel that is read */
} forms[] = {
    {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4},
    {GL_RGBA8UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, 16},
    {GL_RGBA16UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, 16},
    {GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, 16},
    {GL_R32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, 16},
    {GL_RG16UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, 16},
    {GL_RGBA8I, GL_RGBA_INTEGER, GL_INT, 16},
    {GL_RGBA16I, GL_RGBA_INTEGER, GL_INT, 16},
    {GL_RGBA32I, GL_RGBA_INTEGER, GL_INT, 16},
    {GL_R32I, GL_RGBA_INTEGER, GL_INT, 16},
};

static const struct form *form_of(const struct line *l, GLenum format)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].format == format)
            return &forms[i];
    bad_line(l, "no format of a target or image", NULL);
}

static struct object *find_object(struct scene *s, const char *name)
{
    for (int i = 0; i < s->object_count; i++)
        if (name && !strcmp(s->objects[i].name, name))
            return &s->objects[i];
    return NULL;
}

static struct object *new_object(struct scene *s, const struct line *l, const char *name)
{
    struct object *o = &s->objects[s->object_count];

    if (!name || strlen(name) >= MAX_NAME || s->object_count == MAX_OBJECTS)
        bad_line(l, "no name for a further object:", name);
    s->object_count++;
    strcpy(o->name, name);
    return o;
}

/* The object that a line names; the scene's error when a line that made it is gone. */
static struct object *named(struct player *p, struct scene *s, struct line *l)
{
    const char *name = next_word(l);
    struct object *o = find_object(s, name);

    if (!o)
        scene_error(p, "line %d: no object %s", l->number, name ? name : "");
    return o;
}

static uint32_t *noise_words(GLint seed, size_t count)
{
    uint32_t *words = malloc(count * sizeof *words);

    if (!words)
        abort();
    for (size_t i = 0; i < count; i++)
        words[i] = pixel_hash(pixel_hash((uint32_t)seed) + (uint32_t)i);
    return words;
}

/* Writes a picture, which is read from `pixels`. */
static void put_picture(struct player *p, GLsizei width, GLsizei height, size_t bytes, const void *pixels)
{
    fprintf(p->out, "picture %d %d %zu\n", width, height, bytes);
    fwrite(pixels, 1, bytes, p->out);
}

/* The texture's or attachment's pixels as a picture: of integers each channel has four bytes. */
static void read_pixels(struct player *p, const struct form *f, GLsizei width, GLsizei height)
{
    size_t bytes = (size_t)width * (size_t)height * f->bytes;
    void *pixels = calloc(1, bytes);

    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, f->read, f->type, pixels);
    put_picture(p, width, height, bytes, pixels);
    free(pixels);
}

static void clear_target(const struct form *f, GLint number)
{
    static const GLint zero[4];

    if (f->type == GL_INT)
        glClearBufferiv(GL_COLOR, number, zero);
    else if (f->type == GL_UNSIGNED_INT)
        glClearBufferuiv(GL_COLOR, number, (const GLuint *)zero);
    else
        glClearBufferfv(GL_COLOR, number, (const GLfloat *)zero);
}

/* targets WIDTH HEIGHT FORMAT...: colour targets 0 and on, cleared to 0; draws go to all. */
static void do_targets(struct player *p, struct scene *s, struct line *l)
{
    static const GLenum buffers[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1, GL_COLOR_ATTACHMENT2,
                                     GL_COLOR_ATTACHMENT3};
    GLsizei count = 0;

    s->width = next_int(l);
    s->height = next_int(l);
    glGenFramebuffers(1, &s->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, s->framebuffer);
    for (; has_word(l) && count < MAX_TARGETS; count++) {
        GLuint name;
        s->targets[count] = form_of(l, (GLenum)next_int(l))->format;
        glGenRenderbuffers(1, &name);
        glBindRenderbuffer(GL_RENDERBUFFER, name);
        glRenderbufferStorage(GL_RENDERBUFFER, s->targets[count], s->width, s->height);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, buffers[count], GL_RENDERBUFFER, name);
    }
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        scene_error(p, "the framebuffer of several targets is not complete");
    glDrawBuffers(count, buffers);
    glViewport(0, 0, s->width, s->height);
    glScissor(0, 0, s->width, s->height);
    glDisable(GL_DITHER);
    for (GLsizei i = 0; i < count; i++)
        clear_target(form_of(l, s->targets[i]), i);
}

/* drawbuffers BIT...: which targets draws go to, 0 or 1 each. */
static void do_drawbuffers(struct player *p, struct scene *s, struct line *l)
{
    GLenum buffers[MAX_TARGETS];
    GLsizei count = 0;

    (void)p, (void)s;
    for (; has_word(l) && count < MAX_TARGETS; count++)
        buffers[count] = next_int(l) ? GL_COLOR_ATTACHMENT0 + (GLenum)count : GL_NONE;
    glDrawBuffers(count, buffers);
}

/* readtarget NUMBER */
static void do_readtarget(struct player *p, struct scene *s, struct line *l)
{
    GLint number = next_int(l);

    if (number < 0 || number >= MAX_TARGETS || !s->targets[number]) {
        scene_error(p, "line %d: no target %d", l->number, number);
        return;
    }
    glReadBuffer(GL_COLOR_ATTACHMENT0 + (GLenum)number);
    read_pixels(p, form_of(l, s->targets[number]), s->width, s->height);
}

/* storage BINDING NAME WORDS SEED: a storage buffer; all 0 with seed 0. */
static void do_storage(struct player *p, struct scene *s, struct line *l)
{
    GLint binding = next_int(l);
    struct object *o = new_object(s, l, next_word(l));
    GLint count = next_int(l), seed = next_int(l);

    (void)p;
    if (count < 4 || count > MAX_ARRAY || count % 4)
        bad_line(l, "a storage buffer has 4, 8, ... words", NULL);
    uint32_t *words = noise_words(seed, (size_t)count);
    if (!seed)
        memset(words, 0, (size_t)count * sizeof *words);
    o->bytes = (size_t)count * sizeof *words;
    glGenBuffers(1, &o->id);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, o->id);
    glBufferData(GL_SHADER_STORAGE_BUFFER, (GLsizeiptr)o->bytes, words, GL_DYNAMIC_COPY);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, (GLuint)binding, o->id);
    free(words);
}

/* readbuffer NAME: a picture of four words a pixel. */
static void do_readbuffer(struct player *p, struct scene *s, struct line *l)
{
    struct object *o = named(p, s, l);

    if (!o)
        return;
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glBindBuffer(GL_COPY_READ_BUFFER, o->id);
    void *mapped = glMapBufferRange(GL_COPY_READ_BUFFER, 0, (GLsizeiptr)o->bytes, GL_MAP_READ_BIT);
    if (!mapped) {
        scene_error(p, "line %d: the buffer cannot be mapped", l->number);
        return;
    }
    put_picture(p, (GLsizei)(o->bytes / 16), 1, o->bytes, mapped);
    glUnmapBuffer(GL_COPY_READ_BUFFER);
}

/* integers UNIT NAME TARGET FORMAT WIDTH HEIGHT LAYERS SEED: an immutable texture of integers by chance, of TEXTURE_2D,
 * TEXTURE_2D_ARRAY or TEXTURE_3D, bound to the unit. */
static void do_integers(struct player *p, struct scene *s, struct line *l)
{
    GLint unit = next_int(l);
    struct object *o = new_object(s, l, next_word(l));
    GLenum target = (GLenum)next_int(l);
    const struct form *f = form_of(l, o->format = (GLenum)next_int(l));
    GLsizei width = next_int(l), height = next_int(l), layers = next_int(l);
    GLint seed = next_int(l);
    bool flat = target == GL_TEXTURE_2D;

    (void)p;
    if (width < 1 || height < 1 || layers < 1 || width > 512 || height > 512 || layers > 64)
        bad_line(l, "no size of a texture", NULL);
    uint32_t *words = noise_words(seed, (size_t)width * (size_t)height * (size_t)layers * 4);
    /* GL takes a channel of 8 or 16 bits in types of its own. */
    GLenum type = f->format == GL_RGBA8UI    ? GL_UNSIGNED_BYTE
                  : f->format == GL_RGBA8I   ? GL_BYTE
                  : f->format == GL_RGBA16UI ? GL_UNSIGNED_SHORT
                  : f->format == GL_RGBA16I  ? GL_SHORT
                                             : f->type;
    GLenum pixels = f->format == GL_R32UI || f->format == GL_R32I ? GL_RED_INTEGER : f->read;
    o->width = width;
    o->height = height;
    o->target = target;
    glGenTextures(1, &o->id);
    glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
    glBindTexture(target, o->id);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    if (flat) {
        glTexStorage2D(target, 1, f->format, width, height);
        glTexSubImage2D(target, 0, 0, 0, width, height, pixels, type, words);
    } else {
        glTexStorage3D(target, 1, f->format, width, height, layers);
        glTexSubImage3D(target, 0, 0, 0, 0, width, height, layers, pixels, type, words);
    }
    free(words);
}

/* imageunit UNIT NAME ACCESS: all layers of it. */
static void do_imageunit(struct player *p, struct scene *s, struct line *l)
{
    GLint unit = next_int(l);
    struct object *o = named(p, s, l);
    GLenum access = (GLenum)next_int(l);

    if (o)
        glBindImageTexture((GLuint)unit, o->id, 0, o->target != GL_TEXTURE_2D, 0, access, o->format);
}

/* readimage NAME LAYER */
static void do_readimage(struct player *p, struct scene *s, struct line *l)
{
    struct object *o = named(p, s, l);
    GLint layer = next_int(l);
    GLuint framebuffer;

    if (!o)
        return;
    glMemoryBarrier(GL_FRAMEBUFFER_BARRIER_BIT);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    if (o->target == GL_TEXTURE_2D)
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, o->id, 0);
    else
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, o->id, 0, layer);
    read_pixels(p, form_of(l, o->format), o->width, o->height);
    glBindFramebuffer(GL_FRAMEBUFFER, s->framebuffer);
}

/* dispatch X Y Z; what it wrote is seen by all that follows. */
static void do_dispatch(struct player *p, struct scene *s, struct line *l)
{
    GLuint x = (GLuint)next_int(l), y = (GLuint)next_int(l);

    (void)p, (void)s;
    glDispatchCompute(x, y, (GLuint)next_int(l));
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
}

/* capture NAME...: outputs of the vertex shader that the next `link` captures, one after another. */
static void do_capture(struct player *p, struct scene *s, struct line *l)
{
    (void)p;
    s->captured = 0;
    while (has_word(l)) {
        const char *name = next_word(l);
        if (s->captured == MAX_CAPTURED || strlen(name) >= MAX_NAME)
            bad_line(l, "no further output:", name);
        strcpy(s->captures[s->captured++], name);
    }
}

/* feedback NAME WORDS MODE FIRST COUNT: draws points, lines or triangles into a new buffer of so many words, and nowhere else. */
static void do_feedback(struct player *p, struct scene *s, struct line *l)
{
    struct object *o = new_object(s, l, next_word(l));
    GLint count = next_int(l);
    GLenum mode = (GLenum)next_int(l);
    GLint first = next_int(l), vertices = next_int(l);

    (void)p;
    if (count < 4 || count > MAX_ARRAY || count % 4)
        bad_line(l, "a buffer has 4, 8, ... words", NULL);
    o->bytes = (size_t)count * 4;
    void *zeros = calloc(1, o->bytes);
    glGenBuffers(1, &o->id);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, o->id);
    glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, (GLsizeiptr)o->bytes, zeros, GL_DYNAMIC_COPY);
    free(zeros);
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginTransformFeedback(mode);
    glDrawArrays(mode, first, vertices);
    glEndTransformFeedback();
    glDisable(GL_RASTERIZER_DISCARD);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
}

static const struct memory_command {
    const char *name;
    command function;
} commands[] = {
    {"targets", do_targets},     {"drawbuffers", do_drawbuffers}, {"readtarget", do_readtarget},
    {"storage", do_storage},     {"readbuffer", do_readbuffer},   {"integers", do_integers},
    {"imageunit", do_imageunit}, {"readimage", do_readimage},     {"dispatch", do_dispatch},
    {"capture", do_capture},     {"feedback", do_feedback},
};

command find_memory_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(commands[i].name, name))
            return commands[i].function;
    return NULL;
}
