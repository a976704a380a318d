/* What util/files.c and the broker (util/sandbox/broker.h) say to one another, over a SOCK_SEQPACKET socket:
 * a request, one at a time, answered by a reply (util/message.h). Not for users of files. */
#ifndef VITRAIL_UTIL_FILES_BROKER_H
#define VITRAIL_UTIL_FILES_BROKER_H

#include <stdint.h>

#define UTIL_FILES_PATH 4096
#define UTIL_FILES_NAME 256

enum util_files_what {
    UTIL_FILES_OPEN = 1, /* path, flags, mode; the reply brings the descriptor */
    UTIL_FILES_REMOVE,   /* path */
    UTIL_FILES_RENAME,   /* path, to a name in the same folder */
    UTIL_FILES_REOPEN,   /* the descriptor beside the request, flags; the reply brings the new one */
    UTIL_FILES_END,      /* the process needs no files any more */
};

struct util_files_request {
    uint32_t what, mode;
    int32_t flags;
    char to[UTIL_FILES_NAME]; /* both end with a zero */
    char path[UTIL_FILES_PATH];
};

struct util_files_reply {
    int32_t result;
};

/* From now on this process asks the broker at the other end of `socket` for every file; -1: none any more.
 * The socket stays the caller's. */
void util_files_ask(int socket);
/* What both do themselves. */
int util_files_remove_at(int folder, const char *name);
int util_files_reopen(int fd, int flags);

#endif
