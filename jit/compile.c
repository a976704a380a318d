#include "jit/compile.h"

#include <errno.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jit/target.h"
#include "jit/workaround.h"

#define STACK_BYTES  (16u << 20)
#define MAX_MACHINES 8  /* kept at rest */
#define PATIENCE     24 /* times that a compile's deadline is waited for, as what it still may take shrinks */

struct jit_machines {
    pthread_mutex_t lock;
    pthread_cond_t released;
    unsigned references, count;
    enum jit_level level;
    unsigned optimize;
    LLVMTargetMachineRef idle[MAX_MACHINES];
};

static void init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

static struct timespec time_after(unsigned ms)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += ms / 1000;
    t.tv_nsec += (long)(ms % 1000) * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

struct jit_machines *jit_machines_create(enum jit_level level, unsigned optimize)
{
    struct jit_machines *m = calloc(1, sizeof *m);

    if (!m)
        return NULL;
    pthread_mutex_init(&m->lock, NULL);
    init_condition(&m->released);
    m->references = 1;
    m->level = level;
    m->optimize = optimize;
    return m;
}

void jit_machines_release(struct jit_machines *m)
{
    if (!m)
        return;
    pthread_mutex_lock(&m->lock);
    bool last = --m->references == 0;
    pthread_cond_broadcast(&m->released);
    pthread_mutex_unlock(&m->lock);
    if (!last)
        return;
    while (m->count)
        LLVMDisposeTargetMachine(m->idle[--m->count]);
    pthread_cond_destroy(&m->released);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

void jit_machines_wait(struct jit_machines *m, unsigned limit_ms)
{
    struct timespec until = time_after(limit_ms);
    int late = 0;

    pthread_mutex_lock(&m->lock);
    while (m->references > 1 && !late)
        late = pthread_cond_timedwait(&m->released, &m->lock, &until);
    pthread_mutex_unlock(&m->lock);
}

static LLVMTargetMachineRef machine_take(struct jit_machines *m)
{
    LLVMTargetMachineRef machine = NULL;

    pthread_mutex_lock(&m->lock);
    if (m->count)
        machine = m->idle[--m->count];
    pthread_mutex_unlock(&m->lock);
    return machine ? machine : jit_target_machine(m->level, m->optimize);
}

static void machine_give(struct jit_machines *m, LLVMTargetMachineRef machine)
{
    pthread_mutex_lock(&m->lock);
    bool kept = m->count < MAX_MACHINES;
    if (kept)
        m->idle[m->count++] = machine;
    pthread_mutex_unlock(&m->lock);
    if (!kept)
        LLVMDisposeTargetMachine(machine);
}

/* Shared by the thread that waits and the thread that compiles; the last one to leave frees it. */
struct jit_job {
    pthread_mutex_t lock;
    pthread_cond_t done;
    unsigned references;
    bool begun, finished;
    clockid_t clock; /* of the thread's processor time, from begun to finished */
    int result;
    char message[256];
    LLVMMemoryBufferRef object;
    struct jit_machines *machines;
    LLVMContextRef context;
    LLVMModuleRef module;
    jmp_buf fatal;
};

static _Thread_local struct jit_job *current;

static void job_fail(struct jit_job *job, int result, const char *message)
{
    if (!job->result) {
        job->result = result;
        snprintf(job->message, sizeof job->message, "%s", message);
    }
}

/* LLVM calls this and then exits the process if it returns: on our threads it does not return. What LLVM held
 * at that moment is lost. */
static void on_fatal_error(const char *reason)
{
    if (current) {
        job_fail(current, -EINVAL, reason);
        longjmp(current->fatal, 1);
    }
}

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *data)
{
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    job_fail(data, -EINVAL, text);
    LLVMDisposeMessage(text);
}

static void install_fatal_error_handler(void)
{
    LLVMInstallFatalErrorHandler(on_fatal_error);
}

static void optimize(struct jit_job *job, LLVMTargetMachineRef machine)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef failed =
        LLVMRunPasses(job->module, jit_target_passes(job->machines->optimize), machine, options);

    LLVMDisposePassBuilderOptions(options);
    if (failed) {
        char *text = LLVMGetErrorMessage(failed);
        job_fail(job, -EINVAL, text);
        LLVMDisposeErrorMessage(text);
    }
}

static void generate(struct jit_job *job, LLVMTargetMachineRef machine)
{
    LLVMMemoryBufferRef object = NULL;
    char *text = NULL;

    if (LLVMTargetMachineEmitToMemoryBuffer(machine, job->module, LLVMObjectFile, &text, &object)) {
        job_fail(job, -EINVAL, text);
        LLVMDisposeMessage(text);
        return;
    }
    job->object = object;
}

