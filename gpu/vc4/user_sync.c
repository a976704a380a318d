/* Semaphores and the mutex: what user programs do to each other (Guide section 3,
 * Inter-Processor Synchronisation). */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gpu/vc4/device_internal.h"
#include "gpu/vc4/user_sched.h"
#include "util/bits.h"

#define SEMAPHORE_MAX                                                                                        \
    15 /* "stalls if it is attempting to decrement a semaphore below 0 or increment it above 15" */

static const struct vc4_qpu_insn *insn_of(const struct vc4_user_qpu *qpu)
{
    return &qpu->program->insns[qpu->machine.pc];
}

unsigned vc4_user_needs(const struct vc4_user_qpu *qpu)
{
    return qpu->stop == VC4_QPU_STOP_GATE ? vc4_qpu_sync_of(insn_of(qpu)) : 0;
}

/* What the instruction needs at once, or nothing: an instruction that releases the mutex which it acquires
 * must get it first. */
static bool grant(struct vc4_device *device, struct vc4_user_qpu *qpu, unsigned needs)
{
    struct vc4_user *user = device->user;
    uint8_t *semaphore = &user->semaphore[insn_of(qpu)->imm & 15];
    if ((needs & VC4_QPU_SYNC_TAKE && user->mutex != VC4_USER_FREE) ||
        (needs & VC4_QPU_SYNC_UP && *semaphore == SEMAPHORE_MAX) ||
        (needs & VC4_QPU_SYNC_DOWN && *semaphore == 0))
        return false;
    if (needs & VC4_QPU_SYNC_UP)
        ++*semaphore;
    if (needs & VC4_QPU_SYNC_DOWN)
        --*semaphore;
    if (needs & VC4_QPU_SYNC_TAKE) {
        user->mutex = qpu->number;
        user->mutex_job = qpu->job;
    }
    if (needs & VC4_QPU_SYNC_GIVE)
        user->mutex = VC4_USER_FREE;
    qpu->granted = needs;
    return true;
}

/* The program that waits longest of those that can be served. */
static bool grant_next(struct vc4_device *device)
{
    struct vc4_user *user = device->user;
    bool tried[VC4_USER_QPUS] = {false};
    for (;;) {
        struct vc4_user_qpu *next = NULL;
        for (uint32_t i = 0; i < VC4_USER_QPUS; i++) {
            struct vc4_user_qpu *qpu = user->qpu[i];
            if (qpu && !tried[i] && !qpu->granted && vc4_user_needs(qpu) &&
                (!next || qpu->since < next->since))
                next = qpu;
        }
        if (!next)
            return false;
        if (grant(device, next, vc4_user_needs(next)))
            return true;
        tried[next->number] = true;
    }
}

void vc4_user_resolve(struct vc4_device *device)
{
    while (grant_next(device)) {
    }
}

/* ---- who waits for whom ---- */

struct text {
    char *at;
    size_t left;
};

static void __attribute__((format(printf, 2, 3))) say(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text->at, text->left, format, args);
    va_end(args);
    size_t moved = n < 0 ? 0 : UTIL_MIN((size_t)n, text->left - 1);
    text->at += moved;
    text->left -= moved;
}

/* The QPUs whose programs have an instruction that would end the wait. */
static void say_who(struct text *text, const struct vc4_user *user, const struct vc4_user_qpu *waiting,
                    unsigned sync, uint32_t semaphore)
{
    unsigned found = 0;
    for (uint32_t i = 0; i < VC4_USER_QPUS; i++) {
        const struct vc4_user_qpu *qpu = user->qpu[i];
        bool does = false;
        for (uint32_t k = 0; qpu && qpu != waiting && k < qpu->program->insn_count; k++) {
            const struct vc4_qpu_insn *insn = &qpu->program->insns[k];
            does |= vc4_qpu_sync_of(insn) & sync && (insn->imm & 15) == semaphore;
        }
        if (does)
            say(text, found++ ? ", %u" : " QPU %u", i);
    }
    say(text, found ? ", which wait%s too" : " nobody that is there%s", found == 1 ? "s" : "");
}

static void say_wait(struct text *text, const struct vc4_user *user, const struct vc4_user_qpu *qpu)
{
    unsigned needs = vc4_user_needs(qpu);
    uint32_t semaphore = insn_of(qpu)->imm & 15;
    say(text, "QPU %u waits", qpu->number);
    if (needs & (VC4_QPU_SYNC_DOWN | VC4_QPU_SYNC_UP)) {
        bool down = needs & VC4_QPU_SYNC_DOWN;
        say(text, " to %s semaphore %u, which is %u, for", down ? "decrement" : "increment", semaphore,
            user->semaphore[semaphore]);
        say_who(text, user, qpu, down ? VC4_QPU_SYNC_UP : VC4_QPU_SYNC_DOWN, semaphore);
    }
    if (needs & VC4_QPU_SYNC_TAKE && user->mutex != VC4_USER_FREE) {
        const struct vc4_user_qpu *holder = user->qpu[user->mutex];
        bool there = holder && holder->job == user->mutex_job;
        say(text, " for the mutex, which QPU %u holds (job %llu)%s", user->mutex,
            (unsigned long long)user->mutex_job,
            !there          ? ", which has ended"
            : holder == qpu ? ", the same"
                            : ", which waits too");
    }
}

void vc4_user_report_waiting(struct vc4_device *device)
{
    const struct vc4_user *user = device->user;
    for (uint32_t i = 0; i < VC4_USER_QPUS; i++) {
        const struct vc4_user_qpu *qpu = user->qpu[i];
        struct gpu_fault fault;
        if (!qpu)
            continue;
        gpu_fault_set(&fault, GPU_FAULT_DEADLOCK, "user program", qpu->machine.code + qpu->machine.pc * 8,
                      "%s", "");
        struct text text = {fault.text, sizeof fault.text};
        say_wait(&text, user, qpu);
        fault.pc = qpu->machine.pc;
        gpu_host_fault_of(&device->host, qpu->job, &fault);
    }
}
