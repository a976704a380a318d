/* What the checkers find: texts that break a rule. The QPU's rules, which are about paths, are test_qpu_check.c's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/sets.h"
#include "util/bits.h"

/* The text breaks the rule which is named by its first words, at the given place, and no other one; or those
 * between which a bar stands; "": it breaks none. */
struct breach {
    const char *text, *rule;
};

static const struct breach gp[] = {
    {"mul.0 src8, f0.x", "0 sources 8 to 11"},
    {"accop3.0 f0.x, f0.y", "0 this accumulator operation"},
    {"mulop5.0 f0.x, f0.y", "0 this multiplier operation"},
    {"cop7 f0.x", "0 this complex operation"},
    {"passop1 f0.x", "0 this pass operation"},
    {"pass f0.x ; store.xy r0, s5, none", "0 store source 5"},
    {"load 0+off4 ; pass load.x", "0 load offsets"},
    {"nop\npass f0.x ; branch 3", "1 the branch goes beyond"},
    {"complex1.0 f0.x, f0.y ; complex1.1 f0.x, f0.y\npass ^mul0",
     "1 complex1 takes two instructions: its result is"},
    {"complex1.0 f0.x, f0.y ; store.xy r0, mul0, none",
     "0 complex1 takes two instructions: its result cannot"},
    {"pass ^acc0", "0 nothing was computed"},
    {"nop\npass ^^acc0", "1 nothing was computed"},
    {"store.xy tv0, pass, none ; pass f0.x", "0 a store is of a varying"},
    {".word 0x00fad5000007ff80438002b578cad6b5", "0 bits 116-119"},
};

static const struct breach pp[] = {
    {".word 0x000000a2\nstop", "0 the word is no instruction"},
    {".word 0x00000023 \n .word 0x0\n .word 0x0", "0 the instruction is longer"},
    {"var r0, v0 ; next 2\nvar r0, v0 ; stop", "0 with prefetch"},
    {"mov.v0 c0, r0 ; stop", "0 registers 12 to 15"},
    {"mov.s0 c1.x, r0.x ; stop", "0 registers 12 to 15"},
    {"var.1 r0, v0 ; stop", "0 bits of the varying field"},
    {"tex2d 0 ; sync ; stop", "0 a texture is sampled without coordinates"},
    {"var coords, v0 ; textype5 0 ; sync ; stop", "0 bits of the sampler field"},
    {"var coords, v0 ; tex2d 0 ; stop", "0 texture fetches and derivatives"},
    {"dfdx.v1 r0, r1, -r1 ; stop", "0 texture fetches and derivatives"},
    {"op18.v0 r0, r1, r2 ; stop", "0 this multiplier operation"},
    {"op1.v1 r0, r1, r2 ; stop", "0 this accumulator operation"},
    {"sum3.s1 r0.x, r1.x ; stop", "0 this accumulator operation"},
    {"mov.v1 r0, ^v0 ; stop", "0 the multiplier's result"},
    {"op10.s2 r0.x, r1.x, r2.x ; stop", "0 this combiner operation"},
    {"atan.s2 r0.x, r1.x ; stop", "0 this combiner operation"},
    {"nop\nbranch.never r0.x, r1.x, 0\nstop", "1 bits of the branch field"},
    {"nop\nbranch 3\nstop", "1 the branch goes where no instruction"},
    {"mov.v1 r0, c0 ; stop", "0 a constant, texture or uniform is read"},
    {"mul.s0 r0.x, r1.x, uni.x ; stop", "0 a constant, texture or uniform is read"},
    {"stop\nmov.v1 r0, r1", "1 the program goes on"},
};

