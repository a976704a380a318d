# M
    .include "check.inc"
main:
    rr mul, 1, -1, -1
    rr mul, 0xfffffffe00000001, 0xffffffff, 0xffffffff
    rr mulh, 0, -1, -1
    rr mulh, -1, 0x4000000000000000, -4
    rr mulhu, -2, -1, -1
    rr mulhsu, -1, -1, -1
    rr mulhsu, -1, -1, 2
    rr mulw, 1, 0xffffffff, -1
    rr div, -3, 7, -2
    rr div, -1, 7, 0
    rr div, 0x8000000000000000, 0x8000000000000000, -1
    rr divu, 0, 7, -2
    rr divu, -1, 7, 0
    rr rem, 1, 7, -2
    rr rem, -1, -7, 2
    rr rem, 7, 7, 0
    rr rem, 0, 0x8000000000000000, -1
    rr remu, 7, 7, -2
    rr remu, 7, 7, 0
    rr divw, -0x80000000, 0x80000000, -1
    rr divw, -1, 5, 0x100000000
    rr divuw, 0x7fffffff, 0xffffffff, 2
    rr remw, 0, 0x80000000, -1
    rr remw, -1, -7, 2
    rr remuw, 1, 0xffffffff, 2
    rr remuw, -1, 0xffffffff, 0
    finish
