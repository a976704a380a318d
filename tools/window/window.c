/* The window of `vitrail run --window`: a program of its own, because SDL needs what the sandbox of a card takes away, and so
 * that no other command loads SDL.
 *
 * Usage: vitrail-window SOCKET MEMORY WIDTH HEIGHT TITLE: numbers of two descriptors (message.h), and the display's
 * preferred mode, in whose pixels the pointer is told. Ends with 0 when the window was closed, or the run is over. */
#include <fcntl.h>
#include <linux/input-event-codes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <SDL.h>

#include "tools/window/message.h"
#include "util/message.h"

enum { FAILED = 5 };

struct window {
    int socket;
    const uint8_t *pixels;
    int width, height; /* of the mode */
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_Texture *texture; /* of the last picture; NULL: there was none */
    int picture_width, picture_height;
    uint32_t arrived, over; /* numbers of events of ours */
};

/* Codes of the kernel's by SDL's, which are those of USB (HID Usage Tables, keyboard page). */
static const uint16_t keys[SDL_NUM_SCANCODES] = {
#define K(name) [SDL_SCANCODE_##name] = KEY_##name
    K(A),
    K(B),
    K(C),
    K(D),
    K(E),
    K(F),
    K(G),
    K(H),
    K(I),
    K(J),
    K(K),
    K(L),
    K(M),
    K(N),
    K(O),
    K(P),
    K(Q),
    K(R),
    K(S),
    K(T),
    K(U),
    K(V),
    K(W),
    K(X),
    K(Y),
    K(Z),
    K(1),
    K(2),
    K(3),
    K(4),
    K(5),
    K(6),
    K(7),
    K(8),
    K(9),
    K(0),
    K(TAB),
    K(SPACE),
    K(SEMICOLON),
    K(APOSTROPHE),
    K(GRAVE),
    K(COMMA),
    K(SLASH),
    K(BACKSLASH),
    K(CAPSLOCK),
    K(F1),
    K(F2),
    K(F3),
    K(F4),
    K(F5),
    K(F6),
    K(F7),
    K(F8),
    K(F9),
    K(F10),
    K(F11),
    K(F12),
    K(F13),
    K(F14),
    K(F15),
    K(F16),
    K(F17),
    K(F18),
    K(F19),
    K(F20),
    K(F21),
    K(F22),
    K(F23),
    K(F24),
    K(PAUSE),
    K(INSERT),
    K(HOME),
    K(PAGEUP),
    K(DELETE),
    K(END),
    K(PAGEDOWN),
    K(RIGHT),
    K(LEFT),
    K(DOWN),
    K(UP),
    K(MENU),
    K(MUTE),
    K(POWER),
#undef K
    [SDL_SCANCODE_RETURN] = KEY_ENTER,
    [SDL_SCANCODE_ESCAPE] = KEY_ESC,
    [SDL_SCANCODE_BACKSPACE] = KEY_BACKSPACE,
    [SDL_SCANCODE_MINUS] = KEY_MINUS,
    [SDL_SCANCODE_EQUALS] = KEY_EQUAL,
    [SDL_SCANCODE_LEFTBRACKET] = KEY_LEFTBRACE,
    [SDL_SCANCODE_RIGHTBRACKET] = KEY_RIGHTBRACE,
    [SDL_SCANCODE_NONUSHASH] = KEY_BACKSLASH,
    [SDL_SCANCODE_PERIOD] = KEY_DOT,
    [SDL_SCANCODE_PRINTSCREEN] = KEY_SYSRQ,
    [SDL_SCANCODE_SCROLLLOCK] = KEY_SCROLLLOCK,
    [SDL_SCANCODE_NUMLOCKCLEAR] = KEY_NUMLOCK,
    [SDL_SCANCODE_KP_DIVIDE] = KEY_KPSLASH,
    [SDL_SCANCODE_KP_MULTIPLY] = KEY_KPASTERISK,
    [SDL_SCANCODE_KP_MINUS] = KEY_KPMINUS,
    [SDL_SCANCODE_KP_PLUS] = KEY_KPPLUS,
    [SDL_SCANCODE_KP_ENTER] = KEY_KPENTER,
    [SDL_SCANCODE_KP_1] = KEY_KP1,
    [SDL_SCANCODE_KP_2] = KEY_KP2,
    [SDL_SCANCODE_KP_3] = KEY_KP3,
    [SDL_SCANCODE_KP_4] = KEY_KP4,
    [SDL_SCANCODE_KP_5] = KEY_KP5,
    [SDL_SCANCODE_KP_6] = KEY_KP6,
    [SDL_SCANCODE_KP_7] = KEY_KP7,
    [SDL_SCANCODE_KP_8] = KEY_KP8,
    [SDL_SCANCODE_KP_9] = KEY_KP9,
    [SDL_SCANCODE_KP_0] = KEY_KP0,
    [SDL_SCANCODE_KP_PERIOD] = KEY_KPDOT,
    [SDL_SCANCODE_KP_EQUALS] = KEY_KPEQUAL,
    [SDL_SCANCODE_NONUSBACKSLASH] = KEY_102ND,
    [SDL_SCANCODE_APPLICATION] = KEY_COMPOSE,
    [SDL_SCANCODE_VOLUMEUP] = KEY_VOLUMEUP,
    [SDL_SCANCODE_VOLUMEDOWN] = KEY_VOLUMEDOWN,
    [SDL_SCANCODE_LCTRL] = KEY_LEFTCTRL,
    [SDL_SCANCODE_LSHIFT] = KEY_LEFTSHIFT,
    [SDL_SCANCODE_LALT] = KEY_LEFTALT,
    [SDL_SCANCODE_LGUI] = KEY_LEFTMETA,
    [SDL_SCANCODE_RCTRL] = KEY_RIGHTCTRL,
    [SDL_SCANCODE_RSHIFT] = KEY_RIGHTSHIFT,
    [SDL_SCANCODE_RALT] = KEY_RIGHTALT,
    [SDL_SCANCODE_RGUI] = KEY_RIGHTMETA,
};

