/* How peers become connections: one must be of our user, and greet us before it gets a thread. Those that
 * have not greeted yet wait side by side, so that one that says nothing keeps nobody else out; it is sent
 * away after a while, or when too many wait.
 *
 * A descriptor is kept in reserve: when there are no others left, a peer is let in on it to be told so. */
#include "drm/server/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "util/message.h"

#define MAX_STRANGERS 16
#define PATIENCE      2000 /* ms for a greeting */
#define PAUSE         50   /* ms until the listener is looked at again, when a peer cannot be let in at all */

struct stranger {
    int socket;
    int64_t until; /* ms */
};

struct door {
    struct drm_server *server;
    struct stranger waiting[MAX_STRANGERS]; /* the oldest first */
    unsigned count;
    int reserve;    /* a descriptor, or -1 */
    bool last_room; /* the reserve was used to let the newest one in */
    int64_t shut;   /* not before this time, in ms */
};

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- a greeting ---- */

/* What the reply to HELLO says. 0, or the reason why there is no connection. */
static int make_connection(struct drm_server *server, int socket, struct drm_server_answer *a)
{
    int channel;
    int r = server->stopping ? -ESHUTDOWN : drm_server_add_connection(server, socket, NULL, &channel);
    if (r)
        return r;
    a->reply.a = server->memory->size;
    a->reply.b = DRM_CHANNEL_BYTES;
    drm_server_lend(a, server->memory->fd);
    drm_server_give(a, channel);
    drm_server_lend(a, drm_fence_page_fd(server->drm));
    return 0;
}

/* Answered under the lock: the connection's threads may end it at once, and free it with its socket. */
static void welcome(struct drm_server *server, int socket, int refusal)
{
    struct drm_server_answer a = {0};
    pthread_mutex_lock(&server->lock);
    a.reply.result = refusal ? refusal : make_connection(server, socket, &a);
    bool sent = drm_server_send(socket, &a);
    if (a.reply.result)
        close(socket);
    else if (!sent)
        shutdown(socket, SHUT_RDWR);
    pthread_mutex_unlock(&server->lock);
}

/* ---- those who wait ---- */

static void forget(struct door *d, unsigned n)
{
    d->count--;
    for (; n < d->count; n++)
        d->waiting[n] = d->waiting[n + 1];
}

static void send_away(struct door *d, unsigned n)
{
    close(d->waiting[n].socket);
    forget(d, n);
}

/* Whether it has greeted or is to go: then it waits no more. */
static bool hear(struct door *d, unsigned n)
{
    struct drm_message m;
    int socket = d->waiting[n].socket, r = drm_server_look(socket, &m);
    if (!r)
        return false;
    if (r < 0 || m.type != DRM_MSG_HELLO || m.a != DRM_PROTOCOL_VERSION) {
        send_away(d, n);
        return true;
    }
    bool last = d->last_room && n + 1 == d->count;
    forget(d, n);
    welcome(d->server, socket, last ? -EMFILE : 0);
    return true;
}

static void take_reserve(struct door *d)
{
    if (d->reserve < 0)
        d->reserve = fcntl(d->server->quit, F_DUPFD_CLOEXEC, 0);
    d->last_room = d->last_room && d->reserve < 0;
}

static int accept_one(struct door *d)
{
    int socket = accept4(d->server->listener, NULL, NULL, SOCK_CLOEXEC);
    if (socket >= 0 || (errno != EMFILE && errno != ENFILE) || d->reserve < 0)
        return socket;
    close(d->reserve);
    d->reserve = -1;
    d->last_room = true;
    return accept4(d->server->listener, NULL, NULL, SOCK_CLOEXEC);
}

static void let_in(struct door *d)
{
    if (d->count == MAX_STRANGERS)
        send_away(d, 0);
    int socket = accept_one(d);
    if (socket < 0) {
        if (errno != EINTR && errno != ECONNABORTED)
            d->shut = now_ms() + PAUSE;
        return;
    }
    if (!util_message_ours(socket)) {
        close(socket);
        return;
    }
    d->waiting[d->count++] = (struct stranger){socket, now_ms() + PATIENCE};
}

/* ---- the thread ---- */

/* Until something happens or is due; whether to go on. The listener stands first in `polled`. */
static bool await(struct door *d, struct pollfd polled[2 + MAX_STRANGERS])
{
    int64_t now = now_ms(), wake = d->count ? d->waiting[0].until : INT64_MAX;
    bool open = now >= d->shut && (d->reserve >= 0 || !d->last_room);
    polled[0] = (struct pollfd){open ? d->server->listener : -1, POLLIN, 0};
    polled[1] = (struct pollfd){d->server->quit, POLLIN, 0};
    for (unsigned n = 0; n < d->count; n++)
        polled[2 + n] = (struct pollfd){d->waiting[n].socket, POLLIN, 0};
    if (!open)
        wake = UTIL_MIN(wake, UTIL_MAX(d->shut, now + PAUSE));
    int timeout = wake == INT64_MAX ? -1 : wake > now ? (int)(wake - now) : 0;
    int r = poll(polled, 2 + d->count, timeout);
    if (r < 0 && errno != EINTR)
        return false;
    return r < 0 || !polled[1].revents;
}

void *drm_server_admit(void *data)
{
    struct door d = {.server = data, .reserve = -1};
    struct pollfd polled[2 + MAX_STRANGERS];
    take_reserve(&d);
    while (await(&d, polled)) {
        for (unsigned n = d.count; n-- > 0;)
            if (!polled[2 + n].revents || !hear(&d, n))
                if (now_ms() >= d.waiting[n].until)
                    send_away(&d, n);
        take_reserve(&d);
        if (polled[0].revents & POLLIN)
            let_in(&d);
    }
    while (d.count)
        send_away(&d, 0);
    if (d.reserve >= 0)
        close(d.reserve);
    return NULL;
}
