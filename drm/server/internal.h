/* What the files of the server share. Not for users.
 *
 * server.c: the server, and what a connection's threads do; door.c: how peers become connections;
 * connection.c: what one is; ring.c: messages in shared memory; call.c: what a message leads to; files.c:
 * open files; keeper.c: those that are on their way to another process; wire.c: sockets.
 *
 * Nobody waits for a job or for a peer with the server's lock held. */
#ifndef VITRAIL_DRM_SERVER_INTERNAL_H
#define VITRAIL_DRM_SERVER_INTERNAL_H

#include <pthread.h>

#include "drm/core/ids.h"
#include "drm/protocol.h"
#include "drm/server/server.h"
#include "util/bits.h"

/* An open file, held by every process that opened, inherited or adopted it. Without holders it waits for the keeper,
 * or for one who adopts it. */
struct drm_server_file {
    struct drm_file *file;
    uint32_t holders;
    unsigned minor;
    uint64_t device, inode; /* of its descriptor */
};

struct drm_server_connection {
    struct drm_server *server;
    int socket;
    struct drm_channel *channel;
    uint8_t *held; /* by file number: whether this process holds it */
    uint32_t held_count;
    uint32_t asked;          /* rings taken so far; both threads look at it */
    unsigned threads;        /* that use it still; the last one frees it. Under the server's lock */
    pthread_mutex_t serving; /* one of them speaks with the client */
    uint32_t over;           /* the client has gone; written under the server's lock */
    struct drm_server_connection *next, **link;
};

struct drm_server {
    struct drm *drm;
    struct gpu_memory *memory;
    struct drm_input *input; /* NULL: none */
    int listener, quit;
    int kept; /* an eventfd that wakes the keeper; -1: there is none */
    pthread_t acceptor, keeper;
    void *(*serve)(void *connection); /* of its threads */
    pthread_mutex_t lock;             /* the files, the list of connections; taken before the card's own */
    pthread_cond_t gone;
    struct drm_ids files; /* struct drm_server_file */
    struct drm_server_connection *connections;
    unsigned count;
    bool stopping;
};

/* What a message leads to: the reply and descriptors that go with it. */
struct drm_server_answer {
    struct drm_reply reply;
    int fd[3];
    bool lent[3]; /* stays open; the others are closed once sent */
    unsigned fd_count;
};

static inline void drm_server_give(struct drm_server_answer *a, int fd)
{
    a->fd[a->fd_count++] = fd;
}

static inline void drm_server_lend(struct drm_server_answer *a, int fd)
{
    a->lent[a->fd_count] = true;
    drm_server_give(a, fd);
}

/* ---- wire.c ---- */
/* The descriptors are closed, or what was lent is given back, even when it returns false. */
bool drm_server_send(int socket, struct drm_server_answer *a);
/* One message with at most one descriptor; without one *fd is -1, when there was no room for it -EMFILE.
 * False when the connection is over or the peer talks nonsense. */
bool drm_server_receive(int socket, struct drm_message *m, int *fd);
/* The same without waiting, for a message that takes no descriptor. 1; 0: there is none yet; -EPROTO. */
int drm_server_look(int socket, struct drm_message *m);

/* ---- files.c; lock held, but to close one ---- */
struct drm_server_file *drm_server_held(struct drm_server_connection *c,
                                        uint32_t id);              /* NULL: not by this process */
int drm_server_hold(struct drm_server_connection *c, uint32_t id); /* one holder more. 0 or -ENOMEM */
/* One holder less. NULL, or a file that nobody has any more: to be closed without the lock. */
struct drm_server_file *drm_server_let_go(struct drm_server_connection *c, uint32_t id);
void drm_server_close_file(struct drm_server_file *shared); /* may wait for jobs; NULL is accepted */

/* The number of the file whose descriptor `fd` is; 0: it is none of this server's. */
uint32_t drm_server_file_of(struct drm_server *server, int fd);

void drm_server_wake_keeper(
    struct drm_server *server); /* there are files without holders, or the end has come */

/* ---- keeper.c ---- */
void *drm_server_keep(void *server); /* the keeper's thread: until the server stops */

/* ---- connection.c; lock held ---- */
/* A new connection, with the files that `parent` holds when that is not NULL. It owns `socket`, unless this
 * fails: -ENOMEM, -EMFILE, -EAGAIN (no thread). The channel goes to *channel_fd, the caller's. */
int drm_server_add_connection(struct drm_server *server, int socket,
                              const struct drm_server_connection *parent, int *channel_fd);
void drm_server_free_connection(
    struct drm_server_connection *c); /* its socket and its files are the caller's affair */
/* A connection of its own for a child of `parent`; its socket and channel go into *a. */
int drm_server_fork(struct drm_server_connection *parent, struct drm_server_answer *a);
static inline void drm_server_set_asleep(struct drm_server_connection *c, bool asleep)
{
    __atomic_store_n(&c->channel->asleep, asleep, __ATOMIC_SEQ_CST);
}

/* ---- call.c ---- */
/* Does what a message asks. `fd`: the descriptor that came with it, -1, or -errno when there was no room for
 * it. A result of -EPROTO ends the connection. */
void drm_server_handle(struct drm_server_connection *c, const struct drm_message *m, int fd,
                       struct drm_server_answer *a);

/* ---- ring.c ---- */
bool drm_server_rung(struct drm_server_connection *c);
/* Answers rings until there was none for a while or a job wants to be run; false when the peer talks
 * nonsense. */
bool drm_server_answer_rings(struct drm_server_connection *c);

/* ---- door.c ---- */
void *drm_server_admit(void *server); /* the acceptor's thread: until `quit` can be read */

#endif
