/* Fences as descriptors, and what is asked of dma-bufs about theirs. */
#define _GNU_SOURCE
#include "drm/client/client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>

#include <linux/dma-buf.h>
#include <linux/sync_file.h>

#define PATIENCE 10000 /* ms: jobs end, so a fence of theirs is not waited for in vain */

/* Signalled, as the server's are (drm/queue.c): a pipe with something in it, and nobody who writes. */
int fence_new(void)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return -1;
    ssize_t written = write(ends[1], "", 1);
    (void)written; /* the end alone is enough for poll */
    NEXT(close)(ends[1]);
    client_register(ends[0], CLIENT_SYNC_FILE);
    return ends[0];
}

void fence_wait(int fd)
{
    struct pollfd fence = {fd, POLLIN, 0};
    while (poll(&fence, 1, PATIENCE) < 0 && errno == EINTR)
        ;
}

int fence_dmabuf_ioctl(unsigned long request, void *argument)
{
    if (_IOC_TYPE(request) != _IOC_TYPE(DMA_BUF_IOCTL_SYNC))
        return -ENOTTY;
#ifdef DMA_BUF_IOCTL_EXPORT_SYNC_FILE
    if (request == DMA_BUF_IOCTL_EXPORT_SYNC_FILE) {
        client_lock();
        ((struct dma_buf_export_sync_file *)argument)->fd = fence_new();
        client_unlock();
    }
#endif
    return 0; /* caches are coherent; jobs with exported buffers end inside their submit */
}

static bool is_signalled(int fd)
{
    struct pollfd fence = {fd, POLLIN, 0};
    return poll(&fence, 1, 0) == 1;
}

/* A fence for both: the one that is left when the other is signalled. */
static int merge(int fd, struct sync_merge_data *data)
{
    if (NEXT(fcntl)(data->fd2, F_GETFD) < 0)
        return -ENOENT;
    bool first = is_signalled(fd);
    if (!first && !is_signalled(data->fd2))
        fence_wait(data->fd2);
    int merged = NEXT(fcntl)(first ? data->fd2 : fd, F_DUPFD_CLOEXEC, 0);
    if (merged < 0)
        return -errno;
    client_lock();
    client_register(merged, CLIENT_SYNC_FILE);
    client_unlock();
    data->fence = merged;
    return 0;
}

int fence_ioctl(int fd, unsigned long request, void *argument)
{
    if (request == SYNC_IOC_MERGE)
        return merge(fd, argument);
    if (request == SYNC_IOC_FILE_INFO) {
        struct sync_file_info *info = argument;
        memset(info->name, 0, sizeof info->name);
        memcpy(info->name, "vitrail", 8);
        info->status = is_signalled(fd);
        info->num_fences = 0;
        return 0;
    }
    return -ENOTTY;
}
