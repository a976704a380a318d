/* Where a program goes on behind an instruction; and what the parts of program.c share. */
#ifndef VITRAIL_ISA_MIDGARD_FLOW_H
#define VITRAIL_ISA_MIDGARD_FLOW_H

#include "isa/midgard/program.h"

/* Whether branch n (0 compact, 1 extended) may go to its target: neither discards, writeouts, tile waits nor
 * those of condition "never" do. Calls and returns fault. */
static inline bool midgard_branches(const struct midgard_insn *i, unsigned n)
{
    const struct midgard_jump *j = &i->jump[n];
    if (!midgard_has(i, (enum midgard_unit)(MIDGARD_BRANCH + n)) || j->call > MIDGARD_CALL_NONE)
        return false;
    return (j->op == MIDGARD_JUMP && !n) ||
           ((j->op == MIDGARD_JUMP || j->op == MIDGARD_BRANCH_IF) && j->condition);
}
/* Lanes that take it stop: it announces that nothing is where it goes, and so its offset is not looked at. Mesa's
 * compiler writes such branches where a loop is a program's end. */
static inline bool midgard_branch_stops(const struct midgard_insn *i, unsigned n)
{
    return midgard_branches(i, n) && i->jump[n].tag == MIDGARD_TAG_STOP;
}
/* Taken by all lanes. */
static inline bool midgard_always(const struct midgard_insn *i, unsigned n)
{
    const struct midgard_jump *j = &i->jump[n];
    return midgard_branches(i, n) &&
           (n ? j->condition == 0xffff : j->op == MIDGARD_JUMP || j->condition == MIDGARD_IF_ALWAYS);
}
/* Quadword that it goes to, which need not be one of the program. */
static inline int64_t midgard_target(const struct midgard_insn *i, unsigned n)
{
    return (int64_t)i->at + midgard_quads_of(i->tag) + i->jump[n].offset;
}
/* What does not branch stops. */
static inline bool midgard_ends(const struct midgard_insn *i)
{
    return i->next == MIDGARD_TAG_STOP;
}
/* Fewer lanes may go on behind it, or later: it discards, ends helpers, or is a barrier. */
static inline bool midgard_parts(const struct midgard_insn *i)
{
    bool discards = (midgard_has(i, MIDGARD_BRANCH) && i->jump[0].op == MIDGARD_DISCARD) ||
                    (midgard_has(i, MIDGARD_BRANCHX) && i->jump[1].op == MIDGARD_DISCARD);
    bool texture = midgard_kind_of(i->tag) == MIDGARD_TEXTURE;
    return discards ||
           (texture && (i->texture.op == MIDGARD_TEX_BARRIER || i->texture.exec == MIDGARD_EXEC_KILL));
}
/* Nothing goes on to the instruction behind. */
static inline bool midgard_leaves(const struct midgard_insn *i)
{
    return midgard_ends(i) || midgard_always(i, 0) || midgard_always(i, 1);
}

/* Number of the instruction at a quadword, or MIDGARD_NO_BLOCK. */
uint32_t midgard_insn_at(const struct midgard_program *p, int64_t quad);
/* note.c: what the program touches. 0 or -ENOMEM. */
int midgard_note_all(struct midgard_program *p);

/* Components of register 1 that the bundle writes, which a writeout takes from there. */
uint8_t midgard_writes_r1(const struct midgard_insn *i);

#endif
