# long length(const char *text), and char *copy(char *to, const char *text), sixteen characters at a time. Loads end before what is
# not there, branches at the zero: VL has how many are left.
    .globl length
length:
    mv x11, x10
more:
    %sv.setvl x0, x0, 16
    %vblock regs(x5=x40v:8), preds(x5=!x0.ff) { lbu x5, 0(x11) }
    %csrrs x7, vl, x0
    add x11, x11, x7
    %vblock regs(x5=x40v:8), preds(x5=!x0.ff) { bne x5, x0, 12 ; c.nop } # taken or not, VL tells
    %csrrs x6, vl, x0
    beq x6, x7, more
    sub x11, x11, x7
    add x11, x11, x6
    sub x10, x11, x10
    ret

    .globl copy
copy:
    mv x12, x10
again:
    %sv.setvl x0, x0, 16
    %vblock regs(x5=x40v:8), preds(x5=!x0.ff) { lbu x5, 0(x11) }
    %csrrs x7, vl, x0
    %vblock regs(x5=x40v:8), preds(x5=!x0.ff) { bne x5, x0, 12 ; c.nop }
    %csrrs x6, vl, x0
    sltu x28, x6, x7 # with the zero
    add x28, x28, x6
    %sv.setvl x0, x28, 16
    %p48 sb x40v, 0(x12), itype:8
    add x11, x11, x28
    add x12, x12, x28
    beq x6, x7, again
    ret