static void compile(struct jit_job *job)
{
    LLVMTargetMachineRef machine = machine_take(job->machines);

    if (machine) {
        LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
        char *triple = LLVMGetTargetMachineTriple(machine);
        LLVMSetTarget(job->module, triple);
        LLVMSetModuleDataLayout(job->module, layout);
        LLVMDisposeMessage(triple);
        LLVMDisposeTargetData(layout);
        optimize(job, machine);
        jit_avoid_masked_ternlog(job->module, job->machines->level);
        if (!job->result)
            generate(job, machine);
        machine_give(job->machines, machine);
    } else {
        job_fail(job, -ENOMEM, "no target machine");
    }
    LLVMDisposeModule(job->module);
    LLVMContextDispose(job->context);
}

static void job_release(struct jit_job *job, bool finishing)
{
    pthread_mutex_lock(&job->lock);
    bool last = --job->references == 0;
    if (finishing) {
        job->finished = true;
        pthread_cond_signal(&job->done);
    }
    pthread_mutex_unlock(&job->lock);
    if (!last)
        return;
    if (job->object)
        LLVMDisposeMemoryBuffer(job->object);
    jit_machines_release(job->machines);
    pthread_cond_destroy(&job->done);
    pthread_mutex_destroy(&job->lock);
    free(job);
}

static void *thread_main(void *data)
{
    struct jit_job *job = data;

    pthread_mutex_lock(&job->lock);
    job->begun = !pthread_getcpuclockid(pthread_self(), &job->clock);
    pthread_mutex_unlock(&job->lock);
    current = job;
    if (!setjmp(job->fatal))
        compile(job);
    current = NULL;
    job_release(job, true);
    return NULL;
}

static int start_thread(struct jit_job *job)
{
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int failed = pthread_create(&thread, &attributes, thread_main, job);
    pthread_attr_destroy(&attributes);
    return failed ? -ENOMEM : 0;
}

static struct jit_job *job_create(struct jit_machines *machines, LLVMContextRef context, LLVMModuleRef module)
{
    struct jit_job *job = calloc(1, sizeof *job);

    if (!job)
        return NULL;
    pthread_mutex_init(&job->lock, NULL);
    init_condition(&job->done);
    job->references = 2;
    job->machines = machines;
    job->context = context;
    job->module = module;
    pthread_mutex_lock(&machines->lock);
    machines->references++;
    pthread_mutex_unlock(&machines->lock);
    LLVMContextSetDiagnosticHandler(context, on_diagnostic, job);
    return job;
}

/* What the job may still take of its deadline; 0: nothing. A thread counts as it began only when it runs. */
static unsigned time_left(struct jit_job *job, unsigned deadline_ms)
{
    struct timespec t = {0};

    if (job->begun)
        clock_gettime(job->clock, &t);
    uint64_t used = (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
    return used < deadline_ms ? deadline_ms - (unsigned)used : 0;
}

/* The deadline is one of processor time, or whether a program is compiled would depend on what else the
 * machine does. A machine that gives next to none is not waited for. */
static bool wait_for(struct jit_job *job, unsigned deadline_ms)
{
    unsigned left = deadline_ms;

    pthread_mutex_lock(&job->lock);
    for (unsigned i = 0; i < PATIENCE && left && !job->finished; i++) {
        struct timespec until = time_after(left);
        int late = 0;
        while (!job->finished && !late)
            late = pthread_cond_timedwait(&job->done, &job->lock, &until);
        if (!job->finished)
            left = time_left(job, deadline_ms);
    }
    bool finished = job->finished;
    pthread_mutex_unlock(&job->lock);
    return finished;
}

int jit_job_start(struct jit_machines *machines, LLVMContextRef context, LLVMModuleRef module,
                  struct jit_job **out, struct util_error *error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, install_fatal_error_handler);
    struct jit_job *job = job_create(machines, context, module);
    int result = job ? start_thread(job) : -ENOMEM;
    *out = job;
    if (!result)
        return 0;
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    if (job) {
        job_release(job, true);
        job_release(job, false);
    }
    *out = NULL;
    return util_fail(error, result, "no compile thread");
}

bool jit_job_is_done(struct jit_job *job)
{
    pthread_mutex_lock(&job->lock);
    bool done = job->finished;
    pthread_mutex_unlock(&job->lock);
    return done;
}

int jit_job_finish(struct jit_job *job, unsigned deadline_ms, LLVMMemoryBufferRef *object,
                   struct util_error *error)
{
    if (!wait_for(job, deadline_ms)) {
        job_release(job, false);
        return util_fail(error, -ETIME, "a compile took more than %u ms", deadline_ms);
    }
    *object = job->object;
    job->object = NULL;
    int result = job->result;
    if (result)
        util_fail(error, result, "LLVM: %s", job->message);
    job_release(job, false);
    return result;
}

void jit_job_abandon(struct jit_job *job)
{
    if (job)
        job_release(job, false);
}
