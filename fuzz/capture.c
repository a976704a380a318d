/* Changed captures: played, compared, written. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "fuzz/capture_internal.h"
#include "gpu/observe.h"
#include "gpu/replay.h"
#include "jit/engine.h"
#include "util/bits.h"

enum {
    SHARE = 400, /* cases that an engine compiles for before another takes its place */
    FUEL = 4096,
    PACKETS = 1 << 20,
    JOB_FUEL = 1 << 22,
};

struct subject {
    struct fuzz_subject base;
    uint8_t *bytes; /* the capture's file */
    uint64_t size;
    struct capture_reader *reader; /* over them: for its info, and to write from */
    struct capture_info info;
    fuzz_look_fn look;
    struct fuzz_units units;
    struct fuzz_changes changes;
    struct fuzz_editor editor;
    struct jit_engine *engine[2]; /* the best level, and the narrowest */
    unsigned played;
};

/* What a play leaves. */
struct play {
    uint64_t pictures[FUZZ_FRAMES_MAX];
    uint32_t frames;
    uint64_t faults;                                /* hash of all, in order */
    char first[FUZZ_TEXT_MAX], kind[FUZZ_TEXT_MAX]; /* the first: all of it; unit and text */
    struct gpu_counters counters;
    int error; /* of the device: it could not be made */
};

static struct subject *subject_of(const struct fuzz_subject *s)
{
    return (struct subject *)(uintptr_t)s;
}

/* ---- playing ---- */

struct jit_engine *fuzz_capture_engine(bool narrow)
{
    const struct jit_options options = {
        .level = narrow ? JIT_SSE41 : -1, .optimize = JIT_QUICK, .cache_dir = ""};
    struct jit_engine *engine;
    return jit_engine_create(&options, &engine, NULL) ? NULL : engine;
}

struct gpu_options fuzz_capture_options(struct jit_engine *engine, unsigned way)
{
    return (struct gpu_options){.engine = engine,
                                .in_order = way & FUZZ_WAY_PLAIN,
                                .fuel = FUEL,
                                .packet_budget = PACKETS,
                                .job_fuel = JOB_FUEL};
}

static struct jit_engine *engine_of(struct subject *s, bool narrow)
{
    if (!s->engine[narrow] && !(s->engine[narrow] = fuzz_capture_engine(narrow)))
        abort();
    return s->engine[narrow];
}

static void note_fault(struct play *p, const struct gpu_fault *fault, struct fuzz_result *features)
{
    char text[FUZZ_TEXT_MAX], kind[FUZZ_TEXT_MAX];
    gpu_fault_format(fault, text, sizeof text);
    snprintf(kind, sizeof kind, "%s: %.400s", fault->unit, fault->text);
    if (!p->faults) {
        memcpy(p->first, text, sizeof p->first);
        memcpy(p->kind, kind, sizeof p->kind);
    }
    p->faults = XXH3_64bits_withSeed(text, strlen(text), p->faults) | 1;
    if (!features)
        return;
    fuzz_feature_of_line(features, 20, kind, strlen(kind));
    fuzz_note_fault(features, kind);
}

static void note_faults(struct play *p, struct replay *replay, struct fuzz_result *features)
{
    struct gpu_fault faults[GPU_HOST_FAULTS];
    unsigned n;
    while ((n = replay_faults(replay, faults, UTIL_ARRAY_SIZE(faults))))
        for (unsigned i = 0; i < n; i++)
            note_fault(p, &faults[i], features);
}

static int open_reader(struct subject *s, struct capture_reader **out)
{
    const int err = capture_reader_from_memory(s->bytes, s->size, out, NULL);
    if (!err) {
        s->editor.units = &s->units;
        s->editor.changes = &s->changes;
        capture_reader_set_editor(*out, fuzz_edit_event, &s->editor);
    }
    return err;
}

static void play_frames(struct play *p, struct replay *replay, struct fuzz_result *features)
{
    struct util_error error = {0};
    struct capture_frame frame;
    while (p->frames < FUZZ_FRAMES_MAX && replay_next_frame(replay, false, &frame, &error) > 0) {
        struct util_image image = {0};
        note_faults(p, replay, features);
        const int err = replay_picture(replay, &frame, &image);
        p->pictures[p->frames++] =
            err ? (uint64_t)err : XXH3_64bits(image.pixels, 4 * (size_t)image.width * image.height);
        util_image_finish(&image);
    }
    note_faults(p, replay, features);
    replay_counters(replay, &p->counters);
}

