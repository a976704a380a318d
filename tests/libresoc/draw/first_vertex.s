# In: x, y, red, green, blue. Out: clip coordinates x, y, 0, 1 and the colour.
    sv.setvl x0, x0, 64
    p48 lw x32v, 0(x13), itype:32
    p48 sw x32v, 0(x14), itype:32
    p48 lw x32v, 256(x13), itype:32
    p48 sw x32v, 256(x14), itype:32
    lui x5, 0x3f800
    p48 sub x32v, x32v, x32v, itype:32
    p48 add x32v, x32v, x5, itype:32
    p48 sw x32v, 768(x14), itype:32
    p48 lw x32v, 512(x13), itype:32
    p48 sw x32v, 1024(x14), itype:32
    p48 lw x32v, 768(x13), itype:32
    p48 sw x32v, 1280(x14), itype:32
    p48 lw x32v, 1024(x13), itype:32
    p48 sw x32v, 1536(x14), itype:32
    jalr x0, 0(x1)
