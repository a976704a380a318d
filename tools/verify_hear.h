/* What a process of `vitrail verify` tells, as it arrives. The process may have been taken over by its capture: what is
 * no message ends the hearing, and texts are cleaned. */
#ifndef VITRAIL_TOOLS_VERIFY_HEAR_H
#define VITRAIL_TOOLS_VERIFY_HEAR_H

#include "tools/verify.h"

struct verify_heard {
    const struct manifest *manifest;
    const struct manifest_unit *unit;
    struct report *report;
    const uint32_t *case_at; /* by the manifest's number */
    bool *told;              /* of the unit's cases: has a result; owned, as `bytes` is */
    bool ended;              /* VERIFY_END was heard */
    uint8_t *bytes;          /* of a message that is not whole yet */
    size_t used, room;
};

int verify_hear_begin(struct verify_heard *heard, const struct manifest *manifest,
                      const struct manifest_unit *unit, struct report *report,
                      const uint32_t *case_at); /* 0 or -ENOMEM */
/* Takes what is there to read. False: nothing more will come, or should. */
bool verify_hear(struct verify_heard *heard, int pipe);
/* The process ended before it had told all. */
void verify_hear_lost(struct verify_heard *heard, enum report_verdict verdict, const char *detail);
void verify_hear_seconds(struct verify_heard *heard, double seconds);
void verify_hear_end(struct verify_heard *heard);

#endif
