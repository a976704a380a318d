"""Differences that have a reason: the lines of known.txt."""
import re
import sys


class Known:
    def __init__(self, path):
        self.rows = []
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            fields = line.split("\t")
            if len(fields) != 3 or not all(f.strip() for f in fields):
                sys.exit(f"{path}:{number}: a line has 3 fields with tabs between them")
            try:
                self.rows.append((re.compile(fields[0]), re.compile(fields[1], re.DOTALL), fields[2]))
            except re.error as error:
                sys.exit(f"{path}:{number}: {error}")

    def reason(self, gpu, lines, verdict, log):
        """Of a reduced scene that differs, or None. `log`: what the emulated GPU reported of it, and the linter of the driver's programs."""
        text = "\n".join(lines) + "\n" + verdict.text + "\n" + log
        for name, pattern, reason in self.rows:
            if name.fullmatch(gpu) and pattern.search(text):
                return reason
        return None
