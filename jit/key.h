/* What compiled code depends on as bytes that name it (struct jit_request's key), in parts one behind the
 * other: a head, whose mark says whose and of which version they are, then arrays as long as the head has it,
 * the program's words the last. So code can be made of a key alone, and back. */
#ifndef VITRAIL_JIT_KEY_H
#define VITRAIL_JIT_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `count` items of `size` bytes, `stride` bytes from one to the next. */
struct jit_key_part {
    const void *first;
    size_t size, count, stride;
};

/* The caller frees the key. NULL: out of memory. */
uint8_t *jit_key_write(const struct jit_key_part *parts, unsigned count, size_t *size);

/* How far a key has been read; begins with all of it. */
struct jit_key_reader {
    const uint8_t *at;
    size_t left;
};

/* Copies the next part. False: there are fewer bytes. */
bool jit_key_read(struct jit_key_reader *in, void *out, size_t size);
/* Likewise into memory that the caller frees; a part may be empty. NULL: fewer bytes, or out of memory. */
void *jit_key_take(struct jit_key_reader *in, size_t size);

#endif
