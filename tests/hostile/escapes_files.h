/* Ways out through files: their contents, names, owners and the folders they stand in. */
#ifndef VITRAIL_TESTS_HOSTILE_ESCAPES_FILES_H
#define VITRAIL_TESTS_HOSTILE_ESCAPES_FILES_H

#include "tests/hostile/escapes.h"

#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/un.h>

static int reading(void)
{
    return refused(open(in_folder("secret"), O_RDONLY));
}
static int reading_the_old_way(void)
{
    return refused(syscall(SYS_open, in_folder("secret"), O_RDONLY));
}
static int reading_the_new_way(void)
{
    const uint64_t how[3] = {O_RDONLY, 0, 0};
    return refused(syscall(SYS_openat2, AT_FDCWD, in_folder("secret"), how, sizeof how));
}
static int making(void)
{
    return refused(open(in_folder("made"), O_WRONLY | O_CREAT, 0600));
}
static int making_the_old_way(void)
{
    return refused(syscall(SYS_creat, in_folder("made"), 0600));
}
static int sharing(void)
{
    return refused(open("/dev/shm/vitrail-test", O_RDWR | O_CREAT, 0600));
}
static int memory_of_the_tool(void)
{
    return refused(open(proc(getppid(), "mem"), O_RDWR));
}
static int memory_of_the_program(void)
{
    return refused(open(proc(outside, "mem"), O_RDWR));
}
static int own_memory(void)
{
    return refused(open("/proc/self/mem", O_RDWR));
}
static int root_of_the_tool(void)
{
    return refused(open(proc(getppid(), "root/etc/passwd"), O_RDONLY));
}
static int writing_what_is_read(void)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", held.file);
    return refused(open(path, O_RDWR));
}
static int removing(void)
{
    return refused(unlink(in_folder("secret")));
}
static int removing_at(void)
{
    return refused(unlinkat(AT_FDCWD, in_folder("secret"), 0));
}
static int moving(void)
{
    return refused(rename(in_folder("secret"), in_folder("moved")));
}
static int linking(void)
{
    return refused(link(in_folder("secret"), in_folder("frames/frame-7.png")));
}
static int linking_by_name(void)
{
    return refused(symlink("/etc/passwd", in_folder("frames/frame-8.png")));
}
static int linking_a_descriptor(void)
{
    return refused(linkat(held.file, "", AT_FDCWD, in_folder("linked"), AT_EMPTY_PATH));
}
static int making_a_folder(void)
{
    return refused(mkdir(in_folder("made"), 0700));
}
static int making_a_device(void)
{
    return refused(mknod(in_folder("made"), S_IFCHR | 0600, 0x103));
}
static int making_a_socket(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/made", folder);
    return refused(bind(held.pair[0], (struct sockaddr *)&address, sizeof address));
}
static int shortening(void)
{
    return refused(truncate(in_folder("secret"), 0));
}
static int looking(void)
{
    struct stat status;
    return refused(stat(in_folder("secret"), &status));
}
static int looking_by_descriptor(void)
{
    struct stat status;
    return refused(fstatat(held.file, "/etc/passwd", &status, AT_EMPTY_PATH));
}
static int looking_the_new_way(void)
{
    struct statx status;
    return refused(statx(AT_FDCWD, in_folder("secret"), 0, STATX_ALL, &status));
}
static int asking(void)
{
    return refused(access(in_folder("secret"), F_OK));
}
static int reading_a_link(void)
{
    char target[64];
    return refused(readlink(proc(getppid(), "exe"), target, sizeof target));
}
static int walking(void)
{
    return refused(chdir("/"));
}
static int opening_to_all(void)
{
    return refused(chmod(in_folder("secret"), 0666)) == FINE ? refused(fchmod(held.file, 0666)) : WRONG;
}
static int giving(void)
{
    return refused(chown(in_folder("secret"), 1, 1));
}
static int dating(void)
{
    return refused(utimensat(AT_FDCWD, in_folder("secret"), NULL, 0));
}
static int watching(void)
{
    int fd = inotify_init1(0);
    return fd < 0 ? FINE : refused(inotify_add_watch(fd, folder, IN_ALL_EVENTS));
}
static int handles(void)
{
    struct {
        struct file_handle head;
        uint8_t bytes[128];
    } handle = {.head.handle_bytes = 128};
    int mount_id, where = open(folder, O_RDONLY | O_DIRECTORY);
    if (where >= 0)
        return WRONG;
    name_to_handle_at(AT_FDCWD, in_folder("secret"), &handle.head, &mount_id, 0);
    return refused(open_by_handle_at(held.file, &handle.head, O_RDWR));
}
static int mounting(void)
{
    return refused(mount("none", folder, "tmpfs", 0, NULL));
}
static int rooting(void)
{
    return refused(chroot(folder));
}
static int copying(void)
{
    return refused(sendfile(held.pair[0], held.file, NULL, 1)) == FINE
               ? refused(copy_file_range(held.file, NULL, held.pair[0], NULL, 1, 0))
               : WRONG;
}

#endif
