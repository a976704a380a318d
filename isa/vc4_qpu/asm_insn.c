/* One instruction from its text. A draft gathers what the parts of a line say; what they leave unsaid has one
 * default, and what contradicts is refused. */
#include <string.h>

#include "isa/vc4_qpu/asm_internal.h"
#include "isa/vc4_qpu/names.h"
#include "util/bits.h"

enum { UNSAID = -1 };

/* One instruction being read. UNSAID where nothing has been said. */
struct draft {
    struct vc4_qpu_insn insn;
    int sig, ws, pm, pack, unpack;
    int raddr_a, raddr_b, small; /* register addresses; small-immediate or rotation code */
    bool plain_a, plain_r4;      /* a source that would show the unpack if there were one */
    bool wants_rotation;         /* a source is written `rot` */
};

/* Says `value`, unless something else has been said. */
static int say(struct isa_assembler *as, struct isa_token where, int *slot, int value, const char *conflict)
{
    if (*slot != UNSAID && *slot != value)
        return isa_asm_fail(as, where, conflict);
    *slot = value;
    return 0;
}

static int say_pm(struct isa_assembler *as, struct isa_token where, struct draft *d, int pm)
{
    return say(as, where, &d->pm, pm,
               "file A packing (pm 0) and r4 or colour packing (pm 1) in one instruction");
}

static int say_small(struct isa_assembler *as, struct isa_token where, struct draft *d, int code)
{
    return say(as, where, &d->small, code, "two different small immediates or rotations");
}

static int say_pack(struct isa_assembler *as, struct draft *d, struct isa_token name)
{
    uint32_t value;
    int pm = 0;
    if (!vc4_qpu_named(VC4_QPU_PACKS_A, name.text, name.length, &value)) {
        pm = 1;
        bool reserved = isa_token_numbered(name, "c", &value) && value >= 1 && value <= 15;
        if (!reserved && !vc4_qpu_named(VC4_QPU_PACKS_MUL, name.text, name.length, &value))
            return isa_asm_fail(as, name, "unknown pack");
    }
    int err = say(as, name, &d->pack, (int)value, "two different packs");
    return err ? err : say_pm(as, name, d, pm);
}

static int say_unpack(struct isa_assembler *as, struct draft *d, struct isa_token name)
{
    uint32_t value;
    if (!vc4_qpu_named(VC4_QPU_UNPACKS, name.text, name.length, &value))
        return isa_asm_fail(as, name, "unknown unpack");
    return say(as, name, &d->unpack, (int)value, "two different unpacks");
}

static int parse_destination(struct isa_assembler *as, struct draft *d, bool mul)
{
    struct isa_scan *s = &as->scan;
    struct isa_token name = isa_scan_word(s);
    uint32_t waddr, other;
    bool in_a = isa_token_numbered(name, "ra", &waddr) && waddr < 32, in_b = false;
    if (!in_a)
        in_b = isa_token_numbered(name, "rb", &waddr) && waddr < 32;
    if (!in_a && !in_b) {
        if (name.length == 0 && isa_scan_glued(s, '-'))
            name.length = 1;
        in_a = vc4_qpu_named(VC4_QPU_WRITES_A, name.text, name.length, &waddr);
        in_b = vc4_qpu_named(VC4_QPU_WRITES_B, name.text, name.length, in_a ? &other : &waddr);
    }
    if (!in_a && !in_b)
        return isa_asm_fail(as, name, "a destination is expected");
    if (mul)
        d->insn.waddr_mul = (uint8_t)waddr;
    else
        d->insn.waddr_add = (uint8_t)waddr;
    int err = 0;
    if (in_a != in_b)
        err = say(as, name, &d->ws, mul != in_b, "the two destinations are in the same register file");
    if (err || !isa_scan_glued(s, '.'))
        return err;
    struct isa_token pack = isa_scan_word(s);
    err = say_pack(as, d, pack);
    bool place = d->pm == 1 ? mul : in_a && !in_b && waddr < 32;
    return err || place ? err : isa_asm_fail(as, pack, "this pack does not apply to this destination");
}

