/* User programs: general-purpose QPU programs that the host queues at the QPU scheduler's registers (Guide
 * sections 3, 7 and 10). Internal to gpu/vc4: device.c calls these when registers are used.
 *
 * A request waits in the queue until a QPU is free that SQRSV0 and SQRSV1 leave to user programs. Programs on
 * QPUs run in rounds: every one that can run does, in parallel on the pool, until it meets another program or
 * the host (semaphore, mutex, interrupt), ends, or has used up its slice; then all of that is resolved in one
 * fixed order. In a round a program sees memory and the VPM as they were when the round began, and what it
 * wrote itself; its writes become the others' at the round's end, in the order of the QPUs. So the number of
 * threads has no influence on anything, whatever programs do to each other. */
#ifndef VITRAIL_GPU_VC4_USER_H
#define VITRAIL_GPU_VC4_USER_H

#include <stdbool.h>
#include <stdint.h>

struct vc4_device;
struct vc4_user;

int vc4_user_create(struct vc4_device *device); /* fills device->user; 0 or -ENOMEM */
void vc4_user_destroy(struct vc4_device *device);

/* SRQPC: queues a program with the SRQUA and SRQUL of this moment. Nothing runs yet, unless the queue is full
 * or DBQITE shows that the host may wait for an interrupt and nothing else. */
void vc4_user_request(struct vc4_device *device, uint32_t code);
/* Runs what can run. `waits`: the host looks how far its programs are; programs that wait for each other are
 * then reported, once. */
void vc4_user_flush(struct vc4_device *device, bool waits);
/* Whether programs are queued or on QPUs. */
bool vc4_user_busy(const struct vc4_device *device);

struct gpu_state;
void vc4_user_transfer(struct vc4_device *device,
                       struct gpu_state *state);              /* of no program queued or on a QPU */
bool vc4_user_queue_is_full(const struct vc4_device *device); /* the queue */

uint32_t vc4_user_status(const struct vc4_device *device); /* SRQCS */
void vc4_user_control(struct vc4_device *device, uint32_t value);
/* What SRQCS has after a write of `control` that nothing comes between. */
uint32_t vc4_user_status_after(uint32_t status, uint32_t control);

#endif
