/* A display for the guest beside its GPU: -device vitrail-display,xres=1280,yres=800. The controller is an LCDIF as i.MX28 has
 * it, which Linux drives (mxsfb) and Mesa knows: it shows what a GPU drew, out of the guest's memory, and flips between pictures
 * when a frame has been sent. The panel has one mode, of 60 frames a second of the guest's time.
 *
 * The GPU writes memory behind QEMU's back, so a picture is taken whole whenever QEMU's display asks.
 *
 * Sources: i.MX28 Applications Processor Reference Manual, chapter 33, as the kernel's drivers/gpu/drm/mxsfb has it. */
#include "bus.h"
#include "display.h"
#include "nodes.h"

#define TYPE_VITRAIL_DISPLAY "vitrail-display"
OBJECT_DECLARE_SIMPLE_TYPE(VitrailDisplay, VITRAIL_DISPLAY)

/* Registers are 16 bytes apart; the words between set, clear and toggle bits of those that have it. */
enum {
    CTRL,
    CTRL1,
    CTRL2,
    TRANSFER_COUNT,
    CUR_BUF,
    NEXT_BUF,
    TIMING,
    VDCTRL0,
    VDCTRL1,
    VDCTRL2,
    VDCTRL3,
    VDCTRL4,
    KEPT
};
#define REGISTER_STEP   16
#define REGISTER_BYTES  0x1000
#define VERSION_OFFSET  0x1c0
#define VERSION_4_0     0x04000000u
#define HAS_SET_CLEAR   (1u << CTRL | 1u << CTRL1 | 1u << CTRL2 | 1u << VDCTRL0)
#define MOST_PIXELS     4096 /* a side of the picture: what a guest asks for is allocated here */
#define LEAST_PERIOD_NS SCALE_MS
#define MOST_PERIOD_NS  NANOSECONDS_PER_SECOND

enum { /* of CTRL */
       RUN = 1 << 0,
       DATA_FORMAT_16_BIT = 1 << 3, /* of 16 bits: one of them is not colour */
       WORD_LENGTH_SHIFT = 8,
       DOTCLK_MODE = 1 << 17,
       CLKGATE = 1 << 30,
};
#define SFTRST (1u << 31)
enum { WORD_16 = 0, WORD_24 = 3 };
enum { /* of CTRL1: the four causes of an interrupt from bit 8 on, which of them are enabled from bit 12 on */
       VSYNC_EDGE_IRQ = 1 << 8,
       CUR_FRAME_DONE_IRQ = 1 << 9,
       CAUSE_SHIFT = 8,
       ENABLE_SHIFT = 12,
       CAUSES = 15,
};

struct VitrailDisplay {
    DeviceState parent;
    uint32_t xres, yres; /* properties */

    MemoryRegion registers;
    qemu_irq irq;
    uint64_t pixel_clock; /* Hz */
    QEMUTimer *frame;     /* of the guest's time: the end of the frame that is sent */
    uint32_t words[KEPT];

    QemuConsole *console;
    uint32_t *picture; /* what the console shows; XRGB8888 */
    uint32_t width, height;
};

/* ---- frames ---- */

static bool is_running(const VitrailDisplay *s)
{
    return (s->words[CTRL] & (RUN | DOTCLK_MODE)) == (RUN | DOTCLK_MODE);
}

static void update_line(VitrailDisplay *s)
{
    const uint32_t causes = s->words[CTRL1] >> CAUSE_SHIFT & s->words[CTRL1] >> ENABLE_SHIFT & CAUSES;
    qemu_set_irq(s->irq, causes != 0);
}

/* Starts the next frame; its length is what the guest set, within what a host can do. */
static void begin_frame(VitrailDisplay *s)
{
    const uint64_t clocks = (uint64_t)(s->words[VDCTRL2] & 0x3ffff) * s->words[VDCTRL1];
    const uint64_t period = MIN(clocks, s->pixel_clock) * NANOSECONDS_PER_SECOND / s->pixel_clock;
    timer_mod(s->frame, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) +
                            (int64_t)MIN(MAX(period, LEAST_PERIOD_NS), MOST_PERIOD_NS));
}