static const uint16_t buttons[] = {[SDL_BUTTON_LEFT] = BTN_LEFT,
                                   [SDL_BUTTON_MIDDLE] = BTN_MIDDLE,
                                   [SDL_BUTTON_RIGHT] = BTN_RIGHT,
                                   [SDL_BUTTON_X1] = BTN_SIDE,
                                   [SDL_BUTTON_X2] = BTN_EXTRA};
enum { BUTTONS = sizeof buttons / sizeof *buttons };

/* ---- input ---- */

static void say(const struct window *w, const struct window_message *m)
{
    util_message_send(w->socket, m, sizeof *m,
                      -1); /* the run is over where nobody hears it, which is told elsewhere */
}

static void send_one(const struct window *w, enum drm_input_number device, uint16_t type, uint16_t code,
                     int32_t value)
{
    say(w, &(struct window_message){WINDOW_INPUT, device, 1, {{type, code, value}}});
}

/* From pixels of the picture to those of the mode. */
static int32_t scaled(int at, int from, int to)
{
    int64_t there = from ? (int64_t)at * to / from : at;
    return there < 0 ? 0 : there >= to ? to - 1 : (int32_t)there;
}

static void send_motion(const struct window *w, const SDL_MouseMotionEvent *e)
{
    say(w, &(struct window_message){WINDOW_INPUT,
                                    DRM_INPUT_POINTER,
                                    2,
                                    {{EV_ABS, ABS_X, scaled(e->x, w->picture_width, w->width)},
                                     {EV_ABS, ABS_Y, scaled(e->y, w->picture_height, w->height)}}});
}

static void send_wheel(const struct window *w, const SDL_MouseWheelEvent *e)
{
    int turned = e->direction == SDL_MOUSEWHEEL_FLIPPED ? -1 : 1;
    say(w,
        &(struct window_message){WINDOW_INPUT,
                                 DRM_INPUT_POINTER,
                                 2,
                                 {{EV_REL, REL_WHEEL, turned * e->y}, {EV_REL, REL_HWHEEL, turned * e->x}}});
}

static void send_input(const struct window *w, const SDL_Event *e)
{
    switch (e->type) {
    case SDL_KEYDOWN:
    case SDL_KEYUP:
        if (!e->key.repeat && keys[e->key.keysym.scancode])
            send_one(w, DRM_INPUT_KEYBOARD, EV_KEY, keys[e->key.keysym.scancode], e->type == SDL_KEYDOWN);
        break;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        if (e->button.button < BUTTONS && buttons[e->button.button])
            send_one(w, DRM_INPUT_POINTER, EV_KEY, buttons[e->button.button], e->type == SDL_MOUSEBUTTONDOWN);
        break;
    case SDL_MOUSEMOTION: send_motion(w, &e->motion); break;
    case SDL_MOUSEWHEEL: send_wheel(w, &e->wheel); break;
    default: break;
    }
}

/* ---- pictures ---- */

