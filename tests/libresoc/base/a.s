# A
    .include "check.inc"
    .macro amo op, before, with, after
    la s0, word
    li t0, \before
    li t1, \with
    sd t0, 0(s0)
    \op\().d.aqrl t2, t1, (s0)
    check t2, t0
    ld t2, 0(s0)
    li t3, \after
    check t2, t3
    .endm
    .macro amow op, before, with, old, after
    la s0, word
    li t0, \before
    li t1, \with
    sd t0, 0(s0)
    \op\().w t2, t1, (s0)
    li t3, \old
    check t2, t3
    ld t2, 0(s0)
    li t3, \after
    check t2, t3
    .endm
main:
    amo amoswap, 5, 6, 6
    amo amoadd, -1, 2, 1
    amo amoxor, 0xff, 0x0f, 0xf0
    amo amoand, 0xff, 0x0f, 0x0f
    amo amoor, 0xf0, 0x0f, 0xff
    amo amomin, -1, 1, -1
    amo amomax, -1, 1, 1
    amo amominu, -1, 1, 1
    amo amomaxu, -1, 1, -1
    amow amoadd, 0x1ffffffff, 1, -1, 0x100000000
    amow amoswap, 0x180000000, 7, -0x80000000, 0x100000007
    amow amomin, 0x80000000, 1, -0x80000000, 0x80000000
    amow amomaxu, 0x80000000, 1, -0x80000000, 0x80000000
    la s0, word
    li t0, 9
    sd t0, 0(s0)
    lr.d t1, (s0)
    check t1, t0
    li t2, 10
    sc.d t1, t2, (s0)
    check t1, zero
    ld t1, 0(s0)
    check t1, t2
    sc.d t1, t0, (s0) # nothing is reserved any more
    li t3, 1
    check t1, t3
    ld t1, 0(s0)
    check t1, t2
    lr.w t1, (s0)
    sc.w t1, t0, (s0)
    check t1, zero
    lw t1, 0(s0)
    check t1, t0
    finish
    .bss
    .balign 8
word:
    .zero 8
