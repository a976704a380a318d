# lw: loads from where nothing is (0x8)
# The third element of a gather.
    .globl _start
_start:
    la x20, word
    la x21, word
    li x22, 8
    la x23, word
    %sv.setvl x0, x0, 4
    %p48 lw x32v, 0(x20v), itype:32
    .data
word:
    .4byte 1
