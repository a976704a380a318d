/* Standing for another process. */
#include "drm/launch/relay.h"

#include "drm/launch/launch.h"

#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void drm_relay_signals(sigset_t *signals)
{
    static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT, SIGCHLD};
    sigemptyset(signals);
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
        sigaddset(signals, passed_on[i]);
}

int drm_relay(pid_t child, const sigset_t *signals)
{
    for (;;) {
        int status;
        pid_t ended;
        while ((ended = waitpid(-1, &status, WNOHANG)) > 0)
            if (ended == child)
                return status;
        if (ended < 0 && errno == ECHILD)
            return 0;
        siginfo_t info;
        int number = sigwaitinfo(signals, &info);
        if (number > 0 && number != SIGCHLD && info.si_code <= 0)
            kill(child, number);
    }
}

_Noreturn void drm_relay_end(int status)
{
    if (WIFSIGNALED(status)) {
        int number = WTERMSIG(status);
        sigset_t one;
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* the other has left its own */
        signal(number, SIG_DFL);
        sigemptyset(&one);
        sigaddset(&one, number);
        raise(number);
        sigprocmask(SIG_UNBLOCK, &one, NULL);
        _exit(128 + number);
    }
    _exit(WEXITSTATUS(status));
}
