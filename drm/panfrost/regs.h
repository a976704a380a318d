/* Registers of Malis with a job manager as the kernel's part uses them, by byte offsets in one window of 16 KiB;
 * README.md says what is expected of them. Pairs of words, the low one first, hold values of 64 bits. Source:
 * panfrost_regs.h of the kernel. */
#ifndef VITRAIL_DRM_PANFROST_REGS_H
#define VITRAIL_DRM_PANFROST_REGS_H

/* ---- GPU control ---- */
enum panfrost_gpu_register {
    PANFROST_GPU_ID = 0x000, /* product << 16 | revision */
    PANFROST_L2_FEATURES = 0x004,
    PANFROST_CORE_FEATURES = 0x008,
    PANFROST_TILER_FEATURES = 0x00c,
    PANFROST_MEM_FEATURES = 0x010,
    PANFROST_MMU_FEATURES = 0x014, /* bits of addresses: 7:0 of the GPU's, 15:8 of physical ones */
    PANFROST_AS_PRESENT = 0x018,
    PANFROST_JS_PRESENT = 0x01c,
    PANFROST_GPU_INT_RAWSTAT = 0x020,
    PANFROST_GPU_INT_CLEAR = 0x024,
    PANFROST_GPU_INT_MASK = 0x028,
    PANFROST_GPU_INT_STAT = 0x02c,
    PANFROST_GPU_COMMAND = 0x030,
    PANFROST_LATEST_FLUSH_ID = 0x038,
    PANFROST_GPU_FAULT_STATUS = 0x03c,
    PANFROST_GPU_FAULT_ADDRESS = 0x040, /* 64 bits */
    PANFROST_AFBC_FEATURES = 0x04c,
    PANFROST_PERFCNT_BASE = 0x060, /* 64 bits */
    PANFROST_PERFCNT_CONFIG = 0x068,
    PANFROST_PERFCNT_JM_ENABLE = 0x06c,
    PANFROST_PERFCNT_SHADER_ENABLE = 0x070,
    PANFROST_PERFCNT_TILER_ENABLE = 0x074,
    PANFROST_PERFCNT_MMU_L2_ENABLE = 0x07c,
    PANFROST_THREAD_MAX_THREADS = 0x0a0,
    PANFROST_THREAD_MAX_WORKGROUP_SIZE = 0x0a4,
    PANFROST_THREAD_MAX_BARRIER_SIZE = 0x0a8,
    PANFROST_THREAD_FEATURES = 0x0ac,
    PANFROST_TEXTURE_FEATURES = 0x0b0, /* 4 words */
    PANFROST_JS_FEATURES = 0x0c0,      /* 16 words */
    PANFROST_SHADER_PRESENT = 0x100,   /* bit maps of 64 bits, these and the next */
    PANFROST_TILER_PRESENT = 0x110,
    PANFROST_L2_PRESENT = 0x120,
    PANFROST_SHADER_READY = 0x140,
    PANFROST_TILER_READY = 0x150,
    PANFROST_L2_READY = 0x160,
    PANFROST_SHADER_PWRON = 0x180,
    PANFROST_TILER_PWRON = 0x190,
    PANFROST_L2_PWRON = 0x1a0,
    PANFROST_COHERENCY_FEATURES = 0x300,
    PANFROST_THREAD_TLS_ALLOC = 0x310,
    PANFROST_STACK_PRESENT = 0xe00,
    PANFROST_JM_CONFIG = 0xf00,
    PANFROST_SHADER_CONFIG = 0xf04,
    PANFROST_TILER_CONFIG = 0xf08,
};

#define PANFROST_GPU_IRQ_FAULT          (1u << 0)
#define PANFROST_GPU_IRQ_MULTIPLE_FAULT (1u << 7)
#define PANFROST_GPU_IRQ_RESET          (1u << 8)
#define PANFROST_GPU_IRQ_SAMPLED        (1u << 16) /* the performance counters */
#define PANFROST_GPU_IRQ_CLEANED        (1u << 17) /* the caches */
#define PANFROST_GPU_IRQ_ALL            0x00030781u
#define PANFROST_GPU_IRQ_FAULTS         (PANFROST_GPU_IRQ_FAULT | PANFROST_GPU_IRQ_MULTIPLE_FAULT)

enum panfrost_gpu_command {
    PANFROST_SOFT_RESET = 1,
    PANFROST_PERFCNT_CLEAR = 3,
    PANFROST_PERFCNT_SAMPLE = 4,
    PANFROST_CLEAN_CACHES = 7,
    PANFROST_CLEAN_INVALIDATE_CACHES = 8,
};

#define PANFROST_PERFCNT_MANUAL   1u /* of PERFCNT_CONFIG: a sample when asked for; 0: off */
#define PANFROST_PERFCNT_AS_SHIFT 4u

/* Switches of SHADER_CONFIG, TILER_CONFIG, JM_CONFIG. */
#define PANFROST_SC_LS_ALLOW_ATTR_TYPES   (1u << 16)
#define PANFROST_SC_TLS_HASH_ENABLE       (1u << 17)
#define PANFROST_SC_LS_ATTR_CHECK_DISABLE (1u << 18)
#define PANFROST_SC_ENABLE_TEXGRD_FLAGS   (1u << 25)
#define PANFROST_SC_VAR_ALGORITHM         (1u << 29)
#define PANFROST_TC_CLOCK_GATE_OVERRIDE   (1u << 0)
#define PANFROST_JM_THROTTLE_MOST         (0x3fu << 3)
#define PANFROST_JM_IDVS_GROUP_SIZE       (0xfu << 16)

