# void add_bytes(uint8_t *to, const uint8_t *from, long count): sums that end at 255; void mix(int16_t *to, const int16_t *from, long count):
# those of numbers with signs.
    .globl add_bytes
add_bytes:
    %csrrwi x0, svsat, 1
    beqz x12, done
again:
    %sv.setvl x15, x12, 64
    %p48 lbu x32v, 0(x10), itype:8
    %p48 lbu x48v, 0(x11), itype:8
    %p48 add x32v, x32v, x48v, itype:8
    %p48 sb x32v, 0(x10), itype:8
    sub x12, x12, x15
    add x10, x10, x15
    add x11, x11, x15
    bnez x12, again
done:
    %csrrwi x0, svsat, 0
    ret

    .globl mix
mix:
    %csrrwi x0, svsat, 2
    beqz x12, out
more:
    %sv.setvl x15, x12, 32
    %p48 lh x32v, 0(x10), itype:16
    %p48 lh x48v, 0(x11), itype:16
    %p48 add x32v, x32v, x48v, itype:16
    %p48 sh x32v, 0(x10), itype:16
    sub x12, x12, x15
    slli x15, x15, 1
    add x10, x10, x15
    add x11, x11, x15
    bnez x12, more
out:
    %csrrwi x0, svsat, 0
    ret
