/* `vitrail serve`: cards that stand ready for the runs of others, `vitrail run --server`.
 *
 * One process keeps the socket and forks a process for each client before it comes: memory, device and compiler
 * are there when it does, behind a sandbox of its own. That process serves one client and ends, so that nothing is shared
 * between two but the files of compiled code.
 *
 * What they say to each other over the socket (SOCK_SEQPACKET): the server greets; the client looks whether that is
 * the server for it, and sends its requests; a byte says that the card is there. From then on the client sends
 * single bytes (enum run_word), and shuts its side at the end; the answer is the end. */
#ifndef VITRAIL_TOOLS_SERVE_H
#define VITRAIL_TOOLS_SERVE_H

#include "tools/run.h"

#define SERVE_MAGIC   "VtServe1"
#define SERVE_COMMAND 252

struct serve_greeting {
    char magic[8];
    uint32_t protocol; /* DRM_PROTOCOL_VERSION */
    char version[40];  /* both sides are of one build: what it calls itself, */
    char build[40];    /* and its number (util/build.h) */
    char gpu[32];      /* all end with a zero */
};

enum serve_what {
    SERVE_LISTENER = 1, /* with a descriptor: a listening socket, by which the program's processes come in */
    SERVE_ERRORS,       /* with one: reports go there */
    SERVE_LOG,          /* with one: and there, too */
    SERVE_BEGIN,        /* command: the program's words */
};
struct serve_request {
    uint32_t what;
    char command[SERVE_COMMAND];
};

struct serve_end {
    int32_t status; /* enum tool_exit of the card's process */
    uint32_t faults;
    struct drm_use use;
};

/* What the command is asked for. */
struct serve {
    struct run run; /* what its cards are: GPU, display, memory, device */
    const char *socket;
    uint64_t clients, ready; /* at most at once; how many processes stand ready */
    bool stats;
};

/* What a process tells the one that forked it. */
struct serve_note {
    enum { SERVE_READY = 1, SERVE_TAKEN, SERVE_DONE } what;
    int32_t client; /* its process */
    struct serve_end end;
    char command[SERVE_COMMAND];
};

/* In a new process: serves the first that comes by `listener`, which does not block, and ends as this returns; the other
 * end of `link` is told. When that is closed, the client loses its card. An exit status. */
int serve_worker(const struct serve *serve, int listener, int link);
/* The greeting of this program's build, with a GPU. */
void serve_greet(const char *gpu, struct serve_greeting *out);

#endif
