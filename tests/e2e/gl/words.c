/* Words, numbers and names of scenes. */
#include "player.h"
#include <GLES2/gl2ext.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const struct name {
    const char *name;
    GLint value;
} names[] = {
#define NAME(name) {#name, (GLint)GL_##name},
#include "names.inc"
#undef NAME
};

void bad_line(const struct line *l, const char *what, const char *word)
{
    fprintf(stderr, "player: line %d: %s%s%s%s\n", l->number, what, word ? " '" : "", word ? word : "",
            word ? "'" : "");
    exit(2);
}

void scene_error(struct player *p, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(p->error_text, sizeof p->error_text, format, arguments);
    va_end(arguments);
    for (char *c = p->error_text; *c; c++)
        if (*c == '\n')
            *c = ' ';
    p->error = p->error_text;
}

bool has_word(const struct line *l)
{
    return l->at[strspn(l->at, " \t")] != '\0';
}

char *next_word(struct line *l)
{
    char *start = l->at + strspn(l->at, " \t"), *end = start + strcspn(start, " \t");

    if (!*start)
        return NULL;
    l->at = *end ? end + 1 : end;
    *end = '\0';
    return start;
}

double next_number(struct line *l)
{
    char *word = next_word(l), *end;

    if (!word)
        bad_line(l, "a number is missing", NULL);
    double number = strtod(word, &end);
    if (end == word || *end)
        bad_line(l, "no number:", word);
    return number;
}

static GLint value_of(const struct line *l, const char *word)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i].name, word))
            return names[i].value;
    char *end;
    long long number = strtoll(word, &end, 0);
    if (end == word || *end)
        bad_line(l, "neither a number nor a name of names.inc:", word);
    return (GLint)number;
}

GLint next_int(struct line *l)
{
    char *word = next_word(l), *rest = NULL;
    GLint value = 0;

    if (!word)
        bad_line(l, "a number or name is missing", NULL);
    for (char *part = strtok_r(word, "|", &rest); part; part = strtok_r(NULL, "|", &rest))
        value |= value_of(l, part);
    return value;
}
