/* The compiler's cache on disk: damage, its cap, folders that cannot be, and whose word is taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "jit/cache.h"
#include "tests/jit/code.h"
#include "util/bits.h"

static void remove_folder(const char *path)
{
    DIR *dir = opendir(path);
    for (struct dirent *d; dir && (d = readdir(dir));)
        unlinkat(dirfd(dir), d->d_name, 0);
    if (dir)
        closedir(dir);
    rmdir(path);
}

/* Number of files; the last one's name in `name`. */
static unsigned list_blocks(const char *path, char name[256], uint64_t *bytes, uint64_t *blocks)
{
    DIR *dir = opendir(path);
    unsigned count = 0;
    struct stat st;

    *bytes = *blocks = 0;
    for (struct dirent *d; dir && (d = readdir(dir));) {
        if (d->d_name[0] == '.')
            continue;
        snprintf(name, 256, "%s", d->d_name);
        assert_int_equal(fstatat(dirfd(dir), d->d_name, &st, 0), 0);
        *bytes += (uint64_t)st.st_size;
        *blocks += ((uint64_t)st.st_size + 4095) / 4096;
        count++;
    }
    if (dir)
        closedir(dir);
    return count;
}

static unsigned list_folder(const char *path, char name[256], uint64_t *bytes)
{
    uint64_t blocks;
    return list_blocks(path, name, bytes, &blocks);
}

static struct jit_stats compile_with_cache(const char *folder, uint32_t keys)
{
    struct jit_engine *engine = engine_at(-1, folder);
    struct jit_stats stats;

    for (uint32_t key = 1; key <= keys; key++) {
        void *code;
        assert_int_equal(get(engine, key, emit_add, &key, &code, NULL), 0);
        assert_int_equal(call(code, 7), 7 + key);
    }
    jit_engine_stats(engine, &stats);
    jit_engine_destroy(engine);
    return stats;
}

static void damage(const char *folder, const char *name, long at, bool truncate)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_RDWR);
    uint8_t byte;

    assert_true(fd >= 0);
    if (truncate) {
        assert_int_equal(ftruncate(fd, at), 0);
    } else {
        assert_int_equal(pread(fd, &byte, 1, at), 1);
        byte ^= 0x10;
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    }
    close(fd);
}

static void test_disk_cache(void **state)
{
    char folder[] = "/tmp/vitrail-jit-XXXXXX", name[256];
    uint64_t bytes;

    assert_non_null(mkdtemp(folder));
    struct jit_stats s = compile_with_cache(folder, 1);
    assert_int_equal(s.compiled, 1);
    assert_int_equal(list_folder(folder, name, &bytes), 1);
    s = compile_with_cache(folder, 1);
    assert_int_equal(s.compiled, 0);
    assert_int_equal(s.disk_hits, 1);

    /* every byte of the file counts: a damaged one is dropped, counted and made again */
    for (uint64_t at = 0; at < bytes; at += 1 + bytes / 40) {
        damage(folder, name, (long)at, false);
        s = compile_with_cache(folder, 1);
        assert_int_equal(s.disk_rejected, 1);
        assert_int_equal(s.compiled, 1);
        damage(folder, name, (long)at, true);
        s = compile_with_cache(folder, 1);
        assert_int_equal(s.disk_rejected, 1);
        assert_int_equal(s.compiled, 1);
    }
    s = compile_with_cache(folder, 1);
    assert_int_equal(s.disk_hits, 1);
    remove_folder(folder);
}

static void make_all_old(const char *path)
{
    const struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    DIR *dir = opendir(path);
    for (struct dirent *d; dir && (d = readdir(dir));)
        if (d->d_name[0] != '.')
            assert_int_equal(utimensat(dirfd(dir), d->d_name, long_ago, 0), 0);
    closedir(dir);
}

