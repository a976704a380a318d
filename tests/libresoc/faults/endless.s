# loops for too long
    .globl _start
_start:
    li a7, 222
    li a0, 0
    li a1, 0x4000000
    li a2, 3
    li a3, 34
    ecall
    li a1, 0x4000000
    li a7, 215
    ecall
    j _start
