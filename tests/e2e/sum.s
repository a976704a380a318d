# Adds rows of 16 words, lane by lane. Uniforms: where the first row is, how many there are, where the sum goes.
    mov r0, unif
    mov ra1, unif
    ldi r1, 0x2
    ldi r2, 0x40
    shl r1, elem_num, r1
    add r0, r0, r1
    ldi r3, 0x0
row:
    mov tmu0_s, r0
    add r0, r0, r2 ; ldtmu0
    sub.sf ra1, ra1, 1
    brr.anyzc row
    add r3, r3, r4
    nop
    nop
    ldi vw_setup, 0x1a00
    mov vpm, r3
    ldi vw_setup, 0x80904000
    mov vw_addr, unif
    mov -, vpm_st_wait
    nop ; thrend
    nop
    nop