static const struct breach midgard[] = {
    {".word 0x0", "0 the quadword is no instruction"},
    {".word 0x118", "0 bits of the control word"},
    {"idle ; next ldst\nidle ; stop", "0 the next tag"},
    {"jump +1, alu1 ; next alu1\nidle ; stop", "0 the branch goes where"},
    {"jump +0, ldst ; next alu1\nidle ; stop", "0 the branch goes where"},
    {"idle ; next alu1", "0 the next tag is not the tag of the instruction behind|0 the program goes on"},
    {"vmul.op0.32 r0, r1, r2 ; stop", "0 this operation"},
    {"vmul.fsqrt.32 r0, r1, r2 ; stop", "0 this operation"},
    {"vmul.fmul.8 r0, r1, r2 ; stop", "0 the operation, an operand"},
    {"vlut.fsqrt.64 r0, r1, r2 ; stop", "0 the operation, an operand"},
    {"vmul.iadd.32 r0, r1.rl, r2 ; stop", "0 the operation, an operand"},
    {"vmul.iadd.8 r0, r1.el, r2 ; stop", "0 the operation, an operand"},
    {"vmul.iadd.32 r0, r1.els, r2 ; stop", "0 the operation, an operand"},
    {"vmul.fmul.16 r0, r1.el, r2 ; stop", "0 the operation, an operand"},
    {"vmul.fmul.16.lo r0, r1, r2 ; stop", "0 the operation, an operand"},
    {"vmul.iadd.8.lo r0, r1, r2 ; stop", "0 the operation, an operand"},
    {"vmul.iadd.32.sh3 r0, r1, r2 ; stop", "0 the operation, an operand"},
    {"vmul.iadd.32.ssat r0, r1, r2 ; stop", "0 a modifier for narrow results"},
    {"sadd.iadd.full.high r0.x, r1.x, r2.x ; stop", "0 a modifier for narrow results"},
    {"vmul.fadd.32 r0, r1, r2 ; stop", "0 this operation"},
    {"vmul.fmul.32 r0, r26, r2 ; stop", "0 constants are read"},
    {"vadd.fadd.32 r0, r24, r2 ; stop", "0 r24 or r25 is read"},
    {"vmul.fmul.32 r24, r0, r25 ; stop", "0 r24 or r25 is read"},
    {"vadd.icsel.32 r0, r1, r2 ; stop", "0 a selection or a branch"},
    {"br.true +0, alu1 ; next alu1\nidle ; stop", "0 a selection or a branch"},
    {"sadd.ine.full r31.w, r0.x, #0 ; op3.true +0, alu1 ; stop", "0 a branch of no known kind"},
    {"jump.call +0, alu1 ; next alu1\nidle ; stop", "0 a branch of no known kind"},
    {"ldop0 r0, al0.x, al0.x, 0 ; stop", "0 this load or store"},
    {"ld_32 r0, al0.x, al0.x, 0 ; stop", "0 an index register without"},
    {"st_32 r8, al0.x, al0.x.u32, 0 ; stop", "0 what is stored"},
    {"texop3.2d.1.f out0, in0, 0, 0 ; stop", "0 this texture operation"},
    {"tex.2d.0.f out0, in0, 0, 0 ; stop", "0 this texture operation"},
    {"derivative.2d.2.f out0, in0, 0, 0 ; stop", "0 this texture operation"},
    {"tex.2d.1.t0 out0, in0, 0, 0 ; stop", "0 bits of the texture word"},
    {"tex.2d.1.f out0.upper, in0, 0, 0 ; stop", "0 bits of the texture word"},
    {"tex.2d.1.f out0, in0, 0, 0 ; exec none ; stop", "0 bits of the texture word"},
    {"tex.2d.1.f out0, in0, 0, 0 ; as bar ; stop", "0 the tag is not for"},
    {"derivative.2d.1.f out0, in0, 0, 0 ; as vtex ; stop", "0 the tag is not for"},
};