/* ---- job manager ---- */
#define PANFROST_JOB_SLOTS 3u
enum panfrost_job_register {
    PANFROST_JOB_INT_RAWSTAT = 0x1000, /* bit n: a chain of slot n is done, 16 + n: it has failed */
    PANFROST_JOB_INT_CLEAR = 0x1004,
    PANFROST_JOB_INT_MASK = 0x1008,
    PANFROST_JOB_INT_STAT = 0x100c,
};
#define PANFROST_SLOT_IRQS(slot) (0x10001u << (slot))
#define PANFROST_SLOT_DONE(slot) (1u << (slot))
#define PANFROST_ALL_SLOT_IRQS   0x00070007u

#define PANFROST_JS(slot) (0x1800u + (slot) * 0x80u)
enum panfrost_slot_register {                          /* from PANFROST_JS(slot) */
                              PANFROST_JS_HEAD = 0x00, /* 64 bits */
                              PANFROST_JS_TAIL = 0x08, /* 64 bits */
                              PANFROST_JS_CONFIG = 0x18,
                              PANFROST_JS_COMMAND = 0x20,
                              PANFROST_JS_STATUS = 0x24,
                              PANFROST_JS_HEAD_NEXT = 0x40,     /* 64 bits */
                              PANFROST_JS_AFFINITY_NEXT = 0x50, /* 64 bits */
                              PANFROST_JS_CONFIG_NEXT = 0x58,
                              PANFROST_JS_COMMAND_NEXT = 0x60,
                              PANFROST_JS_FLUSH_ID_NEXT = 0x70,
};

/* JS_CONFIG: the address space in bits 3:0. */
#define PANFROST_JS_START_FLUSH   (3u << 8) /* clean and invalidate caches before */
#define PANFROST_JS_START_MMU     (1u << 10)
#define PANFROST_JS_CHAIN_FLAG    (1u << 11)
#define PANFROST_JS_END_FLUSH     (3u << 12) /* and after */
#define PANFROST_JS_FEWER_FLUSHES (1u << 14) /* those since FLUSH_ID need not be done again */
#define PANFROST_JS_PRIORITY      (8u << 16)

enum panfrost_slot_command {
    PANFROST_JS_NOP = 0,
    PANFROST_JS_START = 1,
    PANFROST_JS_SOFT_STOP = 2,
    PANFROST_JS_HARD_STOP = 3,
    PANFROST_JS_HARD_STOP_0 = 5, /* if the chain flag is 0 */
    PANFROST_JS_HARD_STOP_1 = 7, /* if it is 1 */
};

/* ---- MMU ---- */
#define PANFROST_MOST_SPACES 16u
enum panfrost_mmu_register {
    PANFROST_MMU_INT_RAWSTAT = 0x2000, /* bit n: page fault in space n, 16 + n: bus error */
    PANFROST_MMU_INT_CLEAR = 0x2004,
    PANFROST_MMU_INT_MASK = 0x2008,
    PANFROST_MMU_INT_STAT = 0x200c,
};
#define PANFROST_SPACE_IRQS(n) (0x10001u << (n))

#define PANFROST_AS(n) (0x2400u + (n) * 0x40u)
enum panfrost_space_register {                              /* from PANFROST_AS(n) */
                               PANFROST_AS_TRANSTAB = 0x00, /* 64 bits */
                               PANFROST_AS_MEMATTR = 0x08,  /* 64 bits */
                               PANFROST_AS_LOCKADDR = 0x10, /* 64 bits */
                               PANFROST_AS_COMMAND = 0x18,
                               PANFROST_AS_FAULTSTATUS = 0x1c,  /* 7:0 exception, 9:8 access, 31:16 who */
                               PANFROST_AS_FAULTADDRESS = 0x20, /* 64 bits */
                               PANFROST_AS_STATUS = 0x28,
};
enum panfrost_space_command {
    PANFROST_AS_UPDATE = 1,
    PANFROST_AS_LOCK = 2,
    PANFROST_AS_FLUSH_PT = 4,
    PANFROST_AS_FLUSH_MEM = 5,
};
#define PANFROST_AS_ACTIVE       1u     /* status: a command is at work */
#define PANFROST_TRANSTAB_TABLES 0x7ull /* walk tables, whose reads are cached */
#define PANFROST_MEMATTR         0x888d88ull
#define PANFROST_LEAST_LOCK      15u /* log2 of the bytes of the smallest region */

/* Entries of tables of all four levels: 0 is nothing. */
#define PANFROST_PTE_LEAF    1ull /* a page of 4 KiB in level 3, a block of 2 MiB in level 2 */
#define PANFROST_PTE_TABLE   3ull
#define PANFROST_PTE_TYPE    3ull
#define PANFROST_PTE_READ    (1ull << 6)
#define PANFROST_PTE_WRITE   (1ull << 7)
#define PANFROST_PTE_SHARED  (2ull << 8)
#define PANFROST_PTE_NO_EXEC (3ull << 53)
#define PANFROST_PTE_ADDRESS 0x0000fffffffff000ull

#endif
