/* The plot of a sweep: cycles over one parameter, a line for each value of another. */
#ifndef VITRAIL_TOOLS_LIBRESOC_PLOT_H
#define VITRAIL_TOOLS_LIBRESOC_PLOT_H

#include "tools/libresoc_cycles.h"

struct tool_libresoc_axis {
    const struct libresoc_parameter *parameter;
    uint32_t value[256];
    uint32_t count;
};
struct tool_libresoc_point {
    uint32_t value[2]; /* by axis */
    struct libresoc_totals totals;
};

/* One axis or two; `point` by the first, then the second. 0 and *image, the caller's; -ENOMEM. */
int tool_libresoc_plot(const struct tool_libresoc_axis *axis, unsigned axes,
                       const struct tool_libresoc_point *point, const char *title, struct util_image *image);

#endif
