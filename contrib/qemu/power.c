#include "power.h"

enum { /* offsets */
       PM_GRAFX = 0x10c,
       ASB_V3D_S_CTRL = POWER_MANAGER_BYTES + 0x08,
       ASB_V3D_M_CTRL = POWER_MANAGER_BYTES + 0x0c,
       ASB_AXI_BRDG_ID = POWER_MANAGER_BYTES + 0x20,
};
enum { /* of PM_GRAFX */
       POWUP = 1 << 0,
       POWOK = 1 << 1, /* read only, as is MRDONE */
       ISPOW = 1 << 2, /* not isolated electrically */
       MEMREP = 1 << 3,
       MRDONE = 1 << 4,
       ISFUNC = 1 << 5,
       V3DRSTN = 1 << 6,
       INRUSH = 3 << 13,
       GRAFX_KEPT = POWUP | ISPOW | MEMREP | ISFUNC | V3DRSTN | INRUSH,
};
enum { /* of a bridge: whether it shall stop, and does */
       REQ_STOP = 1 << 0,
       ACK = 1 << 1,
       EMPTY = 1 << 2,
};
#define PASSWORD      0x5a000000u /* writes without it are not done */
#define PASSWORD_MASK 0xff000000u
#define BRIDGE_ID     0x62726467u /* "brdg" */

uint32_t power_read(const struct power *power, uint32_t offset)
{
    switch (offset) {
    case PM_GRAFX:
        return power->grafx | (power->grafx & POWUP ? POWOK : 0) |
               ((power->grafx & (POWUP | MEMREP)) == (POWUP | MEMREP) ? MRDONE : 0);
    case ASB_V3D_S_CTRL:
    case ASB_V3D_M_CTRL: return EMPTY | (power->running[offset == ASB_V3D_M_CTRL] ? 0 : REQ_STOP | ACK);
    case ASB_AXI_BRDG_ID: return BRIDGE_ID;
    default: return 0;
    }
}

void power_write(struct power *power, uint32_t offset, uint32_t value)
{
    if ((value & PASSWORD_MASK) != PASSWORD)
        return;
    if (offset == PM_GRAFX)
        power->grafx = value & GRAFX_KEPT;
    else if (offset == ASB_V3D_S_CTRL || offset == ASB_V3D_M_CTRL)
        power->running[offset == ASB_V3D_M_CTRL] = !(value & REQ_STOP);
}

bool power_keeps_state(const struct power *power)
{
    return (power->grafx & (POWUP | V3DRSTN)) == (POWUP | V3DRSTN);
}

bool power_lets_through(const struct power *power)
{
    return power_keeps_state(power) && (power->grafx & (ISPOW | ISFUNC)) == (ISPOW | ISFUNC) &&
           power->running[0];
}