/* The name of a read address: raN, rbN (also unnamed addresses above 31), a name, or b.name. */
static int parse_read(struct isa_assembler *as, struct isa_token name, bool *file_b, uint32_t *address)
{
    struct isa_scan *s = &as->scan;
    if (isa_token_is(name, "b") && isa_scan_glued(s, '.')) {
        struct isa_token inner = isa_scan_word(s);
        uint32_t in_a;
        *file_b = true;
        if (vc4_qpu_named(VC4_QPU_READS_B, inner.text, inner.length, address) &&
            vc4_qpu_named(VC4_QPU_READS_A, inner.text, inner.length, &in_a))
            return 0;
        return isa_asm_fail(as, inner, "not a register that both files share");
    }
    *file_b = isa_token_numbered(name, "rb", address);
    if (*file_b || isa_token_numbered(name, "ra", address)) {
        bool named = *address >= 32 && vc4_qpu_name(VC4_QPU_READS_A, *address);
        return *address < 64 && !named ? 0 : isa_asm_fail(as, name, "no such register");
    }
    if (vc4_qpu_named(VC4_QPU_READS_A, name.text, name.length, address))
        return 0;
    *file_b = vc4_qpu_named(VC4_QPU_READS_B, name.text, name.length, address);
    return *file_b ? 0 : isa_asm_fail(as, name, "a register is expected");
}

static int parse_small(struct isa_assembler *as, struct draft *d)
{
    uint32_t bits;
    isa_scan_space(&as->scan);
    struct isa_token where = {as->scan.at, 0};
    int err = isa_scan_number(&as->scan, &bits);
    if (err)
        return err;
    for (int code = 0; code < 48; code++)
        if (vc4_qpu_small_imm((unsigned)code) == bits)
            return say_small(as, where, d, code);
    return isa_asm_fail(as, where, "not a small immediate: -16..15, 1.0..128.0, 1/256..1/2 are");
}

static int parse_source(struct isa_assembler *as, struct draft *d, uint8_t *mux)
{
    struct isa_scan *s = &as->scan;
    uint32_t number;
    bool file_b;
    *mux = VC4_QPU_MUX_B;
    if (isa_scan_at_number(s))
        return parse_small(as, d);
    struct isa_token name = isa_scan_word(s);
    if (isa_token_is(name, "rot")) {
        d->wants_rotation = true;
        return 0;
    }
    if (isa_token_numbered(name, "r", &number) && number <= 5) {
        *mux = (uint8_t)number;
        if (number != 4)
            return 0;
        if (!isa_scan_glued(s, '.')) {
            d->plain_r4 = true;
            return 0;
        }
        int err = say_pm(as, name, d, 1);
        return err ? err : say_unpack(as, d, isa_scan_word(s));
    }
    int err = parse_read(as, name, &file_b, &number);
    if (err)
        return err;
    if (file_b)
        return say(as, name, &d->raddr_b, (int)number, "two different registers of file B");
    *mux = VC4_QPU_MUX_A;
    err = say(as, name, &d->raddr_a, (int)number, "two different registers of file A");
    if (err || !isa_scan_glued(s, '.')) {
        d->plain_a = true;
        return err;
    }
    err = say_pm(as, name, d, 0);
    return err ? err : say_unpack(as, d, isa_scan_word(s));
}

/* Suffixes of a mnemonic: a condition and .sf. `cond` keeps its value when none is named. */
static int parse_suffixes(struct isa_assembler *as, struct draft *d, uint8_t *cond)
{
    while (isa_scan_glued(&as->scan, '.')) {
        struct isa_token name = isa_scan_word(&as->scan);
        uint32_t value;
        if (isa_token_is(name, "sf"))
            d->insn.sf = true;
        else if (vc4_qpu_named(VC4_QPU_CONDS, name.text, name.length, &value))
            *cond = (uint8_t)value;
        else
            return isa_asm_fail(as, name, "unknown condition");
    }
    return 0;
}

static int expect_comma(struct isa_assembler *as)
{
    return isa_scan_take(&as->scan, ',') ? 0 : isa_scan_fail(&as->scan, as->scan.at, "a comma is expected");
}

static bool part_over(struct isa_assembler *as)
{
    return isa_scan_line_over(&as->scan) || *as->scan.at == ';';
}

