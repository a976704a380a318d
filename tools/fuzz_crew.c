/* The processes of `vitrail fuzz`: each tries a slice of cases, or makes a finding smaller, until it is done, crashes or does
 * not end; then another takes its place, which knows what all before have found. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/fuzz.h"
#include "util/bits.h"

#define LOOK_SECONDS   0.1
#define KEEP_SECONDS   5.0
#define REDUCE_SECONDS 60.0
#define WAITS          10 /* times what a case may work, that it may take by the clock */

struct worker {
    pid_t process; /* 0: none */
    int pipe;
    enum fuzz_task task;
    uint64_t slice;
    uint32_t finding; /* that it makes smaller */
    struct fuzz_slot *slot;
    uint32_t step;       /* of the slot, when that was last seen to change, */
    double since, spent; /* when that was, and what processor time had been used by then */
    double started;
    bool late; /* killed, as its case did not end */
    struct fuzz_heard heard;
};

struct crew {
    struct fuzz_campaign *c;
    struct worker *workers;
    uint32_t count;
    double begun, kept, reduce_until;
    bool ending;
    int failed; /* the exit status that ends the work; 0: it goes on */
    struct fuzz_counts before;
    bool shown;
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    interrupted = 1;
}

static bool hear(struct crew *crew, struct worker *w)
{
    const bool more = fuzz_hear(crew->c, &w->heard, w->pipe);
    crew->failed = crew->failed ? crew->failed : w->heard.failed;
    return more;
}

/* ---- beginning ---- */

static bool start(struct crew *crew, struct worker *w, const struct fuzz_order *order)
{
    const pid_t self = getpid();
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return false;
    fflush(NULL);
    atomic_store(&w->slot->step, 0);
    atomic_store(&w->slot->stop, false);
    *w->slot->crash = 0;
    const pid_t process = fork();
    if (!process) {
        struct fuzz_order own = *order;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != self)
            _exit(TOOL_HOST);
        setpgid(0, 0);
        signal(SIGINT, SIG_IGN);
        signal(SIGTERM, SIG_DFL);
        for (uint32_t n = 0; n < crew->count; n++)
            if (crew->workers[n].process)
                close(crew->workers[n].pipe);
        close(ends[0]);
        own.slot = w->slot;
        own.pipe = ends[1];
        fuzz_work(&own);
    }
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        return false;
    }
    setpgid(process, process); /* whoever comes first */
    w->process = process;
    w->pipe = ends[0];
    w->task = order->task;
    w->step = 0;
    w->heard.used = 0;
    w->late = false;
    w->started = w->since = tool_seconds();
    w->spent = 0;
    return true;
}

static bool start_reducing(struct crew *crew, struct worker *w, uint32_t number, bool again)
{
    struct fuzz_finding *f = &crew->c->findings.at[number];
    char path[4096];
    const struct fuzz_order order = {
        .campaign = crew->c,
        .task = FUZZ_TASK_REDUCE,
        .path = fuzz_folder_finding(crew->c, f, fuzz_file_end(crew->c->options), path)};
    if (!again) {
        memset(&w->slot->reduce, 0, sizeof w->slot->reduce);
        memcpy(w->slot->reduce.name, f->cause, sizeof f->cause);
        w->slot->reduce.best = *f->found;
        crew->reduce_until = tool_seconds() + REDUCE_SECONDS;
    }
    w->finding = number;
    f->reducing = true;
    return start(crew, w, &order);
}

static bool start_slice(struct crew *crew, struct worker *w)
{
    struct fuzz_campaign *c = crew->c;
    const struct fuzz_options *o = c->options;
    const uint64_t number = o->shards ? c->next * o->shards + o->shard - 1 : c->next;
    w->slot->counts = (struct fuzz_counts){0};
    w->slot->fault_count = 0;
    w->slice = c->next++;
    return start(crew, w, &(struct fuzz_order){.campaign = c, .task = FUZZ_TASK_SLICE, .slice = number});
}

static uint32_t unreduced(const struct fuzz_campaign *c)
{
    uint32_t n = 0;
    while (n < c->findings.count && (c->findings.at[n].reduced || c->findings.at[n].reducing))
        n++;
    return n;
}

/* ---- ending ---- */