/* Messages become events of SDL's, for which the other thread waits. */
static int listen_to_run(void *data)
{
    struct window *w = data;
    struct window_message m;
    int fd;
    while (util_message_receive(w->socket, &m, sizeof m, &fd)) {
        SDL_Event event = {.user = {.type = w->arrived}};
        event.user.data1 =
            (void *)(uintptr_t)m.a; /* NOLINT(performance-no-int-to-ptr): SDL's events have pointers */
        event.user.data2 = (void *)(uintptr_t)m.b; /* NOLINT(performance-no-int-to-ptr) */
        if (fd >= 0)
            close(fd);
        if (m.what == WINDOW_PICTURE && m.a && m.b && m.a <= WINDOW_SIDE && m.b <= WINDOW_SIDE)
            SDL_PushEvent(&event);
    }
    SDL_Event event = {.user = {.type = w->over}};
    SDL_PushEvent(&event);
    return 0;
}

static void draw(const struct window *w)
{
    SDL_RenderClear(w->renderer);
    if (w->texture)
        SDL_RenderCopy(w->renderer, w->texture, NULL, NULL);
    SDL_RenderPresent(w->renderer);
}

static bool take_picture(struct window *w, int width, int height)
{
    if (!w->texture || w->picture_width != width || w->picture_height != height) {
        if (w->texture)
            SDL_DestroyTexture(w->texture);
        w->picture_width = width;
        w->picture_height = height;
        w->texture = SDL_CreateTexture(w->renderer, SDL_PIXELFORMAT_RGBA32, SDL_TEXTUREACCESS_STREAMING,
                                       width, height);
        if (!w->texture || SDL_SetTextureBlendMode(w->texture, SDL_BLENDMODE_NONE) ||
            SDL_RenderSetLogicalSize(w->renderer, width, height))
            return false;
    }
    return !SDL_UpdateTexture(w->texture, NULL, w->pixels, width * 4);
}

/* ---- the window ---- */

static bool step(struct window *w, const SDL_Event *e)
{
    if (e->type == SDL_QUIT || e->type == w->over)
        return false;
    if (e->type == w->arrived) {
        if (!take_picture(w, (int)(uintptr_t)e->user.data1, (int)(uintptr_t)e->user.data2))
            return false;
        say(w, &(struct window_message){.what = WINDOW_TAKEN});
        draw(w);
    } else if (e->type == SDL_WINDOWEVENT) {
        draw(w);
    } else {
        send_input(w, e);
    }
    return true;
}

/* SDL may settle for a driver that shows nothing, which only SDL_VIDEODRIVER may ask for. */
static bool is_seen(const char *driver)
{
    return getenv("SDL_VIDEODRIVER") || (strcmp(driver, "offscreen") != 0 && strcmp(driver, "dummy") != 0);
}

static bool open_window(struct window *w, const char *title)
{
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
    SDL_SetHint(SDL_HINT_RENDER_DRIVER,
                "software"); /* GL would mostly be drawn in software, too, with more work */
    if (SDL_Init(SDL_INIT_VIDEO))
        return false;
    if (!is_seen(SDL_GetCurrentVideoDriver()))
        return SDL_SetError(
                   "neither X11 nor Wayland: DISPLAY and WAYLAND_DISPLAY name none that could be reached"),
               false;
    w->arrived = SDL_RegisterEvents(2);
    w->over = w->arrived + 1;
    w->window = SDL_CreateWindow(title, SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED, w->width, w->height,
                                 SDL_WINDOW_RESIZABLE);
    if (w->window)
        w->renderer = SDL_CreateRenderer(w->window, -1, 0);
    if (!w->renderer)
        return false;
    SDL_ShowCursor(SDL_DISABLE); /* the display has one of its own */
    draw(w);
    return true;
}

static const uint8_t *map(int file)
{
    struct stat st;
    if (fstat(file, &st) || st.st_size != (off_t)WINDOW_BYTES || !(fcntl(file, F_GET_SEALS) & F_SEAL_SHRINK))
        return NULL;
    void *pixels = mmap(NULL, WINDOW_BYTES, PROT_READ, MAP_SHARED, file, 0);
    return pixels == MAP_FAILED ? NULL : pixels;
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return fprintf(stderr, "vitrail-window is begun by vitrail run --window\n"), 2;
    struct window w = {.socket = atoi(argv[1]),
                       .pixels = map(atoi(argv[2])),
                       .width = atoi(argv[3]),
                       .height = atoi(argv[4])};
    SDL_Event event;
    signal(SIGINT, SIG_IGN); /* meant for the program, with which the run ends */
    if (!w.pixels || w.width <= 0 || w.height <= 0)
        return FAILED;
    if (!open_window(&w, argv[5]))
        return fprintf(stderr, "vitrail run: --window: no window: %s\n", SDL_GetError()), FAILED;
    SDL_Thread *listener = SDL_CreateThread(listen_to_run, "run", &w);
    if (!listener)
        return FAILED;
    say(&w, &(struct window_message){.what = WINDOW_TAKEN});
    while (SDL_WaitEvent(&event) && step(&w, &event))
        ;
    SDL_DetachThread(listener);
    return 0;
}
