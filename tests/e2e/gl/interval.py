"""Intervals: every value that a GPU may give for an operation, when all that is known of its rounding is a bound.

A float is (low, high); an int (low, high) of Python's; a bool True, False or None, which is: either. What GLSL leaves
undefined is every number. Bounds are of doubles, whose own rounding is far below any GPU's.
"""
import dataclasses
import math

INF = math.inf
ANY = (-INF, INF)


class Undecided(Exception):
    """What follows depends on rounding: a branch, an index."""


@dataclasses.dataclass(frozen=True)
class Numbers:
    """How one stage of a GPU computes."""

    epsilon: float        # relative error of an operation, with what compilers make of it: a division a product, sums in another order
    least: float          # magnitudes below may be zero
    most: float           # beyond is infinity
    whole: float          # floor and conversions to int hold below
    ints: int             # ints are exact below
    wrap: bool            # beyond, they are in 32 bits; else undefined
    constant: float = 0.0 # relative error of constants
    root: float = INF     # square roots hold up to this operand
    angle: float = 0.0    # relative error of a sine's operand, if it is more than an operation's
    angles: float = INF   # sines hold up to this operand, and are anything beyond
    has_fract: bool = True  # fract is one operation to the compiler, not a sum of x and -floor(x)
    functions: dict = dataclasses.field(default_factory=dict) # (relative, absolute) error by name

    def round(self, low, high, relative=None, absolute=0.0):
        relative = self.epsilon if relative is None else relative
        if low != low or high != high:
            return ANY
        if math.isfinite(low):
            low -= abs(low) * relative + absolute
        if math.isfinite(high):
            high += abs(high) * relative + absolute
        if 0 < low < self.least:
            low = 0.0
        if -self.least < high < 0:
            high = 0.0
        if -self.least < low < 0 and not absolute:
            low = -self.least
        if 0 < high < self.least and not absolute:
            high = self.least
        return (-INF if low < -self.most else low), (INF if high > self.most else high)

    def by_name(self, name, low, high):
        return self.round(low, high, *self.functions.get(name, (self.epsilon, 0.0)))

    # ---- floats ----

    def add(self, a, b):
        # What cancels keeps the error of what it was made of.
        low, high = a[0] + b[0], a[1] + b[1]
        return self.round(low, high, self.epsilon, self.slack(a, b))

    def slack(self, a, b):
        """Of a sum that a compiler may take apart or put together in another order."""
        exact = a[0] == a[1] and b[0] == b[1] and a[0] + b[0] == 0
        return 0.0 if exact else self.half_place(a, b)

    def half_place(self, a, b):
        most = max(abs(a[0]), abs(a[1]), abs(b[0]), abs(b[1]))
        return most * self.epsilon / 2 if math.isfinite(most) else 0.0

    def negate(self, a):
        return -a[1], -a[0]

    def multiply(self, a, b):
        if not all(map(math.isfinite, a + b)):
            return ANY  # 0 times what overflowed is no number
        products = [0.0 if 0.0 in (x, y) else x * y for x in a for y in b]
        return self.round(min(products), max(products))

    def divide(self, a, b, name="/"):
        if b[0] <= 0 <= b[1] or not math.isfinite(b[0] + b[1]):
            return ANY
        # A reciprocal that is denormal is zero.
        if max(abs(b[0]), abs(b[1])) * self.least > 0.5:
            return ANY
        quotients = [x / y for x in a for y in b]
        return self.by_name(name, min(quotients), max(quotients))

    def monotone(self, name, function, a, low=-INF, high=INF):
        """Of a function that grows over its domain; ANY where the operand may be outside."""
        if a[0] < low or a[1] > high:
            return ANY
        try:
            bounds = function(a[0]), function(a[1])
        except (OverflowError, ValueError):
            return ANY
        return self.by_name(name, *bounds)

    def exp2(self, a, name="exp2"):
        def function(x):
            return 2.0 ** x if x < 1024 else INF
        low, high = function(a[0]), function(a[1])
        relative, absolute = self.functions.get(name, (self.epsilon, 0.0))
        most = max(abs(a[0]), abs(a[1]))
        # The operand's own last place, where it comes out of a product.
        return ANY if not math.isfinite(most) else self.round(low, high, relative + most * self.epsilon, absolute)

    def log2(self, a):
        if a[0] < self.least or not math.isfinite(a[1]):
            return ANY
        return self.by_name("log2", math.log2(a[0]), math.log2(a[1]))

    def wave(self, name, a):
        """sin or cos; the operand is brought near zero by a product, whose rounding grows with it."""
        shift = math.pi / 2 if name == "cos" else 0.0
        if not math.isfinite(a[0]) or not math.isfinite(a[1]):
            return ANY
        most = max(abs(a[0]), abs(a[1]))
        if most >= min(self.whole, self.angles):
            return ANY
        error = most * max(self.epsilon, self.angle)
        low, high = a[0] + shift - error, a[1] + shift + error
        if high - low >= 2 * math.pi:
            return self.by_name(name, -1.0, 1.0)
        ends = [math.sin(low), math.sin(high)]
        top = math.floor((high - math.pi / 2) / (2 * math.pi)) > math.floor((low - math.pi / 2) / (2 * math.pi))
        bottom = math.floor((high + math.pi / 2) / (2 * math.pi)) > math.floor((low + math.pi / 2) / (2 * math.pi))
        return self.by_name(name, -1.0 if bottom else min(ends), 1.0 if top else max(ends))

    def atan2(self, y, x):
        if not all(map(math.isfinite, y + x)):
            return ANY
        near = self.least * 4
        if y[0] <= near and y[1] >= -near and x[0] <= near:
            # Around zero undefined; across the negative axis either end.
            return self.by_name("atan", -math.pi, math.pi) if x[1] < -near else ANY
        if max(map(abs, x + y)) * self.least > 0.5:
            return ANY  # by way of a reciprocal that is denormal, so zero
        corners = [math.atan2(p, q) for p in y for q in x]
        return self.by_name("atan", min(corners), max(corners))

    def floor(self, a, function=math.floor):
        if not (abs(a[0]) < self.whole and abs(a[1]) < self.whole):
            return ANY
        return float(function(a[0])), float(function(a[1]))

    def fract(self, a):
        low, high = self.floor(a)
        if low != high:
            return (0.0, 1.0) if math.isfinite(low) else ANY
        whole = (-low, -low)
        if self.has_fract:
            return self.add(a, whole)
        # Of a whole number too something may remain: the compiler may add the next part of a sum before it takes this one away.
        return self.round(a[0] - low, a[1] - low, self.epsilon, self.half_place(a, whole))

    # ---- ints ----

    def to_int(self, a):
        """Toward zero."""
        if not (abs(a[0]) < self.whole and abs(a[1]) < self.whole):
            return None
        return self.int_range(math.trunc(a[0]), math.trunc(a[1]))

    def int_range(self, low, high):
        """The ints from low to high as this stage has them; None: undefined."""
        if -self.ints <= low and high < self.ints:
            return low, high
        if not self.wrap or low != high:
            return None
        wrapped = (low + 2 ** 31) % 2 ** 32 - 2 ** 31
        return wrapped, wrapped

    def to_float(self, i):
        return ANY if i is None else self.round(float(i[0]), float(i[1]), 0.0 if max(map(abs, i)) <= 2048 else self.epsilon)
