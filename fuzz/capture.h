/* Changed captures, as cases (subject.h): pages and register writes with other bytes, or without some. Played compiled, and
 * now and then another way, which must give the same pictures and faults; and looked at by who is asked (tools).
 *
 * A case is a list of changes to a capture, which stays as it is, so that cases are small and each change can be left out. What
 * is changed is chosen by structure: programs by their instruction set, words that look like addresses, floats or fields,
 * registers; and where cases of the corpus have changed something that made a difference. */
#ifndef VITRAIL_FUZZ_CAPTURE_H
#define VITRAIL_FUZZ_CAPTURE_H

#include "fuzz/subject.h"
#include "gpu/capture.h"
#include "gpu/options.h"

/* Looks at a capture without playing it: the tools' listing and linter; may add features. */
typedef void (*fuzz_look_fn)(struct capture_reader *reader, struct fuzz_result *out);

/* Takes over the bytes of a capture's file (malloc). 0; -EBADMSG: damaged, or torn; -ENOTSUP, -ENOMEM, -E2BIG. */
int fuzz_capture_create(uint8_t *bytes, uint64_t size, fuzz_look_fn look, struct fuzz_subject **out,
                        struct util_error *error);
/* The capture as it is, played in every way. */
void fuzz_capture_case(const struct fuzz_subject *subject, struct fuzz_case *out);

/* How captures are played here: with a compiler that keeps nothing, of the narrowest vectors or the best (NULL: LLVM does not
 * start), NULL for the interpreter; `way`: enum fuzz_way, 0: the usual. Work is bounded, as little of what was changed ends. */
struct jit_engine *fuzz_capture_engine(bool narrow);
struct gpu_options fuzz_capture_options(struct jit_engine *engine, unsigned way);

/* Where playing a capture compiled and another way gives different pictures. */
struct fuzz_difference {
    const char *way;           /* the other, in words */
    uint32_t picture;          /* the first that differs, from 1; every frame mark counts */
    uint32_t x, y;             /* its pixel that differs most, the first of those */
    uint8_t got[2][4];         /* that pixel: compiled, and the other way */
    uint64_t differing, total; /* its pixels */
};
/* Plays a file in every way until one differs. 1: *out says where; 0: none does; -errno of opening it, -EIO: LLVM does not
 * start, -ENOMEM. May crash or not end, as trying a case. */
int fuzz_capture_difference(const char *path, struct fuzz_difference *out, struct util_error *error);

#endif
