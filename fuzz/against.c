#include "fuzz/against.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xxhash.h>

#include "fuzz/program.h"
#include "util/bits.h"
#include "util/fpenv.h"

enum { LINE = 128, FIELD_BYTES = 1 << 20, WORDS_MAX = FUZZ_PROGRAM_BYTES, COMPILED_MAX = 512 };
#define GREETING "vitrail fuzz 1\n"

struct fuzz_against {
    pid_t process;
    FILE *to, *from;
    bool broken;
};

extern char **environ;

static size_t field_bytes(const struct world_field *f)
{
    return (size_t)f->bytes * f->count;
}

static const struct world_field *field_of(const struct world_set *set, const char *name)
{
    for (const struct world_field *f = set->fields; f->name; f++)
        if (!strcmp(f->name, name))
            return f;
    return NULL;
}

static void put_fields(FILE *out, const struct world_set *set, const void *world, const char *word,
                       unsigned which)
{
    for (const struct world_field *f = set->fields; f->name; f++)
        if (f->is & which) {
            fprintf(out, "%s %s %u %u\n", word, f->name, f->bytes, f->count);
            fwrite((const char *)world + f->at, 1, field_bytes(f), out);
        }
}

/* A field behind its line, into the world; false: it has none such, or the bytes are not there. */
static bool take_field(FILE *in, const struct world_set *set, const char *rest, unsigned which, void *world)
{
    char name[LINE];
    unsigned bytes, count;
    if (sscanf(rest, "%127s %u %u", name, &bytes, &count) != 3)
        return false;
    const struct world_field *f = field_of(set, name);
    return f && f->is & which && f->bytes == bytes && f->count == count &&
           fread((char *)world + f->at, 1, field_bytes(f), in) == field_bytes(f);
}

/* ---- who asks ---- */

