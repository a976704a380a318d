/* What a program finds of the keyboard and the pointers of a run, and what a script plays on them: files under /sys and
 * /run/udev, status, ioctls, events, a grab, descriptors that travel. Built for every architecture there is a client
 * for, and run by tests/e2e/run with tests/e2e/input.txt. Exit status 5 is success, so that a program that never ran
 * cannot pass. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHECK(x)                                                                                             \
    do {                                                                                                     \
        if (!(x)) {                                                                                          \
            printf("input.c:%d: %s (errno %d)\n", __LINE__, #x, errno);                                      \
            fflush(stdout);                                                                                  \
            _exit(1);                                                                                        \
        }                                                                                                    \
    } while (0)

enum { SUCCESS = 5, KEYBOARD = 0, POINTER, MOUSE, DEVICES };

static int has(const uint8_t *bits, unsigned bit)
{
    return bits[bit / 8] >> bit % 8 & 1;
}

static void holds(const char *path, const char *text)
{
    char found[4096] = "";
    FILE *file = fopen(path, "r");
    CHECK(file && fread(found, 1, sizeof found - 1, file) > 0);
    fclose(file);
    if (!strstr(found, text))
        printf("%s: %s\n", path, found);
    CHECK(strstr(found, text));
}

static void check_files(void)
{
    struct stat st;
    char path[4096];
    CHECK(!stat("/dev/input/event1", &st) && S_ISCHR(st.st_mode));
    CHECK(major(st.st_rdev) == 13 && minor(st.st_rdev) == 65);
    CHECK(stat("/dev/input/event7", &st) && errno == ENOENT);
    CHECK(open("/dev/input/event7", O_RDONLY) < 0 && errno == ENOENT);
    CHECK(realpath("/sys/dev/char/13:64", path));
    CHECK(!strcmp(path, "/sys/devices/virtual/input/input0/event0"));
    CHECK(realpath("/sys/class/input/event2/device/event2/subsystem", path) &&
          !strcmp(path, "/sys/class/input"));
    holds("/run/udev/data/c13:64", "E:ID_INPUT_KEYBOARD=1\n");
    holds("/run/udev/data/c13:65", "E:ID_INPUT_MOUSE=1\n");
    holds("/sys/class/input/event1/device/capabilities/abs", "3\n");
    holds("/sys/class/input/event2/device/capabilities/rel", "143\n");
    holds("/sys/class/input/event0/uevent", "DEVNAME=input/event0\n");
    DIR *folder = opendir("/dev/input");
    unsigned count = 0;
    CHECK(folder);
    errno = 0;
    for (struct dirent *e; (e = readdir(folder));)
        count += !strncmp(e->d_name, "event", 5);
    /* A 32-bit readdir ends at the first of an ext4's places that needs more: the run's folder is in a tmpfs but for
     * tests. */
    CHECK(count == DEVICES || (sizeof(long) == 4 && errno == EOVERFLOW));
    int relative = openat(dirfd(folder), "event0", O_RDONLY | O_CLOEXEC);
    CHECK(relative >= 0 && !fstat(relative, &st) && S_ISCHR(st.st_mode) && st.st_rdev == makedev(13, 64));
    close(relative);
    closedir(folder);
}

static void check_answers(int keyboard, int pointer)
{
    uint8_t bits[KEY_CNT / 8];
    char name[64], cut[8] = {0};
    struct input_id id;
    struct input_absinfo range;
    int version, clock = CLOCK_MONOTONIC, repeat[2], none = 99;
    CHECK(!ioctl(keyboard, EVIOCGVERSION, &version) && version == 0x010001);
    CHECK(!ioctl(keyboard, EVIOCGID, &id) && id.bustype == BUS_VIRTUAL && id.product == 1);
    CHECK(ioctl(keyboard, EVIOCGNAME(sizeof name), name) == 17 && !strcmp(name, "Vitrail keyboard"));
    CHECK(ioctl(keyboard, EVIOCGNAME(4), cut) == 4 && !memcmp(cut, "Vitr", 5));
    CHECK(ioctl(keyboard, EVIOCGPHYS(sizeof name), name) < 0 && errno == ENOENT);
    CHECK(ioctl(keyboard, EVIOCGREP, repeat) < 0 && errno == ENOSYS);
    CHECK(ioctl(keyboard, EVIOCGBIT(EV_KEY, sizeof bits), bits) == sizeof bits);
    CHECK(has(bits, KEY_A) && has(bits, KEY_ENTER) && !has(bits, BTN_LEFT));
    memset(bits, 0xff, sizeof bits);
    CHECK(ioctl(pointer, EVIOCGBIT(0, sizeof bits), bits) == sizeof(long));
    CHECK(has(bits, EV_SYN) && has(bits, EV_KEY) && has(bits, EV_ABS) && has(bits, EV_REL) &&
          !has(bits, EV_FF));
    CHECK(bits[sizeof(long)] == 0xff);
    CHECK(!ioctl(pointer, EVIOCGABS(ABS_X), &range) && range.minimum == 0 && range.maximum == 639);
    CHECK(!ioctl(pointer, EVIOCGABS(ABS_Y), &range) && range.maximum == 359);
    CHECK(ioctl(keyboard, EVIOCGABS(ABS_X), &range) < 0 && errno == EINVAL);
    CHECK(!ioctl(keyboard, EVIOCSCLOCKID, &clock));
    CHECK(ioctl(keyboard, EVIOCSCLOCKID, &none) < 0 && errno == EINVAL);
    CHECK(ioctl(keyboard, 0x45aa, NULL) < 0 && errno == EINVAL);
    CHECK((fcntl(keyboard, F_GETFL) & O_ACCMODE) == O_RDWR);
}

