/* What a run and its window say to each other, over a socket of packets; pictures lie in memory that both have. The one
 * side is behind a sandbox that a guest may have broken: the other takes nothing that it says for granted. */
#ifndef VITRAIL_TOOLS_WINDOW_MESSAGE_H
#define VITRAIL_TOOLS_WINDOW_MESSAGE_H

#include "drm/input/input.h"

#define WINDOW_SIDE   4096u                                     /* of the largest picture, in pixels */
#define WINDOW_BYTES  ((uint64_t)WINDOW_SIDE * WINDOW_SIDE * 4) /* of the memory: sparse, and never smaller */
#define WINDOW_EVENTS 2u

enum window_what {
    WINDOW_PICTURE = 1, /* to the window: a picture of a x b pixels, red first, without gaps between rows */
    WINDOW_TAKEN,       /* from it: there may be another */
    WINDOW_INPUT,       /* from it: b events of device a (enum drm_input_number) */
};

struct window_message {
    uint32_t what, a, b;
    struct drm_input_event events[WINDOW_EVENTS];
};

#endif
