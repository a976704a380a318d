#include "isa/bifrost/names.h"

#include "isa/bifrost/table.h"

/* As rows name them. */
enum {
    LAST = BIFROST_OP_LAST,
    NO_RESULT = BIFROST_OP_NO_RESULT,
    BRANCH = BIFROST_OP_BRANCH,
    PAIRED = BIFROST_OP_PAIRED
};
enum { FORMAT = BIFROST_COUNT_FORMAT, OPERANDS = BIFROST_COUNT_OPERANDS };

static const struct bifrost_op_info ops[BIFROST_OP_COUNT] = {
#define OP(name, text, message, staging, count, flags)                                                       \
    {text, BIFROST_MESSAGE_##message, BIFROST_STAGING_##staging, count, flags},
#include "isa/bifrost/ops.inc"
};

static const struct isa_name words[] = {
#define WORD(name, text) {BIFROST_##name, text},
#include "isa/bifrost/ops.inc"
};
static const struct isa_name op_names[] = {
#define OP(name, text, message, staging, count, flags) {BIFROST_OP_##name, text},
#include "isa/bifrost/ops.inc"
};
static const struct isa_name specials[] = {
#define SPECIAL(value, name, text) {value, text},
#include "isa/bifrost/clause.inc"
};
static const struct isa_name messages[] = {
#define MESSAGE(value, name, text) {value, text},
#include "isa/bifrost/clause.inc"
};
static const struct isa_name flows[] = {
#define FLOW(value, name, text) {value, text},
#include "isa/bifrost/clause.inc"
};
static const struct isa_name flushes[] = {
#define FLUSH(value, name, text) {value, text},
#include "isa/bifrost/clause.inc"
};
static const struct isa_name exceptions[] = {
#define EXCEPTIONS(value, text) {value, text},
#include "isa/bifrost/clause.inc"
};
static const struct isa_name immediates[] = {
#define IMMEDIATE(name, text) {BIFROST_IMM_##name, text},
#include "isa/bifrost/clause.inc"
};
static const struct isa_name mods[] = {
#define MOD(name) {BIFROST_MOD_##name, #name},
#include "isa/bifrost/ops.inc"
};

const struct isa_names bifrost_lists[BIFROST_LIST_COUNT] = {
    [BIFROST_WORDS] = ISA_NAMES(words),
    [BIFROST_OPS] = ISA_NAMES(op_names),
    [BIFROST_SPECIALS] = ISA_NAMES(specials),
    [BIFROST_MESSAGES] = ISA_NAMES(messages),
    [BIFROST_FLOWS] = ISA_NAMES(flows),
    [BIFROST_FLUSHES] = ISA_NAMES(flushes),
    [BIFROST_EXCEPTIONS] = ISA_NAMES(exceptions),
    [BIFROST_IMMEDIATES] = ISA_NAMES(immediates),
    [BIFROST_MODS] = ISA_NAMES(mods),
};

const struct bifrost_op_info *bifrost_op_info(uint16_t op)
{
    return &ops[op];
}

/* Mesa: bi_schedule.c (bi_message_type_for_instr). */
uint8_t bifrost_message_of(const struct bifrost_insn *insn)
{
    uint8_t message = ops[insn->op].message;
    if (insn->mod[BIFROST_MOD_VARYING_NAME] == BIFROST_FRAG_Z)
        return BIFROST_MESSAGE_Z_STENCIL;
    if (message == BIFROST_MESSAGE_LOAD && insn->mod[BIFROST_MOD_SEG] == BIFROST_UBO)
        return BIFROST_MESSAGE_ATTRIBUTE;
    return message;
}

bool bifrost_gives_value(const struct bifrost_insn *i)
{
    const struct bifrost_op_info *info = &ops[i->op];
    return !(info->flags & BIFROST_OP_NO_RESULT) &&
           (!(info->staging & BIFROST_STAGING_WRITE) || i->op == BIFROST_OP_ATEST);
}

const char *bifrost_word(uint8_t word)
{
    return words[word].text;
}

const char *bifrost_mod_name(uint8_t place)
{
    static const char *const of_source[BIFROST_SOURCE_MOD_COUNT] = {"ABS",    "NEG",  "NOT",
                                                                    "SELECT", "SIGN", "BYTES"};

    return place < BIFROST_MOD_COUNT ? mods[place].text
                                     : of_source[(place - BIFROST_MOD_COUNT) % BIFROST_SOURCE_MOD_COUNT];
}