static void play(struct subject *s, unsigned way, const struct gpu_observer *observer, struct play *p,
                 struct fuzz_result *features)
{
    struct gpu_options options =
        fuzz_capture_options(way & FUZZ_WAY_INTERPRETED ? NULL : engine_of(s, way & FUZZ_WAY_PLAIN), way);
    struct capture_reader *reader;
    struct replay *replay;
    options.observer = observer;
    memset(p, 0, sizeof *p);
    p->error = open_reader(s, &reader);
    if (p->error)
        return;
    p->error = replay_create(reader, &options, &replay, NULL);
    if (p->error) {
        capture_reader_close(reader);
        return;
    }
    play_frames(p, replay, features);
    replay_destroy(replay);
}

/* ---- trying ---- */

const char *fuzz_way_name(unsigned way)
{
    return way & FUZZ_WAY_INTERPRETED ? "interpreted" : "narrow vectors, in order";
}

static void compare(const struct play *p, const struct play *other, unsigned way, struct fuzz_result *out)
{
    char text[FUZZ_TEXT_MAX];
    uint32_t frame = 0;
    if (p->faults != other->faults) {
        snprintf(text, sizeof text, "faults differ, %s, %.80s\ncompiled: %.160s\n%s: %.160s",
                 fuzz_way_name(way), *p->kind ? p->kind : other->kind, *p->first ? p->first : "none",
                 fuzz_way_name(way), *other->first ? other->first : "none");
        fuzz_find(out, "differs", text);
    }
    while (frame < p->frames && p->pictures[frame] == other->pictures[frame])
        frame++;
    if (frame < p->frames || p->frames != other->frames) {
        snprintf(text, sizeof text, "picture differs, %s\npicture %u of %u", fuzz_way_name(way), frame + 1,
                 p->frames);
        fuzz_find(out, "differs", text);
    }
}

/* How much was done, roughly. */
static void note_counters(const struct gpu_counters *n, struct fuzz_result *out)
{
    const uint64_t all[] = {
        n->jobs,  n->draws,         n->vertices,     n->primitives_in,   n->primitives_binned,
        n->tiles, n->blocks_shaded, n->instructions, n->bytes_tile_lists};
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(all); i++)
        fuzz_feature(out,
                     XXH3_64bits_withSeed(&(uint32_t){64 - (all[i] ? (uint32_t)__builtin_clzll(all[i]) : 64)},
                                          sizeof(uint32_t), 30 + i));
}

static void attempt(struct fuzz_subject *subject, const struct fuzz_case *c, bool features,
                    struct fuzz_result *out)
{
    static struct play first, other;
    struct subject *s = subject_of(subject);
    memset(out, 0, offsetof(struct fuzz_result, features));
    out->fault_count = 0;
    fuzz_changes_get(c, &s->changes);
    if (s->played++ % SHARE == SHARE - 1)
        for (unsigned n = 0; n < UTIL_ARRAY_SIZE(s->engine); n++) {
            jit_engine_destroy(s->engine[n]);
            s->engine[n] = NULL;
        }
    play(s, 0, NULL, &first, features ? out : NULL);
    out->runs += first.frames;
    out->faulted += first.faults != 0;
    for (unsigned way = FUZZ_WAY_INTERPRETED; way <= FUZZ_WAY_PLAIN; way <<= 1)
        if (s->changes.head.ways & way) {
            play(s, way, NULL, &other, NULL);
            compare(&first, &other, way, out);
        }
    if (features)
        note_counters(&first.counters, out);
    struct capture_reader *reader;
    if (s->look && !open_reader(s, &reader)) {
        s->look(reader, out);
        capture_reader_close(reader);
    }
    if (!features)
        out->feature_count = 0;
    if (first.error && out->verdict == FUZZ_AGREES)
        out->verdict = FUZZ_REFUSED;
}

static void make(struct fuzz_subject *subject, struct isa_random *random, const struct fuzz_corpus *corpus,
                 struct fuzz_case *out)
{
    struct subject *s = subject_of(subject);
    fuzz_changes_make(&s->units, random, corpus, &s->changes);
    fuzz_changes_put(&s->changes, out);
}

void fuzz_capture_case(const struct fuzz_subject *subject, struct fuzz_case *out)
{
    struct subject *s = subject_of(subject);
    s->changes.head =
        (struct fuzz_capture_head){.units = s->units.count, .ways = FUZZ_WAY_INTERPRETED | FUZZ_WAY_PLAIN};
    fuzz_changes_put(&s->changes, out);
}

/* ---- smaller ---- */

static uint32_t steps(const struct fuzz_subject *subject, const struct fuzz_case *c)
{
    return fuzz_changes_steps(c);
}

static bool smaller(const struct fuzz_subject *subject, const struct fuzz_case *c, uint32_t first,
                    uint32_t count, struct fuzz_case *out)
{
    return fuzz_changes_smaller(c, first, count, out);
}

