# makes a call that nobody takes: system call openat (56)
    .globl _start
_start:
    li a7, 56
    ecall