/* One half of an ALU instruction, its mnemonic read. */
static int parse_half(struct isa_assembler *as, struct draft *d, bool mul, struct isa_token name)
{
    struct vc4_qpu_insn *insn = &d->insn;
    uint8_t *cond = mul ? &insn->cond_mul : &insn->cond_add;
    uint8_t *a = mul ? &insn->mul_a : &insn->add_a, *b = mul ? &insn->mul_b : &insn->add_b;
    uint32_t op;
    bool move = isa_token_is(name, "mov");
    if (move)
        op = mul ? (uint32_t)VC4_QPU_M_V8MIN : (uint32_t)VC4_QPU_A_OR;
    else if (!vc4_qpu_named(mul ? VC4_QPU_MUL_OPS : VC4_QPU_ADD_OPS, name.text, name.length, &op) &&
             (mul || !isa_token_numbered(name, "op", &op) || op > 31 || vc4_qpu_name(VC4_QPU_ADD_OPS, op)))
        return isa_asm_fail(as, name, mul ? "unknown mul operation" : "unknown operation");
    if (mul)
        insn->op_mul = (uint8_t)op;
    else
        insn->op_add = (uint8_t)op;
    const char *suffixes = as->scan.at;
    uint8_t said = UINT8_MAX;
    int err = parse_suffixes(as, d, &said);
    if (err)
        return err;
    if (op == 0 && said == UINT8_MAX && part_over(as)) /* the absent half */
        return 0;
    if (part_over(as))
        return isa_scan_fail(&as->scan, suffixes, "operands are expected");
    *cond = said == UINT8_MAX ? VC4_QPU_COND_ALWAYS : said;
    err = parse_destination(as, d, mul);
    if (!err)
        err = expect_comma(as);
    if (!err)
        err = parse_source(as, d, a);
    if (err)
        return err;
    if (move || (vc4_qpu_operands(mul, op) < 2 && part_over(as))) {
        *b = *a;
        return 0;
    }
    err = expect_comma(as);
    return err ? err : parse_source(as, d, b);
}

static int parse_rotation(struct isa_assembler *as, struct draft *d)
{
    struct isa_token name = isa_scan_word(&as->scan);
    uint32_t n;
    if (isa_token_is(name, "r5"))
        return say_small(as, name, d, 48);
    if (!isa_token_numbered(name, "", &n) || n < 1 || n > 15)
        return isa_asm_fail(as, name, "a rotation is 1..15 or r5");
    return say_small(as, name, d, 48 + (int)n);
}

static int parse_read_extra(struct isa_assembler *as, struct draft *d)
{
    struct isa_token name = isa_scan_word(&as->scan);
    uint32_t address;
    bool file_b;
    int err = parse_read(as, name, &file_b, &address);
    if (err)
        return err;
    if (d->insn.kind == VC4_QPU_BRANCH && (file_b || address >= 32))
        return isa_asm_fail(as, name, "a branch reads ra0..ra31");
    return say(as, name, file_b ? &d->raddr_b : &d->raddr_a, (int)address,
               "two different registers of one file");
}

/* What a line may add after its parts. Sets *known to false when the word is none of them. */
static int parse_extra(struct isa_assembler *as, struct draft *d, struct isa_token name, bool *known)
{
    bool alu = d->insn.kind == VC4_QPU_ALU, branch = d->insn.kind == VC4_QPU_BRANCH;
    uint32_t sig;
    *known = true;
    if (isa_token_is(name, "ws"))
        return say(as, name, &d->ws, 1, "the destinations say that ws is 0");
    if (isa_token_is(name, "read") && (alu || branch))
        return parse_read_extra(as, d);
    if (isa_token_is(name, "pm") && !branch)
        return say_pm(as, name, d, 1);
    if (isa_token_is(name, "pack") && !branch)
        return say_pack(as, d, isa_scan_word(&as->scan));
    if (isa_token_is(name, "unpack") && alu)
        return say_unpack(as, d, isa_scan_word(&as->scan));
    if (isa_token_is(name, "imm") && alu)
        return parse_small(as, d);
    if (isa_token_is(name, "rot") && alu)
        return parse_rotation(as, d);
    if (alu && vc4_qpu_named(VC4_QPU_SIGS, name.text, name.length, &sig))
        return say(as, name, &d->sig, (int)sig, "two signals");
    *known = false;
    return 0;
}

/* Parts after the first: the mul half, then extras. */
static int parse_rest(struct isa_assembler *as, struct draft *d, struct isa_token mnemonic)
{
    bool load = d->insn.kind != VC4_QPU_ALU && d->insn.kind != VC4_QPU_BRANCH;
    bool first = d->insn.kind != VC4_QPU_BRANCH;
    for (; isa_scan_take(&as->scan, ';'); first = false) {
        struct isa_token name = isa_scan_word(&as->scan);
        bool known;
        int err = parse_extra(as, d, name, &known);
        if (err)
            return err;
        if (known)
            continue;
        if (!first)
            return isa_asm_fail(as, name, "unknown word");
        if (!load) {
            err = parse_half(as, d, true, name);
        } else if (name.length == mnemonic.length && memcmp(name.text, mnemonic.text, name.length) == 0) {
            err = parse_suffixes(as, d, &d->insn.cond_mul);
            err = err ? err : parse_destination(as, d, true);
        } else {
            err = isa_asm_fail(as, name, "the second destination repeats the mnemonic");
        }
        if (err)
            return err;
    }
    return isa_scan_line_over(&as->scan) ? 0 : isa_scan_fail(&as->scan, as->scan.at, "unexpected text");
}