/* The cap counts what the files take of the disk; those used longest ago go first. */
static void test_disk_cache_cap(void **state)
{
    char folder[] = "/tmp/vitrail-jit-XXXXXX", name[256], left[64];
    struct jit_options options = {.level = -1, .optimize = 2, .cache_dir = folder, .cache_bytes = 12 * 4096};
    struct jit_engine *engine;
    struct jit_stats stats;
    uint64_t bytes, blocks;

    assert_non_null(mkdtemp(folder));
    snprintf(left, sizeof left, "%s/tmp-1-1", folder); /* by a process that died long ago */
    close(open(left, O_CREAT | O_WRONLY, 0600));
    for (uint32_t round = 0; round < 2; round++) {
        assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
        for (uint32_t key = 1; key <= 30; key++) {
            void *code;
            assert_int_equal(get(engine, round * 30 + key, emit_add, &key, &code, NULL), 0);
            if (key == 8)
                make_all_old(folder);
            if (key == 8 || key == 16) { /* used again, by another process: the second one stays */
                struct jit_engine *other;
                uint32_t again = round * 30 + 2;
                assert_int_equal(jit_engine_create(&options, &other, NULL), 0);
                assert_int_equal(get(other, again, emit_add, &again, &code, NULL), 0);
                jit_engine_stats(other, &stats);
                assert_int_equal(stats.disk_hits, 1);
                jit_engine_destroy(other);
            }
            unsigned count = list_blocks(folder, name, &bytes, &blocks);
            assert_in_range(blocks, 1, 12);
            assert_true(count > 8 || (round == 0 && count >= UTIL_MIN(key, 9u)));
        }
        jit_engine_destroy(engine);
        assert_int_equal(access(left, F_OK), -1);
    }
    remove_folder(folder);
}

/* Stores of processes that each store one object: few of them look at all the others, and yet the folder keeps to
 * its cap. */
static void test_disk_cache_looks(void **state)
{
    enum { BLOCKS = 1024, STORES = 3 * BLOCKS };
    char folder[] = "/tmp/vitrail-jit-XXXXXX", name[256], left[64];
    const struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    uint64_t bytes, blocks, most = 0;
    unsigned looks = 0;

    assert_non_null(mkdtemp(folder));
    snprintf(left, sizeof left, "%s/tmp-1-1", folder); /* who looks removes it */
    for (unsigned i = 0; i < STORES; i++) {
        struct jit_cache *cache = jit_cache_open(folder, BLOCKS * 4096);
        struct jit_cache_key key = {.data = &i, .size = sizeof i};
        const XXH128_hash_t hash = XXH3_128bits(&i, sizeof i);
        key.hash[0] = hash.low64;
        key.hash[1] = hash.high64;
        assert_non_null(cache);
        if (access(left, F_OK)) {
            close(open(left, O_CREAT | O_WRONLY, 0600));
            assert_int_equal(utimensat(AT_FDCWD, left, long_ago, 0), 0);
        }
        jit_cache_store(cache, &key, &i, sizeof i);
        jit_cache_close(cache);
        looks += access(left, F_OK) != 0;
        if (i % 64 == 0) {
            list_blocks(folder, name, &bytes, &blocks);
            most = UTIL_MAX(most, blocks);
        }
    }
    assert_in_range(looks, STORES / 16, STORES / 4); /* one in eight */
    assert_in_range(most, BLOCKS / 4 * 3, BLOCKS);
    remove_folder(folder);
}

/* ---- trust: what is in the folder runs ---- */

enum trust {
    OURS,
    OTHERS_FILE,
    GROUP_WRITES,
    ALL_WRITE,
    LINK,
    PIPE,
    FOLDER_OF_OTHERS,
    FOLDER_GROUP,
    FOLDER_ALL,
    FOLDER_LINK
};