static const struct breach valhall[] = {
    {".word 0x0001c00000000000\nNOP.end", "0 the word is no instruction"},
    {"NOP.end\n.word 0x0\n.word 0x0", ""},
    {".word 0x00a4c00000008480\nNOP.end", "0 uniforms and specials of more"},
    {".word 0x0078800202848280\nNOP.end",
     "0 uniforms and specials of more 64-bit slots than one (messages: two)|0 more than two different"},
    {".word 0x00b2c00000c08180\nNOP.end", "0 more than two different"},
    {".word 0x06a0c0000000e6e2\nNOP.end", "0 more than one special value|0 uniforms and specials of more"},
    {".word 0x066a80021800e6e2\nNOP.end", "0 more than one special value"},
    {".word 0x04a4c000000000b0\nNOP.end", "0 uniforms are u0 to u127"},
    {".word 0x01a3c00000070203\nNOP.end", "0 a value of 64 bits"},
    {".word 0x01a3c10000070202\nNOP.end", "0 a value of 64 bits"},
    {".word 0x0060800218000003\nNOP.end", "0 a value of 64 bits"},
    {".word 0x0060830418000042\nNOP.end", "0 several staging registers"},
    {".word 0x00617e0838000042\nNOP.end", "0 staging registers go beyond"},
    {".word 0x006080001800003c\nNOP.end", "0 fewer staging registers"},
    {".word 0x00608003d8000042\nNOP.end", "0 slot7 is for"},
    {".word 0x4845c00000000000\nNOP.end", "0 slot7 is for"},
    {".word 0x0045c001c0000000\nNOP.end", "0 a barrier does not wait"},
    {".word 0x005d80043000003d\nNOP.end", "0 a flat varying"},
    {".word 0x00f0c006c0c04243\nNOP.end", "0 a condition that integers"},
    {".word 0x006840021bc00042\nNOP.end", "0 an exchange whose"},
    {"BRANCHZ r0, offset:1\nNOP.end", "0 the branch goes where"},
    {"BRANCHZ r0, offset:-2\nNOP.end", "0 the branch goes where"},
    {"NOP", "0 the program goes on"},
    {"BRANCHZ.eq r0, offset:-1", "0 the program goes on"},
    {"BRANCHZ.eq 0x0, offset:-1", ""},
    {"ATEST @r60, r60, r3, atest_datum.w0\nNOP.end", "0 an alpha test"},
    {"NOP.wait012\nATEST @r60, r60, r3, atest_datum.w0\nNOP.end", "1 an alpha test"},
    {"NOP.wait0126\nATEST @r60, r60, r3, atest_datum.w0\nNOP.end", ""},
    {"NOP.wait0126\nATEST @r60, r60, r3, atest_datum.w0\nMOV.i32 r1, r60\nNOP.end",
     "2 a register is used that"},
    {"LOAD.i32.unsigned.slot0 @r4, r2, offset:0\nMOV.i32 r5, r4\nNOP.end", "1 a register is used that"},
    {"LOAD.i32.unsigned.slot1.wait0 @r4, r2, offset:0\nMOV.i32 r5, r4\nNOP.end", "1 a register is used that"},
    {"LOAD.i32.unsigned.slot2.wait01 @r4, r2, offset:0\nMOV.i32 r4, r5\nNOP.end",
     "1 a register is used that"},
    {"LOAD.i64.unsigned.slot2 @r4:r5, r2, offset:0\nSTORE.i32.slot0 @r5, r2, offset:0\nNOP.end",
     "1 a register is used that"},
    {"LOAD.i32.unsigned.slot2 @r2, r2, offset:0\nLOAD.i32.unsigned.slot0 @r4, r2, offset:0\nNOP.end",
     "1 a register is used that"},
    {"LOAD.i32.unsigned.slot1.wait12 @r4, r2, offset:0\nMOV.i32 r5, r4\nNOP.end", ""},
    {"LOAD.i32.unsigned.slot1 @r4, r2, offset:0\nNOP.wait\nMOV.i32 r5, r4\nNOP.end", ""},
    {"LOAD.i32.unsigned.slot1 @r4, r2, offset:0\nMOV.i32 r5, r6\nNOP.end", ""},
    {"STORE.i32.slot1 @r4, r2, offset:0\nMOV.i32 r4, r5\nNOP.end", ""},
    {"BRANCHZ.eq r0, offset:out\nLOAD.i32.unsigned.slot1 @r4, r2, offset:0\nout: MOV.i32 r5, r4\nNOP.end",
     ""},
};

