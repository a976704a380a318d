"""Draws scenes on both sides and judges them."""
from gl import compare, gpus, play
from gl.compare import DIFFERENT, SAME, UNDECIDED, Verdict


class Court:
    def __init__(self, gpu, folder, vitrail, sysroot, options=(), against=None):
        """`against`: a software driver that draws in the GPU's place."""
        self.gpu = gpu
        self.emulated = play.software(folder, against, gpu.version) if against else play.emulated(folder, gpu, vitrail, sysroot, options)
        self.llvmpipe = play.software(folder, "llvmpipe", gpu.version)
        self.softpipe = play.software(folder, "softpipe", gpu.version)
        self.against = against

    def stop(self):
        for side in (self.emulated, self.llvmpipe, self.softpipe):
            side.stop()

    def lint(self, scene):
        """What `vitrail lint` tells of the driver's programs for a scene: '' of a software driver."""
        return "" if self.against else self.emulated.lint(scene)

    def judge(self, scenes):
        """A Verdict by name, and the GPU's log. A scene is (name, lines)."""
        verdicts, open_scenes = {}, []
        got, log = self.emulated.play(scenes)
        reference, _ = self.llvmpipe.play(scenes)
        for name, lines in scenes:
            verdict = compare.mismatch(reference[name], got[name])
            if verdict:
                verdicts[name] = verdict
            elif got[name].pictures == reference[name].pictures and not compare.expectations(lines):
                verdicts[name] = Verdict(SAME)
            elif compare.comparison(lines)[0] == "values":
                verdicts[name] = compare.compare_values(lines, reference[name], got[name], self.gpu, gpus.LLVMPIPE)
            else:
                open_scenes.append((name, lines))
        verdicts.update(self.judge_pictures(open_scenes, reference, got))
        return verdicts, log

    def judge_pictures(self, scenes, reference, got):
        verdicts, references = {}, {name: [reference[name]] for name, _ in scenes}
        # With every vertex where the GPU may have it; nearest first, as few are far off.
        ladder = [(x * step, y * step) for step in (self.gpu.snap / 4, self.gpu.snap / 2, self.gpu.snap) for x in (-1, 1) for y in (-1, 1)]
        for jitter in [None] + ladder:
            if jitter:
                moved, _ = self.llvmpipe.play(scenes, jitter)
                for name in moved:
                    references[name].append(moved[name])
            left = []
            for name, lines in scenes:
                verdicts[name] = compare.compare_pictures(lines, references[name], got[name])
                if verdicts[name].kind == DIFFERENT:
                    left.append((name, lines))
            scenes = left
            if not scenes:
                return verdicts
        if self.against == "softpipe":
            return verdicts
        doubt, _ = self.softpipe.play(scenes)
        for name, lines in scenes:
            if doubt[name].error:
                continue
            if compare.compare_pictures(lines, references[name] + [doubt[name]], got[name]).kind == SAME:
                verdicts[name] = Verdict(UNDECIDED, "softpipe and llvmpipe differ too: " + verdicts[name].text)
        return verdicts
