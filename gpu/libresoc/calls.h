/* Linux' system calls, as far as a program has them here: write, writev, ioctl (no terminal), exit, exit_group,
 * set_tid_address, clock_gettime, uname, brk, munmap, mmap, mprotect. Memory is anonymous, private, and never executes. Any other
 * ends the program with a fault that names it.
 *
 * Time is counted in instructions, one a nanosecond, so that runs are alike. What a call does to many bytes or pages takes fuel,
 * as that many instructions would.
 *
 * Source: the kernel's include/uapi and its manual pages (section 2); numbers: calls.inc. */
#ifndef VITRAIL_GPU_LIBRESOC_CALLS_H
#define VITRAIL_GPU_LIBRESOC_CALLS_H

#include "gpu/libresoc/process.h"

/* An ECALL of the process `ctx`: number in x17, arguments in x10 to x15, result in x10. The port `call` of simple_v_ports. */
enum simple_v_called libresoc_process_call(void *ctx, struct simple_v_state *state);

/* "openat"; NULL: there is no such call. */
const char *libresoc_call_name(uint64_t number);

#endif