#define END "ds(0) eos { *NOP t0 ; +NOP t1 }"
static const struct breach bifrost[] = {
    {".word 0x0\n" END, "0 the quadwords are no clause"},
    {"ds(0) eos load { *NOP t0 ; +LOAD.i32 t1, r1, r2, @r8 ; *NOP t0 ; +LOAD.i32 t1, r1, r2, @r8 }",
     "0 a clause sends more than one message"},
    {"ds(0) eos load { *NOP t0 ; +LOAD.i32 t1, r1, r2, @r8 ; *NOP t0 ; +DISCARD.f32.lt t1, r1, #0.x }",
     "0 a clause sends more than one message"},
    {"ds(0) eos z_stencil { *NOP t0 ; +LD_VAR_SPECIAL.frag_w.clobber.f32.center t1, r61, @r8 }",
     "0 the header's message type"},
    {"ds(0) eos store { *NOP t0 ; +LOAD.i32 t1, r1, r2, @r8 }", "0 the header's message type"},
    {"ds(0) eos load { *NOP t0 ; +NOP t1 }", "0 the header's message type"},
    {"ds(0) eos load { *NOP t0 ; +LOAD.i32.ubo t1, r1, r2, @r8 }", "0 the header's message type"},
    {"ds(0) nbb next_load { *NOP t0 ; +NOP t1 }\n" END, "0 the next message type"},
    {"ds(0) nbb { *NOP t0 ; +NOP t1 }\nds(0) eos load { *NOP t0 ; +LOAD.i32 t1, r1, r2, @r8 }",
     "0 the next message type"},
    /* Of a branch that may be taken: the message there, or behind, but no other one. */
    {"ds(0) nbb next_load { *NOP t0 ; +BRANCHZ.i32.eq t1, r1, to ; const 0x0, to }\n" END
     "\nto: ds(0) eos load { *NOP t0 ; +LOAD.i32 t1, r1, r2, @r8 }",
     ""},
    {"ds(0) nbb { *NOP t0 ; +BRANCHZ.i32.eq t1, r1, to ; const 0x0, to }\n" END
     "\nto: ds(0) eos load { *NOP t0 ; +LOAD.i32 t1, r1, r2, @r8 }",
     ""},
    {"ds(0) nbb next_store { *NOP t0 ; +BRANCHZ.i32.eq t1, r1, to ; const 0x0, to }\n" END
     "\nto: ds(0) eos load { *NOP t0 ; +LOAD.i32 t1, r1, r2, @r8 }",
     "0 the next message type"},
    /* Of one that is always taken: the message there. */
    {"ds(0) nbb next_load { *NOP t0 ; +JUMP t1, to ; const 0x0, to }\n" END
     "\nto: ds(0) eos load { *NOP t0 ; +LOAD.i32 t1, r1, r2, @r8 }",
     ""},
    {"ds(0) nbb { *NOP t0 ; +JUMP t1, to ; const 0x0, to }\n" END
     "\nto: ds(0) eos load { *NOP t0 ; +LOAD.i32 t1, r1, r2, @r8 }",
     "0 the next message type"},
    {"ds(1) eos { *NOP t0 ; +NOP t1 }", "0 the message has another slot"},
    {"ds(6) eos load { *NOP t0 ; +LOAD.i32 t1, r1, r2, @r8 }", "0 the message has another slot"},
    {"ds(0) eos barrier { *NOP t0 ; +BARRIER t1 }", "0 the message has another slot"},
    {"ds(0) nbb next_blend dwb(6) { *NOP t0 ; +NOP t1 }\n"
     "ds(0) eos blend { *NOP t0 ; +BLEND t1, r60, blend_descriptor_0.x, blend_descriptor_0.y, @r0 }",
     "1 ATEST or BLEND do not wait"},
    {"ds(0) nbb dwb(6, 7) { *NOP t0 ; +NOP t1 }\nds(0) nbb next_blend { *NOP t0 ; +NOP t1 }\n"
     "ds(0) eos blend { *NOP t0 ; +BLEND t1, r60, blend_descriptor_0.x, blend_descriptor_0.y, @r0 }",
     ""},
    {"ds(0) nbb next_atest { *NOP t0 ; +NOP t1 }\nds(0) eos atest { *NOP t0 ; +ATEST t1, r60, r3, @r60 }",
     "1 ATEST or BLEND do not wait"},
    {"ds(0) nbb next_atest dwb(6) { *NOP t0 ; +NOP t1 }\nds(0) eos atest { *NOP t0 ; "
     "+ATEST t1, r60, r3, @r60 }",
     ""},
    {"ds(0) nbb next_tile { *NOP t0 ; +NOP t1 }\n"
     "ds(0) eos tile { *NOP t0 ; +LD_TILE.v4 t1, r2, r60, r5, @r0 }",
     "1 ATEST or BLEND do not wait"},
    {"ds(0) nbb next_tile dwb(7) { *NOP t0 ; +NOP t1 }\n"
     "ds(0) nbb tile { *NOP t0 ; +LD_TILE.v4 t1, r8, r60, r5, @r0 }\nds(0) eos { *MOV.i32 r2:t0, r3 ; +NOP "
     "t1 }",
     ""}, /* it may be of halves */
    {"ds(0) nbb next_tile dwb(7) { *NOP t0 ; +NOP t1 }\n"
     "ds(0) nbb tile { *NOP t0 ; +LD_TILE.v4 t1, r8, r60, r5, @r0 }\nds(0) eos { *MOV.i32 r2:t0, r1 ; +NOP "
     "t1 }",
     "2 a register is"},
    {"ds(0) nbb next_tile dwb(6) { *NOP t0 ; +NOP t1 }\n"
     "ds(0) eos tile { *NOP t0 ; +ST_TILE.v4 t1, r2, r60, r5, @r0 }",
     "1 ATEST or BLEND do not wait"},
    {"ds(0) nbb next_tile dwb(7) { *NOP t0 ; +NOP t1 }\n"
     "ds(0) eos tile { *NOP t0 ; +ST_TILE.v4 t1, r2, r60, r5, @r0 }",
     ""},
    /* A blend shader, which goes back to r48. */
    {"ds(0) nbb next_tile { *NOP t0 ; +NOP t1 }\n"
     "ds(0) nbb tile { *NOP t0 ; +ST_TILE.v4 t1, r2, r60, r5, @r0 ; *NOP t0 ; +JUMP t1, r48 }",
     ""},
    {"ds(0) nbb next_barrier dwb(0, 1) { *NOP t0 ; +NOP t1 }\nds(7) eos barrier { *NOP t0 ; +BARRIER t1 }",
     "1 a barrier does not wait"},
    {"ds(1) nbb load dwb(0) { *NOP t0 ; +LOAD.i32 t1, r1, r2, @r8 }\n"
     "ds(0) eos { *MOV.i32 r3:t0, r8 ; +NOP t1 }",
     "1 a register is used that a message still writes"},
    {"ds(1) nbb store { *NOP t0 ; +STORE.i32 t1, r1, r2, @r8 }\n"
     "ds(0) eos { *MOV.i32 r8:t0, r3 ; +NOP t1 }",
     "1 a register is written that a message may still read"},
    {"ds(0) eos load { *NOP t0 ; +LOAD.i64 t1, r1, r2, @r63 }", "0 staging registers go beyond"},
    {"ds(0) nbb { *NOP t0 ; +JUMP t1, r1 ; *NOP t0 ; +NOP t1 }\n" END, "0 this instruction stands only"},
    {"ds(0) eos atomic { *ATOM_C.i32.aadd t0, r0, r1, r2 ; +ATOM_CX t1, r0, r1, r2, @r2 ; "
     "*NOP t0 ; +NOP t1 }",
     ""},
    {"ds(0) eos { *ATOM_C.i32.aadd t0, r0, r1, r2 ; +NOP t1 }", "0 FMA's half of an atomic"},
    {"ds(0) eos { *MOV.i32 r3:t0, t1 ; +NOP t1 }", "0 the first tuple reads t0 or t1"},
    {"ds(0) eos { *NOP t0 ; +MOV.i32 r3:t1, t }", "0 t, t0 or t1 is read"},
    {"ds(0) eos { *NOP t0 ; +NOP t1 ; *MOV.i32 r3:t0, t1 ; +NOP t1 }", "0 t, t0 or t1 is read"},
    {"ds(0) eos { *MOV.i32 r3:t0.h0, r1 ; +MOV.i32 r3:t1.h0, r2 }", "0 both instructions of a tuple write"},
    {"ds(0) eos { *NOP t0 ; +NOP t1 ; *NOP t0 ; +NOP t1 ; *NOP t0 ; +NOP t1 ; *NOP t0 ; +NOP t1 ;"
     " *NOP t0 ; +NOP t1 ; *NOP t0 ; +NOP t1 ; const 0x0, 0x0 ; const 0x0, 0x0 ; const 0x0, 0x0 ;"
     " const 0x0, 0x0 ; const 0x0, 0x0 ; const 0x0, 0x0 ; const 0x10, 0x0 }",
     "0 constant 6 is beyond"},
    {"ds(0) nbb { *NOP t0 ; +JUMP t1, pc+9 ; const 0x0, pc+9 }\n" END,
     "0 the branch goes where no clause begins"},
    {"ds(0) nbb { *NOP t0 ; +NOP t1 }", "0 the program goes on"},
    {"ds(0) nbb { *NOP t0 ; +NOP t1 }\n.word 0x0", "0 the program goes on"},
    {END "\n.word 0x0\n.word 0x0", ""},
    {".word 0x0", "0 the quadwords are no clause"},
    {"again: ds(0) nbb { *NOP t0 ; +BRANCHZ.i32.eq t1, r1, again ; const 0x0, again }\nds(0) nbb { *NOP t0 ; "
     "+NOP t1 }",
     "2 the program goes on"},
};
#undef END

