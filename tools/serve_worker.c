/* A process of `vitrail serve`: a card that is there before its client. */
#include "tools/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "drm/protocol.h"
#include "tools/run_card.h"
#include "util/build.h"
#include "util/message.h"

#define PATIENCE_S 10 /* for what a client has to say before its program begins */

void serve_greet(const char *gpu, struct serve_greeting *out)
{
    char build[UTIL_BUILD_ID];
    *out = (struct serve_greeting){.magic = SERVE_MAGIC, .protocol = DRM_PROTOCOL_VERSION};
    util_build_id(build);
    snprintf(out->version, sizeof out->version, "%s", VITRAIL_VERSION);
    snprintf(out->build, sizeof out->build, "%.*s", (int)sizeof out->build - 1, build);
    snprintf(out->gpu, sizeof out->gpu, "%s", gpu);
}

struct guest {            /* who is served */
    int socket, listener; /* -1 */
    struct serve_note note;
};

static void tell(int link, const struct serve_note *note)
{
    util_message_send(link, note, sizeof *note, -1); /* who does not hear it is gone, which `link` shows */
}

/* Standard error of this process is the client's from now on. */
static void take_errors(int fd)
{
    if (fd < 0)
        return;
    close(STDERR_FILENO);
    int same = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO);
    (void)same; /* the lowest there is, and that was just closed */
}

/* Whether the client said all that it has to; a descriptor that nobody needs is closed. */
static bool hear(struct run *run, struct guest *guest)
{
    struct serve_request r;
    bool begins = false;
    for (unsigned said = 0; said < 8 && !begins; said++) {
        int fd = -1;
        if (!util_message_receive(guest->socket, &r, sizeof r, &fd))
            return false;
        if (r.what == SERVE_LISTENER && guest->listener < 0) {
            guest->listener = fd;
            fd = -1;
        } else if (r.what == SERVE_ERRORS) {
            take_errors(fd);
        } else if (r.what == SERVE_LOG && fd >= 0 && !run->log_file) {
            run->log_file = fdopen(fd, "a");
            fd = run->log_file ? -1 : fd;
        }
        begins = r.what == SERVE_BEGIN;
        if (fd >= 0)
            close(fd);
    }
    r.command[sizeof r.command - 1] = 0;
    memcpy(guest->note.command, r.command, sizeof r.command);
    return begins && guest->listener >= 0;
}

static int serve(struct run *run, struct run_card *card, struct guest *guest, int link)
{
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    const char byte = 0;
    struct serve_greeting greeting;
    serve_greet(run->gpu, &greeting);
    setsockopt(guest->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (!util_message_send(guest->socket, &greeting, sizeof greeting, -1) || !hear(run, guest))
        return TOOL_OK; /* it is not the server that it looked for */
    int status = run_card_serve(run, card, guest->listener);
    if (!status && util_message_send(guest->socket, &byte, 1, -1))
        run_card_wait(run, card, guest->socket, link);
    return status;
}

/* The first of our user that comes; -1: the server has ended. */
static int wait_for_client(int listener, int link, int32_t *process)
{
    struct pollfd polled[2] = {{.fd = listener, .events = POLLIN}, {.fd = link, .events = POLLIN}};
    while (!polled[1].revents) {
        if (poll(polled, 2, -1) <= 0 || polled[1].revents)
            continue;
        int socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC); /* another may have been faster */
        if (socket >= 0 && util_message_ours(socket)) {
            *process = util_message_peer(socket);
            return socket;
        }
        if (socket >= 0)
            close(socket);
    }
    return -1;
}

static int end(struct run *run, struct run_card *card, struct guest *guest, int link, int status)
{
    int closing = run_card_close(run, card, &guest->note.end.use);
    guest->note.end.status = status ? status : closing;
    guest->note.end.faults = run->faults;
    guest->note.what = SERVE_DONE;
    if (run->log_file)
        fclose(run->log_file);
    util_sandbox_leave();
    if (guest->socket >= 0) {
        util_message_send(guest->socket, &guest->note.end, sizeof guest->note.end, -1);
        tell(link, &guest->note);
    }
    return guest->note.end.status;
}

int serve_worker(const struct serve *serve_options, int listener, int link)
{
    struct run run = serve_options->run;
    struct run_card card = {.memory = {.fd = -1}};
    struct tool_sandbox sandbox;
    struct guest guest = {.socket = -1, .listener = -1, .note = {.what = SERVE_READY}};
    run_card_prepare();
    run_sandbox(&run, &sandbox);
    int status = tool_frames_start(run.name, &run.frames, &card.frames); /* none */
    if (!status)
        status = tool_sandbox_enter(&sandbox);
    if (!status)
        status = run_card_open(&run, &card);
    if (!status) {
        tell(link, &guest.note);
        guest.socket = wait_for_client(listener, link, &guest.note.client);
    }
    if (guest.socket >= 0) {
        guest.note.what = SERVE_TAKEN;
        tell(link, &guest.note);
        status = serve(&run, &card, &guest, link);
    }
    return end(&run, &card, &guest, link, status);
}
