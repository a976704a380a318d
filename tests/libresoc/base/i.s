# RV64I
    .include "check.inc"
main:
    rr add, 0, 1, -1
    rr add, 0x8000000000000000, 0x7fffffffffffffff, 1
    rr addw, -0x80000000, 0x7fffffff, 1
    rr sub, -1, 0, 1
    rr subw, 0x7fffffff, 0x80000000, 1
    rr sll, 0x8000000000000000, 1, 127
    rr sllw, -0x80000000, 1, 63
    rr srl, 1, 0x8000000000000000, 63
    rr srlw, 1, 0xffffffff80000000, 31
    rr sra, -1, 0x8000000000000000, 63
    rr sraw, -1, 0x80000000, 31
    rr slt, 1, -1, 0
    rr sltu, 0, -1, 0
    rr xor, 0xff00, 0xf0f0, 0x0ff0
    rr or, 0xfff0, 0xf0f0, 0x0ff0
    rr and, 0x00f0, 0xf0f0, 0x0ff0
    ri addi, -2048, 0, -2048
    ri addiw, 0x7fffffff, 0x80000000, -1
    ri slti, 1, -2, -1
    ri sltiu, 1, 5, -1
    ri xori, -1, 0, -1
    ri ori, 0x7ff, 0x70f, 0xf0
    ri andi, 0x10, 0xff, 0x10
    ri slli, 0x100000000, 1, 32
    ri slliw, 0, 2, 31
    ri srli, 0x1ffffffff, -1, 31
    ri srliw, 1, -1, 31
    ri srai, -1, -1, 63
    ri sraiw, -0x40000000, 0x80000000, 1
    lui t0, 0x80000
    li t1, -0x80000000
    check t0, t1
    auipc t0, 0
    jal t1, 1f
1:  addi t0, t0, 4 # behind the jal, which has two or four bytes
    sub t0, t1, t0
    srli t0, t0, 2
    sltiu t0, t0, 2
    li t1, 1
    check t0, t1
    la t0, 2f + 1 # JALR takes bit 0 off
    jalr t1, 0(t0)
    j fail
2:  sub t0, t0, t1
    sltiu t0, t0, 6
    li t1, 1
    check t0, t1
    taken beq, 3, 3
    passed beq, 3, 4
    taken bne, 3, 4
    passed bne, 3, 3
    taken blt, -1, 0
    passed blt, 0, -1
    taken bge, 0, 0
    passed bge, -1, 0
    taken bltu, 0, -1
    passed bltu, -1, 0
    taken bgeu, -1, 0
    passed bgeu, 0, -1
    la s0, bytes
    ld t0, 0(s0)
    li t1, 0x8f7e6d5c4b3a2910
    check t0, t1
    lw t0, 4(s0)
    li t1, 0xffffffff8f7e6d5c
    check t0, t1
    lwu t0, 4(s0)
    li t1, 0x8f7e6d5c
    check t0, t1
    lh t0, 6(s0)
    li t1, -0x7082
    check t0, t1
    lhu t0, 6(s0)
    li t1, 0x8f7e
    check t0, t1
    lb t0, 7(s0)
    li t1, -0x71
    check t0, t1
    lbu t0, 7(s0)
    li t1, 0x8f
    check t0, t1
    ld t0, 1(s0) # not aligned
    li t1, 0x118f7e6d5c4b3a29
    check t0, t1
    li t0, 0x1122334455667788
    sb t0, 16(s0)
    sh t0, 18(s0)
    sw t0, 20(s0)
    ld t1, 16(s0)
    li t2, 0x5566778877880088
    check t1, t2
    sd t0, 16(s0)
    ld t1, 16(s0)
    check t1, t0
    fence
    fence.i
    finish
    .data
    .balign 8
bytes:
    .byte 0x10, 0x29, 0x3a, 0x4b, 0x5c, 0x6d, 0x7e, 0x8f, 0x11
    .zero 15
