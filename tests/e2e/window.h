/* A program's window: the whole first display, through GBM, with EGL behind it. One a program, never closed; it
 * is this file's own. What fails ends the program with status 1 and a line on standard error, unless said
 * otherwise. One thread. */
#ifndef E2E_WINDOW_H
#define E2E_WINDOW_H
#include <stdbool.h>
#include <stdint.h>

struct window {
    uint32_t width, height; /* in pixels: the display's mode */
};
extern struct window window;

enum window_api { WINDOW_ES, WINDOW_DESKTOP };

/* Prints the program's name and `what`. */
_Noreturn void window_fail(const char *what);
/* Opens display and window, without a context: 8 bits a channel, depth and stencil, so many samples a pixel (0:
 * one). */
void window_open(int samples);
/* Makes a context of at least this version current, a new one at each call. False when there is none; then what
 * was current stays. */
bool window_context(enum window_api api, int major, int minor);
/* A function of GL by its name. */
void (*window_function(const char *name))(void);
/* Presents what was drawn. */
void window_show(void);
#endif
