/* What the files that make a tree share (drm_tree_create). Not for users. Paths are relative to `root`, a folder's
 * descriptor; 0 or -errno. */
#ifndef VITRAIL_DRM_LAUNCH_TREE_H
#define VITRAIL_DRM_LAUNCH_TREE_H

int drm_tree_folders(int root, const char *path); /* all that lead to it, and it */
int drm_tree_file(int root, const char *path, const char *text);
int drm_tree_link(int root, const char *path, const char *target);

/* The event devices: /dev/input and what leads to it. */
int drm_tree_input(int root);

#endif