/* Halfwords. Of a VBLOCK the place is that of its header. */
static const struct breach simple_v[] = {
    {"c.nop\np48 add x2v, x4v, x6v, pred:x9", ""},
    {"c.nop\np48 add x64v, x32v, x32v\n.word 0x0000", ""}, /* its last halfword is zero, too */
    {".word 0x005f\n.word 0x707f\n.word 0x0001", "0 the halfwords are no instruction|1 the halfwords"},
    {"vblock { c.nop ; c.nop ; .word 0x705f ; c.nop }", "0 the halfwords are no instruction"},
    {"vblock { .word 0x007f ; c.nop ; c.nop ; c.nop }", "0 a VBLOCK stands in a VBLOCK"},
    {"vblock { c.jalr x5 ; c.nop ; c.nop ; c.nop }", "0 a VBLOCK calls"},
    {"vblock { jal x1, 0 ; c.nop ; c.nop }", "0 a VBLOCK calls"},
    {"vblock { c.jr x1 ; c.j 0 ; c.nop ; c.nop }", ""},
    {"c.nop\nbeq x1, x2, -4", "1 a branch goes where no instruction begins"},
    {"c.nop\nbeq x1, x2, 2", "1 a branch goes where no instruction begins"},
    {"c.nop\nbeq x1, x2, 4", "1 a branch goes where no instruction begins"},
    {"c.nop\nbeq x1, x2, -2\nc.j 0", ""},
    {"c.j 4\nvblock { c.nop ; c.nop ; c.nop ; c.nop }", "0 a branch goes where no instruction begins"},
    {"c.j 2\nvblock { c.j 2 ; c.nop ; c.nop ; c.nop }", "1 a branch goes where no instruction begins"},
    {"vblock regs(x5=x40v, x5=x41v) { c.add x5, x6 ; c.nop }", "0 a table has a key twice"},
    {"vblock regs(x5=x40v, f5=f41v) { c.add x5, x6 ; c.nop }", ""},
    {"vblock regs(x5=x40v), preds(x5=x9, x5=x10) { c.add x5, x6 }", "0 a table has a key twice"},
    {"vblock regs(x5=x40v), preds(x6=x9) { c.add x5, x6 ; c.nop }", "0 a predicate has no effect"},
    {"vblock regs(x5=x40v), preds(f5=x9) { c.add x5, x6 ; c.nop }", "0 a predicate has no effect"},
    {"vblock regs(x8=x40v), preds(x0=x9) { c.beqz x8, 0 ; c.nop }", ""},
    {"vblock regs(f5=f40v:8) { fadd.s f1, f5, f2 ; c.nop }", "0 floats of 8 bits are illegal"},
    {"vblock regs(f5=f40v:8) { fmv.swizzle f5, f5, wzyx ; c.nop }", ""},
    {"p48 add x10v, x12v, x14v, pred:x9", ""},
    {"p48 fcvt.w.s x10v, f12v, dst:x10", "0 an instruction writes its own mask"},
    {"vblock regs(x5=x9), preds(x5=x9) { add x5, x6, x7 }", "0 an instruction writes its own mask"},
    {"fsin.s f1, f2\nc.nop\n.word 0x0000", ""},
};

