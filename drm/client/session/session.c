/* The first program of a compositor (drm/launch/session.c): says where the displays are, which only what the compositor
 * begins is told, and stays, for the compositor ends when its first program does. Linked statically and for this
 * machine, so that it runs in any root and whatever the architecture of the programs there.
 *
 * Usage: vitrail-session FIFO. What is written: a line a variable, `NAME=VALUE`, then an empty line. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static const char *const names[] = {"WAYLAND_DISPLAY", "DISPLAY"};
    int out = argc == 2 ? open(argv[1], O_WRONLY) : -1;
    if (out < 0)
        return 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && dprintf(out, "%s=%s\n", names[i], value) < 0)
            return 1;
    }
    if (write(out, "\n", 1) != 1)
        return 1;
    for (;;)
        pause();
}
