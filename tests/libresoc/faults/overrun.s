# add: has a vector beyond the register file
    .globl _start
_start:
    %sv.setvl x0, x0, 64
    %p48 add x96v, x32v, x32v