/* The next event of this type; SYN_REPORT ends each packet. */
static struct input_event next(int fd, unsigned type)
{
    struct input_event event;
    do {
        struct pollfd wait = {fd, POLLIN, 0};
        CHECK(poll(&wait, 1, 20000) == 1 && wait.revents == POLLIN);
        CHECK(read(fd, &event, sizeof event) == sizeof event);
    } while (event.type == EV_SYN && type != EV_SYN);
    CHECK(event.type == type);
    return event;
}

static void expect_key(int fd, unsigned code, int value)
{
    struct input_event event = next(fd, EV_KEY);
    if (event.code != code || event.value != value)
        printf("key %u is %d, not %u %d\n", event.code, event.value, code, value);
    CHECK(event.code == code && event.value == value);
}

static void check_keys(int keyboard)
{
    struct timespec now;
    uint8_t down[KEY_CNT / 8];
    struct input_event event = next(keyboard, EV_KEY);
    clock_gettime(CLOCK_MONOTONIC, &now);
    CHECK(event.code == KEY_ENTER && event.value == 1);
    CHECK(event.input_event_sec >= (unsigned long)now.tv_sec - 60 &&
          event.input_event_sec <= (unsigned long)now.tv_sec);
    CHECK(next(keyboard, EV_SYN).code == SYN_REPORT);
    expect_key(keyboard, KEY_ENTER, 0);
    static const unsigned text[] = {KEY_LEFTSHIFT, KEY_H, KEY_H,     KEY_LEFTSHIFT,
                                    KEY_I,         KEY_I, KEY_SPACE, KEY_SPACE,
                                    KEY_LEFTSHIFT, KEY_1, KEY_1,     KEY_LEFTSHIFT};
    static const int value[] = {1, 1, 0, 0, 1, 0, 1, 0, 1, 1, 0, 0};
    for (unsigned i = 0; i < sizeof text / sizeof *text; i++)
        expect_key(keyboard, text[i], value[i]);
    expect_key(keyboard, KEY_W, 1);
    CHECK(ioctl(keyboard, EVIOCGKEY(sizeof down), down) == sizeof down && has(down, KEY_W) &&
          !has(down, KEY_H));
    expect_key(keyboard, KEY_W, 0);
}

static void check_pointer(int pointer, int mouse)
{
    struct input_event event = next(pointer, EV_ABS);
    CHECK(event.code == ABS_X && event.value == 320);
    event = next(pointer, EV_ABS);
    CHECK(event.code == ABS_Y && event.value == 180);
    expect_key(pointer, BTN_LEFT, 1);
    expect_key(pointer, BTN_LEFT, 0);
    event = next(pointer, EV_ABS); /* only the one that changes */
    CHECK(event.code == ABS_Y && event.value == 181);
    CHECK(next(pointer, EV_SYN).code == SYN_REPORT);
    event = next(pointer, EV_REL);
    CHECK(event.code == REL_WHEEL && event.value == -2);
    event = next(mouse, EV_REL);
    CHECK(event.code == REL_X && event.value == -30);
}

/* The descriptor in a child, which knows it by what it inherited, and in one that was sent it. */
static void check_travels(int keyboard)
{
    int ends[2], status;
    char room[CMSG_SPACE(sizeof keyboard)] = {0}, byte = 0;
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct stat st;
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    pid_t child = fork();
    if (!child) {
        CHECK(!fstat(keyboard, &st) && st.st_rdev == makedev(13, 64));
        CHECK(recvmsg(ends[1], &message, 0) == 1);
        int sent;
        memcpy(&sent, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof sent);
        CHECK(sent != keyboard && !fstat(sent, &st) && S_ISCHR(st.st_mode) && st.st_rdev == makedev(13, 64));
        CHECK(!ioctl(sent, EVIOCGRAB, (void *)1) && ioctl(keyboard, EVIOCGRAB, (void *)1) < 0 &&
              errno == EBUSY);
        CHECK(!ioctl(keyboard, EVIOCGRAB, NULL));
        _exit(SUCCESS);
    }
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof keyboard);
    memcpy(CMSG_DATA(rights), &keyboard, sizeof keyboard);
    CHECK(sendmsg(ends[0], &message, 0) == 1);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == SUCCESS);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    int fd[DEVICES];
    check_files();
    for (int i = 0; i < DEVICES; i++) {
        char path[32];
        snprintf(path, sizeof path, "/dev/input/event%d", i);
        fd[i] = open(path, O_RDWR | O_CLOEXEC);
        CHECK(fd[i] >= 0);
    }
    int other = open("/dev/input/event0", O_RDONLY | O_NONBLOCK);
    CHECK(other >= 0);
    check_answers(fd[KEYBOARD], fd[POINTER]);
    check_travels(fd[KEYBOARD]);
    CHECK(!ioctl(fd[KEYBOARD], EVIOCGRAB, (void *)1));
    check_keys(fd[KEYBOARD]);
    check_pointer(fd[POINTER], fd[MOUSE]);
    struct input_event event;
    CHECK(read(other, &event, sizeof event) < 0 && errno == EAGAIN); /* it was grabbed */
    CHECK(!ioctl(fd[KEYBOARD], EVIOCGRAB, NULL) && ioctl(fd[KEYBOARD], EVIOCGRAB, NULL) < 0 &&
          errno == EINVAL);
    CHECK(!ioctl(other, EVIOCREVOKE, NULL) && read(other, &event, sizeof event) == 0);
    printf("input: good\n");
    return SUCCESS;
}
