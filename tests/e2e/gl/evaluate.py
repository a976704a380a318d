"""What a GLSL function may return: a tree of glsl.py, run over the intervals of interval.py.

Written from the GLSL ES 1.00 specification alone, so that it judges llvmpipe as it judges the emulated GPU. A value is
(type, components): of a matrix column after column, of an array its elements, themselves values.
"""
import math

from gl.interval import ANY, INF, Undecided

SHAPE = {"float": ("float", 1), "int": ("int", 1), "bool": ("bool", 1)}
for _n in (2, 3, 4):
    SHAPE.update({f"vec{_n}": ("float", _n), f"ivec{_n}": ("int", _n), f"bvec{_n}": ("bool", _n), f"mat{_n}": ("float", _n * _n)})
PREFIX = {"float": "vec", "int": "ivec", "bool": "bvec"}
LETTERS = {letter: i for letters in ("xyzw", "rgba", "stpq") for i, letter in enumerate(letters)}


def typed(base, items):
    return (base if len(items) == 1 else f"{PREFIX[base]}{len(items)}", items)


def is_matrix(kind):
    return kind.startswith("mat")


class Break(Exception):
    pass


class Continue(Exception):
    pass


class Discard(Exception):
    pass


class Return(Exception):
    pass


def root(node):
    """The name of the variable that a place is in."""
    return node[1] if node[0] == "name" else root(node[1])


def leaves(node):
    """Whether a statement may end what it stands in."""
    if not isinstance(node, list) or not node:
        return False
    return node[0] in ("return", "discard", "break", "continue") and len(node) <= 2 or node[0] != "for" and any(leaves(part) for part in node) or \
        node[0] == "for" and any(ends(part) for part in node)


def ends(node):
    return isinstance(node, list) and bool(node) and (node[0] in ("return", "discard") or any(ends(part) for part in node))


