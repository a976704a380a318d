/* 32-bit programs that were built for small files read folders by functions of 32-bit places. A 32-bit kernel counts
 * places in folders of ext4 in 32 bits for them; this machine's knows nothing of that behind an emulator, and the
 * program's library takes a folder of whose places one is larger for at its end. Here names are read with 64-bit
 * places, of which nothing is told. Empty on 64-bit machines. */
#if __SIZEOF_LONG__ == 4
#define _GNU_SOURCE
#include "drm/client/client.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(offsetof(struct dirent, d_name) < offsetof(struct dirent64, d_name), "shortened in place");

/* In the stream's own memory, as the other names there are: the library has gone on from this one already. */
CLIENT_EXPORT struct dirent *readdir(DIR *folder)
{
    struct dirent64 *wide = NEXT(readdir64)(folder);
    if (!wide)
        return NULL;
    struct dirent *entry = (struct dirent *)wide;
    const ino_t number = (ino_t)wide->d_ino;
    const unsigned char type = wide->d_type;
    const size_t size = strlen(wide->d_name) + 1;
    memmove(entry->d_name, wide->d_name, size);
    entry->d_ino = number;
    entry->d_off = 0;
    entry->d_type = type;
    entry->d_reclen = (unsigned short)(offsetof(struct dirent, d_name) + size);
    return entry;
}

static void drop(struct dirent **list, size_t count)
{
    while (count)
        free(list[--count]);
    free(list);
}

/* The names that `filter` takes; their number, or -1. */
static int collect(DIR *folder, struct dirent ***list, int (*filter)(const struct dirent *))
{
    struct dirent **all = NULL;
    size_t count = 0;
    int failed = 0;
    for (const struct dirent *entry; errno = 0, !failed && (entry = readdir(folder));) {
        if (filter && !filter(entry))
            continue;
        struct dirent **more = reallocarray(all, count + 1, sizeof *all);
        struct dirent *copy = malloc(sizeof *copy);
        if (more)
            all = more;
        if (more && copy)
            all[count++] = memcpy(copy, entry, entry->d_reclen);
        else
            free(copy), failed = ENOMEM;
    }
    if (!failed)
        failed = errno;
    if (failed) {
        drop(all, count);
        errno = failed;
        return -1;
    }
    *list = all;
    return (int)count;
}

/* The library's own goes by its own readdir. */
CLIENT_EXPORT int scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
                          int (*compare)(const struct dirent **, const struct dirent **))
{
    DIR *folder = opendir(path);
    if (!folder)
        return -1;
    int count = collect(folder, list, filter), code = errno;
    closedir(folder);
    if (count > 1 && compare)
        qsort(*list, (size_t)count, sizeof **list, (int (*)(const void *, const void *))(void *)compare);
    errno = code;
    return count;
}
#endif
