/* Registers of Mali-400 and Mali-450 as the kernel's part uses them: where the blocks stand in the window,
 * and offsets within a block. Source: lima_regs.h and lima_device.c of the kernel. */
#ifndef VITRAIL_DRM_LIMA_REGS_H
#define VITRAIL_DRM_LIMA_REGS_H

/* Blocks. The GP and its MMU stand at the same place in both. */
#define LIMA_GP        0x00000u
#define LIMA_GP_MMU    0x03000u
#define LIMA_PP(n)     ((n) < 4 ? 0x08000u + (n) * 0x2000u : 0x28000u + ((n) - 4) * 0x2000u)
#define LIMA_PP_MMU(n) ((n) < 4 ? 0x04000u + (n) * 0x1000u : 0x1c000u + ((n) - 4) * 0x1000u)
#define LIMA_400_L2    0x01000u
/* Mali-450: caches of the GP, of PP 0 to 3, of PP 4 to 7; one place that reaches all PPs that are chosen. */
#define LIMA_450_L2_GP      0x10000u
#define LIMA_450_L2_PP      0x01000u
#define LIMA_450_L2_PP4     0x11000u
#define LIMA_450_BROADCAST  0x13000u
#define LIMA_450_DLBU       0x14000u
#define LIMA_450_ALL_PP_MMU 0x15000u
#define LIMA_450_ALL_PP     0x16000u

enum lima_l2_register { LIMA_L2_COMMAND = 0x10, LIMA_L2_MAX_READS = 0x18, LIMA_L2_ENABLE = 0x1c };
#define LIMA_L2_CLEAR_ALL 1u

enum lima_gp_register {
    LIMA_GP_FRAME = 0x00,
    LIMA_GP_HEAP_START = 0x10,
    LIMA_GP_HEAP_END = 0x14,
    LIMA_GP_COMMAND = 0x20,
    LIMA_GP_INT_RAW = 0x24,
    LIMA_GP_INT_CLEAR = 0x28,
    LIMA_GP_INT_MASK = 0x2c,
    LIMA_GP_INT_STATUS = 0x30,
    LIMA_GP_SCRATCH = 0x54, /* a counter's limit: tells when a reset is over */
    LIMA_GP_STATUS = 0x68,
    LIMA_GP_VERSION = 0x6c,
};
#define LIMA_GP_START_VS    (1u << 0)
#define LIMA_GP_START_PLBU  (1u << 1)
#define LIMA_GP_UPDATE_HEAP (1u << 4)
#define LIMA_GP_RESET       (1u << 5)
#define LIMA_GP_STOP_BUS    (1u << 9)
#define LIMA_GP_SOFT_RESET  (1u << 10)
#define LIMA_GP_IRQ_ENDS    (1u << 0 | 1u << 1) /* of the VS's and the PLBU's commands */
#define LIMA_GP_IRQ_HEAP    (1u << 2)           /* the PLBU's heap is full */
#define LIMA_GP_IRQ_RESET   (1u << 19)
#define LIMA_GP_IRQ_ALL     0x00787fffu
/* forced hang, write bound, sync, bus, bad VS and PLBU commands, semaphores, pointer array */
#define LIMA_GP_IRQ_ERRORS                                                                                   \
    (LIMA_GP_IRQ_HEAP | 1u << 6 | 1u << 9 | 1u << 10 | 1u << 11 | 1u << 13 | 1u << 14 | 1u << 20 |           \
     1u << 21 | 1u << 22)
#define LIMA_GP_IRQ_USED (LIMA_GP_IRQ_ENDS | LIMA_GP_IRQ_ERRORS)
#define LIMA_GP_ACTIVE   (1u << 1 | 1u << 3) /* of the status: VS, PLBU */

enum lima_pp_register {
    LIMA_PP_FRAME = 0x0000,
    LIMA_PP_STACK = 0x0030,
    LIMA_PP_WB = 0x0100, /* and 0x200, 0x300 */
    LIMA_PP_VERSION = 0x1000,
    LIMA_PP_STATUS = 0x1008,
    LIMA_PP_CONTROL = 0x100c,
    LIMA_PP_INT_RAW = 0x1020,
    LIMA_PP_INT_CLEAR = 0x1024,
    LIMA_PP_INT_MASK = 0x1028,
    LIMA_PP_INT_STATUS = 0x102c,
    LIMA_PP_SCRATCH = 0x1088,
};
#define LIMA_PP_FORCE_RESET (1u << 5)
#define LIMA_PP_START       (1u << 6)
#define LIMA_PP_SOFT_RESET  (1u << 7)
#define LIMA_PP_IRQ_END     (1u << 0)
#define LIMA_PP_IRQ_RESET   (1u << 12)
#define LIMA_PP_IRQ_ALL     0x1fffu
/* forced hang, bus, write bound, bad list command, call stack */
#define LIMA_PP_IRQ_ERRORS (1u << 3 | 1u << 4 | 1u << 8 | 1u << 9 | 1u << 10 | 1u << 11)
#define LIMA_PP_IRQ_USED   (LIMA_PP_IRQ_END | LIMA_PP_IRQ_ERRORS)

enum lima_mmu_register {
    LIMA_MMU_DIRECTORY = 0x00,
    LIMA_MMU_STATUS = 0x04,
    LIMA_MMU_COMMAND = 0x08,
    LIMA_MMU_FAULT_ADDRESS = 0x0c,
    LIMA_MMU_INT_CLEAR = 0x18,
    LIMA_MMU_INT_MASK = 0x1c,
    LIMA_MMU_INT_STATUS = 0x20,
};
enum lima_mmu_command {
    LIMA_MMU_ENABLE_PAGING = 0,
    LIMA_MMU_STALL = 2,
    LIMA_MMU_END_STALL = 3,
    LIMA_MMU_ZAP = 4,
    LIMA_MMU_RESET = 6,
};
#define LIMA_MMU_FAULT_ACTIVE (1u << 1) /* status */
#define LIMA_MMU_FAULT_WRITE  (1u << 5)
#define LIMA_MMU_IRQ_ALL      3u /* page fault, bus error */

/* Entries of directory and tables: present; and for pages: read, write, cached as the kernel has it. */
#define LIMA_PAGE_PRESENT 1u
#define LIMA_PAGE_FLAGS   0x1dfu

enum lima_dlbu_register {
    LIMA_DLBU_PHYSICAL = 0x00,
    LIMA_DLBU_VIRTUAL = 0x04,
    LIMA_DLBU_FRAME = 0x08, /* four registers of a frame */
    LIMA_DLBU_PP_MASK = 0x18,
};
enum lima_broadcast_register { LIMA_BROADCAST_MASK = 0x0, LIMA_BROADCAST_INT_MASK = 0x4 };

#endif
