/* What last wrote a pixel, out of what `explain` found. */
#include <inttypes.h>

#include "tools/explain.h"
#include "tools/report.h"

void report_writer_find(const struct explain_result *result, const struct explain_pixel *pixel,
                        struct report_writer *out)
{
    bool cleared;
    const struct explain_event *event = explain_last_write(pixel, &cleared);
    *out = (struct report_writer){.kind = event ? REPORT_DRAW : cleared ? REPORT_CLEAR : REPORT_NOTHING};
    if (!event)
        return;
    const struct explain_draw *draw = event->draw == UINT32_MAX ? NULL : &result->draws.at[event->draw];
    out->picture = draw ? draw->picture : 0;
    out->draw = draw ? draw->number : 0;
    out->list = draw ? 0 : event->list;
    out->primitive = event->primitive;
    snprintf(out->what, sizeof out->what, "%s", explain_primitive_name(event->kind));
}

void report_writer_text(const struct report_writer *w, uint32_t shown, char text[REPORT_WRITER_MAX])
{
    char during[32] = "";
    if (w->picture && w->picture != shown)
        snprintf(during, sizeof during, " of picture %u", w->picture);
    switch (w->kind) {
    case REPORT_NO_WRITER: *text = 0; break;
    case REPORT_NOTHING: snprintf(text, REPORT_WRITER_MAX, "no draw"); break;
    case REPORT_CLEAR: snprintf(text, REPORT_WRITER_MAX, "the clear%s", during); break;
    case REPORT_DRAW:
        snprintf(text, REPORT_WRITER_MAX, "%s %u%s, %s %" PRIu64, w->draw ? "draw" : "list",
                 w->draw ? w->draw : w->list, during, w->what, w->primitive);
        break;
    }
}
