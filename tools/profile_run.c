/* Playing a capture for its profile. */
#include <errno.h>
#include <stdlib.h>

#include "tools/profile_internal.h"
#include "util/bits.h"

/* ---- jobs ---- */

static struct profile_job *find_job(const struct profile *p, uint32_t batch, uint32_t number)
{
    uint32_t low = 0, high = p->jobs.count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const struct profile_job *job = &p->jobs.at[middle];
        if (job->batch < batch || (job->batch == batch && job->number < number))
            low = middle + 1;
        else
            high = middle;
    }
    struct profile_job *job = low < p->jobs.count ? &p->jobs.at[low] : NULL;
    return job && job->batch == batch && job->number == number ? job : NULL;
}

void *profile_hand(struct collector *c, uint32_t batch, uint32_t number)
{
    struct profile_job *job = profile_counts(c) ? find_job(c->profile, batch, number) : NULL;
    struct hand *h = job ? calloc(1, sizeof *h) : NULL;
    if (!h) {
        c->out_of_memory |= job != NULL;
        return NULL;
    }
    h->collector = c;
    h->job = job;
    h->program = PROFILE_NONE;
    h->segment = PROFILE_NONE;
    return h;
}

/* ---- plays ---- */

/* Plays from the last restart point before the first picture that counts to the last. */
static int play(struct collector *c, double *ms, double *cpu_ms, struct util_error *error)
{
    struct profile *p = c->profile;
    struct capture_frame frame;
    double wall, cpu, wall_before = 0, cpu_before = 0;
    uint64_t skipped;
    int got = 1;
    if (replay_seek(c->replay, c->presented, p->first, &skipped))
        return util_fail(error, -ENOMEM, "out of memory");
    uint32_t number = (uint32_t)skipped;
    c->timed_draw = c->timed_shading = 0;
    *ms = *cpu_ms = 0;
    while (number < p->last) {
        c->picture = number + 1;
        c->number = 0;
        replay_device_time(c->replay, &wall_before, &cpu_before);
        got = replay_next_frame(c->replay, c->presented, &frame, error);
        if (got <= 0)
            break;
        replay_device_time(c->replay, &wall, &cpu);
        if (profile_counts(c)) {
            *ms += (wall - wall_before) * 1e3;
            *cpu_ms += (cpu - cpu_before) * 1e3;
            p->width = frame.width;
            p->height = frame.height;
        }
        number++;
        if (!c->timing)
            p->fault_count +=
                replay_faults(c->replay, p->faults + p->fault_count, PROFILE_FAULTS - p->fault_count);
        if (c->request->progress)
            c->request->progress(c->request->progress_data, c->done + replay_position(c->replay), c->size);
    }
    c->done += replay_position(c->replay);
    p->pictures = number;
    if (got >= 0 && number && c->request->picture && !c->request->picture->pixels)
        replay_picture(c->replay, &frame, c->request->picture); /* without it the map is plain */
    return got < 0 ? got : c->out_of_memory ? util_fail(error, -ENOMEM, "out of memory") : 0;
}

/* How many instructions one run executes at each word; their sum, 0: it is not known. */
static uint32_t count_once(struct profile_program *it)
{
    uint32_t sum = 0, at;
    void *program;
    if (it->set->create(it->words, it->word_count, &program, NULL))
        return 0;
    for (; it->set->executes(program, sum, &at); sum++)
        it->count[at]++;
    it->set->destroy(program);
    return sum;
}

/* Every run of a program without branches executes each of its instructions. */
static void count_runs(struct profile_program *it)
{
    char text[ISA_LINE_MAX];
    if (it->set->executes) {
        const uint32_t sum = count_once(it);
        for (uint32_t pc = 0; sum && pc < it->word_count; pc++)
            it->count[pc] = it->count[pc] * it->executed / sum;
        return;
    }
    for (uint32_t pc = 0; it->insn_count && pc < it->word_count;) {
        it->count[pc] = it->executed / it->insn_count;
        pc += it->set->line(it->words, it->word_count, pc, text);
    }
}