static const struct {
    const struct isa_set *set;
    const struct breach *rows;
    size_t count;
} tables[] = {
    {&utgard_gp_set, gp, UTIL_ARRAY_SIZE(gp)},         {&utgard_pp_set, pp, UTIL_ARRAY_SIZE(pp)},
    {&midgard_set, midgard, UTIL_ARRAY_SIZE(midgard)}, {&valhall_set, valhall, UTIL_ARRAY_SIZE(valhall)},
    {&bifrost_set, bifrost, UTIL_ARRAY_SIZE(bifrost)}, {&simple_v_set, simple_v, UTIL_ARRAY_SIZE(simple_v)},
};

static void note(void *data, uint32_t at, const char *rule, const char *source)
{
    char *all = data;
    snprintf(all + strlen(all), 1000 - strlen(all), "%u %s|", at, rule);
    assert_true(strlen(source) > 0);
}

static void breach_is_found(const struct isa_set *set, const struct breach *b)
{
    char found[1000] = "";
    struct util_error error = {0};
    void *words;
    uint32_t count;
    if (isa_assemble(set->syntax, b->text, strlen(b->text), &words, &count, &error))
        fail_msg("%s: '%s': %s", set->name, b->text, error.text);
    unsigned total = set->check(words, count, note, found);
    unsigned expected = *b->rule != 0;
    for (const char *c = b->rule; *c; c++)
        expected += *c == '|';
    if (total != expected || strncmp(found, b->rule, strlen(b->rule)) != 0)
        fail_msg("%s: '%s': %u breaches: %s", set->name, b->text, total, found);
    free(words);
}

