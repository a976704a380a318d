/* Scripts of keys and a pointer: read as steps, then played. */
#include "tools/input.h"

#include <ctype.h>
#include <errno.h>
#include <libevdev/libevdev.h>
#include <linux/input.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/tool.h"
#include "util/bits.h"

#define STEPS_MAX  1000000u
#define WORDS      4u          /* of a line */
#define SECONDS    86400.0     /* of a pause, at most */
#define LOOK_NS    2000000     /* from one look at what is awaited to the next */
#define PRESSED_NS 20000000ull /* that a key is down which is pressed and released */

enum step_kind { STEP_EVENTS, STEP_PAUSE, STEP_PICTURES };

struct step {
    uint8_t kind, device, count;
    unsigned line;
    uint64_t amount; /* nanoseconds, pictures */
    struct drm_input_event events[2];
};

struct tool_input {
    struct step *steps;
    uint32_t count, room;
    struct tool_input_stage stage;
    pthread_t thread;
    bool playing, stopping;
    pthread_mutex_t lock;
    pthread_cond_t stopped;
    uint32_t at; /* the step that comes next; under the lock */
};

/* ---- reading ---- */

struct reading {
    struct tool_input *script;
    const char *path, *problem; /* problem: what is wrong with the line */
    unsigned line;
    uint32_t width, height;
    char *word[WORDS], *rest; /* of the line; rest: all after its first word */
    unsigned words;
};

static bool wrong(struct reading *r, const char *problem)
{
    r->problem = problem;
    return false;
}

static bool add(struct reading *r, struct step step)
{
    struct tool_input *s = r->script;
    if (s->count == STEPS_MAX)
        return wrong(r, "more than a million steps");
    if (s->count == s->room) {
        uint32_t room = s->room ? s->room * 2 : 64;
        struct step *steps = realloc(s->steps, room * sizeof *steps);
        if (!steps)
            return wrong(r, "out of memory");
        s->steps = steps;
        s->room = room;
    }
    step.line = r->line;
    s->steps[s->count++] = step;
    return true;
}

static bool add_event(struct reading *r, enum drm_input_number device, unsigned type, unsigned code,
                      int32_t value)
{
    return add(r, (struct step){.kind = STEP_EVENTS,
                                .device = (uint8_t)device,
                                .count = 1,
                                .events = {{(uint16_t)type, (uint16_t)code, value}}});
}

static bool add_pause(struct reading *r, uint64_t ns)
{
    return add(r, (struct step){.kind = STEP_PAUSE, .amount = ns});
}

/* Down, a moment, and up again. */
static bool add_press(struct reading *r, enum drm_input_number device, unsigned code)
{
    return add_event(r, device, EV_KEY, code, 1) && add_pause(r, PRESSED_NS) &&
           add_event(r, device, EV_KEY, code, 0) && add_pause(r, PRESSED_NS);
}

/* The words of a line that is to have so many after the first. */
static bool takes(struct reading *r, unsigned least, unsigned most, const char *usage)
{
    return r->words - 1 >= least && r->words - 1 <= most ? true : wrong(r, usage);
}

static bool number(struct reading *r, unsigned word, double from, double to, double *out)
{
    char *end;
    *out = strtod(r->word[word], &end);
    return end != r->word[word] && !*end && *out >= from && *out <= to
               ? true
               : wrong(r, "a number is out of range, or is none");
}

/* The code of a name as linux/input-event-codes.h has it, written small: `prefix` and the word. 0: there is none. */
static unsigned code_of(const char *prefix, const char *word)
{
    char name[64];
    int n = snprintf(name, sizeof name, "%s%s", prefix, word);
    for (int i = 0; i < n && i < (int)sizeof name; i++)
        name[i] = (char)toupper((unsigned char)name[i]);
    int code = n < (int)sizeof name ? libevdev_event_code_from_name(EV_KEY, name) : -1;
    return code > 0 ? (unsigned)code : 0;
}

