/* Readers by their descriptors. */
#include <sys/stat.h>
#include <unistd.h>

#include "drm/input/internal.h"
#include "util/files.h"

struct drm_input_reader *drm_input_reader_of(struct drm_input *input, int fd)
{
    struct stat st;
    if (util_fstat(fd, &st) || !S_ISFIFO(st.st_mode))
        return NULL;
    for (struct drm_input_reader *r = input->readers; r < input->readers + INPUT_READERS; r++)
        if (r->pipe >= 0 && r->on == st.st_dev && r->inode == st.st_ino)
            return r;
    return NULL;
}

void drm_input_reader_close(struct drm_input *input, struct drm_input_reader *reader)
{
    struct drm_input_state *state = &input->state[reader->device];
    if (state->grabbed == reader)
        state->grabbed = NULL;
    close(reader->pipe);
    reader->pipe = -1;
}