static void breaches_are_found(void **state)
{
    for (size_t t = 0; t < UTIL_ARRAY_SIZE(tables); t++)
        for (size_t n = 0; n < tables[t].count; n++)
            breach_is_found(tables[t].set, &tables[t].rows[n]);
}

static bool breaks(const struct breach *b, const char *text)
{
    for (const char *rule = b->rule; rule && *rule; rule = strchr(rule, '|') ? strchr(rule, '|') + 1 : NULL)
        if (!strncmp(rule + 2, text, strcspn(rule + 2, "|")))
            return true;
    return false;
}

/* What the linter tells and no checker, as the encoding is legal: the first finding's word, rule and detail. */
static const struct {
    const struct isa_set *set;
    const char *text, *told;
} linted[] = {
    {&bifrost_set, "ds(0) eos {\n*MOV.i32 r1:t0.h0, r2\n+MOV.i32 r3:t1.h0, r4\n}",
     "0 HALF_RESULTS r1 and r3"},
    {&bifrost_set, "ds(0) eos {\n*MOV.i32 r1:t0.h0, r2\n+NOP t1\n}", ""},
    {&bifrost_set, "ds(0) eos {\n*MOV.i32 r1:t0.h0, r2\n+MOV.i32 r3:t1.h0, r4\n*NOP t0\n+NOP t1\n}", ""},
    {&bifrost_set, "ds(0) eos {\n*NOP t0\n+FSINCOS_OFFSET.u6 r1:t1, r2\n}",
     "0 UNEXPLAINED FSINCOS_OFFSET.u6"},
    {&valhall_set, "FPCLASS.f32 r3, r0\nNOP.end", "0 UNEXPLAINED FPCLASS.f32"},
};