static bool has_key(enum drm_input_number device, unsigned code)
{
    for (const struct drm_input_codes *c = drm_input_devices[device].codes; c->type; c++)
        if (c->type == EV_KEY && code >= c->first && code <= c->last)
            return true;
    return false;
}

/* The second word: a key of the keyboard, or with btn_ a button of the pointer. */
static bool key_of(struct reading *r, enum drm_input_number *device, unsigned *code)
{
    bool button = !strncmp(r->word[1], "btn_", 4);
    *device = button ? DRM_INPUT_POINTER : DRM_INPUT_KEYBOARD;
    *code = code_of(button ? "" : "key_", r->word[1]);
    return *code && has_key(*device, *code) ? true : wrong(r, "no such key or button");
}

static bool read_key(struct reading *r)
{
    enum drm_input_number device;
    unsigned code;
    return takes(r, 1, 1, "usage: key NAME") && key_of(r, &device, &code) && add_press(r, device, code);
}

static bool read_down(struct reading *r)
{
    enum drm_input_number device;
    unsigned code;
    return takes(r, 1, 1, "usage: down NAME") && key_of(r, &device, &code) &&
           add_event(r, device, EV_KEY, code, 1);
}

static bool read_up(struct reading *r)
{
    enum drm_input_number device;
    unsigned code;
    return takes(r, 1, 1, "usage: up NAME") && key_of(r, &device, &code) &&
           add_event(r, device, EV_KEY, code, 0);
}

/* What a US keyboard has on its keys, in the order of their codes, and with shift. */
static const struct {
    uint16_t first;
    const char *plain, *shifted;
} rows_of_keys[] = {{KEY_1, "1234567890-=", "!@#$%^&*()_+"},
                    {KEY_Q, "qwertyuiop[]", "QWERTYUIOP{}"},
                    {KEY_A, "asdfghjkl;'`", "ASDFGHJKL:\"~"},
                    {KEY_BACKSLASH, "\\zxcvbnm,./", "|ZXCVBNM<>?"},
                    {KEY_SPACE, " ", ""}};

static bool type_letter(struct reading *r, char letter)
{
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(rows_of_keys); i++) {
        const char *plain = strchr(rows_of_keys[i].plain, letter),
                   *shifted = strchr(rows_of_keys[i].shifted, letter);
        if (!plain && !shifted)
            continue;
        unsigned code = rows_of_keys[i].first +
                        (unsigned)(plain ? plain - rows_of_keys[i].plain : shifted - rows_of_keys[i].shifted);
        return (plain || add_event(r, DRM_INPUT_KEYBOARD, EV_KEY, KEY_LEFTSHIFT, 1)) &&
               add_press(r, DRM_INPUT_KEYBOARD, code) &&
               (plain || add_event(r, DRM_INPUT_KEYBOARD, EV_KEY, KEY_LEFTSHIFT, 0));
    }
    return wrong(r, "type takes what a US keyboard has on its keys");
}

static bool read_type(struct reading *r)
{
    bool good = *r->rest ? true : wrong(r, "usage: type TEXT");
    for (const char *letter = r->rest; good && *letter; letter++)
        good = type_letter(r, *letter);
    return good;
}

static bool read_move(struct reading *r)
{
    double x, y;
    if (!takes(r, 2, 2, "usage: move X Y, in pixels of the display") ||
        !number(r, 1, 0, r->width - 1.0, &x) || !number(r, 2, 0, r->height - 1.0, &y))
        return false;
    return add(r, (struct step){.kind = STEP_EVENTS,
                                .device = DRM_INPUT_POINTER,
                                .count = 2,
                                .events = {{EV_ABS, ABS_X, (int32_t)x}, {EV_ABS, ABS_Y, (int32_t)y}}});
}

