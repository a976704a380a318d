# The digest's worked examples and loops (section 6): widths that leave other bytes as they are, the length of a text that ends just
# before memory does, a copy that stops at the zero, a sum of doubles.
    .include "check.inc"
main:
    # 8-bit additions: three bytes of the result change, the others do not.
    li x10, 0x1111111111010f0e
    li x11, 0x2222222222030201
    li x12, -1
    %p48 addi x40v, x10, 0
    %p48 addi x48v, x11, 0
    %p48 addi x32v, x12, 0
    %sv.setvl x0, x0, 3
    %p48 add x32v, x40v, x48v, itype:8
    %sv.setvl x0, x0, 1
    %p48 addi x10, x32v, 0
    li x11, 0xffffffffff04110f
    check x10, x11

    # Loads of 16 bits to elements of 32 through two addresses, seven of them: the last register keeps its upper half.
    la x10, halves
    addi x11, x10, 16
    li x12, -1
    mv x20, x10
    mv x21, x11
    mv x27, x12
    %sv.setvl x0, x0, 7
    %vblock regs(x8=x24v:32, x5=x20v:16) { ld x8, 0(x5) }
    mv x10, x25
    mv x11, x27
    li x12, 0x0000444400003333
    check x10, x12
    li x12, 0xffffffff00007777
    check x11, x12

    # A page, of which a text is the end: nothing is behind it.
    li a7, 222
    li a0, 0
    li a1, 4096
    li a2, 3
    li a3, 34
    ecall
    li x12, 4096 - 32
    add x12, x12, a0
    mv x20, x12
    la x13, text
    li x14, 32
1:  lb x15, 0(x13)
    sb x15, 0(x12)
    addi x13, x13, 1
    addi x12, x12, 1
    addi x14, x14, -1
    bnez x14, 1b
    mv x12, x20
    call length
    li x11, 31
    check x10, x11
    addi x12, x20, 31
    call length
    check x10, x0

    # Copied with its zero, and no byte more.
    mv x12, x20
    la x13, copy
    call copy_text
    la x13, copy
    la x12, text
    li x14, 32
1:  lb x15, 0(x13)
    lb x16, 0(x12)
    check x15, x16
    addi x13, x13, 1
    addi x12, x12, 1
    addi x14, x14, -1
    bnez x14, 1b
    lb x15, 0(x13)
    li x16, 0x55
    check x15, x16

    # y += a * x
    la x12, x
    la x13, y
    la x14, factor
    fld f0, 0(x14)
    li x14, 19
1:
    %sv.setvl x15, x14, 16
    %vblock regs(f1=f32v, x12=x12) { fld f1, 0(x12) }
    %vblock regs(f2=f64v, x13=x13) { fld f2, 0(x13) }
    %vblock regs(f1=f32v, f2=f64v) { fmadd.d f2, f1, f0, f2 }
    %vblock regs(f2=f64v, x13=x13) { fsd f2, 0(x13) }
    sub x14, x14, x15
    slli x15, x15, 3
    add x12, x12, x15
    add x13, x13, x15
    bnez x14, 1b
    la x12, x
    la x13, y
    li x14, 19
    li x15, 0 # x is 0, 1, ...; y was 1
1:  fcvt.d.l f1, x15
    li x16, 1
    fcvt.d.l f2, x16
    fmadd.d f1, f1, f0, f2
    fld f2, 0(x13)
    fmv.x.d x16, f1
    fmv.x.d x17, f2
    check x16, x17
    addi x13, x13, 8
    addi x15, x15, 1
    bne x15, x14, 1b
    finish

# x10: bytes before the zero of the text at x12. The load ends the vector where memory does, the move where the zero is.
length:
    li x10, 0
1:
    %sv.setvl x0, x0, 64
    %vblock regs(x6=x64v:8, x12=x12), preds(x6=!x0.ff) { lbu x6, 0(x12) }
    csrr x15, 0x801
    %vblock regs(x5=x32v:8, x6=x64v:8), preds(x5=!x0.ff) { add x5, x6, x0 }
    csrr x16, 0x801
    add x10, x10, x16
    add x12, x12, x16
    beq x15, x16, 1b
    ret

# The text at x12 to x13, with its zero.
copy_text:
    %sv.setvl x0, x0, 64
    %vblock regs(x6=x64v:8, x12=x12), preds(x6=!x0.ff) { lbu x6, 0(x12) }
    csrr x15, 0x801
    %vblock regs(x5=x32v:8, x6=x64v:8), preds(x5=!x0.ff) { add x5, x6, x0 }
    csrr x16, 0x801
    sltu x17, x16, x15 # the zero, too, if there is one
    add x16, x16, x17
    %sv.setvl x0, x16, 64
    %vblock regs(x6=x64v:8, x13=x13) { sb x6, 0(x13) }
    add x12, x12, x16
    add x13, x13, x16
    beqz x17, copy_text
    ret

    .data
    .balign 8
halves:
    .2byte 0x1111, 0x2222, 0x3333, 0x4444, 0, 0, 0, 0, 0x5555, 0x6666, 0x7777, 0x8888
factor:
    .double 0.5
x:
    .double 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18
y:
    .double 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1
text:
    .asciz "a text of thirty-one characters"
copy:
    .fill 64, 1, 0x55
