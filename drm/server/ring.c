/* Messages rung in shared memory, by a peer that is trusted with nothing. */
#include "drm/server/internal.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SPIN_NS      50000 /* how long a thread looks for the next ring before it sleeps */
#define BUSY_SPIN_NS 5000  /* the same while a job runs, whose threads can use the processor */

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint32_t load(uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static void store(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

bool drm_server_rung(struct connection *c)
{
    return load(&c->channel->asked) != load(&c->asked);
}

/* false when the message is not one that rings. */
static bool answer_ring(struct connection *c)
{
    struct drm_channel *channel = c->channel;
    uint32_t asked = load(&channel->asked);
    store(&c->asked, asked);
    struct drm_message m;
    memcpy(&m, &channel->message, sizeof m);
    bool with_fd =
        m.type == DRM_MSG_IOCTL && (drm_protocol_takes_fd(m.request) || drm_protocol_gives_fd(m.request));
    if (with_fd || (m.type != DRM_MSG_IOCTL && m.type != DRM_MSG_MMAP))
        return false;
    struct answer a = {0};
    drm_server_handle(c, &m, -1, &a);
    memcpy(&channel->reply, &a.reply, sizeof a.reply);
    store(&channel->answered, asked);
    if (load(&channel->waiting))
        syscall(SYS_futex, &channel->answered, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    return true;
}

bool drm_server_answer_rings(struct connection *c)
{
    uint64_t last = now_ns(), patience = drm_is_busy(c->server->drm) ? BUSY_SPIN_NS : SPIN_NS;
    for (unsigned i = 1;; i++) {
        if (drm_server_rung(c)) {
            if (!answer_ring(c))
                return false;
            if (drm_has_work(c->server->drm))
                return true;
            last = now_ns();
        } else if (i % 64 == 0) {
            if (now_ns() - last > patience || drm_has_work(c->server->drm))
                return true;
            sched_yield(); /* the client may have this processor too */
        } else {
            __builtin_ia32_pause();
        }
    }
}
