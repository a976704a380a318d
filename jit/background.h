/* One thread of low priority for the whole process, for work that nobody waits for. It runs the members'
 * steps in turn, one at a time, while there is a member. Internal to jit/. Thread-safe. */
#ifndef VITRAIL_JIT_BACKGROUND_H
#define VITRAIL_JIT_BACKGROUND_H

#include <stdbool.h>

/* Owned by the member; its place must not change between join and leave. */
struct jit_background {
    struct jit_background *next;
    bool (*step)(void *data); /* does one piece of work; returns whether there is more */
    void *data;
    bool pending, running;
    unsigned held;
};

/* The first member starts the thread. false: there is no thread; steps will not run. */
bool jit_background_join(struct jit_background *member, bool (*step)(void *data), void *data);
/* The member has work. */
void jit_background_poke(struct jit_background *member);
/* Waits for the member's step to end; none begins before the release. Holds nest. */
void jit_background_hold(struct jit_background *member);
void jit_background_release(struct jit_background *member);
/* Waits until the member has no work left (it must not be held). */
void jit_background_wait(struct jit_background *member);
/* Waits for the step that runs; what is left undone stays undone. The last member ends the thread. */
void jit_background_leave(struct jit_background *member);

#endif
