/* Ways out through the broker, which opens files by name for a process that may not. */
#ifndef VITRAIL_TESTS_HOSTILE_ESCAPES_BROKER_H
#define VITRAIL_TESTS_HOSTILE_ESCAPES_BROKER_H

#include "tests/hostile/escapes.h"

#include <sys/mman.h>

#include "util/files.h"

static int broker_denies(int result)
{
    return result == -EACCES ? FINE : WRONG;
}
static int brokered_reading(void)
{
    return broker_denies(util_open(in_folder("secret"), O_RDONLY, 0));
}
static int brokered_passwords(void)
{
    return broker_denies(util_open("/etc/passwd", O_RDONLY, 0));
}
static int brokered_making(void)
{
    return broker_denies(util_open(in_folder("made"), O_WRONLY | O_CREAT, 0600));
}
static int brokered_way_out(void)
{
    static const char *const names[] = {"frames/../secret",
                                        "frames/",
                                        "frames/.",
                                        "frames/..",
                                        "frames/frame-/../../secret.png",
                                        "frames//frame-1.png",
                                        "frames/other.png",
                                        "framesX/frame-1.png",
                                        "cache/vitrail/code-sandboxed/../../../secret",
                                        "cache/vitrail/code/x.vto",
                                        "cache/vitrail/code-sandboxed/.x"};
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(names); i++)
        if (util_open(in_folder(names[i]), O_WRONLY | O_CREAT, 0600) != -EACCES ||
            util_open(in_folder(names[i]), O_RDONLY, 0) != -EACCES ||
            util_remove_file(in_folder(names[i])) != -EACCES)
            return WRONG;
    return FINE;
}
/* Pictures are written, not read; a folder is listed, nothing else. */
static int brokered_rights(void)
{
    if (util_open(in_folder("frames/frame-1.png"), O_RDONLY, 0) != -EACCES ||
        util_open(in_folder("frames/frame-1.png"), O_RDWR, 0) != -EACCES ||
        util_open(in_folder("frames"), O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0) != -EACCES)
        return WRONG;
    static const int strange[] = {O_ACCMODE, O_PATH, O_TMPFILE | O_WRONLY, O_WRONLY | O_ASYNC, O_DIRECT};
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(strange); i++)
        if (util_open(in_folder("cache/vitrail/code-sandboxed/x"), strange[i], 0600) >= 0)
            return WRONG;
    return FINE;
}
static int brokered_input(void)
{
    char input[128];
    snprintf(input, sizeof input, "%s/input", folder);
    int fd = util_open(input, O_RDONLY, 0);
    if (fd < 0 || util_open(input, O_RDONLY | O_TRUNC, 0) != -EACCES ||
        util_open(input, O_WRONLY, 0) != -EACCES || util_open(input, O_RDWR, 0) != -EACCES ||
        util_open(input, O_RDONLY | O_CREAT, 0600) != -EACCES || util_remove_file(input) != -EACCES)
        return WRONG;
    return broker_denies(util_reopen(fd, O_RDWR));
}
static int brokered_reopening(void)
{
    int fd = memfd_create("of somebody", 0);
    if (util_reopen(held.file, O_RDWR) != -EACCES || util_reopen(held.file, O_RDONLY) != -EACCES ||
        util_reopen(fd, O_RDWR) != -EACCES || util_reopen(held.pair[0], O_RDWR) != -EACCES)
        return WRONG;
    return util_reopen(-1, O_RDWR) == -EINVAL ? FINE : WRONG;
}
static int brokered_moving(void)
{
    struct util_folder code;
    if (util_folder_open(in_folder("cache/vitrail/code-sandboxed"), &code))
        return WRONG;
    int fd = util_folder_file(&code, "tmp-test", O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0 || util_folder_rename(&code, "tmp-test", "../code/x.vto") != -EACCES ||
        util_folder_rename(&code, "tmp-test", "../../../secret") != -EACCES ||
        util_folder_rename(&code, "../../../secret", "tmp-test") != -EACCES)
        return WRONG;
    return util_folder_remove(&code, "tmp-test") ? WRONG : FINE;
}
/* Devices and links stay; the outside of a link is not reached by its removal. */
static int brokered_removing(void)
{
    return util_remove_file(in_folder("frames/frame-link.png")) == -EINVAL ? FINE : WRONG;
}

#endif
