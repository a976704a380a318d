/* The client of `vitrail serve`: a run whose card stands ready in another's process. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "gpu/families.h"
#include "tools/serve.h"
#include "util/message.h"

#define BUSY_MS  5000 /* until a word on why nothing happens */
#define BEGIN_MS 2000 /* for a server that was begun just before */
#define LOOK_MS  50

static int refuse(const struct run *run, const char *why, const char *more)
{
    close(run->remote);
    return tool_error(run->name, TOOL_HOST, "--server %s: %s%s", run->server, why, more);
}

static bool reach(int socket, const struct sockaddr_un *address)
{
    for (unsigned waited = 0;; waited += LOOK_MS) {
        if (!connect(socket, (const struct sockaddr *)address, sizeof *address))
            return true;
        if ((errno != ENOENT && errno != ECONNREFUSED) || waited >= BEGIN_MS)
            return false;
        poll(NULL, 0, LOOK_MS);
    }
}

static int find(struct run *run)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(run->server) >= sizeof address.sun_path)
        return tool_error(run->name, TOOL_USAGE, "--server %s: no path of a socket is so long", run->server);
    memcpy(address.sun_path, run->server, strlen(run->server));
    run->remote = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (run->remote < 0)
        return tool_error(run->name, TOOL_HOST, "no socket: %s", strerror(errno));
    if (!reach(run->remote, &address))
        return refuse(run,
                      errno == ENOENT         ? "nobody serves there: `vitrail serve --socket` does"
                      : errno == ECONNREFUSED ? "its server has ended"
                                              : strerror(errno),
                      "");
    if (!util_message_ours(run->remote))
        return refuse(run, "that is another user's", "");
    return -1;
}

/* All fields end with a zero, whoever sent them. */
static bool greeted(const struct run *run, struct serve_greeting *out)
{
    struct pollfd polled = {.fd = run->remote, .events = POLLIN};
    int none;
    if (!poll(&polled, 1, BUSY_MS))
        tool_error(run->name, 0, "%s serves as many as it may: this run waits for its turn", run->server);
    if (!util_message_receive(run->remote, out, sizeof *out, &none))
        return false;
    if (none >= 0)
        close(none);
    out->version[sizeof out->version - 1] = out->build[sizeof out->build - 1] = 0;
    out->gpu[sizeof out->gpu - 1] = 0;
    return !memcmp(out->magic, SERVE_MAGIC, sizeof out->magic);
}

int run_remote_open(struct run *run)
{
    struct serve_greeting theirs, ours;
    int status = find(run);
    if (status >= 0)
        return status;
    if (!greeted(run, &theirs))
        return refuse(run, "what answers there is no server of ours", "");
    serve_greet(run->gpu ? run->gpu : "", &ours);
    if (theirs.protocol != ours.protocol || strcmp(theirs.version, ours.version) != 0)
        return refuse(run, "this is vitrail " VITRAIL_VERSION ", and its server is ", theirs.version);
    if (strcmp(theirs.build, ours.build) != 0)
        return refuse(run, "its server is of another build: start it again", "");
    if (run->gpu && strcmp(theirs.gpu, run->gpu) != 0)
        return refuse(run, "it does not serve that GPU, but a ", theirs.gpu);
    const struct gpu_info *gpu = gpu_info_find(theirs.gpu);
    if (!gpu)
        return refuse(run, "it serves a GPU that is not known here: ", theirs.gpu);
    run->gpu = gpu->name;
    return -1;
}

static bool ask(const struct run *run, enum serve_what what, int fd)
{
    struct serve_request request = {.what = what};
    if (what == SERVE_BEGIN)
        run_command_line(run, request.command, sizeof request.command);
    return util_message_send(run->remote, &request, sizeof request, fd);
}

int run_remote_start(struct run *run)
{
    int log = run->log ? open(run->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1, none;
    char byte;
    if (run->log && log < 0)
        return tool_error(run->name, TOOL_BAD_FILE, "%s: %s", run->log, strerror(errno));
    bool errors = fcntl(STDERR_FILENO, F_GETFD) >= 0;
    bool good = ask(run, SERVE_LISTENER, run->listener) &&
                (!errors || ask(run, SERVE_ERRORS, STDERR_FILENO)) && (log < 0 || ask(run, SERVE_LOG, log)) &&
                ask(run, SERVE_BEGIN, -1) && util_message_receive(run->remote, &byte, 1, &none);
    close(run->listener);
    if (log >= 0)
        run->log_file = fdopen(log, "a"); /* what is said at the end of the run */
    return good ? -1 : refuse(run, "it gives no card", "");
}

bool run_remote_end(const struct run *run, int *status, struct drm_use *use)
{
    struct serve_end end;
    int none;
    if (!util_message_receive(run->remote, &end, sizeof end, &none))
        return false;
    if (none >= 0)
        close(none);
    *status = end.status & 0xff;
    *use = end.use;
    return true;
}
