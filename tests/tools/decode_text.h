/* What `vitrail decode` prints of a capture, as a text, and what stands in it. */
#ifndef TESTS_DECODE_TEXT_H
#define TESTS_DECODE_TEXT_H
/* cmocka's header stands before this one. */
#include <stdio.h>
#include <string.h>

#include "tools/decode.h"
#include "tools/tool.h"

/* malloc'ed; the test fails when there is none. */
static inline char *listing_of(const struct decode_options *options)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(decode_capture(options, out), TOOL_OK);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* All of these lines, the last of which is NULL, stand in the listing, one after the other. */
static inline void listing_has(const char *text, const char *const *lines)
{
    for (; *lines; lines++) {
        const char *found = strstr(text, *lines);
        if (!found)
            fail_msg("not there, or not behind the one before: %s", *lines);
        text = found + strlen(*lines);
    }
}

static inline unsigned listing_count(const char *text, const char *what)
{
    unsigned n = 0;
    while ((text = strstr(text, what))) {
        n++;
        text += strlen(what);
    }
    return n;
}
#endif
