# executes an illegal instruction:
    .globl _start
_start:
    .2byte 0x801f, 0x0000, 0x0000