/* Counts that were made of a part of the primitives stand for all. */
static void scale_samples(struct profile *p)
{
    for (uint32_t i = 0; i < p->programs.count; i++) {
        struct profile_program *it = &p->programs.at[i];
        uint64_t counted = 0;
        if (!it->branches)
            count_runs(it);
        for (uint32_t pc = 0; pc < it->word_count; pc++)
            counted += it->count[pc];
        if (!it->branches || !counted || counted == it->executed)
            continue;
        it->sampled = true;
        for (uint32_t pc = 0; pc < it->word_count; pc++)
            it->count[pc] = (uint64_t)((double)it->count[pc] * (double)it->executed / (double)counted);
    }
}

static void add_shadings(struct profile *p)
{
    for (uint32_t i = 0; i < p->shadings.count; i++) {
        const struct profile_shading *s = &p->shadings.at[i];
        if (s->draw != PROFILE_NONE)
            p->draws.at[s->draw].vertex_ns += s->ns;
        if (s->program != PROFILE_NONE)
            p->programs.at[s->program].ns += s->ns;
    }
}

static void add_segments(struct profile *p)
{
    for (uint32_t i = 0; i < p->jobs.count; i++)
        for (uint32_t k = 0; k < p->jobs.at[i].segments.count; k++) {
            const struct profile_segment *s = &p->jobs.at[i].segments.at[k];
            if (s->program != PROFILE_NONE)
                p->programs.at[s->program].ns += s->ns;
            if (s->draw == PROFILE_NONE)
                continue;
            struct profile_draw *d = &p->draws.at[s->draw];
            d->pixels += s->pixels;
            d->blocks += s->blocks;
            d->fragment_instructions += s->instructions;
            d->vertex_ns += s->vertex_ns;
            d->fragment_ns += s->ns;
        }
}

static int play_all(struct collector *c, struct util_error *error)
{
    struct profile *p = c->profile;
    double ms, cpu_ms;
    c->observer = profile_count_observer(c);
    int code = play(c, &ms, &cpu_ms, error);
    if (code)
        return code;
    p->last = UTIL_MIN(p->last, p->pictures);
    c->observer = profile_time_observer(c);
    c->timing = true;
    for (uint32_t i = 0; i < c->request->loops; i++) {
        if ((code = play(c, &ms, &cpu_ms, error)))
            return code;
        p->wall_ms = i ? UTIL_MIN(p->wall_ms, ms) : ms;
        p->cpu_ms = i ? UTIL_MIN(p->cpu_ms, cpu_ms) : cpu_ms;
    }
    add_shadings(p);
    add_segments(p);
    scale_samples(p);
    return 0;
}

int profile_run(const struct profile_request *request, struct profile *out, struct util_error *error)
{
    struct collector c = {.profile = out, .request = request, .lock = PTHREAD_MUTEX_INITIALIZER};
    struct gpu_options options = *request->options;
    struct capture_reader *reader;
    struct capture_info info;
    out->first = UTIL_MAX(out->first, 1);
    out->last = out->last ? out->last : UINT32_MAX;
    out->loops = request->loops;
    int code = capture_reader_open(request->capture, &reader, error);
    if (code)
        return code;
    capture_reader_info(reader, &info);
    c.presented = !request->all && replay_shows_pictures(reader);
    c.size = info.file_size * (1 + request->loops);
    options.observer = &c.observer;
    const uint64_t count = replay_count_pictures(reader, c.presented, out->first, error);
    if (count < out->first && error->code)
        code = error->code;
    else if (count < out->first)
        code = util_fail(error, -ERANGE, "there %s %u picture%s, no number %u", count == 1 ? "is" : "are",
                         (unsigned)count, count == 1 ? "" : "s", out->first);
    if (!code)
        code = replay_create(reader, &options, &c.replay, error);
    if (code) {
        capture_reader_close(reader);
        return code;
    }
    code = play_all(&c, error);
    replay_destroy(c.replay);
    codes_finish(&c.codes);
    return code;
}

void profile_finish(struct profile *p)
{
    for (uint32_t i = 0; i < p->jobs.count; i++)
        free(p->jobs.at[i].segments.at);
    for (uint32_t i = 0; i < p->programs.count; i++) {
        free(p->programs.at[i].words);
        free(p->programs.at[i].count);
    }
    free(p->jobs.at);
    free(p->programs.at);
    free(p->shadings.at);
    free(p->draws.at);
    *p = (struct profile){0};
}
