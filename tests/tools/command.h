/* A command in a process of its own, as it enters a sandbox for good; and a folder for what it reads and writes. Behind
 * cmocka.h. */
#ifndef VITRAIL_TESTS_TOOLS_COMMAND_H
#define VITRAIL_TESTS_TOOLS_COMMAND_H

#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMMAND_PATH 512

/* `words` end with NULL. What it prints goes to the files `out` and `err` (NULL: where the test's goes). Its exit
 * status; a signal ends the test. */
static inline int command_run(int (*tool)(int, char **), const char *const *words, const char *out,
                              const char *err)
{
    char *argv[32];
    int argc = 0, status;
    for (; words[argc]; argc++)
        argv[argc] = (char *)words[argc];
    argv[argc] = NULL;
    fflush(NULL);
    pid_t pid = fork();
    if (!pid) {
        if ((out && !freopen(out, "w", stdout)) || (err && !freopen(err, "w", stderr)))
            _exit(99);
        int code = tool(argc, argv);
        fflush(NULL);
        _exit(code);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* ---- a folder ---- */

static char command_folder[] = "/tmp/vitrail-command-XXXXXX";

static inline int command_begin(void **state)
{
    return mkdtemp(command_folder) ? 0 : -1;
}

static inline int command_end(void **state)
{
    char line[COMMAND_PATH];
    snprintf(line, sizeof line, "rm -r '%s'", command_folder);
    return system(line);
}

/* FOLDER/NAME; one of eight that are in use at a time. */
static inline const char *command_at(const char *name)
{
    static char paths[8][COMMAND_PATH];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, COMMAND_PATH, "%s/%s", command_folder, name);
    return path;
}

static inline void command_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void command_write_text(const char *path, const char *text)
{
    command_write(path, text, strlen(text));
}

/* With a zero behind it; the caller's to free. */
static inline char *command_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "r");
    struct stat status;
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &status), 0);
    char *bytes = calloc(1, (size_t)status.st_size + 1);
    assert_non_null(bytes);
    *size = fread(bytes, 1, (size_t)status.st_size, file);
    fclose(file);
    return bytes;
}

static inline void command_copy(const char *from, const char *to)
{
    size_t size;
    char *bytes = command_read(from, &size);
    command_write(to, bytes, size);
    free(bytes);
}

static inline bool command_has(const char *path, const char *text)
{
    size_t size;
    char *bytes = command_read(path, &size);
    bool has = strstr(bytes, text);
    if (!has)
        print_message("%s has:\n%s\n", path, bytes);
    free(bytes);
    return has;
}

#endif
