# sw: stores to where nothing may be stored
    .globl _start
_start:
    la x10, _start
    sw x0, 0(x10)
