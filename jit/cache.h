/* Object files on disk, one a key: a second start compiles nothing. Files appear by rename, so readers never
 * see half of one; each holds its whole key and checksums, and one that does not agree is removed and
 * counted. When the files take about as much of the disk as the cap, those used longest ago go until three quarters
 * of it are left; one in some hundred stores looks, so that a process that stores few does not read a large folder. Several processes may share a folder. Every failure just means a compile. Internal to jit/.
 * Thread-safe.
 *
 * An object runs, so its folder and file must be the process's user's, and nobody else's to write; the
 * checksums are against damage, not against malice. Processes in a sandbox keep a folder of their own
 * (jit_code_folder), so that what one of them was made to write never runs outside; another sandbox of the
 * same user runs it. */
#ifndef VITRAIL_JIT_CACHE_H
#define VITRAIL_JIT_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jit_cache;

struct jit_cache_key {
    const void *data;
    size_t size;
    uint64_t hash[2]; /* xxh3-128 of everything the code depends on: names the file */
};

enum jit_cache_result { JIT_CACHE_MISS, JIT_CACHE_HIT, JIT_CACHE_REJECTED };

/* `directory` NULL: jit_code_folder of a process without sandbox. `cap_bytes` counts whole blocks of 4096.
 * NULL when there is none that can be used. */
struct jit_cache *jit_cache_open(const char *directory, uint64_t cap_bytes);
void jit_cache_close(struct jit_cache *cache); /* NULL is accepted */

/* On a hit, *object (malloc'ed, the caller frees it) and *size. */
enum jit_cache_result jit_cache_load(struct jit_cache *cache, const struct jit_cache_key *key, void **object,
                                     size_t *size);
/* Whether there is a file for the key, which may yet prove wrong. */
bool jit_cache_has(struct jit_cache *cache, const struct jit_cache_key *key);
void jit_cache_store(struct jit_cache *cache, const struct jit_cache_key *key, const void *object,
                     size_t size);
void jit_cache_remove(struct jit_cache *cache, const struct jit_cache_key *key);

#endif
