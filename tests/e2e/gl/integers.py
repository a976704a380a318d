"""GLSL ES 3.10 of integers: random programs whose results GL defines to the bit.

All variables are uint; what is of int is converted. Shifts have amounts below 32, divisors are not zero, the fields of
bitfieldExtract and bitfieldInsert lie within a word, and floats that take part are small whole numbers.
"""

# Text of an expression; {} is an operand.
OPERATIONS = [
    "({} + {})", "({} - {})", "({} * {})", "({} & {})", "({} | {})", "({} ^ {})", "(~{})", "(-{})",
    "({} << ({} & 31u))", "({} >> ({} & 31u))", "uint(int({}) >> int({} & 31u))", "({} / ({} | 1u))", "({} % ({} | 1u))",
    "uint(int({} >> 1) / int({} >> 3 | 1u))", "uint(int({} >> 1) % int({} >> 9 | 1u))", "uint(-int({}) / 7)",
    "min({}, {})", "max({}, {})", "uint(min(int({}), int({})))", "uint(max(int({}), int({})))", "uint(abs(int({}) >> 1))",
    "uint(sign(int({})))", "uint(clamp(int({}), -5000, 70000))", "({} < {} ? {} : {})", "(int({}) >= int({}) ? {} : {})",
    "({} == {} ? {} : {})", "uint({} > {})", "ones({})", "lowest({})", "highest({})", "highest_signed({})",
    "bitfieldReverse({})", "field({}, {}, {})", "field_signed({}, {}, {})", "inserted({}, {}, {}, {})", "high({}, {})", "carry({}, {})", "borrow({}, {})",
    "uint(float({} & 0xfffu) * 0.5)", "uint(int(float(int({} & 0xfffu) - 2048)))", "floatBitsToUint(float({} & 0xffffu))",
    "packUnorm4x8(unpackUnorm4x8({}))", "dot4({}, {})", "uvec4({}, {}, 3u, 5u).zxyw[{} & 3u]",
]
# Functions, as their parameters and results are of highp: a result of bitCount or findLSB is of lowp itself, and so is what an
# operator makes of it and a literal.
FUNCTIONS = """uint ones(uint a) { uint n = uint(bitCount(a)); return n; }
uint lowest(uint a) { int n = findLSB(a); return uint(n); }
uint highest(uint a) { int n = findMSB(a); return uint(n); }
uint highest_signed(uint a) { int n = findMSB(int(a)); return uint(n); }
uint field(uint a, uint b, uint c) { uint n = bitfieldExtract(a, int(b & 15u), int(c & 15u)); return n; }
uint field_signed(uint a, uint b, uint c) { int i = int(a), n = bitfieldExtract(i, int(b & 15u), int(c & 15u)); return uint(n); }
uint inserted(uint a, uint b, uint c, uint d) { uint n = bitfieldInsert(a, b, int(c & 15u), int(d & 15u)); return n; }
uint high(uint a, uint b) { uint h, l; umulExtended(a, b, h, l); return h ^ l; }
uint carry(uint a, uint b) { uint c, s = uaddCarry(a, b, c); return s * 2u + c; }
uint borrow(uint a, uint b) { uint c, s = usubBorrow(a, b, c); return s ^ c; }
uint dot4(uint a, uint b) { uvec4 p = uvec4(a, a >> 8, a >> 16, a >> 24) & 255u, q = uvec4(b, b >> 8, b >> 16, b >> 24) & 255u;
p *= q; return p.x + p.y + p.z + p.w; }""".splitlines()
CONSTANTS = ["0u", "1u", "2u", "3u", "7u", "31u", "255u", "256u", "65535u", "0x7fffffffu", "0x80000000u", "0xffffffffu", "0x12345678u"]


class Writer:
    """Statements over the names of uints that there are at first."""

    def __init__(self, random, names):
        self.r, self.names, self.count = random, list(names), 0

    def expression(self, depth):
        r = self.r
        if depth == 0 or r.random() < 0.15:
            return r.choice(CONSTANTS) if r.random() < 0.15 else r.choice(self.names)
        text = r.choice(OPERATIONS)
        if text.startswith("high"):
            # Of umulExtended by 1 Mesa's opt_algebraic.cpp makes the other operand, of 32 bits where 64 are taken apart: the upper word
            # is anything, and llvmpipe's compiler may end. So its operands are what no compiler knows: no variables, no counters.
            inputs = [n for n in self.names if n[0] not in "ti" or not n[1:].isdigit()]
            return text.format(r.choice(inputs), r.choice(inputs))
        return text.format(*[self.expression(depth - 1) for _ in range(text.count("{}"))])

    def statement(self, nesting=0):
        """Lines of one: a variable, a change to one under a condition, or a loop over one."""
        r, choice = self.r, self.r.random()
        own = [n for n in self.names if n.startswith("t")]
        if choice < 0.7 or not own or nesting == 2:
            if nesting:  # what a block declares ends with it
                return [f"{r.choice(own)} = {self.expression(2)};"]
            name = f"t{self.count}"
            self.count += 1
            lines = [f"uint {name} = {self.expression(3)};"]
            self.names.append(name)
            return lines
        inner = [line for _ in range(r.randrange(1, 3)) for line in self.statement(nesting + 1)]
        if choice < 0.87:
            other = ["} else {", *["  " + line for line in self.statement(nesting + 1)]] if r.random() < 0.4 else []
            return [f"if ({self.expression(1)} < {self.expression(1)}) {{", *["  " + line for line in inner], *other, "}"]
        counter = f"i{nesting}"
        self.names.append(counter)
        inner = self.statement(nesting + 1)
        self.names.remove(counter)
        stop = [f"  if (({self.expression(1)} & 7u) == {counter}) break;"] if r.random() < 0.3 else []
        bound = r.choice(("3u", "5u", f"({self.expression(1)} & 7u)"))
        return [f"for (uint {counter} = 0u; {counter} < {bound}; {counter}++) {{", *["  " + line for line in inner], *stop, "}"]

    def statements(self, count):
        return [line for _ in range(count) for line in self.statement()]