static void end_frame(void *opaque)
{
    VitrailDisplay *s = opaque;
    if (!is_running(s))
        return;
    s->words[CUR_BUF] = s->words[NEXT_BUF];
    s->words[CTRL1] |= VSYNC_EDGE_IRQ | CUR_FRAME_DONE_IRQ;
    update_line(s);
    begin_frame(s);
}

/* ---- registers ---- */

static void reset_registers(VitrailDisplay *s)
{
    memset(s->words, 0, sizeof s->words);
    s->words[CTRL] = SFTRST | CLKGATE;
    timer_del(s->frame);
    update_line(s);
}

static uint64_t read_register(void *opaque, hwaddr offset, unsigned size)
{
    VitrailDisplay *s = opaque;
    const uint64_t number = offset / REGISTER_STEP;
    (void)size;
    if (offset == VERSION_OFFSET)
        return VERSION_4_0;
    return number < KEPT ? s->words[number] : 0;
}

static void write_register(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
    VitrailDisplay *s = opaque;
    const uint64_t number = offset / REGISTER_STEP;
    const bool ran = is_running(s);
    const uint32_t bits = (uint32_t)value;
    (void)size;
    if (number >= KEPT)
        return;
    uint32_t *word = &s->words[number];
    switch (HAS_SET_CLEAR >> number & 1 ? offset % REGISTER_STEP / 4 : 0) {
    case 0: *word = bits; break;
    case 1: *word |= bits; break;
    case 2: *word &= ~bits; break;
    default: *word ^= bits; break;
    }
    if (number == CTRL && s->words[CTRL] & SFTRST) {
        reset_registers(s);
        return;
    }
    if (!(s->words[CTRL] & DOTCLK_MODE))
        s->words[CTRL] &= ~(uint32_t)RUN; /* what is left of the frame runs out at once */
    if (!ran && is_running(s))
        begin_frame(s);
    update_line(s);
}

static const MemoryRegionOps register_ops = {
    .read = read_register,
    .write = write_register,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = {.min_access_size = 4, .max_access_size = 4},
};

/* ---- what is seen ---- */

static uint32_t from_565(uint32_t pixel)
{
    const uint32_t red = pixel >> 11, green = pixel >> 5 & 63, blue = pixel & 31;
    return (red << 3 | red >> 2) << 16 | (green << 2 | green >> 4) << 8 | (blue << 3 | blue >> 2);
}

/* The picture out of the guest's memory; false: there is none, or of no format that the driver has. */
static bool take_picture(VitrailDisplay *s)
{
    const size_t pixels = (size_t)s->width * s->height;
    const unsigned length = s->words[CTRL] >> WORD_LENGTH_SHIFT & 3;
    const size_t bytes = pixels * (length == WORD_16 ? 2 : 4);
    if (!is_running(s) || (length != WORD_24 && length != WORD_16) ||
        (length == WORD_16 && s->words[CTRL] & DATA_FORMAT_16_BIT))
        return false;
    MemoryRegionSection at = memory_region_find(get_system_memory(), s->words[CUR_BUF], bytes);
    const bool is_there = at.mr && memory_region_is_ram(at.mr) && int128_get64(at.size) >= bytes;
    if (is_there) {
        const uint8_t *from = (const uint8_t *)memory_region_get_ram_ptr(at.mr) + at.offset_within_region;
        if (length == WORD_24)
            memcpy(s->picture, from, bytes);
        for (size_t i = 0; length == WORD_16 && i < pixels; i++)
            s->picture[i] = from_565(lduw_le_p(from + 2 * i));
    }
    if (at.mr)
        memory_region_unref(at.mr);
    return is_there;
}