static int parse_elements(struct isa_assembler *as, struct draft *d)
{
    bool sign = d->insn.kind == VC4_QPU_LOAD_IMM_S2;
    for (unsigned lane = 0; lane < VC4_QPU_LANES; lane++) {
        uint32_t value;
        const char *where = as->scan.at;
        if (!isa_scan_take(&as->scan, lane ? ',' : '['))
            return isa_scan_fail(&as->scan, as->scan.at, "a list of 16 values in brackets is expected");
        int err = isa_scan_number(&as->scan, &value);
        if (err)
            return err;
        if (sign ? value + 2 > 3 : value > 3)
            return isa_scan_fail(&as->scan, where, "a value of two bits is expected");
        d->insn.imm |= (value & 1) << lane | (value >> 1 & 1) << (16 + lane);
    }
    return isa_scan_take(&as->scan, ']')
               ? 0
               : isa_scan_fail(&as->scan, as->scan.at, "a closing bracket is expected");
}

struct load {
    const char *mnemonic;
    uint8_t kind, mode, imm; /* mode as in figures 5 and 6 */
};
static const struct load loads[] = {
    {"ldi", VC4_QPU_LOAD_IMM32, 0, 0},   {"ldis", VC4_QPU_LOAD_IMM_S2, 1, 0},
    {"ldiu", VC4_QPU_LOAD_IMM_U2, 3, 0}, {"sinc", VC4_QPU_SEMAPHORE, 4, 0},
    {"sdec", VC4_QPU_SEMAPHORE, 4, 16},
};

static int parse_load(struct isa_assembler *as, struct draft *d, const struct load *load)
{
    struct vc4_qpu_insn *insn = &d->insn;
    insn->kind = load->kind;
    insn->sig = VC4_QPU_SIG_LOAD_IMM;
    insn->unpack = load->mode;
    insn->cond_add = insn->cond_mul = VC4_QPU_COND_ALWAYS;
    int err = parse_suffixes(as, d, &insn->cond_add);
    if (!err)
        err = parse_destination(as, d, false);
    if (!err)
        err = expect_comma(as);
    if (err)
        return err;
    if (load->kind == VC4_QPU_LOAD_IMM32)
        return isa_scan_number(&as->scan, &insn->imm);
    if (load->kind != VC4_QPU_SEMAPHORE)
        return parse_elements(as, d);
    isa_scan_space(&as->scan);
    const char *where = as->scan.at;
    uint32_t number;
    err = isa_scan_number(&as->scan, &number);
    if (!err && number > 15)
        err = isa_scan_fail(&as->scan, where, "semaphores are numbered 0..15");
    insn->imm = err ? 0 : load->imm | number;
    return err;
}

static int parse_target(struct isa_assembler *as, struct draft *d)
{
    struct isa_scan *s = &as->scan;
    struct vc4_qpu_insn *insn = &d->insn;
    uint32_t value;
    int err;
    if (insn->branch_rel && isa_scan_take(s, '.')) { /* bytes from the branch itself */
        bool plus = isa_scan_glued(s, '+');
        if (!plus && !isa_scan_at_number(s))
            return isa_scan_fail(s, s->at, "a distance such as .+32 or .-64 is expected");
        err = isa_scan_number(s, &value);
        insn->imm = value - 32;
    } else if (!insn->branch_rel && isa_scan_at_number(s)) {
        err = isa_scan_number(s, &insn->imm);
    } else {
        err = isa_asm_label(as, isa_scan_word(s), &value);
        insn->imm = insn->branch_rel ? value - (as->at + 32) : value;
    }
    if (err || !isa_scan_take(s, '+'))
        return err;
    struct isa_token name = isa_scan_word(s);
    if (!isa_token_numbered(name, "ra", &value) || value > 31)
        return isa_asm_fail(as, name, "ra0..ra31 is expected");
    insn->branch_reg = true;
    return say(as, name, &d->raddr_a, (int)value, "");
}

