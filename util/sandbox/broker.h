/* The broker: a process that opens files for one that may not (util/files.h), those that were granted and no
 * other. It is forked before anything foreign is read, and ends when the other end of its socket is closed.
 *
 * A grant is of a path as it will be asked for, letter by letter, or of the files of a folder whose plain
 * names match a pattern. What the process may have got wrong, or have been made to ask, changes nothing:
 * nobody can name another file. */
#ifndef VITRAIL_UTIL_SANDBOX_BROKER_H
#define VITRAIL_UTIL_SANDBOX_BROKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    UTIL_GRANT_READ = 1,
    UTIL_GRANT_WRITE = 2, /* to make, replace, rename and remove it, too; not to read it */
};

struct util_grant {
    const char *path;    /* of a file; of a folder that exists when there is a pattern */
    const char *pattern; /* NULL, or the names of the folder's files, as fnmatch(3) has them */
    unsigned rights;     /* UTIL_GRANT_... */
    bool no_link;        /* a folder whose path ends in a link is not granted */
};

struct util_broker {
    int socket;
    pid_t process;
};

/* Forks the broker and has util/files.h ask it from now on. The process has one thread still. `at_end` (NULL:
 * nothing) is called with `data` in the broker at an orderly end. 0; -EAGAIN, -ENOMEM, -EMFILE. */
int util_broker_start(const struct util_grant *grants, uint32_t count, void (*at_end)(void *data), void *data,
                      struct util_broker *out);
/* Ends it in order and waits for it; files are nobody's to open then. */
void util_broker_end(struct util_broker *broker);

#endif