int fuzz_against_create(const char *command, struct fuzz_against **out)
{
    int to[2], from[2];
    struct fuzz_against *a = calloc(1, sizeof *a);
    posix_spawn_file_actions_t actions;
    char *const argv[] = {"sh", "-c", (char *)(uintptr_t)command, NULL};
    if (!a)
        return -ENOMEM;
    if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC)) {
        free(a);
        return -errno;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    const int err = posix_spawn(&a->process, "/bin/sh", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    signal(SIGPIPE, SIG_IGN); /* its end is an answer like others */
    a->to = fdopen(to[1], "wb");
    a->from = fdopen(from[0], "rb");
    if (err || !a->to || !a->from) {
        fuzz_against_destroy(a);
        return err ? -err : -ENOMEM;
    }
    *out = a;
    return 0;
}

/* It sees the end of its input, and is waited for by nobody but its parent's reaper: behind a sandbox no process may be. */
void fuzz_against_destroy(struct fuzz_against *a)
{
    if (!a)
        return;
    if (a->to)
        fclose(a->to);
    if (a->from)
        fclose(a->from);
    free(a);
}

bool fuzz_against_is_broken(const struct fuzz_against *a)
{
    return a && a->broken;
}

static enum fuzz_answer broken(struct fuzz_against *a, char text[256], const char *what)
{
    a->broken = true;
    snprintf(text, 256, "%s", what);
    return FUZZ_BROKEN;
}

enum fuzz_answer fuzz_against_run(struct fuzz_against *a, const struct world_set *set, const void *words,
                                  uint32_t count, unsigned mode, const void *input, void *got, char text[256])
{
    char line[LINE];
    if (a->broken)
        return broken(a, text, "it has ended");
    fprintf(a->to, GREETING "set %s\nmode %s\nwords %u %u\n", set->isa->name, set->modes[mode],
            set->isa->word_bytes, count);
    fwrite(words, set->isa->word_bytes, count, a->to);
    put_fields(a->to, set, input, "in", WORLD_GIVEN);
    fputs("run\n", a->to);
    if (fflush(a->to))
        return broken(a, text, "it has ended");
    while (fgets(line, sizeof line, a->from)) {
        if (!strcmp(line, "end\n"))
            return FUZZ_ANSWERED;
        if (!strcmp(line, "decline\n"))
            return FUZZ_DECLINED;
        if (strncmp(line, "out ", 4) != 0 || !take_field(a->from, set, line + 4, WORLD_LEFT, got)) {
            snprintf(text, 256, "no answer: %.*s", (int)strcspn(line, "\n"), line);
            a->broken = true;
            return FUZZ_BROKEN;
        }
    }
    return broken(a, text, "it has ended");
}

/* ---- who answers ---- */

struct question {
    const struct world_set *set;
    unsigned mode;
    uint32_t count;
    _Alignas(16) uint8_t words[WORDS_MAX];
    void *program; /* NULL: it cannot be executed */
    void *world;   /* of the set */
};

static bool take_mode(struct question *q, const char *name)
{
    for (q->mode = 0; q->set && q->set->modes[q->mode]; q->mode++)
        if (!strncmp(q->set->modes[q->mode], name, strlen(q->set->modes[q->mode])) &&
            name[strlen(q->set->modes[q->mode])] == '\n')
            return true;
    return false;
}

static bool take_words(FILE *in, struct question *q, const char *rest)
{
    unsigned bytes;
    if (!q->set || sscanf(rest, "%u %u", &bytes, &q->count) != 2 || bytes != q->set->isa->word_bytes ||
        !q->count || q->count > WORDS_MAX / bytes || fread(q->words, bytes, q->count, in) != q->count)
        return false;
    if (q->set->isa->create(q->words, q->count, &q->program, NULL))
        q->program = NULL;
    if (q->program) /* what no field has, and registers that nobody gives */
        q->set->fill(q->world, q->program, q->mode, 0);
    return true;
}

static int settle(struct question *q)
{
    if (q->program && q->set->settle)
        q->set->settle(q->world, q->program);
    return 1;
}

/* A question to its "run". 1; 0: there is none any more; -EPROTO. */
static int take_question(FILE *in, struct question *q)
{
    char line[LINE], name[LINE];
    if (!fgets(line, sizeof line, in))
        return 0;
    if (strcmp(line, GREETING) != 0)
        return -EPROTO;
    while (fgets(line, sizeof line, in)) {
        bool good = false;
        if (!strcmp(line, "run\n"))
            return q->set && q->count ? settle(q) : -EPROTO;
        if (!strncmp(line, "set ", 4) && sscanf(line + 4, "%127s", name) == 1 && !q->set) {
            q->set = world_find(name);
            q->world = q->set ? aligned_alloc(64, (q->set->bytes + 63) & ~(size_t)63) : NULL;
            good = q->world;
        } else if (!strncmp(line, "mode ", 5)) {
            good = take_mode(q, line + 5);
        } else if (!strncmp(line, "words ", 6)) {
            good = take_words(in, q, line + 6);
        } else if (!strncmp(line, "in ", 3) && q->count) {
            good = take_field(in, q->set, line + 3, WORLD_GIVEN, q->world);
        }
        if (!good)
            return -EPROTO;
    }
    return -EPROTO;
}

/* The code of the last program: the same is asked for many inputs. */
struct compiler {
    struct jit_engine *engine;
    uint64_t key[2]; /* of the last */
    unsigned count;
    bool translated;
    world_fn code;
};

/* False: left to the interpreter, or not compiled. */
static bool compile(struct compiler *c, const struct question *q)
{
    const struct jit_options options = {.level = -1, .optimize = JIT_QUICK, .cache_dir = ""};
    void *program = q->program;
    struct world_batch batch = {q->set, &program, 1, q->mode, &c->translated};
    const uint64_t key[2] = {
        XXH3_64bits_withSeed(q->words, (size_t)q->count * q->set->isa->word_bytes, (uintptr_t)q->set),
        q->mode};
    if (c->count && !memcmp(key, c->key, sizeof key))
        return c->translated;
    if (c->count++ % COMPILED_MAX == 0) {
        jit_engine_destroy(c->engine);
        c->engine = NULL;
        if (jit_engine_create(&options, &c->engine, NULL))
            return false;
    }
    memcpy(c->key, key, sizeof key);
    c->translated = false;
    return !world_compile(c->engine, &batch, key, &c->code, NULL) && c->translated;
}

#ifdef __clang__
__attribute__((no_sanitize("function"))) /* compiled code has no type before it */
#endif
static bool
execute(struct question *q, struct compiler *c)
{
    if (!q->program)
        return false;
    if (!c) {
        q->set->run(q->program, q->mode, q->world);
        return true;
    }
    if (!compile(c, q))
        return false;
    c->code(0, q->world);
    return true;
}

int fuzz_against_serve(FILE *in, FILE *out, bool compiled)
{
    struct compiler compiler = {0};
    struct question q = {0};
    int got;
    while ((got = take_question(in, &q)) > 0) {
        const unsigned saved = util_fpenv_enter();
        const bool executed = execute(&q, compiled ? &compiler : NULL);
        util_fpenv_leave(saved);
        if (executed)
            put_fields(out, q.set, q.world, "out", WORLD_LEFT);
        fputs(executed ? "end\n" : "decline\n", out);
        if (q.program)
            q.set->isa->destroy(q.program);
        free(q.world);
        q = (struct question){0};
        if (fflush(out)) {
            got = -EIO;
            break;
        }
    }
    jit_engine_destroy(compiler.engine);
    if (q.program)
        q.set->isa->destroy(q.program);
    free(q.world);
    return got;
}
