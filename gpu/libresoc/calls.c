#include "gpu/libresoc/calls.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/bits.h"
#include "util/checked.h"

enum number {
#define CALL(number, name) CALL_##name = number,
#include "gpu/libresoc/calls.inc"
};

/* The kernel's include/uapi/asm-generic/mman-common.h and include/uapi/linux/mman.h. */
enum {
    READ = 1,
    WRITE = 2,
    EXECUTE = 4,
    PRIVATE = 2,
    TYPE = 15,
    FIXED = 16,
    ANONYMOUS = 32,
    FIXED_NOREPLACE = 0x100000
};
enum { IOV_MAX = 1024, CLOCKS = 12, NAME_BYTES = 65, THREAD = 1 };
/* What takes as much fuel as an instruction. */
enum { BYTES_A_STEP = 64 };

struct call {
    struct libresoc_process *process;
    struct simple_v_state *state;
    uint64_t argument[6];
    bool refused;
};

const char *libresoc_call_name(uint64_t number)
{
    switch (number) {
#define CALL(number, name)                                                                                   \
    case number: return #name;
#include "gpu/libresoc/calls.inc"
    default: return NULL;
    }
}

static uint64_t refuse(struct call *c, const char *what)
{
    const uint64_t number = simple_v_x(c->state, 17);
    const char *name = libresoc_call_name(number);
    util_fail(&c->process->refused, -ENOSYS, "system call %s (%" PRIu64 ")%s", name ? name : "of no name",
              number, what);
    c->refused = true;
    return 0;
}

static uint64_t failed(int err)
{
    return (uint64_t)(int64_t)err;
}

/* What a call does beyond an instruction's work. */
static void take_fuel(struct libresoc_process *p, uint64_t steps)
{
    p->work += steps;
}

/* ---- output ---- */

/* Bytes written, or a negative code. */
static int64_t put(struct call *c, uint64_t descriptor, uint64_t address, uint64_t size)
{
    struct libresoc_process *p = c->process;
    if (descriptor != 1 && descriptor != 2)
        return -EBADF;
    if (!size)
        return 0;
    const uint8_t *bytes = libresoc_pages_at(&p->pages, address, size, LIBRESOC_PAGE_READ);
    if (!bytes)
        return -EFAULT;
    take_fuel(p, size / BYTES_A_STEP);
    const int err = p->options.write ? p->options.write(p->options.data, (int)descriptor, bytes, size) : 0;
    return err ? err : (int64_t)size;
}

static uint64_t call_write(struct call *c)
{
    return (uint64_t)put(c, c->argument[0], c->argument[1], c->argument[2]);
}

static uint64_t call_writev(struct call *c)
{
    const uint64_t count = c->argument[2];
    uint64_t done = 0;
    if (count > IOV_MAX)
        return failed(-EINVAL);
    const uint8_t *list =
        libresoc_pages_at(&c->process->pages, c->argument[1], count * 16, LIBRESOC_PAGE_READ);
    if (count && !list)
        return failed(-EFAULT);
    for (uint64_t n = 0; n < count; n++) {
        const int64_t wrote =
            put(c, c->argument[0], util_load64(list + n * 16), util_load64(list + n * 16 + 8));
        if (wrote < 0)
            return done ? done : (uint64_t)wrote;
        done += (uint64_t)wrote;
    }
    return done;
}

/* Descriptors are no terminals. */
static uint64_t call_ioctl(struct call *c)
{
    return failed(c->argument[0] <= 2 ? -ENOTTY : -EBADF);
}

/* ---- the process ---- */

static uint8_t *to_guest(struct call *c, uint64_t address, uint64_t size)
{
    return libresoc_pages_at(&c->process->pages, address, size, LIBRESOC_PAGE_WRITE);
}

static uint64_t call_clock_gettime(struct call *c)
{
    const uint64_t nanoseconds = c->state->executed, second = 1000000000;
    uint8_t *out = to_guest(c, c->argument[1], 16);
    if (c->argument[0] >= CLOCKS)
        return failed(-EINVAL);
    if (!out)
        return failed(-EFAULT);
    util_store64(out, nanoseconds / second);
    util_store64(out + 8, nanoseconds % second);
    return 0;
}

static uint64_t call_uname(struct call *c)
{
    static const char *const names[] = {"Linux", "vitrail", "6.1.0", "#1", "riscv64", "(none)"};
    uint8_t *out = to_guest(c, c->argument[0], UTIL_ARRAY_SIZE(names) * NAME_BYTES);
    if (!out)
        return failed(-EFAULT);
    memset(out, 0, UTIL_ARRAY_SIZE(names) * NAME_BYTES);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(names); n++)
        memcpy(out + n * NAME_BYTES, names[n], strlen(names[n]));
    return 0;
}

/* ---- memory ---- */

/* The heap ends where it is asked to, unless something is in the way: then it stays, which is what the program is told. */
static uint64_t call_brk(struct call *c)
{
    struct libresoc_process *p = c->process;
    const uint64_t end = c->argument[0];
    uint64_t old_page, new_page;
    if (end < p->heap || end > p->top || !libresoc_pages_round(end, &new_page) ||
        !libresoc_pages_round(p->brk, &old_page))
        return p->brk;
    if (new_page > old_page) {
        if (!libresoc_pages_none(&p->pages, old_page, new_page - old_page, LIBRESOC_PAGE_MAPPED))
            return p->brk;
        libresoc_pages_map(&p->pages, old_page, new_page - old_page,
                           LIBRESOC_PAGE_READ | LIBRESOC_PAGE_WRITE);
    } else {
        libresoc_pages_unmap(&p->pages, new_page, old_page - new_page);
    }
    take_fuel(p, (new_page > old_page ? new_page - old_page : old_page - new_page) / BYTES_A_STEP);
    p->brk = end;
    return end;
}

