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

/* Looks at a capture without playing it: the tools' listing and linter; may add features. */
typedef void (*fuzz_look_fn)(struct capture_reader *reader, struct fuzz_result *out);

/* Takes over the bytes of a capture's file (malloc). 0; -EBADMSG: damaged, or torn; -ENOTSUP, -ENOMEM, -E2BIG. */
int fuzz_capture_create(uint8_t *bytes, uint64_t size, fuzz_look_fn look, struct fuzz_subject **out,
                        struct util_error *error);
/* The capture as it is, played in every way. */
void fuzz_capture_case(const struct fuzz_subject *subject, struct fuzz_case *out);

#endif