class Evaluator:
    """Of one shader: its globals have the values of `given`, by name."""

    def __init__(self, unit, numbers, given):
        self.variables, self.functions = unit
        self.n = numbers
        self.steps = 0
        self.scopes = [dict(given)]
        for node in self.variables:
            if node[2] not in given:
                self.declare(node)

    def call(self, name, arguments=()):
        kind, parameters, body = self.functions[name]
        values = {}
        for (_, of, parameter), value in zip(parameters, arguments):
            values[parameter] = self.convert(of, value)
        saved, self.scopes = self.scopes, [self.scopes[0], values]
        result = None
        try:
            self.run(body)
        except Return as returned:
            result = returned.args[0]
        finally:
            self.scopes = saved
        if result is None and kind in SHAPE: # it ran off its end: GLSL ES 1.00, 6.1
            result = self.undefined(kind)
        return result, values

    def convert(self, kind, value):
        if value[0] != kind:
            raise Undecided(f"{value[0]} where {kind} is needed")
        return (value[0], list(value[1]))

    # ---- statements ----

    def declare(self, node):
        _, kind, name, size, value = node
        if size is not None:
            count = self.exact_int(self.value(size))
            self.scopes[-1][name] = (kind + "[]", [self.undefined(kind) for _ in range(count)])
        else:
            self.scopes[-1][name] = self.convert(kind, self.value(value)) if value else self.undefined(kind)

    def undefined(self, kind):
        base, count = SHAPE[kind]
        return kind, [{"float": ANY, "int": None, "bool": None}[base]] * count

    def run(self, node):
        """A statement. When it cannot be followed, whatever it may write is undefined from there on."""
        self.steps += 1
        if self.steps > 20000:
            raise Undecided("too long")
        scopes = len(self.scopes)
        saved = self.scopes
        try:
            self.follow(node)
        except Undecided:
            if node[0] == "block" or leaves(node):
                raise
            self.scopes = saved[:scopes]
            for name in self.written(node):
                if node[0] == "declare" and name == node[2] and node[3] is None:
                    self.scopes[-1][name] = self.undefined(node[1])
                    continue
                scope = self.find(name)
                scope[name] = self.lost(scope[name])

    def lost(self, value):
        kind, items = value
        return (kind, [self.lost(item) for item in items]) if kind.endswith("[]") else self.undefined(kind)

    def written(self, node):
        """Names of what a statement's text may write outside itself."""
        found, inside = set(), set()
        def walk(n):
            if not isinstance(n, list) or not n:
                return
            if n[0] == "declare" and n is not node:
                inside.add(n[2])
            if n[0] == "declare" and n is node:
                found.add(n[2])
            if n[0] in ("assign", "post") or n[0] == "unary" and n[1] in ("++", "--"):
                found.add(root(n[2]))
            if n[0] == "call" and n[1] in self.functions:
                found.update(root(a) for (qualifier, _, _), a in zip(self.functions[n[1]][1], n[2]) if qualifier != "in")
            for part in n:
                walk(part)
        walk(node)
        return found - inside

    def follow(self, node):
        kind = node[0]
        if kind == "declare":
            self.declare(node)
        elif kind == "expression":
            self.value(node[1])
        elif kind == "block":
            self.scopes.append({})
            try:
                for inside in node[1]:
                    self.run(inside)
            finally:
                self.scopes.pop()
        elif kind == "if":
            if self.decided(node[1]):
                self.run(node[2])
            elif node[3]:
                self.run(node[3])
        elif kind == "for":
            self.loop(node)
        elif kind == "return":
            raise Return(self.value(node[1]) if node[1] else None)
        else:
            raise {"break": Break, "continue": Continue, "discard": Discard}[kind]()

    def loop(self, node):
        _, first, condition, step, body = node
        self.scopes.append({})
        try:
            self.run(first)
            while self.decided(condition):
                try:
                    self.run(body)
                except Continue:
                    pass
                except Break:
                    break
                self.value(step)
        finally:
            self.scopes.pop()

    def decided(self, node):
        truth = self.value(node)[1][0]
        if truth is None:
            raise Undecided("a branch")
        return truth

    def exact_int(self, value):
        i = value[1][0]
        if i is None or i[0] != i[1]:
            raise Undecided("an index")
        return i[0]

    # ---- places ----

    def find(self, name):
        for scope in reversed(self.scopes):
            if name in scope:
                return scope
        raise Undecided(f"no variable {name}")

    def store(self, node, value):
        """Writes to a name, or to an element, column or components of what stands there."""
        if node[0] == "name":
            scope = self.find(node[1])
            scope[node[1]] = self.convert(scope[node[1]][0], value)
            return
        kind, items = self.value(node[1])
        items = list(items)
        if node[0] == "field":
            for place, item in zip(self.places(node[2]), value[1]):
                items[place] = item
        else:
            i = self.exact_int(self.value(node[2]))
            width = SHAPE[kind][1] if not kind.endswith("[]") else 1
            column = int(math.sqrt(width)) if is_matrix(kind) else 1
            if not 0 <= i * column < len(items):
                raise Undecided("an index outside")
            items[i * column:(i + 1) * column] = [value] if kind.endswith("[]") else value[1]
        self.store(node[1], (kind, items))

    def places(self, letters):
        return [LETTERS[letter] for letter in letters]

    # ---- expressions ----

    def value(self, node):
        return getattr(self, "of_" + node[0])(node)

    def of_number(self, node):
        text = node[1]
        if text in ("true", "false"):
            return "bool", [text == "true"]
        if any(c in text for c in ".eE") and not text.startswith("0x"):
            import struct
            number = struct.unpack("f", struct.pack("f", min(float(text), 3.4028234e38)))[0]
            return "float", [self.n.round(number, number, self.n.constant)]
        return "int", [self.n.int_range(int(text, 0), int(text, 0))]

    def of_name(self, node):
        return self.find(node[1])[node[1]]

    def of_field(self, node):
        kind, items = self.value(node[1])
        return typed(SHAPE[kind][0], [items[i] for i in self.places(node[2])])

    def of_index(self, node):
        kind, items = self.value(node[1])
        i = self.exact_int(self.value(node[2]))
        if kind.endswith("[]"):
            if not 0 <= i < len(items):
                raise Undecided("an index outside")
            return items[i]
        width = int(math.sqrt(len(items))) if is_matrix(kind) else 1
        if not 0 <= i * width < len(items):
            raise Undecided("an index outside")
        return typed(SHAPE[kind][0], items[i * width:(i + 1) * width])

    def of_unary(self, node):
        kind, items = value = self.value(node[2])
        op = node[1]
        if op in ("++", "--"):
            result = self.binary(op[0], value, self.one(kind))
            self.store(node[2], result)
            return result
        if op == "+":
            return value
        if op == "!":
            return kind, [None if items[0] is None else not items[0]]
        return kind, [self.negate(SHAPE[kind][0], item) for item in items]

    def negate(self, base, item):
        if base == "float":
            return self.n.negate(item)
        return None if item is None else self.n.int_range(-item[1], -item[0])

    def of_post(self, node):
        value = self.value(node[2])
        self.store(node[2], self.binary(node[1][0], value, self.one(value[0])))
        return value

    def one(self, kind):
        return ("float", [(1.0, 1.0)]) if SHAPE[kind][0] == "float" else ("int", [(1, 1)])

    def of_assign(self, node):
        value = self.value(node[3])
        if node[1] != "=":
            value = self.binary(node[1][0], self.value(node[2]), value)
        self.store(node[2], value)
        return value

    def of_choice(self, node):
        truth = self.value(node[1])[1][0]
        if truth is not None:
            return self.value(node[2] if truth else node[3])
        yes, no = self.value(node[2]), self.value(node[3])
        return self.either(yes, no)

    def either(self, a, b):
        base = SHAPE[a[0]][0]
        if base == "bool":
            return a[0], [x if x == y else None for x, y in zip(a[1], b[1])]
        return a[0], [None if x is None or y is None else (min(x[0], y[0]), max(x[1], y[1])) for x, y in zip(a[1], b[1])]

    def of_binary(self, node):
        op = node[1]
        if op in ("&&", "||"):
            # The right side has no effect when the left one decides.
            a = self.value(node[2])[1][0]
            if a is (op == "||"):
                return "bool", [a]
            b = self.value(node[3])[1][0]
            return "bool", [b if b is (op == "||") or a is not None else None]
        return self.binary(op, self.value(node[2]), self.value(node[3]))

    def binary(self, op, a, b):
        if op in ("==", "!="):
            same = self.all([self.equal(SHAPE[a[0]][0], x, y) for x, y in zip(a[1], b[1])])
            return "bool", [same if op == "==" or same is None else not same]
        if op == "^^":
            return "bool", [None if None in (a[1][0], b[1][0]) else a[1][0] != b[1][0]]
        if op in ("<", ">", "<=", ">="):
            return "bool", [self.compare(op, a[1][0], b[1][0])]
        if op == "*" and (is_matrix(a[0]) or is_matrix(b[0])) and len(a[1]) > 1 and len(b[1]) > 1:
            return self.matrix_product(a, b)
        kind = a[0] if len(a[1]) >= len(b[1]) else b[0]
        count = max(len(a[1]), len(b[1]))
        left, right = a[1] * count if len(a[1]) == 1 else a[1], b[1] * count if len(b[1]) == 1 else b[1]
        function = self.float_operation if SHAPE[kind][0] == "float" else self.int_operation
        return kind, [function(op, x, y) for x, y in zip(left, right)]

    def float_operation(self, op, x, y):
        if op == "+":
            return self.n.add(x, y)
        if op == "-":
            return self.n.add(x, self.n.negate(y))
        return self.n.multiply(x, y) if op == "*" else self.n.divide(x, y)

    def int_operation(self, op, x, y):
        if x is None or y is None:
            return None
        if op == "+":
            return self.n.int_range(x[0] + y[0], x[1] + y[1])
        if op == "-":
            return self.n.int_range(x[0] - y[1], x[1] - y[0])
        if op == "*":
            products = [p * q for p in x for q in y]
            return self.n.int_range(min(products), max(products))
        if y[0] <= 0 <= y[1]:
            return None
        return self.int_quotient(x, y)

    def int_quotient(self, x, y):
        if self.n.wrap:
            quotients = [(abs(p) // abs(q)) * (1 if (p < 0) == (q < 0) else -1) for p in x for q in y]
            return self.n.int_range(min(quotients), max(quotients))
        # Of a GPU without ints a quotient of floats, cut off.
        low, high = self.n.divide((float(x[0]), float(x[1])), (float(y[0]), float(y[1])))
        return self.n.to_int((low, high))

    def compare(self, op, x, y):
        if x is None or y is None or not all(map(math.isfinite, x + y)):
            return None
        if isinstance(x[0], int) and self.n.wrap and max(x[1] - y[0], y[1] - x[0]) >= 2 ** 31:
            return None  # vc4 compares ints by the sign of their difference
        if op in (">", ">="):
            x, y, op = y, x, op.replace(">", "<")
        if op == "<":
            return True if x[1] < y[0] else False if x[0] >= y[1] else None
        return True if x[1] <= y[0] else False if x[0] > y[1] else None

    def equal(self, base, x, y):
        if x is None or y is None:
            return None
        if base == "bool":
            return x == y
        if x[1] < y[0] or y[1] < x[0]:
            return False
        return True if x[0] == x[1] == y[0] == y[1] and math.isfinite(x[0]) else None

    @staticmethod
    def all(truths):
        return False if False in truths else None if None in truths else True

    def sum(self, items):
        total = items[0]
        for item in items[1:]:
            total = self.n.add(total, item)
        return total

    def dot(self, a, b):
        return self.sum([self.n.multiply(x, y) for x, y in zip(a, b)])

    def matrix_product(self, a, b):
        n = SHAPE[(a if is_matrix(a[0]) else b)[0]][1]
        n = int(math.sqrt(n))
        def columns(m):
            return [m[1][i * n:(i + 1) * n] for i in range(n)]
        if not is_matrix(a[0]):
            return a[0], [self.dot(a[1], column) for column in columns(b)]
        rows = [a[1][i::n] for i in range(n)]
        if not is_matrix(b[0]):
            return b[0], [self.dot(row, b[1]) for row in rows]
        return a[0], [self.dot(row, column) for column in columns(b) for row in rows]

    # ---- calls ----

    def of_call(self, node):
        name, nodes = node[1], node[2]
        if name in self.functions:
            arguments = [self.value(a) for a in nodes]
            result, values = self.call(name, arguments)
            for (qualifier, _, parameter), a in zip(self.functions[name][1], nodes):
                if qualifier != "in":
                    self.store(a, values[parameter])
            return result
        arguments = [self.value(a) for a in nodes]
        if name in SHAPE:
            return self.construct(name, arguments)
        function = getattr(self, "call_" + name, None)
        if function:
            return function(*arguments)
        return self.each(name, arguments)

    def construct(self, kind, arguments):
        base, count = SHAPE[kind]
        items = [self.to(base, SHAPE[of][0], item) for of, all_items in arguments for item in all_items]
        if len(items) == 1 and is_matrix(kind):
            n = int(math.sqrt(count))
            return kind, [items[0] if i % (n + 1) == 0 else (0.0, 0.0) for i in range(count)]
        return kind, items * count if len(items) == 1 else items[:count]

    def to(self, base, of, item):
        if base == of:
            return item
        if base == "bool":
            same = self.equal(of, item, (0.0, 0.0) if of == "float" else (0, 0))
            return None if same is None else not same
        if of == "bool":
            low, high = (0, 1) if item is None else (int(item), int(item))
            return (low, high) if base == "int" else (float(low), float(high))
        return self.n.to_int(item) if base == "int" else self.n.to_float(item)

    def each(self, name, arguments):
        """Built-in functions by component; scalars stand for all of them."""
        count = max(len(a[1]) for a in arguments)
        kind = next(a[0] for a in arguments if len(a[1]) == count)
        rows = zip(*[a[1] * count if len(a[1]) == 1 else a[1] for a in arguments])
        return kind, [getattr(self, "float_" + name)(*row) for row in rows]

    def float_radians(self, a):
        return self.n.multiply(a, (math.pi / 180, math.pi / 180))

    def float_degrees(self, a):
        return self.n.multiply(a, (180 / math.pi, 180 / math.pi))

    def float_sin(self, a):
        return self.n.wave("sin", a)

    def float_cos(self, a):
        return self.n.wave("cos", a)

    def float_tan(self, a):
        return self.n.divide(self.n.wave("sin", a), self.n.wave("cos", a))

    def float_asin(self, a):
        return self.n.monotone("asin", math.asin, a, -1, 1)

    def float_acos(self, a):
        low, high = self.n.monotone("asin", math.asin, a, -1, 1)
        return self.n.add((math.pi / 2, math.pi / 2), (-high, -low))

    def float_atan(self, y, x=None):
        return self.n.atan2(y, x) if x else self.n.monotone("atan", math.atan, y)

    def float_pow(self, x, y):
        return self.n.exp2(self.n.multiply(y, self.n.log2(x))) if x[0] > 0 else ANY

    def float_exp(self, a):
        return self.n.exp2(self.n.multiply(a, (1 / math.log(2),) * 2))

    def float_exp2(self, a):
        return self.n.exp2(a)

    def float_log(self, a):
        return self.n.multiply(self.n.log2(a), (math.log(2),) * 2)

    def float_log2(self, a):
        return self.n.log2(a)

    def float_sqrt(self, a):
        return self.n.monotone("sqrt", math.sqrt, a, 0) if a[1] <= self.n.root else ANY

    def float_inversesqrt(self, a):
        if not self.n.least <= a[0] <= a[1] < min(INF, self.n.root):
            return ANY
        return self.n.by_name("inversesqrt", 1 / math.sqrt(a[1]), 1 / math.sqrt(a[0]))

    def float_abs(self, a):
        if a[0] <= 0 <= a[1]:
            return 0.0, max(-a[0], a[1])
        return (a[0], a[1]) if a[0] > 0 else (-a[1], -a[0])

    def float_sign(self, a):
        return float((a[0] > 0) - (a[0] < 0)), float((a[1] > 0) - (a[1] < 0))

    def float_floor(self, a):
        return self.n.floor(a)

    def float_ceil(self, a):
        return self.n.floor(a, math.ceil)

    def float_fract(self, a):
        return self.n.fract(a)

    def float_mod(self, x, y):
        # x - y * floor(x / y), as the specification has it.
        return self.n.add(x, self.n.negate(self.n.multiply(y, self.n.floor(self.n.divide(x, y)))))

    def float_min(self, a, b):
        return min(a[0], b[0]), min(a[1], b[1])

    def float_max(self, a, b):
        return max(a[0], b[0]), max(a[1], b[1])

    def float_clamp(self, x, low, high):
        return ANY if low[1] > high[0] else self.float_min(self.float_max(x, low), high)

    def float_mix(self, x, y, a):
        n = self.n
        whole = n.add(n.multiply(x, n.add((1.0, 1.0), n.negate(a))), n.multiply(y, a))
        apart = n.add(x, n.multiply(a, n.add(y, n.negate(x))))
        return min(whole[0], apart[0]), max(whole[1], apart[1])

    def float_step(self, edge, x):
        less = self.compare("<", x, edge)
        return (0.0, 1.0) if less is None else (0.0, 0.0) if less else (1.0, 1.0)

    def float_smoothstep(self, low, high, x):
        n = self.n
        if low[1] >= high[0]:
            return ANY
        t = self.float_clamp(n.divide(n.add(x, n.negate(low)), n.add(high, n.negate(low))), (0.0, 0.0), (1.0, 1.0))
        if t == ANY:
            return ANY
        ends = [v * v * (3 - 2 * v) for v in t]
        return n.round(ends[0], ends[1], 8 * n.epsilon, 4 * n.epsilon)

    def call_dot(self, a, b):
        return "float", [self.dot(a[1], b[1])]

    def call_length(self, a):
        return "float", [self.float_sqrt_of_sum(a[1])]

    def float_sqrt_of_sum(self, items):
        total = self.sum([self.square(x) for x in items])
        return self.float_sqrt((max(total[0], 0.0), total[1]))

    def square(self, x):
        low, high = self.float_abs(x)
        return self.n.multiply((low, high), (low, high)) if low >= 0 and low != high else self.n.multiply((low, low), (high, high))

    def call_distance(self, a, b):
        return self.call_length(self.binary("-", a, b))

    def call_cross(self, a, b):
        n, (x, y) = self.n, (a[1], b[1])
        return "vec3", [n.add(n.multiply(x[i], y[j]), n.negate(n.multiply(x[j], y[i]))) for i, j in ((1, 2), (2, 0), (0, 1))]

    def call_normalize(self, a):
        if len(a[1]) == 1:
            return "float", [self.float_sign(a[1][0]) if not a[1][0][0] <= 0 <= a[1][0][1] else ANY]
        total = self.sum([self.square(x) for x in a[1]])
        scale = self.float_inversesqrt(total)
        return a[0], [self.n.multiply(x, scale) for x in a[1]]

    def call_faceforward(self, n, i, reference):
        less = self.compare("<", self.dot(reference[1], i[1]), (0.0, 0.0))
        opposite = (n[0], [self.n.negate(x) for x in n[1]])
        return self.either(n, opposite) if less is None else n if less else opposite

    def call_reflect(self, i, n):
        scale = self.n.multiply((2.0, 2.0), self.dot(n[1], i[1]))
        return i[0], [self.n.add(x, self.n.negate(self.n.multiply(scale, y))) for x, y in zip(i[1], n[1])]

    def call_refract(self, i, n, eta):
        m, d, e = self.n, self.dot(n[1], i[1]), eta[1][0]
        k = m.add((1.0, 1.0), m.negate(m.multiply(m.multiply(e, e), m.add((1.0, 1.0), m.negate(self.square(d))))))
        if k[1] < 0:
            return i[0], [(0.0, 0.0)] * len(i[1])
        if k[0] < 0:
            return i[0], [ANY] * len(i[1])
        scale = m.add(m.multiply(e, d), self.float_sqrt(k))
        return i[0], [m.add(m.multiply(e, x), m.negate(m.multiply(scale, y))) for x, y in zip(i[1], n[1])]

    def call_matrixCompMult(self, a, b):
        return a[0], [self.n.multiply(x, y) for x, y in zip(a[1], b[1])]

    def relation(self, op, a, b):
        return typed("bool", [self.compare(op, x, y) for x, y in zip(a[1], b[1])])

    def call_lessThan(self, a, b):
        return self.relation("<", a, b)

    def call_lessThanEqual(self, a, b):
        return self.relation("<=", a, b)

    def call_greaterThan(self, a, b):
        return self.relation(">", a, b)

    def call_greaterThanEqual(self, a, b):
        return self.relation(">=", a, b)

    def call_equal(self, a, b):
        return typed("bool", [self.equal(SHAPE[a[0]][0], x, y) for x, y in zip(a[1], b[1])])

    def call_notEqual(self, a, b):
        return typed("bool", [None if x is None else not x for x in self.call_equal(a, b)[1]])

    def call_all(self, a):
        return "bool", [self.all(a[1])]

    def call_any(self, a):
        return "bool", [True if True in a[1] else None if None in a[1] else False]

    def call_not(self, a):
        return a[0], [None if x is None else not x for x in a[1]]