static bool links_follow(const struct isa_scan *s)
{
    for (const char *c = s->at; c < s->end && *c != '\n' && *c != '#' && *c != ';'; c++)
        if (*c == ',')
            return true;
    return false;
}

static int parse_branch(struct isa_assembler *as, struct draft *d, bool relative)
{
    struct vc4_qpu_insn *insn = &d->insn;
    struct isa_scan *s = &as->scan;
    int err = 0;
    insn->kind = VC4_QPU_BRANCH;
    insn->sig = VC4_QPU_SIG_BRANCH;
    insn->branch_rel = relative;
    insn->branch_cond = VC4_QPU_BR_ALWAYS;
    if (isa_scan_glued(s, '.')) {
        struct isa_token name = isa_scan_word(s);
        uint32_t cond;
        if (!vc4_qpu_named(VC4_QPU_BRANCH_CONDS, name.text, name.length, &cond) &&
            (!isa_token_numbered(name, "br", &cond) || cond > 15 || vc4_qpu_name(VC4_QPU_BRANCH_CONDS, cond)))
            return isa_asm_fail(as, name, "unknown branch condition");
        insn->branch_cond = (uint8_t)cond;
    }
    for (unsigned mul = 0; !err && mul < 2 && links_follow(s); mul++) {
        err = parse_destination(as, d, mul);
        err = err ? err : expect_comma(as);
    }
    return err ? err : parse_target(as, d);
}

/* Lays what was said, and the defaults, into the instruction. */
static int finish(struct isa_assembler *as, struct draft *d, struct isa_token where)
{
    struct vc4_qpu_insn *insn = &d->insn;
    insn->ws = d->ws == 1;
    insn->pm = d->pm == 1;
    insn->pack = d->pack == UNSAID ? 0 : (uint8_t)d->pack;
    if (insn->kind == VC4_QPU_BRANCH)
        insn->branch_raddr = d->raddr_a == UNSAID ? 0 : (uint8_t)d->raddr_a;
    if (insn->kind != VC4_QPU_ALU)
        return 0;
    insn->unpack = d->unpack == UNSAID ? 0 : (uint8_t)d->unpack;
    insn->sig = d->sig == UNSAID ? VC4_QPU_SIG_NONE : (uint8_t)d->sig;
    insn->raddr_a = d->raddr_a == UNSAID ? VC4_QPU_R_NOP : (uint8_t)d->raddr_a;
    insn->raddr_b = d->raddr_b == UNSAID ? VC4_QPU_R_NOP : (uint8_t)d->raddr_b;
    if (insn->unpack && (insn->pm ? d->plain_r4 : d->plain_a))
        return isa_asm_fail(as, where, "an unpack applies to every use of the register");
    if (d->wants_rotation && d->small < 48)
        return isa_asm_fail(as, where, "a source `rot` needs a rotation");
    if (d->small == UNSAID)
        return 0;
    if (d->sig != UNSAID)
        return isa_asm_fail(as, where, "a small immediate or a rotation leaves no room for a signal");
    if (d->raddr_b != UNSAID)
        return isa_asm_fail(as, where, "a small immediate or a rotation takes the place of file B");
    insn->sig = VC4_QPU_SIG_SMALL_IMM;
    insn->raddr_b = (uint8_t)d->small;
    return 0;
}

int vc4_qpu_asm_instruction(struct isa_assembler *as, struct isa_token mnemonic, uint64_t *word)
{
    struct draft d = {.insn = {.waddr_add = VC4_QPU_W_NOP, .waddr_mul = VC4_QPU_W_NOP},
                      .sig = UNSAID,
                      .ws = UNSAID,
                      .pm = UNSAID,
                      .pack = UNSAID,
                      .unpack = UNSAID,
                      .raddr_a = UNSAID,
                      .raddr_b = UNSAID,
                      .small = UNSAID};
    const struct load *load = NULL;
    int err;
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(loads); i++)
        if (isa_token_is(mnemonic, loads[i].mnemonic))
            load = &loads[i];
    if (load)
        err = parse_load(as, &d, load);
    else if (isa_token_is(mnemonic, "brr") || isa_token_is(mnemonic, "bra"))
        err = parse_branch(as, &d, mnemonic.text[2] == 'r');
    else
        err = parse_half(as, &d, false, mnemonic);
    if (!err)
        err = parse_rest(as, &d, mnemonic);
    if (!err)
        err = finish(as, &d, mnemonic);
    if (!err)
        *word = vc4_qpu_encode(&d.insn);
    return err;
}
