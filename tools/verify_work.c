/* The processes of `vitrail verify`: a few at once, each with a pipe for what it tells, a memory file for what it says
 * on standard error, and a deadline. */
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

#include "tools/verify.h"
#include "tools/verify_hear.h"

#define LOOK_SECONDS 0.25
#define SAID_MAX     4096u /* bytes of standard error that are kept */

struct worker {
    pid_t process; /* 0: none */
    int pipe, said;
    double started;
    bool late; /* killed at its deadline */
    struct verify_heard heard;
};

struct crew {
    const struct manifest *manifest;
    const struct verify_options *options;
    struct report *report;
    uint32_t *case_at; /* by the manifest's number: place in the report */
    struct worker *workers;
    struct pollfd *polls;
    uint32_t count, next, done, units; /* next: unit to begin; done of units */
    char said[SAID_MAX];               /* the last that was passed on */
    struct tool_progress progress;
};

/* ---- the shard ---- */

static bool is_ours(const struct verify_options *o, uint32_t unit)
{
    return !o->shards || unit % o->shards == o->shard - 1;
}

static int add_case(struct crew *crew, uint32_t number)
{
    const struct manifest_case *m = &crew->manifest->cases.at[number];
    struct report *r = crew->report;
    struct report_case *c = &r->cases.at[r->cases.count++]; /* there is room for all */
    *c = (struct report_case){.number = number,
                              .capture = strdup(m->capture),
                              .path = report_clean(m->capture_path, strlen(m->capture_path), false),
                              .picture = strdup(m->picture),
                              .options = strdup(m->options),
                              .reason = strdup(m->reason),
                              .frame = m->frame,
                              .tolerance = (uint32_t)m->settings.tolerance,
                              .share = m->settings.share,
                              .result.verdict = REPORT_CRASHED};
    crew->case_at[number] = r->cases.count - 1;
    return c->capture && c->path && c->picture && c->options && c->reason ? 0 : -ENOMEM;
}

static int add_cases(struct crew *crew)
{
    const struct manifest *m = crew->manifest;
    struct report *r = crew->report;
    r->cases.room = m->cases.count;
    r->cases.at = malloc(sizeof *r->cases.at * ((size_t)m->cases.count + 1));
    crew->case_at = calloc((size_t)m->cases.count + 1, sizeof *crew->case_at);
    if (!r->cases.at || !crew->case_at)
        return -ENOMEM;
    for (uint32_t n = 0; n < m->cases.count; n++)
        if (is_ours(crew->options, m->cases.at[n].unit) && add_case(crew, n))
            return -ENOMEM;
    for (uint32_t u = 0; u < m->unit_count; u++)
        crew->units += is_ours(crew->options, u);
    r->total = m->cases.count;
    r->picture_room = crew->options->picture_bytes;
    r->shard = crew->options->shard;
    r->shards = crew->options->shards;
    return 0;
}

/* ---- a process ---- */

/* A file that holds SAID_MAX bytes and takes no more. */
static int open_said(void)
{
    int fd = memfd_create("vitrail-said", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0 && (ftruncate(fd, SAID_MAX) || fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK))) {
        close(fd);
        return -1;
    }
    return fd;
}

/* What it must not have of the others: their pipes and files. */
static void be_worker(const struct crew *crew, const struct manifest_unit *unit, int pipe, int said,
                      pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(TOOL_HOST);
    setpgid(0, 0);
    for (uint32_t i = 0; i < crew->count; i++)
        if (crew->workers[i].process) {
            close(crew->workers[i].pipe);
            close(crew->workers[i].said);
        }
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(nothing, STDOUT_FILENO) < 0 ||
        dup2(said, STDERR_FILENO) < 0)
        _exit(TOOL_HOST);
    close(nothing);
    close(said);
    verify_play(crew->manifest, unit, crew->options, pipe);
    _exit(TOOL_OK);
}

static bool begin(struct crew *crew, struct worker *w, uint32_t unit)
{
    const struct manifest_unit *u = &crew->manifest->units[unit];
    const pid_t self = getpid();
    int ends[2];
    *w = (struct worker){.started = tool_seconds()};
    if (pipe2(ends, O_CLOEXEC))
        return false;
    const int said = open_said();
    fflush(NULL);
    pid_t process = said < 0 || verify_hear_begin(&w->heard, crew->manifest, u, crew->report, crew->case_at)
                        ? -1
                        : fork();
    if (!process) {
        close(ends[0]);
        be_worker(crew, u, ends[1], said, self);
    }
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        if (said >= 0)
            close(said);
        verify_hear_end(&w->heard);
        return false;
    }
    setpgid(process, process); /* whoever comes first */
    w->process = process;
    w->pipe = ends[0];
    w->said = said;
    return true;
}

static void read_said(const struct worker *w, char text[SAID_MAX])
{
    ssize_t n = pread(w->said, text, SAID_MAX - 1, 0);
    text[n > 0 ? n : 0] = 0;
    size_t length = strlen(text);
    while (length && text[length - 1] == '\n')
        text[--length] = 0;
}

/* What went on without harm (there is no sandbox, perhaps) is said once. */
static void pass_on(struct crew *crew, const char *text)
{
    if (!*text || !strcmp(text, crew->said))
        return;
    tool_progress_end(&crew->progress);
    fprintf(stderr, "%s\n", text);
    memcpy(crew->said, text, SAID_MAX);
}

