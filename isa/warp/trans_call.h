/* IR ports (trans.h) that call the ports of an interpreter (ports.h): for what is rare, for quick code, and for all that
 * nobody has written as IR. Lanes, values, faults and addresses go through memory, so a call costs some hundred
 * instructions; the meaning is the same. */
#ifndef VITRAIL_ISA_WARP_TRANS_CALL_H
#define VITRAIL_ISA_WARP_TRANS_CALL_H

#include "isa/trans_call.h"
#include "isa/warp/trans.h"

/* All of struct warp_ir_ports but uniform_word, with ctx NULL: each takes a struct isa_ir_calls as its ctx, of a struct
 * warp_ports. */
extern const struct warp_ir_ports warp_ir_call_ports;

#endif