static void add_counts(struct fuzz_campaign *c, struct fuzz_slot *slot)
{
    c->counts.cases += slot->counts.cases;
    c->counts.refused += slot->counts.refused;
    c->counts.runs += slot->counts.runs;
    c->counts.faulted += slot->counts.faulted;
    for (uint32_t n = 0; n < UTIL_MIN(slot->fault_count, FUZZ_FAULT_KINDS); n++) {
        struct fuzz_kind_count one = slot->faults[n];
        uint32_t k = 0;
        one.name[FUZZ_NAME_MAX - 1] = 0;
        fuzz_hear_clean(one.name);
        while (k < c->fault_count && strcmp(c->faults[k].name, one.name) != 0)
            k++;
        if (k == FUZZ_FAULT_KINDS)
            continue;
        if (k == c->fault_count)
            c->faults[c->fault_count++] = (struct fuzz_kind_count){0};
        memcpy(c->faults[k].name, one.name, sizeof one.name);
        c->faults[k].count += one.count;
    }
    slot->counts = (struct fuzz_counts){0};
    slot->fault_count = 0;
}

/* Its process ended while it tried a case: what that comes to. */
static void name_end(const struct worker *w, int status, uint64_t limit, char name[FUZZ_NAME_MAX],
                     char text[FUZZ_TEXT_MAX])
{
    char crash[FUZZ_NAME_MAX];
    snprintf(crash, sizeof crash, "%.*s", FUZZ_NAME_MAX - 1, w->slot->crash);
    fuzz_hear_clean(crash);
    if (w->late)
        snprintf(text, FUZZ_TEXT_MAX, "no end after %llu s", (unsigned long long)limit);
    else if (*crash)
        snprintf(text, FUZZ_TEXT_MAX, "%s", crash);
    else if (WIFSIGNALED(status))
        snprintf(text, FUZZ_TEXT_MAX, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(text, FUZZ_TEXT_MAX, "its process ended with status %d", WEXITSTATUS(status));
    if (w->late)
        snprintf(name, FUZZ_NAME_MAX, "hang");
    else
        fuzz_name(name, "crash", text);
}

static void finish_reducing(struct crew *crew, struct worker *w)
{
    struct fuzz_finding *f = &crew->c->findings.at[w->finding];
    f->reducing = false;
    f->reduced = true;
    *f->found = w->slot->reduce.best;
    f->found->size = UTIL_MIN(f->found->size, (uint32_t)FUZZ_CASE_BYTES);
    f->parts = w->slot->reduce.parts;
    f->parts_before = w->slot->reduce.before;
    if (!w->slot->reduce.reproduced)
        snprintf(f->text + strlen(f->text), FUZZ_TEXT_MAX - strlen(f->text),
                 "\n(not seen again when it was tried alone)");
    fuzz_folder_keep_finding(crew->c, f);
    fuzz_explain(crew->c, f);
}

static void end_reducing(struct crew *crew, struct worker *w, bool trying, int status)
{
    char name[FUZZ_NAME_MAX], text[FUZZ_TEXT_MAX];
    bool saved = WIFEXITED(status) && WEXITSTATUS(status) == FUZZ_EXIT_DONE;
    if (trying) {
        name_end(w, status, crew->c->options->case_seconds, name, text);
        if (!strcmp(name, w->slot->reduce.name)) {
            w->slot->reduce.best = w->slot->now;
            w->slot->reduce.best.size = UTIL_MIN(w->slot->reduce.best.size, (uint32_t)FUZZ_CASE_BYTES);
            w->slot->reduce.reproduced = true;
        } else if (!w->slot->reduce.reproduced) {
            w->slot->reduce.done = true;
        }
    }
    if (tool_seconds() > crew->reduce_until || interrupted)
        w->slot->reduce.done = true;
    if (saved || crew->failed || !start_reducing(crew, w, w->finding, true))
        finish_reducing(crew, w);
}

/* It has ended as it should. */
static bool is_well(int status)
{
    return WIFEXITED(status) &&
           (WEXITSTATUS(status) == FUZZ_EXIT_DONE || WEXITSTATUS(status) == FUZZ_EXIT_BROKEN);
}

static void end(struct crew *crew, struct worker *w)
{
    char name[FUZZ_NAME_MAX], text[FUZZ_TEXT_MAX];
    int status = 0;
    kill(-w->process, SIGKILL); /* its broker too */
    while (waitpid(w->process, &status, 0) < 0 && errno == EINTR)
        ;
    close(w->pipe);
    w->process = 0;
    const bool trying = atomic_load(&w->slot->step) & 1;
    crew->c->seconds += tool_seconds() - w->started;
    if (w->task == FUZZ_TASK_REDUCE) {
        end_reducing(crew, w, trying, status);
        return;
    }
    if (trying) {
        static struct fuzz_case one;
        one = w->slot->now;
        one.size = UTIL_MIN(one.size, (uint32_t)FUZZ_CASE_BYTES);
        w->slot->counts.cases++;
        name_end(w, status, crew->c->options->case_seconds, name, text);
        if (fuzz_hear_finding(crew->c, name, text, &one))
            crew->failed = TOOL_HOST;
    }
    if (!trying && !crew->failed && !is_well(status)) {
        name_end(w, status, crew->c->options->case_seconds, name, text);
        crew->failed = tool_error("fuzz", TOOL_HOST, "a process ended while it prepared: %s", text);
    }
    add_counts(crew->c, w->slot);
}

/* ---- the crew ---- */

static bool is_over(const struct crew *crew)
{
    const struct fuzz_options *o = crew->c->options;
    uint64_t done = crew->c->counts.cases - crew->before.cases;
    for (uint32_t n = 0; n < crew->count; n++)
        if (crew->workers[n].process && crew->workers[n].task == FUZZ_TASK_SLICE)
            done += crew->workers[n].slot->counts.cases;
    return interrupted || crew->failed || (o->until_found && crew->c->findings.count) ||
           (o->cases && done >= o->cases) ||
           (o->seconds && tool_seconds() - crew->begun >= (double)o->seconds);
}

static bool fill(struct crew *crew)
{
    for (uint32_t n = 0; n < crew->count; n++) {
        struct worker *w = &crew->workers[n];
        const uint32_t finding = unreduced(crew->c);
        bool reduces = false;
        for (uint32_t k = 0; k < crew->count; k++)
            reduces |= crew->workers[k].process && crew->workers[k].task == FUZZ_TASK_REDUCE;
        if (w->process)
            continue;
        if (!interrupted && !crew->failed && !reduces && finding < crew->c->findings.count) {
            if (!start_reducing(crew, w, finding, false))
                return false;
        } else if (!crew->ending && !start_slice(crew, w)) {
            return false;
        }
    }
    return true;
}

/* How long a case may take. Of those that are made of one that does not end most do not end either: these get less. */
static double patience(const struct crew *crew, const struct worker *w)
{
    const double usual = (double)crew->c->options->case_seconds;
    const bool hangs = w->task == FUZZ_TASK_REDUCE && !strcmp(w->slot->reduce.name, "hang");
    return hangs ? UTIL_MIN(usual, UTIL_MAX(2.0, usual / 10)) : usual;
}

/* Processor time of all its threads, in seconds. */
static double spent_by(pid_t process)
{
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(process, &clock) || clock_gettime(clock, &time))
        return 0;
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* What counts is the work, as others may use the processor; but what waits for itself does none, and the work of --against is
 * another's. */
static bool is_late(const struct crew *crew, const struct worker *w, double now)
{
    const double most = patience(crew, w), waits = crew->c->options->against ? 1 : WAITS;
    return spent_by(w->process) - w->spent >= most || now - w->since >= waits * most;
}

static void look_after(struct crew *crew, struct worker *w, bool readable)
{
    siginfo_t info = {0};
    const double now = tool_seconds();
    const uint32_t step = atomic_load(&w->slot->step);
    const bool dead =
        !waitid(P_PID, (id_t)w->process, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid == w->process;
    bool over = readable && !hear(crew, w);
    if (dead) {
        struct pollfd rest = {.fd = w->pipe, .events = POLLIN};
        while (!over && poll(&rest, 1, 0) > 0 && hear(crew, w))
            ;
    }
    if (step != w->step) {
        w->step = step;
        w->since = now;
        w->spent = spent_by(w->process);
    }
    w->late = !dead && !over && is_late(crew, w, now);
    if (dead || over || w->late)
        end(crew, w);
    else if (w->task == FUZZ_TASK_REDUCE && (now > crew->reduce_until || interrupted))
        atomic_store(&w->slot->stop, true);
}

static void show(struct crew *crew, double now)
{
    const struct fuzz_campaign *c = crew->c;
    uint64_t cases = c->counts.cases;
    if (!isatty(STDERR_FILENO))
        return;
    for (uint32_t n = 0; n < crew->count; n++)
        cases += crew->workers[n].process ? crew->workers[n].slot->counts.cases : 0;
    crew->shown = true;
    fprintf(stderr, "\r%llu cases, %.0f a second, %u features, %u findings", (unsigned long long)cases,
            (double)(cases - crew->before.cases) / (now - crew->begun + 1e-3), c->features.count,
            c->findings.count);
    if (c->options->seconds)
        fprintf(stderr, ", %.0f s left", UTIL_MAX(0.0, (double)c->options->seconds - (now - crew->begun)));
    fprintf(stderr, "%s \x1b[K", crew->ending ? ", ending" : "");
}

static uint32_t busy(const struct crew *crew)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < crew->count; i++)
        n += crew->workers[i].process != 0;
    return n;
}

