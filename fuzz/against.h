/* Programs executed by a process of somebody else, which is told of each through a pipe (docs/FUZZ.md has the protocol). */
#ifndef VITRAIL_FUZZ_AGAINST_H
#define VITRAIL_FUZZ_AGAINST_H

#include <stdbool.h>
#include <stdio.h>

#include "fuzz/world/world.h"

struct fuzz_against;

/* Starts `command` by the shell; before a sandbox is entered. 0 or -errno. */
int fuzz_against_create(const char *command, struct fuzz_against **out);
void fuzz_against_destroy(struct fuzz_against *against); /* NULL is accepted; it ends with its input */
bool fuzz_against_is_broken(const struct fuzz_against *against); /* it is asked no more; NULL: false */

enum fuzz_answer {
    FUZZ_ANSWERED, /* `got`, which begins as what is expected, has its fields */
    FUZZ_DECLINED, /* it does not execute such programs */
    FUZZ_BROKEN,   /* it has ended, or said what is no answer: `text`; it is asked no more */
};
enum fuzz_answer fuzz_against_run(struct fuzz_against *against, const struct world_set *set,
                                  const void *words, uint32_t count, unsigned mode, const void *input,
                                  void *got, char text[256]);

/* The other side: answers what is asked on `in` until that ends, by the translation or by the interpreter. 0; -EPROTO: what
 * came is no question; -EIO, -ENOMEM. */
int fuzz_against_serve(FILE *in, FILE *out, bool compiled);

#endif
