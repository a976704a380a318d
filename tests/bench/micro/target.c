#include "micro.h"

#include <stdio.h>
#include <stdlib.h>

/* ES3 names, of multisampling only. */
#define READ_FRAMEBUFFER 0x8CA8
#define DRAW_FRAMEBUFFER 0x8CA9
#define RGBA8            0x8058
#define MAX_SAMPLES      0x8D57

enum { SAMPLES = 4 };

static GLuint framebuffers[3]; /* by enum micro_target; 0: not there */

void micro_targets_create(void)
{
    GLuint colour, depth;

    gl.GenTextures(1, &colour);
    gl.BindTexture(GL_TEXTURE_2D, colour);
    gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, micro.width, micro.height, 0, GL_RGBA,
                  micro.halves ? GL_HALF_FLOAT_OES : GL_UNSIGNED_BYTE, NULL);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    gl.GenRenderbuffers(1, &depth);
    gl.BindRenderbuffer(GL_RENDERBUFFER, depth);
    gl.RenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT16, micro.width, micro.height);
    gl.GenFramebuffers(1, &framebuffers[TARGET_COLOUR]);
    gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffers[TARGET_COLOUR]);
    gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour, 0);
    gl.GenFramebuffers(1, &framebuffers[TARGET_COLOUR_DEPTH]);
    gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffers[TARGET_COLOUR_DEPTH]);
    gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour, 0);
    gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
    if (gl.CheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        micro_die("framebuffer incomplete");
    gl.BindTexture(GL_TEXTURE_2D, 0);
    micro_check("framebuffers");
}

bool micro_multisample(void)
{
    PFNGLRENDERBUFFERSTORAGEMULTISAMPLEEXTPROC storage =
        (PFNGLRENDERBUFFERSTORAGEMULTISAMPLEEXTPROC)egl.GetProcAddress("glRenderbufferStorageMultisample");
    GLint most = 0;
    GLuint colour, depth;

    if (framebuffers[TARGET_MULTISAMPLE])
        return true;
    if (micro.es_version < 3 || !storage)
        return false;
    gl.GetIntegerv(MAX_SAMPLES, &most);
    if (most < SAMPLES) {
        fprintf(stderr, "max samples %d\n", most);
        return false;
    }
    gl.GenRenderbuffers(1, &colour);
    gl.BindRenderbuffer(GL_RENDERBUFFER, colour);
    storage(GL_RENDERBUFFER, SAMPLES, RGBA8, micro.width, micro.height);
    gl.GenRenderbuffers(1, &depth);
    gl.BindRenderbuffer(GL_RENDERBUFFER, depth);
    storage(GL_RENDERBUFFER, SAMPLES, GL_DEPTH_COMPONENT16, micro.width, micro.height);
    gl.GenFramebuffers(1, &framebuffers[TARGET_MULTISAMPLE]);
    gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffers[TARGET_MULTISAMPLE]);
    gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour);
    gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
    bool complete = gl.CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    micro_check("multisampled framebuffer");
    return complete;
}

void micro_multisample_resolve(void)
{
    PFNGLBLITFRAMEBUFFERNVPROC blit = (PFNGLBLITFRAMEBUFFERNVPROC)egl.GetProcAddress("glBlitFramebuffer");

    gl.BindFramebuffer(READ_FRAMEBUFFER, framebuffers[TARGET_MULTISAMPLE]);
    gl.BindFramebuffer(DRAW_FRAMEBUFFER, framebuffers[TARGET_COLOUR]);
    blit(0, 0, micro.width, micro.height, 0, 0, micro.width, micro.height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffers[TARGET_MULTISAMPLE]);
}

void micro_begin(enum micro_target target)
{
    gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffers[target]);
    gl.Viewport(0, 0, micro.width, micro.height);
    gl.ClearColor(0.1f, 0.2f, 0.3f, 1);
    gl.Clear(GL_COLOR_BUFFER_BIT | (target == TARGET_COLOUR ? 0 : GL_DEPTH_BUFFER_BIT));
}

uint8_t *micro_read_pixels(void)
{
    uint8_t *pixels = malloc((size_t)micro.width * micro.height * 4);

    if (!pixels)
        micro_die("out of memory");
    gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffers[TARGET_COLOUR]);
    gl.PixelStorei(GL_PACK_ALIGNMENT, 1);
    gl.ReadPixels(0, 0, micro.width, micro.height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    return pixels;
}