static int work(struct crew *crew)
{
    struct pollfd polls[FUZZ_JOBS_MAX];
    for (;;) {
        const double now = tool_seconds();
        crew->ending = is_over(crew);
        for (uint32_t n = 0; n < crew->count && crew->ending; n++)
            if (crew->workers[n].process && crew->workers[n].task == FUZZ_TASK_SLICE)
                atomic_store(&crew->workers[n].slot->stop, true);
        if (!fill(crew))
            return tool_error("fuzz", TOOL_HOST, "cannot start a process: %s", strerror(errno));
        if (!busy(crew))
            return crew->failed;
        for (uint32_t n = 0; n < crew->count; n++)
            polls[n] = (struct pollfd){.fd = crew->workers[n].process ? crew->workers[n].pipe : -1,
                                       .events = POLLIN};
        poll(polls, crew->count, (int)(LOOK_SECONDS * 1e3));
        for (uint32_t n = 0; n < crew->count; n++)
            if (crew->workers[n].process)
                look_after(crew, &crew->workers[n], polls[n].revents);
        show(crew, now);
        if (now - crew->kept > KEEP_SECONDS) {
            crew->kept = now;
            fuzz_folder_keep_totals(crew->c);
        }
    }
}

static int begin(struct crew *crew, struct fuzz_campaign *c, uint32_t count)
{
    *crew = (struct crew){.c = c, .count = count, .begun = tool_seconds(), .before = c->counts};
    crew->kept = crew->begun;
    crew->workers = calloc(count, sizeof *crew->workers);
    for (uint32_t n = 0; crew->workers && n < count; n++) {
        struct worker *w = &crew->workers[n];
        w->heard.bytes = malloc(FUZZ_MESSAGE_MAX);
        w->slot = mmap(NULL, sizeof *w->slot, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (w->slot == MAP_FAILED)
            w->slot = NULL;
        if (!w->heard.bytes || !w->slot)
            return -ENOMEM;
    }
    return crew->workers ? 0 : -ENOMEM;
}

static void finish(struct crew *crew)
{
    for (uint32_t n = 0; crew->workers && n < crew->count; n++) {
        struct worker *w = &crew->workers[n];
        if (w->process)
            end(crew, w);
        if (w->slot)
            munmap(w->slot, sizeof *w->slot);
        free(w->heard.bytes);
    }
    free(crew->workers);
}

int fuzz_run(struct fuzz_campaign *c)
{
    const struct sigaction action = {.sa_handler = on_interrupt};
    struct crew crew;
    int code = TOOL_HOST;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (begin(&crew, c, (uint32_t)c->options->jobs))
        tool_error("fuzz", 0, "out of memory");
    else
        code = work(&crew);
    const double seconds = tool_seconds() - crew.begun;
    finish(&crew);
    if (crew.shown)
        fprintf(stderr, "\r\x1b[K");
    if (!code)
        code = fuzz_folder_keep_totals(c);
    if (!code)
        fuzz_tell(c, &crew.before, seconds);
    return code;
}

int fuzz_try_again(struct fuzz_campaign *c)
{
    struct crew crew;
    int code = TOOL_HOST;
    if (begin(&crew, c, 1) ||
        !start(&crew, &crew.workers[0], &(struct fuzz_order){.campaign = c, .task = FUZZ_TASK_AGAIN}))
        return tool_error("fuzz", TOOL_HOST, "cannot start a process: %s", strerror(errno));
    struct worker *w = &crew.workers[0];
    while (w->process) {
        struct pollfd one = {.fd = w->pipe, .events = POLLIN};
        poll(&one, 1, (int)(LOOK_SECONDS * 1e3));
        look_after(&crew, w, one.revents);
    }
    code = crew.failed ? crew.failed : c->findings.count ? TOOL_DIFFERS : TOOL_OK;
    if (!code && !c->counts.cases)
        code = TOOL_BAD_FILE; /* its process has said why */
    for (uint32_t n = 0; n < c->findings.count; n++)
        printf("%s: %s\n", c->findings.at[n].name, c->findings.at[n].text);
    if (!code)
        printf("%llu %s, no difference\n", (unsigned long long)c->counts.runs, fuzz_run_noun(c));
    finish(&crew);
    return code;
}
