/* The devices, as rows. */
#include "drm/input/input.h"

#include <linux/input.h>
#include <string.h>

#define BUTTONS {EV_KEY, BTN_LEFT, BTN_TASK}

/* What udev's input_id makes of these codes, which libinput, SDL and Qt go by. */
const struct drm_input_device drm_input_devices[DRM_INPUT_COUNT] = {
    [DRM_INPUT_KEYBOARD] = {"Vitrail keyboard",
                            "ID_INPUT=1\nID_INPUT_KEY=1\nID_INPUT_KEYBOARD=1\n",
                            1,
                            {{EV_KEY, KEY_ESC, KEY_MICMUTE}}},
    [DRM_INPUT_POINTER] =
        {"Vitrail pointer",
         "ID_INPUT=1\nID_INPUT_MOUSE=1\n",
         2,
         {BUTTONS, {EV_REL, REL_HWHEEL, REL_HWHEEL}, {EV_REL, REL_WHEEL, REL_WHEEL}, {EV_ABS, ABS_X, ABS_Y}}},
    [DRM_INPUT_MOUSE] =
        {"Vitrail mouse",
         "ID_INPUT=1\nID_INPUT_MOUSE=1\n",
         3,
         {BUTTONS, {EV_REL, REL_X, REL_Y}, {EV_REL, REL_HWHEEL, REL_HWHEEL}, {EV_REL, REL_WHEEL, REL_WHEEL}}},
};

static void set_bit(uint8_t *bits, uint32_t size, unsigned bit)
{
    if (bit / 8 < size)
        bits[bit / 8] |= (uint8_t)(1 << bit % 8);
}

bool drm_input_bits(const struct drm_input_device *device, unsigned type, uint8_t *bits, uint32_t size)
{
    bool any = !type;
    memset(bits, 0, size);
    if (!type)
        set_bit(bits, size, EV_SYN);
    for (const struct drm_input_codes *c = device->codes; c->type; c++) {
        if (!type)
            set_bit(bits, size, c->type);
        for (unsigned code = c->first; type == c->type && code <= c->last; code++)
            set_bit(bits, size, code);
        any |= type == c->type;
    }
    return any;
}
