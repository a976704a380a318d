#include "jit/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "jit/engine.h"
#include "util/bits.h"
#include "util/files.h"
#include "util/list.h"

#define MAGIC      UINT64_C(0x3165686361437456) /* "VtCache1" */
#define SUFFIX     ".vto"
#define TEMPORARY  "tmp-"
#define NAME_BYTES (32 + sizeof SUFFIX)
#define MAX_OBJECT (64u << 20)
#define BLOCK      4096u /* what file systems hand out: most objects are smaller */
#define LOOKS      128u  /* stores of so many parts of the cap look once at the folder */
#define SAMPLE     256u  /* objects whose sizes stand for those of all */

/* A file: this, the key, the object compressed with zstd. Little-endian, as every host is. */
struct header {
    uint64_t magic;
    uint64_t checksum; /* xxh3 of all that follows this field */
    uint64_t key_size, object_size, stored_size;
};

struct jit_cache {
    struct util_folder folder;
    uint64_t cap;
    pthread_mutex_t lock;
};

static bool make_directories(char *path)
{
    for (char *p = path + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = 0;
        bool ok = !mkdir(path, 0700) || errno == EEXIST;
        *p = '/';
        if (!ok)
            return false;
    }
    return !mkdir(path, 0700) || errno == EEXIST;
}

bool jit_code_folder(bool sandboxed, char *path, size_t size)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const char *name = sandboxed ? "code-sandboxed" : "code";
    int n = -1;

    if (base && base[0] == '/')
        n = snprintf(path, size, "%s/vitrail/%s", base, name);
    else if (home && home[0] == '/')
        n = snprintf(path, size, "%s/.cache/vitrail/%s", home, name);
    return n > 0 && (size_t)n < size && make_directories(path);
}

/* Ours, and nobody else can have written to it. */
static bool trusted(const struct stat *status)
{
    return status->st_uid == geteuid() && !(status->st_mode & (S_IWGRP | S_IWOTH));
}

/* Only the folder itself is looked at: whoever can change what its path leads to can put another folder
 * there, but none that is ours with files of others in it. */
static bool open_folder(const char *path, struct util_folder *folder)
{
    struct stat status;

    if (util_folder_open(path, folder))
        return false;
    if (!util_fstat(folder->fd, &status) && trusted(&status))
        return true;
    util_folder_close(folder);
    return false;
}

struct jit_cache *jit_cache_open(const char *directory, uint64_t cap_bytes)
{
    char path[4096];
    struct util_folder folder;

    bool there = directory ? snprintf(path, sizeof path, "%s", directory) < (int)sizeof path
                           : jit_code_folder(false, path, sizeof path);
    if (!there || (!open_folder(path, &folder) && !(make_directories(path) && open_folder(path, &folder))))
        return NULL;
    struct jit_cache *cache = calloc(1, sizeof *cache);
    if (!cache) {
        util_folder_close(&folder);
        return NULL;
    }
    cache->folder = folder;
    cache->cap = cap_bytes;
    pthread_mutex_init(&cache->lock, NULL);
    return cache;
}

void jit_cache_close(struct jit_cache *cache)
{
    if (!cache)
        return;
    util_folder_close(&cache->folder);
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

static void file_name(const struct jit_cache_key *key, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "%016llx%016llx" SUFFIX, (unsigned long long)key->hash[1],
             (unsigned long long)key->hash[0]);
}

static uint64_t checksum(const struct header *h, const void *rest, size_t size)
{
    XXH3_state_t *state = XXH3_createState();

    if (!state)
        return 0;
    XXH3_64bits_reset(state);
    XXH3_64bits_update(state, &h->key_size, sizeof *h - offsetof(struct header, key_size));
    XXH3_64bits_update(state, rest, size);
    uint64_t sum = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return sum;
}

