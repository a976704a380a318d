# C and Zicsr
    .include "check.inc"
main:
    addi sp, sp, -32
    li t0, 0x123456789abcdef0
    c.sdsp t0, 8(sp)
    c.ldsp t1, 8(sp)
    check t1, t0
    c.lwsp t1, 12(sp)
    li t2, 0x12345678
    check t1, t2
    c.swsp t0, 0(sp)
    c.addi4spn a0, sp, 8
    c.ld a1, 0(a0)
    check a1, t0
    c.lw a1, 4(a0)
    check a1, t2
    c.li a1, -5
    c.sw a1, 8(a0)
    c.lw a2, 8(a0)
    check a2, a1
    c.sd a1, 8(a0)
    c.ld a2, 8(a0)
    check a2, a1
    c.fld fa0, 8(a0)
    c.fsdsp fa0, 0(sp)
    c.fldsp fa1, 0(sp)
    c.fsd fa1, 0(a0)
    c.ld a2, 0(a0)
    check a2, a1
    c.mv a3, a1
    c.add a3, a1
    li t0, -10
    check a3, t0
    c.sub a3, a1
    check a3, a1
    c.xor a3, a1
    check a3, zero
    c.or a3, a1
    check a3, a1
    c.andi a3, 15
    li t0, 11
    check a3, t0
    c.and a3, a1
    check a3, t0
    c.slli a3, 60
    c.srai a3, 60
    li t0, -5
    check a3, t0
    c.srli a3, 63
    li t0, 1
    check a3, t0
    c.addi a3, -2
    c.addiw a3, 0
    li t0, -1
    check a3, t0
    c.addw a3, a3
    li t0, -2
    check a3, t0
    c.subw a3, a3
    check a3, zero
    c.lui a3, 0xfffff
    li t0, -4096
    check a3, t0
    c.addi16sp sp, 32
    c.beqz a3, fail_near
    c.bnez a3, 1f
fail_near:
    j fail
1:  c.j 2f
    c.nop
2:  mv s1, ra
    la t0, 3f
    c.jalr t0
    j fail
3:  mv t1, ra
    mv ra, s1
    sub t0, t0, t1
    sltiu t0, t0, 5
    li t1, 1
    check t0, t1
    la t0, 4f
    c.jr t0
    j fail
4:  csrwi fflags, 5
    csrrsi t0, fflags, 2
    li t1, 5
    check t0, t1
    csrrci t0, fflags, 1
    li t1, 7
    check t0, t1
    csrr t0, fcsr
    li t1, 6
    check t0, t1
    li t1, 0x43
    csrrw t0, fcsr, t1
    csrr t0, frm
    li t1, 2
    check t0, t1
    csrwi fcsr, 0
    rdinstret t0
    nop
    rdinstret t1
    sltu t0, t0, t1
    li t1, 1
    check t0, t1
    finish
