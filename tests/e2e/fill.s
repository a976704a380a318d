# Stores 16 words: 256 times the first uniform, plus the lane. Each QPU has a row of the VPM to itself.
    ldi r1, 0x8
    mov r0, unif
    ldi r2, 0x7
    shl r0, r0, r1
    add r0, r0, elem_num
    ldi r3, 0x1a00
    add vw_setup, r3, qpu_num
    mov vpm, r0
    ldi vw_setup, 0xc0000000
    mov r1, qpu_num
    ldi r3, 0x80904000
    shl r1, r1, r2
    add vw_setup, r3, r1
    mov vw_addr, unif
    mov -, vpm_st_wait
    nop ; thrend
    nop
    nop
