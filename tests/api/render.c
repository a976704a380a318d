/* Draws a picture of a capture through the GPU's registers alone, as a kernel driver would: memory is
 * written, registers are written, interrupts are answered. An example of include/vitrail.h, and a test of it.
 *
 *     render CAPTURE N OUT.png [GOLDEN.png]
 *
 * writes picture N (from 1; of those shown on a display, when there are any) and compares it with the golden:
 * exit status 0 when it is the same, 1 when not, 2 for anything else. */
#include <png.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vitrail.h>

static void die(const char *what)
{
    fprintf(stderr, "render: %s: %s\n", what, vitrail_last_error());
    exit(2);
}

struct host {
    struct vitrail_context *gpu;
    struct vitrail_capture *capture;
    struct vitrail_event event; /* the next one to be dealt with */
};

static void next(struct host *host)
{
    host->event.size = sizeof host->event;
    if (vitrail_capture_next(host->capture, &host->event) < 0)
        die("reading");
}

/* The driver's answers to an interrupt were recorded behind the write that raised it. The callback comes while this
 * program waits, so that the capture is its own. */
static void on_interrupt(void *data, uint32_t line, int level)
{
    struct host *host = data;
    struct vitrail_status status = {.size = sizeof status, .lines = (uint32_t)level << line};
    while (status.lines && host->event.type == VITRAIL_EVENT_IRQ_REPLY) {
        uint32_t offset = host->event.offset, value = host->event.value;
        next(host);
        vitrail_write_register(host->gpu, offset, value);
        if (vitrail_get_status(host->gpu, &status) < 0)
            die("status");
    }
}

/* Whether any frame was shown on a display; the capture is at its start afterwards. */
static int has_presented(struct vitrail_capture *capture)
{
    struct vitrail_event event = {.size = sizeof event};
    struct vitrail_frame frame = {.size = sizeof frame};
    int found = 0;
    while (!found && !vitrail_capture_next(capture, &event) && event.type != VITRAIL_EVENT_END)
        found =
            event.type == VITRAIL_EVENT_FRAME && !vitrail_capture_frame(capture, &frame) && frame.presented;
    vitrail_capture_rewind(capture);
    return found;
}

/* Goes on to the next frame mark; 0 at the end. */
static int draw(struct host *host, struct vitrail_frame *frame)
{
    for (;;) {
        struct vitrail_event now = host->event;
        switch (now.type) {
        case VITRAIL_EVENT_END: return 0;
        case VITRAIL_EVENT_MEMORY:
            if (vitrail_memory_write(host->gpu, now.address, now.bytes, now.count) < 0)
                die("memory");
            next(host);
            break;
        case VITRAIL_EVENT_FRAME:
            if (vitrail_capture_frame(host->capture, frame) < 0)
                die("frame");
            next(host);
            return 1;
        default: /* the answers to this write must be at hand when the interrupt comes */
            next(host);
            if (vitrail_write_register(host->gpu, now.offset, now.value) < 0 || vitrail_wait(host->gpu) < 0)
                die("register");
        }
    }
}

static uint8_t *read_picture(struct host *host, const struct vitrail_frame *frame)
{
    size_t stride = (size_t)frame->width * 4, size = stride * frame->height;
    uint8_t *pixels = malloc(size);
    if (!pixels || vitrail_read_frame(host->gpu, frame, VITRAIL_READ_RGBA8, pixels, stride, size) < 0)
        die("picture");
    return pixels;
}

static void write_png(const char *path, const struct vitrail_frame *frame, const uint8_t *pixels)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = frame->width,
                       .height = frame->height,
                       .format = PNG_FORMAT_RGBA};
    if (!png_image_write_to_file(&image, path, 0, pixels, 0, NULL)) {
        fprintf(stderr, "render: %s: %s\n", path, image.message);
        exit(2);
    }
}

/* Whether red, green and blue are those of the golden everywhere. */
static int same(const char *path, const struct vitrail_frame *frame, const uint8_t *pixels)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&image, path)) {
        fprintf(stderr, "render: %s: %s\n", path, image.message);
        exit(2);
    }
    image.format = PNG_FORMAT_RGBA;
    uint8_t *golden = malloc(PNG_IMAGE_SIZE(image));
    if (!golden || !png_image_finish_read(&image, NULL, golden, 0, NULL))
        exit(2);
    size_t count = (size_t)frame->width * frame->height, differing = 0;
    if (image.width != frame->width || image.height != frame->height)
        differing = count;
    for (size_t i = 0; differing < count && i < count; i++)
        differing += memcmp(golden + i * 4, pixels + i * 4, 3) != 0;
    free(golden);
    printf("%ux%u, %zu of %zu pixels differ\n", frame->width, frame->height, differing, count);
    return !differing;
}

int main(int argc, char **argv)
{
    struct host host = {0};
    struct vitrail_capture_info info = {.size = sizeof info};
    struct vitrail_frame frame = {.size = sizeof frame};
    struct vitrail_config config;
    if (argc < 4 || argc > 5) {
        fprintf(stderr, "Usage: render CAPTURE N OUT.png [GOLDEN.png]\n");
        return 2;
    }
    if (vitrail_capture_open(argv[1], &host.capture) < 0 || vitrail_capture_get_info(host.capture, &info) < 0)
        die(argv[1]);
    vitrail_config_init(&config, sizeof config);
    config.gpu = info.gpu;
    config.memory_size = info.memory_size;
    if (vitrail_open(&config, &host.gpu) < 0)
        die("opening");
    vitrail_set_irq(host.gpu, on_interrupt, &host);

    int presented = has_presented(host.capture);
    long wanted = atol(argv[2]), met = 0;
    next(&host);
    while (met < wanted && draw(&host, &frame))
        met += !presented || frame.presented;
    if (met < wanted || !met) {
        fprintf(stderr, "render: there are only %ld pictures\n", met);
        return 2;
    }
    uint8_t *pixels = read_picture(&host, &frame);
    write_png(argv[3], &frame, pixels);
    int status = argc == 5 && !same(argv[4], &frame, pixels);

    struct vitrail_fault fault = {.size = sizeof fault};
    while (vitrail_next_fault(host.gpu, &fault) == 1) {
        char text[512];
        vitrail_fault_text(&fault, text, sizeof text);
        fprintf(stderr, "guest fault: %s\n", text);
        status = 1;
    }
    free(pixels);
    vitrail_close(&host.gpu);
    vitrail_capture_close(&host.capture);
    return status;
}
