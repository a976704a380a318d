/* What the files of the server share. Not for users.
 *
 * server.c: connections and their threads; server_call.c: what a message leads to; server_wire.c: sockets and
 * the ring. */
#ifndef VITRAIL_DRM_SERVER_INTERNAL_H
#define VITRAIL_DRM_SERVER_INTERNAL_H

#include <pthread.h>

#include "drm/internal.h"
#include "drm/protocol.h"
#include "drm/server.h"

/* An open file, held by every process that inherited it. */
struct shared_file {
    struct drm_file *file;
    uint32_t holders;
};

struct connection {
    struct drm_server *server;
    int socket;
    struct drm_channel *channel;
    uint8_t *held; /* by file number: whether this process holds it */
    uint32_t held_count;
    uint32_t asked;          /* rings taken so far; both threads look at it */
    unsigned threads;        /* that use it still; the last one frees it. Under the server's lock */
    pthread_mutex_t serving; /* one of them speaks with the client */
    uint32_t over;           /* the client has gone */
    struct connection *next, **link;
};

struct drm_server {
    struct drm *drm;
    struct gpu_memory *memory;
    int listener, quit;
    pthread_t acceptor;
    pthread_mutex_t lock; /* the files, the list of connections; taken before the card's own */
    pthread_cond_t gone;
    struct drm_ids files; /* struct shared_file */
    struct connection *connections;
    unsigned count;
    bool stopping;
};

/* What a message leads to: the reply and descriptors that go with it, which are closed once sent. */
struct answer {
    struct drm_reply reply;
    int fd[3];
    unsigned fd_count;
};

/* ---- server.c ---- */
/* A connection of its own for a child of `parent`; its socket and channel go into *a. Lock held. */
int server_fork(struct connection *parent, struct answer *a);

/* ---- server_call.c ---- */
/* Does what a message asks. A result of -EPROTO ends the connection. */
void server_handle(struct connection *c, const struct drm_message *m, int fd, struct answer *a);
int server_hold(struct connection *c, uint32_t id);    /* one holder more; lock held. 0 or -ENOMEM */
void server_let_go(struct connection *c, uint32_t id); /* lock held */

/* ---- server_wire.c ---- */
bool server_send(struct connection *c, struct answer *a); /* also closes the descriptors */
/* One message with at most one descriptor, or -1; false when the connection is over or the peer talks
 * nonsense. */
bool server_receive(struct connection *c, struct drm_message *m, int *fd);
bool server_rung(struct connection *c);
/* Answers rings until there was none for a while or a job wants to be run; false when the peer talks
 * nonsense.
 */
bool server_answer_rings(struct connection *c);
void server_set_asleep(struct connection *c, bool asleep);

#endif
