/* A capture written again with changes to its pages and register writes, for tests of those who read them. */
#ifndef VITRAIL_TESTS_GPU_CHANGED_CAPTURE_H
#define VITRAIL_TESTS_GPU_CHANGED_CAPTURE_H

#include <string.h>
#include <unistd.h>

#include "gpu/capture.h"

struct changes {
    void *data;
    void (*page)(void *data, uint8_t page[GPU_PAGE]);
    void (*write)(void *data, uint32_t *offset, uint32_t *value);
};

static inline void changed_event(struct capture_writer *writer, struct gpu_memory *memory,
                                 const struct changes *changes, struct capture_event *event)
{
    if (event->type == CAPTURE_EVENT_REGISTER || event->type == CAPTURE_EVENT_IRQ_REPLY) {
        changes->write(changes->data, &event->reg.offset, &event->reg.value);
        assert_int_equal(capture_write_register(writer, event->reg.offset, event->reg.value,
                                                event->type == CAPTURE_EVENT_IRQ_REPLY),
                         0);
    }
    for (uint32_t n = 0; event->type == CAPTURE_EVENT_PAGES && n < event->pages.count; n++) {
        uint64_t address = event->pages.pages[n].address;
        uint8_t *to = gpu_memory_at(memory, address, GPU_PAGE);
        assert_non_null(to);
        memcpy(to, event->pages.pages[n].bytes, GPU_PAGE);
        changes->page(changes->data, to);
        assert_int_equal(capture_write_range(writer, memory, address, GPU_PAGE), 0);
    }
}

static inline void write_changed(const char *from, const char *path, const struct changes *changes)
{
    struct util_error error = {0};
    struct capture_reader *reader;
    struct capture_writer *writer;
    struct capture_event event;
    struct capture_info info;
    struct gpu_memory memory;
    assert_int_equal(capture_reader_open(from, &reader, &error), 0);
    capture_reader_info(reader, &info);
    assert_int_equal(gpu_memory_create(info.memory_size, &memory), 0);
    assert_int_equal(capture_writer_create(path, info.gpu, "changed", info.memory_size, &writer, &error), 0);
    while (!capture_read(reader, &event, &error) && event.type != CAPTURE_EVENT_END)
        changed_event(writer, &memory, changes, &event);
    assert_int_equal(capture_writer_close(writer), 0);
    capture_reader_close(reader);
    gpu_memory_destroy(&memory);
}

/* An empty file to write to. */
static inline void changed_path(char path[32])
{
    strcpy(path, "/tmp/vitrail-changed-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
}

#endif