/* Whole pages of the memory, from `address` on. */
static bool is_range(const struct call *c, uint64_t address, uint64_t *size)
{
    return address % GPU_PAGE == 0 && *size && libresoc_pages_round(*size, size) &&
           util_in_range(address, *size, c->process->pages.memory.size);
}

/* What mapping and unmapping may change: no code, and not page 0. */
static bool may_change(const struct call *c, uint64_t address, uint64_t size)
{
    return address && libresoc_pages_none(&c->process->pages, address, size, LIBRESOC_PAGE_EXECUTE);
}

static uint8_t rights_of(uint64_t protection)
{
    /* Who may write may read, as on the hardware. */
    return (uint8_t)((protection & (READ | WRITE) ? LIBRESOC_PAGE_READ : 0) |
                     (protection & WRITE ? LIBRESOC_PAGE_WRITE : 0));
}

static uint64_t call_mmap(struct call *c)
{
    struct libresoc_pages *pages = &c->process->pages;
    uint64_t address = c->argument[0], size = c->argument[1];
    const uint64_t protection = c->argument[2], flags = c->argument[3];
    if (!(flags & ANONYMOUS) || (flags & TYPE) != PRIVATE)
        return refuse(c, " of a file, or of shared memory");
    if (protection & EXECUTE)
        return refuse(c, " of memory that executes");
    if (!size)
        return failed(-EINVAL);
    if (!libresoc_pages_round(size, &size))
        return failed(-ENOMEM);
    if (flags & (FIXED | FIXED_NOREPLACE)) {
        if (!is_range(c, address, &size))
            return failed(address % GPU_PAGE ? -EINVAL : -ENOMEM);
        if (!may_change(c, address, size))
            return failed(-EPERM);
        if (flags & FIXED_NOREPLACE && !libresoc_pages_none(pages, address, size, LIBRESOC_PAGE_MAPPED))
            return failed(-EEXIST);
        libresoc_pages_unmap(pages, address, size);
    } else {
        take_fuel(c->process, pages->count / BYTES_A_STEP);
        address = libresoc_pages_find(pages, size, c->process->brk + GPU_PAGE, c->process->top);
        if (!address)
            return failed(-ENOMEM);
    }
    libresoc_pages_map(pages, address, size, rights_of(protection));
    take_fuel(c->process, size / BYTES_A_STEP);
    return address;
}

static uint64_t call_munmap(struct call *c)
{
    uint64_t size = c->argument[1];
    if (!is_range(c, c->argument[0], &size))
        return failed(-EINVAL);
    if (!may_change(c, c->argument[0], size))
        return failed(-EPERM);
    libresoc_pages_unmap(&c->process->pages, c->argument[0], size);
    take_fuel(c->process, size / BYTES_A_STEP);
    return 0;
}

static uint64_t call_mprotect(struct call *c)
{
    uint64_t size = c->argument[1];
    if (c->argument[2] & EXECUTE)
        return refuse(c, " to memory that executes");
    if (!size)
        return failed(c->argument[0] % GPU_PAGE ? -EINVAL : 0);
    if (!is_range(c, c->argument[0], &size))
        return failed(-EINVAL);
    if (!libresoc_pages_all(&c->process->pages, c->argument[0], size, LIBRESOC_PAGE_MAPPED))
        return failed(-ENOMEM);
    if (!may_change(c, c->argument[0], size))
        return failed(-EPERM);
    libresoc_pages_map(&c->process->pages, c->argument[0], size, rights_of(c->argument[2]));
    take_fuel(c->process, size / GPU_PAGE);
    return 0;
}

/* ---- all ---- */

static uint64_t dispatch(struct call *c)
{
    switch (simple_v_x(c->state, 17)) {
    case CALL_write: return call_write(c);
    case CALL_writev: return call_writev(c);
    case CALL_ioctl: return call_ioctl(c);
    case CALL_set_tid_address: return THREAD;
    case CALL_clock_gettime: return call_clock_gettime(c);
    case CALL_uname: return call_uname(c);
    case CALL_brk: return call_brk(c);
    case CALL_mmap: return call_mmap(c);
    case CALL_munmap: return call_munmap(c);
    case CALL_mprotect: return call_mprotect(c);
    default: return refuse(c, "");
    }
}

enum simple_v_called libresoc_process_call(void *ctx, struct simple_v_state *state)
{
    struct call c = {.process = ctx, .state = state};
    const uint64_t number = simple_v_x(state, 17);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(c.argument); n++)
        c.argument[n] = simple_v_x(state, 10 + n);
    if (number == CALL_exit || number == CALL_exit_group) {
        c.process->status = (int)(c.argument[0] & 255);
        return SIMPLE_V_END;
    }
    const uint64_t result = dispatch(&c);
    if (c.refused)
        return SIMPLE_V_UNKNOWN_CALL;
    simple_v_set_x(state, 10, result);
    if (!util_in_range(state->executed, c.process->work, c.process->options.fuel)) {
        c.process->endless = true;
        return SIMPLE_V_END;
    }
    return SIMPLE_V_GO_ON;
}
