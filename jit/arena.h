/* Code memory of an engine: one address range, so that everything in it is within reach of a 32-bit relative
 * address, handed out in whole pages. A page is first readable and writable, then (once its object is linked)
 * either readable and executable or read-only: never writable and executable together, never written again.
 * Memory is given back only with the arena. Internal to jit/. Thread-safe, but only one object may be linked
 * at a time. */
#ifndef VITRAIL_JIT_ARENA_H
#define VITRAIL_JIT_ARENA_H

#include <llvm-c/OrcEE.h>
#include <stdbool.h>
#include <stdint.h>

struct jit_arena;

struct jit_arena *jit_arena_create(uint64_t bytes); /* NULL: no address space */
void jit_arena_destroy(struct jit_arena *arena);    /* NULL is accepted */

/* Whether an object file of that size fits. To be asked first: RuntimeDyld ends the process when it gets no
 * memory at all. */
bool jit_arena_has_room(struct jit_arena *arena, uint64_t object_bytes);
uint64_t jit_arena_used(struct jit_arena *arena); /* bytes handed out; all when the host has no more */
bool jit_arena_failed(struct jit_arena *arena);   /* the last object was refused for want of host memory */

/* An object layer for ORC that links into the arena; the arena outlives it. */
LLVMOrcObjectLayerRef jit_arena_object_layer(struct jit_arena *arena, LLVMOrcExecutionSessionRef session);

#endif
