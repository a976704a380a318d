/* GL functions by name. */
#include "player.h"
#include <string.h>

#define TAKE_I            next_int(l)
#define TAKE_F            (GLfloat) next_number(l)
#define TYPE_I            GLint
#define TYPE_F            GLfloat
#define ARGUMENT(n, kind) TYPE_##kind a##n = TAKE_##kind;
#define CALL0(name)                                                                                          \
    static void call_##name(struct line *l)                                                                  \
    {                                                                                                        \
        (void)l;                                                                                             \
        gl##name();                                                                                          \
    }
#define BODY(name, reads, ...)                                                                               \
    static void call_##name(struct line *l)                                                                  \
    {                                                                                                        \
        reads gl##name(__VA_ARGS__);                                                                         \
    }
#define CALL1(name, a)       BODY(name, ARGUMENT(0, a), a0)
#define CALL2(name, a, b)    BODY(name, ARGUMENT(0, a) ARGUMENT(1, b), a0, a1)
#define CALL3(name, a, b, c) BODY(name, ARGUMENT(0, a) ARGUMENT(1, b) ARGUMENT(2, c), a0, a1, a2)
#define CALL4(name, a, b, c, d)                                                                              \
    BODY(name, ARGUMENT(0, a) ARGUMENT(1, b) ARGUMENT(2, c) ARGUMENT(3, d), a0, a1, a2, a3)
#define CALL8(name, a, b, c, d, e, f, g, h)                                                                  \
    BODY(name,                                                                                               \
         ARGUMENT(0, a) ARGUMENT(1, b) ARGUMENT(2, c) ARGUMENT(3, d) ARGUMENT(4, e) ARGUMENT(5, f)           \
             ARGUMENT(6, g) ARGUMENT(7, h),                                                                  \
         a0, a1, a2, a3, a4, a5, a6, a7)
#include "calls.inc"
#undef CALL0
#undef CALL1
#undef CALL2
#undef CALL3
#undef CALL4
#undef CALL8

static const struct call {
    const char *name;
    void (*function)(struct line *l);
} calls[] = {
#define CALL0(name)      {#name, call_##name},
#define CALL1(name, ...) {#name, call_##name},
#define CALL2(name, ...) {#name, call_##name},
#define CALL3(name, ...) {#name, call_##name},
#define CALL4(name, ...) {#name, call_##name},
#define CALL8(name, ...) {#name, call_##name},
#include "calls.inc"
};

bool gl_call(const char *name, struct line *l)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(calls[i].name, name)) {
            calls[i].function(l);
            return true;
        }
    return false;
}