static void end(struct crew *crew, struct worker *w)
{
    char text[SAID_MAX], detail[SAID_MAX + 128];
    int status = 0;
    kill(-w->process, SIGKILL); /* its broker too, should that hang; all was told, or it is late */
    while (waitpid(w->process, &status, 0) < 0 && errno == EINTR)
        ;
    read_said(w, text);
    if (w->heard.ended)
        pass_on(crew, text);
    if (w->late)
        snprintf(detail, sizeof detail, "no end after %llu s", (unsigned long long)crew->options->time_limit);
    else if (WIFSIGNALED(status))
        snprintf(detail, sizeof detail, "its process ended by signal %d (%s)%s%s", WTERMSIG(status),
                 strsignal(WTERMSIG(status)), *text ? ": " : "", text);
    else
        snprintf(detail, sizeof detail, "its process ended too early%s%s", *text ? ": " : "", text);
    if (!w->heard.ended)
        verify_hear_lost(&w->heard, w->late ? REPORT_TIMEOUT : REPORT_CRASHED, detail);
    verify_hear_seconds(&w->heard, tool_seconds() - w->started);
    verify_hear_end(&w->heard);
    close(w->pipe);
    close(w->said);
    w->process = 0;
    tool_progress_step(&crew->progress, ++crew->done);
}

/* ---- the crew ---- */

static int fill(struct crew *crew)
{
    for (uint32_t i = 0; i < crew->count; i++) {
        struct worker *w = &crew->workers[i];
        while (crew->next < crew->manifest->unit_count && !is_ours(crew->options, crew->next))
            crew->next++;
        if (w->process || crew->next == crew->manifest->unit_count)
            continue;
        if (!begin(crew, w, crew->next++))
            return tool_error(crew->options->command, TOOL_HOST, "cannot start a process: %s",
                              strerror(errno));
    }
    return TOOL_OK;
}

/* Until something was told, the next deadline, or the next look whether one has died. The number of processes at work. */
static uint32_t await(struct crew *crew)
{
    const double now = tool_seconds();
    double patience = LOOK_SECONDS;
    uint32_t n = 0;
    for (uint32_t i = 0; i < crew->count; i++) {
        const struct worker *w = &crew->workers[i];
        crew->polls[i] = (struct pollfd){.fd = w->process ? w->pipe : -1, .events = POLLIN};
        if (!w->process)
            continue;
        n++;
        const double left = w->started + (double)crew->options->time_limit - now;
        patience = left < patience ? left : patience;
    }
    if (n)
        poll(crew->polls, crew->count, patience > 0 ? (int)(patience * 1e3) + 1 : 0);
    return n;
}

/* Its pipe alone does not say so: the broker of its sandbox holds it, too, and may hang in a file of the command line. */
static bool has_died(const struct worker *w)
{
    siginfo_t info = {0};
    return !waitid(P_PID, (id_t)w->process, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid == w->process;
}

static void hear_rest(struct worker *w)
{
    struct pollfd poll_pipe = {.fd = w->pipe, .events = POLLIN};
    while (poll(&poll_pipe, 1, 0) > 0 && verify_hear(&w->heard, w->pipe))
        ;
}

static void look_after(struct crew *crew, struct worker *w, bool readable)
{
    const bool dead = has_died(w); /* before the last that it told is heard */
    const bool over = dead || (readable && !verify_hear(&w->heard, w->pipe));
    if (dead)
        hear_rest(w);
    w->late = !over && tool_seconds() - w->started >= (double)crew->options->time_limit;
    if (over || w->late)
        end(crew, w);
}

static int work(struct crew *crew)
{
    int code;
    while (!(code = fill(crew)) && await(crew))
        for (uint32_t i = 0; i < crew->count; i++)
            if (crew->workers[i].process)
                look_after(crew, &crew->workers[i], crew->polls[i].revents);
    for (uint32_t i = 0; i < crew->count; i++) /* after a failure */
        if (crew->workers[i].process)
            end(crew, &crew->workers[i]);
    return code;
}

static int note_time(struct report *r)
{
    const time_t now = time(NULL);
    struct tm parts;
    if (!gmtime_r(&now, &parts) || !strftime(r->started, sizeof r->started, "%Y-%m-%dT%H:%M:%SZ", &parts))
        *r->started = 0;
    snprintf(r->version, sizeof r->version, "%s", VITRAIL_VERSION);
    r->subject = strdup("");
    r->filter = strdup("");
    r->label = strdup("");
    return r->subject && r->filter && r->label ? 0 : -ENOMEM;
}

int verify_run(const struct manifest *manifest, const struct verify_options *options, struct report *out)
{
    struct crew crew = {
        .manifest = manifest, .options = options, .report = out, .count = (uint32_t)options->jobs};
    int code = TOOL_HOST;
    *out = (struct report){0};
    crew.workers = calloc(crew.count, sizeof *crew.workers);
    crew.polls = calloc(crew.count, sizeof *crew.polls);
    if (!crew.workers || !crew.polls || note_time(out) || add_cases(&crew)) {
        tool_error(options->command, TOOL_HOST, "out of memory");
    } else {
        tool_progress_begin(&crew.progress, options->command, crew.units);
        code = work(&crew);
        tool_progress_end(&crew.progress);
    }
    if (out->left_out)
        tool_error(options->command, 0, "%u pictures are left out: there are more than %llu MiB of them",
                   out->left_out, (unsigned long long)options->picture_bytes >> 20);
    free(crew.case_at);
    free(crew.workers);
    free(crew.polls);
    return code;
}
