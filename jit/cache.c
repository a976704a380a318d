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

#include "util/bits.h"

#define MAGIC      UINT64_C(0x3165686361437456) /* "VtCache1" */
#define SUFFIX     ".vto"
#define TEMPORARY  "tmp-"
#define NAME_BYTES (32 + sizeof SUFFIX)
#define MAX_OBJECT (64u << 20)
#define BLOCK      4096u /* what file systems hand out: most objects are smaller */

/* A file: this, the key, the object compressed with zstd. Little-endian, as every host is. */
struct header {
    uint64_t magic;
    uint64_t checksum; /* xxh3 of all that follows this field */
    uint64_t key_size, object_size, stored_size;
};

struct jit_cache {
    int directory;
    uint64_t cap;
    pthread_mutex_t lock;
    uint64_t used; /* bytes that the files take on disk, as far as we know */
    bool counted;
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

static bool default_directory(char *path, size_t size)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = -1;

    if (base && base[0] == '/')
        n = snprintf(path, size, "%s/vitrail", base);
    else if (home && home[0] == '/')
        n = snprintf(path, size, "%s/.cache/vitrail", home);
    return n > 0 && (size_t)n < size;
}

struct jit_cache *jit_cache_open(const char *directory, uint64_t cap_bytes)
{
    char path[4096];

    if (directory ? snprintf(path, sizeof path, "%s", directory) >= (int)sizeof path
                  : !default_directory(path, sizeof path))
        return NULL;
    int fd = make_directories(path) ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    struct jit_cache *cache = fd >= 0 ? calloc(1, sizeof *cache) : NULL;
    if (!cache) {
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    cache->directory = fd;
    cache->cap = cap_bytes;
    pthread_mutex_init(&cache->lock, NULL);
    return cache;
}

void jit_cache_close(struct jit_cache *cache)
{
    if (!cache)
        return;
    close(cache->directory);
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

/* The object of an open file, or NULL when anything about it does not agree. */
static void *read_object(int fd, const struct jit_cache_key *key, size_t *size)
{
    struct header h;
    struct stat st;

    if (!read_all(fd, &h, sizeof h) || h.magic != MAGIC || h.key_size != key->size ||
        h.stored_size > MAX_OBJECT || h.object_size > MAX_OBJECT || fstat(fd, &st) ||
        (uint64_t)st.st_size != sizeof h + h.key_size + h.stored_size)
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

enum jit_cache_result jit_cache_load(struct jit_cache *cache, const struct jit_cache_key *key, void **object,
                                     size_t *size)
{
    char name[NAME_BYTES];

    file_name(key, name);
    int fd = openat(cache->directory, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return JIT_CACHE_MISS;
    *object = read_object(fd, key, size);
    if (*object)
        futimens(fd, NULL); /* used now: eviction takes the oldest first */
    close(fd);
    if (*object)
        return JIT_CACHE_HIT;
    jit_cache_remove(cache, key);
    return JIT_CACHE_REJECTED;
}

bool jit_cache_has(struct jit_cache *cache, const struct jit_cache_key *key)
{
    struct stat st;
    char name[NAME_BYTES];

    file_name(key, name);
    return !fstatat(cache->directory, name, &st, AT_SYMLINK_NOFOLLOW);
}

void jit_cache_remove(struct jit_cache *cache, const struct jit_cache_key *key)
{
    char name[NAME_BYTES];

    file_name(key, name);
    unlinkat(cache->directory, name, 0);
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

/* A temporary file that nobody has touched for an hour was left by a process that died while it wrote. */
static void drop_if_abandoned(struct jit_cache *cache, const char *name)
{
    struct stat st;

    if (!strncmp(name, TEMPORARY, strlen(TEMPORARY)) &&
        !fstatat(cache->directory, name, &st, AT_SYMLINK_NOFOLLOW) && st.st_mtim.tv_sec < time(NULL) - 3600)
        unlinkat(cache->directory, name, 0);
}

/* Objects of the folder; *entries is malloc'ed. Returns their number. */
static size_t list(struct jit_cache *cache, struct entry **entries, uint64_t *total)
{
    int fd = openat(cache->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    size_t count = 0, capacity = 0;

    *entries = NULL;
    *total = 0;
    if (!dir) {
        if (fd >= 0)
            close(fd);
        return 0;
    }
    for (struct dirent *d; (d = readdir(dir));) {
        struct stat st;
        drop_if_abandoned(cache, d->d_name);
        if (strlen(d->d_name) != NAME_BYTES - 1 || strcmp(d->d_name + 32, SUFFIX) != 0 ||
            fstatat(cache->directory, d->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
            continue;
        if (count == capacity) {
            void *grown = realloc(*entries, (capacity = capacity ? 2 * capacity : 256) * sizeof **entries);
            if (!grown)
                break;
            *entries = grown;
        }
        struct entry *e = &(*entries)[count++];
        memcpy(e->name, d->d_name, NAME_BYTES);
        e->size = util_align((uint64_t)st.st_size, BLOCK);
        e->used = st.st_mtim;
        *total += e->size;
    }
    closedir(dir);
    return count;
}

/* Called with the lock held. Down to three quarters, so that not every store has to look. */
static void evict(struct jit_cache *cache)
{
    struct entry *entries;
    uint64_t total;
    size_t count = list(cache, &entries, &total);

    if (total > cache->cap) {
        qsort(entries, count, sizeof *entries, older_first);
        for (size_t i = 0; i < count && total > cache->cap / 4 * 3; i++) {
            if (!unlinkat(cache->directory, entries[i].name, 0) || errno == ENOENT)
                total -= entries[i].size;
        }
    }
    cache->used = total;
    cache->counted = true;
    free(entries);
}

static bool write_file(struct jit_cache *cache, const char *name, const struct header *h, const void *rest,
                       size_t size)
{
    static unsigned counter;
    char temporary[64];

    snprintf(temporary, sizeof temporary, TEMPORARY "%ld-%u", (long)getpid(),
             __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED));
    int fd = openat(cache->directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    bool good = write_all(fd, h, sizeof *h) && write_all(fd, rest, size);
    good = !close(fd) && good && !renameat(cache->directory, temporary, cache->directory, name);
    if (!good)
        unlinkat(cache->directory, temporary, 0);
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
        if (write_file(cache, name, &h, rest, key->size + stored)) {
            pthread_mutex_lock(&cache->lock);
            cache->used += util_align(sizeof h + key->size + stored, BLOCK);
            if (!cache->counted || cache->used > cache->cap)
                evict(cache);
            pthread_mutex_unlock(&cache->lock);
        }
    }
    free(rest);
}