/* Makes the console as large as the guest's mode; without one, or with one that is too large, as the panel. */
static void resize(VitrailDisplay *s)
{
    uint32_t width = s->words[TRANSFER_COUNT] & 0xffff, height = s->words[TRANSFER_COUNT] >> 16;
    uint32_t *old = s->picture;
    if (width - 1u >= MOST_PIXELS || height - 1u >= MOST_PIXELS)
        width = s->xres, height = s->yres;
    if (s->picture && s->width == width && s->height == height)
        return;
    s->width = width;
    s->height = height;
    s->picture = g_new0(uint32_t, (size_t)width *height);
    dpy_gfx_replace_surface(s->console, qemu_create_displaysurface_from(
                                            (int)width, (int)height, PIXMAN_x8r8g8b8,
                                            (int)(width * sizeof *s->picture), (uint8_t *)s->picture));
    g_free(old);
}

static void show(void *opaque)
{
    VitrailDisplay *s = opaque;
    resize(s);
    if (!take_picture(s))
        memset(s->picture, 0, (size_t)s->width * s->height * sizeof *s->picture);
    dpy_gfx_update_full(s->console);
}

static const GraphicHwOps console_ops = {.gfx_update = show};

/* ---- the device ---- */

static int restore(void *opaque, int version)
{
    VitrailDisplay *s = opaque;
    (void)version;
    update_line(s);
    return 0;
}

static const VMStateDescription saved_state = {
    .name = TYPE_VITRAIL_DISPLAY,
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = restore,
    .fields =
        (VMStateField[]){
            VMSTATE_UINT32_ARRAY(words, VitrailDisplay, KEPT),
            VMSTATE_TIMER_PTR(frame, VitrailDisplay),
            VMSTATE_END_OF_LIST(),
        },
};

static void reset(void *opaque)
{
    reset_registers(opaque);
}

static void realize(DeviceState *dev, Error **errp)
{
    VitrailDisplay *s = VITRAIL_DISPLAY(dev);
    PlatformBusDevice *bus = bus_find(errp);
    struct nodes_display node = {.register_bytes = REGISTER_BYTES, .width = s->xres, .height = s->yres};
    if (!bus)
        return;
    if (s->xres - 1u >= MOST_PIXELS || s->yres - 1u >= MOST_PIXELS) {
        error_setg(errp, "xres and yres are 1 to %d", MOST_PIXELS);
        return;
    }
    memory_region_init_io(&s->registers, OBJECT(s), &register_ops, s, TYPE_VITRAIL_DISPLAY, REGISTER_BYTES);
    if (!bus_take_interrupt(bus, &s->irq, &node.spi, errp))
        return;
    node.address = bus_add_registers(bus, &s->registers, REGISTER_BYTES, errp);
    if (!node.address)
        return;
    s->pixel_clock = nodes_add_display(MACHINE(qdev_get_machine())->fdt, &node);
    s->frame = timer_new_ns(QEMU_CLOCK_VIRTUAL, end_frame, s);
    s->console = graphic_console_init(dev, 0, &console_ops, s);
    resize(s);
    qemu_register_reset(reset, s);
}

PROPERTIES(properties, DEFINE_PROP_UINT32("xres", VitrailDisplay, xres, 1280),
           DEFINE_PROP_UINT32("yres", VitrailDisplay, yres, 800));

static void class_init(ObjectClass *class, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(class);
    (void)data;
    dc->desc = "display beside an emulated GPU (Vitrail)";
    dc->realize = realize;
    dc->vmsd = &saved_state;
    dc->hotpluggable = false; /* as the GPU */
    set_bit(DEVICE_CATEGORY_DISPLAY, dc->categories);
    device_class_set_props(dc, properties);
}

const TypeInfo display_type = {
    .name = TYPE_VITRAIL_DISPLAY,
    .parent = TYPE_DEVICE,
    .instance_size = sizeof(VitrailDisplay),
    .class_init = class_init,
};
