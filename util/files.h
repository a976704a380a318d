/* Files that are named while the program runs. A process behind the sandbox (util/sandbox/sandbox.h) makes no
 * system call that takes a path: its broker, a process outside, makes the call in its place where the path
 * was granted to it, and passes the descriptor. In every other process these are the plain calls. What is
 * opened is closed on exec. Thread-safe. Codes are 0 or a descriptor, else -errno; -EACCES: not granted. */
#ifndef VITRAIL_UTIL_FILES_H
#define VITRAIL_UTIL_FILES_H

#include <stdio.h>
#include <sys/stat.h>

/* As open(2); `mode` is for a file that is made. */
int util_open(const char *path, int flags, unsigned mode);
/* As fopen(3), modes "r", "w" and "a" (with or without b). NULL and errno. */
FILE *util_fopen(const char *path, const char *mode);
/* Removes what is a regular file by its own name: half a file is none, but a pipe or /dev/full stays. */
int util_remove_file(const char *path);
/* A description of its own, O_RDONLY or O_RDWR, of one of our memory files ("vitrail-..."). */
int util_reopen(int fd, int flags);
/* As fstat(2), which C libraries before 2.39 ask for by an empty path. */
int util_fstat(int fd, struct stat *out);

/* A folder whose files are named by plain names; it stays the same folder whatever becomes of its path. */
struct util_folder {
    int fd;     /* to list it */
    char *path; /* owned */
};
/* 0; -ELOOP or -ENOTDIR when the path's last part is a link. */
int util_folder_open(const char *path, struct util_folder *out);
void util_folder_close(struct util_folder *folder);
int util_folder_file(const struct util_folder *folder, const char *name, int flags, unsigned mode);
int util_folder_rename(const struct util_folder *folder, const char *from, const char *to);
int util_folder_remove(const struct util_folder *folder, const char *name);

#endif