static bool read_turn(struct reading *r)
{
    double x, y;
    if (!takes(r, 2, 2, "usage: turn DX DY, of the mouse") || !number(r, 1, -32767, 32767, &x) ||
        !number(r, 2, -32767, 32767, &y))
        return false;
    return add(r, (struct step){.kind = STEP_EVENTS,
                                .device = DRM_INPUT_MOUSE,
                                .count = 2,
                                .events = {{EV_REL, REL_X, (int32_t)x}, {EV_REL, REL_Y, (int32_t)y}}});
}

static bool read_wheel(struct reading *r)
{
    double up, right = 0;
    if (!takes(r, 1, 2, "usage: wheel UP [RIGHT], in notches") || !number(r, 1, -1000, 1000, &up) ||
        (r->words > 2 && !number(r, 2, -1000, 1000, &right)))
        return false;
    return add(
        r, (struct step){.kind = STEP_EVENTS,
                         .device = DRM_INPUT_POINTER,
                         .count = 2,
                         .events = {{EV_REL, REL_WHEEL, (int32_t)up}, {EV_REL, REL_HWHEEL, (int32_t)right}}});
}

static bool read_click(struct reading *r)
{
    if (!takes(r, 0, 1, "usage: click [BUTTON]"))
        return false;
    unsigned code = r->words > 1 ? code_of("btn_", r->word[1]) : BTN_LEFT;
    return code && has_key(DRM_INPUT_POINTER, code) ? add_press(r, DRM_INPUT_POINTER, code)
                                                    : wrong(r, "no such button");
}

static bool read_pause(struct reading *r)
{
    double seconds;
    return takes(r, 1, 1, "usage: pause SECONDS") && number(r, 1, 0, SECONDS, &seconds) &&
           add_pause(r, (uint64_t)(seconds * 1e9));
}

static bool read_wait(struct reading *r)
{
    double pictures;
    return takes(r, 1, 1, "usage: wait PICTURES") && number(r, 1, 1, 1e9, &pictures) &&
           add(r, (struct step){.kind = STEP_PICTURES, .amount = (uint64_t)pictures});
}

static const struct {
    const char *word;
    bool (*read)(struct reading *);
} commands[] = {{"key", read_key},   {"down", read_down},  {"up", read_up},       {"type", read_type},
                {"move", read_move}, {"turn", read_turn},  {"wheel", read_wheel}, {"pause", read_pause},
                {"wait", read_wait}, {"click", read_click}};

/* `line` is cut into words, and its text after the first word is kept whole in `rest`. */
static void split(struct reading *r, char *line, char *rest)
{
    const char *blank = " \t\r\n";
    char *save = NULL;
    line[strcspn(line, "\r\n")] = 0;
    char *text = line + strspn(line, blank);
    text += strcspn(text, blank);
    memmove(rest, *text ? text + 1 : text, strlen(*text ? text + 1 : text) + 1);
    r->rest = rest;
    r->words = 0;
    for (char *w = strtok_r(line, blank, &save); w; w = strtok_r(NULL, blank, &save)) {
        if (r->words < WORDS)
            r->word[r->words] = w;
        r->words++;
    }
}

static bool read_line(struct reading *r)
{
    if (!r->words || r->word[0][0] == '#')
        return true;
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(commands); i++)
        if (!strcmp(r->word[0], commands[i].word))
            return commands[i].read(r);
    return wrong(r,
                 "no such command; there are key, down, up, type, move, click, wheel, turn, pause and wait");
}

static int read_lines(const char *command, struct reading *r, FILE *file)
{
    char *line = NULL, *rest = NULL;
    size_t room = 0;
    bool good = true;
    for (; good && getline(&line, &room, file) >= 0; free(rest)) {
        r->line++;
        rest = malloc(room);
        if (!rest)
            good = wrong(r, "out of memory");
        else {
            split(r, line, rest);
            good = read_line(r);
        }
    }
    free(line);
    if (!good)
        return tool_error(command, TOOL_BAD_FILE, "%s: line %u: %s", r->path, r->line, r->problem);
    if (ferror(file))
        return tool_error(command, TOOL_BAD_FILE, "%s: %s", r->path, strerror(errno));
    return TOOL_OK;
}

