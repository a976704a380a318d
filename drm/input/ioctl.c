/* What a device answers (drivers/input/evdev.c: evdev_do_ioctl). */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "drm/input/internal.h"
#include "util/bits.h"

#define VERSION 0x010001 /* EV_VERSION */

struct answer {
    uint8_t *argument;
    uint32_t room, *written;
};

/* A structure or a number, of a request that has just its size. */
static int give(struct answer *a, const void *bytes, uint32_t size)
{
    if (a->room < size)
        return -EINVAL;
    memcpy(a->argument, bytes, size);
    *a->written = size;
    return 0;
}

/* As much as there is room for, and how much that is. */
static int give_part(struct answer *a, const void *bytes, uint32_t size)
{
    uint32_t n = UTIL_MIN(size, a->room);
    memcpy(a->argument, bytes, n);
    *a->written = n;
    return (int)n;
}

static int give_text(struct answer *a, const char *text)
{
    return give_part(a, text, (uint32_t)strlen(text) + 1);
}

/* Bits of `count` codes, whole longs of the program's machine. */
static int give_bits(struct answer *a, const struct drm_input_reader *reader, const uint8_t *bits,
                     uint32_t count)
{
    uint32_t word = reader->long_bytes * 8u;
    return give_part(a, bits, (count + word - 1) / word * reader->long_bytes);
}

/* The number of codes that a type has; 0: there is no such type with bits. */
static uint32_t codes_of(unsigned type)
{
    static const uint16_t count[EV_CNT] = {
        [0] = EV_CNT,     [EV_KEY] = KEY_CNT, [EV_REL] = REL_CNT, [EV_ABS] = ABS_CNT, [EV_MSC] = MSC_CNT,
        [EV_SW] = SW_CNT, [EV_LED] = LED_CNT, [EV_SND] = SND_CNT, [EV_FF] = FF_CNT};
    return type < EV_CNT ? count[type] : 0;
}

static int give_codes(struct answer *a, const struct drm_input_reader *reader, unsigned type)
{
    uint8_t bits[KEY_CNT / 8 + 8];
    if (!codes_of(type))
        return -EINVAL;
    drm_input_bits(&drm_input_devices[reader->device], type, bits, sizeof bits);
    return give_bits(a, reader, bits, codes_of(type));
}

/* ---- a reader's own ---- */

static int grab(struct drm_input *input, const struct drm_input_reader *reader, bool on)
{
    struct drm_input_state *state = &input->state[reader->device];
    if (on ? state->grabbed != NULL : state->grabbed != reader)
        return on ? -EBUSY : -EINVAL;
    state->grabbed = on ? reader : NULL;
    return 0;
}

static int set_clock(struct drm_input_reader *reader, const struct answer *a)
{
    int32_t clock;
    if (a->room < sizeof clock)
        return -EINVAL;
    memcpy(&clock, a->argument, sizeof clock);
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME)
        return -EINVAL;
    reader->clock = clock;
    return 0;
}

static int get_range(const struct drm_input *input, const struct drm_input_reader *reader, unsigned axis,
                     struct answer *a)
{
    uint8_t bits[ABS_CNT / 8];
    if (!drm_input_bits(&drm_input_devices[reader->device], EV_ABS, bits, sizeof bits))
        return -EINVAL;
    return give(a, &input->state[reader->device].range[axis], sizeof(struct input_absinfo));
}

static int set_range(struct drm_input *input, const struct drm_input_reader *reader, unsigned axis,
                     const struct answer *a)
{
    uint8_t bits[ABS_CNT / 8];
    if (!drm_input_bits(&drm_input_devices[reader->device], EV_ABS, bits, sizeof bits) ||
        a->room < sizeof(struct input_absinfo))
        return -EINVAL;
    memcpy(&input->state[reader->device].range[axis], a->argument, sizeof(struct input_absinfo));
    return 0;
}

/* ---- requests ---- */

/* Those whose size is free: a part of a text or of bits. 1: it is none of these. */
static int ask_sized(const struct drm_input *input, const struct drm_input_reader *reader, uint32_t nr,
                     struct answer *a)
{
    static const uint8_t none[KEY_CNT / 8];
    const struct drm_input_device *device = &drm_input_devices[reader->device];
    switch (nr) {
    case _IOC_NR(EVIOCGNAME(0)): return give_text(a, device->name);
    case _IOC_NR(EVIOCGPHYS(0)):
    case _IOC_NR(EVIOCGUNIQ(0)): return -ENOENT;
    case _IOC_NR(EVIOCGPROP(0)): return give_bits(a, reader, none, INPUT_PROP_CNT);
    case _IOC_NR(EVIOCGKEY(0)): return give_bits(a, reader, input->state[reader->device].keys, KEY_CNT);
    case _IOC_NR(EVIOCGLED(0)): return give_bits(a, reader, none, LED_CNT);
    case _IOC_NR(EVIOCGSND(0)): return give_bits(a, reader, none, SND_CNT);
    case _IOC_NR(EVIOCGSW(0)): return give_bits(a, reader, none, SW_CNT);
    default: break;
    }
    if (nr >= _IOC_NR(EVIOCGBIT(0, 0)) && nr <= _IOC_NR(EVIOCGBIT(EV_MAX, 0)))
        return give_codes(a, reader, nr - _IOC_NR(EVIOCGBIT(0, 0)));
    return 1;
}

int drm_input_answer(struct drm_input *input, struct drm_input_reader *reader, uint32_t request,
                     uint64_t value, uint8_t *argument, uint32_t room, uint32_t *written)
{
    struct answer a = {argument, UTIL_MIN(room, _IOC_SIZE(request)), written};
    const struct input_id id = {BUS_VIRTUAL, DRM_INPUT_VENDOR, drm_input_devices[reader->device].product, 1};
    const int32_t version = VERSION;
    uint32_t nr = _IOC_NR(request);
    if (_IOC_TYPE(request) != 'E')
        return -EINVAL;
    switch (request) {
    case EVIOCGVERSION: return give(&a, &version, sizeof version);
    case EVIOCGID: return give(&a, &id, sizeof id);
    case EVIOCGREP:
    case EVIOCSREP: return -ENOSYS; /* keys do not repeat */
    case EVIOCGEFFECTS: return give(&a, &(const int32_t){0}, sizeof(int32_t));
    case EVIOCRMFF: return -ENOSYS;
    case EVIOCGRAB: return grab(input, reader, value);
    case EVIOCREVOKE: return value ? -EINVAL : (drm_input_reader_close(input, reader), 0);
    case EVIOCSCLOCKID: return set_clock(reader, &a);
    default: break;
    }
    if (_IOC_DIR(request) == _IOC_READ && nr >= _IOC_NR(EVIOCGABS(0)) && nr <= _IOC_NR(EVIOCGABS(ABS_MAX)))
        return get_range(input, reader, nr - _IOC_NR(EVIOCGABS(0)), &a);
    if (_IOC_DIR(request) == _IOC_WRITE && nr >= _IOC_NR(EVIOCSABS(0)) && nr <= _IOC_NR(EVIOCSABS(ABS_MAX)))
        return set_range(input, reader, nr - _IOC_NR(EVIOCSABS(0)), &a);
    int r = _IOC_DIR(request) == _IOC_READ ? ask_sized(input, reader, nr, &a) : 1;
    return r > 0 && !*written ? -EINVAL : r;
}
