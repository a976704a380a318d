/* The golden model: a program element by element, in order, written from README.md and the documents that it names,
 * independently of any translation. */
#ifndef VITRAIL_ISA_SIMPLE_V_INTERP_H
#define VITRAIL_ISA_SIMPLE_V_INTERP_H

#include "isa/simple_v/ports.h"
#include "isa/simple_v/program.h"
#include "isa/simple_v/state.h"

/* Called before each instruction when tracing; `insn` is NULL at the header of a VBLOCK. */
typedef void (*simple_v_trace_fn)(void *data, const struct simple_v_state *state,
                                  const struct simple_v_insn *insn);

/* Looks on at element operations, in their order; a whole instruction without elements is one. Changes nothing. */
struct simple_v_context;
struct simple_v_watch {
    void *data;
    /* One begins; `left_out`: a mask leaves it out, then what follows is what it would read and write, as far as it has
     * registers. Of a swizzle all reads of a sub-vector come before its writes. */
    void (*element)(void *data, const struct simple_v_state *state, const struct simple_v_context *x,
                    bool left_out);
    /* It reads, or writes, `bytes` of a file from byte `at` on. Not called of PLAIN instructions, nor for x0. */
    void (*read)(void *data, bool integer, unsigned at, unsigned bytes);
    void (*write)(void *data, bool integer, unsigned at, unsigned bytes);
};

struct simple_v_run {
    const struct simple_v_program *program;
    const struct simple_v_ports *ports;
    uint64_t stop; /* the program ends where it goes there, before that is fetched */
    uint64_t fuel; /* instructions that it may take; those with elements count more (simple_v_fuel) */
    simple_v_trace_fn trace; /* NULL: none */
    void *trace_data;
    const struct simple_v_watch *watch; /* NULL: nobody */
};

/* Runs from state->pc until the program ends or faults. Returns report->fault: SIMPLE_V_OK if it came to `stop` or a call ended
 * it. After a fault the state is precise, and may be run again: from the element that faulted. */
enum simple_v_fault simple_v_run(const struct simple_v_run *run, struct simple_v_state *state,
                                 struct simple_v_report *report);
/* One instruction, or a VBLOCK's header, whatever fuel there is. Returns whether the program goes on; else the report has why
 * it ended, which has to be that of a start (fault SIMPLE_V_OK) before. */
bool simple_v_step(const struct simple_v_run *run, struct simple_v_state *state,
                   struct simple_v_report *report);

/* What compiled code runs: a thread with all that the interpreter needs, which does one instruction where compiled code does
 * not. The caller's; `run` points to what has to live as long. */
struct simple_v_thread {
    struct simple_v_state state;
    struct simple_v_run run;
    uint64_t fuel;                               /* that is left */
    int (*step)(struct simple_v_thread *thread); /* simple_v_thread_step, or what does the same */
    struct simple_v_report report;
};
void simple_v_thread_start(struct simple_v_thread *thread, const struct simple_v_run *run, uint64_t pc);
/* simple_v_run with the thread's fuel, of which it leaves what was not taken. */
void simple_v_thread_run(struct simple_v_thread *thread);
/* simple_v_step with the thread's fuel, in the floating-point environment of guests (util/fpenv.h). 1: it goes on, else 0. */
int simple_v_thread_step(struct simple_v_thread *thread);

#endif
