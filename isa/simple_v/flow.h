/* Where a program goes, and with which lengths: what a translation walks. Found from where threads enter on, along
 * branches and jumps to places that are known; what stands elsewhere is for the interpreter. Pure. */
#ifndef VITRAIL_ISA_SIMPLE_V_FLOW_H
#define VITRAIL_ISA_SIMPLE_V_FLOW_H

#include "isa/simple_v/program.h"

#define SIMPLE_V_NOWHERE ((uint32_t)-1)

/* What of a thread's state is the same whenever it comes somewhere; 0: not known. */
struct simple_v_lengths {
    uint8_t vl, mvl, subvl;
    uint8_t rounding; /* FRM plus 1 */
    uint8_t saturate; /* SVSAT plus 1 */
};

/* Where threads enter: a halfword of the program, and what is the same of all of them there. */
struct simple_v_entry {
    uint32_t place;
    struct simple_v_lengths lengths;
};

enum simple_v_item_kind {
    SIMPLE_V_ITEM_INSN,
    SIMPLE_V_ITEM_HEADER, /* of a VBLOCK: its VL block is executed */
    SIMPLE_V_ITEM_STRANGE /* in a VBLOCK: no instruction that may stand there */
};
/* An instruction in its place. Those of a VBLOCK follow its header. */
struct simple_v_item {
    enum simple_v_item_kind kind;
    uint32_t place; /* halfword where PC stands */
    uint8_t opptr;
    const struct simple_v_insn *insn;   /* of INSN */
    const struct simple_v_block *block; /* in which it stands; the header's own; NULL: none */
    uint32_t next, target;              /* items; NOWHERE: there is none, or it was not found */
    bool begins;                        /* others than the item before go here, or may */
    bool split;   /* it begins a block for no other reason than that the one before is long enough */
    bool entered; /* from places that are not known: by an address, behind calls */
    bool reached;
    struct simple_v_lengths before; /* where `entered`, if the thread has them then */
};
struct simple_v_flow {
    struct simple_v_item *items;
    uint32_t count;
};

/* Items up to some number. `stop` (an address) begins one if it is there. 0 and *out (simple_v_flow_finish), -ENOMEM. */
int simple_v_flow_find(const struct simple_v_program *program, const struct simple_v_entry *entry,
                       uint64_t stop, struct simple_v_flow *out);
/* Whether threads may come into the item from elsewhere: it begins a block, outside of a VBLOCK. */
static inline bool simple_v_flow_enters(const struct simple_v_item *item)
{
    return item->begins && item->reached && !item->split &&
           (!item->block || item->kind == SIMPLE_V_ITEM_HEADER);
}
void simple_v_flow_finish(struct simple_v_flow *flow);

/* Whether what comes next depends on more than registers: the state's own PC and offsets say it. */
bool simple_v_flow_is_open(const struct simple_v_insn *insn);
/* The lengths behind an item that ended without a fault. */
struct simple_v_lengths simple_v_flow_behind(const struct simple_v_item *item,
                                             struct simple_v_lengths before);
static inline bool simple_v_has_vltyp(const struct simple_v_vltyp *vl)
{
    return vl->high || vl->low || vl->number || vl->rd;
}

#endif