/* Makes the object, or its folder, one that somebody else may have written. */
static void spoil(enum trust how, const char *folder, const char *name)
{
    char path[600], moved[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(moved, sizeof moved, "%s-moved", folder);
    switch (how) {
    case OURS: break;
    case OTHERS_FILE: assert_int_equal(chown(path, 65534, 65534), 0); break;
    case GROUP_WRITES: assert_int_equal(chmod(path, 0620), 0); break;
    case ALL_WRITE: assert_int_equal(chmod(path, 0602), 0); break;
    case LINK:
        assert_int_equal(rename(path, moved), 0);
        assert_int_equal(symlink(moved, path), 0);
        break;
    case PIPE: assert_int_equal(unlink(path) | mkfifo(path, 0600), 0); break;
    case FOLDER_OF_OTHERS: assert_int_equal(chown(folder, 65534, 65534), 0); break;
    case FOLDER_GROUP: assert_int_equal(chmod(folder, 0770), 0); break;
    case FOLDER_ALL: assert_int_equal(chmod(folder, 01777), 0); break;
    case FOLDER_LINK:
        assert_int_equal(rename(folder, moved), 0);
        assert_int_equal(symlink(moved, folder), 0);
        break;
    }
}

static void test_trust(void **state)
{
    for (enum trust how = OURS; how <= FOLDER_LINK; how++) {
        char folder[] = "/tmp/vitrail-jit-XXXXXX", moved[64], name[256];
        uint64_t bytes;
        if ((how == OTHERS_FILE || how == FOLDER_OF_OTHERS) && geteuid())
            continue; /* only root can make one */
        assert_non_null(mkdtemp(folder));
        snprintf(moved, sizeof moved, "%s-moved", folder);
        compile_with_cache(folder, 1);
        assert_int_equal(list_folder(folder, name, &bytes), 1);
        spoil(how, folder, name);
        struct jit_stats s = compile_with_cache(folder, 1);
        assert_int_equal(s.disk_hits, how == OURS);
        assert_int_equal(s.compiled, how != OURS);
        assert_int_equal(s.disk_rejected, how > OURS && how < FOLDER_OF_OTHERS);
        s = compile_with_cache(folder, 1); /* a file was replaced by one of ours; a folder is not used */
        assert_int_equal(s.disk_hits, how < FOLDER_OF_OTHERS);
        unlink(how == FOLDER_LINK ? folder : moved);
        remove_folder(how == FOLDER_LINK ? moved : folder);
    }
}

/* A process in a sandbox has a folder of its own; both are made for their user alone. */
static void test_domains(void **state)
{
    char base[] = "/tmp/vitrail-jit-XXXXXX", plain[256], sandboxed[256], name[256];
    struct stat status;
    assert_non_null(mkdtemp(base));
    assert_int_equal(setenv("XDG_CACHE_HOME", base, 1), 0);
    assert_true(jit_code_folder(false, plain, sizeof plain) &&
                jit_code_folder(true, sandboxed, sizeof sandboxed));
    assert_string_not_equal(plain, sandboxed);
    const char *const folders[] = {plain, sandboxed};
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(stat(folders[i], &status), 0);
        assert_int_equal(status.st_mode & 07777, 0700);
    }
    assert_false(jit_code_folder(true, name, 10));
    struct jit_engine *engine = engine_at(-1, NULL);
    assert_int_equal(call(must_get(engine, 1, emit_add), 1), 2);
    jit_engine_destroy(engine);
    uint64_t bytes;
    assert_int_equal(list_folder(plain, name, &bytes), 1);
    assert_int_equal(list_folder(sandboxed, name, &bytes), 0);
    remove_folder(plain);
    remove_folder(sandboxed);
    snprintf(name, sizeof name, "%s/vitrail", base);
    rmdir(name);
    rmdir(base);
}

/* A folder that cannot be made means no cache, not no engine. */
static void test_disk_cache_unusable(void **state)
{
    struct jit_engine *engine = engine_at(-1, "/proc/vitrail/cache");
    assert_int_equal(call(must_get(engine, 1, emit_add), 1), 2);
    jit_engine_destroy(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disk_cache),
        cmocka_unit_test(test_disk_cache_cap),
        cmocka_unit_test(test_disk_cache_looks),
        cmocka_unit_test(test_disk_cache_unusable),
        cmocka_unit_test(test_trust),
        cmocka_unit_test(test_domains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
