/* The compositor's side of a root of its own. */
#include "drm/launch/session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "drm/launch/mounts.h"

enum {
    SAID = 2000,        /* bytes of a compositor's last words */
    PATIENCE_MS = 30000 /* until it is said why nothing happens */
};

/* -d: windows have no frames, and so the one that there is fills the display. */
const char *const drm_session_words[] = {"-d", "--", DRM_ROOT_SESSION, DRM_ROOT_DISPLAY, NULL};

int drm_session_prepare(struct drm_session *s, struct util_error *error)
{
    if (mkfifo(DRM_ROOT_DISPLAY, 0600))
        return util_fail(error, -errno, "no pipe for displays: %s", strerror(errno));
    s->displays = open(DRM_ROOT_DISPLAY, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    s->said = memfd_create("compositor", MFD_CLOEXEC);
    if (s->displays < 0 || s->said < 0)
        return util_fail(error, -errno, "no file for the compositor: %s", strerror(errno));
    return 0;
}

bool drm_session_enter(const struct drm_session *s)
{
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(s->said, STDOUT_FILENO) >= 0 &&
           dup2(s->said, STDERR_FILENO) >= 0;
}

static void tell(const struct drm_session *s, const char *what)
{
    char text[SAID + 1];
    struct stat st;
    off_t from = !fstat(s->said, &st) && st.st_size > SAID ? st.st_size - SAID : 0;
    ssize_t n = pread(s->said, text, SAID, from);
    text[n > 0 ? n : 0] = 0;
    fprintf(stderr, "vitrail: the compositor (" DRM_SESSION_COMPOSITOR ") %s%s\n%s", what,
            n > 0 ? "; it says:" : "", text);
}

/* What the compositor's first program writes, up to an empty line; false: the compositor has ended. */
static bool hear(const struct drm_session *s, char *text, size_t room)
{
    struct pollfd heard[2] = {{.fd = s->displays, .events = POLLIN}, {.events = POLLIN}};
    size_t n = 0;
    int patience = PATIENCE_MS;
    heard[1].fd = (int)syscall(SYS_pidfd_open, s->compositor, 0);
    if (heard[1].fd < 0)
        return false;
    text[0] = 0;
    while (!strstr(text, "\n\n") && strcmp(text, "\n") != 0) {
        int r = poll(heard, 2, patience);
        if (!r)
            tell(s, "has no display yet");
        if (r < 0 && errno != EINTR)
            break;
        patience = -1;
        ssize_t got = heard[0].revents & POLLIN ? read(s->displays, text + n, room - 1 - n) : 0;
        n += got > 0 ? (size_t)got : 0;
        text[n] = 0;
        if (got <= 0 && (heard[0].revents || heard[1].revents))
            break;
    }
    close(heard[1].fd);
    return n && text[n - 1] == '\n';
}

/* The line of a variable goes into the environment. */
static bool take(const char *text, const char *name)
{
    char value[256];
    size_t n = strlen(name);
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        if (strncmp(line, name, n) != 0 || line[n] != '=')
            continue;
        snprintf(value, sizeof value, "%.*s", (int)strcspn(line + n + 1, "\n"), line + n + 1);
        return *value && !setenv(name, value, 1);
    }
    fprintf(stderr, "vitrail: the compositor (" DRM_SESSION_COMPOSITOR ") has no %s\n",
            strcmp(name, "DISPLAY") != 0 ? "display" : "display for X11");
    return false;
}

bool drm_session_await(const struct drm_session *s, const struct drm_root *root)
{
    char text[1024];
    if (!hear(s, text, sizeof text)) {
        tell(s, "ended before it had a display");
        return false;
    }
    setenv("XDG_SESSION_TYPE", root->wayland ? "wayland" : "x11", 1);
    return (!root->wayland || take(text, "WAYLAND_DISPLAY")) && (!root->x11 || take(text, "DISPLAY"));
}