static void keep_first(void *data, const struct isa_finding *f)
{
    char *told = data;
    if (!*told)
        snprintf(told, 100, "%u %s %s", f->pc, f->rule->name, f->detail);
}

static void the_linter_tells_more(void **state)
{
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(linted); n++) {
        char told[100] = "";
        struct util_error error = {0};
        void *words;
        uint32_t count;
        if (isa_assemble(linted[n].set->syntax, linted[n].text, strlen(linted[n].text), &words, &count,
                         &error))
            fail_msg("'%s': %s", linted[n].text, error.text);
        assert_int_equal(linted[n].set->lint(words, count, 0, keep_first, told), 0);
        assert_string_equal(told, linted[n].told);
        free(words);
    }
}

static bool is_linted(const struct isa_set *set, const struct isa_rule *rule)
{
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(linted); n++)
        if (linted[n].set == set && strstr(linted[n].told, rule->name))
            return true;
    return false;
}

static void every_rule_is_broken(const struct isa_set *set, const struct breach *rows, size_t count)
{
    uint32_t rules;
    const struct isa_rule *all = set->rules(&rules);
    for (uint32_t r = 1; r < rules; r++) { /* 0: what cannot be followed */
        bool broken = is_linted(set, &all[r]);
        for (size_t n = 0; n < count; n++)
            broken |= breaks(&rows[n], all[r].text);
        if (!broken)
            fail_msg("no program breaks %s's rule %s", set->name, all[r].name);
    }
}

/* Each rule of the sets whose tables are to have them all. */
static void all_rules_are_broken(void **state)
{
    every_rule_is_broken(&bifrost_set, bifrost, UTIL_ARRAY_SIZE(bifrost));
    every_rule_is_broken(&valhall_set, valhall, UTIL_ARRAY_SIZE(valhall));
    every_rule_is_broken(&simple_v_set, simple_v, UTIL_ARRAY_SIZE(simple_v));
}

static void a_program_is_not_empty_for_the_gp(void **state)
{
    char found[1000] = "";
    assert_int_equal(utgard_gp_set.check(NULL, 0, note, found), 1);
    assert_non_null(strstr(found, "1 to 512"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(breaches_are_found),
        cmocka_unit_test(the_linter_tells_more),
        cmocka_unit_test(all_rules_are_broken),
        cmocka_unit_test(a_program_is_not_empty_for_the_gp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