static uint32_t parts(const struct fuzz_subject *subject, const struct fuzz_case *c)
{
    return fuzz_changes_parts(c);
}

/* ---- writing ---- */

static int write_event(struct capture_writer *writer, const struct capture_event *event)
{
    switch (event->type) {
    case CAPTURE_EVENT_PAGES: return capture_write_pages(writer, event->pages.pages, event->pages.count);
    case CAPTURE_EVENT_REGISTER:
    case CAPTURE_EVENT_IRQ_REPLY:
        return capture_write_register(writer, event->reg.offset, event->reg.value,
                                      event->type == CAPTURE_EVENT_IRQ_REPLY);
    case CAPTURE_EVENT_FRAME: return capture_write_frame(writer, &event->frame);
    case CAPTURE_EVENT_END: break;
    }
    return 0;
}

static int save(struct fuzz_subject *subject, const struct fuzz_case *c, const char *path,
                struct util_error *error)
{
    struct subject *s = subject_of(subject);
    struct capture_writer *writer;
    struct capture_reader *reader;
    struct capture_event event;
    fuzz_changes_get(c, &s->changes);
    int err = open_reader(s, &reader);
    if (err)
        return util_fail(error, err, "out of memory");
    err = capture_writer_create(path, s->info.gpu, "vitrail fuzz", s->info.memory_size, &writer, error);
    if (!err) {
        while (!err && !(err = capture_read(reader, &event, error)) && event.type != CAPTURE_EVENT_END)
            err = write_event(writer, &event);
        const int closed = capture_writer_close(writer);
        err = err ? err : closed;
    }
    capture_reader_close(reader);
    return err ? util_fail(error, err, "%s: %s", path, strerror(-err)) : 0;
}

/* ---- what there is ---- */

static void find_program(struct subject *s, const struct gpu_observed_program *program)
{
    uint8_t *words = program && program->set ? gpu_observed_words(program) : NULL;
    if (words)
        fuzz_units_find(&s->units, program->set, words,
                        (size_t)program->word_count * program->set->word_bytes);
    free(words);
}

/* Programs of the capture as it is, each once; a few thousand, which are searched for. */
struct finder {
    struct subject *subject;
    uint64_t seen[1024];
    uint32_t count;
};

static void meet(struct finder *f, const struct gpu_observed_program *program)
{
    if (!program || f->count == UTIL_ARRAY_SIZE(f->seen))
        return;
    for (uint32_t n = 0; n < f->count; n++)
        if (f->seen[n] == program->hash)
            return;
    f->seen[f->count++] = program->hash;
    find_program(f->subject, program);
}

static void on_shade(void *data, const struct gpu_observed_shading *shading, bool done)
{
    meet(data, shading->program);
}

static void on_bin_end(void *data, const struct gpu_observed_program *coordinates,
                       const struct gpu_observed_binning *counts)
{
    meet(data, coordinates);
}

static void *on_job(void *data, unsigned worker, uint32_t batch, uint32_t job)
{
    return data;
}

static void on_list(void *job, const struct gpu_observed_list *list)
{
    meet(job, list->program);
}

static void on_vertices(void *data, const struct gpu_observed_program *program, uint64_t vertices,
                        uint64_t instructions)
{
    meet(data, program);
}

static void find_programs(struct subject *s)
{
    static struct play p;
    struct finder finder = {.subject = s};
    const struct gpu_observer observer = {.data = &finder,
                                          .shade = on_shade,
                                          .bin_end = on_bin_end,
                                          .job = on_job,
                                          .list = on_list,
                                          .vertices = on_vertices};
    play(s, 0, &observer, &p, NULL);
}

static void destroy(struct fuzz_subject *subject)
{
    struct subject *s = subject_of(subject);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(s->engine); n++)
        jit_engine_destroy(s->engine[n]);
    capture_reader_close(s->reader);
    fuzz_units_finish(&s->units);
    free(s->bytes);
    free(s);
}

int fuzz_capture_create(uint8_t *bytes, uint64_t size, fuzz_look_fn look, struct fuzz_subject **out,
                        struct util_error *error)
{
    static const struct fuzz_functions functions = {destroy, make, attempt, steps, smaller, parts, save};
    struct subject *s = calloc(1, sizeof *s);
    if (!s) {
        free(bytes);
        return util_fail(error, -ENOMEM, "out of memory");
    }
    *s = (struct subject){.base.functions = &functions, .bytes = bytes, .size = size, .look = look};
    int err = capture_reader_from_memory(bytes, size, &s->reader, error);
    if (!err) {
        capture_reader_info(s->reader, &s->info);
        err = fuzz_units_read(&s->units, s->reader, error);
    }
    if (err) {
        destroy(&s->base);
        return err;
    }
    find_programs(s);
    *out = &s->base;
    return 0;
}