static bool read_all(int fd, void *to, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = read(fd, (char *)to + at, size - at);
        if (n <= 0 && !(n < 0 && errno == EINTR))
            return false;
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool write_all(int fd, const void *from, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = write(fd, (const char *)from + at, size - at);
        if (n < 0 && errno != EINTR)
            return false;
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* The object of an open file, or NULL when anything about it does not agree, or another user may have written
 * it: what it holds will run. */
static void *read_object(int fd, const struct jit_cache_key *key, size_t *size)
{
    struct header h;
    struct stat st;

    if (util_fstat(fd, &st) || !S_ISREG(st.st_mode) || !trusted(&st) || !read_all(fd, &h, sizeof h) ||
        h.magic != MAGIC || h.key_size != key->size || h.stored_size > MAX_OBJECT ||
        h.object_size > MAX_OBJECT || (uint64_t)st.st_size != sizeof h + h.key_size + h.stored_size)
        return NULL;
    size_t rest_size = h.key_size + h.stored_size;
    uint8_t *rest = malloc(rest_size ? rest_size : 1), *object = malloc(h.object_size ? h.object_size : 1);
    bool good = rest && object && read_all(fd, rest, rest_size) &&
                checksum(&h, rest, rest_size) == h.checksum && !memcmp(rest, key->data, key->size) &&
                ZSTD_decompress(object, h.object_size, rest + h.key_size, h.stored_size) == h.object_size;
    free(rest);
    if (!good) {
        free(object);
        return NULL;
    }
    *size = h.object_size;
    return object;
}

/* -ELOOP: a link, which we never make; nor pipes, but one must not stop us. */
static int open_file(const struct jit_cache *cache, const char *name)
{
    return util_folder_file(&cache->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
}

enum jit_cache_result jit_cache_load(struct jit_cache *cache, const struct jit_cache_key *key, void **object,
                                     size_t *size)
{
    char name[NAME_BYTES];

    file_name(key, name);
    int fd = open_file(cache, name);
    if (fd < 0 && fd != -ELOOP)
        return JIT_CACHE_MISS;
    *object = fd < 0 ? NULL : read_object(fd, key, size);
    if (*object)
        futimens(fd, NULL); /* used now: eviction takes the oldest first */
    if (fd >= 0)
        close(fd);
    if (*object)
        return JIT_CACHE_HIT;
    jit_cache_remove(cache, key);
    return JIT_CACHE_REJECTED;
}

bool jit_cache_has(struct jit_cache *cache, const struct jit_cache_key *key)
{
    char name[NAME_BYTES];

    file_name(key, name);
    int fd = open_file(cache, name);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

void jit_cache_remove(struct jit_cache *cache, const struct jit_cache_key *key)
{
    char name[NAME_BYTES];

    file_name(key, name);
    util_folder_remove(&cache->folder, name);
}

struct entry {
    char name[NAME_BYTES];
    uint64_t size;
    struct timespec used;
};

static int older_first(const void *a, const void *b)
{
    const struct timespec *x = &((const struct entry *)a)->used, *y = &((const struct entry *)b)->used;

    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

static bool status_of(const struct jit_cache *cache, const char *name, struct stat *out)
{
    int fd = open_file(cache, name);
    bool ok = fd >= 0 && !util_fstat(fd, out) && S_ISREG(out->st_mode);

    if (fd >= 0)
        close(fd);
    return ok;
}

/* A temporary file that nobody has touched for an hour was left by a process that died while it wrote. */
static void drop_if_abandoned(const struct jit_cache *cache, const char *name)
{
    struct stat st;

    if (!strncmp(name, TEMPORARY, strlen(TEMPORARY)) && status_of(cache, name, &st) &&
        st.st_mtim.tv_sec < time(NULL) - 3600)
        util_folder_remove(&cache->folder, name);
}

struct entries {
    struct entry *at;
    uint32_t count, room;
};

static bool add_name(const struct jit_cache *cache, const char *name, struct entries *entries)
{
    drop_if_abandoned(cache, name);
    if (strlen(name) != NAME_BYTES - 1 || strcmp(name + 32, SUFFIX) != 0)
        return true;
    struct entry e = {0};
    memcpy(e.name, name, NAME_BYTES);
    return UTIL_LIST_ADD(*entries, e);
}

/* The names of the folder's objects; their `at` is the caller's to free. Called with the lock held, for the place in the
 * folder is shared; opendir(3) asks for it by a path. */
static void list(const struct jit_cache *cache, struct entries *entries)
{
    _Alignas(struct dirent64) char bytes[8192];
    ssize_t size;

    *entries = (struct entries){0};
    lseek(cache->folder.fd, 0, SEEK_SET);
    while ((size = getdents64(cache->folder.fd, bytes, sizeof bytes)) > 0)
        for (ssize_t at = 0; at < size;) {
            const struct dirent64 *d = (const struct dirent64 *)(bytes + at);
            if (!add_name(cache, d->d_name, entries))
                return;
            at += d->d_reclen;
        }
}

/* Bytes of disk that all take, of every `step`-th of which it is asked: their names are hashes, so that any of them
 * stand for the others. */
static uint64_t measure(const struct jit_cache *cache, struct entries *all, uint32_t step)
{
    uint64_t bytes = 0, asked = 0;
    struct stat st;

    for (uint32_t i = 0; i < all->count; i += step, asked++) {
        if (!status_of(cache, all->at[i].name, &st))
            continue;
        all->at[i].size = util_align((uint64_t)st.st_size, BLOCK);
        all->at[i].used = st.st_mtim;
        bytes += all->at[i].size;
    }
    return asked ? bytes * all->count / asked : 0;
}

/* Called with the lock held. Begins a little below the cap, as nobody looks at each store, and goes down to three
 * quarters, so that most looks find nothing to do. */
static void evict(struct jit_cache *cache)
{
    const uint64_t most = cache->cap - cache->cap / 16;
    struct entries all;

    list(cache, &all);
    uint64_t total = measure(cache, &all, all.count / SAMPLE + 1);
    if (total > most)
        total = measure(cache, &all, 1);
    if (total > most) {
        qsort(all.at, all.count, sizeof *all.at, older_first);
        for (uint32_t i = 0; i < all.count && total > cache->cap / 4 * 3; i++) {
            int r = util_folder_remove(&cache->folder, all.at[i].name);
            if (!r || r == -ENOENT)
                total -= all.at[i].size;
        }
    }
    free(all.at);
}

/* Whether the store of so many bytes is one that looks whether there is too much: one in so many that the folder grows by a
 * small part of its cap in between, whoever stores. To count costs as much as many compiles, and most processes store few
 * objects, so none counts for itself alone. */
static bool looks(const struct jit_cache *cache, const struct jit_cache_key *key, uint64_t bytes)
{
    return key->hash[0] % (cache->cap / LOOKS + 1) < bytes;
}

static bool write_file(struct jit_cache *cache, const char *name, const struct header *h, const void *rest,
                       size_t size)
{
    static unsigned counter;
    char temporary[64];

    snprintf(temporary, sizeof temporary, TEMPORARY "%ld-%u", (long)getpid(),
             __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED));
    int fd = util_folder_file(&cache->folder, temporary, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        return false;
    bool good = write_all(fd, h, sizeof *h) && write_all(fd, rest, size);
    good = !close(fd) && good && !util_folder_rename(&cache->folder, temporary, name);
    if (!good)
        util_folder_remove(&cache->folder, temporary);
    return good;
}

void jit_cache_store(struct jit_cache *cache, const struct jit_cache_key *key, const void *object,
                     size_t size)
{
    struct header h = {.magic = MAGIC, .key_size = key->size, .object_size = size};
    size_t bound = ZSTD_compressBound(size);
    uint8_t *rest = size <= MAX_OBJECT ? malloc(key->size + bound) : NULL;
    char name[NAME_BYTES];

    if (!rest)
        return;
    memcpy(rest, key->data, key->size);
    size_t stored = ZSTD_compress(rest + key->size, bound, object, size, 1);
    if (!ZSTD_isError(stored)) {
        h.stored_size = stored;
        h.checksum = checksum(&h, rest, key->size + stored);
        file_name(key, name);
        if (write_file(cache, name, &h, rest, key->size + stored) &&
            looks(cache, key, util_align(sizeof h + key->size + stored, BLOCK))) {
            pthread_mutex_lock(&cache->lock);
            evict(cache);
            pthread_mutex_unlock(&cache->lock);
        }
    }
    free(rest);
}