static void free_script(struct tool_input *script)
{
    pthread_cond_destroy(&script->stopped);
    pthread_mutex_destroy(&script->lock);
    free(script->steps);
    free(script);
}

static struct tool_input *new_script(void)
{
    struct tool_input *script = calloc(1, sizeof *script);
    pthread_condattr_t clock;
    if (!script)
        return NULL;
    pthread_mutex_init(&script->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&script->stopped, &clock);
    pthread_condattr_destroy(&clock);
    return script;
}

int tool_input_read(const char *command, const char *path, uint32_t width, uint32_t height,
                    struct tool_input **out)
{
    FILE *file = strcmp(path, "-") != 0 ? fopen(path, "re") : NULL;
    if (!file)
        return tool_error(command, TOOL_BAD_FILE, "%s: %s", path,
                          strcmp(path, "-") != 0 ? strerror(errno) : "a script is a file");
    struct reading r = {.script = new_script(), .path = path, .width = width, .height = height};
    int status =
        r.script ? read_lines(command, &r, file) : tool_error(command, TOOL_HOST, "%s: out of memory", path);
    fclose(file);
    if (status && r.script)
        free_script(r.script);
    else
        *out = r.script;
    return status;
}

/* ---- playing ---- */

/* So long, or until it is to stop; locked. */
static void rest_for(struct tool_input *s, uint64_t ns)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    ns += (uint64_t)until.tv_nsec;
    until.tv_sec += (time_t)(ns / 1000000000);
    until.tv_nsec = (long)(ns % 1000000000);
    int late = 0;
    while (!s->stopping && !late)
        late = pthread_cond_timedwait(&s->stopped, &s->lock, &until);
}

static void await_pictures(struct tool_input *s, uint64_t count)
{
    const struct tool_input_stage *stage = &s->stage;
    uint64_t from = stage->shown(stage->data);
    while (!s->stopping && stage->shown(stage->data) - from < count)
        rest_for(s, LOOK_NS);
}

static void play(struct tool_input *s, const struct step *step)
{
    if (step->kind == STEP_PAUSE)
        rest_for(s, step->amount);
    else if (step->kind == STEP_PICTURES)
        await_pictures(s, step->amount);
    else {
        while (!s->stopping && !drm_input_is_open(s->stage.input, step->device))
            rest_for(s, LOOK_NS);
        if (!s->stopping)
            drm_input_send(s->stage.input, step->device, step->events, step->count);
    }
}

static void *play_all(void *data)
{
    struct tool_input *s = data;
    pthread_mutex_lock(&s->lock);
    while (!s->stopping && s->at < s->count) {
        play(s, &s->steps[s->at]);
        s->at += !s->stopping;
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

int tool_input_play(struct tool_input *script, const struct tool_input_stage *stage)
{
    if (!script)
        return 0;
    script->stage = *stage;
    int r = pthread_create(&script->thread, NULL, play_all, script);
    script->playing = !r;
    return -r;
}

/* The line of what was not sent; pauses that nothing comes after are no loss. */
static unsigned line_left(const struct tool_input *script)
{
    for (uint32_t i = script->at; i < script->count; i++)
        if (script->steps[i].kind == STEP_EVENTS)
            return script->steps[i].line;
    return 0;
}

unsigned tool_input_stop(struct tool_input *script)
{
    if (!script)
        return 0;
    if (script->playing) {
        pthread_mutex_lock(&script->lock);
        script->stopping = true;
        pthread_cond_signal(&script->stopped);
        pthread_mutex_unlock(&script->lock);
        pthread_join(script->thread, NULL);
    }
    unsigned line = script->playing ? line_left(script) : 0;
    free_script(script);
    return line;
}
